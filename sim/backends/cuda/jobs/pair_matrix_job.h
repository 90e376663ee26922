// Computes a state's matrix of pair forces into a sink. Rule: everything is enqueued on the stream of the steps.
#pragma once
#include "sim/api/law.h"
#include "sim/backends/cuda/kernels/packed.h"
#include "sim/backends/cuda/runtime/memory.h"
#include "sim/backends/pair_matrix.h"

#include <cstdint>
#include <optional>

namespace gravlab::cuda {

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
template <class Real>
class PairMatrixJob {
public:
    explicit PairMatrixJob(Stream stream);

    /// The functions of PairMatrixSource.
    bool enqueue(const Vec4<Real>* bodies, std::uint32_t count, const ForceSettings& force, const PairMatrixRequest& request,
                 FloatSink& sink);
    std::optional<PairMatrixResult> take();

private:
    void launch(MatrixTask<Real> task, const ForceSettings& force, float* levels);

    Stream stream_;
    DeviceArray<float> values_;
    Copied<MatrixFacts> facts_;
    OwnedEvent begin_, computed_, end_;
    bool running_ = false, whole_ = false;
    int edge_ = 0;
    int columns_ = 0;    ///< threads of a block that has a column of cells each; 0: edge x edge threads
    double factor_ = 1;  ///< factor of the forces, see forceFactor()
    double scale_ = 1;   ///< scale of the values
};

}  // namespace gravlab::cuda
