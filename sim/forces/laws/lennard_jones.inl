/// Lennard-Jones 12-6, force-shifted: potential and force both reach zero at the cutoff, so energy has no step there (Allen
/// & Tildesley 2017, ch. 5). Inside `core` the force falls linearly to zero, which keeps close pairs finite and the
/// potential its exact integral. Softening does not act.
template <class Real>
struct LennardJones {
    static constexpr LawText kText{
        "lennard-jones", "a soft repulsion and a short attraction: drops, crystals and gases of neutral atoms", "strength"};
    static constexpr bool kSoftened = false;
    static constexpr bool kHasJerk = false;
    static constexpr double kFloorShare = 0.1;
    static constexpr bool kEnds = true;
    static constexpr bool kSteep = true;
    static constexpr bool kSigned = false;
    static constexpr bool kSingleEnergy = false;
    static constexpr bool kFiniteAtZero = true;
    static constexpr std::array kTried{ForceSettings{}, ForceSettings{.strength = 0.5, .diameter = 0.75, .cutOff = 3}};
    static bool isGravity(const ForceSettings&) { return false; }
    static double factor(const ForceSettings&) { return 1; }
    static bool takes(double ForceSettings::*number) {
        return number == &ForceSettings::strength || number == &ForceSettings::diameter || number == &ForceSettings::cutOff;
    }
    static double reach(const ForceSettings& settings) { return settings.cutOff * settings.diameter; }
    static bool confines(const ForceSettings&) { return false; }
    static double smallestR2(const ForceSettings&, double, double) { return 0; }  // the core is finite

    Real sigma;    ///< where the unshifted potential crosses zero [L]
    Real epsilon;  ///< depth of the unshifted well [M L^2/T^2]
    Real cutoff;   ///< [L]
    Real core;     ///< [L]

    explicit LennardJones(const ForceSettings& settings, double = 0)
        : sigma(static_cast<Real>(settings.diameter)),
          epsilon(static_cast<Real>(settings.strength)),
          cutoff(static_cast<Real>(settings.cutOff * settings.diameter)),
          core(static_cast<Real>(settings.diameter / 2)) {}
    GRAVLAB_LAW_FUNCTION Real offset() const { return Real(0); }
    GRAVLAB_LAW_FUNCTION Real forceOverDistanceAt(Real distanceSquared) const {
        const Real squared = larger(distanceSquared, core * core);
        if constexpr (kScalar<Real>) {
            if (squared >= cutoff * cutoff) return 0;
        }
        const Real inverse = inverseRoot(squared);
        const Real value = (slope(inverse) - slope(Real(1) / cutoff)) * inverse;
        if constexpr (kScalar<Real>)
            return value;
        else
            return zeroUnlessLess(squared, cutoff * cutoff, value);
    }
    GRAVLAB_LAW_FUNCTION Real forceOverDistance(Real distanceSquared) const { return forceOverDistanceAt(distanceSquared); }
    GRAVLAB_LAW_FUNCTION Real potential(Real distanceSquared) const {
        const Real squared = larger(distanceSquared, core * core);
        if (squared >= cutoff * cutoff) return 0;
        const Real inverse = inverseRoot(squared), edge = 1 / cutoff;
        const Real shifted = well(inverse) - well(edge) - (squared * inverse - cutoff) * slope(edge);
        return shifted + Real(0.5) * (distanceSquared - squared) * forceOverDistance(squared);
    }

private:
    /// The plain 12-6 potential at distance 1 / inverse, and its derivative.
    GRAVLAB_LAW_FUNCTION Real well(Real inverse) const {
        const Real s = sigma * inverse, s2 = s * s, s6 = s2 * s2 * s2;
        return 4 * epsilon * s6 * (s6 - 1);
    }
    GRAVLAB_LAW_FUNCTION Real slope(Real inverse) const {
        const Real s = sigma * inverse, s2 = s * s, s6 = s2 * s2 * s2;
        // SIMD registers fuse explicitly. For a scalar the compiler decides, and recorded results require this order.
        if constexpr (kScalar<Real>)
            return -24 * epsilon * s6 * (2 * s6 - 1) * inverse;
        else
            return Real(-24) * epsilon * mulSub(s6 + s6, s6, s6) * inverse;
    }
};
