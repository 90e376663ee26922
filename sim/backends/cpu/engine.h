// The bodies of the CPU backend and what can be done with them, for one precision of the state.
// Rule: what is shown, saved and checked is the last complete step; a step under way works on a copy.
#pragma once
#include "sim/backends/cpu/aligned_array.h"
#include "sim/backends/cpu/force_check_job.h"
#include "sim/backends/cpu/kernels/simd_targets.h"
#include "sim/backends/cpu/methods/cpu_method.h"
#include "sim/backends/step_runner.h"
#include "sim/core/pages.h"
#include "sim/core/thread_pool.h"
#include "sim/engine/step_engine.h"
#include "sim/forces/law.h"

#include <cmath>
#include <limits>
#include <memory>
#include <mutex>
#include <utility>

namespace gravlab::cpu {

/// What outlives a change of bodies or of precision.
struct EngineContext {
    ThreadPool pool;
    const SimdTarget& simd;
    WorkTotals totals;
    CheckJob check;
    VertexValue shown = VertexValue::speed;

    EngineContext(int threads, const SimdTarget& simdTarget) : pool(threads), simd(simdTarget) {}
};

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
struct StepState {
    VectorArrays<T> x, v, a;
    bool forceKnown = false;  ///< a is the force at x, under the present settings

    StepState() = default;
    explicit StepState(std::size_t count) : x(count), v(count), a(count) {}
};

template <class T>
double lengthAt(const VectorArrays<T>& vectors, std::size_t i) {
    const double x = vectors.axis[0][i], y = vectors.axis[1][i], z = vectors.axis[2][i];
    return std::sqrt(x * x + y * y + z * z);
}

/// Bodies whose state, and what methods leave, is in T. One thread drives it; it uses the context's pool.
template <class T>
class EngineOf final : public StepEngine<EngineOf<T>, CpuForceMethod<T>> {
    using Base = StepEngine<EngineOf<T>, CpuForceMethod<T>>;
    friend Base;
    using Base::active_, Base::clock_, Base::configuration_, Base::force_, Base::ids_, Base::termMethod, Base::methods_,
        Base::others_, Base::requests_, Base::settled, Base::term_, Base::termCount, Base::lastClock_;
    using typename Base::Methods;

public:
    /// Takes the bodies over. `kernel` must outlive the engine; it need not be a row of the table. The launch in `terms` is
    /// as the row takes it. Throws std::bad_alloc, and UsageError for a term without a method here.
    EngineOf(EngineContext& context, std::span<const Double4> positions, std::span<const Double4> velocities,
             const ForceSettings& force, const CpuKernel& kernel, const EngineTerms& terms = {})
        : Base(terms),
          context_(context),
          size_(positions.size()),
          source_(size_),
          response_(size_),
          complete_(size_),
          work_(size_) {
        for (std::size_t k = 1; k < termCount(); ++k) methods_.others.push_back(makeOther(k));
        std::mutex together;
        forBodies([&](std::size_t first, std::size_t last) {
            double heaviest = 0;
            bool unit = true;
            for (std::size_t i = first; i < last; ++i) {
                set(complete_.x, i, positions[i]);
                set(complete_.v, i, velocities[i]);
                source_[i] = static_cast<T>(positions[i].w);
                response_[i] = static_cast<T>(velocities[i].w);
                heaviest = std::max(heaviest, std::abs(positions[i].w));
                unit = unit && response_[i] == 1;
            }
            const std::lock_guard lock(together);
            heaviest_ = std::max(heaviest_, heaviest);
            unitResponse_ = unitResponse_ && unit;
        });
        configure(force, kernel, configuration_[0].kernel);
    }

    std::size_t size() const { return size_; }

    /// Positions and velocities of the last complete step.
    void copyState(std::vector<Double4>& positions, std::vector<Double4>& velocities) const {
        resizeTouched(positions, size_);
        resizeTouched(velocities, size_);
        forBodies([&](std::size_t first, std::size_t last) {
            for (std::size_t i = first; i < last; ++i) {
                positions[i] = at(complete_.x, i, source_[i]);
                velocities[i] = at(complete_.v, i, response_[i]);
            }
        });
    }

    /// From the next step on. Precision stays what the engine was made with. Throws std::bad_alloc; the old ones then stay.
    /// `how` has the launch as the row takes it.
    void configure(const ForceSettings& force, const CpuKernel& kernel, const KernelChoice& how) {
        std::unique_ptr<CpuForceMethod<T>> next;
        if (&kernel != wantedKernel_ || how.launch != this->wantedHow_.launch)
            next = makeMethod<T>(kernel, force.precision, methodContext(how.launch));
        wantedKernel_ = &kernel;
        this->want(force, how, std::move(next));
        if (runner_.cursor().atBoundary()) this->adoptSettings();
    }

    AdvanceStatus advance(StepProgram program, double timeStep, const Budget& budget, VertexSink* sink) {
        if (size_ <= kTinyBodies && size_ > 0 && runner_.cursor().atBoundary() && !inBlocks(program))
            return runner_.advanceWholeSteps(*this, program, timeStep, budget, sink);
        return runner_.advance(*this, program, timeStep, budget, sink);
    }
    void finishStep() { runner_.finishStep(*this); }
    /// See Backend. Until an evaluation of all bodies is complete, a method still has what the one before left.
    bool forceStateNeedsStepEnd() const { return this->keepsForceState() && runner_.cursor().hasEvaluated(); }
    void abandonStep() {
        runner_.abandon();
        this->abandonMethods();
    }

    void publish(VertexSink& sink) {
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

    void accelerations(std::vector<Double4>& out) {
        if (!complete_.forceKnown) {
            // By methods of its own: a step under way may be half through a force.
            const Methods methods = this->methodsLikeThese();
            if (this->keepsForceState()) {
                // What is asked beside the steps must not become a part of them.
                StepState<T> beside(size_);
                for (std::size_t axis = 0; axis < 3; ++axis) {
                    std::copy_n(complete_.x.axis[axis].data(), size_, beside.x.axis[axis].data());
                    std::copy_n(complete_.v.axis[axis].data(), size_, beside.v.axis[axis].data());
                }
                evaluate(beside, methods);
                shares_.clear();
                return copyOut(beside.a, out);
            }
            evaluate(complete_, methods);
            complete_.forceKnown = true;
            endForceAt(complete_, methods);
        }
        copyOut(complete_.a, out);
    }

    // What StepRunner calls.
    void beginStep(StepProgram program) {
        requirePointwise(program, "cpu");
        this->adoptSettings();
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
        active_ = {};
        clock_ = {};
        if (inBlocks(program)) rungs_.resize(size_);
        this->abandonMethods();
    }

    std::size_t forceSlice(std::size_t) {
        if (runTerm(work_, active_, term_, termMethod(term_), kSliceSeconds)) ++term_;
        return term_ == termCount() ? size_ : this->reached(termMethod(term_).progress());
    }
    void endForce() {
        term_ = 0;
        work_.forceKnown = active_.all();
        if (active_.all()) endForceAt(work_, methods_);  // others have the force of a place where they no longer are
    }
    bool forceKnown() const { return work_.forceKnown; }
    unsigned substeps() const { return clock_.substeps(); }
    void apply(const StepOp& step, double timeStep) {
        const auto planned = this->planned(step, timeStep, rungs_.data());
        std::array<T, kRungCount> kicks{};
        if (isOfBlocks(step.op)) kicks = ownKicks<T>(step.weight, timeStep);
        const auto onAxes = [&](std::size_t first, std::size_t last) {
            for (std::size_t axis = 0; axis < 3; ++axis)
                if (isOfBlocks(step.op))
                    kickOnAxis(kicks, planned.least, axis, first, last);
                else
                    applyOnAxis(step, planned.timeStep, axis, first, last);
        };
        if (movesBodies(step.op)) work_.forceKnown = false;
        if (size_ <= kTinyBodies && step.op != Op::rungs) {
            onAxes(0, size_);  // the pool and the clock would take longer
        } else {
            const double start = StepPacer::steadySeconds();
            if (step.op == Op::rungs)
                setRungs();
            else
                context_.pool.forRange(size_, kMoveGrain, onAxes);
            context_.totals.integrateSeconds += StepPacer::steadySeconds() - start;
        }
    }
    void endStep(std::int64_t steps) {
        std::swap(complete_, work_);
        context_.totals.steps += steps;
        lastClock_ = clock_;
    }
    void wholeStepForce() {
        CpuForceMethod<T>& pairs = termMethod(0);
        pairs.prepare(bodiesOf(work_), requests_[0]);
        const ForceWork work = pairs.enqueue(kWhole).work;
        context_.totals.interactions += work.pairs;
        context_.totals.cells += work.cells;
        takeTerm(work_, {}, 0, pairs);
        for (std::size_t k = 1; k < termCount(); ++k)
            while (!runTerm(work_, {}, k, termMethod(k), kWhole)) {
            }
        endForce();
    }
    void wholeStepsTaken(double seconds, double forceShare) {
        context_.totals.forceSeconds += seconds * forceShare;
        context_.totals.integrateSeconds += seconds * (1 - forceShare);
    }

private:
    // For StepEngine.
    std::string_view kernelName() const { return kernel_->row.name; }
    std::unique_ptr<CpuForceMethod<T>> makePairs() const {
        return makeMethod<T>(*kernel_, force_.precision, methodContext(configuration_[0].kernel.launch));
    }
    std::unique_ptr<CpuForceMethod<T>> makeOther(std::size_t k) const {
        const ForceTerm& term = *others_[k - 1];
        const KernelChoice& how = configuration_[k].kernel;
        const CpuTermMethod& row = CpuTermMethods::find("cpu", term.kind(), how.kernel);
        const MethodContext context = methodContext(checkedLaunch(row.row, how.launch));
        if constexpr (std::is_same_v<T, float>)
            return row.fp32(term, context);
        else
            return row.fp64(term, context);
    }
    bool takeNext(std::unique_ptr<CpuForceMethod<T>> next) {
        const bool sameRow = kernel_ == wantedKernel_;
        // Another launch of the same row goes on with what the last one knew.
        if (sameRow && methods_.pairs->keepsState()) next->restore(methods_.pairs->state());
        methods_.pairs = std::move(next);
        kernel_ = wantedKernel_;
        // Another launch of a row that goes by targets changes no bit.
        return sameRow && kernel_->row.shape == WorkShape::targets;
    }
    double smallestR2(const ForceSettings& force) const {
        return force.precision != Precision::fp64 ? gravlab::smallestR2<float>(force, heaviest_)
                                                  : gravlab::smallestR2<double>(force, heaviest_);
    }
    bool completeForceKnown() const { return complete_.forceKnown; }
    void forgetForce() { complete_.forceKnown = false; }
    std::vector<Double4> knownAccelerations() const {
        std::vector<Double4> values;
        copyOut(complete_.a, values);
        return values;
    }
    void takeAccelerations(const std::vector<Double4>& values) {
        complete_.forceKnown = values.size() == size_ && size_ > 0;
        for (std::size_t i = 0; i < values.size(); ++i) set(complete_.a, i, values[i]);
    }
    bool checkWanted() const { return context_.check.wanted(); }

    MethodContext methodContext(const LaunchConfig& launch) const {
        return {context_.pool, context_.simd, size_, *ids_, launch};
    }
    void evaluate(StepState<T>& state, const Methods& methods) {
        for (std::size_t k = 0; k < termCount(); ++k)
            while (!runTerm(state, {}, k, methods.of(k), kWhole)) {
            }
    }

    /// Computes about `seconds` of a term; true when that was the last of it, and `state` has its accelerations.
    bool runTerm(StepState<T>& state, const ActiveBodies& active, std::size_t k, CpuForceMethod<T>& method, double seconds) {
        if (!method.underWay()) method.prepare(bodiesOf(state), this->requestOf(k, active));
        if (!runSlice(method, k, seconds)) return false;
        takeTerm(state, active, k, method);
        return true;
    }
    /// Accelerations are the pair law's, and then each term's added to them.
    void takeTerm(StepState<T>& state, const ActiveBodies& active, std::size_t k, const CpuForceMethod<T>& method) {
        const auto checked = [&] {
            std::vector<Double4> values;
            for (const std::uint32_t target : context_.check.targets()) values.push_back(at(state.a, target, 0));
            return values;
        };
        const bool shares = others_.size() > 0 && context_.check.wanted() && active.all();
        if (k == 0) {
            takeForce(method, state, active);
            if (shares) shares_ = {checked()};
            sharesOf_ = context_.check.request();
            return;
        }
        addForce(method.sums(), state, active);
        if (shares && shares_.size() == k && sharesOf_ == context_.check.request())
            shares_.push_back(shareOf(method.sums()));
    }
    CpuBodies<T> bodiesOf(const StepState<T>& state) const {
        return {{state.x.axis[0].data(), state.x.axis[1].data(), state.x.axis[2].data()},
                source_.data(),
                size_,
                {state.v.axis[0].data(), state.v.axis[1].data(), state.v.axis[2].data()}};
    }

    /// Computes about `seconds` of what the method prepared. True when that was the last of it.
    bool runSlice(CpuForceMethod<T>& method, std::size_t k, double seconds) {
        const double start = StepPacer::steadySeconds();
        const ForceProgress progress = method.enqueue(seconds);
        WorkTotals& totals = context_.totals;
        (k == 0 ? totals.interactions : totals.termInteractions) += progress.work.pairs;
        totals.cells += progress.work.cells;
        (k == 0 ? totals.forceSeconds : totals.termSeconds) += StepPacer::steadySeconds() - start;
        return progress.complete;
    }

    /// From the sums of a complete evaluation to accelerations: the term's factor and each body's response.
    void takeForce(const CpuForceMethod<T>& method, StepState<T>& state, const ActiveBodies& active) {
        const CpuForceSums<T> sums = method.sums();
        const bool scaled = !unitResponse_ || sums.factor != 1;
        forBodies([&](std::size_t first, std::size_t last) {
            for (std::size_t axis = 0; axis < 3; ++axis) {
                const T* __restrict from = sums.axis[axis];
                T* __restrict to = state.a.axis[axis].data();
                if (!active.all()) {
                    for (std::size_t i = first; i < last; ++i)
                        if (active.has(i)) to[i] = scaled ? from[i] * (sums.factor * response_[i]) : from[i];
                } else if (scaled)
                    for (std::size_t i = first; i < last; ++i) to[i] = from[i] * (sums.factor * response_[i]);
                else
                    for (std::size_t i = first; i < last; ++i) to[i] = from[i];
            }
        });
    }

    void addForce(const CpuForceSums<T>& sums, StepState<T>& state, const ActiveBodies& active) {
        forBodies([&](std::size_t first, std::size_t last) {
            for (std::size_t axis = 0; axis < 3; ++axis) {
                const T* __restrict from = sums.axis[axis];
                T* __restrict to = state.a.axis[axis].data();
                for (std::size_t i = first; i < last; ++i)
                    if (active.has(i)) to[i] += from[i] * (sums.factor * response_[i]);
            }
        });
    }
    /// Of the targets of the check.
    std::vector<Double4> shareOf(const CpuForceSums<T>& sums) const {
        std::vector<Double4> shares;
        for (const std::uint32_t i : context_.check.targets()) {
            const T factor = sums.factor * response_[i];
            shares.push_back({sums.axis[0][i] * factor, sums.axis[1][i] * factor, sums.axis[2][i] * factor, 0});
        }
        return shares;
    }
    void copyOut(const VectorArrays<T>& from, std::vector<Double4>& out) const {
        out.resize(size_);
        for (std::size_t i = 0; i < size_; ++i) out[i] = at(from, i, 0);
    }

    /// Runs range(first, last) over all bodies: on all threads, or here where waking one would take longer.
    template <class Range>
    void forBodies(const Range& range) const {
        if (size_ <= kTinyBodies)
            range(0, size_);
        else
            context_.pool.forRange(size_, kMoveGrain, range);
    }

    /// A force of all bodies is complete and nothing has moved yet: the moment to check it. `methods`: that computed it.
    void endForceAt(const StepState<T>& state, const Methods& methods) {
        ++context_.totals.forceEvaluations;
        std::vector<std::vector<Double4>> shares = std::exchange(shares_, {});
        if (!context_.check.wanted() || !settled()) return;
        // Asked for while a term was being computed: the next force has all shares.
        if (!others_.empty() && (shares.size() != termCount() || sharesOf_ != context_.check.request())) return;
        const bool plain = unitResponse_ && others_.empty();
        std::vector<Double4> positions(size_), velocities(plain ? 0 : size_), whole;
        context_.pool.forRange(size_, kMoveGrain, [&](std::size_t first, std::size_t last) {
            for (std::size_t i = first; i < last; ++i) positions[i] = at(state.x, i, source_[i]);
            if (!plain)
                for (std::size_t i = first; i < last; ++i) velocities[i] = at(state.v, i, response_[i]);
        });
        for (const std::uint32_t target : context_.check.targets()) whole.push_back(at(state.a, target, 0));
        if (others_.empty()) shares = {whole};
        std::vector<TermShare> parts;
        const ForceTerms terms = termsOf(force_, others_);
        for (std::size_t k = 0; k < termCount(); ++k) {
            parts.push_back({terms[k], std::move(shares[k]), methods.of(k).accuracy().gate});
        }
        const bool exact = methods.pairs->accuracy().exact();
        context_.check.begin(std::move(positions), std::move(velocities), std::move(parts), std::move(whole), ids_);
        if (!exact && plain) context_.check.setMomentum(momentumError(state));
    }

    /// What the forces of all bodies sum up to, over their sizes: 0 where each pair pulls both ways alike. In order.
    double momentumError(const StepState<T>& state) const {
        Vec3d sum{};
        double sizes = 0;
        for (std::size_t i = 0; i < size_; ++i) {
            const Double4 a = at(state.a, i, source_[i]);
            sum += a.w * xyz(a);
            sizes += std::abs(a.w) * length(xyz(a));
        }
        return sizes > 0 ? length(sum) / sizes : 0;
    }

    void applyOnAxis(const StepOp& step, double timeStep, std::size_t axis, std::size_t first, std::size_t last) {
        StepRegisters<T*> registers{work_.x.axis[axis].data(), work_.v.axis[axis].data(), work_.a.axis[axis].data()};
        T** scratch[] = {&registers.x0, &registers.v0, &registers.dx, &registers.dv};
        for (std::size_t k = 0; k < scratch_.size(); ++k) *scratch[k] = scratch_[k].axis[axis].data();
        applyOp(step.op, static_cast<T>(factorOf(step, timeStep)), registers, ColumnArithmetic{first, last});
    }

    /// Each body gets its rung, by the accelerations that the step begins with.
    void setRungs() {
        const auto lengthOf = [this](std::size_t i) {
            return rungLength(work_.a.axis[0][i], work_.a.axis[1][i], work_.a.axis[2][i]);
        };
        std::mutex together;
        LogarithmSum all;
        context_.pool.forRange(size_, kMoveGrain, [&](std::size_t first, std::size_t last) {
            LogarithmSum here;
            for (std::size_t i = first; i < last; ++i) here.add(lengthOf(i));
            const std::lock_guard lock(together);
            all.sum += here.sum;
            all.counted += here.counted;
        });
        RungCounts bodies{};
        context_.pool.forRange(size_, kMoveGrain, [&](std::size_t first, std::size_t last) {
            const RungCounts here = giveRungs(first, last, all.reference(), lengthOf, rungs_.data());
            const std::lock_guard lock(together);
            for (std::size_t rung = 0; rung < here.size(); ++rung) bodies[rung] += here[rung];
        });
        clock_ = BlockClock(bodies);
    }
    void kickOnAxis(const std::array<T, kRungCount>& kicks, int least, std::size_t axis, std::size_t first,
                    std::size_t last) {
        T* __restrict v = work_.v.axis[axis].data();
        const T* __restrict a = work_.a.axis[axis].data();
        for (std::size_t i = first; i < last; ++i)
            if (rungs_[i] >= least) v[i] += kicks[rungs_[i]] * a[i];
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
    StepState<T> complete_;                 ///< the last complete step: what everyone sees
    StepState<T> work_;                     ///< the step under way
    std::vector<VectorArrays<T>> scratch_;  ///< x0, v0, dx, dv, or empty
    std::vector<std::uint8_t> rungs_;       ///< of block steps, from the first of them on
    std::uint64_t sharesOf_ = 0;            ///< the request that shares_ answer
    std::vector<std::vector<Double4>>
        shares_;  ///< of the targets of a check, of each term that is done; empty: one term acts
    const CpuKernel *kernel_ = nullptr, *wantedKernel_ = nullptr;
    StepRunner<EngineOf> runner_;
};

extern template class EngineOf<float>;
extern template class EngineOf<double>;
using Engine = EngineOfEither<EngineOf>;

/// Bytes that an engine holds for `bodies` bodies in `precision`, the kernel's method included.
double engineBytes(std::size_t bodies, const CpuKernel& kernel, const ForceSettings& force, bool inBlocks = false);

}  // namespace gravlab::cpu
