// Figures by starting the program.
#include "app/picture.h"
#include "sim/backends/backend.h"
#include "tests/unit/cli_support.h"

#include <gmock/gmock.h>

namespace gravlab {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

TEST(CliFigure, writesNumbersAndPictures) {
    const ScratchFolder folder;
    const Outcome csv = runGravlab({"bench", "--backend", "cpu", "--figure", "bodies", "--kernel", "simd", "-n", "64,128",
                                    "--repeats", "2", "-o", (folder / "f.csv").string()});
    ASSERT_EQ(csv.code, 0) << csv.err;
    const auto lines = linesOf(contentOf(folder / "f.csv"));
    ASSERT_EQ(lines.size(), 3u);
    EXPECT_THAT(lines[0], AllOf(StartsWith("series,x,extrapolated,backend,"), HasSubstr(",step_interactions_per_second,")));
    EXPECT_THAT(lines[1], StartsWith("simd,64,false,cpu,"));
    EXPECT_THAT(lines[2], StartsWith("simd,128,false,cpu,"));

    const Outcome png = runGravlab({"bench", "--backend", "cpu", "--figure", "bodies", "--kernel", "simd", "-n", "64",
                                    "--repeats", "1", "-o", (folder / "f.png").string()});
    ASSERT_EQ(png.code, 0) << png.err;
    const Picture picture = readPng((folder / "f.png").string());
    EXPECT_EQ(picture.width, 1920);
    EXPECT_EQ(picture.texts.at("gravlab:figure"), "bodies");
}

TEST(CliFigure, refusesWhatCannotBeMadeBeforeAnythingIsMeasured) {
    const ScratchFolder folder;
    const std::string file = (folder / "f.png").string();
    EXPECT_THAT(runGravlab({"bench", "--figure", "unroll"}).err, HasSubstr("-o FILE.png or FILE.csv"));
    EXPECT_THAT(runGravlab({"bench", "--figure", "unrol", "-o", file}).err, HasSubstr("unroll"));
    const Outcome cpu = runGravlab({"bench", "--backend", "cpu", "--figure", "unroll", "-o", file});
    EXPECT_EQ(cpu.code, 4);
    EXPECT_THAT(cpu.err, HasSubstr("no cpu kernel has a block and unroll"));
    const Outcome nowhere =
        runGravlab({"bench", "--backend", "cpu", "--figure", "bodies", "-n", "64", "-o", "/no/such/folder/f.csv"});
    EXPECT_EQ(nowhere.code, 6);
    EXPECT_EQ(linesOf(nowhere.err).size(), 1u) << "it was measured first: " << nowhere.err;
    EXPECT_EQ(folder.entries(), 0u);
}

TEST(CliFigure, refusesWhatItWouldLeaveOut) {
    const std::vector<std::vector<std::string>> lines{
        {"--figure", "cpu-gpu", "--backend", "cpu"},    {"--figure", "cpu-gpu", "--kernel", "naive"},
        {"--figure", "cpu-gpu", "--format", "json"},    {"--figure", "block", "--block", "32,64"},
        {"--figure", "unroll", "--unroll", "3"},        {"--figure", "split", "--split", "2"},
        {"--figure", "waves", "--block", "64"},         {"--figure", "bodies", "--steps", "1000"},
        {"--figure", "bodies", "--law", "coulomb"},     {"--figure", "bodies", "--spread-masses"},
        {"--figure", "accuracy", "--accuracy", "1e-3"}, {"--figure", "crossover", "--block", "64"},
        {"--card", "c.png", "--format", "csv"},         {"--card", "c.png", "--steps", "3"},
    };
    const ScratchFolder folder;
    for (std::vector<std::string> line : lines) {
        const std::string study = line[0], option = line[2];
        if (study == "--figure") line.insert(line.end(), {"-o", "f.png"});
        line.insert(line.begin(), "bench");
        const Outcome outcome = runGravlab(line, {.folder = folder.path()});
        EXPECT_EQ(outcome.code, 2) << option << ": " << outcome.err;
        EXPECT_THAT(outcome.err, AllOf(HasSubstr(option + " does nothing with " + study))) << option;
    }
    const Outcome two =
        runGravlab({"bench", "--figure", "unroll", "--block", "32,64", "-o", "f.png"}, {.folder = folder.path()});
    EXPECT_EQ(two.code, 2);
    EXPECT_THAT(two.err, HasSubstr("takes one --block"));
    EXPECT_EQ(folder.entries(), 0u);
}

}  // namespace
}  // namespace gravlab
