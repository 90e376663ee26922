// A cube of bodies at rest: it falls in on itself, bounces and settles into a ball.
#include "sim/scenes/builders.h"

namespace gravlab::scenes {

ParticleSet buildCube(const ScenarioRequest& request) {
    const double mass = 1.0 / static_cast<double>(request.bodies);
    ParticleSet bodies = makeBodies(request.bodies, request.seed, [&](std::size_t, Random& random) {
        Body body;
        body.position.w = mass;
        for (double* x : {&body.position.x, &body.position.y, &body.position.z}) *x = random.uniform(-1, 1);
        return body;
    });
    centre(bodies);
    return bodies;
}

}  // namespace gravlab::scenes
