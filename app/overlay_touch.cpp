// Marks of single bodies. Rule: colours that stay apart for every eye, and shapes anyway: a ring is selected, a diamond
// held.
#include "app/overlay_touch.h"

namespace gravlab {
namespace {

constexpr ImU32 kSelected = IM_COL32(106, 176, 243, 255), kHeld = IM_COL32(240, 178, 70, 255);

void drawHeld(Session& session, const SpaceView& view, const OverlayArea& area, ImDrawList& list) {
    const float r = 7 * area.scale;
    for (const HeldBody& body : session.heldBodies()) {
        const std::optional<ImVec2> at = onSurface(view, glm::vec3(body.at(session.facts().time)));
        if (!at) continue;
        const ImVec2 corners[] = {{at->x, at->y - r}, {at->x + r, at->y}, {at->x, at->y + r}, {at->x - r, at->y}};
        list.AddPolyline(corners, 4, kHeld, ImDrawFlags_Closed, 1.6f * area.scale);
    }
}

}  // namespace

bool touchDraws(const Session& session) { return session.selected() || !session.heldBodies().empty(); }

void drawTouch(Session& session, const OverlayArea& area, const SpaceView& view, ImDrawList& list) {
    drawHeld(session, view, area, list);
    if (!session.selected() || !session.selected()->placed) return;
    if (const std::optional<ImVec2> at = onSurface(view, session.selected()->position))
        list.AddCircle(*at, 11 * area.scale, kSelected, 32, 1.6f * area.scale);
}

}  // namespace gravlab
