// Actions and settings by words: what the search of commands finds, and what its panel remembers between frames.
// Rule: a row comes from the tables of actions and parameters; finding it changes nothing.
#pragma once
#include "app/control/action.h"
#include "app/control/command.h"
#include "app/control/parameter.h"

#include <string>
#include <string_view>
#include <vector>

namespace gravlab {

/// Something that can be done now, or that says why not.
struct FoundCommand {
    const Action* action = nullptr;  ///< either this
    int which = 0;                   ///< its choice, of an action that has several
    const Parameter* row = nullptr;  ///< or this
    std::string value{};             ///< of the row, as it was typed behind its words; empty: it is still to be typed
    std::string label, detail;       ///< what it is called; its keys and menu, or its value now
    std::string idea;
    Reason unavailable{};
    std::string name() const { return action ? std::string(action->name) : row->path; }
};

/// What has every word of `search` in its name, label, idea or menu, the likeliest first. Words behind those of a setting
/// are its value: "softening 0.3kpc". Without words all actions.
std::vector<FoundCommand> commandsWith(std::string_view search, const Document& document);

/// What Enter posts for it; empty where a value is still to be typed, or it cannot be done now.
std::vector<Command> commandOf(const FoundCommand& found, const Document& document);

struct CommandFinder {
    bool open = false;       ///< it was shown in the last frame
    bool follow = false;     ///< the row of the keys comes into view
    std::string search;      ///< as typed
    std::string put;         ///< to stand in the field from the next frame on
    std::size_t chosen = 0;  ///< the row of the keys
};

}  // namespace gravlab
