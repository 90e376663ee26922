// The whole program with a scene and an integrator more: `own_scene run ring`, `own_scene view ring`, `own_scene list
// scenes`.
#include <gravlab/integrator.h>
#include <gravlab/scene.h>

#include <cmath>
#include <numbers>

namespace {

using namespace gravlab;

const SceneParameter kParameters[] = {{.name = "planet",
                                       .label = "Planet",
                                       .unit = "",
                                       .idea = "mass of the planet, over that of all other bodies",
                                       .value = 100,
                                       .least = 1,
                                       .most = 1e6}};

/// A planet of mass 1 and light bodies on circles about it, in a ring from 0.8 to 1.2.
ParticleSet ring(const SceneRequest& request) {
    ParticleSet bodies;
    bodies.resize(request.bodies);
    const double light = 1 / (request.value(kParameters[0]) * static_cast<double>(request.bodies));
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        bodies.id[i] = static_cast<std::uint32_t>(i);
        // Golden angles fill a ring evenly; the first body is the planet.
        const double turn = std::numbers::pi * (3 - std::sqrt(5.0)) * static_cast<double>(i);
        const double r = 0.8 + 0.4 * static_cast<double>(i) / static_cast<double>(bodies.size());
        const double speed = 1 / std::sqrt(r);
        bodies.position[i] = i == 0 ? Double4{0, 0, 0, 1} : Double4{r * std::cos(turn), r * std::sin(turn), 0, light};
        bodies.velocity[i] = i == 0 ? Double4{0, 0, 0, 1} : Double4{-speed * std::sin(turn), speed * std::cos(turn), 0, 1};
    }
    return bodies;
}

const bool kScene = addScene({.name = "ring",
                              .group = SceneGroup::famous,
                              .idea = "a planet with a ring of light bodies",
                              .caption = "Inner bodies overtake outer ones.",
                              .bodiesGpu = 65536,
                              .bodiesCpu = 2048,
                              .timeStep = 0.01,
                              .softening = 0.01,
                              .build = ring,
                              .parameters = kParameters});

/// A step in which half a drift comes first: leapfrog in its other form.
const StepOp kDriftFirst[] = {{Op::drift, 0.5}, {Op::force}, {Op::kick, 1}, {Op::drift, 0.5}};
const bool kIntegrator = addIntegrator({.name = "drift-first",
                                        .idea = "half a drift, a kick, half a drift",
                                        .source = "",
                                        .order = 2,
                                        .symplectic = true,
                                        .reversible = true,
                                        .program = kDriftFirst});

}  // namespace
