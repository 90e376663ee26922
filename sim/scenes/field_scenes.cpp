// Scenes with forces from outside: orbits that turn by relativity, clusters torn in a halo, satellites that sink.
#include "sim/core/group.h"
#include "sim/forces/fields/field_text.h"
#include "sim/forces/fields/post_newtonian.h"
#include "sim/scenes/companion.h"
#include "sim/scenes/few_body_orbits.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>
#include <utility>
#include <vector>

namespace gravlab::scenes {
namespace {

/// Two bodies on a Kepler orbit, centred, the heavy one first.
ParticleSet heavyPair(const OrbitalElements& elements, double heavy, double light) {
    Body body = orbitState(elements, heavy + light);
    body.mass = light;
    return centred(listedBodies(std::vector<Body>{{{0, 0, 0}, {}, heavy}, body}));
}

constexpr SceneParameter kRelativity[] = {
    {"relativity", "Relativity", "", "how much stronger than in nature its effects are; 0: Newton's orbit", 1, 0, 1e6},
};

/// Post-Newtonian terms of the first body; `lightSpeed` [L/T].
ForceTerms relativityOf(const SceneRequest& request, double lightSpeed) {
    const double times = request.value(kRelativity[0]);
    if (!(times > 0)) return {};
    return {std::make_shared<const PostNewtonian>(std::vector<std::uint32_t>{0}, lightSpeed / std::sqrt(times))};
}

// Mean elements at J2000, as in the scene solar-system-j2000.
constexpr OrbitalElements kMercury{0.38709927, 0.20563593, 7.00497902, 252.25032350, 77.45779628, 48.33076593};
constexpr double kMercuryMass = 1 / 6023600.0;
constexpr std::string_view kMercuryNames[] = {"Sun", "Mercury"};
constexpr Celestial kMercuryBodies[] = {Celestial::star, Celestial::barren};

ForceTerms mercuryTerms(const SceneRequest& request, const ParticleSet&) {
    return relativityOf(request, kLightSpeed / 1e3 / kSolarSpeed);
}

// Thousands of astronomical units and millions of solar masses; a body at 1000 au moves at sqrt(1000) times Earth's speed.
constexpr double kStarSpeed = kSolarSpeed * 31.622776601683793, kStarTime = 31.622776601683793 / (2 * std::numbers::pi);
constexpr SceneUnits kStarUnits{"AU", "Msun", "years", "km/s", 1000, 1e6, kStarTime, kStarSpeed};
// GRAVITY Collaboration 2020, table E.1: 125.058 mas at 8246.7 pc, 4.261 million solar masses.
constexpr double kHoleMass = 4.261, kStarAxis = 1.031316, kStarEccentricity = 0.884649;
constexpr OrbitalElements kStarOrbit{kStarAxis, kStarEccentricity, 0, 180, 0, 0};
constexpr std::string_view kStarNames[] = {"Sgr A*", "S2"};

ForceTerms s2Terms(const SceneRequest& request, const ParticleSet&) {
    return relativityOf(request, kLightSpeed / 1e3 / kStarSpeed);
}

// A galaxy of fields with the masses of the Milky Way, after Bovy 2015, and two clusters on one orbit, half a turn apart.
constexpr std::string_view kGalaxyFields =
    "nfw,mass=80,scale=16,concentration=15.3;miyamoto-nagai,mass=6.8,scale=3,height=0.28;hernquist,mass=0.5,scale=0.7";
constexpr double kStreamSoftening = 0.02, kApocentre = 22, kApocentreSpeed = 0.5, kDiscScale = 2.6, kDiscHeight = 0.3,
                 kBulgeScale = 0.7;
constexpr std::uint8_t kPictured = 7;  // white
constexpr SceneParameter kStreamParameters[] = {
    {"cluster-mass", "Cluster mass", "1e10 Msun", "of each cluster: heavy ones stay together", 0.002, 1e-5, 0.1},
    {"cluster-radius", "Cluster radius", "kpc", "Plummer radius of each cluster: wide ones are torn", 0.25, 0.05, 2},
};

ParticleSet buildClusters(const SceneRequest& request) {
    std::array<ParticleSet, 2> clusters;
    const std::size_t first = (request.bodies + 1) / 2;
    for (std::size_t half = 0; half < std::min<std::size_t>(request.bodies, 2); ++half)
        clusters[half] = companion({.bodies = half == 0 ? first : request.bodies - first,
                                    .mass = request.value(kStreamParameters[0]),
                                    .size = request.value(kStreamParameters[1]),
                                    .softening = kStreamSoftening,
                                    .seed = request.seed + half});
    return centred(makeBodies(request.bodies, 0, [&](std::size_t i, Random&) {
        const std::size_t half = i < first ? 0 : 1, k = i - half * first;
        const Double4 &x = clusters[half].position[k], &v = clusters[half].velocity[k];
        const double side = half == 0 ? 1 : -1;
        // The orbits are inclined, so that the streams leave the plane of the disc; the stars are old.
        return Body{{x.x + side * kApocentre, x.y, x.z},
                    {v.x, v.y + 0.8 * side * kApocentreSpeed, v.z + 0.6 * side * kApocentreSpeed},
                    x.w,
                    static_cast<std::uint8_t>(kMostGalaxies + half)};
    }));
}
ForceTerms streamTerms(const SceneRequest&, const ParticleSet& bodies) {
    return fieldTerms(parsedFields(kGalaxyFields), bodies);
}
/// A third of the bodies are clusters. The others have no mass: they show disc and bulge, on circles in the fields of both.
ParticleSet buildStream(const SceneRequest& request) {
    SceneRequest third = request;
    third.bodies = request.bodies / 3;
    const ParticleSet clusters = buildClusters(third);
    // Until its speed is known, a star has the axis of its circle.
    ParticleSet bodies = makeBodies(request.bodies, request.seed + 2, [&](std::size_t i, Random& random) {
        if (i < clusters.size())
            return Body{xyz(clusters.position[i]), xyz(clusters.velocity[i]), clusters.position[i].w, clusters.group[i]};
        if (random.uniform() < 0.15) {
            const double share = std::sqrt(0.8 * random.uniform());
            const Vec3d out = random.onSphere(), axis = cross(out, random.onSphere());
            return Body{out * (kBulgeScale * share / (1 - share)), axis / length(axis), 0, kMostGalaxies + kPictured};
        }
        const double radius = -kDiscScale * std::log((1 - random.uniform()) * (1 - random.uniform()));
        const double angle = 2 * std::numbers::pi * random.uniform(), share = 1.98 * random.uniform() - 0.99;
        const Vec3d at{radius * std::cos(angle), radius * std::sin(angle), kDiscHeight * std::atanh(share)};
        return Body{at, {0, 0, 1}, 0, kPictured};
    });
    std::vector<std::uint32_t> all(bodies.size());
    std::iota(all.begin(), all.end(), 0U);
    std::vector<Double4> pulls(all.size());
    for (const auto& term : streamTerms(request, bodies)) term->addAccelerations(termBodies(bodies), all, pulls, {});
    for (std::size_t i = clusters.size(); i < bodies.size(); ++i) {
        Double4& v = bodies.velocity[i];
        const Vec3d ahead = cross(xyz(v), xyz(bodies.position[i]));
        const double inwards = -dot(xyz(pulls[i]), cross(ahead, xyz(v)));
        v = packed(ahead * std::sqrt(std::max(inwards, 0.0) / std::max(dot(ahead, ahead), 1e-12)), v.w);
    }
    return bodies;
}

// Three pairs of satellites on circles in an isothermal halo of 220 km/s. Each pair is twice as heavy as the one inside it
// and 2^(1/2) times as far out, so that all sink in one time, far from each other.
constexpr double kHaloSpeed = 1.0608;
constexpr std::size_t kSatellites = 6;
ParticleSet buildSatellites(const SceneRequest&) {
    std::vector<Body> list;
    for (std::size_t k = 0; k < kSatellites; ++k) {
        const double angle = 2 * std::numbers::pi * static_cast<double>(k) / kSatellites;
        const double c = std::cos(angle), s = std::sin(angle);
        const double mass = 0.025 * static_cast<double>(1 << (k % 3)), radius = 10 * std::sqrt(mass / 0.05);
        list.push_back({{radius * c, radius * s, 0}, {-kHaloSpeed * s, kHaloSpeed * c, 0}, mass});
    }
    ParticleSet bodies = listedBodies(list);
    for (std::size_t k = 0; k < kSatellites; ++k) bodies.group[k] = static_cast<std::uint8_t>(k % 3);
    return centred(std::move(bodies));
}
ForceTerms satelliteTerms(const SceneRequest&, const ParticleSet& bodies) {
    return fieldTerms(parsedFields("logarithmic,speed=1.0608,core=1;friction,speed=1.0608,core=1,logarithm=5"), bodies);
}

}  // namespace

std::span<const Scene> fieldScenes() {
    static const Scene newest[] = {
        {.name = "mercury",
         .group = SceneGroup::famous,
         .idea = "Mercury about the Sun with the first effects of relativity: its ellipse turns",
         .caption = "In a century the ellipse turns by 43 arc seconds, too little to see, but radau15 measures it. Set "
                    "Relativity to 100,000 and watch a rosette. The other planets, which turn it more, are left out.",
         .source = "Einstein 1915",
         .fixedBodies = 2,
         .integrator = "radau15",
         .timeStep = 2 * std::numbers::pi / 1460,
         .story = {15.14, 30},
         .view = {.distance = 1.6,
                  .elevation = 1.1,
                  .pointSize = 0.008,
                  .speedScale = 2,
                  .colour = "celestial",
                  .celestials = kMercuryBodies},
         .build = [](const SceneRequest&) { return heavyPair(kMercury, 1, kMercuryMass); },
         .units = kSolarUnits,
         .parameters = kRelativity,
         .names = kMercuryNames,
         .terms = mercuryTerms},
        {.name = "s2",
         .group = SceneGroup::famous,
         .idea = "the star S2 about the black hole of the Milky Way: 16 years a turn",
         .caption = "At its nearest the star moves at 7,700 km/s, and each turn its ellipse has turned by 12 arc minutes. "
                    "radau15 takes short steps there by itself.",
         .source = "GRAVITY Collaboration 2020",
         .fixedBodies = 2,
         .integrator = "radau15",
         .timeStep = 0.001,
         .story = {9.6, 30},
         .view = {.distance = 5, .elevation = 1.2, .pointSize = 0.03, .speedScale = 2},
         .build = [](const SceneRequest&) { return heavyPair(kStarOrbit, kHoleMass, 14e-6); },
         .units = kStarUnits,
         .parameters = kRelativity,
         .names = kStarNames,
         .terms = s2Terms},
        {.name = "stream",
         .idea = "two clusters are torn into streams by the field of a galaxy",
         .caption =
             "Halo, disc and bulge are fields that act on every star; stars without mass show disc and bulge. Stars that "
             "leave a cluster on the inner side run ahead, those on the outer side fall behind.",
         .source = "Bovy 2015; Binney & Tremaine 2008, section 8.3",
         .version = 2,
         .timeStep = 0.05,
         .story = {400, 40},
         .softening = kStreamSoftening,
         .farField = kCollisionless,
         .view = {.distance = 60, .elevation = 0.7, .pointSize = 0.12, .speedScale = 2, .colour = "photograph"},
         .build = buildStream,
         .units = kGalacticUnits,
         .parameters = kStreamParameters,
         .terms = streamTerms},
        {.name = "satellite-decay",
         .idea = "satellites of three masses sink in a halo by dynamical friction",
         .caption = "Each pair is twice as heavy as the one inside it and begins 1.41 times as far out. The time to sink "
                    "grows with r^2 / M, so all reach the centre after about 2.5 Gyr, by radau15.",
         .source = "Chandrasekhar 1943; Binney & Tremaine 2008, section 8.1",
         .fixedBodies = kSatellites,
         .integrator = "radau15",
         .timeStep = 0.1,
         .story = {550, 30},
         .softening = 6,
         .view = {.distance = 38, .elevation = 1.1, .pointSize = 0.4, .speedScale = 2, .colour = "origin"},
         .build = buildSatellites,
         .units = kGalacticUnits,
         .terms = satelliteTerms},
    };
    static const std::vector<Scene> rows = withFirst(newest, "stream", buildClusters);
    return rows;
}

}  // namespace gravlab::scenes
