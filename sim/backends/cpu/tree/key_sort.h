// Sorts bodies by their keys on all threads. The sort is stable, and its result is the same for any number of threads,
// because pieces depend on the number of bodies alone.
#pragma once
#include "sim/core/thread_pool.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <vector>

namespace gravlab::cpu {

/// Memory for numbers that are written before they are read. Nothing touches it before, so an unused end costs none.
template <class T>
class RawArray {
    static_assert(std::is_trivially_copyable_v<T>);

public:
    RawArray() = default;
    /// Throws std::bad_alloc.
    explicit RawArray(std::size_t count) : data_(std::make_unique_for_overwrite<T[]>(count)), size_(count) {}
    T* data() { return data_.get(); }
    const T* data() const { return data_.get(); }
    T& operator[](std::size_t i) { return data_[i]; }
    const T& operator[](std::size_t i) const { return data_[i]; }
    std::size_t size() const { return size_; }

private:
    std::unique_ptr<T[]> data_;
    std::size_t size_ = 0;
};

struct KeyedBody {
    std::uint64_t key;
    std::uint32_t body;
};

/// Radix sort, least digits first, eight bits at a time. Only construction allocates.
class KeySort {
public:
    explicit KeySort(std::size_t count);

    /// The bodies to sort; sorted after run().
    KeyedBody* data() { return now_; }
    const KeyedBody* data() const { return now_; }

    static constexpr int kPasses = 8;
    /// Runs one of kPasses passes; call them in order.
    void pass(int number, ThreadPool& pool);
    /// Frees what the passes need beside the bodies.
    void end() { (now_ == a_.data() ? b_ : a_) = {}; }

    static double bytes(std::size_t count) { return 2.0 * sizeof(KeyedBody) * static_cast<double>(count); }

private:
    std::size_t count_, grain_;
    RawArray<KeyedBody> a_, b_;
    KeyedBody *now_, *next_;
    std::vector<std::uint32_t> places_;  ///< [piece][digit]
};

}  // namespace gravlab::cpu
