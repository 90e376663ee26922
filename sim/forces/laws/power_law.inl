/// Attraction alpha d^-a in the softened distance d = sqrt(r^2 + softening^2). Whole a in 0..kLargestWhole are multiplied
/// out, so a = 2 gives gravity to the last bit, and gravity's loops compute it. Other a use the logarithm.
template <class Real>
struct PowerLaw {
    static constexpr LawText kText{"power-law", "attraction 1/r^a: a = 2 is gravity, a = -1 springs", "mass"};
    static constexpr bool kSoftened = true;
    static constexpr bool kHasJerk = false;
    static constexpr double kFloorShare = 0;
    static constexpr bool kEnds = false;
    static constexpr bool kSteep = true;
    static constexpr bool kSigned = false;
    static constexpr bool kSingleEnergy = true;
    static constexpr bool kFiniteAtZero = false;
    static constexpr std::array kTried{
        ForceSettings{.softening = 0.05, .exponent = 3}, ForceSettings{.softening = 0.05, .exponent = -1},
        ForceSettings{.softening = 0.05, .exponent = 1.5}, ForceSettings{.softening = 0.05, .exponent = 1.5, .strength = 0.5}};
    static bool isGravity(const ForceSettings& settings) { return settings.exponent == 2; }
    static double factor(const ForceSettings& settings) { return settings.exponent == 2 ? settings.strength : 1; }
    static bool takes(double ForceSettings::*number) {
        return number == &ForceSettings::exponent || number == &ForceSettings::strength;
    }
    static bool confines(const ForceSettings& settings) { return settings.exponent <= 1 && settings.strength > 0; }
    static double smallestR2(const ForceSettings& settings, double heaviest, double most) {
        const double power = 0.5 * (settings.exponent + 1);
        return power > 0 ? std::pow(heaviest * settings.strength / most, 1 / power) : 0;
    }

    static constexpr int kLargestWhole = 8;

    Real softeningSquared;
    Real exponent;
    Real strength;           ///< alpha
    Real nearest = Real(0);  ///< smallest d^2: steep laws overflow sooner than gravity does
    int whole = -1;          ///< the exponent if it is whole and small, else -1

    explicit PowerLaw(const ForceSettings& settings, double smallestR2 = 0)
        : softeningSquared(flooredSoftening<ScalarOf<Real>>(settings.softening, 0)),
          exponent(static_cast<Real>(settings.exponent)),
          strength(static_cast<Real>(settings.strength)) {
        for (int a = 0; a <= kLargestWhole; ++a)
            if (settings.exponent == a) whole = a;
        const double power = 0.5 * (settings.exponent + 1);
        const double range = sizeof(ScalarOf<Real>) == sizeof(float) ? 1e30 : 1e300;
        if (power > 0) nearest = static_cast<Real>(std::max(std::pow(range, -1 / power), smallestR2));
    }
    GRAVLAB_LAW_FUNCTION Real offset() const { return softeningSquared; }
    GRAVLAB_LAW_FUNCTION Real forceOverDistanceAt(Real softened) const {
        const Real squared = larger(softened, nearest);
        if (whole < 0) return strength * raised(squared, Real(-0.5f) * (exponent + Real(1)));
        const Real inverse = inverseRoot(squared);
        Real product = strength * inverse;
        for (int factor = 0; factor < whole; ++factor) product = product * inverse;
        return product;
    }
    GRAVLAB_LAW_FUNCTION Real forceOverDistance(Real distanceSquared) const { return forceOverDistanceAt(distanceSquared + softeningSquared); }
    GRAVLAB_LAW_FUNCTION Real potential(Real distanceSquared) const {
        const Real squared = larger(distanceSquared + softeningSquared, nearest);
        if (whole == 1) return strength * Real(0.5) * std::log(squared);
        return strength * std::exp2(Real(0.5) * (1 - exponent) * std::log2(squared)) / (1 - exponent);
    }
};
