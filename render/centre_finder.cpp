// Sums against a guess, so that single precision is enough; the host adds thousands of them in double.
#include "render/centre_finder.h"

#include <glm/ext/vector_double4.hpp>
#include <glm/gtc/type_ptr.hpp>
#include <glm/vec4.hpp>

#include <algorithm>
#include <utility>
#include <vector>

namespace gravlab {
namespace {

constexpr std::size_t kCentreGroup = 64, kMostCentreGroups = 64;

}  // namespace

CentreFinder::CentreFinder() {
    glNamedBufferStorage(sums_.id(), static_cast<GLsizeiptr>(kCentreGroup * kMostCentreGroups * sizeof(glm::vec4)), nullptr,
                         0);
}

CentreFinder::~CentreFinder() {
    if (asked_) glDeleteSync(asked_);
}

void CentreFinder::setTags(std::span<const BodyTag> tags) {
    tagged_ = tags.size();
    if (tags.empty()) return;
    if (tags.size() > room_) {
        tags_ = Buffer();
        glNamedBufferStorage(tags_.id(), static_cast<GLsizeiptr>(tags.size_bytes()), tags.data(), GL_DYNAMIC_STORAGE_BIT);
        room_ = tags.size();
    } else {
        glNamedBufferSubData(tags_.id(), 0, static_cast<GLsizeiptr>(tags.size_bytes()), tags.data());
    }
}

void CentreFinder::ask(const ParticleBuffer& bodies, int galaxy, glm::vec3 guess, float radius) {
    const std::size_t count = bodies.frontCount();
    if (asked_ || !bodies.frontBuffer() || count == 0 || count != tagged_) return;
    const std::size_t groups = std::min((count + kCentreGroup - 1) / kCentreGroup, kMostCentreGroups);
    invocations_ = groups * kCentreGroup;
    guess_ = guess;
    const GLuint id = sum_.id();
    glProgramUniform3fv(id, sum_.uniform("guess"), 1, glm::value_ptr(guess));
    glProgramUniform1f(id, sum_.uniform("radius"), radius);
    glProgramUniform1f(id, sum_.uniform("galaxy"), static_cast<float>(galaxy));
    glProgramUniform1ui(id, sum_.uniform("count"), static_cast<GLuint>(count));
    glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 2, bodies.frontBuffer());
    glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 3, sums_.id());
    glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 4, tags_.id());
    glUseProgram(id);
    glDispatchCompute(static_cast<GLuint>(groups), 1, 1);
    glMemoryBarrier(GL_BUFFER_UPDATE_BARRIER_BIT);
    for (const GLuint binding : {2u, 3u, 4u}) glBindBufferBase(GL_SHADER_STORAGE_BUFFER, binding, 0);
    glUseProgram(0);
    asked_ = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
}

bool CentreFinder::take(glm::vec3& centre, bool wait) {
    if (!asked_) return false;
    const GLenum done = glClientWaitSync(asked_, GL_SYNC_FLUSH_COMMANDS_BIT, wait ? GLuint64{2'000'000'000} : GLuint64{0});
    if (done != GL_ALREADY_SIGNALED && done != GL_CONDITION_SATISFIED) return false;
    glDeleteSync(std::exchange(asked_, nullptr));
    std::vector<glm::vec4> sums(invocations_);
    glGetNamedBufferSubData(sums_.id(), 0, static_cast<GLsizeiptr>(sums.size() * sizeof(glm::vec4)), sums.data());
    glm::dvec4 total(0);
    for (const glm::vec4& sum : sums) total += glm::dvec4(sum);
    if (!(total.w > 0)) return false;
    centre = guess_ + glm::vec3(glm::dvec3(total) / total.w);
    return true;
}

}  // namespace gravlab
