// The messages of a script while it waits.
#include "app/session/player.h"

#include <gtest/gtest.h>

namespace gravlab {
namespace {

TEST(WaitNotice, isSaidOnceForEachLineThatTakesLong) {
    WaitNotice notice;
    const std::string wait = "wait run.step >= 1000000";
    EXPECT_EQ(notice.update(0, "", 0), "");
    EXPECT_EQ(notice.update(3, wait, 100), "");
    EXPECT_EQ(notice.update(3, wait, 109), "");
    EXPECT_EQ(notice.update(3, wait, 111), "line 3 still waits: wait run.step >= 1000000");
    EXPECT_EQ(notice.update(3, wait, 200), "") << "once is enough";
    EXPECT_EQ(notice.update(4, wait, 201), "") << "each line has ten seconds of its own";
    EXPECT_NE(notice.update(4, wait, 212), "");
    EXPECT_EQ(notice.update(0, "", 213), "");
    EXPECT_EQ(notice.update(4, wait, 240), "") << "of another wait";
}

}  // namespace
}  // namespace gravlab
