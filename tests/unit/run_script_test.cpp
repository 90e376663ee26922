// ./run on a machine without a display: which commands reach the program unchanged, and which become a film.
#include "app/commands/subcommand.h"
#include "cli_support.h"
#include "tests/paths.h"

#include <gmock/gmock.h>

namespace gravlab {
namespace {

/// A copy of the script beside an existing build: a program that answers `list` and `COMMAND --help` like the real one, and
/// records all other calls.
class RunScript : public ::testing::Test {
protected:
    void SetUp() override {
        fs::create_directories(folder_ / "third_party");
        fs::copy_file(GRAVLAB_SOURCE_DIR "/run", folder_ / "run");
        std::ofstream(folder_ / "third_party/setup.sh") << "build=" << folder_.path().string()
                                                        << "\ninstall_missing() { :; }\nconfigure_and_build() { :; }\n"
                                                           "gpu_architectures() { :; }\n";
        std::ofstream(folder_ / "gravlab")
            << "#!/bin/sh\ncase \"$1 $2\" in 'list commands' | *' --help') exec '" GRAVLAB_BINARY
               "' \"$@\" ;; esac\necho \"$*\" >> '"
            << folder_.path().string() << "/asked'\n";
        fs::permissions(folder_ / "gravlab", fs::perms::owner_all);
    }
    /// The recorded calls of the program, one line per start.
    std::vector<std::string> asked(const std::string& arguments) {
        fs::remove(folder_ / "asked");
        const std::string line =
            "cd '" + folder_.path().string() + "' && env -u DISPLAY -u WAYLAND_DISPLAY ./run " + arguments + " 2>&1";
        EXPECT_EQ(std::system(line.c_str()), 0) << arguments;
        return linesOf(contentOf(folder_ / "asked"));
    }
    ScratchFolder folder_;
};

TEST_F(RunScript, passesOnEveryCommandThatOpensNoWindow) {
    for (const CommandRow* row : commandRows()) {
        if (row->opensWindow) continue;
        const std::string command(row->name);
        EXPECT_THAT(asked(command + " -n 64 --seed 2"), testing::ElementsAre(command + " -n 64 --seed 2"));
        EXPECT_THAT(asked("--seed 2 " + command), testing::ElementsAre("--seed 2 " + command));
    }
    EXPECT_THAT(asked("--help"), testing::ElementsAre("--help"));
    EXPECT_THAT(asked("view --version"), testing::ElementsAre("view --version"));
}

TEST_F(RunScript, makesAFilmOfWhatWouldOpenAWindow) {
    for (const char* arguments : {"", "view", "disc -n 64", "view disc -n 64"}) {
        const std::vector<std::string> lines = asked(arguments);
        ASSERT_EQ(lines.size(), 1u) << arguments;
        EXPECT_TRUE(lines[0].starts_with("render -o gravlab")) << lines[0];
        const bool disc = std::string(arguments).find("disc") != std::string::npos;
        EXPECT_TRUE(lines[0].ends_with(disc ? "--ui disc -n 64" : "--ui")) << lines[0];
    }
}

/// Options that render would refuse with code 2 must not reach it.
TEST_F(RunScript, leavesOutOfTheFilmWhatIsForAWindow) {
    EXPECT_TRUE(asked("collision --autosave 2").front().ends_with("--ui collision"));
    EXPECT_TRUE(asked("--autosave=2 --no-welcome collision --speed 3 --seed 5")
                    .front()
                    .ends_with("--ui collision --speed 3 --seed 5"));
    EXPECT_TRUE(asked("view --fullscreen").front().ends_with("--ui"));
    EXPECT_TRUE(asked("disc --set thickness=0.2").front().ends_with("--ui disc --set thickness=0.2"));
    EXPECT_THAT(asked("--lesson leapfrog"), testing::ElementsAre("lesson leapfrog"));
    EXPECT_THAT(asked("view --lesson=leapfrog --autosave 1"), testing::ElementsAre("lesson leapfrog"));
    EXPECT_EQ(runGravlab({"render", "collision", "-o", "a.png", "--autosave", "2"}).code, 2)
        << "or there would be nothing to leave out";
}

TEST_F(RunScript, isToldOfEveryCommand) {
    const Outcome listed = runGravlab({"list", "commands", "--json"});
    ASSERT_EQ(listed.code, 0) << listed.err;
    for (const CommandRow* row : commandRows())
        EXPECT_THAT(listed.out, testing::HasSubstr("\"name\": \"" + std::string(row->name) + "\"")) << row->name;
}

}  // namespace
}  // namespace gravlab
