// One way to compute one force term on one device: a rung of the ladder, a tree, a list of bonds.
// Rule: how an evaluation is cut into slices changes no bit of it.
#pragma once
#include "sim/core/state_array.h"
#include "sim/forces/force_check.h"
#include "sim/forces/force_settings.h"
#include "sim/integrators/active_bodies.h"

#include <string_view>
#include <vector>

namespace gravlab {

/// Bodies side by side.
struct BodyRange {
    std::size_t first = 0;
    std::size_t count = static_cast<std::size_t>(-1);  ///< more than there are: up to the last
    bool all() const { return *this == BodyRange(); }
    bool operator==(const BodyRange&) const = default;
};

/// What one evaluation is for.
struct ForceRequest {
    ForceSettings settings;
    double smallestR2 = 0;    ///< floor of the softening squared, for bodies that meet themselves [L^2]
    bool potential = false;   ///< also the potential of each body, where the method offers it
    double allowedError = 0;  ///< relative error that 99 % of the bodies may have; 0: rounding only
    double opening = 0;       ///< opening angle, for rows of a tree that go by it; 0: the usual
    // Whose sums are wanted: of `targets` the active ones; sources are all bodies. A method may sum up more of them, and
    // then counts what it did. Rows with Split::targets take ranges, others may compute all.
    ActiveBodies active{};
    BodyRange targets{};
};

/// What was evaluated: never N*N for what was not computed.
struct ForceWork {
    double pairs = 0;   ///< directed, a body's own term included where it is computed; a bond is two
    double cells = 0;   ///< of a tree, taken as a whole, counted for each body that it acts on
    double bodies = 0;  ///< what a method that does not go by pairs has its rate in: bodies, see there
    ForceWork& operator+=(const ForceWork& other) {
        pairs += other.pairs;
        cells += other.cells;
        bodies += other.bodies;
        return *this;
    }
};

/// What one call of ForceMethod::enqueue did.
struct ForceProgress {
    bool complete = false;  ///< nothing of this evaluation is left
    ForceWork work{};       ///< of this slice
};

/// How near to fp64 a method's results are.
struct Accuracy {
    ForceGate gate{};         ///< what its checks are held against
    double allowedError = 0;  ///< relative error that 99 % of the bodies keep because the user allowed it; 0: rounding only
    bool exact() const { return allowedError == 0; }
};

/// Something that a method tells of its last evaluation, for the lab and for tables: "leaves", "walk".
struct MethodFigure {
    std::string_view name;
    std::string_view unit;  ///< "s", or empty for a count
    double value = 0;
    bool operator==(const MethodFigure&) const = default;
};

/// `Bodies` is what a device reads (positions, sources, count), `Sums` what it leaves; both name their memory space.
/// One thread drives it. State that it keeps from one evaluation to the next (a tree, lists of neighbours) is its own.
template <class Bodies, class Sums>
class ForceMethod {
public:
    virtual ~ForceMethod() = default;

    /// Begins an evaluation; forgets one that was under way. `bodies` must stay as they are until it is complete.
    virtual void prepare(const Bodies& bodies, const ForceRequest& request) = 0;
    /// Computes (on the host) or enqueues (on a device, without waiting) the next slice, of about `seconds` if the method
    /// can be cut that finely. Throws DeviceError; nothing of the slice counts then.
    virtual ForceProgress enqueue(double seconds) = 0;
    /// Whether prepare() began an evaluation that is not complete.
    virtual bool underWay() const = 0;
    /// Done share of the evaluation under way, 0 when there is none.
    virtual double progress() const = 0;
    /// Forgets the evaluation under way.
    virtual void abandon() = 0;
    /// The complete evaluation.
    virtual Sums sums() const = 0;
    virtual Accuracy accuracy() const = 0;
    /// What it tells of its evaluations; on a device of one that has ended, a little later. Never waits.
    virtual std::vector<MethodFigure> figures() const { return {}; }
    /// Whether an evaluation depends on earlier ones of this object.
    virtual bool keepsState() const { return false; }
    /// What the next evaluation needs of earlier ones to go on bit for bit; empty for methods that start afresh each time.
    virtual std::vector<StateArray> state() const { return {}; }
    /// Takes up what state() gave, for the bodies just loaded; false when it does not fit them.
    virtual bool restore(const std::vector<StateArray>& state) { return state.empty(); }
};

}  // namespace gravlab
