// The launch calculator: occupancy and waves of a launch on a GPU that may be absent; no kernel runs for it.
#include "app/tables/format.h"
#include "app/ui/panels.h"
#include "app/ui/parameter_widgets.h"

#include <algorithm>
#include <cstdint>

namespace gravlab {
namespace {

constexpr Control kPlannedDevice{"calculator_device", "Device", "Published limits of the GPU, or the limits typed below"};
constexpr Control kPlannedBlocks{"calculator_blocks", "Blocks N/p",
                                 "Blocks of the grid and multiprocessors: with fewer blocks some multiprocessors are idle. "
                                 "A larger block can still be faster, so measure as well"};
constexpr Control kPlannedResident{"calculator_resident", "Resident",
                                   "Blocks that one multiprocessor holds at a time, and what limits them"};
constexpr Control kPlannedOccupancy{"calculator_occupancy", "Occupancy",
                                    "Resident warps, as a fraction of the most that a multiprocessor can hold"};
constexpr Control kPlannedWaves{
    "calculator_waves", "Waves",
    "Rounds of resident blocks until the grid is done; the last one uses only a fraction of the device"};
constexpr Control kPlannedTable{"calculator_table", "N/p",
                                "Blocks of the grid for each N and p: green where every multiprocessor has one; below, the "
                                "occupancy of each p. Point at a "
                                "cell for its waves and occupancy, click to take it"};

void drawQuestion(PanelContext& p) {
    parameter(p, "calculator.gpu");
    for (const char* path : {"calculator.bodies", "calculator.block", "calculator.registers", "calculator.shared",
                             "calculator.bodies_per_thread", "calculator.split"})
        typedParameter(p, path, 0), ImGui::NewLine();
    p.widgets.section("Limits of a multiprocessor");
    for (const char* path : {"calculator.multiprocessors", "calculator.warps", "calculator.resident_blocks",
                             "calculator.register_file", "calculator.shared_memory"})
        typedParameter(p, path, 0), ImGui::NewLine();
}

void drawPlanned(PanelContext& p, const GpuRow& row, const PlannedLaunch& launch) {
    const LaunchFacts& f = launch.facts;
    p.widgets.wrapped(palette::kMuted,
                      formatted("%s, %s: %d multiprocessors of %d lanes at %.2f GHz; each holds %d warps, %d blocks, %s "
                                "registers and %zu KiB of shared memory.",
                                std::string(row.title).c_str(), std::string(row.capability).c_str(), row.multiprocessors,
                                row.lanes, row.clock * 1e-9, row.warps, row.blocks,
                                grouped(static_cast<std::uint64_t>(row.registers)).text, row.sharedBytes / 1024));
    p.widgets.finish(kPlannedDevice);
    const bool enough = f.blocks() >= f.multiprocessors;
    drawFact(p, kPlannedBlocks,
             formatted(enough ? "%s, one or more for each of %d multiprocessors" : "%s, fewer than the %d multiprocessors",
                       grouped(static_cast<std::uint64_t>(f.blocks())).text, f.multiprocessors),
             enough ? palette::kGood : palette::kText);
    if (!launch.refusal.empty()) {
        p.widgets.wrapped(palette::kBad, "It would not start: " + launch.refusal + ".");
        return;
    }
    drawFact(p, kPlannedResident,
             formatted("%d blocks; %s limit%s", f.residentBlocks, std::string(nameOf(launch.limit)).c_str(),
                       launch.limit == LaunchLimit::shared ? "s" : ""));
    drawFact(p, kPlannedOccupancy,
             formatted("%.0f %%: %d of %d warps", 100 * f.occupancy(), (f.threads + 31) / 32 * f.residentBlocks,
                       f.warpsPerMultiprocessor));
    drawFact(p, kPlannedWaves, formatted("%.2f, the last %.0f %% full", f.waves(), 100 * f.lastWave()),
             f.waves() > 4 || f.lastWave() > 0.7 ? palette::kText : palette::kWarning);
}

/// N down, p to the right; a cell is green where every multiprocessor has a block.
void drawTable(PanelContext& p, const GpuRow& row, const OccupancyAsk& ask) {
    const float line = ImGui::GetTextLineHeight(), wide = ImGui::GetContentRegionAvail().x;
    p.widgets.wrapped(palette::kMuted,
                      formatted("Blocks, N/p; green: at least one for each of %d multiprocessors", row.multiprocessors));
    const ImVec2 from = ImGui::GetCursorScreenPos();
    const float first = 5.6f * line, high = 1.7f * line;
    const float cell = std::min((wide - first) / static_cast<float>(kTableBlocks.size()), 6 * line);
    const ImVec2 size(first + cell * static_cast<float>(kTableBlocks.size()),
                      1.4f * line + high * static_cast<float>(kTableBodies.size() + 1));
    ImGui::InvisibleButton("##waves", size);
    const bool pointed = ImGui::IsItemHovered(), clicked = ImGui::IsItemClicked();
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const auto write = [&](ImVec2 at, float align, ImU32 colour, const std::string& text) {
        list.AddText(ImVec2(at.x - align * ImGui::CalcTextSize(text.c_str()).x, at.y), colour, text.c_str());
    };
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    std::string words;
    for (std::size_t c = 0; c < kTableBlocks.size(); ++c)
        write(ImVec2(from.x + first + (static_cast<float>(c) + 0.5f) * cell, from.y), 0.5f, palette::kMuted,
              "p = " + std::to_string(kTableBlocks[c]));
    for (std::size_t r = 0; r < kTableBodies.size(); ++r) {
        const float top = from.y + 1.4f * line + high * static_cast<float>(r);
        write(ImVec2(from.x + first - 0.5f * line, top + 0.5f * (high - line)), 1, palette::kText,
              std::string(grouped(kTableBodies[r])));
        for (std::size_t c = 0; c < kTableBlocks.size(); ++c) {
            const PlannedLaunch launch = planned(row, planOf(ask, kTableBodies[r], kTableBlocks[c]));
            const LaunchFacts& f = launch.facts;
            const bool enough = f.blocks() >= row.multiprocessors;
            const ImVec2 a(from.x + first + cell * static_cast<float>(c), top), b(a.x + cell - 2, a.y + high - 2);
            list.AddRectFilled(a, b, enough ? IM_COL32(40, 130, 70, 170) : IM_COL32(170, 50, 50, 150), 2);
            if (kTableBodies[r] == ask.bodies && kTableBlocks[c] == ask.block) list.AddRect(a, b, palette::kText, 2, 0, 2);
            write(ImVec2(0.5f * (a.x + b.x), a.y + 0.5f * (high - line)), 0.5f,
                  launch.refusal.empty() ? palette::kText : palette::kMuted,
                  launch.refusal.empty() ? std::string(grouped(static_cast<std::uint64_t>(f.blocks()))) : std::string("-"));
            if (!pointed || mouse.x < a.x || mouse.x >= a.x + cell || mouse.y < a.y || mouse.y >= a.y + high) continue;
            words = formatted("N = %s, p = %d: ", grouped(kTableBodies[r]).text, kTableBlocks[c]) +
                    (launch.refusal.empty() ? formatted("%.2f waves, the last %.0f %% full; occupancy %.0f %%", f.waves(),
                                                        100 * f.lastWave(), 100 * f.occupancy())
                                            : launch.refusal);
            if (!clicked) continue;
            set(p, "calculator.bodies", static_cast<std::int64_t>(kTableBodies[r]));
            set(p, "calculator.block", std::int64_t{kTableBlocks[c]});
        }
    }
    // Below the table, for any N: the blocks that fit on a multiprocessor.
    const float last = from.y + 1.4f * line + high * static_cast<float>(kTableBodies.size()) + 0.5f * (high - line);
    write(ImVec2(from.x + first - 0.5f * line, last), 1, palette::kMuted, "occupancy");
    for (std::size_t c = 0; c < kTableBlocks.size(); ++c) {
        const PlannedLaunch launch = planned(row, planOf(ask, ask.bodies, kTableBlocks[c]));
        write(ImVec2(from.x + first + (static_cast<float>(c) + 0.5f) * cell, last), 0.5f, palette::kMuted,
              launch.refusal.empty() ? formatted("%.0f %%", 100 * launch.facts.occupancy()) : std::string("-"));
    }
    p.widgets.finish(kPlannedTable);
    p.widgets.wrapped(palette::kMuted, words.empty() ? " " : words);
}

}  // namespace

void drawLabCalculator(PanelContext& p) {
    const OccupancyAsk& ask = p.document.labPanel.planned;
    const GpuRow row = gpuOf(ask);
    const float s = p.widgets.scale(), wide = ImGui::GetContentRegionAvail().x;
    const Letters letters(p.widgets.fonts().small);
    if (ImGui::BeginChild("calculator question", ImVec2(std::clamp(0.36f * wide, 230 * s, 320 * s), 0))) drawQuestion(p);
    ImGui::EndChild();
    ImGui::SameLine();
    if (ImGui::BeginChild("calculator found", ImVec2(0, 0))) {
        drawPlanned(p, row, planned(row, planOf(ask)));
        ImGui::Dummy(ImVec2(0, 4 * s));
        drawTable(p, row, ask);
        p.widgets.wrapped(palette::kMuted,
                          "From published limits alone; nothing is measured. `gravlab occupancy` prints the same.");
    }
    ImGui::EndChild();
}

}  // namespace gravlab
