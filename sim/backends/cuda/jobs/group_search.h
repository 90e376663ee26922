// The rungs of the search for groups on a device, as the table of rungs calls them. Includes no CUDA header.
#pragma once
#include "sim/backends/groups.h"

namespace gravlab::cuda {

enum class GroupWay { searchFromHost, searchOnDevice, grid, tree };

/// Bytes of device memory without the lists of friends, whose size is unknown before they are counted.
double groupBytes(GroupWay way, std::size_t bodies);
FoundGroups groupsOnDevice(GroupWay way, const ParticleSet& bodies, double length, const BackendOptions& options);

/// A thread a node or an edge, where the host or the device repeats the levels.
struct DepthWay {
    bool edges, onDevice;
};
FoundDepths depthsOnDevice(DepthWay way, const ParticleSet& bodies, double length, std::uint32_t from,
                           const BackendOptions& options);

}  // namespace gravlab::cuda
