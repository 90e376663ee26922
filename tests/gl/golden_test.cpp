// A small fixed scene against a stored picture. GRAVLAB_WRITE_GOLDEN=1 stores the present picture: look at it before you
// commit it.
#include "app/system/picture.h"
#include "gl_fixture.h"
#include "picture_difference.h"
#include "tests/paths.h"

#include <cmath>
#include <cstdlib>
#include <numbers>

namespace gravlab::test {
namespace {

constexpr int kGoldenWidth = 240, kGoldenHeight = 160;

/// A tilted two-armed spiral of 600 bodies with a core; inner bodies are faster.
std::vector<ParticleVertex> spiral() {
    std::vector<ParticleVertex> bodies;
    for (int i = 0; i < 600; ++i) {
        const double s = (i + 0.5) / 600, radius = 0.05 + 1.6 * s * s;
        const double angle = 5 * std::sqrt(radius) + (i % 2 ? std::numbers::pi : 0) + 0.35 * std::sin(12.9898 * i);
        bodies.push_back({static_cast<float>(radius * std::cos(angle)), static_cast<float>(radius * std::sin(angle)),
                          static_cast<float>(0.05 * std::sin(78.233 * i)), static_cast<float>(1 - s)});
    }
    return bodies;
}

class GoldenTest : public GlTest {
protected:
    void SetUp() override {
        GlTest::SetUp();
        camera.distance = 4;
        camera.elevation = 0.8f;
        look.pointSize = 0.03f;
        look.colourMap = 0;
        look.bloom = 0.3f;
    }
};

TEST_F(GoldenTest, SpiralLooksAsStored) {
    const std::string path = GRAVLAB_SOURCE_DIR "/tests/golden/spiral.png";
    store(spiral());
    const auto now = shown(kGoldenWidth, kGoldenHeight);
    if (const char* write = std::getenv("GRAVLAB_WRITE_GOLDEN"); write && *write == '1')
        writePng(path, now, kGoldenWidth, kGoldenHeight);
    const Picture golden = readPng(path);
    ASSERT_EQ(golden.width, kGoldenWidth);
    ASSERT_EQ(golden.height, kGoldenHeight);
    const Difference difference = compare(now, golden.rgb);
    EXPECT_TRUE(difference.small()) << "mean " << difference.mean << ", far pixels " << difference.far;
}

TEST_F(GoldenTest, ComparisonCatchesOneMovedBodyAndOneWrongSetting) {
    auto bodies = spiral();
    store(bodies);
    const auto right = shown(kGoldenWidth, kGoldenHeight);
    bodies[550].x += 0.15f;
    store(bodies);
    EXPECT_FALSE(compare(right, shown(kGoldenWidth, kGoldenHeight)).small()) << "a moved body";
    store(spiral());
    look.bloom = 0;
    EXPECT_FALSE(compare(right, shown(kGoldenWidth, kGoldenHeight)).small()) << "no bloom";
    look.bloom = 0.3f;
    look.colourMap = 1;
    EXPECT_FALSE(compare(right, shown(kGoldenWidth, kGoldenHeight)).small()) << "another colour map";
    look.colourMap = 0;
    camera.azimuth += 0.01f;
    EXPECT_FALSE(compare(right, shown(kGoldenWidth, kGoldenHeight)).small()) << "another camera";
    camera.azimuth -= 0.01f;
    EXPECT_TRUE(compare(right, shown(kGoldenWidth, kGoldenHeight)).small());
}

}  // namespace
}  // namespace gravlab::test
