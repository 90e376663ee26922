// Bodies with radii about a heavier one: they grow to planets, stay a ring within Roche's limit, or make a moon beyond it.
#include "sim/scenes/scene_builder.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

namespace gravlab::scenes {
namespace {

/// A disc of equal bodies about a heavy body of mass 1, whose id is 0.
struct Debris {
    double mass = 0;         ///< of all bodies without the heavy one
    double density = 0;      ///< [M/L^3]
    double heavyRadius = 0;  ///< [L]
    double inner = 1, outer = 1;
    double gapInner = 0, gapOuter = 0;  ///< of a gap without bodies [L]
    double slope = 0;                   ///< surface density ~ r^-slope
    double eccentricity = 0;            ///< rms; the rms inclination is half of it
};

/// A semi-major axis with that surface density: the mass within r grows as r^(2 - slope), or as log r.
double axisOf(const Debris& disc, double share) {
    const double power = 2 - disc.slope;
    if (power == 0) return disc.inner * std::pow(disc.outer / disc.inner, share);
    const double low = std::pow(disc.inner, power), high = std::pow(disc.outer, power);
    const double gap = std::pow(disc.gapInner, power), width = std::pow(disc.gapOuter, power) - gap;
    const double within = low + share * (high - low - width);
    return std::pow(within < gap ? within : within + width, 1 / power);
}

ParticleSet buildDebris(const Debris& disc, const SceneRequest& request) {
    const double mass = disc.mass / static_cast<double>(std::max<std::size_t>(1, request.bodies - 1));
    ParticleSet bodies = centred(makeBodies(request.bodies, request.seed, [&](std::size_t i, Random& random) {
        if (i == 0) return Body{{0, 0, 0}, {}, 1};
        const auto rayleigh = [&](double rms) { return rms * std::sqrt(-std::log(1 - random.uniform())); };
        const double axis = axisOf(disc, random.uniform());
        // An orbit that begins in the heavy body would end there at once.
        const double most = std::min(0.9, 1 - 1.02 * disc.heavyRadius / axis);
        const double eccentricity = std::clamp(rayleigh(disc.eccentricity), 0.0, std::max(most, 0.0));
        const double tilt = rayleigh(disc.eccentricity / 2);
        const double mean = 2 * std::numbers::pi * random.uniform(), turn = 2 * std::numbers::pi * random.uniform(),
                     node = 2 * std::numbers::pi * random.uniform();
        double e = mean;
        for (int k = 0; k < 30; ++k) e -= (e - eccentricity * std::sin(e) - mean) / (1 - eccentricity * std::cos(e));
        const double flat = std::sqrt(1 - eccentricity * eccentricity), speed = 1 / std::sqrt(axis);
        const double x = axis * (std::cos(e) - eccentricity), y = axis * flat * std::sin(e);
        const double rate = speed / (1 - eccentricity * std::cos(e));
        const double vx = -rate * std::sin(e), vy = rate * flat * std::cos(e);
        const auto placed = [&](double px, double py) {
            const double u = px * std::cos(turn) - py * std::sin(turn), w = px * std::sin(turn) + py * std::cos(turn);
            const double inPlane = w * std::cos(tilt);
            return Vec3d{u * std::cos(node) - inPlane * std::sin(node), u * std::sin(node) + inPlane * std::cos(node),
                         w * std::sin(tilt)};
        };
        return Body{placed(x, y), placed(vx, vy), mass, 1};
    }));
    const double radius = std::cbrt(3 * mass / (4 * std::numbers::pi * disc.density));
    bodies.surface.assign(bodies.size(), {radius, {}});
    if (bodies.surface.empty()) return bodies;
    bodies.surface.front().radius = disc.heavyRadius;
    // The heavy body is the last one in the order of the sums: single precision adds the pulls of the light ones before it
    // adds its own, beside which each of them would be lost.
    const auto last = [](auto& values) { std::rotate(values.begin(), values.begin() + 1, values.end()); };
    last(bodies.position);
    last(bodies.velocity);
    last(bodies.id);
    last(bodies.group);
    last(bodies.surface);
    return bodies;
}

// Ten Earth masses of rock in a belt from 0.85 to 1.15 AU. The radii are 60 times those of rock at 2 g/cm^3, so that growth
// takes tens of years instead of a hundred thousand (Kokubo & Ida 1996 have a factor of 6).
constexpr double kRock = 3.4e6, kEnlarged = 60;  // density [Msun/AU^3]
constexpr Debris kBelt{.mass = 3e-5,
                       .density = kRock / (kEnlarged * kEnlarged * kEnlarged),
                       .heavyRadius = 0.00465,
                       .inner = 0.85,
                       .outer = 1.15,
                       .slope = 1.5,
                       .eccentricity = 0.003};

// Ice about Saturn from the C ring to the edge of the A ring, within Roche's limit, which is at 2.6 radii for loose ice.
constexpr SceneUnits kSaturn{"km", "kg", "days", "km/s", 60268, 5.683e26, 0.0278044, 25.0876};
constexpr Debris kLooseRings{.density = 0.15,  // 0.45 g/cm^3
                             .heavyRadius = 1,
                             .inner = 1.3,
                             .outer = 2.27,
                             .gapInner = 1.95,
                             .gapOuter = 2.03,
                             .eccentricity = 0.008};
/// The first version: solid ice within Roche's limit for it, at 2.1 radii.
constexpr Debris kSolidRings{.density = 0.3, .heavyRadius = 1, .inner = 1.3, .outer = 1.75, .eccentricity = 0.03};
ParticleSet ringsOf(Debris ice, const SceneRequest& request) {
    // Bodies that cover a quarter of the ring.
    const double count = static_cast<double>(request.bodies);
    const double radius = std::sqrt((ice.outer * ice.outer - ice.inner * ice.inner) / (4 * count));
    ice.mass = count * 4 * std::numbers::pi / 3 * ice.density * radius * radius * radius;
    return buildDebris(ice, request);
}

// Four Moon masses between the Earth's surface and Roche's limit, 2.9 Earth radii for rock of 0.6 Earth densities.
constexpr SceneUnits kEarth{"km", "Mearth", "days", "km/s", 6378.137, 1, 0.00933819, 7.90537};
constexpr Debris kImpact{.mass = 4 * 0.0123,
                         .density = 0.6 * 3 / (4 * std::numbers::pi),
                         .heavyRadius = 1,
                         .inner = 1.1,
                         .outer = 2.9,
                         .slope = 1,
                         .eccentricity = 0.3};

constexpr std::string_view kSunName[] = {"Sun"}, kSaturnName[] = {"Saturn"}, kEarthName[] = {"Earth"};
constexpr Celestial kSunKind[] = {Celestial::star}, kSaturnKind[] = {Celestial::ringed}, kEarthKind[] = {Celestial::ocean};
constexpr FarField kClosePairs{.accuracy = 1e-3};
// Moonlets and spiral arms perturb the disc: with 1e-3, 99 % of the bodies keep only 1.3e-3.
constexpr FarField kMoonlets{.accuracy = 5e-4};

}  // namespace

std::span<const Scene> contactScenes() {
    static const Scene newest[] = {
        {.name = "planetesimals",
         .group = SceneGroup::clusters,
         .idea = "a belt of small bodies about the Sun that merge where they touch and stay bound",
         .caption = "The largest pull hardest and grow fastest, until a few of them have swept the belt.",
         .source = "Kokubo & Ida 1996",
         .bodiesGpu = 16384,
         .bodiesCpu = 2048,
         .timeStep = 0.05,
         .story = {120, 40},
         .farField = kClosePairs,
         .view = {.distance = 3.2,
                  .elevation = 0.9,
                  .pointSize = 0.004,
                  .speedScale = 1.2,
                  .colour = "celestial",
                  .celestials = kSunKind},
         .build = [](const SceneRequest& request) { return buildDebris(kBelt, request); },
         .units = kSolarUnits,
         .names = kSunName,
         .contact = {.mode = ContactMode::merge, .restitution = 0.3}},
        {.name = "rings",
         .group = SceneGroup::clusters,
         .idea = "a ring of ice within Roche's limit: its bodies bounce and cannot merge",
         .caption =
             "Bounces flatten the ring within a few turns; then its own gravity draws it into wakes. No moon keeps the gap "
             "of Cassini open.",
         .source = "Goldreich & Tremaine 1978; Salo 1992",
         .version = 2,
         .bodiesCpu = 4096,
         .timeStep = 0.05,
         .story = {150, 40},
         .farField = kClosePairs,
         .view = {.distance = 5.5,
                  .elevation = 0.6,
                  .pointSize = 0.006,
                  .speedScale = 0.9,
                  .colour = "celestial",
                  .celestials = kSaturnKind},
         .build = [](const SceneRequest& request) { return ringsOf(kLooseRings, request); },
         .units = kSaturn,
         .names = kSaturnName,
         .contact = {.mode = ContactMode::merge, .restitution = 0.4, .friction = 0.1}},
        {.name = "moon",
         .group = SceneGroup::clusters,
         .idea = "the debris of a giant impact about the Earth",
         .caption = "Within Roche's limit tides part what touches; the disc spreads, and beyond the limit one moon grows.",
         .source = "Kokubo, Ida & Makino 2000",
         .bodiesGpu = 131072,
         .bodiesCpu = 16384,
         .timeStep = 0.03,
         .story = {600, 50},
         .farField = kMoonlets,
         .view = {.distance = 10,
                  .elevation = 0.7,
                  .pointSize = 0.01,
                  .exposure = 0.5,
                  .colour = "celestial",
                  .celestials = kEarthKind},
         .build = [](const SceneRequest& request) { return buildDebris(kImpact, request); },
         .units = kEarth,
         .names = kEarthName,
         .contact = {.mode = ContactMode::merge, .restitution = 0.1}},
    };
    static const std::vector<Scene> rows =
        withFirst(newest, "rings", [](const SceneRequest& request) { return ringsOf(kSolidRings, request); });
    return rows;
}

}  // namespace gravlab::scenes
