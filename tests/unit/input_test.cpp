// Pointer and keys, by synthetic events without a window or a display.
#include "app/ui/input.h"
#include "app/control/action.h"
#include "app/frontends/window/displays.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

namespace gravlab {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Layout =
    std::map<char, char>;  ///< characters that a key prints where a US keyboard prints another; 0: no ASCII character

// Keys that print other characters than a US keyboard, without Shift.
const Layout kUs{};
const Layout kAzerty{{'Q', 'A'}, {'W', 'Z'}, {'A', 'Q'}, {'Z', 'W'}, {';', 'M'}, {'M', ','}, {',', ';'}, {'.', ':'},
                     {'/', '!'}, {'1', '&'}, {'2', 0},   {'3', '"'}, {'4', 39},  {'5', '('}, {'6', '-'}, {'7', 0},
                     {'8', '_'}, {'9', 0},   {'0', 0},   {'-', ')'}, {'[', '^'}, {']', '$'}, {39, 0}};
const Layout kQwertz{{'Y', 'Z'}, {'Z', 'Y'}, {'[', 0}, {']', '+'}, {';', 0}, {39, 0}, {'-', 0}, {'=', 0}, {'/', '-'}};
const Layout kDvorak{{'Q', 39},  {'W', ','}, {'E', '.'}, {'R', 'P'}, {'T', 'Y'}, {'Y', 'F'}, {'U', 'G'},
                     {'I', 'C'}, {'O', 'R'}, {'P', 'L'}, {'S', 'O'}, {'D', 'E'}, {'F', 'U'}, {'G', 'I'},
                     {'H', 'D'}, {'J', 'H'}, {'K', 'T'}, {'L', 'N'}, {';', 'S'}, {39, '-'},  {'Z', ';'},
                     {'X', 'Q'}, {'C', 'J'}, {'V', 'K'}, {'B', 'X'}, {'N', 'B'}, {',', 'W'}, {'.', 'V'},
                     {'/', 'Z'}, {'[', '/'}, {']', '='}, {'-', '['}, {'=', ']'}};

class InputTest : public testing::Test {
protected:
    Key printedAt(Key physical) const {
        const auto other = layout.find(static_cast<char>(physical));
        const char printed = physical >= Key::escape ? 0
                             : other == layout.end() ? static_cast<char>(physical)
                             : other->second == '+'  ? '='  // one row for both
                                                     : other->second;
        return static_cast<Key>(printed);
    }
    KeyEvent event(Key physical, int modifiers = kNoModifier) const {
        return {.physical = physical, .printed = printedAt(physical), .modifiers = modifiers};
    }
    /// The commands that a press and its release post. A frame of the panels follows.
    std::string press(char physical, int modifiers = kNoModifier) { return press(static_cast<Key>(physical), modifiers); }
    std::string press(Key physical, int modifiers = kNoModifier) {
        posted.clear();
        KeyEvent key = event(physical, modifiers);
        input.take(key);
        const std::string text = posted.empty() ? "" : posted.front();
        key.down = false;
        input.take(key);
        input.resume();
        return text;
    }
    /// The same key on a US keyboard.
    std::string us(char key, int modifiers = kNoModifier) {
        const Layout now = std::exchange(layout, kUs);
        const std::string text = press(key, modifiers);
        layout = now;
        return text;
    }
    void pointer(PointerEvent::Change change, glm::vec2 at = {0, 0}, int button = kLeftButton, double time = 0) {
        input.take(PointerEvent{.change = change, .at = at, .button = button, .time = time});
    }
    void moveTo(float x, float y) { pointer(PointerEvent::Change::move, {x, y}); }
    void down(int button = kLeftButton, double time = 0) { pointer(PointerEvent::Change::press, {}, button, time); }
    void up(int button = kLeftButton) { pointer(PointerEvent::Change::release, {}, button); }
    std::vector<PointerKind> takeKinds() { return std::exchange(kinds, {}); }

    Layout layout;
    Document document;
    PanelFocus focus;
    std::vector<std::string> posted;
    std::vector<PointerKind> kinds;
    Input input{document, document.ui,
                [this](const Command& command, Sender) {
                    posted.push_back(commandText(command));
                    if (const auto* pointed = std::get_if<Pointer>(&command)) kinds.push_back(pointed->kind);
                },
                [this] { return focus; }};

    void SetUp() override {
        input.setLayout([this](Key physical) { return printedAt(physical); });
        input.setSurface({800, 600});
    }
};

/// In a slow frame a click on a text field and what is typed into it arrive together.
TEST_F(InputTest, keysAfterAPressWaitUntilThePanelsHaveSeenIt) {
    focus = {.pointer = true, .unseen = true};
    down();
    up();
    EXPECT_EQ(press('G'), "") << "it may belong to a field";
    KeyEvent flies = event(Key{'W'});
    input.take(flies);
    input.resume();
    EXPECT_THAT(posted, IsEmpty()) << "the panels have made no frame yet";
    focus.unseen = false;
    input.resume();
    ASSERT_FALSE(posted.empty()) << "the press was not on a field";
    EXPECT_EQ(posted.front(), us('G'));
    EXPECT_TRUE(input.holdsKeys()) << "W is down";
    flies.down = false;
    input.take(flies);
    EXPECT_FALSE(input.holdsKeys());
    focus.unseen = true;
    for (const char key : {'G', ' '}) EXPECT_EQ(press(key), "");
    focus = {.pointer = true, .typing = true};
    input.resume();
    EXPECT_THAT(posted, IsEmpty()) << "the text is the field's";
    focus = {.unseen = true};
    press('G');
    focus = {};
    input.take(FocusEvent{false});
    input.resume();
    EXPECT_THAT(posted, IsEmpty()) << "the keyboard has gone";
}

/// In a slow frame a key that opens a field and the text for it arrive together.
TEST_F(InputTest, eventsAfterAKeyThatMovesTheKeyboardWaitForItsFrames) {
    std::vector<std::string> passed;
    Input queue{document, document.ui, [this](const Command& command, Sender) { posted.push_back(commandText(command)); },
                [this] { return focus; },
                [&](const InputEvent& event) {
                    if (const auto* text = std::get_if<TextEvent>(&event)) passed.emplace_back(1, char(text->letter));
                    if (const auto* key = std::get_if<KeyEvent>(&event))
                        passed.push_back((key->down ? "+" : "-") + std::to_string(static_cast<int>(key->physical)));
                }};
    const auto type = [&](char letter) {
        KeyEvent key = event(static_cast<Key>(letter));
        queue.take(key);
        queue.take(TextEvent{static_cast<unsigned>(letter)});
        key.down = false;
        queue.take(key);
    };
    queue.take(event(Key::f3));
    type('G');
    EXPECT_THAT(posted, ElementsAre("do find"));
    EXPECT_THAT(passed, ElementsAre("+292")) << "the panels have no field yet";
    EXPECT_TRUE(queue.pending());
    focus = {.unseen = true};  // a frame later the field asks for the keyboard
    queue.resume();
    queue.resume();
    EXPECT_THAT(passed, testing::SizeIs(1));
    focus = {.typing = true};
    queue.resume();
    EXPECT_THAT(posted, testing::SizeIs(1)) << "G is text";
    EXPECT_THAT(passed, ElementsAre("+292", "+71", "G", "-71"));
    EXPECT_FALSE(queue.pending());
    // Enter ends the text: the panels post a command that closes the field, and a frame applies it.
    queue.take(event(Key::enter));
    type('G');
    focus.changing = true;
    queue.resume();
    EXPECT_THAT(posted, testing::SizeIs(1));
    focus = {};
    queue.resume();
    EXPECT_THAT(posted, ElementsAre("do find", "do panels"));
    // Panels may post in each frame; events still wait for four frames at most.
    focus = {.changing = true};
    queue.take(event(Key::f10));
    type('H');
    for (int frames = 0; queue.pending(); ++frames) {
        ASSERT_LT(frames, 10);
        queue.resume();
    }
    // Whoever leaves the window takes the text along, but no key stays down.
    focus = {.unseen = true};
    passed.clear();
    type('G');
    queue.take(FocusEvent{false});
    focus = {};
    queue.resume();
    EXPECT_THAT(passed, ElementsAre("-71"));
}

/// On a French keyboard no character of a row is printed on digits and brackets: the key's position counts.
TEST_F(InputTest, frenchKeysWithoutARowActByTheirPlace) {
    layout = kAzerty;
    for (const int modifiers : {0, int{kControl}, int{kAlt}})
        for (const char digit : {'1', '2', '3', '4', '5', '7', '8', '9'}) {
            EXPECT_NE(us(digit, modifiers), "") << digit;
            EXPECT_EQ(press(digit, modifiers), us(digit, modifiers)) << digit << " with " << modifiers;
        }
    for (const char key : {'.', '[', ']', '-'}) EXPECT_EQ(press(key), us(key)) << key;
    EXPECT_EQ(press('.', kControl), us('.', kControl));
    EXPECT_EQ(press('6'), us('-')) << "a minus is printed there";
    EXPECT_EQ(press('6', kShift), us('6')) << "and 6 with Shift";
    EXPECT_EQ(press('6', kAlt), us('6', kAlt)) << "Alt - has no row";
    EXPECT_EQ(press('M'), us(',')) << "what is printed goes before the place";
    EXPECT_EQ(press(';'), us('M'));
}

TEST_F(InputTest, aPrintedLetterWithoutARowIsNeverAnotherOne) {
    ASSERT_NE(us('Q', kControl), "") << "Ctrl Q ends the program";
    layout = kAzerty;
    EXPECT_EQ(press('Q', kControl), us('A', kControl)) << "A is printed there";
    EXPECT_EQ(press('A', kControl), us('Q', kControl));
    layout = kDvorak;
    for (char place = 'A'; place <= 'Z'; ++place)
        if (const Key printed = printedAt(static_cast<Key>(place)); printed >= Key{'A'} && printed <= Key{'Z'}) {
            EXPECT_EQ(press(place, kControl), us(static_cast<char>(printed), kControl)) << place;
        }
}

TEST_F(InputTest, fliesByTheKeysPlaces) {
    for (const Layout& other : {kUs, kAzerty, kQwertz, kDvorak}) {
        layout = other;
        for (const char key : {'W', 'A', 'S', 'D'}) {
            EXPECT_NE(us(key), "");
            EXPECT_EQ(press(key), us(key));
        }
        if (const Key printed = printedAt(Key{'W'}); printed != Key{','}) {
            EXPECT_EQ(press('W', kAlt), us(static_cast<char>(printed), kAlt)) << "with Alt it is a letter";
        }
    }
    layout = kAzerty;
    EXPECT_EQ(press('Z'), us('Z')) << "the letter that flies elsewhere does what the other one cannot do any more";
    EXPECT_EQ(press('Q'), us('Q'));
}

TEST_F(InputTest, everyPlainKeyOfARowIsSomewhereOnEachKeyboard) {
    const std::string places = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-=[];',./";
    for (const Layout& other : {kUs, kAzerty, kQwertz, kDvorak}) {
        layout = other;
        std::vector<std::string> done;
        for (const char place : places)
            for (const int modifiers : {kNoModifier, kShift}) done.push_back(press(place, modifiers));
        for (const char key : places) {
            if (other == kQwertz && (key == '[' || key == ']' || key == '=')) continue;  // "+" is printed at one of them
            if (const std::string wanted = us(key); !wanted.empty()) {
                EXPECT_THAT(done, testing::Contains(wanted)) << key;
            }
        }
    }
    layout = kQwertz;
    EXPECT_EQ(press('['), us('['));
    EXPECT_EQ(press(']'), us('='));
}

TEST_F(InputTest, keysOfRowsThatHoldActUntilTheyAreUp) {
    const KeyEvent ahead = event(Key{'W'});
    input.take(ahead);
    EXPECT_TRUE(input.holdsKeys());
    const std::size_t before = posted.size();
    input.holdKeys(5);
    EXPECT_EQ(posted.size(), before + 1);
    EXPECT_THAT(posted.back(), testing::HasSubstr("0.1")) << "a frame that hung must not throw the camera away";
    KeyEvent up = ahead;
    up.down = false;
    up.printed = Key{'Z'};  // the layout was changed meanwhile
    input.take(up);
    EXPECT_FALSE(input.holdsKeys());
    input.take(ahead);
    input.take(FocusEvent{false});
    EXPECT_FALSE(input.holdsKeys()) << "it is released where the keyboard went";
}

TEST_F(InputTest, aDragEndsWithItsOwnButton) {
    moveTo(100, 100);
    down();
    moveTo(150, 100);
    down(kRightButton);
    up(kRightButton);
    moveTo(160, 100);
    EXPECT_THAT(takeKinds(), ElementsAre(PointerKind::orbit, PointerKind::orbit));
    up();
    moveTo(170, 100);
    EXPECT_THAT(takeKinds(), IsEmpty());
    down(kRightButton);
    moveTo(180, 100);
    up(kRightButton);
    EXPECT_THAT(takeKinds(), ElementsAre(PointerKind::pan));
}

TEST_F(InputTest, whatAClickMayMoveGrowsWithThePanels) {
    for (const float scale : {1.0f, 2.0f}) {
        document.ui.scale = scale;
        moveTo(100, 100);
        down(kLeftButton, 100 * static_cast<double>(scale));
        moveTo(109, 100);
        up();
        EXPECT_EQ(takeKinds().back() == PointerKind::pick, scale > 1) << scale;
    }
}

TEST_F(InputTest, twoClicksAtOnePlaceCentre) {
    double now = 0;
    const auto kindsOf = [&](double wait, float way) {
        moveTo(100, 100);
        down(kLeftButton, now += 100);
        up();
        moveTo(100 + way, 100);
        down(kLeftButton, now + wait);
        up();
        return takeKinds();
    };
    EXPECT_THAT(kindsOf(0.2, 3), testing::Contains(PointerKind::centre));
    EXPECT_THAT(kindsOf(0.5, 3), testing::Not(testing::Contains(PointerKind::centre)));
    EXPECT_THAT(kindsOf(0.2, 30), testing::Not(testing::Contains(PointerKind::centre)));
}

TEST_F(InputTest, aDropIsTakenBackWhenTheKeyboardGoes) {
    document.drop.on = true;
    moveTo(10, 20);
    down();
    moveTo(30, 20);
    input.take(FocusEvent{false});
    up();
    EXPECT_THAT(takeKinds(), ElementsAre(PointerKind::dropStart, PointerKind::dropMove, PointerKind::dropCancel));
}

TEST_F(InputTest, aDragFromTheSelectedBodyPullsIt) {
    using K = PointerKind;
    double now = 0;
    const auto drag = [&](bool keyboardGoes = false) {
        moveTo(402, 301);
        takeKinds();
        down(kLeftButton, now += 100);
        moveTo(440, 300);
        moveTo(460, 310);
        if (keyboardGoes) input.take(FocusEvent{false});
        up();
        return takeKinds();
    };
    input.setSurface({800, 600});
    EXPECT_THAT(drag(), ElementsAre(K::orbit, K::orbit)) << "no body is selected";
    document.selected = BodyReadout{.id = 3};
    document.selected->placed = true;
    document.selected->position = document.camera.target;
    EXPECT_THAT(drag(), ElementsAre(K::pullStart, K::pullMove, K::pullEnd));
    EXPECT_THAT(drag(true), ElementsAre(K::pullStart, K::pullMove, K::pullEnd)) << "no release comes";
    moveTo(600, 300);
    down(kLeftButton, 2000);
    moveTo(640, 300);
    up();
    EXPECT_THAT(takeKinds(), ElementsAre(K::orbit)) << "beside the body";
    document.follow = true;
    EXPECT_THAT(drag(), ElementsAre(K::orbit, K::orbit)) << "the body stays in the middle";
    document.follow = false;
    moveTo(402, 301);
    down(kLeftButton, 3000);
    moveTo(404, 300);
    up();
    EXPECT_THAT(takeKinds(), ElementsAre(K::pick)) << "a click pulls nothing";
}

TEST_F(InputTest, panelsHaveTheirEvents) {
    focus.pointer = true;
    down();
    pointer(PointerEvent::Change::scroll);
    up();
    EXPECT_THAT(takeKinds(), IsEmpty());
    focus.typing = true;
    EXPECT_EQ(press('B'), "") << "a letter of the text";
    EXPECT_EQ(press('Z', kControl), "") << "undoes typing";
    EXPECT_NE(press('S', kControl), "");
    EXPECT_NE(press(Key::f1), "");
    focus = {.navigates = true};
    document.ui.navigating = true;
    EXPECT_EQ(press(Key::space), "") << "chooses in a menu";
    EXPECT_EQ(press(Key::escape), "");
    EXPECT_FALSE(document.ui.navigating) << "Escape leaves the panels";
}

TEST_F(InputTest, altAloneOpensTheMenus) {
    const auto alt = [&](bool isDown, bool repeat = false) {
        input.take(KeyEvent{.physical = Key::leftAlt, .down = isDown, .repeat = repeat});
        input.resume();
    };
    const std::string menus = press(Key::f10);
    ASSERT_NE(menus, "");
    posted.clear();
    alt(true);
    alt(true, true);
    alt(false);
    EXPECT_THAT(posted, ElementsAre(menus));
    posted.clear();
    alt(true);
    down();
    up();
    alt(false);
    EXPECT_THAT(posted, testing::Not(testing::Contains(menus))) << "Alt and a click is no wish for menus";
    posted.clear();
    alt(true);
    input.take(event(Key{'N'}, kAlt));
    alt(false);
    EXPECT_THAT(posted, testing::Not(testing::Contains(menus)));
}

// The number of pictures per second that a window shows, while displays come and go.

const DisplayMode kMain{{0, 0, 1920, 1080}, 60};
const DisplayMode kSide{{1920, 0, 2560, 1440}, 144};

TEST(DisplayRate, isThatOfTheDisplayUnderTheWindow) {
    const std::vector<DisplayMode> both{kMain, kSide};
    DisplayRate rate;
    EXPECT_EQ(rate.rate(), 60) << "before a display is known";
    rate.update(both, {2000, 100, 800, 600});
    EXPECT_EQ(rate.rate(), 144);
    rate.update(both, {1800, 100, 800, 600});
    EXPECT_EQ(rate.rate(), 144) << "most of it is on the side display";
    rate.update(both, {100, 100, 800, 600});
    EXPECT_EQ(rate.rate(), 60);
    rate.update(std::vector{kSide}, {-5000, 0, 800, 600});
    EXPECT_EQ(rate.rate(), 144) << "outside all displays the first one counts";
}

TEST(DisplayRate, staysWithoutADisplay) {
    DisplayRate rate;
    rate.update(std::vector{kSide}, kSide.place);
    rate.update({}, kSide.place);
    EXPECT_EQ(rate.rate(), 144) << "the last display was unplugged";
    rate.update(std::vector<DisplayMode>{{kSide.place, 0}}, kSide.place);
    EXPECT_EQ(rate.rate(), 144) << "a display of an unknown rate";
    EXPECT_EQ(displayFor({}, kMain.place), nullptr);
    EXPECT_EQ(displayUnder(std::vector{kMain}, kSide.place), nullptr);
}

}  // namespace
}  // namespace gravlab
