// Sorts bodies by their keys on all threads. Stable, and the same for any number of threads: pieces depend on the number of
// bodies alone.
#pragma once
#include "sim/backends/cpu/tree/raw_array.h"
#include "sim/core/thread_pool.h"

#include <cstdint>
#include <vector>

namespace gravlab::cpu {

struct KeyedBody {
    std::uint64_t key;
    std::uint32_t body;
};

/// Radix sort, least digits first, eight bits at a time. Only construction allocates.
class KeySort {
public:
    explicit KeySort(std::size_t count);

    /// What is to be sorted, and what is sorted once run() is through.
    KeyedBody* data() { return now_; }
    const KeyedBody* data() const { return now_; }

    static constexpr int kPasses = 8;
    /// One of kPasses passes, in their order.
    void pass(int number, ThreadPool& pool);

    static double bytes(std::size_t count) { return 2.0 * sizeof(KeyedBody) * static_cast<double>(count); }

private:
    std::size_t count_, grain_;
    RawArray<KeyedBody> a_, b_;
    KeyedBody *now_, *next_;
    std::vector<std::uint32_t> places_;  ///< [piece][digit]
};

}  // namespace gravlab::cpu
