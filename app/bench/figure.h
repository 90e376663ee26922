// Well-known studies as a table: what each measures, and what is drawn of its CSV. `gravlab bench --figure` runs them.
#pragma once
#include "app/bench/sweep.h"
#include "app/plots/page.h"
#include "app/plots/plot.h"
#include "sim/run/configuration.h"

#include <array>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gravlab {

/// What a figure is made for.
struct FigureRequest {
    std::string backend{};              ///< resolved, never "auto"
    BackendOptions options{};           ///< device, threads
    std::string kernel{};               ///< empty: the plainest row that suits the figure
    LaunchConfig launch{};              ///< used unless the figure varies it
    std::vector<std::size_t> bodies{};  ///< empty: the figure's own
    int repeats = 5;
    // Values of x that replace the figure's own; empty: none.
    std::vector<int> blocks{}, unrolls{}, splits{}, threads{};
    std::vector<double> accuracies{}, timeSteps{}, softenings{};
    // For figures of the physics, which are computed and not timed.
    RunRequest run{};  ///< chosen scene, integrator, precision and so on
    double until = 1;  ///< simulated [T]
};

/// Called after each piece of work with the finished and total number. May throw, which ends the study.
using FigureProgress = std::function<void(std::size_t done, std::size_t all)>;

/// What a study that is not a sweep has found so far.
struct FigureStudy {
    std::string csv;  ///< with its head line
    std::size_t points = 0;
    bool right = true;  ///< every computation passed its check
};

/// A plot of a figure's CSV: the columns along both axes. A column that the CSV lacks draws nothing. figures.py draws more
/// of the same CSV: guides, maps, bars and what papers have.
struct FigurePlot {
    std::string_view x, xLabel, y, yLabel;
    double scale = 1;
    bool yLogarithmic = false;
    std::string_view spread{};           ///< column with the relative range of the repetitions
    std::string_view series = "series";  ///< column with the names of the curves
    bool inverse = false;                ///< y is `scale` over the column
};

/// Options of `bench` that a figure sets by itself or has no use for: their names, with commas.
struct UnusedOptions {
    std::string_view options{}, why{};
};

/// A row of the table of figures.
struct FigureRow {
    std::string_view name;   ///< stable key of --figure
    std::string_view idea;   ///< one line for lists
    std::string_view title;  ///< over the plot
    /// Why the figure cannot be made there; empty when it can.
    Reason (*refuses)(const FigureRequest& request);
    std::vector<SweepPoint> (*points)(const FigureRequest& request) = nullptr;
    bool page = false;  ///< as PNG, too, figures.py draws it where it can: its page has more than `plots`
    std::array<FigurePlot, 2> plots{};
    std::string_view protocol{};  ///< what a reader must know beside the numbers
    /// What is missing on this machine; null: nothing.
    std::string (*note)(const FigureRequest& request) = nullptr;
    /// Options that the figure varies, so that they may be lists.
    std::array<std::string_view, 2> walks{};
    std::array<UnusedOptions, 2> unused{};
    bool oneNumberOfBodies = false;  ///< it is of one N
    bool computed = false;           ///< by whole runs, and not timed: it takes --set and --until
    std::span<const SweepColumn> (*columns)() = nullptr;
    /// Replaces points. Adds to `into` as it goes, so that an exception leaves what was found.
    void (*study)(const FigureRequest& request, const FigureProgress& progress, FigureStudy& into) = nullptr;
};

std::span<const FigureRow> figures();
/// The figure with that name. Throws UsageError naming the valid ones and the nearest.
const FigureRow& figure(std::string_view name);

/// The page of a CSV, with device, driver, date and protocol at its foot. `note`: a line more. `papers`: with the rates of
/// papers, see app/bench/papers.h.
Page figurePage(const FigureRow& row, const std::string& csv, const std::string& note = {}, bool papers = false);
/// Its curves and notes as PNG: 1920 x 1080 pixels, readable from the back of a lecture hall.
Picture figurePicture(const FigureRow& row, const Page& page);
std::vector<Plot> figurePlots(const FigureRow& row, std::string_view csv);

/// Its numbers: the columns of every sweep, and the figure's own.
std::string figureCsv(const FigureRow& row, std::span<const SweepResult> results);

/// Exponent of y over x by least squares of their logarithms, from the points with `least` < y < `most`; 0: fewer than two
/// points.
double slopeOf(std::span<const double> x, std::span<const double> y, double least, double most);

/// Lines of a kernel's text that are neither empty nor a comment; 0: it has no text.
int linesOfKernel(const KernelRow& row);

}  // namespace gravlab
