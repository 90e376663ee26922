// The launch in use on the hardware: numbers at the left, the kernel's text at the right. Rule: an unknown number is a dash,
// and a rate is shown only when its forces are verified.
#include "app/bench/kernel_source.h"
#include "app/tables/format.h"
#include "app/ui/panels.h"
#include "sim/backends/block_figures.h"
#include "sim/core/names.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace gravlab {
namespace {

constexpr Control kThreads{"lab_threads", "Threads", "All threads of the grid, and warps of 32"};
constexpr Control kRule{"lab_rule", "N/p",
                        "Blocks and multiprocessors. With fewer blocks some multiprocessors are idle. A larger block can "
                        "still be faster, because its warps wait for memory less often: on an H200 with 132 the best launch "
                        "has 32 to 128 blocks. Run a sweep to see"};
constexpr Control kWaves{
    "lab_waves", "Waves",
    "Rounds of resident blocks until the grid is done. The last one uses only a fraction of the device: the tail"};
constexpr Control kOccupancy{"lab_occupancy", "Occupancy",
                             "Resident warps, as a fraction of the most that a multiprocessor can hold. Warps hide each "
                             "other's latency; registers and shared memory limit them"};
constexpr Control kRegisters{"lab_registers", "Registers",
                             "Registers per thread, as compiled; spilled ones are in slow memory"};
constexpr Control kShared{"lab_shared", "Shared", "Shared memory per block: the tile of bodies that its threads read"};
constexpr Control kMemory{"lab_memory", "Memory",
                          "Bytes that one force reads from memory: N*N/p bodies of 16 bytes. Each body is read once per "
                          "block instead of once per thread"};
constexpr Control kIssued{"lab_issued", "Issued",
                          "Instructions that the row issues for one directed pair, shared-memory reads, "
                          "shuffles and reductions included; in fp64 each takes two slots and counts twice"};
constexpr Control kPerClock{"lab_per_clock", "Pairs/clock",
                            "Directed pairs per clock and multiprocessor, at the present clock"};
constexpr Control kClock{"lab_clock", "Clock", "Clock of the multiprocessors: now, and the highest of the device"};
constexpr Control kVector{"lab_vector", "Vector", "Bodies in one register of the instruction set in use"};
constexpr Control kEach{"lab_each", "Each thread", "Directed pairs per second and thread"};
constexpr Control kBound{"lab_bound", "Bound",
                         "The achieved rate relative to the issue bound of the device for this kernel: the bar is full at "
                         "the highest clock, the line is the bound at the present clock"};
constexpr Control kLevelBodies{"lab_rungs", "Rungs",
                               "Bodies at the whole step of the run, at half of it, at a quarter and so on"};
constexpr Control kLevelForces{"lab_forces", "Forces", "Forces per body and step, on average"};
constexpr Control kTree{"lab_tree", "Tree",
                        "Levels of the octree of the last force, its root included, and all of its nodes"};
constexpr Control kLeaves{"lab_leaves", "Leaves",
                          "Nodes that contain bodies directly; and groups of bodies that walk the tree together"};
constexpr Control kMet{
    "lab_met", "Each body",
    "Interactions of a body, on average: single bodies, single cells, and cells in the expansion of its group"};
constexpr Control kCells{"lab_cells", "Cells",
                         "Cells with bodies, as large as the law's cut-off; bodies per cell on average, and in the fullest"};
constexpr Control kMetNear{"lab_met_near", "Each body",
                           "Bodies in the cells around a body or in its list, on average, and as a fraction of all. When "
                           "the fraction is 1, the cut-off is larger than the system and cells have no use"};
constexpr Control kLists{"lab_lists", "Lists",
                         "Each body has a list of the sources within the cut-off and a little beyond: their number on "
                         "average, and in the longest list. The lists are the rows of a sparse matrix"};
constexpr Control kListTable{
    "lab_list_table", "Table",
    "Every list has room for this number of entries, so that a warp reads 32 lists side by side. Room "
    "beyond the end of a list takes memory and is not read"};
constexpr Control kListEntries{"lab_list_entries", "Entries",
                               "Memory of the table for each neighbour, with the unused room: the index of a body takes 4 "
                               "bytes"};
constexpr Control kListAge{"lab_list_age", "Age",
                           "Forces since the lists were made, and how often they were. A list is right until a body has "
                           "moved half of the way that lists reach beyond the cut-off"};
constexpr Control kNoList{"lab_no_list", "No list",
                          "Bodies with more neighbours than a list has room for. Each of them sums over all bodies"};
constexpr Control kBonds{"lab_bonds", "Bonds", "Bonds of the run, and those that broke"};
constexpr Control kBondRows{"lab_bond_rows", "Rows",
                            "A body is a row of a sparse matrix, and each of its bonds is an entry: entries of a row on "
                            "average, and in the longest row. A warp waits for its longest row"};
constexpr Control kBondFormat{"lab_bond_format", "Format",
                              "Table: as many columns for every row, short rows are padded (ELL). List: an entry has its "
                              "row and its column (COO). Colours: bonds of one colour share no body, and each is computed "
                              "once"};
constexpr Control kBondEntries{
    "lab_bond_entries", "Entries",
    "Memory of the matrix for each entry, pads included, and the fraction of it that pads take. In a table one long row "
    "pads all others"};
constexpr Control kTreeTime{"lab_tree_time", "ms", "Stages of the last timed force"};
constexpr Control kSource{"lab_source", "Source",
                          "The kernel's text as it was compiled. Marked lines are not in the rung below"};

/// The rate of verified forces, or 0.
double verifiedRate(const PanelContext& p) {
    return p.facts.check && p.facts.check->passed ? p.facts.interactionsPerSecond : 0;
}

std::string bytesText(double bytes) {
    return bytes < 1024 ? formatted("%.0f bytes", bytes) : formatted("%sB", withPrefix(bytes).text);
}

/// Memory of an entry of a matrix, pads included.
std::string eachText(double bytes) {
    return bytes < 1000 ? formatted("%.3g bytes each", bytes) : bytesText(bytes) + " each";
}

/// Achieved over possible: a bar, with the bound at the present clock as a line.
void drawBound(PanelContext& p, double rate, double bound, double boundNow) {
    const float s = p.widgets.scale();
    const ImVec2 from = ImGui::GetCursorScreenPos(), size(ImGui::GetContentRegionAvail().x, 12 * s);
    ImGui::Dummy(size);
    p.widgets.finish(kBound);
    ImDrawList& list = *ImGui::GetWindowDrawList();
    list.AddRectFilled(from, ImVec2(from.x + size.x, from.y + size.y), palette::veil(20), 3 * s);
    constexpr double kBoundSlack = 1.05;
    const bool impossible = rate > kBoundSlack * bound;
    const auto part = [&](double value) { return size.x * static_cast<float>(std::clamp(value / bound, 0.0, 1.0)); };
    if (rate > 0) {
        const double reached = rate / (boundNow > 0 ? boundNow : bound);
        const ImU32 colour = impossible       ? palette::kBad
                             : reached > 0.75 ? palette::kGood
                             : reached > 0.4  ? palette::kAccent
                                              : palette::kWarning;
        list.AddRectFilled(from, ImVec2(from.x + part(rate), from.y + size.y), colour, 3 * s);
    }
    if (boundNow > 0) {
        const float x = from.x + part(boundNow);
        list.AddLine(ImVec2(x, from.y - 2 * s), ImVec2(x, from.y + size.y + 2 * s), palette::kText, 2 * s);
    }
    const Letters letters(p.widgets.fonts().small);
    std::string line = rate > 0 ? formatted("%s", withPrefix(rate).text) : std::string("not verified");
    line += formatted(" of %s interactions/s", withPrefix(bound).text);
    if (rate > 0) line += formatted(": %.0f %%", 100 * rate / bound);
    if (rate > 0 && boundNow > 0) line += formatted(", %.0f %% at the present clock", 100 * rate / boundNow);
    if (impossible) line += ": more than can be issued, so this is an error of the measurement and no rate";
    p.widgets.wrapped(impossible ? palette::kBad : palette::kMuted, line);
}

void drawDevice(PanelContext& p) {
    const LaunchFacts& f = p.facts.launch;
    const KernelRow& row = *p.facts.kernel;
    const double rate = verifiedRate(p);
    const int targets = f.threads * p.facts.configuration.pairs().kernel.launch.bodiesPerThread;
    if (f.gridX > 0) {
        const auto threads = static_cast<std::uint64_t>(f.blocks()) * static_cast<std::uint64_t>(f.threads);
        drawFact(p, kThreads, formatted("%s, %s warps", grouped(threads).text, grouped(threads / 32).text));
        const bool enough = f.blocks() >= f.multiprocessors;
        // Only rows that divide targets have N/p blocks; rows that divide pairs or whole steps choose their own.
        const std::string quotient = row.cut == Split::targets || row.cut == Split::keyRanges
                                         ? formatted("%s/%d%s = ", grouped(p.facts.configuration.bodies).text, targets,
                                                     f.gridY > 1 ? formatted(" x %d", f.gridY).c_str() : "")
                                         : std::string();
        drawFact(p, kRule, quotient + formatted("%d, for %d multiprocessors", f.blocks(), f.multiprocessors),
                 enough ? palette::kGood : palette::kText);  // fewer is no fault, see the tooltip
        drawFact(p, kWaves, formatted("%.2f, the last %.0f %% full", f.waves(), 100 * f.lastWave()),
                 f.waves() >= 1 && (f.waves() > 4 || f.lastWave() > 0.7) ? palette::kText : palette::kWarning);
    }
    drawFact(p, kOccupancy,
             f.occupancy() > 0 ? formatted("%.0f %%: %d blocks, %d of %d warps", 100 * f.occupancy(), f.residentBlocks,
                                           (f.threads + 31) / 32 * f.residentBlocks, f.warpsPerMultiprocessor)
                               : "");
    drawFact(p, kRegisters,
             f.registers > 0 ? formatted("%d%s", f.registers,
                                         f.localBytes > 0 ? formatted(", %zu bytes spilled", f.localBytes).c_str() : "")
                             : "",
             f.localBytes > 0 ? palette::kWarning : palette::kText);
    drawFact(p, kShared, f.sharedBytes > 0 ? bytesText(static_cast<double>(f.sharedBytes)) : "");
    drawFact(p, kMemory, f.memoryBytes > 0 ? bytesText(f.memoryBytes) : "");
    const double slots = slotsPerDirectedPair(row, p.facts.configuration.force.precision);
    drawFact(p, kIssued, slots > 0 ? formatted("%.3g a pair", slots) : "");
    const double clock = f.clockNow > 0 ? f.clockNow : f.highestClock;
    drawFact(p, kPerClock, rate > 0 && clock > 0 ? formatted("%.2f", rate / clock / f.multiprocessors) : "");
    drawFact(p, kClock,
             f.clockNow > 0       ? formatted("%.0f of %.0f MHz", f.clockNow * 1e-6, f.highestClock * 1e-6)
             : f.highestClock > 0 ? formatted("at most %.0f MHz", f.highestClock * 1e-6)
                                  : "");
    const double lanes = static_cast<double>(f.multiprocessors) * f.lanesPerMultiprocessor;
    if (slots > 0 && f.highestClock > 0) drawBound(p, rate, lanes * f.highestClock / slots, lanes * f.clockNow / slots);
}

void drawProcessor(PanelContext& p) {
    const LaunchFacts& f = p.facts.launch;
    const double rate = verifiedRate(p);
    // A number in double precision needs the space of two.
    const bool wide = p.facts.configuration.force.precision == Precision::fp64;
    drawFact(p, kVector,
             f.vectorLanes > 0 ? formatted(wide ? "%d bodies of fp64" : "%d bodies of fp32",
                                           wide ? std::max(f.vectorLanes / 2, 1) : f.vectorLanes)
                               : "");
    drawFact(p, kEach, rate > 0 ? formatted("%s pairs/s", withPrefix(rate / std::max(f.cpuThreads, 1)).text) : "");
    drawFact(
        p, kIssued,
        p.facts.kernel->issuedPerDirectedPair > 0 ? formatted("%.3g a pair", p.facts.kernel->issuedPerDirectedPair) : "");
}

/// The stages of the last evaluation by time.
void drawTimes(PanelContext& p) {
    std::string times;
    double whole = 0;
    for (const MethodFigure& figure : p.facts.figures) {
        if (figure.unit == "s") {
            whole += figure.value;
            addTo(times, formatted("%s %.3g", std::string(figure.name).c_str(), 1e3 * figure.value));
        }
    }
    if (whole <= 0) return;
    p.widgets.label(kTreeTime);
    p.widgets.wrapped(palette::kText, times + formatted(": %.3g ms", 1e3 * whole));
    p.widgets.finish(kTreeTime);
}

/// Figures of a tree or of cells about the last evaluation: shape, interactions, time of stages.
void drawFigures(PanelContext& p) {
    const auto value = [&](std::string_view name) {
        for (const MethodFigure& figure : p.facts.figures)
            if (figure.name == name && figure.unit.empty()) return figure.value;
        return 0.0;
    };
    const auto count = [&](std::string_view name) {
        return std::string(grouped(static_cast<std::uint64_t>(std::llround(std::max(value(name), 0.0)))));
    };
    if (const std::vector<std::uint64_t> levels = bodiesOnLevels(p.facts.figures); !levels.empty()) {
        drawFact(p, kLevelBodies, joined(levels, [](std::uint64_t bodies) { return std::string(grouped(bodies)); }));
        drawFact(p, kLevelForces, formatted("%.3g per body and step", value(kForcesOfABody)));
    }
    if (value("bonds") > 0) {
        const bool broken = value("broken bonds") > 0;
        drawFact(p, kBonds, count("bonds") + (broken ? formatted("; %s broken", count("broken bonds").c_str()) : ""));
        if (value("longest row") > 0)
            drawFact(p, kBondRows, formatted("%.3g entries, at most %s", value("mean row"), count("longest row").c_str()));
        const double columns = value("width of tables"), listed = value("entries in lists");
        if (columns > 0)
            drawFact(p, kBondFormat,
                     listed > 0 ? formatted("%.0f columns, %s in a list", columns, count("entries in lists").c_str())
                                : formatted("table of %s columns", count("width of tables").c_str()));
        else if (listed > 0)
            drawFact(p, kBondFormat, formatted("list of %s entries", count("entries in lists").c_str()));
        else if (value("colours") > 0)
            drawFact(p, kBondFormat, formatted("%s colours, each bond once", count("colours").c_str()));
        if (const double bytes = value("bytes an entry"), pads = value("pads an entry"); bytes > 0)
            drawFact(p, kBondEntries, eachText(bytes) + formatted(", %.3g %% pads", 100 * pads / (1 + pads)));
    }
    if (p.facts.kernel->byCutOff) {
        if (value("width of lists") > 0) {
            const double width = value("width of lists");
            drawFact(p, kLists, formatted("%.1f bodies, at most %s", value("bodies a list"), count("longest list").c_str()));
            drawFact(p, kListTable,
                     formatted("%s columns, %.0f %% used", count("width of lists").c_str(),
                               100 * value("bodies a list") / width));
            if (value("bytes a neighbour") > 0) drawFact(p, kListEntries, eachText(value("bytes a neighbour")));
            drawFact(p, kListAge,
                     formatted("%s forces, made %s times", count("age of lists").c_str(), count("lists made").c_str()));
            if (value("bodies without a list") > 0)
                drawFact(p, kNoList, count("bodies without a list") + " bodies", palette::kWarning);
        } else {
            drawFact(p, kCells,
                     formatted("%s, %.1f bodies each, at most %s", count("cells").c_str(), value("bodies a cell"),
                               count("most in a cell").c_str()));
        }
        drawFact(p, kMetNear, formatted("%.0f bodies, %.2g %%", value("bodies a body"), 100 * value("share of all pairs")));
        drawTimes(p);
        return;
    }
    if (value("nodes") <= 0) return;
    drawFact(p, kTree, formatted("%s levels, %s nodes", count("levels").c_str(), count("nodes").c_str()));
    drawFact(p, kLeaves, formatted("%s, %s groups", count("leaves").c_str(), count("groups").c_str()));
    drawFact(p, kMet,
             formatted("%.0f bodies, %.0f cells, %.0f expanded", value("bodies a body"), value("cells a body"),
                       value("expanded a body")));
    drawTimes(p);
}

/// Colours of program text, in the order of SourceColours.
constexpr ImU32 kSourceInk[] = {IM_COL32(214, 218, 226, 255), IM_COL32(198, 146, 233, 255), IM_COL32(240, 180, 110, 255),
                                IM_COL32(122, 140, 126, 255), IM_COL32(150, 200, 120, 255), IM_COL32(110, 180, 220, 255)};

/// A line of the text, or a piece of one that is too long for the panel.
struct SourceRow {
    std::size_t line = 0;
    int first = 0, last = 0;  ///< letters
    int column = 0;           ///< its first column
};

/// Breaks lines at blanks, so that the text needs no horizontal scrolling.
std::vector<SourceRow> rowsOf(const KernelSource& source, int columns) {
    constexpr int kIndent = 8;
    std::vector<SourceRow> rows;
    for (std::size_t i = 0; i < source.lines.size(); ++i) {
        const std::string& text = source.lines[i].text;
        const int size = static_cast<int>(text.size());
        const int blanks = static_cast<int>(std::min(text.find_first_not_of(' '), text.size()));
        SourceRow row{.line = i};
        while (size - row.first > columns - row.column) {
            const int room = columns - row.column;
            const std::size_t at = text.rfind(' ', static_cast<std::size_t>(row.first + room));
            const bool blank = at != std::string::npos && static_cast<int>(at) > row.first + room / 2;
            row.last = blank ? static_cast<int>(at) + 1 : row.first + room;
            rows.push_back(row);
            row.first = row.last;
            row.column = std::min(blanks + kIndent, columns / 2);
        }
        row.last = size;
        rows.push_back(row);
    }
    return rows;
}

void drawRow(ImDrawList& list, ImVec2 at, const SourceLine& line, const SourceRow& row, ImFont* font, float letter) {
    for (const SourceSpan& span : line.spans) {
        const int first = std::max(span.first, row.first), last = std::min(span.last, row.last);
        if (first >= last) continue;
        const float x = at.x + letter * static_cast<float>(row.column + first - row.first);
        list.AddText(font, font->FontSize, ImVec2(x, at.y), kSourceInk[static_cast<std::size_t>(span.ink)],
                     line.text.c_str() + first, line.text.c_str() + last);
    }
}

/// The text on screen, in rows that fit.
struct ShownSource {
    const KernelSource* source = nullptr;
    std::vector<SourceRow> rows;
    int columns = 0;
};

}  // namespace

void drawFact(PanelContext& p, const Control& control, const std::string& value, ImU32 colour) {
    p.widgets.label(control);
    p.widgets.text(control, colour, value.empty() ? "-" : value);
}

void drawKernelText(PanelContext& p, const KernelRow& row) {
    const KernelSource& source = kernelSource(row);
    const float s = p.widgets.scale();
    ImFont* const font = p.widgets.fonts().mono;
    ImGui::PushFont(p.widgets.fonts().small);
    p.widgets.text(kSource, palette::kMuted,
                   source.file.empty()    ? "no text for this kernel"
                   : source.below.empty() ? source.file
                                          : source.file + "; marked: not in '" + source.below + "'");
    ImGui::PopFont();
    ImGui::PushStyleColor(ImGuiCol_ChildBg, IM_COL32(8, 10, 14, palette::light ? 255 : 200));
    if (ImGui::BeginChild("lab source", ImVec2(0, 0))) {
        // A new text starts at its first difference from the rung below.
        auto& [shown, rows, columns] = p.widgets.kept<ShownSource>();
        const Letters letters(font);
        const float high = std::floor(1.25f * font->FontSize);
        const float letter = font->CalcTextSizeA(font->FontSize, 1e6f, 0, "m").x;
        const float margin = 10 * s;
        // Always reserve the width of a scroll bar, so that line breaks do not depend on its presence.
        const float wide = ImGui::GetWindowWidth() - margin - ImGui::GetStyle().ScrollbarSize;
        const int fitting = std::max(24, static_cast<int>(wide / letter));
        const bool fresh = shown != &source;
        if (fresh || columns != fitting) rows = rowsOf(source, fitting);
        shown = &source;
        columns = fitting;
        if (fresh) {
            const auto from = static_cast<std::size_t>(std::max(source.firstDifference - 4, 0));
            const auto top = std::ranges::find_if(rows, [&](const SourceRow& r) { return r.line >= from; });
            ImGui::SetScrollY(high * static_cast<float>(top - rows.begin()));
        }
        ImDrawList& list = *ImGui::GetWindowDrawList();
        const ImVec2 origin = ImGui::GetCursorScreenPos();
        const auto first = static_cast<std::size_t>(std::max(0.f, std::floor(ImGui::GetScrollY() / high)));
        const auto shownLines = static_cast<std::size_t>(ImGui::GetWindowHeight() / high) + 2;
        for (std::size_t i = first; i < std::min(rows.size(), first + shownLines); ++i) {
            const SourceLine& line = source.lines[rows[i].line];
            const ImVec2 at(origin.x + margin, origin.y + high * static_cast<float>(i));
            if (line.differs) {
                list.AddRectFilled(ImVec2(origin.x, at.y), ImVec2(origin.x + margin + wide, at.y + high),
                                   IM_COL32(106, 176, 243, 34));
                list.AddRectFilled(ImVec2(origin.x, at.y), ImVec2(origin.x + 3 * s, at.y + high), palette::kAccent);
            }
            drawRow(list, at, line, rows[i], font, letter);
        }
        ImGui::Dummy(ImVec2(wide, high * static_cast<float>(rows.size())));
    }
    ImGui::EndChild();
    ImGui::PopStyleColor();
}

void drawLabLaunch(PanelContext& p) {
    const float wide = ImGui::GetContentRegionAvail().x;
    if (ImGui::BeginChild("lab facts", ImVec2(std::max(0.34f * wide, std::min(230 * p.widgets.scale(), wide)), 0))) {
        const KernelRow& row = *p.facts.kernel;
        const Letters letters(p.widgets.fonts().small);
        p.widgets.wrapped(palette::kText, std::string(row.name) + ": " + std::string(row.idea));
        if (!row.deterministic)
            p.widgets.wrapped(palette::kWarning,
                              "The order of its sums changes from run to run: a comparison, not a result.");
        ImGui::Dummy(ImVec2(0, 2 * p.widgets.scale()));
        if (p.facts.launch.multiprocessors > 0)
            drawDevice(p);
        else
            drawProcessor(p);
        if (!p.facts.figures.empty()) drawFigures(p);
    }
    ImGui::EndChild();
    ImGui::SameLine();
    if (ImGui::BeginChild("lab text", ImVec2(0, 0))) drawKernelText(p, *p.facts.kernel);
    ImGui::EndChild();
}

}  // namespace gravlab
