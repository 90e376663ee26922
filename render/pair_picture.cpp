#include "render/pair_picture.h"

#include <glm/gtc/type_ptr.hpp>

namespace gravlab {

std::array<glm::vec3, 2> pairHues(bool paper) {
    const auto hue = [](float r, float g, float b) { return glm::vec3(r, g, b) / 255.0f; };
    if (paper) return {hue(0, 114, 178), hue(213, 94, 0)};
    return {hue(70, 150, 255), hue(255, 175, 70)};  // their sum is grey
}

void PairPicture::fit(const PicturePart& first, const PicturePart& twin) {
    const PicturePart* parts[] = {&first, &twin};
    for (std::size_t i = 0; i < 2; ++i) {
        std::optional<RenderTarget>& picture = pictures_[i];
        if (picture && picture->width() == parts[i]->width && picture->height() == parts[i]->height) continue;
        picture.reset();
        picture.emplace(GL_RGBA8, parts[i]->width, parts[i]->height);
    }
}

void PairPicture::beside(const PicturePart& first, const PicturePart& twin, bool paper, unsigned framebuffer, int width,
                         int height) {
    glProgramUniform4i(program_.id(), program_.uniform("places"), first.left, first.width, twin.left, twin.width);
    glProgramUniform2i(program_.id(), program_.uniform("rows"), height - first.top - first.height, first.height);
    draw(paper, false, framebuffer, width, height);
}

void PairPicture::overlay(bool paper, unsigned framebuffer, int width, int height) {
    const auto hues = pairHues(paper);
    glProgramUniform3fv(program_.id(), program_.uniform("hues"), 2, glm::value_ptr(hues[0]));
    draw(paper, true, framebuffer, width, height);
}

void PairPicture::draw(bool paper, bool overlaid, unsigned framebuffer, int width, int height) {
    glProgramUniform1i(program_.id(), program_.uniform("paper"), paper);
    glProgramUniform1i(program_.id(), program_.uniform("overlaid"), overlaid);
    glDisable(GL_BLEND);
    glDisable(GL_DEPTH_TEST);
    glDisable(GL_SCISSOR_TEST);
    glDisable(GL_FRAMEBUFFER_SRGB);  // both pictures are encoded already
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    glViewport(0, 0, width, height);
    glBindTextureUnit(0, pictures_[0]->texture());
    glBindTextureUnit(1, pictures_[1]->texture());
    glUseProgram(program_.id());
    glBindVertexArray(empty_.id());
    glDrawArrays(GL_TRIANGLES, 0, 3);
    glBindVertexArray(0);
    glUseProgram(0);
}

}  // namespace gravlab
