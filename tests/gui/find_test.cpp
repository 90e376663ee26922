// The search of commands by real keys: words, arrows, Enter, and a value behind a setting's words.
#include "gui_fixture.h"

namespace gravlab::test {
namespace {

class FindTest : public GuiTest {
protected:
    FindTest() { half = true; }
    void search(const std::string& words) {
        key("F3");
        waitFor("the search", [](const Json& s) { return s.at("find") == true && s.at("typing") == true; });
        type(words);
    }
};

TEST_F(FindTest, doesWhatItsWordsMean) {
    open(kSmall);
    search("start again");
    const Json listed = waitFor("what was looked for", [](const Json& s) {
        return s.at("items").contains("find/reset") && !s.at("items").contains("find/quit");
    });
    EXPECT_GT(listed.at("step").get<int>(), 0) << "letters are no commands here";
    key("Return");
    waitForValue("find", false);
    EXPECT_EQ(status().at("message"), "");

    // A list has one line per row.
    search("colour map ember");
    waitFor("one row", [](const Json& s) { return !s.at("items").contains("find/reset"); });
    key("Escape");
    const Json left = waitForValue("find", false);
    EXPECT_EQ(left.at("typing"), false) << "the next key is a command, not text of a field that has gone";

    search("softening 0.125");
    waitFor("the setting", [](const Json& s) { return s.at("items").contains("find/run.softening"); });
    key("Return");
    waitForValue("softening", 0.125);

    // Without a value, Enter opens a field for it.
    search("time step");
    waitFor("settings", [](const Json& s) { return s.at("items").contains("find/run.time_step"); });
    click("find/run.time_step");
    settle();
    EXPECT_EQ(status().at("find"), true);
    type("0.003");
    waitFor("the setting alone", [](const Json& s) { return !s.at("items").contains("find/faster"); });
    key("Return");
    waitForValue("time_step", 0.003);
    EXPECT_EQ(status().at("message"), "");
}

TEST_F(FindTest, refusesWithTheSentenceOfTheRow) {
    open(kSmall);
    search("softening -1");
    waitFor("the setting", [](const Json& s) { return s.at("items").contains("find/run.softening"); });
    key("Return");
    waitFor("a refusal",
            [](const Json& s) { return s.at("message").get<std::string>().find("at least 0") != std::string::npos; });
}

TEST_F(FindTest, trailsComeAndGoWithTheSceneUntilSomebodySays) {
    open(kSmall);
    EXPECT_EQ(status().at("trails"), 0);
    choose("run.scene", "figure-eight");
    waitForValue("trails", 400);
    choose("run.scene", "plummer");
    waitForValue("trails", 0);
    key("t");
    waitForValue("trails", 400);
    choose("run.scene", "hernquist");
    waitForValue("scene", "hernquist");
    settle();
    EXPECT_EQ(status().at("trails"), 400) << "the user has said so";
}

}  // namespace
}  // namespace gravlab::test
