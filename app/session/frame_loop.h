// The one frame loop, driven by the window and by headless rendering alike:
// panels edit wanted settings -> apply -> advance -> draw -> UI. Panels never call the simulation: they read Facts.
#pragma once
#include "app/lab/lab.h"
#include "app/model/colour_mode.h"
#include "app/model/facts.h"
#include "app/model/intent.h"
#include "app/model/options.h"
#include "app/services/conservation.h"
#include "app/services/run.h"
#include "app/services/state_feed.h"
#include "app/services/telemetry.h"
#include "render/camera.h"
#include "sim/core/body_edit.h"
#include "sim/run/simulation.h"

#include <glm/ext/vector_double3.hpp>

#include <array>
#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace gravlab {

struct LaunchOrder;
struct LaunchScene;
class VirialCheck;
struct CameraTour;
class CentreFinder;
class FourView;
class Instruments;
class DropPrediction;
class LaunchTool;
class NearestBodies;
class TrajectoryPrediction;
class Picker;
class QualityLadder;
class Rewind;
class Twin;

/// One running scene with its buffer, camera and facts.
class Session {
public:
    /// Needs a current OpenGL context. The start is published, so that a draw before the first advance shows t = 0.
    explicit Session(const Options& options);
    ~Session();
    /// Takes up changed intent. A refused change leaves the run as it was and its text in `message()`, and gives false.
    bool apply();
    /// Advances within the budget (realTime) or exactly stepsPerFrame steps (film), and publishes.
    void advance(bool realTime);
    /// Waits for the device of the run and takes up what is known then: for those who must not see how long it takes.
    void settle();
    /// Draws the newest complete step and reads the timers that have finished. A size of 0 only reads them.
    void draw(unsigned framebuffer, int width, int height);
    /// What was drawn last once more, for a film beside the window or in parts: nothing recorded, nothing measured, light as
    /// draw() found it. `part`: left, bottom, width and height, in parts of the whole picture; twins have no parts.
    void drawAgain(unsigned framebuffer, int width, int height, const glm::vec4& part = {0, 0, 1, 1});

    /// Lets go of everything of OpenGL while its context is still current: that one is lost. The run, the camera and all
    /// that was chosen stay. Only remakePicture() may follow. Throws DeviceError when the simulation's device is lost too.
    void dropPicture();
    /// Makes it anew in the context that is current now and publishes the newest complete step. Trails start anew.
    void remakePicture();

    /// Selects the body nearest to a point of the picture (pixels from the upper left corner), or nothing.
    void pickAt(glm::vec2 cursor, glm::vec2 viewport);
    /// Selects body `index`; nothing where there is none.
    void select(std::size_t index);
    void clearSelection();
    /// Selects the body of that id. Throws UsageError when there is none.
    void selectId(std::uint32_t id);
    /// Bodies that are held, the first few.
    const std::vector<HeldBody>& heldBodies() const { return held_; }
    const std::optional<BodyReadout>& selected() const { return selected_; }

    static constexpr int kWholeScene = -1;
    /// Keeps the centre of mass of all bodies (kWholeScene) or a galaxy in the middle; empty: neither.
    void followCentre(std::optional<int> which);
    /// What --follow says: body, centre, or a galaxy's number from 1. Throws UsageError for what is not there.
    void followAsAsked(const std::string& what);
    /// Goes on: all bodies, the first galaxy, ..., nothing.
    void followNext();
    const std::optional<int>& followedCentre() const { return followed_; }

    /// The path of the selected body ahead.
    TrajectoryPrediction& orbit() const { return *orbit_; }
    /// Dropping bodies by hand, and the path that the one under the arrow would take.
    LaunchTool& launch() const { return *launch_; }
    const DropPrediction& launchPath() const { return *launchPath_; }
    /// What a drop must know of the run.
    LaunchScene launchScene() const;
    /// The arrow begins or ends at the cursor.
    void startDrop(glm::vec2 cursor, glm::vec2 surface);
    void moveDrop(glm::vec2 cursor);
    /// Drops what the arrow points at.
    void dropPending();

    /// Keeps states to go back to from now on, in at most so much memory. Windows only: each is a copy of all bodies.
    void keepHistory(std::size_t bytes);
    /// Null as long as no history is kept.
    const Rewind* history() const { return rewind_.get(); }

    /// The second run, which may be off.
    const Twin& twin() const;
    Twin& twin();
    /// A point of the surface in the picture that is there: one of two where twins share the surface, or of four.
    struct SurfaceSpot {
        glm::vec2 cursor, size;  ///< pixels from that picture's upper left corner
        Camera camera;           ///< that it is drawn with
        bool ofTwin = false;
    };
    SurfaceSpot spotAt(glm::vec2 cursor, glm::vec2 surface) const;
    /// Camera moves by pixels of the picture under the cursor: towards it, with it, onto it.
    void zoomAt(float steps, glm::vec2 cursor, glm::vec2 surface);
    void panBy(glm::vec2 pixels, glm::vec2 cursor, glm::vec2 surface);
    void centreOn(glm::vec2 cursor, glm::vec2 surface);

    /// Lets the camera turn or fly by itself for `seconds`, if it shall. Once a frame, before glide() in windows.
    void turn(double seconds);
    /// Lets the drawn camera glide towards `camera` for `seconds`; without it the drawn camera is `camera`.
    void glide(double seconds);
    /// What bodies were drawn with last.
    const Camera& drawnCamera() const { return gliding_ ? shown_ : camera; }
    const ColourMode& shownMode() const;
    /// Ends of the colour map, in the scene's units.
    ValueRange shownRange() const;
    /// Whether the scene has bodies of dark matter, which Look::darkLight dims.
    bool hasDarkBodies() const { return darkBodies_; }
    /// How many bodies the scene began with, before any was dropped or removed by hand.
    std::size_t startBodies() const { return startBodies_; }
    /// Bodies were changed by hand since the start.
    bool edited() const { return edited_; }
    /// How many galaxies (or species, or single bodies) the scene tells apart.
    int galaxies() const { return galaxies_; }
    /// A frame of a window took this long until it was shown, and until it was handed to the display [s]; the quality of the
    /// next ones follows.
    void frameTook(double seconds, double workSeconds);
    /// Whether the next frame would differ from the last one without any new intent.
    bool moving() const;

    Simulation& simulation() { return runs_.front().simulation(); }
    const Simulation& simulation() const { return runs_.front().simulation(); }
    /// States of the run, for what works beside its frames.
    StateFeed& feed() { return runs_.front().feed(); }
    ParticleRenderer& renderer() { return runs_.front().renderer(); }
    ParticleBuffer& vertices() { return runs_.front().vertices(); }
    const Facts& facts() const { return facts_; }
    /// Why the last change was refused, or what else there is to say. Stays until a change succeeds or it is dismissed.
    const std::string& message() const { return message_; }
    void dismissMessage() { message_.clear(); }
    /// Shows a sentence in the same place: a number that is none, a picture that was written.
    void say(std::string text) { message_ = std::move(text); }

    Intent intent;
    Camera camera;
    Look look;
    int colourMode = 0;  ///< row of colourModes()
    OverlayChoice overlay;
    PathWish splat = PathWish::automatic;  ///< how a window draws; films take the rasteriser unless one way is asked for
    bool follow = false;                   ///< keeps the selected body in the middle
    double rotation = 0;                   ///< of the camera by itself [rad/s]
    std::array<std::optional<Camera>, 9> views;  ///< saved ones
    std::unique_ptr<CameraTour> tour;            ///< never null
    /// Of the next advance() of a window: up to the next frame of a film.
    std::int64_t mostSteps = std::numeric_limits<std::int64_t>::max();
    std::unique_ptr<QualityLadder> quality;  ///< of a window's picture
    Telemetry telemetry;
    Lab lab;
    ConservationWatch conservation;
    std::unique_ptr<Instruments> instruments;  ///< a galaxy over its radius; never null
    std::unique_ptr<VirialCheck> virial;       ///< of the bodies that the run began with; never null
    std::unique_ptr<FourView> fourView;        ///< never null
    /// Whether the surface shows four views now: twins share it in their own way.
    bool fourViewed() const;

private:
    bool change(const RunRequest& wanted, bool reset);
    void takeUp();
    void readFacts();
    void readProgress();
    void beside(const std::function<void()>& measure);
    void advanceLab();
    /// Edits to make to the bodies as they are at a step boundary, of the first run or of its twin.
    using Edits = std::function<std::vector<BodyEdit>(const ParticleSet& now, bool ofTwin)>;

    void learnBodies(bool start = false);
    void findSelection();
    void readSelected();
    void readFrom(const FedState& state);
    void findNeighbours();
    void touch(Touch wanted);
    void makeEdits(const Edits& edits);
    bool tryEdits(const Edits& edits);
    void edit(const Edits& change, const Edits& back);
    void removeSelected();
    void dropStar();
    void holdSelected(bool moving);
    void launchOrder();
    void dropBodies(const LaunchOrder& order);
    std::uint8_t newGroup() const;
    void lookAhead();
    void findCentre();
    bool shines(int galaxy) const;
    void learnHeld(const ParticleSet& bodies);
    void undo();
    void rewind();
    void applyTwin();
    void followWithTwin(bool restarted);
    void bringTwin();
    void updateTwin();
    void editTwin(const Edits& edits);
    std::int64_t advancePair(std::int64_t steps, double seconds, bool realTime);
    void forgetBothTrails();
    void showAnew();
    void countAnew();
    template <class Action>
    void tryTwin(Action action);
    Look colouredLook();
    void refreshMatrix(bool realTime);
    void sayPath();

    std::deque<Run> runs_;        ///< the first, and the one that it is compared with
    std::unique_ptr<Twin> twin_;  // after the runs, which it adds to
    bool edited_ = false;         ///< the bodies are not the scene's any more
    struct PickRequest {
        glm::vec2 cursor, viewport;
    };
    std::unique_ptr<Rewind> rewind_;
    std::unique_ptr<Picker> picker_;  // from the first click
    std::optional<PickRequest> pickWanted_;
    bool pickAsked_ = false;
    std::optional<std::size_t> selectedIndex_;
    std::optional<BodyReadout> selected_;
    double readAt_ = -1;  ///< [s]
    std::int64_t readStep_ = -1;
    StateTicket readState_;
    struct Undo {
        Edits edits;
        std::int64_t step;  ///< at which what it takes back was done
    };
    std::vector<Undo> undo_;                  ///< newest last
    std::unique_ptr<NearestBodies> nearest_;  // from the first selection
    double nearestAt_ = -1;                   ///< [s]
    std::int64_t nearestStep_ = -1;
    std::vector<HeldBody> held_;
    std::unique_ptr<CentreFinder> centreFinder_;  // from the first use
    std::optional<int> followed_;
    glm::vec3 centre_{0};
    bool centreKnown_ = false, centreAsked_ = false, tagsStale_ = true;
    std::unique_ptr<TrajectoryPrediction> orbit_;
    std::unique_ptr<LaunchTool> launch_;
    std::unique_ptr<DropPrediction> launchPath_;
    double totalMass_ = 0;
    glm::vec2 dropFrom_{0};                      ///< corner of the picture that the arrow began in
    double usualResponse_ = 1;                   ///< of bodies that are not held
    std::map<std::uint32_t, double> responses_;  ///< of bodies that are held, from before
    BodyFacts bodies_;
    bool darkBodies_ = false;
    int galaxies_ = 0;
    std::size_t startBodies_ = 0;
    bool traitsStale_ = true;
    int appliedMode_ = -1;
    ValueRange range_;  ///< of modes that find their own
    bool rangeKnown_ = false, sampling_ = false;
    double sampledAt_ = -1, densityAt_ = -1;  ///< [s]
    std::int64_t densityStep_ = -1;
    bool realTime_ = false;
    std::int64_t trailStep_ = -1;  ///< newest step in the trails
    double drawnAt_ = -1;          ///< [s]; below 0: light adapts at once
    double adaptingUntil_ = 0;
    Facts facts_;
    Camera shown_;
    Look drawnLook_;  ///< what bodies were drawn like last
    bool gliding_ = false;
    std::int64_t stepsSinceChange_ = 0;
    double lastStepAt_ = 0;  ///< host clock [s]
    double launchReadAt_ = 0, matrixMadeAt_ = 0;
    std::int64_t matrixStep_ = -1;
    std::string message_;
    std::string saidPath_;  ///< what stderr has been told
};

}  // namespace gravlab
