// Owners of OpenGL names. Rule: move-only, made and destroyed with the context current, no hidden state.
#pragma once
#include <glad/gl.h>

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace gravlab {

/// OpenGL refused something that the program needs: a shader, a framebuffer, memory. The text carries the driver's words.
struct GlError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Number of living names of this file: it must be 0 when their context is destroyed.
std::ptrdiff_t liveGlNames();
void countGlName(std::ptrdiff_t by);

enum class GlKind { buffer, texture, framebuffer, vertexArray, timeStamp };
/// A new name of the kind, a texture of which has two dimensions; and the end of one.
GLuint createGl(GlKind kind);
void destroyGl(GlKind kind, GLuint id);

/// A name that is deleted exactly once.
template <GlKind kind>
class GlName {
public:
    GlName() : id_(createGl(kind)) {}
    ~GlName() {
        if (id_) destroyGl(kind, id_);
    }
    GlName(GlName&& other) noexcept : id_(std::exchange(other.id_, 0)) {}
    GlName& operator=(GlName&& other) noexcept {
        std::swap(id_, other.id_);
        return *this;
    }
    GLuint id() const { return id_; }

private:
    GLuint id_ = 0;
};

using Buffer = GlName<GlKind::buffer>;
using VertexArray = GlName<GlKind::vertexArray>;
using Texture = GlName<GlKind::texture>;
using Framebuffer = GlName<GlKind::framebuffer>;
using TimeStamp = GlName<GlKind::timeStamp>;

/// Lines like "#define CURVE 1
/// " placed before a shader's own: software OpenGL computes both sides of branches.
struct ShaderDefines {
    std::string text;
};

/// A linked program from two files of shaders/. Throws GlError with the compiler's text and the file's name.
class Program {
public:
    Program(std::string_view vertexFile, std::string_view fragmentFile, const ShaderDefines& defines = {});
    /// A compute program from one file.
    explicit Program(std::string_view computeFile, const ShaderDefines& defines = {});
    ~Program();
    Program(const Program&) = delete;
    Program& operator=(const Program&) = delete;
    GLuint id() const { return id_; }
    /// Location of a uniform; -1 when the compiler removed it. OpenGL ignores a value set at -1.
    GLint uniform(const char* name) const;

private:
    void link(std::string_view files);
    GLuint id_ = 0;
};

/// A texture with a framebuffer: a target of drawing that can be read later.
class RenderTarget {
public:
    /// Throws GlError when this OpenGL cannot draw into the format. Contents undefined.
    RenderTarget(GLenum format, int width, int height);
    GLuint framebuffer() const { return framebuffer_.id(); }
    GLuint texture() const { return texture_.id(); }
    int width() const { return width_; }
    int height() const { return height_; }
    GLenum format() const { return format_; }

private:
    Texture texture_;
    Framebuffer framebuffer_;
    GLenum format_;
    int width_, height_;
};

/// Sends OpenGL's messages to stderr when the context is a debug context, and counts errors. Call it once per context.
void watchGlErrors();
/// Errors and undefined behaviour that OpenGL has reported in all watched contexts.
std::size_t glErrorCount();

}  // namespace gravlab
