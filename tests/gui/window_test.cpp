// The window: keys, mouse, sizes, pictures, and the message without a display.
#include "app/frontends/headless/lost_context.h"
#include "app/system/picture.h"
#include "gui_fixture.h"
#include "tests/files.h"
#include "tests/paths.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <sstream>
#include <thread>
#include <utility>

namespace gravlab::test {
namespace {

using namespace std::chrono_literals;

class WindowTest : public GuiTest {};

/// Mean difference of 8 x 8 blocks, in levels of 255, over a region of two pictures: insensitive to the edges of letters.
double blockDifference(const Picture& a, const Picture& b, int fromX, int toX, int fromY, int toY) {
    double sum = 0;
    int blocks = 0;
    for (int y = fromY; y + 8 <= toY; y += 8)
        for (int x = fromX; x + 8 <= toX; x += 8) {
            double means[2] = {0, 0};
            for (int j = y; j < y + 8; ++j)
                for (int i = 3 * x; i < 3 * (x + 8); ++i) {
                    const auto at =
                        static_cast<std::size_t>(j) * static_cast<std::size_t>(3 * a.width) + static_cast<std::size_t>(i);
                    means[0] += a.rgb[at] / 192.0;
                    means[1] += b.rgb[at] / 192.0;
                }
            sum += std::abs(means[0] - means[1]);
            ++blocks;
        }
    return sum / std::max(blocks, 1);
}

TEST(NoDisplay, exitsWith4AndSaysWhy) {
    const auto folder = std::filesystem::temp_directory_path() / ("gravlab-nodisplay-" + std::to_string(getpid()));
    std::filesystem::create_directories(folder);
    for (const char* display : {"", ":4711"}) {
        Process program({GRAVLAB_BINARY, "view"},
                        {{"DISPLAY", display}, {"WAYLAND_DISPLAY", ""}, {"XDG_CONFIG_HOME", folder.string()}},
                        folder / "log");
        EXPECT_EQ(program.wait(120s), 4) << "DISPLAY='" << display << "'";
        const std::string text = contentOf(folder / "log");
        EXPECT_NE(text.find("display"), std::string::npos) << text;
        EXPECT_NE(text.find("gravlab render"), std::string::npos) << "what to do instead: " << text;
    }
    std::filesystem::remove_all(folder);
}

TEST_F(WindowTest, anOldOpenGlIsCode4WithASentence) {
    Process view({GRAVLAB_BINARY, "view", "--frames", "30"},
                 {{"DISPLAY", display->name()},
                  {"WAYLAND_DISPLAY", ""},
                  {"MESA_GL_VERSION_OVERRIDE", "3.3"},
                  {"XDG_CONFIG_HOME", folder.string()}},
                 folder / "old.log");
    const int code = view.wait(120s);
    const std::string text = contentOf(folder / "old.log");
    if (code == 0 && text.find("Mesa") == std::string::npos)
        GTEST_SKIP() << "THE OLD OPENGL IS NOT TESTED: this display's driver is not Mesa";
    EXPECT_EQ(code, 4) << text;
    EXPECT_NE(text.find("OpenGL 4.5"), std::string::npos) << text;
    EXPECT_NE(text.find("driver"), std::string::npos) << "what to do: " << text;
    // Films need the same OpenGL.
    Process film({GRAVLAB_BINARY, "render", "two-body", "-o", (folder / "x.png").string()},
                 {{"DISPLAY", ""}, {"WAYLAND_DISPLAY", ""}, {"MESA_GL_VERSION_OVERRIDE", "3.3"}}, folder / "film.log");
    EXPECT_EQ(film.wait(120s), 4) << contentOf(folder / "film.log");
    EXPECT_NE(contentOf(folder / "film.log").find("OpenGL 4.5"), std::string::npos);
}

/// A held key: the display repeats its event. A row that repeats shows how long that takes.
TEST_F(WindowTest, aKeyThatStaysDownIsOnePressUnlessItsRowRepeats) {
    open(kSmall);
    const Json before = status();
    const auto start = std::chrono::steady_clock::now();
    xdotool({"keydown", "period"});
    waitFor("three repeats",
            [&](const Json& s) { return s.at("speed").get<double>() >= 16 * before.at("speed").get<double>(); });
    const auto enough = std::chrono::steady_clock::now() - start;
    xdotool({"keyup", "period"});
    const auto hold = [&](const std::string& name) {
        xdotool({"keydown", name});
        std::this_thread::sleep_for(enough);
        xdotool({"keyup", name});
        settle();
    };
    hold("c");
    EXPECT_EQ(status().at("colour_map").get<int>(), before.at("colour_map").get<int>() + 1);
    hold("Prior");
    EXPECT_EQ(status().at("bodies").get<int>(), 2 * before.at("bodies").get<int>());
}

TEST_F(WindowTest, fliesByTheClockWhileAKeyIsDown) {
    open(kSmall);
    key("space");
    const Json camera = waitForValue("paused", true).at("camera");
    const double step = 0.06 * camera.at("distance").get<double>();
    /// The distance of the focus from its start, in steps of a press.
    const auto steps = [&](const Json& s) {
        double sum = 0;
        for (std::size_t i = 0; i < 3; ++i)
            sum += std::pow(s.at("camera").at("target")[i].get<double>() - camera.at("target")[i].get<double>(), 2);
        return std::sqrt(sum) / step;
    };
    xdotool({"keydown", "w"});
    // Whole presses alone would leave it at whole steps.
    const auto between = [&](const Json& s) { return steps(s) > 1.05 && std::abs(steps(s) - std::round(steps(s))) > 0.05; };
    waitFor("a part of a step", between);
    waitFor("a flight", [&](const Json& s) { return steps(s) > 20; });
    xdotool({"keyup", "w"});
    settle();
    const double end = steps(waitForValue("moving", false));
    settle();
    EXPECT_EQ(steps(status()), end) << "it flies on although the key is up";
}

TEST_F(WindowTest, typingIsNoCommand) {
    open(kSmall);
    click("run.seed");
    waitForValue("typing", true);
    key("ctrl+a");
    type("31");  // as commands: scenes
    key("space");
    EXPECT_EQ(status().at("scene"), "plummer");
    EXPECT_EQ(status().at("paused"), false);
    key("Return");
    waitForValue("seed", 31);
}

TEST_F(WindowTest, turnsMovesAndZoomsByMouseButNotUnderThePanel) {
    open(kSmall);
    key("space");
    const Json start = waitForValue("paused", true).at("camera");
    drag(500, 300, 540, 320, 1);
    const Json turned = waitFor("a turned camera", [&](const Json& s) {
                            return s.at("camera").at("azimuth") != start.at("azimuth");
                        }).at("camera");
    EXPECT_EQ(turned.at("target"), start.at("target"));
    drag(500, 300, 540, 320, 3);
    const Json moved = waitFor("a moved camera", [&](const Json& s) {
                           return s.at("camera").at("target") != turned.at("target");
                       }).at("camera");
    EXPECT_EQ(moved.at("azimuth"), status().at("camera").at("azimuth"));
    moveTo(500, 300);
    xdotool({"click", "4"});
    waitFor("a nearer camera", [&](const Json& s) { return s.at("camera").at("distance") < moved.at("distance"); });
    const Json before = status().at("camera");
    moveTo(420, 250);
    xdotool({"click", "--repeat", "2", "--delay", "40", "1"});
    waitFor("a centred camera", [&](const Json& s) { return s.at("camera").at("target") != before.at("target"); });
    key("Home");
    // From there the camera keeps half of the light at two fifths of the height, and may come nearer.
    waitFor("the scene's own view", [&](const Json& s) {
        const double distance = s.at("camera").at("distance").get<double>() / start.at("distance").get<double>();
        return s.at("camera").at("azimuth") == start.at("azimuth") && distance > 0.35 && distance < 1.7;
    });

    moveTo("run.scene");
    const Json now = status();
    const int panelX = 20, panelY = now.at("height").get<int>() / 2;
    drag(panelX, panelY, panelX + 30, panelY + 20, 1);
    moveTo(panelX, panelY);
    const double far = status().at("camera").at("distance");
    xdotool({"click", "4"});
    settle();
    EXPECT_EQ(status().at("camera").at("azimuth"), start.at("azimuth"));
    EXPECT_EQ(status().at("camera").at("elevation"), start.at("elevation"));
    EXPECT_GT(status().at("camera").at("distance").get<double>(), 0.95 * far) << "the wheel went to the panel";
}

TEST_F(WindowTest, simulatesOnWhileHiddenAndSurvivesAStormOfSizes) {
    open(kSmall);
    xdotool({"windowunmap", window});
    const Json hidden = waitForValue("width", 0);
    EXPECT_EQ(hidden.at("height"), 0);
    const auto step = hidden.at("step").get<std::int64_t>();
    waitFor("steps while hidden", [&](const Json& s) { return s.at("step") > step + 3; });
    xdotool({"windowmap", window});
    waitForValue("width", 1000);
    Arguments storm;
    for (int i = 0; i < 30; ++i) {
        const int width = 1 + (i * 397) % 1300, height = 1 + (i * 211) % 800;
        storm.insert(storm.end(), {"windowsize", window, std::to_string(width), std::to_string(height)});
    }
    storm.insert(storm.end(), {"windowsize", window, "820", "610"});
    xdotool(storm);
    waitForValue("width", 820);
    const Json now = waitForValue("height", 610);
    waitFor("steps after it", [&](const Json& s) { return s.at("step") > now.at("step"); });
}

TEST_F(WindowTest, coversTheScreenAndComesBack) {
    open(kSmall);
    // Whatever the display's size is: the server knows it.
    const auto [wide, high] = displaySize();
    ASSERT_GT(wide, 1000) << "a display too small to tell full screen from a window";
    key("F11");
    const Json full = waitForValue("width", wide);
    EXPECT_EQ(full.at("height"), high);
    key("alt+Return");
    EXPECT_EQ(waitForValue("width", 1000).at("height"), 700);
}

TEST_F(WindowTest, restsWhenPausedAndWakesForAKey) {
    open(kSmall);
    waitForValue("check", "passed");
    moveTo(500, 650);
    key("space");
    waitForValue("paused", true);
    waitForValue("moving", false);
    // The frames that an event is owed come to an end: as long as it takes, a while without any.
    std::int64_t frame = -1;
    auto since = std::chrono::steady_clock::now();
    waitFor("a picture that rests", [&](const Json& s) {
        const auto now = std::chrono::steady_clock::now();
        if (std::exchange(frame, s.at("frame").get<std::int64_t>()) != frame) since = now;
        return now - since > 1s;
    });
    key("space");
    waitFor("frames again", [&](const Json& s) { return s.at("frame") > frame; });
}

/// A run whose steps are few leaves the processor idle between them. A loaded machine can only lower the counted time.
TEST_F(WindowTest, leavesTheProcessorIdleBetweenSteps) {
    Arguments slow = kSmall;
    slow.insert(slow.end(), {"--speed", "0.01"});
    open(slow);
    waitForValue("check", "passed");
    const auto ticks = [&] {
        const std::string process = std::to_string(program->id());
        std::istringstream counters(contentOf("/proc/" + process + "/task/" + process + "/stat"));
        std::string skipped;
        for (int field = 1; field < 14; ++field) counters >> skipped;
        long user = 0, system = 0;
        counters >> user >> system;
        return user + system;
    };
    const long before = ticks();
    const auto begun = std::chrono::steady_clock::now();
    std::this_thread::sleep_for(1s);
    const double used = static_cast<double>(ticks() - before) / static_cast<double>(sysconf(_SC_CLK_TCK));
    EXPECT_LT(used, 0.6 * std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count());
}

/// Window and film are one frame loop: the same state must give the same picture.
TEST_F(WindowTest, showsWhatAFilmShows) {
    const std::string shown = folder / "window.png", filmed = folder / "film.png";
    const Arguments scene{"plummer", "-n", "400", "--backend", "cpu", "--kernel", "naive", "--size", "640x480"};
    Arguments view{GRAVLAB_BINARY, "view", "--no-ui", "--frames", "5", "--time-budget", "10000", "--screenshot", shown};
    Arguments film{GRAVLAB_BINARY, "render", "--frames", "6", "-o", filmed};
    view.insert(view.end(), scene.begin(), scene.end());
    film.insert(film.end(), scene.begin(), scene.end());
    Process shot({view}, {{"DISPLAY", display->name()}, {"WAYLAND_DISPLAY", ""}}, folder / "gravlab.log");
    ASSERT_EQ(shot.wait(patience), 0);
    Process render(film, {{"DISPLAY", ""}, {"WAYLAND_DISPLAY", ""}}, folder / "gravlab.log");
    ASSERT_EQ(render.wait(patience), 0);
    const Picture a = readPng(shown), b = readPng(filmed);
    ASSERT_EQ(a.width, 640);
    ASSERT_EQ(a.height, 480);
    ASSERT_EQ(a.rgb.size(), b.rgb.size());
    EXPECT_LT(blockDifference(a, b, 0, 640, 0, 480), 0.05);
    EXPECT_GT(*std::max_element(a.rgb.begin(), a.rgb.end()), 60) << "an empty picture proves nothing";
    EXPECT_EQ(a.texts.at("gravlab:step"), "5");
}

/// The graphics are reset twice: window and picture are made anew, and the run has not noticed.
TEST_F(WindowTest, aLostContextIsMadeAnewWithTheSamePicture) {
    if (!glFaultsAvailable()) GTEST_SKIP() << "this build has no faults: configure it with -DGRAVLAB_FAULTS=ON";
    const std::string whole = folder / "whole.png", lost = folder / "lost.png";
    for (const std::string& shown : {whole, lost}) {
        const char* plan = shown == lost ? "glGetGraphicsResetStatus:4:33363,glGetGraphicsResetStatus:7:33364" : "";
        Process run({GRAVLAB_BINARY,  "view",  "plummer", "-n",      "400",          "--backend", "cpu",
                     "--kernel",      "naive", "--size",  "640x480", "--no-ui",      "--frames",  "9",
                     "--time-budget", "10000", "--splat", "raster",  "--screenshot", shown},
                    {{"DISPLAY", display->name()}, {"WAYLAND_DISPLAY", ""}, {"GRAVLAB_FAULT", plan}},
                    folder / "gravlab.log");
        ASSERT_EQ(run.wait(patience), 0);
    }
    const Picture a = readPng(whole), b = readPng(lost);
    EXPECT_EQ(b.texts.at("gravlab:step"), "9");
    ASSERT_EQ(a.rgb.size(), b.rgb.size());
    EXPECT_GT(*std::max_element(a.rgb.begin(), a.rgb.end()), 60) << "an empty picture proves nothing";
    EXPECT_TRUE(a.rgb == b.rgb) << blockDifference(a, b, 0, 640, 0, 480) << " levels apart";
}

}  // namespace
}  // namespace gravlab::test
