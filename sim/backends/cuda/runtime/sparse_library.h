// cuSPARSE, opened by name at its first use, so that the program runs without it. Rule: no header of the library here.
#pragma once
#include "sim/backends/cuda/runtime/api.h"

#include <cstdint>
#include <memory>
#include <string>

namespace gravlab::cuda {

/// Why the library cannot be used: missing, or another version; empty when it can.
std::string whyNoSparseLibrary();

/// y = A x for a square matrix in rows and a dense matrix of four columns, in float or double. All arrays are in device
/// memory and belong to the caller; columns of A in a row may be in any order.
template <class Real>
class SparseProduct {
public:
    struct Matrix {
        std::uint32_t rows = 0, entries = 0;
        std::uint32_t *first = nullptr, *column = nullptr;  ///< numbers below 2^31
        Real* values = nullptr;
    };
    /// `x` and `y` have four numbers a row. Throws UsageError with whyNoSparseLibrary(), DeviceError when the library fails.
    SparseProduct(const Matrix& matrix, Real* x, Real* y, Stream stream);
    ~SparseProduct();
    SparseProduct(const SparseProduct&) = delete;
    SparseProduct& operator=(const SparseProduct&) = delete;
    /// Enqueues the product of the present values. Throws DeviceError.
    void multiply();

private:
    struct Handles;
    std::unique_ptr<Handles> handles_;
};

}  // namespace gravlab::cuda
