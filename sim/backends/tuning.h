// What searches have found to be fastest, and what `auto` therefore means. Plain data: files are the app's business.
#pragma once
#include "sim/backends/backend.h"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace gravlab {

/// The fastest kernel and launch on one device for about so many bodies.
struct TunedChoice {
    std::string backend;
    std::string device, driver;  ///< as LaunchFacts names them: another driver compiles other machine code
    Precision precision = Precision::fp32;
    std::size_t bodies = 0;
    std::string term = std::string(kPairLawTerm);  ///< the kind of term that the kernel computes
    KernelInUse kernel{};
    std::optional<int> threads{};      ///< of the CPU; empty where that is no question
    double interactionsPerSecond = 0;  ///< whole steps, when it was found
    bool operator==(const TunedChoice&) const = default;
};

/// All that is known. Immutable, so that a running simulation and a search can share it.
class Tuning {
public:
    Tuning() = default;
    explicit Tuning(std::vector<TunedChoice> choices) : choices_(std::move(choices)) {}
    std::span<const TunedChoice> choices() const { return choices_; }
    /// With that choice in the place of one for the same device, precision and number of bodies.
    Tuning with(TunedChoice choice) const;
    /// The choice for the nearest number of bodies, within a factor of 1.5; null when there is none.
    const TunedChoice* find(std::string_view backend, const LaunchFacts& facts, Precision precision, std::size_t bodies,
                            std::string_view term = kPairLawTerm) const;

private:
    std::vector<TunedChoice> choices_;
};

/// What `wanted` means on that backend and the bodies that it will hold: no kernel and the usual launch become the tuned
/// choice, where there is one.
KernelChoice tunedKernel(const Tuning* tuning, const KernelChoice& wanted, const Backend& backend, Precision precision,
                         std::size_t bodies);

/// A backend with as many threads as a search has found best for so many bodies, where the options leave them open.
std::unique_ptr<Backend> makeTuned(const BackendRow& row, const BackendOptions& options, const KernelChoice& wanted,
                                   const Tuning* tuning, Precision precision, std::size_t bodies);

/// Gives each term beside the pair law the kernel that a search has found fastest there; what none was found for stays.
/// Terms of the kinds in `chosen` stay, too.
void tuneTerms(std::vector<Term>& terms, const std::vector<std::string>& chosen, const Tuning& tuning,
               const Backend& backend, Precision precision, std::size_t bodies);

/// Configures the loaded backend with what `wanted` means there; a tuned choice that is refused (another build, less
/// memory) gives way to the backend's own.
void configureTuned(Backend& backend, const ForceSettings& force, const KernelChoice& wanted, const Tuning* tuning);

}  // namespace gravlab
