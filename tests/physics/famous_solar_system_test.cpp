// Sun and planets against positions computed to 18 digits, and the orbital elements against a known state.
#include "tests/physics/famous_helpers.h"

#include <gtest/gtest.h>

#include <numbers>

namespace gravlab::famous {
namespace {

constexpr double kYear = 2 * std::numbers::pi;
enum Planet { kSun, kMercury, kVenus, kEarth, kMars, kJupiter, kSaturn, kUranus, kNeptune };

constexpr Double4 kAfterHundredYears[] = {{0.008207425805114475, -0.002057534606069308, -0.0001870292053307085, 0},
                                          {0.32061676805669275, -0.26209213270887395, -0.05004647729438051, 0},
                                          {0.70069580107251284, 0.21049678036791324, -0.03710922457837101, 0},
                                          {-0.56115886188582183, -0.83760686756610539, 6.339211436712220e-05, 0},
                                          {-1.49502603054034565, -0.59833861627907384, 0.02384014620791311, 0},
                                          {-5.43718940369825015, 0.01054781346844034, 0.12124023986980079, 0},
                                          {-4.72721239617472768, 7.74982059547135249, 0.05571048499003656, 0},
                                          {-8.65546365643716257, 16.48386081092841097, 0.17294503563397904, 0},
                                          {-24.96920744148145628, -17.19067212865725697, 0.92952156842891761, 0}};

constexpr Double4 kMercuryAfterOneYear{0.2266857883140691117, -0.3646899509117348973, -0.05074671025931768, 0};
constexpr Double4 kEarthAfterOneYear{-0.5774220789625022533, -0.8388483275057068195, 0.000251952655625485, 0};
constexpr Double4 kJupiterAfterOneYear{2.667678079324255791, 4.237828692386604627, -0.07726401112057792, 0};

ParticleSet solarSystem() { return sceneNamed("solar-system").build({9, 1}); }
ParticleSet fromElements() { return sceneNamed("solar-system-j2000").build({9, 1}); }

double away(const ParticleSet& bodies, int planet, const Double4& from) {
    return norm(minus(bodies.position[planet], from));
}

TEST(FamousSolarSystem, startsWithTheKnownInvariants) {
    const Conserved start = measured(solarSystem());
    EXPECT_RELATIVE(start.energy, -1.1228290058735528596e-4, 1e-12);
    EXPECT_RELATIVE(start.angularMomentum,
                    std::hypot(9.28461077053609502e-05, 2.94210587202976153e-05, 3.53433095921029535e-03), 1e-13);
    EXPECT_LE(start.momentum, 1e-18);
}

TEST(FamousSolarSystem, adaptiveStepsFollowAllPlanetsForACentury) {
    Motion motion(solarSystem(), "radau15", kYear);
    motion.advance(1);
    EXPECT_LE(away(motion.bodies(), kMercury, kMercuryAfterOneYear), 1e-13);
    EXPECT_LE(away(motion.bodies(), kEarth, kEarthAfterOneYear), 1e-13);
    EXPECT_LE(away(motion.bodies(), kJupiter, kJupiterAfterOneYear), 1e-13);
    motion.advance(99);
    for (int planet = kSun; planet <= kNeptune; ++planet)
        EXPECT_LE(away(motion.bodies(), planet, kAfterHundredYears[planet]), 1e-10) << planet;
    EXPECT_LE(std::fabs(motion.energyError()), 1e-14);
}

struct KnownDrift {
    const char* name;
    int stepsPerYear;
    double oneYear[3], hundredYears[3];  ///< errors of Mercury, Earth, Jupiter [AU]; 0: at rounding
    double energy;                       ///< largest |dE/E|
};

constexpr KnownDrift kKnownDrifts[] = {{"leapfrog", 365, {1.5e-2, 6.1e-4, 1.1e-6}, {7.8e-1, 6.1e-2, 2.2e-4}, 2.7e-6},
                                       {"leapfrog", 1460, {9.7e-4, 3.8e-5, 6.8e-8}, {9.5e-2, 3.8e-3, 1.4e-5}, 1.7e-7},
                                       {"yoshida4", 365, {5.0e-4, 5.2e-7, 2.4e-12}, {4.7e-2, 5.2e-5, 2.1e-9}, 3.6e-8},
                                       {"yoshida4", 1460, {2.0e-6, 2.0e-9, 0}, {1.8e-4, 2.0e-7, 0}, 1.4e-10},
                                       {"hermite4", 365, {3.6e-5, 1.8e-8, 0}, {4.8e-3, 1.3e-6, 0}, 2.3e-8}};

TEST(FamousSolarSystem, fixedStepsHaveTheirKnownErrors) {
    constexpr int kWatched[] = {kMercury, kEarth, kJupiter};
    constexpr Double4 kOneYear[] = {kMercuryAfterOneYear, kEarthAfterOneYear, kJupiterAfterOneYear};
    for (const KnownDrift& known : kKnownDrifts) {
        SCOPED_TRACE(std::string(known.name) + " " + std::to_string(known.stepsPerYear));
        Motion motion(solarSystem(), known.name, kYear / known.stepsPerYear);
        motion.advanceWatching(known.stepsPerYear);
        // The table has two digits, so 5 % of its last one and as much again.
        for (int i = 0; i < 3; ++i)
            if (known.oneYear[i] > 0) {
                EXPECT_RELATIVE(away(motion.bodies(), kWatched[i], kOneYear[i]), known.oneYear[i], 0.06) << i;
            }
        motion.advanceWatching(99 * known.stepsPerYear, 10);
        for (int i = 0; i < 3; ++i)
            if (known.hundredYears[i] > 0) {
                EXPECT_RELATIVE(away(motion.bodies(), kWatched[i], kAfterHundredYears[kWatched[i]]), known.hundredYears[i],
                                0.06)
                    << i;
            }
        EXPECT_RELATIVE(motion.maxEnergyError(), known.energy, 0.06);
    }
}

TEST(FamousSolarSystem, elementsGiveTheKnownStateOfEarth) {
    const scenes::OrbitalElements earth{1.00000261, 0.01671123, -0.00001531, 100.46457166, 102.93768193, 0};
    const scenes::Body state = scenes::orbitState(earth, 1 + 1 / 328900.56);
    EXPECT_NEAR(state.position.x, -0.17717124910462513, 2e-15);
    EXPECT_NEAR(state.position.y, 0.96721448496694745, 2e-15);
    EXPECT_NEAR(state.position.z, -2.5844929400887549e-7, 1e-20);
    EXPECT_NEAR(state.velocity.x, -1.000060724590466, 2e-15);
    EXPECT_NEAR(state.velocity.y, -0.18394611971160862, 2e-15);
    EXPECT_NEAR(state.velocity.z, 4.9152225813452278e-8, 1e-20);
}

TEST(FamousSolarSystem, elementsComeBackFromTheState) {
    // The inverse, for inclined and eccentric orbits, from the vectors that Kepler's laws conserve.
    for (double eccentricity : {0.0, 0.2, 0.7, 0.95})
        for (double longitude : {10.0, 130.0, 300.0}) {
            const scenes::OrbitalElements elements{2.5, eccentricity, 30, longitude, 70, 40};
            const scenes::Body state = scenes::orbitState(elements, 1.5);
            const Vec3d &r = state.position, &v = state.velocity;
            const double distance = norm(packed(r)), speed2 = static_cast<double>(square(packed(v)));
            EXPECT_NEAR(1 / (2 / distance - speed2 / 1.5), 2.5, 1e-13);
            const double hx = r.y * v.z - r.z * v.y, hy = r.z * v.x - r.x * v.z, hz = r.x * v.y - r.y * v.x;
            const double h = std::sqrt(hx * hx + hy * hy + hz * hz), degree = std::numbers::pi / 180;
            EXPECT_NEAR(h, std::sqrt(1.5 * 2.5 * (1 - eccentricity * eccentricity)), 1e-14);
            EXPECT_NEAR(hz / h, std::cos(30 * degree), 1e-14);
            EXPECT_NEAR(std::atan2(hx, -hy) / degree, 40, 1e-12);
            // The eccentricity vector points to pericentre, 30 degrees past the node along the orbit.
            const double ex = (v.y * hz - v.z * hy) / 1.5 - r.x / distance,
                         ey = (v.z * hx - v.x * hz) / 1.5 - r.y / distance;
            EXPECT_NEAR(ex * std::cos(40 * degree) + ey * std::sin(40 * degree), eccentricity * std::cos(30 * degree),
                        1e-14);
        }
}

TEST(FamousSolarSystem, bothStartsAgreeOnTheSizesOfTheOrbits) {
    const ParticleSet states = solarSystem(), elements = fromElements();
    ASSERT_EQ(states.size(), elements.size());
    for (int planet = kMercury; planet <= kNeptune; ++planet) {
        auto semiMajorAxis = [planet](const ParticleSet& bodies) {
            const double r = norm(minus(bodies.position[planet], bodies.position[kSun]));
            const double v = norm(minus(bodies.velocity[planet], bodies.velocity[kSun]));
            return 1 / (2 / r - v * v / (1 + bodies.position[planet].w));
        };
        EXPECT_RELATIVE(semiMajorAxis(states), semiMajorAxis(elements), 0.01) << planet;
        EXPECT_RELATIVE(states.position[planet].w, elements.position[planet].w, 1e-3) << planet;
    }
}

TEST(FamousSolarSystem, thePeriodsAreTheKnownOnes) {
    constexpr double kPeriods[] = {0.240841386228, 0.615181036575, 1.00002035205, 1.88076702032,
                                   11.8598081635,  29.6238528346,  84.7312801704, 166.675197763};
    const ParticleSet bodies = solarSystem();
    for (int planet = kMercury; planet <= kNeptune; ++planet) {
        const double r = norm(minus(bodies.position[planet], bodies.position[kSun]));
        const double v = norm(minus(bodies.velocity[planet], bodies.velocity[kSun]));
        const double mass = bodies.position[kSun].w + bodies.position[planet].w, a = 1 / (2 / r - v * v / mass);
        EXPECT_RELATIVE(std::sqrt(a * a * a / mass), kPeriods[planet - 1], 1e-11) << planet;
    }
}

}  // namespace
}  // namespace gravlab::famous
