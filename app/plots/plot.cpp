// Drawing of plots. Rule: every axis has a label with its unit, and nothing overlaps at 320 x 200
// pixels.
#include "app/plots/plot.h"

#include "app/tables/format.h"
#include "sim/core/round_number.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace gravlab {
namespace {

struct Palette {
    ImU32 background, frame, grid, text, mark;
};
constexpr Palette kDark{IM_COL32(16, 18, 24, 255), IM_COL32(120, 126, 140, 255), IM_COL32(52, 56, 66, 255),
                        IM_COL32(214, 218, 226, 255), IM_COL32(240, 228, 66, 200)};
constexpr Palette kLight{IM_COL32(255, 255, 255, 255), IM_COL32(40, 40, 40, 255), IM_COL32(222, 222, 222, 255),
                         IM_COL32(20, 20, 20, 255), IM_COL32(200, 0, 0, 160)};

/// Text with the current font at a scale, and the shapes of a plot.
class Pen {
public:
    Pen(ImDrawList& ink, const PlotStyle& style) : ink_(ink), size_(ImGui::GetFontSize() * style.fontScale) {}
    float height() const { return size_; }
    ImVec2 extent(const std::string& text) const {
        return ImGui::GetFont()->CalcTextSizeA(size_, std::numeric_limits<float>::max(), 0, text.c_str());
    }
    /// `alignX`, `alignY`: 0 = the text starts at the point, 1 = it ends there.
    void text(ImVec2 at, const std::string& text, ImU32 colour, float alignX = 0, float alignY = 0) {
        const ImVec2 box = extent(text);
        ink_.AddText(ImGui::GetFont(), size_, ImVec2(std::floor(at.x - box.x * alignX), std::floor(at.y - box.y * alignY)),
                     colour, text.c_str());
    }

private:
    ImDrawList& ink_;
    float size_;
};

/// Maps values to pixels along one axis.
struct Scale {
    double low, high;
    bool logarithmic;
    float from, to;
    double position(double value) const {
        if (logarithmic) return (std::log10(value) - std::log10(low)) / (std::log10(high) - std::log10(low));
        return (value - low) / (high - low);
    }
    float pixel(double value) const { return from + static_cast<float>(position(value)) * (to - from); }
    bool shows(double value) const { return std::isfinite(value) && (!logarithmic || value > 0); }
};

/// The range of the data on one axis, widened so that points do not sit on the frame.
void fitRange(const Plot& plot, bool vertical, double& low, double& high) {
    const PlotAxis& axis = vertical ? plot.y : plot.x;
    low = axis.low, high = axis.high;
    if (low != 0 || high != 0) return;
    low = std::numeric_limits<double>::max(), high = std::numeric_limits<double>::lowest();
    for (const PlotSeries& series : plot.series)
        for (std::size_t i = 0; i < series.x.size(); ++i) {
            const double value = vertical ? series.y[i] : series.x[i];
            if (!std::isfinite(value) || (axis.logarithmic && value <= 0)) continue;
            const double half = vertical && i < series.error.size() ? series.error[i] : 0;
            low = std::min(low, axis.logarithmic && value - half <= 0 ? value : value - half);
            high = std::max(high, value + half);
        }
    if (low > high) low = axis.logarithmic ? 1 : 0, high = axis.logarithmic ? 10 : 1;
    if (axis.logarithmic) {
        const double margin = std::max(std::pow(high / low, 0.06), 1.1);
        low /= margin, high *= margin;
        return;
    }
    if (vertical && low >= 0) low = 0;  // rates and times are read against zero
    const double margin = high > low ? 0.06 * (high - low) : std::max(1e-12, 0.5 * std::abs(high));
    if (low != 0) low -= margin;
    high += margin;
}

/// Whether there is anything to draw.
bool hasPoints(const Plot& plot) {
    const auto shows = [](double value, const PlotAxis& axis) {
        return std::isfinite(value) && (!axis.logarithmic || value > 0);
    };
    for (const PlotSeries& series : plot.series)
        for (std::size_t i = 0; i < std::min(series.x.size(), series.y.size()); ++i)
            if (shows(series.x[i], plot.x) && shows(series.y[i], plot.y)) return true;
    return false;
}

void drawDashes(ImDrawList& ink, ImVec2 from, ImVec2 to, ImU32 colour, float width) {
    const float dx = to.x - from.x, dy = to.y - from.y, length = std::sqrt(dx * dx + dy * dy), dash = 5 * width;
    for (float at = 0; at < length; at += 2 * dash) {
        const float a = at / length, b = std::min(at + dash, length) / length;
        ink.AddLine(ImVec2(from.x + a * dx, from.y + a * dy), ImVec2(from.x + b * dx, from.y + b * dy), colour, width);
    }
}

/// The mark of a point: a disc, hollow where it is extrapolated, and a hollow square where it was not measured here.
void drawMark(ImDrawList& ink, ImVec2 at, float radius, bool hollow, bool elsewhere, ImU32 colour, ImU32 background) {
    constexpr float kInner = 0.55f;
    for (const float size : {radius, kInner * radius}) {
        const ImU32 fill = size == radius ? colour : background;
        if (elsewhere && hollow)
            ink.AddRectFilled(ImVec2(at.x - size, at.y - size), ImVec2(at.x + size, at.y + size), fill);
        else
            ink.AddCircleFilled(at, size, fill);
        if (!hollow) return;
    }
}

void drawSeries(ImDrawList& ink, const PlotSeries& series, ImU32 colour, ImU32 background, const Scale& sx, const Scale& sy,
                const PlotStyle& style) {
    const float radius = 2.2f * style.lineWidth;
    bool pen = false;
    ImVec2 last{};
    std::size_t points = 0;  // that are shown
    for (std::size_t i = 0; i < series.x.size(); ++i) {
        if (!sx.shows(series.x[i]) || !sy.shows(series.y[i])) {
            pen = false;
            continue;
        }
        ++points;
        const ImVec2 at(sx.pixel(series.x[i]), sy.pixel(series.y[i]));
        if (series.line && pen && !series.dashed) ink.AddLine(last, at, colour, style.lineWidth);
        if (series.line && pen && series.dashed) drawDashes(ink, last, at, colour, style.lineWidth);
        last = at, pen = true;
    }
    // A single point has no line, so draw a dot.
    if (!series.markers && points != 1) return;
    for (std::size_t i = 0; i < series.x.size(); ++i) {
        if (!sx.shows(series.x[i]) || !sy.shows(series.y[i])) continue;
        const ImVec2 at(sx.pixel(series.x[i]), sy.pixel(series.y[i]));
        if (i < series.error.size() && series.error[i] > 0) {
            const double below = series.y[i] - series.error[i];
            const float top = sy.pixel(series.y[i] + series.error[i]), bottom = sy.shows(below) ? sy.pixel(below) : sy.from;
            ink.AddLine(ImVec2(at.x, top), ImVec2(at.x, bottom), colour, 0.6f * style.lineWidth);
            for (const float y : {top, bottom})
                ink.AddLine(ImVec2(at.x - radius, y), ImVec2(at.x + radius, y), colour, 0.6f * style.lineWidth);
        }
        drawMark(ink, at, radius, i < series.hollow.size() && series.hollow[i], series.dashed, colour, background);
    }
}

/// The corner where a box of that size hides the least of curves, and how many places of them; the upper left when all are
/// equal.
std::pair<ImVec2, std::size_t> freeCorner(const Plot& plot, const Scale& sx, const Scale& sy, ImVec2 from, ImVec2 to,
                                          ImVec2 size, float gap) {
    const float right = to.x - gap - size.x, bottom = to.y - gap - size.y;
    ImVec2 best(from.x + gap, from.y + gap);
    std::size_t least = std::numeric_limits<std::size_t>::max();
    for (const ImVec2 corner : {best, ImVec2(right, from.y + gap), ImVec2(from.x + gap, bottom), ImVec2(right, bottom)}) {
        std::size_t hidden = 0;
        for (const PlotSeries& series : plot.series)
            for (std::size_t i = 0; i < series.x.size(); ++i) {
                if (!sx.shows(series.x[i]) || !sy.shows(series.y[i])) continue;
                const ImVec2 at(sx.pixel(series.x[i]), sy.pixel(series.y[i]));
                const bool follows = series.line && i > 0 && sx.shows(series.x[i - 1]) && sy.shows(series.y[i - 1]);
                const ImVec2 last = follows ? ImVec2(sx.pixel(series.x[i - 1]), sy.pixel(series.y[i - 1])) : at;
                // Places along the line to the point, and the point itself.
                constexpr int kPlaces = 8;
                for (int k = follows ? 1 : kPlaces; k <= kPlaces; ++k) {
                    const float part = static_cast<float>(k) / kPlaces;
                    const float x = last.x + part * (at.x - last.x), y = last.y + part * (at.y - last.y);
                    hidden += x >= corner.x && x <= corner.x + size.x && y >= corner.y && y <= corner.y + size.y;
                }
            }
        if (hidden >= least) continue;
        least = hidden;
        best = corner;
    }
    return {best, least};
}

}  // namespace

ImU32 seriesColour(std::size_t index, bool light) {
    static constexpr std::array<ImU32, 7> kColours = {
        IM_COL32(86, 180, 233, 255), IM_COL32(230, 159, 0, 255), IM_COL32(0, 158, 115, 255), IM_COL32(204, 121, 167, 255),
        IM_COL32(240, 228, 66, 255), IM_COL32(213, 94, 0, 255),  IM_COL32(0, 114, 178, 255)};
    const std::size_t i = index % kColours.size();
    if (light && i == 4) return IM_COL32(120, 110, 0, 255);  // the palette's yellow is unreadable on white
    if (light && i == 0) return IM_COL32(30, 120, 190, 255);
    return kColours[i];
}

std::vector<double> roundTicks(double low, double high, bool logarithmic, int most) {
    std::vector<double> ticks;
    if (!(high > low) || most < 1) return ticks;
    if (logarithmic) {
        const int first = static_cast<int>(std::floor(std::log10(low))),
                  last = static_cast<int>(std::ceil(std::log10(high)));
        const int decades = std::max(1, last - first), skip = std::max(1, (decades + most - 1) / most);
        bool fine = 3 * decades <= most;
        // One number on an axis does not show its scale.
        const auto inside = std::floor(std::log10(high) + 1e-9) - std::ceil(std::log10(low) - 1e-9) + 1;
        if (inside < 2) fine = true;
        for (int d = first; d <= last; d += skip)
            for (const double m : {1.0, 2.0, 5.0}) {
                const double value = m * std::pow(10.0, d);
                if ((m == 1 || fine) && value >= low * (1 - 1e-9) && value <= high * (1 + 1e-9)) ticks.push_back(value);
            }
        return ticks;
    }
    const double step = roundUp((high - low) / most);
    const double start = std::ceil(low / step - 1e-9);
    for (double k = start; k * step <= high + 1e-9 * step; ++k) ticks.push_back(k == 0 ? 0 : k * step);
    return ticks;
}

std::string tickText(double value) {
    const double size = std::abs(value);
    if (value == 0) return "0";
    if (size >= 1e7 || size < 1e-4) return formatted("%.3g", value);
    if (size < 1000 || value != std::floor(value)) return formatted("%.6g", value);
    std::string digits = formatted("%.0f", size);
    for (int at = static_cast<int>(digits.size()) - 3; at > 0; at -= 3) digits.insert(static_cast<std::size_t>(at), ",");
    return value < 0 ? "-" + digits : digits;
}

PlotSeries& seriesNamed(Plot& plot, const std::string& label) {
    const auto found = std::ranges::find(plot.series, label, &PlotSeries::label);
    if (found != plot.series.end()) return *found;
    plot.series.emplace_back().label = label;
    return plot.series.back();
}

void drawPlot(ImDrawList& ink, ImVec2 topLeft, ImVec2 bottomRight, const Plot& plot, const PlotStyle& style) {
    const Palette& palette = style.light ? kLight : kDark;
    Pen pen(ink, style);
    const float line = pen.height(), gap = 0.5f * line;
    ink.AddRectFilled(topLeft, bottomRight, palette.background);

    const bool empty = plot.series.empty() || !hasPoints(plot);
    double xLow, xHigh, yLow, yHigh;
    fitRange(plot, false, xLow, xHigh);
    fitRange(plot, true, yLow, yHigh);
    const float height = bottomRight.y - topLeft.y, width = bottomRight.x - topLeft.x;
    const auto yTicks = empty ? std::vector<double>()
                        : plot.y.ticks.empty()
                            ? roundTicks(yLow, yHigh, plot.y.logarithmic, std::max(2, static_cast<int>(height / (3 * line))))
                            : plot.y.ticks;
    float labelWidth = 0;
    for (const double t : yTicks) labelWidth = std::max(labelWidth, pen.extent(tickText(t)).x);

    // Put the y label as a line above the frame, because horizontal text is easier to read.
    ImVec2 from(topLeft.x + gap + labelWidth + gap, topLeft.y + gap);
    if (!plot.title.empty()) {
        pen.text(ImVec2(topLeft.x + gap, from.y), plot.title, palette.text);
        if (style.legend && style.legendAbove) {
            // Put the legend beside the title, or below it when it would not fit.
            float x = topLeft.x + gap + pen.extent(plot.title).x + 1.5f * gap, names = 0;
            for (const PlotSeries& series : plot.series) names += pen.extent(series.label).x + gap;
            if (x + names > bottomRight.x) x = topLeft.x + gap, from.y += 1.2f * line;
            for (std::size_t i = 0; i < plot.series.size(); ++i) {
                pen.text(ImVec2(x, from.y), plot.series[i].label, seriesColour(i, style.light));
                x += pen.extent(plot.series[i].label).x + gap;
            }
        }
        from.y += 1.3f * line;
    }
    if (!plot.y.label.empty()) {
        pen.text(ImVec2(topLeft.x + gap, from.y), plot.y.label, palette.frame);
        from.y += 1.2f * line;
    }
    from.y += 0.3f * line;
    float widest = 0;
    int rows = 0;
    for (const PlotSeries& series : plot.series)
        if (!series.label.empty()) widest = std::max(widest, pen.extent(series.label).x), ++rows;
    const bool legend = style.legend && rows > 0;
    const float beside = legend && style.legendBeside ? widest + 3.5f * line : 0;
    ImVec2 to(bottomRight.x - 1.5f * line - beside, bottomRight.y - (plot.x.label.empty() ? 1.6f : 2.9f) * line);
    if (to.x - from.x < 20 || to.y - from.y < 20) return;
    const Scale sx{xLow, xHigh, plot.x.logarithmic, from.x, to.x};
    Scale sy{yLow, yHigh, plot.y.logarithmic, to.y, from.y};
    const ImVec2 size(widest + 3 * line, (1.25f * static_cast<float>(rows) + 0.4f) * line);
    ImVec2 box(to.x + gap, from.y + gap);
    if (legend && !style.legendAbove && !(beside > 0)) {
        const auto [corner, hidden] = freeCorner(plot, sx, sy, from, to, size, gap);
        box = corner;
        // Where every corner has points or is too narrow, the legend is below a lower frame.
        const bool fits = hidden == 0 && size.x + 2 * gap <= to.x - from.x;
        if (!empty && !fits && to.y - from.y > 3 * size.y) {
            to.y -= size.y;
            sy.from = to.y;
            box = ImVec2(from.x, bottomRight.y - size.y);
        }
    }

    const auto xTicks = empty ? std::vector<double>()
                        : plot.x.ticks.empty()
                            ? roundTicks(xLow, xHigh, plot.x.logarithmic, std::max(2, static_cast<int>(width / (6 * line))))
                            : plot.x.ticks;
    float free = from.x - 1e3f;
    const bool named = plot.x.names.size() == xTicks.size() && !plot.x.ticks.empty();
    for (std::size_t i = 0; i < xTicks.size(); ++i) {
        const double t = xTicks[i];
        if (!sx.shows(t) || t < xLow || t > xHigh) continue;
        const float at = sx.pixel(t);
        ink.AddLine(ImVec2(at, from.y), ImVec2(at, to.y), palette.grid);
        const std::string text = named ? plot.x.names[i] : tickText(t);
        const float half = 0.5f * pen.extent(text).x;
        if (at - half < free) continue;
        pen.text(ImVec2(at, to.y + 0.3f * line), text, palette.text, 0.5f);
        free = at + half + 0.4f * line;
    }
    for (const double t : yTicks) {
        if (!sy.shows(t) || t < yLow || t > yHigh) continue;
        const float at = sy.pixel(t);
        ink.AddLine(ImVec2(from.x, at), ImVec2(to.x, at), palette.grid);
        pen.text(ImVec2(from.x - gap, at), tickText(t), palette.text, 1, 0.5f);
    }
    if (!plot.x.label.empty())
        pen.text(ImVec2(0.5f * (from.x + to.x), to.y + 1.6f * line), plot.x.label, palette.frame, 0.5f);
    if (plot.marked && sx.shows(plot.markX)) {
        const float x = sx.pixel(plot.markX), dash = 0.4f * line;
        for (float y = from.y; y < to.y; y += 2 * dash)
            ink.AddLine(ImVec2(x, y), ImVec2(x, std::min(y + dash, to.y)), palette.mark, 0.8f * style.lineWidth);
    }

    if (empty) {
        ink.AddRect(from, to, palette.frame);
        pen.text(ImVec2(0.5f * (from.x + to.x), 0.5f * (from.y + to.y)), plot.empty, palette.frame, 0.5f, 0.5f);
        return;
    }

    for (const double change : plot.changes) {
        if (!sx.shows(change) || change < xLow || change > xHigh) continue;
        for (float y = from.y; y < to.y; y += 6 * style.lineWidth)
            ink.AddLine(ImVec2(sx.pixel(change), y), ImVec2(sx.pixel(change), std::min(y + 3 * style.lineWidth, to.y)),
                        palette.mark, 0.7f * style.lineWidth);
    }
    ink.PushClipRect(from, to, true);
    for (std::size_t i = 0; i < plot.series.size(); ++i)
        drawSeries(ink, plot.series[i], seriesColour(i, style.light), palette.background, sx, sy, style);
    ink.PopClipRect();
    ink.AddRect(from, to, palette.frame);

    if (!legend || style.legendAbove) return;
    ink.AddRectFilled(box, ImVec2(box.x + size.x, box.y + size.y), palette.background, 3);
    float y = box.y + 0.2f * line;
    for (std::size_t i = 0; i < plot.series.size(); ++i) {
        if (plot.series[i].label.empty()) continue;
        const float middle = y + 0.5f * line;
        const PlotSeries& series = plot.series[i];
        const ImU32 colour = seriesColour(i, style.light);
        const ImVec2 left(box.x + 0.4f * line, middle), right(box.x + 1.8f * line, middle), at(box.x + 1.1f * line, middle);
        const float radius = 2.2f * style.lineWidth;
        // A curve whose points are all unfilled is not measured here.
        const bool hollow = series.dashed && !series.hollow.empty() && series.hollow.front();
        if (series.line && !series.dashed) ink.AddLine(left, right, colour, style.lineWidth);
        if (series.line && series.dashed) drawDashes(ink, left, right, colour, 0.5f * style.lineWidth);
        if (!series.line || hollow) drawMark(ink, at, radius, hollow, series.dashed, colour, palette.background);
        pen.text(ImVec2(box.x + 2.3f * line, y), plot.series[i].label, palette.text);
        y += 1.25f * line;
    }
}

void drawHeatMap(ImDrawList& ink, ImVec2 topLeft, ImVec2 bottomRight, const HeatMap& map, const PlotStyle& style) {
    const Palette& palette = style.light ? kLight : kDark;
    Pen pen(ink, style);
    const float line = pen.height(), gap = 0.5f * line;
    ink.AddRectFilled(topLeft, bottomRight, palette.background);
    if (map.rows.empty() || map.columns.empty()) return;
    float labelWidth = pen.extent(map.yLabel).x;
    for (const std::string& row : map.rows) labelWidth = std::max(labelWidth, pen.extent(row).x);
    pen.text(ImVec2(topLeft.x + gap, topLeft.y + gap), map.title + (map.unit.empty() ? "" : " [" + map.unit + "]"),
             palette.text);
    const ImVec2 from(topLeft.x + gap + labelWidth + gap, topLeft.y + gap + 1.6f * line),
        to(bottomRight.x - gap, bottomRight.y - 3 * line);
    if (to.x - from.x < 20 || to.y - from.y < 20) return;
    double low = std::numeric_limits<double>::max(), high = std::numeric_limits<double>::lowest();
    std::size_t best = 0;
    for (std::size_t i = 0; i < map.values.size(); ++i) {
        if (!std::isfinite(map.values[i])) continue;
        low = std::min(low, map.values[i]);
        if (map.values[i] > high) high = map.values[i], best = i;
    }
    const std::size_t columns = map.columns.size();
    const float w = (to.x - from.x) / static_cast<float>(columns), h = (to.y - from.y) / static_cast<float>(map.rows.size());
    for (std::size_t i = 0; i < map.values.size() && i < columns * map.rows.size(); ++i) {
        const ImVec2 a(from.x + w * static_cast<float>(i % columns), from.y + h * static_cast<float>(i / columns)),
            b(a.x + w - 1, a.y + h - 1);
        const ImVec2 middle(0.5f * (a.x + b.x), 0.5f * (a.y + b.y));
        if (!std::isfinite(map.values[i])) {
            ink.AddRectFilled(a, b, palette.grid);
            pen.text(middle, "-", palette.text, 0.5f, 0.5f);
            continue;
        }
        const float t = high > low ? static_cast<float>((map.values[i] - low) / (high - low)) : 1.f;
        // Dark blue to yellow with rising lightness: readable in grey and with colour blindness.
        const auto mix = [t](int p, int q, int r) {
            return static_cast<int>(t < 0.5f ? p + 2 * t * (q - p) : q + (2 * t - 1) * (r - q));
        };
        ink.AddRectFilled(a, b, IM_COL32(mix(20, 60, 250), mix(30, 130, 225), mix(80, 140, 80), 255));
        const std::string text = formatted(map.values[i] < 10 ? "%.2f" : "%.0f", map.values[i]);
        if (pen.extent(text).x < w - 2 && line < h)
            pen.text(middle, text, t > 0.55f ? IM_COL32(10, 10, 10, 255) : IM_COL32(240, 240, 240, 255), 0.5f, 0.5f);
        if (i == best)
            ink.AddRect(a, b, style.light ? IM_COL32(200, 0, 0, 255) : IM_COL32(255, 255, 255, 255), 0, 0,
                        2 * style.lineWidth);
    }
    for (std::size_t c = 0; c < columns; ++c)
        pen.text(ImVec2(from.x + w * (static_cast<float>(c) + 0.5f), to.y + 0.3f * line), map.columns[c], palette.text,
                 0.5f);
    for (std::size_t r = 0; r < map.rows.size(); ++r)
        pen.text(ImVec2(from.x - gap, from.y + h * (static_cast<float>(r) + 0.5f)), map.rows[r], palette.text, 1, 0.5f);
    pen.text(ImVec2(0.5f * (from.x + to.x), to.y + 1.6f * line), map.xLabel, palette.frame, 0.5f);
    pen.text(ImVec2(topLeft.x + gap, to.y + 0.3f * line), map.yLabel, palette.frame);
}

void rescale(Plot& plot, double x, double y) {
    for (PlotSeries& series : plot.series) {
        for (double& value : series.x) value *= x;
        for (double& value : series.y) value *= y;
    }
    for (double& change : plot.changes) change *= x;
}

}  // namespace gravlab
