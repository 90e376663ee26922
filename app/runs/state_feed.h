// Copies of a running simulation's states for all work beside it. Requests that come in the meantime get the same copy.
// Rule: at most one copy of the bodies is under way, no frame waits for it, and no client copies the bodies by itself.
#pragma once
#include "app/system/worker.h"
#include "sim/run/simulation.h"

#include <cstdint>
#include <exception>
#include <memory>
#include <vector>

namespace gravlab {

/// A complete step of a run with all that an exact continuation needs, and the settings that hold for it. It is shared, so
/// it never changes.
struct FedState {
    std::uint64_t bodiesId = 0, revision = 0;  ///< bodies and revision of the Simulation at that step
    RunState state;
    RunConfiguration configuration;
    ForceSettings force;
    double cost = 0;  ///< time that the thread of the frames spent on the copy [s]

    std::int64_t step() const { return state.clock.step; }
    double time() const { return state.clock.time(); }
    std::size_t bodies() const { return state.bodies.size(); }
};

/// The bodies alone; the pointer keeps their state alive.
std::shared_ptr<const ParticleSet> bodiesOf(const std::shared_ptr<const FedState>& state);

/// The last complete step, copied now. Waits.
std::shared_ptr<const FedState> copyOf(Simulation& simulation);

/// One request to a feed. Its destruction cancels the request.
class StateTicket {
public:
    /// The state was requested and is not taken yet.
    bool waiting() const { return slot_ != nullptr; }
    /// The requested state, once; null before it has arrived. Never waits. Throws the error of a failed copy.
    std::shared_ptr<const FedState> take();
    void drop() { slot_.reset(); }

private:
    friend class StateFeed;
    struct Slot {
        std::shared_ptr<const FedState> state{};
        std::exception_ptr failure{};
        bool held = false;  ///< see StateFeed::hold()
    };
    std::shared_ptr<Slot> slot_;
};

class StateFeed {
public:
    /// For more bodies a copy every few frames would noticeably delay them.
    static constexpr std::size_t kMostUnfelt = 65536;

    StateFeed();

    /// Requests the last complete step from the next pump() that begins a copy.
    StateTicket ask() { return ask(false); }
    /// The same for a state that must not be of a changed run, such as that of a file: beforeChange() waits for it.
    StateTicket hold() { return ask(true); }
    /// Call before the run changes: hands out its state where a request holds it.
    void beforeChange(Simulation& simulation);
    /// Call once a frame, between two steps. Hands out the state that has arrived, and begins a requested copy unless one is
    /// under way. Copies nothing where the newest state is still held and still the run's. It waits only where the backend
    /// cannot copy beside its steps, and for the end of a step of automatic length.
    void pump(Simulation& simulation);
    /// Requests the state of just this moment, where no copy is under way; else returns a ticket that waits for nothing.
    StateTicket here(Simulation& simulation);
    /// The last complete step. Waits; for films and requests of the user. Shared as well.
    std::shared_ptr<const FedState> now(Simulation& simulation);
    /// Waits until no copy is under way, and hands out the state that has arrived.
    void settle();
    /// Hands out the last complete step to all open requests. Waits.
    void serve(Simulation& simulation);

private:
    struct Copying {
        std::shared_ptr<FedState> state;  ///< without bodies
        SnapshotFuture bodies;
    };
    using Slot = StateTicket::Slot;

    StateTicket ask(bool held);
    void handOut();
    std::shared_ptr<const FedState> known(const Simulation& simulation) const;

    std::vector<std::weak_ptr<Slot>> next_, underWay_;  ///< requests for the next copy; requests for the copy under way
    std::weak_ptr<const FedState> newest_;
    Worker<Copying, std::shared_ptr<const FedState>> worker_;
};

}  // namespace gravlab
