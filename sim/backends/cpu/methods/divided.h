// A force method whose evaluations are divided: a part here, the others on helpers. Each has all bodies, computes the sums
// of its own part, and the first one collects them. Rule: no bit of a result depends on the number of parts or their sizes.
#pragma once
#include "sim/backends/cpu/methods/cpu_method.h"
#include "sim/backends/exchange.h"

#include <memory>

namespace gravlab::cpu {

/// The method with its evaluations divided among `context.exchange`, where its row can be divided for that many bodies;
/// otherwise itself. Helpers make their methods of that row and precision at the first division.
template <class T>
std::unique_ptr<CpuForceMethod<T>> divided(std::unique_ptr<CpuForceMethod<T>> own, const CpuKernel& kernel,
                                           Precision precision, const MethodContext& context);
extern template std::unique_ptr<CpuForceMethod<float>> divided(std::unique_ptr<CpuForceMethod<float>> own,
                                                               const CpuKernel& kernel, Precision precision,
                                                               const MethodContext& context);
extern template std::unique_ptr<CpuForceMethod<double>> divided(std::unique_ptr<CpuForceMethod<double>> own,
                                                                const CpuKernel& kernel, Precision precision,
                                                                const MethodContext& context);

/// The helper that computes part `part`, from 1, with `threads` threads of its own.
std::unique_ptr<Helper> partHelper(std::size_t part, int threads, const SimdTarget& simd);

}  // namespace gravlab::cpu
