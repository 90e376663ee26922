// Outer fields, drags and relativity against what is known of them: quadratures of orbits, Chandrasekhar's sinking, Mercury
// and S2. Formulas here are written a second time, beside those of the program.
#include "sim/backends/backend.h"
#include "sim/core/body_edit.h"
#include "sim/forces/fields/field_text.h"
#include "sim/forces/fields/post_newtonian.h"
#include "sim/measure/diagnostics.h"
#include "sim/run/simulation.h"
#include "sim/scenes/scene.h"
#include "tests/bodies.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <numbers>
#include <string>
#include <tuple>
#include <vector>

namespace gravlab {
namespace {

constexpr double kHalfTurn = std::numbers::pi;

constexpr ForceSettings kExactForce{.precision = Precision::fp64};

/// A backend with one body of mass `mass`, or the given bodies, under these fields.
std::unique_ptr<Backend> under(std::string_view fields, const ParticleSet& bodies, const char* name = "reference") {
    std::unique_ptr<Backend> made = backend(name).make({});
    made->load(bodies, termsOf(kExactForce, fieldTerms(parsedFields(fields), bodies)), {});
    return made;
}

ParticleSet oneBody(const Vec3d& x, const Vec3d& v, double mass = 1) {
    return testing_support::bodiesOf({packed(x, mass)}, {packed(v, 1)});
}

void runOuter(Backend& backend, std::string_view method, double timeStep, std::int64_t steps) {
    testing_support::advanceBy(backend, integrator(method).program, timeStep, steps);
}

/// Moves the first body to where x . v = 0 next to its present place, relative to body `about` or the origin; returns the
/// time taken.
double toApsis(Backend& backend, std::size_t body, int about) {
    double taken = 0;
    for (int round = 0; round < 8; ++round) {
        const ParticleSet now = testing_support::stateOf(backend);
        std::vector<Double4> a;
        backend.accelerations(a);
        Vec3d x = xyz(now.position[body]), v = xyz(now.velocity[body]), pull = xyz(a[body]);
        if (about >= 0) {
            x -= xyz(now.position[static_cast<std::size_t>(about)]);
            v -= xyz(now.velocity[static_cast<std::size_t>(about)]);
            pull -= xyz(a[static_cast<std::size_t>(about)]);
        }
        const double step = -dot(x, v) / (dot(v, v) + dot(x, pull));
        if (std::abs(step) < 1e-14) break;
        runOuter(backend, "radau15", step, 1);
        taken += step;
    }
    return taken;
}

/// A field in which orbits in the plane z = 0 depend on the radius alone, with its potential.
struct PlaneField {
    const char* text;
    std::function<double(double)> potential;
};

TEST(OuterFields, orbitsTurnAsTheQuadratureSays) {
    const double halo = std::log(11.0) - 10 / 11.0;
    const PlaneField fields[] = {
        {"point,mass=1.5,softening=0.3", [](double r) { return -1.5 / std::sqrt(r * r + 0.09); }},
        {"harmonic,frequency=0.8", [](double r) { return 0.32 * r * r; }},
        {"hernquist,mass=2,scale=0.7", [](double r) { return -2 / (r + 0.7); }},
        {"nfw,mass=3,scale=0.4", [=](double r) { return -3 / halo * std::log(1 + r / 0.4) / r; }},
        {"miyamoto-nagai,mass=2,scale=0.5,height=0.2", [](double r) { return -2 / std::sqrt(r * r + 0.49); }},
        {"logarithmic,speed=1.1,core=0.2,flattening=0.8", [](double r) { return 0.605 * std::log(0.04 + r * r); }},
        {"point,mass=1;nfw,mass=3,scale=0.4", [=](double r) { return -1 / r - 3 / halo * std::log(1 + r / 0.4) / r; }},
    };
    for (const PlaneField& field : fields) {
        SCOPED_TRACE(field.text);
        // From the outer apsis; the inner one has the same energy and angular momentum.
        const double outer = 1, speed = 0.55, spin = outer * speed, energy = speed * speed / 2 + field.potential(outer);
        double low = 1e-6, high = 0.95;
        const auto radial = [&](double r) { return 2 * (energy - field.potential(r)) - spin * spin / (r * r); };
        if (radial(0.95) < 0) {
            // This speed is that of an inner apsis.
            low = 1.05;
            high = 50;
            for (int k = 0; k < 200; ++k) (radial((low + high) / 2) > 0 ? low : high) = (low + high) / 2;
        } else {
            for (int k = 0; k < 200; ++k) (radial((low + high) / 2) > 0 ? high : low) = (low + high) / 2;
        }
        const double other = (low + high) / 2, middle = (outer + other) / 2, half = std::abs(outer - other) / 2;
        double angle = 0, time = 0;
        constexpr int kPoints = 4000;
        for (int k = 0; k < kPoints; ++k) {
            const double turn = kHalfTurn * (k + 0.5) / kPoints, r = middle + half * std::cos(turn);
            const double share = half * std::sin(turn) / std::sqrt(radial(r)) * kHalfTurn / kPoints;
            time += 2 * share;
            angle += 2 * share * spin / (r * r);
        }
        const std::unique_ptr<Backend> made = under(field.text, oneBody({outer, 0, 0}, {0, speed, 0}));
        runOuter(*made, "radau15", time / 64, 64);
        const double taken = toApsis(*made, 0, -1);
        const ParticleSet end = testing_support::stateOf(*made);
        EXPECT_NEAR(taken / time, 0, 1e-9) << "radial period";
        EXPECT_NEAR(std::remainder(std::atan2(end.position[0].y, end.position[0].x) - angle, 2 * kHalfTurn), 0, 1e-8);
        EXPECT_NEAR(length(xyz(end.position[0])), outer, 1e-10);
        // Energy and angular momentum count the field.
        const Diagnostics d = measureSystem(end, made->terms());
        const Diagnostics d0 = measureSystem(oneBody({outer, 0, 0}, {0, speed, 0}), made->terms());
        EXPECT_NEAR(d.energy(), d0.energy(), 1e-12);
        EXPECT_NEAR(d.angularMomentum.z, spin, 1e-12);
        EXPECT_NEAR(d0.energy() - energy, field.text[0] == 'l' ? -0.605 * std::log(0.04) : 0, 1e-12);
    }
}

TEST(OuterFields, pullIsTheSlopeOfThePotentialAndTheMassInside) {
    const char* const texts[] = {"point,mass=2,softening=0.1,x=0.3",
                                 "uniform,ax=0.4,ay=-0.2,az=0.1",
                                 "harmonic,frequency=1.3",
                                 "hernquist,mass=2,scale=0.7",
                                 "nfw,mass=2,scale=0.7",
                                 "nfw,mass=2,scale=40",
                                 "miyamoto-nagai,mass=2,scale=0.5,height=0.1",
                                 "logarithmic,speed=1.2,core=0.1,flattening=0.7",
                                 "bar,mass=1.4,length=0.9,width=0.1,height=0.3,pattern=0.7,angle=20",
                                 "bar,mass=1.4,length=0.9,width=0.1,height=0.3,z=0.2"};
    for (const char* text : texts)
        for (const Vec3d& at : {Vec3d{0.5, 0.3, 0.2}, Vec3d{-0.01, 0.02, 0.005}, Vec3d{6, -0.1, 0.3}, Vec3d{1, 2, -3}}) {
            SCOPED_TRACE(text);
            ParticleSet bodies = oneBody(at, {0, 0, 0}, 1.7);
            bodies.time = 0.9;
            const ForceTerms terms = fieldTerms(parsedFields(text), bodies);
            const std::uint32_t target[] = {0};
            std::vector<Double4> a(1);
            terms[0]->addAccelerations(termBodies(bodies), target, a, {});
            const double h = 1e-5;
            double slope[3];
            for (int axis = 0; axis < 3; ++axis) {
                double energy[2];
                for (int side = 0; side < 2; ++side) {
                    ParticleSet moved = bodies;
                    double* const place[] = {&moved.position[0].x, &moved.position[0].y, &moved.position[0].z};
                    *place[axis] += side ? h : -h;
                    energy[side] = terms[0]->potential(termBodies(moved));
                }
                slope[axis] = (energy[1] - energy[0]) / (2 * h * 1.7);
            }
            const double scale = length(a[0]) + 1e-3;
            EXPECT_NEAR(a[0].x, -slope[0], 1e-6 * scale);
            EXPECT_NEAR(a[0].y, -slope[1], 1e-6 * scale);
            EXPECT_NEAR(a[0].z, -slope[2], 1e-6 * scale);
        }
    // The mass within a radius, by formulas of the papers.
    const auto massWithin = [](const char* text, double r) {
        const std::unique_ptr<Backend> made = under(text, oneBody({0, r, 0}, {0, 0, 0}));
        std::vector<Double4> a;
        made->accelerations(a);
        return -a[0].y * r * r;
    };
    EXPECT_NEAR(massWithin("hernquist,mass=2,scale=0.5", 0.5), 0.5, 1e-13);
    EXPECT_NEAR(massWithin("nfw,mass=2,scale=0.5", 5), 2, 1e-13);
    EXPECT_NEAR(massWithin("nfw,mass=2,scale=0.5,concentration=3", 1.5), 2, 1e-13);
    EXPECT_NEAR(massWithin("bar,mass=2,length=0.5,width=0.1,height=0.1", 2000), 2, 1e-5);
}

TEST(OuterFields, aTurningBarKeepsJacobisEnergyAndAMovingHaloTakesItsStarsAlong) {
    const double pattern = 0.6;
    const std::string bar = "bar,mass=1,length=0.8,width=0.1,height=0.2,pattern=0.6;logarithmic,speed=0.7,core=0.3";
    for (const char* name : {"reference", "cpu"}) {
        const ParticleSet start = oneBody({0.9, 0.1, 0.05}, {-0.1, 0.8, 0.1});
        const std::unique_ptr<Backend> made = under(bar, start, name);
        const auto jacobi = [&](const ParticleSet& bodies) {
            const Diagnostics d = measureSystem(bodies, made->terms());
            return std::pair(d.energy() - pattern * d.angularMomentum.z, d.energy());
        };
        runOuter(*made, "yoshida6", 0.02, 1000);
        const ParticleSet end = testing_support::stateOf(*made);
        EXPECT_NEAR(end.time, 20, 1e-12);
        EXPECT_NEAR(jacobi(end).first, jacobi(start).first, 1e-7) << name;
        EXPECT_GT(std::abs(jacobi(end).second - jacobi(start).second), 1e-2) << "the energy alone is not kept";
    }
    // A halo on a line is a halo at rest, seen by one who moves; one on a circle has its centre where the formula says.
    const std::unique_ptr<Backend> still = under("hernquist,mass=1,scale=0.5", oneBody({1, 0, 0}, {0, 0.5, 0}));
    const std::unique_ptr<Backend> moving =
        under("hernquist,mass=1,scale=0.5,x=3,vx=0.3,vz=-0.2", oneBody({4, 0, 0}, {0.3, 0.5, -0.2}));
    for (Backend* one : {still.get(), moving.get()}) runOuter(*one, "radau15", 0.1, 60);
    const Double4 a = testing_support::stateOf(*still).position[0], b = testing_support::stateOf(*moving).position[0];
    EXPECT_NEAR(distance(a, Double4{b.x - 3 - 0.3 * 6, b.y, b.z + 0.2 * 6, 0}), 0, 1e-10);
    ParticleSet there = oneBody({2 * std::cos(1.0), 0, 2 * std::sin(1.0)}, {0, 0, 0});
    there.time = 1;
    const ForceTerms terms =
        fieldTerms(parsedFields("point,mass=1,orbit=2,period=" + std::to_string(2 * kHalfTurn) + ",tilt=90"), there);
    const std::uint32_t target[] = {0};
    std::vector<Double4> pull(1);
    terms[0]->addAccelerations(termBodies(there), target, pull, {});
    EXPECT_GT(length(pull[0]), 1e5) << "the body is at the centre of the field, up to the digits of the period";
}

TEST(OuterFields, aHaloThatABodyCarriesKeepsEnergyAndBothMomenta) {
    const ParticleSet start = testing_support::bodiesOf({{0, 0, 0, 1}, {2, 0, 0, 0.3}, {0, -1.5, 0.2, 0.1}, {0.3, 1, 1, 0}},
                                                        {{0.1, 0, 0, 1}, {0.1, 1, 0.2, 1}, {1.2, 0, 0, 1}, {0.9, 0, 0, 1}});
    struct Kept {
        Vec3d momentum{}, turning{};
        double energy = 0;
    };
    for (const auto& [name, method, step] : {std::tuple("reference", "radau15", 0.05), {"cpu", "yoshida6", 0.01}}) {
        SCOPED_TRACE(name);
        const std::unique_ptr<Backend> made =
            under("hernquist,mass=2,scale=0.5,body=0;point,mass=0.2,softening=0.3,body=2", start, name);
        const auto measured = [&] {
            const ParticleSet now = testing_support::stateOf(*made);
            Kept kept;
            for (std::size_t i = 0; i < now.size(); ++i) {
                const Double4 &x = now.position[i], &v = now.velocity[i];
                kept.momentum += x.w * xyz(v);
                kept.turning += x.w * cross(xyz(x), xyz(v));
                kept.energy += x.w / 2 * dot(xyz(v), xyz(v));
            }
            for (const auto& term : made->terms()) kept.energy += term->potential(termBodies(now));
            return kept;
        };
        EXPECT_TRUE(made->terms()[1]->offer().conservesMomentum);
        const Kept first = measured();
        runOuter(*made, method, step, std::lround(10 / step));
        const Kept last = measured();
        EXPECT_NEAR(length(last.momentum - first.momentum), 0, 1e-12);
        EXPECT_NEAR(length(last.turning - first.turning), 0, 1e-11);
        EXPECT_NEAR(last.energy, first.energy, 1e-9);
        // The halo holds the bodies: its carrier is pulled by them, and without it they would leave.
        const ParticleSet end = testing_support::stateOf(*made);
        EXPECT_LT(distance(end.position[1], end.position[0]), 4);
        EXPECT_GT(distance(end.velocity[0], start.velocity[0]), 0.05);
        // A body's energy is what the sum loses with it.
        const ForceTerm& term = *made->terms()[1];
        for (const std::size_t gone : {0, 1}) {
            ParticleSet fewer = end;
            const BodyEdit removal{.kind = BodyEdit::Kind::remove, .id = end.id[gone]};
            applyEdits(fewer, std::span(&removal, 1));
            EXPECT_NEAR(term.potentialOf(termBodies(end), gone),
                        term.potential(termBodies(end)) - term.potential(termBodies(fewer)), 1e-12);
        }
    }
    EXPECT_FALSE(under("hernquist,mass=2,scale=0.5", start)->terms()[1]->offer().conservesMomentum);
}

TEST(Drags, slowBodiesByTheirFormulas) {
    const std::unique_ptr<Backend> linear = under("drag,rate=0.5", oneBody({0, 0, 0}, {0, 2, 0}));
    const std::unique_ptr<Backend> square = under("quadratic-drag,coefficient=0.7", oneBody({0, 0, 0}, {2, 0, 0}));
    const std::unique_ptr<Backend> wind = under("drag,rate=0.5,vx=1", oneBody({0, 0, 0}, {0, 0, 0}));
    for (Backend* one : {linear.get(), square.get(), wind.get()}) runOuter(*one, "radau15", 0.25, 8);
    EXPECT_NEAR(testing_support::stateOf(*linear).velocity[0].y, 2 * std::exp(-1.0), 1e-13);
    EXPECT_NEAR(testing_support::stateOf(*linear).position[0].y, 4 * (1 - std::exp(-1.0)), 1e-13);
    EXPECT_NEAR(testing_support::stateOf(*square).velocity[0].x, 2 / (1 + 0.7 * 2 * 2), 1e-13);
    EXPECT_NEAR(testing_support::stateOf(*square).position[0].x, std::log(1 + 0.7 * 2 * 2) / 0.7, 1e-13);
    EXPECT_NEAR(testing_support::stateOf(*wind).velocity[0].x, 1 - std::exp(-1.0), 1e-13) << "a medium that moves";
}

TEST(Drags, aBodySinksInAnIsothermalSphereAsChandrasekharsFormulaSays) {
    // On a circle r dr/dt = -c M log / v with c = erf(1) - 2 / (e sqrt(kHalfTurn)). Binney & Tremaine 2008, eq. 8.12.
    const double mass = 1e-3, logarithm = 4, r0 = 1;
    const double c = std::erf(1.0) - 2 / std::sqrt(kHalfTurn) * std::exp(-1.0);
    EXPECT_NEAR(c, 0.428, 5e-4);
    const double whole = r0 * r0 / (2 * c * mass * logarithm);
    for (const char* name : {"reference", "cpu"}) {
        const std::unique_ptr<Backend> made =
            under("logarithmic,speed=1,core=1e-4;friction,speed=1,logarithm=4", oneBody({r0, 0, 0}, {0, 1, 0}, mass), name);
        const int steps = 4000;
        for (const double share : {0.4, 0.8}) {
            runOuter(*made, "rk4", 0.4 * whole / steps, steps);
            const double r = length(xyz(testing_support::stateOf(*made).position[0]));
            const double formula = r0 * std::sqrt(1 - share);
            EXPECT_NEAR(r / formula, 1, 0.01) << name << ' ' << share;
        }
    }
    // Other haloes: the same formula with the local density and speed of circular orbits.
    const auto slowing = [](const char* text) {
        const std::unique_ptr<Backend> made = under(text, oneBody({0.7, 0, 0}, {0, 0.9, 0}, 0.01));
        std::vector<Double4> a;
        made->accelerations(a);
        return a[0].y;
    };
    const auto formula = [&](double density, double circular) {
        const double x = 0.9 / circular;
        return -4 * kHalfTurn * 0.01 * 3 * density / 0.81 * (std::erf(x) - 2 * x / std::sqrt(kHalfTurn) * std::exp(-x * x));
    };
    EXPECT_NEAR(slowing("friction-hernquist,mass=2,scale=0.5") /
                    formula(2 * 0.5 / (2 * kHalfTurn * 0.7 * 1.728), std::sqrt(2 * 0.7) / 1.2),
                1, 1e-12);
    const double shape = std::log(11.0) - 10 / 11.0, inside = std::log(1 + 1.4) - 1.4 / 2.4;
    EXPECT_NEAR(slowing("friction-nfw,mass=2,scale=0.5") /
                    formula(2 / shape / (4 * kHalfTurn * 0.7 * 1.44), std::sqrt(2 * inside / shape / 0.7)),
                1, 1e-12);
}

/// Angle by which the second body's pericentre turns in one revolution [rad], as a mean over `turns`.
double turnOfOrbit(const char* scene, double timeStep, int turns, double guess) {
    Simulation simulation({.scene = scene, .timeStep = timeStep});
    EXPECT_EQ(simulation.integrator().name, "radau15");
    Backend& backend = simulation.backend();
    const auto angle = [&] {
        const ParticleSet now = testing_support::stateOf(backend);
        const Vec3d x = xyz(now.position[1]) - xyz(now.position[0]), v = xyz(now.velocity[1]) - xyz(now.velocity[0]);
        return std::pair(x, v);
    };
    // To a pericentre: the nearest body of a sampled turn.
    double nearest = 1e300, when = 0;
    for (int k = 0; k < 64; ++k) {
        runOuter(backend, "radau15", guess / 64, 1);
        const double r = length(angle().first);
        if (r >= nearest) continue;
        nearest = r;
        when = guess * (k + 1) / 64;
    }
    runOuter(backend, "radau15", when / 16, 16);
    toApsis(backend, 1, 0);
    const auto [from, speed] = angle();
    const double step = guess * turns / std::ceil(guess * turns / timeStep);
    runOuter(backend, "radau15", step, static_cast<std::int64_t>(std::round(guess * turns / step)));
    toApsis(backend, 1, 0);
    const auto [to, unused] = angle();
    const Vec3d across = speed / length(speed);
    return std::atan2(dot(to, across), dot(to, from) / length(from)) / turns;
}

/// Specific angular momentum of the first body about the densest place of the others, which takes part in the motion.
double turnOfSatellite(const ParticleSet& bodies) {
    Vec3d place{}, velocity{};
    double reach = 100;
    for (int round = 0; round < 24; ++round, reach = std::max(0.75 * reach, 0.4)) {
        Vec3d x{}, v{};
        double count = 0;
        for (std::size_t i = 1; i < bodies.size(); ++i)
            if (distance(xyz(bodies.position[i]), place) < reach) {
                x += xyz(bodies.position[i]);
                v += xyz(bodies.velocity[i]);
                ++count;
            }
        place = x / count, velocity = v / count;
    }
    return length(cross(xyz(bodies.position[0]) - place, xyz(bodies.velocity[0]) - velocity));
}

/// A satellite of a twentieth of the halo's mass begins on a circle of 1.5 scales. Its wake in 4,096 live bodies is the
/// friction: with b from G m / v^2 = 0.2 to about 1, the Coulomb logarithm is 1.6. Single haloes scatter by a quarter.
TEST(Drags, aSatelliteSinksInALiveHaloAsInTheFieldOfOne) {
    constexpr double kMass = 0.05, kRadius = 1.5, kStep = 0.05;
    const double speed = std::sqrt(kRadius) / (1 + kRadius), start = kRadius * speed;
    const ParticleSet alone = oneBody({kRadius, 0, 0}, {0, speed, 0}, kMass);
    double lost = 0;
    for (const std::uint64_t seed : {1, 2, 3}) {
        ParticleSet live = sceneNamed("hernquist").build({.bodies = 4096, .seed = seed});
        live.position.insert(live.position.begin(), alone.position[0]);
        live.velocity.insert(live.velocity.begin(), alone.velocity[0]);
        live.id.push_back(static_cast<std::uint32_t>(live.id.size()));
        live.group.push_back(0);
        const std::unique_ptr<Backend> halo = backend("cpu").make({});
        halo->load(live, {.force = {.precision = Precision::fp32, .softening = 0.1}});
        runOuter(*halo, "leapfrog", kStep, 120);
        lost += (1 - turnOfSatellite(testing_support::stateOf(*halo)) / start) / 3;
    }
    const auto lostWith = [&](const char* logarithm) {
        const std::unique_ptr<Backend> field =
            under(std::string("hernquist,mass=1,scale=1;friction-hernquist,mass=1,scale=1,logarithm=") + logarithm, alone);
        runOuter(*field, "rk4", kStep, 120);
        const ParticleSet now = testing_support::stateOf(*field);
        return 1 - length(cross(xyz(now.position[0]), xyz(now.velocity[0]))) / start;
    };
    EXPECT_NEAR(lost / lostWith("1.6"), 1, 1.0 / 3);
    EXPECT_GT(lost / lostWith("0.8"), 1.5) << "half of the friction";
    EXPECT_LT(lost / lostWith("3.2"), 0.75) << "twice the friction";
}

TEST(Relativity, mercuryTurnsBy43ArcSecondsACenturyAndS2By12ArcMinutesATurn) {
    const double arcSecond = kHalfTurn / 180 / 3600;
    const double period = 2 * kHalfTurn * std::sqrt(std::pow(0.38709927, 3) / (1 + 1 / 6023600.0));
    const double century = 36525 / (period / (2 * kHalfTurn) * 365.25);
    double before = 0;
    for (const double timeStep : {0.05, 0.025}) {
        const double turn = turnOfOrbit("mercury", timeStep, 104, period) * century / arcSecond;
        EXPECT_NEAR(turn, 42.98, 0.05) << timeStep;
        if (before != 0) {
            EXPECT_NEAR(turn, before, 1e-3) << "the step halved";
        }
        before = turn;
    }
    const double star = 2 * kHalfTurn * std::sqrt(std::pow(1.031316, 3) / (4.261 + 14e-6));
    EXPECT_NEAR(turnOfOrbit("s2", 0.01, 4, star) / arcSecond / 60, 12.1, 0.15);
}

TEST(Relativity, energyOfSeveralHeavyBodiesIsKeptToTheFirstOrder) {
    // What is left is of the order c^-4: a sixteenth at twice the speed of light.
    double change[2];
    for (int k = 0; k < 2; ++k) {
        const ParticleSet bodies =
            testing_support::bodiesOf({{1, 0, 0, 0.6}, {-0.8, 0.1, 0, 0.5}, {0, 1.5, 0.2, 0.3}, {0.2, -2, 0, 1e-9}},
                                      {{0, 0.6, 0, 1}, {0, -0.5, 0.1, 1}, {-0.6, 0, 0, 1}, {0.7, 0, 0, 1}});
        const std::unique_ptr<Backend> made = under("post-newtonian,heavy=3,c=" + std::to_string(40 << k), bodies);
        const double before = measureSystem(bodies, made->terms()).energy();
        change[k] = 0;
        for (int step = 0; step < 20; ++step) {
            runOuter(*made, "radau15", 0.2, 1);
            change[k] = std::max(change[k],
                                 std::abs(measureSystem(testing_support::stateOf(*made), made->terms()).energy() - before));
        }
        EXPECT_LT(change[k], 1e-4);
    }
    EXPECT_NEAR(std::log2(change[0] / change[1]), 4, 0.2);
}

}  // namespace
}  // namespace gravlab
