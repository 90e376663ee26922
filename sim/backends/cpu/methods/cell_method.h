// Method for laws that end: bodies are in the order of cells as large as the reach of the law, and each group of bodies
// visits the cells around it. It is exact, because the pairs left out have no force. At the density of a liquid it is O(N).
#pragma once
#include "sim/backends/cpu/aligned_array.h"
#include "sim/backends/cpu/methods/cpu_method.h"
#include "sim/backends/cpu/tree/key_sort.h"

#include <array>
#include <vector>

namespace gravlab::cpu {

/// T: precision of the state and of the sums; P: precision of a pair, see ForceEvaluation. Every evaluation makes the cells
/// afresh, so the method keeps no state. Sums are in the order of cells, and within a cell in the order of bodies.
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

    /// Bytes that the method holds for `bodies` bodies.
    static double bytes(std::size_t bodies);

private:
    // Steps of an evaluation, which can stop after each of them, and between groups.
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
    /// Sums a group and returns its number of pairs.
    std::uint64_t sum(const BodyView<P>& sorted, const Group& group);
    std::int64_t batches() const;
    void makeFigures();

    MethodContext context_;
    std::size_t batchGroups_;  ///< groups that one thread takes at a time
    ForceRequest request_;
    CpuBodies<T> bodies_{};
    CellKernel<P> loop_ = nullptr;
    KeySort sort_;
    RawArray<std::uint32_t> order_;     ///< body of each place
    RawArray<std::uint32_t> cell_;      ///< cell of each place, within its row
    std::array<RawArray<P>, 3> at_;     ///< in the order of places
    RawArray<P> source_;                ///< the same
    RawArray<std::uint64_t> row_;       ///< rows with bodies, in their order
    RawArray<std::uint32_t> rowFirst_;  ///< first place of each row, then the end
    RawArray<Group> groups_;
    std::size_t rows_ = 0, groupCount_ = 0, cells_ = 0, mostInCell_ = 0;
    VectorArrays<T> sums_;
    int step_ = kSteps;
    std::int64_t batch_ = 0;                  ///< done batches of the walk under way
    std::uint64_t pairs_ = 0, reported_ = 0;  ///< pairs of the evaluation, and those that enqueue() has reported
    std::array<double, kSteps> seconds_{};
    std::vector<MethodFigure> figures_;
};

extern template class CellMethod<float, float>;
extern template class CellMethod<double, float>;
extern template class CellMethod<double, double>;

}  // namespace gravlab::cpu
