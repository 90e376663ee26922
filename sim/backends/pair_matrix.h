// The matrix of all pair forces |F_ij|, computed by a device that holds the bodies. Rule: it is of the last complete step;
// no call waits; values go out, and what colour they have is not known here.
#pragma once
#include "sim/core/host_device.h"
#include "sim/core/vertex.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace gravlab {

/// Most bodies and most cells a side of the matrix; a cell stands for stride x stride pairs.
constexpr std::size_t kMatrixBodies = 4096, kMatrixCells = 1024;
constexpr std::size_t matrixStride(std::size_t bodies) { return (bodies + kMatrixCells - 1) / kMatrixCells; }
constexpr std::size_t matrixCells(std::size_t bodies) {
    return bodies == 0 ? 0 : (bodies + matrixStride(bodies) - 1) / matrixStride(bodies);
}
/// Decades of force between level 0 and level 1 of a cell.
constexpr float kMatrixDecades = 7;

/// What a cell shows of its pair: the size of the force, of the potential energy, the part of the force on i along x with
/// its sign, or the distance. Of a block of pairs the one whose value is the largest, signs left out.
enum class PairValue { force, potential, component, distance };
std::span<const std::string_view> pairValueNames();
std::string_view nameOf(PairValue value);
/// Throws UsageError naming the valid ones and the nearest.
PairValue pairValue(std::string_view name);

/// What a pair has, where `product` is that of the sources and `dx` the partner's place minus one's own along x; the factor
/// of the law is left out. A law is one of sim/forces/law.h.
template <class PairLaw, class Real>
GRAVLAB_HOST_DEVICE Real valueOfPair(PairValue value, const PairLaw& law, Real product, Real dx, Real squared) {
    using std::abs, std::sqrt;
    switch (value) {
        case PairValue::potential:
            return abs(product * law.potential(squared));
        case PairValue::component:
            return product * law.forceOverDistance(squared) * dx;
        case PairValue::distance:
            return sqrt(squared);
        case PairValue::force:
            break;
    }
    return abs(product * law.forceOverDistance(squared)) * sqrt(squared);
}

/// The level of a cell, 0 to 1, where the largest of all pairs has `strongest`. Sizes: 1 for the strongest, 0 for
/// kMatrixDecades below it and for none, linear in the logarithm between. Signed: so from the middle, 0.5, to both ends.
/// Distances: linear.
float matrixLevel(PairValue value, float cell, float strongest);

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
    PairValue value = PairValue::force;
    int edge = 0;       ///< cells a side of a tile, 8, 16 or 32; 0: what suits the number of bodies
    bool kept = false;  ///< by the device: to be timed, nothing is opened or handed out
};

/// The strongest pair of a cell, in double precision.
struct MatrixPair {
    std::uint32_t row = 0, column = 0;  ///< of the cell
    std::uint32_t i = 0, j = 0;
    double force = 0, distance = 0;  ///< [M L/T^2], [L]
    double value = 0;                ///< of what was asked for, with its sign
};

/// What is known of a computed matrix beside its cells.
struct PairMatrixResult {
    float strongest = 0;  ///< of all pairs, of what was asked for, signs left out
    MatrixPair pair{};    ///< of the cell that was asked for
    double seconds = 0;   ///< of the device [s]
    int edge = 0;         ///< cells a side of the tiles it was computed in
};

/// What computes matrices on the backend's device; see Backend::pairMatrix(). Driven by the backend's thread.
class PairMatrixSource {
public:
    virtual ~PairMatrixSource() = default;
    /// Enqueues a level a cell into the sink's device memory, row by row; see matrixLevel(). False, and nothing is opened,
    /// when the sink takes host memory, or there are too many bodies or none. Throws DeviceError, UsageError for another
    /// edge.
    virtual bool enqueue(const PairMatrixRequest& request, FloatSink& sink) = 0;
    /// What came of the last matrix, once, when it is done.
    virtual std::optional<PairMatrixResult> take() = 0;
};

}  // namespace gravlab
