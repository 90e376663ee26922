// Integrators on Kepler orbits, compared with errors computed in 80-bit arithmetic. A wrong weight, a missing half kick or a
// force off by a permille changes the second digit; the test compares six.
#include "tests/physics/orbit.h"

#include <gtest/gtest.h>

#include <vector>

namespace gravlab {
namespace {

using namespace testing_support;

struct KnownOrbit {
    double eccentricity;
    const char* integrator;
    int steps;  ///< a period
    double energy, position;
};

constexpr KnownOrbit kKnownOrbits[] = {
    {0, "leapfrog", 200, 2.43162770e-7, 2.06630857e-3},   {0, "leapfrog", 800, 9.51172646e-10, 1.29189782e-4},
    {0, "yoshida4", 200, 1.00695429e-12, 5.66884411e-6},  {0, "yoshida4", 800, 1e-16, 2.21390136e-8},
    {0.3, "leapfrog", 200, 5.35075736e-4, 2.59229416e-3}, {0.3, "leapfrog", 800, 3.35294381e-5, 1.62229590e-4},
    {0.3, "yoshida4", 200, 1.82729848e-6, 2.82863169e-5}, {0.3, "yoshida4", 800, 7.14812648e-9, 1.10695405e-7},
    {0.5, "leapfrog", 200, 2.61888144e-3, 5.61053868e-3}, {0.5, "leapfrog", 800, 1.64442347e-4, 3.51626760e-4},
    {0.5, "yoshida4", 200, 2.01715287e-5, 1.92948012e-4}, {0.5, "yoshida4", 800, 7.94745986e-8, 7.60228350e-7},
    {0.7, "leapfrog", 200, 2.39614318e-2, 2.17571290e-2}, {0.7, "leapfrog", 800, 1.52169619e-3, 1.37335803e-3},
};

// In double precision a value agrees to a millionth; rounding adds a few units of the last place per period.
constexpr double kShare = 1e-6, kRounding = 1e-14;

bool matches(double got, double want) { return std::abs(got - want) <= kShare * want + kRounding; }

std::unique_ptr<Backend> reference() { return backend("reference").make({}); }

TEST(Kepler, errorsAreTheKnownOnes) {
    const std::unique_ptr<Backend> backend = reference();
    for (const KnownOrbit& known : kKnownOrbits) {
        const OrbitError error =
            followKepler(*backend, known.eccentricity, integrator(known.integrator).program, known.steps);
        const std::string where = std::string(known.integrator) + ", e = " + std::to_string(known.eccentricity) + ", " +
                                  std::to_string(known.steps);
        EXPECT_TRUE(matches(error.energy, known.energy)) << where << ": energy " << error.energy << " for " << known.energy;
        EXPECT_TRUE(matches(error.position, known.position))
            << where << ": position " << error.position << " for " << known.position;
        EXPECT_EQ(error.momentum, 0) << "two equal bodies are mirror images to the last bit";
    }
}

TEST(Kepler, everyIntegratorHasTheOrderThatItStates) {
    // Not on a circle, where energy shows twice the order. Of two orders the lower counts: the Euler step returns to its
    // start like leapfrog (it is leapfrog, seen at other times), and Runge-Kutta loses energy at one order more.
    const std::unique_ptr<Backend> backend = reference();
    for (const Integrator& row : integrators()) {
        if (isAdaptive(row.program)) continue;  // exact to rounding for any dt: its order cannot be measured
        // Order 1 needs a small error compared with the orbit, order 6 an error above rounding.
        const int steps = row.order == 1 ? 6400 : 400;
        const OrbitError coarse = followKepler(*backend, 0.3, row.program, steps);
        const OrbitError fine = followKepler(*backend, 0.3, row.program, 2 * steps);
        const double positionOrder = std::log2(coarse.position / fine.position);
        const double energyOrder = std::log2(coarse.energy / fine.energy);
        EXPECT_NEAR(std::min(positionOrder, energyOrder), row.order, 0.15) << row.name;
    }
}

TEST(Kepler, mistakesInAProgramAreNoticed) {
    const auto scaled = [](StepProgram program, std::size_t at, double factor) {
        std::vector<StepOp> changed(program.begin(), program.end());
        changed[at].weight *= factor;
        return changed;
    };
    const StepProgram leapfrog = integrator("leapfrog").program, yoshida = integrator("yoshida4").program;
    struct Mutation {
        const char* name;
        std::vector<StepOp> program;
        const KnownOrbit& known;
    };
    const Mutation mutations[] = {
        {"half kick missing at the end", {leapfrog.begin(), leapfrog.end() - 1}, kKnownOrbits[8]},
        {"half drift", scaled(leapfrog, 1, 0.5), kKnownOrbits[8]},
        {"first kick a millionth too strong", scaled(leapfrog, 0, 1 + 1e-5), kKnownOrbits[8]},
        {"sign of the inner weight", scaled(yoshida, 4, -1), kKnownOrbits[10]},
        {"inner weight in seven digits", scaled(yoshida, 4, 1 + 1e-7), kKnownOrbits[10]},
        {"kick before force", {{Op::kick, 1}, {Op::drift, 1}, {Op::force}}, kKnownOrbits[8]},
    };
    const std::unique_ptr<Backend> backend = reference();
    for (const Mutation& mutation : mutations) {
        const OrbitError error = followKepler(*backend, mutation.known.eccentricity, mutation.program, mutation.known.steps);
        EXPECT_FALSE(matches(error.energy, mutation.known.energy) && matches(error.position, mutation.known.position))
            << mutation.name;
    }
}

TEST(Kepler, circularPhaseErrorHasItsClosedForm) {
    const std::unique_ptr<Backend> backend = reference();
    const double want = std::pow(2 * std::numbers::pi, 3) / 3 / (3200.0 * 3200.0);
    EXPECT_NEAR(followKepler(*backend, 0, integrator("leapfrog").program, 3200).position / want, 1, 1e-5);
}

TEST(Kepler, reversibleIntegratorsReturnAndTheOthersDoNot) {
    for (const Integrator& row : integrators()) {
        if (isAdaptive(row.program)) continue;  // returns because its error is tiny, not because it is reversible
        if (inBlocks(row.program)) continue;    // two bodies with equal accelerations are on one level
        const std::unique_ptr<Backend> backend = reference();
        const ParticleSet start = keplerStart(0.5);
        backend->configure({}, {});
        backend->load(start);
        backend->advance(row.program, 2 * std::numbers::pi / 200, {.steps = 200}, nullptr);
        backend->advance(row.program, -2 * std::numbers::pi / 200, {.steps = 200}, nullptr);
        ParticleSet end = backend->bodies();
        const double error = distance(end.position[0], start.position[0]);
        if (row.reversible) {
            EXPECT_LE(error, 1e-13) << row.name;
        } else {
            EXPECT_GE(error, 1e-8) << row.name;
        }
    }
}

TEST(Kepler, floatBackendsStayWithinTheirNoise) {
    for (const BackendRow& row : backends()) {
        if (row.name == "reference" || row.name == "cuda" || !row.unavailable({}).empty()) continue;
        const std::unique_ptr<Backend> backend = row.make({});
        // Truncation dominates here, so even floats must show it, to a percent.
        const OrbitError error = followKepler(*backend, 0.5, integrator("leapfrog").program, 200);
        EXPECT_NEAR(error.energy, 2.61888144e-3, 0.01 * 2.6e-3) << row.name;
        EXPECT_NEAR(error.position, 5.61053868e-3, 0.01 * 5.6e-3) << row.name;
        const OrbitError fine = followKepler(*backend, 0.5, integrator("yoshida4").program, 400);
        EXPECT_LE(fine.energy, 3e-5) << row.name;
        EXPECT_EQ(fine.momentum, 0) << row.name;
    }
}

}  // namespace
}  // namespace gravlab
