// Moments of a node, computed from the bodies of a leaf or from the children of another node. Host and device, any Real.
// Rule: the order of sums depends on bodies and children alone, and so do all bits.
#pragma once
#include "sim/tree/criterion.h"

#include <cstdint>
#include <type_traits>

namespace gravlab {

template <class Real>
struct FirstMoments {
    Real dipole[3] = {};  ///< sum of source times position, about the centre
};
struct NoFirstMoments {};

/// kSigned: sources have either sign, so that their centre differs from that of their sizes.
template <class Real, bool kSigned = false>
struct NodeMoments : std::conditional_t<kSigned, FirstMoments<Real>, NoFirstMoments> {
    static constexpr Real kFar = Real(3e38);
    CellMoments<Real> cell;
    Real farthest = 0;  ///< upper bound of a body's distance from the centre
    Real weight = 0;    ///< sum of |source|; the cell's centre is its centre
    Real low[3] = {kFar, kFar, kFar}, high[3] = {-kFar, -kFar, -kFar};
    std::uint32_t bodies = 0;
};

/// A body of a leaf.
template <class Real>
struct TreeBody {
    Real x, y, z, source;
};

/// Factor on a distance, so that rounding leaves no body outside.
constexpr float kRoundedUp = 1 + 1e-6f;

/// The smaller and the larger number. On a device, where one is NaN it is the other one.
template <class Real>
GRAVLAB_HOST_DEVICE Real lower(Real a, Real b) {
#if defined(__CUDA_ARCH__)
    return fmin(a, b);
#else
    return b < a ? b : a;
#endif
}
template <class Real>
GRAVLAB_HOST_DEVICE Real higher(Real a, Real b) {
#if defined(__CUDA_ARCH__)
    return fmax(a, b);
#else
    return b > a ? b : a;
#endif
}
/// Hosts and devices add in different orders, which determine the last bits of their forces.
template <class Real>
GRAVLAB_HOST_DEVICE Real squaredLength(Real x, Real y, Real z) {
#if defined(__CUDA_ARCH__)
    return x * x + y * y + z * z;
#else
    return x * x + (y * y + z * z);
#endif
}

/// The centre. Where all bodies are massless it may be anywhere, because they pull no other body.
template <class Node, class Real>
GRAVLAB_HOST_DEVICE void setCentre(Node& node, const TreeBody<Real>& origin, Real x, Real y, Real z) {
    const Real inverse = node.weight > Real(0) ? Real(1) / node.weight : Real(0);
    node.cell.x = origin.x + x * inverse;
    node.cell.y = origin.y + y * inverse;
    node.cell.z = origin.z + z * inverse;
}

/// `body(k)` is the leaf's k-th TreeBody.
template <class Real, bool kSigned = false, class Body>
GRAVLAB_HOST_DEVICE NodeMoments<Real, kSigned> leafMoments(int bodies, const Body& body) {
    NodeMoments<Real, kSigned> node;
    const TreeBody<Real> origin = body(0);
    Real sum[3] = {};
    for (int k = 0; k < bodies; ++k) {
        const TreeBody<Real> one = body(k);
        const Real at[3] = {one.x, one.y, one.z}, from[3] = {one.x - origin.x, one.y - origin.y, one.z - origin.z};
        const Real weight = std::fabs(one.source);
        for (int axis = 0; axis < 3; ++axis) {
            sum[axis] += weight * from[axis];
            node.low[axis] = lower(node.low[axis], at[axis]);
            node.high[axis] = higher(node.high[axis], at[axis]);
        }
        node.weight += weight;
        node.cell.source += one.source;
    }
    setCentre(node, origin, sum[0], sum[1], sum[2]);
    Real squared = 0;
    for (int k = 0; k < bodies; ++k) {
        const TreeBody<Real> one = body(k);
        const Real x = one.x - node.cell.x, y = one.y - node.cell.y, z = one.z - node.cell.z;
        squared = higher(squared, squaredLength(x, y, z));
        addSecondMoments(node.cell.moments, one.source, x, y, z);
        if constexpr (kSigned) {
            node.dipole[0] += one.source * x;
            node.dipole[1] += one.source * y;
            node.dipole[2] += one.source * z;
        }
    }
    node.farthest = std::sqrt(squared) * Real(kRoundedUp);
    node.bodies = static_cast<std::uint32_t>(bodies);
    return node;
}

/// Access to the children whose moments make a node's: one thread loops over all of them. Lanes of a warp with a child each
/// have the same functions. There add(), lowerTo() and raiseTo() use the lane's own child, and sum(), least() and most()
/// reduce over lanes. hasOf(): the thread has a child.
struct OneThread {
    GRAVLAB_HOST_DEVICE auto eldest(const auto& child) const { return child(0); }
    GRAVLAB_HOST_DEVICE void each(int children, const auto& child, const auto& use) const {
        for (int k = 0; k < children; ++k) use(child(k));
    }
    GRAVLAB_HOST_DEVICE bool hasOf(int) const { return true; }
    GRAVLAB_HOST_DEVICE static void add(auto& sum, auto more) { sum += more; }
    GRAVLAB_HOST_DEVICE static void lowerTo(auto& least, auto one) { least = lower(least, one); }
    GRAVLAB_HOST_DEVICE static void raiseTo(auto& most, auto one) { most = higher(most, one); }
    GRAVLAB_HOST_DEVICE auto sum(auto own) const { return own; }
    GRAVLAB_HOST_DEVICE auto least(auto own) const { return own; }
    GRAVLAB_HOST_DEVICE auto most(auto own) const { return own; }
};

/// `child(k)` returns the moments of the k-th child.
template <class Real, bool kSigned = false, class Child, class Lanes = OneThread>
GRAVLAB_HOST_DEVICE NodeMoments<Real, kSigned> parentMoments(int children, const Child& child, const Lanes& lanes = {}) {
    using Node = NodeMoments<Real, kSigned>;
    Node own, node;
    const Node eldest = lanes.eldest(child);
    const TreeBody<Real> origin{eldest.cell.x, eldest.cell.y, eldest.cell.z, 0};
    Real sum[3] = {};
    lanes.each(children, child, [&](const Node& part) {
        lanes.add(sum[0], part.weight * (part.cell.x - origin.x));
        lanes.add(sum[1], part.weight * (part.cell.y - origin.y));
        lanes.add(sum[2], part.weight * (part.cell.z - origin.z));
        lanes.add(own.weight, part.weight);
        lanes.add(own.cell.source, part.cell.source);
        lanes.add(own.bodies, part.bodies);
        for (int axis = 0; axis < 3; ++axis) {
            lanes.lowerTo(own.low[axis], part.low[axis]);
            lanes.raiseTo(own.high[axis], part.high[axis]);
        }
    });
    node.weight = lanes.sum(own.weight);
    node.cell.source = lanes.sum(own.cell.source);
    setCentre(node, origin, lanes.sum(sum[0]), lanes.sum(sum[1]), lanes.sum(sum[2]));
    for (int axis = 0; axis < 3; ++axis) {
        node.low[axis] = lanes.least(own.low[axis]);
        node.high[axis] = lanes.most(own.high[axis]);
    }
    if (lanes.hasOf(children))
        lanes.each(children, child, [&](const Node& part) {
            const Real x = part.cell.x - node.cell.x, y = part.cell.y - node.cell.y, z = part.cell.z - node.cell.z;
            for (int m = 0; m < kMoments; ++m) lanes.add(own.cell.moments[m], part.cell.moments[m]);
            addSecondMoments(own.cell.moments, part.cell.source, x, y, z);
            if constexpr (kSigned) addFirstMoments(own.dipole, own.cell.moments, part.cell.source, part.dipole, x, y, z);
            lanes.raiseTo(own.farthest, part.farthest + std::sqrt(squaredLength(x, y, z)));
        });
    for (int m = 0; m < kMoments; ++m) node.cell.moments[m] = lanes.sum(own.cell.moments[m]);
    if constexpr (kSigned)
        for (int axis = 0; axis < 3; ++axis) node.dipole[axis] = lanes.sum(own.dipole[axis]);
    node.bodies = lanes.sum(own.bodies);
    // No body is farther than a corner of the box.
    const Real corner = squaredLength(higher(node.cell.x - node.low[0], node.high[0] - node.cell.x),
                                      higher(node.cell.y - node.low[1], node.high[1] - node.cell.y),
                                      higher(node.cell.z - node.low[2], node.high[2] - node.cell.z));
    node.farthest = lower(std::sqrt(corner), lanes.most(own.farthest)) * Real(kRoundedUp);
    return node;
}

}  // namespace gravlab
