// Mixed precision: pairs have units of their own, so the state may hold lengths and masses beyond single precision.
#pragma once
#include "sim/backends/cpu/aligned_array.h"
#include "sim/backends/cpu/methods/cpu_method.h"
#include "sim/backends/pair_units.h"

#include <memory>
#include <optional>

namespace gravlab::cpu {

/// A method of mixed precision with its bodies in suitable units, which are powers of two, so that they do not change
/// rounding. The first evaluation chooses the units, and later ones keep them. Where they are the units of the state, the
/// method runs directly.
class InPairUnits final : public CpuForceMethod<double> {
public:
    InPairUnits(std::unique_ptr<CpuForceMethod<double>> pairs, const MethodContext& context);

    void prepare(const CpuBodies<double>& bodies, const ForceRequest& request) override;
    ForceProgress enqueue(double seconds) override { return pairs_->enqueue(seconds); }
    bool underWay() const override { return pairs_->underWay(); }
    double progress() const override { return pairs_->progress(); }
    void abandon() override { pairs_->abandon(); }
    CpuForceSums<double> sums() const override;
    Accuracy accuracy() const override { return pairs_->accuracy(); }
    std::vector<MethodFigure> figures() const override { return pairs_->figures(); }
    std::vector<std::uint32_t> partEnds() const override { return pairs_->partEnds(); }
    bool keepsState() const override { return pairs_->keepsState(); }
    std::vector<StateArray> state() const override;
    bool restore(const std::vector<StateArray>& state) override;

    /// Bytes that it holds for `bodies` bodies, without those of its pairs.
    static double bytes(std::size_t bodies);

private:
    std::unique_ptr<CpuForceMethod<double>> pairs_;
    ThreadPool& pool_;
    VectorArrays<double> positions_;
    AlignedArray<double> source_;
    std::optional<PairUnits> units_;
    double back_ = 1;  ///< factor from accelerations of the pairs to those of the state
};

}  // namespace gravlab::cpu
