// Bodies with bonds of every law, and a run whose bonds break, on any backend. Include it once in a test binary:
// INSTANTIATE_TEST_SUITE_P(Cpu, BondSuite, testing::Values(kBonds), nameOfBackend<BondsOf>);
#pragma once
#include "sim/backends/backend.h"
#include "sim/forces/bonds/bonds.h"
#include "sim/forces/force_check.h"
#include "sim/io/checkpoint.h"
#include "sim/run/simulation.h"
#include "tests/advance.h"
#include "tests/bodies.h"
#include "tests/on_backend.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

namespace gravlab::testing_support {

inline std::shared_ptr<const Bonds> bondsBetween(const std::vector<Bond>& bonds) {
    const auto list = std::make_shared<BondList>();
    for (const Bond& bond : bonds) list->add(bond);
    return std::make_shared<const Bonds>(list);
}

/// All laws, damping, several classes and a hub, between bodies whose ids are not their indices.
struct Tangle {
    ParticleSet bodies;
    std::shared_ptr<const Bonds> bonds;

    explicit Tangle(std::size_t count, bool damped = true) : bodies(unevenBodies(count)) {
        for (std::uint32_t& id : bodies.id) id = 3 * id + 5;
        for (std::size_t i = 0; i < count; ++i) bodies.velocity[i].w = i % 11 == 0 ? 0 : 1;  // some are held
        std::vector<Bond> all;
        for (std::size_t i = 0; i + 1 < count; ++i) {
            const double mass = 1.0 / static_cast<double>(count);
            all.push_back({bodies.id[i], bodies.id[i + 1], {1.0, mass, damped ? 0.2 * mass : 0, 2.5, BondLaw::morse}});
            if (i + 5 < count) all.push_back({bodies.id[i + 5], bodies.id[i], {0.5, 2 * mass, 0, 0, BondLaw::hooke}});
            if (i > 1 && i < 41 && i != 5) all.push_back({bodies.id[0], bodies.id[i], {1.5, mass, 0, 4, BondLaw::fene}});
        }
        bonds = bondsBetween(all);
    }
};

inline std::vector<std::uint32_t> allOf(const ParticleSet& bodies) {
    std::vector<std::uint32_t> all(bodies.size());
    std::iota(all.begin(), all.end(), 0u);
    return all;
}

/// A chain that the tide of a star breaks.
inline RunRequest tidal(const char* backendName, Precision precision = Precision::fp64) {
    RunRequest wanted{.scene = "tidal-chain", .bodies = 60, .backend = backendName, .precision = precision};
    wanted.parameters["breaking"] = 0.02;
    return wanted;
}
inline const Bonds& bondsIn(Simulation& simulation) { return static_cast<const Bonds&>(*simulation.terms().back()); }
inline ParticleSet stateIn(Simulation& simulation) { return simulation.bodies(); }

/// Runs tidal() settings until bonds break: whole, and in the smallest slices under `cutOtherwise`. Slices, files, edits and
/// the way back change no bit. `near` is the error of the measured potential, as a fraction of it.
inline void expectBondsBreakAtTheEndOfAStep(Simulation& whole, const RunRequest& cutOtherwise, double near) {
    Simulation cut(cutOtherwise);
    run(whole, 700);
    while (cut.step() < 700) cut.advance({.seconds = 0, .steps = 700 - cut.step()}, nullptr);
    EXPECT_TRUE(sameState(stateIn(whole), stateIn(cut)));
    const std::size_t broken = bondsIn(whole).broken().size();
    ASSERT_GT(broken, 3u);
    ASSERT_LT(broken, bondsIn(whole).list().size()) << "nothing is left";
    EXPECT_EQ(bondsIn(whole).broken(), bondsIn(cut).broken());
    EXPECT_NE(bondsIn(whole).description().find(std::to_string(broken) + " broken"), std::string::npos);

    // A file continues it bit for bit.
    const RunState earlier = whole.state();
    Simulation again(
        startFrom(decodeSnapshot(encodeSnapshot(checkpointOf(whole), "hdf5"), "kept.hdf5"), "kept.hdf5").request);
    EXPECT_EQ(bondsIn(again).broken(), bondsIn(whole).broken());
    run(whole, 300);
    run(again, 300);
    const ParticleSet later = stateIn(whole);
    EXPECT_TRUE(sameState(stateIn(again), later)) << "continued";
    ASSERT_GT(bondsIn(whole).broken().size(), broken) << "no bond broke afterwards";

    // Energy and check are those of the whole bonds, and an edit keeps what is broken.
    const double potential = measureSystem(later, whole.terms()).potential;
    EXPECT_NEAR(whole.measure().potential, potential, near * std::abs(potential));
    const std::vector<std::uint32_t> now = bondsIn(whole).broken();
    ParticleSet edited = later;
    edited.velocity[3].x += 1e-9;
    whole.load(edited);
    EXPECT_EQ(bondsIn(whole).broken(), now);
    for (int k = 0; k < 50 && !whole.forceCheck(); ++k) {
        run(whole, 1);
        whole.backend().wait();
    }
    ASSERT_TRUE(whole.forceCheck());
    EXPECT_TRUE(whole.forceCheck()->passed) << whole.forceCheck()->text();

    whole.restore(earlier);
    EXPECT_EQ(bondsIn(whole).broken().size(), broken) << "going back mends";
    run(whole, 300);
    EXPECT_TRUE(sameState(stateIn(whole), later)) << "gone back and forth";
    EXPECT_EQ(bondsIn(whole).broken(), now);
}

/// What the suite must know of a backend.
struct BondsOf {
    const char* backend;
    std::vector<std::size_t> counts;
    bool gates = false;  ///< its rows have accuracies of their own
};
inline void PrintTo(const BondsOf& bonds, std::ostream* out) { *out << bonds.backend; }

class BondSuite : public OnBackend<BondsOf> {
protected:
    /// Rows whose library is missing do not count.
    static std::vector<const KernelRow*> rows() {
        std::vector<const KernelRow*> rows;
        for (const KernelRow* row : listedKernels(GetParam().backend, Bonds::kKind))
            if (refusal(*row, {}).empty()) rows.push_back(row);
        return rows;
    }
};

TEST_P(BondSuite, everyRowAgreesWithThePlainStatement) {
    ASSERT_FALSE(rows().empty());
    for (const std::size_t count : GetParam().counts) {
        const Tangle tangle(count);
        // A row of several warps, for the rows that take one.
        std::vector<Bond> all;
        const BondList& list = tangle.bonds->list();
        for (std::size_t k = 0; k < list.size(); ++k) all.push_back({list.first[k], list.second[k], list.numbersOf(k)});
        for (std::size_t i = 60; i < count; ++i)
            all.push_back({tangle.bodies.id[1], tangle.bodies.id[i], {0.75, 1e-3, 0, 0, BondLaw::hooke}});
        const auto hub = bondsBetween(all);
        for (const Precision precision : {Precision::fp32, Precision::mixed, Precision::fp64})
            for (const KernelRow* row : rows()) {
                SCOPED_TRACE(std::string(row->name) + ", " + std::to_string(count) + " bodies");
                for (const std::shared_ptr<const Bonds>& bonds : {tangle.bonds, hub}) {
                    if (bonds == hub && row->name == "bonds-symmetric") continue;
                    const ForceSettings force{.precision = precision, .softening = 0.1};
                    const std::unique_ptr<Backend> made = backend(GetParam().backend).make({});
                    made->load(
                        System{tangle.bodies,
                               {{std::make_shared<const PairLaw>(force)}, {bonds, {std::string(row->name), row->usual}}}});
                    std::vector<Double4> got, again, want(count);
                    std::vector<double> floors(count);
                    for (const auto& term : made->terms())
                        term->addAccelerations(termBodies(tangle.bodies), allOf(tangle.bodies), want, floors);
                    made->accelerations(got);
                    const ForceGate gate = GetParam().gates ? looser(gateOf(force), gateOf(*row, force)) : gateOf(force);
                    const ForceCheck check = compareForces(got, want, gate, floors);
                    EXPECT_TRUE(check.passed) << check.text();
                    made->accelerations(again);
                    EXPECT_TRUE(sameBytes(got, again)) << "the order of its sums changes";
                    // Without every twentieth bond the check fails.
                    std::vector<std::uint32_t> lost;
                    for (std::uint32_t bond = 0; bond < bonds->list().size(); bond += 20) lost.push_back(bond);
                    std::vector<Double4> wrong(count);
                    made->terms()[0]->addAccelerations(termBodies(tangle.bodies), allOf(tangle.bodies), wrong, {});
                    bonds->withBroken(lost)->addAccelerations(termBodies(tangle.bodies), allOf(tangle.bodies), wrong, {});
                    EXPECT_FALSE(compareForces(got, wrong, gate, floors).passed) << "lost bonds are not noticed";
                }
            }
    }
}

}  // namespace gravlab::testing_support
