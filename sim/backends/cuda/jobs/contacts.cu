// Boxes, their cells, and the search of pairs and near bodies.
#include "sim/backends/cuda/jobs/contacts.h"
#include "sim/contact/touch.h"
#include "sim/forces/cell_grid.h"

namespace gravlab::cuda {
namespace {

// Rounding of the host's paths and of these: pairs that the host needs are never left out.
constexpr double kContactMargin = 1e-6;
constexpr std::uint64_t kNoCell = (std::uint64_t{1} << kCellKeyBits) - 1;

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
    if (finite) atomicAdd(&task.facts->reaches[reachBin(reach)], 1u);
}

template <class Real>
__global__ void chooseContactCell(ContactTask<Real> task) {
    unsigned above = 0;
    int bin = static_cast<int>(kReachBins) - 1;
    for (; bin >= 0; --bin) {
        above += task.facts->reaches[bin];
        if (above > kMostLarge) break;
    }
    task.facts->bin = bin;
    const double half = static_cast<double>(__uint_as_float(static_cast<unsigned>(bin + 1) << 22));
    task.facts->perLength = bin >= 0 ? 1 / (2 * half * (1 + 1e-5)) : 0;
    task.facts->mostReach = bin >= 0 ? half : 0;
}

template <class Real>
__device__ bool isLarge(const ContactTask<Real>& task, std::uint32_t i) {
    return task.box[i].w >= 0 && reachBin(task.box[i].w) > task.facts->bin;
}

template <class Real>
__global__ void makeContactKeys(ContactTask<Real> task) {
    const std::uint32_t i = blockIdx.x * kContactThreads + threadIdx.x;
    if (i >= task.count) return;
    const Vec4<double> box = task.box[i];
    const double per = task.facts->perLength;
    const bool large = isLarge(task, i);
    task.key[i] =
        large || box.w < 0 ? kNoCell : cellKey(cellPlace(box.x, per), cellPlace(box.y, per), cellPlace(box.z, per));
    task.index[i] = i;
    if (large) task.facts->largeBodies[atomicAdd(&task.facts->large, 1u)] = i;
}

__device__ std::uint32_t placeOfContactKey(const std::uint64_t* keys, std::uint32_t count, std::uint64_t wanted) {
    std::uint32_t first = 0;
    for (std::uint32_t length = count; length > 0;) {
        const std::uint32_t half = length / 2;
        const bool below = keys[first + half] < wanted;
        first += below ? half + 1 : 0;
        length = below ? length - half - 1 : half;
    }
    return first;
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

/// Calls use(k, path of k, large) for all others that may touch body i although both leave their paths by their allowance.
template <class Real, class Use>
__device__ void forNear(const ContactTask<Real>& task, std::uint32_t i, std::uint32_t place, const Vec4<double>& box,
                        const DevicePath& path, const Use& use) {
    const auto compare = [&](std::uint32_t k, bool largeOne) {
        const Vec4<double> other = task.box[k];
        const double allowed = path.allowance + allowanceOf(task.radius[k], task.facts->mostReach);
        const double x = box.x - other.x, y = box.y - other.y, z = box.z - other.z, reach = box.w + other.w + allowed;
        if (other.w < 0 || x * x + y * y + z * z > reach * reach) return;
        const DevicePath to = pathOf(task, k);
        if (touchTime(path.end - to.end, path.way - to.way, path.radius + to.radius + allowed, 0, 1, true) >= 0)
            use(k, to, largeOne);
    };
    const bool large = isLarge(task, i);
    for (unsigned n = 0; n < task.facts->large; ++n) {
        const std::uint32_t k = task.facts->largeBodies[n];
        if (k != i) compare(k, true);
    }
    if (large) return;
    // The allowance reaches beyond the neighbours of a cell that a box fills, so the range has one of those on each side.
    const double allowed = path.allowance + task.facts->mostReach * (1 + 0.25);
    const double per = task.facts->perLength, around = box.w + allowed;
    const std::uint32_t left = cellPlace(box.x - around, per), right = cellPlace(box.x + around, per);
    const std::uint32_t low = cellPlace(box.y - around, per), high = cellPlace(box.y + around, per);
    const std::uint32_t near = cellPlace(box.z - around, per), far = cellPlace(box.z + around, per);
    for (std::uint32_t cz = near; cz <= far; ++cz)
        for (std::uint32_t cy = low; cy <= high; ++cy) {
            const std::uint64_t last = cellKey(right, cy, cz);
            std::uint32_t j = placeOfContactKey(task.sortedKey, task.count, cellKey(left, cy, cz));
            for (; j < task.count && task.sortedKey[j] <= last; ++j)
                if (j != place) compare(task.order[j], false);
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
        forNear(task, i, place, box, path, [&](std::uint32_t k, const DevicePath& to, bool largeOne) {
            ++found;
            // One of the two bodies notes the pair: the small one of a small and a large one.
            const bool mine = largeOne ? !large || i < k : i < k;
            if (!mine || touchTime(path.end - to.end, path.way - to.way, path.radius + to.radius, 0, 1, task.resting) < 0)
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
    forNear(task, i, place, box, path, [&](std::uint32_t k, const DevicePath&, bool largeOne) {
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
ContactKernels<Real> contactKernels() {
    return {kernelOf(boxContacts<Real>), kernelOf(chooseContactCell<Real>), kernelOf(makeContactKeys<Real>),
            kernelOf(searchContacts<Real>), kernelOf(keepPositions<Real>)};
}
template ContactKernels<float> contactKernels();
template ContactKernels<double> contactKernels();

}  // namespace gravlab::cuda
