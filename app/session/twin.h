// A twin in the window and in films: the second run with its own vertices and picture, on the first one's clock.
// Rule: whatever happens to the twin, the first run goes on.
#pragma once
#include "app/services/twin_watch.h"
#include "render/camera.h"
#include "render/pair_picture.h"
#include "render/particle_buffer.h"
#include "render/particle_renderer.h"

#include <glm/vec2.hpp>

#include <array>
#include <memory>
#include <span>
#include <string>
#include <utility>

namespace gravlab {

/// Where one of two runs is shown: a part of the surface, and how much farther away its camera stands so that a narrow part
/// shows as much to both sides as upwards.
struct TwinPane {
    PicturePart part;
    float stretch = 1;
};

/// Both, within the part of the surface that no panel covers.
std::array<TwinPane, 2> twinPanes(TwinView view, int width, int height, const PicturePart& free);

class Twin {
public:
    Twin();
    ~Twin();

    bool on() const { return run_ != nullptr; }
    /// What is in force; off where there is no twin.
    const TwinChoice& choice() const { return choice_; }
    Simulation& simulation() { return run_->simulation(); }
    const Simulation& simulation() const { return run_->simulation(); }
    /// What tells the runs apart, first and twin.
    const std::pair<std::string, std::string>& labels() const { return labels_; }
    const TwinWatch& watch() const { return watch_; }
    /// What a person should know about the settings in force; empty: nothing.
    std::string note() const { return run_ ? run_->note() : std::string(); }

    /// Starts, changes or ends the twin. `edited`: the first's bodies are not its scene's any more. Throws as Simulation
    /// does, and std::runtime_error where OpenGL has no room; what was in force then stays.
    void apply(Simulation& first, StateFeed& feed, const TwinChoice& wanted, bool edited);
    /// The first run has started again or has changed. Throws likewise; the twin is then off.
    void follow(Simulation& first, StateFeed& feed, bool restarted);
    /// The first run's bodies were edited so. Throws likewise; the twin is then off.
    void edit(Simulation& first, StateFeed& feed, const TwinRun::Edits& edits);
    void end();

    /// What the first run has made of the last advance(), which may have failed later.
    struct Progress {
        std::int64_t steps = 0;
        double stepProgress = 0, innerStep = 0;  ///< as AdvanceStatus has them
    };
    const Progress& progress() const { return progress_; }
    /// Advances both by up to `steps` of the first within `seconds`; neither waits for a device. Stores both for the
    /// picture when they are at one time. A failure of the twin ends it and is thrown as DeviceError or UsageError.
    void advance(Simulation& first, StateFeed& feed, ParticleBuffer& shown, std::int64_t steps, double seconds,
                 bool realTime);
    /// Nothing is left to do for the twin until the first goes on.
    bool even() const { return !on() || even_; }
    /// Takes up measurements. Once a frame.
    void update(bool realTime);

    /// What the backend stores with vertices, and what bodies look like; both as the first's.
    void setShown(VertexValue value, std::span<const BodyTrait> traits);
    void publish();
    /// See ParticleRenderer: both pictures get the same.
    void setMasses(std::span<const float> masses);
    void measureDensity(float size);
    void setDrawing(const PictureQuality& quality, PathWish path);
    void recordTrail(const Look& look);
    void forgetTrails();
    /// Draws both; `again` as ParticleRenderer::drawAgain() does. `renderer` and `shown` are the first's.
    void draw(ParticleRenderer& renderer, const ParticleBuffer& shown, const Camera& camera, const Look& look,
              unsigned framebuffer, int width, int height, bool again = false);

    /// The OpenGL context is lost: its part goes while that is still current, and comes back in another one.
    void dropPicture();
    void remakePicture();

    /// Part of the surface that no panel covers; empty: all of it.
    void setFree(const PicturePart& free) { free_ = free; }
    const PicturePart& free() const { return free_; }
    std::array<TwinPane, 2> panes(int width, int height) const { return twinPanes(choice_.view, width, height, free_); }
    const ParticleBuffer& vertices() const { return *buffer_; }

private:
    void start(Simulation& first, StateFeed& feed, const TwinChoice& wanted, bool fromPresent);
    void attachBuffer();
    void learnLabels(const Simulation& first);

    TwinChoice choice_;
    std::unique_ptr<ParticleRenderer> renderer_;
    std::unique_ptr<ParticleBuffer> buffer_;
    std::unique_ptr<TwinRun> run_;  // after the buffer: a backend lets go of it before it goes
    std::unique_ptr<PairPicture> picture_;
    StateFeed feed_;
    TwinWatch watch_;
    std::pair<std::string, std::string> labels_;
    VertexValue value_ = VertexValue::speed;
    PicturePart free_;
    MemorySpace bufferSpace_ = MemorySpace::host;
    int bufferDevice_ = -1;
    bool even_ = true;
    Progress progress_;
    double stepSeconds_ = 0;  ///< host time of one step of the first with what the twin makes beside it
    std::int64_t shownStep_ = -1, shownTwinStep_ = -1;
};

}  // namespace gravlab
