// The bodies of a part of a step on a device: those that touch, and those near them. Only they are copied. Rule: lists and
// the tree only limit the search; no result depends on them.
#pragma once
#include "sim/contact/contact.h"
#include "sim/contact/path_tree.h"
#include "sim/contact/paths.h"
#include "sim/contact/resolver.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <mutex>
#include <span>
#include <vector>

namespace gravlab {

constexpr std::uint32_t kNoPlace = std::numeric_limits<std::uint32_t>::max();

/// What the parts of a step share.
struct SharedStep {
    FoundContacts* found = nullptr;
    const ContactStep* step = nullptr;
    std::vector<ContactPair> nearLarge;  ///< sorted

    void begin(FoundContacts& contacts, const ContactStep& of) {
        found = &contacts;
        step = &of;
        built_ = false;
        nearLarge.assign(contacts.nearLarge.begin(), contacts.nearLarge.end());
        std::ranges::sort(nearLarge, {}, &ContactPair::first);
    }
    /// The first paths of all bodies but the large ones. Built at the first call of a step. Any thread.
    const PathTree& tree(int threads = 1) {
        if (built_.load(std::memory_order_acquire)) return tree_;
        const std::lock_guard lock(building_);
        if (built_.load(std::memory_order_relaxed)) return tree_;
        paths_.resize(found->id.size());
        for (std::uint32_t k = 0; k < paths_.size(); ++k) paths_[k] = halfPathOf(k);
        for (const std::uint32_t k : found->large) paths_[k].reach = kGone;
        std::erase_if(paths_, [](const HalfPath& path) { return path.reach < 0; });
        tree_.build(paths_, found->id.size(), threads);
        built_.store(true, std::memory_order_release);
        return tree_;
    }
    /// The path of a body before any contact.
    BodyPath pathOf(std::uint32_t index) const {
        const Vec3d from = xyz(found->before[index]), end = xyz(found->position[index]);
        return {.end = end,
                .way = (end - from) / step->length,
                .radius = isFinite(from) && isFinite(end) ? found->surface[index].radius : kGone};
    }
    /// The same within its allowance.
    HalfPath halfPathOf(std::uint32_t index) const {
        const BodyPath path = pathOf(index);
        return {middleOf(index), step->length / 2 * path.way, path.radius + allowanceOf(path.radius, found->mostReach),
                index};
    }
    Vec3d middleOf(std::uint32_t index) const { return (xyz(found->before[index]) + xyz(found->position[index])) / 2; }
    /// Calls use(k) for the bodies of the list of a body.
    template <class Use>
    void near(std::uint32_t index, const Use& use) const {
        const ListRange list = found->lists[index];
        for (const std::uint32_t k : found->near.subspan(list.first, list.count)) use(k);
        for (const ContactPair& pair : std::ranges::equal_range(nearLarge, index, {}, &ContactPair::first)) use(pair.second);
    }

private:
    std::atomic<bool> built_ = false;
    std::mutex building_;
    std::vector<HalfPath> paths_;
    PathTree tree_;
};

/// The bodies of one part, see Resolver, and what contacts make of them. One thread at a time.
class PartBodies {
public:
    /// A body that has left its path by more than its list allows, and how far it may leave it now [L].
    struct Stray {
        std::uint32_t index = 0;
        double allowance = 0;
    };

    explicit PartBodies(SharedStep& shared) : shared_(shared) {}

    /// Begins with bodies whose contacts count, and with the bodies around them: `hops` times those near. `goes(index)`:
    /// false for bodies around which no others are needed.
    template <class Goes>
    void begin(std::span<const std::uint32_t> indices, int hops, const Goes& goes) {
        clear();
        placeOf_.resize(std::max(placeOf_.size(), shared_.found->id.size()), kNoPlace);
        for (const std::uint32_t index : indices) placeOf(index);
        for (std::uint32_t at = 0; hops > 0; --hops)
            for (const std::size_t end = marks_.size(); at < end; ++at)
                if (goes(marks_[at].index)) makeList(at);
        begun_ = marks_.size();
        for (const std::uint32_t h : shared_.found->heavy)
            heavy_.push_back({placeOf(h), shared_.found->position[h], shared_.found->velocity[h]});
    }
    void clear() {
        for (const Mark& mark : marks_) placeOf_[mark.index] = kNoPlace;
        marks_.clear();
        paths_.clear();
        first_.clear();
        states_.clear();
        listed_.clear();
        links_.clear();
        strayed_.clear();
        heavy_.clear();
        eventOf_.clear();
        more_.clear();
    }

    std::size_t size() const { return marks_.size(); }
    std::uint32_t indexOf(std::uint32_t i) const { return marks_[i].index; }
    /// All that has happened to a body of the step; 0: nothing.
    std::uint64_t historyOf(std::uint32_t index) const {
        const std::uint32_t place = index < placeOf_.size() ? placeOf_[index] : kNoPlace;
        return place == kNoPlace ? 0 : states_[place].history;
    }
    std::uint64_t history(std::uint32_t i) const { return states_[i].history; }
    /// Calls use(index) for the bodies that body i may have touched.
    template <class Use>
    void forNear(std::uint32_t i, const Use& use) const {
        if (!marks_[i].strayed) shared_.near(marks_[i].index, use);
        for (std::uint32_t at = marks_[i].links; at != kNoPlace; at = links_[at].next) use(marks_[links_[at].body].index);
    }
    std::vector<Stray> strays() const {
        std::vector<Stray> all;
        for (const std::uint32_t i : strayed_) all.push_back({marks_[i].index, states_[i].allowance});
        return all;
    }
    /// The body of each event that remains after it.
    std::uint32_t bodyOfEvent(std::size_t event) const { return eventOf_[event]; }
    /// Adds what has become of body i.
    void addChange(std::uint32_t i, BodyChanges& changes) const {
        const State& state = states_[i];
        if (paths_[i].alive())
            changes.changed.push_back({marks_[i].index, state.position, state.velocity, state.surface});
        else
            changes.removed.push_back(marks_[i].index);
    }

    // For Resolver.
    Double4& position(std::uint32_t i) { return states_[i].position; }
    Double4& velocity(std::uint32_t i) { return states_[i].velocity; }
    Surface& surface(std::uint32_t i) { return states_[i].surface; }
    std::uint32_t id(std::uint32_t i) const { return marks_[i].id; }
    BodyPath& path(std::uint32_t i) { return paths_[i]; }
    std::uint32_t& version(std::uint32_t i) { return marks_[i].version; }
    std::uint32_t& wave(std::uint32_t i) { return marks_[i].wave; }
    void mergeAway(std::uint32_t) {}
    std::vector<HeavyBody>& heavy() { return heavy_; }
    template <class Use>
    void find(bool resting, const Use& use) {
        for (std::uint32_t i = 0; i < begun_; ++i)
            if (paths_[i].alive())
                near(i, 0, resting, [&](std::uint32_t k, double time) {
                    if (k > i) use(i, k, time);
                });
    }
    void renew(const std::vector<std::uint32_t>& changed) {
        for (const std::uint32_t i : changed) {
            const BodyPath &path = paths_[i], &first = first_[i];
            if (!path.alive()) continue;
            // Both are straight from now on, so their distance is largest at one of the two ends.
            const Vec3d atEnd = path.end - first.end;
            const Vec3d atBegin = atEnd - (shared_.step->length - path.from) * (path.way - first.way);
            const double left = lengthOf(dot(atEnd, atEnd) > dot(atBegin, atBegin) ? atEnd : atBegin) * (1 + 1e-6) +
                                std::max(path.radius - first.radius, 0.0);
            if (left > states_[i].allowance) stray(i, left);
        }
    }
    template <class Use>
    void near(std::uint32_t i, double earliest, bool resting, const Use& use) {
        if (marks_[i].list == kNoPlace && !marks_[i].strayed) makeList(i);
        const BodyPath path = paths_[i];
        const double length = shared_.step->length;
        const auto meet = [&](std::uint32_t k) {
            const BodyPath& other = paths_[k];
            const double time = touchTime(path.end - other.end, path.way - other.way, path.radius + other.radius,
                                          std::max({path.from, other.from, earliest}), length, resting);
            if (time >= 0) use(k, time);
        };
        if (!marks_[i].strayed)
            for (std::uint32_t at = marks_[i].list, end = at + marks_[i].listed; at < end; ++at) meet(listed_[at]);
        for (std::uint32_t at = marks_[i].links; at != kNoPlace; at = links_[at].next) meet(links_[at].body);
    }
    void noteEvent(const EventPlace& place, std::uint32_t i, std::uint32_t k) {
        eventOf_.push_back(marks_[i].index);
        for (const auto& [own, other] : {std::pair(i, k), std::pair(k, i)}) {
            State& b = states_[own];
            std::uint64_t sum = b.history + place.wave + 1;
            for (const double value : {place.time, static_cast<double>(marks_[other].index), b.velocity.x, b.velocity.y,
                                       b.velocity.z, b.position.x, b.position.y, b.position.z, b.position.w,
                                       b.surface.spin.x, b.surface.spin.y, b.surface.spin.z, paths_[own].radius}) {
                sum = (sum ^ std::bit_cast<std::uint64_t>(value)) * 0x9e3779b97f4a7c15u;
                sum ^= sum >> 29;
            }
            b.history = sum | 1;
        }
    }

private:
    // What is read together is together: a step with many contacts waits for memory.
    struct Mark {
        std::uint32_t index = 0, id = 0, version = 0, wave = 0;
        std::uint32_t list = kNoPlace, listed = 0;  ///< bodies near its path, in listed_; kNoPlace: not known yet
        std::uint32_t links = kNoPlace;             ///< to bodies that its list may lack
        bool strayed = false;                       ///< it has left its path by more than its list allows
    };
    struct State {
        Double4 position{}, velocity{};
        Surface surface{};
        double allowance = 0;  ///< how far it may leave its path before it strays, again [L]
        std::uint64_t history = 0;
    };
    struct Link {
        std::uint32_t body = 0, next = kNoPlace;
    };

    std::uint32_t placeOf(std::uint32_t index) {
        std::uint32_t& place = placeOf_[index];
        if (place != kNoPlace) return place;
        const FoundContacts& found = *shared_.found;
        place = static_cast<std::uint32_t>(marks_.size());
        marks_.push_back({.index = index, .id = found.id[index]});
        const Double4 velocity = found.velocity[index];
        BodyPath path = shared_.pathOf(index);
        if (!isFinite(xyz(velocity))) path.radius = kGone;
        paths_.push_back(path);
        first_.push_back(path);
        states_.push_back(
            {found.position[index], velocity, found.surface[index], allowanceOf(path.radius, found.mostReach), 0});
        return place;
    }
    void makeList(std::uint32_t i) {
        const auto begin = static_cast<std::uint32_t>(listed_.size());
        shared_.near(marks_[i].index, [&](std::uint32_t index) { listed_.push_back(placeOf(index)); });
        marks_[i].list = begin;
        marks_[i].listed = static_cast<std::uint32_t>(listed_.size()) - begin;
    }
    void link(std::uint32_t i, std::uint32_t k) {
        links_.push_back({k, marks_[i].links});
        marks_[i].links = static_cast<std::uint32_t>(links_.size() - 1);
    }
    /// Finds the bodies near the path of a body that has left it by `left`.
    void stray(std::uint32_t i, double left) {
        if (!marks_[i].strayed) strayed_.push_back(i);
        marks_[i].strayed = true;
        marks_[i].links = kNoPlace;
        states_[i].allowance = 2 * left;
        const PathTree& tree = shared_.tree();
        tree.raise(more_, marks_[i].index, 2 * left);
        const BodyPath path = first_[i];
        const double length = shared_.step->length;
        const Vec3d half = length / 2 * path.way;
        const auto meet = [&](std::uint32_t index) {
            if (index == marks_[i].index) return;
            const std::uint32_t known = placeOf_[index];
            const BodyPath other = known == kNoPlace ? shared_.pathOf(index) : first_[known];
            const double allowed =
                known == kNoPlace ? allowanceOf(other.radius, shared_.found->mostReach) : states_[known].allowance;
            const double both = (path.radius + other.radius) * (1 + 1e-6) + 2 * left + allowed;
            if (touchTime(path.end - other.end, path.way - other.way, both, 0, length, true) < 0) return;
            const std::uint32_t k = placeOf(index);
            link(i, k);
            link(k, i);
        };
        for (const std::uint32_t index : shared_.found->large) meet(index);
        tree.search({path.end - half, half, path.radius + 2 * left}, more_, meet);
    }

    SharedStep& shared_;
    std::vector<Mark> marks_;
    std::vector<BodyPath> paths_, first_;  ///< now, and before any contact
    std::vector<State> states_;
    std::vector<std::uint32_t> placeOf_;  ///< of each body of the step, or kNoPlace
    std::vector<std::uint32_t> listed_, strayed_, eventOf_;
    std::vector<Link> links_;
    std::vector<HeavyBody> heavy_;
    std::size_t begun_ = 0;
    TreeReach more_;  ///< of strayed bodies
};

}  // namespace gravlab
