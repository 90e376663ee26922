// The reaction of controls to mouse and keys.
#include "app/ui/widgets.h"
#include "app/system/built_in.h"
#include "tests/files.h"
#include "tests/paths.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
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

/// Relative luminance of a colour (WCAG 2).
double luminance(ImU32 colour) {
    double sum = 0;
    constexpr double kWeights[] = {0.2126, 0.7152, 0.0722};
    for (int channel = 0; channel < 3; ++channel) {
        const double c = static_cast<double>(colour >> (8 * channel) & 255) / 255;
        sum += kWeights[channel] * (c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4));
    }
    return sum;
}

TEST(Palette, textThatCannotBeUsedIsReadable) {
    const double panel = luminance(IM_COL32(13, 16, 22, 255)), page = luminance(IM_COL32(246, 247, 249, 255));
    for (const palette::Colour& colour : {palette::kDisabled, palette::kMuted, palette::kText}) {
        EXPECT_GE((luminance(colour.usual) + 0.05) / (panel + 0.05), 3);
        EXPECT_GE((luminance(colour.contrasting) + 0.05) / 0.05, 3);
        EXPECT_GE((page + 0.05) / (luminance(colour.onWhite) + 0.05), 3);
    }
}

}  // namespace
}  // namespace gravlab
