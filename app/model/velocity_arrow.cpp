// From pixels to a velocity: the arrow's tip moves in the plane that faces the viewer, so its depth stays constant.
#include "app/model/velocity_arrow.h"

#include "app/model/document.h"

#include <glm/geometric.hpp>

#include <algorithm>
#include <cmath>

namespace gravlab {
namespace {

// Arrow length for the top of the scene's colour map, and for the strongest force, as a fraction of the camera's distance.
constexpr double kShare = 0.12;
constexpr float kGrip = 12;  // pixels at scale 1 around the tip in which a press grips it

}  // namespace

void VelocityArrow::press(const Camera& camera, glm::vec2 cursor, glm::vec2 viewport, const glm::dvec3& place,
                          const glm::dvec3& velocity, double scale) {
    const glm::dvec3 eye(camera.eye()), ahead = glm::normalize(glm::dvec3(camera.target) - eye);
    const double depth = glm::dot(place + scale * velocity - eye, ahead);
    const double nearer = camera.orthographic ? 1 : depth / static_cast<double>(camera.distance);
    drag_ = Drag{camera, viewport, cursor, velocity, velocity, nearer / scale};
}

void VelocityArrow::move(glm::vec2 cursor) {
    if (!drag_) return;
    const Drag& d = *drag_;
    const glm::vec3 way = d.camera.pointUnder(cursor, d.viewport) - d.camera.pointUnder(d.from, d.viewport);
    drag_->velocity = d.before + d.perLength * glm::dvec3(way);
}

std::optional<glm::dvec3> VelocityArrow::release() {
    if (!drag_) return std::nullopt;
    const Drag ended = *drag_;
    drag_.reset();
    if (ended.velocity == ended.before) return std::nullopt;
    return ended.velocity;
}

bool Document::overlayDraws() const { return overlay.any(!facts.names->empty()) || tree.boxes != TreeBoxes::none; }

ArrowScale Document::arrowScale() const {
    const double reach = kShare * static_cast<double>(drawnCamera().distance);
    double strongest = 0;
    for (const BodyMark& one : facts.marks) strongest = std::max(strongest, glm::length(one.acceleration));
    const double fastest = facts.scene ? facts.scene->view.speedScale : 1;
    return {reach / std::max(fastest, 1e-300), strongest > 0 ? reach / strongest : 0};
}

std::optional<BodyMark> Document::selectedArrow() const {
    if (!selected || !(overlay.velocities || aim.dragging())) return std::nullopt;
    for (BodyMark one : facts.marks)
        if (one.id == selected->id) {
            if (aim.dragging()) one.velocity = aim.velocity();
            return one;
        }
    return std::nullopt;
}

bool Document::onArrowTip(glm::vec2 cursor, glm::vec2 surface) const {
    const std::optional<BodyMark> arrow = selectedArrow();
    if (!arrow || fourViewed()) return false;
    const SurfaceSpot spot = spotAt(cursor, surface);
    if (spot.run != 0) return false;
    const glm::dvec3 tip = arrow->place + arrowScale().velocity * arrow->velocity;
    const glm::vec4 clip = spot.camera.projection(spot.size.x / std::max(spot.size.y, 1.0f)) * spot.camera.view() *
                           glm::vec4(glm::vec3(tip), 1);
    if (!(clip.w > 0)) return false;
    const glm::vec2 at(0.5f * (1 + clip.x / clip.w) * spot.size.x, 0.5f * (1 - clip.y / clip.w) * spot.size.y);
    return glm::length(at - spot.cursor) < kGrip * std::max(ui.scale, 1.0f);
}

void Document::startAim(glm::vec2 cursor, glm::vec2 surface) {
    const std::optional<BodyMark> arrow = selectedArrow();
    if (!arrow) return;
    const SurfaceSpot spot = spotAt(cursor, surface);
    aim.from = cursor - spot.cursor;
    aim.press(spot.camera, spot.cursor, spot.size, arrow->place, arrow->velocity, arrowScale().velocity);
}

void Document::moveAim(glm::vec2 cursor) { aim.move(cursor - aim.from); }

}  // namespace gravlab
