// One run on the device: its state, its force method, and the steps that they make. Rule: everything is enqueued on one
// stream, and no call of a frame waits; but where block steps begin, within its budget.
#pragma once
#include "sim/backends/backend.h"
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
#include "sim/engine/step_engine.h"

#include <future>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
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
class EngineOf final : public StepEngine<EngineOf<Real>, DeviceTermMethod<Real>> {
    using Base = StepEngine<EngineOf<Real>, DeviceTermMethod<Real>>;
    friend Base;
    using Base::active_, Base::alone, Base::atForce, Base::checks, Base::cursor_, Base::force_, Base::how_, Base::ids_,
        Base::lastClock_, Base::methods_, Base::program_, Base::requestOf, Base::settled, Base::termCount, Base::terms_,
        Base::wanted_;
    using typename Base::Methods;

public:
    static constexpr std::string_view kName = "cuda";

    /// Takes the bodies over. Throws DeviceError when the device has not the memory, and UsageError for a term without a
    /// method here.
    EngineOf(EngineContext& context, const ParticleSet& bodies, const LaunchPlan& plan, const EngineTerms& terms);

    // engine.cpp: state, forces outside of steps, and what is measured beside them.
    std::size_t size() const { return state_.count(); }
    /// Waits. Positions and velocities of the last complete step.
    void copyState(std::vector<Double4>& positions, std::vector<Double4>& velocities);
    /// The same, copied on the device now and fetched by whoever calls what comes back, on any thread. Never waits.
    VectorsFuture copyStateAsync();
    /// From the next step on. With a plan at once: a step under way begins again. Throws DeviceError when the new launch
    /// needs more memory than there is; nothing changes then.
    void configure(const ForceSettings& force, const KernelChoice& how, const LaunchPlan* plan);
    const LaunchPlan& plan() const { return pairs().plan(); }
    std::string launchFailure() const { return pairs().failure(); }
    const BodyFacts& facts() const { return facts_; }
    void accelerations(std::vector<Double4>& out);
    void requestForceCheck(std::vector<std::uint32_t> targets);
    std::optional<ForceCheck> takeForceCheck();
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

private:
    using V = Vec4<Real>;
    using Operations = IntegrateTask<Real>;
    using Method = DeviceForceMethod<Real>;
    using TermMethod = DeviceTermMethod<Real>;

    /// Of the longest launch: short against a frame, long against the few microseconds that a launch costs.
    static constexpr double kSliceSeconds = 2.5e-3;

    // For StepEngine.
    std::string_view kernelName() const { return plan().entry->row.name; }
    std::unique_ptr<TermMethod> makeMethod(std::size_t k) const;
    double smallestR2(const ForceSettings& force) const { return state_.smallestR2(force); }
    bool completeForceKnown() const { return state_.complete().forceKnown; }
    void forgetForce() { state_.complete().forceKnown = false; }
    std::vector<Double4> knownAccelerations() const { return state_.download(state_.complete().a); }
    void takeAccelerations(const std::vector<Double4>& values) {
        if (values.size() == size() && size() > 0) state_.uploadAccelerations(values);
    }
    bool checkWanted() const { return check_.wanted(); }
    /// None is pending: a step under way begins again with another method.
    bool takeNext(std::unique_ptr<TermMethod>) { return true; }

    // Forces. The pair law is the first term.
    Method& pairs() const { return static_cast<Method&>(*methods_.front()); }
    void abandonForce();
    /// Enqueues the next slice of a term's evaluation, which may be one of a part of the bodies. True when it was the last
    /// one.
    bool enqueueSlice(std::size_t k, TermMethod& method, bool ofAll = true);
    /// True when the pair law's accelerations are not the plain sums of pulls.
    bool responds() const { return force_.law != Law::gravity || state_.hasResponses(); }
    /// True when the sums of the pair law's method are what bodies feel: kernels may then go on with them by themselves.
    bool plainForce() const { return alone() && !responds(); }
    /// Adds a term's complete evaluation to the accelerations of bodies that respond as `v` says.
    void addTerm(const DeviceSums<Real>& sums, const V* v, V* to, const ActiveBodies& active = {});
    /// What the pair law's sums make of bodies that respond as `v` says: the one place between a force and its use. `to`
    /// takes it where it is more than the sums.
    DeviceSums<Real> accelerationOf(DeviceSums<Real> sums, const V* v, V* to, const ActiveBodies& active = {});
    /// The force of `methods` at the last complete step, into `to`.
    void evaluate(const Methods& methods, V* termSums, V* to);
    void enqueueSum(const DeviceSums<Real>& sums, V* to);
    /// The accelerations so far as one array at `to`.
    void sumInto(V* to);
    void enqueueCheck(const V* x, const V* a);
    /// Begins to sum the energy of the terms beside the pair law, on a thread of its own.
    void beginOtherEnergy();
    /// A copy that the device makes now, to be fetched on any thread.
    VectorsFuture copyAsync(const V* x, const V* v);

    // Steps, for StepEngine.
    static constexpr int kOperations = std::numeric_limits<int>::max();
    static constexpr bool kFollows = true;
    Pacing pace(const Budget& budget);
    bool deliver(VertexSink& sink) { return context_.writer.deliver(sink, false); }
    void beforePiece(bool first, std::int64_t stepsCompleted);
    void prepareStep(StepProgram program);
    void enterStep();
    void restartStep();
    bool runSlice(std::size_t k, TermMethod& method);
    void takeTerm(std::size_t k, TermMethod& method);
    void endForce();
    bool fuses() const;
    const std::uint8_t* rungs() const { return blocks_.rungs(); }
    std::optional<BlockClock> rungClock(bool waits);
    void openOperations(bool fused);
    void add(const PlannedOp& planned);
    void endStep(VertexSink* sink);
    void enqueueOperations();
    void countOperations(bool ended);
    void undoOperations();
    bool shown(VertexSink& sink);
    bool takesWholeSteps(StepProgram program) const;
    WholeSteps wholeSteps(const Pacing& pacing, std::int64_t left, VertexSink* sink);
    void finished();

    /// The force that the step has come to: at which positions, and where its sums may go.
    DeviceBodies<Real> forceHere();
    /// Where what is drawn of a step goes; null where the last picture is still on its way.
    ParticleVertex* openVertices(VertexSink& sink);
    void closeVertices(VertexSink& sink);
    /// A force that is to come in one launch with the operations after it, if that can be.
    using PendingForce = std::optional<DeviceBodies<Real>>;
    /// True when one launch holds the operations and `force`, which is enqueued in any case, and gone then.
    bool launchOperations(Operations& task, PendingForce& force);
    bool launchFused(Operations& task, const DeviceBodies<Real>& force);
    void setOut(Operations& task);
    Operations operationsFromHere() const;

    // Estimates [s].
    double integrateSeconds() const;
    double stepSeconds() const;
    double forceSeconds() const;
    double nextSeconds() const;
    double secondsToEnd() const { return integrateSeconds() + (atForce() ? pairs().evaluationSeconds() : 0); }
    bool smallSteps() const;
    void endPart(Span kind);

    EngineContext& context_;
    DeviceState<Real> state_;
    DeviceArray<V> termSums_;  ///< of the term under way; empty where the pair law acts alone
    BodyFacts facts_;

    DeviceBlocks blocks_;
    V *x_ = nullptr, *v_ = nullptr;  ///< where the state of the step under way is
    DeviceSums<Real> acceleration_;  ///< by the last force
    bool forceAtX_ = false;          ///< nothing moved since the last force
    bool firstForce_ = false;        ///< the last force belongs to the last complete step
    bool measured_ = true;           ///< forces and operations are timed apart
    bool offline_ = false;           ///< the call under way is not part of a frame
    // The list of operations that is being made.
    Operations list_{};
    PendingForce pending_;        ///< in front of it
    VertexSink* sink_ = nullptr;  ///< that gets the step which it ends
    ParticleVertex* vertices_ = nullptr;
    bool fused_ = false;      ///< one launch held it and the force
    int completeBefore_ = 0;  ///< see DeviceState::completeIndex()

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
