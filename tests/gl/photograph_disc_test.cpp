// Photographs of discs: lanes on the near half, arms that fade, colours between warm and blue, old stars without edges.
#include "photograph_fixture.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <random>

namespace gravlab::test {
namespace {

TEST_F(PhotographTest, ADiscFromTheSideHasALaneOnItsNearHalf) {
    // The fraction of the bulge's light that dust absorbs above and below its middle.
    const auto taken = [&](float elevation) {
        camera.elevation = elevation;
        look.photograph.dust = 0;
        const auto clear = picture();
        look.photograph.dust = 1;
        const auto dusty = picture();
        std::array<double, 2> lost{}, light{};
        for (int j = -8; j < 8; ++j)
            for (int i = -12; i < 12; ++i) {
                const auto at = static_cast<std::size_t>(3 * ((kHeight / 2 + j) * kWidth + kWidth / 2 + i) + 1);
                const std::size_t half = j < 0 ? 0 : 1;
                light[half] += clear[at], lost[half] += static_cast<double>(clear[at]) - dusty[at];
            }
        return std::array{lost[0] / light[0], lost[1] / light[1]};
    };
    const auto above = taken(0.25f), below = taken(-0.25f), face = taken(1.5f);
    EXPECT_GT(above[1], 1.5 * above[0]) << "rows run down";
    EXPECT_GT(above[1], 0.05);
    EXPECT_GT(below[0], 1.5 * below[1]);
    EXPECT_LT(std::max(face[0], face[1]), above[1]);
}

TEST_F(PhotographTest, ADiscExactlyFromTheSideHasADarkBandAlongItsMiddle) {
    camera.elevation = 0;
    constexpr int kFiner = 3, kSide = 12;  // an arm is as wide as in a window
    const auto rows = [&](float dust) {    // light of rows through the bulge, from above its middle to below
        look.photograph.dust = dust;
        const auto rgb = shown(kFiner * kWidth, kFiner * kHeight);
        std::array<double, 2 * kSide + 1> light{};
        for (int j = -kSide; j <= kSide; ++j)
            for (int i = -20; i < 20; ++i) {
                const int y = kFiner * (kHeight / 2 + j), x = kFiner * kWidth / 2 + i;
                light[static_cast<std::size_t>(kSide + j)] +=
                    rgb[static_cast<std::size_t>(3 * (y * kFiner * kWidth + x) + 1)];
            }
        return light;
    };
    const auto clear = rows(0), dusty = rows(1);
    const auto brightest = std::ranges::max_element(clear) - clear.begin();
    EXPECT_LE(std::abs(brightest - kSide), 1) << "without dust the middle is the brightest";
    const auto middle = dusty.begin() + kSide;
    const double band = *std::min_element(middle - 1, middle + 2);
    EXPECT_LT(band, 0.85 * *std::max_element(dusty.begin(), middle - 1)) << "above";
    EXPECT_LT(band, 0.85 * *std::max_element(middle + 2, dusty.end())) << "below";
}

TEST_F(PhotographTest, TheNearHalfOfAnInclinedDiscHasTheDarkerLanes) {
    // The bodies are inclined, in one direction and the other, and the camera stays: only depths distinguish the near half.
    const float a = camera.azimuth;
    const glm::vec3 right(-std::sin(a), std::cos(a), 0), up(-std::cos(a), -std::sin(a), 0);
    const auto taken = [&](float angle) {  // of the lower and of the upper half
        std::vector<ParticleVertex> inclined = bodies_;
        for (ParticleVertex& body : inclined) {
            const glm::vec3 at(body.x, body.y, body.z);
            const float x = glm::dot(at, right), y = glm::dot(at, up);
            const glm::vec3 now = right * x + up * (y * std::cos(angle) - at.z * std::sin(angle)) +
                                  glm::vec3(0, 0, y * std::sin(angle) + at.z * std::cos(angle));
            body.x = now.x, body.y = now.y, body.z = now.z;
        }
        store(inclined);
        look.photograph.dust = 0;
        const auto clear = picture();
        look.photograph.dust = 1;
        const auto dusty = picture();
        std::array<double, 2> lost{}, light{};
        for (int j = 0; j < kHeight; ++j)
            for (int i = 0; i < kWidth; ++i) {
                const auto at = static_cast<std::size_t>(3 * (j * kWidth + i) + 1);
                const std::size_t half = j < kHeight / 2 ? 0 : 1;  // rows run down
                light[1 - half] += clear[at], lost[1 - half] += static_cast<double>(clear[at]) - dusty[at];
            }
        return std::array{lost[0] / light[0], lost[1] / light[1]};
    };
    // Arms differ between both halves, so each half is compared with itself.
    const auto lowerNear = taken(-0.9f), upperNear = taken(0.9f);
    EXPECT_GT(lowerNear[0], 1.3 * upperNear[0]) << "the lower half";
    EXPECT_GT(upperNear[1], 1.3 * lowerNear[1]) << "the upper half";
}

/// Bodies of a disc of that radius, and a straight arm to the right that thins out from its middle.
std::vector<ParticleVertex> discWithFadingArm(const Camera& camera, float radius) {
    std::mt19937 random(21);
    std::uniform_real_distribution<float> part(0, 1);
    std::normal_distribution<float> normal(0, 1);
    const float c = std::cos(camera.azimuth), s = std::sin(camera.azimuth);
    std::vector<ParticleVertex> bodies;
    for (int i = 0; i < 27000; ++i) {
        float right = 0, up = 0;
        if (i % 6 != 0) {
            const float r = radius * std::sqrt(part(random)), angle = 2 * std::numbers::pi_v<float> * part(random);
            right = r * std::cos(angle), up = r * std::sin(angle);
        } else {
            do right = radius * (2 * part(random) - 1);
            while (part(random) > std::min(1.0f, (0.9f * radius - right) / (0.9f * radius)));
            up = 0.08f * normal(random);
        }
        bodies.push_back({-s * right - c * up, c * right - s * up, 0.01f * normal(random), 0});
    }
    return bodies;
}

TEST_F(PhotographTest, ArmsFadeAtTheirEnds) {
    const std::vector<ParticleVertex> bodies = discWithFadingArm(camera, 1.2f);
    store(bodies);
    const double pixels = kHeight / (2 * std::tan(camera.fieldOfView / 2)) / camera.distance;
    // The blueness along the arm: the mean over its width, over some pixels and over random stars.
    constexpr int kSeeds = 12, kPlaces = 100;
    std::array<double, kPlaces> blue{};
    const double width = static_cast<double>(look.photograph.scale);
    const auto right = [](int place) { return -0.8 + 0.02 * place; };
    for (int seed = 0; seed < kSeeds; ++seed) {
        std::mt19937 random(static_cast<unsigned>(seed));
        std::uniform_real_distribution<float> part(0, 1);
        std::vector<BodyTrait> traits;
        for (std::size_t i = 0; i < bodies.size(); ++i) traits.push_back({placeOf(Population::disc, part(random)), 1});
        renderer_->setTraits(traits);
        const auto rgb = picture();
        for (int place = 0; place < kPlaces; ++place)
            for (int j = -6; j <= 6; ++j)
                for (int i = -3; i <= 3; ++i) {
                    const int x = kWidth / 2 + static_cast<int>(std::lround(right(place) * pixels)) + i, y = kHeight / 2 + j;
                    const auto at = static_cast<std::size_t>(3 * (y * kWidth + x));
                    blue[static_cast<std::size_t>(place)] += (static_cast<double>(rgb[at + 2]) - rgb[at]) / (91 * kSeeds);
                }
    }
    const int half = static_cast<int>(std::lround(0.5 * width / 0.02));
    double worst = 0;
    for (int place = 0; place + half < kPlaces && right(place) < 0.8; ++place)
        worst =
            std::max(worst, std::abs(blue[static_cast<std::size_t>(place + half)] - blue[static_cast<std::size_t>(place)]));
    const double all = (blue[10] + blue[25] + blue[40]) / 3;
    EXPECT_GT(all, 8) << "there is an arm";
    EXPECT_LT(worst, 1.4 * all) << worst << " of " << all << " within half of its width";
}

TEST_F(PhotographTest, NothingBetweenWarmAndBlueIsGreenish) {
    // Old stars in the middle, few outside, dust and arms: every mixture of warm and blue.
    std::mt19937 random(4);
    std::uniform_real_distribution<float> part(0, 1);
    for (std::size_t i = 0; i < traits_.size(); ++i) {
        const float radius = std::hypot(bodies_[i].x, bodies_[i].y);
        if (populationAt(traits_[i].value) == Population::disc && part(random) > radius)
            traits_[i].value = placeOf(Population::old, part(random));
    }
    renderer_->setTraits(traits_);
    for (const float dust : {0.0f, 1.0f, 2.5f})
        for (const float light : {0.5f, 2.0f}) {
            look.photograph.dust = dust;
            look.brightness = light;
            const auto rgb = picture();
            double worst = -255, sum = 0;
            int count = 0;
            for (std::size_t i = 0; i < rgb.size(); i += 3) {
                const double excess = rgb[i + 1] - 0.5 * (rgb[i] + rgb[i + 2]),
                             bright = std::max({rgb[i], rgb[i + 1], rgb[i + 2]});
                // Warm light itself is yellow: its red is at least a quarter above blue.
                if (bright < 24 || rgb[i] > 1.25 * rgb[i + 2]) continue;
                worst = std::max(worst, excess), sum += excess, ++count;
            }
            EXPECT_GT(count, 500);
            EXPECT_LT(worst, 1.1) << "dust " << dust << ", light " << light;
            EXPECT_LT(sum / count, -2.3) << "dust " << dust << ", light " << light;
        }
}

TEST_F(PhotographTest, OldStarsHaveNoHardEdge) {
    // A shell left by a passage: old stars to a radius, and a tenth as many beyond it.
    std::mt19937 random(8);
    std::uniform_real_distribution<float> part(0, 1);
    std::vector<ParticleVertex> shell;
    for (int i = 0; i < 60000; ++i) {
        const float radius = i % 2 == 0 ? 0.4f * std::sqrt(part(random)) : 1.26f * std::sqrt(part(random));
        const float angle = 2 * std::numbers::pi_v<float> * part(random);
        shell.push_back({radius * std::cos(angle), radius * std::sin(angle), 0, 0});
    }
    store(shell);
    renderer_->setTraits(std::vector<BodyTrait>(shell.size(), {placeOf(Population::old), 1}));
    const auto rgb = picture();
    const double pixels = kHeight / (2 * std::tan(camera.fieldOfView / 2)) / camera.distance;
    const auto at = [&](double radius) {
        double sum = 0;
        for (int k = 0; k < 360; ++k) {
            const double angle = k * std::numbers::pi / 180;
            const auto i = static_cast<std::size_t>(kWidth / 2 + pixels * radius * std::cos(angle));
            const auto j = static_cast<std::size_t>(kHeight / 2 + pixels * radius * std::sin(angle));
            sum += rgb[3 * (j * kWidth + i) + 1];
        }
        return sum / 360;
    };
    const double inside = at(0.1), outside = at(0.9);
    EXPECT_GT(inside, 1.5 * outside);
    // The fraction of the whole step within half of an arm's width.
    const double width = static_cast<double>(look.photograph.scale);
    double steepest = 0;
    for (double radius = 0.2; radius < 0.6; radius += 0.01)
        steepest = std::max(steepest, at(radius - 0.25 * width) - at(radius + 0.25 * width));
    EXPECT_LT(steepest, 0.6 * (inside - outside));
}

}  // namespace
}  // namespace gravlab::test
