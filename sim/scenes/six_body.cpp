// Six bodies of random mass, place and velocity: chaos by hand.
#include "sim/scenes/builders.h"

namespace gravlab::scenes {

ParticleSet buildSixBody(const ScenarioRequest& request) {
    ParticleSet bodies = makeBodies(6, request.seed, [](std::size_t i, Random& random) {
        Body body;
        body.position.w = random.uniform(1, 10);
        for (double* x : {&body.position.x, &body.position.y, &body.position.z}) *x = random.uniform(-5, 5);
        for (double* v : {&body.velocity.x, &body.velocity.y, &body.velocity.z}) *v = random.uniform(-1, 1);
        body.group = static_cast<std::uint8_t>(i);
        return body;
    });
    centre(bodies);
    return bodies;
}

}  // namespace gravlab::scenes
