// The window's configuration file: its lines, mistakes in them, and the settings that override them.
#include "app/files/config.h"
#include "app/system/file_names.h"
#include "sim/api/errors.h"
#include "tests/surroundings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>

namespace gravlab {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(Config, isTakenRowByRow) {
    Remembered memory;
    const auto notes = takeConfig(
        "# a remark\n[window]\nwidth = 1500\nheight=900 # another\nx = -20\ny = 40\nprojector = true\ntext_scale = 1.25\n"
        "[panels]\nconservation = false\nlab = \"sweep\"\n\n[scene]\nname = \"galaxy\"\nbodies = 5000\n"
        "[look]\ncolour = \"mass\"\npaper = true\noverlay = \"axes,clock\"\n",
        "file", memory);
    EXPECT_THAT(notes, IsEmpty());
    EXPECT_EQ(memory.place.width, 1500);
    EXPECT_EQ(memory.place.height, 900);
    EXPECT_EQ(memory.place.x, -20);
    EXPECT_TRUE(memory.place.placed);
    const Settings& settings = memory.options.settings;
    EXPECT_EQ(settings.at("window.projector"), Value(true));
    EXPECT_EQ(settings.at("window.text_scale"), Value(1.25));
    EXPECT_EQ(settings.at("window.conservation"), Value(false));
    EXPECT_EQ(settings.at("lab.open"), Value(true));
    EXPECT_EQ(settings.at("lab.page"), Value(std::string("sweep")));
    EXPECT_EQ(memory.options.simulation.scene, "galaxy");
    EXPECT_EQ(memory.options.simulation.bodies, 5000u);
    EXPECT_EQ(settings.at("look.colour_mode"), Value(std::string("mass")));
    EXPECT_EQ(settings.at("look.white_page"), Value(true));
    EXPECT_EQ(settings.at("overlay.shown"), Value(std::string("clock,axes")));
    Remembered closed;
    EXPECT_THAT(takeConfig("[panels]\nlab = \"\"\n", "file", closed), IsEmpty());
    EXPECT_EQ(closed.options.settings.at("lab.open"), Value(false));
    EXPECT_FALSE(closed.options.settings.contains("lab.page"));
}

TEST(Config, exactForcesAreKnownBeforeTheRunIsBuilt) {
    Remembered memory{.options = {.simulation = {.farField = true}}};
    EXPECT_THAT(takeConfig("[scene]\nexact_forces = false\n", "file", memory), IsEmpty());
    EXPECT_TRUE(memory.options.simulation.farField);
    EXPECT_THAT(takeConfig("[scene]\nexact_forces = true\n", "file", memory), IsEmpty());
    EXPECT_FALSE(memory.options.simulation.farField);
    EXPECT_FALSE(memory.options.settings.contains("run.exact_forces")) << "once is enough";
    EXPECT_THAT(takeConfig("[scene]\nexact_forces = 2\n", "file", memory), ElementsAre(HasSubstr("line 2")));
}

TEST(Config, namesWhatIsWrongAndUsesTheRest) {
    Remembered memory;
    const auto notes = takeConfig(
        "[window]\nwidht = 3\nheight = many\n[scene]\nname = \"galaxi\"\nnonsense\n[colours]\nred = 1\n[look]\npaper = 1\n"
        "glow = 0.5\ntone = \"aces\n",
        "config.toml", memory);
    EXPECT_THAT(notes, ElementsAre(HasSubstr("config.toml, line 2: "), HasSubstr("line 3: "), HasSubstr("line 5: "),
                                   HasSubstr("line 6: "), HasSubstr("line 7: "), HasSubstr("line 8: "),
                                   HasSubstr("line 10: "), HasSubstr("line 12: ")));
    EXPECT_THAT(notes[0], HasSubstr("width"));
    EXPECT_THAT(notes[2], HasSubstr("galaxy"));
    EXPECT_EQ(memory.place.height, 0);
    EXPECT_EQ(memory.options.settings.at("look.glow"), Value(0.5));
}

TEST(Config, givesWayToTheCommandLine) {
    Remembered memory{.options = {.simulation = {.scene = "disc"}, .given = {"--size", "SCENE", "--paper"}}};
    const auto notes = takeConfig(
        "[window]\nwidth = 1500\ny = 3\n[scene]\nname = \"galaxy\"\nbodies = 77\n[look]\npaper = true\nglow = 0.1\n", "f",
        memory);
    EXPECT_THAT(notes, IsEmpty());
    EXPECT_EQ(memory.place.width, 0);
    EXPECT_EQ(memory.options.simulation.scene, "disc");
    EXPECT_FALSE(memory.options.simulation.bodies);
    EXPECT_FALSE(memory.options.settings.contains("look.white_page"));
    EXPECT_EQ(memory.options.settings.at("look.glow"), Value(0.1));

    Remembered law;
    law.options.given = {"--law"};
    law.options.simulation.scene = "charges";
    takeConfig("[scene]\nname = \"galaxy\"\n", "f", law);
    EXPECT_EQ(law.options.simulation.scene, "charges") << "a law belongs to the scene that was meant with it";
}

TEST(Config, remembersThatSomebodyWasGreeted) {
    Remembered memory;
    EXPECT_THAT(takeConfig("[window]\nwelcome = false\n", "f", memory), IsEmpty());
    EXPECT_EQ(memory.options.settings.at("window.welcome"), Value(false));
    Remembered given{.options = {.given = {"--no-welcome"}}};
    takeConfig("[window]\nwelcome = true\n", "f", given);
    EXPECT_FALSE(given.options.settings.contains("window.welcome")) << "the command line goes before it";
}

TEST(Config, survivesEveryPrefixAndGarbage) {
    const std::string text = "[window]\nwidth = 1500\n[look]\ncolour = \"mass\" # x\noverlay = \"\"\n";
    for (std::size_t n = 0; n <= text.size(); ++n) {
        Remembered memory;
        takeConfig(std::string_view(text).substr(0, n), "f", memory);
    }
    Remembered memory;
    EXPECT_THAT(takeConfig(std::string("\x00\xff[[]]=\n=\n\"\n[]\n", 15), "f", memory), testing::Not(IsEmpty()));
}

// The folders of a user's own files.

TEST(UserFolder, isTheOneOfTheEnvironmentUnlessItIsRelative) {
    const auto with = [](const char* base, const char* home) {
        using Value = std::optional<std::string>;
        const EnvironmentVariable set("GRAVLAB_TEST_BASE", base ? Value(base) : Value());
        const EnvironmentVariable user("HOME", home ? Value(home) : Value());
        return userFolder("GRAVLAB_TEST_BASE", ".local/state").string();
    };
    EXPECT_EQ(with("/x", "/home/u"), "/x/gravlab");
    EXPECT_EQ(with("x", "/home/u"), "/home/u/.local/state/gravlab");
    EXPECT_EQ(with(nullptr, "/home/u"), "/home/u/.local/state/gravlab");
    EXPECT_EQ(with(nullptr, "u"), "");
    EXPECT_EQ(with("x", nullptr), "");
}

}  // namespace
}  // namespace gravlab
