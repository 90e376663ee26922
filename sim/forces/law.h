// The pair laws, each written once in laws/: for host, device and SIMD, in float and double. This file has their common
// code. Rule: no branch for self, pad or coincident pairs: every law is finite at distance zero, where r itself makes it
// vanish.
//
// With r from the target i to the source j, source s and response k (see ParticleSet), every law has the form
//   a_i = k_i sum_j s_j forceOverDistance(r^2) r          [L/T^2]; positive attracts
//   U   = sum_{i<j} s_i s_j potential(r^2)   [M L^2/T^2]; d potential / dr = r forceOverDistance
// and the inertia of a body is s / k: mass for gravity (k = 1), mass for charges (s = q, k = q / m).
#pragma once
#include "sim/api/law.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <span>
#include <string_view>
#include <type_traits>

namespace gravlab {

/// 1 / sqrt(x).
GRAVLAB_HOST_DEVICE float inverseRoot(float x) {
#if defined(__CUDA_ARCH__)
    return rsqrtf(x);
#else
    return 1.0f / std::sqrt(x);
#endif
}

/// 1 / sqrt(x).
GRAVLAB_HOST_DEVICE double inverseRoot(double x) {
#if defined(__CUDA_ARCH__)
    return rsqrt(x);
#else
    return 1.0 / std::sqrt(x);
#endif
}

/// 1 / x^(3/2).
template <class Real>
GRAVLAB_HOST_DEVICE Real inverseCube(Real x) {
    const Real inverse = inverseRoot(x);
    return inverse * inverse * inverse;
}

/// x^power for x > 0.
template <class Real>
GRAVLAB_HOST_DEVICE Real raised(Real x, Real power) {
    return std::exp2(power * std::log2(x));
}

/// The larger number; b when a is NaN.
template <class Real>
GRAVLAB_HOST_DEVICE Real larger(Real a, Real b) {
    return a > b ? a : b;
}

/// The number type in a register; a scalar is its own number type.
template <class Real>
using ScalarOf = Real;
template <class Real>
constexpr bool kScalar = true;

/// Softening squared, raised to the floor that keeps a coincident pair finite in this precision, and to `smallestR2` [L^2].
template <class Real>
GRAVLAB_HOST_DEVICE Real flooredSoftening(double softening, double smallestR2 = 0) {
    const double floor =
        sizeof(Real) == sizeof(float) ? static_cast<double>(kSofteningSquaredFloor32) : kSofteningSquaredFloor64;
    const double squared = softening * softening > smallestR2 ? softening * softening : smallestR2;
    return static_cast<Real>(squared > floor ? squared : floor);
}

/// The texts of a law.
struct LawText {
    std::string_view name;    ///< stable key of --law
    std::string_view idea;    ///< one line for lists and tooltips
    std::string_view source;  ///< meaning of the w of a position
};

/// A list of law templates.
template <template <class> class... PairLaws>
struct LawList {
    static constexpr std::size_t kCount = sizeof...(PairLaws);
};

// clang-format off: a table
// A law is a template over Real, which is float, double, or a register of SIMD, with these members; x is r^2 [L^2]:
//
//   forceOverDistance(x), potential(x)   as above; the potential for scalars only
//   offset(), forceOverDistanceAt(x)     forceOverDistance(x) == forceOverDistanceAt(x + offset()), for loops that add the
//                                        offset to the first product
//   Law(settings, smallestR2)            on the host; smallestR2: see smallestR2() below
//   kText                                its texts
//   kSoftened                            the softening length acts
//   kHasJerk                             Hermite steps know how its force changes
//   kFloorShare                          see floorShare()
//   kEnds                                beyond a distance there is no force at all; it then has reach()
//   kSteep                               its own loops turn the rounding of a distance into ten times as much force
//   kSigned                              sources have either sign
//   kSingleEnergy                        the potential of many light pairs may be summed in float
//   kFiniteAtZero                        bodies at one place have a finite energy without softening
//   kTried                               settings under which `check` runs it
//   isGravity(settings)                  gravity's loops compute it, see loopLaw(); factor(settings): see forceFactor()
//   takes(number)                        whether it reads that number of ForceSettings
//   confines(settings)                   the potential grows without bound: no body escapes, whatever its energy
//   reach(settings)                      that distance [L], where kEnds
//   smallestR2(settings, heaviest, most) the r^2 above which heaviest times forceOverDistance stays below `most`
//
// clang-format on
#define GRAVLAB_LAW_FUNCTION GRAVLAB_HOST_DEVICE
#include "sim/forces/laws/laws.inl"
#undef GRAVLAB_LAW_FUNCTION

template <template <class> class PairLaw, template <class> class First, template <class> class... Rest>
constexpr int placeOf(LawList<First, Rest...>) {
    if constexpr (std::is_same_v<PairLaw<double>, First<double>>)
        return 0;
    else
        return 1 + placeOf<PairLaw>(LawList<Rest...>{});
}
/// The index of a law.
template <template <class> class PairLaw>
constexpr Law kLaw = Law{placeOf<PairLaw>(Laws{})};
static_assert(kLaw<Gravity> == Law::gravity);

template <template <class> class First, template <class> class... Rest>
LawList<Rest...> withoutFirst(LawList<First, Rest...>);
/// The laws with loops of their own, other than gravity.
using OtherLoopLaws = decltype(withoutFirst(LoopLaws{}));

/// Calls `use` as a template of the list's law with that index: the only place where an index becomes a type. The list must
/// contain it:
///   forLaw<Laws>(force.law, [&]<template <class> class PairLaw>() { ... });
template <template <class> class First, template <class> class... Rest, class Use>
decltype(auto) forLaw(LawList<First, Rest...>, Law law, Use&& use) {
    if constexpr (sizeof...(Rest) > 0)
        if (law != kLaw<First>) return forLaw(LawList<Rest...>{}, law, use);
    return use.template operator()<First>();
}
template <class List, class Use>
decltype(auto) forLaw(Law law, Use&& use) {
    return forLaw(List{}, law, use);
}

/// Calls `use` with the law that the settings name, made from these settings.
template <class Real, class Use>
decltype(auto) withLaw(const ForceSettings& settings, Use&& use) {
    return forLaw<Laws>(settings.law,
                        [&]<template <class> class PairLaw>() -> decltype(auto) { return use(PairLaw<Real>(settings)); });
}

/// The law whose loops compute this one. Gravity's loops also compute charges, whose sign is in forceFactor(), and the power
/// law of exponent 2, which equals gravity to the last bit on every backend.
inline Law loopLaw(const ForceSettings& settings) {
    const bool isGravity =
        forLaw<Laws>(settings.law, [&]<template <class> class PairLaw>() { return PairLaw<double>::isGravity(settings); });
    return isGravity ? Law::gravity : settings.law;
}

/// The index of loopLaw() in LoopLaws.
template <template <class> class First, template <class> class... Rest>
constexpr std::size_t placeIn(LawList<First, Rest...>, Law law) {
    if constexpr (sizeof...(Rest) > 0)
        if (law != kLaw<First>) return 1 + placeIn(LawList<Rest...>{}, law);
    return 0;
}
inline std::size_t loopIndex(const ForceSettings& settings) { return placeIn(LoopLaws{}, loopLaw(settings)); }

/// The factor of the sum of loopLaw(), beside the body's response: sign and strength when gravity's loops compute another
/// law, else 1, because other loops contain the strength.
inline double forceFactor(const ForceSettings& settings) {
    return forLaw<Laws>(settings.law, [&]<template <class> class PairLaw>() { return PairLaw<double>::factor(settings); });
}

/// Whether a pair at distance 0 has a finite energy. A pair without one has no force and adds no energy.
inline bool finiteAtZero(const ForceSettings& settings) {
    return settings.softening > 0 ||
           forLaw<Laws>(settings.law, [&]<template <class> class PairLaw>() { return PairLaw<double>::kFiniteAtZero; });
}

/// The least r^2 [L^2] in loops in Real (float or double), so that `heaviest`, the largest |source|, times forceOverDistance
/// stays finite for a body with itself or with another at one place. 0 when the law's own floor suffices, which holds for
/// sources up to 1e7.
template <class Real>
double smallestR2(const ForceSettings& settings, double heaviest) {
    return forLaw<LoopLaws>(loopLaw(settings), [&]<template <class> class PairLaw>() {
        return PairLaw<double>::smallestR2(settings, heaviest, sizeof(Real) == sizeof(float) ? 1e37 : 1e307);
    });
}

/// A row of the law table, made from the law's type.
struct LawRow {
    std::string_view name;    ///< stable key of --law
    std::string_view idea;    ///< one line for lists and tooltips
    std::string_view source;  ///< meaning of the w of a position
    Law law;
    bool softened;                                 ///< the softening length acts
    bool hasJerk;                                  ///< Hermite steps can use it
    double floorShare;                             ///< see floorShare()
    bool steep;                                    ///< its own loops are steep, see gateOf()
    bool signedSources;                            ///< sources have either sign
    std::span<const ForceSettings> tried;          ///< settings under which `check` runs it; law not filled in
    bool (*confines)(const ForceSettings&);        ///< no body can escape, whatever its energy
    bool (*takes)(double ForceSettings::*number);  ///< whether it reads that number
    /// The distance beyond which there is no force at all [L]; infinite for laws without an end.
    double (*reach)(const ForceSettings&);
    double (*forceOverDistance)(const ForceSettings&, double distanceSquared);  ///< in fp64, for checks and plots
    double (*potential)(const ForceSettings&, double distanceSquared);          ///< in fp64, for checks and plots
};

/// All laws; the first is the default.
std::span<const LawRow> laws();
/// The row with that name. Throws UsageError naming the valid ones and the nearest.
const LawRow& law(std::string_view name);
/// The row of that law.
const LawRow& lawRow(Law law);

}  // namespace gravlab
