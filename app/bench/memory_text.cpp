#include "app/bench/memory_text.h"

#include "app/tables/format.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace gravlab {
namespace {

/// Three digits: "0.213", "44.2", "1,430".
std::string shortText(double value) {
    return value >= 999.5 ? grouped(static_cast<std::uint64_t>(value + 0.5)).text : formatted("%.3g", value);
}
std::string bandwidthText(double bytesPerSecond) { return shortText(1e-9 * bytesPerSecond); }

}  // namespace

std::vector<TextTable> memoryTables(const MemoryTimes& times) {
    std::vector<TextTable> tables;
    const bool clocks = std::ranges::any_of(times.latencies, [](const MemoryLatency& row) { return row.clocks > 0; });
    TextTable latencies{"Latency: time until a dependent instruction can use the result", {"from", "ns"}, {}};
    if (clocks) latencies.columns.push_back("clocks");
    for (const MemoryLatency& row : times.latencies) {
        latencies.rows.push_back({std::string(row.from), shortText(row.nanoseconds)});
        if (clocks) latencies.rows.back().push_back(formatted("%.1f", row.clocks));
    }
    TextTable strides{"Reads of fp32 numbers from memory, by neighbouring lanes that are a stride apart",
                      {"stride", times.unitBytes == 32 ? "sectors of 32 B for 32 lanes" : "lines of 64 B for 32 reads",
                       "requested GB/s", "moved GB/s"},
                      {}};
    for (const StridedRead& row : times.strides)
        strides.rows.push_back(
            {std::to_string(row.stride), formatted("%.0f", row.units), bandwidthText(row.useful), bandwidthText(row.moved)});
    TextTable passes{"Ways to the data", {"what", "MB", "ms", "GB/s"}, {}};
    for (const MemoryPass& row : times.passes)
        passes.rows.push_back({std::string(row.what), formatted("%.0f", 1e-6 * row.bytes), shortText(1e3 * row.seconds),
                               bandwidthText(row.bytes / row.seconds)});
    for (TextTable* table : {&latencies, &strides, &passes})
        if (!table->rows.empty()) tables.push_back(std::move(*table));
    return tables;
}

std::string memoryText(const MemoryTimes& times) {
    std::string text = times.device + "\n";
    for (const TextTable& table : memoryTables(times)) {
        text += "\n" + std::string(table.title) + "\n";
        std::vector<std::size_t> widths;
        for (const std::string_view column : table.columns) widths.push_back(column.size());
        for (const auto& row : table.rows)
            for (std::size_t k = 0; k < row.size(); ++k) widths[k] = std::max(widths[k], row[k].size());
        // Names begin at the left, numbers end at the right.
        const auto line = [&](const auto& cells) {
            for (std::size_t k = 0; k < cells.size(); ++k) {
                const std::string cell(cells[k]), room(widths[k] - cell.size(), ' ');
                text += (k ? "  " : "") + (k == 0 ? cell + room : room + cell);
            }
            text += "\n";
        };
        line(table.columns);
        for (const auto& row : table.rows) line(row);
    }
    return text;
}

std::string memoryJson(const MemoryTimes& times) {
    using Json = nlohmann::ordered_json;
    Json json{{"device", times.device}, {"piece_bytes", times.unitBytes}};
    for (const char* list : {"latencies", "strides", "passes"}) json[list] = Json::array();
    for (const MemoryLatency& row : times.latencies) {
        json["latencies"].push_back({{"from", row.from}, {"nanoseconds", row.nanoseconds}});
        if (row.clocks > 0) json["latencies"].back()["clocks"] = row.clocks;
    }
    for (const StridedRead& row : times.strides)
        json["strides"].push_back({{"stride", row.stride},
                                   {"pieces", row.units},
                                   {"requested_bytes_per_second", row.useful},
                                   {"moved_bytes_per_second", row.moved}});
    for (const MemoryPass& row : times.passes)
        json["passes"].push_back({{"what", row.what}, {"bytes", row.bytes}, {"seconds", row.seconds}});
    return json.dump(2);
}

}  // namespace gravlab
