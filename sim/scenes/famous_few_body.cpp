// Exact and famous motions of two, three and four bodies. Times are in units where G = 1.
#include "sim/scenes/famous.h"

#include <array>
#include <cmath>
#include <numbers>

namespace gravlab::scenes {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr double kShownEccentricity = 0.8;

ParticleSet buildKeplerCircular(const ScenarioRequest&) { return keplerPair(0); }
ParticleSet buildKeplerEccentric(const ScenarioRequest&) { return keplerPair(kShownEccentricity); }
ParticleSet buildLagrange(const ScenarioRequest&) { return lagrangeTriangle(1, 1, 1); }
ParticleSet buildLagrangeStable(const ScenarioRequest&) { return lagrangeTriangle(1, 0.01, 0.001); }

ParticleSet buildSuperEight(const ScenarioRequest&) {
    // Refined until the orbit closes after 2 pi.
    const double a = 1.38285684361841881248990136005494, b = 0.157029922281220299600954521531867;
    const double c = 0.58487263081487508725271953928156, d = 1.87193524587867583883589260694996;
    const Body start[] = {
        {{a, 0, 0, 1}, {0, c, 0, 0}, 0},
        {{0, b, 0, 1}, {d, 0, 0, 0}, 1},
        {{-a, 0, 0, 1}, {0, -c, 0, 0}, 2},
        {{0, -b, 0, 1}, {-d, 0, 0, 0}, 3},
    };
    return listedBodies(start);
}

ParticleSet buildPythagorean(const ScenarioRequest&) {
    const Body start[] = {
        {{1, 3, 0, 3}, {}, 0},
        {{-2, -1, 0, 4}, {}, 1},
        {{1, -1, 0, 5}, {}, 2},
    };
    return listedBodies(start);
}

/// Looking down on the plane of the orbit from a little to the south.
constexpr ScenarioView viewFromAbove(double distance, double speedScale) {
    return {.distance = distance,
            .azimuth = -0.5 * kPi,
            .elevation = 1.2,
            .pointSize = 0.015 * distance,
            .exposure = 1,
            .speedScale = speedScale};
}

}  // namespace

ParticleSet listedBodies(std::span<const Body> list) {
    ParticleSet bodies = makeBodies(list.size(), 0, [&](std::size_t i, Random&) { return list[i]; });
    for (std::size_t i = 0; i < list.size(); ++i) bodies.group[i] = static_cast<std::uint8_t>(i);
    return bodies;
}

ParticleSet keplerPair(double eccentricity) {
    const double x = (1 + eccentricity) / 2;
    const double v = std::sqrt((1 - eccentricity) / (1 + eccentricity)) / 2;
    const Body start[] = {
        {{x, 0, 0, 0.5}, {0, v, 0, 0}, 0},
        {{-x, 0, 0, 0.5}, {0, -v, 0, 0}, 1},
    };
    return listedBodies(start);
}

ParticleSet lagrangeTriangle(double m1, double m2, double m3) {
    const double mass[] = {m1, m2, m3};
    const double x[] = {0, 1, 0.5}, y[] = {0, 0, std::numbers::sqrt3 / 2};
    const double total = m1 + m2 + m3, omega = std::sqrt(total);
    const double cx = (m1 * x[0] + m2 * x[1] + m3 * x[2]) / total, cy = (m1 * y[0] + m2 * y[1] + m3 * y[2]) / total;
    std::array<Body, 3> start;
    for (int i = 0; i < 3; ++i)
        start[i] = {{x[i] - cx, y[i] - cy, 0, mass[i]}, {-omega * (y[i] - cy), omega * (x[i] - cx), 0, 0}, 0};
    ParticleSet bodies = listedBodies(start);
    centre(bodies);
    return bodies;
}

std::span<const Scenario> fewBodyScenarios() {
    static const Scenario rows[] = {
        {.name = "kepler-circular",
         .idea = "two equal bodies on one circle",
         .caption = "The circle hides most errors of an integrator: look at the phase, not at the energy. Period 2 pi.",
         .source = "Kepler 1609; Newton 1687",
         .bodiesGpu = 2,
         .bodiesCpu = 2,
         .fixedBodies = 2,
         .timeStep = 2 * kPi / 400,
         .softening = 0,
         .law = Law::gravity,
         .view = viewFromAbove(2.5, 0.7),
         .build = buildKeplerCircular},
        {.name = "kepler-eccentric",
         .idea = "two equal bodies on an ellipse of eccentricity 0.8",
         .caption = "The exact ellipse stands still. If it turns or widens, the step is too long at pericentre.",
         .source = "Kepler 1609; Newton 1687",
         .bodiesGpu = 2,
         .bodiesCpu = 2,
         .fixedBodies = 2,
         .timeStep = 2 * kPi / 4000,
         .softening = 0,
         .law = Law::gravity,
         .view = viewFromAbove(3.5, 1.5),
         .build = buildKeplerEccentric},
        {.name = "lagrange",
         .idea = "three equal masses on a turning equilateral triangle",
         .caption =
             "An exact solution that is unstable: any error grows 85-fold each turn of 3.63. What follows after a few "
             "turns shows rounding, not physics.",
         .source = "Lagrange 1772; Routh 1875",
         .bodiesGpu = 3,
         .bodiesCpu = 3,
         .fixedBodies = 3,
         .timeStep = 2 * kPi / std::numbers::sqrt3 / 1000,
         .softening = 0,
         .law = Law::gravity,
         .view = viewFromAbove(2.5, 1.2),
         .build = buildLagrange},
        {.name = "lagrange-stable",
         .idea = "the triangle with masses 1, 0.01 and 0.001, as Sun, planet and Trojan",
         .caption = "With one dominant mass the triangle is stable: it turns for ever, once in 6.25.",
         .source = "Lagrange 1772; Routh 1875",
         .bodiesGpu = 3,
         .bodiesCpu = 3,
         .fixedBodies = 3,
         .timeStep = 6.248910299018577 / 1000,
         .softening = 0,
         .law = Law::gravity,
         .view = viewFromAbove(3.5, 1.2),
         .build = buildLagrangeStable},
        {.name = "super-eight",
         .idea = "four equal bodies on one chain of three loops",
         .caption = "A periodic orbit (2 pi) that is unstable: errors grow 350-fold in a turn, so it breaks up after two to "
                    "five turns. Reset to see it again.",
         .source = "Gerver 2000; Kapela & Zgliczynski 2003",
         .bodiesGpu = 4,
         .bodiesCpu = 4,
         .fixedBodies = 4,
         .timeStep = 2 * kPi / 8000,
         .softening = 0,
         .law = Law::gravity,
         .view = viewFromAbove(4, 2),
         .build = buildSuperEight},
        {.name = "pythagorean",
         .idea = "masses 3, 4, 5 at rest in the corners of a 3-4-5 triangle",
         .caption =
             "In truth mass 3 is thrown out after t = 60. A fixed step is right to t = 15.8 at best, where two bodies "
             "pass at 0.0004: the ending it shows is not the true one. The integrator radau15 reaches that.",
         .source = "Burrau 1913; Szebehely & Peters 1967",
         .bodiesGpu = 3,
         .bodiesCpu = 3,
         .fixedBodies = 3,
         .timeStep = 1e-4,
         .softening = 0,
         .law = Law::gravity,
         .view = viewFromAbove(12, 4),
         .build = buildPythagorean},
    };
    return rows;
}

}  // namespace gravlab::scenes
