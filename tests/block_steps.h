// Requirements of block steps on any backend: a tree agrees with all pairs, energy with fewer forces, leapfrog on one level.
#pragma once
#include "sim/backends/backend.h"
#include "sim/forces/law.h"
#include "sim/measure/diagnostics.h"
#include "sim/scenes/scene.h"
#include "tests/bodies.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

namespace gravlab::testing_support {

/// A figure of a run about block steps, by name; 0 when there is none.
inline double figureOf(Backend& run, std::string_view name) {
    for (const MethodFigure& figure : run.figures())
        if (figure.name == name) return figure.value;
    return 0;
}

inline double shareOf(std::vector<double>& values, double share) {
    const auto place = values.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size()));
    std::ranges::nth_element(values, place);
    return *place;
}

/// A run with these bodies and this force after that number of whole steps.
inline std::unique_ptr<Backend> afterSteps(const char* backendName, const ParticleSet& bodies, const ForceSettings& force,
                                           const KernelChoice& kernel, std::string_view integratorName, double timeStep,
                                           std::int64_t steps) {
    std::unique_ptr<Backend> run = backend(backendName).make({});
    run->load(bodies, {force, kernel});
    testing_support::advanceBy(*run, integrator(integratorName).program, timeStep, steps);
    return run;
}

/// `pairs`: a row that sums all pairs.
inline void expectTreeStepsAsPairs(const char* backendName, const char* pairs, const ForceSettings& force,
                                   std::size_t bodies, int steps) {
    SCOPED_TRACE(std::string(lawRow(force.law).name) + ' ' + std::to_string(bodies));
    ParticleSet start = sceneNamed("hernquist").build({.bodies = bodies, .seed = 5});
    for (std::size_t i = 0; i < start.size(); ++i) {
        if (lawRow(force.law).signedSources && i % 2 == 1) start.position[i].w *= -1;
        start.velocity[i].x += 20;  // cells with old positions within a step would be noticed
    }
    constexpr double kStep = 1.0 / 16;
    const auto ran = [&](const KernelChoice& kernel) {
        return afterSteps(backendName, start, force, kernel, "block-leapfrog", kStep, steps);
    };
    const std::unique_ptr<Backend> tested = ran({.kernel = "tree", .allowedError = 1e-3}), truth = ran({.kernel = pairs});
    for (const char* name : {"rung 1", "rung 2"}) {
        EXPECT_GT(figureOf(*truth, name), 10) << name;
        EXPECT_NEAR(figureOf(*tested, name) / figureOf(*truth, name), 1, 0.05) << name;
    }
    ParticleSet got, want;
    tested->snapshot(got);
    truth->snapshot(want);
    std::vector<double> off, moved;
    for (std::size_t i = 0; i < start.size(); ++i) {
        const Double4 &x = start.position[i], &v = start.velocity[i];
        const double time = steps * kStep;
        off.push_back(distance(got.position[i], want.position[i]));
        moved.push_back(distance(want.position[i], {x.x + time * v.x, x.y + time * v.y, x.z + time * v.z, 0}));
    }
    // Positions are up to 4 apart, where 8e-6 are about thirty roundings. Cells with old positions would give three times as
    // much.
    EXPECT_LT(shareOf(off, 0.99), 5e-3 * shareOf(moved, 0.5) + 8e-6) << "of what forces moved them";
}

/// Four units of time of a Hernquist sphere with block steps, and with one step for all, as long as the longest and the
/// shortest.
inline void expectEnergyAtFewerForces(const char* backendName, const KernelChoice& kernel) {
    constexpr std::size_t kBodies = 1500;
    const ParticleSet start = sceneNamed("hernquist").build({.bodies = kBodies, .seed = 5});
    const ForceSettings force{.precision = Precision::fp64, .softening = 0.02};
    struct Ran {
        double energy, momentum, forces;
    };
    const Diagnostics before = measure(start, force);
    const auto ran = [&](const char* name, double timeStep) {
        const std::unique_ptr<Backend> run =
            afterSteps(backendName, start, force, kernel, name, timeStep, std::lround(4 / timeStep));
        ParticleSet end = run->bodies();
        const Diagnostics after = measure(end, force);
        return Ran{std::abs(after.energy() / before.energy() - 1), length(after.momentum - before.momentum),
                   run->totals().interactions / static_cast<double>(kBodies * kBodies)};
    };
    const Ran block = ran("block-leapfrog", 1.0 / 16), coarse = ran("leapfrog", 1.0 / 16), fine = ran("leapfrog", 1.0 / 128);
    std::printf("energy: block %.2e at %.0f forces a body, shared %.2e at %.0f and %.2e at %.0f; momentum %.1e\n",
                block.energy, block.forces, coarse.energy, coarse.forces, fine.energy, fine.forces, block.momentum);
    EXPECT_LT(4 * block.energy, coarse.energy);
    EXPECT_LT(1.5 * block.forces, fine.forces);
    EXPECT_LT(block.momentum, 1e-3) << "actio and reactio are taken at different times, so to the order of the step";
}

/// A ring: all bodies have one acceleration, so they are on one level, the second. Blocks are then steps of half the length,
/// to the last bit.
inline void expectLeapfrogOnOneLevel(const char* backendName, const KernelChoice& kernel, const ForceSettings& force,
                                     std::size_t bodies, int steps) {
    std::vector<Double4> positions, velocities;
    for (std::size_t i = 0; i < bodies; ++i) {
        const double angle = 2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(bodies);
        positions.push_back({std::cos(angle), std::sin(angle), 0, 1 / static_cast<double>(bodies)});
        velocities.push_back({-std::sin(angle) / 2, std::cos(angle) / 2, 0.1, 1});
    }
    const ParticleSet ring = bodiesOf(positions, velocities);
    constexpr double kStep = 0.02;
    const auto ran = [&](const char* name, double timeStep, int count) {
        return afterSteps(backendName, ring, force, kernel, name, timeStep, count);
    };
    const std::unique_ptr<Backend> block = ran("block-leapfrog", kStep, steps),
                                   leapfrog = ran("leapfrog", kStep / 2, 2 * steps), other = ran("leapfrog", kStep, steps);
    ParticleSet got, want, coarse;
    block->snapshot(got);
    leapfrog->snapshot(want);
    other->snapshot(coarse);
    EXPECT_EQ(figureOf(*block, "forces a body and step"), 2) << "the mean is on the second rung";
    EXPECT_TRUE(sameState(got, want));
    EXPECT_FALSE(sameState(got, coarse)) << "or nothing is compared here";
}

}  // namespace gravlab::testing_support
