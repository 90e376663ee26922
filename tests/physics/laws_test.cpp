// The pair laws in runs: every kernel against the plain sum, conserved energies, and exact known results.
#include "sim/core/error.h"
#include "sim/core/particles.h"
#include "sim/forces/law.h"
#include "sim/forces/law_numbers.h"
#include "sim/measure/diagnostics.h"
#include "sim/run/simulation.h"
#include "tests/bodies.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <numeric>

namespace gravlab {
namespace {

using namespace testing_support;

struct LawCase {
    const char* name;
    ForceSettings force;
};

const LawCase kCases[] = {
    {"coulomb", {.law = kLaw<Coulomb>, .softening = 0.02}},
    {"cube", {.law = kLaw<PowerLaw>, .softening = 0.05, .exponent = 3}},
    {"springs", {.law = kLaw<PowerLaw>, .softening = 0.05, .exponent = -1}},
    {"broken", {.law = kLaw<PowerLaw>, .softening = 0.05, .exponent = 1.7}},
    {"lennard_jones", {.law = kLaw<LennardJones>}},
    {"strong_charges", {.law = kLaw<Coulomb>, .softening = 0.02, .strength = 3.7}},
    {"strong_gravity", {.law = kLaw<PowerLaw>, .softening = 0.05, .exponent = 2, .strength = 0.3}},
    {"strong_cube", {.law = kLaw<PowerLaw>, .softening = 0.05, .exponent = 3, .strength = 2.9}},
    {"strong_broken", {.law = kLaw<PowerLaw>, .softening = 0.05, .exponent = 0.6, .strength = 1.6}},
    {"large_atoms", {.law = kLaw<LennardJones>, .strength = 2.3, .diameter = 1.15, .cutOff = 1.9}},
    {"small_atoms", {.law = kLaw<LennardJones>, .strength = 0.4, .diameter = 0.8, .cutOff = 3.2}},
};

/// Sources of both signs for charges, and responses that differ; a loose lattice for atoms.
ParticleSet bodiesFor(const ForceSettings& force, std::size_t count) {
    ParticleSet bodies = unevenBodies(count);
    for (std::size_t i = 0; i < count; ++i) {
        Double4 &x = bodies.position[i], &v = bodies.velocity[i];
        v.w = 0.25 * static_cast<double>(1 + i % 5);
        if (force.law == kLaw<Coulomb> && i % 2) x.w = -x.w, v.w = -v.w;
        if (force.law != kLaw<LennardJones>) continue;
        const auto side = static_cast<std::size_t>(std::ceil(std::cbrt(static_cast<double>(count))));
        const std::size_t place[] = {i % side, i / side % side, i / side / side};
        double* const at[] = {&x.x, &x.y, &x.z};
        for (int k = 0; k < 3; ++k) *at[k] = 1.125 * static_cast<double>(place[k]) + 0.125 * *at[k];
        x.w = 1;
    }
    return bodies;
}

ForceCheck checkOf(const std::string& backendName, const std::string& kernelName, const ForceSettings& force,
                   const ParticleSet& bodies, const ForceSettings& truth) {
    const std::unique_ptr<Backend> tested = backend(backendName).make({});
    tested->configure(force, {kernelName, {}});
    tested->load(bodies);
    std::vector<Double4> got, want(bodies.size());
    tested->accelerations(got);
    std::vector<std::uint32_t> all(bodies.size());
    std::iota(all.begin(), all.end(), 0u);
    referenceForces(bodies.position, bodies.velocity, all, truth, want);
    return compareForces(got, want, gateOf(kernel(backendName, kernelName), force));
}

TEST(Laws, everyKernelAgreesWithThePlainSum) {
    for (const KernelRow& row : kernels()) {
        if (row.backend == "cuda") continue;
        for (const LawCase& law : kCases)
            for (const Precision precision : {Precision::fp32, Precision::mixed, Precision::fp64}) {
                ForceSettings force = law.force;
                force.precision = precision;
                if (!refusal(row, force).empty()) continue;
                for (const std::size_t count : {1, 2, 3, 33, 257, 1000}) {
                    SCOPED_TRACE(std::string(row.name) + " " + law.name + " " + std::to_string(static_cast<int>(precision)) +
                                 " N " + std::to_string(count));
                    const ForceCheck check =
                        checkOf(std::string(row.backend), std::string(row.name), force, bodiesFor(force, count), force);
                    EXPECT_TRUE(check.passed) << check.text();
                }
            }
    }
}

TEST(Laws, theComparisonNoticesAnotherExponent) {
    ForceSettings wrong = kCases[3].force;
    wrong.exponent = 1.7001;
    EXPECT_FALSE(checkOf("cpu", "simd-threads", wrong, bodiesFor(wrong, 257), kCases[3].force).passed);
    ForceSettings attractive = kCases[0].force;
    attractive.law = Law::gravity;
    EXPECT_FALSE(checkOf("cpu", "simd-threads", attractive, bodiesFor(kCases[0].force, 257), kCases[0].force).passed);
}

TEST(Laws, theComparisonNoticesEveryNumberOfALaw) {
    for (const LawCase& law : kCases)
        for (const LawNumber& number : lawNumbers()) {
            if (!number.acts(law.force.law) || law.force.*number.force == ForceSettings().*number.force) continue;
            SCOPED_TRACE(std::string(law.name) + " " + number.key);
            ForceSettings wrong = law.force;
            wrong.*number.force *= 1.001;
            EXPECT_FALSE(checkOf("cpu", "simd-threads", wrong, bodiesFor(law.force, 257), law.force).passed);
        }
}

TEST(Laws, theirNumbersMeanWhatTheyAreCalled) {
    // Two bodies a distance apart on every backend and kernel, against formulas written out here.
    const double r = 1.3, q = 0.5, k = 3.7, alpha = 0.3, depth = 2.3, sigma = 1.15, end = 1.9 * sigma;
    const auto slope = [&](double d) { return -24 * depth * (2 * std::pow(sigma / d, 12) - std::pow(sigma / d, 6)) / d; };
    const struct {
        ForceSettings force;
        double attraction;  // between sources 1 and q
    } known[] = {
        {{.law = kLaw<Coulomb>, .strength = k}, -k * q / (r * r)},
        {{.law = kLaw<PowerLaw>, .exponent = 2, .strength = alpha}, alpha * q / (r * r)},
        {{.law = kLaw<PowerLaw>, .exponent = 3, .strength = alpha}, alpha * q / (r * r * r)},
        {{.law = kLaw<PowerLaw>, .exponent = 1.7, .strength = alpha}, alpha * q * std::pow(r, -1.7)},
        {{.law = kLaw<LennardJones>, .strength = depth, .diameter = sigma, .cutOff = 1.9}, q * (slope(r) - slope(end))},
        {{.law = kLaw<LennardJones>, .strength = depth, .diameter = sigma, .cutOff = 1.12}, 0}};
    const ParticleSet bodies = bodiesOf({{0, 0, 0, 1}, {r, 0, 0, q}}, {{0, 0, 0, 1}, {0, 0, 0, 1}});
    for (const KernelRow& row : kernels()) {
        if (row.backend == "cuda") continue;
        for (const auto& [force, attraction] : known)
            for (const Precision precision : {Precision::fp32, Precision::fp64}) {
                ForceSettings asked = force;
                asked.precision = precision;
                if (!refusal(row, asked).empty()) continue;
                const std::unique_ptr<Backend> tested = backend(row.backend).make({});
                tested->configure(asked, {std::string(row.name), {}});
                tested->load(bodies);
                std::vector<Double4> a;
                tested->accelerations(a);
                const double tolerance = (precision == Precision::fp64 ? 1e-12 : 3e-5) * std::fmax(1, std::fabs(attraction));
                EXPECT_NEAR(a[0].x, attraction, tolerance) << row.name << ' ' << static_cast<int>(force.law);
                EXPECT_NEAR(a[1].x, -attraction / q, tolerance / q) << row.name << ' ' << static_cast<int>(force.law);
            }
    }
}

TEST(Laws, theExponentTwoIsGravityToTheLastBitOnEveryKernel) {
    const ParticleSet bodies = unevenBodies(300);
    for (const KernelRow& row : kernels()) {
        if (row.backend == "cuda" || !refusal(row, {}).empty()) continue;  // a build may lack a row
        if (!refusal(row, {.law = kLaw<PowerLaw>, .exponent = 2}).empty()) continue;
        std::vector<Double4> gravity, power;
        const std::unique_ptr<Backend> tested = backend(row.backend).make({});
        tested->load(bodies);
        tested->configure({.softening = 0.05}, {std::string(row.name), {}});
        tested->accelerations(gravity);
        tested->configure({.law = kLaw<PowerLaw>, .softening = 0.05, .exponent = 2}, {std::string(row.name), {}});
        tested->accelerations(power);
        if (row.backend == "cpu") {
            EXPECT_TRUE(sameBytes(gravity, power)) << row.name;
        }
        EXPECT_TRUE(compareForces(power, gravity, kGate64).passed) << row.name;
    }
}

TEST(Laws, brokenExponentsHaveAMedianErrorBelowOneInAHundredThousand) {
    for (const double exponent : {0.5, 1.3, 2.5, 3.7}) {
        const ForceSettings force{.law = kLaw<PowerLaw>, .softening = 0.05, .exponent = exponent};
        EXPECT_LT(checkOf("cpu", "simd-threads", force, bodiesFor(force, 2000), force).median, 1e-5) << exponent;
    }
}

TEST(Laws, chargeAndInertiaAreApart) {
    // The same charges, one body four times as heavy: a quarter of the acceleration, the same force.
    const ParticleSet bodies = bodiesOf({{-1, 0, 0, 2}, {1, 0, 0, -2}}, {{}, {}});
    ParticleSet charges = bodies;
    charges.velocity[0].w = 2 / 1.0;
    charges.velocity[1].w = -2 / 4.0;
    EXPECT_EQ(inertialMass(charges.position[1], charges.velocity[1]), 4);
    for (const char* name : {"reference", "cpu"}) {
        const std::unique_ptr<Backend> tested = backend(name).make({});
        tested->configure({.law = kLaw<Coulomb>, .precision = Precision::fp64}, {});
        tested->load(charges);
        std::vector<Double4> a;
        tested->accelerations(a);
        EXPECT_NEAR(a[0].x, 2 * 2 / 4.0, 1e-14) << "unlike charges attract";
        EXPECT_NEAR(a[1].x, -2 * 2 / 4.0 / 4, 1e-14);
    }
}

double energyChange(const char* scene, std::size_t bodies, Precision precision, double time, double dtFactor,
                    std::optional<Law> judgedAs = {}, const RunRequest& numbers = {}, double judgedStrength = 0) {
    RunRequest settings{.scene = scene, .bodies = bodies, .backend = "cpu", .precision = precision};
    for (const LawNumber& number : lawNumbers()) settings.*number.asked = numbers.*number.asked;
    settings.timeStep = sceneNamed(scene).timeStep * dtFactor;
    Simulation simulation(settings);
    ForceSettings force = simulation.force();
    if (judgedAs) force.law = *judgedAs;
    if (judgedStrength > 0) force.strength = judgedStrength;
    const auto energy = [&] {
        ParticleSet now;
        simulation.snapshot(now);
        return measure(now, force);
    };
    const Diagnostics first = energy();
    double worst = 0;
    for (int part = 1; part <= 8; ++part) {
        while (simulation.time() < time * part / 8) simulation.advance({.steps = 1}, nullptr);
        const Diagnostics now = energy();
        worst = std::fmax(worst, std::fabs(now.energy() - first.energy()) / first.kinetic);
        EXPECT_LT(distance(now.momentum, first.momentum), (precision == Precision::fp64 ? 1e-13 : 1e-4) * first.mass);
    }
    return worst;
}

TEST(Laws, theirScenesKeepTheirEnergy) {
    for (const char* scene : {"charges", "power-law", "lennard-jones"}) {
        SCOPED_TRACE(scene);
        const double coarse = energyChange(scene, 200, Precision::fp64, 1, 1);
        const double fine = energyChange(scene, 200, Precision::fp64, 1, 0.25);
        EXPECT_LT(coarse, 1e-2);
        EXPECT_LT(fine, coarse / 8) << "leapfrog is of second order: a quarter of the step, a sixteenth of the error";
        EXPECT_LT(energyChange(scene, 200, Precision::fp32, 1, 1), coarse + 1e-4);
        EXPECT_GT(energyChange(scene, 200, Precision::fp64, 1, 1, Law::gravity), 5 * fine + 1e-4)
            << "gravity's energy is not conserved here";
    }
}

TEST(Laws, energyIsKeptUnderNumbersThatAreNotTheScenesOwn) {
    const struct {
        const char* scene;
        RunRequest numbers;
    } cases[] = {{"charges", {.strength = 1.7}},
                 {"power-law", {.exponent = 1.5, .strength = 0.6}},
                 {"power-law", {.exponent = 2, .strength = 1.8}},
                 {"lennard-jones", {.strength = 1.4, .diameter = 0.96, .cutOff = 3.1}}};
    for (const auto& [scene, numbers] : cases) {
        SCOPED_TRACE(std::string(scene) + " " + std::to_string(numbers.exponent.value_or(2)));
        const double coarse = energyChange(scene, 200, Precision::fp64, 1, 0.5, {}, numbers);
        const double fine = energyChange(scene, 200, Precision::fp64, 1, 0.125, {}, numbers);
        EXPECT_LT(coarse, 2e-2);
        EXPECT_LT(fine, coarse / 8);
        EXPECT_GT(energyChange(scene, 200, Precision::fp64, 1, 0.125, {}, numbers, 1), 5 * fine)
            << "the energy of another strength is not conserved";
    }
}

TEST(Laws, aNumberOutOfRangeIsRefusedWithItsRange) {
    Simulation simulation({.scene = "lennard-jones", .bodies = 10, .backend = "cpu"});
    for (const LawNumber& number : lawNumbers())
        for (const double bad : {number.least - 1e-3, number.most * 1.001, double(NAN), double(INFINITY)}) {
            RunRequest wanted = simulation.request();
            wanted.*number.asked = bad;
            try {
                simulation.apply(wanted);
                ADD_FAILURE() << number.key << " = " << bad << " was accepted";
            } catch (const UsageError& error) {
                EXPECT_NE(std::string(error.what()).find(rangeText(number)), std::string::npos) << error.what();
            }
            ForceSettings force;
            force.*number.force = bad;
            for (const char* name : {"reference", "cpu"})
                EXPECT_THROW(backend(name).make({})->configure(force, {}), UsageError) << name << ' ' << number.key;
        }
    EXPECT_EQ(simulation.force(), (ForceSettings{.law = kLaw<LennardJones>, .precision = Precision::fp64}));
}

TEST(Laws, numbersOfOneSceneDoNotFollowToTheNext) {
    Simulation simulation({.scene = "charges", .bodies = 10, .backend = "cpu", .strength = 4});
    EXPECT_EQ(simulation.force().strength, 4);
    RunRequest wanted = simulation.request();
    wanted.strength = 5;
    simulation.apply(wanted);
    EXPECT_EQ(simulation.force().strength, 5);
    simulation.reset();
    EXPECT_EQ(simulation.force().strength, 5) << "the scene again, under the same law";
    wanted = simulation.request();
    wanted.changeScene("lennard-jones");
    simulation.apply(wanted);
    EXPECT_EQ(simulation.force().strength, 1);
}

TEST(Laws, springsBringEveryBodyBackAfterOnePeriod) {
    RunRequest settings{.scene = "power-law", .bodies = 300, .backend = "cpu", .precision = Precision::fp64};
    settings.timeStep = 2 * std::numbers::pi / 800;
    settings.integrator = "yoshida4";
    Simulation simulation(settings);
    ASSERT_EQ(simulation.force().exponent, -1);
    ParticleSet start, half, end;
    simulation.snapshot(start);
    for (int i = 0; i < 400; ++i) simulation.advance({.steps = 1}, nullptr);
    simulation.snapshot(half);
    for (int i = 0; i < 400; ++i) simulation.advance({.steps = 1}, nullptr);
    simulation.snapshot(end);
    double worst = 0, opposite = 0;
    for (std::size_t i = 0; i < start.size(); ++i) {
        const Double4& x = start.position[i];
        worst = std::fmax(worst, distance(x, end.position[i]));
        opposite = std::fmax(opposite, distance({-x.x, -x.y, -x.z, 0}, half.position[i]));
    }
    EXPECT_LT(worst, 1e-8);
    EXPECT_LT(opposite, 1e-8);
}

TEST(Laws, anExponentOfAnotherLawAndAHermiteStepAreRefused) {
    RunRequest settings{.scene = "charges", .bodies = 10, .backend = "cpu"};
    settings.integrator = "hermite4";
    EXPECT_THROW(Simulation{settings}, UsageError);
    settings.integrator = "leapfrog";
    Simulation simulation(settings);
    RunRequest wanted = simulation.request();
    wanted.law = kLaw<PowerLaw>;
    wanted.exponent = 99;
    EXPECT_THROW(simulation.apply(wanted), UsageError);
    EXPECT_EQ(simulation.force().law, kLaw<Coulomb>) << "the old run goes on";
}

TEST(Precisions, smallSystemsRunInDoubleUnlessAskedOtherwise) {
    RunRequest settings{.scene = "plummer", .bodies = 256, .backend = "cpu"};
    Simulation simulation(settings);
    EXPECT_EQ(simulation.force().precision, Precision::fp64);
    RunRequest wanted = simulation.request();
    wanted.bodies = 257;
    simulation.apply(wanted);
    EXPECT_EQ(simulation.force().precision, Precision::fp32);
    wanted = simulation.request();
    wanted.precision = Precision::mixed;
    simulation.apply(wanted);
    wanted = simulation.request();
    wanted.bodies = 100;
    simulation.apply(wanted);
    EXPECT_EQ(simulation.force().precision, Precision::mixed) << "what was asked for stays";
}

TEST(Precisions, mixedKeepsBodiesInDouble) {
    // A body that drifts past 1 by steps far below a float's resolution there.
    ParticleSet one = bodiesOf({{1, 0, 0, 1}}, {{1e-3, 0, 0, 1}});
    for (const Precision precision : {Precision::fp32, Precision::mixed}) {
        const std::unique_ptr<Backend> tested = backend("cpu").make({});
        tested->configure({.precision = precision}, {});
        tested->load(one);
        const StepProgram program = integrator("leapfrog").program;
        for (int i = 0; i < 10000;)
            i += static_cast<int>(tested->advance(program, 1e-5, {.steps = 10000 - i}, nullptr).stepsCompleted);
        ParticleSet after;
        tested->snapshot(after);
        const double error = std::fabs(after.position[0].x - (1 + 1e-4));
        if (precision == Precision::mixed)
            EXPECT_LT(error, 1e-12);
        else
            EXPECT_GT(error, 1e-5) << "a float should have lost the steps";
    }
}

TEST(Precisions, sixBodiesWithYoshidaKeepNineDigitsOfTheirEnergy) {
    RunRequest settings{.scene = "six-body", .backend = "cpu"};
    settings.integrator = "yoshida4";
    settings.timeStep = 1e-4;
    Simulation simulation(settings);
    ASSERT_EQ(simulation.force().precision, Precision::fp64);
    const double first = simulation.measure().energy();
    while (simulation.step() < 100000) simulation.advance({.steps = 100000 - simulation.step()}, nullptr);
    EXPECT_LT(std::fabs(simulation.measure().energy() / first - 1), 1e-9);
}

TEST(Shapes, radiiAndTheClosestPairOfAKnownSet) {
    ParticleSet bodies =
        bodiesOf({{-1, 0, 0, 1}, {1, 0, 0, 1}, {0, 2, 0, 0}, {0, 2.25, 0, 0}, {0, 3, 0, 0}}, {{}, {}, {}, {}, {}});
    const Shape pair = measure(bodies, {}).shape;
    EXPECT_DOUBLE_EQ(pair.lagrangianRadii[1], 1);
    EXPECT_DOUBLE_EQ(pair.closest, 2) << "two massless bodies are no pair";
    const ParticleSet plummer = sceneNamed("plummer").build({.bodies = 4096, .seed = 1});
    const Shape shape = measure(plummer, {}).shape;
    EXPECT_NEAR(shape.lagrangianRadii[0], 0.3087, 4 * 0.021 * 0.3087);
    EXPECT_NEAR(shape.lagrangianRadii[1], 0.7686, 4 * 0.015 * 0.7686);
    EXPECT_NEAR(shape.lagrangianRadii[2], 2.1837, 4 * 0.024 * 2.1837);
}

}  // namespace
}  // namespace gravlab
