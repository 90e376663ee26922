// Adding bodies by hand: press at the place, drag an arrow for the velocity, release. A star, a black hole or a small
// galaxy, on the plane through the focus that faces the viewer. Rule: no window and no simulation here; the result is a list
// of edits of a set of bodies.
#pragma once
#include "render/camera.h"
#include "sim/backends/backend.h"
#include "sim/core/body_edit.h"
#include "sim/scenes/scene.h"

#include <glm/ext/vector_double3.hpp>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gravlab {

/// A kind of body to add.
struct DropRow {
    std::string_view name, label, idea;
    double massShare;  ///< fraction of the whole mass by default; 0: an average body
    bool galaxy;       ///< many bodies in balance
    bool disc;         ///< a disc, otherwise a sphere
};
std::span<const DropRow> dropRows();

/// The facts of a scene on which a drop depends.
struct DropScene {
    double mass = 1;  ///< of all bodies [M]
    std::size_t bodies = 1;
    double size = 5;       ///< distance of its default view [L]
    double speed = 1;      ///< at the top of its colour map [L/T]
    double softening = 0;  ///< [L]
    bool gravity = true;   ///< masses attract
    double response = 1;   ///< of a usual body
};

/// A complete order to add bodies.
struct DropOrder {
    int row = 0;
    double mass = 0, size = 0;  ///< [M], [L]
    std::size_t bodies = 1;
    glm::dvec3 place{0}, velocity{0};  ///< [L], [L/T]
    glm::dvec3 facing{0, 0, 1};        ///< towards the viewer: the axis of a disc
    bool operator==(const DropOrder&) const = default;
};

class DropTool {
public:
    bool on = false;
    int row = 0;
    /// Multiples of the usual mass, size and number of bodies.
    double massFactor = 1, sizeFactor = 1, bodiesFactor = 1;

    /// The order with the chosen factors, without place and velocity.
    DropOrder usual(const DropScene& scene) const;
    /// Why the chosen row cannot be added under this scene's law; empty when it can.
    std::string refusal(const DropScene& scene) const;

    void press(const Camera& camera, glm::vec2 cursor, glm::vec2 viewport, const DropScene& scene);
    void move(glm::vec2 cursor);
    /// Releases the pointer: returns the order, once.
    std::optional<DropOrder> release();
    void cancel() { drag_.reset(); }
    bool dragging() const { return drag_.has_value(); }
    /// The present order; only while dragging.
    const DropOrder& pending() const { return drag_->order; }
    /// The end of the arrow in space.
    glm::vec3 arrowEnd() const { return drag_->end; }

    bool operator==(const DropTool&) const = default;

private:
    struct Drag {
        Camera camera;
        glm::vec2 viewport, from;
        double speedPerPixel;
        DropOrder order;
        glm::vec3 end;
        bool operator==(const Drag&) const = default;
    };
    std::optional<Drag> drag_;
};

/// The edits that add the bodies of an order: ids from `id` on, all in one group.
std::vector<BodyEdit> dropEdits(const DropOrder& order, const DropScene& scene, std::uint32_t id, std::uint8_t group,
                                std::uint64_t seed);

}  // namespace gravlab
