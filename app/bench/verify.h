// Verification of kernels on this machine: accelerations and steps against fp64. Used by `check`; tests feed it wrong rows.
#pragma once
#include "sim/backends/backend.h"
#include "sim/core/particles.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gravlab {

/// What `check` found for one kernel of one backend.
struct Verdict {
    enum class State { passed, failed, unavailable };
    std::string backend, kernel;
    State state = State::passed;
    int configurations = 0;             ///< numbers of bodies x softenings x launches compared
    double worstMedian = 0, worst = 0;  ///< relative errors: largest median, largest of all
    std::string note;                   ///< why it failed or cannot run
};

/// The launches of a row that a check or sweep walks: the block sizes of interest that the row allows, times its unrolls.
/// A row that cannot be tuned gives one.
std::vector<LaunchConfig> launchesOf(const KernelRow& row, std::span<const int> blocks);

/// Unequal masses over two decades and every seventh body massless, then a half in runs of equal masses; or all masses
/// equal. Every eleventh body on top of the one before. The same numbers on every machine, and floats.
ParticleSet mixedBodies(std::size_t count, bool equalMasses);
/// Atoms on a disordered grid, of three sources, so that no wall is entered deeply.
ParticleSet atoms(std::size_t count);

/// Checks one kernel: golden forces, many numbers of bodies with unequal, massless and coincident bodies, all launches, then
/// steps of every integrator against the reference backend. `tolerance` replaces the limits of the errors. Never throws
/// for a fault of the kernel: that is a failed verdict. Throws what InterruptWatch::check() does, soon after a signal.
Verdict verifyKernel(Backend& backend, const KernelRow& row, std::optional<double> tolerance = {});

/// Checks one kernel of a force term beside the pair law on the example of its kind, under all launches and precisions.
Verdict verifyTermKernel(Backend& backend, const KernelRow& row, const TermKind& kind, std::optional<double> tolerance = {});

/// What an unfinished check is worth, in the sentence of an interrupt.
constexpr std::string_view kUnfinishedCheck = "the check did not come to its end";

/// All kernels of all rows given, unavailable backends included with the reason.
std::vector<Verdict> verifyAll(std::span<const BackendRow> rows, const BackendOptions& options,
                               std::optional<double> tolerance = {});

}  // namespace gravlab
