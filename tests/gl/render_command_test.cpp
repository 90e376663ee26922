// `gravlab render` from outside: exit codes, files, and their content.
#include "app/model/film_plan.h"
#include "app/system/picture.h"
#include "sim/core/text.h"
#include "tests/paths.h"
#include "tests/surroundings.h"
#include "tests/unit/cli_support.h"
#include "tests/wrong_forces.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

namespace gravlab::test {
namespace {

class RenderCommandTest : public ::testing::Test {
protected:
    RenderCommandTest() { fs::create_directories(folder_ / "out"); }

    std::string out(const std::string& name) const { return (folder_ / "out").string() + "/" + name; }
    std::size_t files() const {
        return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_ / "out"), {}));
    }
    int render(std::vector<std::string> words) {
        words.insert(words.begin(), "render");
        outcome_ = runGravlab(std::move(words));
        return outcome_.code;
    }
    const std::string& said() const { return outcome_.err; }
    ScratchFolder folder_;
    Outcome outcome_;
};

TEST(BenchFrames, timesWholeFramesOffScreen) {
    const Outcome outcome = runGravlab({"bench", "plummer", "--frames", "41", "-n", "50", "--size", "64x48", "--ui",
                                        "--backend", "cpu", "--kernel", "naive"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    const std::string text = outcome.out + outcome.err;
    EXPECT_THAT(text,
                ::testing::ContainsRegex("plummer, 50 bodies, cpu / naive, 64x48 with panels: [0-9.]+ a second, median "));
    EXPECT_THAT(text, ::testing::HasSubstr("(21 frames, the first 20 left out)"));
}

TEST(BenchFrames, timesStagesOfBothWaysForEverySizeAndNumber) {
    const Outcome outcome = runGravlab({"bench", "plummer", "--frames", "44", "--stages", "-n", "50,80", "--size",
                                        "64x48,100x60", "--ui", "--backend", "cpu", "--format", "csv"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    std::vector<std::string> rows = linesOf(outcome.out);
    ASSERT_FALSE(rows.empty());
    EXPECT_EQ(rows.front(),
              "scene,bodies,width,height,way,bodies_ms,resolve_ms,large_ms,trails_ms,develop_ms,glow_ms,exposure_ms,tone_ms,"
              "sum_ms,"
              "picture_ms,panels_ms,frame_ms,frames");
    rows.erase(rows.begin());
    for (std::string& row : rows) row = row.substr(0, row.find("0."));
    EXPECT_THAT(rows,
                testing::ElementsAre(
                    testing::StartsWith("plummer,50,64,48,raster,"), testing::StartsWith("plummer,50,64,48,compute,"),
                    testing::StartsWith("plummer,50,100,60,raster,"), testing::StartsWith("plummer,50,100,60,compute,"),
                    testing::StartsWith("plummer,80,64,48,raster,"), testing::StartsWith("plummer,80,64,48,compute,"),
                    testing::StartsWith("plummer,80,100,60,raster,"), testing::StartsWith("plummer,80,100,60,compute,")));
}

TEST(BenchFrames, stagesAreThoseOfPicturesThatWereDrawn) {
    const auto numbers = [&](int bodies) {
        const Outcome outcome = runGravlab({"bench", "plummer", "--frames", "40", "--stages", "--size", "96x64", "--backend",
                                            "cpu", "--splat", "raster", "--format", "csv", "-n", std::to_string(bodies)});
        EXPECT_EQ(outcome.code, 0) << outcome.err;
        return numbersOf(outcome.out.substr(outcome.out.rfind("raster,") + 7));
    };
    const std::vector<double> few = numbers(500), many = numbers(20000);
    ASSERT_EQ(few.size(), 13u);
    ASSERT_EQ(many.size(), 13u);
    EXPECT_EQ(many.back(), 80) << "each picture of both kinds was timed";
    EXPECT_GT(many[0], 4 * few[0]) << "bodies are drawn in each of them";
    EXPECT_GT(many[9], many[0] / 4) << "and in those without stamps";
    EXPECT_GT(many[11], many[9] / 4) << "a frame waits for the one before it";
}

TEST_F(RenderCommandTest, PictureCarriesItsSettings) {
    ASSERT_EQ(render({"figure-eight", "-o", out("a.png"), "--frames", "3", "--steps-per-frame", "7", "--size", "320x180",
                      "--seed", "5"}),
              0)
        << said();
    const Picture picture = readPng(out("a.png"));
    EXPECT_EQ(picture.width, 320);
    EXPECT_EQ(picture.height, 180);
    EXPECT_EQ(picture.texts.at("gravlab:scene"), "figure-eight");
    EXPECT_EQ(picture.texts.at("gravlab:seed"), "5");
    EXPECT_THAT(picture.rgb, testing::Contains(testing::Gt(100)));
    EXPECT_THAT(said(), testing::HasSubstr("OpenGL"));
    EXPECT_EQ(files(), 1u);
}

TEST_F(RenderCommandTest, OptionsThatChangeNothingAreRefused) {
    const auto refused = [&](std::vector<std::string> words, const std::string& why) {
        words.insert(words.begin(), {"six-body", "-o", out("a.png"), "--size", "64x64", "--backend", "cpu"});
        EXPECT_EQ(render(words), 2) << words.back();
        EXPECT_THAT(said(), testing::HasSubstr(why)) << words.back();
        EXPECT_EQ(files(), 0u);
    };
    refused({"--tree-level", "3"}, "--tree-level does nothing: it belongs to --tree-cells level");
    refused({"--colour", "plain", "--map", "ember"}, "--map does nothing: the colours are those of 'plain'");
    refused({"--colour", "mass", "--top-speed", "3"}, "--top-speed does nothing: the colours are those of 'mass'");
    for (const char* layer : {"--dust", "--gas", "--sky"}) refused({layer, "0.5"}, "it belongs to --colour photograph");
    refused({"--dark-matter", "1"}, "--dark-matter does nothing: no body is dark matter");
    refused({"--lab", "launch"}, "add --ui");
    refused({"--ui-scale", "2"}, "--ui-scale does nothing");
    refused({"--block", "128"}, "--block does nothing: for these bodies the");
    // Each does something beside what it belongs to.
    ASSERT_EQ(render({"six-body", "-o", out("a.png"), "--size", "64x64", "--backend", "cpu", "--overlay", "scale",
                      "--ui-scale", "2", "--colour", "speed", "--map", "ember", "--top-speed", "3"}),
              0)
        << said();
}

TEST_F(RenderCommandTest, FramesShowTheStepsTheyShould) {
    const std::vector<std::string> common = {"figure-eight", "--size", "160x90", "--backend", "reference"};
    const auto with = [&](std::vector<std::string> more) {
        more.insert(more.begin(), common.begin(), common.end());
        return more;
    };
    ASSERT_EQ(render(with({"-o", out("%02d.png"), "--frames", "3", "--steps-per-frame", "20"})), 0) << said();
    ASSERT_EQ(render(with({"-o", out("first.png"), "--frames", "1"})), 0) << said();
    ASSERT_EQ(render(with({"-o", out("last.png"), "--frames", "41", "--steps-per-frame", "1"})), 0) << said();
    EXPECT_EQ(readPng(out("00.png")).rgb, readPng(out("first.png")).rgb);
    EXPECT_EQ(readPng(out("02.png")).rgb, readPng(out("last.png")).rgb);
    EXPECT_NE(readPng(out("00.png")).rgb, readPng(out("01.png")).rgb);
    EXPECT_EQ(files(), 5u);
}

TEST_F(RenderCommandTest, FilmsAndPicturesGoBySimulatedTime) {
    struct Case {
        std::vector<std::string> words;
        const char *last, *said;
        double end;
    };
    for (const Case& c : {Case{{"--until", "1", "--frames", "3"}, "02", "3 frames at 60 frames/s, 32 steps", 1},
                          {{"--speed", "12", "--duration", "0.05s"}, "02", "13 steps of 0.0153846", 0.4},
                          {{"--speed", "12", "--until", "-0.3", "--dt", "-0.1"}, "", "leave out --dt", 0},
                          {{"--speed", "12", "--until", "0.6"}, "03", "4 frames", 0.6}}) {
        std::vector<std::string> words{"two-body", "--size", "64x48", "-o", out("%02d.png")};
        words.insert(words.end(), c.words.begin(), c.words.end());
        ASSERT_EQ(render(words), c.end > 0 ? 0 : 2) << said();
        EXPECT_THAT(said(), testing::HasSubstr(c.said));
        if (c.end > 0) {
            EXPECT_NEAR(std::stod(readPng(out(c.last + std::string(".png"))).texts.at("gravlab:time")), c.end, 1e-6);
        }
    }
    ASSERT_EQ(render({"two-body", "--size", "64x48", "-o", out("still.png"), "--until", "1"}), 0) << said();
    EXPECT_NEAR(std::stod(readPng(out("still.png")).texts.at("gravlab:time")), 1, 1e-6);
}

TEST_F(RenderCommandTest, ALoopGoesOverIntoItsStart) {
    constexpr int kFrames = 8;
    const LoopPlan plan = loopPlan(sceneNamed("figure-eight"), 60, kFrames, 0);
    const std::vector<std::string> common = {"figure-eight", "--size", "160x90", "--backend", "reference"};
    const auto with = [&](std::vector<std::string> more) {
        more.insert(more.begin(), common.begin(), common.end());
        return more;
    };
    ASSERT_EQ(render(with({"-o", out("%02d.png"), "--frames", std::to_string(kFrames), "--loop"})), 0) << said();
    EXPECT_EQ(files(), static_cast<std::size_t>(kFrames));
    const std::string step = formatted("%.17g", plan.timeStep);
    ASSERT_EQ(render(with({"-o", out("next-%02d.png"), "--frames", std::to_string(kFrames + 1), "--dt", step,
                           "--steps-per-frame", std::to_string(plan.stepsPerFrame)})),
              0)
        << said();
    EXPECT_EQ(readPng(out("07.png")).rgb, readPng(out("next-07.png")).rgb);
    const auto apart = [&](const char* a, const char* b) {
        const Picture one = readPng(out(a)), other = readPng(out(b));
        double sum = 0;
        for (std::size_t i = 0; i < one.rgb.size(); ++i) sum += std::abs(one.rgb[i] - other.rgb[i]);
        return sum / static_cast<double>(one.rgb.size());
    };
    EXPECT_LT(apart("00.png", "next-08.png"), 0.1) << "the frame that would come after the last is the first";
    EXPECT_GT(apart("00.png", "07.png"), 0.5) << "the comparison sees nothing";
}

TEST_F(RenderCommandTest, PicturesOfWrongForcesReplaceNothing) {
    if (!fileFormat("hdf5").unavailable().empty()) GTEST_SKIP() << "this build has no HDF5";
    const std::string wrong = (folder_ / "wrong.hdf5").string();
    testing_support::writeWrongForces(wrong);
    std::ofstream(out("00.png")) << "old";
    for (const char* name : {"%02d.png", "00.png"}) {
        EXPECT_EQ(render({wrong, "-o", out(name), "--frames", "3", "--size", "64x48"}), 7) << said();
        EXPECT_THAT(said(), testing::HasSubstr("nothing of this run is to be trusted"));
        EXPECT_EQ(fs::file_size(out("00.png")), 3u) << "the old one stays";
        EXPECT_EQ(files(), 1u);
    }
}

TEST_F(RenderCommandTest, PanelsAreDrawnWhenAskedFor) {
    ASSERT_EQ(render({"two-body", "-o", out("plain.png"), "--frames", "1", "--size", "960x540"}), 0) << said();
    ASSERT_EQ(render({"two-body", "-o", out("ui.png"), "--frames", "2", "--size", "960x540", "--ui"}), 0) << said();
    const auto lit = [](const Picture& picture) {
        std::size_t count = 0;
        for (std::size_t i = 0; i < picture.rgb.size(); i += 3)
            count += picture.rgb[i] + picture.rgb[i + 1] + picture.rgb[i + 2] > 60;
        return count;
    };
    EXPECT_GT(lit(readPng(out("ui.png"))), lit(readPng(out("plain.png"))) + 2000);
}

TEST_F(RenderCommandTest, RefusalsWriteNothing) {
    struct Case {
        std::vector<std::string> words;
        int code;
        const char* part;
    };
    const Case cases[] = {
        {{"two-body", "-o", out("a.avi"), "--frames", "1"}, 2, "FILE.mp4"},
        {{"two-body", "-o", out("a.gif"), "--frames", "1", "--fps", "60"}, 2, "at most 50"},
        {{"collision", "-o", out("a.mp4"), "--loop"}, 2, "figure-eight"},
        {{"two-body", "-o", out("a.mp4"), "--loop", "--dt", "0.01"}, 2, "leave out --dt"},
        {{"two-body", "-o", out("a.png"), "--loop"}, 2, "one picture"},
        {{"two-body", "-o", out("%s.png"), "--frames", "1"}, 2, "FILE.mp4"},
        {{"two-body", "-o", out("a.mp4")}, 2, "--frames"},
        {{"two-body", "-o", out("a.mp4"), "--until", "1"}, 2, "--duration"},
        {{"two-body", "-o", out("a.mp4"), "--speed", "1"}, 2, "the length of the film"},
        {{"two-body", "-o", out("a.mp4"), "--until", "1", "--speed", "1", "--frames", "5"}, 2, "give two of"},
        {{"two-body", "-o", out("a.mp4"), "--until", "1", "--frames", "5", "--dt", "0.1"}, 2, "leave out --dt"},
        {{"two-body", "-o", out("a.mp4"), "--until", "-1", "--frames", "5"}, 2, "never reached"},
        {{"two-body", "--frames", "1"}, 2, "-o"},
        {{"two-body", "-o", out("a.mp4"), "--frames", "1", "--size", "321x180"}, 2, "322x180"},
        {{"two-body", "-o", out("a.png"), "--frames", "1", "--size", "0x180"}, 2, ""},
        {{"two-body", "-o", out("a.png"), "--frames", "1", "--size", "900000x900000"}, 2, ""},
        {{"two-body", "-o", out("no/such/a.png"), "--frames", "1"}, 6, "no folder"},
        {{"two-bodies", "-o", out("a.png"), "--frames", "1"}, 2, "two-body"},
    };
    for (const Case& c : cases) {
        EXPECT_EQ(render(c.words), c.code) << c.words[2] << ": " << said();
        EXPECT_THAT(said(), testing::HasSubstr(c.part));
        EXPECT_EQ(files(), 0u) << c.words[2];
    }
}

TEST_F(RenderCommandTest, NoOpenGlIsSaidInASentence) {
    struct Case {
        const char *variable, *value, *part;
    };
    // No driver at all, and one that is too old.
    for (const Case& c : {Case{"__EGL_VENDOR_LIBRARY_FILENAMES", "/nonexistent", "EGL offers no device"},
                          Case{"MESA_GL_VERSION_OVERRIDE", "3.3", "has no OpenGL 4.5 core context"}}) {
        const EnvironmentVariable driver(c.variable, c.value);
        const int code = render({"two-body", "-o", out("a.png"), "--frames", "1"});
        if (code == 0 && said().find("Mesa") == std::string::npos) continue;  // another vendor's driver, or no vendor list
        EXPECT_EQ(code, 4) << said();
        EXPECT_THAT(said(), testing::HasSubstr(c.part));
        EXPECT_EQ(files(), 0u);
    }
}

TEST_F(RenderCommandTest, InterruptedLeavesNothing) {
    for (const char* name : {"a.png", "%05d.png"}) {
        StartedProgram program(
            {"render", "plummer", "-n", "1000", "-o", out(name), "--frames", "1000000", "--size", "64x48"}, {});
        // In the midst of its frames: numbered files are on the disk; for a still, frames count from the first backend on.
        const bool numbered = std::string(name).find('%') != std::string::npos;
        const auto begun = [&] {
            return numbered ? files() > 1 : program.errorsSoFar().find("running on") != std::string::npos;
        };
        for (int tries = 0; !begun() && tries < 12'000; ++tries) std::this_thread::sleep_for(std::chrono::milliseconds(5));
        EXPECT_TRUE(begun()) << program.errorsSoFar();
        program.send(SIGINT);
        const Outcome ended = program.wait();
        EXPECT_EQ(ended.code, 130) << ended.err;
        EXPECT_THAT(ended.err, testing::HasSubstr("interrupted")) << "the signal ended it, and not the program itself";
        EXPECT_EQ(files(), 0u) << name;
    }
}

}  // namespace
}  // namespace gravlab::test
