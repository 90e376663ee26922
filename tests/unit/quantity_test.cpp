// Numbers with units: where they are accepted, where they are refused, and the output of a run with units.
#include "app/parameters/quantity.h"
#include "app/bench/benchmark.h"
#include "app/bench/benchmark_text.h"
#include "app/files/scene_file.h"
#include "app/tables/text_values.h"
#include "cli_support.h"
#include "sim/api/errors.h"
#include "sim/scenes/scene.h"

#include <gmock/gmock.h>

namespace gravlab {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string refusalOf(const std::function<void()>& call) {
    try {
        call();
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

TEST(Quantity, becomesTheNumberOfTheRun) {
    const SceneUnits& galaxy = kGalacticUnits;
    EXPECT_NEAR(quantity("--until", "471.486Myr", "T", galaxy, "galaxy"), 100, 1e-10);
    EXPECT_NEAR(quantity("--until", " 0.471486 Gyr", "T", galaxy, "galaxy"), 100, 1e-10);
    EXPECT_NEAR(quantity("--softening", "300pc", "L", galaxy, "galaxy"), 0.3, 1e-12);
    EXPECT_NEAR(quantity("--softening", "-0.3 kpc", "L", galaxy, "galaxy"), -0.3, 1e-12);
    EXPECT_NEAR(quantity("--speed", "10Myr/s", "T/s", galaxy, "galaxy"), 10 / 4.71486, 1e-10);
    EXPECT_NEAR(quantity("look.top_speed", "207.386km/s", "L/T", galaxy, "galaxy"), 1, 1e-10);
    EXPECT_NEAR(quantity("m", "1e10Msun", "M", galaxy, "galaxy"), 1, 1e-10);
    EXPECT_EQ(quantity("--until", "500T", "T", galaxy, "galaxy"), 500);
    EXPECT_EQ(quantity("--until", "500T", "T", {}, "plummer"), 500) << "its own unit needs no other";
    const SceneUnits& sun = sceneNamed("solar-system").units;
    EXPECT_NEAR(quantity("--until", "2 years", "T", sun, "solar-system"),
                24 * quantity("--until", "30.4375days", "T", sun, "solar-system"), 1e-9);
}

TEST(Quantity, isTakenForOneOnlyWithLettersBehindANumber) {
    for (const char* text : {"500Myr", "0.3 kpc", "1e4m", "-.5pc", "+2T", "3furlong"}) EXPECT_TRUE(isQuantity(text)) << text;
    for (const char* text : {"500", "1e4", "-0.5", "auto", "inf", "nan", "", "Myr", "1 2"})
        EXPECT_FALSE(isQuantity(text)) << text;
}

TEST(Quantity, refusesAnotherDimensionAnUnknownUnitAndARunWithoutUnits) {
    const auto refusal = [](const char* text, const char* dimension, const SceneUnits& units) {
        return refusalOf([&] { quantity("--x", text, dimension, units, "plummer"); });
    };
    EXPECT_THAT(refusal("5Myr", "L", kGalacticUnits), HasSubstr("'Myr' is not the unit of a length"));
    EXPECT_THAT(refusal("5kpc", "T", kGalacticUnits), AllOf(HasSubstr("a time"), HasSubstr("500Myr")));
    EXPECT_THAT(refusal("5Myr", "T/s", kGalacticUnits), HasSubstr("10Myr/s"));
    EXPECT_THAT(refusal("5furlong", "L", kGalacticUnits), HasSubstr("'furlong' is no unit"));
    EXPECT_THAT(refusal("5kpc", "L", {}), AllOf(HasSubstr("'plummer' has no units"), HasSubstr("[L]")));
}

TEST(Quantity, saysWhatANumberAloneMeans) {
    const SceneUnits& units = kGalacticUnits;
    EXPECT_EQ(meaningOf(500, "T", units), "500 T = 2.36 Gyr");
    EXPECT_EQ(meaningOf(0.3, "L", units), "0.3 L = 0.3 kpc");
    EXPECT_EQ(meaningOf(60, "T/s", units), "60 T/s = 283 Myr/s");
    EXPECT_EQ(meaningOf(500, "T", {}), "");
}

TEST(Quantity, ofASceneFileWaitsForItsScene) {
    StartOptions options;
    takeSceneText(
        "softening = \"300pc\"\ntime_step = \"0.471486Myr\"\nscene = \"galaxy\"\n[view]\nspeed = \"4.71486Myr/s\"\n"
        "[twin]\nsoftening = \"600pc\"\n",
        "my.toml", options);
    EXPECT_NEAR(options.simulation.softening.value(), 0.3, 1e-12);
    EXPECT_NEAR(options.simulation.timeStep.value(), 0.1, 1e-12);
    EXPECT_NEAR(std::get<double>(options.settings.at("run.speed")), 1, 1e-12);
    EXPECT_NEAR(std::get<double>(options.twin.values.at("softening")), 0.6, 1e-12);

    const auto refusal = [](const char* text) {
        StartOptions fresh;
        return refusalOf([&] { takeSceneText(text, "my.toml", fresh); });
    };
    EXPECT_THAT(refusal("scene = \"plummer\"\nsoftening = \"1pc\"\n"), HasSubstr("has no units"));
    EXPECT_THAT(refusal("scene = \"galaxy\"\nsoftening = \"1yr\"\n"), HasSubstr("my.toml, line 2"));
    EXPECT_THAT(refusal("scene = \"galaxy\"\nsoftening = \"1pc\"\nsoftening = \"2pc\"\n"), HasSubstr("twice"));

    StartOptions given{.simulation = {.softening = 7}, .given = {"--softening"}};
    takeSceneText("scene = \"galaxy\"\nsoftening = \"300pc\"\n", "my.toml", given);
    EXPECT_EQ(given.simulation.softening, 7) << "the command line goes before";
}

TEST(Units, ofASceneAreThoseOfWhatRunReadsAndPrints) {
    const Outcome o = runGravlab({"run", "galaxy", "-n", "300", "--dt", "0.471486Myr", "--until", "0.942972Myr",
                                  "--softening", "0.3kpc", "--csv", "-"});
    ASSERT_EQ(o.code, 0) << o.err;
    const auto lines = linesOf(o.out);
    ASSERT_EQ(lines.size(), 4u) << o.out;
    EXPECT_THAT(lines[0], HasSubstr("time [Myr],kinetic [Msun (km/s)^2]"));
    EXPECT_NEAR(numbersOf(lines[3])[1], 0.942972, 1e-9);
    EXPECT_NEAR(numbersOf(lines[1])[15], 1, 0.15) << "2T/|W|";
    EXPECT_THAT(o.err, AllOf(HasSubstr("2 steps of 0.471486 Myr to t = 0.942972 Myr"), HasSubstr("Msun (km/s)^2")));
    EXPECT_THAT(o.err, Not(HasSubstr("without a unit")));
}

TEST(Units, ofNumbersAloneAreSaidOnce) {
    const Outcome o = runGravlab({"run", "galaxy", "-n", "100", "--dt", "0.1", "--until", "0.1", "--backend", "reference"});
    ASSERT_EQ(o.code, 0) << o.err;
    EXPECT_THAT(o.err, AllOf(HasSubstr("--dt 0.1 T = 0.471 Myr"), HasSubstr("--until 0.1 T = 0.471 Myr")));
    EXPECT_THAT(runGravlab({"run", "plummer", "-n", "100", "--dt", "0.1", "--steps", "1"}).err, Not(HasSubstr("[T]")));
    const Outcome wrong = runGravlab({"run", "plummer", "-n", "100", "--softening", "0.3kpc", "--steps", "1"});
    EXPECT_EQ(wrong.code, 2);
    EXPECT_THAT(wrong.err, HasSubstr("'plummer' has no units"));
}

TEST(Units, ofAFileInMetresAreSaidAndUnderstood) {
    const ScratchFolder folder;
    std::ofstream(folder / "es.csv") << "m,x,y,z,vx,vy,vz\n2e30,0,0,0,0,0,0\n6e24,1.496e11,0,0,0,29780,0\n";
    const Start start{.folder = folder.path()};
    const Outcome bare = runGravlab({"run", "es.csv", "--units", "si", "--softening", "1e9", "--steps", "1"}, start);
    ASSERT_EQ(bare.code, 0) << bare.err;
    EXPECT_THAT(bare.err, HasSubstr("--softening 1e+09 L = 1.5e+20 m"));
    const Outcome said = runGravlab(
        {"run", "es.csv", "--units", "si", "--softening", "1e9m", "--dt", "1day", "--steps", "365", "--final", "-"}, start);
    ASSERT_EQ(said.code, 0) << said.err;
    EXPECT_THAT(said.err, HasSubstr("365 steps of 1 days"));
    const auto earth = numbersOf(linesOf(said.out).at(2));
    EXPECT_GT(earth.at(1), 1.4e11) << "it is not back after a year: " << said.out;
}

TEST(Units, ofAMassThatRanInSinglePrecisionComeBackAsTheyWere) {
    const ScratchFolder folder;
    std::string table = "m [Msun],x [kpc],y [kpc],z [kpc],vx [km/s],vy [km/s],vz [km/s]\n";
    for (int i = 0; i < 8; ++i) table += "3e7," + std::to_string(i % 2) + "," + std::to_string(i / 2) + ",0,0,10,0\n";
    std::ofstream(folder / "my.csv") << table;
    const Outcome o =
        runGravlab({"run", "my.csv", "--precision", "fp32", "--steps", "1", "--final", "-"}, {.folder = folder.path()});
    ASSERT_EQ(o.code, 0) << o.err;
    EXPECT_THAT(linesOf(o.out).at(1), testing::StartsWith("3e+07,"));
    std::ofstream(folder / "again.csv") << o.out;
    const Outcome again =
        runGravlab({"run", "again.csv", "--precision", "fp32", "--steps", "0", "--final", "-"}, {.folder = folder.path()});
    EXPECT_EQ(again.out, o.out) << "what was written is not read as the same numbers";
}

TEST(Units, ofAScriptAreUnderstood) {
    const ScratchFolder folder;
    std::ofstream(folder / "s.txt") << "set run.softening 0.3kpc\nset run.softening \"400 pc\"\nset run.softening 5Myr\n"
                                       "set twin.softening 1kpc\n";
    const Outcome o = runGravlab({"play", "s.txt", "galaxy", "-n", "200", "--size", "64x64"}, {.folder = folder.path()});
    const auto lines = linesOf(o.out);
    ASSERT_GE(lines.size(), 4u) << o.err;
    EXPECT_THAT(lines[0], HasSubstr("\"value\":0.3"));
    EXPECT_THAT(lines[1], HasSubstr("\"value\":0.4"));
    EXPECT_THAT(lines[2], HasSubstr("'Myr' is not the unit of a length"));
    EXPECT_THAT(lines[3], HasSubstr("\"value\":1"));
}

TEST(Units, ofGroupsOfASceneAreThoseOfTheScene) {
    const Outcome o = runGravlab({"groups", "galaxy", "-n", "2000", "--backend", "cpu", "--least", "5"});
    ASSERT_EQ(o.code, 0) << o.err;
    EXPECT_THAT(o.out, AllOf(HasSubstr("kpc apart"), HasSubstr("mass [Msun]"), HasSubstr("velocity [km/s]")));
}

TEST(Numbers, ofBodiesAndStepsMayHaveAnExponent) {
    EXPECT_EQ(parseBodies("-n", "1e4"), 10000u);
    EXPECT_EQ(parseInteger("--steps", "2.5e3", 0, 1 << 20), 2500);
    EXPECT_THROW(parseInteger("--steps", "2.5", 0, 1 << 20), UsageError);
    EXPECT_THROW(parseInteger("--steps", "1e-3", 0, 1 << 20), UsageError);
    EXPECT_THROW(parseInteger("--steps", "1e30", 0, 1 << 20), UsageError);
    const Outcome o = runGravlab({"run", "plummer", "-n", "1e2", "--steps", "0"});
    EXPECT_EQ(o.code, 0) << o.err;
    EXPECT_THAT(o.out, HasSubstr("plummer: 100 bodies"));
}

TEST(Errors, ofAFileThatIsNotThereGoBeforeTheQuestionHowLong) {
    const Outcome o = runGravlab({"run", "missing.csv"});
    EXPECT_EQ(o.code, 3);
    EXPECT_THAT(o.err, AllOf(HasSubstr("missing.csv"), Not(HasSubstr("how long"))));
}

TEST(BenchmarkText, keepsItsColumnsUnderLongNames) {
    const std::string head = benchmarkTableHead(), names = head.substr(head.find('\n') + 1);
    BenchmarkRow row{.backend = "cuda", .kernel = "tiled-constant-block", .bodies = 4194304, .verified = true};
    const std::string line = benchmarkTableLine(row);
    EXPECT_EQ(line.find("4,194,304") + 9, names.find(" N ") + 2) << names << line;
    EXPECT_EQ(line.size(), names.size()) << names << line;
    row.block = 1024;
    row.bodiesPerThread = 8;
    row.split = 128;
    EXPECT_EQ(benchmarkTableLine(row).size(), names.size()) << "a launch with every factor";
}

}  // namespace
}  // namespace gravlab
