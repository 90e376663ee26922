// Two equal bodies on a Kepler ellipse: the exact answer is known for ever.
#include "sim/scenes/builders.h"

namespace gravlab::scenes {

ParticleSet buildTwoBody(const ScenarioRequest&) {
    // Total mass 1, semi-major axis 1, so the period is 2 pi; eccentricity 1/2, start at apocentre.
    const double eccentricity = 0.5;
    const double x = (1 + eccentricity) / 2;
    const double v = std::sqrt((1 - eccentricity) / (1 + eccentricity)) / 2;
    return makeBodies(2, 0, [&](std::size_t i, Random&) {
        const double side = i == 0 ? 1 : -1;
        return Body{{side * x, 0, 0, 0.5}, {0, side * v, 0, 0}, static_cast<std::uint8_t>(i)};
    });
}

}  // namespace gravlab::scenes
