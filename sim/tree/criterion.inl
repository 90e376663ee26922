// The criteria, included as cell.inl is. An includer defines GRAVLAB_PRODUCT(a, b, c) and timesBelow() for its Real. For
// comparisons it defines GRAVLAB_BOTH(a, b) and GRAVLAB_GIVE_ORDER(far, low, high), which returns an order where a cell
// is far: the low one if that suffices, else the high one if that does.

/// What a walk does with a tested node: at most one flag is set.
template <class Flag>
struct DealtNode {
    Flag low, high;  ///< it goes into the expansion of the group, of this order
    Flag cell;       ///< its moments act on each target
    Flag open;       ///< its children are tested, or its bodies act, where it has none
};

/// A node as a walk tests it.
template <class Real, class Flag>
struct TestedNode {
    Flag has;                                                     ///< there is a node
    Flag apart;                                                   ///< it may go into the expansion of the group
    Real squared, fromCentre, farthest, source, sourceTimesCube;  ///< distances squared from the group's box and centre
    Flag several;  ///< it has children, or more than two bodies: fewer cost less than a cell, and one would act on itself
};

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

/// Criterion for another power of the distance. The remainder of an expansion is compared in the form of gravity, over
/// pull / distance.
template <class Real>
struct PowerCriterion : GroupCriterion<Real> {
    PowerField<Real> field;  ///< for sources of 1
    ErrorScale left;
    GRAVLAB_TREE_FUNCTION float near() const { return kNearestCell * left.reach; }
};

template <bool kTheta, class Real>
GRAVLAB_TREE_FUNCTION auto acceptsCell(const PowerCriterion<Real>& group, Real squared, Real farthest,
                                       Real sourceTimesCube) {
    const Real f2 = farthest * farthest;
    const auto clear = GRAVLAB_BOTH(squared > Real(group.near() * group.near()) * f2, squared > group.field.nearest);
    if constexpr (kTheta) {
        return GRAVLAB_BOTH(clear, squared > Real(group.opening * Real(4.0f / 3)) * f2);
    } else {
        const Real lost = Real(sourceTimesCube * Real(group.left.cell)) * group.field.pullAt(squared);
        return GRAVLAB_BOTH(clear, lost < group.limit * squared);
    }
}

template <class Real>
GRAVLAB_TREE_FUNCTION auto expandsCell(const PowerCriterion<Real>& group, Real squared, Real farthest, Real source,
                                       Real sourceTimesCube) {
    const Real inverse = inverseRoot(squared), reach = Real(group.near()) * (group.radius + farthest);
    const Real pull = group.field.pullAt(squared), r2 = group.radius * group.radius;
    const Real lost = Real(sourceTimesCube * Real(group.left.cell)) * pull;
    auto far = GRAVLAB_BOTH(squared > reach * reach, lost < group.limit * squared);
    far = GRAVLAB_BOTH(far, squared > group.field.nearest);
    const Real each = Real(pull * inverse) * Real(group.left.expansion);
    const Real limit = Real(Real(kExpansionShare) * group.limit) * squared;
    const Real further = Real(group.radius * inverse) * Real(group.left.higher);
    const Real left = source * Real(r2 * (r2 + Real(farthest + farthest) * farthest));
    GRAVLAB_GIVE_ORDER(far, timesBelow(left, each, limit), timesBelow(Real(left * further), each, limit));
}

/// Decides what a walk does with a node.
template <bool kExpands, bool kTheta, class Criterion, class Real, class Flag>
GRAVLAB_TREE_FUNCTION DealtNode<Flag> dealt(const Criterion& group, const TestedNode<Real, Flag>& node) {
    DealtNode<Flag> to{};
    Flag open = node.has;
    if constexpr (kExpands) {
        const auto order = expandsCell(group, node.fromCentre, node.farthest, node.source, node.sourceTimesCube);
        to.low = GRAVLAB_BOTH(node.apart, isLow(order));
        to.high = GRAVLAB_BOTH(node.apart, isHigh(order));
        open = butNot(butNot(open, to.low), to.high);
    }
    to.cell = GRAVLAB_BOTH(GRAVLAB_BOTH(open, node.several),
                           acceptsCell<kTheta>(group, node.squared, node.farthest, node.sourceTimesCube));
    to.open = butNot(open, to.cell);
    return to;
}
