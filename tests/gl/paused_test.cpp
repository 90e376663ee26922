// A window whose run is paused: what is measured beside it comes to its end, and nothing of the run before stays.
#include "app/view/workspace.h"
#include "gl_fixture.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace gravlab::test {
namespace {

class PausedWorkspace : public GlTest {};

TEST_F(PausedWorkspace, measuresTheStartOfTheNextScene) {
    Options options;
    options.simulation.scene = "plummer";
    options.simulation.backend = "cpu";
    options.simulation.bodies = 3000;
    Workspace workspace(options);
    workspace.intent.paused = true;
    workspace.facts.stepProgress = 0.5;  // of a step that the next scene does not make
    workspace.intent.request.scene = "cube";
    ASSERT_TRUE(workspace.apply()) << workspace.message;
    EXPECT_EQ(workspace.facts.configuration.scene, "cube");
    EXPECT_EQ(workspace.facts.stepProgress, 0);
    // As a window does: a few frames after an event, then as long as somebody needs them.
    constexpr int kAfterEvent = 3;
    for (int frame = 0; frame < kAfterEvent || (frame < 20000 && workspace.moving()); ++frame) {
        workspace.advance(true);
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    EXPECT_FALSE(workspace.conservation.points().empty()) << "measured, and never taken";
    EXPECT_EQ(workspace.facts.step, 0);
}

TEST_F(PausedWorkspace, onlyADeviceIsGivenStepsAhead) {
    Options options;
    options.simulation.scene = "plummer";
    options.simulation.backend = "cpu";
    options.simulation.bodies = 300;
    Workspace workspace(options);
    ASSERT_TRUE(workspace.apply());
    workspace.advance(true);
    workspace.advanceAhead();  // a picture would wait for them
    EXPECT_EQ(workspace.host.simulation().step(), workspace.facts.step);
}

}  // namespace
}  // namespace gravlab::test
