// Rates and times that papers print, beside what this machine measures. Rule: from docs/benchmarks/papers.csv alone, always
// with paper and device, and drawn with unfilled marks.
#pragma once
#include "app/plots/plot.h"

#include <string>
#include <string_view>
#include <vector>

namespace gravlab {

/// A line of that table. 0: not in the paper.
struct PaperRate {
    std::string paper, device, kernel;
    int bodies = 0, block = 0, unroll = 0, split = 0;
    double rate = 0;         ///< directed pairs a second
    double stepSeconds = 0;  ///< of whole steps, when the paper has a time or the rate implies one
    double bound = 0;        ///< pairs a second that the device can issue at 14 instructions each; 0: a processor
};
/// Rates whose forces were computed.
const std::vector<PaperRate>& paperRates();

/// Whether papers have rates for this figure.
bool hasPapers(std::string_view figure);

/// The drawn quantity of a rate.
enum class PaperMeasure { gigaRate, share, thousandSteps };
/// Curves over the axis of a figure, all points unfilled: "paper 003: global, A100".
std::vector<PlotSeries> paperCurves(std::string_view figure, PaperMeasure measure);

/// "times the first rung" of each paper that has a plain loop on one core: for the ladder.
struct PaperFactor {
    std::string paper, kernel;
    double factor = 0;
};
std::vector<PaperFactor> paperFactors();

/// The note below a figure with papers.
std::string papersNote();

}  // namespace gravlab
