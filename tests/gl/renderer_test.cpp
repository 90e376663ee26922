// Known body, known pixel, known light.
#include "gl_fixture.h"
#include "render/colour_map.h"
#include "sim/api/scene.h"

#include <gmock/gmock.h>
#include <glm/geometric.hpp>
#include <glm/vec4.hpp>

#include <cmath>
#include <numbers>

namespace gravlab::test {
namespace {

/// Centre of light in pixels, from the lower left corner.
glm::dvec2 centreOf(const Light& light) {
    double x = 0, y = 0;
    for (int j = 0; j < light.height; ++j)
        for (int i = 0; i < light.width; ++i) {
            x += (i + 0.5) * light.at(i, j)[0];
            y += (j + 0.5) * light.at(i, j)[0];
        }
    return glm::dvec2(x, y) / light.sum();
}

/// The expected position of a body, computed by hand from the camera's angles: no matrix of the program is used.
glm::dvec2 expectedPixel(const Camera& camera, glm::dvec3 body, int width, int height) {
    const double ce = std::cos(camera.elevation), se = std::sin(camera.elevation);
    const double ca = std::cos(camera.azimuth), sa = std::sin(camera.azimuth);
    const glm::dvec3 outward(ce * ca, ce * sa, se), right(-sa, ca, 0), up(-se * ca, -se * sa, ce);
    const glm::dvec3 d = body - glm::dvec3(camera.target);
    const double depth = camera.distance - glm::dot(d, outward);
    const double scale = height / (2 * std::tan(camera.fieldOfView / 2)) / depth;
    return {width / 2.0 + scale * glm::dot(d, right), height / 2.0 + scale * glm::dot(d, up)};
}

TEST_F(GlTest, KnownBodyKnownPixel) {
    struct Case {
        glm::vec3 body, target;
        float azimuth, elevation, distance;
    };
    const Case cases[] = {
        {{0, 0, 0}, {0, 0, 0}, 0.4f, 0.5f, 5},     {{1, 0, 0}, {0, 0, 0}, 0, 0, 5},
        {{0, 1, 0}, {0, 0, 0}, 0, 0, 5},           {{0, 0, 1}, {0, 0, 0}, 0, 0, 5},
        {{0.7f, -0.4f, 0.3f}, {0, 0, 0}, 2, 1, 4}, {{0.7f, -0.4f, 0.3f}, {0.5f, 0.1f, -0.2f}, -1, -0.7f, 6},
        {{100, 50, 3}, {101, 49, 3}, 3, 1.4f, 12}};
    for (const Case& c : cases) {
        camera.target = c.target;
        camera.azimuth = c.azimuth;
        camera.elevation = c.elevation;
        camera.distance = c.distance;
        store({{c.body.x, c.body.y, c.body.z, 0}});
        const glm::dvec2 want = expectedPixel(camera, c.body, 320, 200), got = centreOf(light(320, 200));
        EXPECT_NEAR(got.x, want.x, 0.15);
        EXPECT_NEAR(got.y, want.y, 0.15);
    }
}

TEST_F(GlTest, ShownPictureHasTheSameOrientation) {
    camera.azimuth = 0;
    camera.elevation = 0;
    store({{0, 0.8f, 1.2f, 0}});  // right of and above the centre
    const auto rgb = shown(320, 200);
    std::size_t brightest = 0;
    for (std::size_t i = 0; i < rgb.size(); i += 3)
        if (rgb[i] > rgb[brightest]) brightest = i;
    const int x = static_cast<int>(brightest / 3 % 320), y = static_cast<int>(brightest / 3 / 320);
    const glm::dvec2 want = expectedPixel(camera, {0, 0.8, 1.2}, 320, 200);
    EXPECT_NEAR(x + 0.5, want.x, 1.5);
    EXPECT_NEAR(200 - (y + 0.5), want.y, 1.5);
}

TEST_F(GlTest, LightOfABodyIsKeptAcrossSizes) {
    // Light = brightness * pi r^2 / 4 for the sprite (1 - r^2)^3; r runs from a hundredth of a pixel to thirty.
    const int height = 256;
    const double pixelsPerLength = height / (2 * std::tan(camera.fieldOfView / 2)) / camera.distance;
    for (const double radius : {0.02, 0.1, 0.3, 0.7, 1.0, 1.5, 1.74, 1.76, 2.0, 2.5, 3.3, 5.0, 9.0, 17.0, 30.0})
        for (const double offset : {0.0, 0.25, 0.5, 0.8}) {
            look.pointSize = static_cast<float>(radius / pixelsPerLength);
            look.brightness = static_cast<float>(1 / (radius * radius));
            camera.target = {0, 0, 0};
            // Shifts the image by a fraction of a pixel along both axes.
            camera.pan({static_cast<float>(offset), static_cast<float>(0.7 * offset)}, {height, height});
            store({{0, 0, 0, 0}});
            EXPECT_NEAR(light(height, height).sum() / (std::numbers::pi / 4), 1, 0.02) << radius << " px, offset " << offset;
        }
}

TEST_F(GlTest, LightOfABodyFallsWithTheSquareOfTheDistance) {
    store({{0, 0, 0, 0}});
    look.pointSize = 0.002f;
    camera.distance = 2;
    const double near = light(200, 200).sum();
    camera.distance = 20;
    EXPECT_NEAR(near / light(200, 200).sum(), 100, 3);
}

TEST_F(GlTest, MoreBodiesAreBrighter) {
    store({{0, 0, 0, 0}});
    const double one = light(64, 64).sum();
    ASSERT_GT(one, 0);
    store(std::vector<ParticleVertex>(2, {0, 0, 0, 0}));
    EXPECT_NEAR(light(64, 64).sum() / one, 2, 0.01);
    store(std::vector<ParticleVertex>(100, {0, 0, 0, 0}));
    EXPECT_NEAR(light(64, 64).sum() / one, 100, 1);
}

TEST_F(GlTest, ManyBodiesKeepTheirLightBesideEachOther) {
    // Half floats would stop growing after a few thousand equal summands.
    look.brightness = 0.001f;
    store({{0, 0, 0, 0}});
    const double one = light(64, 64).sum();
    // Light over a few pixels: the small sprites of large N keep their light on average over positions within a pixel.
    std::vector<ParticleVertex> bodies(150000);
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        const auto part = [i](double step) {
            return static_cast<float>(0.3 * std::fmod(static_cast<double>(i) * step, 1.0) - 0.15);
        };
        bodies[i] = {part(0.8191725134), part(0.6710436067), part(0.5497004779), 0};
    }
    store(bodies);
    EXPECT_NEAR(light(64, 64).sum() / one, 150000, 3000);
}

TEST_F(GlTest, BodiesLeaveThePictureSmoothly) {
    // Half of a sprite with its centre on the border must be visible, also just beyond it.
    camera.azimuth = 0;
    camera.elevation = 0;
    look.pointSize = 0.3f;
    store({{0, 0, 0, 0}});
    const double whole = light(200, 200).sum();
    const float half = camera.distance * std::tan(camera.fieldOfView / 2);
    for (const float beyond : {-0.001f, 0.001f}) {
        store({{0, half + beyond, 0, 0}});
        EXPECT_NEAR(light(200, 200).sum() / whole, 0.5, 0.03);
        store({{0, 0, -half - beyond, 0}});
        EXPECT_NEAR(light(200, 200).sum() / whole, 0.5, 0.03);
    }
}

TEST_F(GlTest, BodiesBehindTheEyeAndNonNumbersAreNotDrawn) {
    const float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
    const glm::vec3 behind = 2.0f * camera.eye();
    store({{behind.x, behind.y, behind.z, 0}, {nan, 0, 0, 0}, {0, nan, nan, 0}, {inf, 0, 0, 0}, {0, 0, -inf, 0}});
    EXPECT_EQ(light(64, 64).sum(), 0);
    store({{0, 0, 0, nan}});  // a value that is no number still has a position
    const double sum = light(64, 64).sum();
    EXPECT_TRUE(std::isfinite(sum));
}

TEST_F(GlTest, ValuesFollowTheColourMap) {
    look.pointSize = 0.5f;
    look.valueScale = 2;
    for (int map = 0; map < static_cast<int>(colourMaps().size()); ++map) {
        const auto colours = linearColours(colourMaps()[static_cast<std::size_t>(map)]);
        look.colourMap = map;
        for (const float part : {0.0f, 0.25f, 0.5f, 1.0f}) {
            store({{0, 0, 0, 2 * part}});
            const Light picture = light(101, 101);
            const float* centre = picture.at(50, 50);
            const glm::vec3 want = colours[static_cast<std::size_t>(std::lround(part * (kColourMapSize - 1)))];
            EXPECT_NEAR(centre[0], want.x, 0.02) << colourMaps()[static_cast<std::size_t>(map)].name << part;
            EXPECT_NEAR(centre[1], want.y, 0.02);
            EXPECT_NEAR(centre[2], want.z, 0.02);
        }
    }
}

TEST_F(GlTest, ToneCurveRisesFromBlackToWhite) {
    look.pointSize = 0.5f;
    store({{0, 0, 0, 0}});
    int before = -1;
    std::vector<int> levels;
    for (float brightness = 1e-4f; brightness < 2000; brightness *= 1.6f) {
        look.brightness = brightness;
        const auto rgb = shown(101, 101);
        const int level = rgb[3 * (50 * 101 + 50)];
        EXPECT_GE(level, before) << brightness;
        before = level;
        levels.push_back(level);
    }
    EXPECT_LE(levels.front(), 3);
    EXPECT_EQ(levels.back(), 255);
    // No jump: even the steepest section has several of these factors of 1.6 between dark and bright.
    int longest = 0;
    for (std::size_t i = 1; i < levels.size(); ++i) longest = std::max(longest, levels[i] - levels[i - 1]);
    EXPECT_LT(longest, 40);
}

TEST_F(GlTest, ExposureIsAFactorOnLight) {
    store({{0, 0, 0, 0}});
    look.pointSize = 0.5f;
    look.exposure = 3;
    look.brightness = 0.2f;
    const auto a = shown(64, 64);
    look.exposure = 0.6f;
    look.brightness = 1;
    const auto b = shown(64, 64);
    int worst = 0;
    for (std::size_t i = 0; i < a.size(); ++i) worst = std::max(worst, std::abs(a[i] - b[i]));
    EXPECT_LE(worst, 1);
}

TEST_F(GlTest, EmptySkyIsExactlyBlack) {
    const auto nothingYet = shown(64, 48);
    EXPECT_THAT(nothingYet, testing::Each(0));
    store({{0, 0, -100, 0}});  // out of sight
    look.bloom = 0.3f;
    EXPECT_THAT(shown(64, 48), testing::Each(0));
}

TEST_F(GlTest, BloomSpreadsLightAndKeepsTheSum) {
    look.pointSize = 0.1f;
    look.brightness = 100;
    store({{0, 0, 0, 0}});
    const auto sharp = shown(256, 256);
    look.bloom = 0.3f;
    const auto soft = shown(256, 256);
    const std::size_t aside = 3 * (128 * 256 + 152);
    EXPECT_EQ(sharp[aside], 0);
    EXPECT_GT(soft[aside], 0);
}

TEST_F(GlTest, ResizesAndNothingAtAll) {
    store({{0, 0, 0, 0}});
    look.bloom = 0.2f;
    OffscreenTarget target(64, 64);
    for (const auto& [w, h] : {std::pair{0, 0}, {0, 64}, {64, 0}, {-5, 10}, {1, 1}, {3, 500}, {700, 2}, {64, 64}}) {
        renderer_->draw(*buffer_, camera, look, target.framebuffer(), w, h);
        EXPECT_EQ(glGetError(), static_cast<GLenum>(GL_NO_ERROR)) << w << "x" << h;
    }
    const auto first = shown(64, 64);
    shown(32, 80);
    EXPECT_EQ(shown(64, 64), first);
}

TEST_F(GlTest, ARendererMadeAnewDrawsTheSamePicture) {
    std::vector<ParticleVertex> bodies;
    for (int i = 0; i < 500; ++i) {
        const float f = static_cast<float>(i);
        bodies.push_back({std::sin(f), std::cos(1.3f * f), 0.5f * std::sin(0.7f * f), 0.5f + 0.5f * std::sin(f)});
    }
    look.bloom = 0.2f;
    look.colourMap = 0;
    store(bodies);
    const auto first = shown(160, 120);
    for (int i = 0; i < 20; ++i) {
        renderer_.reset();
        renderer_ = std::make_unique<ParticleRenderer>();
        ASSERT_EQ(shown(160, 120), first) << i;
    }
    // The context ends, too.
    buffer_.reset();
    renderer_.reset();
    context_.reset();
    SetUp();
    look.bloom = 0.2f;
    look.colourMap = 0;
    store(bodies);
    EXPECT_EQ(shown(160, 120), first);
}

TEST_F(GlTest, BufferShowsTheNewestCloseAndGrows) {
    EXPECT_EQ(buffer_->frontBuffer(), 0u);
    EXPECT_EQ(buffer_->frontCount(), 0u);
    EXPECT_EQ(buffer_->space(), MemorySpace::host);
    EXPECT_FALSE(buffer_->path().empty());
    double before = 0;
    for (const std::size_t n : {1u, 2u, 3u, 50u, 7u, 1000u, 1u}) {
        store(std::vector<ParticleVertex>(n, {0, 0, 0, 0}));
        EXPECT_EQ(buffer_->frontCount(), n);
        const double sum = light(64, 64).sum();
        EXPECT_NE(sum, before);
        before = sum;
    }
    // An open without a close does not change the front buffer.
    buffer_->open(3, nullptr);
    EXPECT_EQ(buffer_->frontCount(), 1u);
    EXPECT_DOUBLE_EQ(light(64, 64).sum(), before);
    store({});
    EXPECT_EQ(buffer_->frontCount(), 0u);
    EXPECT_EQ(light(64, 64).sum(), 0);
}

TEST_F(GlTest, DrawTimeArrivesWithoutWaiting) {
    store(std::vector<ParticleVertex>(1000, {0, 0, 0, 0}));
    EXPECT_EQ(renderer_->drawMilliseconds(), 0);
    renderer_->reusePictures(false);
    for (int i = 0; i < 50 && !(renderer_->drawMilliseconds() > 0); ++i) shown(64, 64);
    EXPECT_GT(renderer_->drawMilliseconds(), 0);
    EXPECT_LT(renderer_->drawMilliseconds(), 10000);
}

TEST_F(GlTest, ShowsTheSamePictureOnceMoreAndEveryOtherAnew) {
    const std::vector<ParticleVertex> some = {{0, 0, 0, 0.2f}, {0.5f, 0.3f, 0, 0.9f}, {-0.7f, 0.1f, 0.2f, 0.5f}};
    renderer_->requestDrawMethod(DrawMethodRequest::raster);
    store(some);
    const auto first = shown(64, 48);
    EXPECT_FALSE(renderer_->reused());
    EXPECT_EQ(shown(64, 48), first);  // from this frame on the picture is kept
    EXPECT_FALSE(renderer_->reused());
    EXPECT_EQ(shown(64, 48), first);
    EXPECT_TRUE(renderer_->reused());

    const auto anew = [&](const char* what, auto change) {
        shown(64, 48);
        shown(64, 48);
        EXPECT_TRUE(renderer_->reused()) << what;
        const auto before = shown(64, 48);
        change();
        EXPECT_NE(shown(64, 48), before) << what;
        EXPECT_FALSE(renderer_->reused()) << what;
    };
    anew("vertices", [&] { store({{0, 0, 0, 0.2f}, {0.2f, 0.3f, 0, 0.9f}}); });
    anew("camera", [&] { camera.azimuth += 0.4f; });
    anew("look", [&] { look.exposure *= 2; });
    anew("traits", [&] { renderer_->setTraits(std::vector<BodyTrait>{{0, 0.1f}, {0, 3}}); });
    anew("quality", [&] { renderer_->setQuality({.scale = 0.5f}); });
    anew("trails", [&] {
        look.trails = 8;
        renderer_->recordTrail(*buffer_, look);
        store({{0.6f, 0.3f, 0, 0.2f}, {-0.6f, -0.3f, 0, 0.9f}});
        renderer_->recordTrail(*buffer_, look);
    });
    shown(32, 32);
    EXPECT_FALSE(renderer_->reused()) << "another size";

    renderer_->reusePictures(false);
    shown(64, 48);
    shown(64, 48);
    EXPECT_FALSE(renderer_->reused());
}

TEST_F(GlTest, ShaderErrorsNameTheFile) {
    try {
        Program("body.vert", "no_such.frag");
        FAIL();
    } catch (const GlError& error) {
        EXPECT_THAT(error.what(), testing::HasSubstr("no_such.frag"));
    }
}

TEST_F(GlTest, BodiesWithRadiiAreSpheresOfTheirSizeAndTheNearerOneIsInFront) {
    camera = {};
    camera.distance = 10;
    camera.orthographic = true;
    look.pointSize = 1e-4f;
    constexpr int kSide = 200;
    const glm::mat4 projection = camera.projection(1);
    const float pixels = std::abs(projection[1][1]) * kSide / 2;  // a length of 1
    const float radius = 40 / pixels;
    // The second one is nearer to the eye, smaller, and off the centre.
    const glm::vec3 towards = glm::vec3(glm::transpose(camera.view()) * glm::vec4(0, 0, 1, 0));
    const glm::vec3 right = glm::vec3(glm::transpose(camera.view()) * glm::vec4(1, 0, 0, 0));
    const glm::vec3 near = 2 * radius * towards + radius / 2 * right;
    store({{0, 0, 0, 0}, {near.x, near.y, near.z, 1}});
    look.valueScale = 1;
    look.colourMap = 0;
    const std::vector<float> radii{radius, radius / 4};
    renderer_->setRadii(radii);
    const Light picture = light(kSide, kSide);
    const auto lit = [&](int x, int y) { return picture.at(x, y)[0] + picture.at(x, y)[1] + picture.at(x, y)[2] > 0.01f; };
    int covered = 0;
    for (int y = 0; y < kSide; ++y)
        for (int x = 0; x < kSide; ++x) covered += lit(x, y);
    EXPECT_NEAR(covered, std::numbers::pi * 1600, 200);
    EXPECT_TRUE(lit(100, 138));
    EXPECT_FALSE(lit(100, 143));
    // Shaded: brighter at the upper left than at the lower right. The small one has another colour.
    EXPECT_GT(picture.at(80, 120)[2], 2 * picture.at(122, 74)[2]);
    const auto hue = [&](int x, int y) { return picture.at(x, y)[0] / (picture.at(x, y)[2] + 1e-6f); };
    EXPECT_GT(std::abs(hue(120, 100) - hue(80, 100)), 0.2f);
    // Without radii, or with those of other bodies, they are points of light.
    renderer_->setRadii({});
    EXPECT_LT(light(kSide, kSide).sum(), 0.1 * picture.sum());
}

TEST_F(GlTest, APlanetHasADayANightAndAShadow) {
    camera = {};
    camera.distance = 10;
    camera.orthographic = true;
    look.pointSize = 1e-4f;
    look.colourMap = kCelestialRow;
    look.valueScale = 1;
    constexpr int kSide = 200;
    const glm::mat4 projection = camera.projection(1), clip = projection * camera.view();
    const float radius = 80 / (std::abs(projection[1][1]) * kSide);  // of 40 pixels
    // One small body is on the side of the sun, one behind the planet as seen from there.
    const glm::vec3 sun = glm::normalize(glm::vec3(0.83f, -0.42f, 0.37f));
    std::vector<ParticleVertex> bodies{{0, 0, 0, placeOfCelestial(static_cast<std::size_t>(Celestial::ringed))}};
    const float ice = placeOfCelestial(static_cast<std::size_t>(Celestial::barren));
    for (const float way : {2.0f, -2.0f})
        bodies.push_back({way * radius * sun.x, way * radius * sun.y, way * radius * sun.z, ice});
    std::vector<float> radii{radius};
    bodies.resize(30, {0, 0, 0, ice});
    radii.resize(bodies.size(), radius / 20);
    store(bodies);
    renderer_->setRadii(radii);
    Light picture = light(kSide, kSide);
    const auto brightAt = [&](const glm::vec3& place) {
        const glm::vec4 at = clip * glm::vec4(place, 1);
        const auto pixel = picture.at(static_cast<int>((0.5f + 0.5f * at.x / at.w) * kSide),
                                      static_cast<int>((0.5f + 0.5f * at.y / at.w) * kSide));
        return pixel[0] + pixel[1] + pixel[2];
    };
    const glm::vec3 towards = glm::vec3(glm::transpose(camera.view()) * glm::vec4(0, 0, 1, 0));
    const glm::vec3 night = glm::normalize(glm::cross(towards, glm::cross(towards, sun)));  // away from the sun, at the rim
    EXPECT_GT(brightAt(-0.5f * radius * night), 10 * brightAt(0.95f * radius * night));
    EXPECT_GT(brightAt(2 * radius * sun), 10 * brightAt(-2 * radius * sun)) << "in its shadow";
    // So have bodies of a third of a pixel that are no points of light, and they are dim.
    std::vector<BodyTrait> traits(bodies.size(), {ice, 0});
    traits[0] = {bodies[0].value, 1};
    std::vector<float> fine(bodies.size(), radius / 120);
    fine[0] = radius;
    look.useTraits = true;
    renderer_->setTraits(traits);
    renderer_->setRadii(fine);
    const float whole = brightAt(2 * radius * sun);
    picture = light(kSide, kSide);
    EXPECT_GT(brightAt(2 * radius * sun), 10 * brightAt(-2 * radius * sun));
    EXPECT_LT(brightAt(2 * radius * sun), 0.5f * whole);
    look.useTraits = false;
    // Bodies of one size have no planet among them, and stay bright on all sides of each other.
    renderer_->setRadii(std::vector<float>(bodies.size(), radius / 20));
    const Light equal = light(kSide, kSide);
    const glm::vec4 at = clip * glm::vec4(-2 * radius * sun, 1);
    EXPECT_GT(equal.at(static_cast<int>((0.5f + 0.5f * at.x) * kSide), static_cast<int>((0.5f + 0.5f * at.y) * kSide))[1],
              0.004f);
}

}  // namespace
}  // namespace gravlab::test
