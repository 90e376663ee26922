// What backends share about the kernels for bonds.
#pragma once
#include "sim/backends/kernel.h"

#include <string_view>

namespace gravlab {

/// Relative error that 99 % of the bodies keep with the product of a library, in that precision of the state: its sums
/// cancel. Measured on an H200 in double precision: 1.3e-8.
template <class Real>
constexpr double bondLibraryError = sizeof(Real) == sizeof(float) ? 1e-3 : 1e-7;

namespace cpu {
/// Adds the rows with their code. Backends call it once, before their first list of rows.
bool addBondMethods();
}  // namespace cpu
namespace cuda {
/// The row of that name. Throws std::logic_error for a name that is none.
const KernelRow& bondRow(std::string_view name);
/// Why the row of the library cannot run here; empty when it can.
Reason whyNoBondLibrary();
/// The same; in builds without CUDA only the rows.
bool addBondMethods();
}  // namespace cuda

}  // namespace gravlab
