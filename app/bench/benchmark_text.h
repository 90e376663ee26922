// Benchmark rows as text: table, CSV, JSON. Rule: a rate that is not verified is an empty cell, never a number.
#pragma once
#include "app/bench/benchmark.h"
#include "sim/backends/memory_probe.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gravlab {

/// A row of the table of formats.
struct BenchmarkFormat {
    std::string_view name;
    std::string (*text)(std::span<const BenchmarkRow>);
};
/// table, csv, json.
std::span<const BenchmarkFormat> benchmarkFormats();

/// The pieces of the table, for rows shown one by one. Each ends its line.
std::string benchmarkTableHead();
std::string benchmarkTableLine(const BenchmarkRow& row);
std::string benchmarkTableFoot(std::span<const BenchmarkRow> rows);

/// The text in place of the rate of a kernel that is wrong on purpose: "the clock says 783 G/s, not a rate: ...".
std::string struckText(const BenchmarkRow& row);

/// Names and cells of a CSV line, without the line's end.
std::string benchmarkCsvHead();
std::string benchmarkCsvLine(const BenchmarkRow& row);
/// A text as a CSV cell, quoted if necessary.
std::string csvCell(std::string_view text);

// The times of a device's memories as text for a terminal and as JSON, and the cells of their tables for a panel.

/// A table of texts, with a heading for each column.
struct TextTable {
    std::string_view title;
    std::vector<std::string_view> columns;
    std::vector<std::vector<std::string>> rows;
};

/// Latencies, strided reads and passes; a table without rows is left out.
std::vector<TextTable> memoryTables(const MemoryTimes& times);
std::string memoryText(const MemoryTimes& times);
std::string memoryJson(const MemoryTimes& times);

}  // namespace gravlab
