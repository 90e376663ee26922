// The live matrix of pair forces, with the pair under the pointer.
#include "app/lab/visit_order.h"
#include "app/tables/format.h"
#include "app/tables/occupancy.h"
#include "app/ui/panels.h"
#include "app/ui/parameter_widgets.h"
#include "app/ui/widgets.h"
#include "sim/backends/backend.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace gravlab {
namespace {

constexpr Control kMap{"lab_map", "Pairs",
                       "Row i, column j: the quantity between body i and body j; forces on a logarithmic scale. A one-sided "
                       "kernel computes every cell, a symmetric one half of them"};
constexpr Control kScale{"lab_scale", "Scale", "Force, from the strongest pair downwards"};

constexpr double kSlowMotion = 12;  // s until all pairs have been visited

// Few enough bodies that each cell has room for the name of a thread, and the example of paper 001.
constexpr std::size_t kReadersFit = 32, kFewBodies = 12;
constexpr int kFewThreads = 4;

/// The position of the cells on screen.
struct MatrixFrame {
    ImVec2 from;
    float side = 1;
    double bodies = 1;
    float x(double column) const { return from.x + side * static_cast<float>(column / bodies); }
    float y(double row) const { return from.y + side * static_cast<float>(row / bodies); }
    ImVec2 at(double column, double row) const { return {x(column), y(row)}; }
};

struct OrderInUse {
    VisitOrder order;
    KernelInUse of;
    LaunchFacts launch;
    std::size_t bodies = 0;
    Precision precision = Precision::fp32;
};

/// The visiting order of the launch in use, recomputed when the launch changes.
const VisitOrder& orderInUse(const PanelContext& p) {
    auto& [order, of, launch, bodies, precision] = p.widgets.kept<OrderInUse>();
    const RunConfiguration& c = p.facts.configuration;
    LaunchFacts now = p.facts.launch;
    now.clockNow = 0;  // changes all the time and does not matter here
    if (of != c.pairs().kernel || launch != now || bodies != c.bodies || precision != c.force.precision) {
        of = c.pairs().kernel;
        launch = now;
        bodies = c.bodies;
        precision = c.force.precision;
        order = visitOrder(*p.facts.kernel, c.pairs().kernel.launch, now, precision, bodies);
        // Without blocks here, show the order on another machine.
        if (!order.unknown.empty() && now.multiprocessors == 0) {
            const int threads = bodies <= kReadersFit ? kFewThreads : 64;
            const PlannedLaunch there =
                planned(gpu("h200"), {.bodies = bodies,
                                      .threads = threads,
                                      .registers = 40,
                                      .sharedBytes = static_cast<std::size_t>(threads) * 4 * sizeof(float)});
            const std::string why = order.unknown;
            order =
                visitOrder(kernel(deviceBackend().name, "tiled"), {.block = threads}, there.facts, Precision::fp32, bodies);
            order.example = why + formatted(" As an example, 'tiled' with %d threads per block on an H200:", threads);
        }
    }
    return order;
}

/// Veils the pairs that are not visited yet, and highlights the present ones.
void drawVisits(ImDrawList& list, const MatrixFrame& frame, const VisitOrder& order, double time) {
    constexpr ImU32 kVeil = IM_COL32(0, 0, 0, 170), kShine = IM_COL32(255, 244, 150, 235);
    constexpr float kLeast = 2;  // pixels, so that one column is visible
    ImVec2 from, to;
    bool open = false;
    const auto flush = [&] {
        if (open) list.AddRectFilled(from, to, kVeil);
        open = false;
    };
    const auto veil = [&](ImVec2 a, ImVec2 b) {
        if (open && a.y == from.y && b.y == to.y && a.x == to.x) {
            to = b;
            return;
        }
        flush();
        from = a, to = b, open = true;
    };
    for (const VisitTile& tile : order.tiles) {
        if (time >= tile.end) continue;
        const ImVec2 first = frame.at(tile.column, tile.row), last = frame.at(tile.columnEnd, tile.rowEnd);
        if (time < tile.begin) {
            veil(first, last);
            continue;
        }
        const auto part = static_cast<float>((time - tile.begin) / (tile.end - tile.begin));
        if (tile.mirrored) {
            const float now = first.y + part * (last.y - first.y);
            list.AddRectFilled(ImVec2(first.x, now), ImVec2(last.x, std::min(now + kLeast, last.y)),
                               IM_COL32(150, 200, 255, 235));
            veil(ImVec2(first.x, now), last);
        } else {
            const float now = first.x + part * (last.x - first.x);
            list.AddRectFilled(ImVec2(now, first.y), ImVec2(std::min(now + kLeast, last.x), last.y), kShine);
            veil(ImVec2(now, first.y), last);
        }
    }
    flush();
}

/// Thin lines for tiles, stronger ones for blocks, a thick one at the end of a wave.
void drawBorders(ImDrawList& list, const MatrixFrame& frame, const VisitOrder& order, float s) {
    constexpr float kLeast = 5;  // least distance of lines in pixels
    const auto far = [&](std::uint32_t bodies) {
        return bodies > 0 && frame.side * static_cast<float>(bodies / frame.bodies) >= kLeast;
    };
    const double n = frame.bodies;
    if (far(order.tile) && order.tile < n)
        for (double c = order.tile; c < n; c += order.tile)
            list.AddLine(frame.at(c, 0), frame.at(c, n), IM_COL32(255, 255, 255, 120), s);
    const VisitTile* before = nullptr;
    for (const VisitTile& tile : order.tiles) {
        if (tile.mirrored) continue;
        if (before && tile.row != before->row && tile.block != before->block) {
            const bool wave = tile.wave != before->wave && !order.once;
            if (tile.row > 0 && (wave || far(tile.rowEnd - tile.row)))
                list.AddLine(
                    frame.at(order.once ? 0 : tile.column, tile.row),
                    frame.at(order.once ? n : std::min(n, static_cast<double>(tile.column) + order.range), tile.row),
                    wave ? palette::kWarning : IM_COL32(110, 190, 255, 150), wave ? 3 * s : 1.5f * s);
        }
        if (!order.once && order.range < n && tile.row == 0 && tile.column > 0 && tile.column % order.range == 0)
            list.AddLine(frame.at(tile.column, 0), frame.at(tile.column, n), IM_COL32(110, 190, 255, 220), 2 * s);
        before = &tile;
    }
}

/// The pair under the pointer: its row and column, and the tile that has it.
void drawMark(ImDrawList& list, const MatrixFrame& frame, const VisitOrder& order, std::uint32_t i, std::uint32_t j,
              float s) {
    const double wide = std::max(1.0, 2 * static_cast<double>(s) * frame.bodies / static_cast<double>(frame.side));
    list.AddRectFilled(frame.at(0, i), frame.at(frame.bodies, i + wide), IM_COL32(255, 255, 255, 70));
    list.AddRectFilled(frame.at(j, 0), frame.at(j + wide, frame.bodies), IM_COL32(255, 255, 255, 70));
    if (const VisitTile* tile = tileOf(order, i, j))
        list.AddRect(frame.at(tile->column, tile->row), frame.at(tile->columnEnd, tile->rowEnd), palette::kGood, 0, 0,
                     2 * s);
}

/// The tile under the pointer, or the one that block 0 visits: in green the threads that hold its rows, in orange those that
/// read its columns into shared memory.
void drawReaders(ImDrawList& list, const MatrixFrame& frame, const VisitOrder& order, const VisitTile& tile, float s) {
    constexpr ImU32 kHolds = IM_COL32(0, 200, 145, 255), kReads = IM_COL32(240, 170, 40, 255);
    list.AddRect(frame.at(tile.column, tile.row), frame.at(tile.columnEnd, tile.rowEnd), kHolds, 0, 0, 2 * s);
    const auto name = [&](ImVec2 at, ImU32 colour, std::uint32_t thread) {
        const std::string text = formatted("t%u", thread);
        const ImVec2 size = ImGui::CalcTextSize(text.c_str());
        list.AddRectFilled(at, ImVec2(at.x + size.x + 4 * s, at.y + size.y), IM_COL32(0, 0, 0, 190));
        list.AddText(ImVec2(at.x + 2 * s, at.y), colour, text.c_str());
    };
    const float cell = frame.side / static_cast<float>(frame.bodies), line = ImGui::GetTextLineHeight();
    for (std::uint32_t row = tile.row; row < tile.rowEnd; ++row)
        name(ImVec2(frame.x(tile.column) + 2 * s, frame.y(row) + cell - line - s), kHolds,
             (row - tile.row) % static_cast<std::uint32_t>(order.threads));
    for (std::uint32_t column = tile.column; order.tile > 0 && column < tile.columnEnd; ++column)
        name(ImVec2(frame.x(column) + 0.5f * cell, frame.y(tile.row) + s), kReads, column - tile.column);
}

std::string shownName(PairValue value) {
    constexpr const char* kNames[] = {"|F|", "|U|", "Fx", "distance"};  // in the order of PairValue
    return kNames[static_cast<std::size_t>(value)];
}

}  // namespace

/// Largest N for which single pairs stay visible in the matrix.
constexpr std::size_t kMatrixFit = 1024;
constexpr Control kFewer{"matrix_fit", "", "Restarts the scene with few bodies, so that each pair has a cell"},
    kReaders{
        "matrix_readers", "12 bodies, 4 threads",
        "Restarts the scene with 12 bodies and, on a GPU, 'tiled' with blocks of 4 threads: the cells show who reads what"};

/// The example of paper 001. A processor has no blocks, so that the page shows those of an H200.
void showFewBodies(PanelContext& p) {
    set(p, "run.bodies", wholeValue(kFewBodies));
    if (!backend(p.facts.kernel->backend).onDevice) return;
    set(p, "run.kernel", std::string("tiled"));
    set(p, "run.block", wholeValue(kFewThreads));
}

void drawLabMatrix(PanelContext& p) {
    const PairMatrix& matrix = p.readouts.matrix;
    const float s = p.widgets.scale();
    ImGui::PushFont(p.widgets.fonts().small);
    if (matrix.cells() == 0 || matrix.texture() == 0) {
        const std::string text =
            formatted("The matrix is shown for at most %s bodies; there are %s.", grouped(PairMatrix::kMostBodies).text,
                      grouped(p.facts.configuration.bodies).text);
        const bool many = p.facts.configuration.bodies > PairMatrix::kMostBodies;
        p.widgets.wrapped(palette::kMuted, many ? text.c_str() : "The matrix appears with the next step.");
        ImGui::PopFont();
        if (many) {
            const std::string label = "Show it with " + std::string(grouped(kMatrixFit)) + " bodies";
            Control button = kFewer;
            button.label = label.c_str();
            if (p.widgets.button(button, 0, actionOf("fewer-bodies").unavailable(p.document)))
                set(p, "run.bodies", wholeValue(kMatrixFit));
            ImGui::SameLine();
            if (p.widgets.button(kReaders, 0, actionOf("fewer-bodies").unavailable(p.document))) showFewBodies(p);
        }
        return;
    }
    const auto n = static_cast<std::uint64_t>(matrix.bodies());
    p.widgets.wrapped(
        palette::kMuted,
        formatted("%s x %s pairs%s. %s.", grouped(n).text, grouped(n).text,
                  matrix.stride() > 1 ? "; a cell is the largest of a block of neighbours" : "", matrix.path().c_str()));

    parameter(p, "lab.matrix", {.width = 100 * s});
    ImGui::SameLine();
    for (const char* path : {"lab.borders", "lab.visits"}) {
        const bool on = std::get<bool>(parameter(path).get(p.document));
        if (p.widgets.litButton(controlOf(parameter(path)), 66 * s, on)) set(p, path, !on);
        ImGui::SameLine();
    }
    action(p, "matrix-csv", 44 * s, "CSV");
    ImGui::SameLine();
    action(p, "matrix-npy", 44 * s, "npy");
    ImGui::SameLine();
    if (p.widgets.button(kReaders, 0, actionOf("fewer-bodies").unavailable(p.document))) showFewBodies(p);
    if (!p.document.labPanel.said.empty()) {
        ImGui::SameLine();
        ImGui::TextUnformatted(p.document.labPanel.said.c_str());
    }

    const ImVec2 room = ImGui::GetContentRegionAvail();
    const float line = ImGui::GetTextLineHeight(), bar = 120 * s;
    const float side = std::max(40.f, std::min(room.y - 1.6f * line, std::max(room.x - bar - 220 * s, 0.6f * room.x)));
    const ImVec2 from = ImGui::GetCursorScreenPos();
    // ImTextureID is a pointer in some versions of ImGui and a number in others: this cast works for both.
    ImGui::Image((ImTextureID) static_cast<std::uintptr_t>(matrix.texture()), ImVec2(side, side));
    const bool hovered = ImGui::IsItemHovered();
    p.widgets.finish(kMap);
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    const double across = (mouse.x - from.x) / side, down = (mouse.y - from.y) / side;
    if (hovered) p.pair = {across, down};
    const auto cell = hovered ? matrix.at(across, down) : std::nullopt;

    const VisitOrder& order = orderInUse(p);
    const MatrixFrame frame{from, side, static_cast<double>(matrix.bodies())};
    const bool ordered = order.unknown.empty() && matrix.bodies() == p.facts.configuration.bodies;
    const auto bodyAt = [&](float part) {
        return std::min(static_cast<std::uint32_t>(std::max(part, 0.f) * static_cast<float>(matrix.bodies())),
                        static_cast<std::uint32_t>(matrix.bodies() - 1));
    };
    const std::uint32_t i = bodyAt((mouse.y - from.y) / side), j = bodyAt((mouse.x - from.x) / side);
    double time = 0;
    const VisitTile* readers = nullptr;
    if (ordered) {
        ImDrawList& over = *ImGui::GetWindowDrawList();
        over.PushClipRect(from, ImVec2(from.x + side, from.y + side), true);
        time = std::fmod(ImGui::GetTime(), kSlowMotion) / kSlowMotion * order.length *
               1.1;  // with a pause that shows the whole matrix
        if (p.document.labPanel.visits) drawVisits(over, frame, order, time);
        if (p.document.labPanel.borders) drawBorders(over, frame, order, s);
        if (hovered) drawMark(over, frame, order, i, j, s);
        if (matrix.bodies() <= kReadersFit && order.threads > 1 && !order.once) {
            for (const VisitTile& tile : order.tiles)
                if (tile.block == 0 && (!readers || time >= tile.begin)) readers = &tile;
            if (hovered) readers = tileOf(order, i, j);
            if (readers) drawReaders(over, frame, order, *readers, s);
        }
        over.PopClipRect();
    }

    // The colour scale beside it, with a number per decade.
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const ImVec2 strip(from.x + side + 14 * s, from.y);
    constexpr int kSteps = 70;
    for (int k = 0; k < kSteps; ++k) {
        const float y = strip.y + side * static_cast<float>(k) / kSteps;
        list.AddRectFilled(ImVec2(strip.x, y), ImVec2(strip.x + 14 * s, y + side / kSteps + 1),
                           levelColour(matrix.shown(), 1 - static_cast<float>(k) / kSteps));
    }
    const auto top = static_cast<double>(matrix.strongest());
    constexpr int kMarks = 7;
    for (int mark = 0; mark < kMarks; ++mark) {
        const double part = mark / static_cast<double>(kMarks);
        double value = top * std::pow(10.0, -part * static_cast<double>(PairMatrix::kDecades));
        if (matrix.shown() == PairValue::distance) value = top * (1 - part);
        if (matrix.shown() == PairValue::component) {  // from right through zero to left
            const double off = std::abs(2 * part - 1);
            value = top * std::pow(10.0, -(1 - off) * static_cast<double>(PairMatrix::kDecades)) * (part > 0.5 ? -1 : 1);
        }
        list.AddText(ImVec2(strip.x + 20 * s, strip.y + side * static_cast<float>(part)), palette::kMuted,
                     formatted(matrix.shown() == PairValue::distance ? "%.3g" : "%.1e", value).c_str());
    }
    // Explain the lines, and which thread computes the pair under the pointer.
    const float aside = strip.x + 92 * s;
    ImGui::SetCursorScreenPos(ImVec2(aside, from.y));
    ImGui::BeginGroup();
    const float most = std::max(60.f, ImGui::GetWindowPos().x + ImGui::GetWindowContentRegionMax().x - aside);
    const auto say = [&](ImU32 colour, const std::string& what) { colouredText(colour, linesWithin(what, most)); };
    if (!ordered) {
        say(palette::kMuted, order.unknown);
    } else {
        if (!order.example.empty()) say(palette::kMuted, order.example);
        say(palette::kText, (order.example.empty() ? std::string(p.facts.kernel->name) : std::string("tiled")) +
                                (order.threads > 1 ? formatted(": %d threads a block, %d bodies a thread", order.threads,
                                                               order.bodiesPerThread)
                                                   : ": one thread"));
        if (order.tile > 0) say(palette::kMuted, formatted("Thin: tiles of %u sources", order.tile));
        if (readers) {
            const std::uint32_t rows = readers->rowEnd - readers->row, columns = readers->columnEnd - readers->column;
            say(IM_COL32(0, 200, 145, 255),
                formatted("Green: who holds target %u to %u", readers->row, readers->rowEnd - 1));
            say(IM_COL32(240, 170, 40, 255),
                order.tile > 0 ? formatted("Orange: who reads source %u to %u for all: %u reads for %u pairs",
                                           readers->column, readers->columnEnd - 1, columns, rows * columns)
                               : formatted("Each thread reads every source itself: %u reads", rows * columns));
        }
        if (order.threads > 1)
            say(IM_COL32(110, 190, 255, 255), order.once ? "Blue: tiles of targets" : "Blue: blocks and their parts");
        if (order.threads > 1)
            say(order.waves > 1 ? palette::kWarning : palette::kMuted,
                order.waves > 1 ? formatted("Thick: %d waves of blocks", order.waves)
                                : std::string("All blocks at once: one wave"));
        if (p.document.labPanel.visits)
            say(palette::kText, formatted("Visited: %.0f %%", 100 * std::min(1.0, time / std::max(order.length, 1.0))));
        if (order.once && p.document.labPanel.visits) say(IM_COL32(150, 200, 255, 255), "Light blue: the other half, added");
        if (hovered) say(palette::kGood, visitText(order, i, j));
    }
    ImGui::EndGroup();
    ImGui::SetCursorScreenPos(ImVec2(from.x, from.y + side + 0.3f * line));
    std::string text = hovered ? "The GPU searches this pair." : "Rest the pointer on a cell for its pair.";
    if (cell)
        text = formatted("%s(%s, %s) = %.3e at distance %.4g", shownName(matrix.shown()).c_str(), grouped(cell->i).text,
                         grouped(cell->j).text, cell->value, cell->distance);
    p.widgets.text(kScale, cell ? palette::kText : palette::kMuted, text);
    ImGui::PopFont();
}

}  // namespace gravlab
