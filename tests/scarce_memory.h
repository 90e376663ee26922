// Memory that runs out where a test says so: scarce_memory.cpp replaces operator new of the test binaries.
#pragma once
#include <cstddef>

namespace gravlab::test {

inline constexpr std::size_t kOddCount = 1237;  ///< bodies: nothing else takes that many bytes

/// During its lifetime, the next request for exactly that number of bytes, on any thread, gets std::bad_alloc. One at a
/// time.
class ScarceMemory {
public:
    explicit ScarceMemory(std::size_t bytes);
    ~ScarceMemory();
    ScarceMemory(const ScarceMemory&) = delete;
    ScarceMemory& operator=(const ScarceMemory&) = delete;
    /// Whether there was such a request.
    bool refused() const;
};

/// As long as it lives, this thread's aligned allocations get std::bad_alloc after `index` others. Everything of a body's
/// size is aligned, other things are not.
class FailingAllocation {
public:
    explicit FailingAllocation(int index);
    ~FailingAllocation();
    FailingAllocation(const FailingAllocation&) = delete;
    FailingAllocation& operator=(const FailingAllocation&) = delete;
};

}  // namespace gravlab::test
