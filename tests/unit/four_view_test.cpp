// Where the four views are, what their cameras see, and the paths that come with them.
#include "app/view/four_view.h"

#include "app/model/look.h"

#include <gtest/gtest.h>

#include <glm/geometric.hpp>
#include <glm/vec4.hpp>

namespace gravlab {
namespace {

TEST(FourView, panesFillTheFreeAreaAndDoNotOverlap) {
    FourView views;
    views.setFree({300, 26, 681, 500});
    const auto parts = views.parts(1280, 720);
    for (std::size_t i = 0; i < 4; ++i) {
        EXPECT_EQ(parts[i].width, 339) << "one target serves all";
        EXPECT_EQ(parts[i].height, 249);
        EXPECT_GE(parts[i].left, 300);
        EXPECT_LE(parts[i].left + parts[i].width, 981);
        EXPECT_GE(parts[i].top, 26);
        EXPECT_LE(parts[i].top + parts[i].height, 526);
        for (std::size_t j = 0; j < i; ++j)
            EXPECT_TRUE(parts[j].left + parts[j].width < parts[i].left || parts[i].left + parts[i].width < parts[j].left ||
                        parts[j].top + parts[j].height < parts[i].top)
                << i << ' ' << j;
    }
    // A window that has become smaller than the area that was free, and one without panels.
    EXPECT_EQ(views.parts(200, 100)[0].left, 0);
    EXPECT_EQ(views.parts(200, 100)[3].left + views.parts(200, 100)[3].width, 200);
    for (const PicturePart& part : views.parts(1, 1)) EXPECT_GE(part.width, 1);
    views.setFree({});
    EXPECT_EQ(views.parts(1280, 720)[3].left + views.parts(1280, 720)[3].width, 1280);
}

TEST(FourView, planesShowTheirAxesTheRightWayRoundOnOneScale) {
    Camera space;
    space.target = {1, 2, 3};
    space.distance = 7;
    const auto half = static_cast<float>(FourView::halfHeight(space));
    for (std::size_t i = 0; i < FourView::kRows.size(); ++i) {
        const FourView::Row& row = FourView::kRows[i];
        const Camera camera = FourView::cameraOf(i, space);
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
        // A camera stands a little off the pole, so that it knows where up is.
        constexpr float kOff = 0.03f;
        EXPECT_NEAR(seen(row.across).x, 1, 1e-3) << row.title;
        EXPECT_NEAR(seen(row.across).y, 0, 1e-3) << row.title;
        EXPECT_NEAR(seen(row.up).x, 0, 1e-3) << row.title;
        EXPECT_NEAR(seen(row.up).y, 1, 1e-3) << row.title;
        EXPECT_NEAR(seen(3 - row.across - row.up).y, 0, kOff) << row.title;
    }
}

TEST(FourView, findsThePaneUnderThePointer) {
    FourView views;
    const Camera space;
    for (std::size_t row = 0; row < 4; ++row) {
        const PicturePart part = views.parts(801, 601)[row];
        const FourView::Pane pane =
            views.paneAt({static_cast<float>(part.left) + 3, static_cast<float>(part.top) + 5}, {801, 601}, space);
        EXPECT_EQ(pane.from, glm::vec2(part.left, part.top));
        EXPECT_EQ(pane.size, glm::vec2(part.width, part.height));
        EXPECT_EQ(pane.camera.orthographic, FourView::kRows[row].across >= 0);
    }
}

TEST(FourView, marksStartsOfFewBodiesOnly) {
    FourView views;
    ParticleSet bodies;
    bodies.resize(3);
    bodies.position[1].x = 5;
    views.takeStart(bodies);
    ASSERT_EQ(views.starts().size(), 3u);
    EXPECT_EQ(views.starts()[1].x, 5);
    bodies.resize(FourView::kMostStarts + 1);
    views.takeStart(bodies);
    EXPECT_TRUE(views.starts().empty());
}

TEST(FourView, bringsPathsAndTakesBackWhatItBrought) {
    Look look;
    FourView views;
    views.show(true, look, 1000);
    EXPECT_EQ(look.trails, kUsualTrail);
    views.show(true, look, 1000);
    views.show(false, look, 1000);
    EXPECT_EQ(look.trails, 0);
    look.trails = 50;
    views.show(true, look, 3);
    EXPECT_EQ(look.trails, 50) << "one's own length stays";
    views.show(false, look, 3);
    EXPECT_EQ(look.trails, 50);
    look.trails = 0;
    views.show(true, look, FourView::kMostPaths + 1);
    EXPECT_EQ(look.trails, 0) << "of very many bodies paths would be a fog";
    EXPECT_TRUE(views.on());
    views.fit(look, 100);
    EXPECT_EQ(look.trails, kUsualTrail);
    views.fit(look, FourView::kMostPaths + 1);
    EXPECT_EQ(look.trails, 0);
}

}  // namespace
}  // namespace gravlab
