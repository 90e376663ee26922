// Toomre's restricted encounter: the number of particles that stay, change galaxies and get lost.
#include "sim/scenes/few_body_orbits.h"
#include "sim/scenes/scene.h"
#include "tests/physics/famous_helpers.h"

#include <gtest/gtest.h>

#include <array>

namespace gravlab::famous {
namespace {

struct Census {
    int bound = 0, captured = 0, unbound = 0;
    int farAway = 0;            ///< more than 1.5 from the first mass
    double farthest = 0;        ///< from the first mass
    std::array<int, 5> lost{};  ///< per ring: no longer bound to the first mass
    double separation = 0;      ///< of the two masses
};

Census encounter(double companionMass, bool prograde) {
    constexpr int kSteps = 2000;
    constexpr double kSoftening = 0.05;
    constexpr int kRingEnd[] = {12, 30, 54, 84, 120};
    const ParticleSet start = scenes::parabolicPassage({companionMass, prograde, 120, kSoftening});
    EXPECT_EQ(start.size(), 122u);
    Motion motion(start, "leapfrog", scenes::passageDuration(companionMass) / kSteps, kSoftening);
    motion.advance(kSteps);
    const ParticleSet& end = motion.bodies();
    Census census{.separation = norm(minus(end.position[0], end.position[1]))};
    for (int i = 0; i < 120; ++i) {
        auto energy = [&](int mass, double& distance) {
            distance = norm(minus(end.position[i + 2], end.position[mass]));
            return static_cast<double>(square(minus(end.velocity[i + 2], end.velocity[mass]))) / 2 -
                   end.position[mass].w / std::sqrt(distance * distance + kSoftening * kSoftening);
        };
        double first = 0, second = 0;
        const double e1 = energy(0, first), e2 = energy(1, second);
        const bool stays = e1 < 0 && first < second;
        if (stays)
            ++census.bound;
        else if (e2 < 0)
            ++census.captured;
        else
            ++census.unbound;
        if (!stays) ++census.lost[std::upper_bound(kRingEnd, kRingEnd + 5, i) - kRingEnd];
        if (first > 1.5) ++census.farAway;
        census.farthest = std::max(census.farthest, first);
    }
    return census;
}

struct KnownPassage {
    double companionMass;
    bool prograde;
    int bound, captured, unbound, farAway;
    double farthest;
    std::array<int, 5> lost;
};

constexpr KnownPassage kKnownPassages[] = {{1, true, 82, 30, 8, 45, 7.05, {0, 0, 5, 11, 22}},
                                           {1, false, 120, 0, 0, 0, 0.886, {}},
                                           {0.25, true, 107, 13, 0, 14, 6.47, {0, 0, 0, 4, 9}},
                                           {0.25, false, 120, 0, 0, 0, 0.645, {}}};

TEST(FamousToomre, theCountsAreTheKnownIntegers) {
    for (const KnownPassage& known : kKnownPassages) {
        const Census census = encounter(known.companionMass, known.prograde);
        SCOPED_TRACE(std::to_string(known.companionMass) + (known.prograde ? " prograde" : " retrograde"));
        EXPECT_EQ(census.bound + census.captured + census.unbound, 120);
        // One particle may sit on the border between two classes.
        EXPECT_NEAR(census.bound, known.bound, 1);
        EXPECT_NEAR(census.captured, known.captured, 1);
        EXPECT_NEAR(census.unbound, known.unbound, 1);
        EXPECT_NEAR(census.farAway, known.farAway, 1);
        EXPECT_RELATIVE(census.farthest, known.farthest, 0.01);
        for (int ring = 0; ring < 5; ++ring) EXPECT_NEAR(census.lost[ring], known.lost[ring], 1) << "ring " << ring;
        if (known.companionMass == 1 && known.prograde) {
            EXPECT_NEAR(census.separation, 5.00065, 2e-5);
        }
    }
}

TEST(FamousToomre, thePassageLastsAsParabolasDo) {
    EXPECT_NEAR(scenes::passageDuration(1), 9.333333333333334, 1e-14);
    EXPECT_NEAR(scenes::passageDuration(0.25), 11.805837, 1e-6);
}

TEST(FamousToomre, anyNumberOfParticlesIsPlacedOnRings) {
    for (std::size_t bodies : {1u, 2u, 3u, 7u, 122u, 1000u, 5002u}) {
        const ParticleSet start = sceneNamed("toomre-flyby").build({bodies, 1});
        ASSERT_EQ(start.size(), bodies);
        for (std::size_t i = 2; i < bodies; ++i) {
            const double r = norm(minus(start.position[i], start.position[0]));
            EXPECT_GE(r, 0.2 - 1e-12);
            EXPECT_LE(r, 0.6 + 1e-12);
            EXPECT_EQ(start.position[i].w, 0);
        }
        EXPECT_LE(measured(start, 0.05).momentum, 1e-15);
    }
}

}  // namespace
}  // namespace gravlab::famous
