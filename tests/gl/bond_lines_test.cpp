// Bonds as lines between bodies, coloured by strain.
#include "render/bond_lines.h"
#include "gl_fixture.h"

#include <cmath>
#include <limits>
#include <vector>

namespace gravlab::test {
namespace {

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
