// Everything that can be done by a key or in a menu, as rows: dispatch, the menu bar, the overlay of F1, `gravlab list keys`
// and docs/keys.md all walk them. A new one is one row in the file of its menu (menu_*.cpp).
// Rule: an action edits intent, look, camera or the state of the panels, and nothing else.
#pragma once
#include "app/control/keys.h"
#include "sim/backends/kernel.h"
#include "sim/core/value.h"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace gravlab {

/// One entry of a row that offers several.
struct ActionChoice {
    std::string_view label, idea;
    bool chosen = false;
    Reason unavailable{};  ///< empty: it can be chosen
};

/// A row.
struct Action {
    std::string_view name;                         ///< stable: tests point at it
    std::string_view label;                        ///< in the menu
    std::string_view idea;                         ///< one line: tooltip, F1, docs
    KeyStroke strokes[2]{};                        ///< either of them; none: menu only
    void (*act)(KeyTarget&, int which);            ///< `which`: 0, or the place within neighbouring keys or `choice`s
    bool (*checked)(const KeyTarget&) = {};        ///< draws a tick; empty: it has no state
    Reason (*unavailable)(const KeyTarget&) = {};  ///< why it cannot be done now; empty, or an empty text: it can
    /// Makes the row a list: the entry at `which`; false after the last one.
    bool (*choice)(const KeyTarget&, int which, ActionChoice&) = {};
    /// What a command may give it besides, such as COUNT; and the act with that. Throws UsageError. A row with a state takes
    /// on or off, a row with choices the name or number of one.
    std::string_view argument{};
    void (*with)(KeyTarget&, const Value& argument) = {};
    std::string_view list{};  ///< neighbouring rows with the same text here share a list of that name
    bool line = false;        ///< a line above it
    bool repeats = false;     ///< a key that stays down does it again and again, at the keyboard's own pace
    /// While its key stays down, beside `act` at the press; takes what a frame took [s]. Such rows do not repeat.
    void (*hold)(KeyTarget&, double seconds) = {};
};

/// A menu of the bar.
struct Menu {
    std::string_view name;
    std::span<const Action> rows;
};
std::span<const Menu> menus();

std::span<const Action> fileActions();
std::span<const Action> sceneActions();
std::span<const Action> simulationActions();
std::span<const Action> bodyActions();
std::span<const Action> viewActions();
std::span<const Action> lookActions();
std::span<const Action> labActions();
std::span<const Action> windowActions();
std::span<const Action> helpActions();

/// The action of that name; null when there is none.
const Action* findAction(std::string_view name);

/// On where it was off, and off where it was on.
inline void toggle(bool& value) { value = !value; }

/// Does it, or says why it cannot be done.
void perform(const Action& action, int which, KeyTarget& target);

/// The action of that name. Throws UsageError naming the nearest.
const Action& actionOf(std::string_view name);
/// Does it as a command asks: with nothing, its argument, on or off, or one of its choices. Throws UsageError: what it
/// takes, or why it cannot be done now.
void invoke(const Action& action, std::span<const Value> arguments, KeyTarget& target);
/// What a command may give it: "COUNT", "on or off", "galaxy, disc, ..."; empty: nothing.
std::string argumentText(const Action& action, const KeyTarget* target = nullptr);

/// How people read its keys: "Ctrl S", "N, Right", "1 .. 9"; empty when it has none. With `which`, one of neighbours: "3".
std::string keyText(const Action& action);
std::string keyText(const Action& action, int which);

/// What the mouse does: not actions, but listed with them.
struct MouseRow {
    std::string_view name, idea;
};
std::span<const MouseRow> mouseRows();

}  // namespace gravlab
