// The strip at the bottom: conserved quantities of the run. Rule: amber and red mean the same as in the numbers of a run.
#include "app/plots/plot.h"
#include "app/services/conservation.h"
#include "app/tables/format.h"
#include "app/tables/unit_text.h"
#include "app/ui/panels.h"
#include "app/ui/parameter_widgets.h"

#include <algorithm>
#include <cmath>
#include <span>

namespace gravlab {
namespace {

constexpr Control kEnergy{"conservation_energy", "Energy",
                          "Change of the total energy since the start, relative to the energy of the start. Amber above "
                          "1e-3, red above 1e-1: then the run does not follow the law. Noise: estimated error of an energy "
                          "summed by a tree, from random bodies in double precision"};
constexpr Control kMomenta{
    "conservation_momenta", "Momenta",
    "Change of the momentum P and the angular momentum L of all bodies, relative to the summed sizes of those of the "
    "bodies. Forces act in pairs and cancel in these sums, so only errors change them"};
constexpr Control kShape{
    "conservation_shape", "Shape",
    "The virial ratio 2T/|W|, which is 1 in balance, where the pair law acts alone, and the radii that contain 10, 50 and "
    "90 % of the mass"};
constexpr Control kClosest{
    "conservation_closest", "Closest pair",
    "The smallest distance of two bodies at this step. Below the softening their force is weaker than that of two points; "
    "the smaller the distance, the harder the encounter is for a fixed time step"};
constexpr Control kConservationNumbers{
    "conservation", "Conservation",
    "Sums in double precision over a copy of one complete step, computed beside the run: on a GPU by the GPU, in a fiftieth "
    "of its time. Dashes in the plots: a parameter was changed. Key: J"};

ImU32 colourOf(double change) {
    const double size = std::abs(change);
    return !(size <= kWrongChange) ? palette::kBad : size > kDoubtfulChange ? palette::kWarning : palette::kGood;
}

template <class Value>
void add(Plot& plot, const char* label, std::span<const ConservationPoint> points, Value value) {
    plot.series.push_back(curveOverTime(points, label, value));
}

/// Draws into the next `width` pixels of the line.
void show(PanelContext& p, const Control& control, Plot plot, float width, float height) {
    for (const ConservationMark& mark : p.readouts.conserved.marks) plot.changes.push_back(mark.time);
    rescale(plot, unitOfTime(p.facts.time, p.facts.scene->units).scale, 1);
    drawStripPlot(p, control, plot, width, height, plot.series.size() > 1);
}

/// A curve of the strip: its button, and its place among the three.
constexpr Control kCurves[] = {{"curve/energy", "Energy", "The curve of the energy's change"},
                               {"curve/momenta", "Momenta", "The curves of momentum and angular momentum"},
                               {"curve/shape", "Shape", "The curves of the virial ratio, and of radii that contain mass"}};
struct ChosenCurve {
    std::size_t at = 0;
};

/// The points from the first change on.
std::span<const ConservationPoint> changed(std::span<const ConservationPoint> points) {
    const auto first = std::find_if(points.begin(), points.end(), [](const ConservationPoint& q) {
        return !(std::abs(q.change) <= 1e-16 && q.momentum <= 1e-17 && q.spin <= 1e-17);
    });
    return points.subspan(static_cast<std::size_t>(first - points.begin()));
}

/// Continues the line, or begins the next one where less than `width` is left.
void besideOrBelow(float gap, float width) {
    ImGui::SameLine(0, gap);
    if (ImGui::GetContentRegionAvail().x < width) ImGui::NewLine();
}

/// A number of the table beside the previous one, with the table's own words.
void numberBeside(PanelContext& p, const Control& control, const std::string& text) {
    besideOrBelow(0, ImGui::CalcTextSize(text.c_str()).x);
    p.widgets.text(control, palette::kMuted, text);
}

void drawConserved(PanelContext& p) {
    const ServiceResults::Conserved& watch = p.readouts.conserved;
    const ConservationPoint& now = watch.points.back();
    const SceneUnits& units = p.facts.scene->units;
    const std::string length = units.length.empty() ? std::string() : " " + std::string(units.length);
    // Under a drag a change of the energy is no error.
    const bool keeps = keepsEnergy(p.facts.configuration);
    const auto colour = [keeps](double change) { return keeps ? colourOf(change) : ImU32(palette::kMuted); };
    const std::string change =
        formatted("energy error %+.1e", now.change) + (now.floor > 0 ? formatted(" +- %.0e", now.floor) : std::string());
    p.widgets.text(kConservationNumbers, colour(now.change), change);
    numberBeside(p, controlOf(parameter("run.energy_change")), formatted("   worst %.1e", watch.worst));
    if (std::isfinite(now.virial))
        numberBeside(p, controlOf(parameter("run.virial_ratio")), formatted("   2T/|W| %.3f", 2 * now.virial));
    numberBeside(p, controlOf(parameter("run.half_mass_radius")),
                 formatted("   r50 %.4g%s", now.shape.lagrangianRadii[1] * units.lengthScale, length.c_str()));
    numberBeside(p, kClosest, formatted("   closest pair %.3g%s", now.shape.closest * units.lengthScale, length.c_str()));
    if (p.facts.configuration.contact.acts())
        numberBeside(p, controlOf(parameter("run.energy_lost")),
                     formatted("   %lld merged, %lld bounced", static_cast<long long>(p.facts.contacts.merges),
                               static_cast<long long>(p.facts.contacts.bounces)));
    if (watch.advice.empty()) return;
    const float s = p.widgets.scale(), whole = ImGui::CalcTextSize(watch.advice.c_str()).x;
    besideOrBelow(10 * s, std::min(whole, 240 * s));
    p.widgets.wrapped(colour(watch.worst), watch.advice);
}

void drawCurve(PanelContext& p, std::size_t which, float width, float height) {
    const std::span<const ConservationPoint> points = p.readouts.conserved.points;
    const SceneUnits& units = p.facts.scene->units;
    const std::string time = unitOfTime(p.facts.time, units).name;
    // Begin curves after the first change: before it differences are 0 or rounding of a sum, and a logarithm has no zero.
    const std::span<const ConservationPoint> later = changed(points);
    constexpr const char* kNoChange = "no change so far";
    if (which == 0) {
        Plot energy{.title = (p.plan.words ? "error of the energy over t [" : "|dE/E0| over t [") + time + "]",
                    .y = {.logarithmic = true},
                    .empty = kNoChange};
        const bool byTree = std::ranges::any_of(later, [](const ConservationPoint& q) { return q.floor > 0; });
        add(energy, byTree ? "change" : "", later,
            [](const ConservationPoint& q) { return std::max(std::abs(q.change), 1e-16); });
        if (byTree) add(energy, "noise", later, [](const ConservationPoint& q) { return std::max(q.floor, 1e-16); });
        show(p, kEnergy, std::move(energy), width, height);
    } else if (which == 1) {
        Plot momenta{.title = "momenta, relative", .y = {.logarithmic = true}, .empty = kNoChange};
        add(momenta, "|dP|", later, [](const ConservationPoint& q) { return std::max(q.momentum, 1e-17); });
        add(momenta, "|dL|", later, [](const ConservationPoint& q) { return std::max(q.spin, 1e-17); });
        show(p, kMomenta, std::move(momenta), width, height);
    } else {
        Plot shape{.title = units.length.empty() ? "shape" : "shape [" + std::string(units.length) + "]"};
        if (std::isfinite(points.back().virial))
            add(shape, "2T/|W|", points, [](const ConservationPoint& q) { return 2 * q.virial; });
        for (std::size_t k = 0; k < 3; ++k) {
            static constexpr const char* kNames[] = {"r10", "r50", "r90"};
            add(shape, kNames[k], points,
                [k, scale = units.lengthScale](const ConservationPoint& q) { return scale * q.shape.lagrangianRadii[k]; });
        }
        show(p, kShape, std::move(shape), width, height);
    }
}

/// The error of the energy as a sentence, and one curve: the strip of Teach, whose largest number this is.
void drawWords(PanelContext& p) {
    const ServiceResults::Conserved& watch = p.readouts.conserved;
    const float s = p.widgets.scale(), high = ImGui::GetContentRegionAvail().y, wide = ImGui::GetContentRegionAvail().x;
    const double change = watch.points.back().change, size = std::abs(change);
    const bool keeps = keepsEnergy(p.facts.configuration), curve = watch.points.size() > 1;
    const bool beside = curve && wide > (kBesideCurve - 2 * 8) * s, tall = beside && high > 100 * s;
    const float words = beside ? 200 * s : wide;
    const std::string percent = size > 0 && size < 1e-6 ? "below 0.0001 %" : formatted("%.2g %%", 100 * size);
    const char* const verdict = !keeps                    ? "change of energy, which a drag takes away"
                                : !(size <= kWrongChange) ? "energy error: wrong"
                                : size > kDoubtfulChange  ? "energy error: doubtful"
                                                          : "energy error: good";
    const ImU32 colour = keeps ? colourOf(change) : ImU32(palette::kMuted);
    ImGui::BeginGroup();
    ImGui::PushFont(tall ? p.widgets.fonts().large : p.widgets.fonts().heading);
    p.widgets.text(kConservationNumbers, colour, percent);
    ImGui::PopFont();
    if (!tall) ImGui::SameLine();
    ImGui::PushFont(tall ? p.widgets.fonts().heading : p.widgets.fonts().normal);
    colouredText(palette::kText, linesWithin(verdict, words));
    ImGui::PopFont();
    auto& chosen = p.widgets.kept<ChosenCurve>();
    for (std::size_t i = 0; beside && i < std::size(kCurves); ++i) {
        if (i > 0) ImGui::SameLine();
        if (p.widgets.litButton(kCurves[i], 0, chosen.at == i)) chosen.at = i;
    }
    ImGui::EndGroup();
    if (!curve) return;
    if (beside) ImGui::SameLine(words + 8 * s);
    drawCurve(p, chosen.at, ImGui::GetContentRegionAvail().x, ImGui::GetContentRegionAvail().y);
}

}  // namespace

void drawConservation(PanelContext& p) {
    const float s = p.widgets.scale();
    if (!beginStrip(p, "conservation")) return;
    const ServiceResults::Conserved& watch = p.readouts.conserved;
    const std::span<const ConservationPoint> points = watch.points;
    if (!watch.why.empty() || points.empty()) {
        p.widgets.text(kConservationNumbers, palette::kMuted,
                       watch.why.empty() ? "Energy: the start is being measured" : std::string(watch.why));
    } else if (p.plan.words) {
        drawWords(p);
    } else {
        drawConserved(p);
        const float gap = 6 * s, third = (ImGui::GetContentRegionAvail().x - 2 * gap) / 3;
        const float tall = ImGui::GetContentRegionAvail().y;
        for (std::size_t i = 0; points.size() > 1 && i < 3; ++i) {
            if (i > 0) ImGui::SameLine(0, gap);
            drawCurve(p, i, third, tall);
        }
    }
    endStrip();
}

}  // namespace gravlab
