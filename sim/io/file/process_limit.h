// Limits that a process that may do harm sets itself.
#pragma once
#include <cstdint>

namespace gravlab {

/// Private memory that this process has claimed, as RLIMIT_DATA counts it [bytes]; 0 where the system does not say.
std::uint64_t claimedMemory();

/// Time of processors that this process has used, rounded up [s].
std::uint64_t usedProcessorSeconds();

/// Lowers both limits of a resource of getrlimit(); there is no way back.
void limitForGood(int resource, std::uint64_t value);

/// Sets the limit in force and leaves the one that bounds it; `value` above that one takes it.
void limitForNow(int resource, std::uint64_t value);

}  // namespace gravlab
