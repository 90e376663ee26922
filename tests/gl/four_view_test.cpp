// Four views: bodies are at the position that the axes of each view give, and the mouse moves all four.

#include "app/control/scene_file.h"
#include "app/control/twin_settings.h"
#include "app/frontends/headless/headless.h"
#include "app/services/twin.h"
#include "app/view/workspace.h"
#include "sim/core/error.h"

#include <gtest/gtest.h>
#include <glm/geometric.hpp>

#include <algorithm>

namespace gravlab::test {
namespace {

constexpr int kFourWidth = 402, kFourHeight = 302;

/// The areas of the four views.
std::vector<PicturePart> partsOf(const Workspace& workspace) {
    std::vector<PicturePart> parts;
    for (const Viewport& view : viewports(workspace, kFourWidth, kFourHeight, workspace.free))
        parts.push_back(view.rectangle);
    return parts;
}

class FourViewPicture : public ::testing::Test {
protected:
    static Options optionsOf(const char* scene, int views = 4) {
        Options options;
        options.simulation.scene = scene;
        options.simulation.backend = "cpu";
        options.simulation.backendOptions.threads = 1;
        options.settings["view.four"] = views == 4;
        return options;
    }
    std::vector<std::uint8_t> picture(Workspace& workspace) {
        workspace.draw(target_.framebuffer(), kFourWidth, kFourHeight);
        return target_.read();
    }
    /// Bright pixels in a region of one view, given as fractions of its size.
    static int bright(const std::vector<std::uint8_t>& rgb, const PicturePart& part, double x0, double x1, double y0,
                      double y1) {
        int found = 0;
        for (int y = part.top + static_cast<int>(y0 * part.height); y < part.top + static_cast<int>(y1 * part.height); ++y)
            for (int x = part.left + static_cast<int>(x0 * part.width); x < part.left + static_cast<int>(x1 * part.width);
                 ++x) {
                const std::uint8_t* p = &rgb[static_cast<std::size_t>(3 * (y * kFourWidth + x))];
                found += std::max({p[0], p[1], p[2]}) > 90;
            }
        return found;
    }
    HeadlessContext context_;
    OffscreenTarget target_{kFourWidth, kFourHeight};
};

TEST_F(FourViewPicture, showsBodiesWhereTheAxesSay) {
    // Two bodies on the x axis: apart in x-y and x-z, one behind the other in y-z.
    Workspace workspace(optionsOf("two-body"));
    workspace.look.trails = 0;
    workspace.look.bloom = 0;
    const auto rgb = picture(workspace);
    const auto parts = partsOf(workspace);
    for (const std::size_t row : {std::size_t{0}, std::size_t{2}}) {
        EXPECT_GT(bright(rgb, parts[row], 0.02, 0.45, 0.3, 0.7), 0) << row;
        EXPECT_GT(bright(rgb, parts[row], 0.55, 0.98, 0.3, 0.7), 0) << row;
    }
    EXPECT_GT(bright(rgb, parts[1], 0, 1, 0, 1), 0);
    EXPECT_GT(bright(rgb, parts[3], 0.4, 0.6, 0.3, 0.7), 0);
    EXPECT_EQ(bright(rgb, parts[3], 0.02, 0.4, 0, 1), 0);
    EXPECT_EQ(bright(rgb, parts[3], 0.6, 0.98, 0, 1), 0);
    // With one view again, no lines between views remain.
    workspace.showFourViews(false);
    EXPECT_EQ(glGetError(), static_cast<GLenum>(GL_NO_ERROR));
}

TEST_F(FourViewPicture, isTheSameBesideTheFrame) {
    Workspace workspace(optionsOf("two-body"));
    const auto rgb = picture(workspace);
    OffscreenTarget film(kFourWidth, kFourHeight);
    workspace.drawAgain(viewports(workspace, kFourWidth, kFourHeight, workspace.free), film.framebuffer(), kFourWidth,
                        kFourHeight);
    EXPECT_EQ(film.read(), rgb) << "as a film beside the window has it";
}

TEST_F(FourViewPicture, drawsPathsInEachView) {
    Workspace workspace(optionsOf("figure-eight"));
    EXPECT_GT(workspace.look.trails, 0) << "paths come with the views";
    picture(workspace);
    int before[4], after[4];
    const auto parts = partsOf(workspace);
    for (int pass = 0; pass < 2; ++pass) {
        const auto rgb = picture(workspace);
        for (std::size_t row = 0; row < 4; ++row) (pass ? after : before)[row] = bright(rgb, parts[row], 0, 1, 0, 1);
        for (int frame = 0; frame < 60 && pass == 0; ++frame) {
            workspace.apply();
            workspace.advance(false);
            workspace.draw(0, 0, 0);  // trails need every frame
        }
    }
    for (int row = 0; row < 4; ++row) EXPECT_GT(after[row], before[row] + 5) << row;
}

TEST_F(FourViewPicture, theMouseMovesAllFourThroughTheViewUnderIt) {
    Workspace workspace(optionsOf("two-body"));
    picture(workspace);
    const glm::vec2 surface(kFourWidth, kFourHeight);
    const PicturePart xz = partsOf(workspace)[2];
    const glm::vec2 middle(xz.left + 0.5f * static_cast<float>(xz.width), xz.top + 0.5f * static_cast<float>(xz.height));
    const glm::vec3 before = workspace.camera.target;
    const float azimuth = workspace.camera.azimuth;
    workspace.panBy({10, 0}, middle, surface);
    EXPECT_LT(workspace.camera.target.x, before.x) << "the picture follows the pointer";
    EXPECT_NEAR(workspace.camera.target.y, before.y, 1e-5f);
    EXPECT_NEAR(workspace.camera.target.z, before.z, 1e-5f);
    workspace.panBy({0, 10}, middle, surface);
    EXPECT_GT(workspace.camera.target.z, before.z);
    const float distance = workspace.camera.distance;
    workspace.zoomAt(1, middle, surface);
    EXPECT_LT(workspace.camera.distance, distance);
    EXPECT_EQ(workspace.camera.azimuth, azimuth) << "the view of space keeps its way of looking";
    EXPECT_FALSE(workspace.camera.orthographic);
    const Workspace::SurfaceSpot spot = workspace.spotAt(middle, surface);
    EXPECT_EQ(spot.size, glm::vec2(xz.width, xz.height));
    EXPECT_TRUE(spot.camera.orthographic);
}

TEST_F(FourViewPicture, marksStartsOfFewBodiesOnly) {
    EXPECT_EQ(Workspace(optionsOf("figure-eight")).facts.starts.size(), 3u);
    Options many = optionsOf("plummer");
    many.simulation.bodies = Document::kMostStarts + 1;
    EXPECT_TRUE(Workspace(many).facts.starts.empty());
}

TEST_F(FourViewPicture, leavesThePictureToTwins) {
    Options options = optionsOf("two-body");
    options.twin = parseTwin("integrator=euler");
    Workspace workspace(options);
    EXPECT_FALSE(workspace.fourViewed());
    picture(workspace);
    workspace.intent.twin.on = false;
    workspace.apply();
    EXPECT_TRUE(workspace.fourViewed());
}

TEST_F(FourViewPicture, goesThroughASceneFile) {
    const Workspace workspace(optionsOf("figure-eight"));
    Options read;
    takeSceneText(sceneFileText(workspace), "test", read);
    EXPECT_EQ(read.settings.at("view.four"), Value(true));
    const Workspace one(optionsOf("figure-eight", 1));
    Options other;
    takeSceneText(sceneFileText(one), "test", other);
    EXPECT_EQ(other.settings.at("view.four"), Value(false));
    EXPECT_THROW(takeSceneText("[view]\nviews = 3\n", "test", other), InputError);
}

TEST_F(FourViewPicture, survivesALostContext) {
    Workspace workspace(optionsOf("figure-eight"));
    picture(workspace);
    workspace.dropPicture();
    workspace.remakePicture();
    const auto rgb = picture(workspace);
    EXPECT_GT(bright(rgb, partsOf(workspace)[0], 0, 1, 0, 1), 0);
}

}  // namespace
}  // namespace gravlab::test
