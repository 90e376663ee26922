// The arrows of velocities and forces, and the one that is taken by its tip to give a body another velocity.
// Rule: knows no window and no simulation.
#pragma once
#include "render/camera.h"

#include <glm/ext/vector_double3.hpp>

#include <optional>

namespace gravlab {

/// How long arrows are: [L] of the arrow for each [L/T] and [L/T^2].
struct ArrowScale {
    double velocity = 1, force = 1;
};

class VelocityArrow {
public:
    /// Takes hold of the arrow of a body at `place` with that velocity, whose tip is under the cursor (pixels).
    void press(const Camera& camera, glm::vec2 cursor, glm::vec2 viewport, const glm::dvec3& place,
               const glm::dvec3& velocity, double scale);
    /// The tip follows the cursor, in the plane through where it was that faces the viewer.
    void move(glm::vec2 cursor);
    /// Lets go: what it points at, once; empty where it was not moved.
    std::optional<glm::dvec3> release();
    void cancel() { drag_.reset(); }
    bool dragging() const { return drag_.has_value(); }
    /// What the body would be given now; only while dragging.
    const glm::dvec3& velocity() const { return drag_->velocity; }

    glm::vec2 from{0};  ///< corner of the picture that it is in
    bool operator==(const VelocityArrow&) const = default;

private:
    struct Drag {
        Camera camera;
        glm::vec2 viewport, from;
        glm::dvec3 before, velocity;
        double perLength;  ///< velocity of a length in the plane of the camera's target
        bool operator==(const Drag&) const = default;
    };
    std::optional<Drag> drag_;
};

}  // namespace gravlab
