// Cells of a tree over the bodies: what is asked of the picture, and what is known of one step. Rule: plain data.
#pragma once
#include "sim/backends/tree_cells.h"

#include <cstdint>

namespace gravlab {

/// Which cells have boxes.
enum class TreeBoxes {
    none,
    level,  ///< those of one level
    acting  ///< those that act on the selected body
};

struct TreeWish {
    TreeBoxes boxes = TreeBoxes::none;
    int level = 4;  ///< below the root's
    bool operator==(const TreeWish&) const = default;
};

/// As the bodies were at a step.
struct KnownTree {
    std::uint64_t run = 0;  ///< as Simulation has it
    std::int64_t step = 0;
    TreeWish wish;
    std::uint32_t body = 0;  ///< id of the one that they act on
    TreeCells cells;
};

}  // namespace gravlab
