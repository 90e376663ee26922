// What the lab shows. Rule: plain data.
#pragma once
#include "app/tables/occupancy.h"
#include "app/tables/own_kernel.h"
#include "sim/backends/pair_matrix.h"
#include "sim/run/configuration.h"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace gravlab {

/// The pages of the lab's panel.
enum class LabPage { launch, sweep, matrix, ladder, recorded, calculator, own };
/// Their names, in the order of the enumeration.
std::span<const std::string_view> labPages();
/// The page of that name. Throws UsageError naming the valid ones and the nearest.
LabPage labPage(std::string_view name);

struct LabPanel {
    bool open = false;
    LabPage page = LabPage::launch;
    std::size_t sweep = 0;     ///< of labSweeps(): what a sweep varies
    bool wholeSteps = false;   ///< which rate is drawn
    std::string rung{};        ///< "cuda:tiled", whose text the ladder shows; empty: the kernel in use
    std::string recordedOn{};  ///< device whose recorded measurements are shown; empty: the first
    std::string recordedFigure = "bodies";
    OccupancyAsk planned{};  ///< of the calculator
    OwnKernel own{};
    std::optional<RunRequest> beforePairs{};  ///< to go back to from every pair, which is for tuning
    KernelRequest tunedForPairs{};            ///< what was chosen there the last time
    bool openBeforePairs = false;             ///< whether the lab was open before
    PairValue matrix = PairValue::force;      ///< what a cell of the matrix shows
    bool borders = true;                      ///< of tiles, blocks and waves over it
    std::string said{};                       ///< what became of its numbers
    bool visits = false;                      ///< its cells light up as the kernel visits them
    bool shows(LabPage which) const { return open && page == which; }
    bool operator==(const LabPanel&) const = default;
};

}  // namespace gravlab
