#include "render/picture_planes.h"

#include "render/gl_limits.h"

namespace gravlab {

PicturePlanes::PicturePlanes(int width, int height)
    : width_(width),
      height_(height),
      bytes_(static_cast<std::size_t>(width) * static_cast<std::size_t>(height) / 2 * 3),
      copies_{Readback(bytes_, true), Readback(bytes_, true), Readback(bytes_, true)} {
    allocate(planes_, bytes_, nullptr, 0, "a picture for browsers");
}

void PicturePlanes::begin(GLuint texture) {
    constexpr int kPixels = 8, kRows = 2, kGroup = 8;  // of an invocation; invocations a side
    const auto groups = [](int size, int each) { return static_cast<GLuint>((size + each - 1) / each); };
    glUseProgram(program_.id());
    glBindTextureUnit(0, texture);
    glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, planes_.id());
    glMemoryBarrier(GL_TEXTURE_FETCH_BARRIER_BIT);
    glDispatchCompute(groups(width_, kPixels * kGroup), groups(height_, kRows * kGroup), 1);
    glMemoryBarrier(GL_BUFFER_UPDATE_BARRIER_BIT);
    Readback& copy = copies_[(first_ + count_++) % copies_.size()];
    glCopyNamedBufferSubData(planes_.id(), copy.buffer(), 0, 0, static_cast<GLsizeiptr>(bytes_));
    copy.sent();
    glFlush();
}

std::optional<std::vector<std::uint8_t>> PicturePlanes::take() {
    if (count_ == 0 || !copies_[first_].arrived(false)) return std::nullopt;
    std::vector<std::uint8_t> planes = copies_[first_].read<std::uint8_t>(bytes_);
    first_ = (first_ + 1) % copies_.size();
    --count_;
    return planes;
}

}  // namespace gravlab
