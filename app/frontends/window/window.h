// A window with OpenGL 4.5 and its input. GLFW stays in window.cpp.
// Rule: callbacks only take notes or post commands; work happens in the frame loop.
#pragma once
#include "app/model/start_options.h"
#include "app/ui/ui.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gravlab {

class App;
class Controller;
struct WindowPlace;

class Window {
public:
    /// Opens the window and makes its context current. Throws NoDeviceError when there is no display or no OpenGL 4.5.
    explicit Window(const PictureOptions& options);
    ~Window();
    Window(const Window&) = delete;
    Window& operator=(const Window&) = delete;

    /// "OpenGL 4.5 ... on RENDERER (VENDOR)".
    const std::string& description() const { return description_; }
    /// Position of the window, and its size when it does not cover the screen.
    WindowPlace place() const;
    /// Sets its size, and its position unless its middle would be on no display.
    void moveTo(const WindowPlace& place);
    /// Scale for the panels on this display.
    float uiScale() const;

    /// Opens the window again after its context was lost: in the same place, with the same size. All OpenGL objects and the
    /// attachment must be gone by then. Throws NoDeviceError when graphics do not come back within some seconds.
    void remake();

    /// From now on posts the commands of events that the panels leave over. Detach before one of these ends.
    void attach(const App& app, Ui& ui, Controller& controller);
    void detach();

    /// Handles events; waits up to `seconds` for the first one. True when there was any.
    bool handleEvents(double seconds);
    bool closing() const;
    /// Whether keys are held that act continuously, or events wait for a frame of the panels.
    bool needsFrame() const;
    /// Posts the commands of held keys for a frame of `seconds` [s].
    void holdKeys(double seconds);
    /// Pixels to draw; 0 x 0 while minimised or hidden.
    int width() const { return width_; }
    int height() const { return height_; }
    /// The new scale, once after a change of the display's.
    std::optional<float> takeScale();

    /// Reports pointer and keys to the panels. Call before Ui::frame().
    void beginUi();
    /// Applies requests of keys and panels to the window.
    void follow(const UiState& state);
    void show();
    /// Shows a bar in an empty picture, and the words in the title, at once: for work during which no frame can be drawn.
    /// `share` is 0 to 1; at 1 the title is the usual one again.
    void showWaiting(const std::string& words, double share);
    /// The drawn frame that is not shown yet: packed RGB rows, top row first. Waits.
    std::vector<std::uint8_t> read() const;

private:
    struct Glfw;
    void describe();
    std::unique_ptr<Glfw> glfw_;
    std::string description_;
    int width_ = 0, height_ = 0;
};

}  // namespace gravlab
