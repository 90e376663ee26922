// Values in OpenGL's memory, as a picture in the colours of a table. Rule: no value visits the host.
#pragma once
#include "render/gl_objects.h"
#include "render/image_texture.h"

#include <cstdint>
#include <span>

namespace gravlab {

/// Made, used and destroyed with the context current.
class ValueColours {
public:
    /// Packed RGBA, red in the lowest byte: the first for values of 0 and less, the last for 1 and more.
    explicit ValueColours(std::span<const std::uint32_t> colours);

    /// Paints the picture anew in this size: a pixel a value of the buffer, rows from the top. Enqueues only.
    void paint(unsigned values, int width, int height, ImageTexture& picture);

private:
    Program program_{"value_colours.comp"};
    Buffer table_;
};

}  // namespace gravlab
