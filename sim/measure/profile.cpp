#include "sim/measure/profile.h"

#include "sim/core/bad_bodies.h"
#include "sim/core/group.h"
#include "sim/core/random.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace gravlab {
namespace {

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();
constexpr double kHeavy = 10;                // times the mean mass: heavier bodies are never left out at random
constexpr std::size_t kFewest = 8;           // fewest bodies for a dispersion of a ring
constexpr std::size_t kForceSample = 16384;  // sources of the rotation curve beside the heavy ones

constexpr std::string_view kCentres[] = {"mass", "heaviest", "core"};

/// A sampled body, relative to the centre once that is known.
struct Seen {
    Vec3d x, v;
    double mass = 0;    ///< inertia [M], not weighted
    double weight = 1;  ///< bodies that it stands for
    Species species = Species::disc;
    bool heavy = false;
};

/// Rank of the k-th chosen one where `most` of `count` are chosen: one of every stride, at a shuffled place, because bodies
/// of one region of a galaxy are neighbours in memory.
std::size_t chosenRank(std::size_t k, std::size_t count, std::size_t most) {
    if (count <= most) return k;
    const std::size_t from = count * k / most, to = count * (k + 1) / most;
    return from + static_cast<std::size_t>(hash01(k) * static_cast<double>(to - from));
}

/// The sample: every heavy body, and an even sample of the others.
std::vector<Seen> sampled(const BodySource& bodies, const ProfileRequest& request, Profile& profile) {
    const auto each = [&](const auto& use) {
        bodies.overParts(kReadAll, [&](const ParticleSet& part, std::size_t) {
            for (std::size_t i = 0; i < part.size(); ++i)
                if (request.galaxy < 0 || galaxyOf(part.group[i]) == request.galaxy)
                    use(part.position[i], part.velocity[i], part.group[i]);
        });
    };
    double total = 0;
    each([&](const Double4& x, const Double4& v, std::uint8_t) {
        total += std::abs(inertialMass(x, v));
        ++profile.bodies;
    });
    const double limit = kHeavy * total / static_cast<double>(std::max<std::size_t>(1, profile.bodies));
    const auto isHeavy = [&](const Double4& x, const Double4& v) { return std::abs(inertialMass(x, v)) > limit; };
    std::vector<Seen> seen;
    const auto take = [&](const Double4& x, const Double4& v, std::uint8_t group, double weight) {
        if (!std::isfinite(x.x + x.y + x.z + v.x + v.y + v.z)) return;
        seen.push_back({xyz(x), xyz(v), inertialMass(x, v), weight, speciesOf(group), isHeavy(x, v)});
    };
    std::size_t heavy = 0;
    if (profile.bodies > request.sample)
        each([&](const Double4& x, const Double4& v, std::uint8_t group) {
            if (heavy == request.sample || !isHeavy(x, v)) return;
            take(x, v, group, 1);
            ++heavy;
        });
    const std::size_t usual = profile.bodies - heavy, most = std::min(usual, request.sample);
    profile.weight = static_cast<double>(usual) / static_cast<double>(std::max<std::size_t>(1, most));
    std::size_t rank = 0, chosen = 0, next = chosenRank(0, usual, most);
    each([&](const Double4& x, const Double4& v, std::uint8_t group) {
        if (heavy > 0 && isHeavy(x, v)) {
            --heavy;
            return;
        }
        if (rank++ != next || chosen == most) return;
        take(x, v, group, profile.weight);
        next = chosenRank(++chosen, usual, most);
    });
    profile.sampled = seen.size();
    return seen;
}

struct Place {
    Vec3d x{}, v{};
};

/// Mean position and velocity of the bodies within `radius` of `from`, by mass, or by number where they have none.
Place meanWithin(const std::vector<Seen>& seen, const Vec3d& from, double radius, std::size_t* inside = nullptr) {
    Place sum[2];
    double weight[2] = {0, 0};
    std::size_t count = 0;
    for (const Seen& body : seen) {
        if (length(body.x - from) > radius) continue;
        ++count;
        for (int way = 0; way < 2; ++way) {
            const double w = body.weight * (way ? 1 : std::abs(body.mass));
            sum[way].x += w * body.x;
            sum[way].v += w * body.v;
            weight[way] += w;
        }
    }
    if (inside) *inside = count;
    const int way = weight[0] > 0 ? 0 : 1;
    if (!(weight[way] > 0)) return {from, {}};
    return {sum[way].x * (1 / weight[way]), sum[way].v * (1 / weight[way])};
}

Place centreOf(const std::vector<Seen>& seen, ProfileCentre centre) {
    Place place = meanWithin(seen, {}, std::numeric_limits<double>::infinity());
    if (centre == ProfileCentre::heaviest) {
        const auto most =
            std::ranges::max_element(seen, [](const Seen& a, const Seen& b) { return std::abs(a.mass) < std::abs(b.mass); });
        return {most->x, most->v};
    }
    if (centre == ProfileCentre::mass) return place;
    constexpr double kShrink = 0.8;
    double radius = 0;
    for (const Seen& body : seen) radius = std::max(radius, length(body.x - place.x));
    const std::size_t enough = std::max<std::size_t>(50, seen.size() / 50);
    for (int round = 0; round < 100; ++round) {
        std::size_t inside = 0;
        const Place next = meanWithin(seen, place.x, radius * kShrink, &inside);
        if (inside < enough) break;
        radius *= kShrink;
        place = next;
    }
    return place;
}

/// Complete elliptic integrals of the first and second kind by the arithmetic-geometric mean. Abramowitz & Stegun 17.6.
struct Elliptic {
    double first, second;
    explicit Elliptic(double m) {
        double a = 1, b = std::sqrt(1 - m), power = 0.5, sum = power * m;
        for (int round = 0; round < 40 && std::abs(a - b) > 1e-9 * a; ++round) {
            const double c = (a - b) / 2, mean = (a + b) / 2;
            b = std::sqrt(a * b);
            a = mean;
            power *= 2;
            sum += power * c * c;
        }
        first = std::numbers::pi / (a + b);
        second = first * (1 - sum);
    }
};

/// Pull towards the axis at `radius` in the plane from a ring of mass 1 at `ring`; `squared` is its squared height plus
/// softening. It equals the pull of one body there, averaged around the circle, so that the position of a single body makes
/// no noise. Jackson 1999, problem 3.10 gives the potential; this is its derivative.
double ringPull(double radius, double ring, double squared) {
    const double far = (radius + ring) * (radius + ring) + squared, near = (radius - ring) * (radius - ring) + squared;
    if (!(near > 0)) return 0;
    const Elliptic e(4 * radius * ring / far);
    return (e.first - (ring * ring - radius * radius + squared) / near * e.second) /
           (std::numbers::pi * radius * std::sqrt(far));
}

/// Mass within spheres and the inward pull in the plane, of all matter, at the ring's radius.
class Field {
public:
    Field(const std::vector<Seen>& seen, const ForceSettings& force, const Vec3d& axis, double resolution)
        : gravity_(force.law == Law::gravity) {
        if (!gravity_) return;
        // Below the width of a ring there is only the noise of single bodies.
        const auto add = [&](const Seen& body) {
            const double soft = body.heavy ? force.softening : std::max(force.softening, resolution);
            const double z = dot(body.x, axis), squared = z * z;
            sources_.push_back(
                {std::sqrt(std::max(0.0, dot(body.x, body.x) - squared)), squared + soft * soft, body.mass * body.weight});
        };
        std::vector<const Seen*> usual;
        for (const Seen& body : seen) {
            if (!(body.mass > 0)) continue;
            shells_.emplace_back(length(body.x), body.mass * body.weight);
            if (body.heavy)
                add(body);
            else
                usual.push_back(&body);
        }
        std::ranges::sort(shells_);
        for (std::size_t i = 1; i < shells_.size(); ++i) shells_[i].second += shells_[i - 1].second;
        double whole = 0, part = 0;
        for (const Seen* body : usual) whole += body->mass * body->weight;
        const std::size_t first = sources_.size();
        for (std::size_t k = 0; k < std::min(usual.size(), kForceSample); ++k) {
            add(*usual[chosenRank(k, usual.size(), kForceSample)]);
            part += sources_.back().mass;
        }
        for (std::size_t i = first; i < sources_.size(); ++i) sources_[i].mass *= whole / part;
    }

    double circularOfMass(double radius) const {
        if (!gravity_) return kNothing;
        const auto after = std::upper_bound(shells_.begin(), shells_.end(), std::pair(radius, 1e300));
        return after == shells_.begin() ? 0 : std::sqrt((after - 1)->second / radius);
    }

    /// Circular velocity of the pull towards the axis, averaged around the whole ring; NaN where the pull points outwards.
    double circular(double radius) const {
        if (!gravity_) return kNothing;
        double pull = 0;
        for (const Source& source : sources_) pull += source.mass * ringPull(radius, source.radius, source.squared);
        return pull >= 0 ? std::sqrt(radius * pull) : kNothing;
    }

private:
    struct Source {
        double radius, squared, mass;  ///< radius from the axis; squared height plus softening
    };
    bool gravity_;
    std::vector<std::pair<double, double>> shells_;  ///< radius, mass within
    std::vector<Source> sources_;
};

/// Sums over the bodies of one ring.
struct RingSums {
    std::size_t bodies = 0, discBodies = 0;
    double weight = 0, mass = 0, discWeight = 0, discMass = 0;
    double r = 0, phi = 0, z = 0, rr = 0, zz = 0, discR = 0, discRR = 0;

    void add(const Seen& body, double vr, double vphi, double vz) {
        ++bodies;
        weight += body.weight;
        mass += body.weight * body.mass;
        r += body.weight * vr;
        phi += body.weight * vphi;
        z += body.weight * vz;
        rr += body.weight * vr * vr;
        zz += body.weight * vz * vz;
        if (body.species != Species::disc) return;
        ++discBodies;
        discWeight += body.weight;
        discMass += body.weight * body.mass;
        discR += body.weight * vr;
        discRR += body.weight * vr * vr;
    }
    static double sigma(double squares, double sum, double weight) {
        return std::sqrt(std::max(0.0, squares / weight - (sum / weight) * (sum / weight)));
    }
};

/// kappa^2 = 2 Omega (Omega + dv/dR), by differences of the neighbours. NaN where orbits are unstable or the curve ends.
double epicyclicFrequency(const std::vector<ProfileRing>& rings, std::size_t i) {
    const std::size_t below = i > 0 ? i - 1 : i, above = std::min(i + 1, rings.size() - 1);
    const double slope =
        (rings[above].circular - rings[below].circular) / std::max(rings[above].radius - rings[below].radius, 1e-300);
    const double omega = rings[i].circular / rings[i].radius;
    const double squared = 2 * omega * (omega + slope);
    return squared > 0 ? std::sqrt(squared) : kNothing;
}

double reachOf(const std::vector<Seen>& seen, const Vec3d& axis) {
    std::vector<double> distances;
    for (const Seen& body : seen) {
        const double z = dot(body.x, axis);
        distances.push_back(std::sqrt(std::max(0.0, dot(body.x, body.x) - z * z)));
    }
    const auto most = distances.begin() + static_cast<std::ptrdiff_t>(0.95 * static_cast<double>(distances.size() - 1));
    std::nth_element(distances.begin(), most, distances.end());
    return *most;
}

}  // namespace

std::span<const std::string_view> profileCentres() { return kCentres; }

int galaxiesIn(const BodySource& bodies) {
    int count = 0;
    bodies.overParts(kReadLabels, [&](const ParticleSet& part, std::size_t) {
        const std::vector<std::uint8_t>& groups = part.group;
        for (;;) {
            const std::size_t more = firstBad(groups.size(), [&](std::size_t i) { return galaxyOf(groups[i]) >= count; });
            if (more == groups.size()) return;
            count = galaxyOf(groups[more]) + 1;
        }
    });
    return count;
}

Profile measureProfile(const BodySource& bodies, const ForceSettings& force, const ProfileRequest& request) {
    Profile profile;
    std::vector<Seen> seen = sampled(bodies, request, profile);
    if (seen.size() < kFewest) {
        profile.why = "Fewer than " + std::to_string(kFewest) + " bodies: there is no profile to measure.";
        return profile;
    }
    // Seen bodies locate the galaxy: a halo is wide, and other galaxies pull at it first.
    const bool all = std::ranges::all_of(seen, [](const Seen& body) { return body.species == Species::halo; });
    std::vector<Seen> bright;
    for (const Seen& body : seen)
        if (all || body.species != Species::halo) bright.push_back(body);
    const Place zero = centreOf(bright, request.centre);
    profile.centre = zero.x;
    profile.velocity = zero.v;
    for (std::vector<Seen>* set : {&seen, &bright})
        for (Seen& body : *set) {
            body.x -= zero.x;
            body.v -= zero.v;
        }

    // By number: one massive body in the middle, or a total mass of 0, would define no plane.
    Vec3d spin{};
    double spins = 0;
    for (const Seen& body : bright) {
        const Vec3d one = cross(body.x, body.v);
        spin += body.weight * one;
        spins += body.weight * length(one);
    }
    profile.order = spins > 0 ? length(spin) / spins : 0;
    constexpr double kRotates = 0.1;  // below it the direction of the sum is random
    const Vec3d axis = profile.order > kRotates ? spin * (1 / length(spin)) : Vec3d{0, 0, 1};
    profile.axis = axis;
    const Vec3d helper = std::abs(axis.x) < 0.7 ? Vec3d{1, 0, 0} : Vec3d{0, 1, 0};
    Vec3d along = helper - axis * dot(helper, axis);
    along *= 1 / length(along);
    const Vec3d across = cross(axis, along);

    const double reach = request.reach > 0 ? request.reach : reachOf(bright, axis);
    if (!(reach > 0) || !std::isfinite(reach) || request.rings == 0) {
        profile.why = "All bodies are at one place: there is no profile to measure.";
        return profile;
    }
    const double width = reach / static_cast<double>(request.rings);
    std::vector<RingSums> sums(request.rings);
    double seenMass = 0;
    for (const Seen& body : bright) {
        const double a = dot(body.x, along), b = dot(body.x, across), radius = std::hypot(a, b);
        seenMass += std::abs(body.mass) * (body.heavy ? 0 : 1);
        if (!(radius < reach) || radius == 0) continue;
        const double va = dot(body.v, along), vb = dot(body.v, across);
        sums[std::min(static_cast<std::size_t>(radius / width), request.rings - 1)].add(
            body, (a * va + b * vb) / radius, (a * vb - b * va) / radius, dot(body.v, axis));
    }
    profile.numberWeighted = !(seenMass > 0);

    const Field field(seen, force, axis, width / 4);
    for (std::size_t k = 0; k < request.rings; ++k) {
        const RingSums& sum = sums[k];
        ProfileRing ring;
        ring.bodies = sum.bodies;
        const double inner = static_cast<double>(k) * width, outer = inner + width;
        // Mean over the ring's area, not its width: most of its bodies are there.
        ring.radius = 2.0 / 3 * (outer * outer + outer * inner + inner * inner) / (outer + inner);
        const double area = std::numbers::pi * (outer * outer - inner * inner);
        ring.surfaceDensity = sum.bodies > 0 ? (profile.numberWeighted ? sum.weight : sum.mass) / area : kNothing;
        ring.circular = field.circular(ring.radius);
        ring.circularOfMass = field.circularOfMass(ring.radius);
        const bool enough = sum.bodies >= kFewest;
        ring.rotation = enough ? sum.phi / sum.weight : kNothing;
        ring.dispersionR = enough ? RingSums::sigma(sum.rr, sum.r, sum.weight) : kNothing;
        ring.dispersionZ = enough ? RingSums::sigma(sum.zz, sum.z, sum.weight) : kNothing;
        profile.rings.push_back(ring);
    }
    constexpr double kIsADisc = 0.6;
    for (std::size_t k = 0; k < request.rings; ++k) {
        ProfileRing& ring = profile.rings[k];
        const RingSums& sum = sums[k];
        const double area = std::numbers::pi * width * width * (2 * static_cast<double>(k) + 1);
        const bool disc =
            profile.order > kIsADisc && sum.discBodies >= kFewest && sum.discMass > 0 && !profile.numberWeighted;
        ring.toomreQ = disc ? RingSums::sigma(sum.discRR, sum.discR, sum.discWeight) * epicyclicFrequency(profile.rings, k) /
                                  (3.36 * sum.discMass / area)
                            : kNothing;
    }
    return profile;
}

}  // namespace gravlab
