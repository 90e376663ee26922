#include "app/ui/parameter_widgets.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <unordered_map>

namespace gravlab {
namespace {

/// "how bright the picture is" -> "How bright the picture is. Keys: + and -"; explanations of its terms follow in lines of
/// their own.
std::string tipOf(std::string_view idea, std::string_view term, const std::string& keys) {
    std::string text(idea);
    if (!text.empty()) text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
    if (!term.empty()) text += ".\n" + std::string(term);
    if (keys.empty()) return text;
    if (!term.empty()) text.pop_back();  // the full stop comes later
    const bool several = keys.find(", ") != std::string::npos || keys.find(" and ") != std::string::npos ||
                         keys.find(" .. ") != std::string::npos;
    return text + (several ? ". Keys: " : ". Key: ") + keys;
}

/// Texts of a row, made once.
struct RowTexts {
    std::string name, label, tip;
};
template <class Make>
const RowTexts& textsOf(const void* row, Make make) {
    static std::unordered_map<const void*, RowTexts> known;
    const auto found = known.find(row);
    return found != known.end() ? found->second : known.emplace(row, make()).first->second;
}

Control controlOf(const RowTexts& texts, const char* label) {
    return {texts.name.c_str(), label ? label : texts.label.c_str(), Tip::ofRow(texts.tip)};
}

Reason reasonOf(PanelContext& p, const Parameter& row, const ParameterStyle& style) {
    if (!style.unavailable.empty()) return style.unavailable;
    return row.unavailable ? row.unavailable(p.document) : Reason();
}

Value shownValue(PanelContext& p, const Parameter& row, const ParameterStyle& style) {
    if (style.now) return *style.now;
    if (!row.requested) return row.get(p.document);
    // An unset value is shown as the value in force.
    Value chosen = row.requested(p.document);
    const auto* word = std::get_if<std::string>(&chosen);
    return word && !row.specialValue.empty() && *word == row.specialValue ? row.get(p.document) : chosen;
}

void drawFlag(PanelContext& p, const Parameter& row, const ParameterStyle& style) {
    bool on = shownValue(p, row, style) == Value(true);
    if (!p.widgets.toggle(controlOf(row, style.label), on, reasonOf(p, row, style))) return;
    if (style.action.empty())
        set(p, row.path, on);
    else
        invoke(p, style.action);
}

void drawList(PanelContext& p, const Parameter& row, const ParameterStyle& style) {
    const Value now = shownValue(p, row, style);
    const auto* text = std::get_if<std::string>(&now);
    const auto spoken = [&](const std::string& name) { return row.displayName ? row.displayName(name) : name; };
    if (!p.widgets.beginCombo(controlOf(row, style.label), text ? spoken(*text) : "-", reasonOf(p, row, style), style.width))
        return;
    for (const SettingChoice& offer : offersOf(row, p.document))
        if (p.widgets.choice(spoken(offer.name), offer.idea, offer.chosen, offer.refused)) set(p, row.path, offer.name);
    p.widgets.endCombo();
}

void drawNumber(PanelContext& p, const Parameter& row, const ParameterStyle& style) {
    const DragSpec& hand = style.dragged ? *style.dragged : row.dragged;
    const double scale = (style.shown ? *style.shown : row.displayUnit).scale;
    const bool word = !row.specialValue.empty() && row.bounds.aboveLeast;  // the end of the range means that word
    constexpr double kTiny = 1e-30;
    const double end = row.bounds.aboveLeast && !word ? kTiny : row.bounds.least;
    const DragRange range{.least = std::max(hand.least, end * scale),
                          .most = std::min(hand.most, row.bounds.most * scale),
                          .speed = hand.speed,
                          .floor = hand.floor,
                          .format = hand.format,
                          .onRelease = hand.onRelease,
                          .bothSigns = !row.bounds.zero};
    double value = numberOf(shownValue(p, row, style)).value_or(0) * scale;
    const Control control = controlOf(row, style.label);
    const bool whole = row.kind == Kind::integer;
    const double before = value;
    const Dragging done = p.widgets.drag(control, value, range, reasonOf(p, row, style));
    if (done == Dragging::none) return;
    // The row refuses invalid values in a sentence.
    if (done == Dragging::words) return set(p, row.path, typedValue(p.widgets.typed()));
    if (whole) value = std::round(value);
    if (whole && value == before) return;
    Value chosen = value / scale;
    if (whole) chosen = static_cast<std::int64_t>(value);
    if (word && value <= row.bounds.least) chosen = std::string(row.specialValue);
    p.post({SetParameter{row.path, std::move(chosen), done == Dragging::dragged && p.widgets.sameDrag(control.name)}});
}

}  // namespace

Control controlOf(const Parameter& row, const char* label) {
    return controlOf(
        textsOf(&row,
                [&] {
                    return RowTexts{row.path, std::string(row.label), tipOf(row.idea, row.explanation, keysOf(row.path))};
                }),
        label);
}

Control controlOf(const Action& row, const char* label) {
    return controlOf(
        textsOf(&row,
                [&] {
                    return RowTexts{std::string(row.name), std::string(row.label), tipOf(row.idea, {}, keyText(row))};
                }),
        label);
}

void parameter(PanelContext& p, std::string_view path, const ParameterStyle& style) {
    const Parameter& row = parameter(path);
    if (row.kind == Kind::flag) return drawFlag(p, row, style);
    if (row.kind == Kind::choice) return drawList(p, row, style);
    drawNumber(p, row, style);
}

void typedParameter(PanelContext& p, std::string_view path, float button, const ParameterStyle& style) {
    const Parameter& row = parameter(path);
    const Control control = controlOf(row, style.label);
    const Reason reason = reasonOf(p, row, style);
    p.widgets.label(control, reason);
    const float gap = ImGui::GetStyle().ItemInnerSpacing.x;
    const Value now = shownValue(p, row, style);
    const std::string shown = isNothing(now) ? "-" : valueText(now);
    std::string typed;
    if (p.widgets.field(control, ImGui::GetContentRegionAvail().x - button - gap, shown.c_str(), typed, reason)) {
        set(p, path, typedValue(typed));
    }
    ImGui::SameLine(0, gap);
}

Value typedValue(std::string typed) {
    std::erase_if(typed, [](char c) { return c == ',' || c == ' '; });  // people group digits
    return valueOf(typed);
}

void action(PanelContext& p, std::string_view name, float width, const char* label) {
    const Action& row = actionOf(name);
    if (p.widgets.button(controlOf(row, label), width, row.unavailable ? row.unavailable(p.document) : Reason()))
        p.post({invokeOf(row)});
}

void set(PanelContext& p, std::string_view path, Value value) {
    p.post({SetParameter{std::string(path), std::move(value)}});
}

void invoke(PanelContext& p, std::string_view action, std::vector<Value> arguments) {
    p.post({Invoke{std::string(action), std::move(arguments)}});
}

}  // namespace gravlab
