// Limits that a process sets for itself before dangerous work.
#pragma once
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <ctime>
#include <fstream>

namespace gravlab {

/// Private memory that this process has claimed, as RLIMIT_DATA counts it [bytes]; 0 when the system does not report it.
inline std::uint64_t claimedMemory() {
    std::ifstream file("/proc/self/statm");
    std::uint64_t total = 0, resident = 0, shared = 0, text = 0, library = 0, data = 0;
    if (!(file >> total >> resident >> shared >> text >> library >> data)) return 0;
    return data * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

/// Processor time that this process has used, rounded up [s].
inline std::uint64_t usedProcessorSeconds() { return static_cast<std::uint64_t>(std::clock() / CLOCKS_PER_SEC) + 1; }

/// Lowers the soft and hard limit of a resource of getrlimit(); this cannot be undone.
inline void limitForGood(int resource, std::uint64_t value) {
    rlimit now{};
    if (::getrlimit(static_cast<__rlimit_resource_t>(resource), &now) != 0) return;
    if (now.rlim_max == RLIM_INFINITY || value < now.rlim_max) now.rlim_cur = now.rlim_max = value;
    (void)::setrlimit(static_cast<__rlimit_resource_t>(resource), &now);
}

/// Sets the soft limit and leaves the hard limit; a `value` above the hard limit is lowered to it.
inline void limitForNow(int resource, std::uint64_t value) {
    rlimit now{};
    if (::getrlimit(static_cast<__rlimit_resource_t>(resource), &now) != 0) return;
    now.rlim_cur = now.rlim_max == RLIM_INFINITY ? value : std::min<rlim_t>(value, now.rlim_max);
    (void)::setrlimit(static_cast<__rlimit_resource_t>(resource), &now);
}

}  // namespace gravlab
