// Four views: bodies are at the position that the axes of each view give, and the mouse moves all four.

#include "app/files/scene_file.h"
#include "app/frontends/headless/headless.h"
#include "app/parameters/twin_settings.h"
#include "app/view/app.h"
#include "sim/api/errors.h"
#include "tests/written.h"

#include <gtest/gtest.h>
#include <glm/geometric.hpp>

#include <algorithm>

namespace gravlab::test {
namespace {

constexpr int kFourWidth = 402, kFourHeight = 302;

/// The areas of the four views.
std::vector<PicturePart> partsOf(const App& app) {
    std::vector<PicturePart> parts;
    for (const Viewport& view : viewports(app.document, kFourWidth, kFourHeight, app.document.free))
        parts.push_back(view.rectangle);
    return parts;
}

class FourViewPicture : public ::testing::Test {
protected:
    static StartOptions optionsOf(const char* scene, int views = 4) {
        StartOptions options{.simulation = {.scene = scene, .backend = "cpu", .backendOptions = {.threads = 1}}};
        options.settings["view.four"] = views == 4;
        return options;
    }
    std::vector<std::uint8_t> picture(App& app) {
        app.draw(target_.framebuffer(), kFourWidth, kFourHeight);
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
    App app(optionsOf("two-body"));
    written(app).look.trails = 0;
    written(app).look.bloom = 0;
    const auto rgb = picture(app);
    const auto parts = partsOf(app);
    for (const std::size_t row : {std::size_t{0}, std::size_t{2}}) {
        EXPECT_GT(bright(rgb, parts[row], 0.02, 0.45, 0.3, 0.7), 0) << row;
        EXPECT_GT(bright(rgb, parts[row], 0.55, 0.98, 0.3, 0.7), 0) << row;
    }
    EXPECT_GT(bright(rgb, parts[1], 0, 1, 0, 1), 0);
    EXPECT_GT(bright(rgb, parts[3], 0.4, 0.6, 0.3, 0.7), 0);
    EXPECT_EQ(bright(rgb, parts[3], 0.02, 0.4, 0, 1), 0);
    EXPECT_EQ(bright(rgb, parts[3], 0.6, 0.98, 0, 1), 0);
    // With one view again, no lines between views remain.
    written(app).showFourViews(false);
    EXPECT_EQ(glGetError(), static_cast<GLenum>(GL_NO_ERROR));
}

TEST_F(FourViewPicture, isTheSameBesideTheFrame) {
    App app(optionsOf("two-body"));
    const auto rgb = picture(app);
    OffscreenTarget film(kFourWidth, kFourHeight);
    app.view.drawAgain(app.runs, viewports(app.document, kFourWidth, kFourHeight, app.document.free), film.framebuffer(),
                       kFourWidth, kFourHeight);
    EXPECT_EQ(film.read(), rgb) << "as a film beside the window has it";
}

TEST_F(FourViewPicture, drawsPathsInEachView) {
    App app(optionsOf("figure-eight"));
    EXPECT_GT(app.document.look.trails, 0) << "paths come with the views";
    picture(app);
    int before[4], after[4];
    const auto parts = partsOf(app);
    for (int pass = 0; pass < 2; ++pass) {
        const auto rgb = picture(app);
        for (std::size_t row = 0; row < 4; ++row) (pass ? after : before)[row] = bright(rgb, parts[row], 0, 1, 0, 1);
        for (int frame = 0; frame < 60 && pass == 0; ++frame) {
            app.apply();
            app.advance(false);
            app.draw(0, 0, 0);  // trails need every frame
        }
    }
    for (int row = 0; row < 4; ++row) EXPECT_GT(after[row], before[row] + 5) << row;
}

TEST_F(FourViewPicture, theMouseMovesAllFourThroughTheViewUnderIt) {
    App app(optionsOf("two-body"));
    picture(app);
    const glm::vec2 surface(kFourWidth, kFourHeight);
    const PicturePart xz = partsOf(app)[2];
    const glm::vec2 middle(xz.left + 0.5f * static_cast<float>(xz.width), xz.top + 0.5f * static_cast<float>(xz.height));
    const glm::vec3 before = app.document.camera.target;
    const float azimuth = app.document.camera.azimuth;
    written(app).panBy({10, 0}, middle, surface);
    EXPECT_LT(app.document.camera.target.x, before.x) << "the picture follows the pointer";
    EXPECT_NEAR(app.document.camera.target.y, before.y, 1e-5f);
    EXPECT_NEAR(app.document.camera.target.z, before.z, 1e-5f);
    written(app).panBy({0, 10}, middle, surface);
    EXPECT_GT(app.document.camera.target.z, before.z);
    const float distance = app.document.camera.distance;
    written(app).zoomAt(1, middle, surface);
    EXPECT_LT(app.document.camera.distance, distance);
    EXPECT_EQ(app.document.camera.azimuth, azimuth) << "the view of space keeps its way of looking";
    EXPECT_FALSE(app.document.camera.orthographic);
    const Document::SurfaceSpot spot = app.document.spotAt(middle, surface);
    EXPECT_EQ(spot.size, glm::vec2(xz.width, xz.height));
    EXPECT_TRUE(spot.camera.orthographic);
}

TEST_F(FourViewPicture, marksStartsOfFewBodiesOnly) {
    EXPECT_EQ(App(optionsOf("figure-eight")).document.facts.starts.size(), 3u);
    StartOptions many = optionsOf("plummer");
    many.simulation.bodies = Document::kMostStarts + 1;
    EXPECT_TRUE(App(many).document.facts.starts.empty());
}

TEST_F(FourViewPicture, leavesThePictureToTwins) {
    StartOptions options = optionsOf("two-body");
    options.twin = parseTwin("integrator=euler");
    App app(options);
    EXPECT_FALSE(app.document.fourViewed());
    picture(app);
    written(app).intent.twin.on = false;
    app.apply();
    EXPECT_TRUE(app.document.fourViewed());
}

TEST_F(FourViewPicture, goesThroughASceneFile) {
    const App app(optionsOf("figure-eight"));
    StartOptions read;
    takeSceneText(sceneFileText(app.document), "test", read);
    EXPECT_EQ(read.settings.at("view.four"), Value(true));
    const App one(optionsOf("figure-eight", 1));
    StartOptions other;
    takeSceneText(sceneFileText(one.document), "test", other);
    EXPECT_EQ(other.settings.at("view.four"), Value(false));
    EXPECT_THROW(takeSceneText("[view]\nviews = 3\n", "test", other), InputError);
}

TEST_F(FourViewPicture, survivesALostContext) {
    App app(optionsOf("figure-eight"));
    picture(app);
    app.dropPicture();
    app.remakePicture();
    const auto rgb = picture(app);
    EXPECT_GT(bright(rgb, partsOf(app)[0], 0, 1, 0, 1), 0);
}

}  // namespace
}  // namespace gravlab::test
