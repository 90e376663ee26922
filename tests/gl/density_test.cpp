// The estimate of the local density against bodies with known density.
#include "gl_fixture.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace gravlab::test {
namespace {

class DensityTest : public GlTest {
protected:
    /// Densities of some bodies, sampled for the colours' range; of all bodies up to 2,048.
    std::vector<float> densities(const std::vector<ParticleVertex>& bodies, float mass, float size) {
        store(bodies);
        renderer_->setTraits(std::vector<BodyTrait>(bodies.size()));
        renderer_->setMasses(std::vector<float>(bodies.size(), mass));
        EXPECT_TRUE(renderer_->measureDensity(*buffer_, size));
        renderer_->sampleValues(*buffer_, true);
        std::vector<float> values;
        EXPECT_TRUE(renderer_->takeValues(values, true));
        return values;
    }
    static std::vector<ParticleVertex> box(std::size_t count, float side, float centre, unsigned seed) {
        std::mt19937 random(seed);
        std::uniform_real_distribution<float> place(centre - side / 2, centre + side / 2);
        std::vector<ParticleVertex> bodies(count);
        for (ParticleVertex& body : bodies) body = {place(random), place(random), place(random), 0};
        return bodies;
    }
    static float median(std::vector<float> values) {
        std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
        return values[values.size() / 2];
    }
};

TEST_F(DensityTest, UniformBoxHasItsDensityWhateverTheUnits) {
    for (const float side : {0.01f, 1.0f, 300.0f})
        for (const float mass : {1e-6f, 1.0f, 1e10f}) {
            const std::vector<float> found = densities(box(20000, side, 0.1f * side, 3), mass, 4 * side);
            const double expected = 20000.0 * static_cast<double>(mass) / std::pow(static_cast<double>(side), 3);
            EXPECT_NEAR(median(found) / expected, 1, 0.15) << "side " << side << ", mass " << mass;
            std::size_t far = 0;
            for (const float value : found) far += !(std::abs(std::log2(value / expected)) < 1.3);
            EXPECT_LT(far, found.size() / 10) << "more than a few are wrong by more than what borders explain";
        }
}

TEST_F(DensityTest, RangesOverManyPowersOfTenAreSeen) {
    // A dense box in a thin one: 10,000 bodies each, a volume ratio of a million.
    std::vector<ParticleVertex> bodies = box(10000, 100, 0, 5);
    const std::vector<ParticleVertex> dense = box(10000, 1, 3.3f, 6);
    bodies.insert(bodies.end(), dense.begin(), dense.end());
    const std::vector<float> found = densities(bodies, 1, 100);
    const auto half = static_cast<std::ptrdiff_t>(found.size() / 2);
    EXPECT_NEAR(std::log10(median({found.begin(), found.begin() + half})), -2, 0.15);
    EXPECT_NEAR(std::log10(median({found.begin() + half, found.end()})), 4, 0.15);
}

TEST_F(DensityTest, FewBodiesCoincidentOnesAndNonNumbersHaveAnAnswer) {
    for (const std::size_t count : {1u, 2u, 31u, 33u, 500u}) {
        const std::vector<float> same = densities(std::vector<ParticleVertex>(count, {1, 2, 3, 0}), 1, 5);
        for (const float value : same) EXPECT_TRUE(std::isfinite(value) && value > 0) << count;
    }
    const float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
    for (const float value : densities({{nan, 0, 0, 0}, {0, inf, 0, 0}, {1e30f, 0, 0, 0}, {0, 0, 0, 0}}, 1, 5))
        EXPECT_TRUE(std::isfinite(value) && value >= 0);
}

TEST_F(DensityTest, MassesOfOtherBodiesAreRefused) {
    store({{0, 0, 0, 0}, {1, 0, 0, 0}});
    EXPECT_FALSE(renderer_->measureDensity(*buffer_, 1)) << "neither traits nor masses";
    renderer_->setTraits(std::vector<BodyTrait>(2));
    renderer_->setMasses(std::vector<float>(3, 1));
    EXPECT_FALSE(renderer_->measureDensity(*buffer_, 1));
    renderer_->setMasses(std::vector<float>(2, 0));
    EXPECT_FALSE(renderer_->measureDensity(*buffer_, 1)) << "no mass at all";
    renderer_->setMasses(std::vector<float>(2, 1));
    EXPECT_TRUE(renderer_->measureDensity(*buffer_, 1));
}

}  // namespace
}  // namespace gravlab::test
