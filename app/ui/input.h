// What people do with pointer and keys, as events, and what that means for the picture: drags, clicks, held keys, menus.
// Rule: no window system. The window fills the events from GLFW; whatever else shows a picture fills them likewise.
#pragma once
#include "app/control/command.h"
#include "app/control/keys.h"
#include "app/model/document.h"

#include <glm/vec2.hpp>

#include <functional>
#include <utility>
#include <variant>
#include <vector>

namespace gravlab {

/// The buttons of a pointer. Further ones pan, as the middle one does.
enum PointerButton : int { kLeftButton = 0, kRightButton = 1, kMiddleButton = 2 };

struct PointerEvent {
    enum class Change { move, press, release, scroll, leave } change = Change::move;
    glm::vec2 at{0};  ///< pixels from the upper left corner of the surface
    int button = kLeftButton;
    int modifiers = kNoModifier;
    glm::vec2 scroll{0};  ///< steps of the wheel, to the left and away from the hand
    double time = 0;      ///< of any clock that only goes forwards [s]
};

struct KeyEvent {
    Key physical = Key::none;  ///< what a US keyboard prints at this place
    Key printed = Key::none;   ///< what this keyboard prints there; none: no character of ASCII
    int modifiers = kNoModifier;
    bool down = true;
    bool repeat = false;  ///< the key has stayed down
};

/// A character that was typed, after dead keys and input methods.
struct TextEvent {
    unsigned letter = 0;  ///< Unicode
};

/// The surface has the keyboard now, or has lost it.
struct FocusEvent {
    bool focused = true;
};

using InputEvent = std::variant<PointerEvent, KeyEvent, TextEvent, FocusEvent>;

/// Which events belong to the panels at this moment.
struct PanelFocus {
    bool pointer = false;    ///< it is over a panel, or drags a control
    bool typing = false;     ///< a text field has the keyboard
    bool navigates = false;  ///< arrows, Enter, Space, Tab and Esc move in a menu or panel
    bool popup = false;      ///< a menu or list is open
};

/// Turns events into commands.
class Input {
public:
    /// Document and `state`, which is that of the panels, outlive it. `focus` is called for each event.
    Input(const Document& document, UiState& state, PostOne post, std::function<PanelFocus()> focus)
        : document_(document), state_(state), post_(std::move(post)), focus_(std::move(focus)) {}

    /// What the keyboard prints at a place, for keys that are not down.
    void setLayout(PrintedAt printedAt) { printedAt_ = std::move(printedAt); }
    /// Pixels of the picture.
    void setSurface(glm::vec2 size) { surface_ = size; }

    void take(const InputEvent& event) {
        std::visit([this](const auto& one) { act(one); }, event);
    }

    /// Whether keys are down that act as long as they are.
    bool holdsKeys() const { return !held_.empty(); }
    /// Posts what they do in a frame that took so long [s].
    void holdKeys(double seconds);
    /// Forgets drags and keys without ending them, when the surface goes.
    void reset();

private:
    void act(const PointerEvent& event);
    void act(const KeyEvent& event);
    void act(const TextEvent&) {}  // text is for the panels alone
    void act(const FocusEvent& event);
    void press(const PointerEvent& event);
    void release(int button);
    void moveTo(glm::vec2 to);
    void pressKey(const KeyEvent& event);
    void watchAlt(const KeyEvent& event);
    void point(PointerKind kind, glm::vec2 by = glm::vec2(0));
    bool near(glm::vec2 place) const;

    enum class Drag { none, orbit, pan, drop, aim };
    struct HeldKey {
        Key physical;
        const Action* action;
    };

    const Document& document_;
    UiState& state_;
    PostOne post_;
    std::function<PanelFocus()> focus_;
    PrintedAt printedAt_;
    glm::vec2 surface_{1}, cursor_{0}, pressedAt_{-1000}, clickedAt_{-1000};
    double clickedTime_ = -1000;  ///< of the click that a second one makes double [s]
    Drag drag_ = Drag::none;
    int dragButton_ = kLeftButton;
    bool altAlone_ = false;  ///< Alt went down and nothing else since
    std::vector<HeldKey> held_;
};

}  // namespace gravlab
