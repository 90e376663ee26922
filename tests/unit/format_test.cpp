// Texts made from formats.
#include "app/tables/format.h"

#include <gtest/gtest.h>

#include <string>

namespace gravlab {
namespace {

TEST(Format, isWhatPrintfWouldPrint) {
    EXPECT_EQ(formatted("none"), "none");
    EXPECT_EQ(formatted("%s", ""), "");
    EXPECT_EQ(formatted("%+.1f %% of %d", 2.25, 7), "+2.2 % of 7");
    EXPECT_EQ(formatted("%.17g", 0.1), "0.10000000000000001");
}

TEST(Median, ofAnEvenNumberIsBetweenTheTwoInTheMiddle) {
    EXPECT_EQ(median({}), 0);
    EXPECT_EQ(median({3}), 3);
    EXPECT_EQ(median({9, 1, 2}), 2);
    EXPECT_EQ(median({9, 1, 4, 2}), 3);
}

TEST(Format, nothingIsZeroWithoutDigits) {
    EXPECT_STREQ(milliseconds(0), "0");
    EXPECT_STREQ(milliseconds(0.0123), "0.012");
    EXPECT_STREQ(milliseconds(120), "120");
    EXPECT_STREQ(errorText(0), "0");
    EXPECT_STREQ(errorText(3.14e-16), "3.1e-16");
}

TEST(Format, cutsNothing) {
    const std::string much(5000, 'x');
    EXPECT_EQ(formatted("<%s> %d", much.c_str(), 3), "<" + much + "> 3");
}

}  // namespace
}  // namespace gravlab
