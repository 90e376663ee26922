// From light to screen, by both methods: a glow around bright places, exposure, the tone curve. Rule: the raster and the
// compute method use the arithmetic of shaders/*.glsl, so pictures are the same.
#pragma once
#include "render/gl_objects.h"
#include "render/particle_renderer.h"
#include "render/photograph.h"
#include "render/stage_timer.h"

#include <array>
#include <memory>
#include <optional>
#include <vector>

namespace gravlab {

class PostProcess {
public:
    /// The textures for light of one size.
    struct Pictures {
        std::vector<RenderTarget> glow;          ///< a quarter, an eighth, ... of the light
        bool kept = false;                       ///< `screen` holds the last picture
        int shrink = 0;                          ///< of the first level of the glow
        std::optional<RenderTarget> smoothGlow;  ///< the sum of all levels, as shown
        std::optional<RenderTarget> screen;      ///< a picture to be stretched, or written by compute shaders
        DevelopedLight::Pictures developed;
    };
    PostProcess();
    /// Draws `light` into `framebuffer`, stretched to `width` x `height` pixels, and leaves it bound. `film`: the light is a
    /// photograph to be developed; may be null.
    void draw(DrawMethod path, const RenderTarget& light, const Look& look, const PictureQuality& quality,
              unsigned framebuffer, int width, int height, StageTimer& timer, const ExposedFilm* film);
    /// Keeps the picture of the next draw() for showAgain().
    void keep(bool on) { keep_ = on; }
    /// Shows the last picture again, and leaves `framebuffer` bound. False when it was not kept.
    bool showAgain(unsigned framebuffer, int width, int height) const;
    /// Exchanges the textures with those for another size.
    void exchange(Pictures& other);
    /// Releases the textures before a change of size or format.
    void forget();

private:
    void fit(const RenderTarget& light, int shrink);
    void photograph(DrawMethod path, const RenderTarget& light, const Look& look, const PictureQuality& quality,
                    const ExposedFilm& film, StageTimer& timer);
    float glowScale() const;
    void spread(DrawMethod path, const RenderTarget& light, bool shown);
    void show(unsigned framebuffer, int width, int height) const;
    void shrink(DrawMethod path, GLuint from, const RenderTarget& to);
    void widen(DrawMethod path, const RenderTarget& from, const RenderTarget& to, float weight, bool added);
    void measure(const RenderTarget& light, const Look& look);
    void mapTones(DrawMethod path, const RenderTarget& light, const Look& look, bool glowing, unsigned framebuffer,
                  int width, int height, const ExposedFilm* film);
    const Program& toneProgram(DrawMethod path, const Look& look, bool glowing);
    void setTones(const Program& program, const Look& look, bool glowing) const;

    Program down_{"screen.vert", "bloom_down.frag"}, up_{"screen.vert", "bloom_up.frag"};
    Program downCompute_{"bloom_down.comp"}, upCompute_{"bloom_up.comp"};
    Program measure_{"exposure.comp"};
    /// Programs: curves and the white page, with and without glow, for light and for photographs.
    static constexpr std::size_t kTones = 30;
    std::array<std::array<std::unique_ptr<Program>, kTones>, kDrawMethods> tones_;  ///< made when they are first needed
    VertexArray array_;
    Buffer exposure_;  ///< one float that shaders read and write; 0: not measured
    Pictures made_;
    bool keep_ = false;  ///< for the next picture
    DevelopedLight developed_;
};

}  // namespace gravlab
