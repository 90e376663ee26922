// Out of light by population: a layer of light without the grain of bodies, arms, dust and gas, and the sky behind.
// Rule: pictures are only read and made here; what is absorbed or glows follows from the light, so nothing is stored between
// frames, and both draw methods share their arithmetic (shaders/photograph.glsl).
#pragma once
#include "render/draw_method.h"
#include "render/gl_objects.h"
#include "render/particle_renderer.h"

#include <glm/mat4x4.hpp>

#include <array>
#include <memory>
#include <utility>
#include <vector>

namespace gravlab {

/// What a photograph must know of the bodies in a light.
struct ExposedFilm {
    float lightOfBody = 1;     ///< sum over its pixels, at the camera's target
    float usual = 1;           ///< light of a pixel in the middle of a picture of all of them
    float armWidth = 1;        ///< [px]
    glm::mat4 clipFromSky{1};  ///< directions to the picture
    unsigned attitude = 0;     ///< texture that says how discs lie, see shaders/attitude.frag
    float wholeHeight = 1;     ///< of the picture that this is a part of [px]
};

class DevelopedLight {
public:
    /// What is made of a light of one size.
    struct Pictures {
        std::vector<RenderTarget> levels;     ///< of the light, each half of the one before
        std::vector<RenderTarget> smooth;     ///< the same without grain
        std::vector<RenderTarget> planned;    ///< of half the size: what is young, where dust is
        std::vector<RenderTarget> flow;       ///< an eighth as wide: where arms run
        std::vector<RenderTarget> developed;  ///< without and with glow
        int shrink = 0;
        bool glowing = false;
    };
    /// Steps of `light` in a picture `shrink` times smaller and below; what it shows together is in developed().
    void develop(DrawMethod method, const RenderTarget& light, int shrink, const Photograph& photograph,
                 const ExposedFilm& film);
    /// Mixes a glow in; what is shown together is in shown() then.
    void addGlow(DrawMethod method, const RenderTarget& glow, float weight, float scale);
    const RenderTarget& developed() const { return made_.developed.front(); }
    /// With the glow where there is one.
    const RenderTarget& shown() const { return made_.glowing ? made_.developed.back() : made_.developed.front(); }
    /// Uniforms of a tone pass over the light and shown().
    static void setTones(const Program& program, const Photograph& photograph);
    /// Adds stars and galaxies to a finished picture, where that is dark.
    void drawSky(const Photograph& photograph, const ExposedFilm& film, unsigned framebuffer, int width, int height);
    /// Exchanges the pictures with those of another size.
    void exchange(Pictures& other) { std::swap(made_, other); }
    /// Lets go of pictures that another size will need anew.
    void forget() { made_ = {}; }

private:
    enum Stage { smooth, plan, compose, glow, flow, kStages };
    void fit(const RenderTarget& light, int shrink);
    const Program& begin(DrawMethod method, Stage stage);
    void run(DrawMethod method, const RenderTarget& to);

    std::array<std::array<std::unique_ptr<Program>, kStages>, kDrawMethods> stages_;  ///< made when they are first needed
    std::unique_ptr<Program> sky_;
    Program down_{"screen.vert", "bloom_down.frag"}, downCompute_{"bloom_down.comp"};
    VertexArray array_;
    Pictures made_;
};

}  // namespace gravlab
