// Scenes by kind, for menus. Rule: every scene is in exactly one group, in the order of the scene table.
#pragma once
#include "sim/scenes/scene.h"

#include <array>
#include <cstddef>
#include <string_view>

namespace gravlab {

/// All groups in the order of the menus, and their names there.
inline constexpr std::array<SceneGroup, 4> kSceneGroups = {SceneGroup::galaxies, SceneGroup::clusters, SceneGroup::famous,
                                                           SceneGroup::laws};
constexpr std::string_view labelOf(SceneGroup group) {
    constexpr std::array<std::string_view, 4> kLabels = {"Galaxies", "Clusters and boxes", "Famous few-body orbits",
                                                         "Other laws"};
    return kLabels[static_cast<std::size_t>(group)];
}
SceneGroup groupOf(const Scene& scene);
/// The scene at that index of its group; null after the last one.
const Scene* sceneOf(SceneGroup group, std::size_t place);

}  // namespace gravlab
