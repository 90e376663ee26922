// GLFW: context, callbacks, mouse, full screen. The only file that includes it.
#include "app/frontends/window/window.h"

#include "app/control/controller.h"
#include "app/files/config.h"
#include "app/frontends/window/displays.h"
#include "app/system/host_clock.h"
#include "app/ui/input.h"
#include "app/view/app.h"
#include "render/gl_limits.h"
#include "render/gl_objects.h"
#include "sim/api/errors.h"

#include <GLFW/glfw3.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <string_view>
#include <thread>
#include <utility>

extern "C" const char* gravlab_open_glfw();  // see third_party/late.cmake

namespace gravlab {
namespace {

// The key table numbers keys as GLFW does.
static_assert(static_cast<int>(Key::space) == GLFW_KEY_SPACE && static_cast<int>(Key{'Q'}) == GLFW_KEY_Q);
static_assert(static_cast<int>(Key{'['}) == GLFW_KEY_LEFT_BRACKET && static_cast<int>(Key::equal) == GLFW_KEY_EQUAL);
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
static_assert(static_cast<int>(Key::backspace) == GLFW_KEY_BACKSPACE && static_cast<int>(Key::insert) == GLFW_KEY_INSERT);
static_assert(static_cast<int>(Key::leftShift) == GLFW_KEY_LEFT_SHIFT &&
              static_cast<int>(Key::rightSuper) == GLFW_KEY_RIGHT_SUPER);
static_assert(kShift == GLFW_MOD_SHIFT && kControl == GLFW_MOD_CONTROL && kAlt == GLFW_MOD_ALT && kSuper == GLFW_MOD_SUPER);
static_assert(kLeftButton == GLFW_MOUSE_BUTTON_LEFT && kRightButton == GLFW_MOUSE_BUTTON_RIGHT);

constexpr char kTitle[] = "gravlab";
// [s] Each query costs a round trip to the display server, which may be far away.
constexpr double kVisibilityCheck = 0.25, kRateCheck = 2;

std::string& lastError() {
    static std::string text;
    return text;
}

/// Number of times that displays were added or removed. GLFW reports that to the process, not to a window.
int& displayChanges() {
    static int count = 0;
    return count;
}

/// Displays that are on, the primary one first. A display that is being unplugged has no mode.
std::vector<DisplayMode> readDisplays() {
    std::vector<DisplayMode> displays;
    int count = 0;
    GLFWmonitor** monitors = glfwGetMonitors(&count);
    for (int i = 0; i < count; ++i) {
        const GLFWvidmode* mode = glfwGetVideoMode(monitors[i]);
        if (!mode || mode->width <= 0) continue;
        displays.push_back({{0, 0, mode->width, mode->height}, mode->refreshRate, monitors[i]});
        glfwGetMonitorPos(monitors[i], &displays.back().place.x, &displays.back().place.y);
    }
    return displays;
}

/// The character printed on a key; none: it is not ASCII. Without a scancode it is the character of the key's place.
Key printedOn(int code, int scancode) {
    if (code >= GLFW_KEY_ESCAPE) return Key::none;
    const char* name = glfwGetKeyName(code, scancode);
    if (!name || !name[0] || name[1]) return Key::none;
    const int letter = std::toupper(static_cast<unsigned char>(name[0]));
    return letter == '+' ? Key::equal : static_cast<Key>(letter);
}

std::string glText(GLenum name) {
    const GLubyte* text = glGetString(name);
    return text ? reinterpret_cast<const char*>(text) : "unknown";
}

/// Whether the driver reports every misuse, which costs time: in debug builds, and where tests need it.
bool watchesErrors() {
#ifndef NDEBUG
    return true;
#else
    const char* debug = std::getenv("GRAVLAB_GL_DEBUG");
    return debug && std::string_view(debug) == "1";
#endif
}

/// The library, initialised once and terminated with the window.
struct Library {
    Library() {
        if (const char* why = gravlab_open_glfw())
            throw NoDeviceError(std::string("a window needs GLFW and X11, which cannot be opened (") + why +
                                "); Debian, Ubuntu: apt install libglfw3 libx11-6 libgl1");
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
    std::optional<Input> input;
    Ui* ui = nullptr;
    Controller* controller = nullptr;
    float fixedScale = 0;  ///< --ui-scale, or 0
    std::optional<float> newScale;
    bool events = false;
    bool iconified = false, hidden = false;
    bool built = false;  ///< the panels have made a frame since the last events
    double visibilityAt = -1;
    bool fullscreen = false, vsync = true;
    double shownAt = 0;           ///< when the display took the last picture [s]
    double builtAt = -1;          ///< when the panels began their last frame [s]
    Rectangle place, usualPlace;  ///< now, and before the window covered the display; as events report them
    bool placed = true;           ///< whether this window system reports the positions of windows
    glm::ivec2 pixels{0};         ///< size of its picture, as events report it
    DisplayRate rate;
    int displaysSeen = -1;
    double rateAt = -1;
    std::array<GLFWcursor*, 7> cursors{};  ///< by PointerShape; null: the arrow
    PointerShape shape = PointerShape::arrow;

    ~Glfw() {
        if (window) glfwDestroyWindow(window);
    }
    void open(int width, int height);
    void readPlace();
    void followDisplays();
    void setFullscreen(bool on);
    void uncover();
    void askVisibility();
    void take(const InputEvent& event) {
        if (input) input->take(event);
    }
    glm::vec2 toPixels(double x, double y) const {
        return {static_cast<float>(x) * static_cast<float>(pixels.x) / static_cast<float>(std::max(place.width, 1)),
                static_cast<float>(y) * static_cast<float>(pixels.y) / static_cast<float>(std::max(place.height, 1))};
    }
    void makeShapes();
    void showShape(PointerShape wanted);
};

void Window::Glfw::readPlace() {
    glfwGetError(nullptr);
    glfwGetWindowPos(window, &place.x, &place.y);
    placed = glfwGetError(nullptr) == GLFW_NO_ERROR;
    glfwGetWindowSize(window, &place.width, &place.height);
    glfwGetFramebufferSize(window, &pixels.x, &pixels.y);
}

/// Checks the display now and then without an event, because GLFW does not report another mode of the same display.
void Window::Glfw::followDisplays() {
    const double now = glfwGetTime();
    if (displaysSeen == displayChanges() && now - rateAt < kRateCheck) return;
    displaysSeen = displayChanges();
    rateAt = now;
    rate.update(readDisplays(), place);
    // The display that the window covered was removed. follow() covers another one, as soon as there is one.
    if (fullscreen && !glfwGetWindowMonitor(window)) uncover();
}

/// Shapes that this display lacks stay null, which means the arrow.
void Window::Glfw::makeShapes() {
    const auto make = [this](PointerShape of, int glfw) {
        GLFWcursor*& cursor = cursors[static_cast<std::size_t>(of)];
        if (!cursor) cursor = glfwCreateStandardCursor(glfw);
    };
    make(PointerShape::text, GLFW_IBEAM_CURSOR);
    make(PointerShape::upDown, GLFW_VRESIZE_CURSOR);
    make(PointerShape::leftRight, GLFW_HRESIZE_CURSOR);
    make(PointerShape::hand, GLFW_HAND_CURSOR);
#ifdef GLFW_RESIZE_NESW_CURSOR
    make(PointerShape::downLeft, GLFW_RESIZE_NESW_CURSOR);
    make(PointerShape::downRight, GLFW_RESIZE_NWSE_CURSOR);
#endif
    shape = PointerShape::arrow;
}

void Window::Glfw::showShape(PointerShape wanted) {
    if (std::exchange(shape, wanted) == wanted) return;
    glfwSetCursor(window, cursors[static_cast<std::size_t>(wanted)]);
}

void Window::Glfw::setFullscreen(bool on) {
    if (on == fullscreen) return;
    if (!on) return uncover();
    const std::vector<DisplayMode> displays = readDisplays();
    const DisplayMode* chosen = displayFor(displays, place);
    if (!chosen) return;  // wait until there is a display
    fullscreen = true;
    usualPlace = place;
    glfwSetWindowMonitor(window, static_cast<GLFWmonitor*>(chosen->handle), 0, 0, chosen->place.width, chosen->place.height,
                         chosen->rate > 0 ? chosen->rate : GLFW_DONT_CARE);
}

void Window::Glfw::uncover() {
    fullscreen = false;
    place = usualPlace;
    glfwSetWindowMonitor(window, nullptr, place.x, place.y, place.width, place.height, GLFW_DONT_CARE);
}

void Window::Glfw::askVisibility() {
    const double now = glfwGetTime();
    if (now - visibilityAt < kVisibilityCheck) return;
    visibilityAt = now;
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
    readPlace();
    visibilityAt = rateAt = -1;
    glfwSetWindowUserPointer(window, this);
    static constexpr auto of = [](GLFWwindow* w) -> Glfw& { return *static_cast<Glfw*>(glfwGetWindowUserPointer(w)); };
    glfwSetWindowPosCallback(window, [](GLFWwindow* w, int x, int y) {
        Glfw& self = of(w);
        self.place.x = x;
        self.place.y = y;
        self.rateAt = -1;
    });
    glfwSetWindowSizeCallback(window, [](GLFWwindow* w, int wide, int high) {
        Glfw& self = of(w);
        self.place.width = wide;
        self.place.height = high;
        self.rateAt = -1;
    });
    glfwSetFramebufferSizeCallback(window, [](GLFWwindow* w, int wide, int high) {
        Glfw& self = of(w);
        self.pixels = {wide, high};
        self.events = true;
    });
    glfwSetWindowIconifyCallback(window, [](GLFWwindow* w, int on) {
        Glfw& self = of(w);
        self.iconified = on;
        self.events = true;
    });
    glfwSetMonitorCallback([](GLFWmonitor*, int) { ++displayChanges(); });
}

void Window::describe() {
    description_ = "OpenGL " + glText(GL_VERSION) + " on " + glText(GL_RENDERER) + " (" + glText(GL_VENDOR) + ")";
    width_ = glfw_->pixels.x;
    height_ = glfw_->pixels.y;
}

Window::Window(const PictureOptions& options) : glfw_(std::make_unique<Glfw>()) {
    glfw_->fixedScale = static_cast<float>(options.uiScale);
    glfw_->open(options.width, options.height);
    describe();
}

void Window::remake() {
    constexpr int kTries = 20;
    constexpr auto kPause = std::chrono::milliseconds(250);  // a reset takes about a second
    Glfw& g = *glfw_;
    g.setFullscreen(false);  // its place must be the one to restore; follow() covers the screen again
    const Rectangle at = g.place;
    glfwDestroyWindow(std::exchange(g.window, nullptr));
    g.iconified = g.hidden = false;
    for (int attempt = 1;; ++attempt) {
        try {
            g.open(std::max(at.width, 1), std::max(at.height, 1));
            break;
        } catch (const NoDeviceError&) {
            if (attempt == kTries) throw;
        }
        std::this_thread::sleep_for(kPause);
    }
    glfwSetWindowPos(g.window, at.x, at.y);
    describe();
}

Window::~Window() { detach(); }

WindowPlace Window::place() const {
    const Glfw& g = *glfw_;
    const Rectangle& at = g.fullscreen ? g.usualPlace : g.place;
    return {at.x, at.y, at.width, at.height, g.placed};
}

void Window::moveTo(const WindowPlace& place) {
    Glfw& g = *glfw_;
    if (place.width > 0 && place.height > 0) glfwSetWindowSize(g.window, place.width, place.height);
    if (place.placed && displayUnder(readDisplays(), {place.x, place.y, place.width, place.height}))
        glfwSetWindowPos(g.window, place.x, place.y);
    g.readPlace();
}

float Window::uiScale() const {
    if (glfw_->fixedScale > 0) return glfw_->fixedScale;
    float scale = 1, ignored = 1;
    glfwGetWindowContentScale(glfw_->window, &scale, &ignored);
    return std::clamp(scale, 0.5f, 4.0f);
}

void Window::attach(const App& app, Ui& ui, Controller& controller) {
    Glfw& g = *glfw_;
    g.ui = &ui;
    g.controller = &controller;
    g.input.emplace(
        app.document, app.reports.panels,
        [&controller](Command command, Sender sender) { controller.post(std::move(command), sender); },
        [&ui, &controller] {
            PanelFocus focus = ui.focus();
            focus.changing = controller.posted();
            return focus;
        },
        [&ui](const InputEvent& event) { ui.take(event); });
    g.input->setLayout([](Key physical) { return printedOn(static_cast<int>(physical), 0); });
    static constexpr auto of = [](GLFWwindow* window) -> Glfw& {
        Glfw& found = *static_cast<Glfw*>(glfwGetWindowUserPointer(window));
        found.events = true;
        return found;
    };
    static constexpr auto pointer = [](GLFWwindow* window, PointerEvent event) {
        event.time = glfwGetTime();
        of(window).take(event);
    };
    using Change = PointerEvent::Change;
    glfwSetKeyCallback(g.window, [](GLFWwindow* w, int key, int scancode, int action, int modifiers) {
        of(w).take(KeyEvent{.physical = key == GLFW_KEY_UNKNOWN ? Key::none : static_cast<Key>(key),
                            .printed = printedOn(key, scancode),
                            .modifiers = modifiers,
                            .down = action != GLFW_RELEASE,
                            .repeat = action == GLFW_REPEAT});
    });
    glfwSetCharCallback(g.window, [](GLFWwindow* w, unsigned letter) { of(w).take(TextEvent{letter}); });
    glfwSetMouseButtonCallback(g.window, [](GLFWwindow* w, int button, int action, int modifiers) {
        pointer(
            w, {.change = action == GLFW_PRESS ? Change::press : Change::release, .button = button, .modifiers = modifiers});
    });
    glfwSetCursorPosCallback(g.window, [](GLFWwindow* w, double x, double y) { pointer(w, {.at = of(w).toPixels(x, y)}); });
    glfwSetScrollCallback(g.window, [](GLFWwindow* w, double x, double y) {
        pointer(w, {.change = Change::scroll, .scroll = {static_cast<float>(x), static_cast<float>(y)}});
    });
    glfwSetCursorEnterCallback(g.window, [](GLFWwindow* w, int entered) {
        if (!entered) pointer(w, {.change = Change::leave});
        of(w);
    });
    glfwSetDropCallback(g.window, [](GLFWwindow* w, int count, const char** paths) {
        Glfw& self = of(w);
        if (self.controller && count > 0) self.controller->post(OpenFile{paths[0], count - 1}, Sender::pointer);
    });
    glfwSetWindowFocusCallback(g.window, [](GLFWwindow* w, int focused) { of(w).take(FocusEvent{focused == GLFW_TRUE}); });
    // The exposed area was covered or hidden.
    glfwSetWindowRefreshCallback(g.window, [](GLFWwindow* w) { of(w).hidden = false; });
    glfwSetWindowContentScaleCallback(g.window, [](GLFWwindow* w, float scale, float) {
        if (Glfw& self = of(w); self.fixedScale == 0) self.newScale = scale;
    });
    g.makeShapes();
    ui.setClipboard({.read =
                         [w = g.window] {
                             const char* text = glfwGetClipboardString(w);
                             return std::string(text ? text : "");
                         },
                     .write = [w = g.window](const std::string& text) { glfwSetClipboardString(w, text.c_str()); }});
    double x = 0, y = 0;
    glfwGetCursorPos(g.window, &x, &y);
    g.input->setSurface(glm::vec2(g.pixels));
    g.take(PointerEvent{.at = g.toPixels(x, y)});
    app.reports.panels.inWindow = true;
}

void Window::detach() {
    Glfw& g = *glfw_;
    if (g.ui) g.ui->setClipboard({});
    g.input.reset();
    g.ui = nullptr;
    g.controller = nullptr;
}

bool Window::handleEvents(double seconds) {
    Glfw& g = *glfw_;
    g.events = false;
    if (g.input && std::exchange(g.built, false)) g.input->resume();
    if (seconds > 0)
        glfwWaitEventsTimeout(seconds);
    else
        glfwPollEvents();
    g.askVisibility();
    g.followDisplays();
    if (g.input) g.input->setSurface(glm::vec2(g.pixels));
    width_ = g.iconified || g.hidden ? 0 : g.pixels.x;
    height_ = g.iconified || g.hidden ? 0 : g.pixels.y;
    return g.events;
}

bool Window::needsFrame() const { return glfw_->input && (glfw_->input->holdsKeys() || glfw_->input->pending()); }

void Window::holdKeys(double seconds) {
    if (glfw_->input) glfw_->input->holdKeys(seconds);
}

bool Window::closing() const { return glfwWindowShouldClose(glfw_->window); }

std::optional<float> Window::takeScale() {
    if (!glfw_->newScale) return std::nullopt;
    glfw_->newScale.reset();
    return uiScale();
}

void Window::beginUi() {
    Glfw& g = *glfw_;
    constexpr double kFirst = 1.0 / 60;  // [s]
    const double now = glfwGetTime(), took = g.builtAt < 0 ? kFirst : now - g.builtAt;
    g.builtAt = now;
    g.built = true;
    g.showShape(g.ui->pointerShape());
    g.ui->setSurface(width_, height_, took);
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
    // A virtual display, or a driver with vertical sync off, accepts pictures at any rate. More than a screen shows would
    // only keep the device from computing forces.
    const double interval = 1.0 / glfw_->rate.rate();
    const double due = glfw_->shownAt + interval, now = hostClock();
    const bool early = now < due && due <= now + interval;
    if (early) std::this_thread::sleep_for(std::chrono::duration<double>(due - now));
    glfw_->shownAt = early ? due : now;  // an overlong sleep shortens the next one
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
