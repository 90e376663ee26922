// Keeping the centre of all bodies, or of a galaxy, in the middle of the picture.
// Rule: the target moves, and nothing else of the camera: one can turn and come nearer on the way.
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
    /// Before the bodies are drawn: the picture has the centre of its own step.
    void find(Document& document, const ParticleBuffer& vertices, bool realTime);
    /// Lets go of everything of OpenGL.
    void dropPicture();

private:
    std::unique_ptr<CentreFinder> finder_;     // from the first use
    std::shared_ptr<const BodyFacts> tagged_;  ///< bodies that the finder knows the galaxies of
    std::optional<int> followed_;              ///< in the last frame
    std::uint64_t run_ = 0;
    glm::vec3 centre_{0};
    bool known_ = false, asked_ = false;
};

}  // namespace gravlab
