#include "app/runs/step_watch.h"

#include "sim/measure/orbit.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace gravlab {
namespace {

/// A sum takes as long as some steps: with this stride it costs little, and orbits of hundreds of steps are seen well.
constexpr std::int64_t kSumStride = 32;
constexpr double kFar = std::numeric_limits<double>::infinity();

}  // namespace

StepWatch::StepWatch(Simulation& simulation, std::function<double(const Diagnostics&)> changeOf, bool pairs)
    : simulation_(simulation), changeOf_(std::move(changeOf)), closest_(kFar) {
    const std::size_t bodies = simulation.configuration().bodies;
    if (simulation.backend().mostMeasured() > 0 || bodies > kMostForEnergy) return;
    pairs_ = pairs && bodies <= kMostForPairs;
    stride_ = pairs_ ? 1 : kSumStride;
    if (pairs_) simulation.snapshot(before_);
}

void StepWatch::look() {
    simulation_.snapshot(now_);
    if (pairs_) follow(now_);
    if (std::abs(simulation_.step() - summed_) < kSumStride) return;
    summed_ = simulation_.step();
    compare(changeOf_(
        simulation_.withContacts(measureSystem(now_, simulation_.terms(), 1, pairSummation(simulation_.configuration())))));
}

void StepWatch::compare(double change) {
    if (std::abs(change) <= largest_) return;
    largest_ = std::abs(change);
    largestAt_ = simulation_.time();
}

void StepWatch::take(Diagnostics& measured) {
    compare(changeOf_(measured));
    measured.shape.closest = std::min(measured.shape.closest, std::exchange(closest_, kFar));
}

/// Two bodies pass as on their Kepler orbit from the last step; under other forces than their attraction on a straight line.
void StepWatch::follow(const ParticleSet& bodies) {
    const ForceSettings& force = simulation_.force();
    const double time = simulation_.configuration().timeStep;
    const bool kepler = force.law == Law::gravity && force.softening == 0;
    const bool same = bodies.id == before_.id;  // else bodies have merged, and paths begin anew
    for (std::size_t j = 0; same && j < bodies.size(); ++j)
        for (std::size_t i = 0; i < j; ++i) {
            const Double4 &p = before_.position[i], &q = before_.position[j];
            if (p.w == 0 && q.w == 0) continue;
            const Vec3d from = xyz(q) - xyz(p);
            const Vec3d way = xyz(bodies.position[j]) - xyz(bodies.position[i]) - from;
            const Vec3d speed = xyz(before_.velocity[j]) - xyz(before_.velocity[i]);
            closest_ =
                std::min(closest_, kepler ? leastDistance(from, speed, p.w + q.w, time) : leastDistance(from, way, 0, 1));
        }
    std::swap(before_, now_);
}

}  // namespace gravlab
