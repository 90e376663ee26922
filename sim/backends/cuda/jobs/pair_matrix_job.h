// Computes a state's matrix of pair forces into a sink. Rule: everything is enqueued on the stream of the steps.
#pragma once
#include "sim/backends/cuda/jobs/matrix.h"
#include "sim/backends/cuda/runtime/memory.h"

#include <optional>

namespace gravlab::cuda {

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
    DeviceArray<MatrixFacts> facts_;
    PinnedArray<MatrixFacts> host_;
    OwnedEvent begin_, computed_, end_;
    bool running_ = false, whole_ = false;
    int edge_ = 0;
    int columns_ = 0;    ///< threads of a block that has a column of cells each; 0: edge x edge threads
    double factor_ = 1;  ///< factor of the forces, see forceFactor()
    double scale_ = 1;   ///< scale of the values
};

}  // namespace gravlab::cuda
