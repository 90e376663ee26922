// A part of the bodies: those whose force is asked for. Host and device.
#pragma once
#include "sim/core/host_device.h"

#include <cstddef>
#include <cstdint>

namespace gravlab {

/// Which bodies a force is for.
struct ActiveBodies {
    const std::uint8_t* rungs = nullptr;  ///< of each body, where the device reads; null: all bodies
    int least = 0;                        ///< those on this rung or a deeper one
    std::size_t count = 0;                ///< how many they are
    /// An evaluation in the same step of the run came before: bodies have hardly moved since, and what was made of their
    /// places may serve again.
    bool follows = false;

    GRAVLAB_HOST_DEVICE bool all() const { return rungs == nullptr; }
    GRAVLAB_HOST_DEVICE bool has(std::size_t body) const { return all() || rungs[body] >= least; }
};

}  // namespace gravlab
