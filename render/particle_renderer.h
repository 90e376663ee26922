// Bodies as light: additive HDR sprites, then one tone-mapping pass. Knows no physics.
#pragma once
#include "render/camera.h"
#include "render/draw_method.h"
#include "render/particle_buffer.h"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace gravlab {

/// How light becomes what the screen shows.
enum class ToneCurve {
    plate,     ///< logarithmic, like a photographic plate: arms and cores at once
    aces,      ///< like cinema film: strong contrast, bright cores
    agx,       ///< soft, colours fade towards white
    slide,     ///< like colour slides of galaxies: dark sky, soft shoulder
    automatic  ///< the plate; whoever asks for a photograph takes the slide
};

/// What the bodies of a photograph are.
enum class Starlight {
    galaxies,  ///< old stars, discs and what is resolved: arms are blue, with dust and glowing gas
    clusters,  ///< single stars of their own colours
    nursery    ///< the same, in the gas that they were born of
};

/// A picture as a telescope would take it, out of bodies in the three channels of populationMap().
struct Photograph {
    bool on = false;
    Starlight starlight = Starlight::galaxies;
    float scale = 1;          ///< width of an arm [L]
    float dust = 1;           ///< what the dust of discs takes away; 0: nothing
    float gas = 1;            ///< light of gas around young stars; 0: none
    float sky = 1;            ///< light of stars and galaxies far behind; 0: none
    std::uint32_t skyOf = 0;  ///< which sky: each number has another
    bool operator==(const Photograph&) const = default;
};

/// What a body looks like apart from the value that its backend publishes. Set once for all bodies, in body order.
struct BodyTrait {
    float value = 0;  ///< shown instead of the published one when Look::useTraits says so
    float light = 1;  ///< its share of brightness; below 0: a dark body, shown at that share times Look::darkLight
};

/// How bodies look. Everything here may change every frame.
struct Look {
    float exposure = 1;
    float pointSize = 0.02f;  ///< radius of a body [L]; drawn soft, and dimmer instead of smaller below about 2 pixels
    float valueScale = 1;     ///< vertex value that maps to the top of the colour map
    float brightness = 1;     ///< per-body emission before exposure; sceneLook() in app/model/look.h chooses it by N
    float bloom = 0.3f;  ///< part of the light that spreads into a glow around bright places; 0 = off, and costs nothing
    int colourMap = 0;   ///< row of colourMaps() in render/colour_map.h; or one below 0: kCategoryRow and its like

    float valueFloor = 0;      ///< vertex value that maps to the bottom of the colour map
    bool logarithmic = false;  ///< equal ratios of values are equal steps of the map; floor and scale above 0
    bool useTraits = false;    ///< colours from BodyTrait::value
    float darkLight = 1;       ///< of bodies whose trait says that they are dark; 0 hides them
    ToneCurve tone = ToneCurve::plate;
    bool paper = false;         ///< dark bodies on white, for print and projectors; no glow
    bool autoExposure = false;  ///< brings half of the light below a mid tone; `exposure` still multiplies
    int trails = 0;        ///< frames that the line behind each body goes back; 0 = none. Long rings are cut to fit the GPU
    float trailLight = 1;  ///< brightness of trails
    float adaptation = 1;  ///< part of the way that auto-exposure goes in this frame; 1 = at once
    Photograph photograph{};
    bool operator==(const Look&) const = default;
};

/// What may be saved at a picture; see app/services/adaptive_quality.h and RunView.
struct PictureQuality {
    float scale = 1;     ///< of the picture's width and height before it is stretched to its size
    int glowShrink = 4;  ///< the glow starts at a picture so many times smaller; 0: no glow
    bool trails = true;
    int every = 1;  ///< one body of so many is drawn, always the same ones, with the light of all of them
    bool operator==(const PictureQuality&) const = default;
};

struct DrawTimes;  // render/stage_timer.h

/// Holds no state that a new one would not rebuild, so a lost context costs one constructor.
class ParticleRenderer {
public:
    /// Needs a current OpenGL 4.5 context. Throws GlError when a shader does not compile here.
    ParticleRenderer();
    ~ParticleRenderer();
    /// Draws the front buffer into `framebuffer` (0 = the window) at `width` x `height` pixels and leaves that framebuffer
    /// bound. A size of 0 draws nothing. Light a body sends to the picture: brightness times its area in pixels, whatever
    /// its size, so a picture looks the same at every resolution and from every distance. Where nothing has changed since
    /// the last draw, its picture is shown once more.
    void draw(const ParticleBuffer& bodies, const Camera& camera, const Look& look, unsigned framebuffer, int width,
              int height);
    /// The same picture once more, of another size or a part of it, the way that draw() took last: neither is it measured,
    /// nor does it count for which way is the faster one.
    void drawAgain(const ParticleBuffer& bodies, const Camera& camera, const Look& look, unsigned framebuffer, int width,
                   int height);
    /// Whether the last draw() showed the picture of the one before.
    bool reused() const;
    /// False: every picture is drawn, also the same one again; for those who time drawing.
    void reusePictures(bool on);
    /// Traits of all bodies, copied. As long as their number is not that of the drawn bodies, every body is plain.
    void setTraits(std::span<const BodyTrait> traits);

    /// Appends the bodies to their trails, Look::trails frames long, of up to `within` points each. Once for each step that
    /// shall show.
    void recordTrail(const ParticleBuffer& bodies, const Look& look, std::size_t within = 1);
    /// Appends where they were within the frame that the next recordTrail() ends. Waits for nothing; the values are copied.
    void recordTrail(std::span<const ParticleVertex> bodies, const Look& look, std::size_t within);
    /// Starts the trails anew: the bodies are others, or somewhere else.
    void forgetTrails();

    /// Masses of all bodies [M], copied, for measureDensity().
    void setMasses(std::span<const float> masses);
    /// Puts an estimate of the local density [M/L^3] in place of each trait's value. Traits and masses of these bodies must
    /// have been set; else false. `size` is about that of the scene [L].
    bool measureDensity(const ParticleBuffer& bodies, float size);
    /// What the newest finished estimate took on the GPU [ms]; never waits.
    double densityMilliseconds() const;

    /// Starts a copy of some of the published values, or of the traits' values, evenly spread over all bodies. Does not
    /// wait.
    void sampleValues(const ParticleBuffer& bodies, bool ofTraits = false);
    /// The values asked for last, once; false when there are none yet. Waits only with `wait`.
    bool takeValues(std::vector<float>& values, bool wait);

    /// How pictures are drawn from now on; by the rasteriser until this is called. See render/draw_method.h.
    void requestDrawMethod(DrawMethodRequest wish);
    /// Full until this is called.
    void setQuality(const PictureQuality& quality);
    /// Which way is taken, why, and whether frames are being measured to find out.
    const DrawMethodChooser& path() const;

    /// GPU milliseconds of the newest finished draw, from timer queries, and of the newest with all bodies; never waits.
    double drawMilliseconds() const;
    double wholeMilliseconds() const;
    /// Whether drawMilliseconds() is of a picture of the quality that was set last.
    bool timedAtThisQuality() const;
    /// Measures stages too.
    void timeStages(bool on);
    /// Finished draws since the last call, oldest first, some at most.
    std::vector<DrawTimes> takeTimes();
    /// GL name of the last draw's linear light (red, green, blue before exposure), as large as that draw times its quality's
    /// scale; 0 before the first.
    unsigned lightTexture() const;

private:
    struct State;
    void drawSo(bool again, const ParticleBuffer& bodies, const Camera& camera, const Look& look, unsigned framebuffer,
                int width, int height);
    std::unique_ptr<State> state_;
};

}  // namespace gravlab
