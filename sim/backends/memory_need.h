// Memory of a run as one list, known before any of it is allocated. docs/memory.md has its rows.
#pragma once
#include "sim/backends/backend.h"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gravlab {

/// An array of a run, or several that are used together.
struct MemoryRow {
    std::string_view array;
    double bytes = 0;  ///< of all bodies
    bool onDevice = false;
    /// When it exists; empty: from the start to the end. What is not always needed is allocated on demand, and what then
    /// lacks memory is refused or waits: no guard counts it.
    std::string_view when{};
    bool counted = true;    ///< by the guard
    bool onHelper = false;  ///< in the memory of each helper's device, or of each rank's
};
using MemoryRows = std::vector<MemoryRow>;

/// Arrays of the host beside the backend's. `pieces`: the backend reads the bodies of the scene in pieces.
MemoryRows hostRows(std::size_t bodies, bool pieces);

/// What decides on the memory of a run, before its bodies exist.
struct RunSize {
    std::size_t bodies = 0;
    ForceSettings force{};
    KernelChoice kernel{};
    StepProgram program{};
    std::size_t sources = MassiveBodies{}.count;  ///< bodies with mass where those are few, see sourcesOf()
    std::size_t helpers = 0;                      ///< further parts: of this host's cores, or devices
    bool ranks = false;                           ///< helpers are ranks with a device each
    std::span<const Term> others{};               ///< terms beside the pair law, once they are known
    bool oneState = false;  ///< a step under way overwrites the last complete one, see mayKeepOneState()
};
/// Fills in the helpers.
void countHelpers(RunSize& run, const BackendRow& row, const BackendOptions& options);
/// Whether a device keeps one state of such a run where two do not fit. A step then ends before anything reads or changes
/// the bodies.
bool mayKeepOneState(const RunSize& run);

/// All arrays of the backend. Their sum is what the guard compares with the free memory.
MemoryRows memoryRows(const BackendRow& row, const RunSize& run);
MemoryRows cpuRows(const RunSize& run);
MemoryRows cudaRows(const RunSize& run);  ///< none in builds without CUDA

/// Bytes that a run needs.
struct MemoryNeed {
    double host = 0, device = 0, helper = 0;  ///< helper: on the device of each
    std::string where = "there";              ///< of free memory: the device
};

/// The sum of the counted rows.
MemoryNeed sumOf(const MemoryRows& rows);

/// Free memory; infinite where it is not known, and for the device of a backend that has none. Of several devices that which
/// has least beside what it needs, and `need` becomes its.
MemoryNeed freeMemory(const BackendRow& row, const BackendOptions& options, MemoryNeed& need);

/// "100000000 bodies need 25.7 GB on the device, 11 GB on each helper and 15.9 GB here".
std::string needText(const MemoryNeed& need, std::size_t bodies);

/// Throws OutOfMemoryError, with the memory needed and free, when too little is free.
void requireMemory(const MemoryNeed& need, const MemoryNeed& free, std::size_t bodies);

}  // namespace gravlab
