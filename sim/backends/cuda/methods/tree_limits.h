// Where a tree on a device changes its ways. Tests make it do so for few bodies; nothing else writes here.
#pragma once
#include <cstdint>
#include <limits>

namespace gravlab::cuda {

struct TreeLimits {
    /// Bodies from which on groups walk in two levels (10,485,760: 12.29 ms a step became 11.35 at 1e-3, 29.87 became 24.62
    /// at 1e-4; 1,048,576: nothing, for its 2,000 regions do not fill the device).
    std::uint32_t regionsFrom = 2097152;
    /// Room for the nodes that a region leaves. At 1e-4 one of 10,485,760 bodies leaves 463, one of a hundred more than 791;
    /// of 2,097,152 bodies 553 and 904.
    std::uint32_t regionNodes = 1024;
    /// Regions at most.
    std::uint32_t regions = std::numeric_limits<std::uint32_t>::max();
};

/// For trees that are made from now on.
inline TreeLimits& treeLimits() {
    static TreeLimits limits;
    return limits;
}

}  // namespace gravlab::cuda
