// The scene table. A scene is a row here and a builder under scenario/.
#include "sim/scenes/scenario.h"

#include "sim/core/names.h"
#include "sim/scenes/builders.h"
#include "sim/scenes/famous.h"
#include "sim/scenes/galaxies.h"
#include "sim/scenes/values.h"

#include <cstdio>
#include <numbers>
#include <vector>

namespace gravlab {

using namespace scenes;

namespace {

std::span<const Scenario> firstScenarios() {
    static const Scenario rows[] = {
        {.name = "collision",
         .idea = "two spiral galaxies on a parabolic orbit",
         .caption = "They pass, throw out bridges and tails, turn back and merge.",
         .source = "Toomre & Toomre 1972",
         .bodiesGpu = 65536,
         .bodiesCpu = 8192,
         .fixedBodies = 0,
         .timeStep = 0.025,
         .softening = kCollisionSoftening,
         .law = Law::gravity,
         .view = {.distance = 17, .azimuth = -0.2, .elevation = 0.9, .pointSize = 0.03, .exposure = 1, .speedScale = 1.2},
         .build = buildCollision},
        {.name = "disc",
         .idea = "a self-gravitating disc around a heavy centre, in rotation balance",
         .caption = "Small clumps are sheared into spiral arms, which come and go.",
         .source = "Freeman 1970; Toomre 1964",
         .bodiesGpu = 65536,
         .bodiesCpu = 8192,
         .fixedBodies = 0,
         .timeStep = 0.01,
         .softening = kDiscSoftening,
         .law = Law::gravity,
         .view = {.distance = 9.5, .azimuth = 0.6, .elevation = 0.9, .pointSize = 0.02, .exposure = 0.7, .speedScale = 1.5},
         .build = buildDisc},
        {.name = "plummer",
         .idea = "a star cluster in equilibrium (Plummer model, Henon units)",
         .caption = "Every star moves, the cluster stays: crossing time 2.8.",
         .source = "Plummer 1911; Aarseth, Henon & Wielen 1974",
         .bodiesGpu = 65536,
         .bodiesCpu = 8192,
         .fixedBodies = 0,
         .timeStep = 1.0 / 128,
         .softening = 0.05,
         .law = Law::gravity,
         .view = {.distance = 5, .azimuth = 0.6, .elevation = 0.5, .pointSize = 0.015, .exposure = 1, .speedScale = 1.3},
         .build = buildPlummer},
        {.name = "cube",
         .idea = "a cube of bodies at rest",
         .caption = "It falls in, bounces at t = 1.6 and settles into a ball.",
         .source = "",
         .bodiesGpu = 65536,
         .bodiesCpu = 8192,
         .fixedBodies = 0,
         .timeStep = 1.0 / 256,
         .softening = 0.05,
         .law = Law::gravity,
         .view = {.distance = 5, .azimuth = 0.6, .elevation = 0.4, .pointSize = 0.015, .exposure = 1, .speedScale = 2},
         .build = buildCube},
        {.name = "six-body",
         .idea = "six bodies of random mass, place and velocity",
         .caption = "Chaos by hand: pairs form, others are thrown out. Try other seeds.",
         .source = "",
         .bodiesGpu = 6,
         .bodiesCpu = 6,
         .fixedBodies = 6,
         .timeStep = 0.002,
         .softening = 0.1,
         .law = Law::gravity,
         .view = {.distance = 25, .azimuth = 0.6, .elevation = 0.4, .pointSize = 0.25, .exposure = 1, .speedScale = 6},
         .build = buildSixBody},
        {.name = "figure-eight",
         .idea = "three equal bodies chase each other along one curve",
         .caption = "An exact solution of three bodies; it closes every 6.326.",
         .source = "Moore 1993; Chenciner & Montgomery 2000",
         .bodiesGpu = 3,
         .bodiesCpu = 3,
         .fixedBodies = 3,
         .timeStep = kFigureEightPeriod / 400,
         .softening = 0,
         .law = Law::gravity,
         .view = {.distance = 3.5,
                  .azimuth = -0.5 * std::numbers::pi,
                  .elevation = 1.2,
                  .pointSize = 0.05,
                  .exposure = 1,
                  .speedScale = 1.3},
         .build = buildFigureEight},
        {.name = "two-body",
         .idea = "two equal bodies on a Kepler ellipse of eccentricity 1/2",
         .caption = "The exact answer is known: the same ellipse, period 2 pi.",
         .source = "Kepler 1609",
         .bodiesGpu = 2,
         .bodiesCpu = 2,
         .fixedBodies = 2,
         .timeStep = 2 * std::numbers::pi / 400,
         .softening = 0,
         .law = Law::gravity,
         .view = {.distance = 3.5,
                  .azimuth = -0.5 * std::numbers::pi,
                  .elevation = 1.2,
                  .pointSize = 0.05,
                  .exposure = 1,
                  .speedScale = 1},
         .build = buildTwoBody},
    };
    return rows;
}

}  // namespace

std::span<const Scenario> scenarios() {
    static const std::vector<Scenario> rows = [] {
        std::vector<Scenario> joined;
        for (const std::span<const Scenario> part :
             {firstScenarios(), galaxyScenarios(), clusterScenarios(), expandingScenarios(), fewBodyScenarios(),
              threeBodyOrbitScenarios(), solarSystemScenarios(), ngonScenarios(), coldCollapseScenarios(),
              keplerDiscScenarios(), toomreFlybyScenarios(), lawScenarios()})
            joined.insert(joined.end(), part.begin(), part.end());
        return joined;
    }();
    return rows;
}

void requireParameters(const Scenario& scene, const ScenarioParameters& parameters) {
    for (const auto& [name, value] : parameters) {
        if (scene.parameters.empty())
            throw UsageError("the scene '" + std::string(scene.name) + "' has no parameters, so '" + name + "' is none");
        const ScenarioParameter& row =
            findRow(scene.parameters, "parameter of the scene '" + std::string(scene.name) + "':", name);
        if (value >= row.least && value <= row.most) continue;
        char text[160];
        std::snprintf(text, sizeof text, " = %g is out of range; allowed are %g to %g", value, row.least, row.most);
        throw UsageError("the scene's parameter '" + name + "'" + text);
    }
}

const Scenario& scenario(std::string_view name) { return findRow(scenarios(), "scene", name); }

}  // namespace gravlab
