// The few-body engine: against the reference backend, for every law, and through every kind of interruption.
#include "sim/backends/few_body.h"

#include "sim/api/errors.h"
#include "sim/backends/backend.h"
#include "sim/backends/kernel_rows.h"
#include "sim/core/random.h"
#include "sim/forces/law.h"
#include "sim/run/simulation.h"
#include "tests/bodies.h"

#include <gtest/gtest.h>

#include <cmath>

namespace gravlab {
namespace {

ParticleSet randomBodies(std::size_t count, std::uint64_t seed) {
    ParticleSet bodies;
    bodies.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
        Random random(seed, i);
        bodies.position[i] = {random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(0.1, 1)};
        bodies.velocity[i] = {random.uniform(-0.5, 0.5), random.uniform(-0.5, 0.5), random.uniform(-0.5, 0.5), 1};
        bodies.id[i] = static_cast<std::uint32_t>(i);
    }
    return bodies;
}

FewBody engineFor(const ParticleSet& bodies, const ForceSettings& settings) {
    FewBody engine;
    engine.load(bodies);
    engine.configure(settings);
    return engine;
}

ForceSettings softened(double softening) {
    ForceSettings settings{.softening = softening};
    return settings;
}

double worstDifference(const std::vector<Double4>& got, const std::vector<Double4>& want) {
    double worst = 0;
    for (std::size_t i = 0; i < want.size(); ++i) {
        const double dx = got[i].x - want[i].x, dy = got[i].y - want[i].y, dz = got[i].z - want[i].z;
        const double size = std::sqrt(want[i].x * want[i].x + want[i].y * want[i].y + want[i].z * want[i].z);
        const double error = std::sqrt(dx * dx + dy * dy + dz * dz) / size;
        if (!(error <= worst)) worst = error;
    }
    return worst;
}

TEST(FewBody, agreesWithTheReferenceOnAccelerations) {
    for (std::size_t count : {2u, 3u, 5u, 31u, 32u, 33u, 255u, 256u, 257u}) {
        ParticleSet bodies = randomBodies(count, 7);
        bodies.position[count / 2].w = 0;  // a massless body in the middle
        bodies.position[count - 1].w = 0;  // and one at the end
        if (count > 4) bodies.position[3] = {bodies.position[1].x, bodies.position[1].y, bodies.position[1].z, 0.5};
        auto reference = referenceBackendRow().make({});
        reference->load(bodies);
        reference->configure(softened(0.01), {});
        std::vector<Double4> want, got;
        reference->accelerations(want);
        FewBody engine = engineFor(bodies, softened(0.01));
        engine.accelerations(got);
        EXPECT_LE(worstDifference(got, want), 3e-13) << count;
        got[count - 1].x *= 1.00001;
        EXPECT_GT(worstDifference(got, want), 1e-9) << "the comparison is blind at " << count;
    }
}

/// Energy under any law, with the inertia that source and response define.
double energyOf(const ParticleSet& bodies, const LawRow& row, const ForceSettings& settings) {
    double energy = 0;
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        const Double4 &x = bodies.position[i], &v = bodies.velocity[i];
        energy += 0.5 * (x.w / v.w) * (v.x * v.x + v.y * v.y + v.z * v.z);
        for (std::size_t j = 0; j < i; ++j) {
            const double dx = bodies.position[j].x - x.x, dy = bodies.position[j].y - x.y, dz = bodies.position[j].z - x.z;
            energy += x.w * bodies.position[j].w * row.potential(settings, dx * dx + dy * dy + dz * dz);
        }
    }
    return energy;
}

TEST(FewBody, conservesTheEnergyOfEveryLaw) {
    for (const LawRow& row : laws())
        for (const auto& [exponent, strength] :
             {std::pair(2.0, 1.0), {1.0, 1.0}, {2.5, 1.0}, {-1.0, 1.0}, {2.0, 1.6}, {2.5, 0.7}}) {
            if (row.law != kLaw<PowerLaw> && exponent != 2) continue;
            // A crystal of 27 bodies with a small motion; inertia 1 or 2, charges of either sign.
            ParticleSet bodies = randomBodies(27, 3);
            for (std::size_t i = 0; i < 27; ++i) {
                const double inertia = 1 + static_cast<double>(i % 2), charge = i % 3 ? 0.5 : -0.5;
                const double source = row.law == kLaw<Coulomb> ? charge : row.law == kLaw<LennardJones> ? 1 : inertia;
                bodies.position[i] = {1.1 * static_cast<double>(i % 3), 1.1 * static_cast<double>(i / 3 % 3),
                                      1.1 * static_cast<double>(i / 9), source};
                bodies.velocity[i].w = source / inertia;
            }
            ForceSettings settings = softened(0.2);
            settings.law = row.law;
            settings.exponent = exponent;
            settings.strength = strength;
            if (strength != 1) settings.diameter = 1.05, settings.cutOff = 2.1;
            auto error = [&](double dt) {
                FewBody engine = engineFor(bodies, settings);
                ParticleSet end = bodies;
                engine.advance(integrator("yoshida4").program, dt, {.seconds = 1e300, .steps = std::lround(0.5 / dt)});
                engine.store(end);
                return std::fabs(energyOf(end, row, settings) - energyOf(bodies, row, settings)) /
                       std::fabs(energyOf(bodies, row, settings));
            };
            const double fine = error(1.0 / 2048);
            EXPECT_LE(fine, 1e-8) << row.name << ' ' << exponent;
            EXPECT_GE(error(1.0 / 32), 4 * fine) << row.name << ' ' << exponent << ": nothing moved";
        }
}

TEST(FewBody, slicingChangesNoBit) {
    const ParticleSet bodies = randomBodies(20, 1);
    for (const Integrator& row : integrators()) {
        FewBody whole = engineFor(bodies, softened(0.01)), sliced = engineFor(bodies, softened(0.01));
        const double dt = isAdaptive(row.program) ? 0.05 : 0.01;
        EXPECT_EQ(whole.advance(row.program, dt, {.seconds = 1e300, .steps = 10}), 10);
        std::int64_t done = 0;
        int calls = 0;
        while (done < 10) {
            done += sliced.advance(row.program, dt, {.seconds = 0, .steps = 10 - done});
            ++calls;
        }
        EXPECT_GT(calls, 1) << row.name;
        ParticleSet a = bodies, b = bodies;
        whole.store(a);
        sliced.store(b);
        EXPECT_TRUE(testing_support::sameState(a, b)) << row.name;
        EXPECT_FALSE(testing_support::sameState(a, bodies)) << row.name;
    }
}

TEST(FewBody, showsOnlyCompleteSteps) {
    const ParticleSet bodies = randomBodies(40, 1);
    const StepProgram radau = integrator("radau15").program;
    FewBody engine = engineFor(bodies, softened(0.01));
    ASSERT_EQ(engine.advance(radau, 0.1, {.seconds = 0, .steps = 1}), 0);
    EXPECT_GT(engine.stepProgress(), 0);
    EXPECT_LT(engine.stepProgress(), 1);
    ParticleSet seen = bodies;
    engine.store(seen);
    EXPECT_TRUE(testing_support::sameState(seen, bodies));
    EXPECT_EQ(engine.finishStep(), 1);
    EXPECT_EQ(engine.stepProgress(), 0);
    EXPECT_EQ(engine.finishStep(), 0);
    engine.store(seen);
    EXPECT_FALSE(testing_support::sameState(seen, bodies));
}

TEST(FewBody, hermiteRefusesALawWithoutJerk) {
    ForceSettings coulomb{.law = kLaw<Coulomb>};
    FewBody engine = engineFor(randomBodies(3, 1), coulomb);
    EXPECT_THROW(engine.advance(integrator("hermite4").program, 0.01, {}), UsageError);
}

TEST(FewBody, theReferenceBackendRunsItsProgramsAndSwitchesBetweenThem) {
    const ParticleSet bodies = randomBodies(12, 5);
    auto backend = referenceBackendRow().make({});
    backend->load(bodies);
    backend->configure(softened(0.05), {});
    FewBody engine = engineFor(bodies, softened(0.05));
    ParticleSet got, want = bodies;
    const Budget five{.seconds = 1e300, .steps = 5};
    for (const char* name : {"hermite4", "radau15", "hermite4"}) {
        EXPECT_EQ(backend->advance(integrator(name).program, 0.01, five, nullptr).stepsCompleted, 5);
        EXPECT_EQ(engine.advance(integrator(name).program, 0.01, five), 5);
        backend->snapshot(got);
        engine.store(want);
        EXPECT_TRUE(testing_support::sameState(got, want)) << name;
    }
    // To a program of the backend's own and back: the engine continues with the new state.
    const Budget one{.seconds = 1e300, .steps = 1};
    EXPECT_EQ(backend->advance(integrator("leapfrog").program, 0.01, one, nullptr).stepsCompleted, 1);
    backend->snapshot(want);
    FewBody second = engineFor(want, softened(0.05));
    EXPECT_EQ(backend->advance(integrator("radau15").program, 0.01, one, nullptr).stepsCompleted, 1);
    second.advance(integrator("radau15").program, 0.01, one);
    backend->snapshot(got);
    second.store(want);
    EXPECT_TRUE(testing_support::sameState(got, want));
    // An adaptive step cut by the budget is reported once, whatever ends it.
    std::int64_t steps =
        backend->advance(integrator("radau15").program, 2, {.seconds = 0, .steps = 1}, nullptr).stepsCompleted;
    backend->finishStep();
    steps += backend->advance(integrator("leapfrog").program, 0.01, one, nullptr).stepsCompleted;
    EXPECT_EQ(steps, 2);
}

TEST(FewBody, tellsTheStepItChose) {
    auto backend = referenceBackendRow().make({});
    backend->load(randomBodies(12, 5));
    backend->configure(softened(0.05), {});
    const Budget some{.seconds = 1e300, .steps = 20};
    EXPECT_GT(backend->advance(integrator("radau15").program, 0.001, some, nullptr).innerStep, 0.001)
        << "not bound to the time step";
    EXPECT_EQ(backend->advance(integrator("leapfrog").program, 0.001, some, nullptr).innerStep, 0);
    EXPECT_EQ(backend->advance(integrator("hermite4").program, 0.001, some, nullptr).innerStep, 0);
}

TEST(FewBody, backendsSayWhatTheyCannotRun) {
    EXPECT_TRUE(refusal(backend("reference"), integrator("radau15"), 256).empty());
    EXPECT_NE(refusal(backend("reference"), integrator("radau15"), 257).find("256"), std::string::npos);
    EXPECT_TRUE(refusal(backend("reference"), integrator("leapfrog"), 100000).empty());
    EXPECT_FALSE(refusal(backend("cuda"), integrator("hermite4"), 10).empty());
}

TEST(FewBody, autoFindsTheBackendThatRunsAnAdaptiveIntegrator) {
    RunRequest settings{.scene = "pythagorean", .integrator = "radau15", .timeStep = 0.5};
    Simulation simulation(settings);
    EXPECT_EQ(simulation.configuration().backend, "reference");
    EXPECT_NE(simulation.backendWhy().find("radau15"), std::string::npos);
    EXPECT_EQ(simulation.advance({.seconds = 1e300, .steps = 4}, nullptr).stepsCompleted, 4);
    EXPECT_EQ(simulation.time(), 2);

    settings.scene = "plummer";
    settings.bodies = 1000;
    EXPECT_THROW(Simulation{settings}, UsageError);
    settings.bodies = 100;
    settings.backend = "cpu";
    EXPECT_THROW(Simulation{settings}, UsageError);
}

}  // namespace
}  // namespace gravlab
