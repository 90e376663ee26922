// The bodies of an island of a step on a device. An island is bodies that touch each other and, while islands are resolved
// beside each other, no body of another one. Only bodies that touch are copied. Rule: lists and cells only limit the search;
// no result depends on them.
#pragma once
#include "sim/contact/contact.h"
#include "sim/contact/paths.h"
#include "sim/contact/resolver.h"

#include <algorithm>
#include <atomic>
#include <utility>
#include <vector>

namespace gravlab {

constexpr std::uint32_t kNoIsland = std::numeric_limits<std::uint32_t>::max();

/// A heavy body after an event.
struct HeavyChange {
    EventPlace place{};
    std::uint32_t index = 0;
    Double4 position{}, velocity{};
    bool merged = false;
    bool operator==(const HeavyChange&) const = default;
};

/// What the islands of a step share.
struct SharedStep {
    FoundContacts* found = nullptr;
    const ContactStep* step = nullptr;
    std::vector<ContactPair> nearLarge;     ///< sorted
    std::vector<std::uint32_t> islandOf;    ///< of each body, or kNoIsland; claimed while islands are resolved
    std::vector<double> left;               ///< how far a changed body has left its first path [L]; below 0: unchanged
    std::vector<std::uint32_t> joined;      ///< the island that each island has become a part of, or itself
    std::vector<HeavyChange> heavyChanges;  ///< in their order
    std::vector<std::uint32_t> next;        ///< pair after each pair of an island, or kNoIsland

    std::uint32_t root(std::uint32_t island) const {
        while (joined[island] != island) island = joined[island];
        return island;
    }
    /// The path of a body before any contact.
    BodyPath pathOf(std::uint32_t index) const {
        const Vec3d from = xyz(found->before[index]), end = xyz(found->position[index]);
        return {.end = end,
                .way = (end - from) / step->length,
                .radius = found->surface[index].radius,
                .alive = isFinite(from) && isFinite(end)};
    }
    /// Calls use(k) for the bodies of the list of a body.
    template <class Use>
    void near(std::uint32_t index, const Use& use) const {
        const ListRange list = found->lists[index];
        for (const std::uint32_t k : found->near.subspan(list.first, list.count)) use(k);
        for (const ContactPair& pair : std::ranges::equal_range(nearLarge, index, {}, &ContactPair::first)) use(pair.second);
    }
    /// Calls use(k) for all bodies whose first path, within their allowance, comes within `reach` of a place [L].
    template <class Use>
    void search(const Vec3d& middle, double reach, const Use& use) const {
        for (const std::uint32_t k : found->large) use(k);
        const double most = found->mostReach, far = (reach + most + allowanceOf(2 * most, most)) * (1 + 1e-6);
        const auto cell = [&](double at) { return cellPlace(at, found->cellsPerLength); };
        const std::uint32_t west = cell(middle.x - far), east = cell(middle.x + far);
        const std::uint32_t low = cell(middle.y - far), high = cell(middle.y + far);
        const std::uint32_t front = cell(middle.z - far), back = cell(middle.z + far);
        const auto useRange = [&](std::uint64_t from, std::uint64_t to) {
            auto at = static_cast<std::size_t>(std::ranges::lower_bound(found->keys, from) - found->keys.begin());
            for (; at < found->keys.size() && found->keys[at] <= to; ++at) use(found->order[at]);
        };
        // A body that is far larger than a cell would search more rows than there are bodies.
        if (static_cast<double>(high - low + 1) * (back - front + 1) > static_cast<double>(found->keys.size()))
            return useRange(0, cellKey(kCellGrid - 2, kCellGrid - 2, kCellGrid - 2));
        for (std::uint32_t z = front; z <= back; ++z)
            for (std::uint32_t y = low; y <= high; ++y) useRange(cellKey(west, y, z), cellKey(east, y, z));
    }
};

/// The bodies of one island after another, see Resolver. One thread.
class ListedBodies {
public:
    explicit ListedBodies(SharedStep& shared) : shared_(shared), placeOf_(shared.found->id.size(), kNone) {}

    /// Begins an island whose first pair is given. `heavy`: the one with all heavy bodies.
    void begin(std::uint32_t island, std::uint32_t firstPair, bool heavy) {
        island_ = island;
        firstPair_ = firstPair;
        ofHeavy_ = heavy;
        heavyChange_ = 0;
        heavy_.clear();
        strayed_.clear();
        conflicts_.clear();
        for (const std::uint32_t h : shared_.found->heavy) heavy_.push_back(placeOf(h, !heavy));
    }
    /// Ends it: adds what it has changed.
    void end(BodyChanges& changes) {
        for (const Body& b : bodies_) {
            placeOf_[b.index] = kNone;
            if (b.foreign || (b.version == 0 && !b.merged)) continue;
            shared_.left[b.index] = b.left;
            if (b.merged)
                changes.removed.push_back(b.index);
            else
                changes.changed.push_back({b.index, b.position, b.velocity, b.surface});
        }
        bodies_.clear();
    }
    /// Islands that the island has touched.
    const std::vector<std::uint32_t>& conflicts() const { return conflicts_; }

    // For Resolver.
    Double4& position(std::uint32_t i) { return bodies_[i].position; }
    Double4& velocity(std::uint32_t i) { return bodies_[i].velocity; }
    Surface& surface(std::uint32_t i) { return bodies_[i].surface; }
    std::uint32_t id(std::uint32_t i) const { return bodies_[i].id; }
    BodyPath& path(std::uint32_t i) { return bodies_[i].path; }
    std::uint32_t& version(std::uint32_t i) { return bodies_[i].version; }
    bool merged(std::uint32_t i) const { return bodies_[i].merged; }
    void mergeAway(std::uint32_t i) { bodies_[i].merged = true; }
    const std::vector<std::uint32_t>& heavy() const { return heavy_; }
    template <class Use>
    void find(bool, const Use& use) {
        for (std::uint32_t p = firstPair_; p != kNoIsland; p = shared_.next[p]) {
            const std::uint32_t first = placeOf(shared_.found->pairs[p].first);
            use(first, placeOf(shared_.found->pairs[p].second));
        }
    }
    void renew(const std::vector<std::uint32_t>& changed) {
        for (const std::uint32_t i : changed) {
            Body& b = bodies_[i];
            if (!b.path.alive) continue;
            const BodyPath first = shared_.pathOf(b.index);
            // Both are straight from now on, so their distance is largest at one of the two ends.
            const double rest = shared_.step->length - b.path.from;
            const double atEnd = distance(b.path.end, first.end);
            const double atBegin = distance(b.path.end - rest * b.path.way, first.end - rest * first.way);
            b.left = std::max(b.left, std::max(atBegin, atEnd) + std::max(b.path.radius - first.radius, 0.0));
            if (b.strayed || b.left <= allowanceOf(first.radius, shared_.found->mostReach)) continue;
            b.strayed = true;
            strayed_.push_back(i);
        }
    }
    template <class Use>
    void near(std::uint32_t i, double earliest, bool resting, const Use& use) {
        const BodyPath path = bodies_[i].path;
        const double length = shared_.step->length;
        const auto meet = [&](std::uint32_t k) {
            const double from = std::max({path.from, bodies_[k].path.from, earliest});
            if (k != i && bodies_[k].path.alive && contactTime(path, bodies_[k].path, from, length, resting)) use(k);
        };
        const auto meetUnlessStrayed = [&](std::uint32_t index) {
            if (const std::uint32_t k = placeOf_[index]; k != kNone && !bodies_[k].foreign)
                return bodies_[k].strayed ? void() : meet(k);
            if (!contactTime(path, shared_.pathOf(index), std::max(path.from, earliest), length, resting)) return;
            if (claim(index)) use(placeOf(index));
        };
        for (std::size_t s = 0; s < strayed_.size(); ++s) meet(strayed_[s]);
        if (!bodies_[i].strayed) return shared_.near(bodies_[i].index, meetUnlessStrayed);
        const double rest = length - path.from;
        shared_.search(path.end - rest / 2 * path.way, rest / 2 * gravlab::length(path.way) + path.radius,
                       meetUnlessStrayed);
    }
    void reach(const EventPlace& place) {
        if (ofHeavy_) return;
        const std::vector<HeavyChange>& all = shared_.heavyChanges;
        for (; heavyChange_ < all.size() && all[heavyChange_].place < place; ++heavyChange_) {
            Body& b = bodies_[placeOf_[all[heavyChange_].index]];
            b.position = all[heavyChange_].position;
            b.velocity = all[heavyChange_].velocity;
            b.merged = all[heavyChange_].merged;
        }
    }
    void noteEvent(const EventPlace& place, std::uint32_t i, std::uint32_t k) {
        if (!ofHeavy_) return;
        for (const std::uint32_t h : heavy_)
            if (h == i || h == k)
                shared_.heavyChanges.push_back(
                    {place, bodies_[h].index, bodies_[h].position, bodies_[h].velocity, bodies_[h].merged});
    }

private:
    static constexpr std::uint32_t kNone = kNoIsland;
    /// A body that touches others.
    struct Body {
        std::uint32_t index = 0, id = 0, version = 0;
        bool merged = false;
        bool strayed = false;  ///< it has left its path by more than its allowance
        bool foreign = false;  ///< a heavy body of another island
        double left = 0;       ///< see SharedStep [L]
        Double4 position{}, velocity{};
        Surface surface{};
        BodyPath path{};
    };

    /// True when the body is this island's; other islands must then be resolved with this one.
    bool claim(std::uint32_t index) {
        std::atomic_ref<std::uint32_t> owner(shared_.islandOf[index]);
        std::uint32_t was = kNoIsland;
        if (owner.compare_exchange_strong(was, island_) || shared_.root(was) == island_) return true;
        conflicts_.push_back(was);
        return false;
    }
    std::uint32_t placeOf(std::uint32_t index, bool foreign = false) {
        std::uint32_t& place = placeOf_[index];
        if (place != kNone) return place;
        place = static_cast<std::uint32_t>(bodies_.size());
        Body made{.index = index,
                  .id = shared_.found->id[index],
                  .foreign = foreign,
                  .position = shared_.found->position[index],
                  .velocity = shared_.found->velocity[index],
                  .surface = shared_.found->surface[index],
                  .path = shared_.pathOf(index)};
        made.path.alive = made.path.alive && isFinite(xyz(made.velocity));
        bodies_.push_back(made);
        return place;
    }

    SharedStep& shared_;
    std::vector<Body> bodies_;
    std::vector<std::uint32_t> placeOf_;  ///< of each body of the step in bodies_, or kNone
    std::vector<std::uint32_t> heavy_, strayed_, conflicts_;
    std::uint32_t island_ = 0, firstPair_ = 0;
    bool ofHeavy_ = false;
    std::size_t heavyChange_ = 0;  ///< next one of the shared changes
};

}  // namespace gravlab
