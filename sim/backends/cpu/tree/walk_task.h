// What a walk of a tree is asked under a force.
#pragma once
#include "sim/backends/cpu/tree/octree.h"
#include "sim/backends/force_method.h"

namespace gravlab::cpu {

/// Whether cells need first moments, see Octree::takeSigned().
inline bool signedCells(const ForceSettings& force) { return treeLaw(force) == TreeLaw::charges; }

/// The task of that rung, of a tree whose moments are made: all but where results go, |a| of before and its floor. An
/// opening angle of 0 is the usual one, an allowed error of 0, too. The force must be one that cells know.
TreeWalkTask walkTask(const Octree& tree, TreeWalk walk, const ForceRequest& request);

}  // namespace gravlab::cpu
