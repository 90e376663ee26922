// A scene: light bodies at rest in a well. After a quarter of a period all are at its centre, after a period where they
// began.
#include <gravlab/scene.h>
#include "well.h"

namespace outside {
namespace {

using namespace gravlab;

ParticleSet bodies(const SceneRequest& request) {
    ParticleSet made;
    made.resize(request.bodies);
    for (std::size_t i = 0; i < made.size(); ++i) {
        const double turn = 2.4 * static_cast<double>(i),
                     r = 0.1 + static_cast<double>(i) / static_cast<double>(made.size());
        made.position[i] = {r * std::cos(turn), r * std::sin(turn), 0.1 * r, 1e-12};
        made.velocity[i] = {0, 0, 0, 1};
        made.id[i] = static_cast<std::uint32_t>(i);
    }
    return made;
}

ForceTerms well(const SceneRequest&, const ParticleSet&) { return {std::make_shared<const Well>(1)}; }

const bool kScene = addScene({.name = "well",
                              .idea = "light bodies swing in a harmonic well",
                              .caption = "All reach the centre at once, at a quarter of the period.",
                              .bodiesGpu = 4096,
                              .bodiesCpu = 512,
                              .timeStep = 0.05,
                              .softening = 0.1,
                              .build = bodies,
                              .terms = well});

}  // namespace
}  // namespace outside
