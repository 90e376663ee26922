// The first half of the walk: what a group of targets has to compute. Nodes are tested 32 at a time, a lane each, and dealt
// to lists: leaves whose bodies act one by one, cells, and cells for the expansion of either order; tree_walker.cuh
// evaluates them. Rule: the lists of a group are in an order that the tree decides, so its sums are the same bits whoever
// computes them.
#pragma once
#include "sim/backends/cuda/kernels/pair.cuh"
#include "sim/backends/cuda/kernels/tree.h"
#include "sim/backends/cuda/kernels/tree_walk_memory.cuh"

#include <cstdint>

namespace gravlab::cuda {

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

/// Of one warp, or of the kTeam warps of a block that take a group together and share stack and lists.
template <TreeLaw kLaw, TreeWalk kWalk, int kTeam = 1>
class GroupLists {
protected:
    using Task = typename OfLaw<kLaw>::Task;
    static constexpr unsigned kCellBytes = cellVectors(kLaw) * sizeof(float4);
    static constexpr unsigned kStageBytes = 32 * kCellBytes, kStackAt = kStageBytes, kListAt = kStackAt + kStack * 4;
    static_assert(sizeof(WarpMemory<kLaw>) == kListAt + 4 * kList * 4);
    static constexpr bool kTogether = kTeam > 1;
    static constexpr bool kTheta = byAngle(kWalk);
    static constexpr bool kExpands = kWalk == TreeWalk::expansions;

    /// `memory` begins with what this warp has for itself, `team` with what all of its team share.
    __device__ GroupLists(const Task& task, const void* memory, const void* team)
        : task_(task), memory_(memory), team_(team ? team : memory), lane_(threadIdx.x % 32), below_((1u << lane_) - 1) {}

    /// Calls `evaluate` after each visit, until no node waits.
    template <class Evaluate>
    __device__ __forceinline__ void descend(const Evaluate& evaluate) {
        std::uint32_t depth = 1, id = 0;
        if (lane_ == 0) memory_.store(kStackAt, 0u);
        while (depth > 0) {
            const std::uint32_t take = toPop<kStack, 32>(depth);
            const bool has = pop(depth, take, id);
            depth = visit(id, has, depth);
            evaluate();
            visited_ += take;
        }
    }
    /// The same of all warps of a block.
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

    /// Takes `count` nodes from the stack, a lane each; gives whether this lane has one.
    __device__ __forceinline__ bool pop(std::uint32_t& depth, std::uint32_t count, std::uint32_t& id) const {
        __syncwarp();
        depth -= count;
        const bool has = lane_ < count;
        id = has ? memory_.load(kStackAt + 4 * (depth + lane_)) : 0;
        __syncwarp();
        return has;
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
    /// Sums of the children of the lanes before this one, and of all lanes.
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

    /// Tests a node a lane and deals them out; gives the stack's new depth.
    __device__ __forceinline__ std::uint32_t visit(std::uint32_t id, bool has, std::uint32_t depth) {
        const float4 a = asVectors(task_.nodes.centre)[2ull * id], b = asVectors(task_.nodes.centre)[2ull * id + 1];
        const float cx = fabsf(a.x - centre_[0]), cy = fabsf(a.y - centre_[1]), cz = fabsf(a.z - centre_[2]);
        const float x = fmaxf(cx - half_[0], 0.f), y = fmaxf(cy - half_[1], 0.f), z = fmaxf(cz - half_[2], 0.f);
        const float squared = x * x + y * y + z * z;
        const int children = asInt(b.w);
        bool open = has, low = false, high = false;
        if constexpr (kExpands) {
            const Expanded expanded = expandsCell(criterion_, cx * cx + cy * cy + cz * cz, b.x, fabsf(a.w), b.y);
            const bool apart = static_cast<int>(has) & static_cast<int>(squared > 0);
            low = static_cast<int>(apart) & static_cast<int>(expanded == Expanded::low);
            high = static_cast<int>(apart) & static_cast<int>(expanded == Expanded::high);
            open = open && !low && !high;
        }
        // One or two bodies cost less than a cell, and a cell of one would meet itself.
        const bool accepted = acceptsCell<kTheta>(criterion_, squared, b.x, b.y), several = children + 2u > 2u;
        const bool cell = static_cast<int>(open) & static_cast<int>(several) & static_cast<int>(accepted);
        open = open && !cell;
        const bool leaf = static_cast<int>(open) & static_cast<int>(children < 0);
        const unsigned opened = static_cast<unsigned>(open ? max(children, 0) : 0);
        unsigned before = 0, all = 0;
        countChildren(opened, before, all);
        if constexpr (kTogether) {
            const unsigned mine[4] = {__ballot_sync(kAll, leaf), __ballot_sync(kAll, cell), __ballot_sync(kAll, low),
                                      __ballot_sync(kAll, high)};
            // Of all warps at most 128 each: a byte.
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

    /// The last `n` of a list, a lane each; of a team's list the next ones of this warp's part.
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

    const Task& task_;
    Shared memory_, team_;
    std::uint32_t lane_;
    unsigned below_;
    typename OfLaw<kLaw>::Criterion criterion_{};
    float centre_[3], half_[3];  ///< of the targets' box
    int length_[4];              ///< of the lists
    unsigned visited_;           ///< nodes
    unsigned round_ = 0;         ///< of a team
    int next_ = 0;               ///< of this warp's part of a team's list
};

}  // namespace gravlab::cuda
