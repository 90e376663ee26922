// Session: dropping bodies by hand, and the paths ahead of bodies.
// Rule: a path is a picture of what will be, and changes nothing of the run.
#include "app/host_clock.h"
#include "app/model/launch.h"
#include "app/services/trajectory_prediction.h"
#include "app/session/frame_loop.h"
#include "sim/core/body_edit.h"

#include <algorithm>
#include <cmath>

namespace gravlab {

LaunchScene Session::launchScene() const {
    return {.mass = totalMass_,
            .bodies = bodies_.size(),
            .size = facts_.scene->view.distance,
            .speed = facts_.scene->view.speedScale,
            .softening = facts_.configuration.force.softening,
            .gravity = facts_.configuration.force.law == Law::gravity,
            .response = usualResponse_};
}

void Session::startDrop(glm::vec2 cursor, glm::vec2 surface) {
    const SurfaceSpot spot = spotAt(cursor, surface);
    dropFrom_ = cursor - spot.cursor;
    launch_->press(spot.camera, spot.cursor, spot.size, launchScene());
}

void Session::moveDrop(glm::vec2 cursor) { launch_->move(cursor - dropFrom_); }

void Session::dropPending() {
    launch_->order = launch_->release();
    if (launch_->order) intent.touch = Touch::launch;
}

void Session::launchOrder() {
    if (!launch_->order) return;
    const LaunchOrder order = *launch_->order;
    launch_->order.reset();
    if (const std::string why = launch_->refusal(launchScene()); !why.empty()) return say(why);
    dropBodies(order);
}

void Session::dropBodies(const LaunchOrder& order) {
    const LaunchScene scene = launchScene();
    if (bodies_.size() + order.bodies > facts_.bodiesLimit) return say("There is not enough memory for so many bodies.");
    const std::uint32_t first = 1 + *std::max_element(bodies_.id.begin(), bodies_.id.end());
    const std::uint8_t group = newGroup();
    edit([=](const ParticleSet&, bool) { return launchEdits(order, scene, first, group, first); },
         [first, count = order.bodies](const ParticleSet& now, bool) {
             std::vector<BodyEdit> edits;
             for (const std::uint32_t id : now.id)
                 if (id >= first && id - first < count) edits.push_back({.kind = BodyEdit::Kind::remove, .id = id});
             return edits;
         });
}

/// Of bodies that are dropped: a colour and a centre of their own.
std::uint8_t Session::newGroup() const { return static_cast<std::uint8_t>(std::min(galaxies_, kMostGalaxies - 1)); }

void Session::learnHeld(const ParticleSet& bodies) {
    constexpr std::size_t kMostMarked = 64;
    held_.clear();
    for (std::size_t i = 0; i < bodies.size() && held_.size() < kMostMarked; ++i) {
        const Double4 &x = bodies.position[i], &v = bodies.velocity[i];
        if (isHeld(v))
            held_.push_back(
                {.id = bodies.id[i], .place = {x.x, x.y, x.z}, .velocity = {v.x, v.y, v.z}, .time = simulation().time()});
    }
    const auto free =
        std::find_if(bodies.velocity.begin(), bodies.velocity.end(), [](const Double4& v) { return !isHeld(v); });
    usualResponse_ = free == bodies.velocity.end() ? 1 : free->w;
}

void Session::lookAhead() {
    const double now = hostClock();
    beside([&] { orbit_->update(simulation(), feed(), selected_ ? &*selected_ : nullptr, now, !realTime_); });
    beside([&] { launchPath_->update(simulation(), feed(), *launch_, usualResponse_, now); });
}

}  // namespace gravlab
