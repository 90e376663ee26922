// The first half of the walk: the interaction lists of a group of targets. Nodes are tested 32 at a time, a lane each, and
// put into lists: leaves whose bodies act one by one, cells, and cells for the expansion of either order. tree_walker.cuh
// evaluates them. Rule: the order of a group's lists depends on the tree alone, so its sums are the same bits on any warp.
#pragma once
#include "sim/backends/cuda/kernels/pair.cuh"
#include "sim/backends/cuda/kernels/tree.h"

#include <cstddef>
#include <cstdint>

namespace gravlab::cuda {

constexpr unsigned kAll = ~0u;
constexpr int kWarps = kWalkThreads / 32;
/// A popped node pushes at most eight children, seven more than before. Where the stack is nearly full, fewer nodes are
/// popped, down to one; the depth-first walk then needs seven a level.
constexpr int kStack = 1024, kSpare = 7 * kTreeDepths + 32;
constexpr int kList = 64;
/// Lengths of the stack and lists of warps that walk for one group together.
constexpr int kTeamStack = 2048, kTeamList = 512;
/// Nodes that kLanes lanes pop at once from a stack of length kLength.
template <int kLength, int kLanes>
__device__ __forceinline__ std::uint32_t toPop(std::uint32_t depth) {
    const int room = (kLength - kSpare - static_cast<int>(depth)) / 7;
    return min(depth, static_cast<std::uint32_t>(max(1, min(kLanes, room))));
}

/// Vectors of a cell in the stage: for charges, its dipole as well.
constexpr int cellVectors(TreeLaw law) { return law == TreeLaw::charges ? 4 : 3; }

/// Shared memory of a warp.
template <TreeLaw kLaw>
struct WarpMemory {
    float4 stage[32 * cellVectors(kLaw)];  ///< 32 cells, or 32 bodies
    std::uint32_t stack[kStack];
    std::uint32_t list[4][kList];
};
/// Shared memory of the warps of a team.
struct TeamMemory {
    std::uint32_t stack[kTeamStack];
    std::uint32_t list[4][kTeamList];
    uint2 found[2][kWarps];  ///< counts of a warp, in this round and the last: for each list a byte, and children
    std::uint32_t group;
};
/// Shared memory of each warp of a team in addition; at the end it holds the warp's sums.
struct TeamStage {
    float4 stage[96];
};
enum List { kBodies, kCells, kLow, kHigh };

/// An address in shared memory that the compiler keeps in a register: otherwise it would compute it again at each use.
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
constexpr unsigned kTermsAt = 256;  ///< in a stage at the end: after the terms of an expansion
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

/// Factor of an expansion's lengths. It is a power of two, so that scaling rounds nothing, and bounded, so that far cells
/// keep their second moments.
__device__ __forceinline__ float expansionUnit(float radius) {
    return exp2f(static_cast<float>(max(0, min(12, -ilogbf(fmaxf(radius, 1e-6f))))));
}

template <TreeLaw kLaw>
struct OfLaw {
    using Task = WalkTask;
    using Field = GravityField<float>;
    using Criterion = GroupCriterion<float>;
};
template <>
struct OfLaw<TreeLaw::charges> {
    using Task = ChargesWalkTask;
    using Field = GravityField<float>;
    using Criterion = ChargesCriterion<float>;
};
template <>
struct OfLaw<TreeLaw::power> {
    using Task = PowerWalkTask;
    using Field = PowerField<float>;
    using Criterion = PowerCriterion<float>;
};

/// State of a warp for its group, in registers, for both halves of the walk.
template <TreeLaw kLaw, int kTargets>
struct WalkState {
    using Task = typename OfLaw<kLaw>::Task;
    using Field = typename OfLaw<kLaw>::Field;

    __device__ WalkState(const Task& task, const void* memory, const void* team)
        : task_(task),
          memory_(memory),
          team_(team ? team : memory),
          lane_(threadIdx.x % 32),
          below_((1u << lane_) - 1),
          field_(fieldOf(task)) {}

    __device__ static Field fieldOf(const Task& task) {
        if constexpr (kLaw == TreeLaw::power)
            return task.field;
        else
            return {};
    }

    const Task& task_;
    Shared memory_, team_;
    std::uint32_t lane_;
    unsigned below_;
    Field field_;
    typename OfLaw<kLaw>::Criterion criterion_{};
    std::uint32_t place_[kTargets];
    float at_[kTargets][3], sum_[kTargets][3];
    float centre_[3], half_[3];  ///< centre and half sides of the targets' box
    FieldExpansion<float> expansion_;
    float atCentre_;                     ///< the field at the centre, for the energy; for charges, sizes of pulls
    float size_[kTargets];               ///< for charges: sizes of pulls
    std::uint32_t neighbour_[kTargets];  ///< place of the neighbour
    float unit_;                         ///< factor of the expansion's lengths
    int length_[4];                      ///< lengths of the lists
    unsigned counted_[4], visited_;      ///< counts of this group
    unsigned round_ = 0;                 ///< round of a team
    int next_ = 0;                       ///< next entry of this warp's segment of a team's list
};

/// Lists of one warp, or of the kTeam warps of a block that walk for one group together and share stack and lists.
template <TreeLaw kLaw, TreeWalk kWalk, int kTargets, int kTeam>
class GroupLists : protected WalkState<kLaw, kTargets> {
protected:
    using State = WalkState<kLaw, kTargets>;
    using State::lane_, State::below_, State::memory_, State::team_, State::task_, State::criterion_, State::centre_,
        State::half_;
    using State::length_, State::round_, State::next_, State::visited_;
    using State::State;
    static constexpr unsigned kCellBytes = cellVectors(kLaw) * sizeof(float4);
    static constexpr unsigned kStageBytes = 32 * kCellBytes, kStackAt = kStageBytes, kListAt = kStackAt + kStack * 4;
    static_assert(sizeof(WarpMemory<kLaw>) == kListAt + 4 * kList * 4);
    static constexpr bool kTogether = kTeam > 1;
    static constexpr bool kTheta = byAngle(kWalk);
    static constexpr bool kExpands = kWalk == TreeWalk::expansions;

    /// Calls `evaluate` after each visit, until no node waits.
    template <class Evaluate>
    __device__ __forceinline__ void descend(const Evaluate& evaluate) {
        std::uint32_t depth = 1;
        if (lane_ == 0) memory_.store(kStackAt, 0u);
        while (depth > 0) {
            const std::uint32_t take = toPop<kStack, 32>(depth);
            bool has;
            const std::uint32_t id = pop(depth, take, has);
            depth = visit(id, has, depth);
            evaluate();
            visited_ += take;
        }
    }
    /// The same with all warps of a block.
    template <class Evaluate>
    __device__ __forceinline__ void descendTogether(const Evaluate& evaluate) {
        std::uint32_t depth = 1;
        if (threadIdx.x == 0) team_.store(0, 0u);
        for (round_ = 0; depth > 0; ++round_) {
            const std::uint32_t take = toPop<kTeamStack, 32 * kTeam>(depth);
            __syncthreads();
            depth -= take;
            const bool has = threadIdx.x < take;
            const std::uint32_t id = has ? team_.load(4 * (depth + threadIdx.x)) : 0;
            depth = visit(id, has, depth);
            evaluate();
            visited_ += min(32u, take - min(take, threadIdx.x - lane_));
        }
    }

    /// Pops `count` nodes from the stack, a lane each; `has`: this lane has one.
    __device__ __forceinline__ std::uint32_t pop(std::uint32_t& depth, std::uint32_t count, bool& has) const {
        __syncwarp();
        depth -= count;
        has = lane_ < count;
        const std::uint32_t id = has ? memory_.load(kStackAt + 4 * (depth + lane_)) : 0;
        __syncwarp();
        return id;
    }
    __device__ __forceinline__ void push(std::uint32_t depth, std::uint32_t child, unsigned children) const {
#pragma unroll
        for (unsigned k = 0; k < 8; ++k)
            if (k < children) {
                if constexpr (kTogether)
                    team_.store(4 * (depth + k), child + k);
                else
                    memory_.store(kStackAt + 4 * (depth + k), child + k);
            }
    }
    /// Sums the children of the lanes before this one, and of all lanes.
    __device__ __forceinline__ void countChildren(unsigned children, unsigned& before, unsigned& all) const {
#pragma unroll
        for (int bit = 0; bit < 4; ++bit) {
            const unsigned lanes = __ballot_sync(kAll, children >> bit & 1);
            before += __popc(lanes & below_) << bit;
            all += __popc(lanes) << bit;
        }
    }

    __device__ __forceinline__ void append(List list, bool mine, std::uint32_t id) {
        const unsigned all = __ballot_sync(kAll, mine);
        if (mine) memory_.store(kListAt + 4 * (kList * list + length_[list] + __popc(all & below_)), id);
        length_[list] += __popc(all);
    }

    /// Tests a node a lane and puts the nodes into lists; returns the stack's new depth.
    __device__ __forceinline__ std::uint32_t visit(std::uint32_t id, bool has, std::uint32_t depth) {
        const float4 a = asVectors(task_.nodes.centre)[2ull * id], b = asVectors(task_.nodes.centre)[2ull * id + 1];
        const float cx = fabsf(a.x - centre_[0]), cy = fabsf(a.y - centre_[1]), cz = fabsf(a.z - centre_[2]);
        const float x = fmaxf(cx - half_[0], 0.f), y = fmaxf(cy - half_[1], 0.f), z = fmaxf(cz - half_[2], 0.f);
        const float squared = x * x + y * y + z * z;
        const int children = asInt(b.w);
        const bool apart = static_cast<int>(has) & static_cast<int>(squared > 0);
        const auto [low, high, cell, open] =
            dealt<kExpands, kTheta>(criterion_, TestedNode<float, bool>{has, apart, squared, cx * cx + cy * cy + cz * cz,
                                                                        b.x, fabsf(a.w), b.y, children + 2u > 2u});
        const bool leaf = static_cast<int>(open) & static_cast<int>(children < 0);
        const auto opened = static_cast<unsigned>(open ? max(children, 0) : 0);
        unsigned before = 0, all = 0;
        countChildren(opened, before, all);
        if constexpr (kTogether) {
            const unsigned mine[4] = {__ballot_sync(kAll, leaf), __ballot_sync(kAll, cell), __ballot_sync(kAll, low),
                                      __ballot_sync(kAll, high)};
            // The counts of all warps are at most 128 each, so they fit a byte.
            unsigned found = 0, lists = 0, lengths = 0;
            for (int list = 0; list < 4; ++list) found |= __popc(mine[list]) << 8 * list;
            const unsigned slots = kTeamFoundAt + 8 * kTeam * (round_ & 1);
            if (lane_ == 0) {
                team_.store(slots + threadIdx.x / 32 * 8, found);
                team_.store(slots + threadIdx.x / 32 * 8 + 4, all);
            }
            __syncthreads();
            all = 0;
#pragma unroll
            for (unsigned warp = 0; warp < kTeam; ++warp) {
                const unsigned theirs = team_.load(slots + 8 * warp), children = team_.load(slots + 8 * warp + 4);
                lists += warp < threadIdx.x / 32 ? theirs : 0;
                before += warp < threadIdx.x / 32 ? children : 0;
                lengths += theirs;
                all += children;
            }
            const bool flags[4] = {leaf, cell, low, high};
#pragma unroll
            for (int list = 0; list < 4; ++list) {
                const unsigned at = length_[list] + (lists >> 8 * list & 255) + __popc(mine[list] & below_);
                if (flags[list]) team_.store(kTeamListAt + 4 * (kTeamList * list + at), id);
                length_[list] += static_cast<int>(lengths >> 8 * list & 255);
            }
        } else {
            if constexpr (kExpands) {
                append(kLow, low, id);
                append(kHigh, high, id);
            }
            append(kCells, cell, id);
            append(kBodies, leaf, id);
        }
        const auto child = static_cast<std::uint32_t>(asInt(b.z));
        push(depth + before, child, opened);
        __syncwarp();
        return depth + all;
    }

    /// The last `n` entries of a list, a lane each; for a team, the next entries of this warp's segment of the list.
    __device__ __forceinline__ std::uint32_t taken(List list, int n) {
        if constexpr (kTogether) {
            const int at = next_ + (static_cast<int>(lane_) < n ? static_cast<int>(lane_) : 0);
            next_ += n;
            return team_.load(kTeamListAt + 4 * (kTeamList * list + at));
        }
        length_[list] -= n;
        const std::uint32_t id =
            memory_.load(kListAt + 4 * (kList * list + length_[list] + (static_cast<int>(lane_) < n ? lane_ : 0)));
        __syncwarp();
        return id;
    }
};

}  // namespace gravlab::cuda
