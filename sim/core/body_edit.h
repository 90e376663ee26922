// Edits of single bodies, the same for every backend.
#pragma once
#include "sim/core/particles.h"

#include <span>

namespace gravlab {

/// A change of single bodies, applied at a step boundary.
struct BodyEdit {
    enum class Kind { set, remove, add } kind = Kind::set;
    std::uint32_t id = 0;
    Double4 position{}, velocity{};
    std::uint8_t group = 0;
};

/// Applies `edits` in order. A body removed closes the gap, so the others keep their order; one added goes to the end.
/// All or nothing: throws UsageError for an id that is not there (set, remove) or already is (add), bodies unchanged.
/// Takes time in proportion to bodies and edits together.
void applyEdits(ParticleSet& bodies, std::span<const BodyEdit> edits);

/// Whether a body is held: without response it feels no force, and stays or goes straight on.
inline bool isHeld(const Double4& velocity) { return velocity.w == 0; }

/// Holds body `index` from the next step on, at rest or on its present velocity. It goes on pulling the others.
BodyEdit holdBody(const ParticleSet& bodies, std::size_t index, bool moving);
/// Lets it go with the velocity that it has. `response`: see ParticleSet.
BodyEdit releaseBody(const ParticleSet& bodies, std::size_t index, double response);

}  // namespace gravlab
