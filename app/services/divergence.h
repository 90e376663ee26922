// How far two runs of the same start are apart: distances body by body, both energies, and how fast the gap grows.
// Rule: only states of the same time are compared; a growth is called exponential only where the curve says so.
#pragma once
#include "sim/core/particles.h"

#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <vector>

namespace gravlab {

/// Distances between the same bodies of two states [L].
struct Separation {
    double rms = 0, max = 0;
};

/// Over all bodies, by their order. NaN where the numbers of bodies differ or a position is none.
Separation separation(const ParticleSet& first, const ParticleSet& twin);

/// Root mean square distance of bodies from their mean place [L]: what a separation is large against.
double spread(const ParticleSet& bodies);

/// Both runs at one time.
struct DivergencePoint {
    double time = 0;           ///< [T]
    Separation apart;          ///< [L]
    double change = kUnknown;  ///< (E - E0) / |E0| of the first; NaN where energies are not summed
    double twinChange = kUnknown;

    static constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
};

/// The curve of a pair of runs. Thins itself; long runs keep their shape.
class Divergence {
public:
    static constexpr std::size_t kMostPoints = 2048;

    /// Forgets everything; `size` is the spread of the bodies.
    void restart(double size);
    void add(const DivergencePoint& point);
    /// Forgets what is later than that time on a way with that sign.
    void dropAfter(double time, double way);
    std::span<const DivergencePoint> points() const { return points_; }
    /// The largest separation of any body so far, and the largest |changes| of energy of either run.
    double worst() const { return worst_; }
    double worstChange() const { return worstChange_; }
    double worstTwinChange() const { return worstTwinChange_; }

    /// Time in which the separation grows e-fold, where it grows exponentially: over several e-foldings, on a line through
    /// its logarithm that fits clearly better than any power of time, and before it is as large as the system [T].
    std::optional<double> eFolding() const { return eFolding_; }

private:
    std::optional<double> fitted() const;
    void noteWorst(const DivergencePoint& point);

    std::vector<DivergencePoint> points_;
    double size_ = 1, worst_ = 0, worstChange_ = 0, worstTwinChange_ = 0;
    std::optional<double> eFolding_;
};

}  // namespace gravlab
