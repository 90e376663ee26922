// Colour modes, traits, tone curves, white pages and auto-exposure: known bodies, known light, stored pictures.
#include "app/system/picture.h"
#include "app/tables/colour_mode.h"
#include "gl_fixture.h"
#include "picture_difference.h"
#include "render/colour_map.h"
#include "sim/groups/groups.h"
#include "tests/paths.h"

#include <gmock/gmock.h>
#include <glm/geometric.hpp>

#include <cmath>
#include <cstdlib>

namespace gravlab::test {
namespace {

TEST_F(GlTest, TraitsGiveValueAndLight) {
    look.pointSize = 0.8f;
    camera.azimuth = camera.elevation = 0;
    store({{0, -1, 0, 0.9f}, {0, 1, 0, 0.9f}});  // left and right
    look.useTraits = true;
    look.colourMap = 2;
    const BodyTrait traits[] = {{0.2f, 1}, {1, 0.5f}};
    renderer_->setTraits(traits);
    const auto colours = linearColours(colourMaps()[2]);
    const Light picture = light(200, 100);
    const float pixelsPerLength = 100 / (2 * std::tan(camera.fieldOfView / 2)) / camera.distance;
    const int left = 100 - static_cast<int>(pixelsPerLength), right = 99 + static_cast<int>(pixelsPerLength);
    for (int c = 0; c < 3; ++c) {
        EXPECT_NEAR(picture.at(left, 50)[c], colours[51][c], 0.03);
        EXPECT_NEAR(picture.at(right, 50)[c], 0.5f * colours[255][c], 0.03);
    }
}

TEST_F(GlTest, DarkBodiesAreDimmedAloneAndTraitsOfOthersAreNotUsed) {
    store({{0, 0, 0, 0}});
    const double plain = light(64, 64).sum();
    const BodyTrait dark[] = {{0, -1}};
    renderer_->setTraits(dark);
    EXPECT_NEAR(light(64, 64).sum() / plain, 1, 1e-3);
    look.darkLight = 0.1f;
    EXPECT_NEAR(light(64, 64).sum() / plain, 0.1, 1e-3);
    look.darkLight = 0;
    EXPECT_EQ(light(64, 64).sum(), 0);
    const BodyTrait two[] = {{0, -1}, {0, -1}};
    renderer_->setTraits(two);
    EXPECT_NEAR(light(64, 64).sum() / plain, 1, 1e-3) << "traits for another number of bodies";
    renderer_->setTraits({});
    EXPECT_NEAR(light(64, 64).sum() / plain, 1, 1e-3);
}

TEST_F(GlTest, RangesAndLogarithmsPlaceValuesInTheMap) {
    look.pointSize = 0.5f;
    look.colourMap = 3;
    const auto colours = linearColours(colourMaps()[3]);
    const struct {
        float value, low, high;
        bool logarithmic;
        std::size_t place;
    } cases[] = {{3, 2, 4, false, 128},       {1, 2, 4, false, 0},    {9, 2, 4, false, 255},
                 {0.1f, 0.01f, 1, true, 128}, {0, 0.01f, 1, true, 0}, {-1, 0.01f, 1, true, 0},
                 {5, 0.01f, 1, true, 255},    {1, 3, 3, false, 0},    {4, 3, 3, false, 255}};
    for (const auto& c : cases) {
        look.valueFloor = c.low;
        look.valueScale = c.high;
        look.logarithmic = c.logarithmic;
        store({{0, 0, 0, c.value}});
        const Light picture = light(101, 101);
        for (int k = 0; k < 3; ++k) EXPECT_NEAR(picture.at(50, 50)[k], colours[c.place][k], 0.03) << c.value << " " << c.low;
    }
}

TEST_F(GlTest, CategoriesAreBands) {
    look.pointSize = 0.5f;
    look.colourMap = -1;
    for (std::size_t k = 0; k < kCategories; ++k) {
        store({{0, 0, 0, (static_cast<float>(k) + 0.5f) / kCategories}});
        const Light picture = light(101, 101);
        const glm::vec3 want = linearFromSrgb(categoryMap().stops[k]);
        EXPECT_LT(glm::length(glm::vec3(picture.at(50, 50)[0], picture.at(50, 50)[1], picture.at(50, 50)[2]) - want), 0.03f)
            << k;
    }
}

TEST_F(GlTest, EveryToneCurveRisesFromExactBlackToWhite) {
    look.pointSize = 0.5f;
    for (const ToneCurve tone : {ToneCurve::plate, ToneCurve::aces, ToneCurve::agx, ToneCurve::slide}) {
        look.tone = tone;
        store({{0, 0, -1000, 0}});
        EXPECT_THAT(shown(64, 48), testing::Each(0));
        store({{0, 0, 0, 0}});
        int before = -1;
        for (float brightness = 1e-3f; brightness < 5000; brightness *= 2) {
            look.brightness = brightness;
            const auto rgb = shown(101, 101);
            EXPECT_GE(rgb[3 * (50 * 101 + 50)], before) << static_cast<int>(tone) << " " << brightness;
            before = rgb[3 * (50 * 101 + 50)];
        }
        EXPECT_GE(before, 250);
    }
}

TEST_F(GlTest, PaperIsWhiteAndBodiesAreDarkOnIt) {
    look.paper = true;
    look.bloom = 0.5f;
    store({{0, 0, -1000, 0}});
    EXPECT_THAT(shown(64, 48), testing::Each(255));
    look.pointSize = 0.5f;
    look.brightness = 20;
    store({{0, 0, 0, 0}});
    const auto rgb = shown(101, 101);
    EXPECT_LT(rgb[3 * (50 * 101 + 50)], 120);
    EXPECT_EQ(rgb[0], 255);
}

TEST_F(GlTest, OnAWhitePageBodiesHaveTheColoursOfTheLegend) {
    constexpr int kSide = 201, kDots = 5;
    look.paper = true;
    look.pointSize = 0.06f;
    look.trails = 2;
    camera.azimuth = camera.elevation = 0;
    std::vector<ParticleVertex> dots;
    for (int k = 0; k < kDots; ++k) {
        const float part = static_cast<float>(k) / (kDots - 1);
        dots.push_back({0, part - 0.5f, 0, part});
    }
    const double pixels = kSide / (2 * std::tan(camera.fieldOfView / 2)) / camera.distance;
    for (const DrawMethodRequest way : {DrawMethodRequest::raster, DrawMethodRequest::compute})
        for (const float brightness : {2.0f, 6.0f})
            for (std::size_t map = 0; map < colourMaps().size(); ++map) {
                renderer_->requestDrawMethod(way);
                look.brightness = brightness;
                look.colourMap = static_cast<int>(map);
                store(dots);
                renderer_->recordTrail(*buffer_, look);
                renderer_->recordTrail(*buffer_, look);
                const auto rgb = shown(kSide, kSide);
                const auto colours = linearColours(colourMaps()[map]);
                for (int k = 0; k < kDots; ++k) {
                    const int x = kSide / 2 + static_cast<int>(std::lround((k / (kDots - 1.0) - 0.5) * pixels));
                    const glm::vec3 legend =
                        255.0f * srgbFromLinear(onPaper(colours[static_cast<std::size_t>(k) * 255 / (kDots - 1)]));
                    for (int c = 0; c < 3; ++c)
                        EXPECT_NEAR(rgb[static_cast<std::size_t>(3 * (kSide / 2 * kSide + x) + c)], legend[c], 4)
                            << colourMaps()[map].name << ", dot " << k << ", channel " << c;
                }
            }
}

TEST_F(GlTest, AutoExposureBringsDimAndBrightPicturesTogether) {
    look.pointSize = 0.4f;
    look.autoExposure = true;
    store({{0, 0, 0, 0}});
    const auto middle = [&](float brightness) {
        look.brightness = brightness;
        look.adaptation = 1;
        return static_cast<int>(shown(256, 256)[3 * (128 * 256 + 128)]);
    };
    const int dim = middle(0.001f), bright = middle(100);
    EXPECT_GT(dim, 100);
    EXPECT_NEAR(dim, bright, 25);
    // Half of the remaining distance at a time.
    look.adaptation = 0;
    look.brightness = 0.001f;
    const int still = shown(256, 256)[3 * (128 * 256 + 128)];
    EXPECT_LT(still, dim / 2);
    // An empty picture does not change the exposure.
    middle(100);
    store({{0, 0, -1000, 0}});
    EXPECT_THAT(shown(64, 64), testing::Each(0));
}

TEST_F(GlTest, SampledValuesComeFromAllBodies) {
    std::vector<ParticleVertex> bodies(50000);
    for (std::size_t i = 0; i < bodies.size(); ++i) bodies[i] = {0, 0, 0, static_cast<float>(i)};
    store(bodies);
    std::vector<float> values;
    EXPECT_FALSE(renderer_->takeValues(values, true)) << "nothing was asked for";
    renderer_->sampleValues(*buffer_);
    ASSERT_TRUE(renderer_->takeValues(values, true));
    EXPECT_GE(values.size(), 1000u);
    EXPECT_LT(*std::min_element(values.begin(), values.end()), 2000);
    EXPECT_GT(*std::max_element(values.begin(), values.end()), 47000);
    EXPECT_FALSE(renderer_->takeValues(values, true)) << "each sample is handed out once";
    for (const std::size_t count : {1u, 2u, 31u, 33u, 100u}) {
        store(std::vector<ParticleVertex>(count, {0, 0, 0, 7}));
        renderer_->sampleValues(*buffer_);
        ASSERT_TRUE(renderer_->takeValues(values, true));
        EXPECT_GE(values.size(), std::min<std::size_t>(count, 17)) << count;
        EXPECT_THAT(values, testing::Each(7.0f));
    }
}

// ---- every colour mode against a stored picture ----

/// Two tilted rings: groups 0 and 1, a bulge, some dark bodies, masses over a decade.
struct Sample {
    std::vector<ParticleVertex> vertices;
    BodyFacts facts;
};
Sample sampleGalaxy() {
    Sample sample;
    for (std::uint32_t i = 0; i < 500; ++i) {
        const double angle = 2.39996 * i, radius = 0.2 + 0.0025 * i, side = i % 2 ? 0.6 : -0.6;
        sample.vertices.push_back({static_cast<float>(side + 0.6 * radius * std::cos(angle)),
                                   static_cast<float>(radius * std::sin(angle)),
                                   static_cast<float>(0.3 * side * radius * std::sin(angle)),
                                   static_cast<float>(0.001 * std::pow(10.0, 3.0 * i / 500))});
        sample.facts.id.push_back(i);
        sample.facts.group.push_back(static_cast<std::uint8_t>(i % 2 | (i < 100 ? 1 : i > 400 ? 2 : 0) << 6));
        sample.facts.mass.push_back(static_cast<float>(0.01 * (1 + i % 10)));
    }
    return sample;
}

TEST_F(GlTest, EveryColourModeLooksAsStored) {
    const Sample sample = sampleGalaxy();
    store(sample.vertices);
    camera.distance = 3.5f;
    look.pointSize = 0.03f;
    look.brightness = 3;
    look.bloom = 0.3f;
    look.darkLight = 0.1f;
    std::vector<float> published;
    for (const ParticleVertex& v : sample.vertices) published.push_back(v.value);
    std::vector<std::vector<std::uint8_t>> pictures;
    for (const bool paper : {false, true})
        for (const ColourMode& mode : colourModes()) {
            SCOPED_TRACE(mode.name);
            // Twelve groups, and bodies at the rim without one.
            std::vector<std::uint32_t> labels = sample.facts.id;
            for (std::size_t i = 0; i < 400; ++i) labels[i] = static_cast<std::uint32_t>(i % 12);
            // Nine depths, and bodies that no chain reaches.
            std::vector<std::uint32_t> depths(sample.facts.size());
            for (std::size_t i = 0; i < depths.size(); ++i)
                depths[i] = i % 7 == 0 ? kNoDepth : static_cast<std::uint32_t>(i % 9);
            const std::vector<BodyTrait> traits = mode.ofGroups  ? groupTraits(sample.facts, sample.facts.id, labels, 2)
                                                  : mode.ofDepth ? depthTraits(sample.facts, sample.facts.id, depths)
                                                                 : bodyTraits(mode, sample.facts);
            renderer_->setTraits(traits);
            std::vector<float> values = published;
            if (mode.ofDensity) {
                renderer_->setMasses(sample.facts.mass);
                ASSERT_TRUE(renderer_->measureDensity(*buffer_, 3.5f));
                renderer_->sampleValues(*buffer_, true);
                ASSERT_TRUE(renderer_->takeValues(values, true));
            }
            const bool known = mode.ofTraits && !mode.ofDensity;
            const ValueRange range = known ? traitRange(mode, traits) : roundedRange(values, mode.logarithmic);
            look.valueFloor = static_cast<float>(range.low);
            look.valueScale = static_cast<float>(range.high);
            look.logarithmic = mode.logarithmic;
            look.useTraits = mode.ofTraits;
            look.colourMap = mapOf(mode, 0);
            look.photograph = {.on = mode.photograph, .scale = 0.3f};
            look.tone = mode.photograph ? ToneCurve::slide : ToneCurve::plate;
            look.paper = paper;
            const auto now = shown(200, 120);
            const std::string path =
                GRAVLAB_SOURCE_DIR "/tests/golden/colour-" + std::string(mode.name) + (paper ? "-paper.png" : ".png");
            if (const char* write = std::getenv("GRAVLAB_WRITE_GOLDEN"); write && *write == '1')
                writePng(path, now, 200, 120);
            const Picture golden = readPng(path);
            const Difference difference = compare(now, golden.rgb);
            EXPECT_TRUE(difference.small()) << "mean " << difference.mean << ", far pixels " << difference.far;
            for (const auto& other : pictures)  // energy is logarithmic, too, and has the same values here
                EXPECT_TRUE(mode.name == "energy" || !compare(now, other).small()) << "two modes look alike";
            pictures.push_back(now);
        }
}

TEST(ColourModes, rangesAreRoundAndSurviveBadValues) {
    const auto range = [](std::vector<float> values, bool logarithmic, double scale = 1) {
        return roundedRange(values, logarithmic, scale);
    };
    EXPECT_DOUBLE_EQ(range({0.1f, 0.7f, 1.7f}, false).high, 1);  // the middle 96 % of three end at the second
    const ValueRange wide = range({0.003f, 0.003f, 0.02f, 4, 4}, true);
    EXPECT_DOUBLE_EQ(wide.low, 0.002);
    EXPECT_DOUBLE_EQ(wide.high, 5);
    const ValueRange shown = range({0.003f, 0.003f, 4, 4}, true, 200);
    EXPECT_DOUBLE_EQ(shown.low * 200, 0.5);
    EXPECT_DOUBLE_EQ(shown.high * 200, 1000);
    for (const bool logarithmic : {false, true})
        for (const std::vector<float>& values : {std::vector<float>{}, {0, 0}, {NAN, -1}, {INFINITY}, {5}}) {
            const ValueRange r = roundedRange(values, logarithmic);
            EXPECT_GT(r.high, r.low);
            EXPECT_TRUE(!logarithmic || r.low > 0);
        }
}

TEST(ColourModes, starsAreDrawnByLotAndStayTheSame) {
    const Sample sample = sampleGalaxy();
    const ColourMode& stars =
        *std::find_if(colourModes().begin(), colourModes().end(), [](auto& m) { return m.name == "stars"; });
    const auto a = bodyTraits(stars, sample.facts), b = bodyTraits(stars, sample.facts);
    double disc = 0, bulge = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        EXPECT_EQ(a[i].value, b[i].value);
        EXPECT_GE(a[i].value, 3000);
        EXPECT_LE(a[i].value, 13001);
        if (i < 100) bulge = std::max(bulge, static_cast<double>(a[i].value));
        if (i > 100 && i < 400) disc = std::max(disc, static_cast<double>(a[i].value));
        EXPECT_EQ(a[i].light<0, i> 400) << "the last are dark";
    }
    EXPECT_LT(bulge, 6000) << "old";
    EXPECT_GT(disc, 9000) << "some are young";
}

}  // namespace
}  // namespace gravlab::test
