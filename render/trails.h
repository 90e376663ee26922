// Where bodies have been: a ring of vertex buffers on the GPU, drawn as fading lines. Rule: nothing passes through the host.
#pragma once
#include "render/gl_objects.h"
#include "render/particle_buffer.h"

#include <glm/mat4x4.hpp>

#include <cstddef>
#include <deque>
#include <memory>
#include <span>

namespace gravlab {

class Trails {
public:
    /// How long trails are: frames, and points that a frame may have. Cut so that the ring stays within kMostBytes and what
    /// a shader may read.
    struct Length {
        std::size_t frames = 0, within = 1;
    };
    /// Appends the front buffer, which ends a frame. Another number of bodies, or another length, starts anew.
    void record(const ParticleBuffer& bodies, Length length);
    /// Appends where bodies were within the frame that record() ends next; more than it may have are left out.
    void recordWithin(std::span<const ParticleVertex> bodies, Length length);
    void forget();

    /// What the lines look like; colours follow the bodies' own rules.
    struct Ink {
        glm::mat4 clipFromWorld{1};
        float light = 1;  ///< of the newest end
        float low = 0, high = 1;
        bool logarithmic = false, useTraits = false;
        float darkLight = 1;
        bool counted = false;            ///< as SpriteStyle::counted
        GLuint colours = 0, traits = 0;  ///< traits: buffer of BodyTrait, or 0
    };
    /// Adds the lines to the bound framebuffer.
    void draw(const Ink& ink);

    /// How many points each body has by now, and can have.
    std::size_t points() const { return filled_; }
    std::size_t room() const { return slots_; }
    static constexpr std::size_t kMostBytes = std::size_t{256} << 20;

private:
    bool makeRoom(std::size_t bodies, Length length);
    std::size_t append();

    Program lines_{"trail.vert", "trail.frag"};
    VertexArray array_;
    std::unique_ptr<Buffer> ring_;
    std::size_t bodies_ = 0, slots_ = 0, filled_ = 0, head_ = 0;
    std::size_t within_ = 1, open_ = 0;  ///< points that a frame may have, and that the one under way has
    std::deque<std::size_t> frames_;     ///< points of each, the newest last
};

}  // namespace gravlab
