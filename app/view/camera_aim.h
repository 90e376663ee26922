// Moves the camera with the bodies: the framer keeps the bright ones in the picture until the user moves the camera, the
// follower keeps the centre of all bodies, or of one galaxy, in its middle.
// Rule: a window never waits for positions. A film waits, and its camera moves by frames. The follower moves only the
// camera's target, so the user can rotate and zoom meanwhile.
#pragma once
#include "app/model/document.h"
#include "app/model/framing.h"
#include "render/centre_finder.h"
#include "render/vertex_sample.h"

#include <cstdint>
#include <memory>
#include <optional>
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

class CentreFollower {
public:
    /// Call it before the bodies are drawn: the picture then has the centre of its own step.
    void find(Document& document, const ParticleBuffer& vertices, bool realTime);
    /// Releases all OpenGL objects.
    void dropPicture();

private:
    std::unique_ptr<CentreFinder> finder_;     // created at the first use
    std::shared_ptr<const BodyFacts> tagged_;  ///< bodies whose galaxies the finder knows
    std::optional<int> followed_;              ///< galaxy of the last frame
    std::uint64_t run_ = 0;
    glm::vec3 centre_{0};
    bool known_ = false, waited_ = false;
};

}  // namespace gravlab
