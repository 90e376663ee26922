#include "app/runs/run_host.h"

#include "app/model/look.h"
#include "app/runs/device_parts.h"
#include "app/system/host_clock.h"
#include "app/system/progress.h"
#include "sim/api/errors.h"
#include "sim/contact/contact.h"
#include "sim/core/pages.h"
#include "sim/forces/bonds/bonds.h"
#include "sim/measure/profile.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <new>
#include <stdexcept>
#include <utility>

namespace gravlab {
namespace {

// Largest memory per body: scene and one copy on the host, state and scratch of a backend, three vertices.
constexpr std::size_t kBytesPerBody = 320;
constexpr const char* kNoMemoryForTwin = "There is not enough memory for a twin; the first run continues alone.";

std::size_t bodiesThatFit() {
    const long pages = sysconf(_SC_PHYS_PAGES), bytes = sysconf(_SC_PAGESIZE);
    if (pages <= 0 || bytes <= 0) return 1u << 24;
    return static_cast<std::size_t>(pages) * static_cast<std::size_t>(bytes) / kBytesPerBody;
}

}  // namespace

RunHost::RunHost(Document& document, const RunRequest& request, bool picture) : document_(document) {
    runs_.emplace_back(std::make_shared<Simulation>(request), picture);
    document_.facts.bodiesLimit = bodiesThatFit();
    followSimulation();
}

bool RunHost::apply(bool again) {
    Intent& intent = document_.intent;
    const bool changes = again || intent.request != simulation().request();
    const bool taken = !changes || change(intent.request, again);
    if (!taken) intent.twin = twin_.choice();  // requested together
    applyTwin();
    for (Run& run : runs_)
        if (run.copyVertices(document_.copyVertices)) run.publish();
    return taken;
}

bool RunHost::change(const RunRequest& wanted, bool reset) {
    const RunRequest before = simulation().request();
    const std::uint64_t revision = simulation().revision();
    first().feed().beforeChange(simulation());
    try {
        if (wanted != before) simulation().apply(wanted);
        if (reset) simulation().reset();
        document_.dismissMessage();
        followSimulation();
        return true;
    } catch (const std::bad_alloc&) {
        document_.warn("There is not enough memory for that; the run continues unchanged.");
        document_.intent.request = simulation().request();
    } catch (const DeviceError& error) {
        // A device that failed has lost its state: its run cannot continue. One that failed to start has not.
        if (simulation().revision() != revision) throw;
        document_.warn(error.what());
        document_.intent.request = before;
    } catch (const Error& error) {
        document_.warn(error.what());
        document_.intent.request = simulation().request();
    } catch (const std::runtime_error& error) {
        // OpenGL has too little memory, although the simulation had enough.
        document_.warn(error.what());
        simulation().apply(before);
        followSimulation();
    }
    return false;
}

/// Updates everything that depends on a simulation that is new or was changed.
void RunHost::followSimulation() {
    Document& d = document_;
    d.intent.request = simulation().request();
    const Scene* sceneBefore = d.facts.scene;
    const RunConfiguration before = d.facts.configuration;
    const std::uint64_t runBefore = d.facts.bodiesId;
    readFacts();
    const SceneView& view = d.facts.scene->view;
    if (d.facts.scene != sceneBefore) {
        if (d.intent.speed > 0) d.intent.speed = ownSpeed(d.facts);
        const bool flat = d.camera.orthographic;
        d.camera = sceneCamera(view);
        d.camera.orthographic = flat;
        d.shown = d.camera;
        d.gliding = false;
    }
    if (d.facts.scene != sceneBefore || d.facts.configuration.bodies != before.bodies) {
        if (!sceneBefore) d.look = sceneLook(view, d.facts.configuration.bodies);
        fitScene(d.look, view, d.facts.configuration.bodies);
        d.bringTrails();
    }
    first().attach();
    first().show(d.shownMode().published);
    // A backend or kernel that changed keeps the same bodies, and a copy of them may be large.
    const bool others = d.facts.bodiesId != runBefore;
    if (others) {
        d.facts.startBodies = d.facts.configuration.bodies;
        d.intent.singleSteps = 0;  // those of the run before
        refreshBodyCache(true);
        d.fitFourViews();
        d.clearSelection();
        editor_.begin();
        d.drop.cancel();
        d.pull.end();
        d.followCentre(std::nullopt);
        ProfileRequest& profile = d.profileWanted;
        if (d.facts.scene != sceneBefore) profile = usualProfile(d.facts.galaxies);
        if (profile.galaxy >= d.facts.galaxies) profile.galaxy = -1;
    }
    // Drops what a change invalidates and keeps the rest, so that a slider can be dragged under a complete picture.
    const StaleParts stale = staleAfter(before, d.facts.configuration);
    if (others)
        showAnew();
    else if (stale.vertices || ahead_ > 0)
        first().publish();
    if (stale.rates) ++rateChanges_;
    countAnew();
    sayPath();
    followWithTwin(others);
}

/// The same for edited bodies.
void RunHost::followEdits() {
    if (history_) history_->edited(simulation());
    document_.intent.request = simulation().request();
    readFacts();
    refreshBodyCache();
    showAnew();
}

/// The same after one body got another velocity: places, ids and masses are those before.
void RunHost::afterSteer() {
    if (history_) history_->edited(simulation());
    document_.intent.request = simulation().request();
    readFacts();
    document_.facts.edited = true;
}

/// The same after bodies have merged within a step.
void RunHost::followMergers() {
    if (simulation().configuration().bodies == document_.facts.configuration.bodies) return;
    readFacts();
    refreshBodyCache();
    document_.facts.starts.clear();  // by index
    forgetTrails();
    editor_.selectAgain();
}

/// The bodies differ from those drawn and counted last.
void RunHost::showAnew() {
    forgetTrails();
    first().publish();
    ++rateChanges_;
    countAnew();
}

/// Force measurements and their display belong to another configuration or to other bodies.
void RunHost::countAnew() {
    stepsSinceChange_ = ahead_ = 0;
    forecast_ = {};
    document_.facts.stepForecast = 0;
    readProgress();
}

/// `start`: a run begins with these bodies.
void RunHost::refreshBodyCache(bool start) {
    RunFacts& facts = document_.facts;
    ParticleSet bodies = simulation().bodies();
    facts.bodies = std::make_shared<const BodyFacts>(bodyFacts(bodies, start ? nullptr : facts.bodies.get()));
    facts.held = heldBodies(bodies, simulation().time());
    facts.usualResponse = usualResponse(bodies);
    if (start)
        if (const std::size_t pairs = simulation().overlaps(); pairs > 0)
            document_.say(std::to_string(pairs) + (pairs == 1 ? " pair of bodies overlaps" : " pairs of bodies overlap") +
                          " at the start; the first step resolves them.");
    if (start) {
        // Bonds and fields hold bodies, too.
        virial_.begin(bodies, simulation().force(), simulation().configuration().others().empty());
        facts.starts = bodies.size() <= Document::kMostStarts ? bodies.position : std::vector<Double4>();
    }
    facts.totalMass = 0;
    for (const float mass : facts.bodies->mass) facts.totalMass += std::abs(static_cast<double>(mass));
    facts.darkBodies = hasDark(facts.bodies->group);
    facts.galaxies = galaxiesIn(bodies);
    dropPages(bodies.position);
    dropPages(bodies.velocity);
    ++appearanceRevision_;
}

void RunHost::readFacts() {
    RunFacts& facts = document_.facts;
    if (std::exchange(facts.bodiesId, simulation().bodiesId()) != facts.bodiesId) facts.stepProgress = facts.innerStep = 0;
    facts.runId = simulation().runId();
    facts.revision = simulation().revision();
    facts.configuration = simulation().configuration();
    facts.scene = &simulation().scene();
    facts.names = simulation().names();
    facts.integrator = &simulation().integrator();
    facts.kernel = &simulation().backend().activeKernel();
    facts.pairsOfForce = simulation().backend().pairsOfForce();
    facts.launch = simulation().backend().launchFacts();
    facts.figures = simulation().backend().figures();
    facts.device = simulation().backend().description();
    facts.devices = deviceParts(simulation());
    facts.backendWhy = simulation().backendWhy();
    // Until the first picture counts the bonds that it shows.
    for (const auto& term : simulation().terms())
        if (const auto* bonds = dynamic_cast<const Bonds*>(term.get()); bonds && facts.bondLines == 0) {
            facts.brokenBonds = bonds->broken().size();
            facts.bondLines = bonds->list().size() - facts.brokenBonds;
        }
}

void RunHost::readProgress() {
    RunFacts& facts = document_.facts;
    facts.time = simulation().time();
    facts.step = simulation().step();
    facts.check = simulation().forceCheck();
    facts.contacts = simulation().contacts();
    if (facts.integrator && inBlocks(facts.integrator->program)) facts.figures = simulation().backend().figures();
    if (first().hasPicture() && facts.vertexPath != first().vertices().path()) facts.vertexPath = first().vertices().path();
    facts.history.reset();
    if (!history_) return;
    facts.history = HistoryFacts{.states = history_->marks().size(), .bytes = history_->bytes()};
    if (facts.history->states > 0) facts.history->oldestStep = history_->marks().front().step;
}

void RunHost::settle() {
    simulation().backend().wait();
    readProgress();
}

/// Reports on stderr once which backend and which way of drawing run, and again when one of them changes.
void RunHost::sayPath() {
    const RunFacts& facts = document_.facts;
    std::string said = "gravlab: " + facts.backendWhy + "\n";
    if (!facts.vertexPath.empty()) said += "gravlab: " + facts.vertexPath + "\n";
    if (said == saidPath_) return;
    saidPath_ = std::move(said);
    std::fputs(saidPath_.c_str(), stderr);
}

std::size_t RunHost::replay(std::size_t count, const std::function<RunState(std::size_t)>& read) {
    constexpr std::size_t kLeastBytes = 32;  // a body, packed
    const std::size_t fit = history_->budget() / (kLeastBytes * std::max<std::size_t>(simulation().backend().size(), 1)),
                      most = std::clamp<std::size_t>(fit, 1, History::kMostMarks), every = (count + most - 1) / most;
    std::vector<RunState> states;
    for (std::size_t i = (count - 1) % every; i < count; i += every) states.push_back(read(i));
    const auto time = [](const RunState& state) { return state.clock.time(); };
    const auto step = [](const RunState& state) { return state.clock.step; };
    std::ranges::stable_sort(states, {}, time);
    if (time(states.front()) == time(states.back()))  // they are unknown
        for (std::size_t i = 0; i < states.size(); ++i) states[i].clock.t0 = static_cast<double>(i);
    const bool rises = std::ranges::adjacent_find(states, std::ranges::greater_equal(), step) == states.end();
    std::vector<FedState> all;
    for (RunState& state : states) {
        if (const auto i = static_cast<std::int64_t>(all.size()); !rises)
            state.clock = {i, i, time(state), state.clock.timeStep};
        all.push_back(
            {.state = std::move(state), .configuration = simulation().configuration(), .force = simulation().force()});
        all.back().configuration.bodies = all.back().state.bodies.size();
    }
    const EffectResult done = jumpTo(nullptr, 0, [&] { history_->adopt(simulation(), all); });
    if (done.status != CommandStatus::applied) throw InputError(done.why);
    document_.intent.paused = document_.intent.replays = true;
    return history_->marks().size();
}

void RunHost::advance(bool realTime, double seconds) {
    Intent& intent = document_.intent;
    StateFeed& feed = first().feed();
    if (realTime && intent.replays && hostClock() >= replayDue_) {
        constexpr double kEach = 0.1;  // [s] between states
        replayDue_ = hostClock() + kEach;
        const bool more = history_ && intent.paused && history_->neighbour(simulation().step(), 1);
        intent.replays = more && jump({.by = 1}).status == CommandStatus::applied;
    }
    // This comes before the first step: the start is a state too.
    if (realTime && history_) {
        std::optional<History::Beside> beside;
        if (twin_.on()) beside.emplace(twin_.beside());
        history_->update(simulation(), feed, hostClock(), beside ? &*beside : nullptr);
    }
    if (realTime)
        feed.pump(simulation());
    else
        feed.serve(simulation());  // a film waits for its requests
    editor_.pull();
    if (const std::int64_t made = std::exchange(ahead_, 0); made > 0) {
        first().publish();
        followMergers();
        stepsSinceChange_ += made;
        lastStepAt_ = hostClock();
    } else if (std::int64_t left = stepsOfAFrame(realTime); left > 0 || twin_.on()) {
        const std::int64_t ofPoint = realTime ? stepsOfATrailPoint(left) : 0;
        const std::int64_t ofLook = realTime && betweenSteps && !twin_.on() ? stepsOfALook(left) : 0;
        const std::int64_t every = ofLook > 0 ? ofLook : ofPoint;
        if (ofLook > 0) betweenSteps();
        std::int64_t done = twin_.on() ? advancePair(left, seconds, realTime, ofPoint) : 0, sincePoint = 0;
        left -= done;
        for (const double begun = hostClock(); !twin_.on() && left > 0;) {
            constexpr double kPiece = 0.25;  // [s]
            const double whole = !realTime && whileStepping ? kPiece : seconds;
            const double rest = std::max(whole - (every > 0 ? hostClock() - begun : 0), 0.0);
            const bool within = every > 0 && left > every && rest > 0;
            const AdvanceStatus status =
                simulation().advance({.seconds = rest, .steps = within ? every : left}, within ? nullptr : first().sink());
            document_.facts.stepProgress = status.stepProgress;
            document_.facts.innerStep = status.innerStep;
            left -= status.stepsCompleted;
            done += status.stepsCompleted;
            sincePoint += status.stepsCompleted;
            if (ofLook > 0 && status.stepsCompleted > 0) betweenSteps();
            if (within) {
                if (ofPoint > 0 && sincePoint >= ofPoint) {
                    noteTrailPoint();
                    sincePoint = 0;
                }
                continue;
            }
            if (every > 0 && status.stepsCompleted == 0 && done > 0) first().publish();  // steps within the frame
            if (realTime) break;
            if (whileStepping) whileStepping();
        }
        if (std::string note = simulation().takeNote(); !note.empty()) document_.warn("B" + note.substr(1) + ".");
        followMergers();
        stepsSinceChange_ += done;
        if (done > 0) lastStepAt_ = hostClock();
        // Long before the first step is complete the user should know how long it takes. Pictures between its parts do not
        // count: the first ones take a second, while shaders compile. The first step also computes a force before it.
        const double forces = forcesPerStep(document_.facts.integrator->program);
        const double ofStep = stepsSinceChange_ > 0 ? 1 : forces / (forces + 1);
        const double whole =
            forecast_.after(document_.facts.stepProgress, computedSeconds(), everyPair(*document_.facts.kernel));
        document_.facts.stepForecast = realTime && left > 0 ? ofStep * whole : 0;
        if (intent.paused) intent.singleSteps = static_cast<int>(std::max<std::int64_t>(intent.singleSteps - done, 0));
    }
    if (realTime) feed.pump(simulation());  // states that arrived beside the steps are for this frame
    if (twin_.on()) updateTwin(realTime);
    readTwin();
    readProgress();
    sayPath();
}

double RunHost::computedSeconds() {
    const WorkTotals totals = simulation().totals();
    return totals.forceSeconds + totals.termSeconds + totals.integrateSeconds;
}

std::int64_t RunHost::stepsOfAFrame(bool realTime) const {
    const Intent& intent = document_.intent;
    const bool paced = realTime && intent.speed > 0;
    const std::int64_t steps = intent.paused ? intent.singleSteps : paced ? document_.facts.stepsDue : intent.stepsPerFrame;
    return realTime ? std::min(steps, mostSteps) : steps;
}

/// A count of steps and a comparison of two runs need every step shown; on a CPU the picture waits for the steps anyway.
bool RunHost::takesAhead() const {
    const bool counted = mostSteps != std::numeric_limits<std::int64_t>::max();
    return ahead_ == 0 && !document_.intent.paused && !counted && !twin_.on() && first().hasPicture() &&
           first().vertices().space() == MemorySpace::cudaDevice;
}

void RunHost::advanceAhead(double seconds) {
    const AdvanceStatus status = simulation().advance({.seconds = seconds, .steps = stepsOfAFrame(true)}, nullptr);
    ahead_ = status.stepsCompleted;
}

/// After going back the user wants to look first, so the run pauses there.
EffectResult RunHost::jump(const JumpTo& wanted) {
    if (!history_ || (history_->marks().empty() && history_->why().empty()))
        return refusedBecause("There is nothing to go back to yet.");
    if (!history_->why().empty()) return refusedBecause(history_->why() + ".");
    document_.intent.paused = true;
    document_.intent.singleSteps = 0;
    const std::optional<std::size_t> to = wanted.state ? wanted.state : history_->neighbour(document_.facts.step, wanted.by);
    if (!to || *to >= history_->marks().size()) return {};
    const BodyEditor::Memory before = editor_.memory();
    const bool edited = document_.facts.edited;
    const auto kept = [this](const History::Kept& target) {
        std::optional<History::Beside> beside;
        if (twin_.on()) beside.emplace(twin_.beside());
        history_->go(simulation(), first().feed(), target, beside ? &*beside : nullptr);
    };
    const History::Kept target = history_->keptAt(*to);
    EffectResult done = jumpTo(target, 0, [&] {
        kept(target);
        editor_.jump();
    });
    if (done.status != CommandStatus::applied || !history_->left()) return done;
    done.back = [this, kept, before, edited, left = history_->left(), of = history_->timeline(simulation())] {
        if (of != history_->timeline(simulation())) return refusedBecause("their run has begun anew");
        return jumpTo(left, 0, [&] {
            kept(left);
            editor_.recall(before);
            document_.facts.edited = edited;
        });
    };
    return done;
}

/// Calls `go`, which puts the simulation to a state, and updates everything else. `target`: that state where it is kept,
/// with the second run's; null: no second run is kept beside it. `ended`: see returnedTo().
EffectResult RunHost::jumpTo(const History::Kept& target, std::uint64_t ended, const std::function<void()>& go) {
    Intent& intent = document_.intent;
    const auto before = document_.facts.bodies;
    try {
        const std::optional<SecondState> second = History::second(target);
        first().feed().beforeChange(simulation());
        go();
        document_.pull.end();
        intent.request = simulation().request();
        readFacts();
        refreshBodyCache();  // bodies of the same ids may be others, or held
        if (document_.facts.bodies->id != before->id)
            document_.clearSelection();
        else if (document_.selected)
            document_.select(document_.selected->index);
        ++jumps_;
        returnedTo_ = ended;
        showAnew();
        syncTwin(second);
        return {};
    } catch (const std::bad_alloc&) {
        intent.request = simulation().request();
        return failedBecause("There is not enough memory to go there; the run continues unchanged.");
    } catch (const DeviceError&) {
        throw;  // the bodies are lost
    } catch (const std::runtime_error& error) {
        intent.request = simulation().request();
        return failedBecause(error.what());
    }
}

Inverse RunHost::keepState() {
    const auto bytesOf = [](const RunState& state) {
        std::size_t bytes = state.bodies.size() * (2 * sizeof(Double4) + sizeof(std::uint32_t) + sizeof(std::uint8_t));
        for (const StateArray& array : state.integratorState) bytes += array.values.size() * sizeof(double);
        return bytes;
    };
    const std::shared_ptr<LeftState> left = std::make_shared<LeftState>();
    if (simulation().configuration().bodies > kStatesOfChanges / (2 * sizeof(Double4))) return {};
    try {
        *left = {first().feed().now(simulation()), editor_.memory(), document_.facts.edited, simulation().runId()};
    } catch (const std::bad_alloc&) {
        return {};
    }
    std::erase_if(left_, [](const auto& one) { return one.expired(); });
    left_.push_back(left);
    std::size_t bytes = 0;
    for (auto one = left_.rbegin(); one != left_.rend(); ++one)
        if (const std::shared_ptr<LeftState> kept = one->lock(); kept && kept->state) {
            bytes += bytesOf(kept->state->state);
            if (bytes > kStatesOfChanges) kept->state.reset();
        }
    return [this, left] { return returnTo(*left); };
}

EffectResult RunHost::returnTo(const LeftState& left) {
    if (!left.state) return refusedBecause("its state is not kept any more");
    const RunConfiguration &now = simulation().configuration(), &then = left.state->configuration;
    if (now.scene != then.scene || now.sceneVersion != then.sceneVersion || now.seed != then.seed ||
        now.parameters != then.parameters || now.start != then.start)
        return refusedBecause("another scene runs");
    return jumpTo(nullptr, simulation().runId() == left.run ? 0 : left.run, [&] {
        simulation().restore(left.state->state);
        editor_.recall(left.editor);
        document_.facts.edited = left.edited;
    });
}

// The second run beside the first. A failure of the twin is a message, and the first run continues.

/// Applies an action to the twin. A failure becomes a message and resets intent.twin to the choice in force.
void RunHost::tryTwin(const std::function<void()>& action) {
    try {
        action();
        if (twin_.on() && !twin_.note().empty()) document_.say(twin_.note());
    } catch (const std::bad_alloc&) {
        twin_.end();
        document_.warn(kNoMemoryForTwin);
    } catch (const std::runtime_error& error) {
        document_.warn(std::string("Twin: ") + error.what());
    }
    document_.intent.twin = twin_.choice();
    readTwin();
    ++appearanceRevision_;  // both have the same dressing
}

void RunHost::beginTwin(const TwinChoice& choice) {
    twin_.apply(choice, false);
    document_.intent.twin = twin_.choice();
    readTwin();
    ++appearanceRevision_;
    if (twin_.note().empty()) return;
    document_.say(twin_.note());
    notify(twin_.note());
}

void RunHost::applyTwin() {
    const TwinChoice& wanted = document_.intent.twin;
    if (wanted == failedTwin_) return;
    failedTwin_.reset();
    if (wanted == twin_.choice()) return;
    const bool view = wanted.view != twin_.choice().view;
    if (twin_.on() && !wanted.on) first().publish();  // the picture may have waited for the twin
    tryTwin([&] {
        try {
            twin_.apply(wanted, document_.facts.edited);
        } catch (...) {
            twin_.follow(false);  // the first may have changed with the refused change
            throw;
        }
    });
    if (view) forgetTrails();
}

/// The first run was changed; `restarted`: its bodies are others.
void RunHost::followWithTwin(bool restarted) {
    if (restarted) document_.facts.edited = false;
    if (!twin_.on()) return;
    const TwinChoice wanted = document_.intent.twin;
    if (restarted && wanted != twin_.choice()) {
        twin_.end();  // another start has another twin: see applyTwin()
        return readTwin();
    }
    // Both changes were requested together: applyTwin() lets the twin follow in its new settings.
    if (twin_.follows(wanted)) tryTwin([&] { twin_.follow(restarted); });
    if (twin_.on()) document_.intent.twin = wanted;
}

/// The first run has gone back to a kept state: the second goes to its own state of that moment. Where none was kept, both
/// begin there.
void RunHost::syncTwin(const std::optional<SecondState>& then) {
    if (!twin_.on()) return;
    if (then) return tryTwin([&] { twin_.goBack(*then); });
    const TwinChoice wanted = twin_.choice();
    twin_.end();
    tryTwin([&] { twin_.apply(wanted, true); });
    if (twin_.on()) document_.say("There was no second run at that time: it starts anew here, as a copy of the first.");
}

/// Advances both by up to `steps` and returns how many the first has made. A film of two runs must not become one of a
/// single run.
std::int64_t RunHost::advancePair(std::int64_t steps, double seconds, bool realTime, std::int64_t every) {
    const auto end = [&](const std::string& why) {
        if (!realTime) throw;
        document_.warn(why);
        failedTwin_ = document_.intent.twin;
    };
    try {
        twin_.advance(steps, seconds, realTime, {every, [this] { noteTrailPoint(); }});
    } catch (const std::bad_alloc&) {
        end(kNoMemoryForTwin);
    } catch (const Error& error) {
        // The next step of the first alone shows which of them failed.
        end(std::string("The twin has ended: ") + error.what());
    }
    document_.facts.stepProgress = twin_.progress().stepProgress;
    document_.facts.innerStep = twin_.progress().innerStep;
    return twin_.progress().steps;
}

/// Takes comparisons of the two. A twin that cannot be compared ends, and a film of two runs with it.
void RunHost::updateTwin(bool realTime) {
    try {
        twin_.update(realTime);
    } catch (const std::bad_alloc&) {
        twin_.end();
        if (!realTime) throw;
        document_.warn(kNoMemoryForTwin);
        failedTwin_ = document_.intent.twin;
    }
}

void RunHost::readTwin() {
    TwinFacts& facts = document_.facts.twin;
    RunConfiguration known = std::move(facts.configuration);
    facts = {};
    if (!twin_.on()) return;
    if (const RunConfiguration& now = twin_.simulation().configuration(); known != now) known = now;
    facts = {.on = true,
             .view = twin_.choice().view,
             .step = twin_.simulation().step(),
             .time = twin_.simulation().time(),
             .label = twin_.labels().second,
             .configuration = std::move(known),
             .between = twin_.between()};
    if (const auto points = twin_.watch().curve().points(); !points.empty()) {
        facts.apart = points.back().apart.rms;
        facts.apartTime = points.back().time;
    }
}

void RunHost::forgetTrails() {
    for (Run& run : runs_)
        if (run.hasPicture()) run.renderer().forgetTrails();
    trailStep_ = -1;
}

/// At high speed, or with slow pictures, a window makes hundreds of steps a frame: an orbit of few points would be a
/// polygon. Lines of many bodies cost more than they show, and on a device a frame's steps are one piece of work.
std::size_t RunHost::trailPointsWithin() const {
    constexpr std::size_t kMost = 16, kOfAllBodies = 48;
    for (const Run& run : runs_)
        if (run.simulation().backend().vertexSpace() != MemorySpace::host) return 1;
    return std::clamp<std::size_t>(kOfAllBodies / std::max<std::size_t>(1, document_.facts.configuration.bodies), 1, kMost);
}

/// 0: one point per frame.
std::int64_t RunHost::stepsOfATrailPoint(std::int64_t steps) const {
    constexpr std::int64_t kLeast = 4;
    const auto most = static_cast<std::int64_t>(trailPointsWithin());
    if (most < 2 || document_.look.trails < 2 || steps <= kLeast) return 0;
    return std::max(kLeast, (steps - 1) / most + 1);
}

/// 0: bodies are too many to be measured between steps, or they are on a device, whose frame is one piece of work.
std::int64_t RunHost::stepsOfALook(std::int64_t steps) const {
    constexpr std::size_t kMost = 64, kPairs = 4096;
    const std::size_t bodies = std::max<std::size_t>(1, simulation().configuration().bodies);
    const std::size_t looks = bodies < kMost ? std::min(kMost, kPairs / (bodies * bodies)) : 0;
    if (looks < 2 || steps < 1 || simulation().backend().vertexSpace() != MemorySpace::host) return 0;
    return (steps - 1) / static_cast<std::int64_t>(looks) + 1;
}

void RunHost::noteTrailPoint() {
    for (Run& run : runs_) run.recordTrailWithin(document_.look, trailPointsWithin());
}

void RunHost::recordTrails(const Look& look) {
    if (document_.facts.step == trailStep_) return;
    for (Run& run : runs_)
        if (run.hasPicture()) run.renderer().recordTrail(run.vertices(), look, trailPointsWithin());
    trailStep_ = document_.facts.step;
}

void RunHost::dropPicture() {
    twin_.dropPicture();
    for (Run& run : runs_) run.dropPicture();
}

void RunHost::makePicture() {
    for (Run& run : runs_) run.makePicture();
    ++appearanceRevision_;
    trailStep_ = -1;
    readProgress();
    sayPath();
}

bool RunHost::moving() const {
    const Intent& intent = document_.intent;
    if (!intent.paused || intent.singleSteps > 0 || intent.replays || intent.twin != twin_.choice() || !twin_.even() ||
        virial_.busy())
        return true;
    // The result of a force check may still be under way. A step that was never completed sends none.
    constexpr double kPatience = 3;  // [s]
    return !document_.facts.check && stepsSinceChange_ > 0 && hostClock() - lastStepAt_ < kPatience;
}

}  // namespace gravlab
