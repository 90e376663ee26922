// A drawn picture as planes for encoders, on its way to the host. Rule: nothing waits for the GPU.
#pragma once
#include "render/readback.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace gravlab {

class PicturePlanes {
public:
    /// `width` is a multiple of 8 and `height` of 2: see fitting().
    PicturePlanes(int width, int height);
    static int fittingWidth(int width) { return width / 8 * 8; }
    static int fittingHeight(int height) { return height / 2 * 2; }

    bool underWay() const { return count_ > 0; }
    bool full() const { return count_ == copies_.size(); }
    /// Begins to convert and copy the texture; not while full().
    void begin(GLuint texture);
    /// The oldest picture, once it has arrived: luma, then a quarter as much of each colour; full range, BT.601, top row
    /// first.
    std::optional<std::vector<std::uint8_t>> take();

private:
    int width_, height_;
    std::size_t bytes_;
    Program program_{"planes.comp"};
    Buffer planes_;
    std::array<Readback, 3> copies_;
    std::size_t first_ = 0, count_ = 0;
};

}  // namespace gravlab
