#include "app/services/non_finite_monitor.h"

#include "app/system/host_clock.h"
#include "sim/core/thread_pool.h"

#include <algorithm>
#include <atomic>
#include <utility>

namespace gravlab {
namespace {

/// The first body with a number that is not finite, or the number of bodies.
std::size_t firstBad(const ParticleSet& bodies) {
    constexpr std::size_t kGrain = 65536;
    std::atomic<std::size_t> found{bodies.size()};
    parallelFor(bodies.size(), 0, kGrain, [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) {
            const Double4 &p = bodies.position[i], &v = bodies.velocity[i];
            // 0 times what is not finite is not 0; a plain sum would take 1e308 + 1e308 for a fault.
            if (0 * p.x + 0 * p.y + 0 * p.z + 0 * v.x + 0 * v.y + 0 * v.z == 0) continue;
            std::size_t known = found;
            while (i < known && !found.compare_exchange_weak(known, i)) {
            }
            return;
        }
    });
    return found;
}

}  // namespace

std::int64_t NonFiniteMonitor::stepsLeft(const Simulation& simulation) const {
    return good_ ? std::max<std::int64_t>(1, good_->step() + kSteps - simulation.step()) : 1;
}

bool NonFiniteMonitor::due(const Simulation& simulation) const {
    if (!good_ || good_->run != simulation.bodiesId()) return true;
    if (simulation.step() == good_->step()) return false;
    return simulation.step() - good_->step() >= kSteps || hostClock() - lookedAt_ >= kSeconds;
}

std::optional<NonFiniteState> NonFiniteMonitor::judge(std::shared_ptr<const FedState> state) {
    lookedAt_ = hostClock();
    const std::size_t bad = firstBad(state->state.bodies);
    const bool start = !good_ || good_->run != state->run;
    if (bad < state->bodies() && !start) return NonFiniteState{bad, state->step(), state->time()};
    if (start) startBad_ = bad < state->bodies();
    good_ = std::move(state);
    return std::nullopt;
}

std::optional<NonFiniteState> NonFiniteMonitor::check(Simulation& simulation, bool now) {
    const bool another = now && good_ && simulation.step() != good_->step();
    if (!another && !due(simulation)) return std::nullopt;
    return judge(copyOf(simulation));
}

std::optional<NonFiniteState> NonFiniteMonitor::update(const Simulation& simulation, StateFeed& feed) {
    if (std::shared_ptr<const FedState> state = asked_.take(); state && state->run == simulation.bodiesId())
        return judge(std::move(state));
    if (!asked_.waiting() && due(simulation)) asked_ = feed.ask();
    return std::nullopt;
}

}  // namespace gravlab
