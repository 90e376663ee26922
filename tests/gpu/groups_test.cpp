// Groups of bodies on a device: every rung against every pair, and against the host's rungs when there are too many pairs.
#include "sim/backends/groups.h"
#include "sim/backends/cuda/runtime/api.h"
#include "sim/scenes/scene.h"
#include "tests/gpu/gpu_fixture.h"
#include "tests/group_shapes.h"

#include "sim/core/error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>

namespace gravlab::test {
namespace {

using namespace testing_support;

class GpuGroups : public GpuTest {
protected:
    static std::vector<GroupRung> rungs() {
        std::vector<GroupRung> all;
        for (const GroupRung& rung : groupRungs())
            if (rung.backend == "cuda") all.push_back(rung);
        return all;
    }
};

TEST_F(GpuGroups, everyRungGivesTheLabelsOfEveryPair) {
    EXPECT_EQ(rungs().size(), 4u);
    for (const GroupShape& shape : groupShapes()) {
        const std::vector<std::uint32_t> want = groupsByPairs(shape.bodies, shape.length);
        for (const GroupRung& rung : rungs())
            EXPECT_EQ(findGroups(rung, shape.bodies, shape.length, {}).labels, want) << rung.name << ", " << shape.name;
    }
}

TEST_F(GpuGroups, everyDepthRungFindsThoseOfEveryPair) {
    for (const GroupShape& shape : groupShapes())
        for (const std::size_t from : {std::size_t{0}, shape.bodies.size() / 2}) {
            const auto start = static_cast<std::uint32_t>(from);
            const std::vector<std::uint32_t> want = depthsByPairs(shape.bodies, shape.length, start);
            for (const DepthRung& rung : depthRungs()) {
                if (rung.backend != "cuda") continue;
                const FoundDepths found = findDepths(rung, shape.bodies, shape.length, start, {});
                EXPECT_EQ(found.depths, want) << rung.name << ", " << shape.name;
                for (const MethodFigure& figure : found.figures)
                    if (figure.name == "levels") {
                        std::uint32_t deepest = 0;
                        for (const std::uint32_t depth : want) deepest = std::max(deepest, depth == kNoDepth ? 0 : depth);
                        EXPECT_EQ(figure.value, deepest + 1.0) << rung.name << ": the last level reaches no body";
                    }
            }
        }
    const ParticleSet bodies = sceneNamed("plummer").build({65536, 3});
    const double length = linkingLength(bodies, {});
    const std::vector<std::uint32_t> want = findDepths(depthRung("cpu"), bodies, length, 0, {}).depths;
    for (const DepthRung& rung : depthRungs())
        if (rung.backend == "cuda") {
            EXPECT_EQ(findDepths(rung, bodies, length, 0, {}).depths, want) << rung.name;
        }
}

TEST_F(GpuGroups, repeatsGiveTheSameBitsAsTheHost) {
    const ParticleSet bodies = sceneNamed("plummer").build({65536, 3});
    const double length = linkingLength(bodies, {});
    const std::vector<std::uint32_t> want = findGroups(groupRung("cpu", "union-grid"), bodies, length, {}).labels;
    for (const GroupRung& rung : rungs())
        for (int repeat = 0; repeat < 3; ++repeat)
            EXPECT_EQ(findGroups(rung, bodies, length, {}).labels, want) << rung.name << ", repeat " << repeat;
}

TEST_F(GpuGroups, bodiesWithoutAPlaceAreNobodysFriends) {
    ParticleSet bodies = sceneNamed("plummer").build({3000, 1});
    const double length = linkingLength(bodies, {});
    for (std::size_t i = 0; i < bodies.size(); i += 7) bodies.position[i].y = i % 2 ? NAN : INFINITY;
    const std::vector<std::uint32_t> want = groupsByPairs(bodies, length);
    for (const GroupRung& rung : rungs()) EXPECT_EQ(findGroups(rung, bodies, length, {}).labels, want) << rung.name;
}

// A million bodies at one point have 10^12 friends: lists are refused before their allocation, and the tree handles them.
TEST_F(GpuGroups, listsThatDoNotFitAreRefusedAndNameTheRungThatFits) {
    const ParticleSet bodies = bodiesOf(std::vector<Double4>(400000, {1, 2, 3, 1}), std::vector<Double4>(400000));
    for (const char* rung : {"bfs-host", "bfs-device"})
        EXPECT_THAT([&] { findGroups(groupRung("cuda", rung), bodies, 1, {}); },
                    testing::ThrowsMessage<OutOfMemoryError>(testing::HasSubstr("union-tree")))
            << rung;
    EXPECT_EQ(findGroups(groupRung("cuda", "union-tree"), bodies, 1, {}).labels, std::vector<std::uint32_t>(400000, 0));
}

// A display on the same device must not wait for all levels of a chain.
TEST_F(GpuGroups, aLongChainIsSearchedInSeveralLaunches) {
    constexpr std::size_t kBodies = 100000;
    std::vector<Double4> chain(kBodies);
    for (std::size_t i = 0; i < kBodies; ++i) chain[i] = {static_cast<double>(i), 0, 0, 1};
    const ParticleSet bodies = bodiesOf(chain, std::vector<Double4>(kBodies));
    const FoundGroups byHost = findGroups(groupRung("cuda", "bfs-host"), bodies, 1.25, {});
    const FoundGroups byDevice = findGroups(groupRung("cuda", "bfs-device"), bodies, 1.25, {});
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
    const std::vector<std::uint32_t> want = findGroups(groupRung("cuda", "union-grid"), bodies, length, {}).labels;
    double best = 1e300;
    for (int repeat = 0; repeat < 5; ++repeat) {
        const FoundGroups found = findGroups(groupRung("cuda", "union-tree"), bodies, length, {});
        EXPECT_EQ(found.labels, want);
        best = std::min(best, found.seconds);
    }
    EXPECT_EQ(checkGroups(bodies, length, want).failure, "");
    std::printf("1,048,576 bodies of plummer, b = 0.2 mean distances: %.3f ms\n", 1e3 * best);
}

}  // namespace
}  // namespace gravlab::test
