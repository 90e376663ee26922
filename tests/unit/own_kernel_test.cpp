// Kernels that users write, tested without a GPU: the declarations in a text, the compiler's messages at their lines, and a
// trial in its own process.
#include "sim/own/own_kernel.h"
#include "app/bench/kernel_source.h"
#include "app/bench/own_trial.h"
#include "sim/api/errors.h"
#include "tests/unit/cli_support.h"

#include <gmock/gmock.h>

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <string>

namespace gravlab {
namespace {

using testing::HasSubstr;

constexpr const char* kOwnHead =
    "extern \"C\" __global__ void force(const float4* bodies, float4* accelerations, int n, float softening_squared) {\n";

std::string refusedLaunch(std::string_view text) {
    try {
        ownLaunch(text, "my.cu");
    } catch (const InputError& error) {
        return error.what();
    }
    return {};
}

TEST(OwnKernel, aTextSaysHowItIsLaunched) {
    const OwnLaunch launch =
        ownLaunch("// gravlab: block=256 bodies=2\nint x;\n  // gravlab: split=4 shared=1024 from=tiled\n", "a");
    EXPECT_EQ(launch, (OwnLaunch{.block = 256, .bodies = 2, .split = 4, .unroll = 8, .shared = 1024, .from = "tiled"}));
    EXPECT_EQ(ownLaunch("", "a"), OwnLaunch{});
    EXPECT_THAT(refusedLaunch("\n// gravlab: block=1025"),
                HasSubstr("my.cu:2: block '1025': expected a whole number from 1 to 1024"));
    EXPECT_THAT(refusedLaunch("// gravlab: block=12x"), HasSubstr("my.cu:1: block '12x'"));
    EXPECT_THAT(refusedLaunch("// gravlab: shared=50000"), HasSubstr("0 to 49152"));
    EXPECT_THAT(refusedLaunch("// gravlab: blok=12"), HasSubstr("my.cu:1: unknown word of a '// gravlab:' line 'blok'"));
}

TEST(OwnKernel, messagesStandAtTheirLines) {
    const auto messages = compilerMessages(
        "my.cu(3): error: identifier \"x\" is undefined\n      x = 3;\n      ^\n\n"
        "my.cu(9): warning #177-D: variable \"y\" was declared but never referenced\n"
        "  int y;\n      ^\n\n"
        "my.cu(1): error: expression must have class type\n  a.b();\n  ^\n"
        "          detected during instantiation at line 2\n\n"
        "nvrtc: error: invalid value for --gpu-architecture (-arch)\n2 errors detected\n");
    ASSERT_EQ(messages.size(), 4u);
    EXPECT_EQ(messages[0], (CompilerMessage{3, true, "identifier \"x\" is undefined"}));
    EXPECT_EQ(messages[1], (CompilerMessage{9, false, "variable \"y\" was declared but never referenced"}));
    EXPECT_EQ(messages[2],
              (CompilerMessage{1, true, "expression must have class type detected during instantiation at line 2"}));
    EXPECT_EQ(messages[3], (CompilerMessage{0, true, "invalid value for --gpu-architecture (-arch)"}));
    EXPECT_EQ(messagesText({messages[0], messages[3]}, "my.cu"),
              "my.cu:3: error: identifier \"x\" is undefined\nmy.cu: error: invalid value for --gpu-architecture (-arch)");
}

class OwnCompiler : public ::testing::Test {
protected:
    void SetUp() override {
        if (const Reason reason = whyNoCompiler(); !reason.empty()) GTEST_SKIP() << reason;
    }
    static std::string said(const std::string& text) {
        const OwnMachineCode code = compileOwn(text, "my.cu", 9, 0);
        EXPECT_FALSE(code.compiled());
        return messagesText(code.messages, "my.cu");
    }
};

TEST_F(OwnCompiler, everyTextToBeginWithCompiles) {
    ASSERT_FALSE(ownTemplates().empty());
    for (const OwnTemplate& row : ownTemplates()) {
        const std::string_view text = ownTemplateText(row.name);
        ASSERT_FALSE(text.empty()) << row.name;
        EXPECT_FALSE(ownLaunch(text, "a").from.empty()) << row.name;
        EXPECT_EQ(text.find("EXERCISE") != std::string_view::npos, row.exercise) << row.name;
        const OwnMachineCode code = compileOwn(text, std::string(row.name), 9, 0);
        EXPECT_TRUE(code.compiled()) << messagesText(code.messages, std::string(row.name));
        EXPECT_TRUE(code.messages.empty()) << messagesText(code.messages, std::string(row.name));
        EXPECT_EQ(code.architecture, "sm_90");
        EXPECT_THAT(code.image, HasSubstr("force"));
    }
}

TEST_F(OwnCompiler, errorsNameTheirLineAndWhatTheEntryMustBe) {
    EXPECT_EQ(said(std::string(kOwnHead) + "  int i = wrong;\n}\n"), "my.cu:2: error: identifier \"wrong\" is undefined");
    EXPECT_THAT(said(std::string("#include <nothing.h>\n") + kOwnHead + "}\n"),
                HasSubstr("my.cu:1: error: could not open source file"));
    EXPECT_THAT(said("__global__ void pull() {}\n"),
                HasSubstr("my.cu: error: there is no entry: write extern \"C\" __global__ void force("));
    EXPECT_THAT(said("extern \"C\" __global__ void force(const float4* b, float3* a, int n, float s) {}\n"),
                HasSubstr("my.cu: error: the entry must be: extern \"C\" __global__ void force("));
    // A text that ends in a comment must not swallow the code compiled behind it.
    EXPECT_TRUE(compileOwn(std::string(kOwnHead) + "} // end", "my.cu", 9, 0).compiled());
}

TEST_F(OwnCompiler, anOlderCompilerLeavesTheLastPartToTheDriver) {
    const OwnMachineCode code = compileOwn(ownTemplateText("tiled"), "my.cu", 99, 0);
    EXPECT_TRUE(code.architecture.starts_with("compute_")) << code.architecture;
    EXPECT_THAT(code.image, HasSubstr(".entry force"));
}

TEST_F(OwnCompiler, aTrialInAProcessOfItsOwnFindsErrors) {
    OwnTrial trial({.text = std::string(kOwnHead) + "  wrong();\n}\n", .file = "my.cu"}, {}, GRAVLAB_BINARY);
    const OwnTrialReply reply = awaitTrial(trial);
    EXPECT_EQ(reply.outcome, OwnOutcome::badText);
    EXPECT_EQ(reply.sentence, "my.cu:2: error: identifier \"wrong\" is undefined");
    ASSERT_EQ(reply.code.messages.size(), 1u);
    EXPECT_EQ(reply.code.messages[0].line, 2);
}

/// Twenty macros that each name the one before four times.
std::string bombText() {
    std::string bomb = "#define A0 x,\n";
    for (int i = 0; i < 20; ++i) {
        const std::string before = " A" + std::to_string(i);
        bomb += "#define A" + std::to_string(i + 1) + before + before + before + before + "\n";
    }
    return bomb + "int a[]={A20 1};";
}

TEST_F(OwnCompiler, aTextThatNeedsAnyTimeAndMemoryIsEnded) {
    OwnTrial trial({.text = bombText(), .file = "bomb.cu"}, {}, GRAVLAB_BINARY);
    const OwnTrialReply reply = awaitTrial(trial);
    EXPECT_EQ(reply.outcome, OwnOutcome::failed) << reply.sentence;
    EXPECT_THAT(reply.sentence, HasSubstr("the compiler needs more than"));
}

TEST_F(OwnCompiler, aFifoIsNotWaitedFor) {
    const ScratchFolder folder;
    const std::string fifo = (folder / "fifo").string();
    ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
    OwnTrial trial({.text = "// first\n#include \"" + fifo + "\"\n" + std::string(kOwnHead) + "}\n", .file = "my.cu"}, {},
                   GRAVLAB_BINARY);
    const OwnTrialReply reply = awaitTrial(trial);
    EXPECT_EQ(reply.outcome, OwnOutcome::badText);
    EXPECT_EQ(reply.sentence, "my.cu:2: error: " + fifo + " is no file that can be included");
}

TEST_F(OwnCompiler, theCompilerDiesWithTheProgramThatStartedIt) {
    const ScratchFolder folder;
    const std::string file = (folder / "bomb.cu").string();
    put(file, bombText());
    const pid_t program = fork();
    if (program == 0) {
        execl(GRAVLAB_BINARY, GRAVLAB_BINARY, "bench", "-n", "1k", "--kernel", file.c_str(), nullptr);
        _exit(1);
    }
    // The child process of the program: the trial.
    const auto childOf = [](pid_t parent) {
        std::ifstream list("/proc/" + std::to_string(parent) + "/task/" + std::to_string(parent) + "/children");
        pid_t child = 0;
        list >> child;
        return child;
    };
    pid_t child = 0;
    while ((child = childOf(program)) == 0 && waitpid(program, nullptr, WNOHANG) == 0) usleep(1000);
    ASSERT_NE(child, 0);
    kill(program, SIGKILL);
    waitpid(program, nullptr, 0);
    // It has ended, or waits to be reaped, long before its own limits.
    const auto runs = [&] {
        std::ifstream status("/proc/" + std::to_string(child) + "/stat");
        std::string number, name, state;
        return (status >> number >> name >> state) && state != "Z";
    };
    for (int k = 0; k < 5000 && runs(); ++k) usleep(1000);
    EXPECT_FALSE(runs());
    kill(child, SIGKILL);
}

TEST(OwnTrialProcess, itsDeathAndItsSlownessAreSentences) {
    OwnTrial dead({.text = "", .file = "my.cu"}, {}, "/bin/false");
    EXPECT_EQ(awaitTrial(dead).outcome, OwnOutcome::failed);
    const ScratchFolder folder;
    const std::string slow = (folder / "slow.sh").string();
    put(slow, "#!/bin/sh\nexec sleep 1000\n");
    fs::permissions(slow, fs::perms::owner_all);
    OwnTrial late({.text = "", .file = "my.cu"}, {.compile = 0.3, .force = 0.3}, slow);
    const OwnTrialReply reply = awaitTrial(late);
    EXPECT_EQ(reply.outcome, OwnOutcome::failed);
    EXPECT_EQ(reply.sentence, "starting takes longer than 0.3 s; it was ended");
}

TEST(OwnKernelFiles, theBenchNamesTheLine) {
    if (!whyNoCompiler().empty()) GTEST_SKIP() << whyNoCompiler();
    const ScratchFolder folder;
    const std::string file = (folder / "bad.cu").string();
    put(file, std::string(kOwnHead) + "  wrong();\n}\n");
    const Outcome bad = runGravlab({"bench", "-n", "1k", "--kernel", file});
    EXPECT_EQ(bad.code, static_cast<int>(ExitCode::badInput));
    EXPECT_THAT(bad.err, HasSubstr("bad.cu:2: error: identifier \"wrong\" is undefined"));
    const Outcome none = runGravlab({"bench", "-n", "1k", "--kernel", (folder / "none.cu").string()});
    EXPECT_EQ(none.code, static_cast<int>(ExitCode::badInput)) << none.err;
    const Outcome cpu = runGravlab({"bench", "-n", "1k", "--backend", "cpu", "--kernel", file});
    EXPECT_EQ(cpu.code, static_cast<int>(ExitCode::usage)) << cpu.err;
}

TEST(OwnKernelFiles, aRunTakesOneThatTheCommandLineNames) {
    const ScratchFolder folder;
    const std::string bad = (folder / "bad.cu").string(), good = (folder / "good.cu").string(),
                      script = (folder / "script.txt").string(), film = (folder / "film.png").string();
    put(bad, std::string(kOwnHead) + "  wrong();\n}\n");
    put(good, std::string(ownTemplateText("tiled")));
    put(script, "set run.kernel " + good + "\n");
    const std::vector<std::string> run{"run", "plummer", "-n", "500", "--steps", "1"},
        render{"render", "plummer", "-n", "500", "--frames", "1", "--size", "64x48", "-o", film};
    for (const auto& command : {run, render}) {
        SCOPED_TRACE(command.front());
        const auto with = [&](std::vector<std::string> more) {
            std::vector<std::string> all = command;
            all.insert(all.end(), more.begin(), more.end());
            return runGravlab(all);
        };
        const Outcome cpu = with({"--kernel", good, "--backend", "cpu"});
        EXPECT_EQ(cpu.code, static_cast<int>(ExitCode::usage));
        EXPECT_THAT(cpu.err, HasSubstr("good.cu runs on a GPU: take --backend cuda in the place of cpu"));
        const Outcome block = with({"--kernel", good, "--block", "64"});
        EXPECT_EQ(block.code, static_cast<int>(ExitCode::usage));
        EXPECT_THAT(block.err, HasSubstr("the text says how it is launched"));
        if (!whyNoCompiler().empty()) {
            const Outcome none = with({"--kernel", good});
            EXPECT_EQ(none.code, static_cast<int>(ExitCode::noDevice));
            EXPECT_THAT(none.err, HasSubstr("NVRTC"));
            continue;
        }
        const Outcome wrong = with({"--kernel", bad});
        EXPECT_EQ(wrong.code, static_cast<int>(ExitCode::badInput));
        EXPECT_THAT(wrong.err, HasSubstr("bad.cu:2: error: identifier \"wrong\" is undefined"));
        if (!backend("cuda").unavailable({}).empty()) {
            const Outcome here = with({"--kernel", good});
            EXPECT_EQ(here.code, static_cast<int>(ExitCode::noDevice)) << here.err;
            EXPECT_THAT(here.err, HasSubstr("it compiles"));
        }
    }
    // No script, and no other command, compiles anything.
    const Outcome played = runGravlab({"play", script});
    EXPECT_NE(played.code, 0);
    EXPECT_THAT(played.out + played.err, HasSubstr("unknown kernel"));
    const Outcome other = runGravlab({"fingerprint", "plummer", "--kernel", good});
    EXPECT_EQ(other.code, static_cast<int>(ExitCode::usage)) << other.err;
}

TEST(OwnKernelFiles, whatOneComputedIsNotOpenedByItself) {
    const ScratchFolder folder;
    const std::string file = (folder / "run.hdf5").string();
    const Outcome made =
        runGravlab({"run", "plummer", "-n", "64", "--steps", "2", "--backend", "cpu", "--kernel", "simd", "--final", file});
    if (made.code != 0) GTEST_SKIP() << made.err;
    const Outcome on = runGravlab({"run", file, "--steps", "1", "--kernel", (folder / "none.cu").string()});
    EXPECT_EQ(on.code, static_cast<int>(ExitCode::usage)) << "the CPU of the file runs none";
    EXPECT_THAT(on.err, HasSubstr("runs on a GPU"));
}

TEST(OwnKernelText, linesThatDifferFromTheTextItBeganAs) {
    std::string text(ownTemplateText("tiled"));
    const std::size_t at = text.find("        __syncthreads();  // all have read it\n");
    ASSERT_NE(at, std::string::npos);
    const std::vector<SourceLine> lines = comparedLines(text, ownTemplateText("missing-barrier"));
    const auto differ = std::count_if(lines.begin(), lines.end(), [](const SourceLine& line) { return line.differs; });
    EXPECT_EQ(differ, 2);  // the barrier, and the line that describes it
}

}  // namespace
}  // namespace gravlab
