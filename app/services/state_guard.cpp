#include "app/services/state_guard.h"

#include <algorithm>

namespace gravlab {
namespace {

/// The first body with a number that is not finite, or the number of bodies.
std::size_t firstBad(const ParticleSet& bodies) {
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        const Double4 &p = bodies.position[i], &v = bodies.velocity[i];
        // 0 times what is not finite is not 0; a plain sum would take 1e308 + 1e308 for a fault.
        if (!(0 * p.x + 0 * p.y + 0 * p.z + 0 * v.x + 0 * v.y + 0 * v.z == 0)) return i;
    }
    return bodies.size();
}

}  // namespace

StateGuard::StateGuard(Simulation& simulation) : good_(simulation.state()), looked_(std::chrono::steady_clock::now()) {
    startBad_ = firstBad(good_.bodies) < good_.bodies.size();
}

std::int64_t StateGuard::stepsLeft(const Simulation& simulation) const {
    return std::max<std::int64_t>(1, good_.clock.step + kSteps - simulation.step());
}

std::optional<BlownUp> StateGuard::look(Simulation& simulation, bool now) {
    if (simulation.step() == good_.clock.step) return std::nullopt;
    const auto time = std::chrono::steady_clock::now();
    const bool due =
        simulation.step() - good_.clock.step >= kSteps || time - looked_ >= std::chrono::duration<double>(kSeconds);
    if (!now && !due) return std::nullopt;
    looked_ = time;
    RunState state = simulation.state();
    const std::size_t bad = firstBad(state.bodies);
    if (bad < state.bodies.size()) return BlownUp{bad, state.clock.step, state.clock.time()};
    good_ = std::move(state);
    return std::nullopt;
}

}  // namespace gravlab
