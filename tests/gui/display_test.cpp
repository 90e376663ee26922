// A window whose last display is unplugged: the virtual display's only output is switched off.
#include "app/files/config.h"
#include "own_window.h"
#include "tests/written.h"

#include <GLFW/glfw3.h>
#include <dlfcn.h>

#include <chrono>

namespace gravlab::test {
namespace {

/// The functions of libXrandr that the test needs, as its manual declares them; GLFW loads the library in the same way.
struct Resources {
    unsigned long timestamp, configTimestamp;
    int crtcCount;
    unsigned long* crtcs;
};

template <class Function>
Function* symbol(void* library, const char* name) {
    return reinterpret_cast<Function*>(dlsym(library, name));
}

/// Switches all outputs of DISPLAY off. False where the display has no RandR.
bool switchDisplaysOff() {
    void *x11 = dlopen("libX11.so.6", RTLD_NOW), *randr = dlopen("libXrandr.so.2", RTLD_NOW);
    if (!x11 || !randr) return false;
    auto* const open = symbol<void*(const char*)>(x11, "XOpenDisplay");
    auto* const close = symbol<int(void*)>(x11, "XCloseDisplay");
    auto* const root = symbol<unsigned long(void*)>(x11, "XDefaultRootWindow");
    auto* const resources = symbol<Resources*(void*, unsigned long)>(randr, "XRRGetScreenResources");
    auto* const set = symbol<int(void*, Resources*, unsigned long, unsigned long, int, int, unsigned long, unsigned short,
                                 unsigned long*, int)>(randr, "XRRSetCrtcConfig");
    if (!open || !close || !root || !resources || !set) return false;
    void* const display = open(nullptr);
    if (!display) return false;
    Resources* const all = resources(display, root(display));
    bool done = all && all->crtcCount > 0;
    constexpr unsigned short kUpright = 1;
    for (int i = 0; done && i < all->crtcCount; ++i)
        done = set(display, all, all->crtcs[i], 0, 0, 0, 0, kUpright, nullptr, 0) == 0;
    close(display);  // waits until the server has done it
    return done;
}

/// Over ssh a request to the display takes as long as the way there and back.
TEST_F(OwnWindow, aFrameAndAMoveOfThePointerAskTheDisplayNothing) {
    openHere(optionsOf("two-body", 0, 400, 300));
    void* const x11 = dlopen("libX11.so.6", RTLD_NOW);
    auto* const next = x11 ? symbol<unsigned long(void*)>(x11, "XNextRequest") : nullptr;
    auto* const connection = symbol<void*()>(RTLD_DEFAULT, "glfwGetX11Display");
    if (!next || !connection || !connection()) GTEST_SKIP() << "this display is no X server";
    for (int i = 0; i < 5; ++i) frame();
    GLFWwindow* const here = glfwGetCurrentContext();
    const GLFWcursorposfun move = glfwSetCursorPosCallback(here, nullptr);
    glfwSetCursorPosCallback(here, move);
    // Now and then a frame looks whether the window is visible, and which mode the display has.
    constexpr int kFrames = 100, kFew = 10;
    int asking = 0;
    for (int i = 0; i < kFrames; ++i) {
        const unsigned long before = next(connection());
        move(here, 100 + i, 100);
        window_->handleEvents(0);
        asking += next(connection()) != before;
    }
    EXPECT_LE(asking, kFew);
}

class DisplayGone : public OwnWindow {};

TEST_F(DisplayGone, theWindowGoesOnWithoutOne) {
    openHere(optionsOf("two-body", 0, 400, 300));
    frame();
    const auto displays = [] {
        int count = 0;
        glfwGetMonitors(&count);
        return count;
    };
    if (displays() == 0) GTEST_SKIP() << "this X server names no display";
    if (!switchDisplaysOff()) GTEST_SKIP() << "this X server cannot switch a display off";
    const auto end = std::chrono::steady_clock::now() + patience;
    while (displays() > 0 && std::chrono::steady_clock::now() < end) frame();
    ASSERT_EQ(displays(), 0) << "the window system has not noticed";
    const std::int64_t before = app_->document.facts.step;
    for (int i = 0; i < 5; ++i) frame();
    EXPECT_GT(app_->document.facts.step, before);
    written(*app_).ui.fullscreen = true;  // there is nothing to cover
    for (int i = 0; i < 3; ++i) {
        window_->follow(ui_->state);
        frame();
    }
    EXPECT_EQ(window_->place().width, 400);
}

}  // namespace
}  // namespace gravlab::test
