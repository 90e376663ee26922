// Cells of laws with a cut-off: exact for bodies anywhere, at any cut-off, in any slices, with a true count of the pairs.
#include "sim/backends/cpu/methods/cell_method.h"
#include "sim/backends/cpu/engine.h"
#include "sim/backends/tuning.h"
#include "sim/forces/cell_grid.h"
#include "sim/forces/force_check.h"
#include "sim/measure/pair_sum.h"
#include "sim/run/configuration.h"
#include "sim/scenes/scene.h"
#include "tests/cell_suite.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace gravlab {
namespace {

using namespace testing_support;
using testing::HasSubstr;

std::unique_ptr<Backend> byCells(const ParticleSet& bodies, const ForceSettings& force, const BackendOptions& options = {}) {
    return testing_support::byCells("cpu", bodies, force, options);
}

ForceCheck checkedCells(const ParticleSet& bodies, const ForceSettings& force, const BackendOptions& options = {}) {
    std::vector<Double4> got;
    byCells(bodies, force, options)->accelerations(got);
    std::vector<double> floors;
    const std::vector<Double4> want = exactForces(bodies, force, floors);
    return compareForces(got, want, gateOf(kernel("cpu", "cells"), force), floors);
}

CellsOf cellsOfTheCpu() {
    CellsOf cells{.backend = "cpu", .setups = {}};
    for (const cpu::SimdTarget& target : cpu::simdTargets()) cells.setups.push_back({{.simd = std::string(target.name)}});
    return cells;
}
INSTANTIATE_TEST_SUITE_P(Cpu, CellSuite, testing::Values(cellsOfTheCpu()), nameOfBackend<CellsOf>);

TEST(Cells, whatIsLeftOutOrTooMuchIsNoticed) {
    const ParticleSet bodies = spacedBodies(2000);
    EXPECT_TRUE(checkedCells(bodies, kAtoms).passed);
    std::vector<Double4> got;
    std::vector<double> floors;
    byCells(bodies, kAtoms)->accelerations(got);
    const std::vector<Double4> want = exactForces(bodies, kAtoms, floors);
    const ForceGate gate = gateOf(kernel("cpu", "cells"), kAtoms);
    // Without the bodies of one of the 27 cells: one at a side, one at an edge, one at a corner.
    const double scale = cellsPerLength(kAtoms);
    const auto cell = [&](std::size_t i, int axis) {
        const Double4& at = bodies.position[i];
        return static_cast<int>(cellPlace(axis == 0 ? at.x : axis == 1 ? at.y : at.z, scale));
    };
    const LennardJones<double> law(kAtoms);
    for (const auto& [dx, dy, dz] : {std::array{1, 0, 0}, std::array{0, -1, 1}, std::array{-1, -1, -1}}) {
        std::vector<Double4> wrong = got;
        for (std::size_t i = 0; i < bodies.size(); ++i)
            for (std::size_t j = 0; j < bodies.size(); ++j) {
                if (cell(j, 0) - cell(i, 0) != dx || cell(j, 1) - cell(i, 1) != dy || cell(j, 2) - cell(i, 2) != dz)
                    continue;
                const Vec3d r = xyz(bodies.position[j]) - xyz(bodies.position[i]);
                const double pull = bodies.position[j].w * law.forceOverDistance(dot(r, r));
                wrong[i].x -= pull * r.x;
                wrong[i].y -= pull * r.y;
                wrong[i].z -= pull * r.z;
            }
        EXPECT_TRUE(compareForces(got, want, gate, floors).passed);
        EXPECT_FALSE(compareForces(wrong, want, gate, floors).passed) << dx << ' ' << dy << ' ' << dz;
    }
    EXPECT_FALSE(compareForces(got, exactForces(bodies, atomsWith(2.4), floors), gate, floors).passed) << "another cut-off";
}

template <class T>
std::vector<T> summed(const ParticleSet& bodies, const ForceSettings& force, int threads, double seconds, double* pairs,
                      int block = 64, int* slices = nullptr) {
    ThreadPool pool(threads);
    VectorArrays<T> at(bodies.size());
    AlignedArray<T> source(bodies.size());
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        at.axis[0][i] = static_cast<T>(bodies.position[i].x);
        at.axis[1][i] = static_cast<T>(bodies.position[i].y);
        at.axis[2][i] = static_cast<T>(bodies.position[i].z);
        source[i] = static_cast<T>(bodies.position[i].w);
    }
    const auto method = cpu::makeMethod<T>(
        cpu::cpuKernel(kernel("cpu", "cells")), force.precision,
        {.pool = pool, .simd = cpu::simdTargets().front(), .bodies = bodies.size(), .launch = {.block = block}});
    method->prepare({{at.axis[0].data(), at.axis[1].data(), at.axis[2].data()}, source.data(), bodies.size()},
                    {.settings = force});
    EXPECT_TRUE(method->underWay());
    method->enqueue(0);
    EXPECT_TRUE(method->underWay()) << "the smallest slice is not the whole";
    method->abandon();
    EXPECT_FALSE(method->underWay());
    method->prepare({{at.axis[0].data(), at.axis[1].data(), at.axis[2].data()}, source.data(), bodies.size()},
                    {.settings = force});
    *pairs = 0;
    double before = 0;
    for (bool complete = false; !complete;) {
        const ForceProgress progress = method->enqueue(seconds);
        complete = progress.complete;
        *pairs += progress.work.pairs;
        if (slices) ++*slices;
        EXPECT_TRUE(complete || method->progress() > before);
        before = method->progress();
    }
    EXPECT_TRUE(method->accuracy().exact());
    EXPECT_FALSE(method->keepsState());
    const auto sums = method->sums();
    EXPECT_EQ(sums.factor, 1);
    std::vector<T> all;
    for (const T* axis : sums.axis) all.insert(all.end(), axis, axis + bodies.size());
    return all;
}

template <class T>
void sameInSlices(Precision precision) {
    const ForceSettings force = atomsWith(2.5, 1, precision);
    for (const ParticleSet& bodies : {spacedBodies(5000), gasOf(3000, 200)}) {
        double all = 0, pairs = 0;
        const std::vector<T> want = summed<T>(bodies, force, 1, std::numeric_limits<double>::infinity(), &all);
        for (const int threads : {1, 3, 7}) {
            const std::vector<T> got = summed<T>(bodies, force, threads, 0, &pairs);
            EXPECT_EQ(std::memcmp(got.data(), want.data(), want.size() * sizeof(T)), 0) << threads << " threads";
            EXPECT_EQ(pairs, all) << "each pair is told of once";
        }
    }
}

TEST(Cells, sumTheSameBitsHoweverTheyAreCutAndShared) {
    sameInSlices<float>(Precision::fp32);
    sameInSlices<double>(Precision::mixed);
    sameInSlices<double>(Precision::fp64);
}

TEST(Cells, aBlockIsWhatACoreSumsAtATimeAndChangesNoBit) {
    const KernelRow& row = kernel("cpu", "cells");
    ASSERT_GT(row.blockSizes.size(), 2u);
    const ParticleSet bodies = spacedBodies(5000);
    double all = 0, pairs = 0;
    const std::vector<float> want = summed<float>(bodies, kAtoms, 1, std::numeric_limits<double>::infinity(), &all);
    int before = std::numeric_limits<int>::max();
    for (const int block : row.blockSizes) {
        int slices = 0;
        // One after another on one thread: as many slices as there are blocks.
        const std::vector<float> got = summed<float>(bodies, kAtoms, 1, 0, &pairs, block, &slices);
        EXPECT_EQ(std::memcmp(got.data(), want.data(), want.size() * sizeof(float)), 0) << block;
        EXPECT_EQ(pairs, all) << block;
        EXPECT_LT(slices, before) << block;
        EXPECT_GE(slices, 5000 / block) << block;
        before = slices;
    }
    const std::unique_ptr<Backend> backend = byCells(bodies, kAtoms);
    EXPECT_EQ(backend->activeLaunch().block, row.usual.block);
    backend->configure(kAtoms, {.kernel = "cells", .launch = {.block = 256}});
    EXPECT_EQ(backend->activeLaunch().block, 256);
    const std::string why = [&] {
        try {
            backend->configure(kAtoms, {.kernel = "cells", .launch = {.block = 300}});
        } catch (const UsageError& error) {
            return std::string(error.what());
        }
        return std::string();
    }();
    EXPECT_THAT(why, HasSubstr("nearest: 256"));
}

double pairsOf(const ParticleSet& bodies, const ForceSettings& force) {
    double pairs = 0;
    summed<float>(bodies, force, 2, std::numeric_limits<double>::infinity(), &pairs);
    return pairs;
}

TEST(Cells, computeAsManyPairsAsThereAreBodiesNearEachOther) {
    const ParticleSet bodies = spacedBodies(3000);
    const double reach = reachOf(kAtoms);
    double near = 0;
    for (const Double4& a : bodies.position)
        for (const Double4& b : bodies.position) near += distance(a, b) < reach ? 1 : 0;
    const double some = pairsOf(bodies, kAtoms), n = static_cast<double>(bodies.size());
    EXPECT_GE(some, near);
    EXPECT_LT(some, n * n / 4);
    // With eight times the bodies at the same density there are about eight times the pairs, not sixty-four times; the
    // surface adds some.
    EXPECT_LT(pairsOf(spacedBodies(24000), kAtoms), 12 * some);
    EXPECT_EQ(pairsOf(bodies, atomsWith(20)), n * n) << "a reach larger than the system leaves nothing out";
    const std::unique_ptr<Backend> backend = byCells(bodies, kAtoms);
    backend->advance(integrator("leapfrog").program, 1e-9, {.steps = 1}, nullptr);
    const WorkTotals before = backend->totals();
    backend->advance(integrator("leapfrog").program, 1e-9, {.steps = 2}, nullptr);
    EXPECT_EQ(backend->totals().interactions - before.interactions, 2 * some) << "rates are of what was computed";
}

TEST(Cells, tellHowBodiesLieAndWhereTheTimeGoes) {
    const auto figuresOf = [](const ParticleSet& bodies, const ForceSettings& force) {
        const std::unique_ptr<Backend> backend = byCells(bodies, force);
        backend->advance(integrator("leapfrog").program, 1e-9, {.steps = 1}, nullptr);
        std::map<std::string, double> figures;
        for (const MethodFigure& figure : backend->figures()) figures[std::string(figure.name)] = figure.value;
        return figures;
    };
    auto figures =
        figuresOf(atomsAt({{0.5, 0.5, 0.5, 0}, {0.75, 0.5, 0.5, 0}, {0.5, 0.75, 0.5, 0}, {90, 90, 0, 0}}), kAtoms);
    EXPECT_EQ(figures["cells"], 2);
    EXPECT_EQ(figures["bodies a cell"], 2);
    EXPECT_EQ(figures["most in a cell"], 3);
    EXPECT_EQ(figures["bodies a body"], 10.0 / 4);
    figures = figuresOf(spacedBodies(4000), kAtoms);
    EXPECT_LT(figures["share of all pairs"], 0.3);
    for (const char* part : {"keys and sort", "build", "walk"}) EXPECT_GT(figures[part], 0) << part;
    EXPECT_EQ(figuresOf(gasOf(200, 5), atomsWith(20))["share of all pairs"], 1) << "it says that nothing is left out";
}

TEST(Cells, haveTheEnergyAndTheClosestPairOfAllPairs) {
    for (const AtomCase& c : atomCases()) {
        SCOPED_TRACE(c.name);
        const Diagnostics all = measure(c.bodies, c.force, 2);
        const PairSum one = pairsByCells(c.bodies, c.force, 1), many = pairsByCells(c.bodies, c.force, 7);
        EXPECT_NEAR(one.potential, all.potential, 1e-12 * std::abs(all.potential) + 1e-12);
        EXPECT_EQ(one.error, 0) << "nothing is left out";
        EXPECT_EQ(one.closest, all.shape.closest);
        EXPECT_DOUBLE_EQ(distance(c.bodies.position[one.closestFirst], c.bodies.position[one.closestSecond]),
                         all.shape.closest);
        EXPECT_EQ(one.potential, many.potential) << "the same bits on any number of threads";
        EXPECT_EQ(one.closestSecond, many.closestSecond);
    }
    ParticleSet light = gasOf(400, 40);
    for (std::size_t i = 0; i < light.size(); i += 2) light.position[i].w = 0;
    EXPECT_EQ(pairsByCells(light, kAtoms, 0).closest, measure(light, kAtoms).shape.closest) << "massless bodies";
    RunConfiguration configuration;
    configuration.backend = "cpu";
    configuration.force = kAtoms;
    configuration.pairs().kernel.kernel = "cells";
    EXPECT_TRUE(pairSummation(configuration));
    configuration.pairs().kernel.kernel = "simd-threads";
    EXPECT_FALSE(pairSummation(configuration));
}

TEST(Cells, areOfferedUnderLawsThatEndAndNoOther) {
    if (isBuilt("cuda")) {
        EXPECT_EQ(refusal(kernel("cuda", "neighbour-list"), atomsWith(5)), "");
        EXPECT_THAT(refusal(kernel("cuda", "neighbour-list"), atomsWith(8)), HasSubstr("1280 is the most; take 'cells'"));
    }
    for (const auto& [name, kernelName] : {std::pair("cpu", "cells"), {"cuda", "cells"}, {"cuda", "neighbour-list"}}) {
        const KernelRow& row = kernel(name, kernelName);
        EXPECT_FALSE(everyPair(row));
        EXPECT_FALSE(row.approximates);
        if (!isBuilt(name)) continue;
        for (const LawRow& law : laws()) {
            const Reason reason = refusal(row, {.law = law.law});
            EXPECT_EQ(reason.empty(), law.law == kLaw<LennardJones>) << law.name;
            EXPECT_EQ(std::isfinite(reachOf({.law = law.law})), law.law == kLaw<LennardJones>);
            if (!reason.empty()) {
                EXPECT_THAT(reason, HasSubstr("need a law with a cut-off, which " + std::string(law.name) + " has not"));
            }
        }
    }
    EXPECT_EQ(reachOf(atomsWith(3, 0.5)), 1.5);
}

TEST(Cells, areTakenForManyAtomsWhereNobodyNamedAKernel) {
    const std::unique_ptr<Backend> backend = gravlab::backend("cpu").make({.threads = 2});
    const auto taken = [&](std::size_t bodies, const ForceSettings& force, const KernelChoice& how = {}) {
        backend->load(spacedBodies(bodies), ForceConfiguration{force, how});
        return backend->activeKernel().name;
    };
    EXPECT_EQ(taken(100, kAtoms), "simd-threads");
    for (const Precision precision : {Precision::fp32, Precision::mixed, Precision::fp64})
        EXPECT_EQ(taken(20000, atomsWith(2.5, 1, precision)), "cells");
    EXPECT_EQ(taken(20000, kAtoms, {.kernel = "symmetric-threads"}), "symmetric-threads");
    EXPECT_EQ(taken(20000, {.law = kLaw<PowerLaw>}), "symmetric-threads");
    // Results of a search hold for gravity only.
    taken(20000, kAtoms);
    TunedChoice found;
    found.backend = "cpu";
    found.bodies = 20000;
    found.kernel.kernel = "symmetric-threads";
    found.device = backend->launchFacts().device;
    found.driver = backend->launchFacts().driver;
    const Tuning tuning = Tuning().with(found);
    configureTuned(*backend, kAtoms, {}, &tuning);
    EXPECT_EQ(backend->activeKernel().name, "cells");
    configureTuned(*backend, {}, {}, &tuning);
    EXPECT_EQ(backend->activeKernel().name, "symmetric-threads");
}

/// Places that are counted twice or never would be neighbours that are.
TEST(Cells, ofARingHaveTheirOwnBucketsAmongNeighbours) {
    for (int seed = 0; seed < 400; ++seed) {
        Random random(11, static_cast<std::uint64_t>(seed));
        const auto upTo = [&](double most) {
            return static_cast<std::uint32_t>(std::exp(random.uniform() * std::log(most)));
        };
        const std::uint32_t buckets = kFewestBuckets - 1 + upTo(1e6);
        std::uint32_t low[3], high[3];
        for (int axis = 0; axis < 3; ++axis) {
            low[axis] = upTo(1e6);
            high[axis] = low[axis] - 1 + upTo(seed % 2 == 0 ? 20 : 1e6);
        }
        const CellRing ring = cellRing(low, high, buckets, bucketEdge(buckets));
        std::int64_t at[3];
        for (int axis = 0; axis < 3; ++axis)
            at[axis] = seed % 3 == 0 ? low[axis] : seed % 3 == 1 ? high[axis] : (low[axis] + high[axis]) / 2;
        std::vector<std::uint32_t> found;
        for (int z = -1; z <= 1; ++z)
            for (int y = -1; y <= 1; ++y) {
                for (int x = -1; x <= 1; ++x) found.push_back(ring.bucket(at[0] + x, at[1] + y, at[2] + z));
                EXPECT_EQ(found.back(), (found[found.size() - 3] + 2) % buckets);
            }
        EXPECT_LT(std::ranges::max(found), buckets);
        std::ranges::sort(found);
        EXPECT_EQ(std::ranges::adjacent_find(found), found.end()) << seed;
        // Cells of a box that fits share no bucket.
        double cells = 1;
        for (int axis = 0; axis < 3; ++axis) cells *= high[axis] - low[axis] + 3.0;
        if (cells > std::min(buckets, 4000u)) continue;
        std::vector<int> bodies(buckets);
        for (std::int64_t x = low[0]; x <= high[0]; ++x)
            for (std::int64_t y = low[1]; y <= high[1]; ++y)
                for (std::int64_t z = low[2]; z <= high[2]; ++z) EXPECT_EQ(++bodies[ring.bucket(x, y, z)], 1);
    }
}

TEST(Cells, aLawNeverReachesFartherThanItSays) {
    for (const LawRow& law : laws())
        for (ForceSettings force : law.tried) {
            force.law = law.law;
            const double reach = law.reach(force);
            if (!std::isfinite(reach)) continue;
            for (const double r : {reach, 1.0001 * reach, 2 * reach, 1e6 * reach})
                EXPECT_EQ(law.forceOverDistance(force, r * r), 0) << law.name << " at " << r / reach;
            EXPECT_NE(law.forceOverDistance(force, 0.99 * reach * reach), 0);
        }
}

TEST(Cells, neighboursOfACellAreInNineStretchesOfKeys) {
    const std::uint32_t x = 1000, y = 2000, z = 3000;
    const std::uint64_t row = cellRow(cellKey(x, y, z));
    int which = 0;
    for (const std::uint32_t c : {z - 1, z, z + 1})
        for (const std::uint32_t b : {y - 1, y, y + 1}) EXPECT_EQ(neighbourRow(row, which++), cellRow(cellKey(x, b, c)));
    EXPECT_EQ(which, kCellRows);
    EXPECT_EQ(cellOfRow(cellKey(x, y, z)), x);
    constexpr double kNothing = std::numeric_limits<double>::quiet_NaN(), kEndless = std::numeric_limits<double>::infinity();
    for (const double far : {-1e30, -kEndless, kNothing}) EXPECT_EQ(cellPlace(far, 0.4), 1u) << far;
    for (const double far : {1e30, kEndless}) EXPECT_EQ(cellPlace(far, 0.4), kCellGrid - 2) << far;
    EXPECT_EQ(cellPlace(-1e-9, 0.4) + 1, cellPlace(1e-9, 0.4)) << "cells do not fold at the origin";
}

}  // namespace
}  // namespace gravlab
