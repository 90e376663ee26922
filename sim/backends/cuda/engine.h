// One run on the device: its state, its force methods and its steps. Rule: everything is enqueued on one stream, and no
// call of a frame waits. The exception is the start of a block step, which waits within the frame's budget.
#pragma once
#include "sim/backends/backend.h"
#include "sim/backends/cuda/device_state.h"
#include "sim/backends/cuda/jobs/diagnostics_job.h"
#include "sim/backends/cuda/jobs/force_check_job.h"
#include "sim/backends/cuda/jobs/pair_matrix_job.h"
#include "sim/backends/cuda/jobs/state_copy.h"
#include "sim/backends/cuda/jobs/term_check_job.h"
#include "sim/backends/cuda/jobs/vertex_writer.h"
#include "sim/backends/cuda/kernels/blocks.h"
#include "sim/backends/cuda/kernels/integrate.h"
#include "sim/backends/cuda/methods/divided.h"
#include "sim/backends/cuda/methods/force_method.h"
#include "sim/backends/cuda/runtime/gpu_timer.h"
#include "sim/backends/cuda/runtime/pacing.h"
#include "sim/core/body_pieces.h"
#include "sim/engine/step_engine.h"

#include <future>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace gravlab::cuda {

/// State of the backend that outlives a change of bodies.
struct EngineContext {
    DeviceFacts device;
    HelperDevices helpers;
    OwnedStream stream;
    GpuTimer timer{stream};
    VertexWriter writer{stream};
    VertexValue shown = VertexValue::speed;
    double hostCopies = 0;  ///< copies of whole arrays of bodies, without those of the vertex writer
    std::tuple<Measurement<float>, Measurement<double>> measurements{};  ///< one at most, in the precision of the state
};

/// The state is in `Real`: float, or double for fp64 and mixed. The functions are those of Backend that depend on the
/// precision.
template <class Real>
class EngineOf final : public StepEngine<EngineOf<Real>, DeviceTermMethod<Real>> {
    using Base = StepEngine<EngineOf<Real>, DeviceTermMethod<Real>>;
    using Base::active_, Base::alone, Base::atForce, Base::checks, Base::cursor_, Base::force_, Base::choices_, Base::ids_,
        Base::lastClock_, Base::methods_, Base::program_, Base::requestOf, Base::settled, Base::term_, Base::termCount,
        Base::terms_, Base::wanted_;
    using typename Base::Methods;

public:
    static constexpr std::string_view kName = "cuda";

    /// Copies the bodies to the device. Throws DeviceError when the device has too little memory, and UsageError for a term
    /// without a method here.
    EngineOf(EngineContext& context, const BodiesToRead& bodies, const BodyFacts& facts, const LaunchPlan& plan,
             const EngineTerms& terms);
    /// Writes other bodies of the same number into the arrays that exist. False, and nothing has changed: they need a new
    /// engine.
    bool replace(const BodiesToRead& bodies, const BodyFacts& facts, const LaunchPlan& plan, const EngineTerms& terms);

    // engine.cpp: state, forces outside of steps, and measurements.
    std::size_t size() const { return state_.count(); }
    /// Copies positions and velocities of the last complete step to the host. Waits.
    void copyState(std::vector<Double4>& positions, std::vector<Double4>& velocities);
    void copyState(std::size_t first, ParticleSet& out, unsigned arrays) const {
        if (arrays & kReadPositions) state_.download(state_.complete().x, first, out.position);
        if (arrays & kReadVelocities) state_.download(state_.complete().v, first, out.velocity);
    }
    /// Copies the same on the device now and never waits. A call of the returned function fetches the copy, on any thread.
    VectorsFuture copyStateAsync();
    /// Settings apply from the next step on. A plan applies at once: a step under way begins again. Throws DeviceError when
    /// the new launch needs more memory than there is; nothing changes then.
    void configure(const ForceSettings& force, const KernelChoice& how, const LaunchPlan* plan);
    /// Whether change() takes fewer bodies under that plan.
    bool takesFewer(const LaunchPlan& plan, const BodyFacts& left) const {
        const auto all = [](const MassiveBodies& sources) { return sources.count == MassiveBodies{}.count; };
        return alone() && !state_.one() && !state_.hasResponses() && all(facts_.sources) && all(left.sources) &&
               left.count > 0 && pairs().takesFewer(plan, static_cast<std::uint32_t>(left.count));
    }
    /// Changes bodies of the last complete step. `left`: facts of those that are left under that plan; null: none is gone.
    void change(const DeviceChanges& changes, const BodyFacts* left, const LaunchPlan& plan, bool moved);
    /// Position and velocity of a body at the last complete step. Waits.
    void copyBody(std::uint32_t index, Double4& position, Double4& velocity) const;
    /// See Backend. Waits.
    std::size_t firstBad(double farthest) const {
        return cuda::firstBad<Real>(positions(), velocities(), state_.count(), farthest, context_.stream);
    }
    const LaunchPlan& plan() const { return pairs().plan(); }
    std::string launchFailure() const { return pairs().failure(); }
    const BodyFacts& facts() const { return facts_; }
    /// Directed pairs of one force, where the row leaves out none.
    double pairsOfForce() const { return pairs().work(); }
    /// Positions of the last complete step, in device memory.
    const Vec4<Real>* positions() const { return state_.complete().x.data(); }
    const Vec4<Real>* velocities() const { return state_.complete().v.data(); }
    void accelerations(std::vector<Double4>& out);
    void requestForceCheck(std::vector<std::uint32_t> targets);
    std::optional<ForceCheck> takeForceCheck();
    void requestMeasurement();
    Measurement<Real>& measurement() const { return std::get<Measurement<Real>>(context_.measurements); }
    bool enqueueMatrix(const PairMatrixRequest& request, FloatSink& sink);
    std::optional<PairMatrixResult> takeMatrix() { return matrix_ ? matrix_->take() : std::nullopt; }

    // engine_steps.cpp: steps.
    AdvanceStatus advance(StepProgram program, double timeStep, const Budget& budget, VertexSink* sink);
    void publish(VertexSink& sink);

    // EngineState: the bodies and their methods.
    std::string_view kernelName() const { return plan().entry->row.name; }
    std::unique_ptr<DeviceTermMethod<Real>> makeMethod(std::size_t k) const;
    double smallestR2(const ForceSettings& force) const { return state_.smallestR2(force); }
    MassiveBodies sources() const { return state_.sources(); }
    bool completeForceKnown() const { return state_.complete().forceKnown; }
    void forgetForce() { state_.complete().forceKnown = false; }
    std::vector<Double4> knownAccelerations() const { return state_.download(state_.complete().a); }
    void takeAccelerations(const std::vector<Double4>& values) {
        if (values.size() == size() && size() > 0) state_.uploadAccelerations(values);
    }
    bool checkWanted() const { return check_.wanted(); }
    /// No method waits for the end of a step here: a step under way begins again with the new method.
    bool takeNext(std::unique_ptr<DeviceTermMethod<Real>>) { return true; }

    // EngineState: steps.
    static constexpr int kOperations = std::numeric_limits<int>::max();
    Pacing pace(const Budget& budget);
    bool deliver(VertexSink& sink) { return context_.writer.deliver(sink, false); }
    void beforePiece(bool first, std::int64_t stepsCompleted);
    void prepareStep(StepProgram program);
    void enterStep();
    /// One state is kept, and the step under way has moved it.
    bool mustEndStep() const { return state_.one() && moved_; }
    bool follows() const { return !state_.one(); }
    double nextSeconds() const;
    double stepSeconds() const;
    double secondsToEnd() const { return integrateSeconds() + (atForce() ? forceSeconds() : 0); }
    bool runSlice(std::size_t k, DeviceTermMethod<Real>& method);
    void takeTerm(std::size_t k, DeviceTermMethod<Real>& method);
    void endForce();
    bool fuses() const;
    const std::uint8_t* levels() const { return blocks_.levels(); }
    std::optional<BlockClock> levelClock(bool waits);
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
    DeviceBodies<Real> completeBodies() {
        auto& complete = state_.complete();
        return {complete.x.data(), nullptr, complete.v.data()};
    }

private:
    using V = Vec4<Real>;
    using Operations = IntegrateTask<Real>;
    using Method = DeviceForceMethod<Real>;
    using TermMethod = DeviceTermMethod<Real>;

    /// Longest launch [s]: short against a frame, long against the few microseconds that a launch costs.
    static constexpr double kSliceSeconds = 2.5e-3;

    // Forces. The pair law is the first term.
    Method& pairs() const { return static_cast<Method&>(*methods_.front()); }
    void abandonForce();
    void restartStep();
    /// Enqueues the next slice of a term's evaluation; `ofAll` is false where only active bodies are targets. True when it
    /// was the last slice.
    bool enqueueSlice(std::size_t k, TermMethod& method, bool ofAll = true);
    /// The responses in velocities; null where all are 1.
    const V* responses(const V* v) const { return state_.hasResponses() ? v : nullptr; }
    /// True when the pair law's accelerations are not the plain sums of pulls.
    bool needsResponsePass() const { return force_.law != Law::gravity || state_.hasResponses(); }
    /// True when the sums of the pair law's method are the accelerations of the bodies: kernels may then use them directly.
    bool plainForce() const { return alone() && !needsResponsePass(); }
    /// Adds a term's complete evaluation to the accelerations; `v` holds the responses of the bodies.
    void addTerm(const DeviceSums<Real>& sums, const V* v, V* to, const ActiveBodies& active = {});
    /// The accelerations that follow from the pair law's sums and the responses in `v`; every use of a force comes through
    /// here. They are written to `to` where they differ from the plain sums.
    DeviceSums<Real> accelerationOf(DeviceSums<Real> sums, const V* v, V* to, const ActiveBodies& active = {});
    /// Writes the force of `methods` at the last complete step into `to`.
    void evaluate(const Methods& methods, V* termSums, V* to);
    void enqueueSum(const DeviceSums<Real>& sums, V* to);
    /// Adds up the ranges of the accelerations into one array at `to`.
    void sumInto(V* to);
    void enqueueCheck(const V* x, const V* a);
    /// Starts a thread that sums the energy of the terms other than the pair law.
    void beginOtherEnergy(std::future<double>& sum);
    /// Copies on the device now; any thread may fetch the copy.
    VectorsFuture copyAsync(const V* x, const V* v);

    /// Arguments of the force that is next in the step: positions, and the array for its sums.
    DeviceBodies<Real> forceHere();
    /// The buffer for the vertices of a step; null while the last picture is still being copied.
    ParticleVertex* openVertices(VertexSink& sink);
    void closeVertices(VertexSink& sink);
    /// A force that shares one launch with the operations after it where the kernel allows that.
    using PendingForce = std::optional<DeviceBodies<Real>>;
    /// Enqueues the operations and `force`, and empties `force`. True when one launch holds both.
    bool launchOperations(Operations& task, PendingForce& force);
    bool launchFused(Operations& task, const DeviceBodies<Real>& force);
    void setOut(Operations& task);
    Operations operationsFromHere() const;

    // Estimates [s].
    double integrateSeconds() const;
    double forceSeconds() const;
    bool smallSteps() const;
    void endPart(Span kind);

    EngineContext& context_;
    DeviceState<Real> state_;
    DeviceArray<V> termSums_;  ///< sums of the term under way; empty where the pair law acts alone
    BodyFacts facts_;

    DeviceBlocks blocks_;
    V *x_ = nullptr, *v_ = nullptr;       ///< current arrays of the step under way
    DeviceSums<Real> acceleration_;       ///< from the last force, without pendingTermSums_
    const V* pendingTermSums_ = nullptr;  ///< sums of the last term, which the next operations add; null: none
    bool forceAtX_ = false;               ///< nothing moved since the last force
    bool moved_ = false;                  ///< operations of the step under way are enqueued
    bool firstForce_ = false;             ///< the last force belongs to the last complete step
    bool measured_ = true;                ///< forces and operations are timed apart
    bool offline_ = false;                ///< the call under way is not part of a frame
    // The list of operations under construction.
    Operations list_{};
    PendingForce pending_;        ///< force that runs before the list
    VertexSink* sink_ = nullptr;  ///< sink of the step that the list ends
    ParticleVertex* vertices_ = nullptr;
    bool fused_ = false;      ///< one launch held the list and the force
    int completeBefore_ = 0;  ///< see DeviceState::completeIndex()

    ForceCheckJob<Real> check_;
    TermCheckJob<Real> termCheck_;
    std::optional<ForceCheck> pairCheck_;    ///< finished check of the pair law, until the check of the other terms ends
    std::shared_ptr<StateCopy<Real>> copy_;  ///< created by the first request
    std::unique_ptr<PairMatrixJob<Real>> matrix_;  ///< created by the first request
};

}  // namespace gravlab::cuda
