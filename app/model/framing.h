// A camera that keeps all visible bodies in the picture. Rule: no clock, no OpenGL; it receives positions and moves the
// camera smoothly.
#pragma once
#include "render/camera.h"

#include <glm/vec3.hpp>

#include <span>

namespace gravlab {

/// The ball around the visible bodies.
struct Extent {
    glm::vec3 centre{0};
    float radius = 0;  ///< [L]
};
/// The ball around all of few places. Of many, around all but the outermost twentieth, at most twice the half-light radius.
Extent extentOf(std::span<const glm::vec3> places);

class Framing {
public:
    /// Updates the ball, `seconds` of watching after the last call.
    void see(const Extent& extent, double seconds);
    /// Moves the camera towards a view that contains the ball: away when it leaves the picture, closer only when most of the
    /// picture is empty. `holdsTarget`: another function keeps the target at the centre.
    void move(Camera& camera, double seconds, bool holdsTarget) const;
    void restart() { known_ = false; }
    bool known() const { return known_; }

private:
    Extent extent_;  ///< grows at once and shrinks slowly, so that bodies swinging in and out move no camera
    bool known_ = false;
};

}  // namespace gravlab
