// Compares forces with fp64. Rule: every comparison is written so that a NaN fails it.
#include "sim/forces/force_check.h"

#include "sim/core/random.h"
#include "sim/core/text.h"
#include "sim/core/thread_pool.h"
#include "sim/forces/reference_force.h"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <numeric>
#include <stdexcept>

namespace gravlab {
namespace {

double relativeError(const Double4& got, const Double4& want, double floor) {
    const double difference = distance(got, want);  // the square of a tiny difference would underflow to 0 and pass
    if (difference == 0) return 0;
    // Without any force (one body, massless bodies) the scale is 0, and any difference is an infinite error.
    return difference / std::max(exactLength(xyz(want)), floor);
}

/// The smallest error that this fraction of all errors does not exceed; errors must be sorted.
double quantile(const std::vector<double>& sorted, double share) {
    const double rank = std::ceil(share * static_cast<double>(sorted.size()));
    const std::size_t index = rank < 1 ? 0 : static_cast<std::size_t>(rank) - 1;
    return sorted[std::min(index, sorted.size() - 1)];
}

}  // namespace

std::string ForceCheck::text() const {
    std::string line;
    if (samples == 0) return "force check: no bodies compared";
    if (nonFinite > 0)
        line = formatted("force check FAILED: %zu of %zu bodies have an acceleration that is not finite, body %u first",
                         nonFinite, samples, static_cast<unsigned>(worst));
    else if (allowed > 0)
        line = formatted(
            "force check %s: relative error median %.1e, 99 %% %.1e of %.1e allowed, worst %.1e (body %u) of %zu bodies",
            passed ? "passed" : "FAILED", median, p99, allowed, max, static_cast<unsigned>(worst), samples);
    else
        line = formatted("force check %s: relative error median %.1e, 99.9 %% %.1e, worst %.1e (body %u) of %zu bodies",
                         passed ? "passed" : "FAILED", median, p999, max, static_cast<unsigned>(worst), samples);
    return term.empty() ? line : line + ", of " + term;
}

ForceCheck compareForces(std::span<const Double4> got, std::span<const Double4> want, ForceGate gate,
                         std::span<const double> floors) {
    if (got.size() != want.size() || (!floors.empty() && floors.size() != want.size()))
        throw std::invalid_argument("compareForces: " + std::to_string(got.size()) + " accelerations against " +
                                    std::to_string(want.size()));
    ForceCheck check;
    check.samples = got.size();
    if (std::isfinite(gate.p99)) check.allowed = gate.p99;
    if (got.empty()) return check;

    double squares = 0;
    for (const Double4& a : want) squares += dot(xyz(a), xyz(a));
    const double rms = std::sqrt(squares / static_cast<double>(want.size()));

    std::vector<double> errors(got.size());
    double largest = -1;
    for (std::size_t i = 0; i < got.size(); ++i) {
        const bool finite = isFinite(xyz(got[i])) && isFinite(xyz(want[i]));
        if (!finite) ++check.nonFinite;
        const double floor = std::max(kCancellingShare * rms, floors.empty() ? 0 : floors[i]);
        errors[i] = finite ? relativeError(got[i], want[i], floor) : std::numeric_limits<double>::infinity();
        if (errors[i] > largest) {
            largest = errors[i];
            check.worst = static_cast<std::uint32_t>(i);
        }
    }
    std::ranges::sort(errors);
    check.median = quantile(errors, 0.5);
    check.p99 = quantile(errors, 0.99);
    check.p999 = quantile(errors, 0.999);
    check.max = errors.back();
    const auto outside = std::ranges::count_if(errors, [&](double error) { return !(error <= gate.p99); });
    check.passed = check.nonFinite == 0 && check.median <= gate.median && check.p999 <= gate.p999 &&
                   static_cast<std::size_t>(outside) <= mostOutside(errors.size());
    return check;
}

ForceGate looser(const ForceGate& a, const ForceGate& b) {
    // A gate without an accuracy sets no limit for 99 %, but its rounding may reach its other limit.
    const double p99 = !std::isfinite(a.p99)   ? std::max(a.p999, b.p99)
                       : !std::isfinite(b.p99) ? std::max(a.p99, b.p999)
                                               : std::max(a.p99, b.p99);
    return {.median = std::max(a.median, b.median), .p999 = std::max(a.p999, b.p999), .p99 = p99};
}

std::size_t mostOutside(std::size_t samples) {
    const double n = static_cast<double>(samples);
    return static_cast<std::size_t>(0.01 * n + 4 * std::sqrt(n * 0.01 * 0.99));
}

std::vector<std::uint32_t> sampleTargets(std::span<const Double4> positions, std::size_t count) {
    std::size_t heaviest = 0;
    const auto lighter = [&](std::size_t a, std::size_t b) {  // of equal bodies, the first is the heavier one
        const double ofA = std::abs(positions[a].w), ofB = std::abs(positions[b].w);
        return ofA < ofB || (ofA == ofB && a > b);
    };
    std::mutex together;
    parallelFor(positions.size(), 0, 65536, [&](std::size_t first, std::size_t last) {
        std::size_t most = first;
        for (std::size_t i = first; i < last; ++i)
            if (lighter(most, i)) most = i;
        const std::lock_guard lock(together);
        if (lighter(heaviest, most)) heaviest = most;
    });
    return sampleTargets(positions.size(), heaviest, count);
}

std::vector<std::uint32_t> sampleTargets(std::size_t n, std::size_t heaviest, std::size_t count) {
    std::vector<std::uint32_t> targets;
    if (n == 0 || count == 0) return targets;
    const auto add = [&](std::size_t i) {
        if (i < n && targets.size() < count && std::ranges::find(targets, i) == targets.end())
            targets.push_back(static_cast<std::uint32_t>(i));
    };
    add(0);
    add(n - 1);
    add(heaviest);
    // Kernels usually fail at edges: take both sides of the first and the last edge of every usual tile.
    for (std::size_t tile = 32; tile <= 1024; tile *= 2)
        for (const std::size_t edge : {tile, n / tile * tile})
            for (const std::size_t i : {edge - 1, edge, edge + 1}) add(i);
    const std::size_t rest = count - targets.size();
    for (std::size_t k = 0; k < rest; ++k) add(n * k / rest);
    // For small sets the stride finds bodies already in the list, so add the missing ones.
    for (std::size_t i = 0; i < n && n <= count; ++i) add(i);
    std::ranges::sort(targets);
    return targets;
}

std::vector<std::uint32_t> randomTargets(std::size_t bodies, std::size_t count) {
    std::vector<std::uint32_t> targets;
    if (bodies <= count) {
        targets.resize(bodies);
        std::iota(targets.begin(), targets.end(), 0u);
        return targets;
    }
    // One body from each stretch, so that none is chosen twice and the sample covers the whole scene.
    constexpr std::uint64_t kSeed = 1024;
    for (std::size_t k = 0; k < count; ++k) {
        const std::size_t first = bodies * k / count, last = bodies * (k + 1) / count;
        const auto within = static_cast<std::size_t>(Random(kSeed, k).uniform() * static_cast<double>(last - first));
        targets.push_back(static_cast<std::uint32_t>(std::min(first + within, last - 1)));
    }
    return targets;
}

void referenceGravity(std::span<const Double4> positions, std::span<const std::uint32_t> targets, double softening,
                      std::span<Double4> out) {
    if (out.size() < targets.size()) throw std::invalid_argument("referenceGravity: the output is shorter than the targets");
    const double squared = softeningSquared(softening);
    for (std::size_t k = 0; k < targets.size(); ++k) out[k] = plainGravity(positions, positions[targets[k]], squared);
}

void referenceForces(std::span<const Double4> positions, std::span<const Double4> velocities,
                     std::span<const std::uint32_t> targets, const ForceSettings& force, std::span<Double4> out,
                     std::span<double> floors, double leastShare) {
    if (out.size() < targets.size() || (!floors.empty() && floors.size() < targets.size()))
        throw std::invalid_argument("referenceForces: the output is shorter than the targets");
    const double share = std::max(floorShare(force), leastShare);
    const bool sizes = !floors.empty() && share > 0;
    for (std::size_t k = 0; k < targets.size(); ++k) {
        const std::size_t i = targets[k];
        const double response = velocities.empty() ? 1 : velocities[i].w;
        const Double4 a = plainForce(positions, positions[i], force, sizes);
        out[k] = {response * a.x, response * a.y, response * a.z, 0};
        if (!floors.empty()) floors[k] = share * std::abs(response) * a.w;
    }
}

double leastShare(const ForceGate& gate) { return std::isfinite(gate.p99) ? 0 : 0.02; }

double floorShare(const ForceSettings& force) { return lawRow(force.law).floorShare; }

ForceGate gateOf(const ForceSettings& force) {
    if (force.precision == Precision::fp64) return kGate64;
    return lawRow(loopLaw(force)).steep ? kSteepGate32 : kGate32;
}

}  // namespace gravlab
