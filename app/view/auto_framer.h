// Keeps what shines in the picture until the camera is moved by hand.
// Rule: a window never waits for the places; a film does, and moves by its frames.
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
    /// Before the bodies are drawn.
    /// `second`: of the other run, where there are two; null: there is one.
    void find(Document& document, const ParticleBuffer& vertices, const ParticleBuffer* second, bool realTime);
    /// Lets go of everything of OpenGL.
    void dropPicture() { sample_.reset(); }

private:
    void see(const Document& document, double seconds);

    Framing framing_;
    std::unique_ptr<VertexSample> sample_;  // from the first use
    std::vector<ParticleVertex> bodies_, others_;
    bool two_ = false;
    std::uint64_t run_ = 0;
    std::int64_t step_ = -1;
    double movedAt_ = 0, seenAt_ = 0;  ///< [s]; in a film counted in frames
};

}  // namespace gravlab
