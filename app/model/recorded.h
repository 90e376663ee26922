// Rates measured on a named device and published in docs/benchmarks, for machines without that device. Rule: they are
// embedded unchanged, always with device and date, and never appear beside rates of this machine without them.
#pragma once
#include "app/model/lesson.h"

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gravlab {

/// Content of an embedded file of docs/benchmarks by its name; empty when no file has that name.
std::string_view benchmarkFile(std::string_view name);

/// A line of such a file, by its columns.
using RecordedRow = std::map<std::string, std::string, std::less<>>;
/// Rows of a device's file, "nvidia-h200". Throws UsageError when there is none.
const std::vector<RecordedRow>& recordedRows(std::string_view device);
/// The columns of one CSV line; texts in quotes may have commas.
std::vector<std::string> csvCells(std::string_view line);
/// The rows of a whole CSV text, whose first line names the columns.
std::vector<RecordedRow> rowsOf(std::string_view text);

/// A cell; empty where the row has no such column.
const std::string& textIn(const RecordedRow& row, std::string_view column);
/// Its number; 0: the cell has none.
double numberIn(const RecordedRow& row, std::string_view column);

/// Devices with files, "nvidia-h200" first.
std::vector<std::string> recordedDevices();
/// Recorded figures by their axis, and by their kernel where it is not `tiled`: "bodies", "block-global" and so on.
std::span<const std::string_view> recordedFigures();

/// A curve of a recorded figure.
struct RecordedCurve {
    std::string label;
    std::vector<double> x, y, halfSpread;  ///< y: G interactions/s
};
/// A recorded figure, with device and date.
struct RecordedFigure {
    std::string heading;  ///< "Recorded: NVIDIA H200, 2026-11-21. tiled, forces only"
    std::vector<RecordedCurve> curves;
    std::string missing;  ///< why there are no curves; empty: there are some
};
/// Reads DEVICE-FIGURE.csv; for "bodies" without such a file, the rows of DEVICE.csv. Made once, and valid as long as the
/// program runs.
const RecordedFigure& recordedFigure(const std::string& device, const std::string& figure);

/// "NVIDIA H200, 2026-11-21".
std::string deviceAndDate(const RecordedRow& row);

/// "1,738": its verified rate in single precision [G interactions/s]; empty: none.
std::string recordedRate(const RecordedRow& row);

/// "DEVICE:KERNEL:N" -> "1,738 G/s (recorded, NVIDIA H200, 2026-11-21)". Throws UsageError when it was not recorded.
std::string recordedText(std::string_view which);

/// "FILE KERNEL COLUMN=VALUE ... of=COLUMN": a number of a table of docs/benchmarks. Without `of` it is the rate [G
/// interactions/s]. Throws UsageError when no row matches, or when matching rows differ; with best=COLUMN the matching row
/// with the largest number there counts.
double recordedNumber(std::string_view which);

/// A table for people: its heading has device and date; a cell is G interactions/s, forces alone.
struct RecordedTable {
    std::string heading;
    std::vector<std::string> columns;            ///< "65,536"
    std::vector<std::vector<std::string>> rows;  ///< kernel, then one cell per column; "-": not recorded
    std::vector<std::vector<double>> rates;      ///< as numbers; 0: not recorded
};
/// Throws UsageError for a device, kernel or column without any record.
RecordedTable recordedTable(const LessonTable& table);

}  // namespace gravlab
