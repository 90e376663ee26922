// Where complete steps land to be drawn: two vertex buffers, the front is drawn while the back is written.
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
    virtual const std::string& path() const = 0;  ///< one sentence: which path runs (zero-copy, host copy, CPU) and why
    /// Goes through host memory from the next open() on, as where nothing can be shared; or no longer. Nothing to do where
    /// the writer's memory is the host's.
    virtual void copies(bool /*wanted*/) {}
    /// Which vertices the front buffer holds: another number after each close, and in no two buffers the same; 0 before.
    std::uint64_t version() const { return version_; }

protected:
    void frontChanged() { version_ = ++newest_; }

private:
    static inline std::uint64_t newest_ = 0;  // one thread draws
    std::uint64_t version_ = 0;
};

/// Writes from host memory (CPU backends): persistently mapped staging, uploaded on close.
std::unique_ptr<ParticleBuffer> makeHostParticleBuffer();

/// Writes from CUDA straight into the OpenGL buffer. If registration fails, the error is cleared, a pinned-host copy takes
/// over and path() says which and why. In builds without CUDA: the host buffer.
std::unique_ptr<ParticleBuffer> makeCudaParticleBuffer(int cudaDevice);

inline std::unique_ptr<ParticleBuffer> makeParticleBuffer(MemorySpace space, int cudaDevice) {
    return space == MemorySpace::cudaDevice ? makeCudaParticleBuffer(cudaDevice) : makeHostParticleBuffer();
}

}  // namespace gravlab
