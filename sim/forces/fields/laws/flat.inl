/// The same acceleration everywhere.
template <class Real>
struct UniformField {
    static constexpr FieldText kText{"uniform", FieldKind::field, "the same acceleration everywhere", "Galilei 1638",
                                     FieldShape::none};
    static constexpr std::array kNumbers{
        FieldNumber{
            .name = "ax", .length = 1, .time = -2, .range = FieldRange::any, .usual = 0, .idea = "acceleration along x"},
        FieldNumber{.name = "ay", .length = 1, .time = -2, .range = FieldRange::any, .usual = 0, .idea = "along y"},
        FieldNumber{.name = "az", .length = 1, .time = -2, .range = FieldRange::any, .usual = 0, .idea = "along z"}};
    GRAVLAB_HOST_DEVICE static Vec3<Real> pull(const Real* n, const Vec3<Real>&, const Vec3<Real>&, Real) {
        return {n[0], n[1], n[2]};
    }
    GRAVLAB_HOST_DEVICE static Real potential(const Real* n, const Vec3<Real>& x) {
        return -(n[0] * x.x + n[1] * x.y + n[2] * x.z);
    }
};

/// A flattened disc about the z axis. Miyamoto & Nagai 1975.
template <class Real>
struct MiyamotoNagaiField {
    static constexpr FieldText kText{"miyamoto-nagai", FieldKind::field, "a disc about the z axis", "Miyamoto & Nagai 1975",
                                     FieldShape::axis};
    static constexpr std::array kNumbers{
        FieldNumber{.name = "mass", .mass = 1, .range = FieldRange::positive, .idea = "all of its mass"},
        FieldNumber{.name = "scale", .length = 1, .range = FieldRange::positive, .idea = "its extent in the plane"},
        FieldNumber{.name = "height", .length = 1, .range = FieldRange::positive, .idea = "its extent across the plane"}};
    GRAVLAB_HOST_DEVICE static Vec3<Real> pull(const Real* n, const Vec3<Real>& x, const Vec3<Real>&, Real) {
        const Real height = std::sqrt(x.z * x.z + n[2] * n[2]), reach = n[1] + height;
        const Real in = -n[0] * inverseCube(x.x * x.x + x.y * x.y + reach * reach);
        return {in * x.x, in * x.y, in * x.z * (reach / height)};
    }
    GRAVLAB_HOST_DEVICE static Real potential(const Real* n, const Vec3<Real>& x) {
        const Real reach = n[1] + std::sqrt(x.z * x.z + n[2] * n[2]);
        return -n[0] * inverseRoot(x.x * x.x + x.y * x.y + reach * reach);
    }
};

/// A halo with a flat rotation curve: Phi = v^2 / 2 ln(1 + (R^2 + z^2 / q^2) / core^2). Binney & Tremaine 2008, eq. 2.71.
template <class Real>
struct LogarithmicField {
    static constexpr FieldText kText{"logarithmic", FieldKind::field, "a halo in which circular orbits have one speed",
                                     "Binney & Tremaine 2008, section 2.3", FieldShape::axis};
    static constexpr std::array kNumbers{
        FieldNumber{.name = "speed",
                    .length = 1,
                    .time = -1,
                    .range = FieldRange::positive,
                    .idea = "of circular orbits far outside"},
        FieldNumber{.name = "core", .length = 1, .range = FieldRange::positive, .idea = "within it the pull fades"},
        FieldNumber{.name = "flattening", .range = FieldRange::positive, .usual = 1, .idea = "its height over its width"}};
    GRAVLAB_HOST_DEVICE static Real outer(const Real* n, const Vec3<Real>& x) {
        return x.x * x.x + x.y * x.y + x.z * x.z / (n[2] * n[2]);
    }
    GRAVLAB_HOST_DEVICE static Vec3<Real> pull(const Real* n, const Vec3<Real>& x, const Vec3<Real>&, Real) {
        const Real in = -n[0] * n[0] / (n[1] * n[1] + outer(n, x));
        return {in * x.x, in * x.y, in * x.z / (n[2] * n[2])};
    }
    GRAVLAB_HOST_DEVICE static Real potential(const Real* n, const Vec3<Real>& x) {
        return n[0] * n[0] / 2 * std::log1p(outer(n, x) / (n[1] * n[1]));
    }
};

/// A thick rod along x that turns about z. Long & Murali 1992. Numbers 6 and 7 are cosine and sine of its angle.
template <class Real>
struct BarField {
    static constexpr FieldText kText{"bar", FieldKind::field, "a bar that turns about the z axis", "Long & Murali 1992",
                                     FieldShape::none};
    static constexpr std::array kNumbers{
        FieldNumber{.name = "mass", .mass = 1, .range = FieldRange::positive, .idea = "all of its mass"},
        FieldNumber{.name = "length", .length = 1, .range = FieldRange::positive, .idea = "from its centre to its end"},
        FieldNumber{.name = "width", .length = 1, .range = FieldRange::notNegative, .idea = "its extent across"},
        FieldNumber{.name = "height", .length = 1, .range = FieldRange::positive, .idea = "its extent along z"},
        FieldNumber{
            .name = "pattern", .time = -1, .range = FieldRange::any, .usual = 0, .idea = "its angle a time, anticlockwise"},
        FieldNumber{
            .name = "angle", .range = FieldRange::any, .usual = 0, .degrees = true, .idea = "from the x axis at the start"}};
    GRAVLAB_HOST_DEVICE static Vec3<Real> pull(const Real* n, const Vec3<Real>& at, const Vec3<Real>&, Real) {
        const Real x = n[6] * at.x + n[7] * at.y, y = n[6] * at.y - n[7] * at.x;
        const Real thick = std::sqrt(n[3] * n[3] + at.z * at.z), reach = n[2] + thick;
        const Real across = y * y + reach * reach, plus = n[1] + x, minus = n[1] - x;
        const Real far = std::sqrt(plus * plus + across), near = std::sqrt(minus * minus + across);
        const Real product = far * near, sum = far + near;
        // product - beyond, without cancellation far along the bar.
        const Real beyond = x * x - n[1] * n[1] - across;
        const Real side = beyond > 0 ? 4 * x * x * across / (product + beyond) : product - beyond;
        const Real in = -n[0] / (product * sum), out = in * side / across;
        const Real fx = 2 * in * x, fy = out * y;
        return {n[6] * fx - n[7] * fy, n[7] * fx + n[6] * fy, out * at.z * (reach / thick)};
    }
    GRAVLAB_HOST_DEVICE static Real potential(const Real* n, const Vec3<Real>& at) {
        const Real x = n[6] * at.x + n[7] * at.y, y = n[6] * at.y - n[7] * at.x;
        const Real reach = n[2] + std::sqrt(n[3] * n[3] + at.z * at.z);
        const Real across = y * y + reach * reach, plus = n[1] + x, minus = n[1] - x;
        const Real sum = std::sqrt(plus * plus + across) + std::sqrt(minus * minus + across);
        return -n[0] / (2 * n[1]) * std::log1p(4 * n[1] / (sum - 2 * n[1]));
    }
};
