#include "app/view/frame.h"

#include "app/system/host_clock.h"
#include "sim/backends/profiler_range.h"

#include <algorithm>

namespace gravlab {

Frame::Made Frame::make(const FrameClock& clock, const Surfaces& to) {
    const ProfilerRange profiled("frame");
    const double begun = hostClock();
    const bool realTime = clock.steps == FrameClock::Steps::realTime;
    const Document& document = app_.document;
    for (Posted& posted : app_.takePosted()) controller_.post(std::move(posted.batch), posted.sender);
    Made made{.events = controller_.apply(host_)};
    if (to.afterCommands) to.afterCommands();
    if (to.shouldStop && to.shouldStop()) return made;
    bool moved = true;
    // The first picture of very many bodies comes before their first force, which takes seconds.
    constexpr std::size_t kVeryMany = std::size_t{1} << 24;
    const bool first = realTime && document.facts.bodiesId != run_ && document.facts.configuration.bodies >= kVeryMany;
    if (clock.steps != FrameClock::Steps::none) {
        if (!first) app_.advance(realTime);
        moved = app_.view.moving(document, app_.runs);  // the last frame of a movement is drawn, too
        if (!realTime) {
            // No picture may show a wrong force. A script must not depend on the duration of the check.
            if (!document.facts.check) app_.runs.settle();
            made.alarm = spotCheck_.update(app_.runs.simulation());
            if (!made.alarm.empty()) return made;
        }
        app_.turn(to.cameraSeconds ? to.cameraSeconds() : clock.seconds);
        if (realTime) app_.glide(clock.glide);
    }
    if (to.mustDraw && !moved && made.events.empty() && !to.mustDraw() && looksTheSame()) return made;
    app_.draw(to.framebuffer, to.width, to.height);
    remember();
    made.drawn = true;
    const bool shown = to.width > 0 && to.height > 0;
    if (shown && to.panels) to.panels();
    const double worked = hostClock() - begun;
    if (shown && to.ahead && !first) app_.advanceAhead();
    const double finished = hostClock();
    if (shown && to.present) to.present();
    made.seconds = hostClock() - begun;
    app_.services.telemetry.waited(made.seconds - (finished - begun));
    // The quality follows only the frames that a display shows.
    if (realTime && to.present) app_.view.frameTook(app_.runs, made.seconds, worked);
    return made;
}

/// Whether a picture now would look like the last one, or comes too early. During a long step only numbers change, and a
/// picture would delay the step. The same holds for a picture of every step where the run is behind its pace.
bool Frame::looksTheSame() const {
    constexpr double kNumbers = 0.1;  // interval [s] between updates of the numbers
    const double now = hostClock();
    const RunFacts& facts = app_.document.facts;
    const bool newer = facts.step != step_ || facts.twin.step != twinStep_;
    return facts.bodiesId == run_ && app_.services.conservation.points().size() == measured_ &&
           (!newer || (app_.behind() && now < dueAt_)) && now - at_ < kNumbers &&
           !app_.view.moving(app_.document, app_.runs);
}

void Frame::remember() {
    const RunFacts& facts = app_.document.facts;
    run_ = facts.bodiesId;
    measured_ = app_.services.conservation.points().size();
    step_ = facts.step;
    twinStep_ = facts.twin.step;
    at_ = hostClock();
    dueAt_ = std::max(dueAt_, at_ - kPicture) + kPicture;
}

}  // namespace gravlab
