// The reference table of `check --physics`: every kind of system has rows, and a wrong result fails.
#include "app/bench/physics_check.h"
#include "app/runs/divergence.h"
#include "tests/unit/cli_support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace gravlab {
namespace {

using testing::HasSubstr;

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
