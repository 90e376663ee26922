// Drawing by raster and by compute: the same picture, the same light, for any bodies.
#include "gl_fixture.h"
#include "picture_difference.h"

#include <gmock/gmock.h>

#include <cmath>
#include <numbers>
#include <random>

namespace gravlab::test {
namespace {

class PathTest : public GlTest {
protected:
    struct Both {
        Light raster, compute;
    };
    Both lightBothWays(int width, int height) {
        renderer_->requestDrawMethod(DrawMethodRequest::raster);
        Light raster = light(width, height);
        renderer_->requestDrawMethod(DrawMethodRequest::compute);
        Light compute = light(width, height);
        EXPECT_EQ(renderer_->path().path(), DrawMethod::compute) << renderer_->path().why();
        return {std::move(raster), std::move(compute)};
    }
    Difference difference(int width, int height) {
        renderer_->requestDrawMethod(DrawMethodRequest::raster);
        const auto raster = shown(width, height);
        renderer_->requestDrawMethod(DrawMethodRequest::compute);
        return compare(raster, shown(width, height));
    }
    static std::vector<ParticleVertex> cloud(std::size_t count, float radius, unsigned seed = 7) {
        std::mt19937 random(seed);
        std::normal_distribution<float> place(0, radius);
        std::uniform_real_distribution<float> value(0, 1);
        std::vector<ParticleVertex> bodies(count);
        for (ParticleVertex& body : bodies) body = {place(random), place(random), place(random), value(random)};
        return bodies;
    }
};

TEST_F(PathTest, BothWaysShowTheSamePicture) {
    store(cloud(3000, 0.7f));
    look.colourMap = 0;
    look.brightness = 2;
    for (const float bloom : {0.0f, 0.4f})
        for (const float size :
             {0.003f, 0.02f, 0.05f, 0.2f})  // below a pixel, small, on both sides of the list's limit, all listed
            for (const ToneCurve tone : {ToneCurve::plate, ToneCurve::agx}) {
                look.bloom = bloom;
                look.pointSize = size;
                look.tone = tone;
                const Difference d = difference(240, 160);
                EXPECT_TRUE(d.small()) << "size " << size << ", bloom " << bloom << ": mean " << d.mean << ", far " << d.far;
            }
    look.paper = true;
    EXPECT_TRUE(difference(240, 160).small());
    look.paper = false;
    camera.orthographic = true;
    EXPECT_TRUE(difference(240, 160).small());
    camera.orthographic = false;
    camera.distance = 0.4f;  // among them: large, faded and behind the eye
    EXPECT_TRUE(difference(240, 160).small());
}

TEST_F(PathTest, ComparisonOfWaysCatchesOneMissingBodyAndAWrongColour) {
    auto bodies = cloud(300, 0.7f);
    store(bodies);
    look.brightness = 20;
    look.pointSize = 0.03f;
    renderer_->requestDrawMethod(DrawMethodRequest::raster);
    const auto raster = shown(240, 160);
    renderer_->requestDrawMethod(DrawMethodRequest::compute);
    EXPECT_TRUE(compare(raster, shown(240, 160)).small());
    look.colourMap = 1;
    EXPECT_FALSE(compare(raster, shown(240, 160)).small());
    look.colourMap = 4;
    bodies[17] = {0, 0, -1000, 0};
    store(bodies);
    EXPECT_FALSE(compare(raster, shown(240, 160)).small());
}

TEST_F(PathTest, TraitsAndDarkBodiesCountAlike) {
    const auto bodies = cloud(2000, 0.7f);
    store(bodies);
    std::vector<BodyTrait> traits(bodies.size());
    for (std::size_t i = 0; i < traits.size(); ++i) {
        const float part = static_cast<float>(i) / static_cast<float>(traits.size());
        traits[i] = {part, i % 3 ? 0.3f + 3 * part : -2.0f};
    }
    renderer_->setTraits(traits);
    look.useTraits = true;
    look.colourMap = 0;
    for (const float dark : {0.0f, 0.1f, 5.0f}) {
        look.darkLight = dark;
        const Both both = lightBothWays(240, 160);
        for (int c = 0; c < 3; ++c)
            EXPECT_NEAR(both.compute.sum(c) / both.raster.sum(c), 1, 0.005) << "channel " << c << ", dark " << dark;
        EXPECT_TRUE(difference(240, 160).small()) << dark;
    }
}

TEST_F(PathTest, LightOfABodyIsKeptAcrossSizesBothWays) {
    const int height = 256;
    const double pixelsPerLength = height / (2 * std::tan(camera.fieldOfView / 2)) / camera.distance;
    for (const double radius : {0.02, 0.3, 1.0, 1.76, 2.0, 2.5, 3.3, 3.99, 4.01, 7.99, 8.01, 17.0})
        for (const double offset : {0.0, 0.25, 0.8}) {
            look.pointSize = static_cast<float>(radius / pixelsPerLength);
            look.brightness = static_cast<float>(1 / (radius * radius));
            camera.target = {0, 0, 0};
            camera.pan({static_cast<float>(offset), static_cast<float>(0.7 * offset)}, {height, height});
            store({{0, 0, 0, 0}});
            const Both both = lightBothWays(height, height);
            EXPECT_NEAR(both.compute.sum() / (std::numbers::pi / 4), 1, 0.02) << radius << " px, offset " << offset;
            EXPECT_NEAR(both.compute.sum() / both.raster.sum(), 1, 0.005) << radius << " px, offset " << offset;
        }
}

TEST_F(PathTest, LightOfACloudIsTheSameBothWays) {
    // Blending rounds half floats down, so the crowds compared are large enough for full floats.
    for (const std::size_t count : {1u, 255u, 257u, 3000u, 140000u}) {
        store(cloud(count, 0.5f));
        for (const float size : {0.002f, 0.04f}) {
            look.pointSize = size;
            const Both both = lightBothWays(200, 150);
            ASSERT_GT(both.raster.sum(), 0);
            EXPECT_NEAR(both.compute.sum() / both.raster.sum(), 1, 0.005) << count << " bodies of size " << size;
        }
    }
}

TEST_F(PathTest, VeryManyBodiesInOnePixelDoNotOverflowIt) {
    look.pointSize = 0.01f;
    renderer_->requestDrawMethod(DrawMethodRequest::compute);
    for (const std::size_t count : {2u, 1000u, 200000u})
        for (const float brightness : {1.0f, 1e5f}) {
            look.brightness = brightness;
            store({{0, 0, 0, 0}});
            const double one = light(64, 64).sum();
            store(std::vector<ParticleVertex>(count, {0, 0, 0, 0}));
            const Light picture = light(64, 64);
            EXPECT_TRUE(std::isfinite(picture.sum())) << count << " x " << brightness;
            // Half floats end at 65504 and lose digits of single bodies; full floats keep both.
            const double smallest = count > 131072 ? 1.25 : 1.75;  // the sprite is smaller among very many
            const double expected = one * static_cast<double>(count);
            if (smallest < 1.5 || expected < 3e4) {
                const double tolerance = smallest < 1.5 ? 0.08 : 0.01;
                EXPECT_NEAR(picture.sum() / expected, 1, tolerance) << count << " x " << brightness;
            }
        }
}

TEST_F(PathTest, FaintBodiesKeepTheirLightBesideBrightOnes) {
    // One body ten thousand times as bright sets the unit. Each of the others adds a hundredth of a unit to a pixel, which
    // rounding would lose. With random rounding the total is right within a few hundredths.
    std::vector<ParticleVertex> bodies = cloud(140000, 0.6f) /* full floats */;
    std::vector<BodyTrait> traits(bodies.size(), {0, 1e-4f});
    bodies[0] = {0, 0, -1000, 0};  // not in the picture
    traits[0].light = 1;
    store(bodies);
    renderer_->setTraits(traits);
    look.pointSize = 0.004f;
    look.brightness = 1000;
    const Both both = lightBothWays(200, 150);
    ASSERT_GT(both.raster.sum(), 0);
    EXPECT_NEAR(both.compute.sum() / both.raster.sum(), 1, 0.04);
}

TEST_F(PathTest, SumsAreTheSameEveryTime) {
    store(cloud(5000, 0.5f));
    look.colourMap = 0;
    renderer_->requestDrawMethod(DrawMethodRequest::compute);
    const Light first = light(160, 120);
    for (int i = 0; i < 5; ++i) EXPECT_EQ(light(160, 120).rgba, first.rgba) << i;
}

TEST_F(PathTest, BordersEmptySkiesNonNumbersAndSizesAreHandledByCompute) {
    renderer_->requestDrawMethod(DrawMethodRequest::compute);
    look.bloom = 0.3f;
    EXPECT_THAT(shown(64, 48), testing::Each(0));  // no buffer yet
    store({{0, 0, -100, 0}});
    EXPECT_THAT(shown(64, 48), testing::Each(0));
    const float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
    const glm::vec3 behind = 2.0f * camera.eye();
    store({{behind.x, behind.y, behind.z, 0}, {nan, 0, 0, 0}, {0, nan, nan, 0}, {inf, 0, 0, 0}, {0, 0, -inf, 0}});
    EXPECT_EQ(light(64, 64).sum(), 0);
    store({{0, 0, 0, nan}});
    EXPECT_TRUE(std::isfinite(light(64, 64).sum()));
    store({});
    EXPECT_EQ(light(64, 64).sum(), 0);

    camera.azimuth = camera.elevation = 0;
    store({{0, 0, 0, 0}});
    for (const float size : {0.02f, 0.3f}) {  // summed, listed
        look.pointSize = size;
        store({{0, 0, 0, 0}});
        const double whole = light(200, 200).sum();
        store({{0, camera.distance * std::tan(camera.fieldOfView / 2), 0, 0}});
        EXPECT_NEAR(light(200, 200).sum() / whole, 0.5, 0.04);
    }
    for (const auto& [w, h] : {std::pair{0, 0}, {1, 1}, {3, 500}, {700, 2}, {17, 33}}) {
        OffscreenTarget target(64, 64);
        renderer_->draw(*buffer_, camera, look, target.framebuffer(), w, h);
        EXPECT_EQ(glGetError(), static_cast<GLenum>(GL_NO_ERROR)) << w << "x" << h;
    }
    for (const float brightness : {0.0f, 1e-38f, 1e38f, inf, nan}) {
        look.brightness = brightness;
        shown(64, 64);
        EXPECT_EQ(glGetError(), static_cast<GLenum>(GL_NO_ERROR)) << brightness;
    }
}

TEST_F(PathTest, FaintLightFadesToBlackWithoutBands) {
    // A soft disc of 120 pixels radius and a handful of screen steps: without dither, rings many pixels wide.
    constexpr int kSide = 800;
    camera.azimuth = camera.elevation = 0;
    look.pointSize = 100;
    store({{0, 0, 0, 0}});
    for (const bool paper : {false, true})
        for (const DrawMethodRequest wish : {DrawMethodRequest::raster, DrawMethodRequest::compute}) {
            renderer_->requestDrawMethod(wish);
            look.paper = paper;
            look.brightness = paper ? 0.04f : 0.004f;
            const auto rgb = shown(kSide, kSide);
            const auto grey = [&](int x) {
                return static_cast<int>(rgb[3 * static_cast<std::size_t>(kSide / 2 * kSide + x)]);
            };
            const int sky = grey(5), middle = grey(kSide / 2);
            EXPECT_EQ(sky, paper ? 255 : 0);
            const int steps = std::abs(middle - sky);
            ASSERT_GE(steps, 4);
            ASSERT_LE(steps, 12);
            int longest = 0, run = 0;
            for (int x = 1; x < kSide; ++x) {
                run = grey(x) == grey(x - 1) ? run + 1 : 1;
                const int level = std::abs(grey(x) - sky);
                if (level >= 2 && level < steps - 1) longest = std::max(longest, run);
            }
            EXPECT_LE(longest, 8) << "paper " << paper << ", a band";
        }
}

TEST_F(PathTest, LowerQualityKeepsPlaceAndBrightness) {
    store(cloud(3000, 0.7f));
    look.colourMap = 0;
    look.bloom = 0.3f;
    look.pointSize = 0.06f;
    for (const DrawMethodRequest wish : {DrawMethodRequest::raster, DrawMethodRequest::compute}) {
        renderer_->requestDrawMethod(wish);
        renderer_->setQuality({});
        const auto full = shown(240, 160);
        for (const PictureQuality quality : {PictureQuality{.scale = 0.70711f}, {.scale = 0.5f, .glowShrink = 8}}) {
            renderer_->setQuality(quality);
            const auto lower = shown(240, 160);
            const Difference difference = compare(full, lower);
            EXPECT_LT(difference.mean, 12) << quality.scale;
            EXPECT_GT(difference.mean, 0) << "nothing was lowered";
            double sum[2]{};
            for (std::size_t i = 0; i < full.size(); ++i) {
                sum[0] += full[i];
                sum[1] += lower[i];
            }
            EXPECT_NEAR(sum[1] / sum[0], 1, 0.1) << quality.scale;
        }
        renderer_->setQuality({.scale = 0.35355f, .glowShrink = 0});
        for (const auto& [w, h] : {std::pair{1, 1}, {3, 50}, {64, 48}}) shown(w, h);
        renderer_->setQuality({});
        EXPECT_EQ(shown(240, 160), full) << "back to the full look";
    }
}

/// Boxes of a small picture would show as squares around a single body.
TEST_F(PathTest, TheGlowOfABodyIsRoundAtEveryQuality) {
    store({{0.013f, 0.007f, 0, 1}});
    look.bloom = 0.6f;
    look.brightness = 30;
    look.exposure = 100;
    for (const float scale : {1.0f, 0.70711f, 0.5f, 0.35355f}) {
        renderer_->setQuality({.scale = scale, .glowShrink = scale < 1 ? 8 : 4});
        const auto bytes = shown(480, 320);
        double light[2]{}, x = 0, y = 0, all = 0;
        const auto at = [&](double column, double row) {
            const auto place = static_cast<std::size_t>(row) * 480 + static_cast<std::size_t>(column);
            return static_cast<double>(bytes[3 * place] + bytes[3 * place + 1] + bytes[3 * place + 2]);
        };
        for (int row = 0; row < 320; ++row)
            for (int column = 0; column < 480; ++column) {
                if (at(column, row) < 740) continue;
                all += 1, x += column + 0.5, y += row + 0.5;
            }
        ASSERT_GT(all, 0);
        for (const double radius : {14.0, 20.0, 28.0}) {
            light[0] = light[1] = 0;
            for (int eighth = 0; eighth < 8; ++eighth)
                light[eighth % 2] += at(x / all + radius * std::cos(eighth * std::numbers::pi / 4),
                                        y / all + radius * std::sin(eighth * std::numbers::pi / 4));
            EXPECT_GT(light[0], 40) << "no glow to judge at " << radius;
            EXPECT_NEAR(light[1] / light[0], 1, 0.2) << "quality " << scale << ", radius " << radius;
        }
    }
}

TEST_F(PathTest, AutomaticMeasuresBothWaysAndKeepsOne) {
    store(cloud(500, 0.5f));
    renderer_->requestDrawMethod(DrawMethodRequest::automatic);
    shown(64, 64);
    EXPECT_TRUE(renderer_->path().measuring());
    for (int i = 0; i < 100 && renderer_->path().measuring(); ++i) shown(64, 64);
    EXPECT_FALSE(renderer_->path().measuring());
    EXPECT_THAT(renderer_->path().why(), testing::HasSubstr("ms per picture"));
    // A lower quality counts as the same load.
    renderer_->setQuality({.scale = 0.35355f});
    for (std::size_t i = 0; i < DrawMethodChooser::kRest + 10 && !renderer_->path().measuring(); ++i) shown(64, 64);
    EXPECT_FALSE(renderer_->path().measuring());
}

}  // namespace
}  // namespace gravlab::test
