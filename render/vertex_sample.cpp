#include "render/vertex_sample.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace gravlab {
namespace {

// The bodies of the twin follow those of the first run.
constexpr std::size_t kTwinFrom = VertexSample::kBodies * sizeof(ParticleVertex);
constexpr std::size_t kRun = 64;  // single bodies would need a copy command each

/// Calls `each(from, length)` for each copied run.
template <class Each>
void eachRun(std::size_t bodies, const Each& each) {
    const std::size_t wanted = std::min(bodies, VertexSample::kBodies), runs = (wanted + kRun - 1) / kRun;
    std::size_t count = 0;
    for (std::size_t k = 0; k < runs; ++k) {
        const std::size_t from = bodies * k / runs, length = std::min({kRun, bodies - from, VertexSample::kBodies - count});
        each(from, length);
        count += length;
    }
}

}  // namespace

std::vector<std::size_t> VertexSample::places(std::size_t bodies) {
    std::vector<std::size_t> all;
    eachRun(bodies, [&](std::size_t from, std::size_t length) {
        for (std::size_t i = 0; i < length; ++i) all.push_back(from + i);
    });
    return all;
}

VertexSample::VertexSample() : answer_(2 * kTwinFrom, true) {}

void VertexSample::ask(const ParticleBuffer& first, const ParticleBuffer* twin) {
    const std::size_t bodies = first.frontCount();
    if (bodies == 0 || !first.frontBuffer()) return;
    if (twin && (twin->frontCount() != bodies || !twin->frontBuffer())) return;
    count_ = 0;
    eachRun(bodies, [&](std::size_t from, std::size_t length) {
        const auto copy = [&](GLuint source, std::size_t to) {
            glCopyNamedBufferSubData(source, answer_.buffer(), static_cast<GLintptr>(from * sizeof(ParticleVertex)),
                                     static_cast<GLintptr>(to + count_ * sizeof(ParticleVertex)),
                                     static_cast<GLsizeiptr>(length * sizeof(ParticleVertex)));
        };
        copy(first.frontBuffer(), 0);
        if (twin) copy(twin->frontBuffer(), kTwinFrom);
        count_ += length;
    });
    twinCount_ = twin ? count_ : 0;
    answer_.sent();
}

bool VertexSample::take(std::vector<ParticleVertex>& first, std::vector<ParticleVertex>* twin, bool wait) {
    if (!answer_.arrived(wait)) return false;
    first = answer_.read<ParticleVertex>(count_);
    if (twin) *twin = answer_.read<ParticleVertex>(twinCount_, kTwinFrom);
    return true;
}

VertexWatch::VertexWatch() : answer_(kBodies * sizeof(ParticleVertex), true) {}

bool VertexWatch::look(const ParticleBuffer& bodies, float farthest) {
    if (answer_.underWay() && !answer_.arrived(false)) return false;
    bool out = false;
    for (const ParticleVertex& v : answer_.read<ParticleVertex>(std::exchange(count_, 0)))
        out |= !(std::abs(v.x) <= farthest && std::abs(v.y) <= farthest && std::abs(v.z) <= farthest);
    const std::size_t all = bodies.frontCount();
    if (all == 0 || !bodies.frontBuffer()) return out;
    if (from_ >= all) from_ = 0;
    count_ = std::min(kBodies, all - from_);
    glCopyNamedBufferSubData(bodies.frontBuffer(), answer_.buffer(), static_cast<GLintptr>(from_ * sizeof(ParticleVertex)),
                             0, static_cast<GLsizeiptr>(count_ * sizeof(ParticleVertex)));
    from_ += count_;
    answer_.sent();
    return out;
}

}  // namespace gravlab
