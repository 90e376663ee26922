// The pair laws in runs: every kernel against the plain sum, conserved energies, and exact known results.
#include "sim/measure/diagnostics.h"
#include "sim/run/simulation.h"
#include "tests/law_suite.h"

#include <numbers>

namespace gravlab {
namespace {

const std::vector<ForceSettings> kCases{
    {.law = kLaw<Coulomb>, .softening = 0.02},
    {.law = kLaw<PowerLaw>, .softening = 0.05, .exponent = 3},
    {.law = kLaw<PowerLaw>, .softening = 0.05, .exponent = -1},
    {.law = kLaw<PowerLaw>, .softening = 0.05, .exponent = 1.7},
    {.law = kLaw<LennardJones>},
    {.law = kLaw<Coulomb>, .softening = 0.02, .strength = 3.7},
    {.law = kLaw<PowerLaw>, .softening = 0.05, .exponent = 2, .strength = 0.3},
    {.law = kLaw<PowerLaw>, .softening = 0.05, .exponent = 3, .strength = 2.9},
    {.law = kLaw<PowerLaw>, .softening = 0.05, .exponent = 0.6, .strength = 1.6},
    {.law = kLaw<LennardJones>, .strength = 2.3, .diameter = 1.15, .cutOff = 1.9},
    {.law = kLaw<LennardJones>, .strength = 0.4, .diameter = 0.8, .cutOff = 3.2},
};

/// Sources of both signs for charges, and responses that differ; a loose lattice for atoms.
ParticleSet bodiesFor(const ForceSettings& force, std::size_t count, bool = false) {
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

const std::vector<std::size_t> kCounts{1, 2, 3, 33, 257, 1000};
const LawsOf kReferenceLaws{
    .backend = "reference", .counts = kCounts, .laws = kCases, .bodies = bodiesFor, .leastComputed = 60};
const LawsOf kCpuLaws{
    .backend = "cpu", .counts = kCounts, .laws = kCases, .bodies = bodiesFor, .leastComputed = 1000, .leastRefused = 50};
INSTANTIATE_TEST_SUITE_P(Host, LawSuite, testing::Values(kReferenceLaws, kCpuLaws), nameOfBackend<LawsOf>);

/// A row under `force` against the plain sum of another force.
ForceCheck checkOf(const ForceSettings& force, const ParticleSet& bodies, const ForceSettings& truth) {
    const std::unique_ptr<Backend> tested = backend("cpu").make({});
    tested->configure(force, {"simd-threads", {}});
    tested->load(bodies);
    std::vector<Double4> got, want(bodies.size());
    tested->accelerations(got);
    std::vector<std::uint32_t> all(bodies.size());
    std::iota(all.begin(), all.end(), 0u);
    referenceForces(bodies.position, bodies.velocity, all, truth, want);
    return compareForces(got, want, gateOf(kernel("cpu", "simd-threads"), force));
}

TEST(Laws, theComparisonNoticesAnotherExponent) {
    ForceSettings wrong = kCases[3];
    wrong.exponent = 1.7001;
    EXPECT_FALSE(checkOf(wrong, bodiesFor(wrong, 257), kCases[3]).passed);
    ForceSettings attractive = kCases[0];
    attractive.law = Law::gravity;
    EXPECT_FALSE(checkOf(attractive, bodiesFor(kCases[0], 257), kCases[0]).passed);
}

TEST(Laws, theComparisonNoticesEveryNumberOfALaw) {
    for (const ForceSettings& force : kCases)
        for (const LawNumber& number : lawNumbers()) {
            if (!number.acts(force.law) || force.*number.force == ForceSettings().*number.force) continue;
            SCOPED_TRACE(textOf(force) + " " + number.key);
            ForceSettings wrong = force;
            wrong.*number.force *= 1.001;
            EXPECT_FALSE(checkOf(wrong, bodiesFor(force, 257), force).passed);
        }
}

TEST(Laws, brokenExponentsHaveAMedianErrorBelowOneInAHundredThousand) {
    for (const double exponent : {0.5, 1.3, 2.5, 3.7}) {
        const ForceSettings force{.law = kLaw<PowerLaw>, .softening = 0.05, .exponent = exponent};
        EXPECT_LT(checkOf(force, bodiesFor(force, 2000), force).median, 1e-5) << exponent;
    }
}

double energyChange(const char* scene, std::size_t bodies, Precision precision, double time, double dtFactor,
                    std::optional<Law> judgedAs = {}, const LawRequest& numbers = {}, double judgedStrength = 0) {
    RunRequest settings{.scene = scene, .bodies = bodies, .backend = "cpu", .precision = precision};
    settings.lawNumbers = numbers;
    settings.timeStep = sceneNamed(scene).timeStep * dtFactor;
    Simulation simulation(settings);
    ForceSettings force = simulation.force();
    if (judgedAs) force.law = *judgedAs;
    if (judgedStrength > 0) force.strength = judgedStrength;
    const auto energy = [&] {
        ParticleSet now = simulation.bodies();
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
        LawRequest numbers;
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
            wanted.lawNumbers.*number.wanted = bad;
            try {
                simulation.apply(wanted);
                ADD_FAILURE() << number.key << " = " << bad << " was accepted";
            } catch (const UsageError& error) {
                EXPECT_NE(std::string(error.what()).find(rangeText(number)), std::string::npos) << error.what();
            }
        }
    EXPECT_EQ(simulation.force(), (ForceSettings{.law = kLaw<LennardJones>, .precision = Precision::fp64}));
}

TEST(Laws, numbersOfOneSceneDoNotFollowToTheNext) {
    Simulation simulation({.scene = "charges", .bodies = 10, .backend = "cpu", .lawNumbers = {.strength = 4}});
    EXPECT_EQ(simulation.force().strength, 4);
    RunRequest wanted = simulation.request();
    wanted.lawNumbers.strength = 5;
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
    wanted.lawNumbers.exponent = 99;
    EXPECT_THROW(simulation.apply(wanted), UsageError);
    EXPECT_EQ(simulation.force().law, kLaw<Coulomb>) << "the old run goes on";
}

TEST(Precisions, smallSystemsRunInDoubleUnlessAskedOtherwise) {
    Simulation simulation({.scene = "plummer", .bodies = 256, .backend = "cpu"});
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
        ParticleSet after = tested->bodies();
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
