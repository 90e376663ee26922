// GLFW: context, callbacks, mouse, full screen. The only file that knows it.
#include "app/frontends/window/window.h"

#include "app/control/action.h"
#include "app/control/config.h"
#include "app/control/controller.h"
#include "app/system/host_clock.h"
#include "app/tables/launch.h"
#include "render/gl_limits.h"
#include "render/gl_objects.h"
#include "sim/core/error.h"

#include <GLFW/glfw3.h>
#include <imgui.h>
#include <imgui_impl_glfw.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <thread>
#include <utility>

namespace gravlab {
namespace {

// The key table numbers keys as GLFW does.
static_assert(static_cast<int>(Key::space) == GLFW_KEY_SPACE && static_cast<int>(Key::letterQ) == GLFW_KEY_Q);
static_assert(static_cast<int>(Key::leftBracket) == GLFW_KEY_LEFT_BRACKET && static_cast<int>(Key::equal) == GLFW_KEY_EQUAL);
static_assert(static_cast<int>(Key::escape) == GLFW_KEY_ESCAPE && static_cast<int>(Key::enter) == GLFW_KEY_ENTER);
static_assert(static_cast<int>(Key::tab) == GLFW_KEY_TAB && static_cast<int>(Key::right) == GLFW_KEY_RIGHT);
static_assert(static_cast<int>(Key::pageUp) == GLFW_KEY_PAGE_UP && static_cast<int>(Key::pageDown) == GLFW_KEY_PAGE_DOWN);
static_assert(static_cast<int>(Key::home) == GLFW_KEY_HOME && static_cast<int>(Key::f1) == GLFW_KEY_F1);
static_assert(static_cast<int>(Key::f11) == GLFW_KEY_F11 && static_cast<int>(Key::f12) == GLFW_KEY_F12);
static_assert(static_cast<int>(Key::f6) == GLFW_KEY_F6 && static_cast<int>(Key::f10) == GLFW_KEY_F10);
static_assert(static_cast<int>(Key::f2) == GLFW_KEY_F2);
static_assert(static_cast<int>(Key::down) == GLFW_KEY_DOWN && static_cast<int>(Key::up) == GLFW_KEY_UP);
static_assert(static_cast<int>(Key::end) == GLFW_KEY_END && static_cast<int>(Key::leftAlt) == GLFW_KEY_LEFT_ALT);
static_assert(static_cast<int>(Key::pad1) == GLFW_KEY_KP_1 && static_cast<int>(Key::pad9) == GLFW_KEY_KP_9);
static_assert(static_cast<int>(Key::padMinus) == GLFW_KEY_KP_SUBTRACT && static_cast<int>(Key::padPlus) == GLFW_KEY_KP_ADD);
static_assert(static_cast<int>(Key::padEnter) == GLFW_KEY_KP_ENTER);
static_assert(kControl == GLFW_MOD_CONTROL && kAlt == GLFW_MOD_ALT);

constexpr char kTitle[] = "gravlab";
constexpr double kDoubleClick = 0.4;       // [s]
constexpr float kDoubleClickRadius = 6;    // pixels
constexpr double kVisibilityCheck = 0.05;  // [s]; asking the display server costs a round trip

std::string& lastError() {
    static std::string text;
    return text;
}

/// Keys with which menus and panels are walked through.
bool movesInPanels(int code, int modifiers) {
    static constexpr int kKeys[] = {GLFW_KEY_SPACE,   GLFW_KEY_ENTER,     GLFW_KEY_ESCAPE, GLFW_KEY_TAB,
                                    GLFW_KEY_LEFT,    GLFW_KEY_RIGHT,     GLFW_KEY_UP,     GLFW_KEY_DOWN,
                                    GLFW_KEY_PAGE_UP, GLFW_KEY_PAGE_DOWN, GLFW_KEY_HOME,   GLFW_KEY_END};
    return !(modifiers & (GLFW_MOD_CONTROL | GLFW_MOD_ALT)) &&
           std::find(std::begin(kKeys), std::end(kKeys), code) != std::end(kKeys);
}

std::string glText(GLenum name) {
    const GLubyte* text = glGetString(name);
    return text ? reinterpret_cast<const char*>(text) : "unknown";
}

/// Whether the driver shall tell of every misuse, which costs time: in debug builds, and where tests ask for it.
bool watchesErrors() {
#ifndef NDEBUG
    return true;
#else
    const char* asked = std::getenv("GRAVLAB_GL_DEBUG");
    return asked && std::string_view(asked) == "1";
#endif
}

/// The library, started once and ended with the window.
struct Library {
    Library() {
        glfwSetErrorCallback([](int, const char* text) { lastError() = text; });
        if (!glfwInit())
            throw NoDeviceError("there is no display to open a window on (" + lastError() +
                                "); without one, 'gravlab render SCENE -o FILE.mp4 --frames 240' makes a film");
    }
    ~Library() { glfwTerminate(); }
};

}  // namespace

struct Window::Glfw {
    Library library;
    GLFWwindow* window = nullptr;
    const Workspace* workspace = nullptr;
    Ui* ui = nullptr;
    Controller* controller = nullptr;
    float fixedScale = 0;  ///< --ui-scale, or 0
    std::optional<float> newScale;
    bool events = false, attached = false, frameBuilt = false;
    bool iconified = false, hidden = false;
    bool altAlone = false;  ///< Alt went down and nothing else since
    double visibilityAsked = -1;
    bool fullscreen = false, vsync = true;
    double shownAt = 0;             ///< when the display took the last picture [s]
    GLFWkeyfun panelKey = nullptr;  ///< the panels' own callbacks, which call ours first
    GLFWcharfun panelLetter = nullptr;
    std::array<bool, GLFW_KEY_LAST + 1> pressedNow{}, releasedLate{};
    bool lettersNow = false;
    struct LateKey {
        int code, scancode, action, modifiers;
        unsigned letter;  ///< 0: it is a key
    };
    std::vector<LateKey> late;  ///< what the next frame shall see, in its order
    struct HeldKey {
        int code;  ///< as GLFW numbers it, whatever is printed on it
        const Action* action;
    };
    std::vector<HeldKey> held;  ///< keys that are down, of rows that act as long as they are
    int oldX = 0, oldY = 0, oldWidth = 0, oldHeight = 0;

    enum class Drag { none, orbit, pan, drop, aim } drag = Drag::none;
    glm::vec2 cursor{0}, pressedAt{-100}, clickedAt{-100};
    double clickedTime = -1;

    ~Glfw() {
        if (window) glfwDestroyWindow(window);
    }
    void open(int width, int height);
    glm::vec2 pixels(double x, double y) const;
    glm::vec2 viewport() const;
    bool sceneHasMouse() const { return workspace && ui && !ui->wantsMouse(); }
    void point(PointerKind kind, glm::vec2 by = glm::vec2(0)) {
        controller->post(Pointer{kind, cursor, by, viewport()}, Sender::pointer);
    }
    void press(int button, int modifiers);
    void release(int button);
    void move(glm::vec2 to);
    void key(int code, int scancode, int modifiers, bool repeated);
    void letGo(int code) {
        std::erase_if(held, [=](const HeldKey& key) { return key.code == code; });
    }
    void watchAlt(int code, int action);
    void passKey(int code, int scancode, int action, int modifiers);
    void passLetter(unsigned letter);
    void passLate();
    void setFullscreen(bool on);
    void askVisibility();
};

glm::vec2 Window::Glfw::viewport() const {
    int width = 0, height = 0;
    glfwGetFramebufferSize(window, &width, &height);
    return {static_cast<float>(width), static_cast<float>(height)};
}

/// Window units to pixels.
glm::vec2 Window::Glfw::pixels(double x, double y) const {
    int width = 1, height = 1;
    glfwGetWindowSize(window, &width, &height);
    const glm::vec2 size = viewport();
    return {static_cast<float>(x) * size.x / static_cast<float>(std::max(width, 1)),
            static_cast<float>(y) * size.y / static_cast<float>(std::max(height, 1))};
}

void Window::Glfw::press(int button, int modifiers) {
    altAlone = false;
    if (!sceneHasMouse()) return;
    ui->state.navigating = false;
    if (workspace->drop.on && button == GLFW_MOUSE_BUTTON_LEFT && !(modifiers & GLFW_MOD_SHIFT)) {
        drag = Drag::drop;
        point(PointerKind::dropStart);
        return;
    }
    if (button == GLFW_MOUSE_BUTTON_LEFT && !(modifiers & GLFW_MOD_SHIFT) && workspace->onArrowTip(cursor, viewport())) {
        drag = Drag::aim;
        point(PointerKind::aimStart);
        return;
    }
    const bool pan = button != GLFW_MOUSE_BUTTON_LEFT || (modifiers & GLFW_MOD_SHIFT);
    drag = pan ? Drag::pan : Drag::orbit;
    pressedAt = cursor;
    if (button != GLFW_MOUSE_BUTTON_LEFT) return;
    const double now = glfwGetTime();
    const glm::vec2 way = cursor - clickedAt;
    if (now - clickedTime < kDoubleClick && std::hypot(way.x, way.y) < kDoubleClickRadius) {
        point(PointerKind::centre);
        clickedTime = -1;
        return;
    }
    clickedTime = now;
    clickedAt = cursor;
}

/// A press that did not move was a click on a body, or on none.
void Window::Glfw::release(int button) {
    if (drag == Drag::drop && button != GLFW_MOUSE_BUTTON_LEFT) return;
    if (drag == Drag::aim && button != GLFW_MOUSE_BUTTON_LEFT) return;
    if (drag == Drag::drop) point(PointerKind::dropEnd);
    if (drag == Drag::aim) point(PointerKind::aimEnd);
    const glm::vec2 way = cursor - pressedAt;
    if (drag == Drag::orbit && button == GLFW_MOUSE_BUTTON_LEFT && std::hypot(way.x, way.y) < kDoubleClickRadius)
        point(PointerKind::pick);
    drag = Drag::none;
}

void Window::Glfw::move(glm::vec2 to) {
    const glm::vec2 way = to - cursor;
    cursor = to;
    if (drag == Drag::drop) point(PointerKind::dropMove);
    if (drag == Drag::aim) point(PointerKind::aimMove);
    if (drag == Drag::orbit) point(PointerKind::orbit, way);
    if (drag == Drag::pan) point(PointerKind::pan, way);
}

void Window::Glfw::key(int code, int scancode, int modifiers, bool repeated) {
    if (!workspace || !ui) return;
    const int pressed = code;
    // A row names what is printed on the key, wherever the keyboard layout has it.
    if (code < GLFW_KEY_ESCAPE)
        if (const char* name = glfwGetKeyName(code, scancode); name && name[0] && !name[1])
            code = std::toupper(static_cast<unsigned char>(name[0]));
    if (code == '+') code = GLFW_KEY_EQUAL;
    // While text is being typed only keys with a modifier and function keys are commands.
    if (ui->wantsKeyboard() && !(modifiers & (GLFW_MOD_CONTROL | GLFW_MOD_ALT)) && code < GLFW_KEY_F1) return;
    // Nor are those that edit the text.
    constexpr int kEdits[] = {'A', 'C', 'V', 'X', 'Y', 'Z', GLFW_KEY_LEFT, GLFW_KEY_RIGHT, GLFW_KEY_HOME, GLFW_KEY_END};
    if (ui->wantsKeyboard() && (modifiers & GLFW_MOD_CONTROL) &&
        std::find(std::begin(kEdits), std::end(kEdits), code) != std::end(kEdits))
        return;
    if (code == GLFW_KEY_KP_ENTER) code = GLFW_KEY_ENTER;
    if (ui->navigates() && movesInPanels(code, modifiers)) {
        if (code == GLFW_KEY_ESCAPE && !ui->hasPopup()) ui->state.navigating = false;
        return;
    }
    const Action* row = pressKey(static_cast<Key>(code), modifiers, *controller, repeated);
    if (!repeated && row && row->holds) held.push_back({pressed, row});
}

/// Alt that goes down and up by itself opens the menus.
void Window::Glfw::watchAlt(int code, int action) {
    if (action == GLFW_PRESS)
        altAlone = code == GLFW_KEY_LEFT_ALT;
    else if (action == GLFW_RELEASE && code == GLFW_KEY_LEFT_ALT && std::exchange(altAlone, false) && workspace && ui)
        pressKey(Key::f10, kNoModifier, *controller);
}

/// Dear ImGui before 1.87 looks at keys once a frame. One that goes down and up between two frames would be lost: its
/// release waits until a frame has seen it down. Letters of a frame in which Ctrl is down would be lost, too: Ctrl and
/// letters, and all that comes after, wait for a frame of their own.
void Window::Glfw::passKey(int code, int scancode, int action, int modifiers) {
    const bool known = code >= 0 && code <= GLFW_KEY_LAST;
    const auto index = static_cast<std::size_t>(known ? code : 0);
    const bool control = code == GLFW_KEY_LEFT_CONTROL || code == GLFW_KEY_RIGHT_CONTROL;
    const bool up = known && action == GLFW_RELEASE && pressedNow[index];
    if (!late.empty() || (control && (up || lettersNow))) {
        late.push_back({code, scancode, action, modifiers, 0});
        return;
    }
    if (up) {
        releasedLate[index] = true;
        return;
    }
    if (known && action != GLFW_RELEASE) {
        pressedNow[index] = true;
        releasedLate[index] = false;
    }
    panelKey(window, code, scancode, action, modifiers);
}

void Window::Glfw::passLetter(unsigned letter) {
    if (!late.empty()) {
        late.push_back({0, 0, 0, 0, letter});
        return;
    }
    lettersNow = true;
    panelLetter(window, letter);
}

void Window::Glfw::passLate() {
    pressedNow.fill(false);
    lettersNow = false;
    for (std::size_t i = 0; i < releasedLate.size(); ++i)
        if (releasedLate[i]) panelKey(window, static_cast<int>(i), 0, GLFW_RELEASE, 0);
    releasedLate.fill(false);
    for (const LateKey& key : std::exchange(late, {}))
        key.letter ? passLetter(key.letter) : passKey(key.code, key.scancode, key.action, key.modifiers);
}

void Window::Glfw::setFullscreen(bool on) {
    if (on == fullscreen) return;
    fullscreen = on;
    if (!on) {
        glfwSetWindowMonitor(window, nullptr, oldX, oldY, oldWidth, oldHeight, GLFW_DONT_CARE);
        return;
    }
    glfwGetWindowPos(window, &oldX, &oldY);
    glfwGetWindowSize(window, &oldWidth, &oldHeight);
    // The display that shows the window's middle.
    const int x = oldX + oldWidth / 2, y = oldY + oldHeight / 2;
    int count = 0;
    GLFWmonitor** monitors = glfwGetMonitors(&count);
    GLFWmonitor* chosen = glfwGetPrimaryMonitor();
    for (int i = 0; i < count; ++i) {
        int left = 0, top = 0;
        glfwGetMonitorPos(monitors[i], &left, &top);
        const GLFWvidmode* mode = glfwGetVideoMode(monitors[i]);
        if (mode && x >= left && x < left + mode->width && y >= top && y < top + mode->height) chosen = monitors[i];
    }
    if (!chosen) {
        fullscreen = false;
        return;
    }
    const GLFWvidmode* mode = glfwGetVideoMode(chosen);
    glfwSetWindowMonitor(window, chosen, 0, 0, mode->width, mode->height, mode->refreshRate);
}

void Window::Glfw::askVisibility() {
    const double now = glfwGetTime();
    if (now - visibilityAsked < kVisibilityCheck) return;
    visibilityAsked = now;
    hidden = !glfwGetWindowAttrib(window, GLFW_VISIBLE);
}

/// Throws NoDeviceError and leaves no window behind.
void Window::Glfw::open(int width, int height) {
    glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 4);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 5);
    glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
    glfwWindowHint(GLFW_OPENGL_DEBUG_CONTEXT, watchesErrors() ? GLFW_TRUE : GLFW_FALSE);
    glfwWindowHint(GLFW_DEPTH_BITS, 0);
    glfwWindowHint(GLFW_STENCIL_BITS, 0);
    glfwWindowHint(GLFW_SCALE_TO_MONITOR, GLFW_TRUE);
    glfwWindowHintString(GLFW_X11_CLASS_NAME, "gravlab");
    glfwWindowHintString(GLFW_X11_INSTANCE_NAME, "gravlab");
    glfwWindowHint(GLFW_CONTEXT_ROBUSTNESS, GLFW_LOSE_CONTEXT_ON_RESET);
    window = glfwCreateWindow(width, height, kTitle, nullptr, nullptr);
    if (!window)
        throw NoDeviceError("this display has no OpenGL 4.5 (" + lastError() +
                            "); update the graphics driver, or make a film with 'gravlab render'");
    glfwMakeContextCurrent(window);
    if (!gladLoadGL(glfwGetProcAddress) || !GLAD_GL_VERSION_4_5) {
        glfwDestroyWindow(std::exchange(window, nullptr));
        throw NoDeviceError(
            "the graphics driver offers an OpenGL 4.5 that cannot be used; update it, or make a film with "
            "'gravlab render'");
    }
    watchGlErrors();
    readGlLimits();
    glfwSwapInterval(vsync ? 1 : 0);
}

void Window::describe() {
    description_ = "OpenGL " + glText(GL_VERSION) + " on " + glText(GL_RENDERER) + " (" + glText(GL_VENDOR) + ")";
    glfwGetFramebufferSize(glfw_->window, &width_, &height_);
}

Window::Window(const Options& options) : glfw_(std::make_unique<Glfw>()) {
    glfw_->fixedScale = static_cast<float>(options.uiScale);
    glfw_->open(options.width, options.height);
    describe();
}

void Window::remake() {
    constexpr int kTries = 20;
    constexpr auto kPause = std::chrono::milliseconds(250);  // a reset takes about a second
    Glfw& g = *glfw_;
    g.setFullscreen(false);  // its place is the one to come back to; follow() covers the screen again
    int x = 0, y = 0, width = 1, height = 1;
    glfwGetWindowPos(g.window, &x, &y);
    glfwGetWindowSize(g.window, &width, &height);
    glfwDestroyWindow(std::exchange(g.window, nullptr));
    g.drag = Glfw::Drag::none;
    g.iconified = g.hidden = false;
    for (int attempt = 1;; ++attempt) {
        try {
            g.open(std::max(width, 1), std::max(height, 1));
            break;
        } catch (const NoDeviceError&) {
            if (attempt == kTries) throw;
        }
        std::this_thread::sleep_for(kPause);
    }
    glfwSetWindowPos(g.window, x, y);
    describe();
}

Window::~Window() { detach(); }

WindowPlace Window::place() const {
    const Glfw& g = *glfw_;
    WindowPlace found{g.oldX, g.oldY, g.oldWidth, g.oldHeight, true};
    if (g.fullscreen) return found;
    glfwGetError(nullptr);
    glfwGetWindowPos(g.window, &found.x, &found.y);
    found.placed = glfwGetError(nullptr) == GLFW_NO_ERROR;  // not every window system tells
    glfwGetWindowSize(g.window, &found.width, &found.height);
    return found;
}

void Window::moveTo(const WindowPlace& place) {
    if (place.width > 0 && place.height > 0) glfwSetWindowSize(glfw_->window, place.width, place.height);
    if (!place.placed) return;
    const int x = place.x + place.width / 2, y = place.y + place.height / 2;
    int count = 0;
    GLFWmonitor** monitors = glfwGetMonitors(&count);
    for (int i = 0; i < count; ++i) {
        int left = 0, top = 0;
        glfwGetMonitorPos(monitors[i], &left, &top);
        const GLFWvidmode* mode = glfwGetVideoMode(monitors[i]);
        if (!mode || x < left || x >= left + mode->width || y < top || y >= top + mode->height) continue;
        glfwSetWindowPos(glfw_->window, place.x, place.y);
        return;
    }
}

float Window::uiScale() const {
    if (glfw_->fixedScale > 0) return glfw_->fixedScale;
    float scale = 1, ignored = 1;
    glfwGetWindowContentScale(glfw_->window, &scale, &ignored);
    // Where the window system counts in larger units than pixels, it scales the panels by itself.
    int width = 1, height = 1;
    glfwGetWindowSize(glfw_->window, &width, &height);
    const float unit = glfw_->viewport().x / static_cast<float>(std::max(width, 1));
    return std::clamp(scale / std::max(unit, 1.0f), 0.5f, 4.0f);
}

void Window::attach(const Workspace& workspace, Ui& ui, Controller& controller) {
    Glfw& g = *glfw_;
    g.workspace = &workspace;
    g.ui = &ui;
    g.controller = &controller;
    g.attached = true;
    glfwSetWindowUserPointer(g.window, &g);
    static constexpr auto of = [](GLFWwindow* window) -> Glfw& {
        Glfw& found = *static_cast<Glfw*>(glfwGetWindowUserPointer(window));
        found.events = true;
        return found;
    };
    glfwSetKeyCallback(g.window, [](GLFWwindow* w, int key, int scancode, int action, int modifiers) {
        Glfw& self = of(w);
        self.watchAlt(key, action);
        if (action == GLFW_RELEASE)
            self.letGo(key);
        else if (key != GLFW_KEY_UNKNOWN)
            self.key(key, scancode, modifiers, action == GLFW_REPEAT);
    });
    glfwSetMouseButtonCallback(g.window, [](GLFWwindow* w, int button, int action, int modifiers) {
        Glfw& self = of(w);
        if (action == GLFW_PRESS)
            self.press(button, modifiers);
        else
            self.release(button);
    });
    glfwSetCursorPosCallback(g.window, [](GLFWwindow* w, double x, double y) {
        Glfw& self = of(w);
        self.move(self.pixels(x, y));
    });
    glfwSetScrollCallback(g.window, [](GLFWwindow* w, double, double y) {
        if (Glfw& self = of(w); self.sceneHasMouse()) self.point(PointerKind::zoom, {0, static_cast<float>(y)});
    });
    glfwSetDropCallback(g.window, [](GLFWwindow* w, int count, const char** paths) {
        Glfw& self = of(w);
        if (self.controller && count > 0) self.controller->post(OpenFile{paths[0], count - 1}, Sender::pointer);
    });
    glfwSetCharCallback(g.window, [](GLFWwindow* w, unsigned) { of(w); });
    glfwSetWindowFocusCallback(g.window, [](GLFWwindow* w, int focused) {
        Glfw& self = of(w);
        if (focused) return;
        // Keys and buttons that are down are released for us now, which no one did.
        self.altAlone = false;
        self.held.clear();
        const Glfw::Drag ended = std::exchange(self.drag, Glfw::Drag::none);
        if (ended == Glfw::Drag::drop && self.controller) self.point(PointerKind::dropCancel);
        if (ended == Glfw::Drag::aim && self.controller) self.point(PointerKind::aimCancel);
    });
    glfwSetCursorEnterCallback(g.window, [](GLFWwindow* w, int) { of(w); });
    glfwSetFramebufferSizeCallback(g.window, [](GLFWwindow* w, int, int) { of(w); });
    glfwSetWindowRefreshCallback(g.window, [](GLFWwindow* w) { of(w); });
    glfwSetWindowIconifyCallback(g.window, [](GLFWwindow* w, int iconified) { of(w).iconified = iconified; });
    glfwSetWindowContentScaleCallback(g.window, [](GLFWwindow* w, float scale, float) {
        if (Glfw& self = of(w); self.fixedScale == 0) self.newScale = scale;
    });
    double x = 0, y = 0;
    glfwGetCursorPos(g.window, &x, &y);
    g.cursor = g.pixels(x, y);
    ImGui_ImplGlfw_InitForOpenGL(g.window, true);  // chains to the callbacks above
#if IMGUI_VERSION_NUM < 18700
    g.panelKey = glfwSetKeyCallback(g.window, [](GLFWwindow* w, int key, int scancode, int action, int modifiers) {
        of(w).passKey(key, scancode, action, modifiers);
    });
    g.panelLetter = glfwSetCharCallback(g.window, [](GLFWwindow* w, unsigned letter) { of(w).passLetter(letter); });
#endif
    ui.state.inWindow = true;
}

void Window::detach() {
    if (!glfw_->attached) return;
    glfw_->attached = false;
    glfw_->held.clear();
    if (glfw_->panelKey) glfwSetKeyCallback(glfw_->window, glfw_->panelKey);
    if (glfw_->panelLetter) glfwSetCharCallback(glfw_->window, glfw_->panelLetter);
    glfw_->panelKey = nullptr;
    glfw_->panelLetter = nullptr;
    glfw_->late.clear();
    ImGui_ImplGlfw_Shutdown();
    glfw_->workspace = nullptr;
    glfw_->ui = nullptr;
    glfw_->controller = nullptr;
}

bool Window::handleEvents(double seconds) {
    Glfw& g = *glfw_;
    g.events = false;
    if (g.panelKey && g.frameBuilt) g.passLate();
    g.frameBuilt = false;
    if (seconds > 0)
        glfwWaitEventsTimeout(seconds);
    else
        glfwPollEvents();
    g.askVisibility();
    glfwGetFramebufferSize(g.window, &width_, &height_);
    if (g.iconified || g.hidden) width_ = height_ = 0;
    return g.events;
}

bool Window::holdsKeys() const { return !glfw_->held.empty(); }

void Window::holdKeys(double seconds) {
    Glfw& g = *glfw_;
    constexpr double kLongest = 0.1;  // [s]; a frame that hung must not throw the camera away
    for (const Glfw::HeldKey& key : g.held)
        g.controller->post(Invoke{std::string(key.action->name), {std::min(seconds, kLongest)}}, Sender::key);
}

bool Window::closing() const { return glfwWindowShouldClose(glfw_->window); }

std::optional<float> Window::takeScale() {
    if (!glfw_->newScale) return std::nullopt;
    glfw_->newScale.reset();
    return uiScale();
}

void Window::beginUi() {
    ImGui_ImplGlfw_NewFrame();
    glfw_->frameBuilt = true;
}

void Window::follow(const UiState& state) {
    Glfw& g = *glfw_;
    if (state.vsync != g.vsync) {
        g.vsync = state.vsync;
        glfwSwapInterval(g.vsync ? 1 : 0);
    }
    g.setFullscreen(state.fullscreen);
}

void Window::show() {
    glfwSwapBuffers(glfw_->window);
    if (!glfw_->vsync) return;
    // A virtual display, or a driver that was told otherwise, takes pictures at any rate; more than a screen shows would
    // only keep the forces from the device.
    constexpr int kUsualRate = 60;
    const GLFWvidmode* mode = glfwGetVideoMode(glfwGetPrimaryMonitor());
    const double interval = 1.0 / (mode && mode->refreshRate > 0 ? mode->refreshRate : kUsualRate);
    const double due = glfw_->shownAt + interval, now = hostClock();
    const bool early = now < due && due <= now + interval;
    if (early) std::this_thread::sleep_for(std::chrono::duration<double>(due - now));
    glfw_->shownAt = early ? due : now;  // what a sleep takes too long the next one is shorter
}

void Window::showWaiting(const std::string& words, double share) {
    glfwSetWindowTitle(glfw_->window, share < 1 ? words.c_str() : kTitle);
    if (width_ == 0 || height_ == 0) return;
    const int width = width_ / 3, height = std::max(2, height_ / 120), left = (width_ - width) / 2, low = height_ / 2;
    const auto fill = [](float light) {
        glClearColor(light, light, light, 1);
        glClear(GL_COLOR_BUFFER_BIT);
    };
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    fill(0);
    glEnable(GL_SCISSOR_TEST);
    glScissor(left, low, width, height);
    fill(0.15f);
    glScissor(left, low, static_cast<int>(std::lround(std::clamp(share, 0.0, 1.0) * width)), height);
    fill(0.7f);
    glDisable(GL_SCISSOR_TEST);
    glfwSwapBuffers(glfw_->window);
}

std::vector<std::uint8_t> Window::read() const {
    const auto row = 3 * static_cast<std::size_t>(width_);
    std::vector<std::uint8_t> picture(row * static_cast<std::size_t>(height_));
    glBindFramebuffer(GL_READ_FRAMEBUFFER, 0);
    glReadBuffer(GL_BACK);
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    glReadPixels(0, 0, width_, height_, GL_RGB, GL_UNSIGNED_BYTE, picture.data());
    for (int low = 0, high = height_ - 1; low < high; ++low, --high)
        std::swap_ranges(picture.begin() + static_cast<std::ptrdiff_t>(row) * low,
                         picture.begin() + static_cast<std::ptrdiff_t>(row) * (low + 1),
                         picture.begin() + static_cast<std::ptrdiff_t>(row) * high);
    return picture;
}

}  // namespace gravlab
