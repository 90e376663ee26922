// A cell of the tree: total source, centre, second moments, and the force of a far cell on a group of bodies. It is softened
// like a Plummer pair, so that a cell of one body equals that body. Included into namespaces: gravlab, for scalars on host
// and device, and once for each instruction set of the SIMD kernels. An includer defines GRAVLAB_TREE_FUNCTION, and
// inverseRoot(), raised(), logarithm() and larger() for its Real.
//
// With e from the cell's centre to a point, s = e^2 + softening^2 and D_n = (-1)^n (2n-1)!! / s^(n+1/2), the sum of
// 1/sqrt(|e - r_j|^2 + softening^2) over sources m_j at r_j from the centre is, to second order,
//   F = M D_0 + (trace(Q) D_1 + e.Q.e D_2) / 2,   Q = sum of m_j r_j r_j   (raw: softened, the trace acts)
// Its gradient is the acceleration under gravity there. Other powers of the distance differ in D_n alone. Charges have first
// moments besides, because the centre is that of their sizes.

/// The field of a point source: D_1 at s is -pull(s), and D_(n+1) = -(power + 2n - 1) D_n / s. fieldOf() is F of a source m
/// with second moments, passed as 3/2 e.Q.e and -trace(Q)/2.
template <class Real>
struct GravityField {
    Real softeningSquared;
    GRAVLAB_TREE_FUNCTION static Real power() { return Real(2); }
    GRAVLAB_TREE_FUNCTION Real pull(Real inverseRootOfS, Real) const {
        return inverseRootOfS * inverseRootOfS * inverseRootOfS;
    }
    GRAVLAB_TREE_FUNCTION Real fieldOf(Real inverseRootOfS, Real, Real m, Real along, Real trace) const {
        const Real u2 = inverseRootOfS * inverseRootOfS;
        return inverseRootOfS * (m + u2 * (along * u2 + trace));
    }
};
/// The pull 1 / d^power in the softened distance d, in lengths of which `unit` squared are one of s; whole powers are
/// multiplied out.
template <class Real>
struct PowerField {
    Real softeningSquared;
    Real degree;   ///< the power
    Real nearest;  ///< smallest d squared, in units
    Real unit;
    int whole;   ///< the power if it is whole and small, else below 0
    Real over;   ///< 1 / (power - 1); arbitrary for power 1
    Real shift;  ///< shift of the logarithmic field of power 1 by the unit of length
    GRAVLAB_TREE_FUNCTION Real power() const { return degree; }
    GRAVLAB_TREE_FUNCTION Real pull(Real, Real s) const { return unit * pullAt(unit * s); }
    /// Over the distance, in units.
    GRAVLAB_TREE_FUNCTION Real pullAt(Real s) const {
        const Real at = larger(s, nearest);
        if (whole < 0) return raised(at, Real(-0.5) * (degree + Real(1)));
        const Real inverse = inverseRoot(at);
        Real product = inverse;
        for (int factor = 0; factor < whole; ++factor) product = product * inverse;
        return product;
    }
    /// The field F of a source of 1, in scaled units. The derivative of F is the pull.
    GRAVLAB_TREE_FUNCTION Real fieldAt(Real s) const {
        const Real at = larger(s, nearest);
        if (whole == 1) return shift - Real(0.5) * logarithm(at);
        if (whole < 0) return over * raised(at, Real(0.5) * (Real(1) - degree));
        const Real inverse = inverseRoot(at);
        if (whole == 0) return over * (at * inverse);
        Real product = over;
        for (int factor = 1; factor < whole; ++factor) product = product * inverse;
        return product;
    }
    GRAVLAB_TREE_FUNCTION Real fieldOf(Real inverseRootOfS, Real s, Real m, Real along, Real trace) const {
        const Real along2 = Real(1.0 / 3) * (degree + Real(1)) * (along * (inverseRootOfS * inverseRootOfS));
        return m * fieldAt(unit * s) + pull(inverseRootOfS, s) * (along2 + trace);
    }
};

/// Second moments: xx, yy, zz, xy, xz, yz.
constexpr int kMoments = 6;

/// Moments of a cell's bodies.
template <class Real>
struct CellMoments {
    Real x = 0, y = 0, z = 0;     ///< centre of the sources
    Real source = 0;              ///< sum of the sources
    Real moments[kMoments] = {};  ///< about the centre
};

/// Adds the moments of a source at (x, y, z) from the centre.
template <class Real>
GRAVLAB_TREE_FUNCTION void addSecondMoments(Real* q, Real source, Real x, Real y, Real z) {
    q[0] += source * x * x;
    q[1] += source * y * y;
    q[2] += source * z * z;
    q[3] += source * x * y;
    q[4] += source * x * z;
    q[5] += source * y * z;
}

/// Adds to second moments `q` the contribution of a child with the dipole `own`, whose centre is at (x, y, z) from the
/// centre. Adds the child's dipole to the one there.
template <class Real>
GRAVLAB_TREE_FUNCTION void addFirstMoments(Real* dipole, Real* q, Real source, const Real* own, Real x, Real y, Real z) {
    q[0] += Real(2) * own[0] * x;
    q[1] += Real(2) * own[1] * y;
    q[2] += Real(2) * own[2] * z;
    q[3] += own[0] * y + own[1] * x;
    q[4] += own[0] * z + own[2] * x;
    q[5] += own[1] * z + own[2] * y;
    dipole[0] += own[0] + source * x;
    dipole[1] += own[1] + source * y;
    dipole[2] += own[2] + source * z;
}

/// A cell in the form for forces, so that addCellPull() needs no further products.
template <class Real>
struct CellPull {
    Real x, y, z, source;
    Real q[kMoments];  ///< (power + 1) Q
    Real trace;        ///< -trace(q) / 2
};

template <class Real>
GRAVLAB_TREE_FUNCTION CellPull<Real> cellPull(const CellMoments<Real>& cell, Real power) {
    CellPull<Real> pull{cell.x, cell.y, cell.z, cell.source, {}, 0};
    for (int k = 0; k < kMoments; ++k) pull.q[k] = (power + Real(1)) * cell.moments[k];
    pull.trace = Real(-0.5) * (pull.q[0] + pull.q[1] + pull.q[2]);
    return pull;
}

/// Adds to `a` the acceleration of a body at (x, y, z) by the cell.
template <class Real, class Field>
GRAVLAB_TREE_FUNCTION void addCellPull(Real* a, const CellPull<Real>& cell, Real x, Real y, Real z, const Field& field) {
    const Real dx = cell.x - x, dy = cell.y - y, dz = cell.z - z;
    const Real squared = dx * dx + (dy * dy + (dz * dz + field.softeningSquared));
    const Real u = inverseRoot(squared), u2 = u * u, u3 = field.pull(u, squared);
    const Real qx = cell.q[0] * dx + cell.q[3] * dy + cell.q[4] * dz;
    const Real qy = cell.q[3] * dx + cell.q[1] * dy + cell.q[5] * dz;
    const Real qz = cell.q[4] * dx + cell.q[5] * dy + cell.q[2] * dz;
    const Real s = dx * qx + dy * qy + dz * qz;
    const Real half = Real(0.5) * (field.power() + Real(3));
    // u2 q is small beside the source; u2 u3 could exceed the range of numbers.
    const Real along = cell.source + u2 * (half * s * u2 + cell.trace);
    a[0] += u3 * (along * dx - u2 * qx);
    a[1] += u3 * (along * dy - u2 * qy);
    a[2] += u3 * (along * dz - u2 * qz);
}

/// The field of far cells about the centre of a group: derivatives of F there. Every cell contributes to orders 1 to 4;
/// nearer cells contribute to the fifth, and second moments to the third. Components in the order x before y before z.
/// Lengths are in units of about the group's radius; otherwise the fifth derivatives would exceed the range of float near
/// dense centres.
template <class Real>
struct FieldExpansion {
    Real first[3] = {};    ///< x y z
    Real second[6] = {};   ///< xx xy xz yy yz zz
    Real third[10] = {};   ///< xxx xxy xxz xyy xyz xzz yyy yyz yzz zzz
    Real fourth[15] = {};  ///< xxxx xxxy xxxz xxyy xxyz xxzz xyyy xyyz xyzz xzzz yyyy yyyz yyzz yzzz zzzz
    Real fifth[21] = {};   ///< xxxxx xxxxy xxxxz xxxyy ... zzzzz
};
constexpr int kExpansionTerms = 3 + 6 + 10 + 15 + 21;

/// Adds the field of a cell with source and second moments to an expansion about a point at (x, y, z) from the cell's
/// centre. kHigh: with the fifth order.
template <bool kHigh, class Real, class Field>
GRAVLAB_TREE_FUNCTION void addToExpansion(FieldExpansion<Real>& f, Real x, Real y, Real z, Real m, const Real* q,
                                          const Field& field) {
    const Real squared = x * x + (y * y + (z * z + field.softeningSquared));
    const Real u = inverseRoot(squared), u2 = u * u, power = field.power();
    const Real d1 = -field.pull(u, squared), d2 = -(power + Real(1)) * d1 * u2, d3 = -(power + Real(3)) * d2 * u2,
               d4 = -(power + Real(5)) * d3 * u2;
    const Real qx = q[0] * x + q[3] * y + q[4] * z, qy = q[3] * x + q[1] * y + q[5] * z, qz = q[4] * x + q[5] * y + q[2] * z;
    const Real half = Real(0.5), t = half * (q[0] + q[1] + q[2]), s = half * (x * qx + y * qy + z * qz);

    // First: m D1 e + trace/2 D2 e + D2 Qe + s D3 e.
    const Real same = m * d1 + (t * d2 + s * d3);
    f.first[0] += same * x + d2 * qx;
    f.first[1] += same * y + d2 * qy;
    f.first[2] += same * z + d2 * qz;

    // Second: the same on the diagonal, along e e, e Qe + Qe e, and Q itself.
    const Real both = m * d2 + (t * d3 + s * d4);
    const Real bx = both * x + d3 * qx, by = both * y + d3 * qy, bz = both * z + d3 * qz;
    const Real cx = d3 * qx, cy = d3 * qy, cz = d3 * qz;
    f.second[0] += same + bx * x + cx * x + d2 * q[0];
    f.second[1] += bx * y + cy * x + d2 * q[3];
    f.second[2] += bx * z + cz * x + d2 * q[4];
    f.second[3] += same + by * y + cy * y + d2 * q[1];
    f.second[4] += by * z + cz * y + d2 * q[5];
    f.second[5] += same + bz * z + cz * z + d2 * q[2];

    // Third and fourth of the source alone.
    const Real xx = x * x, yy = y * y, zz = z * z, xy = x * y, xz = x * z, yz = y * z;
    const Real a2 = m * d2, a3 = m * d3, a4 = m * d4;
    Real t2 = a2, t3 = a3;
    if constexpr (kHigh) {
        const Real d5 = -(power + Real(7)) * d4 * u2;
        // With the second moments: e e e (s D5 + t D4), pairs of axes (s D4 + t D3), Qe e e D4, Qe on pairs D3, Q e D3.
        t2 += t * d3 + s * d4;
        t3 += t * d4 + s * d5;
        const Real ux = d4 * qx, uy = d4 * qy, uz = d4 * qz;
        const Real vx = d3 * qx, vy = d3 * qy, vz = d3 * qz;
        const Real x3 = d3 * x, y3 = d3 * y, z3 = d3 * z;
        f.third[0] += Real(3) * (ux * xx + vx + q[0] * x3);
        f.third[1] += uy * xx + Real(2) * ux * xy + vy + q[0] * y3 + Real(2) * q[3] * x3;
        f.third[2] += uz * xx + Real(2) * ux * xz + vz + q[0] * z3 + Real(2) * q[4] * x3;
        f.third[3] += ux * yy + Real(2) * uy * xy + vx + q[1] * x3 + Real(2) * q[3] * y3;
        f.third[4] += ux * yz + uy * xz + uz * xy + q[3] * z3 + q[4] * y3 + q[5] * x3;
        f.third[5] += ux * zz + Real(2) * uz * xz + vx + q[2] * x3 + Real(2) * q[4] * z3;
        f.third[6] += Real(3) * (uy * yy + vy + q[1] * y3);
        f.third[7] += uz * yy + Real(2) * uy * yz + vz + q[1] * z3 + Real(2) * q[5] * y3;
        f.third[8] += uy * zz + Real(2) * uz * yz + vy + q[2] * y3 + Real(2) * q[5] * z3;
        f.third[9] += Real(3) * (uz * zz + vz + q[2] * z3);

        // Fifth of the source: e^5 D5, ten pairs D4, fifteen double pairs D3.
        const Real a5 = m * d5;
        const Real kx = a5 * xx + a4, ky = a5 * yy + a4;  // a5 ii + a4
        const Real lx = a4 * xx + a3, ly = a4 * yy + a3;  // a4 ii + a3
        f.fifth[0] += x * (xx * (a5 * xx + Real(10) * a4) + Real(15) * a3);
        const Real fx = xx * (a5 * xx + Real(6) * a4) + Real(3) * a3;  // of xxxx without its last factor
        f.fifth[1] += y * fx;
        f.fifth[2] += z * fx;
        const Real gx = x * (a5 * xx + Real(3) * a4), hx = x * (a4 * xx + Real(3) * a3);  // xxx with and without a pair more
        f.fifth[3] += gx * yy + hx;
        f.fifth[4] += gx * yz;
        f.fifth[5] += gx * zz + hx;
        const Real gy = y * (a5 * yy + Real(3) * a4), hy = y * (a4 * yy + Real(3) * a3);
        f.fifth[6] += gy * xx + hy;        // xxyyy
        f.fifth[7] += z * (kx * yy + lx);  // xxyyz
        f.fifth[8] += y * (kx * zz + lx);  // xxyzz
        const Real gz = z * (a5 * zz + Real(3) * a4), hz = z * (a4 * zz + Real(3) * a3);
        f.fifth[9] += gz * xx + hz;  // xxzzz
        const Real fy = yy * (a5 * yy + Real(6) * a4) + Real(3) * a3;
        f.fifth[10] += x * fy;              // xyyyy
        f.fifth[11] += gy * xz;             // xyyyz
        f.fifth[12] += x * (ky * zz + ly);  // xyyzz
        f.fifth[13] += gz * xy;             // xyzzz
        const Real fz = zz * (a5 * zz + Real(6) * a4) + Real(3) * a3;
        f.fifth[14] += x * fz;  // xzzzz
        f.fifth[15] += y * (yy * (a5 * yy + Real(10) * a4) + Real(15) * a3);
        f.fifth[16] += z * fy;        // yyyyz
        f.fifth[17] += gy * zz + hy;  // yyyzz
        f.fifth[18] += gz * yy + hz;  // yyzzz
        f.fifth[19] += y * fz;        // yzzzz
        f.fifth[20] += z * (zz * (a5 * zz + Real(10) * a4) + Real(15) * a3);
    }
    const Real jx = t3 * xx + t2, jy = t3 * yy + t2, jz = t3 * zz + t2;
    f.third[0] += x * (jx + Real(2) * t2);
    f.third[1] += y * jx;
    f.third[2] += z * jx;
    f.third[3] += x * jy;
    f.third[4] += t3 * xy * z;
    f.third[5] += x * jz;
    f.third[6] += y * (jy + Real(2) * t2);
    f.third[7] += z * jy;
    f.third[8] += y * jz;
    f.third[9] += z * (jz + Real(2) * t2);

    const Real kx = a4 * xx + a3, ky = a4 * yy + a3, kz = a4 * zz + a3;
    const Real hx = a3 * xx + a2, hy = a3 * yy + a2;
    const Real px = kx + Real(2) * a3, py = ky + Real(2) * a3, pz = kz + Real(2) * a3;
    f.fourth[0] += xx * (px + Real(3) * a3) + Real(3) * a2;
    f.fourth[1] += xy * px;
    f.fourth[2] += xz * px;
    f.fourth[3] += yy * kx + hx;
    f.fourth[4] += yz * kx;
    f.fourth[5] += zz * kx + hx;
    f.fourth[6] += xy * py;
    f.fourth[7] += xz * ky;
    f.fourth[8] += xy * kz;
    f.fourth[9] += xz * pz;
    f.fourth[10] += yy * (py + Real(3) * a3) + Real(3) * a2;
    f.fourth[11] += yz * py;
    f.fourth[12] += zz * ky + hy;
    f.fourth[13] += yz * pz;
    f.fourth[14] += zz * (pz + Real(3) * a3) + Real(3) * a2;
}

// First moments: charges have them about the centre of their sizes, which differs from that of the charges. With e from
// there, a dipole p adds -D_1 p.e to F.

/// Adds to `a` the acceleration of a body at (x, y, z) by the dipole of a cell at (cx, cy, cz).
template <class Real, class Field>
GRAVLAB_TREE_FUNCTION void addDipolePull(Real* a, const Real* dipole, Real cx, Real cy, Real cz, Real x, Real y, Real z,
                                         const Field& field) {
    const Real dx = cx - x, dy = cy - y, dz = cz - z;
    const Real squared = dx * dx + (dy * dy + (dz * dz + field.softeningSquared));
    const Real u = inverseRoot(squared), u3 = field.pull(u, squared);
    const Real s = dipole[0] * dx + (dipole[1] * dy + dipole[2] * dz);
    const Real along = -(field.power() + Real(1)) * (u * u * s);
    a[0] += u3 * (along * dx + dipole[0]);
    a[1] += u3 * (along * dy + dipole[1]);
    a[2] += u3 * (along * dz + dipole[2]);
}

/// Adds a dipole to an expansion about a point at (x, y, z) from the cell's centre, in the units of the expansion. kHigh:
/// with the fourth order.
template <bool kHigh, class Real, class Field>
GRAVLAB_TREE_FUNCTION void addDipoleToExpansion(FieldExpansion<Real>& f, Real x, Real y, Real z, const Real* dipole,
                                                const Field& field) {
    const Real squared = x * x + (y * y + (z * z + field.softeningSquared));
    const Real u = inverseRoot(squared), u2 = u * u, power = field.power();
    const Real d1 = -field.pull(u, squared), d2 = -(power + Real(1)) * d1 * u2, d3 = -(power + Real(3)) * d2 * u2,
               d4 = -(power + Real(5)) * d3 * u2;
    // F = D_1 h with h = w.e: a derivative acts on h, where it leaves a component of w, or on D_1.
    const Real wx = -dipole[0], wy = -dipole[1], wz = -dipole[2], h = wx * x + (wy * y + wz * z);
    const Real same = d2 * h;
    f.first[0] += d1 * wx + same * x;
    f.first[1] += d1 * wy + same * y;
    f.first[2] += d1 * wz + same * z;

    const Real both = d3 * h;
    const Real bx = both * x + d2 * wx, by = both * y + d2 * wy, bz = both * z + d2 * wz;
    const Real cx = d2 * wx, cy = d2 * wy, cz = d2 * wz;
    f.second[0] += same + bx * x + cx * x;
    f.second[1] += bx * y + cy * x;
    f.second[2] += bx * z + cz * x;
    f.second[3] += same + by * y + cy * y;
    f.second[4] += by * z + cz * y;
    f.second[5] += same + bz * z + cz * z;

    // Second derivatives of D_1 are `a` on a diagonal and D_3 times two coordinates beside it; third ones have `b` likewise.
    const Real xx = x * x, yy = y * y, zz = z * z, xy = x * y, xz = x * z, yz = y * z;
    const Real ax = d3 * xx + d2, ay = d3 * yy + d2, az = d3 * zz + d2;
    const Real ex = d4 * xx + d3, ey = d4 * yy + d3, ez = d4 * zz + d3;
    const Real pair = Real(2) * d3, hx = h * x, hy = h * y, hz = h * z;
    f.third[0] += Real(3) * wx * ax + hx * (ex + pair);
    f.third[1] += wy * ax + pair * xy * wx + hy * ex;
    f.third[2] += wz * ax + pair * xz * wx + hz * ex;
    f.third[3] += wx * ay + pair * xy * wy + hx * ey;
    f.third[4] += d3 * (xy * wz + (xz * wy + yz * wx)) + d4 * hx * yz;
    f.third[5] += wx * az + pair * xz * wz + hx * ez;
    f.third[6] += Real(3) * wy * ay + hy * (ey + pair);
    f.third[7] += wz * ay + pair * yz * wy + hz * ey;
    f.third[8] += wy * az + pair * yz * wz + hy * ez;
    f.third[9] += Real(3) * wz * az + hz * (ez + pair);
    if constexpr (kHigh) {
        const Real d5 = -(power + Real(7)) * d4 * u2, two = Real(2) * d4, five = Real(5) * d4, three = Real(3) * d3;
        const Real kx = d5 * xx + d4, ky = d5 * yy + d4, kz = d5 * zz + d4;
        const Real txxx = x * (ex + pair), txxy = y * ex, txxz = z * ex, txyy = x * ey, txyz = d4 * xy * z, txzz = x * ez,
                   tyyy = y * (ey + pair), tyyz = z * ey, tyzz = y * ez, tzzz = z * (ez + pair);
        f.fourth[0] += Real(4) * wx * txxx + h * (xx * (kx + five) + three);
        f.fourth[1] += Real(3) * wx * txxy + wy * txxx + hx * y * (kx + two);
        f.fourth[2] += Real(3) * wx * txxz + wz * txxx + hx * z * (kx + two);
        f.fourth[3] += Real(2) * (wx * txyy + wy * txxy) + h * (yy * kx + ex);
        f.fourth[4] += Real(2) * wx * txyz + wy * txxz + wz * txxy + hy * z * kx;
        f.fourth[5] += Real(2) * (wx * txzz + wz * txxz) + h * (zz * kx + ex);
        f.fourth[6] += Real(3) * wy * txyy + wx * tyyy + hx * y * (ky + two);
        f.fourth[7] += Real(2) * wy * txyz + wx * tyyz + wz * txyy + hx * z * ky;
        f.fourth[8] += Real(2) * wz * txyz + wx * tyzz + wy * txzz + hx * y * kz;
        f.fourth[9] += Real(3) * wz * txzz + wx * tzzz + hx * z * (kz + two);
        f.fourth[10] += Real(4) * wy * tyyy + h * (yy * (ky + five) + three);
        f.fourth[11] += Real(3) * wy * tyyz + wz * tyyy + hy * z * (ky + two);
        f.fourth[12] += Real(2) * (wy * tyzz + wz * tyyz) + h * (zz * ky + ey);
        f.fourth[13] += Real(3) * wz * tyzz + wy * tzzz + hy * z * (kz + two);
        f.fourth[14] += Real(4) * wz * tzzz + h * (zz * (kz + five) + three);
    }
}

/// Adds to `a` the acceleration of the expansion at (x, y, z) from its centre.
template <bool kHigh, class Real>
GRAVLAB_TREE_FUNCTION void addExpandedPull(Real* a, const FieldExpansion<Real>& f, Real x, Real y, Real z) {
    const Real half = Real(0.5), sixth = Real(1.0 / 6), part = Real(1.0 / 24);
    const Real xx = half * x * x, yy = half * y * y, zz = half * z * z, xy = x * y, xz = x * z, yz = y * z;
    // Monomials over their factorials: third order.
    const Real xxx = sixth * x * x * x, yyy = sixth * y * y * y, zzz = sixth * z * z * z;
    const Real xxy = xx * y, xxz = xx * z, xyy = x * yy, yyz = yy * z, xzz = x * zz, yzz = y * zz, xyz = xy * z;
    const auto upToThird = [&](Real first, const Real* s, const Real* t, const Real* q) {
        // s: x y z of the second; t: xx xy xz yy yz zz of the third; q: xxx xxy xxz xyy xyz xzz yyy yyz yzz zzz.
        Real sum = first + (s[0] * x + s[1] * y + s[2] * z);
        sum += t[0] * xx + t[1] * xy + t[2] * xz + t[3] * yy + t[4] * yz + t[5] * zz;
        sum += q[0] * xxx + q[1] * xxy + q[2] * xxz + q[3] * xyy + q[4] * xyz + q[5] * xzz + q[6] * yyy + q[7] * yyz +
               q[8] * yzz + q[9] * zzz;
        return sum;
    };
    const Real* s = f.second;
    const Real* t = f.third;
    const Real* q = f.fourth;
    const Real sx[] = {s[0], s[1], s[2]}, sy[] = {s[1], s[3], s[4]}, sz[] = {s[2], s[4], s[5]};
    const Real ty[] = {t[1], t[3], t[4], t[6], t[7], t[8]}, tz[] = {t[2], t[4], t[5], t[7], t[8], t[9]};
    const Real qy[] = {q[1], q[3], q[4], q[6], q[7], q[8], q[10], q[11], q[12], q[13]};
    const Real qz[] = {q[2], q[4], q[5], q[7], q[8], q[9], q[11], q[12], q[13], q[14]};
    a[0] += upToThird(f.first[0], sx, t, q);
    a[1] += upToThird(f.first[1], sy, ty, qy);
    a[2] += upToThird(f.first[2], sz, tz, qz);
    if constexpr (kHigh) {
        const Real x4 = part * x * x * x * x, y4 = part * y * y * y * y, z4 = part * z * z * z * z;
        const Real m[] = {x4,      xxx * y, xxx * z, xx * yy, xxy * z, xx * zz, x * yyy, xyy * z,
                          xy * zz, x * zzz, y4,      yyy * z, yy * zz, y * zzz, z4};
        const Real* v = f.fifth;
        // Of the fifth order's 21 components, the 15 that have an x, a y, a z more than a monomial.
        a[0] += v[0] * m[0] + v[1] * m[1] + v[2] * m[2] + v[3] * m[3] + v[4] * m[4] + v[5] * m[5] + v[6] * m[6] +
                v[7] * m[7] + v[8] * m[8] + v[9] * m[9] + v[10] * m[10] + v[11] * m[11] + v[12] * m[12] + v[13] * m[13] +
                v[14] * m[14];
        a[1] += v[1] * m[0] + v[3] * m[1] + v[4] * m[2] + v[6] * m[3] + v[7] * m[4] + v[8] * m[5] + v[10] * m[6] +
                v[11] * m[7] + v[12] * m[8] + v[13] * m[9] + v[15] * m[10] + v[16] * m[11] + v[17] * m[12] + v[18] * m[13] +
                v[19] * m[14];
        a[2] += v[2] * m[0] + v[4] * m[1] + v[5] * m[2] + v[7] * m[3] + v[8] * m[4] + v[9] * m[5] + v[11] * m[6] +
                v[12] * m[7] + v[13] * m[8] + v[14] * m[9] + v[16] * m[10] + v[17] * m[11] + v[18] * m[12] + v[19] * m[13] +
                v[20] * m[14];
    }
}

// The field F itself: the negative potential. It is needed on steps with an energy measurement.

/// Field of a cell, in the form of gravity's cells, at (x, y, z).
template <class Real, class Field>
GRAVLAB_TREE_FUNCTION Real cellField(const CellPull<Real>& cell, Real x, Real y, Real z, const Field& field) {
    const Real dx = cell.x - x, dy = cell.y - y, dz = cell.z - z;
    const Real squared = dx * dx + (dy * dy + (dz * dz + field.softeningSquared));
    const Real qx = cell.q[0] * dx + cell.q[3] * dy + cell.q[4] * dz;
    const Real qy = cell.q[3] * dx + cell.q[1] * dy + cell.q[5] * dz;
    const Real qz = cell.q[4] * dx + cell.q[5] * dy + cell.q[2] * dz;
    const Real s = dx * qx + dy * qy + dz * qz;
    return field.fieldOf(inverseRoot(squared), squared, cell.source, Real(0.5) * s, Real(1.0 / 3) * cell.trace);
}

/// Field of a cell with source and second moments at a point at (x, y, z) from its centre: the term of order 0, which
/// addToExpansion() leaves out.
template <class Real, class Field>
GRAVLAB_TREE_FUNCTION Real fieldAtCentre(Real x, Real y, Real z, Real m, const Real* q, const Field& field) {
    const Real squared = x * x + (y * y + (z * z + field.softeningSquared));
    const Real qx = q[0] * x + q[3] * y + q[4] * z, qy = q[3] * x + q[1] * y + q[5] * z, qz = q[4] * x + q[5] * y + q[2] * z;
    const Real s = x * qx + y * qy + z * qz;
    return field.fieldOf(inverseRoot(squared), squared, m, Real(1.5) * s, Real(-0.5) * (q[0] + q[1] + q[2]));
}

/// Field of a dipole at (x, y, z) from its centre.
template <class Real>
GRAVLAB_TREE_FUNCTION Real dipoleField(const Real* dipole, Real x, Real y, Real z, Real softeningSquared) {
    const Real u = inverseRoot(x * x + (y * y + (z * z + softeningSquared)));
    return u * u * u * (dipole[0] * x + (dipole[1] * y + dipole[2] * z));
}

/// Field of the expansion at (x, y, z) from its centre, without the term of order 0.
template <class Real>
GRAVLAB_TREE_FUNCTION Real expandedField(const FieldExpansion<Real>& f, Real x, Real y, Real z) {
    const Real half = Real(0.5), third = Real(1.0 / 3), quarter = Real(0.25), fifth = Real(0.2);
    // Powers over their factorials.
    const Real xx = half * x * x, yy = half * y * y, zz = half * z * z;
    const Real xxx = third * x * xx, yyy = third * y * yy, zzz = third * z * zz;
    const Real x4 = quarter * x * xxx, y4 = quarter * y * yyy, z4 = quarter * z * zzz;
    const Real x5 = fifth * x * x4, y5 = fifth * y * y4, z5 = fifth * z * z4;
    const Real xy = x * y, xz = x * z, yz = y * z;
    Real sum = f.first[0] * x + (f.first[1] * y + f.first[2] * z);
    const Real second[] = {xx, xy, xz, yy, yz, zz};
    for (int k = 0; k < 6; ++k) sum += f.second[k] * second[k];
    const Real thirds[] = {xxx, xx * y, xx * z, x * yy, xy * z, x * zz, yyy, yy * z, y * zz, zzz};
    for (int k = 0; k < 10; ++k) sum += f.third[k] * thirds[k];
    const Real fourth[] = {x4,      xxx * y, xxx * z, xx * yy, xx * yz, xx * zz, x * yyy, xz * yy,
                           xy * zz, x * zzz, y4,      yyy * z, yy * zz, y * zzz, z4};
    for (int k = 0; k < 15; ++k) sum += f.fourth[k] * fourth[k];
    const Real fifths[] = {x5,          x4 * y,      x4 * z,   xxx * yy, xxx * yz, xxx * zz,    xx * yyy,
                           xx * yy * z, xx * y * zz, xx * zzz, x * y4,   xz * yyy, x * yy * zz, xy * zzz,
                           x * z4,      y5,          y4 * z,   yyy * zz, yy * zzz, y * z4,      z5};
    for (int k = 0; k < 21; ++k) sum += f.fifth[k] * fifths[k];
    return sum;
}
