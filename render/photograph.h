// Makes a photograph from light by population: a layer of light without the grain of bodies, arms, dust and gas, and the sky
// behind. Rule: absorption and glow follow from the light of the present picture, so nothing is stored between frames. Both
// draw methods use the arithmetic of shaders/photograph.glsl.
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

/// What a photograph depends on beside the light.
struct ExposedFilm {
    float lightOfBody = 1;     ///< sum over its pixels, at the camera's target
    float usual = 1;           ///< light of a pixel in the middle of a picture of all bodies
    float armWidth = 1;        ///< [px]
    glm::mat4 clipFromSky{1};  ///< sky directions to the picture
    unsigned attitude = 0;     ///< texture with the inclination of discs, see shaders/attitude.frag
    float wholeHeight = 1;     ///< height of the picture of which this is a region [px]
};

class DevelopedLight {
public:
    /// The textures for light of one size.
    struct Pictures {
        std::vector<RenderTarget> levels;     ///< of the light, each half the size of the previous one
        std::vector<RenderTarget> smooth;     ///< the same without grain
        std::vector<RenderTarget> planned;    ///< half the size: youth and dust
        std::vector<RenderTarget> flow;       ///< an eighth of the width: directions of arms
        std::vector<RenderTarget> developed;  ///< without and with glow
        int shrink = 0;
        bool glowing = false;
    };
    /// How many times smaller the combined picture is.
    int shrink() const { return made_.shrink; }
    /// Makes the levels of `light`, beginning `shrink` times smaller; the combined picture is in developed().
    void develop(DrawMethod method, const RenderTarget& light, int shrink, const Photograph& photograph,
                 const ExposedFilm& film);
    /// Mixes a glow in; the combined picture is then in shown().
    void addGlow(DrawMethod method, const RenderTarget& glow, float weight, float scale);
    const RenderTarget& developed() const { return made_.developed.front(); }
    /// The combined picture, with the glow if there is one.
    const RenderTarget& shown() const { return made_.glowing ? made_.developed.back() : made_.developed.front(); }
    /// Runs the program in use over all pixels: in groups of 8 x 8, or by the rasteriser with a bound vertex array.
    static void run(DrawMethod method, const RenderTarget& to);
    /// Sets the uniforms of a tone pass over the light and shown().
    static void setTones(const Program& program, const Photograph& photograph);
    /// Adds stars and galaxies to the dark areas of a finished picture.
    void drawSky(const Photograph& photograph, const ExposedFilm& film, unsigned framebuffer, int width, int height);
    /// Exchanges the textures with those for another size.
    void exchange(Pictures& other) { std::swap(made_, other); }
    /// Releases the textures before a change of size.
    void forget() { made_ = {}; }

private:
    enum Stage { smooth, plan, compose, glow, flow, kStages };
    void fit(const RenderTarget& light, int shrink);
    const Program& begin(DrawMethod method, Stage stage);

    std::array<std::array<std::unique_ptr<Program>, kStages>, kDrawMethods> stages_;  ///< made when they are first needed
    std::unique_ptr<Program> sky_;
    Program down_{"screen.vert", "bloom_down.frag"}, downCompute_{"bloom_down.comp"};
    VertexArray array_;
    Pictures made_;
};

}  // namespace gravlab
