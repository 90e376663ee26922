// The table of rungs of the search for groups on CUDA, in every build.
#include "sim/backends/cuda/jobs/group_search.h"
#include "sim/backends/groups.h"

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
#else
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

}  // namespace

std::span<const GroupRung> cudaGroupRungs() { return kCudaRungs; }

}  // namespace gravlab
