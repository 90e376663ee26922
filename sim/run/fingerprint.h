// A name for the start of a scene and its state after some steps of the reference backend. Two machines that print the same
// name compute the same.
// Rule: only additions, products, divisions and square roots lie between the start and the name.
#pragma once
#include "sim/run/simulation.h"

#include <cstdint>
#include <string>

namespace gravlab {

struct Fingerprint {
    RunConfiguration configuration;
    std::int64_t steps = 0;
    std::string start;  ///< SHA-256 of the rounded start
    std::string state;  ///< SHA-256 of the state after the steps
};

/// The reference backend takes some 10 ns a pair.
constexpr std::size_t kFingerprintBodies = 4096;
constexpr std::int64_t kFingerprintSteps = 16;

/// Builds the scene, rounds every number of its start to fp32, runs `steps` steps of the reference backend and hashes.
///
/// Rounding: builders call sin, cos, log and pow, whose last bit depends on the mathematical library. Numbers that differ in
/// the last of 53 bits agree in the first 24, except for about one in 10^8. Steps of gravity use only operations that IEEE
/// 754 defines to the last bit, and are compiled without fused multiply-adds. Laws and integrators that call pow in their
/// steps (power-law, radau15) are as portable as pow is.
///
/// Hashed: for every body in order its id (4 bytes) and x, y, z, source, vx, vy, vz, response (8 bytes each), little-endian,
/// with -0 as 0. An open number of bodies is the scene's own, at most 1,024. Throws UsageError for more than
/// kFingerprintBodies, and for a state that is not finite.
Fingerprint fingerprint(RunRequest request, std::int64_t steps = kFingerprintSteps);

/// The hash alone. It includes the terms beside the pair law: kind and numbers of each one, before the bodies.
std::string hashOf(const ParticleSet& bodies, const ForceTerms& others = {});

/// One line: "plummer, 256 bodies, seed 1, 16 steps of leapfrog: 0123456789abcdef". Settings that differ from the scene's,
/// such as "dt 0.02, ", stand before the steps.
std::string fingerprintText(const Fingerprint& print);

/// The fingerprint of a scene with its numbers, seed, time step, law and integrator, of at most 256 bodies so that it costs
/// milliseconds; empty when there is none (bodies of a file, a state that is not finite).
std::string shortFingerprint(const RunRequest& request);

}  // namespace gravlab
