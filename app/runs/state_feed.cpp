// A thread of its own copies the bodies; it completes the shared state, which never changes afterwards.
#include "app/runs/state_feed.h"

#include "app/system/host_clock.h"

#include <algorithm>
#include <utility>

namespace gravlab {
namespace {

std::shared_ptr<FedState> withoutBodies(const Simulation& simulation, RunState rest) {
    auto state = std::make_shared<FedState>();
    state->bodiesId = simulation.bodiesId();
    state->revision = simulation.revision();
    state->configuration = simulation.configuration();
    state->force = simulation.force();
    state->state = std::move(rest);
    return state;
}

}  // namespace

std::shared_ptr<const ParticleSet> bodiesOf(const std::shared_ptr<const FedState>& state) {
    return {state, &state->state.bodies};
}

std::shared_ptr<const FedState> copyOf(Simulation& simulation) {
    const double begun = hostClock();
    RunState all = simulation.state();
    std::shared_ptr<FedState> state = withoutBodies(simulation, std::move(all));
    state->cost = hostClock() - begun;
    return state;
}

std::shared_ptr<const FedState> StateTicket::take() {
    if (!slot_ || (!slot_->state && !slot_->failure)) return nullptr;
    const std::shared_ptr<Slot> slot = std::exchange(slot_, nullptr);
    if (slot->failure) std::rethrow_exception(slot->failure);
    return std::move(slot->state);
}

StateFeed::StateFeed()
    : worker_(
          [](Copying copying, auto&) -> std::shared_ptr<const FedState> {
              copying.state->state.bodies = copying.bodies();
              return std::move(copying.state);
          },
          QueuePolicy::fifo) {}

StateTicket StateFeed::ask(bool held) {
    StateTicket ticket;
    ticket.slot_ = std::make_shared<Slot>(Slot{.held = held});
    next_.push_back(ticket.slot_);
    return ticket;
}

/// The newest state, where it is still held and the run has not continued from it.
std::shared_ptr<const FedState> StateFeed::known(const Simulation& simulation) const {
    std::shared_ptr<const FedState> newest = newest_.lock();
    const bool holds = newest && newest->bodiesId == simulation.bodiesId() && newest->revision == simulation.revision() &&
                       newest->step() == simulation.step();
    return holds ? newest : nullptr;
}

/// Hands out a finished copy to the tickets that still wait for it.
void StateFeed::handOut() {
    if (underWay_.empty()) return;
    Slot come;
    try {
        std::optional<std::shared_ptr<const FedState>> state = worker_.poll();
        if (!state) return;
        come.state = std::move(*state);
        newest_ = come.state;
    } catch (...) {
        come.failure = std::current_exception();
    }
    for (const std::weak_ptr<Slot>& waiting : std::exchange(underWay_, {}))
        if (const std::shared_ptr<Slot> slot = waiting.lock()) *slot = come;
}

void StateFeed::pump(Simulation& simulation) {
    handOut();
    std::erase_if(next_, [](const auto& waiting) { return waiting.expired(); });
    if (next_.empty() || !underWay_.empty()) return;
    std::vector<std::weak_ptr<Slot>> waiting = std::exchange(next_, {});
    Slot come;
    try {
        come.state = known(simulation);
        if (!come.state) {
            const double begun = hostClock();
            StateFuture later = simulation.stateAsync();
            Copying copying{withoutBodies(simulation, std::move(later.rest)), std::move(later.bodies)};
            copying.state->cost = hostClock() - begun;
            worker_.ask(std::move(copying));
            underWay_ = std::move(waiting);
            return;
        }
    } catch (...) {
        come.failure = std::current_exception();
    }
    for (const std::weak_ptr<Slot>& one : waiting)
        if (const std::shared_ptr<Slot> slot = one.lock()) *slot = come;
}

StateTicket StateFeed::here(Simulation& simulation) {
    handOut();
    if (!underWay_.empty()) return {};
    StateTicket ticket = ask();
    pump(simulation);
    return ticket;
}

std::shared_ptr<const FedState> StateFeed::now(Simulation& simulation) {
    settle();
    std::shared_ptr<const FedState> state = known(simulation);
    if (!state) newest_ = state = copyOf(simulation);
    return state;
}

void StateFeed::serve(Simulation& simulation) {
    settle();
    pump(simulation);
    settle();
}

void StateFeed::beforeChange(Simulation& simulation) {
    const bool held = std::ranges::any_of(next_, [](const std::weak_ptr<Slot>& one) {
        const std::shared_ptr<Slot> slot = one.lock();
        return slot && slot->held;
    });
    if (held) serve(simulation);
}

void StateFeed::settle() {
    worker_.wait();
    handOut();
}

}  // namespace gravlab
