// Actions and settings by words: the results of the command search, and the state of its panel between frames. Rule: a row
// comes from the tables of actions and parameters; finding it changes nothing.
#pragma once
#include "app/control/action.h"
#include "app/control/command.h"
#include "app/parameters/parameter.h"

#include <string>
#include <string_view>
#include <vector>

namespace gravlab {

/// A command that is available now, or has a reason why not.
struct FoundCommand {
    const Action* action = nullptr;  ///< the action; null for a setting
    int which = 0;                   ///< index of the choice, for an action with several
    const Parameter* row = nullptr;  ///< the setting; null for an action
    std::string value{};             ///< the value typed after its words; empty: not typed yet
    std::string label, detail;       ///< its name; its keys and menu, or its present value
    std::string idea;
    Reason unavailable{};
    std::string name() const { return action ? std::string(action->name) : row->path; }
};

/// Commands with every word of `search` in name, label, idea or menu, the best match first. Words after those of a setting
/// are its value: "softening 0.3kpc". Without words all actions.
std::vector<FoundCommand> commandsWith(std::string_view search, const Document& document);

/// The command that Enter posts; empty when a value is missing, or the action is unavailable.
std::vector<Command> commandOf(const FoundCommand& found, const Document& document);

struct CommandFinder {
    bool open = false;       ///< whether the last frame showed it
    bool follow = false;     ///< scroll the row of the keys into view
    std::string search;      ///< as typed
    std::string put;         ///< text for the field in the next frame
    std::size_t chosen = 0;  ///< row selected by keys
};

}  // namespace gravlab
