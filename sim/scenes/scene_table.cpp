// The rows of all scenes, joined.
#include "sim/core/names.h"
#include "sim/core/text.h"
#include "sim/scenes/scene.h"
#include "sim/scenes/scene_builder.h"

#include <algorithm>
#include <deque>
#include <set>
#include <stdexcept>
#include <tuple>
#include <vector>

namespace gravlab {

using namespace scenes;

namespace {

// The order of the menus: the best first, then by idea. Scenes that are missing here come last.
// clang-format off
constexpr std::string_view kOrder[] = {
    "collision", "disc", "plummer", "cube", "six-body", "figure-eight", "two-body", "galaxy", "andromeda", "antennae",
    "cartwheel", "minor-merger", "group", "stream", "satellite-decay", "hernquist", "king", "clumps", "expanding-box",
    "kepler-circular", "kepler-eccentric", "lagrange", "lagrange-stable", "super-eight", "pythagorean", "butterfly-1",
    "butterfly-2", "moth-1", "moth-2", "butterfly-3", "goggles", "dragonfly", "yin-yang-1a", "yin-yang-1b",
    "solar-system", "solar-system-j2000", "mercury", "s2", "ngon", "cold-collapse", "kepler-disc", "toomre-flyby",
    "toomre-retrograde", "toomre-bridge", "moon", "planetesimals", "rings"};
// clang-format on

/// A deque, so that references stay valid.
std::deque<Scene>& addedScenes() {
    static std::deque<Scene> rows;
    return rows;
}

/// All rows in the order of the menus, then the rows that newer versions have replaced.
const std::vector<Scene>& allScenes() {
    static const std::vector<Scene> rows = [] {
        std::vector<Scene> joined;
        for (const std::span<const Scene> part :
             {discScenes(), clusterScenes(), galaxyScenes(), expandingScenes(), fieldScenes(), fewBodyScenes(),
              threeBodyOrbitScenes(), solarSystemScenes(), toomreFlybyScenes(), lawScenes(), bondScenes(), contactScenes()})
            joined.insert(joined.end(), part.begin(), part.end());
        for (Scene& row : joined)
            if (row.fixedBodies != 0) row.bodiesGpu = row.bodiesCpu = row.fixedBodies;
        const auto older = [known = joined](const Scene& row) {
            return std::ranges::any_of(
                known, [&](const Scene& other) { return other.name == row.name && other.version > row.version; });
        };
        std::ranges::stable_sort(joined, {}, [&](const Scene& row) {
            return std::tuple(older(row), std::ranges::find(kOrder, row.name), -row.version);
        });
        return joined;
    }();
    return rows;
}

std::size_t newestScenes() {
    static const std::size_t count = [] {
        std::set<std::string_view> names;
        for (const Scene& row : allScenes()) names.insert(row.name);
        return names.size();
    }();
    return count;
}

}  // namespace

RunUnits runUnits(const SceneUnits& units) {
    const auto sizeOf = [](std::string_view name) { return parsedUnit(name).value_or(ParsedUnit{.factor = 0}).factor; };
    return {sizeOf(units.length) * units.lengthScale, sizeOf(units.mass) * units.massScale,
            sizeOf(units.time) * units.timeScale};
}

std::span<const Scene> sceneTable() { return std::span(allScenes()).first(newestScenes()); }
std::span<const Scene> olderScenes() { return std::span(allScenes()).subspan(newestScenes()); }

void requireParameters(const Scene& scene, const SceneParameters& parameters) {
    for (const auto& [name, value] : parameters) {
        if (scene.parameters.empty())
            throw UsageError("the scene '" + std::string(scene.name) + "' has no parameters, so '" + name + "' is none");
        const SceneParameter& row =
            findRow(scene.parameters, "parameter of the scene '" + std::string(scene.name) + "':", name);
        if (value >= row.least && value <= row.most) continue;
        const std::string text = formatted(" = %g is out of range; allowed are %g to %g", value, row.least, row.most);
        throw UsageError("the scene's parameter '" + name + "'" + text);
    }
}

bool addScene(const Scene& scene) {
    if (std::ranges::any_of(addedScenes(), [&](const Scene& known) { return known.name == scene.name; }))
        throw std::logic_error("the scene '" + std::string(scene.name) + "' exists already");
    addedScenes().push_back(scene);
    return true;
}

const Scene& sceneNamed(std::string_view name, std::optional<int> version) {
    for (const Scene& scene : addedScenes())
        if (scene.name == name) return scene;
    const Scene& newest = findRow(sceneTable(), "scene", name);
    if (!version || *version == newest.version) return newest;
    for (const Scene& scene : olderScenes())
        if (scene.name == name && scene.version == *version) return scene;
    throw UsageError("the scene '" + std::string(name) + "' has no version " + std::to_string(*version) +
                     " here; it has 1 to " + std::to_string(newest.version));
}

}  // namespace gravlab
