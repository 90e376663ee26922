// The statement about a scene's balance when it loads.
#include "app/services/conservation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include "sim/forces/law.h"

#include <cmath>

namespace gravlab {
namespace {

std::vector<VirialState> measureVirial(const ParticleSet& bodies, const ForceSettings& force) {
    VirialCheck check;
    check.begin(bodies, force, true);
    const std::span<const VirialState> found = check.read(true);
    return {found.begin(), found.end()};
}

using testing::HasSubstr;

ParticleSet bodiesOf(const char* scene, std::size_t count, ForceSettings& force) {
    Simulation simulation({.scene = scene, .bodies = count, .backend = "cpu"});
    force = simulation.force();
    return simulation.bodies();
}

TEST(VirialState, aPlummerSphereIsInBalance) {
    ForceSettings force;
    const ParticleSet bodies = bodiesOf("plummer", 4000, force);
    const std::vector<VirialState> found = measureVirial(bodies, force);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_NEAR(found[0].virial, 1, 0.05);
    EXPECT_EQ(found[0].looked, 4000u);
    // Henon units: r_h = 0.77, so sqrt(2 r_h^3) = 0.95.
    EXPECT_NEAR(found[0].halfMassRadius, 0.77, 0.04);
    EXPECT_NEAR(found[0].dynamicalTime, 0.95, 0.08);
    ASSERT_TRUE(found[0].drift);
    EXPECT_LT(std::abs(*found[0].drift), 0.06);
    // The same without softening against the energies of the run: 2T / |W|.
    force.softening = 0;
    EXPECT_NEAR(measureVirial(bodies, force)[0].virial, 2 * measure(bodies, force).virialRatio(), 1e-9);
}

TEST(VirialState, aSampleSaysWhatAllSay) {
    ForceSettings force;
    const ParticleSet bodies = bodiesOf("galaxy", 3 * kSampleOfVirial, force);
    const std::vector<VirialState> found = measureVirial(bodies, force);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_LE(found[0].looked, 2 * kSampleOfVirial);
    const Diagnostics all = measure(bodies, {.softening = 1e-6});
    const VirialState sharp = measureVirial(bodies, {.softening = 1e-6})[0];
    EXPECT_NEAR(sharp.virial, 2 * all.virialRatio(), 0.03);
    EXPECT_NEAR(found[0].virial, 1, 0.06) << "made in balance under its own softening";
    EXPECT_THAT(virialText(found, std::nullopt, kGalacticUnits), HasSubstr("bodies)"));
    // Threads sum parts of more bodies. The mass in one of eight, and much of it in the last body, makes few sources.
    ParticleSet many;
    many.resize(3 * bodies.size());
    for (std::size_t i = 0; i < many.size(); ++i) {
        many.position[i] = packed(xyz(bodies.position[i / 3]), i % 8 == 0 ? 1 : 0);
        many.velocity[i] = bodies.velocity[i / 3];
    }
    many.position.back().w = 0.6 * static_cast<double>(many.size()) / 8;
    const VirialState still = measureVirial(many, force).at(0);
    for (Double4& v : many.velocity) v.x += 5;
    const VirialState moving = measureVirial(many, force).at(0);
    EXPECT_NEAR(moving.virial, still.virial, 1e-6 * still.virial);
    EXPECT_EQ(moving.looked, still.looked);
}

TEST(VirialState, whatItExpectsIsWhatComes) {
    // Smaller velocities: T = 0.5 of balance, so r -> r / 1.5, and smaller during the oscillation.
    ForceSettings force;
    ParticleSet bodies = bodiesOf("plummer", 2000, force);
    for (Double4& v : bodies.velocity) v = {v.x * std::sqrt(0.5), v.y * std::sqrt(0.5), v.z * std::sqrt(0.5), v.w};
    const VirialState cold = measureVirial(bodies, force)[0];
    ASSERT_TRUE(cold.drift);
    EXPECT_NEAR(*cold.drift, -1 / 3.0, 0.03);
    for (Double4& v : bodies.velocity) v = {v.x * 2, v.y * 2, v.z * 2, v.w};
    EXPECT_FALSE(measureVirial(bodies, force)[0].drift) << "2T = 2|W|: not bound";
    EXPECT_THAT(virialText(measureVirial(bodies, force), std::nullopt, {}), HasSubstr("not bound"));
    Simulation simulation({.scene = "cold-collapse", .bodies = 1500, .backend = "cpu"});
    std::vector<ConservationPoint> points;
    const auto note = [&] {
        ParticleSet now = simulation.bodies();
        ConservationPoint point{.time = simulation.time()};
        point.shape.lagrangianRadii = lagrangianRadii(now);
        points.push_back(point);
    };
    note();
    ParticleSet start = simulation.bodies();
    const std::vector<VirialState> found = measureVirial(start, simulation.force());
    ASSERT_EQ(found.size(), 1u);
    EXPECT_LT(found[0].virial, 0.3);
    EXPECT_LT(*found[0].drift, -0.35);
    EXPECT_FALSE(measuredDrift(found, points)) << "a dynamical time has not passed";
    while (simulation.time() < found[0].dynamicalTime) simulation.advance({.steps = 10}, nullptr);
    note();
    ASSERT_TRUE(measuredDrift(found, points));
    EXPECT_LT(*measuredDrift(found, points), -0.15);
    EXPECT_THAT(virialText(found, measuredDrift(found, points), {}), HasSubstr("measured -"));
}

TEST(VirialState, takesGalaxiesOnTheirWayOneByOne) {
    ForceSettings force;
    const ParticleSet bodies = bodiesOf("andromeda", 4000, force);
    const std::vector<VirialState> found = measureVirial(bodies, force);
    ASSERT_EQ(found.size(), 2u);
    for (const VirialState& galaxy : found) EXPECT_NEAR(galaxy.virial, 1, 0.15);
    EXPECT_THAT(virialText(found, std::nullopt, kGalacticUnits), HasSubstr("each galaxy alone"));
}

TEST(VirialState, bodiesAboutAStarAreBoundToIt) {
    ForceSettings force;
    const ParticleSet belt = bodiesOf("planetesimals", 500, force);
    const std::vector<VirialState> found = measureVirial(belt, force);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].bodies, 500u) << "the Sun is one of them";
    EXPECT_NEAR(found[0].virial, 1, 0.02);
    EXPECT_EQ(virialText(found, {}, {}).find("flies apart"), std::string::npos) << virialText(found, {}, {});
}

TEST(VirialState, saysOnlyWhatItKnows) {
    ForceSettings force;
    const ParticleSet few = bodiesOf("six-body", 6, force);
    EXPECT_TRUE(measureVirial(few, force).empty()) << "six bodies have no balance to keep";
    const ParticleSet light = bodiesOf("kepler-disc", 1000, force);
    EXPECT_TRUE(measureVirial(light, force).empty()) << "massless bodies are not bound to each other";
    ParticleSet sphere = bodiesOf("plummer", 500, force);
    EXPECT_FALSE(measureVirial(sphere, force).empty());
    EXPECT_TRUE(measureVirial(sphere, {.law = kLaw<Coulomb>}).empty());
    sphere.velocity[3].x = NAN;
    EXPECT_TRUE(measureVirial(sphere, force).empty());
    EXPECT_EQ(virialText({}, 0.1, {}), "");
}

TEST(VirialCheck, measuresWhenAskedAndForgetsWithTheRun) {
    ForceSettings force;
    VirialCheck balance;
    EXPECT_TRUE(balance.read(true).empty());
    balance.begin(bodiesOf("plummer", 500, force), force, true);
    EXPECT_FALSE(balance.busy()) << "nobody has asked";
    ASSERT_EQ(balance.read(true).size(), 1u);
    balance.begin(bodiesOf("cold-collapse", 500, force), force, true);
    balance.read(false);
    balance.begin(bodiesOf("plummer", 500, force), force, true);  // while the first check is still running
    std::span<const VirialState> found;
    for (int i = 0; i < 3 && found.empty(); ++i) found = balance.read(true);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_GT(found[0].virial, 0.8) << "what it said is of bodies that are gone";
    balance.begin(bodiesOf("plummer", 500, force), force, false);
    EXPECT_TRUE(balance.read(true).empty()) << "other forces balance the motion, too";
}

}  // namespace
}  // namespace gravlab
