// Limits that a process sets for itself before dangerous work.
#pragma once
#include <cstdint>

namespace gravlab {

/// Private memory that this process has claimed, as RLIMIT_DATA counts it [bytes]; 0 when the system does not report it.
std::uint64_t claimedMemory();

/// Processor time that this process has used, rounded up [s].
std::uint64_t usedProcessorSeconds();

/// Lowers the soft and hard limit of a resource of getrlimit(); this cannot be undone.
void limitForGood(int resource, std::uint64_t value);

/// Sets the soft limit and leaves the hard limit; a `value` above the hard limit is lowered to it.
void limitForNow(int resource, std::uint64_t value);

}  // namespace gravlab
