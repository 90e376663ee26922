#include "app/runs/body_editor.h"

#include "app/runs/run_host.h"
#include "sim/api/errors.h"
#include "sim/core/bad_bodies.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace gravlab {
namespace {

constexpr double kStarShare = 0.01;  // mass of a dropped star, as a fraction of the total mass
constexpr const char* kNothingSelected = "No body is selected: click on one first.";

/// State of the edited body in each of two runs. A twin that began later was like the first.
template <class Value>
class OfBoth {
public:
    void keep(bool ofTwin, const Value& value) { values_[ofTwin] = value; }
    /// Null when the edit found its body in neither run.
    const Value* of(bool ofTwin) const {
        const std::optional<Value>& value = values_[ofTwin && values_[1]];
        return value ? &*value : nullptr;
    }

private:
    std::array<std::optional<Value>, 2> values_;
};

/// Number of bodies in the set if the id is not found.
std::size_t indexOf(const std::vector<std::uint32_t>& ids, std::uint32_t id) {
    return static_cast<std::size_t>(std::find(ids.begin(), ids.end(), id) - ids.begin());
}

/// The edit that gives body `index` another velocity.
BodyEdit steered(const ParticleSet& bodies, std::size_t index, const Vec3d& velocity) {
    return {.kind = BodyEdit::Kind::set,
            .id = bodies.id[index],
            .position = bodies.position[index],
            .velocity = {velocity.x, velocity.y, velocity.z, bodies.velocity[index].w},
            .group = bodies.group[index]};
}

/// Velocity after `time` on a critically damped spring of that rate [1/T], `away` from its end. It is exact, so that no
/// pause between two calls makes the body swing.
Vec3d springVelocity(const Vec3d& away, const Vec3d& velocity, double rate, double time) {
    const Vec3d push = velocity + rate * away;
    return std::exp(-rate * time) * (push - rate * (away + time * push));
}

/// The edit that adds body `index` again.
BodyEdit addOf(const ParticleSet& bodies, std::size_t index) {
    return {.kind = BodyEdit::Kind::add,
            .id = bodies.id[index],
            .position = bodies.position[index],
            .velocity = bodies.velocity[index],
            .group = bodies.group[index],
            .surface = bodies.surface.empty() ? Surface{} : bodies.surface[index]};
}

/// Adds a body at its place in the order: those behind it are removed and added again after it.
std::vector<BodyEdit> addedAt(const ParticleSet& now, std::size_t place, const BodyEdit& body) {
    std::vector<BodyEdit> edits{body};
    for (std::size_t i = place; i < now.size(); ++i) {
        edits.push_back({.kind = BodyEdit::Kind::remove, .id = now.id[i]});
        edits.push_back(addOf(now, i));
    }
    return edits;
}

}  // namespace

std::vector<HeldBody> heldBodies(const ParticleSet& bodies, double time) {
    constexpr std::size_t kMostMarked = 64;
    std::vector<HeldBody> held;
    const std::size_t first = firstBad(bodies.size(), [&](std::size_t i) { return isHeld(bodies.velocity[i]); });
    for (std::size_t i = first; i < bodies.size() && held.size() < kMostMarked; ++i) {
        const Double4 &x = bodies.position[i], &v = bodies.velocity[i];
        if (isHeld(v))
            held.push_back({.id = bodies.id[i], .place = {x.x, x.y, x.z}, .velocity = {v.x, v.y, v.z}, .time = time});
    }
    return held;
}

double usualResponse(const ParticleSet& bodies) {
    const auto free =
        std::find_if(bodies.velocity.begin(), bodies.velocity.end(), [](const Double4& v) { return !isHeld(v); });
    return free == bodies.velocity.end() ? 1 : free->w;
}

void BodyEditor::begin() {
    jump();
    memory_.responses.clear();
}

void BodyEditor::jump() { memory_.bodies = ++newest_; }

double BodyEditor::responseOf(std::uint32_t id) const {
    const auto known = memory_.responses.find(id);
    return known == memory_.responses.end() ? document_.facts.usualResponse : known->second;
}

EffectResult BodyEditor::edit(const EditBodies& edits) {
    struct Row {
        std::string_view name;
        EffectResult (*make)(BodyEditor&, const EditBodies&);
    };
    static constexpr Row kRows[] = {
        {"remove", [](BodyEditor& e, const EditBodies&) { return e.removeSelected(); }},
        // The first body that the arrow drops: heavier, at rest and in the middle of the picture.
        {"drop-star",
         [](BodyEditor& e, const EditBodies&) {
             return e.drop({.row = 0,
                            .mass = kStarShare * e.document_.facts.totalMass,
                            .place = glm::dvec3(e.document_.camera.target)});
         }},
        // Fixes the selected body in place, or releases it from rest.
        {"hold", [](BodyEditor& e, const EditBodies&) { return e.holdSelected(false); }},
        // Switches the forces on the selected body off, or on again.
        {"coast", [](BodyEditor& e, const EditBodies&) { return e.holdSelected(true); }},
        {"launch",
         [](BodyEditor& e, const EditBodies& wanted) {
             if (!wanted.order) return EffectResult();
             const std::string why = e.document_.drop.refusal(e.document_.dropScene());
             return why.empty() ? e.drop(*wanted.order) : refusedBecause(why);
         }},
        {"aim",
         [](BodyEditor& e, const EditBodies& wanted) {
             return e.steerSelected([to = wanted.velocity](const Vec3d&) { return Vec3d{to.x, to.y, to.z}; });
         }},
        {"pull", [](BodyEditor& e, const EditBodies& wanted) { return e.pullSelected(wanted); }},
    };
    for (const Row& row : kRows)
        if (row.name == edits.row) return row.make(*this, edits);
    throw std::logic_error("no edit of bodies is called '" + std::string(edits.row) + "'");
}

EffectResult BodyEditor::replace(const ParticleSet& bodies) {
    return tryEdits([&](const ParticleSet&, bool) {
        std::vector<BodyEdit> edits;
        edits.reserve(bodies.size());
        for (std::size_t i = 0; i < bodies.size(); ++i)
            edits.push_back({.kind = BodyEdit::Kind::set,
                             .id = bodies.id[i],
                             .position = bodies.position[i],
                             .velocity = bodies.velocity[i],
                             .group = bodies.group[i]});
        return edits;
    });
}

/// Throws where edits are refused, by Edits or for lack of memory; the bodies are then unchanged.
void BodyEditor::makeEdits(const Edits& edits) {
    host_.first().feed().beforeChange(host_.simulation());
    ParticleSet before = host_.simulation().bodies();
    ParticleSet bodies = before;
    applyEdits(bodies, edits(bodies, false));
    host_.simulation().load(bodies);
    try {
        host_.followEdits();
    } catch (const std::exception&) {  // the copies of the bodies, or OpenGL, have too little memory
        host_.simulation().load(before);
        host_.followEdits();
        throw;
    }
    document_.facts.edited = true;
    if (host_.twin().on())
        host_.tryTwin([&] { host_.twin().edit([&](const ParticleSet& now) { return edits(now, true); }); });
    selectAgain();
}

void BodyEditor::selectAgain() {
    if (!document_.selected) return;
    const bool followed = document_.follow;
    const std::size_t index = indexOf(document_.facts.bodies->id, document_.selected->id);
    if (index == document_.facts.bodies->size()) return document_.clearSelection();
    document_.select(index);
    document_.follow = followed;
}

/// A refused edit leaves the run unchanged.
EffectResult BodyEditor::tryEdits(const Edits& edits) {
    return tried([&] { makeEdits(edits); });
}

EffectResult BodyEditor::tried(const std::function<void()>& work) {
    try {
        work();
        return {};
    } catch (const std::bad_alloc&) {
        return failedBecause("There is not enough memory for that; the run continues unchanged.");
    } catch (const DeviceError&) {
        throw;  // the bodies are lost
    } catch (const UsageError& error) {
        return refusedBecause(error.what());
    } catch (const std::runtime_error& error) {
        return failedBecause(error.what());
    }
}

EffectResult BodyEditor::edit(const Edits& change, const Edits& back) {
    EffectResult done = tryEdits(change);
    if (done.status == CommandStatus::applied)
        done.back = [this, back, step = document_.facts.step, of = memory_.bodies] { return undoEdit(back, step, of); };
    return done;
}

/// `step`: that of the edit to undo; `of`: the edited bodies.
EffectResult BodyEditor::undoEdit(const Edits& back, std::int64_t step, std::uint64_t of) {
    if (of != memory_.bodies) return refusedBecause("their run has begun anew");
    const EffectResult done = tryEdits(back);
    const std::int64_t since = std::abs(document_.facts.step - step);
    if (done.status != CommandStatus::applied || since == 0) return done;
    return {CommandStatus::applied,
            "Undone. " + std::to_string(since) + (since == 1 ? " step was" : " steps were") +
                " made since, so the other bodies are not where they were; Ctrl Left goes back in time.",
            {}};
}

Inverse BodyEditor::keepSizes() {
    constexpr std::size_t kMost = std::size_t{1} << 20;
    if (document_.facts.bodies->size() > kMost) return {};
    struct Size {
        double mass, radius;
    };
    const auto sizes = std::make_shared<std::unordered_map<std::uint32_t, Size>>();
    ParticleSet before = host_.simulation().bodies();
    for (std::size_t i = 0; i < before.size(); ++i)
        sizes->insert({before.id[i], {before.position[i].w, before.surface.empty() ? 0 : before.surface[i].radius}});
    return [this, sizes, edited = document_.facts.edited] {
        const EffectResult done = tryEdits([&](const ParticleSet& now, bool) {
            std::vector<BodyEdit> edits;
            for (std::size_t i = 0; i < now.size(); ++i) {
                const auto size = sizes->find(now.id[i]);
                // A body that has merged since keeps its size.
                if (size == sizes->end() || size->second.mass != now.position[i].w) continue;
                edits.push_back({.kind = BodyEdit::Kind::size, .id = now.id[i], .surface = {.radius = size->second.radius}});
            }
            return edits;
        });
        if (done.status == CommandStatus::applied) document_.facts.edited = edited;
        return done;
    };
}

EffectResult BodyEditor::removeSelected() {
    if (!document_.selected) return refusedBecause(kNothingSelected);
    const std::uint32_t id = document_.selected->id;
    struct Removed {
        BodyEdit back;
        std::size_t place;
    };
    const auto removed = std::make_shared<OfBoth<Removed>>();
    return edit(
        [=](const ParticleSet& now, bool ofTwin) -> std::vector<BodyEdit> {
            const std::size_t i = indexOf(now.id, id);
            if (i == now.size()) return {};
            removed->keep(ofTwin, {addOf(now, i), i});
            return {BodyEdit{.kind = BodyEdit::Kind::remove, .id = id}};
        },
        [=](const ParticleSet& now, bool ofTwin) {
            const Removed* body = removed->of(ofTwin);
            return body ? addedAt(now, body->place, body->back) : std::vector<BodyEdit>();
        });
}

EffectResult BodyEditor::drop(const DropOrder& order) {
    const DropScene scene = document_.dropScene();
    const RunFacts& facts = document_.facts;
    if (facts.bodies->size() + order.bodies > facts.bodiesLimit)
        return refusedBecause("There is not enough memory for so many bodies.");
    // Above the ids of removed bodies, too: an id belongs to one body.
    const std::uint32_t first =
        std::max(1 + *std::max_element(facts.bodies->id.begin(), facts.bodies->id.end()), facts.names->idsEnd());
    // The new body gets a colour group and a centre of its own.
    const auto group = static_cast<std::uint8_t>(std::min(facts.galaxies, kMostGalaxies - 1));
    EffectResult done = edit([=](const ParticleSet&, bool) { return dropEdits(order, scene, first, group, first); },
                             [first, count = order.bodies](const ParticleSet& now, bool) {
                                 std::vector<BodyEdit> edits;
                                 for (const std::uint32_t id : now.id)
                                     if (id >= first && id - first < count)
                                         edits.push_back({.kind = BodyEdit::Kind::remove, .id = id});
                                 return edits;
                             });
    // A ring marks what fell, and its panel has its numbers.
    if (done.status == CommandStatus::applied && !document_.selected) document_.selectId(first);
    return done;
}

/// Holds the selected body, or releases it when it is already held in that way. The undo restores velocity and response.
EffectResult BodyEditor::holdSelected(bool moving) {
    if (!document_.selected) return refusedBecause(kNothingSelected);
    const std::uint32_t id = document_.selected->id;
    const BodyMotion wanted = moving ? BodyMotion::coasting : BodyMotion::held;
    const auto before = std::make_shared<OfBoth<Double4>>();
    const auto change = [=, this](const ParticleSet& now, bool ofTwin) -> std::vector<BodyEdit> {
        const std::size_t i = indexOf(now.id, id);
        if (i == now.size()) return {};
        const Double4& velocity = now.velocity[i];
        before->keep(ofTwin, velocity);
        if (motionOf(velocity) != wanted) {
            if (!isHeld(velocity)) memory_.responses[id] = velocity.w;
            return {holdBody(now, i, moving)};
        }
        // A body that was held when it came from a file responds as its fellows do.
        const auto known = memory_.responses.find(id);
        return {releaseBody(now, i, known == memory_.responses.end() ? usualResponse(now) : known->second)};
    };
    const auto back = [=](const ParticleSet& now, bool ofTwin) -> std::vector<BodyEdit> {
        const std::size_t i = indexOf(now.id, id);
        const Double4* was = before->of(ofTwin);
        if (i == now.size() || !was) return {};
        BodyEdit edit = releaseBody(now, i, was->w);
        edit.velocity = *was;
        return {edit};
    };
    return edit(change, back);
}

/// Begins to pull the selected body. Undo returns to the state before the pull.
EffectResult BodyEditor::pullSelected(const EditBodies& wanted) {
    if (!document_.selected) return refusedBecause(kNothingSelected);
    BodyPull& pull = document_.pull;
    std::optional<glm::dvec3> to = wanted.place;
    if (!to && !pull.gripped()) to = glm::dvec3(document_.camera.target);
    EffectResult done;
    if (!pull.on()) {
        done.back = host_.keepState();
        pulledAt_ = host_.simulation().time();
    }
    pull.begin(document_.selected->id, to);
    if (document_.intent.paused) done.why = "The run is paused: the spring pulls as soon as it runs.";
    return done;
}

void BodyEditor::pull() {
    // The body follows within some thirty steps, slowly enough for every integrator.
    constexpr double kRate = 0.2;  // of the spring, times the time step
    const BodyPull& pull = document_.pull;
    if (!pull.on()) return;
    const double time = host_.simulation().time(), passed = std::abs(time - std::exchange(pulledAt_, time));
    if (passed == 0) return;
    const double step = document_.facts.configuration.timeStep, rate = kRate / std::abs(step);
    const std::uint32_t id = pull.body();
    const std::vector<std::uint32_t>& ids = document_.facts.bodies->id;
    if (indexOf(ids, id) == ids.size()) return document_.pull.end();
    const Vec3d end{pull.place().x, pull.place().y, pull.place().z};
    const auto pulled = [=](const Double4& at, const Double4& is) {
        // In a run backwards, the spring pulls along with the run.
        const double sign = step < 0 ? -1 : 1;
        return sign * springVelocity(xyz(at) - end, sign * xyz(is), rate, passed);
    };
    EffectResult done;
    if (host_.twin().on())
        done = tryEdits([=](const ParticleSet& now, bool) -> std::vector<BodyEdit> {
            const std::size_t i = indexOf(now.id, id);
            if (i == now.size() || isHeld(now.velocity[i])) return {};
            return {steered(now, i, pulled(now.position[i], now.velocity[i]))};
        });
    else
        done = tried([&] {
            const auto index = static_cast<std::uint32_t>(indexOf(ids, id));
            const BodyChanges::Body body = host_.simulation().backend().body(index);
            if (isHeld(body.velocity)) return;
            host_.simulation().steer(index, pulled(body.position, body.velocity));
            host_.afterSteer();
        });
    if (done.status == CommandStatus::applied) return;
    document_.pull.end();
    document_.warn(done.why);
}

/// Gives the selected body the velocity that `velocityOf` makes of its own; the undo restores the former one.
EffectResult BodyEditor::steerSelected(const std::function<Vec3d(const Vec3d& now)>& velocityOf) {
    if (!document_.selected) return refusedBecause(kNothingSelected);
    const std::uint32_t id = document_.selected->id;
    const auto before = std::make_shared<OfBoth<Double4>>();
    const auto moved = [id](const ParticleSet& now, const auto& change) -> std::vector<BodyEdit> {
        const std::size_t i = indexOf(now.id, id);
        if (i == now.size()) return {};
        const Double4& is = now.velocity[i];
        return {steered(now, i, change(is))};
    };
    return edit(
        [=](const ParticleSet& now, bool ofTwin) {
            return moved(now, [&](const Double4& is) {
                before->keep(ofTwin, is);
                return velocityOf(xyz(is));
            });
        },
        [=](const ParticleSet& now, bool ofTwin) {
            return moved(now, [&](const Double4& is) {
                const Double4* was = before->of(ofTwin);
                return xyz(was ? *was : is);
            });
        });
}

}  // namespace gravlab
