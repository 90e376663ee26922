// Files on the command line, by running the program: any format by content, exact continuation, convert, info, numbered
// snapshots, and every kind of thing that is not a file.
#include "cli_support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <cmath>
#include <nlohmann/json.hpp>

#include "sim/io/snapshot.h"
#include "tests/wrong_forces.h"

namespace gravlab {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using Json = nlohmann::json;

constexpr const char* kThreeBodies = "m,x,y,z,vx,vy,vz\n1,1,0,0,0,0.4,0\n1,-1,0,0,0,-0.4,0\n0.5,0,2,0,0.3,0,0\n";

TEST(CliFiles, aRunGoesOnExactlyWithItsOwnSettings) {
    if (!hasHdf5()) GTEST_SKIP() << "this build has no HDF5";
    const ScratchFolder folder;
    Start start{.folder = folder.path()};
    const std::vector<std::string> common{"run", "plummer", "-n", "300", "--integrator", "yoshida4", "--dt", "0.01"};
    const auto with = [](std::vector<std::string> words, const std::vector<std::string>& more) {
        words.insert(words.end(), more.begin(), more.end());
        return words;
    };
    ASSERT_EQ(runGravlab(with(common, {"--steps", "8", "--final", "whole.hdf5"}), start).code, 0);
    ASSERT_EQ(runGravlab(with(common, {"--steps", "3", "--final", "part.hdf5"}), start).code, 0);
    const Outcome rest = runGravlab({"run", "part.hdf5", "--until", "0.08", "--final", "rest.hdf5"}, start);
    ASSERT_EQ(rest.code, 0) << rest.err;
    EXPECT_THAT(rest.err, HasSubstr("continuing from step 3"));
    EXPECT_EQ(contentOf(folder / "whole.hdf5"), contentOf(folder / "rest.hdf5"));
    // A shorter last step is the same after a pause, and the time step stays for a run that goes on.
    for (const char* from : {"whole.hdf5", "part.hdf5"}) {
        const Outcome o = runGravlab({"run", from, "--until", "0.085", "--final", std::string("to ") + from}, start);
        ASSERT_EQ(o.code, 0) << o.err;
    }
    EXPECT_EQ(contentOf(folder / "to whole.hdf5"), contentOf(folder / "to part.hdf5"));
    EXPECT_THAT(runGravlab({"run", "to part.hdf5", "--steps", "1"}, start).out, HasSubstr("1 step of 0.01 to t = 0.095"));
    // What options set, they set.
    const Outcome other = runGravlab({"run", "part.hdf5", "--steps", "1", "--integrator", "rk4", "--dt", "0.5"}, start);
    EXPECT_THAT(other.out, AllOf(HasSubstr("with rk4"), HasSubstr("t = 0.53"))) << other.err;
}

TEST(CliFiles, anyFormatIsOpenedByItsContent) {
    const ScratchFolder folder;
    put(folder / "bodies.csv", kThreeBodies);
    for (const char* name : {"a.csv", "b.tab", "c.tipsy", "d.hdf5"}) {
        if (!hasHdf5() && std::string(name) == "d.hdf5") continue;
        const std::string file = (folder / name).string();
        ASSERT_EQ(runGravlab({"convert", (folder / "bodies.csv").string(), file}).code, 0) << name;
        fs::rename(file, folder / "unnamed");
        const Outcome o =
            runGravlab({"run", (folder / "unnamed").string(), "--backend", "reference", "--steps", "0", "--final", "-"});
        EXPECT_EQ(o.code, 0) << o.err;
        ASSERT_EQ(linesOf(o.out).size(), 4u) << name;
        const std::vector<double> body = numbersOf(linesOf(o.out)[3]);
        EXPECT_THAT(body, testing::Pointwise(testing::DoubleNear(1e-7), std::vector<double>{0.5, 0, 2, 0, 0.3, 0, 0}))
            << name;
    }
}

TEST(CliFiles, columnsUnitsAndBadBodies) {
    const ScratchFolder folder;
    put(folder / "t.txt", "7 1 0 0 4 5 6 2\n8 -1 0 0 4 5 6 3\n9 nan 0 0 4 5 6 3\n");
    const std::string file = (folder / "t.txt").string();
    const std::vector<std::string> run{
        "run", file, "--columns", "id,x,y,z,vx,vy,vz,m", "--steps", "0", "--backend", "reference", "--final", "-"};
    const Outcome refused = runGravlab(run);
    EXPECT_EQ(refused.code, 3);
    EXPECT_THAT(refused.err, AllOf(HasSubstr("body 2"), HasSubstr("line 3")));
    std::vector<std::string> sanitized = run;
    sanitized.push_back("--sanitize");
    const Outcome o = runGravlab(sanitized);
    ASSERT_EQ(o.code, 0) << o.err;
    ASSERT_EQ(linesOf(o.out).size(), 3u);
    EXPECT_EQ(numbersOf(linesOf(o.out)[2]), (std::vector<double>{3, -1, 0, 0, 4, 5, 6, 8})) << "with its id";
    sanitized.insert(sanitized.end(), {"--G", "0.5"});
    const Outcome own = runGravlab(sanitized);
    ASSERT_EQ(linesOf(own.out).size(), 4u);
    EXPECT_EQ(linesOf(own.out)[0], "# G = 0.5");
    EXPECT_EQ(numbersOf(linesOf(own.out)[3])[0], 3) << "as in the file";
    const Outcome unit = runGravlab({"run", file, "--units", "parsecs", "--steps", "0"});
    EXPECT_EQ(unit.code, 2);
    EXPECT_THAT(unit.err, HasSubstr("galactic"));
}

TEST(CliFiles, finalIsWrittenInTheFormatOfItsExtension) {
    const ScratchFolder folder;
    const std::pair<const char*, std::string> marks[] = {
        {"f.csv", "m,x,y,z"}, {"f.ply", "ply\n"}, {"f.hdf5", "\x89HDF\r\n"}, {"f.tab", ""}, {"f.tipsy", ""}};
    for (const auto& [name, mark] : marks) {
        if (!hasHdf5() && std::string(name) == "f.hdf5") continue;
        const Outcome o = runGravlab({"run", "two-body", "--steps", "1", "--final", (folder / name).string()});
        EXPECT_EQ(o.code, 0) << o.err;
        EXPECT_TRUE(contentOf(folder / name).starts_with(mark)) << name;
    }
    const Outcome o = runGravlab({"run", "two-body", "--steps", "1", "--final", (folder / "f.docx").string()});
    EXPECT_EQ(o.code, 2);
    EXPECT_THAT(o.err, AllOf(HasSubstr("f.docx"), HasSubstr(".tipsy")));
}

TEST(CliFiles, numberedSnapshotsComeAtTheirSteps) {
    const ScratchFolder folder;
    Start start{.folder = folder.path()};
    const Outcome o = runGravlab(
        {"run", "two-body", "--steps", "7", "--snapshot-every", "3", "--snapshots", "s %04d.csv", "--final", "end.csv"},
        start);
    ASSERT_EQ(o.code, 0) << o.err;
    EXPECT_EQ(folder.entries(), 4u);
    for (const char* name : {"s 0000.csv", "s 0003.csv", "s 0006.csv"})
        EXPECT_EQ(linesOf(contentOf(folder / name)).size(), 3u) << name;
    EXPECT_NE(contentOf(folder / "s 0003.csv"), contentOf(folder / "s 0006.csv"));
    // By time: at the nearest steps, t = 0, 0.6 and 1, whose last step is shorter; not at 0.9.
    const Outcome timed = runGravlab({"run", "two-body", "--dt", "0.3", "--until", "1", "--snapshot-every", "0.5T",
                                      "--snapshots", "t%d.csv", "--final", "at end.csv"},
                                     start);
    ASSERT_EQ(timed.code, 0) << timed.err;
    EXPECT_EQ(folder.entries(), 8u);
    for (const char* name : {"t0.csv", "t2.csv", "t4.csv"}) EXPECT_TRUE(fs::exists(folder / name)) << name;
    EXPECT_EQ(contentOf(folder / "t4.csv"), contentOf(folder / "at end.csv"));
    for (const char* pattern : {"s.csv", "%d%d.csv", "%s.csv", "%.3d.csv", "%n", "%99999d.csv", "%d.xyz"}) {
        const Outcome bad = runGravlab({"run", "two-body", "--steps", "1", "--snapshot-every", "1", "--snapshots", pattern});
        EXPECT_EQ(bad.code, 2) << pattern;
    }
}

TEST(CliFiles, snapshotsThatCannotBeSavedDoNotEndTheRunButItsCodeIs6) {
    const ScratchFolder folder;
    fs::create_directory(folder / "2.csv");
    const Outcome o = runGravlab({"run", "two-body", "--steps", "5", "--snapshot-every", "2", "--snapshots",
                                  (folder / "%d.csv").string(), "--final", (folder / "end.csv").string()});
    EXPECT_EQ(o.code, 6);
    EXPECT_THAT(o.err, AllOf(HasSubstr("/2.csv"), HasSubstr("1 snapshots could not be saved")));
    for (const char* name : {"0.csv", "4.csv", "end.csv"}) EXPECT_TRUE(fs::exists(folder / name)) << name;
}

TEST(CliFiles, aFolderForSnapshotsThatIsMissingIsFoundBeforeTheWork) {
    const ScratchFolder folder;
    for (const std::vector<std::string>& more :
         {std::vector<std::string>{"--snapshot-every", "500000000", "--snapshots", (folder / "gone/%d.csv").string()},
          {"--checkpoint", (folder / "gone/c.hdf5").string()}}) {
        std::vector<std::string> words{"run", "two-body", "--steps", "1000000000"};
        words.insert(words.end(), more.begin(), more.end());
        const Outcome o = runGravlab(words);
        EXPECT_EQ(o.code, 6) << o.err;
        EXPECT_THAT(o.err, HasSubstr("there is no folder"));
    }
    EXPECT_EQ(folder.entries(), 0u);
}

TEST(CliFiles, aRunWhoseForcesAreWrongLeavesWhatWasThere) {
    if (!fileFormat("hdf5").unavailable().empty()) GTEST_SKIP() << "this build has no HDF5";
    const ScratchFolder folder;
    testing_support::writeWrongForces(folder / "wrong.hdf5");
    put(folder / "end.csv", "old");
    const Outcome o =
        runGravlab({"run", (folder / "wrong.hdf5").string(), "--steps", "3", "--final", (folder / "end.csv").string()});
    EXPECT_EQ(o.code, 7) << o.err;
    EXPECT_THAT(o.err, HasSubstr("nothing of this run is to be trusted"));
    EXPECT_EQ(contentOf(folder / "end.csv"), "old");
}

TEST(CliFiles, bodiesThatMeetUnderAutomaticStepsAreNoResult) {
    const ScratchFolder folder;
    put(folder / "meet.csv", "x,y,z,vx,vy,vz,m\n-0.5,0,0,0,0,0,1\n0.5,0,0,0,0,0,1\n");
    put(folder / "end.csv", "old");
    const auto run = [&](const char* integrator, const char* softening) {
        return runGravlab({"run", (folder / "meet.csv").string(), "--softening", softening, "--integrator", integrator,
                           "--dt", "0.01", "--steps", "300", "--final", (folder / "end.csv").string()});
    };
    const Outcome wrong = run("radau15", "0");
    EXPECT_EQ(wrong.code, 7) << wrong.err;
    EXPECT_THAT(wrong.err, HasSubstr("--softening"));
    EXPECT_EQ(contentOf(folder / "end.csv"), "old");
    EXPECT_TRUE(fs::exists(folder / "end.csv.partial"));
    EXPECT_EQ(run("radau15", "0.1").code, 0);
    const Outcome fixed = run("leapfrog", "0");
    EXPECT_EQ(fixed.code, 0) << "what steps of a fixed length make of it is what was asked for";
    EXPECT_THAT(fixed.err, HasSubstr("the energy was not kept"));
}

TEST(CliFiles, orbitsThatFixedStepsDoNotFollowAreNotHidden) {
    const ScratchFolder folder;
    // Two suns on a wide orbit, and a planet whose orbit about one of them the other makes eccentric.
    put(folder / "triple.csv",
        "m,x,y,z,vx,vy,vz\n1,-3.241182749328679,-5.046302757468644,0,0.17172162047122516,-0.11043649029918869,"
        "-0.0009942085869846093\n0.001,-2.2511827493286787,-5.046302757468644,0,0.17172162047122516,0.06504461383657426,"
        "0.9942085869846092\n1,3.2434339320780077,5.051349060226113,0,-0.1718933420916964,0.11037144568535212,0\n");
    put(folder / "flyby.csv", "m,x,y,z,vx,vy,vz\n1,0,0,0,0,0,0\n1e-12,-10.05,0.01,0,20,0,0\n");
    put(folder / "ellipse.csv", "m,x,y,z,vx,vy,vz\n1,0,0,0,0,0,0\n1e-3,1.95,0,0,0,0.16,0\n");
    const auto run = [&](const char* file, std::vector<std::string> more) {
        more.insert(more.begin(), {"run", (folder / file).string(), "--softening", "0"});
        return runGravlab(more);
    };
    const Outcome chosen = run("triple.csv", {"--steps", "3"});
    EXPECT_THAT(chosen.out, HasSubstr("with radau15"));
    EXPECT_THAT(chosen.err, HasSubstr("body 2 goes about bodies 0 and 1"));
    EXPECT_THAT(run("triple.csv", {"--steps", "3", "--integrator", "leapfrog"}).out, HasSubstr("with leapfrog"));
    const Outcome kept = run("triple.csv", {"--steps", "3", "--precision", "fp32"});
    EXPECT_THAT(kept.out, HasSubstr("with leapfrog")) << "radau15 cannot run in single precision";
    EXPECT_THAT(kept.err, HasSubstr("--integrator radau15 chooses its own steps"));
    // An ellipse of eccentricity 0.95 in steps that miss its pericentre: the energy returns behind it.
    const Outcome missed = run("ellipse.csv", {"--dt", "0.002", "--until", "6.28", "--integrator", "leapfrog"});
    EXPECT_EQ(missed.code, 0) << missed.err;
    EXPECT_THAT(missed.out, HasSubstr(", largest "));
    EXPECT_THAT(missed.err, HasSubstr("on the way the energy changed by"));
    for (const char* integrator : {"leapfrog", "radau15"}) {
        const Outcome o =
            run("flyby.csv", {"--integrator", integrator, "--dt", "0.1", "--until", "1", "--csv", "-", "--every", "2"});
        double least = 1;
        for (const std::string& line : linesOf(o.out))
            if (line[0] != 's') least = std::min(least, numbersOf(line).at(19));
        EXPECT_NEAR(least, 0.0078, 0.004) << integrator << ": the column is the least distance on the path";
    }
}

TEST(CliFiles, aRunWhoseBondsStiffenGoesOnFromItsCheckpoint) {
    if (!hasHdf5()) GTEST_SKIP() << "this build has no HDF5";
    const ScratchFolder folder;
    put(folder / "two.csv", "m,x,y,z,vx,vy,vz\n1,0,0,0,-0.6,0,0\n1,1,0,0,0.6,0.1,0\n");
    put(folder / "bond.csv", "i,j,length,stiffness,damping,breaking,law\n0,1,1.0,5,0,0.15,fene\n");
    const std::string kept = (folder / "k.hdf5").string();
    const Outcome first = runGravlab({"run", (folder / "two.csv").string(), "--bonds", (folder / "bond.csv").string(),
                                      "--softening", "0.1", "--dt", "0.01", "--steps", "15", "--final", kept});
    EXPECT_EQ(first.code, 0) << first.err;
    const Outcome second = runGravlab({"run", kept, "--steps", "5"});
    EXPECT_EQ(second.code, 0) << second.err;
    EXPECT_EQ(runGravlab({"run", kept, "--steps", "5", "--dt", "0.02"}).code, 2) << "another time step is judged";
}

TEST(CliFiles, numbersOfATableAreFinite) {
    const ScratchFolder folder;
    put(folder / "two.csv", "m,x,y,z,vx,vy,vz\n1,0,0,0,0,0,0\n1,1,0,0,0,1,0\n");
    put(folder / "bond.csv", "i,j,length,stiffness,damping,breaking,law\n0,1,1,5,0,1e-300,fene\n");
    const std::string two = (folder / "two.csv").string();
    const Outcome bond = runGravlab({"run", two, "--bonds", (folder / "bond.csv").string(), "--softening", "0.1", "--dt",
                                     "1e-3", "--steps", "1", "--csv", "-"});
    EXPECT_EQ(bond.code, 0) << bond.err;
    EXPECT_TRUE(std::isfinite(numbersOf(linesOf(bond.out).back()).at(4))) << bond.out;
    const Outcome field = runGravlab({"run", two, "--field", "uniform,ax=1e308", "--steps", "1", "--csv", "-"});
    EXPECT_EQ(field.code, 5) << field.out;
    EXPECT_THAT(field.err, HasSubstr("not finite"));
}

TEST(CliFiles, changesOfAnEnergyAreNotHiddenByAConstant) {
    const ScratchFolder folder;
    put(folder / "pair.csv", "x,y,z,vx,vy,vz,m\n-0.5,0,0,0,-1,0,1\n0.5,0,0,0,1,0,1\n");
    const auto change = [&](const char* exponent) {
        const Outcome o = runGravlab({"run", (folder / "pair.csv").string(), "--law", "power-law", "--exponent", exponent,
                                      "--integrator", "euler", "--dt", "0.5", "--steps", "4", "--csv", "-"});
        EXPECT_EQ(o.code, 0) << o.err;
        return numbersOf(linesOf(o.out).back()).at(11);
    };
    const double logarithm = change("1");
    EXPECT_GT(logarithm, 0.1);
    for (const char* near : {"1.000001", "0.999999"}) {
        EXPECT_GT(change(near), 0.25 * logarithm) << near;
        EXPECT_LT(change(near), 4 * logarithm) << near;
    }
}

TEST(CliFiles, whatIsNoFileIsRefusedWithAReason) {
    const ScratchFolder folder;
    put(folder / "empty.csv", "");
    put(folder / "noise", std::string("\x01\x02\x03\x00\x04 zzz", 9));
    put(folder / "half.tipsy", std::string(40, '\x01'));
    ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
    fs::create_directory(folder / "folder.csv");
    fs::create_symlink(folder / "loop", folder / "loop");
    for (const char* name : {"empty.csv", "noise", "half.tipsy", "pipe", "folder.csv", "missing.csv", "loop"})
        for (const char* command : {"info", "run"}) {
            std::vector<std::string> words{command, (folder / name).string()};
            if (words[0] == "run") words.insert(words.end(), {"--steps", "1"});
            const Outcome o = runGravlab(words);
            EXPECT_EQ(o.code, 3) << command << " " << name << ": " << o.err;
            EXPECT_THAT(o.err, HasSubstr(name));
            EXPECT_EQ(linesOf(o.err).size(), 1u) << o.err;
        }
    const Outcome scene = runGravlab({"run", "plumer", "--steps", "1"});
    EXPECT_EQ(scene.code, 2);
    EXPECT_THAT(scene.err, AllOf(HasSubstr("did you mean 'plummer'"), HasSubstr("file of that name")));
    EXPECT_EQ(runGravlab({"run", (folder / "empty.csv").string(), "--steps", "1", "-n", "5"}).code, 2);
}

TEST(CliFiles, infoSaysWhatIsInAFile) {
    const ScratchFolder folder;
    put(folder / "bodies.csv", kThreeBodies);
    const Outcome o = runGravlab({"info", (folder / "bodies.csv").string(), "--json"});
    ASSERT_EQ(o.code, 0) << o.err;
    const Json json = Json::parse(o.out);
    EXPECT_EQ(json["format"], "csv");
    EXPECT_EQ(json["bodies"], 3);
    EXPECT_EQ(json["mass"], 2.5);
    EXPECT_FALSE(json["checkpoint"]);
    EXPECT_NEAR(json["centre_of_mass"][1].get<double>(), 0.4, 1e-15);
    EXPECT_THAT(runGravlab({"info", (folder / "bodies.csv").string()}).out, HasSubstr("bodies:           3"));
    if (!hasHdf5()) return;
    const std::string file = (folder / "r.hdf5").string();
    ASSERT_EQ(runGravlab({"run", "two-body", "--steps", "2", "--seed", "9", "--final", file}).code, 0);
    const Json run = Json::parse(runGravlab({"info", file, "--json"}).out);
    EXPECT_TRUE(run["checkpoint"]);
    EXPECT_EQ(run["step"], 2);
    EXPECT_EQ(run["seed"], 9);
    EXPECT_THAT(run["settings"].get<std::string>(), HasSubstr("scene = \"two-body\""));
}

TEST(CliFiles, infoSpeaksInTheUnitsOfTheFile) {
    const ScratchFolder folder;
    const std::string file = (folder / "galaxy.csv").string();
    put(file, "m [Msun],x [kpc],y [kpc],z [kpc],vx [km/s],vy [km/s],vz [km/s]\n5e10,0,0,0,0,0,0\n1e9,8,0,0,0,220,0\n");
    const Json json = Json::parse(runGravlab({"info", file, "--json"}).out);
    EXPECT_EQ(json["units"], "kpc, km/s, Msun");
    EXPECT_NEAR(json["mass"].get<double>() / 5.1e10, 1, 1e-12);
    EXPECT_NEAR(json["momentum"][1].get<double>() / 2.2e11, 1, 1e-12);
    EXPECT_FALSE(json.contains("notes")) << json["notes"];
    const std::string text = runGravlab({"info", file}).out;
    EXPECT_THAT(text, AllOf(HasSubstr("high:             [8.0,0.0,0.0] kpc\n"), HasSubstr("mass:             51000000000.0"),
                            HasSubstr(" Msun (km/s)^2\n")));
    EXPECT_EQ(Json::parse(runGravlab({"info", file, "--json", "--G", "2"}).out)["units"], "its own, where G = 2");
}

TEST(CliFiles, convertGoesThroughStandardInputAndOutput) {
    const ScratchFolder folder;
    put(folder / "bodies.csv", kThreeBodies);
    Start start{.input = folder / "bodies.csv"};
    const Outcome o = runGravlab({"convert", "-", "-"}, start);
    ASSERT_EQ(o.code, 0) << o.err;
    EXPECT_EQ(linesOf(o.out).size(), 4u);
    EXPECT_EQ(numbersOf(linesOf(o.out)[3])[2], 2);
    EXPECT_EQ(runGravlab({"convert", "-", "-"}).code, 3) << "nothing came";
    EXPECT_EQ(runGravlab({"convert", (folder / "bodies.csv").string()}).code, 2);
    EXPECT_EQ(runGravlab({"convert", (folder / "bodies.csv").string(), (folder / "x.xyz").string()}).code, 2);
    EXPECT_EQ(runGravlab({"convert", (folder / "bodies.csv").string(), "/nowhere/x.csv"}).code, 6);
}

TEST(CliFiles, namesMayHaveSpacesAndAnyLetters) {
    const ScratchFolder folder;
    const fs::path odd = folder.path() / "Z\xc3\xa4hlung 1 \xe6\x98\x9f $(x);'\"%n";
    fs::create_directory(odd);
    Start start{.folder = odd};
    put(odd / "in put.csv", kThreeBodies);
    const std::string out = (odd / "\xe2\x98\x85 out.csv").string();
    const Outcome o = runGravlab({"run", "in put.csv", "--steps", "1", "--final", out}, start);
    EXPECT_EQ(o.code, 0) << o.err;
    EXPECT_TRUE(fs::exists(out));
    EXPECT_EQ(runGravlab({"run", "in put.csv", "--steps", "1", "--final", std::string(5000, 'x') + ".csv"}, start).code, 6);
}

TEST(CliFiles, aDecimalCommaOfTheLocaleChangesNothing) {
    const ScratchFolder folder;
    put(folder / "bodies.csv", kThreeBodies);
    const std::vector<std::string> words{
        "run", (folder / "bodies.csv").string(), "--steps", "3", "--dt", "0.125", "--final", "-", "--backend", "reference"};
    const std::string usual = runGravlab(words).out;
    for (const char* name : {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8"}) {
        Start start{
            .environment = {std::string("LC_ALL=") + name, std::string("LC_NUMERIC=") + name, std::string("LANG=") + name}};
        EXPECT_EQ(runGravlab(words, start).out, usual) << name;
    }
    EXPECT_EQ(linesOf(usual).size(), 4u);
}

}  // namespace
}  // namespace gravlab
