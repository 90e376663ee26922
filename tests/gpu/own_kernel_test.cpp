// Kernels that users write, on a GPU: the initial texts run, wrong kernels are struck through, and neither an endless loop
// nor a bad address affects this process or the device.
#include "app/bench/benchmark.h"
#include "app/bench/own_trial.h"
#include "app/control/controller.h"
#include "app/frontends/headless/headless.h"
#include "app/view/base_host.h"
#include "sim/api/errors.h"
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
    /// Fails when this process cannot compute any more.
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
        if (row.name == "missing-barrier") continue;  // a race may give a right result
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
    // A run measures the same code with the same result, except for the rest of a step.
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
    // As a source.
    const OwnTrialReply source = tried(replaced(tiledText(), "mine < n ?", "mine < n - 1 ?"));
    EXPECT_EQ(source.outcome, OwnOutcome::wrong);
    EXPECT_THAT(source.sentence, HasSubstr("not those of fp64"));
    // As a target.
    const OwnTrialReply target = tried(replaced(tiledText(), "if (i < n) acc", "if (i < n - 1) acc"));
    EXPECT_EQ(target.outcome, OwnOutcome::wrong);
    EXPECT_THAT(target.sentence, HasSubstr("1 accelerations are not stored or not finite, the first of body 1020"));
}

TEST_F(OwnKernelOnGpu, oneThatWritesBehindTheLastBodyIsStruck) {
    const OwnTrialReply reply = tried(replaced(tiledText(), "if (i < n) acc", "acc"));
    EXPECT_EQ(reply.outcome, OwnOutcome::failed);
    EXPECT_THAT(reply.sentence, HasSubstr("1021 accelerations are there (block 7, thread "));
    // With more bodies than have checked addresses, the device's memory around the arrays is inspected.
    const OwnTrialReply many = tried(replaced(tiledText(), "if (i < n) acc", "if (i < n || n > 40000) acc"), 50001);
    EXPECT_EQ(many.outcome, OwnOutcome::wrong);
    EXPECT_THAT(many.sentence, HasSubstr("behind the last acceleration"));
}

TEST_F(OwnKernelOnGpu, oneThatLoopsForeverLeavesItsLoop) {
    const OwnTrialReply reply = tried(replaced(tiledText(), "base += BLOCK", "base += 0 * BLOCK"));
    EXPECT_EQ(reply.outcome, OwnOutcome::failed);
    EXPECT_THAT(reply.sentence, HasSubstr("a thread goes round loops more than"));
    EXPECT_THAT(reply.sentence, HasSubstr("with 1021 bodies: does a loop never end?"));
    expectSound();
}

TEST_F(OwnKernelOnGpu, oneThatTakesForeverIsEndedWithinItsLimit) {
    const auto begin = std::chrono::steady_clock::now();
    // Loops so slow that their rate means nothing.
    const OwnTrialReply reply = tried(replaced(tiledText(), "base += BLOCK) {",
                                               "base += 0 * BLOCK) { for (int k = 0; k < 1000; ++k) __nanosleep(1000000);"),
                                      3000, {.compile = 60, .force = 2});
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    EXPECT_EQ(reply.outcome, OwnOutcome::failed);
    EXPECT_THAT(reply.sentence, HasSubstr("takes longer than 2 s"));
    EXPECT_LT(seconds, 60);
    expectSound();
}

/// Texts with bad accesses, their lines, and the messages.
struct BadText {
    const char *name, *from, *to, *said;
    bool split = false;
};
const BadText kBadTexts[] = {
    {"stores at a number", "if (i < n) acc", "if (i < n) *(int*)16 = 1; if (i < n) acc",
     "stores 4 bytes at address 0x10, where nothing is"},
    {"reads far behind", "bodies[min(i, n - 1)]", "bodies[min(i, n - 1) + 70000]", "reads 16 bytes at bodies[7"},
    {"reads before", "bodies[min(i, n - 1)]", "bodies[-1]", "reads 16 bytes at bodies[-1], 1021 bodies are there"},
    {"reads behind the padding", "bodies[min(i, n - 1)]", "bodies[(n + 255) / 256 * 256]",
     "reads 16 bytes at bodies[1024], 1021 bodies are there"},
    {"stores far behind", "accelerations[i] =", "accelerations[i + 100000000] =", "stores 16 bytes at accelerations[1000"},
    {"stores one behind", "if (i < n) acc", "if (i <= n) acc",
     "stores 16 bytes at accelerations[1021], 1021 accelerations are there (block 7, thread 125)"},
    {"stores to bodies", "if (i < n) acc", "if (i == 7) ((float4*)bodies)[7].w = 1; if (i < n) acc",
     "stores 4 bytes at bodies[7].w, and bodies are only read (block 0, thread 7)"},
    {"stores behind shared memory", "tile[threadIdx.x] =", "tile[threadIdx.x + 1] =",
     "stores 16 bytes at byte 2048 of tile, which has 2048 bytes of shared memory"},
    {"stores far behind shared memory", "tile[threadIdx.x] =", "tile[threadIdx.x * 1000000] =", "of tile, which has 2048"},
    {"reads behind shared memory", "j < BLOCK", "j <= BLOCK", "reads 16 bytes at byte 2048 of tile"},
    {"has no shared memory", "__shared__ float4 tile[BLOCK]", "extern __shared__ float4 tile[]",
     "of tile, which has 0 bytes"},
    {"is not aligned", "bodies[min(i, n - 1)]", "*(const float4*)((const float*)bodies + 1)", "which is no multiple of 16"},
    {"reads far in its own array", "double x = 0",
     "float own[8]; for (int k = 0; k < 8; ++k) own[k] = k * n; "
     "if (own[n * 4000] == 3) return; double x = 0",
     "reads 4 bytes outside of its own arrays (local memory)"},
    {"traps", "if (i < n) acc", "if (i == 5) __trap(); if (i < n) acc", "ends itself by a trap (block 0, thread 5)"},
    {"adds behind the last", "accelerations[i].x", "accelerations[i + 1021].x", "changes 4 bytes at accelerations[", true},
};

TEST_F(OwnKernelOnGpu, aBadAddressIsFoundBeforeTheDeviceMeetsIt) {
    const std::vector<Double4> bodies = singles(unevenBodies(3000));
    const auto inThisProcess = [&](const std::string& text) {
        OwnTrialReply last;
        tryOwnKernel({.text = text, .file = "my.cu", .softening = 0.05, .bodies = bodies},
                     [&](const OwnTrialReply& reply) { last = reply; });
        return last;
    };
    for (const BadText& row : kBadTexts) {
        SCOPED_TRACE(row.name);
        const std::string text = replaced(std::string(ownTemplateText(row.split ? "split" : "tiled")), row.from, row.to);
        const OwnTrialReply reply = tried(text);
        EXPECT_EQ(reply.outcome, OwnOutcome::failed);
        EXPECT_THAT(reply.sentence, HasSubstr(row.said));
        EXPECT_THAT(reply.sentence, ::testing::MatchesRegex("my\\.cu:[0-9]+: .*"));
        ASSERT_FALSE(reply.code.messages.empty());
        EXPECT_GT(reply.code.messages.back().line, 0);
        // The device is unharmed: the next kernel runs. Only after texts that were caught.
        if (HasFailure()) continue;
        EXPECT_EQ(inThisProcess(text).outcome, OwnOutcome::failed);
        const OwnTrialReply good = inThisProcess(tiledText());
        EXPECT_EQ(good.outcome, OwnOutcome::good) << good.sentence;
    }
    expectSound();
}

/// The lab posts a good kernel like any other change of the run, and undo takes it back.
TEST_F(OwnKernelOnGpu, theRunUsesAGoodOneByACommand) {
    const OwnTrialReply reply = tried(tiledText(), 3000);
    ASSERT_EQ(reply.outcome, OwnOutcome::good) << reply.sentence;
    UseTuned use;
    use.found.backend = deviceBackend().name;
    use.found.kernel.kernel = adoptOwnKernel("posted", reply.code, ownLaunch(tiledText(), "my.cu"), 3000).name;
    const HeadlessContext context(0);
    App app({.simulation = {.scene = "plummer", .bodies = 3000, .backend = "cpu"}});
    BaseHost host(app);
    Controller controller;
    const std::string before = app.document.facts.configuration.pairs().kernel.kernel;
    const auto ask = [&](Command command, Sender sender) {
        controller.post(std::move(command), sender);
        const auto events = controller.apply(host);
        ASSERT_EQ(events.size(), 1u);
        EXPECT_EQ(events.front().status, CommandStatus::applied) << events.front().why;
    };
    ask(use, Sender::lab);
    EXPECT_EQ(app.document.facts.configuration.backend, deviceBackend().name);
    EXPECT_EQ(app.document.facts.configuration.pairs().kernel.kernel, use.found.kernel.kernel);
    app.advance(false);
    ask(Invoke{"undo"}, Sender::key);
    EXPECT_EQ(app.document.facts.configuration.backend, "cpu");
    EXPECT_EQ(app.document.facts.configuration.pairs().kernel.kernel, before);
}

TEST_F(OwnKernelOnGpu, aBadAddressLeavesThisProcessSound) {
    const std::unique_ptr<Backend> backend = loaded(unevenBodies(1000), {.kernel = "tiled"});
    run(*backend, integrator("leapfrog").program, 1e-3, 2);
    const OwnTrialReply reply = tried(replaced(tiledText(), "if (i < n) acc", "if (i < n) *(int*)16 = 1; if (i < n) acc"));
    EXPECT_EQ(reply.outcome, OwnOutcome::failed);
    EXPECT_THAT(reply.sentence, HasSubstr("my.cu:32: stores 4 bytes at address 0x10"));
    run(*backend, integrator("leapfrog").program, 1e-3, 2);
    expectSound();
}

/// Valid, and as hard for checks as possible: all spaces by name and by pointer, functions with arrays, the whole padding.
constexpr const char* kHonestText = R"(// gravlab: block=96 shared=1536
__device__ int counter;
__device__ float kept[96];
__constant__ float zeros[16];
extern __shared__ float4 tile[];
__device__ __noinline__ float sum(const float* p, int n) { float s = 0; for (int i = 0; i < n; ++i) s += p[i]; return s; }
__device__ __noinline__ float turned(const float* p, int k) {
    float own[24];
    for (int i = 0; i < 24; ++i) own[i] = p[(i + k) % 8];
    return sum(own, 24) + own[k % 24];
}
extern "C" __global__ void force(const float4* bodies, float4* accelerations, int n, float softening_squared) {
    __shared__ float small[33];
    __shared__ int flags[4];
    int i = blockIdx.x * BLOCK + threadIdx.x, padded = (n + 255) / 256 * 256;
    float own[8];
    for (int k = 0; k < 8; ++k) own[k] = (k + n) % 5;
    if (threadIdx.x < 33) small[threadIdx.x] = threadIdx.x;
    if (threadIdx.x < 4) flags[threadIdx.x] = 0;
    kept[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&counter, 1);
    atomicMax(&flags[i & 3], i);
    float nothing = sum(small, 33) + sum(zeros, 16) + zeros[i & 15] + sum(kept, 96) + turned(own, i) + own[i & 7] + flags[i & 3];
    float4 self = bodies[min(i, n - 1)];
    nothing += sum(&bodies[min(i, n - 1)].x, 4);
    double x = 0, y = 0, z = 0;
    for (int base = 0; base < n; base += BLOCK) {
        int mine = base + threadIdx.x;
        unsigned to = (unsigned)__cvta_generic_to_shared(&tile[threadIdx.x]), bytes = mine < padded ? 16 : 0;
        const float4* from = &bodies[min(mine, padded - 1)];
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" :: "r"(to), "l"(from), "r"(bytes) : "memory");
        asm volatile("cp.async.wait_all;" ::: "memory");
        __syncthreads();
        for (int j = 0; j < BLOCK; ++j) {
            float4 source = tile[j];
            float dx = source.x - self.x, dy = source.y - self.y, dz = source.z - self.z;
            float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + softening_squared);
            double strength = source.w * inverse * inverse * inverse;
            x += dx * strength; y += dy * strength; z += dz * strength;
        }
        __syncthreads();
    }
    if (__syncthreads_count(i < n) == 0 || nothing == -1e30f) return;
    if (i >= n) return;
    volatile float* mine = &accelerations[i].x;
    mine[0] = x; mine[1] = y; mine[2] = z;
}
)";

TEST_F(OwnKernelOnGpu, checksRaiseNoFalseAlarm) {
    for (const std::size_t bodies : {std::size_t{33}, std::size_t{1021}, std::size_t{4096}, std::size_t{65536}}) {
        SCOPED_TRACE(bodies);
        for (const OwnTemplate& row : ownTemplates()) {
            SCOPED_TRACE(std::string(row.name));
            const OwnTrialReply reply = tried(std::string(ownTemplateText(row.name)), bodies);
            // A race may give a right or a wrong result, and is no bad address.
            if (row.name == "missing-barrier")
                EXPECT_NE(reply.outcome, OwnOutcome::failed) << reply.sentence;
            else
                EXPECT_EQ(reply.outcome, OwnOutcome::good) << reply.sentence;
        }
        const OwnTrialReply honest = tried(kHonestText, bodies);
        EXPECT_EQ(honest.outcome, OwnOutcome::good) << honest.sentence;
    }
}

TEST_F(OwnKernelOnGpu, whatCannotBeCheckedIsNotRun) {
    const OwnTrialReply reply = tried("extern \"C\" __device__ int vprintf(const char*, void*);\n" +
                                      replaced(tiledText(), "if (i < n) acc", "vprintf(0, 0); if (i < n) acc"));
    EXPECT_EQ(reply.outcome, OwnOutcome::badText);
    EXPECT_EQ(reply.sentence,
              "my.cu:33: error: it calls 'vprintf', which is not in the text: what that touches cannot be checked, so it is "
              "not run");
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
    EXPECT_THAT(by.err, HasSubstr("it was computed by kernel " + file + ", which is not available here"))
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
