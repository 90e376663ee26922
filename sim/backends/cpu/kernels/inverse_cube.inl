// 1/x^(3/2) and 1/sqrt(x) of a register, from the estimate of the instruction set. The file is compiled once for each
// instruction set; include <hwy/highway.h> before it.
#if defined(GRAVLAB_INVERSE_CUBE_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef GRAVLAB_INVERSE_CUBE_INL_H
#undef GRAVLAB_INVERSE_CUBE_INL_H
#else
#define GRAVLAB_INVERSE_CUBE_INL_H
#endif

HWY_BEFORE_NAMESPACE();
namespace gravlab::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// A series of (1 - e)^(-3/2), where e = 1 - d2 y^2 is the error of the estimate y of d2^(-1/2). It is cheaper than a Newton
// step and the cube. The number of terms brings an estimate of 14, 12 or 8 bits to the rounding of fp32 (53 bits: below).
template <int kTerms, class D, class V = hn::Vec<D>>
HWY_INLINE V cubeSeries(D d, V e) {
    using T = hn::TFromD<D>;
    const V one = hn::Set(d, T(1));
    if constexpr (kTerms == 1) return hn::MulAdd(e, hn::Set(d, T(1.5)), one);
    if constexpr (kTerms == 2) return hn::MulAdd(e, hn::MulAdd(e, hn::Set(d, T(1.875)), hn::Set(d, T(1.5))), one);
    V series = hn::MulAdd(e, hn::Set(d, T(315.0 / 128)), hn::Set(d, T(2.1875)));
    series = hn::MulAdd(e, series, hn::Set(d, T(1.875)));
    series = hn::MulAdd(e, series, hn::Set(d, T(1.5)));
    return hn::MulAdd(e, series, one);
}

template <int kTerms, class D, class V = hn::Vec<D>>
HWY_INLINE V cubeOf(D d, V distanceSquared, V estimate) {
    const V squared = hn::Mul(estimate, estimate);
    const V missing = hn::NegMulAdd(distanceSquared, squared, hn::Set(d, hn::TFromD<D>(1)));
    return hn::Mul(hn::Mul(estimate, squared), cubeSeries<kTerms>(d, missing));
}

/// Terms that bring the fp32 estimate to the rounding of fp32.
constexpr int kEstimateTerms = HWY_TARGET <= HWY_AVX3 ? 1 : HWY_ARCH_X86 ? 2 : 4;

/// 1 / squared^(3/2).
template <class D, class V = hn::Vec<D>>
HWY_INLINE V inverseCubeOf(D d, V squared) {
    using T = hn::TFromD<D>;
#if HWY_TARGET != HWY_SCALAR  // the scalar estimate has 9 bits, and the hardware's root is as fast
    if constexpr (sizeof(T) == 4) return cubeOf<kEstimateTerms>(d, squared, hn::ApproximateReciprocalSqrt(squared));
#endif
#if HWY_TARGET == HWY_AVX3  // Highway 1.0 has no fp64 estimate; this one has 14 bits, and four terms bring it to 2e-20
    if constexpr (sizeof(T) == 8) return cubeOf<4>(d, squared, hn::Vec<D>{_mm512_rsqrt14_pd(squared.raw)});
#endif
    return hn::Div(hn::Set(d, T(1)), hn::Mul(squared, hn::Sqrt(squared)));
}

/// 1 / sqrt(squared), in fp32; not a number for 0.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V inverseRootOf(D d, V squared) {
#if HWY_TARGET == HWY_SCALAR
    return hn::Div(hn::Set(d, 1.0f), hn::Sqrt(squared));
#else
    const V y = hn::ApproximateReciprocalSqrt(squared);
    const V missing = hn::NegMulAdd(squared, hn::Mul(y, y), hn::Set(d, 1.0f));
    V series = hn::Set(d, 0.5f);
    if constexpr (kEstimateTerms > 1) {
        if constexpr (kEstimateTerms > 2) series = hn::MulAdd(missing, hn::Set(d, 0.3125f), hn::Set(d, 0.375f));
        if constexpr (kEstimateTerms == 2) series = hn::Set(d, 0.375f);
        series = hn::MulAdd(missing, series, hn::Set(d, 0.5f));
    }
    return hn::MulAdd(hn::Mul(y, missing), series, y);
#endif
}

}  // namespace HWY_NAMESPACE
}  // namespace gravlab::cpu
HWY_AFTER_NAMESPACE();
#endif
