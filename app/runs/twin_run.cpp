#include "app/runs/twin_run.h"

#include "app/parameters/twin_settings.h"
#include "app/system/host_clock.h"
#include "app/tables/format.h"

#include <algorithm>
#include <cmath>

namespace gravlab {
namespace {

constexpr std::int64_t kMostSteps = 64;  // of the run with the larger step, between two common times
constexpr double kSameRatio = 1e-11;     // rounding error of two decimal fractions
constexpr double kTrim = 0.01;           // largest relative change of a step

/// The present state of the first run, as a start for another.
std::shared_ptr<const StartState> presentStart(Simulation& first) {
    auto start = std::make_shared<StartState>();
    const Scene& scene = first.scene();
    start->name = first.configuration().scene;
    start->idea = scene.idea;
    start->caption = scene.caption;
    start->scene = scene.name;
    start->state = first.state();
    start->row = scene;
    start->row.name = start->name;
    start->row.idea = start->idea;
    start->row.caption = start->caption;
    start->row.bodiesGpu = start->row.bodiesCpu = start->row.fixedBodies = start->state.bodies.size();
    start->row.build = nullptr;
    return start;
}

}  // namespace

StepRatio stepRatio(double firstStep, double wantedTwinStep) {
    const double ratio = std::abs(wantedTwinStep / firstStep);
    // Steps of the smaller for `n` steps of the larger.
    const double many = ratio >= 1 ? ratio : 1 / ratio;
    std::int64_t few = 0;
    bool exact = false;
    for (std::int64_t n = 1; n <= kMostSteps && !exact; ++n) {
        const double steps = many * static_cast<double>(n), whole = std::round(steps);
        exact = std::abs(steps - whole) <= kSameRatio * steps;
        if (exact || (few == 0 && std::abs(steps - whole) <= kTrim * whole)) few = n;
    }
    const auto whole = static_cast<std::int64_t>(std::llround(many * static_cast<double>(few)));
    StepRatio result{.first = ratio >= 1 ? whole : few, .twin = ratio >= 1 ? few : whole};
    result.trimmed = !exact;
    const double meeting = firstStep * static_cast<double>(result.first);
    result.twinStep = exact ? std::copysign(wantedTwinStep, firstStep) : meeting / static_cast<double>(result.twin);
    return result;
}

TwinRun::TwinRun(Simulation& first, const TwinChoice& choice, bool fromPresent) {
    RunRequest wanted = twinRequest(first.configuration(), choice);
    start_ = first.configuration().start;
    link_.wantedStep = *wanted.timeStep;
    link_.ratio = stepRatio(first.configuration().timeStep, link_.wantedStep);
    wanted.timeStep = link_.ratio.twinStep;
    if (fromPresent) wanted.start = presentStart(first);
    twin_ = std::make_shared<Simulation>(wanted);
    linkHere(first);
}

TwinRun::~TwinRun() = default;

RunConfiguration TwinRun::configuration(const Simulation& first) const {
    RunConfiguration wanted = twin_->configuration();
    if (relink_) wanted.timeStep = stepRatio(first.configuration().timeStep, link_.wantedStep).twinStep;
    return wanted;
}

void TwinRun::linkHere(const Simulation& first) {
    link_.firstStep = first.configuration().timeStep;
    link_.first = first.step();
    link_.twin = twin_->step();
    relink_ = false;
}

void TwinRun::restoreLink(const TwinLink& link) {
    link_ = link;
    relink_ = bridging_ = false;
}

void TwinRun::follow(Simulation& first, const TwinChoice& choice) {
    RunRequest wanted = twinRequest(first.configuration(), choice);
    const RunRequest& now = twin_->request();
    const double step = *wanted.timeStep;
    // The twin keeps its start, and its kernel where settings allow it. A new time step waits for a common time of both
    // runs.
    wanted.start = now.start;
    wanted.timeStep = now.timeStep;
    if (wanted.pairs().kernel.open() && wanted.backend == now.backend && wanted.precision == now.precision &&
        wanted.law == now.law)
        wanted.pairs().kernel = now.pairs().kernel;
    if (wanted != now) twin_->apply(wanted);
    if (step != link_.wantedStep || first.configuration().timeStep != link_.firstStep) {
        link_.wantedStep = step;
        relink_ = true;
    }
}

void TwinRun::edit(const Edits& edits) {
    ParticleSet bodies = twin_->bodies();
    applyEdits(bodies, edits(bodies));
    twin_->load(bodies);
}

/// Brings both to one time by a step of the twin that spans the gap, and counts from there. False while that step is under
/// way.
bool TwinRun::relink(const Simulation& first, double seconds) {
    RunRequest wanted = twin_->request();
    if (!bridging_) {
        twin_->backend().finishStep();
        twin_->advance({.seconds = 0, .steps = 0}, nullptr);  // counts the step
        const double gap = first.time() - twin_->time();
        bridging_ = std::abs(gap) > 1e-9 * std::abs(first.configuration().timeStep);
        if (bridging_) {
            wanted.timeStep = gap;
            twin_->apply(wanted);
        }
    }
    if (bridging_ && twin_->advance({.seconds = seconds, .steps = 1}, nullptr).stepsCompleted == 0) return false;
    bridging_ = false;
    link_.ratio = stepRatio(first.configuration().timeStep, link_.wantedStep);
    wanted.timeStep = link_.ratio.twinStep;
    twin_->apply(wanted);
    linkHere(first);
    return true;
}

std::int64_t TwinRun::due(const Simulation& first) const {
    return (first.step() - link_.first) * link_.ratio.twin / link_.ratio.first - (twin_->step() - link_.twin);
}

bool TwinRun::catchUp(Simulation& first, double seconds) {
    const double end = hostClock() + seconds;
    // A step of the first that is under way still has the time step of its beginning.
    const bool settled = first.clock().timeStep == first.configuration().timeStep;
    while (due(first) > 0) {
        const double left = std::max(end - hostClock(), 0.0);
        twin_->advance({.seconds = left, .steps = due(first)}, nullptr);
        if (due(first) > 0 && hostClock() >= end) return false;
    }
    return !relink_ || !settled || relink(first, std::max(end - hostClock(), 0.0));
}

bool TwinRun::met(const Simulation& first) const {
    return !relink_ && (first.step() - link_.first) % link_.ratio.first == 0 && due(first) == 0;
}

std::int64_t TwinRun::stepsToMeeting(const Simulation& first) const {
    return link_.ratio.first - (first.step() - link_.first) % link_.ratio.first;
}

std::string TwinRun::note() const {
    if (!link_.ratio.trimmed) return {};
    return formatted(
        "The twin's time step %.6g was taken as %.6g, so that both runs meet: %lld of its steps are %lld of the "
        "first's.",
        std::abs(link_.wantedStep), std::abs(link_.ratio.twinStep), static_cast<long long>(link_.ratio.twin),
        static_cast<long long>(link_.ratio.first));
}

}  // namespace gravlab
