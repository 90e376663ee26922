// A followed body is in the middle of the picture, in the first frame and in every other, and marks are on bodies. Rule: the
// tests look at the picture, not at the camera.
#include "app/frontends/headless/headless.h"
#include "app/system/picture.h"
#include "app/ui/overlay_space.h"
#include "app/view/app.h"
#include "tests/unit/cli_support.h"
#include "tests/written.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

namespace gravlab::test {
namespace {

constexpr int kFollowWidth = 400, kFollowHeight = 300;

/// The centre of the light within `radius` pixels of a position, in pixels from the upper left corner; none where it is
/// dark.
std::optional<glm::vec2> middleOfLight(std::span<const std::uint8_t> rgb, glm::vec2 around, float radius) {
    double light = 0, x = 0, y = 0;
    for (int row = 0; row < kFollowHeight; ++row)
        for (int column = 0; column < kFollowWidth; ++column) {
            const glm::vec2 at(static_cast<float>(column) + 0.5f, static_cast<float>(row) + 0.5f);
            if (std::hypot(at.x - around.x, at.y - around.y) > radius) continue;
            const double here = rgb[3 * static_cast<std::size_t>(row * kFollowWidth + column) + 1];
            light += here;
            x += here * static_cast<double>(at.x);
            y += here * static_cast<double>(at.y);
        }
    if (light < 200) return std::nullopt;
    return glm::vec2(static_cast<float>(x / light), static_cast<float>(y / light));
}

class FollowTest : public ::testing::Test {
protected:
    void open(const char* follow) {
        StartOptions options{.simulation = {.scene = "two-body", .backend = "cpu"}};
        options.settings["view.follow"] = std::string(*follow ? follow : "none");
        options.settings["view.selected"] = std::int64_t{0};
        options.settings["look.trails"] = std::int64_t{0};
        app_ = std::make_unique<App>(options);
        written(*app_).look.bloom = 0;
        target_ = std::make_unique<OffscreenTarget>(kFollowWidth, kFollowHeight);
    }
    /// A frame of a film, some steps after the previous one; top row first.
    std::span<const std::uint8_t> frame(int steps) {
        written(*app_).intent.stepsPerFrame = steps;
        app_->apply();
        if (steps > 0) app_->advance(false);
        app_->draw(target_->framebuffer(), kFollowWidth, kFollowHeight);
        target_->beginRead();
        return target_->endRead();
    }
    glm::vec3 place(std::size_t body) {
        ParticleSet set = app_->runs.simulation().bodies();
        const Double4& x = set.position[body];
        return {static_cast<float>(x.x), static_cast<float>(x.y), static_cast<float>(x.z)};
    }
    float pixels(glm::vec3 way) const {
        return std::hypot(way.x, way.y, way.z) / app_->document.camera.lengthPerPixel({kFollowWidth, kFollowHeight});
    }
    HeadlessContext context_;
    std::unique_ptr<App> app_;
    std::unique_ptr<OffscreenTarget> target_;
};

TEST_F(FollowTest, aBodyIsInTheMiddleOfEveryPicture) {
    open("body");
    const glm::vec2 middle(kFollowWidth / 2, kFollowHeight / 2);
    glm::vec3 before(0);  // the camera's target without a followed body
    for (int k = 0; k < 4; ++k) {
        const auto rgb = frame(k == 0 ? 0 : 60);
        const glm::vec3 now = place(0);
        ASSERT_GT(pixels(now - before), 8) << "it hardly moved: the picture would be alike without following";
        before = now;
        const auto found = middleOfLight(rgb, middle, 7);
        ASSERT_TRUE(found) << "frame " << k << ": nothing is in the middle";
        EXPECT_NEAR(found->x, middle.x, 0.5) << "frame " << k;
        EXPECT_NEAR(found->y, middle.y, 0.5) << "frame " << k;
    }
}

TEST_F(FollowTest, marksAreOnTheirBodies) {
    open("body");
    for (int k = 0; k < 4; ++k) {
        const auto rgb = frame(k == 0 ? 0 : 60);
        const SpaceView view =
            spaceViews(viewports(app_->document, kFollowWidth, kFollowHeight, app_->document.free)).front();
        for (const std::size_t body : {0u, 1u}) {
            const auto mark = onSurface(view, body == 0 ? app_->document.selected->position : place(1));
            ASSERT_TRUE(mark);
            if (mark->x < 8 || mark->y < 8 || mark->x > kFollowWidth - 8 || mark->y > kFollowHeight - 8) continue;
            const auto found = middleOfLight(rgb, {mark->x, mark->y}, 7);
            ASSERT_TRUE(found) << "frame " << k << ": the mark of body " << body << " is beside it";
            EXPECT_NEAR(found->x, mark->x, 0.5) << "frame " << k << ", body " << body;
            EXPECT_NEAR(found->y, mark->y, 0.5) << "frame " << k << ", body " << body;
        }
    }
}

TEST_F(FollowTest, aGalaxyIsInTheMiddleOfTheFirstPicture) {
    open("2");  // each body is a whole galaxy
    const glm::vec2 middle(kFollowWidth / 2, kFollowHeight / 2);
    const auto found = middleOfLight(frame(0), middle, 7);
    ASSERT_TRUE(found);
    EXPECT_NEAR(found->x, middle.x, 0.5);
    EXPECT_NEAR(found->y, middle.y, 0.5);
}

TEST_F(FollowTest, aClickTakesTheBodyThatIsShown) {
    open("");
    written(*app_).clearSelection();
    frame(0);
    const SpaceView view = spaceViews(viewports(app_->document, kFollowWidth, kFollowHeight, app_->document.free)).front();
    const ImVec2 at = onSurface(view, place(1)).value();
    written(*app_).pickAt({at.x, at.y}, {kFollowWidth, kFollowHeight});
    frame(0);
    ASSERT_TRUE(app_->document.selected);
    EXPECT_EQ(app_->document.selected->id, 1u);
}

/// Frame k shows the state after k steps; the camera uses it, too. A still is the last frame of its film.
TEST(FollowCommand, aStillIsTheLastFrameOfTheFilm) {
    const ScratchFolder folder;
    const auto render = [&](std::vector<std::string> follow, const char* to) {
        follow.insert(follow.begin(), {"render", "collision", "-n", "600", "--backend", "cpu", "--frames", "4",
                                       "--steps-per-frame", "30", "--size", "160x100", "-o", (folder / to).string()});
        const Outcome outcome = runGravlab(std::move(follow));
        EXPECT_EQ(outcome.code, 0) << outcome.err;
    };
    render({}, "plain.png");
    for (const std::vector<std::string>& follow :
         {std::vector<std::string>{"--follow", "1"}, {"--select", "5", "--follow", "body"}}) {
        render(follow, "film%02d.png");
        render(follow, "still.png");
        const Picture still = readPng(folder / "still.png"), last = readPng(folder / "film03.png");
        EXPECT_TRUE(still.rgb == last.rgb) << follow.back();
        EXPECT_FALSE(still.rgb == readPng(folder / "plain.png").rgb) << follow.back() << " follows nothing";
    }
}

}  // namespace
}  // namespace gravlab::test
