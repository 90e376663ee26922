// The contacts of a step by comparing all bodies: what a device finds of them, and their resolution by one queue. The
// statements that lists, trees, windows and parts are held against.
#pragma once
#include "sim/contact/contact.h"
#include "sim/contact/resolver.h"
#include "sim/contact/touch.h"
#include "sim/forces/cell_grid.h"

#include <algorithm>
#include <vector>

namespace gravlab::testing_support {

struct ContactLists {
    std::vector<ContactPair> pairs, nearLarge;
    std::vector<ListRange> lists;
    std::vector<std::uint32_t> near, order, large, heavy;
    FoundContacts found;

    /// `before` and `bodies` must stay as long as the lists. `most`: bodies that may be large.
    ContactLists(const std::vector<Double4>& before, const ParticleSet& bodies, std::size_t most = 8) {
        const auto count = static_cast<std::uint32_t>(bodies.size());
        const auto endOf = [&](std::uint32_t i) { return xyz(bodies.position[i]); };
        const auto wayOf = [&](std::uint32_t i) { return endOf(i) - xyz(before[i]); };
        found = FoundContacts::of(before, bodies);
        std::vector<double> reach(count);
        for (std::uint32_t i = 0; i < count; ++i) reach[i] = length(wayOf(i)) / 2 + bodies.surface[i].radius;
        std::vector<double> sorted = reach;
        std::ranges::sort(sorted, std::greater());
        found.mostReach = count > most ? sorted[most] * 1.1 : 0;
        const double cellsPerLength = found.mostReach > 0 ? 1 / (2 * found.mostReach) : 0;
        const auto isLarge = [&](std::uint32_t i) { return !(reach[i] < found.mostReach); };
        const auto allowed = [&](std::uint32_t i) { return allowanceOf(bodies.surface[i].radius, found.mostReach); };
        const auto touch = [&](std::uint32_t i, std::uint32_t k, double more) {
            const double both = (bodies.surface[i].radius + bodies.surface[k].radius) * (1 + 1e-6) + more;
            return touchTime(endOf(i) - endOf(k), wayOf(i) - wayOf(k), both, 0, 1, Overlap::counts) >= 0;
        };
        std::vector<std::pair<std::uint64_t, std::uint32_t>> places;
        for (std::uint32_t i = 0; i < count; ++i) {
            const Vec3d middle = endOf(i) - 0.5 * wayOf(i);
            const auto cell = [&](double x) { return cellPlace(x, cellsPerLength); };
            if (isLarge(i)) large.push_back(i);
            places.emplace_back(isLarge(i) ? (std::uint64_t{1} << kCellKeyBits) - 1
                                           : cellKey(cell(middle.x), cell(middle.y), cell(middle.z)),
                                i);
            lists.push_back({static_cast<std::uint32_t>(near.size()), 0});
            for (std::uint32_t k = 0; k < count; ++k) {
                if (k == i || !touch(i, k, allowed(i) + allowed(k))) continue;
                if (i < k && touch(i, k, 0)) pairs.push_back({i, k});
                if (isLarge(i) && !isLarge(k))
                    nearLarge.push_back({i, k});
                else
                    near.push_back(k);
            }
            lists.back().count = static_cast<std::uint32_t>(near.size()) - lists.back().first;
        }
        std::ranges::sort(places);
        for (const auto& [key, body] : places) order.push_back(body);
        std::ranges::reverse(large);  // a device has them in any order
        heavy = heavyBodies(count, [&](std::size_t i) { return bodies.position[i].w; });
        found.heavy = heavy;
        found.pairs = pairs;
        found.lists = lists;
        found.near = near;
        found.nearLarge = nearLarge;
        found.order = order;
        found.large = large;
    }
};

/// All bodies of a step, for Resolver.
struct AllBodies {
    ParticleSet& bodies;
    double length = 0;
    std::vector<BodyPath> paths{};
    std::vector<std::uint32_t> versions{}, waves{};
    std::vector<HeavyBody> heavyBodies{};
    std::vector<std::uint32_t> gone{};
    BounceCounts counts{};

    Double4& position(std::uint32_t i) { return bodies.position[i]; }
    Double4& velocity(std::uint32_t i) { return bodies.velocity[i]; }
    Surface& surface(std::uint32_t i) { return bodies.surface[i]; }
    std::uint32_t id(std::uint32_t i) const { return bodies.id[i]; }
    BodyPath& path(std::uint32_t i) { return paths[i]; }
    std::uint32_t& version(std::uint32_t i) { return versions[i]; }
    std::uint32_t& wave(std::uint32_t i) { return waves[i]; }
    void mergeAway(std::uint32_t i) { gone.push_back(i); }
    std::vector<HeavyBody>& heavy() { return heavyBodies; }
    int& bounces(std::uint32_t a, std::uint32_t b) {
        return counts.of(BounceCounts::pairOf(a, b), [] { return 0; });
    }
    void noteEvent(bool, std::uint32_t, std::uint32_t) {}
    void renew(const std::vector<std::uint32_t>&) {}
    template <class Use>
    void near(std::uint32_t i, double earliest, const ContactSettings& contact, const Use& use) {
        for (std::uint32_t k = 0; k < paths.size(); ++k)
            if (k != i && paths[i].alive() && paths[k].alive())
                for (const double time : contactTimes(paths[i], paths[k], earliest, length, contact))
                    if (time >= 0) use(k, time);
    }
    template <class Use>
    void find(Overlap overlap, const Use& use) {
        for (std::uint32_t i = 0; i < paths.size(); ++i)
            for (std::uint32_t k = i + 1; k < paths.size(); ++k) {
                const BodyPath &a = paths[i], &b = paths[k];
                const double time = touchTime(a.end - b.end, a.way - b.way, a.radius + b.radius, 0, length, overlap);
                if (time >= 0) use(i, k, time, 0, 0);
            }
    }
};

/// The contacts of bodies on the host, which it changes.
inline std::vector<ContactEvent> resolveHere(const std::vector<Double4>& before, ParticleSet& bodies,
                                             const ContactSettings& contact, const ForceSettings& force,
                                             const ContactStep& step) {
    BodyChanges changes;
    std::vector<ContactEvent> events = resolveContacts(before, bodies, contact, force, step, changes);
    apply(changes, bodies);
    return events;
}

/// What resolveContacts() does, by one queue.
inline std::vector<ContactEvent> resolveByOneQueue(const std::vector<Double4>& before, ParticleSet& bodies,
                                                   const ContactSettings& contact, const ForceSettings& force,
                                                   const ContactStep& step) {
    AllBodies all{bodies, step.length};
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        const Vec3d end = xyz(bodies.position[i]);
        all.paths.push_back({.end = end, .way = (end - xyz(before[i])) / step.length, .radius = bodies.surface[i].radius});
    }
    all.versions.resize(bodies.size());
    all.waves.resize(bodies.size());
    for (const std::uint32_t h : heavyBodies(bodies.size(), [&](std::size_t i) { return bodies.position[i].w; }))
        all.heavyBodies.push_back({h, bodies.position[h], bodies.velocity[h]});
    std::vector<ContactEvent> events;
    std::vector<EventPlace> places;
    Resolver<AllBodies>(contact, force, step).run(all, events, places);
    BodyChanges changes;
    std::ranges::sort(all.gone);
    changes.removed = all.gone;
    apply(changes, bodies);
    return events;
}

}  // namespace gravlab::testing_support
