// Two bodies on an ellipse, and how well each integrator keeps their energy.
#include <gravlab/simulation.h>

#include <cmath>
#include <cstdio>
#include <numbers>

namespace {

/// Masses 1 and 0.001 at the near end of an ellipse with semi-major axis 1, at rest as a whole. G = 1.
gravlab::ParticleSet ellipse(double eccentricity) {
    constexpr double kLight = 1e-3, kAll = 1 + kLight;
    const double apart = 1 - eccentricity, speed = std::sqrt(kAll * (1 + eccentricity) / apart);
    gravlab::ParticleSet bodies;
    bodies.resize(2);
    bodies.position[0] = {-apart * kLight / kAll, 0, 0, 1};
    bodies.position[1] = {apart / kAll, 0, 0, kLight};
    bodies.velocity[0] = {0, -speed * kLight / kAll, 0, 1};
    bodies.velocity[1] = {0, speed / kAll, 0, 1};
    bodies.id = {0, 1};
    return bodies;
}

}  // namespace

int main() {
    constexpr int kStepsPerOrbit = 500, kOrbits = 20;
    const double period = 2 * std::numbers::pi / std::sqrt(1.001);
    std::printf("%-12s %12s %14s %14s\n", "integrator", "orbits", "energy", "change");
    try {
        for (const char* integrator : {"leapfrog", "yoshida4", "hermite4", "rk4"}) {
            gravlab::Experiment run({.bodies = ellipse(0.6),
                                     .settings = {{"integrator", integrator},
                                                  {"backend", "reference"},
                                                  {"precision", "fp64"},
                                                  {"softening", "0"},
                                                  {"time_step", std::to_string(period / kStepsPerOrbit)}}});
            const double begun = run.measure().energy();
            for (int orbits = 0; orbits < kOrbits; orbits += 5) {
                run.step(5 * kStepsPerOrbit);
                const double energy = run.measure().energy();
                std::printf("%-12s %12d %14.6e %14.2e\n", integrator, orbits + 5, energy,
                            (energy - begun) / std::abs(begun));
            }
        }
    } catch (const gravlab::Error& error) {
        std::fprintf(stderr, "two_bodies: %s\n", error.what());
        return static_cast<int>(error.code());
    }
}
