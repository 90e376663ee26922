// Versions of scenes: lists show the newest, files name theirs, and a file without a version means the first.
#include "sim/core/error.h"
#include "sim/io/checkpoint.h"
#include "sim/io/run_settings.h"
#include "sim/run/fingerprint.h"
#include "sim/scenes/scene.h"
#include "tests/bodies.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace gravlab {
namespace {

using namespace testing_support;

TEST(SceneVersions, theTableHasTheNewestOfEachAndTheOthersAreKept) {
    std::set<std::string_view> names;
    for (const Scene& scene : sceneTable()) EXPECT_TRUE(names.insert(scene.name).second) << scene.name;
    EXPECT_FALSE(olderScenes().empty());
    for (const Scene& scene : olderScenes()) {
        SCOPED_TRACE(scene.name);
        const Scene& newest = sceneNamed(scene.name);
        EXPECT_LT(scene.version, newest.version);
        EXPECT_EQ(&sceneNamed(scene.name, scene.version), &scene);
        EXPECT_EQ(&sceneNamed(scene.name, newest.version), &newest);
        const SceneRequest request{.bodies = 500, .seed = 3};
        EXPECT_FALSE(sameState(scene.build(request), newest.build(request))) << "else it needs no version";
    }
    for (const Scene& scene : sceneTable())
        for (int version = 1; version < scene.version; ++version) EXPECT_NO_THROW(sceneNamed(scene.name, version));
    EXPECT_THROW(sceneNamed("disc", 99), UsageError);
    EXPECT_THROW(sceneNamed("plummer", 2), UsageError);
}

TEST(SceneVersions, filesWithoutAVersionMeanTheFirst) {
    EXPECT_EQ(strictSettings("scene = \"disc\"\n", "f").sceneVersion, 1);
    EXPECT_EQ(strictSettings("scene = \"disc\"\nscene_version = 2\n", "f").sceneVersion, 2);
    EXPECT_EQ(strictSettings("scene = \"disc\"\nscene_version = \"auto\"\n", "f").sceneVersion, std::nullopt);
    EXPECT_EQ(strictSettings("seed = 3\n", "f").sceneVersion, std::nullopt) << "no scene, no version";
    std::vector<std::string> notes;
    EXPECT_EQ(parsedSettings("scene = \"disc\"\n", "f", notes).sceneVersion, 1);
    EXPECT_THROW(strictSettings("scene = \"disc\"\nscene_version = 7\n", "f"), InputError);
    EXPECT_THROW(strictSettings("scene = \"disc\"\nscene_version = 0\n", "f"), InputError);
    EXPECT_THROW(strictSettings("scene = \"galaxy\"\nparameters = { arms = 2 }\n", "f"), InputError)
        << "the first version has no such number";
}

TEST(SceneVersions, aRunSaysWhichItIsAndItsCheckpointToo) {
    Simulation newest({.scene = "disc", .bodies = 64, .backend = "cpu"});
    EXPECT_EQ(newest.configuration().sceneVersion, 2);
    Simulation first({.scene = "disc", .sceneVersion = 1, .bodies = 64, .backend = "cpu"});
    EXPECT_EQ(first.configuration().sceneVersion, 1);
    for (Simulation* run : {&newest, &first}) {
        const int version = run->configuration().sceneVersion;
        const std::string text = settingsText(requestOf(run->configuration()));
        EXPECT_THAT(text, testing::HasSubstr("scene_version = " + std::to_string(version) + "\n"));
        EXPECT_EQ(strictSettings(text, "f").sceneVersion, version);
        // A run that is resumed and written again still has this version.
        Simulation resumed(startFrom(checkpointOf(*run), "f.hdf5").request);
        EXPECT_THAT(checkpointOf(resumed).settings, testing::HasSubstr("scene_version = " + std::to_string(version) + "\n"));
    }
    RunRequest other{.scene = "disc", .sceneVersion = 1};
    other.changeScene("galaxy");
    EXPECT_EQ(other.sceneVersion, std::nullopt);
}

TEST(SceneVersions, fingerprintsNameAllButTheFirst) {
    EXPECT_THAT(fingerprintText(fingerprint({.scene = "disc", .sceneVersion = 1, .bodies = 64})),
                testing::StartsWith("disc, 64 bodies, seed 1, 16 steps"));
    EXPECT_THAT(fingerprintText(fingerprint({.scene = "disc", .bodies = 64})),
                testing::StartsWith("disc, 64 bodies, seed 1, version 2, 16 steps"));
}

}  // namespace
}  // namespace gravlab
