// The contacts of one step, in the order of time.
//
// Within a step each body moves along a straight path. A queue holds the times at which pairs of spheres touch. The earliest
// contact is taken from it and either merges its two bodies or makes them bounce. Both then have new paths, whose contacts
// are searched for and added; those of their old paths no longer count. So a body can take part in many contacts of a step.
// The step is resolved when the queue is empty.
//
// A merger puts its body at the common centre of mass at once. That jump must not save others from the contact that they
// were about to have, so bodies also merge where they would touch without the jumps of the step. Bodies that the merged one
// covers are in contact with it. Many that reach one large body in a step so merge in it, in whichever order.
#pragma once
#include "sim/api/contact.h"
#include "sim/api/vectors.h"
#include "sim/contact/contact.h"
#include "sim/contact/touch.h"
#include "sim/forces/law.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <compare>
#include <cstdint>
#include <limits>
#include <tuple>
#include <utility>
#include <vector>

namespace gravlab {

/// |a|, by squares wherever they neither underflow nor overflow.
inline double lengthOf(const Vec3d& a) {
    const double squared = dot(a, a);
    return squared > 1e-280 && squared < 1e280 ? std::sqrt(squared) : exactLength(a);
}

/// A body on its way through the rest of a step. Times are those since the beginning of the step [T].
struct BodyPath {
    Vec3d end{};  ///< position at the end of the step [L]
    Vec3d way{};  ///< velocity of the path [L/T]; that of the body at the end of the step may differ
    double from = 0;
    double radius = 0;    ///< below 0: no contact any more; it merged into another one, or is not finite
    Vec3d moved{};        ///< jumps to the centre of mass in mergers of this step [L]
    bool merged = false;  ///< it begins with a merger
    bool alive() const { return radius >= 0; }
    /// The body touches nothing farther than this from its centre, with or without the jumps [L].
    double reach() const { return moved == Vec3d{} ? radius : radius + lengthOf(moved); }
};
constexpr double kGone = -std::numeric_limits<double>::infinity();  ///< radius of such bodies

/// Overlap that is a contact at the beginning of a step.
inline Overlap overlapAtFirst(const ContactSettings& contact) {
    return contact.mode == ContactMode::bounce ? Overlap::approaches : Overlap::counts;
}
/// And later in the step, for two paths. Bodies at rest on each other would touch again at each change of either, without
/// end. A merger is no such change: it may put a larger body over its neighbours.
inline Overlap overlapLater(const ContactSettings& contact, const BodyPath& a, const BodyPath& b) {
    const bool merged = (a.merged && a.from >= b.from) || (b.merged && b.from >= a.from);
    return merged || contact.mode == ContactMode::stick ? Overlap::counts : Overlap::sinks;
}

/// When two bodies touch from `earliest` on, and when they would without the jumps of mergers; below 0: never.
inline std::array<double, 2> contactTimes(const BodyPath& a, const BodyPath& b, double earliest, double length,
                                          const ContactSettings& contact) {
    const double from = std::max({a.from, b.from, earliest}), both = a.radius + b.radius;
    const Vec3d away = a.end - b.end, way = a.way - b.way, moved = a.moved - b.moved;
    const double time = touchTime(away, way, both, from, length, overlapLater(contact, a, b));
    if (moved == Vec3d{}) return {time, -1};
    const double unmoved = touchTime(away - moved, way, both, from, length, Overlap::approaches);
    return {time, unmoved == time ? -1 : unmoved};
}

/// Place of an event in the order of a step's events.
struct EventPlace {
    double time = 0;                      ///< since the beginning of the step [T]
    std::uint32_t wave = 0;               ///< searches for contacts that came before it at that very time
    std::uint32_t lower = 0, higher = 0;  ///< ids
    auto operator<=>(const EventPlace&) const = default;
};

/// Bounces of pairs: a table whose entries of an earlier round count as empty.
class BounceCounts {
public:
    void clear() {
        ++round_;
        used_ = 0;
    }
    static std::uint64_t pairOf(std::uint32_t a, std::uint32_t b) {
        return static_cast<std::uint64_t>(std::min(a, b)) << 32 | std::max(a, b);
    }
    /// The bounces of a pair, to count on; `before()` gives those that are not in this table.
    template <class Before>
    int& of(std::uint64_t pair, const Before& before) {
        if (2 * (used_ + 1) > entries_.size()) grow();
        Entry& entry = place(pair);
        if (entry.round != round_) {
            entry = {pair, round_, before()};
            ++used_;
        }
        return entry.count;
    }
    int count(std::uint64_t pair) const {
        if (used_ == 0) return 0;
        const Entry& entry = const_cast<BounceCounts*>(this)->place(pair);
        return entry.round == round_ ? entry.count : 0;
    }

private:
    struct Entry {
        std::uint64_t pair = 0;
        std::uint32_t round = 0;
        int count = 0;
    };
    Entry& place(std::uint64_t pair) {
        std::size_t at = static_cast<std::size_t>((pair * 0x9e3779b97f4a7c15u) >> 32);
        for (;; ++at) {
            Entry& entry = entries_[at & (entries_.size() - 1)];
            if (entry.round != round_ || entry.pair == pair) return entry;
        }
    }
    void grow() {
        std::vector<Entry> before =
            std::exchange(entries_, std::vector<Entry>(std::max<std::size_t>(64, 2 * entries_.size())));
        for (const Entry& entry : before)
            if (entry.round == round_) place(entry.pair) = entry;
    }
    std::vector<Entry> entries_;
    std::size_t used_ = 0;
    std::uint32_t round_ = 1;
};

/// A contact to come; `a` is the body with the lower id.
struct PairContact {
    double time = 0;                                  ///< since the beginning of the step [T]
    std::uint32_t lower = 0, higher = 0;              ///< ids
    std::uint32_t a = 0, b = 0;                       ///< places
    std::uint32_t versionA = 0, versionB = 0;         ///< changes of both when it was found
    bool operator<(const PairContact& other) const {  // a heap gives the largest one first
        if (time != other.time) return time > other.time;
        return lower != other.lower ? lower > other.lower : higher > other.higher;
    }
};

/// Contacts ordered by time, then ids. Those of a short time are a heap, all later ones lie in buckets by their time.
class ContactQueue {
public:
    /// For contacts within a time; an infinite one is for few contacts.
    void clear(double length) {
        perTime_ = kBuckets / length;
        bucket_ = 0;
        heap_.clear();
        if (!later_.empty() || first_.empty()) first_.assign(kBuckets + 1, kNone);
        later_.clear();
    }
    void push(const PairContact& contact) {
        const auto bucket = static_cast<std::uint32_t>(std::min(double{kBuckets}, contact.time * perTime_));
        if (bucket > bucket_) {
            later_.push_back({contact, first_[bucket]});
            first_[bucket] = static_cast<std::uint32_t>(later_.size() - 1);
            return;
        }
        heap_.push_back(contact);
        std::push_heap(heap_.begin(), heap_.end());
    }
    /// The earliest contact of the current time bucket; null: the bucket is empty.
    const PairContact* first() const { return heap_.empty() ? nullptr : &heap_.front(); }
    /// Goes to the next time with contacts; false: there are none.
    bool advance() {
        if (later_.empty()) return false;
        while (++bucket_ <= kBuckets) {
            for (std::uint32_t at = first_[bucket_]; at != kNone; at = later_[at].next) heap_.push_back(later_[at].contact);
            if (heap_.empty()) continue;
            std::make_heap(heap_.begin(), heap_.end());
            return true;
        }
        return false;
    }
    PairContact pop() {
        std::pop_heap(heap_.begin(), heap_.end());
        const PairContact first = heap_.back();
        heap_.pop_back();
        return first;
    }

private:
    static constexpr std::uint32_t kBuckets = 1024, kNone = std::numeric_limits<std::uint32_t>::max();
    struct Later {
        PairContact contact;
        std::uint32_t next;
    };
    double perTime_ = 0;
    std::uint32_t bucket_ = 0;
    std::vector<PairContact> heap_;
    std::vector<Later> later_;
    std::vector<std::uint32_t> first_;
};

/// A body whose tide and whose energy with others count, see heavyBodies(). Its force uses its position at the end of the
/// step, before contacts, so that events far from each other do not depend on each other.
struct HeavyBody {
    std::uint32_t place = 0;  ///< of the body that it is a part of now
    Double4 position{}, velocity{};
};

/// How Resolver::run() goes about the contacts.
struct RunPlan {
    double now = 0;          ///< when they begin [T]
    std::uint32_t wave = 0;  ///< of those that happen at that very time, see EventPlace
    bool few = false;        ///< they need no buckets by time
};

/// The loop over the contacts of a step. `Bodies` has the bodies of the step, by places from 0 on:
///
///   position(i), velocity(i), surface(i), id(i)   the body at the end of the step, to change in place
///   path(i), version(i), wave(i)                  its way through the rest of the step, its changes so far, a mark
///   mergeAway(i)                                  it is gone
///   heavy()                                       a HeavyBody for each body with more than kHeavyShare of the mass
///   find(overlap, use)                            calls use(i, k, time, versions of i and k) for the first contacts
///   renew(changed)                                these paths have changed since the last call
///   near(i, earliest, contact, use)               calls use(k, time) for all contactTimes() of i with others
///   bounces(i, k)                                 of this pair so far in the step, to count on
///   noteEvent(bounce, i, k)                       an event has changed i and k
template <class Bodies>
class Resolver {
    // A pair bounces so many times per step at most, because bodies at rest on each other would bounce without end.
    static constexpr int kMostBounces = 4;

public:
    Resolver(const ContactSettings& contact, const ForceSettings& force, const ContactStep& step)
        : contact_(contact),
          force_(force),
          step_(step),
          law_(lawRow(force.law)),
          atZero_(finiteAtZero(force)),
          tides_(loopLaw(force) == Law::gravity),
          merging_(contact.mode != ContactMode::bounce) {}

    /// Adds the events of these bodies and their places in the order. May be called again, for other bodies.
    void run(Bodies& bodies, std::vector<ContactEvent>& events, std::vector<EventPlace>& places, const RunPlan& plan = {}) {
        bodies_ = &bodies;
        events_ = &events;
        places_ = &places;
        now_ = plan.now;
        wave_ = plan.wave;
        searches_ = 0;
        queue_.clear(plan.few ? std::numeric_limits<double>::infinity() : step_.length);
        bodies_->find(overlapAtFirst(contact_), [&](std::uint32_t i, std::uint32_t k, double time, std::uint32_t versionI,
                                                    std::uint32_t versionK) { note(i, k, time, versionI, versionK); });
        for (;;) {
            const PairContact* const first = queue_.first();
            // A contact of this very moment, of a body that has changed in it, still happens if they touch.
            if (!changed_.empty() && (!first || first->time > now_)) {
                findAnew();
                continue;
            }
            if (!first) {
                if (!queue_.advance()) return;
                continue;
            }
            consider(queue_.pop());
        }
    }
    /// One contact of a moment. The paths of its bodies are not searched. Adds as above.
    void happen(Bodies& bodies, const PairContact& contact, std::uint32_t wave, std::vector<ContactEvent>& events,
                std::vector<EventPlace>& places) {
        bodies_ = &bodies;
        events_ = &events;
        places_ = &places;
        now_ = contact.time;
        wave_ = wave;
        consider(contact);
        changed_.clear();
    }

private:
    /// Changes by a bounce.
    struct Bounce {
        Vec3d kickA{}, kickB{}, twistA{}, twistB{};
    };

    /// Resolves a contact that is earlier than all others, if its bodies still touch.
    void consider(const PairContact& next) {
        if (!path(next.a).alive() || !path(next.b).alive()) return;
        const bool same = bodies_->version(next.a) == next.versionA && bodies_->version(next.b) == next.versionB;
        if (!same && (next.time > now_ || !touchesAt(next.a, next.b, now_))) return;
        if (next.time > now_) wave_ = 0;
        now_ = std::max(now_, next.time);
        place_ = {now_, wave_, next.lower, next.higher};
        meet(next.a, next.b);
    }

    BodyPath& path(std::uint32_t i) const { return bodies_->path(i); }
    Vec3d velocityOf(std::uint32_t i) const { return xyz(bodies_->velocity(i)); }
    double massOf(std::uint32_t i) const { return inertialMass(bodies_->position(i), bodies_->velocity(i)); }
    bool held(std::uint32_t i) const { return bodies_->velocity(i).w == 0; }

    void note(std::uint32_t i, std::uint32_t k, double time, std::uint32_t versionI, std::uint32_t versionK) {
        if (bodies_->id(k) < bodies_->id(i)) {
            std::swap(i, k);
            std::swap(versionI, versionK);
        }
        queue_.push({time, bodies_->id(i), bodies_->id(k), i, k, versionI, versionK});
    }
    bool touchesAt(std::uint32_t i, std::uint32_t k, double time) const {
        const BodyPath &a = path(i), &b = path(k);
        const auto [touch, unmoved] = contactTimes(a, b, time, step_.length, contact_);
        const auto atFirst = [&] {
            return touchTime(a.end - b.end, a.way - b.way, a.radius + b.radius, 0, step_.length, overlapAtFirst(contact_));
        };
        return touch == time || unmoved == time || (time == 0 && atFirst() == 0);
    }
    void findAnew() {
        ++wave_;
        ++searches_;
        std::ranges::sort(changed_);
        changed_.erase(std::unique(changed_.begin(), changed_.end()), changed_.end());
        bodies_->renew(changed_);
        for (const std::uint32_t i : changed_) bodies_->wave(i) = searches_;
        for (const std::uint32_t i : changed_)
            if (path(i).alive())
                bodies_->near(i, now_, contact_, [&](std::uint32_t k, double time) {
                    // Of two changed bodies the first one has found the pair already.
                    if (k > i || bodies_->wave(k) != searches_) note(i, k, time, bodies_->version(i), bodies_->version(k));
                });
        changed_.clear();
    }
    void changes(std::uint32_t i) {
        path(i).from = now_;
        ++bodies_->version(i);
        changed_.push_back(i);
    }

    double pairEnergy(double sources, const Vec3d& away) const {
        const double squared = dot(away, away);
        return squared > 0 || atZero_ ? sources * law_.potential(force_, squared) : 0;
    }
    /// Energy of body i, and of its pairs with all heavy bodies but k.
    double energyOf(std::uint32_t i, std::uint32_t k) const {
        const Surface& surface = bodies_->surface(i);
        const double mass = massOf(i);
        double energy =
            (mass * dot(velocityOf(i), velocityOf(i)) + inertiaOf(mass, surface.radius) * dot(surface.spin, surface.spin)) /
            2;
        for (const HeavyBody& h : bodies_->heavy())
            if (h.place != i && h.place != k)
                energy += pairEnergy(bodies_->position(i).w * h.position.w, xyz(bodies_->position(i)) - xyz(h.position));
        return energy;
    }
    double energyOfPair(std::uint32_t a, std::uint32_t b) const {
        return energyOf(a, b) + energyOf(b, a) +
               pairEnergy(bodies_->position(a).w * bodies_->position(b).w,
                          xyz(bodies_->position(a)) - xyz(bodies_->position(b)));
    }

    /// Relative acceleration of a pair towards each other [L/T^2].
    double pullOf(std::uint32_t a, std::uint32_t b, double apart) const {
        return std::abs((bodies_->position(a).w + bodies_->position(b).w) * law_.forceOverDistance(force_, apart * apart)) *
               apart;
    }
    /// Spheres that rest on each other fall for a step and bounce at its end: with their restitution they would hop for
    /// ever, and gain energy from the length of the step.
    double restitutionOf(double pull, double closing) const {
        constexpr double kFalls = 4;  // falls of one step
        return -closing < kFalls * pull * step_.length ? 0 : contact_.restitution;
    }
    /// Speed at which spheres part that overlap: their overlap ends after a step, but they do not escape each other. Else
    /// the weight of others would press them into each other, step by step.
    double partingOf(double pull, double apart, double overlap) const {
        return std::min(overlap / step_.length, std::sqrt(2 * pull * apart));
    }

    /// `away`: from b to a at the contact. The arms end at one point between the centres, so that no angular momentum is
    /// lost where the spheres overlap, by `overlap`.
    Bounce bounceOf(std::uint32_t a, std::uint32_t b, const Vec3d& away, double overlap) const {
        const double apart = lengthOf(away);
        const Vec3d relative = velocityOf(a) - velocityOf(b);
        const double speed = lengthOf(relative);
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
        if (!(closing < -kStill * (lengthOf(velocityOf(a)) + lengthOf(velocityOf(b)))) || wa + wb == 0) return {};
        const Surface &sa = bodies_->surface(a), &sb = bodies_->surface(b);
        const double both = sa.radius + sb.radius, armA = apart * sa.radius / both, armB = apart * sb.radius / both;
        const double ia = sa.radius > 0 ? wa / inertiaOf(1, sa.radius) : 0;
        const double ib = sb.radius > 0 ? wb / inertiaOf(1, sb.radius) : 0;
        const double pull = pullOf(a, b, both);
        const double leaves = std::max(-restitutionOf(pull, closing) * closing, partingOf(pull, both, overlap));
        const double press = (leaves - closing) / (wa + wb);
        if (contact_.friction == 0) return {wa * press * normal, -wb * press * normal};
        Vec3d rub{};
        const Vec3d sliding = relative - cross(armA * sa.spin + armB * sb.spin, normal);
        const Vec3d slip = sliding - dot(sliding, normal) * normal;
        if (const double slips = lengthOf(slip); slips > 0) {
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
        const double mass = bodies_->position(a).w + bodies_->position(b).w;
        const Vec3d middle = (xyz(bodies_->position(a)) + xyz(bodies_->position(b))) / 2;
        double tide = 0;
        const HeavyBody* centre = nullptr;
        for (const HeavyBody& h : bodies_->heavy()) {
            if (h.place == a || h.place == b || !(h.position.w > mass)) continue;
            const double far = lengthOf(middle - xyz(h.position));
            const double strength = h.position.w / (far * far * far);
            if (strength > tide) tide = strength, centre = &h;
        }
        if (!centre || !tides_ || !(mass > 0)) return dot(after, after) / 2 + pairEnergy(mass, away) < 0;
        const double apart = lengthOf(away);
        if (3 * tide * apart * apart * apart >= mass) return false;  // beyond the Hill sphere
        const double share = massOf(a) + massOf(b) > 0 ? massOf(a) / (massOf(a) + massOf(b)) : 0.5;
        const Vec3d out = middle - xyz(centre->position);
        const Vec3d motion = share * velocityOf(a) + (1 - share) * velocityOf(b) - xyz(centre->velocity);
        const Vec3d radial = out / lengthOf(out), turn = cross(out, motion);
        const double rate = std::sqrt(tide), turning = lengthOf(turn);
        const Vec3d pole = turning > 0 ? turn / turning : Vec3d{};
        const Vec3d drift = after - cross(rate * pole, away);
        const double x = dot(away, radial), z = dot(away, pole), edge = std::cbrt(mass / (3 * tide));
        const double energy =
            dot(drift, drift) / 2 + tide * (z * z - 3 * x * x) / 2 + pairEnergy(mass, away) + 4.5 * tide * edge * edge;
        return energy < 0;
    }

    void meet(std::uint32_t a, std::uint32_t b) {
        const Vec3d relative = velocityOf(a) - velocityOf(b);
        const Vec3d apart = xyz(bodies_->position(a)) - xyz(bodies_->position(b));
        // Spheres that overlap already were pressed together during the step: the mean moment of that is half of it.
        const double left = step_.length - now_, both = path(a).radius + path(b).radius;
        const Vec3d start = path(a).end - path(b).end - left * (path(a).way - path(b).way);
        const bool pressed = dot(start, start) < both * both * (1 - 1e-9);
        const bool onlyUnmoved = path(a).moved != path(b).moved && dot(start, start) > both * both * (1 + 1e-6);
        const double rest = pressed ? left / 2 : left;
        // On the line of the velocities at the end, so that the change is exact for the bodies of the end.
        const Vec3d away = apart - rest * relative;
        if (held(a) && held(b)) return;
        Bounce bounce;
        int* count = nullptr;
        if (dot(relative, away) < 0 || away == Vec3d{}) {
            count = &bodies_->bounces(a, b);
            if (*count < kMostBounces) bounce = bounceOf(a, b, away, pressed ? both - lengthOf(start) : 0);
        }
        if (merging_) {
            const double far = lengthOf(away);
            const Vec3d along = far > 0 ? both / far * away : Vec3d{both, 0, 0};
            // The speed at which overlapping bodies part is no motion of theirs.
            const Bounce free = pressed && bounce.kickA != bounce.kickB ? bounceOf(a, b, away, 0) : bounce;
            if (staysBound(a, b, far < both ? along : away, relative + free.kickA - free.kickB)) return merge(a, b);
        }
        if (onlyUnmoved) return;
        if (bounce.kickA == Vec3d{} && bounce.kickB == Vec3d{}) return;
        ++*count;
        ContactEvent event = eventOf(ContactKind::bounce, a, b, away, left);
        const double before = energyOfPair(a, b);
        const auto kick = [&](std::uint32_t i, const Vec3d& by, const Vec3d& twist) {
            Double4 &x = bodies_->position(i), &v = bodies_->velocity(i);
            x = packed(xyz(x) + rest * by, x.w);
            v = packed(xyz(v) + by, v.w);
            bodies_->surface(i).spin += twist;
            path(i).end = xyz(x);
            path(i).way += (pressed ? 0.5 : 1.0) * by;  // from where the body was at the contact
            path(i).merged = false;
            changes(i);
        };
        kick(a, bounce.kickA, bounce.twistA);
        kick(b, bounce.kickB, bounce.twistB);
        event.lost = before - energyOfPair(a, b);
        event.mass = massOf(a);
        event.radius = path(a).radius;
        addEvent(event, a, b);
    }

    void addEvent(const ContactEvent& event, std::uint32_t a, std::uint32_t b) {
        events_->push_back(event);
        places_->push_back(place_);
        bodies_->noteEvent(event.kind == ContactKind::bounce, a, b);
    }
    ContactEvent eventOf(ContactKind kind, std::uint32_t a, std::uint32_t b, const Vec3d& away, double rest) const {
        const double both = path(a).radius + path(b).radius;
        const Vec3d centre = path(a).end - rest * path(a).way;
        return {.step = step_.step,
                .time = step_.time + now_,
                .kind = kind,
                .first = bodies_->id(a),
                .second = bodies_->id(b),
                .speed = lengthOf(velocityOf(a) - velocityOf(b)),
                .place = both > 0 ? centre - path(a).radius / both * away : centre};
    }

    /// The heavier body remains; of equal ones that with the lower id, which is a. A held body remains in any case.
    void merge(std::uint32_t a, std::uint32_t b) {
        if (std::tuple(held(b), bodies_->position(b).w) > std::tuple(held(a), bodies_->position(a).w)) std::swap(a, b);
        const double rest = step_.length - now_;
        const Vec3d apart = xyz(bodies_->position(a)) - xyz(bodies_->position(b)), relative = velocityOf(a) - velocityOf(b);
        ContactEvent event = eventOf(ContactKind::merge, a, b, apart - rest * relative, rest);
        const double before = energyOfPair(a, b);
        const double ma = massOf(a), mb = massOf(b), mass = ma + mb;
        Double4 &xa = bodies_->position(a), &va = bodies_->velocity(a);
        const Double4 xb = bodies_->position(b);
        Surface& surface = bodies_->surface(a);
        const Surface& other = bodies_->surface(b);
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
            path(a).moved -= share * (path(a).end - path(b).end - rest * (path(a).way - path(b).way));
            path(a).way = path(a).way - share * (path(a).way - path(b).way);
            surface.spin = radius > 0 ? turning / inertiaOf(mass, radius) : Vec3d{};
        }
        surface.radius = radius;
        path(a).end = xyz(xa);
        path(a).radius = radius;
        path(a).merged = true;
        path(b).radius = kGone;
        bodies_->mergeAway(b);
        for (HeavyBody& h : bodies_->heavy())
            if (h.place == b) h.place = a;
        event.lost = before - energyOf(a, a);
        event.mass = massOf(a) > 0 ? massOf(a) : source;
        event.radius = radius;
        addEvent(event, a, b);
        changes(a);
    }

    const ContactSettings& contact_;
    const ForceSettings& force_;
    const ContactStep& step_;
    const LawRow& law_;
    bool atZero_, tides_, merging_;
    Bodies* bodies_ = nullptr;
    std::vector<ContactEvent>* events_ = nullptr;
    std::vector<EventPlace>* places_ = nullptr;
    std::vector<std::uint32_t> changed_;
    ContactQueue queue_;
    double now_ = 0;          ///< since the beginning of the step
    std::uint32_t wave_ = 0;  ///< searches at this moment
    std::uint32_t searches_ = 0;
    EventPlace place_{};
};

}  // namespace gravlab
