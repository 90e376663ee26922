// Force kernels as the host sees them: the parameters of a launch, and the machine code for given settings.
// Rule: the order in which a target's sources are summed depends on block and split alone, never on the slices.
#pragma once
#include "sim/backends/cuda/kernels/factors.h"
#include "sim/backends/cuda/kernels/integrate.h"
#include "sim/backends/cuda/kernels/packed.h"
#include "sim/backends/cuda/runtime/launch.h"
#include "sim/forces/law.h"
#include "sim/integrators/active_bodies.h"

#include <cstddef>
#include <cstdint>
#include <tuple>

namespace gravlab::cuda {

/// Sources whose forces are added in single precision before the sum goes into a double: short enough that a dominant
/// body costs its neighbours in the sum no more than 1e-6 (disc with a central mass at 1M: 99.9 % within 3e-6 with 256).
constexpr int kSumChunk = 128;

/// One launch of a one-sided kernel: it sums a slice of the sources for some targets. The sources are divided into grid.y
/// ranges of equal length; a slice is the same interval of each range. All pointers are device memory.
template <class Real>
struct ForceTask {
    const Vec4<Real>* bodies;  ///< x, y, z [L]; w = mass [M]
    const Real* copies;        ///< the same in the layout of some rows, see CopiesTask; else null
    Vec4<Real>* sums;          ///< of range r, target i: sums[r * stride + i], x, y, z [L/T^2]; written by the last slice
    double* carry;             ///< running sums between slices: carry[(3 r + axis) * targetCount + i - targetFirst]
    std::uint32_t count;       ///< bodies
    std::uint32_t targetFirst, targetCount;
    std::uint32_t rangeLength;              ///< sources in a range; the last ranges may be shorter or empty
    std::uint32_t sliceFirst, sliceLength;  ///< within each range; both multiples of the block, but for the range's end
    Real softeningSquared;                  ///< [L^2], already raised to the floor
    bool resumes, finishes;                 ///< reads carry; writes sums instead of carry
    std::uint32_t segments;                 ///< groups of a block's threads with the same targets, a range each; mostly 1
    bool atomic;                            ///< ranges are added to sums[i] by atomics, in no fixed order
    // These fields are last: an offset that changes would change the machine code of the rows' loops.
    const Vec4<Real>* targets;  ///< the bodies, or a copy of some of them
    std::uint32_t stride;       ///< between ranges in sums: count, or the number of targets
};

/// The tiled kernels: a block has threads x bodiesPerThread targets, and a tile in dynamic shared memory has one body a
/// thread. Null for factors that are not built.
template <class Real>
Kernel<ForceTask<Real>> tiledKernel(int unroll, int bodiesPerThread);

/// A tiled force under a law of sim/forces/law.h whose loops are not gravity's.
template <class Real, class Law>
struct LawTask {
    ForceTask<Real> force;
    Law law;
};
template <class Real, class Laws>
struct LawKernels;
template <class Real, template <class> class... PairLaws>
struct LawKernels<Real, LawList<PairLaws...>> {
    static std::tuple<Kernel<LawTask<Real, PairLaws<Real>>>...> of(int unroll);
};
/// The kernel for each of OtherLoopLaws. Null for factors that are not built.
template <class Real, class Law>
Kernel<LawTask<Real, Law>> lawKernel(int unroll) {
    return std::get<Kernel<LawTask<Real, Law>>>(LawKernels<Real, OtherLoopLaws>::of(unroll));
}

/// Calls `use` with the law where its loops are not gravity's; else does nothing. `smallestR2`: see smallestR2().
template <class Real, class Use>
void withLoopLaw(const ForceSettings& force, double smallestR2, Use&& use) {
    if (const Law law = loopLaw(force); law != Law::gravity)
        forLaw<OtherLoopLaws>(law, [&]<template <class> class PairLaw>() { use(PairLaw<Real>(force, smallestR2)); });
}

/// Turns sums of a term into accelerations where bodies respond differently or other terms act. One thread per body.
template <class Real>
struct RespondTask {
    const Vec4<Real>* sums;
    std::uint32_t ranges;
    const Vec4<Real>* velocities;  ///< w = response; null: all respond alike, by 1
    double sign;
    Vec4<Real>* out;  ///< may be `sums` where there is one range
    std::uint32_t count;
    bool adds = false;      ///< adds to the values in `out`
    ActiveBodies active{};  ///< other bodies are neither read nor written
};
template <class Real>
Kernel<RespondTask<Real>> respondKernel();

/// A tiled force and the pass that follows it, in one launch.
struct FusedTask {
    ForceTask<float> force;
    IntegrateTask<float> pass;
};
Kernel<FusedTask> fusedKernel(int unroll);

/// The lower rows have one thread per target. `constant` reads its slice from constantSources(), one chunk at most. Null for
/// factors that are not built.
Kernel<ForceTask<float>> aosKernel(int unroll);
Kernel<ForceTask<float>> globalKernel(int unroll);
Kernel<ForceTask<float>> soaKernel(int unroll);
Kernel<ForceTask<float>> float3Kernel(int unroll);
Kernel<ForceTask<float>> constantKernel(int unroll);
Kernel<ForceTask<float>> shuffleKernel(int unroll);

/// The lowest row: a block has `edge` * `edge` threads, one for each pair of a tile. Null for edges that are not built.
Kernel<ForceTask<float>> pairsKernel(int edge);
using PairEdges = Factors<8, 16, 32>;

/// The tiled kernel with a number of threads a block that is known at compile time. Null for numbers that are not built.
Kernel<ForceTask<float>> constantBlockKernel(int block);
using ConstantBlocks = Factors<32, 64, 128, 256, 512, 1024>;

/// The tiled kernel with another way to 1/r^3 than the hardware's estimate of 1/r, whose cube the other rows take. Null for
/// factors that are not built.
enum class CubeRoot {
    ofSixth,  ///< rsqrtf(r^6). With softening, r^6 is a normal fp32 number for r of 4.8e-7 to 2.6e6
    cubed,    ///< rsqrtf(r^2), cubed
    divided   ///< 1 / sqrtf(r^2), cubed
};
Kernel<ForceTask<float>> rootKernel(CubeRoot way, int unroll);
/// The tiled kernel with a tile of float3, 12 bytes per body, and the masses behind it.
Kernel<ForceTask<float>> tiledFloat3Kernel(int unroll);

/// The tiled kernel with all ranges of the sources in one block: `block` targets times `split` segments of threads. Its
/// dynamic shared memory holds a body a thread.
Kernel<ForceTask<float>> blockSplitKernel(int unroll);

/// This kernel is wrong on purpose: see the traps of the kernel table.
Kernel<ForceTask<float>> noBarrierKernel();
Kernel<ForceTask<float>> misreadKernel();

constexpr std::uint32_t kConstantSources = 4096;  ///< all of the 64 KiB that constant memory has
/// The symbol that `constant` reads, for cuda::symbolAddress().
const void* constantSources();

/// Copies positions and masses into the layout of a row. One thread per body.
struct CopiesTask {
    const Float4* bodies;
    float* copies;
    std::uint32_t count;
};
/// Makes four arrays of `count`, for `soa`.
Kernel<CopiesTask> planesKernel();
constexpr std::uint32_t kPlanes = 4;
/// Makes an array of `count` float3 and one of `count` masses behind it, for `float3`.
Kernel<CopiesTask> float3CopyKernel();
/// Struct without padding, for `aos`; fields that a force does not read are 0.
struct PackedBody {
    float x, y, z, vx, vy, vz, mass;
};
static_assert(sizeof(PackedBody) == 28);
Kernel<CopiesTask> packedKernel();

}  // namespace gravlab::cuda
