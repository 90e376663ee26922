// The symmetric force: each pair once (Newton's third law). A warp keeps 32 x B targets in registers; partners come 32 at a
// time, one a lane, and rotate with their sums through the warp. After 32 rotations every partner has pulled every target,
// and its sum is in its first lane again. A warp writes its partial sums to slots that only it owns, and a second kernel
// adds the slots in fp64 in the order of a fixed tree. Rule: repeats, slices and resumes are bit-identical (but for the row
// that adds by atomics).
#pragma once
#include "sim/backends/cuda/kernels/factors.h"
#include "sim/backends/cuda/kernels/force.h"
#include "sim/backends/cuda/kernels/pair.cuh"
#include "sim/backends/cuda/kernels/symmetric.h"

namespace gravlab::cuda {

/// Resident warps of a multiprocessor that limit the registers of a thread.
template <class Real>
constexpr int kSymmetricWarps = sizeof(Real) == 4 ? 20 : 14;

/// kUnroll: unroll of the rotation. kMost: most warps of a block; with one, the compiler knows which values are the same in
/// all lanes.
template <class Real, SymmetricSums kSums, int kUnroll = 4, int B = kSymmetricBodies<Real>, int kMost = 1>
__global__ __launch_bounds__(32 * kMost, kSymmetricWarps<Real> / kMost) void symmetricRound(SymmetricTask<Real> task) {
    constexpr int T = 32 * B;          // a division by a variable would cost 2 %
    constexpr int kFlush = kSumChunk;  // terms of a sum before the second level
    constexpr bool kRuns = kSums == SymmetricSums::slotsMassRuns;
    __shared__ Real level2OfWarps[kMost][3][T];
    __shared__ Vector<Real> turnOfWarps[kMost][64];  // partners twice, so that a rotated read never wraps
    const int lane = kMost == 1 ? threadIdx.x : threadIdx.x & 31, warp = kMost == 1 ? 0 : threadIdx.x >> 5;
    auto& level2 = level2OfWarps[warp];
    auto& turn = turnOfWarps[warp];

    const TilePartition& partition = task.partition;
    const Vector<Real>* __restrict__ bodies = asVectors(task.bodies);
    const int n = partition.bodies();  // 32-bit: 64-bit arithmetic here costs 2 to 6 %
    int unit = kMost == 1 ? blockIdx.x : blockIdx.x * (blockDim.x >> 5) + warp;
    if (kMost > 1 && unit >= task.units) return;  // a whole warp; no barrier of the block follows
    const bool own = task.diagonalTiles && unit < partition.tiles;
    if (task.diagonalTiles && !own) unit -= partition.tiles;
    const int tile = unit % partition.tiles;
    const int slot = own ? partition.targetSlots() + partition.partnerSlots() : unit / partition.tiles;

    Real x[B], y[B], z[B], m[B], ax[B], ay[B], az[B];
#pragma unroll
    for (int b = 0; b < B; ++b) {
        const Vector<Real> body = bodies[tile * T + b * 32 + lane];
        x[b] = body.x, y[b] = body.y, z[b] = body.z;
        if constexpr (!kRuns) m[b] = body.w;
        ax[b] = ay[b] = az[b] = 0;
        for (int axis = 0; axis < 3; ++axis) level2[axis][b * 32 + lane] = 0;
    }
    const auto accumulateTargets = [&] {
#pragma unroll
        for (int b = 0; b < B; ++b) {
            level2[0][b * 32 + lane] += ax[b], level2[1][b * 32 + lane] += ay[b], level2[2][b * 32 + lane] += az[b];
            ax[b] = ay[b] = az[b] = 0;
        }
    };
    const auto addTo = [&](int body, Real sx, Real sy, Real sz) {
        if (static_cast<std::uint32_t>(body) >= task.count) return;
        atomicAdd(task.sums + 4 * static_cast<std::size_t>(body), sx);
        atomicAdd(task.sums + 4 * static_cast<std::size_t>(body) + 1, sy);
        atomicAdd(task.sums + 4 * static_cast<std::size_t>(body) + 2, sz);
    };
    // Adds the pairs with the 32 partners that start at `partner`; j* are the partners' sums, back in their lanes at the
    // end. kOne: without masses.
    const auto interact = [&]<bool kOne>(int partner, Real& jx, Real& jy, Real& jz) {
        const Vector<Real> mine = bodies[partner + lane];
        __syncwarp();
        turn[lane] = turn[lane + 32] = mine;
        __syncwarp();
        jx = jy = jz = 0;
#pragma unroll kUnroll
        for (int r = 0; r < 32; ++r) {
            const Vector<Real> p = turn[lane + r];
#pragma unroll
            for (int b = 0; b < B; ++b) {
                const Real dx = p.x - x[b], dy = p.y - y[b], dz = p.z - z[b];
                const Real inverse = inverseRoot(fma(dz, dz, fma(dy, dy, fma(dx, dx, task.softeningSquared))));
                const Real cube = inverse * (inverse * inverse);
                const Real si = kOne ? cube : p.w * cube, sj = kOne ? cube : m[b] * cube;
                ax[b] = fma(dx, si, ax[b]), ay[b] = fma(dy, si, ay[b]), az[b] = fma(dz, si, az[b]);
                jx = fma(-dx, sj, jx), jy = fma(-dy, sj, jy), jz = fma(-dz, sj, jz);
            }
            const int next = (lane + 1) & 31;
            jx = __shfl_sync(~0u, jx, next), jy = __shfl_sync(~0u, jy, next), jz = __shfl_sync(~0u, jz, next);
        }
    };

    // With an even number of tiles, only one tile of each farthest pair computes that pair.
    const int ahead = partition.range - (partition.tiles % 2 == 0 && tile >= partition.tiles / 2 ? T : 0);
    const int from = task.first + slot * partition.chunk;
    const int count = own ? 0 : min(partition.chunk, min(ahead, task.end) - from);
    if (!own && count <= 0) return;
    const auto partnerAt = [&](int offset) {
        const int partner = (tile + 1) * T + offset;
        return partner >= n ? partner - n : partner;
    };
    const auto interactAll = [&]<bool kOne>(Real factor) {
        Real jx, jy, jz;
        if (own) {  // the tile with itself, one-sided: 1 / tiles of all pairs
            for (int j = 0; j < T; j += 32) {
                interact.template operator()<kOne>(tile * T + j, jx, jy, jz);
                if ((j + 32) % kFlush == 0) accumulateTargets();
            }
        } else {
            for (int done = 0; done < count; done += 32) {
                const int offset = from + done, partner = partnerAt(offset);
                interact.template operator()<kOne>(partner, jx, jy, jz);
                if constexpr (kRuns) jx *= factor, jy *= factor, jz *= factor;
                if constexpr (kSums == SymmetricSums::atomics) {
                    addTo(partner + lane, jx, jy, jz);
                } else {
                    Real* out = task.scratch + std::size_t{3} * n * (partition.targetSlots() + (offset - task.first) / T) +
                                partner + lane;
                    out[0] = jx, out[n] = jy, out[2 * static_cast<std::size_t>(n)] = jz;
                }
                if ((done + 32) % kFlush == 0) accumulateTargets();
            }
        }
        accumulateTargets();
    };

    Real deferredMass = 1;  // the partners' mass, where the sums do not contain it
    if constexpr (!kRuns) {
        interactAll.template operator()<kSums == SymmetricSums::slotsEqualMasses>(Real{1});
    } else {
        const Real ours = bodies[tile * T].w, theirs = own ? ours : bodies[partnerAt(from)].w;
        bool one = true;
        for (int k = lane; k < T; k += 32) one = one && bodies[tile * T + k].w == ours;
        for (int done = 0; done < count; done += 32) one = one && bodies[partnerAt(from + done) + lane].w == theirs;
        if (__all_sync(~0u, one)) {
            deferredMass = theirs;
            interactAll.template operator()<true>(ours);
        } else {
#pragma unroll
            for (int b = 0; b < B; ++b) m[b] = bodies[tile * T + b * 32 + lane].w;
            interactAll.template operator()<false>(Real{1});
        }
    }
#pragma unroll
    for (int b = 0; b < B; ++b) {
        const int k = b * 32 + lane;
        if constexpr (kSums == SymmetricSums::atomics) {
            addTo(tile * T + k, deferredMass * level2[0][k], deferredMass * level2[1][k], deferredMass * level2[2][k]);
        } else {
            Real* out = task.scratch + std::size_t{3} * n * slot + tile * T + k;
            for (int axis = 0; axis < 3; ++axis) out[axis * static_cast<std::size_t>(n)] = deferredMass * level2[axis][k];
        }
    }
}

template <class Real, int B>
__global__ void addSlots(SlotsTask<Real> task) {
    constexpr int T = 32 * B;
    constexpr int kTogether = 6;                       // slots whose reads are under way at a time
    __shared__ double partial[2][3][kSlotGroups][33];  // 33: no bank conflicts when a column is added
    const TilePartition& partition = task.partition;
    const int lane = threadIdx.x & 31, group = threadIdx.x >> 5;
    const std::size_t n = static_cast<std::size_t>(partition.bodies());
    const int body = blockIdx.x * 32 + lane;
    const bool even = partition.tiles % 2 == 0, far = 2 * (body / T) >= partition.tiles;
    // With an even number of tiles, the far half has no partners in the last tile of the range, and is no partner of it.
    const int used = even && far ? task.usedFar : task.used, partners = task.partners - (even && !far ? 1 : 0);
    double sx = 0, sy = 0, sz = 0;
    const auto sumLeaf = [&](int leaf) {
        const int from = task.begin[leaf], to = task.begin[leaf + 1];
        const int target = from * task.chunks, partner = from * task.width;
        const int targets = max(min(to * task.chunks, used) - target, 0);
        const int all = targets + max(min(to * task.width, partners) - partner, 0);
        sx = sy = sz = 0;
        for (int done = 0; done < all; done += kTogether) {
            Real part[kTogether][3];
#pragma unroll
            for (int k = 0; k < kTogether; ++k) {
                const int place = done + k;
                const int slot = place + (place < targets ? target : task.partnerSlot + partner - targets);
                const Real* in = task.scratch + 3 * n * static_cast<std::size_t>(slot) + body;
                for (int axis = 0; axis < 3; ++axis) part[k][axis] = place < all ? in[axis * n] : Real(0);
            }
#pragma unroll
            for (int k = 0; k < kTogether; ++k) sx += part[k][0], sy += part[k][1], sz += part[k][2];
        }
        if (leaf > 0 || task.ownSlot < 0) return;
        const Real* own = task.scratch + 3 * n * static_cast<std::size_t>(task.ownSlot) + body;
        sx += own[0], sy += own[n], sz += own[2 * n];
    };
    // A group has one leaf, two or four, and joins them as the tree does: a sum waits for that of as many leaves.
    const PairRound& round = task.round;
    const int each = max(1, round.leaves / kSlotGroups);
    for (int k = 0; k < each && group * each < round.leaves; ++k) {
        sumLeaf(group * each + k);
        int level = 0;
        for (; k >> level & 1; ++level) {
            const auto& other = partial[level];
            sx = other[0][group][lane] + sx, sy = other[1][group][lane] + sy, sz = other[2][group][lane] + sz;
        }
        if (k + 1 == each) break;
        auto& mine = partial[level];
        mine[0][group][lane] = sx, mine[1][group][lane] = sy, mine[2][group][lane] = sz;
    }
    partial[0][0][group][lane] = sx, partial[0][1][group][lane] = sy, partial[0][2][group][lane] = sz;
    __syncthreads();
    if (group < 3) {
        const auto of = [&](int g) { return partial[0][group][g][lane]; };
        double total = ((of(0) + of(1)) + (of(2) + of(3))) + ((of(4) + of(5)) + (of(6) + of(7)));
        double* waiting = task.waiting + 3 * n * static_cast<std::size_t>(round.into) + group * n + body;
        for (int k = round.add - 1; k >= 0; --k) total = waiting[3 * n * static_cast<std::size_t>(k)] + total;
        if (!task.acceleration)
            *waiting = total;
        else if (static_cast<std::uint32_t>(body) < task.count)
            (&task.acceleration[body].x)[group] = static_cast<Real>(total * task.scale);
    }
}

template <class Real>
__global__ void joinSpans(JoinTask<Real> task) {
    const int axis = blockIdx.y, body = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (static_cast<std::uint32_t>(body) >= task.count) return;
    double waiting[6];  // a node of each size at most
    int count = 0;
    for (int node = 0; node < task.nodes; ++node) {
        double sum = task.sums[node][static_cast<std::size_t>(axis) * task.bodies + body];
        for (int k = 0; k < task.joins[node]; ++k) sum = waiting[--count] + sum;
        waiting[count++] = sum;
    }
    (&task.acceleration[body].x)[axis] = static_cast<Real>(waiting[0] * task.scale);
}

/// Selects the kernel of a way to sum and a launch; null for launches that are not built.
template <class Real, SymmetricSums kSums>
Kernel<SymmetricTask<Real>> symmetricOf(const LaunchConfig& launch) {
    constexpr int kBodies = kSymmetricBodies<Real>;
    const bool warps = launch.block == 32, unroll = launch.unroll == 4, bodies = launch.bodiesPerThread == kBodies;
    if (warps && unroll && bodies) return kernelOf(symmetricRound<Real, kSums>);
    if constexpr (std::is_same_v<Real, float>) {
        // Only one factor at a time differs from the usual launch: each further one would double the compiled code.
        constexpr int kFewer = kFewerSymmetricBodies;
        if (warps && unroll && launch.bodiesPerThread == kFewer) return kernelOf(symmetricRound<Real, kSums, 4, kFewer>);
        if (unroll && bodies && launch.block <= 32 * kMostSymmetricWarps)
            return kernelOf(symmetricRound<Real, kSums, 4, kBodies, kMostSymmetricWarps>);
        if (warps && bodies)
            return Rotations::pick(launch.unroll,
                                   [](auto factor) { return kernelOf(symmetricRound<Real, kSums, factor()>); });
    }
    return {};
}

template <class Real>
Kernel<SymmetricTask<Real>> symmetricKernel(SymmetricSums sums, const LaunchConfig& launch) {
    switch (sums) {
        case SymmetricSums::slots:
            return symmetricOf<Real, SymmetricSums::slots>(launch);
        case SymmetricSums::slotsEqualMasses:
            return symmetricOf<Real, SymmetricSums::slotsEqualMasses>(launch);
        case SymmetricSums::slotsMassRuns:
            return symmetricOf<Real, SymmetricSums::slotsMassRuns>(launch);
        case SymmetricSums::atomics:
            return symmetricOf<Real, SymmetricSums::atomics>(launch);
    }
    return {};
}

template <class Real>
Kernel<SlotsTask<Real>> addSlotsKernel(int bodies) {
    if (bodies == kSymmetricBodies<Real>) return kernelOf(addSlots<Real, kSymmetricBodies<Real>>);
    if constexpr (std::is_same_v<Real, float>)
        if (bodies == kFewerSymmetricBodies) return kernelOf(addSlots<Real, kFewerSymmetricBodies>);
    return {};
}

template <class Real>
Kernel<JoinTask<Real>> joinSpansKernel() {
    return kernelOf(joinSpans<Real>);
}

}  // namespace gravlab::cuda
