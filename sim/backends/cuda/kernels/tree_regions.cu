// The walk in two levels: a warp walks the tree for a region of groups, then a warp for each of its groups begins where the
// region stopped. Gravity alone; other laws, potentials and few bodies walk in one level. Rule: whether a group starts from
// its region's list follows from its number, so slices and repeats give the same bits.
#include "sim/backends/cuda/kernels/together.cuh"
#include "sim/backends/cuda/kernels/tree_regions.h"
#include "sim/backends/cuda/kernels/tree_walker.cuh"

namespace gravlab::cuda {
namespace {

/// Its targets are those of its groups; the lanes hold none.
class RegionWalker : Walker<TreeLaw::gravity, TreeWalk::expansions, 1> {
public:
    __device__ RegionWalker(const RegionTask& task, const void* memory) : Walker(task, memory), regions_(task) {}

    __device__ void walk(std::uint32_t region) {
        const std::uint32_t bodies = beginRegion(region);
        std::uint32_t* const list = regions_.lists + static_cast<std::uint64_t>(region) * regions_.nodes;
        std::uint32_t left = 0, depth = 1;
        if (lane_ == 0) memory_.store(kStackAt, 0u);
        while (depth > 0) {
            const std::uint32_t take = toPop<kStack, 32>(depth);
            const bool mayOpen = regionMayOpen(left, depth, take, regions_.nodes);
            bool has;
            const std::uint32_t id = pop(depth, take, has);
            depth = visitForRegion(id, has, depth, mayOpen, list, left);
            expandLonger<31>();
            visited_ += take;
        }
        expandLonger<0>();
        endRegion(region, bodies, left);
    }

private:
    /// Calls `each` with the places of this lane's bodies; `group` is what this lane holds: the lane's group of the region.
    template <class Each>
    __device__ __forceinline__ void forBodies(TreeGroup group, const Each& each) const {
#pragma unroll 4
        for (int k = 0; k < static_cast<int>(kRegionGroups); ++k) {
            const std::uint32_t first = __shfl_sync(kAll, group.first, k), count = __shfl_sync(kAll, group.count, k);
#pragma unroll
            for (std::uint32_t half = 0; half < kTreeGroup / 32; ++half)
                if (lane_ + 32 * half < count) each(first + lane_ + 32 * half);
        }
    }

    /// Begins a region and returns the number of its bodies.
    __device__ std::uint32_t beginRegion(std::uint32_t region) {
        static_assert(kRegionGroups <= 32);
        const std::uint32_t number = region * kRegionGroups + lane_;
        const bool one = lane_ < kRegionGroups && number < task_.facts->groups;
        const TreeGroup group = one ? task_.groups[number] : TreeGroup{0, 0};
        const TreeScale scale = *task_.scale;
        float low[3] = {3e38f, 3e38f, 3e38f}, high[3] = {-3e38f, -3e38f, -3e38f}, smallest = 3e38f;
        forBodies(group, [&](std::uint32_t place) {
            const float4 at = asVectors(task_.sorted)[place];
            const float xyz[3] = {at.x, at.y, at.z};
            for (int axis = 0; axis < 3; ++axis) {
                low[axis] = fminf(low[axis], xyz[axis]);
                high[axis] = fmaxf(high[axis], xyz[axis]);
            }
            smallest = fminf(smallest, task_.before[task_.order[place]]);
        });
        for (int axis = 0; axis < 3; ++axis) {
            low[axis] = warpMin(low[axis]);
            high[axis] = warpMax(high[axis]);
            centre_[axis] = 0.5f * (low[axis] + high[axis]);
            half_[axis] = fmaxf(high[axis] - centre_[axis], centre_[axis] - low[axis]);
        }
        float squared = 0;
        forBodies(group, [&](std::uint32_t place) {
            const float4 at = asVectors(task_.sorted)[place];
            const float x = at.x - centre_[0], y = at.y - centre_[1], z = at.z - centre_[2];
            squared = fmaxf(squared, x * x + y * y + z * z);
        });
        criterion_.opening = task_.opening;
        criterion_.limit = task_.share * fmaxf(warpMin(smallest), scale.smallest) / scale.acceleration;
        criterion_.radius = sqrtf(warpMax(squared));
        unit_ = expansionUnit(criterion_.radius);
        expansion_ = {};
        for (int& length : length_) length = 0;
        for (unsigned& counted : counted_) counted = 0;
        visited_ = 0;
        return warpSum(group.count);
    }

    /// Tests a node a lane; returns the stack's new depth. `left`: nodes in the list.
    __device__ __forceinline__ std::uint32_t visitForRegion(std::uint32_t id, bool has, std::uint32_t depth, bool mayOpen,
                                                            std::uint32_t* list, std::uint32_t& left) {
        const float4 a = asVectors(task_.nodes.centre)[2ull * id], b = asVectors(task_.nodes.centre)[2ull * id + 1];
        const float cx = fabsf(a.x - centre_[0]), cy = fabsf(a.y - centre_[1]), cz = fabsf(a.z - centre_[2]);
        const float x = fmaxf(cx - half_[0], 0.f), y = fmaxf(cy - half_[1], 0.f), z = fmaxf(cz - half_[2], 0.f);
        const int children = asInt(b.w);
        const RegionTest test = testForRegion(criterion_, x * x + y * y + z * z, cx * cx + cy * cy + cz * cz, b.x,
                                              fabsf(a.w), b.y, children, mayOpen);
        append(kLow, has && test == RegionTest::low, id);
        append(kHigh, has && test == RegionTest::high, id);
        const bool stays = has && test == RegionTest::left;
        const unsigned staying = __ballot_sync(kAll, stays);
        if (stays) list[left + __popc(staying & below_)] = id;
        left += __popc(staying);
        const unsigned opened = has && test == RegionTest::opened ? static_cast<unsigned>(children) : 0;
        unsigned before = 0, all = 0;
        countChildren(opened, before, all);
        const auto child = static_cast<std::uint32_t>(asInt(b.z));
        push(depth + before, child, opened);
        __syncwarp();
        return depth + all;
    }

    __device__ void endRegion(std::uint32_t region, std::uint32_t bodies, std::uint32_t left) {
        float* terms = expansion_.first;
        static_assert(sizeof expansion_ == kExpansionTerms * sizeof(float));
        float numbers[sizeof(RegionField) / sizeof(float)] = {};
#pragma unroll
        for (int k = 0; k < kExpansionTerms; ++k) numbers[k] = warpSum(terms[k]);
        if (lane_ > 0) return;
#pragma unroll
        for (int axis = 0; axis < 3; ++axis) numbers[kExpansionTerms + axis] = centre_[axis];
        numbers[kExpansionTerms + 3] = unit_;
        numbers[kExpansionTerms + 4] = __uint_as_float(left);
        float4* field = reinterpret_cast<float4*>(regions_.fields + region);
#pragma unroll
        for (unsigned k = 0; k < sizeof(RegionField) / sizeof(float4); ++k)
            field[k] = {numbers[4 * k], numbers[4 * k + 1], numbers[4 * k + 2], numbers[4 * k + 3]};
        const unsigned long long targets = bodies;
        atomicAdd(&task_.counts->expandedLow, targets * counted_[kLow]);
        atomicAdd(&task_.counts->expandedHigh, targets * counted_[kHigh]);
        atomicAdd(&task_.counts->visited, static_cast<unsigned long long>(visited_));
    }

    const RegionTask& regions_;
};

/// Position of a group in its region's list, in shared memory after that of the walk, so that it needs no registers.
struct BelowMemory {
    WarpMemory<TreeLaw::gravity> walk;
    std::uint32_t region, next, end;  ///< nodes [next, end) of the list are still to be read
};

/// A group that begins where its region stopped.
class BelowRegion : Walker<TreeLaw::gravity, TreeWalk::expansions, kTreeGroup / 32> {
    static constexpr unsigned kRegionAt = offsetof(BelowMemory, region), kNextAt = offsetof(BelowMemory, next),
                              kEndAt = offsetof(BelowMemory, end);
    static constexpr std::uint32_t kFill = 256;  ///< nodes that are read from the list at a time
    static_assert(kFill + 32 + 7 * 32 + kSpare <= kStack, "then 32 may be popped, whatever they are opened for");

public:
    __device__ BelowRegion(const RegionTask& task, const BelowMemory* memory) : Walker(task, memory), regions_(task) {}

    __device__ void walk(TreeGroup group, std::uint32_t region) {
        begin(group);
        const bool listed = region < regions_.regions;
        if (listed) addRegionPull(region);
        __syncwarp();
        if (lane_ == 0) {
            memory_.store(kStackAt, 0u);
            memory_.store(kRegionAt, region);
            memory_.store(kNextAt, 0u);
            memory_.store(kEndAt, listed ? regions_.fields[region].left : 0u);
        }
        std::uint32_t depth = listed ? 0 : 1;
        for (;;) {
            if (depth < 32) depth = fill(depth);
            if (depth == 0) break;
            const std::uint32_t take = toPop<kStack, 32>(depth);
            bool has;
            const std::uint32_t id = pop(depth, take, has);
            depth = visit(id, has, depth);
            evaluateLonger<31>();
            visited_ += take;
        }
        evaluateLonger<0>();
        end(group);
    }

private:
    /// Reads nodes from the list; returns the stack's new depth.
    __device__ __forceinline__ std::uint32_t fill(std::uint32_t depth) {
        __syncwarp();
        const std::uint32_t next = memory_.load(kNextAt), more = min(memory_.load(kEndAt) - next, kFill);
        if (more == 0) return depth;
        const std::uint32_t* list =
            regions_.lists + static_cast<std::uint64_t>(memory_.load(kRegionAt)) * regions_.nodes + next;
        __syncwarp();
        for (std::uint32_t k = lane_; k < more; k += 32) memory_.store(kStackAt + 4 * (depth + k), list[k]);
        if (lane_ == 0) memory_.store(kNextAt, next + more);
        return depth + more;
    }

    /// Adds the region's expansion at this lane's targets: a polynomial is the same about any centre, and this costs less
    /// than a shift of it to the group's centre.
    __device__ void addRegionPull(std::uint32_t region) {
        const float4* field = reinterpret_cast<const float4*>(regions_.fields + region);
        float numbers[sizeof(RegionField) / sizeof(float)];
#pragma unroll
        for (unsigned k = 0; k < sizeof(RegionField) / sizeof(float4); ++k) {
            const float4 four = field[k];
            numbers[4 * k] = four.x;
            numbers[4 * k + 1] = four.y;
            numbers[4 * k + 2] = four.z;
            numbers[4 * k + 3] = four.w;
        }
        FieldExpansion<float> expansion;
        float* terms = expansion.first;
#pragma unroll
        for (int k = 0; k < kExpansionTerms; ++k) terms[k] = numbers[k];
        const float* centre = numbers + kExpansionTerms;
        const float unit = numbers[kExpansionTerms + 3];
#pragma unroll
        for (unsigned t = 0; t < kTreeGroup / 32; ++t) {
            float far[3] = {};
            addExpandedPull<true>(far, expansion, unit * (at_[t][0] - centre[0]), unit * (at_[t][1] - centre[1]),
                                  unit * (at_[t][2] - centre[2]));
            for (int axis = 0; axis < 3; ++axis) sum_[t][axis] += unit * unit * far[axis];
        }
    }

    const RegionTask& regions_;
};

/// This launch's slice, in regions.
struct Share {
    std::uint32_t first, end;
    __device__ explicit Share(const RegionTask& task) {
        const std::uint64_t all = (task.facts->groups + kRegionGroups - 1) / kRegionGroups;
        first = static_cast<std::uint32_t>(all * task.firstPart / kTreeParts);
        end = static_cast<std::uint32_t>(all * task.lastPart / kTreeParts);
    }
};

/// Gives each warp the next number of `next`.
__device__ __forceinline__ std::uint32_t taken(std::uint32_t* next) {
    std::uint32_t k = 0;
    if (threadIdx.x % 32 == 0) k = atomicAdd(next, 1u);
    return __shfl_sync(kAll, k, 0);
}

__global__ void __launch_bounds__(kWalkThreads, 4) walkRegions(const __grid_constant__ RegionTask task) {
    __shared__ WarpMemory<TreeLaw::gravity> memory[kWarps];
    RegionWalker walker(task, memory + threadIdx.x / 32);
    const Share share(task);
    const std::uint32_t end = min(share.end, task.regions);
    for (;;) {
        const std::uint32_t k = taken(task.nextField);
        if (share.first + k >= end) break;
        // The order is from the end, like that of groups.
        walker.walk(end - 1 - k);
    }
}

__global__ void __launch_bounds__(kWalkThreads, 4) walkBelowRegions(const __grid_constant__ RegionTask task) {
    __shared__ BelowMemory memory[kWarps];
    BelowRegion walker(task, memory + threadIdx.x / 32);
    const Share share(task);
    const std::uint32_t first = kRegionGroups * share.first, end = min(kRegionGroups * share.end, task.facts->groups);
    for (;;) {
        const std::uint32_t k = taken(task.next);
        if (first + k >= end) break;
        const std::uint32_t group = end - 1 - k;
        walker.walk(task.groups[group], group / kRegionGroups);
    }
}

}  // namespace

Kernel<RegionTask> treeRegionKernel() { return kernelOf(walkRegions); }
Kernel<RegionTask> belowRegionsKernel() { return kernelOf(walkBelowRegions); }

}  // namespace gravlab::cuda
