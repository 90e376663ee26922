// Wrapped texts: no number is broken at its decimal point, which ImGui's own wrapping does.
#include "app/ui/widgets.h"

#include "tests/files.h"
#include "tests/paths.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>
#include <string>

namespace gravlab {
namespace {

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

/// Every wrapped text of the panels goes through linesWithin().
TEST(TextLines, areTheOnlyWayToWrap) {
    namespace fs = std::filesystem;
    for (const auto& entry : fs::directory_iterator(fs::path(GRAVLAB_SOURCE_DIR) / "app/ui")) {
        const std::string text = contentOf(entry.path());
        if (entry.path().filename() != "widgets.cpp") {
            EXPECT_EQ(text.find("PushTextWrapPos"), std::string::npos) << entry.path();
        }
        EXPECT_EQ(text.find("TextWrapped"), std::string::npos) << entry.path();
    }
}

}  // namespace
}  // namespace gravlab
