// A run that is interrupted, killed or has infinite numbers loses nothing: its file continues exactly.
#include "cli_support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "sim/contact/contact.h"
#include "sim/io/snapshot.h"
#include "tests/paths.h"

namespace gravlab {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// The one file that the run left in its state folder, beside the list of recent files, which names that file alone.
fs::path leftIn(const fs::path& state) {
    std::vector<fs::path> found;
    std::error_code error;
    const fs::path recent = state / "gravlab/recent.txt";
    for (const auto& entry : fs::directory_iterator(state / "gravlab", error))
        if (entry.path() != recent) found.push_back(entry.path());
    EXPECT_EQ(found.size(), 1u);
    if (found.empty()) return {};
    EXPECT_EQ(contentOf(recent), "\"" + found[0].string() + "\"\n");
    return found[0];
}

void waitForLine(const StartedProgram& program, const std::string& text) {
    for (int i = 0; i < 1000 && program.errorsSoFar().find(text) == std::string::npos; ++i) ::usleep(10000);
}

ino_t inodeOf(const fs::path& file) {
    struct stat about {};
    return ::stat(file.c_str(), &about) == 0 ? about.st_ino : 0;
}

TEST(CliInterrupt, savesTheLastCompleteStepAndGoesOnExactly) {
    if (!hasHdf5()) GTEST_SKIP() << "this build has no HDF5";
    const ScratchFolder folder;
    for (const auto& [signal, code] : {std::pair{SIGINT, 130}, std::pair{SIGTERM, 143}, std::pair{SIGHUP, 129}}) {
        const fs::path state = folder.path() / std::to_string(code);
        fs::create_directory(state);
        Start start{.state = state};
        const std::vector<std::string> run{"run", "plummer", "-n", "2048", "--contact", "bounce", "--radius", "1e-4"};
        const auto with = [&](std::vector<std::string> options) {
            options.insert(options.begin(), run.begin(), run.end());
            return options;
        };
        StartedProgram program(with({"--steps", "1000000000", "--csv", (state / "e.csv").string(), "--events",
                                     (state / "contacts.csv").string()}),
                               start);
        waitForLine(program, "plummer");
        ::usleep(200000);
        program.send(signal);
        const Outcome o = program.wait();
        EXPECT_EQ(o.code, code) << o.err;
        const fs::path left = leftIn(state);
        EXPECT_THAT(o.err, HasSubstr("continue with: gravlab run " + left.string()));
        EXPECT_GE(linesOf(contentOf(state / "e.csv.partial")).size(), 2u) << "the rows so far are kept";
        EXPECT_THAT(o.err, HasSubstr("e.csv.partial"));
        EXPECT_EQ(linesOf(contentOf(state / "contacts.csv.partial")).front() + "\n", contactLogHeader());
        EXPECT_THAT(o.err, HasSubstr("contacts.csv.partial"));
        EXPECT_FALSE(fs::exists(state / "e.csv")) << "a part is no whole";
        const Snapshot snapshot = readSnapshot(left);
        const std::string steps = std::to_string(*snapshot.step + 2);
        const Outcome whole = runGravlab(with({"--steps", steps, "--final", "-"}));
        const Outcome rest = runGravlab({"run", left.string(), "--steps", "2", "--final", "-"});
        EXPECT_EQ(whole.out, rest.out) << rest.err;
    }
}

TEST(CliInterrupt, theFileMayBeNamedAndAFailureIsSaid) {
    if (!hasHdf5()) GTEST_SKIP() << "this build has no HDF5";
    const ScratchFolder folder;
    const auto interrupted = [&](const std::string& file, const Start& start) {
        std::vector<std::string> words{"run", "two-body", "--steps", "1000000000"};
        if (!file.empty()) words.insert(words.end(), {"--checkpoint", file});
        StartedProgram program(words, start);
        waitForLine(program, "two-body");
        fs::remove_all(folder / "gone");
        program.send(SIGTERM);
        return program.wait();
    };
    Start start{.state = folder.path()};
    EXPECT_EQ(interrupted((folder / "here.hdf5").string(), start).code, 143);
    EXPECT_TRUE(readSnapshot(folder / "here.hdf5").isCheckpoint());
    EXPECT_FALSE(fs::exists(folder / "gravlab"));
    fs::create_directory(folder / "gone");
    const Outcome failed = interrupted((folder / "gone/here.hdf5").string(), start);
    EXPECT_EQ(failed.code, 143);
    EXPECT_THAT(failed.err, HasSubstr("could not be saved"));
    // A state folder that cannot be made.
    std::ofstream(folder / "gravlab") << "in the way";
    EXPECT_THAT(interrupted("", start).err, AllOf(HasSubstr("could not be saved"), HasSubstr("gravlab")));
    EXPECT_EQ(runGravlab({"run", "two-body", "--steps", "1", "--checkpoint", "x.csv"}).code, 2);
}

TEST(CliInterrupt, whoAsksTwiceIsNotKeptWaiting) {
    // The energy of that many bodies takes the host a minute, during which signals are not checked.
    const ScratchFolder folder;
    StartedProgram program(
        {"run", "plummer", "-n", "262144", "--backend", "cpu", "--steps", "5", "--csv", (folder / "energy.csv").string()},
        {});
    waitForLine(program, "plummer");
    program.send(SIGINT);
    ::usleep(700000);
    program.send(SIGTERM);
    const Outcome o = program.wait();
    EXPECT_EQ(o.code, 143) << "the second signal's, at once, and not the first's after the sum";
    EXPECT_THAT(o.err, Not(HasSubstr("continue with"))) << "it waited until it could save";
}

TEST(CliInterrupt, aFigureKeepsItsPoints) {
    const ScratchFolder folder;
    StartedProgram program({"bench", "two-body", "--figure", "energy-dt", "--precision", "fp64", "--integrator", "leapfrog",
                            "--dt", "1,1e-6", "--until", "9", "-o", "e.png"},
                           {.folder = folder.path()});
    waitForLine(program, "point 1 of 2");
    program.send(SIGINT);
    const Outcome o = program.wait();
    EXPECT_EQ(o.code, 130);
    EXPECT_THAT(o.err, HasSubstr("interrupted; the points so far are in e.csv.partial"));
    const std::vector<std::string> lines = linesOf(contentOf(folder / "e.csv.partial"));
    ASSERT_EQ(lines.size(), 2u) << "the point that was measured, and not the one under way";
    EXPECT_EQ(lines[1].substr(0, 11), "leapfrog,1,");
    EXPECT_EQ(folder.entries(), 1u);
    EXPECT_EQ(
        runGravlab({"bench", "--figure", "energy-dt", "--from", "e.csv.partial", "-o", "e.png"}, {.folder = folder.path()})
            .code,
        0);
}

TEST(CliInterrupt, aSignalThatComesTwiceAtOnceIsOneAsk) {
    if (!hasHdf5()) GTEST_SKIP() << "this build has no HDF5";
    const ScratchFolder folder;
    const std::string kept = (folder / "kept.hdf5").string();
    StartedProgram program({"run", "plummer", "-n", "2048", "--steps", "1000000000", "--checkpoint", kept}, {});
    waitForLine(program, "plummer");
    for (const int signal : {SIGTERM, SIGTERM, SIGINT}) {  // as `timeout` and job systems do
        program.send(signal);
        ::usleep(2000);
    }
    const Outcome o = program.wait();
    EXPECT_EQ(o.code, 143) << o.err;
    EXPECT_TRUE(readSnapshot(kept).isCheckpoint());
}

TEST(CliInterrupt, aBlowUpNamesTheBodyAndKeepsTheLastGoodState) {
    if (!hasHdf5()) GTEST_SKIP() << "this build has no HDF5";
    const ScratchFolder folder;
    const std::string kept = (folder / "kept.hdf5").string();
    // After its first kick each body flies on at 1e152 and leaves the range of numbers at about step 36,000.
    const Outcome o = runGravlab({"run", "two-body", "--backend", "reference", "--dt", "1e152", "--steps", "1000000",
                                  "--checkpoint", kept, "--final", (folder / "f.csv").string()});
    EXPECT_EQ(o.code, 5);
    EXPECT_THAT(o.err, AllOf(HasSubstr("body 0 is not finite at step"), HasSubstr(kept)));
    const Snapshot snapshot = readSnapshot(kept);
    const std::int64_t found = std::stoll(o.err.substr(o.err.find("finite at step") + 14));
    EXPECT_GT(*snapshot.step, 10000);
    EXPECT_LE(found - *snapshot.step, 1000);
    EXPECT_FALSE(fs::exists(folder / "f.csv"));
}

TEST(CliInterrupt, autosaveSurvivesKill9AndLeavesNoTornFile) {
    if (!hasHdf5()) GTEST_SKIP() << "this build has no HDF5";
    const ScratchFolder folder;
    const fs::path file = folder / "auto.hdf5";
    std::int64_t step = 0;
    for (int round = 0; round < 12; ++round) {
        const std::string from = fs::exists(file) ? file.string() : "plummer";
        std::vector<std::string> words{"run",        from,    "--steps",      "1000000000",
                                       "--autosave", "0.001", "--checkpoint", file.string()};
        if (from == "plummer") words.insert(words.end(), {"-n", "3000"});
        StartedProgram program(words, {});
        // At least two saves a round, the first of which may be of where it began, then at any moment of the next ones.
        ino_t last = inodeOf(file);
        for (int i = 0, saves = 0; i < 2500 && saves < 2; ++i) {
            ::usleep(2000);
            const ino_t now = inodeOf(file);
            saves += now != std::exchange(last, now) ? 1 : 0;
        }
        ::usleep(static_cast<useconds_t>(7919 * round % 20000));
        program.send(SIGKILL);
        EXPECT_EQ(program.wait().code, 137);
        const Snapshot snapshot = readSnapshot(file);
        EXPECT_EQ(snapshot.bodies.size(), 3000u);
        EXPECT_GE(*snapshot.step, step);
        step = *snapshot.step;
    }
    EXPECT_GT(step, 0);
    EXPECT_EQ(runGravlab({"run", file.string(), "--steps", "1", "--final", (folder / "f.csv").string()}).code, 0);
    // The file, the one before it and the result: what the dead left half-written is gone.
    EXPECT_EQ(folder.entries(), 3u);
}

TEST(CliInterrupt, aClosedPipeIsCode6AndNotADeath) {
    const ScratchFolder folder;
    // The reader goes away at once: bash's exit code is that of the last command, PIPESTATUS that of ours.
    const std::string command =
        std::string(GRAVLAB_BINARY) +
        " run plummer -n 64 --steps 20000 --csv - 2>/dev/null | head -1 >/dev/null; echo ${PIPESTATUS[0]} > " +
        (folder / "code").string();
    ASSERT_EQ(std::system(("bash -c '" + command + "'").c_str()), 0);
    EXPECT_EQ(contentOf(folder / "code"), "6\n");
}

}  // namespace
}  // namespace gravlab
