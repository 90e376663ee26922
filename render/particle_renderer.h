// Bodies as light: additive HDR sprites, then one tone-mapping pass. Knows no physics.
#pragma once
#include "render/camera.h"
#include "render/particle_buffer.h"

#include <memory>

namespace gravlab {

/// How bodies look. Everything here may change every frame.
struct Look {
    float exposure = 1;
    float pointSize = 0.02f;  ///< radius of a body [L]; drawn soft, and dimmer instead of smaller below about 2 pixels
    float valueScale = 1;     ///< vertex value that maps to the top of the colour map
    float brightness = 1;     ///< per-body emission before exposure; sceneLook() in app/look.h chooses it by N
    float bloom = 0.3f;  ///< part of the light that spreads into a glow around bright places; 0 = off, and costs nothing
    int colourMap = 0;   ///< row of colourMaps() in render/colour_map.h
};

/// Holds no state that a new one would not rebuild, so a lost context costs one constructor.
class ParticleRenderer {
public:
    /// Needs a current OpenGL 4.5 context. Throws GlError when a shader does not compile here.
    ParticleRenderer();
    ~ParticleRenderer();
    /// Draws the front buffer into `framebuffer` (0 = the window) at `width` x `height` pixels and leaves that framebuffer
    /// bound. A size of 0 draws nothing. Light a body sends to the picture: brightness times its area in pixels, whatever
    /// its size, so a picture looks the same at every resolution and from every distance.
    void draw(const ParticleBuffer& bodies, const Camera& camera, const Look& look, unsigned framebuffer, int width,
              int height);
    /// GPU milliseconds of the newest finished draw, from timer queries; never waits.
    double drawMilliseconds() const;
    /// GL name of the last draw's linear light (red, green, blue before exposure), as large as that draw; 0 before the
    /// first.
    unsigned lightTexture() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace gravlab
