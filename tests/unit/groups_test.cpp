// Groups of bodies: their truth, their table, and that a wrong label is caught; rows of the CPU by the suite of all
// backends.
#include "sim/backends/groups.h"
#include "sim/groups/friends.h"
#include "sim/scenes/scene.h"
#include "tests/bodies.h"
#include "tests/groups_suite.h"

#include "sim/api/errors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace gravlab {
namespace {

using namespace testing_support;

const GroupsOf kCpuRows{
    .backend = "cpu", .rows = 2, .many = 20000, .withoutPlace = 600, .threads = {1, 3}, .moreThreads = {1, 2, 5}};
INSTANTIATE_TEST_SUITE_P(Cpu, GroupSuite, testing::Values(kCpuRows), nameOfBackend<GroupsOf>);

TEST(Groups, shapesHaveTheGroupsThatTheyWereMadeWith) {
    for (const GroupShape& shape : groupShapes()) {
        const std::vector<std::uint32_t> labels = groupsByPairs(shape.bodies, shape.length);
        if (shape.groups > 0) {
            EXPECT_EQ(different(labels), shape.groups) << shape.name;
        }
        for (std::size_t i = 0; i < labels.size(); ++i) {
            EXPECT_LE(labels[i], i) << shape.name;
            EXPECT_EQ(labels[labels[i]], labels[i]) << shape.name;
        }
    }
}

// The steps of CUDA's search on the host, with the functions that both have.
TEST(Groups, theStepsOfTheSearchLevelByLevelFindThem) {
    for (const GroupShape& shape : groupShapes()) {
        const std::vector<std::uint32_t> want = groupsByPairs(shape.bodies, shape.length);
        const auto count = static_cast<std::uint32_t>(shape.bodies.size());
        SteppedGroups steps(shape.bodies, shape.length);
        EXPECT_EQ(steps.searched(), want) << shape.name;
        EXPECT_LE(steps.rounds, count + 1) << shape.name;
    }
}

TEST(Groups, aChainTakesAsManyLevelsAsBodies) {
    const GroupShape shape = chainOfBodies(400, 0.99);
    SteppedGroups steps(shape.bodies, shape.length);
    steps.searched();
    EXPECT_EQ(steps.rounds, 400u) << "the last level finds nothing new";
}

TEST(Groups, aWrongLabelIsCaught) {
    for (const std::size_t mostForPairs : {std::size_t{8192}, std::size_t{0}}) {
        const GroupShape shape = twoSpheres(true);
        const std::vector<std::uint32_t> good = groupsByPairs(shape.bodies, shape.length);
        EXPECT_EQ(checkGroups(shape.bodies, shape.length, good, mostForPairs).failure, "");
        // Two groups that the bridge joins, kept separate.
        std::vector<std::uint32_t> wrong = groupsByPairs(twoSpheres(false).bodies, shape.length);
        wrong.push_back(static_cast<std::uint32_t>(wrong.size()));
        EXPECT_NE(checkGroups(shape.bodies, shape.length, wrong, mostForPairs).failure, "");
        // All bodies in one group.
        EXPECT_NE(
            checkGroups(twoSpheres(false).bodies, shape.length, std::vector<std::uint32_t>(good.size() - 1, 0), mostForPairs)
                .failure,
            "");
        // A label that is not the first body of its group, and one label too few.
        wrong = good;
        wrong[0] = 1;
        EXPECT_NE(checkGroups(shape.bodies, shape.length, wrong, mostForPairs).failure, "");
        wrong = good;
        wrong.pop_back();
        EXPECT_THAT(checkGroups(shape.bodies, shape.length, wrong, mostForPairs).failure, testing::HasSubstr("labels for"));
    }
}

TEST(Groups, theMeanDistanceIsThatOfTheBoxInAsManyAxesAsItHas) {
    const GroupShape lattice = latticeOfBodies(5, 1.01);  // 4 steps of 1 along each axis
    EXPECT_NEAR(meanDistance(lattice.bodies), 4 / 5.0, 1e-12);
    const GroupShape chain = chainOfBodies(11, 0.5);
    EXPECT_NEAR(meanDistance(chain.bodies), 5 / 11.0, 1e-12);
    const ParticleSet square = bodiesOf({{0, 0, 7, 1}, {2, 0, 7, 1}, {0, 2, 7, 1}, {2, 2, 7, 1}}, std::vector<Double4>(4));
    EXPECT_NEAR(meanDistance(square), 1, 1e-12);
    const ParticleSet one = bodiesOf({{3, 4, 5, 1}}, {{0, 0, 0, 1}});
    EXPECT_EQ(meanDistance(one), 0);
    EXPECT_EQ(meanDistance({}), 0);
    EXPECT_EQ(linkingLength(one, {.length = 0.5}), 0.5);
    EXPECT_THROW(linkingLength(one, {.length = 1e-200}), UsageError);
    EXPECT_THROW(linkingLength(one, {.length = 1e200}), UsageError);
}

TEST(Depths, countTheFriendshipsOfTheShortestChain) {
    const GroupShape chain = chainOfBodies(31, 1.0);
    const std::vector<std::uint32_t> depths = depthsByPairs(chain.bodies, chain.length, 7);
    for (std::size_t i = 0; i < depths.size(); ++i)
        EXPECT_EQ(depths[i], std::lround(std::abs(chain.bodies.position[i].x - chain.bodies.position[7].x))) << i;
    const GroupShape apart = chainOfBodies(5, 2.0);
    EXPECT_THAT(depthsByPairs(apart.bodies, apart.length, 3),
                testing::ElementsAre(kNoDepth, kNoDepth, kNoDepth, 0u, kNoDepth));
}

TEST(Depths, aWrongOneIsNamed) {
    const GroupShape chain = chainOfBodies(31, 1.0);
    const std::vector<std::uint32_t> right = depthsByPairs(chain.bodies, chain.length, 0);
    const auto faultWith = [&](std::size_t body, std::uint32_t depth) {
        std::vector<std::uint32_t> wrong = right;
        wrong[body] = depth;
        return faultOfDepths(chain.bodies, chain.length, 0, wrong);
    };
    EXPECT_EQ(faultWith(0, 0), "");
    EXPECT_THAT(faultWith(9, 0), testing::HasSubstr("must not have depth 0"));
    EXPECT_THAT(faultWith(0, 1), testing::HasSubstr("must not have depth 1"));
    EXPECT_THAT(faultWith(9, kNoDepth), testing::HasSubstr("friend"));
    EXPECT_THAT(faultWith(9, right[9] + 2), testing::HasSubstr("friend"));
    EXPECT_THAT(faultOfDepths(chain.bodies, chain.length, 0, std::span(right).first(3)), testing::HasSubstr("3 depths"));
    // All depths but the first raised by one: neighbours agree, and the first level has no friend that is nearer.
    std::vector<std::uint32_t> late = right;
    for (std::uint32_t& depth : late) depth += depth > 0;
    EXPECT_NE(faultOfDepths(chain.bodies, chain.length, 0, late), "");
    EXPECT_THROW(findDepths(depthRow("cpu"), chain.bodies, 1, 31, {}), UsageError);
    EXPECT_THROW(depthRow("cpu", "bfs"), UsageError);
}

TEST(Groups, theTableMeasuresThemByMass) {
    // Two bodies of mass 1 and 3 on a line, moving apart; one alone; two without mass.
    ParticleSet bodies = bodiesOf({{5, 5, 5, 2}, {0, 0, 0, 1}, {1, 0, 0, 3}, {-9, 0, 0, 0}, {-9, 0, 1, 0}},
                                  {{0, 0, 0, 1}, {1, 0, 0, 1}, {-1, 0, 0, 1}, {0, 2, 0, 1}, {0, 4, 0, 1}});
    const std::vector<std::uint32_t> labels = groupsByPairs(bodies, 1.1);
    EXPECT_THAT(labels, testing::ElementsAre(0, 1, 1, 3, 3));
    const GroupTable table = groupTable(bodies, labels, 2);
    EXPECT_EQ(table.all, 3u);
    EXPECT_EQ(table.bodies, 4u);
    ASSERT_EQ(table.groups.size(), 2u);
    const BodyGroup& pair = table.groups[0];
    EXPECT_EQ(pair.label, 1u);
    EXPECT_EQ(pair.members, 2u);
    EXPECT_DOUBLE_EQ(pair.mass, 4);
    EXPECT_DOUBLE_EQ(pair.centre.x, 0.75);
    EXPECT_DOUBLE_EQ(pair.velocity.x, -0.5);
    EXPECT_DOUBLE_EQ(pair.radius, std::sqrt((1 * 0.5625 + 3 * 0.0625) / 4));
    EXPECT_DOUBLE_EQ(pair.dispersion, std::sqrt((1 * 2.25 + 3 * 0.25) / 4 / 3));
    const BodyGroup& light = table.groups[1];
    EXPECT_EQ(light.mass, 0);
    EXPECT_DOUBLE_EQ(light.centre.z, 0.5);
    EXPECT_DOUBLE_EQ(light.velocity.y, 3);
    EXPECT_EQ(groupTable(bodies, labels, 1).groups.size(), 3u);
    EXPECT_TRUE(groupTable(bodies, labels, 9).groups.empty());
}

TEST(Groups, theTableOfRowsSaysWhichThereAre) {
    EXPECT_EQ(groupRow("cpu").name, "union-tree");
    EXPECT_EQ(groupRow("reference").name, "pairs");
    EXPECT_THROW(groupRow("cpu", "bfs"), UsageError);
    for (const GroupRow& row : groupRows()) {
        EXPECT_NO_THROW(backend(row.backend)) << row.name;
        EXPECT_FALSE(row.idea.empty()) << row.name;
        EXPECT_GT(row.bytes(1000), 1000) << row.name;
    }
    EXPECT_THAT([] { findGroups(groupRow("reference"), unevenBodies(4), 1, {}); }, testing::Not(testing::Throws<Error>()));
}

}  // namespace
}  // namespace gravlab
