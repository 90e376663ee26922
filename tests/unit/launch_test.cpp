// Dropping bodies by an arrow: positions, speeds, and small galaxies that stay bound.
#include "app/tables/drop.h"

#include "sim/core/body_edit.h"
#include "sim/measure/diagnostics.h"
#include "sim/scenes/companion.h"

#include <gtest/gtest.h>

#include <glm/geometric.hpp>

#include <cmath>

namespace gravlab {
namespace {

constexpr glm::vec2 kView{800, 600};
const DropScene kScene{.mass = 2, .bodies = 1000, .size = 5, .speed = 3, .softening = 0.05};

TEST(LaunchTest, theArrowIsAVelocityInThePlaneThatFacesTheViewer) {
    Camera camera{.target = {1, 2, 3}};
    DropTool tool;
    tool.row = 1;
    EXPECT_FALSE(tool.release().has_value()) << "nothing was pressed";
    tool.press(camera, {400, 300}, kView, kScene);
    ASSERT_TRUE(tool.dragging());
    tool.move({550, 300});  // a quarter of the height
    const std::optional<DropOrder> order = tool.release();
    ASSERT_TRUE(order.has_value());
    EXPECT_FALSE(tool.dragging());
    EXPECT_NEAR(glm::length(order->place - glm::dvec3(1, 2, 3)), 0, 1e-5) << "the middle is the focus";
    EXPECT_NEAR(glm::length(order->velocity), 3, 1e-4) << "a quarter of the height is the scene's speed";
    EXPECT_NEAR(glm::dot(order->velocity, order->facing), 0, 1e-4);
    EXPECT_NEAR(order->mass, 0.05 * 2, 1e-12);
    EXPECT_EQ(order->bodies, 1u);
    // The body is drawn where the button was pressed.
    const glm::vec3 side = camera.pointUnder({500, 200}, kView);
    const glm::vec4 clip = camera.projection(800.0f / 600) * camera.view() * glm::vec4(side, 1);
    EXPECT_NEAR((0.5f + 0.5f * clip.x / clip.w) * 800, 500, 0.01);
    EXPECT_NEAR((0.5f - 0.5f * clip.y / clip.w) * 600, 200, 0.01);
}

TEST(LaunchTest, aClickDropsAtRestAndEscDropsNothing) {
    DropTool tool;
    tool.press({}, {100, 100}, kView, kScene);
    tool.move({102, 101});
    const std::optional<DropOrder> order = tool.release();
    ASSERT_TRUE(order.has_value());
    EXPECT_EQ(order->velocity, glm::dvec3(0));
    EXPECT_NEAR(order->mass, 2.0 / 1000, 1e-12) << "an average star";
    tool.press({}, {100, 100}, kView, kScene);
    tool.cancel();
    EXPECT_FALSE(tool.release().has_value());
}

TEST(LaunchTest, galaxiesNeedGravity) {
    DropScene scene = kScene;
    DropTool tool;
    for (tool.row = 0; tool.row < static_cast<int>(dropRows().size()); ++tool.row) {
        scene.gravity = true;
        EXPECT_EQ(tool.refusal(scene), "");
        scene.gravity = false;
        EXPECT_EQ(tool.refusal(scene).empty(), tool.row == 0);
    }
}

TEST(LaunchTest, aSmallGalaxyIsMadeOfItsMassAndInBalance) {
    for (const bool disc : {false, true}) {
        SCOPED_TRACE(disc ? "disc" : "sphere");
        const scenes::CompanionModel model{
            .disc = disc, .bodies = 2000, .mass = 0.3, .size = 0.2, .softening = 0.01, .axis = {1, 1, 0}};
        const ParticleSet bodies = scenes::companion(model);
        ASSERT_EQ(bodies.size(), 2000u);
        const Diagnostics d = measure(bodies, {.softening = 0.01}, 1);
        EXPECT_NEAR(d.mass, 0.3, 1e-6);
        EXPECT_NEAR(std::hypot(d.momentum.x, d.momentum.y, d.momentum.z), 0, 1e-9);
        EXPECT_NEAR(-2 * d.kinetic / d.potential, 1, disc ? 0.15 : 0.08) << "virial ratio";
        const double spin = std::hypot(d.angularMomentum.x, d.angularMomentum.y, d.angularMomentum.z);
        if (disc) {
            EXPECT_NEAR((d.angularMomentum.x + d.angularMomentum.y) / std::sqrt(2.0), spin, 0.01 * spin)
                << "it turns about its axis";
        }
        // The same galaxy at half the size is bound twice as deep: the test would notice.
        scenes::CompanionModel smaller = model;
        smaller.size = 0.1;
        smaller.softening = 0.005;
        EXPECT_NEAR(measure(scenes::companion(smaller), {.softening = 0.005}, 1).potential / d.potential, 2, 0.05);
    }
}

TEST(LaunchTest, editsAddTheBodiesOnTheirWay) {
    DropTool tool;
    tool.row = 3;
    DropOrder order = tool.usual(kScene);
    order.place = {10, 0, 0};
    order.velocity = {0, 5, 0};
    order.bodies = 150;
    const std::vector<BodyEdit> edits = dropEdits(order, kScene, 70, 9, 1);
    ASSERT_EQ(edits.size(), 150u);
    double mass = 0, x = 0, vy = 0;
    for (const BodyEdit& edit : edits) {
        EXPECT_EQ(edit.kind, BodyEdit::Kind::add);
        EXPECT_EQ(edit.group, 9);
        EXPECT_EQ(edit.velocity.w, 1);
        mass += edit.position.w;
        x += edit.position.w * edit.position.x;
        vy += edit.position.w * edit.velocity.y;
    }
    EXPECT_EQ(edits.front().id, 70u);
    EXPECT_EQ(edits.back().id, 219u);
    EXPECT_NEAR(mass, 0.2, 1e-9);
    EXPECT_NEAR(x / mass, 10, 1e-9);
    EXPECT_NEAR(vy / mass, 5, 1e-9);
}

}  // namespace
}  // namespace gravlab
