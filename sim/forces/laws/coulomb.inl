/// Charges with sign: like charges repel. Softening acts as in gravity, and gravity's loops compute the sum; sign and
/// strength are applied afterwards.
template <class Real>
struct Coulomb {
    static constexpr LawText kText{"coulomb", "charges with sign: like ones repel, unlike ones attract", "charge"};
    static constexpr bool kSoftened = true;
    static constexpr bool kHasJerk = false;
    static constexpr double kFloorShare = 0.1;
    static constexpr bool kEnds = false;
    static constexpr bool kSteep = false;
    static constexpr bool kSigned = true;
    static constexpr bool kSingleEnergy = true;
    static constexpr bool kFiniteAtZero = false;
    static constexpr std::array kTried{ForceSettings{.softening = 0.05}, ForceSettings{.softening = 0.05, .strength = 1.75}};
    static bool isGravity(const ForceSettings&) { return true; }
    static double factor(const ForceSettings& settings) { return -settings.strength; }
    static bool takes(double ForceSettings::*number) { return number == &ForceSettings::strength; }
    static bool confines(const ForceSettings&) { return false; }
    static double smallestR2(const ForceSettings&, double heaviest, double most) {
        return std::pow(heaviest / most, 2.0 / 3);
    }

    Real softeningSquared;
    Real strength;  ///< Coulomb's constant

    explicit Coulomb(const ForceSettings& settings, double smallestR2 = 0)
        : softeningSquared(flooredSoftening<ScalarOf<Real>>(settings.softening, smallestR2)),
          strength(static_cast<Real>(settings.strength)) {}
    GRAVLAB_LAW_FUNCTION Real offset() const { return softeningSquared; }
    GRAVLAB_LAW_FUNCTION Real forceOverDistanceAt(Real squared) const { return -strength * inverseCube(squared); }
    GRAVLAB_LAW_FUNCTION Real forceOverDistance(Real distanceSquared) const { return forceOverDistanceAt(distanceSquared + softeningSquared); }
    GRAVLAB_LAW_FUNCTION Real potential(Real distanceSquared) const {
        return strength * inverseRoot(distanceSquared + softeningSquared);
    }
};
