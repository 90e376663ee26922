// The panels over the picture: one class for the window and for films; Dear ImGui stays behind it. Rule: panels read state
// and post commands; they never call the simulation and never wait.
#pragma once
#include "app/control/command.h"
#include "app/model/document.h"
#include "app/ui/input.h"
#include "app/view/service_results.h"

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace gravlab {

/// The last place of a control, so that a test can point at it. Pixels of the surface, origin top left.
struct UiItem {
    std::string name;
    float left = 0, top = 0, right = 0, bottom = 0;
    bool enabled = true;
    // For pages and readers of screens: its role in ARIA's words; none: nothing can be done with it.
    std::string role{}, label{}, value{}, reason{};
};

/// Receives the user's commands from a panel; those of one call belong together.
using Post = std::function<void(std::vector<Command>)>;

/// Texts that are exchanged with other programs.
struct Clipboard {
    std::function<std::string()> read;
    std::function<void(const std::string&)> write;
};

/// The shape of the pointer over the panels.
enum class PointerShape { arrow, text, upDown, leftRight, downLeft, downRight, hand };

class Ui {
public:
    /// Needs a current OpenGL 4.5 context for its whole life. `renderer` is that context's name for people. Several may
    /// exist: a film has its own. `state`: the visible panels, and `reports` what the panels report; both must outlive it.
    Ui(float scale, std::string renderer, const UiState& state, PanelState& reports);
    /// The panels of that app's document.
    Ui(float scale, std::string renderer, const App& app);
    ~Ui();
    Ui(const Ui&) = delete;
    Ui& operator=(const Ui&) = delete;

    /// Rebuilds fonts and spacing; between frames only. 1 = 96 dots per inch.
    void setScale(float scale);
    /// Releases the panels' OpenGL objects while their context is still current. Only remakePicture() may follow.
    void dropPicture();
    /// Makes these objects again in the current context. Throws GlError.
    void remakePicture(std::string renderer);
    /// Sets the size of the next frame in pixels, and the duration of the last one.
    void setSurface(int width, int height, double seconds);
    /// Queues an event for the next frames.
    void take(const InputEvent& event);
    /// Sets the clipboard; when empty, texts are copied only within the panels.
    void setClipboard(Clipboard clipboard);
    /// The shape of the pointer; valid after frame().
    PointerShape pointerShape() const;
    /// Builds the panels of one frame and posts the user's commands; films have no mouse and post nothing.
    void frame(const Document& document, const ServiceResults& readouts, const Post& post = {});
    void frame(App& app, const Post& post = {});
    void drawOver(App& app, int width, int height, double seconds);
    PanelNeeds needs(const Document& document) const;
    /// Draws the panels of frame() into the bound framebuffer. Call it once after each frame().
    void draw();
    /// The same for a rectangle of the surface, which fills the framebuffer. Pixels, from the upper left corner.
    void drawPart(int left, int top, int width, int height);

    /// The events that belong to panels: the scene must not react to them.
    PanelFocus focus() const;
    /// Whether the pointer is over a panel, or text is being typed.
    bool wantsMouse() const;
    bool wantsKeyboard() const;
    /// Whether arrows, Enter, Space, Tab and Esc move in a menu or panel: then they are not commands.
    bool navigates() const;
    /// Opens or closes the menus by keys; moves the focus to the next panel.
    void walkMenus();
    void nextPanel();
    /// Whether a menu or list is open.
    bool hasPopup() const;
    /// Whether another frame is needed although nothing else changed: a tooltip is due, a caret blinks, or an event waits
    /// for its own frame.
    bool restless() const;

    /// Enables items(), which cost an allocation each.
    void recordItems(bool on);
    std::span<const UiItem> items() const;

    /// The area of the surface that the panels of the last frame leave free; empty: all.
    const PicturePart& free() const;

    const UiState& state;

private:
    PanelState& reports_;
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

}  // namespace gravlab
