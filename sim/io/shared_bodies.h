// Bodies in memory that another process shares with this one: a header, then whole arrays. How a client exchanges bodies
// with `gravlab play`. Layout: docs/python.md. Little-endian, fp64; positions [L], velocities [L/T], masses [M].
// Rule: both sides read and write through the descriptor, so that neither can crash the other by shrinking the memory.
#pragma once
#include "sim/core/particles.h"
#include "sim/io/snapshot.h"

#include <cstdint>
#include <string_view>

namespace gravlab {

struct Diagnostics;

/// Arrays of a block, in their order in it.
enum SharedArrays : unsigned {
    kSharedPositions = 1,   ///< x, y, z
    kSharedVelocities = 2,  ///< x, y, z
    kSharedMasses = 4,      ///< or charges
    kSharedIds = 8,         ///< 32 bits each
    kSharedGroups = 16,     ///< 8 bits each
    kSharedResponses = 32,  ///< 1 for gravity
    kSharedEnergies = 256   ///< no array: kinetic and potential energy and the momenta, in the header
};

/// From names with blanks or commas between them, such as "positions,ids"; "energies" is one of them. Throws UsageError that
/// lists the names.
unsigned sharedArraysOf(std::string_view names);

/// Replaces the memory behind `descriptor` by these arrays of one complete step. `measured`: energies for the header, or
/// null. Waits. Throws IoError, also for an invalid descriptor; the content is then undefined.
void writeShared(int descriptor, unsigned arrays, const ParticleSet& bodies, std::int64_t step, double time,
                 const Diagnostics* measured);

/// Reads the bodies that are there; positions and masses are needed. Checks every number, as for a file. Throws InputError
/// or IoError.
Snapshot readShared(int descriptor, const ReadOptions& options);

}  // namespace gravlab
