// Bonds as the rows of a sparse matrix, and as groups of bonds without a common body: the layouts that kernels work on.
// Rule: a broken bond and a pad keep their place and lead from a body to itself, where the pull is 0. So an evaluation has
// the same bits before and after a run is saved.
#pragma once
#include "sim/forces/bonds/bonds.h"

#include <cstdint>
#include <span>
#include <vector>

namespace gravlab {

/// Row i of a matrix has the bonds of body i, in the order of the list: entries first[i] to first[i + 1] - 1. A bond to a
/// missing body has no entry.
struct BondRows {
    std::vector<std::uint32_t> first;
    std::vector<std::uint32_t> other;  ///< index of the other body; the row's own where the bond is broken
    std::vector<std::uint32_t> bond;   ///< number of the bond
    std::size_t rows() const { return first.size() - 1; }
    std::size_t entries() const { return other.size(); }
    std::uint32_t length(std::size_t row) const { return first[row + 1] - first[row]; }
};
BondRows rowsOf(const Bonds& bonds, std::span<const std::uint32_t> ids);

/// Longest row, and the mean length of the rows that have entries.
struct RowLengths {
    std::uint32_t longest = 0;
    double mean = 0;
    /// How much longer the longest row is; 1 for a ring.
    double imbalance() const { return mean > 0 ? longest / mean : 1; }
};
RowLengths lengthsOf(const BondRows& rows);

/// The width of a table of equal rows beside a list of the rest: the largest length that at least a third of the rows with
/// entries have. It is the rule of paper 004, for rows that are three times faster than elements.
std::uint32_t hybridWidth(const BondRows& rows);

/// Bonds in groups, in each of which no two have a common body. Bonds of a group keep the order of the list.
struct BondColours {
    static constexpr std::size_t kMost = 64;
    std::vector<std::uint32_t> first;        ///< group c has the bonds first[c] to first[c + 1] - 1 of the arrays below
    std::vector<std::uint32_t> left, right;  ///< indices of the bodies; equal where the bond is broken
    std::vector<std::uint32_t> bond;
    std::size_t colours() const { return first.size() - 1; }
};
/// Gives each bond the first colour that is free at both bodies. Throws UsageError where 64 do not suffice.
BondColours coloursOf(const Bonds& bonds, std::span<const std::uint32_t> ids);

}  // namespace gravlab
