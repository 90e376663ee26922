// A run uses single precision unless its result would be wrong.
#include "sim/forces/single_precision.h"
#include "sim/api/errors.h"
#include "sim/backends/pair_units.h"
#include "sim/core/random.h"
#include "sim/forces/fields/field_text.h"
#include "sim/forces/fields/post_newtonian.h"
#include "sim/forces/law.h"
#include "sim/forces/precision.h"
#include "sim/io/checkpoint.h"
#include "sim/run/simulation.h"
#include "sim/scenes/scene.h"
#include "tests/far_unit_suite.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <iterator>

namespace gravlab {
namespace {

using testing_support::ball;
using testing_support::FarUnit;
using testing_support::FarUnitsOf;
using testing_support::FarUnitSuite;
using testing_support::kFarUnits;
using testing_support::startOf;

TEST(SinglePrecision, carriesEveryScene) {
    for (const Scene& scene : sceneTable())
        for (const std::size_t bodies : {std::size_t{300}, std::size_t{900}})
            for (const double softening : {scene.softening, 0.0}) {
                // Neighbours on a ring pull in opposite directions: without softening little more than their rounding
                // remains.
                if (scene.name == "ngon" && softening == 0) continue;
                const std::size_t count = scene.fixedBodies > 0 ? scene.fixedBodies : bodies;
                const ParticleSet start = scene.build({.bodies = count, .seed = 1, .parameters = {}});
                const ForceSettings force{.law = scene.law,
                                          .softening = softening,
                                          .exponent = scene.exponent,
                                          .strength = scene.strength,
                                          .diameter = scene.diameter,
                                          .cutOff = scene.cutOff};
                const SceneRequest request{.bodies = start.size(), .seed = 1, .parameters = {}};
                const ForceTerms others = scene.terms ? scene.terms(request, start) : ForceTerms();
                // Its terms beside the pair law are post-newtonian, and its few bodies run in double precision.
                if (!others.empty() && others.front()->kind() == PostNewtonian::kKind) continue;
                const std::string why = beyondSinglePrecision(start, force, others, scene.timeStep);
                EXPECT_EQ(why, "") << scene.name << ", " << count << " bodies, softening " << softening;
            }
}

TEST(SinglePrecision, isJudgedBySomeOfManyBodies) {
    for (const Scene& scene : sceneTable()) {
        if (!scene.made) continue;
        const auto bodies = scene.made({.bodies = 4000, .seed = 2});
        const ForceSettings force{.softening = scene.softening};
        EXPECT_EQ(beyondSinglePrecision(*bodies, force, scene.timeStep, 700), "") << scene.name;
        EXPECT_THAT(beyondSinglePrecision(*bodies, force, 1e-9, 700), testing::HasSubstr("a time step of 1e-09 moves body"))
            << scene.name;
        // Without softening the pairs of all are searched.
        EXPECT_EQ(beyondSinglePrecision(*bodies, {}, 1e-9, 700), beyondSinglePrecision(bodies->whole(), {}, {}, 1e-9));
    }
}

struct PreciseStart {
    const char* name;
    ParticleSet bodies;
    double softening;
    bool carried;
};

TEST(SinglePrecision, endsWhereItsNumbersEnd) {
    ParticleSet fast = ball(1, 1);
    fast.velocity[7].x = 1e39;
    ParticleSet binary = ball(1, 1);
    binary.position[1] = binary.position[0];
    binary.position[1].x += 1e-9;
    const PreciseStart starts[] = {
        {"usual", ball(1, 1), 0, true},
        {"usual, softened", ball(1, 1), 0.01, true},
        {"a galaxy of solar masses and parsecs", ball(1e4, 1e8), 1, true},
        {"an asteroid belt in centimetres", ball(3e14, 1e26), 0, false},
        {"a cluster in metres", ball(3.1e16, 1.3e23), 0, false},
        {"the same, softened", ball(3.1e16, 1.3e23), 1e14, false},
        {"atoms in metres", ball(1e-10, 1e-30), 0, false},
        {"below the floor", ball(1e-13, 1), 0, false},
        {"masses below its numbers", ball(1, 1e-42), 0, false},
        {"masses above its numbers", ball(1, 1e43), 0, false},
        {"a speed above its numbers", fast, 0, false},
        {"far from the origin", ball(10, 1, 1e9), 0.1, false},
        {"a thousand times its size away", ball(10, 1, 1e4), 0.1, false},
        {"two places that become one", binary, 0, false},
        {"two that softening hides", binary, 0.01, true},
        {"the same place twice", testing_support::unevenBodies(500), 0, true},
    };
    for (const PreciseStart& start : starts) {
        const std::string why = beyondSinglePrecision(start.bodies, {.softening = start.softening});
        EXPECT_EQ(why.empty(), start.carried) << start.name << ": " << why;
    }
}

TEST(SinglePrecision, aStartBeyondItRunsInDoubleOrIsRefused) {
    for (const FarUnit& unit : kFarUnits) {
        const double time = std::sqrt(unit.length * unit.length * unit.length / unit.mass);
        RunRequest request = startOf(ball(unit.length, unit.mass, 0, 500), 0.02 * unit.length, 0.02 * time);
        Simulation chosen(request);
        EXPECT_EQ(chosen.force().precision, Precision::fp64) << unit.name;
        EXPECT_THAT(chosen.backendWhy(), testing::HasSubstr("in double precision, because")) << unit.name;
        RunRequest other = request;
        other.timeStep = 0.01 * time;
        chosen.apply(other);
        EXPECT_EQ(chosen.force().precision, Precision::fp64) << "a change of something else";
        other.precision = Precision::fp32;
        EXPECT_THROW(chosen.apply(other), UsageError) << unit.name;
        EXPECT_EQ(chosen.force().precision, Precision::fp64) << "the old run goes on";
        request.precision = Precision::fp32;
        EXPECT_THROW(Simulation{request}, UsageError) << unit.name;
    }
    RunRequest usual{.scene = "plummer", .bodies = 500, .backend = "cpu"};
    EXPECT_EQ(Simulation(usual).force().precision, Precision::fp32) << "and nowhere else";
}

const FarUnitsOf kCpuFar{.backend = "cpu",
                         .rows = {"simd", "symmetric-threads", "naive", "tree"},
                         .compared = 3000,
                         .alike = 400,
                         .inRun = 500,
                         .underLaws = 300};
INSTANTIATE_TEST_SUITE_P(Cpu, FarUnitSuite, testing::Values(kCpuFar), testing_support::nameOfBackend<FarUnitsOf>);

TEST(SinglePrecision, unitsOfPairsChangeNoBit) {
    // Powers of two: a system and its copy in lengths of 2^40 have the same rounding, in any units.
    const auto run = [](double length) {
        RunRequest request = startOf(ball(length, 1, 0, 400), 0.05 * length, 0.01 * std::pow(length, 1.5));
        request.precision = Precision::mixed;
        Simulation simulation(request);
        simulation.advance({.steps = 5}, nullptr);
        return simulation.state().bodies.position;
    };
    const std::vector<Double4> near = run(1), far = run(0x1p40);
    for (std::size_t i = 0; i < near.size(); ++i) EXPECT_EQ(far[i].x, near[i].x * 0x1p40) << i;
}

TEST(PairUnits, areOneInTheUsualRangeAndPowersOfTwoBeyond) {
    for (const double length : {1e-4, 1.0, 1e4, 1e9}) EXPECT_EQ(pairUnits(length, 1e-3 * length, {}), PairUnits()) << length;
    for (const FarUnit& unit : kFarUnits) {
        const PairUnits units = pairUnits(unit.length, unit.mass, {});
        EXPECT_NE(units, PairUnits()) << unit.name;
        for (const auto& [value, in] : {std::pair{units.length, unit.length}, {units.source, unit.mass}}) {
            EXPECT_EQ(std::ldexp(1.0, std::ilogb(value)), value) << unit.name;
            EXPECT_TRUE(in / value >= 1 && in / value < 2) << unit.name;
        }
    }
    EXPECT_EQ(pairUnits(1e16, 1e30, {.law = kLaw<LennardJones>}), PairUnits()) << "it has a length of its own";
    EXPECT_EQ(accelerationUnit({}, {.softening = 0.1}), 1) << "nothing is multiplied in the usual range";
}

TEST(PairUnits, forcesOfBodiesInThemAreTheStates) {
    for (const FarUnit& unit : kFarUnits)
        for (const auto& [law, exponent] : {std::pair{Law::gravity, 2.0}, {kLaw<PowerLaw>, 1.0}, {kLaw<PowerLaw>, 2.5}}) {
            const ForceSettings force{.law = law, .softening = 0.02 * unit.length, .exponent = exponent};
            const ParticleSet bodies = ball(unit.length, unit.mass, 0, 50);
            const PairUnits units = pairUnits(unit.length, bodies.position[0].w, force);
            ParticleSet inUnits = bodies;
            for (Double4& p : inUnits.position)
                p = {p.x / units.length, p.y / units.length, p.z / units.length, p.w / units.source};
            const ForceRequest request = requestIn(units, {.settings = force}, bodies.position[0].w);
            const std::vector<std::uint32_t> targets{0, 7, 49};
            std::vector<Double4> want(3), got(3);
            referenceForces(bodies.position, bodies.velocity, targets, force, want);
            referenceForces(inUnits.position, inUnits.velocity, targets, request.settings, got);
            const double back = accelerationUnit(units, force);
            for (std::size_t k = 0; k < 3; ++k)
                EXPECT_LE(length(back * xyz(got[k]) - xyz(want[k])), 1e-13 * length(xyz(want[k])))
                    << unit.name << ", exponent " << exponent;
            EXPECT_LE(request.smallestR2, 1e-20) << "near 1 the floor of single precision is enough";
        }
    EXPECT_GT(requestIn({}, {}, 1e12).smallestR2, 1e-20) << "a heavy body meets itself";
}

TEST(PairUnits, goWithTheStateThatTheyBelongTo) {
    const std::vector<StateArray> lengths{{"lengths", {1, 2, 3}}};
    const PairUnits far{0x1p54, 0x1p76};
    for (const PairUnits& units : {PairUnits(), far}) {
        std::vector<StateArray> kept = withUnits(lengths, units);
        EXPECT_EQ(kept.size(), units == far ? 2u : 1u);
        EXPECT_EQ(takeUnits(kept), units);
        EXPECT_EQ(kept, lengths);
    }
    EXPECT_TRUE(withUnits({}, far).empty()) << "what keeps no state chooses anew";
    for (const std::vector<double>& bad : {std::vector<double>{3, 4}, {0x1p54}, {-1, 1}, {0, 1}}) {
        std::vector<StateArray> kept = lengths;
        kept.push_back({"units", bad});
        EXPECT_EQ(takeUnits(kept), std::nullopt);
    }
}

TEST(SinglePrecision, aChangeBeyondItGoesOnInDoubleOrIsRefused) {
    const auto changed = [](RunRequest request, const std::function<void(RunRequest&)>& change) {
        change(request);
        return request;
    };
    const std::pair<const char*, std::function<void(RunRequest&)>> changes[] = {
        {"softening", [](RunRequest& r) { r.softening = 1e17; }},
        {"a law", [](RunRequest& r) { r.law = kLaw<PowerLaw>, r.lawNumbers.exponent = 12; }},
    };
    for (const auto& [name, change] : changes)
        for (const std::optional<Precision> asked : {std::optional<Precision>(), {Precision::fp32}, {Precision::mixed}}) {
            RunRequest request = startOf(ball(1e5, 1e9, 0, 500), 2e3, 10);
            request.precision = asked;
            Simulation simulation(request);
            ASSERT_NE(simulation.force().precision, Precision::fp64);
            simulation.advance({.steps = 1}, nullptr);
            const double softening = simulation.force().softening;
            if (asked) {
                EXPECT_THROW(simulation.apply(changed(request, change)), UsageError) << name;
                EXPECT_EQ(simulation.force().precision, *asked) << name;
                EXPECT_EQ(simulation.force().softening, softening) << "the old run goes on";
            } else {
                simulation.apply(changed(request, change));
                EXPECT_EQ(simulation.force().precision, Precision::fp64) << name;
                EXPECT_THAT(simulation.backendWhy(), testing::HasSubstr("in double precision, because")) << name;
            }
            simulation.advance({.steps = 1}, nullptr);
            EXPECT_EQ(simulation.step(), 2);
        }
}

TEST(SinglePrecision, bodiesBeyondItGoOnInDoubleOrAreRefused) {
    for (const std::optional<Precision> asked : {std::optional<Precision>(), {Precision::fp32}, {Precision::mixed}}) {
        RunRequest request = startOf(ball(1, 1, 0, 500), 0, 0.01);
        request.precision = asked;
        Simulation simulation(request);
        simulation.advance({.steps = 1}, nullptr);
        const RunState kept = simulation.state();
        simulation.load(ball(2, 1, 0, 500));
        EXPECT_NE(simulation.force().precision, Precision::fp64) << "an edit that changes little";
        const ParticleSet far = ball(1e16, 1e20, 0, 501);
        if (asked == Precision::fp32) {
            EXPECT_THROW(simulation.load(far), UsageError);
            EXPECT_EQ(simulation.configuration().bodies, 500u);
        } else {
            simulation.load(far);
            EXPECT_EQ(simulation.force().precision, asked.value_or(Precision::fp64));
            EXPECT_EQ(simulation.configuration().bodies, 501u);
        }
        simulation.advance({.steps = 1}, nullptr);
        simulation.backend().wait();
        ASSERT_TRUE(simulation.forceCheck());
        EXPECT_TRUE(simulation.forceCheck()->passed);
        simulation.restore(kept);
        EXPECT_EQ(simulation.configuration().bodies, 500u) << "a state gone back to is not judged";
    }
}

TEST(SinglePrecision, aSliderThatIsDraggedEndsWhereItsNumbersEnd) {
    RunRequest request = startOf(ball(1, 1, 0, 500), 0.02, 0.01);
    request.precision = Precision::fp32;
    Simulation simulation(request);
    double last = 0.02;
    EXPECT_THROW(
        for (double softening = 0.02; softening < 1e16; softening *= 1.3) {
            request.softening = softening;
            simulation.apply(request);
            last = softening;
            EXPECT_EQ(beyondSinglePrecision(ball(1, 1, 0, 500), simulation.force()), "") << softening;
        },
        UsageError);
    EXPECT_EQ(simulation.force().softening, last);
    for (double softening = last; softening > 1e-3; softening /= 1.7) {
        request.softening = softening;
        simulation.apply(request);
    }
}

TEST(SinglePrecision, aRunThatGoesOnStaysWhatItWas) {
    // During a run two bodies may have come so close that single precision cannot separate them.
    RunRequest request{.scene = "plummer", .bodies = 300, .backend = "cpu"};
    Simulation simulation(request);
    simulation.advance({.steps = 2}, nullptr);
    Snapshot snapshot = checkpointOf(simulation);
    snapshot.softening = 0;
    for (int axis = 0; axis < 1; ++axis) snapshot.bodies.position[0].x = 1e15;
    const RunRequest on = startFrom(std::move(snapshot), "x.hdf5").request;
    EXPECT_EQ(Simulation(on).force().precision, Precision::fp32);
}

/// A Plummer sphere of mass 1 and scale radius 1 at rest.
ParticleSet sphere(std::size_t count, std::uint64_t seed = 1) {
    std::vector<Double4> positions(count), velocities(count);
    for (std::size_t i = 0; i < count; ++i) {
        Random random(seed, i);
        const double radius = 1 / std::sqrt(std::pow(random.uniform(0.01, 0.95), -2.0 / 3) - 1);
        const double z = random.uniform(-1, 1), angle = random.uniform(0, 6.283185307179586), flat = std::sqrt(1 - z * z);
        positions[i] = {radius * flat * std::cos(angle), radius * flat * std::sin(angle), radius * z,
                        1 / static_cast<double>(count)};
    }
    return testing_support::bodiesOf(positions, velocities);
}

void placeBeside(ParticleSet& bodies, std::size_t body, std::size_t other, const Vec3d& offset) {
    bodies.position[body] = packed(xyz(bodies.position[other]) + offset, bodies.position[body].w);
}

Vec3d direction(std::uint64_t seed, std::size_t i, double length) {
    Random random(seed, i);
    const Vec3d v{random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)};
    return length / exactLength(v) * v;
}

TEST(SinglePrecision, findsTheFewPairsOfALargeCluster) {
    ParticleSet suns = sphere(2002);
    suns.position[2000] = {4, 0, 0, suns.position[0].w};
    suns.position[2001] = {4 + 5 * 4.84814e-6, 0, 0, suns.position[0].w};

    ParticleSet onePair = sphere(3002);
    onePair.position[3000] = {1, 0, 0, 3e-4};
    onePair.position[3001] = {1.000001, 0.000001, 0, 3e-4};

    ParticleSet manyPairs = sphere(100000, 3);
    for (std::size_t i = 1; i < 100000; i += 40) placeBeside(manyPairs, i, i + 7, direction(9, i, 1e-6));

    ParticleSet inABall = ball(1, 1, 0, 9000);
    placeBeside(inABall, 4321, 1234, direction(1, 2, 1e-7));

    ParticleSet far = ball(1, 1, 0, 9000);
    for (std::size_t i = 3; i < 9000; i += 100) far.position[i].x += 3e4;

    // A massless body is closer to each of two suns than the other sun.
    ParticleSet dust = onePair;
    dust.position[5] = {1 + 1e-8, 0, 0, 0};
    dust.position[6] = {1.000001, 0.000001 + 1e-8, 0, 0};

    ParticleSet charges = inABall;
    for (std::size_t i = 0; i < 9000; ++i) charges.position[i].w *= i % 2 == 0 ? 1 : -1;

    // Softening that exceeds their distance, and masses that compensate for it.
    ParticleSet heavy = sphere(3000);
    heavy.position[7].w = heavy.position[8].w = 0.5;
    placeBeside(heavy, 8, 7, {1e-6, 2e-6, 0});

    struct Case {
        const char* name;
        const ParticleSet& bodies;
        ForceSettings force;
    };
    const Case cases[] = {{"a binary of suns", suns, {}},
                          {"a pair in 3,000", onePair, {}},
                          {"a tenth in pairs", manyPairs, {}},
                          {"a pair in a ball", inABall, {}},
                          {"a hundredth far away", far, {}},
                          {"bodies of no mass between", dust, {}},
                          {"charges", charges, {.law = kLaw<Coulomb>}},
                          {"a steep law", inABall, {.law = kLaw<PowerLaw>, .exponent = 5}},
                          {"heavy bodies within the softening", heavy, {.softening = 1e-3}}};
    for (const Case& one : cases) {
        EXPECT_NE(beyondSinglePrecision(one.bodies, one.force), "") << one.name;
        ForceSettings mixed = one.force;
        mixed.precision = Precision::mixed;
        EXPECT_NE(beyondSinglePrecision(one.bodies, mixed), "") << one.name;
        RunRequest request = startOf(one.bodies, one.force.softening, 1e-9);
        request.law = one.force.law, request.lawNumbers.exponent = one.force.exponent;
        request.precision = Precision::fp32;
        EXPECT_THROW(Simulation{request}, UsageError) << one.name;
    }
    EXPECT_THAT(beyondSinglePrecision(onePair, {}),
                testing::AllOf(testing::HasSubstr("body 3000"), testing::HasSubstr("body 3001")));
}

TEST(SinglePrecision, oneBodyFarOutIsTheReason) {
    for (const double far : {1e19, 1e22, 1e35}) {
        ParticleSet bodies = sphere(1000);
        bodies.position[7].x = far;
        EXPECT_THAT(beyondSinglePrecision(bodies, {.softening = 0.01}), testing::HasSubstr("lengths of")) << far;
        RunRequest request = startOf(bodies, 0.01, 1e-3);
        Simulation simulation(request);
        EXPECT_EQ(simulation.force().precision, Precision::fp64);
        simulation.advance({.steps = 2}, nullptr);
        for (const Double4& at : simulation.state().bodies.position) ASSERT_TRUE(std::isfinite(at.x + at.y + at.z)) << far;
        request.precision = Precision::fp32;
        EXPECT_THROW(Simulation{request}, UsageError) << far;
    }
}

TEST(SinglePrecision, closePairsThatItCarriesDoNotMatter) {
    ParticleSet wide = sphere(3002), light = sphere(3002), same = sphere(3002);
    placeBeside(wide, 3000, 7, {1e-4, 2e-4, 0});
    placeBeside(light, 3000, 7, {1e-7, 0, 0});
    light.position[7].w = light.position[3000].w = 1e-12;
    for (std::size_t i = 0; i < 1500; ++i) same.position[i] = same.position[1];
    EXPECT_EQ(beyondSinglePrecision(wide, {}), "");
    EXPECT_NE(beyondSinglePrecision(light, {}), "") << "even so their own pull is the larger one";
    EXPECT_EQ(beyondSinglePrecision(light, {.softening = 1e-3}), "");
    EXPECT_EQ(beyondSinglePrecision(same, {}), "") << "bodies at one place have no force on each other";
    for (std::size_t i = 1; i < 3000; i += 40) placeBeside(light, i, i - 1, direction(5, i, 1e-5));
    EXPECT_EQ(beyondSinglePrecision(light, {.softening = 0.01}), "") << "softening hides pairs of light bodies";
}

/// Bodies without mass on circles of that radius about a point mass of 1 at `centre`, which moves at `speed`.
ParticleSet ringAbout(double centre, double radius, double speed = 0) {
    std::vector<Double4> positions(300), velocities(300);
    for (std::size_t i = 0; i < 300; ++i) {
        const double c = std::cos(0.0207 * static_cast<double>(i)), s = std::sin(0.0207 * static_cast<double>(i));
        positions[i] = {centre + radius * c, radius * s, 0, 0};
        velocities[i] = {-s / std::sqrt(radius), speed + c / std::sqrt(radius), 0, 1};
    }
    return testing_support::bodiesOf(positions, velocities);
}

TEST(SinglePrecision, knowsTheFieldsAboutWhoseCentresBodiesMove) {
    struct Case {
        double centre, radius, speed, timeStep;
        bool carried;
    };
    const Case cases[] = {{0, 1e-3, 0, 1e-6, true},  {1000, 1e-3, 0, 1e-6, false}, {1e4, 0.01, 0, 1e-4, false},
                          {1000, 10, 0, 0.1, true},  {0, 0.01, 1000, 3e-5, false}, {0, 0.01, 1e-3, 3e-5, true},
                          {10, 1e-4, 0, 3e-8, false}};
    for (const Case& one : cases) {
        const ParticleSet bodies = ringAbout(one.centre, one.radius, one.speed);
        const std::string field = "point,mass=1,x=" + std::to_string(one.centre) + ",vy=" + std::to_string(one.speed);
        const ForceTerms terms = fieldTerms(parsedFields(field), bodies);
        ForceSettings force;
        EXPECT_EQ(beyondSinglePrecision(bodies, force, terms, one.timeStep).empty(), one.carried)
            << field << ", radius " << one.radius << ": " << beyondSinglePrecision(bodies, force, terms, one.timeStep);
        force.precision = Precision::mixed;
        EXPECT_EQ(beyondSinglePrecision(bodies, force, terms, one.timeStep), "") << "its places are in double: " << field;
        RunRequest request = startOf(bodies, 0, one.timeStep);
        request.fields = field;
        EXPECT_EQ(Simulation(request).force().precision, one.carried ? Precision::fp32 : Precision::fp64) << field;
        request.precision = Precision::fp32;
        if (!one.carried) {
            EXPECT_THROW(Simulation{request}, UsageError) << field;
        }
    }
    // One body near the centre, among others that single precision carries.
    ParticleSet bodies = sphere(2000);
    bodies.position[1234] = {50.01, 0, 0, 0};
    const ForceTerms terms = fieldTerms(parsedFields("point,mass=1000,x=50;uniform,ax=0.1"), bodies);
    EXPECT_EQ(beyondSinglePrecision(bodies, {.softening = 0.01}, terms, 0.01), "");
    bodies.position[1234].x = 50.00001;
    EXPECT_THAT(beyondSinglePrecision(bodies, {.softening = 0.01}, terms, 0.01), testing::HasSubstr("body 1234"));
}

TEST(SinglePrecision, knowsStepsBelowTheRoundingOfACoordinate) {
    ParticleSet comets = ringAbout(0, 1);
    comets.position[0] = {0, 0, 0, 1}, comets.velocity[0] = {0, 0, 0, 1};
    EXPECT_EQ(beyondSinglePrecision(comets, {}, {}, 1e-4), "");
    for (std::size_t i = 1; i < 300; ++i) {
        comets.position[i] = {1e4 + static_cast<double>(i), 0, 0, 0};
        comets.velocity[i] = {0, 0.01, 0, 1};
    }
    EXPECT_EQ(beyondSinglePrecision(comets, {}, {}, 10), "");
    EXPECT_THAT(beyondSinglePrecision(comets, {}, {}, 0.01), testing::HasSubstr("time step of 0.01"));
    EXPECT_NE(beyondSinglePrecision(comets, {}, {}, -0.01), "") << "backwards";
    for (std::size_t i = 1; i < 300; ++i) comets.velocity[i].y = 0;
    EXPECT_NE(beyondSinglePrecision(comets, {}, {}, 0.01), "") << "at rest, and never set in motion";
    EXPECT_EQ(beyondSinglePrecision(sphere(70000), {.softening = 0.01}, {}, 1e-3), "") << "at rest, and soon in motion";

    RunRequest request = startOf(ringAbout(0, 1), 0.01, 0.01);
    request.fields = "point,mass=1";
    Simulation chosen(request);
    ASSERT_EQ(chosen.force().precision, Precision::fp32);
    request.timeStep = 1e-3;
    chosen.apply(request);
    EXPECT_EQ(chosen.force().precision, Precision::fp32);
    RunRequest asked = request;
    asked.precision = Precision::fp32;
    Simulation fixed(asked);
    for (RunRequest* one : {&request, &asked}) one->timeStep = 1e-7;
    chosen.apply(request);
    EXPECT_EQ(chosen.force().precision, Precision::fp64) << "a time step that changes is judged";
    EXPECT_THROW(fixed.apply(asked), UsageError);
    EXPECT_EQ(fixed.configuration().timeStep, 1e-3) << "the old run goes on";
}

TEST(SinglePrecision, sumsTheForcesOfAllPartsOfALargeStart) {
    // Only the last body has mass, and its pull turns the others: their steps are below the rounding of a coordinate, which
    // does not matter on an orbit.
    constexpr std::size_t kBodies = 300'000;
    ParticleSet bodies = ball(1, 1, 0, kBodies);
    for (std::size_t i = 0; i + 1 < kBodies; ++i) bodies.position[i].w = 0;
    for (Double4& v : bodies.velocity) v = {1e-3, 0, 0, 1};
    bodies.position.back() = {0, 0, 0, 1};
    const ForceSettings force{.softening = 0.5};
    const double timeStep = 2e-6;
    EXPECT_EQ(beyondSinglePrecision(bodies, force, {}, timeStep), "");
    bodies.position.back().w = 1e-12;
    EXPECT_THAT(beyondSinglePrecision(bodies, force, {}, timeStep), testing::HasSubstr("a time step of 2e-06 moves body"));
}

TEST(SinglePrecision, knowsThatPostNewtonianTermsAreBelowItsRounding) {
    RunRequest request = startOf(sphere(300), 0, 1e-3);
    request.fields = "post-newtonian,c=10000";
    request.integrator = "rk4";
    EXPECT_EQ(Simulation(request).force().precision, Precision::fp64);
    for (const Precision precision : {Precision::fp32, Precision::mixed}) {
        request.precision = precision;
        EXPECT_THROW(Simulation{request}, UsageError);
    }
}

TEST(SinglePrecision, aLargeStartIsJudgedByASample) {
    EXPECT_EQ(beyondSinglePrecision(ball(1, 1, 0, 200000), {.softening = 0.01}), "");
    EXPECT_NE(beyondSinglePrecision(ball(1e15, 1, 0, 200000), {.softening = 1e13}), "");
}

// The one table that spells precisions.

namespace fs = std::filesystem;

TEST(Precisions, haveOneNameEachThereAndBack) {
    ASSERT_EQ(precisions().size(), 3u);
    for (const PrecisionRow& row : precisions()) {
        EXPECT_EQ(nameOf(row.precision), row.name);
        EXPECT_EQ(precision(row.name).precision, row.precision);
        EXPECT_EQ(findPrecision(row.name), &row);
        EXPECT_FALSE(row.idea.empty());
    }
    EXPECT_EQ(nameOf(Precision::mixed), "mixed");
    EXPECT_EQ(findPrecision("fp16"), nullptr);
    EXPECT_EQ(precisionNames(), "fp32, mixed or fp64");
    EXPECT_EQ(precisionNames("'"), "'fp32', 'mixed' or 'fp64'");
    try {
        precision("mixd");
        ADD_FAILURE() << "there is no such precision";
    } catch (const UsageError& error) {
        EXPECT_STREQ(error.what(), "unknown precision 'mixd'; did you mean 'mixed'? valid: fp32, mixed, fp64");
    }
}

}  // namespace
}  // namespace gravlab
