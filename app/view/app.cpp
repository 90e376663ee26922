#include "app/view/app.h"

#include "app/control/parameter.h"
#include "app/services/step_cost.h"
#include "app/system/host_clock.h"

#include <algorithm>
#include <limits>

namespace gravlab {
namespace {

// About 33 ms of GPU work in the queue last until the frame after the next, so that the device never idles; input latency is
// not affected. Where a picture takes longer, the steps have half of the device.
constexpr double kDeviceBudget = 33e-3;  // [s]

}  // namespace

App::App(const Options& options) : runs(document, options.simulation) {
    Document& d = document;
    // A window goes at the scene's pace and keeps everything in the picture, unless the command line says where the camera
    // is. One that counts its frames goes by steps.
    d.intent.speed = options.watched ? ownSpeed(d.facts) : 0;
    d.frameAll = options.watched && !options.flyPath && options.screenshot.empty() && !placesCamera(options.settings);
    d.profileWanted = services.instruments.wanted;
    d.holdRate = (options.command == Subcommand::view || options.inWindow) && options.screenshot.empty();
    d.tour.path = options.path.empty() ? CameraPath() : CameraPath(options.path);
    d.ui.files.shared = options.shared;
    d.overlay.labels = true;  // of scenes whose bodies have names
    applySettings(d, options.settings);
    d.shown = d.camera;
    if (options.flyPath) d.tour.start();
    // What the command line asks for is refused by ending, not by a message.
    if (options.twin.on) runs.beginTwin(options.twin);
    services.follow(runs);
}

bool App::apply(bool again) {
    const bool taken = runs.apply(again);
    services.follow(runs);
    return taken;
}

void App::advance(bool realTime) {
    Facts& facts = document.facts;
    const Intent& intent = document.intent;
    realTime_ = realTime;
    const double begun = hostClock();
    if (realTime) {
        if (facts.run != pacedRun_) pace_.restart();
        pacedRun_ = facts.run;
        if (!runs.ahead()) askPace(begun);
    }
    if (realTime && facts.time < facts.scene->story.time) document.storyRun = facts.run;
    const std::int64_t before = facts.step;
    runs.advance(realTime, realTime ? stepSeconds() : Budget{}.seconds);
    if (realTime) {
        pace_.made(facts.step - before);
        wantsMore_ = !intent.paused && (pace_.behind() || intent.speed == 0);
        view.quality().stepped(hostClock() - begun, pace_.behind() || intent.speed == 0);
        behind_ = intent.speed != 0 && pace_.behind() && onDevice();
    }
    services.advance(document, runs, realTime);
    readFacts();
}

void App::askPace(double now) {
    Facts& facts = document.facts;
    const Intent& intent = document.intent;
    facts.stepsDue = std::min(
        pace_.due(advancedAt_ > 0 ? now - advancedAt_ : 0, intent.paused ? 0 : intent.speed, facts.configuration.timeStep),
        stepsOfAQueue());
    advancedAt_ = now;
}

void App::advanceAhead() {
    if (!runs.takesAhead()) return;  // nor is any time taken from the pace of the next frame
    askPace(hostClock());
    runs.advanceAhead(stepSeconds());
}

/// How long the steps of a frame may take [s].
double App::stepSeconds() {
    if (document.intent.timeBudgetMs > 0) return document.intent.timeBudgetMs * 1e-3;
    return onDevice() ? deviceSeconds() : view.quality().budget();
}

double App::deviceSeconds() const { return std::max(kDeviceBudget, view.drawSeconds(runs)); }

/// Steps that a device is given at once. A long one ends its frame, and the next one is begun behind it: two in a frame
/// leave the device without work while their picture is handed over. Short ones, of which none is begun ahead, last until
/// the next frame.
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
    view.draw(document, runs, framebuffer, width, height, realTime_);
    if (drawn) measureBeside(document, realTime_, [&] { view.readSelected(document, runs, realTime_); });
    services.look(document, runs, realTime_, drawn, drawn ? view.drawSeconds(runs) : 0);
    readFacts();
}

void App::readFacts() {
    services.readFacts(document.facts);
    document.facts.speed = pace_.reached();
    document.facts.quality = view.lowered();
}

bool App::moving() const {
    return runs.moving() || view.moving(document, runs) || services.busy(document) || runs.virial().busy() ||
           document.drop.dragging() || document.aim.dragging();
}

void App::dropPicture() {
    runs.simulation().backend().wait();  // nothing may still be on its way into a texture that goes
    services.labLoop.dropPicture(services.lab);
    view.dropPicture();
    runs.dropPicture();
}

void App::remakePicture() {
    runs.makePicture();
    view.restart();
}

}  // namespace gravlab
