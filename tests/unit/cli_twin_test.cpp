// Twin runs from the command line: columns, pictures, refusals.
#include "app/system/picture.h"
#include "cli_support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace gravlab {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;

TEST(CliTwin, runWritesTheGapAndThePicture) {
    const ScratchFolder folder;
    const Outcome o = runGravlab({"run", "two-body", "--steps", "400", "--twin", "integrator=euler", "--every", "100",
                                  "--csv", (folder / "a.csv").string(), "--plots", folder.path().string()});
    ASSERT_EQ(o.code, 0) << o.err;
    EXPECT_THAT(o.out, AllOf(HasSubstr("twin: euler against leapfrog"), HasSubstr("apart: rms")));
    const std::vector<std::string> rows = linesOf(contentOf(folder / "a.csv"));
    ASSERT_EQ(rows.size(), 6u);
    EXPECT_THAT(rows[0], EndsWith(",closest,twin_energy,rms_separation,max_separation"));
    const std::vector<double> first = numbersOf(rows[1]), last = numbersOf(rows.back());
    ASSERT_EQ(last.size(), 23u);
    EXPECT_EQ(first[21], 0) << "the same start";
    EXPECT_NEAR(last[20], -0.083, 1e-3) << "a period of Euler loses a third of the energy";
    EXPECT_NEAR(last[4], -0.125, 1e-6) << "leapfrog's comes back";
    EXPECT_GT(last[21], 0.1);
    EXPECT_EQ(readPng((folder / "divergence.png").string()).width, 1400);
}

TEST(CliTwin, thePictureEndsWithTheRun) {
    const ScratchFolder folder;
    const Outcome o =
        runGravlab({"run", "two-body", "--steps", "4001", "--twin", "integrator=euler", "--plots", folder.path().string()});
    ASSERT_EQ(o.code, 0) << o.err;
    const std::string said = readPng((folder / "divergence.png").string()).texts.at("Description");
    const std::size_t from = said.find("apart: ");
    ASSERT_NE(from, std::string::npos) << said;
    EXPECT_THAT(o.out, HasSubstr(said.substr(from, said.size() - from - 1)));
}

TEST(CliTwin, cellsAreEmptyWhereTheRunsDoNotMeet) {
    const Outcome o = runGravlab({"run", "two-body", "--steps", "4", "--dt", "0.01", "--twin", "dt=0.02", "--csv", "-"});
    ASSERT_EQ(o.code, 0) << o.err;
    const std::vector<std::string> rows = linesOf(o.out);
    ASSERT_EQ(rows.size(), 6u);
    EXPECT_THAT(rows[2], EndsWith(",,,"));
    EXPECT_THAT(rows[4], EndsWith(",,,"));
    for (const int met : {1, 3, 5}) EXPECT_EQ(numbersOf(rows[static_cast<std::size_t>(met)]).size(), 23u) << met;
}

TEST(CliTwin, anEndThatIsNoTimeOfBothIsSaid) {
    const Outcome o = runGravlab({"run", "two-body", "--steps", "7", "--dt", "0.01", "--twin", "dt=0.02", "--csv", "-"});
    ASSERT_EQ(o.code, 0) << o.err;
    EXPECT_THAT(linesOf(o.out).back(), EndsWith(",,,"));
    EXPECT_THAT(o.err, HasSubstr("at t = 0.06, the last time that both are at, apart: rms"));
    const Outcome never = runGravlab({"run", "two-body", "--steps", "1", "--dt", "0.01", "--twin", "dt=0.02"});
    EXPECT_THAT(never.out, HasSubstr("no common time yet"));
}

TEST(CliTwin, theSameSettingsSayThatTheyAreTheSame) {
    const Outcome o = runGravlab({"run", "plummer", "-n", "200", "--steps", "20", "--twin", ""});
    EXPECT_EQ(o.code, 0) << o.err;
    EXPECT_THAT(o.out, HasSubstr("apart: 0, to the last bit"));
}

TEST(CliTwin, refusesWithASentence) {
    const auto refused = [](const char* twin) {
        const Outcome o = runGravlab({"run", "two-body", "--steps", "1", "--twin", twin});
        EXPECT_EQ(o.code, 2) << twin;
        return o.err;
    };
    EXPECT_THAT(refused("integrator=eulr"), HasSubstr("did you mean 'euler'"));
    EXPECT_THAT(refused("seed=3"), HasSubstr("valid: integrator, time_step"));
    EXPECT_THAT(refused("kernel=tiled"), HasSubstr("unknown cpu kernel"));
    const Outcome said = runGravlab({"run", "two-body", "--steps", "1", "--dt", "0.0157", "--twin", "dt=0.27"});
    EXPECT_EQ(said.code, 0);
    EXPECT_THAT(said.err, HasSubstr("so that both runs meet"));
}

}  // namespace
}  // namespace gravlab
