// What controls make of what hands do to them.
#include "app/ui/widgets.h"

#include <gtest/gtest.h>

namespace gravlab {
namespace {

constexpr DragRange kStep{.least = 1e-12, .most = 1e6, .bothSigns = true};

TEST(DragOfBothSigns, KeepsTheDirection) {
    for (const double sign : {1.0, -1.0}) {
        EXPECT_EQ(keptSign(sign * 0.01, sign * 0.02, false, kStep), sign * 0.02);
        EXPECT_EQ(keptSign(sign * 0.01, sign * -0.5, false, kStep), sign * 1e-12) << "over 0";
        EXPECT_EQ(keptSign(sign * 0.01, 0, false, kStep), sign * 1e-12);
        EXPECT_EQ(keptSign(sign * 0.01, sign * 1e9, false, kStep), sign * 1e6);
    }
}

TEST(DragOfBothSigns, TakesATypedSign) {
    EXPECT_EQ(keptSign(0.01, -0.02, true, kStep), -0.02);
    EXPECT_EQ(keptSign(-0.01, 0.02, true, kStep), 0.02);
    EXPECT_EQ(keptSign(-0.01, -1e-30, true, kStep), -1e-12);
    EXPECT_EQ(keptSign(-0.01, 0, true, kStep), 1e-12);
}

}  // namespace
}  // namespace gravlab
