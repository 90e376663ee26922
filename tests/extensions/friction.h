// A force that depends on velocities, and the error of a backend's steps under it.
#pragma once
#include "sim/api/simulation.h"

#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace gravlab {

/// Slows every body by its velocity: v falls by the factor e in 1 / rate.
class Friction final : public ForceTerm {
public:
    std::string_view kind() const override { return "friction"; }
    std::string description() const override { return "friction"; }
    std::vector<StateArray> numbers() const override { return {}; }
    double addAccelerations(const TermBodies& bodies, std::span<const std::uint32_t> targets, std::span<Double4> out,
                            std::span<double>) const override {
        for (std::size_t k = 0; k < targets.size(); ++k) {
            const Vec3d sum = xyz(out[k]) - kRate * xyz(bodies.velocities[targets[k]]);
            out[k] = {sum.x, sum.y, sum.z, 0};
        }
        return static_cast<double>(targets.size());
    }
    double potential(const TermBodies&) const override { return 0; }
    TermOffer offer() const override { return {.usesVelocities = true, .conservesEnergy = false}; }
    static constexpr double kRate = 0.5;
};

/// The error of a speed slowed by friction at time 1.
inline double missOfFriction(const char* backend, const char* integrator, int steps) {
    ParticleSet body;
    body.resize(1);
    body.velocity[0] = {0, 2, 0, 1};
    Experiment run({.bodies = body,
                    .terms = {std::make_shared<const Friction>()},
                    .settings = {{"backend", backend},
                                 {"integrator", integrator},
                                 {"precision", "fp64"},
                                 {"softening", "1"},
                                 {"time_step", std::to_string(1.0 / steps)}}});
    run.step(steps);
    return std::abs(run.bodies().velocity[0].y - 2 * std::exp(-Friction::kRate));
}

}  // namespace gravlab
