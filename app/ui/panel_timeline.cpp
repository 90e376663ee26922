// The play bar over the status line: run, step, again, speed, the line of time and the clock. On the line kept states are
// ticks and the present is a handle; dragging moves in time.
#include "app/runs/history.h"
#include "app/tables/format.h"
#include "app/tables/unit_text.h"
#include "app/ui/panels.h"
#include "app/ui/parameter_widgets.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace gravlab {
namespace {

constexpr Control kTimeline{"timeline", "Timeline",
                            "Kept states of this run: drag to see them, Space continues from there. Dim ticks are the "
                            "previous branch. Keys: Ctrl Left, Ctrl Right, Ctrl Home, Ctrl End"};

/// Steps to pixels.
struct Scale {
    double first = 0, last = 1;
    float left = 0, right = 1;
    float x(std::int64_t step) const {
        const double part = (static_cast<double>(step) - first) / std::max(last - first, 1.0);
        return left + static_cast<float>(part) * (right - left);
    }
};

Scale scaleOf(std::span<const HistoryMark> marks, std::int64_t present, float left, float right) {
    std::int64_t first = present, last = present;
    for (const HistoryMark& mark : marks) {
        first = std::min(first, mark.step);
        last = std::max(last, mark.step);
    }
    return {static_cast<double>(first), static_cast<double>(last), left, right};
}

/// The mark nearest to the pointer; when two have the same place, the one in the pointer's row.
std::size_t nearest(std::span<const HistoryMark> marks, const Scale& scale, ImVec2 pointer, float middle) {
    const auto way = [&](const HistoryMark& mark) {
        return std::abs(scale.x(mark.step) - pointer.x) + (mark.other == (pointer.y > middle) ? 0 : 3);
    };
    return static_cast<std::size_t>(std::ranges::min_element(marks, {}, way) - marks.begin());
}

/// Simulated time per second of watching in the scene's unit, and the fraction that the machine reaches.
void drawSpeed(PanelContext& p, float width, bool roomy) {
    const SceneUnits& units = p.facts.scene->units;
    const Intent& intent = p.document.intent;
    const ShownUnit unit = speedUnit(intent.speed > 0 ? intent.speed : p.facts.speed, units);
    const Control control = controlOf(parameter("run.speed"), "");
    const std::string format = intent.speed == 0 ? "by steps" : "%.3g " + unit.name;
    double value = intent.speed * unit.scale;
    ImGui::SetNextItemWidth(width);
    const Dragging hand =
        p.widgets.drag(control, value, {.least = 0, .most = 1e30, .speed = 0.02, .floor = 1e-9, .format = format.c_str()});
    if (hand == Dragging::words)
        set(p, "run.speed", typedValue(p.widgets.typed()));
    else if (hand != Dragging::none)
        p.post(
            {SetParameter{"run.speed", value / unit.scale, hand == Dragging::dragged && p.widgets.sameDrag(control.name)}});
    ImGui::SameLine();
    if (!roomy) return;
    constexpr double kReached = 0.9;
    const bool behind = !intent.paused && p.facts.speed > 0 && p.facts.speed < kReached * intent.speed;
    const double parts = intent.speed / ownSpeed(p.facts);
    const Letters letters(p.widgets.fonts().small);
    std::string text;
    if ((intent.speed == 0 && p.facts.speed > 0) || behind)
        text = (behind ? "reaches " : "makes ") + formatted("%.3g %s", p.facts.speed * unit.scale, unit.name.c_str());
    else if (intent.speed > 0 && std::abs(parts - 1) >= 1e-6)
        text = formatted("%.3g times its own", parts);
    // The line of time beside it does not move when the text changes.
    const float left = ImGui::GetCursorPosX();
    ImGui::AlignTextToFramePadding();
    colouredText(palette::kMuted, text);
    ImGui::SameLine(left + std::max(width, ImGui::CalcTextSize(text.c_str()).x + 8 * p.widgets.scale()));
}

void drawLineOfTime(PanelContext& p, float width) {
    const ServiceResults::History& history = p.readouts.history;
    const std::span<const HistoryMark> marks = history.marks;
    const float s = p.widgets.scale(), height = ImGui::GetFrameHeight();
    const ImVec2 from = ImGui::GetCursorScreenPos();
    const float middle = from.y + 0.5f * height;
    const Scale scale = scaleOf(marks, p.facts.step, from.x + 4 * s, from.x + width - 4 * s);
    ImGui::InvisibleButton("timeline", ImVec2(width, height));
    // A quick user releases in the frame of the last move.
    const bool held = ImGui::IsItemActive() || ImGui::IsItemDeactivated(), over = ImGui::IsItemHovered();
    const std::size_t near = nearest(marks, scale, ImGui::GetIO().MousePos, middle);
    // Go to each mark only once: a resting pointer does nothing, and a click counts.
    if (held && !marks.empty() && (marks[near].step != p.facts.step || (ImGui::IsItemActivated() && marks[near].other)))
        p.post({GoTo{near}});
    // The time of the mark is directly above the strip, and the tooltip above the time.
    const ImVec2 foot(ImGui::GetIO().MousePos.x, from.y - ImGui::GetTextLineHeight() - 10 * s);
    p.widgets.finish(kTimeline, Reason(history.why), &foot);

    ImDrawList& draw = *ImGui::GetWindowDrawList();
    const float present = scale.x(p.facts.step);
    draw.AddLine(ImVec2(scale.left, middle), ImVec2(scale.right, middle), palette::kFaint, s);
    draw.AddLine(ImVec2(scale.left, middle), ImVec2(present, middle), palette::kAccent, 2 * s);
    for (std::size_t i = 0; i < marks.size(); ++i) {
        const float x = std::round(scale.x(marks[i].step)) + 0.5f, long_ = (over && i == near ? 6.0f : 4.0f) * s;
        const ImU32 colour = over && i == near ? palette::kText
                             : marks[i].other  ? palette::kFaint
                             : x <= present    ? palette::kAccent
                                               : palette::kMuted;
        if (marks[i].other)
            draw.AddLine(ImVec2(x, middle + s), ImVec2(x, middle + long_), colour, s);
        else
            draw.AddLine(ImVec2(x, middle - long_), ImVec2(x, middle), colour, s);
    }
    draw.AddCircleFilled(ImVec2(present, middle), 4 * s, palette::kText);
    if ((held || over) && !marks.empty()) {
        const std::string text =
            formatted("%s   step %lld%s", clockText(marks[near].time, p.facts.scene->units).c_str(),
                      static_cast<long long>(marks[near].step), marks[near].other ? "   (the other branch)" : "");
        const Letters letters(p.widgets.fonts().small);
        const ImVec2 size = ImGui::CalcTextSize(text.c_str());
        const float x = std::clamp(scale.x(marks[near].step) - 0.5f * size.x, from.x, from.x + width - size.x);
        ImDrawList& front = *ImGui::GetForegroundDrawList();
        const ImVec2 at(x, from.y - size.y - 4 * s);
        front.AddRectFilled(ImVec2(at.x - 5 * s, at.y - 2 * s), ImVec2(at.x + size.x + 5 * s, at.y + size.y + 2 * s),
                            palette::kPlate, 4 * s);
        front.AddText(at, palette::kText, text.c_str());
    }
}

}  // namespace

void drawPlayBar(PanelContext& p) {
    const float s = p.widgets.scale(), height = kPlayHeight * s;
    ImGui::SetNextWindowPos(ImVec2(0, p.surface.y - kBottomHeight * s));
    ImGui::SetNextWindowSize(ImVec2(p.surface.x, height));
    ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0);
    const float frame = ImGui::GetFrameHeight();
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2((kMargin + 8) * s, std::floor(0.5f * (height - frame))));
    constexpr auto kFlags = kPanelWindow | ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse |
                            ImGuiWindowFlags_NoFocusOnAppearing | ImGuiWindowFlags_NoBringToFrontOnFocus;
    if (const PanelWindow window(p, "play", kFlags); window) {
        const bool watches = p.state.depth == Depth::watch;
        const bool roomy = p.surface.x > 900 * s;
        const float wide = (roomy ? 72 : 58) * s;
        const Action& run = actionOf("run");
        const Reason waits = run.unavailable ? run.unavailable(p.document) : Reason();
        if (p.widgets.litButton(controlOf(run, p.document.intent.paused ? "Run" : "Pause"), wide, waits.empty(), nullptr,
                                waits))
            p.post({invokeOf(run)});
        const std::string clock = clockText(p.facts.time, p.facts.scene->units);
        // The largest number of Watch.
        ImFont* const font = watches && roomy ? p.widgets.fonts().large : p.widgets.fonts().heading;
        const ImVec2 size = font->CalcTextSizeA(font->FontSize, FLT_MAX, 0, clock.c_str());
        const float least = font->CalcTextSizeA(font->FontSize, FLT_MAX, 0, "t = 000.00 Myr").x;
        const float end = p.surface.x - (kMargin + 8) * s, right = end - std::max(size.x, least) - 12 * s;
        // Very large letters leave no room for all.
        const auto fits = [&](float width) {
            ImGui::SameLine();
            return ImGui::GetCursorScreenPos().x + width < end - size.x;
        };
        if (!watches && fits(wide)) action(p, "step", wide, "Step");
        if (fits(wide)) action(p, "reset", wide, "Again");
        if (const float width = (roomy ? 110 : 84) * s; fits(width)) drawSpeed(p, width, roomy);
        if (const float width = right - ImGui::GetCursorScreenPos().x;
            p.state.timeline && p.readouts.history.marks.size() > 1 && width > 40 * s)
            drawLineOfTime(p, width);
        ImGui::GetWindowDrawList()->AddText(
            font, font->FontSize,
            ImVec2(end - size.x, p.surface.y - kBottomHeight * s + std::floor(0.5f * (height - size.y))), palette::kText,
            clock.c_str());
    }
    ImGui::PopStyleVar(3);
}

}  // namespace gravlab
