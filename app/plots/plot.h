// One plot for everything: the panel's curves, the lab's sweeps and the exported figures. Data in, draw list out; knows no
// window.
#pragma once
#include <imgui.h>

#include <string>
#include <utility>
#include <vector>

namespace gravlab {

/// An axis: its label, its unit, and whether it is logarithmic (base 10; values <= 0 are then omitted).
struct PlotAxis {
    std::string label{};
    bool logarithmic = false;
    double low = 0, high = 0;          ///< both 0: from the data
    std::vector<double> ticks{};       ///< explicit tick values, e.g. block sizes; empty: round numbers
    std::vector<std::string> names{};  ///< labels of these ticks; empty: their numbers
};

/// One curve. `error` may be empty, else the half length of each error bar; `hollow` marks extrapolated points.
struct PlotSeries {
    std::string label{};
    std::vector<double> x{}, y{}, error{};
    std::vector<bool> hollow{};
    bool line = true, markers = true;
    bool dashed = false;  ///< dashed line: not measured on this machine
    void add(double atX, double atY) {
        x.push_back(atX);
        y.push_back(atY);
    }
    /// With a bar of that spread, which is relative and the same in both directions.
    void add(double atX, double atY, double spread) {
        add(atX, atY);
        error.push_back(0.5 * spread * atY);
    }
};

struct Plot {
    std::string title{};
    PlotAxis x{}, y{};
    std::vector<PlotSeries> series{};
    double markX = 0;  ///< the best point; drawn as a vertical line when `marked`
    bool marked = false;
    std::vector<double> changes{};              ///< values of x at which a setting changed: dashed lines
    std::string empty = "nothing to show yet";  ///< text in place of axes when no series has a point
};

/// The series with that label; appends a new one when there is none.
PlotSeries& seriesNamed(Plot& plot, const std::string& label);

/// A curve without markers: `value` of each point over its time.
template <class Points, class Value>
PlotSeries curveOverTime(const Points& points, std::string label, Value value) {
    PlotSeries series{.label = std::move(label), .markers = false};
    for (const auto& point : points) series.add(point.time, value(point));
    return series;
}

/// How a plot is drawn. Text is ImGui's current font at `fontScale`.
struct PlotStyle {
    bool light = false;  ///< dark lines on white, for paper and projectors
    float fontScale = 1;
    float lineWidth = 2;
    bool legend = true;
    bool legendBeside = false;  ///< to the right of the frame, where it hides no curve
    bool legendAbove = false;   ///< beside the title, names in the colours of their curves
};

/// Colours of the series in order; safe for the common colour blindnesses (Okabe & Ito 2008).
ImU32 seriesColour(std::size_t index, bool light);

/// Tick values for a range: 1-2-5 steps, or decades (with 2 and 5 where there is room). At most about `most`.
std::vector<double> roundTicks(double low, double high, bool logarithmic, int most);

/// A number as people write it on an axis: 0.5, 200, 65,536, 1e-06.
std::string tickText(double value);

/// Draws into the rectangle [topLeft, bottomRight], in pixels.
void drawPlot(ImDrawList& ink, ImVec2 topLeft, ImVec2 bottomRight, const Plot& plot, const PlotStyle& style);

/// A map of values over two axes (block x unroll): cells coloured dark to bright, each with its number, the best one framed.
struct HeatMap {
    std::string title{}, xLabel{}, yLabel{}, unit{};
    std::vector<std::string> columns{}, rows{};
    std::vector<double> values{};  ///< rows x columns; NaN: not measured
};
void drawHeatMap(ImDrawList& ink, ImVec2 topLeft, ImVec2 bottomRight, const HeatMap& map, const PlotStyle& style);

/// Converts the curves to other units.
void rescale(Plot& plot, double x, double y);

}  // namespace gravlab
