// Figures about trees: errors and rates over the accuracy, and the number of bodies from which a tree wins.
#include "app/bench/figure_parts.h"
#include "app/tables/format.h"
#include "sim/backends/backend.h"

namespace gravlab {
namespace {

/// The backend's row with an accuracy; null: it has none.
const KernelRow* treeOf(const FigureRequest& request) {
    const auto turned = [&](const KernelRow& row) {
        return row.backend == request.backend && row.approximates && !row.byOpening;
    };
    if (!request.kernel.empty()) {
        const KernelRow& row = kernel(request.backend, request.kernel);
        return turned(row) ? &row : nullptr;
    }
    const KernelRow* last = nullptr;  // the last rung of the ladder
    for (const KernelRow& row : kernels())
        if (turned(row)) last = &row;
    return last;
}

/// Numbers of bodies for trees on that backend, each `factor` times the previous one, up to where every pair still takes a
/// bearable time.
std::vector<std::size_t> treeBodies(const FigureRequest& request, std::size_t factor) {
    if (!request.bodies.empty()) return request.bodies;
    const bool device = backend(request.backend).onDevice;
    std::vector<std::size_t> bodies;
    for (std::size_t count = device ? 16384 : 2048; count <= (device ? 1048576u : 65536u); count *= factor)
        bodies.push_back(count);
    return bodies;
}

}  // namespace

namespace figures_detail {

Reason needsTree(const FigureRequest& request) {
    if (treeOf(request)) return {};
    return request.kernel.empty() ? "the " + request.backend + " backend has no tree"
                                  : "kernel '" + request.kernel + "' has no accuracy; use 'tree'";
}

std::vector<SweepPoint> accuracyPoints(const FigureRequest& request) {
    std::vector<SweepPoint> points;
    const std::vector<double> accuracies =
        request.accuracies.empty() ? std::vector<double>{1e-2, 3e-3, 1e-3, 3e-4, 1e-4, 3e-5, 1e-5} : request.accuracies;
    for (const std::size_t count : treeBodies(request, 8))
        for (const double accuracy : accuracies) {
            SweepPoint point = basePoint(request, *treeOf(request));
            point.bodies = count;
            point.kernel.allowedError = accuracy;
            point.series = bodiesText(count);
            point.x = accuracy;
            points.push_back(std::move(point));
        }
    return points;
}

std::vector<SweepPoint> crossoverPoints(const FigureRequest& request) {
    std::vector<SweepPoint> points;
    for (const double accuracy : {0.0, 1e-3, 1e-4})
        for (const std::size_t count : treeBodies(request, 2)) {
            SweepPoint point = basePoint(request, *treeOf(request));
            point.bodies = count;
            point.kernel.allowedError = accuracy;
            if (accuracy == 0) point.kernel = {};  // the backend's choice for every pair
            point.series = accuracy > 0 ? formatted("tree, 99 %% within %.0e", accuracy) : std::string("every pair");
            point.x = static_cast<double>(count);
            points.push_back(std::move(point));
        }
    return points;
}

}  // namespace figures_detail
}  // namespace gravlab
