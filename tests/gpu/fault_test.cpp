// CUDA calls that fail: the message for the user, and what continues. The first tests need no GPU.
#include "gpu_fixture.h"
#include "sim/api/errors.h"

#include <gmock/gmock.h>

namespace gravlab::test {
namespace {

using ::testing::HasSubstr;

constexpr const char* kNoFaults = "this build has no faults: configure it with -DGRAVLAB_FAULTS=ON";

class Faults : public ::testing::Test {
protected:
    void SetUp() override {
        if (!cuda::faultsAvailable()) GTEST_SKIP() << kNoFaults;
    }
    void TearDown() override {
        if (cuda::faultsAvailable()) cuda::planFaults("");
    }
};

TEST_F(Faults, EveryReasonSaysWhatToDo) {
    struct Case {
        int code;
        const char* cause;
        const char* fix;
    };
    const Case cases[] = {{100, "no GPU", "nvidia-smi"},    {46, "exclusive", "--device"},    {803, "versions", "restart"},
                          {804, "compatibility", "update"}, {222, "too old", "newer driver"}, {999, "unknown", "again"}};
    for (const Case& c : cases) {
        cuda::planFaults("cudaGetDeviceCount:1+:" + std::to_string(c.code));
        const Reason reason = backend("cuda").unavailable({});
        EXPECT_THAT(reason, HasSubstr(c.cause)) << c.code;
        EXPECT_THAT(reason, HasSubstr(c.fix)) << c.code;
        EXPECT_THAT(reason, HasSubstr(std::to_string(c.code)));
        const BackendChoice choice = chooseBackend({}, {});
        EXPECT_EQ(choice.row->name, "cpu");
        EXPECT_THAT(choice.why, HasSubstr(c.cause));
        EXPECT_THROW(chooseBackend("cuda", {}), NoDeviceError);
        EXPECT_THROW(backend("cuda").make({}), NoDeviceError);
    }
}

TEST_F(Faults, PlansAreChecked) {
    EXPECT_THROW(cuda::planFaults("cudaMalloc"), UsageError);
    EXPECT_THROW(cuda::planFaults("cudaMalloc:x:2"), UsageError);
    EXPECT_THROW(cuda::planFaults("cudaMalloc:1:"), UsageError);
    EXPECT_THROW(cuda::planFaults("cudaMallok:1:2"), UsageError);
    cuda::planFaults("cudaMemGetInfo:2:7,cudaMemGetInfo:4+:8");
    std::size_t free = 0, total = 0;
    std::vector<cuda::Code> codes;
    for (int call = 0; call < 6; ++call) codes.push_back(cuda::memoryInfo(free, total));
    EXPECT_EQ(codes[1], 7);
    EXPECT_EQ(codes[3], 8);
    EXPECT_EQ(codes[5], 8);
    EXPECT_NE(codes[0], 7);
    EXPECT_NE(codes[2], 8);
}

TEST(CudaErrors, NameTheirPlace) {
    try {
        CUDA_CHECK(2);
        FAIL();
    } catch (const OutOfMemoryError& error) {
        EXPECT_THAT(error.what(), HasSubstr("fault_test.cpp:"));
        EXPECT_THAT(error.what(), HasSubstr("fewer bodies"));
        EXPECT_THAT(error.what(), HasSubstr("cudaErrorMemoryAllocation"));
        EXPECT_EQ(error.code(), ExitCode::deviceFailure);
    }
    EXPECT_THROW(CUDA_CHECK(700), DeviceError);
    EXPECT_TRUE(cuda::endsContext(700));
    EXPECT_TRUE(cuda::endsContext(719));
    EXPECT_FALSE(cuda::endsContext(2));
    EXPECT_FALSE(cuda::endsContext(304));
}

class GpuFaults : public GpuTest {
protected:
    void SetUp() override {
        GpuTest::SetUp();
        if (!IsSkipped() && !cuda::faultsAvailable()) GTEST_SKIP() << kNoFaults;
    }
};

TEST_F(GpuFaults, memoryThatRunsOutWhileLoadingLeavesTheOldBodiesRunning) {
    const std::unique_ptr<Backend> backend = loaded(unevenBodies(2000)), plain = loaded(unevenBodies(2000));
    const ParticleSet before = state(*backend);
    const std::int64_t first = cuda::callsOf("cudaMalloc");
    plain->load(unevenBodies(20000));
    const auto allocations = static_cast<int>(cuda::callsOf("cudaMalloc") - first);
    ASSERT_GE(allocations, 6);
    plain->load(unevenBodies(2000));
    for (int k = 1; k <= allocations; ++k) {
        cuda::planFaults("cudaMalloc:" + std::to_string(k) + ":2");
        try {
            backend->load(unevenBodies(20000));
            ADD_FAILURE() << "allocation " << k << " did not fail";
        } catch (const OutOfMemoryError& error) {
            EXPECT_THAT(error.what(), HasSubstr("20000 bodies need"));
            EXPECT_THAT(error.what(), HasSubstr("are free"));
            EXPECT_THAT(error.what(), HasSubstr("continues with 2000"));
        }
        cuda::planFaults("");
        EXPECT_EQ(backend->size(), 2000u);
        EXPECT_TRUE(sameState(state(*backend), before));
    }
    run(*backend, integrator("leapfrog").program, 0.01, 3);
    run(*plain, integrator("leapfrog").program, 0.01, 3);
    EXPECT_TRUE(sameState(state(*backend), state(*plain)));
}

TEST_F(GpuTest, realLackOfMemoryLeavesTheOldBodiesRunning) {
    const std::unique_ptr<Backend> backend = loaded(unevenBodies(1000)), plain = loaded(unevenBodies(1000));
    // All but 64 MiB is allocated, so that a million bodies do not fit.
    std::size_t free = 0, total = 0;
    ASSERT_EQ(cuda::memoryInfo(free, total), cuda::kSuccess);
    std::vector<void*> held;
    for (std::size_t piece = std::size_t{1} << 32; piece >= (std::size_t{1} << 20); piece /= 2) {
        void* memory = nullptr;
        while (cuda::memoryInfo(free, total) == cuda::kSuccess && free > piece + (std::size_t{64} << 20) &&
               cuda::allocate(&memory, piece) == cuda::kSuccess)
            held.push_back(memory);
        cuda::takeLastError();
    }
    EXPECT_THROW(backend->load(unevenBodies(1 << 20)), OutOfMemoryError);
    EXPECT_EQ(backend->size(), 1000u);
    run(*backend, integrator("leapfrog").program, 0.01, 10);
    for (void* memory : held) cuda::release(memory);
    run(*plain, integrator("leapfrog").program, 0.01, 10);
    EXPECT_TRUE(sameState(state(*backend), state(*plain)));
    backend->load(unevenBodies(1 << 20));
    EXPECT_EQ(backend->size(), std::size_t{1} << 20);
}

TEST_F(GpuFaults, aLaunchThatFailsIsAnErrorAndTheStepBeginsAgain) {
    const KernelChoice kernel{"tiled-split", {.block = 128, .unroll = 8, .split = 8}};
    const std::unique_ptr<Backend> backend = loaded(unevenBodies(3000), kernel), plain = loaded(unevenBodies(3000), kernel);
    const StepProgram program = integrator("yoshida4").program;
    run(*plain, program, 0.01, 4);
    std::int64_t done = 0;
    int failures = 0;
    for (int nth = 1; done < 4; ++nth) {
        cuda::planFaults(nth < 12 ? "cudaLaunchKernel:" + std::to_string(nth) + ":9" : "");
        try {
            done += backend->advance(program, 0.01, {.steps = 1}, nullptr).stepsCompleted;
        } catch (const DeviceError& error) {
            ++failures;
            EXPECT_THAT(error.what(), HasSubstr("smaller block"));
        }
    }
    cuda::planFaults("");
    EXPECT_GT(failures, 5);
    EXPECT_TRUE(sameState(state(*backend), state(*plain)));
}

TEST_F(GpuFaults, aFailedForceIsNeverCountedAsWork) {
    const std::unique_ptr<Backend> backend = loaded(unevenBodies(3000));
    cuda::planFaults("cudaLaunchKernel:1+:9,cudaLaunchCooperativeKernel:1+:720");
    EXPECT_THROW(backend->advance(integrator("leapfrog").program, 0.01, {.steps = 5}, nullptr), DeviceError);
    cuda::planFaults("");
    backend->wait();
    EXPECT_EQ(backend->totals().interactions, 0);
    EXPECT_EQ(backend->totals().steps, 0);
}

}  // namespace
}  // namespace gravlab::test
