// Plots and tables of a galaxy over the radius, and the files that a run writes of them.
#include "app/commands/run_plots.h"

#include "app/plots/profile_plot.h"
#include "tests/unit/cli_support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace gravlab {
namespace {

using testing::HasSubstr;

TEST(RunProfile, plotsAndTablesLeaveOutWhatDoesNotExist) {
    const ParticleSet sphere = sceneNamed("plummer").build({.bodies = 3000, .seed = 1});
    const Profile profile = measureProfile(sphere, {.softening = 0.01}, {});
    const auto plots = profilePlots(profile, {});
    EXPECT_TRUE(plots[3].series.empty()) << "a sphere has no Q";
    EXPECT_EQ(plots[0].series.size(), 3u);
    for (const Plot& plot : plots)
        for (const PlotSeries& series : plot.series) {
            EXPECT_EQ(series.x.size(), series.y.size());
            for (const double y : series.y) EXPECT_TRUE(std::isfinite(y));
        }
    const std::string table = profileTable(profile);
    EXPECT_THAT(table, HasSubstr("radius,bodies,surface_density"));
    EXPECT_EQ(linesOf(table).size(), 25u);
    EXPECT_EQ(table.find("nan"), std::string::npos);
    EXPECT_EQ(linesOf(table)[1].back(), ',') << "an empty cell, not a zero";
}

TEST(RunProfile, writesOneForEachGalaxy) {
    const ScratchFolder folder;
    const auto written = [&](Simulation& simulation) {
        OutputSet outputs;
        std::vector<std::string> names;
        const std::vector<Page> pages = writeRunProfiles(folder.path(), simulation, outputs, names);
        outputs.commit();
        EXPECT_EQ(pages.size(), names.size());
        for (std::size_t k = 0; k < pages.size(); ++k) EXPECT_EQ(pages[k].csv, contentOf(names[k])) << pages[k].name;
        return names;
    };
    Simulation two({.scene = "andromeda", .bodies = 3000, .backend = "cpu"});
    EXPECT_EQ(written(two).size(), 2u);
    EXPECT_EQ(linesOf(contentOf(folder / "profile-2.csv")).size(), 25u);
    EXPECT_NE(contentOf(folder / "profile-1.csv"), contentOf(folder / "profile-2.csv"));
    Simulation one({.scene = "plummer", .bodies = 1000, .backend = "cpu"});
    EXPECT_EQ(written(one).size(), 1u);
    EXPECT_TRUE(fs::exists(folder / "profile.csv"));
    Simulation few({.scene = "pythagorean", .backend = "cpu"});
    EXPECT_TRUE(written(few).empty());
}

}  // namespace
}  // namespace gravlab
