// One compute pass: thousands of short lists, of which the host takes the best few.
#include "render/nearest_bodies.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace gravlab {
namespace {

constexpr std::size_t kNearestGroup = 64, kMostNearestGroups = 64;
constexpr std::uint32_t kNobody = ~0u;

struct FoundNear {
    std::uint32_t distanceSquared, body;
};

}  // namespace

NearestBodies::NearestBodies() {
    glNamedBufferStorage(
        found_.id(), static_cast<GLsizeiptr>(kNearestGroup * kMostNearestGroups * kMost * sizeof(FoundNear)), nullptr, 0);
}

NearestBodies::~NearestBodies() {
    if (asked_) glDeleteSync(asked_);
}

void NearestBodies::ask(const ParticleBuffer& bodies, std::size_t body) {
    const std::size_t count = bodies.frontCount();
    invocations_ = 0;
    if (bodies.frontBuffer() && body < count) {
        const std::size_t groups = std::min((count + kNearestGroup - 1) / kNearestGroup, kMostNearestGroups);
        invocations_ = groups * kNearestGroup;
        const GLuint id = search_.id();
        glProgramUniform1ui(id, search_.uniform("me"), static_cast<GLuint>(body));
        glProgramUniform1ui(id, search_.uniform("count"), static_cast<GLuint>(count));
        glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 2, bodies.frontBuffer());
        glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 3, found_.id());
        glUseProgram(id);
        glDispatchCompute(static_cast<GLuint>(groups), 1, 1);
        glMemoryBarrier(GL_BUFFER_UPDATE_BARRIER_BIT);
        glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 2, 0);
        glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 3, 0);
        glUseProgram(0);
    }
    if (asked_) glDeleteSync(asked_);
    asked_ = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
}

bool NearestBodies::take(std::vector<NearBody>& nearest, bool wait) {
    if (!asked_) return false;
    const GLenum done = glClientWaitSync(asked_, GL_SYNC_FLUSH_COMMANDS_BIT, wait ? GLuint64{2'000'000'000} : GLuint64{0});
    if (done != GL_ALREADY_SIGNALED && done != GL_CONDITION_SATISFIED) return false;
    glDeleteSync(asked_);
    asked_ = nullptr;
    nearest.clear();
    if (invocations_ == 0) return true;
    std::vector<FoundNear> found(invocations_ * kMost);
    glGetNamedBufferSubData(found_.id(), 0, static_cast<GLsizeiptr>(found.size() * sizeof(FoundNear)), found.data());
    std::erase_if(found, [](const FoundNear& f) { return f.body == kNobody; });
    // Bits of floats that are not negative sort as the floats do; equal distances by number, so that the answer is one.
    const auto nearer = [](const FoundNear& a, const FoundNear& b) {
        return a.distanceSquared != b.distanceSquared ? a.distanceSquared < b.distanceSquared : a.body < b.body;
    };
    const std::size_t kept = std::min(kMost, found.size());
    std::partial_sort(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(kept), found.end(), nearer);
    for (std::size_t k = 0; k < kept; ++k)
        nearest.push_back({found[k].body, std::sqrt(std::bit_cast<float>(found[k].distanceSquared))});
    return true;
}

}  // namespace gravlab
