// Benchmark rows as text. One list of cells feeds CSV and JSON.
#include "app/bench/benchmark_text.h"

#include "app/tables/format.h"
#include "sim/backends/backend.h"
#include "sim/backends/block_figures.h"
#include "sim/core/names.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace gravlab {

namespace {

using Json = nlohmann::ordered_json;

/// Whether the kernel has an unroll factor; other kernels have fixed loops.
bool unrolls(const BenchmarkRow& row) {
    const auto rows = kernels();
    return std::any_of(rows.begin(), rows.end(), [&](const KernelRow& kernel) {
        return kernel.backend == row.backend && kernel.name == row.kernel && !kernel.unrolls.empty();
    });
}

Json unrollOf(const BenchmarkRow& row) {
    if (!unrolls(row)) return nullptr;
    return row.unroll == kAutoUnroll ? Json(unrollText(row.unroll)) : Json(row.unroll);
}

Json toJson(const BenchmarkRow& row) {
    const auto rate = [&row](double value) { return row.verified ? Json(value) : Json(nullptr); };
    const auto figure = [&row](std::string_view name) -> Json {
        for (const MethodFigure& one : row.figures)
            if (one.name == name) return one.unit == "s" ? 1e3 * one.value : one.value;
        return nullptr;
    };
    const auto onLevels = [&row]() -> Json {
        const std::string text = joined(
            bodiesOnLevels(row.figures), [](std::uint64_t bodies) { return std::to_string(bodies); }, " ");
        return text.empty() ? Json(nullptr) : Json(text);
    };
    return {{"backend", row.backend},
            {"device", row.device},
            {"kernel", row.kernel},
            {"n", row.bodies},
            {"block", row.block},
            {"unroll", unrollOf(row)},
            {"interactions_per_second", rate(row.interactionsPerSecond)},
            {"spread", rate(row.spread)},
            {"step_interactions_per_second", rate(row.stepInteractionsPerSecond)},
            {"step_spread", rate(row.stepSpread)},
            {"gflops", rate(row.gflops)},
            {"ms_per_step", rate(row.msPerStep)},
            {"rel_error_median", row.errorMedian},
            {"rel_error_p999", row.errorP999},
            {"verified", row.verified},
            {"bodies_per_thread", row.bodiesPerThread},
            {"split", row.split},
            {"precision", row.precision},
            {"bound_interactions_per_second", row.boundPerSecond > 0 ? Json(row.boundPerSecond) : Json(nullptr)},
            {"clock_mhz", row.clock > 0 ? Json(row.clock * 1e-6) : Json(nullptr)},
            {"integrator", row.integrator},
            {"steps", row.steps},
            {"repeats", row.repeats},
            {"note", row.note},
            // Columns of rows that approximate far bodies.
            {"accuracy", row.allowed > 0 ? Json(row.allowed) : Json(nullptr)},
            {"rel_error_p99", row.allowed > 0 ? Json(row.errorP99) : Json(nullptr)},
            {"levels", figure("levels")},
            {"leaves", figure("leaves")},
            {"bodies_a_body", figure("bodies a body")},
            {"cells_a_body", figure("cells a body")},
            {"expanded_a_body", figure("expanded a body")},
            {"longest_list", figure("longest list")},
            {"sort_ms", figure("keys and sort")},
            {"build_ms", figure("build")},
            {"moments_ms", figure("moments")},
            {"walk_ms", figure("walk")},
            // Columns of block steps.
            {"forces_a_body", figure(kForcesOfABody)},
            {"bodies_on_rungs", onLevels()},
            {"threads", row.threads > 0 ? Json(row.threads) : Json(nullptr)}};
}

std::string cell(const Json& value) {
    if (value.is_null()) return "";
    return value.is_string() ? csvCell(value.get<std::string>()) : value.dump();
}

std::string csv(std::span<const BenchmarkRow> rows) {
    std::string text = benchmarkCsvHead() + "\n";
    for (const BenchmarkRow& row : rows) text += benchmarkCsvLine(row) + "\n";
    return text;
}

std::string json(std::span<const BenchmarkRow> rows) {
    Json all = Json::array();
    for (const BenchmarkRow& row : rows) all.push_back(toJson(row));
    return all.dump(2) + "\n";
}

std::string table(std::span<const BenchmarkRow> rows) {
    std::string text = benchmarkTableHead();
    for (const BenchmarkRow& row : rows) text += benchmarkTableLine(row);
    return text + benchmarkTableFoot(rows);
}

/// "128 x16", with bodies per thread and split where they are used: "128 x16 b4 s8"; "-" for a kernel without launch
/// parameters.
std::string launchText(const BenchmarkRow& row) {
    if (row.threads > 0) return std::to_string(row.threads) + (row.threads == 1 ? " thread" : " threads");
    if (row.block == 1 && row.unroll == 1 && row.bodiesPerThread == 1 && row.split == 1) return "-";
    std::string text = std::to_string(row.block);
    if (unrolls(row)) text += " x" + unrollText(row.unroll);
    if (row.bodiesPerThread > 1) text += " b" + std::to_string(row.bodiesPerThread);
    if (row.split > 1) text += " s" + std::to_string(row.split);
    return text;
}

/// The first columns of a line, wide enough for the longest name of a kernel and for a launch with every factor. Lines
/// appear one by one, so their widths cannot come from the content.
std::string tableCells(const std::string& backend, const std::string& kernel, const std::string& bodies,
                       const std::string& launch) {
    static const int wide = [] {
        std::size_t most = 20;
        for (const std::span<const KernelRow> rows : {kernels(), trapKernels()})
            for (const KernelRow& row : rows) most = std::max(most, row.name.size());
        return static_cast<int>(most);
    }();
    return formatted("%-10s %-*s %11s  %-18s", backend.c_str(), wide, kernel.c_str(), bodies.c_str(), launch.c_str());
}

}  // namespace

std::string csvCell(std::string_view given) {
    std::string text(given);
    if (text.find_first_of(",\"\n") == std::string::npos) return text;
    for (std::size_t i = text.find('"'); i != std::string::npos; i = text.find('"', i + 2)) text.insert(i, 1, '"');
    return '"' + text + '"';
}

std::string benchmarkCsvHead() {
    const Json cells = toJson({});
    std::string text;
    for (const auto& [name, value] : cells.items()) addTo(text, name, ",");
    return text;
}

std::string benchmarkCsvLine(const BenchmarkRow& row) {
    const Json cells = toJson(row);
    std::string text;
    bool first = true;
    for (const auto& [name, value] : cells.items()) {
        text += (first ? "" : ",") + cell(value);
        first = false;
    }
    return text;
}

std::string benchmarkTableHead() {
    const std::string columns = tableCells("backend", "kernel", "N", "launch");
    return std::string(columns.size() + 5, ' ') + "force only       whole steps\n" + columns +
           formatted("%8s %7s %8s %9s %12s %9s\n", "G/s", "spread", "G/s", "ms/step", "error median", "99.9 %");
}

std::string benchmarkTableLine(const BenchmarkRow& row) {
    const std::string cells = tableCells(row.backend, row.kernel, grouped(row.bodies).text, launchText(row));
    if (row.trap.empty() && row.verified)
        return cells + formatted("%8.3f %5.1f %% %8.3f %9.4g %12.1e %9.1e\n", row.interactionsPerSecond * 1e-9,
                                 row.spread * 100, row.stepInteractionsPerSecond * 1e-9, row.msPerStep, row.errorMedian,
                                 row.errorP999);
    return cells + formatted("%8s %7s %8s %9s %12.1e %9.1e  %s\n", "-", "-", "-", "-", row.errorMedian, row.errorP999,
                             row.trap.empty() ? "NOT VERIFIED" : struckText(row).c_str());
}

std::string struckText(const BenchmarkRow& row) {
    return (row.struckRate > 0 ? formatted("the clock says %.4g G/s, ", row.struckRate * 1e-9) : "") +
           "not a rate: " + row.trap;
}

std::string benchmarkTableFoot(std::span<const BenchmarkRow> rows) {
    if (rows.empty()) return "";
    return "on " + rows.front().device +
           "; N*N pairs a force evaluation, or those computed where there are fewer; 20 effective operations a pair;\n"
           "launch: threads a block, x unroll, b bodies a thread, s split\n";
}

std::span<const BenchmarkFormat> benchmarkFormats() {
    static constexpr BenchmarkFormat kFormats[] = {{"table", table}, {"csv", csv}, {"json", json}};
    return kFormats;
}

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
    for (TextTable& table : memoryTables(times)) {
        table.rows.insert(table.rows.begin(), {table.columns.begin(), table.columns.end()});
        text += "\n" + std::string(table.title) + "\n" + alignedText(table.rows, true);
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
