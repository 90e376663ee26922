// Laws that end: bodies in the order of cells as large as the reach of the law, and for each group of them what is in the
// cells about it. Exact: what is left out is nothing. N bodies at the density of a liquid take O(N).
#pragma once
#include "sim/backends/cpu/aligned_array.h"
#include "sim/backends/cpu/methods/cpu_method.h"
#include "sim/backends/cpu/tree/key_sort.h"

#include <array>
#include <atomic>
#include <vector>

namespace gravlab::cpu {

/// T: precision of the state and of the sums; P: of a pair, see ForceEvaluation. The cells are made afresh for every
/// evaluation, so it keeps no state. Sums are in the order of cells, and in a cell in that of the bodies.
template <class T, class P>
class CellMethod final : public CpuForceMethod<T> {
public:
    explicit CellMethod(const MethodContext& context);

    void prepare(const CpuBodies<T>& bodies, const ForceRequest& request) override;
    ForceProgress enqueue(double seconds) override;
    bool underWay() const override { return step_ < kSteps; }
    double progress() const override;
    void abandon() override { step_ = kSteps; }
    CpuForceSums<T> sums() const override;
    Accuracy accuracy() const override { return {.gate = gateOf(request_.settings)}; }
    std::vector<MethodFigure> figures() const override { return figures_; }

    /// Bytes that one holds for `bodies` bodies.
    static double bytes(std::size_t bodies);

private:
    // What an evaluation consists of; it can stop after each, and between groups.
    enum Step : int { kKeys, kSorting, kGather = kSorting + KeySort::kPasses, kGroups, kWalk, kSteps };
    /// Bodies of one row that are summed together.
    struct Group {
        std::uint32_t first, count, row;
    };

    void run(Deadline deadline);
    void makeKeys();
    void gather();
    void makeGroups();
    bool walk(Deadline deadline);
    /// Sums a group; its pairs.
    std::uint64_t sum(const BodyView<P>& sorted, const Group& group);
    std::int64_t batches() const;
    void tell();

    MethodContext context_;
    std::size_t batchGroups_;  ///< that one thread takes at a time
    ForceRequest request_;
    CpuBodies<T> bodies_{};
    CellKernel<P> loop_ = nullptr;
    KeySort sort_;
    RawArray<std::uint32_t> order_;     ///< body of each place
    RawArray<std::uint32_t> cell_;      ///< of each place, within its row
    std::array<RawArray<P>, 3> at_;     ///< in the order of places
    RawArray<P> source_;                ///< the same
    RawArray<std::uint64_t> row_;       ///< those with bodies, in their order
    RawArray<std::uint32_t> rowFirst_;  ///< place of each, and of what would follow the last
    RawArray<Group> groups_;
    std::size_t rows_ = 0, groupCount_ = 0, cells_ = 0, mostInCell_ = 0;
    VectorArrays<T> sums_;
    int step_ = kSteps;
    std::int64_t batch_ = 0;                  ///< of the walk under way, done
    std::uint64_t pairs_ = 0, reported_ = 0;  ///< of the evaluation, and those that enqueue() has reported
    std::array<double, kSteps> seconds_{};
    std::vector<MethodFigure> figures_;
};

extern template class CellMethod<float, float>;
extern template class CellMethod<double, float>;
extern template class CellMethod<double, double>;

}  // namespace gravlab::cpu
