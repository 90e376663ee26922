// A twin in the window and in films: the second of two runs, on the first one's clock.
// Rule: whatever happens to the twin, the first run goes on.
#pragma once
#include "app/services/run.h"
#include "app/services/twin_watch.h"
#include "render/camera.h"
#include "render/pair_picture.h"

#include <glm/vec2.hpp>

#include <array>
#include <deque>
#include <memory>
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
    /// `runs`: the first run, behind which this puts the second.
    explicit Twin(std::deque<Run>& runs);
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
    void apply(const TwinChoice& wanted, bool edited);
    /// The first run has started again or has changed. Throws likewise; the twin is then off.
    void follow(bool restarted);
    /// The first run's bodies were edited so. Throws likewise; the twin is then off.
    void edit(const TwinRun::Edits& edits);
    void end();

    /// What the first run has made of the last advance(), which may have failed later.
    struct Progress {
        std::int64_t steps = 0;
        double stepProgress = 0, innerStep = 0;  ///< as AdvanceStatus has them
    };
    const Progress& progress() const { return progress_; }
    /// Advances both by up to `steps` of the first within `seconds`; neither waits for a device. Stores both for the
    /// picture when they are at one time. A failure of the twin ends it and is thrown as DeviceError or UsageError.
    void advance(std::int64_t steps, double seconds, bool realTime);
    /// Nothing is left to do for the twin until the first goes on.
    bool even() const { return !on() || even_; }
    /// Takes up measurements. Once a frame.
    void update(bool realTime);

    /// Draws both; `again` as ParticleRenderer::drawAgain() does.
    void draw(const Camera& camera, const Look& look, unsigned framebuffer, int width, int height, bool again = false);

    /// The OpenGL context is lost: what shows both together goes while that is still current, and comes back in another.
    void dropPicture();
    void remakePicture();

    /// Part of the surface that no panel covers; empty: all of it.
    void setFree(const PicturePart& free) { free_ = free; }
    const PicturePart& free() const { return free_; }
    std::array<TwinPane, 2> panes(int width, int height) const { return twinPanes(choice_.view, width, height, free_); }

private:
    Run& first() { return runs_.front(); }
    Run& second() { return runs_.back(); }
    void start(const TwinChoice& wanted, bool fromPresent);
    void takeUp();
    void publish();
    TwinWatch::Side side(Run& run) { return {run.simulation(), run.feed(), run.vertices()}; }

    std::deque<Run>& runs_;

    TwinChoice choice_;
    std::unique_ptr<TwinRun> run_;
    std::unique_ptr<PairPicture> picture_;
    TwinWatch watch_;
    std::pair<std::string, std::string> labels_;
    PicturePart free_;
    bool even_ = true;
    Progress progress_;
    double stepSeconds_ = 0;  ///< host time of one step of the first with what the twin makes beside it
    std::int64_t shownStep_ = -1, shownTwinStep_ = -1;
};

}  // namespace gravlab
