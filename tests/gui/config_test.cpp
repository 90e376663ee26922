// Settings that the window keeps between sessions, in a real window.
#include "gui_fixture.h"

#include <signal.h>

#include <filesystem>
#include <fstream>

namespace gravlab::test {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

class ConfigTest : public GuiTest {
protected:
    fs::path file() const { return folder / "config/gravlab/config.toml"; }
    std::string text() const {
        std::ifstream stream(file());
        return {std::istreambuf_iterator<char>(stream), {}};
    }
    void end() {
        key("ctrl+q");
        EXPECT_EQ(program->wait(patience), 0);
        fs::remove(folder / "status.json");
        window.clear();
    }
};

TEST_F(ConfigTest, bringsBackSizePanelsSceneAndLook) {
    open({"--backend", "cpu"});
    key("9");
    waitForValue("scene", "figure-eight");
    key("j");
    key("ctrl+b");
    waitForValue("paper", true);
    key("ctrl+p");
    waitForValue("projector", true);
    xdotool({"windowsize", window, "900", "610"});
    waitForValue("width", 900);
    // A change is written a while after the last one, while the window is open.
    for (int i = 0; i < 1000 && text().find("figure-eight") == std::string::npos; ++i) settle();
    EXPECT_NE(text().find("name = \"figure-eight\""), std::string::npos) << text();
    end();
    EXPECT_NE(text().find("width = 900"), std::string::npos) << text();

    open({"--backend", "cpu"});
    const Json again = waitForValue("width", 900);
    EXPECT_EQ(again.at("height"), 610);
    EXPECT_EQ(again.at("scene"), "figure-eight");
    EXPECT_EQ(again.at("paper"), true);
    EXPECT_EQ(again.at("projector"), true);
    EXPECT_EQ(again.at("conservation").at("shown"), false);
    EXPECT_EQ(again.at("message"), "");
    end();

    const std::string before = text();
    open({"two-body", "--backend", "cpu", "--size", "800x600", "--no-config"});
    EXPECT_EQ(status().at("scene"), "two-body");
    EXPECT_EQ(status().at("projector"), false);
    end();
    EXPECT_EQ(text(), before);
}

TEST_F(ConfigTest, namesTheLineThatIsWrongAndWritesNothingWhereItMayNot) {
    fs::create_directories(file().parent_path());
    std::ofstream(file()) << "[scene]\nname = \"two-body\"\n[window]\nwidht = 3\n";
    // A file in place of the folder: even root cannot write there.
    open({"--backend", "cpu", "--size", "800x600"});
    const Json now = waitFor("a message", [](const Json& s) { return s.at("message") != ""; });
    EXPECT_NE(now.at("message").get<std::string>().find("config.toml, line 4"), std::string::npos) << now.at("message");
    EXPECT_EQ(now.at("scene"), "two-body");
    key("Escape");
    waitForValue("message", "");
    // The window may be writing at this moment.
    std::ofstream blocker;
    for (int i = 0; i < 100 && !blocker.is_open(); ++i) {
        fs::remove_all(file().parent_path());
        blocker.open(file().parent_path());
    }
    ASSERT_TRUE(blocker.is_open());
    key("j");
    const Json later = waitFor("one sentence", [](const Json& s) { return s.at("message") != ""; });
    EXPECT_NE(later.at("message").get<std::string>().find("is not kept"), std::string::npos) << later.at("message");
    key("space");
    waitForValue("paused", true);
    end();
}

/// A change of the last seconds is saved when the session ends.
TEST_F(ConfigTest, isWrittenWhenASignalOrTheDisplayEndsTheWindow) {
    const auto shown = [](const Json& s) { return s.at("conservation").at("shown").get<bool>(); };
    open({"two-body", "--backend", "cpu", "--size", "800x600"});
    key("j");
    waitFor("no strip", [&](const Json& s) { return !shown(s); });
    kill(program->id(), SIGTERM);
    EXPECT_EQ(program->wait(patience), 128 + SIGTERM);
    EXPECT_NE(text().find("conservation = false"), std::string::npos) << text();
    fs::remove(folder / "status.json");
    window.clear();

    open({"two-body", "--backend", "cpu", "--size", "800x600"});
    key("j");
    waitFor("the strip", shown);
    display.reset();
    EXPECT_EQ(program->wait(patience), 4);
    EXPECT_NE(text().find("conservation = true"), std::string::npos) << text();
}

}  // namespace
}  // namespace gravlab::test
