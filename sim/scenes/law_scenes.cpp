// One scene for each law beside gravity: charges, springs, and atoms that hold together.
#include "sim/forces/bonds/bonds.h"
#include "sim/forces/law.h"
#include "sim/forces/second_pair_law.h"
#include "sim/scenes/scene_builder.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <tuple>
#include <utility>
#include <vector>

namespace gravlab::scenes {
namespace {

// A heavy positive charge 1, and negative ones on circles about it with the sum -1/2. All have the same charge; every second
// one is four times as heavy and therefore slower.
constexpr double kNucleusMass = 100, kCloudCharge = 0.5, kCloudMass = 0.5, kHeavy = 4;
constexpr double kInner = 0.6, kOuter = 2.5, kChargesSoftening = 0.05;

ParticleSet buildCharges(const SceneRequest& request) {
    const double count = static_cast<double>(std::max<std::size_t>(1, request.bodies - 1));
    const double charge = kCloudCharge / count, lightMass = kCloudMass / count;
    ParticleSet bodies = makeBodies(request.bodies, request.seed, [&](std::size_t i, Random& random) {
        if (i == 0) return Body{{0, 0, 0}, {}, 1};
        const double mass = i % 2 ? lightMass : kHeavy * lightMass;
        // Equal areas contain equal charge; the inner charge screens the nucleus.
        const double area = random.uniform(kInner * kInner, kOuter * kOuter), r = std::sqrt(area);
        const double inside = kCloudCharge * (area - kInner * kInner) / (kOuter * kOuter - kInner * kInner);
        const double squared = area + kChargesSoftening * kChargesSoftening;
        const double speed = std::sqrt((1 - inside) * charge / mass * area / (squared * std::sqrt(squared)));
        const double angle = 2 * std::numbers::pi * random.uniform(), x = std::cos(angle), y = std::sin(angle);
        return Body{{r * x, r * y, 0.02 * random.normal()},
                    {-speed * y, speed * x, 0},
                    -charge,
                    static_cast<std::uint8_t>(i % 2 ? 1 : 2)};
    });
    for (std::size_t i = 0; i < bodies.size(); ++i)
        bodies.velocity[i].w = i == 0 ? 1 / kNucleusMass : bodies.position[i].w / (i % 2 ? lightMass : kHeavy * lightMass);
    return centred(std::move(bodies));
}

ParticleSet buildPowerLaw(const SceneRequest& request) {
    const double mass = 1 / static_cast<double>(request.bodies);
    return centred(makeBodies(request.bodies, request.seed, [&](std::size_t, Random& random) {
        const Vec3d way = random.onSphere(), at = std::cbrt(random.uniform()) * way;
        // Rotation about the z axis with random motion gives ellipses of all shapes.
        return Body{
            at, {-0.6 * at.y + 0.15 * random.normal(), 0.6 * at.x + 0.15 * random.normal(), 0.15 * random.normal()}, mass};
    }));
}

/// Version 2: four small clouds on ellipses about their common centre, so that they pass each other again and again.
ParticleSet buildClouds(const SceneRequest& request) {
    constexpr int kClouds = 4;
    const double mass = 1 / static_cast<double>(request.bodies);
    return centred(makeBodies(request.bodies, request.seed, [&](std::size_t i, Random& random) {
        const auto cloud = static_cast<int>(i % kClouds);
        const double turn = 0.5 * std::numbers::pi * cloud, c = std::cos(turn), s = std::sin(turn);
        const Vec3d way = random.onSphere();
        const double r = 0.34 * std::cbrt(random.uniform());
        // A circle of radius 1 has speed 1; slower clouds fall inwards, and each moves on an ellipse of its own.
        const double speed = 0.35 + 0.12 * cloud;
        return Body{{1.2 * c + r * way.x, 1.2 * s + r * way.y, 0.25 * (cloud % 2 ? 1 : -1) + r * way.z},
                    {-speed * s - 0.5 * r * way.y, speed * c + 0.5 * r * way.x, 0},
                    mass,
                    static_cast<std::uint8_t>(cloud)};
    }));
}

constexpr SceneParameter kDropParameters[] = {
    {"temperature", "Temperature", "",
     "initial temperature over the depth of the well: 0.3 stays a crystal, 0.9 melts, 1.5 boils", 0.9, 0, 2},
};
// Nearest neighbours are at the minimum of the pair potential.
constexpr double kNeighbours = 1.12;

/// The sites that are nearest to the origin first, in a fixed order.
std::vector<Vec3d> nearestFirst(std::vector<Vec3d> sites) {
    std::ranges::sort(sites, {}, [](const Vec3d& at) { return std::tuple(dot(at, at), at.x, at.y, at.z); });
    return sites;
}

/// The `count` sites of a face-centred cubic lattice that are nearest to the origin.
std::vector<Vec3d> ballOfLattice(std::size_t count) {
    const double edge = kNeighbours * std::numbers::sqrt2;  // four sites a cubic cell
    const int reach = static_cast<int>(std::ceil(std::cbrt(static_cast<double>(count) / 4) * 0.75)) + 1;
    std::vector<Vec3d> sites;
    for (int i = -reach; i <= reach; ++i)
        for (int j = -reach; j <= reach; ++j)
            for (int k = -reach; k <= reach; ++k)
                for (const auto& [a, b, c] : {std::tuple(0.0, 0.0, 0.0), {0.0, 0.5, 0.5}, {0.5, 0.0, 0.5}, {0.5, 0.5, 0.0}})
                    sites.push_back(edge * Vec3d{i + a, j + b, k + c});
    sites = nearestFirst(std::move(sites));
    sites.resize(count);
    return sites;
}

ParticleSet buildLennardJones(const SceneRequest& request) {
    // Two balls that fall towards each other, touch and merge.
    const std::size_t first = (request.bodies + 1) / 2;
    const std::vector<Vec3d> ball = ballOfLattice(first);
    const double radius = length(ball.back());
    const double spread = std::sqrt(request.value(kDropParameters[0]));
    const double apart = request.bodies > 1 ? radius + 0.9 : 0, offset = 0.3 * radius, approach = 0.25;
    return centred(makeBodies(request.bodies, request.seed, [&](std::size_t i, Random& random) {
        const double side = i < first ? -1 : 1;
        const Vec3d& site = ball[i < first ? i : i - first];
        return Body{{site.x + side * apart, site.y + side * offset, site.z},
                    {spread * random.normal() - side * approach, spread * random.normal(), spread * random.normal()},
                    1,
                    i >= first};
    }));
}

constexpr SceneParameter kIonParameters[] = {
    {"temperature", "Temperature", "",
     "initial temperature of the small crystal over the depth of the van der Waals well: 0.3 keeps it, 2.5 melts it", 2.5, 0,
     5},
};
// With charges of +-q, q^2 = 30, and a well of depth 1, neighbours begin at the equilibrium distance of a crystal.
constexpr double kIonChargeSquared = 30, kIonSpacing = 1.025, kIonSoftening = 0.05, kIonGap = 4, kIonSpeed = 0.6;

/// The `count` sites of a simple cubic lattice that are nearest to the origin, half of them of either sign.
std::vector<Body> crystalOfIons(std::size_t count) {
    const int reach = static_cast<int>(std::ceil(std::cbrt(static_cast<double>(count)) * 0.62)) + 2;
    // Two sites of either sign are at equal distances, so neither sign is nearer.
    std::vector<Vec3d> sites[2];
    for (int i = -reach; i < reach; ++i)
        for (int j = -reach; j < reach; ++j)
            for (int k = -reach; k < reach; ++k)
                sites[(i + j + k) & 1].push_back(kIonSpacing * Vec3d{i + 0.5, j + 0.5, k + 0.5});
    for (auto& half : sites) half = nearestFirst(std::move(half));
    std::vector<Body> ions;
    for (std::size_t n = 0; n < count; ++n)
        ions.push_back({sites[n % 2][n / 2], {}, (n % 2 ? -1 : 1) * std::sqrt(kIonChargeSquared)});
    return ions;
}

/// A cold crystal, and a hot one of a quarter of its size that flies towards it. Of 400 ions, those of the hot one with four
/// near neighbours of the other sign are 70 % at the start, 42 % at t = 3, 60 % at 10 and 70 % at 40: it melts and freezes.
ParticleSet buildIons(const SceneRequest& request) {
    const std::size_t hot = request.bodies / 5 / 2 * 2, cold = request.bodies - hot;
    const std::vector<Body> large = crystalOfIons(cold), small = crystalOfIons(hot);
    const double radius = length(large.back().position) + (small.empty() ? 0 : length(small.back().position));
    const double spread = std::sqrt(request.value(kIonParameters[0])), rest = std::sqrt(0.05);
    ParticleSet bodies = makeBodies(request.bodies, request.seed, [&](std::size_t i, Random& random) {
        const bool flies = i >= cold;
        Body ion = flies ? small[i - cold] : large[i];
        const double speed = flies ? spread : rest;
        ion.velocity = {speed * random.normal(), speed * random.normal(), speed * random.normal()};
        ion.group = static_cast<std::uint8_t>((ion.mass > 0 ? 0 : 1) + (flies ? 2 : 0));
        if (flies) {
            ion.position.x += radius + kIonGap;
            ion.velocity.x -= kIonSpeed;
        }
        return ion;
    });
    for (std::size_t i = 0; i < bodies.size(); ++i) bodies.velocity[i].w = bodies.position[i].w;  // mass 1
    return centred(std::move(bodies));
}

// Molecules: straight chains of beads side by side, at the minimum of the pair potential. Blocks of four beads have charges
// of one sign; each chain has as many of either, and neighbours face each other with unlike ones.
constexpr std::size_t kBeads = 32, kBlock = 4;
constexpr double kBeadLength = 1.12, kBeadStiffness = 80, kBeadSoftening = 0.1;

constexpr SceneParameter kMoleculeParameters[] = {
    {"temperature", "Temperature", "", "initial temperature over the depth of the well: cold chains form a drop", 0.5, 0, 2},
    {"charge", "Charge", "", "of each bead, + or -: at 0.05 hardly felt; strong charges make hairpins", 1, 0.05, 3},
};

ParticleSet buildMolecule(const SceneRequest& request) {
    const std::size_t chains = (request.bodies + kBeads - 1) / kBeads;
    const auto side = static_cast<std::size_t>(std::ceil(std::sqrt(static_cast<double>(chains))));
    const double spread = std::sqrt(request.value(kMoleculeParameters[0])), charge = request.value(kMoleculeParameters[1]);
    ParticleSet bodies = makeBodies(request.bodies, request.seed, [&](std::size_t i, Random& random) {
        const std::size_t chain = i / kBeads, bead = i % kBeads;
        const bool negative = (bead / kBlock + chain % side + chain / side) % 2 == 1;
        return Body{{kBeadLength * static_cast<double>(bead), 1.6 * static_cast<double>(chain % side),
                     1.6 * static_cast<double>(chain / side)},
                    {spread * random.normal(), spread * random.normal(), spread * random.normal()},
                    negative ? -charge : charge,
                    negative};
    });
    for (std::size_t i = 0; i < bodies.size(); ++i) bodies.velocity[i].w = bodies.position[i].w;  // mass 1
    return centred(std::move(bodies));
}

ForceTerms vanDerWaals(const SceneRequest&, const ParticleSet&) {
    return {std::make_shared<const SecondPairLaw>(ForceSettings{.law = kLaw<LennardJones>}, PairSources::alike)};
}

ForceTerms moleculeTerms(const SceneRequest& request, const ParticleSet& bodies) {
    ForceTerms terms = vanDerWaals(request, bodies);
    const auto bonds = std::make_shared<BondList>();
    for (std::size_t i = 0; i + 1 < bodies.size(); ++i)
        if (i % kBeads + 1 < kBeads)
            bonds->add({bodies.id[i], bodies.id[i + 1], {kBeadLength, kBeadStiffness, 0, 0.5, BondLaw::fene}});
    if (bonds->size() > 0) terms.push_back(std::make_shared<const Bonds>(bonds));
    return terms;
}

}  // namespace

std::span<const Scene> lawScenes() {
    static const Scene rows[] = {
        {.name = "charges",
         .idea = "negative charges on circles about a positive one: Coulomb's law",
         .caption = "Like charges spread the ring evenly. All have the same charge, but every second one is four times as "
                    "heavy and orbits at half the speed.",
         .source = "Coulomb 1785",
         .bodiesGpu = 16384,
         .bodiesCpu = 2048,
         .timeStep = 0.005,
         .story = {2.5, 20},
         .softening = kChargesSoftening,
         .law = kLaw<Coulomb>,
         .view = {.distance = 8, .elevation = 0.9, .pointSize = 0.03, .speedScale = 1.2},
         .build = buildCharges},
        {.name = "power-law",
         .idea = "a cloud under an attraction r^-a, with a on a slider",
         .caption = "At a = -1 every pair is a spring: all orbits are ellipses, and the whole cloud repeats every 2 pi. "
                    "Drag the exponent towards gravity at 2 and see the order vanish.",
         .source = "Newton 1687, book I, propositions 10 and 11",
         .bodiesGpu = 16384,
         .bodiesCpu = 4096,
         .story = {6.284, 30},
         .softening = 0.05,
         .law = kLaw<PowerLaw>,
         .view = {.distance = 4.5, .elevation = 0.7, .pointSize = 0.015, .speedScale = 1.2},
         .build = buildPowerLaw,
         .exponent = -1},
        {.name = "power-law",
         .idea = "four clouds under an attraction r^-a, with a on a slider",
         .caption = "At a = -1 every pair is a spring: all orbits are ellipses, and the whole picture repeats every 2 pi. "
                    "Drag the exponent towards gravity at 2 and see the order vanish.",
         .source = "Newton 1687, book I, propositions 10 and 11",
         .version = 2,
         .bodiesGpu = 16384,
         .bodiesCpu = 4096,
         .story = {6.284, 30},
         .softening = 0.05,
         .law = kLaw<PowerLaw>,
         .view = {.distance = 4, .elevation = 1.0, .pointSize = 0.015, .speedScale = 1.4, .colour = "origin"},
         .build = buildClouds,
         .exponent = -1},
        {.name = "lennard-jones",
         .idea = "two drops of neutral atoms collide: a soft repulsion and a short attraction",
         .caption = "They touch, merge and become round. At 0.3 they stay crystals, at 1.5 they boil.",
         .source = "Lennard-Jones 1924; Allen & Tildesley 2017",
         .bodiesGpu = 8192,
         .bodiesCpu = 1024,
         .timeStep = 0.004,
         .story = {8, 30},
         .law = kLaw<LennardJones>,
         .view = {.distance = 38, .elevation = 0.4, .pointSize = 0.42, .exposure = 0.6, .speedScale = 2},
         .build = buildLennardJones,
         .parameters = kDropParameters},
        {.name = "ions",
         .idea = "salt melts and freezes: charges, and van der Waals forces beside them",
         .caption = "The small crystal is hot and melts in flight. It touches the cold one, spreads and freezes on it.",
         .source = "Coulomb 1785; Lennard-Jones 1924; Fumi & Tosi 1964",
         .bodiesGpu = 4096,
         .bodiesCpu = 512,
         .timeStep = 0.002,
         .story = {12, 40},
         .softening = kIonSoftening,
         .law = kLaw<Coulomb>,
         .view = {.distance = 28, .elevation = 0.4, .pointSize = 0.42, .exposure = 0.6, .speedScale = 2, .colour = "origin"},
         .build = buildIons,
         .parameters = kIonParameters,
         .terms = vanDerWaals},
        {.name = "molecule",
         .group = SceneGroup::laws,
         .idea = "chains of charged beads fold into a drop: bonds, Lennard-Jones and Coulomb",
         .caption = "Bonds hold each chain together. Its blocks of either charge attract each other and fold it; the short "
                    "attraction between all beads makes a drop.",
         .source = "Kremer & Grest 1990; Higgs & Joanny 1991",
         .bodiesGpu = 8192,
         .bodiesCpu = 1024,
         .timeStep = 0.004,
         .story = {8, 30},
         .softening = kBeadSoftening,
         .law = kLaw<Coulomb>,
         .view = {.distance = 45, .elevation = 0.4, .pointSize = 0.42, .exposure = 0.6, .speedScale = 2, .colour = "origin"},
         .build = buildMolecule,
         .parameters = kMoleculeParameters,
         .terms = moleculeTerms},
    };
    return rows;
}

}  // namespace gravlab::scenes
