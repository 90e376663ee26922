// The rounds of the search.
#include "app/bench/tuner.h"

#include "app/bench/sweep_axis.h"
#include "app/system/built_in.h"
#include "app/system/file_names.h"
#include "app/system/progress.h"
#include "sim/api/errors.h"
#include "sim/backends/backend.h"
#include "sim/core/text.h"
#include "sim/forces/precision.h"
#include "sim/io/file/atomic_file.h"
#include "sim/io/file/source.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>

namespace gravlab {

namespace {

// Clocks stay high from point to point: the first point of a round warms up for all.
constexpr BenchmarkPlan kCoarse{
    .repeats = 2, .warmUpSeconds = 0.02, .repetitionSeconds = 0.03, .checkOnHost = false, .checkBodies = 64};
constexpr BenchmarkPlan kFinal{.repeats = 5, .warmUpSeconds = 0.2, .repetitionSeconds = 0.15, .mostSeconds = 2};
// Fractions of the total time per round, for the progress bar.
constexpr std::array<double, 7> kShares{0.03, 0.55, 0.12, 0.08, 0.05, 0.04, 0.13};
// With more blocks than this per multiprocessor, further splitting gains nothing; with fewer sources than this per split, it
// loses.
constexpr double kMostBlocksEach = 16;
constexpr std::size_t kLeastSources = 32;
// CPU kernels are compared at an N where even the slowest takes little time; kernels below this fraction of the best rate
// drop out.
constexpr std::size_t kCpuProbeBodies = 2048;
constexpr double kWorthTrying = 0.3;
constexpr std::size_t kNearbyOf = 4, kFinalists = 3;

constexpr const char* kLaunchAxes[] = {"block", "unroll", "bodies-per-thread", "split"};

bool sameChoice(const SweepPoint& a, const SweepPoint& b) {
    return a.kernel == b.kernel && a.options == b.options && a.bodies == b.bodies;
}

/// The first values of an axis; the next round searches between them.
struct CoarseValues {
    std::string_view axis;
    std::array<std::size_t, 4> values;
};
constexpr CoarseValues kCoarseValues[] = {
    {"block", {64, 128, 256, 512}}, {"unroll", {4, 8, 16, 16}}, {"split", {1, 4, 16, 64}}};

std::vector<std::size_t> coarse(std::string_view axis, const std::vector<std::size_t>& values) {
    std::vector<std::size_t> some;
    for (const CoarseValues& row : kCoarseValues)
        for (const std::size_t value : values)
            if (row.axis == axis && std::find(row.values.begin(), row.values.end(), value) != row.values.end())
                some.push_back(value);
    return some.empty() ? values : some;
}

std::size_t valueOf(const LaunchConfig& launch, std::string_view axis) {
    const int value = axis == "block"               ? launch.block
                      : axis == "unroll"            ? launch.unroll
                      : axis == "bodies-per-thread" ? launch.bodiesPerThread
                                                    : launch.split;
    return static_cast<std::size_t>(value);
}

}  // namespace

Tuner::Tuner(TuneRequest request, SweepSettings settings, Sweep::Maker make)
    : request_(std::move(request)), settings_(std::move(settings)), make_(std::move(make)) {
    settings_.unequalMasses = true;
    settings_.tuning.reset();  // earlier tuning must not replace the backend's own choice
    for (const std::string& name : request_.kernels)
        if (const KernelRow& row = kernel(request_.backend, name); !row.trap.empty())
            throw UsageError("kernel '" + name + "' cannot be tuned: it is wrong on purpose, and has no rate");
    std::size_t rows = 0;
    bool tunable = backend(request_.backend).usesCores;
    for (const KernelRow& row : kernels()) {
        if (!wanted(row)) continue;
        ++rows;
        for (const char* axis : kLaunchAxes) tunable = tunable || sweepAxis(axis).refuses(row).empty();
    }
    if (rows < 2 && !tunable)
        throw UsageError("there is nothing to tune: the " + request_.backend + " backend has one kernel with one launch");
    beginRound();
}

bool Tuner::wanted(const KernelRow& row) const {
    if (row.backend != request_.backend) return false;
    // If no kernel is named, use deterministic kernels that accept different masses and compute all pairs.
    if (request_.kernels.empty()) return row.deterministic && !row.equalMasses && everyPair(row);
    return std::find(request_.kernels.begin(), request_.kernels.end(), row.name) != request_.kernels.end();
}

SweepPoint Tuner::pointOf(const std::optional<std::string>& kernelName) const {
    SweepPoint point{.backend = request_.backend,
                     .options = request_.options,
                     .bodies = request_.bodies,
                     .kernel = {.kernel = kernelName},
                     .plan = kCoarse};
    return point;
}

bool Tuner::known(const SweepPoint& point, const std::vector<SweepPoint>& also) const {
    return std::any_of(measured_.begin(), measured_.end(),
                       [&](const SweepResult& result) { return sameChoice(result.point, point); }) ||
           std::any_of(also.begin(), also.end(), [&](const SweepPoint& other) { return sameChoice(other, point); });
}

/// The backend's own choice, as the baseline; and on a CPU all kernels at a small N.
std::vector<SweepPoint> Tuner::automaticRound() const {
    std::vector<SweepPoint> points{pointOf({})};
    if (!backend(request_.backend).usesCores) return points;
    for (const KernelRow& row : kernels()) {
        if (!wanted(row)) continue;
        SweepPoint probe = pointOf(std::string(row.name));
        probe.bodies = std::min(request_.bodies, kCpuProbeBodies);
        probe.series = "probe";
        points.push_back(probe);
    }
    return points;
}

/// All combinations of coarse values that fill the device without useless splitting.
void Tuner::addCandidates(std::vector<SweepPoint>& points, const KernelRow& row) const {
    std::vector<SweepPoint> candidates{pointOf(std::string(row.name))};
    candidates.front().kernel.launch = row.usual;
    // When not all combinations are valid, this launch is.
    if (row.usual != LaunchConfig() && !known(candidates.front(), points)) points.push_back(candidates.front());
    for (const char* name : kLaunchAxes) {
        const SweepAxis& axis = sweepAxis(name);
        if (!axis.refuses(row).empty()) continue;
        const std::vector<std::size_t> values = coarse(axis.name, axis.values(row, request_.bodies));
        std::vector<SweepPoint> more;
        for (const SweepPoint& candidate : candidates)
            for (SweepPoint& point : pointsAlong(axis, row, candidate, values)) more.push_back(std::move(point));
        candidates = std::move(more);
    }
    const int multiprocessors = measured_.empty() ? 0 : measured_.front().facts.multiprocessors;
    for (SweepPoint& point : candidates) {
        const LaunchConfig& launch = point.kernel.launch;
        const double targets = static_cast<double>(launch.block) * launch.bodiesPerThread;
        const double blocks = std::ceil(static_cast<double>(request_.bodies) / targets) * launch.split;
        const auto parts = static_cast<std::size_t>(launch.split);
        if (launch.split > 1 && multiprocessors > 0 && blocks > kMostBlocksEach * multiprocessors) continue;
        if (launch.split > 1 && request_.bodies / parts < kLeastSources) continue;
        point.x = 0;
        if (!known(point, points)) points.push_back(std::move(point));
    }
}

std::vector<SweepPoint> Tuner::coarseRound() const {
    std::vector<SweepPoint> points;
    if (!backend(request_.backend).usesCores) {
        for (const KernelRow& row : kernels())
            if (wanted(row)) addCandidates(points, row);
        return points;
    }
    double best = 0;
    for (const SweepResult& result : measured_)
        if (result.point.series == "probe" && result.row.verified)
            best = std::max(best, result.row.stepInteractionsPerSecond);
    for (const SweepResult& result : measured_) {
        if (result.point.series != "probe" || !result.row.verified ||
            result.row.stepInteractionsPerSecond < kWorthTrying * best)
            continue;
        const SweepPoint base = pointOf(result.point.kernel.kernel);
        if (request_.options.threads || result.facts.cpuThreads < 2) {
            if (!known(base, points)) points.push_back(base);
            continue;
        }
        const SweepAxis& threads = sweepAxis("threads");
        for (SweepPoint& point : pointsAlong(threads, kernel(request_.backend, *base.kernel.kernel), base))
            if (!known(point, points)) points.push_back(std::move(point));
    }
    return points;
}

/// One step along each axis from the best points; none when all of these are known, which is a local maximum.
std::vector<SweepPoint> Tuner::nearbyRound() const {
    std::vector<SweepPoint> points;
    for (const SweepResult* result : fastest(kNearbyOf)) {
        const KernelRow& row = kernel(request_.backend, result->row.kernel);
        for (const char* name : kLaunchAxes) {
            const SweepAxis& axis = sweepAxis(name);
            if (!axis.refuses(row).empty()) continue;
            const std::vector<std::size_t> values = axis.values(row, request_.bodies);
            const std::size_t now = valueOf(result->point.kernel.launch, name);
            const auto above = std::upper_bound(values.begin(), values.end(), now);
            const auto below = std::lower_bound(values.begin(), values.end(), now);
            std::vector<std::size_t> next;
            if (above != values.end()) next.push_back(*above);
            if (below != values.begin()) next.push_back(*(below - 1));
            if (next.empty()) continue;
            SweepPoint base = result->point;
            base.plan = kCoarse;
            for (SweepPoint& point : pointsAlong(axis, row, base, next))
                if (!known(point, points)) points.push_back(std::move(point));
        }
    }
    return points;
}

std::vector<SweepPoint> Tuner::finalRound() const {
    std::vector<SweepPoint> points;
    for (const SweepResult* result : fastest(kFinalists)) points.push_back(result->point);
    points.push_back(pointOf({}));
    for (SweepPoint& point : points) {
        point.plan = kFinal;
        point.plan.checkOnHost = request_.checkOnHost;
        point.series.clear();
    }
    return points;
}

/// Named kernels at the requested N, best first, without the backend's own choice.
std::vector<const SweepResult*> Tuner::fastest(std::size_t count) const {
    std::vector<const SweepResult*> best;
    for (const SweepResult& result : measured_)
        if (result.row.verified && result.point.bodies == request_.bodies && result.point.kernel.kernel &&
            result.point.series != "probe")
            best.push_back(&result);
    std::sort(best.begin(), best.end(), [](const SweepResult* a, const SweepResult* b) {
        return a->row.stepInteractionsPerSecond > b->row.stepInteractionsPerSecond;
    });
    if (best.size() > count) best.resize(count);
    return best;
}

void Tuner::beginRound() {
    std::vector<SweepPoint> (Tuner::*const kMakers[kRounds])()
        const = {&Tuner::automaticRound, &Tuner::coarseRound, &Tuner::nearbyRound, &Tuner::nearbyRound,
                 &Tuner::nearbyRound,    &Tuner::nearbyRound, &Tuner::finalRound};
    for (; round_ < kRounds; ++round_) {
        if (round_ == kRounds - 1) finalFirst_ = measured_.size();
        std::vector<SweepPoint> points = (this->*kMakers[round_])();
        if (points.empty()) continue;
        points.front().plan.warmUpSeconds = std::max(points.front().plan.warmUpSeconds, kFinal.warmUpSeconds);
        for (SweepPoint& point : points)
            for (double* seconds : {&point.plan.warmUpSeconds, &point.plan.repetitionSeconds, &point.plan.mostSeconds})
                *seconds *= request_.patience;
        sweep_.emplace(std::move(points), settings_, make_);
        return;
    }
    sweep_.reset();
}

bool Tuner::advance(double seconds) {
    if (finished()) return false;
    if (sweep_->advance(seconds)) return true;
    measured_.insert(measured_.end(), sweep_->results().begin(), sweep_->results().end());
    ++round_;
    beginRound();
    return !finished();
}

void Tuner::cancel() {
    if (finished()) return;
    cancelled_ = true;
    sweep_.reset();
    round_ = kRounds;
}

double Tuner::progress() const {
    double done = 0;
    for (int round = 0; round < round_; ++round) done += kShares[static_cast<std::size_t>(round)];
    return finished() ? 1 : done + kShares[static_cast<std::size_t>(round_)] * sweep_->progress();
}

std::string Tuner::status() const {
    if (cancelled_) return "cancelled";
    if (finished()) return std::to_string(measured_.size()) + " launches measured";
    std::string text = "round " + std::to_string(round_ + 1) + ", point " + std::to_string(sweep_->results().size() + 1) +
                       " of " + std::to_string(sweep_->total());
    if (sweep_->preparing()) text += ", preparing";
    if (const SweepPoint* point = sweep_->current())
        text += ": " + launchSentence(point->backend, point->kernel, point->options.threads);
    return text;
}

const SweepResult* Tuner::best() const {
    if (finished() && !cancelled_ && finalFirst_ < measured_.size()) {
        return bestOf(std::span(measured_).subspan(finalFirst_));
    }
    const std::vector<const SweepResult*> one = fastest(1);
    return one.empty() ? nullptr : one.front();
}

const SweepResult* Tuner::automatic() const {
    for (std::size_t i = measured_.size(); i-- > 0;)
        if (!measured_[i].point.kernel.kernel && measured_[i].row.verified) return &measured_[i];
    return nullptr;
}

std::optional<TunedChoice> Tuner::choice() const {
    const SweepResult* const found = finished() && !cancelled_ ? best() : nullptr;
    if (!found) return std::nullopt;
    TunedChoice choice;
    choice.backend = request_.backend;
    choice.device = found->facts.device;
    choice.driver = found->facts.driver;
    choice.precision = settings_.precision;
    choice.bodies = request_.bodies;
    choice.kernel = {found->row.kernel, found->point.kernel.launch};
    if (!found->point.kernel.kernel) {
        const KernelRow& row = kernel(request_.backend, found->row.kernel);
        LaunchConfig& launch = choice.kernel.launch;
        if (row.blocks.last != 1) launch.block = found->row.block;
        if (!row.unrolls.empty()) launch.unroll = found->row.unroll;
        if (!row.bodiesPerThread.empty()) launch.bodiesPerThread = found->row.bodiesPerThread;
        if (row.splits.last != 1) launch.split = found->row.split;
    }
    if (found->facts.cpuThreads > 0) choice.threads = found->facts.cpuThreads;
    choice.interactionsPerSecond = found->row.stepInteractionsPerSecond;
    return choice;
}

std::string launchSentence(const std::string& backendName, const KernelChoice& choice, std::optional<int> threads,
                           std::string_view term) {
    std::string text = (term == kPairLawTerm ? "" : std::string(term) + ":") + nameOf(choice);
    if (choice.kernel) {
        const KernelRow& row = termKernel(backendName, term, choice.kernel);
        for (const char* name : kLaunchAxes)
            if (sweepAxis(name).refuses(row).empty())
                text += ", " + std::string(name) + " " +
                        (name == kLaunchAxes[1] ? unrollText(choice.launch.unroll)
                                                : std::to_string(valueOf(choice.launch, name)));
    }
    if (threads) text += ", " + std::to_string(*threads) + (threads == 1 ? " thread" : " threads");
    return text;
}

// Reads and writes JSON, one entry per choice, each with the version of the program that found it.

namespace {

using Json = nlohmann::ordered_json;

constexpr int kFormat = 1;
constexpr std::size_t kMostBytes = 1 << 20;

Json toJson(const TunedChoice& choice) {
    const LaunchConfig& launch = choice.kernel.launch;
    return {{"program", std::string(version())},
            {"backend", choice.backend},
            {"device", choice.device},
            {"driver", choice.driver},
            {"precision", nameOf(choice.precision)},
            {"n", choice.bodies},
            {"term", choice.term},
            {"kernel", choice.kernel.kernel},
            {"block", launch.block},
            {"unroll", launch.unroll},
            {"bodies_per_thread", launch.bodiesPerThread},
            {"split", launch.split},
            {"threads", choice.threads.value_or(0)},
            {"step_interactions_per_second", choice.interactionsPerSecond}};
}

TunedChoice fromJson(const Json& json) {
    TunedChoice choice;
    choice.backend = json.at("backend");
    choice.device = json.at("device");
    choice.driver = json.at("driver");
    const std::string precision = json.at("precision");
    if (const PrecisionRow* row = findPrecision(precision)) choice.precision = row->precision;
    choice.bodies = json.at("n");
    choice.term = json.value("term", std::string(kPairLawTerm));
    choice.kernel.kernel = json.at("kernel");
    choice.kernel.launch = {.block = json.at("block"),
                            .unroll = json.at("unroll"),
                            .bodiesPerThread = json.at("bodies_per_thread"),
                            .split = json.at("split")};
    const int threads = json.at("threads");
    if (threads < 0 || threads > kMostThreads || choice.bodies == 0) throw InputError("out of range");
    if (threads != 0) choice.threads = threads;
    choice.interactionsPerSecond = json.at("step_interactions_per_second");
    return choice;
}

}  // namespace

std::filesystem::path tuneCachePath() {
    const std::filesystem::path folder = userFolder("XDG_CACHE_HOME", ".cache");
    return folder.empty() ? std::filesystem::path() : folder / "tune.json";
}

std::shared_ptr<const Tuning> readTuning(const std::filesystem::path& file) {
    std::vector<TunedChoice> choices;
    // Whatever the path contains, it must neither block nor end a run.
    std::error_code error;
    if (file.empty() || !std::filesystem::exists(file, error)) return std::make_shared<Tuning>();
    try {
        Source source = Source::open(file);  // refuses folders and pipes
        std::string text(kMostBytes, '\0');
        text.resize(source.read(text.data(), text.size()));
        const Json json = Json::parse(text);
        if (json.at("format") == kFormat)
            for (const Json& entry : json.at("choices"))
                if (entry.at("program") == version()) choices.push_back(fromJson(entry));
    } catch (const std::exception&) {
        notify(formatted("%s is not a tuning file and is ignored; 'gravlab tune' writes a new one", file.string().c_str()));
        choices.clear();
    }
    return std::make_shared<Tuning>(std::move(choices));
}

void writeTuning(const std::filesystem::path& file, const Tuning& tuning) {
    if (file.empty()) throw IoError("there is no folder for the tuning cache: neither XDG_CACHE_HOME nor HOME is set");
    std::error_code error;
    std::filesystem::create_directories(file.parent_path(), error);
    if (error)
        throw IoError("cannot make the folder " + file.parent_path().string() + " for the tuning cache: " + error.message());
    Json json{{"format", kFormat}, {"choices", Json::array()}};
    for (const TunedChoice& choice : tuning.choices()) json["choices"].push_back(toJson(choice));
    writeFileAtomically(file, json.dump(1) + "\n");
}

}  // namespace gravlab
