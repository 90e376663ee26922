// Force kernels as the host sees them: what one launch is told, and which machine code belongs to which settings.
// Rule: the order in which a target's sources are summed depends on block and split alone, never on how work is cut.
#pragma once
#include "sim/kernel.h"
#include "sim/particles.h"

#include <cstddef>
#include <cstdint>

namespace gravlab::cuda {

/// Sources whose forces are added in single precision before the sum goes into a double: short enough that a dominant
/// body costs its neighbours in the sum no more than 1e-6 (disc with a central mass at 1M: 99.9 % within 3e-6 with 256).
constexpr int kSumChunk = 128;

/// One launch: some targets against a slice of the sources. The sources are dealt to grid.y ranges of equal length; a
/// slice is the same stretch of each range. Device memory throughout.
struct ForceTask {
    const Float4* bodies;  ///< x, y, z [L]; w = mass [M]
    Float4* sums;          ///< of range r, target i: sums[r * bodies + i], x, y, z [L/T^2]; written by the last slice
    double* carry;         ///< running sums between slices: carry[(3 r + axis) * targetCount + i - targetFirst]
    std::uint32_t count;   ///< bodies
    std::uint32_t targetFirst, targetCount;
    std::uint32_t rangeLength;              ///< sources in a range; the last ranges may be shorter or empty
    std::uint32_t sliceFirst, sliceLength;  ///< within each range; both multiples of the block, but for the range's end
    float softeningSquared;                 ///< [L^2], already raised to the floor
    bool resumes, finishes;                 ///< reads carry; writes sums instead of carry
};

/// The tiled kernel: threads x bodiesPerThread targets a block, tiles of one body a thread in dynamic shared memory.
/// Null for factors that are not built.
const void* tiledKernel(int unroll, int bodiesPerThread);

/// Some kernel of this build, to ask the driver whether it has code for a device.
const void* probeKernel();

/// fp64 accelerations of sampled bodies by a plain loop on the device, against what a kernel gave. One block a target.
struct CheckTask {
    const Float4* bodies;
    const Float4* accelerations;   ///< by the kernel under test
    const std::uint32_t* targets;  ///< body indices, one a block
    Float4* result;                ///< x, y, z = difference to fp64; w = length of the fp64 acceleration
    std::uint32_t count;
    double softeningSquared;
};
const void* checkKernel();
constexpr unsigned kCheckThreads = 256;

}  // namespace gravlab::cuda
