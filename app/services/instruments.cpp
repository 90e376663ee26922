#include "app/services/instruments.h"

#include "app/runs/run_host.h"

#include <utility>

namespace gravlab {

/// Notices another run.
void Instruments::notice(const Simulation& simulation, int galaxies) {
    if (std::exchange(run_, simulation.bodiesId()) == simulation.bodiesId()) return;
    if (scene_ != &simulation.scene()) wanted = usualProfile(galaxies);
    if (wanted.galaxy >= galaxies) wanted.galaxy = -1;
    scene_ = &simulation.scene();
    newest_.reset();
}

void Instruments::update(Simulation& simulation, StateFeed& feed, int galaxies,
                         const std::function<std::optional<KeptBodies>()>& kept, double now) {
    if (on) notice(simulation, galaxies);
    const std::size_t bodies = simulation.configuration().bodies;
    std::int64_t newest = simulation.step();
    std::optional<Sampler<ProfileRequest, Sample>::Other> other;
    if (std::optional<KeptBodies> from = on && bodies > kLarge && kept ? kept() : std::nullopt;
        from && from->bodies == bodies) {
        newest = from->step;
        other = {newest, [from = std::move(*from), force = simulation.force(), request = wanted](const auto&) {
                     return measured(from, force, request);
                 }};
    }
    // A new choice is measured at once, even while paused.
    if (auto sample = sampler_.update({simulation, feed, now}, on ? &wanted : nullptr, true, std::move(other)))
        newest_ = std::move(*sample);
    behind_ = sampler_.step() != newest;
}

void Instruments::advance(const ServiceFrame& frame) {
    if (!frame.realTime) return;
    const RunFacts& facts = frame.document.facts;
    const auto kept = [&] { return frame.runs.history() ? frame.runs.history()->newest(facts.step) : std::nullopt; };
    wanted = frame.document.profileWanted;
    update(frame.runs.simulation(), frame.runs.first().feed(), facts.galaxies, kept, frame.now);
}

}  // namespace gravlab
