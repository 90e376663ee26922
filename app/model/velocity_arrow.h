// The arrows of velocities and forces, the arrow that a user drags by its tip to change a body's velocity, and the spring
// by which a user pulls a body. Rule: no window and no simulation here.
#pragma once
#include "render/camera.h"

#include <glm/ext/vector_double3.hpp>

#include <cstdint>
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

/// A spring from a point of space to a body, which pulls the body until it is let go.
class BodyPull {
public:
    /// Grips a body at `place`, whose pixel is `at`; nothing pulls before begin().
    void press(const Camera& camera, glm::vec2 at, glm::vec2 viewport, const glm::dvec3& place);
    /// Moves the end under the cursor, in the plane through the gripped place that faces the viewer.
    void move(glm::vec2 cursor);
    /// Pulls the body with that id. `to`: the end of the spring; empty: under the cursor of the last move().
    void begin(std::uint32_t body, const std::optional<glm::dvec3>& to);
    void end() { *this = {}; }
    bool gripped() const { return grip_.has_value(); }
    bool on() const { return body_.has_value(); }
    /// Id of the body; only while on().
    std::uint32_t body() const { return *body_; }
    /// The end that does not move with the body.
    const glm::dvec3& place() const { return place_; }

    glm::vec2 from{0};  ///< corner of its picture
    bool operator==(const BodyPull&) const = default;

private:
    struct Grip {
        Camera camera;
        glm::vec2 viewport, at;
        glm::dvec3 place;
        double scale;  ///< of the plane through the place, relative to that through the camera's target
        bool operator==(const Grip&) const = default;
    };
    std::optional<Grip> grip_;
    std::optional<std::uint32_t> body_;
    glm::dvec3 place_{0};
};

}  // namespace gravlab
