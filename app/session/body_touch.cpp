// Session: what people do to single bodies: pick, read, follow, hold, remove, drop, undo.
// Rule: an edit is made between two complete steps, and everything that knows the bodies learns of it.
#include "app/host_clock.h"
#include "app/model/launch.h"
#include "app/services/instruments.h"
#include "app/services/quality_ladder.h"
#include "app/services/rewind.h"
#include "app/services/trajectory_prediction.h"
#include "app/services/virial_check.h"
#include "app/session/frame_loop.h"
#include "app/session/twin.h"
#include "app/view/four_view.h"
#include "render/centre_finder.h"
#include "render/nearest_bodies.h"
#include "render/picker.h"
#include "sim/core/body_edit.h"
#include "sim/core/error.h"
#include "sim/measure/body_energy.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>

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

/// What adds body `index` again.
BodyEdit addOf(const ParticleSet& bodies, std::size_t index) {
    return {.kind = BodyEdit::Kind::add,
            .id = bodies.id[index],
            .position = bodies.position[index],
            .velocity = bodies.velocity[index],
            .group = bodies.group[index]};
}

/// Adds a body at its place in the order: those behind it are taken out and come again after it.
std::vector<BodyEdit> addedAt(const ParticleSet& now, std::size_t place, const BodyEdit& body) {
    std::vector<BodyEdit> edits{body};
    for (std::size_t i = place; i < now.size(); ++i) {
        edits.push_back({.kind = BodyEdit::Kind::remove, .id = now.id[i]});
        edits.push_back(addOf(now, i));
    }
    return edits;
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
                            .source = static_cast<double>(bodies_.mass[index])};
    // Under gravity the two are one; else the mass takes the body's response, which comes with a copy.
    if (facts_.configuration.force.law == Law::gravity) selected_->mass = selected_->source;
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

/// Before the bodies are drawn, so that the camera of the picture knows where they are: asks the GPU, takes up what it has
/// answered, never waits in a window.
void Session::findSelection() {
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
    const auto before = responses_.find(selected_->id);  // of a body that is held
    const double response = !isHeld(v) ? v.w : before == responses_.end() ? usualResponse_ : before->second;
    const ForceSettings force = simulation().force();
    selected_->mass = response != 0 ? x.w / response : 0;
    selected_->speed = std::sqrt(v.x * v.x + v.y * v.y + v.z * v.z);
    selected_->energy = specificEnergy(bodies, me, force, response);
    selected_->bound = isBound(*selected_->energy, force);
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

/// Throws where they are refused, as Edits do or for want of memory; the bodies are then those of before.
void Session::makeEdits(const Edits& edits) {
    ParticleSet before;
    simulation().snapshot(before);
    ParticleSet bodies = before;
    applyEdits(bodies, edits(bodies, false));
    const auto takeUpBodies = [&] {
        if (rewind_) rewind_->edited(simulation());
        intent.request = simulation().request();
        readFacts();
        learnBodies();
        showAnew();
    };
    simulation().load(bodies);
    try {
        takeUpBodies();
    } catch (const std::bad_alloc&) {
        simulation().load(before);
        takeUpBodies();
        throw;
    } catch (const std::runtime_error&) {  // OpenGL has no room for what the simulation had room for
        simulation().load(before);
        takeUpBodies();
        throw;
    }
    editTwin(edits);
    // The same body may have another place in the list now, or none.
    if (!selected_) return;
    const bool followed = follow;
    const auto found = std::find(bodies_.id.begin(), bodies_.id.end(), selected_->id);
    if (found == bodies_.id.end()) return clearSelection();
    select(static_cast<std::size_t>(found - bodies_.id.begin()));
    follow = followed;
}

/// False, with a sentence, where they are refused and the run goes on as it was.
bool Session::tryEdits(const Edits& edits) {
    try {
        makeEdits(edits);
        return true;
    } catch (const std::bad_alloc&) {
        say("There is not enough memory for that; the run goes on as it was.");
    } catch (const DeviceError&) {
        throw;  // the bodies are lost
    } catch (const std::runtime_error& error) {
        say(error.what());
    }
    return false;
}

void Session::edit(const Edits& change, const Edits& back) {
    constexpr std::size_t kMostUndo = 100;
    const std::int64_t step = facts_.step;
    if (!tryEdits(change)) return;
    undo_.push_back({back, step});
    if (undo_.size() > kMostUndo) undo_.erase(undo_.begin());
}

void Session::removeSelected() {
    if (!selected_) return say(kNothingSelected);
    const std::uint32_t id = selected_->id;
    struct Removed {
        BodyEdit back;
        std::size_t place;
    };
    const auto removed = std::make_shared<OfBoth<Removed>>();
    edit(
        [=](const ParticleSet& now, bool ofTwin) -> std::vector<BodyEdit> {
            const std::size_t i = indexOf(now, id);
            if (i == now.size()) return {};
            removed->keep(ofTwin, {addOf(now, i), i});
            return {BodyEdit{.kind = BodyEdit::Kind::remove, .id = id}};
        },
        [=](const ParticleSet& now, bool ofTwin) {
            const Removed& body = removed->of(ofTwin);
            return addedAt(now, body.place, body.back);
        });
}

/// What the arrow drops first, heavier, at rest and in the middle of the picture.
void Session::dropStar() {
    const glm::dvec3 middle(camera.target);
    dropBodies({.row = 0, .mass = kStarShare * totalMass_, .place = middle});
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
    const Undo last = undo_.back();
    if (!tryEdits(last.edits)) return;  // it can be tried again
    undo_.pop_back();
    const std::int64_t since = std::abs(facts_.step - last.step);
    if (since == 0) return;
    say("Undone. " + std::to_string(since) + (since == 1 ? " step was" : " steps were") +
        " made since, so the other bodies are not where they were; Ctrl Left goes back in time.");
}

}  // namespace gravlab
