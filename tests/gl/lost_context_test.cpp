// A lost OpenGL context: everything in OpenGL is rebuilt from the simulation, a hundred times, and the picture is the same.
// Also a clock that jumps, as when a machine wakes up.
#include "app/frontends/headless/lost_context.h"
#include "app/frontends/headless/headless.h"
#include "app/parameters/parameter.h"
#include "app/serve/serve.h"
#include "app/system/host_clock.h"
#include "app/ui/ui.h"
#include "app/view/app.h"
#include "gl_fixture.h"
#include "sim/api/errors.h"
#include "tests/written.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include <gmock/gmock.h>

#include <glad/gl.h>
#include <algorithm>
#include <cmath>
#include <fstream>
#include <thread>

namespace gravlab::test {
namespace {

constexpr int kLostWidth = 320, kLostHeight = 200;
double lostClock = 1000;

/// An app with panels in a context that can be lost.
class LostContext : public ::testing::Test {
protected:
    void SetUp() override {
        hostClockSource() = [] { return lostClock; };
        context_ = std::make_unique<HeadlessContext>();
        app_ = std::make_unique<App>(StartOptions{
            .simulation = {.scene = "plummer", .bodies = 300, .backend = "cpu", .backendOptions = {.threads = 1}}});
        ui_ = std::make_unique<Ui>(1.0f, context_->description(), *app_);
    }
    void TearDown() override {
        ui_.reset();
        app_.reset();
        context_.reset();
        EXPECT_EQ(liveGlNames(), 0);
        hostClockSource() = source_;
    }
    void step(double seconds = 1.0 / 60) {
        lostClock += seconds;
        app_->apply();
        app_->advance(true);
        written(*app_).glide(seconds);
        picture();
    }
    /// Bodies alone, or with the panels above them.
    std::vector<std::uint8_t> picture(bool panels = false) {
        OffscreenTarget target(kLostWidth, kLostHeight);
        app_->draw(target.framebuffer(), kLostWidth, kLostHeight);
        if (panels) {
            ui_->setSurface(kLostWidth, kLostHeight, 1.0 / 60);
            ui_->frame(*app_);
            ui_->draw();
        }
        return target.read();
    }
    /// After a reset OpenGL has nothing left.
    void lose() {
        ui_->dropPicture();
        app_->dropPicture();
        EXPECT_EQ(liveGlNames(), 0) << "something still has a name in the context that is gone";
        context_.reset();
    }
    void comeBack() {
        context_ = std::make_unique<HeadlessContext>();
        app_->remakePicture();
        ui_->remakePicture(context_->description());
    }
    static double memoryMiB() {
#ifdef __GLIBC__
        malloc_trim(0);  // what is freed does not count: the program keeps the end of its heap for software OpenGL
#endif
        std::ifstream file("/proc/self/status");
        for (std::string line; std::getline(file, line);)
            if (line.starts_with("VmRSS:")) return std::stod(line.substr(6)) / 1024;
        return 0;
    }

    std::unique_ptr<HeadlessContext> context_;
    std::unique_ptr<App> app_;
    std::unique_ptr<Ui> ui_;

private:
    HostClockSource source_ = hostClockSource();
};

std::size_t lit(const std::vector<std::uint8_t>& rgb) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < rgb.size(); i += 3) count += rgb[i] + rgb[i + 1] + rgb[i + 2] > 60 ? 1 : 0;
    return count;
}

TEST_F(LostContext, aHundredTimesTheSamePictureAndNoMoreMemory) {
    written(*app_).look.bloom = 0.2f;
    setParameter(written(*app_), "look.colour_mode", std::string("mass"));  // traits are stored in OpenGL, too
    for (int i = 0; i < 3; ++i) step();
    written(*app_).intent.paused = true;
    const std::vector<std::uint8_t> want = picture();
    ASSERT_GT(lit(want), 500u) << "an empty picture proves nothing";
    const Clock clock = app_->runs.simulation().clock();
    const Camera camera = app_->document.camera;
    double warm = 0;
    for (int i = 0; i < 100; ++i) {
        lose();
        comeBack();
        if (i % 10 == 0) {
            ASSERT_EQ(picture(), want) << i;
        }
        if (i == 20) warm = memoryMiB();
    }
    EXPECT_EQ(picture(), want);
    EXPECT_EQ(app_->runs.simulation().step(), clock.step);
    EXPECT_EQ(app_->document.camera.distance, camera.distance);
    ASSERT_GT(warm, 0);
    EXPECT_LT(memoryMiB() - warm, 12) << "MiB that eighty contexts left behind";
    // The run continues.
    written(*app_).intent.paused = false;
    step();
    EXPECT_EQ(app_->runs.simulation().step(), clock.step + 1);
    EXPECT_NE(picture(), want);
}

TEST_F(LostContext, panelsTrailsSelectionAndTheMatrixComeBack) {
    written(*app_).holdRate = false;  // the panels show a lower look, which follows from measured times
    written(*app_).labPanel.open = true;
    written(*app_).labPanel.page = LabPage::matrix;
    written(*app_).look.trails = 20;
    written(*app_).look.trailLight = 5;
    written(*app_).colourMode = 0;  // speed: in a photograph of stars such short paths are faint
    for (int i = 0; i < 12; ++i) step();
    written(*app_).select(0);
    EXPECT_NE(app_->services.lab.matrix.texture(), 0u);
    ASSERT_TRUE(app_->document.selected);
    written(*app_).intent.paused = true;
    const auto later = [&] {
        lostClock += 1;
        app_->advance(true);
        picture(true);
        return picture(true);
    };
    // Speed, energy and other measurements come from a copied state beside the frames.
    const auto measuring = [&] {
        return !app_->document.selected->energy || std::ranges::any_of(app_->services.all, [&](const Service* service) {
            return service != &app_->services.labLoop && service->busy();
        });
    };
    for (int i = 0; i < 2000 && measuring(); ++i) later();
    ASSERT_FALSE(measuring());
    const std::vector<std::uint8_t> trailed = later();
    // The simulation has no past of trails: they start anew, and the rest is as before.
    written(*app_).look.trails = 0;
    const std::vector<std::uint8_t> want = later();
    lose();
    comeBack();
    const std::vector<std::uint8_t> now = later();
    EXPECT_NE(app_->services.lab.matrix.texture(), 0u) << "the matrix is shown again";
    EXPECT_TRUE(app_->document.selected);
    const auto apart = [](const std::vector<std::uint8_t>& a, const std::vector<std::uint8_t>& b) {
        std::size_t different = 0;
        for (std::size_t i = 0; i < a.size(); ++i) different += std::abs(a[i] - b[i]) > 40 ? 1 : 0;
        return static_cast<double>(different) / static_cast<double>(a.size());
    };
    EXPECT_EQ(apart(now, want), 0) << "the panels are not as they were";
    EXPECT_GT(apart(trailed, want), 0) << "trails were never drawn";
    written(*app_).clearSelection();
    constexpr double kPanel = 0.002;
    EXPECT_GT(apart(later(), want), kPanel) << "the comparison does not see a panel that is missing";
    written(*app_).look.trails = 20;
    written(*app_).look.trailLight = 5;
    written(*app_).colourMode = 0;  // speed: in a photograph of stars such short paths are faint
    written(*app_).intent.paused = false;
    for (int i = 0; i < 3; ++i) step();
    written(*app_).intent.paused = true;
    const std::vector<std::uint8_t> with = picture();
    written(*app_).look.trails = 0;
    EXPECT_NE(picture(), with) << "no trails grow in the new picture";
}

TEST_F(LostContext, isSaidInWordsAndOnlyWhenItHappens) {
    EXPECT_EQ(lostContext(), "");
    if (!glFaultsAvailable()) {
        EXPECT_THROW(planGlFaults("glGetGraphicsResetStatus:1:33363"), UsageError);
        GTEST_SKIP() << "this build has no faults: configure it with -DGRAVLAB_FAULTS=ON";
    }
    planGlFaults(
        "glGetGraphicsResetStatus:2:33363,glGetGraphicsResetStatus:3:33364,glGetGraphicsResetStatus:4:33365,"
        "glGetGraphicsResetStatus:5:1");
    EXPECT_EQ(lostContext(), "");
    EXPECT_THAT(lostContext(), testing::HasSubstr("for this program"));
    EXPECT_THAT(lostContext(), testing::HasSubstr("another program"));
    EXPECT_EQ(lostContext(), "the graphics driver was reset");
    EXPECT_THAT(lostContext(), testing::HasSubstr("status 1"));
    EXPECT_EQ(lostContext(), "");
    EXPECT_THROW(planGlFaults("glNoSuchCall:1:1"), UsageError);
    planGlFaults("");
}

double (*steadyClock)() = nullptr;
bool graphicsLost = false;
std::thread::id drawingThread;

GLenum statusLostOnce() { return GL_UNKNOWN_CONTEXT_RESET; }

/// Loses the context of a run in browsers once. A new context has the driver's own status again.
double clockThatLosesOnce() {
    static int calls = 0;
    if (std::this_thread::get_id() == drawingThread && glad_glGetGraphicsResetStatus && ++calls > 30 &&
        !std::exchange(graphicsLost, true))
        glad_glGetGraphicsResetStatus = statusLostOnce;
    return steadyClock();
}

/// Browsers get pictures before and after, and the run goes on.
TEST(LostContextOfBrowsers, isMadeAnew) {
    ServeOptions options;
    options.width = options.height = 160;
    options.wire.port = 0;
    options.benchSeconds = 0.5;
    options.viewers = 0;
    options.autosaveSeconds = 0;
    StartOptions start{.simulation = {.scene = "plummer", .bodies = 64, .backend = "cpu", .backendOptions = {.threads = 1}}};
    start.rewindMegabytes = 0;
    drawingThread = std::this_thread::get_id();
    steadyClock = hostClockSource();
    hostClockSource() = clockThatLosesOnce;
    testing::internal::CaptureStdout();
    std::string failed;
    try {
        runServe(start, options);
    } catch (const std::exception& error) {
        failed = error.what();
    }
    hostClockSource() = steadyClock;
    const std::string said = testing::internal::GetCapturedStdout();
    if (failed.find("no 'serve'") != std::string::npos) GTEST_SKIP() << failed;
    EXPECT_EQ(failed, "");
    EXPECT_TRUE(graphicsLost);
    EXPECT_NE(glad_glGetGraphicsResetStatus, statusLostOnce) << "no new context was made";
    EXPECT_THAT(said, testing::HasSubstr("input to decoded picture"));
}

/// A machine that slept for a week: steps, camera and exposure do not catch up with the time.
TEST_F(LostContext, aClockThatJumpsMovesNothing) {
    written(*app_).rotation = 0.2;
    written(*app_).look.autoExposure = true;
    for (int i = 0; i < 5; ++i) step();
    const std::int64_t before = app_->runs.simulation().step();
    const float azimuth = app_->document.camera.azimuth;
    for (const double gap : {8 * 3600.0, 7 * 86400.0, 1e9}) {
        const std::int64_t now = app_->runs.simulation().step();
        step(gap);
        EXPECT_EQ(app_->runs.simulation().step(), now + app_->document.intent.stepsPerFrame) << gap;
        EXPECT_TRUE(std::isfinite(app_->services.telemetry.framesPerSecond)) << gap;
        EXPECT_GE(app_->services.telemetry.framesPerSecond, 0) << gap;
    }
    EXPECT_EQ(app_->runs.simulation().step(), before + 3 * app_->document.intent.stepsPerFrame);
    EXPECT_LE(std::abs(app_->document.camera.azimuth - azimuth), 3 * 0.25 * 0.2 + 1e-5)
        << "a quarter of a second a frame at most";
    for (int i = 0; i < 60; ++i) step();
    EXPECT_NEAR(app_->services.telemetry.framesPerSecond, 60, 5) << "rates are those of now again";
    EXPECT_GT(lit(picture()), 100u);
}

/// No object of 0 x 0 is made, and too large ones are refused or drawn in tiles; afterwards memory is as before.
TEST_F(LostContext, tenThousandSizesLeaveMemoryFlat) {
    written(*app_).intent.paused = true;
    written(*app_).colourMode = 0;  // speed: drivers keep more memory of freed pictures than a leak would use
    OffscreenTarget target(2000, 2000);
    const auto draw = [&](int width, int height) { app_->draw(target.framebuffer(), width, height); };
    const auto storm = [&](std::uint32_t count) {
        for (std::uint32_t i = 0; i < count; ++i) {
            const std::uint32_t r = (i * 2654435761u) >> 16;
            written(*app_).look.bloom = i % 10 == 0 ? 0.2f : 0;  // its chain of textures depends on the size, too
            draw(static_cast<int>(r % 25), static_cast<int>((r / 25) % 25));
            if (i % 2500 == 0) {
                for (const auto& [width, height] :
                     {std::pair{0, 0}, {0, 500}, {500, 0}, {1, 1}, {1, 2000}, {2000, 1}, {900, 700}})
                    draw(width, height);
                glFinish();
            }
        }
        glFinish();
    };
    // The driver keeps compiled and freed objects for a while: a leak is what still grows after as many sizes again.
    storm(5000);
    const double before = memoryMiB();
    storm(5000);
    EXPECT_LT(memoryMiB() - before, 3) << "MiB";
    EXPECT_EQ(glGetError(), static_cast<GLenum>(GL_NO_ERROR));
    EXPECT_GT(lit(picture()), 100u);
}

// Every context of these tests reports OpenGL's complaints about the program, and any such report fails the test.

class CleanOpenGl : public ::testing::EmptyTestEventListener {
    void OnTestStart(const ::testing::TestInfo&) override { before_ = glErrorCount(); }
    void OnTestEnd(const ::testing::TestInfo&) override {
        EXPECT_EQ(glErrorCount() - before_, std::exchange(expectedGlErrors, 0)) << "errors of OpenGL; stderr has their text";
    }
    std::size_t before_ = 0;
};

const bool glErrorsFailTests = [] {
    debugContexts() = true;
    ::testing::UnitTest::GetInstance()->listeners().Append(new CleanOpenGl);
    return true;
}();

TEST(DebugContext, CountsAMistake) {
    const HeadlessContext context;
    const std::size_t before = glErrorCount();
    glEnable(0xffff);
    EXPECT_EQ(glErrorCount(), before + 1);
    expectedGlErrors = 1;
    while (glGetError() != GL_NO_ERROR) {
    }
}

}  // namespace
}  // namespace gravlab::test
