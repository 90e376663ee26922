// Groups and depths of bodies: every row of a backend against every pair, on shapes with known groups. Include it once in a
// test binary: INSTANTIATE_TEST_SUITE_P(Cpu, GroupSuite, testing::Values(kCpuRows), nameOfBackend<GroupsOf>);
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
    std::size_t rows;                       ///< their number
    std::size_t many, withoutPlace;         ///< bodies of two tests
    std::vector<int> threads, moreThreads;  ///< threads on which a row runs, over shapes and over many bodies
};
inline void PrintTo(const GroupsOf& groups, std::ostream* out) { *out << groups.backend; }

inline std::size_t different(const std::vector<std::uint32_t>& labels) {
    return std::set<std::uint32_t>(labels.begin(), labels.end()).size();
}

class GroupSuite : public OnBackend<GroupsOf> {
protected:
    template <class Row>
    static std::vector<Row> ofBackend(std::span<const Row> all) {
        std::vector<Row> own;
        std::ranges::copy_if(all, std::back_inserter(own), [](const Row& row) { return row.backend == GetParam().backend; });
        return own;
    }
    static std::vector<GroupRow> rows() { return ofBackend(groupRows()); }
    static std::vector<DepthRow> searches() { return ofBackend(depthRows()); }
    static std::vector<std::uint32_t> labelsBy(const GroupRow& row, const ParticleSet& bodies, double length,
                                               int threads = 2) {
        return findGroups(row, bodies, length, {.threads = threads}).labels;
    }
};

TEST_P(GroupSuite, everyRowGivesTheLabelsOfEveryPair) {
    EXPECT_EQ(rows().size(), GetParam().rows);
    for (const GroupShape& shape : groupShapes()) {
        const std::vector<std::uint32_t> want = groupsByPairs(shape.bodies, shape.length);
        for (const GroupRow& row : rows())
            for (const int threads : GetParam().threads)
                EXPECT_EQ(labelsBy(row, shape.bodies, shape.length, threads), want)
                    << row.name << ", " << shape.name << ", " << threads << " threads";
    }
}

TEST_P(GroupSuite, scalesBeyondSinglePrecisionChangeNoGroup) {
    for (const int power : {-200, -80, 100, 300})
        for (GroupShape shape : groupShapes()) {
            const std::vector<std::uint32_t> want = groupsByPairs(shape.bodies, shape.length);
            for (Double4& at : shape.bodies.position)
                at = {std::ldexp(at.x, power), std::ldexp(at.y, power), std::ldexp(at.z, power), at.w};
            for (const GroupRow& row : rows())
                EXPECT_EQ(labelsBy(row, shape.bodies, std::ldexp(shape.length, power)), want)
                    << row.name << ", " << shape.name << ", 2^" << power;
        }
}

TEST_P(GroupSuite, repeatsAndThreadsGiveTheSameBits) {
    const ParticleSet bodies = sceneNamed("plummer").build({GetParam().many, 3});
    const double length = linkingLength(bodies, {});
    const std::vector<std::uint32_t> want = labelsBy(groupRow("cpu", "union-grid"), bodies, length, 1);
    EXPECT_GT(different(want), 10u);
    EXPECT_LT(different(want), bodies.size());
    for (const GroupRow& row : rows())
        for (int repeat = 0; repeat < 3; ++repeat)
            for (const int threads : GetParam().moreThreads)
                EXPECT_EQ(labelsBy(row, bodies, length, threads), want) << row.name << ", repeat " << repeat;
    EXPECT_EQ(checkGroups(bodies, length, want).failure, "");
}

TEST_P(GroupSuite, aLengthThatIsALittleOffGivesOtherGroups) {
    const ParticleSet bodies = sceneNamed("plummer").build({3000, 1});
    const double length = linkingLength(bodies, {});
    for (const GroupRow& row : rows()) {
        EXPECT_NE(checkGroups(bodies, length, labelsBy(row, bodies, 0.97 * length)).failure, "") << row.name;
        EXPECT_NE(checkGroups(bodies, length, labelsBy(row, bodies, 1.03 * length)).failure, "") << row.name;
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
    for (const GroupRow& row : rows()) EXPECT_EQ(labelsBy(row, bodies, length), want) << row.name;
    for (Double4& at : bodies.position) at.x = kNone;
    EXPECT_EQ(linkingLength(bodies, {}), 0);
    for (const GroupRow& row : rows()) EXPECT_EQ(different(labelsBy(row, bodies, length)), bodies.size()) << row.name;
}

TEST_P(GroupSuite, everyDepthRowFindsThoseOfEveryPair) {
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
            for (const DepthRow& row : searches())
                for (const int threads : GetParam().threads) {
                    const FoundDepths found = findDepths(row, shape.bodies, shape.length, start, {.threads = threads});
                    EXPECT_EQ(found.depths, want) << row.name << ", " << shape.name << ", " << threads << " threads";
                    for (const MethodFigure& figure : found.figures)
                        if (figure.name == "levels") {
                            EXPECT_EQ(figure.value, deepest + 1.0) << row.name << ": the last level reaches no body";
                        }
                }
        }
}

}  // namespace gravlab::testing_support
