// Passes over small pictures, and some points.
#include "render/photograph.h"

#include <glm/gtc/type_ptr.hpp>
#include <glm/mat3x3.hpp>

#include <algorithm>
#include <cmath>
#include <string>

namespace gravlab {
namespace {

constexpr std::size_t kLevels = 7;
constexpr int kSmallest = 8;  // pixels
// Least bodies in a texel for its own light to be mixed in, and to be used alone. Random clumps of so few look like star
// clouds when a texel is a small part of an arm, but would be spots when it is a large part. Old stars without a disc are
// smoother.
constexpr float kFewest = 2, kEnoughFine = 12, kEnoughWide = 18, kEnoughOld = 200;
// The light of a single body is spread over at most this fraction of an arm's width.
constexpr float kWidest = 0.8f;
// Width of dust lanes, in arm widths.
constexpr float kLane = 0.25f;
// Width of large gas clouds, in arm widths. Light at half visibility, relative to the middle of a usual picture; and at
// least this many bodies in a square of that width.
constexpr float kCloud = 0.1f, kFaintest = 0.005f, kFewestSeen = 1.3f;
constexpr int kSkyGalaxies = 420, kSkyStars = 18000;
// From this level on, a wide kernel costs almost nothing.
constexpr std::size_t kCheapWide = 3;
// Amplitude of a pattern relative to the pattern of twice its width.
constexpr float kPersistence = 0.8f;

/// The look of the three channels.
struct Emulsion {
    glm::mat3 colours;  // columns: linear light of each channel
    glm::vec3 points;   // fraction of each channel that is visible as points
    float resolved;     // fraction of all light
    float youth;        // whether dense discs are young
    float nebula;       // light of gas all about young stars
};

const Emulsion& emulsionOf(Starlight starlight) {
    static const Emulsion kGalaxies{
        {1.1f, 0.73f, 0.38f, 0.97f, 0.84f, 0.73f, 0.80f, 0.86f, 1.0f}, {0.05f, 0.05f, 0.8f}, 0.25f, 1, 0};
    static const Emulsion kClusters{{1.0f, 0.52f, 0.20f, 0.90f, 0.93f, 1.0f, 0.45f, 0.66f, 1.2f}, {1, 1, 1}, 0.7f, 0, 0};
    static const Emulsion kNursery{{1.0f, 0.45f, 0.16f, 1.0f, 0.90f, 0.76f, 0.45f, 0.66f, 1.2f}, {1, 1, 1}, 0.7f, 0, 1};
    return starlight == Starlight::galaxies ? kGalaxies : starlight == Starlight::clusters ? kClusters : kNursery;
}

/// Weight of patterns of this width relative to an arm. It falls gradually below half an arm, so that no pattern appears or
/// vanishes suddenly as a camera approaches.
float octaveOf(float width) {
    const float finer = -std::log2(width);
    const float part = std::clamp((finer + 1.6f) / 2.0f, 0.0f, 1.0f);
    return part * part * (3 - 2 * part) * std::pow(kPersistence, std::max(finer - 1, 0.0f));
}

}  // namespace

void DevelopedLight::fit(const RenderTarget& light, int shrink) {
    if (!made_.levels.empty() && shrink == made_.shrink) return;
    forget();
    made_.shrink = shrink;
    int width = std::max(light.width() / shrink, 1), height = std::max(light.height() / shrink, 1);
    do {
        made_.levels.emplace_back(GL_RGBA16F, width, height);
        made_.smooth.emplace_back(GL_RGBA16F, width, height);
        width /= 2;
        height /= 2;
    } while (made_.levels.size() < kLevels && std::min(width, height) >= kSmallest);
    const RenderTarget& half = made_.levels[std::min<std::size_t>(1, made_.levels.size() - 1)];
    made_.planned.emplace_back(GL_RGBA16F, half.width(), half.height());
    const RenderTarget& eighth = made_.levels[std::min<std::size_t>(3, made_.levels.size() - 1)];
    made_.flow.emplace_back(GL_RGBA16F, eighth.width(), eighth.height());
    for (int k = 0; k < 2; ++k) made_.developed.emplace_back(GL_RGBA16F, made_.levels[0].width(), made_.levels[0].height());
}

const Program& DevelopedLight::begin(DrawMethod method, Stage stage) {
    std::unique_ptr<Program>& program = stages_[static_cast<std::size_t>(method)][stage];
    const ShaderDefines defines{"#define STAGE " + std::to_string(stage) + "\n"};
    if (!program)
        program = method == DrawMethod::compute ? std::make_unique<Program>("photograph.comp", defines)
                                                : std::make_unique<Program>("screen.vert", "photograph.frag", defines);
    glUseProgram(program->id());
    return *program;
}

void DevelopedLight::run(DrawMethod method, const RenderTarget& to) {
    if (method == DrawMethod::compute) {
        const auto groups = [](int pixels) { return static_cast<GLuint>((pixels + 7) / 8); };
        glBindImageTexture(0, to.texture(), 0, GL_FALSE, 0, GL_READ_WRITE, to.format());
        glDispatchCompute(groups(to.width()), groups(to.height()), 1);
        glMemoryBarrier(GL_TEXTURE_FETCH_BARRIER_BIT | GL_SHADER_IMAGE_ACCESS_BARRIER_BIT | GL_FRAMEBUFFER_BARRIER_BIT);
        return;
    }
    glBindFramebuffer(GL_FRAMEBUFFER, to.framebuffer());
    glViewport(0, 0, to.width(), to.height());
    glDrawArrays(GL_TRIANGLES, 0, 3);
}

void DevelopedLight::develop(DrawMethod method, const RenderTarget& light, int shrink, const Photograph& photograph,
                             const ExposedFilm& film) {
    fit(light, shrink);
    made_.glowing = false;
    glBindVertexArray(array_.id());
    const Emulsion& emulsion = emulsionOf(photograph.starlight);
    const Program& down = method == DrawMethod::compute ? downCompute_ : down_;
    // A bright star stays a point: smoothing would turn it into a cloud.
    glProgramUniform1i(down.id(), down.uniform("singles"), emulsion.youth == 0);
    glUseProgram(down.id());
    for (std::size_t k = 0; k < made_.levels.size(); ++k) {
        glBindTextureUnit(0, k == 0 ? light.texture() : made_.levels[k - 1].texture());
        run(method, made_.levels[k]);
    }
    const Program& smoothing = begin(method, smooth);
    glProgramUniform1f(smoothing.id(), smoothing.uniform("youth"), emulsion.youth);
    // The level whose texels are about as wide as an arm, and the level over which single bodies are spread at most.
    const auto stepOf = [&](float width) {
        const long step = std::lround(std::log2(std::max(width / static_cast<float>(shrink), 1.0f)));
        return static_cast<std::size_t>(std::clamp(step, 0L, static_cast<long>(made_.levels.size()) - 1));
    };
    const std::size_t around = stepOf(film.armWidth), widest = stepOf(kWidest * film.armWidth);
    // Make each of the widest levels round: tents over such large texels would show as squares.
    for (std::size_t k = std::max(around, widest) + 1; k-- > 0;) {
        const float side = static_cast<float>(shrink) * std::exp2(static_cast<float>(k));
        const int reach = k < widest ? 0 : k >= kCheapWide ? 3 : 1;
        glProgramUniform1i(smoothing.id(), smoothing.uniform("reach"), reach);
        const float wide = std::clamp((side / film.armWidth - 0.08f) / 0.2f, 0.0f, 1.0f);
        glProgramUniform3f(smoothing.id(), smoothing.uniform("enough"), kFewest, std::lerp(kEnoughFine, kEnoughWide, wide),
                           kEnoughOld);
        glProgramUniform1f(smoothing.id(), smoothing.uniform("bodiesPerLight"), side * side / film.lightOfBody);
        glProgramUniform1f(smoothing.id(), smoothing.uniform("octave"), octaveOf(side / film.armWidth));
        glProgramUniform1f(smoothing.id(), smoothing.uniform("counted"), k < widest ? 1 : 0);
        glBindTextureUnit(0, made_.levels[k].texture());
        glBindTextureUnit(1, k < widest ? made_.smooth[k + 1].texture() : made_.levels[k].texture());
        run(method, made_.smooth[k]);
    }
    const RenderTarget& lanes = made_.smooth[stepOf(kLane * film.armWidth)];
    const auto setStep = [&](const Program& program) {
        glProgramUniform2f(program.id(), program.uniform("step"), film.armWidth / static_cast<float>(light.width()),
                           film.armWidth / static_cast<float>(light.height()));
        glProgramUniform1f(program.id(), program.uniform("usual"), film.usual);
        glProgramUniform1f(program.id(), program.uniform("youth"), emulsion.youth);
    };
    glBindTextureUnit(1, made_.smooth[around].texture());
    glBindTextureUnit(3, lanes.texture());
    glBindTextureUnit(6, film.attitude);
    setStep(begin(method, flow));
    run(method, made_.flow.front());
    glBindTextureUnit(7, made_.flow.front().texture());
    setStep(begin(method, plan));
    run(method, made_.planned.front());
    const Program& composing = begin(method, compose);
    setStep(composing);
    const auto set = [&](const char* name, float value) {
        glProgramUniform1f(composing.id(), composing.uniform(name), value);
    };
    set("dust", photograph.dust);
    set("gas", photograph.gas);
    set("resolved", emulsion.resolved);
    set("nebula", emulsion.nebula * photograph.gas);
    const auto side = static_cast<float>(shrink);
    set("bodiesPerLight", side * side / film.lightOfBody);
    set("faintest", kFaintest * film.usual + kFewestSeen * film.lightOfBody / (film.armWidth * film.armWidth));
    glBindTextureUnit(5, made_.levels[stepOf(kCloud * film.armWidth)].texture());
    glProgramUniformMatrix3fv(composing.id(), composing.uniform("colours"), 1, GL_FALSE, glm::value_ptr(emulsion.colours));
    glBindTextureUnit(0, made_.smooth[0].texture());
    glBindTextureUnit(2, made_.levels[0].texture());
    glBindTextureUnit(4, made_.planned.front().texture());
    run(method, made_.developed.front());
}

void DevelopedLight::addGlow(DrawMethod method, const RenderTarget& from, float weight, float scale) {
    const Program& program = begin(method, glow);
    glProgramUniform1f(program.id(), program.uniform("glowWeight"), weight);
    glProgramUniform1f(program.id(), program.uniform("glowScale"), scale);
    glBindVertexArray(array_.id());
    glBindTextureUnit(0, made_.developed.front().texture());
    glBindTextureUnit(1, from.texture());
    run(method, made_.developed.back());
    made_.glowing = true;
}

void DevelopedLight::setTones(const Program& program, const Photograph& photograph) {
    const Emulsion& emulsion = emulsionOf(photograph.starlight);
    glProgramUniformMatrix3fv(program.id(), program.uniform("colours"), 1, GL_FALSE, glm::value_ptr(emulsion.colours));
    glProgramUniform3fv(program.id(), program.uniform("points"), 1, glm::value_ptr(emulsion.points));
}

void DevelopedLight::drawSky(const Photograph& photograph, const ExposedFilm& film, unsigned framebuffer, int width,
                             int height) {
    if (!(photograph.sky > 0)) return;
    if (!sky_) sky_ = std::make_unique<Program>("sky.vert", "sky.frag");
    const GLuint id = sky_->id();
    glProgramUniformMatrix4fv(id, sky_->uniform("clipFromSky"), 1, GL_FALSE, glm::value_ptr(film.clipFromSky));
    glProgramUniform1f(id, sky_->uniform("pixels"), film.wholeHeight);
    glProgramUniform1i(id, sky_->uniform("galaxies"), kSkyGalaxies);
    glProgramUniform1f(id, sky_->uniform("brightness"), photograph.sky);
    glProgramUniform1ui(id, sky_->uniform("sky"), photograph.skyOf);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    glViewport(0, 0, width, height);
    glEnable(GL_PROGRAM_POINT_SIZE);
    glEnable(GL_BLEND);
    glBlendEquation(GL_FUNC_ADD);
    glBlendFunc(GL_ONE_MINUS_DST_COLOR, GL_ONE);  // bright light hides it
    glUseProgram(id);
    glBindVertexArray(array_.id());
    glDrawArrays(GL_POINTS, 0, kSkyGalaxies + kSkyStars);
    glDisable(GL_BLEND);
}

}  // namespace gravlab
