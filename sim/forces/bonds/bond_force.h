// The pull of one bond, written once for host and device, in float and double. A bond acts along the line of its two bodies.
// With the distance r, the rest length L, x = r - L and the largest strain b:
//   hooke   U = k x^2 / 2, pull k x
//   fene    U = -(k R^2 / 2) ln(1 - (x/R)^2), pull k x / (1 - (x/R)^2), R = b L: it stiffens towards its longest extension
//   morse   U = D (1 - e^(-a x))^2, D = k / (2 a^2), a = ln 2 / (b L): the pull is largest at the strain b and then dies
//   away
// All have the stiffness k at rest. Sources: Hooke 1678; Warner 1972; Morse 1929.
#pragma once
#include "sim/api/vectors.h"
#include "sim/forces/law.h"

#include <cmath>
#include <cstdint>

namespace gravlab {

enum class BondLaw : std::uint32_t { hooke, fene, morse };

/// Numbers that several bonds have in common.
template <class Real>
struct BondClass {
    Real length = 0;     ///< rest length [L]
    Real stiffness = 0;  ///< at rest [M/T^2]
    Real damping = 0;    ///< pull for each unit of the speed with which the bodies part [M/T]
    Real breaking = 0;   ///< largest strain, (r - L) / L; 0: a bond by Hooke never breaks
    BondLaw law = BondLaw::hooke;
    bool operator==(const BondClass&) const = default;
};

/// Above this square of x/R a `fene` bond pulls as a spring of a hundred times its stiffness, so that no step divides by 0.
template <class Real>
constexpr Real kFeneLimit = Real(0.99);

/// Pull [M L/T^2] of a bond of the length `distance`, without damping; positive attracts.
template <class Real>
GRAVLAB_HOST_DEVICE Real bondPull(const BondClass<Real>& bond, Real distance) {
    const Real longer = distance - bond.length;
    Real pull = bond.stiffness * longer;
    if (bond.law == BondLaw::fene) {
        const Real part = longer / (bond.breaking * bond.length), square = part * part;
        pull = pull / (1 - (square < kFeneLimit<Real> ? square : kFeneLimit<Real>));
    } else if (bond.law == BondLaw::morse) {
        const Real width = Real(0.693147180559945309) / (bond.breaking * bond.length);
        const Real e = std::exp(-width * longer);
        pull = bond.stiffness / width * (e - e * e);
    }
    return pull;
}

/// The force on the first body over the way to the second one [M/T^2]. `apart` is that way, `parting` the velocity of the
/// second body relative to the first; it is read only where the bond is damped. Bodies at one place do not pull: the line
/// between them has no direction.
template <class Real>
GRAVLAB_HOST_DEVICE Real bondFactor(const BondClass<Real>& bond, const Vec3<Real>& apart, const Vec3<Real>& parting) {
    const Real squared = dot(apart, apart);
    if (!(squared > 0)) return 0;
#if defined(__CUDA_ARCH__)
    const Real inverse = inverseRoot(squared),
               distance = squared * inverse;  // one instruction instead of a root and a division
    Real factor = bondPull(bond, distance) * inverse;
#else
    const Real distance = std::sqrt(squared);
    Real factor = bondPull(bond, distance) / distance;
#endif
    if (bond.damping != 0) factor += bond.damping * dot(parting, apart) / squared;
    return factor;
}

/// The force on the first body [M L/T^2].
template <class Real>
GRAVLAB_HOST_DEVICE Vec3<Real> bondForce(const BondClass<Real>& bond, const Vec3<Real>& apart, const Vec3<Real>& parting) {
    return bondFactor(bond, apart, parting) * apart;
}

/// The energy of a bond of that length [M L^2/T^2].
inline double bondEnergy(const BondClass<double>& bond, double distance) {
    const double longer = distance - bond.length, reach = bond.breaking * bond.length;
    if (bond.law == BondLaw::morse) {
        const double width = std::log(2.0) / reach, lost = 1 - std::exp(-width * longer);
        return bond.stiffness / (2 * width * width) * lost * lost;
    }
    if (bond.law == BondLaw::hooke) return bond.stiffness * longer * longer / 2;
    const double square = longer * longer / (reach * reach), limit = kFeneLimit<double>;
    const double within = -bond.stiffness * reach * reach / 2 * std::log(1 - (square < limit ? square : limit));
    // Not the square times reach^2: that is no number where the reach is near 0.
    return square < limit ? within : within + bond.stiffness / (1 - limit) / 2 * (longer * longer - limit * reach * reach);
}

/// Whether a bond of that length breaks. A bond by Morse has no end: its pull dies away.
template <class Real>
GRAVLAB_HOST_DEVICE bool bondBreaks(const BondClass<Real>& bond, Real distance) {
    return bond.breaking > 0 && bond.law != BondLaw::morse && distance - bond.length > bond.breaking * bond.length;
}

}  // namespace gravlab
