// The arrows of velocities and forces, and the arrow that a user drags by its tip to change a body's velocity. Rule: no
// window and no simulation here.
#pragma once
#include "render/camera.h"

#include <glm/ext/vector_double3.hpp>

#include <optional>

namespace gravlab {

/// Scale of arrows: [L] of the arrow for each [L/T] and [L/T^2].
struct ArrowScale {
    double velocity = 1, force = 1;
};

class VelocityArrow {
public:
    /// Grips the arrow of a body at `place` with that velocity; its tip is under the cursor (pixels).
    void press(const Camera& camera, glm::vec2 cursor, glm::vec2 viewport, const glm::dvec3& place,
               const glm::dvec3& velocity, double scale);
    /// Moves the tip to the cursor, in the plane through its first position that faces the viewer.
    void move(glm::vec2 cursor);
    /// Releases the tip: returns the new velocity, once; empty when it was not moved.
    std::optional<glm::dvec3> release();
    void cancel() { drag_.reset(); }
    bool dragging() const { return drag_.has_value(); }
    /// The velocity that the body would get; only while dragging.
    const glm::dvec3& velocity() const { return drag_->velocity; }

    glm::vec2 from{0};  ///< corner of its picture
    bool operator==(const VelocityArrow&) const = default;

private:
    struct Drag {
        Camera camera;
        glm::vec2 viewport, from;
        glm::dvec3 before, velocity;
        double perLength;  ///< velocity per length in the plane of the camera's target
        bool operator==(const Drag&) const = default;
    };
    std::optional<Drag> drag_;
};

}  // namespace gravlab
