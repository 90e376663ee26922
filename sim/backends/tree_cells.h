// The cells of an octree over some bodies, to be looked at: those of one level, or those that act on one body and how.
// Computed on the host whatever computes the run, by the tree and the criterion that the rows of trees have.
#pragma once
#include "sim/core/particles.h"
#include "sim/core/vec3.h"
#include "sim/forces/force_settings.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace gravlab {

/// How a cell comes into the force on a group of bodies.
enum class CellUse {
    none,     ///< of a level
    bodies,   ///< each of its bodies acts by itself
    cell,     ///< its moments act on each body of the group
    expanded  ///< its moments are in the one expansion about the group
};

/// The cube of a cell; where bodies are out of it, as of the few that are very far out, their own box.
struct CellBox {
    Vec3d low, high;  ///< [L]
    std::uint32_t bodies = 0;
    CellUse use = CellUse::none;
};

/// Boxes that are drawn at most: of more one would see none.
constexpr std::size_t kMostCellBoxes = 4000;
/// Bodies of which a tree is looked at.
constexpr std::size_t kMostTreeBodies = std::size_t{1} << 22;

struct TreeQuestion {
    int level = 0;                    ///< whose cells are wanted where no body is
    std::optional<std::size_t> body;  ///< index of the one that cells act on
    std::string_view kernel;          ///< row of a tree; any other name is read as "tree"
    double allowedError = 0;          ///< of rows that it turns; 0: their usual
    double opening = 0;               ///< of rows that go by an angle; 0: their usual
};

struct TreeCells {
    int levels = 0;              ///< of the tree, the root's included
    std::size_t cells = 0;       ///< of the level, or that act
    std::size_t deepest = 0;     ///< level with at most kMostCellBoxes cells that is the deepest of these
    std::vector<CellBox> boxes;  ///< all of them, or none where they are more than kMostCellBoxes
    // Of a body.
    std::vector<std::uint32_t> group;                      ///< indices of the bodies that the cells act on together
    std::size_t single = 0;                                ///< bodies that act one by one, itself included
    std::size_t singleCells = 0, alone = 0, expanded = 0;  ///< cells of each use: bodies, cell, expanded
};

/// On the calling thread. Throws std::bad_alloc.
TreeCells treeCells(const ParticleSet& bodies, const ForceSettings& force, const TreeQuestion& question);

}  // namespace gravlab
