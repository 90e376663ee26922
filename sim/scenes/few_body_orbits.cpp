// Exact and famous motions of two to twelve bodies. Times are in units where G = 1.
#include "sim/scenes/few_body_orbits.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace gravlab::scenes {
namespace {

ParticleSet buildSuperEight(const SceneRequest&) {
    // These values are refined until the orbit closes after 2 pi.
    const double a = 1.38285684361841881248990136005494, b = 0.157029922281220299600954521531867;
    const double c = 0.58487263081487508725271953928156, d = 1.87193524587867583883589260694996;
    const Body start[] = {
        {{a, 0, 0}, {0, c, 0}, 1},
        {{0, b, 0}, {d, 0, 0}, 1},
        {{-a, 0, 0}, {0, -c, 0}, 1},
        {{0, -b, 0}, {-d, 0, 0}, 1},
    };
    return listedBodies(start);
}

ParticleSet buildPythagorean(const SceneRequest&) {
    const Body start[] = {
        {{1, 3, 0}, {}, 3},
        {{-2, -1, 0}, {}, 4},
        {{1, -1, 0}, {}, 5},
    };
    return listedBodies(start);
}

/// Looks down on the plane of the orbit from a little to the south.
constexpr SceneView viewFromAbove(double distance, double speedScale) {
    return {.distance = distance,
            .azimuth = -0.5 * std::numbers::pi,
            .elevation = 1.2,
            .pointSize = 0.015 * distance,
            .speedScale = speedScale};
}

/// Duration of one figure-eight [T].
constexpr double kFigureEightPeriod = 6.32591398292621167758900033396704;

ParticleSet buildFigureEight(const SceneRequest&) {
    // These values are refined until the orbit closes to 1e-31; published values are these, rounded to 8 digits.
    const double x = 0.970004356697333439943496928324464, y = -0.24308753153584886171573983825566;
    const double vx = 0.466203685720526150774115882002627, vy = 0.432365730460502978187329534375650;
    const Body start[] = {
        {{x, y, 0}, {vx, vy, 0}, 1},
        {{-x, -y, 0}, {vx, vy, 0}, 1},
        {{0, 0, 0}, {-2 * vx, -2 * vy, 0}, 1},
    };
    return listedBodies(start);
}

constexpr SceneParameter kSixBodyParameters[] = {
    {"side", "Side", "", "side of the cube in which the bodies start", 10, 1e-3, 1e6},
    {"lightest", "Lightest", "", "least mass of a body", 1, 1e-6, 1e6},
    {"heaviest", "Heaviest", "", "largest mass of a body", 10, 1e-6, 1e6},
    {"speed", "Start speed", "", "largest speed of a body along each axis", 1, 0, 1e6},
};

ParticleSet buildSixBody(const SceneRequest& request) {
    const double half = request.value(kSixBodyParameters[0]) / 2, speed = request.value(kSixBodyParameters[3]);
    const auto [lightest, heaviest] =
        std::minmax({request.value(kSixBodyParameters[1]), request.value(kSixBodyParameters[2])});
    const auto one = [=, lightest = lightest, heaviest = heaviest](std::size_t i, Random& random) {
        Body body{.mass = random.uniform(lightest, heaviest), .group = static_cast<std::uint8_t>(i % 256)};
        for (double* x : {&body.position.x, &body.position.y, &body.position.z}) *x = random.uniform(-half, half);
        for (double* v : {&body.velocity.x, &body.velocity.y, &body.velocity.z}) *v = random.uniform(-speed, speed);
        return body;
    };
    return centred(makeBodies(request.bodies, request.seed, one));
}

constexpr double kPolygonSoftening = 0.05;

}  // namespace

ParticleSet keplerPair(double eccentricity) {
    const double x = (1 + eccentricity) / 2;
    const double v = std::sqrt((1 - eccentricity) / (1 + eccentricity)) / 2;
    const Body start[] = {
        {{x, 0, 0}, {0, v, 0}, 0.5},
        {{-x, 0, 0}, {0, -v, 0}, 0.5},
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
        start[i] = {{x[i] - cx, y[i] - cy, 0}, {-omega * (y[i] - cy), omega * (x[i] - cx), 0}, mass[i]};
    return centred(listedBodies(start));
}

double polygonSpeed(std::size_t bodies, double softening) {
    const double n = static_cast<double>(bodies);
    double sum = 0;
    for (std::size_t k = 1; k < bodies; ++k) {
        const double half = std::sin(std::numbers::pi * static_cast<double>(k) / n);
        const double squared = 4 * half * half, soft = squared + softening * softening;
        sum += 0.5 * squared / (soft * std::sqrt(soft));
    }
    return std::sqrt(sum / n);
}

ParticleSet rotatingPolygon(std::size_t bodies, double softening) {
    const double n = static_cast<double>(bodies), omega = polygonSpeed(bodies, softening);
    const double radius = bodies > 1 ? 1 : 0;  // a single body is its own centre of mass
    return makeBodies(bodies, 0, [&](std::size_t i, Random&) {
        const double angle = 2 * std::numbers::pi * static_cast<double>(i) / n;
        const double x = radius * std::cos(angle), y = radius * std::sin(angle);
        return Body{{x, y, 0}, {-omega * y, omega * x, 0}, 1 / n, static_cast<std::uint8_t>(i % 256)};
    });
}

/// The usual names of the three masses.
constexpr std::string_view kPythagoreanNames[] = {"mass 3", "mass 4", "mass 5"};
constexpr std::string_view kTrojanNames[] = {"Sun", "planet", "Trojan"};

std::span<const Scene> fewBodyScenes() {
    static const Scene rows[] = {
        {.name = "six-body",
         .idea = "six bodies, or any other number, of random mass, position and velocity",
         .caption = "Chaos: pairs form, other bodies are ejected. Try other seeds.",
         .bodiesGpu = 6,
         .bodiesCpu = 6,
         .timeStep = 0.002,
         .story = {6, 20},
         .softening = 0.1,
         .view = {.distance = 25, .elevation = 0.4, .pointSize = 0.25, .speedScale = 6},
         .build = buildSixBody,
         .parameters = kSixBodyParameters},
        {.name = "figure-eight",
         .idea = "three equal bodies chase each other along one curve",
         .caption = "An exact solution of three bodies, with a period of 6.326.",
         .source = "Moore 1993; Chenciner & Montgomery 2000",
         .fixedBodies = 3,
         .timeStep = kFigureEightPeriod / 400,
         .story = {6.326, 10, kFigureEightPeriod},
         .view =
             {.distance = 3.5, .azimuth = -0.5 * std::numbers::pi, .elevation = 1.2, .pointSize = 0.05, .speedScale = 1.3},
         .build = buildFigureEight},
        {.name = "two-body",
         .idea = "two equal bodies on a Kepler ellipse of eccentricity 1/2",
         .caption = "The exact answer is known: the same ellipse, period 2 pi.",
         .source = "Kepler 1609",
         .fixedBodies = 2,
         .timeStep = 2 * std::numbers::pi / 400,
         .story = {6.2832, 10, 2 * std::numbers::pi},
         .view = {.distance = 3.5, .azimuth = -0.5 * std::numbers::pi, .elevation = 1.2, .pointSize = 0.05, .speedScale = 1},
         .build = [](const SceneRequest&) { return keplerPair(0.5); }},
        {.name = "kepler-circular",
         .idea = "two equal bodies on one circle",
         .caption = "The circle hides most errors of an integrator: look at the phase, not at the energy. Period 2 pi.",
         .source = "Kepler 1609; Newton 1687",
         .fixedBodies = 2,
         .timeStep = 2 * std::numbers::pi / 400,
         .story = {6.2832, 10, 2 * std::numbers::pi},
         .view = viewFromAbove(2.5, 0.7),
         .build = [](const SceneRequest&) { return keplerPair(0); }},
        {.name = "kepler-eccentric",
         .idea = "two equal bodies on an ellipse of eccentricity 0.8",
         .caption = "The exact ellipse does not change. If it rotates or widens, the step is too long at pericentre.",
         .source = "Kepler 1609; Newton 1687",
         .fixedBodies = 2,
         .timeStep = 2 * std::numbers::pi / 4000,
         .story = {6.2832, 12, 2 * std::numbers::pi},
         .view = viewFromAbove(3.5, 1.5),
         .build = [](const SceneRequest&) { return keplerPair(0.8); }},
        {.name = "lagrange",
         .idea = "three equal masses on a rotating equilateral triangle",
         .caption = "An exact but unstable solution: any error grows 85-fold in a period of 3.63. After a few periods the "
                    "motion shows rounding, not physics.",
         .source = "Lagrange 1772; Routh 1875",
         .fixedBodies = 3,
         .timeStep = 2 * std::numbers::pi / std::numbers::sqrt3 / 1000,
         .story = {3.628, 8, 2 * std::numbers::pi / std::numbers::sqrt3},
         .view = viewFromAbove(2.5, 1.2),
         .build = [](const SceneRequest&) { return lagrangeTriangle(1, 1, 1); }},
        {.name = "lagrange-stable",
         .idea = "the triangle with masses 1, 0.01 and 0.001, as Sun, planet and Trojan",
         .caption = "With one dominant mass the triangle is stable: it rotates for ever, with a period of 6.25.",
         .source = "Lagrange 1772; Routh 1875",
         .fixedBodies = 3,
         .timeStep = 6.248910299018577 / 1000,
         .story = {6.249, 10, 6.248910299018577},
         .view = viewFromAbove(3.5, 1.2),
         .build = [](const SceneRequest&) { return lagrangeTriangle(1, 0.01, 0.001); },
         .names = kTrojanNames},
        {.name = "super-eight",
         .idea = "four equal bodies on one chain of three loops",
         .caption = "An unstable periodic orbit (2 pi): errors grow 350-fold in a period, so it breaks up after two to five "
                    "periods. Reset to see it again.",
         .source = "Gerver 2000; Kapela & Zgliczynski 2003",
         .fixedBodies = 4,
         .timeStep = 2 * std::numbers::pi / 8000,
         .story = {6.2832, 12, 2 * std::numbers::pi},
         .view = viewFromAbove(4, 2),
         .build = buildSuperEight},
        {.name = "pythagorean",
         .idea = "masses 3, 4, 5 at rest in the corners of a 3-4-5 triangle",
         .caption = "Mass 3 is ejected after t = 60, as the default radau15 shows. A fixed step is right until t = 15.8 at "
                    "best, when two bodies pass at 0.0004; afterwards its motion is wrong.",
         .source = "Burrau 1913; Szebehely & Peters 1967",
         .fixedBodies = 3,
         .integrator = "radau15",
         .timeStep = 1e-4,
         .story = {62, 40},
         .view = viewFromAbove(12, 4),
         .build = buildPythagorean,
         .names = kPythagoreanNames},
        {.name = "ngon",
         .idea = "equal bodies on a circle that rotates rigidly",
         .caption = "Exact for any N, but very unstable for large N: the ring breaks up after a fraction of a period.",
         .source = "Maxwell 1859",
         .bodiesGpu = 12,
         .bodiesCpu = 12,
         .story = {6.28, 20},
         .softening = kPolygonSoftening,
         .view = {.distance = 3.5, .azimuth = -0.5 * std::numbers::pi, .elevation = 1.1, .pointSize = 0.04, .speedScale = 1},
         .build = [](const SceneRequest& request) { return rotatingPolygon(request.bodies, kPolygonSoftening); }},
    };
    return rows;
}

}  // namespace gravlab::scenes
