// Keys in exactly one frame, in a window of this process: between the frame in which the pointer requests a menu and the
// frame that draws it. Also text with Ctrl before it, in the order of a slow machine.
#include "own_window.h"
#include "tests/written.h"

#include <GLFW/glfw3.h>
#include <imgui.h>

#include <algorithm>
#include <chrono>

namespace gravlab::test {
namespace {

class MenuRace : public OwnWindow {
protected:
    void SetUp() override {
        OwnWindow::SetUp();
        if (IsSkipped() || HasFatalFailure()) return;
        openHere(optionsOf("two-body", 0, 800, 600));
        here_ = glfwGetCurrentContext();
        written(*app_).intent.paused = true;
        written(*app_).ui.depth = Depth::measure;
        ui_->recordItems(true);
        for (int i = 0; i < 200 && !glfwGetWindowAttrib(here_, GLFW_FOCUSED); ++i) {
            glfwFocusWindow(here_);
            frames(1);
        }
        ASSERT_TRUE(glfwGetWindowAttrib(here_, GLFW_FOCUSED));
        frames(4);
    }
    void frames(int count) {
        for (int i = 0; i < count; ++i) frame();
    }
    /// Moves the pointer; the next frame sees it.
    void point(const std::string& item) {
        const std::span<const UiItem> items = ui_->items();
        const auto at = std::find_if(items.begin(), items.end(), [&](const UiItem& known) { return known.name == item; });
        ASSERT_NE(at, items.end()) << item;
        moveTo((at->left + at->right) / 2, (at->top + at->bottom) / 2);
    }
    // Events in the form of the display's.
    void moveTo(double x, double y) {
        const GLFWcursorposfun callback = glfwSetCursorPosCallback(here_, nullptr);
        glfwSetCursorPosCallback(here_, callback);
        callback(here_, x, y);
    }
    void key(int code, int action) {
        const GLFWkeyfun callback = glfwSetKeyCallback(here_, nullptr);
        glfwSetKeyCallback(here_, callback);
        callback(here_, code, 0, action, 0);
    }
    void letters(const char* text) {
        const GLFWcharfun callback = glfwSetCharCallback(here_, nullptr);
        glfwSetCharCallback(here_, callback);
        for (; *text; ++text) callback(here_, static_cast<unsigned>(*text));
    }
    void button(int action) {
        const GLFWmousebuttonfun callback = glfwSetMouseButtonCallback(here_, nullptr);
        glfwSetMouseButtonCallback(here_, callback);
        callback(here_, GLFW_MOUSE_BUTTON_LEFT, action, 0);
    }

    GLFWwindow* here_ = nullptr;
};

/// Dear ImGui 1.86 ends the program when Escape arrives in the one frame between the request for a menu and its drawing.
TEST_F(MenuRace, escapeMayComeBeforeTheMenuThatWasAskedFor) {
    for (int after = 0; after < 5; ++after) {
        SCOPED_TRACE(after);
        point("menu/Scene");
        frames(3);
        button(GLFW_PRESS);
        frames(1);
        button(GLFW_RELEASE);
        frames(3);
        ASSERT_TRUE(ui_->hasPopup()) << "no menu is open";
        point("menu/View");
        frames(after);
        key(GLFW_KEY_ESCAPE, GLFW_PRESS);
        frames(3);
        key(GLFW_KEY_ESCAPE, GLFW_RELEASE);
        moveTo(400, 300);
        frames(3);
        for (int i = 0; i < 4 && ui_->navigates(); ++i) {
            key(GLFW_KEY_ESCAPE, GLFW_PRESS);
            frames(2);
            key(GLFW_KEY_ESCAPE, GLFW_RELEASE);
            frames(4);
        }
        EXPECT_FALSE(ui_->navigates()) << "Escape leaves the menus";
    }
}

/// Dear ImGui 1.86 drops letters of a frame in which Ctrl is down.
TEST_F(MenuRace, textMayComeInOneFrameWithCtrlAroundIt) {
    written(*app_).ui.files.shown = true;
    frames(4);
    point("open_path");
    frames(2);
    button(GLFW_PRESS);
    frames(1);
    button(GLFW_RELEASE);
    frames(3);
    ASSERT_TRUE(ui_->wantsKeyboard()) << "the field is not open";
    const auto controlA = [&] {
        for (const int action : {GLFW_PRESS, GLFW_RELEASE})
            for (const int code : {GLFW_KEY_LEFT_CONTROL, GLFW_KEY_A}) key(code, action);
    };
    letters("wrong");
    controlA();
    letters("there-is-no-such.csv");
    key(GLFW_KEY_ENTER, GLFW_PRESS);
    key(GLFW_KEY_ENTER, GLFW_RELEASE);
    for (const auto end = std::chrono::steady_clock::now() + patience;
         app_->document.message.empty() && std::chrono::steady_clock::now() < end;)
        frames(1);
    EXPECT_NE(app_->document.message.find("'there-is-no-such.csv'"), std::string::npos) << app_->document.message;
}

/// On a slow machine a click on a field and what is typed into it come within one frame.
TEST_F(MenuRace, textMayComeInOneFrameWithTheClickOnItsField) {
    written(*app_).ui.files.shown = true;
    frames(4);
    const auto press = [&](char letter) {
        const char text[] = {letter, 0};
        key(letter, GLFW_PRESS);
        letters(text);
        key(letter, GLFW_RELEASE);
    };
    const bool grid = app_->document.overlay.grid, panels = app_->document.ui.visible;
    point("open_path");
    button(GLFW_PRESS);
    button(GLFW_RELEASE);
    for (const char letter : {'Z', 'H', 'T', '.', 'C', 'S', 'V'}) press(letter);
    key(GLFW_KEY_ENTER, GLFW_PRESS);
    key(GLFW_KEY_ENTER, GLFW_RELEASE);
    for (const auto end = std::chrono::steady_clock::now() + patience;
         app_->document.message.empty() && std::chrono::steady_clock::now() < end;)
        frames(1);
    EXPECT_NE(app_->document.message.find("'ZHT.CSV'"), std::string::npos) << app_->document.message;
    EXPECT_EQ(app_->document.overlay.grid, grid) << "Z acted as a shortcut";
    EXPECT_EQ(app_->document.ui.visible, panels);
    // A click beside the field ends the text, and the keys after it act.
    point("open_path");
    button(GLFW_PRESS);
    button(GLFW_RELEASE);
    frames(3);
    ASSERT_TRUE(ui_->wantsKeyboard());
    moveTo(400, 300);
    frames(1);
    button(GLFW_PRESS);
    button(GLFW_RELEASE);
    press('Z');
    frames(4);
    EXPECT_FALSE(ui_->wantsKeyboard());
    EXPECT_NE(app_->document.overlay.grid, grid) << "Z went to the field that was left";
}

/// Names of files and bodies are shown in their own letters.
TEST_F(MenuRace, fontsHaveTheLettersOfNames) {
    const ImFontAtlas& atlas = *ImGui::GetIO().Fonts;
    ASSERT_GE(atlas.Fonts.Size, 2);
    for (const int font : {0, 1})
        for (const unsigned letter : {0x142u, 0x160u, 0x3b1u, 0x3a9u, 0x416u, 0x2019u})
            EXPECT_NE(atlas.Fonts[font]->FindGlyphNoFallback(static_cast<ImWchar>(letter)), nullptr) << letter;
}

/// A frame of a slow machine may see the release and the next press of one key or button.
TEST_F(MenuRace, everyPressCountsAlsoInTheFrameOfARelease) {
    const auto tap = [&](int code) {
        key(code, GLFW_PRESS);
        frames(2);
        key(code, GLFW_RELEASE);
        frames(2);
    };
    tap(GLFW_KEY_F6);
    tap(GLFW_KEY_RIGHT);
    tap(GLFW_KEY_RIGHT);
    std::int64_t step = app_->document.facts.step;
    tap(GLFW_KEY_SPACE);
    ASSERT_EQ(app_->document.facts.step, step + 1) << "the button of single steps has the keyboard";
    key(GLFW_KEY_SPACE, GLFW_PRESS);
    frames(1);
    key(GLFW_KEY_SPACE, GLFW_RELEASE);
    key(GLFW_KEY_SPACE, GLFW_PRESS);
    frames(4);
    key(GLFW_KEY_SPACE, GLFW_RELEASE);
    frames(4);
    EXPECT_EQ(app_->document.facts.step, step + 3);

    point("step");
    frames(2);
    step = app_->document.facts.step;
    button(GLFW_PRESS);
    frames(1);
    button(GLFW_RELEASE);
    button(GLFW_PRESS);
    frames(4);
    button(GLFW_RELEASE);
    frames(4);
    EXPECT_EQ(app_->document.facts.step, step + 2);
}

}  // namespace
}  // namespace gravlab::test
