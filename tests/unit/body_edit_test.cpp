// Edits of many bodies at once, and held bodies.
#include "sim/core/body_edit.h"

#include "sim/core/error.h"
#include "tests/bodies.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace gravlab {
namespace {

using namespace testing_support;

TEST(BodyEditTest, manyEditsEqualOneAfterTheOther) {
    const ParticleSet start = unevenBodies(300);
    std::vector<BodyEdit> edits;
    for (std::uint32_t k = 0; k < 120; ++k) {
        edits.push_back({.kind = BodyEdit::Kind::remove, .id = (k * 7) % 300 < 280 ? (k * 2) : 299 - k});
        edits.push_back({.kind = BodyEdit::Kind::add, .id = 1000 + k, .position = {double(k), 0, 0, 1}});
    }
    edits.push_back({.kind = BodyEdit::Kind::remove, .id = 1003});
    edits.push_back({.kind = BodyEdit::Kind::add, .id = 1003, .position = {-1, 0, 0, 1}});
    std::vector<BodyEdit> valid;
    ParticleSet single = start;
    for (const BodyEdit& edit : edits) {
        try {
            applyEdits(single, std::span(&edit, 1));
            valid.push_back(edit);
        } catch (const UsageError&) {
        }
    }
    ASSERT_GT(valid.size(), 200u);
    ParticleSet together = start;
    applyEdits(together, valid);
    ASSERT_EQ(together.id, single.id);
    for (std::size_t i = 0; i < single.size(); ++i) EXPECT_EQ(together.position[i].x, single.position[i].x);
    EXPECT_EQ(together.id.back(), 1003u);
    EXPECT_EQ(together.position.back().x, -1);
}

TEST(BodyEditTest, aBadEditInAListChangesNothing) {
    const ParticleSet start = unevenBodies(3);
    const BodyEdit edits[] = {{.kind = BodyEdit::Kind::remove, .id = 0},
                              {.kind = BodyEdit::Kind::remove, .id = 1},
                              {.kind = BodyEdit::Kind::remove, .id = 2}};
    ParticleSet bodies = start;
    EXPECT_THROW(applyEdits(bodies, edits), UsageError) << "the last one stays";
    EXPECT_EQ(bodies.id, start.id);
    applyEdits(bodies, std::span(edits, 2));
    EXPECT_EQ(bodies.id, std::vector<std::uint32_t>{2});
}

TEST(BodyEditTest, holdsAndReleases) {
    ParticleSet bodies = unevenBodies(5);
    const Double4 before = bodies.velocity[2];
    const BodyEdit still = holdBody(bodies, 2, false), moving = holdBody(bodies, 2, true);
    applyEdits(bodies, std::span(&moving, 1));
    EXPECT_TRUE(isHeld(bodies.velocity[2]));
    EXPECT_EQ(bodies.velocity[2].x, before.x);
    applyEdits(bodies, std::span(&still, 1));
    EXPECT_TRUE(isHeld(bodies.velocity[2]));
    EXPECT_EQ(bodies.velocity[2].x, 0);
    const BodyEdit free = releaseBody(bodies, 2, 0.25);
    applyEdits(bodies, std::span(&free, 1));
    EXPECT_FALSE(isHeld(bodies.velocity[2]));
    EXPECT_EQ(bodies.velocity[2].w, 0.25);
    EXPECT_EQ(std::count_if(bodies.velocity.begin(), bodies.velocity.end(), isHeld), 0);
}

}  // namespace
}  // namespace gravlab
