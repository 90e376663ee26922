// Edits of single bodies, the same for every backend.
#pragma once
#include "sim/backend.h"

#include <span>

namespace gravlab {

/// Applies `edits` in order. A body removed closes the gap, so the others keep their order; one added goes to the end.
/// All or nothing: throws UsageError for an id that is not there (set, remove) or already is (add), bodies unchanged.
void applyEdits(ParticleSet& bodies, std::span<const BodyEdit> edits);

}  // namespace gravlab
