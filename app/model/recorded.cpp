#include "app/model/recorded.h"

#include "app/tables/format.h"
#include "sim/api/errors.h"
#include "sim/core/text.h"
#include "sim/core/value.h"
#include "sim/forces/precision.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace gravlab {
namespace {

constexpr std::string_view kRate = "interactions_per_second";

bool has(const RecordedRow& row, std::string_view column, std::string_view value) { return textIn(row, column) == value; }

/// The number of a cell; empty where there is none.
std::optional<double> cellNumber(const RecordedRow& row, std::string_view column) {
    return numberOf(valueOf(textIn(row, column)));
}

/// A rate in single precision, for usual bodies, that passed its check [interactions/s]; 0: none.
double rateOf(const RecordedRow& row) {
    const bool counts =
        has(row, "verified", "true") && has(row, "precision", nameOf(Precision::fp32)) && has(row, "note", "");
    return counts ? numberIn(row, kRate) : 0;
}

std::string giga(double rate) {
    const double g = rate * 1e-9;
    return g >= 1000 ? std::string(grouped(static_cast<std::uint64_t>(std::llround(g)))) : formatted("%.3g", g);
}

constexpr std::string_view kOfDevices = "nvidia-";  // other files: papers and trials

constexpr std::string_view kFigures[] = {"bodies", "block",         "block-aos", "block-global",  "block-atomics",
                                         "unroll", "unroll-global", "split",     "split-atomics", "waves"};
/// Figures that are no curves of rates, or compare whole programs.
constexpr std::string_view kOtherFigures[] = {
    "accuracy", "bonds",  "block-split", "cpu-gpu",   "crossover", "depth",  "devices",  "energy-dt", "energy-softening",
    "groups",   "ladder", "ladder-4k",   "registers", "matrix",    "memory", "roofline", "threads"};

/// The device of a file of that name: the name without the figure.
std::string_view deviceOf(std::string_view file) {
    std::string_view device = file;
    const auto strip = [&](std::string_view figure) {
        if (file.size() > figure.size() + 1 && file.ends_with(figure) && file[file.size() - figure.size() - 1] == '-')
            device = device.substr(0, std::min(device.size(), file.size() - figure.size() - 1));
    };
    for (const std::string_view figure : kFigures) strip(figure);
    for (const std::string_view figure : kOtherFigures) strip(figure);
    return device;
}

/// The rates of rows as curves, named by one column over another.
RecordedFigure curvesOf(const std::vector<RecordedRow>& rows, std::string_view name, std::string_view over) {
    RecordedFigure figure;
    std::vector<std::string> kernels;
    for (const RecordedRow& row : rows) {
        const double rate = rateOf(row);
        const auto label = row.find(name), kernel = row.find("kernel");
        if (!(rate > 0) || label == row.end() || kernel == row.end()) continue;
        if (figure.heading.empty()) figure.heading = "Recorded: " + deviceAndDate(row) + ". ";
        if (std::ranges::find(kernels, kernel->second) == kernels.end()) kernels.push_back(kernel->second);
        auto curve = std::ranges::find(figure.curves, label->second, &RecordedCurve::label);
        if (curve == figure.curves.end()) {
            figure.curves.push_back({.label = label->second, .x = {}, .y = {}, .halfSpread = {}});
            curve = figure.curves.end() - 1;
        }
        curve->x.push_back(numberIn(row, over));
        curve->y.push_back(1e-9 * rate);
        curve->halfSpread.push_back(0.5e-9 * rate * numberIn(row, "spread"));
    }
    if (kernels.size() == 1) figure.heading += kernels.front() + ", ";
    if (!figure.heading.empty()) figure.heading += "forces only";
    return figure;
}

/// Whether a cell equals `wanted`: the same text, or the same number.
bool says(const RecordedRow& row, std::string_view column, std::string_view wanted) {
    if (has(row, column, wanted)) return true;
    const std::optional<double> cell = cellNumber(row, column);
    return cell && cell == numberOf(valueOf(wanted));
}

/// The number of a row in a column; empty when the row has none, or a rate that failed its check.
std::optional<double> numberOfRow(const RecordedRow& row, std::string_view column) {
    const std::optional<double> number = cellNumber(row, column.empty() ? kRate : column);
    if (!column.empty() || !number) return number;
    const bool ours = row.contains("verified");  // papers publish no check
    const double rate = ours ? rateOf(row) : *number;
    return rate > 0 ? std::optional(1e-9 * rate) : std::nullopt;
}

/// At most as many curves as there are colours: those with the highest last point.
RecordedFigure fastestOf(RecordedFigure figure) {
    constexpr std::size_t kMost = 7;
    std::ranges::stable_sort(figure.curves,
                             [](const RecordedCurve& a, const RecordedCurve& b) { return a.y.back() > b.y.back(); });
    if (figure.curves.size() > kMost) figure.curves.resize(kMost);
    return figure;
}

}  // namespace

std::vector<std::string> csvCells(std::string_view line) {
    std::vector<std::string> cells(1);
    bool quoted = false;
    for (const char c : line) {
        if (c == '"')
            quoted = !quoted;
        else if (c == ',' && !quoted)
            cells.emplace_back();
        else if (c != '\r')
            cells.back() += c;
    }
    return cells;
}

std::vector<RecordedRow> rowsOf(std::string_view text) {
    std::vector<RecordedRow> rows;
    std::vector<std::string> names;
    for (const std::string_view line : linesOf(text)) {
        if (line.empty() || line.front() == '#') continue;
        const std::vector<std::string> cells = csvCells(line);
        if (names.empty()) {
            names = cells;
            continue;
        }
        RecordedRow row;
        for (std::size_t i = 0; i < std::min(names.size(), cells.size()); ++i) row[names[i]] = cells[i];
        rows.push_back(std::move(row));
    }
    return rows;
}

const std::vector<RecordedRow>& recordedRows(std::string_view device) {
    static std::map<std::string, std::vector<RecordedRow>, std::less<>> known;
    if (const auto found = known.find(device); found != known.end()) return found->second;
    const std::string_view text = benchmarkFile(std::string(device) + ".csv");
    if (text.empty())
        throw UsageError("there are no recorded measurements of '" + std::string(device) +
                         "'; docs/benchmarks has a file for each device, such as nvidia-h200.csv");
    return known.emplace(device, rowsOf(text)).first->second;
}

std::vector<std::string> recordedDevices() {
    std::vector<std::string> devices;
    for (const std::string_view name : linesOf(benchmarkFile("*"))) {
        if (!name.ends_with(".csv") || !name.starts_with(kOfDevices)) continue;
        std::string device(deviceOf(name.substr(0, name.size() - 4)));
        if (std::ranges::find(devices, device) == devices.end()) devices.push_back(std::move(device));
    }
    std::ranges::stable_sort(devices, {}, [](const std::string& device) { return device != "nvidia-h200"; });
    return devices;
}

std::span<const std::string_view> recordedFigures() { return kFigures; }

const RecordedFigure& recordedFigure(const std::string& device, const std::string& figure) {
    static std::map<std::pair<std::string, std::string>, RecordedFigure> known;
    const auto key = std::make_pair(device, figure);
    if (const auto found = known.find(key); found != known.end()) return found->second;
    RecordedFigure made;
    if (const std::string_view text = benchmarkFile(device + "-" + figure + ".csv"); !text.empty())
        made = curvesOf(rowsOf(text), "series", "x");
    else if (const std::string_view table = benchmarkFile(device + ".csv"); figure == "bodies" && !table.empty())
        made = fastestOf(curvesOf(rowsOf(table), "kernel", "n"));
    if (made.curves.empty())
        made.missing =
            "Over '" + figure + "' nothing was recorded on " + device + ": docs/benchmarks/make.sh makes it there.";
    return known.emplace(key, std::move(made)).first->second;
}

const std::string& textIn(const RecordedRow& row, std::string_view column) {
    static const std::string kNone;
    const auto found = row.find(column);
    return found == row.end() ? kNone : found->second;
}

double numberIn(const RecordedRow& row, std::string_view column) { return cellNumber(row, column).value_or(0); }

std::string deviceAndDate(const RecordedRow& row) {
    const std::string& device = textIn(row, "device");
    return device.substr(0, device.find(',')) + ", " + textIn(row, "date");
}

std::string recordedRate(const RecordedRow& row) { return rateOf(row) > 0 ? giga(rateOf(row)) : std::string(); }

std::string recordedText(std::string_view which) {
    const std::size_t first = which.find(':'), last = which.rfind(':');
    if (first == std::string_view::npos || first == last)
        throw UsageError("'recorded:" + std::string(which) + "': expected recorded:DEVICE:KERNEL:BODIES");
    const std::string_view kernel = which.substr(first + 1, last - first - 1), bodies = which.substr(last + 1);
    for (const RecordedRow& row : recordedRows(which.substr(0, first)))
        if (has(row, "kernel", kernel) && has(row, "n", bodies) && rateOf(row) > 0)
            return giga(rateOf(row)) + " G/s (recorded, " + deviceAndDate(row) + ")";
    throw UsageError("no rate of '" + std::string(kernel) + "' with " + std::string(bodies) + " bodies was recorded on " +
                     std::string(which.substr(0, first)));
}

double recordedNumber(std::string_view which) {
    std::vector<std::string_view> words;
    for (std::string_view rest = trimmed(which); !rest.empty(); rest = trimmed(rest)) {
        const std::size_t end = std::min(rest.find(' '), rest.size());
        words.push_back(rest.substr(0, end));
        rest.remove_prefix(end);
    }
    const std::string shown = "recorded(" + std::string(which) + ")";
    if (words.empty()) throw UsageError(shown + ": expected recorded(FILE KERNEL COLUMN=VALUE ... of=COLUMN)");
    std::string_view of, best;
    std::optional<double> result;
    double most = 0;
    for (const std::string_view word : words) {
        if (word.starts_with("of=")) of = word.substr(3);
        if (word.starts_with("best=")) best = word.substr(5);
    }
    for (const RecordedRow& row : recordedRows(words.front())) {
        const bool fits = std::all_of(words.begin() + 1, words.end(), [&](std::string_view word) {
            const KeyValue pair = keyValue(word);
            return pair.key == "of" || pair.key == "best" ||
                   (pair.found ? says(row, pair.key, pair.value) : has(row, "kernel", word));
        });
        const std::optional<double> number = fits ? numberOfRow(row, of) : std::nullopt;
        if (!number) continue;
        if (!best.empty()) {
            if (numberIn(row, best) <= most) continue;
            most = numberIn(row, best);
        } else if (result && *result != *number)
            throw UsageError(shown + " fits several rows; name more columns");
        result = number;
    }
    if (!result) throw UsageError(shown + " fits no row with such a number");
    return *result;
}

RecordedTable recordedTable(const LessonTable& table) {
    const std::vector<RecordedRow>& rows = recordedRows(table.device);
    RecordedTable result;
    for (const int at : table.at) result.columns.emplace_back(grouped(static_cast<std::uint64_t>(at)));
    for (const std::string& kernel : table.kernels) {
        std::vector<std::string> cells{kernel};
        std::vector<double> rates;
        for (const int at : table.at) {
            const auto fits = [&](const RecordedRow& row) {
                return has(row, "kernel", kernel) && has(row, table.over, std::to_string(at)) && rateOf(row) > 0 &&
                       std::all_of(table.where.begin(), table.where.end(),
                                   [&](const auto& fixed) { return has(row, fixed.first, std::to_string(fixed.second)); });
            };
            const auto found = std::find_if(rows.begin(), rows.end(), fits);
            if (found != rows.end() && std::any_of(found + 1, rows.end(), fits))
                throw UsageError("several rows of '" + kernel + "' were recorded on " + table.device + " at " + table.over +
                                 " = " + std::to_string(at) + "; name more columns in 'where'");
            if (found != rows.end() && result.heading.empty())
                result.heading =
                    "Recorded: " + deviceAndDate(*found) + ". G interactions/s, forces alone, over " + table.over;
            rates.push_back(found == rows.end() ? 0 : rateOf(*found));
            cells.push_back(found == rows.end() ? "-" : giga(rates.back()));
        }
        if (std::none_of(rates.begin(), rates.end(), [](double rate) { return rate > 0; }))
            throw UsageError("nothing of '" + kernel + "' was recorded on " + table.device + " at these values of " +
                             table.over);
        result.rows.push_back(std::move(cells));
        result.rates.push_back(std::move(rates));
    }
    return result;
}

}  // namespace gravlab
