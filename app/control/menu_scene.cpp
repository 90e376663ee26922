// The rows of the menu Scene: nine scenes with digit keys, every scene in its group, and the number of bodies.
#include "app/control/action.h"
#include "app/control/scene_groups.h"

#include <algorithm>
#include <iterator>

namespace gravlab {
namespace {

constexpr std::string_view kPresets[] = {"collision", "galaxy",        "antennae",     "cartwheel",   "andromeda",
                                         "group",     "expanding-box", "solar-system", "figure-eight"};

/// The newest request, or else the value in force.
std::size_t bodies(const KeyTarget& t) { return t.intent.request.bodies.value_or(t.facts.configuration.bodies); }

Reason fixedBodies(const KeyTarget& t) {
    const Scene& scene = *t.facts.scene;
    if (scene.fixedBodies == 0) return {};
    return "The scene '" + std::string(scene.name) + "' always has " + std::to_string(scene.fixedBodies) + " bodies.";
}

SettingChoice entry(const KeyTarget& t, const Scene& row) {
    return {.name = std::string(row.name), .idea = row.idea, .chosen = &row == t.facts.scene};
}

/// A list of the scenes of a group.
template <SceneGroup group>
constexpr Action opens(std::string_view name, std::string_view idea, bool line = false) {
    return does(name, labelOf(group), idea,
                {.act =
                     [](KeyTarget& t, int which) {
                         if (const Scene* row = sceneOf(group, static_cast<std::size_t>(which)))
                             t.intent.request.changeScene(row->name);
                     },
                 .choices =
                     [](const KeyTarget& t) {
                         std::vector<SettingChoice> all;
                         while (const Scene* row = sceneOf(group, all.size())) all.push_back(entry(t, *row));
                         return all;
                     },
                 .line = line});
}

constexpr Action kScene[] = {
    does("presets", "Nine to show",
         "nine scenes to show: collision, galaxy, antennae, cartwheel, andromeda, group, expanding-box, solar-system, "
         "figure-eight",
         {.strokes = {{Key{'1'}, kNoModifier, Key{'9'}}, {Key::pad1, kNoModifier, Key::pad9}},
          .parameter = "run.scene",
          .act =
              [](KeyTarget& t, int which) {
                  t.intent.request.changeScene(kPresets[static_cast<std::size_t>(which) % std::size(kPresets)]);
              },
          .choices =
              [](const KeyTarget& t) {
                  std::vector<SettingChoice> all;
                  for (const std::string_view name : kPresets) all.push_back(entry(t, sceneNamed(name)));
                  return all;
              }}),
    does("scenes", "All scenes ...", "the pictures of all scenes, to look through, search and choose from",
         {.strokes = {{Key{'N'}, kControl}}, .parameter = "window.scenes", .redirects = true}),
    opens<SceneGroup::galaxies>("scene-galaxies", "galaxies, alone and in encounters", true),
    opens<SceneGroup::clusters>("scene-clusters", "star clusters, collapses and an expanding box"),
    opens<SceneGroup::famous>("scene-famous", "two to nine bodies with known answers"),
    opens<SceneGroup::laws>("scene-laws", "charges, power laws and molecules"),
    nexts("scene-next", "Next", "next scene", "run.scene", {Key{']'}}, 1, true),
    nexts("scene-previous", "Previous", "previous scene", "run.scene", {Key{'['}}, -1),
    does("more-bodies", "Twice the bodies", "twice the bodies",
         {.strokes = {{Key::pageUp}},
          .parameter = "run.bodies",
          .act = [](KeyTarget& t, int) { t.intent.request.bodies = 2 * bodies(t); },
          .unavailable = fixedBodies,
          .line = true}),
    does("fewer-bodies", "Half the bodies", "half the bodies",
         {.strokes = {{Key::pageDown}},
          .parameter = "run.bodies",
          .act = [](KeyTarget& t, int) { t.intent.request.bodies = std::max<std::size_t>(bodies(t) / 2, 1); },
          .unavailable = fixedBodies}),
    does("next-seed", "Another seed", "other bodies of the same scene: the next seed",
         {.act = [](KeyTarget& t, int) { ++t.intent.request.seed; }}),
};

}  // namespace

SceneGroup groupOf(const Scene& scene) {
    constexpr std::size_t kFew = 100;
    if (scene.law != Law::gravity) return SceneGroup::laws;
    return scene.bodiesGpu <= kFew ? SceneGroup::famous : scene.group;
}

const Scene* sceneOf(SceneGroup group, std::size_t place) {
    for (const Scene& row : sceneTable())
        if (groupOf(row) == group && place-- == 0) return &row;
    return nullptr;
}

std::span<const Action> sceneActions() { return kScene; }

}  // namespace gravlab
