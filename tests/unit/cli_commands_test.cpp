// The contracts of the commands that scripts rely on, by running the program: exit codes, files, csv and JSON.
#include "cli_support.h"
#include "sim/api/errors.h"
#include "sim/core/text.h"
#include "tests/wrong_forces.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <sstream>
#include <string>
#include <utility>

namespace gravlab {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;
using Json = nlohmann::json;

TEST(Cli, versionAndHelpSayWhatThisIs) {
    const Outcome version = runGravlab({"--version"});
    EXPECT_EQ(version.code, 0);
    EXPECT_THAT(version.out, AllOf(StartsWith("gravlab "), HasSubstr("CUDA: "), HasSubstr("reference cpu cuda")));
    EXPECT_THAT(version.err, IsEmpty());
    const Outcome help = runGravlab({"--help"});
    EXPECT_EQ(help.code, 0);
    EXPECT_THAT(help.out, AllOf(HasSubstr("gravlab bench"), HasSubstr("Examples:"), HasSubstr("Exit codes:")));
    EXPECT_THAT(runGravlab({"run", "--help"}).out, AllOf(HasSubstr("--final"), HasSubstr("figure-eight")));
}

TEST(Cli, aMistakeIsOneSentenceOnStderrAndCode2) {
    const Outcome o = runGravlab({"run", "disc", "--steps", "1", "-n", "0"});
    EXPECT_EQ(o.code, 2);
    EXPECT_THAT(o.err, StartsWith("gravlab: "));
    EXPECT_EQ(linesOf(o.err).size(), 1u);
    EXPECT_THAT(o.out, IsEmpty());
}

TEST(Cli, aWindowWithoutDisplayIsRefusedAtOnceWithCode4) {
    const Outcome o = runGravlab({"view", "two-body"});
    EXPECT_EQ(o.code, 4);
    EXPECT_THAT(o.err, HasSubstr("display"));
    EXPECT_EQ(linesOf(o.err).size(), 1u) << "a run was begun: " << o.err;
}

TEST(Cli, aDeviceThatIsNotThereIsCode4) {
    const Outcome o = runGravlab({"run", "two-body", "--steps", "1", "--backend", "cuda", "--device", "99"});
    EXPECT_EQ(o.code, 4);
    EXPECT_THAT(o.err, HasSubstr("cuda"));
}

TEST(Cli, aFolderThatIsMissingIsCode6BeforeAnyWork) {
    const Outcome o = runGravlab({"run", "plummer", "-n", "65536", "--steps", "100000", "--csv", "/nowhere/at/all.csv"});
    EXPECT_EQ(o.code, 6);
    EXPECT_THAT(o.err, HasSubstr("/nowhere/at/all.csv"));
    EXPECT_EQ(linesOf(o.err).size(), 1u) << "a run was begun: " << o.err;
}

TEST(Cli, aFailedRunLeavesTheOldFile) {
    const ScratchFolder folder;
    std::ofstream(folder / "f.csv") << "precious\n";
    const Outcome o = runGravlab({"run", "two-body", "--dt", "1e300", "--steps", "4", "--csv", (folder / "e.csv").string(),
                                  "--final", (folder / "f.csv").string()});
    EXPECT_EQ(o.code, 5);
    EXPECT_THAT(o.err, HasSubstr("finite"));
    EXPECT_EQ(contentOf(folder / "f.csv"), "precious\n");
    EXPECT_EQ(folder.entries(), 1u);
}

TEST(Cli, aRunWhoseForcesAreWrongLeavesWhatWasThere) {
    if (!hasHdf5()) GTEST_SKIP() << "this build has no HDF5";
    const ScratchFolder folder;
    testing_support::writeWrongForces(folder / "wrong.hdf5");
    put(folder / "end.csv", "old");
    const Outcome o =
        runGravlab({"run", (folder / "wrong.hdf5").string(), "--steps", "3", "--final", (folder / "end.csv").string()});
    EXPECT_EQ(o.code, 7) << o.err;
    EXPECT_THAT(o.err, HasSubstr("nothing of this run is to be trusted"));
    EXPECT_EQ(contentOf(folder / "end.csv"), "old");
}

TEST(Cli, aCheckThatFailsIsCode7) {
    const Outcome strict = runGravlab({"check", "--tolerance", "1e-12", "--kernel", "simd,drag:each-body"});
    EXPECT_EQ(strict.code, 7);
    EXPECT_THAT(strict.out,
                AllOf(HasSubstr("simd  "), HasSubstr("drag:each-body"), HasSubstr("FAILED"), HasSubstr(" 2 failed")));
    EXPECT_THAT(strict.out, Not(HasSubstr("naive"))) << "--kernel leaves the others out";
    const Outcome unknown = runGravlab({"check", "--kernel", "simmd"});
    EXPECT_EQ(unknown.code, 2);
    EXPECT_THAT(unknown.err, AllOf(HasSubstr("simmd"), HasSubstr("simd")));
}

TEST(Cli, aCheckWithAnOptionThatCannotBeIsCode2) {
    const Outcome o = runGravlab({"check", "--simd", "nonsense"});
    EXPECT_EQ(o.code, 2) << o.out;
    EXPECT_THAT(o.err, HasSubstr("nonsense"));
}

/// CliExtension checks all rows.
TEST(Cli, checkPassesHere) {
    const Outcome o = runGravlab({"check", "--kernel", "plain,simd-threads,tiled"});
    EXPECT_EQ(o.code, 0) << o.out;
    EXPECT_THAT(o.out, AllOf(HasSubstr("reference"), HasSubstr("simd-threads"), HasSubstr("cuda"), HasSubstr(" 0 failed")));
}

TEST(Cli, runWritesEnergiesWithTheNamedColumns) {
    const ScratchFolder folder;
    const Outcome o = runGravlab({"run", "figure-eight", "--backend", "reference", "--dt", "0.01", "--steps", "25",
                                  "--every", "10", "--csv", (folder / "e.csv").string()});
    ASSERT_EQ(o.code, 0) << o.err;
    const auto lines = linesOf(contentOf(folder / "e.csv"));
    ASSERT_EQ(lines.size(), 5u);  // header, 0, 10, 20, 25
    EXPECT_EQ(lines[0],
              "step,time,kinetic,potential,energy,px,py,pz,lx,ly,lz,relative_change,cx,cy,cz,virial,r10,r50,r90,closest");
    const double steps[] = {0, 10, 20, 25};
    for (std::size_t i = 0; i < 4; ++i) {
        const auto row = numbersOf(lines[i + 1]);
        ASSERT_EQ(row.size(), 20u);
        EXPECT_EQ(row[0], steps[i]);
        EXPECT_NEAR(row[1], 0.01 * steps[i], 1e-15);
        EXPECT_DOUBLE_EQ(row[4], row[2] + row[3]);
        EXPECT_NEAR(row[4], -1.287142, 1e-4);
    }
}

TEST(RunCommand, ATableOfForcesThatAreNotExactSaysWhatTheyWereOffBy) {
    const ScratchFolder folder;
    const auto table = [&](const std::vector<std::string>& how, const std::string& accuracy) {
        std::vector<std::string> words{"run", "plummer", "-n", "3000", "--backend", "cpu", "--steps", "6", "--every", "2"};
        words.insert(words.end(), how.begin(), how.end());
        if (!accuracy.empty()) words.insert(words.end(), {"--kernel", "tree", "--accuracy", accuracy});
        words.insert(words.end(), {"--csv", (folder / "e.csv").string()});
        EXPECT_EQ(runGravlab(words).code, 0);
        return linesOf(contentOf(folder / "e.csv"));
    };
    const auto cells = [](const std::string& line) {
        const std::size_t allowed = line.rfind(','), error = line.rfind(',', allowed - 1);
        return std::pair(line.substr(error + 1, allowed - error - 1), line.substr(allowed + 1));
    };
    const auto lines = table({}, "1e-3");
    ASSERT_EQ(lines.size(), 5u);
    EXPECT_EQ(cells(lines[0]), std::pair(std::string("force_error"), std::string("force_error_allowed")));
    EXPECT_EQ(cells(lines[1]), std::pair(std::string(), std::string())) << "there has been no force yet";
    for (std::size_t row = 2; row < lines.size(); ++row) {
        const auto [error, allowed] = cells(lines[row]);
        EXPECT_EQ(allowed, "0.001");
        EXPECT_GT(std::stod(error), 1e-5);
        EXPECT_LT(std::stod(error), 2e-3);
    }
    EXPECT_NE(cells(lines[2]).first, cells(lines[4]).first) << "each row has a check of its own";
    EXPECT_EQ(table({}, "1e-3"), lines) << "however fast the machine is";
    EXPECT_EQ(table({"--threads", "1"}, "1e-3"), lines);
    EXPECT_LT(std::stod(cells(table({}, "1e-5").back()).first), std::stod(cells(lines.back()).first));
    EXPECT_TRUE(table({}, "")[0].ends_with(",closest")) << "exact forces have rounding only, which the gates know";
}

TEST(Cli, finalHoldsEveryBodyWithAllDigits) {
    const ScratchFolder folder;
    const Outcome o =
        runGravlab({"run", "six-body", "--backend", "reference", "--steps", "0", "--final", (folder / "f.csv").string()});
    ASSERT_EQ(o.code, 0) << o.err;
    const auto lines = linesOf(contentOf(folder / "f.csv"));
    ASSERT_EQ(lines.size(), 7u);
    EXPECT_EQ(lines[0], "m,x,y,z,vx,vy,vz");
    for (std::size_t i = 1; i < lines.size(); ++i) {
        const auto row = numbersOf(lines[i]);
        ASSERT_EQ(row.size(), 7u);
        EXPECT_TRUE(row[0] >= 1 && row[0] <= 10);
        const std::string again = formatted("%.17g,", row[0]);
        EXPECT_THAT(lines[i], StartsWith(again));
    }
    const Outcome toStandardOutput =
        runGravlab({"run", "six-body", "--backend", "reference", "--steps", "0", "--final", "-"});
    EXPECT_EQ(toStandardOutput.out, contentOf(folder / "f.csv"));
}

TEST(Cli, sameSeedGivesTheSameBytesAndAnotherSeedDoesNot) {
    const auto start = [](const char* seed) {
        return runGravlab(
                   {"run", "plummer", "-n", "100", "--backend", "reference", "--seed", seed, "--steps", "0", "--final", "-"})
            .out;
    };
    EXPECT_EQ(start("5"), start("5"));
    EXPECT_NE(start("5"), start("6"));
}

TEST(Cli, untilStandsForSteps) {
    const Outcome o = runGravlab(
        {"run", "two-body", "--backend", "reference", "--dt", "0.1", "--until", "1", "--csv", "-", "--every", "1000"});
    ASSERT_EQ(o.code, 0) << o.err;
    const auto last = numbersOf(linesOf(o.out).back());
    EXPECT_EQ(last[0], 10);
    EXPECT_NEAR(last[1], 1, 1e-12);
    // The last step is shorter, but both runs of a twin end with a whole one, and the program says so.
    std::vector<std::string> longer{"run", "two-body", "--dt", "0.3", "--until", "1", "--csv", "-"};
    for (const char* integrator : {"leapfrog", "hermite4", "radau15", "block-leapfrog"}) {
        std::vector<std::string> words = longer;
        words.insert(words.end(), {"--integrator", integrator});
        const auto end = numbersOf(linesOf(runGravlab(words).out).back());
        EXPECT_EQ(end[0], 4) << integrator;
        EXPECT_NEAR(end[1], 1, 1e-15) << integrator;
    }
    longer.insert(longer.end(), {"--twin", "integrator=euler"});
    EXPECT_THAT(runGravlab(longer).err, HasSubstr("steps of 0.3 reach --until 1 at t = 1.2, where both runs end"));
    // Backwards, too.
    const Outcome back = runGravlab(
        {"run", "two-body", "--backend", "reference", "--dt", "-0.1", "--until", "-1", "--csv", "-", "--every", "1000"});
    ASSERT_EQ(back.code, 0) << back.err;
    const auto first = numbersOf(linesOf(back.out).back());
    EXPECT_EQ(first[0], 10);
    EXPECT_NEAR(first[1], -1, 1e-12);
    const std::vector<std::string> run{"run", "two-body", "--backend", "reference"};
    for (const std::vector<std::string>& wrong :
         {std::vector<std::string>{"--until", "-1"}, {"--until", "1", "--dt", "-0.1"}}) {
        std::vector<std::string> all = run;
        all.insert(all.end(), wrong.begin(), wrong.end());
        const Outcome never = runGravlab(all);
        EXPECT_EQ(never.code, 2);
        EXPECT_THAT(never.err, HasSubstr("never reached"));
    }
}

TEST(Cli, stepsThatCannotBeCountedAreRefused) {
    const ScratchFolder folder;
    const std::string saved = (folder / "s.hdf5").string(), end = (folder / "end.csv").string();
    if (runGravlab({"run", "six-body", "--steps", "10", "--final", saved}).code != 0) GTEST_SKIP() << "no HDF5";
    std::ofstream(end) << "old";
    for (const char* steps : {"9223372036854775807", "8000000000000000000"}) {
        const Outcome o = runGravlab({"run", saved, "--steps", steps, "--final", end});
        EXPECT_EQ(o.code, 2) << steps;
        EXPECT_THAT(o.err, HasSubstr("cannot be counted"));
        EXPECT_EQ(contentOf(end), "old");
    }
}

TEST(Cli, untilIsNeverReachedBackwards) {
    const ScratchFolder folder;
    const std::string saved = (folder / "s.hdf5").string();
    if (runGravlab({"run", "six-body", "--steps", "3", "--dt", "-0.01", "--final", saved}).code != 0)
        GTEST_SKIP() << "no HDF5";
    const Outcome o = runGravlab({"run", saved, "--until", "1"});
    EXPECT_EQ(o.code, 2);
    EXPECT_THAT(o.err, HasSubstr("runs backwards"));
}

TEST(Cli, anEnergyThatBeginsAtNothingIsStillCompared) {
    const ScratchFolder folder;
    std::ofstream(folder / "two.csv") << "x,y,z,vx,vy,vz,m\n-0.5,0,0,0,-1,0,1\n0.5,0,0,0,1,0,1\n";
    const Outcome o = runGravlab({"run", (folder / "two.csv").string(), "--integrator", "euler", "--dt", "0.5",
                                  "--softening", "0", "--steps", "4", "--csv", "-"});
    ASSERT_EQ(o.code, 0) << o.err;
    const std::vector<std::string> rows = linesOf(o.out);
    const std::vector<double> first = numbersOf(rows[1]), last = numbersOf(rows.back());
    ASSERT_EQ(first[4], 0);
    EXPECT_NEAR(last[11], last[4] / first[2], 1e-5 * std::abs(last[11])) << "against the kinetic energy of the start";
    EXPECT_GT(std::abs(last[11]), 0.1);
    EXPECT_THAT(o.err, HasSubstr("energy was not kept"));
}

TEST(Cli, filesWriteNothingToATerminalButText) {
    const ScratchFolder folder;
    std::ofstream(folder / "evil.toml") << "[view]\nscene = \"\\u001b]0;owned\\u0007\\u001b[2J\"\n";
    std::ofstream(folder / "x\x1b[2J.csv") << "x,y,z,m\n1,2,3,4\n";
    for (const std::vector<std::string>& words :
         {std::vector<std::string>{"run", (folder / "evil.toml").string(), "--steps", "1"},
          {"info", (folder / "x\x1b[2J.csv").string()},
          {"run", (folder / "x\x1b[2J.csv").string(), "--steps", "1"},
          {"run", (folder / "gone\x1b[2J.csv").string(), "--steps", "1"}}) {
        const Outcome o = runGravlab(words);
        EXPECT_EQ((o.out + o.err).find('\x1b'), std::string::npos) << words[0] << " " << words[1];
        EXPECT_EQ((o.out + o.err).find('\x07'), std::string::npos);
    }
}

TEST(Cli, aLawsNumberOrSignThatAFileHasNoUseForIsRefused) {
    const ScratchFolder folder;
    const std::string table = (folder / "t.csv").string(), charges = (folder / "c.hdf5").string();
    std::ofstream(table) << "x,y,z,m\n1,2,3,4\n2,2,3,4\n";
    const Outcome o = runGravlab({"run", table, "--steps", "1", "--exponent", "3"});
    EXPECT_EQ(o.code, 2);
    EXPECT_THAT(o.err, HasSubstr("--exponent belongs to the power law"));
    EXPECT_EQ(runGravlab({"run", table, "--steps", "1", "--law", "power-law", "--exponent", "3"}).code, 0);
    if (runGravlab({"run", "charges", "-n", "50", "--steps", "0", "--final", charges}).code != 0) GTEST_SKIP() << "no HDF5";
    EXPECT_EQ(runGravlab({"run", charges, "--steps", "1"}).code, 0);
    const Outcome heavy = runGravlab({"run", charges, "--steps", "1", "--law", "gravity"});
    EXPECT_EQ(heavy.code, 3);
    EXPECT_THAT(heavy.err, HasSubstr("mass below 0"));
}

TEST(Cli, relativeFilesBelongToTheFolderOfTheCaller) {
    const ScratchFolder folder;
    Start start{.folder = folder.path()};
    const Outcome o = runGravlab({"run", "two-body", "--steps", "2", "--final", "here.csv"}, start);
    EXPECT_EQ(o.code, 0) << o.err;
    EXPECT_TRUE(fs::exists(folder / "here.csv"));
    EXPECT_EQ(folder.entries(), 1u);
}

TEST(Cli, listsWalkTheTables) {
    const auto names = [](const char* what) {
        const Outcome o = runGravlab({"list", what, "--json"});
        EXPECT_EQ(o.code, 0) << o.err;
        std::vector<std::string> found;
        for (const Json& row : Json::parse(o.out))
            found.push_back(row.value("name", row.value("backend", row.value("key", ""))));
        return found;
    };
    EXPECT_THAT(names("backends"), testing::ElementsAre("reference", "cpu", "cuda"));
    EXPECT_THAT(names("kernels"), testing::IsSupersetOf({"plain", "simd-threads", "tiled"}));
    EXPECT_THAT(names("scenes"),
                testing::IsSupersetOf({"two-body", "figure-eight", "six-body", "cube", "plummer", "disc", "collision"}));
    EXPECT_THAT(names("integrators"), testing::Contains("leapfrog"));
    EXPECT_THAT(names("devices"), testing::SizeIs(3));
    EXPECT_THAT(names("keys"), testing::Contains("Space"));
    EXPECT_THAT(runGravlab({"list", "kernels"}).out, HasSubstr("tiled"));
    const std::string help = runGravlab({"list", "--help"}).out, refusal = runGravlab({"list"}).err;
    for (const char* table : {"devices", "backends", "kernels", "scenes", "laws", "integrators", "keys", "encoders",
                              "commands", "actions", "parameters", "lessons"}) {
        EXPECT_THAT(help, HasSubstr(table));
        EXPECT_THAT(refusal, HasSubstr(table));
        std::istringstream lines(runGravlab({"list", table}).out);
        for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100u) << table << ": " << line;
    }
}

TEST(Cli, benchGivesJsonWithTheNamedKeys) {
    const Outcome o =
        runGravlab({"bench", "--backend", "reference", "-n", "32,64", "--steps", "2", "--repeats", "2", "--format", "json"});
    ASSERT_EQ(o.code, 0) << o.err;
    const Json rows = Json::parse(o.out);
    ASSERT_EQ(rows.size(), 2u);
    for (const Json& row : rows) {
        for (const char* key : {"backend", "kernel", "n", "block", "unroll", "interactions_per_second", "gflops",
                                "ms_per_step", "rel_error_median", "rel_error_p999", "verified"})
            EXPECT_TRUE(row.contains(key)) << key;
        EXPECT_TRUE(row["verified"]);
        EXPECT_NEAR(row["gflops"].get<double>(), row["interactions_per_second"].get<double>() * 20e-9, 1e-9);
    }
    EXPECT_EQ(rows[0]["n"], 32);
    EXPECT_EQ(rows[1]["n"], 64);
}

TEST(Cli, aSceneFileHasTheFingerprintOfItsOptions) {
    const ScratchFolder folder;
    std::ofstream(folder / "x.toml") << "scene = \"plummer\"\nbodies = 90\ntime_step = 0.02\n";
    const Outcome file = runGravlab({"fingerprint", (folder / "x.toml").string()});
    const Outcome options = runGravlab({"fingerprint", "plummer", "-n", "90", "--dt", "0.02"});
    ASSERT_EQ(file.code, 0) << file.err;
    EXPECT_EQ(file.out, options.out);
    EXPECT_THAT(file.out, HasSubstr("dt 0.02, 16 steps"));
    EXPECT_EQ(runGravlab({"fingerprint", (folder / "x.toml").string(), "-n", "64"}).out,
              runGravlab({"fingerprint", "plummer", "-n", "64", "--dt", "0.02"}).out);
}

TEST(Cli, fingerprintsOfAllRowsAreATable) {
    const Outcome o = runGravlab({"fingerprint", "--all", "--backend", "reference", "--kernel", "plain", "--sizes", "1,2"});
    ASSERT_EQ(o.code, 0) << o.err;
    EXPECT_THAT(o.out, testing::StartsWith("kernel,law,precision,integrator,bodies,force,state,"));
    EXPECT_THAT(o.out, HasSubstr("\nplain,gravity,fp64,radau15,2,"));
}

TEST(Cli, benchWritesCsvToAFile) {
    const ScratchFolder folder;
    const Outcome o = runGravlab({"bench", "--backend", "cpu", "--kernel", "simd,naive", "-n", "64", "--steps", "2",
                                  "--repeats", "1", "--format", "csv", "-o", (folder / "b.csv").string()});
    ASSERT_EQ(o.code, 0) << o.err;
    const auto lines = linesOf(contentOf(folder / "b.csv"));
    ASSERT_EQ(lines.size(), 3u);
    EXPECT_THAT(lines[0], StartsWith("backend,device,kernel,n,block,unroll,interactions_per_second"));
    EXPECT_THAT(lines[1], HasSubstr(",simd,64,"));
    EXPECT_THAT(lines[2], HasSubstr(",naive,64,"));
}

TEST(CliReport, namesBuildMachineAndSettingsButNotTheHome) {
    const ScratchFolder home;
    const std::string folder = home.path().string();
    fs::create_directories(home / "settings" / "gravlab");
    std::ofstream(home / "settings" / "gravlab" / "config.toml") << "[scene]\nname = \"disc\"\n# " << folder << "/own.csv\n";
    const Outcome outcome =
        runGravlab({"report"}, {.environment = {"HOME=" + folder, "XDG_CONFIG_HOME=" + folder + "/settings",
                                                "GRAVLAB_FONT=" + folder + "/letters.ttf", "SECRET_OF_MINE=hidden"}});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    for (const char* part : {"\nProgram\ngravlab ", "\nSystem\n", "\nBackends and devices\n", "  reference ", "  cpu ",
                             "\nOpenGL without a window\n", "\nEncoders of films\n", "GRAVLAB_FONT=~/letters.ttf",
                             "~/settings/gravlab/config.toml", "name = \"disc\"", "# ~/own.csv"})
        EXPECT_THAT(outcome.out, testing::HasSubstr(part));
    EXPECT_THAT(outcome.out, testing::Not(testing::HasSubstr(folder)));
    EXPECT_THAT(outcome.out, testing::Not(testing::HasSubstr("SECRET_OF_MINE")));
}

/// Empty files stand in front of the libraries, so that they cannot be opened.
TEST(CliLibraries, aLibraryThatCannotBeOpenedIsNamedWithItsPackageWhereItIsNeeded) {
    const ScratchFolder folder;
    for (const char* library : {"libEGL.so.1", "libglfw.so.3"}) std::ofstream(folder / library).flush();
    const Start start{.folder = folder.path(), .environment = {"LD_LIBRARY_PATH=" + folder.path().string()}};
    EXPECT_EQ(runGravlab({"run", "two-body", "--steps", "1"}, start).code, 0) << "it needs no picture";
    const Outcome picture = runGravlab({"render", "two-body", "-o", "picture.png", "--size", "64x64"}, start);
    EXPECT_EQ(picture.code, static_cast<int>(ExitCode::noDevice)) << picture.err;
    EXPECT_THAT(picture.err, testing::HasSubstr("libEGL.so.1: file too short"));
    EXPECT_THAT(picture.err, testing::HasSubstr("apt install libegl1 libgl1-mesa-dri"));
    const Outcome window = runGravlab({"two-body", "--frames", "1", "--no-config"}, start);
    EXPECT_EQ(window.code, static_cast<int>(ExitCode::noDevice)) << window.err;
    EXPECT_THAT(window.err, testing::HasSubstr("libglfw.so.3: file too short"));
    EXPECT_THAT(window.err, testing::HasSubstr("apt install libglfw3 libx11-6 libgl1"));
}

/// A control group of the system's with a limit of memory; gone afterwards.
class MemoryGroup {
public:
    explicit MemoryGroup(std::uint64_t bytes) {
        const std::string name = "gravlab-test-" + std::to_string(::getpid());
        for (const auto& [parent, file] :
             {std::pair("/sys/fs/cgroup", "memory.max"), std::pair("/sys/fs/cgroup/memory", "memory.limit_in_bytes")}) {
            path_ = fs::path(parent) / name;
            std::error_code error;
            // The files of a group come with its folder; where they do not, this is none.
            if (fs::create_directory(path_, error) && fs::exists(path_ / file) &&
                (std::ofstream(path_ / file) << bytes << std::flush))
                return;
            fs::remove(path_, error);
        }
        path_.clear();
    }
    ~MemoryGroup() {
        std::error_code ignored;
        if (!path_.empty()) fs::remove(path_, ignored);
    }
    const fs::path& path() const { return path_; }

private:
    fs::path path_;
};

TEST(CliMemory, theLimitOfARealControlGroupIsMemory) {
    constexpr std::uint64_t kLimit = 300u << 20;
    const MemoryGroup group(kLimit);
    if (group.path().empty()) GTEST_SKIP() << "THE LIMIT IS NOT TESTED: no control group with memory can be made here";
    const ScratchFolder folder;
    const auto run = [&](const char* bodies) {
        const std::string said = (folder / "said").string();
        const std::string command = "echo $$ > '" + (group.path() / "cgroup.procs").string() + "' && exec " +
                                    GRAVLAB_BINARY + " run plummer -n " + bodies + " --steps 1 --backend cpu > '" + said +
                                    "' 2>&1";
        const int state = std::system(command.c_str());
        return std::pair(WIFEXITED(state) ? WEXITSTATUS(state) : -1, contentOf(said));
    };
    const auto [code, said] = run("1k");
    EXPECT_EQ(code, 0) << said;
    const auto [refused, why] = run("4M");
    EXPECT_EQ(refused, static_cast<int>(ExitCode::deviceFailure)) << why;
    double needed = 0, free = 0;
    const std::size_t at = why.rfind("4194304 bodies need ");
    ASSERT_NE(at, std::string::npos) << why;
    ASSERT_EQ(std::sscanf(why.c_str() + at, "4194304 bodies need %lf GB here; free are %lf GB here: ask for fewer bodies",
                          &needed, &free),
              2)
        << why;
    EXPECT_GT(needed, free);
    EXPECT_LE(free, static_cast<double>(kLimit) / 1e9) << "of the group, not of the machine";
    EXPECT_GT(free, 0.1);
}

/// An accuracy that no row can use is named.
TEST(Cli, runSaysWhyEveryPairIsComputed) {
    std::vector<std::string> arguments{"run", "plummer", "-n", "300",        "--backend",
                                       "cpu", "--steps", "1",  "--accuracy", "1e-3"};
    EXPECT_THAT(runGravlab(arguments).err, testing::Not(HasSubstr("every pair"))) << "few bodies need no tree";
    arguments.insert(arguments.end(), {"--precision", "fp64"});
    const Outcome said = runGravlab(arguments);
    EXPECT_EQ(said.code, 0) << said.err;
    EXPECT_THAT(said.err, HasSubstr("every pair is computed: kernel 'tree' cannot run"));
}

/// A force that depends on velocities is timed under an integrator that takes it.
TEST(Cli, benchVerifiesADrag) {
    const Outcome timed = runGravlab({"bench", "plummer", "--backend", "cpu", "-n", "300", "--term-kernel", "drag=all",
                                      "--repeats", "1", "--steps", "2"});
    EXPECT_EQ(timed.code, 0) << timed.err;
    EXPECT_THAT(timed.out, HasSubstr("drag:each-body"));
    EXPECT_THAT(timed.out, testing::Not(HasSubstr("NOT VERIFIED")));
}

}  // namespace
}  // namespace gravlab
