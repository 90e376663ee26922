// One scene, one backend, one integrator, one clock. Rule of every change: build the new first, take it up last.
#include "sim/run/simulation.h"

#include "sim/backends/force_state.h"
#include "sim/backends/memory_need.h"
#include "sim/core/error.h"
#include "sim/core/thread_pool.h"
#include "sim/core/validation.h"
#include "sim/core/work_watch.h"
#include "sim/forces/law_numbers.h"
#include "sim/forces/precision.h"
#include "sim/forces/single_precision.h"
#include "sim/run/far_field.h"
#include "sim/tree/criterion.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <utility>

namespace gravlab {
namespace {

// A scene as built, and room for one copy: what a run needs on the host beside its backend.
constexpr double kBytesPerBody = 2 * (sizeof(Double4) * 2 + sizeof(std::uint32_t) + sizeof(std::uint8_t));

// From here on memory is worth a word before it is taken.
constexpr std::size_t kManyBodies = 1'000'000;

/// What was asked for; the scene's own for the rest, and for the precision the one given.
ForceSettings forceOf(const Scene& scene, const RunRequest& wanted, Precision usual) {
    ForceSettings force{.law = wanted.law.value_or(scene.law),
                        .precision = wanted.precision.value_or(usual),
                        .softening = wanted.softening.value_or(scene.softening)};
    takeLawNumbers(force, wanted, scene);
    return force;
}

/// The number of bodies; empty where it follows from the backend.
std::optional<std::size_t> bodiesAsked(const Scene& scene, const RunRequest& wanted) {
    return scene.fixedBodies > 0 ? scene.fixedBodies : wanted.bodies;
}

/// The scene's integrator unless another is asked for; the usual one where a backend, kernel or precision is asked for that
/// does not run it.
const Integrator& integratorOf(const RunRequest& wanted, const Scene& scene) {
    if (wanted.integrator) return integrator(*wanted.integrator);
    if (scene.integrator.empty()) return usualIntegrator();
    const Integrator& own = integrator(scene.integrator);
    const BackendRow& row = wanted.backend ? backend(*wanted.backend) : exactBackend();
    const bool runs = refusal(row, own, 1).empty() && wanted.precision.value_or(Precision::fp64) == Precision::fp64 &&
                      (!wanted.kernel.kernel || hasKernel(row.name, *wanted.kernel.kernel));
    return runs ? own : usualIntegrator();
}

/// What a scene allows of so many bodies where nobody said; 0: every pair.
double namedAccuracy(const Scene& scene, const RunRequest& wanted, const BackendRow& row, std::size_t bodies) {
    if (!wanted.takesFarField() || row.exact) return 0;
    return scene.farField.accuracyOf(bodies, row.onDevice);
}

/// The number of bodies of a scene that was asked for without.
std::size_t usualBodies(const Scene& scene, const RunRequest& wanted, const BackendRow& row) {
    if (row.onDevice) return scene.bodiesGpu;
    const bool far = row.usesCores && wanted.takesFarField() && scene.farField.accuracy > 0;
    const int threads = wanted.backendOptions.threads.value_or(usableCores());
    return far && scene.farField.bodiesCpu > 0 ? farFieldBodies(scene.farField, threads) : scene.bodiesCpu;
}

/// Whether another backend than the fastest has to run it.
bool needsAnother(const Integrator& integrator, const BackendOptions& options) {
    return !refusal(*chooseBackend({}, options).row, integrator, 1).empty();
}

/// The backend of that name; without one the fastest, unless it cannot run integrator or force, or would idle.
BackendChoice backendFor(const std::optional<std::string>& name, const RunRequest& wanted, const Scene& scene,
                         const Integrator& integrator) {
    const BackendChoice choice = chooseBackend(name, wanted.backendOptions);
    if (name) return choice;
    const auto instead = [&](const BackendRow& other, const std::string& why) {
        const std::string named(other.name);
        return BackendChoice{chooseBackend(named, wanted.backendOptions).row, "running on " + named + ", because " + why};
    };
    if (const Reason reason = refusal(*choice.row, integrator, 1); !reason.empty())
        return refusal(hostBackend(), integrator, 1).empty()
                   ? instead(hostBackend(), reason)
                   : instead(exactBackend(),
                             "integrator '" + std::string(integrator.name) + "' needs its double precision on one thread");
    if (!choice.row->onDevice) return choice;
    if (const Reason reason = refusal(*choice.row, forceOf(scene, wanted, Precision::fp32)); !reason.empty())
        return instead(hostBackend(), reason);
    const std::optional<std::size_t> bodies = bodiesAsked(scene, wanted);
    const bool open = !wanted.precision && wanted.kernel.open();
    if (open && bodies && *bodies <= kSmallSystem)
        return instead(hostBackend(),
                       std::to_string(*bodies) + " bodies are few: double precision on one core is faster there");
    return choice;
}

/// A kernel that is wrong on purpose is measured beside a run, never taken for it.
void requireNoTrap(const KernelRequest& wanted, const BackendRow& backend) {
    if (!wanted.kernel || !hasKernel(backend.name, *wanted.kernel)) return;
    const KernelRow& row = kernel(backend.name, *wanted.kernel);
    if (row.trap.empty()) return;
    throw UsageError("kernel '" + *wanted.kernel + "' is wrong on purpose and moves no bodies: " + std::string(row.trap) +
                     "; measure it by 'gravlab bench --kernel " + *wanted.kernel + "', or by the sweep 'traps' in the lab");
}

/// Bodies that a check looks at, and those that feel what few do.
std::vector<std::uint32_t> withThoseOf(const ForceTerms& others, const ParticleSet& bodies,
                                       std::vector<std::uint32_t> targets) {
    constexpr std::size_t kOfATerm = 64;
    for (const auto& term : others)
        for (const std::uint32_t target : term->checkTargets(termBodies(bodies), kOfATerm)) targets.push_back(target);
    std::ranges::sort(targets);
    targets.erase(std::unique(targets.begin(), targets.end()), targets.end());
    return targets;
}

/// Settings that single precision carries alike, but for their softening.
ForceSettings unsoftened(ForceSettings force) {
    force.softening = 0;
    return force;
}

}  // namespace

struct Simulation::CheckTargets {
    CheckTargets(const ParticleSet& bodies, const ForceTerms& others)
        : hard(withThoseOf(others, bodies, sampleTargets(bodies.position))),
          random(withThoseOf(others, bodies, randomTargets(bodies.size()))) {}
    std::vector<std::uint32_t> hard, random;
};

void Simulation::takeTargets(CheckTargets targets) {
    checkTargets_ = std::move(targets.hard);
    randomTargets_ = std::move(targets.random);
}

struct Simulation::Plan {
    RunRequest request;
    KernelChoice choice;  ///< of the request, and what the scene names
    RunConfiguration configuration;
    const Scene* scene = nullptr;
    const Integrator* integrator = nullptr;
    BackendChoice backend;
    std::size_t sceneBodies = 0;  ///< how many the scene has, whatever was added or removed since it was built
    bool startsOver = false;
    bool changesBackend = false;
    bool changesForce = false;

    ForceConfiguration forcesOf(const ParticleSet& bodies) const {
        return {configuration.force, fitted(choice, bodies.size())};
    }
    /// What searches have found says nothing where somebody asked for a kernel or a launch.
    const Tuning* tuning() const { return choice == KernelChoice() ? request.tuning.get() : nullptr; }
    void configure(Backend& made) const { configureTuned(made, configuration.force, choice, tuning()); }
    /// Threads that a search has found best, for a backend that was not told how many.
    std::optional<int> tunedThreads(const Backend& made) const {
        if (!tuning() || request.backendOptions.threads) return {};
        const TunedChoice* found =
            tuning()->find(made.name(), made.launchFacts(), configuration.force.precision, configuration.bodies);
        return found ? found->threads : std::nullopt;
    }
    /// Single precision is left where it would compute these bodies wrongly, and refused where it was asked for.
    void suitPrecision(const ParticleSet& bodies) {
        ForceSettings& force = configuration.force;
        if (force.precision == Precision::fp64) return;
        const std::string why = beyondSinglePrecision(bodies, force);
        if (why.empty()) return;
        if (request.precision)
            throw UsageError("precision " + std::string(nameOf(force.precision)) + " cannot compute these bodies: " + why +
                             "; take fp64, or units in which lengths and masses are near 1");
        force.precision = Precision::fp64;
        backend.why += "; in double precision, because single does not carry these bodies: " + why;
    }
    /// A run that goes on in what it was asked for stays there: it was judged when it began.
    bool goesOn() const {
        const StartState* start = configuration.start.get();
        return startsOver && start && start->state.clock.step != 0 && request.precision;
    }
    /// Throws OutOfMemoryError where the memory for a start is not free; says before how much it is. What runs already keeps
    /// its own meanwhile.
    void requireRoom() const {
        const std::size_t bodies = configuration.bodies;
        MemoryNeed need = memoryNeed(*backend.row, bodies, configuration.force, choice, integrator->program);
        need.host += kBytesPerBody * static_cast<double>(bodies);
        if (bodies >= kManyBodies) WorkWatch::note(needText(need, bodies));
        requireMemory(need, freeMemory(*backend.row, configuration.backendOptions), bodies);
    }
    std::unique_ptr<Backend> makeBackend() const {
        std::unique_ptr<Backend> made = backend.row->make(request.backendOptions);
        const std::optional<int> threads = tunedThreads(*made);
        if (!threads || threads < 2 || threads == made->launchFacts().cpuThreads) return made;
        BackendOptions options = request.backendOptions;
        options.threads = threads;
        made.reset();  // two pools of threads at once would be in each other's way
        return backend.row->make(options);
    }
};

Simulation::Simulation(const RunRequest& request) { startOver(plan(request)); }

Simulation::~Simulation() = default;

Simulation::Plan Simulation::plan(const RunRequest& wanted, bool again) const {
    const bool running = backend_ != nullptr;
    Plan p;
    p.request = wanted;
    if (wanted.start && wanted.start->name != wanted.scene) p.request.start = nullptr;
    p.scene = p.request.start ? &p.request.start->row : &sceneNamed(wanted.scene, wanted.sceneVersion);
    p.integrator = &integratorOf(wanted, *p.scene);
    const bool sameScene = running && p.scene == scene_;
    const bool opens = p.request.start && (!running || p.request.start != request_.start);

    // A backend that was left open and still is stays, so that no scene or number of bodies moves a run by itself.
    // An integrator does: it came with its scene, and so did the one before.
    const auto needs = [&](const Integrator& row) { return needsAnother(row, wanted.backendOptions); };
    const bool open = running && !opens && !wanted.backend && !request_.backend;
    const bool moves = open && p.integrator != integrator_ && needs(*p.integrator) != needs(*integrator_) &&
                       (!wanted.integrator || needs(*integrator_));
    const bool stays = open && !moves;
    const std::optional<std::string> name = stays ? std::optional(configuration_.backend) : wanted.backend;
    const bool sameOptions = running && wanted.backendOptions == configuration_.backendOptions;
    p.backend = sameOptions && name == configuration_.backend
                    ? BackendChoice{&gravlab::backend(configuration_.backend), backendWhy_}
                    : backendFor(name, wanted, *p.scene, *p.integrator);
    if (wanted.backend && wanted.backendOpen && p.backend.why != backendWhy_)
        p.backend.why = "running on " + *wanted.backend +
                        ", where it ran until now (--backend auto chooses again; the last digits may differ then)";
    p.changesBackend = !sameOptions || p.backend.row->name != configuration_.backend;

    if (p.scene->fixedBodies > 0)
        p.sceneBodies = p.scene->fixedBodies;
    else if (sameScene && wanted.bodies == request_.bodies)
        p.sceneBodies = sceneBodies_;
    else
        p.sceneBodies = wanted.bodies.value_or(usualBodies(*p.scene, wanted, *p.backend.row));
    p.startsOver = again || !sameScene || wanted.seed != configuration_.seed ||
                   wanted.parameters != configuration_.parameters ||
                   (wanted.bodies != request_.bodies && p.sceneBodies != configuration_.bodies);

    RunConfiguration& c = p.configuration;
    c = {.scene = wanted.scene,
         .sceneVersion = p.scene->version,
         .bodies = p.startsOver ? p.sceneBodies : configuration_.bodies,
         .seed = wanted.seed,
         .parameters = wanted.parameters,
         .backend = std::string(p.backend.row->name),
         .backendOpen = !wanted.backend || wanted.backendOpen,
         .backendOptions = wanted.backendOptions,
         .accuracy = 0,
         .opening = wanted.opening.value_or(0),
         .integrator = std::string(p.integrator->name),
         .timeStep = wanted.timeStep.value_or(p.scene->timeStep),
         .start = p.request.start,
         .tuning = wanted.tuning};
    p.choice = wanted.choice();
    if (!wanted.accuracy) p.choice.allowedError = namedAccuracy(*p.scene, wanted, *p.backend.row, c.bodies);
    c.accuracy = p.choice.allowedError;
    const bool small = p.backend.row->usesCores && c.bodies <= kSmallSystem;
    c.force = forceOf(*p.scene, wanted, small || p.backend.row->exact ? Precision::fp64 : Precision::fp32);
    // Where double precision took the place of single for these bodies, it stays; few bodies have it for another reason.
    const bool few = running && gravlab::backend(configuration_.backend).usesCores && sceneBodies_ <= kSmallSystem;
    if (running && !p.startsOver && !p.changesBackend && !wanted.precision && !request_.precision && !few &&
        configuration_.force.precision == Precision::fp64)
        c.force.precision = Precision::fp64;
    requireNoTrap(wanted.kernel, *p.backend.row);
    requireParameters(*p.scene, c.parameters);
    requireBodies(c.bodies);
    requireTimeStep(c.timeStep);
    requireSoftening(c.force.softening);
    requireAccuracy(c.accuracy);
    requireLawNumbers(c.force);
    if (const Reason reason = refusal(*p.integrator, c.force.law); !reason.empty()) throw UsageError(reason);
    if (const Reason reason = refusal(*p.backend.row, *p.integrator, c.bodies); !reason.empty()) throw UsageError(reason);

    p.changesForce = p.changesBackend || wanted.kernel != request_.kernel || p.choice != choice_ ||
                     wanted.tuning != request_.tuning || c.force != configuration_.force;
    return p;
}

void Simulation::apply(const RunRequest& wanted) {
    Plan p = plan(wanted);
    if (p.startsOver || p.changesBackend) {
        startOver(std::move(p));
        return;
    }
    if (const Reason reason = refusal(p.integrator->program, terms()); !reason.empty()) throw UsageError(reason);
    const ForceSettings &force = p.configuration.force, before = configuration_.force;
    if (force != before && (force.precision != before.precision || !isCarried(force))) {
        ParticleSet bodies;
        backend_->snapshot(bodies);
        p.suitPrecision(bodies);
        noteCarried(force, bodies);
    }
    if (p.changesForce) p.configure(*backend_);
    adopt(p);
    if (p.changesForce) requestCheck();
}

void Simulation::reset() { startOver(plan(request_, true)); }

/// Loads a scene, or the present state into another backend. Until everything is in place, the old run is untouched.
void Simulation::startOver(Plan p) {
    ParticleSet bodies;
    ForceTerms others;
    const StartState* start = p.configuration.start.get();
    if (p.startsOver) p.requireRoom();
    if (p.startsOver && start) {
        bodies = start->state.bodies;
        others = start->state.others;
    } else if (p.startsOver) {
        const RunConfiguration& c = p.configuration;
        bodies = p.scene->build({.bodies = c.bodies, .seed = c.seed, .parameters = c.parameters});
        if (p.scene->terms)
            others = p.scene->terms(
                {.bodies = bodies.size(), .seed = p.configuration.seed, .parameters = p.configuration.parameters}, bodies);
    } else {
        backend_->snapshot(bodies);
        others = othersOf(terms());
    }
    if (const Reason reason = refusal(p.integrator->program, termsOf(p.configuration.force, others)); !reason.empty())
        throw UsageError(reason);
    CheckTargets targets(bodies, others);
    if (!p.goesOn()) p.suitPrecision(bodies);

    std::unique_ptr<Backend> made;
    if (p.changesBackend) {
        made = p.makeBackend();
        made->load(bodies, p.forcesOf(bodies), others);
        p.configure(*made);
        backend_ = std::move(made);
    } else {
        backend_->load(bodies, p.forcesOf(bodies), others);
        // What an open kernel means depends on the number of bodies.
        if (p.configuration.tuning) p.configure(*backend_);
    }
    stepUnderWay_ = false;
    if (p.startsOver && start) {
        clock_ = start->state.clock;
        restoreMethods(start->state, *p.integrator);
    } else if (p.startsOver) {
        clock_ = {.step = 0, .step0 = 0, .t0 = 0, .timeStep = p.configuration.timeStep};
    }
    takeTargets(std::move(targets));
    carried_.reset();
    adopt(p);
    configuration_.bodies = backend_->size();
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

KernelInUse Simulation::kernelInUse() const {
    return {std::string(backend_->activeKernel().name), backend_->activeLaunch()};
}

void Simulation::adopt(const Plan& p) {
    request_ = p.request;
    choice_ = p.choice;
    configuration_ = p.configuration;
    configuration_.kernel = kernelInUse();
    // What is in force: of a row that an allowed error turns, and of no other.
    const KernelRow& row = backend_->activeKernel();
    configuration_.accuracy =
        row.approximates && !row.byOpening ? keptAccuracy(row, p.configuration.force, choice_.allowedError) : 0;
    ++revision_;
    if (p.configuration.start)
        names_ = p.configuration.start->names;
    else if (p.scene->names.empty())
        names_ = noBodyNames();
    else if (scene_ != p.scene)
        names_ = std::make_shared<const BodyNames>(p.scene->names);
    scene_ = p.scene;
    integrator_ = p.integrator;
    backendWhy_ = p.backend.why;
    // A step under way ends with the time step that it began with; advance() rebases the clock behind it.
    if (!stepUnderWay_ && clock_.timeStep != configuration_.timeStep) clock_.rebase(configuration_.timeStep);
}

AdvanceStatus Simulation::advance(const Budget& budget, VertexSink* sink) {
    const AdvanceStatus status = backend_->advance(integrator_->program, configuration_.timeStep, budget, sink);
    std::int64_t completed = status.stepsCompleted;
    if (completed > 0 && clock_.timeStep != configuration_.timeStep) {
        ++clock_.step;
        --completed;
        clock_.rebase(configuration_.timeStep);
    }
    clock_.step += completed;
    stepUnderWay_ = status.stepProgress > 0;
    return status;
}

void Simulation::requestCheck() {
    check_.reset();
    recheck_.reset();
    rechecking_ = false;
    backend_->requestForceCheck(checkTargets());
}

/// What 99 % of the bodies keep is asked of bodies at random, what rounding leaves of those that are hard to compute.
const std::vector<std::uint32_t>& Simulation::checkTargets() const {
    return backend_->activeKernel().approximates ? randomTargets_ : checkTargets_;
}

void Simulation::recheck() {
    if (!check_ || rechecking_) return;
    backend_->requestForceCheck(checkTargets());
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

StateFuture Simulation::stateAsync() {
    RunState rest = stateWithoutBodies();
    return {std::move(rest), backend_->snapshotAsync()};
}

RunState Simulation::stateWithoutBodies() {
    if (isAdaptive(integrator_->program) || backend_->keepsForceState()) backend_->finishStep();
    advance({.seconds = 0, .steps = 0}, nullptr);  // counts steps that ended outside advance()
    RunState state;
    state.clock = clock_;
    if (state.clock.timeStep != configuration_.timeStep) state.clock.rebase(configuration_.timeStep);
    state.integratorState = backend_->integratorState();
    for (StateArray& array : backend_->forceState()) state.integratorState.push_back(std::move(array));
    if (!state.integratorState.empty()) state.integrator = integrator_->name;
    state.others = othersOf(terms());
    return state;
}

void Simulation::restore(const RunState& state) {
    // The configuration stays: what its check has found still holds, where it is there.
    const std::optional<ForceCheck> checked = forceCheck();
    place(state.bodies, present());
    clock_ = state.clock;
    if (clock_.timeStep != configuration_.timeStep) clock_.rebase(configuration_.timeStep);
    restoreMethods(state, *integrator_);
    if (checked) check_ = checked;
}

/// What force methods kept holds under any integrator; its own state only under the one that it is of.
void Simulation::restoreMethods(const RunState& state, const Integrator& integrator) {
    std::vector<StateArray> integratorState, forceState;
    for (const StateArray& array : state.integratorState)
        (array.name.starts_with(kForceState) ? forceState : integratorState).push_back(array);
    if (state.integrator == integrator.name) backend_->restoreIntegratorState(integratorState);
    backend_->restoreForceState(forceState);
}

/// What is in force, to be changed in a part.
Simulation::Plan Simulation::present() const {
    Plan p;
    p.request = request_;
    p.choice = choice_;
    p.configuration = configuration_;
    p.backend = {&gravlab::backend(configuration_.backend), backendWhy_};
    return p;
}

void Simulation::load(const ParticleSet& bodies) {
    Plan p = present();
    p.suitPrecision(bodies);
    place(bodies, p);
}

void Simulation::place(const ParticleSet& bodies, const Plan& p) {
    requireBodies(bodies.size());
    const ForceTerms others = othersOf(terms());
    CheckTargets targets(bodies, others);
    if (p.configuration.force == configuration_.force)
        backend_->load(bodies);
    else
        backend_->load(bodies, p.forcesOf(bodies), others);
    takeTargets(std::move(targets));
    carried_.reset();
    backendWhy_ = p.backend.why;
    configuration_.force = p.configuration.force;
    configuration_.bodies = bodies.size();
    configuration_.kernel = kernelInUse();
    stepUnderWay_ = false;
    beginRun();
    if (clock_.timeStep != configuration_.timeStep) clock_.rebase(configuration_.timeStep);
    requestCheck();
}

bool Simulation::isCarried(const ForceSettings& force) const {
    return force.precision == Precision::fp64 || (carried_ && carried_->others == unsoftened(force) &&
                                                  force.softening >= carried_->least && force.softening <= carried_->most);
}

/// Notes that single precision carries these bodies under that force, and looks a way ahead, so that a slider that is
/// dragged copies the bodies now and then and not in every frame. What too short a softening and too long a one spoil grows
/// outwards.
void Simulation::noteCarried(const ForceSettings& force, const ParticleSet& bodies) {
    constexpr double kAhead = 4;
    if (force.precision == Precision::fp64) return;
    if (!carried_ || carried_->others != unsoftened(force))
        carried_ = Carried{unsoftened(force), force.softening, force.softening};
    ForceSettings ahead = force;
    ahead.softening *= force.softening < configuration_.force.softening ? 1 / kAhead : kAhead;
    for (const double softening :
         {force.softening, beyondSinglePrecision(bodies, ahead).empty() ? ahead.softening : force.softening}) {
        carried_->least = std::min(carried_->least, softening);
        carried_->most = std::max(carried_->most, softening);
    }
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
    return measureSystem(bodies, terms(), 0, pairSummation(configuration_));
}

}  // namespace gravlab
