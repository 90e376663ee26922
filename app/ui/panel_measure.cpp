// The right panel: rate, accuracy, times, and what runs. Rule: a rate is shown only for a configuration whose force check
// has passed.
#include "app/plots/plot.h"
#include "app/runs/virial_check.h"
#include "app/tables/format.h"
#include "app/tables/unit_text.h"
#include "app/ui/parameter_widgets.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <string>
#include <utility>

namespace gravlab {
namespace {

constexpr double kFlopsPerPair = 20;

constexpr Control kFlops{"flops", "Effective",
                         "The rate at 20 floating-point operations per pair, whatever the kernel issues; with a tree its "
                         "interactions, and the bodies whose force was computed"};
constexpr Control kAllowedError{
    "error", "Error",
    "Relative error of the accelerations of up to 1,024 random bodies, compared with double precision. The sum of all "
    "forces is relative to their summed sizes, and 0 if both forces of each pair are exactly opposite"};
constexpr Control kHistory{"history", "History", "The rate over the last seconds of computing"};
constexpr Control kSplitBar{"split_bar", "Time",
                            "The stages of a frame. Other is the panels, copying the picture to the screen, and waiting"};
constexpr Control kBalance{
    "balance", "Balance",
    "2T/|W| at the start of the run: 1 in balance, below 1 it contracts, above 1 it expands. A system keeps its energy "
    "while it reaches balance, which predicts its half-mass radius; after a dynamical time it is measured"};
constexpr Control kDevice{"device", "Device", "Backend and device, and why no faster one is used"};
constexpr Control kVertices{"vertices", "Vertices", "The path of the bodies to the picture"};
constexpr Control kPicture{"picture", "Picture",
                           "The method of drawing. In a window both methods are timed during the run, and again after large "
                           "changes of the picture"};
constexpr Control kRenderer{"renderer", "OpenGL", "The OpenGL device"};

// Colours that differ with the common colour-vision deficiencies (Okabe & Ito 2008).
constexpr std::array<ImU32, 4> kPartColours = {IM_COL32(86, 180, 233, 255), IM_COL32(230, 159, 0, 255),
                                               IM_COL32(0, 158, 115, 255), IM_COL32(204, 121, 167, 255)};

/// A measured value with the table's own words.
Control measuredControl(const char* name, const char* label, std::string_view path) {
    Control control = controlOf(parameter(path), label);
    control.name = name;
    return control;
}

/// Draws a line through the text, because the number is not a result.
void strikeThrough(ImU32 colour, float thickness) {
    const ImVec2 from = ImGui::GetItemRectMin(), to = ImGui::GetItemRectMax();
    const float y = std::floor(0.54f * from.y + 0.46f * to.y);
    ImGui::GetWindowDrawList()->AddLine(ImVec2(from.x - 2, y), ImVec2(to.x + 2, y), colour, thickness);
}

void drawRate(PanelContext& p) {
    const Control rate = measuredControl("rate", "Rate", "run.rate"), error = measuredControl("error", "Error", "run.check");
    const Telemetry& t = p.readouts.rates;
    const std::optional<ForceCheck>& check = p.facts.check;
    const Fonts& fonts = p.widgets.fonts();
    const bool failed = check && !check->passed;
    const bool known = check && t.interactionsPerSecond > 0;
    Text digits = withPrefix(t.interactionsPerSecond);
    char* const gap = std::strchr(digits.text, ' ');
    *gap = '\0';
    const ImVec2 at = ImGui::GetCursorPos();
    ImGui::PushFont(fonts.large);
    if (!known) {
        p.widgets.text(rate, palette::kMuted, check || p.document.intent.paused ? "-" : "checking");
    } else {
        p.widgets.text(rate, failed ? palette::kBad : palette::kText, digits.text);
        if (failed) strikeThrough(palette::kBad, 2 * p.widgets.scale());
    }
    const float wide = ImGui::GetItemRectSize().x, high = ImGui::GetTextLineHeight();
    ImGui::PopFont();
    if (known) {
        // Align the unit with the baseline of the large digits: the height below the baseline is proportional to the font
        // size.
        const float drop = 0.76f * (fonts.large->FontSize - fonts.normal->FontSize);
        ImGui::SetCursorPos(ImVec2(at.x + wide + 7 * p.widgets.scale(), at.y + drop));
        p.widgets.wrapped(palette::kMuted, formatted("%s%sinteractions/s", gap + 1, gap[1] ? " " : ""));
    }
    ImGui::SetCursorPos(ImVec2(at.x, at.y + high + ImGui::GetStyle().ItemSpacing.y));

    const Letters letters(fonts.small);
    const bool verified = check && check->passed && t.interactionsPerSecond > 0;
    const Text bodies =
        withPrefix(t.forceSeconds > 0 ? static_cast<double>(p.facts.configuration.bodies) / t.forceSeconds : 0);
    std::string line = check ? " " : "no rate before the forces are verified";
    if (verified && p.facts.kernel->approximates)
        line = formatted("%spairs/s, %scells/s, %sbodies/s", withPrefix(t.interactionsPerSecond - t.cellsPerSecond).text,
                         withPrefix(t.cellsPerSecond).text, bodies.text);
    else if (verified && p.facts.kernel->byCutOff)
        line = formatted("%sbodies/s, summed by cells", bodies.text);
    else if (verified)
        line = formatted("%sFLOP/s effective, at 20 a pair", withPrefix(kFlopsPerPair * t.interactionsPerSecond).text);
    p.widgets.text(kFlops, palette::kMuted, line);

    const char* const verdict = failed ? "FAILED" : "verified";
    const ImU32 colour = failed ? palette::kBad : palette::kGood;
    if (!check) {
        p.widgets.text(error, palette::kMuted,
                       p.document.intent.paused ? "forces: the next step is checked" : "forces: being checked");
    } else if (check->nonFinite > 0) {
        line = formatted("FAILED: %zu of %zu forces are not finite", check->nonFinite, check->samples);
        p.widgets.text(error, palette::kBad, line);
    } else if (check->allowed > 0) {
        line = formatted("%s: 99 %% of the forces within %s\nmedian error %s, largest %s", verdict,
                         errorText(check->p99).text, errorText(check->median).text, errorText(check->max).text);
        if (check->momentum >= 0) line += formatted("\nsum of all forces %s, exact 0", errorText(check->momentum).text);
        p.widgets.text(kAllowedError, colour, line);
    } else if (check->passed && check->p999 == 0) {
        p.widgets.text(error, palette::kGood, "verified: equal to fp64 in every digit");
    } else {
        line = formatted("%s: error %s median, %s at 99.9 %%", verdict, errorText(check->median).text,
                         errorText(check->p999).text);
        // With a wide font, a line for each number.
        if (ImGui::CalcTextSize(line.c_str()).x > ImGui::GetContentRegionAvail().x)
            line.replace(line.find(',') + 1, 1, "\n");
        p.widgets.text(error, colour, line);
    }
}

/// The rate over time, from zero, so that a dip appears in its true size.
void drawHistory(PanelContext& p) {
    const Telemetry& t = p.readouts.rates;
    const bool passed = p.facts.check && p.facts.check->passed, shown = passed && t.historyCount > 1;
    const float* const values = t.rateHistory.data() + Telemetry::kHistory - t.historyCount;
    const float high = shown ? std::max(*std::max_element(values, values + t.historyCount), 1e-9f) : 1;
    const auto [unit, unitName] = rateUnit(high);
    Plot plot{.title = unitName + std::string(" over t [s]"),
              .x = {.low = -Telemetry::kHistoryInterval * static_cast<double>(Telemetry::kHistory)},
              .y = {.high = 1.12 * static_cast<double>(high / unit)},
              .empty = p.facts.check && !passed   ? "not shown: the check failed"
                       : p.document.intent.paused ? "paused: no step is timed"
                                                  : "waiting for a verified rate"};
    PlotSeries rate{.markers = false};
    for (std::size_t i = 0; shown && i < t.historyCount; ++i)
        rate.add(Telemetry::kHistoryInterval * (static_cast<double>(i + 1) - static_cast<double>(t.historyCount)),
                 static_cast<double>(values[i] / unit));
    plot.series.push_back(std::move(rate));
    const Letters letters(p.widgets.fonts().small);
    drawStripPlot(p, kHistory, plot, ImGui::GetContentRegionAvail().x, 120 * p.widgets.scale(), false);
}

void drawPace(PanelContext& p) {
    const Telemetry& t = p.readouts.rates;
    struct Row {
        Control control;
        double value;
    };
    const Row rows[] = {{measuredControl("frames", "frames/s", "window.frames_per_second"), t.framesPerSecond},
                        {measuredControl("steps", "steps/s", "run.steps_per_second"), t.stepsPerSecond},
                        {measuredControl("frame_time", "ms/frame", "window.frame_time"), t.frameMilliseconds}};
    const float third = ImGui::GetContentRegionAvail().x / 3, left = ImGui::GetCursorPosX();
    for (int i = 0; i < 3; ++i) {
        if (i > 0) ImGui::SameLine(left + static_cast<float>(i) * third);
        const Text text = rateText(rows[i].value);
        ImGui::BeginGroup();
        // A paused window has no rate.
        ImGui::TextUnformatted(p.document.intent.paused || t.framesPerSecond == 0 ? "-" : text);
        ImGui::PushFont(p.widgets.fonts().small);
        p.widgets.wrapped(palette::kMuted, rows[i].control.label);
        ImGui::PopFont();
        ImGui::EndGroup();
        p.widgets.finish(rows[i].control);
    }
}

void drawSplit(PanelContext& p) {
    const ImU32 waiting = palette::veil(80);
    const Telemetry& t = p.readouts.rates;
    const float s = p.widgets.scale();
    const bool copies = p.facts.vertexPath.starts_with("host copy");
    const std::pair<const char*, double> parts[] = {{"force", t.forceMs},
                                                    {"integrate", t.integrateMs},
                                                    {copies ? "copied" : "vertices", t.publishMs},
                                                    {"draw", t.drawMs}};
    const double sum = t.forceMs + t.integrateMs + t.publishMs + t.drawMs;
    const double whole = std::max({t.frameMilliseconds, sum, 1e-9});
    ImDrawList& list = *ImGui::GetWindowDrawList();

    const ImVec2 from = ImGui::GetCursorScreenPos();
    const ImVec2 size(ImGui::GetContentRegionAvail().x, 10 * s);
    ImGui::Dummy(size);
    p.widgets.finish(kSplitBar);
    list.AddRectFilled(from, ImVec2(from.x + size.x, from.y + size.y), palette::veil(18), 3 * s);
    float x = from.x;
    for (std::size_t i = 0; i < std::size(parts); ++i) {
        const float width = size.x * static_cast<float>(parts[i].second / whole);
        if (width < 0.5f) continue;
        list.AddRectFilled(ImVec2(x, from.y), ImVec2(x + width, from.y + size.y), kPartColours[i]);
        x += width;
    }
    // Steps and pictures may run on the GPU during the wait, so only what they leave of the frame counts.
    const double idle = std::max(t.frameMilliseconds - sum, 0.0), wait = std::min(t.waitMs, idle);
    const float right = from.x + size.x;
    list.AddRectFilled(ImVec2(right - size.x * static_cast<float>(wait / whole), from.y), ImVec2(right, from.y + size.y),
                       waiting, 3 * s);

    const Letters letters(p.widgets.fonts().small);
    const float half = ImGui::GetContentRegionAvail().x / 2, left = ImGui::GetCursorPosX();
    const float line = ImGui::GetTextLineHeight();
    const bool paired = ImGui::CalcTextSize("integrate 0.001 ms").x + 14 * s < half;
    const auto legend = [&](std::size_t place, const char* name, double ms, ImU32 colour) {
        if (paired && place % 2) ImGui::SameLine(left + half);
        const ImVec2 at = ImGui::GetCursorScreenPos();
        const float box = 7 * s, y = at.y + 0.5f * (line - box);
        list.AddRectFilled(ImVec2(at.x, y), ImVec2(at.x + box, y + box), colour, 2 * s);
        ImGui::SetCursorPosX(ImGui::GetCursorPosX() + 12 * s);
        p.widgets.wrapped(palette::kMuted, formatted("%s %s ms", name, milliseconds(ms).text));
    };
    for (std::size_t i = 0; i < std::size(parts); ++i) legend(i, parts[i].first, parts[i].second, kPartColours[i]);
    constexpr std::size_t kOther = 4, kWait = 6;  // both at the left: the second name is too long for half of the panel
    legend(kOther, "other", idle - wait, palette::veil(40));
    legend(kWait, "waiting for display", wait, waiting);
}

/// Is the scene in balance? Empty when that has no meaning.
void drawBalance(PanelContext& p) {
    const std::span<const VirialState> start = p.readouts.balance;
    if (start.empty()) return;
    p.widgets.section("Balance");
    const Letters letters(p.widgets.fonts().small);
    const std::string text = virialText(start, measuredDrift(start, p.readouts.conserved.points), p.facts.scene->units);
    ImGui::BeginGroup();
    p.widgets.wrapped(palette::kText, text);
    ImGui::EndGroup();
    p.widgets.finish(kBalance);
}

void drawWhere(PanelContext& p) {
    const struct {
        const Control& control;
        const std::string& text;
    } rows[] = {{kDevice, p.facts.device},
                {kDevice, p.facts.backendWhy},
                {kVertices, p.facts.vertexPath},
                {kPicture, p.facts.drawMethod},
                {kRenderer, p.renderer}};
    const Letters letters(p.widgets.fonts().small);
    bool first = true;
    for (const auto& row : rows) {
        ImGui::BeginGroup();
        p.widgets.wrapped(first ? palette::kText : palette::kMuted, row.text);
        ImGui::EndGroup();
        p.widgets.finish(row.control);
        first = false;
    }
}

}  // namespace

void drawMeasurePanel(PanelContext& p) {
    const float s = p.widgets.scale();
    // The panel of a body is below.
    const float body = p.bodyPanel > 0 && !p.plan.tabs ? p.bodyPanel + kBodyPanelGap * s : 0;
    const float limit = p.surface.y - p.top - body - (kBottomHeight + 2 * kMargin) * s;
    const float edge = p.plan.tabs ? (kMargin + p.plan.side) * s : p.surface.x - kMargin * s;
    placePanel(ImVec2(edge, p.top + kMargin * s), ImVec2(1, 0), p.plan.side * s, std::max(limit, 40 * s));
    if (const PanelWindow window(p, "measurements", kFittedPanel); window) {
        drawTabs(p);
        drawRate(p);
        drawHistory(p);
        drawPace(p);
        action(p, "lab", ImGui::GetContentRegionAvail().x, "Lab");
        p.widgets.section("Time of a frame");
        drawSplit(p);
        drawBalance(p);
        p.widgets.section("Runs on");
        drawWhere(p);
    }
}

}  // namespace gravlab
