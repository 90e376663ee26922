// Two pictures on one surface: side by side, or overlaid in two hues. Rule: each is drawn as a single picture; then they are
// combined.
#pragma once
#include "render/gl_objects.h"
#include "render/picture_part.h"

#include <array>
#include <optional>

#include <glm/vec3.hpp>

namespace gravlab {

/// The two hues, sRGB: blue and orange, which people with any common colour blindness can distinguish; darker on paper.
std::array<glm::vec3, 2> pairHues(bool paper);

class PairPicture {
public:
    /// Needs a current OpenGL 4.5 context for its whole life.
    /// Allocates two pictures of these sizes. Throws GlError.
    void fit(const PicturePart& first, const PicturePart& twin);
    unsigned first() const { return pictures_[0]->framebuffer(); }
    unsigned twin() const { return pictures_[1]->framebuffer(); }

    /// Draws both pictures side by side into a framebuffer of `width` x `height`, which stays bound. Sky, or page, fills the
    /// rest.
    void beside(const PicturePart& first, const PicturePart& twin, bool paper, unsigned framebuffer, int width, int height);
    /// Draws one picture over the other; both have the size of the framebuffer.
    void overlay(bool paper, unsigned framebuffer, int width, int height);

private:
    void draw(bool paper, bool overlaid, unsigned framebuffer, int width, int height);
    Program program_{"screen.vert", "pair.frag"};
    VertexArray empty_;
    std::array<std::optional<RenderTarget>, 2> pictures_;
};

}  // namespace gravlab
