// Registration of the kernels for force terms beside the pair law. The rows are beside the code of each backend.
#pragma once
#include "sim/backends/kernel.h"

#include <string_view>

namespace gravlab {

/// Relative error that 99 % of the bodies keep with the product of a library, in that precision of the state: its sums
/// cancel. Measured on an H200 in double precision: 1.3e-8.
template <class Real>
constexpr double bondLibraryError = sizeof(Real) == sizeof(float) ? 1e-3 : 1e-7;

namespace cpu {
/// Each adds the rows of one term with their code.
bool addBondMethods();
bool addSecondPairMethods();
bool addOuterMethods();
}  // namespace cpu

namespace cuda {
/// Adds the rows of all terms with their code; in builds without CUDA only the rows.
bool addTermMethods();
bool addBondMethods();
bool addSecondPairMethods();
bool addOuterMethods();
/// The row of that term and name. Throws std::logic_error where there is none.
const KernelRow& termRow(std::string_view term, std::string_view name);
/// Why the row of the library for bonds cannot run here; empty when it can.
Reason whyNoBondLibrary();
}  // namespace cuda

}  // namespace gravlab
