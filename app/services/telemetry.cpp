// A ring of readings; every displayed number is newest minus oldest.
#include "app/services/telemetry.h"

#include "app/runs/run_host.h"
#include "app/tables/format.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace gravlab {

namespace {

// Long enough that digits can be read, short enough to follow a slider.
constexpr double kWindow = 0.5;

}  // namespace

void Telemetry::restart() {
    interactionsPerSecond = cellsPerSecond = stepsPerSecond = forceSeconds = 0;
    forceMs = integrateMs = publishMs = 0;
    historyCount = 0;
    first_ = count_ = 0;
    lastPoint_ = 0;
    ends_ = {};
    seenSteps_ = -1;
    forceEnd_.forceEvaluations = -1;
}

void Telemetry::rest() {
    framesPerSecond = frameMilliseconds = 0;
    forceMs = integrateMs = publishMs = drawMs = waitMs = 0;
    first_ = count_ = 0;
}

void Telemetry::frame(const WorkTotals& totals, double now, double drawSeconds) {
    drawTotal_ += drawSeconds;
    // A new backend counts from zero again; a reading below the last one starts anew.
    if (count_ > 0 && totals.evaluated() < samples_[(first_ + count_ - 1) % kSamples].totals.evaluated()) restart();
    if (count_ == kSamples) {
        first_ = (first_ + 1) % kSamples;
        --count_;
    }
    samples_[(first_ + count_++) % kSamples] = {totals, now, drawTotal_, waitTotal_};
    // One reading older than the window stays as the base, so that even two frames a second have a difference.
    while (count_ > 2 && now - samples_[(first_ + 1) % kSamples].time > kWindow) {
        first_ = (first_ + 1) % kSamples;
        --count_;
    }

    const Sample& base = samples_[first_];
    const double elapsed = now - base.time;
    const auto frames = static_cast<double>(count_ - 1);
    if (frames < 1 || !(elapsed > 0)) return;
    framesPerSecond = frames / elapsed;
    frameMilliseconds = 1e3 * elapsed / frames;
    const double slow = slowSteps(totals.steps, now);
    const std::int64_t ended = totals.steps - base.totals.steps;
    constexpr std::int64_t kFew = 4;  // fewer in a window than these would make the rate depend on chance
    stepsPerSecond = ended < kFew && slow > 0 ? slow : static_cast<double>(ended) / elapsed;
    const double perFrame = 1e3 / frames;
    forceMs = perFrame * (totals.forceSeconds - base.totals.forceSeconds);
    integrateMs = perFrame * (totals.integrateSeconds - base.totals.integrateSeconds);
    publishMs = perFrame * (totals.publishSeconds - base.totals.publishSeconds);
    drawMs = perFrame * (drawTotal_ - base.draw);
    waitMs = perFrame * (waitTotal_ - base.wait);
    const double interactions = totals.evaluated() - base.totals.evaluated();
    const double seconds = totals.forceSeconds - base.totals.forceSeconds;
    const std::int64_t forces = totals.forceEvaluations - base.totals.forceEvaluations;
    if (forceEnd_.forceEvaluations < 0) forceEnd_ = totals;
    if (totals.forceEvaluations > forceEnd_.forceEvaluations) {
        // A slow force began before the window: it is timed from the end of the one before.
        const WorkTotals last = std::exchange(forceEnd_, totals), from = forces < kFew ? last : base.totals;
        forceSeconds =
            (totals.forceSeconds - from.forceSeconds) / static_cast<double>(totals.forceEvaluations - from.forceEvaluations);
    }
    if (interactions > 0 && seconds > 0) {
        interactionsPerSecond = interactions / seconds;
        cellsPerSecond = (totals.cells - base.totals.cells) / seconds;
        remember(now);
    }
}

/// From one end of steps to the next. The rate falls when the next end is overdue, and becomes 0 when none comes.
double Telemetry::slowSteps(std::int64_t steps, double now) {
    if (steps != seenSteps_ && seenSteps_ >= 0) {
        ends_[1] = ends_[0];
        ends_[0] = {now, steps};
    }
    seenSteps_ = steps;
    if (ends_[1].time < 0) return 0;
    const double between = ends_[0].time - ends_[1].time, since = now - ends_[0].time;
    constexpr double kGone = 3;
    if (!(between > 0) || since > kGone * between) return 0;
    return static_cast<double>(ends_[0].steps - ends_[1].steps) / std::max(between, since);
}

void Telemetry::remember(double now) {
    constexpr double kBreak = 2;  // [s]; a pause is left out, a slow frame is not
    const auto point = [&] {
        std::move(rateHistory.begin() + 1, rateHistory.end(), rateHistory.begin());
        rateHistory.back() = static_cast<float>(interactionsPerSecond * 1e-9);
        historyCount = std::min(historyCount + 1, kHistory);
    };
    // The first point needs no interval: a difference of clock readings may be one rounding too short, for ever.
    if (historyCount == 0 || now - lastPoint_ > kBreak) {
        point();
        lastPoint_ = now;
    }
    for (; now - lastPoint_ >= kHistoryInterval; lastPoint_ += kHistoryInterval) point();
}

void Telemetry::follow(const RunHost& runs) {
    if (std::exchange(rateChanges_, runs.rateChanges()) != runs.rateChanges()) restart();
}

void Telemetry::look(const ServiceFrame& at) { frame(at.runs.simulation().totals(), hostClock(), at.drawSeconds); }

void Telemetry::readFacts(RunFacts& facts) const {
    facts.interactionsPerSecond = interactionsPerSecond;
    facts.forceSeconds = forceSeconds;
    facts.stepsPerSecond = stepsPerSecond;
    facts.framesPerSecond = framesPerSecond;
    facts.frameMilliseconds = frameMilliseconds;
}

void FrameTimes::add(double seconds) {
    if (++seen_ > kLeftOut) seconds_.push_back(seconds);
}

double FrameTimes::quantile(double share) const {
    if (seconds_.empty()) return 0;
    std::vector<double> sorted = seconds_;
    const double rank = std::ceil(share * static_cast<double>(sorted.size())) - 1;
    const auto at = static_cast<std::size_t>(std::clamp(rank, 0.0, static_cast<double>(sorted.size() - 1)));
    std::nth_element(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(at), sorted.end());
    return sorted[at];
}

std::string FrameTimes::text() const {
    if (seconds_.empty()) return {};
    const double whole = std::accumulate(seconds_.begin(), seconds_.end(), 0.0);
    return formatted(
        "%.1f a second, median %.2f ms, 99 %% within %.2f ms, longest %.2f ms (%zu frames, the first %d left out)",
        whole > 0 ? static_cast<double>(seconds_.size()) / whole : 0.0, 1e3 * quantile(0.5), 1e3 * quantile(0.99),
        1e3 * quantile(1), seconds_.size(), kLeftOut);
}

}  // namespace gravlab
