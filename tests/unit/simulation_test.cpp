// The simulation: settings become a run, changes are all or nothing, the clock counts steps.
#include "sim/run/simulation.h"

#include "sim/api/errors.h"
#include "sim/core/body_edit.h"
#include "sim/core/validation.h"
#include "sim/forces/law.h"
#include "tests/advance.h"
#include "tests/bodies.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>

namespace gravlab {
namespace {

using namespace testing_support;
using testing::HasSubstr;

RunRequest small(const char* scene = "plummer", std::optional<std::size_t> bodies = 50) {
    RunRequest settings{.scene = scene, .bodies = bodies, .backend = "reference"};
    return settings;
}

ParticleSet state(Simulation& simulation) { return simulation.bodies(); }

TEST(ClockTest, aMillionStepsCarryNoRounding) {
    Clock clock{.timeStep = 0.001};
    for (int i = 0; i < 1000000; ++i) ++clock.step;
    EXPECT_EQ(clock.time(), 1000.0);
}

TEST(ClockTest, aNewTimeStepGoesOnFromHere) {
    Clock clock{.timeStep = 0.25};
    clock.step += 4;
    clock.rebase(0.5);
    EXPECT_EQ(clock.time(), 1);
    clock.step += 2;
    EXPECT_EQ(clock.time(), 2);
    clock.rebase(-0.5);
    clock.step += 2;
    EXPECT_EQ(clock.time(), 1);
    EXPECT_EQ(clock.step, 8);
}

TEST(SimulationTest, bodiesFromElsewhereAreAnotherRunAndSettingsAreNot) {
    Simulation simulation(small());
    std::uint64_t id = simulation.bodiesId(), revision = simulation.revision();
    EXPECT_NE(Simulation(small()).bodiesId(), id) << "two simulations are two runs";
    const auto changed = [&](bool anotherRun, const char* by) {
        EXPECT_EQ(simulation.bodiesId() != id, anotherRun) << by;
        EXPECT_GT(simulation.revision(), revision) << by;
        id = simulation.bodiesId();
        revision = simulation.revision();
    };
    const auto apply = [&](auto change) {
        RunRequest wanted = simulation.request();
        change(wanted);
        simulation.apply(wanted);
    };
    run(simulation, 2);
    EXPECT_EQ(simulation.bodiesId(), id);
    EXPECT_EQ(simulation.revision(), revision) << "steps change neither";
    apply([&](auto& s) { s.timeStep = 0.5 * simulation.configuration().timeStep; });
    changed(false, "time step");
    apply([](auto& s) { s.integrator = "yoshida4"; });
    changed(false, "integrator");
    apply([](auto& s) { s.changeBackend("cpu"); });
    changed(false, "backend");
    const RunState early = simulation.state();
    run(simulation, 2);
    EXPECT_EQ(simulation.revision(), revision) << "a copy changes nothing";
    simulation.restore(early);
    changed(true, "a state gone back to");
    simulation.load(state(simulation));
    changed(true, "an edit");
    simulation.reset();
    changed(true, "a start over");
    apply([](auto& s) { s.seed = 7; });
    changed(true, "seed");
    apply([](auto& s) { s.bodies = 51; });
    changed(true, "number");
    apply([](auto& s) { s.changeScene("disc"); });
    changed(true, "scene");
    EXPECT_THROW(apply([](auto& s) { s.scene = "none"; }), UsageError);
    EXPECT_EQ(simulation.bodiesId(), id);
    EXPECT_EQ(simulation.revision(), revision) << "what was refused changes nothing";
}

TEST(SimulationTest, anEditAndAJumpStayInTheRunAndAStartDoesNot) {
    Simulation simulation(small());
    const std::uint64_t id = simulation.runId();
    EXPECT_NE(Simulation(small()).runId(), id);
    const RunState early = simulation.state();
    run(simulation, 2);
    simulation.load(state(simulation));
    simulation.restore(early);
    RunRequest wanted = simulation.request();
    wanted.changeBackend("cpu");
    simulation.apply(wanted);
    EXPECT_EQ(simulation.runId(), id);
    simulation.reset();
    EXPECT_NE(simulation.runId(), id);
}

TEST(SimulationTest, aNumberOfBodiesThatIsThereAlreadyIsTheOneOfTheNextStart) {
    RunRequest wanted = small();
    wanted.bodies = 50;
    Simulation simulation(wanted);
    ParticleSet fewer = state(simulation);
    fewer.resize(40);
    const std::uint64_t id = simulation.runId();
    simulation.load(fewer);
    wanted.bodies = 40;
    simulation.apply(wanted);
    EXPECT_EQ(simulation.runId(), id) << "as many are there";
    simulation.reset();
    EXPECT_EQ(simulation.configuration().bodies, 40u);
}

TEST(SimulationTest, aStateThatIsTakenMakesNoStepThatNobodyAskedFor) {
    RunRequest settings = small("plummer", 3000);
    settings.backend = "cpu";
    settings.pairs().accuracy = 1e-3;
    settings.pairs().kernel.kernel = "tree";
    Simulation simulation(settings);
    // After a cut step, the next call has time for more than the end of that step.
    simulation.advance({.seconds = 1e-6, .steps = 1}, nullptr);
    ASSERT_EQ(simulation.step(), 0);
    simulation.advance({.seconds = 100, .steps = 1}, nullptr);
    EXPECT_EQ(simulation.step(), 1);
    EXPECT_EQ(simulation.state().clock.step, 1);
    EXPECT_EQ(simulation.step(), 1);
}

TEST(ClockTest, hugeStepCountsStillCount) {
    Clock clock{.step = (std::int64_t{1} << 53) - 10, .step0 = (std::int64_t{1} << 53) - 10, .t0 = 1e9, .timeStep = 0.125};
    for (int i = 0; i < 100; ++i) ++clock.step;
    EXPECT_EQ(clock.time(), 1e9 + 12.5);
}

TEST(SimulationTest, fillsInWhatTheSceneKnows) {
    const Simulation simulation({.scene = "figure-eight", .backend = "reference"});
    EXPECT_EQ(simulation.configuration().bodies, 3u);
    EXPECT_EQ(simulation.configuration().timeStep, sceneNamed("figure-eight").timeStep);
    EXPECT_EQ(simulation.configuration().force.softening, 0);
    EXPECT_EQ(simulation.configuration().backend, "reference");
    EXPECT_EQ(simulation.configuration().pairs().kernel.kernel, "plain");
    EXPECT_FALSE(simulation.backendWhy().empty());
    EXPECT_EQ(simulation.time(), 0);
}

TEST(SimulationTest, theDefaultIsTheCollisionInASizeThatFitsTheBackend) {
    const Simulation simulation({.backend = "reference"});
    EXPECT_EQ(simulation.scene().name, "collision");
    EXPECT_EQ(simulation.configuration().bodies, 8192u);
}

TEST(SimulationTest, stepsAndTimeGoTogether) {
    Simulation simulation(small());
    run(simulation, 10);
    EXPECT_EQ(simulation.step(), 10);
    EXPECT_EQ(simulation.time(), 10 * simulation.configuration().timeStep);
    simulation.reset();
    EXPECT_EQ(simulation.step(), 0);
    EXPECT_EQ(simulation.time(), 0);
    EXPECT_TRUE(sameState(state(simulation), state(*std::make_unique<Simulation>(small()))));
}

using Change = std::function<void(RunRequest&)>;
struct BadChange {
    const char* sentence;
    Change change;
};

const double kNaN = std::numeric_limits<double>::quiet_NaN();
const double kInfinity = std::numeric_limits<double>::infinity();

const BadChange kBadChanges[] = {
    {"time step is nan", [](RunRequest& s) { s.timeStep = kNaN; }},
    {"time step is inf", [](RunRequest& s) { s.timeStep = kInfinity; }},
    {"time step is -inf", [](RunRequest& s) { s.timeStep = -kInfinity; }},
    {"softening is nan", [](RunRequest& s) { s.softening = kNaN; }},
    {"softening is inf", [](RunRequest& s) { s.softening = kInfinity; }},
    {"at most 2147483647", [](RunRequest& s) { s.bodies = std::size_t{1} << 31; }},
    {"at most 2147483647", [](RunRequest& s) { s.bodies = std::numeric_limits<std::size_t>::max(); }},
    {"unknown scene", [](RunRequest& s) { s.scene = "nowhere"; }},
    {"unknown integrator", [](RunRequest& s) { s.integrator = "leapfrogs"; }},
    {"unknown backend", [](RunRequest& s) { s.backend = "abacus"; }},
    {"unknown reference kernel", [](RunRequest& s) { s.pairs().kernel.kernel = "tiled"; }},
};

TEST(SimulationTest, badSettingsAreRefusedWithASentence) {
    for (const BadChange& bad : kBadChanges) {
        RunRequest settings = small();
        bad.change(settings);
        try {
            Simulation simulation(settings);
            ADD_FAILURE() << bad.sentence << ": accepted";
        } catch (const UsageError& error) {
            EXPECT_THAT(error.what(), HasSubstr(bad.sentence));
        }
    }
}

TEST(SimulationTest, aRefusedChangeLeavesTheRunAsItWas) {
    Simulation disturbed(small()), undisturbed(small());
    run(disturbed, 3);
    run(undisturbed, 3);
    for (const BadChange& bad : kBadChanges) {
        RunRequest wanted = disturbed.request();
        bad.change(wanted);
        wanted.seed = 77;  // alone this would be a good change
        EXPECT_THROW(disturbed.apply(wanted), UsageError) << bad.sentence;
        EXPECT_EQ(disturbed.configuration().seed, 1u);
        EXPECT_EQ(disturbed.step(), 3);
    }
    run(disturbed, 3);
    run(undisturbed, 3);
    EXPECT_EQ(disturbed.time(), undisturbed.time());
    EXPECT_TRUE(sameState(state(disturbed), state(undisturbed)));
}

TEST(SimulationTest, moreBodiesThanMemoryAreRefused) {
    try {
        requireHostMemory(138.0 * kMostBodies, "the bodies");
        GTEST_SKIP() << "this machine could hold them";
    } catch (const OutOfMemoryError&) {
    }
    Simulation simulation(small());
    run(simulation, 2);
    RunRequest wanted = simulation.request();
    wanted.bodies = kMostBodies;
    EXPECT_THROW(simulation.apply(wanted), OutOfMemoryError);
    EXPECT_EQ(simulation.configuration().bodies, 50u);
    run(simulation, 1);
    EXPECT_EQ(simulation.step(), 3);
}

TEST(SimulationTest, anotherSceneSizeOrSeedStartsAnew) {
    const Change changes[] = {[](RunRequest& s) { s.changeScene("cube"); }, [](RunRequest& s) { s.bodies = 60; },
                              [](RunRequest& s) { s.seed = 2; }};
    for (const Change& change : changes) {
        Simulation simulation(small());
        run(simulation, 3);
        RunRequest wanted = simulation.request();
        change(wanted);
        simulation.apply(wanted);
        EXPECT_EQ(simulation.step(), 0);
        EXPECT_EQ(simulation.time(), 0);
        Simulation fresh(requestOf(simulation.configuration()));
        EXPECT_TRUE(sameState(state(simulation), state(fresh)));
    }
}

TEST(SimulationTest, anotherSceneBringsItsOwnNumbers) {
    RunRequest settings = small("plummer", std::nullopt);
    settings.timeStep = 0.5;
    settings.softening = 0.7;
    Simulation simulation(settings);
    RunRequest wanted = simulation.request();
    wanted.changeScene("figure-eight");
    simulation.apply(wanted);
    EXPECT_EQ(simulation.configuration().timeStep, sceneNamed("figure-eight").timeStep);
    EXPECT_EQ(simulation.configuration().force.softening, 0);
    EXPECT_EQ(simulation.configuration().bodies, 3u);
    wanted = simulation.request();
    wanted.changeScene("cube");
    simulation.apply(wanted);
    EXPECT_EQ(simulation.configuration().bodies, sceneNamed("cube").bodiesCpu) << "not the three of the scene before";
}

TEST(SimulationTest, whatIsAskedForStaysThoughItIsWhatRunsAlready) {
    RunRequest request{.scene = "plummer", .bodies = 40, .backend = "reference"};
    Simulation simulation(request);
    EXPECT_FALSE(simulation.request().softening) << "left to the scene";
    request.softening = simulation.configuration().force.softening;
    request.precision = simulation.configuration().force.precision;
    simulation.apply(request);
    EXPECT_EQ(simulation.request(), request);
    RunRequest other = request;
    other.scene = "king";  // and everything else as it is
    simulation.apply(other);
    EXPECT_EQ(simulation.configuration().force.softening, request.softening);
    EXPECT_NE(simulation.configuration().force.softening, sceneNamed("king").softening);
    EXPECT_EQ(simulation.configuration().timeStep, sceneNamed("king").timeStep) << "that was never asked for";
    other.softening.reset();
    simulation.apply(other);
    EXPECT_EQ(simulation.configuration().force.softening, sceneNamed("king").softening) << "left to the scene again";
}

TEST(SimulationTest, aBackendLeftOpenStaysWhereItRuns) {
    RunRequest request{.scene = "plummer", .bodies = 300};
    Simulation simulation(request);
    const std::string chosen = simulation.configuration().backend;
    request.bodies = 20;
    request.backendOptions.threads = 1;
    simulation.apply(request);
    EXPECT_EQ(simulation.configuration().backend, chosen) << "a run does not move by itself";
    request.changeBackend("reference");
    simulation.apply(request);
    EXPECT_EQ(simulation.configuration().backend, "reference");
    request.changeBackend(std::nullopt);
    request.bodies = 300;
    simulation.apply(request);
    EXPECT_EQ(simulation.configuration().backend, chosen) << "one that is let go of is chosen again";
}

TEST(RunRequest, anotherSceneOrBackendLetsGoOfWhatBelongedToTheOld) {
    RunRequest request{.scene = "king", .bodies = 100, .parameters = {{"w0", 7}}, .backend = "cpu"};
    request.pairs().kernel.kernel = "simd";
    request.timeStep = 0.1;
    request.law = kLaw<Coulomb>;
    request.lawNumbers.strength = 3;
    request.precision = Precision::mixed;
    const RunRequest before = request;
    request.changeScene("king");
    request.changeBackend("cpu");
    EXPECT_EQ(request, before) << "nothing else was chosen";
    request.changeScene("cube");
    request.changeBackend("reference");
    const RunRequest expected{.scene = "cube", .bodies = 100, .backend = "reference", .precision = Precision::mixed};
    EXPECT_EQ(request, expected);
}

TEST(RunRequest, ofAConfigurationGivesJustThat) {
    RunRequest request{.scene = "charges", .bodies = 30, .backend = "cpu"};
    request.lawNumbers.strength = 2;
    request.timeStep = -0.01;
    const RunConfiguration first = Simulation(request).configuration();
    EXPECT_EQ(Simulation(requestOf(first)).configuration(), first);
}

TEST(SimulationTest, anExplicitSizeComesBackAfterASceneOfFixedSize) {
    Simulation simulation(small("plummer", 70));
    for (const char* scene : {"two-body", "cube"}) {
        RunRequest wanted = simulation.request();
        wanted.changeScene(scene);
        simulation.apply(wanted);
    }
    EXPECT_EQ(simulation.configuration().bodies, 70u);
}

TEST(SimulationTest, timeStepSofteningAndIntegratorChangeInPlace) {
    Simulation simulation(small());
    run(simulation, 4);
    const double then = simulation.time();
    RunRequest wanted = simulation.request();
    wanted.timeStep = -simulation.configuration().timeStep;
    wanted.softening = 0.2;
    wanted.integrator = "yoshida4";
    simulation.apply(wanted);
    EXPECT_EQ(simulation.step(), 4);
    EXPECT_EQ(simulation.time(), then);
    EXPECT_EQ(simulation.integrator().name, "yoshida4");
    run(simulation, 4);
    EXPECT_EQ(simulation.step(), 8);
    EXPECT_EQ(simulation.time(), 0);
}

TEST(SimulationTest, aTimeStepChangedInTheMiddleOfAStepCountsFromTheNext) {
    Simulation simulation(small("plummer", 3000));
    RunRequest wanted = simulation.request();
    const double oldStep = simulation.configuration().timeStep;
    ASSERT_EQ(simulation.advance({.seconds = 0, .steps = 1}, nullptr).stepsCompleted, 0);
    wanted.timeStep = 2 * oldStep;
    simulation.apply(wanted);
    EXPECT_EQ(simulation.time(), 0);
    run(simulation, 1);
    EXPECT_EQ(simulation.time(), oldStep) << "the step under way was begun with the old time step";
    run(simulation, 1);
    EXPECT_EQ(simulation.time(), 3 * oldStep);
}

TEST(SimulationTest, everyConfigurationAsksForItsOwnForceCheck) {
    Simulation simulation(small("plummer", 400));
    EXPECT_FALSE(simulation.forceCheck().has_value()) << "no force was computed yet";
    run(simulation, 1);
    ASSERT_TRUE(simulation.forceCheck().has_value());
    EXPECT_TRUE(simulation.forceCheck()->passed);
    RunRequest wanted = simulation.request();
    wanted.softening = 0.3;
    simulation.apply(wanted);
    EXPECT_FALSE(simulation.forceCheck().has_value()) << "the old check says nothing of the new softening";
    run(simulation, 1);
    EXPECT_TRUE(simulation.forceCheck().has_value());
    wanted = simulation.request();
    wanted.timeStep = 2 * simulation.configuration().timeStep;
    simulation.apply(wanted);
    EXPECT_TRUE(simulation.forceCheck().has_value()) << "forces do not depend on the time step";
    simulation.load(unevenBodies(30));
    EXPECT_FALSE(simulation.forceCheck().has_value());
    run(simulation, 1);
    EXPECT_TRUE(simulation.forceCheck().has_value());
}

TEST(SimulationTest, loadedBodiesStayWhenOtherThingsChange) {
    Simulation simulation(small());
    run(simulation, 2);
    const ParticleSet bodies = unevenBodies(33);
    simulation.load(bodies);
    EXPECT_EQ(simulation.step(), 2);
    EXPECT_EQ(simulation.configuration().bodies, 33u);
    RunRequest wanted = simulation.request();
    wanted.softening = 0.5;
    simulation.apply(wanted);
    EXPECT_TRUE(sameState(state(simulation), bodies));
    EXPECT_THROW(simulation.load({}), UsageError);
    EXPECT_TRUE(sameState(state(simulation), bodies));
}

TEST(SimulationTest, aSteeredBodyChangesAloneAndInPlace) {
    for (const char* backend : {"reference", "cpu"}) {
        RunRequest request = small("plummer", 400);
        request.backend = backend;
        Simulation steered(request), loaded(request);
        for (Simulation* one : {&steered, &loaded}) run(*one, 3);
        const std::int64_t evaluations = steered.totals().forceEvaluations;
        const std::uint64_t bodiesId = steered.bodiesId(), runId = steered.runId();
        ParticleSet bodies = loaded.bodies();
        bodies.velocity[7].x = 0.25, bodies.velocity[7].y = -1, bodies.velocity[7].z = 0;
        loaded.load(bodies);
        steered.steer(7, {0.25, -1, 0});
        EXPECT_NE(steered.bodiesId(), bodiesId);
        EXPECT_EQ(steered.runId(), runId);
        EXPECT_EQ(steered.step(), 3);
        EXPECT_TRUE(sameBytes(steered.state().bodies.velocity, bodies.velocity)) << backend;
        for (Simulation* one : {&steered, &loaded}) run(*one, 3);
        EXPECT_TRUE(sameBytes(steered.state().bodies.position, loaded.state().bodies.position)) << backend;
        EXPECT_TRUE(sameBytes(steered.state().bodies.velocity, loaded.state().bodies.velocity)) << backend;
        // The force of the last step stays that of the next one.
        if (std::string_view(backend) == "cpu") {
            EXPECT_EQ(steered.totals().forceEvaluations, evaluations + 3);
        }
        // A speed that single precision cannot hold takes the way of every edit.
        steered.steer(7, {1e40, 0, 0});
        EXPECT_EQ(steered.force().precision, Precision::fp64) << backend;
        EXPECT_EQ(steered.state().bodies.velocity[7].x, 1e40);
    }
}

TEST(SimulationTest, aSceneBuiltAgainHasItsOwnNumberOfBodies) {
    const ParticleSet scene = [] {
        Simulation fresh(small());
        return state(fresh);
    }();
    Simulation simulation(small());
    ParticleSet edited = scene;
    applyEdits(edited, std::vector<BodyEdit>{{.kind = BodyEdit::Kind::remove, .id = 7}});
    simulation.load(edited);
    ASSERT_EQ(simulation.configuration().bodies, 49u);
    RunRequest wanted = simulation.request();
    wanted.softening = 0.3;
    simulation.apply(wanted);
    EXPECT_EQ(simulation.configuration().bodies, 49u) << "what was removed stays removed while nothing starts over";
    simulation.reset();
    EXPECT_EQ(simulation.configuration().bodies, 50u);
    EXPECT_TRUE(sameState(state(simulation), scene));
    simulation.load(edited);
    wanted = simulation.request();
    wanted.seed = 2;
    simulation.apply(wanted);
    EXPECT_EQ(simulation.configuration().bodies, 50u) << "another seed, the same scene";
}

TEST(SimulationTest, anotherBackendTakesTheStateOver) {
    for (const BackendRow& row : backends()) {
        if (row.name == "reference" || !row.unavailable({}).empty()) continue;
        SCOPED_TRACE(row.name);
        Simulation simulation(small("plummer", 300));
        run(simulation, 5);
        const ParticleSet before = state(simulation);
        const double then = simulation.time();
        RunRequest wanted = simulation.request();
        wanted.changeBackend(std::string(row.name));
        simulation.apply(wanted);
        EXPECT_EQ(simulation.backend().name(), row.name);
        EXPECT_EQ(simulation.configuration().backend, row.name);
        EXPECT_EQ(simulation.configuration().bodies, 300u);
        EXPECT_EQ(simulation.time(), then);
        const ParticleSet after = state(simulation);
        ASSERT_EQ(after.size(), 300u);
        for (std::size_t i = 0; i < 300; ++i) ASSERT_LT(distance(before.position[i], after.position[i]), 1e-5);
        run(simulation, 5);
        wanted = simulation.request();
        wanted.changeBackend("reference");
        simulation.apply(wanted);
        EXPECT_EQ(simulation.step(), 10);
        EXPECT_EQ(simulation.configuration().pairs().kernel.kernel, "plain");
    }
}

TEST(SimulationTest, aBackendThatCannotRunIsRefusedAndTheRunGoesOn) {
    for (const BackendRow& row : backends()) {
        if (row.unavailable({}).empty()) continue;
        Simulation simulation(small());
        run(simulation, 2);
        RunRequest wanted = simulation.request();
        wanted.changeBackend(std::string(row.name));
        EXPECT_THROW(simulation.apply(wanted), NoDeviceError);
        EXPECT_EQ(simulation.configuration().backend, "reference");
        run(simulation, 1);
        EXPECT_EQ(simulation.step(), 3);
    }
}

TEST(SimulationTest, measuresItsState) {
    Simulation simulation(small("figure-eight", std::nullopt));
    const double before = simulation.measure().energy();
    EXPECT_NEAR(before, -1.287141995631858, 1e-14);
    run(simulation, 50);
    EXPECT_NEAR(simulation.measure().energy(), before, 1e-3);
}

TEST(Backends, autoTakesTheBestAndSaysWhyNotABetterOne) {
    const BackendChoice choice = chooseBackend({}, {});
    ASSERT_NE(choice.row, nullptr);
    EXPECT_TRUE(choice.row->unavailable({}).empty());
    bool better = false;
    for (const BackendRow& row : backends()) {
        if (better) {
            EXPECT_THAT(choice.why, HasSubstr(std::string(row.name) + " cannot run"));
            EXPECT_THAT(choice.why, HasSubstr(row.unavailable({})));
        }
        better = better || row.name == choice.row->name;
    }
    EXPECT_THAT(choice.why, HasSubstr("running on " + std::string(choice.row->name)));
}

TEST(Validation, numbersThatUsersType) {
    EXPECT_THROW(requireBodies(0), UsageError);
    EXPECT_NO_THROW(requireBodies(1));
    EXPECT_NO_THROW(requireBodies(kMostBodies));
    EXPECT_THROW(requireBodies(kMostBodies + 1), UsageError);
    EXPECT_THROW(requireTimeStep(0), UsageError);
    EXPECT_NO_THROW(requireTimeStep(-0.01));
    EXPECT_THROW(requireSoftening(-1e-9), UsageError);
    EXPECT_NO_THROW(requireSoftening(0));
    EXPECT_THROW(requireSoftening(kNaN), UsageError);
    EXPECT_NO_THROW(requireHostMemory(1, "bodies"));
    EXPECT_THROW(requireHostMemory(1e18, "bodies"), OutOfMemoryError);
}

TEST(Validation, theLimitsOfAContainerCountAsMemory) {
    namespace fs = std::filesystem;
    char name[] = "/tmp/gravlab-cgroup-XXXXXX";
    const std::string root = ::mkdtemp(name);
    const auto put = [&](const std::string& file, const std::string& text) {
        fs::create_directories(fs::path(root + file).parent_path());
        std::ofstream(root + file) << text;
    };
    EXPECT_EQ(freeHostBytes(root), std::numeric_limits<double>::infinity()) << "nothing is known there";
    put("/proc/meminfo", "MemTotal: 9000 kB\nMemAvailable:    4000 kB\n");
    EXPECT_EQ(freeHostBytes(root), 4000 * 1024.0);
    put("/proc/self/cgroup", "0::/job/step\n");
    put("/sys/fs/cgroup/job/step/memory.max", "max\n");
    put("/sys/fs/cgroup/job/memory.max", "1000000\n");
    put("/sys/fs/cgroup/job/memory.current", "500000\n");
    put("/sys/fs/cgroup/job/memory.stat", "anon 1\ninactive_file 100000\n");
    EXPECT_EQ(freeHostBytes(root), 600000) << "the limit of a group around this one, less what is used, but not its cache";
    put("/sys/fs/cgroup/memory.max", "200000\n");
    EXPECT_EQ(freeHostBytes(root), 200000) << "inside a container its limit stands at the top";
    put("/proc/self/cgroup", "3:cpu:/x\n2:hugetlb,memory:/y\n");
    put("/sys/fs/cgroup/memory/memory.limit_in_bytes", "300000\n");
    put("/sys/fs/cgroup/memory/memory.usage_in_bytes", "400000\n");
    EXPECT_EQ(freeHostBytes(root), 0) << "the older kind";
    fs::remove_all(root);
}

/// A sink whose picture cannot be written: its buffer does not open.
struct BrokenSink final : VertexSink {
    MemorySpace space() const override { return MemorySpace::host; }
    VertexSpan open(std::size_t, void*) override { throw DeviceError("the buffer does not open"); }
    void close(void*) override {}
};

TEST(SimulationTest, aPictureThatFailsCostsNoStep) {
    const struct {
        const char *backend, *integrator;
        std::size_t bodies;
    } rows[] = {
        {"reference", "leapfrog", 50}, {"reference", "hermite4", 50}, {"cpu", "leapfrog", 5}, {"cpu", "yoshida4", 900}};
    for (const auto& row : rows) {
        RunRequest settings = small("plummer", row.bodies);
        settings.backend = row.backend;
        settings.integrator = row.integrator;
        settings.backendOptions.threads = 1;
        Simulation failed(settings), whole(settings);
        BrokenSink broken;
        EXPECT_THROW(failed.advance({.seconds = 60, .steps = 3}, &broken), DeviceError) << row.integrator;
        failed.advance({.seconds = 0, .steps = 0}, nullptr);  // reports the completed steps
        EXPECT_GT(failed.step(), 0) << "the steps were made, and nobody counted them";
        run(failed, 4 - failed.step());
        run(whole, 4);
        EXPECT_EQ(failed.step(), whole.step());
        const ParticleSet got = state(failed), want = state(whole);
        double apart = 0;
        for (std::size_t i = 0; i < want.size(); ++i)
            apart += distance(got.position[i], want.position[i]) + distance(got.velocity[i], want.velocity[i]);
        EXPECT_EQ(apart, 0) << row.backend << ' ' << row.integrator;
    }
}

TEST(Simulation, aStateOfATreeLeavesTheStepUnderWay) {
    const RunRequest request{.scene = "plummer",
                             .bodies = 3000,
                             .backend = "cpu",
                             .backendOptions = {.threads = 2},
                             .terms = {{"pair-law", {.kernel = {.kernel = "tree"}, .accuracy = 1e-3}}}};
    Simulation first(request), second(request);
    run(first, 2);
    const AdvanceStatus status = first.advance({.seconds = 0, .steps = 1}, nullptr);
    ASSERT_GT(status.stepProgress, 0);
    const RunState state = first.state();
    EXPECT_EQ(state.clock.step, 2);
    EXPECT_EQ(first.step(), 2) << "the step under way was run to its end";
    second.restore(state);
    run(first, 3);
    run(second, 3);
    ParticleSet a, b;
    first.snapshot(a);
    second.snapshot(b);
    EXPECT_TRUE(testing_support::sameState(a, b)) << "it does not go on as if never stopped";
}

}  // namespace
}  // namespace gravlab
