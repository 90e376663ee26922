// What a run takes of memory, known before any of it is taken.
#pragma once
#include "sim/backends/backend.h"

#include <cstddef>
#include <string>

namespace gravlab {

/// Bytes, of state and force method; what is measured beside a run takes more, and goes without where there is none.
struct MemoryNeed {
    double host = 0, device = 0;
};

/// What the backend takes for so many bodies that step by `program`, beside the scene and copies of a state on the host.
MemoryNeed memoryNeed(const BackendRow& row, std::size_t bodies, const ForceSettings& force, const KernelChoice& kernel,
                      StepProgram program = {});

/// What is free; infinite where nobody knows, and on the device of a backend that has none.
MemoryNeed freeMemory(const BackendRow& row, const BackendOptions& options);

/// "100000000 bodies need 25.7 GB on the device and 15.9 GB here".
std::string needText(const MemoryNeed& need, std::size_t bodies);

/// Throws OutOfMemoryError when less is free than is needed, with both.
void requireMemory(const MemoryNeed& need, const MemoryNeed& free, std::size_t bodies);

}  // namespace gravlab
