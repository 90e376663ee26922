// Packed vectors of four by precision, for host and device code.
#pragma once
#include "sim/core/particles.h"

#include <type_traits>

namespace gravlab::cuda {

template <class Real>
using Vec4 = std::conditional_t<std::is_same_v<Real, float>, Float4, Double4>;

template <class Real>
GRAVLAB_HOST_DEVICE Vec4<Real> packedIn(const Double4& value) {
    return {static_cast<Real>(value.x), static_cast<Real>(value.y), static_cast<Real>(value.z), static_cast<Real>(value.w)};
}

/// Arrays of positions have pads up to a multiple of this: kernels that work on whole tiles read the pads.
constexpr std::uint32_t kBodyPadding = 256;
constexpr std::uint32_t padded(std::uint32_t count) { return (count + kBodyPadding - 1) / kBodyPadding * kBodyPadding; }

/// Coordinate of pads: so far away that their 1/r^3 underflows to exactly 0, near enough that r^2 is finite. Their mass is
/// 0.
template <class Real>
constexpr Real kPadDistance = std::is_same_v<Real, float> ? Real(1e18) : Real(1e150);

template <class Real>
constexpr Vec4<Real> kPad{kPadDistance<Real>, kPadDistance<Real>, kPadDistance<Real>, 0};

/// Rows in a table of a sparse matrix, whose columns a warp reads together: bonds, and lists of neighbours.
constexpr std::uint32_t kTableRows = 32;

}  // namespace gravlab::cuda
