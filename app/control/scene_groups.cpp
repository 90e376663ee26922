// What a scene is: by its law, by how many bodies it is made for, and by name where these do not tell.
#include "app/control/scene_groups.h"

#include <algorithm>
#include <iterator>

namespace gravlab {
namespace {

constexpr std::size_t kFew = 100;
constexpr std::string_view kClusters[] = {"plummer", "cube",          "hernquist",     "king",
                                          "clumps",  "expanding-box", "cold-collapse", "kepler-disc"};

}  // namespace

SceneGroup groupOf(const Scene& scene) {
    if (scene.law != Law::gravity) return SceneGroup::laws;
    if (scene.bodiesGpu <= kFew) return SceneGroup::famous;
    const bool cluster = std::find(std::begin(kClusters), std::end(kClusters), scene.name) != std::end(kClusters);
    return cluster ? SceneGroup::clusters : SceneGroup::galaxies;
}

const Scene* sceneOf(SceneGroup group, std::size_t place) {
    for (const Scene& row : sceneTable())
        if (groupOf(row) == group && place-- == 0) return &row;
    return nullptr;
}

}  // namespace gravlab
