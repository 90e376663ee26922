// The rungs of groups on a device, as the table of rungs calls them. Includes no CUDA header.
#pragma once
#include "sim/backends/groups.h"

namespace gravlab::cuda {

enum class GroupWay { searchFromHost, searchOnDevice, grid, tree };

/// Bytes of device memory, lists of friends aside, of which nothing is known before they are counted.
double groupBytes(GroupWay way, std::size_t bodies);
FoundGroups groupsOnDevice(GroupWay way, const ParticleSet& bodies, double length, const BackendOptions& options);

}  // namespace gravlab::cuda
