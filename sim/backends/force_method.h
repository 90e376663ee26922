// One method that computes one force term on one device: a row of the table, a tree, a list of bonds.
// Rule: the slices of an evaluation change no bit of its result.
#pragma once
#include "sim/api/bodies.h"
#include "sim/api/law.h"
#include "sim/forces/force_check.h"
#include "sim/integrators/active_bodies.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

namespace gravlab {

class ForceTerm;

/// Gives a term as its method computes it at the moment when this was made. A call may wait for a device. Any thread.
using TermFuture = std::function<std::shared_ptr<const ForceTerm>()>;

/// A range of consecutive bodies.
struct BodyRange {
    std::size_t first = 0;
    std::size_t count = static_cast<std::size_t>(-1);  ///< a count beyond the last body means up to the last
    bool all() const { return *this == BodyRange(); }
    bool operator==(const BodyRange&) const = default;
};

/// Parts of about equally many groups of a tree. Work is counted in them, and devices divide them.
constexpr std::size_t kTreeParts = 1024;
/// Consecutive parts.
struct PartRange {
    std::size_t first = 0, last = kTreeParts;  ///< the end is excluded
    bool all() const { return *this == PartRange(); }
    bool operator==(const PartRange&) const = default;
};

/// The bodies that act on others, where most bodies have no mass: those are targets only.
struct MassiveBodies {
    const std::uint32_t* list = nullptr;  ///< their indices, in the method's memory; null: the first `count` bodies
    std::size_t count = static_cast<std::size_t>(-1);  ///< a count beyond the last body means all bodies
    /// Their number among `bodies` bodies.
    std::size_t among(std::size_t bodies) const { return std::min(count, bodies); }
    bool operator==(const MassiveBodies&) const = default;
};

/// What one evaluation computes.
struct ForceRequest {
    ForceSettings settings;
    double smallestR2 = 0;    ///< floor of the softening squared, for a body's pair with itself [L^2]
    bool potential = false;   ///< adds the potential of each body, where the method offers it
    double allowedError = 0;  ///< relative error that 99 % of the bodies may have; 0: rounding only
    double opening = 0;       ///< opening angle, for tree rows with an opening criterion; 0: the usual angle
    // Sums are wanted for the active bodies of `targets`. A method may sum up more targets or sources, and then counts what
    // it computed. The sums of two ranges have the bits of the sums of both for rows with Split::targets only.
    ActiveBodies active{};  ///< where it has levels, its count is that of active bodies in `targets`
    BodyRange targets{};
    PartRange parts{};  ///< of a tree's groups: only the bodies of these are summed
    MassiveBodies sources{};
    double time = 0;  ///< simulated time of the positions [T], for terms that depend on it

    /// The targets as one set, among `bodies` bodies.
    ActiveBodies wanted(std::size_t bodies) const {
        ActiveBodies made = active;
        if (targets.first == 0 && targets.count >= bodies) return made;
        made.first = static_cast<std::uint32_t>(std::min(targets.first, bodies));
        made.last = static_cast<std::uint32_t>(made.first + std::min(targets.count, bodies - made.first));
        if (!made.levels) made.count = made.last - made.first;
        return made;
    }
};

/// Work done: it never counts a pair that was not computed.
struct ForceWork {
    double pairs = 0;   ///< directed pairs, a body with itself included where that is computed; a bond is two
    double cells = 0;   ///< cells used as a whole, counted for each body that they act on
    double bodies = 0;  ///< unit of the rate of methods without pairs, see there
    ForceWork& operator+=(const ForceWork& other) {
        pairs += other.pairs;
        cells += other.cells;
        bodies += other.bodies;
        return *this;
    }
};

/// Result of one call of ForceMethod::enqueue.
struct ForceProgress {
    bool complete = false;  ///< nothing of this evaluation is left
    ForceWork work{};       ///< of this slice
};

/// How close a method's results are to fp64.
struct Accuracy {
    ForceGate gate{};         ///< limits of its checks
    double allowedError = 0;  ///< relative error that 99 % of the bodies keep because the user allowed it; 0: rounding only
    bool exact() const { return allowedError == 0; }
};

/// A figure of a method's last evaluation, for the lab and for tables: "leaves", "walk".
struct MethodFigure {
    std::string_view name;
    std::string_view unit;  ///< "s", or empty for a count
    double value = 0;
    bool operator==(const MethodFigure&) const = default;
};

/// `Bodies` is the input of a device (positions, sources, count), `Sums` its output; both name their memory space. One
/// thread drives a method. The method owns the state that it keeps between evaluations (a tree, lists of neighbours).
template <class Bodies, class Sums>
class ForceMethod {
public:
    virtual ~ForceMethod() = default;

    /// Begins an evaluation and forgets one that was under way. `bodies` must not change until it is complete.
    virtual void prepare(const Bodies& bodies, const ForceRequest& request) = 0;
    /// Computes (on the host) or enqueues (on a device, without waiting) the next slice, of about `seconds` if the method
    /// can be cut that finely. Throws DeviceError; nothing of the slice counts then.
    virtual ForceProgress enqueue(double seconds) = 0;
    /// Whether prepare() began an evaluation that is not complete.
    virtual bool underWay() const = 0;
    /// Done fraction of the evaluation under way, 0 when there is none.
    virtual double progress() const = 0;
    /// Forgets the evaluation under way.
    virtual void abandon() = 0;
    /// Sums of the complete evaluation.
    virtual Sums sums() const = 0;
    virtual Accuracy accuracy() const = 0;
    /// Figures of its evaluations. On a device they are those of an ended evaluation and arrive a little later. Never waits.
    virtual std::vector<MethodFigure> figures() const { return {}; }
    /// The first and the last body of each part of the complete evaluation, where devices divided it: a check samples them.
    virtual std::vector<std::uint32_t> partEnds() const { return {}; }
    /// Whether an evaluation depends on earlier ones of this object.
    virtual bool keepsState() const { return false; }
    /// State of earlier evaluations that the next one needs for the same bits; empty for methods that start afresh each
    /// time.
    virtual std::vector<StateArray> state() const { return {}; }
    /// Restores a result of state() for the bodies just loaded; an empty one makes the method forget. False when it does not
    /// fit them: a new method is needed.
    virtual bool restore(const std::vector<StateArray>& state) { return state.empty(); }

    /// Whether its term may lose parts at the end of a step: see ForceTerm::after().
    virtual bool changesTerm() const { return false; }
    /// Ends the parts of the term that end with the complete step at `bodies`: later evaluations are without them. On a
    /// device it enqueues and never waits.
    virtual void endStep(const Bodies&) {}
    /// The term without all ended parts that have arrived from the device, once for each change; null: no change.
    virtual std::shared_ptr<const ForceTerm> takeChangedTerm() { return nullptr; }
    /// The term at this point of the queue; empty: it never changes.
    virtual TermFuture termHere() const { return {}; }
};

}  // namespace gravlab
