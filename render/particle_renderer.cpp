// Bodies into a floating-point picture, trails over them, then glow and tone into the caller's framebuffer.
#include "render/particle_renderer.h"

#include "render/attitude.h"
#include "render/balls.h"
#include "render/bond_lines.h"
#include "render/colour_map.h"
#include "render/density.h"
#include "render/gl_limits.h"
#include "render/post_process.h"
#include "render/readback.h"
#include "render/sprites.h"
#include "render/trails.h"

#include <glm/gtc/type_ptr.hpp>
#include <glm/vec4.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <optional>
#include <utility>

namespace gravlab {
namespace {

// Below this radius the sampled sum of a sprite differs from its integral by more than 1.5 %.
constexpr float kSmallestRadius = 1.75f;
// With very many bodies only the mean matters, which is right at any radius; half of the pixels take half of the time.
constexpr float kSmallestRadiusOfMany = 1.25f;
// No body covers more of the picture's height than twice this fraction.
constexpr float kLargestRadius = 0.15f;
// For stars of a cluster in a photograph: radii grow with the height of pictures above this fraction, and with light above
// kGrowth.
constexpr float kStarRadius = 1.0f / 1080, kGrowth = 5, kMostNear = 4;
// Bodies nearer to the eye than this fraction of the camera's distance fade out.
constexpr float kNearFade = 0.05f;
// Very many bodies. Half floats have 11 bits: beyond this N the light of one body could vanish in the sum.
constexpr std::size_t kHalfFloatBodies = 131072;
// Light of a trail's newest end, and of a bond, relative to a body.
constexpr float kTrailLight = 0.25f, kBondLight = 0.4f;
// Values of the colour map are sampled in runs, because single values would need a copy command each.
constexpr std::size_t kSampleRuns = 32, kSampleRun = 64;
// Most measurements kept until takeTimes(); older ones are dropped.
constexpr std::size_t kMostTimes = 16;
// The middle of a picture has a width of this many arms.
constexpr float kMiddle = 5;
// After this many draws without a repetition, pictures are no longer kept for reuse.
constexpr int kKept = 60;
// After this many draws without a film frame, the film's pictures are released.
constexpr int kBesideKept = 120;
// Size of the sample by which the rasteriser is timed when bodies are very many.
constexpr std::size_t kTried = 65536;

/// Everything that a picture depends on, except changes that discard the last picture directly.
struct Picture {
    std::uint64_t vertices;
    Camera camera;
    Look look;
    PictureQuality quality;
    DrawMethodRequest wish;
    int width, height;
    bool operator==(const Picture&) const = default;
};

/// Pictures for drawAgain() when its size differs from that of draw().
struct BesidePictures {
    std::optional<RenderTarget> light;
    PostProcess::Pictures made;
    Attitude::Pictures attitude;
    int age = 0;  ///< draws since the last use
};

int tagOf(const PictureQuality& quality) {
    return static_cast<int>(std::lround(1000 * quality.scale)) * 100 + 2 * quality.glowShrink + (quality.trails ? 1 : 0);
}

}  // namespace

struct ParticleRenderer::State {
    RasterSprites raster;
    Balls balls;
    ComputeSprites compute;
    PostProcess postProcess;
    DrawMethodChooser chooser;
    DrawMethodRequest wish = DrawMethodRequest::raster;
    PictureQuality quality;
    std::optional<Attitude> attitude;     ///< made for the first photograph
    std::optional<DensityField> density;  ///< made when masses are first set
    Texture colours;
    int coloursOf = -100;  ///< the row of colourMaps() in `colours`
    float mostColour = 1;  ///< largest channel in that row
    std::unique_ptr<Buffer> traits;
    std::size_t traitCount = 0;
    double shares = 0, darkShares = 0;  ///< sums of the traits' light
    std::optional<Readback> sample;     ///< values that are being copied to the host
    std::size_t sampleCount = 0;
    bool sampleOfTraits = false;
    std::optional<Trails> trails;    ///< made when trails are first requested
    std::optional<BondLines> bonds;  ///< made for the first bonds
    std::optional<RenderTarget> light;
    BesidePictures beside;
    StageTimer timer;
    std::vector<DrawTimes> times;  ///< measurements for takeTimes()
    double milliseconds = 0, wholeMilliseconds = 0;
    int timedTag = -1;
    BodySample few;                          ///< drawn by the rasteriser when not all bodies are
    BodySample tried;                        ///< timed with the rasteriser
    std::optional<RenderTarget> triedLight;  ///< the target of the timed sample
    GpuTimer triedTimer;
    std::optional<Picture> last;  ///< the last picture; empty when it can no longer be reused
    bool reuse = true, reused = false;
    int keep = 0;                       ///< draws for which pictures are kept for reuse
    std::size_t whole = 0, before = 0;  ///< bodies of a picture in pieces, 0: none; and of the pieces drawn so far

    State();
    void fit(int width, int height, bool manyBodies);
    bool fits(int width, int height) const { return light && light->width() == width && light->height() == height; }
    void exchangeBeside();
    void setColours(int map);
    void readTimes();
    SpriteStyle inkOf(const ParticleBuffer& buffer, const Camera& camera, const Look& look);
    ExposedFilm filmOf(const SpriteStyle& ink, const Camera& camera, const Look& look) const;
    GLuint attitudeOf(const SpriteStyle& ink, const Camera& camera, const Look& look, const ExposedFilm& film);
    DrawMethod lastPath(const SpriteStyle& ink) const;
    DrawMethod choosePath(const SpriteStyle& ink, const Camera& camera, const Look& look);
    void drawBodies(DrawMethod path, const SpriteStyle& ink);
    void drawTrails(const SpriteStyle& ink, const Look& look);
    void drawBonds(const ParticleBuffer& bodies, const SpriteStyle& ink, const Look& look);
    void drawBalls(const SpriteStyle& ink, const Camera& camera, const Look& look);
    void timeSample(const SpriteStyle& ink);
};

ParticleRenderer::State::State() {
    glTextureStorage2D(colours.id(), 1, GL_RGBA16F, kColourMapSize, 1);
    glTextureParameteri(colours.id(), GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glTextureParameteri(colours.id(), GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
}

void ParticleRenderer::State::fit(int width, int height, bool manyBodies) {
    const GLenum format = manyBodies ? GL_RGBA32F : GL_RGBA16F;
    if (fits(width, height) && light->format() == format) return;
    postProcess.forget();
    light.reset();
    light.emplace(format, width, height);
}

void ParticleRenderer::State::exchangeBeside() {
    std::swap(light, beside.light);
    postProcess.exchange(beside.made);
    if (attitude) attitude->exchange(beside.attitude);
}

void ParticleRenderer::State::setColours(int map) {
    const auto maps = colourMaps();
    map = std::clamp(map, kCelestialRow, static_cast<int>(maps.size()) - 1);
    if (map == coloursOf) return;
    const auto row = linearColours(map == kCelestialRow    ? celestialMap()
                                   : map == kPopulationRow ? populationMap()
                                   : map < 0               ? categoryMap()
                                                           : maps[static_cast<std::size_t>(map)]);
    std::array<glm::vec4, kColourMapSize> texels;
    for (std::size_t i = 0; i < kColourMapSize; ++i)
        texels[i] = glm::vec4(row[i], map == kCelestialRow ? -celestialSize(i * kCelestials / kColourMapSize) : 1.0f);
    glTextureSubImage2D(colours.id(), 0, 0, 0, kColourMapSize, 1, GL_RGBA, GL_FLOAT, glm::value_ptr(texels[0]));
    mostColour = 0;
    for (const glm::vec3& colour : row) mostColour = std::max({mostColour, colour.r, colour.g, colour.b});
    coloursOf = map;
}

SpriteStyle ParticleRenderer::State::inkOf(const ParticleBuffer& buffer, const Camera& camera, const Look& look) {
    const auto width = static_cast<float>(light->width()), height = static_cast<float>(light->height());
    const float smallest = std::max(whole, buffer.frontCount()) > kHalfFloatBodies ? kSmallestRadiusOfMany : kSmallestRadius;
    const glm::mat4 projection = camera.projection(width / height);
    const bool withTraits = traits && traitCount == buffer.frontCount();
    const auto mapped = [&](float value) { return look.logarithmic ? std::log2(std::max(value, 1e-37f)) : value; };
    const float low = mapped(look.valueFloor), high = mapped(look.valueScale);
    setColours(look.colourMap);
    // A telescope shows a star of a cluster as a point, at any distance.
    const bool stars = look.photograph.on && look.photograph.starlight != Starlight::galaxies;
    const float atTarget = look.pointSize * projection[1][1] * height / 2 / (camera.orthographic ? 1 : camera.distance);
    const float largest =
        std::max(smallest, stars ? smallest * kStarRadius * height / camera.part.w
                                 : std::min(kLargestRadius * height / camera.part.w, glLimits().spriteRadius));
    const float near =
        stars ? std::clamp(atTarget / largest, 1.0f, kMostNear) : 1;  // the light of a larger disc, in a point
    const double allShares =
        withTraits ? shares + darkShares * static_cast<double>(look.darkLight) : static_cast<double>(buffer.frontCount());
    const int every = std::max(quality.every, 1);
    const bool counted = look.paper && !look.photograph.on;
    const float brightness = look.brightness * near * near * static_cast<float>(every);
    return {.vertices = buffer.frontBuffer(),
            .traits = withTraits ? traits->id() : 0,
            .count = buffer.frontBuffer() ? buffer.frontCount() : 0,
            .every = static_cast<std::size_t>(every),
            .clipFromWorld = projection * camera.view(),
            .radiusScale = look.pointSize * projection[1][1] * height / 2,
            .radiusLimits = {smallest, largest},
            // Without perspective every depth is 1, and no body fades.
            .nearDepth = camera.orthographic ? 1e-4f : kNearFade * camera.distance,
            .valueRange = {low, high > low ? high : low + 1e-6f},
            .logarithmic = look.logarithmic,
            .useTraits = look.useTraits && withTraits,
            .darkLight = look.darkLight,
            .brightness = brightness,
            .colours = colours.id(),
            .allLight = 1.001 * static_cast<double>(brightness) *
                        static_cast<double>(counted ? std::max(mostColour, 1.0f) : mostColour) * allShares,
            .woven = look.photograph.on && look.useTraits && withTraits,
            .counted = counted,
            .growth = stars ? kGrowth : 0};
}

/// What the photograph depends on beside the light.
ExposedFilm ParticleRenderer::State::filmOf(const SpriteStyle& ink, const Camera& camera, const Look& look) const {
    const auto width = static_cast<float>(light->width()), height = static_cast<float>(light->height());
    const float depth = camera.orthographic ? 1 : camera.distance, radius = ink.radiusScale / depth;
    const float pixelsPerLength = radius / look.pointSize;
    const float body = 0.25f * std::numbers::pi_v<float> * look.brightness;  // times a radius squared: the light of a body
    const float middle = kMiddle * look.photograph.scale;
    Camera sky = camera;
    sky.orthographic = false;
    const float aspect = width / height;
    return {.lightOfBody = body * radius * radius * static_cast<float>(ink.every),
            .usual = static_cast<float>(whole > 0 ? whole : ink.count) * body * look.pointSize * look.pointSize /
                     (std::numbers::pi_v<float> * middle * middle),
            .armWidth = look.photograph.scale * pixelsPerLength,
            .clipFromSky = sky.projection(aspect) * glm::mat4(glm::mat3(camera.view())),
            .wholeHeight = height / camera.part.w};
}

GLuint ParticleRenderer::State::attitudeOf(const SpriteStyle& ink, const Camera& camera, const Look& look,
                                           const ExposedFilm& film) {
    if (!attitude) attitude.emplace();
    const glm::mat4 view = camera.view();
    const glm::vec4 towardsEye(view[0][2], view[1][2], view[2][2], view[3][2] + camera.distance);
    return attitude->measure(ink, -towardsEye / look.photograph.scale, film.armWidth, light->width(), light->height());
}

/// The method of the last picture, if it can draw one of this size.
DrawMethod ParticleRenderer::State::lastPath(const SpriteStyle& ink) const {
    const bool can = compute.obstacle(ink.count, light->width(), light->height()).empty();
    return can ? chooser.path() : DrawMethod::raster;
}

DrawMethod ParticleRenderer::State::choosePath(const SpriteStyle& ink, const Camera& camera, const Look& look) {
    const int width = light->width(), height = light->height();
    chooser.setWish(wish, wish == DrawMethodRequest::raster ? std::string() : compute.obstacle(ink.count, width, height));
    // The load of the full picture: an adaptive quality must not start trials that slow frames.
    const float depth = camera.orthographic ? 1 : camera.distance, scale = std::clamp(quality.scale, 0.1f, 1.0f);
    const double pixels = static_cast<double>(width) * height;
    return chooser.next(
        {.bodies = ink.count,
         .pixels = pixels / static_cast<double>(scale * scale),
         .spriteRadius = static_cast<double>(std::max(ink.radiusScale / (depth * scale), ink.radiusLimits.x)),
         .glow = (look.bloom > 0 || look.photograph.on) && !look.paper});
}

void ParticleRenderer::State::drawBodies(DrawMethod path, const SpriteStyle& ink) {
    if (path == DrawMethod::compute && ink.count > 0) {
        try {
            compute.draw(ink, *light, raster, timer);
            return;
        } catch (const GlError& error) {
            compute.refuse(error.what());  // the rasteriser needs no memory of its own
        }
    }
    const float nothing[4] = {0, 0, 0, 0};
    if (before == 0) glClearNamedFramebufferfv(light->framebuffer(), GL_COLOR, 0, nothing);
    if (ink.count > 0 && ink.every == 1) raster.draw(ink, *light);
    if (ink.count > 0 && ink.every > 1) {
        few.fit(ink.count, ink.count / ink.every);
        raster.drawSample(ink, *light, few);
    }
    timer.ended(DrawStage::bodies);
}

void ParticleRenderer::State::drawTrails(const SpriteStyle& ink, const Look& look) {
    if (!trails || look.trails < 2 || ink.count == 0) return;
    // Few bodies have bright trails; with many, the light of each trail is reduced.
    const float crowd = std::min(1.0f, std::pow(300.0f / static_cast<float>(ink.count), 0.8f));
    glBindFramebuffer(GL_FRAMEBUFFER, light->framebuffer());
    glViewport(0, 0, light->width(), light->height());
    trails->draw({.clipFromWorld = ink.clipFromWorld,
                  .light = kTrailLight * look.trailLight * look.brightness * crowd,
                  .low = ink.valueRange.x,
                  .high = ink.valueRange.y,
                  .logarithmic = look.logarithmic,
                  .useTraits = look.useTraits,
                  .darkLight = look.darkLight,
                  .counted = ink.counted,
                  .colours = colours.id(),
                  .traits = ink.traits});
    timer.ended(DrawStage::trails);
}

void ParticleRenderer::State::drawBonds(const ParticleBuffer& bodies, const SpriteStyle& ink, const Look& look) {
    if (!bonds || bonds->count() == 0 || look.bondLight <= 0 || look.photograph.on || ink.count == 0) return;
    glBindFramebuffer(GL_FRAMEBUFFER, light->framebuffer());
    glViewport(0, 0, light->width(), light->height());
    bonds->draw(bodies, {.clipFromWorld = ink.clipFromWorld,
                         .light = kBondLight * look.bondLight * look.brightness,
                         .counted = ink.counted});
    timer.ended(DrawStage::trails);
}

/// A sphere has the same light at every exposure that the user chooses.
void ParticleRenderer::State::drawBalls(const SpriteStyle& ink, const Camera& camera, const Look& look) {
    if (!balls.fits(ink.count)) return;
    const glm::mat4 projection = camera.projection(static_cast<float>(light->width()) / static_cast<float>(light->height()));
    balls.draw(ink, *light, {std::abs(projection[0][0]), std::abs(projection[1][1])}, glm::mat3(camera.view()),
               1 / std::max(look.exposure, 1e-6f));
}

/// Draws a sample by the rasteriser into an invisible target, to time it.
void ParticleRenderer::State::timeSample(const SpriteStyle& ink) {
    tried.fit(ink.count, kTried);
    if (!triedLight || triedLight->width() != light->width() || triedLight->height() != light->height() ||
        triedLight->format() != light->format())
        triedLight.emplace(light->format(), light->width(), light->height());
    triedTimer.begin();
    raster.drawSample(ink, *triedLight, tried);
    triedTimer.end();
}

/// Reads finished measurements.
void ParticleRenderer::State::readTimes() {
    if (const std::optional<double> taken = triedTimer.take(); taken && tried.count() > 0)
        chooser.measuredSample(*taken * static_cast<double>(tried.bodies()) / static_cast<double>(tried.count()));
    if (!chooser.measuring()) triedLight.reset();
    for (const DrawTimes& frame : timer.take()) {
        if (frame.whole) {
            chooser.measured(frame.path, frame.milliseconds);
            wholeMilliseconds = frame.milliseconds;
        }
        milliseconds = frame.milliseconds;
        timedTag = frame.tag;
        if (times.size() == kMostTimes) times.erase(times.begin());
        times.push_back(frame);
    }
}

ParticleRenderer::ParticleRenderer() : state_(std::make_unique<State>()) {}
ParticleRenderer::~ParticleRenderer() = default;

void ParticleRenderer::draw(const ParticleBuffer& bodies, const Camera& camera, const Look& look, unsigned framebuffer,
                            int width, int height) {
    drawSo(false, bodies, camera, look, framebuffer, width, height);
}

void ParticleRenderer::drawAgain(const ParticleBuffer& bodies, const Camera& camera, const Look& look, unsigned framebuffer,
                                 int width, int height) {
    State& state = *state_;
    // A film of another size has its own pictures: otherwise both would be reallocated twice a frame.
    if (!state.light || state.fits(width, height)) {
        drawSo(true, bodies, camera, look, framebuffer, width, height);
        return;
    }
    if (!state.attitude && look.photograph.on) state.attitude.emplace();
    struct Exchanged {
        State& state;
        explicit Exchanged(State& whose) : state(whose) { state.exchangeBeside(); }
        ~Exchanged() { state.exchangeBeside(); }
    } const exchanged(state);
    state.beside.age = 0;
    drawSo(true, bodies, camera, look, framebuffer, width, height);
}

void ParticleRenderer::beginPieces(std::size_t bodies) {
    state_->whole = bodies;
    state_->before = 0;
}

void ParticleRenderer::drawSo(bool again, const ParticleBuffer& bodies, const Camera& camera, const Look& look,
                              unsigned framebuffer, int width, int height) {
    if (width <= 0 || height <= 0) return;
    State& state = *state_;
    state.readTimes();
    again |= state.whole > 0;
    // Do not reuse pictures while exposure adapts or a trial measures frames.
    const Picture picture{bodies.version(), camera, look, state.quality, state.wish, width, height};
    const bool same = !again && state.reuse && state.last == picture && !look.autoExposure && !state.chooser.measuring();
    state.last.reset();
    if (!again) state.last = picture;
    if (same) state.keep = kKept;
    if (!again) state.reused = same && state.postProcess.showAgain(framebuffer, width, height);
    if (!again && state.reused) return;
    if (!again && ++state.beside.age > kBesideKept) state.beside = {};
    state.postProcess.keep(!again && state.keep-- > 0);
    glDisable(GL_DEPTH_TEST);
    glDisable(GL_CULL_FACE);
    glDisable(GL_SCISSOR_TEST);
    glDisable(GL_BLEND);
    glDisable(GL_FRAMEBUFFER_SRGB);  // the tone pass encodes sRGB, for every kind of framebuffer
    const auto scaled = [scale = std::clamp(state.quality.scale, 0.1f, 1.0f)](int pixels) {
        return std::max(static_cast<int>(std::lround(scale * static_cast<float>(pixels))), 1);
    };
    state.fit(scaled(width), scaled(height), std::max(state.whole, bodies.frontCount()) > kHalfFloatBodies);
    const SpriteStyle ink = state.inkOf(bodies, camera, look);
    const DrawMethod path = state.whole > 0 ? DrawMethod::raster
                            : again         ? state.lastPath(ink)
                                            : state.choosePath(ink, camera, look);
    if (!again) state.timer.begin(path, ink.every == 1, tagOf(state.quality));
    state.drawBodies(path, ink);
    if (state.whole > 0 && (state.before += ink.count) < state.whole) return;
    if (!look.photograph.on) state.drawBalls(ink, camera, look);
    if (state.quality.trails) state.drawTrails(ink, look);
    state.drawBonds(bodies, ink, look);
    ExposedFilm film = state.filmOf(ink, camera, look);
    if (look.photograph.on && look.photograph.starlight == Starlight::galaxies && state.quality.glowShrink > 0)
        film.attitude = state.attitudeOf(ink, camera, look, film);
    state.postProcess.draw(path, *state.light, look, state.quality, framebuffer, width, height, state.timer,
                           look.photograph.on ? &film : nullptr);
    state.whole = state.before = 0;
    if (again) return;
    state.timer.end();
    if (state.chooser.wantsSample()) {
        state.timeSample(ink);
        glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
        glViewport(0, 0, width, height);
    }
}

bool ParticleRenderer::reused() const { return state_->reused; }

void ParticleRenderer::reusePictures(bool on) { state_->reuse = on; }

void ParticleRenderer::requestDrawMethod(DrawMethodRequest wish) { state_->wish = wish; }

void ParticleRenderer::setQuality(const PictureQuality& quality) { state_->quality = quality; }

const DrawMethodChooser& ParticleRenderer::path() const { return state_->chooser; }

void ParticleRenderer::timeStages(bool on) { state_->timer.detailed = on; }

std::vector<DrawTimes> ParticleRenderer::takeTimes() {
    state_->readTimes();
    return std::exchange(state_->times, {});
}

void ParticleRenderer::setTraits(std::span<const BodyTrait> traits) {
    State& state = *state_;
    state.last.reset();
    state.traitCount = traits.size();
    state.traits.reset();
    state.shares = state.darkShares = 0;
    for (const BodyTrait& trait : traits)
        (trait.light < 0 ? state.darkShares : state.shares) += static_cast<double>(std::abs(trait.light));
    if (traits.empty()) return;
    state.traits = std::make_unique<Buffer>();
    allocate(*state.traits, traits.size_bytes(), traits.data(), 0, "the colours of the bodies");
}

void ParticleRenderer::setBonds(std::span<const BondLine> lines) {
    State& state = *state_;
    if (lines.empty() && !state.bonds) return;
    if (!state.bonds) state.bonds.emplace();
    state.last.reset();
    state.bonds->set(lines);
}

void ParticleRenderer::setRadii(std::span<const float> radii) {
    state_->last.reset();
    state_->balls.setRadii(radii);
}

void ParticleRenderer::setMasses(std::span<const float> masses) {
    if (!state_->density) state_->density.emplace();
    state_->density->setMasses(masses);
}

bool ParticleRenderer::measureDensity(const ParticleBuffer& bodies, float size) {
    const State& state = *state_;
    if (!state.density || !state.traits || state.traitCount != bodies.frontCount()) return false;
    state_->last.reset();
    return state_->density->measure(bodies, state.traits->id(), size);
}

double ParticleRenderer::densityMilliseconds() const { return state_->density ? state_->density->milliseconds() : 0; }

void ParticleRenderer::recordTrail(const ParticleBuffer& bodies, const Look& look, std::size_t within) {
    if (look.trails < 2) return;
    if (!state_->trails) state_->trails.emplace();
    state_->last.reset();
    state_->trails->record(bodies, {static_cast<std::size_t>(look.trails), within});
}

void ParticleRenderer::recordTrail(std::span<const ParticleVertex> bodies, const Look& look, std::size_t within) {
    if (look.trails < 2) return;
    if (!state_->trails) state_->trails.emplace();
    state_->trails->recordWithin(bodies, {static_cast<std::size_t>(look.trails), within});
}

void ParticleRenderer::forgetTrails() {
    state_->last.reset();
    if (state_->trails) state_->trails->forget();
}

void ParticleRenderer::sampleValues(const ParticleBuffer& bodies, bool ofTraits) {
    State& state = *state_;
    const std::size_t count = bodies.frontCount();
    if (!bodies.frontBuffer() || count == 0) return;
    if (ofTraits && (!state.traits || state.traitCount != count)) return;
    if (!state.sample) state.sample.emplace(kSampleRuns * kSampleRun * sizeof(ParticleVertex), true);
    const GLuint from = ofTraits ? state.traits->id() : bodies.frontBuffer();
    const std::size_t each = ofTraits ? sizeof(BodyTrait) : sizeof(ParticleVertex);
    state.sampleOfTraits = ofTraits;
    state.sampleCount = 0;
    const std::size_t run = std::min(kSampleRun, (count + kSampleRuns - 1) / kSampleRuns);
    for (std::size_t k = 0; k < kSampleRuns && state.sampleCount + run <= count; ++k) {
        const std::size_t first = count * k / kSampleRuns;
        const std::size_t length = std::min(run, count - first);
        glCopyNamedBufferSubData(from, state.sample->buffer(), static_cast<GLintptr>(first * each),
                                 static_cast<GLintptr>(state.sampleCount * each), static_cast<GLsizeiptr>(length * each));
        state.sampleCount += length;
    }
    state.sample->sent();
}

bool ParticleRenderer::takeValues(std::vector<float>& values, bool wait) {
    State& state = *state_;
    if (!state.sample || !state.sample->arrived(wait)) return false;
    const auto read = [&](const auto& all, auto value) {
        values.resize(all.size());
        std::transform(all.begin(), all.end(), values.begin(), value);
    };
    if (state.sampleOfTraits)
        read(state.sample->read<BodyTrait>(state.sampleCount), [](const BodyTrait& t) { return t.value; });
    else
        read(state.sample->read<ParticleVertex>(state.sampleCount), [](const ParticleVertex& v) { return v.value; });
    return true;
}

double ParticleRenderer::drawMilliseconds() const {
    state_->readTimes();
    return state_->milliseconds;
}

double ParticleRenderer::wholeMilliseconds() const {
    state_->readTimes();
    return state_->wholeMilliseconds;
}

bool ParticleRenderer::timedAtThisQuality() const {
    state_->readTimes();
    return state_->timedTag == tagOf(state_->quality);
}

unsigned ParticleRenderer::lightTexture() const { return state_->light ? state_->light->texture() : 0; }

}  // namespace gravlab
