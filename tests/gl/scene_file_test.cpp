// Scene files: a written file is read back, a picture restores its scene, and mistakes are named with their line.
#include "app/files/scene_file.h"

#include "app/files/config.h"
#include "app/frontends/headless/headless.h"
#include "app/parameters/parameter.h"
#include "app/system/picture.h"
#include "app/view/app.h"
#include "sim/api/errors.h"
#include "tests/written.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace gravlab::test {
namespace {

class SceneFileTest : public ::testing::Test {
protected:
    void SetUp() override {
        folder_ = std::filesystem::path(::testing::TempDir()) / ("scene_file_" + std::to_string(getpid()));
        std::filesystem::create_directories(folder_);
    }
    void TearDown() override { std::filesystem::remove_all(folder_); }
    static std::string refusal(const std::string& text) {
        StartOptions options;
        try {
            takeSceneText(text, "my.toml", options);
        } catch (const InputError& error) {
            return error.what();
        }
        return "";
    }
    HeadlessContext context_;
    std::filesystem::path folder_;
};

TEST_F(SceneFileTest, AFailedWriteLeavesNothing) {
    App app{StartOptions{}};
    const auto folder = folder_ / "taken.toml";
    std::filesystem::create_directories(folder / "by a folder");
    EXPECT_THROW(sceneFile(app.document, folder.string()).work(), IoError);
    std::vector<std::string> left;
    for (const auto& entry : std::filesystem::directory_iterator(folder_)) left.push_back(entry.path().filename());
    EXPECT_EQ(left, std::vector<std::string>{"taken.toml"});
    sceneFile(app.document, (folder_ / "free.toml").string()).work();
    EXPECT_GT(std::filesystem::file_size(folder_ / "free.toml"), 100u);
}

TEST_F(SceneFileTest, WhatIsWrittenIsReadBack) {
    StartOptions options{.simulation = {.scene = "antennae", .bodies = 300, .seed = 9}};
    options.simulation.parameters["mass-ratio"] = 0.5;
    options.simulation.backend = "cpu";
    App app(options);
    written(app).camera.azimuth = 1.25f;
    written(app).camera.distance = 77;
    written(app).camera.target = {1, -2, 3.5f};
    written(app).camera.orthographic = true;
    setParameter(written(app), "look.colour_mode", std::string("stars"));
    written(app).look.colourMap = 2;
    written(app).look.tone = ToneCurve::agx;
    written(app).look.paper = true;
    written(app).look.trails = 33;
    written(app).overlay.legend = true;
    written(app).intent.stepsPerFrame = 4;
    const std::string text = sceneFileText(app.document);
    StartOptions read{.simulation = {.backend = "cpu"}};
    takeSceneText(text, "test", read);
    App again(read);
    EXPECT_EQ(sceneFileText(again.document), text);
    EXPECT_EQ(text.find("backend"), std::string::npos) << "a machine's own settings stay there";
    EXPECT_EQ(again.document.facts.configuration.parameters.at("mass-ratio"), 0.5);
}

TEST_F(SceneFileTest, ItSaysWhetherForcesWereExact) {
    const auto opened = [](const std::string& text) {
        StartOptions read{.simulation = {.backend = "cpu"}};
        read.simulation.farField = true;  // as a window does
        takeSceneText(text, "test", read);
        return read.simulation;
    };
    RunRequest request = opened("scene = \"plummer\"\nbodies = 20000\n");
    request.farField = false;
    StartOptions options{.simulation = request};
    App exact(options);
    ASSERT_FALSE(exact.document.facts.kernel->approximates);
    const std::string text = sceneFileText(exact.document);
    EXPECT_NE(text.find("\naccuracy = \"exact\"\n"), std::string::npos) << text;
    // A window would use a tree for this N if the file did not set the accuracy.
    options.simulation = opened(text);
    EXPECT_EQ(options.simulation.pairs().accuracy, 0.0);
    App again(options);
    EXPECT_FALSE(again.document.facts.kernel->approximates);
    EXPECT_EQ(again.document.facts.configuration.pairs().accuracy, 0);
    EXPECT_EQ(sceneFileText(again.document), text);
    EXPECT_EQ(parameter("run.accuracy").requested(again.document), Value(std::string("auto")));
    options.simulation = opened("scene = \"plummer\"\nbodies = 20000\naccuracy = \"auto\"\n");
    App open(options);
    EXPECT_TRUE(open.document.facts.kernel->approximates);
    EXPECT_NE(sceneFileText(open.document).find("\naccuracy = 0.001\n"), std::string::npos);
    EXPECT_THROW(opened("scene = \"plummer\"\naccuracy = \"none\"\n"), InputError);
}

TEST_F(SceneFileTest, ACameraPathIsReadAndWritten) {
    StartOptions options{.simulation = {.backend = "cpu"}};
    takeSceneText(
        "scene = \"figure-eight\"\n[camera.path]\npoints = [\n  [0, 20, 30, 25, 0, 0, 0],  # first\n\n"
        "  [4, 5, 60, 25, 1, 0, 0, 20],\n]\n[view]\ndistance = 9\n",
        "my.toml", options);
    ASSERT_EQ(options.path.size(), 2u);
    EXPECT_EQ(options.path[1].distance, 5);
    EXPECT_EQ(options.path[1].field, 20);
    EXPECT_EQ(options.settings.at("camera.distance"), Value(9.0)) << "what follows is read too";
    App app(options);
    const std::string text = sceneFileText(app.document);
    StartOptions read{.simulation = {.backend = "cpu"}};
    takeSceneText(text, "test", read);
    EXPECT_EQ(read.path[1].distance, 5);
    EXPECT_EQ(read.path.size(), 2u);

    // Remembered views are a path.
    written(app).views[2] = Camera{.distance = 1};
    written(app).views[3] = Camera{.distance = 2};
    written(app).views[5] = Camera{.distance = 3};
    takeSceneText(sceneFileText(app.document), "test", read);
    ASSERT_EQ(read.path.size(), 3u);
    EXPECT_EQ(read.path[2].distance, 3);
    EXPECT_EQ(read.path[2].seconds, 8);

    for (const char* wrong :
         {"[camera.path]\n", "[camera.path]\nspeed = 3\n", "[camera.path]\npoints = [[0, 1, 2, 3, 4, 5, 6]]\n",
          "[camera.path]\npoints = [[0, 1, 2, 3, 4, 5, 6],\n[1, 1, 2, 3, 4, five, 6]]\n",
          "[camera.path]\npoints = [[0, 1, 2, 3, 4, 5, 6], [1, 1, 2, 3, 4, 5, 6]]\nmore = 1\n"})
        EXPECT_NE(refusal("\n" + std::string(wrong)).find("my.toml, line 2: [camera.path]"), std::string::npos)
            << wrong << refusal("\n" + std::string(wrong));
    EXPECT_NE(refusal("[camera.paths]\n").find("[camera.path]"), std::string::npos);
}

TEST_F(SceneFileTest, APictureRestoresItsScene) {
    App app({.simulation = {.scene = "figure-eight", .backend = "cpu"}});
    written(app).camera.distance = 9;
    const std::string path = folder_ / "picture.png";
    writePng(path, std::vector<std::uint8_t>(12, 0), 2, 2, {{kSceneFileKey, sceneFileText(app.document)}});
    StartOptions from{.file = path};
    const StartOptions restored = withSceneFile(from);
    EXPECT_EQ(restored.simulation.scene, "figure-eight");
    EXPECT_EQ(restored.settings.at("camera.distance"), Value(9.0));
    writePng(path, std::vector<std::uint8_t>(12, 0), 2, 2, {});
    EXPECT_THROW(withSceneFile(from), InputError);
    from.file = folder_ / "none.toml";
    EXPECT_THROW(withSceneFile(from), InputError) << "as for any other file that is not there";
}

TEST_F(SceneFileTest, BodiesDroppedByHandAreNotCounted) {
    for (const char* scene : {"two-body", "plummer"}) {
        App app({.simulation = {.scene = scene, .bodies = scene == std::string("plummer") ? 50 : 0, .backend = "cpu"}});
        const std::size_t before = app.document.facts.startBodies;
        Remembered none;
        EXPECT_EQ(sceneFileText(app.document).find("by hand"), std::string::npos);
        app.runs.edit({.row = "drop-star"});
        ASSERT_EQ(app.document.facts.configuration.bodies, before + 1);
        const std::string text = sceneFileText(app.document);
        EXPECT_NE(text.find("\nbodies = " + std::to_string(before) + "\n"), std::string::npos) << text;
        EXPECT_NE(text.find("by hand"), std::string::npos);
        EXPECT_EQ(refusal(text), "");
        EXPECT_EQ(ConfigKeeper(false, none).text(app.document, {}).find("bodies = " + std::to_string(before + 1)),
                  std::string::npos);
        written(app).intent.request.softening = 0.25;
        app.apply();
        EXPECT_EQ(app.document.facts.startBodies, before);
    }
}

TEST_F(SceneFileTest, WhatTheCommandLineAsksForIsNotRemembered) {
    Remembered memory{.options = {.simulation = {.scene = "plummer", .bodies = 40, .backend = "cpu"},
                                  .given = {"SCENE", "--paper", "--ui-scale"}}};
    memory.options.settings["look.white_page"] = true;
    takeConfig("[window]\ntext_scale = 1.5\n[scene]\nname = \"two-body\"\n[look]\npaper = false\nglow = 0.25\n", "f",
               memory);
    ConfigKeeper keeper(false, memory);
    App app(memory.options);
    const auto has = [&](const char* line) { return keeper.text(app.document, {}).find(line) != std::string::npos; };
    EXPECT_TRUE(has("text_scale = 1.5\n"));
    EXPECT_TRUE(has("paper = false\n"));
    EXPECT_TRUE(has("name = \"two-body\"\n"));
    EXPECT_FALSE(has("bodies"));
    EXPECT_TRUE(has("glow = 0.25\n")) << "what was not asked for is written as it is";
    // Changes in the window are kept, and a number of bodies with its scene.
    written(app).intent.request.bodies = 50;
    app.apply();
    EXPECT_TRUE(has("name = \"plummer\"\nbodies = 50\n"));
    EXPECT_TRUE(has("paper = false\n"));
}

TEST_F(SceneFileTest, TheCommandLineGoesFirst) {
    StartOptions options{.simulation = {.seed = 5}, .given = {"--seed", "--distance"}};
    options.settings["camera.distance"] = 3.0;
    takeSceneText("scene = \"disc\"\nseed = 7\n[view]\ndistance = 20\nazimuth = 45\n", "my.toml", options);
    EXPECT_EQ(options.simulation.scene, "disc");
    EXPECT_EQ(options.simulation.seed, 5u);
    EXPECT_EQ(options.settings.at("camera.distance"), Value(3.0));
    EXPECT_NEAR(std::get<double>(options.settings.at("camera.azimuth")), 0.785398, 1e-6);
}

TEST_F(SceneFileTest, MistakesAreNamedWithTheirLine) {
    EXPECT_EQ(refusal("scene = \"disc\"\n\n[view]\n# a remark\ndistance = 4  # and another\n"), "");
    EXPECT_NE(refusal("scene = \"disc\"\n[view]\ndistanze = 4\n")
                  .find("line 3: unknown key of [view] 'distanze'; did you mean 'distance'"),
              std::string::npos);
    EXPECT_NE(refusal("[view]\n\ndistance = -4\n").find("line 3"), std::string::npos);
    EXPECT_NE(refusal("[view]\npaper = yes\n").find("true or false"), std::string::npos);
    EXPECT_NE(refusal("[view]\ntarget = [1, 2]\n").find("[x, y, z]"), std::string::npos);
    EXPECT_NE(refusal("[view]\noverlay = \"klock\"\n").find("'clock'"), std::string::npos);
    EXPECT_NE(refusal("[camera]\n").find("[view]"), std::string::npos);
    EXPECT_NE(refusal("scen = \"disc\"\n").find("scen"), std::string::npos);
    EXPECT_NE(refusal("seed = \"one\"\n"), "");
}

}  // namespace
}  // namespace gravlab::test
