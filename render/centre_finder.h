// The centre of mass of all bodies or of one galaxy, frame after frame, from the vertices that are drawn: no copy of the
// bodies is made. Rule: asking never waits; answers are taken when they are there.
#pragma once
#include "render/gl_objects.h"
#include "render/particle_buffer.h"
#include "render/readback.h"

#include <glm/vec3.hpp>

#include <cstddef>
#include <span>

namespace gravlab {

/// What the finder must know of a body.
struct BodyTag {
    float mass = 1;    ///< its weight
    float galaxy = 0;  ///< which one it is counted to; a number of its own for those that belong to none
};

class CentreFinder {
public:
    CentreFinder();

    /// Tags of all bodies, copied, in body order.
    void setTags(std::span<const BodyTag> tags);

    /// Asks for the centre of a galaxy, or of all bodies (below 0). Bodies count with 1 / (1 + d^2 / radius^2)^2 for their
    /// distance d from the guess, alike with a radius of 0. Nothing when the tags are of other bodies or a question is open.
    void ask(const ParticleBuffer& bodies, int galaxy, glm::vec3 guess, float radius);
    /// True when the answer is there, once, and there was any mass. Waits only with `wait`.
    bool take(glm::vec3& centre, bool wait);

private:
    Program sum_{"centre.comp"};
    Readback sums_;
    std::size_t tagged_ = 0, room_ = 0, invocations_ = 0;
    Buffer tags_;
    glm::vec3 guess_{0};
};

}  // namespace gravlab
