// A sample of the bodies of one vertex buffer, or the same bodies of two, copied to the host without waiting. It shows the
// size of a run, and the distance of two runs, when all bodies are too many to copy.
#pragma once
#include "render/particle_buffer.h"
#include "render/readback.h"

#include <cstddef>
#include <vector>

namespace gravlab {

class VertexSample {
public:
    static constexpr std::size_t kBodies = 4096;
    /// The indices of the bodies in a copy, in its order, when there are `bodies`.
    static std::vector<std::size_t> places(std::size_t bodies);

    VertexSample();

    /// Starts a copy of up to kBodies bodies of the front buffer, or of both, evenly spread in runs of 64. Replaces a copy
    /// that was not taken. Does nothing when the buffers differ in size.
    void ask(const ParticleBuffer& first, const ParticleBuffer* twin = nullptr);
    bool underWay() const { return answer_.underWay(); }
    /// The copies, once; false until they arrive. `twin` is empty when none was requested, and may be null. Waits only with
    /// `wait`.
    bool take(std::vector<ParticleVertex>& first, std::vector<ParticleVertex>* twin, bool wait);

private:
    Readback answer_;
    std::size_t count_ = 0, twinCount_ = 0;
};

/// Looks through the vertices of all bodies for one that is out of range, a part of them in each frame.
class VertexWatch {
public:
    /// Looked at in a frame: a megabyte, whatever the number of bodies.
    static constexpr std::size_t kBodies = 65536;

    VertexWatch();

    /// Looks at the part that has come and starts a copy of the next one. True where a coordinate of the part is not finite
    /// or beyond `farthest`. Never waits.
    bool look(const ParticleBuffer& bodies, float farthest);

private:
    Readback answer_;
    std::size_t from_ = 0, count_ = 0;  ///< of the part under way
};

}  // namespace gravlab
