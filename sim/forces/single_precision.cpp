// The loops of single precision in plain form, on positions rounded as a backend rounds them.
#include "sim/forces/single_precision.h"

#include "sim/core/bad_bodies.h"
#include "sim/core/text.h"
#include "sim/core/thread_pool.h"
#include "sim/forces/close_pairs.h"
#include "sim/forces/force_check.h"
#include "sim/forces/law.h"
#include "sim/forces/reference_force.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <vector>

namespace gravlab {
namespace {

constexpr std::size_t kPairs = std::size_t{1} << 20, kLeastTargets = 8, kGrain = 65536;
/// A step that moves a body by this many roundings of its coordinate is wrong by 1e-2 at most. On an orbit roundings cancel,
/// because the velocity turns: so many are enough then, in the speed that its pull gives it.
constexpr double kRoundingsPerStep = 0.5 / kSingleWorst, kRoundingsOnOrbit = 7.07;
/// A body is at rest below this fraction of the largest speed.
constexpr double kAtRest = 1e-4;
/// A field that moves takes bodies along: they are judged where its centre is after so many steps.
constexpr double kStepsAhead = 1e5;
// Smaller numbers count as zero, as on devices that flush subnormal numbers. The factor leaves a margin for bodies that move
// apart.
constexpr float kSmallest = std::numeric_limits<float>::min() * 1024;
// Below this many roundings of the largest coordinate, the softening does not hide that two places became equal.
constexpr double kHiddenRoundings = 1024;

struct Single {
    float x, y, z, source;
};

float kept(float value) { return std::abs(value) < kSmallest ? 0 : value; }

Single rounded(const Double4& p) {
    return {static_cast<float>(p.x), static_cast<float>(p.y), static_cast<float>(p.z), static_cast<float>(p.w)};
}

/// The sum of the pulls of these bodies, in single precision.
template <class PairLaw>
Double4 pullOf(const std::vector<Single>& bodies, const Single& at, const PairLaw& law) {
    Double4 sums{};
    for (const Single& from : bodies) {
        const float dx = from.x - at.x, dy = from.y - at.y, dz = from.z - at.z;
        const float squared = dx * dx + dy * dy + dz * dz;
        if (dx == 0 && dy == 0 && dz == 0) continue;  // forceOverDistance is largest there, and multiplied by zero
        const float pull = kept(from.source * kept(law.forceOverDistance(squared)));
        sums.x += static_cast<double>(kept(pull * dx));
        sums.y += static_cast<double>(kept(pull * dy));
        sums.z += static_cast<double>(kept(pull * dz));
    }
    return sums;
}

Double4 plus(const Double4& a, const Double4& b) { return {a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w}; }

/// The sums over all bodies for each of `targets` targets: ofPart(first, last, sums) writes those over a part. The parts
/// depend on the number of bodies alone, and so do the sums. Few targets would keep few threads busy.
template <class OfPart>
std::vector<Double4> summed(std::size_t bodies, std::size_t targets, const OfPart& ofPart) {
    constexpr std::size_t kPart = std::size_t{1} << 18;
    const std::size_t parts = (bodies + kPart - 1) / kPart;
    std::vector<Double4> sums(parts * targets);
    parallelFor(parts, 0, 1, [&](std::size_t first, std::size_t last) {
        for (std::size_t part = first; part < last; ++part)
            ofPart(part * kPart, std::min(bodies, (part + 1) * kPart), std::span(sums).subspan(part * targets, targets));
    });
    for (std::size_t k = targets; k < sums.size(); ++k) sums[k % targets] = plus(sums[k % targets], sums[k]);
    sums.resize(targets);
    return sums;
}

/// The gate of this check: steep laws turn the rounding of a distance into ten times as much force.
ForceGate allowed(ForceSettings force) {
    force.precision = Precision::fp32;
    return {kSingleMedian * gateOf(force).median / kGate32.median, kSingleWorst};
}

/// Largest coordinate, velocity component, source and response.
struct Largest {
    double length = 0, speed = 0, source = 0, response = 0;
};

/// Bodies among all, `count` at most, at equal distances.
std::vector<std::uint32_t> spreadTargets(std::size_t bodies, std::size_t count) {
    std::vector<std::uint32_t> targets(std::min(bodies, count));
    for (std::size_t k = 0; k < targets.size(); ++k) targets[k] = static_cast<std::uint32_t>(bodies * k / targets.size());
    return targets;
}
/// As many as may be compared: all of a small system, few of a large one.
std::size_t targetsFor(std::size_t bodies) { return std::max(kLeastTargets, kPairs / bodies); }

/// The same as referenceForces(), on all threads.
std::vector<Double4> forcesOn(const ParticleSet& bodies, std::span<const std::uint32_t> targets, const ForceSettings& force,
                              std::span<double> floors = {}) {
    const double share = floorShare(force);
    std::vector<Double4> sums =
        summed(bodies.size(), targets.size(), [&](std::size_t first, std::size_t last, std::span<Double4> some) {
            const std::span<const Double4> part = std::span(bodies.position).subspan(first, last - first);
            for (std::size_t k = 0; k < targets.size(); ++k)
                some[k] = plainForce(part, bodies.position[targets[k]], force, !floors.empty() && share > 0);
        });
    for (std::size_t k = 0; k < targets.size(); ++k) {
        const double response = bodies.velocity[targets[k]].w;
        if (!floors.empty()) floors[k] = share * std::abs(response) * sums[k].w;
        sums[k] = {response * sums[k].x, response * sums[k].y, response * sums[k].z, 0};
    }
    return sums;
}

/// A sample of the forces, and the rms of its accelerations.
struct Trial {
    ForceCheck check;
    double rms = 0;
};

Trial trial(const ParticleSet& bodies, const ForceSettings& force, const ForceTerms& others, double heaviest) {
    const std::size_t n = bodies.size();
    const std::vector<std::uint32_t> targets = spreadTargets(n, targetsFor(n));
    const std::size_t count = targets.size();
    std::vector<Double4> got = summed(n, count, [&](std::size_t first, std::size_t last, std::span<Double4> sums) {
        std::vector<Single> single(last - first);
        for (std::size_t i = first; i < last; ++i) single[i - first] = rounded(bodies.position[i]);
        forLaw<Laws>(force.law, [&]<template <class> class PairLaw>() {
            const PairLaw<float> law(force, smallestR2<float>(force, heaviest));
            for (std::size_t k = 0; k < count; ++k) sums[k] = pullOf(single, rounded(bodies.position[targets[k]]), law);
        });
    });
    for (std::size_t k = 0; k < count; ++k) {
        const auto response = static_cast<float>(bodies.velocity[targets[k]].w);
        const auto component = [&](double sum) {
            return static_cast<double>(kept(response * kept(static_cast<float>(sum))));
        };
        got[k] = {component(got[k].x), component(got[k].y), component(got[k].z), 0};
    }
    std::vector<double> floors(count);
    std::vector<Double4> want = forcesOn(bodies, targets, force, floors);
    const ForceCheck check = compareForces(got, want, allowed(force), floors);
    for (const auto& term : others) term->addAccelerations(termBodies(bodies), targets, want, {});
    double squares = 0;
    for (const Double4& a : want) squares += dot(xyz(a), xyz(a));
    return {check, std::sqrt(squares / static_cast<double>(count))};
}

/// The last place of a coordinate of this size in single precision.
double lastPlace(double coordinate) { return std::ldexp(1.0, std::ilogb(coordinate) - 23); }

/// Why single precision would compute close pairs wrongly; empty when it would not. `floor`: the least scale of relative
/// errors.
std::string spoiltPair(const ParticleSet& bodies, const ForceSettings& force, const Largest& largest, double floor) {
    const bool hidden = force.softening > kHiddenRoundings * largest.length * std::numeric_limits<float>::epsilon();
    if (hidden && lawRow(force.law).softened) {
        // A softened pull that falls with the distance changes fastest in its centre. Where even that is nothing, no pair is
        // searched: of 10 million bodies on two cores the search takes 3 s.
        const auto& pull = lawRow(force.law).forceOverDistance;
        const double slope = largest.response * largest.source * pull(force, 0);
        if (slope * lastPlace(largest.length) <= kSingleWorst * floor &&
            pull(force, 0) >= pull(force, largest.length * largest.length))
            return {};
    }
    const auto [worst, merged] = closePairs(bodies, force, floor);
    if (merged && !hidden)
        return "it cannot distinguish the positions of bodies " + std::to_string(merged->first) + " and " +
               std::to_string(merged->second) + " apart";
    if (worst.error <= kSingleWorst) return {};
    return formatted(
        "it would round the coordinates of body %u so that its force changes by up to %.1e: body %u is only %.2g "
        "away, %.2g from the origin",
        static_cast<unsigned>(worst.body), worst.error, static_cast<unsigned>(worst.neighbour), worst.distance,
        length(bodies.position[worst.body]));
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
            some.response = std::max(some.response, std::abs(v.w));
        }
        const std::lock_guard lock(together);
        all = {std::max(all.length, some.length), std::max(all.speed, some.speed), std::max(all.source, some.source),
               std::max(all.response, some.response)};
    });
    return all;
}

/// Bodies that a step moves by few roundings of their largest coordinate: a sample of them, the same for any threads.
std::vector<std::uint32_t> slowBodies(const ParticleSet& bodies, double timeStep, std::size_t most) {
    const std::size_t parts = (bodies.size() + kGrain - 1) / kGrain;
    std::vector<std::vector<std::uint32_t>> slow(parts);
    const auto thinned = [most](const std::vector<std::uint32_t>& all) {
        std::vector<std::uint32_t> some = spreadTargets(all.size(), most);
        for (std::uint32_t& k : some) k = all[k];
        return some;
    };
    parallelFor(parts, 0, 1, [&](std::size_t first, std::size_t last) {
        for (std::size_t part = first; part < last; ++part) {
            for (std::size_t i = part * kGrain; i < std::min((part + 1) * kGrain, bodies.size()); ++i) {
                const double coordinate = largestCoordinate(bodies.position[i]);
                const double moved = timeStep * length(xyz(bodies.velocity[i]));
                if (coordinate > 0 && moved < kRoundingsPerStep * lastPlace(coordinate))
                    slow[part].push_back(static_cast<std::uint32_t>(i));
            }
            slow[part] = thinned(slow[part]);
        }
    });
    std::vector<std::uint32_t> all;
    for (const auto& part : slow) all.insert(all.end(), part.begin(), part.end());
    return thinned(all);
}

/// Why single precision would round off the steps of bodies; empty when it would not.
std::string spoiltStep(const ParticleSet& bodies, const ForceSettings& force, const ForceTerms& others, double timeStep,
                       const Largest& largest) {
    const double dt = std::abs(timeStep);
    const std::vector<std::uint32_t> slow = slowBodies(bodies, dt, targetsFor(bodies.size()));
    std::vector<Double4> pulls = forcesOn(bodies, slow, force);
    for (const auto& term : others) term->addAccelerations(termBodies(bodies), slow, pulls, {});
    for (std::size_t k = 0; k < slow.size(); ++k) {
        const double coordinate = largestCoordinate(bodies.position[slow[k]]);
        const double own = length(xyz(bodies.velocity[slow[k]])), orbital = std::sqrt(length(xyz(pulls[k])) * coordinate);
        const double speed = std::max(own, orbital), place = lastPlace(coordinate);
        if (speed <= kAtRest * largest.speed || orbital * dt >= kRoundingsOnOrbit * place) continue;
        return formatted("a time step of %.2g moves body %u by %.2g, and it keeps a coordinate of %.2g to %.2g only",
                         timeStep, static_cast<unsigned>(slow[k]), speed * dt, coordinate, place);
    }
    return {};
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

std::string beyondSinglePrecision(const ParticleSet& bodies, const ForceSettings& force, const ForceTerms& others,
                                  double timeStep) {
    if (bodies.size() == 0) return {};
    if (force.precision == Precision::mixed) {
        for (const auto& term : others)
            if (std::string why = term->beyondSingle(termBodies(bodies), {.pairsAlone = true}); !why.empty()) return why;
        const Largest largest = largestOf(bodies);
        const PairUnits units = pairUnits(largest.length, largest.source, force);
        ForceSettings inUnits = settingsIn(units, force);
        inUnits.precision = Precision::fp32;
        return beyondSinglePrecision(bodiesIn(units, bodies), inUnits);
    }
    const Largest largest = largestOf(bodies);
    const double heaviest = largest.source;
    const auto inRange = [](double value) { return value == 0 || (value >= kSmallest && value <= 1e35); };
    if (!inRange(largest.length) || largest.length > kFarthestInSingle || !inRange(largest.speed) || !inRange(heaviest))
        return formatted("lengths of %.2g, speeds of %.2g or masses of %.2g leave its range", largest.length, largest.speed,
                         heaviest);
    const auto [check, rms] = trial(bodies, force, others, heaviest);
    if (!check.passed || !(check.max <= kSingleWorst))
        return formatted("its forces would be wrong by %.1e (median; worst %.1e) at lengths of %.2g and masses of %.2g",
                         check.median, check.max, largest.length, heaviest);
    const double floor = kCancellingShare * rms;
    if (std::string why = spoiltPair(bodies, force, largest, floor); !why.empty()) return why;
    for (const auto& term : others)
        if (std::string why = term->beyondSingle(termBodies(bodies), {.least = floor, .ahead = kStepsAhead * timeStep});
            !why.empty())
            return why;
    return timeStep != 0 ? spoiltStep(bodies, force, others, timeStep, largest) : std::string();
}

}  // namespace gravlab
