// Whether a scene is in equilibrium when left alone: the virial ratio of its start, and the expected change of its half-mass
// radius.
// Rule: no result for few bodies, or where gravity does not bind them. A very large N is sampled, and the result says so.
#pragma once
#include "app/system/worker.h"
#include "sim/api/law.h"
#include "sim/core/particles.h"
#include "sim/scenes/scene.h"

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace gravlab {

/// Values of one galaxy by itself, or of all bodies.
struct VirialState {
    double virial = 0;          ///< 2T over the virial of the softened forces: 1 in balance, below 1 it will contract
    double halfMassRadius = 0;  ///< about the centre of mass [L]
    double dynamicalTime = 0;   ///< sqrt(r^3 / (G M / 2)) at the half-mass radius [T]. Binney & Tremaine 2008, 2.2
    /// Expected relative change of the half-mass radius. Energy is kept while 2T approaches |W|, so that r becomes
    /// r / (2 - 2T/|W|). Empty where the system is not bound. Binney & Tremaine 2008, 4.10.3 has the case T = 0.
    std::optional<double> drift{};
    std::size_t bodies = 0, looked = 0;
};

constexpr std::size_t kFewestOfVirial = 64;    ///< fewest bodies for which a virial balance is defined
constexpr std::size_t kSampleOfVirial = 8192;  ///< bodies sampled in each system, beside the heaviest

/// "Start: 2T/|W| 1.003; half-mass radius expected to change by +0.3 %"; empty for nothing.
std::string virialText(std::span<const VirialState> start, std::optional<double> measured, const SceneUnits& units);

/// Measures the start of a run on request, on a thread of its own: each galaxy by itself where the bodies have two to eight
/// of them, else all bodies. There is no result below kFewestOfVirial bodies, without masses, and under another law. A
/// system takes O(sample^2), below 0.3 s.
class VirialCheck {
public:
    /// A run with other bodies begins. Keeps a sample of them and forgets the former ones. `alone`: no force beside the pair
    /// law acts; else there is no result. O(N).
    void begin(const ParticleSet& bodies, const ForceSettings& force, bool alone);
    /// The result; empty while it is unknown. The first call starts the measurement; it waits only with `wait`.
    std::span<const VirialState> read(bool wait);
    /// Result of the last read().
    std::span<const VirialState> found() const { return found_; }
    /// A result is under way: then frames are needed.
    bool busy() const { return worker_.busy(); }

private:
    using Sums = std::function<std::vector<VirialState>()>;

    Sums measure_;  ///< sums until a measurement is requested
    std::vector<VirialState> found_;
    Worker<Sums, std::vector<VirialState>> worker_{[](const Sums& sums, auto&) { return sums(); }};
};

}  // namespace gravlab
