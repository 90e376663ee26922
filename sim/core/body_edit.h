// Edits of single bodies, the same for every backend.
#pragma once
#include "sim/core/particles.h"

#include <span>

namespace gravlab {

/// A change of single bodies, applied at a step boundary.
struct BodyEdit {
    enum class Kind { set, remove, add, size } kind = Kind::set;  ///< `size` sets the radius alone
    std::uint32_t id = 0;
    Double4 position{}, velocity{};
    std::uint8_t group = 0;
    Surface surface{};  ///< of a body that is added or gets a size; `set` keeps the present one
};

/// Applies `edits` in order. Removing a body closes the gap, so the others keep their order; an added body comes last. All
/// or nothing: throws UsageError when an id does not exist (set, remove) or exists already (add), and leaves the bodies
/// unchanged. The time is proportional to bodies plus edits.
void applyEdits(ParticleSet& bodies, std::span<const BodyEdit> edits);

/// Whether a body is held: without response it feels no force, and rests or moves in a straight line.
inline bool isHeld(const Double4& velocity) { return velocity.w == 0; }

/// Holds body `index` from the next step, at rest or at its present velocity. It still attracts the other bodies.
BodyEdit holdBody(const ParticleSet& bodies, std::size_t index, bool moving);
/// Releases the body with its present velocity. `response`: see ParticleSet.
BodyEdit releaseBody(const ParticleSet& bodies, std::size_t index, double response);

}  // namespace gravlab
