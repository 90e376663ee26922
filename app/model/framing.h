// A camera that keeps in the picture what there is to see. Rule: no clock, no OpenGL; places come in, the camera moves
// gently.
#pragma once
#include "render/camera.h"

#include <glm/vec3.hpp>

#include <span>

namespace gravlab {

/// The ball around what is to be seen.
struct Extent {
    glm::vec3 centre{0};
    float radius = 0;  ///< [L]
};
/// Of few places all of them; of many all but the outermost twentieth.
Extent extentOf(std::span<const glm::vec3> places);

class Framing {
public:
    /// Takes up where things are now, `seconds` of watching after the last time.
    void see(const Extent& extent, double seconds);
    /// Moves the camera towards a view in which everything has its place: farther where something leaves the picture, nearer
    /// only where most of it is empty. `holdsTarget`: something else is kept in the middle.
    void move(Camera& camera, double seconds, bool holdsTarget) const;
    void restart() { known_ = false; }
    bool known() const { return known_; }

private:
    Extent extent_;  ///< grows at once and shrinks slowly, so that what swings in and out moves no camera
    bool known_ = false;
};

}  // namespace gravlab
