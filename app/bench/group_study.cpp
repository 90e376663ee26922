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

// A rung that took longer is not measured with more bodies [s].
constexpr double kGroupPatience = 5;

/// Numbers of the bodies, labels or depths, as a rung found them.
struct FoundNumbers {
    std::vector<std::uint32_t> numbers;
    double seconds = 0;
    std::vector<MethodFigure> figures;
};
/// What is found, and how it is checked.
struct RungKind {
    std::vector<std::string_view> (*rungs)(std::string_view backend);
    FoundNumbers (*find)(const SweepPoint& point, const ParticleSet& bodies, double length);
    std::string (*fault)(const ParticleSet& bodies, double length, std::span<const std::uint32_t> numbers);
};

template <class Rungs>
std::vector<std::string_view> namesOn(const Rungs& rungs, std::string_view backendName) {
    std::vector<std::string_view> names;
    for (const auto& rung : rungs)
        if (rung.backend == backendName) names.push_back(rung.name);
    return names;
}

const RungKind kLabels{[](std::string_view backendName) { return namesOn(groupRungs(), backendName); },
                       [](const SweepPoint& point, const ParticleSet& bodies, double length) {
                           FoundGroups found =
                               findGroups(groupRung(point.backend, nameOf(point.kernel)), bodies, length, point.options);
                           return FoundNumbers{std::move(found.labels), found.seconds, std::move(found.figures)};
                       },
                       [](const ParticleSet& bodies, double length, std::span<const std::uint32_t> labels) {
                           return checkGroups(bodies, length, labels).failure;
                       }};
const RungKind kDepths{[](std::string_view backendName) { return namesOn(depthRungs(), backendName); },
                       [](const SweepPoint& point, const ParticleSet& bodies, double length) {
                           FoundDepths found =
                               findDepths(depthRung(point.backend, nameOf(point.kernel)), bodies, length, 0, point.options);
                           return FoundNumbers{std::move(found.depths), found.seconds, std::move(found.figures)};
                       },
                       [](const ParticleSet& bodies, double length, std::span<const std::uint32_t> depths) {
                           return faultOfDepths(bodies, length, 0, depths);
                       }};

SweepResult measureOne(const RungKind& kind, const SweepPoint& point, const ParticleSet& bodies, double length) {
    SweepResult result{.point = point, .row = {}, .facts = {}, .peaks = {}, .refused = false};
    BenchmarkRow& row = result.row;
    row.backend = point.backend;
    row.kernel = nameOf(point.kernel);
    row.bodies = bodies.size();
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

/// A point for each rung of the backend and each number of bodies.
std::vector<SweepPoint> rungPoints(const RungKind& kind, const FigureRequest& request) {
    const BackendRow& by = backend(request.backend);
    std::vector<std::size_t> bodies = request.bodies;
    const std::size_t most = by.onDevice ? 4194304 : by.exact ? 16384 : 1048576;
    if (bodies.empty())
        for (std::size_t count = by.exact ? 1024 : 4096; count <= most; count *= 4) bodies.push_back(count);
    std::vector<SweepPoint> points;
    for (const std::size_t count : bodies)
        for (const std::string_view rung : kind.rungs(request.backend)) {
            SweepPoint& point = points.emplace_back();
            point.backend = request.backend;
            point.options = request.options;
            point.bodies = count;
            point.kernel.kernel = point.series = rung;
            point.plan.repeats = request.repeats;
            point.x = static_cast<double>(count);
        }
    return points;
}

const SweepColumn kRungWork[] = {
    {"visits_per_body", [](const SweepResult& of) { return figureNamed(of.row.figures, "visits a body"); }},
    {"levels_of_graph", [](const SweepResult& of) { return figureNamed(of.row.figures, "levels"); }}};

/// Measures all points, in their order.
void measureRungs(const RungKind& kind, const FigureRequest& request, const FigureProgress& progress, FigureStudy& into) {
    const std::vector<SweepPoint> points = rungPoints(kind, request);
    std::vector<SweepResult> results;
    ParticleSet bodies;
    double length = 0;
    std::map<std::string, double> last;  ///< seconds of a rung
    const std::unique_ptr<Backend> device = backend(request.backend).make(request.options);
    for (const SweepPoint& point : points) {
        if (bodies.size() != point.bodies) {
            bodies = sceneNamed(request.run.scene).build({point.bodies, request.run.seed, {}});
            length = linkingLength(bodies, {});
        }
        if (last[point.series] > kGroupPatience) {
            SweepResult left{.point = point, .row = {}, .facts = {}, .peaks = {}, .refused = true};
            left.row.kernel = nameOf(point.kernel);
            left.row.bodies = point.bodies;
            left.row.note = "it took too long for fewer bodies";
            results.push_back(std::move(left));
        } else {
            results.push_back(measureOne(kind, point, bodies, length));
            results.back().row.device = device->description();
            results.back().facts.device = device->launchFacts().device;
            results.back().facts.driver = device->launchFacts().driver;
            if (results.back().row.verified) last[point.series] = results.back().row.msPerStep * 1e-3;
        }
        into.csv = sweepCsv(results, kRungWork);
        into.points = results.size();
        into.right = into.right && (results.back().refused || results.back().row.verified);
        progress(results.size(), points.size());
    }
}

}  // namespace

Reason whyNoGroups(const FigureRequest& request) {
    const bool any =
        std::ranges::any_of(groupRungs(), [&](const GroupRung& rung) { return rung.backend == request.backend; });
    return any ? Reason() : "the " + request.backend + " backend finds no groups";
}

void groupStudy(const FigureRequest& request, const FigureProgress& progress, FigureStudy& into) {
    measureRungs(kLabels, request, progress, into);
}

void depthStudy(const FigureRequest& request, const FigureProgress& progress, FigureStudy& into) {
    measureRungs(kDepths, request, progress, into);
}

}  // namespace gravlab
