// The bodies on the device and the steps that move them. Rule: what is seen is the last complete step; a step under way
// writes into other arrays, and everything is enqueued on one stream.
#pragma once
#include "sim/backends/backend.h"
#include "sim/backends/cuda/kernels/integrate.h"
#include "sim/backends/cuda/measure/matrix_artist.h"
#include "sim/backends/cuda/measure/measurer.h"
#include "sim/backends/cuda/methods/force_plan.h"
#include "sim/backends/cuda/publisher.h"
#include "sim/backends/cuda/runtime/memory.h"
#include "sim/backends/cuda/runtime/timeline.h"
#include "sim/backends/cuda/state_copy.h"
#include "sim/backends/step_runner.h"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace gravlab::cuda {

/// What outlives a change of bodies.
struct EngineContext {
    DeviceFacts device;
    OwnedStream stream;
    Timeline timeline{stream};
    Publisher publisher{stream};
    VertexValue shown = VertexValue::speed;
    double hostCopies = 0;  ///< body-sized ones, those of the publisher aside
};

/// What the backend asks of an engine, whatever the precision of its state.
class Engine {
public:
    virtual ~Engine() = default;
    virtual std::size_t size() const = 0;
    /// Waits. Positions and velocities of the last complete step.
    virtual void copyState(std::vector<Double4>& positions, std::vector<Double4>& velocities) = 0;
    /// The same, copied on the device now and fetched by whoever calls what comes back, on any thread. Never waits.
    virtual LaterVectors copyStateLater() = 0;
    /// From the next step on. With a choice at once: a step under way begins again. Throws DeviceError when the new launch
    /// needs more memory than there is; nothing changes then.
    virtual void configure(const ForceSettings& force, const Choice* choice) = 0;
    virtual const Choice& choice() const = 0;
    virtual const BodyFacts& facts() const = 0;

    virtual AdvanceStatus advance(StepProgram program, double timeStep, const Budget& budget, VertexSink* sink) = 0;
    virtual void publish(VertexSink& sink) = 0;
    virtual void finishStep() = 0;
    virtual void accelerations(std::vector<Double4>& out) = 0;
    virtual void requestForceCheck(std::vector<std::uint32_t> targets) = 0;
    virtual std::optional<ForceCheck> takeForceCheck() = 0;
    virtual void requestMeasurement() = 0;
    virtual bool measuring() const = 0;
    virtual std::optional<Measurement> takeMeasurement(double seconds) = 0;
    virtual bool paintMatrix(const MatrixColours& colours, std::uint32_t row, std::uint32_t column, int edge,
                             VertexSink& sink) = 0;
    virtual std::optional<PaintedMatrix> takeMatrix() = 0;

    /// Bytes of device memory for so many bodies, scratch registers and partial sums aside.
    static double bytes(std::size_t bodies, Precision precision) {
        return 6.0 * 4 * (precision == Precision::fp32 ? sizeof(float) : sizeof(double)) * static_cast<double>(bodies);
    }
};

/// Takes the bodies over; the choice's precision decides about the state's. Throws DeviceError when the device has not the
/// memory.
std::unique_ptr<Engine> makeEngine(EngineContext& context, const ParticleSet& bodies, const ForceSettings& force,
                                   const Choice& choice);

/// State in `Real`: float, or double for fp64 and mixed.
template <class Real>
class EngineOf final : public Engine {
public:
    EngineOf(EngineContext& context, const ParticleSet& bodies, const ForceSettings& force, const Choice& choice);

    std::size_t size() const override { return count_; }
    void copyState(std::vector<Double4>& positions, std::vector<Double4>& velocities) override;
    LaterVectors copyStateLater() override;
    void configure(const ForceSettings& force, const Choice* choice) override;
    const Choice& choice() const override { return plan_->choice(); }
    const BodyFacts& facts() const override { return facts_; }
    AdvanceStatus advance(StepProgram program, double timeStep, const Budget& budget, VertexSink* sink) override;
    void publish(VertexSink& sink) override;
    void finishStep() override;
    void accelerations(std::vector<Double4>& out) override;
    void requestForceCheck(std::vector<std::uint32_t> targets) override;
    std::optional<ForceCheck> takeForceCheck() override;
    void requestMeasurement() override;
    bool measuring() const override { return !measureFailure_.empty() || (measurer_ && measurer_->running()); }
    std::optional<Measurement> takeMeasurement(double seconds) override;
    bool paintMatrix(const MatrixColours& colours, std::uint32_t row, std::uint32_t column, int edge,
                     VertexSink& sink) override;
    std::optional<PaintedMatrix> takeMatrix() override { return artist_ ? artist_->take() : std::nullopt; }

private:
    using V = Vec4<Real>;
    using Pass = IntegrateTask<Real>;
    struct State {
        DeviceArray<V> x, v, a;   ///< x with pads
        bool forceKnown = false;  ///< a is the force at x, under the present settings
    };
    class Pacing;

    State& complete() { return states_[completeIndex_]; }
    State& work() { return states_[1 - completeIndex_]; }

    void beginStep(StepProgram program, double timeStep);
    void restartStep();
    void adoptSettings();
    /// True when a force comes before the end of the step.
    bool forceLeft() const;

    void runForceOp();
    ForceJob<Real> job(V* x, V* direct) const;
    /// Enqueues the next slice of the force at `x`; `direct` takes it unless it comes in ranges. True when it was the last
    /// one.
    bool enqueueSlice(V* x, V* direct);
    /// True when accelerations are not the plain sums of pulls.
    bool responds() const { return force_.law != Law::gravity || unlike_; }
    /// A force is complete that ended in `direct` or in ranges.
    void takeForce(V* direct);
    /// The force that waits to be launched with the pass after it.
    bool fuses(const Pass& task) const;
    void launchWaiting();
    void computeForce();
    void enqueueSum(V* to);
    void enqueueCheck(const V* x, const V* a);

    /// Runs operations up to the next force or the end of the step; with `follow`, on into the next step.
    void runPass(VertexSink* sink, bool follow);
    void appendOps(Pass& task);
    void appendEnd(Pass& task, bool follow);
    void setOut(Pass& task);
    /// True when the launch held the force that waited, too.
    bool launchPass(const Pass& task);
    Pass passFromHere() const;
    bool runToEnd(const Pacing& pacing, AdvanceStatus& status, VertexSink* sink);
    bool runsBatches(StepProgram program) const;
    bool runBatch(const Pacing& pacing, AdvanceStatus& status, VertexSink* sink);

    double rate() const;
    /// Of the longest launch: short against a frame, long against the few microseconds that a launch costs.
    double slicePairs() const { return 2.5e-3 * rate(); }
    double stepSeconds() const;
    double passSeconds() const;
    double nextSeconds() const;
    bool smallSteps() const;
    void endPart(Stretch kind);

    EngineContext& context_;
    std::uint32_t count_ = 0;
    State states_[2];
    int completeIndex_ = 0;
    DeviceArray<V> x0_, v0_, dx_, dv_;
    std::unique_ptr<ForcePlan<Real>> plan_;
    BodyFacts facts_;
    bool unlike_ = false;    ///< some response is not 1: a body that is held feels no force
    ForceSettings force_;    ///< of the step under way
    ForceSettings wanted_;   ///< from the next step on
    double smallestR2_ = 0;  ///< floor of the softening squared [L^2]

    StepCursor cursor_;
    StepProgram program_;
    double timeStep_ = 0;
    StepProgram nextProgram_;  ///< of the step after the one under way
    double nextTimeStep_ = 0;
    V *x_ = nullptr, *v_ = nullptr;  ///< where the state of the step under way is
    const V* sums_ = nullptr;        ///< the last force: its ranges, or the whole
    std::uint32_t ranges_ = 0;
    bool forceAtX_ = false;                   ///< nothing moved since the last force
    bool firstForce_ = false;                 ///< the last force belongs to the last complete step
    bool measured_ = true;                    ///< forces and passes are timed apart
    std::optional<ForceTask<Real>> waiting_;  ///< a whole force, to be launched with the pass after it
    bool checkFused_ = false;                 ///< and to be checked then
    std::int64_t unreported_ = 0;

    std::vector<std::uint32_t> checkWanted_, checkTargets_;
    bool checkRunning_ = false;
    DeviceArray<std::uint32_t> checkIndices_;
    DeviceArray<Float4> checkResult_;
    PinnedArray<Float4> checkHost_;
    OwnedEvent checkDone_;

    std::shared_ptr<StateCopy<Real>> copy_;       ///< made when it is first asked for
    std::unique_ptr<Measurer<Real>> measurer_;    ///< from the first request
    std::string measureFailure_;                  ///< of a request, until it is taken
    std::unique_ptr<MatrixArtist<Real>> artist_;  ///< from the first painting
};

}  // namespace gravlab::cuda
