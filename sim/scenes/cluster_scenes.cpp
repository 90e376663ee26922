// Round clusters in balance, and clouds out of balance, which collapse.
#include "sim/scenes/sphere_model.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

namespace gravlab::scenes {
namespace {

constexpr double kScaleRadius = 3 * std::numbers::pi / 16;
// The outermost 0.1 % of the mass would lie beyond 38 scale radii and leave the picture empty. Without it E is 0.4 % off.
constexpr double kMassShown = 0.999;

/// A speed in units of the local escape speed, of density q^2 (1 - q^2)^(7/2) (Aarseth, Henon & Wielen 1974).
double plummerSpeed(Random& random) {
    for (;;) {
        const double q = random.uniform();
        const double bound = 0.1 * random.uniform();  // the density stays below 0.092
        const double rest = 1 - q * q;
        if (bound < q * q * rest * rest * rest * std::sqrt(rest)) return q;
    }
}

Recipe plummer(const SceneRequest& request) {
    const double mass = 1.0 / static_cast<double>(request.bodies);
    return {request.bodies, request.seed, [mass](std::size_t, Random& random) {
                const double fraction = kMassShown * (1 - random.uniform());  // in ]0, kMassShown]
                const double r = plummerRadius(fraction, kScaleRadius);
                const double escape = std::sqrt(2 / std::sqrt(r * r + kScaleRadius * kScaleRadius));
                const double speed = plummerSpeed(random) * escape;
                const Vec3d place = random.onSphere();
                const Vec3d heading = random.onSphere();
                return Body{r * place, speed * heading, mass};
            }};
}

Recipe cube(const SceneRequest& request) {
    const double mass = 1.0 / static_cast<double>(request.bodies);
    return {request.bodies, request.seed, [mass](std::size_t, Random& random) {
                const double x = random.uniform(-1, 1), y = random.uniform(-1, 1), z = random.uniform(-1, 1);
                return Body{{x, y, z}, {}, mass};
            }};
}

Recipe coldCollapse(const SceneRequest& request) {
    const double mass = 1 / static_cast<double>(request.bodies);
    return {request.bodies, request.seed, [mass](std::size_t, Random& random) {
                const double r = std::cbrt(random.uniform());
                const Vec3d place = random.onSphere();
                return Body{r * place, {}, mass};
            }};
}

Recipe sphereBodies(const SceneRequest& request, const SphereSystem& system) {
    const double mass = 1 / static_cast<double>(request.bodies);
    return {request.bodies, request.seed, [mass, system](std::size_t, Random& random) {
                Body body = system.sample(0, random);
                body.mass = mass;
                return body;
            }};
}

constexpr double kHernquistSoftening = 0.02, kKingSoftening = 0.02;

Recipe hernquist(const SceneRequest& request) {
    return sphereBodies(request, SphereSystem({hernquistPart(1, 1, 30, kHernquistSoftening)}, kHernquistSoftening));
}

constexpr SceneParameter kKingParameters[] = {
    {"w0", "Depth W0", "", "depth of the centre in units of the velocity dispersion: 3 is loose, 9 has a dense core", 6, 1,
     12},
};

/// King's density for a depth W, in any unit.
double kingDensity(double depth) {
    if (!(depth > 0)) return 0;
    if (depth < 0.02)
        return 8 / (15 * std::sqrt(std::numbers::pi)) * depth * depth * std::sqrt(depth);  // first term of the series
    return std::exp(depth) * std::erf(std::sqrt(depth)) - std::sqrt(4 * depth / std::numbers::pi) * (1 + 2 * depth / 3);
}

/// W(x) of a King model, x in King radii, until it reaches zero; a cubic between the steps.
class KingDepth {
public:
    explicit KingDepth(double centre) {
        const double unit = kingDensity(centre);
        double x = kStep, w = centre - 1.5 * kStep * kStep, slope = -3 * kStep;  // series at the centre
        points_.push_back({0, centre, 0});
        points_.push_back({x, w, slope});
        const auto bend = [unit](double at, double depth, double rate) {
            return -9 * kingDensity(depth) / unit - 2 * rate / at;
        };
        while (w > 0) {
            const double h = kStep * std::max(1.0, 0.1 * x / kStep * 0.2);
            const double k1 = slope, l1 = bend(x, w, slope);
            const double k2 = slope + 0.5 * h * l1, l2 = bend(x + 0.5 * h, w + 0.5 * h * k1, k2);
            const double k3 = slope + 0.5 * h * l2, l3 = bend(x + 0.5 * h, w + 0.5 * h * k2, k3);
            const double k4 = slope + h * l3, l4 = bend(x + h, w + h * k3, k4);
            w += h * (k1 + 2 * k2 + 2 * k3 + k4) / 6;
            slope += h * (l1 + 2 * l2 + 2 * l3 + l4) / 6;
            x += h;
            points_.push_back({x, w, slope});
        }
        const Point& last = points_.back();
        end_ = last.x - last.w / last.slope;
    }
    double end() const { return end_; }
    double operator()(double x) const {
        if (x >= end_) return 0;
        const auto above = std::upper_bound(points_.begin() + 1, points_.end() - 1, x,
                                            [](double value, const Point& point) { return value < point.x; });
        const Point &a = *(above - 1), &b = *above;
        const double h = b.x - a.x, t = (x - a.x) / h, s = 1 - t;
        return s * s * (1 + 2 * t) * a.w + t * t * (3 - 2 * t) * b.w + h * t * s * (s * a.slope - t * b.slope);
    }

private:
    struct Point {
        double x, w, slope;
    };
    static constexpr double kStep = 0.01;
    std::vector<Point> points_;
    double end_ = 0;
};

Recipe king(const SceneRequest& request) {
    const KingDepth depth(request.value(kKingParameters[0]));
    // Henon units, to compare with `plummer`: the King radius follows from an energy of -1/4, found by a trial model.
    const auto system = [&](double kingRadius, double softening) {
        return SphereSystem({{.mass = 1,
                              .scale = kingRadius,
                              .end = depth.end() * kingRadius,
                              .density = [depth, kingRadius](double r) { return kingDensity(depth(r / kingRadius)); },
                              .tapered = false}},
                            softening);
    };
    const SphereSystem trial = system(1, 0);
    double binding = 0;  // integral of M(r) / r dM
    constexpr int kShells = 2000;
    double within = 0;
    for (int k = 1; k <= kShells; ++k) {
        const double r = depth.end() * k / kShells, mass = trial.massWithin(0, r);
        binding += 0.5 * (mass + within) * (mass - within) / (depth.end() * (k - 0.5) / kShells);
        within = mass;
    }
    return sphereBodies(request, system(2 * binding, kKingSoftening));
}

constexpr SceneParameter kClumpParameters[] = {
    {"clumps", "Clumps", "", "number of clumps", 40, 1, 500},
    {"temperature", "T/|W|", "", "kinetic over potential energy of the cloud at the start; 0.5 would prevent the collapse",
     0.03, 0, 0.5},
    {"size", "Clump size", "", "Plummer radius of a clump; the cloud has radius 1", 0.05, 0.005, 0.3},
    {"spin", "Spin", "", "rotation of the cloud; 1 balances its edge", 0.25, 0, 1},
};

Recipe clumps(const SceneRequest& request) {
    const auto count = static_cast<std::size_t>(std::llround(request.value(kClumpParameters[0])));
    const double size = request.value(kClumpParameters[2]), spin = request.value(kClumpParameters[3]);
    // The potential energy of a uniform sphere is -3/5; a squared speed along one axis is a third of 2 T.
    const double speed = std::sqrt(2 * request.value(kClumpParameters[1]) * 0.6 / 3);
    struct Clump {
        Vec3d place, velocity;
    };
    std::vector<Clump> list(count);
    for (std::size_t k = 0; k < count; ++k) {
        Random random(request.seed, ~std::uint64_t{k});
        const Vec3d way = random.onSphere();
        const double r = std::cbrt(random.uniform());
        list[k].place = r * way;
        list[k].velocity = {speed * random.normal() - spin * r * way.y, speed * random.normal() + spin * r * way.x,
                            speed * random.normal()};
    }
    const double mass = 1 / static_cast<double>(request.bodies);
    return {request.bodies, request.seed, [mass, size, count, list](std::size_t i, Random& random) {
                const std::size_t k = i % count;
                const double share = 0.98 * (1 - random.uniform());
                const double r = plummerRadius(share, size);
                const Vec3d way = random.onSphere();
                const Clump& clump = list[k];
                return Body{{clump.place.x + r * way.x, clump.place.y + r * way.y, clump.place.z + r * way.z},
                            clump.velocity,
                            mass,
                            static_cast<std::uint8_t>(k % 64)};
            }};
}

}  // namespace

std::span<const Scene> clusterScenes() {
    static const Scene rows[] = {
        {.name = "plummer",
         .group = SceneGroup::clusters,
         .idea = "a star cluster in equilibrium (Plummer model, Henon units)",
         .caption = "Every star moves, the cluster stays: crossing time 2.8.",
         .source = "Plummer 1911; Aarseth, Henon & Wielen 1974",
         .timeStep = 1.0 / 128,
         .story = {2.8, 20},
         .softening = 0.05,
         .farField = kCollisionless,
         .view = {.distance = 5, .pointSize = 0.015, .speedScale = 1.3, .colour = "photograph", .stars = Stars::young},
         .build = build<plummer>,
         .made = made<plummer>},
        {.name = "cube",
         .group = SceneGroup::clusters,
         .idea = "a cube of bodies at rest",
         .caption = "It falls in, bounces at t = 1.6 and settles into a ball.",
         .timeStep = 1.0 / 256,
         .story = {2, 25},
         .softening = 0.05,
         .farField = kCollisionless,
         .view = {.distance = 5, .elevation = 0.4, .pointSize = 0.015, .speedScale = 2},
         .build = build<cube>,
         .made = made<cube>},
        {.name = "hernquist",
         .group = SceneGroup::clusters,
         .idea = "an elliptical galaxy in equilibrium (Hernquist model)",
         .caption = "Dense in the middle, wide outside: every star moves, the galaxy stays.",
         .source = "Hernquist 1990",
         .timeStep = 1.0 / 128,
         .story = {4, 25},
         .softening = kHernquistSoftening,
         .farField = kCollisionless,
         .view = {.distance = 7, .pointSize = 0.016, .speedScale = 0.9, .colour = "photograph", .stars = Stars::elliptical},
         .build = build<hernquist>,
         .made = made<hernquist>},
        {.name = "king",
         .group = SceneGroup::clusters,
         .idea = "a globular cluster in equilibrium (King model, Henon units)",
         .caption = "Like the globular clusters of our galaxy: a core, a halo, and an edge set by the tide.",
         .source = "King 1966",
         .timeStep = 1.0 / 128,
         .story = {2.8, 20},
         .softening = kKingSoftening,
         .farField = kCollisionless,
         .view = {.distance = 4.5, .pointSize = 0.013, .speedScale = 1.2, .colour = "photograph", .stars = Stars::globular},
         .build = build<king>,
         .made = made<king>,
         .parameters = kKingParameters},
        {.name = "clumps",
         .group = SceneGroup::clusters,
         .idea = "a cold cloud of clumps collapses",
         .caption = "Clumps merge as they fall, collapse at t = 1.1 and leave a smooth galaxy: violent relaxation.",
         .source = "van Albada 1982; Lynden-Bell 1967",
         .timeStep = 1.0 / 512,
         .story = {1.5, 30},
         .softening = 0.02,
         .farField = kCollisionless,
         .view = {.distance = 4, .pointSize = 0.013, .speedScale = 2},
         .build = build<clumps>,
         .made = made<clumps>,
         .parameters = kClumpParameters},
        {.name = "cold-collapse",
         .group = SceneGroup::clusters,
         .idea = "a uniform sphere of bodies at rest",
         .caption = "It collapses at t = 1.11, bounces, ejects about a fifth of its bodies and settles.",
         .source = "Henon 1964; van Albada 1982",
         .timeStep = 1.0 / 1024,
         .story = {1.5, 30},
         .softening = 0.02,
         .farField = kCollisionless,
         .view = {.distance = 3.5, .elevation = 0.4, .pointSize = 0.012, .speedScale = 2},
         .build = build<coldCollapse>,
         .made = made<coldCollapse>},
    };
    return rows;
}

}  // namespace gravlab::scenes
