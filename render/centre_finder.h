// The centre of mass of all bodies or of one galaxy, frame after frame, from the drawn vertices: no copy of the bodies is
// made. Rule: a request never waits; the caller takes the result when it has arrived.
#pragma once
#include "render/gl_objects.h"
#include "render/particle_buffer.h"
#include "render/readback.h"

#include <glm/vec3.hpp>

#include <cstddef>
#include <span>

namespace gravlab {

/// The finder's data of a body.
struct BodyTag {
    float mass = 1;    ///< its weight
    float galaxy = 0;  ///< number of its galaxy; bodies outside of galaxies have a number of their own
};

class CentreFinder {
public:
    CentreFinder();

    /// Tags of all bodies, copied, in body order.
    void setTags(std::span<const BodyTag> tags);

    /// Requests the centre of a galaxy, or of all bodies (below 0). A body has the weight 1 / (1 + d^2 / radius^2)^2 at a
    /// distance d from the guess. With a radius of 0 all weigh the same. Does nothing when the tags belong to other bodies
    /// or a request is pending.
    void ask(const ParticleBuffer& bodies, int galaxy, glm::vec3 guess, float radius);
    /// True once, when the result has arrived and the mass was above 0. Waits only with `wait`.
    bool take(glm::vec3& centre, bool wait);

private:
    Program sum_{"centre.comp"};
    Readback sums_;
    std::size_t tagged_ = 0, room_ = 0, invocations_ = 0;
    Buffer tags_;
    glm::vec3 guess_{0};
};

}  // namespace gravlab
