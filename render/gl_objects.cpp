// Creation and deletion of OpenGL names, compilation with readable errors, timers that never wait.
#include "render/gl_objects.h"

#include "render/embedded.h"

#include <atomic>
#include <cstdio>
#include <vector>

namespace gravlab {
namespace {
std::atomic<std::ptrdiff_t> names{0};
}

std::ptrdiff_t liveGlNames() { return names; }
void countGlName(std::ptrdiff_t by) { names += by; }

namespace gl_kind {

GLuint Buffer::create() {
    GLuint id = 0;
    glCreateBuffers(1, &id);
    return id;
}
void Buffer::destroy(GLuint id) { glDeleteBuffers(1, &id); }

GLuint Texture::create() {
    GLuint id = 0;
    glCreateTextures(GL_TEXTURE_2D, 1, &id);
    return id;
}
void Texture::destroy(GLuint id) { glDeleteTextures(1, &id); }

GLuint Framebuffer::create() {
    GLuint id = 0;
    glCreateFramebuffers(1, &id);
    return id;
}
void Framebuffer::destroy(GLuint id) { glDeleteFramebuffers(1, &id); }

GLuint VertexArray::create() {
    GLuint id = 0;
    glCreateVertexArrays(1, &id);
    return id;
}
void VertexArray::destroy(GLuint id) { glDeleteVertexArrays(1, &id); }

GLuint TimeStamp::create() {
    GLuint id = 0;
    glCreateQueries(GL_TIMESTAMP, 1, &id);
    return id;
}
void TimeStamp::destroy(GLuint id) { glDeleteQueries(1, &id); }

}  // namespace gl_kind

namespace {

/// A shader object for the time it takes to link.
class Shader {
public:
    Shader(GLenum stage, std::string_view file) : id_(glCreateShader(stage)) {
        const std::string_view source = embeddedFile(file);
        if (source.empty()) {
            glDeleteShader(id_);
            throw GlError("shader " + std::string(file) + " is not part of this binary");
        }
        const char* text = source.data();
        const GLint length = static_cast<GLint>(source.size());
        glShaderSource(id_, 1, &text, &length);
        glCompileShader(id_);
        GLint good = 0;
        glGetShaderiv(id_, GL_COMPILE_STATUS, &good);
        if (!good) {
            GLint size = 0;
            glGetShaderiv(id_, GL_INFO_LOG_LENGTH, &size);
            std::vector<char> log(static_cast<std::size_t>(size) + 1);
            glGetShaderInfoLog(id_, size, nullptr, log.data());
            glDeleteShader(id_);
            throw GlError("shader " + std::string(file) + " does not compile on this OpenGL: " + log.data());
        }
    }
    ~Shader() { glDeleteShader(id_); }
    Shader(const Shader&) = delete;
    Shader& operator=(const Shader&) = delete;
    GLuint id() const { return id_; }

private:
    GLuint id_;
};

std::atomic<std::size_t> errorCount{0};

void GLAPIENTRY report(GLenum, GLenum type, GLuint, GLenum severity, GLsizei, const GLchar* text, const void*) {
    if (type == GL_DEBUG_TYPE_ERROR) ++errorCount;
    if (severity == GL_DEBUG_SEVERITY_NOTIFICATION || severity == GL_DEBUG_SEVERITY_LOW) return;
    std::fprintf(stderr, "OpenGL: %s\n", text);
}

}  // namespace

Program::Program(std::string_view vertexFile, std::string_view fragmentFile) {
    const Shader vertex(GL_VERTEX_SHADER, vertexFile);
    const Shader fragment(GL_FRAGMENT_SHADER, fragmentFile);
    id_ = glCreateProgram();
    glAttachShader(id_, vertex.id());
    glAttachShader(id_, fragment.id());
    link(std::string(vertexFile) + " and " + std::string(fragmentFile));
    glDetachShader(id_, vertex.id());
    glDetachShader(id_, fragment.id());
    countGlName(1);
}

Program::Program(std::string_view computeFile) {
    const Shader compute(GL_COMPUTE_SHADER, computeFile);
    id_ = glCreateProgram();
    glAttachShader(id_, compute.id());
    link(computeFile);
    glDetachShader(id_, compute.id());
    countGlName(1);
}

void Program::link(std::string_view files) {
    glLinkProgram(id_);
    GLint good = 0;
    glGetProgramiv(id_, GL_LINK_STATUS, &good);
    if (good) return;
    GLint size = 0;
    glGetProgramiv(id_, GL_INFO_LOG_LENGTH, &size);
    std::vector<char> log(static_cast<std::size_t>(size) + 1);
    glGetProgramInfoLog(id_, size, nullptr, log.data());
    glDeleteProgram(id_);
    throw GlError("shader program of " + std::string(files) + " does not link: " + log.data());
}

Program::~Program() {
    glDeleteProgram(id_);
    countGlName(-1);
}

GLint Program::uniform(const char* name) const { return glGetUniformLocation(id_, name); }

RenderTarget::RenderTarget(GLenum format, int width, int height) : format_(format), width_(width), height_(height) {
    glTextureStorage2D(texture_.id(), 1, format, width, height);
    glTextureParameteri(texture_.id(), GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glTextureParameteri(texture_.id(), GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    glTextureParameteri(texture_.id(), GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTextureParameteri(texture_.id(), GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    glNamedFramebufferTexture(framebuffer_.id(), GL_COLOR_ATTACHMENT0, texture_.id(), 0);
    const GLenum status = glCheckNamedFramebufferStatus(framebuffer_.id(), GL_DRAW_FRAMEBUFFER);
    if (status != GL_FRAMEBUFFER_COMPLETE)
        throw GlError("OpenGL cannot draw into a " + std::to_string(width) + "x" + std::to_string(height) +
                      " picture (framebuffer status " + std::to_string(status) + "); try a smaller size");
}

void GpuTimer::begin() {
    collect();
    // All queries still in flight: this frame goes unmeasured, which is better than waiting for one.
    measuring_ = !pending_[next_];
    // Two time stamps and not GL_TIME_ELAPSED: Mesa's llvmpipe answers a context's first such query with the time since
    // boot.
    if (measuring_) glQueryCounter(starts_[next_].id(), GL_TIMESTAMP);
}

void GpuTimer::end() {
    if (!measuring_) return;
    glQueryCounter(ends_[next_].id(), GL_TIMESTAMP);
    pending_[next_] = true;
    next_ = (next_ + 1) % kDepth;
    measuring_ = false;
}

void GpuTimer::collect() {
    for (std::size_t i = 0; i < kDepth; ++i) {  // oldest first
        const std::size_t slot = (next_ + i) % kDepth;
        if (!pending_[slot]) continue;
        GLint ready = 0;
        glGetQueryObjectiv(ends_[slot].id(), GL_QUERY_RESULT_AVAILABLE, &ready);
        if (!ready) return;
        GLuint64 start = 0, end = 0;
        glGetQueryObjectui64v(starts_[slot].id(), GL_QUERY_RESULT, &start);
        glGetQueryObjectui64v(ends_[slot].id(), GL_QUERY_RESULT, &end);
        milliseconds_ = static_cast<double>(end - start) * 1e-6;
        pending_[slot] = false;
    }
}

double GpuTimer::milliseconds() {
    collect();
    return milliseconds_;
}

void watchGlErrors() {
    GLint flags = 0;
    glGetIntegerv(GL_CONTEXT_FLAGS, &flags);
    if (!(flags & GL_CONTEXT_FLAG_DEBUG_BIT)) return;
    glEnable(GL_DEBUG_OUTPUT);
    glEnable(GL_DEBUG_OUTPUT_SYNCHRONOUS);
    glDebugMessageCallback(report, nullptr);
}

std::size_t glErrorCount() { return errorCount; }

}  // namespace gravlab
