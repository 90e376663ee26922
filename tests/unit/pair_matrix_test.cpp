// The picture of all pair forces against forces known by hand.
#include "app/bench/pair_matrix.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include "sim/forces/law.h"

#include <cmath>
#include <cstring>

namespace gravlab {
namespace {

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
