// Characters that may be sent to a terminal.
#include "sim/core/text.h"

#include <gtest/gtest.h>

namespace gravlab {
namespace {

TEST(Printable, keepsLettersAndNothingElse) {
    EXPECT_EQ(printable("plain text, 1 < 2"), "plain text, 1 < 2");
    EXPECT_EQ(printable("gr\xc3\xbc\xc3\x9f dich \xe2\x98\x89 \xf0\x9f\x8c\x8c"),
              "gr\xc3\xbc\xc3\x9f dich \xe2\x98\x89 \xf0\x9f\x8c\x8c");
    EXPECT_EQ(printable("a\nb\tc"), "a b c");
    EXPECT_EQ(printable("\x1b]0;owned\x07\x1b[2J"), "?]0;owned??[2J");
    EXPECT_EQ(printable("\xc2\x9b"
                        "2J"),
              "?2J")
        << "the control sequence of the second set";
    EXPECT_EQ(printable("\xe2\x80\xae"
                        "x"),
              "?x")
        << "what turns the direction";
    EXPECT_EQ(printable("\xff\xc0\xaf\xed\xa0\x80 \xe2\x98"), "?????? ??") << "no UTF-8";
    EXPECT_EQ(printable(std::string_view("a\0b", 3)), "a?b");
}

}  // namespace
}  // namespace gravlab
