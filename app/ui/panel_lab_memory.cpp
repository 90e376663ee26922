// Times of the device's memories: latencies, reads at strides, ways to the host. A row appears when it is measured.
#include "app/bench/benchmark_text.h"
#include "app/ui/panels.h"
#include "app/ui/parameter_widgets.h"

namespace gravlab {
namespace {

constexpr Control kMemoryTable{"lab_memory_table", "Memory",
                               "Measured on this device: one thread follows a chain of dependent reads for a latency, all "
                               "threads read numbers a stride apart for a rate. `gravlab memory` prints the same"};

void drawTextTable(const TextTable& table) {
    constexpr auto kFlags = ImGuiTableFlags_RowBg | ImGuiTableFlags_SizingStretchProp;
    if (!ImGui::BeginTable(std::string(table.title).c_str(), static_cast<int>(table.columns.size()), kFlags)) return;
    for (const std::string_view column : table.columns) ImGui::TableSetupColumn(std::string(column).c_str());
    ImGui::TableHeadersRow();
    for (const auto& row : table.rows)
        for (const std::string& cell : row) {
            ImGui::TableNextColumn();
            ImGui::TextUnformatted(cell.c_str());
        }
    ImGui::EndTable();
}

}  // namespace

void drawLabMemory(PanelContext& p) {
    const ServiceResults::Measured& lab = p.readouts.measured;
    action(p, lab.busy ? "lab-cancel" : "lab-memory", 130 * p.widgets.scale(), lab.busy ? "Cancel" : "Time the memories");
    const Letters letters(p.widgets.fonts().small);
    if (!lab.status.empty()) p.widgets.wrapped(palette::kMuted, std::string(lab.status));
    const std::vector<TextTable> tables = memoryTables(lab.memory);
    if (tables.empty())
        p.widgets.wrapped(palette::kMuted,
                          "Nothing is measured yet. It takes about a second, in which the run waits between rows.");
    if (ImGui::BeginChild("memory times", ImVec2(0, 0))) {
        for (const TextTable& table : tables) {
            p.widgets.section(std::string(table.title).c_str());
            drawTextTable(table);
        }
    }
    ImGui::EndChild();
    p.widgets.finish(kMemoryTable);
}

}  // namespace gravlab
