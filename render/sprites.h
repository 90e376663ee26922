// Bodies as light, by two methods: point sprites by the rasteriser, or sums of small sprites by a compute shader. Rule: both
// read the same uniforms and vertices, and give the same picture.
#pragma once
#include "render/gl_limits.h"
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
    std::size_t every = 1;  ///< one of this many bodies is drawn, with the light of all
    glm::mat4 clipFromWorld{1};
    float radiusScale = 1;          ///< sprite radius [px] times depth [L]
    glm::vec2 radiusLimits{1, 64};  ///< smallest and largest sprite radius [px]
    float nearDepth = 0;            ///< [L]
    glm::vec2 valueRange{0, 1};
    bool logarithmic = false, useTraits = false;
    float darkLight = 1, brightness = 1;
    GLuint colours = 0;   ///< texture of one row
    double allLight = 1;  ///< upper bound of the light of all bodies in one pixel
    bool woven =
        false;  ///< alpha sums the light times the random number of each body, see Photograph in shaders/photograph.glsl
    bool counted = false;  ///< alpha sums the light of white bodies, for a white page
    float growth = 0;      ///< light above which a body's image grows; 0: never
};

/// Settings for very many bodies.
struct ManyBodies {
    std::size_t pointsFrom = 12'000'000;  ///< from this N bodies add their light to one pixel or to four
    std::size_t piece = 0;  ///< bodies that one pass of sums reads; 0: as many as a buffer of this OpenGL can hold
};

/// A sample of all bodies, evenly spread: the same ones while their number stays.
class BodySample {
public:
    /// Makes the list of up to `most` bodies.
    void fit(std::size_t bodies, std::size_t most);
    GLuint list() const { return list_->id(); }  ///< their indices
    std::size_t count() const { return count_; }
    std::size_t bodies() const { return bodies_; }  ///< the number from which the sample is taken

private:
    std::size_t bodies_ = 0, count_ = 0;
    std::unique_ptr<Buffer> list_;
};

/// Point sprites, summed by blending.
class RasterSprites {
public:
    explicit RasterSprites(std::string_view vertexFile = "body.vert", std::string_view fragmentFile = "body.frag");
    /// Adds all bodies to `light`.
    void draw(const SpriteStyle& ink, const RenderTarget& light);
    /// Adds the bodies of an index list that has its indirect command in front.
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

/// Small sprites as sums of whole numbers, three per pixel; larger ones use RasterSprites. The unit of light is chosen so
/// that all bodies in one pixel do not overflow it.
class ComputeSprites {
public:
    /// For all pictures; only comparisons change it.
    static void setMany(const ManyBodies& many) { many_ = many; }
    /// Replaces the content of `light` by all bodies. Throws GlError, with nothing drawn, when OpenGL has no memory.
    void draw(const SpriteStyle& ink, const RenderTarget& light, RasterSprites& raster, StageTimer& timer);
    /// Why this method cannot draw these bodies in such a picture, for a sentence; empty when it can.
    std::string obstacle(std::size_t bodies, int width, int height) const;
    /// OpenGL has no memory for this method, so do not try again.
    void refuse(std::string why) { noMemory_ = std::move(why); }

    /// The compute shader sums sprites up to this radius [px].
    static constexpr float kLargestSum = 8;

private:
    void fit(const SpriteStyle& ink, int width, int height);
    bool asPoints(std::size_t bodies) const { return bodies >= many_.pointsFrom; }
    static std::size_t bodiesAPass();
    static inline ManyBodies many_;  // one thread draws
    static Program splatProgram();
    Program splat_ = splatProgram(), resolve_{"splat_resolve.comp"};
    std::unique_ptr<Buffer> sums_, points_, list_;
    std::size_t pixels_ = 0, pointPixels_ = 0, listed_ = 0;
    std::string noMemory_;
};

}  // namespace gravlab
