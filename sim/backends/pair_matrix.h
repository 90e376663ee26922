// The matrix of all pair forces |F_ij|, computed by a device that holds the bodies. Rules: it shows the last complete step;
// no call waits; results are values, and colours are chosen elsewhere.
#pragma once
#include "sim/api/vectors.h"
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
/// Most bodies of a matrix with a cell for each pair, which has 1 GiB.
constexpr std::size_t kWholeMatrixBodies = 16384;
constexpr std::size_t matrixStride(std::size_t bodies) { return (bodies + kMatrixCells - 1) / kMatrixCells; }
constexpr std::size_t matrixCells(std::size_t bodies) {
    return bodies == 0 ? 0 : (bodies + matrixStride(bodies) - 1) / matrixStride(bodies);
}
/// Decades of force between level 0 and level 1 of a cell.
constexpr float kMatrixDecades = 7;

/// Value of a pair that its cell shows: the size of the force, the size of the potential energy, the signed x component of
/// the force on i, or the distance. A cell of several pairs shows the one of largest absolute value.
enum class PairValue { force, potential, component, distance };
std::span<const std::string_view> pairValueNames();
std::string_view nameOf(PairValue value);
/// Throws UsageError naming the valid ones and the nearest.
PairValue pairValue(std::string_view name);

/// Value of a pair, without the factor of the law. `product` is the product of the sources, `dx` the partner's x minus the
/// body's own. A law is one of sim/forces/law.h.
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

/// The level of a cell, 0 to 1; `strongest` is the largest value of all pairs. Sizes: 1 for the strongest, 0 for
/// kMatrixDecades below it and for zero, linear in the logarithm between. Signed values: the same from the middle, 0.5, to
/// both ends. Distances: linear.
float matrixLevel(PairValue value, float cell, float strongest);

/// Memory of another owner for numbers, like VertexSink for vertices, with the same rules for streams and waiting.
class FloatSink {
public:
    virtual ~FloatSink() = default;
    virtual MemorySpace space() const = 0;
    /// Memory for `count` floats that are written on `stream`; null when device memory has run out. Throws DeviceError.
    virtual float* open(std::size_t count, void* stream) = 0;
    /// The work enqueued on `stream` so far fills the floats. Call it after each open() that returned memory.
    virtual void close(void* stream) = 0;
};

struct PairMatrixRequest {
    std::uint32_t row = 0, column = 0;  ///< the cell whose pair is wanted
    PairValue value = PairValue::force;
    int edge = 0;  ///< side of a tile in cells, computed by edge x edge threads: 8, 16 or 32; 0: suits the number of bodies
    /// Above 0: tiles of this many cells a side, computed by as many threads, each with a column: 1 to 1,024. Only where a
    /// cell is a pair.
    int columns = 0;
    bool whole = false;  ///< a cell for each pair, and without levels: the device keeps the matrix, and the sink is not used
};

/// The strongest pair of a cell, in double precision.
struct MatrixPair {
    std::uint32_t row = 0, column = 0;  ///< of the cell
    std::uint32_t i = 0, j = 0;
    double force = 0, distance = 0;  ///< [M L/T^2], [L]
    double value = 0;                ///< the requested value, with its sign
};

/// Facts of a computed matrix beside its cells.
struct PairMatrixResult {
    float strongest = 0;  ///< largest requested value of all pairs, signs left out
    MatrixPair pair{};    ///< strongest pair of the requested cell
    double seconds = 0;   ///< device time [s]; of a whole matrix, of its kernel alone
    int edge = 0;         ///< side, in cells, of the tiles that computed it
};

/// Computes matrices on the backend's device; see Backend::pairMatrix(). The backend's thread drives it.
class PairMatrixSource {
public:
    virtual ~PairMatrixSource() = default;
    /// Enqueues one level per cell into the sink's device memory, row by row; see matrixLevel(). Returns false, and opens
    /// nothing, when the sink takes host memory, or there are too many bodies or none. Throws DeviceError, and UsageError
    /// for an edge or columns that are not listed above.
    virtual bool enqueue(const PairMatrixRequest& request, FloatSink& sink) = 0;
    /// Result of the last matrix, returned once, when it is done.
    virtual std::optional<PairMatrixResult> take() = 0;
};

}  // namespace gravlab
