// The criterion of gravity and charges, included as cell.inl is. An includer says what GRAVLAB_PRODUCT(a, b, c) of
// its Real is; and what of comparisons GRAVLAB_BOTH(a, b) is and GRAVLAB_GIVE_ORDER(far, low, high), which returns an order
// where a cell is far: the low one if it will do, else the high one if that will.

/// What a group of targets asks of cells.
template <class Real>
struct GroupCriterion {
    Real opening;  ///< squared: 1 / theta^2; 0: the relative criterion
    Real limit;    ///< share times the smallest acceleration of the group
    Real radius;   ///< of the farthest target from the centre of the expansion
};

/// Whether the moments may stand for the bodies, for targets whose box is `squared` away from the centre (squared).
template <bool kTheta, class Real>
GRAVLAB_TREE_FUNCTION auto acceptsCell(const GroupCriterion<Real>& group, Real squared, Real farthest,
                                       Real sourceTimesCube) {
    const auto clear = squared > GRAVLAB_PRODUCT(Real(kNearestCell * kNearestCell), farthest, farthest);
    // The farthest body may be at a corner: half of an edge is 1/sqrt(3) of it.
    if constexpr (kTheta) {
        return GRAVLAB_BOTH(clear, squared > GRAVLAB_PRODUCT(group.opening * Real(4.0 / 3), farthest, farthest));
    } else {
        const auto good = sourceTimesCube * inverseRoot(squared) < group.limit * (squared * squared);
        return GRAVLAB_BOTH(clear, good);
    }
}

/// Whether it may go into an expansion about a point `squared` away (squared), and of which order.
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
