// The table of rungs of the search for groups on CUDA, in every build.
#include "sim/backends/cuda/jobs/group_search.h"
#include "sim/backends/groups.h"

#include <cstddef>

namespace gravlab {
namespace {

using cuda::GroupWay;

#if GRAVLAB_HAS_CUDA
template <GroupWay kWay>
constexpr GroupRung onDevice(const char* name, const char* idea) {
    return {"cuda", name, idea, [](std::size_t bodies) { return cuda::groupBytes(kWay, bodies); },
            [](const ParticleSet& bodies, double length, const BackendOptions& options) {
                return cuda::groupsOnDevice(kWay, bodies, length, options);
            }};
}
template <bool kEdges, bool kOnDevice>
constexpr auto depthsBy = [](const ParticleSet& bodies, double length, std::uint32_t from, const BackendOptions& options) {
    return cuda::depthsOnDevice({.edges = kEdges, .onDevice = kOnDevice}, bodies, length, from, options);
};
#else
template <bool, bool>
constexpr std::nullptr_t depthsBy = nullptr;
template <GroupWay>
constexpr GroupRung onDevice(const char* name, const char* idea) {
    return {"cuda", name, idea, [](std::size_t bodies) { return 128.0 * static_cast<double>(bodies); }, nullptr};
}
#endif

constexpr GroupRung kCudaRungs[] = {
    onDevice<GroupWay::searchFromHost>(
        "bfs-host", "breadth-first search over lists of friends, level by level: the host launches each and reads a flag"),
    onDevice<GroupWay::searchOnDevice>(
        "bfs-device", "the same in one launch: a barrier over the whole device ends a level, the host is out of the loop"),
    onDevice<GroupWay::grid>("union-grid",
                             "sets are joined in one pass with atomics on their roots, cell by cell of a grid"),
    onDevice<GroupWay::tree>("union-tree",
                             "sets are joined over a tree: boxes out of reach are left out, boxes of one set taken at once"),
};

// The last one is the row for pictures.
constexpr DepthRung kCudaDepthRungs[] = {
    {"cuda", "edges-host", "a thread an edge: each level reads all of them, without a loop in a thread; the host repeats it",
     depthsBy<true, false>},
    {"cuda", "edges-device", "the same in one launch: a barrier over the whole device ends a level", depthsBy<true, true>},
    {"cuda", "nodes-device", "a thread a node, whose friends it reaches one by one; a barrier over the device ends a level",
     depthsBy<false, true>},
    {"cuda", "nodes-host", "the same, where the host launches each level and reads a flag", depthsBy<false, false>},
};

}  // namespace

std::span<const DepthRung> cudaDepthRungs() { return kCudaDepthRungs; }

std::span<const GroupRung> cudaGroupRungs() { return kCudaRungs; }

}  // namespace gravlab
