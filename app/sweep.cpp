// The sweep engine. Rule: every exit of a point leaves either a loaded backend or none.
#include "app/sweep.h"

#include "app/benchmark_text.h"
#include "sim/error.h"
#include "sim/scenario.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <new>

namespace gravlab {
namespace {

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

bool isInterrupt(const Error& error) { return static_cast<int>(error.code()) >= 128; }

}  // namespace

Sweep::Sweep(std::vector<SweepPoint> points, SweepSettings settings, Maker make)
    : points_(std::move(points)), settings_(std::move(settings)), make_(std::move(make)), total_(points_.size()) {
    scenario(settings_.scene);
    integrator(settings_.integrator);
    if (!make_)
        make_ = [](const std::string& name, const BackendOptions& options) {
            return chooseBackend(name, options).row->make(options);
        };
}

Sweep::~Sweep() = default;

void Sweep::dropBackend() {
    trial_.reset();
    backend_.reset();
    loadedBodies_ = 0;
}

/// Brings the next point's backend, bodies and launch together.
void Sweep::begin() {
    const SweepPoint& point = points_[next_];
    const Scenario& scene = scenario(settings_.scene);
    if (!backend_ || madeName_ != point.backend || madeOptions_ != point.options) {
        dropBackend();
        backend_ = make_(point.backend, point.options);
        madeName_ = point.backend;
        madeOptions_ = point.options;
    }
    if (const Reason reason = refusal(gravlab::backend(point.backend), integrator(settings_.integrator), point.bodies);
        !reason.empty())
        throw UsageError(reason);
    if (start_.size() != point.bodies) {
        start_ = scene.build({.bodies = point.bodies, .seed = settings_.seed});
        if (settings_.unequalMasses) spreadMasses(start_);
    }
    const ForceSettings force{.law = scene.law,
                              .precision = settings_.precision,
                              .softening = settings_.softening >= 0 ? settings_.softening : scene.softening,
                              .exponent = scene.exponent};
    // Bodies that have moved on would make later points of a sweep differ from earlier ones.
    backend_->configure(force, {});
    backend_->load(start_);
    loadedBodies_ = start_.size();
    configureTuned(*backend_, force, point.kernel, settings_.tuning.get());
    trial_.emplace(*backend_, integrator(settings_.integrator),
                   settings_.timeStep != 0 ? settings_.timeStep : scene.timeStep, force, point.plan);
}

bool Sweep::advance(double seconds) {
    const double until = now() + seconds;
    do {
        if (finished()) break;
        try {
            if (!trial_) begin();
            if (trial_->advance(until - now())) store(trial_->row(), false);
        } catch (const UsageError& error) {
            fail(error.what(), true);
        } catch (const Error& error) {
            if (isInterrupt(error)) throw;
            fail(error.what(), false);
            dropBackend();
        } catch (const std::bad_alloc&) {
            fail("not enough memory", false);
            dropBackend();
        }
    } while (now() < until);
    if (finished()) dropBackend();
    return !finished();
}

void Sweep::store(BenchmarkRow row, bool refused) {
    SweepResult result{.point = points_[next_], .row = std::move(row), .facts = {}, .refused = refused};
    if (!refused && backend_) result.facts = backend_->launchFacts();
    results_.push_back(std::move(result));
    trial_.reset();
    ++next_;
}

void Sweep::fail(const std::string& note, bool refused) {
    const SweepPoint& point = points_[next_];
    const LaunchConfig& launch = point.kernel.launch;
    BenchmarkRow row;
    row.backend = point.backend;
    row.kernel = point.kernel.kernel;
    row.bodies = point.bodies;
    row.block = launch.block;
    row.unroll = launch.unroll;
    row.bodiesPerThread = launch.bodiesPerThread;
    row.split = launch.split;
    row.note = note;
    store(std::move(row), refused);
}

void Sweep::cancel() {
    if (finished()) return;
    cancelled_ = true;
    dropBackend();
    next_ = points_.size();
}

double Sweep::progress() const {
    if (total_ == 0 || finished()) return 1;
    return (static_cast<double>(next_) + (trial_ ? trial_->progress() : 0)) / static_cast<double>(total_);
}

const SweepResult* bestOf(std::span<const SweepResult> results) {
    const SweepResult* best = nullptr;
    for (const SweepResult& result : results)
        if (result.row.verified && (!best || result.row.stepInteractionsPerSecond > best->row.stepInteractionsPerSecond))
            best = &result;
    return best;
}

bool isExtrapolated(const SweepResult& result) { return result.row.verified && result.point.plan.steps > result.row.steps; }

std::string sweepCsv(std::span<const SweepResult> results) {
    std::string text = "series,x,extrapolated," + benchmarkCsvHead() +
                       ",threads,multiprocessors,blocks,waves,last_wave,occupancy,registers,shared_bytes\n";
    const auto number = [](double value) {
        char digits[40] = "";
        if (value > 0) std::snprintf(digits, sizeof digits, "%.10g", value);
        return std::string(digits);
    };
    for (const SweepResult& result : results) {
        const LaunchFacts& facts = result.facts;
        text += csvCell(result.point.series) + "," + number(result.point.x) + "," +
                (isExtrapolated(result) ? "true" : "false") + "," + benchmarkCsvLine(result.row);
        for (const double value : {static_cast<double>(facts.cpuThreads), static_cast<double>(facts.multiprocessors),
                                   static_cast<double>(facts.blocks()), facts.waves(), facts.lastWave(), facts.occupancy(),
                                   static_cast<double>(facts.registers), static_cast<double>(facts.sharedBytes)})
            text += "," + number(value);
        text += "\n";
    }
    return text;
}

}  // namespace gravlab
