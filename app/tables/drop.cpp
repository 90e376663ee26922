// The arrow's length on the screen is the speed: a quarter of the picture's height is the top of the scene's colour map.
#include "app/tables/drop.h"

#include "sim/scenes/companion.h"

#include <algorithm>
#include <cmath>

namespace gravlab {
namespace {

constexpr DropRow kRows[] = {
    {"star", "Star", "a body like an average one of the scene", 0, false, false},
    {"black-hole", "Black hole", "one body with a twentieth of the mass of all", 0.05, false, false},
    {"cluster", "Round galaxy", "a Plummer sphere in balance, a twentieth of the mass of all", 0.05, true, false},
    {"disc", "Disc galaxy", "a disc in rotation about a heavy centre, facing you, a tenth of the mass of all", 0.1, true,
     true}};

constexpr double kSizeShare = 0.03;    // of the distance of the scene's view
constexpr double kBodiesShare = 0.05;  // of the scene's
constexpr float kDeadPixels = 4;       // a shorter arrow counts as a click

}  // namespace

std::span<const DropRow> dropRows() { return kRows; }

DropOrder DropTool::usual(const DropScene& scene) const {
    const DropRow& what = kRows[static_cast<std::size_t>(std::clamp(row, 0, static_cast<int>(std::size(kRows)) - 1))];
    const double count = static_cast<double>(std::max<std::size_t>(scene.bodies, 1));
    DropOrder drop{.row = static_cast<int>(&what - kRows)};
    drop.mass = massFactor * (what.massShare > 0 ? what.massShare : 1 / count) * scene.mass;
    drop.size = what.galaxy ? sizeFactor * kSizeShare * scene.size : 0;
    if (what.galaxy) drop.bodies = static_cast<std::size_t>(std::clamp(bodiesFactor * kBodiesShare * count, 100.0, 1e6));
    return drop;
}

std::string DropTool::refusal(const DropScene& scene) const {
    if (scene.gravity || row == 0) return {};
    return "A " + std::string(kRows[row].label) + " is held together by gravity, and another law acts here. Drop a star.";
}

void DropTool::press(const Camera& camera, glm::vec2 cursor, glm::vec2 viewport, const DropScene& scene) {
    DropOrder drop = usual(scene);
    const glm::vec3 place = camera.pointUnder(cursor, viewport), back = camera.eye() - camera.target;
    drop.place = place;
    drop.facing = glm::dvec3(back) / static_cast<double>(camera.distance);
    drag_ =
        Drag{camera, viewport, cursor, scene.speed / (0.25 * static_cast<double>(std::max(viewport.y, 1.0f))), drop, place};
}

void DropTool::move(glm::vec2 cursor) {
    if (!drag_) return;
    const glm::vec2 way = cursor - drag_->from;
    const bool none = std::hypot(way.x, way.y) < kDeadPixels;
    drag_->end = none ? glm::vec3(drag_->order.place) : drag_->camera.pointUnder(cursor, drag_->viewport);
    const double lengthPerPixel = static_cast<double>(drag_->camera.lengthPerPixel(drag_->viewport));
    drag_->order.velocity =
        (glm::dvec3(drag_->end) - drag_->order.place) * (none ? 0 : drag_->speedPerPixel / lengthPerPixel);
}

std::optional<DropOrder> DropTool::release() {
    if (!drag_) return std::nullopt;
    const DropOrder decided = drag_->order;
    drag_.reset();
    return decided;
}

std::vector<BodyEdit> dropEdits(const DropOrder& order, const DropScene& scene, std::uint32_t id, std::uint8_t group,
                                std::uint64_t seed) {
    const DropRow& what = kRows[order.row];
    ParticleSet bodies;
    if (what.galaxy) {
        bodies = scenes::companion({.disc = what.disc,
                                    .bodies = order.bodies,
                                    .mass = order.mass,
                                    .size = order.size,
                                    .softening = scene.softening,
                                    .axis = {order.facing.x, order.facing.y, order.facing.z},
                                    .seed = seed});
    } else {
        bodies.resize(1);
        // A charge has the sign of its response: charge over mass.
        bodies.position[0] = {0, 0, 0, std::copysign(order.mass, scene.response)};
        bodies.velocity[0] = {0, 0, 0, scene.response};
    }
    std::vector<BodyEdit> edits;
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        const Double4 &x = bodies.position[i], &v = bodies.velocity[i];
        edits.push_back({.kind = BodyEdit::Kind::add,
                         .id = id + static_cast<std::uint32_t>(i),
                         .position = {x.x + order.place.x, x.y + order.place.y, x.z + order.place.z, x.w},
                         .velocity = {v.x + order.velocity.x, v.y + order.velocity.y, v.z + order.velocity.z, v.w},
                         .group = group});
    }
    return edits;
}

}  // namespace gravlab
