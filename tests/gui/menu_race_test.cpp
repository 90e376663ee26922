// A key between the frame in which the pointer asks for a menu and the one in which that is drawn. In a window of this
// process, so that a key comes in exactly one frame.
#include "own_window.h"

#include <GLFW/glfw3.h>

#include <algorithm>

namespace gravlab::test {
namespace {

class MenuRace : public OwnWindow {
protected:
    void SetUp() override {
        OwnWindow::SetUp();
        if (IsSkipped() || HasFatalFailure()) return;
        openHere(optionsOf("two-body", 0, 800, 600));
        here_ = glfwGetCurrentContext();
        workspace_->intent.paused = true;
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
    /// Seen in the next frame.
    void point(const std::string& item) {
        const std::span<const UiItem> items = ui_->items();
        const auto at = std::find_if(items.begin(), items.end(), [&](const UiItem& known) { return known.name == item; });
        ASSERT_NE(at, items.end()) << item;
        glfwSetCursorPos(here_, (at->left + at->right) / 2, (at->top + at->bottom) / 2);
    }
    // As if they had come from the display.
    void key(int code, int action) {
        const GLFWkeyfun callback = glfwSetKeyCallback(here_, nullptr);
        glfwSetKeyCallback(here_, callback);
        callback(here_, code, 0, action, 0);
    }
    void button(int action) {
        const GLFWmousebuttonfun callback = glfwSetMouseButtonCallback(here_, nullptr);
        glfwSetMouseButtonCallback(here_, callback);
        callback(here_, GLFW_MOUSE_BUTTON_LEFT, action, 0);
    }

    GLFWwindow* here_ = nullptr;
};

/// Dear ImGui 1.86 ends the program when Escape comes in the one frame in which a menu is asked for and not yet drawn.
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
        glfwSetCursorPos(here_, 400, 300);
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

}  // namespace
}  // namespace gravlab::test
