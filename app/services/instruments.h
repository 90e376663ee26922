// Profiles of the running galaxy, measured beside the picture. Rule: measures a state of the feed now and then, or one that
// is kept anyway. All sums run on a thread of their own, below a fixed fraction of the time.
#pragma once
#include "app/model/document.h"
#include "app/runs/history.h"
#include "app/runs/sampler.h"
#include "app/services/service.h"
#include "sim/measure/profile.h"
#include "sim/run/simulation.h"

#include <functional>
#include <optional>

namespace gravlab {

class Instruments : public Service {
public:
    static constexpr double kInterval = 1;          ///< between two profiles at least [s]
    static constexpr double kShareOfCopies = 0.02;  ///< largest fraction of the time, for copies that the picture waits for
    static constexpr double kShareOfACore = 0.05;   ///< largest fraction of the time, for the sums
    static constexpr std::size_t kFewest = kFewestOfCurves;
    /// Above this number a copy would noticeably lengthen a frame: then kept copies are used where there are any.
    static constexpr std::size_t kLarge = 131072;

    /// Whether to measure at all; off costs nothing.
    bool on = false;
    ProfileRequest wanted = usualProfile(0);

    /// Takes a finished profile and starts the next when it is due. Call once a frame. `kept`: the newest bodies that are
    /// kept anyway; may be empty. `now`: host clock [s].
    void update(Simulation& simulation, StateFeed& feed, int galaxies,
                const std::function<std::optional<KeptBodies>()>& kept, double now);

    void advance(const ServiceFrame& frame) override;

    struct Sample {
        Profile profile;
        ProfileRequest request;
        std::int64_t step = 0;
        double time = 0;  ///< [T]
    };
    /// The newest profile; empty before the first one, and after a change of scene.
    const std::optional<Sample>& newest() const { return newest_; }
    /// Whether a profile is under way or will be due: then frames are needed.
    bool busy() const override { return on && (sampler_.busy() || behind_); }

private:
    static Sample measured(const KeptBodies& from, const ForceSettings& force, const ProfileRequest& request) {
        return {measureProfile(*from.unpack(), force, request), request, from.step, from.time};
    }
    void notice(const Simulation& simulation, int galaxies);

    std::optional<Sample> newest_;
    const Scene* scene_ = nullptr;
    std::uint64_t run_ = 0;
    bool behind_ = false;  ///< a newer step could be measured
    Sampler<ProfileRequest, Sample> sampler_{
        {.interval = kInterval, .shareOfCopies = kShareOfCopies, .shareOfACore = kShareOfACore},
        [](const auto& state, const ProfileRequest& request, const auto&) {
            return measured({state->step(), state->time(), state->bodies(), [&] { return bodiesOf(state); }}, state->force,
                            request);
        }};
};

}  // namespace gravlab
