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

/// A file of shaders/ with the files that its `#include "NAME"` lines name, one level deep.
std::string withIncludes(std::string_view file) {
    const auto textOf = [](std::string_view name) {
        const std::string_view text = embeddedFile(name);
        if (text.empty()) throw GlError("shader " + std::string(name) + " is not part of this binary");
        return text;
    };
    constexpr std::string_view kDirective = "#include \"";
    std::string source(textOf(file));
    for (std::size_t at; (at = source.find(kDirective)) != std::string::npos;) {
        const std::size_t name = at + kDirective.size(), end = source.find('"', name);
        const std::string included(textOf(std::string_view(source).substr(name, end - name)));
        source.replace(at, end + 1 - at, included);
    }
    return source;
}

/// A shader object for the time it takes to link.
class Shader {
public:
    Shader(GLenum stage, std::string_view file, const ShaderDefines& defines) : id_(glCreateShader(stage)) {
        std::string source;
        try {
            source = withIncludes(file);
            source.insert(source.find('\n') + 1, defines.text);  // behind #version
        } catch (const GlError&) {
            glDeleteShader(id_);
            throw;
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
    if (type == GL_DEBUG_TYPE_ERROR || type == GL_DEBUG_TYPE_UNDEFINED_BEHAVIOR) ++errorCount;
    if (severity == GL_DEBUG_SEVERITY_NOTIFICATION || severity == GL_DEBUG_SEVERITY_LOW) return;
    std::fprintf(stderr, "OpenGL: %s\n", text);
}

}  // namespace

Program::Program(std::string_view vertexFile, std::string_view fragmentFile, const ShaderDefines& defines) {
    const Shader vertex(GL_VERTEX_SHADER, vertexFile, defines);
    const Shader fragment(GL_FRAGMENT_SHADER, fragmentFile, defines);
    id_ = glCreateProgram();
    glAttachShader(id_, vertex.id());
    glAttachShader(id_, fragment.id());
    link(std::string(vertexFile) + " and " + std::string(fragmentFile));
    glDetachShader(id_, vertex.id());
    glDetachShader(id_, fragment.id());
    countGlName(1);
}

Program::Program(std::string_view computeFile, const ShaderDefines& defines) {
    const Shader compute(GL_COMPUTE_SHADER, computeFile, defines);
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
