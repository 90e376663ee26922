// Discs: two that collide, one alone, and one of massless bodies with exact Kepler orbits.
#include "sim/scenes/disc_galaxy.h"
#include "sim/scenes/galaxy_model.h"

#include <cmath>
#include <numbers>

namespace gravlab::scenes {
namespace {

constexpr double kDiscSoftening = 0.03, kCollisionSoftening = 0.05;

// One disc nearly in the plane of the orbit, for long tails; one steep, so that the picture is three-dimensional.
constexpr Attitude kAttitudes[2] = {{0.35, 0.4}, {1.05, -0.9}};

Recipe collision(const SceneRequest& request) {
    DiscModel model{.discMass = 0.6,
                    .outerRadius = 4,
                    .height = 0.08,
                    .toomreQ = 1.2,
                    .centralMass = 0.4,
                    .centralRadius = 0.25,
                    .centralShare = 0.25,
                    .softening = kCollisionSoftening};
    const std::size_t first = request.bodies - request.bodies / 2;
    const std::vector<DiscGalaxy> galaxies{{model, first}, {model, request.bodies - first}};
    const Approach orbit = parabola(2, 1.6, 10);
    return {request.bodies, request.seed, [=](std::size_t i, Random& random) {
                const std::size_t side = i < first ? 0 : 1;
                const double half = side == 0 ? -0.5 : 0.5;  // half of the separation of two equal masses
                Body body = galaxies[side].sample(side == 0 ? i : i - first, random);
                body.group = static_cast<std::uint8_t>(body.group | side);
                return placed(body, kAttitudes[side], half * orbit.place, half * orbit.velocity);
            }};
}

Recipe discOf(const DiscModel& model, const SceneRequest& request) {
    const DiscGalaxy galaxy(model, request.bodies);
    return {request.bodies, request.seed, [galaxy](std::size_t i, Random& random) { return galaxy.sample(i, random); }};
}

Recipe disc(const SceneRequest& request) {
    DiscModel model{.discMass = 0.5,
                    .innerRadius = 0.2,
                    .outerRadius = 4,
                    .height = 0.05,
                    .toomreQ = 1.1,
                    .centralMass = 0.5,
                    .softening = kDiscSoftening};
    return discOf(model, request);
}

/// Version 2: spiral arms at the start, and a round centre instead of one heavy body.
Recipe spiralDisc(const SceneRequest& request) {
    DiscModel model{.discMass = 0.65,
                    .outerRadius = 4.5,
                    .height = 0.05,
                    .toomreQ = 1.1,
                    .centralMass = 0.35,
                    .centralRadius = 0.2,
                    .centralShare = 0.2,
                    .softening = kDiscSoftening,
                    .wave = {.arms = 4, .strength = 0.6, .pitch = 0.42, .inner = 0.8, .outer = 3.4}};
    return discOf(model, request);
}

/// The units in which a galaxy with numbers near 1 is a real one: 4 kpc and 6e10 solar masses give the rotation of real
/// discs. Only units that the window shows are set.
constexpr SceneUnits kSpiralUnits{"kpc", "Msun", "Myr", "km/s", 4, 6e10, 15.39858, 253.9954};

constexpr double kInnerOrbit = 0.5, kOuterOrbit = 4;

ParticleSet buildKeplerDisc(const SceneRequest& request) {
    return makeBodies(request.bodies, request.seed, [&](std::size_t i, Random& random) {
        if (i == 0) return Body{{0, 0, 0}, {}, 1};
        const double r = kInnerOrbit + (kOuterOrbit - kInnerOrbit) * random.uniform();
        const double angle = 2 * std::numbers::pi * random.uniform();
        const double x = std::cos(angle), y = std::sin(angle), speed = 1 / std::sqrt(r);
        return Body{{r * x, r * y, 0}, {-speed * y, speed * x, 0}, 0, 1};
    });
}

}  // namespace

std::span<const Scene> discScenes() {
    static const Scene rows[] = {
        {.name = "collision",
         .idea = "two spiral galaxies on a parabolic orbit",
         .caption = "They pass, throw out bridges and tails, turn back and merge.",
         .source = "Toomre & Toomre 1972",
         .timeStep = 0.025,
         .story = {18, 24},
         .softening = kCollisionSoftening,
         .farField = kCollisionless,
         .view = {.distance = 17,
                  .azimuth = -0.2,
                  .elevation = 0.9,
                  .pointSize = 0.03,
                  .speedScale = 1.2,
                  .colour = "photograph"},
         .build = build<collision>,
         .made = made<collision>,
         .units = kSpiralUnits},
        {.name = "disc",
         .idea = "a self-gravitating disc around a heavy centre, in rotation balance",
         .caption = "Small clumps are sheared into spiral arms, which come and go.",
         .source = "Freeman 1970; Toomre 1964",
         .story = {5, 25},
         .softening = kDiscSoftening,
         .farField = kCollisionless,
         .view = {.distance = 9.5, .elevation = 0.9, .pointSize = 0.02, .exposure = 0.7, .speedScale = 1.5},
         .build = build<disc>,
         .made = made<disc>},
        {.name = "disc",
         .idea = "a self-gravitating disc around a small bulge, with four arms",
         .caption =
             "The arms are sheared, broken and amplified again by the disc's own gravity, until it is too hot for arms.",
         .source = "Freeman 1970; Toomre 1964, 1981",
         .version = 2,
         .story = {5, 25},
         .softening = kDiscSoftening,
         .farField = kCollisionless,
         .view = {.distance = 9.5, .elevation = 0.95, .pointSize = 0.02, .speedScale = 1.5, .colour = "photograph"},
         .build = build<spiralDisc>,
         .made = made<spiralDisc>},
        {.name = "kepler-disc",
         .group = SceneGroup::clusters,
         .idea = "massless bodies on circles around one mass",
         .caption = "Kepler's third law as a picture: the inner bodies lap the outer ones, and no radius ever changes.",
         .source = "Kepler 1619",
         .bodiesGpu = 16384,
         .bodiesCpu = 4096,
         .massive = 1,
         // The innermost circular orbit has a thousand steps.
         .timeStep = 0.0022,
         .story = {2.5, 25},
         .view = {.distance = 11, .elevation = 0.8, .pointSize = 0.02, .speedScale = 1.4},
         .build = buildKeplerDisc},
    };
    return rows;
}

}  // namespace gravlab::scenes
