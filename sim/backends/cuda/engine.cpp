// State, forces and measurements. The steps are in engine_steps.cpp.
#include "sim/backends/cuda/engine.h"

#include "sim/backends/cuda/methods/ranked.h"
#include "sim/backends/memory_need.h"
#include "sim/measure/potential_error.h"
#include "sim/tree/properties.h"

#include <type_traits>
#include <utility>

namespace gravlab::cuda {
namespace {

constexpr unsigned kRespondThreads = 256;

/// Whether one state of the bodies is kept, because two do not fit beside the method.
bool takesOneState(const LaunchPlan& plan, std::size_t bodies, const EngineTerms& terms, const HelperDevices& helpers) {
    RunSize size{.bodies = bodies,
                 .force = pairLawOf(terms.terms),
                 .kernel = {.kernel = std::string(plan.entry->row.name)},
                 .sources = plan.sources.count,
                 .helpers = helpers.ranks ? helpers.ranks->exchange.helpers() : helpers.size(),
                 .ranks = helpers.ranks != nullptr};
    if (terms.terms.size() > 1 || !mayKeepOneState(size)) return false;
    std::size_t free = 0, total = 0;
    CUDA_CHECK(memoryInfo(free, total));
    return plan.trees.oneState || sumOf(cudaRows(size)).device > static_cast<double>(free);
}

}  // namespace

template <class Real>
EngineOf<Real>::EngineOf(EngineContext& context, const BodiesToRead& bodies, const BodyFacts& facts, const LaunchPlan& plan,
                         const EngineTerms& terms)
    : Base(terms),
      context_(context),
      state_(static_cast<std::uint32_t>(bodies.size()), context.stream,
             takesOneState(plan, bodies.size(), terms, context.helpers)),
      facts_(facts),
      blocks_(state_.count(), context.stream),
      check_(context.stream),
      termCheck_(context.stream) {
    LaunchPlan own = plan;
    own.trees.oneState = state_.one() && context.helpers.empty() && !context.helpers.ranks;  // they read both lengths
    methods_.push_back(makeForceMethod<Real>(own, state_.count(), context.device, context.stream, &context.helpers));
    for (std::size_t k = 1; k < termCount(); ++k) methods_.push_back(makeMethod(k));
    if (!alone()) termSums_ = DeviceArray<V>(state_.count());
    state_.upload(bodies, facts_.heaviest);
    this->want(pairLawOf(terms_), choices_.front().kernel);
}

template <class Real>
bool EngineOf<Real>::replace(const BodiesToRead& bodies, const BodyFacts& facts, const LaunchPlan& plan,
                             const EngineTerms& terms) {
    LaunchPlan alike = plan;
    alike.trees.oneState = this->plan().trees.oneState;
    if (plan.precision != Precision::mixed) alike.heaviest = this->plan().heaviest;  // else part of the units
    if (bodies.size() != size() || alike != this->plan() || !this->takesOver(terms)) return false;
    abandonForce();
    state_.upload(bodies, facts.heaviest);
    facts_ = facts;
    matrix_.reset();
    this->beginWith(terms);
    requestForceCheck({});
    return true;
}

template <class Real>
std::unique_ptr<DeviceTermMethod<Real>> EngineOf<Real>::makeMethod(std::size_t k) const {
    if (k == 0) return makeForceMethod<Real>(plan(), state_.count(), context_.device, context_.stream, &context_.helpers);
    const KernelChoice& how = choices_[k].kernel;
    const CudaTermMethod& row = CudaTermMethods::code("cuda", terms_[k]->kind(), how.kernel);
    const TermParts parts{state_.count(), *ids_, context_.device, context_.stream, checkedLaunch(row.row, how.launch)};
    if constexpr (std::is_same_v<Real, float>)
        return row.fp32(*terms_[k], parts);
    else
        return row.fp64(*terms_[k], parts);
}

template <class Real>
void EngineOf<Real>::abandonForce() {
    // An abandoned force gives no sums to check, so its check moves to the next force.
    if (termCheck_.open()) requestForceCheck(termCheck_.targets());
    this->abandonMethods();
}

template <class Real>
void EngineOf<Real>::copyState(std::vector<Double4>& positions, std::vector<Double4>& velocities) {
    state_.download(positions, velocities);
    if (state_.complete().v.bytes() > kLargestFact) context_.hostCopies += 2;
}

template <class Real>
VectorsFuture EngineOf<Real>::copyStateAsync() {
    if (size() == 0) return [](std::vector<Double4>&, std::vector<Double4>&) {};
    return copyAsync(state_.complete().x.data(), state_.complete().v.data());
}

template <class Real>
VectorsFuture EngineOf<Real>::copyAsync(const V* x, const V* v) {
    // An earlier copy that is still being fetched belongs to its reader, so this call needs a new one.
    if (copy_.use_count() != 1) copy_ = std::make_shared<StateCopy<Real>>(context_.device.index, state_.count());
    if (state_.complete().v.bytes() > kLargestFact) context_.hostCopies += 2;
    return copy_->take(x, v, context_.stream);
}

template <class Real>
void EngineOf<Real>::configure(const ForceSettings& force, const KernelChoice& how, const LaunchPlan* plan) {
    std::unique_ptr<Method> method;
    if (plan) method = makeForceMethod<Real>(*plan, state_.count(), context_.device, context_.stream, &context_.helpers);
    this->want(force, how);
    if (!method) return;
    abandonForce();
    methods_.front() = std::move(method);
    state_.complete().forceKnown = false;
    restartStep();
}

template <class Real>
void EngineOf<Real>::copyBody(std::uint32_t index, Double4& position, Double4& velocity) const {
    V x, v;
    copyNow(&x, positions() + index, 1, Copy::toHost, context_.stream);
    copyNow(&v, velocities() + index, 1, Copy::toHost, context_.stream);
    position = {x.x, x.y, x.z, x.w};
    velocity = {v.x, v.y, v.z, v.w};
}

template <class Real>
void EngineOf<Real>::change(const DeviceChanges& changes, const BodyFacts* left, const LaunchPlan& plan, bool moved) {
    abandonForce();
    if (left) {
        facts_ = *left;
        copy_.reset();
    }
    const auto count = static_cast<std::uint32_t>(facts_.count);
    state_.change(changes, count, facts_.heaviest);
    if (left) pairs().takeFewer(plan, count, changes);
    blocks_.shrink(count);
    this->bodiesChanged(moved || left);
    requestForceCheck({});
}

template <class Real>
bool EngineOf<Real>::enqueueSlice(std::size_t k, TermMethod& method, bool ofAll) {
    const ForceProgress done = method.enqueue(kSliceSeconds);
    method.note(done);
    Work work{.rated = method.rated(done.work)};
    double seconds = work.rated / method.rate()->perSecond();
    if (k == 0) {
        work.forceEvaluations = done.complete && ofAll ? 1 : 0;
        work.interactions = done.work.pairs;
        work.cells = done.work.cells;
    } else {
        constexpr double kLaunch = 5e-6;
        seconds += kLaunch;
        work.termInteractions = done.work.pairs;
    }
    context_.timer.add(seconds, work, method.rate());
    return done.complete;
}

template <class Real>
DeviceSums<Real> EngineOf<Real>::accelerationOf(DeviceSums<Real> sums, const V* v, V* to, const ActiveBodies& active) {
    // A factor of 1 changes no bit of one range.
    if (!needsResponsePass() || (sums.ranges == 1 && !state_.hasResponses() && forceFactor(force_) == 1)) return sums;
    launchEach(respondKernel<Real>(), state_.count(), kRespondThreads,
               {sums.sums, sums.ranges, responses(v), forceFactor(force_), to, state_.count(), false, active},
               context_.stream);
    return {to, 1};
}

template <class Real>
void EngineOf<Real>::addTerm(const DeviceSums<Real>& sums, const V* v, V* to, const ActiveBodies& active) {
    launchEach(respondKernel<Real>(), state_.count(), kRespondThreads,
               {sums.sums, sums.ranges, responses(v), 1, to, state_.count(), true, active}, context_.stream);
}

template <class Real>
void EngineOf<Real>::evaluate(const Methods& methods, V* termSums, V* to) {
    const auto& complete = state_.complete();
    context_.timer.begin();
    for (std::size_t k = 0; k < termCount(); ++k) {
        const Span span = k == 0 ? Span::force : Span::terms;
        ForceRequest request = requestOf(k);
        request.time = this->clock().time();  // not that of a step under way
        methods[k]->prepare({complete.x.data(), k == 0 ? to : termSums, k == 0 ? nullptr : complete.v.data()}, request);
        while (!enqueueSlice(k, *methods[k]))
            if (k == 0) context_.timer.close(span);
        context_.timer.close(span);
        if (k > 0) {
            addTerm(methods[k]->sums(), complete.v.data(), to);
            context_.timer.begin();  // the time of the sum counts for no span
            continue;
        }
        const DeviceSums<Real> sums = accelerationOf(methods[k]->sums(), complete.v.data(), to);
        if (sums.ranges > 1) enqueueSum(sums, to);
        if (!alone()) context_.timer.begin();  // nor that of the sum of ranges
    }
}

template <class Real>
void EngineOf<Real>::accelerations(std::vector<Double4>& out) {
    out.clear();
    if (size() == 0) return;
    auto& complete = state_.complete();
    if (complete.a.bytes() > kLargestFact) ++context_.hostCopies;
    // Methods that keep state, and the sums of several terms, belong to the steps.
    if (!complete.forceKnown && (!cursor_.atBoundary() || !alone() || this->keepsForceState())) {
        // The step under way must keep the progress of its methods: this force has its own methods and arrays.
        if (this->termsChange()) finished();
        this->updateTerms();
        const Methods methods = this->methodsLikeThese();
        const DeviceArray<V> beside(state_.count()), termSums(alone() ? 0 : state_.count());
        evaluate(methods, termSums.data(), beside.data());
        out = state_.download(beside);
        return;
    }
    if (!complete.forceKnown) {
        evaluate(methods_, nullptr, complete.a.data());
        complete.forceKnown = true;
        x_ = complete.x.data();
        v_ = complete.v.data();
        if (check_.wanted()) enqueueCheck(x_, complete.a.data());
    }
    out = state_.download(complete.a);
}

template <class Real>
void EngineOf<Real>::enqueueCheck(const V* x, const V* a) {
    check_.add(pairs().partEnds());
    check_.enqueue(x, v_, a, state_.count(), requestOf(), pairs().accuracy());
    context_.timer.begin();  // the time of the check counts for no span
}

template <class Real>
void EngineOf<Real>::requestForceCheck(std::vector<std::uint32_t> targets) {
    termCheck_.drop();
    pairCheck_.reset();
    check_.request(std::move(targets));
}

template <class Real>
std::optional<ForceCheck> EngineOf<Real>::takeForceCheck() {
    std::optional<ForceCheck> pairs = check_.take();
    if (alone()) return pairs;
    if (pairs) pairCheck_ = std::move(pairs);
    if (!pairCheck_) return std::nullopt;
    if (!pairCheck_->passed) {
        termCheck_.drop();
        return std::exchange(pairCheck_, std::nullopt);
    }
    const std::optional<ForceCheck> terms = termCheck_.take();
    if (!terms) return std::nullopt;
    const ForceCheck passed = *std::exchange(pairCheck_, std::nullopt);
    return terms->passed ? passed : *terms;
}

template <class Real>
void EngineOf<Real>::requestMeasurement() {
    Measurement<Real>& measured = measurement();
    measured.failure.clear();
    measured.ofPairs.reset();
    if (size() == 0) return;
    auto& job = measured.pairs;
    try {
        if (job && job->count() != state_.count()) job.reset();  // before the new one takes memory
        if (!job) job = std::make_unique<DiagnosticsJob<Real>>(context_.stream, state_.count());
        if constexpr (std::is_same_v<Real, float>) {
            const bool tree = pairs().plan().entry->row.approximates && treeHasEnergy(wanted_);
            const double accuracy = tree ? accuracyOfEnergy(pairs().accuracy().allowedError) : 0;
            if (accuracy != job->accuracy())
                job->setTree(accuracy > 0
                                 ? makeTreeEnergy(pairs().plan(), state_.count(), context_.device, context_.stream, accuracy)
                                 : nullptr);
        }
        job->begin(state_.complete().x.data(), state_.complete().v.data(), wanted_);
        if (!alone()) beginOtherEnergy(measured.otherEnergy);
    } catch (const Error& error) {
        job.reset();  // its energy would lack the other terms, and its memory may be what was short
        measured.failure = error.what();
    }
}

template <class Real>
void EngineOf<Real>::beginOtherEnergy(std::future<double>& sum) {
    // These terms have few partners, so the host sums them on a thread, in double precision where the term states that. The
    // thread first waits for the one of the measurement before, so that no frame does.
    std::vector<TermFuture> here;
    for (std::size_t k = 1; k < termCount(); ++k) here.push_back(methods_[k]->termHere());
    sum = std::async(std::launch::async,
                     [bodies = copyStateAsync(), terms = othersOf(terms_), ids = ids_, time = this->clock().time(),
                      here = std::move(here), before = std::move(sum)]() mutable {
                         before = {};
                         for (std::size_t k = 0; k < terms.size(); ++k)
                             if (here[k]) terms[k] = here[k]();
                         std::vector<Double4> positions, velocities;
                         bodies(positions, velocities);
                         double energy = 0;
                         for (const auto& term : terms) energy += term->potential({positions, velocities, *ids, time});
                         return energy;
                     });
}

template <class Real>
bool EngineOf<Real>::enqueueMatrix(const PairMatrixRequest& request, FloatSink& sink) {
    if (!matrix_) matrix_ = std::make_unique<PairMatrixJob<Real>>(context_.stream);
    return matrix_->enqueue(state_.complete().x.data(), state_.count(), wanted_, request, sink);
}

template class EngineOf<float>;
template class EngineOf<double>;

}  // namespace gravlab::cuda
