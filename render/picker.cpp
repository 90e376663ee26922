// A compute pass over all bodies gives thousands of candidates; the host takes the best.
#include "render/picker.h"

#include "render/gl_limits.h"

#include <glm/geometric.hpp>
#include <glm/gtc/type_ptr.hpp>
#include <glm/matrix.hpp>
#include <glm/vec4.hpp>

#include <algorithm>
#include <bit>
#include <cstring>
#include <system_error>
#include <thread>
#include <tuple>
#include <vector>

namespace gravlab {
namespace {

constexpr std::uint32_t kNothing = ~0u;
// Enough groups to fill a large GPU with such small work: of 10 million bodies each invocation reads 600.
constexpr std::size_t kPickGroup = 64, kMostPickGroups = 256;

struct FoundUnder {
    std::uint32_t away, depth, body, pad;
};

/// Four floats in a register, and the type of their comparison.
using Four = float __attribute__((vector_size(16)));
using FourMarks = std::int32_t __attribute__((vector_size(16)));
constexpr std::size_t kFour = 4;

Four four(float number) { return Four{number, number, number, number}; }

bool anyOf(FourMarks marks) {
    std::uint64_t halves[2];
    std::memcpy(halves, &marks, sizeof halves);
    return (halves[0] | halves[1]) != 0;
}

/// The shader's search, on memory that the host can read.
struct HostSearch {
    const ParticleVertex* bodies;
    glm::mat4 clipFromWorld;
    glm::vec2 cursor, viewport;
    float radius;

    FoundUnder best(std::size_t first, std::size_t last) const {
        const auto none = std::bit_cast<std::uint32_t>(3.4e38f);
        FoundUnder found{none, none, kNothing, 0};
        // Distances to the cursor and w, by rows: nearly all bodies are rejected without a division, four at a time.
        const glm::mat4 rows = glm::transpose(clipFromWorld);
        const glm::vec4 x = 0.5f * viewport.x * rows[0] + (0.5f * viewport.x - cursor.x) * rows[3],
                        y = 0.5f * viewport.y * rows[1] + (0.5f * viewport.y - cursor.y) * rows[3], w = rows[3];
        const float wide = 1.001f * radius + 0.01f, reach = wide * wide;
        const Four xOf[] = {four(x.x), four(x.y), four(x.z), four(x.w)},
                   yOf[] = {four(y.x), four(y.y), four(y.z), four(y.w)},
                   wOf[] = {four(w.x), four(w.y), four(w.z), four(w.w)}, reaches = four(reach);
        const ParticleVertex* const from = bodies;
        std::size_t i = first;
        for (; i + kFour <= last; i += kFour) {
            const ParticleVertex &a = from[i], &b = from[i + 1], &c = from[i + 2], &d = from[i + 3];
            const Four px{a.x, b.x, c.x, d.x}, py{a.y, b.y, c.y, d.y}, pz{a.z, b.z, c.z, d.z};
            const Four dx = xOf[0] * px + xOf[1] * py + (xOf[2] * pz + xOf[3]);
            const Four dy = yOf[0] * px + yOf[1] * py + (yOf[2] * pz + yOf[3]);
            const Four depth = wOf[0] * px + wOf[1] * py + (wOf[2] * pz + wOf[3]);
            const FourMarks near = dx * dx + dy * dy <= reaches * (depth * depth);
            if (!anyOf(near)) continue;
            for (std::size_t k = 0; k < kFour; ++k)
                if (near[k]) consider(from[i + k], i + k, found);
        }
        for (; i < last; ++i) consider(bodies[i], i, found);
        return found;
    }

private:
    void consider(const ParticleVertex& b, std::size_t i, FoundUnder& found) const {
        const glm::vec4 clip = clipFromWorld * glm::vec4(b.x, b.y, b.z, 1);
        if (!(clip.w > 0) || clip.z < -clip.w) return;
        const float seen = glm::distance((0.5f + 0.5f * glm::vec2(clip) / clip.w) * viewport, cursor);
        if (!(seen <= radius)) return;
        const float away = std::max(seen - Picker::kUnder, 0.0f), known = std::bit_cast<float>(found.away);
        if (away > known || (away == known && clip.z >= std::bit_cast<float>(found.depth))) return;
        found = {std::bit_cast<std::uint32_t>(away), std::bit_cast<std::uint32_t>(clip.z), static_cast<std::uint32_t>(i), 0};
    }
};

/// The bodies, when OpenGL's memory is the host's: its compute shaders take 80 ns per body there.
const ParticleVertex* readable(GLuint buffer) {
    GLint access = 0;
    glGetNamedBufferParameteriv(buffer, GL_BUFFER_ACCESS_FLAGS, &access);
    if (!(access & GL_MAP_READ_BIT) || !(access & GL_MAP_PERSISTENT_BIT)) return nullptr;
    void* memory = nullptr;
    glGetNamedBufferPointerv(buffer, GL_BUFFER_MAP_POINTER, &memory);
    return static_cast<const ParticleVertex*>(memory);
}

/// Searches with all threads. Waits for some nanoseconds per body, because the buffer must not be overwritten meanwhile.
std::vector<FoundUnder> searched(const HostSearch& search, std::size_t count) {
    constexpr std::size_t kOfAThread = 262144;
    const std::size_t most = std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, kPickGroup);
    std::vector<FoundUnder> found(std::clamp<std::size_t>(count / kOfAThread, 1, most));
    const auto part = [&](std::size_t k) {
        found[k] = search.best(count * k / found.size(), count * (k + 1) / found.size());
    };
    std::vector<std::jthread> others;
    std::size_t next = 1;
    try {
        for (; next < found.size(); ++next) others.emplace_back(part, next);
    } catch (const std::system_error&) {
        // The system has no more threads: this one does the remaining work.
        for (; next < found.size(); ++next) part(next);
    }
    part(0);
    others.clear();
    return found;
}

}  // namespace

Picker::Picker() : found_(kPickGroup * kMostPickGroups * sizeof(FoundUnder)), watched_(sizeof(ParticleVertex)) {}

void Picker::ask(const ParticleBuffer& bodies, const glm::mat4& clipFromWorld, glm::vec2 cursor, glm::vec2 viewport,
                 float radius) {
    const std::size_t count = bodies.frontCount();
    invocations_ = 0;
    const ParticleVertex* const here = bodies.frontBuffer() && count > 0 ? readable(bodies.frontBuffer()) : nullptr;
    if (here) {
        const std::vector<FoundUnder> found =
            searched({here, clipFromWorld, {cursor.x, viewport.y - cursor.y}, viewport, radius}, count);
        invocations_ = found.size();
        found_.write(found.data(), found.size() * sizeof(FoundUnder));
    } else if (bodies.frontBuffer() && count > 0) {
        const GLuint id = search_.id();
        glProgramUniformMatrix4fv(id, search_.uniform("clipFromWorld"), 1, GL_FALSE, glm::value_ptr(clipFromWorld));
        glProgramUniform2f(id, search_.uniform("cursor"), cursor.x, viewport.y - cursor.y);
        glProgramUniform2f(id, search_.uniform("viewport"), viewport.x, viewport.y);
        glProgramUniform1f(id, search_.uniform("radius"), radius);
        glProgramUniform1f(id, search_.uniform("under"), kUnder);
        glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 3, found_.buffer());
        glUseProgram(id);
        const std::size_t groups = std::min((count + kPickGroup - 1) / kPickGroup, kMostPickGroups);
        invocations_ = groups * kPickGroup;
        eachPiece(count, bodiesAPiece(sizeof(ParticleVertex)), [&](std::size_t first, std::size_t part) {
            bindBodies(2, bodies.frontBuffer(), first, part, sizeof(ParticleVertex));
            glProgramUniform1ui(id, search_.uniform("first"), static_cast<GLuint>(first));
            glProgramUniform1ui(id, search_.uniform("count"), static_cast<GLuint>(part));
            glDispatchCompute(static_cast<GLuint>(groups), 1, 1);
            glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT | GL_BUFFER_UPDATE_BARRIER_BIT);
        });
        unbindStorage({2, 3});
        glUseProgram(0);
    }
    found_.sent();
}

bool Picker::take(std::optional<std::size_t>& body, bool wait) {
    if (!found_.arrived(wait)) return false;
    body.reset();
    if (invocations_ == 0) return true;
    const std::vector<FoundUnder> found = found_.read<FoundUnder>(invocations_);
    const auto rank = [](const FoundUnder& f) {
        return std::tuple(std::bit_cast<float>(f.away), std::bit_cast<float>(f.depth), f.body);
    };
    const FoundUnder best = *std::min_element(found.begin(), found.end(),
                                              [&](const FoundUnder& a, const FoundUnder& b) { return rank(a) < rank(b); });
    if (best.body != kNothing) body = best.body;
    return true;
}

void Picker::watch(const ParticleBuffer& bodies, std::size_t body) {
    if (watched_.underWay() || !bodies.frontBuffer() || body >= bodies.frontCount()) return;
    glCopyNamedBufferSubData(bodies.frontBuffer(), watched_.buffer(), static_cast<GLintptr>(body * sizeof(ParticleVertex)),
                             0, sizeof(ParticleVertex));
    watched_.sent();
}

bool Picker::takeWatched(ParticleVertex& vertex, bool wait) {
    if (!watched_.arrived(wait)) return false;
    vertex = watched_.read<ParticleVertex>(1).front();
    return true;
}

}  // namespace gravlab
