// How the discs of a photograph lie, out of the depths of their bodies: which half of each is the near one.
#pragma once
#include "render/gl_objects.h"
#include "render/sprites.h"

#include <glm/vec4.hpp>

#include <cstddef>
#include <optional>
#include <utility>

namespace gravlab {

class Attitude {
public:
    /// What belongs to a picture of one size.
    struct Pictures {
        std::optional<RenderTarget> moments, lie;
    };
    /// Makes a small picture of a picture of that size; `behind` is the depth behind the camera's target, in widths of an
    /// arm, `armWidth` in pixels. Its texture is returned; what is in it: shaders/attitude.frag.
    GLuint measure(const SpriteStyle& ink, const glm::vec4& behind, float armWidth, int width, int height);
    /// Exchanges the small pictures with those of another size.
    void exchange(Pictures& other) { std::swap(made_, other); }

private:
    // More bodies would say no more of a plane: 110 of a disc are in an arm's width of `galaxy` then.
    static constexpr std::size_t kMostBodies = 32768;
    BodySample sample_;
    RasterSprites points_{"attitude.vert", "attitude_point.frag"};
    Program fit_{"screen.vert", "attitude.frag"};
    VertexArray array_;
    Pictures made_;
};

}  // namespace gravlab
