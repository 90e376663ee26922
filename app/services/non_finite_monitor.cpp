#include "app/services/non_finite_monitor.h"

#include "app/system/host_clock.h"
#include "app/tables/format.h"
#include "sim/backends/backend.h"
#include "sim/core/thread_pool.h"
#include "sim/forces/single_precision.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <utility>

namespace gravlab {

std::string NonFiniteState::text() const {
    const std::string name = "Body " + std::to_string(body);
    if (distance == 0) return name + " is not finite";
    return name +
           formatted(" has a coordinate of %.2g, too far for forces in single precision (%.0e; fp64 reaches farther),",
                     distance, kFarthestInSingle);
}

double farthestOf(const RunConfiguration& configuration) {
    const bool single = configuration.force.precision == Precision::fp32 && !backend(configuration.backend).exact;
    return single ? kFarthestInSingle : std::numeric_limits<double>::infinity();
}

namespace {

/// Zero times a number that is not finite is not 0; a plain sum would report 1e308 + 1e308 as an error.
bool isFinite(const Double4& p, const Double4& v) { return 0 * p.x + 0 * p.y + 0 * p.z + 0 * v.x + 0 * v.y + 0 * v.z == 0; }
double largestCoordinateOf(const Double4& p) { return std::max({std::abs(p.x), std::abs(p.y), std::abs(p.z)}); }

/// Index of the first body with a number that is not finite or a coordinate beyond `farthest`; N: there is none.
std::size_t firstBad(const ParticleSet& bodies, double farthest) {
    constexpr std::size_t kGrain = 65536;
    std::atomic<std::size_t> found{bodies.size()};
    parallelFor(bodies.size(), 0, kGrain, [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) {
            const Double4 &p = bodies.position[i], &v = bodies.velocity[i];
            if (isFinite(p, v) && largestCoordinateOf(p) <= farthest) continue;
            std::size_t known = found;
            while (i < known && !found.compare_exchange_weak(known, i)) {
            }
            return;
        }
    });
    return found;
}

}  // namespace

std::optional<NonFiniteState> badOf(const FedState& state) {
    const ParticleSet& bodies = state.state.bodies;
    const std::size_t bad = firstBad(bodies, farthestOf(state.configuration));
    if (bad >= bodies.size()) return std::nullopt;
    const Double4 &p = bodies.position[bad], &v = bodies.velocity[bad];
    return NonFiniteState{bad, state.step(), state.time(), isFinite(p, v) ? largestCoordinateOf(p) : 0};
}

std::int64_t NonFiniteMonitor::stepsLeft(const Simulation& simulation) const {
    return good_ ? std::max<std::int64_t>(1, good_->step() + kSteps - simulation.step()) : 1;
}

bool NonFiniteMonitor::due(const Simulation& simulation) const {
    if (!good_ || good_->bodiesId != simulation.bodiesId()) return true;
    if (simulation.step() == good_->step()) return false;
    return simulation.step() - good_->step() >= kSteps ||
           hostClock() - lookedAt_ >= std::max(kSeconds, kLeastWork * good_->cost);
}

std::optional<NonFiniteState> NonFiniteMonitor::judge(std::shared_ptr<const FedState> state) {
    lookedAt_ = hostClock();
    const std::optional<NonFiniteState> bad = badOf(*state);
    const bool start = !good_ || good_->bodiesId != state->bodiesId;
    if (bad && !start) return bad;
    if (start) startBad_ = bad.has_value();
    good_ = std::move(state);
    return std::nullopt;
}

std::optional<NonFiniteState> NonFiniteMonitor::check(Simulation& simulation, bool now) {
    const bool another = now && good_ && simulation.step() != good_->step();
    if (!another && !due(simulation)) return std::nullopt;
    return judge(copyOf(simulation));
}

std::optional<NonFiniteState> NonFiniteMonitor::update(Simulation& simulation, StateFeed& feed, bool suspect) {
    constexpr SameQuestion kBodies;
    const SampledFrame at{simulation, feed, hostClock()};
    const bool many = simulation.configuration().bodies > StateFeed::kMostUnfelt;
    suspect_ = many && (suspect_ || suspect);
    if (many) good_.reset();
    // A vertex may be out of range although its body is not: then the next look is delayed.
    if (const auto state = ofMany_.update(at, many ? &kBodies : nullptr, suspect_)) {
        suspect_ = false;
        return badOf(*state);
    }
    const auto state = states_.update(at, many ? nullptr : &kBodies, due(simulation));
    return state ? judge(state) : std::nullopt;
}

}  // namespace gravlab
