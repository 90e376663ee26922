// Factors that are built into kernels at compile time, and the choice among them at run time.
#pragma once
#include "sim/backends/kernel.h"

#include <type_traits>

namespace gravlab::cuda {

template <int kFirst, int... kOthers>
struct Factors {
    static constexpr int values[] = {kFirst, kOthers...};

    /// make(std::integral_constant<int, factor>()) for the factor that equals `wanted`. An empty result where that is not
    /// built.
    template <class Make>
    static auto pick(int wanted, Make make) {
        decltype(make(std::integral_constant<int, kFirst>())) result{};
        const auto take = [&](auto factor) {
            if (factor() == wanted) result = make(factor);
        };
        take(std::integral_constant<int, kFirst>());
        (take(std::integral_constant<int, kOthers>()), ...);
        return result;
    }
};

/// Of the loops over sources; the first is the compiler's own choice.
using AllUnrolls = Factors<kAutoUnroll, 1, 2, 3, 4, 8, 16, 32>;
/// The same of loops that are built too often for all.
using Unrolls = Factors<1, 2, 4, 8, 16, 32>;
/// Of the loop that lets partners go round the warp.
using Rotations = Factors<2, 4, 8>;
/// Of the loop of `many-steps`.
using StepUnrolls = Factors<1, 2, 4, 8>;
/// Targets that a thread holds in registers. Eight would not fit them in double precision.
using BodiesPerThread = Factors<1, 2, 4, 8>;
using BodiesPerThread64 = Factors<1, 2, 4>;

}  // namespace gravlab::cuda
