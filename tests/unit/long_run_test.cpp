// Very long runs and very many pairs: counters near 2^31, 2^53 and t = 1e9, N*N beyond 32 bits, and the values in files.
#include "app/services/telemetry.h"
#include "cli_support.h"
#include "sim/io/checkpoint.h"
#include "sim/io/snapshot.h"
#include "sim/run/simulation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace gravlab {
namespace {

TEST(LongRun, filesOfARunFarBeyondTheLimitsAreExact) {
    if (!hasHdf5()) GTEST_SKIP() << "this build has no HDF5";
    const ScratchFolder folder;
    RunRequest settings{.scene = "two-body", .backend = "reference", .timeStep = 0.0078125};
    for (const std::int64_t start :
         {(std::int64_t{1} << 31) - 3, (std::int64_t{1} << 32) - 3, (std::int64_t{1} << 53) - 3, std::int64_t{1} << 62}) {
        SCOPED_TRACE(start);
        Simulation first(settings);
        Snapshot saved = checkpointOf(first);
        saved.step = saved.stepOrigin = start;
        saved.time = saved.timeOrigin = 1e9;
        const std::string from = (folder / "from.hdf5").string(), to = (folder / "to.hdf5").string();
        writeSnapshot(from, saved);
        const Outcome o = runGravlab({"run", from, "--steps", "7", "--csv", "-", "--final", to});
        ASSERT_EQ(o.code, 0) << o.err;
        const std::vector<std::string> lines = linesOf(o.out);
        ASSERT_EQ(lines.size(), 9u) << o.out;
        for (std::size_t i = 1; i < lines.size(); ++i) {
            const auto step = static_cast<std::int64_t>(i) - 1;
            EXPECT_TRUE(lines[i].starts_with(std::to_string(start + step) + ",")) << lines[i];
            EXPECT_EQ(numbersOf(lines[i])[1], 1e9 + 0.0078125 * static_cast<double>(step)) << lines[i];
        }
        const Snapshot end = readSnapshot(to);
        EXPECT_EQ(end.step, start + 7);
        EXPECT_EQ(end.time, 1e9 + 7 * 0.0078125);
        EXPECT_EQ(end.stepOrigin, start);
    }
}

/// One force of N bodies counts N*N pairs, also beyond 31 and 32 bits; the rate shows it.
TEST(LongRun, aForceBeyond32BitsOfPairsIsCountedExactly) {
    // The first N whose square exceeds an int, and the N whose square is 0 in 32 bits.
    for (const std::size_t bodies : {std::size_t{46341}, std::size_t{65536}}) {
        RunRequest settings{.scene = "cube", .bodies = bodies, .backend = "cpu"};
        settings.integrator = "euler";  // one force a step
        Simulation simulation(settings);
        while (simulation.step() < 1) simulation.advance({.steps = 1}, nullptr);
        const double pairs = static_cast<double>(bodies) * static_cast<double>(bodies);
        EXPECT_GE(simulation.totals().interactions, pairs);
        EXPECT_EQ(std::fmod(simulation.totals().interactions, pairs), 0) << simulation.totals().interactions;
    }
}

TEST(LongRun, ratesOfManyPairsAndStepsStayExact) {
    for (const double n : {46341.0, 65536.0, 1e6}) {
        Telemetry telemetry;
        WorkTotals totals;
        // As after a night: totals are large, and differences of them are shown.
        totals.steps = (std::int64_t{1} << 53) + 1;
        totals.interactions = 1e15;
        totals.forceSeconds = 3e4;
        telemetry.frame(totals, 1e9, 0);
        for (int i = 1; i <= 10; ++i) {
            ++totals.steps;
            totals.interactions += n * n;
            totals.forceSeconds += 0.0625;
            telemetry.waited(0.015);
            telemetry.frame(totals, 1e9 + 0.0625 * i, 0);
        }
        EXPECT_NEAR(telemetry.interactionsPerSecond / (n * n * 16), 1, 1e-6) << n;
        EXPECT_NEAR(telemetry.stepsPerSecond, 16, 1e-6);
        EXPECT_NEAR(telemetry.waitMs, 15, 1e-6) << "the display";
    }
}

}  // namespace
}  // namespace gravlab
