// The panels over the picture: one class for the window and for films. Dear ImGui stays behind it.
// Rule: panels read what there is and post commands; they never call the simulation and never wait.
#pragma once
#include "app/control/command.h"
#include "app/model/ui_state.h"
#include "app/view/workspace.h"

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

class Ui {
public:
    /// Needs a current OpenGL 4.5 context for its whole life. `renderer` names that context for people. Several may live: a
    /// film has its own. A window's platform backend belongs to the first.
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
    /// Size and time without a window: films, tests. A window's platform backend sets them itself.
    void setSurface(int width, int height, double seconds);
    /// Builds the panels of one frame. What is pressed there is posted; nothing is in films, which have no mouse.
    void frame(Workspace& workspace, const Post& post = {});
    /// Draws what frame() built into the bound framebuffer. Call once after each frame().
    void draw();
    /// The same, of a part of the surface, which fills the framebuffer. Pixels, from the upper left corner.
    void drawPart(int left, int top, int width, int height);

    /// Whether the pointer is over a panel, or text is being typed: then the scene must not react.
    bool wantsMouse() const;
    bool wantsKeyboard() const;
    /// Whether arrows, Enter, Space, Tab and Esc move in a menu or panel: then they are no commands.
    bool navigates() const;
    /// Keys open the menus or close them; they go to the next panel.
    void walkMenus();
    void nextPanel();
    /// A menu or list that is open.
    bool hasPopup() const;
    /// Whether a frame is needed although nothing else changed: a tooltip is due, a caret blinks.
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
