#include "app/ui/input.h"

#include "app/control/action.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>

namespace gravlab {
namespace {

constexpr double kDoubleClick = 0.4;  // [s]
constexpr float kClickRadius = 6;     // largest motion of the pointer during a click, pixels at scale 1

template <std::size_t Count>
bool isOneOf(const Key (&keys)[Count], Key key) {
    return std::find(std::begin(keys), std::end(keys), key) != std::end(keys);
}

/// Most frames of the panels until a change is shown: a command is applied, opens or closes a panel, and posts another.
constexpr int kMostFrames = 4;
constexpr Key kDeciding[] = {Key::space, Key::enter, Key::padEnter, Key::escape, Key::tab};

/// Keys that move the focus in menus and panels.
bool movesInPanels(Key key, int modifiers) {
    static constexpr Key kKeys[] = {Key::space, Key::enter, Key::escape, Key::tab,      Key::left, Key::right,
                                    Key::up,    Key::down,  Key::pageUp, Key::pageDown, Key::home, Key::end};
    return !(modifiers & (kControl | kAlt)) && isOneOf(kKeys, key);
}

/// Keys that edit a text field together with Ctrl.
bool editsText(Key key) {
    static constexpr Key kKeys[] = {Key{'A'}, Key{'C'},  Key{'V'},   Key{'X'},  Key{'Y'},
                                    Key{'Z'}, Key::left, Key::right, Key::home, Key::end};
    return isOneOf(kKeys, key);
}

bool releases(const InputEvent& event) {
    const auto* key = std::get_if<KeyEvent>(&event);
    const auto* pointer = std::get_if<PointerEvent>(&event);
    return (key && !key->down) || (pointer && pointer->change == PointerEvent::Change::release);
}

}  // namespace

void Input::point(PointerKind kind, glm::vec2 by) { post_(Pointer{kind, cursor_, by, surface_}, Sender::pointer); }

bool Input::near(glm::vec2 place) const {
    const glm::vec2 way = cursor_ - place;
    return std::hypot(way.x, way.y) < kClickRadius * panels_.scale;
}

void Input::act(const PointerEvent& event) {
    using Change = PointerEvent::Change;
    if (event.change == Change::move) moveTo(event.at);
    if (event.change == Change::press) press(event);
    if (event.change == Change::release) release(event.button);
    if (event.change == Change::scroll && !focus_().pointer) point(PointerKind::zoom, {0, event.scroll.y});
}

void Input::press(const PointerEvent& event) {
    altAlone_ = false;
    const bool dragged = drag_ != Drag::none && event.button != dragButton_;
    if (dragged || focus_().pointer) return;
    panels_.navigating = false;
    const bool left = event.button == kLeftButton && !(event.modifiers & kShift);
    dragButton_ = event.button;
    if (left && document_.drop.on) {
        drag_ = Drag::drop;
        return point(PointerKind::dropStart);
    }
    if (left && document_.onArrowTip(cursor_, surface_)) {
        drag_ = Drag::aim;
        return point(PointerKind::aimStart);
    }
    drag_ = !left ? Drag::pan : document_.onSelected(cursor_, surface_) ? Drag::pull : Drag::orbit;
    pulls_ = false;
    pressedAt_ = cursor_;
    if (event.button != kLeftButton) return;
    if (event.time - clickedTime_ < kDoubleClick && near(clickedAt_)) {
        point(PointerKind::centre);
        clickedTime_ = -1000;
        return;
    }
    clickedTime_ = event.time;
    clickedAt_ = cursor_;
}

/// A press without motion is a click, on a body or on none.
void Input::release(int button) {
    if (button != dragButton_) return;
    const Drag ended = std::exchange(drag_, Drag::none);
    if (ended == Drag::drop) point(PointerKind::dropEnd);
    if (ended == Drag::aim) point(PointerKind::aimEnd);
    if (ended == Drag::pull && pulls_) return point(PointerKind::pullEnd);
    if ((ended == Drag::orbit || ended == Drag::pull) && near(pressedAt_)) point(PointerKind::pick);
}

void Input::moveTo(glm::vec2 to) {
    const glm::vec2 way = to - cursor_;
    cursor_ = to;
    if (drag_ == Drag::drop) point(PointerKind::dropMove);
    if (drag_ == Drag::aim) point(PointerKind::aimMove);
    if (drag_ == Drag::pull && pulls_) point(PointerKind::pullMove);
    if (drag_ == Drag::pull && !pulls_ && !near(pressedAt_)) {
        pulls_ = true;
        point(PointerKind::pullStart);
    }
    if (drag_ == Drag::orbit) point(PointerKind::orbit, way);
    if (drag_ == Drag::pan) point(PointerKind::pan, way);
}

void Input::take(const InputEvent& event) {
    if (const auto* focus = std::get_if<FocusEvent>(&event); focus && !focus->focused) {
        // The window drops the events that wait, but the panels must learn which keys and buttons are up.
        for (const InputEvent& late : std::exchange(waiting_, {}))
            if (releases(late)) toPanels_(late);
        act(*focus);
        return toPanels_(event);
    }
    waiting_.push_back(event);
    drain();
}

void Input::resume() {
    if (framesOwed_ > 0 && !focus_().changing) framesOwed_ = 0;
    framesOwed_ = std::max(framesOwed_ - 1, 0);
    drain();
}

void Input::drain() {
    while (!waiting_.empty() && framesOwed_ == 0 && !focus_().unseen) {
        const InputEvent event = waiting_.front();
        waiting_.pop_front();
        std::visit([this](const auto& one) { act(one); }, event);
        toPanels_(event);
    }
}

void Input::act(const KeyEvent& event) {
    watchAlt(event);
    if (event.down)
        pressKey(event);
    else
        std::erase_if(held_, [&](const HeldKey& key) { return key.physical == event.physical; });
}

void Input::pressKey(const KeyEvent& event) {
    if (event.physical == Key::none) return;
    Key key = actingKey(event.physical, event.printed, event.modifiers, printedAt_);
    const PanelFocus focus = focus_();
    // These keys end the text of a field, or choose in a menu.
    if ((focus.typing || focus.navigates) && isOneOf(kDeciding, key)) framesOwed_ = kMostFrames;
    // During text input only function keys and keys with a modifier are commands, unless they edit the text.
    if (focus.typing && !(event.modifiers & (kControl | kAlt)) && key < Key::f1) return;
    if (focus.typing && (event.modifiers & kControl) && editsText(key)) return;
    if (key == Key::padEnter) key = Key::enter;
    if (focus.navigates && movesInPanels(key, event.modifiers)) {
        if (key == Key::escape && !focus.popup) panels_.navigating = false;
        return;
    }
    const Action* row = gravlab::pressKey(key, event.modifiers, post_, event.repeat);
    if (!event.repeat && row && row->holds) held_.push_back({event.physical, row});
    if (row && row->redirects) framesOwed_ = kMostFrames;
}

/// Alt pressed and released alone opens the menus.
void Input::watchAlt(const KeyEvent& event) {
    const bool alt = event.physical == Key::leftAlt;
    if (event.down && !event.repeat)
        altAlone_ = alt;
    else if (!event.down && alt && std::exchange(altAlone_, false))
        pressKey({.physical = Key::f10});
}

/// When the keyboard goes to another window, release the keys and buttons that are down.
void Input::act(const FocusEvent& event) {
    if (event.focused) return;
    const Drag ended = drag_;
    reset();
    if (ended == Drag::drop) point(PointerKind::dropCancel);
    if (ended == Drag::aim) point(PointerKind::aimCancel);
    if (ended == Drag::pull && pulls_) point(PointerKind::pullEnd);
}

void Input::reset() {
    altAlone_ = false;
    held_.clear();
    waiting_.clear();
    framesOwed_ = 0;
    drag_ = Drag::none;
}

void Input::holdKeys(double seconds) {
    constexpr double kLongest = 0.1;  // [s]; a delayed frame must not move the camera far
    for (const HeldKey& key : held_)
        post_(Invoke{std::string(key.action->name), {std::min(seconds, kLongest)}}, Sender::key);
}

}  // namespace gravlab
