// What the builders of scenes share. Rule: same request, same bytes, for any number of threads. G = 1.
#pragma once
#include "sim/core/random.h"
#include "sim/scenes/scene.h"

#include <cmath>
#include <cstddef>
#include <functional>
#include <span>

namespace gravlab::scenes {

/// A body as a builder makes it, of response 1 (see ParticleSet).
struct Body {
    Vec3d position{}, velocity{};  ///< [L], [L/T]
    double mass = 0;               ///< [M]
    std::uint8_t group = 0;
};

/// Calls body(i, random) for all i < count, each with a stream of its own, and numbers the ids from 0.
ParticleSet makeBodies(std::size_t count, std::uint64_t seed,
                       const std::function<Body(std::size_t i, Random& random)>& body);

/// The bodies of a list, each in a group of its own.
ParticleSet listedBodies(std::span<const Body> list);

/// Radius of a Plummer sphere of radius `scale` within which `share` of the mass lies, 0 < share < 1.
inline double plummerRadius(double share, double scale) { return scale / std::sqrt(std::pow(share, -2.0 / 3) - 1); }

/// Mass share of an exponential disc within x scale lengths.
inline double discShare(double x) { return 1 - (1 + x) * std::exp(-x); }

/// Moves the centre of mass to the origin and takes out its velocity.
void centre(ParticleSet& bodies);

}  // namespace gravlab::scenes
