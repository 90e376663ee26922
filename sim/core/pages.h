// Memory for many bodies, brought into being by all threads: the system clears it when it is first written to, which takes
// one thread longer than filling it (10 million bodies on two cores: 3.1 of 11 s).
#pragma once
#include <cstddef>
#include <vector>

namespace gravlab {

/// Writes to each page of memory that was taken and holds nothing yet; below some MB does nothing. Any thread.
void touchPages(void* memory, std::size_t bytes);

/// Room for `count` numbers, touched. What the vector holds stays.
template <class T>
void reserveTouched(std::vector<T>& values, std::size_t count) {
    if (count <= values.capacity()) return;
    values.reserve(count);
    touchPages(values.data() + values.size(), (count - values.size()) * sizeof(T));
}

/// As resize() does, the new ones zero.
template <class T>
void resizeTouched(std::vector<T>& values, std::size_t count) {
    reserveTouched(values, count);
    values.resize(count);
}

}  // namespace gravlab
