// The loops of single precision in plain form, on positions rounded as a backend rounds them.
#include "sim/forces/single_precision.h"

#include "sim/core/pages.h"
#include "sim/core/thread_pool.h"
#include "sim/forces/close_pairs.h"
#include "sim/forces/force_check.h"
#include "sim/forces/law.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <mutex>
#include <vector>

namespace gravlab {
namespace {

constexpr std::size_t kPairs = std::size_t{1} << 20, kLeastTargets = 8, kGrain = 65536;
// Smaller numbers count as zero, as on devices that flush subnormal numbers. The factor leaves a margin for bodies that move
// apart.
constexpr float kSmallest = std::numeric_limits<float>::min() * 1024;
// Up to this distance from the origin, the square of the distance of two bodies does not overflow.
// Below this many roundings of the largest coordinate, the softening does not hide that two places became equal.
constexpr double kHiddenRoundings = 1024;

struct Single {
    float x, y, z, source;
};

float kept(float value) { return std::abs(value) < kSmallest ? 0 : value; }

Single rounded(const Double4& p) {
    return {static_cast<float>(p.x), static_cast<float>(p.y), static_cast<float>(p.z), static_cast<float>(p.w)};
}

template <class PairLaw>
Double4 forceOn(const std::vector<Single>& bodies, std::size_t target, float response, const PairLaw& law) {
    const Single at = bodies[target];
    double sums[3] = {0, 0, 0};
    for (const Single& from : bodies) {
        const float dx = from.x - at.x, dy = from.y - at.y, dz = from.z - at.z;
        const float squared = dx * dx + dy * dy + dz * dz;
        if (dx == 0 && dy == 0 && dz == 0) continue;  // forceOverDistance is largest there, and multiplied by zero
        const float pull = kept(from.source * kept(law.forceOverDistance(squared)));
        sums[0] += static_cast<double>(kept(pull * dx));
        sums[1] += static_cast<double>(kept(pull * dy));
        sums[2] += static_cast<double>(kept(pull * dz));
    }
    const auto component = [&](double sum) { return static_cast<double>(kept(response * kept(static_cast<float>(sum)))); };
    return {component(sums[0]), component(sums[1]), component(sums[2]), 0};
}

/// The gate of this check: steep laws turn the rounding of a distance into ten times as much force.
ForceGate allowed(ForceSettings force) {
    force.precision = Precision::fp32;
    return {kSingleMedian * gateOf(force).median / kGate32.median, kSingleWorst};
}

double largestCoordinate(const Double4& p) { return std::max({std::abs(p.x), std::abs(p.y), std::abs(p.z)}); }

/// Largest coordinate, velocity component and source.
struct Largest {
    double length = 0, speed = 0, source = 0;
};

/// A sample of the forces, and the rms of its accelerations.
struct Trial {
    ForceCheck check;
    double rms = 0;
};

Trial trial(const ParticleSet& bodies, const ForceSettings& force, double heaviest) {
    const std::size_t n = bodies.size(), count = std::min(n, std::max(kLeastTargets, kPairs / n));
    std::vector<std::uint32_t> targets(count);
    for (std::size_t k = 0; k < count; ++k) targets[k] = static_cast<std::uint32_t>(n * k / count);
    std::vector<Single> single;
    resizeTouched(single, n);
    parallelFor(n, 0, kGrain, [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) single[i] = rounded(bodies.position[i]);
    });
    std::vector<Double4> got(count), want(count);
    std::vector<double> floors(count);
    const auto some = [&](std::size_t first, std::size_t last) {
        forLaw<Laws>(force.law, [&]<template <class> class PairLaw>() {
            const PairLaw<float> law(force, smallestR2<float>(force, heaviest));
            for (std::size_t k = first; k < last; ++k)
                got[k] = forceOn(single, targets[k], static_cast<float>(bodies.velocity[targets[k]].w), law);
        });
        const std::size_t part = last - first;
        referenceForces(bodies.position, bodies.velocity, std::span(targets).subspan(first, part), force,
                        std::span(want).subspan(first, part), std::span(floors).subspan(first, part));
    };
    if (n * count > 4 * kPairs)
        parallelFor(count, 0, 1, some);
    else
        some(0, count);
    double squares = 0;
    for (const Double4& a : want) squares += dot(xyz(a), xyz(a));
    return {compareForces(got, want, allowed(force), floors), std::sqrt(squares / static_cast<double>(count))};
}

/// Why single precision would compute close pairs wrongly; empty when it would not. `floor`: the least scale of relative
/// errors.
std::string spoiltPair(const ParticleSet& bodies, const ForceSettings& force, const Largest& largest, double floor) {
    const auto [worst, merged] = closePairs(bodies, force, floor);
    const bool hidden = force.softening > kHiddenRoundings * largest.length * std::numeric_limits<float>::epsilon();
    if (merged && !hidden)
        return "it cannot distinguish the positions of bodies " + std::to_string(merged->first) + " and " +
               std::to_string(merged->second) + " apart";
    if (worst.error <= kSingleWorst) return {};
    char text[200];
    std::snprintf(text, sizeof text,
                  "it would round the coordinates of body %u so that its force changes by up to %.1e: body %u is only %.2g "
                  "away, %.2g from the origin",
                  static_cast<unsigned>(worst.body), worst.error, static_cast<unsigned>(worst.neighbour), worst.distance,
                  length(bodies.position[worst.body]));
    return text;
}

// Within these bounds, pairs of usual bodies stay far from both ends of single precision.
constexpr double kShortest = 0x1p-17, kLongest = 0x1p33, kLightest = 0x1p-80, kHeaviest = 0x1p80;
constexpr double kWeakest = 1e-20, kStrongest = 1e24;  // heaviest over largest squared

double powerOfTwo(double value) { return value > 0 ? std::ldexp(1.0, std::ilogb(value)) : 1; }

Largest largestOf(const ParticleSet& bodies) {
    Largest all;
    std::mutex together;
    parallelFor(bodies.size(), 0, kGrain, [&](std::size_t first, std::size_t last) {
        Largest some;
        for (std::size_t i = first; i < last; ++i) {
            const Double4 &p = bodies.position[i], &v = bodies.velocity[i];
            some.length = std::max(some.length, largestCoordinate(p));
            some.speed = std::max({some.speed, std::abs(v.x), std::abs(v.y), std::abs(v.z)});
            some.source = std::max(some.source, std::abs(p.w));
        }
        const std::lock_guard lock(together);
        all = {std::max(all.length, some.length), std::max(all.speed, some.speed), std::max(all.source, some.source)};
    });
    return all;
}

ParticleSet bodiesIn(const PairUnits& units, ParticleSet bodies) {
    for (Double4& p : bodies.position) p = {p.x / units.length, p.y / units.length, p.z / units.length, p.w / units.source};
    for (Double4& v : bodies.velocity) v = {0, 0, 0, v.w};  // velocities stay in double
    return bodies;
}

}  // namespace

PairUnits pairUnits(double largest, double heaviest, const ForceSettings& force) {
    if (!lawRow(force.law).softened || !std::isfinite(largest) || !std::isfinite(heaviest)) return {};
    const auto within = [](double value, double least, double most) {
        return value == 0 || (value >= least && value <= most);
    };
    if (within(largest, kShortest, kLongest) && within(heaviest, kLightest, kHeaviest) &&
        (largest == 0 || within(heaviest / (largest * largest), kWeakest, kStrongest)))
        return {};
    return {powerOfTwo(largest), powerOfTwo(heaviest)};
}

ForceSettings settingsIn(const PairUnits& units, ForceSettings force) {
    force.softening /= units.length;
    return force;
}

double accelerationUnit(const PairUnits& units, const ForceSettings& force) {
    const double levels = std::log2(units.length);
    double power = 0;
    if (levels != 0) {
        const auto& pull = lawRow(force.law).forceOverDistance;
        const double ratio = pull(force, units.length * units.length) / pull(settingsIn(units, force), 1);
        power = std::log2(ratio) / levels;
        // The power is whole for most laws, and then nothing is rounded.
        if (std::abs(power - std::round(power)) < 1e-9) power = std::round(power);
    }
    return units.source * units.length * std::exp2(power * levels);
}

std::string beyondSinglePrecision(const ParticleSet& bodies, const ForceSettings& force) {
    if (bodies.size() == 0) return {};
    if (force.precision == Precision::mixed) {
        const Largest largest = largestOf(bodies);
        const PairUnits units = pairUnits(largest.length, largest.source, force);
        ForceSettings inUnits = settingsIn(units, force);
        inUnits.precision = Precision::fp32;
        return beyondSinglePrecision(bodiesIn(units, bodies), inUnits);
    }
    const Largest largest = largestOf(bodies);
    const auto [length, speed, heaviest] = largest;
    char text[200];
    const auto inRange = [](double value) { return value == 0 || (value >= kSmallest && value <= 1e35); };
    if (!inRange(length) || length > kFarthestInSingle || !inRange(speed) || !inRange(heaviest)) {
        std::snprintf(text, sizeof text, "lengths of %.2g, speeds of %.2g or masses of %.2g leave its range", length, speed,
                      heaviest);
        return text;
    }
    const auto [check, rms] = trial(bodies, force, heaviest);
    if (check.passed && check.max <= kSingleWorst) return spoiltPair(bodies, force, largest, kCancellingShare * rms);
    std::snprintf(text, sizeof text,
                  "its forces would be wrong by %.1e (median; worst %.1e) at lengths of %.2g and masses of %.2g",
                  check.median, check.max, length, heaviest);
    return text;
}

}  // namespace gravlab
