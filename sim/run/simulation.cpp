// One scene, one backend, one integrator, one clock. Rule of every change: build the new first, take it up last.
#include "sim/run/simulation.h"

#include "sim/core/error.h"
#include "sim/core/validation.h"
#include "sim/forces/law_numbers.h"
#include "sim/forces/precision.h"
#include "sim/forces/single_precision.h"

#include <atomic>
#include <cmath>
#include <utility>

namespace gravlab {
namespace {

// A scene as built, and room for one copy: what a run needs on the host beside its backend.
constexpr double kBytesPerBody = 2 * (sizeof(Double4) * 2 + sizeof(std::uint32_t) + sizeof(std::uint8_t));

ParticleSet built(const Scene& scene, const SimulationSettings& settings) {
    requireHostMemory(kBytesPerBody * static_cast<double>(settings.bodies), "the bodies");
    return scene.build({.bodies = settings.bodies, .seed = settings.seed, .parameters = settings.parameters});
}

/// Of settings in which every default is filled in.
ForceSettings forceOf(const SimulationSettings& settings) {
    ForceSettings force{.law = *settings.law, .precision = *settings.precision, .softening = settings.softening};
    for (const LawNumber& number : lawNumbers()) force.*number.force = *(settings.*number.asked);
    return force;
}

/// What is asked of a backend before it is known which one it is.
ForceSettings forceAsked(const Scene& scene, const SimulationSettings& wanted) {
    ForceSettings force{.law = wanted.law.value_or(scene.law), .precision = wanted.precision.value_or(Precision::fp32)};
    takeLawNumbers(force, wanted, scene);
    return force;
}

/// The number of bodies, 0 where it follows from the backend.
std::size_t bodiesAsked(const Scene& scene, const SimulationSettings& wanted) {
    return scene.fixedBodies > 0 ? scene.fixedBodies : wanted.bodies;
}

/// The backend asked for; "auto" leaves the fastest one where it cannot run integrator or force, or would idle.
BackendChoice backendFor(const SimulationSettings& wanted, const Scene& scene, const Integrator& integrator) {
    const BackendChoice choice = chooseBackend(wanted.backend, wanted.backendOptions);
    if (wanted.backend != "auto") return choice;
    const auto instead = [&](std::string_view name, const std::string& why) {
        return BackendChoice{chooseBackend(name, wanted.backendOptions).row,
                             "running on " + std::string(name) + ", because " + why};
    };
    if (!refusal(*choice.row, integrator, 1).empty())
        return instead("reference",
                       "integrator '" + std::string(integrator.name) + "' needs its double precision on one thread");
    if (choice.row->name == "cpu" || choice.row->name == "reference") return choice;
    if (const Reason reason = refusal(*choice.row, forceAsked(scene, wanted)); !reason.empty())
        return instead("cpu", reason);
    const std::size_t bodies = bodiesAsked(scene, wanted);
    const bool open = !wanted.precision && wanted.kernel == KernelChoice{};
    if (open && bodies > 0 && bodies <= kSmallSystem)
        return instead("cpu", std::to_string(bodies) + " bodies are few: double precision on one core is faster there");
    return choice;
}

/// What was left open and is not touched stays open.
template <class Value>
void keepOpen(Value& wanted, const Value& effective, const Value& requested) {
    if (wanted == effective) wanted = requested;
}

}  // namespace

struct Simulation::Plan {
    SimulationSettings requested, settings;
    const Scene* scene = nullptr;
    const Integrator* integrator = nullptr;
    BackendChoice backend;
    std::size_t sceneBodies = 0;  ///< how many the scene has, whatever was added or removed since it was built
    bool startsOver = false;
    bool changesBackend = false;
    bool changesForce = false;

    ForceSettings force() const { return forceOf(settings); }
    ForceConfiguration configurationOf(const ParticleSet& bodies) const {
        return {force(), fitted(requested.kernel, bodies.size())};
    }
    /// Threads that a search has found best, for a backend that was not told how many.
    int tunedThreads(const Backend& made) const {
        if (!settings.tuning || settings.backendOptions.threads != 0 || requested.kernel != KernelChoice{}) return 0;
        const TunedChoice* found =
            settings.tuning->find(made.name(), made.launchFacts(), *settings.precision, settings.bodies);
        return found ? found->threads : 0;
    }
    /// Single precision is left where it would compute these bodies wrongly, and refused where it was asked for. A run that
    /// goes on in what it was asked for stays there: it was judged when it began.
    void suitPrecision(const ParticleSet& bodies) {
        const StartState* start = settings.start.get();
        const bool goesOn = startsOver && start && start->state.clock.step != 0 && requested.precision;
        if (settings.precision == Precision::fp64 || goesOn) return;
        const std::string why = beyondSinglePrecision(bodies, force());
        if (why.empty()) return;
        if (requested.precision)
            throw UsageError("precision " + std::string(nameOf(*settings.precision)) + " cannot compute these bodies: " + why +
                             "; take fp64, or units in which lengths and masses are near 1");
        settings.precision = Precision::fp64;
        backend.why += "; in double precision, because single does not carry these bodies: " + why;
    }
    std::unique_ptr<Backend> makeBackend() const {
        std::unique_ptr<Backend> made = backend.row->make(settings.backendOptions);
        const int threads = tunedThreads(*made);
        if (threads < 2 || threads == made->launchFacts().cpuThreads) return made;
        BackendOptions options = settings.backendOptions;
        options.threads = threads;
        made.reset();  // two pools of threads at once would be in each other's way
        return backend.row->make(options);
    }
};

Simulation::Simulation(const SimulationSettings& settings) { startOver(plan(settings)); }

Simulation::~Simulation() = default;

Simulation::Plan Simulation::plan(const SimulationSettings& wanted, bool again) const {
    const bool running = backend_ != nullptr;
    Plan p;
    p.requested = wanted;
    if (wanted.start && wanted.start->name != wanted.scene) p.requested.start = nullptr;
    p.scene = p.requested.start ? &p.requested.start->row : &sceneNamed(wanted.scene);
    p.integrator = &gravlab::integrator(wanted.integrator);
    const bool sameScene = running && p.scene == scene_;
    // What is opened brings all of its settings: nothing of it stands for what was left open before.
    const bool opens = p.requested.start && (!running || p.requested.start != settings_.start);
    if (running && !opens) {
        keepOpen(p.requested.bodies, settings_.bodies, requested_.bodies);
        keepOpen(p.requested.kernel, settings_.kernel, requested_.kernel);
        // Time step and softening belong to a scene; another one brings its own.
        keepOpen(p.requested.timeStep, settings_.timeStep, sameScene ? requested_.timeStep : 0);
        keepOpen(p.requested.softening, settings_.softening, sameScene ? requested_.softening : -1);
        keepOpen(p.requested.law, settings_.law, sameScene ? requested_.law : std::nullopt);
        for (const LawNumber& number : lawNumbers())
            keepOpen(p.requested.*number.asked, settings_.*number.asked,
                     sameScene ? requested_.*number.asked : std::nullopt);
        keepOpen(p.requested.precision, settings_.precision, requested_.precision);
        if (!sameScene && wanted.parameters == settings_.parameters) p.requested.parameters.clear();
    }

    const bool sameDevice =
        running && wanted.backend == settings_.backend && wanted.backendOptions == settings_.backendOptions;
    p.backend = sameDevice ? BackendChoice{&gravlab::backend(settings_.backend), backendWhy_}
                           : backendFor(wanted, *p.scene, *p.integrator);
    p.changesBackend =
        !running || p.backend.row->name != settings_.backend || wanted.backendOptions != settings_.backendOptions;
    // A kernel named for the old backend says nothing to the new one, unless it was named together with it.
    if (running && !opens && p.changesBackend && p.requested.kernel == requested_.kernel) p.requested.kernel = {};

    p.settings = p.requested;
    p.settings.backend = p.backend.row->name;
    if (p.scene->fixedBodies > 0)
        p.sceneBodies = p.scene->fixedBodies;
    else if (sameScene && p.requested.bodies == requested_.bodies)
        p.sceneBodies = sceneBodies_;
    else if (p.requested.bodies == 0)
        p.sceneBodies = p.backend.row->name == "cuda" ? p.scene->bodiesGpu : p.scene->bodiesCpu;
    else
        p.sceneBodies = p.requested.bodies;
    p.startsOver = again || !sameScene || p.settings.seed != settings_.seed ||
                   p.settings.parameters != settings_.parameters ||
                   (p.requested.bodies != requested_.bodies && p.sceneBodies != settings_.bodies);
    p.settings.bodies = p.startsOver ? p.sceneBodies : settings_.bodies;
    if (p.requested.timeStep == 0) p.settings.timeStep = p.scene->timeStep;
    if (p.requested.softening < 0) p.settings.softening = p.scene->softening;
    if (!p.requested.law) p.settings.law = p.scene->law;
    for (const LawNumber& number : lawNumbers())
        if (!(p.requested.*number.asked)) p.settings.*number.asked = p.scene->*number.scene;
    if (!p.requested.precision)
        p.settings.precision =
            p.backend.row->name == "reference" || (p.backend.row->name == "cpu" && p.settings.bodies <= kSmallSystem)
                ? Precision::fp64
                : Precision::fp32;
    // Where double precision took the place of single for these bodies, it stays; few bodies have it for another reason.
    const bool few = settings_.backend == "cpu" && sceneBodies_ <= kSmallSystem;
    if (running && !p.startsOver && !p.changesBackend && !p.requested.precision && !requested_.precision && !few &&
        settings_.precision == Precision::fp64)
        p.settings.precision = Precision::fp64;
    requireParameters(*p.scene, p.settings.parameters);
    requireBodies(p.settings.bodies);
    requireTimeStep(p.settings.timeStep);
    requireSoftening(p.settings.softening);
    requireLawNumbers(p.force());
    if (const Reason reason = refusal(*p.integrator, *p.settings.law); !reason.empty()) throw UsageError(reason);
    if (const Reason reason = refusal(*p.backend.row, *p.integrator, p.settings.bodies); !reason.empty())
        throw UsageError(reason);

    p.changesForce = p.changesBackend || p.requested.kernel != requested_.kernel ||
                     p.requested.tuning != requested_.tuning || p.force() != forceOf(settings_);
    return p;
}

void Simulation::apply(const SimulationSettings& wanted) {
    Plan p = plan(wanted);
    if (p.startsOver || p.changesBackend) {
        startOver(p);
        return;
    }
    if (p.requested.precision && p.settings.precision != settings_.precision && p.settings.precision != Precision::fp64) {
        ParticleSet bodies;
        backend_->snapshot(bodies);
        p.suitPrecision(bodies);
    }
    if (p.changesForce) configureTuned(*backend_, p.force(), p.requested.kernel, p.settings.tuning.get());
    adopt(p);
    if (p.changesForce) requestCheck();
}

void Simulation::reset() { startOver(plan(settings_, true)); }

/// Loads a scene, or the present state into another backend. Until everything is in place, the old run is untouched.
void Simulation::startOver(const Plan& planned) {
    Plan p = planned;
    ParticleSet bodies;
    const StartState* start = p.settings.start.get();
    if (p.startsOver && start) {
        requireHostMemory(kBytesPerBody * static_cast<double>(p.settings.bodies), "the bodies");
        bodies = start->state.bodies;
    } else if (p.startsOver)
        bodies = built(*p.scene, p.settings);
    else
        backend_->snapshot(bodies);
    std::vector<std::uint32_t> targets = sampleTargets(bodies.position);
    p.suitPrecision(bodies);

    std::unique_ptr<Backend> made;
    if (p.changesBackend) {
        made = p.makeBackend();
        made->load(bodies, p.configurationOf(bodies));
        configureTuned(*made, p.force(), p.requested.kernel, p.settings.tuning.get());
        backend_ = std::move(made);
    } else {
        backend_->load(bodies, p.configurationOf(bodies));
        // What "auto" means depends on the number of bodies.
        if (p.settings.tuning) configureTuned(*backend_, p.force(), p.requested.kernel, p.settings.tuning.get());
    }
    stepUnderWay_ = false;
    if (p.startsOver && start) {
        clock_ = start->state.clock;
        if (start->state.integrator == p.integrator->name) backend_->restoreIntegratorState(start->state.integratorState);
    } else if (p.startsOver) {
        clock_ = {.step = 0, .step0 = 0, .t0 = 0, .timeStep = p.settings.timeStep};
    }
    checkTargets_ = std::move(targets);
    adopt(p);
    settings_.bodies = backend_->size();
    if (p.startsOver) beginRun();
    sceneBodies_ = p.sceneBodies;
    requestCheck();
}

/// The bodies are others from here on.
void Simulation::beginRun() {
    static std::atomic<std::uint64_t> newest{0};
    id_ = ++newest;
    ++revision_;
}

KernelChoice Simulation::kernelInUse() const {
    return {std::string(backend_->activeKernel().name), backend_->activeLaunch()};
}

void Simulation::adopt(const Plan& p) {
    requested_ = p.requested;
    settings_ = p.settings;
    settings_.kernel = kernelInUse();
    ++revision_;
    scene_ = p.scene;
    integrator_ = p.integrator;
    backendWhy_ = p.backend.why;
    // A step under way ends with the time step that it began with; advance() rebases the clock behind it.
    if (!stepUnderWay_ && clock_.timeStep != settings_.timeStep) clock_.rebase(settings_.timeStep);
}

ForceSettings Simulation::force() const { return forceOf(settings_); }

AdvanceStatus Simulation::advance(const Budget& budget, VertexSink* sink) {
    const AdvanceStatus status = backend_->advance(integrator_->program, settings_.timeStep, budget, sink);
    std::int64_t completed = status.stepsCompleted;
    if (completed > 0 && clock_.timeStep != settings_.timeStep) {
        ++clock_.step;
        --completed;
        clock_.rebase(settings_.timeStep);
    }
    clock_.step += completed;
    stepUnderWay_ = status.stepProgress > 0;
    return status;
}

void Simulation::requestCheck() {
    check_.reset();
    recheck_.reset();
    rechecking_ = false;
    backend_->requestForceCheck(checkTargets_);
}

void Simulation::recheck() {
    if (!check_ || rechecking_) return;
    backend_->requestForceCheck(checkTargets_);
    rechecking_ = true;
}

std::optional<ForceCheck> Simulation::takeRecheck() {
    forceCheck();
    return std::exchange(recheck_, std::nullopt);
}

const std::optional<ForceCheck>& Simulation::forceCheck() {
    if (std::optional<ForceCheck> finished = backend_->takeForceCheck()) {
        (std::exchange(rechecking_, false) ? recheck_ : check_) = std::move(finished);
    }
    return check_;
}

RunState Simulation::state() {
    RunState state = stateWithoutBodies();
    backend_->snapshot(state.bodies);
    return state;
}

LaterState Simulation::stateLater() {
    RunState rest = stateWithoutBodies();
    return {std::move(rest), backend_->snapshotLater()};
}

RunState Simulation::stateWithoutBodies() {
    if (isAdaptive(integrator_->program)) backend_->finishStep();
    advance({.seconds = 0, .steps = 0}, nullptr);  // counts steps that ended outside advance()
    RunState state;
    state.clock = clock_;
    if (state.clock.timeStep != settings_.timeStep) state.clock.rebase(settings_.timeStep);
    state.integratorState = backend_->integratorState();
    if (!state.integratorState.empty()) state.integrator = integrator_->name;
    return state;
}

void Simulation::restore(const RunState& state) {
    // The configuration stays: what its check has found still holds, where it is there.
    const std::optional<ForceCheck> checked = forceCheck();
    load(state.bodies);
    clock_ = state.clock;
    if (clock_.timeStep != settings_.timeStep) clock_.rebase(settings_.timeStep);
    if (state.integrator == integrator_->name) backend_->restoreIntegratorState(state.integratorState);
    if (checked) check_ = checked;
}

void Simulation::load(const ParticleSet& bodies) {
    requireBodies(bodies.size());
    std::vector<std::uint32_t> targets = sampleTargets(bodies.position);
    backend_->load(bodies);
    checkTargets_ = std::move(targets);
    settings_.bodies = bodies.size();
    settings_.kernel = kernelInUse();
    stepUnderWay_ = false;
    beginRun();
    if (clock_.timeStep != settings_.timeStep) clock_.rebase(settings_.timeStep);
    requestCheck();
}

Diagnostics Simulation::measure(const std::function<void()>& meanwhile) {
    constexpr double kSlice = 0.05;  // [s]; a display on the same device goes on
    if (backend_->mostMeasured() > 0) {
        backend_->requestMeasurement();
        while (backend_->measuring()) {
            backend_->wait();
            if (meanwhile) meanwhile();
            if (const std::optional<Diagnostics> done = backend_->takeMeasurement(kSlice); done && done->failure.empty())
                return *done;
        }
    }
    ParticleSet bodies;
    backend_->snapshot(bodies);
    return gravlab::measure(bodies, forceOf(settings_));
}

}  // namespace gravlab
