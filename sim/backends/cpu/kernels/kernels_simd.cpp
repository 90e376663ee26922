// The force in SIMD: one lane per target, sources broadcast. Highway compiles the file once for each instruction set.
// Rule: only MulAdd adds products, so that no compiler can contract them differently from one loop to the next.

// Length-agnostic sets cannot hold the arrays of registers used here, so those machines run the fixed-width set.
// SSSE3 without SSE4 was last made in 2008.
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
// The scalar set is the last resort and has one lane, instead of emulated registers of 128 bits.
#define HWY_BROKEN_EMU128 1
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sim/backends/cpu/kernels/kernels_simd.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// Include this after the two headers above, which name the instruction set.
#include <hwy/contrib/math/math-inl.h>

#include "sim/backends/cpu/kernels/inverse_cube.inl"
#include "sim/backends/cpu/kernels/simd_targets.h"
#include "sim/core/names.h"
#include "sim/forces/law.h"

HWY_BEFORE_NAMESPACE();
namespace gravlab::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// A separate call would keep its registers in memory.
#undef GRAVLAB_INLINE_LAMBDA
#if HWY_COMPILER_MSVC
#define GRAVLAB_INLINE_LAMBDA HWY_ATTR
#else
#define GRAVLAB_INLINE_LAMBDA HWY_ATTR __attribute__((always_inline))
#endif

#if HWY_TARGET == HWY_SCALAR
constexpr std::size_t kTargetVectors = 1, kPairVectors = 1;
#elif HWY_TARGET <= HWY_AVX3
constexpr std::size_t kTargetVectors = 2, kPairVectors = 2;
#else
constexpr std::size_t kTargetVectors = 2, kPairVectors = 1;
#endif

/// A register with the operators of a number, so that these loops use the laws of sim/forces/laws.
template <class T>
struct Lanes {
    using Scalar = T;
    using D = hn::ScalableTag<T>;
    hn::Vec<D> v;

    explicit HWY_INLINE Lanes(T all) : v(hn::Set(D(), all)) {}
    explicit HWY_INLINE Lanes(hn::Vec<D> each) : v(each) {}
};
template <class T>
HWY_INLINE Lanes<T> operator+(Lanes<T> a, Lanes<T> b) {
    return Lanes<T>(hn::Add(a.v, b.v));
}
template <class T>
HWY_INLINE Lanes<T> operator-(Lanes<T> a, Lanes<T> b) {
    return Lanes<T>(hn::Sub(a.v, b.v));
}
template <class T>
HWY_INLINE Lanes<T> operator-(Lanes<T> a) {
    return Lanes<T>(hn::Neg(a.v));
}
template <class T>
HWY_INLINE Lanes<T> operator*(Lanes<T> a, Lanes<T> b) {
    return Lanes<T>(hn::Mul(a.v, b.v));
}
template <class T>
HWY_INLINE Lanes<T> operator/(Lanes<T> a, Lanes<T> b) {
    return Lanes<T>(hn::Div(a.v, b.v));
}

// Operations that the laws need of a Real, see laws.inl.
template <class Real>
using ScalarOf = typename Real::Scalar;
template <class Real>
constexpr bool kScalar = false;

template <class T>
HWY_INLINE Lanes<T> larger(Lanes<T> a, Lanes<T> b) {
    return Lanes<T>(hn::Max(a.v, b.v));
}
template <class T>
HWY_INLINE Lanes<T> mulSub(Lanes<T> a, Lanes<T> b, Lanes<T> c) {
    return Lanes<T>(hn::MulAdd(a.v, b.v, hn::Neg(c.v)));
}
template <class T>
HWY_INLINE Lanes<T> zeroUnlessLess(Lanes<T> a, Lanes<T> b, Lanes<T> value) {
    return Lanes<T>(hn::IfThenElseZero(hn::Lt(a.v, b.v), value.v));
}
template <class T>
HWY_INLINE Lanes<T> inverseRoot(Lanes<T> squared) {
    return Lanes<T>(hn::Div(hn::Set(hn::ScalableTag<T>(), T(1)), hn::Sqrt(squared.v)));
}
template <class T>
HWY_INLINE Lanes<T> raised(Lanes<T> x, Lanes<T> power) {
    const hn::ScalableTag<T> d;
    return Lanes<T>(hn::Exp(d, hn::Mul(power.v, hn::Log(d, x.v))));
}
template <class T>
HWY_INLINE Lanes<T> inverseCube(Lanes<T> squared) {
    return Lanes<T>(inverseCubeOf(hn::ScalableTag<T>(), squared.v));
}

#define GRAVLAB_LAW_FUNCTION HWY_INLINE
#include "sim/forces/laws/laws.inl"
#undef GRAVLAB_LAW_FUNCTION

/// Adds `term` to a two-level sum.
template <class D, class V = hn::Vec<D>>
HWY_INLINE void addTwoLevel(D, V& sum, V& lost, V term) {
    const V total = hn::Add(sum, term);
    const V kept = hn::Sub(total, sum);
    lost = hn::Add(lost, hn::Add(hn::Sub(sum, hn::Sub(total, kept)), hn::Sub(term, kept)));
    sum = total;
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE void addTwoLevelAt(D d, hn::TFromD<D>* HWY_RESTRICT sum, hn::TFromD<D>* HWY_RESTRICT lost, V term, bool first,
                              bool last) {
    const V old = first ? hn::Zero(d) : hn::Load(d, sum);
    const V total = hn::Add(old, term);
    const V kept = hn::Sub(total, old);
    const V error = hn::Add(hn::Sub(old, hn::Sub(total, kept)), hn::Sub(term, kept));
    const V allLost = hn::Add(first ? hn::Zero(d) : hn::Load(d, lost), error);
    hn::Store(last ? hn::Add(total, allLost) : total, d, sum);
    if (!last) hn::Store(allLost, d, lost);
}

/// Three registers, one per axis. Vec3 does not work here: registers have no comparison, and clang looks for one.
template <class V>
struct Triple {
    V x, y, z;
};

template <class D, class T = hn::TFromD<D>, class V = hn::Vec<D>>
HWY_INLINE void addAt(D d, const SumView<T>& sums, std::size_t i, const Triple<V>& term, bool first, bool last) {
    addTwoLevelAt(d, sums.x + i, sums.lostX + i, term.x, first, last);
    addTwoLevelAt(d, sums.y + i, sums.lostY + i, term.y, first, last);
    addTwoLevelAt(d, sums.z + i, sums.lostZ + i, term.z, first, last);
}

/// Adds sources [sourceBegin, sourceEnd) to kVectors registers of targets from i on, kUnroll sources per iteration.
template <template <class> class PairLaw, std::size_t kUnroll, std::size_t kVectors, class T>
HWY_INLINE void targetGroup(const BodyView<T>& bodies, const TargetView<T>& at, const SumView<T>& sums,
                            const ForceRequest& request, const TargetPiece& piece, std::size_t i) {
    const hn::ScalableTag<T> d;
    using V = hn::Vec<decltype(d)>;
    const std::size_t lanes = hn::Lanes(d);
    const PairLaw<Lanes<T>> law(request.settings, request.smallestR2);
    const V offset = law.offset().v;
    V x[kVectors], y[kVectors], z[kVectors];
    for (std::size_t k = 0; k < kVectors; ++k) {
        x[k] = hn::Load(d, at.x + i + k * lanes);
        y[k] = hn::Load(d, at.y + i + k * lanes);
        z[k] = hn::Load(d, at.z + i + k * lanes);
    }
    for (std::size_t tile = piece.sourceBegin; tile < piece.sourceEnd; tile += kTile) {
        const std::size_t tileEnd = HWY_MIN(tile + kTile, piece.sourceEnd);
        Triple<V> a[kVectors];
        for (std::size_t k = 0; k < kVectors; ++k) a[k] = {hn::Zero(d), hn::Zero(d), hn::Zero(d)};
        // The sum is always in the order of sources, so the unroll factor changes no bit.
        const auto meet = [&](std::size_t j) GRAVLAB_INLINE_LAMBDA {
            const V sx = hn::Set(d, bodies.x[j]), sy = hn::Set(d, bodies.y[j]), sz = hn::Set(d, bodies.z[j]);
            const V source = hn::Set(d, bodies.source[j]);
            for (std::size_t k = 0; k < kVectors; ++k) {
                const V dx = hn::Sub(sx, x[k]), dy = hn::Sub(sy, y[k]), dz = hn::Sub(sz, z[k]);
                const V distanceSquared = hn::MulAdd(dz, dz, hn::MulAdd(dy, dy, hn::MulAdd(dx, dx, offset)));
                const V pull = hn::Mul(source, law.forceOverDistanceAt(Lanes<T>(distanceSquared)).v);
                a[k].x = hn::MulAdd(pull, dx, a[k].x);
                a[k].y = hn::MulAdd(pull, dy, a[k].y);
                a[k].z = hn::MulAdd(pull, dz, a[k].z);
            }
        };
        std::size_t j = tile;
        if constexpr (kUnroll > 1)
            for (; j + kUnroll <= tileEnd; j += kUnroll) {
                meet(j), meet(j + 1);
                if constexpr (kUnroll > 2) meet(j + 2), meet(j + 3);
                if constexpr (kUnroll > 4) meet(j + 4), meet(j + 5), meet(j + 6), meet(j + 7);
            }
        for (; j < tileEnd; ++j) meet(j);
        const bool first = piece.first && tile == piece.sourceBegin;
        const bool last = piece.last && tileEnd == piece.sourceEnd;
        for (std::size_t k = 0; k < kVectors; ++k) addAt(d, sums, i + k * lanes, a[k], first, last);
    }
}

template <template <class> class PairLaw, class T>
HWY_NOINLINE void lastTargets(const BodyView<T>& bodies, const TargetView<T>& at, const SumView<T>& sums,
                              const ForceRequest& request, const TargetPiece& piece, std::size_t i) {
    targetGroup<PairLaw, 1, 1>(bodies, at, sums, request, piece, i);
}

template <template <class> class PairLaw, std::size_t kUnroll, class T>
void targets(const BodyView<T>& bodies, const TargetView<T>& at, const SumView<T>& sums, const ForceRequest& request,
             const TargetPiece& piece) {
    const std::size_t lanes = hn::Lanes(hn::ScalableTag<T>());
    std::size_t i = piece.targetBegin;
    for (; i + kTargetVectors * lanes <= roundUp(piece.targetEnd, lanes); i += kTargetVectors * lanes)
        targetGroup<PairLaw, kUnroll, kTargetVectors>(bodies, at, sums, request, piece, i);
    // One register may be left: all unrolls use the same loop for it, as they change no bit.
    if constexpr (kTargetVectors > 1)
        for (; i < piece.targetEnd; i += lanes) lastTargets<PairLaw>(bodies, at, sums, request, piece, i);
}

/// Adds all stretches of a piece to kVectors registers of its bodies, from the k-th on.
template <template <class> class PairLaw, std::size_t kVectors, class T>
HWY_INLINE void cellGroup(const BodyView<T>& bodies, const ForceRequest& request, const CellPiece& piece, std::size_t k,
                          CellSums<T>& out) {
    const hn::ScalableTag<T> d;
    using V = hn::Vec<decltype(d)>;
    const std::size_t lanes = hn::Lanes(d), first = piece.first + k;
    const PairLaw<Lanes<T>> law(request.settings, request.smallestR2);
    const V offset = law.offset().v;
    V x[kVectors], y[kVectors], z[kVectors];
    Triple<V> sum[kVectors], lost[kVectors];
    for (std::size_t v = 0; v < kVectors; ++v) {
        x[v] = hn::LoadU(d, bodies.x + first + v * lanes);
        y[v] = hn::LoadU(d, bodies.y + first + v * lanes);
        z[v] = hn::LoadU(d, bodies.z + first + v * lanes);
        sum[v] = lost[v] = {hn::Zero(d), hn::Zero(d), hn::Zero(d)};
    }
    for (const CellStretch& stretch : piece.stretches) {
        for (std::size_t tile = stretch.begin; tile < stretch.end; tile += kTile) {
            const std::size_t tileEnd = HWY_MIN(tile + kTile, static_cast<std::size_t>(stretch.end));
            Triple<V> a[kVectors];
            for (std::size_t v = 0; v < kVectors; ++v) a[v] = {hn::Zero(d), hn::Zero(d), hn::Zero(d)};
            for (std::size_t j = tile; j < tileEnd; ++j) {
                const V sx = hn::Set(d, bodies.x[j]), sy = hn::Set(d, bodies.y[j]), sz = hn::Set(d, bodies.z[j]);
                const V source = hn::Set(d, bodies.source[j]);
                for (std::size_t v = 0; v < kVectors; ++v) {
                    const V dx = hn::Sub(sx, x[v]), dy = hn::Sub(sy, y[v]), dz = hn::Sub(sz, z[v]);
                    const V distanceSquared = hn::MulAdd(dz, dz, hn::MulAdd(dy, dy, hn::MulAdd(dx, dx, offset)));
                    const V pull = hn::Mul(source, law.forceOverDistanceAt(Lanes<T>(distanceSquared)).v);
                    a[v].x = hn::MulAdd(pull, dx, a[v].x);
                    a[v].y = hn::MulAdd(pull, dy, a[v].y);
                    a[v].z = hn::MulAdd(pull, dz, a[v].z);
                }
            }
            for (std::size_t v = 0; v < kVectors; ++v) {
                addTwoLevel(d, sum[v].x, lost[v].x, a[v].x);
                addTwoLevel(d, sum[v].y, lost[v].y, a[v].y);
                addTwoLevel(d, sum[v].z, lost[v].z, a[v].z);
            }
        }
    }
    for (std::size_t v = 0; v < kVectors; ++v) {
        const std::size_t at = k + v * lanes;
        hn::StoreU(sum[v].x, d, out.sum[0] + at);
        hn::StoreU(sum[v].y, d, out.sum[1] + at);
        hn::StoreU(sum[v].z, d, out.sum[2] + at);
        hn::StoreU(lost[v].x, d, out.lost[0] + at);
        hn::StoreU(lost[v].y, d, out.lost[1] + at);
        hn::StoreU(lost[v].z, d, out.lost[2] + at);
    }
}

template <template <class> class PairLaw, class T>
void cells(const BodyView<T>& bodies, const ForceRequest& request, const CellPiece& piece, CellSums<T>& out) {
    const std::size_t lanes = hn::Lanes(hn::ScalableTag<T>());
    static_assert(kCellGroup * sizeof(T) >= HWY_MAX_BYTES && kCellGroup * sizeof(T) % HWY_MAX_BYTES == 0);
    for (std::size_t k = 0; k < piece.count;) {
        if constexpr (kTargetVectors > 1)
            if (piece.count - k > lanes) {
                cellGroup<PairLaw, kTargetVectors>(bodies, request, piece, k, out);
                k += kTargetVectors * lanes;
                continue;
            }
        cellGroup<PairLaw, 1>(bodies, request, piece, k, out);
        k += lanes;
    }
}

/// Sources whose lane sums stay in the first-level cache during a pass over the other tile: 64 x 3 registers, 12 kB.
constexpr std::size_t kPairBlock = 64;

/// Computes kVectors registers of tile a with sources [jBegin, jEnd) of tile b. It adds to `onA` (one number per body) and
/// to `lanesOnB` (one register per body, reduced later).
template <template <class> class PairLaw, std::size_t kVectors, class T>
HWY_INLINE void pairGroup(const BodyView<T>& bodies, const ForceRequest& request, std::size_t i, std::size_t jBegin,
                          std::size_t jEnd, T* HWY_RESTRICT onA, std::size_t stride, T* HWY_RESTRICT lanesOnB) {
    const hn::ScalableTag<T> d;
    using V = hn::Vec<decltype(d)>;
    const std::size_t lanes = hn::Lanes(d);
    const PairLaw<Lanes<T>> law(request.settings, request.smallestR2);
    const V offset = law.offset().v;
    V x[kVectors], y[kVectors], z[kVectors], own[kVectors];
    Triple<V> a[kVectors];
    for (std::size_t k = 0; k < kVectors; ++k) {
        x[k] = hn::Load(d, bodies.x + i + k * lanes);
        y[k] = hn::Load(d, bodies.y + i + k * lanes);
        z[k] = hn::Load(d, bodies.z + i + k * lanes);
        own[k] = hn::Load(d, bodies.source + i + k * lanes);
        a[k] = {hn::Zero(d), hn::Zero(d), hn::Zero(d)};
    }
    for (std::size_t j = jBegin; j < jEnd; ++j) {
        const V sx = hn::Set(d, bodies.x[j]), sy = hn::Set(d, bodies.y[j]), sz = hn::Set(d, bodies.z[j]);
        const V source = hn::Set(d, bodies.source[j]);
        T* HWY_RESTRICT onB = lanesOnB + (j - jBegin) * 3 * lanes;
        V bx = hn::Load(d, onB), by = hn::Load(d, onB + lanes), bz = hn::Load(d, onB + 2 * lanes);
        for (std::size_t k = 0; k < kVectors; ++k) {
            const V dx = hn::Sub(sx, x[k]), dy = hn::Sub(sy, y[k]), dz = hn::Sub(sz, z[k]);
            const V distanceSquared = hn::MulAdd(dz, dz, hn::MulAdd(dy, dy, hn::MulAdd(dx, dx, offset)));
            const V factor = law.forceOverDistanceAt(Lanes<T>(distanceSquared)).v;
            const V pull = hn::Mul(source, factor), push = hn::Mul(own[k], factor);
            a[k].x = hn::MulAdd(pull, dx, a[k].x);
            a[k].y = hn::MulAdd(pull, dy, a[k].y);
            a[k].z = hn::MulAdd(pull, dz, a[k].z);
            bx = hn::NegMulAdd(push, dx, bx);
            by = hn::NegMulAdd(push, dy, by);
            bz = hn::NegMulAdd(push, dz, bz);
        }
        hn::Store(bx, d, onB);
        hn::Store(by, d, onB + lanes);
        hn::Store(bz, d, onB + 2 * lanes);
    }
    for (std::size_t k = 0; k < kVectors; ++k) {
        T* HWY_RESTRICT at = onA + k * lanes;
        hn::Store(hn::Add(hn::Load(d, at), a[k].x), d, at);
        hn::Store(hn::Add(hn::Load(d, at + stride), a[k].y), d, at + stride);
        hn::Store(hn::Add(hn::Load(d, at + 2 * stride), a[k].z), d, at + 2 * stride);
    }
}

/// Bodies whose lane sums are reduced together.
constexpr std::size_t kReduced = 4;

/// Sets out[k] to the sum of the lanes of the register at in + k * stride, for k = 0..3. Four cost a third of single ones.
template <class D, class T = hn::TFromD<D>, class V = hn::Vec<D>>
HWY_INLINE void reduceLanes(D d, const T* HWY_RESTRICT in, std::size_t stride, T* HWY_RESTRICT out) {
#if HWY_TARGET == HWY_SCALAR
    for (std::size_t k = 0; k < kReduced; ++k) hn::Store(hn::Load(d, in + k * stride), d, out + k);
#else
    // It transposes and adds within blocks of 128 bits, then adds the blocks.
    const auto sumOfTwo = [d](V a, V b)
                              HWY_ATTR { return hn::Add(hn::InterleaveLower(d, a, b), hn::InterleaveUpper(d, a, b)); };
    const V sum01 = sumOfTwo(hn::Load(d, in), hn::Load(d, in + stride));
    const V sum23 = sumOfTwo(hn::Load(d, in + 2 * stride), hn::Load(d, in + 3 * stride));
    constexpr std::size_t kBlock = 16 / sizeof(T);
    const hn::FixedTag<T, kBlock> block;
    HWY_ALIGN T parts[HWY_MAX_BYTES / sizeof(T)];
    const auto addBlocks = [&](V sums, T* HWY_RESTRICT to) HWY_ATTR {
        hn::Store(sums, d, parts);
        auto sum = hn::Load(block, parts);
        for (std::size_t i = kBlock; i < hn::Lanes(d); i += kBlock) sum = hn::Add(sum, hn::Load(block, parts + i));
        hn::Store(sum, block, to);
    };
    if constexpr (sizeof(T) == 4) {
        const hn::RepartitionToWide<D> wide;
        const auto low = hn::InterleaveLower(wide, hn::BitCast(wide, sum01), hn::BitCast(wide, sum23));
        const auto high = hn::InterleaveUpper(wide, hn::BitCast(wide, sum01), hn::BitCast(wide, sum23));
        addBlocks(hn::Add(hn::BitCast(d, low), hn::BitCast(d, high)), out);
    } else {
        addBlocks(sum01, out);
        addBlocks(sum23, out + kBlock);
    }
#endif
}

template <template <class> class PairLaw, class T>
void pairs(const BodyView<T>& bodies, const SumView<T>& sums, const ForceRequest& request, const PairPiece& piece) {
    if (piece.aBegin == piece.bBegin) {
        targets<PairLaw, 1>(bodies, {bodies.x, bodies.y, bodies.z}, sums, request,
                            {piece.aBegin, piece.aEnd, piece.aBegin, piece.aEnd, piece.first, piece.last});
        return;
    }
    const hn::ScalableTag<T> d;
    using V = hn::Vec<decltype(d)>;
    const std::size_t lanes = hn::Lanes(d);
    HWY_ALIGN T onA[3 * kPairTile];
    HWY_ALIGN T onB[3 * kPairTile];
    HWY_ALIGN T lanesOnB[kPairBlock * 3 * HWY_MAX_BYTES / sizeof(T)];
    const std::size_t aCount = piece.aEnd - piece.aBegin, bCount = piece.bEnd - piece.bBegin;
    for (std::size_t i = 0; i < 3 * kPairTile; ++i) onA[i] = onB[i] = 0;

    for (std::size_t block = 0; block < bCount; block += kPairBlock) {
        const std::size_t blockEnd = HWY_MIN(block + kPairBlock, bCount);
        for (std::size_t i = 0; i < kPairBlock * 3 * lanes; i += lanes) hn::Store(hn::Zero(d), d, lanesOnB + i);
        const std::size_t jBegin = piece.bBegin + block, jEnd = piece.bBegin + blockEnd;
        std::size_t i = 0;  // whole tiles only: bodies past tile a have no source (padding) or belong to another tile
        for (; i + kPairVectors * lanes <= roundUp(aCount, lanes); i += kPairVectors * lanes)
            pairGroup<PairLaw, kPairVectors>(bodies, request, piece.aBegin + i, jBegin, jEnd, onA + i, kPairTile, lanesOnB);
        if constexpr (kPairVectors > 1)
            for (; i < aCount; i += lanes)
                pairGroup<PairLaw, 1>(bodies, request, piece.aBegin + i, jBegin, jEnd, onA + i, kPairTile, lanesOnB);
        for (std::size_t j = 0; j < blockEnd - block; j += kReduced)
            for (std::size_t axis = 0; axis < 3; ++axis)
                reduceLanes(d, lanesOnB + (3 * j + axis) * lanes, 3 * lanes, onB + axis * kPairTile + block + j);
    }
    const auto addAll = [&](std::size_t begin, std::size_t count, const T* HWY_RESTRICT partial) HWY_ATTR {
        for (std::size_t i = 0; i < count; i += lanes) {
            const Triple<V> term{hn::Load(d, partial + i), hn::Load(d, partial + kPairTile + i),
                                 hn::Load(d, partial + 2 * kPairTile + i)};
            addAt(d, sums, begin + i, term, piece.first, piece.last);
        }
    };
    addAll(piece.aBegin, aCount, onA);
    addAll(piece.bBegin, bCount, onB);
}

template <template <class> class PairLaw, class T>
CellKernel<T> cellKernel() {
    if constexpr (PairLaw<Lanes<T>>::kEnds)
        return cells<PairLaw, T>;
    else
        return nullptr;
}

template <class T, template <class> class... PairLaws>
LawKernels<T> everyLaw(LawList<PairLaws...>) {
    static_assert(kUnrolls == std::array{1, 2, 4, 8});
    return {{{{targets<PairLaws, 1, T>,
               pairs<PairLaws, T>,
               cellKernel<PairLaws, T>(),
               {targets<PairLaws, 2, T>, targets<PairLaws, 4, T>, targets<PairLaws, 8, T>}}...}}};
}

/// Repeats the same step on ten independent registers.
template <class Step>
HWY_INLINE float chained(std::int64_t rounds, const Step& step) {
    const hn::ScalableTag<float> d;
    static_assert(PeakLoops::kChains == 10);
    auto a = hn::Iota(d, 1.f), b = hn::Iota(d, 2.f), c = hn::Iota(d, 3.f), e = hn::Iota(d, 4.f), f = hn::Iota(d, 5.f);
    auto g = hn::Iota(d, 6.f), h = hn::Iota(d, 7.f), i = hn::Iota(d, 8.f), j = hn::Iota(d, 9.f), k = hn::Iota(d, 10.f);
    for (; rounds > 0; --rounds) {
        a = step(a), b = step(b), c = step(c), e = step(e), f = step(f);
        g = step(g), h = step(h), i = step(i), j = step(j), k = step(k);
    }
    const auto first = hn::Add(hn::Add(hn::Add(a, b), hn::Add(c, e)), f);
    return hn::GetLane(hn::Add(first, hn::Add(hn::Add(hn::Add(g, h), hn::Add(i, j)), k)));
}

float peakMultiplyAdds(std::int64_t rounds) {
    const hn::ScalableTag<float> d;
    const auto factor = hn::Set(d, 0.5f), term = hn::Set(d, 1.f);  // values approach 2, so none becomes small or large
    return chained(rounds, [&](auto x) HWY_ATTR { return hn::MulAdd(x, factor, term); });
}

float peakInverseRoots(std::int64_t rounds) {
    return chained(rounds, [](auto x) HWY_ATTR { return hn::ApproximateReciprocalSqrt(x); });
}

float peakRead(const float* from, std::size_t count) {
    const hn::ScalableTag<float> d;
    const std::size_t lanes = hn::Lanes(d);
    auto a = hn::Zero(d), b = a, c = a, e = a;
    for (std::size_t at = 0; at + 4 * lanes <= count; at += 4 * lanes) {
        a = hn::Add(a, hn::LoadU(d, from + at));
        b = hn::Add(b, hn::LoadU(d, from + at + lanes));
        c = hn::Add(c, hn::LoadU(d, from + at + 2 * lanes));
        e = hn::Add(e, hn::LoadU(d, from + at + 3 * lanes));
    }
    return hn::GetLane(hn::Add(hn::Add(a, b), hn::Add(c, e)));
}

SimdTarget describe(std::string_view name, std::string_view title) {
    return {name,
            title,
            HWY_TARGET,
            static_cast<int>(hn::Lanes(hn::ScalableTag<float>())),
            everyLaw<float>(LoopLaws{}),
            everyLaw<double>(LoopLaws{}),
            {peakMultiplyAdds, peakInverseRoots, peakRead}};
}

}  // namespace HWY_NAMESPACE
}  // namespace gravlab::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <vector>

namespace gravlab::cpu {

namespace {

/// Whether this processor and its system run an instruction set that the build does not take for granted. The compiler
/// answers: Highway's own library would measure a timer for 4 ms at every start of the program.
bool runsHere(std::int64_t set) {
#if HWY_ARCH_X86
    const bool sse4 = __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("aes") && __builtin_cpu_supports("pclmul");
    const bool avx2 =
        sse4 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
    if (set == HWY_SSE4) return sse4;
    if (set == HWY_AVX2) return avx2;
    return avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw");
#else
    return set == HWY_NEON;
#endif
}

}  // namespace

std::span<const SimdTarget> simdTargets() {
    static const std::vector<SimdTarget> found = [] {
        std::vector<SimdTarget> here;
        const auto offer = [&](std::int64_t set, auto describe, std::string_view name, std::string_view title) {
            if (set == HWY_STATIC_TARGET || set == HWY_SCALAR || runsHere(set)) here.push_back(describe(name, title));
        };
#define GRAVLAB_SIMD_TARGET(set, space, name, title) offer(set, space::describe, name, title);
#include "sim/backends/cpu/kernels/simd_targets.inl"
        return here;
    }();
    return found;
}

std::string whyNotSimd(std::string_view name) {
    std::vector<std::string_view> valid;
    for (const SimdTarget& target : simdTargets()) {
        if (target.name == name) return {};
        valid.push_back(target.name);
    }
    return unknownName("instruction set on this machine", name, valid);
}

const SimdTarget& simdTarget(std::string_view name) {
    for (const SimdTarget& target : simdTargets())
        if (target.name == name) return target;
    throw UsageError(whyNotSimd(name));
}

}  // namespace gravlab::cpu
#endif
