// The body under a point of the picture, found on the GPU among all bodies; and the position of one body, frame after frame.
// Rule: a request never waits; the caller takes the result when it has arrived.
#pragma once
#include "render/gl_objects.h"
#include "render/particle_buffer.h"
#include "render/readback.h"

#include <glm/mat4x4.hpp>
#include <glm/vec2.hpp>

#include <cstddef>
#include <optional>

namespace gravlab {

class Picker {
public:
    Picker();

    /// Requests the body at `cursor` (pixels from the upper left corner): the front one within kUnder pixels, else the
    /// nearest within `radius` pixels. Replaces a pending request.
    void ask(const ParticleBuffer& bodies, const glm::mat4& clipFromWorld, glm::vec2 cursor, glm::vec2 viewport,
             float radius);
    /// True once, when the result has arrived; `body` is empty when no body is near. Waits only with `wait`.
    bool take(std::optional<std::size_t>& body, bool wait);

    /// Requests one vertex of the front buffer, unless a request is pending.
    void watch(const ParticleBuffer& bodies, std::size_t body);
    /// The newest vertex that has arrived, once.
    bool takeWatched(ParticleVertex& vertex, bool wait);

    static constexpr float kUnder = 3;

private:
    Program search_{"pick.comp"};
    Readback found_, watched_;
    std::size_t invocations_ = 0;
};

}  // namespace gravlab
