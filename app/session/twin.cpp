#include "app/session/twin.h"

#include "app/host_clock.h"
#include "sim/core/error.h"

#include <algorithm>
#include <cmath>

namespace gravlab {
namespace {

constexpr int kDivider = 2;  // pixels

bool atStart(const Simulation& simulation) {
    const StartState* start = simulation.configuration().start.get();
    return simulation.step() == (start ? start->state.clock.step : 0);
}

Camera fromFarther(Camera camera, float stretch) {
    camera.distance *= stretch;
    return camera;
}

}  // namespace

std::array<TwinPane, 2> twinPanes(TwinView view, int width, int height, const PicturePart& free) {
    const PicturePart whole{0, 0, std::max(width, 1), std::max(height, 1)};
    if (view == TwinView::overlaid) return {TwinPane{whole}, TwinPane{whole}};
    // Panels that leave next to nothing free are drawn over, as over a single picture.
    const bool fits = free.width >= 64 && free.height >= 64 && free.left >= 0 && free.top >= 0 &&
                      free.left + free.width <= width && free.top + free.height <= height;
    const PicturePart area = fits ? free : whole;
    const int half = std::max((area.width - kDivider) / 2, 1);
    const float aspect = static_cast<float>(half) / static_cast<float>(area.height);
    const float stretch = std::max(1 / aspect, 1.0f);
    const int second = std::min(area.left + area.width - half, std::max(width - 1, 0));
    return {TwinPane{{area.left, area.top, half, area.height}, stretch},
            TwinPane{{second, area.top, half, area.height}, stretch}};
}

Twin::Twin(std::deque<Run>& runs) : runs_(runs) {}
Twin::~Twin() = default;

void Twin::start(const TwinChoice& wanted, bool fromPresent) {
    auto run = std::make_unique<TwinRun>(first().simulation(), wanted, fromPresent);
    if (!picture_) picture_ = std::make_unique<PairPicture>();
    if (runs_.size() > 1)
        second().take(run->shared());
    else
        runs_.emplace_back(run->shared());
    run_ = std::move(run);
    choice_ = wanted;
    choice_.on = true;
    stepSeconds_ = 0;
    even_ = true;
    const std::shared_ptr<const FedState> begun = first().feed().now(first().simulation());
    second().feed().settle();  // what was under way is of a twin that is gone
    watch_.restart(*begun, simulation());
    second().show(first().shown());
    second().renderer().forgetTrails();
    takeUp();
    // The start is what energies are compared with; very many bodies have none.
    if (begun->bodies() <= TwinWatch::kMostBodies) watch_.measure(side(first()), side(second()), hostClock(), true);
}

/// What follows from a twin that is new or was changed.
void Twin::takeUp() {
    second().attach();
    labels_ = twinLabels(first().simulation().configuration(), simulation().configuration());
    stepSeconds_ = 0;
    publish();
}

void Twin::apply(const TwinChoice& wanted, bool edited) {
    if (!wanted.on) {
        end();
        choice_ = wanted;
        return;
    }
    if (!on()) {
        try {
            start(wanted, edited || !atStart(first().simulation()));
        } catch (...) {
            end();
            throw;
        }
        return;
    }
    if (wanted.keys != choice_.keys || wanted.values != choice_.values) {
        run_->follow(first().simulation(), wanted);
        watch_.mark(first().simulation(), simulation());
        takeUp();
    }
    choice_ = wanted;
    labels_ = twinLabels(first().simulation().configuration(), simulation().configuration());
}

void Twin::follow(bool restarted) {
    if (!on()) return;
    try {
        if (restarted) {
            const TwinChoice wanted = choice_;
            run_.reset();  // first, so that the two never need room for three
            second().take(nullptr);
            start(wanted, false);
            return;
        }
        run_->follow(first().simulation(), choice_);
        watch_.mark(first().simulation(), simulation());
        takeUp();
    } catch (...) {
        end();
        throw;
    }
}

void Twin::edit(const TwinRun::Edits& edits) {
    if (!on()) return;
    try {
        run_->edit(edits);
        watch_.restart(*first().feed().now(first().simulation()), simulation());
        second().renderer().forgetTrails();
        publish();
    } catch (...) {
        end();
        throw;
    }
}

void Twin::end() {
    run_.reset();
    if (runs_.size() > 1) runs_.pop_back();
    picture_.reset();
    choice_.on = false;
}

void Twin::advance(std::int64_t steps, double seconds, bool realTime) {
    Simulation& first = this->first().simulation();
    progress_ = {.innerStep = progress_.innerStep};
    const double start = hostClock(), end = realTime ? start + seconds : 1e300;
    const auto left = [&] { return realTime ? std::max(end - hostClock(), 0.0) : 1e300; };
    const auto store = [&] {
        if (shownStep_ == first.step() && shownTwinStep_ == simulation().step()) return;
        this->first().publish();
        publish();
        shownStep_ = first.step();
    };
    const auto measureHere = [&] {
        if (!even_ || !run_->met(first)) return;
        store();
        watch_.measure(side(this->first()), side(second()), hostClock(), realTime);
    };
    try {
        const bool behind = !even_;
        even_ = run_->catchUp(first, left());
        // The work of this frame was to come together: that is shown, also where the budget never holds a whole turn.
        const bool together = realTime && behind && even_;
        if (together) {
            store();
            if (watch_.due(hostClock(), true)) measureHere();
        }
        for (bool begun = together; even_ && progress_.steps < steps && (!begun || left() > 0); begun = true) {
            std::int64_t chunk = steps - progress_.steps;
            // As many as the twin can follow within the same budget, so that each frame ends with both at one time.
            if (realTime && stepSeconds_ > 0)
                chunk = std::clamp<std::int64_t>(static_cast<std::int64_t>(0.8 * left() / stepSeconds_), 1, chunk);
            else if (realTime)
                chunk = 1;
            const bool due = watch_.due(hostClock(), realTime);
            if (due) chunk = std::min(chunk, run_->stepsToMeeting(first));
            const double before = hostClock();
            const AdvanceStatus status = first.advance({.seconds = left(), .steps = chunk}, nullptr);
            progress_.stepProgress = status.stepProgress;
            progress_.innerStep = status.innerStep;
            progress_.steps += status.stepsCompleted;
            if (status.stepsCompleted == 0 && realTime) break;
            even_ = run_->catchUp(first, left());
            if (status.stepsCompleted > 0)
                stepSeconds_ = (hostClock() - before) / static_cast<double>(status.stepsCompleted);
            // A film is measured once a frame, at its end.
            if (due && realTime) measureHere();
        }
        if (!even_) return;
        store();
        if (!realTime && watch_.due(0, false) && run_->met(first))
            watch_.measure(side(this->first()), side(second()), 0, false);
    } catch (...) {
        this->end();
        throw;
    }
}

void Twin::update(bool realTime) {
    if (realTime)
        second().feed().pump(simulation());
    else
        second().feed().settle();
    watch_.update(hostClock(), realTime);
}

void Twin::publish() {
    second().publish();
    shownTwinStep_ = simulation().step();
}

void Twin::dropPicture() {
    watch_.forgetPicture();
    picture_.reset();
}

void Twin::remakePicture() {
    if (on()) picture_ = std::make_unique<PairPicture>();
}

void Twin::draw(const Camera& camera, const Look& look, unsigned framebuffer, int width, int height, bool again) {
    const std::array<TwinPane, 2> where = panes(width, height);
    const PicturePart &one = where[0].part, &other = where[1].part;
    picture_->fit(one, other);
    const auto draws = again ? &ParticleRenderer::drawAgain : &ParticleRenderer::draw;
    (first().renderer().*draws)(first().vertices(), fromFarther(camera, where[0].stretch), look, picture_->first(),
                                one.width, one.height);
    (second().renderer().*draws)(second().vertices(), fromFarther(camera, where[1].stretch), look, picture_->twin(),
                                 other.width, other.height);
    if (choice_.view == TwinView::side)
        picture_->beside(one, other, look.paper, framebuffer, width, height);
    else
        picture_->overlay(look.paper, framebuffer, width, height);
}

}  // namespace gravlab
