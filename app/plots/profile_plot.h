// The radial profile of a galaxy as plots and table. Data in, plots out; in the scene's units when they have names.
#pragma once
#include "app/plots/plot.h"
#include "sim/measure/profile.h"
#include "sim/scenes/scene.h"

#include <array>
#include <string>

namespace gravlab {

/// Rotation (measured, and two circular velocities), surface density, dispersions, Toomre Q.
std::array<Plot, 4> profilePlots(const Profile& profile, const SceneUnits& units);

/// The measurement in one line: centre, number of bodies, and how ordered the rotation is.
std::string profileText(const Profile& profile, const ProfileRequest& request, const SceneUnits& units);

/// A row for each ring, in units of the scene with G = 1; an empty cell for a missing number.
std::string profileTable(const Profile& profile, const SceneUnits& units = {});

}  // namespace gravlab
