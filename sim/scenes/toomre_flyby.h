// The restricted encounter that explained tails and bridges, for tests and scenes with their own parameters.
#pragma once
#include "sim/core/particles.h"

namespace gravlab::scenes {

/// Two point masses, 1 and `companionMass`, on a parabola of pericentre distance 1. Rings of massless particles of radius
/// 0.2 to 0.6 surround the first. Positions are in the frame of the centre of mass. Toomre & Toomre 1972.
struct ParabolicPassage {
    double companionMass = 1;
    bool prograde = true;  ///< the rings rotate in the direction of the companion's passage
    std::size_t particles = 120;
    double softening = 0.05;
};
ParticleSet parabolicPassage(const ParabolicPassage& passage);
/// Time from the start of a passage to its mirror image [T].
double passageDuration(double companionMass);

}  // namespace gravlab::scenes
