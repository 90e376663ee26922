// Numbers beside the plot of the rate have at most five letters.
#include "app/tables/unit_text.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstring>

namespace gravlab::test {
namespace {

TEST(RateUnit, numbersFitBesideThePlot) {
    for (float most = 1.1e-6f; most < 9e5f; most *= 1.0007f) {
        char text[32];
        std::snprintf(text, sizeof text, "%.3g", static_cast<double>(most / rateUnit(most).size));
        ASSERT_LE(std::strlen(text), 5u) << text << " for " << most << " G";
    }
    EXPECT_STREQ(rateUnit(1.1f).name, "G interactions/s");
    EXPECT_STREQ(rateUnit(0.9997f).name, "G interactions/s") << "1e+03 M";
    EXPECT_STREQ(rateUnit(0.999f).name, "M interactions/s");
}

}  // namespace
}  // namespace gravlab::test
