#include "app/view/workspace.h"

#include "app/control/parameter.h"
#include "app/services/step_cost.h"
#include "app/system/host_clock.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <new>

namespace gravlab {
namespace {

// What a device has in its queue must last until the frame after the next, and does not keep the window from answering. A
// picture that takes longer leaves half of the device to the steps.
constexpr double kDeviceBudget = 33e-3;  // [s]

}  // namespace

Workspace::Workspace(const Options& options)
    : host(*this, options.simulation,
           [this](const ParticleSet& bodies, const ForceSettings& force) { virial.begin(bodies, force); }) {
    // A window that somebody watches goes at the scene's pace; one that counts its frames, or is driven, by steps. It keeps
    // everything in the picture, unless somebody says where the camera is.
    intent.speed = options.watched ? ownSpeed(facts) : 0;
    frameAll = options.watched && !options.flyPath && options.screenshot.empty() && !placesCamera(options.settings);
    profileWanted = instruments.wanted;
    holdRate = options.command == Subcommand::view && options.screenshot.empty();
    tour.path = options.path.empty() ? CameraPath() : CameraPath(options.path);
    ui.files.shared = options.shared;
    overlay.labels = true;  // of scenes whose bodies have names
    applySettings(*this, options.settings);
    shown = camera;
    if (options.flyPath) tour.start();
    // What the command line asks for is refused by ending, not by a message.
    if (options.twin.on) host.beginTwin(options.twin);
    rateChanges_ = host.rateChanges();
}

bool Workspace::apply(bool again) {
    const bool taken = host.apply(again);
    if (rateChanges_ != host.rateChanges()) telemetry.restart();
    if (jumps_ != host.jumps()) conservation.jump(host.simulation());
    rateChanges_ = host.rateChanges();
    jumps_ = host.jumps();
    return taken;
}

void Workspace::advance(bool realTime) {
    realTime_ = realTime;
    const double begun = hostClock();
    if (realTime) {
        if (facts.run != pacedRun_) pace_.restart();
        pacedRun_ = facts.run;
        if (!host.ahead()) askPace(begun);
    }
    if (realTime && facts.time < facts.scene->story.time) storyRun = facts.run;
    const std::int64_t before = facts.step;
    host.advance(realTime, realTime ? stepSeconds() : Budget{}.seconds);
    if (realTime) {
        pace_.made(facts.step - before);
        wantsMore_ = !intent.paused && (pace_.behind() || intent.speed == 0);
        view.quality().stepped(hostClock() - begun, pace_.behind() || intent.speed == 0);
        behind_ = intent.speed != 0 && pace_.behind() && onDevice();
    }
    labLoop_.follow(lab, *this);
    if (realTime) {
        StateFeed& feed = host.first().feed();
        const double now = hostClock();
        beside([&] { conservation.update(host.simulation(), feed, now); });
        const auto kept = [this] { return host.history() ? host.history()->newest(facts.step) : std::nullopt; };
        instruments.wanted = profileWanted;
        beside([&] { instruments.update(host.simulation(), feed, facts.galaxies, kept, now); });
        profileWanted = instruments.wanted;  // another scene brings its own
        labLoop_.advance(lab, *this, host);
    }
    beside([&] { groupFinder.update(*this, host.simulation(), host.first().feed(), !realTime); });
    labLoop_.refreshMatrix(lab, *this, host, realTime);
    readMeasurements();
}

void Workspace::askPace(double now) {
    facts.stepsDue = std::min(
        pace_.due(advancedAt_ > 0 ? now - advancedAt_ : 0, intent.paused ? 0 : intent.speed, facts.configuration.timeStep),
        stepsOfAQueue());
    advancedAt_ = now;
}

void Workspace::advanceAhead() {
    if (!host.takesAhead()) return;  // nor is any time taken from the pace of the next frame
    askPace(hostClock());
    host.advanceAhead(stepSeconds());
}

/// How long the steps of a frame may take [s].
double Workspace::stepSeconds() {
    if (intent.timeBudgetMs > 0) return intent.timeBudgetMs * 1e-3;
    return onDevice() ? deviceSeconds() : view.quality().budget();
}

double Workspace::deviceSeconds() const { return std::max(kDeviceBudget, view.drawSeconds(host)); }

/// Steps that a device is given at once. A long one ends its frame, and the next one is begun behind it: two in a frame
/// leave the device without work while their picture is handed over. Short ones, of which none is begun ahead, last until
/// the next frame.
std::int64_t Workspace::stepsOfAQueue() {
    const double seconds = onDevice() ? stepCost(facts).seconds : 0;
    if (!(seconds > 0)) return std::numeric_limits<std::int64_t>::max();
    constexpr double kMost = 1e9, kShort = 4e-3;
    const double budget = (seconds < kShort ? 1 : 0.5) * deviceSeconds();
    return std::max<std::int64_t>(1, static_cast<std::int64_t>(std::min(budget / seconds, kMost)));
}

bool Workspace::onDevice() { return host.simulation().backend().vertexSpace() == MemorySpace::cudaDevice; }

/// Memory may be too short for what is measured beside a run, and enough for the run.
void Workspace::beside(const std::function<void()>& measure) {
    try {
        measure();
    } catch (const std::bad_alloc&) {
        if (!realTime_) throw;
        warn("There was not enough memory to measure the run; it goes on.");
    }
}

void Workspace::draw(unsigned framebuffer, int width, int height) {
    const bool drawn = width > 0 && height > 0;
    view.draw(*this, host, framebuffer, width, height, realTime_);
    const double now = hostClock();
    beside([&] { treeViewer.update(*this, host.simulation(), host.first().feed(), now, !realTime_); });
    if (drawn) {
        StateFeed& feed = host.first().feed();
        beside([&] { view.readSelected(*this, host, realTime_); });
        const BodyReadout* body = selected ? &*selected : nullptr;
        beside([&] { trajectory.update(host.simulation(), feed, ahead, body, now, !realTime_); });
        beside([&] { dropPath.update(host.simulation(), feed, drop, facts.usualResponse, now); });
    }
    telemetry.frame(host.simulation().totals(), hostClock(), drawn ? view.drawSeconds(host) : 0);
    readMeasurements();
}

/// What is known beside the runs, as facts.
void Workspace::readMeasurements() {
    facts.interactionsPerSecond = telemetry.interactionsPerSecond;
    facts.forceSeconds = telemetry.forceSeconds;
    facts.stepsPerSecond = telemetry.stepsPerSecond;
    facts.framesPerSecond = telemetry.framesPerSecond;
    facts.speed = pace_.reached();
    facts.frameMilliseconds = telemetry.frameMilliseconds;
    facts.energyChange = conservation.worstChange();
    facts.virial = facts.halfMassRadius = std::nullopt;
    if (const auto& points = conservation.points(); !points.empty()) {
        facts.virial = points.back().virial;
        facts.halfMassRadius = points.back().shape.lagrangianRadii[1];
    }
    facts.quality = view.lowered();
    facts.labBusy = lab.busy();
    if (facts.labStatus != lab.status()) facts.labStatus = lab.status();
    facts.labBest.reset();
    if (const SweepResult* best = lab.best())
        facts.labBest = LabBest{{best->row.kernel, best->point.kernel.launch}, best->point.options.threads};
}

bool Workspace::moving() const {
    if (host.moving() || view.moving(*this, host) || lab.busy() || labPanel.own.trying) return true;
    if (labPanel.visits && labPanel.shows(LabPage::matrix)) return true;
    if (conservation.busy() || instruments.busy() || groupFinder.busy() || treeViewer.busy() || virial.busy() ||
        (labPanel.open && lab.matrix.waiting()))
        return true;
    return trajectory.busy() || drop.dragging() || aim.dragging() || dropPath.busy();
}

void Workspace::dropPicture() {
    host.simulation().backend().wait();  // nothing may still be on its way into a texture that goes
    labLoop_.dropPicture(lab);
    view.dropPicture();
    host.dropPicture();
}

void Workspace::remakePicture() {
    host.makePicture();
    view.restart();
}

}  // namespace gravlab
