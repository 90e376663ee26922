// One compute pass makes thousands of short lists; the host takes the nearest few.
#include "render/nearest_bodies.h"

#include "render/gl_limits.h"

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

NearestBodies::NearestBodies() : found_(kNearestGroup * kMostNearestGroups * kMost * sizeof(FoundNear)) {
    allocate(here_, sizeof(ParticleVertex), nullptr, 0, "a body");
}

void NearestBodies::ask(const ParticleBuffer& bodies, std::size_t body) {
    const std::size_t count = bodies.frontCount();
    invocations_ = 0;
    if (bodies.frontBuffer() && body < count) {
        const std::size_t groups = std::min((count + kNearestGroup - 1) / kNearestGroup, kMostNearestGroups);
        invocations_ = groups * kNearestGroup;
        // The body itself may be outside the piece of bodies that is being searched.
        glCopyNamedBufferSubData(bodies.frontBuffer(), here_.id(), static_cast<GLintptr>(body * sizeof(ParticleVertex)), 0,
                                 sizeof(ParticleVertex));
        const GLuint id = search_.id();
        glProgramUniform1ui(id, search_.uniform("me"), static_cast<GLuint>(body));
        glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 3, found_.buffer());
        glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 4, here_.id());
        glUseProgram(id);
        eachPiece(count, bodiesAPiece(sizeof(ParticleVertex)), [&](std::size_t first, std::size_t part) {
            bindBodies(2, bodies.frontBuffer(), first, part, sizeof(ParticleVertex));
            glProgramUniform1ui(id, search_.uniform("first"), static_cast<GLuint>(first));
            glProgramUniform1ui(id, search_.uniform("count"), static_cast<GLuint>(part));
            glDispatchCompute(static_cast<GLuint>(groups), 1, 1);
            glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT | GL_BUFFER_UPDATE_BARRIER_BIT);
        });
        unbindStorage({2, 3, 4});
        glUseProgram(0);
    }
    found_.sent();
}

bool NearestBodies::take(std::vector<NearBody>& nearest, bool wait) {
    if (!found_.arrived(wait)) return false;
    nearest.clear();
    std::vector<FoundNear> found = found_.read<FoundNear>(invocations_ * kMost);
    std::erase_if(found, [](const FoundNear& f) { return f.body == kNobody; });
    // Bits of non-negative floats sort like the floats; equal distances sort by index, so that the result is unique.
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
