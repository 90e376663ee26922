// Session: what people do to single bodies: pick, read, follow, hold, remove, drop, undo.
// Rule: an edit is made between two complete steps, and everything that knows the bodies learns of it.
#include "app/host_clock.h"
#include "app/services/instruments.h"
#include "app/services/quality_ladder.h"
#include "app/services/rewind.h"
#include "app/services/trajectory_prediction.h"
#include "app/services/virial_check.h"
#include "app/session/frame_loop.h"
#include "app/session/launch.h"
#include "app/session/twin.h"
#include "app/view/four_view.h"
#include "render/centre_finder.h"
#include "render/nearest_bodies.h"
#include "render/picker.h"
#include "sim/core/body_edit.h"
#include "sim/core/error.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <optional>

namespace gravlab {
namespace {

constexpr float kPickRadius = 12;           // pixels
constexpr std::size_t kReadBodies = 65536;  // above, a copy of all bodies would be felt in every other frame
constexpr double kReadInterval = 0.5;       // [s]
constexpr double kStarShare = 0.01;         // of the whole mass, for a star that is dropped
constexpr const char* kNothingSelected = "No body is selected: click on one first.";

/// What an edit found in each of two runs. A twin that began later was like the first.
template <class Value>
class OfBoth {
public:
    void keep(bool ofTwin, const Value& value) { values_[ofTwin] = value; }
    const Value& of(bool ofTwin) const { return *values_[ofTwin && values_[1]]; }

private:
    std::array<std::optional<Value>, 2> values_;
};

/// The size of the set where there is none.
std::size_t indexOf(const ParticleSet& bodies, std::uint32_t id) {
    return static_cast<std::size_t>(std::find(bodies.id.begin(), bodies.id.end(), id) - bodies.id.begin());
}

}  // namespace

Session::~Session() = default;

void Session::pickAt(glm::vec2 cursor, glm::vec2 viewport) { pickWanted_ = PickRequest{cursor, viewport}; }

void Session::clearSelection() {
    selectedIndex_.reset();
    selected_.reset();
    follow = false;
}

void Session::select(std::size_t index) {
    if (index >= bodies_.size()) return;
    selectedIndex_ = index;
    selected_ = BodyReadout{.id = bodies_.id[index],
                            .galaxy = galaxyOf(bodies_.group[index]),
                            .dark = isDark(bodies_.group[index]),
                            .mass = static_cast<double>(bodies_.mass[index])};
    selected_->held = bodies_.motion[index] != BodyMotion::free;
    selected_->coasting = bodies_.motion[index] == BodyMotion::coasting;
    readAt_ = nearestAt_ = -1;
}

void Session::selectId(std::uint32_t id) {
    const auto found = std::find(bodies_.id.begin(), bodies_.id.end(), id);
    if (found == bodies_.id.end())
        throw UsageError("there is no body " + std::to_string(id) + " to select; ids go from " +
                         std::to_string(*std::min_element(bodies_.id.begin(), bodies_.id.end())) + " to " +
                         std::to_string(*std::max_element(bodies_.id.begin(), bodies_.id.end())));
    select(static_cast<std::size_t>(found - bodies_.id.begin()));
}

/// After the bodies have been drawn: asks the GPU, takes up what it has answered, never waits in a window.
void Session::lookAfterSelection() {
    if (!pickWanted_ && !pickAsked_ && !selectedIndex_) return;
    if (!picker_) picker_ = std::make_unique<Picker>();
    if (pickWanted_) {
        const SurfaceSpot spot = spotAt(pickWanted_->cursor, pickWanted_->viewport);
        // The twin's bodies have the places of the first's.
        picker_->ask(runs_[spot.ofTwin ? 1 : 0].vertices(),
                     spot.camera.projection(spot.size.x / std::max(spot.size.y, 1.0f)) * spot.camera.view(), spot.cursor,
                     spot.size, kPickRadius);
        pickAsked_ = true;
        pickWanted_.reset();
    }
    std::optional<std::size_t> body;
    if (pickAsked_ && picker_->take(body, !realTime_)) {
        pickAsked_ = false;
        if (body)
            select(*body);
        else
            clearSelection();
    }
    if (!selectedIndex_) return;
    picker_->watch(vertices(), *selectedIndex_);
    ParticleVertex vertex{};
    if (picker_->takeWatched(vertex, !realTime_)) {
        selected_->position = {vertex.x, vertex.y, vertex.z};
        selected_->placed = true;
        // Where bodies are too many to copy, the picture's own value serves.
        if (bodies_.size() > kReadBodies && shownMode().published == VertexValue::speed && !shownMode().ofTraits)
            selected_->speed = static_cast<double>(vertex.value);
    }
    if (follow && selected_->placed) {
        const glm::vec3 way = selected_->position - camera.target;
        camera.target += way;
        shown_.target += way;  // without lag: the body stands still and the rest moves
    }
    findNeighbours();
    beside([this] { readSelected(); });
}

/// Speed and energy come from a state of all bodies, so only now and then, and not of very many.
void Session::readSelected() {
    if (bodies_.size() > kReadBodies) return;
    const double now = hostClock();
    const bool due = readAt_ < 0 || (readStep_ != facts_.step && (!realTime_ || now - readAt_ >= kReadInterval));
    if (due) {
        readAt_ = now;
        readStep_ = facts_.step;
        readState_ = feed().ask();
        if (!realTime_) feed().serve(simulation());
    }
    const std::shared_ptr<const FedState> state = readState_.take();
    if (state && state->run == simulation().id()) readFrom(*state);
}

void Session::readFrom(const FedState& state) {
    const ParticleSet& bodies = state.state.bodies;
    const std::size_t me = *selectedIndex_;
    const Double4 &x = bodies.position[me], &v = bodies.velocity[me];
    const double soft2 = facts_.settings.softening * facts_.settings.softening;
    double depth = 0;
    for (std::size_t j = 0; j < bodies.size(); ++j) {
        if (j == me) continue;
        const Double4& y = bodies.position[j];
        const double r2 = (x.x - y.x) * (x.x - y.x) + (x.y - y.y) * (x.y - y.y) + (x.z - y.z) * (x.z - y.z) + soft2;
        if (r2 > 0) depth += y.w / std::sqrt(r2);
    }
    const double speed2 = v.x * v.x + v.y * v.y + v.z * v.z;
    selected_->speed = std::sqrt(speed2);
    selected_->energy = 0.5 * speed2 - depth;
}

/// Now and then, on the GPU; the answer comes a frame or two later.
void Session::findNeighbours() {
    if (!nearest_) nearest_ = std::make_unique<NearestBodies>();
    const double now = hostClock();
    const bool due = nearestAt_ < 0 || (nearestStep_ != facts_.step && (!realTime_ || now - nearestAt_ > kReadInterval));
    if (due && (nearestAt_ < 0 || !nearest_->asked())) {
        nearest_->ask(vertices(), *selectedIndex_);
        nearestAt_ = now;
        nearestStep_ = facts_.step;
    }
    std::vector<NearBody> found;
    if (!nearest_->take(found, !realTime_)) return;
    selected_->nearest.clear();
    for (const NearBody& body : found)
        if (body.index < bodies_.size())
            selected_->nearest.push_back({body.index, bodies_.id[body.index], static_cast<double>(body.distance)});
}

void Session::touch(Touch wanted) {
    switch (wanted) {
        case Touch::remove:
            return removeSelected();
        case Touch::dropStar:
            return dropStar();
        case Touch::undo:
            return undo();
        case Touch::hold:
            return holdSelected(false);
        case Touch::coast:
            return holdSelected(true);
        case Touch::launch:
            return launchOrder();
        case Touch::none:
            return;
    }
}

void Session::makeEdits(const Edits& edits) {
    ParticleSet bodies;
    simulation().snapshot(bodies);
    applyEdits(bodies, edits(bodies, false));
    simulation().load(bodies);
    if (rewind_) rewind_->edited(simulation());
    intent.settings = simulation().settings();
    readFacts();
    learnBodies();
    showAnew();
    editTwin(edits);
    // The same body may have another place in the list now, or none.
    if (!selected_) return;
    const bool followed = follow;
    const auto found = std::find(bodies_.id.begin(), bodies_.id.end(), selected_->id);
    if (found == bodies_.id.end()) return clearSelection();
    select(static_cast<std::size_t>(found - bodies_.id.begin()));
    follow = followed;
}

void Session::edit(const Edits& change, const Edits& back) {
    constexpr std::size_t kMostUndo = 100;
    try {
        makeEdits(change);
        undo_.push_back(back);
        if (undo_.size() > kMostUndo) undo_.erase(undo_.begin());
    } catch (const Error& error) {
        if (error.code() == ExitCode::deviceFailure) throw;
        say(error.what());
    }
}

void Session::removeSelected() {
    if (!selected_) return say(kNothingSelected);
    const std::uint32_t id = selected_->id;
    clearSelection();
    const auto removed = std::make_shared<OfBoth<BodyEdit>>();
    edit(
        [=](const ParticleSet& now, bool ofTwin) -> std::vector<BodyEdit> {
            const std::size_t i = indexOf(now, id);
            if (i == now.size()) return {};
            removed->keep(ofTwin, {.kind = BodyEdit::Kind::add,
                                   .id = id,
                                   .position = now.position[i],
                                   .velocity = now.velocity[i],
                                   .group = now.group[i]});
            return {BodyEdit{.kind = BodyEdit::Kind::remove, .id = id}};
        },
        [=](const ParticleSet&, bool ofTwin) { return std::vector{removed->of(ofTwin)}; });
}

void Session::dropStar() {
    double mass = 0;
    std::uint32_t newest = 0;
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
        mass += static_cast<double>(bodies_.mass[i]);
        newest = std::max(newest, bodies_.id[i]);
    }
    const BodyEdit star{.kind = BodyEdit::Kind::add,
                        .id = newest + 1,
                        .position = {camera.target.x, camera.target.y, camera.target.z, kStarShare * mass},
                        .velocity = {0, 0, 0, 1},
                        .group = newGroup()};
    edit([star](const ParticleSet&, bool) { return std::vector{star}; },
         [id = star.id](const ParticleSet&, bool) {
             return std::vector{BodyEdit{.kind = BodyEdit::Kind::remove, .id = id}};
         });
}

/// Holds the selected body, or lets it go when it is held in that way already. Undo gives back velocity and response.
void Session::holdSelected(bool moving) {
    if (!selected_) return say(kNothingSelected);
    const std::uint32_t id = selected_->id;
    const BodyMotion wanted = moving ? BodyMotion::coasting : BodyMotion::held;
    const auto before = std::make_shared<OfBoth<Double4>>();
    const auto change = [=, this](const ParticleSet& now, bool ofTwin) -> std::vector<BodyEdit> {
        const std::size_t i = indexOf(now, id);
        if (i == now.size()) return {};
        const Double4& velocity = now.velocity[i];
        before->keep(ofTwin, velocity);
        if (motionOf(velocity) != wanted) {
            if (!isHeld(velocity)) responses_[id] = velocity.w;
            return {holdBody(now, i, moving)};
        }
        // A body that was held when it came from a file answers as its fellows do.
        const auto known = responses_.find(id);
        const auto fellow =
            std::find_if(now.velocity.begin(), now.velocity.end(), [](const Double4& v) { return !isHeld(v); });
        const double usual = fellow == now.velocity.end() ? 1 : fellow->w;
        return {releaseBody(now, i, known == responses_.end() ? usual : known->second)};
    };
    const auto back = [=](const ParticleSet& now, bool ofTwin) -> std::vector<BodyEdit> {
        const std::size_t i = indexOf(now, id);
        if (i == now.size()) return {};
        BodyEdit edit = releaseBody(now, i, before->of(ofTwin).w);
        edit.velocity = before->of(ofTwin);
        return {edit};
    };
    edit(change, back);
}

void Session::undo() {
    if (undo_.empty()) return say("There is nothing to undo.");
    const Edits back = undo_.back();
    undo_.pop_back();
    try {
        makeEdits(back);
    } catch (const Error& error) {
        if (error.code() == ExitCode::deviceFailure) throw;
        say(error.what());
    }
}

}  // namespace gravlab
