// Figures by starting the program.
#include "app/system/picture.h"
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

TEST(CliFigure, threadsMakesPictureAndNumbersOfOneMeasurement) {
    const ScratchFolder folder;
    const Outcome both =
        runGravlab({"bench", "--backend", "cpu", "--figure", "threads", "--threads", "1,2", "-n", "256", "--repeats", "1",
                    "-o", (folder / "t.png").string(), "--csv", (folder / "t.csv").string()});
    ASSERT_EQ(both.code, 0) << both.err;
    EXPECT_EQ(readPng((folder / "t.png").string()).texts.at("gravlab:figure"), "threads");
    const auto lines = linesOf(contentOf(folder / "t.csv"));
    ASSERT_EQ(lines.size(), 3u);
    EXPECT_THAT(lines[0], HasSubstr(",processor,speed_up,efficiency,driver,date"));
}

TEST(CliFigure, rooflineMeasuresWhatTheProcessorCanDo) {
    const ScratchFolder folder;
    const Outcome csv = runGravlab({"bench", "--backend", "cpu", "--figure", "roofline", "--kernel", "simd", "-n", "256",
                                    "--repeats", "1", "-o", (folder / "r.csv").string()});
    ASSERT_EQ(csv.code, 0) << csv.err;
    const auto lines = linesOf(contentOf(folder / "r.csv"));
    ASSERT_EQ(lines.size(), 2u);
    const auto cells = [](const std::string& line) {
        std::vector<std::string> all(1);
        bool quoted = false;
        for (const char c : line) {
            if (c == '"') quoted = !quoted;
            if (c == ',' && !quoted)
                all.emplace_back();
            else
                all.back() += c;
        }
        return all;
    };
    const auto names = cells(lines[0]), values = cells(lines[1]);
    ASSERT_EQ(names.size(), values.size());
    const auto value = [&](std::string_view name) {
        for (std::size_t i = 0; i < names.size(); ++i)
            if (names[i] == name) return std::stod(values[i]);
        return 0.0;
    };
    const double adds = value("peak_multiply_adds_per_second"), rate = value("interactions_per_second");
    EXPECT_GT(adds, 1e8);
    EXPECT_LT(adds, 1e15);
    EXPECT_GT(adds, rate) << "a pair takes more than one multiply-add";
    EXPECT_GT(value("peak_inverse_roots_per_second"), 1e7);
    EXPECT_GT(value("peak_bytes_per_second"), 1e7);
    EXPECT_DOUBLE_EQ(value("flop_per_byte"), 20.0 * 256 / 16);
}

TEST(CliBench, listsOfThreadsAreTimedOneAfterTheOther) {
    const Outcome o = runGravlab({"bench", "--backend", "cpu", "--kernel", "simd-threads", "-n", "64", "--threads", "1,2",
                                  "--steps", "2", "--repeats", "1", "--format", "csv"});
    ASSERT_EQ(o.code, 0) << o.err;
    const auto lines = linesOf(o.out);
    ASSERT_EQ(lines.size(), 3u);
    EXPECT_TRUE(lines[0].ends_with(",threads")) << lines[0];
    EXPECT_TRUE(lines[1].ends_with(",1"));
    EXPECT_TRUE(lines[2].ends_with(",2"));
}

TEST(CliBench, aTreeIsTimedAtTheAccuracyAndTheOpeningAskedFor) {
    const auto timed = [](const std::string& kernel, const std::string& option, const std::string& value) {
        const Outcome o = runGravlab({"bench", "--backend", "cpu", "--kernel", kernel, "-n", "2048", option, value,
                                      "--steps", "1", "--repeats", "1", "--format", "json"});
        EXPECT_EQ(o.code, 0) << o.err;
        return o.out;
    };
    EXPECT_THAT(timed("tree", "--accuracy", "1e-2"), HasSubstr("\"accuracy\": 0.01,"));
    EXPECT_THAT(timed("tree-cells", "--accuracy", "1e-4"), HasSubstr("\"accuracy\": 0.0001,"));
    EXPECT_THAT(timed("tree-theta", "--opening", "0.25"), HasSubstr("\"accuracy\": 0.000625,"));
}

TEST(CliBench, theSceneHasTheNumbersThatAreAskedFor) {
    const auto rungs = [](const char* depth) {
        const Outcome o =
            runGravlab({"bench", "king", "--set", std::string("w0=") + depth, "--backend", "cpu", "-n", "2048",
                        "--integrator", "block-leapfrog", "--steps", "1", "--repeats", "1", "--format", "json"});
        EXPECT_EQ(o.code, 0) << o.err;
        const std::size_t at = o.out.find("\"bodies_on_rungs\": \"");
        EXPECT_NE(at, std::string::npos) << o.out;
        return at == std::string::npos ? "" : o.out.substr(at, o.out.find('\n', at) - at);
    };
    EXPECT_NE(rungs("3"), rungs("12"));
    const Outcome unknown = runGravlab({"bench", "king", "--set", "depth=3", "--backend", "cpu", "-n", "64"});
    EXPECT_EQ(unknown.code, 2);
    EXPECT_THAT(unknown.err, HasSubstr("depth"));
}

TEST(CliFigure, refusesWhatCannotBeMadeBeforeAnythingIsMeasured) {
    const ScratchFolder folder;
    const std::string file = (folder / "f.png").string();
    EXPECT_THAT(runGravlab({"bench", "--figure", "unroll"}).err, HasSubstr("-o FILE.png or FILE.csv"));
    EXPECT_THAT(runGravlab({"bench", "--figure", "unrol", "-o", file}).err, HasSubstr("unroll"));
    const Outcome cpu = runGravlab({"bench", "--backend", "cpu", "--figure", "split", "-o", file});
    EXPECT_EQ(cpu.code, 4);
    EXPECT_THAT(cpu.err, HasSubstr("no cpu kernel has a split"));
    const Outcome nowhere =
        runGravlab({"bench", "--backend", "cpu", "--figure", "bodies", "-n", "64", "-o", "/no/such/folder/f.csv"});
    EXPECT_EQ(nowhere.code, 6);
    EXPECT_EQ(linesOf(nowhere.err).size(), 1u) << "it was measured first: " << nowhere.err;
    EXPECT_EQ(folder.entries(), 0u);
}

TEST(CliFigure, refusesWhatItWouldLeaveOut) {
    const std::vector<std::vector<std::string>> lines{
        {"--figure", "cpu-gpu", "--backend", "cpu"}, {"--figure", "cpu-gpu", "--kernel", "naive"},
        {"--figure", "cpu-gpu", "--format", "json"}, {"--figure", "ladder", "--kernel", "naive"},
        {"--figure", "ladder", "--unroll", "3"},     {"--figure", "matrix", "--split", "2"},
        {"--figure", "energy-dt", "--repeats", "2"}, {"--figure", "bodies", "--steps", "1000"},
        {"--figure", "bodies", "--law", "coulomb"},  {"--figure", "bodies", "--spread-masses"},
        {"--figure", "bodies", "--until", "2"},      {"--figure", "crossover", "--accuracy", "1e-3"},
        {"--figure", "crossover", "--block", "64"},  {"--card", "c.png", "--format", "csv"},
        {"--card", "c.png", "--steps", "3"},
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
    const std::vector<std::pair<std::string, std::string>> lists{{"unroll", "--block"},        {"block", "--unroll"},
                                                                 {"bodies", "--threads"},      {"threads", "--dt"},
                                                                 {"energy-dt", "--softening"}, {"ladder", "-n"}};
    for (const auto& [name, option] : lists) {
        const Outcome two =
            runGravlab({"bench", "--figure", name, option, "32,64", "-o", "f.png"}, {.folder = folder.path()});
        EXPECT_EQ(two.code, 2) << name;
        EXPECT_THAT(two.err, HasSubstr("takes one " + option)) << name;
    }
    EXPECT_THAT(runGravlab({"bench", "--dt", "0.1,0.2"}).err, HasSubstr("a list is for --figure"));
    EXPECT_THAT(runGravlab({"bench", "--csv", "x.csv"}).err, HasSubstr("needs --figure"));
    EXPECT_THAT(runGravlab({"bench", "--figure", "bodies", "-o", "x.csv", "--csv", "y.csv"}).err, HasSubstr("-o FILE.png"));
    EXPECT_EQ(folder.entries(), 0u);
}

}  // namespace
}  // namespace gravlab
