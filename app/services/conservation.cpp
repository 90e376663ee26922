#include "app/services/conservation.h"

#include "app/runs/run_host.h"
#include "app/tables/format.h"
#include "app/tables/unit_text.h"
#include "sim/core/round_number.h"
#include "sim/forces/law.h"
#include "sim/forces/law_numbers.h"
#include "sim/measure/pair_sum.h"

#include <cmath>
#include <limits>
#include <utility>

namespace gravlab {
namespace {

constexpr double kSampleInterval = 0.2;  // [s] between samples at least
constexpr double kAfterFailure = 5;      // [s]
// Largest fraction of a core for sums on the host, and for the first ones: a curve begins within seconds.
constexpr double kShareOfACore = 0.05, kFirstShare = 0.25;
constexpr std::size_t kFirstPoints = 4;
constexpr double kShareOfADevice = 0.02;   // and largest fraction of a device's time
constexpr double kIdleSlice = 8e-3;        // [s] slice on a device that is otherwise idle
constexpr std::size_t kMostPoints = 2048;  // beyond this every second point is dropped

double ratio(double part, double whole) { return whole > 0 ? part / whole : part; }
double scaleOf(const Diagnostics& start) { return start.balance() != 0 ? std::abs(start.balance()) : start.kinetic; }

}  // namespace

PairSummation watchedPairs(const RunConfiguration& configuration) {
    const ForceSettings& force = configuration.force;
    if (PairSummation own = pairSummation(configuration)) return own;
    const bool single = force.precision != Precision::fp64 && !backend(configuration.backend).exact && singleEnergy(force);
    return single && configuration.bodies > ConservationMonitor::kMostInDouble ? PairSummation(pairsInSingle)
                                                                               : PairSummation();
}

double virialOf(const Diagnostics& found, const RunConfiguration& of) {
    return of.others().empty() ? found.virialRatio() : std::numeric_limits<double>::quiet_NaN();
}

ConservationMonitor::ConservationMonitor()
    : summing_({.interval = kSampleInterval, .shareOfACore = kShareOfACore},
               [](const auto& state, SameQuestion, const auto&) {
                   // One thread: the backend needs the other cores.
                   return Sample{{state->step(), state->time(), state->state.contacts.lost},
                                 measureSystem(state->state.bodies, termsOf(state->force, state->state.others), 1,
                                               watchedPairs(state->configuration))};
               }) {}

std::optional<double> measuredDrift(std::span<const VirialState> start, std::span<const ConservationPoint> points) {
    if (start.size() != 1 || points.empty()) return std::nullopt;
    const ConservationPoint& first = points.front();
    const double radius = first.shape.lagrangianRadii[1];
    const auto after = std::find_if(points.begin(), points.end(), [&](const ConservationPoint& point) {
        return std::abs(point.time - first.time) >= start.front().dynamicalTime;
    });
    if (after == points.end() || !(radius > 0)) return std::nullopt;
    return after->shape.lagrangianRadii[1] / radius - 1;
}

/// Notices a new run and changed parameters.
void ConservationMonitor::notice(const Simulation& simulation) {
    const RunConfiguration& now = simulation.configuration();
    if (std::exchange(revision_, simulation.revision()) == simulation.revision() && run_ == simulation.bodiesId()) return;
    if (std::exchange(run_, simulation.bodiesId()) != simulation.bodiesId()) {
        constexpr std::size_t kMostLeft = 16;
        const bool another = !curve_.isOf(simulation.runId());
        std::vector<std::uint64_t> runs = another ? std::vector{simulation.runId()} : curve_.runs;
        if (another) left_.push_back(std::move(curve_));
        if (left_.size() > kMostLeft) left_.pop_front();
        curve_ = {.runs = std::move(runs)};
        rebase_ = false;
        watchedStep_ = -1;
        forgetUnderWay();
        nextAt_ = 0;
    } else {
        const auto mark = [&](bool changed, const std::string& what, bool rebases = false) {
            if (changed) curve_.marks.push_back({simulation.time(), what, simulation.step(), rebases});
            return changed;
        };
        mark(now.timeStep != followed_.timeStep, "dt " + formatted("%.4g", now.timeStep));
        mark(now.integrator != followed_.integrator, now.integrator);
        mark(now.force.precision != followed_.force.precision, "precision");
        mark(now.backend != followed_.backend, now.backend);
        rebase_ |= mark(now.pairs().accuracy != followed_.pairs().accuracy,
                        now.pairs().accuracy > 0 ? formatted("accuracy %.0e", now.pairs().accuracy) : "every pair", true);
        rebase_ |= mark(now.force.softening != followed_.force.softening,
                        "softening " + formatted("%.3g", now.force.softening), true);
        rebase_ |= mark(now.force.law != followed_.force.law, "law", true);
        for (const LawNumber& row : lawNumbers())
            if (row.acts(now.force.law) || now.force.law != followed_.force.law)
                rebase_ |= mark(now.force.*row.force != followed_.force.*row.force,
                                row.option.substr(2) + formatted(" %.3g", now.force.*row.force), true);
        rebase_ |= mark(now.fields != followed_.fields, "fields", true);
        if (rebase_) forgetUnderWay();  // it uses the former definition of energy
        // A slider leaves one mark, not one per pixel.
        while (curve_.marks.size() > 1 && curve_.marks[curve_.marks.size() - 2].time == curve_.marks.back().time &&
               curve_.marks[curve_.marks.size() - 2].what.substr(0, 3) == curve_.marks.back().what.substr(0, 3))
            curve_.marks.erase(curve_.marks.end() - 2);
        constexpr std::size_t kMostMarks = 64;
        while (curve_.marks.size() > kMostMarks) curve_.marks.pop_front();
    }
    followed_ = now;
}

void ConservationMonitor::forgetUnderWay() {
    pending_.reset();
    summing_.forget();
    lastStep_ = -1;
}

void ConservationMonitor::jump(const Simulation& simulation) {
    const std::int64_t step = simulation.step();
    const RunConfiguration& now = simulation.configuration();
    if (run_ == 0 || (followed_.bodies != now.bodies && !now.contact.acts())) return;  // edited bodies have another energy
    forgetUnderWay();
    if (!curve_.isOf(simulation.runId())) curve_.runs.push_back(simulation.runId());
    std::erase_if(curve_.points, [&](const ConservationPoint& point) { return point.step > step; });
    for (; !curve_.marks.empty() && curve_.marks.back().step > step; curve_.marks.pop_back())
        rebase_ |= curve_.marks.back().rebases;
    curve_.worst = 0;
    watchedStep_ = -1;
    for (const ConservationPoint& point : curve_.points) worsen(point.change);
    followed_ = simulation.configuration();
    run_ = simulation.bodiesId();
    revision_ = simulation.revision();
    nextAt_ = 0;
}

double ConservationMonitor::changeOf(const Diagnostics& found) const {
    return ratio(found.balance() - curve_.reference->balance(), scaleOf(*curve_.reference)) + curve_.offset;
}

void ConservationMonitor::worsen(double change) {
    curve_.worst = std::isfinite(change) ? std::max(curve_.worst, std::abs(change)) : INFINITY;
}

void ConservationMonitor::watchStep(Simulation& simulation) {
    notice(simulation);
    const std::int64_t step = simulation.step();
    if (std::exchange(watchedStep_, step) == step && curve_.reference && !rebase_) return;
    ParticleSet bodies = simulation.bodies();
    Sample sample{{step, simulation.time(), simulation.contacts().lost},
                  measureSystem(bodies, simulation.terms(), 1, watchedPairs(simulation.configuration()))};
    if (!curve_.reference || rebase_) return take(sample);
    sample.measured.lost = sample.at.lost;
    worsen(changeOf(sample.measured));
}

void ConservationMonitor::take(const Sample& sample) {
    Diagnostics found = sample.measured;
    found.lost = sample.at.lost;
    if (!curve_.reference) {
        curve_.reference = found;
        curve_.spinScale = std::max(found.angularMomentumScale, exactLength(found.angularMomentum));
    }
    ConservationPoint point{.step = sample.at.step, .time = sample.at.time};
    point.virial = virialOf(found, followed_);
    point.shape = found.shape;
    point.change = changeOf(found);
    point.floor = ratio(found.potentialError * std::abs(found.potential), scaleOf(*curve_.reference));
    if (rebase_ && !curve_.points.empty()) {
        // Another definition of energy: the error so far is kept, and later errors add to it.
        curve_.offset += curve_.points.back().change - point.change;
        point.change = curve_.points.back().change;
    }
    rebase_ = false;
    const double speed = std::sqrt(2 * curve_.reference->kinetic * std::max(curve_.reference->mass, 0.0));
    point.momentum = ratio(distance(found.momentum, curve_.reference->momentum), speed);
    point.spin = ratio(distance(found.angularMomentum, curve_.reference->angularMomentum), curve_.spinScale);
    worsen(point.change);
    curve_.points.push_back(point);
    if (curve_.points.size() <= kMostPoints) return;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < curve_.points.size(); i += 2) curve_.points[kept++] = curve_.points[i];
    curve_.points.resize(kept);
}

void ConservationMonitor::measureOnDevice(Simulation& simulation, double now, double passed) {
    Backend& backend = simulation.backend();
    if (pending_ && !backend.measuring()) {  // the bodies or their precision changed during the measurement
        pending_.reset();
        lastStep_ = -1;
    }
    if (!pending_) {
        if (now < nextAt_ || simulation.step() == lastStep_) return;
        nextAt_ = now + kSampleInterval;
        lastStep_ = simulation.step();
        pending_ = {simulation.step(), simulation.time(), simulation.contacts().lost};
        backend.requestMeasurement();
        return;
    }
    const double slice = simulation.step() == pending_->step ? kIdleSlice : std::max(1e-4, kShareOfADevice * passed);
    const std::optional<Diagnostics> done = backend.takeMeasurement(slice);
    if (!done) return;
    const Moment at = *std::exchange(pending_, std::nullopt);
    if (done->failure.empty()) {
        why_.clear();
        take({at, *done});
        return;
    }
    why_ = "The energy could not be measured: " + done->failure;
    nextAt_ = now + kAfterFailure;
    lastStep_ = -1;
}

void ConservationMonitor::update(Simulation& simulation, StateFeed& feed, double now) {
    notice(simulation);
    const double passed = std::clamp(now - std::exchange(lookedAt_, now), 0.0, 0.1);
    const std::size_t onDevice = simulation.backend().mostMeasured();
    const std::size_t onHost = pairSummation(simulation.configuration())  ? kMostByTree
                               : watchedPairs(simulation.configuration()) ? kMostInSingle
                                                                          : kMostBodies;
    const std::size_t most = onDevice > 0 ? onDevice : onHost;
    const auto bodies = static_cast<double>(most);
    // Where few bodies have mass, the host sums few pairs of many bodies.
    const bool few = simulation.configuration().bodies <= most ||
                     (onDevice == 0 && simulation.backend().pairsOfForce() <= bodies * bodies);
    constexpr SameQuestion kEnergy;
    summing_.pace().shareOfACore = curve_.points.size() < kFirstPoints ? kFirstShare : kShareOfACore;
    const std::optional<Sample> sample = summing_.update({simulation, feed, now}, few && onDevice == 0 ? &kEnergy : nullptr);
    if (!few) {
        why_ = "More than " + std::string(grouped(most).text) + " bodies: one sum over all their pairs would take minutes " +
               "beside the picture. gravlab run --csv does it.";
    } else if (onDevice > 0) {
        measureOnDevice(simulation, now, passed);
    } else {
        why_.clear();
        pending_.reset();
        if (sample) take(*sample);
    }
}

void ConservationMonitor::follow(const RunHost& runs) {
    if (std::exchange(jumps_, runs.jumps()) == runs.jumps()) return;
    if (const std::uint64_t ended = runs.returnedTo(); ended != 0 && !curve_.isOf(ended)) {
        const auto known = std::ranges::find_if(left_, [&](const Curve& curve) { return curve.isOf(ended); });
        if (known == left_.end()) return;  // that curve is gone, and another one begins
        curve_ = std::move(*known);
        left_.erase(known);
        followed_ = runs.simulation().configuration();
        rebase_ = false;
    }
    jump(runs.simulation());
}

void ConservationMonitor::advance(const ServiceFrame& frame) {
    if (frame.realTime) update(frame.runs.simulation(), frame.runs.first().feed(), frame.now);
}

void ConservationMonitor::readFacts(RunFacts& facts) const {
    facts.energyChange = curve_.worst;
    facts.virial = facts.halfMassRadius = facts.energyTime = std::nullopt;
    facts.energyComes = why_.empty();
    if (curve_.points.empty()) return;
    facts.energyTime = curve_.points.back().time;
    if (std::isfinite(curve_.points.back().virial)) facts.virial = curve_.points.back().virial;
    facts.halfMassRadius = curve_.points.back().shape.lagrangianRadii[1];
}

std::string ConservationMonitor::advice(const RunConfiguration& now, const Integrator& integrator,
                                        const SceneUnits& units) const {
    if (curve_.points.empty() || !(curve_.worst > kDoubtfulChange)) return {};
    if (!keepsEnergy(now))
        return "A force of this run changes the energy: a drag, a bond that breaks, or a field that moves.";
    if (!std::isfinite(curve_.worst)) return "The energy is no number any more: start again with a smaller time step.";
    // The error scales with dt to the power of the order; aim below the limit. Reduce dt by at most a hundredfold at once.
    const double aim = std::pow(0.3 * kDoubtfulChange / curve_.worst, 1.0 / std::max(1, integrator.order));
    const ShownUnit time = unitOfTime(now.timeStep, units);
    const auto named = [](bool known, std::string_view unit) { return known ? " " + std::string(unit) : std::string(); };
    const double step = roundDown(std::abs(now.timeStep) * std::clamp(aim, 0.01, 0.5) * time.scale);
    std::string text = "Try dt " + formatted("%.3g", step) + named(!units.time.empty(), time.name);
    const LawRow& row = lawRow(now.force.law);
    if (row.softened) {
        const double closest = curve_.points.back().shape.closest;
        text += " or softening " +
                formatted("%.2g", units.lengthScale *
                                      std::max({2 * now.force.softening, roundDown(std::max(closest, 1e-6)), 1e-3})) +
                named(!units.length.empty(), units.length);
    }
    if (!integrator.symplectic && integrator.order < 15) text += "; leapfrog keeps it bounded";
    if (integrator.order < 15 && now.bodies <= kSmallSystem) text += "; radau15 follows close encounters by itself";
    return text + ".";
}

}  // namespace gravlab
