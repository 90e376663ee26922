// What resists a force. Rule: source and response are a body's own two numbers; inertia follows from them and is stored
// nowhere.
#pragma once
#include "sim/core/particles.h"

namespace gravlab {

/// Source over response [M]: the mass, under every law. A body without response feels no force and counts for nothing.
inline double inertia(const Double4& position, const Double4& velocity) {
    return velocity.w != 0 ? position.w / velocity.w : 0;
}

}  // namespace gravlab
