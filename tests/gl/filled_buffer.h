// Bodies in OpenGL memory that the host cannot read, like a GPU's.
#pragma once
#include "render/gl_limits.h"
#include "render/particle_buffer.h"

#include <span>
#include <string>

namespace gravlab::test {

class FilledBuffer final : public ParticleBuffer {
public:
    explicit FilledBuffer(std::span<const ParticleVertex> bodies) : count_(bodies.size()) {
        allocate(buffer_, bodies.size_bytes(), bodies.data(), 0, "bodies");
        frontChanged();
    }
    MemorySpace space() const override { return MemorySpace::host; }
    VertexSpan open(std::size_t, void*) override { return {}; }
    void close(void*) override {}
    unsigned frontBuffer() const override { return buffer_.id(); }
    std::size_t frontCount() const override { return count_; }
    const std::string& path() const override { return path_; }

private:
    Buffer buffer_;
    std::size_t count_;
    std::string path_ = "filled by a test";
};

}  // namespace gravlab::test
