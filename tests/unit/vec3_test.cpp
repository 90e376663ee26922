// The vector of three: its arithmetic, its care for extremes, and that it is usable at compile time.
#include "sim/api/vectors.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace gravlab {
namespace {

constexpr Vec3d kA{1, -2, 3}, kB{4, 5, -6};
static_assert(kA + kB == Vec3d{5, 3, -3} && kA - kB == Vec3d{-3, -7, 9} && -kA == Vec3d{-1, 2, -3});
static_assert(2.0 * kA == kA * 2.0 && kA / 2.0 == Vec3d{0.5, -1, 1.5});
static_assert(dot(kA, kB) == -24 && cross(kA, kB) == Vec3d{-3, 18, 13} && cross(kB, kA) == -cross(kA, kB));
static_assert(xyz(packed(kA, 7)) == kA && packed(kA, 7).w == 7 && packed(kA).w == 0);

TEST(Vec3Test, divisionRoundsOnce) {
    const Vec3d third = Vec3d{1, 2, 5} / 3;
    EXPECT_EQ(third, (Vec3d{1.0 / 3, 2.0 / 3, 5.0 / 3}));
    EXPECT_NE(third.z, 5 * (1.0 / 3)) << "a product with the reciprocal rounds twice";
}

TEST(Vec3Test, sumsGoFromLeftToRight) {
    EXPECT_EQ(dot(Vec3d{1e16, 1, -1e16}, Vec3d{1, 1, 1}), 0) << "(1e16 + 1) - 1e16, where 1e16 + 1 is 1e16";
}

TEST(Vec3Test, exactLengthNeitherUnderflowsNorOverflows) {
    EXPECT_EQ(length(Vec3d{3e-200, 4e-200, 0}), 0) << "its square is";
    EXPECT_DOUBLE_EQ(exactLength(Vec3d{3e-200, 4e-200, 0}), 5e-200);
    EXPECT_DOUBLE_EQ(exactLength(Vec3d{3e200, 4e200, 0}), 5e200);
    EXPECT_DOUBLE_EQ(distance(Vec3d{3e-200, 0, 0}, Vec3d{0, 4e-200, 0}), 5e-200);
    EXPECT_DOUBLE_EQ(distance(Double4{1, 2, 3, 100}, Double4{1, 2, 5, -100}), 2) << "w is no part of it";
}

TEST(Vec3Test, whatIsNotFiniteIsSeenInEachPlace) {
    EXPECT_TRUE(isFinite(kA));
    for (double Vec3d::*axis : {&Vec3d::x, &Vec3d::y, &Vec3d::z})
        for (const double bad : {std::numeric_limits<double>::infinity(), std::nan("")}) {
            Vec3d a = kA;
            a.*axis = bad;
            EXPECT_FALSE(isFinite(a));
        }
}

}  // namespace
}  // namespace gravlab
