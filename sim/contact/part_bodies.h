// The bodies of a step with contacts, and those of a part of it: the ones that touch, and what becomes of them. Rule: lists
// and the tree only limit the search; no result depends on them.
#pragma once
#include "sim/contact/contact.h"
#include "sim/contact/path_tree.h"
#include "sim/contact/resolver.h"
#include "sim/core/team.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

namespace gravlab {

constexpr std::uint32_t kNoPlace = std::numeric_limits<std::uint32_t>::max();

/// A window of time of a step. Contacts within it are those whose slot is below `end`.
struct ContactWindow {
    static constexpr std::uint32_t kSlots = 1024;
    double perTime = 0;     ///< slots per time [1/T]
    std::uint32_t end = 0;  ///< slot
    double endTime = 0;     ///< not before the end of that slot [T]
    std::uint32_t slotOf(double time) const {
        const double slot = time * perTime;
        return slot < kSlots - 1 ? static_cast<std::uint32_t>(slot) : kSlots - 1;
    }
    bool has(double time) const { return slotOf(time) < end; }
    /// The one that lasts from there to a slot.
    void endAt(std::uint32_t slot, double length) {
        end = slot;
        endTime = slot < kSlots ? std::min(slot / perTime * (1 + 1e-9), length) : length;
    }
};

/// A body that contacts have changed, at the end of the step.
struct ChangedBody {
    std::uint32_t index = 0, version = 0;
    Double4 position{}, velocity{};
    Surface surface{};
    BodyPath path{}, listed{};  ///< now; and that for which its list holds
    double allowance = 0;       ///< how far it may leave the latter [L]
    double holds = 0;           ///< until then it has not left it by more, if nothing else happens to it [T]
    std::uint32_t wave = 0;     ///< the last wave of the step that has changed it
    bool changed = false;       ///< false: it was only compared

    /// After a change of the path at `now`.
    void changePath(double now, double length) {
        const Vec3d left = path.end - listed.end, drift = path.way - listed.way;
        const double away =
            lengthOf(left - (length - now) * drift) * (1 + 1e-6) + std::max(path.reach() - listed.reach(), 0.0);
        const double rate = lengthOf(drift) * (1 + 1e-6);
        const double most = allowance - away;
        holds = !(most >= 0) ? -1 : rate * (length - now) <= most ? length : now + most / rate;
    }
};

/// Pairs of bodies that may touch, of which one has another list than its first. They end where either gets a list anew.
/// A mark has `lists`, the number of these lists of its body, and `links`, kNoPlace where the last of them is new.
class PairLinks {
public:
    template <class Mark>
    void add(std::vector<Mark>& marks, std::uint32_t one, std::uint32_t other) {
        for (const auto& [a, b] : {std::pair(one, other), std::pair(other, one)}) {
            links_.push_back({b, marks[a].lists, marks[b].lists, marks[a].links});
            marks[a].links = static_cast<std::uint32_t>(links_.size() - 1);
        }
    }
    /// Calls use(other) for the other bodies of the pairs of a body.
    template <class Mark, class Use>
    void forOthers(const std::vector<Mark>& marks, std::uint32_t one, const Use& use) const {
        for (std::uint32_t at = marks[one].links; at != kNoPlace; at = links_[at].next) {
            const Link& link = links_[at];
            if (link.lists == marks[one].lists && link.otherLists == marks[link.other].lists) use(link.other);
        }
    }
    bool empty() const { return links_.empty(); }
    void clear() { links_.clear(); }

private:
    struct Link {
        std::uint32_t other = 0, lists = 0, otherLists = 0, next = kNoPlace;
    };
    std::vector<Link> links_;
};

/// The bodies of a step as the windows before have left them. Parts of a window only read it.
class StepBodies {
public:
    void begin(FoundContacts& contacts, const ContactStep& step, Team& team) {
        found = &contacts;
        length = step.length;
        treeBuilt_ = false;
        raised_.clear();
        const std::size_t count = contacts.id.size();
        paths.resize(count);
        marks.resize(count);
        constexpr std::size_t kGrain = 4096;
        team.forRange(count, kGrain, [&](std::size_t first, std::size_t last) {
            for (std::size_t i = first; i < last; ++i) {
                paths[i] = firstPathOf(static_cast<std::uint32_t>(i));
                marks[i] = {};
            }
        });
        for (const std::uint32_t i : contacts.large) marks[i].large = true;
        nearLarge_.assign(contacts.nearLarge.begin(), contacts.nearLarge.end());
        std::ranges::sort(nearLarge_, {}, &ContactPair::first);
        links_.clear();
        changed.clear();
        holds.clear();
        for (BounceCounts& some : bounces) some.clear();
        heavy.clear();
        for (const std::uint32_t h : contacts.heavy) heavy.push_back({h, contacts.position[h], contacts.velocity[h]});
    }

    /// The path of a body before any contact.
    BodyPath firstPathOf(std::uint32_t index) const {
        const Vec3d from = xyz(found->before[index]), end = xyz(found->position[index]);
        const bool finite = isFinite(from) && isFinite(end) && isFinite(xyz(found->velocity[index]));
        return {.end = end, .way = (end - from) / length, .radius = finite ? found->surface[index].radius : kGone};
    }
    double firstAllowanceOf(double radius) const { return allowanceOf(radius, found->mostReach); }
    ChangedBody bodyOf(std::uint32_t index) const {
        return marks[index].changed != kNoPlace ? changed[marks[index].changed] : firstBodyOf(index);
    }
    ChangedBody firstBodyOf(std::uint32_t index) const {
        return {.index = index,
                .position = found->position[index],
                .velocity = found->velocity[index],
                .surface = found->surface[index],
                .path = paths[index],
                .listed = paths[index],
                .allowance = firstAllowanceOf(paths[index].radius),
                .holds = length};
    }
    const BodyPath& listedPathOf(std::uint32_t index) const {
        return marks[index].changed != kNoPlace ? changed[marks[index].changed].listed : paths[index];
    }
    double listedAllowanceOf(std::uint32_t index) const {
        return marks[index].changed != kNoPlace ? changed[marks[index].changed].allowance
                                                : firstAllowanceOf(paths[index].radius);
    }
    /// Calls use(k) for the bodies that a body may touch before either has left the path of its list. Each once.
    template <class Use>
    void near(std::uint32_t index, const Use& use) const {
        const Mark& mark = marks[index];
        const auto useFirst = [&](std::uint32_t k) {
            if (marks[k].lists == 0) use(k);
        };
        if (mark.lists == 0) {
            const ListRange list = found->lists[index];
            for (const std::uint32_t k : found->near.subspan(list.first, list.count)) useFirst(k);
            if (mark.large)
                for (const ContactPair& pair : std::ranges::equal_range(nearLarge_, index, {}, &ContactPair::first))
                    useFirst(pair.second);
        }
        links_.forOthers(marks, index, use);
    }
    /// The first paths of all bodies but the large ones. Built at the first call of a step. Any thread.
    template <class ForRange>
    const PathTree& tree(const ForRange& forRange) {
        if (treeBuilt_.load(std::memory_order_acquire)) return tree_;
        const std::lock_guard lock(building_);
        if (treeBuilt_.load(std::memory_order_relaxed)) return tree_;
        tree_.build(found->order, forRange, [&](std::uint32_t k) -> HalfPath {
            const BodyPath first = firstPathOf(k);
            const Vec3d half = length / 2 * first.way;
            return {first.end - half, half, marks[k].large ? kGone : first.radius + firstAllowanceOf(first.radius), k};
        });
        treeBuilt_.store(true, std::memory_order_release);
        return tree_;
    }
    const PathTree& tree() {
        return tree([](std::size_t count, std::size_t, const auto& body) { body(std::size_t{0}, count); });
    }
    /// Calls use(k) for all bodies that may come near a body, as long as all keep to the paths of their lists, and, for
    /// large() bodies, some more. `more`: of bodies that have left these paths.
    template <class Use>
    void search(const ChangedBody& body, const TreeReach& more, const Use& use) {
        for (const std::uint32_t k : found->large) use(k);
        const Vec3d half = length / 2 * body.listed.way;
        tree().search({body.listed.end - half, half, body.listed.reach() + body.allowance}, raised_, more, use);
    }
    /// After `now`, the candidate list of the body is valid for the present path. `more`: how far it is from the first one.
    void listAnew(ChangedBody& body, double now, TreeReach& more) {
        body.listed = body.path;
        body.allowance = firstAllowanceOf(body.path.radius);
        body.holds = length;
        if (marks[body.index].large) return;
        const BodyPath first = firstPathOf(body.index);
        const Vec3d left = body.path.end - first.end, atNow = left - (length - now) * (body.path.way - first.way);
        const double reach = std::max(lengthOf(left), lengthOf(atNow)) * (1 + 1e-6) + body.path.reach() + body.allowance -
                             first.radius - firstAllowanceOf(first.radius);
        tree().raise(more, body.index, reach);
    }
    /// Two bodies may touch from `now` on.
    bool mayTouch(const BodyPath& a, double allowanceA, const BodyPath& b, double allowanceB, double now) const {
        const double both = (a.reach() + b.reach()) * (1 + 1e-6) + allowanceA + allowanceB;
        return touchTime(a.end - b.end, a.way - b.way, both, now, length, Overlap::counts) >= 0;
    }
    /// Gives bodies, by places in `changed`, lists for their paths as they are at `now`.
    void renewLists(const std::vector<std::uint32_t>& which, double now, Team& team) {
        if (which.empty()) return;
        tree([&](std::size_t count, std::size_t grain, const auto& body) { team.forRange(count, grain, body); });
        for (const std::uint32_t at : which) {
            ChangedBody& body = changed[at];
            Mark& mark = marks[body.index];
            ++mark.lists;
            ++mark.version;
            mark.links = kNoPlace;
            listAnew(body, now, raised_);
            holds[at] = body.holds;
        }
        constexpr std::size_t kGrain = 16;
        std::vector<std::vector<std::uint32_t>> nearBy(which.size());
        const TreeReach none;
        team.forRange(which.size(), kGrain, [&](std::size_t first, std::size_t last) {
            for (std::size_t w = first; w < last; ++w) {
                const ChangedBody& body = changed[which[w]];
                search(body, none, [&](std::uint32_t k) {
                    if (k != body.index && paths[k].alive() &&
                        mayTouch(body.listed, body.allowance, listedPathOf(k), listedAllowanceOf(k), now))
                        nearBy[w].push_back(k);
                });
            }
        });
        for (std::size_t w = 0; w < which.size(); ++w) {
            const std::uint32_t index = changed[which[w]].index;
            for (const std::uint32_t k : nearBy[w]) {
                bool known = false;  // by the search of the other one
                links_.forOthers(marks, index, [&](std::uint32_t other) { known = known || other == k; });
                if (!known) links_.add(marks, index, k);
            }
        }
    }

    struct Mark {
        std::uint32_t version = 0;         ///< changes of its path, and of its list
        std::uint32_t lists = 0;           ///< its lists so far but the first one
        std::uint32_t links = kNoPlace;    ///< to the bodies of pairs of which one has another list than the first
        std::uint32_t changed = kNoPlace;  ///< place in `changed`
        std::uint32_t record = kNoPlace;   ///< see Parts
        bool large = false;
    };
    FoundContacts* found = nullptr;
    double length = 0;            ///< of the step [T]
    std::vector<BodyPath> paths;  ///< now
    std::vector<Mark> marks;
    std::vector<ChangedBody> changed;
    std::vector<double> holds;     ///< of these; read in each window
    std::vector<HeavyBody> heavy;  ///< their places are indices
    static constexpr std::size_t kBounceTables = 64;
    BounceCounts bounces[kBounceTables];  ///< see bouncesOf()
    static std::size_t bounceTableOf(std::uint64_t pair) { return (pair * 0x9e3779b97f4a7c15u) >> 58; }
    int bouncesOf(std::uint64_t pair) const { return bounces[bounceTableOf(pair)].count(pair); }
    void addBounce(std::uint64_t pair) {
        ++bounces[bounceTableOf(pair)].of(pair, [] { return 0; });
    }
    /// Gives a body a place in `changed`, to be filled; others keep theirs.
    std::uint32_t placeInChanged(std::uint32_t index) {
        std::uint32_t& place = marks[index].changed;
        if (place == kNoPlace) {
            place = static_cast<std::uint32_t>(changed.size());
            changed.push_back({.index = index});
            holds.push_back(length);
        }
        return place;
    }

private:
    std::vector<ContactPair> nearLarge_;  ///< sorted
    PairLinks links_;
    std::atomic<bool> treeBuilt_ = false;
    std::mutex building_;
    PathTree tree_;
    TreeReach raised_;
};

/// A contact to come.
struct WindowContact {
    double time = 0;
    std::uint32_t first = 0, second = 0;                ///< indices
    std::uint32_t versionFirst = 0, versionSecond = 0;  ///< of both when it was found
};

/// A path that a body takes within a window.
struct Segment {
    std::uint32_t body = 0;  ///< place in the changes of its part
    BodyPath path{};         ///< from path.from on
    double end = 0;
};

/// What became of the bodies of a part in a window.
struct PartResult {
    std::vector<ContactEvent> events;
    std::vector<EventPlace> places;
    std::vector<ChangedBody> changes;
    std::vector<Segment> segments;                                    ///< in the order of changes, then of time
    std::vector<std::uint32_t> firstSegment;                          ///< of each change, and the end
    std::vector<std::pair<std::uint32_t, std::uint32_t>> strayPairs;  ///< a place in changes, and an index near it
    std::vector<std::pair<std::uint32_t, std::uint32_t>> heavy;       ///< place in StepBodies::heavy, index of its body now
    std::vector<std::uint64_t> bounced;                               ///< pairs, see StepBodies::bounces
    bool strays = false;  ///< bodies have left the paths of their lists within the window
};

/// The bodies of one part, see Resolver. One thread at a time.
class PartBodies {
public:
    explicit PartBodies(StepBodies& step) : step_(step) {}

    /// Begins with contacts of a window.
    void begin(std::span<const WindowContact> contacts, const ContactWindow& window) {
        clear();
        placeOf_.resize(std::max(placeOf_.size(), step_.marks.size()), kNoPlace);
        contacts_ = contacts;
        window_ = window;
        for (const HeavyBody& h : step_.heavy) heavy_.push_back({kNoPlace, h.position, h.velocity});
    }
    void take(PartResult& result) const {
        result.changes.clear();
        result.segments.clear();
        result.firstSegment.clear();
        result.strayPairs.clear();
        result.heavy.clear();
        result.bounced = bounced_;
        result.strays = false;
        for (std::uint32_t i = 0; i < marks_.size(); ++i) {
            const Mark& mark = marks_[i];
            if (!mark.changed) continue;
            const auto place = static_cast<std::uint32_t>(result.changes.size());
            ChangedBody& body = result.changes.emplace_back(bodies_[i]);
            body.version = mark.version;
            body.path = paths_[i];
            body.changed = true;
            result.firstSegment.push_back(static_cast<std::uint32_t>(result.segments.size()));
            const std::size_t begin = result.segments.size();
            for (std::uint32_t at = mark.segments; at != kNoPlace; at = segments_[at].body)
                result.segments.push_back({place, segments_[at].path, segments_[at].end});
            std::reverse(result.segments.begin() + static_cast<std::ptrdiff_t>(begin), result.segments.end());
            if (mark.lists == 0) continue;
            result.strays = true;
            body.holds = -1;
            near(i, [&](std::uint32_t k) { result.strayPairs.emplace_back(place, k); });
        }
        result.firstSegment.push_back(static_cast<std::uint32_t>(result.segments.size()));
        for (std::size_t h = 0; h < heavy_.size(); ++h)
            if (heavy_[h].place != kNoPlace && marks_[heavy_[h].place].index != step_.heavy[h].place)
                result.heavy.emplace_back(static_cast<std::uint32_t>(h), marks_[heavy_[h].place].index);
    }

    // For Resolver.
    Double4& position(std::uint32_t i) { return bodies_[i].position; }
    Double4& velocity(std::uint32_t i) { return bodies_[i].velocity; }
    Surface& surface(std::uint32_t i) { return bodies_[i].surface; }
    std::uint32_t id(std::uint32_t i) const { return marks_[i].id; }
    BodyPath& path(std::uint32_t i) { return paths_[i]; }
    std::uint32_t& version(std::uint32_t i) { return marks_[i].version; }
    std::uint32_t& wave(std::uint32_t i) { return marks_[i].wave; }
    int& bounces(std::uint32_t a, std::uint32_t b) {
        const std::uint64_t pair = BounceCounts::pairOf(marks_[a].index, marks_[b].index);
        return bounces_.of(pair, [&] { return step_.bouncesOf(pair); });
    }
    void mergeAway(std::uint32_t) {}
    std::vector<HeavyBody>& heavy() { return heavy_; }
    template <class Use>
    void find(Overlap, const Use& use) {
        for (const WindowContact& contact : contacts_) {
            const std::uint32_t i = placeOf(contact.first), k = placeOf(contact.second);
            use(i, k, contact.time, contact.versionFirst, contact.versionSecond);
        }
    }
    void renew(const std::vector<std::uint32_t>& changed) {
        for (const std::uint32_t i : changed) {
            const double now = paths_[i].from;
            Mark& mark = marks_[i];
            if (mark.segments != kNoPlace) segments_[mark.segments].end = now;
            segments_.push_back({mark.segments, paths_[i], window_.endTime});
            mark.segments = static_cast<std::uint32_t>(segments_.size() - 1);
            if (!paths_[i].alive()) continue;
            ChangedBody& body = bodies_[i];
            body.path = paths_[i];
            body.changePath(now, step_.length);
            if (body.holds < window_.endTime) stray(i, now);
        }
    }
    template <class Use>
    void near(std::uint32_t i, double earliest, const ContactSettings& contact, const Use& use) {
        const BodyPath path = paths_[i];
        near(i, [&](std::uint32_t index) {
            const std::uint32_t known = placeOf_[index];
            const BodyPath& other = known == kNoPlace ? step_.paths[index] : paths_[known];
            for (const double time : contactTimes(path, other, earliest, step_.length, contact))
                if (time >= 0 && window_.has(time)) use(placeOf(index), time);
        });
    }
    void noteEvent(bool bounce, std::uint32_t i, std::uint32_t k) {
        marks_[i].changed = marks_[k].changed = true;
        if (bounce) bounced_.push_back(BounceCounts::pairOf(marks_[i].index, marks_[k].index));
    }

private:
    // What is read together is together: a step with many contacts waits for memory.
    struct Mark {
        std::uint32_t index = 0, id = 0, version = 0, wave = 0;
        std::uint32_t lists = 0;            ///< its lists within this window
        std::uint32_t links = kNoPlace;     ///< to the bodies of pairs of which one has such a list
        std::uint32_t segments = kNoPlace;  ///< the last one, linked by Segment::body
        bool changed = false;
    };

    void clear() {
        for (const Mark& mark : marks_) placeOf_[mark.index] = kNoPlace;
        marks_.clear();
        paths_.clear();
        bodies_.clear();
        links_.clear();
        segments_.clear();
        bounced_.clear();
        bounces_.clear();
        heavy_.clear();
        more_.clear();
    }
    std::uint32_t placeOf(std::uint32_t index) {
        std::uint32_t& place = placeOf_[index];
        if (place != kNoPlace) return place;
        place = static_cast<std::uint32_t>(marks_.size());
        marks_.push_back({.index = index, .id = step_.found->id[index], .version = step_.marks[index].version});
        bodies_.push_back(step_.bodyOf(index));
        paths_.push_back(step_.paths[index]);
        for (std::size_t h = 0; h < heavy_.size(); ++h)
            if (step_.heavy[h].place == index) heavy_[h].place = place;
        return place;
    }
    /// Calls use(index) for the bodies that body i may touch. Each once.
    template <class Use>
    void near(std::uint32_t i, const Use& use) const {
        if (marks_[i].lists == 0)
            step_.near(marks_[i].index, [&](std::uint32_t k) {
                const std::uint32_t known = links_.empty() ? kNoPlace : placeOf_[k];
                if (known == kNoPlace || marks_[known].lists == 0) use(k);
            });
        links_.forOthers(marks_, i, [&](std::uint32_t k) { use(marks_[k].index); });
    }
    /// Finds the bodies near a body that will leave the path of its list within the window.
    void stray(std::uint32_t i, double now) {
        ++marks_[i].lists;
        marks_[i].links = kNoPlace;
        step_.listAnew(bodies_[i], now, more_);
        const ChangedBody body = bodies_[i];
        step_.search(body, more_, [&](std::uint32_t index) {
            if (index == body.index) return;
            const std::uint32_t known = placeOf_[index];
            const bool alive = known == kNoPlace ? step_.paths[index].alive() : paths_[known].alive();
            const BodyPath& other = known == kNoPlace ? step_.listedPathOf(index) : bodies_[known].listed;
            const double allowed = known == kNoPlace ? step_.listedAllowanceOf(index) : bodies_[known].allowance;
            if (!alive || !step_.mayTouch(body.listed, body.allowance, other, allowed, now)) return;
            const std::uint32_t k = placeOf(index);  // before the marks are read, because it may add one
            links_.add(marks_, i, k);
        });
    }

    StepBodies& step_;
    ContactWindow window_;
    std::span<const WindowContact> contacts_;
    std::vector<Mark> marks_;
    std::vector<BodyPath> paths_;
    std::vector<ChangedBody> bodies_;
    std::vector<std::uint32_t> placeOf_;  ///< of each body of the step, or kNoPlace
    PairLinks links_;
    std::vector<Segment> segments_;
    std::vector<std::uint64_t> bounced_;
    BounceCounts bounces_;
    std::vector<HeavyBody> heavy_;
    TreeReach more_;  ///< of bodies with lists of this window
};

/// The bodies of contacts of one moment, by their places in StepBodies::changed; see Resolver::happen(). They are changed in
/// place. One for each thread: no two threads have a contact of the same body at the same time.
class WaveBodies {
public:
    /// `wave`: its number in the step, from 1 on.
    void begin(StepBodies& step, std::uint32_t wave) {
        step_ = &step;
        wave_ = wave;
        heavy_ = step.heavy;
        for (HeavyBody& h : heavy_) h.place = step.marks[h.place].changed;
        changed.clear();
        bounced.clear();
        heavyMoved = false;
    }
    Double4& position(std::uint32_t i) { return step_->changed[i].position; }
    Double4& velocity(std::uint32_t i) { return step_->changed[i].velocity; }
    Surface& surface(std::uint32_t i) { return step_->changed[i].surface; }
    std::uint32_t id(std::uint32_t i) const { return step_->found->id[step_->changed[i].index]; }
    BodyPath& path(std::uint32_t i) { return step_->changed[i].path; }
    std::uint32_t& version(std::uint32_t i) { return step_->changed[i].version; }
    int& bounces(std::uint32_t a, std::uint32_t b) {
        // A pair is in a wave once.
        return bounces_ = step_->bouncesOf(BounceCounts::pairOf(step_->changed[a].index, step_->changed[b].index));
    }
    void mergeAway(std::uint32_t i) {
        heavyMoved = heavyMoved || std::ranges::find(heavy_, i, &HeavyBody::place) != heavy_.end();
    }
    std::vector<HeavyBody>& heavy() { return heavy_; }
    void noteEvent(bool bounce, std::uint32_t i, std::uint32_t k) {
        for (const std::uint32_t place : {i, k})
            if (std::exchange(step_->changed[place].wave, wave_) != wave_) changed.push_back(place);
        if (bounce) bounced.push_back(BounceCounts::pairOf(step_->changed[i].index, step_->changed[k].index));
    }

    std::vector<std::uint32_t> changed;  ///< each once in the wave
    std::vector<std::uint64_t> bounced;  ///< pairs
    bool heavyMoved = false;             ///< a heavy body has become a part of another one

private:
    StepBodies* step_ = nullptr;
    std::uint32_t wave_ = 0;
    int bounces_ = 0;
    std::vector<HeavyBody> heavy_;
};

}  // namespace gravlab
