// Memory of a run, known before any of it is allocated.
#pragma once
#include "sim/backends/backend.h"

#include <cstddef>
#include <string>

namespace gravlab {

/// Bytes of state and of the pair law's method. Measurements beside a run need more, and are left out where that is not
/// free. The arrays of other terms are not counted.
struct MemoryNeed {
    double host = 0, device = 0;
    std::string where = "there";  ///< of free memory: the device that has least
};

/// Memory of the backend for `bodies` bodies that step by `program`, without the scene and copies of a state on the host.
/// `sources`: the number of bodies with mass where those are few, see sourcesOf().
MemoryNeed memoryNeed(const BackendRow& row, std::size_t bodies, const ForceSettings& force, const KernelChoice& kernel,
                      StepProgram program = {}, std::size_t sources = MassiveBodies{}.count);

/// Free memory, of several devices the least; infinite where it is not known, and for the device of a backend that has none.
MemoryNeed freeMemory(const BackendRow& row, const BackendOptions& options);

/// "100000000 bodies need 25.7 GB on the device and 15.9 GB here".
std::string needText(const MemoryNeed& need, std::size_t bodies);

/// Throws OutOfMemoryError, with the memory needed and free, when too little is free.
void requireMemory(const MemoryNeed& need, const MemoryNeed& free, std::size_t bodies);

}  // namespace gravlab
