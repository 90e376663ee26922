// Values in OpenGL's memory, as a picture in the colours of a table. Rule: no value is copied to the host.
#pragma once
#include "render/gl_objects.h"
#include "render/image_texture.h"

#include <cstdint>
#include <span>

namespace gravlab {

/// Made, used and destroyed with the context current.
class ValueColours {
public:
    /// Packed RGBA, red in the lowest byte: the first colour is for values up to 0, the last for 1 and above.
    explicit ValueColours(std::span<const std::uint32_t> colours);

    /// Paints the picture in this size: one pixel per value of the buffer, rows from the top. Enqueues only.
    void paint(unsigned values, int width, int height, ImageTexture& picture);

private:
    Program program_{"value_colours.comp"};
    Buffer table_;
};

}  // namespace gravlab
