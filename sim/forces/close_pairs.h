// Finds bodies so close to another one that rounding their coordinates to single precision spoils their force. Rule: examine
// every body; a sample of a large cluster would miss its few binaries.
#pragma once
#include "sim/api/law.h"
#include "sim/core/particles.h"

#include <cstdint>
#include <optional>
#include <utility>

namespace gravlab {

/// A body and the neighbour whose pull rounding may change most.
struct ClosePair {
    std::uint32_t body = 0, neighbour = 0;
    double distance = 0;  ///< between the two bodies, before rounding [L]
    double error = 0;     ///< largest change of the neighbour's pull by rounding, relative to the whole force
};

struct ClosePairs {
    ClosePair worst;  ///< its error is 0 where no pair is close enough
    /// Two bodies at different places that rounding makes equal.
    std::optional<std::pair<std::uint32_t, std::uint32_t>> merged;
};

/// Memory of closePairs(), per body.
constexpr double kClosePairBytes = 60;

/// The body with the largest error. The result does not depend on how the starting coordinates happen to round, because
/// bodies move. Errors are relative to the acceleration of the body, which a tree estimates, or to `floor` [L/T^2] where
/// that is larger. Blocks; all threads; O(N log N) and temporarily kClosePairBytes; throws OutOfMemoryError before it takes
/// them. A million bodies take half a second of one core.
ClosePairs closePairs(const ParticleSet& bodies, const ForceSettings& force, double floor);

}  // namespace gravlab
