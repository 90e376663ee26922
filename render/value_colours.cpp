#include "render/value_colours.h"

namespace gravlab {

ValueColours::ValueColours(std::span<const std::uint32_t> colours) {
    glNamedBufferStorage(table_.id(), static_cast<GLsizeiptr>(colours.size_bytes()), colours.data(), 0);
}

void ValueColours::paint(unsigned values, int width, int height, ImageTexture& picture) {
    constexpr int kGroup = 8;  // a side, as in the shader
    picture.resize(width, height);
    glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 2, values);
    glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 3, table_.id());
    glBindImageTexture(0, picture.id(), 0, GL_FALSE, 0, GL_WRITE_ONLY, GL_RGBA8);
    glUseProgram(program_.id());
    glDispatchCompute(static_cast<GLuint>((width + kGroup - 1) / kGroup),
                      static_cast<GLuint>((height + kGroup - 1) / kGroup), 1);
    glMemoryBarrier(GL_TEXTURE_FETCH_BARRIER_BIT | GL_TEXTURE_UPDATE_BARRIER_BIT);
    for (const GLuint binding : {2u, 3u}) glBindBufferBase(GL_SHADER_STORAGE_BUFFER, binding, 0);
    glBindImageTexture(0, 0, 0, GL_FALSE, 0, GL_WRITE_ONLY, GL_RGBA8);
    glUseProgram(0);
}

}  // namespace gravlab
