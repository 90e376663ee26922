// The command line as data: what is accepted where, what is refused, and with what words.
#include "app/commands/command_bench.h"
#include "app/commands/command_view.h"
#include "app/parameters/parameter.h"
#include "app/tables/text_values.h"
#include "sim/api/errors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace gravlab {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

std::unique_ptr<Subcommand> commandOf(const std::vector<std::string>& arguments) {
    std::vector<const char*> argv{"gravlab"};
    for (const std::string& argument : arguments) argv.push_back(argument.c_str());
    return parseOptions(static_cast<int>(argv.size()), argv.data());
}

StartOptions parsed(const std::vector<std::string>& arguments) { return commandOf(arguments)->start; }

template <class Of>
Of as(const std::vector<std::string>& arguments) {
    return dynamic_cast<const Of&>(*commandOf(arguments));
}

std::string refusalOf(const std::vector<std::string>& arguments) {
    try {
        parsed(arguments);
    } catch (const UsageError& error) {
        return error.what();
    }
    ADD_FAILURE() << "nothing was refused";
    return {};
}

TEST(Options, nothingMeansTheDefaultSceneInAWindow) {
    const StartOptions o = as<ViewCommand>({}).start;
    EXPECT_EQ(o.simulation.scene, "collision");
    EXPECT_FALSE(o.simulation.bodies);
    EXPECT_TRUE(o.settings.empty());
}

TEST(Options, viewMayBeLeftOutAndOptionsMayStandAnywhere) {
    const std::vector<std::vector<std::string>> same = {
        {"view", "disc", "-n", "1000", "--seed", "7"},
        {"disc", "-n", "1000", "--seed", "7"},
        {"-n", "1000", "disc", "--seed=7"},
        {"--seed", "7", "view", "--bodies=1000", "disc"},
        {"-n1000", "--seed", "7", "disc"},
    };
    for (const auto& arguments : same) {
        const StartOptions o = as<ViewCommand>(arguments).start;
        EXPECT_EQ(o.simulation.scene, "disc");
        EXPECT_EQ(o.simulation.bodies, 1000u);
        EXPECT_EQ(o.simulation.seed, 7u);
    }
}

TEST(Options, aCommandMayFollowItsOptions) {
    const BenchCommand bench = as<BenchCommand>({"--backend", "cpu", "--steps", "5", "bench", "plummer"});
    EXPECT_EQ(bench.steps, 5);
    EXPECT_EQ(bench.start.simulation.backend, "cpu");
}

TEST(Options, theValueOfAnOptionIsNoCommand) {
    const StartOptions o = parsed({"--csv", "view", "run", "plummer", "--steps", "1"});
    EXPECT_EQ(o.simulation.scene, "plummer");
    ASSERT_EQ(o.outputs.size(), 1u);
    EXPECT_EQ(o.outputs[0].file, "view");
}

TEST(Options, theLastOfTwoValuesCounts) { EXPECT_EQ(parsed({"disc", "-n", "5", "-n", "6"}).simulation.bodies, 6u); }

TEST(Options, bodiesTakeBinarySuffixes) {
    EXPECT_EQ(parseBodies("-n", "65536"), 65536u);
    EXPECT_EQ(parseBodies("-n", "64k"), 65536u);
    EXPECT_EQ(parseBodies("-n", "1M"), 1048576u);
    EXPECT_EQ(parseBodies("-n", "2147483647"), 2147483647u);
    for (const char* bad : {"0", "-1", "", "k", "1.5", "1.5e0", "1e-3", "1e3k", "0k", "2147483648", "2048M",
                            "99999999999999999999", "5 ", "0x10"})
        EXPECT_THROW(parseBodies("-n", bad), UsageError) << bad;
}

TEST(Options, realsMustBeFinite) {
    EXPECT_EQ(parseReal("--x", "-2.5e-3"), -2.5e-3);
    EXPECT_EQ(parseReal("--x", "+1"), 1);
    for (const char* bad : {"nan", "inf", "-inf", "", "1,5", "1e999", "two", "1 2"})
        EXPECT_THROW(parseReal("--x", bad), UsageError) << bad;
    EXPECT_THROW(parsePositive("--x", "0"), UsageError);
    EXPECT_THROW(parseNonNegative("--x", "-1e-9"), UsageError);
    EXPECT_EQ(parseNonNegative("--x", "0"), 0);
}

TEST(Options, sizesNeedBothSides) {
    EXPECT_EQ(parseSize("--size", "640x480"), (std::pair{640, 480}));
    for (const char* bad : {"0x480", "640x0", "640", "x", "640x", "-1x5", "640x480x3", "16385x10"})
        EXPECT_THROW(parseSize("--size", bad), UsageError) << bad;
}

TEST(Options, impossibleNumbersAreRefusedWithASentence) {
    EXPECT_THAT(refusalOf({"disc", "-n", "0"}), HasSubstr("at least 1 and at most 2147483647"));
    EXPECT_THAT(refusalOf({"disc", "--dt", "0"}), HasSubstr("--dt '0': expected auto, or a finite number other than 0"));
    EXPECT_THAT(refusalOf({"disc", "--dt", "nan"}), HasSubstr("finite"));
    EXPECT_THAT(refusalOf({"disc", "--softening", "-0.1"}), HasSubstr("at least 0"));
    EXPECT_THAT(refusalOf({"disc", "--size", "0x10"}), HasSubstr("1280x720"));
    EXPECT_THAT(refusalOf({"disc", "--frames", "0"}), HasSubstr("at least 1"));
    EXPECT_THAT(refusalOf({"disc", "--steps-per-frame", "0"}), HasSubstr("at least 1"));
    EXPECT_THAT(refusalOf({"disc", "--ui-scale", "nan"}), HasSubstr("finite"));
    EXPECT_THAT(refusalOf({"render", "-o", "a.mp4", "--frames", "9", "--fps", "0"}), HasSubstr("above 0"));
    EXPECT_THAT(refusalOf({"serve", "--bitrate", "1e12"}), HasSubstr("at most 1000"));
    EXPECT_NE(refusalOf({"serve", "--fps", "1e9"}), "");
}

TEST(Options, unknownNamesListTheValidOnesAndTheNearest) {
    EXPECT_THAT(refusalOf({"run", "plumer", "--steps", "1"}), AllOf(HasSubstr("'plummer'?"), HasSubstr("figure-eight")));
    EXPECT_THAT(refusalOf({"rendr"}), AllOf(HasSubstr("command or scene"), HasSubstr("'render'?")));
    EXPECT_THAT(refusalOf({"disc", "--backend", "gpu"}), AllOf(HasSubstr("auto, reference, cpu, cuda")));
    EXPECT_THAT(refusalOf({"disc", "--integrator", "leapfrg"}), HasSubstr("'leapfrog'?"));
    EXPECT_THAT(refusalOf({"disc", "--backend", "cpu", "--kernel", "tiled"}), HasSubstr("simd"));
    EXPECT_THAT(refusalOf({"disc", "--kernel", "tield"}), HasSubstr("'tiled'?"));
    EXPECT_THAT(refusalOf({"disc", "--precision", "fp16"}), HasSubstr("fp32, mixed, fp64"));
    EXPECT_THAT(refusalOf({"render", "-o", "a.mp4", "--frames", "2", "--encoder", "h246"}), HasSubstr("'h264'?"));
    EXPECT_THAT(refusalOf({"render", "-o", "a.mp4", "--frames", "2", "--encoder", "prores"}), HasSubstr("mov mkv"));
    EXPECT_THAT(refusalOf({"render", "-o", "a.mkv", "--frames", "2", "--encoder", "ffv1", "--quality", "9"}),
                HasSubstr("every pixel"));
    EXPECT_THAT(refusalOf({"render", "-o", "a.mp4", "--frames", "2", "--quality", "101"}), HasSubstr("0 to 100"));
    EXPECT_THAT(refusalOf({"list", "scene"}), HasSubstr("'scenes'?"));
    EXPECT_THAT(refusalOf({"bench", "--format", "xml"}), HasSubstr("table, csv, json"));
    EXPECT_THAT(refusalOf({"disc", "--sofening", "1"}), HasSubstr("'--softening'?"));
}

TEST(Options, anOptionOfAnotherCommandNamesItsOwner) {
    EXPECT_THAT(refusalOf({"run", "disc", "--steps", "1", "--fps", "30"}), HasSubstr("belongs to: serve, render"));
    EXPECT_THAT(refusalOf({"disc", "--csv", "x"}), HasSubstr("belongs to: run"));
}

/// The option of a command allows what the control of the window allows.
TEST(Options, haveTheRangesOfTheirParameters) {
    struct Shared {
        std::vector<std::string> before;
        const char *option, *path;
    };
    const Shared shared[] = {{{"render", "-o", "a.mp4", "--frames", "9"}, "--fps", "film.frames_per_second"},
                             {{"groups", "plummer"}, "--linking", "groups.linking"},
                             {{"occupancy"}, "--register-file", "calculator.register_file"},
                             {{"occupancy"}, "--registers", "calculator.registers"},
                             {{"occupancy"}, "--warps", "calculator.warps"}};
    for (const Shared& row : shared) {
        const Bounds& bounds = parameter(row.path).bounds;
        const auto with = [&](double value) {
            std::vector<std::string> line = row.before;
            line.insert(line.end(), {row.option, std::to_string(static_cast<long long>(value))});
            return line;
        };
        EXPECT_NO_THROW(parsed(with(bounds.most))) << row.option;
        EXPECT_THAT(refusalOf(with(bounds.most + 1)), HasSubstr(row.option));
        EXPECT_THAT(refusalOf(with(bounds.aboveLeast ? bounds.least : bounds.least - 1)), HasSubstr(row.option));
    }
}

TEST(Options, ofParametersAreSettingsThatTheTableAllows) {
    const Settings given = parsed({"disc",      "--color",   "mass",    "--views",           "4",
                                   "--lab",     "sweep",     "--no-ui", "--no-vsync",        "--full-quality",
                                   "--overlay", "axes",      "clock",   "--azimuth",         "180",
                                   "--ahead",   "auto",      "--paper", "--steps-per-frame", "3",
                                   "--select",  "4294967295"})
                               .settings;
    const double azimuth = std::get<double>(given.at("camera.azimuth"));
    EXPECT_NEAR(azimuth, 3.14159265, 1e-8) << "in the program's own unit";
    const Settings expected{{"look.colour_mode", std::string("mass")},
                            {"view.four", true},
                            {"lab.open", true},
                            {"lab.page", std::string("sweep")},
                            {"window.visible", false},
                            {"window.display_sync", false},
                            {"look.hold_rate", false},
                            {"overlay.shown", std::string("clock,axes")},
                            {"camera.azimuth", azimuth},
                            {"view.ahead", true},
                            {"view.ahead_time", std::string("auto")},
                            {"look.white_page", true},
                            {"run.steps_per_frame", std::int64_t{3}},
                            {"view.selected", std::int64_t{4294967295}}};
    EXPECT_EQ(given, expected);
    for (const Parameter& row : parameters()) {
        const std::string option(row.storedAs.option);
        if (!option.starts_with("--") || row.path.starts_with("twin.") || row.path.starts_with("scene.")) continue;
        const bool plain = row.kind == Kind::flag && row.storedAs.on.empty();
        if (plain && option != "--ahead" && option != "--lab") {
            EXPECT_EQ(parsed({"view", "two-body", option}).settings.at(row.path),
                      Value(!option.starts_with("--no-") && row.defaultText != "true"))
                << row.path;
        } else if (!plain && row.kind != Kind::text) {
            EXPECT_THAT(refusalOf({"view", "two-body", option + "=?x"}), HasSubstr(option)) << row.path;
        }
    }
    EXPECT_THAT(refusalOf({"render", "disc", "-o", "a.png", "--full-quality"}), HasSubstr("belongs to: view"));
}

TEST(Options, aLeftOverWordIsRefused) {
    EXPECT_THAT(refusalOf({"run", "disc", "cube", "--steps", "1"}), HasSubstr("'cube'"));
    EXPECT_THAT(refusalOf({"disc", "-n"}), HasSubstr("--bodies"));
}

TEST(Options, whatNoKernelHasIsRefusedWithAReason) {
    EXPECT_THAT(refusalOf({"disc", "--backend", "reference", "--block", "64"}), HasSubstr("does not apply"));
    EXPECT_THAT(refusalOf({"disc", "--backend", "cpu", "--split", "4"}), HasSubstr("does not apply"));
    EXPECT_THAT(refusalOf({"disc", "--backend", "reference", "--bodies-per-thread", "2"}), HasSubstr("does not apply"));
    EXPECT_THAT(refusalOf({"disc", "--backend", "reference", "--threads", "2"}), HasSubstr("one thread"));
    EXPECT_THAT(refusalOf({"disc", "--backend", "reference", "--simd", "avx2"}), HasSubstr("does not apply"));
    EXPECT_THAT(refusalOf({"disc", "--law", "colomb"}), HasSubstr("coulomb"));
    EXPECT_THAT(refusalOf({"disc", "--law", "coulomb", "--integrator", "hermite4"}), HasSubstr("radau15"));
    EXPECT_THAT(refusalOf({"disc", "--exponent", "3"}), HasSubstr("--law power-law"));
    EXPECT_THAT(refusalOf({"disc", "--law", "power-law", "--exponent", "99"}), HasSubstr("at least -4 and at most 12"));
    EXPECT_THAT(refusalOf({"disc", "--strength", "3"}),
                HasSubstr("--law coulomb or --law power-law or --law lennard-jones"));
    EXPECT_THAT(refusalOf({"charges", "--diameter", "3"}), HasSubstr("--law lennard-jones"));
    EXPECT_THAT(refusalOf({"charges", "--strength", "0"}), HasSubstr("at least 0.001 and at most 1000"));
    EXPECT_THAT(refusalOf({"lennard-jones", "--diameter", "-1"}), HasSubstr("at least 0.001 and at most 1000"));
    EXPECT_THAT(refusalOf({"lennard-jones", "--cut-off", "0.5"}), HasSubstr("at least 1 and at most 20"));
    EXPECT_THAT(refusalOf({"lennard-jones", "--cut-off", "nan"}), HasSubstr("--cut-off"));
    for (const char* command : {"view", "run", "render", "bench"}) {
        std::vector<std::string> words{command, "lennard-jones", "--strength", "2", "--diameter", "0.9", "--cut-off", "3"};
        if (std::string_view(command) == "run") words.insert(words.end(), {"--steps", "1"});
        if (std::string_view(command) == "render") words.insert(words.end(), {"-o", "x.png"});
        const RunRequest settings = parsed(words).simulation;
        EXPECT_EQ(settings.lawNumbers.strength, 2) << command;
        EXPECT_EQ(settings.lawNumbers.diameter, 0.9) << command;
        EXPECT_EQ(settings.lawNumbers.cutOff, 3) << command;
    }
}

TEST(Options, whatWouldBeLeftOutInSilenceIsRefused) {
    EXPECT_THAT(refusalOf({"render", "two-body", "-o", "x.png", "--ahead", "3"}), HasSubstr("--select ID"));
    const Settings ahead = parsed({"two-body", "--ahead", "3"}).settings;
    EXPECT_EQ(ahead.at("view.ahead_time"), Value(3.0)) << "in a window a body can be selected later";
    EXPECT_EQ(ahead.at("view.ahead"), Value(true));
    EXPECT_THAT(refusalOf({"two-body", "--follow", "body"}), HasSubstr("--follow body needs --select ID"));
    EXPECT_THAT(refusalOf({"bench", "--splat", "compute"}), HasSubstr("--splat needs --frames"));
    EXPECT_THAT(refusalOf({"bench", "--stages"}), HasSubstr("--stages needs --frames"));
    EXPECT_THAT(refusalOf({"bench", "--frames", "50", "--size", "64x48,80x60"}), HasSubstr("only with --stages"));
    EXPECT_EQ(as<BenchCommand>({"bench", "--frames", "50", "--size", "64x48"}).picture.width, 64);
    EXPECT_EQ(as<BenchCommand>({"bench", "--frames", "50", "--fps", "144"}).fps, 144);
    EXPECT_THAT(refusalOf({"bench", "--fps", "60"}), HasSubstr("needs --frames"));
    EXPECT_THAT(refusalOf({"list", "keys", "--json", "--markdown"}), HasSubstr("exclude each other"));
}

TEST(Options, whatDoesNothingIsRefusedEverywhere) {
    for (const char* command : {"run", "render", "view", "fingerprint", "play"})
        for (const std::vector<std::string>& reading :
             {std::vector<std::string>{"--columns", "x,y,z,m"}, {"--units", "solar"}, {"--G", "5"}, {"--sanitize"}}) {
            std::vector<std::string> words{command, "six-body"};
            if (words[0] == "play") words.insert(words.begin() + 1, "lesson.txt");
            if (words[0] == "run") words.insert(words.end(), {"--steps", "1"});
            if (words[0] == "render") words.insert(words.end(), {"-o", "x.png"});
            words.insert(words.end(), reading.begin(), reading.end());
            EXPECT_THAT(refusalOf(words), HasSubstr("'six-body' is a scene")) << command << " " << reading[0];
        }
    EXPECT_EQ(parsed({"run", "x.csv", "--steps", "1", "--G", "5"}).read.gravity, 5);
    const std::pair<std::vector<std::string>, const char*> rows[] = {
        {{"run", "x.csv", "--steps", "1", "--G", "5", "--units", "si"}, "exclude each other"},
        {{"run", "x.csv", "--steps", "1", "--seed", "5"}, "--seed does nothing"},
        {{"run", "disc", "--steps", "1", "--every", "5"}, "does nothing without --csv"},
        {{"run", "disc", "--steps", "1", "--snapshots", "%d.csv"}, "does nothing without --snapshot-every"},
        {{"run", "disc", "--steps", "1", "--final", ""}, "a file needs a name"},
        {{"run", "disc", "--steps", "1", "--csv", ""}, "a file needs a name"},
        {{"run", "disc", "--steps", "1", "--backend", "cpu", "--device", "0"}, "--device chooses a CUDA device"},
        {{"run", "disc", "--steps", "1", "--backend", "cpu", "--kernel", "simd", "--block", "256"},
         "--block does not apply"},
        {{"run", "disc", "--steps", "1", "--csv", "a.csv", "--csv", "b.csv"}, "received 2"},
        {{"run", "x.csv", "--steps", "1", "--scene-version", "1"}, "--scene-version does nothing"},
        {{"convert", "x.csv", "y.csv", "--units", "si", "--G", "5"}, "exclude each other"},
        {{"bench", "disc", "--backend", "cpu", "--device", "0"}, "--device chooses a CUDA device"},
        {{"bench", "disc", "--backend", "cpu", "--device", "0,1"}, "--device chooses a CUDA device"},
        {{"groups", "disc", "--backend", "cpu", "--device", "0,0"}, "they divide the forces of a run"},
        {{"run", "plummer", "--steps", "1", "--backend", "cpu", "--kernel", "simd", "--accuracy", "1e-3"},
         "--accuracy does not apply"},
        {{"run", "plummer", "--steps", "1", "--backend", "cpu", "--kernel", "tree-theta", "--accuracy", "1e-3"},
         "--accuracy does not apply"},
        {{"run", "plummer", "--steps", "1", "--backend", "reference", "--accuracy", "1e-3"}, "--accuracy does not apply"},
        {{"run", "plummer", "--steps", "1", "--backend", "cpu", "--opening", "0.5"}, "--opening does not apply"},
        {{"run", "plummer", "--steps", "1", "--backend", "cpu", "--kernel", "tree", "--opening", "0.5"},
         "--opening does not apply"},
        {{"run", "plummer", "--steps", "1", "--law", "lennard-jones", "--softening", "0.1"},
         "--softening does nothing under lennard-jones"},
        {{"render", "disc", "-o", "x.png", "--fps", "30"}, "--fps does not apply"},
        {{"run", "disc", "--steps", "1", "--csv", "c_prev.hdf5", "--checkpoint", "c.hdf5"}, "give them different files"},
        {{"matrix", "six-body", "-o", "m.csv", "--accuracy", "1e-3"}, "--accuracy does not apply to 'matrix'"},
        {{"matrix", "six-body", "-o", "m.csv", "--dt", "0.1"}, "--dt does not apply to 'matrix'"},
        {{"matrix", "six-body", "-o", "m.csv", "--integrator", "euler"}, "--integrator does not apply to 'matrix'"},
        {{"matrix", "six-body", "-o", "m.csv", "--contact", "bounce"}, "--contact does not apply to 'matrix'"},
        {{"bench", "plummer", "--field", "none"}, "--field does not apply to 'bench'"},
        {{"bench", "plummer", "--dt", "0.1"}, "--dt does nothing: a rate does not depend on it"},
        {{"tune", "--scene", "plummer"}, "--scene needs --term-kernel"},
        {{"matrix", "six-body", "-o", "m.csv", "--value", "distance", "--softening", "0.1"}, "a distance is not softened"},
        {{"fingerprint", "six-body", "--accuracy", "1e-3"}, "--accuracy does not apply to 'fingerprint'"},
        {{"fingerprint", "six-body", "--threads", "2"}, "--threads needs --all"},
        {{"play", "lesson.txt", "--fullscreen"}, "--fullscreen needs --window"},
        {{"groups", "x.csv", "--set", "a=1"}, "--set does nothing: a file has the bodies that it has"},
        {{"groups", "x.csv", "--json", "--rows", "3"}, "--json has all groups"},
        {{"run", "plummer", "--steps", "1", "--backend", "cpu", "--kernel", "simd", "--threads", "5"},
         "the simd kernel computes on one thread"},
        {{"run", "plummer", "--steps", "1", "--backend", "cpu", "--kernel", "naive", "--simd", "scalar"},
         "the naive kernel is the same under every instruction set"},
        {{"render", "disc", "-o", "x.png", "--overlay", "none,all"}, "none stands alone"},
    };
    for (const auto& [words, why] : rows) EXPECT_THAT(refusalOf(words), HasSubstr(why)) << words.back();
    for (const auto& [option, kernel] :
         {std::pair("--accuracy", "tree"), {"--accuracy", "auto"}, {"--opening", "tree-theta"}})
        parsed({"run", "plummer", "--steps", "1", "--backend", "cpu", "--kernel", kernel, option,
                option[2] == 'a' ? "1e-3" : "0.5"});
}

TEST(Options, whatNeedsAnotherOptionSaysWhichAndWhy) {
    EXPECT_EQ(refusalOf({"run", "disc", "--steps", "1", "--every", "5"}),
              "--every needs --csv FILE: it does nothing without --csv");
    EXPECT_EQ(refusalOf({"check", "--lesson", "leapfrog"}), "--lesson needs --lessons: it does nothing without --lessons");
    EXPECT_EQ(refusalOf({"check", "--physics", "--lessons"}),
              "--lessons and --physics exclude each other; give one of them");
    EXPECT_EQ(refusalOf({"check", "--tolerance", "1", "--lessons"}),
              "--tolerance does nothing with --lessons: a step is reached or not");
    EXPECT_EQ(refusalOf({"bench", "--card", "a.png", "-o", "b.png"}), "--card names its file itself; leave out -o");
    EXPECT_EQ(refusalOf({"render", "two-body", "-o", "a.mp4", "--loop", "--twin", "integrator=euler"}),
              "--loop and --twin exclude each other: two runs seldom have one period");
    EXPECT_THAT(refusalOf({"play"}), HasSubstr("play needs a script"));
    EXPECT_THAT(refusalOf({"convert", "x.csv"}), HasSubstr("convert needs two files"));
    EXPECT_THAT(refusalOf({"disc", "--seed"}), HasSubstr("see 'gravlab view --help'"));
}

TEST(Options, rangesOfParametersAreThoseOfOptions) {
    EXPECT_THAT(refusalOf({"bench", "--split", "65536"}), HasSubstr("at most 65535"));
    EXPECT_THAT(refusalOf({"bench", "--unroll", "0"}), HasSubstr("expected auto, or a whole number of at least 1"));
    EXPECT_EQ(as<BenchCommand>({"bench", "--unroll", "auto,4"}).unrolls.size(), 2u);
    EXPECT_THAT(refusalOf({"occupancy", "t4", "--register-file", "128"}), HasSubstr("at least 256"));
    EXPECT_THAT(refusalOf({"render", "-o", "a.mp4", "--frames", "9", "--fps", "1001"}), HasSubstr("at most 1000"));
    EXPECT_THAT(refusalOf({"groups", "--linking", "1001"}), HasSubstr("at most 1000"));
}

TEST(Options, benchTakesNumbersWithUnitsWhereTheSceneHasThem) {
    const BenchCommand o = as<BenchCommand>(
        {"bench", "galaxy", "--figure", "energy-dt", "-o", "x.png", "--dt", "1Myr,2Myr", "--softening", "0.1kpc"});
    ASSERT_EQ(o.timeSteps.size(), 2u);
    EXPECT_NEAR(o.timeSteps[1], 2 * o.timeSteps[0], 1e-12);
    EXPECT_EQ(o.timeSteps[0], parsed({"run", "galaxy", "--steps", "1", "--dt", "1Myr"}).simulation.timeStep);
    EXPECT_EQ(o.start.simulation.softening,
              parsed({"run", "galaxy", "--steps", "1", "--softening", "0.1kpc"}).simulation.softening);
    EXPECT_THAT(refusalOf({"bench", "plummer", "--frames", "50", "--dt", "1Myr"}), HasSubstr("'plummer' has no units"));
    EXPECT_THAT(refusalOf({"bench", "galaxy", "--frames", "50", "--dt", "1kpc"}), HasSubstr("not the unit of a time"));
}

TEST(Options, twoDashesEndTheOptions) { EXPECT_EQ(parsed({"run", "--steps", "1", "--", "disc"}).simulation.scene, "disc"); }

TEST(Options, scenesOfFixedSizeKeepIt) {
    EXPECT_EQ(parsed({"two-body", "-n", "2"}).simulation.bodies, 2u);
    EXPECT_THAT(refusalOf({"two-body", "-n", "3"}), HasSubstr("always has 2 bodies"));
}

TEST(Options, aRunNeedsItsLength) {
    EXPECT_THAT(refusalOf({"run", "disc"}), HasSubstr("--steps"));
    EXPECT_THAT(refusalOf({"run", "disc", "--steps", "1", "--until", "2"}), HasSubstr("exclude each other"));
    parsed({"run", "disc", "--steps", "0"});
    EXPECT_EQ(parsed({"run", "disc", "--until", "2.5"}).until, 2.5);
    EXPECT_EQ(parsed({"run", "two-body", "--steps", "1", "--dt", "-0.01"}).simulation.timeStep, -0.01);
}

TEST(Options, aFilmNeedsFileAndLength) {
    EXPECT_THAT(refusalOf({"render", "disc", "--frames", "3"}), HasSubstr("-o"));
    EXPECT_THAT(refusalOf({"render", "disc", "-o", "film.mp4"}), HasSubstr("--frames"));
    EXPECT_THAT(refusalOf({"render", "disc", "-o", "film.avi", "--frames", "3"}), HasSubstr("%05d.png"));
    EXPECT_TRUE(parsed({"render", "disc", "-o", "d/%05d.png", "--frames", "3", "--ui"}).outputs.front().numbered);
    EXPECT_FALSE(parsed({"render", "disc", "-o", "a.png"}).outputs.front().numbered);
}

TEST(Options, benchTakesListsWithCommasOrSpaces) {
    const BenchCommand o =
        as<BenchCommand>({"bench", "--backend", "cpu", "-n", "1k,2k", "4096", "--kernel", "simd,naive", "--repeats", "3"});
    EXPECT_THAT(o.counts, ElementsAre(1024, 2048, 4096));
    EXPECT_THAT(o.kernels, ElementsAre("simd", "naive"));
    EXPECT_EQ(o.repeats, 3);
    EXPECT_THAT(refusalOf({"bench", "--backend", "cpu", "-n", "1k,zero"}), HasSubstr("'zero'"));
    EXPECT_THAT(refusalOf({"bench", "--backend", "cpu", "-n", ","}), HasSubstr("at least one"));
    EXPECT_THAT(refusalOf({"bench", "--backend", "cpu", "--kernel", "simd,warp"}), HasSubstr("'warp'"));
}

}  // namespace
}  // namespace gravlab
