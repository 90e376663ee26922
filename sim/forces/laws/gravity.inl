/// Plummer-softened gravity: forceOverDistance = 1 / (r^2 + softening^2)^(3/2). Plummer 1911; Aarseth 1963.
template <class Real>
struct Gravity {
    static constexpr LawText kText{"gravity", "every mass attracts every other with 1/r^2", "mass"};
    static constexpr bool kSoftened = true;
    static constexpr bool kHasJerk = true;
    static constexpr double kFloorShare = 0;
    static constexpr bool kEnds = false;
    static constexpr bool kSteep = false;
    static constexpr bool kSigned = false;
    static constexpr bool kSingleEnergy = true;
    static constexpr bool kFiniteAtZero = false;
    static constexpr std::array<ForceSettings, 0> kTried{};
    static bool isGravity(const ForceSettings&) { return true; }
    static double factor(const ForceSettings&) { return 1; }
    static bool takes(double ForceSettings::*) { return false; }
    static bool confines(const ForceSettings&) { return false; }
    static double smallestR2(const ForceSettings&, double heaviest, double most) {
        return std::pow(heaviest / most, 2.0 / 3);
    }

    Real softeningSquared;

    explicit Gravity(const ForceSettings& settings, double smallestR2 = 0)
        : softeningSquared(flooredSoftening<ScalarOf<Real>>(settings.softening, smallestR2)) {}
    GRAVLAB_LAW_FUNCTION Real offset() const { return softeningSquared; }
    GRAVLAB_LAW_FUNCTION Real forceOverDistanceAt(Real squared) const { return inverseCube(squared); }
    GRAVLAB_LAW_FUNCTION Real forceOverDistance(Real distanceSquared) const { return forceOverDistanceAt(distanceSquared + softeningSquared); }
    GRAVLAB_LAW_FUNCTION Real potential(Real distanceSquared) const {
        return -inverseRoot(distanceSquared + softeningSquared);
    }
};
