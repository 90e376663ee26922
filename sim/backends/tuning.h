// The fastest choices that searches found, which `auto` uses. They are plain data; the app handles the files.
#pragma once
#include "sim/backends/backend.h"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace gravlab {

/// The fastest kernel and launch on one device for about `bodies` bodies.
struct TunedChoice {
    std::string backend;
    std::string device, driver;  ///< as in LaunchFacts: another driver compiles other machine code
    Precision precision = Precision::fp32;
    std::size_t bodies = 0;
    std::string term = std::string(kPairLawTerm);  ///< the kind of term that the kernel computes
    KernelInUse kernel{};
    std::optional<int> threads{};      ///< CPU threads; empty where they do not apply
    double interactionsPerSecond = 0;  ///< rate of whole steps during the search
    bool operator==(const TunedChoice&) const = default;
};

/// All tuned choices. They are immutable, so a running simulation and a search can use them at once.
class Tuning {
public:
    Tuning() = default;
    explicit Tuning(std::vector<TunedChoice> choices) : choices_(std::move(choices)) {}
    std::span<const TunedChoice> choices() const { return choices_; }
    /// A copy in which that choice replaces one for the same device, precision and number of bodies.
    Tuning with(TunedChoice choice) const;
    /// The choice for the nearest number of bodies, within a factor of 1.5; null when there is none.
    const TunedChoice* find(std::string_view backend, const LaunchFacts& facts, Precision precision, std::size_t bodies,
                            std::string_view term = kPairLawTerm) const;

private:
    std::vector<TunedChoice> choices_;
};

/// The meaning of `wanted` on that backend for `bodies` bodies: no kernel and the usual launch become the tuned choice,
/// where there is one.
KernelChoice tunedKernel(const Tuning* tuning, const KernelChoice& wanted, const Backend& backend, Precision precision,
                         std::size_t bodies);

/// A backend with the number of threads that a search found best for `bodies` bodies, where the options leave it open.
std::unique_ptr<Backend> makeTuned(const BackendRow& row, const BackendOptions& options, const KernelChoice& wanted,
                                   const Tuning* tuning, Precision precision, std::size_t bodies);

/// Gives each term beside the pair law the kernel that a search found fastest there. Terms without such a kernel stay as
/// they are, and so do terms of `chosen` kinds.
void tuneTerms(std::vector<Term>& terms, const std::function<bool(std::string_view)>& chosen, const Tuning& tuning,
               const Backend& backend, Precision precision, std::size_t bodies);

/// Configures the loaded backend with the meaning of `wanted` there. The backend's own choice replaces a tuned choice that
/// it refuses (another build, less memory).
void configureTuned(Backend& backend, const ForceSettings& force, const KernelChoice& wanted, const Tuning* tuning);

}  // namespace gravlab
