// How a group of targets walks the tree in SIMD. Each lane tests one node. Cells and bodies act on lanes of targets, and the
// cells in the expansion of a group are lanes again. The file is compiled once for each instruction set. Include
// <hwy/highway.h> before it, and for laws beside gravity <hwy/contrib/math/math-inl.h> too.
#if defined(GRAVLAB_KERNELS_TREE_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef GRAVLAB_KERNELS_TREE_INL_H
#undef GRAVLAB_KERNELS_TREE_INL_H
#else
#define GRAVLAB_KERNELS_TREE_INL_H
#endif

#include <hwy/contrib/math/math-inl.h>

#include "sim/backends/cpu/kernels/inverse_cube.inl"
#include "sim/backends/cpu/kernels/tree_kernels.h"
#include "sim/tree/criterion.h"

#include <bit>
#include <cmath>
#include <type_traits>

HWY_BEFORE_NAMESPACE();
namespace gravlab::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::ScalableTag<float>;
using V = hn::Vec<D>;
using Mask = hn::Mask<D>;

#if HWY_TARGET == HWY_SCALAR
constexpr std::size_t kMostVectors = 1;
#elif HWY_TARGET <= HWY_AVX3
constexpr std::size_t kMostVectors = 4;
#else
constexpr std::size_t kMostVectors = 2;
#endif

struct Product;
/// A register with the operators of a number. MulAdd adds every product.
struct Lanes {
    V v;
    Lanes() = default;  // trivial: compiler-generated functions for structs of Lanes know no instruction set
    HWY_INLINE Lanes(float all) : v(hn::Set(D(), all)) {}
    explicit HWY_INLINE Lanes(V each) : v(each) {}
    HWY_INLINE Lanes(const Product& product);
};
struct Product {
    V a, b;
};
HWY_INLINE Lanes::Lanes(const Product& product) : v(hn::Mul(product.a, product.b)) {}
HWY_INLINE Lanes operator-(const Lanes& a) { return Lanes(hn::Neg(a.v)); }
HWY_INLINE Product operator*(const Lanes& a, const Lanes& b) { return {a.v, b.v}; }
HWY_INLINE Lanes operator+(const Lanes& a, const Lanes& b) { return Lanes(hn::Add(a.v, b.v)); }
HWY_INLINE Lanes operator+(const Product& p, const Lanes& c) { return Lanes(hn::MulAdd(p.a, p.b, c.v)); }
HWY_INLINE Lanes operator+(const Lanes& c, const Product& p) { return Lanes(hn::MulAdd(p.a, p.b, c.v)); }
HWY_INLINE Lanes operator+(const Product& p, const Product& q) { return Lanes(hn::MulAdd(p.a, p.b, hn::Mul(q.a, q.b))); }
HWY_INLINE Lanes operator-(const Lanes& a, const Lanes& b) { return Lanes(hn::Sub(a.v, b.v)); }
HWY_INLINE Lanes& operator+=(Lanes& a, const Lanes& b) { return a = a + b; }
HWY_INLINE Lanes& operator+=(Lanes& a, const Product& p) { return a = a + p; }
HWY_INLINE Lanes inverseRoot(const Lanes& squared) { return Lanes(inverseRootOf(D(), squared.v)); }

HWY_INLINE Lanes larger(const Lanes& a, const Lanes& b) { return Lanes(hn::Max(a.v, b.v)); }
HWY_INLINE Lanes raised(const Lanes& x, const Lanes& power) {
    const D d;
    return Lanes(hn::Exp(d, hn::Mul(power.v, hn::Log(d, x.v))));
}

HWY_INLINE Lanes logarithm(const Lanes& x) { return Lanes(hn::Log(D(), x.v)); }

HWY_INLINE Mask operator<(const Lanes& a, const Lanes& b) { return hn::Lt(a.v, b.v); }
HWY_INLINE Mask operator>(const Lanes& a, const Lanes& b) { return hn::Gt(a.v, b.v); }
/// The order of the expansion, for each lane.
struct ExpandedLanes {
    Mask low, high;
};
HWY_INLINE Mask isLow(const ExpandedLanes& order) { return order.low; }
HWY_INLINE Mask isHigh(const ExpandedLanes& order) { return order.high; }
HWY_INLINE Mask butNot(Mask a, Mask b) { return hn::AndNot(b, a); }

HWY_INLINE Mask timesBelow(const Lanes& value, const Lanes& factor, const Lanes& limit) {
    return value < Lanes(hn::Div(limit.v, factor.v));
}

#define GRAVLAB_TREE_FUNCTION HWY_INLINE
#define GRAVLAB_PRODUCT(a, b, c) Lanes((a)*Lanes((b) * (c)))
#define GRAVLAB_BOTH(a, b) hn::And(a, b)
#define GRAVLAB_GIVE_ORDER(far, a, b) \
    const Mask low = hn::And(far, a); \
    return ExpandedLanes { low, hn::And(hn::AndNot(low, far), b) }
#include "sim/tree/cell.inl"
#include "sim/tree/criterion.inl"
#undef GRAVLAB_GIVE_ORDER
#undef GRAVLAB_BOTH
#undef GRAVLAB_PRODUCT
#undef GRAVLAB_TREE_FUNCTION

/// Most targets in the registers of a group.
constexpr std::size_t kPlaces = kTreeGroup;
static_assert(kPlaces <= kTreePadding && HWY_MAX_BYTES / sizeof(float) <= kPlaces);
/// Nodes that are tested between two looks at the lists, and the length at which a list is processed.
constexpr std::size_t kBite = 64, kFull = 512, kList = kFull + 2 * kBite;
/// Most runs of siblings that wait: one bite for each level.
constexpr std::size_t kWaiting = kTreeLevels * kBite + kBite;

/// The least unit of an expansion, as a fraction of the farthest distance; and the least squared distance of a cell, in
/// units. The eleventh power of an inverse distance and the fourth power of a distance then do not overflow.
constexpr float kLeastUnit = 0x1p-20f, kNearestExpanded = 0x1p-16f;

/// kField: sums potentials instead of accelerations.
template <TreeLaw kLaw, TreeWalk kWalk, bool kField = false>
class Walker {
    static constexpr bool kPower = kLaw == TreeLaw::power, kCharges = kLaw == TreeLaw::charges;
    static constexpr bool kSized = kCharges && !kField;  ///< sums the sizes of pulls, see TreeWalkTask::floorShare
    static constexpr std::size_t kSize = 3;              ///< index of these sizes in sum_
    static constexpr bool kTheta = byAngle(kWalk);
    static constexpr bool kExpands = kWalk == TreeWalk::expansions;
    static constexpr bool kMonopole = kWalk == TreeWalk::thetaMonopole;
    struct Run {
        std::int32_t first, count;
    };
    struct List {
        std::size_t count = 0;
        std::int32_t id[kList];
    };

public:
    HWY_INLINE Walker(const TreeWalkTask& task, TreeGroup group, TreeCounts& counts)
        : task_(task), tree_(task.tree), group_(group), counts_(counts) {}

    void run() {
        begin();
        std::size_t waiting = 1;
        waiting_[0] = {0, 1};
        while (waiting > 0) {
            Run& run = waiting_[waiting - 1];
            const auto nodes = static_cast<std::int32_t>(HWY_MIN(static_cast<std::size_t>(run.count), kBite));
            run.count -= nodes;
            const std::int32_t first = run.first + run.count;
            if (run.count == 0) --waiting;
            waiting = visit(first, nodes, waiting);
            if constexpr (kExpands) {
                if (low_.count >= kFull) expand<false>();
                if (high_.count >= kFull) expand<true>();
            }
            if (cells_.count >= kFull) addCells();
            if (leaves_.count >= kFull) addBodies();
        }
        if constexpr (kExpands) {
            expand<false>();
            expand<true>();
        }
        addCells();
        addBodies();
        end();
    }

private:
    /// The field of cells, where lengths are multiplied by a power of two.
    HWY_INLINE auto fieldIn(float unit) const {
        if constexpr (kPower)
            return PowerField<Lanes>{Lanes(task_.softeningSquared * unit * unit),
                                     Lanes(task_.power.field.degree),
                                     Lanes(task_.power.field.nearest),
                                     Lanes(1 / (unit * unit)),
                                     task_.power.field.whole,
                                     Lanes(task_.power.field.over),
                                     Lanes(task_.power.field.shift)};
        else
            return GravityField<Lanes>{Lanes(task_.softeningSquared * unit * unit)};
    }
    /// The criterion that tests nodes.
    HWY_INLINE auto criterionIn() const {
        const GroupCriterion<Lanes> group{Lanes(task_.opening), Lanes(limit_), Lanes(radius_)};
        if constexpr (kPower)
            return PowerCriterion<Lanes>{group, fieldIn(1), task_.power.left};
        else
            return group;
    }
    HWY_INLINE const float* dipoleOf(std::int32_t node) const {
        return tree_.dipoles + std::ptrdiff_t{kDipoleStride} * node;
    }

    void begin() {
        const D d;
        const std::size_t lanes = hn::Lanes(d);
        vectors_ = (group_.count + lanes - 1) / lanes;
        V low[3], high[3];
        for (std::size_t axis = 0; axis < 3; ++axis) {
            low[axis] = hn::Set(d, 3e38f);
            high[axis] = hn::Set(d, -3e38f);
        }
        for (std::size_t k = 0; k < vectors_; ++k) {
            const Mask has = hn::FirstN(d, group_.count - k * lanes);
            for (std::size_t axis = 0; axis < 3; ++axis) {
                const V at = hn::LoadU(d, tree_.body[axis] + group_.first + k * lanes);
                low[axis] = hn::IfThenElse(has, hn::Min(low[axis], at), low[axis]);
                high[axis] = hn::IfThenElse(has, hn::Max(high[axis], at), high[axis]);
                hn::Store(hn::Zero(d), d, sum_[axis] + k * lanes);
            }
            if constexpr (kField) hn::Store(hn::Set(d, 3e38f), d, sum_[kNearest] + k * lanes);
            if constexpr (kSized) hn::Store(hn::Zero(d), d, sum_[kSize] + k * lanes);
        }
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const float least = hn::GetLane(hn::MinOfLanes(d, low[axis])), most = hn::GetLane(hn::MaxOfLanes(d, high[axis]));
            centre_[axis] = 0.5f * (least + most);
            half_[axis] = HWY_MAX(most - centre_[axis], centre_[axis] - least);
        }
        if constexpr (kField || kSized) atCentre_ = Lanes(0.0f);
        if constexpr (!kTheta) {
            float smallest = 3e38f;
            for (std::uint32_t k = 0; k < group_.count; ++k)
                smallest = HWY_MIN(smallest, task_.before[tree_.order[group_.first + k]]);
            limit_ = static_cast<float>(static_cast<double>(task_.share) * HWY_MAX(smallest, task_.smallest) /
                                        task_.acceleration);
        }
        if constexpr (kExpands) {
            V squared = hn::Zero(d);
            for (std::size_t k = 0; k < vectors_; ++k) {
                const std::size_t at = group_.first + k * lanes;
                const V x = hn::Sub(hn::LoadU(d, tree_.body[0] + at), hn::Set(d, centre_[0]));
                const V y = hn::Sub(hn::LoadU(d, tree_.body[1] + at), hn::Set(d, centre_[1]));
                const V z = hn::Sub(hn::LoadU(d, tree_.body[2] + at), hn::Set(d, centre_[2]));
                const V sum = hn::MulAdd(x, x, hn::MulAdd(y, y, hn::Mul(z, z)));
                squared = hn::Max(squared, hn::IfThenElseZero(hn::FirstN(d, group_.count - k * lanes), sum));
            }
            radius_ = std::sqrt(hn::GetLane(hn::MaxOfLanes(d, squared)));
            // The field is expanded in units of the group's size, or high orders of near cells would overflow. A very small
            // group uses a larger unit, or high orders of far cells would.
            const float x = tree_.x[0] - centre_[0], y = tree_.y[0] - centre_[1], z = tree_.z[0] - centre_[2];
            const float farthest = std::sqrt(x * x + (y * y + z * z)) + tree_.farthest[0];
            const float size = HWY_MAX(radius_, kLeastUnit * farthest);
            unit_ = size > 0 && size < 3e38f ? std::ldexp(1.0f, -std::ilogb(size)) : 1;
            nearest_ = kNearestExpanded / (unit_ * unit_);
        }
    }

    HWY_INLINE void append(List& list, Mask mine, hn::Vec<hn::RebindToSigned<D>> ids) {
        const hn::RebindToSigned<D> di;
        list.count += hn::CompressStore(ids, hn::RebindMask(di, mine), di, list.id + list.count);
    }

    /// Tests nodes [first, first + count), sorts them into lists, and returns how many runs wait then.
    HWY_INLINE std::size_t visit(std::int32_t first, std::int32_t count, std::size_t waiting) {
        const D d;
        const hn::RebindToSigned<D> di;
        const auto lanes = static_cast<std::int32_t>(hn::Lanes(d));
        const std::size_t before = waiting;
        const auto criterion = criterionIn();
        counts_.visited += static_cast<std::uint64_t>(count);
        for (std::int32_t k = 0; k < count; k += lanes) {
            const std::int32_t id = first + k;
            const Mask has = hn::FirstN(d, static_cast<std::size_t>(count - k));
            const V cx = hn::Abs(hn::Sub(hn::LoadU(d, tree_.x + id), hn::Set(d, centre_[0])));
            const V cy = hn::Abs(hn::Sub(hn::LoadU(d, tree_.y + id), hn::Set(d, centre_[1])));
            const V cz = hn::Abs(hn::Sub(hn::LoadU(d, tree_.z + id), hn::Set(d, centre_[2])));
            const V x = hn::Max(hn::Sub(cx, hn::Set(d, half_[0])), hn::Zero(d));
            const V y = hn::Max(hn::Sub(cy, hn::Set(d, half_[1])), hn::Zero(d));
            const V z = hn::Max(hn::Sub(cz, hn::Set(d, half_[2])), hn::Zero(d));
            const Lanes squared(hn::MulAdd(x, x, hn::MulAdd(y, y, hn::Mul(z, z))));
            const Lanes farthest(hn::LoadU(d, tree_.farthest + id)), cube(hn::LoadU(d, tree_.weightCube + id));
            const auto ids = hn::Iota(di, id);
            const auto links = hn::LoadU(di, tree_.count + id);
            const auto divided = hn::Gt(links, hn::Zero(di)), many = hn::Lt(links, hn::Set(di, -2));
            TestedNode<Lanes, Mask> node{.has = has,
                                         .apart = has,
                                         .squared = squared,
                                         .fromCentre = squared,
                                         .farthest = farthest,
                                         .source = cube,
                                         .sourceTimesCube = cube,
                                         .several = hn::RebindMask(d, hn::Or(divided, many))};
            if constexpr (kExpands) {
                const V c2 = hn::MulAdd(cx, cx, hn::MulAdd(cy, cy, hn::Mul(cz, cz)));
                node.fromCentre = Lanes(c2);
                node.source = Lanes(hn::LoadU(d, tree_.weight + id));
                node.apart = hn::And(hn::And(has, hn::Gt(squared.v, hn::Zero(d))), hn::Gt(c2, hn::Set(d, nearest_)));
            }
            const DealtNode<Mask> to = dealt<kExpands, kTheta>(criterion, node);
            if constexpr (kExpands) {
                append(low_, to.low, ids);
                append(high_, to.high, ids);
            }
            append(cells_, to.cell, ids);
            append(leaves_, hn::AndNot(hn::RebindMask(d, divided), to.open), ids);
            const auto opened = hn::RebindMask(di, hn::And(to.open, hn::RebindMask(d, divided)));
            std::int32_t child[kPlaces], children[kPlaces];
            const std::size_t n = hn::CompressStore(hn::LoadU(di, tree_.first + id), opened, di, child);
            if (n == 0) continue;
            hn::CompressStore(links, opened, di, children);
            for (std::size_t j = 0; j < n; ++j) {
                // The children of neighbouring nodes are next to each other.
                if (waiting > before && waiting_[waiting - 1].first + waiting_[waiting - 1].count == child[j])
                    waiting_[waiting - 1].count += children[j];
                else
                    waiting_[waiting++] = {child[j], children[j]};
            }
        }
        return waiting;
    }

    /// Calls `meet` with the number of registers as a type, for registers from `at` on, until all targets are done.
    template <class Meet>
    HWY_INLINE void forTargets(const Meet& meet) {
        std::size_t at = 0;
        for (; at + kMostVectors <= vectors_; at += kMostVectors) meet.template operator()<kMostVectors>(at);
        const std::size_t left = vectors_ - at;
        if constexpr (kMostVectors > 3)
            if (left == 3) meet.template operator()<3>(at);
        if constexpr (kMostVectors > 2)
            if (left == 2) meet.template operator()<2>(at);
        if constexpr (kMostVectors > 1)
            if (left == 1) meet.template operator()<1>(at);
    }

    template <std::size_t kVectors>
    struct Targets {
        V x[kVectors], y[kVectors], z[kVectors], ax[kVectors], ay[kVectors], az[kVectors];
        V size[kSized ? kVectors : 1];

        HWY_INLINE Targets(const Walker& walker, std::size_t at) {
            const D d;
            for (std::size_t k = 0; k < kVectors; ++k) {
                const std::size_t place = walker.group_.first + (at + k) * hn::Lanes(d), own = (at + k) * hn::Lanes(d);
                x[k] = hn::LoadU(d, walker.tree_.body[0] + place);
                y[k] = hn::LoadU(d, walker.tree_.body[1] + place);
                z[k] = hn::LoadU(d, walker.tree_.body[2] + place);
                ax[k] = hn::Load(d, walker.sum_[0] + own);
                ay[k] = hn::Load(d, walker.sum_[1] + own);
                az[k] = hn::Load(d, walker.sum_[2] + own);
                if constexpr (kSized) size[k] = hn::Load(d, walker.sum_[kSize] + own);
            }
        }
        HWY_INLINE void store(Walker& walker, std::size_t at) const {
            const D d;
            for (std::size_t k = 0; k < kVectors; ++k) {
                const std::size_t own = (at + k) * hn::Lanes(d);
                hn::Store(ax[k], d, walker.sum_[0] + own);
                hn::Store(ay[k], d, walker.sum_[1] + own);
                hn::Store(az[k], d, walker.sum_[2] + own);
                if constexpr (kSized) hn::Store(size[k], d, walker.sum_[kSize] + own);
            }
        }
        HWY_INLINE void meet(const Walker& walker, float bx, float by, float bz, float source, V offset) {
            const D d;
            [[maybe_unused]] const V weight = hn::Set(d, kSizeOfAxes * HWY_MAX(source, -source));
            const V sx = hn::Set(d, bx), sy = hn::Set(d, by), sz = hn::Set(d, bz), s = hn::Set(d, source);
            for (std::size_t k = 0; k < kVectors; ++k) {
                const V dx = hn::Sub(sx, x[k]), dy = hn::Sub(sy, y[k]), dz = hn::Sub(sz, z[k]);
                const V squared = hn::MulAdd(dz, dz, hn::MulAdd(dy, dy, hn::MulAdd(dx, dx, offset)));
                V pull;
                if constexpr (kPower) {
                    pull = hn::Mul(s, walker.fieldIn(1).pullAt(Lanes(squared)).v);
                } else {
                    const V cube = inverseCubeOf(d, squared);
                    pull = hn::Mul(s, cube);
                    if constexpr (kSized) {
                        const V axes = hn::Add(hn::Abs(dx), hn::Add(hn::Abs(dy), hn::Abs(dz)));
                        size[k] = hn::MulAdd(hn::Mul(weight, cube), axes, size[k]);
                    }
                }
                ax[k] = hn::MulAdd(pull, dx, ax[k]);
                ay[k] = hn::MulAdd(pull, dy, ay[k]);
                az[k] = hn::MulAdd(pull, dz, az[k]);
            }
        }
    };

    /// Numbers of each target that a walk for the energy keeps instead of an acceleration.
    static constexpr std::size_t kFieldSum = 0, kNearest = 1, kNeighbour = 2;
    template <std::size_t kVectors>
    struct FieldTargets {
        using Places = hn::Vec<hn::RebindToSigned<D>>;
        V x[kVectors], y[kVectors], z[kVectors], field[kVectors], nearest[kVectors];
        Places place[kVectors], neighbour[kVectors];

        HWY_INLINE FieldTargets(const Walker& walker, std::size_t at) {
            const D d;
            const hn::RebindToSigned<D> di;
            for (std::size_t k = 0; k < kVectors; ++k) {
                const std::size_t own = (at + k) * hn::Lanes(d), first = walker.group_.first + own;
                x[k] = hn::LoadU(d, walker.tree_.body[0] + first);
                y[k] = hn::LoadU(d, walker.tree_.body[1] + first);
                z[k] = hn::LoadU(d, walker.tree_.body[2] + first);
                place[k] = hn::Iota(di, static_cast<std::int32_t>(first));
                field[k] = hn::Load(d, walker.sum_[kFieldSum] + own);
                nearest[k] = hn::Load(d, walker.sum_[kNearest] + own);
                neighbour[k] = hn::BitCast(di, hn::Load(d, walker.sum_[kNeighbour] + own));
            }
        }
        HWY_INLINE void store(Walker& walker, std::size_t at) const {
            const D d;
            for (std::size_t k = 0; k < kVectors; ++k) {
                const std::size_t own = (at + k) * hn::Lanes(d);
                hn::Store(field[k], d, walker.sum_[kFieldSum] + own);
                hn::Store(nearest[k], d, walker.sum_[kNearest] + own);
                hn::Store(hn::BitCast(d, neighbour[k]), d, walker.sum_[kNeighbour] + own);
            }
        }
        HWY_INLINE void meet(const Walker& walker, std::int32_t j, V offset) {
            const D d;
            const TreeView& tree = walker.tree_;
            const bool softened = walker.task_.softened;
            const hn::RebindToSigned<D> di;
            const V sx = hn::Set(d, tree.body[0][j]), sy = hn::Set(d, tree.body[1][j]), sz = hn::Set(d, tree.body[2][j]);
            const V s = hn::Set(d, tree.source[j]);
            const Places source = hn::Set(di, j);
            for (std::size_t k = 0; k < kVectors; ++k) {
                const V dx = hn::Sub(sx, x[k]), dy = hn::Sub(sy, y[k]), dz = hn::Sub(sz, z[k]);
                const V squared = hn::MulAdd(dz, dz, hn::MulAdd(dy, dy, hn::Mul(dx, dx)));
                const Mask other = hn::RebindMask(d, hn::Ne(place[k], source));
                const Mask acts = softened ? other : hn::And(other, hn::Gt(squared, hn::Zero(d)));
                const V s2 = hn::Add(squared, offset);
                V one;
                if constexpr (kPower)
                    one = walker.fieldIn(1).fieldAt(Lanes(s2)).v;
                else
                    one = inverseRootOf(d, s2);
                field[k] = hn::MulAdd(s, hn::IfThenElseZero(acts, one), field[k]);
                const Mask nearer = hn::And(other, hn::Lt(squared, nearest[k]));
                nearest[k] = hn::IfThenElse(nearer, squared, nearest[k]);
                neighbour[k] = hn::IfThenElse(hn::RebindMask(di, nearer), source, neighbour[k]);
            }
        }
    };
    template <std::size_t kVectors>
    using TargetsOf = std::conditional_t<kField, FieldTargets<kVectors>, Targets<kVectors>>;

    void addBodies() {
        if (leaves_.count == 0) return;
        // Consecutive leaves are one run of bodies.
        Run runs[kList];
        std::size_t n = 0;
        std::uint64_t bodies = 0;
        for (std::size_t k = 0; k < leaves_.count; ++k) {
            const std::int32_t first = tree_.first[leaves_.id[k]], count = -tree_.count[leaves_.id[k]];
            bodies += static_cast<std::uint64_t>(count);
            if (n > 0 && runs[n - 1].first + runs[n - 1].count == first)
                runs[n - 1].count += count;
            else
                runs[n++] = {first, count};
        }
        counts_.pairs += bodies * group_.count;
        leaves_.count = 0;
        const V offset = hn::Set(D(), task_.softeningSquared);
        forTargets([&]<std::size_t kVectors>(std::size_t at) HWY_ATTR {
            TargetsOf<kVectors> targets(*this, at);
            const float *x = tree_.body[0], *y = tree_.body[1], *z = tree_.body[2], *source = tree_.source;
            for (std::size_t k = 0; k < n; ++k)
                for (std::int32_t j = runs[k].first; j < runs[k].first + runs[k].count; ++j)
                    if constexpr (!kField)
                        targets.meet(*this, x[j], y[j], z[j], source[j], offset);
                    else if (source[j] != 0)
                        targets.meet(*this, j, offset);
            targets.store(*this, at);
        });
    }

    void addCells() {
        if (cells_.count == 0) return;
        counts_.cells += cells_.count * group_.count;
        const auto field = fieldIn(1);
        forTargets([&]<std::size_t kVectors>(std::size_t at) HWY_ATTR {
            TargetsOf<kVectors> targets(*this, at);
            for (std::size_t j = 0; j < cells_.count; ++j) {
                const TreeCell& cell = tree_.cells[cells_.id[j]];
                if constexpr (kMonopole) {
                    targets.meet(*this, cell.x, cell.y, cell.z, cell.source, field.softeningSquared.v);
                } else {
                    CellPull<Lanes> pull{cell.x,
                                         cell.y,
                                         cell.z,
                                         cell.source,
                                         {cell.q[0], cell.q[1], cell.q[2], cell.q[3], cell.q[4], cell.q[5]},
                                         cell.trace};
                    if constexpr (kPower && !kField) {
                        const Lanes times(task_.power.moments);
                        for (Lanes& q : pull.q) q = q * times;
                        pull.trace = pull.trace * times;
                    }
                    [[maybe_unused]] Lanes dipole[3];
                    if constexpr (kCharges)
                        for (int axis = 0; axis < 3; ++axis) dipole[axis] = Lanes(dipoleOf(cells_.id[j])[axis]);
                    for (std::size_t k = 0; k < kVectors; ++k) {
                        if constexpr (kField) {
                            const Lanes x(targets.x[k]), y(targets.y[k]), z(targets.z[k]);
                            Lanes added = cellField(pull, x, y, z, field);
                            if constexpr (kCharges)
                                added += dipoleField(dipole, x - pull.x, y - pull.y, z - pull.z, field.softeningSquared);
                            targets.field[k] = hn::Add(targets.field[k], added.v);
                            continue;
                        } else {
                            Lanes a[3] = {Lanes(targets.ax[k]), Lanes(targets.ay[k]), Lanes(targets.az[k])};
                            const Lanes x(targets.x[k]), y(targets.y[k]), z(targets.z[k]);
                            addCellPull(a, pull, x, y, z, field);
                            if constexpr (kCharges) addDipolePull(a, dipole, pull.x, pull.y, pull.z, x, y, z, field);
                            if constexpr (kSized) {
                                const Lanes dx = pull.x - x, dy = pull.y - y, dz = pull.z - z;
                                const Lanes u = inverseRoot(dx * dx + (dy * dy + (dz * dz + field.softeningSquared)));
                                const V weight = hn::Set(D(), cell.weight);
                                targets.size[k] = hn::MulAdd(weight, hn::Mul(u.v, u.v), targets.size[k]);
                            }
                            targets.ax[k] = a[0].v;
                            targets.ay[k] = a[1].v;
                            targets.az[k] = a[2].v;
                        }
                    }
                }
            }
            targets.store(*this, at);
        });
        cells_.count = 0;
    }

    /// Reads one number of each node, where offsets do not fit into 32 bits.
    static HWY_NOINLINE V oneByOne(const float* from, std::int32_t stride, const std::int32_t* ids) {
        const D d;
        HWY_ALIGN float each[HWY_MAX_BYTES / sizeof(float)];
        for (std::size_t lane = 0; lane < hn::Lanes(d); ++lane)
            each[lane] = from[static_cast<std::ptrdiff_t>(stride) * ids[lane]];
        return hn::Load(d, each);
    }

    template <bool kHigh>
    void expand() {
        List& list = kHigh ? high_ : low_;
        if (list.count == 0) return;
        const D d;
        const hn::RebindToSigned<D> di;
        const std::size_t lanes = hn::Lanes(d);
        (kHigh ? counts_.expandedHigh : counts_.expandedLow) += list.count * group_.count;
        // Padding lanes have no source; they repeat the last cell, which is at a valid position.
        for (std::size_t k = list.count; k < roundUp(list.count, lanes); ++k) list.id[k] = list.id[list.count - 1];
        const Lanes unit(unit_);
        const auto field = fieldIn(unit_);
        constexpr std::int32_t kStride = sizeof(TreeCell) / sizeof(float);
        const float* cells = &tree_.cells[0].x;
        for (std::size_t k = 0; k < list.count; k += lanes) {
            const auto index = hn::Mul(hn::LoadU(di, list.id + k), hn::Set(di, kStride));
            const Mask has = hn::FirstN(d, list.count - k);
            const auto field_of = [&](int member) HWY_ATTR {
                return tree_.wide ? oneByOne(cells + member, kStride, list.id + k)
                                  : hn::GatherIndex(d, cells + member, index);
            };
            const Lanes third(unit_ * unit_ / 3);
            const auto moment = [&](int m)
                                    HWY_ATTR { return Lanes(Lanes(hn::IfThenElseZero(has, field_of(4 + m))) * third); };
            const auto place = [&](int axis)
                                   HWY_ATTR { return Lanes((Lanes(centre_[axis]) - Lanes(field_of(axis))) * unit); };
            const Lanes q[kMoments] = {moment(0), moment(1), moment(2), moment(3), moment(4), moment(5)};
            const Lanes source(hn::IfThenElseZero(has, field_of(3)));
            addToExpansion<kHigh>(expansion_, place(0), place(1), place(2), source, q, field);
            if constexpr (kField) atCentre_ += fieldAtCentre(place(0), place(1), place(2), source, q, field);
            if constexpr (kCharges) {
                const auto at = hn::Mul(hn::LoadU(di, list.id + k), hn::Set(di, kDipoleStride));
                const auto first = [&](int axis) HWY_ATTR {
                    return Lanes(
                        Lanes(hn::IfThenElseZero(has, tree_.wide ? oneByOne(tree_.dipoles + axis, kDipoleStride, list.id + k)
                                                                 : hn::GatherIndex(d, tree_.dipoles + axis, at))) *
                        unit);
                };
                const Lanes dipole[3] = {first(0), first(1), first(2)};
                addDipoleToExpansion<kHigh>(expansion_, place(0), place(1), place(2), dipole, field);
                if constexpr (kField) atCentre_ += dipoleField(dipole, place(0), place(1), place(2), field.softeningSquared);
            }
            if constexpr (kSized) {
                // The sizes of pulls at the centre stand for the whole group.
                const Lanes x = place(0), y = place(1), z = place(2), u = inverseRoot(x * x + (y * y + z * z));
                atCentre_ += Lanes(hn::IfThenElseZero(has, field_of(kWeightMember))) * Lanes(u * u);
            }
        }
        list.count = 0;
    }

    void end() {
        const D d;
        if constexpr (kExpands) {
            Lanes* terms = expansion_.first;
            for (std::size_t k = 0; k < kExpansionTerms; ++k) terms[k] = Lanes(hn::SumOfLanes(d, terms[k].v));
        }
        if constexpr (kField || kSized) atCentre_ = Lanes(hn::SumOfLanes(d, atCentre_.v));
        if constexpr (kField)
            endField();
        else
            endForce();
    }

    /// Writes the fields and nearest bodies of the targets.
    void endField() {
        const D d;
        const std::size_t lanes = hn::Lanes(d);
        const Lanes centre = atCentre_;
        for (std::size_t k = 0; k < vectors_; ++k) {
            const std::size_t own = k * lanes, at = group_.first + own;
            const auto place = [&](std::size_t axis) HWY_ATTR {
                return Lanes((Lanes(hn::LoadU(d, tree_.body[axis] + at)) - Lanes(centre_[axis])) * Lanes(unit_));
            };
            const Lanes far = centre + expandedField(expansion_, place(0), place(1), place(2));
            // 1/r is in the units of the expansion; another power is computed in its own units.
            const V back = hn::Set(d, kPower ? 1.0f : unit_);
            hn::Store(hn::MulAdd(far.v, back, hn::Load(d, sum_[kFieldSum] + own)), d, sum_[kFieldSum] + own);
        }
        for (std::uint32_t k = 0; k < group_.count; ++k) {
            const std::uint32_t body = tree_.order[group_.first + k];
            task_.fields[body] = sum_[kFieldSum][k];
            task_.nearest[body] = sum_[kNearest][k];
            task_.neighbours[body] = std::bit_cast<std::int32_t>(sum_[kNeighbour][k]);
        }
    }

    void endForce() {
        const D d;
        const std::size_t lanes = hn::Lanes(d);
        HWY_ALIGN float length[kPlaces];
        const V factor = hn::Set(d, static_cast<float>(task_.acceleration));
        for (std::size_t k = 0; k < vectors_; ++k) {
            const std::size_t own = k * lanes, at = group_.first + own;
            Lanes a[3] = {Lanes(hn::Load(d, sum_[0] + own)), Lanes(hn::Load(d, sum_[1] + own)),
                          Lanes(hn::Load(d, sum_[2] + own))};
            if constexpr (kExpands) {
                const auto place = [&](std::size_t axis) HWY_ATTR {
                    return Lanes((Lanes(hn::LoadU(d, tree_.body[axis] + at)) - Lanes(centre_[axis])) * Lanes(unit_));
                };
                Lanes far[3] = {Lanes(0.0f), Lanes(0.0f), Lanes(0.0f)};
                addExpandedPull<true>(far, expansion_, place(0), place(1), place(2));
                // Derivatives are in lengths of the expansion, and so is 1/r^2 itself.
                const Lanes back(kPower ? unit_ : unit_ * unit_);
                for (std::size_t axis = 0; axis < 3; ++axis) a[axis] += far[axis] * back;
            }
            // The values are still scaled, so that no square overflows.
            const Lanes squared = a[0] * a[0] + (a[1] * a[1] + a[2] * a[2]);
            V root = hn::Sqrt(squared.v);
            if constexpr (kSized) {
                const Lanes size = Lanes(hn::Load(d, sum_[kSize] + own)) + atCentre_ * Lanes(unit_ * unit_);
                root = hn::Max(root, hn::Mul(hn::Set(d, task_.floorShare), size.v));
            }
            hn::Store(hn::Mul(factor, root), d, length + own);
            for (std::size_t axis = 0; axis < 3; ++axis) hn::Store(hn::Mul(factor, a[axis].v), d, sum_[axis] + own);
        }
        for (std::uint32_t k = 0; k < group_.count; ++k) {
            const std::uint32_t body = tree_.order[group_.first + k];
            task_.lengths[body] = length[k];
            if (task_.sums[0])
                for (std::size_t axis = 0; axis < 3; ++axis) task_.sums[axis][body] = sum_[axis][k];
        }
    }

    const TreeWalkTask& task_;
    const TreeView& tree_;
    TreeGroup group_;
    TreeCounts& counts_;
    std::size_t vectors_ = 0;
    float centre_[3] = {}, half_[3] = {};
    float radius_ = 0, limit_ = 0;
    float unit_ = 1;     ///< power of two near one over the radius
    float nearest_ = 0;  ///< least squared distance of an expanded cell
    HWY_ALIGN float sum_[kSized ? 4 : 3][kPlaces];
    FieldExpansion<Lanes> expansion_;
    Lanes atCentre_;  ///< the field at the centre, for the energy; for charges, sizes of pulls
    List low_, high_, cells_, leaves_;
    Run waiting_[kWaiting];
};

template <TreeLaw kLaw, TreeWalk kWalk, bool kField = false>
void walk(const TreeWalkTask& task, TreeGroup group, TreeCounts& counts) {
    Walker<kLaw, kWalk, kField>(task, group, counts).run();
}

}  // namespace HWY_NAMESPACE
}  // namespace gravlab::cpu
HWY_AFTER_NAMESPACE();
#endif
