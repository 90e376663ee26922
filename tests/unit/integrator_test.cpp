// The integrator table: the properties of a program must follow from its operations.
#include "sim/integrators/integrator.h"
#include "app/files/scene_file.h"
#include "app/model/start_options.h"
#include "sim/api/errors.h"
#include "sim/io/checkpoint.h"
#include "sim/io/run_settings.h"
#include "sim/run/fingerprint.h"
#include "sim/run/simulation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace gravlab {
namespace {

double sumOf(StepProgram program, Op op) {
    double sum = 0;
    for (const StepOp& step : program)
        if (step.op == op) sum += step.weight;
    return sum;
}

TEST(Integrators, leapfrogIsTheDefaultAndKickDriftKick) {
    const Integrator& row = integrators().front();
    EXPECT_EQ(row.name, "leapfrog");
    const std::vector<Op> expected = {Op::kick, Op::drift, Op::force, Op::kick};
    ASSERT_EQ(row.program.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(row.program[i].op, expected[i]);
}

TEST(Integrators, everyStepCoversExactlyOneTimeStep) {
    for (const Integrator& row : integrators()) {
        SCOPED_TRACE(row.name);
        if (sumOf(row.program, Op::kick) != 0) {
            EXPECT_NEAR(sumOf(row.program, Op::kick), 1, 1e-15);
            EXPECT_NEAR(sumOf(row.program, Op::drift), 1, 1e-15);
        }
        if (sumOf(row.program, Op::combine) != 0) {
            EXPECT_NEAR(sumOf(row.program, Op::combine), 1, 1e-15);
        }
    }
}

TEST(Integrators, reversibleKickDriftProgramsReadTheSameBackwards) {
    for (const Integrator& row : integrators()) {
        std::vector<StepOp> moves;
        bool plain = true;
        for (const StepOp& step : row.program) {
            if (step.op == Op::kick || step.op == Op::drift) moves.push_back(step);
            plain = plain && (step.op == Op::kick || step.op == Op::drift || step.op == Op::force);
        }
        if (!plain) continue;
        bool palindrome = true;
        for (std::size_t i = 0; i < moves.size(); ++i) {
            const StepOp& mirror = moves[moves.size() - 1 - i];
            palindrome = palindrome && moves[i].op == mirror.op && moves[i].weight == mirror.weight;
        }
        EXPECT_EQ(palindrome, row.reversible) << row.name;
    }
}

TEST(Integrators, knowsWhichProgramsNeedAForceBeforehand) {
    EXPECT_TRUE(needsInitialForce(integrator("leapfrog").program));
    EXPECT_TRUE(needsInitialForce(integrator("yoshida4").program));
    EXPECT_FALSE(needsInitialForce(integrator("symplectic-euler").program));
    EXPECT_FALSE(needsInitialForce(integrator("verlet").program));
    EXPECT_FALSE(needsInitialForce(integrator("rk4").program));
    EXPECT_FALSE(needsInitialForce({}));
}

TEST(Integrators, countsForces) {
    EXPECT_EQ(forcesPerStep(integrator("leapfrog").program), 1);
    EXPECT_EQ(forcesPerStep(integrator("symplectic-euler").program), 1);
    EXPECT_EQ(forcesPerStep(integrator("verlet").program), 1);
    EXPECT_EQ(forcesPerStep(integrator("yoshida4").program), 3);
    EXPECT_EQ(forcesPerStep(integrator("rk4").program), 4);
    EXPECT_EQ(forcesPerStep({}), 0);
}

// Scenes whose story needs an integrator start with it, and the user's choice has priority.

RunConfiguration begun(RunRequest request) { return Simulation(request).configuration(); }

TEST(SceneIntegrator, isRadau15WhereTheCaptionSaysSo) {
    std::set<std::string_view> scenes;
    for (const Scene& scene : sceneTable()) {
        EXPECT_EQ(scene.integrator == "radau15", scene.caption.find("radau15") != std::string_view::npos) << scene.name;
        if (scene.integrator.empty()) continue;
        scenes.insert(scene.name);
        const RunConfiguration now = begun({.scene = std::string(scene.name)});
        EXPECT_EQ(now.integrator, scene.integrator) << scene.name;
        EXPECT_EQ(now.backend, now.integrator == "radau15" ? "reference" : "cpu") << scene.name;
    }
    EXPECT_EQ(scenes.size(), 13u);
    EXPECT_EQ(scenes.count("pythagorean"), 1u);
    EXPECT_EQ(begun({.scene = "figure-eight"}).integrator, "leapfrog");
}

TEST(SceneIntegrator, givesWayToWhatIsAskedFor) {
    EXPECT_EQ(begun({.scene = "pythagorean", .integrator = "leapfrog"}).integrator, "leapfrog");
    EXPECT_EQ(begun({.scene = "pythagorean", .backend = "reference"}).integrator, "radau15");
    EXPECT_EQ(begun({.scene = "pythagorean", .precision = Precision::fp64}).integrator, "radau15");
    for (const RunRequest& cannot :
         {RunRequest{.scene = "pythagorean", .backend = "cpu"},
          RunRequest{.scene = "pythagorean", .terms = {{"pair-law", {.kernel = {.kernel = "simd"}}}}},
          RunRequest{.scene = "pythagorean", .precision = Precision::fp32}}) {
        const RunConfiguration now = begun(cannot);
        EXPECT_EQ(now.integrator, "leapfrog");
        EXPECT_NE(now.backend, "reference");
    }
    EXPECT_THROW(begun({.scene = "pythagorean", .backend = "cpu", .integrator = "radau15"}), UsageError);
    EXPECT_EQ(begun({.scene = "mercury", .backend = "cpu"}).integrator, "rk4") << "its force depends on velocities";
}

TEST(SceneIntegrator, bringsAnOpenBackendAndTakesItAway) {
    Simulation run({.scene = "figure-eight"});
    const std::string usual = run.configuration().backend;
    ASSERT_NE(usual, "reference");
    const auto to = [&](const char* scene) {
        RunRequest wanted = run.request();
        wanted.changeScene(scene);
        run.apply(wanted);
        return run.configuration().integrator + " on " + run.configuration().backend;
    };
    EXPECT_EQ(to("butterfly-1"), "radau15 on reference");
    EXPECT_EQ(to("pythagorean"), "radau15 on reference");
    EXPECT_EQ(to("figure-eight"), "leapfrog on " + usual);
    EXPECT_EQ(to("pythagorean"), "radau15 on reference");
    RunRequest asked = run.request();
    asked.integrator = "yoshida4";
    run.apply(asked);
    EXPECT_EQ(run.configuration().integrator, "yoshida4");
    EXPECT_EQ(to("collision"), "yoshida4 on " + usual) << "what was asked for stays";
    asked = run.request();
    asked.integrator = "radau15";
    EXPECT_THROW(run.apply(asked), UsageError) << "too many bodies";
}

TEST(SceneIntegrator, ofFilesIsTheOneTheyName) {
    EXPECT_EQ(strictSettings("scene = \"pythagorean\"\n", "f").integrator, std::nullopt);
    EXPECT_EQ(strictSettings("scene = \"pythagorean\"\nintegrator = \"auto\"\n", "f").integrator, std::nullopt);
    EXPECT_EQ(strictSettings("scene = \"pythagorean\"\nintegrator = \"verlet\"\n", "f").integrator, "verlet");
    StartOptions options;
    takeSceneText("scene = \"pythagorean\"\n", "f.toml", options);
    EXPECT_EQ(begun(options.simulation).integrator, "radau15");
    // A checkpoint of a run continues with its own integrator.
    for (const char* name : {"leapfrog", "radau15"}) {
        Simulation run({.scene = "pythagorean", .integrator = name});
        run.advance({.steps = 3}, nullptr);
        EXPECT_EQ(begun(startFrom(checkpointOf(run), "f.hdf5").request).integrator, name);
    }
    Simulation fixed({.scene = "pythagorean", .integrator = "leapfrog"});
    Snapshot old = checkpointOf(fixed);
    const std::string line = "integrator = \"leapfrog\"\n";
    old.settings.erase(old.settings.find(line), line.size());
    EXPECT_EQ(begun(startFrom(std::move(old), "f.hdf5").request).integrator, "leapfrog");
}

TEST(SceneIntegrator, isInTheFingerprint) {
    EXPECT_THAT(fingerprintText(fingerprint({.scene = "pythagorean"})), testing::HasSubstr("16 steps of radau15"));
    EXPECT_THAT(fingerprintText(fingerprint({.scene = "pythagorean", .integrator = "leapfrog"})),
                testing::HasSubstr("16 steps of leapfrog"));
}

}  // namespace
}  // namespace gravlab
