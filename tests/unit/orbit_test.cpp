// Orbital elements of known orbits, of open ones, and the body that another one orbits.
#include "sim/measure/orbit.h"

#include "sim/forces/law.h"
#include "sim/scenes/few_body_orbits.h"
#include "sim/scenes/scene.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>

namespace gravlab {
namespace {

ParticleSet planets() { return sceneNamed("solar-system-j2000").build({.bodies = 9}); }

TEST(OrbitTest, givesBackTheElementsThatAPlanetWasMadeFrom) {
    const ParticleSet bodies = planets();
    const struct {
        std::size_t index;
        double axis, eccentricity, degrees, years;
    } known[] = {{1, 0.38709927, 0.20563593, 7.00497902, 0.24085},
                 {3, 1.00000261, 0.01671123, 0.00001531, 1.00002},
                 {5, 5.20288700, 0.04838624, 1.30439695, 11.862},
                 {8, 30.06992276, 0.00859048, 1.77004347, 164.88}};
    for (const auto& row : known) {
        EXPECT_EQ(centreOfOrbit(bodies, row.index, {}), std::optional<std::size_t>(0)) << row.index;
        const std::optional<Orbit> orbit = orbitAbout(bodies, row.index, 0, {});
        ASSERT_TRUE(orbit && orbit->closed());
        EXPECT_NEAR(orbit->semiMajorAxis, row.axis, 1e-8 * row.axis);
        EXPECT_NEAR(orbit->eccentricity, row.eccentricity, 1e-8);
        EXPECT_NEAR(orbit->inclination * 180 / std::numbers::pi, row.degrees, 1e-6);
        EXPECT_NEAR(*orbit->period / (2 * std::numbers::pi), row.years, 1e-3 * row.years);
        EXPECT_NEAR(orbit->pericentre, row.axis * (1 - row.eccentricity), 1e-8 * row.axis);
        EXPECT_NEAR(*orbit->apocentre, row.axis * (1 + row.eccentricity), 1e-8 * row.axis);
    }
    // The Sun is heavier than all planets; among the planets Jupiter has the most mass.
    EXPECT_EQ(centreOfOrbit(bodies, 0, {}), std::optional<std::size_t>(5));
}

TEST(OrbitTest, aMoonGoesRoundItsPlanetAndNotRoundTheSunThatPullsItMore) {
    ParticleSet bodies = planets();
    const std::size_t moon = bodies.size();
    bodies.resize(moon + 1);
    const Double4 x = bodies.position[3], v = bodies.velocity[3];
    const double distance = 0.00257;
    bodies.position[moon] = {x.x + distance, x.y, x.z, 3.7e-8};
    bodies.velocity[moon] = {v.x, v.y + std::sqrt(x.w / distance), v.z, 1};
    bodies.id[moon] = 9;
    EXPECT_EQ(centreOfOrbit(bodies, moon, {}), std::optional<std::size_t>(3));
    EXPECT_NEAR(orbitAbout(bodies, moon, 3, {})->semiMajorAxis, distance, 0.03 * distance);
    EXPECT_EQ(centreOfOrbit(bodies, 3, {}), std::optional<std::size_t>(0)) << "and the planet round the Sun";
}

TEST(OrbitTest, whatIsNotClosedHasNoPeriod) {
    // Speed at infinity 1, pull 1: a = -1; at its pericentre of 0.5 the eccentricity is 1.5.
    const double speed = std::sqrt(1 + 2 / 0.5);
    const std::optional<Orbit> open = orbitOf({0.5, 0, 0}, {0, 0, speed}, 1);
    ASSERT_TRUE(open);
    EXPECT_FALSE(open->closed());
    EXPECT_FALSE(open->apocentre);
    EXPECT_NEAR(open->semiMajorAxis, -1, 1e-12);
    EXPECT_NEAR(open->eccentricity, 1.5, 1e-12);
    EXPECT_NEAR(open->pericentre, 0.5, 1e-12);
    EXPECT_NEAR(open->inclination, std::numbers::pi / 2, 1e-12);
    EXPECT_FALSE(orbitOf({1, 0, 0}, {-1, 0, 0}, 1)) << "a straight fall has no plane";
    EXPECT_FALSE(orbitOf({1, 0, 0}, {0, 1, 0}, 0)) << "nothing attracts";

    ParticleSet bodies = planets();
    const std::size_t comet = bodies.size();
    bodies.resize(comet + 1);
    bodies.position[comet] = {2, 0, 0, 0};
    bodies.velocity[comet] = {0, 3, 0, 1};
    EXPECT_EQ(centreOfOrbit(bodies, comet, {}), std::optional<std::size_t>(0)) << "the one that it flies by";
    EXPECT_FALSE(orbitAbout(bodies, comet, 0, {})->closed());
    ForceSettings charges{.law = kLaw<Coulomb>};
    EXPECT_FALSE(centreOfOrbit(bodies, 1, charges));
    EXPECT_FALSE(orbitAbout(bodies, 1, 0, charges));
}

TEST(OrbitTest, theLeastDistanceIsThatOfThePathWithinTheTime) {
    // An ellipse of axis 1 and eccentricity 0.5 from its apocentre, and back: the pericentre is half of a period away.
    const double slow = std::sqrt(2 / 1.5 - 1), half = std::numbers::pi;
    EXPECT_NEAR(leastDistance({1.5, 0, 0}, {0, slow, 0}, 1, 1.01 * half), 0.5, 1e-12);
    EXPECT_EQ(leastDistance({1.5, 0, 0}, {0, slow, 0}, 1, 0.99 * half), 1.5) << "not reached";
    EXPECT_NEAR(leastDistance({1.5, 0, 0}, {0, slow, 0}, 1, -1.01 * half), 0.5, 1e-12);
    const double fast = std::sqrt(2 / 0.5 - 1);
    EXPECT_EQ(leastDistance({0.5, 0, 0}, {0, fast, 0}, 1, 1), 0.5);
    // A flyby: speed 20 at 10, impact parameter 0.01, pull 1. It arrives after about half a time unit.
    const Vec3d place{-10.05, 0.01, 0}, speed{20, 0, 0};
    EXPECT_NEAR(leastDistance(place, speed, 1, 0.51), 0.00781, 2e-5);
    EXPECT_NEAR(leastDistance(place, speed, 1, 0.49), 10.05, 1e-4);
    EXPECT_NEAR(leastDistance(place, speed, 1, -1), 10.05, 1e-4) << "it comes from far away";
    EXPECT_NEAR(leastDistance(place, speed, 0, 1), 0.01, 1e-15) << "without a pull: a straight line";
    EXPECT_EQ(leastDistance({1, 0, 0}, {}, 0, 1), 1);
}

TEST(OrbitTest, fixedStepsDoNotResolveEveryOrbit) {
    // An ellipse from its apocentre, and a third body on a circle about both.
    const auto system = [](double eccentricity, double distance, double third) {
        ParticleSet bodies;
        bodies.resize(3);
        bodies.position = {{0, 0, 0, 1}, {1 + eccentricity, 0, 0, 1e-3}, {distance, 0, 0, third}};
        bodies.velocity = {{0, 0, 0, 1},
                           {0, std::sqrt((1 - eccentricity) / (1 + eccentricity)), 0, 1},
                           {0, 0, std::sqrt((1 + third) / distance), 1}};
        return bodies;
    };
    constexpr double kStep = 1.0 / 64;
    EXPECT_EQ(unresolvedOrbit(system(0.1, 3, 1e-3), {}, kStep), "");
    EXPECT_NE(softenedOrbit(system(0.1, 3, 1e-3), {.softening = 266}).find("bodies 0 and 1 would orbit"), std::string::npos);
    EXPECT_EQ(softenedOrbit(system(0.1, 3, 1e-3), {.softening = 0.5}), "");
    EXPECT_EQ(unresolvedOrbit(system(0.1, 50, 1e-3), {}, kStep), "") << "too light to change the orbit";
    EXPECT_NE(unresolvedOrbit(system(0.1, 50, 1), {}, kStep).find("body 2 goes about bodies 0 and 1"), std::string::npos);
    EXPECT_NE(unresolvedOrbit(system(0.9, 3, 1e-3), {}, kStep).find("bodies 0 and 1 turn"), std::string::npos);
    EXPECT_EQ(unresolvedOrbit(system(0.9, 3, 1e-3), {}, kStep / 16), "");
    EXPECT_NE(unresolvedOrbit(system(0.1, 3, 1e-3), {}, -0.5), "") << "backwards";
    EXPECT_EQ(unresolvedOrbit(system(0.9, 3, 1e-3), {.law = kLaw<Coulomb>}, kStep), "");
    ParticleSet many = system(0.9, 3, 1e-3);
    many.resize(11);
    EXPECT_EQ(unresolvedOrbit(many, {}, kStep), "") << "too many bodies for automatic steps";
}

TEST(OrbitTest, accelerationsAreThoseOfTheLaw) {
    ParticleSet bodies;
    bodies.resize(3);
    bodies.position = {{0, 0, 0, 2}, {3, 0, 0, 1}, {0, 4, 0, 8}};
    bodies.velocity = {{0, 0, 0, 1}, {0, 0, 0, 1}, {0, 0, 0, 1}};
    const Vec3d pull = accelerationOf(bodies, 0, {});
    EXPECT_NEAR(pull.x, 1.0 / 9, 1e-14);
    EXPECT_NEAR(pull.y, 8.0 / 16, 1e-14);
    EXPECT_EQ(pull.z, 0);
    ForceSettings soft{.softening = 4};
    EXPECT_NEAR(accelerationOf(bodies, 0, soft).x, 3 / std::pow(25.0, 1.5), 1e-14);
    bodies.velocity[0].w = 0;
    EXPECT_EQ(accelerationOf(bodies, 0, {}), (Vec3d{0, 0, 0})) << "a held body feels nothing";
}

}  // namespace
}  // namespace gravlab
