// What a run leaves of a galaxy over the radius: a picture and a table, for each galaxy that the scene tells apart.
#pragma once
#include "sim/io/file/atomic_file.h"
#include "sim/run/simulation.h"

#include <filesystem>
#include <string>
#include <vector>

namespace gravlab {

/// Below so many bodies the rings would be empty.
constexpr std::size_t kFewestOfProfile = 200;

/// Writes profile.png and profile.csv into the folder, or profile-1.png, ... with several galaxies; nothing for few bodies.
/// The names of what was written. Waits for a copy of the bodies. Throws IoError.
std::vector<std::string> writeRunProfiles(const std::filesystem::path& folder, Simulation& simulation, OutputSet& outputs);

}  // namespace gravlab
