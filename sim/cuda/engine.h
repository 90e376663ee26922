// The bodies on the device and the steps that move them. Rule: what is seen is the last complete step; a step under way
// writes into other arrays, and everything is enqueued on one stream.
#pragma once
#include "sim/backend.h"
#include "sim/cuda/force.h"
#include "sim/cuda/launch_choice.h"
#include "sim/cuda/memory.h"
#include "sim/cuda/pass.h"
#include "sim/cuda/publisher.h"
#include "sim/cuda/timeline.h"
#include "sim/step_runner.h"

#include <optional>
#include <span>
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

/// How the forces of so many bodies are launched, and the memory that it takes.
struct ForcePlan {
    Choice choice;
    std::uint32_t rangeLength = 0;   ///< sources that one block sees
    std::uint32_t groupTargets = 0;  ///< targets of a launch when a force is cut
    DeviceArray<Float4> sums;        ///< with split > 1: one force a range and body
    DeviceArray<double> carry;       ///< running sums between the launches of a force that is cut

    ForcePlan() = default;
    /// Throws DeviceError when there is not enough memory.
    ForcePlan(const Choice& choice, std::size_t bodies, const DeviceFacts& device);
    int split() const { return choice.launch.split; }
};

class Engine {
public:
    /// Takes the bodies over. Throws DeviceError when the device has not the memory.
    Engine(EngineContext& context, const ParticleSet& bodies, const ForceSettings& force, const Choice& choice);

    std::size_t size() const { return count_; }
    /// Waits. Positions and velocities of the last complete step.
    void copyState(std::vector<Double4>& positions, std::vector<Double4>& velocities);
    /// From the next step on.
    void configure(const ForceSettings& force);
    /// At once: a step under way begins again. Throws DeviceError when the new launch needs more memory than there is.
    void configure(const Choice& choice);
    const Choice& choice() const { return plan_.choice; }

    AdvanceStatus advance(StepProgram program, double timeStep, const Budget& budget, VertexSink* sink);
    void publish(VertexSink& sink);
    void finishStep();
    void accelerations(std::vector<Double4>& out);

    void requestForceCheck(std::vector<std::uint32_t> targets);
    std::optional<ForceCheck> takeForceCheck();

    /// Bytes of device memory for so many bodies, scratch registers and split sums aside.
    static double bytes(std::size_t bodies);

private:
    struct State {
        DeviceArray<Float4> x, v, a;
        bool forceKnown = false;  ///< a is the force at x, under the present settings
    };
    /// Where a force under way stands: first target of its group, first source of its slice.
    struct Slice {
        std::uint32_t target = 0, source = 0;
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
    /// Enqueues the next launch of the force at `x`; `direct` takes it when the split is 1. True when it was the last one.
    bool enqueueSlice(const Float4* x, Float4* direct);
    void takeForce(Float4* direct);
    void computeForce();
    void enqueueSum(Float4* to);
    void enqueueCheck();

    /// Runs operations up to the next force or the end of the step; with `follow`, on into the next step.
    void runPass(VertexSink* sink, bool follow);
    void appendOps(PassTask& task);
    void appendEnd(PassTask& task, bool follow);
    void setOut(PassTask& task);
    void launchPass(const PassTask& task);
    PassTask passFromHere() const;
    bool runToEnd(const Pacing& pacing, AdvanceStatus& status, VertexSink* sink);

    double rate() const;
    double stepSeconds() const;
    double passSeconds() const;
    bool smallSteps() const;
    void endPart(Stretch kind);

    EngineContext& context_;
    std::uint32_t count_ = 0;
    State states_[2];
    int completeIndex_ = 0;
    DeviceArray<Float4> x0_, v0_, dx_, dv_;
    ForcePlan plan_;
    ForceSettings force_;    ///< of the step under way
    ForceSettings wanted_;   ///< from the next step on
    double smallestR2_ = 0;  ///< floor of the softening squared [L^2]

    StepCursor cursor_;
    StepProgram program_;
    double timeStep_ = 0;
    StepProgram nextProgram_;  ///< of the step after the one under way
    double nextTimeStep_ = 0;
    const Float4 *x_ = nullptr, *v_ = nullptr;  ///< where the state of the step under way is
    const Float4* sums_ = nullptr;              ///< the last force: its ranges, or the whole
    std::uint32_t ranges_ = 0;
    bool forceAtX_ = false;    ///< nothing moved since the last force
    bool firstForce_ = false;  ///< the last force belongs to the last complete step
    bool measured_ = true;     ///< forces and passes are timed apart
    Slice slice_;
    std::int64_t unreported_ = 0;

    std::vector<std::uint32_t> checkWanted_, checkTargets_;
    bool checkRunning_ = false;
    DeviceArray<std::uint32_t> checkIndices_;
    DeviceArray<Float4> checkResult_;
    PinnedArray<Float4> checkHost_;
    OwnedEvent checkDone_;
};

}  // namespace gravlab::cuda
