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

namespace {

struct KindRow {
    void (*create)(GLuint*);
    void (*destroy)(const GLuint*);
};
/// In the order of GlKind.
constexpr KindRow kKinds[] = {
    {[](GLuint* id) { glCreateBuffers(1, id); }, [](const GLuint* id) { glDeleteBuffers(1, id); }},
    {[](GLuint* id) { glCreateTextures(GL_TEXTURE_2D, 1, id); }, [](const GLuint* id) { glDeleteTextures(1, id); }},
    {[](GLuint* id) { glCreateFramebuffers(1, id); }, [](const GLuint* id) { glDeleteFramebuffers(1, id); }},
    {[](GLuint* id) { glCreateVertexArrays(1, id); }, [](const GLuint* id) { glDeleteVertexArrays(1, id); }},
    {[](GLuint* id) { glCreateQueries(GL_TIMESTAMP, 1, id); }, [](const GLuint* id) { glDeleteQueries(1, id); }}};

}  // namespace

GLuint createGl(GlKind kind) {
    GLuint id = 0;
    kKinds[static_cast<std::size_t>(kind)].create(&id);
    countGlName(1);
    return id;
}

void destroyGl(GlKind kind, GLuint id) {
    kKinds[static_cast<std::size_t>(kind)].destroy(&id);
    countGlName(-1);
}

namespace {

/// A file of shaders/ with the files that its `#include "NAME"` lines name, one level deep, and `defines` behind #version.
std::string sourceOf(std::string_view file, const ShaderDefines& defines) {
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
    return source.insert(source.find('\n') + 1, defines.text);
}

/// The compiler's or the linker's words about an object.
template <class Number, class Log>
std::string logOf(GLuint id, Number number, Log log) {
    GLint size = 0;
    number(id, GL_INFO_LOG_LENGTH, &size);
    std::vector<char> text(static_cast<std::size_t>(size) + 1);
    log(id, size, nullptr, text.data());
    return text.data();
}

/// A shader object for the time it takes to link.
class Shader {
public:
    Shader(GLenum stage, std::string_view file, const ShaderDefines& defines)
        : Shader(stage, file, sourceOf(file, defines)) {}
    Shader(GLenum stage, std::string_view file, const std::string& source) : id_(glCreateShader(stage)) {
        const char* text = source.data();
        const GLint length = static_cast<GLint>(source.size());
        glShaderSource(id_, 1, &text, &length);
        glCompileShader(id_);
        GLint good = 0;
        glGetShaderiv(id_, GL_COMPILE_STATUS, &good);
        if (good) return;
        const std::string log = logOf(id_, glGetShaderiv, glGetShaderInfoLog);
        glDeleteShader(id_);
        throw GlError("shader " + std::string(file) + " does not compile on this OpenGL: " + log);
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
    const std::string log = logOf(id_, glGetProgramiv, glGetProgramInfoLog);
    glDeleteProgram(id_);
    throw GlError("shader program of " + std::string(files) + " does not link: " + log);
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
