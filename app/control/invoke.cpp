// Runs actions by name, with the arguments of a command.
#include "app/control/action.h"
#include "app/parameters/parameter.h"

#include "sim/api/errors.h"
#include "sim/core/names.h"
#include "sim/core/text.h"

#include <algorithm>

namespace gravlab {
namespace {

/// The choice with that name, or with that number from 1. Throws UsageError.
int choiceOf(const Action& action, const Value& argument, const KeyTarget& target) {
    const auto* number = std::get_if<std::int64_t>(&argument);
    const std::string wanted = inLowerCase(wordOf(argument));
    std::vector<std::string> names;
    int which = 0;
    for (const SettingChoice& choice : choicesOf(action, target)) {
        if (inLowerCase(choice.name) == wanted || (number && *number == which + 1)) return which;
        names.push_back(inLowerCase(choice.name));
        ++which;
    }
    throw UsageError(unknownName("choice of '" + std::string(action.name) + "'", wanted, {names.begin(), names.end()}));
}

/// Whether a row's state already equals the argument. Throws UsageError for a value other than on and off.
bool already(const Action& action, const Value& argument, const KeyTarget& target) {
    const std::string text = valueText(argument);
    const bool on = text == "on" || text == "true", off = text == "off" || text == "false";
    if (!on && !off) throw UsageError("'" + std::string(action.name) + "' takes on or off, not '" + text + "'");
    return isOn(action, target) == on;
}

bool setsItsParameter(const Action& action) { return !action.act && !action.effect && action.next == 0; }

/// Sets the parameter of a row with `next`. Throws UsageError where no other choice is possible.
void setNext(const Action& action, KeyTarget& target) {
    const std::vector<SettingChoice> all = offersOf(parameter(action.parameter), target);
    const auto count = std::ssize(all);
    auto place = std::ranges::find(all, true, &SettingChoice::chosen) - all.begin();
    if (place == count && action.next > 0) place = -1;  // none is chosen: the first follows
    Reason why = "there is no other choice";
    for (std::ptrdiff_t tried = 1; tried < std::max<std::ptrdiff_t>(count, 2); ++tried) {
        const SettingChoice& choice = all[static_cast<std::size_t>((place + tried * action.next + 2 * count) % count)];
        if (choice.refused.empty()) return setParameter(target, action.parameter, choice.name);
        why = choice.refused;
    }
    throw UsageError(why);
}

}  // namespace

bool hasChoices(const Action& action) {
    return action.choices || (setsItsParameter(action) && parameter(action.parameter).kind == Kind::choice);
}

std::vector<SettingChoice> choicesOf(const Action& action, const KeyTarget& target) {
    if (!hasChoices(action)) return {};
    return action.choices ? action.choices(target) : offersOf(parameter(action.parameter), target);
}

bool hasState(const Action& action) {
    return action.checked || (setsItsParameter(action) && parameter(action.parameter).kind == Kind::flag);
}

bool isOn(const Action& action, const KeyTarget& target) {
    if (action.checked) return action.checked(target);
    return hasState(action) && parameter(action.parameter).get(target) == Value(true);
}

const Action& actionOf(std::string_view name) {
    if (const Action* found = findAction(name)) return *found;
    std::vector<std::string_view> valid;
    for (const Menu& menu : menus())
        for (const Action& action : menu.rows) valid.push_back(action.name);
    throw UsageError(unknownOfMany("action", name, valid, "gravlab list actions"));
}

std::string argumentText(const Action& action, const KeyTarget* target) {
    if (!action.argument.empty()) return std::string(action.argument);
    if (!hasChoices(action)) return hasState(action) ? "on or off" : "";
    if (!target) return "CHOICE";
    return joined(choicesOf(action, *target), [](const SettingChoice& choice) { return inLowerCase(choice.name); });
}

std::optional<Effect> invoke(const Action& action, std::span<const Value> arguments, KeyTarget& target) {
    const std::string name = "'" + std::string(action.name) + "'";
    if (hasChoices(action) && arguments.empty())
        throw UsageError(name + " needs one of its choices: " + argumentText(action, &target));
    const bool takesOne = action.with || action.effectWith || hasChoices(action) || hasState(action);
    if (arguments.size() > (takesOne ? 1u : 0u))
        throw UsageError(name + (takesOne ? " takes one argument: " + argumentText(action, &target) : " takes no argument"));
    if (action.unavailable)
        if (const Reason reason = action.unavailable(target); !reason.empty()) throw UsageError(reason);
    const auto act = [&](int which) -> std::optional<Effect> {
        if (action.act) action.act(target, which);
        if (action.effect) return action.effect(target, which);
        if (action.act) return std::nullopt;
        if (action.next != 0)
            setNext(action, target);
        else if (!hasChoices(action))
            setParameter(target, action.parameter, !isOn(action, target));
        else
            setParameter(target, action.parameter, choicesOf(action, target)[static_cast<std::size_t>(which)].name);
        return std::nullopt;
    };
    if (arguments.empty()) return act(0);
    const Value& argument = arguments.front();
    if (hasChoices(action)) {
        const int which = choiceOf(action, argument, target);
        const SettingChoice choice = choicesOf(action, target)[static_cast<std::size_t>(which)];
        if (!choice.refused.empty()) throw UsageError(choice.refused);
        return act(which);
    }
    if (action.with) action.with(target, argument);
    if (action.effectWith) return action.effectWith(target, argument);
    if (action.with || already(action, argument, target)) return std::nullopt;
    return act(0);
}

}  // namespace gravlab
