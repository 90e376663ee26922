// The contacts of a step whose bodies are on a device. Space is cut into parts that threads resolve beside each other, each
// with the bodies around it. Where two parts disagree about a body that both need, both are resolved again as one. Rule: the
// result is that of one queue, to the last bit, however space is cut.
#include "sim/contact/part_bodies.h"
#include "sim/core/thread_pool.h"

#include <atomic>
#include <bit>
#include <memory>
#include <numeric>
#include <utility>

namespace gravlab {

/// Two bodies that may touch, one of each part, about which both parts may be wrong.
struct Conflict {
    std::uint32_t part, index, other, otherIndex;
};

/// A part of space: bodies that belong to it, and what happened to them and to bodies around them.
struct Part {
    explicit Part(SharedStep& shared) : bodies(shared) {}
    PartBodies bodies;
    std::vector<std::uint32_t> own;   ///< bodies of pairs that touch, and of other parts' reach
    std::vector<std::uint32_t> lent;  ///< bodies of other parts near those
    std::vector<ContactEvent> events;
    std::vector<EventPlace> places;
    std::vector<Conflict> conflicts;
    int hops = 0;  ///< how far it reaches beyond its own bodies, in bodies near each other
};

struct PartMemory {
    SharedStep shared;
    std::vector<std::unique_ptr<Part>> parts;
    std::vector<std::uint32_t> owners;  ///< the part of each body, or kNoPlace before it is known
    std::vector<char> seen;
    std::size_t strays = 0;  ///< bodies that left their paths by more than their lists allow in the last step
    int hops = 6;            ///< those of parts at first
    int calm = 0;            ///< steps since parts have disagreed
    int alone = 0;           ///< steps for which one queue costs less than parts
};

namespace {

/// Cuts space into boxes with about equally many of some points.
class Cuts {
public:
    Cuts() = default;
    Cuts(std::vector<Vec3d> points, std::size_t leaves) : leaves_(leaves) {
        if (leaves > 1) cut(points, 0, leaves);
    }
    std::size_t leaves() const { return leaves_; }
    std::uint32_t leafOf(const Vec3d& at) const {
        std::size_t first = 0, last = leaves_, plane = 0;
        while (last - first > 1) {
            const std::size_t middle = (first + last) / 2;
            const bool low = along(at, planes_[plane].axis) < planes_[plane].place;
            plane = low ? plane + 1 : plane + middle - first;  // planes of the lower half come first
            (low ? last : first) = middle;
        }
        return static_cast<std::uint32_t>(first);
    }

private:
    struct Plane {
        int axis = 0;
        double place = 0;
    };
    static double along(const Vec3d& at, int axis) { return axis == 0 ? at.x : axis == 1 ? at.y : at.z; }
    void cut(std::span<Vec3d> points, std::size_t first, std::size_t last) {
        if (last - first < 2) return;
        const std::size_t middle = (first + last) / 2;
        Plane plane;
        double widest = -1;
        for (int axis = 0; axis < 3; ++axis) {
            double low = 1e300, high = -1e300;
            for (const Vec3d& p : points) low = std::min(low, along(p, axis)), high = std::max(high, along(p, axis));
            if (high - low > widest) widest = high - low, plane.axis = axis;
        }
        const auto place = points.begin() + static_cast<std::ptrdiff_t>(points.size() * (middle - first) / (last - first));
        if (place != points.end()) {
            std::ranges::nth_element(points, place, {}, [&](const Vec3d& p) { return along(p, plane.axis); });
            plane.place = along(*place, plane.axis);
        }
        planes_.push_back(plane);
        cut({points.begin(), place}, first, middle);
        cut({place, points.end()}, middle, last);
    }
    std::size_t leaves_ = 1;
    std::vector<Plane> planes_;  ///< a plane, those of its lower half, those of its upper half
};

class Parts {
public:
    Parts(FoundContacts& found, const ContactSettings& contact, const ForceSettings& force, const ContactStep& step)
        : found_(found), contact_(contact), force_(force), step_(step), memory_(memoryOf(found)), shared_(memory_.shared) {
        shared_.begin(found, step);
        // Where some bodies have strayed, some will.
        if (memory_.strays > 0) shared_.tree(step.threads);
        cut();
        share();
    }

    std::vector<ContactEvent> resolve() {
        std::vector<std::uint32_t> due(joined_.size());
        std::iota(due.begin(), due.end(), 0u);
        std::size_t most = 0;  // contacts that one thread has resolved
        while (!due.empty()) {
            parallelFor(due.size(), step_.threads, 1, [&](std::size_t first, std::size_t last) {
                Resolver<PartBodies> resolver(contact_, force_, step_);
                for (std::size_t d = first; d < last; ++d) resolve(due[d], resolver);
            });
            std::size_t longest = 0;
            for (const std::uint32_t part : due) longest = std::max(longest, memory_.parts[part]->events.size());
            most += longest;
            due = thoseThatDisagree();
        }
        std::vector<ContactEvent> events = close();
        if (joined_.size() > 1 && most > events.size()) memory_.alone = kAlone;
        return events;
    }

private:
    // A larger reach costs less than parts that disagree.
    static constexpr int kFewestHops = 3, kMostHops = 64, kCalm = 8, kFarther = 2, kAlone = 16;
    // Pairs that are worth a part of their own; pairs from which space is cut.
    static constexpr std::size_t kPairsAPart = 500, kSamples = 4096;

    static PartMemory& memoryOf(FoundContacts& found) {
        if (!found.memory) found.memory = std::make_shared<PartMemory>();
        return *found.memory;
    }
    void cut() {
        const auto threads = static_cast<std::size_t>(step_.threads > 0 ? step_.threads : usableCores());
        const std::size_t useful = std::exchange(memory_.alone, std::max(memory_.alone - 1, 0)) > 0 ? 1 : threads;
        const std::size_t parts = std::max(std::min(useful, found_.pairs.size() / kPairsAPart), std::size_t{1});
        std::vector<Vec3d> points;
        for (std::size_t p = 0; p < found_.pairs.size() && parts > 1; p += 1 + found_.pairs.size() / kSamples)
            points.push_back(shared_.middleOf(found_.pairs[p].first));
        cuts_ = Cuts(std::move(points), parts);
    }
    /// Gives each body of a pair to its part. Part 0 has the large and heavy bodies and all near them, because what happens
    /// on one side of such a body reaches the other side at once.
    void share() {
        const std::size_t parts = cuts_.leaves() > 1 ? 1 + cuts_.leaves() : 1;
        joined_.resize(parts);
        std::iota(joined_.begin(), joined_.end(), 0u);
        living_ = parts;
        while (memory_.parts.size() < parts) memory_.parts.push_back(std::make_unique<Part>(shared_));
        for (const auto& part : memory_.parts) {
            part->own.clear();
            part->hops = memory_.hops;
        }
        memory_.owners.assign(found_.id.size(), kNoPlace);
        memory_.seen.assign(found_.id.size(), 0);
        big_.assign(found_.large.begin(), found_.large.end());
        big_.insert(big_.end(), found_.heavy.begin(), found_.heavy.end());
        std::ranges::sort(big_);
        for (const std::uint32_t b : big_) {
            memory_.owners[b] = 0;
            shared_.near(b, [&](std::uint32_t k) { memory_.owners[k] = 0; });
        }
        for (const ContactPair& pair : found_.pairs)
            for (const std::uint32_t index : {pair.first, pair.second}) own(index);
        // A body that touches none yet may be hit from another part.
        if (parts == 1) return;
        parallelFor(parts, step_.threads, 1, [&](std::size_t first, std::size_t last) {
            for (std::size_t which = first; which < last; ++which) {
                Part& part = *memory_.parts[which];
                part.lent.clear();
                for (const std::uint32_t index : part.own)
                    shared_.near(index, [&](std::uint32_t k) {
                        if (!memory_.seen[k] && ownerOf(k) != which) part.lent.push_back(k);
                    });
            }
        });
        for (std::size_t which = 0; which < parts; ++which)
            for (const std::uint32_t index : memory_.parts[which]->lent) own(index);
    }
    /// Gives a body to its part.
    void own(std::uint32_t index) {
        if (!std::exchange(memory_.seen[index], 1)) memory_.parts[ownerOf(index)]->own.push_back(index);
    }
    std::uint32_t ownerOf(std::uint32_t index) const {
        const std::atomic_ref<std::uint32_t> known(memory_.owners[index]);
        std::uint32_t owner = known.load(std::memory_order_relaxed);
        if (owner == kNoPlace) {
            owner = joined_.size() == 1 ? 0 : 1 + cuts_.leafOf(shared_.middleOf(index));
            known.store(owner, std::memory_order_relaxed);
        }
        return rootOf(owner);
    }

    void resolve(std::uint32_t which, Resolver<PartBodies>& resolver) {
        Part& part = *memory_.parts[which];
        part.events.clear();
        part.places.clear();
        part.bodies.begin(part.own, living_ == 1 ? 0 : part.hops, [&](std::uint32_t index) {
            return ownerOf(index) == which || !std::ranges::binary_search(big_, index);
        });
        resolver.run(part.bodies, part.events, part.places);
    }

    /// Finds parts that may both be wrong about two bodies that may touch, one of each part: each part has seen another
    /// history of the other's body than its own part has. Returns the parts to resolve again, which reach farther then, and
    /// are joined where that is not enough. Without such bodies the histories that parts have of their own bodies are those
    /// of one queue: the first event that is missing, or too many, would be one of two bodies of which no part knows both.
    std::vector<std::uint32_t> thoseThatDisagree() {
        std::vector<std::uint32_t> living;
        for (std::uint32_t i = 0; i < joined_.size(); ++i)
            if (joined_[i] == i) living.push_back(i);
        if (living.size() == 1) return {};
        parallelFor(living.size(), step_.threads, 1, [&](std::size_t first, std::size_t last) {
            for (std::size_t n = first; n < last; ++n) compare(living[n]);
        });
        std::vector<Conflict> conflicts = strayConflicts(living);
        for (const std::uint32_t i : living) {
            std::vector<Conflict>& some = memory_.parts[i]->conflicts;
            conflicts.insert(conflicts.end(), some.begin(), some.end());
            some.clear();
        }
        std::vector<std::uint32_t> again;
        for (const Conflict& conflict : conflicts) {
            own(conflict.index);
            own(conflict.otherIndex);
            const std::uint32_t a = rootOf(conflict.part), b = rootOf(conflict.other);
            if (a == b) continue;
            again.push_back(std::min(a, b));
            again.push_back(std::max(a, b));
            Part &into = *memory_.parts[std::min(a, b)], &from = *memory_.parts[std::max(a, b)];
            if (std::max(into.hops, from.hops) < kFarther * memory_.hops) continue;
            into.own.insert(into.own.end(), from.own.begin(), from.own.end());
            from.bodies.clear();
            joined_[std::max(a, b)] = std::min(a, b);
            --living_;
        }
        if (!again.empty()) {
            memory_.hops = std::min(memory_.hops + 1, kMostHops);
            memory_.calm = 0;
        } else if (++memory_.calm == kCalm) {
            memory_.hops = std::max(memory_.hops - 1, kFewestHops);
            memory_.calm = 0;
        }
        for (std::uint32_t& part : again) part = rootOf(part);
        std::ranges::sort(again);
        again.erase(std::unique(again.begin(), again.end()), again.end());
        for (const std::uint32_t part : again) memory_.parts[part]->hops *= 2;
        return again;
    }
    std::uint32_t rootOf(std::uint32_t part) const {
        while (joined_[part] != part) part = joined_[part];
        return part;
    }
    /// True where the parts of two bodies may both be wrong about them.
    bool disagree(std::uint32_t part, std::uint32_t index, std::uint32_t other, std::uint32_t otherIndex) const {
        const PartBodies &here = memory_.parts[part]->bodies, &there = memory_.parts[other]->bodies;
        return here.historyOf(index) != there.historyOf(index) && here.historyOf(otherIndex) != there.historyOf(otherIndex);
    }
    /// Notes the parts that disagree with a part about a changed body of one and a body near it of the other.
    void compare(std::uint32_t which) {
        Part& part = *memory_.parts[which];
        const PartBodies& bodies = part.bodies;
        for (std::uint32_t i = 0; i < bodies.size(); ++i) {
            if (bodies.history(i) == 0) continue;
            const std::uint32_t index = bodies.indexOf(i), owner = ownerOf(index);
            if (owner != which && memory_.parts[owner]->bodies.historyOf(index) == bodies.history(i)) continue;
            bodies.forNear(i, [&](std::uint32_t k) {
                const std::uint32_t other = ownerOf(k), one = owner == which ? other : owner;
                if ((owner == which) != (other == which) && disagree(which, index, one, k))
                    part.conflicts.push_back({which, index, one, k});
            });
        }
    }
    /// Of two bodies that have both strayed, the part of neither one may know that the other comes near.
    std::vector<Conflict> strayConflicts(const std::vector<std::uint32_t>& living) const {
        struct Stray {
            std::uint32_t part, index;
            BodyPath path;
            double allowance, west, east;
        };
        std::vector<Stray> all;
        for (const std::uint32_t i : living)
            for (const PartBodies::Stray& stray : memory_.parts[i]->bodies.strays()) {
                if (ownerOf(stray.index) != i) continue;
                const BodyPath path = shared_.pathOf(stray.index);
                const double middle = shared_.middleOf(stray.index).x;
                const double reach = (std::abs(path.end.x - middle) + path.radius + stray.allowance) * (1 + 1e-5);
                all.push_back({i, stray.index, path, stray.allowance, middle - reach, middle + reach});
            }
        std::ranges::sort(all, {}, &Stray::west);
        std::vector<Conflict> conflicts;
        for (auto a = all.begin(); a != all.end(); ++a)
            for (auto b = a + 1; b != all.end() && b->west <= a->east; ++b) {
                const double both = (a->path.radius + b->path.radius) * (1 + 1e-6) + a->allowance + b->allowance;
                if (a->part != b->part &&
                    touchTime(a->path.end - b->path.end, a->path.way - b->path.way, both, 0, step_.length, true) >= 0 &&
                    disagree(a->part, a->index, b->part, b->index))
                    conflicts.push_back({a->part, a->index, b->part, b->index});
            }
        return conflicts;
    }

    /// Puts the events and changes of all parts together.
    std::vector<ContactEvent> close() {
        struct Entry {
            EventPlace place;
            const ContactEvent* event;
        };
        std::vector<Entry> entries;
        memory_.strays = 0;
        BodyChanges& changes = found_.changes;
        changes.changed.clear();
        changes.removed.clear();
        for (std::uint32_t which = 0; which < joined_.size(); ++which) {
            if (joined_[which] != which) continue;
            const Part& part = *memory_.parts[which];
            memory_.strays += part.bodies.strays().size();
            const auto begun = static_cast<std::ptrdiff_t>(entries.size());
            for (std::size_t k = 0; k < part.events.size(); ++k)
                if (ownerOf(part.bodies.bodyOfEvent(k)) == which) entries.push_back({part.places[k], &part.events[k]});
            std::ranges::inplace_merge(entries, entries.begin() + begun, {}, &Entry::place);
            for (std::uint32_t i = 0; i < part.bodies.size(); ++i)
                if (part.bodies.history(i) != 0 && ownerOf(part.bodies.indexOf(i)) == which)
                    part.bodies.addChange(i, changes);
        }
        std::ranges::sort(changes.removed);
        std::vector<ContactEvent> events;
        events.reserve(entries.size());
        for (const Entry& entry : entries) events.push_back(*entry.event);
        return events;
    }

    FoundContacts& found_;
    const ContactSettings& contact_;
    const ForceSettings& force_;
    const ContactStep& step_;
    PartMemory& memory_;
    SharedStep& shared_;
    Cuts cuts_;
    std::vector<std::uint32_t> big_, joined_;  ///< large and heavy bodies; the part that each part has become a part of
    std::size_t living_ = 0;
};

}  // namespace

std::vector<ContactEvent> resolveContacts(FoundContacts& found, const ContactSettings& contact, const ForceSettings& force,
                                          const ContactStep& step) {
    if (!contact.acts() || found.pairs.empty() || !(step.length > 0)) return {};
    return Parts(found, contact, force, step).resolve();
}

}  // namespace gravlab
