// The card of the first start and the pictures of scenes, in a real window.
#include "gui_fixture.h"
#include "layout.h"

#include <filesystem>

namespace gravlab::test {
namespace {

namespace fs = std::filesystem;

class WelcomeTest : public GuiTest {
protected:
    void SetUp() override {
        GuiTest::SetUp();
        greeted = half = true;
    }
    fs::path file() const { return folder / "config/gravlab/config.toml"; }
    void end() {
        key("ctrl+q");
        EXPECT_EQ(program->wait(patience), 0);
        fs::remove(folder / "status.json");
        window.clear();
    }
    void expectInside(const Json& now, const char* panel, std::initializer_list<const char*> controls) {
        const Box surface{0, 0, now.at("width"), now.at("height")}, box = boxOf(now.at("items").at(panel));
        EXPECT_TRUE(box.inside(surface)) << panel;
        for (const char* control : controls)
            EXPECT_TRUE(boxOf(now.at("items").at(control)).inside(box)) << control << " leaves " << panel;
    }
};

constexpr std::initializer_list<const char*> kOfCard = {"welcome_drop", "welcome_scenes", "welcome_lesson", "welcome_close"};

TEST_F(WelcomeTest, greetsOnceAndComesBackWhenAsked) {
    half = false;
    open({"plummer", "-n", "300", "--backend", "cpu", "--size", "1280x720"});
    waitForValue("welcome", true);
    const Json now = waitFor("the card", [](const Json& s) { return s.at("items").contains("welcome_close"); });
    expectInside(now, "panel/welcome", kOfCard);
    EXPECT_EQ(now.at("paused"), false);
    // The first click beside the card turns the view as usual.
    const double azimuth = now.at("camera").at("azimuth");
    const Box card = boxOf(now.at("items").at("panel/welcome"));
    EXPECT_GT(card.left, 800) << "it lies over the picture that it introduces";
    EXPECT_FALSE(now.at("items").contains("panel/measurements")) << "it has their place";
    const int x = static_cast<int>(0.5 * (card.left + card.right)), y = static_cast<int>(card.top) - 20;
    drag(x, y, x + 60, y, 1);
    waitForValue("welcome", false);
    waitFor("another view", [&](const Json& s) { return s.at("camera").at("azimuth") != azimuth; });
    click("menu/Help");
    click("menu/Help/welcome");
    waitForValue("welcome", true);
    key("Escape");
    waitForValue("welcome", false);
    end();
    // The choice is remembered; a configuration from before the card existed is not a first start, either.
    open({"--backend", "cpu"});
    EXPECT_EQ(status().at("welcome"), false);
    end();
}

TEST_F(WelcomeTest, isGoneWithTheFirstOtherAction) {
    open({"plummer", "-n", "300", "--backend", "cpu", "--size", "1280x720"});
    waitForValue("welcome", true);
    key("ctrl+plus");
    settle();
    EXPECT_EQ(status().at("welcome"), true) << "larger letters are for the card, too";
    key("c");
    waitForValue("welcome", false);
    key("ctrl+z");
    settle();
    EXPECT_EQ(status().at("welcome"), false) << "undo brings back what was done, and no greeting";
}

TEST_F(WelcomeTest, staysAwayFromLessonsAndFromWhoDoesNotWantIt) {
    greeted = false;
    open({"plummer", "-n", "300", "--backend", "cpu", "--size", "800x600"});
    EXPECT_EQ(status().at("welcome"), false);
    program.reset();
    fs::remove(folder / "status.json");
    fs::remove(file());
    window.clear();
    greeted = true;
    open({"plummer", "-n", "300", "--backend", "cpu", "--size", "800x600", "--no-config"});
    EXPECT_EQ(status().at("welcome"), false) << "it would come every time";
    program.reset();
    fs::remove(folder / "status.json");
    window.clear();
    open({"--lesson", "order", "--backend", "cpu", "--size", "800x600"});
    EXPECT_EQ(status().at("welcome"), false);
}

TEST_F(WelcomeTest, fitsSmallWindowsAndOffersWhatItSays) {
    half = false;
    open({"plummer", "-n", "300", "--backend", "cpu", "--size", "1280x720", "--ui-scale", "2"});
    Json now = waitFor("the card", [](const Json& s) { return s.at("items").contains("welcome_close"); });
    expectInside(now, "panel/welcome", kOfCard);
    xdotool({"windowsize", window, "800", "600"});
    waitForValue("height", 600);
    key("ctrl+minus");
    settle();
    expectInside(status(), "panel/welcome", {"welcome_close"});
    click("welcome_drop");
    waitFor("the tool", [](const Json& s) { return s.at("launch").at("on") == true && s.at("welcome") == false; });
}

TEST_F(WelcomeTest, picturesAreSearchedWalkedAndTaken) {
    open({"plummer", "-n", "300", "--backend", "cpu", "--size", "1280x720"});
    click("welcome_scenes");
    waitFor("the pictures",
            [](const Json& s) { return s.at("items").contains("scenes/plummer") && s.at("typing") == true; });
    EXPECT_EQ(status().at("welcome"), false);
    expectInside(status(), "panel/scenes", {"scenes_search", "scenes_close"});
    type("eight");
    waitFor("what is left", [](const Json& s) { return !s.at("items").contains("scenes/plummer"); });
    EXPECT_EQ(status().at("scene"), "plummer") << "letters are no commands here";
    key("Return");
    waitForValue("scene", "figure-eight");
    waitForValue("scenes", false);
    // One to the right of the present scene.
    key("ctrl+n");
    waitFor("the pictures", [](const Json& s) { return s.at("items").contains("scenes/figure-eight"); });
    key("Right");
    key("Return");
    waitForValue("scene", "two-body");
    key("ctrl+n");
    waitFor("the pictures", [](const Json& s) { return s.at("items").contains("scenes/two-body"); });
    key("Escape");
    waitForValue("scenes", false);
    EXPECT_EQ(status().at("scene"), "two-body");
    click("scenes");
    waitFor("the pictures", [](const Json& s) { return s.at("items").contains("scenes/two-body"); });
    click("scenes/lagrange");
    waitForValue("scene", "lagrange");
    EXPECT_EQ(status().at("gl_errors"), 0);
}

}  // namespace
}  // namespace gravlab::test
