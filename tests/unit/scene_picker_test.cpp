// The pictures of scenes, search by words, and the movement of the selection by keys.
#include "app/ui/scene_picker.h"
#include "app/system/picture.h"
#include "sim/api/errors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace gravlab {
namespace {

std::vector<std::string> namesOfScenes(std::string_view search) {
    std::vector<std::string> names;
    for (const ScenesOfGroup& group : scenesWith(search))
        for (const Scene* scene : group.scenes) names.emplace_back(scene->name);
    return names;
}

TEST(ScenePicker, showsEveryScenesPictureInAMegabyte) {
    std::size_t bytes = 0;
    for (const Scene& scene : sceneTable()) {
        const std::string name = std::string(scene.name) + ".png";
        const std::string_view file = scenePicture(name);
        ASSERT_FALSE(file.empty()) << name << " is missing: docs/gallery/make.sh makes it";
        bytes += file.size();
        const Picture picture = decodePng(file, name);
        EXPECT_EQ(picture.width, 240) << name;
        EXPECT_EQ(picture.height, 135) << name;
        const auto [least, most] = std::minmax_element(picture.rgb.begin(), picture.rgb.end());
        EXPECT_GT(*most - *least, 60) << name << " shows nothing";
    }
    EXPECT_LE(bytes, std::size_t{1} << 20);
    EXPECT_TRUE(scenePicture("no such scene.png").empty());
    const std::string_view whole = scenePicture("galaxy.png");
    EXPECT_THROW(decodePng(whole.substr(0, whole.size() / 2), "half"), InputError);
}

TEST(ScenePicker, hasEverySceneOnceInItsGroup) {
    const std::vector<std::string> names = namesOfScenes("");
    EXPECT_EQ(names.size(), sceneTable().size());
    EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size());
    for (const ScenesOfGroup& group : scenesWith(""))
        for (const Scene* scene : group.scenes) EXPECT_EQ(groupOf(*scene), group.group) << scene->name;
}

TEST(ScenePicker, findsWhatHasEveryWord) {
    EXPECT_THAT(namesOfScenes("pythag"), testing::ElementsAre("pythagorean"));
    EXPECT_THAT(namesOfScenes("  MILKY   andromeda "), testing::ElementsAre("andromeda"));
    EXPECT_THAT(namesOfScenes("planets"), testing::Contains("solar-system"));
    EXPECT_THAT(namesOfScenes("other laws"), testing::Contains("charges"));
    EXPECT_THAT(namesOfScenes("pythag andromeda"), testing::IsEmpty());
    EXPECT_TRUE(scenesWith("pythag andromeda").empty()) << "a group without scenes has no heading";
}

TEST(ScenePicker, takesANameBeforeADescription) {
    const auto likeliest = [](std::string_view search) -> std::string {
        const Scene* scene = likeliestOf(scenesWith(search), search);
        return scene ? std::string(scene->name) : std::string();
    };
    EXPECT_EQ(likeliest("Eight"), "figure-eight") << "others grow eightfold";
    EXPECT_EQ(likeliest("planets"), "solar-system");
    EXPECT_EQ(likeliest(""), sceneOf(SceneGroup::galaxies, 0)->name);
    EXPECT_EQ(likeliest("no such words"), "");
}

TEST(ScenePicker, walksOverLinesOfGroups) {
    std::vector<Scene> scenes(8);
    const auto at = [&](std::size_t i) { return &scenes[i]; };
    // 0 1 2 | 3 4 and under them 5 6 7
    const std::vector<ScenesOfGroup> groups{{SceneGroup::galaxies, {at(0), at(1), at(2), at(3), at(4)}},
                                            {SceneGroup::laws, {at(5), at(6), at(7)}}};
    const SceneGrid grid(groups, 3);
    EXPECT_EQ(grid.moved(at(0), 1, 0), at(1));
    EXPECT_EQ(grid.moved(at(2), 1, 0), at(3));
    EXPECT_EQ(grid.moved(at(0), -1, 0), at(0));
    EXPECT_EQ(grid.moved(at(7), 1, 0), at(7));
    EXPECT_EQ(grid.moved(at(1), 0, 1), at(4));
    EXPECT_EQ(grid.moved(at(2), 0, 1), at(4)) << "a line that is shorter ends earlier";
    EXPECT_EQ(grid.moved(at(3), 0, 1), at(5));
    EXPECT_EQ(grid.moved(at(6), 0, -1), at(4));
    EXPECT_EQ(grid.moved(at(6), 0, -3), at(1));
    EXPECT_EQ(grid.moved(nullptr, 0, 0), at(0));
    EXPECT_EQ(SceneGrid({}, 3).moved(at(0), 1, 1), nullptr);
}

}  // namespace
}  // namespace gravlab
