// Verification must notice kernels with typical faults, and impossible rates.
#include "app/bench/verify.h"
#include "app/bench/benchmark.h"
#include "app/bench/physics_check.h"
#include "app/runs/divergence.h"
#include "sim/api/errors.h"
#include "sim/scenes/scene.h"
#include "tests/unit/cli_support.h"
#include "tests/unit/spoilt_backend.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>
#include <utility>

namespace gravlab {
namespace {

using test::Spoilt;
using testing::HasSubstr;

const KernelRow& plainRow() { return kernel("reference", "plain"); }

Verdict verdictOf(Spoilt::Fault fault) {
    Spoilt spoilt(std::move(fault));
    return verifyKernel(spoilt, plainRow());
}

TEST(Verify, theReferencePasses) {
    const Verdict verdict = verdictOf({});
    EXPECT_EQ(verdict.state, Verdict::State::passed) << verdict.note;
    EXPECT_GT(verdict.configurations, 20);
}

TEST(Verify, wrongForcesAreCaught) {
    const std::pair<const char*, Spoilt::Fault> faults[] = {
        {"a tenth of a per cent too much",
         [](auto& a) {
             for (Double4& one : a) one.x *= 1.001;
         }},
        {"all zero",
         [](auto& a) {
             for (Double4& one : a) one = {};
         }},
        {"the last body of a tile edge",
         [](auto& a) {
             if (a.size() == 257) a.back() = {};
         }},
        {"not a number", [](auto& a) { a.front().y = std::numeric_limits<double>::quiet_NaN(); }},
        {"two components swapped",
         [](auto& a) {
             for (Double4& one : a) std::swap(one.y, one.z);
         }},
        {"sign of one component",
         [](auto& a) {
             for (Double4& one : a) one.z = -one.z;
         }},
    };
    for (const auto& [what, fault] : faults) {
        const Verdict verdict = verdictOf(fault);
        EXPECT_EQ(verdict.state, Verdict::State::failed) << what;
        EXPECT_THAT(verdict.note, HasSubstr("N = ")) << what;
    }
}

TEST(Verify, wrongStepsAreCaughtThoughTheForcesAreRight) {
    Spoilt spoilt({});
    spoilt.stepFactor = 1.001;
    const Verdict verdict = verifyKernel(spoilt, plainRow());
    EXPECT_EQ(verdict.state, Verdict::State::failed);
    EXPECT_THAT(verdict.note, HasSubstr("steps of"));
}

TEST(Verify, aKernelThatThrowsIsAFailureNotACrash) {
    const Verdict verdict = verdictOf([](auto&) { throw DeviceError("launch failed"); });
    EXPECT_EQ(verdict.state, Verdict::State::failed);
    EXPECT_THAT(verdict.note, HasSubstr("launch failed"));
}

TEST(Verify, aBackendThatCannotRunIsNoFailure) {
    const BackendRow row{.name = "absent",
                         .idea = "",
                         .unavailable = [](const BackendOptions&) { return Reason("not on this planet"); },
                         .make = nullptr,
                         .devices = nullptr};
    const std::vector<Verdict> verdicts = verifyAll({&row, 1}, {});
    ASSERT_EQ(verdicts.size(), 1u);
    EXPECT_EQ(verdicts[0].state, Verdict::State::unavailable);
    EXPECT_EQ(verdicts[0].note, "not on this planet");
}

TEST(Verify, launchesWalkWhatTheRowAllows) {
    const int blocks[] = {64, 128, 4096};
    const int unrolls[] = {1, 8};
    KernelRow row{.backend = "x", .name = "y", .idea = ""};
    EXPECT_EQ(launchesOf(row, blocks).size(), 1u);
    row.blocks = {1, 1024};
    row.unrolls = unrolls;
    EXPECT_EQ(launchesOf(row, blocks).size(), 4u);
    row.blocks = {1, 0};
    EXPECT_EQ(launchesOf(row, blocks).size(), 6u);
}

BenchmarkRow timed(Spoilt& spoilt) {
    ParticleSet bodies = sceneNamed("plummer").build({64, 1});
    spoilt.load(bodies);
    const ForceSettings force{.softening = 0.05};
    spoilt.configure(force, {});
    return timeKernel(spoilt, integrators().front(), 0.01, force, {.steps = 2, .repeats = 3});
}

TEST(Benchmark, aVerifiedKernelHasARate) {
    Spoilt honest({});
    const BenchmarkRow row = timed(honest);
    EXPECT_TRUE(row.verified) << row.note;
    EXPECT_GT(row.interactionsPerSecond, 0);
    EXPECT_DOUBLE_EQ(row.gflops, row.interactionsPerSecond * 20e-9);
    EXPECT_GT(row.msPerStep, 0);
    EXPECT_EQ(row.steps, 2);
    EXPECT_EQ(row.repeats, 3);
}

TEST(Benchmark, aTreeThatIsReadNowAndThenHasARateOfWhatABodyNeeds) {
    KernelRow tree = plainRow();
    tree.approximates = true;
    Spoilt silent({});
    silent.row = &tree;
    silent.rateFactor = 0;  // its counts change between the repetitions
    silent.told = {{"bodies a body", "", 10}, {"cells a body", "", 4}, {"expanded a body", "", 6}, {"levels", "", 1000}};
    const BenchmarkRow row = timed(silent);
    EXPECT_TRUE(row.verified) << row.note;
    EXPECT_NEAR(row.stepInteractionsPerSecond * row.msPerStep * 1e-3 / (64 * 20), 1, 0.5) << "of 64 bodies in a step";
    silent.told.clear();
    const BenchmarkRow unknown = timed(silent);
    EXPECT_FALSE(unknown.verified);
    EXPECT_THAT(unknown.note, HasSubstr("--steps"));
}

void expectNoRate(const BenchmarkRow& row) {
    EXPECT_FALSE(row.verified);
    EXPECT_EQ(row.interactionsPerSecond, 0);
    EXPECT_EQ(row.gflops, 0);
    EXPECT_EQ(row.msPerStep, 0);
    EXPECT_FALSE(row.note.empty());
}

TEST(Benchmark, noRateWhenTheCheckBeforeFails) {
    Spoilt wrong({});
    wrong.failChecks = true;
    expectNoRate(timed(wrong));
}

TEST(Benchmark, noRateWhenTheForcesAfterwardsAreWrong) {
    Spoilt wrong([](auto& a) { a.front().x *= 2; });
    expectNoRate(timed(wrong));
}

TEST(Benchmark, noRateAboveWhatTheDeviceCanIssue) {
    KernelRow bounded = plainRow();
    bounded.issuedPerDirectedPair = 13;
    Spoilt fast({});
    fast.row = &bounded;
    fast.issueSlots = 13e6;  // one million pairs per second, which any machine exceeds
    const BenchmarkRow row = timed(fast);
    expectNoRate(row);
    EXPECT_THAT(row.note, HasSubstr("cannot issue"));
}

// The reference table of `check --physics`: every kind of system has rows, and a wrong result fails.

TEST(PhysicsCheck, coversEveryKindOfSystemOnce) {
    std::string all;
    std::set<std::string> names;
    for (const PhysicsRow& row : physicsRows()) {
        all += row.name + "\n";
        EXPECT_TRUE(names.insert(row.name).second) << row.name << " is there twice";
    }
    for (const char* part : {"four bodies", "two bodies", "figure-eight", "super-eight", "moth-1", "lagrange", "pythagorean",
                             "solar system", "passage", "coulomb", "power-law", "lennard-jones", "measured order"})
        EXPECT_THAT(all, HasSubstr(part));
}

TEST(PhysicsCheck, aWrongAnswerAndANanFail) {
    EXPECT_TRUE(judged({"right", 2, 0.1, [] { return 2.05; }}).passed);
    EXPECT_FALSE(judged({"wrong", 2, 0.1, [] { return 2.2; }}).passed);
    EXPECT_FALSE(judged({"no number", 2, 0.1, [] { return std::nan(""); }}).passed);
    EXPECT_TRUE(judged({"small", 1e-3, 0, [] { return 1e-4; }, true}).passed);
    EXPECT_FALSE(judged({"large", 1e-3, 0, [] { return 2e-3; }, true}).passed);
    EXPECT_FALSE(judged({"no bound", 1e-3, 0, [] { return std::nan(""); }, true}).passed);
    const PhysicsRow wrong[] = {{"wrong", 2, 0.1, [] { return 2.2; }}};
    EXPECT_FALSE(printPhysics(wrong));
}

TEST(Cli, checkPhysicsPrintsExpectedGotAndTolerance) {
    const Outcome o = runGravlab({"check", "--physics"});
    EXPECT_EQ(o.code, 0) << o.out;
    EXPECT_THAT(o.out, testing::AllOf(HasSubstr("expected"), HasSubstr("tolerance"), HasSubstr(" 0 failed")));
    EXPECT_THAT(o.out, testing::Not(HasSubstr("FAILED")));
}

TEST(PredictabilityLimit, chaoticEndingsAreCalledThat) {
    const Integrator &leapfrog = integrator("leapfrog"), &radau = integrator("radau15");
    EXPECT_EQ(predictabilityNote("pythagorean", leapfrog, 15, false), "");
    EXPECT_THAT(predictabilityNote("pythagorean", leapfrog, 16, false), HasSubstr("radau15"));
    EXPECT_EQ(predictabilityNote("pythagorean", radau, 70, false), "");
    EXPECT_EQ(predictabilityNote("lagrange", leapfrog, 18, false), "");
    EXPECT_THAT(predictabilityNote("lagrange", leapfrog, 18.2, false), HasSubstr("chance"));
    EXPECT_THAT(predictabilityNote("lagrange", leapfrog, 10, true), HasSubstr("chance"))
        << "single precision loses it sooner";
    EXPECT_EQ(predictabilityNote("plummer", leapfrog, 1e9, true), "");
}

TEST(Cli, plotsOfARunAreWritten) {
    const ScratchFolder folder;
    const Outcome o = runGravlab({"run", "figure-eight", "--until", "7", "--plots", (folder / "new").string()});
    ASSERT_EQ(o.code, 0) << o.err;
    EXPECT_GT(linesOf(contentOf(folder / "new" / "paths.csv")).size(), 100u);
    EXPECT_THAT(contentOf(folder / "new" / "energy.csv"), testing::StartsWith("t,relative_energy_error\n0,0\n"));
    if (o.err.find("python3-matplotlib") != std::string::npos) GTEST_SKIP() << "NO PICTURE IS DRAWN: " << o.err;
    for (const char* leaf : {"paths-xy.png", "paths-planes.png", "paths-3d.png", "energy.png", "energy-signed.png"})
        EXPECT_GT(std::filesystem::file_size(folder / "new" / leaf), 5000u) << leaf;
    const Outcome refused = runGravlab({"run", "figure-eight", "--steps", "1", "--plots", "/dev/null/x"});
    EXPECT_EQ(refused.code, 6) << refused.err;
}

}  // namespace
}  // namespace gravlab
