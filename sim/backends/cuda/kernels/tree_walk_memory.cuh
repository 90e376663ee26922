// What the walk of the tree has in shared memory, see tree_walker.cuh.
#pragma once
#include "sim/backends/cuda/kernels/tree.h"
#include "sim/tree/cell.h"

#include <cstddef>
#include <cstdint>

namespace gravlab::cuda {

constexpr unsigned kAll = ~0u;
constexpr int kWarps = kWalkThreads / 32;
/// A pop of nodes gives at most seven more each; where the stack fills, fewer are popped, down to one, and from there on
/// depth first needs seven a level.
constexpr int kStack = 1024, kSpare = 7 * kTreeDepths + 32;
constexpr int kList = 64;
/// Of warps that take a group together.
constexpr int kTeamStack = 2048, kTeamList = 512;
/// Nodes that so many lanes pop at once from a stack of that length.
template <int kLength, int kLanes>
__device__ __forceinline__ std::uint32_t toPop(std::uint32_t depth) {
    const int room = (kLength - kSpare - static_cast<int>(depth)) / 7;
    return min(depth, static_cast<std::uint32_t>(max(1, min(kLanes, room))));
}

/// Vectors that a cell takes there: of charges, its dipole as well.
constexpr int cellVectors(TreeLaw law) { return law == TreeLaw::charges ? 4 : 3; }

/// What a warp has in shared memory.
template <TreeLaw kLaw>
struct WarpMemory {
    float4 stage[32 * cellVectors(kLaw)];  ///< 32 cells, or 32 bodies
    std::uint32_t stack[kStack];
    std::uint32_t list[4][kList];
};
/// What the warps of a team share.
struct TeamMemory {
    std::uint32_t stack[kTeamStack];
    std::uint32_t list[4][kTeamList];
    uint2 found[2][kWarps];  ///< by a warp, in this round and the one before: for each list a byte, and children
    std::uint32_t group;
};
/// And what each has beside it; at the end its sums.
struct TeamStage {
    float4 stage[96];
};
enum List { kBodies, kCells, kLow, kHigh };

/// Addresses in shared memory that the compiler keeps in a register: it would compute them anew at each use.
class Shared {
public:
    __device__ explicit Shared(const void* memory) {
        const auto address = static_cast<unsigned>(__cvta_generic_to_shared(memory));
        asm volatile("mov.u32 %0, %1;" : "=r"(base_) : "r"(address));
    }
    __device__ __forceinline__ void store(unsigned offset, std::uint32_t value) const {
        asm volatile("st.shared.u32 [%0], %1;" ::"r"(base_ + offset), "r"(value) : "memory");
    }
    __device__ __forceinline__ std::uint32_t load(unsigned offset) const {
        std::uint32_t value;
        asm volatile("ld.shared.u32 %0, [%1];" : "=r"(value) : "r"(base_ + offset) : "memory");
        return value;
    }
    __device__ __forceinline__ void store(unsigned offset, const float4& v) const {
        asm volatile("st.shared.v4.f32 [%0], {%1, %2, %3, %4};" ::"r"(base_ + offset), "f"(v.x), "f"(v.y), "f"(v.z), "f"(v.w)
                     : "memory");
    }
    template <unsigned kOffset>
    static __device__ __forceinline__ float4 load4(unsigned address) {
        float4 v;
        asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4+%5];"
                     : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
                     : "r"(address), "n"(kOffset)
                     : "memory");
        return v;
    }
    static __device__ __forceinline__ float loadFloat(unsigned address) {
        float value;
        asm volatile("ld.shared.f32 %0, [%1];" : "=f"(value) : "r"(address) : "memory");
        return value;
    }
    __device__ __forceinline__ unsigned at(unsigned offset) const { return base_ + offset; }

private:
    unsigned base_;
};
constexpr unsigned kTermsAt = 256;  ///< in a stage at the end: behind the terms of an expansion
static_assert(kTermsAt >= 4 * kExpansionTerms);
constexpr unsigned kTeamListAt = kTeamStack * 4, kTeamFoundAt = kTeamListAt + 4 * kTeamList * 4;
static_assert(offsetof(TeamMemory, found) == kTeamFoundAt);

__device__ __forceinline__ int asInt(float x) { return __float_as_int(x); }

__device__ __forceinline__ float warpMin(float x) {
    for (int lane = 16; lane > 0; lane /= 2) x = fminf(x, __shfl_xor_sync(kAll, x, lane));
    return x;
}
__device__ __forceinline__ float warpMax(float x) {
    for (int lane = 16; lane > 0; lane /= 2) x = fmaxf(x, __shfl_xor_sync(kAll, x, lane));
    return x;
}
__device__ __forceinline__ float warpSum(float x) {
    for (int lane = 16; lane > 0; lane /= 2) x += __shfl_xor_sync(kAll, x, lane);
    return x;
}

/// What lengths of an expansion are multiplied by. A power of two, so that scaling rounds nothing; bounded, so that far
/// cells keep their second moments.
__device__ __forceinline__ float expansionUnit(float radius) {
    return exp2f(static_cast<float>(max(0, min(12, -ilogbf(fmaxf(radius, 1e-6f))))));
}

}  // namespace gravlab::cuda
