// The tree as a force method: far bodies act as cells. Every evaluation makes the tree afresh, and each group of bodies
// walks it. The method's state is the last accelerations as far as the criterion needs them.
#pragma once
#include "sim/backends/cpu/aligned_array.h"
#include "sim/backends/cpu/methods/cpu_method.h"
#include "sim/backends/cpu/tree/octree.h"

#include <atomic>
#include <optional>
#include <vector>

namespace gravlab::cpu {

/// T: precision of the state; the tree and its sums are fp32.
template <class T>
class TreeMethod final : public CpuForceMethod<T>, public PartMethod {
public:
    TreeMethod(TreeWalk walk, const MethodContext& context, TreeKeys curve = TreeKeys::hilbert);

    void prepare(const CpuBodies<T>& bodies, const ForceRequest& request) override;
    ForceProgress enqueue(double seconds) override;
    bool underWay() const override { return step_ < kSteps; }
    double progress() const override;
    void abandon() override {
        // A walk for active bodies only has overwritten some of the last accelerations.
        if (((step_ == kWalk && batch_ > 0) || lacksParts_) && !request_.active.all()) hasLengths_ = false;
        lacksParts_ = false;
        step_ = kSteps;
    }
    CpuForceSums<T> sums() const override;
    Accuracy accuracy() const override;
    std::vector<MethodFigure> figures() const override { return figures_; }
    bool keepsState() const override { return !byAngle(walk_); }
    std::vector<StateArray> state() const override;
    bool restore(const std::vector<StateArray>& state) override;

    std::span<const float> lengths() const override {
        return hasLengths_ ? std::span<const float>(before_.data(), before_.size()) : std::span<const float>();
    }
    void setLengths(MessageReader& from) override;
    void give(MessageWriter& to) const override;
    ForceWork take(const ForceRequest& part, MessageReader& from) override;
    void endParts() override;
    std::vector<double> partWork() const override { return {work_.begin(), work_.end()}; }
    void addEnds(const ForceRequest& part, std::vector<std::uint32_t>& to) const override;

    /// Results of an evaluation for the potential instead of sums, for each body in body order. It writes no state.
    struct Fields {
        /// Sum of source / distance, softened, over all others, or the same for other powers; scaled: times `unit`.
        std::vector<float> field;
        std::vector<float> nearest;           ///< distance squared of the nearest source that acted by itself; scaled
        std::vector<std::int32_t> neighbour;  ///< index of that source; below 0: there is none
        double unit = 1;
    };
    const Fields& fields() const { return fields_; }

    /// The tree of the last evaluation, for tests.
    const Octree& tree() const { return tree_; }

    /// Bytes that the method holds for `bodies` bodies under that force.
    static double bytes(std::size_t bodies, const ForceSettings& force);

private:
    static constexpr bool kMixed = !std::is_same_v<T, float>;
    // Steps of an evaluation, which can stop after each of them, and between groups.
    enum Step : int {
        kKeys,
        kSorting,
        kGather = kSorting + KeySort::kPasses,
        kNodes,
        kLinks,
        kMoments,
        kGroups,
        kFirstWalk,  ///< by the opening angle, for |a|
        kMeasure,
        kWalk,
        kWiden,
        kSteps
    };

    void run(Deadline deadline);
    bool madeBefore(int step) const;
    void chooseGroups();
    std::span<const TreeGroup> groups() const { return groupsOf(request_.parts); }
    std::span<const TreeGroup> groupsOf(const PartRange& parts) const;
    template <class Each>
    void forBodies(std::span<const TreeGroup> groups, const Each& each) const;
    static std::size_t bytesOf(std::span<const TreeGroup> groups);
    float* newLengths() { return request_.active.all() ? lengths_.data() : before_.data(); }
    void takeLengths();
    bool walkGroups(TreeWalk walk, bool forLengths, Deadline deadline);
    float smallest();
    void endFields();
    void makeFigures();
    std::size_t batches() const;

    TreeWalk walk_;
    TreeKeys curve_;
    MethodContext context_;
    std::size_t batchGroups_;  ///< groups that one thread takes at a time
    const TreeKernels& kernels_;
    TreeLaw law_ = TreeLaw::gravity;
    std::optional<TreeForce> kept_;  ///< force of the kept |a|; empty: nothing was evaluated, or the state was restored
    ForceRequest request_;
    CpuBodies<T> bodies_{};
    Octree tree_;
    VectorArrays<float> sums_;
    VectorArrays<T> whole_;             ///< the sums in T; empty where T is float
    RawArray<float> before_, lengths_;  ///< |a| in body order: of the last evaluation, and of the one under way
    std::vector<double> partial_;
    Fields fields_;            ///< empty before the first evaluation for the potential
    bool hasLengths_ = false;  ///< before_ holds |a| of an evaluation
    bool lacksParts_ = false;  ///< the own part is complete, and endParts() has not been called
    /// Work of each of all parts.
    std::array<std::atomic<std::uint64_t>, kTreeParts> work_{};
    float smallest_ = 0;                     ///< floor of |a|
    bool reusesNodes_ = false;               ///< order and nodes are those of the last evaluation
    std::vector<TreeGroup> active_, found_;  ///< groups with active bodies, where not all are active
    int step_ = kSteps;
    std::int64_t batch_ = 0;  ///< done batches of the walk under way
    TreeCounts counts_, reported_;
    std::uint64_t longest_ = 0;  ///< longest interaction list of a group
    std::array<double, kSteps> seconds_{};
    std::vector<MethodFigure> figures_;
};

extern template class TreeMethod<float>;
extern template class TreeMethod<double>;

}  // namespace gravlab::cpu
