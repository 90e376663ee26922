// The number of pictures per second that a window shows, while displays come and go.
#include "app/frontends/window/displays.h"

#include <gtest/gtest.h>

#include <vector>

namespace gravlab {
namespace {

const DisplayMode kMain{{0, 0, 1920, 1080}, 60};
const DisplayMode kSide{{1920, 0, 2560, 1440}, 144};

TEST(DisplayRate, isThatOfTheDisplayUnderTheWindow) {
    const std::vector<DisplayMode> both{kMain, kSide};
    DisplayRate rate;
    EXPECT_EQ(rate.rate(), 60) << "before a display is known";
    rate.update(both, {2000, 100, 800, 600});
    EXPECT_EQ(rate.rate(), 144);
    rate.update(both, {1800, 100, 800, 600});
    EXPECT_EQ(rate.rate(), 144) << "most of it is on the side display";
    rate.update(both, {100, 100, 800, 600});
    EXPECT_EQ(rate.rate(), 60);
    rate.update(std::vector{kSide}, {-5000, 0, 800, 600});
    EXPECT_EQ(rate.rate(), 144) << "outside all displays the first one counts";
}

TEST(DisplayRate, staysWithoutADisplay) {
    DisplayRate rate;
    rate.update(std::vector{kSide}, kSide.place);
    rate.update({}, kSide.place);
    EXPECT_EQ(rate.rate(), 144) << "the last display was unplugged";
    rate.update(std::vector<DisplayMode>{{kSide.place, 0}}, kSide.place);
    EXPECT_EQ(rate.rate(), 144) << "a display of an unknown rate";
    EXPECT_EQ(displayFor({}, kMain.place), nullptr);
    EXPECT_EQ(displayUnder(std::vector{kMain}, kSide.place), nullptr);
}

}  // namespace
}  // namespace gravlab
