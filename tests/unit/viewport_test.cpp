// Areas of views on a surface, the directions of their cameras, and the paths of four views.
#include "app/model/document.h"
#include "app/model/framing.h"
#include "app/model/look.h"

#include <gtest/gtest.h>
#include <glm/geometric.hpp>
#include <glm/vec4.hpp>

#include <cmath>
#include <vector>

namespace gravlab {
namespace {

Document showing(bool four) {
    Document document;
    document.fourViews = four;
    return document;
}

Document showingTwins(TwinView view) {
    Document document;
    document.facts.twin.on = true;
    document.facts.twin.view = view;
    return document;
}

TEST(Viewports, oneIsTheWholeSurface) {
    const auto views = viewports(showing(false), 640, 480, {100, 0, 300, 300});
    ASSERT_EQ(views.size(), 1u);
    EXPECT_EQ(views[0].rectangle, (PicturePart{0, 0, 640, 480}));
    EXPECT_EQ(views[0].run, 0u);
}

TEST(Viewports, theMiddleOfOneIsThatOfWhatPanelsLeave) {
    Document document = showing(false);
    document.camera.target = document.shown.target = {1, 2, 3};
    for (const bool flat : {false, true})
        for (const PicturePart& free :
             {PicturePart{300, 26, 681, 500}, PicturePart{0, 0, 1280, 400}, PicturePart{500, 0, 200, 700}}) {
            document.camera.orthographic = document.shown.orthographic = flat;
            const Viewport view = viewports(document, 1280, 720, free).front();
            EXPECT_EQ(view.frame, free);
            const glm::mat4 clip = view.camera.projection(1280.0f / 720) * view.camera.view();
            const auto pixel = [&](glm::vec3 point) {
                const glm::vec4 at = clip * glm::vec4(point, 1);
                return glm::vec2((0.5f + 0.5f * at.x / at.w) * 1280, (0.5f - 0.5f * at.y / at.w) * 720);
            };
            const glm::vec2 middle = pixel(document.camera.target);
            EXPECT_NEAR(middle.x, static_cast<float>(free.left) + 0.5f * static_cast<float>(free.width), 0.01f);
            EXPECT_NEAR(middle.y, static_cast<float>(free.top) + 0.5f * static_cast<float>(free.height), 0.01f);
            // The body under the cursor there is the body drawn there.
            const glm::vec2 cursor{static_cast<float>(free.left) + 30, static_cast<float>(free.top) + 40};
            document.free = free;
            const Document::SurfaceSpot spot = document.spotAt(cursor, {1280, 720});
            const glm::vec2 back = pixel(spot.camera.pointUnder(spot.cursor, spot.size));
            EXPECT_NEAR(back.x, cursor.x, 0.05f);
            EXPECT_NEAR(back.y, cursor.y, 0.05f);
            // The view reaches as far to both sides as upwards.
            const float reach = 0.99f * static_cast<float>(halfHeight(document.camera));
            const float pixels = reach / view.camera.lengthPerPixel(view.size());
            EXPECT_LE(pixels, 0.5f * static_cast<float>(std::min(free.width, free.height)));
        }
    EXPECT_EQ(viewports(document, 640, 480, {}).front().camera.part, Camera{}.part) << "without panels nothing is cut";
}

TEST(Viewports, fourFillTheFreeAreaAndDoNotOverlap) {
    const Document four = showing(true);
    const auto views = viewports(four, 1280, 720, {300, 26, 681, 500});
    ASSERT_EQ(views.size(), 4u);
    for (std::size_t i = 0; i < 4; ++i) {
        const PicturePart& part = views[i].rectangle;
        EXPECT_EQ(part.width, 339) << "one target serves all";
        EXPECT_EQ(part.height, 249);
        EXPECT_GE(part.left, 300);
        EXPECT_LE(part.left + part.width, 981);
        EXPECT_GE(part.top, 26);
        EXPECT_LE(part.top + part.height, 526);
        for (std::size_t j = 0; j < i; ++j) {
            const PicturePart& other = views[j].rectangle;
            EXPECT_TRUE(other.left + other.width < part.left || part.left + part.width < other.left ||
                        other.top + other.height < part.top)
                << i << ' ' << j;
        }
    }
    const auto ends = [&](int width, int height, const PicturePart& free) {
        const PicturePart last = viewports(four, width, height, free)[3].rectangle;
        return last.left + last.width;
    };
    // A window that is smaller than the earlier free area, and one without panels.
    EXPECT_EQ(viewports(four, 200, 100, {300, 26, 681, 500})[0].rectangle.left, 0);
    EXPECT_EQ(ends(200, 100, {300, 26, 681, 500}), 200);
    for (const Viewport& view : viewports(four, 1, 1, {300, 26, 681, 500})) EXPECT_GE(view.rectangle.width, 1);
    EXPECT_EQ(ends(1280, 720, {}), 1280);
}

TEST(Viewports, twoRunsKeepOutOfThePanelsAndInsideTheSurface) {
    const Document side = showingTwins(TwinView::side);
    const PicturePart free{292, 0, 696, 520};
    const auto views = viewports(side, 1280, 720, free);
    ASSERT_EQ(views.size(), 2u);
    EXPECT_EQ(views[0].rectangle, (PicturePart{292, 0, 347, 520}));
    EXPECT_EQ(views[1].rectangle.left + views[1].rectangle.width, 292 + 696);
    EXPECT_EQ(views[1].run, 1u);
    EXPECT_NEAR(views[0].camera.distance / side.camera.distance, 520.0f / 347, 1e-5) << "a narrow one stands farther away";
    for (const auto& [width, height] : {std::pair(1, 1), std::pair(3, 900), std::pair(64, 2)})
        for (const Viewport& view : viewports(side, width, height, free)) {
            EXPECT_GE(view.rectangle.width, 1);
            EXPECT_GE(view.rectangle.left, 0);
            EXPECT_LE(view.rectangle.left + view.rectangle.width, width);
        }
    const auto over = viewports(showingTwins(TwinView::overlaid), 640, 480, {100, 0, 300, 300});
    ASSERT_EQ(over.size(), 2u);
    EXPECT_EQ(over[1].rectangle, (PicturePart{0, 0, 640, 480}));
}

TEST(Viewports, ofTwoRunsTheSurfaceIsNeverFour) {
    Document document = showingTwins(TwinView::side);
    document.fourViews = true;
    EXPECT_EQ(viewports(document, 640, 480, {}).size(), 2u);
}

TEST(Viewports, planesShowTheirAxesTheRightWayRoundOnOneScale) {
    Camera space{.target = {1, 2, 3}, .distance = 7};
    const auto half = static_cast<float>(halfHeight(space));
    for (std::size_t i = 0; i < kFourViews.size(); ++i) {
        const FourViewRow& row = kFourViews[i];
        const Camera camera = cameraOf(row, space);
        if (row.across < 0) {
            EXPECT_EQ(camera.azimuth, space.azimuth);
            EXPECT_FALSE(camera.orthographic);
            continue;
        }
        const glm::mat4 clip = camera.projection(1) * camera.view();
        const auto seen = [&](int axis) {
            glm::vec3 point = space.target;
            point[axis] += half;
            return clip * glm::vec4(point, 1);
        };
        // A camera is a little off the pole, so that it has an upward direction.
        constexpr float kOff = 0.03f;
        EXPECT_NEAR(seen(row.across).x, 1, 1e-3) << row.title;
        EXPECT_NEAR(seen(row.across).y, 0, 1e-3) << row.title;
        EXPECT_NEAR(seen(row.up).x, 0, 1e-3) << row.title;
        EXPECT_NEAR(seen(row.up).y, 1, 1e-3) << row.title;
        EXPECT_NEAR(seen(3 - row.across - row.up).y, 0, kOff) << row.title;
    }
}

TEST(Viewports, theOneUnderThePointerIsFound) {
    const auto views = viewports(showing(true), 801, 601, {});
    for (std::size_t i = 0; i < 4; ++i) {
        const Viewport& found = viewportAt(views, views[i].corner() + glm::vec2(3, 5));
        EXPECT_EQ(&found, &views[i]);
        EXPECT_EQ(found.camera.orthographic, kFourViews[i].across >= 0);
    }
    const auto over = viewports(showingTwins(TwinView::overlaid), 640, 480, {});
    EXPECT_EQ(&viewportAt(over, {600, 400}), &over[0]);
}

TEST(Document, fourViewsBringPathsAndTakeBackWhatTheyBrought) {
    Document d;
    Look& look = d.look;
    d.facts.configuration.bodies = 1000;
    d.showFourViews(true);
    EXPECT_EQ(look.trails, kUsualTrail);
    d.showFourViews(true);
    d.showFourViews(false);
    EXPECT_EQ(look.trails, 0);
    look.trails = 50;
    d.showFourViews(true);
    EXPECT_EQ(look.trails, 50) << "one's own length stays";
    d.showFourViews(false);
    EXPECT_EQ(look.trails, 50);
    look.trails = 0;
    d.facts.configuration.bodies = Document::kMostPaths + 1;
    d.showFourViews(true);
    EXPECT_EQ(look.trails, 0) << "of very many bodies paths would be a fog";
    EXPECT_TRUE(d.fourViews);
    d.facts.configuration.bodies = 100;
    d.fitFourViews();
    EXPECT_EQ(look.trails, kUsualTrail);
    d.facts.configuration.bodies = Document::kMostPaths + 1;
    d.fitFourViews();
    EXPECT_EQ(look.trails, 0);
}

// A camera that keeps everything in the picture, and otherwise leaves it alone.

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
    // A merger that has thrown out a third of its stars.
    std::vector<glm::vec3> merged = ring(1000, 1, {0, 0, 0}), tails = ring(450, 40, {0, 0, 0});
    merged.insert(merged.end(), tails.begin(), tails.end());
    EXPECT_NEAR(extentOf(merged).radius, 1.9f, 0.1f);
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
