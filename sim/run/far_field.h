// How many bodies a window starts with on a CPU where far ones may be taken together.
#pragma once
#include "sim/scenes/scene.h"

#include <algorithm>
#include <bit>
#include <cstddef>

namespace gravlab {

/// On so many threads. Two cores move 16,384 bodies at the pace of every scene beside drawing in software (20 to 30 ms a
/// step of one core, as long as every pair of 8,192), and twice as many cores twice as many, up to the row's number.
inline std::size_t farFieldBodies(const FarField& row, int threads) {
    const std::size_t each = row.fromCpu / 2, cores = std::bit_floor(static_cast<unsigned>(std::max(threads, 2)));
    return std::clamp(each * cores, row.fromCpu, std::max(row.fromCpu, row.bodiesCpu));
}

}  // namespace gravlab
