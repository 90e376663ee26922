// Rows of laws with a finite reach, as the table of kernels sees them.
#pragma once
#include "sim/forces/precision.h"

#include <cstddef>

namespace gravlab::cuda {

/// The walk under a law that ends, for facts of its code.
const void* cellCode(Precision precision);
const void* listCode(Precision precision);

/// Usual threads of a block. Its warps are independent.
constexpr unsigned kCellWalkThreads = 128;
inline unsigned cellWalkBlocks(std::size_t bodies, int /*multiprocessors*/, unsigned threads) {
    return static_cast<unsigned>((bodies + threads - 1) / threads);
}

}  // namespace gravlab::cuda
