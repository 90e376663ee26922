// Helpers for tests of famous systems: run a start in fp64, and measure it in long double.
#pragma once
#include "sim/backends/few_body.h"
#include "sim/core/particles.h"
#include "sim/integrators/integrator.h"
#include "sim/scenes/few_body_orbits.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace gravlab::famous {

struct Conserved {
    double energy = 0, kinetic = 0, potential = 0;
    double momentum = 0, angularMomentum = 0;  ///< lengths of the vectors
};

inline long double square(const Double4& a) {
    return static_cast<long double>(a.x) * a.x + static_cast<long double>(a.y) * a.y + static_cast<long double>(a.z) * a.z;
}
inline Double4 minus(const Double4& a, const Double4& b) { return {a.x - b.x, a.y - b.y, a.z - b.z, 0}; }
inline double norm(const Double4& a) { return static_cast<double>(std::sqrt(square(a))); }

inline Conserved measured(const ParticleSet& bodies, double softening = 0) {
    long double kinetic = 0, potential = 0, p[3]{}, l[3]{};
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        const Double4 &x = bodies.position[i], &v = bodies.velocity[i];
        const long double m = x.w;
        if (m == 0) continue;
        kinetic += m * square(v) / 2;
        p[0] += m * v.x;
        p[1] += m * v.y;
        p[2] += m * v.z;
        l[0] += m * (static_cast<long double>(x.y) * v.z - static_cast<long double>(x.z) * v.y);
        l[1] += m * (static_cast<long double>(x.z) * v.x - static_cast<long double>(x.x) * v.z);
        l[2] += m * (static_cast<long double>(x.x) * v.y - static_cast<long double>(x.y) * v.x);
        for (std::size_t j = i + 1; j < bodies.size(); ++j)
            potential -= m * bodies.position[j].w /
                         std::sqrt(square(minus(bodies.position[j], x)) + static_cast<long double>(softening) * softening);
    }
    auto length = [](const long double* a) {
        return static_cast<double>(std::sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]));
    };
    return {static_cast<double>(kinetic + potential), static_cast<double>(kinetic), static_cast<double>(potential),
            length(p), length(l)};
}

/// A start, an integrator and a fixed step; time is steps * dt.
class Motion {
public:
    Motion(const ParticleSet& start, StepProgram program, double timeStep, double softening = 0)
        : bodies_(start), program_(program), timeStep_(timeStep), softening_(softening) {
        ForceSettings settings{.softening = softening};
        system_.load(start);
        system_.configure(settings);
        startEnergy_ = measured(start, softening).energy;
    }
    Motion(const ParticleSet& start, const char* name, double timeStep, double softening = 0)
        : Motion(start, integrator(name).program, timeStep, softening) {}

    void advance(std::int64_t steps) {
        std::int64_t done = 0;
        while (done < steps) done += system_.advance(program_, timeStep_, {.seconds = 1e300, .steps = steps - done});
        system_.store(bodies_);
    }
    /// The same, with the energy measured after every `every` steps.
    void advanceWatching(std::int64_t steps, std::int64_t every = 1) {
        for (std::int64_t done = 0; done < steps; done += every) {
            advance(std::min(every, steps - done));
            const double error = std::fabs(energyError());
            if (!(error <= maxEnergyError_)) maxEnergyError_ = error;  // a NaN counts, too
        }
    }
    double energyError() const { return (measured(bodies_, softening_).energy - startEnergy_) / startEnergy_; }
    double maxEnergyError() const { return maxEnergyError_; }
    const ParticleSet& bodies() const { return bodies_; }
    FewBody& system() { return system_; }
    void flipVelocities() {
        for (Double4& v : bodies_.velocity) v = {-v.x, -v.y, -v.z, v.w};
        system_.load(bodies_);
    }

private:
    ParticleSet bodies_;
    FewBody system_;
    StepProgram program_;
    double timeStep_, softening_;
    double startEnergy_ = 0, maxEnergyError_ = 0;
};

/// Distance of two states as vectors of 3N coordinates.
inline double distance(const ParticleSet& a, const ParticleSet& b) {
    long double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += square(minus(a.position[i], b.position[i]));
    return static_cast<double>(std::sqrt(sum));
}

/// |value - want| <= relative * |want|; false for NaN.
inline bool within(double value, double want, double relative) {
    return std::fabs(value - want) <= relative * std::fabs(want);
}

}  // namespace gravlab::famous

/// Expects |value - want| <= relative * |want| and prints the value otherwise.
#define EXPECT_RELATIVE(value, want, relative) EXPECT_NEAR(value, want, (relative)*std::fabs(want))
