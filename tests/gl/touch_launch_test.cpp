// Drops by an arrow and paths ahead.
#include "app/frontends/headless/headless.h"
#include "app/services/trajectory_prediction.h"
#include "app/tables/launch.h"
#include "app/view/workspace.h"
#include "edits.h"
#include "sim/core/error.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <thread>

namespace gravlab::test {
namespace {

class LaunchSession : public ::testing::Test {
protected:
    void open(const char* scene, std::size_t bodies) {
        Options options;
        options.simulation.scene = scene;
        options.simulation.bodies = bodies;
        options.simulation.backend = "cpu";
        workspace = std::make_unique<Workspace>(options);
        target = std::make_unique<OffscreenTarget>(320, 200);
    }
    void TearDown() override {
        workspace.reset();
        target.reset();
    }
    void frame(int steps = 0) {
        workspace->intent.stepsPerFrame = steps;
        workspace->apply();
        workspace->advance(false);
        workspace->draw(target->framebuffer(), 320, 200);
    }
    ParticleSet bodies() {
        ParticleSet set;
        workspace->host.simulation().snapshot(set);
        return set;
    }
    HeadlessContext context;
    std::unique_ptr<Workspace> workspace;
    test::Edits edits;
    std::unique_ptr<OffscreenTarget> target;
};

TEST_F(LaunchSession, dropsAGalaxyAndTakesItOutAgain) {
    open("plummer", 2000);
    frame(2);
    Slingshot& tool = workspace->drop;
    tool.on = true;
    tool.row = 2;
    tool.press(workspace->camera, {160, 100}, {320, 200}, workspace->launchScene());
    tool.move({200, 100});
    edits.make(*workspace, {.what = EditBodies::What::launch, .order = workspace->drop.release()});
    frame();
    EXPECT_EQ(bodies().size(), 2100u);
    EXPECT_EQ(workspace->facts.configuration.bodies, 2100u);
    EXPECT_EQ(workspace->facts.step, 2) << "the run goes on";
    frame(2);
    EXPECT_EQ(workspace->message, "");
    edits.undo(*workspace);
    frame();
    EXPECT_EQ(bodies().size(), 2000u);
}

TEST_F(LaunchSession, showsThePathUnderTheArrowThatTheBodyThenTakes) {
    open("two-body", 0);
    Slingshot& tool = workspace->drop;
    tool.on = true;
    tool.press(workspace->camera, {220, 60}, {320, 200}, workspace->launchScene());
    tool.move({240, 80});
    frame();
    for (int i = 0; i < 500 && (workspace->dropPath.path().points.size() < 5 || workspace->dropPath.busy()); ++i) {
        frame();
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    const Trajectory path = workspace->dropPath.path();
    ASSERT_GT(path.points.size(), 50u);
    EXPECT_EQ(path.bodies, 3u);
    edits.make(*workspace, {.what = EditBodies::What::launch, .order = workspace->drop.release()});
    frame();
    ASSERT_EQ(bodies().size(), 3u);
    const TrajectoryPoint& there = path.points[40];
    const auto steps = static_cast<int>(std::llround(there.time / workspace->facts.configuration.timeStep));
    frame(steps);
    const Double4 x = bodies().position[2];
    EXPECT_NEAR(distance(xyz(x), there.place), 0, 1e-6);
    EXPECT_TRUE(workspace->dropPath.path().points.empty()) << "the path goes with the arrow";
}

TEST_F(LaunchSession, showsThePathOfTheSelectedBody) {
    open("figure-eight", 0);
    workspace->ahead.wanted = true;
    frame();
    EXPECT_TRUE(workspace->trajectory.path().points.empty()) << "nothing is selected";
    workspace->select(1);
    frame();
    const Trajectory path = workspace->trajectory.path();
    ASSERT_TRUE(path.complete) << "a film waits for it";
    ASSERT_GT(path.points.size(), 100u);
    EXPECT_EQ(path.points.front().time, 0);
    frame(20);
    const Double4 x = bodies().position[1];
    double nearest = 1e9;
    for (const TrajectoryPoint& p : path.points) nearest = std::min(nearest, distance(xyz(x), p.place));
    EXPECT_LT(nearest, 0.02);
    workspace->select(2);
    frame();
    const TrajectoryPoint& start = workspace->trajectory.path().points.front();
    EXPECT_NEAR(start.place.x, bodies().position[2].x, 1e-9) << "another body has another path";
    workspace->ahead.wanted = false;
    frame();
    EXPECT_TRUE(workspace->trajectory.path().points.empty());
}

TEST_F(LaunchSession, refusesAnIdThatIsNotThere) {
    open("figure-eight", 0);
    EXPECT_THROW(workspace->selectId(7), UsageError);
    workspace->selectId(2);
    EXPECT_EQ(workspace->selected->id, 2u);
}

}  // namespace
}  // namespace gravlab::test
