// The order of a frame, which all frontends share: commands, steps, camera, picture, panels, shown.
#include "app/view/frame.h"
#include "app/system/host_clock.h"
#include "app/view/base_host.h"
#include "gl_fixture.h"
#include "tests/written.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace gravlab::test {
namespace {

using testing::ElementsAre;

/// Writes down what happens, with the step and the camera of that moment.
class LoggingHost : public BaseHost {
public:
    using BaseHost::BaseHost;
    void note(const std::string& what) { log.push_back(what + " at step " + std::to_string(app_.document.facts.step)); }
    EffectResult carryOut(const Effect& effect, Ticket ticket) override {
        if (!std::holds_alternative<SavePicture>(effect)) return BaseHost::carryOut(effect, ticket);
        note("effect");
        return {};
    }
    std::vector<std::string> log;
};

class FrameTest : public GlTest {
protected:
    void SetUp() override {
        GlTest::SetUp();
        app = std::make_unique<App>(StartOptions{.simulation = {.scene = "plummer", .bodies = 60, .backend = "cpu"}});
        host = std::make_unique<LoggingHost>(*app);
        frames = std::make_unique<Frame>(*app, controller, *host);
        written(*app).intent.stepsPerFrame = 3;
    }
    void TearDown() override {
        target.reset();
        frames.reset();
        host.reset();
        app.reset();
        GlTest::TearDown();
    }
    Surfaces surfaces(int width, int height) {
        if (!target) target = std::make_unique<OffscreenTarget>(64, 48);
        return {.framebuffer = target->framebuffer(),
                .width = width,
                .height = height,
                .afterCommands = [this] { host->note("applied"); },
                .panels =
                    [this] {
                        host->note("panels");
                        azimuth = app->document.drawnCamera().azimuth;
                    },
                .ahead = true,
                .present = [this] { host->note("present"); }};
    }

    Controller controller;
    std::unique_ptr<App> app;
    std::unique_ptr<LoggingHost> host;
    std::unique_ptr<Frame> frames;
    std::unique_ptr<OffscreenTarget> target;
    float azimuth = 0;  ///< of the camera when the panels were drawn
};

TEST_F(FrameTest, hasOneOrder) {
    controller.post(Invoke{"picture"}, Sender::script);
    written(*app).rotation = 1;
    const float before = app->document.camera.azimuth;
    const Frame::Made made = frames->make(FrameClock::film(0.125), surfaces(64, 48));
    EXPECT_THAT(host->log, ElementsAre("effect at step 0", "applied at step 0", "panels at step 3", "present at step 3"));
    EXPECT_NEAR(azimuth, before + 0.125f, 1e-5f) << "the camera moves before the picture";
    ASSERT_EQ(made.events.size(), 1u);
    EXPECT_EQ(made.events[0].status, CommandStatus::applied);
    EXPECT_TRUE(made.drawn);
    EXPECT_EQ(made.alarm, "");
    EXPECT_FALSE(app->runs.ahead()) << "a film has no steps ahead";
}

/// Services and files leave commands, which the next frame applies before its steps.
TEST_F(FrameTest, postsWhatTheServicesLeave) {
    app->post({{SetParameter{"run.paused", true}}, Sender::guard});
    EXPECT_TRUE(app->moving());
    const Frame::Made made = frames->make(FrameClock::script(), surfaces(0, 0));
    ASSERT_EQ(made.events.size(), 1u);
    EXPECT_EQ(made.events[0].sender, Sender::guard);
    EXPECT_TRUE(app->document.intent.paused);
    EXPECT_EQ(app->document.facts.step, 0);
}

TEST_F(FrameTest, aFilmBesideTheWindowSaysHowFarTheCameraFlies) {
    written(*app).rotation = 1;
    const float before = app->document.camera.azimuth;
    Surfaces to = surfaces(64, 48);
    to.cameraSeconds = [] { return 0.25; };
    frames->make(FrameClock::window(0.125), to);
    EXPECT_NEAR(azimuth, before + 0.25f, 1e-5f);
}

TEST_F(FrameTest, ofAStateAsItIsMakesNoStep) {
    written(*app).rotation = 1;
    const float before = app->document.camera.azimuth;
    frames->make(FrameClock::still(), surfaces(64, 48));
    EXPECT_THAT(host->log, ElementsAre("applied at step 0", "panels at step 0", "present at step 0"));
    EXPECT_EQ(azimuth, before);
}

TEST_F(FrameTest, withoutASurfaceOnlySteps) {
    frames->make(FrameClock::script(), surfaces(0, 0));
    EXPECT_THAT(host->log, ElementsAre("applied at step 0"));
    EXPECT_EQ(app->document.facts.step, 3);
}

/// A script has ended: its window closes without another picture.
TEST_F(FrameTest, theLastOneMakesNoStepAndNoPicture) {
    Surfaces to = surfaces(64, 48);
    to.shouldStop = [] { return true; };
    const Frame::Made made = frames->make(FrameClock::window(0.02), to);
    EXPECT_THAT(host->log, ElementsAre("applied at step 0"));
    EXPECT_FALSE(made.drawn);
    EXPECT_EQ(app->document.facts.step, 0);
}

TEST_F(FrameTest, aWindowLeavesAPictureThatLooksTheSame) {
    written(*app).intent.paused = true;
    bool wanted = false;
    Surfaces to = surfaces(64, 48);
    to.mustDraw = [&] { return wanted; };
    bool left = false;
    for (const auto limit = std::chrono::steady_clock::now() + std::chrono::minutes(2);
         !left && std::chrono::steady_clock::now() < limit;)
        left = !frames->make(FrameClock::window(0.01), to).drawn;
    ASSERT_TRUE(left) << "it is drawn for ever";
    wanted = true;
    EXPECT_TRUE(frames->make(FrameClock::window(0.01), to).drawn);
    wanted = false;
    controller.post(SetParameter{"look.glow", 0.5}, Sender::script);
    EXPECT_TRUE(frames->make(FrameClock::window(0.01), to).drawn) << "a command is seen";
    to.mustDraw = {};
    EXPECT_TRUE(frames->make(FrameClock::window(0.01), to).drawn) << "nobody leaves out frames of a film";
}

double slowClock = 0;  ///< host clock of a machine that takes an hour between two frames [s]

/// The forecast of a long step decides whether the panel advises fewer bodies. It counts computing, not the pictures between
/// the parts of the step, which take a second while shaders compile, and longer on a loaded machine.
TEST_F(FrameTest, slowPicturesMakeNoLongStep) {
    const HostClockSource source = hostClockSource();
    hostClockSource() = [] { return slowClock += 3600; };
    RunFacts& facts = written(*app).facts;
    written(*app).intent.request.bodies = 8192;
    written(*app).intent.request.pairs().kernel.kernel = "naive";
    written(*app).intent.stepsPerFrame = 1;
    written(*app).intent.timeBudgetMs = 1;
    for (int frame = 0; frame < 2000 && !(facts.stepForecast > 0); ++frame) {
        app->apply();
        app->advance(true);
    }
    hostClockSource() = source;
    EXPECT_GT(facts.stepForecast, 0) << "part of the step is computed";
    EXPECT_LT(facts.stepForecast, 1800) << "by the time of the frames it would be more than an hour";
}

}  // namespace
}  // namespace gravlab::test
