// Events of pointer and keys, and their meaning for the picture: drags, clicks, held keys, menus. Rule: no window system
// here. The window makes the events from GLFW; any other display makes the same ones.
#pragma once
#include "app/control/command.h"
#include "app/control/keys.h"
#include "app/model/document.h"

#include <glm/vec2.hpp>

#include <deque>
#include <functional>
#include <utility>
#include <variant>
#include <vector>

namespace gravlab {

/// The buttons of a pointer. Further buttons pan, like the middle one.
enum PointerButton : int { kLeftButton = 0, kRightButton = 1, kMiddleButton = 2 };

struct PointerEvent {
    enum class Change { move, press, release, scroll, leave } change = Change::move;
    glm::vec2 at{0};  ///< pixels from the upper left corner of the surface
    int button = kLeftButton;
    int modifiers = kNoModifier;
    glm::vec2 scroll{0};  ///< steps of the wheel: left, and away from the user
    double time = 0;      ///< of any clock that only advances [s]
};

struct KeyEvent {
    Key physical = Key::none;  ///< the character of a US keyboard at this place
    Key printed = Key::none;   ///< the character of this keyboard; none: not in ASCII
    int modifiers = kNoModifier;
    bool down = true;
    bool repeat = false;  ///< the key has stayed down
};

/// A typed character, after dead keys and input methods.
struct TextEvent {
    unsigned letter = 0;  ///< Unicode
};

/// The surface has gained or lost the keyboard.
struct FocusEvent {
    bool focused = true;
};

using InputEvent = std::variant<PointerEvent, KeyEvent, TextEvent, FocusEvent>;

/// The events that belong to panels at this moment.
struct PanelFocus {
    bool pointer = false;    ///< the pointer is over a panel, or drags a control
    bool typing = false;     ///< a text field has the keyboard
    bool navigates = false;  ///< arrows, Enter, Space, Tab and Esc move in a menu or panel
    bool popup = false;      ///< a menu or list is open
    bool unseen = false;     ///< a press or a field that asks for the keyboard will change these within some frames
    bool changing = false;   ///< panels have posted commands that may change these, and no frame has applied them
};

/// A queue of events in their order. It turns them into commands and passes them to the panels, up to an event that may
/// change who gets the next ones. Those wait until frames of the panels have shown the change: text that follows a key
/// belongs to the field that the key opens.
class Input {
public:
    using ToPanels = std::function<void(const InputEvent&)>;
    /// Document and `panels` must outlive it. `focus` is called for each event.
    Input(
        const Document& document, PanelState& panels, PostOne post, std::function<PanelFocus()> focus,
        ToPanels toPanels = [](const InputEvent&) {})
        : document_(document),
          panels_(panels),
          post_(std::move(post)),
          focus_(std::move(focus)),
          toPanels_(std::move(toPanels)) {}

    /// Sets the function that gives the printed character of a place, for keys that are not down.
    void setLayout(PrintedAt printedAt) { printedAt_ = std::move(printedAt); }
    /// Sets the size of the picture [pixels].
    void setSurface(glm::vec2 size) { surface_ = size; }

    void take(const InputEvent& event);
    /// Continues with events that have waited. Call it after each frame of the panels.
    void resume();
    /// Whether events wait for a frame of the panels.
    bool pending() const { return !waiting_.empty(); }

    /// Whether any key is down that acts while held.
    bool holdsKeys() const { return !held_.empty(); }
    /// Posts the effect of held keys for a frame of that duration [s].
    void holdKeys(double seconds);
    /// Forgets drags and keys without ending them; call it before the surface is destroyed.
    void reset();

private:
    void drain();
    void act(const PointerEvent& event);
    void act(const KeyEvent& event);
    void act(const TextEvent&) {}  // only panels use text
    void act(const FocusEvent& event);
    void press(const PointerEvent& event);
    void release(int button);
    void moveTo(glm::vec2 to);
    void pressKey(const KeyEvent& event);
    void watchAlt(const KeyEvent& event);
    void point(PointerKind kind, glm::vec2 by = glm::vec2(0));
    bool near(glm::vec2 place) const;

    enum class Drag { none, orbit, pan, drop, aim, pull };
    struct HeldKey {
        Key physical;
        const Action* action;
    };

    const Document& document_;
    PanelState& panels_;
    PostOne post_;
    std::function<PanelFocus()> focus_;
    ToPanels toPanels_;
    PrintedAt printedAt_;
    glm::vec2 surface_{1}, cursor_{0}, pressedAt_{-1000}, clickedAt_{-1000};
    double clickedTime_ = -1000;  ///< time of the first click of a double click [s]
    Drag drag_ = Drag::none;
    bool pulls_ = false;  ///< a drag from the selected body is longer than a click
    int dragButton_ = kLeftButton;
    bool altAlone_ = false;  ///< Alt is down and no other key was pressed
    std::vector<HeldKey> held_;
    std::deque<InputEvent> waiting_;
    int framesOwed_ = 0;  ///< most frames of the panels before the next event
};

}  // namespace gravlab
