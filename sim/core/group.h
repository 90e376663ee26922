// The group of a body: which galaxy (or species of the scene's own, or single body) it started in, and of what kind it is.
// Rule: a name and no number; nothing of the motion depends on it.
#pragma once
#include <cstdint>

namespace gravlab {

constexpr int kMostGalaxies = 64;  ///< that groups can tell apart

/// What a body of a galaxy is: the two highest bits of its group, so that pictures can tell stars from dark matter.
enum class Species : std::uint8_t { disc = 0, bulge = 1, halo = 2 };

constexpr Species speciesOf(std::uint8_t group) { return static_cast<Species>(group >> 6); }
/// Which galaxy a body started in.
constexpr int galaxyOf(std::uint8_t group) { return group & (kMostGalaxies - 1); }
/// Whether the body is dark matter.
constexpr bool isDark(std::uint8_t group) { return speciesOf(group) == Species::halo; }

}  // namespace gravlab
