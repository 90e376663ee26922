// Overlays of the four views. Rule: every plane has its own ticks and units, and names its axes in words, not by colour
// alone.
#include "app/ui/overlay.h"

#include "app/plots/plot.h"
#include "app/ui/overlay_space.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace gravlab {
namespace {

constexpr const char* kAxisNames[] = {"x", "y", "z"};

/// Draws over one of the four views.
class PaneDrawing {
public:
    PaneDrawing(const Document& document, const SpaceView& view, float scale, ImDrawList& list)
        : document_(document), view_(view), scale_(scale), list_(list), paper_(document.look.paper) {
        to_ = ImVec2(view.from.x + view.size.x, view.from.y + view.size.y);
        ink_ = paper_ ? IM_COL32(20, 24, 30, 255) : IM_COL32(214, 219, 228, 255);
        line_ = paper_ ? IM_COL32(20, 24, 30, 200) : IM_COL32(205, 211, 220, 190);
        // Bodies behind a number must not hide it.
        shade_ = paper_ ? IM_COL32(255, 255, 255, 190) : IM_COL32(0, 0, 0, 190);
    }

    void plane(const FourViewRow& row) {
        const SceneUnits& units = document_.facts.scene->units;
        const std::string unit = units.length.empty() ? "L" : std::string(units.length);
        const float line = ImGui::GetTextLineHeight(), tick = 5 * scale_;
        const double half = halfHeight(view_.camera);
        const double wide = half * static_cast<double>(view_.size.x / std::max(view_.size.y, 1.0f));
        const glm::vec3 target = view_.camera.target;
        for (const bool across : {true, false}) {
            const int axis = across ? row.across : row.up;
            const double reach = across ? wide : half, centre = static_cast<double>(target[axis]);
            const double low = (centre - reach) * units.lengthScale, high = (centre + reach) * units.lengthScale;
            const float pixels = (across ? view_.size.x : view_.size.y) / scale_;
            for (const double value : roundTicks(low, high, false, std::max(2, static_cast<int>(pixels / 45)))) {
                glm::vec3 point = target;
                point[axis] = static_cast<float>(value / units.lengthScale);
                const auto at = onSurface(view_, point);
                if (!at) continue;
                const std::string text = tickText(std::abs(value) < 1e-9 * (high - low) ? 0 : value);
                const ImVec2 size = ImGui::CalcTextSize(text.c_str());
                if (across) {
                    // The corner has the numbers of the other axis.
                    if (at->x - 0.5f * size.x < view_.from.x + 30 * scale_ || at->x + 0.5f * size.x > to_.x - 2 * scale_)
                        continue;
                    list_.AddLine(ImVec2(at->x, to_.y), ImVec2(at->x, to_.y - tick), line_, scale_);
                    write(ImVec2(at->x - 0.5f * size.x, to_.y - tick - size.y), text, ink_);
                } else {
                    if (at->y < view_.from.y + 2.1f * line || at->y > to_.y - 2.4f * line) continue;
                    list_.AddLine(ImVec2(view_.from.x, at->y), ImVec2(view_.from.x + tick, at->y), line_, scale_);
                    write(ImVec2(view_.from.x + tick + 3 * scale_, at->y - 0.5f * size.y), text, ink_);
                }
            }
        }
        const std::string across = std::string(kAxisNames[row.across]) + " [" + unit + "]";
        const std::string up = std::string(kAxisNames[row.up]) + " [" + unit + "]";
        const ImVec2 width = ImGui::CalcTextSize(across.c_str());
        write(ImVec2(to_.x - width.x - 6 * scale_, to_.y - tick - 2.2f * line), across, colour(row.across));
        write(ImVec2(view_.from.x + 6 * scale_, view_.from.y + 4 * scale_), up, colour(row.up));
    }

    void space() {
        const RoundLength step =
            roundLength(0.35 * static_cast<double>(view_.camera.distance), document_.facts.scene->units);
        const glm::vec3 target = view_.camera.target;
        for (int axis = 0; axis < 3; ++axis) {
            glm::vec3 end = target;
            end[axis] += static_cast<float>(step.length);
            drawSegment(list_, view_, target, end, (colour(axis) & ~IM_COL32_A_MASK) | IM_COL32(0, 0, 0, 150),
                        1.3f * scale_);
            if (const auto at = onSurface(view_, end))
                write(ImVec2(at->x + 4 * scale_, at->y - 0.5f * ImGui::GetTextLineHeight()), kAxisNames[axis], colour(axis));
        }
        write(ImVec2(view_.from.x + 6 * scale_, view_.from.y + 4 * scale_), "each axis " + step.text, ink_);
    }

    void starts() {
        const float r = 4.5f * scale_;
        for (const Double4& start : document_.facts.starts) {
            const auto at = onSurface(view_, glm::vec3(start.x, start.y, start.z));
            if (!at) continue;
            list_.AddCircle(*at, r, shade_, 20, 3.2f * scale_);
            list_.AddCircle(*at, r, ink_, 20, 1.4f * scale_);
        }
    }

private:
    ImU32 colour(int axis) const { return axisColour(axis, paper_); }

    void write(ImVec2 at, const std::string& text, ImU32 ink) { drawEdged(list_, at, text, ink, shade_, scale_); }

    const Document& document_;
    const SpaceView& view_;
    float scale_;
    ImDrawList& list_;
    bool paper_;
    ImVec2 to_;
    ImU32 ink_ = 0, line_ = 0, shade_ = 0;
};

}  // namespace

PicturePart freeOf(const Document& document, const OverlayArea& area) {
    const OverlayChoice& shown = document.overlay;
    const float bar = shown.legend ? 50 * area.scale : shown.clock ? 34 * area.scale : 0;
    const float below = document.fourViewed() ? bar : 0;
    return {static_cast<int>(area.from.x), static_cast<int>(area.from.y), static_cast<int>(area.to.x - area.from.x),
            static_cast<int>(area.to.y - area.from.y - below)};
}

void drawFourViewOverlay(const Document& document, const OverlayArea& area, std::span<const Viewport> viewports) {
    if (!document.fourViewed()) return;
    ImDrawList& list = *ImGui::GetBackgroundDrawList();
    ImGui::PushFont(area.font);
    const std::vector<SpaceView> views = spaceViews(viewports);
    for (std::size_t i = 0; i < views.size(); ++i) {
        const SpaceView& view = views[i];
        list.PushClipRect(view.from, ImVec2(view.from.x + view.size.x, view.from.y + view.size.y), true);
        PaneDrawing drawing(document, view, area.scale, list);
        drawing.starts();
        if (i == kSpaceView)
            drawing.space();
        else
            drawing.plane(kFourViews[i]);
        list.PopClipRect();
    }
    ImGui::PopFont();
}

}  // namespace gravlab
