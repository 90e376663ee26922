// When to request a path again: another body or run, most of the path used, or the body beside its path.
#include "app/services/trajectory_prediction.h"

#include "app/model/document.h"
#include "app/tables/format.h"
#include "sim/core/work_watch.h"

#include <glm/geometric.hpp>

#include <algorithm>
#include <cmath>
#include <exception>
#include <utility>

namespace gravlab {
namespace {

constexpr double kUsedUp = 0.4;                                 // fraction of the duration
constexpr float kBeside = 0.03f;                                // fraction of the path's size
constexpr std::size_t kMany = 65536;                            // bodies, above which a copy would be noticeable
constexpr double kPathInterval = 0.4, kPathIntervalOfMany = 5;  // [s]

glm::vec3 placeOf(const TrajectoryPoint& p) {
    return {static_cast<float>(p.place.x), static_cast<float>(p.place.y), static_cast<float>(p.place.z)};
}

float distanceTo(glm::vec3 place, glm::vec3 a, glm::vec3 b) {
    const glm::vec3 way = b - a;
    const float square = glm::dot(way, way);
    const float share = square > 0 ? std::clamp(glm::dot(place - a, way) / square, 0.0f, 1.0f) : 0;
    return glm::length(place - a - share * way);
}

/// Reports the path as far as it is known; a question that is no longer wanted is abandoned.
template <class Report>
Trajectory predicted(const TrajectoryRequest& question, const Report& report) {
    constexpr double kPiece = 0.02;  // [s] a dropped question is noticed within this time
    try {
        TrajectoryPredictor predictor(question);
        while (!predictor.advance(kPiece) && !WorkWatch::dropped()) report(predictor.path());
        return predictor.path();
    } catch (const std::exception& error) {
        Trajectory failed;
        failed.complete = true;
        failed.failure = error.what();
        return failed;
    }
}

}  // namespace

TrajectoryWorker::TrajectoryWorker()
    : Worker([](const TrajectoryRequest& question, Task& task) {
          return predicted(question, [&](Trajectory path) { task.report(std::move(path)); });
      }) {}

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
    : sampler_({}, [](const auto& state, const Question& asked, const auto& report) {
          return Path{predicted({.start = trajectoryStart(state), .id = asked.id, .duration = asked.duration},
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

void DropPrediction::update(const Simulation& simulation, StateFeed& feed, const Slingshot& tool, double response,
                            double now) {
    if (!tool.dragging()) {
        if (shown_) worker_.drop();
        shown_ = false;
        asked_.drop();
        start_.reset();
        path_ = {};
        return;
    }
    constexpr double kPause = 0.1;  // [s]
    const LaunchOrder& order = tool.pending();
    const bool changed = !shown_ || order.velocity != velocity_;
    // Slow paths may grow a little before the next one replaces them.
    const double pause = worker_.busy() ? 4 * kPause : changed ? kPause : 5 * kPause;
    if (const std::shared_ptr<const FedState> state = asked_.take()) start_ = trajectoryStart(state);
    const bool due = !shown_ || now - askedAt_ > pause;
    if (due && !start_ && !asked_.waiting()) asked_ = feed.ask();
    if (due && start_) {
        const bool few = start_->bodies->size() <= kMany;
        TrajectoryRequest question{.start = start_};
        question.after = few ? 0 : simulation.time() - start_->time;  // a new start belongs to this frame or the last one
        question.position = {order.place.x, order.place.y, order.place.z, order.mass};
        question.velocity = {order.velocity.x, order.velocity.y, order.velocity.z, response};
        worker_.ask(question);
        askedAt_ = now;
        velocity_ = order.velocity;
        shown_ = true;
        if (few) start_.reset();
    }
    if (std::optional<Trajectory> path = worker_.poll()) path_ = std::move(*path);
}

void TrajectoryPrediction::update(Simulation& simulation, StateFeed& feed, const PathAhead& ahead,
                                  const BodyReadout* selected, double now, bool wait) {
    std::optional<Question> asked;
    if (ahead.wanted && selected)
        asked = {.id = selected->id, .duration = ahead.duration, .revision = simulation.revision()};
    const Question* question = asked ? &*asked : nullptr;
    const SampledFrame at{simulation, feed, now, wait};
    sampler_.pace().interval = simulation.configuration().bodies > kMany ? kPathIntervalOfMany : kPathInterval;
    if (sampler_.follow(at, question)) known_ = {};
    const bool wanted = asked && stale(simulation.time(), selected->placed ? &selected->position : nullptr);
    if (std::optional<Path> path = sampler_.update(at, question, wanted)) known_ = std::move(*path);
}

}  // namespace gravlab
