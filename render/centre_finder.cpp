// The GPU sums offsets from a guess, so that single precision suffices; the host adds thousands of partial sums in double.
#include "render/centre_finder.h"

#include "render/gl_limits.h"

#include <glm/ext/vector_double4.hpp>
#include <glm/gtc/type_ptr.hpp>
#include <glm/vec4.hpp>

#include <algorithm>
#include <vector>

namespace gravlab {
namespace {

constexpr std::size_t kCentreGroup = 64, kMostCentreGroups = 64;

}  // namespace

CentreFinder::CentreFinder() : sums_(kCentreGroup * kMostCentreGroups * sizeof(glm::vec4)) {}

void CentreFinder::setTags(std::span<const BodyTag> tags) {
    tagged_ = tags.size();
    if (tags.empty()) return;
    if (tags.size() > room_) {
        tags_ = Buffer();
        room_ = 0;
        allocate(tags_, tags.size_bytes(), tags.data(), GL_DYNAMIC_STORAGE_BIT, "the galaxies of the bodies");
        room_ = tags.size();
    } else {
        glNamedBufferSubData(tags_.id(), 0, static_cast<GLsizeiptr>(tags.size_bytes()), tags.data());
    }
}

void CentreFinder::ask(const ParticleBuffer& bodies, int galaxy, glm::vec3 guess, float radius) {
    const std::size_t count = bodies.frontCount();
    if (sums_.underWay() || !bodies.frontBuffer() || count == 0 || count != tagged_) return;
    const std::size_t groups = std::min((count + kCentreGroup - 1) / kCentreGroup, kMostCentreGroups);
    invocations_ = groups * kCentreGroup;
    guess_ = guess;
    const GLuint id = sum_.id();
    glProgramUniform3fv(id, sum_.uniform("guess"), 1, glm::value_ptr(guess));
    glProgramUniform1f(id, sum_.uniform("radius"), radius);
    glProgramUniform1f(id, sum_.uniform("galaxy"), static_cast<float>(galaxy));
    glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 3, sums_.buffer());
    glUseProgram(id);
    eachPiece(count, bodiesAPiece(sizeof(ParticleVertex)), [&](std::size_t first, std::size_t part) {
        bindBodies(2, bodies.frontBuffer(), first, part, sizeof(ParticleVertex));
        bindBodies(4, tags_.id(), first, part, sizeof(BodyTag));
        glProgramUniform1ui(id, sum_.uniform("count"), static_cast<GLuint>(part));
        glProgramUniform1i(id, sum_.uniform("goesOn"), first > 0);
        glDispatchCompute(static_cast<GLuint>(groups), 1, 1);
        glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT | GL_BUFFER_UPDATE_BARRIER_BIT);
    });
    unbindStorage({2, 3, 4});
    glUseProgram(0);
    sums_.sent();
}

bool CentreFinder::take(glm::vec3& centre, bool wait) {
    if (!sums_.arrived(wait)) return false;
    const std::vector<glm::vec4> sums = sums_.read<glm::vec4>(invocations_);
    glm::dvec4 total(0);
    for (const glm::vec4& sum : sums) total += glm::dvec4(sum);
    if (!(total.w > 0)) return false;
    centre = guess_ + glm::vec3(glm::dvec3(total) / total.w);
    return true;
}

}  // namespace gravlab
