// When to ask again: another body or run, most of the path used up, or the body beside its path.
#include "app/services/trajectory_prediction.h"

#include "app/model/document.h"
#include "app/tables/format.h"

#include <glm/geometric.hpp>

#include <algorithm>
#include <cmath>
#include <exception>
#include <utility>

namespace gravlab {
namespace {

constexpr double kUsedUp = 0.4;                                 // of the duration
constexpr float kBeside = 0.03f;                                // of the path's size
constexpr std::size_t kMany = 65536;                            // bodies whose copy would be felt
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

}  // namespace

TrajectoryWorker::TrajectoryWorker()
    : Worker([](const TrajectoryRequest& question, Task& task) {
          constexpr double kPiece = 0.02;  // [s]; a question that is dropped is noticed fifty times a second
          try {
              TrajectoryPredictor predictor(question);
              while (!predictor.advance(kPiece) && !task.dropped()) task.report(predictor.path());
              return predictor.path();
          } catch (const std::exception& error) {
              Trajectory failed;
              failed.complete = true;
              failed.failure = error.what();
              return failed;
          }
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

bool TrajectoryPrediction::stale(const Simulation& simulation, const glm::vec3* place) const {
    if (!path_.failure.empty()) return false;  // it would fail again
    const double ahead = path_.until - askedTime_;
    if (ahead == 0 || path_.points.empty()) return true;
    if ((simulation.time() - askedTime_) / ahead > kUsedUp || (simulation.time() - askedTime_) / ahead < 0) return true;
    if (!place || path_.points.size() < 2) return false;
    glm::vec3 low = placeOf(path_.points.front()), high = low;
    float nearest = INFINITY;
    for (std::size_t i = 1; i < path_.points.size(); ++i) {
        const glm::vec3 a = placeOf(path_.points[i - 1]), b = placeOf(path_.points[i]);
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
    // Slow paths are let to grow a little before the next one.
    const double pause = worker_.busy() ? 4 * kPause : changed ? kPause : 5 * kPause;
    if (const std::shared_ptr<const FedState> state = asked_.take()) start_ = trajectoryStart(state);
    const bool due = !shown_ || now - askedAt_ > pause;
    if (due && !start_ && !asked_.waiting()) asked_ = feed.ask();
    if (due && start_) {
        const bool few = start_->bodies->size() <= kMany;
        TrajectoryRequest question{.start = start_};
        question.after = few ? 0 : simulation.time() - start_->time;  // a new start is of this frame or of the last one
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
    if (!ahead.wanted || !selected) {
        if (asked_) worker_.drop();
        asked_.reset();
        start_.drop();
        path_ = {};
        return;
    }
    const Asked ask{
        .id = selected->id, .duration = ahead.duration, .run = simulation.bodiesId(), .revision = simulation.revision()};
    const bool another = !asked_ || *asked_ != ask;
    const double interval = simulation.configuration().bodies > kMany ? kPathIntervalOfMany : kPathInterval;
    const bool due = wait || askedAt_ < 0 || now - askedAt_ > interval;
    if (another || (due && !busy() && stale(simulation, selected->placed ? &selected->position : nullptr))) {
        asked_ = ask;
        askedAt_ = now;
        askedTime_ = simulation.time();
        if (another) path_ = {};
        start_ = feed.ask();
    }
    if (wait && start_.waiting()) feed.serve(simulation);
    if (const std::shared_ptr<const FedState> state = start_.take()) {
        askedTime_ = state->time();
        worker_.ask({.start = trajectoryStart(state), .id = asked_->id, .duration = asked_->duration});
    }
    if (wait) worker_.wait();
    if (std::optional<Trajectory> path = worker_.poll()) path_ = std::move(*path);
}

}  // namespace gravlab
