// Scale bar, clock and the names of the look on the command line.
#include "app/view/overlay.h"
#include "app/model/look.h"
#include "sim/core/error.h"

#include <gtest/gtest.h>

namespace gravlab {
namespace {

TEST(Overlay, scaleBarIsRoundAndNeverLongerThanAsked) {
    constexpr SceneUnits kNone;
    for (double most = 1e-6; most < 1e6; most *= 1.37)
        for (const SceneUnits& units : {kNone, kGalacticUnits, sceneNamed("solar-system").units}) {
            const RoundLength bar = roundLength(most, units);
            EXPECT_LE(bar.length, most * (1 + 1e-9));
            EXPECT_GT(bar.length, 0.39 * most);
            EXPECT_FALSE(bar.text.empty());
        }
    EXPECT_EQ(roundLength(7, kNone).text, "5 L");
    EXPECT_EQ(roundLength(23, kGalacticUnits).text, "20 kpc");
    EXPECT_EQ(roundLength(0.21, kGalacticUnits).text, "200 pc");
    EXPECT_EQ(roundLength(5400, kGalacticUnits).text, "5 Mpc");
    EXPECT_EQ(roundLength(0, kNone).length, 0);
    EXPECT_EQ(roundLength(NAN, kNone).length, 0);
}

TEST(Overlay, clockShowsTheScenesUnits) {
    EXPECT_EQ(clockText(1.5, {}), "t = 1.500");
    EXPECT_EQ(clockText(-12.25, {}), "t = -12.25");
    EXPECT_EQ(clockText(10, kGalacticUnits), "t = 47.15 Myr");
    EXPECT_EQ(clockText(1000, kGalacticUnits), "t = 4.715 Gyr");
    EXPECT_EQ(clockText(2 * 3.14159265, sceneNamed("solar-system").units), "t = 365.2 days");
}

TEST(LookOptions, namesAreUnderstoodAndWrongOnesNamed) {
    EXPECT_EQ(overlayText(parseOverlay({"clock", "scale"})), "scale,clock");
    EXPECT_EQ(overlayText(parseOverlay({"none"})), "none");
    EXPECT_EQ(overlayText(parseOverlay({"all"})), "legend,scale,clock,axes,grid");
    for (const ColourMode& mode : colourModes())
        EXPECT_EQ(&colourModes()[static_cast<std::size_t>(colourModeIndex(mode.name))], &mode);
    const auto refused = [](auto call) -> std::string {
        try {
            call();
        } catch (const UsageError& error) {
            return error.what();
        }
        return "";
    };
    EXPECT_NE(refused([] { parseOverlay({"klock"}); }).find("did you mean 'clock'"), std::string::npos);
    EXPECT_NE(refused([] { requireColourMode("sped"); }).find("'speed'"), std::string::npos);
    EXPECT_NE(refused([] { requireTone("aes"); }).find("'aces'"), std::string::npos);
    EXPECT_NE(refused([] { requireColourMap("embers"); }).find("'ember'"), std::string::npos);
    Look look;
    applyLook({.tone = "agx", .exposure = 2, .paper = true}, look);
    EXPECT_EQ(look.tone, ToneCurve::agx);
    EXPECT_EQ(look.exposure, 2);
    EXPECT_TRUE(look.paper);
}

}  // namespace
}  // namespace gravlab
