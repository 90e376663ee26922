// The orbit camera: the point under the cursor stays there, and no gesture breaks the camera.
#include "render/camera.h"

#include <gtest/gtest.h>
#include <glm/geometric.hpp>
#include <glm/vec4.hpp>

#include <cmath>

namespace gravlab::test {
namespace {

const glm::vec2 kViewport(1280, 720);

/// The position of a point, in pixels from the upper left corner, in the cursor's coordinates.
glm::vec2 onScreen(const Camera& camera, glm::vec3 point) {
    const glm::vec4 clip = camera.projection(kViewport.x / kViewport.y) * camera.view() * glm::vec4(point, 1);
    return {(clip.x / clip.w + 1) / 2 * kViewport.x, (1 - clip.y / clip.w) / 2 * kViewport.y};
}

/// A point in the plane through the target, perpendicular to the view.
glm::vec3 inTargetPlane(const Camera& camera, float right, float up) {
    const glm::vec3 forward = glm::normalize(camera.target - camera.eye());
    const glm::vec3 r = glm::normalize(glm::cross(forward, glm::vec3(0, 0, 1)));
    return camera.target + right * r + up * glm::cross(r, forward);
}

TEST(Camera, TargetIsInTheMiddle) {
    Camera camera{.target = {3, -2, 1}};
    const glm::vec2 at = onScreen(camera, camera.target);
    EXPECT_NEAR(at.x, 640, 0.01);
    EXPECT_NEAR(at.y, 360, 0.01);
    EXPECT_NEAR(glm::length(camera.eye() - camera.target), camera.distance, 1e-4);
}

TEST(Camera, ZoomKeepsWhatIsUnderTheCursor) {
    for (const float steps : {-12.0f, -1.0f, 0.3f, 1.0f, 12.0f}) {
        Camera camera;
        const glm::vec3 point = inTargetPlane(camera, 1.1f, -0.6f);
        const glm::vec2 cursor = onScreen(camera, point);
        const float before = camera.distance;
        camera.zoom(steps, cursor, kViewport);
        EXPECT_EQ(camera.distance<before, steps> 0);
        EXPECT_NEAR(onScreen(camera, point).x, cursor.x, 0.05) << steps;
        EXPECT_NEAR(onScreen(camera, point).y, cursor.y, 0.05) << steps;
    }
}

TEST(Camera, ZoomForthAndBackIsNothing) {
    Camera camera;
    const Camera before = camera;
    for (int i = 0; i < 20; ++i) camera.zoom(1, {900, 100}, kViewport);
    for (int i = 0; i < 20; ++i) camera.zoom(-1, {900, 100}, kViewport);
    EXPECT_NEAR(camera.distance, before.distance, 1e-3);
    EXPECT_LT(glm::length(camera.target - before.target), 1e-3);
}

TEST(Camera, ZoomHasLimits) {
    Camera camera;
    for (const float steps : {1e9f, -1e9f, 1e9f}) {
        camera.zoom(steps, {0, 0}, kViewport);
        EXPECT_GT(camera.distance, 0);
        EXPECT_TRUE(std::isfinite(camera.distance));
        EXPECT_TRUE(std::isfinite(glm::length(camera.target)));
    }
}

TEST(Camera, PanMovesWithTheCursor) {
    Camera camera;
    const glm::vec3 point = inTargetPlane(camera, 0.4f, 0.2f);
    const glm::vec2 before = onScreen(camera, point);
    camera.pan({35, -80}, kViewport);
    EXPECT_NEAR(onScreen(camera, point).x, before.x + 35, 0.05);
    EXPECT_NEAR(onScreen(camera, point).y, before.y - 80, 0.05);
}

TEST(Camera, OrbitDragsTheNearSideAlong) {
    Camera camera{.elevation = 0};
    const glm::vec3 near = 0.3f * camera.eye();
    const glm::vec2 before = onScreen(camera, near);
    Camera turned = camera;
    turned.orbit({40, 0});
    EXPECT_GT(onScreen(turned, near).x, before.x);
    turned = camera;
    turned.orbit({0, 40});
    EXPECT_GT(onScreen(turned, near).y, before.y);
}

TEST(Camera, OrbitNeverTurnsOver) {
    Camera camera;
    for (int i = 0; i < 2000; ++i) camera.orbit({7.0f, i < 1000 ? 5.0f : -5.0f});
    EXPECT_LT(std::abs(camera.elevation), 1.5708f);
    EXPECT_LE(std::abs(camera.azimuth), 3.1416f);
    EXPECT_GT(glm::dot(glm::vec3(camera.view()[0][1], camera.view()[1][1], camera.view()[2][1]), glm::vec3(0, 0, 1)), 0)
        << "up is up";
}

}  // namespace
}  // namespace gravlab::test
