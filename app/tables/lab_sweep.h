// What a sweep of the lab can vary: a table of names, and why a kernel has nothing to vary there.
#pragma once
#include "sim/backends/kernel.h"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace gravlab {

/// A kind of sweep: one axis, or a map over two.
struct LabSweep {
    std::string_view name;  ///< stable: "block", "block x unroll"
    std::string_view idea;
    std::string_view axis;  ///< of the curve, or the columns
    std::string_view rows;  ///< of a map; empty for a curve
};
std::span<const LabSweep> labSweeps();

/// "cuda:tiled", of another term than the pair law "cuda:springs:list".
std::string rungName(const KernelRow& row);
/// Why that kernel has nothing to walk along on the axis of that name (app/bench/sweep_axis.h); empty when it has.
Reason axisRefusal(std::string_view axis, const KernelRow& row);
/// The nearest kernel of the ladder that can, computes every pair of such a force, any masses and any number of
/// bodies; null: none.
const KernelRow* nearestWith(std::string_view axis, const KernelRow& row, const ForceSettings& force);
/// The same of a sweep.
Reason refusal(const LabSweep& sweep, const KernelRow& row);
/// The sweep of that place in the table, or the first that this kernel can walk along where it cannot walk along that one.
const LabSweep& sweepFor(std::size_t chosen, const KernelRow& kernel);

}  // namespace gravlab
