// Every pair law in every precision on the GPU, against fp64: forces of every row that computes it, and steps of every
// symplectic integrator.
#include "gpu_fixture.h"
#include "sim/forces/second_pair_law.h"
#include "sim/run/simulation.h"
#include "tests/law_suite.h"
#include "tests/second_pair.h"

namespace gravlab::test {
namespace {

std::vector<ForceSettings> settings() {
    std::vector<ForceSettings> result{{.law = Law::gravity, .softening = 0.1}, {.law = kLaw<Coulomb>, .softening = 0.1}};
    for (const double exponent : {2.0, 3.0, 1.0, 1.5})
        result.push_back({.law = kLaw<PowerLaw>, .softening = 0.1, .exponent = exponent});
    result.push_back({.law = kLaw<LennardJones>});
    result.push_back({.law = kLaw<Coulomb>, .softening = 0.1, .strength = 3.7});
    for (const double exponent : {2.0, 3.0, 1.5})
        result.push_back({.law = kLaw<PowerLaw>, .softening = 0.1, .exponent = exponent, .strength = 0.3});
    result.push_back({.law = kLaw<LennardJones>, .strength = 2.3, .diameter = 1.05, .cutOff = 1.9});
    return result;
}

const LawsOf kCudaLaws{
    .backend = "cuda", .counts = {1, 2, 33, 1000}, .laws = settings(), .leastComputed = 500, .leastRefused = 50};
INSTANTIATE_TEST_SUITE_P(Gpu, LawSuite, testing::Values(kCudaLaws), nameOfBackend<LawsOf>);

TEST_F(GpuTest, everySymplecticIntegratorRunsUnderEveryLaw) {
    const auto endOf = [](const char* name, const ForceSettings& force, const Integrator& row, const ParticleSet& start) {
        const std::unique_ptr<Backend> backend = gravlab::backend(name).make({});
        backend->configure(force, {});
        backend->load(start);
        run(*backend, row.program, 1e-3, 20);
        return state(*backend).position;
    };
    for (ForceSettings force : settings()) {
        const ParticleSet start = lawBodies(force, 257, false);
        for (const Integrator& row : integrators()) {
            if (!row.symplectic || !refusal(gravlab::backend("cuda"), row, start.size()).empty()) continue;
            force.precision = Precision::fp64;
            const std::vector<Double4> plain = endOf("reference", force, row, start);
            for (const auto& [precision, allowed] :
                 {std::pair(Precision::fp32, 2e-5), {Precision::mixed, 2e-6}, {Precision::fp64, 1e-11}}) {
                force.precision = precision;
                SCOPED_TRACE(textOf(force) + ", " + std::string(row.name));
                const std::vector<Double4> end = endOf("cuda", force, row, start);
                double worst = 0, moved = 0;
                for (std::size_t i = 0; i < start.size(); ++i) {
                    const double error = distance(end[i], plain[i]);
                    if (!(error <= worst)) worst = error;  // a NaN counts
                    moved = std::max(moved, distance(plain[i], start.position[i]));
                }
                EXPECT_LE(worst, allowed);
                EXPECT_GT(moved, 1e-3);
            }
        }
    }
}

const SecondPairsOf kCudaSecondPairs{.backend = "cuda", .rows = {"tiled", "cells"}, .first = "tiled", .bodies = 2000};
INSTANTIATE_TEST_SUITE_P(Gpu, SecondPairSuite, testing::Values(kCudaSecondPairs), nameOfBackend<SecondPairsOf>);

/// So many that the forces of both laws come in slices. In a crystal pulls nearly cancel, so errors have the floor of their
/// sizes.
TEST_F(GpuTest, aSecondPairLawActsInSlices) {
    RunRequest wanted{.scene = "ions", .bodies = 100000, .backend = "cuda"};
    wanted.precision = Precision::fp32;
    wanted.terms[std::string(SecondPairLaw::kKind)].kernel.kernel = "tiled";
    Simulation simulation(wanted);
    ParticleSet bodies = simulation.bodies();
    const std::vector<std::uint32_t> targets = randomTargets(bodies.size(), 200);
    std::vector<Double4> all, got, want(targets.size());
    std::vector<double> floors(targets.size());
    for (const auto& term : simulation.terms()) term->addAccelerations(termBodies(bodies), targets, want, floors);
    simulation.backend().accelerations(all);
    for (const std::uint32_t target : targets) got.push_back(all.at(target));
    const ForceCheck check = compareForces(got, want, gateOf({.law = kLaw<LennardJones>}), floors);
    EXPECT_TRUE(check.passed) << check.text();
}

}  // namespace
}  // namespace gravlab::test
