// Compares accelerations of sampled bodies with fp64: relative errors, and a NaN never passes.
#pragma once
#include "sim/api/law.h"
#include "sim/core/particles.h"

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

namespace gravlab {

/// The limits below which a result is called verified.
struct ForceGate {
    double median = 1e-6;
    double p999 = 5e-6;
    /// The limit for 99 % of all bodies, judged by a sample; see mostOutside().
    double p99 = std::numeric_limits<double>::infinity();
};
constexpr ForceGate kGate32{};
constexpr ForceGate kSteepGate32{1e-5, 1e-4};
constexpr ForceGate kGate64{1e-13, 1e-12};

/// The gate for a method in which 99 % of the bodies keep an allowed relative error.
constexpr ForceGate gateOfAccuracy(double allowedError) {
    return {.median = allowedError, .p999 = 5 * allowedError, .p99 = allowedError};
}

/// The gate of a sum of forces: the looser limit of each, because a sum is no more exact than its worst term.
ForceGate looser(const ForceGate& a, const ForceGate& b);

/// How many of `samples` random bodies may exceed a limit that 99 % of all bodies keep: the mean plus four standard
/// deviations of the binomial distribution.
std::size_t mostOutside(std::size_t samples);

/// The outcome of one comparison: |a - a64| / |a64| over the sampled bodies.
struct ForceCheck {
    std::size_t samples = 0, nonFinite = 0;
    double median = 0, p99 = 0, p999 = 0, max = 0;
    std::uint32_t worst = 0;  ///< index of the body with the largest error
    bool passed = false;
    double allowed = 0;        ///< the error that 99 % of the bodies may have; 0: rounding only
    double momentum = -1;      ///< |sum of m a| over the sum of |m a| of all bodies; below 0: not measured
    std::string term{};        ///< the term that failed, when several act; empty: the pair law
    std::string text() const;  ///< one line for people
    bool operator==(const ForceCheck&) const = default;
};

/// Where forces nearly cancel, |a| does not show the size of the terms. The error of such bodies is relative to this
/// fraction of the rms acceleration.
constexpr double kCancellingShare = 1e-3;

/// Compares two sets of accelerations (xyz; w ignored), same length and order. When the forces on a body cancel, its error
/// is relative to 1e-3 of the rms acceleration, or to its entry in `floors` if larger. When there is no force at all, every
/// acceleration must be exactly zero. Passes only if some body was compared, all values are finite, and median and 99.9 %
/// keep the gate. A NaN never passes.
ForceCheck compareForces(std::span<const Double4> got, std::span<const Double4> want, ForceGate gate,
                         std::span<const double> floors = {});

/// The bodies to check: first, last, tile edges, the heaviest, and a stride through the rest; at most `count`.
constexpr std::size_t kSampled = 256;
std::vector<std::uint32_t> sampleTargets(std::span<const Double4> positions, std::size_t count = kSampled);
std::vector<std::uint32_t> sampleTargets(std::size_t bodies, std::size_t heaviest, std::size_t count);

/// `count` random bodies of `bodies` in rising order, always the same ones; all bodies when there are no more.
std::vector<std::uint32_t> randomTargets(std::size_t bodies, std::size_t count = 1024);

/// fp64 accelerations of `targets` from fp64 or rounded positions: one plain loop. Softening [L].
void referenceGravity(std::span<const Double4> positions, std::span<const std::uint32_t> targets, double softening,
                      std::span<Double4> out);

/// The same under any law. `velocities` hold the responses in w; empty: all 1. `floors`, if given, receives the least scale
/// for relative errors: floorShare(), or `leastShare` if larger, of the summed sizes of the target's pair forces.
void referenceForces(std::span<const Double4> positions, std::span<const Double4> velocities,
                     std::span<const std::uint32_t> targets, const ForceSettings& force, std::span<Double4> out,
                     std::span<double> floors = {}, double leastShare = 0);

/// Under any law, errors are relative to at least this fraction of the summed sizes. Where pulls cancel, as in the middle of
/// a flat cloth, their rounding remains. A gate for rounding then allows less than one unit in the last place of these
/// sizes: 5e-6 of a fiftieth is 1e-7. A gate for an accuracy has none.
double leastShare(const ForceGate& gate);

/// The least scale of errors, as a fraction: a tenth for charges and molecules, whose pairs both attract and repel. In a
/// crystal such forces nearly cancel, and the rounding of their terms is no fault. 0 for other laws.
double floorShare(const ForceSettings& force);

/// The gate for accelerations of this law in this precision. Steep laws (a fractional power of the distance, the wall of
/// Lennard-Jones) turn the rounding of a distance into ten times as much force.
ForceGate gateOf(const ForceSettings& force);

}  // namespace gravlab
