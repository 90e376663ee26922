// The group of a body: the galaxy in which it started (or a species or a single body of the scene), and its kind. Rule: a
// group is a label; the motion does not depend on it.
#pragma once
#include <cstdint>

namespace gravlab {

constexpr int kMostGalaxies = 64;  ///< galaxies that groups can tell apart

/// The kind of a body of a galaxy: the two highest bits of its group, so that pictures can tell stars from dark matter.
enum class Species : std::uint8_t { disc = 0, bulge = 1, halo = 2 };

constexpr Species speciesOf(std::uint8_t group) { return static_cast<Species>(group >> 6); }
/// The galaxy in which a body started.
constexpr int galaxyOf(std::uint8_t group) { return group & (kMostGalaxies - 1); }
/// Whether the body is dark matter.
constexpr bool isDark(std::uint8_t group) { return speciesOf(group) == Species::halo; }

}  // namespace gravlab
