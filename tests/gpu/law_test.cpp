// Every pair law in every precision on the GPU, against fp64: forces of every row that computes it, and steps of every
// symplectic integrator.
#include "sim/forces/law.h"
#include "gpu_fixture.h"
#include "sim/core/error.h"
#include "sim/forces/second_pair_law.h"
#include "sim/run/simulation.h"
#include "tests/second_pair.h"

#include <cmath>
#include <numeric>

namespace gravlab::test {
namespace {

/// Bodies far enough apart for the wall of Lennard-Jones; charges of both signs and unequal masses where the law has them.
ParticleSet lawBodies(const ForceSettings& force, std::size_t count, bool equalSources) {
    const auto side = static_cast<std::size_t>(std::ceil(std::cbrt(static_cast<double>(count))));
    ParticleSet bodies = unevenBodies(count);
    for (std::size_t i = 0; i < count; ++i) {
        Double4 &x = bodies.position[i], &v = bodies.velocity[i];
        const double places[3] = {static_cast<double>(i % side), static_cast<double>(i / side % side),
                                  static_cast<double>(i / side / side)};
        // A grid of 1.1 with some disorder, on floats: the reference judges the kernel and not the rounding of its input.
        x.x = static_cast<float>(1.1 * places[0] + 0.2 * x.x);
        x.y = static_cast<float>(1.1 * places[1] + 0.2 * x.y);
        x.z = static_cast<float>(1.1 * places[2] + 0.2 * x.z);
        x.w = equalSources ? 1 : 0.5 + 0.25 * static_cast<double>(i % 3);
        v.w = 1;
        if (force.law == Law::gravity) continue;
        // Two halves of opposite sign: in a salt the forces cancel, and single precision with them.
        if (force.law == kLaw<Coulomb> && !equalSources && 2 * i >= count) x.w = -x.w;
        v.w = 0.25 * static_cast<double>(1 + i % 4);
        if (force.law == kLaw<Coulomb> && x.w < 0) v.w = -v.w;  // response q / m, m > 0
    }
    return bodies;
}

std::vector<ForceSettings> settings() {
    std::vector<ForceSettings> result;
    for (const Precision precision : {Precision::fp32, Precision::mixed, Precision::fp64}) {
        result.push_back({.law = Law::gravity, .precision = precision, .softening = 0.1});
        result.push_back({.law = kLaw<Coulomb>, .precision = precision, .softening = 0.1});
        for (const double exponent : {2.0, 3.0, 1.0, 1.5})
            result.push_back({.law = kLaw<PowerLaw>, .precision = precision, .softening = 0.1, .exponent = exponent});
        result.push_back({.law = kLaw<LennardJones>, .precision = precision});
        result.push_back({.law = kLaw<Coulomb>, .precision = precision, .softening = 0.1, .strength = 3.7});
        for (const double exponent : {2.0, 3.0, 1.5})
            result.push_back(
                {.law = kLaw<PowerLaw>, .precision = precision, .softening = 0.1, .exponent = exponent, .strength = 0.3});
        result.push_back(
            {.law = kLaw<LennardJones>, .precision = precision, .strength = 2.3, .diameter = 1.05, .cutOff = 1.9});
    }
    return result;
}

std::string text(const ForceSettings& force) {
    return "law " + std::to_string(static_cast<int>(force.law)) + ", exponent " + std::to_string(force.exponent) +
           ", strength " + std::to_string(force.strength) + ", precision " +
           std::to_string(static_cast<int>(force.precision));
}

// Softening 0, and a body whose own term would be infinite times 0 at the floor of another law.
TEST_F(GpuTest, aHeavyBodyMeetsItselfUnderEveryLaw) {
    for (const Precision precision : {Precision::fp32, Precision::mixed})
        for (const double exponent : {1.5, 2.0, 3.0, 5.0}) {
            const ForceSettings force{.law = kLaw<PowerLaw>, .precision = precision, .exponent = exponent, .strength = 2};
            ParticleSet bodies = lawBodies(force, 500, false);
            bodies.position[7].w = 1e12;
            for (const KernelRow& row : kernels()) {
                if (row.backend != "cuda" || !refusal(row, force).empty() || row.equalMasses) continue;
                SCOPED_TRACE(text(force) + ", " + std::string(row.name));
                const std::unique_ptr<Backend> backend = gravlab::backend("cuda").make({});
                backend->configure(force, {});
                backend->load(bodies);
                backend->configure(force, {std::string(row.name), {}});
                std::vector<Double4> got;
                backend->accelerations(got);
                for (const Double4& a : got) ASSERT_TRUE(std::isfinite(a.x + a.y + a.z));
                std::vector<Double4> want(500);
                referenceForces(bodies.position, bodies.velocity, everyBody(500), force, want);
                const ForceCheck check = compareForces(got, want, gateOf(row, force));
                EXPECT_TRUE(check.passed) << check.text();
            }
        }
}

TEST_F(GpuTest, everyRowComputesTheLawsThatItOffers) {
    int computed = 0, refused = 0;
    for (const ForceSettings& force : settings())
        for (const KernelRow& row : kernels()) {
            if (row.backend != "cuda") continue;
            SCOPED_TRACE(text(force) + ", " + std::string(row.name));
            const std::unique_ptr<Backend> backend = gravlab::backend("cuda").make({});
            if (!refusal(row, force).empty()) {
                EXPECT_THROW(backend->configure(force, {std::string(row.name), {}}), UsageError);
                ++refused;
                continue;
            }
            for (const std::size_t count : {1, 2, 33, 1000}) {
                const ParticleSet bodies = lawBodies(force, count, row.equalMasses);
                backend->configure(force, {});
                backend->load(bodies);
                backend->configure(force, {std::string(row.name), {}});
                std::vector<Double4> got, want(count);
                backend->accelerations(got);
                referenceForces(bodies.position, bodies.velocity, everyBody(count), force, want);
                const ForceCheck check = compareForces(got, want, gateOf(row, force));
                EXPECT_TRUE(check.passed) << "N = " << count << ": " << check.text();
                ++computed;
                if (count < 1000) continue;
                // The backend's own check agrees, and a comparison with another law fails.
                backend->requestForceCheck(sampleTargets(bodies.position));
                run(*backend, integrator("leapfrog").program, 1e-4, 1);
                const std::optional<ForceCheck> own = backend->takeForceCheck();
                ASSERT_TRUE(own.has_value());
                EXPECT_TRUE(own->passed) << own->text();
                ForceSettings other = force;
                other.law = force.law == kLaw<LennardJones> ? kLaw<Coulomb> : kLaw<LennardJones>;
                referenceForces(bodies.position, bodies.velocity, everyBody(count), other, want);
                EXPECT_FALSE(compareForces(got, want, gateOf(other)).passed);
            }
        }
    EXPECT_GT(computed, 500);
    EXPECT_GT(refused, 50);
}

TEST_F(GpuTest, everySymplecticIntegratorRunsUnderEveryLaw) {
    for (const ForceSettings& force : settings()) {
        const ParticleSet start = lawBodies(force, 257, false);
        for (const Integrator& row : integrators()) {
            if (!row.symplectic || !refusal(gravlab::backend("cuda"), row, start.size()).empty()) continue;
            SCOPED_TRACE(text(force) + ", " + std::string(row.name));
            ParticleSet ends[2];
            int k = 0;
            for (const char* name : {"cuda", "reference"}) {
                const std::unique_ptr<Backend> backend = gravlab::backend(name).make({});
                ForceSettings settings = force;
                if (k == 1) settings.precision = Precision::fp64;
                backend->configure(settings, {});
                backend->load(start);
                run(*backend, row.program, 1e-3, 20);
                ends[k++] = state(*backend);
            }
            double worst = 0, moved = 0;
            for (std::size_t i = 0; i < start.size(); ++i) {
                const double error = distance(ends[0].position[i], ends[1].position[i]);
                if (!(error <= worst)) worst = error;  // a NaN counts
                moved = std::max(moved, distance(ends[1].position[i], start.position[i]));
            }
            EXPECT_LE(worst, force.precision == Precision::fp32 ? 2e-5 : force.precision == Precision::mixed ? 2e-6 : 1e-11);
            EXPECT_GT(moved, 1e-3);
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
    ParticleSet bodies;
    simulation.snapshot(bodies);
    const std::vector<std::uint32_t> targets = randomTargets(bodies.size(), 200);
    std::vector<Double4> all, got, want(targets.size());
    std::vector<double> floors(targets.size());
    for (const auto& term : simulation.terms()) term->addAccelerations(termBodies(bodies), targets, want, floors);
    simulation.backend().accelerations(all);
    for (const std::uint32_t target : targets) got.push_back(all.at(target));
    const ForceCheck check = compareForces(got, want, gateOf({.law = kLaw<LennardJones>}), floors);
    EXPECT_TRUE(check.passed) << check.text();
}

/// The law changes in the middle of a run: nothing of the old one remains.
TEST_F(GpuTest, aNewLawBeginsWithAStep) {
    ForceSettings gravity{.softening = 0.1}, charges{.law = kLaw<Coulomb>, .softening = 0.1},
        wall{.law = kLaw<LennardJones>};
    const ParticleSet start = lawBodies(charges, 500, false);
    const std::unique_ptr<Backend> switched = gravlab::backend("cuda").make({}), fresh = gravlab::backend("cuda").make({});
    switched->configure(gravity, {});
    switched->load(start);
    run(*switched, integrator("leapfrog").program, 1e-3, 3);
    for (const ForceSettings& next : {charges, wall, gravity}) {
        const ParticleSet middle = state(*switched);
        switched->configure(next, {});
        fresh->configure(next, {});
        fresh->load(middle);
        run(*switched, integrator("leapfrog").program, 1e-3, 3);
        run(*fresh, integrator("leapfrog").program, 1e-3, 3);
        EXPECT_TRUE(sameState(state(*switched), state(*fresh)));
    }
}

}  // namespace
}  // namespace gravlab::test
