// Bodies with radii as shaded spheres of their size, over the light of all bodies. Spheres do not overlap, so the depths of
// their centres order them.
#pragma once
#include "render/gl_objects.h"
#include "render/sprites.h"

#include <glm/mat3x3.hpp>
#include <glm/vec2.hpp>

#include <cstddef>
#include <memory>
#include <span>

namespace gravlab {

class Balls {
public:
    /// Copies the radii of all bodies [L]; empty: they are points.
    void setRadii(std::span<const float> radii);
    /// Whether there is a radius for each of `bodies` bodies.
    bool fits(std::size_t bodies) const { return radii_ && bodies == count_; }
    /// Draws spheres that are larger than a pixel into `light`. `clipScale`: clip coordinates per length; `level`: light of
    /// a white sphere.
    void draw(const SpriteStyle& ink, const RenderTarget& light, glm::vec2 clipScale, const glm::mat3& viewFromWorld,
              float level);

private:
    void fit(const RenderTarget& light);

    /// A target of the same picture with depths.
    struct Depths {
        Framebuffer framebuffer;
        Texture depth;
        int width = 0, height = 0;
    };
    std::unique_ptr<Buffer> radii_;
    std::size_t count_ = 0, planet_ = 0;
    float planetRadius_ = 0;            ///< infinite: no body is far larger than the others [L]
    std::unique_ptr<Program> program_;  ///< made with the first radii
    std::unique_ptr<VertexArray> array_;
    std::unique_ptr<Depths> depths_;
};

}  // namespace gravlab
