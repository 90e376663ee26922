// Cells of laws with a cut-off on a device: exact for any positions, the same bits in any slices, with a true count.
#include "gpu_fixture.h"
#include "sim/forces/cell_grid.h"
#include "sim/forces/law.h"
#include "tests/measured.h"

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
        std::unique_ptr<Backend> made = backend("cuda").make({});
        made->load(bodies, ForceConfiguration{
                               force, {.kernel = "cells", .launch = {.block = block, .unroll = 1, .bodiesPerThread = 1}}});
        EXPECT_EQ(made->activeKernel().name, "cells");
        return made;
    }
    static ForceCheck checked(const ParticleSet& bodies, const ForceSettings& force, int block = 128) {
        std::vector<Double4> got;
        byCells(bodies, force, block)->accelerations(got);
        std::vector<Double4> want(bodies.size());
        std::vector<double> floors(bodies.size());
        referenceForces(bodies.position, bodies.velocity, everyBody(bodies.size()), force, want, floors);
        return compareForces(got, want, gateOf(kernel("cuda", "cells"), force), floors);
    }
    static ParticleSet onFloats(ParticleSet bodies) {
        for (Double4& at : bodies.position)
            at = {static_cast<float>(at.x), static_cast<float>(at.y), static_cast<float>(at.z), at.w};
        return bodies;
    }
};

TEST_F(CellsOnGpu, areExactWhereverBodiesAre) {
    ParticleSet far = spacedBodies(1000), onePoint = spacedBodies(300), shifted = spacedBodies(2000),
                thin = spacedBodies(2000);
    far.position[7] = {3e7, -4e7, 12, 1};
    far.position[500] = {-4e5, 3e5, -2e5, 1};
    far.position[501] = {-4e5 + 1.25, 3e5, -2e5, 1};
    for (Double4& at : onePoint.position) at = {3, -2, 1, at.w};
    for (Double4& at : shifted.position) at.x -= 9, at.y -= 7, at.z -= 5;
    for (Double4& at : thin.position) at.x *= 4, at.y *= 4, at.z *= 4;
    const double edge = 1 / cellsPerLength(atoms());
    std::vector<Double4> corners;
    for (int k = 0; k < 125; ++k) {
        const Double4 at{(k % 5 - 2) * edge, (k / 5 % 5 - 2) * edge, (k / 25 - 2) * edge, 1};
        corners.push_back(at);
        corners.push_back({at.x + 1.125, at.y, at.z, 1});
        corners.push_back({at.x, at.y - 1.125, at.z, 1});
        corners.push_back({std::nextafterf(static_cast<float>(at.x), 0.0f), at.y, at.z + 1.125, 1});
    }
    const std::vector<std::pair<const char*, ParticleSet>> cases{
        {"one", spacedBodies(1)},
        {"two", spacedBodies(2)},
        {"33", spacedBodies(33)},
        {"a lattice", spacedBodies(4097)},
        {"on both sides of the origin", onFloats(shifted)},
        {"a thin gas", onFloats(thin)},
        {"some very far away", onFloats(far)},
        {"all in one point", onePoint},
        {"corners of cells", onFloats(bodiesOf(corners, std::vector<Double4>(corners.size())))}};
    for (const auto& [name, bodies] : cases)
        for (const Precision precision : {Precision::fp32, Precision::mixed, Precision::fp64})
            for (const double cutOff : {2.5, 1.12, 20.0}) {
                const ForceCheck check = checked(bodies, atoms(cutOff, precision));
                EXPECT_TRUE(check.passed) << name << ", cut-off " << cutOff << ", precision " << static_cast<int>(precision)
                                          << ": " << check.text();
            }
    for (const int block : {64, 256}) EXPECT_TRUE(checked(spacedBodies(4097), atoms(), block).passed) << block;
}

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

TEST_F(CellsOnGpu, areRefusedWhereTheLawHasNoEnd) {
    const std::unique_ptr<Backend> backend = gravlab::backend("cuda").make({});
    EXPECT_THROW(backend->configure({}, {.kernel = "cells"}), UsageError);
    EXPECT_THROW(backend->configure({.law = kLaw<PowerLaw>}, {.kernel = "cells"}), UsageError);
    EXPECT_NO_THROW(backend->configure(atoms(), {.kernel = "cells"}));
}

}  // namespace
}  // namespace gravlab::test
