#include "app/services/instruments.h"

#include "app/host_clock.h"

#include <algorithm>
#include <chrono>
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
    if (std::exchange(run_, simulation.id()) == simulation.id()) return false;
    if (scene_ != &simulation.scene()) wanted = usual(galaxies);
    scene_ = &simulation.scene();
    bodies_ = simulation.settings().bodies;
    profile_.reset();
    stale_ = running_.valid();
    lastStep_ = -1;
    nextAt_ = 0;
    return true;
}

void Instruments::take(double now) {
    Sample sample = running_.get();
    nextAt_ = std::max(nextAt_, now + sample.seconds / kShareOfACore);
    if (std::exchange(stale_, false)) return;
    profile_ = std::move(sample.profile);
    request_ = sample.request;
    time_ = sample.time;
    step_ = sample.step;
}

void Instruments::start(const Simulation& simulation, KeptBodies from) {
    lastStep_ = from.step;
    running_ = std::async(std::launch::async, [from = std::move(from), request = wanted, force = simulation.force()] {
        const auto begun = std::chrono::steady_clock::now();
        Sample sample{measureProfile(*from.unpack(), force, request), request, from.step, from.time, 0};
        sample.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
        return sample;
    });
}

void Instruments::look(Simulation& simulation, int galaxies, const std::function<std::optional<KeptBodies>()>& kept,
                       double now) {
    if (running_.valid()) {
        if (running_.wait_for(std::chrono::seconds(0)) != std::future_status::ready) {
            follow(simulation, galaxies);
            return;
        }
        take(now);
    }
    if (!on) return;
    const bool other = follow(simulation, galaxies);
    // A choice is answered at once, even while paused.
    const bool asked = other || !profile_ || wanted != request_;
    std::optional<KeptBodies> from;
    if (bodies_ > kLarge && kept) from = kept();
    if (from && from->bodies != bodies_) from.reset();
    behind_ = (from ? from->step : simulation.step()) != lastStep_;
    if (!asked && (!behind_ || now < nextAt_)) return;
    nextAt_ = now + kInterval;
    behind_ = false;
    if (from) {
        start(simulation, std::move(*from));
        return;
    }
    const double before = hostClock();
    if (!copy_) copy_ = std::make_shared<ParticleSet>();
    simulation.snapshot(*copy_);
    nextAt_ = now + std::max(kInterval, (hostClock() - before) / kShareOfCopies);
    start(simulation, {simulation.step(), simulation.time(), bodies_, [copy = copy_] { return copy; }});
}

}  // namespace gravlab
