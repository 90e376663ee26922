// Draws a sample of bodies as points into a small picture, then one pass over its few thousand texels.
#include "render/attitude.h"

#include <glm/gtc/type_ptr.hpp>

#include <algorithm>

namespace gravlab {
namespace {

// The small picture is this many times smaller than the light: about five texels per arm width at the scene's usual
// distance.
constexpr int kShrink = 16;

}  // namespace

GLuint Attitude::measure(const SpriteStyle& ink, const glm::vec4& behind, float armWidth, int width, int height) {
    const int w = std::max(width / kShrink, 1), h = std::max(height / kShrink, 1);
    if (!made_.moments || made_.moments->width() != w || made_.moments->height() != h) {
        made_.moments.emplace(GL_RGBA32F, w, h);  // half floats would lose the last of a thousand bodies in a texel
        made_.lie.emplace(GL_RGBA16F, w, h);
    }
    const GLuint points = points_.program().id();
    const float arm = armWidth / kShrink;
    glProgramUniform4fv(points, points_.program().uniform("behind"), 1, glm::value_ptr(behind));
    glProgramUniform1f(points, points_.program().uniform("size"), std::clamp(arm / 4, 1.0f, 8.0f));
    glClearNamedFramebufferfv(made_.moments->framebuffer(), GL_COLOR, 0, glm::value_ptr(glm::vec4(0)));
    sample_.fit(ink.count, kMostBodies);
    points_.drawSample(ink, *made_.moments, sample_);
    glProgramUniform2f(fit_.id(), fit_.uniform("arm"), arm / static_cast<float>(w), arm / static_cast<float>(h));
    glUseProgram(fit_.id());
    glBindVertexArray(array_.id());
    glBindFramebuffer(GL_FRAMEBUFFER, made_.lie->framebuffer());
    glViewport(0, 0, w, h);
    glBindTextureUnit(0, made_.moments->texture());
    glDrawArrays(GL_TRIANGLES, 0, 3);
    return made_.lie->texture();
}

}  // namespace gravlab
