// Photographs: the effects of dust, gas and sky, colours by age, light without grain, and equal results of both draw
// methods.
#include "app/model/look.h"
#include "app/tables/colour_mode.h"
#include "photograph_fixture.h"
#include "picture_difference.h"
#include "render/colour_map.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <random>

namespace gravlab::test {
namespace {

double sumOf(const std::vector<std::uint8_t>& rgb, std::size_t channel) {
    double sum = 0;
    for (std::size_t i = channel; i < rgb.size(); i += 3) sum += rgb[i];
    return sum;
}

TEST_F(PhotographTest, OffIsTheOldPictureWhateverItsLayers) {
    look.photograph.on = false;
    look.bloom = 0.3f;
    look.colourMap = 1;
    const auto usual = picture();
    look.photograph = {.on = false, .starlight = Starlight::clusters, .scale = 3, .dust = 5, .gas = 7, .sky = 9};
    EXPECT_EQ(picture(), usual);
    look.photograph.on = true;
    EXPECT_FALSE(compare(picture(), usual).small());
    look.photograph = {};
    EXPECT_EQ(picture(), usual) << "and it comes back";
}

TEST_F(PhotographTest, DustOnlyDarkensAndReddens) {
    const auto clear = picture();
    auto before = clear;
    for (const float dust : {0.5f, 1.0f, 3.0f}) {
        look.photograph.dust = dust;
        const auto dusty = picture();
        for (std::size_t i = 0; i < dusty.size(); i += 3) {
            const int now = dusty[i] + dusty[i + 1] + dusty[i + 2], then = before[i] + before[i + 1] + before[i + 2];
            ASSERT_LE(now, then + 3) << "pixel " << i / 3 << ", dust " << dust;  // one step of dither a channel
        }
        EXPECT_LT(sumOf(dusty, 1), 0.99 * sumOf(before, 1));
        EXPECT_GT(sumOf(dusty, 0) / sumOf(dusty, 2), sumOf(clear, 0) / sumOf(clear, 2)) << "blue light is lost first";
        before = dusty;
    }
}

TEST_F(PhotographTest, EveryNumberHasASkyOfItsOwnAndAlwaysTheSame) {
    look.photograph.sky = 1;
    const auto one = picture();
    look.photograph.skyOf = 7;
    const auto other = picture();
    EXPECT_NE(one, other);
    look.photograph.sky = 0;
    EXPECT_NE(other, picture()) << "there is none";
    look.photograph.sky = 1;
    EXPECT_EQ(other, picture());
}

TEST_F(PhotographTest, DustLiesOnTheInnerEdgeOfArms) {
    const auto clear = picture();
    look.photograph.dust = 1;
    const auto dusty = picture();
    // The loss of light beside the arms at equal distances from their ridge, on the inner and the outer side.
    const double pixels = kHeight / (2 * std::tan(camera.fieldOfView / 2)) / camera.distance;
    double lost[2] = {0, 0}, light[2] = {0, 0};
    for (int arm = 0; arm < 2; ++arm)
        for (double radius = 0.5; radius < 0.95; radius += 0.005)
            for (const int side : {0, 1}) {
                const double angle = -2.2 * std::log(radius + 0.05) + std::numbers::pi * arm;
                const double r = radius + (side == 0 ? -0.085 : 0.085);
                // Seen from above at this azimuth: right is (-sin a, cos a), up is (-cos a, -sin a).
                const double x = r * std::cos(angle), y = r * std::sin(angle), a = static_cast<double>(camera.azimuth);
                const int i = kWidth / 2 + static_cast<int>(std::lround(pixels * (-std::sin(a) * x + std::cos(a) * y)));
                const int j = kHeight / 2 + static_cast<int>(std::lround(pixels * (std::cos(a) * x + std::sin(a) * y)));
                const std::size_t at = 3 * (static_cast<std::size_t>(j) * kWidth + static_cast<std::size_t>(i));
                light[side] += clear[at + 1];
                lost[side] += static_cast<double>(clear[at + 1]) - dusty[at + 1];
            }
    EXPECT_GT(lost[0] / light[0], 1.3 * lost[1] / light[1]);
}

TEST_F(PhotographTest, ArmsAreBluerThanTheDiscAndTheBulgeIsWarm) {
    const auto rgb = picture();
    const double pixels = kHeight / (2 * std::tan(camera.fieldOfView / 2)) / camera.distance;
    const auto ratio = [&](auto inside) {  // blue over red
        double red = 0, blue = 0;
        for (int j = 0; j < kHeight; ++j)
            for (int i = 0; i < kWidth; ++i) {
                const double u = (i + 0.5 - kWidth / 2) / pixels, w = (j + 0.5 - kHeight / 2) / pixels,
                             a = static_cast<double>(camera.azimuth);
                const double x = -std::sin(a) * u + std::cos(a) * w, y = std::cos(a) * u + std::sin(a) * w;
                if (!inside(std::hypot(x, y), std::atan2(y, x))) continue;
                const std::size_t at = 3 * (static_cast<std::size_t>(j) * kWidth + static_cast<std::size_t>(i));
                red += rgb[at];
                blue += rgb[at + 2];
            }
        return blue / red;
    };
    const auto fromArm = [](double r, double angle) {
        return std::abs(std::remainder(angle + 2.2 * std::log(r + 0.05), std::numbers::pi));
    };
    const double arms = ratio([&](double r, double angle) { return r > 0.45 && r < 1 && fromArm(r, angle) < 0.15; });
    const double between = ratio([&](double r, double angle) { return r > 0.45 && r < 1 && fromArm(r, angle) > 1; });
    const double bulge = ratio([](double r, double) { return r < 0.08; });
    EXPECT_GT(arms, 1.08 * between);
    EXPECT_GT(between, bulge);
    EXPECT_LT(bulge, 0.95);
}

TEST_F(PhotographTest, GasGlowsRedAndOnlyInArms) {
    const auto without = picture();
    look.photograph.gas = 1;
    const auto with = picture();
    double red = 0, blue = 0;
    int lit = 0;
    for (std::size_t i = 0; i < with.size(); i += 3) {
        ASSERT_GE(with[i] + 2, without[i]);
        red += with[i] - without[i];
        blue += with[i + 2] - without[i + 2];
        lit += with[i] > without[i] + 6;
    }
    EXPECT_GT(red, 1.5 * blue);
    EXPECT_GT(lit, 20);
    EXPECT_LT(lit, kWidth * kHeight / 10) << "knots";
}

/// Mean difference of two pictures in their common area, when one is moved right by that many pixels.
double differenceMoved(const std::vector<std::uint8_t>& a, const std::vector<std::uint8_t>& b, int right) {
    constexpr int kWidth = PhotographTest::kWidth, kHeight = PhotographTest::kHeight;
    double sum = 0;
    int count = 0;
    for (int j = 40; j < kHeight - 40; ++j)
        for (int i = 80; i < kWidth - 80; ++i, ++count)
            for (int channel = 0; channel < 3; ++channel)
                sum += std::abs(static_cast<int>(a[static_cast<std::size_t>(3 * (j * kWidth + i) + channel)]) -
                                b[static_cast<std::size_t>(3 * (j * kWidth + i + right) + channel)]);
    return sum / count;
}

TEST_F(PhotographTest, PatternsInArmsAndDustGoWithTheBodies) {
    look.photograph.dust = look.photograph.gas = 1;
    const auto before = picture();
    // Other random numbers give another pattern: this is the difference for a pattern that does not move with the bodies.
    const std::vector<BodyTrait> traits = traits_;
    std::mt19937 random(3);
    std::uniform_real_distribution<float> part(0, 1);
    for (BodyTrait& trait : traits_) trait.value = placeOf(populationAt(trait.value), part(random));
    renderer_->setTraits(traits_);
    const double another = differenceMoved(before, picture(), 0);
    EXPECT_GT(another, 1.5) << "there is a pattern";
    renderer_->setTraits(traits);
    // The camera moves, the bodies stay.
    const Camera camera0 = camera;
    const float pixel = camera.lengthPerPixel({kWidth, kHeight});
    const float a = camera.azimuth;
    constexpr int kRight = 19;
    camera.target -= glm::vec3(-std::sin(a), std::cos(a), 0) * (pixel * kRight);
    EXPECT_LT(differenceMoved(before, picture(), kRight), 0.5 * another) << "not to the picture's frame";
    camera = camera0;
    // Camera and bodies rotate together.
    const float turn = 0.7f, c = std::cos(turn), s = std::sin(turn);
    for (ParticleVertex& body : bodies_) body = {c * body.x - s * body.y, s * body.x + c * body.y, body.z, body.value};
    store(bodies_);
    camera.azimuth += turn;
    EXPECT_LT(differenceMoved(before, picture(), 0), 0.2 * another) << "not to space";
}

TEST_F(PhotographTest, PatternsHaveSeveralSizes) {
    const auto woven = picture();
    for (BodyTrait& trait : traits_) trait.value = placeOf(populationAt(trait.value));
    renderer_->setTraits(traits_);
    const auto plain = picture();
    // The mean light that the pattern adds to a square of the picture.
    const auto added = [&](int x, int y, int side) {
        double sum = 0;
        for (int j = y; j < y + side; ++j)
            for (int i = x; i < x + side; ++i) {
                const auto at = static_cast<std::size_t>(3 * (j * kWidth + i) + 2);
                sum += static_cast<double>(woven[at]) - plain[at];
            }
        return sum / (side * side);
    };
    constexpr int kSmall = 4, kLarge = 12;
    double coarse = 0, fine = 0;
    int large = 0, small = 0;
    for (int y = 60; y + kLarge <= kHeight - 60; y += kLarge)
        for (int x = 100; x + kLarge <= kWidth - 100; x += kLarge, ++large) {
            const double mean = added(x, y, kLarge);
            coarse += mean * mean;
            for (int j = 0; j < kLarge; j += kSmall)
                for (int i = 0; i < kLarge; i += kSmall, ++small) fine += std::pow(added(x + i, y + j, kSmall) - mean, 2);
        }
    EXPECT_GT(std::sqrt(coarse / large), 1) << "as wide as arms";
    EXPECT_GT(std::sqrt(fine / small), 0.7) << "and within those";
}

TEST_F(PhotographTest, ClustersOfAFewPixelsStandOutOfArms) {
    // Pixels far brighter in blue than their surroundings.
    const auto clusters = [&] {
        const auto rgb = picture();
        const auto blue = [&](int i, int j) { return rgb[static_cast<std::size_t>(3 * (j * kWidth + i) + 2)]; };
        int count = 0;
        for (int j = 44; j < kHeight - 44; ++j)
            for (int i = 84; i < kWidth - 84; ++i) {
                const int around = blue(i - 4, j) + blue(i + 4, j) + blue(i, j - 4) + blue(i, j + 4);
                count += 4 * blue(i, j) > around + 4 * 20;
            }
        return count;
    };
    look.photograph.sky = 0;
    const int woven = clusters();
    for (BodyTrait& trait : traits_) trait.value = placeOf(populationAt(trait.value));
    renderer_->setTraits(traits_);
    const int plain = clusters();
    EXPECT_GT(woven, plain + 300) << plain;
}

TEST_F(PhotographTest, ArmsOfOldStarsAreNotYoung) {
    // The light of glowing gas inside and outside a radius.
    const double pixels = kHeight / (2 * std::tan(camera.fieldOfView / 2)) / camera.distance;
    const auto gas = [&](bool inside) {
        look.photograph.gas = 0;
        const auto without = picture();
        look.photograph.gas = 1;
        const auto with = picture();
        double sum = 0;
        for (int j = 0; j < kHeight; ++j)
            for (int i = 0; i < kWidth; ++i) {
                const double r = std::hypot(i + 0.5 - kWidth / 2, j + 0.5 - kHeight / 2) / pixels;
                const auto at = static_cast<std::size_t>(3 * (j * kWidth + i));
                if ((r < 0.6) == inside) sum += static_cast<double>(with[at]) - without[at];
            }
        return sum;
    };
    const double inner = gas(true), outer = gas(false);
    // Half of the disc's stars inside are old.
    for (std::size_t i = 0; i < traits_.size(); ++i)
        if (populationAt(traits_[i].value) == Population::disc && i % 2 == 0 &&
            std::hypot(bodies_[i].x, bodies_[i].y) < 0.7f)
            traits_[i].value = placeOf(Population::old);
    renderer_->setTraits(traits_);
    EXPECT_GT(gas(false), 0.6 * outer);
    const double aged = gas(true);
    EXPECT_LT(aged, 0.08 * inner) << aged / inner;
}

TEST_F(PhotographTest, LargeCloudsOfGasHaveAGlow) {
    // Pixels brightened by gas around young clusters of that light.
    const auto lit = [&](float share) {
        std::vector<BodyTrait> traits = traits_;
        for (std::size_t i = 0; i < traits.size(); ++i)
            if (populationAt(traits[i].value) == Population::cluster)
                traits[i].light = i % 8 < 4 && i % 5 == 0 && std::hypot(bodies_[i].x, bodies_[i].y) > 0.5f ? share : 0;
        renderer_->setTraits(traits);
        look.photograph.gas = 0;
        const auto without = shown(3 * kWidth, 3 * kHeight);
        look.photograph.gas = 1;
        const auto with = shown(3 * kWidth, 3 * kHeight);
        int count = 0;
        for (std::size_t i = 0; i < with.size(); i += 3) count += with[i] > without[i] + 3;
        return count;
    };
    const int dark = lit(0), faint = lit(3) - dark, bright = lit(40) - dark;
    EXPECT_GT(faint, 20) << "any";
    EXPECT_GT(bright, 1.8 * faint);
    EXPECT_GT(bright, 4000) << "about twice as far as the images of so few reach";
}

TEST_F(PhotographTest, AStreamOfFewBodiesHasNoHazeBesideIt) {
    std::mt19937 random(9);
    std::uniform_real_distribution<float> part(-1, 1);
    const float c = std::cos(camera.azimuth), s = std::sin(camera.azimuth);
    std::vector<ParticleVertex> stream;
    for (int i = 0; i < 400; ++i) {  // from left to right
        const float along = part(random), across = 0.01f * part(random);
        stream.push_back({c * across - s * along, s * across + c * along, 0, 0});
    }
    store(stream);
    renderer_->setTraits(std::vector<BodyTrait>(stream.size(), {placeOf(Population::disc), 1}));
    look.brightness = 20;
    const auto rgb = picture();
    const auto row = [&](double arms) {
        const double pixels = kHeight / (2 * std::tan(camera.fieldOfView / 2)) / camera.distance;
        const int j =
            kHeight / 2 + static_cast<int>(std::lround(arms * static_cast<double>(look.photograph.scale) * pixels));
        double sum = 0;
        for (int i = kWidth / 2 - 50; i < kWidth / 2 + 50; ++i) sum += rgb[static_cast<std::size_t>(3 * (j * kWidth + i))];
        return sum / 100;
    };
    EXPECT_GT(row(0), 60);
    EXPECT_LT(row(1.25), 0.5 * row(0)) << "on a logarithmic scale, beyond an arm's width";
    EXPECT_LT(row(-1.25), 0.5 * row(0));
}

TEST_F(PhotographTest, FewStarsShowNoSquares) {
    // A small bulge in a wide picture: equal light at one distance along a diagonal and along a side.
    std::mt19937 random(7);
    std::normal_distribution<float> normal(0, 0.03f);
    std::vector<ParticleVertex> few;
    for (int i = 0; i < 300; ++i) few.push_back({normal(random), normal(random), normal(random), 0});
    store(few);
    std::vector<BodyTrait> traits;
    for (std::size_t i = 0; i < few.size(); ++i)
        traits.push_back({placeOf(Population::old, static_cast<float>(i % 11) / 11), 1});
    renderer_->setTraits(traits);
    look.photograph.scale = 0.8f;
    look.brightness = 20;
    const auto rgb = picture();
    const auto at = [&](double x, double y) {
        const auto i = static_cast<std::size_t>(kWidth / 2 + x), j = static_cast<std::size_t>(kHeight / 2 + y);
        return static_cast<double>(rgb[3 * (j * kWidth + i)]);
    };
    for (const double r : {20.0, 38.0, 44.0}) {
        const double d = r / std::numbers::sqrt2;
        const double sides = at(r, 0) + at(-r, 0) + at(0, r) + at(0, -r),
                     corners = at(d, d) + at(-d, d) + at(d, -d) + at(-d, -d);
        EXPECT_GT(sides, 0);
        EXPECT_NEAR(corners / sides, 1, 0.15) << r;
    }
}

TEST_F(PhotographTest, StarsOfAClusterArePointsHoweverNear) {
    store({{0, 0, 0, 0.5f}});
    renderer_->setTraits(std::vector<BodyTrait>{{placeOf(Population::white), 40}});
    look.bloom = 0;
    const auto lit = [&](Starlight starlight, float distance) {
        look.photograph.starlight = starlight;
        camera.distance = distance;
        const auto rgb = picture();
        int count = 0;
        for (std::size_t i = 0; i < rgb.size(); i += 3) count += rgb[i + 1] > 60;
        return count;
    };
    EXPECT_GT(lit(Starlight::clusters, 2), 4);
    EXPECT_LT(lit(Starlight::clusters, 0.05f), 70) << "but for what its brightness spreads";
    look.photograph.on = false;
    look.colourMap = 4;
    EXPECT_GT(lit(Starlight::clusters, 0.05f), 400) << "a disc elsewhere";
}

TEST_F(PhotographTest, LightTogetherHasNoGrain) {
    // Within a plain disc of few bodies, neighbouring pixels differ by far less than with points for bodies.
    std::mt19937 random(5);
    std::uniform_real_distribution<float> part(0, 1);
    std::vector<ParticleVertex> few;
    for (int i = 0; i < 1500; ++i) {
        const float radius = std::sqrt(part(random)), angle = 2 * std::numbers::pi_v<float> * part(random);
        few.push_back({radius * std::cos(angle), radius * std::sin(angle), 0, 0});
    }
    store(few);
    renderer_->setTraits(std::vector<BodyTrait>(few.size(), {placeOf(Population::old), 1}));
    const auto grain = [&] {
        const auto rgb = picture();
        double sum = 0, squares = 0;
        int count = 0;
        for (int j = kHeight / 2 - 30; j < kHeight / 2 + 30; ++j)
            for (int i = kWidth / 2 - 30; i < kWidth / 2 + 30; ++i, ++count) {
                const double value = rgb[3 * (static_cast<std::size_t>(j) * kWidth + static_cast<std::size_t>(i))];
                sum += value;
                squares += value * value;
            }
        return std::sqrt(squares / count - sum * sum / count / count) / (sum / count);
    };
    const double smooth = grain();
    look.photograph.on = false;
    look.colourMap = 4;
    EXPECT_LT(smooth, 0.25 * grain());
}

TEST_F(PhotographTest, SkyStandsStillIsQuietAndGoesBehindTheGalaxies) {
    look.photograph.sky = 1;
    std::vector<BodyTrait> dark(bodies_.size(), {placeOf(Population::old), 0});
    renderer_->setTraits(dark);
    const auto sky = picture();
    int lit = 0;
    for (std::size_t i = 0; i < sky.size(); i += 3) lit += sky[i] + sky[i + 1] + sky[i + 2] > 0;
    EXPECT_GT(lit, 20);
    EXPECT_LT(lit, kWidth * kHeight / 50) << "nearly all of it is black";
    for (ParticleVertex& body : bodies_) body.x += 0.3f;
    store(bodies_);
    EXPECT_EQ(picture(), sky) << "bodies moved";
    camera.distance *= 0.5f;
    camera.target = {0.4f, 0, 0.1f};
    const auto beside = picture();
    for (std::size_t i = 0; i < sky.size(); ++i) ASSERT_NEAR(beside[i], sky[i], 2) << "it is infinitely far";
    camera.azimuth += 0.1f;
    EXPECT_NE(picture(), sky) << "and turns with the camera";
    int bright = 0;
    for (int k = 0; k < 12; ++k, camera.azimuth += 0.5f) {
        camera.elevation = k % 2 == 0 ? 0.5f : -0.5f;
        const auto part = picture();
        for (std::size_t i = 0; i < part.size(); i += 3) bright += part[i] + part[i + 1] + part[i + 2] > 660;
    }
    EXPECT_GT(bright, 4) << "a few bright stars among the faint";
    EXPECT_LT(bright, 400);
    look.photograph.sky = 0;
    EXPECT_THAT(picture(), testing::Each(0));
    look.photograph.sky = 1;
    look.paper = true;
    EXPECT_THAT(picture(), testing::Each(255)) << "no sky on a page";
}

TEST_F(PhotographTest, BothDrawMethodsShowTheSamePhotograph) {
    look.photograph = {.on = true, .scale = 0.2f};
    for (const float bloom : {0.0f, 0.3f})
        for (const Starlight starlight : {Starlight::galaxies, Starlight::clusters, Starlight::nursery}) {
            look.bloom = bloom;
            look.photograph.starlight = starlight;
            renderer_->requestDrawMethod(DrawMethodRequest::raster);
            const auto raster = picture();
            renderer_->requestDrawMethod(DrawMethodRequest::compute);
            const auto compute = picture();
            EXPECT_EQ(renderer_->path().path(), DrawMethod::compute) << renderer_->path().why();
            const Difference d = compare(raster, compute);
            EXPECT_TRUE(d.small()) << "bloom " << bloom << ": mean " << d.mean << ", far " << d.far;
        }
}

TEST_F(PhotographTest, ALowerQualityIsTheSameGalaxyWithoutItsLayers) {
    const auto full = picture();
    PictureQuality quality{.glowShrink = 0};
    renderer_->setQuality(quality);
    const auto plain = picture();
    // The same total light in the mean of the logarithmic tones over the picture.
    EXPECT_NEAR(sumOf(plain, 0) / sumOf(full, 0), 1, 0.5);
    EXPECT_FALSE(compare(full, plain).small());
    quality.glowShrink = 8;
    renderer_->setQuality(quality);
    EXPECT_NEAR(sumOf(picture(), 0) / sumOf(full, 0), 1, 0.2);
}

TEST(PhotographModes, galaxiesThatAreSmallInTheirPictureAreExposedForLess) {
    const auto lookAt = [](double distance, std::string_view length) {
        SceneView view{.distance = distance};
        SceneUnits units{.length = length, .lengthScale = 1};
        Look look = sceneLook(view, 65536);
        fitGalaxies(look, units);
        return look;
    };
    const Look full = lookAt(30, "kpc"), small = lookAt(160, "kpc"), plain = lookAt(160, "");
    EXPECT_EQ(full.exposure, plain.exposure);
    EXPECT_FLOAT_EQ(small.photograph.scale, 3.2f) << "an arm is no wider for it";
    EXPECT_GT(plain.photograph.scale, 2.9f * small.photograph.scale);
    // The brightness of a full picture would follow the square of the lengths.
    EXPECT_LT(small.exposure, 0.3f * full.exposure);
    EXPECT_GT(small.exposure, 0.1f * full.exposure);
}

TEST(PhotographModes, discsAreOldInsideAndKeepTheirAges) {
    ParticleSet bodies = sceneNamed("galaxy").build({.bodies = 6000, .seed = 1});
    const BodyFacts start = bodyFacts(bodies);
    const auto share = [&](double from, double to) {
        double old = 0, all = 0;
        for (std::size_t i = 0; i < bodies.size(); ++i) {
            const double r = length(xyz(bodies.position[i]));
            if (speciesOf(bodies.group[i]) != Species::disc || r < from || r > to) continue;
            old += start.aged[i], ++all;
        }
        return old / all;
    };
    EXPECT_GT(share(0, 1.5), 0.8) << "where a bar forms [kpc]";
    EXPECT_LT(share(8, 30), 0.02) << "where arms are";
    EXPECT_GT(share(1, 2), share(2, 3));
    EXPECT_GT(share(2, 3), share(3, 4));
    for (std::size_t i = 0; i < bodies.size(); ++i)
        EXPECT_TRUE(speciesOf(bodies.group[i]) == Species::disc || !start.aged[i]) << "of the disc";
    // A run moves its bodies and an edit removes one: old stars remain old.
    const auto turned = [](Double4& p) { p = {3 * p.x + 20, 0.2 * p.y, p.z, p.w}; };
    std::ranges::for_each(bodies.position, turned);
    bodies.position.erase(bodies.position.begin()), bodies.velocity.erase(bodies.velocity.begin());
    bodies.id.erase(bodies.id.begin()), bodies.group.erase(bodies.group.begin());
    const BodyFacts later = bodyFacts(bodies, &start);
    for (std::size_t i = 0; i < bodies.size(); ++i) ASSERT_EQ(later.aged[i], start.aged[i + 1]) << i;
    const BodyFacts cluster = bodyFacts(sceneNamed("plummer").build({.bodies = 500, .seed = 1}));
    EXPECT_TRUE(std::ranges::none_of(cluster.aged, [](auto aged) { return aged != 0; })) << "no disc about a bulge";
    const ColourMode& mode = *std::find_if(colourModes().begin(), colourModes().end(), [](auto& m) { return m.photograph; });
    const auto traits = bodyTraits(mode, start);
    for (std::size_t i = 0; i < traits.size(); ++i)
        if (start.aged[i]) {
            const Population population = populationAt(traits[i].value);
            EXPECT_TRUE(population == Population::old || population == Population::giant) << i;
        }
}

TEST(PhotographModes, populationsFollowSpeciesAndStayTheSame) {
    const ColourMode& mode = *std::find_if(colourModes().begin(), colourModes().end(), [](auto& m) { return m.photograph; });
    BodyFacts facts;
    for (std::uint32_t i = 0; i < 3000; ++i) {
        facts.id.push_back(i);
        facts.group.push_back(static_cast<std::uint8_t>(i % 3 << 6));  // disc, bulge, halo
        facts.mass.push_back(1);
        facts.motion.push_back(BodyMotion::free);
    }
    const auto traits = bodyTraits(mode, facts), again = bodyTraits(mode, facts);
    const auto is = [&](std::size_t i, Population which) { return populationAt(traits[i].value) == which; };
    int resolved = 0;
    for (std::size_t i = 0; i < traits.size(); ++i) {
        EXPECT_EQ(traits[i].value, again[i].value);
        EXPECT_TRUE(i % 3 != 0 || is(i, Population::disc) || is(i, Population::cluster));
        EXPECT_TRUE(i % 3 != 1 || is(i, Population::old) || is(i, Population::giant));
        EXPECT_EQ(traits[i].light > 0, i % 3 != 2) << "dark matter is not seen";
        resolved += is(i, Population::cluster) || is(i, Population::giant);
    }
    EXPECT_GT(resolved, 0);
    EXPECT_LT(resolved, 300) << "few";
    for (const auto& [stars, which] : {std::pair(Stars::globular, Population::red), {Stars::young, Population::blue}}) {
        const auto cluster = bodyTraits(mode, facts, stars);
        EXPECT_TRUE(std::any_of(cluster.begin(), cluster.end(), [&](auto& t) { return populationAt(t.value) == which; }));
        EXPECT_TRUE(
            std::none_of(cluster.begin(), cluster.end(), [](auto& t) { return populationAt(t.value) == Population::disc; }));
    }
}

TEST(PhotographModes, aFewStarsOutshineTheirCluster) {
    const ColourMode& mode = *std::find_if(colourModes().begin(), colourModes().end(), [](auto& m) { return m.photograph; });
    BodyFacts facts;
    for (std::uint32_t i = 0; i < 30000; ++i) {
        facts.id.push_back(i);
        facts.group.push_back(0);
        facts.mass.push_back(1);
        facts.motion.push_back(BodyMotion::free);
    }
    for (const auto& [stars, least] : {std::pair(Stars::young, 0.1), {Stars::globular, 0.03}}) {
        std::vector<double> light;
        for (const BodyTrait& trait : bodyTraits(mode, facts, stars)) light.push_back(static_cast<double>(trait.light));
        std::ranges::sort(light);
        const double all = std::accumulate(light.begin(), light.end(), 0.0);
        const double few = std::accumulate(light.end() - 30, light.end(), 0.0);
        EXPECT_GT(few, least * all) << "a thousandth of the stars";
        EXPECT_LT(few, 0.5 * all);
        EXPECT_GT(light.back(), 40 * light[light.size() / 2]);
        const auto seen = std::ranges::count_if(light, [](double share) { return share > 0.1; });
        EXPECT_EQ(seen < 7000, stars == Stars::young) << seen << " of a young cluster of hundreds";
    }
}

}  // namespace
}  // namespace gravlab::test
