// One disc around a heavy centre.
#include "sim/scenes/disc_galaxy.h"
#include "sim/scenes/values.h"

namespace gravlab::scenes {

ParticleSet buildDisc(const ScenarioRequest& request) {
    DiscModel model;
    model.discMass = 0.5;
    model.centralMass = 0.5;
    model.innerRadius = 0.2;
    model.outerRadius = 4;
    model.height = 0.05;
    model.toomreQ = 1.1;
    model.softening = kDiscSoftening;
    const DiscGalaxy galaxy(model, request.bodies);
    ParticleSet bodies =
        makeBodies(request.bodies, request.seed, [&](std::size_t i, Random& random) { return galaxy.sample(i, random); });
    centre(bodies);
    return bodies;
}

}  // namespace gravlab::scenes
