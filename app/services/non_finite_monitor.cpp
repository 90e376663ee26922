#include "app/services/non_finite_monitor.h"

#include "app/system/host_clock.h"
#include "app/tables/format.h"
#include "sim/backends/backend.h"
#include "sim/core/bad_bodies.h"
#include "sim/forces/single_precision.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
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

NonFiniteState stateOf(std::size_t body, const Double4& p, const Double4& v, std::int64_t step, double time) {
    return {body, step, time, isFinite(xyz(p)) && isFinite(xyz(v)) ? largestCoordinate(p) : 0};
}

}  // namespace

std::optional<NonFiniteState> badOf(const FedState& state) {
    const ParticleSet& bodies = state.state.bodies;
    const double farthest = farthestOf(state.configuration);
    const std::size_t bad =
        firstBad(bodies.size(), [&](std::size_t i) { return isBad(bodies.position[i], bodies.velocity[i], farthest); });
    if (bad >= bodies.size()) return std::nullopt;
    return stateOf(bad, bodies.position[bad], bodies.velocity[bad], state.step(), state.time());
}

std::int64_t NonFiniteMonitor::stepsLeft(const Simulation& simulation) const {
    return goodLook_ ? std::max<std::int64_t>(1, goodLook_->step + kSteps - simulation.step()) : 1;
}

bool NonFiniteMonitor::due(const Simulation& simulation) const {
    if (!goodLook_ || goodLook_->bodiesId != simulation.bodiesId()) return true;
    if (simulation.step() == goodLook_->step) return false;
    return simulation.step() - goodLook_->step >= kSteps ||
           hostClock() - lookedAt_ >= std::max(kSeconds, kLeastWork * goodLook_->cost);
}

std::optional<NonFiniteState> NonFiniteMonitor::judge(std::shared_ptr<const FedState> state) {
    const Look look{state->bodiesId, state->step(), state->cost};
    const std::optional<NonFiniteState> bad = badOf(*state);
    return judge(look, bad, std::move(state));
}

std::optional<NonFiniteState> NonFiniteMonitor::judge(const Look& look, const std::optional<NonFiniteState>& bad,
                                                      std::shared_ptr<const FedState> state) {
    lookedAt_ = hostClock();
    const bool start = !goodLook_ || goodLook_->bodiesId != look.bodiesId;
    if (bad && !start) return bad;
    if (start) startBad_ = bad.has_value();
    good_ = std::move(state);
    goodLook_ = look;
    return std::nullopt;
}

std::optional<NonFiniteState> NonFiniteMonitor::check(Simulation& simulation, bool now) {
    const bool another = now && goodLook_ && simulation.step() != goodLook_->step;
    if (!another && !due(simulation)) return std::nullopt;
    Backend& backend = simulation.backend();
    if (backend.size() <= mostKept_) return judge(copyOf(simulation));
    const double begun = hostClock();
    const std::size_t body = backend.firstBad(farthestOf(simulation.configuration()));
    std::optional<NonFiniteState> bad;
    if (body < backend.size()) {
        const BodyChanges::Body found = backend.body(static_cast<std::uint32_t>(body));
        bad = stateOf(body, found.position, found.velocity, simulation.step(), simulation.time());
    }
    return judge({simulation.bodiesId(), simulation.step(), hostClock() - begun}, bad, nullptr);
}

std::optional<NonFiniteState> NonFiniteMonitor::update(Simulation& simulation, StateFeed& feed, bool suspect) {
    constexpr SameQuestion kBodies;
    const SampledFrame at{simulation, feed, hostClock()};
    const bool many = simulation.configuration().bodies > StateFeed::kMostUnfelt;
    suspect_ = many && (suspect_ || suspect);
    if (many) good_.reset(), goodLook_.reset();
    // A vertex may be out of range although its body is not: then the next look is delayed.
    if (const auto state = ofMany_.update(at, many ? &kBodies : nullptr, suspect_)) {
        suspect_ = false;
        return badOf(*state);
    }
    const auto state = states_.update(at, many ? nullptr : &kBodies, due(simulation));
    return state ? judge(state) : std::nullopt;
}

}  // namespace gravlab
