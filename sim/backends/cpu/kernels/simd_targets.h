// The instruction sets that the SIMD kernels were compiled for, and which of them this machine has.
// Rule: an instruction set is chosen per backend, never through a global.
#pragma once
#include "sim/backends/cpu/kernels/force_kernels.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace gravlab::cpu {

/// Loops that do one thing only, so that a core does as much of it as it can. What they return depends on all of it.
struct PeakLoops {
    static constexpr int kChains = 10;           ///< registers that go on side by side, which hides the latency of each
    float (*multiplyAdds)(std::int64_t rounds);  ///< a round: one a chain and lane
    float (*inverseRoots)(std::int64_t rounds);  ///< estimates, likewise
    float (*read)(const float* from, std::size_t count);
};

/// The SIMD kernels as compiled for one instruction set.
struct SimdTarget {
    std::string_view name;   ///< of --simd
    std::string_view title;  ///< for people
    std::int64_t highway;    ///< Highway's bit
    int lanes;               ///< fp32 bodies in one register
    LawKernels<float> kernels32;
    LawKernels<double> kernels64;
    PeakLoops peaks;
};

/// All that this build holds and this machine can run, best first; never empty.
std::span<const SimdTarget> simdTargets();

/// The one of that name. Throws UsageError naming those that work here.
const SimdTarget& simdTarget(std::string_view name);

/// Empty, or why `name` cannot be had here, with the names that can.
std::string whyNotSimd(std::string_view name);

}  // namespace gravlab::cpu
