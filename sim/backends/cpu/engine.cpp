#include "sim/backends/cpu/engine.h"

#include "sim/backends/cpu/aligned_array.h"
#include "sim/backends/cpu/cpu_method.h"
#include "sim/backends/step_runner.h"
#include "sim/forces/law.h"

#include <cmath>
#include <limits>
#include <utility>

namespace gravlab::cpu {
namespace {

// One slice of a force: short against a frame, long against handing work to the pool.
constexpr double kSliceSeconds = 1500e-6;
constexpr double kWhole = std::numeric_limits<double>::infinity();
// Bodies that one thread moves or publishes at a time: 16 Ki are a few microseconds, worth waking another core for.
constexpr std::size_t kMoveGrain = 16384;

template <class T>
Double4 at(const VectorArrays<T>& vectors, std::size_t i, double w) {
    return {vectors.axis[0][i], vectors.axis[1][i], vectors.axis[2][i], w};
}

template <class T>
void set(VectorArrays<T>& vectors, std::size_t i, const Double4& value) {
    vectors.axis[0][i] = static_cast<T>(value.x);
    vectors.axis[1][i] = static_cast<T>(value.y);
    vectors.axis[2][i] = static_cast<T>(value.z);
}

template <class T>
struct State {
    VectorArrays<T> x, v, a;
    bool forceKnown = false;  ///< a is the force at x, under the present settings

    State() = default;
    explicit State(std::size_t count) : x(count), v(count), a(count) {}
};

template <class T>
double lengthAt(const VectorArrays<T>& vectors, std::size_t i) {
    const double x = vectors.axis[0][i], y = vectors.axis[1][i], z = vectors.axis[2][i];
    return std::sqrt(x * x + y * y + z * z);
}

/// T: precision of the state and of what methods leave.
template <class T>
class EngineOf final : public Engine {
public:
    EngineOf(EngineContext& context, std::span<const Double4> positions, std::span<const Double4> velocities)
        : context_(context), size_(positions.size()), source_(size_), response_(size_), complete_(size_), work_(size_) {
        for (std::size_t i = 0; i < size_; ++i) {
            set(complete_.x, i, positions[i]);
            set(complete_.v, i, velocities[i]);
            source_[i] = static_cast<T>(positions[i].w);
            response_[i] = static_cast<T>(velocities[i].w);
            heaviest_ = std::max(heaviest_, std::abs(positions[i].w));
            unitResponse_ = unitResponse_ && response_[i] == 1;
        }
    }

    std::size_t size() const override { return size_; }

    void copyState(std::vector<Double4>& positions, std::vector<Double4>& velocities) const override {
        positions.resize(size_);
        velocities.resize(size_);
        for (std::size_t i = 0; i < size_; ++i) {
            positions[i] = at(complete_.x, i, source_[i]);
            velocities[i] = at(complete_.v, i, response_[i]);
        }
    }

    void configure(const ForceSettings& force, const CpuKernel& kernel) override {
        // May lack memory: nothing has changed then.
        if (&kernel != wantedKernel_) nextMethod_ = makeMethod<T>(kernel, force.precision, methodContext());
        wantedForce_ = force;
        wantedKernel_ = &kernel;
        if (runner_.cursor().atBoundary()) adoptSettings();
    }

    AdvanceStatus advance(StepProgram program, double timeStep, const Budget& budget, VertexSink* sink) override {
        if (size_ <= kTinyBodies && size_ > 0 && runner_.cursor().atBoundary())
            return runner_.advanceWholeSteps(*this, program, timeStep, budget, sink);
        return runner_.advance(*this, program, timeStep, budget, sink);
    }
    void finishStep() override { runner_.finishStep(*this); }
    void abandonStep() override {
        runner_.abandon();
        method_->abandon();
    }

    void publish(VertexSink& sink) override {
        const double start = StepPacer::steadySeconds();
        const VertexSpan out = sink.open(size_, nullptr);
        context_.pool.forRange(std::min(out.count, size_), kMoveGrain, [&](std::size_t first, std::size_t last) {
            for (std::size_t i = first; i < last; ++i)
                out.data[i] = {static_cast<float>(complete_.x.axis[0][i]), static_cast<float>(complete_.x.axis[1][i]),
                               static_cast<float>(complete_.x.axis[2][i]), shownValue(i)};
        });
        sink.close(nullptr);
        context_.totals.publishSeconds += StepPacer::steadySeconds() - start;
    }

    void accelerations(std::vector<Double4>& out) override {
        if (!complete_.forceKnown) {
            // Its own: a step under way may be half through a force.
            const std::unique_ptr<CpuForceMethod<T>> method = makeMethod<T>(*kernel_, force_.precision, methodContext());
            method->prepare(bodiesOf(complete_), request_);
            while (!runSlice(*method, kWhole)) {
            }
            takeForce(*method, complete_.a);
            complete_.forceKnown = true;
            endForceAt(complete_, *method);
        }
        out.resize(size_);
        for (std::size_t i = 0; i < size_; ++i) out[i] = at(complete_.a, i, 0);
    }

    // What StepRunner calls.
    void beginStep(StepProgram program) {
        requirePointwise(program, "cpu");
        adoptSettings();
        if (needsScratch(program) && scratch_.empty()) {
            std::vector<VectorArrays<T>> scratch;
            for (int i = 0; i < 4; ++i) scratch.emplace_back(size_);
            scratch_ = std::move(scratch);
        }
        const auto copy = [](const VectorArrays<T>& from, VectorArrays<T>& to, std::size_t first, std::size_t last) {
            for (int axis = 0; axis < 3; ++axis)
                std::copy(from.axis[axis].data() + first, from.axis[axis].data() + last, to.axis[axis].data() + first);
        };
        context_.pool.forRange(size_, kMoveGrain, [&](std::size_t first, std::size_t last) {
            copy(complete_.x, work_.x, first, last);
            copy(complete_.v, work_.v, first, last);
            copy(complete_.a, work_.a, first, last);
        });
        work_.forceKnown = complete_.forceKnown;
        method_->abandon();
    }
    bool forceKnown() const { return work_.forceKnown; }

    std::size_t forceSlice(std::size_t) {
        if (!method_->underWay()) method_->prepare(bodiesOf(work_), request_);
        if (runSlice(*method_, kSliceSeconds)) return size_;
        return std::min(size_ - 1, static_cast<std::size_t>(method_->progress() * static_cast<double>(size_)));
    }
    void endForce() {
        takeForce(*method_, work_.a);
        work_.forceKnown = true;
        endForceAt(work_, *method_);
    }
    void apply(const StepOp& step, double timeStep) {
        const auto onAxes = [&](std::size_t first, std::size_t last) {
            for (std::size_t axis = 0; axis < 3; ++axis) applyOnAxis(step, timeStep, axis, first, last);
        };
        if (movesBodies(step.op)) work_.forceKnown = false;
        if (size_ <= kTinyBodies) return onAxes(0, size_);  // the pool and the clock would take longer
        const double start = StepPacer::steadySeconds();
        context_.pool.forRange(size_, kMoveGrain, onAxes);
        context_.totals.integrateSeconds += StepPacer::steadySeconds() - start;
    }
    void endStep(std::int64_t steps) {
        std::swap(complete_, work_);
        context_.totals.steps += steps;
    }
    void wholeStepForce() {
        method_->prepare(bodiesOf(work_), request_);
        context_.totals.interactions += method_->enqueue(kWhole).work.pairs;
        endForce();
    }
    void wholeStepsTaken(double seconds, double forceShare) {
        context_.totals.forceSeconds += seconds * forceShare;
        context_.totals.integrateSeconds += seconds * (1 - forceShare);
    }

private:
    // Only between steps: a step under way ends under the settings that it began with.
    void adoptSettings() {
        if (kernel_ == wantedKernel_ && force_ == wantedForce_ && !nextMethod_) return;
        if (nextMethod_) method_ = std::move(nextMethod_);
        force_ = wantedForce_;
        kernel_ = wantedKernel_;
        const bool single = force_.precision != Precision::fp64;
        request_ = {.settings = force_,
                    .smallestR2 = single ? smallestR2<float>(force_, heaviest_) : smallestR2<double>(force_, heaviest_)};
        complete_.forceKnown = false;
    }

    MethodContext methodContext() const { return {context_.pool, context_.simd, size_}; }
    CpuBodies<T> bodiesOf(const State<T>& state) const {
        return {{state.x.axis[0].data(), state.x.axis[1].data(), state.x.axis[2].data()}, source_.data(), size_};
    }

    /// Computes about `seconds` of what the method prepared. True when that was the last of it.
    bool runSlice(CpuForceMethod<T>& method, double seconds) {
        const double start = StepPacer::steadySeconds();
        const ForceProgress progress = method.enqueue(seconds);
        context_.totals.interactions += progress.work.pairs;
        context_.totals.forceSeconds += StepPacer::steadySeconds() - start;
        return progress.complete;
    }

    /// From the sums of a complete evaluation to accelerations: the term's factor and each body's response.
    void takeForce(const CpuForceMethod<T>& method, VectorArrays<T>& a) {
        const CpuForceSums<T> sums = method.sums();
        const bool scaled = !unitResponse_ || sums.factor != 1;
        forBodies([&](std::size_t first, std::size_t last) {
            for (std::size_t axis = 0; axis < 3; ++axis) {
                const T* __restrict from = sums.axis[axis];
                T* __restrict to = a.axis[axis].data();
                if (scaled)
                    for (std::size_t i = first; i < last; ++i) to[i] = from[i] * (sums.factor * response_[i]);
                else
                    for (std::size_t i = first; i < last; ++i) to[i] = from[i];
            }
        });
    }

    /// Runs range(first, last) over all bodies: on all threads, or here where waking one would take longer.
    template <class Range>
    void forBodies(const Range& range) {
        if (size_ <= kTinyBodies)
            range(0, size_);
        else
            context_.pool.forRange(size_, kMoveGrain, range);
    }

    /// A force is complete and nothing has moved yet: the moment to check it.
    void endForceAt(const State<T>& state, const CpuForceMethod<T>& method) {
        ++context_.totals.forceEvaluations;
        if (!context_.check.wanted() || force_ != wantedForce_ || kernel_ != wantedKernel_) return;
        std::vector<Double4> positions(size_), velocities(unitResponse_ ? 0 : size_), got;
        context_.pool.forRange(size_, kMoveGrain, [&](std::size_t first, std::size_t last) {
            for (std::size_t i = first; i < last; ++i) positions[i] = at(state.x, i, source_[i]);
            if (!unitResponse_)
                for (std::size_t i = first; i < last; ++i) velocities[i] = at(state.v, i, response_[i]);
        });
        for (const std::uint32_t target : context_.check.targets()) got.push_back(at(state.a, target, 0));
        context_.check.begin(std::move(positions), std::move(velocities), std::move(got), force_, method.accuracy().gate);
    }

    void applyOnAxis(const StepOp& step, double timeStep, std::size_t axis, std::size_t first, std::size_t last) {
        StepRegisters<T*> registers{work_.x.axis[axis].data(), work_.v.axis[axis].data(), work_.a.axis[axis].data()};
        T** scratch[] = {&registers.x0, &registers.v0, &registers.dx, &registers.dv};
        for (std::size_t k = 0; k < scratch_.size(); ++k) *scratch[k] = scratch_[k].axis[axis].data();
        applyOp(step.op, static_cast<T>(factorOf(step, timeStep)), registers, ColumnArithmetic{first, last});
    }

    float shownValue(std::size_t i) const {
        const double speed = lengthAt(complete_.v, i);
        switch (context_.shown) {
            case VertexValue::acceleration:
                return static_cast<float>(lengthAt(complete_.a, i));
            case VertexValue::kineticEnergy:
                return static_cast<float>(source_[i] * speed * speed / 2);
            case VertexValue::source:
                return static_cast<float>(source_[i]);
            case VertexValue::speed:
                break;
        }
        return static_cast<float>(speed);
    }

    EngineContext& context_;
    std::size_t size_;
    AlignedArray<T> source_, response_;
    double heaviest_ = 0;                   ///< largest |source| [M]
    bool unitResponse_ = true;              ///< every response is 1
    State<T> complete_;                     ///< the last complete step: what everyone sees
    State<T> work_;                         ///< the step under way
    std::vector<VectorArrays<T>> scratch_;  ///< x0, v0, dx, dv, or empty
    ForceSettings force_, wantedForce_;
    ForceRequest request_;  ///< of force_
    const CpuKernel *kernel_ = nullptr, *wantedKernel_ = nullptr;
    std::unique_ptr<CpuForceMethod<T>> method_;      ///< of the step under way and the last complete one
    std::unique_ptr<CpuForceMethod<T>> nextMethod_;  ///< of wantedKernel_, where that is another
    StepRunner<EngineOf> runner_;
};

}  // namespace

std::unique_ptr<Engine> makeEngine(EngineContext& context, std::span<const Double4> positions,
                                   std::span<const Double4> velocities, const ForceSettings& force,
                                   const CpuKernel& kernel) {
    std::unique_ptr<Engine> engine;
    if (force.precision == Precision::fp32)
        engine = std::make_unique<EngineOf<float>>(context, positions, velocities);
    else
        engine = std::make_unique<EngineOf<double>>(context, positions, velocities);
    engine->configure(force, kernel);
    return engine;
}

double engineBytes(std::size_t bodies, const CpuKernel& kernel, Precision precision) {
    // Source, response, two states of nine numbers.
    const double state = 2 + 2 * 9, stateBytes = precision == Precision::fp32 ? 4 : 8;
    return static_cast<double>(roundUp(bodies, kTile)) * state * stateBytes + kernel.bytes(bodies, precision);
}

}  // namespace gravlab::cpu
