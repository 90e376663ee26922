// A compute pass over all bodies: thousands of candidates, of which the host takes the best.
#include "render/picker.h"

#include <glm/gtc/type_ptr.hpp>

#include <algorithm>
#include <bit>
#include <tuple>
#include <vector>

namespace gravlab {
namespace {

constexpr std::uint32_t kNothing = ~0u;
constexpr std::size_t kPickGroup = 64, kMostPickGroups = 64;

struct FoundUnder {
    std::uint32_t away, depth, body, pad;
};

}  // namespace

Picker::Picker() {
    glNamedBufferStorage(found_.id(), static_cast<GLsizeiptr>(kPickGroup * kMostPickGroups * sizeof(FoundUnder)), nullptr,
                         0);
    glNamedBufferStorage(watched_.id(), sizeof(ParticleVertex), nullptr, 0);
}

Picker::~Picker() {
    if (asked_) glDeleteSync(asked_);
    if (watching_) glDeleteSync(watching_);
}

void Picker::ask(const ParticleBuffer& bodies, const glm::mat4& clipFromWorld, glm::vec2 cursor, glm::vec2 viewport,
                 float radius) {
    const std::size_t count = bodies.frontCount();
    invocations_ = 0;
    if (bodies.frontBuffer() && count > 0) {
        const GLuint id = search_.id();
        glProgramUniformMatrix4fv(id, search_.uniform("clipFromWorld"), 1, GL_FALSE, glm::value_ptr(clipFromWorld));
        glProgramUniform2f(id, search_.uniform("cursor"), cursor.x, viewport.y - cursor.y);
        glProgramUniform2f(id, search_.uniform("viewport"), viewport.x, viewport.y);
        glProgramUniform1f(id, search_.uniform("radius"), radius);
        glProgramUniform1f(id, search_.uniform("under"), kUnder);
        glProgramUniform1ui(id, search_.uniform("count"), static_cast<GLuint>(count));
        glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 2, bodies.frontBuffer());
        glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 3, found_.id());
        glUseProgram(id);
        const std::size_t groups = std::min((count + kPickGroup - 1) / kPickGroup, kMostPickGroups);
        invocations_ = groups * kPickGroup;
        glDispatchCompute(static_cast<GLuint>(groups), 1, 1);
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
    body.reset();
    if (invocations_ == 0) return true;
    std::vector<FoundUnder> found(invocations_);
    glGetNamedBufferSubData(found_.id(), 0, static_cast<GLsizeiptr>(found.size() * sizeof(FoundUnder)), found.data());
    const auto rank = [](const FoundUnder& f) {
        return std::tuple(std::bit_cast<float>(f.away), std::bit_cast<float>(f.depth), f.body);
    };
    const FoundUnder best = *std::min_element(found.begin(), found.end(),
                                              [&](const FoundUnder& a, const FoundUnder& b) { return rank(a) < rank(b); });
    if (best.body != kNothing) body = best.body;
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
