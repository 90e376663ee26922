// Boxes, their cells, and the search of pairs.
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
    if (large) task.large[atomicAdd(&task.facts->large, 1u)] = i;
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

template <class Real>
__global__ void searchContacts(ContactTask<Real> task) {
    const std::uint32_t place = blockIdx.x * kContactThreads + threadIdx.x;
    if (place >= task.count) return;
    const std::uint32_t i = task.order[place];
    const Vec4<double> box = task.box[i];
    if (box.w < 0) return;
    const Vec3d end = endOf(task, i);
    const Vec3d way = end - Vec3d{task.before[i].x, task.before[i].y, task.before[i].z};
    const double radius = task.radius[i];
    const auto compare = [&](std::uint32_t k) {
        const Vec4<double> other = task.box[k];
        const double x = box.x - other.x, y = box.y - other.y, z = box.z - other.z, reach = box.w + other.w;
        if (other.w < 0 || x * x + y * y + z * z > reach * reach) return;
        const Vec3d otherEnd = endOf(task, k);
        const Vec3d otherWay = otherEnd - Vec3d{task.before[k].x, task.before[k].y, task.before[k].z};
        const double both = (radius + task.radius[k]) * (1 + kContactMargin);
        if (touchTime(end - otherEnd, way - otherWay, both, 0, 1, task.resting) < 0) return;
        const unsigned slot = atomicAdd(&task.facts->pairs, 1u);
        if (slot < task.capacity) task.pairs[slot] = {i, k};
    };
    const bool large = isLarge(task, i);
    for (unsigned n = 0; n < task.facts->large; ++n) {
        const std::uint32_t k = task.large[n];
        if (k != i && (!large || i < k)) compare(k);
    }
    if (large) return;
    const std::uint64_t key = task.sortedKey[place], row = cellRow(key), x = cellOfRow(key);
    for (int which = 0; which < kCellRows; ++which) {
        const std::uint64_t cells = neighbourRow(row, which) << kCellBits;
        std::uint32_t j = placeOfContactKey(task.sortedKey, task.count, cells + x - 1);
        for (; j < task.count && task.sortedKey[j] <= cells + x + 1; ++j)
            if (i < task.order[j]) compare(task.order[j]);
    }
}

/// Paths of the next step begin here.
template <class Real>
__global__ void keepPositions(ContactTask<Real> task) {
    const std::uint32_t i = blockIdx.x * kContactThreads + threadIdx.x;
    if (i >= task.count) return;
    const Vec3d x = endOf(task, i);
    task.before[i] = {x.x, x.y, x.z, 0};
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
