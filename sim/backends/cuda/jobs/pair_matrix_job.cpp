// The launches for a matrix.
#include "sim/backends/cuda/jobs/pair_matrix_job.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace gravlab::cuda {
namespace {

// Few bodies make few tiles: small ones then keep more of the device busy.
int edgeFor(std::uint32_t cells) { return cells <= 128 ? 8 : cells <= 512 ? 16 : 32; }

}  // namespace

template <class Real>
PairMatrixJob<Real>::PairMatrixJob(Stream stream) : stream_(stream), facts_(1), host_(1) {}

template <class Real>
bool PairMatrixJob<Real>::enqueue(const Vec4<Real>* bodies, std::uint32_t count, const ForceSettings& force,
                                  const PairMatrixRequest& request, FloatSink& sink) {
    constexpr int kMostThreads = 1024;
    if (count == 0 || count > (request.whole ? kWholeMatrixBodies : kMatrixBodies)) return false;
    if (!request.whole && sink.space() != MemorySpace::cudaDevice) return false;
    const auto stride = static_cast<std::uint32_t>(request.whole ? 1 : matrixStride(count));
    const auto cells = request.whole ? count : static_cast<std::uint32_t>(matrixCells(count));
    const std::size_t all = static_cast<std::size_t>(cells) * cells;
    if (request.columns < 0 || request.columns > kMostThreads || (request.columns > 0 && stride > 1))
        throw UsageError("columns of the matrix are computed by 1 to 1,024 threads, where a cell is a pair");
    edge_ = request.columns > 0 ? request.columns : request.edge == 0 ? edgeFor(cells) : request.edge;
    if (request.columns == 0 && !matrixKernel<Real, Gravity>(edge_))
        throw UsageError("a tile of the matrix has 8, 16 or 32 cells a side");
    columns_ = request.columns;
    whole_ = request.whole;
    if (values_.size() < all) values_ = DeviceArray<float>(all);
    running_ = false;
    const MatrixTask<Real> task{.bodies = bodies,
                                .values = values_.data(),
                                .facts = facts_.data(),
                                .count = count,
                                .cells = cells,
                                .stride = stride,
                                .row = std::min(request.row, cells - 1),
                                .column = std::min(request.column, cells - 1),
                                .value = request.value,
                                .sign = forceFactor(force) < 0 ? -1.f : 1.f};
    if (whole_) {
        launch(task, force, nullptr);
        return running_ = true;
    }
    float* const levels = sink.open(all, stream_);
    if (!levels) return false;  // the sink has just lost its access to device memory
    try {
        launch(task, force, levels);
    } catch (...) {
        sink.close(stream_);
        throw;
    }
    sink.close(stream_);
    running_ = true;
    return true;
}

template <class Real>
void PairMatrixJob<Real>::launch(MatrixTask<Real> task, const ForceSettings& force, float* levels) {
    const auto edge = static_cast<unsigned>(edge_);
    const unsigned tiles = (task.cells + edge - 1) / edge;
    factor_ = std::abs(forceFactor(force));
    scale_ = task.value == PairValue::distance ? 1 : factor_;
    CUDA_CHECK(fillAsync(facts_.data(), 0, facts_.bytes(), stream_));
    CUDA_CHECK(recordEvent(begin_, stream_));
    const auto run = [&]<template <class> class Pair>() {
        const MatrixLawTask<Real, Pair<float>, Pair<double>> all{task, Pair<float>(force), Pair<double>(force)};
        if (columns_ > 0)
            launchKernel(matrixColumnsKernel<Real, Pair>(), {tiles, tiles}, edge, all, edge * 4 * sizeof(float), stream_);
        else
            launchKernel(matrixKernel<Real, Pair>(edge_), {tiles, tiles}, edge * edge, all, 0, stream_);
        CUDA_CHECK(recordEvent(computed_, stream_));
        launchKernel(matrixPairKernel<Real, Pair>(), {1}, 1, all, 0, stream_);
    };
    forLaw<LoopLaws>(loopLaw(force), run);
    constexpr unsigned kThreads = 256;
    const std::uint32_t all = task.cells * task.cells;
    if (levels)
        launchKernel(matrixLevelKernel(), {(all + kThreads - 1) / kThreads}, kThreads,
                     MatrixLevelTask{task.values, facts_.data(), levels, all, task.value}, 0, stream_);
    CUDA_CHECK(copyAsync(host_.data(), facts_.data(), sizeof(MatrixFacts), Copy::toHost, stream_));
    CUDA_CHECK(recordEvent(end_, stream_));
}

template <class Real>
std::optional<PairMatrixResult> PairMatrixJob<Real>::take() {
    if (!running_ || !end_.reached()) return std::nullopt;
    running_ = false;
    float milliseconds = 0;
    CUDA_CHECK(elapsedMilliseconds(milliseconds, begin_, whole_ ? computed_ : end_));
    const MatrixFacts& facts = *host_.data();
    MatrixPair pair = facts.pair;
    pair.force *= factor_;
    pair.value *= scale_;
    return PairMatrixResult{.strongest = std::bit_cast<float>(facts.strongest) * static_cast<float>(scale_),
                            .pair = pair,
                            .seconds = 1e-3 * static_cast<double>(milliseconds),
                            .edge = edge_};
}

template class PairMatrixJob<float>;
template class PairMatrixJob<double>;

}  // namespace gravlab::cuda
