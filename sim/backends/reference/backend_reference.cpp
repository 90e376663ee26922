// The reference backend: fp64, one thread, one plain loop. Rule: nothing clever; it is the truth for every test.
#include "sim/backends/reference/backend_reference.h"

#include "sim/backends/block_figures.h"
#include "sim/backends/few_body.h"
#include "sim/backends/kernel_rows.h"
#include "sim/backends/step_runner.h"
#include "sim/core/error.h"
#include "sim/core/names.h"
#include "sim/core/particles.h"
#include "sim/core/validation.h"
#include "sim/forces/law_numbers.h"
#include "sim/forces/reference_force.h"
#include "sim/integrators/block_steps.h"

#include <cmath>

namespace gravlab {
namespace {

// About 2 ms of pairs on one core: short enough for a window to answer, long enough to make the clock cheap.
constexpr std::size_t kPairsPerSlice = 400'000;
// About 20 ms: the truth compared with itself needs no large sample.
constexpr std::size_t kPairsPerCheck = 4'000'000;

/// Programs that only the few-body engine knows.
bool needsFewBody(StepProgram program) { return needsJerk(program) || isAdaptive(program); }

/// Positions, velocities and the last force.
struct State {
    std::vector<Double4> x, v, a;
    bool forceKnown = false;  ///< a is the force at x, under the present settings
    ActiveBodies active{};    ///< whose force is under way

    void resize(std::size_t n) {
        x.resize(n);
        v.resize(n);
        a.resize(n);
    }
};

class ReferenceBackend final : public Backend {
public:
    std::string_view name() const override { return "reference"; }
    std::string description() const override { return "double precision, one thread"; }
    std::size_t size() const override { return complete_.x.size(); }
    MemorySpace vertexSpace() const override { return MemorySpace::host; }

    using Backend::load;
    void load(const ParticleSet& bodies, const ForceTerms& terms, const SystemConfiguration& configuration) override {
        SystemConfiguration how = configuration;
        how.resize(terms.size());
        judge(pairLawOf(terms), how[0].kernel);
        State loaded;
        loaded.resize(bodies.size());
        loaded.x = bodies.position;
        loaded.v = bodies.velocity;
        std::vector<std::uint32_t> id = bodies.id;
        std::vector<std::uint8_t> group = bodies.group;
        State work;
        work.resize(bodies.size());
        std::vector<Double4> nextForce(bodies.size());
        ForceTerms wanted = terms, others = othersOf(terms);
        // Nothing can fail from here on.
        runner_.abandon();
        fewBodyLoaded_ = false;
        complete_ = std::move(loaded);
        work_ = std::move(work);
        nextForce_ = std::move(nextForce);
        id_ = std::move(id);
        group_ = std::move(group);
        checkTargets_.clear();
        check_.reset();
        terms_ = std::move(wanted);
        others_ = std::move(others);
        how_ = std::move(how);
        force_ = pairLawOf(terms_);
    }

    void snapshot(ParticleSet& out) override {
        out.position = complete_.x;
        out.velocity = complete_.v;
        out.id = id_;
        out.group = group_;
    }

    void configure(const ForceSettings& force, const KernelChoice& choice) override {
        judge(force, choice);
        ForceTerms terms = termsOf(force, others_);
        how_[0].kernel = choice;
        terms_ = std::move(terms);
        if (atBoundary()) adoptSettings();
    }
    const ForceTerms& terms() const override { return terms_; }
    const SystemConfiguration& systemConfiguration() const override { return how_; }
    const KernelRow& activeKernel() const override { return referenceKernelRows().front(); }
    LaunchConfig activeLaunch() const override { return {1, 1, 1, 1}; }

    AdvanceStatus advance(StepProgram program, double timeStep, const Budget& budget, VertexSink* sink) override {
        if (const Reason reason = refusal(program, terms_); !reason.empty()) throw UsageError(reason);
        if (needsFewBody(program)) return advanceFewBody(program, timeStep, budget, sink);
        fewBodyUnreported_ += endFewBodyStep();
        fewBodyLoaded_ = false;
        AdvanceStatus status = runner_.advance(*this, program, timeStep, budget, sink);
        status.stepsCompleted += std::exchange(fewBodyUnreported_, 0);
        return status;
    }

    void publish(VertexSink& sink) override {
        const double start = StepPacer::steadySeconds();
        const VertexSpan out = sink.open(size(), nullptr);
        for (std::size_t i = 0; i < out.count; ++i) {
            const Double4& x = complete_.x[i];
            out.data[i] = {static_cast<float>(x.x), static_cast<float>(x.y), static_cast<float>(x.z), shownValue(i)};
        }
        sink.close(nullptr);
        totals_.publishSeconds += StepPacer::steadySeconds() - start;
    }
    void setVertexValue(VertexValue value) override { value_ = value; }

    void finishStep() override {
        runner_.finishStep(*this);
        fewBodyUnreported_ += endFewBodyStep();
    }
    std::vector<StateArray> integratorState() override {
        return fewBodyLoaded_ ? fewBody_.state() : std::vector<StateArray>();
    }
    void restoreIntegratorState(const std::vector<StateArray>& state) override {
        if (state.empty()) return;
        loadFewBody();
        fewBody_.restore(state);
    }
    void wait() override {}

    void accelerations(std::vector<Double4>& out) override {
        if (!complete_.forceKnown) {
            computeForces(complete_, complete_.a, 0, size());
            complete_.forceKnown = true;
            ++totals_.forceEvaluations;
            runCheck(complete_);
        }
        out = complete_.a;
    }

    void requestForceCheck(std::vector<std::uint32_t> targets) override {
        for (const std::uint32_t target : targets)
            if (target >= size()) throw UsageError("force check: there is no body with index " + std::to_string(target));
        const std::size_t affordable = std::max<std::size_t>(1, kPairsPerCheck / std::max<std::size_t>(1, size()));
        if (targets.size() > affordable) {
            for (std::size_t k = 0; k < affordable; ++k) targets[k] = targets[k * targets.size() / affordable];
            targets.resize(affordable);
        }
        checkTargets_ = std::move(targets);
        check_.reset();
    }
    std::optional<ForceCheck> takeForceCheck() override { return std::exchange(check_, std::nullopt); }

    WorkTotals totals() override { return totals_; }
    std::vector<MethodFigure> figures() override { return figuresOf(clock_); }

    // What StepRunner calls.
    void beginStep(StepProgram program) {
        requirePointwise(program, "reference");
        adoptSettings();
        work_ = complete_;
        work_.active = {};
        clock_ = {};
        if (needsScratch(program))
            for (std::vector<Double4>* scratch : {&x0_, &v0_, &dx_, &dv_}) scratch->resize(size());
    }
    bool forceKnown() const { return work_.forceKnown; }
    std::size_t forceSlice(std::size_t first) {
        const std::size_t targets = std::max<std::size_t>(1, kPairsPerSlice / size());
        const std::size_t last = std::min(size(), first + targets);
        computeForces(work_, nextForce_, first, last);
        return last;
    }
    void endForce() {
        std::swap(work_.a, nextForce_);
        if (!work_.active.all()) return;
        work_.forceKnown = true;
        ++totals_.forceEvaluations;
        runCheck(work_);
    }
    unsigned substeps() const { return clock_.substeps(); }
    void apply(const StepOp& step, double timeStep) {
        const double start = StepPacer::steadySeconds();
        if (isOfBlocks(step.op)) {
            applyToRungs(step, timeStep);
            totals_.integrateSeconds += StepPacer::steadySeconds() - start;
            return;
        }
        if (step.op == Op::drift) {
            timeStep /= clock_.substeps();
            if (!rungs_.empty()) work_.active = clock_.active(rungs_.data());
        }
        StepRegisters<Double4*> registers{work_.x.data(), work_.v.data(), work_.a.data(), x0_.data(),
                                          v0_.data(),     dx_.data(),     dv_.data()};
        applyOp(step.op, factorOf(step, timeStep), registers, VectorColumnArithmetic{0, size()});
        if (movesBodies(step.op)) work_.forceKnown = false;
        totals_.integrateSeconds += StepPacer::steadySeconds() - start;
    }
    void endStep(std::int64_t steps) {
        std::swap(complete_, work_);
        totals_.steps += steps;
    }

private:
    void applyToRungs(const StepOp& step, double timeStep) {
        if (step.op == Op::rungs) {
            rungs_.resize(size());
            const auto lengthOf = [this](std::size_t i) { return rungLength(work_.a[i].x, work_.a[i].y, work_.a[i].z); };
            LogarithmSum all;
            for (std::size_t i = 0; i < size(); ++i) all.add(lengthOf(i));
            clock_ = BlockClock(giveRungs(0, size(), all.reference(), lengthOf, rungs_.data()));
            return;
        }
        const std::array<double, kRungCount> kicks = ownKicks<double>(step.weight, timeStep);
        const int least = step.op == Op::open ? clock_.beginning() : clock_.ending();
        for (std::size_t i = 0; i < size(); ++i) {
            if (rungs_[i] < least) continue;
            const double kick = kicks[rungs_[i]];
            work_.v[i].x += kick * work_.a[i].x;
            work_.v[i].y += kick * work_.a[i].y;
            work_.v[i].z += kick * work_.a[i].z;
        }
        if (step.op == Op::close) clock_.next();
    }

    static void judge(const ForceSettings& force, const KernelChoice& choice) {
        requireSoftening(force.softening);
        requireLawNumbers(force);
        if (choice.kernel) kernel("reference", *choice.kernel);
    }

    bool atBoundary() const { return runner_.cursor().atBoundary() && (!fewBodyLoaded_ || fewBody_.stepProgress() == 0); }

    /// Steps with a jerk or of automatic length, on a copy of the state that is kept as long as nothing else moves bodies.
    AdvanceStatus advanceFewBody(StepProgram program, double timeStep, const Budget& budget, VertexSink* sink) {
        AdvanceStatus status;
        runner_.finishStep(*this);
        status.stepsCompleted = runner_.takeUnreported() + std::exchange(fewBodyUnreported_, 0);
        loadFewBody();
        const double start = StepPacer::steadySeconds();
        const std::int64_t forcesBefore = fewBody_.forceEvaluations();
        const double termsBefore = fewBody_.termInteractions();
        const std::int64_t steps =
            fewBody_.advance(program, timeStep, {budget.seconds, budget.steps - status.stepsCompleted});
        takeFewBodySteps(steps);
        const double forces = static_cast<double>(fewBody_.forceEvaluations() - forcesBefore);
        totals_.forceEvaluations += static_cast<std::int64_t>(forces);
        totals_.interactions += forces * static_cast<double>(size()) * static_cast<double>(size());
        totals_.termInteractions += fewBody_.termInteractions() - termsBefore;
        totals_.forceSeconds += StepPacer::steadySeconds() - start;
        status.stepsCompleted += steps;
        status.stepProgress = fewBody_.stepProgress();
        if (isAdaptive(program)) status.innerStep = std::fabs(fewBody_.adaptive().lastStep());
        if (steps > 0 && !checkTargets_.empty()) {
            std::vector<Double4> compared;
            accelerations(compared);
        }
        if (sink && status.stepsCompleted > 0) {
            runner_.publishing(status.stepsCompleted, [&] { publish(*sink); });
            status.published = true;
        }
        return status;
    }
    void loadFewBody() {
        adoptSettings();
        fewBody_.configure(force_, others_);
        if (fewBodyLoaded_) return;
        ParticleSet bodies;
        snapshot(bodies);
        fewBody_.load(bodies);
        fewBodyLoaded_ = true;
    }
    void takeFewBodySteps(std::int64_t steps) {
        if (steps == 0) return;
        ParticleSet bodies;
        fewBody_.store(bodies);
        complete_.x = bodies.position;
        complete_.v = bodies.velocity;
        complete_.forceKnown = false;
        totals_.steps += steps;
    }
    std::int64_t endFewBodyStep() {
        if (!fewBodyLoaded_) return 0;
        const std::int64_t ended = fewBody_.finishStep();
        takeFewBodySteps(ended);
        return ended;
    }

    // Only between steps: a step under way ends under the settings that it began with.
    void adoptSettings() {
        if (force_ == pairLawOf(terms_)) return;
        force_ = pairLawOf(terms_);
        complete_.forceKnown = false;
    }

    TermBodies bodiesOf(const State& state) const { return {state.x, state.v, id_}; }

    /// The pair law of the targets [first, last), and then each term beside it.
    void computeForces(const State& state, std::vector<Double4>& a, std::size_t first, std::size_t last) {
        const double start = StepPacer::steadySeconds();
        const std::span<const Double4> x = state.x;
        std::size_t evaluated = 0;
        for (std::size_t i = first; i < last; ++i) {
            if (!state.active.has(i)) {
                a[i] = state.a[i];
                continue;
            }
            ++evaluated;
            a[i] = plainForce(x, x[i], force_);
            const double response = complete_.v[i].w;
            a[i] = {response * a[i].x, response * a[i].y, response * a[i].z, 0};
        }
        totals_.interactions += static_cast<double>(evaluated) * static_cast<double>(x.size());
        const double pairs = StepPacer::steadySeconds();
        totals_.forceSeconds += pairs - start;
        if (others_.empty()) return;
        std::vector<std::uint32_t> targets;
        std::vector<Double4> sums;
        for (std::size_t i = first; i < last; ++i) {
            if (!state.active.has(i)) continue;
            targets.push_back(static_cast<std::uint32_t>(i));
            sums.push_back(a[i]);
        }
        for (const auto& term : others_)
            totals_.termInteractions += term->addAccelerations(bodiesOf(state), targets, sums, {});
        for (std::size_t k = 0; k < targets.size(); ++k) a[targets[k]] = sums[k];
        totals_.termSeconds += StepPacer::steadySeconds() - pairs;
    }

    void runCheck(const State& state) {
        if (checkTargets_.empty() || force_ != pairLawOf(terms_)) return;
        // What the steps make of all terms at once is compared with their statements one by one.
        std::vector<Double4> got, want(checkTargets_.size());
        std::vector<double> floors(checkTargets_.size());
        for (const std::uint32_t target : checkTargets_) got.push_back(state.a[target]);
        referenceForces(state.x, complete_.v, checkTargets_, force_, want, floors);
        for (const auto& term : others_) term->addAccelerations(bodiesOf(state), checkTargets_, want, floors);
        check_ = compareForces(got, want, kGate64, floors);
        check_->worst = checkTargets_[check_->worst];
        checkTargets_.clear();
    }

    float shownValue(std::size_t i) const {
        const double speed = length(complete_.v[i]);
        switch (value_) {
            case VertexValue::acceleration:
                return static_cast<float>(length(complete_.a[i]));
            case VertexValue::kineticEnergy:
                return static_cast<float>(complete_.x[i].w * speed * speed / 2);
            case VertexValue::source:
                return static_cast<float>(complete_.x[i].w);
            case VertexValue::speed:
                break;
        }
        return static_cast<float>(speed);
    }

    State complete_;                   ///< the last complete step: what everyone sees
    State work_;                       ///< the step under way
    std::vector<std::uint8_t> rungs_;  ///< of block steps, from the first of them on
    BlockClock clock_;
    std::vector<Double4> nextForce_;
    std::vector<Double4> x0_, v0_, dx_, dv_;
    std::vector<std::uint32_t> id_;
    std::vector<std::uint8_t> group_;
    ForceTerms terms_ = termsOf({});  ///< from the next step on
    ForceTerms others_;               ///< beside the pair law
    SystemConfiguration how_ = SystemConfiguration(1);
    ForceSettings force_;  ///< the pair law of the step under way
    VertexValue value_ = VertexValue::speed;
    StepRunner<ReferenceBackend> runner_;
    FewBody fewBody_;
    bool fewBodyLoaded_ = false;  ///< it holds the state of the last complete step, and maybe a part of the next one
    std::int64_t fewBodyUnreported_ = 0;
    std::vector<std::uint32_t> checkTargets_;
    std::optional<ForceCheck> check_;
    WorkTotals totals_;
};

}  // namespace

std::span<const KernelRow> referenceKernelRows() {
    static const KernelRow rows[] = {
        {.backend = "reference",
         .name = "plain",
         .idea = "one loop over all pairs in double precision, any law",
         .source = "reference_force.h:plainGravity"},
    };
    return rows;
}

BackendRow referenceBackendRow() {
    return {.name = "reference",
            .idea = "fp64 on one thread, one plain loop: the truth that everything else is compared with",
            .unavailable = [](const BackendOptions&) { return Reason(); },
            .make = [](const BackendOptions&) -> std::unique_ptr<Backend> { return std::make_unique<ReferenceBackend>(); },
            .devices = [] { return std::string("this CPU, one thread, double precision"); },
            .refuses =
                [](StepProgram program, std::size_t bodies) {
                    return needsFewBody(program) && bodies > FewBody::kUsefulLimit
                               ? "it is for at most " + std::to_string(FewBody::kUsefulLimit) + " bodies"
                               : Reason();
                },
            .exact = true,
            .mostStudied = 4096};
}

}  // namespace gravlab
