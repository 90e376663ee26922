// Session: where intent becomes action. Rule: nothing here waits for a device except what the user asked for.
#include "app/session/frame_loop.h"

#include "app/host_clock.h"
#include "app/model/camera_path.h"
#include "app/model/launch.h"
#include "app/model/look.h"
#include "app/services/instruments.h"
#include "app/services/quality_ladder.h"
#include "app/services/rewind.h"
#include "app/services/stale_parts.h"
#include "app/services/trajectory_prediction.h"
#include "app/services/virial_check.h"
#include "app/session/twin.h"
#include "app/view/four_view.h"
#include "render/centre_finder.h"
#include "render/finish_drawing.h"
#include "render/nearest_bodies.h"
#include "render/picker.h"
#include "sim/core/error.h"
#include "sim/measure/profile.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <new>
#include <numbers>

namespace gravlab {
namespace {

// Scene and one copy on the host, state and scratch of a backend, three vertices: what a body costs at most.
constexpr std::size_t kBytesPerBody = 320;

std::size_t bodiesThatFit() {
    const long pages = sysconf(_SC_PHYS_PAGES), bytes = sysconf(_SC_PAGESIZE);
    if (pages <= 0 || bytes <= 0) return 1u << 24;
    return static_cast<std::size_t>(pages) * static_cast<std::size_t>(bytes) / kBytesPerBody;
}

bool near(float a, float b, float scale) { return std::abs(a - b) <= 1e-4f * scale; }

bool alike(const Camera& a, const Camera& b) {
    const float size = std::max(b.distance, 1e-6f);
    return near(a.distance, b.distance, size) && near(a.azimuth, b.azimuth, 1) && near(a.elevation, b.elevation, 1) &&
           near(a.target.x, b.target.x, size) && near(a.target.y, b.target.y, size) && near(a.target.z, b.target.z, size);
}

}  // namespace

Session::Session(const Options& options)
    : tour(std::make_unique<CameraTour>()),
      instruments(std::make_unique<Instruments>()),
      virial(std::make_unique<VirialCheck>()),
      fourView(std::make_unique<FourView>()),
      twin_(std::make_unique<Twin>(runs_)),
      orbit_(std::make_unique<TrajectoryPrediction>()),
      launch_(std::make_unique<LaunchTool>()),
      launchPath_(std::make_unique<DropPrediction>()) {
    runs_.emplace_back(std::make_shared<Simulation>(options.simulation));
    quality = std::make_unique<QualityLadder>();
    intent.stepsPerFrame = options.stepsPerFrame;
    intent.timeBudgetMs = options.timeBudgetMs;
    // What a device has in its queue must last until the frame after the next, and does not keep the window from answering.
    constexpr double kDeviceBudgetMs = 25;
    if (simulation().backend().vertexSpace() == MemorySpace::cudaDevice && !options.has("--time-budget"))
        intent.timeBudgetMs = kDeviceBudgetMs;
    lab.openAt(options.lab);
    facts_.bodiesLimit = bodiesThatFit();
    takeUp();
    applyLook(options.look, look);
    applyCamera(options.look, camera);
    shown_ = camera;
    rotation = options.look.rotation * std::numbers::pi / 180;
    if (!options.look.path.empty()) tour->path = CameraPath(options.look.path);
    if (options.flyPath) tour->start();
    colourMode = colourModeIndex(options.look.colourMode);
    if (options.look.overlay) overlay = *options.look.overlay;
    splat = splatWish(options.look.splat);
    if (options.views == 4) fourView->show(true, look, facts_.settings.bodies);
    quality->on = !options.fullQuality && options.command == Subcommand::view && options.screenshot.empty();
    if (options.look.select) selectId(*options.look.select);
    followAsAsked(options.look.follow);
    orbit_->wanted = options.look.ahead.has_value();
    orbit_->duration = options.look.ahead.value_or(0);
    if (!options.twin.on) return;
    // What the command line asks for is refused by ending, not by a message.
    twin_->apply(options.twin, false);
    intent.twin = twin_->choice();
    if (twin_->note().empty()) return;
    say(twin_->note());
    std::fprintf(stderr, "gravlab: %s\n", twin_->note().c_str());
}

bool Session::apply() {
    const bool reset = intent.reset;
    intent.reset = false;
    if (intent.touch != Touch::none) touch(std::exchange(intent.touch, Touch::none));
    const bool changes = reset || intent.settings != simulation().settings();
    const bool taken = !changes || change(intent.settings, reset);
    if (!taken) intent.twin = twin_->choice();  // asked for together
    rewind();
    applyTwin();
    return taken;
}

bool Session::change(const SimulationSettings& wanted, bool reset) {
    const SimulationSettings before = simulation().settings();
    try {
        if (wanted != before) simulation().apply(wanted);
        if (reset) simulation().reset();
        message_.clear();
        takeUp();
        return true;
    } catch (const std::bad_alloc&) {
        message_ = "There is not enough memory for that; the run goes on as it was.";
        intent.settings = simulation().settings();
    } catch (const DeviceError& error) {
        // A device that failed has lost its state: there is no run to go on with. One that could not be begun with has not.
        if (simulation().settings() != before) throw;
        message_ = error.what();
        intent.settings = before;
    } catch (const Error& error) {
        message_ = error.what();
        intent.settings = simulation().settings();
    } catch (const std::runtime_error& error) {
        // OpenGL has no room for what the simulation had room for.
        message_ = error.what();
        simulation().apply(before);
        takeUp();
    }
    return false;
}

/// Everything that follows from a simulation that is new or was changed.
void Session::takeUp() {
    intent.settings = simulation().settings();
    const Scene* sceneBefore = facts_.scene;
    const SimulationSettings before = facts_.settings;
    const std::uint64_t runBefore = facts_.run;
    readFacts();
    if (facts_.scene != sceneBefore) {
        const bool flat = camera.orthographic;
        camera = sceneCamera(facts_.scene->view);
        camera.orthographic = flat;
        shown_ = camera;
        gliding_ = false;
        drawnAt_ = -1;
    }
    if (facts_.scene != sceneBefore || facts_.settings.bodies != before.bodies) {
        // The scene's own part of the look; the rest is taste.
        const Look own = sceneLook(facts_.scene->view, facts_.settings.bodies);
        if (!sceneBefore) look = own;
        look.pointSize = own.pointSize;
        look.brightness = own.brightness;
        look.valueScale = own.valueScale;
    }
    runs_.front().attach();
    runs_.front().show(shownMode().published);
    // A backend or kernel that changed carries the same bodies on, and a copy of them may be large.
    const bool others = facts_.run != runBefore;
    if (others) {
        startBodies_ = facts_.settings.bodies;
        learnBodies(true);
        fourView->fit(look, facts_.settings.bodies);
        clearSelection();
        undo_.clear();
        responses_.clear();
        launch_->cancel();
        followCentre(std::nullopt);
    }
    // What a change makes wrong goes; the rest stays, so that a slider can be dragged under a picture that is whole.
    const StaleParts stale = staleAfter(before, facts_.settings);
    if (others)
        showAnew();
    else if (stale.vertices)
        simulation().publish(vertices());
    if (stale.rates) telemetry.restart();
    countAnew();
    sayPath();
    followWithTwin(others);
}

/// The bodies are others than those drawn and counted last.
void Session::showAnew() {
    forgetBothTrails();
    simulation().publish(vertices());
    telemetry.restart();
    countAnew();
}

/// What is measured and shown of the forces belongs to another configuration or to other bodies.
void Session::countAnew() {
    stepsSinceChange_ = 0;
    matrixStep_ = -1;
    readProgress();
}

/// `start`: a run begins with them.
void Session::learnBodies(bool start) {
    ParticleSet bodies;
    simulation().snapshot(bodies);
    bodies_ = bodyFacts(bodies);
    tagsStale_ = true;
    learnHeld(bodies);
    if (start) {
        virial->begin(bodies, simulation().force());
        fourView->takeStart(bodies);
    }
    totalMass_ = 0;
    for (const float mass : bodies_.mass) totalMass_ += std::abs(static_cast<double>(mass));
    darkBodies_ = std::any_of(bodies_.group.begin(), bodies_.group.end(), isDark);
    galaxies_ = galaxiesIn(bodies);
    traitsStale_ = true;
}

const ColourMode& Session::shownMode() const {
    const auto modes = colourModes();
    return modes[static_cast<std::size_t>(std::clamp(colourMode, 0, static_cast<int>(modes.size()) - 1))];
}

ValueRange Session::shownRange() const {
    if (&shownMode() == &colourModes().front())
        return {static_cast<double>(look.valueFloor), static_cast<double>(look.valueScale)};
    return range_;
}

/// The look with the colours of the mode: asks backend and renderer for what it needs, once.
Look Session::colouredLook() {
    const bool moved = facts_.step != densityStep_;
    const ColourMode& mode = shownMode();
    const int index = static_cast<int>(&mode - colourModes().data());
    const double unit = mode.unit ? mode.unit(facts_.scene->units).scale : 1;
    if (index != appliedMode_ || traitsStale_) {
        const std::vector<BodyTrait> traits = bodyTraits(mode, bodies_);
        for (Run& run : runs_) {
            if (index != appliedMode_) {
                run.show(mode.published);
                run.publish();
            }
            run.renderer().setTraits(traits);
            if (mode.ofDensity) run.renderer().setMasses(bodies_.mass);
        }
        densityAt_ = -1;
        if (mode.ofTraits) range_ = traitRange(mode, traits, unit);
        rangeKnown_ = mode.ofTraits && !mode.ofDensity;
        appliedMode_ = index;
        traitsStale_ = false;
    }
    constexpr double kDensityInterval = 0.1;  // [s]
    if (mode.ofDensity && (!realTime_ || densityAt_ < 0 || (moved && hostClock() - densityAt_ > kDensityInterval))) {
        for (Run& run : runs_)
            run.renderer().measureDensity(run.vertices(), static_cast<float>(facts_.scene->view.distance));
        densityAt_ = hostClock();
        densityStep_ = facts_.step;
    }
    if ((!mode.ofTraits || mode.ofDensity) && mode.unit && index != 0) {
        // A film waits for the range, so that it depends on the frame alone; a window takes the newest one that is there.
        constexpr double kInterval = 0.25;  // [s]
        const bool wait = !realTime_ || !rangeKnown_;
        const double now = hostClock();
        if (wait || (!sampling_ && now - sampledAt_ > kInterval)) {
            renderer().sampleValues(vertices(), mode.ofDensity);
            sampling_ = true;
            sampledAt_ = now;
        }
        std::vector<float> values;
        if (sampling_ && renderer().takeValues(values, wait)) {
            range_ = roundedRange(values, mode.logarithmic, unit);
            rangeKnown_ = true;
            sampling_ = false;
        }
    }
    Look drawn = look;
    const ValueRange range = shownRange();
    drawn.valueFloor = static_cast<float>(range.low);
    drawn.valueScale = static_cast<float>(range.high);
    drawn.logarithmic = mode.logarithmic;
    drawn.useTraits = mode.ofTraits;
    drawn.colourMap = mapOf(mode, look.colourMap);
    constexpr double kAdaptation = 0.5, kFilmFrame = 1.0 / 60;  // [s]
    const double now = hostClock(), passed = realTime_ ? now - drawnAt_ : kFilmFrame;
    drawn.adaptation = drawnAt_ < 0 ? 1 : static_cast<float>(1 - std::exp(-passed / kAdaptation));
    drawnAt_ = now;
    if (!intent.paused || gliding_) adaptingUntil_ = now + 4 * kAdaptation;
    return drawn;
}

void Session::readFacts() {
    facts_.run = simulation().id();
    facts_.revision = simulation().revision();
    facts_.settings = simulation().settings();
    facts_.scene = &simulation().scene();
    facts_.integrator = &simulation().integrator();
    facts_.kernel = &simulation().backend().activeKernel();
    facts_.launch = simulation().backend().launchFacts();
    facts_.device = simulation().backend().description();
    facts_.backendWhy = simulation().backendWhy();
}

void Session::readProgress() {
    facts_.time = simulation().time();
    facts_.step = simulation().step();
    facts_.check = simulation().forceCheck();
    if (facts_.vertexPath != vertices().path()) facts_.vertexPath = vertices().path();
}

void Session::settle() {
    simulation().backend().wait();
    readProgress();
}

/// Tells stderr once which backend and which way of drawing run, and again when one of them changes.
void Session::sayPath() {
    if (saidPath_.size() == facts_.backendWhy.size() + facts_.vertexPath.size() + 1 &&
        saidPath_.starts_with(facts_.backendWhy) && saidPath_.ends_with(facts_.vertexPath))
        return;
    saidPath_ = facts_.backendWhy + "\n" + facts_.vertexPath;
    std::fprintf(stderr, "gravlab: %s\ngravlab: %s\n", facts_.backendWhy.c_str(), facts_.vertexPath.c_str());
}

void Session::advance(bool realTime) {
    realTime_ = realTime;
    // Before the first step: the start is a state too.
    if (realTime && rewind_) rewind_->update(simulation(), feed(), hostClock());
    if (realTime)
        feed().pump(simulation());
    else
        feed().serve(simulation());  // a film waits for what was asked for
    std::int64_t left = intent.paused ? intent.singleSteps : intent.stepsPerFrame;
    if (realTime) left = std::min(left, mostSteps);
    if (left > 0 || twin_->on()) {
        const double seconds = realTime ? quality->budget(intent.timeBudgetMs * 1e-3) : Budget{}.seconds;
        std::int64_t done = twin_->on() ? advancePair(left, seconds, realTime) : 0;
        left -= done;
        while (!twin_->on() && left > 0) {
            const AdvanceStatus status = simulation().advance({.seconds = seconds, .steps = left}, &vertices());
            facts_.stepProgress = status.stepProgress;
            facts_.innerStep = status.innerStep;
            left -= status.stepsCompleted;
            done += status.stepsCompleted;
            if (realTime) break;
        }
        stepsSinceChange_ += done;
        if (done > 0) lastStepAt_ = hostClock();
        if (intent.paused) intent.singleSteps = static_cast<int>(std::max<std::int64_t>(intent.singleSteps - done, 0));
    }
    if (realTime) feed().pump(simulation());  // what came beside the steps is for this frame
    if (twin_->on()) updateTwin();
    if (realTime) {
        beside([&] { conservation.update(simulation(), feed(), hostClock()); });
        const auto kept = [this] { return rewind_ ? rewind_->newest(simulation().step()) : std::nullopt; };
        beside([&] { instruments->update(simulation(), feed(), galaxies_, kept, hostClock()); });
    }
    readProgress();
    sayPath();
    if (realTime) advanceLab();
    refreshMatrix(realTime);
}

/// Memory may be too short for what is measured beside a run, and enough for the run.
void Session::beside(const std::function<void()>& measure) {
    try {
        measure();
    } catch (const std::bad_alloc&) {
        if (!realTime_) throw;
        say("There was not enough memory to measure the run; it goes on.");
    }
}

/// The lab's picture of all pairs, some times a second while it is shown: painted by the device, or from a copy of the
/// bodies.
void Session::refreshMatrix(bool realTime) {
    constexpr double kInterval = 0.12;  // [s]
    const double now = hostClock();
    if (!lab.open || lab.page != LabPage::matrix) return;
    PairMatrix& matrix = lab.matrix;
    matrix.poll(simulation().backend());
    const bool asks = matrix.wantsPair();
    if (realTime && !asks && now - matrixMadeAt_ < kInterval) return;
    if (matrixStep_ == facts_.step && matrix.bodies() == facts_.settings.bodies && !asks) return;
    matrixMadeAt_ = now;
    matrixStep_ = facts_.step;
    if (matrix.paint(simulation().backend(), facts_.settings.backendOptions.device)) {
        if (realTime) return;
        simulation().backend().wait();  // a film shows the numbers of its own frame
        matrix.poll(simulation().backend());
        return;
    }
    ParticleSet bodies;
    if (facts_.settings.bodies <= PairMatrix::kMostBodies) simulation().snapshot(bodies);
    matrix.compute(bodies.position, simulation().force());
    matrix.upload();
}

/// Lets the lab measure beside the running simulation, and takes up what a search has found.
void Session::advanceLab() {
    constexpr double kFactsInterval = 0.5;  // [s]; asking the driver costs some microseconds
    if (const double now = hostClock(); lab.open && now - launchReadAt_ > kFactsInterval) {
        launchReadAt_ = now;
        facts_.launch = simulation().backend().launchFacts();
    }
    // Only while it measures: work that is still on the device would be counted as the kernel's.
    constexpr double kLeastSlice = 0.02;  // [s]; shorter ones would measure little but their own ends
    lab.advance(std::max(intent.timeBudgetMs * 1e-3, kLeastSlice), [this] {
        simulation().backend().wait();
        finishDrawing();
    });
    if (const std::optional<TunedChoice> found = lab.takeTuned()) {
        const Tuning& known = intent.settings.tuning ? *intent.settings.tuning : Tuning();
        intent.settings.tuning = std::make_shared<Tuning>(known.with(*found));
        intent.settings.kernel = {};
    }
}

void Session::draw(unsigned framebuffer, int width, int height) {
    const bool drawn = width > 0 && height > 0;
    if (facts_.step != trailStep_) {
        for (Run& run : runs_) run.renderer().recordTrail(run.vertices(), look);
        trailStep_ = facts_.step;
    }
    // First: the picture and what is written over it then have one camera, and it is that of the step that is shown. A
    // galaxy is followed from step to step, also through those that no one sees.
    if (drawn) findSelection();
    if (drawn || !realTime_) findCentre();
    // A film must not depend on the clock of the machine.
    const PictureQuality picture = realTime_ ? quality->rung().quality : PictureQuality{};
    const PathWish path = !realTime_ && splat == PathWish::automatic ? PathWish::raster : splat;
    for (Run& run : runs_) {
        run.renderer().setQuality(picture);
        run.renderer().setPathWish(path);
    }
    if (drawn) drawnLook_ = colouredLook();
    if (drawn && twin_->on()) {
        twin_->draw(drawnCamera(), drawnLook_, framebuffer, width, height);
    } else if (drawn && fourViewed()) {
        fourView->draw(renderer(), vertices(), drawnCamera(), drawnLook_, framebuffer, width, height);
    } else if (drawn) {
        renderer().draw(vertices(), drawnCamera(), drawnLook_, framebuffer, width, height);
    }
    if (facts_.drawPath != renderer().path().why()) facts_.drawPath = renderer().path().why();
    if (drawn) {
        if (selectedIndex_) {
            findNeighbours();
            beside([this] { readSelected(); });
        }
        lookAhead();
    }
    // The timer knows one picture; four views are four alike.
    const double pictures = fourViewed() ? 4 : 1;
    telemetry.frame(simulation().totals(), hostClock(), drawn && !renderer().reused() ? pictures * renderer().drawMilliseconds() * 1e-3 : 0);
}

void Session::turn(double seconds) {
    if (tour->playing) {
        tour->advance(seconds, camera);
        shown_ = camera;
        gliding_ = false;
        return;
    }
    if (rotation == 0) return;
    const auto angle = static_cast<float>(rotation * std::clamp(seconds, 0.0, 0.25));
    camera.azimuth = std::remainder(camera.azimuth + angle, 2 * std::numbers::pi_v<float>);
    if (!gliding_) shown_ = camera;
}

void Session::glide(double seconds) {
    if (!gliding_ && alike(shown_, camera)) return;
    constexpr double kTimeConstant = 0.05;  // [s]; below this a drag feels direct, above it feels like rubber
    const auto part = static_cast<float>(1 - std::exp(-std::max(seconds, 0.0) / kTimeConstant));
    shown_.distance *= std::pow(camera.distance / shown_.distance, part);
    shown_.azimuth += part * std::remainder(camera.azimuth - shown_.azimuth, 6.2831853f);
    shown_.elevation += part * (camera.elevation - shown_.elevation);
    shown_.target += part * (camera.target - shown_.target);
    shown_.fieldOfView = camera.fieldOfView;
    shown_.orthographic = camera.orthographic;
    gliding_ = !alike(shown_, camera);
    if (!gliding_) shown_ = camera;
}

void Session::frameTook(double seconds, double workSeconds) {
    // Frames of a trial are drawn the slower way on purpose.
    if (runs_.front().hasPicture() && !renderer().path().measuring())
        quality->frame(seconds, workSeconds,
                       renderer().reused() ? 0 : (fourViewed() ? 4 : 1) * renderer().drawMilliseconds() * 1e-3);
}

bool Session::moving() const {
    if (!intent.paused || intent.singleSteps > 0 || intent.reset || gliding_ || lab.busy()) return true;
    if (conservation.waiting() || instruments->busy() || virial->busy() || (lab.open && lab.matrix.waiting())) return true;
    if (orbit_->busy() || launch_->dragging() || launchPath_->busy() || readState_.waiting()) return true;
    if (rotation != 0 || tour->playing || pickWanted_ || pickAsked_ || intent.touch != Touch::none) return true;
    if (intent.rewindTo || intent.rewindBy != 0 || intent.twin != twin_->choice()) return true;
    if (runs_.front().hasPicture() && runs_.front().renderer().path().measuring()) return true;
    if (!twin_->even()) return true;
    if (look.autoExposure && hostClock() < adaptingUntil_) return true;
    // The result of a force check may still be on its way. A step that was never completed sends none.
    constexpr double kPatience = 3;  // [s]
    return !facts_.check && stepsSinceChange_ > 0 && hostClock() - lastStepAt_ < kPatience;
}

}  // namespace gravlab
