#include "app/session/twin.h"

#include "app/host_clock.h"
#include "sim/core/error.h"

#include <algorithm>
#include <cmath>

namespace gravlab {
namespace {

constexpr int kDivider = 2;  // pixels

bool atStart(const Simulation& simulation) {
    const StartState* start = simulation.settings().start.get();
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

Twin::Twin() = default;
Twin::~Twin() = default;

void Twin::start(Simulation& first, StateFeed& feed, const TwinChoice& wanted, bool fromPresent) {
    auto run = std::make_unique<TwinRun>(first, wanted, fromPresent);
    if (!renderer_) renderer_ = std::make_unique<ParticleRenderer>();
    if (!picture_) picture_ = std::make_unique<PairPicture>();
    run_ = std::move(run);
    choice_ = wanted;
    choice_.on = true;
    stepSeconds_ = 0;
    even_ = true;
    const std::shared_ptr<const FedState> begun = feed.now(first);
    feed_.settle();  // what was under way is of a twin that is gone
    watch_.restart(*begun, run_->simulation());
    attachBuffer();
    run_->simulation().backend().setVertexValue(value_);
    learnLabels(first);
    forgetTrails();
    publish();
    // The start is what energies are compared with; very many bodies have none.
    if (first.settings().bodies <= TwinWatch::kMostBodies)
        watch_.measure({first, feed, *buffer_}, {run_->simulation(), feed_, *buffer_}, hostClock(), true);
}

void Twin::learnLabels(const Simulation& first) { labels_ = twinLabels(first.settings(), run_->simulation().settings()); }

void Twin::attachBuffer() {
    const MemorySpace space = run_->simulation().backend().vertexSpace();
    const int device = run_->simulation().settings().backendOptions.device;
    if (buffer_ && space == bufferSpace_ && (space == MemorySpace::host || device == bufferDevice_)) return;
    buffer_ = makeParticleBuffer(space, device);
    bufferSpace_ = space;
    bufferDevice_ = device;
}

void Twin::apply(Simulation& first, StateFeed& feed, const TwinChoice& wanted, bool edited) {
    if (!wanted.on) {
        end();
        choice_ = wanted;
        return;
    }
    if (!on()) {
        start(first, feed, wanted, edited || !atStart(first));
        return;
    }
    const bool settings = wanted.keys != choice_.keys || wanted.values != choice_.values;
    if (settings) {
        run_->follow(first, wanted);
        attachBuffer();
        run_->simulation().backend().setVertexValue(value_);
        watch_.mark(first, run_->simulation());
        stepSeconds_ = 0;
        publish();
    }
    choice_ = wanted;
    learnLabels(first);
}

void Twin::follow(Simulation& first, StateFeed& feed, bool restarted) {
    if (!on()) return;
    try {
        if (restarted) {
            const TwinChoice wanted = choice_;
            run_.reset();  // first, so that the two never need room for three
            start(first, feed, wanted, false);
            return;
        }
        run_->follow(first, choice_);
        attachBuffer();
        run_->simulation().backend().setVertexValue(value_);
        watch_.mark(first, run_->simulation());
        stepSeconds_ = 0;
        learnLabels(first);
        publish();
    } catch (...) {
        end();
        throw;
    }
}

void Twin::edit(Simulation& first, StateFeed& feed, const TwinRun::Edits& edits) {
    if (!on()) return;
    try {
        run_->edit(edits);
        watch_.restart(*feed.now(first), run_->simulation());
        forgetTrails();
        publish();
    } catch (...) {
        end();
        throw;
    }
}

void Twin::end() {
    run_.reset();
    buffer_.reset();
    renderer_.reset();
    picture_.reset();
    choice_.on = false;
}

void Twin::advance(Simulation& first, StateFeed& feed, ParticleBuffer& shown, std::int64_t steps, double seconds,
                   bool realTime) {
    progress_ = {.innerStep = progress_.innerStep};
    const double start = hostClock(), end = realTime ? start + seconds : 1e300;
    const auto left = [&] { return realTime ? std::max(end - hostClock(), 0.0) : 1e300; };
    const auto store = [&] {
        if (shownStep_ == first.step() && shownTwinStep_ == simulation().step()) return;
        first.publish(shown);
        publish();
        shownStep_ = first.step();
    };
    const auto measureHere = [&] {
        if (!even_ || !run_->met(first)) return;
        store();
        watch_.measure({first, feed, shown}, {simulation(), feed_, *buffer_}, hostClock(), realTime);
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
            watch_.measure({first, feed, shown}, {simulation(), feed_, *buffer_}, 0, false);
    } catch (...) {
        this->end();
        throw;
    }
}

void Twin::update(bool realTime) {
    if (realTime)
        feed_.pump(simulation());
    else
        feed_.settle();
    watch_.update(hostClock(), realTime);
}

void Twin::setShown(VertexValue value, std::span<const BodyTrait> traits) {
    value_ = value;
    if (!on()) return;
    run_->simulation().backend().setVertexValue(value);
    renderer_->setTraits(traits);
    publish();
}

void Twin::publish() {
    if (!on()) return;
    run_->simulation().publish(*buffer_);
    shownTwinStep_ = run_->simulation().step();
}

void Twin::setMasses(std::span<const float> masses) {
    if (on()) renderer_->setMasses(masses);
}

void Twin::measureDensity(float size) {
    if (on()) renderer_->measureDensity(*buffer_, size);
}

void Twin::setDrawing(const PictureQuality& quality, PathWish path) {
    if (!on()) return;
    renderer_->setQuality(quality);
    renderer_->setPathWish(path);
}

void Twin::dropPicture() {
    if (on()) run_->simulation().backend().wait();
    watch_.forgetPicture();
    buffer_.reset();
    renderer_.reset();
    picture_.reset();
}

void Twin::remakePicture() {
    if (!on()) return;
    renderer_ = std::make_unique<ParticleRenderer>();
    picture_ = std::make_unique<PairPicture>();
    attachBuffer();
    publish();
}

void Twin::recordTrail(const Look& look) {
    if (on()) renderer_->recordTrail(*buffer_, look);
}

void Twin::forgetTrails() {
    if (renderer_) renderer_->forgetTrails();
}

void Twin::draw(ParticleRenderer& renderer, const ParticleBuffer& shown, const Camera& camera, const Look& look,
                unsigned framebuffer, int width, int height, bool again) {
    const std::array<TwinPane, 2> where = panes(width, height);
    const PicturePart &one = where[0].part, &other = where[1].part;
    picture_->fit(one, other);
    const auto draws = again ? &ParticleRenderer::drawAgain : &ParticleRenderer::draw;
    (renderer.*draws)(shown, fromFarther(camera, where[0].stretch), look, picture_->first(), one.width, one.height);
    ((*renderer_).*draws)(*buffer_, fromFarther(camera, where[1].stretch), look, picture_->twin(), other.width,
                          other.height);
    if (choice_.view == TwinView::side)
        picture_->beside(one, other, look.paper, framebuffer, width, height);
    else
        picture_->overlay(look.paper, framebuffer, width, height);
}

}  // namespace gravlab
