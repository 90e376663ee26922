// Changes of bodies between two steps.
#pragma once
#include "sim/api/bodies.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace gravlab {

/// Bodies that changed between two steps, and bodies that are gone. Indices are those before the change.
struct BodyChanges {
    struct Body {
        std::uint32_t index = 0;
        Double4 position{}, velocity{};  ///< see ParticleSet
        Surface surface{};
    };
    std::vector<Body> changed{};           ///< in any order, each once
    std::vector<std::uint32_t> removed{};  ///< increasing; none of them is in `changed`
};
/// Removes the values of removed bodies.
template <class T>
void keepOthers(std::vector<T>& values, const std::vector<std::uint32_t>& removed) {
    if (removed.empty()) return;
    auto to = values.begin() + removed.front();
    for (std::size_t r = 0; r < removed.size(); ++r) {
        const auto from = values.begin() + removed[r] + 1;
        to = std::move(from, r + 1 < removed.size() ? values.begin() + removed[r + 1] : values.end(), to);
    }
    values.erase(to, values.end());
}
/// Writes the changes into the bodies; the others keep their order.
inline void apply(const BodyChanges& changes, ParticleSet& bodies) {
    for (const BodyChanges::Body& body : changes.changed) {
        bodies.position[body.index] = body.position;
        bodies.velocity[body.index] = body.velocity;
        if (!bodies.surface.empty()) bodies.surface[body.index] = body.surface;
    }
    keepOthers(bodies.position, changes.removed);
    keepOthers(bodies.velocity, changes.removed);
    keepOthers(bodies.id, changes.removed);
    keepOthers(bodies.group, changes.removed);
    if (!bodies.surface.empty()) keepOthers(bodies.surface, changes.removed);
}

}  // namespace gravlab
