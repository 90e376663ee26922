// Arrays on cache-line boundaries for vector loads. Rule: the length is padded to whole tiles and the padding is zero, so
// that a kernel may read and write past the last body.
#pragma once
#include "sim/api/vectors.h"
#include "sim/core/pages.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <new>
#include <span>
#include <utility>

namespace gravlab {

/// Bodies per tile: the unit of every array's padding, and the length of an fp32 partial sum.
constexpr std::size_t kTile = 256;

constexpr std::size_t roundUp(std::size_t count, std::size_t unit) { return (count + unit - 1) / unit * unit; }

/// A zeroed array of numbers, 64-byte aligned, padded to whole tiles. Throws std::bad_alloc.
template <class T>
class AlignedArray {
public:
    AlignedArray() = default;
    explicit AlignedArray(std::size_t count) : padded_(roundUp(count, kTile)) {
        if (padded_ == 0) return;
        data_ = static_cast<T*>(::operator new(padded_ * sizeof(T), kAlignment));
        touchPages(data_, padded_ * sizeof(T));
        std::fill_n(data_, padded_, T{});
    }
    ~AlignedArray() { ::operator delete(data_, kAlignment); }
    AlignedArray(AlignedArray&& other) noexcept { swap(other); }
    AlignedArray& operator=(AlignedArray&& other) noexcept {
        swap(other);
        return *this;
    }

    T* data() { return data_; }
    const T* data() const { return data_; }
    T& operator[](std::size_t i) { return data_[i]; }
    const T& operator[](std::size_t i) const { return data_[i]; }
    std::size_t padded() const { return padded_; }  ///< length with padding

private:
    void swap(AlignedArray& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(padded_, other.padded_);
    }

    static constexpr std::align_val_t kAlignment{64};
    T* data_ = nullptr;
    std::size_t padded_ = 0;
};

/// x, y and z of `count` bodies, each in its own array.
template <class T>
struct VectorArrays {
    std::array<AlignedArray<T>, 3> axis;

    VectorArrays() = default;
    explicit VectorArrays(std::size_t count)
        : axis{AlignedArray<T>(count), AlignedArray<T>(count), AlignedArray<T>(count)} {}
    std::array<const T*, 3> data() const { return {axis[0].data(), axis[1].data(), axis[2].data()}; }
};

namespace cpu {
/// Positions [L] and sources of bodies, rounded to T.
template <class T>
struct BodyArrays {
    VectorArrays<T> x;
    AlignedArray<T> source;

    explicit BodyArrays(std::span<const Double4> bodies) : x(bodies.size()), source(bodies.size()) {
        for (std::size_t i = 0; i < bodies.size(); ++i) {
            x.axis[0][i] = static_cast<T>(bodies[i].x);
            x.axis[1][i] = static_cast<T>(bodies[i].y);
            x.axis[2][i] = static_cast<T>(bodies[i].z);
            source[i] = static_cast<T>(bodies[i].w);
        }
    }
};

}  // namespace cpu

}  // namespace gravlab
