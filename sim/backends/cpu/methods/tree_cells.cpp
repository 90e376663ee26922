// Shows the tree of the CPU's rows. It walks the tree for one group with the plain statement of the criterion.
#include "sim/backends/tree_cells.h"

#include "sim/api/errors.h"
#include "sim/backends/cpu/aligned_array.h"
#include "sim/backends/cpu/kernels/simd_targets.h"
#include "sim/backends/cpu/tree/octree.h"
#include "sim/forces/law.h"
#include "sim/forces/sources.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace gravlab {
namespace {

using namespace cpu;

/// Number of groups whose forces represent all groups, for the floor in a criterion.
constexpr std::size_t kSampledGroups = 128;

TreeWalk walkOf(std::string_view kernel) {
    constexpr std::pair<std::string_view, TreeWalk> kWalks[] = {
        {"tree-theta-monopole", TreeWalk::thetaMonopole}, {"tree-theta", TreeWalk::theta}, {"tree-cells", TreeWalk::cells}};
    for (const auto& [name, walk] : kWalks)
        if (name == kernel) return walk;
    return TreeWalk::expansions;
}

/// A tree over bodies, and the input of its walks.
class Looked {
public:
    Looked(const ParticleSet& bodies, const ForceSettings& force)
        : count_(bodies.size()), pool_(1), force_(force), tree_(count_) {
        for (const Double4& at : bodies.position) heaviest_ = std::max(heaviest_, std::abs(at.w));
        const BodyArrays<double> arrays(bodies.position);
        tree_.takeSigned(signedCells(force));
        tree_.takeSources(MassiveBodies{nullptr, sourcesOf(bodies.position).count}.among(count_));
        tree_.build<double>({arrays.x.data(), arrays.source.data()}, treeKernels(simdTargets().front()), pool_);
    }

    const Octree& tree() const { return tree_; }

    CellBox box(std::size_t node, CellUse use) const {
        const NodeMoments<float> moments = tree_.moments(node);
        const TreeScale& scale = tree_.scale();
        const TreeView view = tree_.view();
        const int level = tree_.level(node);
        const double size = 2 / (static_cast<double>(scale.grid) * std::ldexp(1.0, level)), slack = 1e-6 * size;
        CellBox cube, own;
        bool inside = true;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            // Scales are powers of two, so this is exactly the body's position.
            const float at = view.body[axis][tree_.begin(node)] / scale.length;
            const std::uint32_t index = treePlace(at * scale.grid) >> (kTreeLevels - level);
            const double low = index * size - 1 / static_cast<double>(scale.grid);
            set(cube, axis, low, low + size);
            const double least = static_cast<double>(moments.low[axis] / scale.length),
                         most = static_cast<double>(moments.high[axis] / scale.length);
            set(own, axis, least, most);
            inside = inside && least >= low - slack && most <= low + size + slack;
        }
        CellBox made = inside ? cube : own;
        made.bodies = moments.bodies;
        made.use = use;
        return made;
    }

    void act(const TreeQuestion& question, TreeCells& made) {
        const TreeView view = tree_.view();
        const auto place = static_cast<std::uint32_t>(
            std::find(view.order, view.order + count_, static_cast<std::uint32_t>(*question.body)) - view.order);
        const std::span<const TreeGroup> groups = tree_.groups();
        const TreeGroup group = *std::ranges::find_if(
            groups, [&](const TreeGroup& one) { return place >= one.first && place < one.first + one.count; });
        made.group.assign(view.order + group.first, view.order + group.first + group.count);
        const TreeWalk walk = walkOf(question.kernel);
        criterion(group, question, walk);
        const bool powerLaw = treeForce(force_).law == TreeLaw::power;
        const PowerCriterion<float> powerCriterion{criterion_, task_.power.field, task_.power.left};
        std::vector<std::int32_t> waiting{0};
        while (!waiting.empty()) {
            const std::int32_t id = waiting.back();
            waiting.pop_back();
            const CellUse use = powerLaw ? useOf(powerCriterion, id, walk) : useOf(criterion_, id, walk);
            if (use == CellUse::none) {
                for (std::int32_t k = 0; k < view.count[id]; ++k) waiting.push_back(view.first[id] + k);
                continue;
            }
            made.boxes.push_back(box(static_cast<std::size_t>(id), use));
            if (use == CellUse::bodies) made.single += made.boxes.back().bodies;
            ++(use == CellUse::bodies ? made.singleCells : use == CellUse::cell ? made.alone : made.expanded);
        }
    }

private:
    static void set(CellBox& box, std::size_t axis, double low, double high) {
        double Vec3d::*const kAxes[] = {&Vec3d::x, &Vec3d::y, &Vec3d::z};
        box.low.*kAxes[axis] = low;
        box.high.*kAxes[axis] = high;
    }

    /// Sets the group's criterion to that of the first evaluation of a run. It knows no accelerations yet and takes them
    /// from a walk by the opening angle. Other groups contribute only their rms, as a floor, and a sample of them is enough.
    void criterion(const TreeGroup& group, const TreeQuestion& question, TreeWalk walk) {
        const TreeView view = tree_.view();
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const auto [least, most] =
                std::minmax_element(view.body[axis] + group.first, view.body[axis] + group.first + group.count);
            centre_[axis] = 0.5f * (*least + *most);
            half_[axis] = std::max(*most - centre_[axis], centre_[axis] - *least);
        }
        float squared = 0;
        for (std::uint32_t k = group.first; k < group.first + group.count; ++k)
            squared = std::max(squared, fromCentre(view.body[0][k], view.body[1][k], view.body[2][k]));
        criterion_.radius = std::sqrt(squared);
        task_ = walkTask(tree_, walk,
                         {.settings = force_,
                          .smallestR2 = smallestR2<float>(force_, heaviest_),
                          .allowedError = question.allowedError,
                          .opening = question.opening});
        criterion_.opening = task_.opening;
        if (byAngle(walk)) return;
        std::vector<float> lengths(count_);
        task_.lengths = lengths.data();
        const TreeWalks& walks = treeWalks(simdTargets().front(), treeForce(force_).law);
        const auto byOpening = walks.walk[static_cast<std::size_t>(TreeWalk::theta)];
        TreeCounts counts;
        const std::span<const TreeGroup> groups = tree_.groups();
        const std::size_t sampled = std::min(groups.size(), kSampledGroups);
        double sum = 0, bodies = 0;
        for (std::size_t k = 0; k < sampled; ++k) {
            const TreeGroup& one = groups[k * groups.size() / sampled];
            byOpening(task_, one, counts);
            for (std::uint32_t at = one.first; at < one.first + one.count; ++at) {
                const auto a = static_cast<double>(lengths[view.order[at]]);
                if (std::isfinite(a)) sum += a * a;
            }
            bodies += one.count;
        }
        byOpening(task_, group, counts);
        float smallest = lengths[view.order[group.first]];
        for (std::uint32_t at = group.first; at < group.first + group.count; ++at)
            smallest = std::min(smallest, lengths[view.order[at]]);
        const double floor = kSmallestShare * std::sqrt(sum / std::max(bodies, 1.0));
        criterion_.limit = static_cast<float>(static_cast<double>(task_.share) *
                                              std::max(static_cast<double>(smallest), floor) / task_.acceleration);
    }

    float fromCentre(float x, float y, float z) const {
        const float dx = x - centre_[0], dy = y - centre_[1], dz = z - centre_[2];
        return dx * dx + (dy * dy + dz * dz);
    }

    /// How the group uses a cell; CellUse::none means that the walk opens the cell.
    template <class Criterion>
    CellUse useOf(const Criterion& criterion, std::int32_t id, TreeWalk walk) const {
        const TreeView view = tree_.view();
        const float away[3] = {std::max(std::abs(view.x[id] - centre_[0]) - half_[0], 0.0f),
                               std::max(std::abs(view.y[id] - centre_[1]) - half_[1], 0.0f),
                               std::max(std::abs(view.z[id] - centre_[2]) - half_[2], 0.0f)};
        const float squared = away[0] * away[0] + (away[1] * away[1] + away[2] * away[2]);
        const bool divided = view.count[id] > 0;
        const TestedNode<float, bool> node{.has = true,
                                           .apart = squared > 0,
                                           .squared = squared,
                                           .fromCentre = fromCentre(view.x[id], view.y[id], view.z[id]),
                                           .farthest = view.farthest[id],
                                           .source = view.weight[id],
                                           .sourceTimesCube = view.weightCube[id],
                                           .several = divided || view.count[id] < -2};
        const DealtNode<bool> to = walk == TreeWalk::expansions ? dealt<true, false>(criterion, node)
                                   : byAngle(walk)              ? dealt<false, true>(criterion, node)
                                                                : dealt<false, false>(criterion, node);
        if (to.low || to.high) return CellUse::expanded;
        return to.cell ? CellUse::cell : divided ? CellUse::none : CellUse::bodies;
    }

    std::size_t count_;
    ThreadPool pool_;
    ForceSettings force_;
    double heaviest_ = 0;
    Octree tree_;
    // For the group.
    TreeWalkTask task_;
    std::array<float, 3> centre_{}, half_{};
    GroupCriterion<float> criterion_{};
};

}  // namespace

TreeCells treeCells(const ParticleSet& bodies, const ForceSettings& force, const TreeQuestion& question) {
    TreeCells made;
    if (bodies.size() == 0) return made;
    if (question.body && !treeLaw(force))
        throw UsageError(
            "No cells act on a body under " + std::string(lawRow(force.law).name) +
            ": a tree knows gravity, charges and the power law, and not where a law ends or turns its sign. The "
            "cells of a level can be seen.");
    Looked looked(bodies, force);
    const Octree& tree = looked.tree();
    made.levels = tree.levels();
    std::vector<std::size_t> atLevel(static_cast<std::size_t>(made.levels));
    for (std::size_t node = 0; node < tree.nodes(); ++node) ++atLevel[static_cast<std::size_t>(tree.level(node))];
    while (made.deepest + 1 < atLevel.size() && atLevel[made.deepest + 1] <= kMostCellBoxes) ++made.deepest;
    if (question.body) {
        if (*question.body < bodies.size()) looked.act(question, made);
        made.cells = made.boxes.size();
    } else if (question.level >= 0 && question.level < made.levels) {
        made.cells = atLevel[static_cast<std::size_t>(question.level)];
        for (std::size_t node = 0; made.cells <= kMostCellBoxes && node < tree.nodes(); ++node)
            if (tree.level(node) == question.level) made.boxes.push_back(looked.box(node, CellUse::none));
    }
    if (made.boxes.size() > kMostCellBoxes) made.boxes.clear();
    return made;
}

}  // namespace gravlab
