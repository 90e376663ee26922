// Everything that is measured of one complete step: conserved quantities, shape, closest pair; and the host's way to do so.
// Rule: fp64 sums in an order of their own, so that neither threads nor slices change a bit.
#pragma once
#include "sim/measure/diagnostics.h"
#include "sim/measure/shape.h"

#include <string>

namespace gravlab {

/// One complete step, measured.
struct Measurement {
    Diagnostics conserved;
    Shape shape;
    double spinScale = 0;  ///< sum of |m| |x| |v|: the angular momentum without cancelling, the scale of its rounding
    double seconds = 0;    ///< of device or host that it took
    std::string failure;   ///< why there are no numbers; empty when they are there
};

/// In one pass over all pairs on `threads` host threads (0 = all). The same for any number of threads; measure() takes its
/// sums in another order.
Measurement measureFully(const ParticleSet& bodies, const ForceSettings& force, int threads = 0);

}  // namespace gravlab
