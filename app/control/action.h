// Everything that can be done by a key or in a menu, as rows: dispatch, the menu bar, the overlay of F1, `gravlab list keys`
// and docs/keys.md all walk them. A new one is one row in the file of its menu (menu_*.cpp).
// Rule: an action edits intent, look, camera or the state of the panels, and returns what the world outside shall do; the
// controller alone calls it.
#pragma once
#include "app/control/command.h"
#include "app/control/effect.h"
#include "app/control/keys.h"
#include "app/control/setting_choices.h"
#include "sim/backends/kernel.h"
#include "sim/core/value.h"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gravlab {

/// What a row that writes a file leaves.
constexpr std::string_view kFileStays = "A file that was written stays; remove it where it is not wanted.";

/// A row.
struct Action {
    std::string_view name;  ///< stable: tests point at it
    /// In the menu; and one line for tooltip, F1 and docs. A file of rows may leave them out: they are the parameter's then.
    std::string_view label{}, idea{};
    KeyStroke strokes[2]{};  ///< either of them; none: menu only
    /// The parameter that it changes. Without `act` and `effect` that is all it does: it switches a flag on and off, or sets
    /// one of the names that the parameter offers.
    std::string_view parameter{};
    void (*act)(KeyTarget&, int which) = {};             ///< `which`: 0, or the place within neighbouring keys or `choice`s
    Effect (*effect)(const KeyTarget&, int which) = {};  ///< what the world outside shall do, after `act`
    bool (*checked)(const KeyTarget&) = {};              ///< draws a tick; empty: it has no state
    Reason (*unavailable)(const KeyTarget&) = {};        ///< why it cannot be done now; empty, or an empty text: it can
    /// Makes the row a list: the entry at `which`; false after the last one.
    bool (*choice)(const KeyTarget&, int which, SettingChoice&) = {};
    /// What a command may give it besides, such as COUNT; and the act with that. Throws UsageError. A row with a state takes
    /// on or off, a row with choices the name or number of one.
    std::string_view argument{};
    void (*with)(KeyTarget&, const Value& argument) = {};
    Effect (*effectWith)(const KeyTarget&, const Value& argument) = {};  ///< in place of `effect`
    /// Why undo cannot take it back, in a sentence; both empty where settings and edits of bodies are all that it changes.
    /// `leaves`: it leaves the run and its settings as they are, so undo goes on to what was changed before it.
    std::string_view lasting{}, leaves{};
    std::string_view list{};  ///< neighbouring rows with the same text here share a list of that name
    bool line = false;        ///< a line above it
    bool repeats = false;     ///< a key that stays down does it again and again, at the keyboard's own pace
    /// While its key stays down it goes on: `with` takes what each frame took [s]. Such rows do not repeat.
    bool holds = false;
    bool client = false;  ///< for programs that drive this one: in no menu
};

/// A menu of the bar.
struct Menu {
    std::string_view name;
    std::span<const Action> rows;
};
std::span<const Menu> menus();

// As their files have them; menus() alone fills in what they leave out.
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

/// Whether it is a list, and what that offers now; empty for other rows.
bool hasChoices(const Action& action);
std::vector<SettingChoice> choicesOf(const Action& action, const KeyTarget& target);
/// Whether it has a state that is on or off, and whether that is on.
bool hasState(const Action& action);
bool isOn(const Action& action, const KeyTarget& target);

/// On where it was off, and off where it was on.
inline void toggle(bool& value) { value = !value; }

/// The command of a key or a menu: `which` of neighbouring keys or choices.
Invoke invokeOf(const Action& action, int which = 0);

/// The action of that name. Throws UsageError naming the nearest.
const Action& actionOf(std::string_view name);
/// Does it as a command asks: with nothing, its argument, on or off, or one of its choices. Throws UsageError: what it
/// takes, or why it cannot be done now. Gives what the world outside shall do; empty: nothing.
std::optional<Effect> invoke(const Action& action, std::span<const Value> arguments, KeyTarget& target);
/// What a command may give it: "COUNT", "on or off", "galaxy, disc, ..."; empty: nothing.
std::string argumentText(const Action& action, const KeyTarget* target = nullptr);

/// The keys of all actions that change that parameter, as text: "+ and -"; empty where none does.
std::string keysOf(std::string_view parameter);

/// How people read its keys: "Ctrl S", "N, Right", "1 .. 9"; empty when it has none. With `which`, one of neighbours: "3".
std::string keyText(const Action& action);
std::string keyText(const Action& action, int which);

/// What the mouse does: not actions, but listed with them.
struct MouseRow {
    std::string_view name, idea;
};
std::span<const MouseRow> mouseRows();

}  // namespace gravlab
