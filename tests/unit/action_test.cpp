// The table of actions: every row describes itself, no key has two meanings, and each page made from the table matches it.
#include "app/control/action.h"
#include "app/control/scene_groups.h"
#include "app/parameters/parameter.h"
#include "cli_support.h"
#include "tests/paths.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <map>
#include <set>

namespace gravlab {
namespace {

TEST(Actions, haveNamesIdeasAndSomethingToDo) {
    std::set<std::string_view> names;
    for (const Menu& menu : menus())
        for (const Action& action : menu.rows) {
            EXPECT_TRUE(names.insert(action.name).second) << action.name << " is there twice";
            EXPECT_FALSE(action.label.empty()) << action.name;
            EXPECT_FALSE(action.idea.empty()) << action.name;
            EXPECT_LT(action.label.size(), 28u) << action.name << " makes its menu wide";
            EXPECT_TRUE(action.act || action.effect || action.next != 0 || hasChoices(action) || hasState(action))
                << action.name << " does nothing";
            EXPECT_TRUE(action.parameter.empty() || findParameter(action.parameter)) << action.name;
        }
    EXPECT_EQ(findAction("run")->label, "Run");
    EXPECT_EQ(findAction("no such action"), nullptr);
}

/// A backend may describe its kernel by a row of its own; the list still opens at it.
TEST(Actions, theListOfKernelsKnowsThePresentOneByItsName) {
    const KernelRow own = kernel("cuda", "symmetric");
    Document d;
    d.facts.scene = &sceneNamed("plummer");
    d.facts.kernel = &own;
    std::vector<std::string> chosen;
    for (const SettingChoice& offer : offersOf(*findParameter("run.kernel"), d))
        if (offer.chosen) chosen.push_back(offer.name);
    EXPECT_EQ(chosen, std::vector<std::string>{"symmetric"});
}

/// One key goes from a million bodies with the tree to every pair of 65,536, and back.
TEST(Actions, goToEveryPairForTuningAndBack) {
    const Action& row = actionOf("lab-pairs");
    Document d;
    d.facts.scene = &sceneNamed("galaxy");
    d.facts.configuration.scene = "galaxy";
    d.facts.configuration.backend = "cuda";
    d.facts.configuration.bodies = 1048576;
    d.facts.kernel = &kernel("cuda", "tree");
    d.intent.request.scene = "galaxy";
    d.intent.request.farField = true;
    const RunRequest before = d.intent.request;
    invoke(row, {}, d);
    EXPECT_TRUE(isOn(row, d));
    EXPECT_EQ(d.intent.request.bodies, 65536u);
    EXPECT_FALSE(d.intent.request.farField);
    EXPECT_TRUE(d.labPanel.shows(LabPage::launch));
    const KernelRequest tuned{.kernel = "tiled", .launch = {.block = 256}};
    d.intent.request.pairs().kernel = tuned;
    d.intent.request.seed = 7;
    invoke(row, {}, d);
    EXPECT_FALSE(isOn(row, d));
    EXPECT_FALSE(d.labPanel.open);
    RunRequest after = before;
    after.seed = 7;
    EXPECT_TRUE(d.intent.request == after) << "what was changed besides stays";
    invoke(row, {}, d);
    EXPECT_TRUE(d.intent.request.pairs().kernel == tuned) << "what was tuned is there again";
    // After undo the key applies the tree again.
    d.intent.request = before;
    EXPECT_FALSE(isOn(row, d));
    invoke(row, {}, d);
    EXPECT_EQ(d.intent.request.bodies, 65536u);
    // In another scene the earlier number of bodies means nothing.
    d.intent.request.scene = "collision";
    invoke(row, {}, d);
    EXPECT_FALSE(d.intent.request.bodies);
}

/// Every key with its modifiers -> how many rows have it.
std::map<std::pair<int, int>, int> owners(std::span<const Menu> all) {
    std::map<std::pair<int, int>, int> count;
    for (const Menu& menu : all)
        for (const Action& action : menu.rows)
            for (const KeyStroke& stroke : action.strokes) {
                if (stroke.key == Key::none) continue;
                const int last = static_cast<int>(stroke.last == Key::none ? stroke.key : stroke.last);
                for (int key = static_cast<int>(stroke.key); key <= last; ++key) ++count[{key, stroke.modifiers}];
            }
    return count;
}

TEST(Actions, haveEachKeyOnce) {
    for (const auto& [key, count] : owners(menus())) EXPECT_EQ(count, 1) << "key " << key.first << " with " << key.second;
    const Menu twice[] = {menus().front(), menus().front()};
    EXPECT_EQ(owners(twice).begin()->second, 2) << "the count sees nothing";
}

TEST(Actions, areReadAsTheirKeys) {
    EXPECT_EQ(keyText(*findAction("run")), "Space");
    EXPECT_EQ(keyText(*findAction("step")), "N, Right");
    EXPECT_EQ(keyText(*findAction("save")), "Ctrl S");
    EXPECT_EQ(keyText(*findAction("presets")), "1 .. 9");
    EXPECT_EQ(keyText(*findAction("presets"), 2), "3");
    EXPECT_EQ(keyText(*findAction("recall-view"), 0), "Alt 1");
    EXPECT_EQ(keyText(*findAction("full-screen")), "F11, Alt Enter");
    EXPECT_EQ(keyText(*findAction("brighter")), "+");
    EXPECT_EQ(keyText(*findAction("about")), "");
}

/// A held key must not switch a setting repeatedly, write many files, or step through scenes. Only steps, zooms of numbers
/// and undo repeat. An action that lasts while its key is down has its own clock.
TEST(Actions, repeatOnlyWhereThatIsWanted) {
    const std::set<std::string_view> wanted{"step",     "rewind", "rewind-on",   "longer-step",  "undo",   "shorter-step",
                                            "brighter", "darker", "larger-text", "smaller-text", "faster", "slower"};
    const std::set<std::string_view> held{"fly-ahead", "fly-back", "fly-left", "fly-right"};
    for (const Menu& menu : menus())
        for (const Action& action : menu.rows) {
            EXPECT_EQ(action.repeats, wanted.contains(action.name)) << action.name;
            EXPECT_EQ(action.holds, held.contains(action.name)) << action.name;
            EXPECT_FALSE(action.repeats && hasState(action)) << action.name << " would flicker";
        }
}

TEST(Actions, areTheKeyPageOfTheDocs) {
    const Outcome listed = runGravlab({"list", "keys", "--markdown"});
    ASSERT_EQ(listed.code, 0);
    std::ifstream file(GRAVLAB_SOURCE_DIR "/docs/keys.md");
    const std::string page{std::istreambuf_iterator<char>(file), {}};
    EXPECT_NE(page.find("\n\n" + listed.out), std::string::npos) << "docs/keys.md is old; put this at its end:\n"
                                                                 << listed.out;
}

TEST(Actions, haveTheWordsOfTheirParameterWhereTheyHaveNone) {
    EXPECT_EQ(actionOf("grid").label, parameter("overlay.grid").label);
    EXPECT_EQ(actionOf("grid").idea, parameter("overlay.grid").idea);
    EXPECT_EQ(actionOf("flat").label, "Without perspective") << "its own go before them";
    for (const Menu& menu : menus())
        for (const Action& action : menu.rows) {
            EXPECT_FALSE(action.label.empty()) << action.name;
            EXPECT_FALSE(action.idea.empty()) << action.name;
        }
}

TEST(SceneGroups, haveEverySceneOnce) {
    std::multiset<std::string_view> found;
    for (const SceneGroup group : {SceneGroup::galaxies, SceneGroup::clusters, SceneGroup::famous, SceneGroup::laws})
        for (std::size_t place = 0; const Scene* row = sceneOf(group, place); ++place) found.insert(row->name);
    EXPECT_EQ(found.size(), sceneTable().size());
    for (const Scene& row : sceneTable()) EXPECT_EQ(found.count(row.name), 1u) << row.name;
    EXPECT_EQ(groupOf(sceneNamed("figure-eight")), SceneGroup::famous);
    EXPECT_EQ(groupOf(sceneNamed("andromeda")), SceneGroup::galaxies);
    EXPECT_EQ(groupOf(sceneNamed("king")), SceneGroup::clusters);
    EXPECT_EQ(groupOf(sceneNamed("lennard-jones")), SceneGroup::laws);
}

}  // namespace
}  // namespace gravlab
