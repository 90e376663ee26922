#include "app/ui/command_finder.h"

#include "app/control/quantity.h"
#include "app/ui/scene_picker.h"
#include "sim/core/text.h"

#include <algorithm>

namespace gravlab {
namespace {

/// How well the words match: 0 not at all, higher when the name contains them.
int fitOf(const std::vector<std::string>& words, const std::string& label, const std::string& all) {
    const std::string head = inLowerCase(label), whole = inLowerCase(all);
    int inHead = 0;
    for (const std::string& word : words) {
        if (whole.find(word) == std::string::npos) return 0;
        inHead += head.find(word) != std::string::npos;
    }
    const bool begins = !words.empty() && head.starts_with(words.front());
    return 1 + 2 * inHead + (begins ? 1 : 0);
}

struct Ranked {
    int fit;
    FoundCommand found;
};

void addAction(std::vector<Ranked>& to, const std::vector<std::string>& words, const Menu& menu, const Action& action,
               const Document& document) {
    if (action.holds) return;  // it acts while its key is down
    const Reason reason = action.unavailable ? action.unavailable(document) : Reason();
    const auto add = [&](const std::string& label, std::string_view idea, int which, const Reason& why) {
        const std::string keys = keyText(action);
        const std::string detail = keys.empty() ? std::string(menu.name) : keys + "   " + std::string(menu.name);
        const int fit = fitOf(words, label,
                              label + " " + std::string(action.name) + " " + std::string(action.idea) + " " +
                                  std::string(idea) + " " + std::string(menu.name));
        if (fit > 0)
            to.push_back({fit, FoundCommand{.action = &action,
                                            .which = which,
                                            .label = label,
                                            .detail = detail,
                                            .idea = std::string(idea),
                                            .unavailable = why}});
    };
    const std::string list = action.list.empty() ? "" : std::string(action.list) + ": ";
    if (!hasChoices(action)) return add(list + std::string(action.label), action.idea, 0, reason);
    int which = 0;
    for (const SettingChoice& choice : choicesOf(action, document))
        add(list + std::string(action.label) + ": " + choice.name, choice.idea, which++,
            reason.empty() ? choice.refused : reason);
}

/// Adds settings that no menu has; `value`: the text after the words.
void addSettings(std::vector<Ranked>& to, const std::vector<std::string>& words, const std::string& value,
                 const Document& document) {
    for (const Parameter& row : parameters()) {
        if (row.fact() || row.path == "window.find") continue;
        const std::string label(row.label);
        const int fit = fitOf(words, label + " " + row.path, label + " " + row.path + " " + std::string(row.idea));
        if (fit == 0) continue;
        const Value now = row.get(document);
        const std::optional<double> number = numberOf(now);
        const std::string meaning =
            number && document.facts.scene ? meaningOf(*number, row.unit, document.facts.scene->units) : std::string();
        const std::string shown = !meaning.empty() ? meaning : isNothing(now) ? "-" : valueText(now);
        to.push_back({fit, FoundCommand{.row = &row,
                                        .value = value,
                                        .label = value.empty() ? label : label + " = " + value,
                                        .detail = row.path + " = " + shown,
                                        .idea = std::string(row.idea) + "; " + allowedText(row),
                                        .unavailable = row.unavailable ? row.unavailable(document) : Reason()}});
    }
}

}  // namespace

std::vector<FoundCommand> commandsWith(std::string_view search, const Document& document) {
    std::vector<std::string> words = wordsOf(search);
    std::vector<Ranked> ranked;
    for (const Menu& menu : menus())
        for (const Action& action : menu.rows)
            if (!action.client) addAction(ranked, words, menu, action, document);
    if (!words.empty()) addSettings(ranked, words, {}, document);
    // The last words are a value as typed: "0.3kpc", "0.3 kpc".
    const std::string_view typed = trimmed(search);
    std::size_t end = typed.size();
    for (int taken = 0; taken < 2 && ranked.empty() && words.size() > 1; ++taken) {
        end = std::min(typed.find_last_of(" \t", end - 1), typed.size());
        words.pop_back();
        addSettings(ranked, words, std::string(trimmed(typed.substr(end))), document);
    }
    std::ranges::stable_sort(ranked, std::greater(), &Ranked::fit);
    std::vector<FoundCommand> found;
    for (Ranked& one : ranked) found.push_back(std::move(one.found));
    return found;
}

std::vector<Command> commandOf(const FoundCommand& found, const Document& document) {
    if (!found.unavailable.empty()) return {};
    if (found.action) return {invokeOf(*found.action, found.which)};
    const Parameter& row = *found.row;
    if (!found.value.empty()) return {SetParameter{row.path, valueOf(found.value)}};
    if (row.kind != Kind::flag) return {};
    return {SetParameter{row.path, row.get(document) != Value(true)}};
}

}  // namespace gravlab
