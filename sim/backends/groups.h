// The rows that find groups of bodies, by backend. Rule: all give the labels of the search over all pairs, bit for bit.
#pragma once
#include "sim/backends/backend.h"
#include "sim/groups/groups.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace gravlab {

/// Result of a row.
struct FoundGroups {
    std::vector<std::uint32_t> labels;  ///< smallest index in the group of each body
    double seconds = 0;                 ///< from positions to labels, without copies to and from the device
    std::vector<MethodFigure> figures;  ///< figures of the row: levels, sweeps, friends
};

/// A row of the table of rows.
struct GroupRow {
    std::string_view backend, name;
    std::string_view idea;  ///< one line
    /// Memory that it takes beside the bodies [bytes]. Where that depends on their positions, this is the memory before it
    /// has counted; it then reports the full need and refuses before it allocates.
    double (*bytes)(std::size_t bodies);
    /// Throws OutOfMemoryError naming the row that fits, DeviceError. Null in builds that lack the backend.
    FoundGroups (*find)(const ParticleSet& bodies, double length, const BackendOptions& options);
};

/// All rows, backend by backend; the fastest of each backend is last.
std::span<const GroupRow> groupRows();
/// The row of that name on that backend, the fastest for an empty one. Throws UsageError naming the valid ones.
const GroupRow& groupRow(std::string_view backend, std::string_view name = {});
/// The first row of that name, on whatever backend. Throws UsageError naming the valid ones.
const GroupRow& groupRowNamed(std::string_view name);

/// Finds groups by that row and returns the labels. Throws NoDeviceError, and OutOfMemoryError before it allocates more
/// memory than is free.
FoundGroups findGroups(const GroupRow& row, const ParticleSet& bodies, double length, const BackendOptions& options);

/// Result of a depth row.
struct FoundDepths {
    std::vector<std::uint32_t> depths;  ///< see depthsByPairs()
    double seconds = 0;                 ///< from positions to depths, without copies to and from the device
    std::vector<MethodFigure> figures;  ///< levels; friends, and visits of nodes and edges, a body
};
/// A row of the table of searches for depths, level by level from one body.
struct DepthRow {
    std::string_view backend, name;
    std::string_view idea;  ///< one line
    /// Throws OutOfMemoryError, DeviceError. Null in builds that lack the backend.
    FoundDepths (*find)(const ParticleSet& bodies, double length, std::uint32_t from, const BackendOptions& options);
};
std::span<const DepthRow> depthRows();
/// The row of that name on that backend, its last one for an empty name. Throws UsageError naming the valid ones.
const DepthRow& depthRow(std::string_view backend, std::string_view name = {});
/// Throws NoDeviceError, and UsageError where there is no body `from`.
FoundDepths findDepths(const DepthRow& row, const ParticleSet& bodies, double length, std::uint32_t from,
                       const BackendOptions& options);

// groups.cpp joins them.
std::span<const GroupRow> referenceGroupRows();
std::span<const GroupRow> cpuGroupRows();
std::span<const GroupRow> cudaGroupRows();
std::span<const DepthRow> referenceDepthRows();
std::span<const DepthRow> cpuDepthRows();
std::span<const DepthRow> cudaDepthRows();

}  // namespace gravlab
