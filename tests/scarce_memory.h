// Memory that runs out where a test chooses: scarce_memory.cpp replaces operator new of the test binaries.
#pragma once
#include <cstddef>
#include <functional>

namespace gravlab::test {

inline constexpr std::size_t kOddCount = 1237;  ///< bodies; no other allocation has their number of bytes

/// During its lifetime, the next request for exactly that number of bytes, on any thread, throws std::bad_alloc. Only one
/// object may exist.
class ScarceMemory {
public:
    explicit ScarceMemory(std::size_t bytes);
    ~ScarceMemory();
    ScarceMemory(const ScarceMemory&) = delete;
    ScarceMemory& operator=(const ScarceMemory&) = delete;
    /// Whether there was such a request.
    bool refused() const;
};

/// During its lifetime, this thread's aligned allocations throw std::bad_alloc after `index` successful ones. Arrays of a
/// body's size are aligned, other data is not.
class FailingAllocation {
public:
    explicit FailingAllocation(int index);
    ~FailingAllocation();
    FailingAllocation(const FailingAllocation&) = delete;
    FailingAllocation& operator=(const FailingAllocation&) = delete;
};

/// Bytes that operator new has given out and that are not freed.
double heldBytes();
/// The most that heldBytes() was during a call, beside what it was before.
double mostBytesIn(const std::function<void()>& call);

}  // namespace gravlab::test
