// Every action of a key or menu, as rows. Dispatch, the menu bar, the overlay of F1, `gravlab list keys` and docs/keys.md
// all read them. A new action is one row in the file of its menu (menu_*.cpp).
// Rule: an action edits intent, look, camera or panel state, and returns the effect outside the document. Only the
// controller calls it.
#pragma once
#include "app/control/command.h"
#include "app/control/effect.h"
#include "app/control/keys.h"
#include "app/parameters/setting_choices.h"
#include "sim/backends/kernel.h"
#include "sim/core/value.h"

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gravlab {

/// `undoSkips` text of rows that write a file.
constexpr std::string_view kFileStays = "A file that was written stays; remove it where it is not wanted.";

/// Alternative keys of a row; none: menu only.
struct Strokes : std::array<KeyStroke, 2> {
    constexpr Strokes(KeyStroke one = {}, KeyStroke other = {}) : array{one, other} {}
};

/// One row of the table.
struct Action {
    std::string_view name{};  ///< stable: tests refer to it
    /// Menu text, and one line for tooltip, F1 and docs. A row may leave them empty: the parameter's texts then apply.
    std::string_view label{}, idea{};
    Strokes strokes{};
    /// The parameter that the action changes. Without `act` and `effect`, the row toggles a flag, or sets one of the
    /// parameter's names.
    std::string_view parameter{};
    void (*act)(KeyTarget&, int which) = {};             ///< `which`: 0, or the index among neighbouring keys or choices
    Effect (*effect)(const KeyTarget&, int which) = {};  ///< effect outside the document, after `act`
    bool (*checked)(const KeyTarget&) = {};              ///< draws a tick; empty: the row has no state
    Reason (*unavailable)(const KeyTarget&) = {};  ///< why it is impossible now; empty, or an empty text: it is possible
    /// Sets the parameter to the possible choice that many places after the present one, or before it.
    int next = 0;
    std::vector<SettingChoice> (*choices)(const KeyTarget&) = {};  ///< makes the row a list of these
    /// Name of the optional argument of a command, such as COUNT; the functions below take it. Throws UsageError. A row with
    /// a state takes on or off; a row with choices takes a name or number.
    std::string_view argument{};
    void (*with)(KeyTarget&, const Value& argument) = {};
    Effect (*effectWith)(const KeyTarget&, const Value& argument) = {};  ///< in place of `effect`
    /// Why undo cannot reverse it, in a sentence. Both are empty where it changes only settings and bodies.
    /// `undoSkips`: the row leaves the run and its settings unchanged, so undo reverses the change before it.
    std::string_view whyNotUndoable{}, undoSkips{};
    std::string_view list{};  ///< neighbouring rows with the same text form a list of that name
    bool line = false;        ///< a separator line above it
    bool repeats = false;     ///< a held key repeats it at the keyboard's own rate
    /// While its key is held, `with` receives the duration of each frame [s]. Such rows do not repeat.
    bool holds = false;
    bool client = false;  ///< for client programs: in no menu
    /// Later keys and presses mean something else after it: in a window they wait until its frame has been shown.
    bool redirects = false;
};

/// A row: its texts, then the rest.
constexpr Action does(std::string_view name, std::string_view label, std::string_view idea, Action rest) {
    rest.name = name;
    rest.label = label;
    rest.idea = idea;
    return rest;
}

/// A row that makes a parameter larger or smaller, by one or two keys that repeat it.
constexpr Action scales(std::string_view name, std::string_view label, std::string_view idea, std::string_view parameter,
                        KeyStroke stroke, KeyStroke other, void (*act)(KeyTarget&, int), bool line = false) {
    return does(name, label, idea,
                {.strokes = {stroke, other}, .parameter = parameter, .act = act, .line = line, .repeats = true});
}

/// A row that sets the next choice of a parameter, or with -1 back.
constexpr Action nexts(std::string_view name, std::string_view label, std::string_view idea, std::string_view parameter,
                       KeyStroke stroke, int next = 1, bool line = false) {
    return does(name, label, idea, {.strokes = {stroke}, .parameter = parameter, .next = next, .line = line});
}

/// The effect of a row that adds nothing to it.
template <class What>
Effect sends(const KeyTarget&, int) {
    return What{};
}

/// A menu of the bar.
struct Menu {
    std::string_view name;
    std::span<const Action> rows;
};
std::span<const Menu> menus();

// The rows as the files define them; only menus() fills in the empty texts.
std::span<const Action> fileActions();
std::span<const Action> sceneActions();
std::span<const Action> simulationActions();
std::span<const Action> bodyActions();
std::span<const Action> viewActions();
std::span<const Action> lookActions();
std::span<const Action> labActions();
std::span<const Action> windowActions();
std::span<const Action> helpActions();

/// The action with that name; null when there is none.
const Action* findAction(std::string_view name);

/// Whether the row is a list, and its present choices; empty for other rows.
bool hasChoices(const Action& action);
std::vector<SettingChoice> choicesOf(const Action& action, const KeyTarget& target);
/// Whether the row has an on-off state, and whether that is on.
bool hasState(const Action& action);
bool isOn(const Action& action, const KeyTarget& target);

/// Switches the value on or off.
inline void toggle(bool& value) { value = !value; }

/// The command of a key or menu; `which` is the index among neighbouring keys or choices.
Invoke invokeOf(const Action& action, int which = 0);

/// The action with that name. Throws UsageError, which names the nearest action.
const Action& actionOf(std::string_view name);
/// Runs the action for a command: without argument, or with its argument, on or off, or one of its choices. Throws
/// UsageError with the accepted arguments, or with the reason why it is impossible now. Returns the effect outside the
/// document; empty: none.
std::optional<Effect> invoke(const Action& action, std::span<const Value> arguments, KeyTarget& target);
/// The arguments of its command: "COUNT", "on or off", "galaxy, disc, ..."; empty: none.
std::string argumentText(const Action& action, const KeyTarget* target = nullptr);

/// The keys of all actions that change that parameter, as text: "+ and -"; empty where there are none.
std::string keysOf(std::string_view parameter);

/// Its keys as text: "Ctrl S", "N, Right", "1 .. 9"; empty when it has none. With `which`, the key of one neighbour: "3".
std::string keyText(const Action& action);
std::string keyText(const Action& action, int which);

/// A mouse gesture: not an action, but listed with them.
struct MouseRow {
    std::string_view name, idea;
};
std::span<const MouseRow> mouseRows();

}  // namespace gravlab
