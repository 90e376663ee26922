// The reference backend: fp64, one thread, one plain loop. Rule: keep it simple, because every test compares with it.
#include "sim/api/errors.h"
#include "sim/backends/few_body.h"
#include "sim/backends/groups.h"
#include "sim/backends/kernel_rows.h"
#include "sim/core/bad_bodies.h"
#include "sim/core/names.h"
#include "sim/core/particles.h"
#include "sim/core/validation.h"
#include "sim/engine/engine_backend.h"
#include "sim/engine/step_engine.h"
#include "sim/forces/law_numbers.h"
#include "sim/forces/reference_force.h"

#include <chrono>
#include <cmath>

namespace gravlab {
namespace {

// About 2 ms of pairs on one core: short enough for a responsive window, long enough to make the clock cheap.
constexpr std::size_t kPairsPerSlice = 400'000;
// About 20 ms: the reference compared with itself needs no large sample.
constexpr std::size_t kPairsPerCheck = 4'000'000;

/// Whether only the few-body engine knows the program.
bool needsFewBody(StepProgram program) { return needsJerk(program) || isAdaptive(program); }

struct State {
    std::vector<Double4> x, v, a;
    bool forceKnown = false;  ///< a is the force at x, under the present settings

    explicit State(const ParticleSet& bodies) : x(bodies.position), v(bodies.velocity), a(bodies.size()) {}
};

/// The bodies that a term acts on, and the accelerations that it sets or adds to.
struct PlainBodies {
    TermBodies bodies;
    std::vector<Double4>* sums = nullptr;
};

/// Computes one term by its plain statement, some targets at a time.
class PlainMethod final : public ForceMethod<PlainBodies, std::span<const Double4>> {
public:
    /// `term`: null for the pair law, which comes first.
    explicit PlainMethod(std::shared_ptr<const ForceTerm> term) : term_(std::move(term)) {}

    void prepare(const PlainBodies& bodies, const ForceRequest& request) override {
        bodies_ = bodies;
        bodies_.bodies.time = request.time;
        request_ = request;
        next_ = 0;
        end_ = bodies.bodies.positions.size();
        request_.active = request.wanted(end_);
    }
    ForceProgress enqueue(double) override {
        const std::span<const Double4> x = bodies_.bodies.positions;
        const std::size_t last = std::min(end_, next_ + std::max<std::size_t>(1, kPairsPerSlice / end_));
        std::vector<std::uint32_t> targets;
        std::vector<Double4> sums;
        for (std::size_t i = next_; i < last; ++i)
            if (request_.active.has(i)) targets.push_back(static_cast<std::uint32_t>(i));
        double pairs = 0;
        if (term_) {
            for (const std::uint32_t i : targets) sums.push_back((*bodies_.sums)[i]);
            pairs = term_->addAccelerations(bodies_.bodies, targets, sums, {});
        } else {
            for (const std::uint32_t i : targets) {
                const Double4 a = plainForce(x, x[i], request_.settings);
                const double response = bodies_.bodies.velocities[i].w;
                sums.push_back({response * a.x, response * a.y, response * a.z, 0});
            }
            pairs = static_cast<double>(targets.size()) * static_cast<double>(end_);
        }
        for (std::size_t k = 0; k < targets.size(); ++k) (*bodies_.sums)[targets[k]] = sums[k];
        next_ = last;
        return {.complete = next_ == end_, .work = {.pairs = pairs}};
    }
    bool underWay() const override { return next_ < end_; }
    double progress() const override { return underWay() ? static_cast<double>(next_) / static_cast<double>(end_) : 0; }
    void abandon() override { next_ = end_ = 0; }
    std::span<const Double4> sums() const override { return *bodies_.sums; }
    Accuracy accuracy() const override { return {.gate = kGate64}; }
    bool changesTerm() const override { return term_ && term_->offer().changes; }
    bool keepsState() const override { return changesTerm(); }
    void endStep(const PlainBodies& bodies) override {
        if (auto after = term_->after(bodies.bodies)) term_ = changed_ = std::move(after);
    }
    std::shared_ptr<const ForceTerm> takeChangedTerm() override { return std::exchange(changed_, nullptr); }

private:
    std::shared_ptr<const ForceTerm> term_, changed_;
    PlainBodies bodies_;
    ForceRequest request_;
    std::size_t next_ = 0, end_ = 0;  ///< targets
};

/// State that outlives a change of bodies.
struct ReferenceContext {
    WorkTotals totals;
    VertexValue shown = VertexValue::speed;
    std::vector<std::uint32_t> checkTargets;
    std::optional<ForceCheck> check;
};

class ReferenceEngine final : public HostEngine<ReferenceEngine, PlainMethod> {
public:
    static constexpr std::string_view kName = "reference";

    ReferenceEngine(ReferenceContext& context, const ParticleSet& bodies, const EngineTerms& terms)
        : HostEngine(terms), context_(context), complete_(bodies), work_(complete_), nextForce_(bodies.size()) {
        methods_ = newMethods();
        want(pairLawOf(terms_), choices_.front().kernel);
    }

    std::size_t size() const { return complete_.x.size(); }
    void copyState(std::vector<Double4>& positions, std::vector<Double4>& velocities) const {
        positions = complete_.x;
        velocities = complete_.v;
    }
    std::size_t firstBad(double farthest) const {
        return gravlab::firstBad(size(), [&](std::size_t i) { return isBad(complete_.x[i], complete_.v[i], farthest); });
    }
    void copyBody(std::size_t index, Double4& position, Double4& velocity) const {
        position = complete_.x[index];
        velocity = complete_.v[index];
    }
    void configure(const ForceSettings& force, const KernelChoice& how) { want(force, how); }
    const ForceSettings& force() const { return force_; }
    /// Takes a state, its time, and the number of steps, from another engine.
    void takeState(const ParticleSet& bodies, const Clock& clock, std::int64_t steps) {
        setClock(clock);
        complete_.x = bodies.position;
        complete_.v = bodies.velocity;
        complete_.forceKnown = false;
        context_.totals.steps += steps;
    }

    void publish(VertexSink& sink) {
        const double start = StepPacer::steadySeconds();
        const VertexSpan out = sink.open(size(), nullptr);
        for (std::size_t i = 0; i < out.count; ++i) {
            const Double4& x = complete_.x[i];
            out.data[i] = {static_cast<float>(x.x), static_cast<float>(x.y), static_cast<float>(x.z),
                           vertexValue(context_.shown, x.w, length(complete_.v[i]), [&] { return length(complete_.a[i]); })};
        }
        sink.close(nullptr);
        context_.totals.publishSeconds += StepPacer::steadySeconds() - start;
    }
    void accelerations(std::vector<Double4>& out) {
        if (!complete_.forceKnown) {
            const Methods beside = newMethods();  // a step under way may be half through a force
            for (std::size_t k = 0; k < termCount(); ++k) {
                ForceRequest request = requestOf(k);
                request.time = clock().time();  // not that of a step under way
                beside[k]->prepare({bodiesOf(complete_), &complete_.a}, request);
                while (!computeSlice(k, *beside[k])) {
                }
            }
            complete_.forceKnown = true;
            ++context_.totals.forceEvaluations;
            runCheck(complete_);
        }
        out = complete_.a;
    }
    void requestForceCheck(std::vector<std::uint32_t> targets) {
        const std::size_t affordable = std::max<std::size_t>(1, kPairsPerCheck / std::max<std::size_t>(1, size()));
        if (targets.size() > affordable) {
            for (std::size_t k = 0; k < affordable; ++k) targets[k] = targets[k * targets.size() / affordable];
            targets.resize(affordable);
        }
        context_.checkTargets = std::move(targets);
        context_.check.reset();
    }

    // EngineState.
    std::string_view kernelName() const { return referenceKernelRows().front().name; }
    std::unique_ptr<PlainMethod> makeMethod(std::size_t k) const {
        return std::make_unique<PlainMethod>(k == 0 ? nullptr : terms_[k]);
    }
    bool takeNext(std::unique_ptr<PlainMethod>) { return true; }
    double smallestR2(const ForceSettings&) const { return 0; }
    static MassiveBodies sources() { return {}; }  // the truth sums over all bodies
    bool completeForceKnown() const { return complete_.forceKnown; }
    void forgetForce() { complete_.forceKnown = false; }
    std::vector<Double4> knownAccelerations() const { return complete_.a; }
    void takeAccelerations(const std::vector<Double4>& values) {
        if (values.size() != size()) return;
        complete_.a = values;
        complete_.forceKnown = true;
    }
    bool checkWanted() const { return !context_.checkTargets.empty(); }

    void prepareStep(StepProgram program) {
        if (needsScratch(program))
            for (std::vector<Double4>* scratch : {&x0_, &v0_, &dx_, &dv_}) scratch->resize(size());
        if (inBlocks(program)) levels_.resize(size());
    }
    void enterStep() {
        worked_ = 0;
        work_ = complete_;
        abandonMethods();
    }
    bool runSlice(std::size_t k, PlainMethod& method) {
        if (!method.underWay()) {
            if (k == 0) nextForce_ = work_.a;
            method.prepare({bodiesOf(work_), &nextForce_}, requestOf(k, active_));
        }
        return computeSlice(k, method);
    }
    void takeTerm(std::size_t, PlainMethod&) {}  // all terms add to one array
    void endForce() {
        std::swap(work_.a, nextForce_);
        if (!active_.all()) return;
        work_.forceKnown = true;
        ++context_.totals.forceEvaluations;
        runCheck(work_);
    }
    const std::uint8_t* levels() const { return levels_.data(); }
    std::optional<BlockClock> levelClock(bool) {
        const auto lengthOf = [this](std::size_t i) { return levelLength(work_.a[i].x, work_.a[i].y, work_.a[i].z); };
        LevelScale all;
        for (std::size_t i = 0; i < size(); ++i) all.add(lengthOf(i), work_.x[i].w != 0);
        return BlockClock(giveLevels(0, size(), all.reference(), lengthOf, levels_.data()));
    }
    void add(const PlannedOp& planned) {
        const double start = StepPacer::steadySeconds();
        const StepOp& op = planned.op;
        if (isOfBlocks(op.op)) {
            const std::array<double, kLevelCount> kicks = ownKicks<double>(factorOf(op, planned.timeStep));
            for (std::size_t i = 0; i < size(); ++i) {
                if (levels_[i] < planned.least) continue;
                StepRegisters<Double4*> body{nullptr, &work_.v[i], &work_.a[i]};
                applyOp(op.op, kicks[levels_[i]], body, VectorColumnArithmetic{0, 1});
            }
        } else {
            StepRegisters<Double4*> registers{work_.x.data(), work_.v.data(), work_.a.data(), x0_.data(),
                                              v0_.data(),     dx_.data(),     dv_.data()};
            applyOp(op.op, factorOf(op, planned.timeStep), registers, VectorColumnArithmetic{0, size()});
        }
        if (movesBodies(op.op)) work_.forceKnown = false;
        context_.totals.integrateSeconds += StepPacer::steadySeconds() - start;
    }
    void endStep(const VertexSink*) {
        std::swap(complete_, work_);
        ++context_.totals.steps;
    }

    PlainBodies completeBodies() const { return {bodiesOf(complete_)}; }

private:
    TermBodies bodiesOf(const State& state) const {
        return {state.x, state.v, *ids_, &state == &work_ ? forceTime() : clock().time()};
    }
    /// True when the evaluation is complete.
    bool computeSlice(std::size_t k, PlainMethod& method) {
        WorkTotals& totals = context_.totals;
        const double start = StepPacer::steadySeconds();
        const ForceProgress done = method.enqueue(0);
        (k == 0 ? totals.interactions : totals.termInteractions) += done.work.pairs;
        (k == 0 ? totals.forceSeconds : totals.termSeconds) += StepPacer::steadySeconds() - start;
        return done.complete;
    }
    void runCheck(const State& state) {
        std::vector<std::uint32_t>& targets = context_.checkTargets;
        if (targets.empty() || !settled()) return;
        // The steps' accelerations by all terms are compared with the plain statements, added one by one.
        std::vector<Double4> got, want(targets.size());
        std::vector<double> floors(targets.size());
        for (const std::uint32_t target : targets) got.push_back(state.a[target]);
        for (const auto& term : terms_) term->addAccelerations(bodiesOf(state), targets, want, floors);
        context_.check = compareForces(got, want, kGate64, floors);
        context_.check->worst = targets[context_.check->worst];
        targets.clear();
    }

    ReferenceContext& context_;
    State complete_;                    ///< the last complete step, which is the public state
    State work_;                        ///< the step under way
    std::vector<Double4> nextForce_;    ///< the force under way
    std::vector<std::uint8_t> levels_;  ///< of block steps, sized at the first one
    std::vector<Double4> x0_, v0_, dx_, dv_;
};

/// The engine in its only precision.
struct OnlyEngine {
    std::unique_ptr<ReferenceEngine> made;
    template <class Use>
    decltype(auto) with(const Use& use) const {
        return use(*made);
    }
};

class ReferenceBackend final : public EngineBackend<OnlyEngine, ReferenceContext> {
public:
    ReferenceBackend() { engine_ = makeEngine({}, {}); }

    std::string_view name() const override { return "reference"; }
    std::string description() const override { return "double precision, one thread"; }
    MemorySpace vertexSpace() const override { return MemorySpace::host; }

    void load(const ParticleSet& bodies, const ForceTerms& terms, const SystemConfiguration& configuration) override {
        SystemConfiguration how = configuration;
        how.resize(terms.size());
        judge(pairLawOf(terms), how[0].kernel);
        auto labels = std::make_shared<Labels>(Labels{bodies.id, bodies.group, bodies.surface});
        OnlyEngine engine = makeEngine(bodies, engineTerms(terms, how, labels));
        ForceTerms wanted = terms;
        // Nothing can fail from here on.
        fewBodyLoaded_ = false;
        engine_ = std::move(engine);
        labels_ = std::move(labels);
        terms_ = std::move(wanted);
        configuration_ = std::move(how);
        context_.checkTargets.clear();
        context_.check.reset();
    }
    void configure(const ForceSettings& force, const KernelChoice& choice) override {
        judge(force, choice);
        ForceTerms terms = termsOf(force, othersOf(terms_));
        configuration_[0].kernel = choice;
        terms_ = std::move(terms);
        if (!fewBodyLoaded_ || fewBody_.stepProgress() == 0) settle();
    }
    const KernelRow& activeKernel() const override { return kernel(name(), referenceKernelRows().front().name); }
    LaunchConfig activeLaunch() const override { return {1, 1, 1, 1}; }

    AdvanceStatus advance(StepProgram program, double timeStep, const Budget& budget, VertexSink* sink) override {
        if (const Reason reason = refusal(program, terms_); !reason.empty()) throw UsageError(reason);
        if (needsFewBody(program)) return advanceFewBody(program, timeStep, budget, sink);
        fewBodyUnreported_ += endFewBodyStep();
        if (std::exchange(fewBodyLoaded_, false)) settle();
        AdvanceStatus status = engine().advance(program, timeStep, budget, sink);
        status.stepsCompleted += std::exchange(fewBodyUnreported_, 0);
        return status;
    }
    void setVertexValue(VertexValue value) override { context_.shown = value; }
    void setClock(const Clock& clock) override {
        EngineBackend::setClock(clock);
        fewBody_.setClock(clock);
    }

    void finishStep() override {
        engine().finishStep();
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
    std::optional<ForceCheck> takeForceCheck() override { return std::exchange(context_.check, std::nullopt); }
    WorkTotals totals() override { return context_.totals; }

private:
    ReferenceEngine& engine() const { return *engine_.made; }
    OnlyEngine makeEngine(const ParticleSet& bodies, const EngineTerms& terms) {
        return {std::make_unique<ReferenceEngine>(context_, bodies, terms)};
    }
    /// Applies the pending configuration, which holds from the next step of either engine on.
    void settle() { engine().configure(pairLawOf(terms_), configuration_[0].kernel); }
    static void judge(const ForceSettings& force, const KernelChoice& choice) {
        requireSoftening(force.softening);
        requireLawNumbers(force);
        if (choice.kernel) kernel("reference", *choice.kernel);
    }

    /// Runs steps with a jerk or of automatic length, on a copy of the state that is kept until something else moves bodies.
    AdvanceStatus advanceFewBody(StepProgram program, double timeStep, const Budget& budget, VertexSink* sink) {
        AdvanceStatus status;
        engine().finishStep();
        status.stepsCompleted = engine().takeUnreported() + std::exchange(fewBodyUnreported_, 0);
        loadFewBody();
        const double start = StepPacer::steadySeconds();
        const std::int64_t forcesBefore = fewBody_.forceEvaluations();
        const double termsBefore = fewBody_.termInteractions();
        const std::int64_t steps =
            fewBody_.advance(program, timeStep, {budget.seconds, budget.steps - status.stepsCompleted});
        takeFewBodySteps(steps);
        const double forces = static_cast<double>(fewBody_.forceEvaluations() - forcesBefore);
        WorkTotals& totals = context_.totals;
        totals.forceEvaluations += static_cast<std::int64_t>(forces);
        totals.interactions += forces * static_cast<double>(size()) * static_cast<double>(size());
        totals.termInteractions += fewBody_.termInteractions() - termsBefore;
        totals.forceSeconds += StepPacer::steadySeconds() - start;
        status.stepsCompleted += steps;
        status.stepProgress = fewBody_.stepProgress();
        if (isAdaptive(program)) status.innerStep = std::fabs(fewBody_.adaptive().lastStep());
        if (steps > 0 && !context_.checkTargets.empty()) {
            std::vector<Double4> compared;
            accelerations(compared);
        }
        if (sink && status.stepsCompleted > 0) {
            try {
                publish(*sink);
            } catch (...) {
                fewBodyUnreported_ += status.stepsCompleted;  // they are complete even where publishing fails
                throw;
            }
            status.published = true;
        }
        return status;
    }
    void loadFewBody() {
        settle();
        fewBody_.configure(pairLawOf(terms_), othersOf(terms_));
        if (fewBodyLoaded_) return;
        ParticleSet bodies;
        snapshot(bodies);
        fewBody_.load(bodies);
        fewBody_.setClock(engine().clock());
        fewBodyLoaded_ = true;
    }
    void takeFewBodySteps(std::int64_t steps) {
        if (steps == 0) return;
        ParticleSet bodies;
        fewBody_.store(bodies);
        engine().takeState(bodies, fewBody_.clock(), steps);
    }
    std::int64_t endFewBodyStep() {
        if (!fewBodyLoaded_) return 0;
        const std::int64_t ended = fewBody_.finishStep();
        takeFewBodySteps(ended);
        return ended;
    }

    FewBody fewBody_;
    bool fewBodyLoaded_ = false;  ///< it holds the last complete step, and possibly a begun one
    std::int64_t fewBodyUnreported_ = 0;
};

FoundGroups everyPair(const ParticleSet& bodies, double length, const BackendOptions&) {
    const auto start = std::chrono::steady_clock::now();
    FoundGroups found;
    found.labels = groupsByPairs(bodies, length);
    found.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return found;
}

FoundDepths depthsOfEveryPair(const ParticleSet& bodies, double length, std::uint32_t from, const BackendOptions&) {
    const auto start = std::chrono::steady_clock::now();
    FoundDepths found;
    found.depths = depthsByPairs(bodies, length, from);
    found.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return found;
}

}  // namespace

std::span<const DepthRow> referenceDepthRows() {
    static const DepthRow rows[] = {{"reference", "pairs",
                                     "compares each body of a level with all others: the truth for all other rungs",
                                     depthsOfEveryPair}};
    return rows;
}

std::span<const GroupRow> referenceGroupRows() {
    static const GroupRow rows[] = {
        {"reference", "pairs", "compares every pair, on one thread: the truth for all other rungs",
         [](std::size_t bodies) { return 4.0 * static_cast<double>(bodies); }, everyPair},
    };
    return rows;
}

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
