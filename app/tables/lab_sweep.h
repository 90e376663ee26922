// The sweeps of the lab: a table of names, and why a sweep does not apply to a kernel.
#pragma once
#include "sim/backends/kernel.h"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace gravlab {

/// A kind of sweep: along one axis, or a map over two.
struct LabSweep {
    std::string_view name;  ///< stable: "block", "block x unroll"
    std::string_view idea;
    std::string_view axis;  ///< of the curve, or the columns
    std::string_view rows;  ///< of a map; empty for a curve
};
std::span<const LabSweep> labSweeps();

/// "cuda:tiled", or for a term beside the pair law "cuda:springs:list".
std::string rungName(const KernelRow& row);
/// Why the axis of that name (app/bench/sweep_axis.h) does not apply to that kernel; empty when it does.
Reason axisRefusal(std::string_view axis, const KernelRow& row);
/// The nearest kernel of the ladder to which the axis applies, and that computes every pair of such a force, any masses and
/// any N; null: none.
const KernelRow* nearestWith(std::string_view axis, const KernelRow& row, const ForceSettings& force);
/// The same for a sweep.
Reason refusal(const LabSweep& sweep, const KernelRow& row);
/// The sweep at that index of the table, or the first that applies to this kernel when that one does not.
const LabSweep& sweepFor(std::size_t chosen, const KernelRow& kernel);

}  // namespace gravlab
