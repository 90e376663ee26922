// Finds contacts after each step, where the bodies are, and copies what their resolution reads. Rule: without pairs in
// contact one small copy reaches the host.
#pragma once
#include "sim/backends/cuda/kernels/body_changes.h"
#include "sim/backends/cuda/kernels/packed.h"
#include "sim/backends/cuda/runtime/memory.h"
#include "sim/contact/contact.h"
#include "sim/contact/touch.h"
#include "sim/core/particles.h"

#include <cstdint>
#include <vector>

namespace gravlab::cuda {

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

/// All pointers are device memory. One thread a body; the search has one thread a place, `scale` one thread. The keys are
/// sorted before the bounds, which are launched for each level.
template <class Real>
struct ContactTask {
    const Vec4<Real>* bodies;  ///< positions at the end of the step
    Vec4<Real>* before;        ///< positions at its beginning
    double* radius;
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

template <class Real>
class ContactScan {
public:
    explicit ContactScan(Stream stream);

    /// Paths begin at `bodies`, in device memory. Throws OutOfMemoryError.
    void begin(const Vec4<Real>* bodies, const std::vector<Surface>& surfaces);
    /// Fills `found` with all but ids, surfaces and heavy bodies; false: no pair touches. Waits for the stream.
    bool find(const Vec4<Real>* bodies, const Vec4<Real>* velocities, FoundContacts& found);
    /// Bodies changed, and `count` are left: paths begin at `bodies`.
    void change(const DeviceChanges& changes, std::uint32_t count, const Vec4<Real>* bodies);
    std::uint32_t count() const { return task_.count; }

private:
    using V = Vec4<Real>;
    const ContactTask<Real>& task(const V* bodies);
    void keep(const V* bodies);
    void reserve(std::uint32_t count);

    Stream stream_;
    ContactTask<Real> task_{};
    DeviceArrays arrays_;  ///< of the task, without those that the host copies
    double* spareRadius_ = nullptr;
    Copied<V> before_;
    PinnedArray<V> positions_, velocities_;
    Copied<std::uint32_t> order_, near_;
    Copied<ListRange> lists_;
    Copied<ContactPair> pairs_, nearLarge_;
    DeviceArray<std::uint8_t> scratch_;
    Copied<ContactFacts> facts_;
};

}  // namespace gravlab::cuda
