// The work of a frame: it does not wait, copies nothing as large as the bodies to the host, and shows only complete steps.
#include "gpu_fixture.h"
#include "sim/api/errors.h"

#include <algorithm>
#include <vector>

namespace gravlab::test {
namespace {

StepProgram leapfrog() { return integrator("leapfrog").program; }

std::int64_t waits() {
    return cuda::callsOf("cudaStreamSynchronize") + cuda::callsOf("cudaEventSynchronize") + cuda::callsOf("cudaMalloc") +
           cuda::callsOf("cudaFree");
}

TEST_F(GpuTest, framesCopyNoBodiesAndNeverWait) {
    for (const std::size_t count : {700, 65536, 300000}) {
        const ParticleSet bodies = unevenBodies(count);
        const std::unique_ptr<Backend> backend = loaded(bodies);
        DeviceSink sink;
        std::int64_t steps = backend->advance(leapfrog(), 1e-4, {.seconds = 0.01, .steps = 2}, &sink).stepsCompleted;
        backend->wait();
        // The memory of a check is allocated with the first check, that of the sink with the first shown step; later frames
        // must allocate nothing.
        backend->requestForceCheck(sampleTargets(bodies.position));
        for (bool checked = false; !checked || sink.opened == 0;) {
            backend->advance(leapfrog(), 1e-4, {.seconds = 0.01, .steps = 2}, &sink);
            checked |= backend->takeForceCheck().has_value();
        }
        const std::int64_t copies = cuda::callCounts().bodySizedCopiesToHost, waited = waits();
        const double counted = backend->totals().bodySizedHostCopies;
        backend->requestForceCheck(sampleTargets(bodies.position));
        // Calls of a full queue return at once: as many frames as a step takes, and 200 at least.
        for (int frame = 0; frame < 200 || (steps == 0 && frame < 20000000); ++frame) {
            const AdvanceStatus status = backend->advance(leapfrog(), 1e-4, {.seconds = 0.01, .steps = 2}, &sink);
            steps += status.stepsCompleted;
            backend->totals();
            backend->takeForceCheck();
        }
        EXPECT_EQ(waits(), waited) << "N = " << count;
        EXPECT_EQ(cuda::callCounts().bodySizedCopiesToHost, copies) << "N = " << count;
        EXPECT_EQ(backend->totals().bodySizedHostCopies, counted);
        EXPECT_GT(steps, 0);
        // The counters work: reading the bodies is noticed.
        state(*backend);
        EXPECT_GT(waits(), waited);
        EXPECT_GT(cuda::callCounts().bodySizedCopiesToHost, copies);
        EXPECT_GT(backend->totals().bodySizedHostCopies, counted);
    }
}

TEST_F(GpuTest, whatIsShownIsTheNewestCompleteStep) {
    for (const std::size_t count : {1, 300, 5000, 200000}) {
        const std::unique_ptr<Backend> backend = loaded(unevenBodies(count));
        DeviceSink sink;
        for (std::int64_t done = 0; done < 5;)
            done += backend->advance(leapfrog(), 1e-3, {.seconds = 0.01, .steps = 5 - done}, &sink).stepsCompleted;
        EXPECT_GE(sink.opened, 1);
        EXPECT_EQ(sink.opened, sink.closed);
        const ParticleSet shown = state(*backend);
        const std::vector<ParticleVertex> vertices = sink.read();
        ASSERT_EQ(vertices.size(), count);
        std::vector<Double4> a;
        backend->accelerations(a);
        for (std::size_t i = 0; i < count; ++i) {
            const Double4 &x = shown.position[i], &v = shown.velocity[i];
            ASSERT_EQ(vertices[i].x, static_cast<float>(x.x)) << "N = " << count << ", body " << i;
            ASSERT_EQ(vertices[i].y, static_cast<float>(x.y));
            ASSERT_EQ(vertices[i].z, static_cast<float>(x.z));
            ASSERT_NEAR(vertices[i].value, distance(v, {}), 1e-6);
        }
        backend->setVertexValue(VertexValue::acceleration);
        backend->publish(sink);
        const std::vector<ParticleVertex> again = sink.read();
        for (std::size_t i = 0; i < count; ++i) {
            ASSERT_NEAR(again[i].value, distance(a[i], {}), 1e-6 + 1e-6 * distance(a[i], {}));
            ASSERT_EQ(again[i].x, vertices[i].x);
        }
    }
}

TEST_F(GpuTest, hostSinksGetTheStepsToo) {
    const std::unique_ptr<Backend> backend = loaded(unevenBodies(3000));
    const auto expectShown = [&](const RecordingSink& sink) {
        const ParticleSet shown = state(*backend);
        ASSERT_EQ(sink.vertices.size(), shown.size());
        for (std::size_t i = 0; i < shown.size(); ++i)
            ASSERT_EQ(sink.vertices[i].x, static_cast<float>(shown.position[i].x));
    };
    RecordingSink sink;
    int published = 0;
    for (int frame = 0; frame < 100000 && published < 5; ++frame)
        published += backend->advance(leapfrog(), 1e-3, {.seconds = 0.01, .steps = 1}, &sink).published ? 1 : 0;
    EXPECT_EQ(published, 5);
    EXPECT_EQ(sink.opened, sink.closed);
    backend->publish(sink);
    expectShown(sink);
    // With no frame to keep, the call itself brings the newest step.
    EXPECT_TRUE(backend->advance(leapfrog(), 1e-3, {.steps = 3}, &sink).published);
    expectShown(sink);
}

TEST_F(GpuTest, aLongStepIsCutAndAFrameStaysShort) {
    const std::unique_ptr<Backend> backend = loaded(unevenBodies(1 << 19));
    DeviceSink sink;
    int calls = 0;
    std::vector<double> took;
    WorkTotals before = backend->totals();
    for (std::int64_t steps = 0; steps < 4; ++calls) {
        const AdvanceStatus status = backend->advance(leapfrog(), 1e-4, {.seconds = 0.008, .steps = 1}, &sink);
        steps += status.stepsCompleted;
        EXPECT_TRUE(status.stepsCompleted > 0 || status.stepProgress > 0);
        backend->wait();
        const WorkTotals after = backend->totals();
        if (calls > 5) took.push_back(after.forceSeconds - before.forceSeconds);
        before = after;
    }
    EXPECT_GT(calls, 20);
    // When other programs use the device, too, single calls take longer than planned.
    std::nth_element(took.begin(), took.begin() + static_cast<std::ptrdiff_t>(took.size() / 2), took.end());
    EXPECT_LT(took[took.size() / 2], 0.02) << "calls enqueued more than twice their budget";
}

TEST_F(GpuTest, manySmallStepsAreTheSameInAnyPieces) {
    for (const Integrator& row : integrators()) {
        if (!refusal(backend("cuda"), row, 1000).empty()) continue;
        SCOPED_TRACE(row.name);
        const std::unique_ptr<Backend> whole = loaded(unevenBodies(1000)), pieces = loaded(unevenBodies(1000));
        run(*whole, row.program, 1e-3, 40);
        std::int64_t done = 0;
        for (int call = 0; done < 40; ++call) {
            const Budget budget{.seconds = call % 3 == 0 ? 0 : 1e-4,
                                .steps = std::min<std::int64_t>(1 + call % 4, 40 - done)};
            done += pieces->advance(row.program, 1e-3, budget, nullptr).stepsCompleted;
        }
        EXPECT_TRUE(sameState(state(*whole), state(*pieces)));
    }
}

TEST_F(GpuTest, cutForcesAreTheSameForEveryLaunch) {
    const ParticleSet bodies = unevenBodies(100003);
    for (const KernelChoice& kernel :
         {KernelChoice{"tiled", {.block = 96, .unroll = 8}}, KernelChoice{"pairs", {.block = 256, .unroll = 1}},
          KernelChoice{"aos", {.block = 128, .unroll = 3}}, KernelChoice{"tiled-constant-block", {.block = 256}},
          KernelChoice{"tiled-block-split", {.block = 64, .unroll = kAutoUnroll, .split = 5}},
          KernelChoice{"tiled-split", {.block = 128, .unroll = 4, .split = 5}},
          KernelChoice{"tiled-registers", {.block = 64, .unroll = 4, .bodiesPerThread = 4, .split = 1}}}) {
        const std::unique_ptr<Backend> whole = loaded(bodies, kernel), cut = loaded(bodies, kernel);
        run(*whole, leapfrog(), 1e-3, 2);
        int calls = 0;
        for (std::int64_t done = 0; done < 2; ++calls)
            done += cut->advance(leapfrog(), 1e-3, {.seconds = 0, .steps = 2 - done}, nullptr).stepsCompleted;
        EXPECT_GT(calls, 4) << "no force was cut: this test shows nothing";
        EXPECT_TRUE(sameState(state(*whole), state(*cut)));
    }
}

}  // namespace
}  // namespace gravlab::test
