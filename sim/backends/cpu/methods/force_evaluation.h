// The direct sum over all pairs as a force method: cut into pieces that can be run in several calls and on several threads.
// Rule: which pieces there are depends on N and the row alone, and pieces that share a target run in a fixed order.
#pragma once
#include "sim/backends/cpu/kernels/force_kernels.h"
#include "sim/backends/cpu/methods/cpu_method.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

namespace gravlab::cpu {

/// Who runs the pieces.
enum class Sharing { oneThread, pool, openMp };

/// Which loops a row runs, and how they are shared out.
template <class P>
struct DirectKernel {
    const LawKernels<P>* loops = nullptr;
    Split shape = Split::targets;
    Sharing sharing = Sharing::pool;
};

/// T: precision of the state and of the sums; P: of a pair. Mixed precision is double and float: positions are rounded for
/// the pairs, and the two parts of a sum are added in double.
///
/// Order of pieces, so that threads never change a bit: piece k works on chunk k mod chunks, or on two tiles of one round,
/// and adds to the two-level sums of its targets when `turn_` of each of its chunks has reached its round. Pieces are handed
/// out in ascending order, so the piece that one waits for is always being worked on.
///
/// Targets that are a part of the bodies stand side by side in arrays of their own, and every row runs its loops over
/// targets: each sum is then the same terms in the same order as among all, where a row has no tiles of pairs.
template <class T, class P>
class ForceEvaluation final : public CpuForceMethod<T> {
public:
    ForceEvaluation(const DirectKernel<P>& kernel, const MethodContext& context);

    void prepare(const CpuBodies<T>& bodies, const ForceRequest& request) override;
    ForceProgress enqueue(double seconds) override;
    bool underWay() const override { return done_ < total_; }
    double progress() const override { return underWay() ? static_cast<double>(done_) / static_cast<double>(total_) : 0; }
    void abandon() override { done_ = total_ = 0; }
    CpuForceSums<T> sums() const override;
    Accuracy accuracy() const override { return {.gate = gateOf(request_.settings)}; }

    /// Bytes that one holds for so many bodies.
    static double bytes(std::size_t bodies);

private:
    static constexpr bool kMixed = !std::is_same_v<T, P>;

    void run(Deadline deadline);
    void runTargets(std::int64_t index);
    void runPairs(std::int64_t index);
    TargetPiece targetPiece(std::int64_t index) const;
    template <class Run>
    void share(Deadline deadline, Run run);
    void runOpenMpPieces(Deadline deadline);
    void addParts();
    void gatherTargets();
    void spreadTargets();
    bool part() const { return !request_.active.all() || !request_.targets.all(); }
    std::int64_t pieces() const;

    DirectKernel<P> kernel_;
    MethodContext context_;
    ForceRequest request_;
    KernelSet<P> loops_;
    VectorArrays<P> sums_, lost_;        ///< the sums in two parts
    VectorArrays<P> pairPositions_;      ///< rounded; empty where state and pairs have the same precision
    AlignedArray<P> pairSource_;         ///< the same
    VectorArrays<T> whole_;              ///< both parts added; the same
    BodyView<P> bodies_{};               ///< as pairs read them
    TargetView<P> at_{};                 ///< the same of targets
    SumView<P> view_{};                  ///< of sums_ and lost_
    std::int64_t done_ = 0, total_ = 0;  ///< pieces
    double counted_ = 0;                 ///< pairs of the evaluation that enqueue() has told of
    std::size_t chunk_ = 0;              ///< targets or bodies of a piece
    std::int64_t chunks_ = 0;            ///< of all targets
    // Of a part of the bodies, from the first such evaluation on.
    std::vector<std::uint32_t> targets_;
    VectorArrays<P> targetPositions_;
    VectorArrays<T> spread_;       ///< sums in body order
    std::size_t targetCount_ = 0;  ///< of the evaluation under way
    bool inline_ = false;          ///< too small to be worth waking anyone
    /// For each chunk how many of its pieces are done; a piece waits for its turn.
    std::unique_ptr<std::atomic<std::int64_t>[]> turn_;
};

extern template class ForceEvaluation<float, float>;
extern template class ForceEvaluation<double, float>;
extern template class ForceEvaluation<double, double>;

}  // namespace gravlab::cpu
