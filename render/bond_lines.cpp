// Two vertices a line, without attributes: the shader finds the bodies of its line.
#include "render/bond_lines.h"

#include "render/gl_limits.h"

#include <glm/gtc/type_ptr.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

namespace gravlab {
namespace {

// Above this number of lines smooth edges are invisible and cost most of the time.
constexpr std::size_t kSmoothLines = 20000;
// Where lines are many, each has less light, so that a cloth is as bright as a rope.
constexpr float kBrightLines = 1500;

}  // namespace

void BondLines::set(std::span<const BondLine> lines) {
    const std::size_t most = std::min(kMost, glLimits().storageBytes / sizeof(BondLine));
    std::vector<BondLine> some;
    if (lines.size() > most) {
        for (std::size_t k = 0; k < most; ++k) some.push_back(lines[k * lines.size() / most]);
        lines = some;
    }
    count_ = 0;
    lines_.reset();
    if (lines.empty()) return;
    lines_ = std::make_unique<Buffer>();
    allocate(*lines_, lines.size_bytes(), lines.data(), 0, "the lines of bonds");
    count_ = lines.size();
}

void BondLines::draw(const ParticleBuffer& bodies, const Ink& ink) {
    if (count_ == 0 || !bodies.frontBuffer()) return;
    const GLuint id = program_.id();
    glProgramUniformMatrix4fv(id, program_.uniform("clipFromWorld"), 1, GL_FALSE, glm::value_ptr(ink.clipFromWorld));
    const float crowd = std::min(1.0f, std::sqrt(kBrightLines / static_cast<float>(count_)));
    glProgramUniform1f(id, program_.uniform("light"), ink.light * crowd);
    glProgramUniform1ui(id, program_.uniform("bodies"), static_cast<GLuint>(bodies.frontCount()));
    glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 1, bodies.frontBuffer());
    glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 2, lines_->id());
    glEnable(GL_BLEND);
    glBlendEquation(GL_FUNC_ADD);
    // Alpha is the light of a white line times how much of a pixel a smooth line covers.
    glBlendFuncSeparate(GL_SRC_ALPHA, GL_ONE, ink.counted ? GL_ONE : GL_ZERO, GL_ONE);
    const bool smooth = count_ <= kSmoothLines;
    if (smooth) glEnable(GL_LINE_SMOOTH);
    glUseProgram(id);
    glBindVertexArray(array_.id());
    glDrawArrays(GL_LINES, 0, static_cast<GLsizei>(2 * count_));
    if (smooth) glDisable(GL_LINE_SMOOTH);
    glDisable(GL_BLEND);
    glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 1, 0);
    glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 2, 0);
}

}  // namespace gravlab
