// Kernels that compute the matrix of pair forces, as the host sees them. All pointers are device memory.
#pragma once
#include "sim/backends/cuda/kernels/factors.h"
#include "sim/backends/cuda/kernels/packed.h"
#include "sim/backends/cuda/runtime/launch.h"
#include "sim/backends/pair_matrix.h"
#include "sim/forces/law.h"

#include <cstdint>
#include <tuple>

namespace gravlab::cuda {

/// Cells of a tile along a side.
using MatrixEdges = Factors<8, 16, 32>;

/// Facts of a matrix other than its cells.
struct MatrixFacts {
    unsigned strongest;  ///< the bits of the largest size: floats that are not negative order as their bits do
    MatrixPair pair;
};

/// Writes the largest value among the stride x stride pairs of each cell. A block has a tile of cells, a thread one cell.
template <class Real>
struct MatrixTask {
    const Vec4<Real>* bodies;
    float* values;  ///< cells x cells
    MatrixFacts* facts;
    std::uint32_t count, cells, stride;
    std::uint32_t row, column;  ///< indices of the wanted pair
    PairValue value;
    float sign;  ///< sign of the law
};
template <class Real, class Single, class Double>
struct MatrixLawTask {
    MatrixTask<Real> matrix;
    Single single;
    Double exact;  ///< force of the wanted pair
};
/// The level of each cell, see matrixLevel(). One thread a cell.
struct MatrixLevelTask {
    const float* values;
    const MatrixFacts* facts;
    float* levels;
    std::uint32_t count;  ///< cells of the whole matrix
    PairValue value;
};

template <class Real, class Laws>
struct MatrixKernels;
template <class Real, template <class> class... PairLaws>
struct MatrixKernels<Real, LawList<PairLaws...>> {
    using Kernels = std::tuple<Kernel<MatrixLawTask<Real, PairLaws<float>, PairLaws<double>>>...>;
    static Kernels tiles(int edge);
    static Kernels columns();
    static Kernels pairs();
};
/// The kernel for each of LoopLaws. Null for edges that are not built. It is launched with edge x edge threads in one
/// dimension.
template <class Real, template <class> class Law>
auto matrixKernel(int edge) {
    return std::get<Kernel<MatrixLawTask<Real, Law<float>, Law<double>>>>(MatrixKernels<Real, LoopLaws>::tiles(edge));
}
/// The same for a task whose cells are pairs: p threads a block, which has a tile of p x p cells, and room for p bodies in
/// shared memory.
template <class Real, template <class> class Law>
auto matrixColumnsKernel() {
    return std::get<Kernel<MatrixLawTask<Real, Law<float>, Law<double>>>>(MatrixKernels<Real, LoopLaws>::columns());
}
/// Finds the strongest pair of one cell of the same task, on one thread.
template <class Real, template <class> class Law>
auto matrixPairKernel() {
    return std::get<Kernel<MatrixLawTask<Real, Law<float>, Law<double>>>>(MatrixKernels<Real, LoopLaws>::pairs());
}
Kernel<MatrixLevelTask> matrixLevelKernel();

}  // namespace gravlab::cuda
