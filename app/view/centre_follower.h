// Keeps the centre of all bodies, or of one galaxy, in the middle of the picture.
// Rule: only the camera's target moves, so the user can rotate and zoom meanwhile.
#pragma once
#include "app/model/document.h"
#include "render/centre_finder.h"

#include <cstdint>
#include <memory>
#include <optional>

namespace gravlab {

class ParticleBuffer;

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
    bool known_ = false, asked_ = false;
};

}  // namespace gravlab
