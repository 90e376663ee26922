#include "sim/backends/cpu/engine.h"

#include "sim/backends/block_figures.h"
#include "sim/backends/cpu/aligned_array.h"
#include "sim/backends/cpu/methods/cpu_method.h"
#include "sim/backends/force_state.h"
#include "sim/backends/step_runner.h"
#include "sim/core/pages.h"
#include "sim/forces/law.h"
#include "sim/integrators/block_steps.h"

#include <atomic>
#include <cmath>
#include <limits>
#include <mutex>
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
    ActiveBodies active{};    ///< whose force is under way

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
    EngineOf(EngineContext& context, std::span<const Double4> positions, std::span<const Double4> velocities,
             const EngineTerms& terms)
        : context_(context),
          size_(positions.size()),
          source_(size_),
          response_(size_),
          ids_(terms.ids),
          complete_(size_),
          work_(size_),
          others_(terms.others),
          configuration_(terms.configuration) {
        configuration_.resize(1 + others_.size());
        for (std::size_t k = 1; k < termCount(); ++k) methods_.push_back(makeOther(k));
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
    }

    std::size_t size() const override { return size_; }

    void copyState(std::vector<Double4>& positions, std::vector<Double4>& velocities) const override {
        resizeTouched(positions, size_);
        resizeTouched(velocities, size_);
        forBodies([&](std::size_t first, std::size_t last) {
            for (std::size_t i = first; i < last; ++i) {
                positions[i] = at(complete_.x, i, source_[i]);
                velocities[i] = at(complete_.v, i, response_[i]);
            }
        });
    }

    void configure(const ForceSettings& force, const CpuKernel& kernel, const KernelChoice& how) override {
        // May lack memory: nothing has changed then.
        if (&kernel != wantedKernel_ || how.launch != wantedHow_.launch)
            nextMethod_ = makeMethod<T>(kernel, force.precision, methodContext(how.launch));
        wantedForce_ = force;
        wantedKernel_ = &kernel;
        wantedHow_ = how;
        if (runner_.cursor().atBoundary()) adoptSettings();
    }

    AdvanceStatus advance(StepProgram program, double timeStep, const Budget& budget, VertexSink* sink) override {
        if (size_ <= kTinyBodies && size_ > 0 && runner_.cursor().atBoundary() && !inBlocks(program))
            return runner_.advanceWholeSteps(*this, program, timeStep, budget, sink);
        return runner_.advance(*this, program, timeStep, budget, sink);
    }
    void finishStep() override { runner_.finishStep(*this); }
    void abandonStep() override {
        runner_.abandon();
        abandonForce();
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
            // By methods of its own: a step under way may be half through a force.
            const Methods methods = freshMethods();
            if (keepsForceState()) {
                // What is asked beside the steps must not become a part of them.
                State<T> beside(size_);
                for (std::size_t axis = 0; axis < 3; ++axis)
                    std::copy_n(complete_.x.axis[axis].data(), size_, beside.x.axis[axis].data());
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

    std::vector<MethodFigure> figures() const override {
        std::vector<MethodFigure> all = method_->figures();
        for (const MethodFigure& figure : figuresOf(told_)) all.push_back(figure);
        return all;
    }

    bool keepsForceState() const override {
        for (std::size_t k = 0; k < termCount(); ++k)
            if (method(k).keepsState()) return true;
        return false;
    }
    std::vector<StateArray> forceState() const override {
        if (!keepsForceState()) return {};
        ForceState state = emptyState();
        for (std::size_t k = 0; k < termCount(); ++k) state.methods[k] = method(k).state();
        if (complete_.forceKnown) copyOut(complete_.a, state.accelerations);
        return arraysOf(state);
    }
    void restoreForceState(const std::vector<StateArray>& arrays) override {
        ForceState state = emptyState();
        if (arrays.empty() || !keepsForceState() || !takeForceState(arrays, size_, state)) return;
        for (std::size_t k = 0; k < termCount(); ++k)
            if (!method(k).restore(state.methods[k])) return afresh();
        complete_.forceKnown = state.accelerations.size() == size_ && size_ > 0;
        for (std::size_t i = 0; i < state.accelerations.size(); ++i) set(complete_.a, i, state.accelerations[i]);
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
        work_.active = {};
        clock_ = {};
        if (inBlocks(program)) rungs_.resize(size_);
        abandonForce();
    }
    bool forceKnown() const { return work_.forceKnown; }

    std::size_t forceSlice(std::size_t) {
        if (runTerm(work_, term_, method(term_), kSliceSeconds)) ++term_;
        if (term_ == termCount()) return size_;
        const double done = (static_cast<double>(term_) + method(term_).progress()) / static_cast<double>(termCount());
        return std::min(size_ - 1, static_cast<std::size_t>(done * static_cast<double>(size_)));
    }
    void endForce() {
        term_ = 0;
        work_.forceKnown = work_.active.all();
        endForceAt(work_, {});
    }
    unsigned substeps() const { return clock_.substeps(); }
    void apply(const StepOp& step, double timeStep) {
        if (step.op == Op::drift) {
            timeStep /= clock_.substeps();
            work_.active = clock_.active(rungs_.data());
        }
        std::array<T, kRungCount> kicks{};
        if (isOfBlocks(step.op)) kicks = ownKicks<T>(step.weight, timeStep);
        const int least = step.op == Op::open ? clock_.beginning() : clock_.ending();
        const auto onAxes = [&](std::size_t first, std::size_t last) {
            for (std::size_t axis = 0; axis < 3; ++axis)
                if (isOfBlocks(step.op))
                    kickOnAxis(kicks, least, axis, first, last);
                else
                    applyOnAxis(step, timeStep, axis, first, last);
        };
        if (movesBodies(step.op)) work_.forceKnown = false;
        if (size_ <= kTinyBodies && step.op != Op::rungs) {
            onAxes(0, size_);  // the pool and the clock would take longer
        } else {
            const double start = StepPacer::steadySeconds();
            if (step.op == Op::rungs)
                giveRungs();
            else
                context_.pool.forRange(size_, kMoveGrain, onAxes);
            context_.totals.integrateSeconds += StepPacer::steadySeconds() - start;
        }
        if (step.op == Op::close) clock_.next();
    }
    void endStep(std::int64_t steps) {
        std::swap(complete_, work_);
        context_.totals.steps += steps;
        told_ = clock_;
    }
    void wholeStepForce() {
        method_->prepare(bodiesOf(work_), requests_[0]);
        const ForceWork work = method_->enqueue(kWhole).work;
        context_.totals.interactions += work.pairs;
        context_.totals.cells += work.cells;
        takeTerm(work_, 0, *method_);
        for (std::size_t k = 1; k < termCount(); ++k)
            while (!runTerm(work_, k, method(k), kWhole)) {
            }
        endForce();
    }
    void wholeStepsTaken(double seconds, double forceShare) {
        context_.totals.forceSeconds += seconds * forceShare;
        context_.totals.integrateSeconds += seconds * (1 - forceShare);
    }

private:
    /// True when the step under way computes what configure() wants, accuracy and launch included.
    bool settled() const {
        return kernel_ == wantedKernel_ && force_ == wantedForce_ && configuration_[0].kernel == wantedHow_ && !nextMethod_;
    }
    // Only between steps: a step under way ends under the settings that it began with.
    void adoptSettings() {
        if (settled()) return;
        // Another launch of a row that goes by targets changes no bit.
        const bool sameForce =
            kernel_ == wantedKernel_ && force_ == wantedForce_ && (!nextMethod_ || kernel_->row.shape == WorkShape::targets);
        configuration_[0].kernel = wantedHow_;
        if (nextMethod_) {
            // Another launch of the same row goes on with what the last one knew.
            if (kernel_ == wantedKernel_ && method_->keepsState()) nextMethod_->restore(method_->state());
            method_ = std::move(nextMethod_);
        }
        force_ = wantedForce_;
        kernel_ = wantedKernel_;
        const bool single = force_.precision != Precision::fp64;
        requests_.clear();
        for (const TermConfiguration& term : configuration_)
            requests_.push_back(
                {.settings = force_,
                 .smallestR2 = single ? smallestR2<float>(force_, heaviest_) : smallestR2<double>(force_, heaviest_),
                 .allowedError = term.kernel.allowedError,
                 .opening = term.kernel.opening});
        // Another accuracy is one of the forces to come.
        complete_.forceKnown = complete_.forceKnown && sameForce;
    }

    MethodContext methodContext(const LaunchConfig& launch) const {
        return {context_.pool, context_.simd, size_, *ids_, launch};
    }
    MethodContext methodContext() const { return methodContext(configuration_[0].kernel.launch); }

    // Terms, the pair law first.
    using Methods = std::vector<std::unique_ptr<CpuForceMethod<T>>>;
    std::size_t termCount() const { return 1 + others_.size(); }
    CpuForceMethod<T>& method(std::size_t k) const { return k == 0 ? *method_ : *methods_[k - 1]; }
    std::unique_ptr<CpuForceMethod<T>> makeOther(std::size_t k) const {
        const ForceTerm& term = *others_[k - 1];
        const CpuTermMethod& row = CpuTermMethods::find("cpu", term.kind(), configuration_[k].kernel.kernel);
        if constexpr (std::is_same_v<T, float>)
            return row.fp32(term, methodContext());
        else
            return row.fp64(term, methodContext());
    }
    /// With what the present ones keep.
    Methods freshMethods() const {
        Methods methods;
        for (std::size_t k = 0; k < termCount(); ++k) {
            methods.push_back(k == 0 ? makeMethod<T>(*kernel_, force_.precision, methodContext()) : makeOther(k));
            if (method(k).keepsState()) methods.back()->restore(method(k).state());
        }
        return methods;
    }
    void afresh() {
        method_ = makeMethod<T>(*kernel_, force_.precision, methodContext());
        for (std::size_t k = 1; k < termCount(); ++k) methods_[k - 1] = makeOther(k);
    }
    ForceState emptyState() const {
        ForceState state{.terms = termsOf(force_, others_), .kernels = {std::string(kernel_->row.name)}};
        for (std::size_t k = 1; k < termCount(); ++k) state.kernels.push_back(nameOf(configuration_[k].kernel));
        state.methods.resize(termCount());
        return state;
    }
    void abandonForce() {
        term_ = 0;
        for (std::size_t k = 0; k < termCount(); ++k) method(k).abandon();
    }
    void evaluate(State<T>& state, const Methods& methods) {
        for (std::size_t k = 0; k < termCount(); ++k)
            while (!runTerm(state, k, *methods[k], kWhole)) {
            }
    }

    /// Computes about `seconds` of a term; true when that was the last of it, and `state` has its accelerations.
    bool runTerm(State<T>& state, std::size_t k, CpuForceMethod<T>& method, double seconds) {
        if (!method.underWay()) {
            ForceRequest request = requests_[k];
            request.active = state.active;
            method.prepare(bodiesOf(state), request);
        }
        if (!runSlice(method, k, seconds)) return false;
        takeTerm(state, k, method);
        return true;
    }
    /// Accelerations are the pair law's, and then each term's added to them.
    void takeTerm(State<T>& state, std::size_t k, const CpuForceMethod<T>& method) {
        const auto checked = [&] {
            std::vector<Double4> values;
            for (const std::uint32_t target : context_.check.targets()) values.push_back(at(state.a, target, 0));
            return values;
        };
        const bool shares = others_.size() > 0 && context_.check.wanted() && state.active.all();
        if (k == 0) {
            takeForce(method, state);
            if (shares) shares_ = {checked()};
            sharesOf_ = context_.check.request();
            return;
        }
        addForce(method.sums(), state);
        if (shares && shares_.size() == k && sharesOf_ == context_.check.request())
            shares_.push_back(shareOf(method.sums()));
    }
    CpuBodies<T> bodiesOf(const State<T>& state) const {
        return {{state.x.axis[0].data(), state.x.axis[1].data(), state.x.axis[2].data()}, source_.data(), size_};
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
    void takeForce(const CpuForceMethod<T>& method, State<T>& state) {
        const CpuForceSums<T> sums = method.sums();
        const ActiveBodies active = state.active;
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

    void addForce(const CpuForceSums<T>& sums, State<T>& state) {
        const ActiveBodies active = state.active;
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

    /// A force is complete and nothing has moved yet: the moment to check it. `methods`: that computed it; empty: the
    /// engine's.
    void endForceAt(const State<T>& state, const Methods& methods) {
        if (!state.active.all()) return;  // others have the force of a place where they no longer are
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
            const CpuForceMethod<T>& computed = methods.empty() ? method(k) : *methods[k];
            parts.push_back({terms[k], std::move(shares[k]), computed.accuracy().gate});
        }
        const bool exact = (methods.empty() ? method(0) : *methods[0]).accuracy().exact();
        context_.check.begin(std::move(positions), std::move(velocities), std::move(parts), std::move(whole), ids_);
        if (!exact && plain) context_.check.setMomentum(momentumError(state));
    }

    /// What the forces of all bodies sum up to, over their sizes: 0 where each pair pulls both ways alike. In order.
    double momentumError(const State<T>& state) const {
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
    void giveRungs() {
        std::atomic<std::uint64_t> sum{0}, counted{0};
        context_.pool.forRange(size_, kMoveGrain, [&](std::size_t first, std::size_t last) {
            LogarithmSum here;
            for (std::size_t i = first; i < last; ++i)
                if (const std::uint32_t own = logarithmOf(static_cast<float>(lengthAt(work_.a, i))))
                    here.sum += own, ++here.counted;
            sum.fetch_add(here.sum, std::memory_order_relaxed);
            counted.fetch_add(here.counted, std::memory_order_relaxed);
        });
        const float reference = LogarithmSum{sum, counted}.reference();
        std::array<std::atomic<std::size_t>, kRungCount> bodies{};
        context_.pool.forRange(size_, kMoveGrain, [&](std::size_t first, std::size_t last) {
            std::array<std::size_t, kRungCount> here{};
            for (std::size_t i = first; i < last; ++i) {
                const int rung = rungOf(static_cast<float>(lengthAt(work_.a, i)), reference);
                rungs_[i] = static_cast<std::uint8_t>(rung);
                ++here[static_cast<std::size_t>(rung)];
            }
            for (std::size_t rung = 0; rung < here.size(); ++rung)
                bodies[rung].fetch_add(here[rung], std::memory_order_relaxed);
        });
        std::array<std::size_t, kRungCount> all{};
        for (std::size_t rung = 0; rung < all.size(); ++rung) all[rung] = bodies[rung];
        clock_ = BlockClock(all);
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
    std::shared_ptr<const std::vector<std::uint32_t>> ids_;
    double heaviest_ = 0;                   ///< largest |source| [M]
    bool unitResponse_ = true;              ///< every response is 1
    State<T> complete_;                     ///< the last complete step: what everyone sees
    State<T> work_;                         ///< the step under way
    std::vector<VectorArrays<T>> scratch_;  ///< x0, v0, dx, dv, or empty
    std::vector<std::uint8_t> rungs_;       ///< of block steps, from the first of them on
    BlockClock clock_, told_;               ///< of the step under way and the last complete one
    ForceSettings force_, wantedForce_;
    ForceTerms others_;                   ///< beside the pair law
    SystemConfiguration configuration_;   ///< of all terms
    std::vector<ForceRequest> requests_;  ///< the same, of force_
    Methods methods_;                     ///< of others_
    std::size_t term_ = 0;                ///< whose force is under way
    std::uint64_t sharesOf_ = 0;          ///< the request that shares_ answer
    std::vector<std::vector<Double4>>
        shares_;  ///< of the targets of a check, of each term that is done; empty: one term acts
    const CpuKernel *kernel_ = nullptr, *wantedKernel_ = nullptr;
    KernelChoice wantedHow_;                         ///< from the next step on, of the pair law
    std::unique_ptr<CpuForceMethod<T>> method_;      ///< of the step under way and the last complete one
    std::unique_ptr<CpuForceMethod<T>> nextMethod_;  ///< of wantedKernel_, where that is another
    StepRunner<EngineOf> runner_;
};

}  // namespace

std::unique_ptr<Engine> makeEngine(EngineContext& context, std::span<const Double4> positions,
                                   std::span<const Double4> velocities, const ForceSettings& force, const CpuKernel& kernel,
                                   const EngineTerms& terms) {
    std::unique_ptr<Engine> engine;
    if (force.precision == Precision::fp32)
        engine = std::make_unique<EngineOf<float>>(context, positions, velocities, terms);
    else
        engine = std::make_unique<EngineOf<double>>(context, positions, velocities, terms);
    engine->configure(force, kernel, terms.configuration.empty() ? KernelChoice() : terms.configuration[0].kernel);
    return engine;
}

double engineBytes(std::size_t bodies, const CpuKernel& kernel, const ForceSettings& force, bool inBlocks) {
    // Source, response, two states of nine numbers.
    const double state = 2 + 2 * 9, stateBytes = force.precision == Precision::fp32 ? 4 : 8;
    // Of block steps: rungs, and the groups of a part of the bodies, or its places in front of all others and its sums.
    const double pairBytes = force.precision == Precision::fp64 ? 8 : 4;
    const double part = 1 + (everyPair(kernel.row) ? 2 * 4 * pairBytes + 3 * stateBytes + 4 : 1);
    return static_cast<double>(roundUp(bodies, kTile)) * state * stateBytes + kernel.bytes(bodies, force) +
           (inBlocks ? part * static_cast<double>(bodies) : 0);
}

}  // namespace gravlab::cpu
