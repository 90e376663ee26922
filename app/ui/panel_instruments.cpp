// The strip at the bottom for galaxies: rotation, density and dispersions over the radius.
#include "app/plots/plot.h"
#include "app/plots/profile_plot.h"
#include "app/services/instruments.h"
#include "app/tables/format.h"
#include "app/tables/unit_text.h"
#include "app/ui/panels.h"
#include "app/ui/parameter_widgets.h"
#include "render/colour_map.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

namespace gravlab {
namespace {

constexpr Control kGroups{"groups", "Groups",
                          "Groups of bodies, friends of friends, the largest first: bodies, mass, radius (root mean square) "
                          "and velocity dispersion, at the named step. The square has the colour of the colour mode group"};

constexpr Control kAbout{"instruments", "Instruments",
                         "Measured in double precision about the centre chosen here, in rings around the axis of rotation, "
                         "at most once a second and beside the run; for large N from a sample. Stars only; dark matter "
                         "contributes to the force. Order: 1 if all rotate one way, near 0 in a sphere. Key: Ctrl J"};
constexpr std::array<Control, 4> kPlots{
    {{"instruments_rotation", "Rotation",
      "Dots: mean tangential velocity of the stars. Lines: the velocity of circular orbits, from the radial force in the "
      "plane, and from the mass within a sphere of that radius"},
     {"instruments_density", "Surface density",
      "Mass of stars in a ring over its area; a straight line is an exponential disc"},
     {"instruments_dispersion", "Dispersion", "Dispersion of the radial velocity (R) and of the vertical one (z) in a ring"},
     {"instruments_q", "Toomre Q",
      "sigma_R kappa / (3.36 G Sigma) of the disc: below 1 a thin disc breaks into clumps. Only for bodies in a disc"}}};

/// Short names of curves.
constexpr std::pair<std::string_view, const char*> kBriefNames[] = {
    {"measured", "stars"}, {"v_c, radial force", "force"}, {"v_c, mass within", "mass"}, {"sigma_R", "R"}, {"sigma_z", "z"}};

void drawChoice(PanelContext& p) {
    const float s = p.widgets.scale();
    parameter(p, "instruments.centre", {.width = 118 * s});
    ImGui::SameLine();
    if (p.facts.galaxies < 2) return;
    parameter(p, "instruments.galaxy", {.width = 88 * s});
    ImGui::SameLine();
}

std::string sampleText(const Profile& profile) {
    const std::string looked(grouped(profile.sampled).text), all(grouped(profile.bodies).text);
    const std::string rotation = formatted(" bodies, rotation %.0f %% one way", 100 * profile.order);
    return (profile.sampled < profile.bodies ? looked + " of " + all : all) + rotation;
}

/// The age of the shown profile, in steps of the run.
std::string ageText(std::int64_t measured, std::int64_t now) {
    const std::int64_t steps = now - measured;
    if (steps <= 0) return "of this step";
    return std::string(grouped(static_cast<std::uint64_t>(steps)).text) + (steps == 1 ? " step ago" : " steps ago");
}

void drawPlots(PanelContext& p, const Profile& profile, float width) {
    const float s = p.widgets.scale();
    constexpr float kNarrowest = 105;  // pixels at scale 1; a narrower plot is unreadable
    std::array<Plot, 4> plots = profilePlots(profile, p.facts.scene->units);
    // Q is for discs; without a disc the other plots get its space.
    const std::size_t all = plots[3].series.empty() ? 3 : 4;
    const float gap = 6 * s, tall = ImGui::GetContentRegionAvail().y;
    const auto fit = static_cast<std::size_t>(std::max(1.0f, (width + gap) / (kNarrowest * s + gap)));
    const std::size_t shown = std::min(all, fit);
    const float wide = (width - gap * static_cast<float>(shown - 1)) / static_cast<float>(shown);
    for (std::size_t k = 0; k < shown; ++k) {
        if (k > 0) ImGui::SameLine(0, gap);
        Plot& plot = plots[k];
        // Short titles with the unit: a strip has no room for labels at the axes.
        static constexpr const char* kTitles[] = {"Rotation", "Density", "Dispersion", "Toomre Q"};
        const std::size_t bracket = plot.y.label.find('[');
        plot.title = kTitles[k];
        if (k < 3)
            plot.title += bracket == std::string::npos ? " [" + plot.y.label + "]" : " " + plot.y.label.substr(bracket);
        // A legend must leave room for the curves; the tooltip explains them.
        for (PlotSeries& series : plot.series)
            for (const auto& [usual, brief] : kBriefNames)
                if (series.label == usual) series.label = brief;
        plot.x.label.clear();
        plot.y.label.clear();
        drawStripPlot(p, kPlots[k], plot, wide, tall, plot.series.size() > 1);
    }
}

/// "3 groups of 10 or more, of this step".
std::string groupsText(const KnownGroups& known, std::int64_t now) {
    const std::string count(grouped(known.table.groups.size()).text), least(grouped(known.least).text);
    return count + (known.table.groups.size() == 1 ? " group of " : " groups of ") + least + " or more, " +
           (now == known.step ? "of this step"
                              : "of step " + std::string(grouped(static_cast<std::uint64_t>(known.step)).text));
}

constexpr float kGroupsWidth = 268;  // pixels at scale 1

void drawGroups(PanelContext& p, const KnownGroups& known) {
    const float s = p.widgets.scale(), line = ImGui::GetTextLineHeight() + 2 * s;
    const SceneUnits& units = p.facts.scene->units;
    const ImVec2 from = ImGui::GetCursorScreenPos(), room = ImGui::GetContentRegionAvail();
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const bool here = known.ids == p.facts.bodies->id;
    p.widgets.text(kGroups, palette::kMuted,
                   here ? groupsText(known, p.facts.step).c_str() : "The bodies have changed: find groups again.");
    if (!here) return;
    const float right[] = {54 * s, 128 * s, 180 * s, kGroupsWidth * s};  // right edges of the columns
    const auto cells = [&](float top, const std::string(&text)[4], ImU32 colour) {
        for (std::size_t k = 0; k < 4; ++k) {
            const float wide = ImGui::CalcTextSize(text[k].c_str()).x;
            list.AddText(ImVec2(from.x + right[k] - wide, top), colour, text[k].c_str());
        }
    };
    const auto head = [](const char* what, std::string_view unit) {
        return std::string(what) + (unit.empty() ? "" : " [" + std::string(unit) + "]");
    };
    float top = from.y + line;
    cells(top, {"bodies", head("mass", units.mass), head("r", units.length), head("sigma", units.speed)}, palette::kMuted);
    const auto colours = linearColours(categoryMap());
    for (const BodyGroup& group : known.table.groups) {
        top += line;
        if (top + line > from.y + room.y) break;
        const std::size_t band = groupBand(known.ids[group.label]);
        const glm::vec3 c = srgbFromLinear(colours[(2 * band + 1) * kColourMapSize / (2 * kCategories)]);
        list.AddRectFilled(ImVec2(from.x, top + 3 * s), ImVec2(from.x + 10 * s, top + 13 * s),
                           ImGui::ColorConvertFloat4ToU32(ImVec4(c.x, c.y, c.z, 1)));
        cells(top,
              {grouped(group.members).text, threeDigits(group.mass * units.massScale),
               threeDigits(group.radius * units.lengthScale), threeDigits(group.dispersion * units.speedScale)},
              palette::kText);
    }
}

/// The button and its settings, at the right of the line.
void drawFindGroups(PanelContext& p) {
    const float s = p.widgets.scale(), wide = 88 * s;
    const float at = ImGui::GetWindowWidth() - wide - 10 * s;
    ImGui::SameLine();
    // Without room after the preceding text, the menu still has this action.
    if (ImGui::GetCursorPosX() > at) return ImGui::NewLine();
    ImGui::SetCursorPosX(at);
    action(p, "find-groups", wide, p.facts.findingGroups ? "Finding" : nullptr);
}

}  // namespace

void drawInstruments(PanelContext& p) {
    const float s = p.widgets.scale();
    if (beginStrip(p, "instruments")) {
        drawChoice(p);
        const Profile* profile = p.readouts.profile;
        const std::string unit = p.facts.scene->units.length.empty() ? "L" : std::string(p.facts.scene->units.length);
        std::string text = "measuring";
        if (profile && !profile->why.empty())
            text = profile->why;
        else if (profile)
            text = "R in " + unit + "; " + sampleText(*profile) + ", " + ageText(p.readouts.profileStep, p.facts.step);
        p.widgets.text(kAbout, palette::kMuted, text);
        drawFindGroups(p);
        const float all = ImGui::GetContentRegionAvail().x;
        const float groups = p.facts.groups ? (kGroupsWidth + 10) * s : 0;
        const ImVec2 corner = ImGui::GetCursorPos();
        if (profile && profile->why.empty()) drawPlots(p, *profile, all - groups);
        if (p.facts.groups) {
            ImGui::SetCursorPos(ImVec2(corner.x + all - kGroupsWidth * s, corner.y));
            drawGroups(p, *p.facts.groups);
        }
        endStrip();
    }
}

}  // namespace gravlab
