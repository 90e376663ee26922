// Bonds on a device: three ways to multiply a sparse matrix with a vector. Rule: no atomic adds to a sum; atomics only
// count. So an evaluation always has the same bits.
//
// An entry is the end of a bond at the body of its row: 4 bytes for the other body, and the number of its class where there
// are several. A pad or a broken bond leads to its own row.
#pragma once
#include "sim/backends/cuda/kernels/packed.h"
#include "sim/backends/cuda/runtime/launch.h"
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
template <class Real>
Kernel<BondRowTask<Real>> bondRowKernel();
/// The same for bonds that are all undamped springs, and of one class unless entries are ways.
template <class Real>
Kernel<BondRowTask<Real>> bondSpringKernel(bool ways);

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
template <class Real>
Kernel<BondElementTask<Real>> bondElementKernel();
/// Adds the carries to the sums; a warp for each.
template <class Real>
Kernel<BondElementTask<Real>> bondCarryKernel();

/// Bonds [first, end) of one colour: no two have a common body. Adds to the sums of both.
template <class Real>
struct BondColourTask {
    BondBodies<Real> bodies;
    const std::uint32_t *left, *right;
    BondClassIndex classes;
    std::uint32_t first, end;
};
template <class Real>
Kernel<BondColourTask<Real>> bondColourKernel();

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
/// Fills values and x. One thread an entry or a row, the larger number.
template <class Real>
Kernel<BondMatrixTask<Real>> bondFactorKernel();
/// Writes the sums. One thread a row.
template <class Real>
Kernel<BondMatrixTask<Real>> bondProductKernel();

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
Kernel<BreakRowsTask<Real>> breakRowsKernel();
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
template <class Real>
Kernel<BreakElementsTask<Real>> breakElementsKernel();

}  // namespace gravlab::cuda
