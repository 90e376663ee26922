// Finds bodies with which no force can be computed.
#pragma once
#include "sim/api/vectors.h"
#include "sim/core/thread_pool.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>

namespace gravlab {

inline double largestCoordinate(const Double4& p) { return std::max({std::abs(p.x), std::abs(p.y), std::abs(p.z)}); }

/// Whether a number is not finite, or a coordinate is beyond `farthest`.
inline bool isBad(const Double4& p, const Double4& v, double farthest) {
    return !isFinite(xyz(p)) || !isFinite(xyz(v)) || !(largestCoordinate(p) <= farthest);
}

/// Index of the first of `count` bodies that is bad; `count`: there is none. bad(i) says it of a body. All threads.
template <class Bad>
std::size_t firstBad(std::size_t count, const Bad& bad) {
    std::atomic<std::size_t> found{count};
    parallelFor(count, 0, 65536, [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) {
            if (!bad(i)) continue;
            std::size_t known = found;
            while (i < known && !found.compare_exchange_weak(known, i)) {
            }
            return;
        }
    });
    return found;
}

}  // namespace gravlab
