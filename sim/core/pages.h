// Allocates and frees memory for many bodies with all threads. The system clears a page when it is first written. For one
// thread this takes longer than filling it (10 million bodies on two cores: 3.1 of 11 s).
#pragma once
#include <cstddef>
#include <vector>

namespace gravlab {

/// Writes to each page of allocated, empty memory; does nothing below some MB. Any thread.
void touchPages(void* memory, std::size_t bytes);

/// Gives the pages of a vector that ends now back to the system with all threads; its numbers are lost. One thread needs 0.2
/// s per GB.
void dropPages(void* memory, std::size_t bytes);
template <class T>
void dropPages(std::vector<T>& values) {
    dropPages(values.data(), values.capacity() * sizeof(T));
}

/// Reserves and touches memory for `count` numbers. The content of the vector stays.
template <class T>
void reserveTouched(std::vector<T>& values, std::size_t count) {
    if (count <= values.capacity()) return;
    values.reserve(count);
    touchPages(values.data() + values.size(), (count - values.size()) * sizeof(T));
}

/// A copy in touched memory.
template <class T>
std::vector<T> copyTouched(const std::vector<T>& from) {
    std::vector<T> to;
    reserveTouched(to, from.size());
    to = from;
    return to;
}

/// Like resize(); new numbers are zero.
template <class T>
void resizeTouched(std::vector<T>& values, std::size_t count) {
    reserveTouched(values, count);
    values.resize(count);
}

}  // namespace gravlab
