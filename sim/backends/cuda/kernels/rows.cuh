// The walk along a row of a table of 32 rows, a thread per row: a sparse matrix times the positions. Bonds and lists of
// neighbours share it.
#pragma once
#include "sim/backends/cuda/kernels/pair.cuh"

#include <cstddef>
#include <cstdint>

namespace gravlab::cuda {

/// Columns whose loads are under way together.
constexpr std::uint32_t kColumnsTogether = 4;

/// The first entry of a row whose table begins at that column.
template <class Entry>
__device__ __forceinline__ Entry* rowEntries(Entry* entries, std::uint32_t firstColumn, std::uint32_t row) {
    return entries + static_cast<std::size_t>(firstColumn) * kTableRows + row % kTableRows;
}

template <std::uint32_t kColumns, class Read, class Add>
__device__ __forceinline__ void addColumns(const std::uint32_t* entry, const Read& read, Add& add) {
    std::uint32_t word[kColumns];
    decltype(read(0u)) other[kColumns];
#pragma unroll
    for (std::uint32_t c = 0; c < kColumns; ++c) word[c] = entry[c * kTableRows];
#pragma unroll
    for (std::uint32_t c = 0; c < kColumns; ++c) other[c] = read(word[c]);
#pragma unroll
    for (std::uint32_t c = 0; c < kColumns; ++c) add(word[c], other[c]);
}

/// Calls add(entry, read(entry)) for the entries of a row in their order. Pads are computed like other entries, to 0:
/// without a branch, the loads of several columns are under way together.
template <class Read, class Add>
__device__ __forceinline__ void walkRow(const std::uint32_t* entry, std::uint32_t columns, const Read& read, Add&& add) {
    for (; columns >= kColumnsTogether; columns -= kColumnsTogether) {
        addColumns<kColumnsTogether>(entry, read, add);
        entry += kColumnsTogether * kTableRows;
    }
    for (; columns > 0; --columns) {
        addColumns<1>(entry, read, add);
        entry += kTableRows;
    }
}

}  // namespace gravlab::cuda
