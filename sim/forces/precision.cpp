#include "sim/forces/precision.h"

#include "sim/core/names.h"

#include <algorithm>
#include <iterator>

namespace gravlab {
namespace {

constexpr PrecisionRow kPrecisions[] = {
    {"fp32", "State and pairs in single precision.", Precision::fp32},
    {"mixed", "Pairs in single precision, bodies and sums in double.", Precision::mixed},
    {"fp64", "Everything in double precision.", Precision::fp64},
};

static_assert(std::ranges::is_sorted(kPrecisions, {}, &PrecisionRow::precision), "a precision is its own index");

}  // namespace

std::span<const PrecisionRow> precisions() { return kPrecisions; }

const PrecisionRow& precision(std::string_view name) { return findRow(precisions(), "precision", name); }

const PrecisionRow* findPrecision(std::string_view name) {
    const auto row = std::ranges::find(kPrecisions, name, &PrecisionRow::name);
    return row == std::end(kPrecisions) ? nullptr : row;
}

std::string_view nameOf(Precision precision) { return kPrecisions[static_cast<std::size_t>(precision)].name; }

std::string precisionNames(std::string_view quote) {
    std::string text;
    for (const PrecisionRow& row : kPrecisions) {
        const bool last = &row == std::end(kPrecisions) - 1;
        text += text.empty() ? "" : last ? " or " : ", ";
        text.append(quote).append(row.name).append(quote);
    }
    return text;
}

}  // namespace gravlab
