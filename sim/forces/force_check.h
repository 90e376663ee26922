// Is a force right? Comparison of accelerations with fp64, relative, NaN-safe, on sampled bodies.
#pragma once
#include "sim/core/particles.h"
#include "sim/forces/force_settings.h"

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

namespace gravlab {

/// What a result must meet to be called verified.
struct ForceGate {
    double median = 1e-6;
    double p999 = 5e-6;
    /// What 99 % of all bodies keep, judged by a sample of them; see mostOutside().
    double p99 = std::numeric_limits<double>::infinity();
};
constexpr ForceGate kGate32{};
constexpr ForceGate kSteepGate32{1e-5, 1e-4};
constexpr ForceGate kGate64{1e-13, 1e-12};

/// For bodies of which 99 % keep a relative error that was allowed.
constexpr ForceGate gateOfAccuracy(double allowedError) {
    return {.median = allowedError, .p999 = 5 * allowedError, .p99 = allowedError};
}

/// What a sum of forces keeps of which each keeps its own gate: it is no more exact than the worst of them.
ForceGate looser(const ForceGate& a, const ForceGate& b);

/// How many of `samples` random bodies may be outside of what 99 % of all keep, without a doubt that they do: four standard
/// deviations of the binomial distribution.
std::size_t mostOutside(std::size_t samples);

/// The outcome of one comparison: |a - a64| / |a64| over the sampled bodies.
struct ForceCheck {
    std::size_t samples = 0, nonFinite = 0;
    double median = 0, p99 = 0, p999 = 0, max = 0;
    std::uint32_t worst = 0;  ///< index of the body with the largest error
    bool passed = false;
    double allowed = 0;        ///< that 99 % of the bodies may have; 0: rounding only
    double momentum = -1;      ///< |sum of m a| over the sum of |m a| of all bodies; below 0: not looked at
    std::string term{};        ///< whose force failed, where several act; empty: the pair law's
    std::string text() const;  ///< one line for people
    bool operator==(const ForceCheck&) const = default;
};

/// Where forces nearly cancel, |a| says nothing about the size of the terms: such bodies are held against this share of the
/// rms acceleration instead.
constexpr double kCancellingShare = 1e-3;

/// Compares two sets of accelerations (xyz; w ignored), same length and order. Bodies whose forces cancel are judged against
/// 1e-3 of the rms acceleration, and against their `floors`, where given; where there is no force at all, every acceleration
/// must be exactly zero. Passes only if some body was compared, all values are finite and median and 99.9 % meet the gate; a
/// NaN never passes.
ForceCheck compareForces(std::span<const Double4> got, std::span<const Double4> want, ForceGate gate,
                         std::span<const double> floors = {});

/// Which bodies to check: first, last, tile edges, the heaviest, and a stride through the rest; at most `count`.
std::vector<std::uint32_t> sampleTargets(std::span<const Double4> positions, std::size_t count = 256);

/// `count` bodies of `bodies` at random, always the same; all where there are no more. In order.
std::vector<std::uint32_t> randomTargets(std::size_t bodies, std::size_t count = 1024);

/// fp64 accelerations of `targets` from fp64 or rounded positions: one plain loop. Softening [L].
void referenceGravity(std::span<const Double4> positions, std::span<const std::uint32_t> targets, double softening,
                      std::span<Double4> out);

/// The same under any law. `velocities` hold the responses in w; empty: all 1. `floors`, where given, get what the errors
/// are at least held against: floorShare() of the summed sizes of the target's pair forces.
void referenceForces(std::span<const Double4> positions, std::span<const Double4> velocities,
                     std::span<const std::uint32_t> targets, const ForceSettings& force, std::span<Double4> out,
                     std::span<double> floors = {});

/// A tenth where pairs push as well as pull, charges and molecules: a body in a crystal feels next to nothing of what
/// its neighbours do to it, and the rounding of their parts is no fault. 0 for other laws.
double floorShare(const ForceSettings& force);

/// What an acceleration of this law in this precision is held against. Steep laws (a power of the distance that is not
/// whole, the wall of Lennard-Jones) turn the rounding of a distance into ten times as much force.
ForceGate gateOf(const ForceSettings& force);

}  // namespace gravlab
