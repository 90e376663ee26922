// Each pair law: the force is the slope of its potential, float agrees with double, and nothing is ever non-finite.
#include "sim/forces/law.h"

#include "sim/api/errors.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace gravlab {
namespace {

ForceSettings settingsOf(Law law, double softening, double exponent = 2) {
    ForceSettings settings{.law = law, .softening = softening};
    settings.exponent = exponent;
    return settings;
}

std::vector<ForceSettings> everySetting() {
    std::vector<ForceSettings> all;
    for (double softening : {0.0, 0.1}) {
        for (const LawRow& row : laws()) all.push_back(settingsOf(row.law, softening));
        for (double exponent : {-1.0, 0.0, 0.5, 1.0, 1.7, 3.0, 4.0, 8.0, 8.5})
            all.push_back(settingsOf(kLaw<PowerLaw>, softening, exponent));
    }
    for (std::size_t usual = 0, count = all.size(); usual < count; ++usual) {
        ForceSettings other = all[usual];
        other.strength = 2.5;
        other.diameter = 0.8;
        other.cutOff = 1.6;
        all.push_back(other);
    }
    return all;
}

/// Largest deviation of r pull from d potential / dr, relative to the larger of pull and 1; a five-point stencil.
template <class PairLaw>
double slopeMismatch(const PairLaw& pairLaw, double distance) {
    const double h = 1e-3 * distance;
    auto phi = [&](double r) { return pairLaw.potential(r * r); };
    const double slope =
        (8 * (phi(distance + h) - phi(distance - h)) - (phi(distance + 2 * h) - phi(distance - 2 * h))) / (12 * h);
    const double force = distance * pairLaw.forceOverDistance(distance * distance);
    return std::fabs(slope - force) / std::fmax(1.0, std::fabs(force));
}

TEST(Law, forceIsTheSlopeOfThePotential) {
    for (const ForceSettings& settings : everySetting())
        for (double distance : {0.2, 0.45, 0.7, 1.0, 1.3, 2.0, 2.45, 2.6, 7.0})
            withLaw<double>(settings, [&](auto pairLaw) {
                EXPECT_LE(slopeMismatch(pairLaw, distance), 5e-9)
                    << "law " << static_cast<int>(settings.law) << " exponent " << settings.exponent << " softening "
                    << settings.softening << " r " << distance;
            });
}

struct WrongGravity : Gravity<double> {
    using Gravity::Gravity;
    double forceOverDistance(double distanceSquared) const { return 1.001 * Gravity::forceOverDistance(distanceSquared); }
};

TEST(Law, theSlopeTestCatchesAForceThatIsWrongByAThousandth) {
    EXPECT_GT(slopeMismatch(WrongGravity(settingsOf(Law::gravity, 0)), 0.5), 5e-4);
}

TEST(Law, floatAgreesWithDouble) {
    for (const ForceSettings& settings : everySetting())
        for (double distance : {0.3, 0.9, 1.5, 2.2, 4.0}) {
            const float squared = static_cast<float>(distance * distance);
            const double exact = withLaw<double>(
                settings, [&](auto pairLaw) { return pairLaw.forceOverDistance(static_cast<double>(squared)); });
            const double single = withLaw<float>(
                settings, [&](auto pairLaw) { return static_cast<double>(pairLaw.forceOverDistance(squared)); });
            EXPECT_LE(std::fabs(single - exact), 5e-6 * std::fmax(0.05, std::fabs(exact)) * settings.strength)
                << "law " << static_cast<int>(settings.law) << " exponent " << settings.exponent << " r " << distance;
        }
}

TEST(Law, coincidentPairsAreFiniteAndExertNothing) {
    for (const ForceSettings& settings : everySetting()) {
        const float single = withLaw<float>(settings, [](auto pairLaw) { return pairLaw.forceOverDistance(0.0f); });
        const double twice = withLaw<double>(settings, [](auto pairLaw) { return pairLaw.forceOverDistance(0.0); });
        EXPECT_EQ(single * 0.0f, 0.0f);
        EXPECT_EQ(twice * 0.0, 0.0);
    }
}

TEST(Law, powerLawOfTwoIsGravityToTheLastBit) {
    for (double softening : {0.0, 0.05})
        for (double distance : {0.01, 0.37, 1.0, 5.0}) {
            const double squared = distance * distance;
            EXPECT_EQ(PowerLaw<double>(settingsOf(kLaw<PowerLaw>, softening)).forceOverDistance(squared),
                      Gravity<double>(settingsOf(Law::gravity, softening)).forceOverDistance(squared));
            EXPECT_EQ(PowerLaw<float>(settingsOf(kLaw<PowerLaw>, softening)).forceOverDistance(static_cast<float>(squared)),
                      Gravity<float>(settingsOf(Law::gravity, softening)).forceOverDistance(static_cast<float>(squared)));
        }
}

TEST(Law, softenedPairHasTheKnownValues) {
    struct Known {
        double softening, distance, potential, acceleration;
    };
    constexpr Known kKnown[] = {{0.1, 1, -0.99503719020998913567, 0.98518533684157340165},
                                {0.1, 0.1, -7.071067811865475244, 35.35533905932737622},
                                {0.01, 1, -0.99995000374968752734, 0.99985001874781274607},
                                {1, 1, -0.7071067811865475244, 0.3535533905932737622}};
    for (const Known& known : kKnown) {
        const ForceSettings settings = settingsOf(Law::gravity, known.softening);
        const LawRow& row = law("gravity");
        const double squared = known.distance * known.distance;
        EXPECT_NEAR(row.potential(settings, squared), known.potential, 2e-15 * std::fabs(known.potential));
        EXPECT_NEAR(known.distance * row.forceOverDistance(settings, squared), known.acceleration,
                    2e-15 * known.acceleration);
    }
}

TEST(Law, lennardJonesEndsSmoothlyAtTheCutOff) {
    const LennardJones<double> pairLaw(settingsOf(kLaw<LennardJones>, 0));
    const double inside = std::nextafter(pairLaw.cutoff, 0.0);
    EXPECT_NEAR(pairLaw.potential(inside * inside), 0, 1e-14);
    EXPECT_NEAR(pairLaw.forceOverDistance(inside * inside), 0, 1e-14);
    EXPECT_EQ(pairLaw.forceOverDistance(9.0), 0);
    // The force-shifted minimum lies a little beyond 2^(1/6) and is shallower than the plain well of depth 1.
    EXPECT_LT(pairLaw.forceOverDistance(1.0), 0);
    EXPECT_GT(pairLaw.forceOverDistance(1.2 * 1.2), 0);
    EXPECT_GT(pairLaw.potential(1.13 * 1.13), -1.0);
    EXPECT_LT(pairLaw.potential(1.13 * 1.13), -0.9);
}

TEST(Law, likeChargesRepel) {
    EXPECT_LT(law("coulomb").forceOverDistance(settingsOf(kLaw<Coulomb>, 0), 1.0), 0);
    EXPECT_GT(law("coulomb").potential(settingsOf(kLaw<Coulomb>, 0), 1.0), 0);
}

TEST(Law, unknownNamesListTheValidOnes) {
    try {
        law("gravty");
        FAIL() << "no exception";
    } catch (const UsageError& error) {
        EXPECT_NE(std::string(error.what()).find("gravity"), std::string::npos);
        EXPECT_NE(std::string(error.what()).find("lennard-jones"), std::string::npos);
    }
}

TEST(Law, everyRowIsMadeFromItsType) {
    ASSERT_EQ(laws().size(), Laws::kCount);
    for (const LawRow& row : laws()) {
        EXPECT_EQ(&lawRow(row.law), &row);
        forLaw<Laws>(row.law, [&]<template <class> class PairLaw>() { EXPECT_EQ(kLaw<PairLaw>, row.law); });
        EXPECT_EQ(row.name, row.law == Law::gravity     ? "gravity"
                            : row.law == kLaw<Coulomb>  ? "coulomb"
                            : row.law == kLaw<PowerLaw> ? "power-law"
                                                        : "lennard-jones");
        EXPECT_EQ(row.hasJerk, row.law == Law::gravity);
        EXPECT_EQ(row.floorShare, row.law == kLaw<Coulomb> || row.law == kLaw<LennardJones> ? 0.1 : 0);
    }
}

TEST(Law, numbersInFilesAreThePlacesInTheList) {
    EXPECT_EQ(static_cast<int>(Law::gravity), 0);
    EXPECT_EQ(static_cast<int>(kLaw<Coulomb>), 1);
    EXPECT_EQ(static_cast<int>(kLaw<PowerLaw>), 2);
    EXPECT_EQ(static_cast<int>(kLaw<LennardJones>), 3);
}

TEST(Law, rowsSayWhatDependsOnTheLaw) {
    for (const LawRow& row : laws()) {
        EXPECT_EQ(row.signedSources, row.name == "coulomb") << row.name;
        // `check` always has the plain sum of gravity.
        EXPECT_EQ(row.tried.empty(), row.law == Law::gravity) << row.name;
        for (const ForceSettings& force : row.tried) EXPECT_EQ(force.softening > 0, row.softened) << row.name;
        EXPECT_FALSE(row.confines({.law = row.law})) << row.name;
    }
    EXPECT_TRUE(law("power-law").confines({.exponent = 1}));
    EXPECT_FALSE(law("power-law").confines({.exponent = 1.5}));
}

TEST(Law, loopsAndFactorsComeFromTheLaw) {
    const ForceSettings gravity{}, charges{.law = kLaw<Coulomb>, .strength = 3},
        square{.law = kLaw<PowerLaw>, .strength = 3}, cube{.law = kLaw<PowerLaw>, .exponent = 3, .strength = 3},
        atoms{.law = kLaw<LennardJones>, .strength = 3};
    EXPECT_EQ(loopLaw(gravity), Law::gravity);
    EXPECT_EQ(loopLaw(charges), Law::gravity);
    EXPECT_EQ(loopLaw(square), Law::gravity);
    EXPECT_EQ(loopLaw(cube), kLaw<PowerLaw>);
    EXPECT_EQ(loopLaw(atoms), kLaw<LennardJones>);
    EXPECT_EQ(forceFactor(gravity), 1);
    EXPECT_EQ(forceFactor(charges), -3);
    EXPECT_EQ(forceFactor(square), 3);
    EXPECT_EQ(forceFactor(cube), 1);
    EXPECT_EQ(forceFactor(atoms), 1);
    EXPECT_EQ(loopIndex(charges), 0u);
    EXPECT_EQ(loopIndex(cube), 1u);
    EXPECT_EQ(loopIndex(atoms), 2u);
    EXPECT_FALSE(finiteAtZero(gravity));
    EXPECT_TRUE(finiteAtZero(atoms));
    EXPECT_TRUE(finiteAtZero({.softening = 0.1}));
}

TEST(Law, theLeastDistanceKeepsTheHeaviestBodyFinite) {
    for (const ForceSettings& force :
         {ForceSettings{}, ForceSettings{.law = kLaw<Coulomb>},
          ForceSettings{.law = kLaw<PowerLaw>, .exponent = 3, .strength = 1000},
          ForceSettings{.law = kLaw<PowerLaw>, .exponent = -1}, ForceSettings{.law = kLaw<LennardJones>}}) {
        const double heaviest = 1e12;
        forLaw<LoopLaws>(loopLaw(force), [&]<template <class> class PairLaw>() {
            const PairLaw<float> pairLaw(force, smallestR2<float>(force, heaviest));
            EXPECT_LE(heaviest * static_cast<double>(pairLaw.forceOverDistance(0.0f)), 1.1e37);
            const PairLaw<float> asBefore(force, smallestR2<float>(force, 1)), plain(force);
            EXPECT_EQ(asBefore.forceOverDistance(0.0f), plain.forceOverDistance(0.0f)) << "usual sources change nothing";
        });
    }
}

}  // namespace
}  // namespace gravlab
