// From positions to a tree with moments and groups of targets. One thread a body where nodes are found: the levels at which
// nodes begin at a body follow from its key, those beside it and those a leaf's size away, so no level waits for another.
#include "sim/backends/cuda/kernels/pair.cuh"
#include "sim/backends/cuda/kernels/tree.h"
#include "sim/forces/tree/cell.h"

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>

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

__global__ void makeKeys(TreeTask task) {
    const std::uint32_t i = blockIdx.x * kTreeThreads + threadIdx.x;
    if (i >= task.count) return;
    const float4 body = asVectors(task.bodies)[i];
    const float length = task.scale->length;
    const std::uint32_t x = treePlace(body.x * length), y = treePlace(body.y * length), z = treePlace(body.z * length);
    task.key[i] = task.morton ? mortonKey(x, y, z) : hilbertKey(x, y, z);
    task.index[i] = i;
}

__global__ void gather(TreeTask task) {
    const std::uint32_t place = blockIdx.x * kTreeThreads + threadIdx.x;
    if (place >= task.count) return;
    const float4 body = asVectors(task.bodies)[task.order[place]];
    const TreeScale by = *task.scale;
    asVectors(task.sorted)[place] = {body.x * by.length, body.y * by.length, body.z * by.length, body.w * by.source};
}

/// Levels of the nodes that begin at a place: above the last cube that it shares with the one before, down to a level below
/// the deepest cube that has more than a leaf's bodies. Nodes of level `first` to `end - 2` are divided.
__global__ void countNodes(TreeTask task) {
    __shared__ std::int8_t common[kTreeThreads + kTreeLeaf];
    __shared__ std::uint32_t starts[kTreeDepths][kTreeThreads / 32];
    const std::uint32_t base = blockIdx.x * kTreeThreads, place = base + threadIdx.x;
    for (std::uint32_t k = threadIdx.x; k < kTreeThreads + kTreeLeaf; k += kTreeThreads) {
        const std::int64_t from = static_cast<std::int64_t>(base) + k - kTreeLeaf, to = from + kTreeLeaf;
        common[k] = from < 0 || to >= task.count
                        ? std::int8_t(-1)
                        : static_cast<std::int8_t>(commonLevels(task.sortedKey[from], task.sortedKey[to]));
    }
    __syncthreads();
    int first = 0, end = 0;
    if (place < task.count) {
        int deep = -1;
        for (int k = 0; k <= kTreeLeaf; ++k) deep = max(deep, static_cast<int>(common[threadIdx.x + k]));
        first = place == 0 ? 0 : commonLevels(task.sortedKey[place - 1], task.sortedKey[place]) + 1;
        end = max(first, min(deep + 1, kTreeLevels) + 1);
        task.levels[place] = static_cast<std::uint16_t>(first | end << 8);
    }
    for (int level = 0; level < kTreeDepths; ++level) {
        const unsigned here = __ballot_sync(~0u, level >= first && level < end);
        if (threadIdx.x % 32 == 0) starts[level][threadIdx.x / 32] = __popc(here);
    }
    __syncthreads();
    if (threadIdx.x >= kTreeDepths) return;
    std::uint32_t sum = 0;
    for (const std::uint32_t part : starts[threadIdx.x]) sum += part;
    task.starts[threadIdx.x * task.blocks + blockIdx.x] = sum;
    if (threadIdx.x == 0 && blockIdx.x == 0) task.starts[kTreeDepths * task.blocks] = 0;
}

/// Ids are in the order of levels, in a level in that of keys: so children of a node are next to each other, and where a node
/// begins, its first child does.
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

/// Children and parents; the bodies of leaves.
__global__ void linkNodes(TreeTask task) {
    const std::uint32_t nodes = task.facts->nodes;
    for (std::uint32_t id = blockIdx.x * kTreeThreads + threadIdx.x; id < nodes; id += gridDim.x * kTreeThreads) {
        float4* centre = asVectors(task.nodes.centre) + 2ull * id;
        const int level = task.nodes.level[id];
        const std::uint32_t first = static_cast<std::uint32_t>(asInt(task.nodes.box[2ull * id].w));
        const std::uint64_t key = task.sortedKey[first];
        if (asInt(centre[1].w) == 0) {
            std::uint32_t end = first + 1;
            const std::uint32_t near = min(task.count, first + kTreeLeaf + 1);
            while (end < near && commonLevels(key, task.sortedKey[end]) >= level) ++end;
            if (end == first + kTreeLeaf + 1 && level == kTreeLevels) {
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
                if (task.nodes.level[next] != level + 1) break;
                const std::uint32_t begins = static_cast<std::uint32_t>(asInt(task.nodes.box[2ull * next].w));
                if (commonLevels(key, task.sortedKey[begins]) < level) break;
            }
            for (int k = 0; k < children; ++k) task.nodes.parent[child + k] = id;
            centre[1].w = asFloat(children);
        }
        task.nodes.arrived[id] = 0;
    }
}

/// Moments and box of a node as they are made.
struct Made {
    CellMoments<float> cell;
    float farthest, weight;  ///< weight: sum of |source|
    float low[3], high[3];
    std::uint32_t bodies;
};

__device__ void store(const TreeNodes& nodes, std::uint32_t id, const Made& made) {
    float4* centre = asVectors(nodes.centre) + 2ull * id;
    float4* moments = asVectors(nodes.moments) + 2ull * id;
    float4* box = asVectors(nodes.box) + 2ull * id;
    centre[0] = {made.cell.x, made.cell.y, made.cell.z, made.cell.source};
    centre[1].x = made.farthest;
    centre[1].y = made.weight * made.farthest * made.farthest * made.farthest;
    const float* q = made.cell.moments;
    moments[0] = {q[0], q[1], q[2], q[3]};
    moments[1] = {q[4], q[5], made.weight, 0};
    box[0] = {made.low[0], made.low[1], made.low[2], asFloat(static_cast<int>(made.bodies))};
    box[1] = {made.high[0], made.high[1], made.high[2], 0};
}

/// No body of the box is farther from (x, y, z).
__device__ float cornerDistance(const Made& made) {
    const float x = fmaxf(made.cell.x - made.low[0], made.high[0] - made.cell.x);
    const float y = fmaxf(made.cell.y - made.low[1], made.high[1] - made.cell.y);
    const float z = fmaxf(made.cell.z - made.low[2], made.high[2] - made.cell.z);
    return sqrtf(x * x + y * y + z * z);
}

constexpr float kRoundedUp = 1 + 1e-6f;

__device__ Made leafOf(const TreeTask& task, std::uint32_t first, std::uint32_t bodies) {
    const float4* sorted = asVectors(task.sorted) + first;
    Made made{};
    const float4 origin = sorted[0];
    for (int axis = 0; axis < 3; ++axis) {
        made.low[axis] = 3e38f;
        made.high[axis] = -3e38f;
    }
    float sum[3] = {};
    for (std::uint32_t k = 0; k < bodies; ++k) {
        const float4 body = sorted[k];
        const float at[3] = {body.x, body.y, body.z};
        const float from[3] = {body.x - origin.x, body.y - origin.y, body.z - origin.z};
        for (int axis = 0; axis < 3; ++axis) {
            sum[axis] += fabsf(body.w) * from[axis];
            made.low[axis] = fminf(made.low[axis], at[axis]);
            made.high[axis] = fmaxf(made.high[axis], at[axis]);
        }
        made.weight += fabsf(body.w);
        made.cell.source += body.w;
    }
    // Massless bodies pull nobody, wherever their centre is said to be.
    const float inverse = made.weight > 0 ? 1 / made.weight : 0;
    made.cell.x = origin.x + sum[0] * inverse;
    made.cell.y = origin.y + sum[1] * inverse;
    made.cell.z = origin.z + sum[2] * inverse;
    float squared = 0;
    for (std::uint32_t k = 0; k < bodies; ++k) {
        const float4 body = sorted[k];
        const float x = body.x - made.cell.x, y = body.y - made.cell.y, z = body.z - made.cell.z;
        squared = fmaxf(squared, x * x + y * y + z * z);
        addSecondMoments(made.cell.moments, body.w, x, y, z);
    }
    made.farthest = sqrtf(squared) * kRoundedUp;
    made.bodies = bodies;
    return made;
}

/// What other blocks have stored goes past the first cache, which does not see it.
__device__ Made childOf(const TreeNodes& nodes, std::uint32_t id) {
    const float4 c0 = __ldcg(asVectors(nodes.centre) + 2ull * id), c1 = __ldcg(asVectors(nodes.centre) + 2ull * id + 1);
    const float4 m0 = __ldcg(asVectors(nodes.moments) + 2ull * id), m1 = __ldcg(asVectors(nodes.moments) + 2ull * id + 1);
    const float4 b0 = __ldcg(asVectors(nodes.box) + 2ull * id), b1 = __ldcg(asVectors(nodes.box) + 2ull * id + 1);
    return {{c0.x, c0.y, c0.z, c0.w, {m0.x, m0.y, m0.z, m0.w, m1.x, m1.y}},
            c1.x,
            m1.z,
            {b0.x, b0.y, b0.z},
            {b1.x, b1.y, b1.z},
            static_cast<std::uint32_t>(asInt(b0.w))};
}

__device__ Made parentOf(const TreeNodes& nodes, std::uint32_t child, int children) {
    Made made{};
    const Made eldest = childOf(nodes, child);
    for (int axis = 0; axis < 3; ++axis) {
        made.low[axis] = eldest.low[axis];
        made.high[axis] = eldest.high[axis];
    }
    float sum[3] = {};
    for (int k = 0; k < children; ++k) {
        const Made part = childOf(nodes, child + k);
        sum[0] += part.weight * (part.cell.x - eldest.cell.x);
        sum[1] += part.weight * (part.cell.y - eldest.cell.y);
        sum[2] += part.weight * (part.cell.z - eldest.cell.z);
        made.weight += part.weight;
        made.cell.source += part.cell.source;
        made.bodies += part.bodies;
        for (int axis = 0; axis < 3; ++axis) {
            made.low[axis] = fminf(made.low[axis], part.low[axis]);
            made.high[axis] = fmaxf(made.high[axis], part.high[axis]);
        }
    }
    const float inverse = made.weight > 0 ? 1 / made.weight : 0;
    made.cell.x = eldest.cell.x + sum[0] * inverse;
    made.cell.y = eldest.cell.y + sum[1] * inverse;
    made.cell.z = eldest.cell.z + sum[2] * inverse;
    float farthest = 0;
    for (int k = 0; k < children; ++k) {
        const Made part = childOf(nodes, child + k);
        const float x = part.cell.x - made.cell.x, y = part.cell.y - made.cell.y, z = part.cell.z - made.cell.z;
        farthest = fmaxf(farthest, part.farthest + sqrtf(x * x + y * y + z * z));
        for (int m = 0; m < kMoments; ++m) made.cell.moments[m] += part.cell.moments[m];
        addSecondMoments(made.cell.moments, part.cell.source, x, y, z);
    }
    made.farthest = fminf(cornerDistance(made), farthest) * kRoundedUp;
    return made;
}

/// A thread a leaf; who is the last of its siblings goes on with the parent.
__global__ void addMoments(TreeTask task) {
    const std::uint32_t nodes = task.facts->nodes;
    for (std::uint32_t leaf = blockIdx.x * kTreeThreads + threadIdx.x; leaf < nodes; leaf += gridDim.x * kTreeThreads) {
        const float4 own = asVectors(task.nodes.centre)[2ull * leaf + 1];
        const int bodies = -asInt(own.w);
        if (bodies <= 0) continue;
        store(task.nodes, leaf, leafOf(task, static_cast<std::uint32_t>(asInt(own.z)), static_cast<std::uint32_t>(bodies)));
        for (std::uint32_t id = leaf; id > 0;) {
            id = task.nodes.parent[id];
            const float4 parent = asVectors(task.nodes.centre)[2ull * id + 1];
            const int children = asInt(parent.w);
            __threadfence();
            if (atomicAdd(task.nodes.arrived + id, 1u) + 1 < static_cast<std::uint32_t>(children)) break;
            __threadfence();
            store(task.nodes, id, parentOf(task.nodes, static_cast<std::uint32_t>(asInt(parent.z)), children));
        }
    }
}

struct Run {
    std::uint32_t first = 0, bodies = 0;
    float low[3], high[3];
};

template <int kTargets>
__device__ void emitRun(const TreeTask& task, Run& run) {
    if (run.bodies == 0) return;
    constexpr std::uint32_t kSize = 32 * kTargets;
    const std::uint32_t chunks = (run.bodies + kSize - 1) / kSize;
    const std::uint32_t slot = atomicAdd(&task.facts->groups, chunks);
    for (std::uint32_t k = 0; k < chunks; ++k) {
        const auto begin = static_cast<std::uint32_t>(static_cast<std::uint64_t>(run.bodies) * k / chunks);
        const auto end = static_cast<std::uint32_t>(static_cast<std::uint64_t>(run.bodies) * (k + 1) / chunks);
        task.groups[slot + k] = {run.first + begin, end - begin};
    }
    run.bodies = 0;
}

/// Groups are cut from runs of small siblings below a node that has more bodies than a run. A run ends where its box would
/// come into that of a sibling that is divided further: a group that wraps around a dense neighbour opens all of it.
template <int kTargets>
__global__ void makeGroups(TreeTask task) {
    const std::uint32_t nodes = task.facts->nodes;
    for (std::uint32_t id = blockIdx.x * kTreeThreads + threadIdx.x; id < nodes; id += gridDim.x * kTreeThreads) {
        const auto bodiesOf = [&](std::uint32_t node) {
            return static_cast<std::uint32_t>(asInt(task.nodes.box[2ull * node].w));
        };
        const float4 link = asVectors(task.nodes.centre)[2ull * id + 1];
        const int children = asInt(link.w);
        const auto child = static_cast<std::uint32_t>(asInt(link.z));
        Run run{};
        const bool small = bodiesOf(id) <= kTreeRun;
        if (id == 0 && (small || children < 0)) {
            run.bodies = task.count;
            emitRun<kTargets>(task, run);
            continue;
        }
        if (small || children < 0) continue;
        unsigned big = 0;
        for (int k = 0; k < children; ++k)
            if (bodiesOf(child + k) > kTreeRun && asInt(task.nodes.centre[2ull * (child + k) + 1].w) > 0) big |= 1u << k;
        std::uint32_t place = 0;
        {
            // The first body: down the eldest children to a leaf.
            std::uint32_t node = id;
            for (;;) {
                const float4 at = asVectors(task.nodes.centre)[2ull * node + 1];
                place = static_cast<std::uint32_t>(asInt(at.z));
                if (asInt(at.w) < 0) break;
                node = place;
            }
        }
        for (int k = 0; k < children; ++k) {
            const std::uint32_t bodies = bodiesOf(child + k), first = place;
            place += bodies;
            if (big >> k & 1) {
                emitRun<kTargets>(task, run);
                continue;
            }
            const float4 b0 = asVectors(task.nodes.box)[2ull * (child + k)], b1 = asVectors(task.nodes.box)[2ull * (child + k) + 1];
            const float low[3] = {b0.x, b0.y, b0.z}, high[3] = {b1.x, b1.y, b1.z};
            if (run.bodies > 0) {
                bool clear = run.bodies + bodies <= kTreeRun;
                float wide[2][3];
                for (int axis = 0; axis < 3; ++axis) {
                    wide[0][axis] = fminf(run.low[axis], low[axis]);
                    wide[1][axis] = fmaxf(run.high[axis], high[axis]);
                }
                for (int other = 0; clear && other < children; ++other) {
                    if (!(big >> other & 1)) continue;
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
                emitRun<kTargets>(task, run);
            }
            run.first = first;
            run.bodies = bodies;
            for (int axis = 0; axis < 3; ++axis) {
                run.low[axis] = low[axis];
                run.high[axis] = high[axis];
            }
        }
        emitRun<kTargets>(task, run);
    }
}

}  // namespace

Kernel<TreeTask> treeMeasureKernel() { return kernelOf(measure); }
Kernel<TreeTask> treeScaleKernel() { return kernelOf(scale); }
Kernel<TreeTask> treeKeyKernel() { return kernelOf(makeKeys); }
Kernel<TreeTask> treeGatherKernel() { return kernelOf(gather); }
Kernel<TreeTask> treeCountKernel() { return kernelOf(countNodes); }
Kernel<TreeTask> treeEmitKernel() { return kernelOf(emitNodes); }
Kernel<TreeTask> treeLinkKernel() { return kernelOf(linkNodes); }
Kernel<TreeTask> treeMomentsKernel() { return kernelOf(addMoments); }
Kernel<TreeTask> treeGroupKernel(int targetsPerLane) {
    return kernelOf(targetsPerLane == 1 ? makeGroups<1> : makeGroups<2>);
}

std::size_t treeScratchBytes(std::uint32_t count, std::uint32_t starts) {
    std::size_t sort = 0, scan = 0;
    const std::uint64_t* keys = nullptr;
    const std::uint32_t* values = nullptr;
    CUDA_CHECK(cub::DeviceRadixSort::SortPairs(nullptr, sort, keys, static_cast<std::uint64_t*>(nullptr), values,
                                               static_cast<std::uint32_t*>(nullptr), count, 0, kTreeKeyBits));
    CUDA_CHECK(cub::DeviceScan::ExclusiveSum(nullptr, scan, values, static_cast<std::uint32_t*>(nullptr), starts));
    return sort > scan ? sort : scan;
}

void sortTreeKeys(const TreeTask& task, void* scratch, std::size_t bytes, Stream stream) {
    const std::uint64_t* keys = task.key;
    const std::uint32_t* values = task.index;
    CUDA_CHECK(cub::DeviceRadixSort::SortPairs(scratch, bytes, keys, task.sortedKey, values, task.order, task.count, 0,
                                               kTreeKeyBits, stream));
}

void scanTreeStarts(const TreeTask& task, std::uint32_t starts, void* scratch, std::size_t bytes, Stream stream) {
    const std::uint32_t* from = task.starts;
    CUDA_CHECK(cub::DeviceScan::ExclusiveSum(scratch, bytes, from, task.offsets, starts, stream));
}

}  // namespace gravlab::cuda
