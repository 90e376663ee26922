#include "app/bench/papers.h"

#include "app/model/recorded.h"
#include "app/tables/occupancy.h"

#include <algorithm>
#include <array>

namespace gravlab {
namespace {

constexpr double kIssuedPerPair = 14;  // for the tiled loop, see docs/benchmarks/papers.md

/// Pairs a second that the row's GPU can issue; 0: it is a processor.
double boundOf(const RecordedRow& row) {
    const std::string& name = textIn(row, "gpu");
    if (name.empty()) return 0;
    const GpuRow& device = gpu(name);
    return device.multiprocessors * device.lanes * device.clock / kIssuedPerPair;
}

std::vector<PaperRate> readRates() {
    std::vector<PaperRate> rates;
    for (const RecordedRow& row : recordedRows("papers")) {
        PaperRate rate{.paper = textIn(row, "paper"),
                       .device = textIn(row, "device"),
                       .kernel = textIn(row, "kernel"),
                       .bodies = static_cast<int>(numberIn(row, "n")),
                       .block = static_cast<int>(numberIn(row, "block")),
                       .unroll = static_cast<int>(numberIn(row, "unroll")),
                       .split = static_cast<int>(numberIn(row, "split")),
                       .rate = numberIn(row, "interactions_per_second")};
        constexpr int kMostInBlock = 1024;  // the device refuses a larger block, and its measured time is meaningless
        if (!(rate.rate > 0) || rate.block > kMostInBlock) continue;
        const double pairs = static_cast<double>(rate.bodies) * rate.bodies, steps = numberIn(row, "steps");
        rate.stepSeconds = steps > 0 ? numberIn(row, "seconds") / steps : pairs / rate.rate;
        rate.bound = boundOf(row);
        rates.push_back(std::move(rate));
    }
    return rates;
}

/// A figure over a parameter of the launch, or over N.
struct PaperFigure {
    std::string_view name;
    int PaperRate::*x;
    /// Whether a rate belongs to the figure: other rates were measured at a single value.
    bool (*has)(const PaperRate& rate);
};
constexpr std::array kPaperFigures{
    PaperFigure{"unroll", &PaperRate::unroll, [](const PaperRate& rate) { return rate.unroll > 0; }},
    PaperFigure{"block", &PaperRate::block, [](const PaperRate& rate) { return rate.block > 0 && rate.split <= 4; }},
    PaperFigure{"split", &PaperRate::split, [](const PaperRate& rate) { return rate.split > 0 && rate.block == 128; }},
    PaperFigure{"bodies", &PaperRate::bodies, [](const PaperRate& rate) { return rate.bodies > 0; }},
    PaperFigure{"cpu-gpu", &PaperRate::bodies, [](const PaperRate& rate) { return rate.bodies > 0; }},
};

double paperValue(const PaperRate& rate, PaperMeasure measure) {
    constexpr double kSteps = 1000, kPercent = 100;
    if (measure == PaperMeasure::thousandSteps) return kSteps * rate.stepSeconds;
    if (measure == PaperMeasure::gigaRate) return 1e-9 * rate.rate;
    return rate.bound > 0 ? kPercent * rate.rate / rate.bound : 0;
}

}  // namespace

const std::vector<PaperRate>& paperRates() {
    static const std::vector<PaperRate> rates = readRates();
    return rates;
}

bool hasPapers(std::string_view figure) {
    return figure == "ladder" || std::ranges::find(kPaperFigures, figure, &PaperFigure::name) != kPaperFigures.end();
}

std::vector<PlotSeries> paperCurves(std::string_view figure, PaperMeasure measure) {
    std::vector<PlotSeries> curves;
    const auto row = std::ranges::find(kPaperFigures, figure, &PaperFigure::name);
    if (row == kPaperFigures.end()) return curves;
    const bool byBodies = row->x == &PaperRate::bodies;
    for (const PaperRate& rate : paperRates()) {
        const double value = paperValue(rate, measure);
        if (!row->has(rate) || !(value > 0)) continue;
        std::string label = "paper " + rate.paper + ": " + rate.kernel + ", " + rate.device.substr(0, rate.device.find(','));
        if (figure == "block" && rate.split > 0) label += ", split " + std::to_string(rate.split);
        auto curve = std::ranges::find(curves, label, &PlotSeries::label);
        if (curve == curves.end()) {
            curves.push_back({.label = label, .x = {}, .y = {}, .error = {}, .hollow = {}, .dashed = true});
            curve = curves.end() - 1;
        }
        const auto x = static_cast<double>(rate.*(row->x));
        const auto same = std::ranges::find(curve->x, x);
        if (same == curve->x.end()) {
            // Papers need not list their values in order.
            const auto at = std::ranges::upper_bound(curve->x, x) - curve->x.begin();
            curve->x.insert(curve->x.begin() + at, x);
            curve->y.insert(curve->y.begin() + at, value);
            curve->hollow.push_back(true);
            continue;
        }
        // Of several launches that differ only in parameters not drawn, keep the best.
        double& best = curve->y[static_cast<std::size_t>(same - curve->x.begin())];
        best = byBodies && measure == PaperMeasure::thousandSteps ? std::min(best, value) : std::max(best, value);
    }
    return curves;
}

std::vector<PaperFactor> paperFactors() {
    std::vector<PaperFactor> factors;
    for (const PaperRate& first : paperRates()) {
        if (first.kernel != "naive") continue;
        for (const PaperRate& rate : paperRates()) {
            if (rate.paper != first.paper || (first.bodies > 0 && rate.bodies != first.bodies)) continue;
            const double factor = rate.rate / first.rate;
            const auto known = std::ranges::find_if(
                factors, [&](const PaperFactor& one) { return one.paper == rate.paper && one.kernel == rate.kernel; });
            if (known == factors.end())
                factors.push_back({rate.paper, rate.kernel, factor});
            else
                known->factor = std::max(known->factor, factor);
        }
    }
    return factors;
}

std::string papersNote() {
    return "unfilled grey marks, and circles with a number: from papers, measured on their devices "
           "(docs/benchmarks/papers.csv)";
}

}  // namespace gravlab
