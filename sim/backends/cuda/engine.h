// One run on the device: its state, its force method, and the steps that they make. Rule: everything is enqueued on one
// stream, and no call of a frame waits; but where block steps begin, within its budget.
#pragma once
#include "sim/backends/backend.h"
#include "sim/backends/block_figures.h"
#include "sim/backends/cuda/device_blocks.h"
#include "sim/backends/cuda/device_state.h"
#include "sim/backends/cuda/jobs/diagnostics_job.h"
#include "sim/backends/cuda/jobs/force_check_job.h"
#include "sim/backends/cuda/jobs/pair_matrix_job.h"
#include "sim/backends/cuda/jobs/state_copy.h"
#include "sim/backends/cuda/jobs/term_check_job.h"
#include "sim/backends/cuda/jobs/vertex_writer.h"
#include "sim/backends/cuda/kernels/integrate.h"
#include "sim/backends/cuda/methods/force_method.h"
#include "sim/backends/cuda/runtime/gpu_timer.h"
#include "sim/backends/cuda/runtime/pacing.h"
#include "sim/backends/force_state.h"
#include "sim/backends/step_runner.h"

#include <future>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gravlab::cuda {

/// What outlives a change of bodies.
struct EngineContext {
    DeviceFacts device;
    OwnedStream stream;
    GpuTimer timer{stream};
    VertexWriter writer{stream};
    VertexValue shown = VertexValue::speed;
    double hostCopies = 0;  ///< body-sized ones, those of the writer aside
};

/// State in `Real`: float, or double for fp64 and mixed. The functions are those of Backend, without what does not depend on
/// the precision.
template <class Real>
class EngineOf {
public:
    /// Takes the bodies over. Throws DeviceError when the device has not the memory, and UsageError for a term without a
    /// method here.
    EngineOf(EngineContext& context, const ParticleSet& bodies, const ForceSettings& force, const LaunchPlan& plan,
             const EngineTerms& terms);

    // engine.cpp: state, forces outside of steps, and what is measured beside them.
    std::size_t size() const { return state_.count(); }
    /// Waits. Positions and velocities of the last complete step.
    void copyState(std::vector<Double4>& positions, std::vector<Double4>& velocities);
    /// The same, copied on the device now and fetched by whoever calls what comes back, on any thread. Never waits.
    VectorsFuture copyStateAsync();
    /// From the next step on. With a plan at once: a step under way begins again. Throws DeviceError when the new launch
    /// needs more memory than there is; nothing changes then.
    void configure(const ForceSettings& force, const KernelChoice& how, const LaunchPlan* plan);
    const LaunchPlan& plan() const { return method_->plan(); }
    std::string launchFailure() const { return method_->failure(); }
    const BodyFacts& facts() const { return facts_; }
    std::vector<MethodFigure> figures() const {
        std::vector<MethodFigure> all = method_->figures();
        for (const MethodFigure& figure : figuresOf(blocks_.told())) all.push_back(figure);
        return all;
    }
    void accelerations(std::vector<Double4>& out);
    void requestForceCheck(std::vector<std::uint32_t> targets);
    std::optional<ForceCheck> takeForceCheck();
    /// See Backend.
    bool keepsForceState() const;
    std::vector<StateArray> forceState() const;
    void restoreForceState(const std::vector<StateArray>& arrays);
    void requestMeasurement();
    bool measuring() const {
        return !measureFailure_.empty() || pairsMeasured_ || (diagnostics_ && diagnostics_->running());
    }
    std::optional<Diagnostics> takeMeasurement(double seconds);
    bool enqueueMatrix(const PairMatrixRequest& request, FloatSink& sink);
    std::optional<PairMatrixResult> takeMatrix() { return matrix_ ? matrix_->take() : std::nullopt; }

    // engine_steps.cpp: steps.
    AdvanceStatus advance(StepProgram program, double timeStep, const Budget& budget, VertexSink* sink);
    void publish(VertexSink& sink);
    void finishStep();

private:
    using V = Vec4<Real>;
    using Operations = IntegrateTask<Real>;
    using Method = DeviceForceMethod<Real>;

    /// Of the longest launch: short against a frame, long against the few microseconds that a launch costs.
    static constexpr double kSliceSeconds = 2.5e-3;

    // Forces. The pair law is the first term.
    ForceRequest request(std::size_t term = 0, const ActiveBodies& active = {}) const {
        const KernelChoice& how = configuration_[term].kernel;
        return {.settings = force_,
                .smallestR2 = state_.smallestR2(force_),
                .allowedError = how.allowedError,
                .opening = how.opening,
                .active = active};
    }
    /// A term beside the pair law.
    struct OtherTerm {
        std::shared_ptr<const ForceTerm> term;
        std::unique_ptr<DeviceTermMethod<Real>> method;
    };
    /// Methods of all terms, to evaluate a force beside the steps.
    struct Methods {
        std::unique_ptr<Method> pairs;
        std::vector<OtherTerm> others;
    };
    std::size_t termCount() const { return 1 + others_.size(); }
    ForceTerms otherTerms() const;
    std::vector<OtherTerm> makeOthers(const ForceTerms& terms) const;
    /// As if nothing had been computed; and with what the present ones keep.
    Methods newMethods() const;
    Methods methodsLikeThese() const;
    ForceState emptyState() const;
    void abandonForce();
    /// Enqueues the next slice of the method's evaluation, which may be one of a part of the bodies. True when it was the
    /// last one.
    bool enqueueSlice(Method& method, bool ofAll = true);
    /// True when the pair law's accelerations are not the plain sums of pulls.
    bool responds() const { return force_.law != Law::gravity || state_.hasResponses(); }
    /// True when the sums of the pair law's method are what bodies feel: kernels may then go on with them by themselves.
    bool plainForce() const { return others_.empty() && !responds(); }
    /// Enqueues the next slice of a term's method. True when it was the last one.
    bool enqueueTermSlice(DeviceTermMethod<Real>& method);
    /// Adds a term's complete evaluation to the accelerations of bodies that respond as `v` says.
    void addTerm(const DeviceSums<Real>& sums, const V* v, V* to, const ActiveBodies& active = {});
    /// The pair law's part of a force of several terms is complete: it goes into `bodies.sums`, and a check begins.
    void endPairs(const DeviceBodies<Real>& bodies);
    /// The next slice of the term under way. True when no term is left.
    bool runTerm(const DeviceBodies<Real>& bodies);
    /// What the terms' sums make of bodies that respond as `v` says: the one place between a force and its use. `to` takes
    /// it where it is more than the sums.
    DeviceSums<Real> accelerationOf(DeviceSums<Real> sums, const V* v, V* to, const ActiveBodies& active = {});
    /// The pair law's part of the force at the last complete step, into `to`; and the whole of it.
    void evaluatePairs(Method& method, V* to);
    void evaluate(const Methods& methods, V* termSums, V* to);
    void enqueueSum(const DeviceSums<Real>& sums, V* to);
    void enqueueCheck(const V* x, const V* a);
    /// Begins to sum the energy of the terms beside the pair law, on a thread of its own.
    void beginOtherEnergy();
    /// A copy that the device makes now, to be fetched on any thread.
    VectorsFuture copyAsync(const V* x, const V* v);

    // Steps.
    void beginStep(StepProgram program, double timeStep);
    void restartStep();
    void adoptSettings();
    bool atForce() const { return !cursor_.atBoundary() && cursor_.op().op == Op::force; }
    bool atRungs() const { return !cursor_.atBoundary() && cursor_.op().op == Op::rungs; }
    /// Gives rungs out; false where they are not there yet and it must not wait for them.
    bool giveRungs(bool waits);
    /// True when a force comes before the end of the step, or after the operation under way.
    bool forceLeft(bool afterThis) const;
    /// True when the force that the step has come to may come in one launch with the operations after it.
    bool fuses() const;
    /// The force that the step has come to: at which positions, and where its sums may go.
    DeviceBodies<Real> forceHere();
    /// True when the step under way computes what configure() wants, accuracy included.
    bool settled() const { return force_ == wanted_ && configuration_[0].kernel == wantedHow_; }
    /// True when the next force is to be checked.
    bool checks() const { return check_.wanted() && settled() && active_.all(); }
    void runForce();
    /// Runs operations up to the next force or the end of the step; with `follow`, on into the next step. Begins with the
    /// force itself where that fuses().
    void integrate(VertexSink* sink, bool follow);
    /// A force that is to come in one launch with the operations after it, if that can be.
    using PendingForce = std::optional<DeviceBodies<Real>>;
    /// True when one launch holds the operations and `force`, which is enqueued in any case, and gone then.
    bool launchOperations(Operations& task, PendingForce& force);
    bool launchFused(Operations& task, const DeviceBodies<Real>& force);
    void appendOps(Operations& task, PendingForce& force);
    void appendEnd(Operations& task, PendingForce& force, bool follow);
    void setOut(Operations& task);
    Operations operationsFromHere() const;
    void setScratch(Operations& task) const;
    bool runToEnd(const Pacing& pacing, AdvanceStatus& status, VertexSink* sink);
    bool runsBatches(StepProgram program) const;
    bool runBatch(const Pacing& pacing, AdvanceStatus& status, VertexSink* sink);

    // Estimates [s].
    double integrateSeconds() const;
    double stepSeconds() const;
    double forceSeconds() const;
    double nextSeconds() const;
    bool smallSteps() const;
    void endPart(Span kind);

    EngineContext& context_;
    DeviceState<Real> state_;
    std::unique_ptr<Method> method_;     ///< of the pair law
    SystemConfiguration configuration_;  ///< of all terms
    std::shared_ptr<const std::vector<std::uint32_t>> ids_;
    std::vector<OtherTerm> others_;
    DeviceArray<V> termSums_;  ///< of the term under way; empty where the pair law acts alone
    std::size_t term_ = 0;     ///< whose force is under way
    BodyFacts facts_;
    ForceSettings force_;     ///< of the step under way
    ForceSettings wanted_;    ///< from the next step on
    KernelChoice wantedHow_;  ///< the same, of the pair law

    StepCursor cursor_;
    StepProgram program_;
    double timeStep_ = 0;
    StepProgram nextProgram_;  ///< of the step after the one under way
    double nextTimeStep_ = 0;
    DeviceBlocks blocks_;
    ActiveBodies active_{};          ///< whose force is next or under way
    V *x_ = nullptr, *v_ = nullptr;  ///< where the state of the step under way is
    DeviceSums<Real> acceleration_;  ///< by the last force
    bool forceAtX_ = false;          ///< nothing moved since the last force
    bool firstForce_ = false;        ///< the last force belongs to the last complete step
    bool measured_ = true;           ///< forces and operations are timed apart
    std::int64_t unreported_ = 0;    ///< steps

    ForceCheckJob<Real> check_;
    TermCheckJob<Real> termCheck_;
    std::optional<ForceCheck> pairCheck_;                ///< done, while that of the other terms is not
    std::shared_ptr<StateCopy<Real>> copy_;              ///< made when it is first asked for
    std::unique_ptr<DiagnosticsJob<Real>> diagnostics_;  ///< from the first request
    std::optional<Diagnostics> pairsMeasured_;           ///< done, while the energy of other terms is not
    std::future<double> otherEnergy_;                    ///< of the terms beside the pair law, of the bodies being measured
    std::string measureFailure_;                         ///< of a request, until it is taken
    std::unique_ptr<PairMatrixJob<Real>> matrix_;        ///< from the first request
};

}  // namespace gravlab::cuda
