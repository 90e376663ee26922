// Timing of one force kernel with one launch.
#include "app/benchmark.h"

#include "app/interrupt.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>

namespace gravlab {
namespace {

constexpr double kWarmUpSeconds = 0.3;  // clocks of GPUs and laptops have risen by then
constexpr double kRepetitionSeconds = 0.25;
constexpr double kFlopsPerPair = 20;
constexpr double kBoundSlack = 1.05;
constexpr int kCheckAttempts = 4;
// Reference forces cost samples x N pairs on the host: fewer where N is large.
constexpr std::size_t samplesFor(std::size_t bodies) { return bodies > 200000 ? 256 : 1024; }

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

class Timing {
public:
    Timing(Backend& backend, const Integrator& integrator, double timeStep)
        : backend_(backend), integrator_(integrator), timeStep_(timeStep) {}

    void run(std::int64_t steps) {
        for (std::int64_t done = 0; done < steps;) {
            const Budget budget{.steps = steps - done};
            done += backend_.advance(integrator_.program, timeStep_, budget, nullptr).stepsCompleted;
            InterruptWatch::check();
        }
        backend_.wait();
    }

    /// The check of the forces that the steps themselves compute.
    std::optional<ForceCheck> checkOfSteps(const std::vector<std::uint32_t>& targets) {
        backend_.requestForceCheck(targets);
        for (int attempt = 0; attempt < kCheckAttempts; ++attempt) {
            run(1);
            if (auto check = backend_.takeForceCheck()) return check;
        }
        return std::nullopt;
    }

private:
    Backend& backend_;
    const Integrator& integrator_;
    double timeStep_;
};

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    const std::size_t half = values.size() / 2;
    return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

/// The state after the timing against fp64 on the host, which shares no code with the device.
ForceCheck checkOfState(Backend& backend, const std::vector<std::uint32_t>& targets, const ForceSettings& force) {
    ParticleSet bodies;
    std::vector<Double4> all, got(targets.size()), want(targets.size());
    backend.snapshot(bodies);
    backend.accelerations(all);
    for (std::size_t k = 0; k < targets.size(); ++k) got[k] = all.at(targets[k]);
    referenceGravity(bodies.position, targets, force.softening, want);
    const bool exact = backend.name() == "reference" || force.precision == Precision::fp64;
    return compareForces(got, want, exact ? kGate64 : kGate32);
}

}  // namespace

BenchmarkRow timeKernel(Backend& backend, const Integrator& integrator, double timeStep, const ForceSettings& force,
                        const BenchmarkPlan& plan) {
    const KernelRow& kernel = backend.activeKernel();
    BenchmarkRow row;
    row.backend = backend.name();
    row.device = backend.description();
    row.kernel = kernel.name;
    row.integrator = integrator.name;
    row.bodies = backend.size();
    row.block = kernel.blocks.last == 1 ? 1 : backend.activeLaunch().block;
    row.unroll = kernel.unrolls.empty() ? 1 : backend.activeLaunch().unroll;

    ParticleSet bodies;
    backend.snapshot(bodies);
    const std::vector<std::uint32_t> targets = sampleTargets(bodies.position, samplesFor(bodies.size()));
    Timing timing(backend, integrator, timeStep);
    const auto take = [&row](const std::optional<ForceCheck>& check) {
        row.verified = check && check->passed;
        if (check) {
            row.errorMedian = std::max(row.errorMedian, check->median);
            row.errorP999 = std::max(row.errorP999, check->p999);
        }
        if (!row.verified) row.note = check ? check->text() : "the backend gave no result of the force check";
        return row.verified;
    };
    if (!take(timing.checkOfSteps(targets))) return row;

    double perStep = 0;
    const double begin = now();
    for (std::int64_t steps = 1; now() - begin < kWarmUpSeconds; steps = std::min<std::int64_t>(2 * steps, 1024)) {
        const double before = now();
        timing.run(steps);
        perStep = (now() - before) / static_cast<double>(steps);
    }
    row.steps = plan.steps > 0
                    ? plan.steps
                    : std::clamp<std::int64_t>(std::llround(kRepetitionSeconds / std::max(perStep, 1e-9)), 1, 100000);
    row.repeats = plan.repeats;

    std::vector<double> rates, milliseconds;
    for (int repetition = 0; repetition < plan.repeats; ++repetition) {
        const WorkTotals before = backend.totals();
        const double start = now();
        timing.run(row.steps);
        const double wall = now() - start;
        const WorkTotals after = backend.totals();
        const double device = after.forceSeconds - before.forceSeconds;
        rates.push_back((after.interactions - before.interactions) / (device > 0 ? device : wall));
        milliseconds.push_back(wall * 1e3 / static_cast<double>(row.steps));
    }
    if (!take(checkOfState(backend, targets, force))) return row;

    const double rate = median(rates);
    const double bound = kernel.issuedPerDirectedPair > 0 ? backend.issueSlotsPerSecond() / kernel.issuedPerDirectedPair : 0;
    if (!(rate > 0) || !std::isfinite(rate) || (bound > 0 && rate > kBoundSlack * bound)) {
        char text[160];
        std::snprintf(text, sizeof text, "measured %.4g interactions/s, but this device cannot issue more than %.4g", rate,
                      bound);
        row.verified = false;
        row.note = text;
        return row;
    }
    row.interactionsPerSecond = rate;
    row.gflops = rate * kFlopsPerPair * 1e-9;
    row.spread = (*std::max_element(rates.begin(), rates.end()) - *std::min_element(rates.begin(), rates.end())) / rate;
    row.msPerStep = median(milliseconds);
    return row;
}

}  // namespace gravlab
