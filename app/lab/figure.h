// The studies that people quote, as a table: what is measured, and how it is drawn. `gravlab bench --figure` walks it.
#pragma once
#include "app/lab/sweep.h"
#include "app/picture.h"

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gravlab {

/// What a figure is made for.
struct FigureRequest {
    std::string backend;              ///< resolved, never "auto"
    BackendOptions options;           ///< device, threads
    std::string kernel;               ///< empty: the plainest row that the figure fits
    LaunchConfig launch;              ///< where the figure does not vary it
    std::vector<std::size_t> bodies;  ///< empty: the figure's own
    int repeats = 5;
};

/// Where a figure is drawn.
struct FigureArea;

/// A row of the table of figures.
struct FigureRow {
    std::string_view name;   ///< stable key of --figure
    std::string_view idea;   ///< one line for lists
    std::string_view title;  ///< over the plot
    /// Why it cannot be made there; empty when it can.
    Reason (*refuses)(const FigureRequest& request);
    std::vector<SweepPoint> (*points)(const FigureRequest& request);
    void (*draw)(const FigureArea& area, std::span<const SweepResult> results);
    /// What a reader must know besides; null: nothing.
    std::string (*note)(const FigureRequest& request) = nullptr;
    /// How its points are measured where no kernels are timed; null: by a sweep.
    std::vector<SweepResult> (*measure)(const std::vector<SweepPoint>& points, const SweepSettings& settings,
                                        const std::function<void(std::size_t)>& done) = nullptr;
};

std::span<const FigureRow> figures();
/// The figure of that name. Throws UsageError naming the valid ones and the nearest.
const FigureRow& figure(std::string_view name);

/// The figure as a picture of 1920 x 1080 pixels, readable from the last row: plot, legend, device and protocol.
Picture figurePicture(const FigureRow& row, std::span<const SweepResult> results, const std::string& note);

}  // namespace gravlab
