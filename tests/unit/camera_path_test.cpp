// Camera paths: through every point, without jumps, at a position that depends on time alone.
#include "app/model/camera_path.h"
#include "sim/api/errors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace gravlab {
namespace {

const std::vector<PathPoint> kPoints{
    {0, 20, 170, 20, {0, 0, 0}}, {3, 5, -160, 60, {1, 2, -1}}, {4, 0.5, -100, 85, {1, 2, 0}}, {9, 40, 30, -40, {-3, 0, 2}}};
constexpr float kRadians = std::numbers::pi_v<float> / 180;

/// The difference of two views, as fractions of the distance and in radians.
double apart(const Camera& a, const Camera& b) {
    const glm::vec3 way = a.target - b.target;
    return std::abs(std::log(static_cast<double>(a.distance / b.distance))) +
           std::abs(std::remainder(static_cast<double>(a.azimuth - b.azimuth), 2 * std::numbers::pi)) +
           std::abs(static_cast<double>(a.elevation - b.elevation)) +
           static_cast<double>(std::abs(way.x) + std::abs(way.y) + std::abs(way.z));
}

TEST(CameraPath, goesThroughEveryPoint) {
    const CameraPath path(kPoints);
    for (const PathPoint& point : kPoints) {
        const Camera view = path.at(point.seconds, {});
        EXPECT_NEAR(view.distance, static_cast<float>(point.distance), 1e-5f * view.distance);
        EXPECT_NEAR(
            std::remainder(view.azimuth - static_cast<float>(point.azimuth) * kRadians, 2 * std::numbers::pi_v<float>), 0,
            1e-5f);
        EXPECT_NEAR(view.elevation, static_cast<float>(point.elevation) * kRadians, 1e-5f);
        EXPECT_NEAR(view.target.x, static_cast<float>(point.target[0]), 1e-5f);
        EXPECT_NEAR(view.target.y, static_cast<float>(point.target[1]), 1e-5f);
        EXPECT_NEAR(view.target.z, static_cast<float>(point.target[2]), 1e-5f);
    }
    EXPECT_EQ(apart(path.at(-5, {}), path.at(0, {})), 0);
    EXPECT_EQ(apart(path.at(99, {}), path.at(9, {})), 0);
}

TEST(CameraPath, hasNoJumpInPlaceOrSpeed) {
    const CameraPath path(kPoints);
    constexpr double kStep = 1e-3;
    double fastest = 0;
    for (double t = 0; t < 9; t += kStep) fastest = std::max(fastest, apart(path.at(t, {}), path.at(t + kStep, {})));
    EXPECT_LT(fastest, 12 * kStep) << "more than the path as a whole asks for";
    EXPECT_GT(fastest, 0);
    // Speed on both sides of an inner point.
    for (const double t : {3.0, 4.0}) {
        const float h = 2e-3f;
        const auto speed = [&](double from) {
            const Camera a = path.at(from, {}), b = path.at(from + static_cast<double>(h), {});
            return glm::vec3(std::log(b.distance / a.distance), std::remainder(b.azimuth - a.azimuth, 6.2831853f),
                             b.target.x - a.target.x) /
                   h;
        };
        const glm::vec3 change = speed(t) - speed(t - static_cast<double>(h));
        EXPECT_LT(std::abs(change.x) + std::abs(change.y) + std::abs(change.z), 0.1f) << "at " << t;
    }
    // The shorter way round: from 170 to -160 degrees over 180.
    const double middle = std::abs(static_cast<double>(path.at(1.5, {}).azimuth));
    EXPECT_GT(middle, 150 * std::numbers::pi / 180);
}

TEST(CameraPath, aTourDependsOnTimeNotOnFrames) {
    Camera coarse, fine;
    CameraTour a, b;
    a.path = b.path = CameraPath(kPoints);
    a.start();
    b.start();
    for (int i = 0; i < 30; ++i) a.advance(0.1, coarse);
    for (int i = 0; i < 3000; ++i) b.advance(0.001, fine);
    EXPECT_LT(apart(coarse, fine), 1e-4);
    EXPECT_LT(apart(coarse, CameraPath(kPoints).at(3, {})), 1e-4);
    EXPECT_TRUE(a.playing);
    a.advance(100, coarse);
    EXPECT_FALSE(a.playing);
    EXPECT_EQ(apart(coarse, CameraPath(kPoints).at(9, {})), 0);
}

TEST(CameraPath, rememberedViewsMakeOne) {
    std::array<std::optional<Camera>, 9> views;
    CameraTour tour;
    EXPECT_THAT(toggleTour(tour, views), testing::HasSubstr("Ctrl 1"));
    EXPECT_FALSE(tour.playing);
    views[0] = Camera{.distance = 3};
    views[4] = Camera{.distance = 9, .fieldOfView = 0.3f};
    EXPECT_EQ(toggleTour(tour, views), "");
    EXPECT_TRUE(tour.playing);
    EXPECT_EQ(tour.path.duration(), kSecondsBetweenViews);
    EXPECT_NEAR(tour.path.at(kSecondsBetweenViews, {}).distance, 9, 1e-5);
    EXPECT_NEAR(tour.path.at(kSecondsBetweenViews, {}).fieldOfView, 0.3, 1e-6);
    EXPECT_EQ(toggleTour(tour, views), "");
    EXPECT_FALSE(tour.playing) << "the second press stops it";
}

TEST(CameraPath, aTourEndsWhereSomebodyTurnsTheCamera) {
    CameraTour tour;
    tour.path = CameraPath(kPoints);
    Camera camera;
    tour.start();
    tour.advance(0, camera);
    tour.advance(1, camera);
    camera.target.x += 3;  // a followed body moves
    tour.advance(0.1, camera);
    EXPECT_TRUE(tour.playing);
    camera.azimuth += 0.2f;
    const Camera turned = camera;
    tour.advance(0.1, camera);
    EXPECT_FALSE(tour.playing);
    EXPECT_EQ(apart(camera, turned), 0) << "the camera stays where the hand has put it";
}

TEST(CameraPath, textGoesThereAndBack) {
    const std::vector<PathPoint> back = parsePath(pathText(kPoints));
    ASSERT_EQ(back.size(), kPoints.size());
    for (std::size_t i = 0; i < back.size(); ++i) {
        EXPECT_NEAR(back[i].field, kUsualField, 1e-6);
        EXPECT_EQ(back[i].target, kPoints[i].target);
        EXPECT_EQ(back[i].distance, kPoints[i].distance);
    }
    EXPECT_EQ(parsePath("[[0,1,2,3,4,5,6,30],[1,1,2,3,4,5,6]]")[0].field, 30);
    for (const char* bad :
         {"", "[]", "[[0,1,2,3,4,5,6]]", "[[0,1,2,3,4,5],[1,1,2,3,4,5]]", "[[0,1,0,0,0,0,0],[0,1,0,0,0,0,0]]",
          "[[1,1,0,0,0,0,0],[2,1,0,0,0,0,0]]", "[[0,0,0,0,0,0,0],[1,1,0,0,0,0,0]]", "[[0,1,0,0,0,0,0],[1,1,0,0,0,0,nan]]",
          "[[0,1,0,0,0,0,0],[1,1,0,0,0,0,0]", "x[[0]]", "[[[0,1,0,0,0,0,0]]]", "[[0,1,0,0,0,0,0],[1,1,0,0,0,0,0]] x",
          "[[0,1,0,0,0,0,0],[1,1,0,0,0,0,0,170]]"})
        EXPECT_THROW(parsePath(bad), UsageError) << bad;
}

}  // namespace
}  // namespace gravlab
