// Bonds between bodies as lines coloured by strain. Rule: the lines read the vertex buffer that the bodies are drawn from,
// so no position is copied.
#pragma once
#include "render/gl_objects.h"
#include "render/particle_buffer.h"
#include "render/particle_renderer.h"

#include <glm/mat4x4.hpp>

#include <cstddef>
#include <memory>
#include <span>

namespace gravlab {

class BondLines {
public:
    /// Copies the lines; of more than kMost, evenly spread ones.
    void set(std::span<const BondLine> lines);
    std::size_t count() const { return count_; }

    /// The look of the lines.
    struct Ink {
        glm::mat4 clipFromWorld{1};
        float light = 1;
        bool counted = false;  ///< as SpriteStyle::counted
    };
    /// Adds the lines of the front buffer's bodies to the bound framebuffer.
    void draw(const ParticleBuffer& bodies, const Ink& ink);

    /// Lines that a picture still resolves.
    static constexpr std::size_t kMost = 1 << 22;

private:
    Program program_{"bond.vert", "trail.frag"};
    VertexArray array_;
    std::unique_ptr<Buffer> lines_;
    std::size_t count_ = 0;
};

}  // namespace gravlab
