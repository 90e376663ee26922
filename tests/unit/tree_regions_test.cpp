// The first level of a walk in two: a region's expansion and its remaining nodes together cover all bodies, with any room,
// and its groups keep the accuracy with both. The walk is that of the kernels, node by node, over the tree of the CPU.
#include "sim/backends/cpu/tree/octree.h"
#include "sim/scenes/scene.h"
#include "sim/tree/region.h"
#include "tests/bodies.h"
#include "tests/rounded_bodies.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

namespace gravlab::cpu {
namespace {

using namespace testing_support;

constexpr double kRegionSoftening = 0.02;

class TreeRegions : public ::testing::Test {
protected:
    struct Targets {
        std::vector<std::uint32_t> places;
        float centre[3], half[3];
        GroupCriterion<float> criterion{};
        float unit = 1;
    };
    struct Region {
        Targets targets;
        FieldExpansion<float> expansion;
        std::vector<std::uint32_t> left, expanded;
        std::size_t most = 0;  ///< most nodes that waited or remained at once
    };

    void build(const char* scene, std::size_t bodies, double accuracy) {
        accuracy_ = accuracy;
        const ParticleSet all = sceneNamed(scene).build({.bodies = bodies, .seed = 5});
        arrays_.emplace(all);
        tree_.emplace(bodies);
        const TreeBodies<float> view{arrays_->view().axis, arrays_->view().source};
        tree_->build(view, treeKernels(simdTargets().front()), pool_);
        view_ = tree_->view();
        const float length = tree_->scale().length, softening = static_cast<float>(kRegionSoftening) * length;
        field_ = {softening * softening};
        lengths_.assign(bodies, 0);
        known_.assign(bodies, false);
    }
    std::size_t regions() const { return (tree_->groups().size() + kRegionGroups - 1) / kRegionGroups; }
    std::vector<Targets> groupsOf(std::size_t region) {
        std::vector<Targets> groups;
        const std::size_t end = std::min(tree_->groups().size(), (region + 1) * kRegionGroups);
        for (std::size_t k = region * kRegionGroups; k < end; ++k) {
            Targets group;
            for (std::uint32_t body = 0; body < tree_->groups()[k].count; ++body)
                group.places.push_back(tree_->groups()[k].first + body);
            begin(group);
            groups.push_back(group);
        }
        return groups;
    }

    /// Like RegionWalker, 32 nodes at a time.
    Region walked(std::size_t number, std::uint32_t room) {
        Region region;
        for (const Targets& group : groupsOf(number))
            region.targets.places.insert(region.targets.places.end(), group.places.begin(), group.places.end());
        begin(region.targets);
        std::vector<std::uint32_t> stack{0};
        while (!stack.empty()) {
            const std::size_t take = std::min<std::size_t>(32, stack.size());
            const bool mayOpen =
                regionMayOpen(static_cast<std::uint32_t>(region.left.size()), static_cast<std::uint32_t>(stack.size()),
                              static_cast<std::uint32_t>(take), room);
            const std::vector<std::uint32_t> popped(stack.end() - static_cast<std::ptrdiff_t>(take), stack.end());
            stack.resize(stack.size() - take);
            for (const std::uint32_t id : popped) {
                const auto [box, centre] = distances(region.targets, id);
                switch (testForRegion(region.targets.criterion, box, centre, view_.farthest[id], view_.weight[id],
                                      view_.weightCube[id], view_.count[id], mayOpen)) {
                    case RegionTest::low:
                        expand<false>(region.expansion, region.targets, id);
                        region.expanded.push_back(id);
                        break;
                    case RegionTest::high:
                        expand<true>(region.expansion, region.targets, id);
                        region.expanded.push_back(id);
                        break;
                    case RegionTest::left:
                        region.left.push_back(id);
                        break;
                    case RegionTest::opened:
                        for (int child = 0; child < view_.count[id]; ++child)
                            stack.push_back(static_cast<std::uint32_t>(view_.first[id] + child));
                }
            }
            region.most = std::max(region.most, region.left.size() + stack.size());
        }
        return region;
    }

    /// The scaled accelerations that a region gives to a group.
    std::vector<Vec3d> accelerations(const Targets& group, const Region& region) {
        std::vector<Vec3d> sums(group.places.size());
        FieldExpansion<float> own;
        std::vector<std::uint32_t> stack = region.left;
        while (!stack.empty()) {
            const std::uint32_t id = stack.back();
            stack.pop_back();
            const auto [box, centre] = distances(group, id);
            const int count = view_.count[id];
            const Expanded order =
                box > 0 ? expandsCell(group.criterion, centre, view_.farthest[id], view_.weight[id], view_.weightCube[id])
                        : Expanded::no;
            if (order == Expanded::low) {
                expand<false>(own, group, id);
            } else if (order == Expanded::high) {
                expand<true>(own, group, id);
            } else if ((count > 0 || count < -2) &&
                       acceptsCell<false>(group.criterion, box, view_.farthest[id], view_.weightCube[id])) {
                const CellPull<float> pull = cellPull(tree_->moments(id).cell, field_.power());
                for (std::size_t k = 0; k < sums.size(); ++k) {
                    float a[3] = {};
                    addCellPull(a, pull, at(group, k, 0), at(group, k, 1), at(group, k, 2), field_);
                    sums[k] += {a[0], a[1], a[2]};
                }
            } else if (count < 0) {
                for (int body = 0; body < -count; ++body)
                    for (std::size_t k = 0; k < sums.size(); ++k)
                        sums[k] += pullOf(static_cast<std::size_t>(view_.first[id] + body), group.places[k]);
            } else {
                for (int child = 0; child < count; ++child)
                    stack.push_back(static_cast<std::uint32_t>(view_.first[id] + child));
            }
        }
        for (std::size_t k = 0; k < sums.size(); ++k) {
            addExpansion(sums[k], own, group, group.places[k]);
            addExpansion(sums[k], region.expansion, region.targets, group.places[k]);
        }
        return sums;
    }
    Vec3d direct(std::uint32_t place) const {
        Vec3d sum{};
        for (std::size_t other = 0; other < tree_->bodies(); ++other) sum += pullOf(other, place);
        return sum;
    }
    void addExpansion(Vec3d& sum, const FieldExpansion<float>& expansion, const Targets& of, std::uint32_t place) const {
        float a[3] = {}, d[3];
        for (std::size_t axis = 0; axis < 3; ++axis) d[axis] = of.unit * (view_.body[axis][place] - of.centre[axis]);
        addExpandedPull<true>(a, expansion, d[0], d[1], d[2]);
        const double back = of.unit * of.unit;
        sum += {back * a[0], back * a[1], back * a[2]};
    }

    std::optional<RoundedBodies> arrays_;
    std::optional<Octree> tree_;
    TreeView view_{};

    float at(const Targets& group, std::size_t k, std::size_t axis) const { return view_.body[axis][group.places[k]]; }
    Vec3d pullOf(std::size_t source, std::size_t target) const {
        const double x = static_cast<double>(view_.body[0][source]) - view_.body[0][target],
                     y = static_cast<double>(view_.body[1][source]) - view_.body[1][target],
                     z = static_cast<double>(view_.body[2][source]) - view_.body[2][target];
        const double squared = x * x + y * y + z * z + field_.softeningSquared;
        const double weight = view_.source[source] / (squared * std::sqrt(squared));
        return {weight * x, weight * y, weight * z};
    }
    /// Sets box, unit of the expansion, and criterion, which uses all forces.
    void begin(Targets& targets) {
        float low[3] = {3e38f, 3e38f, 3e38f}, high[3] = {-3e38f, -3e38f, -3e38f}, squared = 0, smallest = 3e38f;
        for (const std::uint32_t place : targets.places) {
            for (std::size_t axis = 0; axis < 3; ++axis) {
                low[axis] = std::min(low[axis], view_.body[axis][place]);
                high[axis] = std::max(high[axis], view_.body[axis][place]);
            }
            if (!known_[place]) {
                lengths_[place] = static_cast<float>(length(direct(place)));
                known_[place] = true;
            }
            smallest = std::min(smallest, lengths_[place]);
        }
        for (std::size_t axis = 0; axis < 3; ++axis) {
            targets.centre[axis] = 0.5f * (low[axis] + high[axis]);
            targets.half[axis] = std::max(high[axis] - targets.centre[axis], targets.centre[axis] - low[axis]);
        }
        for (const std::uint32_t place : targets.places) {
            float sum = 0;
            for (std::size_t axis = 0; axis < 3; ++axis) {
                const float d = view_.body[axis][place] - targets.centre[axis];
                sum += d * d;
            }
            squared = std::max(squared, sum);
        }
        const double share = shareOfAccuracy(accuracy_, static_cast<double>(tree_->bodies()));
        targets.criterion = {0, static_cast<float>(share * static_cast<double>(smallest)), std::sqrt(squared)};
        targets.unit =
            std::exp2(static_cast<float>(std::clamp(-std::ilogb(std::max(targets.criterion.radius, 1e-6f)), 0, 12)));
    }
    std::pair<float, float> distances(const Targets& targets, std::uint32_t id) const {
        const float centre[3] = {view_.x[id], view_.y[id], view_.z[id]};
        float box = 0, middle = 0;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const float d = std::abs(centre[axis] - targets.centre[axis]), outside = std::max(d - targets.half[axis], 0.f);
            box += outside * outside;
            middle += d * d;
        }
        return {box, middle};
    }
    template <bool kHigh>
    void expand(FieldExpansion<float>& expansion, const Targets& targets, std::uint32_t id) const {
        const float s = targets.unit;
        const NodeMoments<float> node = tree_->moments(id);
        float q[kMoments];
        for (int k = 0; k < kMoments; ++k) q[k] = s * s * node.cell.moments[k];
        addToExpansion<kHigh>(expansion, s * (targets.centre[0] - node.cell.x), s * (targets.centre[1] - node.cell.y),
                              s * (targets.centre[2] - node.cell.z), node.cell.source, q,
                              GravityField<float>{s * s * field_.softeningSquared});
    }

    ThreadPool pool_{2};
    GravityField<float> field_{};
    double accuracy_ = 1e-3;
    std::vector<float> lengths_;  ///< |a| of a position, where it is known
    std::vector<bool> known_;
};

TEST_F(TreeRegions, whatARegionTakesAndLeavesIsEverythingOnce) {
    build("plummer", 20000, 1e-3);
    for (const std::uint32_t room : {1u, 7u, 8u, 9u, 64u, 300u, 1024u})
        for (const std::size_t number : {std::size_t{0}, regions() / 2, regions() - 1}) {
            const Region region = walked(number, room);
            EXPECT_LE(region.most, room);
            std::vector<int> seen(tree_->bodies(), 0);
            for (const auto* nodes : {&region.left, &region.expanded})
                for (const std::uint32_t id : *nodes)
                    for (std::uint32_t k = 0; k < tree_->moments(id).bodies; ++k) ++seen[tree_->begin(id) + k];
            EXPECT_EQ(std::ranges::count(seen, 1), static_cast<std::ptrdiff_t>(seen.size())) << room << ' ' << number;
            if (room < 8) {
                EXPECT_EQ(region.left, std::vector<std::uint32_t>{0}) << "not even the root can be opened";
            }
            if (room == 1024) {
                EXPECT_GT(region.expanded.size(), 30u);
                EXPECT_LT(region.most, room) << "else the room was too small for this test";
            }
        }
}

TEST_F(TreeRegions, groupsKeepTheAccuracyFromThere) {
    for (const double accuracy : {1e-3, 1e-4}) {
        build("plummer", 12000, accuracy);
        for (const std::uint32_t room : {9u, 100u, 1024u}) {
            std::vector<double> errors, without;
            for (std::size_t number = 0; number < regions(); number += 9) {
                const Region region = walked(number, room);
                for (const Targets& group : groupsOf(number)) {
                    const std::vector<Vec3d> got = accelerations(group, region);
                    for (std::size_t k = 0; k < got.size(); k += 10) {
                        const Vec3d want = direct(group.places[k]);
                        errors.push_back(length(got[k] - want) / length(want));
                        if (room < 1024) continue;
                        Vec3d field{};
                        addExpansion(field, region.expansion, region.targets, group.places[k]);
                        without.push_back(length(got[k] - field - want) / length(want));
                    }
                }
            }
            std::ranges::sort(errors);
            ASSERT_GT(errors.size(), 100u);
            EXPECT_LT(errors[errors.size() * 98 / 100], accuracy) << room;
            EXPECT_GT(errors.back(), accuracy / 100) << "every pair was computed";
            if (room < 1024) continue;
            std::ranges::sort(without);
            EXPECT_GT(without[without.size() / 2], 3 * accuracy) << "the region's field is worth something";
        }
    }
}

TEST_F(TreeRegions, thePolynomialIsThatOfItsCellsEverywhereInTheRegion) {
    build("galaxy", 12000, 1e-4);
    for (std::size_t number = 0; number < regions(); number += 9) {
        const Region region = walked(number, 1024);
        if (region.expanded.empty()) continue;
        for (std::size_t k = 0; k < region.targets.places.size(); k += 40) {
            const std::uint32_t place = region.targets.places[k];
            Vec3d got{}, want = direct(place);
            addExpansion(got, region.expansion, region.targets, place);
            Vec3d rest{};  // forces of the remaining nodes, body by body
            for (const std::uint32_t id : region.left)
                for (std::uint32_t body = 0; body < tree_->moments(id).bodies; ++body)
                    rest += pullOf(tree_->begin(id) + body, place);
            EXPECT_LT(length(got + rest - want), 5e-4 * length(want)) << number;
        }
    }
}

}  // namespace
}  // namespace gravlab::cpu
