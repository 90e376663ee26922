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

/// Bodies on each rung in use, and forces of a body in a step of the run; empty where no block step was made.
inline std::vector<MethodFigure> figuresOf(const BlockClock& clock) {
    std::vector<MethodFigure> figures;
    double bodies = 0;
    for (std::size_t rung = 0; (1u << rung) <= clock.substeps(); ++rung) {
        figures.push_back({kRungNames[rung], "", static_cast<double>(clock.bodies()[rung])});
        bodies += static_cast<double>(clock.bodies()[rung]);
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
inline std::vector<std::uint64_t> bodiesOnRungs(std::span<const MethodFigure> figures) {
    std::vector<std::uint64_t> bodies;
    for (const MethodFigure& figure : figures)
        if (std::ranges::find(kRungNames, figure.name) != kRungNames.end())
            bodies.push_back(static_cast<std::uint64_t>(figure.value));
    return bodies;
}
/// Number of rungs that hold bodies.
inline int rungsIn(std::span<const MethodFigure> figures) {
    return static_cast<int>(std::ranges::count_if(bodiesOnRungs(figures), [](std::uint64_t bodies) { return bodies > 0; }));
}

}  // namespace gravlab
