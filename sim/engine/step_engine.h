// What every engine plans alike, whatever computes its forces: pending settings, terms and their methods, block steps, which
// force a check may judge, and what methods keep between steps. Rule: nothing here computes, waits or knows a device.
#pragma once
#include "sim/backends/backend.h"
#include "sim/backends/block_figures.h"
#include "sim/backends/force_state.h"
#include "sim/integrators/apply_op.h"
#include "sim/integrators/block_steps.h"

#include <memory>
#include <utility>
#include <variant>
#include <vector>

namespace gravlab {

/// Bodies of a run in one precision, and the steps that move them. `State` computes, and derives from this class. `Pairs`
/// are its methods for the pair law; `Other` those of further terms, the same class or a base of it. State has:
///
///   size()                      bodies
///   kernelName()                the row of the pair law
///   makePairs(), makeOther(k)   new methods of the present row, and of term k. May lack memory; throw UsageError for a term
///                               without a method
///   takeNext(next, old)         the pending method becomes that of the pair law; true when it leaves the same bits
///   smallestR2(force)           see ForceRequest
///   completeForceKnown(), forgetForce()   whether the accelerations of the last complete step are its force
///   knownAccelerations(), takeAccelerations(values)   the same, as the force state has them
///   checkWanted()               a force check was requested and has no force yet
///
/// One thread drives it.
template <class State, class Pairs, class Other = Pairs>
class StepEngine {
public:
    /// See Backend.
    bool keepsForceState() const {
        for (std::size_t k = 0; k < termCount(); ++k)
            if (termMethod(k).keepsState()) return true;
        return false;
    }
    std::vector<StateArray> forceState() const {
        if (!keepsForceState()) return {};
        ForceState state = emptyState();
        for (std::size_t k = 0; k < termCount(); ++k) state.methods[k] = termMethod(k).state();
        if (self().completeForceKnown()) state.accelerations = self().knownAccelerations();
        return arraysOf(state);
    }
    void restoreForceState(const std::vector<StateArray>& arrays) {
        ForceState state = emptyState();
        if (arrays.empty() || !keepsForceState() || !takeForceState(arrays, self().size(), state)) return;
        for (std::size_t k = 0; k < termCount(); ++k)
            if (!termMethod(k).restore(state.methods[k])) {
                methods_ = newMethods();
                return;
            }
        self().takeAccelerations(state.accelerations);
    }
    /// Of the pair law's method, and of the last complete block step.
    std::vector<MethodFigure> figures() const {
        std::vector<MethodFigure> all = methods_.pairs->figures();
        for (const MethodFigure& figure : figuresOf(lastClock_)) all.push_back(figure);
        return all;
    }

protected:
    /// Methods of all terms.
    struct Methods {
        std::unique_ptr<Pairs> pairs;
        std::vector<std::unique_ptr<Other>> others;
        Other& of(std::size_t k) const { return k == 0 ? *pairs : *others[k - 1]; }
    };

    explicit StepEngine(const EngineTerms& terms)
        : others_(terms.others), ids_(terms.ids), configuration_(terms.configuration) {
        configuration_.resize(termCount());
        wantedHow_ = configuration_[0].kernel;
    }
    ~StepEngine() = default;

    // Terms. The pair law is the first.
    std::size_t termCount() const { return 1 + others_.size(); }
    Other& termMethod(std::size_t k) const { return methods_.of(k); }
    /// As if nothing had been computed; and with what the present ones keep.
    Methods newMethods() const {
        Methods made{self().makePairs(), {}};
        for (std::size_t k = 1; k < termCount(); ++k) made.others.push_back(self().makeOther(k));
        return made;
    }
    Methods methodsLikeThese() const {
        Methods made = newMethods();
        for (std::size_t k = 0; k < termCount(); ++k)
            if (termMethod(k).keepsState()) made.of(k).restore(termMethod(k).state());
        return made;
    }
    /// Forgets the force under way.
    void abandonMethods() {
        term_ = 0;
        for (std::size_t k = 0; k < termCount(); ++k) termMethod(k).abandon();
    }
    /// For a cursor: how many bodies count as done when `ofTerm` of the term under way is. Each term is an equal part.
    std::size_t reached(double ofTerm) const {
        const double done = (static_cast<double>(term_) + ofTerm) / static_cast<double>(termCount());
        const std::size_t bodies = self().size();
        return std::min(bodies - 1, static_cast<std::size_t>(done * static_cast<double>(bodies)));
    }

    // Settings. A step under way ends under those that it began with.
    /// From the next step on. `next`: the pair law's method from then on; null: it stays.
    void want(const ForceSettings& force, const KernelChoice& how, std::unique_ptr<Pairs> next = nullptr) {
        if (next) next_ = std::move(next);
        wanted_ = force;
        wantedHow_ = how;
    }
    /// True when the step under way computes what want() named last, accuracy and launch included. A check of any other
    /// force would give a verdict on settings that were never computed.
    bool settled() const { return force_ == wanted_ && configuration_[0].kernel == wantedHow_ && !next_; }
    /// Only between steps.
    void adoptSettings() {
        if (settled() && !requests_.empty()) return;
        bool sameForce = force_ == wanted_;
        force_ = wanted_;
        configuration_[0].kernel = wantedHow_;
        if (next_) sameForce &= self().takeNext(std::exchange(next_, nullptr));
        requests_.clear();
        for (const TermConfiguration& term : configuration_)
            requests_.push_back({.settings = force_,
                                 .smallestR2 = self().smallestR2(force_),
                                 .allowedError = term.kernel.allowedError,
                                 .opening = term.kernel.opening});
        // Another accuracy is one of the forces to come.
        if (!sameForce) self().forgetForce();
    }
    ForceRequest requestOf(std::size_t term = 0, const ActiveBodies& active = {}) const {
        ForceRequest made = requests_[term];
        made.active = active;
        return made;
    }
    /// True when a check is to judge the force under way.
    bool checks() const { return self().checkWanted() && settled() && active_.all(); }

    // Block steps.
    /// An operation as bodies take it.
    struct PlannedOp {
        double timeStep;  ///< [T]
        int least;        ///< for bodies on this rung and deeper ones
    };
    /// Plans the next operation, but a force and `rungs`, and moves on in the block step. `rungs`: of each body, where the
    /// methods read.
    PlannedOp planned(const StepOp& op, double timeStep, const std::uint8_t* rungs) {
        const PlannedOp made{op.op == Op::drift ? timeStep / clock_.substeps() : timeStep,
                             op.op == Op::open ? clock_.beginning() : clock_.ending()};
        if (op.op == Op::drift) active_ = clock_.active(rungs);
        if (op.op == Op::close) clock_.next();
        return made;
    }

    ForceTerms others_;  ///< beside the pair law
    std::shared_ptr<const std::vector<std::uint32_t>> ids_;
    SystemConfiguration configuration_;   ///< of all terms, as the step under way has it
    Methods methods_;                     ///< of the step under way and the last complete one
    std::unique_ptr<Pairs> next_;         ///< of the pair law from the next step on, where that is another
    ForceSettings force_, wanted_;        ///< of the step under way; from the next one on
    KernelChoice wantedHow_;              ///< from the next step on, of the pair law
    std::vector<ForceRequest> requests_;  ///< of each term, under force_; empty before the first adoptSettings()
    std::size_t term_ = 0;                ///< whose force is under way
    ActiveBodies active_{};               ///< whose force is next or under way
    BlockClock clock_, lastClock_;        ///< of the step under way and the last complete one

private:
    State& self() { return static_cast<State&>(*this); }
    const State& self() const { return static_cast<const State&>(*this); }

    ForceState emptyState() const {
        ForceState state{.terms = termsOf(force_, others_), .kernels = {std::string(self().kernelName())}};
        for (std::size_t k = 1; k < termCount(); ++k) state.kernels.push_back(nameOf(configuration_[k].kernel));
        state.methods.resize(termCount());
        return state;
    }
};

/// An engine in the precision of its state: EngineOf<float> for fp32, EngineOf<double> for mixed and fp64.
template <template <class> class EngineOf>
class EngineOfEither {
public:
    EngineOfEither() = default;
    template <class... Arguments>
    EngineOfEither(Precision precision, Arguments&&... arguments) {
        if (precision == Precision::fp32)
            made_ = std::make_unique<EngineOf<float>>(std::forward<Arguments>(arguments)...);
        else
            made_ = std::make_unique<EngineOf<double>>(std::forward<Arguments>(arguments)...);
    }
    /// use(engine) of either precision.
    template <class Use>
    decltype(auto) with(const Use& use) const {
        return std::visit([&](const auto& made) -> decltype(auto) { return use(*made); }, made_);
    }

private:
    std::variant<std::unique_ptr<EngineOf<float>>, std::unique_ptr<EngineOf<double>>> made_;
};

}  // namespace gravlab
