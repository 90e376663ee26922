// A window with a paused run: measurements beside it finish, and nothing of the earlier run remains.
#include "app/system/host_clock.h"
#include "app/view/app.h"
#include "app/view/service_results.h"
#include "gl_fixture.h"
#include "tests/written.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace gravlab::test {
namespace {

StartOptions plummer(std::size_t bodies) {
    StartOptions options;
    options.simulation.scene = "plummer";
    options.simulation.backend = "cpu";
    options.simulation.bodies = bodies;
    return options;
}

double frameClock = 0;  // [s]

class PausedWorkspace : public GlTest {};

TEST_F(PausedWorkspace, measuresTheStartOfTheNextScene) {
    App app(plummer(3000));
    written(app).intent.paused = true;
    written(app).facts.stepProgress = 0.5;  // of a step that the next scene does not make
    written(app).intent.request.scene = "cube";
    ASSERT_TRUE(app.apply()) << app.document.message;
    EXPECT_EQ(app.document.facts.configuration.scene, "cube");
    EXPECT_EQ(app.document.facts.stepProgress, 0);
    // Like a window: a few frames after an event, then frames while they are needed.
    constexpr int kAfterEvent = 3;
    for (int frame = 0; frame < kAfterEvent || (frame < 20000 && app.moving()); ++frame) {
        app.advance(true);
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    EXPECT_FALSE(app.services.conservation.points().empty()) << "measured, and never taken";
    EXPECT_EQ(app.document.facts.step, 0);
}

TEST_F(PausedWorkspace, aFilmWaitsForTheBalanceOfTheStartAndAWindowDoesNot) {
    App app(plummer(8192));
    written(app).intent.paused = true;
    app.advance(true);
    requestMeasurements(app, {.balance = true});
    EXPECT_TRUE(app.runs.virial().found().empty()) << "67 million pairs were summed within a frame";
    app.advance(false);
    requestMeasurements(app, {.balance = true});
    EXPECT_FALSE(app.runs.virial().found().empty());
}

TEST_F(PausedWorkspace, onlyADeviceIsGivenStepsAhead) {
    App app(plummer(300));
    ASSERT_TRUE(app.apply());
    app.advance(true);
    app.advanceAhead();  // a picture would wait for these steps
    EXPECT_EQ(app.runs.simulation().step(), app.document.facts.step);
}

TEST_F(PausedWorkspace, whatIsNotGivenStepsAheadKeepsItsPace) {
    const HostClockSource source = hostClockSource();
    frameClock = 100;
    hostClockSource() = [] { return frameClock; };
    {
        App app(plummer(300));
        ASSERT_TRUE(app.apply());
        app.advance(true);
        const std::int64_t begun = app.document.facts.step;
        written(app).intent.speed = 100 * app.document.facts.configuration.timeStep;
        for (int frame = 0; frame < 5; ++frame) {
            frameClock += 0.09;  // the time of the picture
            app.advanceAhead();
            frameClock += 0.01;  // and of its transfer to the display
            ASSERT_TRUE(app.apply());
            app.advance(true);
        }
        EXPECT_NEAR(static_cast<double>(app.document.facts.step - begun), 50, 1);
    }
    hostClockSource() = source;
}

}  // namespace
}  // namespace gravlab::test
