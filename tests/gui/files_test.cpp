// Files in the window: quick save, opening, a refused file, and the files after a crash and a signal.
#include "gui_fixture.h"

#include "sim/io/snapshot.h"

#include <signal.h>

#include <fstream>
#include <thread>

namespace gravlab::test {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

class WindowFiles : public GuiTest {
protected:
    void SetUp() override {
        if (!fileFormat("hdf5").unavailable().empty()) GTEST_SKIP() << "this build has no HDF5";
        half = true;
        GuiTest::SetUp();
    }
    Arguments small(Arguments more) const {
        Arguments all = kSmall;
        all.insert(all.end(), more.begin(), more.end());
        return all;
    }
    std::vector<fs::path> stateFiles(const std::string& prefix) const {
        std::vector<fs::path> found;
        std::error_code error;
        for (const auto& entry : fs::directory_iterator(folder / "state/gravlab", error))
            if (entry.path().filename().string().starts_with(prefix) && entry.path().extension() == ".hdf5")
                found.push_back(entry.path());
        return found;
    }
    std::string log() const {
        std::ifstream file(folder / "gravlab.log");
        return {std::istreambuf_iterator<char>(file), {}};
    }
};

TEST_F(WindowFiles, savesAtAKeyAndOpensAgain) {
    open(kSmall);
    waitFor("some steps", [](const Json& s) { return s.at("step") > 5; });
    key("space");
    const Json paused = waitForValue("paused", true);
    key("ctrl+s");
    const std::string message =
        waitFor("a message", [](const Json& s) { return s.at("message") != ""; }).at("message").get<std::string>();
    ASSERT_TRUE(message.starts_with("Saved to ")) << message;
    const fs::path saved = message.substr(9, message.size() - 10);
    const Snapshot snapshot = readSnapshot(saved);
    EXPECT_EQ(snapshot.step, paused.at("step"));
    EXPECT_EQ(snapshot.bodies.size(), 300u);
    const fs::path kept = folder / "kept.hdf5";
    fs::rename(saved, kept);

    key("Escape");
    key("space");
    waitFor("more steps", [&](const Json& s) { return s.at("step") > paused.at("step").get<int>() + 5; });
    key("space");
    waitForValue("paused", true);
    key("ctrl+o");
    waitFor("the panel", [](const Json& s) { return s.at("files").at("shown") == true; });
    enter("open_path", kept.string());
    const Json opened = waitForValue("scene", "kept.hdf5");
    EXPECT_EQ(opened.at("step"), paused.at("step"));
    EXPECT_EQ(opened.at("time_step"), paused.at("time_step"));
    EXPECT_EQ(opened.at("files").at("shown"), false);
}

TEST_F(WindowFiles, whatACrashLeavesIsOfferedAndACleanEndLeavesNothing) {
    open(small({"--autosave", "0.2"}));
    for (int i = 0; i < 1000 && stateFiles("session-").empty(); ++i) std::this_thread::sleep_for(10ms);
    ASSERT_EQ(stateFiles("session-").size(), 1u);
    EXPECT_EQ(status().at("files").at("recover"), "");
    kill(program->id(), SIGKILL);
    program->wait(patience);
    fs::remove(folder / "status.json");
    window.clear();

    open(Arguments{"two-body", "--size", "1000x700", "--backend", "cpu"});
    const Json offered = waitFor("the offer", [](const Json& s) { return s.at("files").at("recover") != ""; });
    EXPECT_EQ(offered.at("scene"), "two-body") << "nothing is opened unasked";
    click("recover");
    const Json now = waitForValue("bodies", 300);
    EXPECT_GT(now.at("step"), 0);
    waitFor("no offer any more", [](const Json& s) { return s.at("files").at("recover") == ""; });
    key("ctrl+q");
    EXPECT_EQ(program->wait(patience), 0);
    EXPECT_TRUE(stateFiles("session-").empty());
}

TEST_F(WindowFiles, numbersThatStopBeingFinitePauseTheRunAndTheLastGoodStateIsOffered) {
    // After its first kick each body moves at 1e152 and leaves the range of numbers at about step 36,000.
    open({"two-body", "--backend", "reference", "--dt", "1e152", "--steps-per-frame", "1000", "--size", "1000x700"});
    const Json now = waitForValue("paused", true);
    EXPECT_NE(now.at("message").get<std::string>().find("Body 0 is not finite"), std::string::npos) << now.at("message");
    click("recover");
    const Json opened =
        waitFor("the good state", [](const Json& s) { return s.at("scene").get<std::string>().starts_with("session-"); });
    EXPECT_GT(opened.at("step"), 10000);
    EXPECT_LT(opened.at("step"), now.at("step"));
}

TEST_F(WindowFiles, aSignalSavesTheRunAndSaysHowToGoOn) {
    open(kSmall);
    kill(program->id(), SIGTERM);
    EXPECT_EQ(program->wait(patience), 143);
    ASSERT_EQ(stateFiles("run-plummer").size(), 1u);
    EXPECT_EQ(readSnapshot(stateFiles("run-plummer")[0]).bodies.size(), 300u);
    EXPECT_NE(log().find("continue with: gravlab " + stateFiles("run-plummer")[0].string()), std::string::npos) << log();
}

}  // namespace
}  // namespace gravlab::test
