// The rows of each file of scenes; scene_table.cpp joins them.
#pragma once
#include "sim/scenes/scene.h"

#include <span>

namespace gravlab::scenes {

std::span<const Scene> bondScenes();            // cloth, jelly, rope, hub, tidal-chain
std::span<const Scene> clusterScenes();         // plummer, cube, hernquist, king, clumps, cold-collapse
std::span<const Scene> contactScenes();         // planetesimals, rings, moon
std::span<const Scene> discScenes();            // collision, disc, kepler-disc
std::span<const Scene> expandingScenes();       // expanding-box
std::span<const Scene> fewBodyScenes();         // two bodies to a dozen
std::span<const Scene> fieldScenes();           // mercury, s2, stream, satellite-decay
std::span<const Scene> galaxyScenes();          // galaxy, andromeda, antennae, cartwheel, minor-merger, group
std::span<const Scene> lawScenes();             // charges, power-law, lennard-jones, ions, molecule
std::span<const Scene> solarSystemScenes();     // the planets, from two sources
std::span<const Scene> threeBodyOrbitScenes();  // Suvakov & Dmitrasinovic 2013
std::span<const Scene> toomreFlybyScenes();     // direct, retrograde, small companion

}  // namespace gravlab::scenes
