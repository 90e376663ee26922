// Lengths of vectors. Rule: w is no part of one.
#pragma once
#include "sim/core/particles.h"

#include <cmath>

namespace gravlab {

/// |a| by squares: fast, and 0 for what is so short that its square is.
inline double length(const Double4& a) { return std::sqrt(a.x * a.x + a.y * a.y + a.z * a.z); }

/// |a| of any length, the smallest differences included.
inline double exactLength(const Double4& a) { return std::hypot(a.x, a.y, a.z); }

/// |a - b|, as exactLength().
inline double distance(const Double4& a, const Double4& b) { return std::hypot(a.x - b.x, a.y - b.y, a.z - b.z); }

}  // namespace gravlab
