// Whole batches of leapfrog steps in one launch, as the host sees them: the division of N bodies among blocks, and the
// parameters of the kernel.
#pragma once
#include "sim/api/vectors.h"
#include "sim/backends/cuda/kernels/packed.h"
#include "sim/backends/cuda/runtime/launch.h"
#include "sim/core/vertex.h"

#include <cstddef>
#include <cstdint>

namespace gravlab::cuda {

constexpr int kManyStepsBodies = 8;     ///< targets that a warp holds in registers
constexpr int kManyStepsMaxWarps = 16;  ///< 512 threads: 127 registers each without spilling

/// Division of N bodies among blocks. It depends on N, the device and the most warps of a block only, so that sums of a
/// launch always have the same order.
struct ManyStepsPartition {
    int targets = 0;   ///< per block, a multiple of kManyStepsBodies
    int segments = 0;  ///< warps with the same group of targets, each with its own segment of the sources
    int blocks = 0;    ///< 0: too many bodies for one resident wave
    GRAVLAB_HOST_DEVICE int threads() const { return targets / kManyStepsBodies * segments * 32; }
    std::size_t sharedBytes() const {
        return sizeof(float) * 3 * static_cast<std::size_t>(targets) * static_cast<std::size_t>(segments);
    }
};
ManyStepsPartition manyStepsPartition(std::size_t count, int multiprocessors, int mostWarps = kManyStepsMaxWarps);

/// One launch; all blocks must be resident at once (a cooperative launch). Device memory.
struct ManyStepsTask {
    Float4 *positionsA, *positionsB;  ///< positions; the newest step ends in `positionsA` whatever `steps` is
    Float4* velocity;
    Float4* acceleration;  ///< forces at `positionsA` on entry and exit: leapfrog starts with a half kick
    std::uint32_t count;
    ManyStepsPartition partition;
    int steps;
    float timeStep;  ///< 0 where only the force at `positionsA` is wanted
    float softeningSquared;
    unsigned* arrived;         ///< arrivals of blocks over all launches; zero when `epoch` is 0
    unsigned epoch;            ///< steps of all launches before
    ParticleVertex* vertices;  ///< output: the vertices of the last step, or null
    VertexValue shown;
    bool onlyForce = false;     ///< stores accelerations and nothing else
    std::uint32_t sources;      ///< bodies that act on others, for the kernel of few sources
    const std::uint32_t* list;  ///< their indices; null: the first bodies
};
/// The kernel, for all bodies as sources or for few; null for unrolls that are not built.
Kernel<ManyStepsTask> manyStepsKernel(int unroll, bool few = false);

}  // namespace gravlab::cuda
