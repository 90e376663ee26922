// The strip at the bottom: does the run keep what it should? Rule: amber and red mean the same as in the numbers of a run.
#include "app/panels/panel_strip.h"
#include "app/plots/plot.h"
#include "app/services/conservation.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <span>

namespace gravlab {
namespace {

constexpr Control kEnergy{"conservation_energy", "Energy",
                          "Change of the total energy since the start over the energy of the start. Amber above 1e-3, red "
                          "above 1e-1: then the picture is not what the law says"};
constexpr Control kMomenta{"conservation_momenta", "Momenta",
                           "How far momentum and angular momentum have wandered, over what the bodies carry in all"};
constexpr Control kShape{"conservation_shape", "Shape",
                         "Virial ratio -K/W, and the radii that hold 10, 50 and 90 % of the mass [L]"};
constexpr Control kNumbers{"conservation", "Conservation",
                           "Sums in double precision over a copy of one complete step, beside the picture: on a GPU by the "
                           "GPU itself, in a fiftieth of its time. Dashes in the plots: a parameter was changed. Key: J"};

ImU32 colourOf(double change) {
    const double size = std::abs(change);
    return !(size <= kWrongChange) ? palette::kBad : size > kDoubtfulChange ? palette::kWarning : palette::kGood;
}

Plot plotOf(const char* title, bool logarithmic) {
    Plot plot;
    plot.title = title;
    plot.y.logarithmic = logarithmic;
    return plot;
}

template <class Value>
void add(Plot& plot, const char* label, std::span<const ConservationPoint> points, Value value) {
    PlotSeries series;
    series.label = label;
    series.markers = false;
    for (const ConservationPoint& point : points) {
        series.x.push_back(point.time);
        series.y.push_back(value(point));
    }
    plot.series.push_back(std::move(series));
}

/// Draws into the next `width` pixels of the line.
void show(PanelContext& p, const Control& control, Plot plot, float width, float height) {
    const ConservationMonitor& watch = p.workspace.conservation;
    for (const ConservationMark& mark : watch.marks()) plot.changes.push_back(mark.time);
    const ImVec2 from = ImGui::GetCursorScreenPos();
    ImGui::Dummy(ImVec2(width, height));
    p.widgets.finish(control);
    drawPlot(*ImGui::GetWindowDrawList(), from, ImVec2(from.x + width, from.y + height), plot,
             {.light = palette::light,
              .lineWidth = palette::line(1.4f * p.widgets.scale()),
              .legend = plot.series.size() > 1,
              .legendAbove = true});
}

/// From the first point on where anything has changed.
std::span<const ConservationPoint> changed(const std::vector<ConservationPoint>& points) {
    const auto first = std::find_if(points.begin(), points.end(), [](const ConservationPoint& q) {
        return !(std::abs(q.change) <= 1e-16 && q.momentum <= 1e-17 && q.spin <= 1e-17);
    });
    return std::span(points).subspan(static_cast<std::size_t>(first - points.begin()));
}

void drawNumbers(PanelContext& p) {
    const ConservationMonitor& watch = p.workspace.conservation;
    const ConservationPoint& now = watch.points().back();
    char text[240];
    std::snprintf(text, sizeof text, "dE/E0 %+.1e", now.change);
    p.widgets.text(kNumbers, colourOf(now.change), text);
    std::snprintf(text, sizeof text, "   worst %.1e   virial %.3f   r50 %.4g   closest pair %.3g", watch.worstChange(),
                  now.virial, now.shape.lagrangianRadii[1], now.shape.closest);
    ImGui::SameLine(0, 0);
    p.widgets.wrapped(palette::kMuted, text);
    const std::string advice = watch.advice(p.facts.configuration, *p.facts.integrator);
    if (advice.empty()) return;
    ImGui::SameLine(0, 10 * p.widgets.scale());
    p.widgets.wrapped(colourOf(watch.worstChange()), advice.c_str());
}

}  // namespace

float conservationHeight(const Workspace& workspace, const UiState& state, ImVec2 surface, float scale) {
    return state.inWindow && state.conservation && instrumentsHeight(workspace, state, surface, scale) == 0 &&
                   planPanels(workspace, state, surface, scale).strip
               ? (kConservationHeight + kMargin) * scale
               : 0;
}

void drawConservation(PanelContext& p) {
    if (conservationHeight(p.workspace, p.state, p.surface, p.widgets.scale()) == 0) return;
    const float s = p.widgets.scale();
    if (beginStrip(p, "conservation", kConservationHeight)) {
        const ConservationMonitor& watch = p.workspace.conservation;
        const std::vector<ConservationPoint>& points = watch.points();
        if (!watch.why().empty() || points.empty()) {
            p.widgets.text(kNumbers, palette::kMuted,
                           watch.why().empty() ? "Energy: the start is being measured" : watch.why().c_str());
        } else if (points.size() < 2) {
            drawNumbers(p);
            p.widgets.wrapped(palette::kMuted, "Curves begin with the first step.");
        } else {
            drawNumbers(p);
            const float gap = 6 * s, free = ImGui::GetContentRegionAvail().x - 2 * gap;
            const float tall = ImGui::GetContentRegionAvail().y;
            Plot energy = plotOf("|dE/E0| over t", true);
            // Curves begin where there is something to see: the start differs from itself in nothing, nor does what comes
            // after it to the rounding of a sum, and a logarithm has no zero.
            const std::span<const ConservationPoint> later = changed(points);
            add(energy, "", later, [](const ConservationPoint& q) { return std::max(std::abs(q.change), 1e-16); });
            Plot momenta = plotOf("momenta, relative", true);
            add(momenta, "|dP|", later, [](const ConservationPoint& q) { return std::max(q.momentum, 1e-17); });
            add(momenta, "|dL|", later, [](const ConservationPoint& q) { return std::max(q.spin, 1e-17); });
            Plot shape = plotOf("shape", false);
            add(shape, "virial", points, [](const ConservationPoint& q) { return q.virial; });
            for (std::size_t k = 0; k < 3; ++k) {
                static constexpr const char* kNames[] = {"r10", "r50", "r90"};
                add(shape, kNames[k], points, [k](const ConservationPoint& q) { return q.shape.lagrangianRadii[k]; });
            }
            show(p, kEnergy, std::move(energy), free / 3, tall);
            ImGui::SameLine(0, gap);
            show(p, kMomenta, std::move(momenta), free / 3, tall);
            ImGui::SameLine(0, gap);
            show(p, kShape, std::move(shape), free / 3, tall);
        }
        endStrip();
    }
}

}  // namespace gravlab
