// The restricted encounter that explained tails and bridges: rings of massless particles, a passing point mass.
#include "sim/core/group.h"
#include "sim/scenes/few_body_orbits.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

namespace gravlab::scenes {
namespace {

constexpr double kInnerRing = 0.2, kOuterRing = 0.6;
constexpr double kStart = 2;  ///< tan of half the true anomaly; the separation is 1 + kStart^2
constexpr double kFlybySoftening = 0.05;
constexpr double kSmallCompanion = 0.25;  ///< mass of the companion of the bridge
constexpr double kFlybyDisc = 0.4, kFlybyBulge = 0.05, kFlybyInBulges = 0.12;

ParticleSet buildPassage(const SceneRequest& request, double companionMass, bool prograde) {
    if (request.bodies < 2) return listedBodies(std::vector<Body>(request.bodies, Body{{0, 0, 0}, {}, 1}));
    return parabolicPassage({companionMass, prograde, request.bodies - 2, kFlybySoftening});
}

ParticleSet buildRingsAlone(const SceneRequest& request) { return buildPassage(request, kSmallCompanion, true); }

/// Stars as in M51: a disc that is denser inwards, and a bulge about each mass; all on circles, and without mass.
ParticleSet buildSmallCompanion(const SceneRequest& request) {
    if (request.bodies < 2) return buildRingsAlone(request);
    const ParticleSet masses = parabolicPassage({kSmallCompanion, true, 0, kFlybySoftening});
    return makeBodies(request.bodies, request.seed, [&](std::size_t i, Random& random) -> Body {
        const double lot = random.uniform();
        const std::size_t centre = i < 2 ? i : lot < 0.4 * kFlybyInBulges ? 1 : 0;
        const bool bulge = i < 2 || lot < kFlybyInBulges;
        const auto group = static_cast<std::uint8_t>(centre + (bulge ? kMostGalaxies : 0));
        const Vec3d at = xyz(masses.position[centre]), velocity = xyz(masses.velocity[centre]);
        const double mass = masses.position[centre].w;
        if (i < 2) return {at, velocity, mass, group};
        double r = bulge ? plummerRadius(0.95 * random.uniform(), kFlybyBulge * std::sqrt(mass)) : kOuterRing;
        while (!bulge && !(r < kOuterRing)) r = -kFlybyDisc * std::log((1 - random.uniform()) * (1 - random.uniform()));
        const double angle = 2 * std::numbers::pi * random.uniform(), squared = r * r + kFlybySoftening * kFlybySoftening;
        const Vec3d out = bulge ? random.onSphere() : Vec3d{std::cos(angle), std::sin(angle), 0};
        const Vec3d ahead = cross(bulge ? random.onSphere() : Vec3d{0, 0, 1}, out);
        const double speed = r * std::sqrt(mass / (squared * std::sqrt(squared) * dot(ahead, ahead)));
        return {at + out * r, velocity + ahead * speed, 0, group};
    });
}

constexpr SceneView kFlybyView{.distance = 11,
                               .azimuth = -0.5 * std::numbers::pi,
                               .elevation = 1.1,
                               .pointSize = 0.012,
                               .exposure = 0.5,
                               .speedScale = 2.5};

}  // namespace

double passageDuration(double companionMass) {
    return 2 * std::sqrt(2 / (1 + companionMass)) * (kStart + kStart * kStart * kStart / 3);
}

ParticleSet parabolicPassage(const ParabolicPassage& passage) {
    const double m = passage.companionMass, total = 1 + m, d = -kStart;
    // The companion relative to the first mass: x = 1 - d^2, y = 2 d, t = sqrt(2 / M) (d + d^3 / 3).
    const double x = 1 - d * d, y = 2 * d, rate = 1 / (std::sqrt(2 / total) * (1 + d * d));
    const double vx = -2 * d * rate, vy = 2 * rate;
    const double share = m / total;
    std::vector<Body> list{
        {{-share * x, -share * y, 0}, {-share * vx, -share * vy, 0}, 1},
        {{x - share * x, y - share * y, 0}, {vx - share * vx, vy - share * vy, 0}, m, 1},
    };
    // At 120 particles these are Toomre's five rings of 12, 18, 24, 30 and 36; more particles give more, denser rings.
    const auto particles = static_cast<double>(passage.particles);
    const auto rings = static_cast<std::size_t>(std::max(5.0, std::round(5 * std::sqrt(particles / 120))));
    const double turn = passage.prograde ? 1 : -1, soft = passage.softening * passage.softening;
    auto radius = [&](std::size_t ring) {
        return kInnerRing + (kOuterRing - kInnerRing) * static_cast<double>(ring) / static_cast<double>(rings - 1);
    };
    double sum = 0, passed = 0;
    for (std::size_t ring = 0; ring < rings; ++ring) sum += radius(ring);
    std::size_t placed = 0;
    for (std::size_t ring = 0; ring < rings; ++ring) {
        const double r = radius(ring), squared = r * r + soft;
        passed += r;
        const auto upTo =
            ring + 1 == rings ? passage.particles : static_cast<std::size_t>(std::llround(particles * passed / sum));
        const std::size_t count = upTo - placed;
        const double speed = turn * r / std::sqrt(squared * std::sqrt(squared));
        for (std::size_t k = 0; k < count; ++k) {
            const double angle = 2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(count);
            const double cx = std::cos(angle), cy = std::sin(angle);
            list.push_back({{list[0].position.x + r * cx, list[0].position.y + r * cy, 0},
                            {list[0].velocity.x - speed * cy, list[0].velocity.y + speed * cx, 0}});
        }
        placed = upTo;
    }
    return makeBodies(list.size(), 0, [&](std::size_t i, Random&) { return list[i]; });
}

std::span<const Scene> toomreFlybyScenes() {
    const auto passage = [](std::string_view name, std::string_view idea, std::string_view caption, auto build) -> Scene {
        return {.name = name,
                .idea = idea,
                .caption = caption,
                .source = "Toomre & Toomre 1972",
                .bodiesGpu = 12002,
                .bodiesCpu = 3002,
                .massive = 2,
                .timeStep = 0.005,
                .story = {7.5, 30},
                .softening = kFlybySoftening,
                .view = kFlybyView,
                .build = build};
    };
    Scene bridge = passage("toomre-bridge", "a small companion, a quarter of the mass, passes a disc of stars without mass",
                           "A bridge to the companion and a counter-arm, as in M51.", buildSmallCompanion);
    bridge.version = 2;
    // M51's: the least distance is 20 kpc.
    bridge.units = {"kpc", "Msun", "Myr", "km/s", 20, 1e11, 133.3556, 146.6443};
    bridge.bodiesGpu = 65536;
    bridge.bodiesCpu = 16384;
    bridge.view.exposure = 0.75;
    bridge.view.colour = "photograph";
    const Scene newest[] = {
        passage("toomre-flyby", "a point mass passes rings of massless particles that rotate with it",
                "A direct passage draws out a long tail and a bridge: 30 of 120 particles change their owner, 8 escape.",
                [](const SceneRequest& request) { return buildPassage(request, 1, true); }),
        passage("toomre-retrograde", "the same passage, but the rings rotate against it",
                "Almost nothing happens: a retrograde passage has no resonance with the rings.",
                [](const SceneRequest& request) { return buildPassage(request, 1, false); }),
        bridge};
    static const std::vector<Scene> rows = withFirst(newest, "toomre-bridge", buildRingsAlone);
    return rows;
}

}  // namespace gravlab::scenes
