// Kernels that find bodies in contact, as the host sees them: a tree of their paths, pairs, and lists of near bodies. All
// pointers are device memory. Rule: pairs and lists are in any order; the host decides and orders.
#pragma once
#include "sim/backends/cuda/kernels/packed.h"
#include "sim/backends/cuda/runtime/launch.h"
#include "sim/contact/contact.h"
#include "sim/contact/touch.h"

#include <cstdint>

namespace gravlab::cuda {

constexpr unsigned kContactThreads = 256;
/// Bodies with the longest paths or the largest radii are at most so many; each is compared with all.
constexpr unsigned kMostLarge = 64;
/// Half octaves of single precision.
constexpr unsigned kReachBins = 512;
/// Bodies of a leaf of the tree, and children of a node; levels of nodes at most.
constexpr unsigned kPathFan = 8, kPathLevels = 11;

struct ContactFacts {
    unsigned reaches[kReachBins];  ///< bodies by half their path and their radius
    unsigned extents[kReachBins];  ///< bodies by their largest coordinate
    unsigned large;
    unsigned pairs, near, nearLarge;  ///< found, also where there was no room for them
    int bin;                          ///< bodies above this bin are large
    double extent;                    ///< most coordinates are below it [L]
    double mostReach;                 ///< of bodies that are not large [L]
    std::uint32_t largeBodies[kMostLarge];
};

/// One thread a body; the search has one thread a place.
template <class Real>
struct ContactTask {
    const Vec4<Real>* bodies;  ///< positions at the end of the step
    Vec4<Real>* before;        ///< positions at its beginning
    const double* radius;
    std::uint32_t count;
    Vec4<double>* box;       ///< middle, and half the path and the radius; below 0: not finite
    Vec4<double>* half;      ///< half the way, and the radius with the allowance
    PathBounds* nodes;       ///< level by level; leaves first
    unsigned level, levels;  ///< the level that `bounds` makes; all
    unsigned firstNode[kPathLevels + 1];
    std::uint64_t *key, *sortedKey;
    std::uint32_t *index, *order;
    ContactFacts* facts;  ///< 0 before
    ContactPair *pairs, *nearLarge;
    ListRange* lists;
    std::uint32_t* near;
    unsigned pairRoom, nearRoom, nearLargeRoom;
};
/// Kernels in the order of their launches; the keys are sorted before `bounds`, which is launched for each level. `scale` is
/// one thread.
template <class Real>
struct ContactKernels {
    Kernel<ContactTask<Real>> boxes, scale, keys, bounds, search, keep;
};
template <class Real>
ContactKernels<Real> contactKernels();

}  // namespace gravlab::cuda
