#include "sim/io/file/process_limit.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <fstream>

namespace gravlab {

std::uint64_t claimedMemory() {
    std::ifstream file("/proc/self/statm");
    std::uint64_t total = 0, resident = 0, shared = 0, text = 0, library = 0, data = 0;
    if (!(file >> total >> resident >> shared >> text >> library >> data)) return 0;
    return data * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

std::uint64_t usedProcessorSeconds() { return static_cast<std::uint64_t>(std::clock() / CLOCKS_PER_SEC) + 1; }

void limitForGood(int resource, std::uint64_t value) {
    rlimit now{};
    if (::getrlimit(static_cast<__rlimit_resource_t>(resource), &now) != 0) return;
    if (now.rlim_max == RLIM_INFINITY || value < now.rlim_max) now.rlim_cur = now.rlim_max = value;
    (void)::setrlimit(static_cast<__rlimit_resource_t>(resource), &now);
}

void limitForNow(int resource, std::uint64_t value) {
    rlimit now{};
    if (::getrlimit(static_cast<__rlimit_resource_t>(resource), &now) != 0) return;
    now.rlim_cur = now.rlim_max == RLIM_INFINITY ? value : std::min<rlim_t>(value, now.rlim_max);
    (void)::setrlimit(static_cast<__rlimit_resource_t>(resource), &now);
}

}  // namespace gravlab
