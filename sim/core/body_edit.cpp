// Edits of single bodies. They act on a copy, so that a bad edit in a list changes nothing.
#include "sim/core/body_edit.h"

#include "sim/api/errors.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace gravlab {
namespace {

/// Bodies under edit. Removed bodies keep their place, marked, until all edits are done: closing a gap costs O(N) per edit.
class Edited {
public:
    explicit Edited(const ParticleSet& bodies) : bodies_(bodies), gone_(bodies.size(), false), left_(bodies.size()) {
        place_.reserve(bodies.size());
        for (std::size_t i = 0; i < bodies.size(); ++i) place_.emplace(bodies.id[i], i);
    }

    void apply(const BodyEdit& edit) {
        const auto found = place_.find(edit.id);
        const bool exists = found != place_.end();
        const std::string name = "body " + std::to_string(edit.id);
        if (edit.kind == BodyEdit::Kind::add) {
            if (exists) throw UsageError(name + " cannot be added: there is one with that id already");
            place_.emplace(edit.id, bodies_.size());
            bodies_.position.push_back(edit.position);
            bodies_.velocity.push_back(edit.velocity);
            bodies_.id.push_back(edit.id);
            bodies_.group.push_back(edit.group);
            if (edit.surface.radius > 0) bodies_.surface.resize(bodies_.size() - 1);
            if (!bodies_.surface.empty()) bodies_.surface.push_back(edit.surface);
            gone_.push_back(false);
            ++left_;
            return;
        }
        if (!exists) throw UsageError(name + " cannot be edited: there is none with that id");
        const std::size_t at = found->second;
        if (edit.kind == BodyEdit::Kind::set) {
            bodies_.position[at] = edit.position;
            bodies_.velocity[at] = edit.velocity;
            bodies_.group[at] = edit.group;
            return;
        }
        if (edit.kind == BodyEdit::Kind::size) {
            bodies_.surface.resize(bodies_.size());
            bodies_.surface[at].radius = edit.surface.radius;
            return;
        }
        if (left_ == 1) throw UsageError(name + " cannot be removed: it is the last one");
        gone_[at] = true;
        place_.erase(found);
        --left_;
    }

    ParticleSet finish() {
        std::size_t kept = 0;
        for (std::size_t i = 0; i < bodies_.size(); ++i) {
            if (gone_[i]) continue;
            bodies_.position[kept] = bodies_.position[i];
            bodies_.velocity[kept] = bodies_.velocity[i];
            bodies_.id[kept] = bodies_.id[i];
            bodies_.group[kept] = bodies_.group[i];
            if (!bodies_.surface.empty()) bodies_.surface[kept] = bodies_.surface[i];
            ++kept;
        }
        bodies_.resize(kept);
        if (std::ranges::all_of(bodies_.surface, [](const Surface& surface) { return surface == Surface{}; }))
            bodies_.surface.clear();
        return std::move(bodies_);
    }

private:
    ParticleSet bodies_;
    std::vector<bool> gone_;
    std::unordered_map<std::uint32_t, std::size_t> place_;
    std::size_t left_;
};

BodyEdit settingOf(const ParticleSet& bodies, std::size_t index) {
    return {.kind = BodyEdit::Kind::set,
            .id = bodies.id[index],
            .position = bodies.position[index],
            .velocity = bodies.velocity[index],
            .group = bodies.group[index]};
}

}  // namespace

void applyEdits(ParticleSet& bodies, std::span<const BodyEdit> edits) {
    Edited edited(bodies);
    for (const BodyEdit& edit : edits) edited.apply(edit);
    bodies = edited.finish();
}

BodyEdit holdBody(const ParticleSet& bodies, std::size_t index, bool moving) {
    BodyEdit edit = settingOf(bodies, index);
    if (!moving) edit.velocity = {};
    edit.velocity.w = 0;
    return edit;
}

BodyEdit releaseBody(const ParticleSet& bodies, std::size_t index, double response) {
    BodyEdit edit = settingOf(bodies, index);
    edit.velocity.w = response;
    return edit;
}

}  // namespace gravlab
