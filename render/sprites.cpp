// Uniforms, bindings and draws of the two methods.
#include "render/sprites.h"

#include "render/particle_renderer.h"

#include <glm/ext/matrix_transform.hpp>
#include <glm/gtc/type_ptr.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace gravlab {
namespace {

// Half the range of 32 bits: random rounding adds up to one unit per body.
constexpr double kMostLightUnits = 2147483648.0;
constexpr std::size_t kSpriteGroup = 256;
// Words of an indirect draw before the list.
constexpr std::size_t kCommandWords = 5;
// Within this radius a sprite is little more than a pixel [px].
constexpr float kPointSum = 1.4f;
constexpr GLuint kPointsBinding = 3, kBodiesBinding = 4, kTraitsBinding = 5, kSumsBinding = 6, kListBinding = 7;

void setUniforms(const Program& program, const SpriteStyle& ink, const glm::mat4& clipFromWorld) {
    const GLuint id = program.id();
    glProgramUniformMatrix4fv(id, program.uniform("clipFromWorld"), 1, GL_FALSE, glm::value_ptr(clipFromWorld));
    glProgramUniform1f(id, program.uniform("radiusScale"), ink.radiusScale);
    glProgramUniform2f(id, program.uniform("radiusLimits"), ink.radiusLimits.x, ink.radiusLimits.y);
    glProgramUniform1f(id, program.uniform("nearDepth"), ink.nearDepth);
    glProgramUniform2f(id, program.uniform("valueRange"), ink.valueRange.x, ink.valueRange.y);
    glProgramUniform1i(id, program.uniform("logarithmic"), ink.logarithmic);
    glProgramUniform1i(id, program.uniform("useTraits"), ink.useTraits);
    glProgramUniform1f(id, program.uniform("darkLight"), ink.darkLight);
    glProgramUniform1f(id, program.uniform("brightness"), ink.brightness);
    glProgramUniform1i(id, program.uniform("woven"), ink.woven);
    glProgramUniform1i(id, program.uniform("counted"), ink.counted);
    glProgramUniform1f(id, program.uniform("growth"), ink.growth);
    glBindTextureUnit(0, ink.colours);
}

/// Whether a value is above 0 and its inverse is finite.
bool usable(double value) { return value > 1e-30 && value < 1e30; }

}  // namespace

RasterSprites::RasterSprites(std::string_view vertexFile, std::string_view fragmentFile)
    : program_(vertexFile, fragmentFile) {
    glEnableVertexArrayAttrib(array_.id(), 0);
    glVertexArrayAttribFormat(array_.id(), 0, 4, GL_FLOAT, GL_FALSE, 0);
    glVertexArrayAttribBinding(array_.id(), 0, 0);
    glVertexArrayAttribFormat(array_.id(), 1, 2, GL_FLOAT, GL_FALSE, 0);
    glVertexArrayAttribBinding(array_.id(), 1, 1);
}

void BodySample::fit(std::size_t bodies, std::size_t most) {
    if (bodies == bodies_ && std::min(bodies, most) == count_ && list_) return;
    bodies_ = 0;
    count_ = std::min(bodies, most);
    std::vector<GLuint> all(std::max<std::size_t>(count_, 1));
    for (std::size_t i = 0; i < count_; ++i) all[i] = static_cast<GLuint>(bodies * i / count_);
    list_ = std::make_unique<Buffer>();
    allocate(*list_, all.size() * sizeof(GLuint), all.data(), 0, "a sample of the bodies");
    bodies_ = bodies;
}

void RasterSprites::prepare(const SpriteStyle& ink, const RenderTarget& light) {
    // OpenGL clips a point whose centre is outside the picture. So the viewport extends beyond the picture by the largest
    // radius, and the projection shrinks by the same ratio: sprites then leave the picture smoothly.
    const int width = light.width(), height = light.height();
    const int room = std::max((glLimits().viewportSide - std::max(width, height)) / 2, 0);
    const int margin = std::min(static_cast<int>(std::ceil(ink.radiusLimits.y)), room);
    const glm::vec3 shrink(static_cast<float>(width) / static_cast<float>(width + 2 * margin),
                           static_cast<float>(height) / static_cast<float>(height + 2 * margin), 1.0f);
    setUniforms(program_, ink, glm::scale(glm::mat4(1), shrink) * ink.clipFromWorld);
    glBindFramebuffer(GL_FRAMEBUFFER, light.framebuffer());
    glViewport(-margin, -margin, width + 2 * margin, height + 2 * margin);
    glEnable(GL_PROGRAM_POINT_SIZE);
    glEnable(GL_BLEND);
    glBlendEquation(GL_FUNC_ADD);
    glBlendFunc(GL_ONE, GL_ONE);
    glUseProgram(program_.id());
    if (ink.traits) {
        glEnableVertexArrayAttrib(array_.id(), 1);
    } else {
        glDisableVertexArrayAttrib(array_.id(), 1);
        glVertexAttrib2f(1, 0, 1);
    }
    bind(ink, 0);
    glBindVertexArray(array_.id());
}

/// Binds the vertices so that vertex 0 is the body `first`.
void RasterSprites::bind(const SpriteStyle& ink, std::size_t first) {
    glVertexArrayVertexBuffer(array_.id(), 0, ink.vertices, static_cast<GLintptr>(first * sizeof(ParticleVertex)),
                              sizeof(ParticleVertex));
    if (ink.traits)
        glVertexArrayVertexBuffer(array_.id(), 1, ink.traits, static_cast<GLintptr>(first * sizeof(BodyTrait)),
                                  sizeof(BodyTrait));
}

void RasterSprites::leave() {
    glDisable(GL_BLEND);
    // A bound array would keep buffers alive that their owners delete.
    glVertexArrayVertexBuffer(array_.id(), 0, 0, 0, sizeof(ParticleVertex));
    glVertexArrayVertexBuffer(array_.id(), 1, 0, 0, sizeof(BodyTrait));
    glVertexArrayElementBuffer(array_.id(), 0);
}

void RasterSprites::draw(const SpriteStyle& ink, const RenderTarget& light) {
    prepare(ink, light);
    eachPiece(ink.count, bodiesAPiece(sizeof(ParticleVertex), glLimits().drawnBytes),
              [&](std::size_t first, std::size_t part) {
                  bind(ink, first);
                  glDrawArrays(GL_POINTS, 0, static_cast<GLsizei>(part));
              });
    leave();
}

void RasterSprites::drawSample(const SpriteStyle& ink, const RenderTarget& light, const BodySample& sample) {
    prepare(ink, light);
    glVertexArrayElementBuffer(array_.id(), sample.list());
    glDrawElements(GL_POINTS, static_cast<GLsizei>(sample.count()), GL_UNSIGNED_INT, nullptr);
    leave();
}

void RasterSprites::drawListed(const SpriteStyle& ink, const RenderTarget& light, GLuint list) {
    prepare(ink, light);
    glVertexArrayElementBuffer(array_.id(), list);
    glBindBuffer(GL_DRAW_INDIRECT_BUFFER, list);
    glDrawElementsIndirect(GL_POINTS, GL_UNSIGNED_INT, nullptr);
    glBindBuffer(GL_DRAW_INDIRECT_BUFFER, 0);
    leave();
}

std::string ComputeSprites::obstacle(std::size_t bodies, int width, int height) const {
    if (!noMemory_.empty()) return noMemory_;
    const std::size_t pixels = static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
    const std::size_t needed = std::max((pixels + 2 * static_cast<std::size_t>(width + height) + 4) * 4 * sizeof(GLuint),
                                        (bodies + kCommandWords) * sizeof(GLuint));
    const std::size_t most = glLimits().storageBytes;
    if (needed <= most) return {};
    return "compute shaders would need a buffer of " + std::to_string(needed >> 20) + " MiB and this OpenGL allows " +
           std::to_string(most >> 20) + " MiB";
}

Program ComputeSprites::splatProgram() {
    if (glLimits().pairedSums) {
        try {
            return Program("splat.comp", ShaderDefines{"#define PAIRED_SUMS\n"});
        } catch (const GlError&) {
            // A driver may list the extensions and lack these additions: single ones give the same picture.
        }
    }
    return Program("splat.comp");
}

std::size_t ComputeSprites::bodiesAPass() {
    const std::size_t most = glLimits().storageBytes;
    return bodiesAPiece(sizeof(ParticleVertex),
                        many_.piece > 0 ? std::min(many_.piece * sizeof(ParticleVertex), most) : most);
}

void ComputeSprites::fit(const SpriteStyle& ink, int width, int height) {
    const std::size_t bodies = ink.count;
    const std::size_t pixels = static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
    if (pixels != pixels_) {
        pixels_ = 0;
        sums_ = std::make_unique<Buffer>();
        allocate(*sums_, pixels * 4 * sizeof(GLuint), nullptr, 0, "the sums of light");
        glClearNamedBufferData(sums_->id(), GL_R32UI, GL_RED_INTEGER, GL_UNSIGNED_INT, nullptr);
        pixels_ = pixels;
    }
    // One more pixel on each side, because bodies outside the picture shine into it.
    const std::size_t wider = static_cast<std::size_t>(width + 2) * static_cast<std::size_t>(height + 2);
    if (asPoints(bodies / ink.every) && wider != pointPixels_) {
        pointPixels_ = 0;
        points_ = std::make_unique<Buffer>();
        allocate(*points_, wider * 4 * sizeof(GLuint), nullptr, 0, "the sums of points of light");
        pointPixels_ = wider;
    }
    if (bodies > listed_ || !list_) {
        listed_ = 0;
        list_ = std::make_unique<Buffer>();
        allocate(*list_, (bodies + kCommandWords) * sizeof(GLuint), nullptr, GL_DYNAMIC_STORAGE_BIT,
                 "the list of large bodies");
        const std::array<GLuint, kCommandWords> command{0, 1, kCommandWords, 0, 0};
        glNamedBufferSubData(list_->id(), 0, sizeof command, command.data());
        listed_ = bodies;
    }
}

void ComputeSprites::draw(const SpriteStyle& ink, const RenderTarget& light, RasterSprites& raster, StageTimer& timer) {
    const int width = light.width(), height = light.height();
    fit(ink, width, height);
    const bool lit = usable(ink.allLight);
    const double unitsPerLight = lit ? kMostLightUnits / ink.allLight : 0;

    const bool points = asPoints(ink.count / ink.every);
    glClearNamedBufferSubData(list_->id(), GL_R32UI, 0, sizeof(GLuint), GL_RED_INTEGER, GL_UNSIGNED_INT, nullptr);
    if (points) glClearNamedBufferData(points_->id(), GL_R32UI, GL_RED_INTEGER, GL_UNSIGNED_INT, nullptr);
    glBindBufferBase(GL_SHADER_STORAGE_BUFFER, kSumsBinding, sums_->id());
    glBindBufferBase(GL_SHADER_STORAGE_BUFFER, kPointsBinding, points ? points_->id() : sums_->id());
    if (lit) {
        const GLuint id = splat_.id();
        setUniforms(splat_, ink, ink.clipFromWorld);
        glProgramUniform1i(id, splat_.uniform("withTraits"), ink.traits != 0);
        glProgramUniform1i(id, splat_.uniform("asPoints"), points);
        glProgramUniform1f(id, splat_.uniform("pointSum"), kPointSum);
        glProgramUniform2i(id, splat_.uniform("size"), width, height);
        glProgramUniform1f(id, splat_.uniform("unitsPerLight"), static_cast<float>(unitsPerLight));
        glProgramUniform1f(id, splat_.uniform("largestSum"), kLargestSum);
        glBindBufferBase(GL_SHADER_STORAGE_BUFFER, kListBinding, list_->id());
        glUseProgram(id);
        // Passes only add whole numbers, so they need no barrier between them.
        glProgramUniform1ui(id, splat_.uniform("every"), static_cast<GLuint>(ink.every));
        eachPiece(ink.count, bodiesAPass(), [&](std::size_t first, std::size_t part) {
            // One of `every` bodies, counted across all pieces.
            const std::size_t skipped = (ink.every - first % ink.every) % ink.every;
            if (skipped >= part) return;
            const std::size_t drawn = (part - skipped + ink.every - 1) / ink.every;
            bindBodies(kBodiesBinding, ink.vertices, first, part, sizeof(ParticleVertex));
            if (ink.traits)
                bindBodies(kTraitsBinding, ink.traits, first, part, sizeof(BodyTrait));
            else
                bindBodies(kTraitsBinding, ink.vertices, first, part, sizeof(ParticleVertex));
            glProgramUniform1ui(id, splat_.uniform("first"), static_cast<GLuint>(first));
            glProgramUniform1ui(id, splat_.uniform("skipped"), static_cast<GLuint>(skipped));
            glProgramUniform1ui(id, splat_.uniform("count"), static_cast<GLuint>(drawn));
            dispatchOver(drawn, kSpriteGroup);
        });
        glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT | GL_COMMAND_BARRIER_BIT | GL_ELEMENT_ARRAY_BARRIER_BIT);
    }
    timer.ended(DrawStage::bodies);

    const bool half = light.format() == GL_RGBA16F;
    glProgramUniform2i(resolve_.id(), resolve_.uniform("size"), width, height);
    glProgramUniform1i(resolve_.id(), resolve_.uniform("withPoints"), points);
    glProgramUniform1f(resolve_.id(), resolve_.uniform("lightPerUnit"), lit ? static_cast<float>(1 / unitsPerLight) : 0);
    glProgramUniform1f(resolve_.id(), resolve_.uniform("most"), half ? 65504.0f : 3e38f);
    glBindImageTexture(0, light.texture(), 0, GL_FALSE, 0, GL_WRITE_ONLY, light.format());
    glUseProgram(resolve_.id());
    glDispatchCompute(static_cast<GLuint>((width + 15) / 16), static_cast<GLuint>((height + 15) / 16), 1);
    glMemoryBarrier(GL_FRAMEBUFFER_BARRIER_BIT | GL_TEXTURE_FETCH_BARRIER_BIT | GL_SHADER_STORAGE_BARRIER_BIT |
                    GL_TEXTURE_UPDATE_BARRIER_BIT);
    timer.ended(DrawStage::resolve);

    if (lit && ink.radiusLimits.y > kLargestSum) raster.drawListed(ink, light, list_->id());
    unbindStorage({kBodiesBinding, kTraitsBinding});
    timer.ended(DrawStage::large);
}

}  // namespace gravlab
