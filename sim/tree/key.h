// Position of a body on a space-filling curve. Bodies with neighbouring keys are near each other, and bodies whose keys
// begin alike are in one cube of the octree. Host and device.
#pragma once
#include "sim/api/vectors.h"

#include <bit>
#include <cstdint>

namespace gravlab {

/// Levels of the octree below its root, with three bits of a key each.
constexpr int kTreeLevels = 21;
constexpr int kTreeKeyBits = 3 * kTreeLevels;
/// This bit, above those of a curve, puts bodies without mass behind all others.
constexpr std::uint64_t kOnlyTarget = std::uint64_t{1} << kTreeKeyBits;
/// Number of cubes along an edge at the deepest level.
constexpr std::uint32_t kTreeGrid = 1u << kTreeLevels;

/// Index on a grid of kTreeGrid along each axis, for a coordinate of -1 to 1. Coordinates outside, or not finite, go to an
/// edge. Wrong indices make a tree slow, not wrong: its moments are computed from the bodies.
template <class Real>
GRAVLAB_HOST_DEVICE std::uint32_t treePlace(Real x) {
    const Real place = (x + Real(1)) * Real(kTreeGrid / 2);
    if (!(place > Real(0))) return 0;
    return place < Real(kTreeGrid - 1) ? static_cast<std::uint32_t>(place) : kTreeGrid - 1;
}

/// The lowest 21 bits, each followed by two zeros.
GRAVLAB_HOST_DEVICE std::uint64_t spreadBits(std::uint32_t bits) {
    std::uint64_t x = bits & (kTreeGrid - 1);
    x = (x | x << 32) & 0x001f00000000ffffull;
    x = (x | x << 16) & 0x001f0000ff0000ffull;
    x = (x | x << 8) & 0x100f00f00f00f00full;
    x = (x | x << 4) & 0x10c30c30c30c30c3ull;
    x = (x | x << 2) & 0x1249249249249249ull;
    return x;
}

/// Interleaves the bits: neighbours on the curve may be far apart. Morton 1966.
GRAVLAB_HOST_DEVICE std::uint64_t mortonKey(std::uint32_t x, std::uint32_t y, std::uint32_t z) {
    return spreadBits(x) << 2 | spreadBits(y) << 1 | spreadBits(z);
}

/// Key along a curve without jumps. Skilling 2004, AIP Conf. Proc. 707, 381.
GRAVLAB_HOST_DEVICE std::uint64_t hilbertKey(std::uint32_t x, std::uint32_t y, std::uint32_t z) {
    for (std::uint32_t bit = kTreeGrid / 2; bit > 1; bit >>= 1) {
        const std::uint32_t below = bit - 1;
        if (x & bit) x ^= below;
        if (y & bit) {
            x ^= below;
        } else {
            const std::uint32_t swap = (x ^ y) & below;
            x ^= swap;
            y ^= swap;
        }
        if (z & bit) {
            x ^= below;
        } else {
            const std::uint32_t swap = (x ^ z) & below;
            x ^= swap;
            z ^= swap;
        }
    }
    y ^= x;
    z ^= y;
    // Flip each bit by the parity of the bits of z above it.
    std::uint32_t turn = z >> 1;
    for (int step = 1; step < 32; step *= 2) turn ^= turn >> step;
    return mortonKey(x ^ turn, y ^ turn, z ^ turn);
}

/// Number of levels at which two keys are in one cube: 0 to kTreeLevels.
GRAVLAB_HOST_DEVICE int commonLevels(std::uint64_t a, std::uint64_t b) {
    const std::uint64_t different = a ^ b;
    if (different == 0) return kTreeLevels;
#if defined(__CUDA_ARCH__)
    const int zeros = __clzll(static_cast<long long>(different));
#else
    const int zeros = std::countl_zero(different);
#endif
    return (zeros - (64 - kTreeKeyBits)) / 3;
}

}  // namespace gravlab
