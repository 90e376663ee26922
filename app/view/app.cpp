#include "app/view/app.h"

#include "app/parameters/parameter.h"
#include "app/system/host_clock.h"

#include <algorithm>
#include <limits>
#include <new>

namespace gravlab {
namespace {

// About 33 ms of GPU work in the queue last until the frame after the next, so the device never idles. Input latency is not
// affected. Where a picture takes longer, the steps have half of the device.
constexpr double kDeviceBudget = 33e-3;  // [s]

}  // namespace

void measureBeside(News& news, bool realTime, const std::function<void()>& measure) {
    try {
        measure();
    } catch (const std::bad_alloc&) {
        if (!realTime) throw;
        news.warn("There was not enough memory to measure the run, which continues.");
    }
}

void Services::follow(const RunHost& runs) {
    for (Service* service : all) service->follow(runs);
}

void Services::advance(const ServiceFrame& frame) {
    for (Service* service : all) measureBeside(frame.reports.news, frame.realTime, [&] { service->advance(frame); });
}

void Services::look(const ServiceFrame& frame) {
    for (Service* service : all) measureBeside(frame.reports.news, frame.realTime, [&] { service->look(frame); });
}

void Services::readFacts(RunFacts& facts) const {
    for (const Service* service : all) service->readFacts(facts);
}

bool Services::busy() const {
    return std::ranges::any_of(all, [](const Service* service) { return service->busy(); });
}

App::App(const StartOptions& options) : runs(document_, options.simulation, !options.pictureLater) {
    Document& d = document_;
    // A window advances at the scene's pace and keeps all bodies in the picture, unless the command line places the camera.
    // A window with a limited number of frames advances by steps.
    d.intent.speed = options.watched ? ownSpeed(d.facts) : 0;
    d.frameAll = options.watched && !options.flyPath && !options.still && !placesCamera(options.settings);
    d.holdRate = options.holdRate && !options.still;
    d.tour.path = options.path.empty() ? CameraPath() : CameraPath(options.path);
    d.overlay.labels = true;  // for scenes whose bodies have names
    applySettings(d, options.settings);
    d.ownTrails = options.sceneTrails && !options.settings.contains("look.trails");
    d.bringTrails();
    d.shown = d.camera;
    if (options.flyPath) d.tour.start();
    // An impossible command line ends the program; a message would not be enough.
    if (options.twin.on) runs.beginTwin(options.twin);
    services.follow(runs);
    runs.betweenSteps = [this] { services.conservation.watchStep(runs.simulation()); };
}

bool App::apply(bool again) {
    const bool taken = runs.apply(again);
    services.follow(runs);
    return taken;
}

void App::advance(bool realTime) {
    RunFacts& facts = reports.facts;
    const Intent& intent = document.intent;
    realTime_ = realTime;
    const double begun = hostClock();
    if (realTime) {
        if (facts.bodiesId != pacedRun_) pace_.restart();
        pacedRun_ = facts.bodiesId;
        if (!runs.ahead()) askPace(begun);
    }
    if (realTime && facts.time < facts.scene->story.time) document_.storyRun = facts.bodiesId;
    const std::int64_t before = facts.step;
    runs.advance(realTime, realTime ? stepSeconds() : Budget{}.seconds);
    if (runs.twinFailed()) post({{SetParameter{"twin.on", false}}, Sender::guard});
    if (realTime) {
        pace_.made(facts.step - before);
        wantsMore_ = !intent.paused && (pace_.behind() || intent.speed == 0);
        view.quality().stepped(hostClock() - begun, pace_.behind() || intent.speed == 0);
        behind_ = intent.speed != 0 && pace_.behind() && onDevice();
    }
    services.advance(serviceFrame(realTime));
    readFacts();
}

void App::askPace(double now) {
    RunFacts& facts = reports.facts;
    const Intent& intent = document.intent;
    facts.stepsDue = std::min(
        pace_.due(advancedAt_ > 0 ? now - advancedAt_ : 0, intent.paused ? 0 : intent.speed, facts.configuration.timeStep),
        stepsOfAQueue());
    advancedAt_ = now;
}

void App::advanceAhead() {
    if (!runs.takesAhead()) return;  // the pace of the next frame then loses no time either
    askPace(hostClock());
    runs.advanceAhead(stepSeconds());
}

/// Time limit for the steps of a frame [s].
double App::stepSeconds() {
    if (document.intent.timeBudgetMs > 0) return document.intent.timeBudgetMs * 1e-3;
    return onDevice() ? deviceSeconds() : view.quality().budget();
}

double App::deviceSeconds() const { return std::max(kDeviceBudget, view.drawSeconds(runs)); }

/// Number of steps that the device receives at once. One long step ends its frame, and the next one is queued behind it.
/// With two in a frame, the device would idle while their picture is presented. Short steps are never begun ahead, so their
/// number must last until the next frame.
std::int64_t App::stepsOfAQueue() {
    const double seconds = onDevice() ? stepCost(document.facts).seconds : 0;
    if (!(seconds > 0)) return std::numeric_limits<std::int64_t>::max();
    constexpr double kMost = 1e9, kShort = 4e-3;
    const double budget = (seconds < kShort ? 1 : 0.5) * deviceSeconds();
    return std::max<std::int64_t>(1, static_cast<std::int64_t>(std::min(budget / seconds, kMost)));
}

bool App::onDevice() { return runs.simulation().backend().vertexSpace() == MemorySpace::cudaDevice; }

void App::draw(unsigned framebuffer, int width, int height) {
    const bool drawn = width > 0 && height > 0;
    view.draw(document_, runs, framebuffer, width, height, realTime_);
    if (drawn) measureBeside(reports.news, realTime_, [&] { view.readSelected(document_, runs, realTime_); });
    services.look(serviceFrame(realTime_, drawn, drawn ? view.drawSeconds(runs) : 0));
    readFacts();
}

void App::readFacts() {
    services.readFacts(reports.facts);
    reports.facts.speed = pace_.reached();
    reports.facts.quality = view.lowered();
}

bool App::moving() const {
    return !posted_.empty() || runs.moving() || view.moving(document, runs) || services.busy() || document.drop.dragging() ||
           document.aim.dragging() || document.pull.on();
}

void App::dropPicture() {
    runs.simulation().backend().wait();  // the device must not write into a texture that is about to be destroyed
    services.labLoop.dropPicture();
    view.dropPicture();
    runs.dropPicture();
}

void App::remakePicture() {
    runs.makePicture();
    view.restart();
}

}  // namespace gravlab
