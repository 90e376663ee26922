// The instruction sets that the SIMD kernels were compiled for, and which of them this machine has.
// Rule: an instruction set is chosen per backend, never through a global.
#pragma once
#include "sim/backends/cpu/kernels/force_kernels.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace gravlab::cpu {

/// Loops with one kind of work each, so that a core reaches its highest rate. Their results depend on all of the work.
struct PeakLoops {
    static constexpr int kChains = 10;           ///< independent registers, which hide the latency of each
    float (*multiplyAdds)(std::int64_t rounds);  ///< per round, one for each chain and lane
    float (*inverseRoots)(std::int64_t rounds);  ///< estimates, as many per round
    float (*read)(const float* from, std::size_t count);
};

/// The SIMD kernels as compiled for one instruction set.
struct SimdTarget {
    std::string_view name;   ///< of --simd
    std::string_view title;  ///< for display
    std::int64_t highway;    ///< Highway's bit
    int lanes;               ///< fp32 bodies in one register
    LawKernels<float> kernels32;
    LawKernels<double> kernels64;
    PeakLoops peaks;
};

/// All sets that this build holds and this machine can run, best first; never empty.
std::span<const SimdTarget> simdTargets();

/// The set of that name. Throws UsageError naming those that work here.
const SimdTarget& simdTarget(std::string_view name);

/// Why `name` cannot run here, with the names that can; empty when it can.
std::string whyNotSimd(std::string_view name);

}  // namespace gravlab::cpu
