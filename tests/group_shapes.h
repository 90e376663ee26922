// Bodies with known groups, and the steps of a device's rows on the host. For tests of groups on all backends.
#pragma once
#include "sim/core/random.h"
#include "sim/groups/friends.h"
#include "sim/groups/groups.h"
#include "sim/scenes/scene.h"
#include "tests/bodies.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

namespace gravlab::testing_support {

struct GroupShape {
    std::string name;
    ParticleSet bodies;
    double length = 1;
    std::size_t groups = 0;  ///< 0: not known
};

inline GroupShape shapeOf(std::string name, const std::vector<Double4>& places, double length, std::size_t groups) {
    return {std::move(name), bodiesOf(places, std::vector<Double4>(places.size())), length, groups};
}

/// On a line, with shuffled indices; friends are at most 1 apart.
inline GroupShape chainOfBodies(std::size_t count, double spacing) {
    std::vector<Double4> places(count);
    std::size_t at = 0;
    for (Double4& place : places) {
        place = {static_cast<double>(at) * spacing, 0.25, -3, 1};
        // A step that has no divisor in common with the count.
        std::size_t step = count / 2 + 1;
        while (std::gcd(step, count) > 1) ++step;
        at = (at + step) % count;
    }
    return shapeOf("chain of " + std::to_string(count) + " at " + std::to_string(spacing), places, 1,
                   spacing <= 1 ? 1 : count);
}

/// A cubic lattice of spacing 1.
inline GroupShape latticeOfBodies(int edge, double length) {
    std::vector<Double4> places;
    for (int x = 0; x < edge; ++x)
        for (int y = 0; y < edge; ++y)
            for (int z = 0; z < edge; ++z)
                places.push_back({static_cast<double>(x) - 2, static_cast<double>(y) + 10, static_cast<double>(z), 1});
    return shapeOf("lattice", places, length, length >= 1 ? 1 : places.size());
}

/// Two balls of 400 bodies, 1.5 apart at their surfaces; the bridge, one body between them, is the last.
inline GroupShape twoSpheres(bool bridge) {
    std::vector<Double4> places;
    Random random(5);
    for (const double centre : {-1.75, 1.75}) {
        places.push_back({centre > 0 ? 0.75 : -0.75, 0, 0, 1});  // nearest to the other ball
        for (int k = 1; k < 400; ++k) {
            const Vec3d at = random.onSphere() * (0.999 * std::cbrt(random.uniform()));
            places.push_back({centre + at.x, at.y, at.z, 1});
        }
    }
    if (bridge) places.push_back({0, 0, 0, 1});
    return shapeOf(bridge ? "two spheres and a bridge" : "two spheres", places, 0.8, bridge ? 1 : 2);
}

inline std::vector<GroupShape> groupShapes() {
    std::vector<GroupShape> shapes{
        shapeOf("one body", {{1, 2, 3, 1}}, 1, 1),
        shapeOf("two friends", {{0, 0, 0, 1}, {1, 0, 0, 1}}, 1, 1),
        shapeOf("two strangers", {{0, 0, 0, 1}, {std::nextafter(1.0, 2.0), 0, 0, 1}}, 1, 2),
        chainOfBodies(500, 0.99),
        chainOfBodies(500, 1.01),
        latticeOfBodies(9, 1.01),
        latticeOfBodies(9, 0.99),
        twoSpheres(true),
        twoSpheres(false),
        shapeOf("one point", std::vector<Double4>(300, {0.1, 0.2, 0.3, 1}), 0.5, 1),
        shapeOf("one point, no length", std::vector<Double4>(300, {0.1, 0.2, 0.3, 1}), 0, 1),
    };
    // Coincident bodies among others, and one body far out, so that keys and cells separate few of them.
    std::vector<Double4> places;
    for (int k = 0; k < 700; ++k) {
        Random random(9, static_cast<std::uint64_t>(k / 7));
        places.push_back({random.uniform(), random.uniform(), random.uniform(), 1});
    }
    places.push_back({1e9, -1e9, 1e8, 1});
    shapes.push_back(shapeOf("sevenfold bodies and one far out", places, 0.08, 0));
    shapes.push_back(shapeOf("the same, nobody near", places, 1e-9, 101));
    // Far from the origin, where differences have few digits.
    for (Double4& place : places) place.x += 1e7;
    shapes.push_back(shapeOf("far from the origin", places, 0.08, 0));
    for (const char* scene : {"plummer", "collision", "cube"})
        for (const double mean : {0.05, 0.2, 0.5, 3.0}) {
            GroupShape shape{std::string(scene) + " " + std::to_string(mean), sceneNamed(scene).build({1500, 2}), 0, 0};
            shape.length = mean * meanDistance(shape.bodies);
            shapes.push_back(std::move(shape));
        }
    return shapes;
}

/// The steps of the rows that only devices have.
class SteppedGroups {
public:
    SteppedGroups(const ParticleSet& bodies, double length) {
        count_ = static_cast<std::uint32_t>(bodies.size());
        FriendFrame frame{{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}, {}, 0};
        for (const Double4& p : bodies.position) {
            const double at[3] = {p.x, p.y, p.z};
            for (int axis = 0; axis < 3; ++axis) {
                frame.low[axis] = std::min(frame.low[axis], at[axis]);
                frame.high[axis] = std::max(frame.high[axis], at[axis]);
            }
        }
        placeGrid(grid_, frame, length);
        std::vector<std::pair<std::uint64_t, std::uint32_t>> keyed;
        for (std::uint32_t i = 0; i < count_; ++i)
            keyed.emplace_back(cellKey(grid_, bodies.position[i].x, bodies.position[i].y, bodies.position[i].z), i);
        std::sort(keyed.begin(), keyed.end());
        for (const auto& [key, body] : keyed) {
            key_.push_back(key);
            order_.push_back(body);
            axis_[0].push_back(bodies.position[body].x);
            axis_[1].push_back(bodies.position[body].y);
            axis_[2].push_back(bodies.position[body].z);
        }
        grid_.at = {{axis_[0].data(), axis_[1].data(), axis_[2].data()}, count_};
        grid_.key = key_.data();
    }

    std::uint32_t rounds = 0;  ///< rounds of the last search

    std::vector<std::uint32_t> searched() {
        std::vector<std::uint64_t> begin(1, 0);
        std::vector<std::uint32_t> list, label(count_), mark(count_);
        for (std::uint32_t place = 0; place < count_; ++place) {
            forFriends(grid_, place, [&](std::uint32_t other) { list.push_back(other); });
            begin.push_back(list.size());
        }
        const FriendLists lists{begin.data(), list.data(), label.data(), mark.data()};
        for (std::uint32_t place = 0; place < count_; ++place) beginSearch(lists, place);
        rounds = 0;
        for (bool changed = true; changed; ++rounds) {
            changed = false;
            for (std::uint32_t place = 0; place < count_; ++place) changed = searchLevel(lists, place, rounds) || changed;
        }
        return labels(label);
    }

private:
    /// For each body, the smallest index among positions with the same label.
    std::vector<std::uint32_t> labels(const std::vector<std::uint32_t>& label) const {
        std::vector<std::uint32_t> least(count_, ~0u), named(count_);
        for (std::uint32_t place = 0; place < count_; ++place)
            least[label[place]] = std::min(least[label[place]], order_[place]);
        for (std::uint32_t place = 0; place < count_; ++place) named[order_[place]] = least[label[place]];
        return named;
    }

    std::uint32_t count_ = 0;
    FriendGrid grid_{};
    std::vector<std::uint64_t> key_;
    std::vector<std::uint32_t> order_;
    std::vector<double> axis_[3];
};

}  // namespace gravlab::testing_support
