// Menus, and every key and item of the table of actions, by real keys and clicks; also their layout.
#include "app/control/action.h"
#include "gui_fixture.h"
#include "layout.h"
#include "tests/paths.h"

#include <cctype>
#include <cstdlib>
#include <map>

namespace gravlab::test {
namespace {

using namespace std::chrono_literals;

const Arguments kMenus{"plummer", "-n", "60", "--size", "900x620", "--backend", "cpu", "--ui-scale", "1"};

class MenuTest : public GuiTest {
protected:
    void press(const Action& action);
    void clickItem(const Menu& menu, const Action& action);
    /// Closes all panels and menus, and waits until they are closed.
    void calm();
    void endFilm();
    /// A click without waiting for the item to rest.
    void tap(const std::string& item);
    /// Every row that does not end the window or change its size. Rows that change the scene come last, since others need
    /// bodies whose number can change.
    static std::vector<std::pair<const Menu*, const Action*>> rows();
};

/// The change of each action in the status file. A row that is not here is still tested: it must not end the program.
const std::map<std::string_view, std::string> kEffects{
    {"open", "/files/shown"},
    {"save", "/message"},
    {"save-scene", "/message"},
    {"picture", "/message"},
    {"record", "/film/active"},
    {"film", "/film/shown"},
    {"presets", "/scene"},
    {"scene-galaxies", "/scene"},
    {"scene-clusters", "/scene"},
    {"scene-famous", "/scene"},
    {"scene-laws", "/scene"},
    {"scene-next", "/scene"},
    {"scene-previous", "/scene"},
    {"more-bodies", "/bodies"},
    {"fewer-bodies", "/bodies"},
    {"next-seed", "/seed"},
    {"run", "/paused"},
    {"reverse", "/time_step"},
    {"faster", "/speed"},
    {"slower", "/speed"},
    {"longer-step", "/time_step"},
    {"shorter-step", "/time_step"},
    {"next-backend", "/backend"},
    {"next-kernel", "/kernel"},
    {"follow", "/message"},  // no body is selected, and a message says so
    {"follow-centre", "/follow_centre"},
    {"path-ahead", "/ahead"},
    {"remove", "/message"},
    {"hold", "/message"},
    {"coast", "/message"},
    {"drop-star", "/bodies"},
    {"drop-by-arrow", "/launch"},
    {"turn", "/rotation"},
    {"fly-path", "/message"},  // at most one view is remembered, and a message says so
    {"flat", "/orthographic"},
    {"four-views", "/four_views"},
    {"fly-ahead", "/camera/target"},
    {"fly-back", "/camera/target"},
    {"fly-left", "/camera/target"},
    {"fly-right", "/camera/target"},
    {"legend", "/overlay"},
    {"scale-and-clock", "/overlay"},
    {"axes", "/overlay"},
    {"grid", "/overlay"},
    {"next-colour-mode", "/colour_mode"},
    {"next-colour-map", "/colour_map"},
    {"trails", "/trails"},
    {"auto-exposure", "/auto_exposure"},
    {"brighter", "/exposure"},
    {"darker", "/exposure"},
    {"paper", "/paper"},
    {"lab", "/lab/open"},
    {"panels", "/panel"},
    {"conservation", "/conservation/shown"},
    {"instruments", "/instruments/shown"},
    {"picture-alone", "/visible"},
    {"full-screen", "/fullscreen"},
    {"projector", "/projector"},
    {"larger-text", "/text_scale"},
    {"smaller-text", "/text_scale"},
    {"display-sync", "/vsync"},
    {"menus", "/menu"},
    {"next-panel", "/navigating"},
    {"keys", "/help"},
    {"about", "/about"},
    {"welcome", "/welcome"},
    {"scenes", "/scenes"},
};

/// The key's name for xdotool.
std::string xName(Key key, int modifiers) {
    static const std::map<Key, std::string> names{
        {Key::space, "space"},   {Key{','}, "comma"},       {Key{'-'}, "minus"},        {Key{'.'}, "period"},
        {Key::equal, "equal"},   {Key::escape, "Escape"},   {Key::enter, "Return"},     {Key::tab, "Tab"},
        {Key::remove, "Delete"}, {Key::right, "Right"},     {Key::left, "Left"},        {Key::down, "Down"},
        {Key::up, "Up"},         {Key::pageUp, "Prior"},    {Key::pageDown, "Next"},    {Key::home, "Home"},
        {Key::end, "End"},       {Key{'['}, "bracketleft"}, {Key{']'}, "bracketright"}, {Key::padMinus, "KP_Subtract"},
        {Key::padPlus, "KP_Add"}};
    const int code = static_cast<int>(key);
    std::string name(1, static_cast<char>(std::tolower(code)));
    if (const auto found = names.find(key); found != names.end()) name = found->second;
    if (key >= Key::f1 && code < static_cast<int>(Key::f1) + 12)
        name = "F" + std::to_string(code - static_cast<int>(Key::f1) + 1);
    if (key >= Key::pad1 && key <= Key::pad9) name = "KP_" + std::to_string(code - static_cast<int>(Key::pad1) + 1);
    return std::string(modifiers & kControl ? "ctrl+" : "") + (modifiers & kAlt ? "alt+" : "") + name;
}

std::vector<std::pair<const Menu*, const Action*>> MenuTest::rows() {
    std::vector<std::pair<const Menu*, const Action*>> early, late;
    for (const Menu& menu : menus())
        for (const Action& action : menu.rows) {
            if (action.name == "quit" || action.name == "full-screen") continue;  // these have their own tests
            const auto effect = kEffects.find(action.name);
            (effect != kEffects.end() && effect->second == "/scene" ? late : early).emplace_back(&menu, &action);
        }
    early.insert(early.end(), late.begin(), late.end());
    return early;
}

void MenuTest::press(const Action& action) {
    for (const KeyStroke& stroke : action.strokes) {
        if (stroke.key == Key::none) continue;
        // The last of neighbouring keys: the scene of 9 is a small one.
        const std::string name = xName(stroke.last == Key::none ? stroke.key : stroke.last, stroke.modifiers);
        SCOPED_TRACE(std::string(action.name) + " by " + name);
        const auto effect = kEffects.find(action.name);
        const Json before = waitForValue("navigating", false);
        key(name);
        if (effect != kEffects.end()) {
            const Json::json_pointer at(effect->second);
            // An action that is not possible now shows a message instead.
            waitFor("an effect at " + effect->second, [&](const Json& s) {
                return s.at(at) != before.at(at) || (action.unavailable && s.at("message") != "");
            });
        }
        // Returns to a state in which the next key works.
        if (action.name == "picture-alone") key("Tab");
        if (action.name == "panels") key("g");
        if (action.name == "presets") {
            key("bracketleft");
            waitFor("the scene before", [](const Json& s) { return s.at("scene") != "figure-eight"; });
        }
        if (action.name == "record") endFilm();
        calm();
    }
}

TEST_F(MenuTest, everyKeyDoesWhatItSays) {
    // Keys need no room, and without a GPU the time of a frame goes to its pixels.
    open({"plummer", "-n", "60", "--size", "640x400", "--backend", "cpu", "--ui-scale", "1"});
    ASSERT_EQ(status().at("gl_watched"), true) << "errors of OpenGL would not be seen";
    for (const auto& [menu, action] : rows()) press(*action);
    EXPECT_EQ(status().at("gl_errors"), 0);
}

void MenuTest::endFilm() {
    key("ctrl+r");
    waitFor("the end of the film", [](const Json& s) { return s.at("film").at("active") == false; });
}

void MenuTest::calm() {
    const auto open = [](const Json& s) {
        return s.at("menu") == true || s.at("message") != "" || s.at("navigating") == true || s.at("help") == true ||
               s.at("welcome") == true || s.at("scenes") == true || s.at("about") == true || s.at("find") == true ||
               s.at("files").at("shown") == true || s.at("film").at("shown") == true;
    };
    for (int i = 0; i < 6 && open(status()); ++i) key("Escape");
    waitFor("everything to be closed", [&](const Json& s) { return !open(s); });
}

void MenuTest::tap(const std::string& item) {
    const Json now = waitFor("control " + item, [&](const Json& s) { return s.at("items").contains(item); });
    const Box box = boxOf(now.at("items").at(item));
    const int x = static_cast<int>(0.5 * (box.left + box.right)), y = static_cast<int>(0.5 * (box.top + box.bottom));
    xdotool({"mousemove", "--window", window, std::to_string(x), std::to_string(y), "mousedown", "1"});
    xdotool({"mouseup", "1"});
}

void MenuTest::clickItem(const Menu& menu, const Action& action) {
    const std::string title = "menu/" + std::string(menu.name), item = title + "/" + std::string(action.name);
    SCOPED_TRACE(item);
    const auto effect = kEffects.find(action.name);
    if (status().at("paused") == true) key("space");
    const Json before = waitFor("a window that runs, without menus",
                                [](const Json& s) { return s.at("paused") == false && s.at("menu") == false; });
    click(title);  // the bar may still be growing
    waitForValue("menu", true);
    if (!action.list.empty()) tap(title + "/" + std::string(action.list));
    const Json shown = waitFor("the item " + item, [&](const Json& s) { return s.at("items").contains(item); });
    bool enabled = shown.at("items").at(item).at("enabled").get<bool>();
    tap(item);
    if (hasChoices(action) && enabled) {
        // A late entry that needs no scrolling: the first may be the present choice.
        std::string last;
        const Json list = waitFor("its list", [&](const Json& s) {
            for (const auto& [name, entry] : s.at("items").items())
                if (name.starts_with(item + "/") && boxOf(entry).bottom < s.at("height").get<double>() - 12) last = name;
            return !last.empty();
        });
        enabled = list.at("items").at(last).at("enabled").get<bool>();
        tap(last);
    }
    if (enabled && effect != kEffects.end()) {
        const Json::json_pointer at(effect->second);
        waitFor("an effect at " + effect->second, [&](const Json& s) { return s.at(at) != before.at(at); });
    }
    if (enabled) waitFor("menus that close", [&](const Json& s) { return s.at("menu") == false || action.name == "menus"; });
    if (action.name == "larger-text" || action.name == "smaller-text" || action.name == "projector")
        waitFor("another size of the bar", [&](const Json& s) {
            return s.at("items").contains(title) &&
                   s.at("items").at(title).at("rect") != before.at("items").at(title).at("rect");
        });
    if (status().at("visible") == false) key("Tab");
    if (action.name == "record") endFilm();
    calm();
}

TEST_F(MenuTest, everyItemIsClicked) {
    if (!std::getenv("GRAVLAB_LONG_TESTS")) GTEST_SKIP() << "a minute in a real window: set GRAVLAB_LONG_TESTS=1";
    open(kMenus);
    for (const auto& [menu, action] : rows()) clickItem(*menu, *action);
    EXPECT_EQ(status().at("gl_errors"), 0);
    EXPECT_TRUE(program->running());
}

TEST_F(MenuTest, areWalkedByKeyboardAndLeft) {
    open(kMenus);
    key("F10");
    const auto shows = [&](const std::string& item) {
        waitFor("the menu with " + item, [&](const Json& s) { return s.at("items").contains(item); });
    };
    shows("menu/File/save");
    key("Right");
    shows("menu/Scene/presets");
    key("Right");  // on a list: opens it
    shows("menu/Scene/presets/galaxy");
    key("Left");
    waitFor("a closed list", [](const Json& s) { return !s.at("items").contains("menu/Scene/presets/galaxy"); });
    for (const char* item : {"File/save", "Help/about", "Window/panels", "Lab/lab", "Look/paper", "View/home", "Bodies/undo",
                             "Simulation/run"}) {
        key("Left");
        shows(std::string("menu/") + item);
    }
    EXPECT_EQ(status().at("paused"), false) << "an arrow in a menu is no command";
    key("Down");
    key("Up");
    key("Return");
    waitForValue("paused", true);
    waitForValue("menu", false);
    key("Alt_L");
    waitForValue("menu", true);
    key("F10");
    waitForValue("menu", false);
    key("space");
    waitForValue("paused", false);
}

/// The window manager handles Tab; the window sees Alt go down, loses the focus, and must not treat it as Alt alone.
TEST_F(MenuTest, stayClosedWhenAltLeadsToAnotherWindow) {
    open(kMenus);
    xdotool({"keydown", "Alt_L"});
    settle();
    xdotool({"windowunmap", window});
    waitForValue("width", 0);
    xdotool({"keyup", "Alt_L"});
    xdotool({"windowmap", window});
    waitForValue("width", 900);
    xdotool({"windowfocus", window});
    settle();
    EXPECT_EQ(status().at("menu"), false);
    key("space");
    waitForValue("paused", true);
}

TEST_F(MenuTest, panelsAreReachedByKeyboard) {
    open(kMenus);
    key("F6");
    waitForValue("navigating", true);
    key("Down");
    key("space");
    waitForValue("paused", true);
    key("Right");
    for (int press = 0; press < 2; ++press) {
        const auto step = status().at("step").get<std::int64_t>();
        key("space");
        waitFor("a step by the second button", [&](const Json& s) { return s.at("step") > step; });
    }
    EXPECT_EQ(status().at("paused"), true);
    key("Escape");
    waitForValue("navigating", false);
    key("space");
    waitForValue("paused", false);
    // Hidden panels release the keys.
    key("F6");
    waitForValue("navigating", true);
    key("g");
    waitForValue("panel", false);
    waitForValue("navigating", false);
    key("space");
    waitForValue("paused", true);
}

TEST_F(MenuTest, aBodysPanelStandsBelowTheMeasurements) {
    open({"plummer", "-n", "300", "--backend", "cpu", "--select", "5", "--size", "1280x720", "--ui-scale", "1"});
    const Json shown = waitFor("panels that stand clear", [](const Json& s) {
        return s.at("items").contains("panel/body") && layoutFaults(s).empty();
    });
    EXPECT_GT(boxOf(shown.at("items").at("panel/body")).top, boxOf(shown.at("items").at("panel/measurements")).bottom);
}

TEST_F(MenuTest, leavesMostOfASmallWindowToThePicture) {
    open({"two-body", "--backend", "cpu", "--size", "800x600", "--ui-scale", "1"});
    const Json shown = waitFor("the panels", [](const Json& s) {
        return s.at("items").contains("panel/conservation") && s.at("items").contains("panel/controls");
    });
    EXPECT_EQ(layoutFaults(shown), std::vector<std::string>{});
    EXPECT_LT(boxOf(shown.at("items").at("panel/controls")).right, 0.4 * 800);
    click("measurements_tab");
    const Json other =
        waitFor("the other panel", [](const Json& s) { return s.at("items").contains("panel/measurements"); });
    EXPECT_EQ(layoutFaults(other), std::vector<std::string>{});
    EXPECT_FALSE(other.at("items").contains("panel/controls"));
    click("controls_tab");
    waitFor("the first panel", [](const Json& s) { return s.at("items").contains("panel/controls"); });
    // A projector has larger letters, and all that was shown; the lab has the full width.
    xdotool({"windowsize", window, "1280", "720"});
    waitForValue("width", 1280);
    key("ctrl+p");
    const Json projector = waitFor("one panel at a time", [](const Json& s) {
        return s.at("projector") == true && s.at("items").contains("measurements_tab");
    });
    EXPECT_EQ(layoutFaults(projector), std::vector<std::string>{});
    EXPECT_TRUE(projector.at("items").contains("panel/conservation"));
    key("l");
    const Json lab = waitFor("the lab", [](const Json& s) { return s.at("items").contains("panel/lab"); });
    EXPECT_FALSE(lab.at("items").contains("panel/conservation"));
    EXPECT_GT(boxOf(lab.at("items").at("panel/lab")).right, 0.95 * 1280);
}

TEST_F(MenuTest, looksComposedAtTheUsualSizes) {
    open({"two-body", "--backend", "cpu", "--size", "1280x720", "--ui-scale", "1"});
    const Json shown = waitFor("the panels", [](const Json& s) { return s.at("items").contains("panel/conservation"); });
    EXPECT_EQ(layoutFaults(shown), std::vector<std::string>{});
    EXPECT_EQ(boxOf(shown.at("items").at("panel/menu")).right, 1280);
    EXPECT_EQ(boxOf(shown.at("items").at("panel/menu")).top, 0);
    Json wrong = shown;
    wrong["items"]["panel/controls"]["rect"][2] = 700;
    EXPECT_FALSE(layoutFaults(wrong).empty()) << "the comparison sees nothing";
    wrong = shown;
    wrong["items"].erase("run.kernel");
    EXPECT_FALSE(layoutFaults(wrong).empty()) << "the comparison sees nothing";

    xdotool({"windowsize", window, "1920", "1080"});
    const Json large = waitFor("a wide menu bar", [](const Json& s) {
        return s.at("width") == 1920 && boxOf(s.at("items").at("panel/menu")).right == 1920;
    });
    EXPECT_EQ(layoutFaults(large), std::vector<std::string>{});
    key("ctrl+p");
    waitForValue("projector", true);
    const Json projector = waitFor("higher letters", [&](const Json& s) {
        return boxOf(s.at("items").at("panel/menu")).bottom > 1.3 * boxOf(large.at("items").at("panel/menu")).bottom;
    });
    EXPECT_EQ(layoutFaults(projector), std::vector<std::string>{});
    xdotool({"windowsize", window, "800", "600"});
    waitForValue("width", 800);
    const Json last =
        waitFor("a bar as wide", [](const Json& s) { return boxOf(s.at("items").at("panel/menu")).right == 800; });
    EXPECT_LE(boxOf(last.at("items").at("menu/Help")).right, 800) << "large letters in a narrow window";
    key("Tab");
    waitFor("the picture alone", [](const Json& s) { return s.at("items").empty(); });
}

// A short run of tests/monkey.sh; start the long one by hand: tests/monkey.sh 10000 SEED build-dev/gravlab.

TEST_F(GuiTest, bearsRandomEvents) {
    if (!installed("Xvfb")) GTEST_SKIP() << "random clicks go to a virtual display only, and there is no Xvfb";
    Process monkey({GRAVLAB_SOURCE_DIR "/tests/monkey.sh", "150", "1", GRAVLAB_BINARY}, {}, folder / "gravlab.log");
    EXPECT_EQ(monkey.wait(280s), 0);
}

}  // namespace
}  // namespace gravlab::test
