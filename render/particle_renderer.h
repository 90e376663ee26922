// Bodies as light: additive HDR sprites, then one tone-mapping pass. Knows no physics.
#pragma once
#include "render/camera.h"
#include "render/particle_buffer.h"

#include <memory>

namespace gravlab {

/// How bodies look. Everything here may change every frame.
struct Look {
    float exposure = 1;
    float pointSize = 0.02f;  ///< radius of a body [L]
    float valueScale = 1;     ///< vertex value that maps to the top of the colour map
    float brightness = 1;     ///< per-body emission before exposure; scenes set about 1/sqrt(N)
    int colourMap = 0;        ///< row of colourMaps()
};

class ParticleRenderer {
public:
    ParticleRenderer();
    ~ParticleRenderer();
    /// Draws the front buffer into `framebuffer` (0 = the window) at `width` x `height` pixels. A size of 0 draws nothing.
    void draw(const ParticleBuffer& bodies, const Camera& camera, const Look& look, unsigned framebuffer, int width,
              int height);
    /// GPU milliseconds of the newest finished draw, from timer queries; never waits.
    double drawMilliseconds() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace gravlab
