// The cells of an octree for display: those of one level, or those that act on one body, and how they act. The host computes
// them, whichever backend runs, by the tree and the criterion of the tree rows.
#pragma once
#include "sim/api/law.h"
#include "sim/api/vectors.h"
#include "sim/core/particles.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace gravlab {

/// How a cell contributes to the force on a group of bodies.
enum class CellUse {
    none,     ///< the cell is listed by level
    bodies,   ///< each of its bodies acts by itself
    cell,     ///< its moments act on each body of the group
    expanded  ///< its moments are in the one expansion about the group
};

/// The cube of a cell; where bodies lie outside it, as the few very distant ones do, the box of the bodies.
struct CellBox {
    Vec3d low, high;  ///< [L]
    std::uint32_t bodies = 0;
    CellUse use = CellUse::none;
};

/// Most boxes that are drawn: among more, none could be seen.
constexpr std::size_t kMostCellBoxes = 4000;
/// Most bodies of which a tree is shown.
constexpr std::size_t kMostTreeBodies = std::size_t{1} << 22;

struct TreeQuestion {
    int level = 0;                    ///< level whose cells are wanted when no body is given
    std::optional<std::size_t> body;  ///< index of the body that the cells act on
    std::string_view kernel;          ///< a tree row; any other name is read as "tree"
    double allowedError = 0;          ///< for rows that use it; 0: their usual
    double opening = 0;               ///< for rows with an opening angle; 0: their usual
};

struct TreeCells {
    int levels = 0;              ///< of the tree, the root included
    std::size_t cells = 0;       ///< cells of the level, or cells that act
    std::size_t deepest = 0;     ///< deepest level with at most kMostCellBoxes cells
    std::vector<CellBox> boxes;  ///< all of them, or none where there are more than kMostCellBoxes
    // For a body.
    std::vector<std::uint32_t> group;                      ///< indices of the bodies that the cells act on together
    std::size_t single = 0;                                ///< bodies that act one by one, itself included
    std::size_t singleCells = 0, alone = 0, expanded = 0;  ///< cells of each use: bodies, cell, expanded
};

/// Runs on the calling thread. Throws std::bad_alloc.
TreeCells treeCells(const ParticleSet& bodies, const ForceSettings& force, const TreeQuestion& question);

}  // namespace gravlab
