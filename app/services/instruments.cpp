#include "app/services/instruments.h"

#include "app/system/host_clock.h"

#include <algorithm>
#include <utility>

namespace gravlab {

ProfileRequest Instruments::usual(int galaxies) {
    // Groups that are species or single bodies are no galaxies.
    constexpr int kMostProfiles = 8;
    const bool apart = galaxies > 1 && galaxies <= kMostProfiles;
    return {.centre = ProfileCentre::core, .galaxy = apart ? 0 : -1, .sample = kSample};
}

/// Notices another run. True when it is one.
bool Instruments::follow(const Simulation& simulation, int galaxies) {
    if (std::exchange(run_, simulation.bodiesId()) == simulation.bodiesId()) return false;
    if (scene_ != &simulation.scene()) wanted = usual(galaxies);
    if (wanted.galaxy >= galaxies) wanted.galaxy = -1;
    scene_ = &simulation.scene();
    bodies_ = simulation.configuration().bodies;
    profile_.reset();
    asked_.drop();
    measuring_.drop();
    owed_ = false;
    lastStep_ = -1;
    nextAt_ = 0;
    return true;
}

void Instruments::take(double now) {
    owed_ = false;
    std::optional<Sample> sample = measuring_.poll();
    if (!sample) return;
    nextAt_ = std::max(nextAt_, now + sample->seconds / kShareOfACore);
    profile_ = std::move(sample->profile);
    request_ = sample->request;
    time_ = sample->time;
    step_ = sample->step;
}

Instruments::Sample Instruments::measured(const Task& task) {
    const double begun = hostClock();
    Sample sample{measureProfile(*task.from.unpack(), task.force, task.request), task.request, task.from.step,
                  task.from.time, 0};
    sample.seconds = hostClock() - begun;
    return sample;
}

void Instruments::start(KeptBodies from, const ForceSettings& force) {
    lastStep_ = from.step;
    owed_ = true;
    measuring_.ask({std::move(from), wanted, force});
}

void Instruments::update(const Simulation& simulation, StateFeed& feed, int galaxies,
                         const std::function<std::optional<KeptBodies>()>& kept, double now) {
    const bool other = (on || measuring_.busy()) && follow(simulation, galaxies);
    if (measuring_.busy()) return;
    take(now);
    if (!on) {
        asked_.drop();
        return;
    }
    if (const std::shared_ptr<const FedState> state = asked_.take(); state && state->run == run_) {
        nextAt_ = std::max(nextAt_, now + state->cost / kShareOfCopies);
        start({state->step(), state->time(), state->bodies(), [bodies = bodiesOf(state)] { return bodies; }}, state->force);
        return;
    }
    if (asked_.waiting()) return;
    // A choice is answered at once, even while paused.
    const bool asked = other || !profile_ || wanted != request_;
    std::optional<KeptBodies> from;
    if (bodies_ > kLarge && kept) from = kept();
    if (from && from->bodies != bodies_) from.reset();
    behind_ = (from ? from->step : simulation.step()) != lastStep_;
    if (!asked && (!behind_ || now < nextAt_)) return;
    nextAt_ = now + kInterval;
    behind_ = false;
    if (from)
        start(std::move(*from), simulation.force());
    else
        asked_ = feed.ask();
}

}  // namespace gravlab
