// The line at the bottom, and over the picture: messages, and the offers at the end of a story.
#include "app/tables/format.h"
#include "app/tables/unit_text.h"
#include "app/ui/parameter_widgets.h"
#include "sim/backends/block_figures.h"

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace gravlab {
namespace {

constexpr Control kAutomatic{"automatic_step", "Automatic step",
                             "The last step of radau15. It chooses its own steps and is interpolated at every dt"};

// Below this number of steps per second users wait for each step and want to see its progress.
constexpr double kSlowSteps = 3;

constexpr auto kStatusWindow = kPanelWindow | ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse;
constexpr auto kNoticeWindow = kStatusWindow | ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoFocusOnAppearing;

/// "cpu / tree", and " 32, 99 % within 0.1 %".
std::pair<std::string, std::string> computesText(const PanelContext& p) {
    const RunConfiguration& now = p.facts.configuration;
    const KernelRow& kernel = *p.facts.kernel;
    std::string launch;
    if (kernel.blocks.last != 1) launch = " " + std::to_string(now.pairs().kernel.launch.block);
    if (kernel.blocks.last != 1 && !kernel.unrolls.empty()) launch += " x " + unrollText(now.pairs().kernel.launch.unroll);
    if (kernel.approximates)
        launch += formatted(", 99 %% within %.3g %%",
                            100 * keptAccuracy(kernel, now.force, now.pairs().accuracy, now.pairs().opening));
    if (kernel.byCutOff) launch += ", pairs within the cut-off";
    return {now.backend + " / " + now.pairs().kernel.kernel, launch};
}

/// A text of the line. Where the line is short, those with the least weight go first.
struct StatusPart {
    int weight;
    std::string text;
    ImU32 colour = palette::kMuted;
    const Control* control = nullptr;  ///< has its tooltip
};

/// Scene, N and a lowered look; the others belong to Measure.
std::vector<StatusPart> statusParts(PanelContext& p) {
    const RunConfiguration& now = p.facts.configuration;
    std::vector<StatusPart> parts{{9, now.scene, palette::kText},
                                  {5, "N " + std::string(grouped(now.bodies)), palette::kText}};
    if (p.state.depth == Depth::measure) {
        const auto [computes, launch] = computesText(p);
        parts.push_back({1, computes, palette::kText});
        parts.push_back({0, launch});
        parts.push_back({8,
                         "step " + std::string(grouped(static_cast<std::uint64_t>(std::max<std::int64_t>(p.facts.step, 0)))),
                         palette::kText});
    }
    if (p.facts.stepProgress > 0 && p.facts.stepsPerSecond < kSlowSteps)
        parts.push_back({4, formatted("step + %.0f %%", 100 * p.facts.stepProgress)});
    if (isAdaptive(p.facts.integrator->program) && p.facts.innerStep > 0) {
        const ShownUnit unit = unitOfTime(p.facts.innerStep, p.facts.scene->units);
        parts.push_back({6, formatted("automatic step %.3g %s", p.facts.innerStep * unit.scale, unit.name.c_str()),
                         palette::kText, &kAutomatic});
    }
    if (const int levels = levelsIn(p.facts.figures); inBlocks(p.facts.integrator->program) && levels > 0)
        parts.push_back({2, formatted("%d rung%s, %.3g forces a body and step", levels, levels == 1 ? "" : "s",
                                      figureNamed(p.facts.figures, kForcesOfABody))});
    if (!p.facts.quality.empty()) parts.push_back({7, p.facts.quality, palette::kWarning});
    return parts;
}

/// The lower edge of the picture's free area, above its scale and clock.
struct Place {
    ImVec2 bottom;  ///< its middle
    float width;    ///< of a text there
};

Place overPicture(const PanelContext& p) {
    const float s = p.widgets.scale();
    const PicturePart& free = p.free;
    const bool between = free.width > 0 && free.height > 0;
    const float middle =
        between ? static_cast<float>(free.left) + 0.5f * static_cast<float>(free.width) : 0.5f * p.surface.x;
    const float edge = between ? static_cast<float>(free.top + free.height) : p.surface.y - kBottomHeight * s;
    const float wide = (between ? static_cast<float>(free.width) : p.surface.x) - 4 * kMargin * s;
    return {ImVec2(middle, edge - (kMargin + 34) * s), std::clamp(wide, 240 * s, 560 * s)};
}

}  // namespace

void drawStatusLine(PanelContext& p) {
    const float s = p.widgets.scale();
    ImGui::SetNextWindowPos(ImVec2(0, p.surface.y - kStatusHeight * s));
    ImGui::SetNextWindowSize(ImVec2(p.surface.x, kStatusHeight * s));
    ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2((kMargin + 8) * s, 4 * s));
    if (const PanelWindow window(p, "status", kStatusWindow | ImGuiWindowFlags_NoFocusOnAppearing); window) {
        const Letters letters(p.widgets.fonts().small);
        std::vector<StatusPart> parts = statusParts(p);
        const float room = p.surface.x - 2 * (kMargin + 8) * s, gap = 12 * s;
        const auto width = [&] {
            float sum = 0;
            for (const StatusPart& part : parts) sum += ImGui::CalcTextSize(part.text.c_str()).x + gap;
            return sum - gap;
        };
        while (parts.size() > 1 && width() > room) parts.erase(std::ranges::min_element(parts, {}, &StatusPart::weight));
        for (const StatusPart& part : parts) {
            if (&part != &parts.front()) ImGui::SameLine(0, gap);
            p.widgets.wrapped(part.colour, part.text);
            if (part.control) p.widgets.finish(*part.control);
        }
        const char* hint = "F1 keys    F10 menus    Tab picture alone";
        const float right = p.surface.x - ImGui::CalcTextSize(hint).x - (kMargin + 8) * s;
        if (ImGui::GetItemRectMax().x + 20 * s < right) {
            ImGui::SameLine(right);
            colouredText(palette::kMuted, hint);
        }
    }
    ImGui::PopStyleVar(3);
}

void drawMessage(PanelContext& p) {
    if (p.document.message.empty()) return;
    const Place place = overPicture(p);
    placePanel(place.bottom, ImVec2(0.5f, 1), place.width, p.surface.y);
    ImGui::PushStyleVar(ImGuiStyleVar_Alpha, std::max(p.document.messageLight(), 0.02f));
    if (const PanelWindow window(p, "message", kNoticeWindow, 0.95f); window) {
        p.widgets.wrapped(p.document.warning ? palette::kWarning : palette::kText, p.document.message);
        if (p.document.warning) action(p, "dismiss", 0, "Close");
    }
    ImGui::PopStyleVar();
}

/// A question over the picture, and its answers.
void drawDoubt(PanelContext& p, const char* name, const std::string& text, const std::function<void()>& answers) {
    const Place place = overPicture(p);
    placePanel(place.bottom, ImVec2(0.5f, 1), place.width, p.surface.y);
    if (const PanelWindow window(p, name, kNoticeWindow, 0.95f); window) {
        p.widgets.wrapped(palette::kText, text);
        answers();
    }
}

/// The question about the units of bodies without units, and its answers.
void drawUnitsDoubt(PanelContext& p) {
    if (!p.state.inWindow || !p.document.unitsInDoubt() || !p.document.message.empty() || p.document.labPanel.open) return;
    const UnitsDoubt& doubt = p.facts.configuration.start->doubt;
    // The option is only for the command line.
    const std::string question = doubt.question.substr(0, doubt.question.find(" --units"));
    drawDoubt(p, "units", "These bodies are " + question, [&] {
        if (!doubt.units.empty()) {
            action(p, "reopen-units", 0, "Yes, open again");
            ImGui::SameLine();
        }
        action(p, "units-fine", 0);
    });
}

/// The question about steps that do not follow the orbits of few bodies, and its answers.
bool drawOrbitsDoubt(PanelContext& p) {
    if (!p.state.inWindow || p.document.unitsInDoubt() || !p.document.message.empty() || p.document.labPanel.open)
        return false;
    const std::string why = p.document.orbitsInDoubt();
    if (why.empty()) return false;
    drawDoubt(p, "orbits", std::string(p.facts.integrator->name) + " is in use, and " + why + ".", [&] {
        action(p, "use-radau15", 0);
        ImGui::SameLine();
        action(p, "orbits-fine", 0);
    });
    return true;
}

void drawStory(PanelContext& p) {
    drawUnitsDoubt(p);
    if (drawOrbitsDoubt(p) || p.document.unitsInDoubt() || p.state.depth != Depth::watch || p.facts.twin.on ||
        !p.state.inWindow || !p.document.storyEnded() || !p.document.message.empty() || p.document.labPanel.open ||
        p.document.lesson.shown() || p.state.asksFirst())
        return;
    ImGui::SetNextWindowPos(overPicture(p).bottom, ImGuiCond_Always, ImVec2(0.5f, 1));
    if (const PanelWindow window(p, "story", kNoticeWindow); window) {
        action(p, "reset", 0, "Again");
        ImGui::SameLine();
        action(p, "scene-next", 0, "Next scene");
    }
}

}  // namespace gravlab
