// Two pair laws in one run, as the scene of ions has them: charges, and van der Waals forces between atoms that count alike.
#include "sim/forces/second_pair_law.h"

#include "app/bench/term_bench.h"
#include "sim/api/errors.h"
#include "sim/backends/backend.h"
#include "sim/forces/force_check.h"
#include "sim/forces/law.h"
#include "sim/io/checkpoint.h"
#include "sim/measure/diagnostics.h"
#include "sim/run/simulation.h"
#include "sim/scenes/scene.h"
#include "tests/bodies.h"
#include "tests/second_pair.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace gravlab {
namespace {

using namespace testing_support;

RunRequest ions(const char* backendName, Precision precision, const char* row = nullptr, std::size_t bodies = 300) {
    RunRequest wanted{.scene = "ions", .bodies = bodies, .backend = backendName, .precision = precision};
    if (row) wanted.terms[std::string(SecondPairLaw::kKind)].kernel.kernel = row;
    return wanted;
}

/// An ion of charge +1 and mass 2, one of charge -1, and a neutral body.
TEST(SecondPairLaw, countsBodiesAlikeWhateverTheirSign) {
    const ForceSettings law{.law = kLaw<LennardJones>, .strength = 1.5};
    const SecondPairLaw term(law, PairSources::alike);
    ParticleSet bodies = bodiesOf({{0, 0, 0, 1}, {1.2, 0, 0, -1}, {0, 1.1, 0, 0}}, std::vector<Double4>(3));
    bodies.velocity[0].w = 0.5;
    bodies.velocity[1].w = -1;
    const std::uint32_t all[] = {0, 1, 2};
    std::vector<Double4> a(3);
    std::vector<double> floors(3);
    term.addAccelerations(termBodies(bodies), all, a, floors);
    const double pull = withLaw<double>(law, [](const auto& one) { return one.forceOverDistance(1.2 * 1.2) * 1.2; });
    ASSERT_GT(pull, 0) << "beyond its minimum the law attracts";
    EXPECT_NEAR(a[0].x, pull / 2, 1e-14) << "the mass of the first is 2";
    EXPECT_NEAR(a[1].x, -pull, 1e-14);
    EXPECT_EQ(a[2].y, 0) << "a body without a source is no atom";
    EXPECT_NEAR(term.potential(termBodies(bodies)), lawRow(law.law).potential(law, 1.2 * 1.2), 1e-14);
    const SecondPairLaw own(law, PairSources::own);
    std::vector<Double4> b(3);
    own.addAccelerations(termBodies(bodies), all, b, {});
    EXPECT_NEAR(b[0].x, -pull / 2, 1e-14) << "with their own sources unlike ions change the sign";
}

const SecondPairsOf kCpuSecondPairs{
    .backend = "cpu", .rows = {"simd-threads", "symmetric-threads", "cells"}, .first = "symmetric-threads", .bodies = 300};
INSTANTIATE_TEST_SUITE_P(Cpu, SecondPairSuite, testing::Values(kCpuSecondPairs), nameOfBackend<SecondPairsOf>);

TEST(SecondPairLaw, keepsItsNumbersInAFileAndRefusesOthers) {
    Simulation simulation(ions("cpu", Precision::fp64, "cells"));
    simulation.advance({.seconds = 1e300, .steps = 3}, nullptr);
    const std::string file = encodeSnapshot(checkpointOf(simulation), "hdf5");
    Simulation again(startFrom(decodeSnapshot(file, "kept.hdf5"), "kept.hdf5").request);
    EXPECT_TRUE(sameTerms(again.terms(), simulation.terms()));
    for (Simulation* run : {&simulation, &again}) run->advance({.seconds = 1e300, .steps = 3}, nullptr);
    ParticleSet one, other;
    simulation.snapshot(one);
    again.snapshot(other);
    EXPECT_TRUE(sameBytes(one.position, other.position));

    const auto kind = std::ranges::find(termKinds(), SecondPairLaw::kKind, &TermKind::name);
    ASSERT_NE(kind, termKinds().end());
    std::vector<StateArray> numbers = simulation.terms()[1]->numbers();
    EXPECT_NO_THROW(kind->make(numbers));
    for (const auto& [index, value] : {std::pair(0, 99.0), {0, -1.0}, {1, 2.0}, {2, -1.0}, {3, double(NAN)}}) {
        std::vector<StateArray> wrong = numbers;
        wrong[0].values[static_cast<std::size_t>(index)] = value;
        EXPECT_THROW(kind->make(wrong), InputError) << index;
    }
    numbers[0].values.pop_back();
    EXPECT_THROW(kind->make(numbers), InputError);
}

/// `cells` leaves out pairs: whole steps compare it with other rows.
TEST(SecondPairLaw, isTunedByWholeStepsWhereRatesCountOtherPairs) {
    const auto rows = listedKernels("cuda", SecondPairLaw::kKind);
    ASSERT_EQ(rows.size(), 2u);
    std::vector<SweepResult> results;
    double rate = 1e12, milliseconds = 3;
    for (const KernelRow* row : rows) {
        SweepResult& result = results.emplace_back();
        result.point.backend = "cuda";
        result.point.term = SecondPairLaw::kKind;
        result.point.kernel.kernel = std::string(row->name);
        result.row.verified = true;
        result.row.interactionsPerSecond = rate /= 2;
        result.row.msPerStep = milliseconds -= 0.5;
    }
    const auto tuned = [&] { return std::string(tunedTerm(results, Precision::fp32)->kernel.kernel); };
    EXPECT_EQ(tuned(), "cells");
    results[1].row.verified = false;
    EXPECT_EQ(tuned(), "tiled");
}

TEST(SecondPairLaw, cellsRefuseALawWithoutAnEnd) {
    Simulation simulation(ions("cpu", Precision::fp32, nullptr, 20));
    ParticleSet bodies = simulation.bodies();
    const ForceTerms terms =
        termsOf(simulation.force(), {std::make_shared<const SecondPairLaw>(ForceSettings{}, PairSources::alike)});
    const std::unique_ptr<Backend> made = backend("cpu").make({});
    EXPECT_THROW(made->load(bodies, terms, {{}, {.kernel = {"cells"}}}), UsageError);
    EXPECT_NO_THROW(made->load(bodies, terms, {{}, {.kernel = {"simd-threads"}}}));
}

TEST(SecondPairLaw, moleculesHaveItBesideChargesAndBonds) {
    const auto energyChange = [](double charge, double& shrunk) {
        RunRequest wanted = ions("cpu", Precision::fp64, "symmetric-threads", 160);
        wanted.scene = "molecule";
        wanted.parameters = {{"charge", charge}};
        Simulation simulation(wanted);
        expectBothLaws(simulation, Precision::fp64, "molecule");
        EXPECT_EQ(simulation.configuration().force.law, kLaw<Coulomb>);
        EXPECT_EQ(simulation.terms().size(), 3u);
        EXPECT_EQ(simulation.terms()[2]->kind(), "bonds");
        ParticleSet bodies = simulation.bodies();
        double sum = 0;
        for (std::size_t i = 0; i < bodies.size(); ++i) {
            sum += bodies.position[i].w;
            EXPECT_EQ(bodies.position[i].w, bodies.velocity[i].w) << "the inertia of every bead is 1";
        }
        EXPECT_NEAR(sum, 0, 1e-12) << "every chain is neutral";
        const Diagnostics before = measureSystem(bodies, simulation.terms());
        while (simulation.step() < 1000) simulation.advance({.steps = 1000 - simulation.step()}, nullptr);
        simulation.snapshot(bodies);
        const Diagnostics after = measureSystem(bodies, simulation.terms());
        shrunk = after.shape.lagrangianRadii[1] / before.shape.lagrangianRadii[1];
        return std::abs(after.energy() / before.energy() - 1);
    };
    double weak = 1, strong = 1;
    EXPECT_LT(energyChange(0.05, weak), 2e-3);
    EXPECT_LT(energyChange(1.5, strong), 2e-3);
    EXPECT_LT(strong, weak) << "opposite blocks attract each other";
}

/// Share of these ions whose four nearest neighbours all have the other sign and are near: high in a crystal, low in a melt.
double orderOf(const ParticleSet& bodies, std::size_t first, std::size_t last) {
    double ordered = 0;
    for (std::size_t i = first; i < last; ++i) {
        std::vector<std::pair<double, double>> others;
        for (std::size_t j = 0; j < bodies.size(); ++j)
            if (j != i) others.emplace_back(distance(bodies.position[i], bodies.position[j]), bodies.position[j].w);
        std::ranges::partial_sort(others, others.begin() + 4);
        ordered += std::all_of(others.begin(), others.begin() + 4, [&](const auto& other) {
            return other.first < 1.5 && other.second * bodies.position[i].w < 0;
        });
    }
    return ordered / static_cast<double>(last - first);
}

/// The scene keeps its energy, and its small crystal melts in flight; a cold one stays.
TEST(SecondPairLaw, ionsMeltWhereTheyAreHot) {
    double order[2];
    for (const bool hot : {true, false}) {
        RunRequest wanted = ions("cpu", Precision::fp64, "symmetric-threads", 200);
        wanted.parameters["temperature"] = hot ? 4 : 0.1;
        Simulation simulation(wanted);
        const double before = simulation.measure().energy();
        simulation.advance({.seconds = 1e300, .steps = 1500}, nullptr);
        EXPECT_NEAR(simulation.measure().energy(), before, 2e-3 * std::abs(before));
        ParticleSet bodies = simulation.bodies();
        order[hot] = orderOf(bodies, 160, 200);
    }
    EXPECT_LT(order[1], 0.6 * order[0]) << "hot " << order[1] << ", cold " << order[0];
}

}  // namespace
}  // namespace gravlab
