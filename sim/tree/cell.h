// A cell of the tree as its bodies see it: total source, centre, second moments; and what a cell far away does to a group of
// bodies. Host and device, any Real. Softened as Plummer softens a pair, so that a cell of one body is that body.
//
// With e from the cell's centre to a point, s = e^2 + softening^2 and D_n = (-1)^n (2n-1)!! / s^(n+1/2), the sum of
// 1/sqrt(|e - r_j|^2 + softening^2) over sources m_j at r_j from the centre is, to second order,
//   F = M D_0 + (trace(Q) D_1 + e.Q.e D_2) / 2,   Q = sum of m_j r_j r_j   (raw: softened, the trace acts)
// Its gradient is the acceleration that gravity gives there. Other powers of the distance differ in D_n alone; charges,
// whose centre is that of their sizes, have first moments besides.
#pragma once
#include "sim/forces/law.h"

namespace gravlab {

/// The natural one.
template <class Real>
GRAVLAB_HOST_DEVICE Real logarithm(Real x) {
    return std::log(x);
}

#define GRAVLAB_TREE_FUNCTION GRAVLAB_HOST_DEVICE
#include "sim/tree/cell.inl"
#undef GRAVLAB_TREE_FUNCTION

}  // namespace gravlab
