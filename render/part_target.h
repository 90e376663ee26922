// A picture outside the screen that is then copied to a place on it: several views in one frame.
#pragma once
#include "render/gl_objects.h"

#include <optional>

namespace gravlab {

class PartTarget {
public:
    /// A framebuffer of that size for the next view; the same one while the size stays. Throws GlError.
    unsigned framebuffer(int width, int height);
    /// Copies the picture to `left`, `top` (pixels from the upper left corner) of a framebuffer of height `surfaceHeight`,
    /// which stays bound.
    void copyTo(unsigned framebuffer, int left, int top, int surfaceHeight) const;
    /// Fills a rectangle of a framebuffer with grey; `bottom` counts from its lower edge.
    static void fill(unsigned framebuffer, float grey, int left, int bottom, int width, int height);

private:
    std::optional<RenderTarget> target_;
};

}  // namespace gravlab
