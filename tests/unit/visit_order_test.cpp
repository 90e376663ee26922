// The order in which kernels visit pairs, and the numbers of all pairs as files.
#include "app/lab/visit_order.h"
#include "app/bench/pair_matrix.h"
#include "app/lab/pair_numbers.h"
#include "app/tables/own_kernel.h"
#include "sim/api/errors.h"
#include "sim/forces/law.h"
#include "tests/unit/cli_support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

namespace gravlab {
namespace {

using testing::HasSubstr;

/// How often each cell is in a tile: as a computed pair, and as the reaction of one.
struct Visits {
    std::vector<int> computed, mirrored;
};
Visits countVisits(const VisitOrder& order, std::uint32_t n) {
    Visits visits{std::vector<int>(std::size_t{n} * n), std::vector<int>(std::size_t{n} * n)};
    for (const VisitTile& tile : order.tiles) {
        EXPECT_LT(tile.begin, tile.end);
        EXPECT_LE(tile.end, order.length);
        EXPECT_LT(tile.wave, order.waves);
        EXPECT_LE(tile.rowEnd, n);
        EXPECT_LE(tile.columnEnd, n);
        for (std::uint32_t i = tile.row; i < tile.rowEnd; ++i)
            for (std::uint32_t j = tile.column; j < tile.columnEnd; ++j)
                ++(tile.mirrored ? visits.mirrored : visits.computed)[std::size_t{i} * n + j];
    }
    return visits;
}

LaunchFacts onDevice(int threads, int gridX, int gridY, int resident, std::size_t shared) {
    LaunchFacts facts{.multiprocessors = 2,
                      .gridX = gridX,
                      .gridY = gridY,
                      .threads = threads,
                      .residentBlocks = resident,
                      .sharedBytes = shared};
    return facts;
}

TEST(VisitOrder, eachPairOnceByBlocksOfTargets) {
    struct Case {
        const char* kernel;
        LaunchConfig launch;
        LaunchFacts facts;
        std::uint32_t n;
        int waves;
    };
    const Case cases[] = {
        {"global", {.block = 32}, onDevice(32, 4, 1, 1, 0), 100, 2},
        {"tiled", {.block = 32}, onDevice(32, 4, 1, 2, 512), 100, 1},
        {"tiled-registers", {.block = 32, .bodiesPerThread = 2}, onDevice(32, 2, 1, 1, 512), 100, 1},
        {"tiled-split", {.block = 32, .split = 3}, onDevice(32, 4, 3, 1, 512), 100, 6},
    };
    for (const Case& one : cases) {
        SCOPED_TRACE(one.kernel);
        const VisitOrder order = visitOrder(kernel("cuda", one.kernel), one.launch, one.facts, Precision::fp32, one.n);
        ASSERT_EQ(order.unknown, "");
        EXPECT_EQ(order.waves, one.waves);
        const Visits visits = countVisits(order, one.n);
        EXPECT_THAT(visits.computed, testing::Each(1));
        EXPECT_THAT(visits.mirrored, testing::Each(0));
    }
}

TEST(VisitOrder, tilesFollowEachOtherAndWavesWait) {
    const VisitOrder order =
        visitOrder(kernel("cuda", "tiled"), {.block = 32}, onDevice(32, 4, 1, 1, 512), Precision::fp32, 100);
    const VisitTile *first = tileOf(order, 0, 0), *second = tileOf(order, 0, 32), *later = tileOf(order, 64, 0);
    ASSERT_TRUE(first && second && later);
    EXPECT_EQ(first->begin, 0);
    EXPECT_EQ(second->begin, first->end);
    EXPECT_EQ(tileOf(order, 32, 0)->begin, 0) << "two blocks run side by side";
    EXPECT_EQ(later->wave, 1);
    EXPECT_EQ(later->begin, 100) << "when those before it have met all sources";
    EXPECT_EQ(order.length, 200);
    EXPECT_EQ(visitText(order, 33, 40),
              "Thread 1 of block 2, wave 1 of 2 holds body 33; body 40 is read once by thread 8 into shared memory, for the "
              "whole block.");
    const VisitOrder plain =
        visitOrder(kernel("cuda", "global"), {.block = 32}, onDevice(32, 4, 1, 1, 0), Precision::fp32, 100);
    EXPECT_THAT(visitText(plain, 33, 40), HasSubstr("body 40 is read from memory by every thread of the block"));
}

TEST(VisitOrder, symmetricComputesEachPairOnceAndItsOwnTilesWhole) {
    for (const std::uint32_t n : {256u, 512u, 700u, 1024u, 1200u}) {
        SCOPED_TRACE(n);
        const VisitOrder order =
            visitOrder(kernel("cuda", "symmetric"), {}, onDevice(32, 100, 1, 20, 0), Precision::fp32, n);
        ASSERT_EQ(order.unknown, "");
        EXPECT_TRUE(order.once);
        const Visits visits = countVisits(order, n);
        for (std::uint32_t i = 0; i < n; ++i)
            for (std::uint32_t j = 0; j < n; ++j) {
                const std::size_t at = std::size_t{i} * n + j, back = std::size_t{j} * n + i;
                const bool own = i / 256 == j / 256;
                ASSERT_EQ(visits.computed[at] + visits.mirrored[at], 1) << i << ", " << j;
                ASSERT_EQ(visits.computed[at] + visits.computed[back], own ? 2 : 1) << i << ", " << j;
            }
    }
}

TEST(VisitOrder, symmetricIsCutAsItsLaunchSays) {
    const auto of = [](const LaunchConfig& launch, Precision precision) {
        return visitOrder(kernel("cuda", "symmetric"), launch, onDevice(launch.block, 100, 1, 20, 0), precision, 1024);
    };
    EXPECT_EQ(of({.block = 32}, Precision::fp32).tile, 256u);
    EXPECT_EQ(of({.block = 32}, Precision::fp64).tile, 128u);
    const VisitOrder fewer = of({.block = 128, .bodiesPerThread = 4}, Precision::fp32);
    EXPECT_EQ(fewer.tile, 128u);
    EXPECT_EQ(fewer.bodiesPerThread, 4);
    EXPECT_EQ(fewer.range, 128u);
    // Eight diagonal tiles, four warps per block.
    EXPECT_EQ(tileOf(fewer, 0, 0)->block, 0);
    EXPECT_EQ(tileOf(fewer, 1023, 1023)->block, 1);
    EXPECT_GT(tileOf(fewer, 0, 200)->block, 1);
}

TEST(VisitOrder, aProcessorsOneThreadGoesByRows) {
    const VisitOrder naive = visitOrder(kernel("cpu", "naive"), {}, {}, Precision::fp32, 5);
    EXPECT_EQ(naive.length, 25);
    EXPECT_THAT(countVisits(naive, 5).computed, testing::Each(1));
    const VisitOrder once = visitOrder(kernel("cpu", "naive-symmetric"), {}, {}, Precision::fp32, 5);
    EXPECT_EQ(once.length, 10);
    const Visits visits = countVisits(once, 5);
    EXPECT_EQ(std::count(visits.computed.begin(), visits.computed.end(), 1), 10);
    EXPECT_EQ(std::count(visits.mirrored.begin(), visits.mirrored.end(), 1), 10);
    EXPECT_NE(visitOrder(kernel("cpu", "simd-threads"), {}, {}, Precision::fp32, 5).unknown, "");
    EXPECT_NE(visitOrder(kernel("cuda", "tree"), {}, onDevice(32, 1, 1, 1, 0), Precision::fp32, 5).unknown, "");
}

std::uint32_t pixelAt(const PairMatrix& matrix, std::size_t row, std::size_t column) {
    std::uint32_t colour = 0;
    std::memcpy(&colour, &matrix.picture()[4 * (row * matrix.cells() + column)], 4);
    return colour;
}

TEST(PairValues, arePaintedAsTheirNumbers) {
    // Masses 1, 2, 3 on a line at 0, 1, 3.
    const std::vector<Double4> bodies = {{0, 0, 0, 1}, {1, 0, 0, 2}, {3, 0, 0, 3}};
    PairMatrix matrix;
    matrix.show(PairValue::component);
    matrix.compute(bodies, {});
    EXPECT_NEAR(matrix.strongest(), 2, 1e-6);
    EXPECT_DOUBLE_EQ(matrix.at(0.5, 0.1)->value, 2) << "0 is pulled to the right";
    EXPECT_DOUBLE_EQ(matrix.at(0.1, 0.5)->value, -2) << "and 1 to the left";
    EXPECT_EQ(pixelAt(matrix, 0, 1), levelColour(PairValue::component, 1));
    EXPECT_EQ(pixelAt(matrix, 1, 0), levelColour(PairValue::component, 0));
    matrix.show(PairValue::potential);
    matrix.compute(bodies, {});
    EXPECT_NEAR(matrix.strongest(), 3, 1e-6) << "2 x 3 over 2";
    EXPECT_DOUBLE_EQ(matrix.at(0.9, 0.1)->value, 1);
    matrix.show(PairValue::distance);
    matrix.compute(bodies, {});
    EXPECT_NEAR(matrix.strongest(), 3, 1e-6);
    EXPECT_DOUBLE_EQ(matrix.at(0.9, 0.5)->value, 2);
    EXPECT_EQ(pixelAt(matrix, 1, 2), levelColour(PairValue::distance, 2.f / 3));
    EXPECT_EQ(matrix.shown(), PairValue::distance);
}

TEST(PairValues, signsFollowTheLaw) {
    const std::vector<Double4> charges = {{0, 0, 0, 1}, {1, 0, 0, 2}};
    const ForceSettings coulomb{.law = kLaw<Coulomb>};
    EXPECT_DOUBLE_EQ(pairRow(charges, coulomb, PairValue::component, 0)[1], -2) << "like charges push";
    EXPECT_DOUBLE_EQ(pairRow(charges, {}, PairValue::component, 0)[1], 2) << "masses pull";
    EXPECT_DOUBLE_EQ(pairRow(charges, coulomb, PairValue::force, 0)[1], 2);
}

TEST(PairValues, levelsAreLogarithmicSignedOrLinear) {
    EXPECT_FLOAT_EQ(matrixLevel(PairValue::force, 1, 1), 1);
    EXPECT_FLOAT_EQ(matrixLevel(PairValue::force, 0, 1), 0);
    EXPECT_NEAR(matrixLevel(PairValue::potential, 1e-3f, 1), 4.0 / 7, 1e-5);
    EXPECT_FLOAT_EQ(matrixLevel(PairValue::component, 1, 1), 1);
    EXPECT_FLOAT_EQ(matrixLevel(PairValue::component, -1, 1), 0);
    EXPECT_FLOAT_EQ(matrixLevel(PairValue::component, 0, 1), 0.5f);
    EXPECT_FLOAT_EQ(matrixLevel(PairValue::distance, 0.25f, 1), 0.25f);
    EXPECT_THROW(pairValue("forse"), UsageError);
}

TEST(CliMatrix, writesNumbersForTablesAndNumPy) {
    const ScratchFolder folder;
    const std::string csv = (folder / "m.csv").string(), npy = (folder / "m.npy").string();
    ASSERT_EQ(runGravlab({"matrix", "plummer", "-n", "5", "-o", csv}).code, 0);
    const std::vector<std::string> lines = linesOf(contentOf(csv));
    ASSERT_EQ(lines.size(), 5u);
    ASSERT_EQ(runGravlab({"matrix", "plummer", "-n", "5", "--value", "component", "-o", npy}).code, 0);
    const std::string bytes = contentOf(npy);
    ASSERT_GT(bytes.size(), 25 * sizeof(double));
    const std::size_t head = bytes.size() - 25 * sizeof(double);
    EXPECT_EQ(head % 64, 0u);
    EXPECT_EQ(bytes.substr(0, 6), "\x93NUMPY");
    EXPECT_THAT(bytes.substr(0, head), HasSubstr("'shape': (5, 5)"));
    std::vector<double> x(25);
    std::memcpy(x.data(), bytes.data() + head, 25 * sizeof(double));
    for (std::size_t i = 0; i < 5; ++i) {
        const std::vector<double> row = numbersOf(lines[i]);
        ASSERT_EQ(row.size(), 5u);
        EXPECT_EQ(row[i], 0);
        for (std::size_t j = 0; j < 5; ++j) {
            EXPECT_EQ(x[5 * i + j], -x[5 * j + i]);
            EXPECT_LE(std::abs(x[5 * i + j]), row[j] * (1 + 1e-8));
        }
    }
    EXPECT_EQ(runGravlab({"matrix", "plummer", "-n", "5"}).code, 2);
    EXPECT_EQ(runGravlab({"matrix", "plummer", "-n", "5", "-o", (folder / "m.txt").string()}).code, 2);
    EXPECT_EQ(runGravlab({"matrix", "plummer", "-n", "5000", "-o", csv}).code, 2);
}

TEST(OwnKernelState, barriersAreCountedOutsideOfRemarks) {
    EXPECT_EQ(countIn(ownTemplateText("tiled"), "__syncthreads()"), 2);
    EXPECT_EQ(countIn(ownTemplateText("missing-barrier"), "__syncthreads()"), 1);
    EXPECT_EQ(countIn("a(); // __syncthreads();\n__syncthreads(); __syncthreads();\n", "__syncthreads()"), 2);
    OwnKernel own;
    EXPECT_EQ(stateOf(own), "none");
    own.outcome = OwnOutcome::badText;
    EXPECT_EQ(stateOf(own), "bad-text");
    own.trying = true;
    EXPECT_EQ(stateOf(own), "trying");
}

// The picture of all pair forces against forces known by hand.

std::uint32_t colourAt(const PairMatrix& matrix, std::size_t row, std::size_t column) {
    std::uint32_t colour = 0;
    std::memcpy(&colour, &matrix.picture()[4 * (row * matrix.cells() + column)], 4);
    return colour;
}

/// Red + green + blue: how bright.
unsigned light(std::uint32_t colour) { return (colour & 255) + (colour >> 8 & 255) + (colour >> 16 & 255); }

TEST(PairMatrix, cellsAreTheForcesOfTheirPairs) {
    // Masses 1, 2, 3 on a line at 0, 1, 3: forces 2, 3/9, 6/4.
    const std::vector<Double4> bodies = {{0, 0, 0, 1}, {1, 0, 0, 2}, {3, 0, 0, 3}};
    PairMatrix matrix;
    matrix.compute(bodies, {});
    ASSERT_EQ(matrix.cells(), 3u);
    EXPECT_NEAR(matrix.strongest(), 2, 1e-6);
    const auto cell = matrix.at(0.5, 0.1);
    ASSERT_TRUE(cell);
    EXPECT_EQ(cell->i, 0u);
    EXPECT_EQ(cell->j, 1u);
    EXPECT_DOUBLE_EQ(cell->force, 2);
    EXPECT_DOUBLE_EQ(cell->distance, 1);
    EXPECT_DOUBLE_EQ(matrix.at(0.9, 0.1)->force, 1.0 / 3);
    EXPECT_DOUBLE_EQ(matrix.at(0.5, 0.9)->force, 1.5);
    EXPECT_DOUBLE_EQ(matrix.at(0.5, 0.5)->force, 0);
    EXPECT_FALSE(matrix.at(1.0, 0.5));
    EXPECT_FALSE(matrix.at(-0.1, 0.5));
    // Brightness follows the force; the matrix is symmetric; the diagonal is dark.
    EXPECT_GT(light(colourAt(matrix, 0, 1)), light(colourAt(matrix, 1, 2)));
    EXPECT_GT(light(colourAt(matrix, 1, 2)), light(colourAt(matrix, 0, 2)));
    EXPECT_EQ(colourAt(matrix, 0, 2), colourAt(matrix, 2, 0));
    EXPECT_EQ(colourAt(matrix, 1, 1), matrixColour(PairMatrix::kDecades));
}

TEST(PairMatrix, softeningBluntsAndCoincidentBodiesAreDark) {
    const std::vector<Double4> bodies = {{0, 0, 0, 1}, {0, 0, 0, 1}, {1, 0, 0, 1}};
    PairMatrix matrix;
    matrix.compute(bodies, {.softening = 1});
    EXPECT_NEAR(matrix.at(0.9, 0.1)->force, std::pow(2.0, -1.5), 1e-12);
    EXPECT_NEAR(matrix.strongest(), std::pow(2.0, -1.5), 1e-6);
    EXPECT_EQ(matrix.at(0.5, 0.1)->force, 0);
    matrix.compute(bodies, {});
    EXPECT_TRUE(std::isfinite(matrix.strongest()));
    EXPECT_EQ(matrix.at(0.5, 0.1)->force, 0);
}

TEST(PairMatrix, followsTheLaw) {
    const std::vector<Double4> bodies = {{0, 0, 0, 1}, {2, 0, 0, -3}, {5, 0, 0, 2}};
    PairMatrix matrix;
    matrix.compute(bodies, {.law = kLaw<PowerLaw>, .exponent = 1});
    EXPECT_NEAR(matrix.at(0.5, 0.1)->force, 1.5, 1e-12);
    EXPECT_NEAR(matrix.strongest(), 2, 1e-6) << "6 / 3";
    matrix.compute(bodies, {.law = kLaw<Coulomb>});
    EXPECT_NEAR(matrix.at(0.5, 0.1)->force, 0.75, 1e-12);
    matrix.compute(bodies, {.law = kLaw<Coulomb>, .strength = 4});
    EXPECT_NEAR(matrix.at(0.5, 0.1)->force, 3, 1e-12);
    EXPECT_THAT(matrix.path(), testing::HasSubstr("host"));
}

TEST(PairMatrix, isCoarseBeyondAThousandAndEmptyBeyondItsLimit) {
    std::vector<Double4> bodies(2500);
    for (std::size_t i = 0; i < bodies.size(); ++i) bodies[i] = {static_cast<double>(i), 0, 0, 1};
    PairMatrix matrix;
    matrix.compute(bodies, {});
    EXPECT_EQ(matrix.stride(), 3u);
    EXPECT_EQ(matrix.cells(), 834u);
    EXPECT_EQ(matrix.picture().size(), 4u * 834 * 834);
    // The strongest pair of the last row of blocks (one body is left in it) with the first three bodies.
    EXPECT_EQ(matrix.at(0, 0.9999)->i, 833u * 3);
    EXPECT_EQ(matrix.at(0, 0.9999)->j, 2u);
    EXPECT_DOUBLE_EQ(matrix.at(0, 0.9999)->force, 1 / (2497.0 * 2497));
    EXPECT_NEAR(matrix.strongest(), 1, 1e-6);
    bodies.resize(4097);
    matrix.compute(bodies, {});
    EXPECT_EQ(matrix.cells(), 0u);
    EXPECT_FALSE(matrix.at(0.5, 0.5));
    matrix.compute({}, {});
    EXPECT_EQ(matrix.cells(), 0u);
}

}  // namespace
}  // namespace gravlab
