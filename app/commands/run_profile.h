// Radial profiles of galaxies at the end of a run: a picture and a table for each galaxy of the scene.
#pragma once
#include "sim/io/file/atomic_file.h"
#include "sim/run/simulation.h"

#include <filesystem>
#include <string>
#include <vector>

namespace gravlab {

/// Fewer bodies would leave rings empty.
constexpr std::size_t kFewestOfProfile = 200;

/// Writes profile.png and profile.csv into the folder, or profile-1.png, ... with several galaxies; nothing for few bodies.
/// Returns the names of these files. Waits for a copy of the bodies. Throws IoError.
std::vector<std::string> writeRunProfiles(const std::filesystem::path& folder, Simulation& simulation, OutputSet& outputs);

}  // namespace gravlab
