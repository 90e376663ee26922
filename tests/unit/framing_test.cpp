// A camera that keeps everything in the picture, and otherwise leaves it alone.
#include "app/model/framing.h"

#include <gtest/gtest.h>
#include <glm/geometric.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

namespace gravlab {
namespace {

std::vector<glm::vec3> ring(std::size_t count, float radius, glm::vec3 centre) {
    std::vector<glm::vec3> places;
    for (std::size_t i = 0; i < count; ++i) {
        const float angle = 6.2831853f * static_cast<float>(i) / static_cast<float>(count);
        places.push_back(centre + radius * glm::vec3(std::cos(angle), std::sin(angle), 0));
    }
    return places;
}

float visible(const Camera& camera) { return camera.distance * std::tan(camera.fieldOfView / 2); }

void watch(Framing& framing, Camera& camera, const Extent& extent, double seconds, bool holds = false) {
    for (double t = 0; t < seconds; t += 1.0 / 30) {
        framing.see(extent, 1.0 / 30);
        framing.move(camera, 1.0 / 30, holds);
    }
}

TEST(Framing, ofFewBodiesAllAreShownAndOfManyAllButTheOutermost) {
    std::vector<glm::vec3> few = ring(5, 1, {0, 0, 0});
    few.push_back({9, 0, 0});
    const Extent all = extentOf(few);
    for (const glm::vec3& place : few) EXPECT_LE(glm::length(place - all.centre), 1.001f * all.radius);
    std::vector<glm::vec3> many = ring(1000, 1, {4, 0, 0});
    for (int i = 0; i < 20; ++i) many.push_back({1e6f, 0, 0});
    EXPECT_NEAR(extentOf(many).radius, 1, 0.05f) << "one that was thrown out moves no camera";
    EXPECT_NEAR(extentOf(many).centre.x, 4, 0.1f);
    EXPECT_EQ(extentOf({}).radius, 0);
}

TEST(Framing, leavesASceneThatFitsAsItsOwnViewHasIt) {
    Framing framing;
    Camera camera;
    const Camera own = camera;
    watch(framing, camera, extentOf(ring(500, 0.7f * visible(camera), camera.target)), 10);
    EXPECT_EQ(camera, own);
}

TEST(Framing, goesBackForWhatLeavesThePictureGentlyAndFarEnough) {
    Framing framing;
    Camera camera;
    const float before = camera.distance, radius = 3 * visible(camera);
    const Extent extent = extentOf(ring(500, radius, {0, 0, 0}));
    float last = before;
    for (int frame = 0; frame < 600; ++frame) {
        framing.see(extent, 1.0 / 30);
        framing.move(camera, 1.0 / 30, false);
        EXPECT_LT(camera.distance / last, 1.05f) << "no leap";
        last = camera.distance;
    }
    EXPECT_GT(visible(camera), radius);
    EXPECT_LT(visible(camera), 1.3f * radius);
}

TEST(Framing, comesNearerWhereMostOfThePictureIsEmptyButNotForASwing) {
    Framing framing;
    Camera camera;
    const float wide = 0.8f * visible(camera);
    // In and out every two seconds, as three bodies do: the camera stays.
    const float before = camera.distance;
    for (int swing = 0; swing < 10; ++swing) {
        watch(framing, camera, {{0, 0, 0}, wide}, 1);
        watch(framing, camera, {{0, 0, 0}, 0.1f * wide}, 1);
    }
    EXPECT_NEAR(camera.distance / before, 1, 0.02f);
    watch(framing, camera, {{0, 0, 0}, 0.1f * wide}, 120);
    EXPECT_LT(camera.distance, 0.4f * before);
    EXPECT_GT(visible(camera), 0.1f * wide);
}

TEST(Framing, followsWhatDriftsAwayUnlessSomethingElseIsHeldInTheMiddle) {
    for (const bool holds : {false, true}) {
        Framing framing;
        Camera camera;
        const glm::vec3 target = camera.target;
        const float far = 5 * visible(camera);
        watch(framing, camera, {{far, 0, 0}, 0.5f * visible(camera)}, 60, holds);
        if (holds)
            EXPECT_EQ(camera.target, target);
        else
            EXPECT_LT(std::abs(camera.target.x - far), 0.5f * visible(camera));
        const float reach = std::abs(far - camera.target.x) + 0.5f;
        EXPECT_GT(visible(camera), 0.9f * reach);
    }
}

TEST(Framing, standsStillUntilItHasSeenSomething) {
    Framing framing;
    Camera camera;
    const Camera before = camera;
    framing.move(camera, 1, false);
    framing.see({{0, 0, 0}, std::nanf("")}, 1);
    framing.move(camera, 1, false);
    EXPECT_EQ(camera, before);
}

}  // namespace
}  // namespace gravlab
