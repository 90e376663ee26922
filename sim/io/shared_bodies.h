// Bodies in memory that another process shares with this one: a header, then whole arrays. How a client exchanges bodies
// with `gravlab play`. Layout: docs/python.md. Little-endian, fp64, in the units of the run.
// Rule: no side can crash the other by shrinking the memory: it is mapped where it is sealed against that, else read and
// written through the descriptor.
#pragma once
#include "sim/core/particles.h"
#include "sim/io/snapshot.h"
#include "sim/run/configuration.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace gravlab {

struct Diagnostics;
class Source;

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

/// From names with blanks or commas between them, such as "positions,ids"; "energies" is one of them, and "header" adds no
/// array. Throws UsageError that lists the names.
unsigned sharedArraysOf(std::string_view names);

/// Units of the numbers in the memory: those that the bodies came in, else those of the scene, else [L], [M] and [T].
struct ArrayUnits {
    FileUnits of{};  ///< of lengths, masses and velocities
    std::string time{};
    double timeScale = 1;  ///< one [T] in `time`
    /// "kpc, km/s, Msun, Myr": of lengths, velocities, masses and times.
    std::string words() const;
};
ArrayUnits arrayUnits(const RunConfiguration& run, const Scene& scene);

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
                 const Diagnostics* measured, const ArrayUnits& units = {}, SharedMapping* mapping = nullptr);

/// Reads the bodies that are there; positions and masses are needed. Without options.units their numbers are in `units`.
/// Checks every number, as for a file. Throws InputError or IoError.
Snapshot readShared(int descriptor, const ReadOptions& options, const ArrayUnits& units = {});

/// Replaces what the arrays have of each of these bodies, in their order. Throws likewise, also for another number of them.
void replaceShared(int descriptor, const ReadOptions& options, const ArrayUnits& units, ParticleSet& bodies);

/// Whether a file is such a memory, which a client names to begin with it; and its reader.
bool looksShared(const Source& source);
Snapshot readSharedFile(Source& source, const ReadOptions& options);
inline constexpr std::string_view kSharedFormat = "memory";
/// Name of a run of such bodies.
inline constexpr std::string_view kSharedRun = "bodies of a client";

}  // namespace gravlab
