// From pixels to a velocity, and to the end of a spring: both move in a plane that faces the viewer, so their depth stays
// constant.
#include "app/model/velocity_arrow.h"

#include "app/model/document.h"

#include <glm/geometric.hpp>

#include <algorithm>

namespace gravlab {
namespace {

// Arrow length for the top of the scene's colour map, and for the strongest force, as a fraction of the camera's distance.
constexpr double kShare = 0.12;
constexpr float kGrip = 12;  // pixels at scale 1 around a tip or a body in which a press grips it

/// Size of the plane through `place` that faces the viewer, relative to that through the camera's target.
double nearness(const Camera& camera, const glm::dvec3& place) {
    const glm::dvec3 eye(camera.eye()), ahead = glm::normalize(glm::dvec3(camera.target) - eye);
    return camera.orthographic ? 1 : glm::dot(place - eye, ahead) / static_cast<double>(camera.distance);
}

/// The pixel of a point; empty behind the camera.
std::optional<glm::vec2> pixelOf(const Document::SurfaceSpot& spot, const glm::dvec3& point) {
    const glm::vec4 clip = spot.camera.projection(spot.size.x / std::max(spot.size.y, 1.0f)) * spot.camera.view() *
                           glm::vec4(glm::vec3(point), 1);
    if (!(clip.w > 0)) return std::nullopt;
    return glm::vec2(0.5f * (1 + clip.x / clip.w) * spot.size.x, 0.5f * (1 - clip.y / clip.w) * spot.size.y);
}

}  // namespace

void BodyPull::press(const Camera& camera, glm::vec2 at, glm::vec2 viewport, const glm::dvec3& place) {
    grip_ = Grip{camera, viewport, at, place, nearness(camera, place)};
    place_ = place;
}

void BodyPull::move(glm::vec2 cursor) {
    if (!grip_) return;
    const Grip& g = *grip_;
    place_ = g.place + g.scale * glm::dvec3(g.camera.pointUnder(cursor, g.viewport) - g.camera.pointUnder(g.at, g.viewport));
}

void BodyPull::begin(std::uint32_t body, const std::optional<glm::dvec3>& to) {
    if (to) grip_.reset();
    body_ = body;
    place_ = to.value_or(place_);
}

void VelocityArrow::press(const Camera& camera, glm::vec2 cursor, glm::vec2 viewport, const glm::dvec3& place,
                          const glm::dvec3& velocity, double scale) {
    drag_ = Drag{camera, viewport, cursor, velocity, velocity, nearness(camera, place + scale * velocity) / scale};
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
    const std::optional<glm::vec2> at = pixelOf(spot, tip);
    return at && glm::length(*at - spot.cursor) < kGrip * std::max(ui.scale, 1.0f);
}

bool Document::onSelected(glm::vec2 cursor, glm::vec2 surface) const {
    if (!selected || !selected->placed || follow || fourViewed()) return false;
    const SurfaceSpot spot = spotAt(cursor, surface);
    const std::optional<glm::vec2> at = pixelOf(spot, glm::dvec3(selected->position));
    return spot.run == 0 && at && glm::length(*at - spot.cursor) < kGrip * std::max(ui.scale, 1.0f);
}

bool Document::startPull(glm::vec2 cursor, glm::vec2 surface) {
    const SurfaceSpot spot = spotAt(cursor, surface);
    const std::optional<glm::vec2> at =
        selected && selected->placed ? pixelOf(spot, glm::dvec3(selected->position)) : std::nullopt;
    if (!at) return false;
    pull.from = cursor - spot.cursor;
    pull.press(spot.camera, *at, spot.size, glm::dvec3(selected->position));
    pull.move(spot.cursor);
    return true;
}

void Document::movePull(glm::vec2 cursor) { pull.move(cursor - pull.from); }

void Document::startAim(glm::vec2 cursor, glm::vec2 surface) {
    const std::optional<BodyMark> arrow = selectedArrow();
    if (!arrow) return;
    const SurfaceSpot spot = spotAt(cursor, surface);
    aim.from = cursor - spot.cursor;
    aim.press(spot.camera, spot.cursor, spot.size, arrow->place, arrow->velocity, arrowScale().velocity);
}

void Document::moveAim(glm::vec2 cursor) { aim.move(cursor - aim.from); }

}  // namespace gravlab
