#include "render/vertex_sample.h"

#include <algorithm>

namespace gravlab {
namespace {

constexpr std::size_t kRun = 64;  // a copy of single bodies would be a command each

/// Calls `each(from, length)` for the runs that are copied.
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

VertexSample::VertexSample() {
    for (const Buffer* buffer : {&first_, &twin_})
        glNamedBufferStorage(buffer->id(), kBodies * sizeof(ParticleVertex), nullptr,
                             GL_CLIENT_STORAGE_BIT | GL_MAP_READ_BIT);
}

VertexSample::~VertexSample() {
    if (done_) glDeleteSync(done_);
}

void VertexSample::ask(const ParticleBuffer& first, const ParticleBuffer* twin) {
    const std::size_t bodies = first.frontCount();
    if (bodies == 0 || !first.frontBuffer()) return;
    if (twin && (twin->frontCount() != bodies || !twin->frontBuffer())) return;
    count_ = 0;
    eachRun(bodies, [&](std::size_t from, std::size_t length) {
        const auto copy = [&](GLuint source, GLuint to) {
            glCopyNamedBufferSubData(source, to, static_cast<GLintptr>(from * sizeof(ParticleVertex)),
                                     static_cast<GLintptr>(count_ * sizeof(ParticleVertex)),
                                     static_cast<GLsizeiptr>(length * sizeof(ParticleVertex)));
        };
        copy(first.frontBuffer(), first_.id());
        if (twin) copy(twin->frontBuffer(), twin_.id());
        count_ += length;
    });
    twinCount_ = twin ? count_ : 0;
    if (done_) glDeleteSync(done_);
    done_ = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
}

bool VertexSample::take(std::vector<ParticleVertex>& first, std::vector<ParticleVertex>* twin, bool wait) {
    if (!done_) return false;
    constexpr GLuint64 kPatience = 2'000'000'000;  // [ns]
    const GLenum done = glClientWaitSync(done_, GL_SYNC_FLUSH_COMMANDS_BIT, wait ? kPatience : 0);
    if (done != GL_ALREADY_SIGNALED && done != GL_CONDITION_SATISFIED) return false;
    glDeleteSync(done_);
    done_ = nullptr;
    const auto read = [](std::vector<ParticleVertex>& to, GLuint from, std::size_t count) {
        to.resize(count);
        if (count > 0) glGetNamedBufferSubData(from, 0, static_cast<GLsizeiptr>(count * sizeof(ParticleVertex)), to.data());
    };
    read(first, first_.id(), count_);
    if (twin) read(*twin, twin_.id(), twinCount_);
    return true;
}

}  // namespace gravlab
