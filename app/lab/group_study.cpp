#include "app/lab/group_study.h"

#include "sim/backends/groups.h"
#include "sim/core/out_of_memory.h"
#include "sim/scenes/scene.h"

#include <algorithm>
#include <map>

namespace gravlab {
namespace {

// A rung that took longer for so many bodies is not asked for more [s].
constexpr double kGroupPatience = 5;

SweepResult measureOne(const SweepPoint& point, const ParticleSet& bodies, double length) {
    SweepResult result{.point = point, .row = {}, .facts = {}, .refused = false};
    BenchmarkRow& row = result.row;
    row.backend = point.backend;
    row.kernel = nameOf(point.kernel);
    row.bodies = bodies.size();
    row.steps = 1;
    const GroupRung& rung = groupRung(point.backend, row.kernel);
    std::vector<double> seconds;
    try {
        FoundGroups found = findGroups(rung, bodies, length, point.options);  // code is loaded
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
    std::ranges::sort(seconds);
    const double median = seconds[seconds.size() / 2];
    row.repeats = static_cast<int>(seconds.size());
    row.msPerStep = 1e3 * median;
    row.stepSpread = median > 0 ? (seconds.back() - seconds.front()) / median : 0;
    return result;
}

}  // namespace

Reason whyNoGroups(const FigureRequest& request) {
    const bool any =
        std::ranges::any_of(groupRungs(), [&](const GroupRung& rung) { return rung.backend == request.backend; });
    return any ? Reason() : "the " + request.backend + " backend finds no groups";
}

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

std::vector<SweepResult> measureGroups(const std::vector<SweepPoint>& points, const SweepSettings& settings,
                                       const std::function<void(std::size_t)>& done) {
    std::vector<SweepResult> results;
    ParticleSet bodies;
    double length = 0;
    std::map<std::string, double> last;  ///< seconds of a rung
    const std::string device =
        points.empty() ? "" : backend(points.front().backend).make(points.front().options)->description();
    for (const SweepPoint& point : points) {
        if (bodies.size() != point.bodies) {
            bodies = sceneNamed(settings.scene).build({point.bodies, settings.seed, {}});
            length = linkingLength(bodies, {});
        }
        if (last[point.series] > kGroupPatience) {
            SweepResult left{.point = point, .row = {}, .facts = {}, .refused = true};
            left.row.kernel = nameOf(point.kernel);
            left.row.bodies = point.bodies;
            left.row.note = "fewer bodies took it too long";
            results.push_back(std::move(left));
        } else {
            results.push_back(measureOne(point, bodies, length));
            results.back().row.device = device;
            if (results.back().row.verified) last[point.series] = results.back().row.msPerStep * 1e-3;
        }
        done(results.size());
    }
    return results;
}

}  // namespace gravlab
