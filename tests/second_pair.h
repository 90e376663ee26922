// The forces of two pair laws at once, against their plain statements. Include it once in a test binary:
// INSTANTIATE_TEST_SUITE_P(Cpu, SecondPairSuite, testing::Values(kSecondPairs), nameOfBackend<SecondPairsOf>);
#pragma once
#include "sim/backends/backend.h"
#include "sim/forces/force_check.h"
#include "sim/forces/second_pair_law.h"
#include "sim/run/simulation.h"
#include "tests/bodies.h"
#include "tests/on_backend.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

namespace gravlab {

/// Expects the backend's forces to be those of all terms, and the second law to be felt.
inline void expectBothLaws(Simulation& simulation, Precision precision, const std::string& row) {
    ParticleSet bodies = simulation.bodies();
    std::vector<std::uint32_t> all(bodies.size());
    std::iota(all.begin(), all.end(), 0u);
    std::vector<Double4> got, want(all.size()), charges(all.size());
    std::vector<double> floors(all.size());
    for (const auto& term : simulation.terms()) term->addAccelerations(termBodies(bodies), all, want, floors);
    simulation.terms()[0]->addAccelerations(termBodies(bodies), all, charges, {});
    simulation.backend().accelerations(got);
    const ForceGate gate = gateOf({.law = kLaw<LennardJones>, .precision = precision});
    const ForceCheck check = compareForces(got, want, gate, floors);
    EXPECT_TRUE(check.passed) << row << ": " << check.text();
    EXPECT_FALSE(compareForces(charges, want, gate, floors).passed) << "the second law must be felt";
}

/// What the suite must know of a backend: rows of the second law, a row of the first, and a number of ions.
struct SecondPairsOf {
    const char* backend;
    std::vector<const char*> rows;
    const char* first;
    std::size_t bodies;
};
inline void PrintTo(const SecondPairsOf& laws, std::ostream* out) { *out << laws.backend; }

class SecondPairSuite : public testing_support::OnBackend<SecondPairsOf> {};

/// Charges, and van der Waals forces beside them.
TEST_P(SecondPairSuite, isTheSameOnEveryRow) {
    for (const Precision precision : {Precision::fp32, Precision::mixed, Precision::fp64})
        for (const char* row : GetParam().rows) {
            RunRequest wanted{.scene = "ions", .bodies = GetParam().bodies, .backend = GetParam().backend};
            wanted.precision = precision;
            wanted.terms[std::string(SecondPairLaw::kKind)].kernel.kernel = row;
            Simulation simulation(wanted);
            ASSERT_EQ(simulation.terms().size(), 2u);
            expectBothLaws(simulation, precision, row);
            const double before = simulation.measure().energy();
            simulation.advance({.seconds = 1e300, .steps = 200}, nullptr);
            EXPECT_NEAR(simulation.measure().energy(), before, 2e-3 * std::abs(before)) << row;
        }
}

/// Sources of both signs alternate on a lattice, so that the pulls on a body nearly cancel and their rounding remains. The
/// check of a backend measures it by the same floor under the second law as under the first.
TEST_P(SecondPairSuite, isCheckedByTheFloorOfTheFirst) {
    constexpr int kSide = 12;
    const ForceSettings force{.precision = Precision::fp32, .softening = 0.05};
    std::vector<Double4> places;
    for (int i = 0; i < kSide * kSide * kSide; ++i) {
        const int x = i % kSide, y = i / kSide % kSide, z = i / (kSide * kSide);
        const auto shifted = [i](int at, int axis) { return static_cast<float>(at + 0.003 * std::sin(37.0 * i + axis)); };
        places.push_back({shifted(x, 0), shifted(y, 1), shifted(z, 2), (x + y + z) % 2 ? 1.0 : -1.0});
    }
    const ParticleSet lattice = testing_support::bodiesOf(places, std::vector<Double4>(places.size(), {0, 0, 0, 1}));
    const std::unique_ptr<Backend> made = backend(GetParam().backend).make({});
    made->load(lattice, termsOf(force, {std::make_shared<const SecondPairLaw>(force, PairSources::own)}),
               {{}, {{GetParam().first}}});
    std::vector<std::uint32_t> all(lattice.size());
    std::iota(all.begin(), all.end(), 0u);
    made->requestForceCheck(all);
    std::optional<ForceCheck> check;
    for (int step = 0; step < 50 && !check; ++step) {
        made->advance(usualIntegrator().program, 1e-6, {}, nullptr);
        made->wait();
        check = made->takeForceCheck();
    }
    ASSERT_TRUE(check);
    EXPECT_TRUE(check->passed) << check->text();
}

}  // namespace gravlab
