// Cells of laws with a cut-off on a device: exact for any positions, the same bits in any slices, with a true count.
#include "gpu_fixture.h"
#include "sim/forces/law.h"
#include "tests/cell_suite.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace gravlab::test {
namespace {

class CellsOnGpu : public GpuTest {
protected:
    static ForceSettings atoms(double cutOff = 2.5, Precision precision = Precision::fp32) {
        return {.law = kLaw<LennardJones>, .precision = precision, .cutOff = cutOff};
    }
    static std::unique_ptr<Backend> byCells(const ParticleSet& bodies, const ForceSettings& force, int block = 128) {
        return testing_support::byCells("cuda", bodies, force, {}, block);
    }
};

TEST_F(CellsOnGpu, areExactWhereverBodiesAre) { expectExactCells("cuda", {{.block = 128}, {.block = 64}, {.block = 256}}); }

TEST_F(CellsOnGpu, leaveOutSourcesWithoutMass) { expectTargetsOnly("cuda"); }

TEST_F(CellsOnGpu, sumTheSameBitsHoweverTheyAreCut) {
    const ParticleSet bodies = spacedBodies(300000);
    for (const Precision precision : {Precision::fp32, Precision::mixed, Precision::fp64}) {
        std::vector<Double4> first;
        for (const auto& [seconds, block] : {std::pair(1e300, 128), {1e-5, 128}, {0.0, 64}, {1e-4, 256}}) {
            const std::unique_ptr<Backend> backend = byCells(bodies, atoms(2.5, precision), block);
            for (std::int64_t done = 0; done < 4;)
                done +=
                    backend->advance(integrator("leapfrog").program, 1e-3, {.seconds = seconds, .steps = 4 - done}, nullptr)
                        .stepsCompleted;
            backend->wait();
            const ParticleSet end = state(*backend);
            if (first.empty()) first = end.position;
            EXPECT_TRUE(
                std::equal(first.begin(), first.end(), end.position.begin(),
                           [](const Double4& a, const Double4& b) { return a.x == b.x && a.y == b.y && a.z == b.z; }))
                << seconds << ", block " << block;
        }
    }
}

TEST_F(CellsOnGpu, countWhatTheyCompute) {
    const std::size_t count = 100000;
    const std::unique_ptr<Backend> backend = byCells(spacedBodies(count), atoms());
    run(*backend, integrator("leapfrog").program, 1e-9, 2000);
    const auto figures = backend->figures();
    const auto of = [&](std::string_view name) {
        const auto found = std::ranges::find(figures, name, &MethodFigure::name);
        return found == figures.end() ? -1 : found->value;
    };
    // At 0.75 bodies per unit cube: 49 in reach, and about 320 in 27 cells.
    EXPECT_GT(of("bodies a body"), 49);
    EXPECT_LT(of("bodies a body"), 1200);
    EXPECT_GT(of("cells"), 1000);
    EXPECT_GT(of("bodies a cell"), 5);
    EXPECT_GE(of("most in a cell"), of("bodies a cell"));
    EXPECT_GT(of("walk"), 0);
    EXPECT_GT(of("keys and sort"), 0);
    EXPECT_GT(backend->totals().interactions, 0);
    EXPECT_LE(backend->totals().interactions, 2001 * 1200.0 * static_cast<double>(count));
}

TEST_F(CellsOnGpu, areRefusedWhereTheLawHasNoEnd) { expectCellsRefused("cuda"); }

}  // namespace
}  // namespace gravlab::test
