// Scale bar, clock and the names of the look on the command line.
#include "app/ui/overlay.h"
#include "app/model/look.h"
#include "app/parameters/parameter.h"
#include "app/ui/overlay_space.h"
#include "render/colour_map.h"
#include "sim/api/errors.h"

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
    EXPECT_EQ(clockText(2.5e-6, {}), "t = 2.5e-06");
    EXPECT_EQ(clockText(10, kGalacticUnits), "t = 47.15 Myr");
    EXPECT_EQ(clockText(1000, kGalacticUnits), "t = 4.715 Gyr");
    EXPECT_EQ(clockText(2 * 3.14159265, sceneNamed("solar-system").units), "t = 365.2 days");
    // Plots and numbers beside the clock have the same time.
    for (const double time : {0.0, 10.0, 1000.0}) {
        const ShownUnit unit = unitOfTime(time, kGalacticUnits);
        EXPECT_EQ(clockText(time, kGalacticUnits).substr(clockText(time, kGalacticUnits).rfind(' ') + 1), unit.name);
    }
    EXPECT_EQ(unitOfTime(1000, kGalacticUnits).name, "Gyr");
    EXPECT_NEAR(unitOfTime(1000, kGalacticUnits).scale, 4.71486e-3, 1e-9);
    EXPECT_EQ(unitOfTime(3, {}).name, "T");
}

TEST(Overlay, namesAreUnderstoodAndWrongOnesNamed) {
    const Parameter& row = parameter("overlay.shown");
    const auto shown = [&](const char* text) { return checked(row, Value(std::string(text))); };
    EXPECT_EQ(shown("clock,scale"), Value(std::string("scale,clock")));
    EXPECT_EQ(shown("none"), Value(std::string("none")));
    EXPECT_EQ(shown(""), Value(std::string("none")));
    EXPECT_EQ(shown("all"), Value(std::string("legend,scale,clock,axes,grid,labels,velocities,forces")));
    for (const std::string& name : overlayNames()) EXPECT_EQ(overlayText(overlayOf(name)), name);
    const auto refused = [](const char* path, const char* text) -> std::string {
        try {
            checked(parameter(path), Value(std::string(text)));
        } catch (const UsageError& error) {
            return error.what();
        }
        return "";
    };
    EXPECT_NE(refused("overlay.shown", "scale, klock").find("unknown overlay 'klock'; did you mean 'clock'"),
              std::string::npos);
    EXPECT_NE(refused("look.colour_mode", "sped").find("unknown colour mode 'sped'; did you mean 'speed'"),
              std::string::npos);
    EXPECT_NE(refused("look.tone", "aes").find("'aces'"), std::string::npos);
    EXPECT_NE(refused("look.colour_map", "embers").find("'ember'"), std::string::npos);
}

TEST(Settings, areAppliedInTheOrderOfTheTable) {
    Document document;
    // The combined effect of --path, --views and --trails does not depend on their order.
    applySettings(document, {{"view.four", true},
                             {"look.tone", std::string("agx")},
                             {"look.exposure", 2.0},
                             {"look.white_page", true},
                             {"look.trails", std::int64_t{7}}});
    EXPECT_EQ(document.look.tone, ToneCurve::agx);
    EXPECT_EQ(document.look.exposure, 2);
    EXPECT_TRUE(document.look.paper);
    EXPECT_TRUE(document.fourViews);
    EXPECT_EQ(document.look.trails, 7) << "asked for, so four views bring none of their own";
    EXPECT_THROW(applySettings(document, {{"look.exposure", 0.0}}), UsageError);
}

TEST(Overlay, axesAreReadableOnPaper) {
    for (int axis = 0; axis < 3; ++axis) {
        const ImU32 colour = axisColour(axis, true);
        const auto channel = [&](int shift) { return static_cast<float>(colour >> shift & 255) / 255; };
        const glm::vec3 linear =
            linearFromSrgb({channel(IM_COL32_R_SHIFT), channel(IM_COL32_G_SHIFT), channel(IM_COL32_B_SHIFT)});
        const float light = 0.2126f * linear.r + 0.7152f * linear.g + 0.0722f * linear.b;
        EXPECT_GT(1.05f / (0.05f + light), 4.5f) << "contrast of text, axis " << axis;
    }
}

}  // namespace
}  // namespace gravlab
