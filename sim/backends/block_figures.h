// Figures of block steps, for the lab and for tables.
#pragma once
#include "sim/backends/force_method.h"
#include "sim/integrators/block_steps.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace gravlab {

/// Name of the figure for the mean number of forces of a body in a step of the run.
constexpr std::string_view kForcesOfABody = "forces a body and step";

/// Bodies on each level in use, and forces of a body in a step of the run; empty where no block step was made.
inline std::vector<MethodFigure> figuresOf(const BlockClock& clock) {
    std::vector<MethodFigure> figures;
    double bodies = 0;
    for (std::size_t level = 0; (1u << level) <= clock.substeps(); ++level) {
        figures.push_back({kLevelNames[level], "", static_cast<double>(clock.bodies()[level])});
        bodies += static_cast<double>(clock.bodies()[level]);
    }
    if (bodies == 0) return {};
    figures.push_back({kForcesOfABody, "", clock.forces() / bodies});
    return figures;
}

/// The figure of that name; 0 where there is none.
inline double figureNamed(std::span<const MethodFigure> figures, std::string_view name) {
    for (const MethodFigure& figure : figures)
        if (figure.name == name) return figure.value;
    return 0;
}

/// Bodies at the whole step of the run, at half of it, at a quarter and so on; empty where no block step was made.
inline std::vector<std::uint64_t> bodiesOnLevels(std::span<const MethodFigure> figures) {
    std::vector<std::uint64_t> bodies;
    for (const MethodFigure& figure : figures)
        if (std::ranges::find(kLevelNames, figure.name) != kLevelNames.end())
            bodies.push_back(static_cast<std::uint64_t>(figure.value));
    return bodies;
}
/// Number of levels that hold bodies.
inline int levelsIn(std::span<const MethodFigure> figures) {
    return static_cast<int>(std::ranges::count_if(bodiesOnLevels(figures), [](std::uint64_t bodies) { return bodies > 0; }));
}

}  // namespace gravlab
