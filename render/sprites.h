// Bodies as light, both ways: point sprites by the rasteriser, or sums of small sprites by a compute shader.
// Rule: both read the same uniforms and the same vertices, and give the same picture.
#pragma once
#include "render/gl_objects.h"
#include "render/stage_timer.h"

#include <glm/mat4x4.hpp>
#include <glm/vec2.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace gravlab {

/// Everything that the light of bodies depends on.
struct SpriteStyle {
    GLuint vertices = 0;  ///< buffer of ParticleVertex
    GLuint traits = 0;    ///< buffer of BodyTrait, or 0
    std::size_t count = 0;
    std::size_t every = 1;  ///< one body of so many is drawn, with the light of all of them
    glm::mat4 clipFromWorld{1};
    float radiusScale = 1;          ///< sprite radius [px] times depth [L]
    glm::vec2 radiusLimits{1, 64};  ///< smallest and largest sprite radius [px]
    float nearDepth = 0;            ///< [L]
    glm::vec2 valueRange{0, 1};
    bool logarithmic = false, useTraits = false;
    float darkLight = 1, brightness = 1;
    GLuint colours = 0;    ///< texture of one row
    double allLight = 1;   ///< bound of what all bodies can give to one pixel
    bool woven = false;    ///< alpha gets the light times a lot of each body, see Photograph in shaders/photograph.glsl
    bool counted = false;  ///< alpha gets the light that a white body would give, for a white page
    float growth = 0;      ///< light from which on a body's image grows with it; 0: none does
};

/// What is done where bodies are very many.
struct ManyBodies {
    std::size_t pointsFrom = 4'000'000;  ///< so many give their light to a pixel or four each, where sums are made
    std::size_t piece = 0;               ///< that one pass of sums reads; 0: as many as a buffer of this OpenGL may have
};

/// Some bodies of all, evenly spread: the same ones as long as there are as many.
class BodySample {
public:
    /// Makes the list of up to `most` of that many bodies.
    void fit(std::size_t bodies, std::size_t most);
    GLuint list() const { return list_->id(); }  ///< their indices
    std::size_t count() const { return count_; }
    std::size_t bodies() const { return bodies_; }  ///< of which these are some

private:
    std::size_t bodies_ = 0, count_ = 0;
    std::unique_ptr<Buffer> list_;
};

/// Point sprites, added up by blending.
class RasterSprites {
public:
    explicit RasterSprites(std::string_view vertexFile = "body.vert", std::string_view fragmentFile = "body.frag");
    /// Adds all bodies to `light`.
    void draw(const SpriteStyle& ink, const RenderTarget& light);
    /// Adds the bodies of an index list with its indirect command in front.
    void drawListed(const SpriteStyle& ink, const RenderTarget& light, GLuint list);
    /// Adds the bodies of a sample.
    void drawSample(const SpriteStyle& ink, const RenderTarget& light, const BodySample& sample);
    const Program& program() const { return program_; }

private:
    void prepare(const SpriteStyle& ink, const RenderTarget& light);
    void bind(const SpriteStyle& ink, std::size_t first);
    void leave();
    Program program_;
    VertexArray array_;
};

/// Small sprites as sums of whole numbers, three for each pixel; the others through RasterSprites.
/// A unit of light is chosen so that all bodies in one pixel at once would not overflow it.
class ComputeSprites {
public:
    /// Of all pictures; another only for those who compare.
    static void setMany(const ManyBodies& many) { many_ = many; }
    /// Replaces what is in `light` by all bodies. Throws GlError, with nothing drawn, where OpenGL has no memory.
    void draw(const SpriteStyle& ink, const RenderTarget& light, RasterSprites& raster, StageTimer& timer);
    /// Why these bodies in such a picture cannot be drawn here, for a sentence; empty when they can.
    std::string obstacle(std::size_t bodies, int width, int height) const;
    /// OpenGL has no memory for this way, which is tried no more.
    void refuse(std::string why) { noMemory_ = std::move(why); }

    /// Sprites up to this radius are summed [px].
    static constexpr float kLargestSum = 8;

private:
    void fit(const SpriteStyle& ink, int width, int height);
    bool asPoints(std::size_t bodies) const { return bodies >= many_.pointsFrom; }
    static std::size_t bodiesAPass();
    static inline ManyBodies many_;  // one thread draws
    Program splat_{"splat.comp"}, resolve_{"splat_resolve.comp"};
    std::unique_ptr<Buffer> sums_, points_, list_;
    std::size_t pixels_ = 0, pointPixels_ = 0, listed_ = 0;
    std::string noMemory_;
};

}  // namespace gravlab
