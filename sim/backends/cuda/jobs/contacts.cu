// Finds bodies in contact: a tree of their paths, pairs, and lists of near bodies. Rule: pairs and lists are in any order;
// the host decides and orders.
#include "sim/backends/cuda/jobs/contact_scan.h"

#include "sim/backends/cuda/kernels/tree.h"
#include "sim/tree/key.h"

#include <algorithm>
#include <type_traits>
#include <utility>

namespace gravlab::cuda {
namespace {

constexpr unsigned kContactThreads = 256;
// Rounding of the host's paths and of these: pairs that the host needs are never left out.
constexpr double kContactMargin = 1e-6;
constexpr std::uint64_t kNoPlaceOnCurve = kOnlyTarget - 1;

template <class Real>
__device__ Vec3d endOf(const ContactTask<Real>& task, std::uint32_t i) {
    const Vec4<Real> x = task.bodies[i];
    return {static_cast<double>(x.x), static_cast<double>(x.y), static_cast<double>(x.z)};
}
__device__ int reachBin(double reach) { return static_cast<int>(__float_as_uint(__double2float_ru(reach)) >> 22); }

template <class Real>
__global__ void boxContacts(ContactTask<Real> task) {
    const std::uint32_t i = blockIdx.x * kContactThreads + threadIdx.x;
    if (i >= task.count) return;
    const Vec3d end = endOf(task, i), from = {task.before[i].x, task.before[i].y, task.before[i].z};
    const Vec3d middle = (end + from) * 0.5;
    const double reach = 0.5 * length(end - from) + task.radius[i] * (1 + kContactMargin);
    const bool finite = reach < 1e300 && reach >= 0;
    task.box[i] = {middle.x, middle.y, middle.z, finite ? reach : -1};
    if (!finite) return;
    atomicAdd(&task.facts->reaches[reachBin(reach)], 1u);
    atomicAdd(&task.facts->extents[reachBin(fmax(fmax(fabs(middle.x), fabs(middle.y)), fabs(middle.z)))], 1u);
}

/// The lowest bin with at most kMostLarge bodies above it; below 0: there are no more bodies.
__device__ int mostlyBelow(const unsigned* bins) {
    unsigned above = 0;
    int bin = static_cast<int>(kReachBins) - 1;
    for (; bin >= 0; --bin) {
        above += bins[bin];
        if (above > kMostLarge) break;
    }
    return bin;
}
__device__ double endOfBin(int bin) { return static_cast<double>(__uint_as_float(static_cast<unsigned>(bin + 1) << 22)); }

template <class Real>
__global__ void scaleContacts(ContactTask<Real> task) {
    const int bin = mostlyBelow(task.facts->reaches);
    task.facts->bin = bin;
    task.facts->mostReach = bin >= 0 ? endOfBin(bin) : 0;
    task.facts->extent = endOfBin(mostlyBelow(task.facts->extents));
}

template <class Real>
__device__ bool isLarge(const ContactTask<Real>& task, std::uint32_t i) {
    return task.box[i].w >= 0 && reachBin(task.box[i].w) > task.facts->bin;
}

/// A body on its way through the step, whose length is 1.
struct DevicePath {
    Vec3d end{}, way{};
    double radius = 0, allowance = 0;
};
template <class Real>
__device__ DevicePath pathOf(const ContactTask<Real>& task, std::uint32_t i) {
    const Vec3d end = endOf(task, i), from = {task.before[i].x, task.before[i].y, task.before[i].z};
    const double radius = task.radius[i];
    return {end, end - from, radius * (1 + kContactMargin), allowanceOf(radius, task.facts->mostReach)};
}

template <class Real>
__global__ void makeContactKeys(ContactTask<Real> task) {
    const std::uint32_t i = blockIdx.x * kContactThreads + threadIdx.x;
    if (i >= task.count) return;
    const Vec4<double> box = task.box[i];
    const double per = 1 / task.facts->extent;
    const bool large = isLarge(task, i);
    task.key[i] = large || box.w < 0 ? kNoPlaceOnCurve
                                     : hilbertKey(treePlace(box.x * per), treePlace(box.y * per), treePlace(box.z * per));
    task.index[i] = i;
    const DevicePath path = pathOf(task, i);
    task.half[i] = {path.way.x / 2, path.way.y / 2, path.way.z / 2, path.radius + path.allowance};
    if (large) task.facts->largeBodies[atomicAdd(&task.facts->large, 1u)] = i;
}

template <class Real>
__device__ HalfPath halfPathOf(const ContactTask<Real>& task, std::uint32_t i) {
    const Vec4<double> box = task.box[i], half = task.half[i];
    HalfPath path;
    path.middle = {box.x, box.y, box.z};
    path.half = {half.x, half.y, half.z};
    path.reach = box.w < 0 ? -1 : half.w;
    path.index = i;
    return path;
}

/// Bounds of the bodies of a leaf, or of the children of a node.
template <class Real>
__global__ void boundPaths(ContactTask<Real> task) {
    const std::uint32_t node = blockIdx.x * kContactThreads + threadIdx.x;
    const std::uint32_t first = task.firstNode[task.level];
    if (node >= task.firstNode[task.level + 1] - first) return;
    PathBounds bounds;
    const std::uint32_t below = task.level > 0 ? first - task.firstNode[task.level - 1] : task.count;
    for (std::uint32_t at = kPathFan * node; at < below && at < kPathFan * (node + 1); ++at) {
        if (task.level > 0) {
            bounds.add(task.nodes[task.firstNode[task.level - 1] + at]);
            continue;
        }
        const HalfPath path = halfPathOf(task, task.order[at]);
        if (path.reach >= 0 && !isLarge(task, path.index)) bounds.add(path);
    }
    task.nodes[first + node] = bounds;
}

/// Calls use(k, path of k, large) for all others that may touch body i although both leave their paths by their allowance.
template <class Real, class Use>
__device__ void forNear(const ContactTask<Real>& task, std::uint32_t i, std::uint32_t place, const DevicePath& path,
                        const Use& use) {
    const HalfPath half = halfPathOf(task, i);
    const auto compare = [&](std::uint32_t k, bool largeOne) {
        const HalfPath other = halfPathOf(task, k);
        if (other.reach < 0 || !comeNear(half.middle - other.middle, half.half - other.half, half.reach + other.reach))
            return;
        const DevicePath to = pathOf(task, k);
        const double allowed = path.allowance + to.allowance;
        if (touchTime(path.end - to.end, path.way - to.way, path.radius + to.radius + allowed, 0, 1, Overlap::counts) >= 0)
            use(k, to, largeOne);
    };
    const bool large = isLarge(task, i);
    for (unsigned n = 0; n < task.facts->large; ++n) {
        const std::uint32_t k = task.facts->largeBodies[n];
        if (k != i) compare(k, true);
    }
    if (large) return;
    // The nodes to visit, with their levels in the upper four bits.
    constexpr unsigned kLevelShift = 28;
    std::uint32_t open[kPathFan * kPathLevels];
    unsigned opened = 0;
    const unsigned top = task.levels - 1;
    for (std::uint32_t node = 0; node < task.firstNode[top + 1] - task.firstNode[top]; ++node)
        open[opened++] = top << kLevelShift | node;
    while (opened > 0) {
        const unsigned level = open[--opened] >> kLevelShift;
        const std::uint32_t node = open[opened] & ((1u << kLevelShift) - 1);
        if (!task.nodes[task.firstNode[level] + node].near(half, 0)) continue;
        const std::uint32_t below = level > 0 ? task.firstNode[level] - task.firstNode[level - 1] : task.count;
        for (std::uint32_t at = kPathFan * node; at < below && at < kPathFan * (node + 1); ++at) {
            if (level > 0)
                open[opened++] = (level - 1) << kLevelShift | at;
            else if (at != place && !isLarge(task, task.order[at]))
                compare(task.order[at], false);
        }
    }
}

template <class Real>
__global__ void searchContacts(ContactTask<Real> task) {
    const std::uint32_t place = blockIdx.x * kContactThreads + threadIdx.x;
    const std::uint32_t i = place < task.count ? task.order[place] : 0;
    const Vec4<double> box = place < task.count ? task.box[i] : Vec4<double>{0, 0, 0, -1};
    const DevicePath path = box.w >= 0 ? pathOf(task, i) : DevicePath{};
    const bool large = box.w >= 0 && isLarge(task, i);
    unsigned found = 0;
    if (box.w >= 0)
        forNear(task, i, place, path, [&](std::uint32_t k, const DevicePath& to, bool largeOne) {
            ++found;
            // One of the two bodies notes the pair: the small one of a small and a large one.
            const bool mine = largeOne ? !large || i < k : i < k;
            if (!mine || touchTime(path.end - to.end, path.way - to.way, path.radius + to.radius, 0, 1, Overlap::counts) < 0)
                return;
            const unsigned slot = atomicAdd(&task.facts->pairs, 1u);
            if (slot < task.pairRoom) task.pairs[slot] = {i, k};
        });
    // The lists of a warp are adjacent.
    constexpr unsigned kAll = 0xffffffffu;
    const unsigned lane = threadIdx.x % 32;
    unsigned upTo = found;
    for (unsigned step = 1; step < 32; step *= 2) {
        const unsigned other = __shfl_up_sync(kAll, upTo, step);
        if (lane >= step) upTo += other;
    }
    unsigned base = lane == 31 ? atomicAdd(&task.facts->near, upTo) : 0;
    base = __shfl_sync(kAll, base, 31);
    if (place >= task.count) return;
    unsigned next = base + upTo - found;
    task.lists[i] = {next, found};
    if (found == 0 || next + found > task.nearRoom) return;
    forNear(task, i, place, path, [&](std::uint32_t k, const DevicePath&, bool largeOne) {
        task.near[next++] = k;
        if (!largeOne || large) return;
        const unsigned slot = atomicAdd(&task.facts->nearLarge, 1u);
        if (slot < task.nearLargeRoom) task.nearLarge[slot] = {k, i};
    });
}

/// Paths of the next step begin here.
template <class Real>
__global__ void keepPositions(ContactTask<Real> task) {
    const std::uint32_t i = blockIdx.x * kContactThreads + threadIdx.x;
    if (i >= task.count) return;
    task.before[i] = task.bodies[i];
}

}  // namespace

template <class Real>
ContactScan<Real>::ContactScan(Stream stream) : stream_(stream) {
    facts_.reserve(1);
}

/// The newest values of the device, once the stream has been waited for.
template <class T>
std::span<const T> newest(Copied<T>& values, std::size_t count, Stream stream) {
    values.toHost(count, stream);
    return {values.host.data(), count};
}

// Arrays grow only: after a merger fewer bodies use the same memory.
template <class Real>
void ContactScan<Real>::reserve(std::uint32_t count) {
    task_.count = count;
    if (before_.device.size() >= count) return;
    before_.reserve(count);
    positions_ = PinnedArray<V>(count);
    velocities_ = PinnedArray<V>(count);
    arrays_ = {};  // before the larger ones take memory
    task_.box = arrays_.make<Vec4<double>>(count);
    task_.half = arrays_.make<Vec4<double>>(count);
    task_.nodes = arrays_.make<PathBounds>(count / (kPathFan - 1) + kPathLevels);
    task_.radius = arrays_.make<double>(count);
    spareRadius_ = arrays_.make<double>(count);
    task_.key = arrays_.make<std::uint64_t>(count);
    task_.sortedKey = arrays_.make<std::uint64_t>(count);
    task_.index = arrays_.make<std::uint32_t>(count);
    order_.reserve(count);
    lists_.reserve(count);
    scratch_ = DeviceArray<std::uint8_t>(sortBytes(count));
    // Most bodies have few others near them, so these arrays seldom grow.
    pairs_.reserve(std::max(count, 4096u));
    nearLarge_.reserve(4096);
    near_.reserve(std::max(8 * std::size_t{count}, std::size_t{4096}));
}

template <class Real>
const ContactTask<Real>& ContactScan<Real>::task(const V* bodies) {
    task_.bodies = bodies;
    task_.before = before_.device.data();
    task_.order = order_.device.data();
    task_.facts = facts_.device.data();
    task_.pairs = pairs_.device.data();
    task_.nearLarge = nearLarge_.device.data();
    task_.lists = lists_.device.data();
    task_.near = near_.device.data();
    task_.pairRoom = static_cast<unsigned>(pairs_.device.size());
    task_.nearRoom = static_cast<unsigned>(near_.device.size());
    task_.nearLargeRoom = static_cast<unsigned>(nearLarge_.device.size());
    // Levels up to one of at most kPathFan nodes.
    task_.levels = 0;
    for (std::uint32_t nodes = task_.count; task_.levels == 0 || nodes > kPathFan; ++task_.levels) {
        nodes = (nodes + kPathFan - 1) / kPathFan;
        task_.firstNode[task_.levels + 1] = task_.firstNode[task_.levels] + nodes;
    }
    return task_;
}

template <class Real>
void ContactScan<Real>::keep(const V* bodies) {
    launchEach(kernelOf(keepPositions<Real>), count(), kContactThreads, task(bodies), stream_);
}

template <class Real>
void ContactScan<Real>::begin(const V* bodies, const std::vector<Surface>& surfaces) {
    reserve(static_cast<std::uint32_t>(surfaces.size()));
    std::vector<double> radii(surfaces.size());
    std::ranges::transform(surfaces, radii.begin(), &Surface::radius);
    CUDA_CHECK(copyAsync(task_.radius, radii.data(), radii.size() * sizeof(double), Copy::toDevice, stream_));
    keep(bodies);
    CUDA_CHECK(waitForStream(stream_));
}

template <class Real>
bool ContactScan<Real>::find(const V* bodies, const V* velocities, FoundContacts& found) {
    ContactTask<Real> task = this->task(bodies);
    CUDA_CHECK(fillAsync(facts_.device.data(), 0, facts_.device.bytes(), stream_));
    launchEach(kernelOf(boxContacts<Real>), count(), kContactThreads, task, stream_);
    launchKernel(kernelOf(scaleContacts<Real>), {1}, 1, task, 0, stream_);
    launchEach(kernelOf(makeContactKeys<Real>), count(), kContactThreads, task, stream_);
    sortKeys(keysOf(task), scratch_.data(), scratch_.size(), stream_);
    for (task.level = 0; task.level < task.levels; ++task.level)
        launchEach(kernelOf(boundPaths<Real>), task.firstNode[task.level + 1] - task.firstNode[task.level], kContactThreads,
                   task, stream_);
    const ContactFacts& facts = *facts_.host.data();
    const auto search = [&] {
        launchEach(kernelOf(searchContacts<Real>), count(), kContactThreads, task, stream_);
        facts_.toHost(1, stream_);
        CUDA_CHECK(waitForStream(stream_));
    };
    search();
    while (facts.pairs > task.pairRoom || facts.near > task.nearRoom || facts.nearLarge > task.nearLargeRoom) {
        // Lists without room were not written, nor were their bodies near large ones.
        requireFewPairs(std::max<std::size_t>(facts.pairs, facts.near / 2 + facts.nearLarge), count());
        constexpr double kAhead = 1.25;
        const auto grown = [&](unsigned count) { return static_cast<std::size_t>(kAhead * count); };
        if (facts.pairs > task.pairRoom) pairs_.reserve(grown(facts.pairs));
        if (facts.near > task.nearRoom) near_.reserve(grown(facts.near));
        if (facts.nearLarge > task.nearLargeRoom) nearLarge_.reserve(grown(facts.nearLarge));
        task = this->task(bodies);
        CUDA_CHECK(fillAsync(&facts_.device.data()->pairs, 0, 3 * sizeof(unsigned), stream_));
        search();
    }
    if (facts.pairs > 0) {
        const auto raw = [](const PinnedArray<V>& vectors) -> RawVectors {
            if constexpr (std::is_same_v<Real, float>)
                return {.single = &vectors.data()->x};
            else
                return {.wide = &vectors.data()->x};
        };
        before_.toHost(count(), stream_);
        CUDA_CHECK(copyAsync(positions_.data(), bodies, count() * sizeof(V), Copy::toHost, stream_));
        CUDA_CHECK(copyAsync(velocities_.data(), velocities, count() * sizeof(V), Copy::toHost, stream_));
        found.before = raw(before_.host);
        found.position = raw(positions_);
        found.velocity = raw(velocities_);
        found.pairs = newest(pairs_, facts.pairs, stream_);
        found.lists = newest(lists_, count(), stream_);
        found.near = newest(near_, facts.near, stream_);
        found.nearLarge = newest(nearLarge_, facts.nearLarge, stream_);
        found.order = newest(order_, count(), stream_);
        found.large = {facts.largeBodies, facts.large};
        found.mostReach = facts.mostReach;
        CUDA_CHECK(waitForStream(stream_));
    }
    keep(bodies);
    return facts.pairs > 0;
}

template <class Real>
void ContactScan<Real>::change(const DeviceChanges& changes, std::uint32_t count, const V* bodies) {
    changes.scatter<Real>(nullptr, nullptr, task_.radius);
    if (changes.removes()) {
        changes.keep<double>(task_.radius, spareRadius_, count, count, 0.0);
        std::swap(task_.radius, spareRadius_);
    }
    task_.count = count;
    keep(bodies);
}

template class ContactScan<float>;
template class ContactScan<double>;

}  // namespace gravlab::cuda
