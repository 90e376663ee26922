// The contacts of a step whose bodies are on a device. Islands of bodies that touch are resolved beside each other; where
// one comes near another one, both are resolved again as one. Rule: the result is that of one queue, to the last bit.
#include "sim/contact/listed_bodies.h"
#include "sim/core/thread_pool.h"

#include <memory>
#include <mutex>
#include <numeric>

namespace gravlab {

/// Work of one thread.
struct ListedWorker {
    explicit ListedWorker(SharedStep& shared) : bodies(shared) {}
    ListedBodies bodies;
    std::vector<ContactEvent> events;
    std::vector<EventPlace> places;
    BodyChanges changes;
    std::vector<ContactPair> conflicts;  ///< of two islands
};

struct ListedMemory {
    SharedStep shared;
    std::vector<std::uint32_t> parents;  ///< of bodies, while islands are made; kNoIsland: it touches none
    std::vector<std::unique_ptr<ListedWorker>> workers;
};

namespace {

class Islands {
public:
    Islands(FoundContacts& found, const ContactSettings& contact, const ForceSettings& force, const ContactStep& step)
        : found_(found), contact_(contact), force_(force), step_(step), memory_(memoryOf(found)), shared_(memory_.shared) {
        shared_.found = &found;
        shared_.step = &step;
        shared_.nearLarge.assign(found.nearLarge.begin(), found.nearLarge.end());
        std::ranges::sort(shared_.nearLarge, {}, &ContactPair::first);
        shared_.heavyChanges.clear();
        for (const auto& worker : memory_.workers) {
            worker->events.clear();
            worker->places.clear();
            worker->changes.changed.clear();
            worker->changes.removed.clear();
        }
        make();
    }

    std::vector<ContactEvent> resolve() {
        std::vector<std::uint32_t> due(islands_.size());
        std::iota(due.begin(), due.end(), 0u);
        while (!due.empty()) {
            if (due.front() == 0) {
                // All others read what becomes of the heavy bodies.
                const std::vector<HeavyChange> before = std::exchange(shared_.heavyChanges, {});
                resolveRange(due, 0, 1);
                if (before != shared_.heavyChanges && resolvedOnce_) due = living();
            }
            const std::size_t first = due.front() == 0 ? 1 : 0;
            parallelFor(due.size() - first, step_.threads, kGrain,
                        [&](std::size_t from, std::size_t to) { resolveRange(due, first + from, first + to); });
            resolvedOnce_ = true;
            due = joinThoseThatMeet(due);
        }
        return close();
    }

private:
    // Islands, and changed bodies, that one thread takes at a time.
    static constexpr std::size_t kGrain = 16, kCheckGrain = 256;

    struct Part {
        ListedWorker* worker = nullptr;  ///< null: not resolved
        std::size_t events = 0, eventsEnd = 0, changed = 0, changedEnd = 0, removed = 0, removedEnd = 0;
    };
    struct Island {
        std::uint32_t firstPair = kNoIsland, lastPair = kNoIsland;
        Part part{};
    };

    static ListedMemory& memoryOf(FoundContacts& found) {
        if (!found.memory) found.memory = std::make_shared<ListedMemory>();
        ListedMemory& memory = *found.memory;
        if (memory.parents.size() < found.id.size()) {
            memory.workers.clear();
            memory.parents.assign(found.id.size(), kNoIsland);
            memory.shared.islandOf.assign(found.id.size(), kNoIsland);
            memory.shared.left.assign(found.id.size(), -1);
        }
        return memory;
    }

    std::uint32_t rootOf(std::uint32_t body) {
        std::vector<std::uint32_t>& parents = memory_.parents;
        if (parents[body] == kNoIsland) {
            parents[body] = body;
            touched_.push_back(body);
        }
        while (parents[body] != body) body = parents[body] = parents[parents[body]];
        return body;
    }
    void unite(std::uint32_t a, std::uint32_t b) {
        a = rootOf(a);
        b = rootOf(b);
        memory_.parents[std::max(a, b)] = std::min(a, b);
    }

    /// Makes an island of each set of bodies that pairs connect. Island 0 has the heavy bodies and those that touch any near
    /// one, because such islands would soon join.
    void make() {
        for (const ContactPair& pair : found_.pairs) unite(pair.first, pair.second);
        for (const std::uint32_t h : found_.heavy) {
            unite(found_.heavy.front(), h);
            shared_.near(h, [&](std::uint32_t k) {
                if (memory_.parents[k] != kNoIsland) unite(h, k);
            });
        }
        islands_.resize(1);
        std::uint32_t* const islandOf = shared_.islandOf.data();
        if (!found_.heavy.empty()) islandOf[rootOf(found_.heavy.front())] = 0;
        shared_.next.assign(found_.pairs.size(), kNoIsland);
        for (std::uint32_t p = 0; p < found_.pairs.size(); ++p) {
            std::uint32_t& island = islandOf[rootOf(found_.pairs[p].first)];
            if (island == kNoIsland) {
                island = static_cast<std::uint32_t>(islands_.size());
                islands_.emplace_back();
            }
            append(islands_[island], p, p);
        }
        for (const std::uint32_t body : touched_) islandOf[body] = islandOf[rootOf(body)];
        for (const std::uint32_t body : touched_) memory_.parents[body] = kNoIsland;
        shared_.joined.resize(islands_.size());
        std::iota(shared_.joined.begin(), shared_.joined.end(), 0u);
    }
    void append(Island& island, std::uint32_t first, std::uint32_t last) {
        if (first == kNoIsland) return;
        (island.lastPair == kNoIsland ? island.firstPair : shared_.next[island.lastPair]) = first;
        island.lastPair = last;
    }

    std::vector<std::uint32_t> living() const {
        std::vector<std::uint32_t> all;
        for (std::uint32_t i = 0; i < islands_.size(); ++i)
            if (shared_.joined[i] == i) all.push_back(i);
        return all;
    }

    void resolveRange(const std::vector<std::uint32_t>& due, std::size_t first, std::size_t last) {
        std::unique_ptr<ListedWorker> worker = takeWorker();
        Resolver<ListedBodies> resolver(contact_, force_, step_);
        for (std::size_t d = first; d < last; ++d) {
            Island& island = islands_[due[d]];
            forget(island.part);
            ListedWorker& w = *worker;
            Part& part = island.part;
            part = {&w, w.events.size(), 0, w.changes.changed.size(), 0, w.changes.removed.size(), 0};
            w.bodies.begin(due[d], island.firstPair, due[d] == 0);
            resolver.run(w.bodies, w.events, w.places);
            w.bodies.end(w.changes);
            for (const std::uint32_t other : w.bodies.conflicts()) w.conflicts.push_back({due[d], other});
            part.eventsEnd = w.events.size();
            part.changedEnd = w.changes.changed.size();
            part.removedEnd = w.changes.removed.size();
        }
        const std::lock_guard lock(free_);
        memory_.workers.push_back(std::move(worker));
    }
    std::unique_ptr<ListedWorker> takeWorker() {
        const std::lock_guard lock(free_);
        if (memory_.workers.empty()) return std::make_unique<ListedWorker>(shared_);
        std::unique_ptr<ListedWorker> taken = std::move(memory_.workers.back());
        memory_.workers.pop_back();
        return taken;
    }
    /// Calls use(index) for the bodies that an island has changed.
    template <class Use>
    static void forChanged(const Part& part, const Use& use) {
        if (!part.worker) return;
        const BodyChanges& changes = part.worker->changes;
        for (std::size_t k = part.changed; k < part.changedEnd; ++k) use(changes.changed[k].index);
        for (std::size_t k = part.removed; k < part.removedEnd; ++k) use(changes.removed[k]);
    }
    void forget(Part& part) {
        forChanged(part, [&](std::uint32_t body) { shared_.left[body] = -1; });
        part = {};
    }

    /// Joins the islands that have touched one another, or may have: changed bodies of both are nearer than they have left
    /// their paths. Returns the islands to resolve again. `due`: those that were resolved last.
    std::vector<std::uint32_t> joinThoseThatMeet(const std::vector<std::uint32_t>& due) {
        for (const std::uint32_t island : due)
            forChanged(islands_[island].part,
                       [&](std::uint32_t body) { mostLeft_ = std::max(mostLeft_, shared_.left[body]); });
        std::mutex together;
        std::vector<ContactPair> meeting;
        for (const auto& worker : memory_.workers) {
            meeting.insert(meeting.end(), worker->conflicts.begin(), worker->conflicts.end());
            worker->conflicts.clear();
        }
        parallelFor(due.size(), step_.threads, kCheckGrain, [&](std::size_t first, std::size_t last) {
            std::vector<ContactPair> here;
            for (std::size_t d = first; d < last; ++d)
                forChanged(islands_[due[d]].part, [&](std::uint32_t body) { addMeetings(due[d], body, here); });
            const std::lock_guard lock(together);
            meeting.insert(meeting.end(), here.begin(), here.end());
        });
        std::vector<std::uint32_t> again;
        for (const ContactPair& pair : meeting) {
            const std::uint32_t a = shared_.root(pair.first), b = shared_.root(pair.second);
            if (a == b) continue;
            const std::uint32_t into = std::min(a, b), from = std::max(a, b);
            forget(islands_[from].part);
            append(islands_[into], islands_[from].firstPair, islands_[from].lastPair);
            shared_.joined[from] = into;
            again.push_back(into);
        }
        for (std::uint32_t& island : again) island = shared_.root(island);
        std::ranges::sort(again);
        again.erase(std::unique(again.begin(), again.end()), again.end());
        return again;
    }
    void addMeetings(std::uint32_t island, std::uint32_t body, std::vector<ContactPair>& meeting) const {
        const BodyPath path = shared_.pathOf(body);
        const double left = shared_.left[body];
        const auto compare = [&](std::uint32_t k) {
            if (shared_.left[k] < 0 || shared_.root(shared_.islandOf[k]) == island) return;
            const BodyPath other = shared_.pathOf(k);
            const double both = (path.radius + other.radius) * (1 + 1e-6) + left + shared_.left[k];
            if (touchTime(path.end - other.end, path.way - other.way, both, 0, step_.length, true) >= 0)
                meeting.push_back({island, shared_.islandOf[k]});
        };
        if (left <= allowanceOf(path.radius, found_.mostReach)) return shared_.near(body, compare);
        const double reach = step_.length / 2 * length(path.way) + path.radius + left;
        shared_.search(path.end - step_.length / 2 * path.way, reach + mostLeft_, compare);
    }

    /// Puts the events and changes of all islands together.
    std::vector<ContactEvent> close() {
        struct Entry {
            EventPlace place;
            std::uint32_t island, number;
            const ContactEvent* event;
        };
        std::vector<Entry> entries;
        BodyChanges& changes = found_.changes;
        changes.changed.clear();
        changes.removed.clear();
        for (const std::uint32_t i : living()) {
            const Part& part = islands_[i].part;
            if (!part.worker) continue;
            const ListedWorker& w = *part.worker;
            for (std::size_t k = part.events; k < part.eventsEnd; ++k)
                entries.push_back({w.places[k], i, static_cast<std::uint32_t>(k - part.events), &w.events[k]});
            const auto at = [](const auto& values, std::size_t k) {
                return values.begin() + static_cast<std::ptrdiff_t>(k);
            };
            changes.changed.insert(changes.changed.end(), at(w.changes.changed, part.changed),
                                   at(w.changes.changed, part.changedEnd));
            changes.removed.insert(changes.removed.end(), at(w.changes.removed, part.removed),
                                   at(w.changes.removed, part.removedEnd));
            forChanged(part, [&](std::uint32_t body) { shared_.left[body] = -1; });
        }
        std::ranges::sort(changes.removed);
        std::ranges::sort(entries, [](const Entry& a, const Entry& b) {
            return std::tie(a.place, a.island, a.number) < std::tie(b.place, b.island, b.number);
        });
        std::vector<ContactEvent> events;
        events.reserve(entries.size());
        for (const Entry& entry : entries) events.push_back(*entry.event);
        // Claimed bodies beyond the pairs are few, but unknown.
        std::ranges::fill(shared_.islandOf, kNoIsland);
        return events;
    }

    FoundContacts& found_;
    const ContactSettings& contact_;
    const ForceSettings& force_;
    const ContactStep& step_;
    ListedMemory& memory_;
    SharedStep& shared_;
    std::vector<Island> islands_;
    std::vector<std::uint32_t> touched_;
    std::mutex free_;
    bool resolvedOnce_ = false;
    double mostLeft_ = 0;  ///< largest distance of a changed body from its first path [L]
};

}  // namespace

std::vector<ContactEvent> resolveContacts(FoundContacts& found, const ContactSettings& contact, const ForceSettings& force,
                                          const ContactStep& step) {
    if (!contact.acts() || found.pairs.empty() || !(step.length > 0)) return {};
    return Islands(found, contact, force, step).resolve();
}

}  // namespace gravlab
