#include "app/ui/twin_plot.h"

#include "app/plots/canvas.h"
#include "app/tables/format.h"
#include "app/tables/unit_text.h"

#include <algorithm>
#include <cmath>

namespace gravlab {
namespace {

using namespace paper;
// Smaller changes are below the rounding of a sum over pairs, and a logarithm has no zero.
constexpr double kLeastChange = 1e-17;

/// The start has no error and is omitted.
double sized(double change, bool start) {
    return start || std::isnan(change) ? DivergencePoint::kUnknown : std::max(std::abs(change), kLeastChange);
}

}  // namespace

Plot separationPlot(const Divergence& divergence) {
    Plot plot{.y = {.logarithmic = true}};
    // The first two colours are those of the runs.
    plot.series.resize(2);
    plot.series.push_back(curveOverTime(divergence.points(), "rms", [](const DivergencePoint& p) { return p.apart.rms; }));
    plot.series.push_back(
        curveOverTime(divergence.points(), "largest", [](const DivergencePoint& p) { return p.apart.max; }));
    // A distance of zero has no logarithm.
    if (!divergence.points().empty()) plot.empty = "0: both are the same to the last bit";
    return plot;
}

Plot twinEnergyPlot(const Divergence& divergence, const std::pair<std::string, std::string>& labels) {
    Plot plot{.y = {.logarithmic = true}};
    const auto summed = [](const DivergencePoint& p) { return !std::isnan(p.change) || !std::isnan(p.twinChange); };
    if (std::none_of(divergence.points().begin(), divergence.points().end(), summed)) return plot;
    const double start = divergence.points().front().time;
    plot.series.push_back(curveOverTime(divergence.points(), labels.first,
                                        [start](const DivergencePoint& p) { return sized(p.change, p.time == start); }));
    plot.series.push_back(curveOverTime(divergence.points(), labels.second,
                                        [start](const DivergencePoint& p) { return sized(p.twinChange, p.time == start); }));
    return plot;
}

std::string divergenceText(const Divergence& divergence, const SceneUnits& units) {
    if (divergence.points().empty()) return "no common time yet";
    const Separation& apart = divergence.points().back().apart;
    if (!std::isfinite(apart.rms)) return "apart: a position is no longer finite";
    if (!(divergence.worst() > 0)) return "apart: 0, to the last bit";
    const auto behind = [](std::string_view unit) { return unit.empty() ? std::string() : " " + std::string(unit); };
    const std::string sizes =
        formatted("apart: rms %.2e, largest %.2e", apart.rms * units.lengthScale, apart.max * units.lengthScale) +
        behind(units.length);
    const std::optional<double> time = divergence.eFolding();
    return time ? sizes + formatted("; grows e-fold in %.3g", *time * units.timeScale) + behind(units.time) : sizes;
}

void writeDivergence(ByteSink& file, const std::string& title, const std::pair<std::string, std::string>& labels,
                     const Divergence& divergence, const SceneUnits& units) {
    constexpr int kWidth = 1400, kHeight = 1150;
    constexpr float kPageMargin = 28;
    Canvas canvas(kWidth, kHeight, 18);
    canvas.list().AddRectFilled(ImVec2(0, 0), canvas.size(), kPaper);
    canvas.text(canvas.large(), ImVec2(kPageMargin, 20), kInk, title.c_str(), 0, kWidth - 2 * kPageMargin);
    const float below = 24 + 1.25f * canvas.large()->FontSize;
    const std::string facts =
        labels.first + "  against  " + labels.second + ".  At the end " + divergenceText(divergence, units) + ".";
    canvas.text(canvas.small(), ImVec2(kPageMargin, below), kQuiet, facts.c_str(), 0, kWidth - 2 * kPageMargin);
    const float top = below + 2.2f * canvas.small()->FontSize;
    const float right = canvas.size().x - kPageMargin, bottom = canvas.size().y - 20;
    Plot apart = separationPlot(divergence), energy = twinEnergyPlot(divergence, labels);
    const double last = divergence.points().empty() ? 0 : divergence.points().back().time;
    const ShownUnit time = unitOfTime(last, units);
    rescale(apart, time.scale, units.lengthScale);
    rescale(energy, time.scale, 1);
    apart.x.label = energy.x.label = "t [" + time.name + "]";
    apart.y.label = "distance between the same bodies [" + (units.length.empty() ? "L" : std::string(units.length)) + "]";
    energy.y.label = "|E - E0| / |E0|";
    const float middle = energy.series.empty() ? bottom : 0.5f * (top + bottom);
    drawPlot(canvas.list(), ImVec2(kPageMargin, top), ImVec2(right, middle), apart, {.light = true});
    if (!energy.series.empty())
        drawPlot(canvas.list(), ImVec2(kPageMargin, middle + 10), ImVec2(right, bottom), energy, {.light = true});
    canvas.write(file, {{"Title", title}, {"Description", facts}});
}

}  // namespace gravlab
