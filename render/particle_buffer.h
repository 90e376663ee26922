// Where a renderer receives complete steps: two vertex buffers, the front is drawn while the back is written.
#pragma once
#include "sim/core/vertex.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace gravlab {

/// A vertex sink whose front buffer OpenGL can draw. Needs a current context for its whole life.
class ParticleBuffer : public VertexSink {
public:
    virtual unsigned frontBuffer() const = 0;  ///< GL buffer name of tightly packed ParticleVertex, 0 before the first close
    virtual std::size_t frontCount() const = 0;
    virtual const std::string& path() const = 0;  ///< one sentence: which path is active (zero-copy, host copy, CPU) and why
    /// Uses host memory from the next open(), as when nothing can be shared; `false` ends it. Has no effect when the
    /// writer's memory is the host's.
    virtual void copies(bool /*wanted*/) {}
    /// Number of the vertices in the front buffer: it changes at each close and differs between buffers; 0 before the first.
    std::uint64_t version() const { return version_; }

protected:
    void frontChanged() { version_ = ++newest_; }

private:
    static inline std::uint64_t newest_ = 0;  // one thread draws
    std::uint64_t version_ = 0;
};

/// Writes from host memory (CPU backends): persistently mapped staging, uploaded on close.
std::unique_ptr<ParticleBuffer> makeHostParticleBuffer();

/// Writes from CUDA straight into the OpenGL buffer. If registration fails, the error is cleared, a pinned-host copy
/// replaces it, and path() tells which is active and why. In builds without CUDA: the host buffer.
std::unique_ptr<ParticleBuffer> makeCudaParticleBuffer(int cudaDevice);

inline std::unique_ptr<ParticleBuffer> makeParticleBuffer(MemorySpace space, int cudaDevice) {
    return space == MemorySpace::cudaDevice ? makeCudaParticleBuffer(cudaDevice) : makeHostParticleBuffer();
}

}  // namespace gravlab
