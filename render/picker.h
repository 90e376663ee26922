// Which body is under a point of the picture, found on the GPU among all of them; and where one body is, frame after frame.
// Rule: asking never waits; answers are taken when they are there.
#pragma once
#include "render/gl_objects.h"
#include "render/particle_buffer.h"
#include "render/readback.h"

#include <glm/mat4x4.hpp>
#include <glm/vec2.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>

namespace gravlab {

class Picker {
public:
    Picker();

    /// Asks for the body at `cursor` (pixels from the upper left corner): of those whose centres are within kUnder pixels
    /// the one in front, else the nearest within `radius` pixels. Replaces a question not answered yet.
    void ask(const ParticleBuffer& bodies, const glm::mat4& clipFromWorld, glm::vec2 cursor, glm::vec2 viewport,
             float radius);
    /// True when the answer is there, once; `body` is empty when nothing is near. Waits only with `wait`.
    bool take(std::optional<std::size_t>& body, bool wait);

    /// Asks for one vertex of the front buffer, unless an answer is still on its way.
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
