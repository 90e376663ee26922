// The table of scenes; scene_table.cpp joins its rows.
#pragma once
#include "sim/api/scene.h"
#include "sim/forces/force_term.h"

#include <optional>
#include <span>
#include <string_view>

namespace gravlab {

/// All scenes, in the order of the menus; the default is `collision`. Valid as long as the program runs.
std::span<const Scene> sceneTable();
/// Rows that newer versions have replaced, for files that name them.
std::span<const Scene> olderScenes();
/// The row with that name and version; without a version the newest. Throws UsageError with the valid names.
const Scene& sceneNamed(std::string_view name, std::optional<int> version = {});
/// Throws UsageError, naming what is valid, when a name is not a parameter of the scene or a number is out of range.
void requireParameters(const Scene& scene, const SceneParameters& parameters);

}  // namespace gravlab
