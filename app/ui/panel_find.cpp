// The search of commands: words find entries of menus and settings, Enter runs them. Rule: it posts the command of a menu,
// or of a line `set PATH VALUE`.
#include "app/parameters/quantity.h"
#include "app/ui/command_finder.h"
#include "app/ui/panel_input.h"
#include "app/ui/parameter_widgets.h"
#include "app/ui/scene_picker.h"
#include "sim/core/text.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <utility>

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

namespace {

constexpr Control kFindField{"find_search", "Search",
                             "Words of an action or of a setting, and a value after those of a setting: softening 0.3kpc. "
                             "Arrows move, Enter runs it, Esc closes"};

constexpr float kFindWidth = 560;
constexpr std::size_t kFindRows = 11;

/// The field with the keyboard focus. True when its text has changed.
bool drawFindField(PanelContext& p) {
    CommandFinder& finder = p.finder;
    char text[160];
    std::snprintf(text, sizeof text, "%s", finder.search.c_str());
    ImGui::SetNextItemWidth(-FLT_MIN);
    const auto edit = [](ImGuiInputTextCallbackData* data) {
        auto& put = *static_cast<std::string*>(data->UserData);
        if (put.empty()) return 0;
        data->DeleteChars(0, data->BufTextLen);
        data->InsertChars(0, std::exchange(put, {}).c_str());
        return 0;
    };
    p.widgets.takeKeys();
    const bool changed = ImGui::InputTextWithHint("##find", "what do you want to do?", text, sizeof text,
                                                  ImGuiInputTextFlags_CallbackAlways, edit, &finder.put);
    p.widgets.finish(kFindField);
    if (!changed || panelKeyPressed(ImGuiKey_Escape)) return false;
    finder.search = text;
    return true;
}

void take(PanelContext& p, const FoundCommand& found) {
    const std::vector<Command> commands = commandOf(found, p.document);
    if (!commands.empty()) {
        // Close it first: the command may open a panel that needs the keys.
        set(p, "window.find", false);
        p.post(commands);
    } else if (found.row && found.unavailable.empty()) {
        p.finder.put = p.finder.search = found.row->path + " ";
        p.finder.chosen = 0;
    }
}

void drawFound(PanelContext& p, const FoundCommand& found, std::size_t place) {
    CommandFinder& finder = p.finder;
    const float s = p.widgets.scale(), width = ImGui::GetContentRegionAvail().x;
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const bool chosen = finder.chosen == place, can = found.unavailable.empty();
    ImGui::PushID(static_cast<int>(place));
    const bool taken = ImGui::Selectable("##found", chosen, 0, ImVec2(width, ImGui::GetTextLineHeight() + 4 * s));
    ImGui::PopID();
    if (chosen && std::exchange(finder.follow, false)) ImGui::SetScrollHereY();
    const std::string name = "find/" + found.name();
    p.widgets.finish({name.c_str(), "", Tip::ofRow(found.idea)}, found.unavailable);
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const ImVec2 text(at.x + 6 * s, at.y + 2 * s);
    const float detail = ImGui::CalcTextSize(found.detail.c_str()).x;
    list.PushClipRect(at, ImVec2(at.x + width - detail - 16 * s, at.y + 100 * s), true);
    list.AddText(text, can ? palette::kText : palette::kMuted, found.label.c_str());
    list.PopClipRect();
    list.AddText(ImVec2(at.x + width - detail - 6 * s, text.y), palette::kMuted, found.detail.c_str());
    if (taken) take(p, found);
}

}  // namespace

void drawFind(PanelContext& p) {
    CommandFinder& finder = p.finder;
    if (!p.state.find || !p.state.inWindow) {
        finder.open = false;
        return;
    }
    const float s = p.widgets.scale(), margin = kMargin * s;
    const float width = std::min(kFindWidth * s, p.surface.x - 2 * margin);
    ImGui::SetNextWindowPos(ImVec2(std::floor(0.5f * (p.surface.x - width)), p.top + 3 * margin));
    ImGui::SetNextWindowSize(ImVec2(width, 0));
    if (!finder.open) ImGui::SetNextWindowFocus();
    if (const PanelWindow window(p, "find", kPanelWindow | ImGuiWindowFlags_NoScrollbar, 1); window) {
        if (!finder.open) finder = {};
        finder.open = true;
        if (drawFindField(p)) finder.chosen = 0, finder.follow = true;
        const std::vector<FoundCommand> found = commandsWith(finder.search, p.document);
        const int last = static_cast<int>(found.size()) - 1;
        const int by = panelKeyPressed(ImGuiKey_DownArrow) - panelKeyPressed(ImGuiKey_UpArrow) +
                       static_cast<int>(kFindRows) * (panelKeyPressed(ImGuiKey_PageDown) - panelKeyPressed(ImGuiKey_PageUp));
        finder.chosen = static_cast<std::size_t>(std::clamp(static_cast<int>(finder.chosen) + by, 0, std::max(last, 0)));
        finder.follow = finder.follow || by != 0;
        const float line = ImGui::GetTextLineHeight() + 4 * s + ImGui::GetStyle().ItemSpacing.y;
        const std::size_t rows = std::clamp<std::size_t>(found.size(), 1, kFindRows);
        if (ImGui::BeginChild("found", ImVec2(0, static_cast<float>(rows) * line))) {
            for (std::size_t i = 0; i < found.size(); ++i) drawFound(p, found[i], i);
            if (found.empty()) p.widgets.wrapped(palette::kMuted, "Nothing has these words.");
        }
        ImGui::EndChild();
        const bool any = finder.chosen < found.size();
        const Reason why = any ? found[finder.chosen].unavailable : Reason();
        p.widgets.wrapped(why.empty() ? palette::kMuted : palette::kWarning, !why.empty() ? std::string(why)
                                                                             : any        ? found[finder.chosen].idea
                                                                                          : " ");
        if (any && enterPressed()) take(p, found[finder.chosen]);
        if (panelKeyPressed(ImGuiKey_Escape)) set(p, "window.find", false);
    }
}

}  // namespace gravlab
