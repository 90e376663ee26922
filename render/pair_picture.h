// Two pictures of one surface: side by side, or overlaid in two hues that every eye tells apart.
// Rule: both are drawn as a single one would be; only then they are put together.
#pragma once
#include "render/gl_objects.h"
#include "render/picture_part.h"

#include <array>
#include <optional>

#include <glm/vec3.hpp>

namespace gravlab {

/// Hues of the two, sRGB: blue and orange, which every eye tells apart; darker on paper.
std::array<glm::vec3, 2> pairHues(bool paper);

class PairPicture {
public:
    /// Needs a current OpenGL 4.5 context for its whole life.
    PairPicture();
    /// Makes room for two pictures of these sizes. Throws GlError.
    void fit(const PicturePart& first, const PicturePart& twin);
    unsigned first() const { return pictures_[0]->framebuffer(); }
    unsigned twin() const { return pictures_[1]->framebuffer(); }

    /// Puts both, one beside the other, into a framebuffer of `width` x `height` and leaves that bound. What neither covers
    /// is empty sky, or page.
    void beside(const PicturePart& first, const PicturePart& twin, bool paper, unsigned framebuffer, int width, int height);
    /// The same, one over the other; both have the size of the framebuffer.
    void overlay(bool paper, unsigned framebuffer, int width, int height);

private:
    void draw(bool paper, bool overlaid, unsigned framebuffer, int width, int height);
    Program program_{"screen.vert", "pair.frag"};
    VertexArray empty_;
    std::array<std::optional<RenderTarget>, 2> pictures_;
};

}  // namespace gravlab
