#include "app/tables/lab_sweep.h"

#include "sim/backends/backend.h"

#include <algorithm>
#include <iterator>

namespace gravlab {
namespace {

constexpr LabSweep kSweeps[] = {
    {"unroll", "rate over the unroll factor", "unroll", ""},
    {"block", "rate over the block size", "block", ""},
    {"bodies", "rate over the number of bodies", "bodies", ""},
    {"split", "rate over the split of the sources", "split", ""},
    {"bodies a thread", "rate over the bodies per thread", "bodies-per-thread", ""},
    {"block x unroll", "map of the rate over block size and unroll factor", "block", "unroll"},
    {"threads", "rate over the CPU threads", "threads", ""},
    {"traps", "kernels that are wrong on purpose: their measured speed is not a rate", "traps", ""},
};

/// A factor that a kernel may lack.
struct AxisRow {
    std::string_view name, what;
    bool (*has)(const KernelRow& row);
};
constexpr AxisRow kAxes[] = {
    {"unroll", "unroll factor", [](const KernelRow& row) { return row.unrolls.size() > 1; }},
    {"block", "block size", [](const KernelRow& row) { return row.blocks.first != row.blocks.last; }},
    {"split", "split", [](const KernelRow& row) { return row.splits.first != row.splits.last; }},
    {"bodies-per-thread", "choice of bodies per thread",
     [](const KernelRow& row) { return row.bodiesPerThread.size() > 1; }},
    {"threads", "CPU threads", [](const KernelRow& row) { return backend(row.backend).usesCores; }},
    {"traps", "trap beside it",
     [](const KernelRow& row) {
         return row.term == kPairLawTerm &&
                std::ranges::any_of(trapKernels(), [&](const KernelRow& trap) { return trap.backend == row.backend; });
     }},
};

}  // namespace

std::span<const LabSweep> labSweeps() { return kSweeps; }

std::string rungName(const KernelRow& row) {
    const std::string backend(row.backend), name(row.name);
    return row.term == kPairLawTerm ? backend + ":" + name : backend + ":" + std::string(row.term) + ":" + name;
}

Reason axisRefusal(std::string_view axis, const KernelRow& row) {
    for (const AxisRow& known : kAxes)
        if (known.name == axis && !known.has(row))
            return "the " + std::string(row.backend) + " kernel '" + std::string(row.name) + "' has no " +
                   std::string(known.what);
    return {};
}

const KernelRow* nearestWith(std::string_view axis, const KernelRow& row, const ForceSettings& force) {
    const std::span<const KernelRow> rows = kernels();
    // By name, for the row may be a copy.
    const auto isHere = [&](const KernelRow& other) { return other.backend == row.backend && other.name == row.name; };
    const auto here = std::ranges::find_if(rows, isHere) - rows.begin();
    const KernelRow* nearest = nullptr;
    auto least = std::ssize(rows);
    for (std::ptrdiff_t i = 0; i < std::ssize(rows); ++i) {
        const KernelRow& other = rows[static_cast<std::size_t>(i)];
        const auto away = i < here ? here - i : i - here;
        if (away >= least || other.backend != row.backend || !everyPair(other) || other.equalMasses ||
            other.cut == Split::none || !axisRefusal(axis, other).empty() || !refusal(other, force).empty())
            continue;
        least = away;
        nearest = &other;
    }
    return nearest;
}

Reason refusal(const LabSweep& sweep, const KernelRow& row) {
    Reason reason = axisRefusal(sweep.axis, row);
    if (reason.empty() && !sweep.rows.empty()) reason = axisRefusal(sweep.rows, row);
    return reason;
}

const LabSweep& sweepFor(std::size_t chosen, const KernelRow& kernel) {
    if (refusal(kSweeps[chosen], kernel).empty()) return kSweeps[chosen];
    for (const LabSweep& sweep : kSweeps)
        if (refusal(sweep, kernel).empty()) return sweep;
    return kSweeps[chosen];
}

}  // namespace gravlab
