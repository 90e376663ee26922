// The matrix of all pair forces |F_ij|, computed by a device that holds the bodies. Rule: it is of the last complete step;
// no call waits; values go out, and what colour they have is not known here.
#pragma once
#include "sim/core/vertex.h"

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
/// Decades of force between level 0 and level 1 of a cell.
constexpr float kMatrixDecades = 7;

/// Memory for numbers that is somebody else's, as VertexSink is for vertices; the same streams and waiting.
class FloatSink {
public:
    virtual ~FloatSink() = default;
    virtual MemorySpace space() const = 0;
    /// `count` floats to be written on `stream`; null when there is no device memory any more. Throws DeviceError.
    virtual float* open(std::size_t count, void* stream) = 0;
    /// What was enqueued on `stream` so far fills them. After each open() that gave memory.
    virtual void close(void* stream) = 0;
};

struct PairMatrixRequest {
    std::uint32_t row = 0, column = 0;  ///< of the cell whose pair is wanted
    int edge = 0;                       ///< cells a side of a tile, 8, 16 or 32; 0: what suits the number of bodies
    bool kept = false;                  ///< by the device: to be timed, nothing is opened or handed out
};

/// The strongest pair of a cell, in double precision.
struct MatrixPair {
    std::uint32_t row = 0, column = 0;  ///< of the cell
    std::uint32_t i = 0, j = 0;
    double force = 0, distance = 0;  ///< [M L/T^2], [L]
};

/// What is known of a computed matrix beside its cells.
struct PairMatrixResult {
    float strongest = 0;  ///< of all pairs [M L/T^2]
    MatrixPair pair{};    ///< of the cell that was asked for
    double seconds = 0;   ///< of the device [s]
    int edge = 0;         ///< cells a side of the tiles it was computed in
};

/// What computes matrices on the backend's device; see Backend::pairMatrix(). Driven by the backend's thread.
class PairMatrixSource {
public:
    virtual ~PairMatrixSource() = default;
    /// Enqueues a level a cell into the sink's device memory, row by row: 1 for the strongest force of all pairs, 0 for
    /// forces kMatrixDecades below it and for none, linear in the logarithm between. False, and nothing is opened, when the
    /// sink takes host memory, or there are too many bodies or none. Throws DeviceError, UsageError for another edge.
    virtual bool enqueue(const PairMatrixRequest& request, FloatSink& sink) = 0;
    /// What came of the last matrix, once, when it is done.
    virtual std::optional<PairMatrixResult> take() = 0;
};

}  // namespace gravlab
