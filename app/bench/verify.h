// Verification of kernels on this machine: accelerations and steps against fp64. `check` uses it; tests pass it wrong rows.
#pragma once
#include "sim/backends/backend.h"
#include "sim/core/particles.h"

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gravlab {

/// The result of `check` for one kernel of one backend.
struct Verdict {
    enum class State { passed, failed, unavailable };
    std::string backend, kernel;
    State state = State::passed;
    int configurations = 0;             ///< numbers of bodies x softenings x launches compared
    double worstMedian = 0, worst = 0;  ///< relative errors: largest median, largest of all
    std::string note;                   ///< why it failed or cannot run
};

/// The launches of a row for a check or sweep: the given block sizes that the row allows, times its unroll factors. A row
/// without launch parameters has one.
std::vector<LaunchConfig> launchesOf(const KernelRow& row, std::span<const int> blocks);

/// Forces and potential of four bodies, computed with forty digits.
struct KnownForces {
    double softening;
    std::array<Double4, 4> acceleration;
    double potential;
};
std::span<const KnownForces> knownForces();
/// These bodies, of the masses 1, 2, 3 and 4, moving.
ParticleSet knownBodies();

/// Unequal masses over two decades with every seventh body massless, then one half in runs of equal masses; or all masses
/// equal. Every eleventh body is at the place of the previous one. The same numbers on every machine, exact as floats.
ParticleSet mixedBodies(std::size_t count, bool equalMasses);
/// Atoms on a disordered grid, with three different sources, so far apart that the repulsion stays moderate.
ParticleSet atoms(std::size_t count);

/// Checks one kernel: golden forces, many N with unequal, massless and coincident bodies, all launches, then steps of every
/// integrator against the reference backend. `tolerance` replaces the limits of the errors. Never throws for a fault of the
/// kernel: that is a failed verdict. Throws the error of InterruptWatch::check() soon after a signal.
Verdict verifyKernel(Backend& backend, const KernelRow& row, std::optional<double> tolerance = {});

/// Checks one kernel of a force term beside the pair law on the example of its kind, under all launches and precisions.
Verdict verifyTermKernel(Backend& backend, const KernelRow& row, const TermKind& kind, std::optional<double> tolerance = {});

/// The note of an unfinished check, in the sentence of an interrupt.
constexpr std::string_view kUnfinishedCheck = "the check is incomplete";

/// All kernels of the given rows; unavailable backends are included with the reason. `only`: those of these names, where any
/// is given; a kernel of a force term is TERM:ROW. Throws UsageError for a name that no kernel has.
std::vector<Verdict> verifyAll(std::span<const BackendRow> rows, const BackendOptions& options,
                               std::optional<double> tolerance = {}, std::span<const std::string> only = {});

}  // namespace gravlab
