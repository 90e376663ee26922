// Pictures from the host.
#include "render/image_texture.h"

#include "render/gl_objects.h"

namespace gravlab {

ImageTexture::~ImageTexture() { forget(); }

void ImageTexture::forget() {
    if (!id_) return;
    glDeleteTextures(1, &id_);
    countGlName(-1);
    id_ = 0;
    width_ = height_ = 0;
}

void ImageTexture::resize(int width, int height) {
    if (width != width_ || height != height_) {
        forget();
        glCreateTextures(GL_TEXTURE_2D, 1, &id_);
        countGlName(1);
        glTextureStorage2D(id_, 1, GL_RGBA8, width, height);
        glTextureParameteri(id_, GL_TEXTURE_MAG_FILTER, smooth_ ? GL_LINEAR : GL_NEAREST);
        glTextureParameteri(id_, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
        width_ = width;
        height_ = height;
    }
}

void ImageTexture::update(int width, int height, std::span<const std::uint8_t> rgba) {
    resize(width, height);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    glTextureSubImage2D(id_, 0, 0, 0, width, height, GL_RGBA, GL_UNSIGNED_BYTE, rgba.data());
}

}  // namespace gravlab
