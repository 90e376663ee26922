// Predicted paths against later positions of runs, and against known orbits.
#include "sim/run/trajectory.h"

#include "app/services/trajectory_prediction.h"
#include "sim/api/errors.h"
#include "sim/run/rigid_galaxies.h"
#include "sim/run/simulation.h"
#include "tests/bodies.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace gravlab {
namespace {

using namespace testing_support;

std::shared_ptr<TrajectoryStart> startOf(Simulation& simulation) {
    return std::make_shared<TrajectoryStart>(*trajectoryStart(copyOf(simulation)));
}

/// A copy of the bodies that a test may change.
ParticleSet& ownBodies(TrajectoryStart& start) {
    const auto own = start.bodies ? std::make_shared<ParticleSet>(*start.bodies) : std::make_shared<ParticleSet>();
    start.bodies = own;
    return *own;
}

Trajectory pathOf(const TrajectoryRequest& question) {
    TrajectoryPredictor predictor(question);
    while (!predictor.advance(0.001)) {
    }
    return predictor.path();
}

double away(const TrajectoryPoint& a, const Double4& b) { return distance(a.place, xyz(b)); }

TEST(TrajectoryTest, aSmallSystemGoesWhereItsCopyWent) {
    for (const char* scene : {"figure-eight", "solar-system", "pythagorean"})
        for (const char* row : {"leapfrog", "yoshida4"}) {
            SCOPED_TRACE(std::string(scene) + ", " + row);
            Simulation simulation({.scene = scene, .backend = "reference", .integrator = row});
            simulation.advance({.steps = 3}, nullptr);
            const double dt = simulation.configuration().timeStep;
            const Trajectory path = pathOf({.start = startOf(simulation), .id = 1, .duration = 300 * dt});
            EXPECT_EQ(path.method, TrajectoryMethod::copy);
            EXPECT_EQ(path.bodies, simulation.configuration().bodies);
            EXPECT_EQ(path.integrator, row);
            ASSERT_EQ(path.points.size(), 301u);
            EXPECT_NEAR(path.points.front().time, simulation.time(), 1e-12);
            std::int64_t done = 0;
            while (done < 300) done += simulation.advance({.steps = 300 - done}, nullptr).stepsCompleted;
            ParticleSet bodies = simulation.bodies();
            EXPECT_NEAR(path.points.back().time, simulation.time(), 1e-9);
            EXPECT_LT(away(path.points.back(), bodies.position[1]), 1e-9);
            EXPECT_GT(away(path.points.front(), bodies.position[1]), 1e-4) << "it has moved";
        }
}

TEST(TrajectoryTest, withoutADurationItShowsATurnAndAHalf) {
    Simulation simulation({.scene = "kepler-circular", .backend = "reference"});
    const Trajectory path = pathOf({.start = startOf(simulation), .id = 0});
    EXPECT_NEAR(path.until, 1.5 * 2 * std::numbers::pi, 0.05);
    EXPECT_TRUE(path.complete);
}

TEST(TrajectoryTest, aBackwardRunLeadsIntoThePast) {
    Simulation simulation({.scene = "kepler-circular", .backend = "reference", .timeStep = -0.01});
    const Trajectory path = pathOf({.start = startOf(simulation), .id = 0, .duration = 1});
    EXPECT_NEAR(path.points.back().time, -1, 1e-9);
}

TEST(TrajectoryTest, aBodyToComePullsTheFewThatAreThere) {
    Simulation simulation({.scene = "two-body", .backend = "reference"});
    TrajectoryRequest question{.start = startOf(simulation), .duration = 1};
    question.position = {3, 0, 0, 5};
    question.velocity = {0, 0.1, 0, 1};
    const Trajectory heavy = pathOf(question);
    EXPECT_EQ(heavy.bodies, 3u);
    question.position.w = 0;
    const Trajectory light = pathOf(question);
    // The force of a heavy body moves the two, and so changes its own path.
    const TrajectoryPoint& end = light.points.back();
    EXPECT_GT(distance(heavy.points.back().place, end.place), 1e-4);
}

/// A ring of equal masses far apart from one test body.
std::shared_ptr<TrajectoryStart> ring(std::size_t count) {
    auto start = std::make_shared<TrajectoryStart>();
    ParticleSet& bodies = ownBodies(*start);
    bodies.resize(count + 1);
    for (std::size_t i = 0; i < count; ++i) {
        const double angle = 2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(count);
        bodies.position[i] = {0.01 * std::cos(angle), 0.01 * std::sin(angle), 0, 1 / static_cast<double>(count)};
        bodies.velocity[i] = {0, 0, 0, 1};
        bodies.id[i] = static_cast<std::uint32_t>(i);
    }
    bodies.position[count] = {1, 0, 0, 0};
    bodies.velocity[count] = {0, 1, 0, 1};
    bodies.id[count] = static_cast<std::uint32_t>(count);
    start->timeStep = 0.01;
    return start;
}

TEST(TrajectoryTest, inTheFieldOfManyAStarGoesRound) {
    const std::size_t count = 1000;
    ASSERT_GT(count, kTrajectoryCopies);
    const auto start = ring(count);
    const double turn = 2 * std::numbers::pi;
    const Trajectory path = pathOf({.start = start, .id = static_cast<std::uint32_t>(count), .duration = turn});
    EXPECT_EQ(path.method, TrajectoryMethod::rigidGalaxies);
    EXPECT_LT(away(path.points.back(), {1, 0, 0, 0}), 5e-3);
    for (const TrajectoryPoint& p : path.points) EXPECT_NEAR(std::hypot(p.place.x, p.place.y), 1, 5e-3);
    // A body held by hand moves in a straight line.
    ownBodies(*start).velocity[count].w = 0;
    const Trajectory held = pathOf({.start = start, .id = static_cast<std::uint32_t>(count), .duration = 1});
    EXPECT_NEAR(held.points.back().place.y, 1, 1e-9);
    EXPECT_EQ(held.points.back().place.x, 1);
}

TEST(TrajectoryTest, galaxiesFallTogetherAsWholes) {
    auto start = ring(500);
    ParticleSet& all = ownBodies(*start);
    const ParticleSet one = all;
    // The second ring on the other side of a circular orbit of both.
    for (std::size_t i = 0; i < one.size(); ++i) {
        all.position.push_back({one.position[i].x + 20, one.position[i].y, 0, one.position[i].w});
        all.velocity.push_back({one.velocity[i].x, one.velocity[i].y, 0, 1});
        all.id.push_back(static_cast<std::uint32_t>(1000 + i));
        all.group.push_back(1);
    }
    const double speed = std::sqrt(1.0 / (4 * 10));
    for (std::size_t i = 0; i < all.size(); ++i) all.velocity[i].y += all.group[i] == 1 ? speed : -speed;
    RigidGalaxies shapes(all, start->force, std::nullopt);
    ASSERT_EQ(shapes.galaxies(), 2u);
    const double turn = 2 * std::numbers::pi * 10 / speed;
    for (int i = 0; i < 2000; ++i) shapes.move(0.5 * turn / 2000);
    EXPECT_NEAR(shapes.centre(0).x, 20, 0.1);
    EXPECT_NEAR(shapes.centre(1).x, 0, 0.1);
    EXPECT_NEAR(shapes.centre(0).y, 0, 0.1);
}

TEST(TrajectoryTest, aStarOfAGalaxyStaysNearItsPath) {
    Simulation simulation({.scene = "galaxy", .bodies = 3000, .backend = "cpu"});
    const auto start = startOf(simulation);
    const double duration = 12;  // 57 Myr
    double error = 0, travelled = 0;
    std::vector<Trajectory> paths;
    const std::vector<std::uint32_t> stars = {3, 10, 25, 40, 55, 70};
    for (const std::uint32_t id : stars) paths.push_back(pathOf({.start = start, .id = id, .duration = duration}));
    const auto steps = static_cast<std::int64_t>(std::llround(duration / simulation.configuration().timeStep));
    std::int64_t done = 0;
    while (done < steps) done += simulation.advance({.steps = steps - done}, nullptr).stepsCompleted;
    ParticleSet bodies = simulation.bodies();
    for (std::size_t k = 0; k < stars.size(); ++k) {
        const TrajectoryPoint& from = paths[k].points.front();
        error += away(paths[k].points.back(), bodies.position[stars[k]]);
        travelled += away(from, bodies.position[stars[k]]);
    }
    std::printf("trajectory in a galaxy: mean error %.3f kpc, mean distance from the start %.3f kpc\n",
                error / static_cast<double>(stars.size()), travelled / static_cast<double>(stars.size()));
    EXPECT_LT(error, 0.35 * travelled);
}

TEST(TrajectoryTest, aPointThatTakesLongIsReachedBitByBit) {
    Simulation simulation({.scene = "plummer", .bodies = 300, .backend = "reference"});
    const double dt = simulation.configuration().timeStep;
    TrajectoryPredictor predictor({.start = startOf(simulation), .id = 1, .duration = 40000 * dt});
    // A point is a hundred steps of 90,000 pairs: no core computes them in so short a time.
    EXPECT_FALSE(predictor.advance(1e-5));
    EXPECT_EQ(predictor.path().points.size(), 1u) << "only the start is known yet";
}

TEST(TrajectoryTest, aPathThatFailsSaysWhy) {
    Simulation simulation(RunRequest{.scene = "figure-eight", .backend = "reference"});
    Trajectory path = predictedPath({.start = startOf(simulation), .id = 77});
    EXPECT_NE(path.failure.find("body 77"), std::string::npos) << path.failure;
    EXPECT_TRUE(path.points.empty());
    path = predictedPath({.start = startOf(simulation), .id = 1, .duration = 0.1});
    EXPECT_EQ(path.failure, "");
    EXPECT_TRUE(path.complete);
}

TEST(TrajectoryTest, refusesABodyThatIsNotThere) {
    Simulation simulation({.scene = "two-body", .backend = "reference"});
    EXPECT_THROW(TrajectoryPredictor({.start = startOf(simulation), .id = 99}), UsageError);
}

}  // namespace
}  // namespace gravlab
