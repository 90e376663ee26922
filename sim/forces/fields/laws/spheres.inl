/// A point mass, softened like a body. Under Coulomb's law its mass is a charge of opposite sign.
template <class Real>
struct PointField {
    static constexpr FieldText kText{"point", FieldKind::field, "a point mass, softened by a length", "Newton 1687",
                                     FieldShape::sphere};
    static constexpr std::array kNumbers{
        FieldNumber{.name = "mass", .mass = 1, .range = FieldRange::notZero, .idea = "its mass"},
        FieldNumber{
            .name = "softening", .length = 1, .range = FieldRange::notNegative, .usual = 0, .idea = "Plummer softening"}};
    GRAVLAB_HOST_DEVICE static Real squared(const Real* n, const Vec3<Real>& x) {
        return dot(x, x) + larger(n[1] * n[1], flooredSoftening<Real>(0));
    }
    GRAVLAB_HOST_DEVICE static Vec3<Real> pull(const Real* n, const Vec3<Real>& x, const Vec3<Real>&, Real) {
        return x * (-n[0] * inverseCube(squared(n, x)));
    }
    GRAVLAB_HOST_DEVICE static Real potential(const Real* n, const Vec3<Real>& x) {
        return -n[0] * inverseRoot(squared(n, x));
    }
};

/// A pull that grows with the distance: the inside of a homogeneous ball, and every orbit is an ellipse about the centre.
template <class Real>
struct HarmonicField {
    static constexpr FieldText kText{"harmonic", FieldKind::field,
                                     "a pull that grows with the distance, as inside a homogeneous ball",
                                     "Newton 1687, book I, proposition 10", FieldShape::sphere};
    static constexpr std::array kNumbers{FieldNumber{
        .name = "frequency", .time = -1, .range = FieldRange::positive, .idea = "2 pi over the period of every orbit"}};
    GRAVLAB_HOST_DEVICE static Vec3<Real> pull(const Real* n, const Vec3<Real>& x, const Vec3<Real>&, Real) {
        return x * (-n[0] * n[0]);
    }
    GRAVLAB_HOST_DEVICE static Real potential(const Real* n, const Vec3<Real>& x) { return n[0] * n[0] * dot(x, x) / 2; }
};

/// rho = M a / (2 pi r (r + a)^3). Hernquist 1990.
template <class Real>
struct HernquistField {
    static constexpr FieldText kText{"hernquist", FieldKind::field, "a bulge or halo: rho ~ 1 / (r (r + scale)^3)",
                                     "Hernquist 1990", FieldShape::sphere};
    static constexpr std::array kNumbers{
        FieldNumber{.name = "mass", .mass = 1, .range = FieldRange::positive, .idea = "all of its mass"},
        FieldNumber{
            .name = "scale", .length = 1, .range = FieldRange::positive, .idea = "a quarter of the mass lies within"}};
    GRAVLAB_HOST_DEVICE static Real radius(const Vec3<Real>& x) { return std::sqrt(dot(x, x) + flooredSoftening<Real>(0)); }
    GRAVLAB_HOST_DEVICE static Vec3<Real> pull(const Real* n, const Vec3<Real>& x, const Vec3<Real>&, Real) {
        const Real r = radius(x), outer = r + n[1];
        return x * (-n[0] / (r * outer * outer));
    }
    GRAVLAB_HOST_DEVICE static Real potential(const Real* n, const Vec3<Real>& x) { return -n[0] / (radius(x) + n[1]); }
};

/// ln(1 + s) - s / (1 + s): the mass of a halo of Navarro, Frenk & White within s scales. Its series where that would
/// cancel.
template <class Real>
GRAVLAB_HOST_DEVICE Real nfwShape(Real s) {
    if (s > (sizeof(Real) == sizeof(float) ? Real(0.25) : Real(0.02))) return std::log1p(s) - s / (1 + s);
    Real sum = 0;
    for (int k = 13; k >= 2; --k) sum = Real(k - 1) / Real(k) - s * sum;
    return s * s * sum;
}

/// rho ~ 1 / (r (r + a)^2), whose mass is given within concentration * scale. Navarro, Frenk & White 1996.
template <class Real>
struct NfwField {
    static constexpr FieldText kText{"nfw", FieldKind::field, "a dark halo: rho ~ 1 / (r (r + scale)^2)",
                                     "Navarro, Frenk & White 1996", FieldShape::sphere};
    static constexpr std::array kNumbers{
        FieldNumber{
            .name = "mass", .mass = 1, .range = FieldRange::positive, .idea = "its mass within concentration times scale"},
        FieldNumber{.name = "scale", .length = 1, .range = FieldRange::positive, .idea = "where the density bends"},
        FieldNumber{
            .name = "concentration", .range = FieldRange::positive, .usual = 10, .idea = "scales that hold the mass"}};
    GRAVLAB_HOST_DEVICE static Vec3<Real> pull(const Real* n, const Vec3<Real>& x, const Vec3<Real>&, Real) {
        const Real r = HernquistField<Real>::radius(x);
        return x * (-n[0] / nfwShape(n[2]) * (nfwShape(r / n[1]) / r) / (r * r));
    }
    GRAVLAB_HOST_DEVICE static Real potential(const Real* n, const Vec3<Real>& x) {
        const Real r = HernquistField<Real>::radius(x);
        return -n[0] / nfwShape(n[2]) * (std::log1p(r / n[1]) / r);
    }
};
