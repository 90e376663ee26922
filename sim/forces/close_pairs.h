// Bodies that are so close to another one that the rounding of their coordinates to single precision spoils their force.
// Rule: every body is looked at; a sample of a large cluster would miss its few binaries.
#pragma once
#include "sim/core/particles.h"
#include "sim/forces/force_settings.h"

#include <cstdint>
#include <optional>
#include <utility>

namespace gravlab {

/// A body and the neighbour whose pull rounding may change most.
struct ClosePair {
    std::uint32_t body = 0, neighbour = 0;
    double distance = 0;  ///< between them, before rounding [L]
    double error = 0;     ///< most that rounding changes of the neighbour's pull, over the size of the whole force
};

struct ClosePairs {
    ClosePair worst;  ///< its error is 0 where no pair is close enough
    /// Two bodies whose different places are one after rounding.
    std::optional<std::pair<std::uint32_t, std::uint32_t>> merged;
};

/// The body with the largest error. How coordinates happen to be rounded at the start does not matter, because bodies move.
/// Errors are relative to the acceleration of the body, which a tree estimates, and to `floor` [L/T^2] where that is larger.
/// Blocks; all threads; O(N log N) and about 60 bytes a body meanwhile: a million bodies take half a second of a core.
ClosePairs closePairs(const ParticleSet& bodies, const ForceSettings& force, double floor);

}  // namespace gravlab
