#include "app/bench/group_study.h"

#include "app/bench/figure_parts.h"
#include "app/bench/sweep.h"
#include "app/tables/median.h"
#include "sim/backends/groups.h"
#include "sim/core/error.h"
#include "sim/scenes/scene.h"

#include <algorithm>
#include <map>

namespace gravlab {
namespace {

// A rung that took longer is not measured with more bodies [s].
constexpr double kGroupPatience = 5;

SweepResult measureOne(const SweepPoint& point, const ParticleSet& bodies, double length) {
    SweepResult result{.point = point, .row = {}, .facts = {}, .peaks = {}, .refused = false};
    BenchmarkRow& row = result.row;
    row.backend = point.backend;
    row.kernel = nameOf(point.kernel);
    row.bodies = bodies.size();
    row.steps = 1;
    const GroupRung& rung = groupRung(point.backend, row.kernel);
    std::vector<double> seconds;
    try {
        FoundGroups found = findGroups(rung, bodies, length, point.options);  // loads the code
        row.note = checkGroups(bodies, length, found.labels).failure;
        for (int repeat = 0; repeat < point.plan.repeats && row.note.empty(); ++repeat) {
            const FoundGroups again = findGroups(rung, bodies, length, point.options);
            if (again.labels != found.labels) row.note = "a repeat gave other labels";
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
std::vector<SweepPoint> groupPoints(const FigureRequest& request) {
    const BackendRow& by = backend(request.backend);
    std::vector<std::size_t> bodies = request.bodies;
    const std::size_t most = by.onDevice ? 4194304 : by.exact ? 16384 : 1048576;
    if (bodies.empty())
        for (std::size_t count = by.exact ? 1024 : 4096; count <= most; count *= 4) bodies.push_back(count);
    std::vector<SweepPoint> points;
    for (const std::size_t count : bodies)
        for (const GroupRung& rung : groupRungs()) {
            if (rung.backend != request.backend) continue;
            SweepPoint point;
            point.backend = request.backend;
            point.options = request.options;
            point.bodies = count;
            point.kernel.kernel = std::string(rung.name);
            point.plan.repeats = request.repeats;
            point.series = rung.name;
            point.x = static_cast<double>(count);
            points.push_back(std::move(point));
        }
    return points;
}

/// Measures all points, in their order.
std::vector<SweepResult> measureGroups(const std::vector<SweepPoint>& points, const FigureRequest& request,
                                       const FigureProgress& progress) {
    std::vector<SweepResult> results;
    ParticleSet bodies;
    double length = 0;
    std::map<std::string, double> last;  ///< seconds of a rung
    const std::string device =
        points.empty() ? "" : backend(points.front().backend).make(points.front().options)->description();
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
            results.push_back(measureOne(point, bodies, length));
            results.back().row.device = device;
            if (results.back().row.verified) last[point.series] = results.back().row.msPerStep * 1e-3;
        }
        progress(results.size(), points.size());
    }
    return results;
}

}  // namespace

Reason whyNoGroups(const FigureRequest& request) {
    const bool any =
        std::ranges::any_of(groupRungs(), [&](const GroupRung& rung) { return rung.backend == request.backend; });
    return any ? Reason() : "the " + request.backend + " backend finds no groups";
}

FigureStudy groupStudy(const FigureRequest& request, const FigureProgress& progress) {
    const std::vector<SweepResult> results = measureGroups(groupPoints(request), request, progress);
    FigureStudy study;
    Plot plot;
    plot.x = figures_detail::logarithmicAxis("bodies");
    plot.y = figures_detail::logarithmicAxis("milliseconds from positions to labels");
    int repeats = 0;
    std::size_t left = 0;
    for (const SweepResult& result : results) {
        const BenchmarkRow& row = result.row;
        if (study.device.empty()) study.device = row.device;
        repeats = std::max(repeats, row.repeats);
        left += result.refused;
        study.right = study.right && (result.refused || row.verified);
        if (!row.verified) continue;
        PlotSeries& series = seriesNamed(plot, result.point.series);
        series.x.push_back(result.point.x);
        series.y.push_back(row.msPerStep);
        series.error.push_back(0.5 * row.stepSpread * row.msPerStep);
    }
    study.plots = {std::move(plot)};
    study.csv = sweepCsv(results);
    study.points = results.size();
    study.protocol = "friends of friends at 0.2 mean distances; median of up to " + std::to_string(repeats) +
                     " repetitions, bars: their range; labels of every rung were checked before they were timed";
    if (left > 0) study.protocol += "; " + std::to_string(left) + " points that cannot run, or take too long, are omitted";
    if (!study.right) study.protocol += "; SOME WERE WRONG and are left out";
    return study;
}

}  // namespace gravlab
