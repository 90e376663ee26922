// Session: the second run beside the first. Rule: what goes wrong with the twin is a message, and the first run goes on.
#include "app/session/frame_loop.h"
#include "app/session/twin.h"
#include "app/view/four_view.h"
#include "sim/core/error.h"

#include <new>
#include <stdexcept>

namespace gravlab {
namespace {

/// The camera of a pane, where the wanted one is and not where the drawn one is on its way to it.
Camera aimedLike(Camera pane, const Camera& wanted) {
    pane.target = wanted.target;
    pane.distance = wanted.distance;
    return pane;
}

constexpr const char* kNoMemory = "There is not enough memory for a twin; the first run goes on alone.";

}  // namespace

bool Session::fourViewed() const { return fourView->on() && !twin_->on(); }

const Twin& Session::twin() const { return *twin_; }
Twin& Session::twin() { return *twin_; }

/// Does something to the twin. A failure is said and leaves intent.twin as what is in force.
template <class Action>
void Session::tryTwin(Action action) {
    try {
        action();
        if (twin_->on() && !twin_->note().empty()) say(twin_->note());
    } catch (const std::bad_alloc&) {
        twin_->end();
        say(kNoMemory);
    } catch (const std::runtime_error& error) {
        say(std::string("Twin: ") + error.what());
    }
    intent.twin = twin_->choice();
    traitsStale_ = true;  // both have the same
}

void Session::applyTwin() {
    if (intent.twin == twin_->choice()) return;
    const bool view = intent.twin.view != twin_->choice().view;
    if (twin_->on() && !intent.twin.on) simulation().publish(vertices());  // what is drawn may have waited for the twin
    tryTwin([&] { twin_->apply(intent.twin, edited_); });
    if (view) forgetBothTrails();
}

/// The first run was changed; `restarted`: its bodies are others.
void Session::followWithTwin(bool restarted) {
    if (restarted) edited_ = false;
    if (!twin_->on()) return;
    if (restarted && intent.twin != twin_->choice()) return twin_->end();  // another start has another twin: applyTwin()
    tryTwin([&] { twin_->follow(restarted); });
}

/// The first run has gone back to a kept state: both begin there.
void Session::bringTwin() {
    if (!twin_->on()) return;
    const TwinChoice wanted = twin_->choice();
    twin_->end();
    tryTwin([&] { twin_->apply(wanted, true); });
}

void Session::editTwin(const Edits& edits) {
    edited_ = true;
    if (!twin_->on()) return;
    tryTwin([&] { twin_->edit([&](const ParticleSet& now) { return edits(now, true); }); });
}

/// Advances both by up to `steps`; how many the first has made. A film of two runs is none of one.
std::int64_t Session::advancePair(std::int64_t steps, double seconds, bool realTime) {
    const auto end = [&](const std::string& why) {
        if (!realTime) throw;
        say(why);
        intent.twin = twin_->choice();
    };
    try {
        twin_->advance(steps, seconds, realTime);
    } catch (const std::bad_alloc&) {
        end(kNoMemory);
    } catch (const Error& error) {
        // Whose failure it was shows in the next step of the first alone.
        end(std::string("The twin has ended: ") + error.what());
    }
    facts_.stepProgress = twin_->progress().stepProgress;
    facts_.innerStep = twin_->progress().innerStep;
    return twin_->progress().steps;
}

/// Takes up what compares the two. A twin that cannot be compared ends, and a film of two runs with it.
void Session::updateTwin() {
    try {
        twin_->update(realTime_);
    } catch (const std::bad_alloc&) {
        twin_->end();
        if (!realTime_) throw;
        say(kNoMemory);
        intent.twin = twin_->choice();
    }
}

void Session::forgetBothTrails() {
    for (Run& run : runs_)
        if (run.hasPicture()) run.renderer().forgetTrails();
    trailStep_ = -1;
}

Session::SurfaceSpot Session::spotAt(glm::vec2 cursor, glm::vec2 surface) const {
    SurfaceSpot spot{.cursor = cursor, .size = surface, .camera = drawnCamera(), .ofTwin = false};
    if (fourViewed()) {
        const FourView::Pane pane = fourView->paneAt(cursor, surface, drawnCamera());
        return {.cursor = cursor - pane.from, .size = pane.size, .camera = pane.camera};
    }
    if (!twin_->on() || twin_->choice().view != TwinView::side) return spot;
    const auto panes = twin_->panes(static_cast<int>(surface.x), static_cast<int>(surface.y));
    spot.ofTwin = cursor.x >= static_cast<float>(panes[1].part.left);
    const TwinPane& pane = panes[spot.ofTwin ? 1 : 0];
    spot.cursor = cursor - glm::vec2(static_cast<float>(pane.part.left), static_cast<float>(pane.part.top));
    spot.size = {static_cast<float>(pane.part.width), static_cast<float>(pane.part.height)};
    spot.camera.distance *= pane.stretch;
    return spot;
}

void Session::zoomAt(float steps, glm::vec2 cursor, glm::vec2 surface) {
    const SurfaceSpot spot = spotAt(cursor, surface);
    if (fourViewed()) {
        Camera moved = aimedLike(spot.camera, camera);
        moved.zoom(steps, spot.cursor, spot.size);
        camera.target = moved.target;
        camera.distance = moved.distance;
        return;
    }
    const float stretch = spot.camera.distance / drawnCamera().distance;
    // The camera's own distance sees a surface that is smaller by the stretch.
    const glm::vec2 seen = spot.size / stretch;
    camera.zoom(steps, spot.cursor - 0.5f * spot.size + 0.5f * seen, seen);
}

void Session::panBy(glm::vec2 pixels, glm::vec2 cursor, glm::vec2 surface) {
    const SurfaceSpot spot = spotAt(cursor, surface);
    if (fourViewed()) {
        Camera moved = aimedLike(spot.camera, camera);
        moved.pan(pixels, spot.size);
        camera.target = moved.target;
        return;
    }
    camera.pan(pixels, spot.size * (drawnCamera().distance / spot.camera.distance));
}

void Session::centreOn(glm::vec2 cursor, glm::vec2 surface) {
    const SurfaceSpot spot = spotAt(cursor, surface);
    if (fourViewed()) {
        panBy(0.5f * spot.size - spot.cursor, cursor, surface);
        return;
    }
    camera.pan(0.5f * spot.size - spot.cursor, spot.size * (drawnCamera().distance / spot.camera.distance));
}

}  // namespace gravlab
