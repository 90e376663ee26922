// How devices divide a force: the first one holds the bodies and integrates, its helpers compute parts of the sums. Rule:
// shares follow from counts and the devices' sizes, never from times, and no share changes a bit.
#pragma once
#include "sim/backends/backend.h"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace gravlab {

/// Up to this N a force takes less time than the messages to helpers.
constexpr std::size_t kFewToDivide = 256;

/// A force of part of the bodies is divided where more than one body of this many is active.
constexpr std::size_t kBodiesToDivide = 4;

/// Bounds of consecutive ranges, one per weight, of `units` units: range k is [bounds[k], bounds[k + 1]). A range gets work
/// in proportion to its weight. `work`: that of each unit; empty: all are equal. `undivided`: work that the first range does
/// beside its units.
std::vector<std::size_t> cutByWeights(std::span<const double> weights, std::size_t units, std::span<const double> work = {},
                                      double undivided = 0);

/// Whether a device has several parts: a test of the division, for any N.
bool repeatsDevice(const BackendOptions& options);

/// Why a force of `bodies` bodies by that row stays on the first device under that program; empty: it is divided. `test`:
/// see repeatsDevice(); else a second device has to gain by the measured crossover of docs/benchmarks/devices.md.
Reason whyUndivided(const KernelRow& row, StepProgram program, std::size_t bodies, bool test);

/// The helpers that a CPU has: its only device is 0, and each further 0 is one more part. Others are left out.
std::vector<int> cpuHelpers(const BackendOptions& options);

/// ", helpers 1 and 2", or ", helpers 0 and 0 as a test" where a device has several parts; empty without helpers. It follows
/// the name of the first device.
std::string helpersText(const BackendOptions& options);

/// `before` and "4 ranks"; empty without a job.
std::string ranksText(const char* before = "");

/// Which devices or ranks compute the forces of a loaded backend, and how they divide them or why not; empty without
/// helpers.
std::string divisionSentence(const Backend& backend, BackendOptions options, StepProgram program);

}  // namespace gravlab
