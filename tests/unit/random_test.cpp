// The program's own random numbers.
#include "sim/core/random.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

namespace gravlab {
namespace {

constexpr int kDraws = 200000;

// Scenes are promised to be the same bytes for ever, so the numbers under them may never change.
static_assert(splitmix64(0) == 0);
static_assert(splitmix64(0x9e3779b97f4a7c15u) == 0xe220a8397b1dcdafu, "splitmix64's first output for seed 0");

TEST(RandomNumbers, aSeedAndStreamNameOneSequence) {
    Random a(7, 3), b(7, 3), otherSeed(8, 3), otherStream(7, 4);
    for (int i = 0; i < 100; ++i) {
        const std::uint64_t bits = a.bits();
        EXPECT_EQ(bits, b.bits());
        EXPECT_NE(bits, otherSeed.bits());
        EXPECT_NE(bits, otherStream.bits());
    }
}

TEST(RandomNumbers, uniformFillsItsRangeEvenly) {
    Random random(1);
    std::vector<int> bins(20);
    double sum = 0;
    for (int i = 0; i < kDraws; ++i) {
        const double u = random.uniform();
        ASSERT_GE(u, 0);
        ASSERT_LT(u, 1);
        sum += u;
        ++bins[static_cast<std::size_t>(u * 20)];
    }
    EXPECT_NEAR(sum / kDraws, 0.5, 4 * std::sqrt(1.0 / 12 / kDraws));
    double chiSquared = 0;
    for (const int bin : bins) chiSquared += (bin - kDraws / 20.0) * (bin - kDraws / 20.0) / (kDraws / 20.0);
    EXPECT_LT(chiSquared, 50) << "19 degrees of freedom";
}

TEST(RandomNumbers, firstNumbersOfNeighbouringStreamsAreUnrelated) {
    // Every body draws from its own stream; scenes are made of this sequence.
    double sum = 0, products = 0, previous = 0;
    for (int i = 0; i < kDraws; ++i) {
        const double u = Random(1, static_cast<std::uint64_t>(i)).uniform() - 0.5;
        sum += u;
        products += u * previous;
        previous = u;
    }
    EXPECT_NEAR(sum / kDraws, 0, 4 * std::sqrt(1.0 / 12 / kDraws));
    EXPECT_NEAR(products / kDraws, 0, 4 / 12.0 / std::sqrt(kDraws));
}

TEST(RandomNumbers, normalHasItsMoments) {
    Random random(2);
    double first = 0, second = 0, fourth = 0;
    for (int i = 0; i < kDraws; ++i) {
        const double g = random.normal();
        ASSERT_TRUE(std::isfinite(g));
        first += g;
        second += g * g;
        fourth += g * g * g * g;
    }
    EXPECT_NEAR(first / kDraws, 0, 4 / std::sqrt(kDraws));
    EXPECT_NEAR(second / kDraws, 1, 4 * std::sqrt(2.0 / kDraws));
    EXPECT_NEAR(fourth / kDraws, 3, 4 * std::sqrt(96.0 / kDraws));
}

TEST(RandomNumbers, directionsAreUnitVectorsWithoutPreference) {
    Random random(3);
    double x = 0, y = 0, z = 0, zz = 0;
    for (int i = 0; i < kDraws; ++i) {
        const Vec3d p = random.onSphere();
        ASSERT_NEAR(p.x * p.x + p.y * p.y + p.z * p.z, 1, 1e-14);
        x += p.x;
        y += p.y;
        z += p.z;
        zz += p.z * p.z;
    }
    const double slack = 4 / std::sqrt(3.0 * kDraws);
    EXPECT_NEAR(x / kDraws, 0, slack);
    EXPECT_NEAR(y / kDraws, 0, slack);
    EXPECT_NEAR(z / kDraws, 0, slack);
    EXPECT_NEAR(zz / kDraws, 1.0 / 3, slack);
}

}  // namespace
}  // namespace gravlab
