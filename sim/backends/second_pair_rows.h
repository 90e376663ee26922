// Registration of the kernels for a second pair law. Each backend's rows are beside its code; a row of CUDA exists in every
// build.
#pragma once
#include "sim/backends/kernel.h"

#include <string_view>

namespace gravlab {
namespace cpu {
/// Adds the rows with their code; the backend calls it once, before its first list of rows.
bool addSecondPairMethods();
}  // namespace cpu
namespace cuda {
/// The same; in builds without CUDA only the rows.
bool addSecondPairMethods();
/// The row of that name. Throws std::logic_error for a name that is none.
const KernelRow& secondPairRow(std::string_view name);
}  // namespace cuda
}  // namespace gravlab
