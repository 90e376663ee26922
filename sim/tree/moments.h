// What is known of a node's bodies, made from the bodies of a leaf or from the children of another node. Host and device,
// any Real. Rule: sums are in the order of bodies and of children, and nothing else decides a bit.
#pragma once
#include "sim/tree/cell.h"

#include <cstdint>
#include <type_traits>

namespace gravlab {

template <class Real>
struct FirstMoments {
    Real dipole[3] = {};  ///< sum of source times place, about the centre
};
struct NoFirstMoments {};

/// kSigned: sources have either sign, so that their centre is not that of their sizes.
template <class Real, bool kSigned = false>
struct NodeMoments : std::conditional_t<kSigned, FirstMoments<Real>, NoFirstMoments> {
    CellMoments<Real> cell;
    Real farthest = 0;  ///< no body is farther from the centre
    Real weight = 0;    ///< sum of |source|, whose centre is the cell's
    Real low[3] = {}, high[3] = {};
    std::uint32_t bodies = 0;
};

/// A body as leaves read it.
template <class Real>
struct TreeBody {
    Real x, y, z, source;
};

/// Rounding of a distance must not bring a body outside.
constexpr float kRoundedUp = 1 + 1e-6f;

/// The centre: massless bodies pull nobody, wherever it is said to be.
template <class Node, class Real>
GRAVLAB_HOST_DEVICE void setCentre(Node& node, Real x, Real y, Real z, const Real* sum) {
    const Real inverse = node.weight > Real(0) ? Real(1) / node.weight : Real(0);
    node.cell.x = x + sum[0] * inverse;
    node.cell.y = y + sum[1] * inverse;
    node.cell.z = z + sum[2] * inverse;
}

/// body(k): the leaf's k-th TreeBody.
template <class Real, bool kSigned = false, class Body>
GRAVLAB_HOST_DEVICE NodeMoments<Real, kSigned> leafMoments(std::uint32_t bodies, const Body& body) {
    NodeMoments<Real, kSigned> node;
    const TreeBody<Real> origin = body(0);
    const Real from[3] = {origin.x, origin.y, origin.z};
    for (int axis = 0; axis < 3; ++axis) node.low[axis] = node.high[axis] = from[axis];
    Real sum[3] = {};
    for (std::uint32_t k = 0; k < bodies; ++k) {
        const TreeBody<Real> one = body(k);
        const Real at[3] = {one.x, one.y, one.z};
        const Real weight = one.source < Real(0) ? -one.source : one.source;
        for (int axis = 0; axis < 3; ++axis) {
            sum[axis] += weight * (at[axis] - from[axis]);
            node.low[axis] = at[axis] < node.low[axis] ? at[axis] : node.low[axis];
            node.high[axis] = at[axis] > node.high[axis] ? at[axis] : node.high[axis];
        }
        node.weight += weight;
        node.cell.source += one.source;
    }
    setCentre(node, origin.x, origin.y, origin.z, sum);
    Real squared = 0;
    for (std::uint32_t k = 0; k < bodies; ++k) {
        const TreeBody<Real> one = body(k);
        const Real x = one.x - node.cell.x, y = one.y - node.cell.y, z = one.z - node.cell.z;
        squared = larger(squared, x * x + (y * y + z * z));
        addSecondMoments(node.cell.moments, one.source, x, y, z);
        if constexpr (kSigned) {
            node.dipole[0] += one.source * x;
            node.dipole[1] += one.source * y;
            node.dipole[2] += one.source * z;
        }
    }
    node.farthest = std::sqrt(squared) * Real(kRoundedUp);
    node.bodies = bodies;
    return node;
}

/// Of the farthest corner of the node's box from its centre.
template <class Real, bool kSigned>
GRAVLAB_HOST_DEVICE Real cornerDistance(const NodeMoments<Real, kSigned>& node) {
    const Real x = larger(node.cell.x - node.low[0], node.high[0] - node.cell.x);
    const Real y = larger(node.cell.y - node.low[1], node.high[1] - node.cell.y);
    const Real z = larger(node.cell.z - node.low[2], node.high[2] - node.cell.z);
    return std::sqrt(x * x + (y * y + z * z));
}

/// child(k): the moments of the k-th child.
template <class Real, bool kSigned = false, class Child>
GRAVLAB_HOST_DEVICE NodeMoments<Real, kSigned> parentMoments(int children, const Child& child) {
    NodeMoments<Real, kSigned> node;
    const NodeMoments<Real, kSigned> eldest = child(0);
    for (int axis = 0; axis < 3; ++axis) {
        node.low[axis] = eldest.low[axis];
        node.high[axis] = eldest.high[axis];
    }
    Real sum[3] = {};
    for (int k = 0; k < children; ++k) {
        const NodeMoments<Real, kSigned> part = child(k);
        sum[0] += part.weight * (part.cell.x - eldest.cell.x);
        sum[1] += part.weight * (part.cell.y - eldest.cell.y);
        sum[2] += part.weight * (part.cell.z - eldest.cell.z);
        node.weight += part.weight;
        node.cell.source += part.cell.source;
        node.bodies += part.bodies;
        for (int axis = 0; axis < 3; ++axis) {
            node.low[axis] = part.low[axis] < node.low[axis] ? part.low[axis] : node.low[axis];
            node.high[axis] = part.high[axis] > node.high[axis] ? part.high[axis] : node.high[axis];
        }
    }
    setCentre(node, eldest.cell.x, eldest.cell.y, eldest.cell.z, sum);
    Real farthest = 0;
    for (int k = 0; k < children; ++k) {
        const NodeMoments<Real, kSigned> part = child(k);
        const Real x = part.cell.x - node.cell.x, y = part.cell.y - node.cell.y, z = part.cell.z - node.cell.z;
        farthest = larger(farthest, part.farthest + std::sqrt(x * x + (y * y + z * z)));
        for (int m = 0; m < kMoments; ++m) node.cell.moments[m] += part.cell.moments[m];
        addSecondMoments(node.cell.moments, part.cell.source, x, y, z);
        if constexpr (kSigned) addFirstMoments(node.dipole, node.cell.moments, part.cell.source, part.dipole, x, y, z);
    }
    const Real corner = cornerDistance(node);
    node.farthest = (corner < farthest ? corner : farthest) * Real(kRoundedUp);
    return node;
}

}  // namespace gravlab
