// One queue of contacts a step. A contact that is earlier than all others changes its two bodies, whose later contacts are
// then found anew.
#include "sim/contact/contact.h"

#include "sim/contact/paths.h"
#include "sim/core/error.h"
#include "sim/forces/law.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <queue>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace gravlab {
namespace {

// A pair bounces so many times a step at most: bodies at rest on each other would bounce without end.
constexpr int kMostBounces = 4;
// Bodies with more than this fraction of the mass count in the lost energy and as the origin of tides.
constexpr double kHeavyShare = 1e-3;
constexpr double kSolidSphere = 0.4;  // moment of inertia over m R^2

double inertiaOf(double mass, double radius) { return kSolidSphere * mass * radius * radius; }

class Resolver {
public:
    Resolver(const std::vector<Double4>& before, ParticleSet& bodies, const ContactSettings& contact,
             const ForceSettings& force, const ContactStep& step)
        : bodies_(bodies),
          contact_(contact),
          force_(force),
          step_(step),
          law_(lawRow(force.law)),
          atZero_(finiteAtZero(force)),
          merging_(contact.mode != ContactMode::bounce) {
        const std::size_t n = bodies.size();
        paths_.resize(n);
        versions_.assign(n, 0);
        double whole = 0;
        for (std::size_t i = 0; i < n; ++i) {
            const Vec3d from = xyz(before[i]), end = xyz(bodies.position[i]);
            paths_[i] = {.end = end, .way = (end - from) / step.length, .radius = bodies.surface[i].radius};
            paths_[i].alive = isFinite(from) && isFinite(end) && isFinite(xyz(bodies.velocity[i]));
            whole += std::abs(bodies.position[i].w);
        }
        for (std::size_t i = 0; i < n; ++i)
            if (whole > 0 && std::abs(bodies.position[i].w) > kHeavyShare * whole)
                heavy_.push_back(static_cast<std::uint32_t>(i));
    }

    void find(const std::vector<ContactPair>* candidates) {
        if (candidates) {
            for (const ContactPair& pair : *candidates) note(pair.first, pair.second, 0);
            return;
        }
        cells_.build(paths_, step_.length);
        built_ = true;
        for (std::uint32_t i = 0; i < paths_.size(); ++i)
            if (paths_[i].alive)
                cells_.near(i, [&](std::uint32_t k) {
                    if (i < k && paths_[k].alive) note(i, k, 0);
                });
    }

    std::vector<ContactEvent> run() {
        while (!queue_.empty() || !changed_.empty()) {
            // A contact of this very moment, of a body that has changed in it, still happens if they touch.
            if (queue_.empty() || (!changed_.empty() && queue_.top().time > now_)) {
                findAnew();
                continue;
            }
            const Contact next = queue_.top();
            queue_.pop();
            if (!paths_[next.a].alive || !paths_[next.b].alive) continue;
            const bool same = versions_[next.a] == next.versionA && versions_[next.b] == next.versionB;
            if (!same && (next.time > now_ || !touchesAt(next.a, next.b, now_))) continue;
            now_ = std::max(now_, next.time);
            meet(next.a, next.b);
        }
        return std::move(events_);
    }

    /// Removes the bodies that merged into others.
    void close() {
        if (gone_ == 0) return;
        std::size_t kept = 0;
        for (std::size_t i = 0; i < bodies_.size(); ++i) {
            if (merged(i)) continue;
            bodies_.position[kept] = bodies_.position[i];
            bodies_.velocity[kept] = bodies_.velocity[i];
            bodies_.id[kept] = bodies_.id[i];
            bodies_.group[kept] = bodies_.group[i];
            bodies_.surface[kept] = bodies_.surface[i];
            ++kept;
        }
        bodies_.resize(kept);
    }

private:
    /// A contact to come; `a` is the body with the lower id.
    struct Contact {
        double time;
        std::uint32_t lower, higher;  ///< ids
        std::uint32_t a, b, versionA, versionB;
        bool operator<(const Contact& other) const {  // the queue gives the largest one first
            return std::tie(time, lower, higher) > std::tie(other.time, other.lower, other.higher);
        }
    };
    /// Changes by a bounce, and the unit vector from b to a.
    struct Bounce {
        Vec3d kickA{}, kickB{}, twistA{}, twistB{};
    };

    bool merged(std::size_t i) const { return !mergedAway_.empty() && mergedAway_[i]; }
    Vec3d velocityOf(std::uint32_t i) const { return xyz(bodies_.velocity[i]); }
    double massOf(std::uint32_t i) const { return inertialMass(bodies_.position[i], bodies_.velocity[i]); }
    bool held(std::uint32_t i) const { return bodies_.velocity[i].w == 0; }

    void note(std::uint32_t i, std::uint32_t k, double earliest) {
        const double from = std::max({paths_[i].from, paths_[k].from, earliest});
        const std::optional<double> time = contactTime(paths_[i], paths_[k], from, step_.length, merging_);
        if (!time) return;
        if (bodies_.id[k] < bodies_.id[i]) std::swap(i, k);
        queue_.push({*time, bodies_.id[i], bodies_.id[k], i, k, versions_[i], versions_[k]});
    }
    bool touchesAt(std::uint32_t i, std::uint32_t k, double time) const {
        return contactTime(paths_[i], paths_[k], time, step_.length, merging_) == time;
    }
    void findAnew() {
        if (!built_ || cells_.crowded()) {
            cells_.build(paths_, step_.length);
            built_ = true;
        } else {
            for (const std::uint32_t i : changed_)
                if (paths_[i].alive) cells_.move(paths_, i);
        }
        std::ranges::sort(changed_);
        changed_.erase(std::unique(changed_.begin(), changed_.end()), changed_.end());
        for (const std::uint32_t i : std::exchange(changed_, {}))
            if (paths_[i].alive)
                cells_.near(i, [&](std::uint32_t k) {
                    if (paths_[k].alive) note(i, k, now_);
                });
    }
    void changes(std::uint32_t i) {
        paths_[i].from = now_;
        ++versions_[i];
        changed_.push_back(i);
    }

    double pairEnergy(double sources, const Vec3d& away) const {
        const double squared = dot(away, away);
        return squared > 0 || atZero_ ? sources * law_.potential(force_, squared) : 0;
    }
    /// Energy of body i, and of its pairs with all heavy bodies but k.
    double energyOf(std::uint32_t i, std::uint32_t k) const {
        const Surface& surface = bodies_.surface[i];
        const double mass = massOf(i);
        double energy =
            (mass * dot(velocityOf(i), velocityOf(i)) + inertiaOf(mass, surface.radius) * dot(surface.spin, surface.spin)) /
            2;
        for (const std::uint32_t h : heavy_)
            if (h != i && h != k && !merged(h))
                energy += pairEnergy(bodies_.position[i].w * bodies_.position[h].w,
                                     xyz(bodies_.position[i]) - xyz(bodies_.position[h]));
        return energy;
    }
    double energyOfPair(std::uint32_t a, std::uint32_t b) const {
        return energyOf(a, b) + energyOf(b, a) +
               pairEnergy(bodies_.position[a].w * bodies_.position[b].w,
                          xyz(bodies_.position[a]) - xyz(bodies_.position[b]));
    }

    /// Spheres that rest on each other fall for a step and bounce at its end: with their restitution they would hop for
    /// ever, and gain energy from the length of the step.
    double restitutionOf(std::uint32_t a, std::uint32_t b, double apart, double closing) const {
        constexpr double kFalls = 4;  // falls of one step
        const double pull =
            std::abs((bodies_.position[a].w + bodies_.position[b].w) * law_.forceOverDistance(force_, apart * apart)) *
            apart;
        return -closing < kFalls * pull * step_.length ? 0 : contact_.restitution;
    }

    /// `away`: from b to a at the contact. The arms end at one point between the centres, so that no angular momentum is
    /// lost where the spheres overlap.
    Bounce bounceOf(std::uint32_t a, std::uint32_t b, const Vec3d& away) const {
        const double apart = exactLength(away);
        const Vec3d relative = velocityOf(a) - velocityOf(b);
        const double speed = exactLength(relative);
        if (apart == 0 && speed == 0) return {};
        const Vec3d normal = apart > 0 ? away / apart : -relative / speed;
        const double closing = dot(relative, normal);
        // Inverse masses. A body without mass gives way to one with mass; a held body gives way to none.
        const double ma = massOf(a), mb = massOf(b);
        const bool light = (ma <= 0 && !held(a)) || (mb <= 0 && !held(b));
        const auto yields = [&](std::uint32_t i, double mass) {
            return held(i) ? 0 : light ? (mass > 0 ? 0.0 : 1.0) : 1 / mass;
        };
        const double wa = yields(a, ma), wb = yields(b, mb);
        constexpr double kStill = 1e-13;  // closing speed that rounding leaves, relative to the speeds
        if (!(closing < -kStill * (exactLength(velocityOf(a)) + exactLength(velocityOf(b)))) || wa + wb == 0) return {};
        const Surface &sa = bodies_.surface[a], &sb = bodies_.surface[b];
        const double both = sa.radius + sb.radius, armA = apart * sa.radius / both, armB = apart * sb.radius / both;
        const double ia = sa.radius > 0 ? wa / inertiaOf(1, sa.radius) : 0;
        const double ib = sb.radius > 0 ? wb / inertiaOf(1, sb.radius) : 0;
        const double press = -(1 + restitutionOf(a, b, both, closing)) * closing / (wa + wb);
        Vec3d rub{};
        const Vec3d sliding = relative - cross(armA * sa.spin + armB * sb.spin, normal);
        const Vec3d slip = sliding - dot(sliding, normal) * normal;
        if (const double slips = exactLength(slip); contact_.friction > 0 && slips > 0) {
            const double stops = slips / (wa + wb + armA * armA * ia + armB * armB * ib);
            rub = -std::min(contact_.friction * press, stops) / slips * slip;
        }
        const Vec3d impulse = press * normal + rub, twist = cross(normal, rub);
        return {wa * impulse, -wb * impulse, -ia * armA * twist, -ib * armB * twist};
    }

    /// Whether the pair stays together after the bounce. See resolveContacts().
    bool staysBound(std::uint32_t a, std::uint32_t b, const Vec3d& away, const Vec3d& after) const {
        if (contact_.mode == ContactMode::stick) return true;
        if (contact_.mode == ContactMode::bounce) return false;
        const double mass = bodies_.position[a].w + bodies_.position[b].w;
        const double pull = pairEnergy(mass, away);
        const auto heavier = [&](std::uint32_t h) { return h != a && h != b && !merged(h) && bodies_.position[h].w > mass; };
        const Vec3d middle = (xyz(bodies_.position[a]) + xyz(bodies_.position[b])) / 2;
        double tide = 0;
        std::uint32_t centre = 0;
        for (const std::uint32_t h : heavy_) {
            if (!heavier(h)) continue;
            const double far = distance(middle, xyz(bodies_.position[h]));
            const double strength = bodies_.position[h].w / (far * far * far);
            if (strength > tide) tide = strength, centre = h;
        }
        if (tide == 0 || loopLaw(force_) != Law::gravity || !(mass > 0)) return dot(after, after) / 2 + pull < 0;
        const double share = massOf(a) + massOf(b) > 0 ? massOf(a) / (massOf(a) + massOf(b)) : 0.5;
        const Vec3d out = middle - xyz(bodies_.position[centre]);
        const Vec3d motion = share * velocityOf(a) + (1 - share) * velocityOf(b) - velocityOf(centre);
        const Vec3d radial = out / exactLength(out), turn = cross(out, motion);
        const double rate = std::sqrt(tide), turning = exactLength(turn);
        const Vec3d pole = turning > 0 ? turn / turning : Vec3d{};
        const Vec3d drift = after - cross(rate * pole, away);
        const double x = dot(away, radial), z = dot(away, pole), edge = std::cbrt(mass / (3 * tide));
        const double energy = dot(drift, drift) / 2 + tide * (z * z - 3 * x * x) / 2 + pull + 4.5 * tide * edge * edge;
        return energy < 0 && exactLength(away) < edge;
    }

    void meet(std::uint32_t a, std::uint32_t b) {
        const Vec3d relative = velocityOf(a) - velocityOf(b);
        const Vec3d apart = xyz(bodies_.position[a]) - xyz(bodies_.position[b]);
        // Spheres that overlap already were pressed together during the step: the mean moment of that is half of it.
        const double left = step_.length - now_, both = paths_[a].radius + paths_[b].radius;
        const Vec3d start = paths_[a].end - paths_[b].end - left * (paths_[a].way - paths_[b].way);
        const bool pressed = dot(start, start) < both * both * (1 - 1e-9);
        const double rest = pressed ? left / 2 : left;
        // On the line of the velocities at the end, so that the change is exact for the bodies of the end.
        const Vec3d away = apart - rest * relative;
        if (held(a) && held(b)) return;
        const Bounce bounce = bounceOf(a, b, away);
        const bool bounces = bounce.kickA != Vec3d{} || bounce.kickB != Vec3d{};
        const Vec3d along = exactLength(away) > 0 ? both / exactLength(away) * away : Vec3d{both, 0, 0};
        if (merging_ && staysBound(a, b, exactLength(away) < both ? along : away, relative + bounce.kickA - bounce.kickB))
            return merge(a, b);
        if (!bounces) return;
        int& count = bounces_[static_cast<std::uint64_t>(std::min(a, b)) << 32 | std::max(a, b)];
        if (count == kMostBounces) return;
        ++count;
        ContactEvent event = eventOf(ContactKind::bounce, a, b, away, left);
        const double before = energyOfPair(a, b);
        const auto kick = [&](std::uint32_t i, const Vec3d& by, const Vec3d& twist) {
            Double4 &x = bodies_.position[i], &v = bodies_.velocity[i];
            x = packed(xyz(x) + rest * by, x.w);
            v = packed(xyz(v) + by, v.w);
            bodies_.surface[i].spin += twist;
            paths_[i].end = xyz(x);
            paths_[i].way += (pressed ? 0.5 : 1.0) * by;  // from where the body was at the contact
            changes(i);
        };
        kick(a, bounce.kickA, bounce.twistA);
        kick(b, bounce.kickB, bounce.twistB);
        event.lost = before - energyOfPair(a, b);
        event.mass = massOf(a);
        event.radius = paths_[a].radius;
        events_.push_back(event);
    }

    ContactEvent eventOf(ContactKind kind, std::uint32_t a, std::uint32_t b, const Vec3d& away, double rest) const {
        const double both = paths_[a].radius + paths_[b].radius;
        const Vec3d centre = paths_[a].end - rest * paths_[a].way;
        return {.step = step_.step,
                .time = step_.time + now_,
                .kind = kind,
                .first = bodies_.id[a],
                .second = bodies_.id[b],
                .speed = exactLength(velocityOf(a) - velocityOf(b)),
                .place = both > 0 ? centre - paths_[a].radius / both * away : centre};
    }

    /// The heavier body remains; of equal ones that with the lower id, which is a. A held body remains in any case.
    void merge(std::uint32_t a, std::uint32_t b) {
        if (std::tuple(held(b), bodies_.position[b].w) > std::tuple(held(a), bodies_.position[a].w)) std::swap(a, b);
        const double rest = step_.length - now_;
        const Vec3d apart = xyz(bodies_.position[a]) - xyz(bodies_.position[b]), relative = velocityOf(a) - velocityOf(b);
        ContactEvent event = eventOf(ContactKind::merge, a, b, apart - rest * relative, rest);
        const double before = energyOfPair(a, b);
        const double ma = massOf(a), mb = massOf(b), mass = ma + mb;
        Double4 &xa = bodies_.position[a], &va = bodies_.velocity[a];
        const Double4 xb = bodies_.position[b];
        Surface& surface = bodies_.surface[a];
        const Surface& other = bodies_.surface[b];
        const double radius =
            std::cbrt(surface.radius * surface.radius * surface.radius + other.radius * other.radius * other.radius);
        const double source = xa.w + xb.w;
        if (held(a)) {
            xa.w = source;
        } else if (mass > 0) {
            const Vec3d turning = inertiaOf(ma, surface.radius) * surface.spin + inertiaOf(mb, other.radius) * other.spin +
                                  ma * (mb / mass) * cross(apart, relative);
            const double share = mb / mass;
            xa = packed(xyz(xa) - share * apart, source);
            va = packed(velocityOf(a) - share * relative, source / mass);
            paths_[a].way = paths_[a].way - share * (paths_[a].way - paths_[b].way);
            surface.spin = radius > 0 ? turning / inertiaOf(mass, radius) : Vec3d{};
        }
        surface.radius = radius;
        paths_[a].end = xyz(xa);
        paths_[a].radius = radius;
        paths_[b].alive = false;
        if (mergedAway_.empty()) mergedAway_.assign(paths_.size(), false);
        mergedAway_[b] = true;
        ++gone_;
        event.lost = before - energyOf(a, a);
        event.mass = massOf(a) > 0 ? massOf(a) : source;
        event.radius = radius;
        events_.push_back(event);
        changes(a);
    }

    ParticleSet& bodies_;
    const ContactSettings& contact_;
    const ForceSettings& force_;
    ContactStep step_;
    const LawRow& law_;
    bool atZero_, merging_, built_ = false;
    std::vector<BodyPath> paths_;
    std::vector<std::uint32_t> versions_, heavy_, changed_;
    std::vector<bool> mergedAway_;
    std::size_t gone_ = 0;
    PathCells cells_;
    std::priority_queue<Contact> queue_;
    std::unordered_map<std::uint64_t, int> bounces_;
    double now_ = 0;  ///< since the beginning of the step
    std::vector<ContactEvent> events_;
};

constexpr ContactRow kModes[] = {
    {"none", "bodies pass through each other, as points do", ContactMode::none},
    {"merge", "pairs that stay bound merge, tides included; the others bounce", ContactMode::merge},
    {"bounce", "bodies bounce, and none merges", ContactMode::bounce},
    {"stick", "every contact is a merger, however fast it is", ContactMode::stick},
};

}  // namespace

std::span<const ContactRow> contactModes() { return kModes; }

std::vector<ContactEvent> resolveContacts(const std::vector<Double4>& before, ParticleSet& bodies,
                                          const ContactSettings& contact, const ForceSettings& force,
                                          const ContactStep& step, const std::vector<ContactPair>* candidates) {
    if (!contact.acts() || bodies.surface.empty() || !(step.length > 0)) return {};
    Resolver resolver(before, bodies, contact, force, step);
    resolver.find(candidates);
    std::vector<ContactEvent> events = resolver.run();
    resolver.close();
    return events;
}

std::size_t countOverlaps(const ParticleSet& bodies) {
    if (bodies.surface.empty()) return 0;
    std::vector<BodyPath> paths(bodies.size());
    for (std::size_t i = 0; i < paths.size(); ++i)
        paths[i] = {
            .end = xyz(bodies.position[i]), .radius = bodies.surface[i].radius, .alive = isFinite(xyz(bodies.position[i]))};
    PathCells cells;
    cells.build(paths, 0);
    std::size_t count = 0;
    for (std::uint32_t i = 0; i < paths.size(); ++i)
        if (paths[i].alive)
            cells.near(i, [&](std::uint32_t k) {
                const double both = paths[i].radius + paths[k].radius;
                count += i < k && paths[k].alive && distance(paths[i].end, paths[k].end) < both * (1 - 1e-9);
            });
    return count;
}

void giveRadii(ParticleSet& bodies, const ContactSettings& contact, bool onlyMissing) {
    if (contact.radius == 0 && contact.density == 0) return;
    bodies.surface.resize(bodies.size());
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        double& radius = bodies.surface[i].radius;
        if (onlyMissing && radius > 0) continue;
        const double mass = std::abs(inertialMass(bodies.position[i], bodies.velocity[i]));
        radius = contact.radius > 0 ? contact.radius
                                    : std::cbrt(3 * (mass > 0 ? mass : std::abs(bodies.position[i].w)) /
                                                (4 * std::numbers::pi * contact.density));
    }
}

void requireSurfaces(const ParticleSet& bodies) {
    for (std::size_t i = 0; i < bodies.surface.size(); ++i) {
        const Surface& s = bodies.surface[i];
        const std::string body = "body " + std::to_string(i) + " (id " + std::to_string(bodies.id[i]) + "): ";
        if (!std::isfinite(s.radius)) throw UsageError(body + "the radius is not a finite number");
        if (s.radius < 0) throw UsageError(body + "the radius " + std::to_string(s.radius) + " is negative");
        if (!isFinite(s.spin)) throw UsageError(body + "the spin is not a finite number");
    }
}

void requireContact(const ContactSettings& contact, const ForceSettings& force, const ParticleSet* bodies) {
    const auto within = [](double value, double most, const char* what, const char* range) {
        if (!(value >= 0 && value <= most)) throw UsageError(std::string(what) + " must be a number " + range);
    };
    within(contact.restitution, 1, "restitution", "from 0 to 1");
    within(contact.friction, 1e300, "friction", "of at least 0");
    within(contact.radius, 1e300, "radius", "of at least 0");
    within(contact.density, 1e300, "density", "of at least 0");
    if (contact.radius > 0 && contact.density > 0)
        throw UsageError("radius and density both give the sizes of the bodies; leave one of them out");
    if (!contact.acts()) return;
    const std::string name(contactRow(contact.mode).name);
    if (contact.mode != ContactMode::bounce && lawRow(force.law).signedSources)
        throw UsageError("contact '" + name + "' cannot merge charges, whose sum says nothing of their mass; take bounce");
    if (!bodies) return;
    requireSurfaces(*bodies);
    if (std::ranges::none_of(bodies->surface, [](const Surface& s) { return s.radius > 0; }))
        throw UsageError("contact '" + name + "' needs bodies with radii; give --radius or --density");
}

Rotation rotationOf(const ParticleSet& bodies) {
    Rotation sum;
    for (std::size_t i = 0; i < bodies.surface.size(); ++i) {
        const Surface& s = bodies.surface[i];
        const double inertia = inertiaOf(inertialMass(bodies.position[i], bodies.velocity[i]), s.radius);
        sum.energy += inertia * dot(s.spin, s.spin) / 2;
        sum.angularMomentum += inertia * s.spin;
    }
    return sum;
}

namespace {
constexpr std::string_view kSurfaces = "contact.surfaces", kTotals = "contact.totals";
}  // namespace

std::vector<StateArray> arraysOf(const std::vector<Surface>& surfaces, const ContactTotals& totals) {
    if (surfaces.empty()) return {};
    StateArray numbers{std::string(kSurfaces), {}};
    numbers.values.reserve(4 * surfaces.size());
    for (const Surface& s : surfaces)
        for (const double value : {s.radius, s.spin.x, s.spin.y, s.spin.z}) numbers.values.push_back(value);
    return {std::move(numbers),
            {std::string(kTotals), {totals.lost, static_cast<double>(totals.merges), static_cast<double>(totals.bounces)}}};
}

ContactTotals takeContacts(std::vector<StateArray>& arrays, ParticleSet& bodies, const std::string& name) {
    ContactTotals totals;
    const auto take = [&](std::string_view key, std::size_t size) -> std::vector<double> {
        const auto found = std::ranges::find(arrays, key, &StateArray::name);
        if (found == arrays.end()) return {};
        std::vector<double> values = std::move(found->values);
        arrays.erase(found);
        if (values.size() != size)
            throw InputError(name + ": its " + std::string(key) + " do not fit its " + std::to_string(bodies.size()) +
                             " bodies; it was changed after it was saved");
        return values;
    };
    if (const std::vector<double> numbers = take(kSurfaces, 4 * bodies.size()); !numbers.empty()) {
        bodies.surface.resize(bodies.size());
        for (std::size_t i = 0; i < bodies.size(); ++i)
            bodies.surface[i] = {numbers[4 * i], {numbers[4 * i + 1], numbers[4 * i + 2], numbers[4 * i + 3]}};
    }
    if (const std::vector<double> numbers = take(kTotals, 3); !numbers.empty()) {
        const auto count = [](double value) {
            return value >= 0 && value < 9e18 ? static_cast<std::int64_t>(value) : std::int64_t{0};
        };
        totals = {std::isfinite(numbers[0]) ? numbers[0] : 0, count(numbers[1]), count(numbers[2])};
    }
    try {
        requireSurfaces(bodies);
    } catch (const UsageError& error) {
        throw InputError(name + ": " + error.what());
    }
    return totals;
}

std::string contactLogHeader() { return "step,time,event,first,second,speed,lost,x,y,z,mass,radius\n"; }

std::string contactLogRow(const ContactEvent& e) {
    char text[320];
    std::snprintf(text, sizeof text, "%lld,%.17g,%s,%u,%u,%.9g,%.9g,%.17g,%.17g,%.17g,%.17g,%.17g\n",
                  static_cast<long long>(e.step), e.time, e.kind == ContactKind::merge ? "merge" : "bounce", e.first,
                  e.second, e.speed, e.lost, e.place.x, e.place.y, e.place.z, e.mass, e.radius);
    return text;
}

}  // namespace gravlab
