// Earlier positions of bodies: a ring of vertex buffers on the GPU, drawn as fading lines. Rule: no data passes through the
// host.
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
    /// Length of trails: frames, and points that a frame may have. Shortened so that the ring fits kMostBytes and the buffer
    /// range of shaders.
    struct Length {
        std::size_t frames = 0, within = 1;
    };
    /// Appends the front buffer, which ends a frame. Another number of bodies, or another length, clears the trails.
    void record(const ParticleBuffer& bodies, Length length);
    /// Appends positions from within the frame that record() ends next; points beyond the limit of a frame are dropped.
    void recordWithin(std::span<const ParticleVertex> bodies, Length length);
    void forget();

    /// The look of the lines; colours follow the rules for bodies.
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

    /// Points that each body has, and can have.
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
    std::size_t within_ = 1, open_ = 0;  ///< points that a frame may have, and those of the present frame
    std::deque<std::size_t> frames_;     ///< points of each frame, the newest last
};

}  // namespace gravlab
