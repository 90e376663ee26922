// Scenes of bodies that bonds hold together. Rule: stiffness over mass does not depend on N, so that one time step suits
// every N; with N, waves become slower, and speeds follow them.
#include "sim/forces/bonds/bonds.h"
#include "sim/scenes/scene_builder.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>

namespace gravlab::scenes {
namespace {

// So light that their own gravity is far below the bonds' forces.
constexpr double kMatterMass = 1e-6;

double massOf(std::size_t bodies) { return kMatterMass / static_cast<double>(bodies); }

/// Joins bodies by their places, and takes rest lengths from a position at rest.
struct BondMaker {
    std::shared_ptr<BondList> list = std::make_shared<BondList>();

    void add(std::size_t i, std::size_t j, const BondClass<double>& numbers) {
        list->add({static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(j), numbers});
    }
    ForceTerms term() const {
        if (list->size() == 0) return {};
        return {std::make_shared<const Bonds>(list)};
    }
};

/// Bodies on a lattice: `side` to an edge, the last line as long as the number of bodies leaves it. Size 2.
struct Lattice {
    std::size_t side = 1;
    double spacing = 1;
    Lattice(std::size_t bodies, int dimensions)
        : side(std::max<std::size_t>(
              1, static_cast<std::size_t>(std::ceil(std::pow(static_cast<double>(bodies), 1.0 / dimensions) - 1e-9)))),
          spacing(2 / static_cast<double>(std::max<std::size_t>(1, side - 1))) {}
    std::size_t place(std::size_t x, std::size_t y, std::size_t z = 0) const { return x + side * (y + side * z); }
    Vec3d at(std::size_t i) const {
        const std::size_t x = i % side, y = i / side % side, z = i / (side * side);
        return {spacing * static_cast<double>(x) - 1, spacing * static_cast<double>(y) - 1,
                spacing * static_cast<double>(z) - 1};
    }
};

// Cloth: neighbours, diagonals, and every second body against folding. The fastest oscillation is 1 / 0.0021.
constexpr double kClothRate = 15000;  // stiffness over mass [1/T^2]

ParticleSet buildCloth(const SceneRequest& request) {
    const Lattice lattice(request.bodies, 2);
    const double mass = massOf(request.bodies);
    // A wave needs a turn for its way through the cloth, as the rim does.
    const double wave = lattice.spacing * std::sqrt(kClothRate), spin = 0.3 * wave;
    return centred(makeBodies(request.bodies, request.seed, [&](std::size_t i, Random& random) {
        Body body{.position = lattice.at(i)};
        body.position.z = 1e-4 * lattice.spacing * random.normal();
        const double x = body.position.x, y = body.position.y, off = (x - 0.25) * (x - 0.25) + y * y;
        body.velocity = {-spin * y, spin * x, 0.5 * spin * std::exp(-off / 0.02)};
        body.mass = mass;
        body.group = static_cast<std::uint8_t>((i / lattice.side / 8 + i % lattice.side / 8) % 2);
        return body;
    }));
}

ForceTerms clothBonds(const SceneRequest& request, const ParticleSet& bodies) {
    const Lattice lattice(request.bodies, 2);
    const double spacing = lattice.spacing, stiffness = kClothRate * massOf(request.bodies);
    const BondClass<double> straight{.length = spacing, .stiffness = stiffness, .law = BondLaw::hooke},
        diagonal{.length = spacing * std::numbers::sqrt2, .stiffness = stiffness / 2, .law = BondLaw::hooke},
        bend{.length = 2 * spacing, .stiffness = stiffness / 4, .law = BondLaw::hooke};
    BondMaker maker;
    const std::size_t side = lattice.side;
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        const std::size_t x = i % side, y = i / side;
        const auto join = [&](std::size_t dx, std::size_t dy, const BondClass<double>& numbers) {
            if (x + dx < side && lattice.place(x + dx, y + dy) < bodies.size())
                maker.add(i, lattice.place(x + dx, y + dy), numbers);
        };
        join(1, 0, straight);
        join(0, 1, straight);
        join(1, 1, diagonal);
        if (x > 0 && lattice.place(x - 1, y + 1) < bodies.size()) maker.add(i, lattice.place(x - 1, y + 1), diagonal);
        join(2, 0, bend);
        join(0, 2, bend);
    }
    return maker.term();
}

// Jelly: all 26 neighbours of a cube. The fastest oscillation is 1 / 0.0041.
constexpr double kJellyRate = 1100;

ParticleSet buildJelly(const SceneRequest& request) {
    const Lattice lattice(request.bodies, 3);
    const double mass = massOf(request.bodies), wave = lattice.spacing * std::sqrt(6 * kJellyRate);
    return centred(makeBodies(request.bodies, request.seed, [&](std::size_t i, Random& random) {
        const Vec3d rest = lattice.at(i);
        // Twisted by a fifth of a turn and squeezed, then let go.
        const double angle = 0.6 * rest.z, c = std::cos(angle), s = std::sin(angle);
        Vec3d place{c * rest.x - s * rest.y, s * rest.x + c * rest.y, 0.75 * rest.z};
        place += 1e-4 * lattice.spacing * Vec3d{random.normal(), random.normal(), random.normal()};
        const auto layer = static_cast<std::uint8_t>(i / (lattice.side * lattice.side) % 2);
        return Body{place, 0.08 * wave * Vec3d{0, -rest.z, rest.y}, mass, layer};
    }));
}

ForceTerms jellyBonds(const SceneRequest& request, const ParticleSet& bodies) {
    const Lattice lattice(request.bodies, 3);
    const double stiffness = kJellyRate * massOf(request.bodies);
    BondClass<double> numbers[4];
    for (int squared = 1; squared < 4; ++squared)
        numbers[squared] = {.length = lattice.spacing * std::sqrt(squared), .stiffness = stiffness, .law = BondLaw::hooke};
    BondMaker maker;
    const auto side = static_cast<std::int64_t>(lattice.side);
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        const auto at = static_cast<std::int64_t>(i);
        const std::int64_t x = at % side, y = at / side % side, z = at / (side * side);
        for (std::int64_t dz = 0; dz < 2; ++dz)
            for (std::int64_t dy = -1; dy < 2; ++dy)
                for (std::int64_t dx = -1; dx < 2; ++dx) {
                    const std::int64_t other = x + dx + side * (y + dy + side * (z + dz));
                    if (other <= at || x + dx < 0 || x + dx >= side || y + dy < 0 || y + dy >= side) continue;
                    if (other < static_cast<std::int64_t>(bodies.size()))
                        maker.add(i, static_cast<std::size_t>(other), numbers[dx * dx + dy * dy + dz * dz]);
                }
    }
    return maker.term();
}

// Rope: a chain of links with a heavy ball at each end. The fastest oscillation is 1 / 0.0045.
constexpr double kRopeRate = 12000, kBall = 20;

ParticleSet buildRope(const SceneRequest& request) {
    const std::size_t count = request.bodies;
    const double mass = massOf(count), link = 2 / static_cast<double>(std::max<std::size_t>(1, count - 1));
    const double speed = 0.3 * link * std::sqrt(kRopeRate);
    // Numbers of single precision, so that near neighbours keep their distances in it.
    const auto single = [](double value) { return std::nearbyint(0x1p22 * value) * 0x1p-22; };
    return centred(makeBodies(count, request.seed, [&](std::size_t i, Random&) {
        const bool ball = i == 0 || i + 1 == count;
        // Both halves have the same numbers, so that the centre is exact.
        const double last = static_cast<double>(count - 1), s = count > 1 ? (2 * static_cast<double>(i) - last) / last : 0;
        // Slack: the balls come together in a wave, and pull the rope straight later.
        const Vec3d place{single(0.8 * s), single(0.03 * std::sin(6 * std::numbers::pi * s)),
                          single(0.02 * link * std::sin(40 * s))};
        const Vec3d velocity{0, ball ? speed * (i == 0 ? -1 : 1) : speed * s, 0};
        return Body{place, velocity, ball ? kBall * mass : mass, ball};
    }));
}

ForceTerms ropeBonds(const SceneRequest& request, const ParticleSet& bodies) {
    const double link = 2 / static_cast<double>(std::max<std::size_t>(1, bodies.size() - 1));
    BondMaker maker;
    for (std::size_t i = 0; i + 1 < bodies.size(); ++i)
        maker.add(i, i + 1,
                  {.length = link, .stiffness = kRopeRate * massOf(request.bodies), .breaking = 1.5, .law = BondLaw::fene});
    return maker.term();
}

// Hub: one body with a bond to each of the others. The fastest oscillation is 1 / 0.03.
constexpr double kHubRate = 400, kHubMass = 10 * kMatterMass, kHubSpin = 1;

ParticleSet buildHub(const SceneRequest& request) {
    const double mass = massOf(request.bodies);
    return centred(makeBodies(request.bodies, request.seed, [&](std::size_t i, Random& random) {
        Body body{.mass = i == 0 ? kHubMass : mass};
        if (i == 0) return body;
        const double radius = std::sqrt(random.uniform(0.15, 1)), angle = 2 * std::numbers::pi * random.uniform();
        body.position = {radius * std::cos(angle), radius * std::sin(angle), 0.05 * random.normal()};
        body.velocity = kHubSpin * Vec3d{-body.position.y, body.position.x, 0};
        // Every fifth bond also oscillates.
        if (i % 5 == 0) body.velocity += 0.8 * xyz(packed(body.position / radius));
        body.group = i % 5 == 0 ? 1 : 0;
        return body;
    }));
}

ForceTerms hubBonds(const SceneRequest& request, const ParticleSet& bodies) {
    BondMaker maker;
    for (std::size_t i = 1; i < bodies.size(); ++i) {
        const double radius = distance(bodies.position[i], bodies.position[0]);
        maker.add(0, i,
                  {.length = radius * (1 - kHubSpin * kHubSpin / kHubRate),
                   .stiffness = kHubRate * massOf(request.bodies),
                   .law = BondLaw::hooke});
    }
    return maker.term();
}

constexpr SceneParameter kChainParameters[] = {
    {"breaking", "Breaking", "", "strain at which a bond breaks: 0.02 is glass, 1 is rubber", 0.08, 0.01, 2},
};
// Chain: a row of rubble on a parabola about a star of mass 1. The fastest oscillation is 1 / 0.0021.
constexpr double kChainMass = 1e-9, kChainRate = 56000, kChainLength = 0.3, kPericentre = 0.35, kChainStart = 2;

ParticleSet buildTidalChain(const SceneRequest& request) {
    const double mass = kChainMass / static_cast<double>(request.bodies);
    const double link = kChainLength / static_cast<double>(std::max<std::size_t>(1, request.bodies - 1));
    // On a parabola the speed is sqrt(2 / r) and the angular momentum sqrt(2 q).
    const double across = std::sqrt(2 * kPericentre) / kChainStart, inwards = std::sqrt(2 / kChainStart - across * across);
    return centred(makeBodies(request.bodies, request.seed, [&](std::size_t i, Random& random) {
        Body body{.mass = i == 0 ? 1 : mass};
        if (i == 0) return body;
        const double s = link * static_cast<double>(i) - kChainLength / 2;
        body.position = {kChainStart + 0.7 * s, 0.7 * s, 1e-3 * link * random.normal()};
        body.velocity = {-inwards, across, 0};
        body.group = static_cast<std::uint8_t>(1 + i * 6 / request.bodies);
        return body;
    }));
}

ForceTerms tidalBonds(const SceneRequest& request, const ParticleSet& bodies) {
    BondMaker maker;
    for (std::size_t i = 1; i + 1 < bodies.size(); ++i)
        maker.add(i, i + 1,
                  {.length = distance(bodies.position[1], bodies.position[2]),
                   .stiffness = kChainRate * kChainMass / static_cast<double>(request.bodies),
                   .breaking = request.value(kChainParameters[0]),
                   .law = BondLaw::hooke});
    return maker.term();
}

}  // namespace

std::span<const Scene> bondScenes() {
    static const Scene rows[] = {
        {.name = "cloth",
         .group = SceneGroup::laws,
         .idea = "a cloth that spins and ripples: bodies on bonds to eight neighbours",
         .caption =
             "The rim is pulled outwards and keeps the cloth taut. A blow sends rings through it; the colour of a bond is "
             "its strain.",
         .source = "Provot 1995",
         .bodiesCpu = 4096,
         .timeStep = 0.002,
         .story = {12, 30},
         .softening = 0.05,
         .farField = {.accuracy = 1e-3},
         .view = {.distance = 3.3, .elevation = 0.6, .pointSize = 0.006, .speedScale = 1.5},
         .build = buildCloth,
         .terms = clothBonds},
        {.name = "jelly",
         .group = SceneGroup::laws,
         .idea = "a twisted cube of jelly springs back: bodies on bonds to 26 neighbours",
         .caption =
             "Twisting and squeezing are stored in the bonds. They come back as waves that change the shape again and "
             "again, while the energy stays.",
         .source = "Hooke 1678",
         .bodiesGpu = 32768,
         .bodiesCpu = 4096,
         .timeStep = 0.004,
         .story = {6, 30},
         .softening = 0.01,
         .farField = {.accuracy = 1e-3},
         .view = {.distance = 5.5, .elevation = 0.5, .pointSize = 0.01, .exposure = 0.2, .speedScale = 3},
         .build = buildJelly,
         .terms = jellyBonds},
        {.name = "rope",
         .group = SceneGroup::laws,
         .idea = "two balls on a slack rope: a chain of bonds that stiffen",
         .caption =
             "The balls revolve, pull the rope straight, and a jerk runs through it. Bonds by FENE stiffen before they "
             "break.",
         .source = "Warner 1972",
         .bodiesGpu = 128,
         .bodiesCpu = 128,
         .timeStep = 0.004,
         .story = {20, 30},
         .softening = 0.01,
         .view = {.distance = 3, .elevation = 1.2, .pointSize = 0.02, .speedScale = 1},
         .build = buildRope,
         .terms = ropeBonds},
        {.name = "hub",
         .group = SceneGroup::laws,
         .idea = "one body with a bond to each other one: the row that ruins a warp",
         .caption = "Bonds hold all bodies on circles about the middle one, which has as many bonds as there are bodies. A "
                    "thread for each body leaves all the work of the hub to one of them.",
         .source = "Bell & Garland 2009",
         .bodiesCpu = 4096,
         .story = {12.6, 30},
         .softening = 0.02,
         .farField = {.accuracy = 1e-3},
         .view = {.distance = 3.5, .elevation = 0.9, .pointSize = 0.008, .speedScale = 1.5},
         .build = buildHub,
         .terms = hubBonds},
        {.name = "tidal-chain",
         .group = SceneGroup::laws,
         .idea = "a chain passes a star, whose tide breaks it bond by bond",
         .caption =
             "Near the star one end is pulled more than the other. Bonds that are stretched too far break; the pieces "
             "follow orbits of their own.",
         .source = "Roche 1849",
         .bodiesGpu = 200,
         .bodiesCpu = 200,
         .timeStep = 0.002,
         .story = {6, 30},
         .softening = 0.01,
         // The parabola opens upwards, so that the chain comes from the left and goes to the right.
         .view = {.distance = 5,
                  .azimuth = 2.18,
                  .elevation = 1.2,
                  .pointSize = 0.02,
                  .speedScale = 2.5,
                  .target = {0.58, -0.68, 0},
                  .colour = "origin"},
         .build = buildTidalChain,
         .parameters = kChainParameters,
         .terms = tidalBonds},
    };
    return rows;
}

}  // namespace gravlab::scenes
