// Settings, sizes, rotation, files and the log of contacts; and the contacts of a step whose bodies are on the host, found
// there as a device finds those of its bodies. They are resolved in parts.cpp.
#include "sim/contact/contact.h"

#include "sim/api/errors.h"
#include "sim/contact/path_tree.h"
#include "sim/core/text.h"
#include "sim/core/thread_pool.h"
#include "sim/forces/law.h"
#include "sim/forces/second_pair_law.h"

#include <algorithm>
#include <atomic>
#include <functional>
#include <numbers>
#include <numeric>
#include <utility>

namespace gravlab {
namespace {

constexpr ContactRow kModes[] = {
    {"none", "bodies pass through each other, as points do", ContactMode::none},
    {"merge", "pairs that stay bound merge, tides included; the others bounce", ContactMode::merge},
    {"bounce", "bodies bounce, and none merges", ContactMode::bounce},
    {"stick", "every contact is a merger, however fast it is", ContactMode::stick},
};

}  // namespace

std::span<const ContactRow> contactModes() { return kModes; }

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
        const double inertia = inertiaOf(inertialMass(bodies.position[i], bodies.velocity[i]), s.radius);
        if (s.radius >= 0 && std::isfinite(s.radius * s.radius + inertia * dot(s.spin, s.spin))) continue;
        const std::string body = "body " + std::to_string(i) + " (id " + std::to_string(bodies.id[i]) + "): ";
        if (!std::isfinite(s.radius)) throw UsageError(body + "the radius is not a finite number");
        if (s.radius < 0) throw UsageError(body + "the radius " + std::to_string(s.radius) + " is negative");
        if (!isFinite(s.spin)) throw UsageError(body + "the spin is not a finite number");
        const std::string sizes =
            formatted("its radius %g or spin %g is too large", s.radius, std::hypot(s.spin.x, s.spin.y, s.spin.z));
        throw UsageError(body + sizes + ": its energy of rotation is no finite number; choose other units");
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
    if (bodies) requireSurfaces(*bodies);
    if (!contact.acts()) return;
    const std::string name(contactRow(contact.mode).name);
    if (contact.mode != ContactMode::bounce && lawRow(force.law).signedSources)
        throw UsageError("contact '" + name + "' cannot merge charges, whose sum says nothing of their mass; take bounce");
    if (!bodies) return;
    if (std::ranges::none_of(bodies->surface, [](const Surface& s) { return s.radius > 0; }))
        throw UsageError("contact '" + name + "' needs bodies with radii; give --radius or --density");
}

void requireFewPairs(std::size_t pairs, std::size_t bodies) {
    // A pair takes some 100 bytes of lists and contacts. A dense heap has about 14 for each body.
    const std::size_t most = std::max<std::size_t>(std::size_t{1} << 23, 64 * bodies);
    if (pairs <= most) return;
    throw OutOfMemoryError(
        "more than " + std::to_string(most) + " pairs of " + std::to_string(bodies) +
        " bodies overlap or touch within a step; choose a smaller radius, a shorter step or fewer bodies");
}

double lostBeside(const ParticleSet& before, const ParticleSet& after, std::span<const ContactEvent> events,
                  const ForceSettings& force, const ForceTerms& others, int threads) {
    const bool few = countsLightBodies(events.size(), before.size());
    double lost = 0;
    for (const auto& term : others)
        if (few || term->kind() != SecondPairLaw::kKind)
            lost += term->potential(termBodies(before)) - term->potential(termBodies(after));
    if (!few) return lost;
    // Of the bodies that the step has changed: their motion, and their potential with all others.
    std::vector<char> changedBefore(before.size(), true), changedAfter(after.size());
    for (std::size_t i = 0, k = 0; i < before.size() && k < after.size(); ++i)
        if (before.id[i] == after.id[k]) {
            changedBefore[i] = changedAfter[k] = before.position[i] != after.position[k] ||
                                                 before.velocity[i] != after.velocity[k] ||
                                                 before.surface[i] != after.surface[k];
            ++k;
        }
    const LawRow& law = lawRow(force.law);
    const bool atZero = finiteAtZero(force);
    const auto energyOf = [&](const ParticleSet& bodies, const std::vector<char>& changed) {
        std::vector<double> energies(bodies.size());
        parallelFor(bodies.size(), threads, 64, [&](std::size_t first, std::size_t last) {
            for (std::size_t i = first; i < last; ++i) {
                if (!changed[i]) continue;
                const Double4 &x = bodies.position[i], &v = bodies.velocity[i];
                const double mass = inertialMass(x, v);
                double pairs = 0;
                for (std::size_t k = 0; k < bodies.size(); ++k) {
                    const Vec3d away = xyz(x) - xyz(bodies.position[k]);
                    const double squared = dot(away, away), source = bodies.position[k].w;
                    if (k == i || source == 0 || !(squared > 0 || atZero)) continue;
                    pairs += (changed[k] ? 0.5 : 1.0) * source * law.potential(force, squared);
                }
                const Surface& s = bodies.surface[i];
                energies[i] =
                    x.w * pairs + (mass * dot(xyz(v), xyz(v)) + inertiaOf(mass, s.radius) * dot(s.spin, s.spin)) / 2;
            }
        });
        return std::accumulate(energies.begin(), energies.end(), 0.0);
    };
    lost += energyOf(before, changedBefore) - energyOf(after, changedAfter);
    for (const ContactEvent& event : events) lost -= event.lost;
    return lost;
}

namespace {
constexpr std::string_view kTotals = "contact.totals";
}  // namespace

std::vector<StateArray> arraysOf(const std::vector<Surface>& surfaces, const ContactTotals& totals) {
    if (surfaces.empty()) return {};
    return {{std::string(kTotals), {totals.lost, static_cast<double>(totals.merges), static_cast<double>(totals.bounces)}}};
}

ContactTotals takeContacts(std::vector<StateArray>& arrays, const std::string& name) {
    const auto found = std::ranges::find(arrays, kTotals, &StateArray::name);
    if (found == arrays.end()) return {};
    const std::vector<double> numbers = std::move(found->values);
    arrays.erase(found);
    if (numbers.size() != 3)
        throw InputError(name + ": its " + std::string(kTotals) + " are not three; it was changed after it was saved");
    const auto count = [](double value) {
        return value >= 0 && value < 9e18 ? static_cast<std::int64_t>(value) : std::int64_t{0};
    };
    return {std::isfinite(numbers[0]) ? numbers[0] : 0, count(numbers[1]), count(numbers[2])};
}

std::string contactLogHeader() { return "step,time,event,first,second,speed,lost,x,y,z,mass,radius\n"; }

std::string contactLogRow(const ContactEvent& e) {
    return formatted("%lld,%.17g,%s,%u,%u,%.9g,%.9g,%.17g,%.17g,%.17g,%.17g,%.17g\n", static_cast<long long>(e.step), e.time,
                     e.kind == ContactKind::merge ? "merge" : "bounce", e.first, e.second, e.speed, e.lost, e.place.x,
                     e.place.y, e.place.z, e.mass, e.radius);
}

namespace {

/// Pairs that touch, and lists of near bodies, see FoundContacts.
class HostLists {
public:
    /// All must stay as long as the lists are used.
    HostLists(const std::vector<Double4>& before, const ParticleSet& bodies, int threads)
        : before_(before), bodies_(bodies), paths_(bodies.size()), lists_(bodies.size()) {
        parallelFor(bodies.size(), threads, kBodiesEach, [&](std::size_t first, std::size_t last) {
            for (std::size_t i = first; i < last; ++i) paths_[i] = pathOf(static_cast<std::uint32_t>(i));
        });
        allow();
        order_ = orderInSpace(bodies.size(), threads, [&](std::size_t i) { return paths_[i].middle; });
        PathTree tree;
        tree.build(
            order_,
            [&](std::size_t count, std::size_t grain, const auto& body) { parallelFor(count, threads, grain, body); },
            [&](std::uint32_t i) { return paths_[i]; });
        std::vector<Piece> pieces(std::max<std::size_t>(1, tree.leaves() / kLeavesEach));
        std::atomic<std::size_t> nearBy = 0;
        parallelFor(pieces.size(), threads, 1, [&](std::size_t first, std::size_t last) {
            for (std::size_t p = first; p < last; ++p)
                for (std::size_t leaf = tree.leaves() * p / pieces.size(); leaf < tree.leaves() * (p + 1) / pieces.size();
                     ++leaf) {
                    const std::size_t known = pieces[p].near.size();
                    tree.near(leaf, [&](const HalfPath& a, const HalfPath& b) { compare(a, b, pieces[p]); });
                    const std::size_t more = pieces[p].near.size() - known;
                    requireFewPairs((nearBy.fetch_add(more, std::memory_order_relaxed) + more) / 2, bodies.size());
                }
        });
        for (const Piece& piece : pieces) pairs_.insert(pairs_.end(), piece.pairs.begin(), piece.pairs.end());
        if (!pairs_.empty()) join(pieces);
    }
    FoundContacts found() const {
        FoundContacts found = FoundContacts::of(before_, bodies_);
        found.heavy = heavy_;
        found.pairs = pairs_;
        found.lists = lists_;
        found.near = near_;
        found.order = order_;
        found.mostReach = mostReach_;
        return found;
    }

private:
    static constexpr std::size_t kBodiesEach = 4096, kLeavesEach = 32;
    /// Bodies with longer paths or larger radii than mostReach_ allows, at most.
    static constexpr std::size_t kMostLarge = 64;

    /// What a thread finds: bodies near each other, from both sides, and those of them that touch.
    struct Piece {
        std::vector<ContactPair> near, pairs;
    };

    HalfPath pathOf(std::uint32_t i) const {
        const Vec3d from = xyz(before_[i]), end = xyz(bodies_.position[i]);
        if (!isFinite(from) || !isFinite(end) || !isFinite(xyz(bodies_.velocity[i]))) return {.reach = -1, .index = i};
        return {(from + end) / 2, (end - from) / 2, bodies_.surface[i].radius, i};
    }
    /// Adds the allowances of the bodies to their reach.
    void allow() {
        std::vector<double> reaches(paths_.size());
        std::ranges::transform(paths_, reaches.begin(), [](const HalfPath& path) { return length(path.half) + path.reach; });
        const auto place = reaches.begin() + static_cast<std::ptrdiff_t>(std::min(kMostLarge, reaches.size() - 1));
        std::ranges::nth_element(reaches, place, std::greater());
        mostReach_ = *place;
        for (HalfPath& path : paths_)
            if (path.reach >= 0) path.reach += allowanceOf(path.reach, mostReach_);
    }
    void compare(const HalfPath& a, const HalfPath& b, Piece& piece) const {
        const Vec3d end = a.middle - b.middle + (a.half - b.half), way = 2 * (a.half - b.half);
        const auto touch = [&](double both) { return touchTime(end, way, both * (1 + 1e-6), 0, 1, Overlap::counts) >= 0; };
        if (!touch(a.reach + b.reach)) return;
        piece.near.push_back({a.index, b.index});
        piece.near.push_back({b.index, a.index});
        if (touch(bodies_.surface[a.index].radius + bodies_.surface[b.index].radius))
            piece.pairs.push_back({a.index, b.index});
    }
    void join(const std::vector<Piece>& pieces) {
        for (const Piece& piece : pieces)
            for (const ContactPair& pair : piece.near) ++lists_[pair.first].count;
        std::uint32_t all = 0;
        for (ListRange& list : lists_) {
            list.first = all;
            all += std::exchange(list.count, 0);
        }
        near_.resize(all);
        for (const Piece& piece : pieces)
            for (const ContactPair& pair : piece.near) {
                ListRange& list = lists_[pair.first];
                near_[list.first + list.count++] = pair.second;
            }
        heavy_ = heavyBodies(bodies_.size(), [&](std::size_t i) { return bodies_.position[i].w; });
    }

    const std::vector<Double4>& before_;
    const ParticleSet& bodies_;
    std::vector<HalfPath> paths_;
    double mostReach_ = 0;
    std::vector<ContactPair> pairs_;
    std::vector<ListRange> lists_;
    std::vector<std::uint32_t> near_, order_, heavy_;
};

}  // namespace

FoundContacts FoundContacts::of(const std::vector<Double4>& before, const ParticleSet& bodies) {
    FoundContacts found;
    found.before = {.wide = &before.data()->x};
    found.position = {.wide = &bodies.position.data()->x};
    found.velocity = {.wide = &bodies.velocity.data()->x};
    found.id = bodies.id;
    found.surface = bodies.surface;
    return found;
}

std::vector<ContactEvent> resolveContacts(const std::vector<Double4>& before, const ParticleSet& bodies,
                                          const ContactSettings& contact, const ForceSettings& force,
                                          const ContactStep& step, BodyChanges& changes) {
    if (!contact.acts() || bodies.surface.empty() || !(step.length > 0)) return {};
    const HostLists lists(before, bodies, step.threads);
    FoundContacts found = lists.found();
    std::vector<ContactEvent> events = resolveContacts(found, contact, force, step);
    changes = std::move(found.changes);
    return events;
}

std::size_t countOverlaps(const ParticleSet& bodies) {
    if (bodies.surface.empty()) return 0;
    const auto pathOf = [&](std::size_t i) -> HalfPath {
        const Vec3d at = xyz(bodies.position[i]);
        if (!isFinite(at)) return {.reach = -1};
        return {.middle = at, .reach = bodies.surface[i].radius, .index = static_cast<std::uint32_t>(i)};
    };
    PathTree tree;
    tree.build(
        orderInSpace(bodies.size(), 0, [&](std::size_t i) { return pathOf(i).middle; }),
        [](std::size_t all, std::size_t, const auto& body) { body(std::size_t{0}, all); }, pathOf);
    std::size_t count = 0;
    for (std::size_t leaf = 0; leaf < tree.leaves(); ++leaf) {
        tree.near(leaf, [&](const HalfPath& a, const HalfPath& b) {
            count += distance(a.middle, b.middle) < (a.reach + b.reach) * (1 - 1e-9);
        });
        requireFewPairs(count, bodies.size());
    }
    return count;
}

}  // namespace gravlab
