// Passes over pictures: a full-screen triangle, or groups of pixels.
#include "render/post_process.h"

#include "render/colour_map.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace gravlab {
namespace {

constexpr std::size_t kGlowLevels = 5;
// Weight of each level of the glow relative to the next finer one.
constexpr float kGlowDecay = 0.6f;
constexpr int kSmallestGlow = 8;  // pixels
// Auto-exposure scales the median of the light to this: a mid tone of the logarithmic curve.
constexpr float kMidTone = 3;

}  // namespace

PostProcess::PostProcess() {
    const float unknown = 0;
    glNamedBufferStorage(exposure_.id(), sizeof unknown, &unknown, 0);
}

void PostProcess::exchange(Pictures& other) {
    developed_.exchange(made_.developed);
    std::swap(made_, other);
    developed_.exchange(made_.developed);
}

void PostProcess::forget() {
    made_ = {};
    developed_.forget();
}

void PostProcess::fit(const RenderTarget& light, int shrink) {
    const int first = light.width() / shrink;
    if (!made_.glow.empty() && shrink == made_.shrink && first == made_.glow[0].width()) return;
    made_.glow.clear();
    made_.smoothGlow.reset();
    made_.shrink = shrink;
    // The glow is smooth, so start small: a first level of half size costs four times as much.
    int width = light.width() / shrink, height = light.height() / shrink;
    while (made_.glow.size() < kGlowLevels && std::min(width, height) >= kSmallestGlow) {
        made_.glow.emplace_back(GL_RGBA16F, width, height);
        width /= 2;
        height /= 2;
    }
    if (!made_.glow.empty()) made_.smoothGlow.emplace(GL_RGBA16F, made_.glow[0].width(), made_.glow[0].height());
}

void PostProcess::shrink(DrawMethod path, GLuint from, const RenderTarget& to) {
    glBindTextureUnit(0, from);
    glUseProgram((path == DrawMethod::compute ? downCompute_ : down_).id());
    DevelopedLight::run(path, to);
}

void PostProcess::widen(DrawMethod path, const RenderTarget& from, const RenderTarget& to, float weight, bool added) {
    const Program& up = path == DrawMethod::compute ? upCompute_ : up_;
    glBindTextureUnit(0, from.texture());
    glProgramUniform1f(up.id(), up.uniform("weight"), weight);
    if (path == DrawMethod::compute) glProgramUniform1i(up.id(), up.uniform("alone"), !added);
    glUseProgram(up.id());
    if (added) {
        glEnable(GL_BLEND);
        glBlendEquation(GL_FUNC_ADD);
        glBlendFunc(GL_ONE, GL_ONE);
    }
    DevelopedLight::run(path, to);
    glDisable(GL_BLEND);
}

/// Smaller pictures of the light; also their sum, when it is `shown`.
void PostProcess::spread(DrawMethod path, const RenderTarget& light, bool shown) {
    glBindVertexArray(array_.id());
    for (std::size_t level = 0; level < made_.glow.size(); ++level)
        shrink(path, level == 0 ? light.texture() : made_.glow[level - 1].texture(), made_.glow[level]);
    if (!shown || made_.glow.empty()) return;  // empty: the picture is too small for a glow
    for (std::size_t level = made_.glow.size(); level-- > 1;)
        widen(path, made_.glow[level], made_.glow[level - 1], kGlowDecay, true);
    // Smooth once more at the same size: otherwise the boxes of the first level show as squares around single bodies.
    widen(path, made_.glow[0], *made_.smoothGlow, 1, false);
}

void PostProcess::measure(const RenderTarget& light, const Look& look) {
    const RenderTarget& image = made_.glow.size() > 1 ? made_.glow[1] : made_.glow.empty() ? light : made_.glow[0];
    glBindTextureUnit(0, image.texture());
    glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, exposure_.id());
    glProgramUniform1f(measure_.id(), measure_.uniform("midTone"), kMidTone);
    glProgramUniform1f(measure_.id(), measure_.uniform("adaptation"), std::clamp(look.adaptation, 0.0f, 1.0f));
    glUseProgram(measure_.id());
    glDispatchCompute(1, 1, 1);
    glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT);
}

const Program& PostProcess::toneProgram(DrawMethod path, const Look& look, bool glowing) {
    constexpr std::size_t kPaper = 4, kCurves = 5;
    const ToneCurve tone = look.tone == ToneCurve::automatic ? ToneCurve::plate : look.tone;
    const std::size_t curve = look.paper ? kPaper : static_cast<std::size_t>(tone);
    const std::size_t photograph = !look.photograph.on ? 0 : look.photograph.starlight == Starlight::galaxies ? 1 : 2;
    std::unique_ptr<Program>& program =
        tones_[static_cast<std::size_t>(path)][curve + (glowing ? kCurves : 0) + 2 * kCurves * photograph];
    const ShaderDefines defines{"#define CURVE " + std::to_string(curve) + "\n#define GLOW " + (glowing ? "1\n" : "0\n") +
                                "#define PHOTOGRAPH " + std::to_string(photograph) + "\n"};
    if (!program)
        program = path == DrawMethod::compute ? std::make_unique<Program>("tone.comp", defines)
                                              : std::make_unique<Program>("screen.vert", "tone.frag", defines);
    return *program;
}

void PostProcess::setTones(const Program& program, const Look& look, bool glowing) const {
    const GLuint id = program.id();
    glProgramUniform1i(id, program.uniform("autoExposure"), look.autoExposure);
    glProgramUniform1f(id, program.uniform("exposure"), look.exposure);
    glProgramUniform1f(id, program.uniform("paperInk"), onPaper({1, 1, 1}).r);
    glProgramUniform1f(id, program.uniform("glowWeight"), glowing ? std::min(look.bloom, 1.0f) : 0);
    glProgramUniform1f(id, program.uniform("glowScale"), glowing ? glowScale() : 0);
    glProgramUniform1i(id, program.uniform("coarse"), look.photograph.on && glowing && developed_.shrink() > 2);
    if (look.photograph.on) DevelopedLight::setTones(program, look.photograph);
}

float PostProcess::glowScale() const {
    return (1 - kGlowDecay) / (1 - std::pow(kGlowDecay, static_cast<float>(made_.glow.size())));
}

/// Copies the picture to the caller's framebuffer, stretched when the sizes differ.
void PostProcess::show(unsigned framebuffer, int width, int height) const {
    const bool alike = made_.screen->width() == width && made_.screen->height() == height;
    glBlitNamedFramebuffer(made_.screen->framebuffer(), framebuffer, 0, 0, made_.screen->width(), made_.screen->height(), 0,
                           0, width, height, GL_COLOR_BUFFER_BIT, alike ? GL_NEAREST : GL_LINEAR);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    glViewport(0, 0, width, height);
}

bool PostProcess::showAgain(unsigned framebuffer, int width, int height) const {
    if (!made_.kept) return false;
    glDisable(GL_SCISSOR_TEST);
    show(framebuffer, width, height);
    return true;
}

void PostProcess::mapTones(DrawMethod path, const RenderTarget& light, const Look& look, bool glowing, unsigned framebuffer,
                           int width, int height, const ExposedFilm* film) {
    const bool own = path == DrawMethod::compute || keep_ || light.width() != width || light.height() != height;
    made_.kept = own;
    if (own && !made_.screen) made_.screen.emplace(GL_RGBA8, light.width(), light.height());
    glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, exposure_.id());
    glBindTextureUnit(0, light.texture());
    glBindTextureUnit(1, !glowing ? light.texture() : film ? developed_.shown().texture() : made_.smoothGlow->texture());
    const Program& tones = toneProgram(path, look, glowing);
    setTones(tones, look, glowing);
    glUseProgram(tones.id());
    glBindVertexArray(array_.id());
    if (own) {
        DevelopedLight::run(path, *made_.screen);
    } else {
        glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
        glViewport(0, 0, width, height);
        glDrawArrays(GL_TRIANGLES, 0, 3);
    }
    if (film && !look.paper)
        developed_.drawSky(look.photograph, *film, own ? made_.screen->framebuffer() : framebuffer, light.width(),
                           light.height());
    if (own) show(framebuffer, width, height);
    glBindVertexArray(0);
    glUseProgram(0);
}

/// Makes the combined light with its glow. The glow uses half the resolution, because this light has no grain.
void PostProcess::photograph(DrawMethod path, const RenderTarget& light, const Look& look, const PictureQuality& quality,
                             const ExposedFilm& film, StageTimer& timer) {
    developed_.develop(path, light, std::max(quality.glowShrink / 2, 1), look.photograph, film);
    timer.ended(DrawStage::develop);
    const bool wanted = look.bloom > 0 && !look.paper;
    if (wanted || look.autoExposure) {
        fit(developed_.developed(), 2);
        spread(path, developed_.developed(), wanted);
        if (wanted && made_.smoothGlow) developed_.addGlow(path, *made_.smoothGlow, std::min(look.bloom, 1.0f), glowScale());
    }
}

void PostProcess::draw(DrawMethod path, const RenderTarget& light, const Look& look, const PictureQuality& quality,
                       unsigned framebuffer, int width, int height, StageTimer& timer, const ExposedFilm* film) {
    const bool wanted = look.bloom > 0 && !look.paper && quality.glowShrink > 0;
    const bool developed = film && quality.glowShrink > 0;
    if (developed) {
        photograph(path, light, look, quality, *film, timer);
    } else if (wanted || look.autoExposure) {
        // As wide on the screen at every quality: coarser boxes would show as squares around single bodies.
        fit(light, std::max(static_cast<int>(std::lround(4 * quality.scale)), 1));
        spread(path, light, wanted);
    }
    timer.ended(DrawStage::glow);
    if (look.autoExposure) measure(light, look);
    timer.ended(DrawStage::exposure);
    mapTones(path, light, look, film ? developed : wanted && made_.smoothGlow, framebuffer, width, height, film);
    timer.ended(DrawStage::tone);
}

}  // namespace gravlab
