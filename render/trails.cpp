// One line strip per body, instanced; the shader finds its points in the ring.
#include "render/trails.h"

#include "render/gl_limits.h"

#include <glm/gtc/type_ptr.hpp>

#include <algorithm>
#include <utility>

namespace gravlab {

void Trails::forget() {
    filled_ = open_ = 0;
    frames_.clear();
}

bool Trails::makeRoom(std::size_t bodies, Length length) {
    if (bodies == 0 || length.frames < 2) return false;
    const std::size_t most = std::min(kMostBytes, glLimits().storageBytes) / (bodies * sizeof(ParticleVertex));
    const std::size_t within = std::max<std::size_t>(1, length.within);
    const std::size_t slots = std::min(length.frames, most / within) * within;
    if (slots < 2) {
        forget();
        return false;
    }
    if (bodies == bodies_ && slots == slots_ && within == within_) return true;
    ring_ = std::make_unique<Buffer>();
    bodies_ = 0;
    allocate(*ring_, slots * bodies * sizeof(ParticleVertex), nullptr, GL_DYNAMIC_STORAGE_BIT, "trails");
    bodies_ = bodies;
    slots_ = slots;
    within_ = within;
    forget();
    return true;
}

/// Gives the slot of the next point. The first point of a frame replaces those of the oldest frame.
std::size_t Trails::append() {
    if (open_ == 0)
        for (; frames_.size() >= slots_ / within_; frames_.pop_front()) filled_ -= std::min(filled_, frames_.front());
    head_ = filled_ == 0 ? 0 : (head_ + 1) % slots_;
    filled_ = std::min(filled_ + 1, slots_);
    ++open_;
    return head_;
}

void Trails::record(const ParticleBuffer& bodies, Length length) {
    if (!bodies.frontBuffer() || !makeRoom(bodies.frontCount(), length)) return;
    const std::size_t bytes = bodies_ * sizeof(ParticleVertex);
    glCopyNamedBufferSubData(bodies.frontBuffer(), ring_->id(), 0, static_cast<GLintptr>(append() * bytes),
                             static_cast<GLsizeiptr>(bytes));
    frames_.push_back(std::exchange(open_, 0));
}

void Trails::recordWithin(std::span<const ParticleVertex> bodies, Length length) {
    if (!makeRoom(bodies.size(), length) || open_ + 1 >= within_) return;
    glNamedBufferSubData(ring_->id(), static_cast<GLintptr>(append() * bodies.size_bytes()),
                         static_cast<GLsizeiptr>(bodies.size_bytes()), bodies.data());
}

void Trails::draw(const Ink& ink) {
    if (filled_ < 2) return;
    const GLuint id = lines_.id();
    glProgramUniformMatrix4fv(id, lines_.uniform("clipFromWorld"), 1, GL_FALSE, glm::value_ptr(ink.clipFromWorld));
    glProgramUniform2f(id, lines_.uniform("valueRange"), ink.low, ink.high);
    glProgramUniform1i(id, lines_.uniform("logarithmic"), ink.logarithmic);
    glProgramUniform1i(id, lines_.uniform("useTraits"), ink.useTraits && ink.traits);
    glProgramUniform1f(id, lines_.uniform("darkLight"), ink.darkLight);
    glProgramUniform1f(id, lines_.uniform("light"), ink.light);
    glProgramUniform4i(id, lines_.uniform("ring"), static_cast<GLint>(bodies_), static_cast<GLint>(slots_),
                       static_cast<GLint>(head_), static_cast<GLint>(filled_));
    if (ink.traits) {
        glEnableVertexArrayAttrib(array_.id(), 1);
        glVertexArrayAttribFormat(array_.id(), 1, 2, GL_FLOAT, GL_FALSE, 0);
        glVertexArrayAttribBinding(array_.id(), 1, 1);
        glVertexArrayBindingDivisor(array_.id(), 1, 1);
        glVertexArrayVertexBuffer(array_.id(), 1, ink.traits, 0, 2 * sizeof(float));
    } else {
        glDisableVertexArrayAttrib(array_.id(), 1);
        glVertexAttrib2f(1, 0, 1);
    }
    glBindTextureUnit(0, ink.colours);
    glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 1, ring_->id());
    glEnable(GL_BLEND);
    glBlendEquation(GL_FUNC_ADD);
    // Alpha is the light of a white line times how much of a pixel a smooth line covers.
    glBlendFuncSeparate(GL_SRC_ALPHA, GL_ONE, ink.counted ? GL_ONE : GL_ZERO, GL_ONE);
    glEnable(GL_LINE_SMOOTH);
    glUseProgram(id);
    glBindVertexArray(array_.id());
    glDrawArraysInstanced(GL_LINE_STRIP, 0, static_cast<GLsizei>(filled_), static_cast<GLsizei>(bodies_));
    if (ink.traits) glVertexArrayVertexBuffer(array_.id(), 1, 0, 0, 2 * sizeof(float));
    glDisable(GL_LINE_SMOOTH);
    glDisable(GL_BLEND);
}

}  // namespace gravlab
