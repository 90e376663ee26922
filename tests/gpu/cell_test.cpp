// Cells and lists of neighbours on a device: exact for any positions, the same bits in any slices, with a true count. Lists
// of any age give the same bits.
#include "gpu_fixture.h"
#include "sim/backends/cuda/kernels/neighbours.h"
#include "sim/forces/law.h"
#include "sim/scenes/scene.h"
#include "tests/cell_suite.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

namespace gravlab::test {
namespace {

const CellsOf kCudaCells{.backend = "cuda", .setups = {{.block = 128}, {.block = 64}, {.block = 256}}};
INSTANTIATE_TEST_SUITE_P(Gpu, CellSuite, testing::Values(kCudaCells), nameOfBackend<CellsOf>);

class CellsOnGpu : public GpuTest {
protected:
    static ForceSettings atoms(double cutOff = 2.5, Precision precision = Precision::fp32) {
        return {.law = kLaw<LennardJones>, .precision = precision, .cutOff = cutOff};
    }
    static std::unique_ptr<Backend> byCells(const ParticleSet& bodies, const ForceSettings& force, int block = 128,
                                            const char* row = "cells") {
        return testing_support::byCells("cuda", bodies, force, {}, block, row);
    }
    static void expectSameBitsInSlices(const char* row);
    static double figureOf(Backend& backend, std::string_view name) {
        const auto figures = backend.figures();
        const auto found = std::ranges::find(figures, name, &MethodFigure::name);
        return found == figures.end() ? -1 : found->value;
    }
    static constexpr const char* kLists = "neighbour-list";
};

TEST_F(CellsOnGpu, listsAreExactWhereverBodiesAre) {
    expectExactCells({.backend = "cuda", .setups = {{.block = 128}, {.block = 64}}}, kLists);
}

void CellsOnGpu::expectSameBitsInSlices(const char* row) {
    ParticleSet bodies = spacedBodies(300000);
    bodies.velocity[17].x = 60;  // its way makes lists anew
    for (const Precision precision : {Precision::fp32, Precision::mixed, Precision::fp64}) {
        std::vector<Double4> first;
        for (const auto& [seconds, block] : {std::pair(1e300, 128), {1e-5, 128}, {0.0, 64}, {1e-4, 256}}) {
            const std::unique_ptr<Backend> backend = byCells(bodies, atoms(2.5, precision), block, row);
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
                << row << ", " << seconds << ", block " << block;
        }
    }
}
TEST_F(CellsOnGpu, sumTheSameBitsHoweverTheyAreCut) {
    expectSameBitsInSlices("cells");
    expectSameBitsInSlices(kLists);
}

/// A run that continues from a file, or after a jump in time, makes lists at another step.
TEST_F(CellsOnGpu, listsOfAnyAgeSumTheSameBits) {
    const auto same = [](const std::vector<Double4>& a, const std::vector<Double4>& b) {
        return std::ranges::equal(
            a, b, [](const Double4& x, const Double4& y) { return std::memcmp(&x.x, &y.x, 3 * sizeof(double)) == 0; });
    };
    const ParticleSet liquid = sceneNamed("lennard-jones").build({.bodies = 20000, .seed = 3});
    for (const Precision precision : {Precision::fp32, Precision::mixed, Precision::fp64}) {
        const ForceSettings force = atoms(2.5, precision);
        const std::unique_ptr<Backend> old = byCells(liquid, force, 128, kLists);
        for (int part = 0; part < 12; ++part) {
            run(*old, integrator("leapfrog").program, 0.004, 5);
            std::vector<Double4> got, want, cells;
            old->accelerations(got);
            const ParticleSet here = state(*old);
            byCells(here, force, 64, kLists)->accelerations(want);
            EXPECT_TRUE(same(got, want)) << part;
            byCells(here, force)->accelerations(cells);
            const ForceCheck check = compareForces(got, cells, gateOf(kernel("cuda", kLists), force));
            EXPECT_TRUE(check.passed) << check.text();
        }
        run(*old, integrator("leapfrog").program, 1e-9, 2000);
        EXPECT_GT(figureOf(*old, "lists made"), 2);
        EXPECT_LT(figureOf(*old, "lists made"), 40) << "they live longer than a step";
        EXPECT_GT(figureOf(*old, "age of lists"), 100);
    }
}

TEST_F(CellsOnGpu, aBodyWithoutAListSumsTheSameBits) {
    // Body 0 has a full list, and bodies out of its reach come nearer until a new list has no room for them.
    const ForceSettings force = atoms();
    const std::uint32_t width = cuda::listWidth(force), inner = width - 20, outer = 60;
    const double far = cuda::listReach(force), way = 0.8 * cuda::kListMoves * (far - reachOf(force));
    std::vector<Double4> positions(1), velocities(1);
    for (std::uint32_t i = 0; i < inner + outer; ++i) {
        Random random(7, i);
        const Vec3d at = random.onSphere();
        const bool comes = i < outer;  // first, so that a part of the sum would end elsewhere if it counted them
        const double r = comes ? far + 0.25 * way : random.uniform(1.2, 2.45);
        positions.push_back({r * at.x, r * at.y, r * at.z, 1});
        const double speed = comes ? -1e6 * way : 0;
        velocities.push_back({speed * at.x, speed * at.y, speed * at.z, 1});
    }
    positions[0].w = velocities[0].w = 1;
    for (std::uint32_t i = 0; i < 3000; ++i) {  // others, so that a warp has bodies of both kinds
        positions.push_back({40 + 1.2 * (i % 10), 1.2 * (i / 10 % 10), 1.2 * (i / 100), 1});
        velocities.push_back({0, 0, 0, 1});
    }
    const std::unique_ptr<Backend> old = byCells(bodiesOf(positions, velocities), force, 128, kLists);
    std::vector<Double4> got, want;
    old->accelerations(got);
    run(*old, integrator("leapfrog").program, 1e-6, 1);
    old->accelerations(got);
    const ParticleSet here = state(*old);
    const auto near = [&](const ParticleSet& bodies) {
        return std::ranges::count_if(bodies.position,
                                     [&](const Double4& at) { return distance(at, bodies.position[0]) < far; }) -
               1;
    };
    ASSERT_EQ(near(bodiesOf(positions, velocities)), inner);
    ASSERT_EQ(near(here), inner + outer);
    const std::unique_ptr<Backend> fresh = byCells(here, force, 128, kLists);
    fresh->accelerations(want);
    for (std::uint32_t i = 0; i < got.size(); ++i)
        EXPECT_TRUE(got[i].x == want[i].x && got[i].y == want[i].y && got[i].z == want[i].z) << i;
    std::vector<double> floors;
    const ForceCheck check = compareForces(want, exactForces(here, force, floors), gateOf(force), floors);
    EXPECT_TRUE(check.passed) << check.text();
    run(*fresh, integrator("leapfrog").program, 1e-9, 2000);
    EXPECT_GE(figureOf(*fresh, "bodies without a list"), 1);
    EXPECT_EQ(figureOf(*fresh, "width of lists"), width);
}

TEST_F(CellsOnGpu, listsLeaveOutSourcesWithoutMass) {
    constexpr std::size_t kShare = 4;
    for (const Precision precision : {Precision::fp32, Precision::mixed, Precision::fp64})
        for (const double cutOff : {2.5, 3.5}) {
            SCOPED_TRACE(testing::Message() << "cut-off " << cutOff << ", precision " << static_cast<int>(precision));
            const ForceSettings force = atoms(cutOff, precision);
            ParticleSet bodies = gasOf(1500, 30);
            std::vector<Double4> acting;
            for (std::size_t i = 0; i < bodies.size(); ++i)
                if (i % kShare == 2)
                    acting.push_back(bodies.position[i]);
                else
                    bodies.position[i].w = 0;
            const double reach = cuda::listReach(force);
            std::size_t listed = 0, longest = 0;
            for (const Double4& target : bodies.position) {
                const auto near = static_cast<std::size_t>(
                    std::ranges::count_if(acting, [&](const Double4& at) { return distance(at, target) < reach; }) -
                    (target.w != 0));
                listed += near;
                longest = std::max(longest, near);
            }
            const std::unique_ptr<Backend> run = byCells(bodies, force, 128, kLists);
            std::vector<Double4> got, few;
            run->accelerations(got);
            byCells(bodiesOf(acting, std::vector<Double4>(acting.size())), force, 128, kLists)->accelerations(few);
            for (std::size_t k = 0; k < acting.size(); ++k) EXPECT_EQ(xyz(got[kShare * k + 2]), xyz(few[k])) << k;
            std::vector<double> floors;
            const ForceCheck check = compareForces(got, exactForces(bodies, force, floors), gateOf(force), floors);
            EXPECT_TRUE(check.passed) << check.text();
            for (int step = 0; step < 4000 && figureOf(*run, "bodies a list") < 0; ++step) {
                run->advance(integrator("leapfrog").program, 1e-12, {.steps = 1}, nullptr);
                run->wait();
            }
            EXPECT_NEAR(figureOf(*run, "bodies a list") * static_cast<double>(bodies.size()), static_cast<double>(listed),
                        2);
            EXPECT_NEAR(figureOf(*run, "longest list"), static_cast<double>(longest), 1);
        }
}

TEST_F(CellsOnGpu, listsFollowACutOffThatChanges) {
    const ParticleSet bodies = spacedBodies(20000);
    const std::unique_ptr<Backend> made = byCells(bodies, atoms(), 128, kLists);
    for (const double cutOff : {2.5, 1.5, 3.5, 2.5}) {
        made->configure(atoms(cutOff), {.kernel = kLists});
        std::vector<Double4> got;
        made->accelerations(got);
        std::vector<double> floors;
        const std::vector<Double4> want = exactForces(bodies, atoms(cutOff), floors);
        const ForceCheck check = compareForces(got, want, gateOf(atoms(cutOff)), floors);
        EXPECT_TRUE(check.passed) << cutOff << ": " << check.text();
    }
}

TEST_F(CellsOnGpu, countWhatTheyCompute) {
    const std::size_t count = 100000;
    const std::unique_ptr<Backend> backend = byCells(spacedBodies(count), atoms());
    run(*backend, integrator("leapfrog").program, 1e-9, 2000);
    const auto of = [&](std::string_view name) { return figureOf(*backend, name); };
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

    const std::unique_ptr<Backend> lists = byCells(spacedBodies(count), atoms(), 128, kLists);
    run(*lists, integrator("leapfrog").program, 1e-9, 2000);
    EXPECT_GT(figureOf(*lists, "bodies a list"), 49);
    EXPECT_LT(figureOf(*lists, "bodies a list"), 100);
    EXPECT_NEAR(figureOf(*lists, "bodies a body"), figureOf(*lists, "bodies a list"), 1e-6);
    EXPECT_GE(figureOf(*lists, "longest list"), figureOf(*lists, "bodies a list"));
    EXPECT_EQ(figureOf(*lists, "bodies without a list"), 0);
    EXPECT_EQ(figureOf(*lists, "lists made"), 1);
    EXPECT_GT(figureOf(*lists, "walk"), 0);
    EXPECT_LE(lists->totals().interactions, 2001 * 100.0 * static_cast<double>(count));
}

TEST_F(CellsOnGpu, listsAreRefusedWhereTheLawHasNoEnd) { expectCellsRefused("cuda", kLists); }

}  // namespace
}  // namespace gravlab::test
