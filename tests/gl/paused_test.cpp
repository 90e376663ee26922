// A window with a paused run: measurements beside it finish, and nothing of the earlier run remains.
#include "app/system/host_clock.h"
#include "app/view/workspace.h"
#include "gl_fixture.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace gravlab::test {
namespace {

Options plummer(std::size_t bodies) {
    Options options;
    options.simulation.scene = "plummer";
    options.simulation.backend = "cpu";
    options.simulation.bodies = bodies;
    return options;
}

double frameClock = 0;  // [s]

class PausedWorkspace : public GlTest {};

TEST_F(PausedWorkspace, measuresTheStartOfTheNextScene) {
    Workspace workspace(plummer(3000));
    workspace.intent.paused = true;
    workspace.facts.stepProgress = 0.5;  // of a step that the next scene does not make
    workspace.intent.request.scene = "cube";
    ASSERT_TRUE(workspace.apply()) << workspace.message;
    EXPECT_EQ(workspace.facts.configuration.scene, "cube");
    EXPECT_EQ(workspace.facts.stepProgress, 0);
    // Like a window: a few frames after an event, then frames while they are needed.
    constexpr int kAfterEvent = 3;
    for (int frame = 0; frame < kAfterEvent || (frame < 20000 && workspace.moving()); ++frame) {
        workspace.advance(true);
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    EXPECT_FALSE(workspace.conservation.points().empty()) << "measured, and never taken";
    EXPECT_EQ(workspace.facts.step, 0);
}

TEST_F(PausedWorkspace, onlyADeviceIsGivenStepsAhead) {
    Workspace workspace(plummer(300));
    ASSERT_TRUE(workspace.apply());
    workspace.advance(true);
    workspace.advanceAhead();  // a picture would wait for these steps
    EXPECT_EQ(workspace.host.simulation().step(), workspace.facts.step);
}

TEST_F(PausedWorkspace, whatIsNotGivenStepsAheadKeepsItsPace) {
    const HostClockSource source = hostClockSource();
    frameClock = 100;
    hostClockSource() = [] { return frameClock; };
    {
        Workspace workspace(plummer(300));
        ASSERT_TRUE(workspace.apply());
        workspace.advance(true);
        const std::int64_t begun = workspace.facts.step;
        workspace.intent.speed = 100 * workspace.facts.configuration.timeStep;
        for (int frame = 0; frame < 5; ++frame) {
            frameClock += 0.09;  // the time of the picture
            workspace.advanceAhead();
            frameClock += 0.01;  // and of its transfer to the display
            ASSERT_TRUE(workspace.apply());
            workspace.advance(true);
        }
        EXPECT_NEAR(static_cast<double>(workspace.facts.step - begun), 50, 1);
    }
    hostClockSource() = source;
}

}  // namespace
}  // namespace gravlab::test
