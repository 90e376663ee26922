/// A drag that grows with the speed, as in a viscous medium: speeds fall by the factor e in 1 / rate.
template <class Real>
struct LinearDrag {
    static constexpr FieldText kText{"drag", FieldKind::drag, "a drag in proportion to the speed", "Stokes 1851",
                                     FieldShape::none};
    static constexpr std::array kNumbers{FieldNumber{
        .name = "rate", .time = -1, .range = FieldRange::positive, .idea = "speeds fall by the factor e in 1 / rate"}};
    GRAVLAB_HOST_DEVICE static Vec3<Real> pull(const Real* n, const Vec3<Real>&, const Vec3<Real>& v, Real) {
        return v * -n[0];
    }
};

/// A drag that grows with the square of the speed, as in a thin gas.
template <class Real>
struct QuadraticDrag {
    static constexpr FieldText kText{"quadratic-drag", FieldKind::drag, "a drag in proportion to the square of the speed",
                                     "Newton 1687, book II", FieldShape::none};
    static constexpr std::array kNumbers{FieldNumber{.name = "coefficient",
                                                     .length = -1,
                                                     .range = FieldRange::positive,
                                                     .idea = "one over the path that takes the factor e"}};
    GRAVLAB_HOST_DEVICE static Vec3<Real> pull(const Real* n, const Vec3<Real>&, const Vec3<Real>& v, Real) {
        return v * (-n[0] * std::sqrt(dot(v, v)));
    }
};

/// (erf(s) - s erf'(s)) / s^3; its series where that would cancel.
template <class Real>
GRAVLAB_HOST_DEVICE Real slowerShare(Real s) {
    constexpr Real kRoot = Real(0.56418958354775628695);  // 1 / sqrt(pi)
    if (s > (sizeof(Real) == sizeof(float) ? Real(0.5) : Real(0.1)))
        return (std::erf(s) - 2 * kRoot * s * std::exp(-s * s)) / (s * s * s);
    const Real q = s * s;
    return 2 * kRoot *
           (Real(2) / 3 - q * (Real(2) / 5 - q * (Real(1) / 7 - q * (Real(1) / 27 - q * (Real(1) / 132 -
                                                                                         q * (Real(1) / 780 - q / 5400))))));
}

/// Chandrasekhar's formula for a Maxwellian background of this density, whose fastest speeds are 2^(1/2) sigma.
/// Chandrasekhar 1943; Binney & Tremaine 2008, eq. 8.13.
template <class Real>
GRAVLAB_HOST_DEVICE Vec3<Real> dynamicalFriction(Real density, Real speed, Real logarithm, Real mass, const Vec3<Real>& v) {
    constexpr Real kFourPi = Real(12.566370614359172954);
    const Real share = slowerShare(std::sqrt(dot(v, v)) / speed) / (speed * speed * speed);
    return v * (-kFourPi * mass * logarithm * density * share);
}

/// In a singular isothermal sphere: rho = v^2 / (4 pi r^2), and v is 2^(1/2) sigma.
template <class Real>
struct IsothermalFriction {
    static constexpr FieldText kText{"friction", FieldKind::drag,
                                     "dynamical friction in an isothermal halo, the field 'logarithmic'",
                                     "Chandrasekhar 1943", FieldShape::none};
    static constexpr std::array kNumbers{
        FieldNumber{.name = "speed",
                    .length = 1,
                    .time = -1,
                    .range = FieldRange::positive,
                    .idea = "of circular orbits in the halo"},
        FieldNumber{.name = "logarithm", .range = FieldRange::positive, .usual = 3, .idea = "Coulomb logarithm"},
        FieldNumber{.name = "core",
                    .length = 1,
                    .range = FieldRange::notNegative,
                    .usual = 0,
                    .idea = "within it the density is flat"}};
    GRAVLAB_HOST_DEVICE static Vec3<Real> pull(const Real* n, const Vec3<Real>& x, const Vec3<Real>& v, Real mass) {
        constexpr Real kFourPi = Real(12.566370614359172954);
        const Real squared = dot(x, x) + larger(n[2] * n[2], flooredSoftening<Real>(0));
        return dynamicalFriction(n[0] * n[0] / (kFourPi * squared), n[0], n[1], mass, v);
    }
};

/// In a halo of Hernquist. The local speed of circular orbits stands for 2^(1/2) sigma.
template <class Real>
struct HernquistFriction {
    static constexpr FieldText kText{"friction-hernquist", FieldKind::drag,
                                     "dynamical friction in the halo of the field 'hernquist'", "Chandrasekhar 1943",
                                     FieldShape::none};
    static constexpr std::array kNumbers{
        FieldNumber{.name = "mass", .mass = 1, .range = FieldRange::positive, .idea = "of the halo"},
        FieldNumber{.name = "scale", .length = 1, .range = FieldRange::positive, .idea = "of the halo"},
        FieldNumber{.name = "logarithm", .range = FieldRange::positive, .usual = 3, .idea = "Coulomb logarithm"}};
    GRAVLAB_HOST_DEVICE static Vec3<Real> pull(const Real* n, const Vec3<Real>& x, const Vec3<Real>& v, Real mass) {
        constexpr Real kTwoPi = Real(6.283185307179586477);
        const Real r = larger(HernquistField<Real>::radius(x), n[1] / 1024), outer = r + n[1];
        const Real density = n[0] * n[1] / (kTwoPi * r * outer * outer * outer);
        return dynamicalFriction(density, std::sqrt(n[0] * r) / outer, n[2], mass, v);
    }
};

/// In a halo of Navarro, Frenk & White. The local speed of circular orbits stands for 2^(1/2) sigma.
template <class Real>
struct NfwFriction {
    static constexpr FieldText kText{"friction-nfw", FieldKind::drag, "dynamical friction in the halo of the field 'nfw'",
                                     "Chandrasekhar 1943", FieldShape::none};
    static constexpr std::array kNumbers{
        FieldNumber{.name = "mass",
                    .mass = 1,
                    .range = FieldRange::positive,
                    .idea = "of the halo within concentration times scale"},
        FieldNumber{.name = "scale", .length = 1, .range = FieldRange::positive, .idea = "of the halo"},
        FieldNumber{
            .name = "concentration", .range = FieldRange::positive, .usual = 10, .idea = "scales that hold the mass"},
        FieldNumber{.name = "logarithm", .range = FieldRange::positive, .usual = 3, .idea = "Coulomb logarithm"}};
    GRAVLAB_HOST_DEVICE static Vec3<Real> pull(const Real* n, const Vec3<Real>& x, const Vec3<Real>& v, Real mass) {
        constexpr Real kFourPi = Real(12.566370614359172954);
        const Real r = larger(HernquistField<Real>::radius(x), n[1] / 1024), outer = r + n[1];
        const Real whole = n[0] / nfwShape(n[2]), density = whole / (kFourPi * r * outer * outer);
        return dynamicalFriction(density, std::sqrt(whole * nfwShape(r / n[1]) / r), n[3], mass, v);
    }
};
