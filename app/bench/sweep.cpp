// The sweep engine. Rule: after every point, successful or not, there is a loaded backend or none.
#include "app/bench/sweep.h"

#include "app/bench/benchmark_text.h"
#include "app/bench/term_bench.h"
#include "app/system/file_names.h"
#include "app/system/host_clock.h"
#include "app/system/interrupt.h"
#include "app/system/progress.h"
#include "app/tables/format.h"
#include "sim/api/errors.h"
#include "sim/forces/law_numbers.h"
#include "sim/integrators/integrator.h"
#include "sim/scenes/scene.h"

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <new>
#include <optional>
#include <utility>

namespace gravlab {

// Prepares backend, bodies and launch of a point.

SweepSettings sweepSettings(const RunRequest& request) {
    return {.scene = request.scene,
            .seed = request.seed,
            .integrator = request.integrator.value_or(std::string(usualIntegrator().name)),
            .precision = request.precision.value_or(Precision::fp32),
            .timeStep = request.timeStep,
            .softening = request.softening,
            .tuning = request.tuning};
}

void SweepBench::drop() {
    trial.reset();
    backend.reset();
}

void prepare(SweepBench& bench, const SweepPoint& point, const SweepSettings& settings, const BackendMaker& make) {
    const Scene& scene = sceneNamed(settings.scene);
    if (!bench.backend || bench.name != point.backend || bench.options != point.options) {
        bench.drop();
        bench.backend = make(point.backend, point.options);
        bench.name = point.backend;
        bench.options = point.options;
    }
    if (const Reason reason = refusal(backend(point.backend), integrator(settings.integrator), point.bodies);
        !reason.empty())
        throw UsageError(reason);
    if (point.term != kPairLawTerm) {
        bench.start = {};
        TermStudy study = termStudy({.scene = settings.scene,
                                     .seed = settings.seed,
                                     .timeStep = settings.timeStep,
                                     .softening = settings.softening,
                                     .precision = settings.precision},
                                    point.term, point.bodies);
        const Integrator& steps = loadTerm(*bench.backend, study, point.kernel, integrator(settings.integrator));
        BenchmarkPlan plan = point.plan;
        plan.ofTerm = true;
        bench.trial = std::make_unique<Trial>(*bench.backend, steps, study.timeStep, study.force, plan);
        return;
    }
    if (bench.start.size() != point.bodies) {
        bench.start = {};
        bench.start = scene.build({.bodies = point.bodies, .seed = settings.seed});
        if (settings.unequalMasses) spreadMasses(bench.start);
    }
    ForceSettings force{
        .law = scene.law, .precision = settings.precision, .softening = settings.softening.value_or(scene.softening)};
    takeLawNumbers(force, {}, scene);
    bench.backend->load(bench.start, {force, {}});
    configureTuned(*bench.backend, force, point.kernel, settings.tuning.get());
    bench.trial = std::make_unique<Trial>(*bench.backend, integrator(settings.integrator),
                                          settings.timeStep.value_or(scene.timeStep), force, point.plan);
}

Preparation::Preparation(SweepBench bench, SweepPoint point, SweepSettings settings, BackendMaker make)
    : worker_([point = std::move(point), settings = std::move(settings), make = std::move(make)](SweepBench from, auto&) {
          Prepared prepared{.bench = std::move(from)};
          try {
              prepare(prepared.bench, point, settings, make);
          } catch (...) {
              prepared.error = std::current_exception();
          }
          return prepared;
      }) {
    worker_.ask(std::move(bench));
}

SweepBench Preparation::take(std::exception_ptr& error) {
    worker_.wait();
    std::optional<Prepared> prepared = worker_.poll();
    error = prepared->error;
    return std::move(prepared->bench);
}

SweepResult notMeasured(const SweepPoint& point, std::string note, bool refused) {
    const LaunchConfig& launch = point.kernel.launch;
    return {.point = point,
            .row = {.backend = point.backend,
                    .kernel = nameOf(point.kernel),
                    .bodies = point.bodies,
                    .block = launch.block,
                    .unroll = launch.unroll,
                    .bodiesPerThread = launch.bodiesPerThread,
                    .split = launch.split,
                    .note = std::move(note)},
            .facts = {},
            .peaks = {},
            .refused = refused};
}

namespace {

bool isInterrupt(const Error& error) { return static_cast<int>(error.code()) >= 128; }

}  // namespace

Sweep::Sweep(std::vector<SweepPoint> points, SweepSettings settings, Maker make)
    : points_(std::move(points)), settings_(std::move(settings)), make_(std::move(make)), total_(points_.size()) {
    sceneNamed(settings_.scene);
    integrator(settings_.integrator);
    if (!make_)
        make_ = [](const std::string& name, const BackendOptions& options) {
            return chooseBackend(name, options).row->make(options);
        };
}

Sweep::~Sweep() = default;

/// Begins to prepare the next point, and starts it when it is ready. Waits a little, because most points are ready at once.
bool Sweep::begin(double seconds) {
    constexpr double kPatience = 2e-3;  // [s]
    if (!preparation_)
        preparation_ = std::make_unique<Preparation>(std::exchange(bench_, {}), points_[next_], settings_, make_);
    if (!preparation_->ready(std::clamp(seconds, 0.0, kPatience))) return false;
    std::exception_ptr error;
    bench_ = preparation_->take(error);
    preparation_.reset();
    if (error) std::rethrow_exception(error);
    return true;
}

bool Sweep::advance(double seconds) {
    const double until = hostClock() + seconds;
    do {
        if (finished()) break;
        try {
            if (!bench_.trial && !begin(until - hostClock())) break;
            if (bench_.trial->advance(until - hostClock()))
                store({.point = points_[next_], .row = bench_.trial->row(), .facts = {}, .peaks = {}});
        } catch (const UsageError& error) {
            fail(error.what(), true);
        } catch (const Error& error) {
            if (isInterrupt(error)) throw;
            fail(error.what(), false);
            bench_.drop();
        } catch (const std::bad_alloc&) {
            fail("not enough memory", false);
            bench_.drop();
        }
    } while (hostClock() < until);
    if (finished()) bench_.drop();
    return !finished();
}

void Sweep::store(SweepResult result) {
    if (!result.refused && bench_.backend) {
        result.facts = bench_.backend->launchFacts();
        if (result.point.peaks) result.peaks = bench_.backend->peaks();
    }
    results_.push_back(std::move(result));
    bench_.trial.reset();
    ++next_;
}

void Sweep::fail(const std::string& note, bool refused) { store(notMeasured(points_[next_], note, refused)); }

void Sweep::cancel() {
    if (finished()) return;
    cancelled_ = true;
    preparation_.reset();
    bench_.drop();
    next_ = points_.size();
}

double Sweep::progress() const {
    if (total_ == 0 || finished()) return 1;
    return (static_cast<double>(next_) + (bench_.trial ? bench_.trial->progress() : 0)) / static_cast<double>(total_);
}

const SweepResult* bestOf(std::span<const SweepResult> results) {
    const SweepResult* best = nullptr;
    for (const SweepResult& result : results)
        if (result.row.verified && (!best || result.row.stepInteractionsPerSecond > best->row.stepInteractionsPerSecond))
            best = &result;
    return best;
}

bool isExtrapolated(const SweepResult& result) { return result.row.verified && result.point.plan.steps > result.row.steps; }

std::string sweepCsv(std::span<const SweepResult> results, std::span<const SweepColumn> more) {
    std::string text = "series,x,extrapolated," + benchmarkCsvHead() +
                       ",multiprocessors,blocks,waves,last_wave,occupancy,registers,shared_bytes,processor";
    for (const SweepColumn& column : more) text += "," + std::string(column.name);
    text += ",driver,date\n";
    const auto number = [](double value) {
        char digits[40] = "";
        if (value != 0) std::snprintf(digits, sizeof digits, "%.10g", value);
        return std::string(digits);
    };
    const std::string today = dateOfToday();
    for (const SweepResult& result : results) {
        const LaunchFacts& facts = result.facts;
        text += csvCell(result.point.series) + "," + number(result.point.x) + "," +
                (isExtrapolated(result) ? "true" : "false") + "," + benchmarkCsvLine(result.row);
        for (const double value : {static_cast<double>(facts.multiprocessors), static_cast<double>(facts.blocks()),
                                   facts.waves(), facts.lastWave(), facts.occupancy(), static_cast<double>(facts.registers),
                                   static_cast<double>(facts.sharedBytes)})
            text += "," + number(value);
        // A GPU has its name among its numbers; a processor is described by its instruction set and threads.
        const std::string name = facts.device.substr(0, facts.device.find(','));
        text += "," + csvCell(result.row.device.find(name) == std::string::npos ? name : std::string());
        for (const SweepColumn& column : more) text += "," + number(column.value(results, result));
        text += "," + csvCell(facts.driver) + "," + today + "\n";
    }
    return text;
}

std::string dateOfToday() { return timeText(std::time(nullptr), "%Y-%m-%d", true); }

bool measureAll(Sweep& sweep) {
    ProgressLine progress("point", static_cast<std::int64_t>(sweep.total()), ProgressLine::Where::everyTenth);
    constexpr double kSlice = 0.5;  // [s] between two checks for an interrupt
    while (sweep.advance(kSlice)) {
        InterruptWatch::check();
        progress.show(static_cast<std::int64_t>(sweep.results().size()));
    }
    progress.finish();
    bool right = true, any = false;
    for (const SweepResult& result : sweep.results()) {
        any = any || result.row.verified;
        if (result.row.verified) continue;
        right = right && result.refused;
        notify(
            formatted("%s, N = %zu: left out: %s", result.row.kernel.c_str(), result.row.bodies, result.row.note.c_str()));
    }
    if (!any) throw Error(ExitCode::checkFailed, "no point could be measured; nothing was written");
    return right;
}

}  // namespace gravlab
