// The rows of the menu Scene: nine scenes with digit keys, every scene in its group, and the number of bodies.
#include "app/control/action.h"
#include "app/control/scene_groups.h"

#include <algorithm>
#include <iterator>

namespace gravlab {
namespace {

constexpr std::string_view kPresets[] = {"collision", "galaxy",        "antennae",     "cartwheel",   "andromeda",
                                         "group",     "expanding-box", "solar-system", "figure-eight"};

void changeScene(KeyTarget& t, std::ptrdiff_t by) {
    const auto rows = sceneTable();
    const auto found = std::find_if(rows.begin(), rows.end(), [&](const Scene& row) { return &row == t.facts.scene; });
    // A file is not among the rows: the first row follows it.
    const std::ptrdiff_t now = found != rows.end() ? found - rows.begin() : by > 0 ? -1 : 0;
    const auto n = static_cast<std::ptrdiff_t>(rows.size());
    t.intent.request.changeScene(rows[static_cast<std::size_t>((now + by + n) % n)].name);
}

/// The newest request, or else the value in force.
std::size_t bodies(const KeyTarget& t) { return t.intent.request.bodies.value_or(t.facts.configuration.bodies); }

Reason fixedBodies(const KeyTarget& t) {
    const Scene& scene = *t.facts.scene;
    if (scene.fixedBodies == 0) return {};
    return "The scene '" + std::string(scene.name) + "' always has " + std::to_string(scene.fixedBodies) + " bodies.";
}

bool entry(const KeyTarget& t, const Scene* row, SettingChoice& out) {
    if (!row) return false;
    out = {.name = std::string(row->name), .idea = row->idea, .chosen = row == t.facts.scene};
    return true;
}

template <SceneGroup group>
bool groupChoice(const KeyTarget& t, int which, SettingChoice& out) {
    return entry(t, sceneOf(group, static_cast<std::size_t>(which)), out);
}
template <SceneGroup group>
void openGroup(KeyTarget& t, int which) {
    if (const Scene* row = sceneOf(group, static_cast<std::size_t>(which))) t.intent.request.changeScene(row->name);
}

constexpr Action kScene[] = {
    does("presets", "Nine to show",
         "nine scenes to show: collision, galaxy, antennae, cartwheel, andromeda, group, expanding-box, solar-system, "
         "figure-eight",
         {.strokes = {{Key::digit1, kNoModifier, Key::digit9}, {Key::pad1, kNoModifier, Key::pad9}},
          .parameter = "run.scene",
          .act =
              [](KeyTarget& t, int which) {
                  t.intent.request.changeScene(kPresets[static_cast<std::size_t>(which) % std::size(kPresets)]);
              },
          .choice =
              [](const KeyTarget& t, int which, SettingChoice& out) {
                  return static_cast<std::size_t>(which) < std::size(kPresets) &&
                         entry(t, &sceneNamed(kPresets[static_cast<std::size_t>(which)]), out);
              }}),
    does("scenes", "All scenes ...", "the pictures of all scenes, to look through, search and choose from",
         {.strokes = {{Key::letterN, kControl}}, .parameter = "window.scenes", .redirects = true}),
    does("scene-galaxies", labelOf(SceneGroup::galaxies), "galaxies, alone and in encounters",
         {.act = openGroup<SceneGroup::galaxies>, .choice = groupChoice<SceneGroup::galaxies>, .line = true}),
    does("scene-clusters", labelOf(SceneGroup::clusters), "star clusters, collapses and an expanding box",
         {.act = openGroup<SceneGroup::clusters>, .choice = groupChoice<SceneGroup::clusters>}),
    does("scene-famous", labelOf(SceneGroup::famous), "two to nine bodies with known answers",
         {.act = openGroup<SceneGroup::famous>, .choice = groupChoice<SceneGroup::famous>}),
    does("scene-laws", labelOf(SceneGroup::laws), "charges, power laws and molecules",
         {.act = openGroup<SceneGroup::laws>, .choice = groupChoice<SceneGroup::laws>}),
    does("scene-next", "Next", "next scene",
         {.strokes = {{Key::rightBracket}},
          .parameter = "run.scene",
          .act = [](KeyTarget& t, int) { changeScene(t, 1); },
          .line = true}),
    does("scene-previous", "Previous", "previous scene",
         {.strokes = {{Key::leftBracket}}, .parameter = "run.scene", .act = [](KeyTarget& t, int) { changeScene(t, -1); }}),
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
