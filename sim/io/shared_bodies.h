// Bodies in memory that another process shares with this one: a header, then whole arrays. How a client exchanges bodies
// with `gravlab play`. Layout: docs/python.md. Little-endian, fp64; positions [L], velocities [L/T], masses [M].
// Rule: no side can crash the other by shrinking the memory: it is mapped where it is sealed against that, else read and
// written through the descriptor.
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

/// The memory of a client in this process, kept from one exchange to the next.
class SharedMapping {
public:
    SharedMapping() = default;
    ~SharedMapping() { release(); }
    SharedMapping(const SharedMapping&) = delete;
    SharedMapping& operator=(const SharedMapping&) = delete;
    /// The first `bytes` of the memory, which has as many; null where it could shrink or cannot be mapped.
    char* of(int descriptor, std::uint64_t bytes);

private:
    void release();
    int descriptor_ = -1;
    char* begin_ = nullptr;
    std::uint64_t bytes_ = 0;
};

/// Replaces the memory behind `descriptor` by these arrays of one complete step. `measured`: energies for the header, or
/// null. `mapping`: where it is possible, threads write the arrays without a copy. Waits. Throws IoError, also for an
/// invalid descriptor; the content is then undefined.
void writeShared(int descriptor, unsigned arrays, const ParticleSet& bodies, std::int64_t step, double time,
                 const Diagnostics* measured, SharedMapping* mapping = nullptr);

/// Reads the bodies that are there; positions and masses are needed. Checks every number, as for a file. Throws InputError
/// or IoError.
Snapshot readShared(int descriptor, const ReadOptions& options);

}  // namespace gravlab
