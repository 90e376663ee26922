// A lesson in a real window, with the input of a student: keys, clicks, and the program's reactions.
#include "gui_fixture.h"

namespace gravlab::test {
namespace {

class LessonWindow : public GuiTest {
protected:
    LessonWindow() { half = true; }
    Json waitForPhase(const std::string& phase) {
        return waitFor("phase " + phase, [&](const Json& s) { return s.at("lesson").at("phase") == phase; });
    }
};

TEST_F(LessonWindow, isGoneThroughByMouseAndKeys) {
    open({"two-body", "--size", "1280x720", "--backend", "cpu", "--lesson", "leapfrog"});
    Json now = waitForPhase("predict");
    EXPECT_EQ(now.at("lesson").at("name"), "leapfrog");
    EXPECT_FALSE(now.at("items").contains("panel/measurements")) << "the lesson stands in its place";
    click("lesson_choice/2");
    waitForPhase("act");
    click("lesson-show");
    const auto hurry = [&] { xdotool({"key", "period", "period", "period", "period"}); };
    hurry();
    now = waitForPhase("done");
    EXPECT_EQ(now.at("lesson").at("progress"), "leapfrog:1");
    click("lesson-next");
    waitFor("step 2", [](const Json& s) { return s.at("lesson").at("step") == 2; });
    // A teacher skips steps that were not done; the scene of the next step is loaded all the same.
    key("ctrl+Next");
    waitFor("step 3", [](const Json& s) { return s.at("lesson").at("step") == 3; });
    waitForPhase("predict");
    now = waitForValue("paused", true);
    click("lesson_choice/3");
    waitForPhase("act");
    choose("run.integrator", "euler");
    waitForValue("integrator", "euler");
    key("space");
    hurry();
    now = waitForPhase("done");
    EXPECT_GE(now.at("time"), 6.28);
    click("lesson-close");
    waitFor("the measurements", [](const Json& s) { return s.at("items").contains("panel/measurements"); });
}

TEST_F(LessonWindow, staysWhereAProjectorHasNoRoomForPanels) {
    open({"two-body", "--size", "1280x720", "--backend", "cpu", "--lesson", "own-kernel"});
    waitFor("the lesson", [](const Json& s) { return s.at("items").contains("panel/lesson"); });
    key("ctrl+p");
    const auto shows = [](const char* panel, const char* none) {
        return [panel, none](const Json& s) { return s.at("items").contains(panel) && !s.at("items").contains(none); };
    };
    waitFor("the lesson alone", shows("panel/lesson", "panel/controls"));
    click("controls_tab");
    waitFor("the controls in its place", shows("panel/controls", "panel/lesson"));
    click("measurements_tab");
    waitFor("the lesson again", shows("panel/lesson", "panel/controls"));
    // All pages of the lab are visible, none under another.
    const Json items = status().at("items");
    const std::vector<const char*> buttons{"lab_launch",     "lab_sweep",  "lab_matrix", "lab_ladder", "lab_recorded",
                                           "lab_calculator", "lab_memory", "lab_own",    "lab_close"};
    for (const char* a : buttons)
        for (const char* b : buttons) {
            if (a == b) continue;
            const std::vector<double> one = items.at(a).at("rect"), other = items.at(b).at("rect");
            EXPECT_TRUE(one[2] <= other[0] || other[2] <= one[0] || one[3] <= other[1] || other[3] <= one[1])
                << a << ", " << b;
        }
}

/// The projector of many classrooms: texts refer to a curve, so it is visible and covers nothing.
TEST_F(LessonWindow, hasItsCurvesAt1024x768) {
    half = false;
    open({"two-body", "--size", "1024x768", "--backend", "cpu", "--lesson", "leapfrog"});
    waitForPhase("predict");
    const std::vector<const char*> panels{"panel/lesson", "panel/conservation", "panel/controls"};
    const auto apart = [&](const Json& items) {
        for (const char* a : panels)
            for (const char* b : panels) {
                if (a == b || !items.contains(a) || !items.contains(b)) continue;
                const std::vector<double> one = items.at(a).at("rect"), other = items.at(b).at("rect");
                EXPECT_TRUE(one[2] <= other[0] || other[2] <= one[0] || one[3] <= other[1] || other[3] <= one[1])
                    << a << ", " << b;
            }
    };
    Json items =
        waitFor("the strip", [](const Json& s) { return s.at("items").contains("panel/conservation"); }).at("items");
    EXPECT_TRUE(items.contains("panel/lesson"));
    apart(items);
    const std::vector<double> strip = items.at("panel/conservation").at("rect");
    EXPECT_GT(strip[2] - strip[0], 550);
    key("ctrl+p");
    items = waitFor("large letters", [&](const Json& s) {
                return s.at("items").contains("panel/conservation") && s.at("items").contains("panel/lesson") &&
                       s.at("items").at("panel/conservation").at("rect") != items.at("panel/conservation").at("rect");
            }).at("items");
    apart(items);
    EXPECT_GT(
        items.at("panel/lesson").at("rect").at(3).get<double>() - items.at("panel/lesson").at("rect").at(1).get<double>(),
        300);
}

TEST_F(LessonWindow, isNotLeftByAnOfferOfTheNextScene) {
    open({"figure-eight", "--size", "1280x720", "--backend", "cpu", "--speed", "40", "--depth", "watch"});
    waitFor("the offer", [](const Json& s) { return s.at("items").contains("panel/story"); });
    key("ctrl+n");
    waitFor("the scenes alone",
            [](const Json& s) { return s.at("items").contains("panel/scenes") && !s.at("items").contains("panel/story"); });
    key("ctrl+n");
    waitFor("the offer again", [](const Json& s) { return s.at("items").contains("panel/story"); });
    key("F2");
    waitFor("the list alone",
            [](const Json& s) { return s.at("items").contains("lesson_row") && !s.at("items").contains("panel/story"); });
    key("Escape");
    waitFor("no list", [](const Json& s) { return !s.at("items").contains("panel/lesson"); });
}

TEST_F(LessonWindow, isChosenFromTheList) {
    open({"two-body", "--size", "1280x720", "--backend", "cpu"});
    key("F2");
    waitFor("the list", [](const Json& s) { return s.at("items").contains("lesson_row"); });
    key("F2");
    waitFor("no list", [](const Json& s) { return !s.at("items").contains("panel/lesson"); });
    click("menu/Help");
    waitFor("the menu", [](const Json& s) { return s.at("items").contains("menu/Help/lesson"); });
    click("menu/Help/lesson");
    waitFor("the lessons", [](const Json& s) { return s.at("items").contains("menu/Help/lesson/order"); });
    click("menu/Help/lesson/order");
    waitFor("the lesson", [](const Json& s) { return s.at("lesson").at("name") == "order"; });
    waitForPhase("act");
}

}  // namespace
}  // namespace gravlab::test
