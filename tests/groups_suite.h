// Groups and depths of bodies: every rung of a backend against every pair, on shapes with known groups. Include it once in a
// test binary: INSTANTIATE_TEST_SUITE_P(Cpu, GroupSuite, testing::Values(kCpuRungs), nameOfBackend<GroupsOf>);
#pragma once
#include "sim/backends/groups.h"
#include "tests/group_shapes.h"
#include "tests/on_backend.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <ostream>
#include <set>

namespace gravlab::testing_support {

/// What the suite must know of a backend.
struct GroupsOf {
    const char* backend;
    std::size_t rungs;                      ///< their number
    std::size_t many, withoutPlace;         ///< bodies of two tests
    std::vector<int> threads, moreThreads;  ///< threads on which a rung runs, over shapes and over many bodies
};
inline void PrintTo(const GroupsOf& groups, std::ostream* out) { *out << groups.backend; }

inline std::size_t different(const std::vector<std::uint32_t>& labels) {
    return std::set<std::uint32_t>(labels.begin(), labels.end()).size();
}

class GroupSuite : public OnBackend<GroupsOf> {
protected:
    template <class Rung>
    static std::vector<Rung> ofBackend(std::span<const Rung> all) {
        std::vector<Rung> own;
        std::ranges::copy_if(all, std::back_inserter(own),
                             [](const Rung& rung) { return rung.backend == GetParam().backend; });
        return own;
    }
    static std::vector<GroupRung> rungs() { return ofBackend(groupRungs()); }
    static std::vector<DepthRung> searches() { return ofBackend(depthRungs()); }
    static std::vector<std::uint32_t> labelsBy(const GroupRung& rung, const ParticleSet& bodies, double length,
                                               int threads = 2) {
        return findGroups(rung, bodies, length, {.threads = threads}).labels;
    }
};

TEST_P(GroupSuite, everyRungGivesTheLabelsOfEveryPair) {
    EXPECT_EQ(rungs().size(), GetParam().rungs);
    for (const GroupShape& shape : groupShapes()) {
        const std::vector<std::uint32_t> want = groupsByPairs(shape.bodies, shape.length);
        for (const GroupRung& rung : rungs())
            for (const int threads : GetParam().threads)
                EXPECT_EQ(labelsBy(rung, shape.bodies, shape.length, threads), want)
                    << rung.name << ", " << shape.name << ", " << threads << " threads";
    }
}

TEST_P(GroupSuite, repeatsAndThreadsGiveTheSameBits) {
    const ParticleSet bodies = sceneNamed("plummer").build({GetParam().many, 3});
    const double length = linkingLength(bodies, {});
    const std::vector<std::uint32_t> want = labelsBy(groupRung("cpu", "union-grid"), bodies, length, 1);
    EXPECT_GT(different(want), 10u);
    EXPECT_LT(different(want), bodies.size());
    for (const GroupRung& rung : rungs())
        for (int repeat = 0; repeat < 3; ++repeat)
            for (const int threads : GetParam().moreThreads)
                EXPECT_EQ(labelsBy(rung, bodies, length, threads), want) << rung.name << ", repeat " << repeat;
    EXPECT_EQ(checkGroups(bodies, length, want).failure, "");
}

TEST_P(GroupSuite, aLengthThatIsALittleOffGivesOtherGroups) {
    const ParticleSet bodies = sceneNamed("plummer").build({3000, 1});
    const double length = linkingLength(bodies, {});
    for (const GroupRung& rung : rungs()) {
        EXPECT_NE(checkGroups(bodies, length, labelsBy(rung, bodies, 0.97 * length)).failure, "") << rung.name;
        EXPECT_NE(checkGroups(bodies, length, labelsBy(rung, bodies, 1.03 * length)).failure, "") << rung.name;
    }
}

TEST_P(GroupSuite, bodiesWithoutFinitePositionsJoinNoGroup) {
    constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    ParticleSet bodies = sceneNamed("plummer").build({GetParam().withoutPlace, 1});
    const double length = linkingLength(bodies, {});
    for (std::size_t i = 0; i < bodies.size(); i += 7) bodies.position[i].y = i % 2 ? kNone : INFINITY;
    EXPECT_LT(std::abs(linkingLength(bodies, {}) / length - 1), 0.2);
    const std::vector<std::uint32_t> want = groupsByPairs(bodies, length);
    for (std::size_t i = 0; i < bodies.size(); i += 7) EXPECT_EQ(want[i], i);
    for (const GroupRung& rung : rungs()) EXPECT_EQ(labelsBy(rung, bodies, length), want) << rung.name;
    for (Double4& at : bodies.position) at.x = kNone;
    EXPECT_EQ(linkingLength(bodies, {}), 0);
    for (const GroupRung& rung : rungs()) EXPECT_EQ(different(labelsBy(rung, bodies, length)), bodies.size()) << rung.name;
}

TEST_P(GroupSuite, everyDepthRungFindsThoseOfEveryPair) {
    for (const GroupShape& shape : groupShapes())
        for (const std::size_t from : {std::size_t{0}, shape.bodies.size() / 2}) {
            const auto start = static_cast<std::uint32_t>(from);
            const std::vector<std::uint32_t> want = depthsByPairs(shape.bodies, shape.length, start);
            EXPECT_EQ(faultOfDepths(shape.bodies, shape.length, start, want), "") << shape.name;
            const std::vector<std::uint32_t> labels = groupsByPairs(shape.bodies, shape.length);
            for (std::size_t i = 0; i < want.size(); ++i)
                ASSERT_EQ(want[i] != kNoDepth, labels[i] == labels[from]) << shape.name << ", body " << i;
            std::uint32_t deepest = 0;
            for (const std::uint32_t depth : want) deepest = std::max(deepest, depth == kNoDepth ? 0 : depth);
            for (const DepthRung& rung : searches())
                for (const int threads : GetParam().threads) {
                    const FoundDepths found = findDepths(rung, shape.bodies, shape.length, start, {.threads = threads});
                    EXPECT_EQ(found.depths, want) << rung.name << ", " << shape.name << ", " << threads << " threads";
                    for (const MethodFigure& figure : found.figures)
                        if (figure.name == "levels") {
                            EXPECT_EQ(figure.value, deepest + 1.0) << rung.name << ": the last level reaches no body";
                        }
                }
        }
}

}  // namespace gravlab::testing_support
