// Edits of single bodies. Rule: works on a copy, so that a bad edit in a list changes nothing.
#include "sim/body_edit.h"

#include "sim/error.h"

#include <algorithm>
#include <utility>

namespace gravlab {
namespace {

using Difference = std::ptrdiff_t;

void applyOne(ParticleSet& bodies, const BodyEdit& edit) {
    const auto found = std::find(bodies.id.begin(), bodies.id.end(), edit.id);
    const bool exists = found != bodies.id.end();
    const Difference i = found - bodies.id.begin();
    const std::string name = "body " + std::to_string(edit.id);
    if (edit.kind == BodyEdit::Kind::add) {
        if (exists) throw UsageError(name + " cannot be added: there is one with that id already");
        bodies.position.push_back(edit.position);
        bodies.velocity.push_back(edit.velocity);
        bodies.id.push_back(edit.id);
        bodies.group.push_back(edit.group);
        return;
    }
    if (!exists) throw UsageError(name + " cannot be edited: there is none with that id");
    if (edit.kind == BodyEdit::Kind::set) {
        const std::size_t at = static_cast<std::size_t>(i);
        bodies.position[at] = edit.position;
        bodies.velocity[at] = edit.velocity;
        bodies.group[at] = edit.group;
        return;
    }
    if (bodies.size() == 1) throw UsageError(name + " cannot be removed: it is the last one");
    bodies.position.erase(bodies.position.begin() + i);
    bodies.velocity.erase(bodies.velocity.begin() + i);
    bodies.id.erase(bodies.id.begin() + i);
    bodies.group.erase(bodies.group.begin() + i);
}

}  // namespace

void applyEdits(ParticleSet& bodies, std::span<const BodyEdit> edits) {
    ParticleSet edited = bodies;
    for (const BodyEdit& edit : edits) applyOne(edited, edit);
    bodies = std::move(edited);
}

}  // namespace gravlab
