// F1: all keys by menu, and the mouse, in several columns.
#include "app/ui/parameter_widgets.h"
#include "app/ui/widgets.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace gravlab {
namespace {

constexpr Control kCloseHelp{"close_help", "Close", "Close the list. Keys: F1, Esc"};
constexpr float kColumn = 370, kKeyWidth = 104, kGap = 20, kHeading = 25;

/// A heading with its rows, which stay together in a column.
struct Group {
    std::string title;
    std::vector<std::pair<std::string, std::string_view>> rows;
    float height = 0;
};

constexpr float kKeyGap = 10;
/// Whether a key name is wider than its column: its text then begins right after it.
bool isWide(const std::string& keys, float scale) {
    return ImGui::CalcTextSize(keys.c_str()).x > (kKeyWidth - kGap - kKeyGap) * scale;
}

std::vector<Group> groups(float scale) {
    std::vector<Group> all;
    for (const Menu& menu : menus()) {
        Group group{std::string(menu.name), {}};
        for (const Action& action : menu.rows)
            if (std::string keys = keyText(action); !keys.empty()) group.rows.emplace_back(std::move(keys), action.idea);
        if (!group.rows.empty()) all.push_back(std::move(group));
    }
    Group mouse{"Mouse", {}};
    for (const MouseRow& row : mouseRows()) mouse.rows.emplace_back(std::string(row.name), row.idea);
    all.push_back(std::move(mouse));
    for (Group& group : all) {
        group.height = kHeading * scale;
        for (const auto& [keys, idea] : group.rows)
            group.height +=
                ImGui::CalcTextSize(
                    idea.data(), idea.data() + idea.size(), false,
                    kColumn * scale - (isWide(keys, scale) ? ImGui::CalcTextSize(keys.c_str()).x + (kKeyGap + kGap) * scale
                                                           : kKeyWidth * scale))
                    .y +
                ImGui::GetStyle().ItemSpacing.y;
    }
    return all;
}

/// Number of columns for the groups, in order, when no column exceeds that height.
std::size_t columnsAt(const std::vector<Group>& all, float height) {
    std::size_t columns = 1;
    float used = 0;
    for (const Group& group : all) {
        if (used > 0 && used + group.height > height) {
            ++columns;
            used = 0;
        }
        used += group.height;
    }
    return columns;
}

void draw(PanelContext& p, const Group& group) {
    p.widgets.section(group.title.c_str());
    const float right = ImGui::GetCursorPosX() + ImGui::GetContentRegionAvail().x;
    for (const auto& [keys, idea] : group.rows) {
        ImGui::TextUnformatted(keys.c_str());
        if (const float s = p.widgets.scale(); isWide(keys, s))
            ImGui::SameLine(0, kKeyGap * s);
        else
            ImGui::SameLine(kKeyWidth * s);
        colouredText(palette::kMuted, linesWithin(idea, right - ImGui::GetCursorPosX()));
    }
}

}  // namespace

void drawHelp(PanelContext& p) {
    if (!p.state.help) return;
    const float s = p.widgets.scale(), column = (kColumn + kGap) * s;
    const float high = p.surface.y - p.top - kBottomHeight * s;
    const Letters letters(p.widgets.fonts().small);
    const std::vector<Group> all = groups(s);
    const auto fit = static_cast<std::size_t>(std::max((p.surface.x - kGap * s) / column, 1.0f));
    const std::size_t columns = std::min(columnsAt(all, high - 50 * s), fit);
    // The lowest height at which this number of columns suffices.
    float limit = 0;
    while (columnsAt(all, limit) > columns) limit += 8 * s;
    const float width = static_cast<float>(columns) * column + kGap * s;
    placePanel(ImVec2(0.5f * p.surface.x, p.top + 0.5f * high), ImVec2(0.5f, 0.5f), width, high);
    if (const PanelWindow window(p, "keys", kFittedPanel, 1); window) {
        ImGui::PushStyleVar(ImGuiStyleVar_CellPadding, ImVec2(0.5f * kGap * s, 0));
        if (ImGui::BeginTable("columns", static_cast<int>(columns), ImGuiTableFlags_SizingStretchSame)) {
            ImGui::TableNextColumn();
            float used = 0;
            for (const Group& group : all) {
                if (used > 0 && used + group.height > limit) {
                    ImGui::TableNextColumn();
                    used = 0;
                }
                used += group.height;
                draw(p, group);
            }
            ImGui::EndTable();
        }
        ImGui::PopStyleVar();
        ImGui::Dummy(ImVec2(0, 2 * s));
        if (p.widgets.button(kCloseHelp, 0)) set(p, "window.help", false);
    }
}

}  // namespace gravlab
