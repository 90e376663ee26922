// Paints a state's matrix of pair forces into a sink. Rule: everything is enqueued on the stream of the steps.
#pragma once
#include "sim/backends/cuda/measure/matrix.h"
#include "sim/backends/cuda/runtime/memory.h"

#include <optional>

namespace gravlab::cuda {

template <class Real>
class PairMatrixJob {
public:
    explicit PairMatrixJob(Stream stream);

    /// As PairMatrixJob::paintMatrix().
    bool paint(const Vec4<Real>* bodies, std::uint32_t count, const ForceSettings& force, const MatrixColours& colours,
               std::uint32_t row, std::uint32_t column, int edge, VertexSink& sink);
    std::optional<PaintedMatrix> take();

private:
    void enqueue(MatrixTask<Real> task, const ForceSettings& force, const MatrixColours& colours, std::uint32_t* pixels);

    Stream stream_;
    DeviceArray<float> forces_;
    DeviceArray<MatrixFacts> facts_;
    PinnedArray<MatrixFacts> host_;
    OwnedEvent begin_, end_;
    bool running_ = false;
    int edge_ = 0;
    double factor_ = 1;  ///< of what is painted, see forceFactor()
};

}  // namespace gravlab::cuda
