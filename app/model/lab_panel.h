// The state of the lab's panel. Rule: plain data.
#pragma once
#include "app/tables/occupancy.h"
#include "app/tables/own_kernel.h"
#include "sim/api/errors.h"
#include "sim/backends/pair_matrix.h"
#include "sim/core/names.h"
#include "sim/run/configuration.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace gravlab {

/// The pages of the lab's panel.
enum class LabPage { launch, sweep, matrix, ladder, recorded, calculator, memory, own };
/// Their names, in the order of the enumeration.
inline constexpr std::string_view kLabPages[] = {"launch",   "sweep",      "matrix", "ladder",
                                                 "recorded", "calculator", "memory", "own"};
constexpr std::span<const std::string_view> labPages() { return kLabPages; }
/// The page with that name. Throws UsageError naming the valid ones and the nearest.
inline LabPage labPage(std::string_view name) {
    const auto found = std::ranges::find(kLabPages, name);
    if (found == std::end(kLabPages))
        throw UsageError(unknownName("page of the lab", name, {std::begin(kLabPages), std::end(kLabPages)}));
    return static_cast<LabPage>(found - std::begin(kLabPages));
}

struct LabPanel {
    bool open = false;
    LabPage page = LabPage::launch;
    std::string term{};        ///< kind of the term whose kernels are measured; empty or not acting: the pair law
    std::size_t sweep = 0;     ///< index in labSweeps()
    bool wholeSteps = false;   ///< which rate is drawn
    std::string rung{};        ///< "cuda:tiled", whose text the ladder shows; empty: the kernel in use
    std::string recordedOn{};  ///< device of the recorded measurements; empty: the first
    std::string recordedFigure = "bodies";
    bool besidePapers = false;  ///< rates of papers beside the recorded ones
    OccupancyAsk planned{};     ///< of the calculator
    OwnKernel own{};
    std::optional<RunRequest> beforePairs{};  ///< the request before tuning for every pair, to restore
    KernelRequest tunedForPairs{};            ///< the last choice for every pair
    bool openBeforePairs = false;             ///< whether the lab was open before
    PairValue matrix = PairValue::force;      ///< the quantity in a cell of the matrix
    bool borders = true;                      ///< borders of tiles, blocks and waves over it
    std::string said{};                       ///< the result of saving its numbers
    bool visits = false;                      ///< cells light up as the kernel visits them
    bool shows(LabPage which) const { return open && page == which; }
    bool operator==(const LabPanel&) const = default;
};

}  // namespace gravlab
