// Bonds on a device: three ways to multiply a sparse matrix with a vector. Rule: no atomic adds to a sum; atomics only
// count. So an evaluation always has the same bits.
//
// An entry is the end of a bond at the body of its row: 4 bytes for the other body, and the number of its class where there
// are several. A pad or a broken bond leads to its own row.
#pragma once
#include "sim/backends/cuda/kernels/rows.cuh"
#include "sim/forces/bonds/bond_force.h"

#include <cstdint>

namespace gravlab::cuda {

/// Elements that a warp adds up.
constexpr std::uint32_t kElementsPerWarp = 256;
constexpr std::uint32_t kNoRow = 0xffffffffu;

/// What all kernels read of bonds. Device memory.
template <class Real>
struct BondBodies {
    const Vec4<Real>* positions = nullptr;
    const Vec4<Real>* velocities = nullptr;  ///< null: no bond is damped
    Vec4<Real>* sums = nullptr;              ///< forces over sources
    const BondClass<Real>* classes = nullptr;
};
/// An undamped spring: the force over the way is stiffness - product / distance.
template <class Real>
struct alignas(2 * sizeof(Real)) Spring {
    Real stiffness, product;  ///< product: stiffness times rest length
};
/// Class numbers of entries.
struct BondClassIndex {
    const void* of = nullptr;
    int bytes = 0;  ///< 0: all have the first class, or entries contain it; 1 or 4: bytes a number
};

/// An entry of a table as a way: that from its row to the other body, in the upper 24 bits, and its class in the lower 8.
constexpr std::uint32_t wayEntry(std::int64_t way, std::uint32_t number) {
    return static_cast<std::uint32_t>(way * 256) | number;
}
constexpr std::int64_t kLongestWay = (1 << 23) - 1;
constexpr std::size_t kMostWayClasses = 256;

/// Tables of kTableRows rows, each as wide as its longest row; the entry of column c and row r is entries[32 c + r % 32].
template <class Real>
struct BondRowTask {
    BondBodies<Real> bodies;
    const std::uint32_t* firstColumn;  ///< of each table, and one more
    std::uint32_t* entries;            ///< other bodies, or ways
    BondClassIndex classes;
    std::uint32_t rows;
    bool ways;                    ///< see wayEntry()
    const Spring<Real>* springs;  ///< of each class, for the kernel for springs
    std::uint32_t classCount;
};

/// Entries in the order of their rows. The kernel adds the rows that end within a warp to the sums; the sum of the row that
/// a warp leaves open is its carry.
template <class Real>
struct BondElementTask {
    BondBodies<Real> bodies;
    const std::uint32_t* row;
    std::uint32_t* other;
    BondClassIndex classes;
    std::uint32_t entries;
    Vec4<Real>* carry;
    std::uint32_t* carryRow;
    std::uint32_t carries;
};

/// Bonds [first, end) of one colour: no two have a common body. Adds to the sums of both.
template <class Real>
struct BondColourTask {
    BondBodies<Real> bodies;
    const std::uint32_t *left, *right;
    BondClassIndex classes;
    std::uint32_t first, end;
};

/// A matrix for a library: the factor of each entry, times positions with a fourth number 1. The force on a body is the
/// first three columns of the product less its own position times the fourth, where nearly equal numbers cancel.
template <class Real>
struct BondMatrixTask {
    BondBodies<Real> bodies;
    const std::uint32_t *row, *other;
    BondClassIndex classes;
    std::uint32_t entries, rows;
    Real* values;   ///< of the entries
    Vec4<Real>* x;  ///< positions and 1
    Vec4<Real>* product;
};

/// Numbers of the bonds that broke. Their order differs from run to run; as a set they do not.
struct BrokenLog {
    std::uint32_t* count;
    std::uint32_t* bonds;
};
/// Breaks entries at the end of a step. `bond`: number of the bond of each entry.
template <class Real>
struct BreakRowsTask {
    BondRowTask<Real> rows;
    const std::uint32_t* bond;
    BrokenLog log;
};
template <class Real>
struct BreakElementsTask {
    BondBodies<Real> bodies;
    const std::uint32_t* row;
    std::uint32_t* other;
    BondClassIndex classes;
    std::uint32_t entries;
    const std::uint32_t* bond;
    BrokenLog log;
    bool once;  ///< each bond has one entry, else one at each end
};

namespace {

constexpr unsigned kAllLanes = 0xffffffffu;

__device__ std::uint32_t classOf(const BondClassIndex& classes, std::size_t entry) {
    if (classes.bytes == 0) return 0;
    return classes.bytes == 1 ? static_cast<const std::uint8_t*>(classes.of)[entry]
                              : static_cast<const std::uint32_t*>(classes.of)[entry];
}

/// The far end of an entry, and its class.
struct BondEnd {
    std::uint32_t other, number;
};
__device__ BondEnd wayFrom(std::uint32_t row, std::uint32_t entry) {
    return {row + static_cast<std::uint32_t>(static_cast<std::int32_t>(entry) >> 8), entry & 0xffu};
}
template <class Real>
__device__ BondEnd endOf(const BondRowTask<Real>& task, std::uint32_t row, std::size_t place) {
    const std::uint32_t entry = task.entries[place];
    return task.ways ? wayFrom(row, entry) : BondEnd{entry, classOf(task.classes, place)};
}

template <class Packed>
__device__ auto xyzOf(const Packed& a) {
    return Vec3<decltype(a.x)>{a.x, a.y, a.z};
}

template <class Real>
__device__ Vec3<Real> forceOf(const BondBodies<Real>& bodies, const BondClass<Real>& bond, std::uint32_t i, std::uint32_t j,
                              const Vec3<Real>& at) {
    Vec3<Real> parting{0, 0, 0};
    if (bodies.velocities) parting = xyzOf(bodies.velocities[j]) - xyzOf(bodies.velocities[i]);
    return bondForce(bond, xyzOf(bodies.positions[j]) - at, parting);
}

template <class Packed>
__device__ auto inverseSource(const Packed& body) {
    return body.w != 0 ? 1 / body.w : 0;
}

template <class Packed, class Real>
__device__ void addTo(Packed& sum, const Vec3<Real>& value) {
    sum.x += value.x;
    sum.y += value.y;
    sum.z += value.z;
}

template <class Real>
__global__ void rowSums(BondRowTask<Real> task) {
    const std::uint32_t row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= task.rows) return;
    const Vec4<Real> body = task.bodies.positions[row];
    const Vec3<Real> at = xyzOf(body);
    const BondClass<Real> first = task.bodies.classes[0];
    Vec3<Real> sum{0, 0, 0};
    const std::uint32_t end = task.firstColumn[row / kTableRows + 1];
    for (std::uint32_t column = task.firstColumn[row / kTableRows]; column < end; ++column) {
        const BondEnd bond = endOf(task, row, static_cast<std::size_t>(column) * kTableRows + row % kTableRows);
        sum += forceOf(task.bodies, bond.number == 0 ? first : task.bodies.classes[bond.number], row, bond.other, at);
    }
    sum *= inverseSource(body);
    task.bodies.sums[row] = {sum.x, sum.y, sum.z, 0};
}

template <class Real>
__device__ __forceinline__ void addSpring(Vec3<Real>& sum, const Vec3<Real>& at, const Vector<Real>& other,
                                          const Spring<Real>& spring) {
    // Far below any square of a distance, so that a pad has the finite factor of a force 0.
    constexpr Real kTiny = std::is_same_v<Real, float> ? Real(1e-36) : Real(1e-300);
    const Vec3<Real> apart = xyzOf(other) - at;
    const Real inverse = inverseRoot(apart.x * apart.x + (apart.y * apart.y + (apart.z * apart.z + kTiny)));
    sum += (spring.stiffness - spring.product * inverse) * apart;
}

/// The same for bonds that are all undamped springs, and of one class unless entries are ways.
template <class Real, bool kWays>
__global__ void springSums(BondRowTask<Real> task) {
    // On an H200, a cloth of three classes takes 0.079 ms with springs in memory and 0.067 ms with these.
    __shared__ Spring<Real> springs[kWays ? kMostWayClasses : 1];
    if constexpr (kWays) {
        for (std::uint32_t k = threadIdx.x; k < task.classCount; k += blockDim.x) springs[k] = task.springs[k];
        __syncthreads();
    }
    const std::uint32_t row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= task.rows) return;
    const Vector<Real>* positions = asVectors(task.bodies.positions);
    const Vector<Real> body = positions[row];
    const Vec3<Real> at = xyzOf(body);
    const Spring<Real> only = task.springs[0];
    const std::uint32_t first = task.firstColumn[row / kTableRows], end = task.firstColumn[row / kTableRows + 1];
    Vec3<Real> sum{0, 0, 0};
    walkRow(
        rowEntries(task.entries, first, row), end - first,
        [&](std::uint32_t entry) { return positions[kWays ? wayFrom(row, entry).other : entry]; },
        [&](std::uint32_t entry, const Vector<Real>& other) {
            addSpring(sum, at, other, kWays ? springs[wayFrom(row, entry).number] : only);
        });
    sum *= inverseSource(body);
    asVectors(task.bodies.sums)[row] = {sum.x, sum.y, sum.z, 0};
}

template <class Real>
__device__ Vec3<Real> laneOf(const Vec3<Real>& value, unsigned lane) {
    return {__shfl_sync(kAllLanes, value.x, lane), __shfl_sync(kAllLanes, value.y, lane),
            __shfl_sync(kAllLanes, value.z, lane)};
}

template <class Real>
__global__ void elementSums(BondElementTask<Real> task) {
    const std::uint32_t warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    const unsigned lane = threadIdx.x % 32;
    if (warp >= task.carries) return;
    const std::uint32_t begin = warp * kElementsPerWarp, end = min(begin + kElementsPerWarp, task.entries);
    Vec3<Real> carry{0, 0, 0};
    std::uint32_t carryRow = task.row[begin];
    for (std::uint32_t base = begin; base < end; base += 32) {
        const std::uint32_t entry = base + lane;
        const bool valid = entry < end;
        const std::uint32_t row = valid ? task.row[entry] : kNoRow;
        Vec3<Real> value{0, 0, 0};
        if (valid) {
            const std::uint32_t other = task.other[entry];
            const Vec4<Real> body = task.bodies.positions[row];
            if (other != row)
                value = inverseSource(body) *
                        forceOf(task.bodies, task.bodies.classes[classOf(task.classes, entry)], row, other, xyzOf(body));
        }
        const std::uint32_t firstRow = __shfl_sync(kAllLanes, row, 0);
        if (lane == 0) {
            if (carryRow == firstRow)
                value = carry + value;
            else
                addTo(task.bodies.sums[carryRow], carry);
        }
        // Each lane adds up the lanes before it of its own row.
        for (unsigned step = 1; step < 32; step *= 2) {
            const Vec3<Real> before{__shfl_up_sync(kAllLanes, value.x, step), __shfl_up_sync(kAllLanes, value.y, step),
                                    __shfl_up_sync(kAllLanes, value.z, step)};
            const std::uint32_t rowBefore = __shfl_up_sync(kAllLanes, row, step);
            if (lane >= step && rowBefore == row) value = before + value;
        }
        const std::uint32_t next = __shfl_down_sync(kAllLanes, row, 1);
        const unsigned last = min(31u, end - base - 1);
        if (lane < last && next != row) addTo(task.bodies.sums[row], value);
        carry = laneOf(value, last);
        carryRow = __shfl_sync(kAllLanes, row, last);
    }
    if (lane != 0) return;
    task.carry[warp] = {carry.x, carry.y, carry.z, 0};
    task.carryRow[warp] = carryRow;
}

/// Adds the carries to the sums; a warp for each.
template <class Real>
__global__ void carrySums(BondElementTask<Real> task) {
    const std::uint32_t warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    const unsigned lane = threadIdx.x % 32;
    if (warp >= task.carries) return;
    // The first carry of a row adds all carries of the row, which are next to each other.
    const std::uint32_t row = task.carryRow[warp];
    if (warp > 0 && task.carryRow[warp - 1] == row) return;
    Vec3<Real> sum{0, 0, 0};
    for (std::uint32_t base = warp;; base += 32) {
        const std::uint32_t k = base + lane;
        const bool own = k < task.carries && task.carryRow[k] == row;
        if (own) sum += xyzOf(task.carry[k]);
        if (!__all_sync(kAllLanes, own)) break;
    }
    for (int step = 16; step > 0; step /= 2)
        sum += Vec3<Real>{__shfl_xor_sync(kAllLanes, sum.x, step), __shfl_xor_sync(kAllLanes, sum.y, step),
                          __shfl_xor_sync(kAllLanes, sum.z, step)};
    if (lane == 0) addTo(task.bodies.sums[row], sum);
}

template <class Real>
__global__ void symmetricSums(BondColourTask<Real> task) {
    const std::uint32_t k = task.first + blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= task.end) return;
    const std::uint32_t i = task.left[k], j = task.right[k];
    if (i == j) return;
    const Vec4<Real> first = task.bodies.positions[i], second = task.bodies.positions[j];
    const BondClass<Real> bond = task.bodies.classes[classOf(task.classes, k)];
    const Vec3<Real> force = forceOf(task.bodies, bond, i, j, xyzOf(first));
    addTo(task.bodies.sums[i], inverseSource(first) * force);
    addTo(task.bodies.sums[j], -inverseSource(second) * force);
}

/// Fills values and x. One thread per entry or row, the larger number.
template <class Real>
__global__ void fillFactors(BondMatrixTask<Real> task) {
    const std::uint32_t k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k < task.rows) {
        const Vec4<Real> body = task.bodies.positions[k];
        task.x[k] = {body.x, body.y, body.z, 1};
    }
    if (k >= task.entries) return;
    const std::uint32_t i = task.row[k], j = task.other[k];
    Real factor = 0;
    if (i != j) {
        Vec3<Real> parting{0, 0, 0};
        if (task.bodies.velocities) parting = xyzOf(task.bodies.velocities[j]) - xyzOf(task.bodies.velocities[i]);
        factor = bondFactor(task.bodies.classes[classOf(task.classes, k)],
                            xyzOf(task.bodies.positions[j]) - xyzOf(task.bodies.positions[i]), parting);
    }
    task.values[k] = factor;
}

/// Writes the sums. One thread per row.
template <class Real>
__global__ void takeProduct(BondMatrixTask<Real> task) {
    const std::uint32_t row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= task.rows) return;
    const Vec4<Real> body = task.bodies.positions[row], product = task.product[row];
    const Vec3<Real> force = inverseSource(body) * (xyzOf(product) - product.w * xyzOf(body));
    task.bodies.sums[row] = {force.x, force.y, force.z, 0};
}

template <class Real>
__device__ bool breaksHere(const BondBodies<Real>& bodies, const BondClass<Real>& bond, std::uint32_t i, std::uint32_t j) {
    // Signs of a difference do not change its length: both ends of a bond decide alike.
    return i != j && bondBreaks(bond, length(xyzOf(bodies.positions[j]) - xyzOf(bodies.positions[i])));
}

__device__ void note(const BrokenLog& log, std::uint32_t bond) { log.bonds[atomicAdd(log.count, 1u)] = bond; }

template <class Real>
__global__ void breakRows(BreakRowsTask<Real> task) {
    const BondRowTask<Real>& rows = task.rows;
    const std::uint32_t row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows.rows) return;
    const std::uint32_t end = rows.firstColumn[row / kTableRows + 1];
    for (std::uint32_t column = rows.firstColumn[row / kTableRows]; column < end; ++column) {
        const std::size_t place = static_cast<std::size_t>(column) * kTableRows + row % kTableRows;
        const BondEnd bond = endOf(rows, row, place);
        if (!breaksHere(rows.bodies, rows.bodies.classes[bond.number], row, bond.other)) continue;
        rows.entries[place] = rows.ways ? bond.number : row;  // the way is 0
        if (row < bond.other) note(task.log, task.bond[place]);
    }
}

template <class Real>
__global__ void breakElements(BreakElementsTask<Real> task) {
    const std::uint32_t entry = blockIdx.x * blockDim.x + threadIdx.x;
    if (entry >= task.entries) return;
    const std::uint32_t row = task.row[entry], other = task.other[entry];
    if (!breaksHere(task.bodies, task.bodies.classes[classOf(task.classes, entry)], row, other)) return;
    task.other[entry] = row;
    if (task.once || row < other) note(task.log, task.bond[entry]);
}

}  // namespace
}  // namespace gravlab::cuda
