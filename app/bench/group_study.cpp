#include "app/bench/figure_parts.h"

#include "app/bench/sweep.h"
#include "app/tables/format.h"
#include "sim/api/errors.h"
#include "sim/backends/block_figures.h"
#include "sim/backends/groups.h"
#include "sim/scenes/scene.h"

#include <algorithm>
#include <map>

namespace gravlab {
namespace {

// A row that took longer is not measured with more bodies [s].
constexpr double kGroupPatience = 5;

/// Numbers of the bodies, labels or depths, as a row found them.
struct FoundNumbers {
    std::vector<std::uint32_t> numbers;
    double seconds = 0;
    std::vector<MethodFigure> figures;
};
/// What is found, and how it is checked.
struct RowKind {
    std::vector<std::string_view> (*rows)(std::string_view backend);
    FoundNumbers (*find)(const SweepPoint& point, const ParticleSet& bodies, double length);
    std::string (*fault)(const ParticleSet& bodies, double length, std::span<const std::uint32_t> numbers);
};

template <class Rows>
std::vector<std::string_view> namesOn(const Rows& rows, std::string_view backendName) {
    std::vector<std::string_view> names;
    for (const auto& row : rows)
        if (row.backend == backendName) names.push_back(row.name);
    return names;
}

const RowKind kLabels{[](std::string_view backendName) { return namesOn(groupRows(), backendName); },
                      [](const SweepPoint& point, const ParticleSet& bodies, double length) {
                          FoundGroups found =
                              findGroups(groupRow(point.backend, nameOf(point.kernel)), bodies, length, point.options);
                          return FoundNumbers{std::move(found.labels), found.seconds, std::move(found.figures)};
                      },
                      [](const ParticleSet& bodies, double length, std::span<const std::uint32_t> labels) {
                          return checkGroups(bodies, length, labels).failure;
                      }};
const RowKind kDepths{[](std::string_view backendName) { return namesOn(depthRows(), backendName); },
                      [](const SweepPoint& point, const ParticleSet& bodies, double length) {
                          FoundDepths found =
                              findDepths(depthRow(point.backend, nameOf(point.kernel)), bodies, length, 0, point.options);
                          return FoundNumbers{std::move(found.depths), found.seconds, std::move(found.figures)};
                      },
                      [](const ParticleSet& bodies, double length, std::span<const std::uint32_t> depths) {
                          return faultOfDepths(bodies, length, 0, depths);
                      }};

SweepResult measureOne(const RowKind& kind, const SweepPoint& point, const ParticleSet& bodies, double length) {
    SweepResult result = notMeasured(point, {}, false);
    BenchmarkRow& row = result.row;
    row.steps = 1;
    std::vector<double> seconds;
    try {
        FoundNumbers found = kind.find(point, bodies, length);  // loads the code
        row.note = kind.fault(bodies, length, found.numbers);
        for (int repeat = 0; repeat < point.plan.repeats && row.note.empty(); ++repeat) {
            const FoundNumbers again = kind.find(point, bodies, length);
            if (again.numbers != found.numbers) row.note = "a repeat gave other numbers";
            seconds.push_back(again.seconds);
            if (again.seconds > kGroupPatience) break;
        }
        row.figures = found.figures;
    } catch (const OutOfMemoryError& error) {
        result.refused = true;
        row.note = error.what();
    }
    row.verified = row.note.empty() && !seconds.empty();
    if (!row.verified) return result;
    const double middle = median(seconds);
    row.repeats = static_cast<int>(seconds.size());
    row.msPerStep = 1e3 * middle;
    row.stepSpread = middle > 0 ? (std::ranges::max(seconds) - std::ranges::min(seconds)) / middle : 0;
    return result;
}

/// A point for each row of the backend and each number of bodies.
std::vector<SweepPoint> rowPoints(const RowKind& kind, const FigureRequest& request) {
    const BackendRow& by = backend(request.backend);
    std::vector<std::size_t> bodies = request.bodies;
    const std::size_t most = by.onDevice ? 4194304 : by.exact ? 16384 : 1048576;
    if (bodies.empty())
        for (std::size_t count = by.exact ? 1024 : 4096; count <= most; count *= 4) bodies.push_back(count);
    std::vector<SweepPoint> points;
    for (const std::size_t count : bodies)
        for (const std::string_view row : kind.rows(request.backend)) {
            SweepPoint& point = points.emplace_back();
            point.backend = request.backend;
            point.options = request.options;
            point.bodies = count;
            point.kernel.kernel = point.series = row;
            point.kernel.launch = {.block = 1, .unroll = 1};
            point.plan.repeats = request.repeats;
            point.x = static_cast<double>(count);
        }
    return points;
}

const SweepColumn kRowWork[] = {
    {"visits_per_body", [](auto, const SweepResult& of) { return figureNamed(of.row.figures, "visits a body"); }},
    {"levels_of_graph", [](auto, const SweepResult& of) { return figureNamed(of.row.figures, "levels"); }}};

/// Measures all points, in their order.
void measureRows(const RowKind& kind, const FigureRequest& request, const FigureProgress& progress, FigureStudy& into) {
    const std::vector<SweepPoint> points = rowPoints(kind, request);
    std::vector<SweepResult> results;
    ParticleSet bodies;
    double length = 0;
    std::map<std::string, double> last;  ///< seconds of a row
    const std::unique_ptr<Backend> device = backend(request.backend).make(request.options);
    for (const SweepPoint& point : points) {
        if (bodies.size() != point.bodies) {
            bodies = sceneNamed(request.run.scene).build({point.bodies, request.run.seed, {}});
            length = linkingLength(bodies, {});
        }
        if (last[point.series] > kGroupPatience) {
            results.push_back(notMeasured(point, "it took too long for fewer bodies", true));
        } else {
            results.push_back(measureOne(kind, point, bodies, length));
            results.back().row.device = device->description();
            results.back().facts.device = device->launchFacts().device;
            results.back().facts.driver = device->launchFacts().driver;
            if (results.back().row.verified) last[point.series] = results.back().row.msPerStep * 1e-3;
        }
        into.csv = sweepCsv(results, kRowWork);
        into.points = results.size();
        into.right = into.right && (results.back().refused || results.back().row.verified);
        progress(results.size(), points.size());
    }
}

}  // namespace

Reason whyNoGroups(const FigureRequest& request) {
    const bool any = std::ranges::any_of(groupRows(), [&](const GroupRow& row) { return row.backend == request.backend; });
    return any ? Reason() : "the " + request.backend + " backend finds no groups";
}

void groupStudy(const FigureRequest& request, const FigureProgress& progress, FigureStudy& into) {
    measureRows(kLabels, request, progress, into);
}

void depthStudy(const FigureRequest& request, const FigureProgress& progress, FigureStudy& into) {
    measureRows(kDepths, request, progress, into);
}

}  // namespace gravlab
