// Approximation of far bodies as a run uses it: when it starts, how it is checked, the cost of a step, and the energy by the
// same tree.
#include "sim/run/far_field.h"
#include "app/services/pace.h"
#include "sim/api/errors.h"
#include "sim/backends/cpu/backend_cpu.h"
#include "sim/measure/potential_error.h"
#include "sim/run/simulation.h"
#include "sim/tree/criterion.h"
#include "tests/bodies.h"
#include "tests/cell_of_bodies.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace gravlab {
namespace {

using namespace testing_support;

RunRequest watched(std::optional<std::size_t> bodies, const char* scene = "collision") {
    RunRequest request{.scene = scene, .bodies = bodies, .backend = "cpu", .farField = true};
    return request;
}

TEST(FarFieldRun, takesWhatTheSceneNamesForSoManyBodies) {
    const Simulation many(watched(16384));
    EXPECT_EQ(many.configuration().pairs().kernel.kernel, "tree");
    EXPECT_EQ(many.configuration().pairs().accuracy, 1e-3);
    const Simulation few(watched(16383));
    EXPECT_NE(few.configuration().pairs().kernel.kernel, "tree");
    EXPECT_EQ(few.configuration().pairs().accuracy, 0) << "few bodies stay exact";
    EXPECT_EQ(Simulation(watched(16384, "kepler-disc")).configuration().pairs().accuracy, 0) << "its row names none";
}

TEST(FarFieldRun, isNobodysElse) {
    RunRequest request = watched(16384);
    request.farField = false;
    EXPECT_EQ(Simulation(request).configuration().pairs().accuracy, 0) << "run, render and bench compute every pair";
    request = watched(16384);
    request.pairs().kernel.kernel = "simd-threads";
    EXPECT_EQ(Simulation(request).configuration().pairs().kernel.kernel, "simd-threads");
    request = watched(16384);
    request.pairs().accuracy = 1e-4;
    EXPECT_EQ(Simulation(request).configuration().pairs().accuracy, 1e-4) << "what was asked for goes first";
    EXPECT_EQ(sceneNamed("collision").farField.accuracyOf(131071, true), 0) << "a device makes short work of fewer";
    EXPECT_EQ(sceneNamed("collision").farField.accuracyOf(131072, true), 1e-3);
}

TEST(FarFieldRun, followsTheNumberOfBodiesAndTheSwitch) {
    Simulation simulation(watched(8192));
    RunRequest wanted = simulation.request();
    wanted.bodies = 20000;
    simulation.apply(wanted);
    EXPECT_EQ(simulation.configuration().pairs().accuracy, 1e-3);
    EXPECT_EQ(requestOf(simulation.configuration()).pairs().accuracy, 1e-3) << "what files of the run say";
    wanted = simulation.request();
    wanted.farField = false;
    simulation.apply(wanted);
    EXPECT_EQ(simulation.configuration().pairs().accuracy, 0);
    EXPECT_EQ(simulation.configuration().bodies, 20000u) << "the switch leaves the bodies alone";
    wanted.farField = true;
    simulation.apply(wanted);
    EXPECT_EQ(simulation.configuration().pairs().accuracy, 1e-3);
}

TEST(FarFieldRun, startsWithAsManyBodiesAsTheTreeMoves) {
    const Scene& scene = sceneNamed("plummer");
    EXPECT_EQ(farFieldBodies(scene.farField, 1), 16384u);
    EXPECT_EQ(farFieldBodies(scene.farField, 2), 16384u);
    EXPECT_EQ(farFieldBodies(scene.farField, 7), 32768u);
    EXPECT_EQ(farFieldBodies(scene.farField, 64), 65536u);
    RunRequest request = watched({}, "plummer");
    request.backendOptions.threads = 4;
    EXPECT_EQ(Simulation(request).configuration().bodies, 32768u);
    request.farField = false;
    EXPECT_EQ(Simulation(request).configuration().bodies, scene.bodiesCpu);
}

TEST(DeviceClasses, followWhatTheDriverSaysOfADevice) {
    struct Known {
        const char* name;
        DeviceSize size;
        std::size_t bodies;
    };
    constexpr Known kKnown[] = {{"NVIDIA H200", {132, 4.92e12}, 1048576}, {"NVIDIA H100 PCIe", {114, 2.04e12}, 1048576},
                                {"NVIDIA A100", {108, 1.56e12}, 1048576}, {"GeForce RTX 4090", {128, 1.01e12}, 524288},
                                {"NVIDIA L40S", {142, 8.64e11}, 524288},  {"GeForce RTX 3060", {28, 3.6e11}, 262144},
                                {"Tesla T4", {40, 3.2e11}, 262144},       {"GeForce GTX 1650", {14, 1.28e11}, 65536},
                                {"of an unknown bus", {132, 0}, 65536}};
    for (const Known& known : kKnown) EXPECT_EQ(classOf(known.size).bodies, known.bodies) << known.name;
    const FarField& far = sceneNamed("galaxy").farField;
    std::size_t larger = std::numeric_limits<std::size_t>::max();
    for (const DeviceClass& row : deviceClasses()) {
        EXPECT_LT(row.bodies, larger) << row.name;
        larger = row.bodies;
        EXPECT_EQ(far.accuracyOf(row.bodies, true) > 0, row.bodies > 65536) << row.name << ": so many need the tree";
    }
    EXPECT_EQ(deviceClasses().back().least.multiprocessors, 0) << "the last one holds for every device";
}

TEST(DeviceClasses, sayHowManyBodiesASceneStartsWith) {
    const Scene& scene = sceneNamed("galaxy");
    EXPECT_EQ(usualBodies(scene, deviceBackend(), {}, false), scene.bodiesGpu) << "every pair: bench, run, render";
    const std::size_t here = usualBodies(scene, deviceBackend(), {}, true);
    EXPECT_EQ(here, std::max(scene.bodiesGpu, classOf(deviceSize(deviceBackend(), {})).bodies));
    EXPECT_TRUE(areUsualBodies(scene, here));
    EXPECT_TRUE(areUsualBodies(scene, 1048576)) << "the same settings may move to a larger machine";
    EXPECT_FALSE(areUsualBodies(scene, 1048577));
    const Scene& few = sceneNamed("charges");
    EXPECT_EQ(usualBodies(few, deviceBackend(), {}, true), few.bodiesGpu) << "its forces need every pair";
    EXPECT_EQ(deviceSize(hostBackend(), {}).multiprocessors, 0);
}

TEST(FarFieldCheck, looksAtBodiesAtRandom) {
    const std::vector<std::uint32_t> targets = randomTargets(100000);
    EXPECT_EQ(targets.size(), 1024u);
    EXPECT_EQ(targets, randomTargets(100000)) << "the same for each run of so many bodies";
    EXPECT_TRUE(std::ranges::is_sorted(targets));
    EXPECT_EQ(std::ranges::adjacent_find(targets), targets.end());
    EXPECT_LT(targets.back(), 100000u);
    // The targets are no regular stretch: the distances between neighbours differ.
    EXPECT_NE(targets[1] - targets[0], targets[2] - targets[1]);
    EXPECT_EQ(randomTargets(5), (std::vector<std::uint32_t>{0, 1, 2, 3, 4}));
    EXPECT_TRUE(randomTargets(0).empty());

    Simulation simulation(watched(16384, "plummer"));
    simulation.advance({.steps = 2}, nullptr);
    ASSERT_TRUE(simulation.forceCheck());
    const ForceCheck& check = *simulation.forceCheck();
    EXPECT_TRUE(check.passed) << check.text();
    EXPECT_EQ(check.samples, 1024u);
    EXPECT_EQ(check.allowed, 1e-3);
    EXPECT_NE(check.text().find("99 %"), std::string::npos) << check.text();
    EXPECT_GT(check.momentum, 0) << "a tree does not pull both ways alike";
    EXPECT_LT(check.momentum, 1e-3);

    RunRequest exact = watched(16384, "plummer");
    exact.farField = false;
    Simulation direct(exact);
    direct.advance({.steps = 1}, nullptr);
    ASSERT_TRUE(direct.forceCheck());
    EXPECT_EQ(direct.forceCheck()->allowed, 0);
    EXPECT_LT(direct.forceCheck()->samples, 1024u) << "rounding is looked for where kernels go wrong";
}

TEST(FarFieldCost, isThatOfAStepAsMeasured) {
    RunFacts facts;
    facts.integrator = &integrator("leapfrog");
    facts.kernel = &kernel("cpu", "tree");
    facts.configuration.bodies = 1 << 20;
    facts.interactionsPerSecond = 1e9;
    EXPECT_EQ(stepCost(facts).seconds, 0) << "no force has ended: nothing is known, whatever the rate of its parts";
    facts.stepForecast = 30;
    EXPECT_EQ(stepCost(facts).seconds, 30) << "by what is done of it";
    facts.stepForecast = 0;
    facts.forceSeconds = 4;
    EXPECT_EQ(stepCost(facts).seconds, 4);
    const auto slow = slowStep(facts.configuration.bodies, stepCost(facts));
    ASSERT_TRUE(slow);
    EXPECT_EQ(slow->bodies, 8192u) << "80 times fewer bodies take a twentieth of a second";
    facts.kernel = &kernel("cpu", "simd-threads");
    EXPECT_NEAR(stepCost(facts).seconds, 1099.5, 0.1) << "every pair at that rate";
    facts.pairsOfForce = 2e9;
    EXPECT_NEAR(stepCost(facts).seconds, 2, 1e-9) << "few bodies have mass";
    EXPECT_EQ(stepCost(facts).power, 1) << "half as many bodies cost half";
}

/// A cell of some bodies, and its force at a point.
struct Few {
    CellMoments<double> cell;
    std::vector<Double4> bodies;
    double softening = 0.3;

    Few() {
        for (int k = 0; k < 7; ++k) {
            const double t = k;
            bodies.push_back({0.1 * std::cos(3 * t), 0.07 * std::sin(5 * t), 0.05 * std::cos(7 * t + 1), 1 + 0.2 * t});
        }
        cell = cellOf(bodies);
    }
    double field(const Vec3d& at) const {
        double sum = 0;
        for (const Double4& b : bodies) {
            const Vec3d d = xyz(b) - at;
            sum += b.w / std::sqrt(dot(d, d) + softening * softening);
        }
        return sum;
    }
};

TEST(FarFieldEnergy, aCellHasThePotentialOfItsBodies) {
    const Few few;
    const GravityField<double> field{few.softening * few.softening};
    const CellPull<double> pull = cellPull(few.cell, 2.0);
    double before = 0;
    for (const double distance : {1.0, 2.0, 4.0}) {
        const Vec3d at{distance, 0.6 * distance, -0.3 * distance};
        const double want = few.field(at), got = cellField(pull, at.x, at.y, at.z, field);
        const double error = std::abs(got / want - 1);
        EXPECT_LT(error, 1e-4 / std::pow(distance, 3));
        if (before > 0) {
            EXPECT_LT(error, before / 6) << "of third order in one over the distance";
        }
        before = error;
        EXPECT_NEAR(
            got,
            fieldAtCentre(at.x - few.cell.x, at.y - few.cell.y, at.z - few.cell.z, few.cell.source, few.cell.moments, field),
            1e-14 * got);
        // Its gradient is the acceleration.
        double a[3] = {};
        addCellPull(a, pull, at.x, at.y, at.z, field);
        const double h = 1e-5;
        const double slope =
            (cellField(pull, at.x, at.y + h, at.z, field) - cellField(pull, at.x, at.y - h, at.z, field)) / (2 * h);
        EXPECT_NEAR(slope, a[1], 1e-8 * std::abs(a[1]));
    }
}

TEST(FarFieldEnergy, anExpansionHasThePotentialOfItsCells) {
    const Few few;
    const GravityField<double> field{few.softening * few.softening};
    const Vec3d centre{1.5, -0.8, 0.6};
    FieldExpansion<double> expansion;
    const double x = centre.x - few.cell.x, y = centre.y - few.cell.y, z = centre.z - few.cell.z;
    addToExpansion<true>(expansion, x, y, z, few.cell.source, few.cell.moments, field);
    const double first = fieldAtCentre(x, y, z, few.cell.source, few.cell.moments, field);
    for (const Vec3d& off : {Vec3d{0.02, 0.03, -0.01}, Vec3d{-0.05, 0.01, 0.04}, Vec3d{0.1, 0.1, 0.1}}) {
        const double got = first + expandedField(expansion, off.x, off.y, off.z), want = few.field(centre + off);
        EXPECT_NEAR(got, want, 2e-4 * want);
        // For every order: the gradient of the potential is the acceleration of the same expansion, to the last digits.
        double a[3] = {};
        addExpandedPull<true>(a, expansion, off.x, off.y, off.z);
        const double h = 1e-4;
        const auto at = [&](int axis, double by) {
            return expandedField(expansion, off.x + (axis == 0) * by, off.y + (axis == 1) * by, off.z + (axis == 2) * by);
        };
        for (int axis = 0; axis < 3; ++axis)
            EXPECT_NEAR((at(axis, h) - at(axis, -h)) / (2 * h), a[axis], 1e-6 * std::abs(a[axis])) << axis;
    }
}

ForceSettings gravityOf(double softening) { return {.softening = softening}; }

TEST(FarFieldEnergy, isThatOfAllPairs) {
    struct FieldCase {
        const char* scene;
        std::size_t bodies;
        double softening;
    };
    for (const FieldCase& c :
         {FieldCase{"plummer", 6000, 0.01}, FieldCase{"galaxy", 8000, 0.05}, FieldCase{"collision", 5000, 0.05},
          FieldCase{"kepler-disc", 3000, 0}, FieldCase{"plummer", 40, 0.01}, FieldCase{"plummer", 3, 0}}) {
        SCOPED_TRACE(c.scene + std::string(" ") + std::to_string(c.bodies));
        const ParticleSet bodies = sceneNamed(c.scene).build({.bodies = c.bodies, .seed = 3});
        const ForceTerms terms = termsOf(gravityOf(c.softening), {});
        const Diagnostics want = measureSystem(bodies, terms, 2);
        const Diagnostics got = measureSystem(bodies, terms, 2, pairsByTree(1e-3));
        EXPECT_NEAR(got.potential, want.potential, 1e-4 * std::abs(want.potential));
        EXPECT_LE(std::abs(got.potential - want.potential), 4 * got.potentialError * std::abs(want.potential) + 1e-12)
            << "it says how exact it is";
        EXPECT_LT(got.potentialError, 1e-3);
        EXPECT_EQ(got.kinetic, want.kinetic);
        EXPECT_EQ(got.shape.lagrangianRadii, want.shape.lagrangianRadii);
        EXPECT_NEAR(got.shape.closest, want.shape.closest, 1e-5 * want.shape.closest);
    }
}

TEST(FarFieldEnergy, isMoreExactWhereForcesAre) {
    const ParticleSet bodies = sceneNamed("galaxy").build({.bodies = 12000, .seed = 3});
    const ForceTerms terms = termsOf(gravityOf(0.05), {});
    const double coarse = measureSystem(bodies, terms, 2, pairsByTree(1e-2)).potentialError;
    const double fine = measureSystem(bodies, terms, 2, pairsByTree(1e-4)).potentialError;
    EXPECT_LT(fine, coarse / 3);
    EXPECT_GT(fine, 0);
}

TEST(FarFieldEnergy, isTheSameForAnyNumberOfThreads) {
    const ParticleSet bodies = sceneNamed("collision").build({.bodies = 7000, .seed = 1});
    const PairSum one = pairsByTree(1e-3)(bodies, gravityOf(0.02), 1), three = pairsByTree(1e-3)(bodies, gravityOf(0.02), 3);
    EXPECT_EQ(one.potential, three.potential);
    EXPECT_EQ(one.error, three.error);
    EXPECT_EQ(one.closestFirst, three.closestFirst);
    EXPECT_EQ(one.closestSecond, three.closestSecond);
}

TEST(FarFieldEnergy, countsBodiesInOnePlaceAsAllPairsDo) {
    ParticleSet bodies = sceneNamed("plummer").build({.bodies = 500, .seed = 1});
    for (std::size_t i = 100; i < 160; ++i) bodies.position[i] = bodies.position[99];
    for (const double softening : {0.0, 0.05}) {
        const ForceTerms terms = termsOf(gravityOf(softening), {});
        const Diagnostics want = measureSystem(bodies, terms, 1), got = measureSystem(bodies, terms, 1, pairsByTree(1e-4));
        EXPECT_NEAR(got.potential, want.potential, 1e-5 * std::abs(want.potential)) << softening;
        EXPECT_EQ(got.shape.closest, 0);
    }
    ParticleSet none;
    EXPECT_EQ(pairsByTree(1e-3)(none, gravityOf(0.1), 1).potential, 0);
}

TEST(FarFieldEnergy, saysWhatItsPotentialsAreWorth) {
    PotentialError right, wrong, broken;
    for (int k = 1; k <= 100; ++k) {
        const double want = 1.0 / k, noise = k % 2 == 0 ? 1e-6 : -1e-6;
        right.add(want * (1 + noise), want);
        wrong.add(want * 1.01, want);
        broken.add(k == 50 ? NAN : want, want);
    }
    EXPECT_LT(right.relative(), 1e-6);
    EXPECT_GE(wrong.relative(), 0.01) << "a potential that is wrong everywhere does not average away";
    EXPECT_TRUE(std::isinf(broken.relative()));
}

}  // namespace
}  // namespace gravlab
