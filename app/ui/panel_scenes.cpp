// All scenes as pictures, in groups: by mouse, or by arrows and Enter; typing searches. Rule: choosing posts the command of
// the scene list.
#include "app/system/picture.h"
#include "app/tables/format.h"
#include "app/ui/panel_input.h"
#include "app/ui/parameter_widgets.h"
#include "app/ui/scene_picker.h"
#include "app/ui/widgets.h"
#include "sim/core/text.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <sstream>
#include <string>
#include <unordered_map>
#include <utility>

namespace gravlab {

// The search of scenes, moves by keys among them, and their pictures.

namespace {

/// Packed RGBA for textures.
std::vector<std::uint8_t> withAlpha(const Picture& picture) {
    std::vector<std::uint8_t> rgba;
    rgba.reserve(picture.rgb.size() / 3 * 4);
    for (std::size_t i = 0; i + 2 < picture.rgb.size(); i += 3)
        rgba.insert(rgba.end(), {picture.rgb[i], picture.rgb[i + 1], picture.rgb[i + 2], 255});
    return rgba;
}

}  // namespace

std::vector<std::string> wordsOf(std::string_view search) {
    std::vector<std::string> words;
    std::istringstream stream(inLowerCase(search));
    for (std::string word; stream >> word;) words.push_back(word);
    return words;
}

std::vector<ScenesOfGroup> scenesWith(std::string_view search) {
    const std::vector<std::string> words = wordsOf(search);
    std::vector<ScenesOfGroup> found;
    for (const SceneGroup group : kSceneGroups) {
        ScenesOfGroup one{group, {}};
        for (std::size_t place = 0; const Scene* scene = sceneOf(group, place); ++place) {
            std::string text(scene->name);
            for (const std::string_view more : {scene->idea, scene->caption, labelOf(group)})
                text += " " + std::string(more);
            text = inLowerCase(text);
            const auto has = [&](const std::string& word) { return text.find(word) != std::string::npos; };
            if (std::all_of(words.begin(), words.end(), has)) one.scenes.push_back(scene);
        }
        if (!one.scenes.empty()) found.push_back(std::move(one));
    }
    return found;
}

const Scene* likeliestOf(const std::vector<ScenesOfGroup>& groups, std::string_view search) {
    const std::vector<std::string> words = wordsOf(search);
    for (const ScenesOfGroup& group : groups)
        for (const Scene* scene : group.scenes)
            for (const std::string& word : words)
                if (scene->name.find(word) != std::string_view::npos) return scene;
    return groups.empty() ? nullptr : groups.front().scenes.front();
}

SceneGrid::SceneGrid(const std::vector<ScenesOfGroup>& groups, std::size_t columns) {
    for (const ScenesOfGroup& group : groups)
        for (std::size_t i = 0; i < group.scenes.size(); ++i) {
            if (i % columns == 0) lines_.emplace_back();
            lines_.back().push_back(group.scenes[i]);
        }
}

const Scene* SceneGrid::moved(const Scene* from, int places, int lines) const {
    std::vector<const Scene*> all;
    for (const auto& line : lines_) all.insert(all.end(), line.begin(), line.end());
    if (all.empty()) return nullptr;
    const auto found = std::find(all.begin(), all.end(), from);
    if (found == all.end()) return all.front();
    const auto clamped = [](std::ptrdiff_t place, std::size_t count) {
        return static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(place, 0, static_cast<std::ptrdiff_t>(count) - 1));
    };
    from = all[clamped(found - all.begin() + places, all.size())];
    if (lines == 0) return from;
    for (std::size_t i = 0; i < lines_.size(); ++i) {
        const auto at = std::find(lines_[i].begin(), lines_[i].end(), from);
        if (at == lines_[i].end()) continue;
        const auto& line = lines_[clamped(static_cast<std::ptrdiff_t>(i) + lines, lines_.size())];
        return line[clamped(at - lines_[i].begin(), line.size())];
    }
    return from;
}

unsigned ScenePicker::picture(std::string_view scene) {
    const auto known = pictures_.find(scene);
    if (known != pictures_.end()) return known->second ? known->second->id() : 0;
    std::unique_ptr<ImageTexture>& texture = pictures_[std::string(scene)];
    const std::string name = std::string(scene) + ".png";
    const std::string_view file = scenePicture(name);
    if (file.empty()) return 0;
    const Picture picture = decodePng(file, name);
    texture = std::make_unique<ImageTexture>(true);
    texture->update(picture.width, picture.height, withAlpha(picture));
    return texture->id();
}

namespace {

constexpr Control kSearchScenes{"scenes_search", "Search",
                                "Words of a scene's name or description. Arrows move, Enter chooses, Esc closes"};
constexpr Control kCloseScenes{"scenes_close", "Close", "Close the pictures. Keys: Esc, Ctrl N"};

constexpr float kSceneCell = 180, kSmallSceneCell = 146, kManyPixels = 900, kSceneGap = 8;  // at scale 1
constexpr float kScenesWidth = 1180, kDetailHeight = 54;
constexpr int kPageOfLines = 3;  // lines

void closeScenes(PanelContext& p) { set(p, "window.scenes", false); }

void takeScene(PanelContext& p, const Scene& scene) {
    set(p, "run.scene", std::string(scene.name));
    closeScenes(p);
}

/// "scenes/galaxy": a stable name for tests, made once.
Control cellOf(const Scene& scene) {
    static std::unordered_map<const Scene*, std::string> names;
    const auto [found, fresh] = names.try_emplace(&scene);
    if (fresh) found->second = "scenes/" + std::string(scene.name);
    return {found->second.c_str(), scene.name.data(), Tip::ofRow(scene.idea)};
}

bool isOnScreen(PanelContext& p, const Scene& scene) { return p.facts.scene->name == scene.name; }

/// The field with the keyboard focus while the pictures are shown. True when its text has changed.
bool drawSceneSearch(PanelContext& p, float width) {
    ScenePicker& picker = p.picker;
    char text[128];
    std::snprintf(text, sizeof text, "%s", picker.search.c_str());
    ImGui::SetNextItemWidth(width);
    // Arrows move among the pictures, so the caret stays at the end of the text.
    const auto atEnd = [](ImGuiInputTextCallbackData* data) {
        if (data->SelectionStart == data->SelectionEnd)
            data->CursorPos = data->SelectionStart = data->SelectionEnd = data->BufTextLen;
        return 0;
    };
    p.widgets.takeKeys();
    const bool changed =
        ImGui::InputTextWithHint("##search", "type to search", text, sizeof text, ImGuiInputTextFlags_CallbackAlways, atEnd);
    p.widgets.finish(kSearchScenes);
    // Esc would restore the old text in this field; here it closes the panel.
    if (!changed || panelKeyPressed(ImGuiKey_Escape)) return false;
    picker.search = text;
    return true;
}

void drawSceneCell(PanelContext& p, const Scene& scene, ImVec2 size) {
    ScenePicker& picker = p.picker;
    const float s = p.widgets.scale(), pad = 4 * s, rounding = 4 * s;
    const Control control = cellOf(scene);
    const ImVec2 from = ImGui::GetCursorScreenPos(), to(from.x + size.x, from.y + size.y);
    const bool taken = ImGui::InvisibleButton(control.name, size);
    const bool hovered = ImGui::IsItemHovered(), seen = ImGui::IsItemVisible();
    if (p.widgets.recording && seen) p.widgets.finish(control);
    const ImVec2 moved = ImGui::GetIO().MouseDelta;
    if (hovered && (moved.x != 0 || moved.y != 0)) picker.chosen = &scene;
    const bool chosen = picker.chosen == &scene;
    if (chosen && std::exchange(picker.follow, false)) ImGui::SetScrollHereY();
    if (taken) takeScene(p, scene);
    if (!seen) return;

    ImDrawList& list = *ImGui::GetWindowDrawList();
    list.AddRectFilled(from, to, palette::veil(chosen ? 34 : 12), rounding);
    const ImVec2 a(from.x + pad, from.y + pad), b(to.x - pad, from.y + pad + std::floor((size.x - 2 * pad) * 9 / 16));
    if (const unsigned id = picker.picture(scene.name))
        list.AddImageRounded((ImTextureID) static_cast<std::uintptr_t>(id), a, b, ImVec2(0, 0), ImVec2(1, 1), IM_COL32_WHITE,
                             rounding);
    else
        list.AddRectFilled(a, b, palette::veil(14), rounding);
    float y = b.y + 3 * s;
    list.AddText(ImVec2(a.x + 2 * s, y), palette::kText, scene.name.data(), scene.name.data() + scene.name.size());
    y += ImGui::GetTextLineHeight() + 1 * s;
    ImFont* const small = p.widgets.fonts().small;
    const ImVec4 clip(a.x, y, b.x, to.y - pad + 2 * s);
    const std::string idea = linesWithin(*small, small->FontSize, scene.idea, b.x - a.x - 2 * s);
    list.AddText(small, small->FontSize, ImVec2(a.x + 2 * s, y), palette::kMuted, idea.c_str(), nullptr, 0, &clip);
    if (isOnScreen(p, scene)) {
        const char* const tag = "on screen";
        const ImVec2 wide = small->CalcTextSizeA(small->FontSize, 1e6f, 0, tag);
        const ImVec2 corner(b.x - wide.x - 10 * s, a.y);
        list.AddRectFilled(corner, ImVec2(b.x, a.y + wide.y + 4 * s), palette::kPlate, rounding);
        list.AddText(small, small->FontSize, ImVec2(corner.x + 5 * s, a.y + 2 * s), palette::kAccent, tag);
    }
    if (chosen) list.AddRect(from, to, palette::kAccent, rounding, 0, palette::line(1.6f * s));
}

void drawSceneGroups(PanelContext& p, const std::vector<ScenesOfGroup>& groups, std::size_t columns, float width) {
    const float s = p.widgets.scale(), gap = kSceneGap * s;
    const float cell = std::floor((width - gap * static_cast<float>(columns - 1)) / static_cast<float>(columns));
    const float text = ImGui::GetTextLineHeight() + 2 * p.widgets.fonts().small->FontSize + 10 * s;
    const ImVec2 size(cell, std::floor((cell - 8 * s) * 9 / 16 + text));
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(gap, gap));
    for (const ScenesOfGroup& group : groups) {
        p.widgets.section(std::string(labelOf(group.group)).c_str());
        std::size_t place = 0;
        for (const Scene* scene : group.scenes) {
            if (place++ % columns) ImGui::SameLine();
            drawSceneCell(p, *scene, size);
        }
    }
    ImGui::PopStyleVar();
    if (groups.empty())
        p.widgets.wrapped(palette::kMuted, "No scene has '" + p.picker.search + "' in its name or description.");
}

void walkScenes(PanelContext& p, const SceneGrid& grid) {
    struct KeyMove {
        ImGuiKey key;
        int places, lines;
    };
    constexpr KeyMove kMoves[] = {{ImGuiKey_LeftArrow, -1, 0},         {ImGuiKey_RightArrow, 1, 0},
                                  {ImGuiKey_UpArrow, 0, -1},           {ImGuiKey_DownArrow, 0, 1},
                                  {ImGuiKey_PageUp, 0, -kPageOfLines}, {ImGuiKey_PageDown, 0, kPageOfLines},
                                  {ImGuiKey_Home, -1000000, 0},        {ImGuiKey_End, 1000000, 0}};
    for (const KeyMove& row : kMoves) {
        if (!panelKeyPressed(row.key)) continue;
        p.picker.chosen = grid.moved(p.picker.chosen, row.places, row.lines);
        p.picker.follow = true;
    }
    if (p.picker.chosen && enterPressed()) takeScene(p, *p.picker.chosen);
    if (panelKeyPressed(ImGuiKey_Escape)) closeScenes(p);
}

/// What to look for in the scene under the keys, in a fixed area so that nothing moves.
void drawSceneDetail(PanelContext& p) {
    const float s = p.widgets.scale();
    if (ImGui::BeginChild("detail", ImVec2(0, kDetailHeight * s)) && p.picker.chosen) {
        const Scene& scene = *p.picker.chosen;
        std::string head(scene.name);
        if (scene.fixedBodies) head += "   " + std::string(grouped(scene.fixedBodies)) + " bodies";
        p.widgets.wrapped(palette::kAccent, head);
        p.widgets.wrapped(palette::kText, std::string(scene.caption.empty() ? scene.idea : scene.caption));
    }
    ImGui::EndChild();
}

}  // namespace

void drawScenes(PanelContext& p) {
    ScenePicker& picker = p.picker;
    if (!p.state.scenes || !p.state.inWindow) {
        picker.open = false;
        return;
    }
    const float s = p.widgets.scale(), margin = kMargin * s;
    const float width = std::min(kScenesWidth * s, p.surface.x - 2 * margin);
    const float height = p.surface.y - p.top - kBottomHeight * s - 2 * margin;
    ImGui::SetNextWindowPos(ImVec2(std::floor(0.5f * (p.surface.x - width)), p.top + margin));
    ImGui::SetNextWindowSize(ImVec2(width, std::max(height, 160 * s)));
    if (!picker.open) ImGui::SetNextWindowFocus();
    if (const PanelWindow window(p, "scenes", kPanelWindow | ImGuiWindowFlags_NoScrollbar, 1); window) {
        bool changed = false;
        if (!std::exchange(picker.open, true)) {
            picker.search.clear();
            picker.chosen = nullptr;
            for (const Scene& row : sceneTable())
                if (isOnScreen(p, row)) picker.chosen = &row;
            picker.follow = true;
        }
        const float button = ImGui::CalcTextSize(kCloseScenes.label).x + 2 * ImGui::GetStyle().FramePadding.x;
        const float field = ImGui::GetContentRegionAvail().x - button - ImGui::GetStyle().ItemSpacing.x;
        changed = drawSceneSearch(p, field);
        ImGui::SameLine();
        if (p.widgets.button(kCloseScenes, button)) closeScenes(p);
        const std::vector<ScenesOfGroup> groups = scenesWith(picker.search);
        const float inner = ImGui::GetContentRegionAvail().x - ImGui::GetStyle().ScrollbarSize - 4 * s;
        const float cell = (width > kManyPixels * s ? kSceneCell : kSmallSceneCell) * s;
        const auto columns =
            static_cast<std::size_t>(std::max(std::floor((inner + kSceneGap * s) / (cell + kSceneGap * s)), 1.0f));
        const SceneGrid grid(groups, columns);
        // Enter chooses the best match of the search.
        if (changed) {
            picker.chosen = likeliestOf(groups, picker.search);
            picker.follow = true;
        }
        const float detail = kDetailHeight * s + 2 * ImGui::GetStyle().ItemSpacing.y;
        ImGui::BeginChild("pictures", ImVec2(0, -detail));
        drawSceneGroups(p, groups, columns, inner);
        ImGui::EndChild();
        drawSceneDetail(p);
        walkScenes(p, grid);
    }
}

}  // namespace gravlab
