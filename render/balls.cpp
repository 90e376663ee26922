#include "render/balls.h"

#include "render/gl_limits.h"
#include "render/particle_renderer.h"

#include <glm/geometric.hpp>
#include <glm/gtc/type_ptr.hpp>

#include <algorithm>
#include <limits>
#include <numeric>

namespace gravlab {
namespace {

constexpr float kLeastBall = 1;  // radius [px]
// A body so many times as large as the mean is a planet, which throws a shadow.
constexpr float kPlanet = 8;
// From the left and the front of a scene's own view.
const glm::vec3 kSun = glm::normalize(glm::vec3(0.83f, -0.42f, 0.37f));

}  // namespace

void Balls::setRadii(std::span<const float> radii) {
    count_ = radii.size();
    const auto largest = std::ranges::max_element(radii);
    planet_ = static_cast<std::size_t>(largest - radii.begin());
    const float mean = std::accumulate(radii.begin(), radii.end(), 0.0f) / std::max(static_cast<float>(count_), 1.0f);
    planetRadius_ = count_ > 0 && *largest > kPlanet * mean ? *largest : std::numeric_limits<float>::infinity();
    radii_.reset();
    if (radii.empty()) return;
    radii_ = std::make_unique<Buffer>();
    allocate(*radii_, radii.size_bytes(), radii.data(), 0, "the radii of the bodies");
    if (program_) return;
    program_ = std::make_unique<Program>("ball.vert", "ball.frag");
    array_ = std::make_unique<VertexArray>();
    const GLint sizes[] = {4, 2, 1, 4};
    for (GLuint at = 0; at < 4; ++at) {
        glEnableVertexArrayAttrib(array_->id(), at);
        glVertexArrayAttribFormat(array_->id(), at, sizes[at], GL_FLOAT, GL_FALSE, 0);
        glVertexArrayAttribBinding(array_->id(), at, at);
        glVertexArrayBindingDivisor(array_->id(), at, at < 3 ? 1 : 1 << 30);  // the planet is the same for all
    }
}

void Balls::fit(const RenderTarget& light) {
    if (!depths_ || depths_->width != light.width() || depths_->height != light.height()) {
        depths_ = std::make_unique<Depths>();
        depths_->width = light.width();
        depths_->height = light.height();
        glTextureStorage2D(depths_->depth.id(), 1, GL_DEPTH_COMPONENT32F, light.width(), light.height());
        glNamedFramebufferTexture(depths_->framebuffer.id(), GL_DEPTH_ATTACHMENT, depths_->depth.id(), 0);
    }
    // A new texture may have the name of one that is gone.
    glNamedFramebufferTexture(depths_->framebuffer.id(), GL_COLOR_ATTACHMENT0, light.texture(), 0);
}

void Balls::draw(const SpriteStyle& ink, const RenderTarget& light, glm::vec2 clipScale, const glm::mat3& viewFromWorld,
                 float level) {
    if (ink.count == 0 || !fits(ink.count)) return;
    fit(light);
    const GLuint id = program_->id();
    glProgramUniformMatrix4fv(id, program_->uniform("clipFromWorld"), 1, GL_FALSE, glm::value_ptr(ink.clipFromWorld));
    glProgramUniform2f(id, program_->uniform("clipScale"), clipScale.x, clipScale.y);
    glProgramUniform1f(id, program_->uniform("pixelScale"), clipScale.y * static_cast<float>(light.height()) / 2);
    glProgramUniform1f(id, program_->uniform("least"), kLeastBall);
    glProgramUniform2f(id, program_->uniform("valueRange"), ink.valueRange.x, ink.valueRange.y);
    glProgramUniform1i(id, program_->uniform("logarithmic"), ink.logarithmic);
    glProgramUniform1i(id, program_->uniform("useTraits"), ink.useTraits);
    glProgramUniform1i(id, program_->uniform("counted"), ink.counted);
    glProgramUniform1f(id, program_->uniform("level"), level);
    glProgramUniform1f(id, program_->uniform("planetRadius"), planetRadius_);
    glProgramUniform3fv(id, program_->uniform("sun"), 1, glm::value_ptr(kSun));
    glProgramUniformMatrix3fv(id, program_->uniform("worldFromView"), 1, GL_TRUE, glm::value_ptr(viewFromWorld));
    glBindTextureUnit(0, ink.colours);
    glBindFramebuffer(GL_FRAMEBUFFER, depths_->framebuffer.id());
    glViewport(0, 0, light.width(), light.height());
    const float far = 1;
    glDepthMask(GL_TRUE);
    glClearNamedFramebufferfv(depths_->framebuffer.id(), GL_DEPTH, 0, &far);
    glEnable(GL_DEPTH_TEST);
    glDepthFunc(GL_LESS);
    glUseProgram(id);
    const GLuint array = array_->id();
    glVertexArrayVertexBuffer(array, 0, ink.vertices, 0, sizeof(ParticleVertex));
    if (ink.traits) {
        glEnableVertexArrayAttrib(array, 1);
        glVertexArrayVertexBuffer(array, 1, ink.traits, 0, sizeof(BodyTrait));
    } else {
        glDisableVertexArrayAttrib(array, 1);
        glVertexAttrib2f(1, 0, 1);
    }
    glVertexArrayVertexBuffer(array, 2, radii_->id(), 0, sizeof(float));
    glVertexArrayVertexBuffer(array, 3, ink.vertices, static_cast<GLintptr>(planet_ * sizeof(ParticleVertex)),
                              sizeof(ParticleVertex));
    glBindVertexArray(array);
    glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, static_cast<GLsizei>(ink.count));
    glDisable(GL_DEPTH_TEST);
    // A bound array would keep buffers alive that their owners delete.
    for (const GLuint at : {0, 1, 3}) glVertexArrayVertexBuffer(array, at, 0, 0, sizeof(ParticleVertex));
}

}  // namespace gravlab
