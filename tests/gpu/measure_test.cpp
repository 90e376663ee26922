// The device's measurements against the host's, at every size, law and precision; they are cheap and disturb nothing.
#include "app/services/conservation.h"
#include "gpu_fixture.h"
#include "sim/api/errors.h"
#include "sim/scenes/scene.h"
#include "tests/measured.h"

#include <gmock/gmock.h>

#include <cstdio>
#include <cstring>
#include <tuple>

namespace gravlab::test {
namespace {

using ::testing::HasSubstr;

class GpuMeasure : public GpuTest {
protected:
    static Diagnostics taken(Backend& backend, double slice = 0.05) {
        backend.requestMeasurement();
        return finished(backend, slice);
    }
    static Diagnostics finished(Backend& backend, double slice = 0.05) {
        Diagnostics none;
        none.failure = "the measurement was dropped";
        while (backend.measuring()) {
            if (std::optional<Diagnostics> done = backend.takeMeasurement(slice)) return *done;
            backend.wait();
        }
        return none;
    }
    static std::unique_ptr<Backend> holding(const ParticleSet& bodies, const ForceSettings& force) {
        std::unique_ptr<Backend> made = backend("cuda").make({});
        made->configure(force, {});
        made->load(bodies);
        return made;
    }
    /// Above 16,384 bodies in fp32 the pairs are in single precision.
    static MeasureTolerance toleranceOf(const ForceSettings& force, std::size_t count) {
        if (force.precision == Precision::fp32 && count > 16384)
            return {.potential = 1e-7, .closest = 1e-6, .samePair = false};
        return {};
    }
};

bool sameBits(const Diagnostics& a, const Diagnostics& b) {
    return a.potential == b.potential && a.kinetic == b.kinetic && a.momentum == b.momentum &&
           a.angularMomentum == b.angularMomentum && a.centreOfMass == b.centreOfMass && a.mass == b.mass &&
           a.angularMomentumScale == b.angularMomentumScale && a.shape.lagrangianRadii == b.shape.lagrangianRadii &&
           a.shape.closest == b.shape.closest && a.shape.closestFirst == b.shape.closestFirst &&
           a.shape.closestSecond == b.shape.closestSecond;
}

TEST_F(GpuMeasure, equalsTheHostForEveryLawPrecisionAndSize) {
    double worst = 0;
    for (const Precision precision : {Precision::fp32, Precision::mixed, Precision::fp64})
        for (const ForceSettings& force : measuredForces(precision))
            for (const std::size_t count : {1, 2, 3, 31, 256, 257, 1000, 4097, 20000}) {
                SCOPED_TRACE("law " + std::to_string(static_cast<int>(force.law)) + ", exponent " +
                             std::to_string(force.exponent) + ", precision " + std::to_string(static_cast<int>(precision)) +
                             ", N = " + std::to_string(count));
                const std::unique_ptr<Backend> backend = holding(spacedBodies(count), force);
                const Diagnostics got = taken(*backend), want = measure(state(*backend), force);
                ASSERT_EQ(got.failure, "");
                EXPECT_EQ(differences(got, want, toleranceOf(force, count)), "");
                if (count == 20000 && precision == Precision::fp32 && want.potential != 0)
                    worst = std::max(worst, std::abs(got.potential / want.potential - 1));
                // The comparison must notice a wrong value, otherwise it proves nothing.
                Diagnostics spoilt = got;
                spoilt.potential *= 1 + 1e-6;
                spoilt.kinetic *= 1 + 1e-9;
                EXPECT_THAT(differences(spoilt, want, toleranceOf(force, count)), HasSubstr("kinetic"));
                if (want.potential == 0) continue;
                EXPECT_THAT(differences(spoilt, want, toleranceOf(force, count)), HasSubstr("potential"));
            }
    std::printf("[ error   ] potential, fp32 pairs, N = 20,000: at most %.1e\n", worst);
}

TEST_F(GpuMeasure, masslessAndCoincidentBodies) {
    for (const std::size_t count : {7, 1000, 20000})
        for (const double softening : {0.0, 0.05}) {
            const ForceSettings force{.softening = softening};
            const std::unique_ptr<Backend> backend = holding(unevenBodies(count), force);
            EXPECT_EQ(differences(taken(*backend), measure(state(*backend), force), toleranceOf(force, count)), "")
                << count << " bodies, softening " << softening;
        }
}

TEST_F(GpuMeasure, aFewHeavyBodiesDominate) {
    ParticleSet bodies = unevenBodies(30000);
    for (std::size_t i = 0; i < bodies.size(); ++i) bodies.position[i].w *= i == 100 || i == 29000 ? 1 : 1e-7;
    bodies.position[100].w = 3;
    bodies.position[29000].w = 1;
    const ForceSettings force{.softening = 0.01};
    const std::unique_ptr<Backend> backend = holding(bodies, force);
    EXPECT_EQ(differences(taken(*backend), measure(state(*backend), force), toleranceOf(force, bodies.size())), "");
}

TEST_F(GpuMeasure, stepsGoOnMeanwhileAndChangeNothing) {
    const ParticleSet start = unevenBodies(20000);
    const ForceSettings force{.softening = 0.05};
    const StepProgram program = integrator("leapfrog").program;
    const std::unique_ptr<Backend> measured = holding(start, force), plain = holding(start, force);
    for (Backend* each : {measured.get(), plain.get()}) run(*each, program, 1e-3, 3);
    const Diagnostics still = taken(*plain);
    const cuda::CallCounts before = cuda::callCounts();
    measured->requestMeasurement();
    std::int64_t steps = 0;
    for (int frame = 0; frame < 40; ++frame) {
        steps += measured->advance(program, 1e-3, {.seconds = 2e-3, .steps = 1}, nullptr).stepsCompleted;
        if (frame >= 20) continue;
        EXPECT_FALSE(measured->takeMeasurement(1e-5).has_value()) << "slices of 10 us end in frame " << frame;
    }
    const Diagnostics got = finished(*measured);
    EXPECT_EQ(cuda::callCounts().bodySizedCopiesToHost, before.bodySizedCopiesToHost);
    EXPECT_TRUE(sameBits(got, still)) << differences(got, still, {});
    // Neither the slices nor the measurement changed the run.
    measured->finishStep();
    steps += measured->advance(program, 1e-3, {.seconds = 0, .steps = 0}, nullptr).stepsCompleted;
    EXPECT_GT(steps, 3);
    run(*plain, program, 1e-3, steps);
    EXPECT_TRUE(sameState(state(*measured), state(*plain)));
}

TEST_F(GpuMeasure, repeatsAndSlicesGiveTheSameBits) {
    for (const Precision precision : {Precision::fp32, Precision::fp64}) {
        const std::unique_ptr<Backend> backend = holding(unevenBodies(20011), {.precision = precision, .softening = 0.03});
        const Diagnostics whole = taken(*backend, 1);
        for (const double slice : {1e-6, 1e-4, 1e-3}) EXPECT_TRUE(sameBits(taken(*backend, slice), whole)) << slice;
    }
}

TEST_F(GpuMeasure, otherBodiesDropIt) {
    const std::unique_ptr<Backend> backend = holding(unevenBodies(5000), {.softening = 0.05});
    backend->requestMeasurement();
    EXPECT_TRUE(backend->measuring());
    backend->load(unevenBodies(300));
    EXPECT_FALSE(backend->measuring());
    EXPECT_FALSE(backend->takeMeasurement(1).has_value());
    EXPECT_EQ(taken(*backend).failure, "");
}

TEST_F(GpuMeasure, aCallThatFailsIsASentenceAndTheRunGoesOn) {
    if (!cuda::faultsAvailable()) GTEST_SKIP() << "this build has no faults: configure it with -DGRAVLAB_FAULTS=ON";
    const StepProgram program = integrator("leapfrog").program;
    const std::unique_ptr<Backend> backend = holding(unevenBodies(3000), {.softening = 0.05}),
                                   plain = holding(unevenBodies(3000), {.softening = 0.05});
    cuda::planFaults("cudaMalloc:3:2");
    EXPECT_THAT(taken(*backend).failure, HasSubstr("fewer bodies"));
    int failures = 0;
    for (int nth = 1; nth < 40; ++nth) {
        cuda::planFaults("cudaLaunchKernel:" + std::to_string(nth) + ":9");
        const Diagnostics got = taken(*backend, 1e-4);
        if (got.failure.empty()) break;
        EXPECT_THAT(got.failure, HasSubstr("smaller block"));
        ++failures;
    }
    cuda::planFaults("cudaMemcpyAsync:3:999");
    EXPECT_NE(taken(*backend).failure, "");
    cuda::planFaults("");
    EXPECT_GT(failures, 20) << "each launch of a measurement was made to fail";
    EXPECT_TRUE(sameBits(taken(*backend), taken(*plain)));
    for (Backend* each : {backend.get(), plain.get()}) run(*each, program, 1e-3, 3);
    EXPECT_TRUE(sameState(state(*backend), state(*plain)));
}

TEST_F(GpuMeasure, theWatchHasPointsWithoutCopiesAndKeepsThemWhenTheDeviceFails) {
    Simulation simulation({.scene = "plummer", .bodies = 20000, .backend = "cuda"});
    ConservationMonitor watch;
    StateFeed feed;
    double now = 0;
    const auto look = [&](std::size_t points) {
        for (int frame = 0; frame < 2000 && watch.points().size() < points && watch.why().empty(); ++frame) {
            simulation.advance({.seconds = 5e-3, .steps = 1}, nullptr);
            simulation.backend().wait();
            watch.update(simulation, feed, now += 0.05);
        }
    };
    const cuda::CallCounts before = cuda::callCounts();
    look(4);
    ASSERT_GE(watch.points().size(), 4u) << watch.why();
    EXPECT_EQ(cuda::callCounts().bodySizedCopiesToHost, before.bodySizedCopiesToHost);
    EXPECT_LT(watch.worstChange(), kDoubtfulChange);
    EXPECT_GT(watch.points().back().shape.lagrangianRadii[1], 0);
    if (!cuda::faultsAvailable()) return;
    const std::size_t kept = watch.points().size();
    for (int frame = 0; frame < 400 && watch.why().empty(); ++frame) {
        cuda::planFaults("");
        simulation.advance({.seconds = 5e-3, .steps = 1}, nullptr);
        simulation.backend().wait();
        cuda::planFaults("cudaEventElapsedTime:1+:9");
        watch.update(simulation, feed, now += 10);
    }
    cuda::planFaults("");
    EXPECT_THAT(watch.why(), HasSubstr("could not be measured"));
    EXPECT_EQ(watch.points().size(), kept) << "what was measured stays";
    for (int tries = 0; tries < 2000 && watch.points().size() == kept; ++tries) {
        simulation.advance({.seconds = 5e-3, .steps = 1}, nullptr);
        simulation.backend().wait();
        watch.update(simulation, feed, now += 10);
    }
    EXPECT_GT(watch.points().size(), kept) << "it tries again";
    EXPECT_EQ(watch.why(), "");
}

/// Prints; asserts no speed.
TEST_F(GpuMeasure, costOfAMeasurement) {
    for (const auto& [count, precision] : {std::pair<std::size_t, Precision>{4096, Precision::fp32},
                                           {65536, Precision::fp32},
                                           {65536, Precision::fp64},
                                           {262144, Precision::fp32},
                                           {1048576, Precision::fp32}}) {
        const std::unique_ptr<Backend> backend = holding(unevenBodies(count), {.precision = precision, .softening = 0.05});
        double best = 1e9;
        for (int repeat = 0; repeat < (count > 500000 ? 2 : 5); ++repeat) best = std::min(best, taken(*backend).seconds);
        EXPECT_GT(best, 0);
        std::printf("[ cost    ] N = %zu, %s: %.3f ms of the device, %.2f %% of it once a second\n", count,
                    precision == Precision::fp64 ? "fp64" : "fp32", 1e3 * best, 100 * best);
    }
}

TEST_F(GpuMeasure, theTreeHasTheEnergyOfAllPairs) {
    for (const auto& [scene, count, softening] : {std::tuple("plummer", 20000, 0.01), std::tuple("galaxy", 65536, 0.05),
                                                  std::tuple("plummer", 1000, 0.0), std::tuple("collision", 3, 0.05)}) {
        SCOPED_TRACE(scene + std::string(" ") + std::to_string(count));
        const ParticleSet bodies = sceneNamed(scene).build({.bodies = static_cast<std::size_t>(count), .seed = 3});
        const ForceSettings force{.softening = softening};
        const Diagnostics want = taken(*holding(bodies, force));
        double before = 1;
        for (const double accuracy : {1e-2, 1e-4}) {
            std::unique_ptr<Backend> made = backend("cuda").make({});
            KernelChoice choice{.kernel = "tree"};
            choice.allowedError = accuracy;
            made->load(bodies, ForceConfiguration{force, choice});
            const Diagnostics got = taken(*made);
            ASSERT_TRUE(got.failure.empty()) << got.failure;
            std::printf(
                "%s, %d bodies, accuracy %g: potential off by %.1e, said to be within %.1e, %.3f ms (all pairs %.3f ms)\n",
                scene, count, accuracy, got.potential / want.potential - 1, got.potentialError, 1e3 * got.seconds,
                1e3 * want.seconds);
            EXPECT_NEAR(got.potential, want.potential, 1e-4 * std::abs(want.potential));
            EXPECT_LE(std::abs(got.potential - want.potential), (4 * got.potentialError + 3e-7) * std::abs(want.potential));
            EXPECT_LE(got.potentialError, before) << "no worse where forces are more exact";
            before = got.potentialError + 1e-7;
            EXPECT_EQ(got.kinetic, want.kinetic);
            EXPECT_NEAR(got.shape.closest, want.shape.closest, 1e-5 * want.shape.closest);
            EXPECT_LT(got.shape.closestFirst, got.shape.closestSecond);
            // Slices and repetitions change no bit, and steps continue as without measurements.
            EXPECT_TRUE(sameBits(got, taken(*made, 1e-4)));
        }
    }
}

TEST_F(GpuMeasure, theTreeMeasuresAMillionBodiesWithinASecond) {
    constexpr std::size_t kMany = 1048576;
    std::unique_ptr<Backend> made = backend("cuda").make({});
    KernelChoice choice{.kernel = "tree"};
    choice.allowedError = 1e-3;
    made->load(sceneNamed("plummer").build({.bodies = kMany, .seed = 1}), ForceConfiguration{{.softening = 0.01}, choice});
    ASSERT_GE(made->mostMeasured(), kMany);
    const Diagnostics found = taken(*made);
    ASSERT_TRUE(found.failure.empty()) << found.failure;
    std::printf("1,048,576 bodies: %.1f ms, potential within %.1e, virial ratio %.4f\n", 1e3 * found.seconds,
                found.potentialError, found.virialRatio());
    EXPECT_NEAR(found.virialRatio(), 0.5, 0.01);
    EXPECT_LT(found.potentialError, 1e-3);
    EXPECT_GT(found.potentialError, 0);
}

TEST_F(GpuMeasure, energyByTheTreeLeavesTheRunAlone) {
    const auto after = [&](bool measured) {
        std::unique_ptr<Backend> made = backend("cuda").make({});
        KernelChoice choice{.kernel = "tree"};
        choice.allowedError = 1e-3;
        made->load(sceneNamed("galaxy").build({.bodies = 30000, .seed = 2}),
                   ForceConfiguration{{.softening = 0.05}, choice});
        for (int k = 0; k < 5; ++k) {
            made->advance(integrator("leapfrog").program, 0.01, {.steps = 1}, nullptr);
            if (measured) taken(*made);
        }
        ParticleSet bodies = made->bodies();
        return bodies.position;
    };
    const std::vector<Double4> plain = after(false), watched = after(true);
    EXPECT_EQ(std::memcmp(plain.data(), watched.data(), plain.size() * sizeof(Double4)), 0)
        << "what the criterion keeps of the last accelerations is of the steps alone";
}

}  // namespace
}  // namespace gravlab::test
