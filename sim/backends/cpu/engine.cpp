#include "sim/backends/cpu/engine.h"

#include "sim/backends/cpu/force_evaluation.h"
#include "sim/backends/kernel_rows.h"
#include "sim/backends/step_runner.h"

#include <array>
#include <cmath>
#include <type_traits>

namespace gravlab::cpu {
namespace {

// One slice of a force: short against a frame, long against handing work to the pool.
constexpr std::chrono::microseconds kSlice{1500};
// Bodies that one thread moves or publishes at a time: 16 Ki are a few microseconds, worth waking another core for.
constexpr std::size_t kMoveGrain = 16384;

enum class Loops { plain, openMp, simd };

/// The code behind a row of the table.
struct RowCode {
    std::string_view name;
    Loops loops;
    Sharing sharing;
};
constexpr RowCode kRowCodes[] = {
    {"naive", Loops::plain, Sharing::oneThread},  {"naive-symmetric", Loops::plain, Sharing::oneThread},
    {"openmp", Loops::openMp, Sharing::openMp},   {"simd", Loops::simd, Sharing::oneThread},
    {"simd-threads", Loops::simd, Sharing::pool}, {"symmetric-threads", Loops::simd, Sharing::pool},
};

const RowCode& codeOf(const KernelRow& row) {
    for (const RowCode& code : kRowCodes)
        if (code.name == row.name) return code;
    throw UsageError("kernel '" + std::string(row.name) + "' has no code in the cpu backend");
}

template <class T>
const LawKernels<T>& loopsOf(Loops loops, const SimdTarget& simd) {
    if constexpr (std::is_same_v<T, float>) {
        if (loops == Loops::openMp) return kOpenMpKernels32;
        return loops == Loops::simd ? simd.kernels32 : kPlainKernels32;
    } else {
        return loops == Loops::simd ? simd.kernels64 : kPlainKernels64;
    }
}

/// x, y, z of all bodies.
template <class T>
struct Vectors {
    std::array<AlignedArray<T>, 3> axis;

    Vectors() = default;
    explicit Vectors(std::size_t count) : axis{AlignedArray<T>(count), AlignedArray<T>(count), AlignedArray<T>(count)} {}
    Double4 at(std::size_t i, double w) const { return {axis[0][i], axis[1][i], axis[2][i], w}; }
    void set(std::size_t i, const Double4& value) {
        axis[0][i] = static_cast<T>(value.x);
        axis[1][i] = static_cast<T>(value.y);
        axis[2][i] = static_cast<T>(value.z);
    }
    double length(std::size_t i) const {
        const double x = axis[0][i], y = axis[1][i], z = axis[2][i];
        return std::sqrt(x * x + y * y + z * z);
    }
};

template <class T>
struct State {
    Vectors<T> x, v, a;
    bool forceKnown = false;  ///< a is the force at x, under the present settings

    State() = default;
    explicit State(std::size_t count) : x(count), v(count), a(count) {}
};

template <class T>
SumView<T> sumView(Vectors<T>& sums, Vectors<T>& lost) {
    return {sums.axis[0].data(), sums.axis[1].data(), sums.axis[2].data(),
            lost.axis[0].data(), lost.axis[1].data(), lost.axis[2].data()};
}

/// What a force is computed in: the sums in two parts, and the positions as pairs read them where the state has more digits.
template <class P>
struct ForceBuffers {
    Vectors<P> sums, lost, x;

    ForceBuffers(std::size_t count, bool ownPositions) : sums(count), lost(count), x(ownPositions ? count : 0) {}
};

/// T: precision of the state and of its sums; P: of a pair. Mixed precision is double and float.
template <class T, class P>
class EngineOf final : public Engine {
    static constexpr bool kMixed = !std::is_same_v<T, P>;

public:
    EngineOf(EngineContext& context, std::span<const Double4> positions, std::span<const Double4> velocities)
        : context_(context),
          size_(positions.size()),
          source_(size_),
          response_(size_),
          pairSource_(kMixed ? size_ : 0),
          complete_(size_),
          work_(size_),
          nextForce_(size_),
          buffers_(size_, kMixed) {
        for (std::size_t i = 0; i < size_; ++i) {
            complete_.x.set(i, positions[i]);
            complete_.v.set(i, velocities[i]);
            source_[i] = static_cast<T>(positions[i].w);
            response_[i] = static_cast<T>(velocities[i].w);
            plainResponse_ = plainResponse_ && response_[i] == 1;
            if constexpr (kMixed) pairSource_[i] = static_cast<P>(positions[i].w);
        }
    }

    std::size_t size() const override { return size_; }

    void copyState(std::vector<Double4>& positions, std::vector<Double4>& velocities) const override {
        positions.resize(size_);
        velocities.resize(size_);
        for (std::size_t i = 0; i < size_; ++i) {
            positions[i] = complete_.x.at(i, source_[i]);
            velocities[i] = complete_.v.at(i, response_[i]);
        }
    }

    void configure(const ForceSettings& force, const KernelRow& row) override {
        wantedForce_ = force;
        wantedRow_ = &row;
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
        pass_.reset();
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
            adoptForComplete();
            ForceBuffers<P> buffers(size_, kMixed);  // its own: a step under way may be half through a force
            ForcePass<P> pass;
            beginPass(pass, complete_.x, buffers);
            while (!pass.complete()) runPass(pass, kNoDeadline);
            takeForce(buffers, complete_.a);
            complete_.forceKnown = true;
            endPass(complete_);
        }
        out.resize(size_);
        for (std::size_t i = 0; i < size_; ++i) out[i] = complete_.a.at(i, 0);
    }

    // What StepRunner calls.
    void beginStep(StepProgram program) {
        requirePointwise(program, "cpu");
        adoptSettings();
        if (needsScratch(program) && scratch_.empty()) {
            std::vector<Vectors<T>> scratch;
            for (int i = 0; i < 4; ++i) scratch.emplace_back(size_);
            scratch_ = std::move(scratch);
        }
        const auto copy = [](const Vectors<T>& from, Vectors<T>& to, std::size_t first, std::size_t last) {
            for (int axis = 0; axis < 3; ++axis)
                std::copy(from.axis[axis].data() + first, from.axis[axis].data() + last, to.axis[axis].data() + first);
        };
        context_.pool.forRange(size_, kMoveGrain, [&](std::size_t first, std::size_t last) {
            copy(complete_.x, work_.x, first, last);
            copy(complete_.v, work_.v, first, last);
            copy(complete_.a, work_.a, first, last);
        });
        work_.forceKnown = complete_.forceKnown;
        pass_.reset();
    }
    bool forceKnown() const { return work_.forceKnown; }

    std::size_t forceSlice(std::size_t) {
        if (!pass_.begun()) beginPass(pass_, work_.x, buffers_);
        runPass(pass_, std::chrono::steady_clock::now() + kSlice);
        if (pass_.complete()) return size_;
        return std::min(size_ - 1, static_cast<std::size_t>(pass_.progress() * static_cast<double>(size_)));
    }
    void endForce() {
        takeForce(buffers_, nextForce_);
        std::swap(work_.a, nextForce_);
        work_.forceKnown = true;
        pass_.reset();
        endPass(work_);
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
        beginPass(pass_, work_.x, buffers_);
        pass_.run(context_.pool, kNoDeadline);
        takeForce(buffers_, work_.a);
        pass_.reset();
        context_.totals.interactions += static_cast<double>(size_ * size_);
        work_.forceKnown = true;
        endPass(work_);
    }
    void wholeStepsTaken(double seconds, double forceShare) {
        context_.totals.forceSeconds += seconds * forceShare;
        context_.totals.integrateSeconds += seconds * (1 - forceShare);
    }

private:
    // Only between steps: a step under way ends under the settings that it began with.
    void adoptSettings() {
        if (row_ == wantedRow_ && force_ == wantedForce_) return;
        force_ = wantedForce_;
        row_ = wantedRow_;
        const RowCode& code = codeOf(*row_);
        kernel_ = {loopsOf<P>(code.loops, context_.simd).of(force_), row_->shape, code.sharing};
        complete_.forceKnown = false;
    }
    // accelerations() speaks for the settings that were asked for, whatever a step under way began with.
    void adoptForComplete() {
        if (!runner_.cursor().atBoundary() && (row_ != wantedRow_ || force_ != wantedForce_)) abandonStep();
        adoptSettings();
    }

    void beginPass(ForcePass<P>& pass, const Vectors<T>& x, ForceBuffers<P>& buffers) {
        // Far below any distance that fp64 resolves, far above the floor at which a heavy body's own term overflows.
        ForceSettings force = force_;
        if (std::is_same_v<P, double>) force.softening = std::max(force.softening, 1e-60);
        const BodyView<P> bodies = pairView(x, buffers);
        pass.begin(kernel_, bodies, sumView(buffers.sums, buffers.lost), force, context_.pool.threads(), !kMixed);
        counted_ = 0;
    }

    BodyView<P> pairView(const Vectors<T>& x, ForceBuffers<P>& buffers) {
        if constexpr (kMixed) {
            context_.pool.forRange(size_, kMoveGrain, [&](std::size_t first, std::size_t last) {
                for (std::size_t axis = 0; axis < 3; ++axis)
                    for (std::size_t i = first; i < last; ++i) buffers.x.axis[axis][i] = static_cast<P>(x.axis[axis][i]);
            });
            return {buffers.x.axis[0].data(), buffers.x.axis[1].data(), buffers.x.axis[2].data(), pairSource_.data(), size_};
        } else {
            return {x.axis[0].data(), x.axis[1].data(), x.axis[2].data(), source_.data(), size_};
        }
    }

    /// From the sums of a complete pass to accelerations: both parts in the state's precision, the law's factor, the
    /// response.
    void takeForce(ForceBuffers<P>& buffers, Vectors<T>& a) {
        const T sign = static_cast<T>(forceFactor(force_));
        const bool scaled = !plainResponse_ || sign != 1;
        if constexpr (!kMixed) std::swap(a, buffers.sums);
        if (!kMixed && !scaled) return;
        context_.pool.forRange(size_, kMoveGrain, [&](std::size_t first, std::size_t last) {
            for (std::size_t axis = 0; axis < 3; ++axis) {
                T* to = a.axis[axis].data();
                if constexpr (kMixed) {
                    const P *sum = buffers.sums.axis[axis].data(), *lost = buffers.lost.axis[axis].data();
                    for (std::size_t i = first; i < last; ++i) to[i] = static_cast<T>(sum[i]) + static_cast<T>(lost[i]);
                }
                if (!scaled) continue;
                const T* response = response_.data();
                for (std::size_t i = first; i < last; ++i) to[i] *= sign * response[i];
            }
        });
    }

    void runPass(ForcePass<P>& pass, Deadline deadline) {
        const double start = StepPacer::steadySeconds();
        pass.run(context_.pool, deadline);
        const double pairs = static_cast<double>(size_) * static_cast<double>(size_);
        const double now = pass.complete() ? pairs : std::floor(pairs * pass.progress());
        context_.totals.interactions += now - counted_;
        counted_ = now;
        context_.totals.forceSeconds += StepPacer::steadySeconds() - start;
    }

    /// A force is complete and nothing has moved yet: the moment to check it.
    void endPass(const State<T>& state) {
        ++context_.totals.forceEvaluations;
        if (!context_.check.wanted() || force_ != wantedForce_ || row_ != wantedRow_) return;
        std::vector<Double4> positions(size_), velocities(plainResponse_ ? 0 : size_), got;
        context_.pool.forRange(size_, kMoveGrain, [&](std::size_t first, std::size_t last) {
            for (std::size_t i = first; i < last; ++i) positions[i] = state.x.at(i, source_[i]);
            if (!plainResponse_)
                for (std::size_t i = first; i < last; ++i) velocities[i] = state.v.at(i, response_[i]);
        });
        for (const std::uint32_t target : context_.check.targets()) got.push_back(state.a.at(target, 0));
        context_.check.begin(std::move(positions), std::move(velocities), std::move(got), force_);
    }

    void applyOnAxis(const StepOp& step, double timeStep, std::size_t axis, std::size_t first, std::size_t last) {
        StepRegisters<T*> registers{work_.x.axis[axis].data(), work_.v.axis[axis].data(), work_.a.axis[axis].data()};
        T** scratch[] = {&registers.x0, &registers.v0, &registers.dx, &registers.dv};
        for (std::size_t k = 0; k < scratch_.size(); ++k) *scratch[k] = scratch_[k].axis[axis].data();
        applyOp(step.op, static_cast<T>(factorOf(step, timeStep)), registers, ColumnArithmetic{first, last});
    }

    float shownValue(std::size_t i) const {
        const double speed = complete_.v.length(i);
        switch (context_.shown) {
            case VertexValue::acceleration:
                return static_cast<float>(complete_.a.length(i));
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
    AlignedArray<P> pairSource_;  ///< source_ for pairs; empty where these have the same precision
    bool plainResponse_ = true;   ///< every response is 1
    State<T> complete_;           ///< the last complete step: what everyone sees
    State<T> work_;               ///< the step under way
    Vectors<T> nextForce_;
    ForceBuffers<P> buffers_;          ///< of the step under way
    std::vector<Vectors<T>> scratch_;  ///< x0, v0, dx, dv, or empty
    ForcePass<P> pass_;                ///< of the step under way
    double counted_ = 0;               ///< pairs of the newest pass that the totals hold
    ForceSettings force_, wantedForce_;
    const KernelRow *row_ = nullptr, *wantedRow_ = nullptr;
    ForceKernel<P> kernel_;
    StepRunner<EngineOf> runner_;
};

}  // namespace

std::unique_ptr<Engine> makeEngine(EngineContext& context, std::span<const Double4> positions,
                                   std::span<const Double4> velocities, const ForceSettings& force, const KernelRow& row) {
    std::unique_ptr<Engine> engine;
    if (force.precision == Precision::fp64)
        engine = std::make_unique<EngineOf<double, double>>(context, positions, velocities);
    else if (force.precision == Precision::mixed)
        engine = std::make_unique<EngineOf<double, float>>(context, positions, velocities);
    else
        engine = std::make_unique<EngineOf<float, float>>(context, positions, velocities);
    engine->configure(force, row);
    return engine;
}

bool sharesWork(const KernelRow& row) { return codeOf(row).sharing != Sharing::oneThread; }

double engineBytes(std::size_t bodies, Precision precision) {
    // Source, response, two states of nine numbers, the next force; the force under way with what its sums lost.
    const double state = 2 + 2 * 9 + 3, force = 3 + 3, pairs = precision == Precision::mixed ? 3 + 1 : 0;
    const double stateBytes = precision == Precision::fp32 ? 4 : 8, pairBytes = precision == Precision::fp64 ? 8 : 4;
    return static_cast<double>(roundUp(bodies, kTile)) * (state * stateBytes + (force + pairs) * pairBytes);
}

}  // namespace gravlab::cpu

namespace gravlab {

Reason whyNotOnCpu(const KernelRow& row, const ForceSettings& force) {
    const cpu::RowCode& code = cpu::codeOf(row);
    if (code.loops != cpu::Loops::openMp) return {};
    if (!cpu::kOpenMpKernels32.gravity.targets)
        return "this build has no OpenMP: install the compiler's OpenMP runtime and configure again";
    if (force.precision == Precision::fp64) return "the openmp kernel has pairs in fp32 only; use simd-threads for fp64";
    return {};
}

}  // namespace gravlab
