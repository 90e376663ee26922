// Actions by name, with what a command gives them.
#include "app/control/action.h"

#include "sim/core/error.h"
#include "sim/core/names.h"

#include <algorithm>
#include <cctype>

namespace gravlab {
namespace {

std::string lower(std::string_view text) {
    std::string small(text);
    std::transform(small.begin(), small.end(), small.begin(), [](unsigned char c) { return std::tolower(c); });
    return small;
}

/// The choice of that name, or of that number from 1. Throws UsageError.
int choiceOf(const Action& action, const Value& argument, const KeyTarget& target) {
    const auto* number = std::get_if<std::int64_t>(&argument);
    const std::string wanted =
        lower(std::holds_alternative<std::string>(argument) ? std::get<std::string>(argument) : valueText(argument));
    std::vector<std::string> names;
    ActionChoice choice;
    for (int which = 0; action.choice(target, which, choice); ++which, choice = {}) {
        if (lower(choice.label) == wanted || (number && *number == which + 1)) return which;
        names.push_back(lower(choice.label));
    }
    throw UsageError(unknownName("choice of '" + std::string(action.name) + "'", wanted, {names.begin(), names.end()}));
}

/// Whether a row with a state is already as the argument asks. Throws UsageError for what is neither on nor off.
bool already(const Action& action, const Value& argument, const KeyTarget& target) {
    const std::string text = valueText(argument);
    const bool on = text == "on" || text == "true", off = text == "off" || text == "false";
    if (!on && !off) throw UsageError("'" + std::string(action.name) + "' takes on or off, not '" + text + "'");
    return action.checked(target) == on;
}

}  // namespace

const Action& actionOf(std::string_view name) {
    if (const Action* found = findAction(name)) return *found;
    std::vector<std::string_view> valid;
    for (const Menu& menu : menus())
        for (const Action& action : menu.rows) valid.push_back(action.name);
    throw UsageError(unknownOfMany("action", name, valid, "gravlab list actions"));
}

std::string argumentText(const Action& action, const KeyTarget* target) {
    if (!action.argument.empty()) return std::string(action.argument);
    if (!action.choice) return action.checked ? "on or off" : "";
    if (!target) return "CHOICE";
    std::string names;
    ActionChoice choice;
    for (int which = 0; action.choice(*target, which, choice); ++which, choice = {})
        names += (which ? ", " : "") + lower(choice.label);
    return names;
}

void invoke(const Action& action, std::span<const Value> arguments, KeyTarget& target) {
    const std::string name = "'" + std::string(action.name) + "'";
    if (action.choice && arguments.empty())
        throw UsageError(name + " needs one of its choices: " + argumentText(action, &target));
    const bool takesOne = action.with || action.choice || action.checked;
    if (arguments.size() > (takesOne ? 1u : 0u))
        throw UsageError(name + (takesOne ? " takes one argument: " + argumentText(action, &target) : " takes no argument"));
    if (action.unavailable)
        if (const Reason reason = action.unavailable(target); !reason.empty()) throw UsageError(reason);
    if (arguments.empty()) return action.act(target, 0);
    const Value& argument = arguments.front();
    if (action.choice) {
        const int which = choiceOf(action, argument, target);
        ActionChoice choice;
        action.choice(target, which, choice);
        if (!choice.unavailable.empty()) throw UsageError(choice.unavailable);
        return action.act(target, which);
    }
    if (action.with) return action.with(target, argument);
    if (!already(action, argument, target)) action.act(target, 0);
}

}  // namespace gravlab
