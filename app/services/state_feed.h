// States of a running simulation for all that work beside it. Who needs one asks; who asks in the meantime shares it.
// Rule: at most one copy of the bodies is under way, no frame waits for it, and nobody copies the bodies for himself.
#pragma once
#include "app/system/worker.h"
#include "sim/run/simulation.h"

#include <cstdint>
#include <exception>
#include <memory>
#include <vector>

namespace gravlab {

/// A complete step of a run with all that going on exactly takes, and the settings that hold for it. Shared, so never
/// changed.
struct FedState {
    std::uint64_t run = 0, revision = 0;  ///< as Simulation had them then
    RunState state;
    RunConfiguration configuration;
    ForceSettings force;
    double cost = 0;  ///< what the thread of the frames gave for the copy [s]

    std::int64_t step() const { return state.clock.step; }
    double time() const { return state.clock.time(); }
    std::size_t bodies() const { return state.bodies.size(); }
};

/// The bodies alone; they hold on to their state.
std::shared_ptr<const ParticleSet> bodiesOf(const std::shared_ptr<const FedState>& state);

/// The last complete step, copied here and now. Waits.
std::shared_ptr<const FedState> copyOf(Simulation& simulation);

/// One question to a feed. Who lets go of it asks no more.
class StateTicket {
public:
    /// Asked, and not taken yet.
    bool waiting() const { return slot_ != nullptr; }
    /// What was asked for, once; null while it is not there. Never waits. Throws what the copy failed with.
    std::shared_ptr<const FedState> take();
    void drop() { slot_.reset(); }

private:
    friend class StateFeed;
    struct Slot {
        std::shared_ptr<const FedState> state;
        std::exception_ptr failure;
    };
    std::shared_ptr<Slot> slot_;
};

class StateFeed {
public:
    /// Of more bodies a copy every few frames would be felt.
    static constexpr std::size_t kMostUnfelt = 65536;

    StateFeed();

    /// Asks for the last complete step at the next pump() that begins a copy.
    StateTicket ask();
    /// Once a frame, between two steps: hands out what has come, and begins the copy that was asked for unless one is under
    /// way. Copies nothing where the newest state is still held by somebody and still the run's. Does not wait, but where
    /// the backend cannot copy beside its steps, and for the end of a step of automatic length.
    void pump(Simulation& simulation);
    /// Of just this moment, where no copy is under way; else a ticket that waits for nothing.
    StateTicket here(Simulation& simulation);
    /// The last complete step. Waits; for films and what people ask for. Shared as well.
    std::shared_ptr<const FedState> now(Simulation& simulation);
    /// Waits until no copy is under way, and hands out what has come.
    void settle();
    /// Gives all who have asked the last complete step. Waits.
    void serve(Simulation& simulation);

private:
    struct Copying {
        std::shared_ptr<FedState> state;  ///< without bodies
        SnapshotFuture bodies;
    };
    using Slot = StateTicket::Slot;

    void handOut();
    std::shared_ptr<const FedState> known(const Simulation& simulation) const;

    std::vector<std::weak_ptr<Slot>> asked_, served_;  ///< a copy is to be begun for them; is under way for them
    std::weak_ptr<const FedState> newest_;
    Worker<Copying, std::shared_ptr<const FedState>> worker_;
};

}  // namespace gravlab
