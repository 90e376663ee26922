// A galaxy over its radius as plots, table and page. Data in, plots out; in the scene's own units where it has names for
// them.
#pragma once
#include "app/plots/plot.h"
#include "sim/io/file/byte_sink.h"
#include "sim/measure/profile.h"
#include "sim/scenes/scene.h"

#include <array>
#include <filesystem>
#include <string>

namespace gravlab {

/// Rotation (measured, and two circular velocities), surface density, dispersions, Toomre Q.
std::array<Plot, 4> profilePlots(const Profile& profile, const SceneUnits& units);

/// What was measured, in a line: centre, how many bodies were looked at, how ordered they turn.
std::string profileText(const Profile& profile, const ProfileRequest& request, const SceneUnits& units);

/// A row for each ring, in units of the scene with G = 1; an empty cell where a number does not exist.
std::string profileTable(const Profile& profile, const SceneUnits& units = {});

/// All four plots on a white page. Throws IoError.
void writeProfile(ByteSink& file, const std::string& title, const std::string& facts, const Profile& profile,
                  const SceneUnits& units);

}  // namespace gravlab
