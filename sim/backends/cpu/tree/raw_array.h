// Memory for numbers that are written before they are read. Rule: nothing touches it before, so that what is never needed of
// a bound takes no memory.
#pragma once
#include <cstddef>
#include <memory>
#include <type_traits>

namespace gravlab::cpu {

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

}  // namespace gravlab::cpu
