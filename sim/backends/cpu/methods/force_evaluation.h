// The direct sum over all pairs as a force method, cut into pieces that run in several calls and on several threads. Rule:
// the pieces depend on N and the row alone, and pieces with a common target run in a fixed order.
#pragma once
#include "sim/backends/cpu/kernels/force_kernels.h"
#include "sim/backends/cpu/methods/cpu_method.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

namespace gravlab::cpu {

/// The threads that run the pieces.
enum class Sharing { oneThread, pool, openMp };

/// Which loops a row runs, and how threads divide them.
template <class P>
struct DirectKernel {
    const LawKernels<P>* loops = nullptr;
    Split shape = Split::targets;
    Sharing sharing = Sharing::pool;
};

/// T: precision of the state and of the sums; P: precision of a pair. Mixed precision is double and float: positions are
/// rounded for the pairs, and the two levels of a sum are added in double.
///
/// A fixed order of pieces keeps every bit, for any number of threads. Piece k works on chunk k mod chunks, or on two tiles
/// of one round. It adds to the two-level sums of its targets when `turn_` of each of its chunks has reached its round.
/// Pieces start in ascending order, so a piece that another one waits for is always running.
///
/// Targets that are a subset of the bodies are packed into separate arrays, and so are sources that are neither all bodies
/// nor the first ones. Every row then runs its loops over targets. For rows without tiles of pairs, each sum has the same
/// terms in the same order as in a force of all bodies.
template <class T, class P>
class ForceEvaluation final : public CpuForceMethod<T>, public PartMethod {
public:
    ForceEvaluation(const DirectKernel<P>& kernel, const MethodContext& context);

    void prepare(const CpuBodies<T>& bodies, const ForceRequest& request) override;
    ForceProgress enqueue(double seconds) override;
    bool underWay() const override { return done_ < total_; }
    double progress() const override { return underWay() ? static_cast<double>(done_) / static_cast<double>(total_) : 0; }
    void abandon() override { done_ = total_ = 0; }
    CpuForceSums<T> sums() const override;
    Accuracy accuracy() const override { return {.gate = gateOf(request_.settings)}; }
    void give(MessageWriter& to) const override;
    ForceWork take(const ForceRequest& part, MessageReader& from) override;
    void addEnds(const ForceRequest& part, std::vector<std::uint32_t>& to) const override;

    /// Bytes that the method holds for `bodies` bodies.
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
    void gatherSources();
    bool part() const { return !request_.active.all(); }
    bool byPairs() const { return kernel_.shape == Split::tilePairs && !part() && bodies_.count == targetCount_; }
    std::int64_t pieces() const;

    DirectKernel<P> kernel_;
    MethodContext context_;
    ForceRequest request_;
    KernelSet<P> loops_;
    VectorArrays<P> sums_, lost_;        ///< the two-level sums
    VectorArrays<P> pairPositions_;      ///< rounded; empty where state and pairs have the same precision
    AlignedArray<P> pairSource_;         ///< rounded like pairPositions_
    VectorArrays<T> whole_;              ///< both levels added; empty in the same case
    BodyView<P> bodies_{};               ///< sources of pairs
    TargetView<P> at_{};                 ///< targets of pairs
    SumView<P> view_{};                  ///< view of sums_ and lost_
    std::int64_t done_ = 0, total_ = 0;  ///< pieces
    double counted_ = 0;                 ///< pairs of the evaluation that enqueue() has reported
    std::size_t chunk_ = 0;              ///< targets or bodies per piece
    std::int64_t chunks_ = 0;            ///< chunks of all targets
    // For a subset of the bodies, allocated at the first such evaluation.
    std::vector<std::uint32_t> targets_;
    VectorArrays<P> targetPositions_;
    VectorArrays<T> spread_;       ///< sums in body order
    std::size_t targetCount_ = 0;  ///< targets of the evaluation under way
    // For sources in a list, allocated at the first such evaluation.
    VectorArrays<P> listPositions_;
    AlignedArray<P> listSource_;
    bool inline_ = false;  ///< too small to wake another thread for
    /// Done pieces of each chunk; a piece waits until this reaches its round.
    std::unique_ptr<std::atomic<std::int64_t>[]> turn_;
};

extern template class ForceEvaluation<float, float>;
extern template class ForceEvaluation<double, float>;
extern template class ForceEvaluation<double, double>;

}  // namespace gravlab::cpu
