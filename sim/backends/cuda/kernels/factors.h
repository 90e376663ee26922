// Factors that are built into kernels at compile time, and the choice among them at run time.
#pragma once
#include "sim/backends/kernel.h"

#include <type_traits>

namespace gravlab::cuda {

template <int kFirst, int... kOthers>
struct Factors {
    static constexpr int values[] = {kFirst, kOthers...};

    /// Returns make(std::integral_constant<int, factor>()) for the factor that equals `wanted`, or an empty result where
    /// that is not built.
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

/// Unrolls of the loops over sources; the first is the compiler's choice.
using AllUnrolls = Factors<kAutoUnroll, 1, 2, 3, 4, 8, 16, 32>;
/// Unrolls of loops that are instantiated too often to build all.
using Unrolls = Factors<1, 2, 4, 8, 16, 32>;
/// Unrolls of rows that compare one detail with `tiled` or `global`.
using FewUnrolls = Factors<1, 4, 16>;
/// Unrolls of the loop that rotates partners through the warp.
using Rotations = Factors<2, 4, 8>;
/// Unrolls of the loop of `many-steps`.
using StepUnrolls = Factors<1, 2, 4, 8>;
/// Targets that a thread holds in registers. Eight would not fit them in double precision.
using BodiesPerThread = Factors<1, 2, 4, 8>;
using BodiesPerThread64 = Factors<1, 2, 4>;

}  // namespace gravlab::cuda
