// Drops by an arrow and paths ahead.
#include "app/frontends/headless/headless.h"
#include "app/services/trajectory_prediction.h"
#include "app/tables/drop.h"
#include "app/view/app.h"
#include "edits.h"
#include "sim/core/error.h"
#include "tests/written.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <thread>

namespace gravlab::test {
namespace {

class LaunchSession : public ::testing::Test {
protected:
    void open(const char* scene, std::size_t bodies) {
        StartOptions options;
        options.simulation.scene = scene;
        options.simulation.bodies = bodies;
        options.simulation.backend = "cpu";
        app = std::make_unique<App>(options);
        target = std::make_unique<OffscreenTarget>(320, 200);
    }
    void TearDown() override {
        app.reset();
        target.reset();
    }
    void frame(int steps = 0) {
        written(*app).intent.stepsPerFrame = steps;
        app->apply();
        app->advance(false);
        app->draw(target->framebuffer(), 320, 200);
    }
    ParticleSet bodies() { return app->runs.simulation().bodies(); }
    HeadlessContext context;
    std::unique_ptr<App> app;
    test::Edits edits;
    std::unique_ptr<OffscreenTarget> target;
};

TEST_F(LaunchSession, dropsAGalaxyAndTakesItOutAgain) {
    open("plummer", 2000);
    frame(2);
    DropTool& tool = written(*app).drop;
    tool.on = true;
    tool.row = 2;
    tool.press(app->document.camera, {160, 100}, {320, 200}, app->document.dropScene());
    tool.move({200, 100});
    edits.make(*app, {.row = "launch", .order = written(*app).drop.release()});
    frame();
    EXPECT_EQ(bodies().size(), 2100u);
    EXPECT_EQ(app->document.facts.configuration.bodies, 2100u);
    EXPECT_EQ(app->document.facts.step, 2) << "the run goes on";
    frame(2);
    EXPECT_EQ(app->document.message, "");
    edits.undo(*app);
    frame();
    EXPECT_EQ(bodies().size(), 2000u);
}

TEST_F(LaunchSession, showsThePathUnderTheArrowThatTheBodyThenTakes) {
    open("two-body", 0);
    DropTool& tool = written(*app).drop;
    tool.on = true;
    tool.press(app->document.camera, {220, 60}, {320, 200}, app->document.dropScene());
    tool.move({240, 80});
    frame();
    for (int i = 0; i < 500 && (app->services.dropPath.path().points.size() < 5 || app->services.dropPath.busy()); ++i) {
        frame();
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    const Trajectory path = app->services.dropPath.path();
    ASSERT_GT(path.points.size(), 50u);
    EXPECT_EQ(path.bodies, 3u);
    edits.make(*app, {.row = "launch", .order = written(*app).drop.release()});
    frame();
    ASSERT_EQ(bodies().size(), 3u);
    const TrajectoryPoint& there = path.points[40];
    const auto steps = static_cast<int>(std::llround(there.time / app->document.facts.configuration.timeStep));
    frame(steps);
    const Double4 x = bodies().position[2];
    EXPECT_NEAR(distance(xyz(x), there.place), 0, 1e-6);
    EXPECT_TRUE(app->services.dropPath.path().points.empty()) << "the path goes with the arrow";
}

TEST_F(LaunchSession, showsThePathOfTheSelectedBody) {
    open("figure-eight", 0);
    written(*app).ahead.wanted = true;
    frame();
    EXPECT_TRUE(app->services.trajectory.path().points.empty()) << "nothing is selected";
    written(*app).select(1);
    frame();
    const Trajectory path = app->services.trajectory.path();
    ASSERT_TRUE(path.complete) << "a film waits for it";
    ASSERT_GT(path.points.size(), 100u);
    EXPECT_EQ(path.points.front().time, 0);
    frame(20);
    const Double4 x = bodies().position[1];
    double nearest = 1e9;
    for (const TrajectoryPoint& p : path.points) nearest = std::min(nearest, distance(xyz(x), p.place));
    EXPECT_LT(nearest, 0.02);
    written(*app).select(2);
    frame();
    const TrajectoryPoint& start = app->services.trajectory.path().points.front();
    EXPECT_NEAR(start.place.x, bodies().position[2].x, 1e-9) << "another body has another path";
    written(*app).ahead.wanted = false;
    frame();
    EXPECT_TRUE(app->services.trajectory.path().points.empty());
}

TEST_F(LaunchSession, refusesAnIdThatIsNotThere) {
    open("figure-eight", 0);
    EXPECT_THROW(written(*app).selectId(7), UsageError);
    written(*app).selectId(2);
    EXPECT_EQ(app->document.selected->id, 2u);
}

}  // namespace
}  // namespace gravlab::test
