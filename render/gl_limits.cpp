#include "render/gl_limits.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include <limits>
#include <string>

namespace gravlab {
namespace {

GlLimits limitsInUse;  // one thread draws

std::size_t queried(GLenum name, std::size_t least) {
    GLint64 value = 0;
    glGetInteger64v(name, &value);
    return value > 0 ? std::max(static_cast<std::size_t>(value), least) : least;
}

bool has(std::string_view extension) {
    GLint count = 0;
    glGetIntegerv(GL_NUM_EXTENSIONS, &count);
    for (GLint i = 0; i < count; ++i) {
        const GLubyte* name = glGetStringi(GL_EXTENSIONS, static_cast<GLuint>(i));
        if (name && reinterpret_cast<const char*>(name) == extension) return true;
    }
    return false;
}

}  // namespace

void readGlLimits() {
    GlLimits limits;
    // Shaders compute byte offsets in 32 bits, whatever limit a driver reports.
    limits.storageBytes = std::min(queried(GL_MAX_SHADER_STORAGE_BLOCK_SIZE, limits.storageBytes),
                                   static_cast<std::size_t>(std::numeric_limits<GLint>::max()));
    const GLint texture = static_cast<GLint>(queried(GL_MAX_TEXTURE_SIZE, 1));
    GLint viewport[2] = {0, 0};
    glGetIntegerv(GL_MAX_VIEWPORT_DIMS, viewport);
    limits.viewportSide = std::min(viewport[0], viewport[1]);
    limits.pictureSide = std::min(texture, limits.viewportSide);
    GLfloat points[2] = {1, 1};
    glGetFloatv(GL_POINT_SIZE_RANGE, points);
    limits.spriteRadius = points[1] / 2;
    const GLubyte* text = glGetString(GL_RENDERER);
    const std::string_view renderer = text ? reinterpret_cast<const char*>(text) : "";
    limits.software = renderer.starts_with("llvmpipe") || renderer.starts_with("softpipe");
#ifdef __GLIBC__
    // Mesa takes and frees megabytes per pass. Returned to the system each time, they cost four views a third of their rate.
    if (limits.software) {
        mallopt(M_MMAP_THRESHOLD, 32 << 20);
        mallopt(M_TRIM_THRESHOLD, 64 << 20);
    }
#endif
    limits.pairedSums = has("GL_ARB_gpu_shader_int64") && has("GL_NV_shader_atomic_int64");
    limitsInUse = limits;
}

const GlLimits& glLimits() { return limitsInUse; }

void pretendGlLimits(const GlLimits& limits) { limitsInUse = limits; }

std::size_t bodiesAPiece(std::size_t bytes, std::size_t most) {
    return std::max(kPieceUnit, most / bytes / kPieceUnit * kPieceUnit);
}

void bindBodies(GLuint binding, GLuint buffer, std::size_t first, std::size_t count, std::size_t bytes) {
    glBindBufferRange(GL_SHADER_STORAGE_BUFFER, binding, buffer, static_cast<GLintptr>(first * bytes),
                      static_cast<GLsizeiptr>(count * bytes));
}

void unbindStorage(std::initializer_list<GLuint> bindings) {
    for (const GLuint binding : bindings) glBindBufferBase(GL_SHADER_STORAGE_BUFFER, binding, 0);
}

void dispatchOver(std::size_t threads, std::size_t group, std::size_t mostGroups) {
    const std::size_t groups = std::min({(threads + group - 1) / group, mostGroups, std::size_t{glLimits().workGroups}});
    glDispatchCompute(static_cast<GLuint>(groups), 1, 1);
}

void allocate(const Buffer& buffer, std::size_t bytes, const void* data, GLbitfield flags, std::string_view what) {
    glNamedBufferStorage(buffer.id(), static_cast<GLsizeiptr>(bytes), data, flags);
    GLint given = 0;
    glGetNamedBufferParameteriv(buffer.id(), GL_BUFFER_IMMUTABLE_STORAGE, &given);
    if (!given)
        throw GlError("OpenGL has no " + std::to_string(bytes >> 20) + " MiB for " + std::string(what) +
                      "; choose fewer bodies or a smaller picture");
}

}  // namespace gravlab
