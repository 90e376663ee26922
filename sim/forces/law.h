// The pair laws, each written once for host and device, in float and double.
// Rule: no branch for self, pad or coincident pairs: every law is finite at distance zero, where r itself makes it vanish.
//
// With r from the target i to the source j, source s and response k (see ParticleSet), every law has the form
//   a_i = k_i sum_j s_j pull(r^2) r          [L/T^2]; positive pull attracts
//   U   = sum_{i<j} s_i s_j potential(r^2)   [M L^2/T^2]; d potential / dr = r pull
// and the inertia of a body is s / k: mass for gravity (k = 1), mass for charges (s = q, k = q / m).
#pragma once
#include "sim/forces/force_settings.h"

#include <cmath>
#include <span>
#include <string_view>

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

/// Softening squared, raised to the floor that keeps a coincident pair finite in this precision.
template <class Real>
GRAVLAB_HOST_DEVICE Real flooredSoftening(double softening) {
    const double floor =
        sizeof(Real) == sizeof(float) ? static_cast<double>(kSofteningSquaredFloor32) : kSofteningSquaredFloor64;
    const double squared = softening * softening;
    return static_cast<Real>(squared > floor ? squared : floor);
}

/// Plummer-softened gravity: pull = 1 / (r^2 + softening^2)^(3/2). Plummer 1911; Aarseth 1963.
template <class Real>
struct Gravity {
    Real softeningSquared;

    explicit Gravity(const ForceSettings& settings) : softeningSquared(flooredSoftening<Real>(settings.softening)) {}
    GRAVLAB_HOST_DEVICE Real pull(Real distanceSquared) const {
        const Real inverse = inverseRoot(distanceSquared + softeningSquared);
        return inverse * inverse * inverse;
    }
    GRAVLAB_HOST_DEVICE Real potential(Real distanceSquared) const {
        return -inverseRoot(distanceSquared + softeningSquared);
    }
};

/// Charges with sign: like ones repel. Softened as gravity is.
template <class Real>
struct Coulomb {
    Real softeningSquared;
    Real strength;  ///< Coulomb's constant

    explicit Coulomb(const ForceSettings& settings)
        : softeningSquared(flooredSoftening<Real>(settings.softening)), strength(static_cast<Real>(settings.strength)) {}
    GRAVLAB_HOST_DEVICE Real pull(Real distanceSquared) const {
        const Real inverse = inverseRoot(distanceSquared + softeningSquared);
        return -strength * (inverse * inverse * inverse);
    }
    GRAVLAB_HOST_DEVICE Real potential(Real distanceSquared) const {
        return strength * inverseRoot(distanceSquared + softeningSquared);
    }
};

/// Attraction alpha d^-a in the softened distance d = sqrt(r^2 + softening^2). Whole a in 0..kLargestWhole are multiplied
/// out, so a = 2 gives gravity to the last bit; other a go through exp2 and log2.
template <class Real>
struct PowerLaw {
    static constexpr int kLargestWhole = 8;

    Real softeningSquared;
    Real exponent;
    Real strength;     ///< alpha
    Real nearest = 0;  ///< smallest d^2: steep laws leave the range of numbers sooner than gravity does
    int whole = -1;    ///< the exponent if it is whole and small, else -1

    explicit PowerLaw(const ForceSettings& settings)
        : softeningSquared(flooredSoftening<Real>(settings.softening)),
          exponent(static_cast<Real>(settings.exponent)),
          strength(static_cast<Real>(settings.strength)) {
        for (int a = 0; a <= kLargestWhole; ++a)
            if (settings.exponent == a) whole = a;
        const double power = 0.5 * (settings.exponent + 1);
        const double range = sizeof(Real) == sizeof(float) ? 1e30 : 1e300;
        if (power > 0) nearest = static_cast<Real>(std::pow(range, -1 / power));
    }
    GRAVLAB_HOST_DEVICE Real pull(Real distanceSquared) const {
        const Real squared = softened(distanceSquared);
        if (whole < 0) return strength * std::exp2(Real(-0.5) * (exponent + 1) * std::log2(squared));
        const Real inverse = inverseRoot(squared);
        Real product = strength * inverse;
        for (int factor = 0; factor < whole; ++factor) product *= inverse;
        return product;
    }
    GRAVLAB_HOST_DEVICE Real potential(Real distanceSquared) const {
        const Real squared = softened(distanceSquared);
        if (whole == 1) return strength * Real(0.5) * std::log(squared);
        return strength * std::exp2(Real(0.5) * (1 - exponent) * std::log2(squared)) / (1 - exponent);
    }

private:
    GRAVLAB_HOST_DEVICE Real softened(Real distanceSquared) const {
        const Real squared = distanceSquared + softeningSquared;
        return squared > nearest ? squared : nearest;
    }
};

/// Lennard-Jones 12-6, force-shifted: potential and force both reach zero at the cut-off, so energy has no step there
/// (Allen & Tildesley 2017, ch. 5). Inside `core` the force goes on linearly to zero, which keeps close pairs finite and
/// the potential its exact integral. Softening does not act.
template <class Real>
struct LennardJones {
    Real diameter;  ///< where the unshifted potential crosses zero [L]
    Real depth;     ///< of the unshifted well [M L^2/T^2]
    Real cutOff;    ///< [L]
    Real core;      ///< [L]

    explicit LennardJones(const ForceSettings& settings)
        : diameter(static_cast<Real>(settings.diameter)),
          depth(static_cast<Real>(settings.strength)),
          cutOff(static_cast<Real>(settings.cutOff * settings.diameter)),
          core(static_cast<Real>(settings.diameter / 2)) {}
    GRAVLAB_HOST_DEVICE Real pull(Real distanceSquared) const {
        const Real squared = distanceSquared > core * core ? distanceSquared : core * core;
        if (squared >= cutOff * cutOff) return 0;
        const Real inverse = inverseRoot(squared);
        return (slope(inverse) - slope(1 / cutOff)) * inverse;
    }
    GRAVLAB_HOST_DEVICE Real potential(Real distanceSquared) const {
        const Real squared = distanceSquared > core * core ? distanceSquared : core * core;
        if (squared >= cutOff * cutOff) return 0;
        const Real inverse = inverseRoot(squared), edge = 1 / cutOff;
        const Real shifted = well(inverse) - well(edge) - (squared * inverse - cutOff) * slope(edge);
        return shifted + Real(0.5) * (distanceSquared - squared) * pull(squared);
    }

private:
    /// The plain 12-6 potential at distance 1 / inverse, and its derivative.
    GRAVLAB_HOST_DEVICE Real well(Real inverse) const {
        const Real s = diameter * inverse, s2 = s * s, s6 = s2 * s2 * s2;
        return 4 * depth * s6 * (s6 - 1);
    }
    GRAVLAB_HOST_DEVICE Real slope(Real inverse) const {
        const Real s = diameter * inverse, s2 = s * s, s6 = s2 * s2 * s2;
        return -24 * depth * s6 * (2 * s6 - 1) * inverse;
    }
};

/// Calls `use` with the law that the settings name: the one place where the enum becomes a type.
template <class Real, class Use>
decltype(auto) withLaw(const ForceSettings& settings, Use&& use) {
    switch (settings.law) {
        case Law::coulomb:
            return use(Coulomb<Real>(settings));
        case Law::powerLaw:
            return use(PowerLaw<Real>(settings));
        case Law::lennardJones:
            return use(LennardJones<Real>(settings));
        case Law::gravity:
            break;
    }
    return use(Gravity<Real>(settings));
}

/// The law whose loops compute this one: gravity's also serve charges, whose sign is in forceFactor(), and the power law of
/// exponent 2, which then equals gravity to the last bit on every backend.
inline Law loopLaw(const ForceSettings& settings) {
    if (settings.law == Law::coulomb) return Law::gravity;
    return settings.law == Law::powerLaw && settings.exponent == 2 ? Law::gravity : settings.law;
}

/// Whether a pair at distance 0 has a finite energy. One without has no force either, and counts as none.
inline bool finiteAtZero(const ForceSettings& settings) {
    return settings.softening > 0 || settings.law == Law::lennardJones;
}

/// What the sum of loopLaw() is multiplied with, beside the body's response: sign and strength where gravity's loops stand
/// in for another law; 1 where the loops know the strength.
inline double forceFactor(const ForceSettings& settings) {
    if (settings.law == Law::coulomb) return -settings.strength;
    return settings.law == Law::powerLaw && loopLaw(settings) == Law::gravity ? settings.strength : 1;
}

/// A row of the law table.
struct LawRow {
    std::string_view name;    ///< stable key of --law
    std::string_view idea;    ///< one line for lists and tooltips
    std::string_view source;  ///< what the w of a position means
    Law law;
    bool softened;                                                      ///< the softening length acts
    double (*pull)(const ForceSettings&, double distanceSquared);       ///< in fp64, for checks and plots
    double (*potential)(const ForceSettings&, double distanceSquared);  ///< in fp64, for checks and plots
};

/// All laws; the first is the default.
std::span<const LawRow> laws();
/// The row of that name. Throws UsageError naming the valid ones and the nearest.
const LawRow& law(std::string_view name);

}  // namespace gravlab
