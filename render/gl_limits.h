// Limits of OpenGL that the number of bodies or the size of a picture can reach.
// Rule: code that binds, draws or allocates by either number uses this file, so that no call exceeds what this OpenGL
// allows.
#pragma once
#include "render/gl_objects.h"

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <string_view>

namespace gravlab {

/// The initial values are the least that OpenGL 4.5 guarantees.
struct GlLimits {
    std::size_t storageBytes = std::size_t{1} << 27;     ///< of a buffer range that a shader reads or writes
    std::size_t drawnBytes = std::size_t{1} << 30;       ///< of the vertices of one draw: drivers add offsets in 32 bits
    std::size_t readBytes = (std::size_t{1} << 31) - 1;  ///< of a picture that one call copies to the host
    GLuint workGroups = 65535;                           ///< of a dispatch, along each axis
    int pictureSide = 16384;                             ///< [px] of a texture that can be a framebuffer
    int viewportSide = 16384;                            ///< [px]
    bool software = false;                               ///< the host's processors draw
    float spriteRadius = 0.5f;                           ///< [px] of a point
    bool pairedSums = false;                             ///< shaders can add to 64 bits of a buffer atomically
};

/// Reads the limits of the current context. Call it once per context, before drawing.
void readGlLimits();
const GlLimits& glLimits();
/// Replaces the limits until the next readGlLimits(): tests simulate a smaller OpenGL.
void pretendGlLimits(const GlLimits& limits);

/// The number of bodies, with `bytes` each, in a range that a shader can bind at once. A multiple of kPieceUnit, so that
/// each range begins at an allowed offset.
constexpr std::size_t kPieceUnit = 256;
std::size_t bodiesAPiece(std::size_t bytes, std::size_t most = glLimits().storageBytes);

/// Calls `each(first, count)` for consecutive pieces of all bodies.
template <class Each>
void eachPiece(std::size_t bodies, std::size_t piece, const Each& each) {
    for (std::size_t first = 0; first < bodies; first += piece) each(first, std::min(piece, bodies - first));
}

/// Binds `count` bodies starting at `first`, with `bytes` each, for the shaders. A `count` of 0 unbinds: a binding would
/// keep a buffer alive after its owner deletes it.
void bindBodies(GLuint binding, GLuint buffer, std::size_t first, std::size_t count, std::size_t bytes);
void unbindStorage(std::initializer_list<GLuint> bindings);

/// Runs the current compute program with at least `threads` threads in groups of `group`, or with as many groups as OpenGL
/// allows. The shader's own loop covers the rest.
void dispatchOver(std::size_t threads, std::size_t group, std::size_t mostGroups = glLimits().workGroups);

/// Allocates a buffer. Throws GlError when OpenGL has no memory; `what` names the content in the sentence.
void allocate(const Buffer& buffer, std::size_t bytes, const void* data, GLbitfield flags, std::string_view what);

}  // namespace gravlab
