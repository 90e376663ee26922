// The lab, by mouse and key: a launch's numbers, a sweep beside the running picture, its export, and tuning.
#include "gui_fixture.h"

#include <chrono>
#include <cstdlib>
#include <fstream>

namespace gravlab::test {
namespace {

class LabPanel : public GuiTest {
protected:
    LabPanel() { half = true; }
    void openLab() {
        const EnvironmentVariable cache("XDG_CACHE_HOME", folder / "cache");
        open({"plummer", "-n", "300", "--size", "1280x720", "--backend", "cpu", "--kernel", "simd"});
        key("l");
        waitFor("the lab", [](const Json& s) { return s.at("lab").at("open") == true; });
    }
    static std::string writtenFile(const Json& s) {
        const std::string text = s.at("lab").at("status");
        return text.starts_with("written to ") ? text.substr(11) : "";
    }
};

TEST_F(LabPanel, opensByKeyAndButtonAndShowsTheLaunch) {
    openLab();
    settle();
    const Json items = status().at("items");
    for (const char* name : {"lab_launch", "lab_sweep", "lab_close", "lab_source", "lab_vector"})
        EXPECT_TRUE(items.contains(name)) << name;
    click("lab_close");
    waitFor("no lab", [](const Json& s) { return s.at("lab").at("open") == false; });
    click("lab");
    waitFor("the lab", [](const Json& s) { return s.at("lab").at("open") == true; });
}

TEST_F(LabPanel, sweepsWhileThePictureGoesOnAndWritesTheNumbers) {
    openLab();
    click("lab_sweep");
    settle();
    choose("lab.sweep", "bodies");
    settle();
    click("lab-measure");
    const Json first = waitFor("a point", [](const Json& s) { return s.at("lab").at("points") >= 1; });
    EXPECT_TRUE(first.at("lab").at("busy"));
    waitFor("more steps", [&](const Json& s) { return s.at("step") > first.at("step"); });
    click("lab-cancel");
    const Json end = waitFor("the end", [](const Json& s) { return s.at("lab").at("busy") == false; });
    EXPECT_GE(end.at("lab").at("points"), 1);
    EXPECT_EQ(end.at("lab").at("status"), "cancelled");
    settle();
    click("lab-csv");
    const Json written = waitFor("a file", [](const Json& s) { return !writtenFile(s).empty(); });
    const std::filesystem::path file = writtenFile(written);
    std::ifstream stream(file);
    std::string head, line;
    std::getline(stream, head);
    std::getline(stream, line);
    EXPECT_TRUE(head.starts_with("series,x,")) << head;
    EXPECT_NE(line.find(",simd,1024,"), std::string::npos) << line;
    std::filesystem::remove(file);
    settle();
    click("lab-png");
    const Json picture = waitFor("a picture", [](const Json& s) { return writtenFile(s).ends_with(".png"); });
    EXPECT_GT(std::filesystem::file_size(writtenFile(picture)), 1000u);
    std::filesystem::remove(writtenFile(picture));
}

TEST_F(LabPanel, showsTheMatrixOfPairsForFewBodies) {
    openLab();
    click("lab_matrix");
    const auto hasMap = [](const Json& s) { return s.at("items").contains("lab_map"); };
    waitFor("the matrix", hasMap);
    moveTo("lab_map");
    settle();
    enter("run.bodies/exact", "5000");
    waitFor("no matrix", [&](const Json& s) { return s.at("bodies") == 5000 && !hasMap(s); });
    enter("run.bodies/exact", "4096");
    waitFor("the matrix again", hasMap);
    enter("run.bodies/exact", "5000");
    waitFor("the way to fewer", [](const Json& s) { return s.at("items").contains("matrix_fit"); });
    click("matrix_fit");
    waitFor("the matrix of fewer", [&](const Json& s) { return s.at("bodies") == 1024 && hasMap(s); });
}

TEST_F(LabPanel, hasPagesThatNeedNoGpu) {
    openLab();
    const auto shows = [](const char* name) { return [name](const Json& s) { return s.at("items").contains(name); }; };
    click("lab_calculator");
    waitFor("the calculator", shows("calculator_waves"));
    choose("calculator.gpu", "t4");
    settle();
    enter("calculator.block", "2048");
    waitFor("a launch that would not start has no waves",
            [](const Json& s) { return !s.at("items").contains("calculator_waves"); });
    EXPECT_TRUE(status().at("items").contains("calculator_table"));
    enter("calculator.block", "128");
    waitFor("waves again", shows("calculator_waves"));
    click("lab_ladder");
    waitFor("the ladder", shows("ladder_rungs"));
    choose("lab.rung", "cpu:naive");
    EXPECT_TRUE(status().at("items").contains("lab_source"));
    click("lab_recorded");
    waitFor("what was recorded", shows("recorded_plot"));
    choose("lab.recorded_figure", "waves");
    settle();
}

TEST_F(LabPanel, mapsBlockByUnrollOnAGpu) {
    open({"plummer", "-n", "16384", "--size", "1280x720", "--backend", "auto", "--lab", "sweep"});
    if (status().at("backend") != "cuda") {
        const char* required = std::getenv("GRAVLAB_REQUIRE_GPU");
        ASSERT_TRUE(!required || std::string(required) != "1") << "a GPU is required and the window runs without";
        GTEST_SKIP() << "no CUDA device here; these sweeps are tested as greyed out";
    }
    choose("run.kernel", "tiled");
    waitForValue("kernel", "tiled");
    choose("lab.sweep", "block x unroll");
    settle();
    click("lab-measure");
    const Json first = waitFor("a point", [](const Json& s) { return s.at("lab").at("points") >= 1; });
    waitFor("more steps", [&](const Json& s) { return s.at("step") > first.at("step"); });
    Json now = status();
    for (int tries = 0; tries < 20 && now.at("lab").at("busy") == true; ++tries) {
        const auto points = now.at("lab").at("points").get<int>();
        now = waitFor("the next point",
                      [&](const Json& s) { return s.at("lab").at("points") > points || s.at("lab").at("busy") == false; });
        if (now.at("lab").at("points") > points) tries = 0;
    }
    EXPECT_EQ(now.at("lab").at("busy"), false);
    EXPECT_GE(now.at("lab").at("points"), 24) << "blocks by unroll factors";
    settle();
    click("lab-png");
    const Json picture = waitFor("a picture", [](const Json& s) { return writtenFile(s).ends_with(".png"); });
    EXPECT_GT(std::filesystem::file_size(writtenFile(picture)), 1000u);
    if (const char* keep = std::getenv("GRAVLAB_TEST_PICTURES")) {
        std::filesystem::copy(writtenFile(picture), std::filesystem::path(keep) / "block-unroll.png");
        key("F12");
        settle();
    }
    std::filesystem::remove(writtenFile(picture));
}

TEST_F(LabPanel, tunesAndTakesUpWhatItFinds) {
    openLab();
    click("lab_sweep");
    settle();
    click("lab-tune");
    waitFor("the search", [](const Json& s) { return s.at("lab").at("busy") == true; });
    xdotool({"windowunmap", window});    // pictures would take half of its time
    patience = std::chrono::minutes(4);  // it measures for seconds, and longer beside other work
    const Json end = waitFor("its end", [](const Json& s) { return s.at("lab").at("busy") == false; });
    const std::string text = end.at("lab").at("status");
    EXPECT_NE(text.find("in whole steps"), std::string::npos) << text;
    EXPECT_TRUE(std::filesystem::exists(folder / "cache" / "gravlab" / "tune.json"));
    waitFor("its kernel", [&](const Json& s) { return text.starts_with(s.at("kernel").get<std::string>()); });
    waitForValue("check", "passed");
}

}  // namespace
}  // namespace gravlab::test
