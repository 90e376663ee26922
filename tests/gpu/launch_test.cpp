// Planned launches for facts of devices. No GPU is needed, except for the test with two.
#include "gpu_fixture.h"
#include "sim/api/errors.h"
#include "sim/backends/cuda/kernels/symmetric.h"
#include "sim/backends/cuda/methods/device.h"
#include "sim/backends/cuda/methods/launch_plan.h"
#include "sim/backends/cuda/runtime/memory.h"
#include "sim/backends/cuda/runtime/pacing.h"
#include "sim/run/far_field.h"
#include "sim/run/simulation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

namespace gravlab::test {
namespace {

constexpr int kMegahertz = 1000;

cuda::DeviceFacts device(int major, int minor, int multiprocessors = 100) {
    cuda::DeviceFacts facts;
    facts.major = major;
    facts.minor = minor;
    facts.multiprocessors = multiprocessors;
    facts.clockKHz = 1500 * kMegahertz;
    return facts;
}

TEST(CudaDevices, lanesAreThoseOfTheirGeneration) {
    // NVIDIA's programming guide, arithmetic instructions: results a clock and multiprocessor for 32-bit additions.
    const struct {
        int major, minor, lanes;
    } known[] = {{6, 0, 64},  {6, 1, 128}, {6, 2, 128}, {7, 0, 64},  {7, 2, 64},   {7, 5, 64},  {8, 0, 64},
                 {8, 6, 128}, {8, 7, 128}, {8, 9, 128}, {9, 0, 128}, {10, 0, 128}, {12, 0, 128}};
    for (const auto& [major, minor, lanes] : known)
        EXPECT_EQ(cuda::lanesPerMultiprocessor(device(major, minor)), lanes) << "sm_" << major << minor;
}

TEST(CudaDevices, theExpectedRateCountsTheLanesThatThereAre) {
    constexpr double kMany = 1e9, kFew = 1024.0 * 25;
    EXPECT_DOUBLE_EQ(cuda::expectedPairRate(device(9, 0), kMany), 0.04 * 128 * 100 * 1.5e9);
    EXPECT_DOUBLE_EQ(cuda::expectedPairRate(device(6, 0), kMany), 0.04 * 64 * 100 * 1.5e9);
    EXPECT_DOUBLE_EQ(cuda::expectedPairRate(device(9, 0), kFew), 0.25 * cuda::expectedPairRate(device(9, 0), kMany));
    EXPECT_GE(cuda::expectedPairRate(device(9, 0), 1), 1e9) << "a slice must end";
}

TEST(CudaDevices, whatBelongsToADeviceIsMadeOncePerDevice) {
    static int made = 0;
    struct Counted {
        int number = ++made;
    };
    cuda::PerDevice<Counted> each;
    Counted& first = each.of(0);
    Counted& second = each.of(1);
    EXPECT_NE(&first, &second) << "an event of one device must not be recorded on a stream of another";
    EXPECT_EQ(&each.of(0), &first);
    EXPECT_EQ(&each.of(1), &second);
    EXPECT_EQ(made, 2);
}

TEST_F(GpuTest, constantRunsOnTwoDevicesInTurn) {
    if (!backend("cuda").unavailable({.device = 1}).empty()) GTEST_SKIP() << "there is one device only";
    const ParticleSet bodies = unevenBodies(6000);
    std::vector<std::unique_ptr<Backend>> both;
    for (const int index : {0, 1}) {
        both.push_back(backend("cuda").make({.device = index}));
        both.back()->configure({.softening = 0.05}, {.kernel = "constant"});
        both.back()->load(bodies);
    }
    for (int turn = 0; turn < 3; ++turn)
        for (const std::unique_ptr<Backend>& one : both) run(*one, integrator("leapfrog").program, 0.01, 1);
    EXPECT_TRUE(sameState(state(*both[0]), state(*both[1])));
}

TEST_F(GpuTest, constantIsReadByTwoThreads) {
    // Both engines fill the one constant array of the device.
    const auto ran = [](std::uint64_t seed) {
        const std::unique_ptr<Backend> one = loaded(unevenBodies(9000, seed), {.kernel = "constant"});
        for (int step = 0; step < 20; ++step) run(*one, integrator("leapfrog").program, 0.01, 1);
        return state(*one);
    };
    const ParticleSet first = ran(1), second = ran(2);
    ParticleSet besideFirst, besideSecond;
    std::thread other([&] { besideSecond = ran(2); });
    besideFirst = ran(1);
    other.join();
    EXPECT_TRUE(sameState(first, besideFirst));
    EXPECT_TRUE(sameState(second, besideSecond));
    EXPECT_FALSE(sameState(first, second));
}

TEST(CudaLaunch, fewSourcesTakeARowOverTargets) {
    const cuda::BodyFacts all{.count = 8192}, few{.count = 8192, .sources = {nullptr, 3}};
    EXPECT_EQ(cuda::measuredBest(all, {}, device(9, 0, 132)), "many-steps");
    EXPECT_EQ(cuda::measuredBest(few, {}, device(9, 0, 132)), "");
    EXPECT_EQ(few.acting(), 3u);
    EXPECT_EQ(all.acting(), 8192u);
    ParticleSet bodies = unevenBodies(100);
    EXPECT_EQ(cuda::factsOf(bodies).acting(), 100u) << "every seventh has no mass";
    for (std::size_t i = 0; i < 100; ++i) bodies.position[i].w = i % 4 == 1;
    EXPECT_EQ(cuda::factsOf(bodies).acting(), 25u);
}

TEST(CudaLaunch, oneResidentWaveTakes8192BodiesOf132Multiprocessors) {
    const auto best = [](std::size_t count, int multiprocessors) {
        return cuda::measuredBest({.count = count, .equalMass = 1}, {}, device(9, 0, multiprocessors));
    };
    EXPECT_EQ(best(8192, 132), "many-steps");
    EXPECT_EQ(best(63 * 132, 132), "many-steps");
    EXPECT_EQ(best(63 * 132 + 1, 132), "symmetric-equal");
    EXPECT_EQ(best(8192, 80), "symmetric-equal");
}

TEST(CudaLaunch, noPlaceOfAPartnerLeavesTheRangeOfItsNumbers) {
    constexpr std::size_t kMost = cuda::kMostSymmetricBodies;
    const TilePartition partition = tilePartition(kMost, 512);
    EXPECT_LT(static_cast<double>(partition.bodies()) + partition.tile + partition.range + partition.chunk, 2147483647.0);
    EXPECT_EQ(tilePartition(2147483136, 512).tiles, 4194303);
    EXPECT_EQ(cuda::measuredBest({.count = kMost}, {}, device(9, 0)), "symmetric");
    EXPECT_EQ(cuda::measuredBest({.count = kMost + 1}, {}, device(9, 0)), "");
}

TEST_F(GpuTest, soManyBodiesAreRefusedByTheSymmetricRows) {
    for (const char* kernel : {"symmetric", "symmetric-equal", "symmetric-runs"})
        EXPECT_THROW(cuda::choose({kernel, {}}, {.count = 1'500'000'000, .equalMass = 1}, {}, device(9, 0)), UsageError)
            << kernel;
}

class GpuBodies : public GpuTest {};

TEST_F(GpuBodies, aWindowStartsWithTheNumberOfTheDevicesClass) {
    const DeviceSize size = deviceSize(deviceBackend(), {});
    EXPECT_GT(size.multiprocessors, 0);
    EXPECT_GT(size.bandwidth, 1e10);
    RunRequest request{.scene = "galaxy", .farField = true};
    const Simulation watched(request);
    EXPECT_EQ(watched.configuration().bodies, std::max<std::size_t>(65536, classOf(size).bodies));
    EXPECT_EQ(watched.configuration().pairs().accuracy, watched.configuration().bodies > 65536 ? 1e-3 : 0);
    request.precision = Precision::fp64;
    EXPECT_EQ(Simulation(request).configuration().bodies, 65536u) << "double precision computes every pair";
    request.precision.reset();
    request.farField = false;
    EXPECT_EQ(Simulation(request).configuration().bodies, 65536u) << "so do run, render and bench";
}

TEST(CudaPacing, aSliceIsTakenWhoseGreaterHalfFits) {
    cuda::GpuTimer timer(nullptr);
    const cuda::Pacing frame({.seconds = 0.9, .steps = 1}, timer);
    EXPECT_TRUE(frame.admits(true, 0.48));
    timer.add(0.48, {});
    EXPECT_TRUE(frame.admits(false, 0.48)) << "half of the frame would be idle";
    EXPECT_FALSE(frame.admits(false, 0.9));
    timer.add(0.48, {});
    EXPECT_FALSE(frame.admits(false, 0.48));
    EXPECT_FALSE(frame.admits(true, 0.48)) << "the next frame waits for a queue that is full";
}

}  // namespace
}  // namespace gravlab::test
