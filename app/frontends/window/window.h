// A window with OpenGL 4.5 and what people do to it. GLFW stays in window.cpp.
// Rule: callbacks only take notes or post commands; work happens in the frame loop.
#pragma once
#include "app/model/options.h"
#include "app/ui/ui.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gravlab {

class Controller;
struct WindowPlace;

class Window {
public:
    /// Opens it and makes its context current. Throws NoDeviceError when there is no display or no OpenGL 4.5.
    explicit Window(const Options& options);
    ~Window();
    Window(const Window&) = delete;
    Window& operator=(const Window&) = delete;

    /// "OpenGL 4.5 ... on RENDERER (VENDOR)".
    const std::string& description() const { return description_; }
    /// Where it is, and how large when it does not cover the screen.
    WindowPlace place() const;
    /// Gives it that size, and moves it there unless its middle would be on no display.
    void moveTo(const WindowPlace& place);
    /// What the panels should be scaled by here.
    float uiScale() const;

    /// Opens it again after its context was lost: in the same place, with the same size. Everything of OpenGL and the
    /// attachment must be gone by then. Throws NoDeviceError when graphics do not come back within some seconds.
    void remake();

    /// Posts what events mean from now on, after the panels had their choice. Detach before one of these ends.
    void attach(const Document& document, Ui& ui, Controller& controller);
    void detach();

    /// Handles events; waits up to `seconds` for the first one. True when there was any.
    bool handleEvents(double seconds);
    bool closing() const;
    /// Whether keys are down that act as long as they are.
    bool holdsKeys() const;
    /// Posts what they do in a frame that took so long [s].
    void holdKeys(double seconds);
    /// Pixels to draw; 0 x 0 while minimised or hidden.
    int width() const { return width_; }
    int height() const { return height_; }
    /// The new scale, once after the display's has changed.
    std::optional<float> takeScale();

    /// Tells the panels where pointer and keys are. Before Ui::frame().
    void beginUi();
    /// Takes up what keys and panels asked of the window.
    void follow(const UiState& state);
    /// Shows what was drawn.
    void show();
    /// Shows a bar in an empty picture, and the words in the title, at once: for work that no frame can be drawn beside. The
    /// share is 0 to 1; at 1 the title is the usual one again.
    void showWaiting(const std::string& words, double share);
    /// What was drawn and not yet shown: packed RGB rows, top row first. Waits.
    std::vector<std::uint8_t> read() const;

private:
    struct Glfw;
    void describe();
    std::unique_ptr<Glfw> glfw_;
    std::string description_;
    int width_ = 0, height_ = 0;
};

}  // namespace gravlab
