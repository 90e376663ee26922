#include "tests/scarce_memory.h"

#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <new>

namespace gravlab::test {
namespace {

std::atomic<std::size_t> refusedSize = 0;  // 0: none
thread_local int allocationsLeft = -1;     // successful ones before the failure; below 0: never fails
std::atomic<long> held = 0, most = 0;      // bytes

void* counted(void* memory) {
    if (!memory) return memory;
    const auto bytes = static_cast<long>(malloc_usable_size(memory));
    const long now = held.fetch_add(bytes, std::memory_order_relaxed) + bytes;
    for (long known = most; known < now && !most.compare_exchange_weak(known, now);) {
    }
    return memory;
}
void* orFail(void* memory) {
    if (!memory) throw std::bad_alloc();
    return counted(memory);
}
void freed(void* memory) {
    if (memory) held.fetch_sub(static_cast<long>(malloc_usable_size(memory)), std::memory_order_relaxed);
    std::free(memory);
}

void failWherePlanned(std::size_t bytes) {
    if (bytes != 0 && refusedSize.compare_exchange_strong(bytes, 0)) throw std::bad_alloc();
}

}  // namespace

ScarceMemory::ScarceMemory(std::size_t bytes) { refusedSize = bytes; }
ScarceMemory::~ScarceMemory() { refusedSize = 0; }
bool ScarceMemory::refused() const { return refusedSize == 0; }

FailingAllocation::FailingAllocation(int index) { allocationsLeft = index; }
FailingAllocation::~FailingAllocation() { allocationsLeft = -1; }

double heldBytes() { return static_cast<double>(held); }

double mostBytesIn(const std::function<void()>& call) {
    const long before = most = held.load();
    call();
    return static_cast<double>(most - before);
}

}  // namespace gravlab::test

using namespace gravlab::test;

namespace {

void* taken(std::size_t bytes) {
    failWherePlanned(bytes);
    return orFail(std::malloc(bytes == 0 ? 1 : bytes));
}
void* taken(std::size_t bytes, std::align_val_t alignment) {
    if (allocationsLeft == 0) throw std::bad_alloc();
    if (allocationsLeft > 0) --allocationsLeft;
    failWherePlanned(bytes);
    if (bytes > PTRDIFF_MAX) throw std::bad_alloc();
    const auto unit = static_cast<std::size_t>(alignment);
    return orFail(std::aligned_alloc(unit, (bytes + unit - 1) / unit * unit));
}

}  // namespace

// All forms: a sanitizer has its own versions of missing ones, and reports memory allocated by one and freed by the other as
// a mistake. System libraries use the forms that never throw; no test lets them fail.
void* operator new(std::size_t bytes) { return taken(bytes); }
void* operator new[](std::size_t bytes) { return taken(bytes); }
void* operator new(std::size_t bytes, std::align_val_t alignment) { return taken(bytes, alignment); }
void* operator new[](std::size_t bytes, std::align_val_t alignment) { return taken(bytes, alignment); }
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
    return counted(std::malloc(bytes == 0 ? 1 : bytes));
}
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept {
    return counted(std::malloc(bytes == 0 ? 1 : bytes));
}
void operator delete(void* memory) noexcept { freed(memory); }
void operator delete[](void* memory) noexcept { freed(memory); }
void operator delete(void* memory, std::size_t) noexcept { freed(memory); }
void operator delete[](void* memory, std::size_t) noexcept { freed(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { freed(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { freed(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { freed(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { freed(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { freed(memory); }
void operator delete[](void* memory, const std::nothrow_t&) noexcept { freed(memory); }
