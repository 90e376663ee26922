// A second run of the same start in other settings, on the first one's clock. It knows no picture.
// Rule: the twin is never ahead of the first, and never behind by one of its own steps once it has caught up.
#pragma once
#include "app/model/twin_choice.h"
#include "sim/core/body_edit.h"
#include "sim/run/simulation.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gravlab {

/// Numbers of steps of two runs that cover the same time: `first` of one, `twin` of the other.
struct StepRatio {
    std::int64_t first = 1, twin = 1;
    double twinStep = 0;   ///< the twin's time step [T]
    bool trimmed = false;  ///< it is not the requested step, but the nearest that fits the first's
};

/// The shortest time after which whole steps of both end together. Where there is none within 64 steps of the smaller, the
/// twin's step is changed by less than a hundredth.
StepRatio stepRatio(double firstStep, double wantedTwinStep);

/// How the steps of both runs belong together, counted from a common time.
struct TwinLink {
    StepRatio ratio;
    double firstStep = 0;              ///< the first's time step that `ratio` belongs to
    double wantedStep = 0;             ///< the time step of the twin before it was trimmed
    std::int64_t first = 0, twin = 0;  ///< steps of both at that time
};

class TwinRun {
public:
    /// Starts as the first run did; with `fromPresent` from its present state and clock. Throws as Simulation does.
    TwinRun(Simulation& first, const TwinChoice& choice, bool fromPresent);
    ~TwinRun();

    Simulation& simulation() { return *twin_; }
    /// The same as a shared pointer, for the picture.
    const std::shared_ptr<Simulation>& shared() const { return twin_; }
    const Simulation& simulation() const { return *twin_; }
    /// The configuration that the settings of both lead to. Its time step is in force after the next common time.
    RunConfiguration configuration(const Simulation& first) const;

    /// Applies other settings of either run; the twin continues from its present state. Throws as Simulation::apply; the old
    /// twin then continues.
    void follow(Simulation& first, const TwinChoice& choice);
    /// Applies the first's edits to the twin's own bodies. Throws UsageError when they do not fit; nothing is changed then.
    using Edits = std::function<std::vector<BodyEdit>(const ParticleSet& now)>;
    void edit(const Edits& edits);

    /// Makes the steps that the twin is behind, within `seconds`. True when there are none left. Publishes nothing.
    bool catchUp(Simulation& first, double seconds);
    /// Both runs are complete at the same time.
    bool met(const Simulation& first) const;
    /// Steps of the first up to the next common time; at least 1.
    std::int64_t stepsToMeeting(const Simulation& first) const;
    const StepRatio& ratio() const { return link_.ratio; }
    /// The link that holds now; empty while a change of a time step waits for a common time.
    std::optional<TwinLink> link() const { return relink_ ? std::nullopt : std::optional(link_); }
    /// Both runs were put back to states of a time at which `link` held.
    void restoreLink(const TwinLink& link);
    /// A remark for the user about a trimmed time step; else empty.
    std::string note() const;

private:
    std::int64_t due(const Simulation& first) const;
    void linkHere(const Simulation& first);
    bool relink(const Simulation& first, double seconds);

    std::shared_ptr<Simulation> twin_;
    std::shared_ptr<const StartState> start_;  ///< the first's own start, whose texts the twin's may refer to
    TwinLink link_;
    bool relink_ = false;
    bool bridging_ = false;  ///< the step to the first's time is under way
};

}  // namespace gravlab
