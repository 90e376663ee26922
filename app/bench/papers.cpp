#include "app/bench/papers.h"

#include "app/model/recorded.h"
#include "app/tables/format.h"
#include "app/tables/occupancy.h"
#include "sim/backends/backend.h"
#include "sim/core/value.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace gravlab {
namespace {

constexpr double kIssuedAPair = 14;  // for the tiled loop, see docs/benchmarks/papers.md

double paperNumber(const RecordedRow& row, std::string_view column) {
    const auto found = row.find(column);
    return found == row.end() ? 0 : gravlab::numberOf(gravlab::valueOf(found->second)).value_or(0);
}

std::string paperText(const RecordedRow& row, std::string_view column) {
    const auto found = row.find(column);
    return found == row.end() ? std::string() : found->second;
}

/// Pairs a second that the row's GPU can issue; 0: it is a processor.
double boundOf(const RecordedRow& row) {
    const std::string name = paperText(row, "gpu");
    if (name.empty()) return 0;
    const GpuRow& device = gpu(name);
    return device.multiprocessors * device.lanes * device.clock / kIssuedAPair;
}

std::vector<PaperRate> readRates() {
    std::vector<PaperRate> rates;
    for (const RecordedRow& row : recordedRows("papers")) {
        PaperRate rate{.paper = paperText(row, "paper"),
                       .device = paperText(row, "device"),
                       .kernel = paperText(row, "kernel"),
                       .bodies = static_cast<int>(paperNumber(row, "n")),
                       .block = static_cast<int>(paperNumber(row, "block")),
                       .unroll = static_cast<int>(paperNumber(row, "unroll")),
                       .split = static_cast<int>(paperNumber(row, "split")),
                       .rate = paperNumber(row, "interactions_per_second")};
        constexpr int kMostInBlock = 1024;  // the device refuses a larger block, and its measured time is meaningless
        if (!(rate.rate > 0) || rate.block > kMostInBlock) continue;
        const double pairs = static_cast<double>(rate.bodies) * rate.bodies, steps = paperNumber(row, "steps");
        rate.stepSeconds = steps > 0 ? paperNumber(row, "seconds") / steps : pairs / rate.rate;
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

/// Tables of docs/benchmarks by their names without ending: those of GPUs, the H200's first.
std::vector<std::string> tablesOfDevices() {
    std::vector<std::string> names;
    std::string_view files = benchmarkFile("*");
    while (!files.empty()) {
        const std::size_t end = std::min(files.find('\n'), files.size());
        const std::string_view name = files.substr(0, end);
        files.remove_prefix(std::min(end + 1, files.size()));
        if (name.starts_with("nvidia-") && name.ends_with(".csv")) names.emplace_back(name.substr(0, name.size() - 4));
    }
    std::ranges::stable_sort(names, {}, [](const std::string& name) { return !name.starts_with("nvidia-h200"); });
    return names;
}

/// A verified rate of this program.
struct OwnRate {
    double rate = 0, bound = 0;
    std::string device;  ///< "nvidia-h200", also where its host computed
};

/// The rate at the launch of a paper's row, of whole steps where the paper has those. Where it gives no N, the largest
/// recorded one up to 65,536 counts; of several tables, the fastest row.
OwnRate ownRate(const RecordedRow& paper, const std::string& kernel) {
    const char* const of =
        paperText(paper, "whole_steps").empty() ? "interactions_per_second" : "step_interactions_per_second";
    constexpr const char* kLaunch[] = {"n", "block", "unroll", "split"};
    constexpr double kMostBodies = 65536;
    OwnRate best;
    double mostBodies = 0;
    for (const std::string& name : kernel.empty() ? std::vector<std::string>() : tablesOfDevices()) {
        const std::string gpu = name.substr(0, name.find('-', std::string_view("nvidia-").size()));
        if (!best.device.empty() && best.device != gpu) break;
        // The table of a device has one factor of each row; the figures over the factor have that of the paper.
        if (name == gpu && paperNumber(paper, "unroll") > 0) continue;
        // A ladder has the fastest launch of each row; the figures over the block have those of the papers.
        if (name.starts_with(gpu + "-ladder") && paperNumber(paper, "block") > 0) continue;
        for (const RecordedRow& row : recordedRows(name)) {
            if (paperText(row, "kernel") != kernel) continue;
            const bool same = std::ranges::all_of(kLaunch, [&](const char* column) {
                const double wanted = paperNumber(paper, column);
                return wanted == 0 || wanted == paperNumber(row, column);
            });
            const double rate = paperNumber(row, of), bodies = paperNumber(row, "n");
            if (!same || recordedRate(row).empty() || bodies < mostBodies || bodies > kMostBodies) continue;
            if (bodies == mostBodies && rate <= best.rate) continue;
            mostBodies = bodies;
            best = {rate, paperNumber(row, "bound_interactions_per_second"), gpu};
        }
    }
    return best;
}

/// The number of this program for a quantity of a paper, which is no rate: the column `ours` names a number of a table, or a
/// ratio of two, as recordedNumber() reads them, or is a fact of the H200. A time per step [us] counts for the steps of the
/// paper, in seconds.
OwnRate ownQuantity(const RecordedRow& paper) {
    const std::string which = paperText(paper, "ours");
    if (which.empty()) return {};
    if (const auto known = gravlab::numberOf(gravlab::valueOf(which)))
        return {.rate = *known, .bound = 0, .device = "nvidia-h200"};
    constexpr std::string_view kOver = " / ";
    const std::size_t over = which.find(kOver);
    OwnRate own{.rate = recordedNumber(which.substr(0, over)), .bound = 0, .device = which.substr(0, which.find(' '))};
    if (over != which.npos) own.rate /= recordedNumber(which.substr(over + kOver.size()));
    if (const double steps = paperNumber(paper, "steps"); steps > 0) own.rate *= 1e-6 * steps;
    if (own.device.starts_with("kernel-notes")) own.device = "nvidia-h200";
    own.device = own.device.substr(0, own.device.find('-', std::string_view("nvidia-").size()));
    return own;
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

std::string papersTable() {
    std::string text =
        "| paper, place | device | what | N | p | unroll | split | theirs | of the bound | ours | of the bound | ours on | "
        "ratio | why |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n";
    const auto giga = [](double rate) {
        return rate >= 1e12 ? std::string(grouped(static_cast<std::uint64_t>(1e-9 * rate + 0.5)))
                            : formatted("%.3g", 1e-9 * rate);
    };
    const auto shareOf = [](double rate, double bound) {
        return rate > 0 && rate < bound ? formatted("%.2f", rate / bound) : std::string();
    };
    for (const RecordedRow& row : recordedRows("papers")) {
        const auto cell = [&](std::string_view column) {
            const double value = paperNumber(row, column);
            return value > 0 ? std::string(grouped(static_cast<std::uint64_t>(value))) : std::string();
        };
        const double rate = paperNumber(row, "interactions_per_second");
        const std::string quantity = paperText(row, "quantity"), kernel = paperText(row, "kernel");
        const std::string theirs = !quantity.empty() ? paperText(row, "value")
                                   : rate > 0        ? giga(rate)
                                                     : formatted("%.4g s", paperNumber(row, "seconds"));
        const OwnRate own = rate > 0 ? ownRate(row, kernel) : ownQuantity(row);
        const double value = !quantity.empty() ? paperNumber(row, "value") : paperNumber(row, "seconds");
        const std::string unit = quantity.empty() ? " s" : "";
        std::string on = own.device.substr(std::min(own.device.size(), std::string_view("nvidia-").size()));
        std::ranges::transform(on, on.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
        if (own.rate > 0 && hasKernel(hostBackend().name, kernel)) on = "host of the " + on;
        const std::string what = quantity.empty() ? "`" + kernel + "`"
                                 : kernel.empty() ? quantity
                                                  : "`" + kernel + "`, " + quantity;
        for (const std::string& part :
             {paperText(row, "paper") + ", " + paperText(row, "place"), paperText(row, "device"), what, cell("n"),
              cell("block"), cell("unroll"), cell("split"), theirs, shareOf(rate, boundOf(row)),
              !(own.rate > 0)    ? std::string()
              : rate > 0         ? giga(own.rate)
              : own.rate >= 1000 ? std::string(grouped(static_cast<std::uint64_t>(own.rate + 0.5))) + unit
                                 : formatted("%.4g", own.rate) + unit,
              shareOf(own.rate, own.bound), on,
              own.rate > 0 ? formatted("%.3g", own.rate / (rate > 0 ? rate : value)) : std::string(), paperText(row, "why")})
            text += "| " + part + (part.empty() ? "" : " ");
        text += "|\n";
    }
    return text;
}

std::string papersNote() {
    return "unfilled grey marks, and circles with a number: from papers, measured on their devices "
           "(docs/benchmarks/papers.csv)";
}

}  // namespace gravlab
