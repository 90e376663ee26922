// Groups of bodies on a device: its rows by the suite of all backends, and many bodies.
#include "sim/backends/groups.h"
#include "sim/backends/cuda/runtime/api.h"
#include "sim/scenes/scene.h"
#include "tests/gpu/gpu_fixture.h"
#include "tests/groups_suite.h"

#include "sim/api/errors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>

namespace gravlab::test {
namespace {

using namespace testing_support;

const GroupsOf kCudaRows{
    .backend = "cuda", .rows = 4, .many = 65536, .withoutPlace = 3000, .threads = {1}, .moreThreads = {1}};
INSTANTIATE_TEST_SUITE_P(Gpu, GroupSuite, testing::Values(kCudaRows), nameOfBackend<GroupsOf>);

using GpuGroups = GpuTest;

TEST_F(GpuGroups, depthsOfManyBodiesAreThoseOfTheHost) {
    const ParticleSet bodies = sceneNamed("plummer").build({65536, 3});
    const double length = linkingLength(bodies, {});
    const std::vector<std::uint32_t> want = findDepths(depthRow("cpu"), bodies, length, 0, {}).depths;
    for (const DepthRow& row : depthRows())
        if (row.backend == "cuda") {
            EXPECT_EQ(findDepths(row, bodies, length, 0, {}).depths, want) << row.name;
        }
}

// A million bodies at one point have 10^12 friends: lists are refused before their allocation, and the tree handles them.
TEST_F(GpuGroups, listsThatDoNotFitAreRefusedAndNameTheRowThatFits) {
    const ParticleSet bodies = bodiesOf(std::vector<Double4>(400000, {1, 2, 3, 1}), std::vector<Double4>(400000));
    for (const char* row : {"bfs-host", "bfs-device"})
        EXPECT_THAT([&] { findGroups(groupRow("cuda", row), bodies, 1, {}); },
                    testing::ThrowsMessage<OutOfMemoryError>(testing::HasSubstr("union-tree")))
            << row;
    EXPECT_EQ(findGroups(groupRow("cuda", "union-tree"), bodies, 1, {}).labels, std::vector<std::uint32_t>(400000, 0));
}

// A display on the same device must not wait for all levels of a chain.
TEST_F(GpuGroups, aLongChainIsSearchedInSeveralLaunches) {
    constexpr std::size_t kBodies = 100000;
    std::vector<Double4> chain(kBodies);
    for (std::size_t i = 0; i < kBodies; ++i) chain[i] = {static_cast<double>(i), 0, 0, 1};
    const ParticleSet bodies = bodiesOf(chain, std::vector<Double4>(kBodies));
    const FoundGroups byHost = findGroups(groupRow("cuda", "bfs-host"), bodies, 1.25, {});
    const FoundGroups byDevice = findGroups(groupRow("cuda", "bfs-device"), bodies, 1.25, {});
    EXPECT_EQ(byDevice.labels, std::vector<std::uint32_t>(kBodies, 0));
    EXPECT_EQ(byDevice.labels, byHost.labels);
    ASSERT_EQ(byHost.figures.size(), byDevice.figures.size());
    EXPECT_EQ(byDevice.figures.back().value, byHost.figures.back().value) << "levels";
    EXPECT_GT(byDevice.figures.back().value, 2.0 * (1u << 26) / kBodies) << "more than a launch has";
}

// No time is asserted; the time for a million bodies is printed.
TEST_F(GpuGroups, aMillionByTheTreeAreThoseOfTheGrid) {
    const ParticleSet bodies = sceneNamed("plummer").build({1048576, 1});
    const double length = linkingLength(bodies, {});
    const std::vector<std::uint32_t> want = findGroups(groupRow("cuda", "union-grid"), bodies, length, {}).labels;
    double best = 1e300;
    for (int repeat = 0; repeat < 5; ++repeat) {
        const FoundGroups found = findGroups(groupRow("cuda", "union-tree"), bodies, length, {});
        EXPECT_EQ(found.labels, want);
        best = std::min(best, found.seconds);
    }
    EXPECT_EQ(checkGroups(bodies, length, want).failure, "");
    std::printf("1,048,576 bodies of plummer, b = 0.2 mean distances: %.3f ms\n", 1e3 * best);
}

}  // namespace
}  // namespace gravlab::test
