// Timing of one force kernel with one launch.
#include "app/bench/benchmark.h"

#include "app/bench/benchmark_text.h"
#include "app/system/host_clock.h"
#include "app/system/interrupt.h"
#include "app/tables/format.h"
#include "sim/core/random.h"
#include "sim/core/thread_pool.h"
#include "sim/forces/precision.h"

#include <algorithm>
#include <cmath>
#include <span>

namespace gravlab {
namespace {

constexpr double kFlopsPerPair = 20;
constexpr double kBoundSlack = 1.05;
constexpr int kCheckAttempts = 4;
constexpr std::int64_t kMostSteps = 100000;
// Longest call of a backend, so that an interrupt is noticed; a call of 1 s or more keeps a device busy without a gap.
constexpr double kLongestCall = 2;
constexpr double kShortestCall = 1e-3;
// A slow kernel with fewer repetitions than planned still gets this many times `mostSeconds`.
constexpr double kRepeatsOfMost = 3;
constexpr std::size_t kSamples = 1024;
// The host's own reference costs samples x N pairs, about 5 ns each per thread, so it has fewer samples when N is large.
std::size_t samplesOnHost(std::size_t bodies) {
    constexpr double kPairs = 2.7e9;
    constexpr std::size_t kFewest = 32, kOfMany = 256;
    if (bodies <= 200000) return kSamples;
    return std::clamp(static_cast<std::size_t>(kPairs / static_cast<double>(bodies)), kFewest, kOfMany);
}

/// The result of referenceForces(), with the same bits, computed by all threads.
void sharedReference(const ParticleSet& bodies, std::span<const std::uint32_t> targets, const ForceSettings& force,
                     std::span<Double4> want, std::span<double> floors, double leastShare) {
    parallelFor(targets.size(), 0, 1, [&](std::size_t first, std::size_t last) {
        const std::size_t part = last - first;
        referenceForces(bodies.position, bodies.velocity, targets.subspan(first, part), force, want.subspan(first, part),
                        floors.subspan(first, part), leastShare);
    });
}

double spreadOf(const std::vector<double>& values) {
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    return (*most - *least) / median(values);
}

}  // namespace

Trial::Trial(Backend& backend, const Integrator& integrator, double timeStep, const ForceSettings& force,
             const BenchmarkPlan& plan)
    : backend_(backend), integrator_(integrator), timeStep_(timeStep), force_(force), plan_(plan) {
    const std::vector<Term> terms = backend.termsInUse();
    const KernelChoice& choice = terms[plan.ofTerm ? 1 : 0].how;
    const KernelRow& kernel =
        plan.ofTerm ? termKernel(backend.name(), terms[1].what->kind(), choice.kernel) : backend.activeKernel();
    const LaunchConfig launch = plan.ofTerm ? checkedLaunch(kernel, choice.launch) : backend.activeLaunch();
    row_.backend = backend.name();
    row_.device = backend.description();
    row_.kernel = plan.ofTerm ? std::string(kernel.term) + ":" + std::string(kernel.name) : std::string(kernel.name);
    row_.integrator = integrator.name;
    row_.precision = nameOf(gravlab::backend(row_.backend).exact ? Precision::fp64 : force.precision);
    row_.bodies = backend.size();
    row_.block = kernel.blocks.last == 1 ? 1 : launch.block;
    row_.unroll = kernel.unrolls.empty() ? 1 : launch.unroll;
    row_.trap = kernel.trap;
    row_.bodiesPerThread = kernel.bodiesPerThread.empty() ? 1 : launch.bodiesPerThread;
    row_.split = kernel.splits.last == 1 ? 1 : launch.split;
    row_.threads = backend.launchFacts().cpuThreads;
    if (const double slots = slotsPerDirectedPair(kernel, force.precision); slots > 0 && !plan.ofTerm)
        row_.boundPerSecond = backend.issueSlotsPerSecond() / slots;

    const std::size_t samples = plan.checkBodies > 0 ? plan.checkBodies : kSamples;
    const KernelRow& row = backend.activeKernel();
    if (row.approximates) {
        targets_ = randomTargets(row_.bodies, samples);
    } else {
        ParticleSet bodies = backend.bodies();
        targets_ = sampleTargets(bodies.position, samples);
        for (std::size_t k = 1; k < terms.size(); ++k)
            for (const std::uint32_t target : terms[k].what->checkTargets(termBodies(bodies), samples))
                targets_.push_back(target);
        std::ranges::sort(targets_);
        targets_.erase(std::unique(targets_.begin(), targets_.end()), targets_.end());
    }
    row_.allowed = keptAccuracy(kernel, force, choice.allowedError, choice.opening);
}

bool Trial::advance(double seconds) {
    const double until = hostClock() + seconds;
    do {
        runPhase(std::clamp(until - hostClock(), kShortestCall, kLongestCall));
    } while (phase_ != Phase::done && hostClock() < until);
    return finished();
}

void Trial::runPhase(double seconds) {
    switch (phase_) {
        case Phase::checkBefore:
            if (!runChecked(seconds)) break;
            // A step slow enough to be a warm-up by itself is not repeated.
            perStep_ = worked_ / static_cast<double>(std::max<std::int64_t>(stepsDone_, 1));
            phase_ = Phase::warmUp;
            if (worked_ >= plan_.warmUpSeconds) planRepeats();
            worked_ = 0, stepsDone_ = 0;
            break;
        case Phase::warmUp:
            warmUp(seconds);
            break;
        case Phase::repeat:
            repeat(seconds);
            break;
        case Phase::checkAfter:
            if (plan_.checkOnHost ? checkOnHost() : runChecked(seconds)) finish();
            break;
        case Phase::done:
            break;
    }
}

/// Runs steps within this time and returns their number. Waits, so that the host's clock includes the work.
std::int64_t Trial::work(std::int64_t steps, double seconds) {
    const double start = hostClock();
    const AdvanceStatus status =
        backend_.advance(integrator_.program, timeStep_, {.seconds = seconds, .steps = steps}, nullptr);
    backend_.wait();
    worked_ += hostClock() - start;
    stepsDone_ += status.stepsCompleted;
    ofStep_ = std::clamp(status.stepProgress, 0.0, 1.0);
    return status.stepsCompleted;
}

/// Checks the forces that the steps themselves compute. True when they pass.
bool Trial::runChecked(double seconds) {
    if (!enqueued_) {
        backend_.requestForceCheck(targets_);
        enqueued_ = true;
        attempts_ = 0;
    }
    if (work(1, seconds) > 0) ++attempts_;
    const std::optional<ForceCheck> check = backend_.takeForceCheck();
    if (!check && attempts_ < kCheckAttempts) return false;
    enqueued_ = false;
    return take(check);
}

bool Trial::take(const std::optional<ForceCheck>& check) {
    row_.verified = check && check->passed;
    if (check) {
        row_.errorMedian = std::max(row_.errorMedian, check->median);
        row_.errorP999 = std::max(row_.errorP999, check->p999);
        row_.errorP99 = std::max(row_.errorP99, check->p99);
    }
    // Also time kernels that are wrong on purpose, under the protocol of their papers.
    if (row_.verified || !row_.trap.empty()) {
        right_ = right_ && row_.verified;
        return true;
    }
    row_.note = check ? check->text() : "the backend gave no result of the force check";
    phase_ = Phase::done;
    return false;
}

void Trial::warmUp(double seconds) {
    const std::int64_t stepsBefore = stepsDone_;
    const double workedBefore = worked_;
    work(batch_, seconds);
    if (stepsDone_ > stepsBefore) {
        perStep_ = (worked_ - workedBefore) / static_cast<double>(stepsDone_ - stepsBefore);
        batch_ = std::min<std::int64_t>(2 * batch_, 1024);
    }
    if (worked_ < plan_.warmUpSeconds || stepsDone_ == 0) return;
    // The slices of a frame loop cut steps; the mean of all steps is then the better estimate.
    if (perStep_ > seconds) perStep_ = worked_ / static_cast<double>(stepsDone_);
    planRepeats();
}

void Trial::planRepeats() {
    const double step = std::max(perStep_, 1e-9);
    const auto within = [step](double limit) { return std::clamp<std::int64_t>(std::llround(limit / step), 1, kMostSteps); };
    row_.steps = plan_.steps > 0 ? plan_.steps : within(plan_.repetitionSeconds);
    row_.repeats = plan_.repeats;
    if (plan_.mostSeconds > 0) {
        row_.steps = std::min(row_.steps, within(plan_.mostSeconds));
        const double whole = step * static_cast<double>(row_.steps);
        row_.repeats = std::clamp(static_cast<int>(kRepeatsOfMost * plan_.mostSeconds / whole), 1, plan_.repeats);
    }
    phase_ = Phase::repeat;
    worked_ = 0, stepsDone_ = 0;
    before_ = backend_.totals();
}

/// Interactions of the steps of a repetition; `counted` were reported during it. A tree on a device reports only now and
/// then, possibly not within a short repetition; the known interactions per body then replace it.
double Trial::interactionsOf(double counted) const {
    if (!backend_.activeKernel().approximates || inBlocks(integrator_.program)) return counted;
    double perBody = 0;
    for (const MethodFigure& figure : backend_.figures())
        if (figure.name == "bodies a body" || figure.name == "cells a body" || figure.name == "expanded a body")
            perBody += figure.value;
    const double forces = static_cast<double>(stepsDone_) * std::max(1, forcesPerStep(integrator_.program));
    return perBody > 0 ? perBody * static_cast<double>(row_.bodies) * forces : counted;
}

void Trial::repeat(double seconds) {
    work(row_.steps - stepsDone_, seconds);
    if (stepsDone_ < row_.steps) return;
    const WorkTotals after = backend_.totals();
    const double forces = plan_.ofTerm ? after.termSeconds - before_.termSeconds : after.forceSeconds - before_.forceSeconds;
    const double interactions = plan_.ofTerm ? after.termInteractions - before_.termInteractions
                                             : interactionsOf(after.evaluated() - before_.evaluated());
    rates_.push_back(interactions / (forces > 0 ? forces : worked_));
    stepRates_.push_back(interactions / worked_);
    // The slice may have computed a fraction of the next step: count steps by the computed pairs.
    const double worth = !plan_.ofTerm && everyPair(backend_.activeKernel()) && !inBlocks(integrator_.program)
                             ? interactions / (backend_.pairsOfForce() * std::max(1, forcesPerStep(integrator_.program)))
                             : static_cast<double>(stepsDone_);
    milliseconds_.push_back(worked_ * 1e3 / (worth > 0 ? worth : static_cast<double>(stepsDone_)));
    before_ = after;
    worked_ = 0, stepsDone_ = 0;
    if (static_cast<int>(rates_.size()) < row_.repeats) return;
    row_.clock = backend_.launchFacts().clockNow;
    row_.figures = backend_.figures();
    phase_ = Phase::checkAfter;
}

/// Compares the state after the timing with fp64 on the host, which shares no code with the device.
bool Trial::checkOnHost() {
    ParticleSet bodies;
    const std::size_t each =
        plan_.checkBodies > 0 ? 1 : std::max<std::size_t>(1, targets_.size() / samplesOnHost(row_.bodies));
    std::vector<std::uint32_t> targets;
    for (std::size_t k = 0; k < targets_.size(); k += each) targets.push_back(targets_[k]);
    std::vector<Double4> all, got, want(targets.size());
    std::vector<double> floors(targets.size());
    backend_.snapshot(bodies);
    backend_.accelerations(all);
    for (const std::uint32_t target : targets) got.push_back(all.at(target));
    const KernelChoice& choice = backend_.configuration().kernel;
    ForceGate gate = gateOf(backend_.activeKernel(), force_, choice.allowedError, choice.opening);
    if (plan_.ofTerm) {
        const Term term = backend_.termsInUse()[1];
        gate = looser(gate, gateOf(termKernel(backend_.name(), term.what->kind(), term.how.kernel), force_));
    }
    sharedReference(bodies, targets, force_, want, floors, leastShare(gate));
    for (const auto& term : othersOf(backend_.terms()))
        term->addTruth(termBodies(bodies), targets, want, floors, leastShare(gate));
    return take(compareForces(got, want, gate, floors));
}

void Trial::finish() {
    phase_ = Phase::done;
    const double rate = median(rates_), stepRate = median(stepRates_), bound = row_.boundPerSecond;
    const double highest = std::max(rate, stepRate);
    if (!row_.trap.empty()) {
        row_.verified = false;
        row_.struckRate = rate;
        const std::string failure = backend_.launchFacts().failure;
        row_.note = struckText(row_) + (right_ ? "; this time its forces happened to be right" : "; its forces are wrong") +
                    (failure.empty() ? "" : "; " + failure);
        return;
    }
    if (!(rate > 0 && stepRate > 0) || !std::isfinite(highest)) {
        row_.verified = false;
        row_.note = "the repetitions were too short to count their interactions; use more --steps";
        return;
    }
    if (bound > 0 && highest > kBoundSlack * bound) {
        row_.verified = false;
        row_.note = formatted("measured %.4g interactions/s, but this device cannot issue more than %.4g", highest, bound);
        return;
    }
    row_.interactionsPerSecond = rate;
    row_.spread = spreadOf(rates_);
    row_.stepInteractionsPerSecond = stepRate;
    row_.stepSpread = spreadOf(stepRates_);
    row_.gflops = plan_.ofTerm ? 0 : rate * kFlopsPerPair * 1e-9;
    row_.msPerStep = median(milliseconds_);
}

double Trial::progress() const {
    // Each check is one or two steps, possibly the longest stage, so it counts as one repetition.
    const double check = plan_.repetitionSeconds, warm = plan_.warmUpSeconds;
    const int repeats = row_.repeats > 0 ? row_.repeats : plan_.repeats;
    const double total = check + warm + (repeats + 1) * plan_.repetitionSeconds;
    const double steps = static_cast<double>(stepsDone_) + ofStep_;
    const double inRepeat = row_.steps > 0 ? std::min(steps / static_cast<double>(row_.steps), 1.0) : 0;
    switch (phase_) {
        case Phase::checkBefore:
            return std::min(steps / kCheckAttempts, 1.0) * check / total;
        case Phase::warmUp:
            return (check + std::min(worked_, warm)) / total;
        case Phase::repeat:
            return (check + warm + (static_cast<double>(rates_.size()) + inRepeat) * plan_.repetitionSeconds) / total;
        case Phase::checkAfter:
            return 1 - plan_.repetitionSeconds / total;
        case Phase::done:
            break;
    }
    return 1;
}

BenchmarkRow timeKernel(Backend& backend, const Integrator& integrator, double timeStep, const ForceSettings& force,
                        const BenchmarkPlan& plan) {
    Trial trial(backend, integrator, timeStep, force, plan);
    while (!trial.advance(kLongestCall)) InterruptWatch::check();
    return trial.row();
}

void spreadMasses(ParticleSet& bodies) {
    for (std::size_t i = 0; i < bodies.size(); ++i) bodies.position[i].w *= Random(1, i).uniform(0.5, 1.5);
}

}  // namespace gravlab
