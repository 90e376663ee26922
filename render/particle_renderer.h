// Bodies as light: additive HDR sprites, then one tone-mapping pass. This room knows no physics.
#pragma once
#include "render/camera.h"
#include "render/draw_method.h"
#include "render/particle_buffer.h"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace gravlab {

/// The curve from light to the screen.
enum class ToneCurve {
    plate,     ///< logarithmic, like a photographic plate: arms and cores at once
    aces,      ///< like cinema film: strong contrast, bright cores
    agx,       ///< soft, colours fade towards white
    slide,     ///< like colour slides of galaxies: dark sky, soft shoulder
    automatic  ///< the plate, or the slide for photographs
};

/// The content of a photograph.
enum class Starlight {
    galaxies,  ///< old stars, discs and resolved objects: arms are blue, with dust and glowing gas
    clusters,  ///< single stars of their own colours
    nursery    ///< the same, inside the gas in which they formed
};

/// A picture like one from a telescope, made of bodies in the three channels of populationMap().
struct Photograph {
    bool on = false;
    Starlight starlight = Starlight::galaxies;
    float scale = 1;          ///< width of an arm [L]
    float dust = 1;           ///< absorption by the dust of discs; 0: none
    float gas = 1;            ///< light of the gas around young stars; 0: none
    float sky = 1;            ///< light of background stars and galaxies; 0: none
    std::uint32_t skyOf = 0;  ///< number of the sky; each has other stars
    bool operator==(const Photograph&) const = default;
};

/// The look of a body apart from its published value. Set once for all bodies, in body order.
struct BodyTrait {
    float value = 0;  ///< replaces the published value when Look::useTraits is set
    float light = 1;  ///< fraction of the brightness; below 0: a dark body with that fraction times Look::darkLight
};

/// A bond as a line between two bodies, by their indices. The layout is that of the shader.
struct BondLine {
    std::uint32_t first = 0, second = 0;
    float rest = 0;      ///< length at rest [L]
    float breaking = 1;  ///< strain at the end of the colours
};

/// How bodies look. Everything here may change every frame.
struct Look {
    float exposure = 1;
    float pointSize = 0.02f;  ///< radius of a body [L]; drawn soft, and dimmer instead of smaller below about 2 pixels
    float valueScale = 1;     ///< vertex value that maps to the top of the colour map
    float brightness = 1;     ///< per-body emission before exposure; sceneLook() in app/model/look.h chooses it by N
    float bloom = 0.3f;       ///< fraction of the light that spreads into a glow around bright places; 0 = off, at no cost
    int colourMap = 0;        ///< row of colourMaps() in render/colour_map.h; below 0: kCategoryRow and the like

    float valueFloor = 0;      ///< vertex value that maps to the bottom of the colour map
    bool logarithmic = false;  ///< equal ratios of values are equal steps of the map; requires floor and scale above 0
    bool useTraits = false;    ///< colours from BodyTrait::value
    float darkLight = 1;       ///< light of bodies marked dark by their trait; 0 hides them
    ToneCurve tone = ToneCurve::plate;
    bool paper = false;         ///< dark bodies on white, for print and projectors; no glow
    bool autoExposure = false;  ///< puts half of the light below a mid tone; `exposure` still multiplies
    int trails = 0;             ///< length in frames of the line behind each body; 0 = none. Shortened to fit the GPU
    float trailLight = 1;       ///< brightness of trails
    float bondLight = 1;        ///< brightness of the lines of bonds; 0 = none
    float adaptation = 1;       ///< fraction of the way that auto-exposure moves in this frame; 1 = at once
    Photograph photograph{};
    bool operator==(const Look&) const = default;
};

/// Savings in the quality of a picture; see app/services/adaptive_quality.h and RunView.
struct PictureQuality {
    float scale = 1;     ///< of the picture's width and height, before it is stretched to full size
    int glowShrink = 4;  ///< twice the divisor of a photograph's gas and dust; 0: neither these nor a glow
    bool trails = true;
    int every = 1;  ///< one of this many bodies is drawn, always the same ones, with the light of all
    bool operator==(const PictureQuality&) const = default;
};

struct DrawTimes;  // render/stage_timer.h

/// Everything it holds can be rebuilt, so a lost context costs one constructor.
class ParticleRenderer {
public:
    /// Needs a current OpenGL 4.5 context. Throws GlError when a shader does not compile here.
    ParticleRenderer();
    ~ParticleRenderer();
    /// Draws the front buffer into `framebuffer` (0 = the window) at `width` x `height` pixels; the framebuffer stays bound.
    /// A size of 0 draws nothing. A body's light in the picture is brightness times its area in pixels, so a picture looks
    /// the same at every resolution and distance. When nothing has changed since the last draw, its picture is shown again.
    void draw(const ParticleBuffer& bodies, const Camera& camera, const Look& look, unsigned framebuffer, int width,
              int height);
    /// The next draws, by the rasteriser, are pieces of one picture of `bodies` bodies; the last piece completes it.
    void beginPieces(std::size_t bodies);
    /// Draws the same picture in another size, or a region of it, by the method of the last draw(). It is not measured and
    /// does not affect the choice of method.
    void drawAgain(const ParticleBuffer& bodies, const Camera& camera, const Look& look, unsigned framebuffer, int width,
                   int height);
    /// Whether the last draw() reused the previous picture.
    bool reused() const;
    /// False: draw every picture anew, for measurements of drawing.
    void reusePictures(bool on);
    /// Copies the traits of all bodies. While their number differs from that of the drawn bodies, no body has a trait.
    void setTraits(std::span<const BodyTrait> traits);

    /// Copies the radii of all bodies [L]; empty: no body is drawn as a sphere. See Balls.
    void setRadii(std::span<const float> radii);

    /// Appends the bodies to their trails, Look::trails frames long, of up to `within` points each. Call it once for each
    /// step to show.
    void recordTrail(const ParticleBuffer& bodies, const Look& look, std::size_t within = 1);
    /// Appends positions from within the frame that the next recordTrail() ends. Does not wait; the values are copied.
    void recordTrail(std::span<const ParticleVertex> bodies, const Look& look, std::size_t within);
    /// Clears the trails: call it when bodies are replaced or moved.
    void forgetTrails();

    /// Copies the lines that stand for bonds; they follow the drawn bodies. Call it when bonds or the order of bodies
    /// change.
    void setBonds(std::span<const BondLine> lines);

    /// Masses of all bodies [M], copied, for measureDensity().
    void setMasses(std::span<const float> masses);
    /// Replaces the value of each trait by an estimate of the local density [M/L^3]. Traits and masses of these bodies must
    /// be set; otherwise returns false. `size` is about that of the scene [L].
    bool measureDensity(const ParticleBuffer& bodies, float size);
    /// GPU time of the newest finished estimate [ms]; never waits.
    double densityMilliseconds() const;

    /// Starts a copy of some of the published values, or of the traits' values, evenly spread over all bodies. Does not
    /// wait.
    void sampleValues(const ParticleBuffer& bodies, bool ofTraits = false);
    /// The last requested values, once; false while there are none. Waits only with `wait`.
    bool takeValues(std::vector<float>& values, bool wait);

    /// Sets the method for the following pictures; the rasteriser until the first call. See render/draw_method.h.
    void requestDrawMethod(DrawMethodRequest wish);
    /// Sets the quality; full until the first call.
    void setQuality(const PictureQuality& quality);
    /// The active method, its reason, and whether frames are being measured.
    const DrawMethodChooser& path() const;

    /// GPU milliseconds of the newest finished draw, from timer queries, and of the newest draw of all bodies; never waits.
    double drawMilliseconds() const;
    double wholeMilliseconds() const;
    /// Whether drawMilliseconds() belongs to a picture of the quality set last.
    bool timedAtThisQuality() const;
    /// Also measures stages.
    void timeStages(bool on);
    /// Finished draws since the last call, oldest first; at most kMostTimes.
    std::vector<DrawTimes> takeTimes();
    /// GL name of the last draw's linear light (red, green, blue before exposure); its size is that draw's times the scale
    /// of its quality. 0 before the first.
    unsigned lightTexture() const;

private:
    struct State;
    void drawSo(bool again, const ParticleBuffer& bodies, const Camera& camera, const Look& look, unsigned framebuffer,
                int width, int height);
    std::unique_ptr<State> state_;
};

}  // namespace gravlab
