// From positions to a tree with moments and groups of targets. One thread a body where nodes are found: the levels at which
// nodes begin at a body follow from its key, those beside it and those a leaf's size away, so no level waits for another.
#include "sim/backends/cuda/kernels/pair.cuh"
#include "sim/backends/cuda/kernels/tree.h"
#include "sim/backends/cuda/kernels/warp.cuh"
#include "sim/tree/cell.h"

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>

#include <type_traits>

namespace gravlab::cuda {
namespace {

__device__ __forceinline__ bool finite(float x) { return fabsf(x) <= 3.4e38f; }
__device__ __forceinline__ int asInt(float x) { return __float_as_int(x); }
__device__ __forceinline__ float asFloat(int x) { return __int_as_float(x); }

/// Sums and maxima of a block, in a fixed order.
__device__ void blockReduce(double* value, double (*shared)[kTreeThreads]) {
    for (int k = 0; k < 4; ++k) shared[k][threadIdx.x] = value[k];
    for (unsigned half = kTreeThreads / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x >= half) continue;
        shared[0][threadIdx.x] = fmax(shared[0][threadIdx.x], shared[0][threadIdx.x + half]);
        for (int k = 1; k < 4; ++k) shared[k][threadIdx.x] += shared[k][threadIdx.x + half];
    }
    __syncthreads();
    for (int k = 0; k < 4; ++k) value[k] = shared[k][0];
}

/// Largest distance along an axis, sum of such distances, of sources, and of |a|^2.
__global__ void measure(TreeTask task) {
    __shared__ double shared[4][kTreeThreads];
    double value[4] = {};
    for (std::uint32_t i = blockIdx.x * kTreeThreads + threadIdx.x; i < task.count; i += gridDim.x * kTreeThreads) {
        const float4 body = asVectors(task.bodies)[i];
        const float far = fmaxf(fabsf(body.x), fmaxf(fabsf(body.y), fabsf(body.z)));
        if (finite(far)) {
            value[0] = fmax(value[0], static_cast<double>(far));
            value[1] += far;
        }
        if (finite(body.w)) value[2] += fabsf(body.w);
        if (task.before && finite(task.before[i])) value[3] += static_cast<double>(task.before[i]) * task.before[i];
    }
    blockReduce(value, shared);
    if (threadIdx.x == 0)
        for (int k = 0; k < 4; ++k) task.partial[k * kTreeMeasureBlocks + blockIdx.x] = value[k];
}

/// The power of two that brings `x` to (0.5, 1].
__device__ float powerBelow(double x) {
    if (!(x > 0)) return 1;
    const int exponent = max(-120, min(120, ilogb(x) + 1));
    return exp2f(static_cast<float>(-exponent));
}

__global__ void scale(TreeTask task) {
    __shared__ double shared[4][kTreeThreads];
    double value[4];
    for (int k = 0; k < 4; ++k) value[k] = task.partial[k * kTreeMeasureBlocks + threadIdx.x];
    blockReduce(value, shared);
    if (threadIdx.x > 0) return;
    // A few bodies very far out must not leave all others in one cube: they are put at the edge of the box.
    constexpr double kMeans = 128;
    const double edge = fmin(value[0], kMeans * value[1] / task.count);
    TreeScale result;
    result.length = powerBelow(edge);
    result.source = powerBelow(value[2]);
    result.acceleration = result.length * result.length / result.source;
    result.smallest = static_cast<float>(kSmallestShare * sqrt(value[3] / task.count));
    *task.scale = result;
}

template <TreeKeys kCurve>
__global__ void makeKeys(TreeTask task) {
    const std::uint32_t i = blockIdx.x * kTreeThreads + threadIdx.x;
    if (i >= task.count) return;
    const float4 body = asVectors(task.bodies)[i];
    const float length = task.scale->length;
    const std::uint32_t x = treePlace(body.x * length), y = treePlace(body.y * length), z = treePlace(body.z * length);
    task.key[i] = kCurve == TreeKeys::hilbert ? hilbertKey(x, y, z) : mortonKey(x, y, z);
    task.index[i] = i;
}

__global__ void gather(TreeTask task) {
    const std::uint32_t place = blockIdx.x * kTreeThreads + threadIdx.x;
    if (place >= task.count) return;
    const float4 body = asVectors(task.bodies)[task.order[place]];
    const TreeScale by = *task.scale;
    asVectors(task.sorted)[place] = {body.x * by.length, body.y * by.length, body.z * by.length, body.w * by.source};
}

/// Levels of the nodes that begin at the places of a block: above the last cube that one shares with the one before, down to
/// a level below the deepest cube that has more than a leaf's bodies. Nodes of level `first` to `end - 2` are divided.
template <int kLeaf>
__device__ void countNodesOf(const TreeTask& task, std::uint32_t block, std::uint32_t* wanted) {
    __shared__ std::int8_t common[kTreeThreads + kLeaf];
    __shared__ std::uint32_t starts[kTreeDepths][kTreeThreads / 32];
    const std::uint32_t base = block * kTreeThreads, place = base + threadIdx.x;
    for (std::uint32_t k = threadIdx.x; k < kTreeThreads + kLeaf; k += kTreeThreads) {
        const std::int64_t from = static_cast<std::int64_t>(base) + k - kLeaf, to = from + kLeaf;
        common[k] = from < 0 || to >= task.count
                        ? std::int8_t(-1)
                        : static_cast<std::int8_t>(commonLevels(task.sortedKey[from], task.sortedKey[to]));
    }
    __syncthreads();
    int first = 0, end = 0;
    if (place < task.count) {
        int deep = -1;
        for (int k = 0; k <= kLeaf; ++k) deep = max(deep, static_cast<int>(common[threadIdx.x + k]));
        first = place == 0 ? 0 : commonLevels(task.sortedKey[place - 1], task.sortedKey[place]) + 1;
        end = max(first, min(deep + 1, kTreeLevels) + 1);
        task.levels[place] = static_cast<std::uint16_t>(first | end << 8);
    }
    for (int level = 0; level < kTreeDepths; ++level) {
        const unsigned here = __ballot_sync(~0u, level >= first && level < end);
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

/// Whether leaves of so many bodies, by number, make more nodes than there is room for.
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

/// Bodies that a leaf may have in this tree.
__device__ __forceinline__ std::uint32_t leafOf(const TreeTask& task) {
    constexpr std::uint32_t kWide = kWiderLeaves[0], kWidest = kWiderLeaves[1];
    if (!tooMany(task, 0)) return kTreeLeaf;
    return tooMany(task, 1) ? kWidest : kWide;
}

/// Ids are in the order of levels, in a level in that of keys: so children of a node are next to each other, and where a
/// node begins, its first child does.
__global__ void emitNodes(TreeTask task) {
    __shared__ std::uint32_t before[kTreeDepths][kTreeThreads / 32];
    const std::uint32_t place = blockIdx.x * kTreeThreads + threadIdx.x;
    int first = 0, end = 0;
    if (place < task.count) {
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

/// Beside a node's level: it has no children but leaves.
constexpr int kLevelBits = 31, kOnlyLeaves = 128;

/// Children and parents; the bodies of leaves.
__global__ void linkNodes(TreeTask task) {
    const std::uint32_t nodes = task.facts->nodes, leaf = leafOf(task);
    for (std::uint32_t id = blockIdx.x * kTreeThreads + threadIdx.x; id < nodes; id += gridDim.x * kTreeThreads) {
        float4* centre = asVectors(task.nodes.centre) + 2ull * id;
        const int level = task.nodes.level[id] & kLevelBits;
        const std::uint32_t first = static_cast<std::uint32_t>(asInt(task.nodes.box[2ull * id].w));
        const std::uint64_t key = task.sortedKey[first];
        if (asInt(centre[1].w) == 0) {
            std::uint32_t end = first + 1;
            const std::uint32_t near = min(task.count, first + leaf + 1);
            while (end < near && commonLevels(key, task.sortedKey[end]) >= level) ++end;
            if (end == first + leaf + 1 && level == kTreeLevels) {
                // More bodies in one cube than keys can tell apart: the leaf has them all.
                std::uint32_t beyond = task.count;
                while (end < beyond) {
                    const std::uint32_t middle = end + (beyond - end) / 2;
                    if (task.sortedKey[middle] == key)
                        end = middle + 1;
                    else
                        beyond = middle;
                }
            }
            centre[1].w = asFloat(-static_cast<int>(end - first));
            atomicAdd(&task.facts->leaves, 1u);
            atomicMax(&task.facts->deepest, static_cast<std::uint32_t>(level));
        } else {
            const std::uint32_t child = static_cast<std::uint32_t>(asInt(centre[1].z));
            int children = 1;
            for (; children < 8 && child + children < nodes; ++children) {
                const std::uint32_t next = child + children;
                if ((task.nodes.level[next] & kLevelBits) != level + 1) break;
                const std::uint32_t begins = static_cast<std::uint32_t>(asInt(task.nodes.box[2ull * next].w));
                if (commonLevels(key, task.sortedKey[begins]) < level) break;
            }
            // A leaf's count is 0 or already its own, that of a node that is divided is 1 or more.
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

/// Lanes that make a node's moments together: a child each.
constexpr int kTeam = 8;

struct Team {
    int lane;       ///< 0 to 7
    unsigned mask;  ///< of its lanes in the warp
    __device__ Team() : lane(threadIdx.x % kTeam), mask(0xffu << (threadIdx.x % 32 / kTeam * kTeam)) {}
    /// The same on all lanes, in a fixed order.
    __device__ float sum(float x) const {
        for (int other = kTeam / 2; other > 0; other /= 2) x += __shfl_xor_sync(mask, x, other);
        return x;
    }
    __device__ float least(float x) const {
        for (int other = kTeam / 2; other > 0; other /= 2) x = fminf(x, __shfl_xor_sync(mask, x, other));
        return x;
    }
    __device__ float most(float x) const { return -least(-x); }
};

constexpr float kRoundedUp = 1 + 1e-6f;

/// Massless bodies pull nobody, wherever their centre is said to be.
__device__ float massInverse(float weight) { return weight > 0 ? 1 / weight : 0; }

struct FirstMoments {
    float dipole[3] = {};
};
struct NoFirstMoments {};
/// Moments and box of bodies or cells that the lanes of a team hold, some each, and of all of them together. kCharges:
/// sources have either sign.
template <bool kCharges>
struct Part : std::conditional_t<kCharges, FirstMoments, NoFirstMoments> {
    float x = 0, y = 0, z = 0;     ///< centre
    float source = 0, weight = 0;  ///< sums of sources and of their sizes
    float moments[kMoments] = {};  ///< about the centre
    float farthest = 0;
    float low[3] = {3e38f, 3e38f, 3e38f}, high[3] = {-3e38f, -3e38f, -3e38f};
    int bodies = 0;
};
template <bool kCharges>
using BuildTask = std::conditional_t<kCharges, ChargesTreeTask, TreeTask>;

/// A lane a vector.
template <bool kCharges>
__device__ void store(const BuildTask<kCharges>& task, const Team& team, std::uint32_t id, const Part<kCharges>& made,
                      std::uint32_t first, int count) {
    const TreeNodes& nodes = task.nodes;
    const float* q = made.moments;
    const float cube = made.weight * made.farthest * made.farthest * made.farthest;
    if (team.lane == 0) asVectors(nodes.centre)[2ull * id] = {made.x, made.y, made.z, made.source};
    if (team.lane == 1)
        asVectors(nodes.centre)[2ull * id + 1] = {made.farthest, cube, asFloat(static_cast<int>(first)), asFloat(count)};
    if (team.lane == 2) asVectors(nodes.moments)[2ull * id] = {q[0], q[1], q[2], q[3]};
    if (team.lane == 3) asVectors(nodes.moments)[2ull * id + 1] = {q[4], q[5], made.weight, 0};
    if (team.lane == 4) asVectors(nodes.box)[2ull * id] = {made.low[0], made.low[1], made.low[2], asFloat(made.bodies)};
    if (team.lane == 5) asVectors(nodes.box)[2ull * id + 1] = {made.high[0], made.high[1], made.high[2], 0};
    if constexpr (kCharges)
        if (team.lane == 6) asVectors(task.dipoles)[id] = {made.dipole[0], made.dipole[1], made.dipole[2], 0};
    __threadfence();
    __syncwarp(team.mask);
}

/// What other blocks have stored goes past the first cache, which does not see it.
template <bool kCharges>
__device__ Part<kCharges> load(const BuildTask<kCharges>& task, std::uint32_t id) {
    const TreeNodes& nodes = task.nodes;
    const float4 c0 = __ldcg(asVectors(nodes.centre) + 2ull * id), c1 = __ldcg(asVectors(nodes.centre) + 2ull * id + 1);
    const float4 m0 = __ldcg(asVectors(nodes.moments) + 2ull * id), m1 = __ldcg(asVectors(nodes.moments) + 2ull * id + 1);
    const float4 b0 = __ldcg(asVectors(nodes.box) + 2ull * id), b1 = __ldcg(asVectors(nodes.box) + 2ull * id + 1);
    Part<kCharges> part;
    part.x = c0.x, part.y = c0.y, part.z = c0.z, part.source = c0.w;
    part.weight = m1.z;
    const float q[kMoments] = {m0.x, m0.y, m0.z, m0.w, m1.x, m1.y};
    for (int k = 0; k < kMoments; ++k) part.moments[k] = q[k];
    part.farthest = c1.x;
    part.low[0] = b0.x, part.low[1] = b0.y, part.low[2] = b0.z;
    part.high[0] = b1.x, part.high[1] = b1.y, part.high[2] = b1.z;
    part.bodies = asInt(b0.w);
    if constexpr (kCharges) {
        const float4 dipole = __ldcg(asVectors(task.dipoles) + id);
        part.dipole[0] = dipole.x, part.dipole[1] = dipole.y, part.dipole[2] = dipole.z;
    }
    return part;
}

/// From the lanes' sums about `origin` to centre, box and sources of all.
template <bool kCharges>
__device__ Part<kCharges> gathered(const Team& team, const float* origin, const float* sum, const Part<kCharges>& own) {
    Part<kCharges> all;
    all.weight = team.sum(own.weight);
    all.source = team.sum(own.source);
    const float inverse = massInverse(all.weight);
    all.x = origin[0] + team.sum(sum[0]) * inverse;
    all.y = origin[1] + team.sum(sum[1]) * inverse;
    all.z = origin[2] + team.sum(sum[2]) * inverse;
    for (int axis = 0; axis < 3; ++axis) {
        all.low[axis] = team.least(own.low[axis]);
        all.high[axis] = team.most(own.high[axis]);
    }
    return all;
}

template <bool kCharges>
__device__ Part<kCharges> parentOf(const BuildTask<kCharges>& task, const Team& team, std::uint32_t child, int children) {
    Part<kCharges> own;
    if (team.lane < children) own = load<kCharges>(task, child + team.lane);
    const int eldest = __ffs(static_cast<int>(team.mask)) - 1;
    const float origin[3] = {__shfl_sync(team.mask, own.x, eldest), __shfl_sync(team.mask, own.y, eldest),
                             __shfl_sync(team.mask, own.z, eldest)};
    const float sum[3] = {own.weight * (own.x - origin[0]), own.weight * (own.y - origin[1]),
                          own.weight * (own.z - origin[2])};
    Part<kCharges> made = gathered<kCharges>(team, origin, sum, own);
    const float x = own.x - made.x, y = own.y - made.y, z = own.z - made.z;
    [[maybe_unused]] float moved[3] = {};
    if (team.lane < children) {
        addSecondMoments(own.moments, own.source, x, y, z);
        if constexpr (kCharges) addFirstMoments(moved, own.moments, own.source, own.dipole, x, y, z);
        own.farthest += sqrtf(x * x + y * y + z * z);
    }
    for (int m = 0; m < kMoments; ++m) made.moments[m] = team.sum(own.moments[m]);
    if constexpr (kCharges)
        for (int axis = 0; axis < 3; ++axis) made.dipole[axis] = team.sum(moved[axis]);
    for (int other = kTeam / 2; other > 0; other /= 2) own.bodies += __shfl_xor_sync(team.mask, own.bodies, other);
    made.bodies = own.bodies;
    // No body is farther than a corner of the box.
    float corner = 0;
    const float at[3] = {made.x, made.y, made.z};
    for (int axis = 0; axis < 3; ++axis) {
        const float reach = fmaxf(at[axis] - made.low[axis], made.high[axis] - at[axis]);
        corner += reach * reach;
    }
    made.farthest = fminf(sqrtf(corner), team.most(own.farthest)) * kRoundedUp;
    return made;
}

/// A thread a leaf.
template <bool kCharges>
__global__ void addLeaves(BuildTask<kCharges> task) {
    const std::uint32_t nodes = task.facts->nodes;
    for (std::uint32_t id = blockIdx.x * kTreeThreads + threadIdx.x; id < nodes; id += gridDim.x * kTreeThreads) {
        float4* centre = asVectors(task.nodes.centre) + 2ull * id;
        const float4 link = centre[1];
        const int bodies = -asInt(link.w);
        if (bodies <= 0) continue;
        const float4* sorted = asVectors(task.sorted) + asInt(link.z);
        const float4 origin = sorted[0];
        float sum[3] = {}, weight = 0, source = 0, low[3], high[3];
        for (int axis = 0; axis < 3; ++axis) {
            low[axis] = 3e38f;
            high[axis] = -3e38f;
        }
        for (int k = 0; k < bodies; ++k) {
            const float4 body = sorted[k];
            const float at[3] = {body.x, body.y, body.z},
                        from[3] = {body.x - origin.x, body.y - origin.y, body.z - origin.z};
            for (int axis = 0; axis < 3; ++axis) {
                sum[axis] += fabsf(body.w) * from[axis];
                low[axis] = fminf(low[axis], at[axis]);
                high[axis] = fmaxf(high[axis], at[axis]);
            }
            weight += fabsf(body.w);
            source += body.w;
        }
        const float inverse = massInverse(weight);
        const float x = origin.x + sum[0] * inverse, y = origin.y + sum[1] * inverse, z = origin.z + sum[2] * inverse;
        float squared = 0, q[kMoments] = {};
        [[maybe_unused]] float dipole[3] = {};
        for (int k = 0; k < bodies; ++k) {
            const float4 body = sorted[k];
            const float dx = body.x - x, dy = body.y - y, dz = body.z - z;
            squared = fmaxf(squared, dx * dx + dy * dy + dz * dz);
            addSecondMoments(q, body.w, dx, dy, dz);
            if constexpr (kCharges) {
                dipole[0] += body.w * dx;
                dipole[1] += body.w * dy;
                dipole[2] += body.w * dz;
            }
        }
        const float farthest = sqrtf(squared) * kRoundedUp;
        centre[0] = {x, y, z, source};
        centre[1] = {farthest, weight * farthest * farthest * farthest, link.z, link.w};
        asVectors(task.nodes.moments)[2ull * id] = {q[0], q[1], q[2], q[3]};
        asVectors(task.nodes.moments)[2ull * id + 1] = {q[4], q[5], weight, 0};
        if constexpr (kCharges) asVectors(task.dipoles)[id] = {dipole[0], dipole[1], dipole[2], 0};
        asVectors(task.nodes.box)[2ull * id] = {low[0], low[1], low[2], asFloat(bodies)};
        asVectors(task.nodes.box)[2ull * id + 1] = {high[0], high[1], high[2], 0};
    }
}

/// A team a node whose children are leaves; who is the last of its siblings goes on with the parent.
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

struct Run {
    std::uint32_t first = 0, bodies = 0;
    float low[3], high[3];
};

/// Calls `emit` with each run of bodies below a node that groups are cut from. Runs are of small siblings below a node that
/// has more bodies than a run. One ends where its box would come into that of a sibling that is divided further: a group
/// that wraps around a dense neighbour opens all of it.
template <class Emit>
__device__ void runsBelow(const TreeTask& task, std::uint32_t id, const Emit& emit) {
    const auto bodiesOf = [&](std::uint32_t node) {
        return static_cast<std::uint32_t>(asInt(task.nodes.box[2ull * node].w));
    };
    const float4 link = asVectors(task.nodes.centre)[2ull * id + 1];
    const int children = asInt(link.w);
    const auto child = static_cast<std::uint32_t>(asInt(link.z));
    const bool small = bodiesOf(id) <= kTreeRun;
    if (small || children < 0) {
        if (id == 0) emit(0u, task.count);
        return;
    }
    unsigned big = 0, heavy = 0;
    for (int k = 0; k < children; ++k) {
        if (bodiesOf(child + k) <= kTreeRun) continue;
        heavy |= 1u << k;
        if (asInt(task.nodes.centre[2ull * (child + k) + 1].w) > 0) big |= 1u << k;
    }
    if (big == (1u << children) - 1) return;
    // The first body: down the eldest children to a leaf.
    std::uint32_t place = id;
    for (bool leaf = false; !leaf;) {
        const float4 at = asVectors(task.nodes.centre)[2ull * place + 1];
        leaf = asInt(at.w) < 0;
        place = static_cast<std::uint32_t>(asInt(at.z));
    }
    Run run;
    const auto close = [&] {
        if (run.bodies > 0) emit(run.first, run.bodies);
        run.bodies = 0;
    };
    for (int k = 0; k < children; ++k) {
        const std::uint32_t bodies = bodiesOf(child + k), first = place;
        place += bodies;
        if (big >> k & 1) {
            close();
            continue;
        }
        const float4 b0 = asVectors(task.nodes.box)[2ull * (child + k)],
                     b1 = asVectors(task.nodes.box)[2ull * (child + k) + 1];
        const float low[3] = {b0.x, b0.y, b0.z}, high[3] = {b1.x, b1.y, b1.z};
        if (run.bodies > 0) {
            bool clear = run.bodies + bodies <= kTreeRun;
            float wide[2][3];
            for (int axis = 0; axis < 3; ++axis) {
                wide[0][axis] = fminf(run.low[axis], low[axis]);
                wide[1][axis] = fmaxf(run.high[axis], high[axis]);
            }
            for (int other = 0; clear && other < children; ++other) {
                if (!(heavy >> other & 1)) continue;
                const float4 o0 = asVectors(task.nodes.box)[2ull * (child + other)];
                const float4 o1 = asVectors(task.nodes.box)[2ull * (child + other) + 1];
                clear = wide[0][0] > o1.x || wide[1][0] < o0.x || wide[0][1] > o1.y || wide[1][1] < o0.y ||
                        wide[0][2] > o1.z || wide[1][2] < o0.z;
            }
            if (clear) {
                run.bodies += bodies;
                for (int axis = 0; axis < 3; ++axis) {
                    run.low[axis] = wide[0][axis];
                    run.high[axis] = wide[1][axis];
                }
                continue;
            }
            close();
        }
        run.first = first;
        run.bodies = bodies;
        for (int axis = 0; axis < 3; ++axis) {
            run.low[axis] = low[axis];
            run.high[axis] = high[axis];
        }
    }
    close();
}

/// Nodes of a block: neighbours, so that groups come in the order of nodes.
__device__ std::uint32_t chunkOf(std::uint32_t nodes) {
    return ((nodes + gridDim.x - 1) / gridDim.x + kTreeThreads - 1) / kTreeThreads * kTreeThreads;
}

template <int kTargets>
__global__ void countGroups(TreeTask task) {
    __shared__ std::uint32_t total;
    constexpr std::uint32_t kSize = 32 * kTargets;
    const std::uint32_t nodes = task.facts->nodes, chunk = chunkOf(nodes);
    if (threadIdx.x == 0) total = 0;
    __syncthreads();
    std::uint32_t groups = 0;
    for (std::uint32_t k = threadIdx.x; k < chunk && blockIdx.x * chunk + k < nodes; k += kTreeThreads)
        runsBelow(task, blockIdx.x * chunk + k,
                  [&](std::uint32_t, std::uint32_t bodies) { groups += (bodies + kSize - 1) / kSize; });
    if (groups > 0) atomicAdd(&total, groups);
    __syncthreads();
    if (threadIdx.x == 0) task.groupCounts[blockIdx.x] = total;
}

template <int kTargets>
__global__ void emitGroups(TreeTask task) {
    __shared__ std::uint32_t next[kTreeThreads];
    constexpr std::uint32_t kSize = 32 * kTargets;
    const std::uint32_t nodes = task.facts->nodes, chunk = chunkOf(nodes);
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
    for (std::uint32_t base = 0; base < chunk && blockIdx.x * chunk + base < nodes; base += kTreeThreads) {
        const std::uint32_t id = blockIdx.x * chunk + base + threadIdx.x;
        std::uint32_t own = 0;
        const auto groupsOf = [](std::uint32_t bodies) { return (bodies + kSize - 1) / kSize; };
        if (id < nodes) runsBelow(task, id, [&](std::uint32_t, std::uint32_t bodies) { own += groupsOf(bodies); });
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
        runsBelow(task, id, [&](std::uint32_t first, std::uint32_t bodies) {
            const std::uint32_t chunks = groupsOf(bodies);
            for (std::uint32_t k = 0; k < chunks; ++k) {
                const auto begin = static_cast<std::uint32_t>(static_cast<std::uint64_t>(bodies) * k / chunks);
                const auto end = static_cast<std::uint32_t>(static_cast<std::uint64_t>(bodies) * (k + 1) / chunks);
                task.groups[slot++] = {first + begin, end - begin};
            }
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

std::size_t sortBytes(std::uint32_t count) {
    std::size_t bytes = 0;
    const std::uint64_t* keys = nullptr;
    const std::uint32_t* values = nullptr;
    CUDA_CHECK(cub::DeviceRadixSort::SortPairs(nullptr, bytes, keys, static_cast<std::uint64_t*>(nullptr), values,
                                               static_cast<std::uint32_t*>(nullptr), count, 0, kTreeKeyBits));
    return bytes;
}

void sortKeys(const KeySort& keys, void* scratch, std::size_t bytes, Stream stream) {
    CUDA_CHECK(cub::DeviceRadixSort::SortPairs(scratch, bytes, keys.key, keys.sortedKey, keys.index, keys.order, keys.count,
                                               0, kTreeKeyBits, stream));
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
