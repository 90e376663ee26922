// One scene, one backend, one integrator, one clock. Every change runs through resolve, judge, build and adopt.
#include "sim/run/simulation.h"

#include "sim/backends/force_state.h"
#include "sim/forces/single_precision.h"

namespace gravlab {

Simulation::Simulation(const RunRequest& request) { change(resolve(request, nullptr)); }

Simulation::~Simulation() = default;

void Simulation::apply(const RunRequest& wanted) {
    Configuration next = resolve(wanted, &now_);
    change(std::move(next));
}

void Simulation::reset() { change(resolve(now_.request, &now_, true)); }

void Simulation::steer(std::uint32_t index, const Vec3d& velocity) {
    BodyChanges::Body body = backend_->body(index);
    body.velocity = packed(velocity, body.velocity.w);
    const ParticleSet alone{{body.position}, {body.velocity}, {0}, {0}};
    const bool fits = force().precision == Precision::fp64 || beyondSinglePrecision(alone, force()).empty();
    if (!fits || !backend_->change({{body}, {}}, false)) {
        ParticleSet bodies = backend_->bodies();
        bodies.velocity.at(index) = body.velocity;
        return load(bodies);
    }
    // The configuration stays: an existing result of its check still holds.
    ++revision_;
    bodiesId_ = ++newest_;
    pathsBegun_ = stepUnderWay_ = false;
    if (!check_ || rechecking_) backend_->requestForceCheck(checkTargets());
}

void Simulation::load(const ParticleSet& bodies) {
    Configuration edited = now_;
    edited.changes = {.bodies = true};
    change(std::move(edited), {std::shared_ptr<void>(), &bodies});
}

void Simulation::restore(const RunState& state) {
    // The configuration stays: an existing result of its check still holds.
    const std::optional<ForceCheck> checked = forceCheck();
    Configuration earlier = now_;
    earlier.changes = {.bodies = true};
    change(std::move(earlier), {std::shared_ptr<void>(), &state.bodies}, {std::shared_ptr<void>(), &state});
    if (checked) check_ = checked;
}

void Simulation::change(Configuration configuration, const std::shared_ptr<const ParticleSet>& bodies,
                        const std::shared_ptr<const RunState>& resumed) {
    Present present{.resumed = resumed};
    if (backend_) {
        present.bodies = [&]() -> std::shared_ptr<const ParticleSet> {
            if (bodies) return bodies;
            const auto copy = std::make_shared<ParticleSet>();
            backend_->snapshot(*copy);
            return copy;
        };
        // Parts of terms that ended on a device must have arrived.
        if (configuration.changes.bodies || configuration.changes.backend) backend_->wait();
        // Only the stage that needs the bodies copies them.
        present.state = [whole = std::bind_front(&Simulation::state, this)] {
            return std::make_shared<const RunState>(whole());
        };
        present.terms = backend_->termsInUse();
        present.force = force();
        present.timeStep = now_.values.timeStep;
        present.carried = carried_;
    }
    Plan plan = judge(std::move(configuration), present);
    BuiltRun built = build(std::move(plan), backend_.get());
    adopt(std::move(built));
}

void Simulation::beginAgain() {
    backend_->beginAgain();
    pathsBegun_ = stepUnderWay_ = false;
}

AdvanceStatus Simulation::advanceFreely(const Budget& budget, VertexSink* sink) {
    const AdvanceStatus status = backend_->advance(now_.integrator->program, now_.values.timeStep, budget, sink);
    std::int64_t completed = status.stepsCompleted;
    if (completed > 0 && clock_.timeStep != now_.values.timeStep) {
        ++clock_.step;
        --completed;
        clock_.rebase(now_.values.timeStep);
    }
    clock_.step += completed;
    stepUnderWay_ = status.stepProgress > 0;
    return status;
}

AdvanceStatus Simulation::advanceBy(double length, const Budget& budget) {
    if (clock_.timeStep != length) {
        if (stepUnderWay_) restore(state());
        clock_.rebase(length);
    }
    struct Shortened {
        double &timeStep, whole;
        ~Shortened() { timeStep = whole; }
    } shortened{now_.values.timeStep, std::exchange(now_.values.timeStep, length)};
    const AdvanceStatus status = advance({.seconds = budget.seconds, .steps = 1}, nullptr);
    if (status.stepsCompleted > 0) clock_.rebase(shortened.whole);
    return status;
}

void Simulation::recheck() {
    if (!check_ || rechecking_) return;
    // An accuracy of 99 % of the bodies is checked on random bodies, rounding on those that are hard to compute.
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
    if (isAdaptive(now_.integrator->program) || backend_->forceStateNeedsStepEnd()) backend_->finishStep();
    advance({.seconds = 0, .steps = 0}, nullptr);  // counts steps that ended outside advance()
    RunState state;
    state.clock = clock_;
    if (state.clock.timeStep != now_.values.timeStep) state.clock.rebase(now_.values.timeStep);
    state.integratorState = backend_->integratorState();
    for (StateArray& array : backend_->forceState()) state.integratorState.push_back(std::move(array));
    if (!state.integratorState.empty()) state.integrator = now_.integrator->name;
    state.others = othersOf(terms());
    state.contacts = contacts_;
    return state;
}

Diagnostics Simulation::measure(const std::function<void()>& meanwhile) {
    constexpr double kSlice = 0.05;  // [s] short enough for a display on the same device to continue
    if (backend_->mostMeasured() > 0) {
        backend_->requestMeasurement();
        while (backend_->measuring()) {
            backend_->wait();
            if (meanwhile) meanwhile();
            if (const std::optional<Diagnostics> done = backend_->takeMeasurement(kSlice); done && done->failure.empty())
                return withContacts(*done);
        }
    }
    ParticleSet bodies = backend_->bodies();
    return withContacts(measureSystem(bodies, terms(), 0, pairSummation(now_.values)));
}

}  // namespace gravlab
