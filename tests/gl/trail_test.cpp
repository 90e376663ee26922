// Trails: earlier positions of bodies, fading, in the bodies' colours; and views without perspective.
#include "app/frontends/headless/headless.h"
#include "app/view/app.h"
#include "gl_fixture.h"
#include "render/bond_lines.h"
#include "render/colour_map.h"
#include "render/trails.h"
#include "tests/written.h"

#include <glm/geometric.hpp>
#include <glm/vec4.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

namespace gravlab::test {
namespace {

class TrailTest : public GlTest {
protected:
    void SetUp() override {
        GlTest::SetUp();
        camera.azimuth = camera.elevation = 0;
        look.trails = 10;
        look.pointSize = 0.001f;
        look.brightness = 100;
    }
    void step(const std::vector<ParticleVertex>& bodies) {
        store(bodies);
        renderer_->recordTrail(*buffer_, look);
    }
    /// Light in a column of the picture around y [L].
    double lightAt(const Light& picture, double y) const {
        const double pixels = picture.height / (2 * std::tan(camera.fieldOfView / 2)) / camera.distance;
        const int x = static_cast<int>(picture.width / 2.0 + y * pixels);
        double sum = 0;
        for (int row = 0; row < picture.height; ++row) sum += picture.at(x, row)[1];
        return sum;
    }
};

TEST_F(TrailTest, LeadsFromWhereABodyWasAndFades) {
    for (int i = 0; i < 5; ++i) step({{0, -1 + 0.5f * static_cast<float>(i), 0, 0}});
    const Light picture = light(200, 100);
    const double newest = lightAt(picture, 0.8), middle = lightAt(picture, 0.1), oldest = lightAt(picture, -0.8);
    EXPECT_GT(newest, middle);
    EXPECT_GT(middle, oldest);
    EXPECT_GT(oldest, 0);
    EXPECT_EQ(lightAt(picture, 1.3), 0) << "nothing ahead of the body";
    EXPECT_EQ(lightAt(picture, -1.3), 0) << "nothing before the start";
}

TEST_F(TrailTest, ForgetsWhatIsOlderThanItsLength) {
    look.trails = 3;
    for (int i = 0; i < 7; ++i) step({{0, -1.5f + 0.5f * static_cast<float>(i), 0, 0}});  // ends at 1.5
    const Light picture = light(300, 100);
    EXPECT_GT(lightAt(picture, 1.2), 0);
    EXPECT_GT(lightAt(picture, 0.8), 0);
    EXPECT_EQ(lightAt(picture, 0.2), 0);
}

TEST_F(TrailTest, AFrameMayHaveSeveralPoints) {
    look.trails = 3;
    const auto frame = [&](float from) {
        // There and back within each frame; the last point has no room.
        for (const float beside : {0.5f, 0.9f})
            renderer_->recordTrail(std::vector<ParticleVertex>{{0, from, beside, 0}}, look, 2);
        store({{0, from, 0, 0}});
        renderer_->recordTrail(*buffer_, look, 2);
    };
    for (int i = 0; i < 5; ++i) frame(-1.0f + 0.5f * static_cast<float>(i));  // ends at 1
    const Light picture = light(200, 200);
    const double pixels = 200 / (2 * std::tan(camera.fieldOfView / 2)) / camera.distance;
    const auto lightBeside = [&](double y, double z) {
        double sum = 0;
        for (int dx = -1; dx <= 1; ++dx)
            for (int dy = -1; dy <= 1; ++dy)
                sum += picture.at(static_cast<int>(100 + y * pixels) + dx, static_cast<int>(100 + z * pixels) + dy)[1];
        return sum;
    };
    EXPECT_GT(lightBeside(0.5, 0.25), 0);
    EXPECT_GT(lightBeside(1, 0.25), 0);
    EXPECT_EQ(lightBeside(1, 0.7), 0) << "a point more than there is room for";
    EXPECT_EQ(lightAt(picture, -0.3), 0) << "more frames than were asked for";
}

TEST_F(TrailTest, EndsWhenBodiesAreOthersOrItIsOff) {
    for (int i = 0; i < 4; ++i) step({{0, -1 + 0.5f * static_cast<float>(i), 0, 0}});
    look.trails = 0;
    EXPECT_EQ(lightAt(light(200, 100), -0.5), 0);
    look.trails = 10;
    EXPECT_GT(lightAt(light(200, 100), 0.3), 0);
    renderer_->forgetTrails();
    EXPECT_EQ(lightAt(light(200, 100), 0.3), 0);
    step({{0, 1, 0, 0}, {0, -1, 0, 0}});  // another number of bodies
    step({{0, 1, 0, 0}, {0, -1, 0, 0}});
    EXPECT_EQ(lightAt(light(200, 100), 0.3), 0);
}

TEST_F(TrailTest, EachBodyHasItsOwnLine) {
    look.colourMap = 2;
    look.valueScale = 1;
    for (int i = 0; i < 3; ++i) {
        const float at = static_cast<float>(i) * 0.5f;
        step({{0, at, 0.5f, 0}, {0, -at, -0.5f, 1}});
    }
    const Light picture = light(200, 200);
    const auto colours = linearColours(colourMaps()[2]);
    const double pixels = 200 / (2 * std::tan(camera.fieldOfView / 2)) / camera.distance;
    const auto hueAt = [&](double y, double z) {
        glm::vec3 sum(0);
        for (int dy = -2; dy <= 2; ++dy) {
            const float* p = picture.at(static_cast<int>(100 + y * pixels), static_cast<int>(100 + z * pixels) + dy);
            sum += glm::vec3(p[0], p[1], p[2]);
        }
        return glm::normalize(sum);
    };
    EXPECT_GT(glm::dot(hueAt(0.6, 0.5), glm::normalize(colours.front())), 0.99f);
    EXPECT_GT(glm::dot(hueAt(-0.6, -0.5), glm::normalize(colours.back())), 0.99f);
}

TEST_F(TrailTest, ManyBodiesGetShorterTrailsAndNumbersThatAreNoneDoNoHarm) {
    Trails trails;
    store(std::vector<ParticleVertex>(100000, {0, 0, 0, 0}));
    trails.record(*buffer_, {.frames = 1000000});
    EXPECT_LE(trails.room() * 100000 * sizeof(ParticleVertex), Trails::kMostBytes);
    EXPECT_GT(trails.room(), 50u);
    const float nan = std::numeric_limits<float>::quiet_NaN();
    look.trails = 5;
    for (int i = 0; i < 3; ++i) step({{nan, 0, 0, 0}, {0, 0, 0, nan}});
    EXPECT_TRUE(std::isfinite(light(64, 64).sum()));
}

TEST_F(GlTest, WithoutPerspectiveDepthChangesNeitherPlaceNorLight) {
    camera.orthographic = true;
    camera.azimuth = camera.elevation = 0;
    look.pointSize = 0.1f;
    std::vector<double> sums;
    for (const float depth : {-3.0f, 0.0f, 4.0f, 9.0f}) {  // the last one is behind the eye
        store({{depth, 1, 0.5f, 0}});
        const Light picture = light(200, 200);
        const float pixels = 200 / (2 * std::tan(camera.fieldOfView / 2)) / camera.distance;
        EXPECT_GT(picture.at(100 + static_cast<int>(pixels), 100 + static_cast<int>(0.5f * pixels))[0], 0.5f);
        sums.push_back(picture.sum());
    }
    for (const double sum : sums) EXPECT_NEAR(sum / sums[0], 1, 0.01);
}

TEST(Camera, FliesAlongItsOwnAxes) {
    Camera camera{.distance = 4, .azimuth = 0, .elevation = 0};
    camera.fly({0, 0, 0.5f});  // the eye is at +x and looks towards -x
    EXPECT_NEAR(camera.target.x, -2, 1e-5);
    camera.fly({0.25f, 0, 0});
    EXPECT_NEAR(camera.target.y, 1, 1e-5);
    camera.fly({0, 0.25f, 0});
    EXPECT_NEAR(camera.target.z, 1, 1e-5);
    EXPECT_EQ(camera.distance, 4);
}

TEST(Camera, KeepsTheScaleOfTheTargetsPlaneWithoutPerspective) {
    Camera camera;
    for (const bool flat : {false, true}) {
        camera.orthographic = flat;
        const glm::vec4 clip = camera.projection(1.5f) * camera.view() * glm::vec4(0, 0, 1, 1);
        Camera other = camera;
        other.orthographic = !flat;
        const glm::vec4 same = other.projection(1.5f) * other.view() * glm::vec4(0, 0, 0, 1);
        EXPECT_NEAR(same.x / same.w, 0, 1e-5);
        EXPECT_GT(clip.y / clip.w, 0.1f);
    }
}

/// Width of the light of a picture across its longest direction, as a fraction of its length.
double roundness(std::span<const std::uint8_t> rgb, int width, int height) {
    double sum = 0, x = 0, y = 0, xx = 0, xy = 0, yy = 0;
    for (int row = 0; row < height; ++row)
        for (int column = 0; column < width; ++column) {
            const double light = rgb[3 * static_cast<std::size_t>(row * width + column) + 1];
            sum += light;
            x += light * column;
            y += light * row;
            xx += light * column * column;
            xy += light * column * row;
            yy += light * row * row;
        }
    x /= sum;
    y /= sum;
    xx = xx / sum - x * x;
    xy = xy / sum - x * y;
    yy = yy / sum - y * y;
    const double middle = (xx + yy) / 2, apart = std::hypot((xx - yy) / 2, xy);
    return std::sqrt(std::max(middle - apart, 0.0) / (middle + apart));
}

TEST(TrailsOfAWindow, areRoundWhereAFrameIsHalfATurn) {
    constexpr int kWidth = 300, kHeight = 300, kHalfATurn = 200;
    HeadlessContext context;
    StartOptions options{.simulation = {.scene = "two-body", .backend = "cpu"}};
    options.settings["look.trails"] = std::int64_t{100};
    for (const bool twin : {false, true}) {
        SCOPED_TRACE(twin);
        App app(options);
        written(app).look.bloom = 0;
        written(app).intent.speed = 0;
        written(app).intent.stepsPerFrame = kHalfATurn;
        written(app).intent.timeBudgetMs = 2000;
        if (twin) {
            written(app).intent.twin.on = true;
            written(app).intent.twin.view = TwinView::overlaid;
        }
        OffscreenTarget target(kWidth, kHeight);
        for (int frame = 0; frame < 5; ++frame) {
            app.apply();
            app.advance(true);
            app.draw(target.framebuffer(), kWidth, kHeight);
        }
        ASSERT_GE(app.document.facts.step, 2 * kHalfATurn);
        EXPECT_EQ(app.document.facts.twin.on, twin);
        target.beginRead();
        EXPECT_GT(roundness(target.endRead(), kWidth, kHeight), 0.3) << "a line between the ends of the orbits";
    }
}

// Bonds as lines between bodies, coloured by strain.

class BondLinesTest : public GlTest {
protected:
    void SetUp() override {
        GlTest::SetUp();
        camera.azimuth = camera.elevation = 0;
        look.pointSize = 0.001f;
        look.brightness = 10;
    }
    /// Light of one channel in the column of the picture at y = 0, where no body is.
    double middle(const Light& picture, int channel) const {
        double sum = 0;
        for (int row = 0; row < picture.height; ++row) sum += picture.at(picture.width / 2, row)[channel];
        return sum;
    }
};

TEST_F(BondLinesTest, AreRedWhereTheyAreStretchedAndBlueWhereTheyAreCompressed) {
    const std::vector<ParticleVertex> two{{0, -0.5f, 0, 0}, {0, 0.5f, 0, 0}};  // at distance 1
    store(two);
    const auto drawn = [&](float rest) {
        const BondLine line{0, 1, rest, 0.5f};
        renderer_->setBonds({&line, 1});
        return light(200, 100);
    };
    const Light stretched = drawn(1 / 1.5f), compressed = drawn(2), atRest = drawn(1);
    EXPECT_GT(middle(stretched, 0), 4 * middle(stretched, 2));
    EXPECT_GT(middle(compressed, 2), 4 * middle(compressed, 0));
    EXPECT_NEAR(middle(atRest, 0), middle(atRest, 2), 0.2 * middle(atRest, 0));
    EXPECT_GT(middle(atRest, 0), 0);
    // The lines follow the bodies, which are elsewhere now, without another copy of bonds.
    store({{0, 0.4f, 0, 0}, {0, 0.5f, 0, 0}});
    EXPECT_EQ(middle(light(200, 100), 0), 0);
    store(two);
    look.bondLight = 0;
    EXPECT_EQ(middle(light(200, 100), 0), 0);
    look.bondLight = 1;
    renderer_->setBonds({});
    EXPECT_EQ(middle(light(200, 100), 0), 0) << "a bond that broke";
}

TEST_F(BondLinesTest, ThoseOfMissingOrInfiniteBodiesAreNotDrawn) {
    store({{0, -0.5f, 0, 0}, {0, std::numeric_limits<float>::quiet_NaN(), 0, 0}});
    const BondLine lines[] = {{0, 7, 1, 1}, {0, 1, 1, 1}, {1, 0, 1, 1}};
    renderer_->setBonds(lines);
    const Light picture = light(200, 100);
    for (int channel = 0; channel < 3; ++channel) EXPECT_EQ(middle(picture, channel), 0);
}

}  // namespace
}  // namespace gravlab::test
