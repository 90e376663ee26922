// Kernels that are wrong on purpose, on a device: wrong where expected, always without a rate, and harmless to other work.
#include "app/bench/benchmark.h"
#include "gpu_fixture.h"
#include "sim/api/errors.h"
#include "sim/run/simulation.h"

#include <gmock/gmock.h>

#include <cstdio>

namespace gravlab::test {
namespace {

using ::testing::HasSubstr;

class TrapsOnGpu : public GpuTest {
protected:
    static BenchmarkRow timed(Backend& backend) {
        const BenchmarkPlan plan{.repeats = 2, .warmUpSeconds = 0.01, .repetitionSeconds = 0.01};
        return timeKernel(backend, integrator("leapfrog"), 1e-5, backend.configuration().force, plan);
    }
    static ForceCheck checked(Backend& backend, const ParticleSet& bodies) {
        const std::vector<std::uint32_t> all = everyBody(bodies.size());
        return compared(backend, bodies, all, reference(bodies, all, 0.05));
    }
};

TEST_F(TrapsOnGpu, theirRatesAreStruckThroughWithTheReason) {
    for (const KernelRow& trap : trapKernels()) {
        const std::unique_ptr<Backend> backend = loaded(unevenBodies(4096), {std::string(trap.name), {}}, 0.05);
        ASSERT_EQ(backend->activeKernel().name, trap.name);
        const BenchmarkRow row = timed(*backend);
        std::printf("    %s: %s\n", row.kernel.c_str(), row.note.c_str());
        EXPECT_FALSE(row.verified) << trap.name;
        EXPECT_EQ(row.interactionsPerSecond, 0) << trap.name;
        EXPECT_GT(row.struckRate, 0) << trap.name;
        EXPECT_THAT(row.note, HasSubstr("not a rate: " + std::string(trap.trap)));
        EXPECT_THAT(row.note, HasSubstr("its forces are wrong")) << trap.name;
    }
}

TEST_F(TrapsOnGpu, withoutTheBarrierForcesAreChance) {
    const ParticleSet bodies = unevenBodies(16384);
    const std::unique_ptr<Backend> backend = loaded(bodies, {"no-barrier", {.block = 1024}}, 0.05);
    int wrong = 0;
    for (int k = 0; k < 10; ++k) wrong += !checked(*backend, bodies).passed;
    EXPECT_GT(wrong, 0) << "the race was never seen";
    std::printf("    %d of 10 evaluations are wrong\n", wrong);
    // No other warp reads the only tile, so the result happens to be right, but has no rate.
    const ParticleSet few = unevenBodies(200);
    backend->load(few, {{.softening = 0.05}, {"no-barrier", {.block = 256}}});
    EXPECT_TRUE(checked(*backend, few).passed);
    const BenchmarkRow row = timed(*backend);
    EXPECT_FALSE(row.verified);
    EXPECT_THAT(row.note, HasSubstr("happened to be right"));
}

TEST_F(TrapsOnGpu, aMisreadArrayIsWrongForAllButOneBody) {
    for (const std::size_t count : {2, 3, 31, 1000}) {
        const ParticleSet bodies = unevenBodies(count);
        const std::unique_ptr<Backend> backend = loaded(bodies, {"float4-as-float3", {}}, 0.05);
        EXPECT_FALSE(checked(*backend, bodies).passed) << count;
    }
    const ParticleSet one = unevenBodies(1);
    const std::unique_ptr<Backend> backend = loaded(one, {"float4-as-float3", {}}, 0.05);
    EXPECT_TRUE(checked(*backend, one).passed) << "alone it feels nothing";
}

TEST_F(TrapsOnGpu, aLaunchThatFailsIsToldAndHurtsNobody) {
    const ParticleSet bodies = unevenBodies(2000);
    Simulation running({.scene = "plummer", .bodies = 4096, .backend = "cuda"});
    const std::unique_ptr<Backend> trap = loaded(bodies, {"1025-threads", {}}, 0.05);
    EXPECT_EQ(trap->activeLaunch().block, 1025);
    EXPECT_EQ(trap->launchFacts().failure, "") << "nothing was launched yet";
    const std::int64_t launches = cuda::callCounts().launches;
    std::vector<Double4> a;
    trap->accelerations(a);
    EXPECT_GT(cuda::callCounts().launches, launches);
    for (const Double4& each : a) ASSERT_TRUE(each.x == 0 && each.y == 0 && each.z == 0) << "nothing was computed";
    const std::string failure = trap->launchFacts().failure;
    EXPECT_THAT(failure, HasSubstr("CUDA error"));
    std::printf("    %s\n", failure.c_str());
    EXPECT_FALSE(timed(*trap).verified);
    EXPECT_EQ(cuda::takeLastError(), cuda::kSuccess) << "the error is left to whoever is next";
    // The device, the run beside it and a right kernel after it continue.
    trap->configure({.softening = 0.05}, {"tiled", {}});
    EXPECT_EQ(trap->launchFacts().failure, "");
    trap->load(bodies);
    EXPECT_TRUE(checked(*trap, bodies).passed);
    running.backend().wait();
    std::vector<Double4> others;
    running.backend().accelerations(others);
    EXPECT_EQ(others.size(), 4096u);
}

TEST_F(TrapsOnGpu, noRunTakesThem) {
    Simulation simulation({.scene = "plummer", .bodies = 4096, .backend = "cuda"});
    const std::string before = simulation.configuration().pairs().kernel.kernel;
    for (const KernelRow& trap : trapKernels()) {
        RunRequest wanted = simulation.request();
        wanted.pairs().kernel.kernel = std::string(trap.name);
        try {
            simulation.apply(wanted);
            ADD_FAILURE() << trap.name << " was taken";
        } catch (const UsageError& error) {
            EXPECT_THAT(error.what(), HasSubstr("wrong on purpose"));
            EXPECT_THAT(error.what(), HasSubstr("bench --kernel"));
        }
        EXPECT_THROW(Simulation({.scene = "plummer", .bodies = 512, .backend = "cuda", .terms = wanted.terms}), UsageError);
    }
    EXPECT_EQ(simulation.configuration().pairs().kernel.kernel, before);
}

}  // namespace
}  // namespace gravlab::test
