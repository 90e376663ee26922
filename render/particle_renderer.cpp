// Sprites into a floating-point picture, an optional glow, then the tone curve into the caller's framebuffer.
#include "render/particle_renderer.h"

#include "render/colour_map.h"
#include "render/gl_objects.h"
#include "render/trails.h"

#include <glm/ext/matrix_clip_space.hpp>
#include <glm/ext/matrix_transform.hpp>
#include <glm/gtc/type_ptr.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

namespace gravlab {
namespace {

// Below this radius the sampled sum of a sprite strays from its integral by more than 1.5 %.
constexpr float kSmallestRadius = 1.75f;
// Among very many bodies the mean counts, which is right at any radius, and half of the pixels are half of the time.
constexpr float kSmallestRadiusOfMany = 1.25f;
// No body covers more of the picture's height than twice this part of it.
constexpr float kLargestRadius = 0.15f;
// Bodies nearer to the eye than this part of the camera's distance fade out.
constexpr float kNearFade = 0.05f;
// Very many bodies. Half floats have 11 bits: beyond this number the light of one could vanish in the sum of the others.
constexpr std::size_t kHalfFloatBodies = 131072;
constexpr std::size_t kGlowLevels = 5;
// Each wider level of the glow weighs this much of the one below it.
constexpr float kGlowDecay = 0.6f;
constexpr int kSmallestGlow = 8;  // pixels
// Light of a trail's newest end, of a body's.
constexpr float kTrailLight = 0.25f;
// What auto-exposure makes of the light's median: a mid tone of the logarithmic curve.
constexpr float kMidTone = 3;
// Values of the colour map are sampled in runs, because a copy of single ones would be a command each.
constexpr std::size_t kSampleRuns = 32, kSampleRun = 64;

}  // namespace

struct ParticleRenderer::State {
    Program bodies{"body.vert", "body.frag"};
    Program down{"screen.vert", "bloom_down.frag"};
    Program up{"screen.vert", "bloom_up.frag"};
    Program tone{"screen.vert", "tone.frag"};
    Program measure{"exposure.comp"};
    VertexArray bodyArray, emptyArray;
    Texture colours;
    int coloursOf = -2;  ///< the row of colourMaps() that `colours` holds
    std::unique_ptr<Buffer> traits;
    std::size_t traitCount = 0;
    Buffer exposure;                 ///< one float that shaders read and write; 0: not measured yet
    std::unique_ptr<Buffer> sample;  ///< values on their way to the host
    std::size_t sampleCount = 0;
    GLsync sampleDone = nullptr;
    std::optional<Trails> trails;  ///< from the first time that they are asked for
    std::optional<RenderTarget> light;
    std::vector<RenderTarget> glow;          ///< a quarter, an eighth, ... of `light`
    std::optional<RenderTarget> smoothGlow;  ///< all of them, as shown
    GpuTimer timer;
    float pointSizeLimit = 1;

    State();
    ~State() {
        if (sampleDone) glDeleteSync(sampleDone);
    }
    State(const State&) = delete;
    State& operator=(const State&) = delete;
    void measureLight(const Look& look);
    void fit(int width, int height, bool manyBodies);
    void setColours(int map);
    void drawBodies(const ParticleBuffer& buffer, const Camera& camera, const Look& look);
    void spreadGlow(bool shown);
    void mapTones(const Look& look, unsigned framebuffer, int width, int height);
};

ParticleRenderer::State::State() {
    glTextureStorage2D(colours.id(), 1, GL_RGBA16F, kColourMapSize, 1);
    glTextureParameteri(colours.id(), GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glTextureParameteri(colours.id(), GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glEnableVertexArrayAttrib(bodyArray.id(), 0);
    glVertexArrayAttribFormat(bodyArray.id(), 0, 4, GL_FLOAT, GL_FALSE, 0);
    glVertexArrayAttribBinding(bodyArray.id(), 0, 0);
    glVertexArrayAttribFormat(bodyArray.id(), 1, 2, GL_FLOAT, GL_FALSE, 0);
    glVertexArrayAttribBinding(bodyArray.id(), 1, 1);
    const float unknown = 0;
    glNamedBufferStorage(exposure.id(), sizeof unknown, &unknown, 0);
    GLfloat range[2] = {1, 1};
    glGetFloatv(GL_POINT_SIZE_RANGE, range);
    pointSizeLimit = range[1];
}

void ParticleRenderer::State::fit(int width, int height, bool manyBodies) {
    const GLenum format = manyBodies ? GL_RGBA32F : GL_RGBA16F;
    if (light && light->width() == width && light->height() == height && light->format() == format) return;
    glow.clear();
    smoothGlow.reset();
    light.reset();
    light.emplace(format, width, height);
}

void ParticleRenderer::State::setColours(int map) {
    const auto maps = colourMaps();
    map = std::clamp(map, -1, static_cast<int>(maps.size()) - 1);
    if (map == coloursOf) return;
    const auto row = linearColours(map < 0 ? categoryMap() : maps[static_cast<std::size_t>(map)]);
    glTextureSubImage2D(colours.id(), 0, 0, 0, kColourMapSize, 1, GL_RGB, GL_FLOAT, glm::value_ptr(row[0]));
    coloursOf = map;
}

void ParticleRenderer::State::drawBodies(const ParticleBuffer& buffer, const Camera& camera, const Look& look) {
    const int width = light->width(), height = light->height();
    const float black[4] = {0, 0, 0, 1};
    glBindFramebuffer(GL_FRAMEBUFFER, light->framebuffer());
    glClearNamedFramebufferfv(light->framebuffer(), GL_COLOR, 0, black);
    if (!buffer.frontBuffer() || !buffer.frontCount()) return;

    const float smallest = buffer.frontCount() > kHalfFloatBodies ? kSmallestRadiusOfMany : kSmallestRadius;
    const float largest = std::max(std::min(kLargestRadius * static_cast<float>(height), pointSizeLimit / 2), smallest);
    // A point whose centre is off the picture is clipped whole. The viewport reaches beyond the picture by the largest
    // radius, and the projection shrinks by the same ratio, so that sprites leave the picture smoothly.
    const int margin = static_cast<int>(std::ceil(largest));
    const glm::vec3 shrink(static_cast<float>(width) / static_cast<float>(width + 2 * margin),
                           static_cast<float>(height) / static_cast<float>(height + 2 * margin), 1.0f);
    const glm::mat4 projection = camera.projection(static_cast<float>(width) / static_cast<float>(height));
    const glm::mat4 clipFromWorld = glm::scale(glm::mat4(1), shrink) * projection * camera.view();

    setColours(look.colourMap);
    const GLuint id = bodies.id();
    glProgramUniformMatrix4fv(id, bodies.uniform("clipFromWorld"), 1, GL_FALSE, glm::value_ptr(clipFromWorld));
    glProgramUniform1f(id, bodies.uniform("radiusScale"),
                       look.pointSize * projection[1][1] * static_cast<float>(height) / 2);
    glProgramUniform2f(id, bodies.uniform("radiusLimits"), smallest, largest);
    // Without perspective every depth is 1, and nothing fades.
    glProgramUniform1f(id, bodies.uniform("nearDepth"), camera.orthographic ? 1e-4f : kNearFade * camera.distance);
    const bool withTraits = traits && traitCount == buffer.frontCount();
    const auto mapped = [&](float value) { return look.logarithmic ? std::log2(std::max(value, 1e-37f)) : value; };
    const float low = mapped(look.valueFloor), high = mapped(look.valueScale);
    glProgramUniform2f(id, bodies.uniform("valueRange"), low, high > low ? high : low + 1e-6f);
    glProgramUniform1i(id, bodies.uniform("logarithmic"), look.logarithmic);
    glProgramUniform1i(id, bodies.uniform("useTraits"), look.useTraits && withTraits);
    glProgramUniform1f(id, bodies.uniform("darkLight"), look.darkLight);
    glProgramUniform1f(id, bodies.uniform("brightness"), look.brightness);
    glBindTextureUnit(0, colours.id());

    glViewport(-margin, -margin, width + 2 * margin, height + 2 * margin);
    glEnable(GL_PROGRAM_POINT_SIZE);
    glEnable(GL_BLEND);
    glBlendEquation(GL_FUNC_ADD);
    glBlendFunc(GL_ONE, GL_ONE);
    glUseProgram(id);
    glVertexArrayVertexBuffer(bodyArray.id(), 0, buffer.frontBuffer(), 0, sizeof(ParticleVertex));
    if (withTraits) {
        glEnableVertexArrayAttrib(bodyArray.id(), 1);
        glVertexArrayVertexBuffer(bodyArray.id(), 1, traits->id(), 0, sizeof(BodyTrait));
    } else {
        glDisableVertexArrayAttrib(bodyArray.id(), 1);
        glVertexAttrib2f(1, 0, 1);
    }
    glBindVertexArray(bodyArray.id());
    glDrawArrays(GL_POINTS, 0, static_cast<GLsizei>(buffer.frontCount()));
    glDisable(GL_BLEND);
    if (trails && look.trails > 1) {
        // Few bodies have bright lines; the light of many is shared.
        const float crowd = std::min(1.0f, std::pow(300.0f / static_cast<float>(buffer.frontCount()), 0.8f));
        glViewport(0, 0, width, height);
        trails->draw({.clipFromWorld = projection * camera.view(),
                      .light = kTrailLight * look.trailLight * look.brightness * crowd,
                      .low = low,
                      .high = high > low ? high : low + 1e-6f,
                      .logarithmic = look.logarithmic,
                      .useTraits = look.useTraits,
                      .darkLight = look.darkLight,
                      .colours = colours.id(),
                      .traits = withTraits ? traits->id() : 0});
    }
    // The buffer's owner may delete it; an array that still names it would keep it alive.
    glVertexArrayVertexBuffer(bodyArray.id(), 0, 0, 0, sizeof(ParticleVertex));
}

/// Smaller pictures of the light; also their sum, when it is `shown`.
void ParticleRenderer::State::spreadGlow(bool shown) {
    if (glow.empty()) {
        int width = light->width() / 4,
            height = light->height() / 4;  // the glow is smooth; half size costs four times as much
        while (glow.size() < kGlowLevels && std::min(width, height) >= kSmallestGlow) {
            glow.emplace_back(GL_RGBA16F, width, height);
            width /= 2;
            height /= 2;
        }
        if (glow.empty()) return;  // too small a picture for any
        smoothGlow.emplace(GL_RGBA16F, glow[0].width(), glow[0].height());
    }
    glBindVertexArray(emptyArray.id());
    glUseProgram(down.id());
    for (std::size_t level = 0; level < glow.size(); ++level) {
        glBindTextureUnit(0, level == 0 ? light->texture() : glow[level - 1].texture());
        glBindFramebuffer(GL_FRAMEBUFFER, glow[level].framebuffer());
        glViewport(0, 0, glow[level].width(), glow[level].height());
        glDrawArrays(GL_TRIANGLES, 0, 3);
    }
    if (!shown) return;
    const auto spread = [&](const RenderTarget& from, const RenderTarget& to, float weight) {
        glProgramUniform1f(up.id(), up.uniform("weight"), weight);
        glBindTextureUnit(0, from.texture());
        glBindFramebuffer(GL_FRAMEBUFFER, to.framebuffer());
        glViewport(0, 0, to.width(), to.height());
        glDrawArrays(GL_TRIANGLES, 0, 3);
    };
    glUseProgram(up.id());
    glEnable(GL_BLEND);
    glBlendEquation(GL_FUNC_ADD);
    glBlendFunc(GL_ONE, GL_ONE);
    for (std::size_t level = glow.size(); level-- > 1;) spread(glow[level], glow[level - 1], kGlowDecay);
    glDisable(GL_BLEND);
    // Once more at the same size: else the boxes of the first step down show as squares around single bodies.
    spread(glow[0], *smoothGlow, 1);
}

void ParticleRenderer::State::measureLight(const Look& look) {
    const RenderTarget& image = glow.size() > 1 ? glow[1] : glow.empty() ? *light : glow[0];
    glBindTextureUnit(0, image.texture());
    glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, exposure.id());
    glProgramUniform1f(measure.id(), measure.uniform("midTone"), kMidTone);
    glProgramUniform1f(measure.id(), measure.uniform("adaptation"), std::clamp(look.adaptation, 0.0f, 1.0f));
    glUseProgram(measure.id());
    glDispatchCompute(1, 1, 1);
    glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT);
}

void ParticleRenderer::State::mapTones(const Look& look, unsigned framebuffer, int width, int height) {
    const bool glowing = look.bloom > 0 && smoothGlow && !look.paper;
    glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, exposure.id());
    glProgramUniform1i(tone.id(), tone.uniform("autoExposure"), look.autoExposure);
    glProgramUniform1i(tone.id(), tone.uniform("curveKind"), static_cast<int>(look.tone));
    glProgramUniform1i(tone.id(), tone.uniform("paper"), look.paper);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    glViewport(0, 0, width, height);
    glBindTextureUnit(0, light->texture());
    glBindTextureUnit(1, glowing ? smoothGlow->texture() : light->texture());
    glProgramUniform1i(tone.id(), tone.uniform("glow"), 1);
    glProgramUniform1f(tone.id(), tone.uniform("exposure"), look.exposure);
    glProgramUniform1f(tone.id(), tone.uniform("glowWeight"), glowing ? std::min(look.bloom, 1.0f) : 0);
    glProgramUniform1f(tone.id(), tone.uniform("glowScale"),
                       glowing ? (1 - kGlowDecay) / (1 - std::pow(kGlowDecay, static_cast<float>(glow.size()))) : 0);
    glUseProgram(tone.id());
    glBindVertexArray(emptyArray.id());
    glDrawArrays(GL_TRIANGLES, 0, 3);
    glBindVertexArray(0);
    glUseProgram(0);
}

ParticleRenderer::ParticleRenderer() : state_(std::make_unique<State>()) {}
ParticleRenderer::~ParticleRenderer() = default;

void ParticleRenderer::draw(const ParticleBuffer& bodies, const Camera& camera, const Look& look, unsigned framebuffer,
                            int width, int height) {
    if (width <= 0 || height <= 0) return;
    State& state = *state_;
    state.timer.begin();
    glDisable(GL_DEPTH_TEST);
    glDisable(GL_CULL_FACE);
    glDisable(GL_SCISSOR_TEST);
    glDisable(GL_BLEND);
    glDisable(GL_FRAMEBUFFER_SRGB);  // the tone pass encodes, in every kind of framebuffer alike
    state.fit(width, height, bodies.frontCount() > kHalfFloatBodies);
    state.drawBodies(bodies, camera, look);
    if (look.bloom > 0 || look.autoExposure) state.spreadGlow(look.bloom > 0);
    if (look.autoExposure) state.measureLight(look);
    state.mapTones(look, framebuffer, width, height);
    state.timer.end();
}

void ParticleRenderer::setTraits(std::span<const BodyTrait> traits) {
    State& state = *state_;
    state.traitCount = traits.size();
    state.traits.reset();
    if (traits.empty()) return;
    state.traits = std::make_unique<Buffer>();
    glNamedBufferStorage(state.traits->id(), static_cast<GLsizeiptr>(traits.size_bytes()), traits.data(), 0);
}

void ParticleRenderer::recordTrail(const ParticleBuffer& bodies, const Look& look) {
    if (look.trails < 2) return;
    if (!state_->trails) state_->trails.emplace();
    state_->trails->record(bodies, static_cast<std::size_t>(look.trails));
}

void ParticleRenderer::forgetTrails() {
    if (state_->trails) state_->trails->forget();
}

void ParticleRenderer::sampleValues(const ParticleBuffer& bodies) {
    State& state = *state_;
    const std::size_t count = bodies.frontCount();
    if (!bodies.frontBuffer() || count == 0) return;
    if (!state.sample) {
        state.sample = std::make_unique<Buffer>();
        glNamedBufferStorage(state.sample->id(), kSampleRuns * kSampleRun * sizeof(ParticleVertex), nullptr,
                             GL_CLIENT_STORAGE_BIT | GL_MAP_READ_BIT);
    }
    state.sampleCount = 0;
    const std::size_t run = std::min(kSampleRun, (count + kSampleRuns - 1) / kSampleRuns);
    for (std::size_t k = 0; k < kSampleRuns && state.sampleCount + run <= count; ++k) {
        const std::size_t from = count * k / kSampleRuns;
        const std::size_t length = std::min(run, count - from);
        glCopyNamedBufferSubData(bodies.frontBuffer(), state.sample->id(),
                                 static_cast<GLintptr>(from * sizeof(ParticleVertex)),
                                 static_cast<GLintptr>(state.sampleCount * sizeof(ParticleVertex)),
                                 static_cast<GLsizeiptr>(length * sizeof(ParticleVertex)));
        state.sampleCount += length;
    }
    if (state.sampleDone) glDeleteSync(state.sampleDone);
    state.sampleDone = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
}

bool ParticleRenderer::takeValues(std::vector<float>& values, bool wait) {
    State& state = *state_;
    if (!state.sampleDone) return false;
    const GLenum done =
        glClientWaitSync(state.sampleDone, GL_SYNC_FLUSH_COMMANDS_BIT, wait ? GLuint64{2'000'000'000} : GLuint64{0});
    if (done != GL_ALREADY_SIGNALED && done != GL_CONDITION_SATISFIED) return false;
    glDeleteSync(state.sampleDone);
    state.sampleDone = nullptr;
    std::vector<ParticleVertex> vertices(state.sampleCount);
    glGetNamedBufferSubData(state.sample->id(), 0, static_cast<GLsizeiptr>(vertices.size() * sizeof(ParticleVertex)),
                            vertices.data());
    values.resize(vertices.size());
    std::transform(vertices.begin(), vertices.end(), values.begin(), [](const ParticleVertex& v) { return v.value; });
    return true;
}

double ParticleRenderer::drawMilliseconds() const { return state_->timer.milliseconds(); }

unsigned ParticleRenderer::lightTexture() const { return state_->light ? state_->light->texture() : 0; }

}  // namespace gravlab
