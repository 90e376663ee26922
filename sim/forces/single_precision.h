// Can pairs in single precision compute these bodies? A start that they cannot is refused or runs in double precision.
// Rule: judged on the bodies themselves before they are rounded; a kernel's own check sees them only afterwards.
#pragma once
#include "sim/core/particles.h"
#include "sim/forces/force_settings.h"

#include <string>

namespace gravlab {

/// Why loops in single precision would compute these bodies wrongly under that force, as a sentence of which single
/// precision is the subject; empty when they stay near double precision: half of the forces within kSingleMedian (ten times
/// that under steep laws), each within kSingleWorst, positions and velocities in range and no two places rounded into one.
/// Up to 1,024 bodies all forces are computed, of more a sample: some milliseconds, a fifteenth of a second of a core for a
/// million.
std::string beyondSinglePrecision(const ParticleSet& bodies, const ForceSettings& force);

constexpr double kSingleMedian = 3e-5, kSingleWorst = 1e-2;

}  // namespace gravlab
