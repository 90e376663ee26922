// The one loop that advances bodies, for every backend: slices, pending settings, terms and their methods, checks, block
// steps, and what methods keep between steps. Rule: nothing here computes, waits or knows a device.
#pragma once
#include "sim/backends/backend.h"
#include "sim/backends/block_figures.h"
#include "sim/backends/force_state.h"
#include "sim/backends/step_clock.h"
#include "sim/backends/step_cursor.h"
#include "sim/forces/second_pair_law.h"
#include "sim/integrators/apply_op.h"
#include "sim/integrators/block_steps.h"

#include <algorithm>
#include <concepts>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace gravlab {

/// An operation other than a force, with its arguments.
struct PlannedOp {
    StepOp op;
    double timeStep;  ///< [T]
    int least;        ///< in block steps: for bodies on this level and deeper ones
};

/// Result of whole steps in one piece of work.
struct WholeSteps {
    std::int64_t steps = 0;
    bool shows = false;  ///< the sink gets the state of the last one
    bool over = false;   ///< the call ends with them
};

/// Functions of a State: it has the bodies of a run in one precision, and computes or enqueues what StepEngine decides. It
/// waits only where a comment says so.
template <class State, class Method>
concept EngineState = requires(State& state, const State& same, std::size_t k, Method& method, std::unique_ptr<Method> next,
                               const ForceSettings& force, const std::vector<Double4>& values, StepProgram program,
                               const Budget& budget, VertexSink& sink, const PlannedOp& op, std::int64_t steps, bool flag) {
    { same.size() } -> std::same_as<std::size_t>;               // bodies
    { State::kName } -> std::convertible_to<std::string_view>;  // the backend's name in errors
    // A new method of term k. Memory may be short; throws UsageError for a term without a method.
    { same.makeMethod(k) } -> std::convertible_to<std::unique_ptr<Method>>;
    { state.takeNext(std::move(next)) } -> std::same_as<bool>;  // the pair law's method from now on; true: its bits stay
    { same.kernelName() } -> std::convertible_to<std::string_view>;  // the row of the pair law
    { same.smallestR2(force) } -> std::same_as<double>;              // see ForceRequest
    { same.sources() } -> std::same_as<MassiveBodies>;
    { same.completeForceKnown() } -> std::same_as<bool>;  // the accelerations of the last complete step are its force
    state.forgetForce();
    { same.knownAccelerations() } -> std::same_as<std::vector<Double4>>;  // those accelerations, for the force state
    state.takeAccelerations(values);
    { same.checkWanted() } -> std::same_as<bool>;  // a force check was requested and has no force yet

    // Limits of this call: admits(first, seconds), left(), goesAhead(seconds), endsWithPicture(seconds).
    { state.pace(budget).admits(flag, 0.0) } -> std::same_as<bool>;
    { state.pace(budget).left() } -> std::same_as<double>;
    { state.pace(budget).goesAhead(0.0) } -> std::same_as<bool>;
    { state.pace(budget).endsWithPicture(0.0) } -> std::same_as<bool>;
    { state.deliver(sink) } -> std::same_as<bool>;   // hands over a picture of an earlier call; true when there was one
    state.beforePiece(flag, steps);                  // before a piece of work: the first of the call, after these steps
    state.prepareStep(program);                      // allocates what the program needs
    state.enterStep();                               // a step begins at the last complete one
    { same.nextSeconds() } -> std::same_as<double>;  // estimates: of the next piece, a step, the operations that end a step
    { same.stepSeconds() } -> std::same_as<double>;
    { same.secondsToEnd() } -> std::same_as<double>;
    { same.takesWholeSteps(program) } -> std::same_as<bool>;  // whole steps in one piece of work
    { state.wholeSteps(state.pace(budget), steps, &sink) } -> std::same_as<WholeSteps>;
    { state.runSlice(k, method) } -> std::same_as<bool>;  // the next slice of term k; true when that was the last one
    state.takeTerm(k, method);                            // adds the sums of term k to the accelerations
    state.endForce();                                     // a force of all terms is complete, and nothing has moved since
    { same.fuses() } -> std::same_as<bool>;  // the force may come with the operations after it in one piece of work
    { same.levels() } -> std::same_as<const std::uint8_t*>;                 // of the bodies in the methods' memory
    { state.levelClock(flag) } -> std::same_as<std::optional<BlockClock>>;  // of a block step, once known; may wait

    // A list of operations: begin it, with a fused force; add one; complete the step, which the sink gets; enqueue the list,
    // count it when it ends a step; or undo the list with all of its step.
    state.openOperations(flag);
    state.add(op);
    state.endStep(&sink);
    state.enqueueOperations();
    state.countOperations(flag);
    state.undoOperations();
    { State::kOperations } -> std::convertible_to<int>;  // most operations of a list; 1 where each runs at once
    { same.follows() } -> std::same_as<bool>;            // a list that ends a step may continue into the next one
    { same.mustEndStep() } -> std::same_as<bool>;        // bodies are readable only after the step under way
    { state.shown(sink) } -> std::same_as<bool>;         // called after a step for the sink; true when the sink has it
    state.finished();                                    // waits until the step is complete
    state.completeBodies();                              // those of the last complete step, as its methods read them
};

/// The steps that move the bodies of a State, which derives from this class. `Method` is the base of its force methods. One
/// thread drives it.
template <class State, class Method>
class StepEngine {
public:
    /// See Backend.
    bool keepsForceState() const {
        return std::ranges::any_of(methods_, [](const auto& method) { return method->keepsState(); });
    }
    /// See Backend. Until an evaluation of all bodies is complete, a method still has the data of the one before. The terms
    /// before the present one are complete.
    bool forceStateNeedsStepEnd() const { return keepsForceState() && (cursor_.hasEvaluated() || term_ > 0); }
    std::vector<StateArray> forceState() {
        if (!keepsForceState()) return {};
        if (termsChange()) self().finished();
        updateTerms();
        ForceState state = emptyState();
        for (std::size_t k = 0; k < termCount(); ++k) state.methods[k] = methods_[k]->state();
        if (self().completeForceKnown()) state.accelerations = self().knownAccelerations();
        return arraysOf(std::move(state));
    }
    void restoreForceState(const std::vector<StateArray>& arrays) {
        ForceState state = emptyState();
        if (arrays.empty() || !keepsForceState() || !takeForceState(arrays, self().size(), state)) return;
        for (std::size_t k = 0; k < termCount(); ++k)
            if (!methods_[k]->restore(state.methods[k])) {
                methods_ = newMethods();
                return;
            }
        self().takeAccelerations(state.accelerations);
    }
    /// Simulated time of the last complete step.
    const Clock& clock() const { return time_.complete(); }
    /// Call between steps.
    void setClock(const Clock& clock) { time_.set(clock); }
    /// The terms beside the pair law without the parts that have ended, as far as that has arrived from a device.
    void updateTerms() {
        for (std::size_t k = 1; k < termCount(); ++k)
            if (auto changed = methods_[k]->takeChangedTerm()) terms_[k] = std::move(changed);
    }
    void updateTerms(ForceTerms& terms) {
        updateTerms();
        std::copy(terms_.begin() + 1, terms_.end(), terms.begin() + 1);
    }
    /// Figures of the methods, the pair law's first, and of the last complete block step.
    std::vector<MethodFigure> figures() const {
        std::vector<MethodFigure> all;
        for (const auto& method : methods_)
            for (const MethodFigure& figure : method->figures()) all.push_back(figure);
        for (const MethodFigure& figure : figuresOf(lastClock_)) all.push_back(figure);
        return all;
    }

    /// See Backend. Exceptions of a State pass through; steps that are complete then are reported by the next call.
    AdvanceStatus advance(StepProgram program, double timeStep, const Budget& budget, VertexSink* sink) {
        static_assert(EngineState<State, Method>);
        State& state = self();
        AdvanceStatus status;
        status.stepsCompleted = std::exchange(unreported_, 0);
        nextProgram_ = program;
        nextTimeStep_ = timeStep;
        auto pacing = state.pace(budget);
        // After a step that did not fit one budget the next one will not fit either. So the rest of the budget is spent on
        // the next step, up to its last piece. A step that fits leaves the state at its boundary. Where methods keep state,
        // which can be copied at the end of a step only, a step beyond the budget must not begin.
        const bool cut = !keepsForceState() && (!cursor_.atBoundary() || pacing.goesAhead(state.stepSeconds()));
        bool first = true;
        try {
            if (sink) status.published = state.deliver(*sink);
            // Without bodies a device has nothing to enqueue; a host counts steps.
            while (budget.steps > 0 && (state.size() > 0 || State::kOperations == 1)) {
                const std::int64_t left = budget.steps - status.stepsCompleted;
                if (left <= 0 && !cut) break;
                if (!state.mustEndStep() && !pacing.admits(first, state.nextSeconds())) break;
                if (cursor_.atBoundary() && state.takesWholeSteps(program)) {
                    if (left <= 0) break;
                    state.beforePiece(std::exchange(first, false), status.stepsCompleted);
                    if (runWhole(pacing, left, status, sink)) break;
                    continue;
                }
                if (cursor_.atBoundary()) beginStep(program, timeStep);
                const bool fused = state.fuses(), ends = endsStep(fused);
                if (left <= 0 && ends) break;
                state.beforePiece(std::exchange(first, false), status.stepsCompleted);
                if (atLevels()) {
                    // Queued work ends within the budget: waiting for it costs a frame only time that was granted.
                    if (!takeLevels(pacing.left() > 0)) break;
                } else if (atForce() && !fused) {
                    runForce();
                    // A program may end with its force: then nothing is left but to complete the step.
                    if (cursor_.atBoundary() && runToEnd(pacing, left == 1, status, sink)) break;
                } else if (!ends)
                    operate(nullptr, false);
                else if (runToEnd(pacing, left == 1, status, sink))
                    break;
            }
        } catch (...) {
            unreported_ += status.stepsCompleted;
            throw;
        }
        status.stepProgress = cursor_.progress(state.size());
        return status;
    }
    /// Completes the step under way, and waits; the next advance() reports it.
    void finishStep() {
        State& state = self();
        if (cursor_.atBoundary()) return;
        state.beforePiece(true, 0);
        while (!cursor_.atBoundary())
            if (atLevels())
                takeLevels(true);
            else if (atForce() && !state.fuses()) {
                runForce();
                if (cursor_.atBoundary()) operate(nullptr, false);
            } else
                operate(nullptr, false);
        state.finished();
        ++unreported_;
    }
    /// Steps that no advance() has reported yet; the caller reports them.
    std::int64_t takeUnreported() { return std::exchange(unreported_, 0); }
    bool atBoundary() const { return cursor_.atBoundary(); }
    /// Ids of the bodies, where they have moved.
    void setIds(std::shared_ptr<const std::vector<std::uint32_t>> ids) { ids_ = std::move(ids); }
    /// Forgets the step under way.
    void abandonStep() {
        cursor_.abandon();
        time_.set(clock());
        abandonMethods();
    }
    /// See Backend.
    void beginAgain() {
        abandonStep();
        if (self().completeForceKnown()) return;  // the first force stays: it would be the same
        renewMethods();
        beginFresh();
    }

protected:
    using Methods = std::vector<std::unique_ptr<Method>>;

    explicit StepEngine(const EngineTerms& terms) : terms_(terms.terms), ids_(terms.ids), choices_(terms.how) {
        choices_.resize(termCount());
        pendingChoice_ = choices_.front().kernel;
    }
    ~StepEngine() = default;

    // Terms. The pair law is the first one.
    std::size_t termCount() const { return terms_.size(); }
    /// True when the pair law acts alone.
    bool alone() const { return termCount() == 1; }
    /// New methods without data; those of methodsLikeThese() have the data of the present ones.
    Methods newMethods() const {
        Methods made;
        for (std::size_t k = 0; k < termCount(); ++k) made.push_back(self().makeMethod(k));
        return made;
    }
    Methods methodsLikeThese() const {
        Methods made = newMethods();
        for (std::size_t k = 0; k < termCount(); ++k)
            if (methods_[k]->keepsState()) made[k]->restore(methods_[k]->state());
        return made;
    }
    /// Forgets the force under way.
    void abandonMethods() {
        term_ = 0;
        for (const auto& method : methods_) method->abandon();
    }

    // Terms that lose parts at the ends of steps.
    bool termsChange() const {
        return std::ranges::any_of(methods_, [](const auto& method) { return method->changesTerm(); });
    }
    void endStepOfTerms() {
        if (alone()) return;
        for (const auto& method : methods_)
            if (method->changesTerm()) method->endStep(self().completeBodies());
        updateTerms();
    }

    // Other bodies of the same number.
    /// Whether the methods compute these terms too: the same, in the same rows; that of the pair law is not compared. Then
    /// they are as new. A method that cannot forget is made again, for which memory may be short.
    bool takesOver(const EngineTerms& wanted) {
        if (next_ || termsChange() || wanted.terms.size() != termCount()) return false;
        if (pairLawOf(wanted.terms).precision != force_.precision || wanted_.precision != force_.precision) return false;
        for (std::size_t k = 1; k < termCount(); ++k) {
            const auto &now = terms_[k], &then = wanted.terms[k];
            const KernelChoice &row = choices_[k].kernel, &wantedRow = wanted.how[k].kernel;
            if (row.kernel != wantedRow.kernel || row.launch != wantedRow.launch) return false;
            if (now != then && !sameTerms({now}, {then})) return false;
        }
        if (!alone() && *wanted.ids != *ids_) return false;  // terms name bodies by them
        renewMethods();
        return true;
    }
    /// Continues as a new engine for these terms would, which it takesOver(), with the bodies that the state has now.
    void beginWith(const EngineTerms& terms) {
        ids_ = terms.ids;
        choices_ = terms.how;
        wanted_ = pairLawOf(terms.terms);  // methods refer to the other terms that they were made for
        pendingChoice_ = choices_.front().kernel;
        unreported_ = 0;
        cursor_.abandon();
        setClock({});
        beginFresh();
    }

    /// Bodies of the last complete step were changed; `moved`: not only their velocities.
    void bodiesChanged(bool moved) {
        abandonStep();
        requests_.clear();  // they depend on the largest mass
        adoptSettings();
        const bool stays = !moved && std::ranges::none_of(terms_, [](const auto& term) { return term->usesVelocities(); });
        if (!stays) self().forgetForce();
    }

    // Settings. A step under way ends under the settings of its beginning.
    /// Settings from the next step on. `next`: the pair law's new method; null: the method stays.
    void want(const ForceSettings& force, const KernelChoice& how, std::unique_ptr<Method> next = nullptr) {
        if (next) next_ = std::move(next);
        wanted_ = force;
        pendingChoice_ = how;
        if (cursor_.atBoundary()) adoptSettings();
    }
    /// True when the step under way computes the settings of the last want(), accuracy and launch included. A check of any
    /// other force would judge settings that were never computed.
    bool settled() const { return force_ == wanted_ && choices_.front().kernel == pendingChoice_ && !next_; }
    ForceRequest requestOf(std::size_t term = 0, const ActiveBodies& active = {}) const {
        ForceRequest made = requests_[term];
        made.active = active;
        made.time = forceTime();
        return made;
    }
    /// Simulated time of the positions of the step under way; between steps that of the last complete one.
    double forceTime() const { return time_.now(); }
    /// True when a check will judge the force under way.
    bool checks() const { return self().checkWanted() && settled() && active_.all(); }

    // Steps.
    void beginStep(StepProgram program, double timeStep) {
        requirePointwise(program, State::kName);
        self().prepareStep(program);
        clock_ = {};
        active_ = {};
        adoptSettings();
        program_ = program;
        timeStep_ = timeStep;
        time_.begin(timeStep);
        cursor_.begin(program, timeStep, self().completeForceKnown());
        self().enterStep();
    }
    bool atForce() const { return !cursor_.atBoundary() && cursor_.op().op == Op::force; }
    /// Plans an operation other than a force or `levels`, and advances the block step.
    PlannedOp planned(const StepOp& op, double timeStep) {
        const PlannedOp made{op, op.op == Op::drift ? timeStep / clock_.substeps() : timeStep,
                             op.op == Op::open ? clock_.beginning() : clock_.ending()};
        if (op.op == Op::drift) active_ = clock_.active(self().levels());
        time_.pass(op, clock_.substeps());
        if (op.op == Op::close) clock_.next();
        return made;
    }

    ForceTerms terms_;  ///< of the step under way
    std::shared_ptr<const std::vector<std::uint32_t>> ids_;
    SystemConfiguration choices_;         ///< of each term, for the step under way
    Methods methods_;                     ///< of each term, of the step under way and the last complete one
    std::unique_ptr<Method> next_;        ///< new method of the pair law from the next step on; null: it stays
    ForceSettings force_, wanted_;        ///< of the step under way; from the next step on
    KernelChoice pendingChoice_;          ///< of the pair law, from the next step on
    std::vector<ForceRequest> requests_;  ///< of each term, under force_; empty before the first settings
    std::size_t term_ = 0;                ///< term whose force is under way
    ActiveBodies active_{};               ///< bodies whose force is next or under way
    BlockClock clock_, lastClock_;        ///< of the step under way and the last complete one
    StepCursor cursor_;
    StepProgram program_, nextProgram_;  ///< of the step under way and the one after it
    double timeStep_ = 0, nextTimeStep_ = 0;
    StepClock time_;

private:
    State& self() { return static_cast<State&>(*this); }
    const State& self() const { return static_cast<const State&>(*this); }

    ForceState emptyState() const {
        ForceState state{.terms = terms_, .kernels = {std::string(self().kernelName())}};
        for (std::size_t k = 1; k < termCount(); ++k) state.kernels.push_back(nameOf(choices_[k].kernel));
        state.methods.resize(termCount());
        return state;
    }
    /// Call only between steps.
    void adoptSettings() {
        if (settled() && !requests_.empty()) return;
        bool sameForce = force_ == wanted_;
        force_ = wanted_;
        terms_.front() = std::make_shared<const PairLaw>(force_);
        choices_.front().kernel = pendingChoice_;
        if (next_) sameForce &= self().takeNext(std::exchange(next_, nullptr));
        requests_.clear();
        for (std::size_t k = 0; k < choices_.size(); ++k) {
            // A second pair law has a floor of its own.
            const auto* second = dynamic_cast<const SecondPairLaw*>(terms_[k].get());
            requests_.push_back({.settings = force_,
                                 .smallestR2 = self().smallestR2(second ? second->law() : force_),
                                 .allowedError = choices_[k].kernel.allowedError,
                                 .opening = choices_[k].kernel.opening,
                                 .sources = self().sources()});
        }
        // A change of the accuracy applies to later forces only.
        if (!sameForce) self().forgetForce();
    }

    void renewMethods() {
        abandonMethods();
        for (std::size_t k = 0; k < termCount(); ++k)
            if (!methods_[k]->restore({})) methods_[k] = self().makeMethod(k);
    }
    /// The next step is the first of these bodies.
    void beginFresh() {
        requests_.clear();  // they depend on the largest mass
        adoptSettings();
        self().forgetForce();
        lastClock_ = {};
    }
    bool atLevels() const { return !cursor_.atBoundary() && cursor_.op().op == Op::levels; }
    /// True when the next piece of work, with the force that it is `fused` with, ends the step.
    bool endsStep(bool fused) const {
        if (State::kOperations == 1) return cursor_.atLastOp();
        StepCursor ahead = cursor_;
        if (fused) ahead.next();
        for (; !ahead.atBoundary(); ahead.next())
            if (ahead.op().op == Op::force) return false;
        return true;
    }
    /// False where the levels have not arrived and the call must not wait for them.
    bool takeLevels(bool waits) {
        const std::optional<BlockClock> clock = self().levelClock(waits);
        if (!clock) return false;
        clock_ = *clock;
        cursor_.repeat(clock_.substeps());
        cursor_.next();
        return true;
    }
    /// The next slice of the present force.
    void runForce() {
        const std::size_t k = term_;
        const bool empty = self().size() == 0, complete = empty || self().runSlice(k, *methods_[k]);
        if (complete && !empty) self().takeTerm(k, *methods_[k]);
        term_ += complete;
        if (term_ < termCount() && !empty) {
            // Each term counts as an equal fraction of the force.
            const double ofTerm = complete ? 0 : methods_[k]->progress(), bodies = static_cast<double>(self().size());
            const double done = (static_cast<double>(term_) + ofTerm) / static_cast<double>(termCount());
            return cursor_.reach(std::min(self().size() - 1, static_cast<std::size_t>(done * bodies)));
        }
        term_ = 0;
        cursor_.next();
        self().endForce();
    }
    void addOperations() {
        for (int k = 0; k < State::kOperations && !cursor_.atBoundary() && !atForce() && !atLevels(); ++k) {
            self().add(planned(cursor_.op(), timeStep_));
            cursor_.next();
        }
    }
    /// Operations up to the next force or the end of the step; with `follow`, also those of the next step. Begins with the
    /// force itself where that is in the same piece of work.
    void operate(VertexSink* sink, bool follow) {
        State& state = self();
        const StepProgram program = program_;
        const double timeStep = timeStep_;
        const StepClock before = time_;
        bool ends = false;
        BlockClock ended;
        try {
            const bool fused = atForce();
            state.openOperations(fused);
            if (fused) cursor_.next();
            addOperations();
            ends = cursor_.atBoundary();
            ended = clock_;
            if (ends) state.endStep(sink);
            if (ends) time_.count(1, timeStep);
            if (ends && follow) {
                beginStep(nextProgram_, nextTimeStep_);
                addOperations();
            }
            state.enqueueOperations();
        } catch (...) {
            // The step begins again from the last complete one, whose state is intact.
            state.undoOperations();
            time_ = before;
            beginStep(program, timeStep);
            throw;
        }
        if (ends) lastClock_ = ended;
        state.countOperations(ends);
        if (ends) endStepOfTerms();
    }
    /// The operations that end a step. Decides whether the step is shown and whether the next one follows in the same piece
    /// of work. True when the call is over.
    template <class Pacing>
    bool runToEnd(const Pacing& pacing, bool last, AdvanceStatus& status, VertexSink* sink) {
        const double left = pacing.left() - self().secondsToEnd();
        const bool shows = sink && (last || left < 2 * self().stepSeconds());
        const bool follows = self().follows() && !last && !shows && left > 0 && force_ == wanted_ && !inBlocks(program_) &&
                             !inBlocks(nextProgram_);
        operate(shows ? sink : nullptr, follows);
        ++status.stepsCompleted;
        if (!shows) return false;
        status.published |= self().shown(*sink);
        return !last && pacing.endsWithPicture(self().stepSeconds());
    }
    /// As many whole steps as fit one piece of work. True when the call is over.
    template <class Pacing>
    bool runWhole(const Pacing& pacing, std::int64_t left, AdvanceStatus& status, VertexSink* sink) {
        const WholeSteps done = self().wholeSteps(pacing, left, sink);
        time_.count(done.steps, nextTimeStep_);
        lastClock_ = {};
        status.stepsCompleted += done.steps;
        if (done.shows) status.published |= self().shown(*sink);
        return done.over;
    }

    std::int64_t unreported_ = 0;  ///< steps
};

/// Common base of engines that compute on the calling thread, or on a pool that it waits for. An operation runs when it is
/// added, and clocks replace estimates. State has publish(sink), and apply(op) beside the members for StepEngine.
template <class State, class Method>
class HostEngine : public StepEngine<State, Method> {
public:
    static constexpr int kOperations = 1;

    /// Ends a call by a clock, which it reads once before each piece of work.
    class Pacing : public StepPacer {
    public:
        /// `worked`: time of the step under way, which grows here [s].
        Pacing(const Budget& budget, double& worked, Clock clock = steadySeconds)
            : StepPacer(budget, clock), seconds_(budget.seconds), worked_(worked) {}
        bool admits(bool first, double) {
            const double now = elapsed();
            worked_ += now - std::exchange(now_, now);
            return first || now < seconds_;
        }
        double left() const { return seconds_ - now_; }
        bool goesAhead(double) const { return false; }
        bool endsWithPicture(double) const { return false; }

    private:
        double seconds_, now_ = 0;
        double& worked_;
    };

    Pacing pace(const Budget& budget) { return {budget, worked_}; }
    bool deliver(VertexSink&) { return false; }
    void beforePiece(bool, std::int64_t) {}
    double nextSeconds() const { return 0; }
    double secondsToEnd() const { return 0; }
    double stepSeconds() const { return worked_; }
    bool takesWholeSteps(StepProgram) const { return false; }
    WholeSteps wholeSteps(const Pacing&, std::int64_t, VertexSink*) { return {}; }
    bool fuses() const { return false; }
    bool follows() const { return false; }
    bool mustEndStep() const { return false; }
    void openOperations(bool) {}
    void enqueueOperations() {}
    void countOperations(bool) {}
    void undoOperations() { this->abandonMethods(); }
    bool shown(VertexSink& sink) {
        static_cast<State&>(*this).publish(sink);
        return true;
    }
    void finished() {}

protected:
    explicit HostEngine(const EngineTerms& terms) : StepEngine<State, Method>(terms) {}
    ~HostEngine() = default;
    double worked_ = 0;  ///< time of the step under way [s]
};

}  // namespace gravlab
