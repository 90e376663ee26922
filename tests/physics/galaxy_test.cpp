// Galaxies and clusters that should be in balance: virial ratio at the start, and radii that stay without disturbance.
#include "sim/api/errors.h"
#include "sim/core/group.h"
#include "sim/measure/diagnostics.h"
#include "sim/run/simulation.h"
#include "sim/scenes/galaxy_model.h"
#include "sim/scenes/scene.h"
#include "tests/bodies.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <optional>

namespace gravlab {
namespace {

using namespace scenes;

constexpr std::size_t kBodies = 5000;

/// Radii that hold 10, 25, 50, 75 and 90 % of the bodies of a species (or of all), from their own centre.
std::vector<double> heldRadii(const ParticleSet& bodies, int species = -1) {
    std::vector<double> radii, axes[3];
    for (int pass = 0; pass < 2; ++pass) {  // first the middle of the species, then radii about it
        double middle[3] = {0, 0, 0};
        for (int axis = 0; pass == 1 && axis < 3; ++axis) {
            std::sort(axes[axis].begin(), axes[axis].end());
            middle[axis] = axes[axis][axes[axis].size() / 2];
        }
        for (std::size_t i = 0; i < bodies.size(); ++i) {
            if (species >= 0 && bodies.group[i] >> 6 != species) continue;
            const Double4& x = bodies.position[i];
            if (pass == 1) radii.push_back(std::hypot(x.x - middle[0], x.y - middle[1], x.z - middle[2]));
            const double place[3] = {x.x, x.y, x.z};
            for (int axis = 0; pass == 0 && axis < 3; ++axis) axes[axis].push_back(place[axis]);
        }
    }
    std::sort(radii.begin(), radii.end());
    std::vector<double> held;
    for (const double share : {0.1, 0.25, 0.5, 0.75, 0.9})
        held.push_back(radii[static_cast<std::size_t>(share * static_cast<double>(radii.size()))]);
    return held;
}

ParticleSet after(const std::string& scene, std::int64_t steps, std::size_t bodies = kBodies,
                  std::optional<int> version = {}) {
    Simulation simulation({.scene = scene, .sceneVersion = version, .bodies = bodies, .seed = 7, .backend = "cpu"});
    for (std::int64_t done = 0; done < steps;) done += simulation.advance({.steps = steps - done}, nullptr).stepsCompleted;
    return simulation.bodies();
}

void expectRadiiStay(const std::vector<double>& before, const std::vector<double>& now, double allowed) {
    for (std::size_t i = 0; i < before.size(); ++i) EXPECT_NEAR(now[i] / before[i], 1, allowed) << "radius " << i;
}

TEST(Galaxies, startInVirialBalance) {
    for (const char* name : {"galaxy", "disc", "hernquist", "king"}) {
        const Scene& scene = sceneNamed(name);
        const Diagnostics d = measure(scene.build({.bodies = kBodies, .seed = 3}), {.softening = scene.softening});
        EXPECT_NEAR(d.virialRatio(), 0.5, 0.03) << name;
    }
}

TEST(Galaxies, clustersStayAsTheyAre) {
    for (const char* name : {"hernquist", "king"}) {
        SCOPED_TRACE(name);
        // Three units of time: more than a crossing time of the inner half.
        expectRadiiStay(heldRadii(sceneNamed(name).build({.bodies = kBodies, .seed = 7})), heldRadii(after(name, 384)),
                        0.07);
    }
}

TEST(Galaxies, kingIsInHenonUnits) {
    const Scene& scene = sceneNamed("king");
    for (const double depth : {3.0, 6.0, 9.0}) {
        const Diagnostics d = measure(scene.build({.bodies = kBodies, .seed = 1, .parameters = {{"w0", depth}}}),
                                      {.softening = scene.softening});
        EXPECT_NEAR(d.energy(), -0.25, 0.015) << depth;
    }
}

/// `thicker`: the allowed growth of the disc.
void expectThinDisc(int version, double thicker) {
    SCOPED_TRACE(version);
    const ParticleSet start = sceneNamed("galaxy", version).build({.bodies = kBodies, .seed = 7});
    const ParticleSet now = after("galaxy", 400, kBodies, version);  // 150 Myr
    // The bulge has 400 bodies here, so its radii are noisy.
    for (const auto& [species, allowed] : {std::pair{0, 0.12}, {1, 0.3}, {2, 0.12}}) {
        SCOPED_TRACE(species);
        expectRadiiStay(heldRadii(start, species), heldRadii(now, species), allowed);
    }
    const auto height = [](const ParticleSet& bodies) {
        std::vector<double> heights;
        for (std::size_t i = 0; i < bodies.size(); ++i) {
            if (bodies.group[i] >> 6 != 0 || std::hypot(bodies.position[i].x, bodies.position[i].y) > 9) continue;
            heights.push_back(std::abs(bodies.position[i].z));
        }
        std::nth_element(heights.begin(), heights.begin() + static_cast<std::ptrdiff_t>(heights.size() / 2), heights.end());
        return heights[heights.size() / 2];
    };
    EXPECT_LT(height(now) / height(start), thicker) << "heavier halo bodies heat a disc of few bodies, but slowly";
    EXPECT_GT(height(now) / height(start), 0.9);
}

TEST(Galaxies, discStaysThinAndOfItsSize) {
    expectThinDisc(1, 1.35);
    expectThinDisc(2, 1.6);  // arms stir it
}

/// How strongly disc bodies between two radii lie on `arms` arms of any pitch, per ring: 0 none, 1 all on thin arms.
double armsOf(const ParticleSet& bodies, int arms, double inner, double outer) {
    constexpr std::size_t kRings = 5;
    std::complex<double> sums[kRings]{};
    double counts[kRings]{};
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        const Double4& x = bodies.position[i];
        const double r = std::hypot(x.x, x.y);
        if (speciesOf(bodies.group[i]) != Species::disc || r < inner || r >= outer) continue;
        const auto ring = static_cast<std::size_t>((r - inner) / (outer - inner) * kRings);
        sums[ring] += std::polar(1.0, arms * std::atan2(x.y, x.x));
        ++counts[ring];
    }
    double mean = 0;
    for (std::size_t k = 0; k < kRings; ++k) mean += std::abs(sums[k]) / counts[k] / kRings;
    return mean;
}

TEST(Galaxies, armsAreThereAtTheStartAndStay) {
    const ParticleSet start = sceneNamed("galaxy").build({.bodies = 4 * kBodies, .seed = 7});
    EXPECT_GT(armsOf(start, 2, 4, 10), 0.18);
    EXPECT_LT(armsOf(start, 3, 4, 10), 0.09) << "two arms, not three";
    EXPECT_LT(armsOf(sceneNamed("galaxy", 1).build({.bodies = 4 * kBodies, .seed = 7}), 2, 4, 10), 0.06)
        << "none in the first version";
    for (const int arms : {1, 3, 4})
        EXPECT_GT(armsOf(sceneNamed("galaxy").build(
                             {.bodies = 4 * kBodies, .seed = 7, .parameters = {{"arms", static_cast<double>(arms)}}}),
                         arms, 4, 10),
                  0.15)
            << arms;
    EXPECT_GT(armsOf(after("galaxy", 150, 2 * kBodies), 2, 4, 10), 0.12) << "57 Myr later";
}

TEST(Galaxies, armsTrail) {
    // Outer parts of an arm lag behind: with anticlockwise rotation their angle falls outwards.
    const ParticleSet start = sceneNamed("galaxy").build({.bodies = 4 * kBodies, .seed = 7});
    const auto phase = [&](double inner, double outer) {
        std::complex<double> sum = 0;
        double spin = 0;
        for (std::size_t i = 0; i < start.size(); ++i) {
            const Double4 &x = start.position[i], &v = start.velocity[i];
            const double r = std::hypot(x.x, x.y);
            if (speciesOf(start.group[i]) != Species::disc || r < inner || r >= outer) continue;
            sum += std::polar(1.0, 2 * std::atan2(x.y, x.x));
            spin += x.x * v.y - x.y * v.x;
        }
        EXPECT_GT(spin, 0);
        return std::arg(sum) / 2;
    };
    const double lag = std::remainder(phase(6, 7) - phase(7, 8), std::numbers::pi);
    EXPECT_GT(lag, 0.15);
    EXPECT_LT(lag, 0.7) << "a pitch of about 20 degrees";
}

TEST(Galaxies, aColdSphereDoesNotStay) {
    // The comparison itself: bodies at rest must fail it.
    ParticleSet bodies = sceneNamed("hernquist").build({.bodies = 2000, .seed = 7});
    const std::vector<double> before = heldRadii(bodies);
    Simulation simulation({.scene = "hernquist", .bodies = 2000, .seed = 7, .backend = "cpu"});
    for (Double4& v : bodies.velocity) v = {0, 0, 0, 1};
    simulation.load(bodies);
    for (std::int64_t done = 0; done < 128;) done += simulation.advance({.steps = 128 - done}, nullptr).stepsCompleted;
    simulation.snapshot(bodies);
    EXPECT_GT(std::abs(heldRadii(bodies)[1] / before[1] - 1), 0.2);
}

TEST(Galaxies, discHasTheToomreQAskedFor) {
    for (const double wanted : {0.8, 1.2, 2.0}) {
        GalaxyModel model{.toomreQ = wanted};
        const Galaxy galaxy(model, 1000);
        EXPECT_NEAR(galaxy.toomreQ(2 * model.scaleLength), wanted, 0.01 * wanted);
        double least = 1e9;
        for (double r = 1.5 * model.scaleLength; r < 4 * model.scaleLength; r += 0.1)
            least = std::min(least, galaxy.toomreQ(r));
        EXPECT_GT(least, 0.9 * wanted);
    }
}

TEST(Galaxies, rotationIsTheOneOfOurGalaxy) {
    const Galaxy galaxy(GalaxyModel{}, 1000);
    EXPECT_NEAR(galaxy.circularSpeed(8) * kGalacticUnits.speedScale, 230, 15);
}

TEST(Galaxies, approachIsAKeplerOrbit) {
    for (const double eccentricity : {0.5, 1.0, 1.5}) {
        const Approach a = approach(3, 2, eccentricity, 5.5);
        const double r = std::hypot(a.place.x, a.place.y);
        EXPECT_NEAR(r, 5.5, 1e-12);
        EXPECT_LT(a.place.x * a.velocity.x + a.place.y * a.velocity.y, 0) << "it comes closer";
        const double spin = a.place.x * a.velocity.y - a.place.y * a.velocity.x;
        const double speed2 = a.velocity.x * a.velocity.x + a.velocity.y * a.velocity.y;
        EXPECT_NEAR(spin * spin / 3, 2 * (1 + eccentricity), 1e-12);
        EXPECT_NEAR(speed2 / 2 - 3 / r, -3 * (1 - eccentricity) / (2 * 2), 1e-12);
    }
}

TEST(Galaxies, unitsOfGalaxiesFollowFromTheGravitationalConstant) {
    constexpr double kGravity = 4.30091e-6;         // kpc (km/s)^2 / Msun
    constexpr double kMyrPerKpcOverKms = 977.7922;  // one kpc at one km/s
    const double speed = std::sqrt(kGravity * kGalacticUnits.massScale / kGalacticUnits.lengthScale);
    EXPECT_NEAR(kGalacticUnits.speedScale, speed, 1e-3);
    EXPECT_NEAR(kGalacticUnits.timeScale, kMyrPerKpcOverKms / speed, 1e-4);
}

TEST(Galaxies, expansionFollowsTheModel) {
    // Without lumps the ball stays even and its radius grows as t^(2/3).
    Simulation simulation(
        {.scene = "expanding-box", .bodies = 3000, .seed = 7, .parameters = {{"contrast", 0.0}}, .backend = "cpu"});
    for (std::int64_t done = 0; done < 200;) done += simulation.advance({.steps = 200 - done}, nullptr).stepsCompleted;
    ParticleSet bodies = simulation.bodies();
    const double begin = std::numbers::sqrt2 / 3;
    const double wanted = std::pow((begin + simulation.time()) / begin, 2.0 / 3);
    const std::vector<double> radii = heldRadii(bodies);
    EXPECT_NEAR(radii[2] / std::cbrt(0.5), wanted, 0.04 * wanted);
    EXPECT_NEAR(radii[4] / std::cbrt(0.9), wanted, 0.04 * wanted);
}

TEST(Galaxies, parametersChangeTheSceneAndBadOnesAreNamed) {
    const Scene& scene = sceneNamed("antennae");
    EXPECT_FALSE(testing_support::sameState(scene.build({.bodies = 500, .seed = 1}),
                                            scene.build({.bodies = 500, .seed = 1, .parameters = {{"mass-ratio", 0.5}}})));
    const auto refusal = [&](const SceneParameters& parameters) -> std::string {
        try {
            requireParameters(scene, parameters);
        } catch (const UsageError& error) {
            return error.what();
        }
        return {};
    };
    EXPECT_EQ(refusal({{"pericentre", 12}}), "");
    EXPECT_NE(refusal({{"pericenter", 12}}).find("did you mean 'pericentre'"), std::string::npos);
    EXPECT_NE(refusal({{"mass-ratio", -1}}).find("0.1 to 1"), std::string::npos);
    EXPECT_NE(refusal({{"mass-ratio", NAN}}), "");
    EXPECT_THROW(requireParameters(sceneNamed("plummer"), {{"w0", 3}}), UsageError);
}

TEST(Galaxies, changingAParameterStartsAnewAndAnotherSceneForgetsIt) {
    Simulation simulation({.scene = "king", .bodies = 100, .backend = "reference"});
    simulation.advance({.steps = 3}, nullptr);
    RunRequest wanted = simulation.request();
    wanted.parameters["w0"] = 9;
    simulation.apply(wanted);
    EXPECT_EQ(simulation.step(), 0);
    wanted = simulation.request();
    EXPECT_EQ(wanted.parameters.at("w0"), 9);
    wanted.changeScene("plummer");
    simulation.apply(wanted);
    EXPECT_TRUE(simulation.configuration().parameters.empty());
    wanted = simulation.request();
    wanted.parameters["w0"] = 9;
    EXPECT_THROW(simulation.apply(wanted), UsageError);
    EXPECT_EQ(simulation.configuration().scene, "plummer");
}

}  // namespace
}  // namespace gravlab
