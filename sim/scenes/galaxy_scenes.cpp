// Galaxies alone and in encounters, in kiloparsecs and 10^10 solar masses. Every body attracts: discs, bulges and haloes.
#include "sim/scenes/galaxy_model.h"

#include <cmath>
#include <memory>
#include <numbers>
#include <vector>

namespace gravlab::scenes {
namespace {

constexpr double kDegree = std::numbers::pi / 180;
constexpr double kSoftening = 0.3;  // [kpc]
constexpr double kTimeStep = 0.08;  // 0.38 Myr; a star of the bulge moves a third of the softening

/// A galaxy of an encounter: its orbit and its number of bodies.
struct Member {
    std::shared_ptr<const Galaxy> galaxy{};
    Attitude attitude{};
    Vec3d place{}, velocity{};
    std::size_t first = 0;
};

/// Numbers of bodies proportional to `weights`; they add up to N exactly.
std::vector<std::size_t> shares(std::size_t bodies, std::span<const double> weights) {
    double sum = 0;
    for (const double w : weights) sum += w;
    std::vector<std::size_t> counts;
    double passed = 0;
    std::size_t given = 0;
    for (const double w : weights) {
        passed += w;
        const auto upTo = static_cast<std::size_t>(std::llround(static_cast<double>(bodies) * passed / sum));
        counts.push_back(upTo - given);
        given = upTo;
    }
    return counts;
}

Recipe assembled(const SceneRequest& request, const std::vector<Member>& members) {
    return {request.bodies, request.seed, [members](std::size_t i, Random& random) {
                std::size_t g = members.size() - 1;
                while (members[g].first > i) --g;
                const Member& m = members[g];
                return placed(m.galaxy->sample(i - m.first, static_cast<std::uint8_t>(g), random), m.attitude, m.place,
                              m.velocity);
            }};
}

/// Two galaxies on a Kepler orbit about each other.
Recipe pair(const SceneRequest& request, const GalaxyModel (&models)[2], const Attitude (&attitudes)[2],
            const double (&weights)[2], double pericentre, double eccentricity, double separation) {
    const std::vector<std::size_t> counts = shares(request.bodies, weights);
    std::vector<Member> members(2);
    for (std::size_t g : {0, 1})
        members[g] = {.galaxy = std::make_shared<const Galaxy>(models[g], counts[g]), .attitude = attitudes[g]};
    members[1].first = counts[0];
    const double mass = members[0].galaxy->mass() + members[1].galaxy->mass();
    const Approach orbit = approach(mass, pericentre, eccentricity, separation);
    members[1].place = orbit.place;
    members[1].velocity = orbit.velocity;
    return assembled(request, members);
}

/// The same galaxy with `mass` times the mass. Its size is proportional to the square root of the mass, because discs have
/// similar surface densities.
GalaxyModel scaled(GalaxyModel m, double mass) {
    const double size = std::sqrt(mass);
    for (double* q : {&m.discMass, &m.bulgeMass, &m.haloMass}) *q *= mass;
    for (double* q : {&m.scaleLength, &m.height, &m.bulgeScale, &m.haloScale, &m.haloEnd}) *q *= size;
    return m;
}

constexpr SceneParameter kGalaxyParameters[] = {
    {"toomre-q", "Toomre Q", "",
     "random motion of the disc: below 1 it breaks into clumps, near 1.2 it makes arms, above 2 it stays smooth", 1.2, 0.4,
     4},
    {"disc-mass", "Disc", "e10 Msun", "mass of the disc; heavy discs grow bars", 4.5, 0.5, 15},
    {"bulge-mass", "Bulge", "e10 Msun", "mass of the bulge", 1, 0.01, 5},
    {"halo-mass", "Halo", "e10 Msun", "dark mass within 90 kpc", 22, 1, 100},
};

Recipe galaxy(const SceneRequest& request) {
    const GalaxyModel model{.discMass = request.value(kGalaxyParameters[1]),
                            .toomreQ = request.value(kGalaxyParameters[0]),
                            .bulgeMass = request.value(kGalaxyParameters[2]),
                            .haloMass = request.value(kGalaxyParameters[3]),
                            .softening = kSoftening};
    return assembled(request, {{.galaxy = std::make_shared<const Galaxy>(model, request.bodies)}});
}

// Arms grow best where a disc has about half of the mass inside: two arms need a heavier disc than four.
constexpr SceneParameter kSpiralParameters[] = {
    {"arms", "Arms", "", "number of arms at the start; with 0 the disc forms its own", 2, 0, 6},
    {"arm-strength", "Arm strength", "", "how far orbits crowd in the arms: 0 not at all, 0.9 into ridges", 0.55, 0, 0.9},
    kGalaxyParameters[0],
    {"disc-mass", "Disc", "e10 Msun", "mass of the disc; heavy discs have few arms and grow bars, light ones many arms", 6,
     0.5, 15},
    kGalaxyParameters[2],
    {"halo-mass", "Halo", "e10 Msun", "dark mass within 90 kpc", 20, 1, 100},
};

Recipe spiral(const SceneRequest& request) {
    GalaxyModel model{.discMass = request.value(kSpiralParameters[3]),
                      .discEnd = 5.5,
                      .toomreQ = request.value(kSpiralParameters[2]),
                      .bulgeMass = request.value(kSpiralParameters[4]),
                      .haloMass = request.value(kSpiralParameters[5]),
                      .softening = kSoftening,
                      .haloShare = 0.34};
    model.wave = {.arms = static_cast<int>(std::lround(request.value(kSpiralParameters[0]))),
                  .strength = request.value(kSpiralParameters[1]),
                  .pitch = 20 * kDegree,
                  .inner = 0.9 * model.scaleLength,
                  .outer = 3.7 * model.scaleLength};
    return assembled(request, {{.galaxy = std::make_shared<const Galaxy>(model, request.bodies)}});
}

constexpr SceneParameter kAndromedaParameters[] = {
    {"pericentre", "Pericentre", "kpc", "smallest distance of the galaxies as points; measurements allow 0 to 60", 16, 0,
     60},
    {"mass-ratio", "Mass ratio", "", "ratio of the masses", 1.5, 0.5, 3},
};

Recipe andromeda(const SceneRequest& request) {
    const double ratio = request.value(kAndromedaParameters[1]);
    const GalaxyModel milkyWay{.discMass = 4.5,
                               .scaleLength = 2.6,
                               .toomreQ = 1.3,
                               .bulgeMass = 1,
                               .haloMass = 40,
                               .haloScale = 18,
                               .haloEnd = 110,
                               .softening = kSoftening};
    GalaxyModel andromeda = milkyWay;
    andromeda.discMass = 7 * ratio / 1.5;
    andromeda.scaleLength = 4.8;
    andromeda.bulgeMass = 2.2 * ratio / 1.5;
    andromeda.bulgeScale = 1;
    andromeda.haloMass = 60 * ratio / 1.5;
    andromeda.haloScale = 24;
    const GalaxyModel models[2] = {milkyWay, andromeda};
    const Attitude attitudes[2] = {{65 * kDegree, 40 * kDegree}, {115 * kDegree, -75 * kDegree}};
    return pair(request, models, attitudes, {1, 1.3}, std::max(request.value(kAndromedaParameters[0]), 1e-3), 0.99, 130);
}

constexpr SceneParameter kAntennaeParameters[] = {
    {"inclination", "Inclination", "deg", "inclination of both discs to the orbit; 0 rotates with it, 180 against it", 60, 0,
     180},
    {"pericentre", "Pericentre", "kpc", "smallest distance of the galaxies as points", 9, 0.5, 40},
    {"mass-ratio", "Mass ratio", "", "mass of the second galaxy over that of the first", 1, 0.1, 1},
    {"toomre-q", "Toomre Q", "", "random motion of both discs; cold ones make thin tails", 1.1, 0.5, 3},
};

Recipe antennae(const SceneRequest& request) {
    GalaxyModel model{.discMass = 5, .toomreQ = request.value(kAntennaeParameters[3]), .bulgeMass = 0.8, .haloMass = 20};
    model.haloScale = 12;
    model.haloEnd = 70;
    model.softening = kSoftening;
    const double ratio = request.value(kAntennaeParameters[2]);
    const GalaxyModel models[2] = {model, scaled(model, ratio)};
    // The pericentre argument of both is -30 degrees, as in the first model of these galaxies.
    const double inclination = request.value(kAntennaeParameters[0]) * kDegree;
    const Attitude attitudes[2] = {{inclination, 30 * kDegree}, {inclination, 210 * kDegree}};
    return pair(request, models, attitudes, {1, std::sqrt(ratio)}, request.value(kAntennaeParameters[1]), 0.95, 62);
}

constexpr SceneParameter kMinorParameters[] = {
    {"mass-ratio", "Mass ratio", "", "mass of the companion over that of the galaxy", 0.1, 0.01, 0.5},
    {"inclination", "Inclination", "deg", "inclination of the companion's orbit; above 90 it is retrograde", 30, 0, 180},
    {"pericentre", "Pericentre", "kpc", "smallest distance of the first passage", 12, 1, 50},
};

Recipe minorMerger(const SceneRequest& request) {
    const double ratio = request.value(kMinorParameters[0]);
    const GalaxyModel model{.softening = kSoftening};
    const GalaxyModel models[2] = {model, scaled(model, ratio)};
    // The galaxy is tilted instead of the orbit: the same encounter seen from another side.
    const double inclination = request.value(kMinorParameters[1]) * kDegree;
    const Attitude attitudes[2] = {{inclination, 0.5}, {70 * kDegree, 1}};
    return pair(request, models, attitudes, {1, 0.6 * std::pow(ratio, 0.5)}, request.value(kMinorParameters[2]), 0.6, 36);
}

constexpr SceneParameter kCartwheelParameters[] = {
    {"mass-ratio", "Mass ratio", "", "mass of the intruder over that of the galaxy", 0.35, 0.05, 1},
    {"impact", "Impact", "kpc", "distance from the centre at which the intruder crosses the disc", 0.8, 0, 10},
    {"tilt", "Tilt", "deg", "angle between its path and the axis of the disc", 5, 0, 80},
};

Recipe cartwheel(const SceneRequest& request) {
    const GalaxyModel model{.discMass = 5,
                            .toomreQ = 1.3,
                            .bulgeMass = 0.5,
                            .haloMass = 18,
                            .haloScale = 14,
                            .haloEnd = 70,
                            .softening = kSoftening,
                            .haloShare = 0.3};
    const double ratio = request.value(kCartwheelParameters[0]), impact = request.value(kCartwheelParameters[1]);
    const double tilt = request.value(kCartwheelParameters[2]) * kDegree;
    const double weights[2] = {1, 0.4 * ratio};
    const std::vector<std::size_t> counts = shares(request.bodies, weights);
    const Galaxy galaxy(model, counts[0]);
    const double mass = galaxy.mass() * ratio;
    const SphereSystem intruder({hernquistPart(mass, 2.2, 30, kSoftening)}, kSoftening);
    constexpr double kHeight = 42;
    const double speed = std::sqrt(2 * (galaxy.mass() + mass) / kHeight);  // from rest at infinity
    const Vec3d place{impact + kHeight * std::sin(tilt), 0, kHeight * std::cos(tilt)};
    const Vec3d velocity{-speed * std::sin(tilt), 0, -speed * std::cos(tilt)};
    return {request.bodies, request.seed, [=](std::size_t i, Random& random) {
                if (i < counts[0]) return galaxy.sample(i, 0, random);
                Body body = intruder.sample(0, random);
                body.mass = mass / static_cast<double>(counts[1]);
                body.group = static_cast<std::uint8_t>(1 | static_cast<unsigned>(Species::bulge) << 6);
                return placed(body, {}, place, velocity);
            }};
}

constexpr SceneParameter kGroupParameters[] = {
    {"temperature", "T/|W|", "", "kinetic over potential energy of the galaxies' motion: 0 collapses, 0.5 is in balance",
     0.12, 0, 0.6},
    {"radius", "Radius", "kpc", "radius of the group", 60, 20, 200},
};

Recipe group(const SceneRequest& request) {
    constexpr std::size_t kGalaxies = 6;
    constexpr double kMasses[kGalaxies] = {1, 0.8, 0.65, 0.5, 0.4, 0.3};
    GalaxyModel model{
        .discMass = 5, .bulgeMass = 1, .haloMass = 14, .haloScale = 10, .haloEnd = 50, .softening = kSoftening};
    const std::vector<std::size_t> counts = shares(request.bodies, kMasses);
    const double radius = request.value(kGroupParameters[1]);
    Random random(request.seed, ~std::uint64_t{0});
    std::vector<Member> members(kGalaxies);
    std::size_t first = 0;
    for (std::size_t g = 0; g < kGalaxies; ++g) {
        Member& m = members[g];
        m.galaxy = std::make_shared<const Galaxy>(scaled(model, kMasses[g]), counts[g]);
        m.first = first;
        first += counts[g];
        m.attitude = {std::acos(random.uniform(-1, 1)), 2 * std::numbers::pi * random.uniform()};
        // Keep the galaxies apart, so that all six are visible; the last attempt is accepted.
        for (int attempt = 0; attempt < 40; ++attempt) {
            const Vec3d way = random.onSphere();
            const double r = radius * std::cbrt(random.uniform(0.1, 1));
            m.place = {r * way.x, r * way.y, 0.6 * r * way.z};
            double nearest = 1e300;
            for (std::size_t k = 0; k < g; ++k) nearest = std::min(nearest, distance(m.place, members[k].place));
            if (nearest > 0.75 * radius) break;
        }
        m.velocity = {random.normal(), random.normal(), random.normal()};
    }
    // Scale the speeds to the chosen ratio of energies, with galaxies as points and the group at rest.
    double mass = 0, kinetic = 0, potential = 0;
    Vec3d mean{};
    for (const Member& m : members) {
        mass += m.galaxy->mass();
        mean += m.galaxy->mass() * m.velocity;
    }
    for (std::size_t g = 0; g < kGalaxies; ++g) {
        Member& m = members[g];
        m.velocity -= mean / mass;
        kinetic += 0.5 * m.galaxy->mass() * dot(m.velocity, m.velocity);
        for (std::size_t k = 0; k < g; ++k)
            potential += m.galaxy->mass() * members[k].galaxy->mass() / distance(m.place, members[k].place);
    }
    const double factor = std::sqrt(request.value(kGroupParameters[0]) * potential / kinetic);
    for (Member& m : members) m.velocity *= factor;
    return assembled(request, members);
}

constexpr SceneParameter kCloseGroupParameters[] = {
    kGroupParameters[0],
    {"radius", "Radius", "kpc", "radius of the group", 36, 20, 200},
};

Recipe closeGroup(const SceneRequest& request) { return group(withUsual(request, kCloseGroupParameters)); }

/// What these scenes have in common.
std::vector<Scene> inGalacticUnits(std::vector<Scene> rows) {
    for (Scene& row : rows) {
        row.timeStep = kTimeStep;
        row.softening = kSoftening;
        row.farField = kCollisionless;
        row.units = kGalacticUnits;
    }
    return rows;
}

}  // namespace

std::span<const Scene> galaxyScenes() {
    static const std::vector<Scene> rows = inGalacticUnits({
        {.name = "galaxy",
         .idea = "a spiral galaxy like ours: disc, bulge and live dark halo in balance",
         .caption = "Arms form and fade; an orbit at the Sun's radius takes 240 Myr.",
         .source = "Hernquist 1993; Toomre 1964; Eddington 1916",
         .story = {51, 30},
         .view = {.distance = 34, .elevation = 0.85, .pointSize = 0.075, .speedScale = 1.5},
         .build = build<galaxy>,
         .made = made<galaxy>,
         .parameters = kGalaxyParameters},
        {.name = "galaxy",
         .idea = "a spiral galaxy with two arms: disc, bulge and live dark halo in balance",
         .caption =
             "Its arms wind up, fade and grow again by the disc's own gravity; an orbit at the Sun's radius takes 220 Myr.",
         .source = "Toomre 1981; Hernquist 1993; Kalnajs 1973",
         .version = 2,
         .story = {47, 30},
         .view = {.distance = 36, .elevation = 0.95, .pointSize = 0.075, .speedScale = 1.5, .colour = "photograph"},
         .build = build<spiral>,
         .made = made<spiral>,
         .parameters = kSpiralParameters},
        {.name = "andromeda",
         .idea = "Andromeda and the Milky Way collide",
         .caption = "In four billion years; here they start 130 kpc apart. They pass, return and merge.",
         .source = "van der Marel et al. 2012",
         .story = {140, 40},
         .view =
             {.distance = 170, .azimuth = -0.9, .elevation = 0.7, .pointSize = 0.3, .speedScale = 2, .colour = "photograph"},
         .build = build<andromeda>,
         .made = made<andromeda>,
         .parameters = kAndromedaParameters},
        {.name = "antennae",
         .idea = "two equal spirals throw out two long tails",
         .caption = "The tails of NGC 4038/39: each disc rotates with the passage, which throws out its far side.",
         .source = "Toomre & Toomre 1972; Barnes 1988",
         .story = {80, 40},
         .view =
             {.distance = 110, .azimuth = -1.2, .elevation = 0.9, .pointSize = 0.2, .speedScale = 2, .colour = "photograph"},
         .build = build<antennae>,
         .made = made<antennae>,
         .parameters = kAntennaeParameters},
        {.name = "cartwheel",
         .idea = "an intruder falls through the middle of a disc",
         .caption = "Its pull draws the stars inwards; they rebound as a ring that runs outwards.",
         .source = "Lynds & Toomre 1976",
         .story = {48, 30},
         .view = {.distance = 108,
                  .azimuth = -1.1,
                  .elevation = 0.65,
                  .pointSize = 0.14,
                  .speedScale = 1.8,
                  .colour = "photograph"},
         .build = build<cartwheel>,
         .made = made<cartwheel>,
         .parameters = kCartwheelParameters},
        {.name = "minor-merger",
         .idea = "a small companion falls into a spiral galaxy",
         .caption = "The tide stretches it into streams, and the disc responds with arms and a warp.",
         .source = "Quinn, Hernquist & Fullagar 1993",
         .story = {72, 36},
         .view = {.distance = 62,
                  .azimuth = 0.4,
                  .elevation = 0.75,
                  .pointSize = 0.11,
                  .speedScale = 1.6,
                  .colour = "photograph"},
         .build = build<minorMerger>,
         .made = made<minorMerger>,
         .parameters = kMinorParameters},
        {.name = "group",
         .idea = "six galaxies of different sizes fall towards each other",
         .caption = "Passages, tails and mergers, until one elliptical galaxy remains.",
         .source = "Barnes 1989",
         .bodiesGpu = 98304,
         .bodiesCpu = 12288,
         .story = {56, 40},
         .view = {.distance = 170, .elevation = 0.6, .pointSize = 0.3, .speedScale = 1.6},
         .build = build<group>,
         .made = made<group>,
         .parameters = kGroupParameters},
        {.name = "group",
         .idea = "six galaxies of different sizes fall towards each other",
         .caption = "Passages, tails and mergers, until one elliptical galaxy remains.",
         .source = "Barnes 1989",
         .version = 2,
         .bodiesGpu = 98304,
         .bodiesCpu = 12288,
         .story = {26, 30},
         .view = {.distance = 105, .elevation = 0.6, .pointSize = 0.2, .speedScale = 1.6, .colour = "photograph"},
         .build = build<closeGroup>,
         .made = made<closeGroup>,
         .parameters = kCloseGroupParameters},
    });
    return rows;
}

}  // namespace gravlab::scenes
