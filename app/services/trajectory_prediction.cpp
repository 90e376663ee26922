// When to request a path again: another body or run, most of the path used, or the body beside its path.
#include "app/services/trajectory_prediction.h"

#include "app/model/document.h"
#include "app/runs/run_host.h"
#include "app/tables/format.h"
#include "sim/core/work_watch.h"

#include <glm/geometric.hpp>

#include <algorithm>
#include <exception>
#include <utility>

namespace gravlab {
namespace {

constexpr double kUsedUp = 0.4;                                 // fraction of the duration
constexpr float kBeside = 0.03f;                                // fraction of the path's size
constexpr std::size_t kMany = 65536;                            // bodies, above which a copy would be noticeable
constexpr double kPathInterval = 0.4, kPathIntervalOfMany = 5;  // [s]
constexpr double kDropInterval = 0.5;                           // [s] while the arrow stays as it is

glm::vec3 placeOf(const TrajectoryPoint& p) {
    return {static_cast<float>(p.place.x), static_cast<float>(p.place.y), static_cast<float>(p.place.z)};
}

float distanceTo(glm::vec3 place, glm::vec3 a, glm::vec3 b) {
    const glm::vec3 way = b - a;
    const float square = glm::dot(way, way);
    const float share = square > 0 ? std::clamp(glm::dot(place - a, way) / square, 0.0f, 1.0f) : 0;
    return glm::length(place - a - share * way);
}

}  // namespace

Trajectory predictedPath(const TrajectoryRequest& request, const std::function<void(Trajectory)>& report) {
    constexpr double kPiece = 0.02;  // [s] a dropped question is noticed within this time
    try {
        TrajectoryPredictor predictor(request);
        while (!predictor.advance(kPiece) && !WorkWatch::dropped())
            if (report) report(predictor.path());
        return predictor.path();
    } catch (const std::exception& error) {
        Trajectory failed;
        failed.complete = true;
        failed.failure = error.what();
        return failed;
    }
}

std::shared_ptr<const TrajectoryStart> trajectoryStart(const std::shared_ptr<const FedState>& state) {
    auto start = std::make_shared<TrajectoryStart>();
    start->bodies = bodiesOf(state);
    start->time = state->time();
    start->force = state->force;
    start->others = state->state.others;
    start->integrator = state->configuration.integrator;
    start->timeStep = state->configuration.timeStep;
    return start;
}

std::string trajectoryText(const Trajectory& path) {
    if (path.method == TrajectoryMethod::copy)
        return "all " + std::string(grouped(path.bodies)) + " bodies move, " + path.integrator + " in fp64";
    return "pull of all " + std::string(grouped(path.bodies)) +
           " bodies; galaxies move as wholes, keep their shapes and do not feel it";
}

TrajectoryPrediction::TrajectoryPrediction()
    : sampler_({}, [](const auto& state, const Question& wish, const auto& report) {
          return Path{predictedPath({.start = trajectoryStart(state), .id = wish.id, .duration = wish.duration},
                                    [&](Trajectory path) {
                                        report({std::move(path), state->time()});
                                    }),
                      state->time()};
      }) {}

bool TrajectoryPrediction::stale(double time, const glm::vec3* place) const {
    const Trajectory& path = known_.path;
    if (!path.failure.empty()) return false;  // it would fail again
    const double ahead = path.until - known_.begins;
    if (ahead == 0 || path.points.empty()) return true;
    if (const double used = (time - known_.begins) / ahead; used > kUsedUp || used < 0) return true;
    if (!place || path.points.size() < 2) return false;
    glm::vec3 low = placeOf(path.points.front()), high = low;
    float nearest = INFINITY;
    for (std::size_t i = 1; i < path.points.size(); ++i) {
        const glm::vec3 a = placeOf(path.points[i - 1]), b = placeOf(path.points[i]);
        low = glm::min(low, b);
        high = glm::max(high, b);
        nearest = std::min(nearest, distanceTo(*place, a, b));
    }
    return nearest > kBeside * glm::length(high - low);
}

void TrajectoryPrediction::look(const ServiceFrame& frame) {
    if (!frame.drawn) return;
    Simulation& simulation = frame.runs.simulation();
    const PathAhead& ahead = frame.document.ahead;
    const BodyReadout* selected = frame.document.selected ? &*frame.document.selected : nullptr;
    std::optional<Question> wish;
    if (ahead.wanted && selected) wish = {.id = selected->id, .duration = ahead.duration, .revision = simulation.revision()};
    const Question* question = wish ? &*wish : nullptr;
    const SampledFrame at{simulation, frame.runs.first().feed(), frame.now, !frame.realTime};
    sampler_.pace().interval = simulation.configuration().bodies > kMany ? kPathIntervalOfMany : kPathInterval;
    if (sampler_.follow(at, question)) known_ = {};
    const bool wanted = wish && stale(simulation.time(), selected->placed ? &selected->position : nullptr);
    if (std::optional<Path> path = sampler_.update(at, question, wanted)) known_ = std::move(*path);
}

DropPrediction::DropPrediction()
    : sampler_({.interval = kDropInterval}, [](const auto& state, const Question& wish, const auto& report) {
          return predicted(trajectoryStart(state), wish, 0, report);
      }) {}

DropPrediction::Path DropPrediction::predicted(const std::shared_ptr<const TrajectoryStart>& start, const Question& wish,
                                               double after, const std::function<void(Path)>& report) {
    TrajectoryRequest request{.start = start, .after = after};
    request.position = wish.position;
    request.velocity = wish.velocity;
    return {predictedPath(request, [&](Trajectory path) { report({std::move(path), start}); }), start};
}

void DropPrediction::look(const ServiceFrame& frame) {
    if (!frame.drawn) return;
    const DropTool& tool = frame.document.drop;
    Simulation& simulation = frame.runs.simulation();
    const bool many = simulation.configuration().bodies > kMany;
    if (tool.dragging()) {
        const DropOrder& order = tool.pending();
        const Question now{{order.place.x, order.place.y, order.place.z, order.mass},
                           {order.velocity.x, order.velocity.y, order.velocity.z, frame.document.facts.usualResponse}};
        // A slow path may grow a little before the next one replaces it. Of many bodies one state is copied per drag.
        constexpr double kPause = 0.1;  // [s]
        const bool replaces = sampler_.busy() ? frame.now - questionAt_ > 4 * kPause && (!many || known_.start)
                                              : frame.now - questionAt_ > kPause;
        if (!question_ || (replaces && question_ != now)) {
            question_ = now;
            questionAt_ = frame.now;
        }
    } else {
        question_.reset();
        known_ = {};
    }
    std::optional<Sampler<Question, Path>::Other> other;
    if (question_ && many && known_.start)
        other = {simulation.step(),
                 [start = known_.start, wish = *question_, after = simulation.time() - known_.start->time](
                     const auto& report) { return predicted(start, wish, after, report); }};
    const SampledFrame at{simulation, frame.runs.first().feed(), frame.now};
    if (std::optional<Path> path = sampler_.update(at, question_ ? &*question_ : nullptr, true, std::move(other)))
        known_ = std::move(*path);
}

}  // namespace gravlab
