// The panels over the picture: one class for the window and for films. Dear ImGui stays behind it.
// Rule: panels read what there is and post commands; they never call the simulation and never wait.
#pragma once
#include "app/control/command.h"
#include "app/model/document.h"
#include "app/ui/input.h"
#include "app/view/readouts.h"

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace gravlab {

/// Where a control was drawn last, so that a test can point at it. Pixels of the surface, origin top left.
struct UiItem {
    std::string name;
    float left = 0, top = 0, right = 0, bottom = 0;
    bool enabled = true;
};

/// Takes what people ask for at a panel: several commands belong together.
using Post = std::function<void(std::vector<Command>)>;

/// The text that other programs paste, and what they have copied.
struct Clipboard {
    std::function<std::string()> read;
    std::function<void(const std::string&)> write;
};

/// What the pointer looks like over the panels.
enum class PointerShape { arrow, text, upDown, leftRight, downLeft, downRight, hand };

class Ui {
public:
    /// Needs a current OpenGL 4.5 context for its whole life. `renderer` names that context for people. Several may live: a
    /// film has its own.
    /// `state`: what it shows; outlives it.
    Ui(float scale, std::string renderer, UiState& state);
    ~Ui();
    Ui(const Ui&) = delete;
    Ui& operator=(const Ui&) = delete;

    /// Rebuilds fonts and spacing; between frames only. 1 = 96 dots an inch.
    void setScale(float scale);
    /// Lets go of what the panels have in OpenGL while its context is still current. Only remakePicture() may follow.
    void dropPicture();
    /// Makes it anew in the context that is current now. Throws std::runtime_error.
    void remakePicture(std::string renderer);
    /// Size in pixels of the next frame, and how long the last one took.
    void setSurface(int width, int height, double seconds);
    /// What the panels shall see in the next frames.
    void take(const InputEvent& event);
    /// For as long as it is set; empty: texts are copied within the panels.
    void setClipboard(Clipboard clipboard);
    /// After frame().
    PointerShape pointerShape() const;
    /// Builds the panels of one frame. What is pressed there is posted; nothing is in films, which have no mouse.
    void frame(const Document& document, const Readouts& readouts, const Post& post = {});
    /// The same of an app: its services measure what these panels show, and what they leave free is for its picture.
    void frame(App& app, const Post& post = {});
    /// Builds and draws the panels of a picture of that size: sizes that follow from contents are right at once.
    void drawOver(App& app, int width, int height, double seconds);
    /// What they show with the surface that was set last, and where the pointer was on the matrix.
    PanelNeeds needs(const Document& document) const;
    /// Draws what frame() built into the bound framebuffer. Call once after each frame().
    void draw();
    /// The same, of a part of the surface, which fills the framebuffer. Pixels, from the upper left corner.
    void drawPart(int left, int top, int width, int height);

    /// What belongs to the panels: then the scene must not react.
    PanelFocus focus() const;
    /// Whether the pointer is over a panel, or text is being typed.
    bool wantsMouse() const;
    bool wantsKeyboard() const;
    /// Whether arrows, Enter, Space, Tab and Esc move in a menu or panel: then they are no commands.
    bool navigates() const;
    /// Keys open the menus or close them; they go to the next panel.
    void walkMenus();
    void nextPanel();
    /// A menu or list that is open.
    bool hasPopup() const;
    /// Whether a frame is needed although nothing else changed: a tooltip is due, a caret blinks, an event waits for a
    /// frame of its own.
    bool restless() const;

    /// Asks for items(), which cost an allocation each.
    void recordItems(bool on);
    std::span<const UiItem> items() const;

    /// The part of the surface that the panels of the last frame leave to pictures; empty: all.
    const PicturePart& free() const;

    UiState& state;

private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

}  // namespace gravlab
