// Quantiles of frame times: exact for known lists, blind to the first frames.
#include "app/services/telemetry.h"

#include <gtest/gtest.h>

namespace gravlab {
namespace {

TEST(FrameTimes, AreTheQuantilesOfWhatCameAfterTheStart) {
    FrameTimes times;
    EXPECT_EQ(times.text(), "");
    for (int k = 0; k < 20; ++k) times.add(9);  // the start
    EXPECT_EQ(times.text(), "") << "there is nothing to tell yet";
    for (int k = 100; k >= 1; --k) times.add(1e-3 * k);
    EXPECT_EQ(times.quantile(0.5), 0.050);
    EXPECT_EQ(times.quantile(0.99), 0.099);
    EXPECT_EQ(times.quantile(1), 0.100);
    // 100 frames in 5.05 s
    EXPECT_EQ(times.text(),
              "19.8 a second, median 50.00 ms, 99 % within 99.00 ms, longest 100.00 ms (100 frames, the first 20 left out)");
}

}  // namespace
}  // namespace gravlab
