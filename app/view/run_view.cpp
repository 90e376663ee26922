#include "app/view/run_view.h"

#include "app/model/look.h"
#include "app/services/non_finite_monitor.h"
#include "app/system/host_clock.h"
#include "app/tables/colour_mode.h"
#include "render/gl_limits.h"
#include "sim/core/thread_pool.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

namespace gravlab {

void RunView::draw(Document& document, RunHost& host, unsigned framebuffer, int width, int height, bool realTime) {
    if (!host.first().hasPicture()) return;
    const bool drawn = width > 0 && height > 0;
    host.recordTrails(document.look);
    if (realTime) watch(document, host);
    // This comes first: the picture and its labels then have the camera of the shown step. A followed galaxy is tracked
    // through every step, even through steps without a picture.
    if (drawn) selection_.find(document, host, realTime);
    if (drawn || !realTime) centre_.find(document, host.first().vertices(), realTime);
    const ParticleBuffer* second = host.runs().size() > 1 ? &host.runs().back().vertices() : nullptr;
    if (drawn || !realTime) framer_.find(document, host.first().vertices(), second, realTime);
    // A film must not depend on the clock of the machine.
    quality_.on = document.holdRate;
    quality_.photograph = look_.photograph.on;
    // A full picture of software OpenGL may take a second.
    if (!std::exchange(started_, true) && glLimits().software) quality_.startLow();
    const RunConfiguration& now = document.facts.configuration;
    if (const Load load{now.scene, static_cast<int>(std::bit_width(now.bodies)), width, height}; drawn && load != load_) {
        load_ = load;
        quality_.chooseAnew();
    }
    idle_ = realTime && drawn && isIdle(document, width, height);
    PictureQuality quality = realTime && !idle_ ? quality_.level().quality : PictureQuality{};
    quality_.keepsTrails = document.facts.configuration.bodies <= Document::kFewBodies;
    if (quality_.keepsTrails) quality.trails = true;
    if (drawn) every_ = realTime ? thinned(document, host) : 1;
    quality.every = every_;
    // The choice depends on the bodies alone, not on the machine or its clock.
    constexpr std::size_t kMany = 4'000'000;
    const bool many = document.facts.configuration.bodies >= kMany;
    const DrawMethodRequest ofFilm = many ? DrawMethodRequest::compute : DrawMethodRequest::raster;
    const DrawMethodRequest path = !realTime && document.splat == DrawMethodRequest::automatic ? ofFilm : document.splat;
    for (Run& run : host.runs()) {
        run.renderer().setQuality(quality);
        run.renderer().requestDrawMethod(path);
    }
    alike_ = document.fourViewed() ? kFourViews.size() : 1;
    bonds_.dress(document, host);
    if (drawn) {
        look_ = colouring_.look(document, host, realTime);
        compose(host, viewports(document, width, height, document.free), look_, framebuffer, width, height, false);
    }
    const std::string& why = host.first().renderer().path().why();
    if (document.facts.drawMethod != why) document.facts.drawMethod = why;
}

/// Few bodies need no watch on the GPU: their states are checked.
void RunView::watch(const Document& document, const RunHost& host) {
    const RunConfiguration& run = document.facts.configuration;
    outOfRange_ = false;
    if (run.bodies <= StateFeed::kMostUnfelt) return watch_.reset();
    if (!watch_) watch_ = std::make_unique<VertexWatch>();
    constexpr double kMost = std::numeric_limits<float>::max();
    outOfRange_ = watch_->look(host.first().vertices(), static_cast<float>(std::min(farthestOf(run), kMost)));
}

/// Whether the picture of a paused run has been still for a moment: a lowered look has no benefit then.
bool RunView::isIdle(const Document& document, int width, int height) {
    constexpr double kMoment = 0.4;  // [s]
    const RunFacts& facts = document.facts;
    Still now{facts.bodiesId, facts.revision,      facts.step, document.drawnCamera(),
              document.look,  document.colourMode, width,      height};
    if (!document.intent.paused || now != still_) stillSince_ = hostClock();
    still_ = std::move(now);
    return hostClock() - stillSince_ > kMoment;
}

/// Number of bodies for each one that is drawn. A hundred million bodies take a fast GPU longer than a frame. While the
/// camera moves, missing bodies are invisible, but a late picture is not.
int RunView::thinned(const Document& document, const RunHost& host) {
    constexpr double kStill = 0.15;  // [s]: a dragging hand pauses for less than this
    const double now = hostClock();
    if (const Camera camera = document.drawnCamera(); !(camera == movedTo_)) {
        movedTo_ = camera;
        movedAt_ = now;
    }
    const ParticleRenderer& renderer = host.first().renderer();
    if (!thinning_ || now - movedAt_ > kStill || renderer.path().measuring()) return 1;
    if (every_ > 1) return every_;  // the same bodies during the whole movement
    return thinnedBy(document.facts.configuration.bodies, renderer.wholeMilliseconds());
}

void RunView::drawAgain(RunHost& host, std::span<const Viewport> views, unsigned framebuffer, int width, int height) {
    Look drawn = look_;
    drawn.adaptation = 0;
    // Films have the full look, even beside a slow window.
    for (Run& run : host.runs()) run.renderer().setQuality({});
    compose(host, views, drawn, framebuffer, width, height, true);
}

void RunView::drawPieces(const Document& document, RunHost& host, const BodiesToRead& bodies, std::size_t piece,
                         unsigned framebuffer, int width, int height, const std::function<void(std::size_t)>& drawn) {
    constexpr std::size_t kGrain = 65536;  // bodies that a thread copies at a time
    const ColourMode& mode = document.shownMode();
    const SceneView& view = document.facts.scene->view;
    const Look few = sceneLook(view, document.facts.bodies->size()), many = sceneLook(view, bodies.size());
    Look look = look_;
    look.pointSize *= many.pointSize / few.pointSize;
    look.brightness *= many.brightness / few.brightness;
    ParticleRenderer& renderer = host.first().renderer();
    renderer.setQuality({});
    renderer.beginPieces(bodies.size());
    const std::unique_ptr<ParticleBuffer> buffer = makeHostParticleBuffer();
    const std::size_t pieces = (bodies.size() + piece - 1) / piece;
    ParticleSet part;
    std::size_t done = 0;
    for (std::size_t first = 0; first < pieces; ++first) {
        part.resize((bodies.size() - first + pieces - 1) / pieces);
        bodies.read(first, pieces, part);
        const VertexSpan vertices = buffer->open(part.size(), nullptr);
        parallelFor(part.size(), 0, kGrain, [&](std::size_t begin, std::size_t end) {
            for (std::size_t k = begin; k < end; ++k) {
                const Double4 &x = part.position[k], &v = part.velocity[k];
                // Accelerations are not known here; such a picture is refused before.
                vertices.data[k] = {static_cast<float>(x.x), static_cast<float>(x.y), static_cast<float>(x.z),
                                    vertexValue(mode.published, x.w, length(xyz(v)), [] { return 0; })};
            }
        });
        buffer->close(nullptr);
        BodyFacts facts = bodyFacts(part);
        facts.all = bodies.size();
        renderer.setTraits(bodyTraits(mode, facts, view.stars, view.celestials));
        renderer.draw(*buffer, document.drawnCamera(), look, framebuffer, width, height);
        drawn(done += part.size());
    }
}

void RunView::compose(RunHost& host, std::span<const Viewport> views, const Look& look, unsigned framebuffer, int width,
                      int height, bool again) {
    const auto drawn = [&](const Viewport& view, const Look& as, unsigned into, int wide, int high) {
        Run& run = host.runs()[view.run];
        const auto draws = again ? &ParticleRenderer::drawAgain : &ParticleRenderer::draw;
        (run.renderer().*draws)(run.vertices(), view.camera, as, into, wide, high);
    };
    if (views.size() == 1) return drawn(views[0], look, framebuffer, width, height);
    if (views.size() == 2) {
        const PicturePart &one = views[0].rectangle, &other = views[1].rectangle;
        if (!pair_) pair_ = std::make_unique<PairPicture>();
        pair_->fit(one, other);
        drawn(views[0], look, pair_->first(), one.width, one.height);
        drawn(views[1], look, pair_->twin(), other.width, other.height);
        if (one == other) return pair_->overlay(look.paper, framebuffer, width, height);
        return pair_->beside(one, other, look.paper, framebuffer, width, height);
    }
    if (!part_) part_ = std::make_unique<PartTarget>();
    const PicturePart &first = views.front().rectangle, &last = views.back().rectangle;
    const int below = last.top + last.height;
    PartTarget::fill(framebuffer, look.paper ? 1 : 0, 0, 0, width, height);
    // The gaps are slightly lighter or darker than the background, so that they look like lines.
    PartTarget::fill(framebuffer, look.paper ? 0.78f : 0.16f, first.left, height - below,
                     last.left + last.width - first.left, below - first.top);
    // The view of space is first: the exposure adapts to it once a frame.
    Look others = look;
    others.adaptation = 0;
    const auto copied = [&](const Viewport& view, const Look& as) {
        const PicturePart& part = view.rectangle;
        drawn(view, as, part_->framebuffer(part.width, part.height), part.width, part.height);
        part_->copyTo(framebuffer, part.left, part.top, height);
    };
    copied(views[kSpaceView], look);
    for (const Viewport& view : views)
        if (&view != &views[kSpaceView]) copied(view, others);
}

double RunView::drawSeconds(const RunHost& host) const {
    const ParticleRenderer& renderer = host.first().renderer();
    return renderer.reused() ? 0 : static_cast<double>(alike_) * renderer.drawMilliseconds() * 1e-3;
}

void RunView::frameTook(const RunHost& host, double seconds, double workSeconds) {
    if (!host.first().hasPicture() || idle_) return;
    // A trial draws its frames the slower way on purpose. A picture under way may still have the look before it.
    const ParticleRenderer& renderer = host.first().renderer();
    if (!renderer.path().measuring() && (renderer.reused() || renderer.timedAtThisQuality()))
        quality_.frame(seconds, workSeconds, drawSeconds(host));
}

double RunView::idleSeconds(const RunHost& host, double seconds, bool behind) const {
    constexpr double kLongest = 0.1;  // [s]: the window must stay responsive
    if (!glLimits().software || behind || !quality_.on || !host.first().hasPicture()) return 0;
    return std::clamp(2 * drawSeconds(host) - seconds, 0.0, kLongest);
}

bool RunView::moving(const Document& document, const RunHost& host) const {
    if (document.gliding || document.rotation != 0 || document.tour.playing || document.pick || selection_.busy() ||
        marks_.busy())
        return true;
    if (host.first().hasPicture() && host.first().renderer().path().measuring()) return true;
    if (document.intent.paused && quality_.lowered() && !idle_) return true;
    if (every_ > 1) return true;  // until all bodies are drawn
    return colouring_.adapting(document);
}

void RunView::dropPicture() {
    selection_.dropPicture();
    centre_.dropPicture();
    framer_.dropPicture();
    watch_.reset();
    part_.reset();
    pair_.reset();
}

}  // namespace gravlab
