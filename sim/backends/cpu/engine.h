// The bodies of the CPU backend and the operations on them, for one precision of the state.
// Rule: the last complete step is shown, saved and checked; a step under way works on a copy.
#pragma once
#include "sim/backends/cpu/aligned_array.h"
#include "sim/backends/cpu/force_check_job.h"
#include "sim/backends/cpu/kernels/simd_targets.h"
#include "sim/backends/cpu/methods/cpu_method.h"
#include "sim/backends/exchange.h"
#include "sim/core/bad_bodies.h"
#include "sim/core/pages.h"
#include "sim/core/thread_pool.h"
#include "sim/engine/engine_backend.h"
#include "sim/engine/step_engine.h"
#include "sim/forces/law.h"
#include "sim/forces/sources.h"

#include <cmath>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>

namespace gravlab::cpu {

/// State that outlives a change of bodies or of precision.
struct EngineContext {
    ThreadPool pool;
    const SimdTarget& simd;
    std::unique_ptr<Exchange> exchange;  ///< helpers; null: there are none
    WorkTotals totals;
    CheckJob check;
    VertexValue shown = VertexValue::speed;

    EngineContext(int threads, const SimdTarget& simdTarget, std::unique_ptr<Exchange> helpers = nullptr)
        : pool(threads), simd(simdTarget), exchange(std::move(helpers)) {}
};

// One slice of a force: short compared with a frame, long compared with a hand-over of work to the pool.
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

/// Bodies whose state and sums are in T. One thread drives it; it uses the context's pool.
template <class T>
class EngineOf final : public HostEngine<EngineOf<T>, CpuForceMethod<T>> {
    using Host = HostEngine<EngineOf<T>, CpuForceMethod<T>>;
    using Base = StepEngine<EngineOf<T>, CpuForceMethod<T>>;
    using Base::active_, Base::alone, Base::clock_, Base::cursor_, Base::force_, Base::choices_, Base::ids_, Base::methods_,
        Base::requestOf, Base::requests_, Base::settled, Base::termCount, Base::terms_;
    using typename Base::Methods;

public:
    static constexpr std::string_view kName = "cpu";

    /// Copies the bodies. `kernel` must outlive the engine; it need not be a row of the table. The launch in `terms` is one
    /// that the row accepts. Throws std::bad_alloc, and UsageError for a term without a method here.
    EngineOf(EngineContext& context, std::span<const Double4> positions, std::span<const Double4> velocities,
             const CpuKernel& kernel, const EngineTerms& terms = {})
        : Host(terms),
          context_(context),
          size_(positions.size()),
          source_(size_),
          response_(size_),
          complete_(size_),
          work_(size_) {
        methods_.emplace_back();  // configure() makes it
        for (std::size_t k = 1; k < termCount(); ++k) methods_.push_back(makeMethod(k));
        take(positions, velocities);
        configure(pairLawOf(terms_), kernel, choices_.front().kernel);
    }
    /// Writes other bodies of the same number into the arrays that exist. False: they need a new engine.
    bool replace(std::span<const Double4> positions, std::span<const Double4> velocities, const CpuKernel& kernel,
                 const EngineTerms& terms) {
        const bool same = positions.size() == size_ && &kernel == kernel_ && &kernel == wantedKernel_ &&
                          terms.how.front().kernel.launch == this->pendingChoice_.launch;
        if (!same || !this->takesOver(terms)) return false;
        take(positions, velocities);
        this->beginWith(terms);
        return true;
    }

    std::size_t size() const { return size_; }
    MassiveBodies sources() const { return {sources_.list(), sources_.count}; }

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

    /// See Backend.
    std::size_t firstBad(double farthest) const {
        return gravlab::firstBad(
            size_, [&](std::size_t i) { return isBad(at(complete_.x, i, 0), at(complete_.v, i, 0), farthest); });
    }

    /// Sets force and kernel from the next step on. The precision of the engine stays. Throws std::bad_alloc; the old force
    /// and kernel then stay. `how` has a launch that the row accepts.
    void configure(const ForceSettings& force, const CpuKernel& kernel, const KernelChoice& how) {
        std::unique_ptr<CpuForceMethod<T>> next;
        if (&kernel != wantedKernel_ || how.launch != this->pendingChoice_.launch)
            next = cpu::makeMethod<T>(kernel, force.precision, methodContext(how.launch, context_.exchange.get()));
        wantedKernel_ = &kernel;
        this->want(force, how, std::move(next));
    }
    void requestForceCheck(std::vector<std::uint32_t> targets) { context_.check.request(std::move(targets)); }

    /// Position and velocity of a body at the last complete step.
    void copyBody(std::size_t index, Double4& position, Double4& velocity) const {
        position = at(complete_.x, index, source_[index]);
        velocity = at(complete_.v, index, response_[index]);
    }
    /// Changes places and velocities of the last complete step; `moved`: not only velocities.
    void change(const BodyChanges& changes, bool moved) {
        for (const BodyChanges::Body& body : changes.changed) {
            set(complete_.x, body.index, body.position);
            set(complete_.v, body.index, body.velocity);
        }
        this->bodiesChanged(moved);
    }

    void publish(VertexSink& sink) {
        const double start = StepPacer::steadySeconds();
        const VertexSpan out = sink.open(size_, nullptr);
        context_.pool.forRange(std::min(out.count, size_), kMoveGrain, [&](std::size_t first, std::size_t last) {
            for (std::size_t i = first; i < last; ++i)
                out.data[i] = {static_cast<float>(complete_.x.axis[0][i]), static_cast<float>(complete_.x.axis[1][i]),
                               static_cast<float>(complete_.x.axis[2][i]),
                               vertexValue(context_.shown, source_[i], lengthAt(complete_.v, i),
                                           [&] { return lengthAt(complete_.a, i); })};
        });
        sink.close(nullptr);
        context_.totals.publishSeconds += StepPacer::steadySeconds() - start;
    }

    void accelerations(std::vector<Double4>& out) {
        if (!complete_.forceKnown) {
            // Separate methods compute it: a step under way may be half through a force.
            const Methods methods = this->methodsLikeThese();
            if (this->keepsForceState()) {
                // A force computed beside the steps must not change them.
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

    // Functions that runWholeSteps() calls.
    bool forceKnown() const { return work_.forceKnown; }
    void apply(const StepOp& op, double timeStep) { add(this->planned(op, timeStep)); }
    void wholeStepForce() {
        for (std::size_t k = 0; k < termCount(); ++k) {
            if (k == 0) {
                methods_[k]->prepare(bodiesOf(work_), requests_[k]);
                count(k, methods_[k]->enqueue(kWhole).work);
            } else
                while (!runTerm(work_, {}, k, *methods_[k], kWhole)) {
                }
            takeSums(work_, {}, k, *methods_[k]);
        }
        endForce();
    }
    void wholeStepsTaken(double seconds, double forceShare) {
        context_.totals.forceSeconds += seconds * forceShare;
        context_.totals.integrateSeconds += seconds * (1 - forceShare);
    }

    // EngineState.
    std::string_view kernelName() const { return kernel_->row.name; }
    std::unique_ptr<CpuForceMethod<T>> makeMethod(std::size_t k) const {
        const KernelChoice& how = choices_[k].kernel;
        if (k == 0)
            return cpu::makeMethod<T>(*kernel_, force_.precision, methodContext(how.launch, context_.exchange.get()));
        const CpuTermMethod& row = CpuTermMethods::code("cpu", terms_[k]->kind(), how.kernel);
        const MethodContext context = methodContext(checkedLaunch(row.row, how.launch));
        if constexpr (std::is_same_v<T, float>)
            return row.fp32(*terms_[k], context);
        else
            return row.fp64(*terms_[k], context);
    }
    bool takeNext(std::unique_ptr<CpuForceMethod<T>> next) {
        const bool sameRow = kernel_ == wantedKernel_;
        // Another launch of the same row continues with the state of the last one.
        if (sameRow && methods_.front()->keepsState()) next->restore(methods_.front()->state());
        methods_.front() = std::move(next);
        kernel_ = wantedKernel_;
        // Another launch changes bits only where its tiles of pairs differ.
        return sameRow && kernel_->row.cut != Split::tilePairs;
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

    void prepareStep(StepProgram program) {
        if (needsScratch(program) && scratch_.empty()) {
            std::vector<VectorArrays<T>> scratch;
            for (int i = 0; i < 4; ++i) scratch.emplace_back(size_);
            scratch_ = std::move(scratch);
        }
        if (inBlocks(program)) levels_.resize(size_);
    }
    void enterStep() {
        this->worked_ = 0;
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
        this->abandonMethods();
    }
    /// True for few bodies, where reading the clock would take as long as a step.
    bool takesWholeSteps(StepProgram program) const {
        return size_ > 0 && size_ <= kTinyBodies && !inBlocks(program) && !this->termsChange();
    }
    WholeSteps wholeSteps(const typename Host::Pacing& pacing, std::int64_t most, const VertexSink* sink) {
        const StepProgram program = this->nextProgram_;
        this->beginStep(program, this->nextTimeStep_);
        cursor_.abandon();
        const std::int64_t steps = runWholeSteps(*this, program, this->nextTimeStep_, most, pacing);
        completeSteps(steps);
        return {.steps = steps, .shows = sink != nullptr, .over = true};
    }
    bool runSlice(std::size_t k, CpuForceMethod<T>& method) { return runTerm(work_, active_, k, method, kSliceSeconds); }
    void takeTerm(std::size_t k, CpuForceMethod<T>& method) { takeSums(work_, active_, k, method); }
    void endForce() {
        work_.forceKnown = active_.all();
        if (active_.all()) endForceAt(work_, methods_);  // inactive bodies have the force of an older position
    }
    const std::uint8_t* levels() const { return levels_.data(); }
    /// Gives each body its level, by the accelerations at the start of the step.
    std::optional<BlockClock> levelClock(bool) {
        const double start = StepPacer::steadySeconds();
        const auto lengthOf = [this](std::size_t i) {
            return levelLength(work_.a.axis[0][i], work_.a.axis[1][i], work_.a.axis[2][i]);
        };
        std::mutex together;
        LevelScale all;
        context_.pool.forRange(size_, kMoveGrain, [&](std::size_t first, std::size_t last) {
            LevelScale here;
            for (std::size_t i = first; i < last; ++i) here.add(lengthOf(i), source_[i] != 0);
            const std::lock_guard lock(together);
            all.add(here);
        });
        LevelCounts bodies{};
        context_.pool.forRange(size_, kMoveGrain, [&](std::size_t first, std::size_t last) {
            const LevelCounts here = giveLevels(first, last, all.reference(), lengthOf, levels_.data());
            const std::lock_guard lock(together);
            for (std::size_t level = 0; level < here.size(); ++level) bodies[level] += here[level];
        });
        context_.totals.integrateSeconds += StepPacer::steadySeconds() - start;
        return BlockClock(bodies);
    }
    void add(const PlannedOp& planned) {
        const Op op = planned.op.op;
        std::array<T, kLevelCount> kicks{};
        if (isOfBlocks(op)) kicks = ownKicks<T>(factorOf(planned.op, planned.timeStep));
        const auto onAxes = [&](std::size_t first, std::size_t last) {
            for (std::size_t axis = 0; axis < 3; ++axis)
                if (isOfBlocks(op))
                    kickOnAxis(kicks, planned.least, axis, first, last);
                else
                    applyOnAxis(planned, axis, first, last);
        };
        if (movesBodies(op)) work_.forceKnown = false;
        if (size_ <= kTinyBodies) return onAxes(0, size_);  // the pool and the clock would take longer
        const double start = StepPacer::steadySeconds();
        context_.pool.forRange(size_, kMoveGrain, onAxes);
        context_.totals.integrateSeconds += StepPacer::steadySeconds() - start;
    }
    void endStep(const VertexSink*) { completeSteps(1); }
    CpuBodies<T> completeBodies() const { return bodiesOf(complete_); }

private:
    /// Copies the bodies of a complete step whose force is not known.
    void take(std::span<const Double4> positions, std::span<const Double4> velocities) {
        heaviest_ = 0;
        unitResponse_ = true;
        std::mutex together;
        forBodies([&](std::size_t first, std::size_t last) {
            double heaviest = 0;
            bool unit = true;
            for (std::size_t i = first; i < last; ++i) {
                set(complete_.x, i, positions[i]);
                set(complete_.v, i, velocities[i]);
                set(complete_.a, i, {});
                source_[i] = static_cast<T>(positions[i].w);
                response_[i] = static_cast<T>(velocities[i].w);
                heaviest = std::max(heaviest, std::abs(positions[i].w));
                unit = unit && response_[i] == 1;
            }
            const std::lock_guard lock(together);
            heaviest_ = std::max(heaviest_, heaviest);
            unitResponse_ = unitResponse_ && unit;
        });
        sources_ = sourcesOf(size_, [this](std::size_t i) { return source_[i]; });
    }
    void completeSteps(std::int64_t steps) {
        std::swap(complete_, work_);
        context_.totals.steps += steps;
    }

    MethodContext methodContext(const LaunchConfig& launch, Exchange* exchange = nullptr) const {
        return {context_.pool, context_.simd, size_, *ids_, launch, exchange};
    }
    /// Simulated time of the positions: of the step under way, or of the last complete one.
    double timeOf(const StepState<T>& state) const { return &state == &work_ ? this->forceTime() : this->clock().time(); }
    void evaluate(StepState<T>& state, const Methods& methods) {
        for (std::size_t k = 0; k < termCount(); ++k) {
            while (!runTerm(state, {}, k, *methods[k], kWhole)) {
            }
            takeSums(state, {}, k, *methods[k]);
        }
    }

    void count(std::size_t k, const ForceWork& work) {
        (k == 0 ? context_.totals.interactions : context_.totals.termInteractions) += work.pairs;
        context_.totals.cells += work.cells;
    }
    /// Computes about `seconds` of a term; true when the term is then complete.
    bool runTerm(StepState<T>& state, const ActiveBodies& active, std::size_t k, CpuForceMethod<T>& method, double seconds) {
        if (!method.underWay()) {
            ForceRequest request = requestOf(k, active);
            request.time = timeOf(state);
            method.prepare(bodiesOf(state), request);
        }
        const double start = StepPacer::steadySeconds();
        const ForceProgress progress = method.enqueue(seconds);
        count(k, progress.work);
        (k == 0 ? context_.totals.forceSeconds : context_.totals.termSeconds) += StepPacer::steadySeconds() - start;
        return progress.complete;
    }
    /// Sets the accelerations to those of the pair law, or adds those of a later term: sums times factor and response.
    void takeSums(StepState<T>& state, const ActiveBodies& active, std::size_t k, const CpuForceMethod<T>& method) {
        const CpuForceSums<T> sums = method.sums();
        if (k == 0 && active.all() && context_.check.wanted()) context_.check.alsoCheck(method.partEnds());
        const bool scaled = !unitResponse_ || sums.factor != 1;
        forBodies([&](std::size_t first, std::size_t last) {
            for (std::size_t axis = 0; axis < 3; ++axis) {
                const T* __restrict from = sums.axis[axis];
                T* __restrict to = state.a.axis[axis].data();
                if (k > 0) {
                    for (std::size_t i = first; i < last; ++i)
                        if (active.has(i)) to[i] += from[i] * (sums.factor * response_[i]);
                } else if (!active.all()) {
                    for (std::size_t i = first; i < last; ++i)
                        if (active.has(i)) to[i] = scaled ? from[i] * (sums.factor * response_[i]) : from[i];
                } else if (scaled)
                    for (std::size_t i = first; i < last; ++i) to[i] = from[i] * (sums.factor * response_[i]);
                else
                    for (std::size_t i = first; i < last; ++i) to[i] = from[i];
            }
        });
        if (alone() || !context_.check.wanted() || !active.all()) return;
        // A check that was requested between two terms waits for the next force, which records every term.
        if (k == 0) {
            shares_.clear();
            sharesOf_ = context_.check.request();
        }
        if (shares_.size() != k || sharesOf_ != context_.check.request()) return;
        std::vector<Double4> share;
        for (const std::uint32_t i : context_.check.targets()) {
            const T factor = sums.factor * response_[i];
            share.push_back({sums.axis[0][i] * factor, sums.axis[1][i] * factor, sums.axis[2][i] * factor, 0});
        }
        shares_.push_back(std::move(share));
    }
    CpuBodies<T> bodiesOf(const StepState<T>& state) const {
        return {state.x.data(), source_.data(), size_, state.v.data(), response_.data()};
    }

    void copyOut(const VectorArrays<T>& from, std::vector<Double4>& out) const {
        resizeTouched(out, size_);
        forBodies([&](std::size_t first, std::size_t last) {
            for (std::size_t i = first; i < last; ++i) out[i] = at(from, i, 0);
        });
    }

    /// Runs range(first, last) over all bodies: on all threads, or on this one where waking another would take longer.
    template <class Range>
    void forBodies(const Range& range) const {
        if (size_ <= kTinyBodies)
            range(0, size_);
        else
            context_.pool.forRange(size_, kMoveGrain, range);
    }

    /// Begins a requested check: the force of all bodies is complete and nothing has moved yet. `methods` computed it.
    void endForceAt(const StepState<T>& state, const Methods& methods) {
        ++context_.totals.forceEvaluations;
        std::vector<std::vector<Double4>> shares = std::exchange(shares_, {});
        if (!context_.check.wanted() || !settled()) return;
        if (!alone() && (shares.size() != termCount() || sharesOf_ != context_.check.request())) return;
        const bool plain = unitResponse_ && alone();
        std::vector<Double4> positions(size_), velocities(plain ? 0 : size_), whole;
        context_.pool.forRange(size_, kMoveGrain, [&](std::size_t first, std::size_t last) {
            for (std::size_t i = first; i < last; ++i) positions[i] = at(state.x, i, source_[i]);
            if (!plain)
                for (std::size_t i = first; i < last; ++i) velocities[i] = at(state.v, i, response_[i]);
        });
        for (const std::uint32_t target : context_.check.targets()) whole.push_back(at(state.a, target, 0));
        if (alone()) shares = {whole};
        std::vector<TermShare> parts;
        for (std::size_t k = 0; k < termCount(); ++k)
            parts.push_back({terms_[k], std::move(shares[k]), methods[k]->accuracy().gate});
        const bool exact = methods.front()->accuracy().exact();
        context_.check.begin(std::move(positions), std::move(velocities), std::move(parts), std::move(whole), ids_,
                             timeOf(state));
        if (!exact && plain) context_.check.setMomentum(momentumError(state));
    }

    /// Sum of all forces over the sum of their sizes: 0 where each pair pulls both ways alike. It sums in body order.
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

    void applyOnAxis(const PlannedOp& planned, std::size_t axis, std::size_t first, std::size_t last) {
        StepRegisters<T*> registers{work_.x.axis[axis].data(), work_.v.axis[axis].data(), work_.a.axis[axis].data()};
        T** scratch[] = {&registers.x0, &registers.v0, &registers.dx, &registers.dv};
        for (std::size_t k = 0; k < scratch_.size(); ++k) *scratch[k] = scratch_[k].axis[axis].data();
        applyOp(planned.op.op, static_cast<T>(factorOf(planned.op, planned.timeStep)), registers,
                ColumnArithmetic{first, last});
    }

    void kickOnAxis(const std::array<T, kLevelCount>& kicks, int least, std::size_t axis, std::size_t first,
                    std::size_t last) {
        T* __restrict v = work_.v.axis[axis].data();
        const T* __restrict a = work_.a.axis[axis].data();
        for (std::size_t i = first; i < last; ++i)
            if (levels_[i] >= least) v[i] += kicks[levels_[i]] * a[i];
    }

    EngineContext& context_;
    std::size_t size_;
    AlignedArray<T> source_, response_;
    SourceList sources_;
    double heaviest_ = 0;                       ///< largest |source| [M]
    bool unitResponse_ = true;                  ///< every response is 1
    StepState<T> complete_;                     ///< the last complete step, which is the public state
    StepState<T> work_;                         ///< the step under way
    std::vector<VectorArrays<T>> scratch_;      ///< x0, v0, dx, dv, or empty
    std::vector<std::uint8_t> levels_;          ///< of block steps, sized at the first one
    std::uint64_t sharesOf_ = 0;                ///< the request that shares_ belongs to
    std::vector<std::vector<Double4>> shares_;  ///< accelerations of a check's targets by each term done
    const CpuKernel *kernel_ = nullptr, *wantedKernel_ = nullptr;
};

extern template class EngineOf<float>;
extern template class EngineOf<double>;
using Engine = EngineOfEither<EngineOf>;

}  // namespace gravlab::cpu
