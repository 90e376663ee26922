// Thin wrappers over Dear ImGui: one look, one way to refuse, one way for tests to find a control.
#include "app/ui/widgets.h"

#include "app/tables/format.h"
#include "app/tables/text_values.h"
#include "sim/core/text.h"

#include <imgui_internal.h>

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <utility>

namespace gravlab {

namespace {

constexpr float kLabelPart = 0.38f;      // of the width of a row, or as wide as its letters
constexpr double kTooltipDelay = 0.45;   // [s]; a pointer that crosses a panel must not make tooltips flicker
constexpr float kTooltipWidth = 280.0f;  // before scaling

/// "##name": an ImGui identity without a visible label.
struct Id {
    char text[64];
    explicit Id(const char* name) { std::snprintf(text, sizeof text, "##%s", name); }
};

template <std::size_t size>
void copyText(char (&to)[size], const char* from) {
    std::snprintf(to, size, "%s", from);
}

}  // namespace

void Widgets::beginFrame(float scale, const Fonts& fonts) {
    scale_ = scale;
    fonts_ = fonts;
    items.clear();
    panels_.clear();
    left_ = {};
    framesOfKeys_ = std::exchange(awaitsKeys_, false) ? framesOfKeys_ + 1 : 0;
    if (!restingSeen_) restingOn_.clear();
    restingSeen_ = tooltipShown_ = false;
}

void Widgets::takeKeys() {
    if (ImGui::IsAnyItemActive()) return;
    ImGui::SetKeyboardFocusHere();
    awaitsKeys_ = true;
}

void Widgets::record(std::string name, bool enabled) {
    const ImVec2 from = ImGui::GetItemRectMin(), to = ImGui::GetItemRectMax();
    items.push_back({std::move(name), from.x, from.y, to.x, to.y, enabled});
}

void Widgets::describe(std::string_view role, std::string_view label, std::string_view value, const Reason& reason) {
    if (!recording || items.empty()) return;
    UiItem& item = items.back();
    item.role = role;
    item.label = label;
    item.value = value;
    item.reason = reason;
}

void Widgets::tooltip(std::string_view name, std::string_view tip, const Reason& unavailable, const ImVec2* foot) {
    const double now = ImGui::GetTime();
    if (restingOn_ != name) {
        restingOn_ = name;
        restingSince_ = now;
    }
    restingSeen_ = true;
    // No tooltip while the user drags or types.
    if (now - restingSince_ < kTooltipDelay || ImGui::IsAnyMouseDown() || ImGui::IsAnyItemActive()) return;
    tooltipShown_ = true;
    // Beside a panel, else above the control, or at the foot of a plot: what one wants next is beside or below a control,
    // and above a plot. Keep it inside the window.
    const ImVec2 surface = ImGui::GetIO().DisplaySize, at = ImGui::GetWindowPos(), size = ImGui::GetWindowSize();
    const ImVec2 mouse = ImGui::GetIO().MousePos, last = ImGui::GetItemRectMax();
    const ImVec2 item = ImGui::GetItemRectMin();
    const float gap = 6 * scale_;
    const bool plot = last.y - item.y > 3 * ImGui::GetFrameHeight();
    if (foot)
        ImGui::SetNextWindowPos(*foot, ImGuiCond_Always, ImVec2(foot->x / surface.x, 1));
    else if (size.x + (kTooltipWidth + 40) * scale_ > surface.x || size.x > 0.5f * surface.x)
        ImGui::SetNextWindowPos(plot ? ImVec2(mouse.x, last.y - gap) : ImVec2(item.x, item.y - gap), ImGuiCond_Always,
                                ImVec2((plot ? mouse.x : item.x) / surface.x, 1));
    else if (at.x + 0.5f * size.x < 0.5f * surface.x)
        ImGui::SetNextWindowPos(ImVec2(at.x + size.x + gap, item.y), ImGuiCond_Always, ImVec2(0, item.y / surface.y));
    else
        ImGui::SetNextWindowPos(ImVec2(at.x - gap, item.y), ImGuiCond_Always, ImVec2(1, item.y / surface.y));
    ImGui::BeginTooltip();
    ImGui::TextUnformatted(linesWithin(tip, kTooltipWidth * scale_).c_str());
    if (!unavailable.empty()) colouredText(palette::kWarning, linesWithin(unavailable, kTooltipWidth * scale_));
    ImGui::EndTooltip();
}

void Widgets::light(std::string_view name, const std::string& menu) {
    if (lit_ == name) return;
    lit_ = name;
    litMenu_ = menu;
    litShown_ = name.empty();
}

/// "run.block" highlights "run.block" and "run.block/list" beside it, "twin" also "menu/Simulation/twin".
void Widgets::frameIfLit(std::string_view name, ImVec2 from, ImVec2 to) {
    if (lit_.empty()) return;
    const bool ends = name.ends_with(lit_) && (name.size() == lit_.size() || name[name.size() - lit_.size() - 1] == '/');
    if (!ends && name != litMenu_) return;
    if (ends && !std::exchange(litShown_, true)) ImGui::SetScrollHereY();
    const float gap = 2 * scale_;
    ImVec2 least(from.x - gap, from.y - gap), most(to.x + gap, to.y + gap);
    if (!ends) {  // an item of the bar at the edge of the window, with the height of the bar
        least.y = ImGui::GetWindowPos().y + gap;
        most.y = ImGui::GetWindowPos().y + ImGui::GetWindowHeight() - gap;
    }
    ImGui::GetWindowDrawList()->AddRect(least, most, palette::kWarning, 4 * scale_, 0, palette::line(2 * scale_));
}

void Widgets::finish(const Control& control, const Reason& unavailable, const ImVec2* foot) {
    frameIfLit(control.name, ImGui::GetItemRectMin(), ImGui::GetItemRectMax());
    if (recording) record(control.name, unavailable.empty());
    describe({}, control.label, {}, unavailable);
    if (ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled))
        tooltip(control.name, control.tip.text(), unavailable, foot);
}

void Widgets::finishQuietly(const Control& control) {
    frameIfLit(control.name, ImGui::GetItemRectMin(), ImGui::GetItemRectMax());
    if (recording) record(control.name, true);
}

void Widgets::panel(const char* name) {
    panels_.push_back(name);
    if (!recording) return;
    const ImVec2 from = ImGui::GetWindowPos(), size = ImGui::GetWindowSize();
    items.push_back({std::string("panel/") + name, from.x, from.y, from.x + size.x, from.y + size.y, true});
}

void Widgets::section(const char* title) {
    if (ImGui::GetCursorPosY() > 2 * ImGui::GetStyle().WindowPadding.y) ImGui::Dummy(ImVec2(0, 5 * scale_));
    const Letters letters(fonts_.heading);
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const ImVec2 size = ImGui::CalcTextSize(title);
    colouredText(palette::kText, title);
    const float y = std::floor(at.y + 0.5f * size.y) + 0.5f;
    const float right = at.x + ImGui::GetContentRegionAvail().x;
    ImGui::GetWindowDrawList()->AddLine(ImVec2(at.x + size.x + 8 * scale_, y), ImVec2(right, y), palette::kFaint);
}

bool Widgets::fold(const Control& control, bool open) {
    if (const auto chosen = folds.find(control.name); chosen != folds.end()) open = chosen->second;
    ImGui::Dummy(ImVec2(0, 5 * scale_));
    ImGui::PushFont(fonts_.heading);
    const ImVec2 at = ImGui::GetCursorScreenPos(), size = ImGui::CalcTextSize(control.label);
    const float width = ImGui::GetContentRegionAvail().x, arrow = 0.7f * size.y;
    if (ImGui::InvisibleButton(Id(control.name).text, ImVec2(width, size.y))) folds[control.name] = open = !open;
    const bool lit = ImGui::IsItemHovered() || ImGui::IsItemFocused();
    finish(control);
    describe("button", control.label, open ? "true" : "false");
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const ImU32 colour = lit ? palette::kAccent : palette::kText;
    ImGui::RenderArrow(&list, ImVec2(at.x, at.y + 0.15f * size.y), colour, open ? ImGuiDir_Down : ImGuiDir_Right, 0.7f);
    list.AddText(ImVec2(at.x + arrow + 4 * scale_, at.y), colour, control.label);
    const float middle = std::floor(at.y + 0.5f * size.y) + 0.5f;
    list.AddLine(ImVec2(at.x + arrow + size.x + 12 * scale_, middle), ImVec2(at.x + width, middle), palette::kFaint);
    ImGui::PopFont();
    return open;
}

void Widgets::text(const Control& control, ImU32 colour, const std::string& text) {
    wrapped(colour, text);
    finish(control);
    describe("status", control.label, text);
}

void Widgets::wrapped(ImU32 colour, const std::string& text) {
    // ImGui breaks single words that are wider than this.
    ImGui::PushTextWrapPos(0);
    colouredText(colour, linesWithin(text, ImGui::GetContentRegionAvail().x));
    ImGui::PopTextWrapPos();
}

void Widgets::label(const Control& control, const Reason& unavailable) {
    if (control.label[0] == '\0') return;
    const float left = ImGui::GetCursorPosX(), width = ImGui::GetContentRegionAvail().x;
    ImGui::AlignTextToFramePadding();
    colouredText(unavailable.empty() ? palette::kMuted : palette::kDisabled, control.label);
    if (ImGui::IsItemHovered()) tooltip(control.name, control.tip.text(), unavailable);
    ImGui::SameLine(left + std::max(kLabelPart * width, ImGui::GetItemRectSize().x + 6 * scale_));
    ImGui::SetNextItemWidth(-FLT_MIN);
}

bool Widgets::button(const Control& control, float width, const Reason& unavailable, const ImVec2* foot) {
    // The identity is the name alone: a button keeps the focus when its label changes.
    const std::string text = formatted("%s###%s", control.label, control.name);
    ImGui::BeginDisabled(!unavailable.empty());
    const bool pressed = ImGui::Button(text.c_str(), ImVec2(width, 0));
    ImGui::EndDisabled();
    finish(control, unavailable, foot);
    describe("button", control.label, {}, unavailable);
    return pressed;
}

bool Widgets::litButton(const Control& control, float width, bool lit, const ImVec2* foot, const Reason& unavailable) {
    ImGui::PushStyleColor(ImGuiCol_Button, ImGui::GetStyleColorVec4(lit ? ImGuiCol_ButtonActive : ImGuiCol_Button));
    const bool pressed = button(control, width, unavailable, foot);
    ImGui::PopStyleColor();
    return pressed;
}

bool Widgets::toggle(const Control& control, bool& value, const Reason& unavailable) {
    label(control, unavailable);
    ImGui::BeginDisabled(!unavailable.empty());
    const bool changed = ImGui::Checkbox(Id(control.name).text, &value);
    ImGui::EndDisabled();
    finish(control, unavailable);
    describe("checkbox", control.label, value ? "true" : "false", unavailable);
    return changed;
}

double keptSign(double before, double after, bool typed, const DragRange& range) {
    const bool turned = std::signbit(before) != std::signbit(after);
    // Dragging across 0 gives the smallest size; the direction of a run changes in other ways.
    const double size = turned && !typed ? range.least : std::clamp(std::abs(after), range.least, range.most);
    return std::copysign(size, typed ? after : before);
}

/// Notes that the pointer uses this control; text typed into another control still belongs to that one.
void Widgets::takeHold(const char* control) {
    if (typing_ && editing_ != control) {
        left_ = {editing_, typed_, untouched_};
        typing_ = false;
    }
    editing_ = control;
}

/// Handles the text field into which a drag field changes, in the frames after ImGui has opened it.
void Widgets::typeInto(const Control& control) {
    const ImGuiID id = ImGui::GetID(Id(control.name).text);
    const ImVec2 from = ImGui::GetCursorScreenPos();
    const ImRect box(from, ImVec2(from.x + ImGui::CalcItemWidth(), from.y + ImGui::GetFrameHeight()));
    ImGui::ItemSize(box, ImGui::GetStyle().FramePadding.y);
    if (!ImGui::ItemAdd(box, id)) return;
    const ImVec2 after = ImGui::GetCursorPos();
    ImGui::TempInputText(box, id, Id(control.name).text, typed_, sizeof typed_, ImGuiInputTextFlags_AutoSelectAll);
    ImGui::SetCursorPos(after);
}

Dragging Widgets::drag(const Control& control, double& value, const DragRange& range, const Reason& unavailable) {
    label(control, unavailable);
    const bool held = editing_ == control.name, typing = held && typing_;
    double shown = held && range.onRelease && !typing ? dragged_ : value;
    const auto speed = static_cast<float>(std::max(std::abs(shown) * range.speed, range.floor));
    const double before = shown, least = range.bothSigns ? -range.most : range.least;
    const ImGuiID id = ImGui::GetID(Id(control.name).text);
    bool moved = false;
    ImGui::BeginDisabled(!unavailable.empty());
    if (typing && ImGui::TempInputIsActive(id)) {
        typeInto(control);
    } else {
        double changed = shown;
        moved = ImGui::DragScalar(Id(control.name).text, ImGuiDataType_Double, &changed, speed, &least, &range.most,
                                  range.format, ImGuiSliderFlags_AlwaysClamp);
        moved = moved && !typing && !ImGui::TempInputIsActive(id);
        if (moved) shown = range.bothSigns ? keptSign(before, changed, false, range) : changed;
    }
    ImGui::EndDisabled();
    const bool released = ImGui::IsItemDeactivatedAfterEdit();
    if (ImGui::IsItemActivated()) changing_.clear();
    if (ImGui::IsItemActive()) {
        takeHold(control.name);
        dragged_ = shown;
        if (const ImGuiInputTextState* text = ImGui::TempInputIsActive(id) ? ImGui::GetInputTextState(id) : nullptr;
            text && !typing) {
            typing_ = true;
            copyText(typed_, text->InitialTextA.Data);
            untouched_ = typed_;
        }
    } else if (held) {
        editing_.clear();
        typing_ = false;
    }
    finish(control, unavailable);
    describe("spinbutton", control.label, formatted("%.6g", shown), unavailable);
    // Typed text is pending until its end; Escape restores the previous text.
    if (const Left left = left_; left.control == control.name) {
        left_ = {};
        copyText(typed_, left.text.c_str());
        return left.text != left.untouched ? typedNumber(value, range) : Dragging::none;
    }
    if (typing) return !ImGui::IsItemActive() && untouched_ != typed_ ? typedNumber(value, range) : Dragging::none;
    if (!(range.onRelease ? released : moved) || !std::isfinite(shown) || shown == value) return Dragging::none;
    value = shown;
    return Dragging::dragged;
}

Dragging Widgets::typedNumber(double& value, const DragRange& range) const {
    const std::optional<double> number = wholeText<double>(trimmed(typed_));
    if (!number || !std::isfinite(*number)) return Dragging::words;
    const double before = value;
    if (!range.bothSigns)
        value = std::clamp(*number, range.least, range.most);
    else
        value = *number == 0 ? 0 : keptSign(before, *number, true, range);  // a row refuses 0 by itself
    return value == before ? Dragging::none : Dragging::typed;
}

bool Widgets::sameDrag(const char* control) {
    const bool before = changing_ == control;
    changing_ = control;
    return before;
}

bool Widgets::powers(const Control& control, float width, std::size_t& value, std::size_t most, const Reason& unavailable) {
    const bool held = editing_ == control.name;
    const float last = std::floor(std::log2(static_cast<float>(std::max<std::size_t>(most, 1))));
    float power = held ? power_ : std::log2(static_cast<float>(std::max<std::size_t>(value, 1)));
    const auto chosen = [&power] { return std::size_t{1} << static_cast<int>(std::lround(std::max(power, 0.0f))); };
    const Text shown = held ? grouped(chosen()) : Text{};  // without a drag the number stands beside the slider
    ImGui::SetNextItemWidth(width);
    ImGui::BeginDisabled(!unavailable.empty());
    ImGui::SliderFloat(Id(control.name).text, &power, 0, std::max(last, 1.0f), shown, ImGuiSliderFlags_NoInput);
    ImGui::EndDisabled();
    const bool released = ImGui::IsItemDeactivatedAfterEdit();
    if (ImGui::IsItemActive()) {
        takeHold(control.name);
        power_ = power;
    } else if (held) {
        editing_.clear();
    }
    finish(control, unavailable);
    describe("slider", control.label, std::to_string(chosen()), unavailable);
    if (!released || chosen() == value) return false;
    value = chosen();
    return true;
}

bool Widgets::field(const Control& control, float width, const char* shown, std::string& typed, const Reason& unavailable) {
    const bool held = editing_ == control.name;
    char buffer[sizeof typed_];
    copyText(buffer, held ? typed_ : shown);
    ImGui::SetNextItemWidth(width);
    ImGui::BeginDisabled(!unavailable.empty());
    ImGui::InputText(Id(control.name).text, buffer, sizeof buffer, ImGuiInputTextFlags_AutoSelectAll);
    ImGui::EndDisabled();
    const bool finished = ImGui::IsItemDeactivatedAfterEdit();
    if (ImGui::IsItemActive()) {
        takeHold(control.name);
        copyText(typed_, buffer);
    } else if (held) {
        editing_.clear();
    }
    finish(control, unavailable);
    describe("textbox", control.label, buffer, unavailable);
    if (finished) typed = buffer;
    return finished;
}

bool Widgets::beginCombo(const Control& control, std::string_view shown, const Reason& unavailable, float width) {
    if (width == 0)
        label(control, unavailable);
    else
        ImGui::SetNextItemWidth(width);
    const std::string preview(shown);
    comboName_ = control.name;
    const ImVec2 from = ImGui::GetCursorScreenPos();
    const float wide = ImGui::CalcItemWidth(), high = ImGui::GetFrameHeight();
    ImGui::BeginDisabled(!unavailable.empty());
    const bool open = ImGui::BeginCombo(Id(control.name).text, preview.c_str(), ImGuiComboFlags_HeightLarge);
    if (!open) {
        ImGui::EndDisabled();
        finish(control, unavailable);
        describe("combobox", control.label, shown, unavailable);
        return false;
    }
    // The last item is now inside the list, but the place of the closed control is known.
    if (lit_ == control.name) litShown_ = true;
    if (recording) items.push_back({control.name, from.x, from.y, from.x + wide, from.y + high, unavailable.empty()});
    describe("combobox", control.label, shown, unavailable);
    return true;
}

bool Widgets::choice(std::string_view name, std::string_view idea, bool selected, const Reason& unavailable) {
    const std::string shown(name);
    ImGui::BeginDisabled(!unavailable.empty());
    const bool chosen = ImGui::Selectable(shown.c_str(), selected);
    ImGui::EndDisabled();
    if (selected && ImGui::IsWindowAppearing()) ImGui::SetScrollHereY();
    // A row of a long list that is scrolled out of sight cannot be clicked.
    const float above = ImGui::GetWindowPos().y, below = above + ImGui::GetWindowHeight();
    if (recording && ImGui::GetItemRectMin().y >= above && ImGui::GetItemRectMax().y <= below) {
        record(std::string(comboName_) + "/" + shown, unavailable.empty());
        describe("option", shown, selected ? "true" : "", unavailable);
    }
    if (!idea.empty() && ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled)) tooltip(name, idea, unavailable);
    return chosen;
}

bool Widgets::beginMenu(const std::string& name, std::string_view label, bool enabled) {
    // Read the title's place first: once the list is open, the last item is one of the list.
    const ImVec2 from = ImGui::GetCursorScreenPos();
    const std::string title(label);
    const float wide = ImGui::CalcTextSize(title.c_str()).x;
    const bool open = ImGui::BeginMenu(title.c_str(), enabled);
    listOpen = listOpen || open;
    listFocused = listFocused || (!open && ImGui::IsItemFocused());
    if (recording) items.push_back({name, from.x, from.y, from.x + wide, from.y + ImGui::GetFontSize(), enabled});
    describe("menuitem", label);
    if (!open) frameIfLit(name, from, ImVec2(from.x + wide, from.y + ImGui::GetFontSize()));
    return open;
}

void Widgets::endMenu() { ImGui::EndMenu(); }

bool Widgets::menuItem(const std::string& name, std::string_view label, std::string_view keys, bool checked,
                       std::string_view idea, const Reason& unavailable) {
    const std::string title(label), right(keys);
    const bool chosen = ImGui::MenuItem(title.c_str(), right.c_str(), checked, unavailable.empty());
    if (recording) record(name, unavailable.empty());
    describe("menuitem", label, checked ? "true" : "", unavailable);
    frameIfLit(name, ImGui::GetItemRectMin(), ImGui::GetItemRectMax());
    if (ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled)) tooltip(name, idea, unavailable);
    return chosen;
}

void Widgets::endCombo() {
    ImGui::EndCombo();
    ImGui::EndDisabled();
}

void colouredText(ImU32 colour, std::string_view text) {
    ImGui::PushStyleColor(ImGuiCol_Text, colour);
    ImGui::TextUnformatted(text.data(), text.data() + text.size());
    ImGui::PopStyleColor();
}

std::string linesWithin(const ImFont& font, float size, std::string_view text, float width) {
    std::string lines(text);
    const auto isWider = [&](std::size_t from, std::size_t to) {
        return font.CalcTextSizeA(size, FLT_MAX, 0, lines.data() + from, lines.data() + to).x > width;
    };
    std::size_t begin = 0, blank = 0;  // of the line; its last blank
    for (std::size_t at = 0; at <= lines.size(); ++at) {
        const bool ends = at == lines.size() || lines[at] == '\n';
        if (!ends && lines[at] != ' ') continue;
        if (blank > begin && isWider(begin, at)) {
            lines[blank] = '\n';
            begin = blank + 1;
        }
        blank = at;
        if (ends) begin = blank = at + 1;
    }
    return lines;
}

std::string linesWithin(std::string_view text, float width) {
    return linesWithin(*ImGui::GetFont(), ImGui::GetFontSize(), text, width);
}

}  // namespace gravlab
