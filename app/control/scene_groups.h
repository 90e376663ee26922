// Scenes by kind, for menus. Rule: every scene is in exactly one group, in the order of the scene table.
#pragma once
#include "sim/scenes/scene.h"

#include <cstddef>

namespace gravlab {

enum class SceneGroup { galaxies, clusters, famous, laws };

SceneGroup groupOf(const Scene& scene);
/// The scene at that place of its group; null after the last one.
const Scene* sceneOf(SceneGroup group, std::size_t place);

}  // namespace gravlab
