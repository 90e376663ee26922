// The precisions by name, for options, files, lists and reports; Precision says what they compute. Rule: their names are
// spelled nowhere else.
#pragma once
#include "sim/api/law.h"

#include <span>
#include <string>
#include <string_view>

namespace gravlab {

/// A row of the table of precisions.
struct PrecisionRow {
    std::string_view name;  ///< stable key of --precision
    std::string_view idea;  ///< one line for lists and tooltips
    Precision precision;
};

/// All of them, in the order of the enumeration.
std::span<const PrecisionRow> precisions();
/// The row of that name. Throws UsageError naming the valid ones and the nearest.
const PrecisionRow& precision(std::string_view name);
/// The row with that name; null when there is none.
const PrecisionRow* findPrecision(std::string_view name);
std::string_view nameOf(Precision precision);
/// "fp32, mixed or fp64", each name between two `quote`s.
std::string precisionNames(std::string_view quote = {});

}  // namespace gravlab
