// Twin runs: one clock for two time steps, the same settings to the last bit, known gaps, and a wrong twin that is caught.
#include "app/parameters/twin_settings.h"
#include "app/runs/divergence.h"
#include "app/runs/twin_run.h"
#include "app/system/picture.h"
#include "cli_support.h"
#include "sim/api/errors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace gravlab {
namespace {

using testing::HasSubstr;

constexpr double kPeriod = 2 * std::numbers::pi;
constexpr double kForever = 1e300;

RunRequest settingsOf(const char* scene, double timeStep, const char* integrator = "leapfrog") {
    RunRequest settings{.scene = scene, .backend = "cpu"};
    settings.integrator = integrator;
    settings.timeStep = timeStep;
    settings.backendOptions.threads = 1;
    return settings;
}

/// Advances the first run by that many steps and lets the twin follow.
void advance(Simulation& first, TwinRun& twin, std::int64_t steps) {
    for (std::int64_t done = 0; done < steps;) done += first.advance({.steps = steps - done}, nullptr).stepsCompleted;
    while (!twin.catchUp(first, kForever)) {
    }
}

Separation apart(Simulation& first, TwinRun& twin) {
    ParticleSet here, there;
    first.snapshot(here);
    twin.simulation().snapshot(there);
    return separation(here, there);
}

double energyChange(Simulation& simulation, double energy0) {
    return std::abs((simulation.measure().energy() - energy0) / energy0);
}

TEST(TwinChoice, readsWhatTheCommandLineSays) {
    const TwinChoice choice = parseTwin("integrator=euler, dt=0.05,precision=fp32,softening=0");
    EXPECT_TRUE(choice.on);
    EXPECT_EQ(choice.values,
              (Settings{{"integrator", "euler"}, {"time_step", 0.05}, {"precision", "fp32"}, {"softening", 0.0}}));
    TwinChoice again{.on = true};
    takeTwin(again, "integrator", "\"euler\"");
    takeTwin(again, "dt", "0.05");
    takeTwin(again, "precision", "\"fp32\"");
    takeTwin(again, "softening", "0.0");
    EXPECT_EQ(again, choice);
}

TEST(TwinChoice, differsInWhatItsKernelHasOfALaunch) {
    const TwinChoice choice = parseTwin("block=64,unroll=4,split=2,kernel=tiled-split");
    EXPECT_EQ(choice.values.size(), 4u);
    RunConfiguration first;
    first.scene = "plummer";
    first.bodies = 64;
    first.backend = "cuda";
    first.integrator = "leapfrog";
    first.timeStep = 0.01;
    first.pairs().kernel = {"tiled", {.block = 256, .unroll = 16}};
    const RunRequest twin = twinRequest(first, choice);
    EXPECT_EQ(twin.pairs().kernel.kernel, "tiled-split");
    EXPECT_EQ(twin.pairs().kernel.launch.block, 64);
    EXPECT_EQ(twin.pairs().kernel.launch.split, 2);
    const RunRequest other = twinRequest(first, parseTwin("block=64"));
    EXPECT_EQ(other.pairs().kernel.kernel, "tiled");
    EXPECT_EQ(other.pairs().kernel.launch.block, 64);
    EXPECT_EQ(other.pairs().kernel.launch.unroll, 16);
    RunConfiguration second = first;
    second.pairs().kernel.launch.block = 64;
    EXPECT_EQ(twinLabels(first, second).first, "block 256");
    EXPECT_EQ(twinLabels(first, second).second, "block 64");
    EXPECT_THROW(twinRequest(first, parseTwin("split=2")), UsageError) << "'tiled' splits nothing";
    first.backend = "cpu";
    first.pairs().kernel = {"simd", {}};
    try {
        twinRequest(first, parseTwin("block=64"));
        ADD_FAILURE() << "a CPU has no blocks";
    } catch (const UsageError& error) {
        EXPECT_THAT(error.what(), HasSubstr("'simd' has no block size"));
    }
}

TEST(TwinChoice, refusesWithTheValidNames) {
    const auto refusal = [](const char* text) -> std::string {
        try {
            parseTwin(text);
        } catch (const UsageError& error) {
            return error.what();
        }
        return "";
    };
    EXPECT_THAT(refusal("integrater=euler"), HasSubstr("did you mean 'integrator'"));
    EXPECT_THAT(refusal("bodies=3"), HasSubstr("time_step, precision, softening"));
    EXPECT_THAT(refusal("integrator=eulr"), HasSubstr("euler"));
    EXPECT_THAT(refusal("euler"), HasSubstr("NAME=VALUE"));
    EXPECT_THAT(refusal("dt=0"), HasSubstr("0"));
    EXPECT_THAT(refusal("dt=nan"), HasSubstr("finite"));
    EXPECT_THAT(refusal("softening=-1"), HasSubstr("softening"));
    EXPECT_THAT(refusal("precision=fp16"), HasSubstr("mixed"));
    EXPECT_THAT(refusal("kernel=nothing"), HasSubstr("valid"));
    EXPECT_EQ(refusal(""), "") << "the same settings are a twin as well";
}

TEST(TwinChoice, followsTheFirstInWhatIsNotNamed) {
    RunConfiguration first = Simulation(settingsOf("two-body", 0.01)).configuration();
    const TwinChoice choice = parseTwin("dt=0.05");
    EXPECT_EQ(twinRequest(first, choice).timeStep, 0.05);
    first.integrator = "yoshida4";
    EXPECT_EQ(twinRequest(first, choice).integrator, "yoshida4");
    first.timeStep = -0.01;
    EXPECT_EQ(twinRequest(first, choice).timeStep, -0.05) << "both go the same way in time";
    EXPECT_EQ(twinRequest(first, parseTwin("dt=auto")).timeStep, -sceneNamed("two-body").timeStep);
    const auto labels = twinLabels(Simulation(settingsOf("two-body", 0.01)).configuration(),
                                   Simulation(settingsOf("two-body", 0.05, "euler")).configuration());
    EXPECT_EQ(labels.first, "leapfrog, dt 0.01");
    EXPECT_EQ(labels.second, "euler, dt 0.05");
    EXPECT_EQ(twinLabels(first, first).first, "the same");
}

TEST(StepRatio, findsTheNextTimeOfBoth) {
    const struct {
        double first, twin;
        std::int64_t firstSteps, twinSteps;
    } exact[] = {{0.01, 0.01, 1, 1}, {0.01, 0.05, 5, 1},  {0.05, 0.01, 1, 5},      {0.03, 0.02, 2, 3},
                 {0.1, 0.3, 3, 1},   {-0.01, 0.02, 2, 1}, {1e-5, 0.03125, 3125, 1}};
    for (const auto& row : exact) {
        const StepRatio ratio = stepRatio(row.first, row.twin);
        EXPECT_EQ(ratio.first, row.firstSteps) << row.first << " " << row.twin;
        EXPECT_EQ(ratio.twin, row.twinSteps) << row.first << " " << row.twin;
        EXPECT_FALSE(ratio.trimmed);
        EXPECT_EQ(ratio.twinStep, std::copysign(row.twin, row.first));
    }
    for (const double wanted : {0.0271828, 0.0314159 / 7.03, 0.5772156, 0.010001}) {
        const StepRatio ratio = stepRatio(0.01, wanted);
        EXPECT_TRUE(ratio.trimmed) << wanted;
        EXPECT_NEAR(ratio.twinStep, wanted, 0.0101 * wanted);
        EXPECT_NEAR(ratio.twinStep * static_cast<double>(ratio.twin), 0.01 * static_cast<double>(ratio.first), 1e-15);
        EXPECT_LE(std::min(ratio.first, ratio.twin), 64);
    }
}

TEST(TwinRun, bothLandOnTheSameTimes) {
    // Powers of two: the same numbers to the last bit, however often the times coincide.
    for (const auto& [here, there] : {std::pair(1.0 / 64, 1.0 / 256), std::pair(1.0 / 256, 1.0 / 64),
                                      std::pair(3.0 / 256, 5.0 / 256), std::pair(1.0 / 64, 1.0 / 64)}) {
        Simulation first(settingsOf("two-body", here));
        TwinRun twin(first, parseTwin("dt=" + std::to_string(there)), false);
        int meetings = 0;
        for (int i = 0; i < 30; ++i) {
            advance(first, twin, 1);
            const double behind = first.time() - twin.simulation().time();
            EXPECT_GE(behind, 0) << "the twin is never ahead";
            EXPECT_LT(behind, there);
            EXPECT_EQ(twin.met(first), behind == 0) << here << " " << there << " step " << i;
            meetings += twin.met(first);
        }
        EXPECT_EQ(meetings, 30 / twin.ratio().first);
    }
}

TEST(TwinRun, anAdaptiveTwinLandsThereToo) {
    Simulation first(settingsOf("two-body", 1.0 / 64));
    TwinRun twin(first, parseTwin("integrator=radau15"), false);
    for (int i = 0; i < 5; ++i) {
        advance(first, twin, 7);
        EXPECT_TRUE(twin.met(first));
        EXPECT_EQ(first.time(), twin.simulation().time());
    }
    EXPECT_EQ(twin.simulation().integrator().name, "radau15");
}

TEST(TwinRun, theSameSettingsStayTheSameToTheLastBit) {
    for (const char* precision : {"fp32", "fp64"}) {
        RunRequest settings = settingsOf("plummer", 1.0 / 64);
        settings.bodies = 300;
        settings.precision = std::string_view(precision) == "fp32" ? Precision::fp32 : Precision::fp64;
        Simulation first(settings);
        TwinRun fromStart(first, parseTwin(""), false);
        advance(first, fromStart, 20);
        EXPECT_EQ(apart(first, fromStart).max, 0) << precision;
        TwinRun fromPresent(first, parseTwin(""), true);
        EXPECT_EQ(fromPresent.simulation().time(), first.time());
        EXPECT_EQ(fromPresent.simulation().step(), first.step());
        advance(first, fromPresent, 20);
        EXPECT_EQ(apart(first, fromPresent).max, 0) << precision << ", begun in the middle";
        while (!fromStart.catchUp(first, kForever)) {
        }
        EXPECT_EQ(apart(first, fromStart).max, 0);
    }
}

TEST(TwinRun, aWrongTwinIsCaught) {
    // A twin with a body moved by the last bit of single precision must count as different.
    Simulation first(settingsOf("plummer", 1.0 / 64));
    TwinRun twin(first, parseTwin(""), false);
    ParticleSet bodies = twin.simulation().bodies();
    bodies.position[3].x += 1e-6;
    twin.simulation().load(bodies);
    EXPECT_GT(apart(first, twin).max, 0);
    // After the loss of a body the difference is not a number.
    const auto removal = [&](const ParticleSet&) {
        return std::vector<BodyEdit>{{.kind = BodyEdit::Kind::remove, .id = bodies.id[5]}};
    };
    twin.edit(removal);
    EXPECT_TRUE(std::isnan(apart(first, twin).max));
    EXPECT_THROW(twin.edit(removal), UsageError) << "it is not there any more";
}

TEST(TwinRun, leapfrogIsAsFarFromTheTruthAsTheTableSays) {
    // e = 0.5, 200 steps a period: after one period the relative vector of leapfrog is off by 5.61053868e-3, and its energy
    // by at most 2.61888144e-3 on the way. Each body has half of the gap.
    Simulation first(settingsOf("two-body", kPeriod / 200));
    TwinRun truth(first, parseTwin("integrator=radau15"), false);
    const double energy0 = first.measure().energy();
    double worst = 0, worstOfTruth = 0;
    for (int i = 0; i < 200; ++i) {
        advance(first, truth, 1);
        worst = std::max(worst, energyChange(first, energy0));
        worstOfTruth = std::max(worstOfTruth, energyChange(truth.simulation(), energy0));
    }
    EXPECT_NEAR(2 * apart(first, truth).rms, 5.61053868e-3, 1e-6 * 5.61e-3);
    EXPECT_NEAR(worst, 2.61888144e-3, 1e-6 * 2.6e-3);
    EXPECT_LT(worstOfTruth, 1e-13);
}

TEST(TwinRun, eulerLosesTheOrbitThatLeapfrogKeeps) {
    // Euler's rule in long double: the twin must show its position after a period.
    constexpr int kSteps = 200;
    const long double h = 2 * std::numbers::pi_v<long double> / kSteps;
    long double x = 1.5L, y = 0, u = 0, v = std::sqrt(1.0L / 3);  // the relative vector; masses 1/2 each, so M = 1
    for (int i = 0; i < kSteps; ++i) {
        const long double r3 = std::pow(x * x + y * y, 1.5L), ax = -x / r3, ay = -y / r3;
        x += h * u, y += h * v, u += h * ax, v += h * ay;
    }
    const long double energy = (u * u + v * v) / 8 - 0.25L / std::hypot(x, y), change = (energy + 0.125L) / 0.125L;

    Simulation first(settingsOf("two-body", kPeriod / kSteps));
    TwinRun twin(first, parseTwin("integrator=euler"), false);
    const double energy0 = first.measure().energy();
    advance(first, twin, kSteps);
    ParticleSet here, there;
    first.snapshot(here);
    twin.simulation().snapshot(there);
    const double gapX = static_cast<double>(x) - (here.position[0].x - here.position[1].x);
    const double gapY = static_cast<double>(y) - (here.position[0].y - here.position[1].y);
    EXPECT_NEAR(2 * apart(first, twin).rms, std::hypot(gapX, gapY), 1e-9);
    EXPECT_NEAR(energyChange(twin.simulation(), energy0), std::abs(static_cast<double>(change)), 1e-9);
    EXPECT_GT(energyChange(twin.simulation(), energy0), 0.1) << "Euler's energy is wrong after one period";
    EXPECT_LT(energyChange(first, energy0), 1e-4) << "leapfrog's comes back";
}

TEST(TwinRun, singleAgainstDoubleIsAsFarApartAsRoundingSays) {
    RunRequest settings = settingsOf("plummer", 1.0 / 64);
    settings.bodies = 1024;
    settings.softening = 0.05;
    settings.precision = Precision::fp64;
    Simulation first(settings);
    TwinRun twin(first, parseTwin("precision=fp32"), false);
    advance(first, twin, 1);
    const double afterOne = apart(first, twin).rms;
    EXPECT_GT(afterOne, 5.8e-8 / 3);
    EXPECT_LT(afterOne, 5.8e-8 * 3);
    advance(first, twin, 63);
    EXPECT_EQ(first.time(), 1);
    const double atOne = apart(first, twin).rms;
    EXPECT_GT(atOne, 3.7e-7 / 3);
    EXPECT_LT(atOne, 3.7e-7 * 3);
}

TEST(TwinRun, goesOnWhenTimeStepsChangeAndWhenTimeTurnsBack) {
    Simulation first(settingsOf("two-body", 0.01));
    TwinChoice choice = parseTwin("dt=0.05");
    TwinRun twin(first, choice, false);
    advance(first, twin, 13);  // the twin is at 0.10
    RunRequest wanted = first.request();
    wanted.timeStep = -0.02;
    first.apply(wanted);
    twin.follow(first, choice);
    while (!twin.catchUp(first, kForever)) {
    }
    EXPECT_TRUE(twin.met(first));
    EXPECT_NEAR(twin.simulation().time(), 0.13, 1e-14);
    advance(first, twin, 5);
    EXPECT_TRUE(twin.met(first));
    EXPECT_NEAR(twin.simulation().time(), 0.03, 1e-14);
    EXPECT_EQ(twin.simulation().configuration().timeStep, -0.05);
    setTwin(choice, "time_step", "same");
    setTwin(choice, "integrator", "rk4");
    twin.follow(first, choice);
    advance(first, twin, 1);
    EXPECT_EQ(twin.simulation().configuration().integrator, "rk4");
    EXPECT_NEAR(twin.simulation().time(), 0.01, 1e-14);
    EXPECT_TRUE(twin.met(first));
}

TEST(TwinRun, aLongStepToANewRatioIsMadeInSlices) {
    RunRequest settings{.scene = "plummer", .bodies = 4000, .backend = "cpu"};
    settings.timeStep = 0.01;
    settings.backendOptions.threads = 1;
    Simulation first(settings);
    TwinChoice choice = parseTwin("dt=0.05,precision=fp64");
    TwinRun twin(first, choice, false);
    advance(first, twin, 3);  // the twin waits at 0
    takeTwin(choice, "dt", "0.02");
    twin.follow(first, choice);
    EXPECT_FALSE(twin.catchUp(first, 0)) << "16 million pairs take longer than nothing";
    EXPECT_FALSE(twin.met(first));
    while (!twin.catchUp(first, 0.001)) {
    }
    EXPECT_TRUE(twin.met(first));
    EXPECT_NEAR(twin.simulation().time(), 0.03, 1e-14);
    EXPECT_EQ(twin.simulation().configuration().timeStep, 0.02);
}

TEST(TwinRun, aRefusedSettingLeavesTheOldTwin) {
    Simulation first(settingsOf("two-body", 0.01));
    TwinRun twin(first, parseTwin("integrator=euler"), false);
    EXPECT_THROW(twin.follow(first, parseTwin("integrator=euler,kernel=tiled")), Error);
    advance(first, twin, 3);
    EXPECT_TRUE(twin.met(first));
    EXPECT_EQ(twin.simulation().configuration().integrator, "euler");
    EXPECT_THROW(TwinRun(first, parseTwin("law=lennard-jones,integrator=hermite4"), false), Error);
}

TEST(Divergence, findsTheEFoldingTimeOfAnExponentialAndOfNothingElse) {
    const auto curve = [](auto gap) {
        Divergence divergence;
        divergence.restart(1);
        for (int i = 0; i <= 100; ++i) divergence.add({.time = 0.1 * i, .apart = {gap(0.1 * i), 2 * gap(0.1 * i)}});
        return divergence.eFolding();
    };
    const std::optional<double> found = curve([](double t) { return 1e-9 * std::exp(t / 0.8); });
    ASSERT_TRUE(found);
    EXPECT_NEAR(*found, 0.8, 1e-6);
    // A curve that saturates at the size of the system: the flat end must not count.
    const std::optional<double> bounded = curve([](double t) { return 1 / (1 / (1e-9 * std::exp(t / 0.4)) + 1 / 0.9); });
    ASSERT_TRUE(bounded);
    EXPECT_NEAR(*bounded, 0.4, 0.02);
    EXPECT_FALSE(curve([](double t) { return 1e-6 * t; })) << "phases drift linearly";
    EXPECT_FALSE(curve([](double t) { return 1e-9 * std::pow(t, 4); }));
    EXPECT_FALSE(curve([](double) { return 0.0; })) << "the same runs";
    EXPECT_FALSE(curve([](double t) { return 1e-9 * std::exp(t / 20); })) << "half an e-folding shows nothing";
    EXPECT_FALSE(curve([](double t) { return t < 5 ? 1e-9 : std::nan(""); }));
}

TEST(Divergence, lagrangesTriangleGrowsEightyfiveFoldAPeriod) {
    // Equal masses: a disturbance grows by exp(2 pi / sqrt 2) per period, whatever causes it.
    const double period = kPeriod / std::sqrt(3.0);
    Simulation first(settingsOf("lagrange", period / 1000, "yoshida6"));
    TwinRun twin(first, parseTwin(""), false);
    ParticleSet bodies = twin.simulation().bodies();
    bodies.position[0].x += 1e-9;
    bodies.position[1].x -= 1e-9;
    twin.simulation().load(bodies);
    Divergence divergence;
    divergence.restart(spread(bodies));
    for (int i = 0; i < 70; ++i) {
        advance(first, twin, 50);
        divergence.add({.time = first.time(), .apart = apart(first, twin)});
    }
    ASSERT_TRUE(divergence.eFolding());
    EXPECT_NEAR(std::exp(period / *divergence.eFolding()), 85.02, 12);
}

TEST(Divergence, keepsItsShapeWhenItThins) {
    Divergence divergence;
    divergence.restart(1);
    for (int i = 0; i < 6000; ++i) divergence.add({.time = i * 1.0, .apart = {i * 1e-6, i * 2e-6}, .change = -1e-3});
    EXPECT_LE(divergence.points().size(), Divergence::kMostPoints);
    EXPECT_GT(divergence.points().size(), Divergence::kMostPoints / 4);
    EXPECT_EQ(divergence.points().front().time, 0);
    EXPECT_GT(divergence.points().back().time, 5900);
    EXPECT_NEAR(divergence.worst(), 5999 * 2e-6, 1e-12);
    EXPECT_EQ(divergence.worstChange(), 1e-3);
    EXPECT_EQ(divergence.worstTwinChange(), 0) << "what is not known is no error";
}

// Twin runs from the command line: columns, pictures, refusals.

using testing::AllOf;
using testing::EndsWith;

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
