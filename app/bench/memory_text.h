// The times of a device's memories as text for a terminal and as JSON, and the cells of their tables for a panel.
#pragma once
#include "sim/backends/memory_probe.h"

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace gravlab {

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
