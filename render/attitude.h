// How discs are inclined in a photograph, from the depths of their bodies: which half of each disc is the near one.
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
    /// The textures for a picture of one size.
    struct Pictures {
        std::optional<RenderTarget> moments, lie;
    };
    /// Measures a picture of that size. `behind` is the depth behind the camera's target, in arm widths; `armWidth` is in
    /// pixels. Returns the texture that shaders/attitude.frag describes.
    GLuint measure(const SpriteStyle& ink, const glm::vec4& behind, float armWidth, int width, int height);
    /// Exchanges the textures with those for another size.
    void exchange(Pictures& other) { std::swap(made_, other); }

private:
    // More bodies would not improve the fitted plane: at this number an arm width of `galaxy` contains 110 bodies of the
    // disc.
    static constexpr std::size_t kMostBodies = 32768;
    BodySample sample_;
    RasterSprites points_{"attitude.vert", "attitude_point.frag"};
    Program fit_{"screen.vert", "attitude.frag"};
    VertexArray array_;
    Pictures made_;
};

}  // namespace gravlab
