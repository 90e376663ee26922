// The table of precisions.
#include "sim/forces/precision.h"

#include "sim/core/names.h"

#include <cstddef>
#include <iterator>

namespace gravlab {
namespace {

constexpr PrecisionRow kPrecisions[] = {
    {"fp32", "State and pairs in single precision.", Precision::fp32},
    {"mixed", "Pairs in single precision, bodies and sums in double.", Precision::mixed},
    {"fp64", "Everything in double precision.", Precision::fp64},
};

constexpr bool inOrder() {
    for (std::size_t i = 0; i < std::size(kPrecisions); ++i)
        if (static_cast<std::size_t>(kPrecisions[i].precision) != i) return false;
    return true;
}
static_assert(inOrder(), "a precision is its own index");

}  // namespace

std::span<const PrecisionRow> precisions() { return kPrecisions; }

const PrecisionRow& precision(std::string_view name) { return findRow(precisions(), "precision", name); }

const PrecisionRow* findPrecision(std::string_view name) {
    for (const PrecisionRow& row : kPrecisions)
        if (row.name == name) return &row;
    return nullptr;
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
