// Builds a tree with moments and groups of targets from positions. One thread per body finds the nodes: the levels at which
// nodes begin at a body follow from its key, the neighbouring keys and the keys a leaf's size away. So no level waits for
// another.
#include "sim/backends/cuda/kernels/pair.cuh"
#include "sim/backends/cuda/kernels/together.cuh"
#include "sim/backends/cuda/kernels/tree.h"
#include "sim/tree/nodes.h"

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>

#include <type_traits>

namespace gravlab::cuda {
namespace {

__device__ __forceinline__ bool finite(float x) { return fabsf(x) <= 3.4e38f; }
__device__ __forceinline__ int asInt(float x) { return __float_as_int(x); }
__device__ __forceinline__ float asFloat(int x) { return __int_as_float(x); }

/// Reduces maxima and sums of a block, in a fixed order.
__device__ void blockReduce(double* value, double (*shared)[kTreeThreads]) {
    for (unsigned k = 0; k < kTreeMeasured; ++k) shared[k][threadIdx.x] = value[k];
    for (unsigned half = kTreeThreads / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x >= half) continue;
        for (unsigned k = 0; k < kTreeMeasured; ++k) {
            double& mine = shared[k][threadIdx.x];
            const double other = shared[k][threadIdx.x + half];
            mine = k < kTreeMaxima ? fmax(mine, other) : mine + other;
        }
    }
    __syncthreads();
    for (unsigned k = 0; k < kTreeMeasured; ++k) value[k] = shared[k][0];
}

/// Measures the largest distances along each axis, and the sums of the largest one of each body, of sources and of |a|^2.
__global__ void measure(TreeTask task) {
    __shared__ double shared[kTreeMeasured][kTreeThreads];
    double value[kTreeMeasured] = {};
    double* const sums = value + kTreeMaxima;
    const float4 origin = asVectors(task.bodies)[0];
    for (std::uint32_t i = blockIdx.x * kTreeThreads + threadIdx.x; i < task.count; i += gridDim.x * kTreeThreads) {
        const float4 body = asVectors(task.bodies)[i];
        const float far = fmaxf(fabsf(body.x), fmaxf(fabsf(body.y), fabsf(body.z)));
        if (finite(far)) {
            const float away[kTreeMaxima] = {
                fabsf(body.x),           fabsf(body.y), fabsf(body.z), fabsf(body.x - origin.x), fabsf(body.y - origin.y),
                fabsf(body.z - origin.z)};
            for (unsigned k = 0; k < kTreeMaxima; ++k) value[k] = fmax(value[k], static_cast<double>(away[k]));
            sums[0] += far;
        }
        if (finite(body.w)) sums[1] += fabsf(body.w);
        if (task.before && finite(task.before[i])) sums[2] += static_cast<double>(task.before[i]) * task.before[i];
    }
    blockReduce(value, shared);
    if (threadIdx.x == 0)
        for (unsigned k = 0; k < kTreeMeasured; ++k) task.partial[k * kTreeMeasureBlocks + blockIdx.x] = value[k];
}

__global__ void scale(TreeTask task) {
    __shared__ double shared[kTreeMeasured][kTreeThreads];
    double value[kTreeMeasured];
    for (unsigned k = 0; k < kTreeMeasured; ++k) value[k] = task.partial[k * kTreeMeasureBlocks + threadIdx.x];
    blockReduce(value, shared);
    if (threadIdx.x > 0) return;
    const double* const sums = value + kTreeMaxima;
    const float4 first = asVectors(task.bodies)[0];
    const float origin[3] = {first.x, first.y, first.z};
    TreeScale result;
    // Coordinates from half to twice that of the first body are subtracted without rounding (Sterbenz).
    double edge = 0, farthest = 0;
    bool moved = false;
    for (int axis = 0; axis < 3; ++axis) {
        const bool exact = origin[axis] != 0 && finite(origin[axis]) && value[3 + axis] <= 0.5 * fabsf(origin[axis]);
        result.centre[axis] = exact ? origin[axis] : 0;
        edge = fmax(edge, value[exact ? 3 + axis : axis]);
        farthest = fmax(farthest, value[axis]);
        moved |= exact;
    }
    // Sixteen times finer, the grid separates all coordinates that differ about the origin.
    const double grid = gridEdge(farthest, sums[0], task.count);
    result.length = powerBelow(moved ? fmin(grid, fmax(edge, grid / 16)) : grid);
    result.source = powerBelow(sums[1]);
    result.acceleration = result.length * result.length / result.source;
    result.smallest = static_cast<float>(kSmallestShare * sqrt(sums[2] / task.count));
    *task.scale = result;
}

/// A body about the centre, in the units of the tree.
__device__ float4 scaled(const float4& body, const TreeScale& by) {
    return {(body.x - by.centre[0]) * by.length, (body.y - by.centre[1]) * by.length, (body.z - by.centre[2]) * by.length,
            body.w * by.source};
}

/// Whether a body acts on others.
__device__ bool acts(const TreeTask& task, std::uint32_t body) {
    if (!task.sourceList) return body < task.sources;
    std::uint32_t first = 0, last = task.sources;  // its place in the list, if it is there
    while (first < last) {
        const std::uint32_t middle = first + (last - first) / 2;
        if (task.sourceList[middle] < body)
            first = middle + 1;
        else
            last = middle;
    }
    return first < task.sources && task.sourceList[first] == body;
}

template <TreeKeys kCurve>
__global__ void makeKeys(TreeTask task) {
    const std::uint32_t i = blockIdx.x * kTreeThreads + threadIdx.x;
    if (i >= task.count) return;
    const float4 body = scaled(asVectors(task.bodies)[i], *task.scale);
    const std::uint32_t x = treePlace(body.x), y = treePlace(body.y), z = treePlace(body.z);
    const std::uint64_t key = kCurve == TreeKeys::hilbert ? hilbertKey(x, y, z) : mortonKey(x, y, z);
    task.key[i] = acts(task, i) ? key : key | kOnlyTarget;
    task.index[i] = i;
}

__global__ void gather(TreeTask task) {
    const std::uint32_t place = blockIdx.x * kTreeThreads + threadIdx.x;
    if (place >= task.count) return;
    asVectors(task.sorted)[place] = scaled(asVectors(task.bodies)[task.order[place]], *task.scale);
}

/// Finds the levels of the nodes that begin at the places of a block.
template <int kLeaf>
__device__ void countNodesOf(const TreeTask& task, std::uint32_t block, std::uint32_t* wanted) {
    __shared__ std::int8_t common[kTreeThreads + kLeaf];
    __shared__ std::uint32_t starts[kTreeDepths][kTreeThreads / 32];
    const std::uint32_t base = block * kTreeThreads, place = base + threadIdx.x;
    for (std::uint32_t k = threadIdx.x; k < kTreeThreads + kLeaf; k += kTreeThreads) {
        const std::int64_t from = static_cast<std::int64_t>(base) + k - kLeaf, to = from + kLeaf;
        common[k] = from < 0 || to >= task.sources
                        ? std::int8_t(-1)
                        : static_cast<std::int8_t>(commonLevels(task.sortedKey[from], task.sortedKey[to]));
    }
    __syncthreads();
    NodeLevels mine{0, 0};
    if (place < task.sources) {
        int deep = -1;
        for (int k = 0; k <= kLeaf; ++k) deep = max(deep, static_cast<int>(common[threadIdx.x + k]));
        mine = nodeLevels(place == 0 ? 0 : commonLevels(task.sortedKey[place - 1], task.sortedKey[place]) + 1, deep);
        task.levels[place] = static_cast<std::uint16_t>(mine.first | mine.end << 8);
    }
    for (int level = 0; level < kTreeDepths; ++level) {
        const unsigned here = __ballot_sync(~0u, level >= mine.first && level < mine.end);
        if (threadIdx.x % 32 == 0) starts[level][threadIdx.x / 32] = __popc(here);
    }
    __syncthreads();
    if (threadIdx.x >= 32) return;
    static_assert(kTreeDepths <= 32);
    std::uint32_t sum = 0;
    if (threadIdx.x < kTreeDepths) {
        for (const std::uint32_t part : starts[threadIdx.x]) sum += part;
        task.starts[threadIdx.x * task.blocks + block] = sum;
    }
    const std::uint32_t all = warpSum(sum);
    if (threadIdx.x > 0) return;
    if (wanted) atomicAdd(wanted, all);
    if (block == 0) task.starts[kTreeDepths * task.blocks] = 0;
}

__global__ void countNodes(TreeTask task) { countNodesOf<kTreeLeaf>(task, blockIdx.x, task.facts->wanted); }

/// Whether leaves of width `number` make more nodes than there is room for.
__device__ __forceinline__ bool tooMany(const TreeTask& task, int number) { return task.facts->wanted[number] > task.room; }

template <int kNumber>
__global__ void widenLeaves(TreeTask task) {
    static_assert(sizeof kWiderLeaves == 2 * sizeof(int) && kWiderLeaves[1] == kWidestLeaf);
    for (int before = 0; before <= kNumber; ++before)
        if (!tooMany(task, before)) return;
    for (std::uint32_t block = blockIdx.x; block < task.blocks; block += gridDim.x) {
        countNodesOf<kWiderLeaves[kNumber]>(task, block, kNumber == 0 ? task.facts->wanted + 1 : nullptr);
        __syncthreads();
    }
}

/// Most bodies of a leaf in this tree.
__device__ __forceinline__ std::uint32_t leafOf(const TreeTask& task) {
    constexpr std::uint32_t kWide = kWiderLeaves[0], kWidest = kWiderLeaves[1];
    if (!tooMany(task, 0)) return kTreeLeaf;
    return tooMany(task, 1) ? kWidest : kWide;
}

__global__ void emitNodes(TreeTask task) {
    __shared__ std::uint32_t before[kTreeDepths][kTreeThreads / 32];
    const std::uint32_t place = blockIdx.x * kTreeThreads + threadIdx.x;
    int first = 0, end = 0;
    if (place < task.sources) {
        first = task.levels[place] & 255;
        end = task.levels[place] >> 8;
    }
    for (int level = 0; level < kTreeDepths; ++level) {
        const unsigned here = __ballot_sync(~0u, level >= first && level < end);
        if (threadIdx.x % 32 == 0) before[level][threadIdx.x / 32] = __popc(here);
    }
    __syncthreads();
    if (threadIdx.x < kTreeDepths) {
        std::uint32_t sum = task.offsets[threadIdx.x * task.blocks + blockIdx.x];
        for (std::uint32_t& part : before[threadIdx.x]) {
            const std::uint32_t own = part;
            part = sum;
            sum += own;
        }
    }
    if (blockIdx.x == 0 && threadIdx.x == 0) task.facts->nodes = task.offsets[kTreeDepths * task.blocks];
    __syncthreads();
    const unsigned below = (1u << threadIdx.x % 32) - 1;
    std::uint32_t child = 0;
    for (int level = kTreeDepths - 1; level >= 0; --level) {
        const bool mine = level >= first && level < end;
        const unsigned here = __ballot_sync(~0u, mine);
        if (!mine) continue;
        const std::uint32_t id = before[level][threadIdx.x / 32] + __popc(here & below);
        const bool divided = level + 1 < end;
        asVectors(task.nodes.centre)[2ull * id + 1] = {0, 0, asFloat(static_cast<int>(divided ? child : place)),
                                                       asFloat(divided ? 1 : 0)};
        task.nodes.box[2ull * id].w = asFloat(static_cast<int>(place));
        task.nodes.level[id] = static_cast<std::uint8_t>(level);
        child = id;
    }
}

/// Flag in a node's level: all its children are leaves.
constexpr int kLevelBits = 31, kOnlyLeaves = 128;

/// Links children and parents, and writes the bodies of leaves.
__global__ void linkNodes(TreeTask task) {
    const std::uint32_t nodes = task.facts->nodes, leaf = leafOf(task);
    for (std::uint32_t id = blockIdx.x * kTreeThreads + threadIdx.x; id < nodes; id += gridDim.x * kTreeThreads) {
        float4* centre = asVectors(task.nodes.centre) + 2ull * id;
        const int level = task.nodes.level[id] & kLevelBits;
        const std::uint32_t first = static_cast<std::uint32_t>(asInt(task.nodes.box[2ull * id].w));
        const auto keyAt = [&](std::uint32_t place) { return task.sortedKey[place]; };
        const std::uint64_t key = keyAt(first);
        if (asInt(centre[1].w) == 0) {
            centre[1].w = asFloat(-static_cast<int>(bodiesOfLeaf(key, level, first, task.sources, leaf, keyAt)));
            atomicAdd(&task.facts->leaves, 1u);
            atomicMax(&task.facts->deepest, static_cast<std::uint32_t>(level));
        } else {
            const std::uint32_t child = static_cast<std::uint32_t>(asInt(centre[1].z));
            const int children = childrenOf(
                key, level, child, nodes, [&](std::uint32_t next) { return task.nodes.level[next] & kLevelBits; },
                [&](std::uint32_t next) { return keyAt(static_cast<std::uint32_t>(asInt(task.nodes.box[2ull * next].w))); });
            // The count of a leaf is 0 or already final; the count of a divided node is 1 or more.
            int leaves = 0;
            for (int k = 0; k < children; ++k) {
                task.nodes.parent[child + k] = id;
                leaves += asInt(task.nodes.centre[2ull * (child + k) + 1].w) <= 0;
            }
            centre[1].w = asFloat(children);
            task.nodes.arrived[id] = static_cast<std::uint32_t>(leaves);
            if (leaves == children) task.nodes.level[id] = static_cast<std::uint8_t>(level | kOnlyLeaves);
        }
    }
}

/// Lanes that compute a node's moments together, a child each.
constexpr int kTeam = 8;

struct Team {
    int lane;       ///< 0 to 7
    unsigned mask;  ///< its lanes in the warp
    __device__ Team() : lane(threadIdx.x % kTeam), mask(0xffu << (threadIdx.x % 32 / kTeam * kTeam)) {}
    // The functions of OneThread, over the lanes' numbers: in a fixed order, with the same result on all lanes.
    __device__ auto sum(auto x) const {
        for (int other = kTeam / 2; other > 0; other /= 2) x += __shfl_xor_sync(mask, x, other);
        return x;
    }
    __device__ float least(float x) const {
        for (int other = kTeam / 2; other > 0; other /= 2) x = fminf(x, __shfl_xor_sync(mask, x, other));
        return x;
    }
    __device__ float most(float x) const { return -least(-x); }
    __device__ static void add(auto& sum, auto own) { sum = own; }
    __device__ static void lowerTo(float& least, float own) { least = own; }
    __device__ static void raiseTo(float& most, float own) { most = own; }
    __device__ auto eldest(const auto& child) const {
        auto own = child(lane);
        const int first = __ffs(static_cast<int>(mask)) - 1;
        own.cell.x = __shfl_sync(mask, own.cell.x, first);
        own.cell.y = __shfl_sync(mask, own.cell.y, first);
        own.cell.z = __shfl_sync(mask, own.cell.z, first);
        return own;
    }
    __device__ void each(int, const auto& child, const auto& use) const { use(child(lane)); }
    __device__ bool hasOf(int children) const { return lane < children; }
};

template <bool kCharges>
using Moments = NodeMoments<float, kCharges>;
template <bool kCharges>
using BuildTask = std::conditional_t<kCharges, ChargesTreeTask, TreeTask>;

/// Each lane has one vector.
template <bool kCharges>
__device__ void store(const BuildTask<kCharges>& task, const Team& team, std::uint32_t id, const Moments<kCharges>& made,
                      std::uint32_t first, int count) {
    const TreeNodes& nodes = task.nodes;
    const float* q = made.cell.moments;
    const float cube = made.weight * made.farthest * made.farthest * made.farthest;
    if (team.lane == 0) asVectors(nodes.centre)[2ull * id] = {made.cell.x, made.cell.y, made.cell.z, made.cell.source};
    if (team.lane == 1)
        asVectors(nodes.centre)[2ull * id + 1] = {made.farthest, cube, asFloat(static_cast<int>(first)), asFloat(count)};
    if (team.lane == 2) asVectors(nodes.moments)[2ull * id] = {q[0], q[1], q[2], q[3]};
    if (team.lane == 3) asVectors(nodes.moments)[2ull * id + 1] = {q[4], q[5], made.weight, 0};
    if (team.lane == 4)
        asVectors(nodes.box)[2ull * id] = {made.low[0], made.low[1], made.low[2], asFloat(static_cast<int>(made.bodies))};
    if (team.lane == 5) asVectors(nodes.box)[2ull * id + 1] = {made.high[0], made.high[1], made.high[2], 0};
    if constexpr (kCharges)
        if (team.lane == 6) asVectors(task.dipoles)[id] = {made.dipole[0], made.dipole[1], made.dipole[2], 0};
    __threadfence();
    __syncwarp(team.mask);
}

/// Loads stores of other blocks past the first-level cache, which does not see them.
template <bool kCharges>
__device__ Moments<kCharges> load(const BuildTask<kCharges>& task, std::uint32_t id) {
    const TreeNodes& nodes = task.nodes;
    const float4 c0 = __ldcg(asVectors(nodes.centre) + 2ull * id), c1 = __ldcg(asVectors(nodes.centre) + 2ull * id + 1);
    const float4 m0 = __ldcg(asVectors(nodes.moments) + 2ull * id), m1 = __ldcg(asVectors(nodes.moments) + 2ull * id + 1);
    const float4 b0 = __ldcg(asVectors(nodes.box) + 2ull * id), b1 = __ldcg(asVectors(nodes.box) + 2ull * id + 1);
    Moments<kCharges> part;
    part.cell = {c0.x, c0.y, c0.z, c0.w, {m0.x, m0.y, m0.z, m0.w, m1.x, m1.y}};
    part.weight = m1.z;
    part.farthest = c1.x;
    part.low[0] = b0.x, part.low[1] = b0.y, part.low[2] = b0.z;
    part.high[0] = b1.x, part.high[1] = b1.y, part.high[2] = b1.z;
    part.bodies = static_cast<std::uint32_t>(asInt(b0.w));
    if constexpr (kCharges) {
        const float4 dipole = __ldcg(asVectors(task.dipoles) + id);
        part.dipole[0] = dipole.x, part.dipole[1] = dipole.y, part.dipole[2] = dipole.z;
    }
    return part;
}

template <bool kCharges>
__device__ Moments<kCharges> parentOf(const BuildTask<kCharges>& task, const Team& team, std::uint32_t child, int children) {
    Moments<kCharges> own;
    if (team.lane < children) own = load<kCharges>(task, child + team.lane);
    return parentMoments<float, kCharges>(
        children, [&](int) { return own; }, team);
}

/// Computes the moments of leaves, one thread per leaf.
template <bool kCharges>
__global__ void addLeaves(BuildTask<kCharges> task) {
    const std::uint32_t nodes = task.facts->nodes;
    for (std::uint32_t id = blockIdx.x * kTreeThreads + threadIdx.x; id < nodes; id += gridDim.x * kTreeThreads) {
        float4* centre = asVectors(task.nodes.centre) + 2ull * id;
        const float4 link = centre[1];
        const int bodies = -asInt(link.w);
        if (bodies <= 0) continue;
        const float4* sorted = asVectors(task.sorted) + asInt(link.z);
        const Moments<kCharges> made = leafMoments<float, kCharges>(bodies, [&](int k) {
            const float4 body = sorted[k];
            return TreeBody<float>{body.x, body.y, body.z, body.w};
        });
        const float* q = made.cell.moments;
        centre[0] = {made.cell.x, made.cell.y, made.cell.z, made.cell.source};
        centre[1] = {made.farthest, made.weight * made.farthest * made.farthest * made.farthest, link.z, link.w};
        asVectors(task.nodes.moments)[2ull * id] = {q[0], q[1], q[2], q[3]};
        asVectors(task.nodes.moments)[2ull * id + 1] = {q[4], q[5], made.weight, 0};
        if constexpr (kCharges) asVectors(task.dipoles)[id] = {made.dipole[0], made.dipole[1], made.dipole[2], 0};
        asVectors(task.nodes.box)[2ull * id] = {made.low[0], made.low[1], made.low[2], asFloat(bodies)};
        asVectors(task.nodes.box)[2ull * id + 1] = {made.high[0], made.high[1], made.high[2], 0};
    }
}

/// A team begins at a node whose children are all leaves; the team that finishes the last of the siblings does the parent.
template <bool kCharges>
__global__ void addMoments(BuildTask<kCharges> task) {
    const std::uint32_t nodes = task.facts->nodes;
    const Team team;
    for (std::uint32_t start = (blockIdx.x * kTreeThreads + threadIdx.x) / kTeam; start < nodes;
         start += gridDim.x * kTreeThreads / kTeam) {
        if (!(task.nodes.level[start] & kOnlyLeaves)) continue;
        for (std::uint32_t id = start;;) {
            const float4 link = asVectors(task.nodes.centre)[2ull * id + 1];
            const auto child = static_cast<std::uint32_t>(asInt(link.z));
            store<kCharges>(task, team, id, parentOf<kCharges>(task, team, child, asInt(link.w)), child, asInt(link.w));
            if (id == 0) break;
            id = task.nodes.parent[id];
            std::uint32_t arrived = 0;
            if (team.lane == 0) arrived = atomicAdd(task.nodes.arrived + id, 1u) + 1;
            arrived = __shfl_sync(team.mask, arrived, 0, kTeam);
            if (arrived < static_cast<std::uint32_t>(asInt(asVectors(task.nodes.centre)[2ull * id + 1].w))) break;
            __threadfence();
            __syncwarp(team.mask);
        }
    }
}

/// The nodes that define groups.
struct GroupNodes {
    const TreeTask& task;
    __device__ std::uint32_t bodies(std::uint32_t node) const {
        return static_cast<std::uint32_t>(asInt(task.nodes.box[2ull * node].w));
    }
    __device__ int children(std::uint32_t node) const { return asInt(task.nodes.centre[2ull * node + 1].w); }
    __device__ NodeBox box(std::uint32_t node) const {
        const float4 low = asVectors(task.nodes.box)[2ull * node], high = asVectors(task.nodes.box)[2ull * node + 1];
        return {{low.x, low.y, low.z}, {high.x, high.y, high.z}, 0};
    }
};

/// Calls `emit` with each run of bodies below a node that is divided into groups.
template <class Emit>
__device__ void runsBelow(const TreeTask& task, std::uint32_t id, const Emit& emit) {
    const GroupNodes nodes{task};
    const float4 link = asVectors(task.nodes.centre)[2ull * id + 1];
    const int children = asInt(link.w);
    const auto child = static_cast<std::uint32_t>(asInt(link.z));
    if (nodes.bodies(id) <= kTreeRun || children < 0) {
        if (id == 0) emit(0u, task.sources);
        return;
    }
    const LargeChildren found = largeChildren(nodes, child, children);
    if (found.divided == (1u << children) - 1) return;
    // The path along first children ends at the leaf of the first body.
    std::uint32_t place = id;
    for (bool leaf = false; !leaf;) {
        const float4 at = asVectors(task.nodes.centre)[2ull * place + 1];
        leaf = asInt(at.w) < 0;
        place = static_cast<std::uint32_t>(asInt(at.z));
    }
    cutRuns(nodes, child, children, found, place, emit, [](std::uint32_t) {});
}

/// Calls `emit` with each run of bodies without mass in the cubes that begin at a place and have more bodies than a run.
template <class Emit>
__device__ void runsFrom(const TreeTask& task, std::uint32_t place, const Emit& emit) {
    const auto keyAt = [&](std::uint32_t at) { return task.sortedKey[at]; };
    const std::uint32_t last = task.count;
    const int begins = place == task.sources ? 0 : commonLevels(keyAt(place - 1), keyAt(place)) + 1;
    const int large = last - place > kTreeRun ? commonLevels(keyAt(place), keyAt(place + kTreeRun)) : -1;
    if (place == task.sources && large < 0) emit(place, last - place);
    for (int level = begins; level <= large; ++level)
        cutCube(place, last, level, keyAt, emit, [](std::uint32_t, std::uint32_t) {});
}

/// Nodes, and then bodies without mass, from which groups are made.
__device__ std::uint32_t groupSeeds(const TreeTask& task) { return task.facts->nodes + (task.count - task.sources); }
template <class Emit>
__device__ void runsOf(const TreeTask& task, std::uint32_t seed, const Emit& emit) {
    const std::uint32_t nodes = task.facts->nodes;
    if (seed < nodes)
        runsBelow(task, seed, emit);
    else
        runsFrom(task, task.sources + (seed - nodes), emit);
}
/// Seeds of a block: they are consecutive, so that groups are in the order of seeds.
__device__ std::uint32_t chunkOf(std::uint32_t seeds) {
    return ((seeds + gridDim.x - 1) / gridDim.x + kTreeThreads - 1) / kTreeThreads * kTreeThreads;
}

template <int kTargets>
__global__ void countGroups(TreeTask task) {
    __shared__ std::uint32_t total;
    constexpr std::uint32_t kSize = 32 * kTargets;
    const std::uint32_t seeds = groupSeeds(task), chunk = chunkOf(seeds);
    if (threadIdx.x == 0) total = 0;
    __syncthreads();
    std::uint32_t groups = 0;
    for (std::uint32_t k = threadIdx.x; k < chunk && blockIdx.x * chunk + k < seeds; k += kTreeThreads)
        runsOf(task, blockIdx.x * chunk + k,
               [&](std::uint32_t, std::uint32_t bodies) { groups += groupsOfRun(bodies, kSize); });
    if (groups > 0) atomicAdd(&total, groups);
    __syncthreads();
    if (threadIdx.x == 0) task.groupCounts[blockIdx.x] = total;
}

template <int kTargets>
__global__ void emitGroups(TreeTask task) {
    __shared__ std::uint32_t next[kTreeThreads];
    constexpr std::uint32_t kSize = 32 * kTargets;
    const std::uint32_t seeds = groupSeeds(task), chunk = chunkOf(seeds);
    std::uint32_t before = 0;
    for (std::uint32_t block = threadIdx.x; block < blockIdx.x; block += kTreeThreads) before += task.groupCounts[block];
    next[threadIdx.x] = before;
    for (unsigned half = kTreeThreads / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) next[threadIdx.x] += next[threadIdx.x + half];
    }
    __syncthreads();
    before = next[0];
    if (threadIdx.x == 0 && blockIdx.x == gridDim.x - 1) task.facts->groups = before + task.groupCounts[blockIdx.x];
    for (std::uint32_t base = 0; base < chunk && blockIdx.x * chunk + base < seeds; base += kTreeThreads) {
        const std::uint32_t seed = blockIdx.x * chunk + base + threadIdx.x;
        std::uint32_t own = 0;
        if (seed < seeds)
            runsOf(task, seed, [&](std::uint32_t, std::uint32_t bodies) { own += groupsOfRun(bodies, kSize); });
        __syncthreads();
        next[threadIdx.x] = own;
        for (unsigned step = 1; step < kTreeThreads; step *= 2) {
            __syncthreads();
            const std::uint32_t left = threadIdx.x >= step ? next[threadIdx.x - step] : 0;
            __syncthreads();
            next[threadIdx.x] += left;
        }
        __syncthreads();
        std::uint32_t slot = before + next[threadIdx.x] - own;
        before += next[kTreeThreads - 1];
        if (own == 0) continue;
        runsOf(task, seed, [&](std::uint32_t first, std::uint32_t bodies) {
            const std::uint32_t groups = groupsOfRun(bodies, kSize);
            for (std::uint32_t k = 0; k < groups; ++k) task.groups[slot++] = groupOfRun(first, bodies, k, groups);
        });
    }
}

}  // namespace

Kernel<TreeTask> treeMeasureKernel() { return kernelOf(measure); }
Kernel<TreeTask> treeScaleKernel() { return kernelOf(scale); }
Kernel<TreeTask> treeKeyKernel(TreeKeys curve) {
    return curve == TreeKeys::hilbert ? kernelOf(makeKeys<TreeKeys::hilbert>) : kernelOf(makeKeys<TreeKeys::morton>);
}
Kernel<TreeTask> treeGatherKernel() { return kernelOf(gather); }
Kernel<TreeTask> treeCountKernel() { return kernelOf(countNodes); }
Kernel<TreeTask> treeWidenKernel(int number) { return kernelOf(number == 0 ? widenLeaves<0> : widenLeaves<1>); }
Kernel<TreeTask> treeEmitKernel() { return kernelOf(emitNodes); }
Kernel<TreeTask> treeLinkKernel() { return kernelOf(linkNodes); }
Kernel<TreeTask> treeLeavesKernel() { return kernelOf(addLeaves<false>); }
Kernel<TreeTask> treeMomentsKernel() { return kernelOf(addMoments<false>); }
Kernel<ChargesTreeTask> chargesLeavesKernel() { return kernelOf(addLeaves<true>); }
Kernel<ChargesTreeTask> chargesMomentsKernel() { return kernelOf(addMoments<true>); }
Kernel<TreeTask> treeGroupCountKernel(int targetsPerLane) {
    return kernelOf(targetsPerLane == 1 ? countGroups<1> : countGroups<2>);
}
Kernel<TreeTask> treeGroupKernel(int targetsPerLane) {
    return kernelOf(targetsPerLane == 1 ? emitGroups<1> : emitGroups<2>);
}

std::size_t sortBytes(std::uint32_t count, int bits) {
    std::size_t bytes = 0;
    const std::uint64_t* keys = nullptr;
    const std::uint32_t* values = nullptr;
    CUDA_CHECK(cub::DeviceRadixSort::SortPairs(nullptr, bytes, keys, static_cast<std::uint64_t*>(nullptr), values,
                                               static_cast<std::uint32_t*>(nullptr), count, 0, bits));
    return bytes;
}

void sortKeys(const KeySort& keys, void* scratch, std::size_t bytes, Stream stream) {
    CUDA_CHECK(cub::DeviceRadixSort::SortPairs(scratch, bytes, keys.key, keys.sortedKey, keys.index, keys.order, keys.count,
                                               0, keys.bits, stream));
}

std::size_t scanBytes(std::uint32_t starts) {
    std::size_t bytes = 0;
    const std::uint32_t* from = nullptr;
    CUDA_CHECK(cub::DeviceScan::ExclusiveSum(nullptr, bytes, from, static_cast<std::uint32_t*>(nullptr), starts));
    return bytes;
}

void scanTreeStarts(const TreeTask& task, std::uint32_t starts, void* scratch, std::size_t bytes, Stream stream) {
    const std::uint32_t* from = task.starts;
    CUDA_CHECK(cub::DeviceScan::ExclusiveSum(scratch, bytes, from, task.offsets, starts, stream));
}

}  // namespace gravlab::cuda
