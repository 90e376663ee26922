// The bodies of a force evaluation, all or some. Host and device.
#pragma once
#include "sim/api/vectors.h"

#include <cstddef>
#include <cstdint>

namespace gravlab {

/// The bodies that a force is evaluated for.
struct ActiveBodies {
    const std::uint8_t* levels = nullptr;  ///< level of each body, in the device's memory; null: all bodies
    int least = 0;                         ///< the bodies on this level and deeper ones
    std::size_t count = 0;                 ///< their number, where not all bodies are active
    /// This is a later evaluation in the same step of the run: bodies have hardly moved, and structures built from their
    /// positions may be reused.
    bool follows = false;
    std::uint32_t first = 0, last = ~0u;  ///< only bodies of this range, the end excluded

    GRAVLAB_HOST_DEVICE bool all() const { return levels == nullptr && first == 0 && last == ~0u; }
    GRAVLAB_HOST_DEVICE bool has(std::size_t body) const {
        return body >= first && body < last && (levels == nullptr || levels[body] >= least);
    }
};

}  // namespace gravlab
