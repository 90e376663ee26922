// A compute pass over all bodies; the smallest of (distance, number) wins.
#include "render/picker.h"

#include <glm/gtc/type_ptr.hpp>

#include <algorithm>

namespace gravlab {
namespace {

constexpr std::uint32_t kNobody = ~0u;
constexpr std::uint32_t kNumberBits = 24;

}  // namespace

Picker::Picker() {
    glNamedBufferStorage(found_.id(), sizeof(std::uint32_t), nullptr, 0);
    glNamedBufferStorage(watched_.id(), sizeof(ParticleVertex), nullptr, 0);
}

Picker::~Picker() {
    if (asked_) glDeleteSync(asked_);
    if (watching_) glDeleteSync(watching_);
}

void Picker::ask(const ParticleBuffer& bodies, const glm::mat4& clipFromWorld, glm::vec2 cursor, glm::vec2 viewport,
                 float radius) {
    const std::size_t count = std::min(bodies.frontCount(), kMostBodies);
    glClearNamedBufferData(found_.id(), GL_R32UI, GL_RED_INTEGER, GL_UNSIGNED_INT, &kNobody);
    if (bodies.frontBuffer() && count > 0) {
        const GLuint id = search_.id();
        glProgramUniformMatrix4fv(id, search_.uniform("clipFromWorld"), 1, GL_FALSE, glm::value_ptr(clipFromWorld));
        glProgramUniform2f(id, search_.uniform("cursor"), cursor.x, viewport.y - cursor.y);
        glProgramUniform2f(id, search_.uniform("viewport"), viewport.x, viewport.y);
        glProgramUniform1f(id, search_.uniform("radius"), radius);
        glProgramUniform1ui(id, search_.uniform("count"), static_cast<GLuint>(count));
        glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 2, bodies.frontBuffer());
        glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 3, found_.id());
        glUseProgram(id);
        constexpr std::size_t kGroup = 256, kMostGroups = 4096;
        glDispatchCompute(static_cast<GLuint>(std::min((count + kGroup - 1) / kGroup, kMostGroups)), 1, 1);
        glMemoryBarrier(GL_BUFFER_UPDATE_BARRIER_BIT);
        glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 2, 0);
        glUseProgram(0);
    }
    if (asked_) glDeleteSync(asked_);
    asked_ = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
}

bool Picker::ready(GLsync& fence, bool wait) {
    if (!fence) return false;
    const GLenum done = glClientWaitSync(fence, GL_SYNC_FLUSH_COMMANDS_BIT, wait ? GLuint64{2'000'000'000} : GLuint64{0});
    if (done != GL_ALREADY_SIGNALED && done != GL_CONDITION_SATISFIED) return false;
    glDeleteSync(fence);
    fence = nullptr;
    return true;
}

bool Picker::take(std::optional<std::size_t>& body, bool wait) {
    if (!ready(asked_, wait)) return false;
    std::uint32_t found = kNobody;
    glGetNamedBufferSubData(found_.id(), 0, sizeof found, &found);
    body.reset();
    if (found != kNobody) body = found & ((1u << kNumberBits) - 1);
    return true;
}

void Picker::watch(const ParticleBuffer& bodies, std::size_t body) {
    if (watching_ || !bodies.frontBuffer() || body >= bodies.frontCount()) return;
    glCopyNamedBufferSubData(bodies.frontBuffer(), watched_.id(), static_cast<GLintptr>(body * sizeof(ParticleVertex)), 0,
                             sizeof(ParticleVertex));
    watching_ = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
}

bool Picker::takeWatched(ParticleVertex& vertex, bool wait) {
    if (!ready(watching_, wait)) return false;
    glGetNamedBufferSubData(watched_.id(), 0, sizeof vertex, &vertex);
    return true;
}

}  // namespace gravlab
