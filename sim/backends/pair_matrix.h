// The matrix of all pair forces |F_ij|, painted by a device that holds the bodies. Rule: what is painted is the last
// complete step; no call waits.
#pragma once
#include "sim/core/vertex.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace gravlab {

/// Most bodies and most cells a side of the matrix; a cell stands for stride x stride pairs.
constexpr std::size_t kMatrixBodies = 4096, kMatrixCells = 1024;
constexpr std::size_t matrixStride(std::size_t bodies) { return (bodies + kMatrixCells - 1) / kMatrixCells; }
constexpr std::size_t matrixCells(std::size_t bodies) {
    return bodies == 0 ? 0 : (bodies + matrixStride(bodies) - 1) / matrixStride(bodies);
}
/// Decades of force between the first and the last colour.
constexpr float kMatrixDecades = 7;
/// Packed RGBA, weakest first.
using MatrixColours = std::array<std::uint32_t, 256>;

/// The strongest pair of a cell, in double precision.
struct MatrixPair {
    std::uint32_t row = 0, column = 0;  ///< of the cell
    std::uint32_t i = 0, j = 0;
    double force = 0, distance = 0;  ///< [M L/T^2], [L]
};

/// What is known of a painted matrix.
struct PaintedMatrix {
    float strongest = 0;  ///< of all pairs
    MatrixPair pair{};    ///< of the cell that was asked for
    double seconds = 0;   ///< of the device
    int edge = 0;         ///< cells a side of the tiles it was computed in
};

/// What a backend offers when its device can paint; see Backend::pairMatrix().
class PairMatrixSource {
public:
    virtual ~PairMatrixSource() = default;
    /// Enqueues the picture into the sink's device memory: a pixel a cell, in rows, four to a vertex; `row` and `column`
    /// name the cell whose pair is wanted. `edge`: cells a side of a tile, 8, 16 or 32; 0: what suits the number of bodies.
    /// False when the sink takes host memory or there are too many bodies or none. Throws DeviceError.
    virtual bool paintMatrix(const MatrixColours& colours, std::uint32_t row, std::uint32_t column, int edge,
                             VertexSink& sink) = 0;
    /// What came of the last painting, once, when it is done.
    virtual std::optional<PaintedMatrix> takeMatrix() = 0;
};

}  // namespace gravlab
