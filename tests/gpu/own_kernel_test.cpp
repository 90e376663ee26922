// Kernels that users write, on a GPU: the texts to begin with run, wrong ones are struck, and neither a loop without an end
// nor a bad address touches this process.
#include "app/lab/benchmark.h"
#include "app/lab/own_trial.h"
#include "sim/core/error.h"
#include "tests/gpu/gpu_fixture.h"
#include "tests/paths.h"
#include "tests/unit/cli_support.h"

#include <gmock/gmock.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>

namespace gravlab::test {
namespace {

using ::testing::HasSubstr;

class OwnKernelOnGpu : public GpuTest {
protected:
    void SetUp() override {
        GpuTest::SetUp();
        if (IsSkipped() || HasFatalFailure()) return;
        if (const Reason reason = whyNoCompiler(); !reason.empty()) {
            if (gpuRequired()) FAIL() << reason;
            GTEST_SKIP() << reason;
        }
    }
    static std::vector<Double4> singles(const ParticleSet& bodies) {
        std::vector<Double4> all = bodies.position;
        for (Double4& body : all)
            for (double* const number : {&body.x, &body.y, &body.z, &body.w}) *number = static_cast<float>(*number);
        return all;
    }
    static OwnTrialReply tried(const std::string& text, std::size_t count = 3000, OwnTrial::Limits limits = {}) {
        OwnTrial trial({.text = text, .file = "my.cu", .softening = 0.05, .bodies = singles(unevenBodies(count))}, limits,
                       GRAVLAB_BINARY);
        return awaitTrial(trial);
    }
    static std::string replaced(std::string text, const std::string& from, const std::string& to) {
        const std::size_t at = text.find(from);
        EXPECT_NE(at, std::string::npos) << from;
        return at == std::string::npos ? text : text.replace(at, from.size(), to);
    }
    static std::string tiledText() { return std::string(ownTemplateText("tiled")); }
    /// That this process can still compute.
    static void expectSound() {
        const std::unique_ptr<Backend> backend = loaded(unevenBodies(1000), {.kernel = "tiled"});
        backend->requestForceCheck(sampleTargets(unevenBodies(1000).position));
        run(*backend, integrator("leapfrog").program, 1e-3, 2);
        const std::optional<ForceCheck> check = backend->takeForceCheck();
        ASSERT_TRUE(check.has_value());
        EXPECT_TRUE(check->passed) << check->text();
    }
};

TEST_F(OwnKernelOnGpu, everyTextToBeginWithIsRightAndIsMeasured) {
    const ParticleSet bodies = unevenBodies(4096);
    for (const OwnTemplate& row : ownTemplates()) {
        SCOPED_TRACE(std::string(row.name));
        const std::string text(ownTemplateText(row.name));
        const OwnTrialReply reply = tried(text, 4096);
        if (row.name == "missing-barrier") continue;  // a race may come out right
        ASSERT_EQ(reply.outcome, OwnOutcome::good) << reply.sentence;
        EXPECT_GT(reply.secondsPerForce, 0);
        const KernelRow& kernel = adoptOwnKernel(std::string(row.name) + ".cu", reply.code, ownLaunch(text, "my.cu"), 4096);
        const std::unique_ptr<Backend> backend = loaded(bodies, {.kernel = std::string(kernel.name)});
        EXPECT_EQ(backend->activeKernel().name, kernel.name);
        const BenchmarkRow measured = timeKernel(*backend, integrator("leapfrog"), 1e-3, {.softening = 0.05},
                                                 {.repeats = 2, .warmUpSeconds = 0.05, .repetitionSeconds = 0.05});
        EXPECT_TRUE(measured.verified) << measured.note;
        EXPECT_GT(measured.interactionsPerSecond, 1e9);
        const LaunchFacts facts = backend->launchFacts();
        EXPECT_EQ(facts.threads, 128);
        EXPECT_GT(facts.registers, 0);
    }
}

TEST_F(OwnKernelOnGpu, theTimeOfAForceIsThatOfAllBodies) {
    // The time of a thread grows with the bodies, whatever the device: 64 times as many take at least 8 times as long.
    const OwnTrialReply few = tried(tiledText(), 1024), many = tried(tiledText(), 65536);
    ASSERT_EQ(few.outcome, OwnOutcome::good) << few.sentence;
    ASSERT_EQ(many.outcome, OwnOutcome::good) << many.sentence;
    EXPECT_GT(few.secondsPerForce, 0);
    EXPECT_GT(many.secondsPerForce, 8 * few.secondsPerForce);
    // What a run measures of the same code is the same up to what a step has beside its force.
    const std::unique_ptr<Backend> backend = loaded(
        unevenBodies(65536),
        {.kernel = std::string(adoptOwnKernel("clock.cu", many.code, ownLaunch(tiledText(), "clock.cu"), 65536).name)});
    const BenchmarkRow measured = timeKernel(*backend, integrator("leapfrog"), 1e-3, {.softening = 0.05},
                                             {.repeats = 2, .warmUpSeconds = 0.05, .repetitionSeconds = 0.05});
    const double rate = 65536.0 * 65536.0 / many.secondsPerForce;
    EXPECT_LT(rate, 4 * measured.interactionsPerSecond);
    EXPECT_GT(rate, measured.interactionsPerSecond / 4);
}

TEST_F(OwnKernelOnGpu, aKernelThatForgetsTheLastBodyIsStruck) {
    // As a source ...
    const OwnTrialReply source = tried(replaced(tiledText(), "mine < n ?", "mine < n - 1 ?"));
    EXPECT_EQ(source.outcome, OwnOutcome::wrong);
    EXPECT_THAT(source.sentence, HasSubstr("not those of fp64"));
    // ... and as a target.
    const OwnTrialReply target = tried(replaced(tiledText(), "if (i < n) acc", "if (i < n - 1) acc"));
    EXPECT_EQ(target.outcome, OwnOutcome::wrong);
    EXPECT_THAT(target.sentence, HasSubstr("1 accelerations are not stored or not finite, the first of body 1020"));
}

TEST_F(OwnKernelOnGpu, oneThatWritesBehindTheLastBodyIsStruck) {
    const OwnTrialReply reply = tried(replaced(tiledText(), "if (i < n) acc", "acc"));
    EXPECT_EQ(reply.outcome, OwnOutcome::wrong);
    EXPECT_THAT(reply.sentence, HasSubstr("behind the last acceleration"));
}

TEST_F(OwnKernelOnGpu, oneThatLoopsForeverIsEndedWithinItsLimit) {
    const auto begin = std::chrono::steady_clock::now();
    const OwnTrialReply reply =
        tried(replaced(tiledText(), "base += BLOCK", "base += 0 * BLOCK"), 3000, {.compile = 60, .force = 2});
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    EXPECT_EQ(reply.outcome, OwnOutcome::failed);
    EXPECT_THAT(reply.sentence, HasSubstr("takes longer than 2 s"));
    EXPECT_LT(seconds, 30);
    expectSound();
}

TEST_F(OwnKernelOnGpu, aBadAddressLeavesThisProcessSound) {
    const std::unique_ptr<Backend> backend = loaded(unevenBodies(1000), {.kernel = "tiled"});
    run(*backend, integrator("leapfrog").program, 1e-3, 2);
    const OwnTrialReply reply = tried(replaced(tiledText(), "if (i < n) acc", "if (i < n) *(int*)16 = 1; if (i < n) acc"));
    EXPECT_EQ(reply.outcome, OwnOutcome::failed);
    EXPECT_THAT(reply.sentence, HasSubstr("cudaError"));
    run(*backend, integrator("leapfrog").program, 1e-3, 2);
    expectSound();
}

TEST_F(OwnKernelOnGpu, whatWasNotTriedWithSoManyBodiesTouchesNoRun) {
    const OwnTrialReply reply = tried(tiledText() + "// once more\n__device__ int other;\n", 1500);
    ASSERT_EQ(reply.outcome, OwnOutcome::good) << reply.sentence;
    const std::string name(adoptOwnKernel("once.cu", reply.code, ownLaunch(tiledText(), "once.cu"), 1500).name);
    const std::unique_ptr<Backend> backend = loaded(unevenBodies(1500), {.kernel = name});
    EXPECT_EQ(backend->activeKernel().name, name);
    try {
        const std::unique_ptr<Backend> other = made();
        other->load(unevenBodies(1501), {{.softening = 0.05}, {.kernel = name}});
        ADD_FAILURE() << "it ran with bodies that no trial has seen";
    } catch (const UsageError& refused) {
        EXPECT_THAT(refused.what(), HasSubstr("has not been tried with 1501 bodies"));
    }
    EXPECT_THROW(made({.kernel = name})->configure({.precision = Precision::fp64}, {.kernel = name}), UsageError);
}

TEST_F(OwnKernelOnGpu, theCommandLineNamesOneForARunAndAPicture) {
    const ScratchFolder folder;
    const std::string file = (folder / "mine.cu").string(), end = (folder / "end.hdf5").string(),
                      picture = (folder / "picture.png").string();
    std::ofstream(file) << tiledText();
    const Outcome run = runGravlab({"run", "plummer", "-n", "2000", "--steps", "3", "--kernel", file, "--final", end});
    EXPECT_EQ(run.code, 0) << run.err;
    EXPECT_THAT(run.out, HasSubstr("forces by " + file));
    const Outcome by = runGravlab({"run", end, "--steps", "1"});
    EXPECT_EQ(by.code, 0) << by.err;
    EXPECT_THAT(by.err, HasSubstr("it was computed by kernel " + file + ", which is not here"))
        << "opening a file compiled it";
    EXPECT_EQ(runGravlab({"run", end, "--steps", "1", "--kernel", file}).code, 0);
    const Outcome drawn =
        runGravlab({"render", "plummer", "-n", "2000", "--frames", "2", "--size", "64x48", "--kernel", file, "-o", picture});
    EXPECT_EQ(drawn.code, 0) << drawn.err;
    EXPECT_TRUE(std::filesystem::exists(picture));
    std::ofstream(file) << replaced(tiledText(), "mine < n ?", "mine < n - 1 ?");
    const Outcome wrong = runGravlab({"run", "plummer", "-n", "2000", "--steps", "3", "--kernel", file});
    EXPECT_EQ(wrong.code, static_cast<int>(ExitCode::checkFailed));
    EXPECT_THAT(wrong.err, HasSubstr("not those of fp64"));
}

TEST_F(OwnKernelOnGpu, anEntryWithoutExternCAndABlockThatDoesNotFitAreSentences) {
    EXPECT_THAT(tried(replaced(tiledText(), "extern \"C\" ", "")).sentence, HasSubstr("no extern \"C\""));
    const OwnTrialReply large =
        tried(replaced(tiledText(), "__global__ void force", "__global__ __launch_bounds__(64) void force"));
    EXPECT_EQ(large.outcome, OwnOutcome::badText);
    EXPECT_THAT(large.sentence, HasSubstr("block=128 is more than 64"));
}

}  // namespace
}  // namespace gravlab::test
