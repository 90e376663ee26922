// The rungs that find groups of bodies, by backend. Rule: all of them give the labels that every pair gives, bit for bit.
#pragma once
#include "sim/backends/backend.h"
#include "sim/groups/groups.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gravlab {

/// What a rung found.
struct FoundGroups {
    std::vector<std::uint32_t> labels;  ///< of each body, the smallest index in its group
    double seconds = 0;                 ///< from places to labels, where they are computed: without copies to and from it
    std::vector<MethodFigure> figures;  ///< levels, sweeps, friends: what the rung tells of itself
};

/// A row of the table of rungs.
struct GroupRung {
    std::string_view backend, name;
    std::string_view idea;  ///< one line
    /// Memory that it takes beside the bodies [bytes]. Where that depends on how they lie, what it takes before it has
    /// counted; it then says how much there would be, and refuses before it takes it.
    double (*bytes)(std::size_t bodies);
    /// Throws OutOfMemoryError naming the rung that fits, DeviceError. Null in builds that lack the backend.
    FoundGroups (*find)(const ParticleSet& bodies, double length, const BackendOptions& options);
};

/// All rungs, backend by backend; of a backend the fastest is last.
std::span<const GroupRung> groupRungs();
/// The rung of that name on that backend, the fastest for an empty one. Throws UsageError naming the valid ones.
const GroupRung& groupRung(std::string_view backend, std::string_view name = {});
/// The first rung of that name, on whatever backend. Throws UsageError naming the valid ones.
const GroupRung& groupRungNamed(std::string_view name);

/// Labels by that rung. Throws OutOfMemoryError before memory is taken that is not there, NoDeviceError.
FoundGroups findGroups(const GroupRung& rung, const ParticleSet& bodies, double length, const BackendOptions& options);

// groups.cpp joins them.
std::span<const GroupRung> referenceGroupRungs();
std::span<const GroupRung> cpuGroupRungs();
std::span<const GroupRung> cudaGroupRungs();

}  // namespace gravlab
