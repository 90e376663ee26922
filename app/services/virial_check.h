// Does a scene stand still when left alone? The virial ratio of its start, and how far that moves its half-mass radius.
// Rule: says nothing of few bodies, or where gravity does not bind them; of very many it takes a sample and says so.
#pragma once
#include "app/services/conservation.h"
#include "app/system/worker.h"
#include "sim/core/particles.h"
#include "sim/forces/force_settings.h"
#include "sim/scenes/scene.h"

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace gravlab {

/// Of one galaxy by itself, or of all bodies.
struct VirialState {
    double virial = 0;          ///< 2T over the virial of the softened forces: 1 in balance, below it will fall together
    double halfMassRadius = 0;  ///< about the centre of mass [L]
    double dynamicalTime = 0;   ///< sqrt(r^3 / (G M / 2)) at the half-mass radius [T]. Binney & Tremaine 2008, 2.2
    /// Expected relative change of the half-mass radius: energy is kept while 2T comes to |W|, so that r becomes
    /// r / (2 - 2T/|W|). Empty where it is not bound. Binney & Tremaine 2008, 4.10.3 has the case T = 0.
    std::optional<double> drift{};
    std::size_t bodies = 0, looked = 0;
};

constexpr std::size_t kFewestOfVirial = 64;    ///< bodies, below which there is no balance to keep
constexpr std::size_t kSampleOfVirial = 8192;  ///< bodies looked at in each system, beside the heaviest

/// Each galaxy by itself where the bodies tell two to eight of them apart, else all bodies; empty below kFewestOfVirial
/// bodies, without masses, and under another law. Costs O(sample^2) on the calling thread: below 0.3 s a system.
std::vector<VirialState> measureVirial(const ParticleSet& bodies, const ForceSettings& force);

/// How far the half-mass radius of a single system has really gone a dynamical time after the start, from samples of the
/// run; empty before.
std::optional<double> measuredDrift(std::span<const VirialState> start, std::span<const ConservationPoint> points);

/// "Start: 2T/|W| 1.003; half-mass radius expected to change by +0.3 %"; empty for nothing.
std::string virialText(std::span<const VirialState> start, std::optional<double> measured, const SceneUnits& units);

/// Measures the start of a run when somebody asks for it, on a thread of its own.
class VirialCheck {
public:
    /// Other bodies begin. Keeps a sample of them and forgets the last ones. O(N).
    void begin(const ParticleSet& bodies, const ForceSettings& force);
    /// What was found; empty while it is not known. Starts to measure at the first call; waits only with `wait`.
    std::span<const VirialState> read(bool wait);
    /// What read() gave last.
    std::span<const VirialState> found() const { return found_; }
    /// A result is on its way: then frames are needed.
    bool busy() const { return worker_.busy(); }

private:
    using Sums = std::function<std::vector<VirialState>()>;

    Sums measure_;  ///< until somebody asks
    std::vector<VirialState> found_;
    Worker<Sums, std::vector<VirialState>> worker_{[](const Sums& sums, auto&) { return sums(); }};
};

}  // namespace gravlab
