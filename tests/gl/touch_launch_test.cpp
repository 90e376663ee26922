// A session's drops by an arrow and its paths ahead.
#include "app/frontends/headless/headless.h"
#include "app/model/launch.h"
#include "app/services/trajectory_prediction.h"
#include "app/session/frame_loop.h"
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
        session = std::make_unique<Session>(options);
        target = std::make_unique<OffscreenTarget>(320, 200);
    }
    void TearDown() override {
        session.reset();
        target.reset();
    }
    void frame(int steps = 0) {
        session->intent.stepsPerFrame = steps;
        session->apply();
        session->advance(false);
        session->draw(target->framebuffer(), 320, 200);
    }
    ParticleSet bodies() {
        ParticleSet set;
        session->simulation().snapshot(set);
        return set;
    }
    HeadlessContext context;
    std::unique_ptr<Session> session;
    std::unique_ptr<OffscreenTarget> target;
};

TEST_F(LaunchSession, dropsAGalaxyAndTakesItOutAgain) {
    open("plummer", 2000);
    frame(2);
    LaunchTool& tool = session->launch();
    tool.on = true;
    tool.row = 2;
    tool.press(session->camera, {160, 100}, {320, 200}, session->launchScene());
    tool.move({200, 100});
    session->dropPending();
    frame();
    EXPECT_EQ(bodies().size(), 2100u);
    EXPECT_EQ(session->facts().configuration.bodies, 2100u);
    EXPECT_EQ(session->facts().step, 2) << "the run goes on";
    frame(2);
    EXPECT_EQ(session->message(), "");
    session->intent.touch = Touch::undo;
    frame();
    EXPECT_EQ(bodies().size(), 2000u);
}

TEST_F(LaunchSession, showsThePathUnderTheArrowThatTheBodyThenTakes) {
    open("two-body", 0);
    LaunchTool& tool = session->launch();
    tool.on = true;
    tool.press(session->camera, {220, 60}, {320, 200}, session->launchScene());
    tool.move({240, 80});
    frame();
    for (int i = 0; i < 500 && (session->launchPath().path().points.size() < 5 || session->launchPath().busy()); ++i) {
        frame();
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    const Forecast path = session->launchPath().path();
    ASSERT_GT(path.points.size(), 50u);
    EXPECT_EQ(path.bodies, 3u);
    session->dropPending();
    frame();
    ASSERT_EQ(bodies().size(), 3u);
    const ForecastPoint& there = path.points[40];
    const auto steps = static_cast<int>(std::llround(there.time / session->facts().configuration.timeStep));
    frame(steps);
    const Double4 x = bodies().position[2];
    EXPECT_NEAR(distance(xyz(x), there.place), 0, 1e-6);
    EXPECT_TRUE(session->launchPath().path().points.empty()) << "the path goes with the arrow";
}

TEST_F(LaunchSession, showsThePathOfTheSelectedBody) {
    open("figure-eight", 0);
    session->orbit().wanted = true;
    frame();
    EXPECT_TRUE(session->orbit().path().points.empty()) << "nothing is selected";
    session->select(1);
    frame();
    const Forecast path = session->orbit().path();
    ASSERT_TRUE(path.complete) << "a film waits for it";
    ASSERT_GT(path.points.size(), 100u);
    EXPECT_EQ(path.points.front().time, 0);
    frame(20);
    const Double4 x = bodies().position[1];
    double nearest = 1e9;
    for (const ForecastPoint& p : path.points) nearest = std::min(nearest, distance(xyz(x), p.place));
    EXPECT_LT(nearest, 0.02);
    session->select(2);
    frame();
    const ForecastPoint& start = session->orbit().path().points.front();
    EXPECT_NEAR(start.place.x, bodies().position[2].x, 1e-9) << "another body has another path";
    session->orbit().wanted = false;
    frame();
    EXPECT_TRUE(session->orbit().path().points.empty());
}

TEST_F(LaunchSession, refusesAnIdThatIsNotThere) {
    open("figure-eight", 0);
    EXPECT_THROW(session->selectId(7), UsageError);
    session->selectId(2);
    EXPECT_EQ(session->selected()->id, 2u);
}

}  // namespace
}  // namespace gravlab::test
