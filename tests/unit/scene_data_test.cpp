// Scene files that name a file with bodies: it is found relative to the scene file, read with the given options, and changes
// of it are reported.
#include "app/files/scene_data.h"
#include "app/files/scene_file.h"
#include "app/model/document.h"
#include "sim/api/errors.h"
#include "sim/io/checkpoint.h"
#include "tests/unit/io_support.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace gravlab {
namespace {

namespace fs = std::filesystem;
using io_test::TempFolder;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kOwnBodies = "m,x,y,z,vx,vy,vz,name\n1e10,1,0,0,0,60,0,a\n1e10,-1,0,0,0,-60,0,b\n";

void writeText(const fs::path& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }

StartOptions openedScene(const fs::path& path) {
    StartOptions options{.file = path.string()};
    return withSceneFile(options);
}

std::string refusedScene(const fs::path& path, const std::string& text) {
    writeText(path, text);
    return io_test::refused([&] { openedScene(path); });
}

/// The lines that a program in `folder` writes about the bodies of data/my.csv.
std::string ownLines(const fs::path& data, const fs::path& folder, const std::string& units = "galactic") {
    StartOptions options;
    writeText(folder / "first.toml",
              "file = \"" + data.lexically_relative(folder).string() + "\"\nunits = \"" + units + "\"\n");
    const StartOptions first = openedScene(folder / "first.toml");
    return sceneDataText(first.simulation.start->file, folder);
}

TEST(SceneData, IsFoundFromTheFolderOfTheSceneFile) {
    const TempFolder folder;
    fs::create_directories(folder / "data");
    fs::create_directories(folder / "scenes");
    writeText(folder / "data/my.csv", kOwnBodies);
    const std::string lines = ownLines(folder / "data/my.csv", folder / "scenes");
    EXPECT_THAT(lines, HasSubstr("file = \"../data/my.csv\"\nunits = \"galactic\"\nfile_fingerprint = \""));
    writeText(folder / "scenes/my.toml",
              "# mine\n" + lines +
                  "time_step = 0.0005\nlaw = \"gravity\"\n[view]\ndistance = 9\n[twin]\nintegrator = \"euler\"\n"
                  "[camera.path]\npoints = [[0, 9, 0, 0, 0, 0, 0], [4, 3, 0, 0, 0, 0, 0]]\n");
    // From another folder than the program's, and moved with its data.
    for (int moved = 0; moved < 2; ++moved) {
        const fs::path at = moved ? folder / "elsewhere" : folder.path();
        if (moved) {
            fs::create_directories(at);
            fs::rename(folder / "data", at / "data");
            fs::rename(folder / "scenes", at / "scenes");
        }
        const StartOptions read = openedScene(at / "scenes/my.toml");
        ASSERT_TRUE(read.simulation.start);
        EXPECT_EQ(read.simulation.start->state.bodies.size(), 2u);
        EXPECT_NEAR(read.simulation.start->state.bodies.position[0].w, 43009.17, 0.1) << "in its units";
        EXPECT_EQ(read.simulation.timeStep, 0.0005);
        EXPECT_EQ(read.simulation.start->row.units.length, "kpc");
        EXPECT_EQ(read.simulation.start->names->nameOf(1), "b");
        EXPECT_TRUE(read.twin.on);
        EXPECT_EQ(read.path.size(), 2u);
        EXPECT_EQ(read.settings.count("camera.distance"), 1u);
        for (const std::string& note : read.notes) EXPECT_THAT(note, ::testing::Not(HasSubstr("has changed")));
        Simulation simulation(read.simulation);
        EXPECT_EQ(simulation.configuration().bodies, 2u);
    }
}

TEST(SceneData, ThatLiesBesideIsFoundAndWhatHasChangedIsSaid) {
    const TempFolder folder;
    fs::create_directories(folder / "data");
    writeText(folder / "data/my.csv", kOwnBodies);
    writeText(folder / "my.toml", ownLines(folder / "data/my.csv", folder.path()));
    fs::rename(folder / "data/my.csv", folder / "my.csv");
    EXPECT_TRUE(openedScene(folder / "my.toml").simulation.start) << "beside it";
    writeText(folder / "my.csv", std::string(kOwnBodies) + "1,5,0,0,0,0,0,c\n");
    EXPECT_THAT(openedScene(folder / "my.toml").notes, Contains(HasSubstr("has changed since my.toml was written")));
    fs::remove(folder / "my.csv");
    const std::string missing = io_test::refused([&] { openedScene(folder / "my.toml"); });
    EXPECT_THAT(missing, HasSubstr("line 1: its bodies are not there: "));
    EXPECT_THAT(missing, HasSubstr((folder.path() / "data/my.csv").string()));
}

TEST(SceneData, ThatMakesNoSenseIsRefusedWithItsLine) {
    const TempFolder folder;
    writeText(folder / "my.csv", kOwnBodies);
    const fs::path scene = folder / "s.toml";
    EXPECT_THAT(refusedScene(scene, "file = \"my.csv\"\nscene = \"disc\"\n"),
                HasSubstr("line 2: file has the bodies already"));
    EXPECT_THAT(refusedScene(scene, "file = \"my.csv\"\nbodies = 7\n"), HasSubstr("line 2: file has the bodies already"));
    EXPECT_THAT(refusedScene(scene, "scene = \"disc\"\nunits = \"galactic\"\n"), HasSubstr("line 2: units says how a file"));
    EXPECT_THAT(refusedScene(scene, "file = \"my.csv\"\nfile = \"my.csv\"\n"), HasSubstr("line 2: file is there twice"));
    EXPECT_THAT(refusedScene(scene, "file = \"my.csv\"\nunits = \"galctic\"\n"), HasSubstr("galactic"));
    EXPECT_THAT(refusedScene(scene, "file = \"my.csv\"\nunits = \"galactic\"\nG = 1.0\n"), HasSubstr("exclude each other"));
    EXPECT_THAT(refusedScene(scene, "file = \"my.csv\"\nG = -1.0\n"), HasSubstr("line 2: G"));
    EXPECT_THAT(refusedScene(scene, "file = 7\n"), HasSubstr("expected text in quotes"));
    EXPECT_THAT(refusedScene(scene, "file = \"s.toml\"\n"), HasSubstr("no scene and no picture"));
    EXPECT_THAT(refusedScene(scene, "file = \"-\"\n"), HasSubstr("line 1: file"));
    EXPECT_THAT(refusedScene(scene, "file = \"/dev/zero\"\n"), HasSubstr("a device"));
    EXPECT_THAT(refusedScene(scene, "\nfile = \"my.csv\"\ntime_stp = 1.0\n"), HasSubstr("line 3: "))
        << "lines keep their numbers";
}

TEST(SceneData, GoesOnFromACheckpoint) {
    const TempFolder folder;
    Simulation simulation({.scene = "figure-eight"});
    while (simulation.step() < 10) simulation.advance({.steps = 10 - simulation.step()}, nullptr);
    writeSnapshot(folder / "end.hdf5", checkpointOf(simulation));
    writeText(folder / "s.toml", "file = \"end.hdf5\"\n[view]\ndistance = 4\n");
    Simulation again(openedScene(folder / "s.toml").simulation);
    EXPECT_EQ(again.step(), 10);
    EXPECT_EQ(again.configuration().integrator, simulation.configuration().integrator);
    EXPECT_EQ(again.configuration().timeStep, simulation.configuration().timeStep);
}

TEST(BodySearch, TakesNamesPartsAndNumbers) {
    Document document;
    auto bodies = std::make_shared<BodyFacts>();
    auto names = std::make_shared<BodyNames>();
    for (const char* name : {"Sun", "Mercury", "Venus", "Earth", "Mars"}) {
        names->add(static_cast<std::uint32_t>(bodies->id.size()), name);
        bodies->id.push_back(static_cast<std::uint32_t>(bodies->id.size()));
    }
    names->add(99, "Removed");
    names->sort();
    document.facts.bodies = bodies;
    document.facts.names = names;
    EXPECT_EQ(bodyCalled(document, "earth"), 3u);
    EXPECT_EQ(bodyCalled(document, "Ven"), 2u);
    EXPECT_EQ(bodyCalled(document, " 4 "), 4u);
    const auto why = [&](const char* text) {
        try {
            bodyCalled(document, text);
        } catch (const UsageError& error) {
            return std::string(error.what());
        }
        return std::string("found");
    };
    EXPECT_THAT(why("M"), HasSubstr("may be Mercury, Mars"));
    EXPECT_THAT(why("Pluto"), HasSubstr("there are Sun, Mercury"));
    EXPECT_THAT(why("Removed"), HasSubstr("no body is called"));
    EXPECT_THAT(why("\x1b[31m"), ::testing::Not(HasSubstr("\x1b")));
    document.facts.names = noBodyNames();
    EXPECT_THAT(why("Sun"), HasSubstr("have no names; give a number"));
}

}  // namespace
}  // namespace gravlab
