// An OpenGL with lower limits than any real one, so that a few bodies and a small picture reach them. It sits between the
// program and the functions of OpenGL.
#pragma once
#include "render/gl_limits.h"

#include <string>
#include <string_view>
#include <vector>

namespace gravlab::test {
namespace small_gl {

struct RealGl {
    decltype(glad_glBindBufferBase) bindBufferBase = glad_glBindBufferBase;
    decltype(glad_glBindBufferRange) bindBufferRange = glad_glBindBufferRange;
    decltype(glad_glVertexArrayVertexBuffer) vertexBuffer = glad_glVertexArrayVertexBuffer;
    decltype(glad_glDrawArrays) drawArrays = glad_glDrawArrays;
    decltype(glad_glDispatchCompute) dispatch = glad_glDispatchCompute;
    decltype(glad_glViewport) viewport = glad_glViewport;
    decltype(glad_glTextureStorage2D) texture = glad_glTextureStorage2D;
    decltype(glad_glGetTextureImage) read = glad_glGetTextureImage;
};

struct SmallState {
    RealGl real;
    GlLimits limits;
    int stride = 0;
    std::vector<std::string> violations;

    void hold(std::string_view what, long long value, long long most) {
        if (value > most)
            violations.push_back(std::string(what) + " " + std::to_string(value) + " > " + std::to_string(most));
    }
};
inline SmallState* smallGl = nullptr;

inline long long limitOf(std::size_t value) { return static_cast<long long>(value); }

inline void GLAPIENTRY smallBindBase(GLenum target, GLuint index, GLuint buffer) {
    if (target == GL_SHADER_STORAGE_BUFFER && buffer) {
        GLint64 bytes = 0;
        glGetNamedBufferParameteri64v(buffer, GL_BUFFER_SIZE, &bytes);
        smallGl->hold("bytes of storage " + std::to_string(index), bytes, limitOf(smallGl->limits.storageBytes));
    }
    smallGl->real.bindBufferBase(target, index, buffer);
}

inline void GLAPIENTRY smallBindRange(GLenum target, GLuint index, GLuint buffer, GLintptr from, GLsizeiptr bytes) {
    if (target == GL_SHADER_STORAGE_BUFFER) {
        smallGl->hold("bytes of storage " + std::to_string(index), bytes, limitOf(smallGl->limits.storageBytes));
        smallGl->hold("misaligned bytes of storage " + std::to_string(index), from % 256, 0);
    }
    smallGl->real.bindBufferRange(target, index, buffer, from, bytes);
}

inline void GLAPIENTRY smallVertexBuffer(GLuint array, GLuint index, GLuint buffer, GLintptr from, GLsizei stride) {
    smallGl->hold("stride", stride, smallGl->stride);
    smallGl->real.vertexBuffer(array, index, buffer, from, stride);
}

inline void GLAPIENTRY smallDrawArrays(GLenum mode, GLint first, GLsizei count) {
    constexpr long long kVertex = 16;  // bytes of a body
    if (mode == GL_POINTS) smallGl->hold("bytes of a draw", kVertex * count, limitOf(smallGl->limits.drawnBytes));
    smallGl->real.drawArrays(mode, first, count);
}

inline void GLAPIENTRY smallDispatch(GLuint x, GLuint y, GLuint z) {
    for (const GLuint groups : {x, y, z}) smallGl->hold("groups", groups, smallGl->limits.workGroups);
    smallGl->real.dispatch(x, y, z);
}

inline void GLAPIENTRY smallViewport(GLint x, GLint y, GLsizei width, GLsizei height) {
    for (const GLsizei side : {width, height}) smallGl->hold("viewport", side, smallGl->limits.viewportSide);
    smallGl->real.viewport(x, y, width, height);
}

inline void GLAPIENTRY smallTexture(GLuint texture, GLsizei levels, GLenum format, GLsizei width, GLsizei height) {
    for (const GLsizei side : {width, height}) smallGl->hold("texture", side, smallGl->limits.pictureSide);
    smallGl->real.texture(texture, levels, format, width, height);
}

inline void GLAPIENTRY smallRead(GLuint texture, GLint level, GLenum format, GLenum type, GLsizei bytes, void* pixels) {
    smallGl->hold("bytes of a copy", bytes, limitOf(smallGl->limits.readBytes));
    smallGl->real.read(texture, level, format, type, bytes, pixels);
}

inline void installGl(const RealGl& functions) {
    glad_glBindBufferBase = functions.bindBufferBase;
    glad_glBindBufferRange = functions.bindBufferRange;
    glad_glVertexArrayVertexBuffer = functions.vertexBuffer;
    glad_glDrawArrays = functions.drawArrays;
    glad_glDispatchCompute = functions.dispatch;
    glad_glViewport = functions.viewport;
    glad_glTextureStorage2D = functions.texture;
    glad_glGetTextureImage = functions.read;
}

}  // namespace small_gl

/// During its lifetime, calls that exceed its limits are recorded as sentences, and still executed. Only one object may
/// exist, with its context current.
class SmallGl {
public:
    /// `stride`: most bytes from one vertex to the next.
    explicit SmallGl(const GlLimits& limits, int stride = 2048);
    ~SmallGl();
    SmallGl(const SmallGl&) = delete;
    SmallGl& operator=(const SmallGl&) = delete;
    static const std::vector<std::string>& violations();
};

inline SmallGl::SmallGl(const GlLimits& limits, int stride) {
    using namespace small_gl;
    smallGl = new SmallState{.real = {}, .limits = limits, .stride = stride, .violations = {}};
    installGl({smallBindBase, smallBindRange, smallVertexBuffer, smallDrawArrays, smallDispatch, smallViewport, smallTexture,
               smallRead});
    pretendGlLimits(limits);
}

inline SmallGl::~SmallGl() {
    using namespace small_gl;
    installGl(smallGl->real);
    delete smallGl;
    smallGl = nullptr;
    readGlLimits();
}

inline const std::vector<std::string>& SmallGl::violations() { return small_gl::smallGl->violations; }

}  // namespace gravlab::test
