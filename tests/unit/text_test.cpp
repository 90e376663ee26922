// Characters that may be sent to a terminal.
#include "sim/core/text.h"
#include "app/system/file_names.h"
#include "app/tables/format.h"
#include "app/ui/widgets.h"
#include "cli_support.h"
#include "tests/surroundings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>
#include <string>

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

// Texts made from formats.

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

// Wrapped texts: no number is broken at its decimal point, which ImGui's own wrapping does.

const std::string kText =
    "First to t = 50 with a time step of 0.0001: 500,000 steps; closest pair 0.00458 kpc, after 43.42 Myr.\n\nbuild 0.431";

/// Whether a line ends within a number.
bool breaksNumber(const std::string& lines) {
    for (std::size_t i = 2; i + 1 < lines.size(); ++i)
        if (lines[i] == '\n' && (lines[i - 1] == '.' || lines[i - 1] == ',') && std::isdigit(lines[i - 2]) != 0 &&
            std::isdigit(lines[i + 1]) != 0)
            return true;
    return false;
}

TEST(TextLines, breakNoNumber) {
    ImFontAtlas atlas;
    const ImFont& font = *atlas.AddFontDefault();
    atlas.Build();
    const float size = font.FontSize;
    bool ownWrappingBreaks = false;
    for (float width = 60; width < 500; width += 1) {
        const std::string lines = linesWithin(font, size, kText, width);
        EXPECT_FALSE(breaksNumber(lines)) << width << ":\n" << lines;
        std::string words = lines;
        for (char& c : words) c = c == '\n' ? ' ' : c;
        std::string all = kText;
        for (char& c : all) c = c == '\n' ? ' ' : c;
        EXPECT_EQ(words, all) << "only blanks became ends of lines";
        std::istringstream each(lines);
        for (std::string line; std::getline(each, line);) {
            EXPECT_LE(font.CalcTextSizeA(size, 1e9f, 0, line.c_str()).x, width) << line;
            EXPECT_EQ(font.CalcWordWrapPositionA(1, line.data(), line.data() + line.size(), width),
                      line.data() + line.size())
                << "ImGui would break '" << line << "' again at " << width;
        }
        const char* end = kText.data() + kText.size();
        for (const char* at = kText.data(); at < end;) {
            const char* next = font.CalcWordWrapPositionA(1, at, end, width);
            if (next == at || next == end) break;
            ownWrappingBreaks = ownWrappingBreaks || (next[-1] == '.' && std::isdigit(*next) != 0);
            at = next + (*next == ' ' || *next == '\n');
        }
    }
    EXPECT_TRUE(ownWrappingBreaks) << "ImGui's own wrapping no longer breaks numbers: linesWithin() can go";
    EXPECT_EQ(linesWithin(font, size, "a.verylongname.csv", 20), "a.verylongname.csv");
    EXPECT_EQ(linesWithin(font, size, "", 20), "");
}

// Names of files that keys write.

TEST(TimedName, IsNeverThatOfAFileThatIsThere) {
    const ScratchFolder folder;
    const CurrentFolder inside(folder.path());
    constexpr int kFiles = 5;  // within a second or two, so that some have the same time
    for (int i = 0; i < kFiles; ++i) {
        const std::string name = timedName("gravlab", ".png");
        EXPECT_FALSE(fs::exists(name)) << name;
        EXPECT_THAT(name, testing::MatchesRegex("gravlab-[0-9]+-[0-9]+(-[0-9]+)?\\.png"));
        std::ofstream(name) << i;
    }
    EXPECT_EQ(folder.entries(), static_cast<std::size_t>(kFiles));
}

TEST(TimedName, TakesNoNameOfALinkThatLeadsNowhereAndNoneOfAFolder) {
    const ScratchFolder folder;
    const CurrentFolder inside(folder.path());
    for (int i = 0; i < 3; ++i) fs::create_symlink("nowhere", timedName("gravlab", ".png"));
    for (int i = 0; i < 3; ++i) fs::create_directory(timedName("gravlab", ""));
    EXPECT_EQ(folder.entries(), 6u);
}

/// A folder that cannot be read, a name that is too long: no name is free then, and none is returned.
TEST(TimedName, EndsWhereTheSystemCannotSay) {
    const ScratchFolder folder;
    const CurrentFolder inside(folder.path());
    const std::string endless(300, 'a');
    std::error_code error;
    ASSERT_NE(fs::symlink_status(endless, error).type(), fs::file_type::not_found);
    EXPECT_TRUE(timedName(endless, ".png").starts_with(endless)) << "writing it will say why not";
}

TEST(TimedName, HasPlainLettersOnly) {
    EXPECT_EQ(plainName("two bodies/x"), "two-bodies-x");
    EXPECT_EQ(plainName("../../etc"), "------etc");
    EXPECT_EQ(plainName(""), "run");
    EXPECT_EQ(plainName(std::string(100, 'a')).size(), 40u);
}

}  // namespace
}  // namespace gravlab
