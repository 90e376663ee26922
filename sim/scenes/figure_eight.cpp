// Three equal bodies that chase each other along one figure-eight (Moore 1993; Chenciner & Montgomery 2000).
#include "sim/scenes/builders.h"

namespace gravlab::scenes {

ParticleSet buildFigureEight(const ScenarioRequest&) {
    // Refined until the orbit closes to 1e-31; the values usually printed are these rounded to 8 digits.
    const double x = 0.970004356697333439943496928324464, y = -0.24308753153584886171573983825566;
    const double vx = 0.466203685720526150774115882002627, vy = 0.432365730460502978187329534375650;
    const Body start[] = {
        {{x, y, 0, 1}, {vx, vy, 0, 0}, 0},
        {{-x, -y, 0, 1}, {vx, vy, 0, 0}, 1},
        {{0, 0, 0, 1}, {-2 * vx, -2 * vy, 0, 0}, 2},
    };
    return makeBodies(3, 0, [&](std::size_t i, Random&) { return start[i]; });
}

}  // namespace gravlab::scenes
