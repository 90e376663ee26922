// Keeps the bright bodies in the picture until the user moves the camera.
// Rule: a window never waits for positions. A film waits, and its camera moves by frames.
#pragma once
#include "app/model/document.h"
#include "app/model/framing.h"
#include "render/vertex_sample.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace gravlab {

class ParticleBuffer;

class AutoFramer {
public:
    /// Call it before the bodies are drawn.
    /// `second` holds the vertices of the second run; null: there is only one run.
    void find(Document& document, const ParticleBuffer& vertices, const ParticleBuffer* second, bool realTime);
    /// Releases all OpenGL objects.
    void dropPicture() { sample_.reset(); }

private:
    void see(const Document& document, double seconds);

    Framing framing_;
    std::unique_ptr<VertexSample> sample_;  // created at the first use
    std::vector<ParticleVertex> bodies_, others_;
    bool two_ = false;
    std::uint64_t run_ = 0;
    std::int64_t step_ = -1;
    double movedAt_ = 0, seenAt_ = 0;  ///< [s]; counted in frames for a film
};

}  // namespace gravlab
