// The criterion of gravity and charges, included as cell.inl is. An includer defines GRAVLAB_PRODUCT(a, b, c) for its Real.
// For comparisons it defines GRAVLAB_BOTH(a, b) and GRAVLAB_GIVE_ORDER(far, low, high), which returns an order where a cell
// is far: the low one if that suffices, else the high one if that does.

/// Limits of a group of targets for cells.
template <class Real>
struct GroupCriterion {
    Real opening;  ///< squared: 1 / theta^2; 0: the relative criterion
    Real limit;    ///< fraction times the smallest acceleration of the group
    Real radius;   ///< distance of the farthest target from the centre of the expansion
};

/// Whether the moments may replace the bodies, for targets whose box is at the squared distance `squared`.
template <bool kTheta, class Real>
GRAVLAB_TREE_FUNCTION auto acceptsCell(const GroupCriterion<Real>& group, Real squared, Real farthest,
                                       Real sourceTimesCube) {
    const auto clear = squared > GRAVLAB_PRODUCT(Real(kNearestCell * kNearestCell), farthest, farthest);
    // The farthest body may be at a corner: half of an edge is 1/sqrt(3) of its distance.
    if constexpr (kTheta) {
        return GRAVLAB_BOTH(clear, squared > GRAVLAB_PRODUCT(group.opening * Real(4.0 / 3), farthest, farthest));
    } else {
        const auto good = sourceTimesCube * inverseRoot(squared) < group.limit * (squared * squared);
        return GRAVLAB_BOTH(clear, good);
    }
}

/// Whether it may go into an expansion about a point at the squared distance `squared`, and of which order.
template <class Real>
GRAVLAB_TREE_FUNCTION auto expandsCell(const GroupCriterion<Real>& group, Real squared, Real farthest, Real source,
                                       Real sourceTimesCube) {
    const Real inverse = inverseRoot(squared), reach = Real(kNearestCell) * (group.radius + farthest);
    const Real r2 = group.radius * group.radius;
    const Real left = GRAVLAB_PRODUCT(source, r2, r2 + Real(2) * farthest * farthest);
    const Real limit = Real(kExpansionShare) * group.limit * (squared * squared * squared);
    const auto far = GRAVLAB_BOTH(squared > reach * reach, sourceTimesCube * inverse < group.limit * (squared * squared));
    GRAVLAB_GIVE_ORDER(far, left < limit, left * (group.radius * inverse) < limit);
}
