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

    /// Replaces the picture: packed RGBA rows, top row first. Another size makes another texture.
    void update(int width, int height, std::span<const std::uint8_t> rgba);
    /// Lets go of the texture, with its context still current.
    void forget();
    /// The same from an OpenGL buffer that holds the rows: no pixel visits the host.
    void updateFrom(int width, int height, unsigned buffer);
    /// OpenGL's name; 0 before the first update.
    unsigned id() const { return id_; }

private:
    void resize(int width, int height);
    unsigned id_ = 0;
    int width_ = 0, height_ = 0;
};

}  // namespace gravlab
