// The rows of kernels for bonds, on every backend. Rule: they are pure data: a row exists even where it cannot run.
#pragma once
#include "sim/backends/kernel.h"

#include <string_view>

namespace gravlab {

/// The row of that name, for the table that holds its code. Throws std::logic_error for a name that is none.
const KernelRow& bondRow(std::string_view backend, std::string_view name);

/// Relative error that 99 % of the bodies keep with the product of a library, in that precision of the state.
template <class Real>
constexpr double bondLibraryError = sizeof(Real) == sizeof(float) ? 1e-3 : 1e-10;

namespace cpu {
/// Adds the rows with their code. Backends call it once, before their first list of rows.
bool addBondMethods();
}  // namespace cpu
namespace cuda {
/// Why the row of the library cannot run here; empty when it can.
Reason whyNoBondLibrary();
/// The same; in builds without CUDA only the rows.
bool addBondMethods();
}  // namespace cuda

}  // namespace gravlab
