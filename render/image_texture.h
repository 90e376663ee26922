// A picture made on the host, as a texture that panels can show.
#pragma once
#include <cstdint>
#include <span>

namespace gravlab {

/// Made, updated and destroyed with the context current.
class ImageTexture {
public:
    ImageTexture() = default;
    ~ImageTexture();
    ImageTexture(const ImageTexture&) = delete;
    ImageTexture& operator=(const ImageTexture&) = delete;

    /// Without `smooth`, cells of a matrix keep sharp edges when enlarged; a photograph is smoothed.
    explicit ImageTexture(bool smooth) : smooth_(smooth) {}

    /// Replaces the picture: packed RGBA rows, top row first. A new size makes a new texture.
    void update(int width, int height, std::span<const std::uint8_t> rgba);
    /// Deletes the texture; its context must still be current.
    void forget();
    /// Makes the texture this size (RGBA8); its pixels are undefined when the size changes.
    void resize(int width, int height);
    /// OpenGL's name; 0 before the first update or resize.
    unsigned id() const { return id_; }

private:
    bool smooth_ = false;
    unsigned id_ = 0;
    int width_ = 0, height_ = 0;
};

}  // namespace gravlab
