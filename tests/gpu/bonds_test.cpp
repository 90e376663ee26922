// Bonds on a GPU: every row against the plain statement, slices, breaking and what is kept.
#include "app/bench/verify.h"
#include "sim/api/errors.h"
#include "sim/backends/backend.h"
#include "sim/forces/term_check.h"
#include "sim/run/simulation.h"
#include "tests/tangle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace gravlab {
namespace {

using namespace testing_support;

class GpuBonds : public testing::Test {
protected:
    void SetUp() override { skipWithout("cuda"); }
};

std::vector<std::string> bondRowNames() {
    std::vector<std::string> names;
    for (const KernelRow* row : listedKernels("cuda", Bonds::kKind))
        if (refusal(*row, {}).empty()) names.emplace_back(row->name);  // the library may be missing
    return names;
}

INSTANTIATE_TEST_SUITE_P(Gpu, BondSuite,
                         testing::Values(BondsOf{.backend = "cuda", .counts = {2, 33, 300, 5000}, .gates = true}),
                         nameOfBackend<BondsOf>);

TEST_F(GpuBonds, springsAgreeWithThePlainStatementForAnyNumberOfClasses) {
    // Up to 256 classes an entry contains its class. The longest ways are those of a body to all the others.
    for (const std::size_t count : {2, 33, 300, 6000})
        for (const std::size_t classes : {1, 3, 256, 257}) {
            const ParticleSet bodies = Tangle(count).bodies;
            std::vector<Bond> all;
            for (std::size_t i = 0; i < count; ++i)
                for (const std::size_t step : {1, 7, 5003})
                    if (i + step < count)
                        all.push_back({bodies.id[i + step],
                                       bodies.id[i],
                                       {0.5 + 0.01 * static_cast<double>(all.size() % classes), 1e-3, 0,
                                        all.size() % 2 == 0 || classes == 1 ? 0.0 : 90.0, BondLaw::hooke}});
            for (std::size_t i = 9; i < count && classes > 1; i += 3)
                all.push_back({bodies.id[0], bodies.id[i], {0.5, 1e-3, 0, 0, BondLaw::hooke}});
            auto bonds = bondsBetween(all);
            // Some are broken already.
            bonds = bonds->withBroken({0, static_cast<std::uint32_t>(all.size() - 1)});
            for (const Precision precision : {Precision::fp32, Precision::fp64})
                for (const std::string& row : bondRowNames()) {
                    if (row == "bonds-symmetric" && classes > 1) continue;  // the hub
                    const ForceSettings force{.precision = precision, .softening = 0.1};
                    const std::unique_ptr<Backend> made = backend("cuda").make({});
                    made->load(System{
                        bodies,
                        {{std::make_shared<PairLaw>(force)}, {bonds, {row, termKernel("cuda", Bonds::kKind, row).usual}}}});
                    std::vector<Double4> got, want(count);
                    std::vector<double> floors(count);
                    for (const auto& term : made->terms())
                        term->addAccelerations(termBodies(bodies), allOf(bodies), want, floors);
                    made->accelerations(got);
                    const ForceGate gate = looser(gateOf(force), gateOf(termKernel("cuda", Bonds::kKind, row), force));
                    const ForceCheck check = compareForces(got, want, gate, floors);
                    EXPECT_TRUE(check.passed)
                        << row << ", " << count << " bodies, " << classes << " classes: " << check.text();
                }
        }
}

TEST_F(GpuBonds, aHubIsRefusedByColoursAlone) {
    RunRequest wanted{.scene = "hub", .bodies = 1000, .backend = "cuda"};
    for (const std::string& row : bondRowNames()) {
        wanted.terms["bonds"].kernel.kernel = row;
        if (row == "bonds-symmetric")
            EXPECT_THROW(Simulation{wanted}, UsageError);
        else {
            Simulation simulation(wanted);
            for (int k = 0; k < 200 && !simulation.forceCheck(); ++k) {
                run(simulation, 1);
                simulation.backend().wait();
            }
            ASSERT_TRUE(simulation.forceCheck()) << row;
            EXPECT_TRUE(simulation.forceCheck()->passed) << row << ": " << simulation.forceCheck()->text();
        }
    }
}

TEST_F(GpuBonds, everyRowPassesTheCheckOfTheProgram) {
    // Its forces are a sum with those of a pair law, so the limit of the law counts, too.
    std::vector<std::string> only;
    for (const std::string& row : bondRowNames()) only.push_back("bonds:" + row);
    for (const Verdict& verdict : verifyAll({&backend("cuda"), 1}, {}, {}, only))
        EXPECT_EQ(verdict.state, Verdict::State::passed) << verdict.kernel << ": " << verdict.note;
}

TEST_F(GpuBonds, breakAtTheEndOfAStepWhateverCutsIt) {
    for (const std::string& row : bondRowNames())
        for (const Precision precision : {Precision::fp32, Precision::fp64}) {
            SCOPED_TRACE(row);
            RunRequest wanted = tidal("cuda", precision);
            wanted.terms["bonds"].kernel.kernel = row;
            Simulation whole(wanted);
            expectBondsBreakAtTheEndOfAStep(whole, wanted, 1e-5);
        }
}

}  // namespace
}  // namespace gravlab
