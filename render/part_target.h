// A picture beside the screen that is then copied to a place on it: several views in one frame.
#pragma once
#include "render/gl_objects.h"

#include <optional>

namespace gravlab {

class PartTarget {
public:
    /// A framebuffer of that size to draw the next view into; the same one again while the size stays. Throws GlError.
    unsigned framebuffer(int width, int height);
    /// Copies what was drawn to `left`, `top` (pixels from the upper left corner) of a framebuffer `surfaceHeight` high and
    /// leaves that one bound.
    void copyTo(unsigned framebuffer, int left, int top, int surfaceHeight) const;
    /// Fills a part of a framebuffer with a grey; `bottom` from its lower edge.
    static void fill(unsigned framebuffer, float grey, int left, int bottom, int width, int height);

private:
    std::optional<RenderTarget> target_;
};

}  // namespace gravlab
