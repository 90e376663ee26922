// Cells of a tree over the bodies: the wishes for the picture, and the cells of one step. Rule: plain data.
#pragma once
#include "sim/backends/tree_cells.h"

#include <cstdint>

namespace gravlab {

/// The cells that are drawn as boxes.
enum class TreeBoxes {
    none,
    level,  ///< cells of one level
    acting  ///< cells that act on the selected body
};

struct TreeWish {
    TreeBoxes boxes = TreeBoxes::none;
    int level = 4;  ///< below the root
    bool operator==(const TreeWish&) const = default;
};

/// The cells at one step.
struct KnownTree {
    std::uint64_t run = 0;  ///< as Simulation has it
    std::int64_t step = 0;
    TreeWish wish;
    std::uint32_t body = 0;  ///< id of the selected body
    TreeCells cells;
};

}  // namespace gravlab
