// The reaction of controls to mouse and keys.
#include "app/ui/widgets.h"
#include "app/system/built_in.h"
#include "tests/files.h"
#include "tests/paths.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <regex>
#include <string>

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

/// Text typed in the window must not appear in the panels of a film beside it.
TEST(PanelState, BelongsToItsPanels) {
    struct Typed {
        std::string text;
    };
    Widgets window, film;
    window.kept<Typed>().text = "own";
    EXPECT_EQ(window.kept<Typed>().text, "own");
    EXPECT_EQ(film.kept<Typed>().text, "");
    // State in a function would belong to all panels of the process. Maps of constant texts are allowed.
    const std::regex shared(R"(\n +static (?!constexpr|const |std::(unordered_)?map)[^;({]*[;={])");
    for (const auto& entry : std::filesystem::directory_iterator(GRAVLAB_SOURCE_DIR "/app/ui")) {
        std::smatch found;
        const std::string text = contentOf(entry.path());
        EXPECT_FALSE(std::regex_search(text, found, shared)) << entry.path() << ": " << found.str();
    }
}

// The program has the fonts of panels and pictures, whatever the system has.

TEST(Fonts, areInTheProgram) {
    if (std::getenv("GRAVLAB_FONT")) GTEST_SKIP() << "GRAVLAB_FONT names another font";
    const std::string program = contentOf(GRAVLAB_BINARY);
    ASSERT_FALSE(program.empty());
    for (const FontBytes font : {textFont(), monoFont()}) {
        ASSERT_GT(font.size(), 100000u);
        EXPECT_EQ(font[0], 0);
        EXPECT_EQ(font[1], 1) << "a TrueType file begins so";
        const std::string bytes(font.begin(), font.end());
        EXPECT_NE(program.find(bytes), std::string::npos);
    }
    EXPECT_NE(textFont().data(), monoFont().data());
}

}  // namespace
}  // namespace gravlab
