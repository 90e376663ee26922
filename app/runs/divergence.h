// How far two runs of the same start are apart: distances body by body, both energies, and the growth of the gap.
// Rule: only states of the same time are compared; a growth is called exponential only where the curve shows it.
#pragma once
#include "sim/core/particles.h"
#include "sim/integrators/integrator.h"

#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gravlab {

/// Distances between the same bodies of two states [L].
struct Separation {
    double rms = 0, max = 0;
};

/// Distances over all bodies, in their order. NaN where the numbers of bodies differ or a position is not finite.
Separation separation(const ParticleSet& first, const ParticleSet& twin);

/// Root mean square distance of bodies from their mean position [L]: the scale that a separation is compared with.
double spread(const ParticleSet& bodies);

/// Both runs at one time.
struct DivergencePoint {
    double time = 0;           ///< [T]
    Separation apart;          ///< [L]
    double change = kUnknown;  ///< (E - E0) / |E0| of the first run; NaN where energies are not summed
    double twinChange = kUnknown;

    static constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
};

/// The curve of a pair of runs. It thins itself, so that long runs keep their shape.
class Divergence {
public:
    static constexpr std::size_t kMostPoints = 2048;

    /// Forgets everything; `size` is the rms spread of the bodies.
    void restart(double size);
    void add(const DivergencePoint& point);
    /// Forgets points later than `time`, in the direction of the sign of `way`.
    void dropAfter(double time, double way);
    std::span<const DivergencePoint> points() const { return points_; }
    /// The largest separation of any body so far, and the largest |changes| of energy of either run.
    double worst() const { return worst_; }
    double worstChange() const { return worstChange_; }
    double worstTwinChange() const { return worstTwinChange_; }

    /// e-folding time of the separation, where it grows exponentially [T]. The fit covers several e-foldings and stays well
    /// below the system's size. Its line through the logarithm must fit clearly better than any power of time.
    std::optional<double> eFolding() const { return eFolding_; }

private:
    std::optional<double> fitted() const;
    void noteWorst(const DivergencePoint& point);

    std::vector<DivergencePoint> points_;
    double size_ = 1, worst_ = 0, worstChange_ = 0, worstTwinChange_ = 0;
    std::optional<double> eFolding_;
};

// Where a picture stops being the answer: chaotic endings that a method cannot follow.
// Rule: these times are measured with solvers of many digits, never guessed.

/// Warning on screen for a scene at this time [T] under this integrator; empty while the picture is reliable.
std::string predictabilityNote(std::string_view scene, const Integrator& integrator, double time, bool singlePrecision);

}  // namespace gravlab
