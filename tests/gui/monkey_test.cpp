// A short run of tests/monkey.sh; start the long one by hand: tests/monkey.sh 10000 SEED build-dev/gravlab.
#include "gui_fixture.h"
#include "tests/paths.h"

namespace gravlab::test {
namespace {

using namespace std::chrono_literals;

TEST_F(GuiTest, bearsThreeHundredRandomEvents) {
    if (!installed("Xvfb")) GTEST_SKIP() << "random clicks go to a virtual display only, and there is no Xvfb";
    Process monkey({GRAVLAB_SOURCE_DIR "/tests/monkey.sh", "300", "1", GRAVLAB_BINARY}, {}, folder / "gravlab.log");
    EXPECT_EQ(monkey.wait(280s), 0);
}

}  // namespace
}  // namespace gravlab::test
