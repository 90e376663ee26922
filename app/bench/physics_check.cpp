#include "app/bench/physics_check.h"

#include "app/bench/verify.h"
#include "app/system/interrupt.h"
#include "app/tables/format.h"
#include "sim/backends/few_body.h"
#include "sim/core/particles.h"
#include "sim/forces/law.h"
#include "sim/integrators/integrator.h"
#include "sim/measure/diagnostics.h"
#include "sim/scenes/few_body_orbits.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <memory>
#include <numbers>

namespace gravlab {
namespace {

constexpr double kPi = std::numbers::pi;

/// Distance of two states as vectors of 3 N coordinates.
double distance(const ParticleSet& a, const ParticleSet& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        const double d = distance(a.position[i], b.position[i]);
        sum += d * d;
    }
    return std::sqrt(sum);
}

/// Energy in long double: the compared changes are close to the rounding of a double.
long double energyOf(const ParticleSet& bodies, const ForceSettings& force) {
    long double energy = 0;
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        const Double4 &x = bodies.position[i], &v = bodies.velocity[i];
        if (x.w == 0) continue;
        energy += static_cast<long double>(x.w) / v.w *
                  (static_cast<long double>(v.x) * v.x + static_cast<long double>(v.y) * v.y +
                   static_cast<long double>(v.z) * v.z) /
                  2;
        for (std::size_t j = 0; j < i; ++j) {
            const Double4& y = bodies.position[j];
            const long double dx = y.x - x.x, dy = y.y - x.y, dz = y.z - x.z, r2 = dx * dx + dy * dy + dz * dz;
            const long double pair =
                loopLaw(force) == Law::gravity
                    ? -forceFactor(force) / std::sqrt(r2 + static_cast<long double>(force.softening) * force.softening)
                    : withLaw<double>(force, [&](const auto& law) {
                          return static_cast<long double>(law.potential(static_cast<double>(r2)));
                      });
            energy += static_cast<long double>(x.w) * y.w * pair;
        }
    }
    return energy;
}

/// An initial state with an integrator, in double precision.
class CheckedRun {
public:
    CheckedRun(ParticleSet start, std::string_view method, double timeStep, ForceSettings force = {})
        : bodies_(std::move(start)), program_(integrator(method).program), timeStep_(timeStep), force_(force) {
        system_.load(bodies_);
        system_.configure(force_);
        firstEnergy_ = energyOf(bodies_, force_);
    }
    const ParticleSet& after(std::int64_t steps) {
        constexpr std::int64_t kAtOnce = 100000;  // steps between two checks for an interrupt
        for (std::int64_t done = 0; done < steps;) {
            InterruptWatch::check(kUnfinishedCheck);
            done += system_.advance(program_, timeStep_, {.seconds = 1e300, .steps = std::min(steps - done, kAtOnce)});
        }
        system_.store(bodies_);
        return bodies_;
    }
    double energyChange() const {
        return static_cast<double>(std::abs((energyOf(bodies_, force_) - firstEnergy_) / firstEnergy_));
    }
    /// The largest change during these steps.
    double worstEnergyChange(std::int64_t steps) {
        double worst = 0;
        for (std::int64_t done = 0; done < steps; ++done) {
            after(1);
            const double change = energyChange();
            if (!(change <= worst)) worst = change;
        }
        return worst;
    }

private:
    ParticleSet bodies_;
    FewBody system_;
    StepProgram program_;
    double timeStep_;
    ForceSettings force_;
    long double firstEnergy_ = 0;
};

using Rows = std::vector<PhysicsRow>;

void addRelative(Rows& rows, std::string name, double expected, double relative, std::function<double()> compute) {
    rows.push_back({std::move(name), expected, relative * std::abs(expected), std::move(compute)});
}

void addBound(Rows& rows, std::string name, double most, std::function<double()> compute) {
    rows.push_back({std::move(name), most, 0, std::move(compute), true});
}

void addForces(Rows& rows) {
    for (const KnownForces& golden : knownForces()) {
        const std::string name = "four bodies, softening " + std::to_string(golden.softening).substr(0, 3);
        addBound(rows, name + ": worst relative force error", 1e-15, [&golden] {
            FewBody system;
            system.load(knownBodies());
            system.configure({.softening = golden.softening});
            std::vector<Double4> a;
            system.accelerations(a);
            double worst = 0;
            for (std::size_t i = 0; i < 4; ++i) {
                const double error = distance(a[i], golden.acceleration[i]) / distance(golden.acceleration[i], {});
                if (!(error <= worst)) worst = error;
            }
            return worst;
        });
        addRelative(rows, name + ": potential energy", golden.potential, 1e-15,
                    [&golden] { return measure(knownBodies(), {.softening = golden.softening}, 1).potential; });
    }
}

void addTwoBodies(Rows& rows) {
    struct Known {
        const char* method;
        double eccentricity;
        int steps;
        double energy, position;  ///< computed in 80-bit arithmetic; energy 0: too close to rounding
    };
    static constexpr Known kKnown[] = {
        {"leapfrog", 0, 200, 2.43162770e-7, 2.06630857e-3},   {"leapfrog", 0.3, 200, 5.35075736e-4, 2.59229416e-3},
        {"leapfrog", 0.5, 200, 2.61888144e-3, 5.61053868e-3}, {"leapfrog", 0.5, 800, 1.64442347e-4, 3.51626760e-4},
        {"leapfrog", 0.9, 800, 1.40727659e-1, 3.17769189e-2}, {"yoshida4", 0.5, 200, 2.01715287e-5, 1.92948012e-4},
        {"yoshida4", 0.5, 800, 7.94745986e-8, 7.60228350e-7}, {"yoshida4", 0.9, 800, 6.55458760e-3, 9.49885934e-3},
        {"hermite4", 0.5, 200, 6.54685879e-6, 1.50686812e-5}, {"hermite4", 0.5, 800, 2.51592080e-8, 5.66087742e-8}};
    for (const Known& known : kKnown) {
        const std::string name =
            formatted("two bodies, e = %.1f, %s, %d steps", known.eccentricity, known.method, known.steps);
        const auto run = [&known] {
            return CheckedRun(scenes::keplerPair(known.eccentricity), known.method, 2 * kPi / known.steps);
        };
        addRelative(rows, name + ": largest dE/E", known.energy, 1e-6,
                    [run, &known] { return run().worstEnergyChange(known.steps); });
        addRelative(rows, name + ": error after a turn", known.position, 1e-6, [run, &known] {
            const ParticleSet start = scenes::keplerPair(known.eccentricity), end = run().after(known.steps);
            const auto between = [](const ParticleSet& b) {
                return Double4{b.position[0].x - b.position[1].x, b.position[0].y - b.position[1].y,
                               b.position[0].z - b.position[1].z, 0};
            };
            return distance(between(end), between(start));
        });
    }
    addBound(rows, "two bodies, leapfrog forward and back: error", 2e-14, [] {
        ParticleSet start = scenes::keplerPair(0.5);
        ParticleSet there = CheckedRun(start, "leapfrog", 2 * kPi / 200).after(200);
        for (Double4& v : there.velocity) v = {-v.x, -v.y, -v.z, v.w};
        return distance(CheckedRun(there, "leapfrog", 2 * kPi / 200).after(200), start);
    });
    for (const auto& [method, order] : {std::pair{"leapfrog", 2.0}, {"verlet", 2.0}, {"yoshida4", 4.0}, {"hermite4", 4.0}})
        rows.push_back({std::string("two bodies, e = 0.5, ") + method + ": measured order", order, 0.05, [method = method] {
                            const auto error = [method](int steps) {
                                const ParticleSet start = scenes::keplerPair(0.5);
                                return distance(CheckedRun(start, method, 2 * kPi / steps).after(steps), start);
                            };
                            return std::log2(error(400) / error(800));
                        }});
}

void addPeriodicOrbits(Rows& rows) {
    constexpr double kEight = 6.32591398292621167758900033396704;
    const auto eight = [] { return sceneNamed("figure-eight").build({.bodies = 3}); };
    addRelative(rows, "figure-eight: energy", -1.28714199563185770504095379326848, 1e-15,
                [eight] { return measure(eight(), {}, 1).energy(); });
    struct Known {
        const char* method;
        int steps;
        double error;
    };
    static constexpr Known kEights[] = {{"leapfrog", 200, 2.730583e-3},
                                        {"leapfrog", 800, 1.757690e-4},
                                        {"yoshida4", 800, 5.362792e-7},
                                        {"yoshida4", 1600, 3.352975e-8},
                                        {"hermite4", 800, 3.638071e-8}};
    for (const Known& known : kEights)
        addRelative(
            rows,
            std::string("figure-eight, ") + known.method + ", " + std::to_string(known.steps) + " steps: error after a turn",
            known.error, 1e-5, [eight, &known] {
                return distance(CheckedRun(eight(), known.method, kEight / known.steps).after(known.steps), eight());
            });
    addBound(rows, "figure-eight, radau15: error after 100 turns", 1e-10,
             [eight] { return distance(CheckedRun(eight(), "radau15", kEight).after(100), eight()); });

    const auto superEight = [] { return sceneNamed("super-eight").build({.bodies = 4}); };
    addRelative(rows, "super-eight: energy", -2.57355101515143189380011428890313, 1e-15,
                [superEight] { return measure(superEight(), {}, 1).energy(); });
    addRelative(rows, "super-eight, yoshida4, 4000 steps: error after a turn", 2.14e-5, 1e-2, [superEight] {
        return distance(CheckedRun(superEight(), "yoshida4", 2 * kPi / 4000).after(4000), superEight());
    });
    for (const scenes::PeriodicOrbit& orbit : scenes::suvakovOrbits()) {
        const auto start = [&orbit] { return scenes::threeInLine(orbit.p, orbit.q); };
        addBound(rows, std::string(orbit.name) + ", radau15: error after a turn", 1e-10,
                 [start, &orbit] { return distance(CheckedRun(start(), "radau15", orbit.period).after(1), start()); });
    }
    // The triangle: its instability grows by exp(2 pi / sqrt 2) per revolution, so this also tests the derivative of the
    // force.
    const auto asymmetry = [](const ParticleSet& b) {
        const std::array<double, 3> side{distance(b.position[0], b.position[1]), distance(b.position[1], b.position[2]),
                                         distance(b.position[2], b.position[0])};
        return *std::max_element(side.begin(), side.end()) - *std::min_element(side.begin(), side.end());
    };
    const auto after = [asymmetry](int turns) {
        return asymmetry(
            CheckedRun(scenes::lagrangeTriangle(1, 1, 1), "leapfrog", 2 * kPi / std::sqrt(3.0) / 1000).after(1000 * turns));
    };
    addBound(rows, "lagrange, leapfrog: asymmetry after a turn", 1e-12, [after] { return after(1); });
    rows.push_back({"lagrange, leapfrog: growth from turn 3 to 4", 85.02, 10, [after] { return after(4) / after(3); }});
    rows.push_back({"lagrange, leapfrog: growth from turn 4 to 5", 85.02, 10, [after] { return after(5) / after(4); }});
    for (const auto& [bodies, softening, speed] :
         {std::tuple{8, 0.0, 0.59212180400331495442}, {64, 0.0, 0.82577029543512580907}, {64, 0.05, 0.78947067166798280386}})
        addRelative(
            rows, "ring of " + std::to_string(bodies) + ", softening " + std::to_string(softening).substr(0, 4) + ": speed",
            speed, bodies == 8 ? 1e-15 : 5e-15, [bodies = bodies, softening = softening] {
                return scenes::polygonSpeed(static_cast<std::size_t>(bodies), softening);
            });
}

void addPythagorean(Rows& rows) {
    struct Known {
        double time, x, y;  ///< of the body of mass 3
        double tolerance;   ///< each close encounter multiplies the rounding error
    };
    static constexpr Known kKnown[] = {
        {1, 0.94955013483948425, 2.7732316949455631, 1e-14}, {10, 0.77848041013808549, 0.14139230029008617, 2e-11},
        {20, 3.0042926366963992, 0.51192523502468587, 1e-8}, {40, -0.6220036918011, 1.8583181578998, 1e-6},
        {60, 0.743807500118, 1.939947951095, 5e-3},          {70, 6.93346359901, 20.26180430595, 0.3}};
    for (const Known& known : kKnown)
        addBound(rows, "pythagorean, radau15: error of mass 3 at t = " + std::to_string(static_cast<int>(known.time)),
                 known.tolerance, [&known] {
                     CheckedRun run(sceneNamed("pythagorean").build({.bodies = 3}), "radau15", 0.5);
                     return distance(run.after(std::lround(known.time / 0.5)).position[0], {known.x, known.y, 0, 0});
                 });
    addBound(rows, "pythagorean, softening 0.1, yoshida4, dt 1e-4: error of mass 3 at t = 10", 5e-9, [] {
        CheckedRun run(sceneNamed("pythagorean").build({.bodies = 3}), "yoshida4", 1e-4, {.softening = 0.1});
        return distance(run.after(100000).position[0], {0.694537653106129738, -1.68016438376365658, 0, 0});
    });
}

void addPlanets(Rows& rows) {
    const auto start = [] { return sceneNamed("solar-system").build({.bodies = 9}); };
    addRelative(rows, "solar system: energy", -1.1228290058735528596e-4, 1e-13,
                [start] { return measure(start(), {}, 1).energy(); });
    struct Known {
        const char* name;
        std::size_t body;
        Double4 place;
        double tolerance;
    };
    // The state after a hundred years, with 1460 steps of yoshida4 per year; the tolerance is twice the method's known
    // error.
    static constexpr Known kKnown[] = {
        {"Mercury", 1, {0.32061676805669275, -0.26209213270887395, -0.05004647729438051, 0}, 3.6e-4},
        {"Earth and Moon", 3, {-0.56115886188582183, -0.83760686756610539, 6.339211436712220e-05, 0}, 4e-7},
        {"Jupiter", 5, {-5.43718940369825015, 0.01054781346844034, 0.12124023986980079, 0}, 2.2e-11}};
    const auto end = std::make_shared<ParticleSet>();
    for (const Known& known : kKnown)
        addBound(rows, std::string("solar system, yoshida4, 100 years: error of ") + known.name, known.tolerance,
                 [start, end, &known] {
                     if (end->size() == 0) *end = CheckedRun(start(), "yoshida4", 2 * kPi / 1460).after(146000);
                     return distance(end->position[known.body], known.place);
                 });
}

/// Of 120 particles, how many end bound to the first mass, captured by the second, or free.
std::array<int, 3> passage(double companionMass, bool prograde) {
    constexpr double kSoftening = 0.05;
    CheckedRun run(scenes::parabolicPassage({companionMass, prograde, 120, kSoftening}), "leapfrog",
                   scenes::passageDuration(companionMass) / 2000, {.softening = kSoftening});
    const ParticleSet& end = run.after(2000);
    std::array<int, 3> count{};
    for (std::size_t i = 2; i < 122; ++i) {
        std::array<double, 2> energy{}, away{};
        for (std::size_t mass = 0; mass < 2; ++mass) {
            away[mass] = distance(end.position[i], end.position[mass]);
            const double speed = distance(end.velocity[i], end.velocity[mass]);
            energy[mass] = speed * speed / 2 - end.position[mass].w / std::hypot(away[mass], kSoftening);
        }
        ++count[energy[0] < 0 && away[0] < away[1] ? 0 : energy[1] < 0 ? 1 : 2];
    }
    return count;
}

void addPassages(Rows& rows) {
    struct Known {
        double mass;
        bool prograde;
        std::array<int, 3> count;
    };
    static constexpr Known kKnown[] = {{1, true, {82, 30, 8}}, {1, false, {120, 0, 0}}, {0.25, true, {107, 13, 0}}};
    for (const Known& known : kKnown)
        for (std::size_t kind = 0; kind < 3; ++kind) {
            static constexpr const char* kKinds[] = {"bound", "captured", "free"};
            rows.push_back({formatted("passage of mass %g, %s: particles %s", known.mass,
                                      known.prograde ? "prograde" : "retrograde", kKinds[kind]),
                            static_cast<double>(known.count[kind]), 1,
                            [&known, kind] { return static_cast<double>(passage(known.mass, known.prograde)[kind]); }});
        }
}

/// "power-law, a = 1.5, strength 0.5".
std::string nameOf(const LawRow& row, const ForceSettings& force) {
    char exponent[32] = "", strength[32] = "";
    if (row.takes(&ForceSettings::exponent)) std::snprintf(exponent, sizeof exponent, ", a = %g", force.exponent);
    if (force.strength != 1) std::snprintf(strength, sizeof strength, ", strength %g", force.strength);
    return std::string(row.name) + exponent + strength;
}

/// Checks a law with a pair: the force is the slope of the potential, and a run keeps the energy that the potential defines.
double fourBodiesUnder(const ForceSettings& force) {
    ParticleSet bodies;
    bodies.resize(4);
    bodies.position = {{-1, 0, 0, 1}, {0.5, 1, 0, 1}, {0.75, -1, 0.25, 1}, {0, 0.25, 1.25, 1}};
    bodies.velocity = {{0, -0.125, 0, 1}, {0.125, 0, 0.125, 1}, {0, 0.25, 0, 0.5}, {-0.25, 0, 0, 2}};
    if (lawRow(force.law).signedSources)
        for (const std::size_t i : {1, 3}) bodies.position[i].w = -1, bodies.velocity[i].w *= -1;
    CheckedRun run(std::move(bodies), "yoshida4", 1.0 / 4096, force);
    run.after(5 * 4096);
    return run.energyChange();
}

double differenceFromGravity(Law law) {
    std::vector<Double4> other, gravity;
    double worst = 0;
    for (std::vector<Double4>* a : {&other, &gravity}) {
        FewBody system;
        system.load(knownBodies());
        system.configure({.law = a == &gravity ? Law::gravity : law, .softening = 0.5});
        system.accelerations(*a);
    }
    for (std::size_t i = 0; i < 4; ++i) worst = std::max(worst, distance(other[i], gravity[i]));
    return worst;
}

void addLaws(Rows& rows) {
    for (const LawRow& row : laws())
        for (ForceSettings force : row.tried) {
            force.law = row.law;
            addBound(rows, nameOf(row, force) + ", four bodies, yoshida4: dE/E at t = 5", 1e-8,
                     [force] { return fourBodiesUnder(force); });
        }
    for (const LawRow& row : laws())
        if (const ForceSettings usual{.law = row.law};
            row.law != Law::gravity && loopLaw(usual) == Law::gravity && forceFactor(usual) == 1)
            rows.push_back({nameOf(row, usual) + ": difference from gravity", 0, 0,
                            [law = row.law] { return differenceFromGravity(law); }});
}

}  // namespace

std::vector<PhysicsRow> physicsRows() {
    Rows rows;
    for (const auto add : {addForces, addTwoBodies, addPeriodicOrbits, addPythagorean, addPlanets, addPassages, addLaws})
        add(rows);
    return rows;
}

PhysicsResult judged(const PhysicsRow& row) {
    const double got = row.compute();
    return {got, row.atMost ? got >= 0 && got <= row.expected : std::abs(got - row.expected) <= row.tolerance};
}

bool printPhysics(std::span<const PhysicsRow> rows) {
    std::size_t failed = 0;
    std::printf("%-76s %-24s %-24s %s\n", "system", "expected", "got", "tolerance");
    for (const PhysicsRow& row : rows) {
        InterruptWatch::check(kUnfinishedCheck);
        const PhysicsResult result = judged(row);
        failed += !result.passed;
        char expected[40], tolerance[40] = "-";
        std::snprintf(expected, sizeof expected, row.atMost ? "at most %.3g" : "%.15g", row.expected);
        if (!row.atMost) std::snprintf(tolerance, sizeof tolerance, "%.2g", row.tolerance);
        std::printf("%-76s %-24s %-24.15g %-10s %s\n", row.name.c_str(), expected, result.got, tolerance,
                    result.passed ? "passed" : "FAILED");
        std::fflush(stdout);
    }
    std::printf("%zu passed, %zu failed\n", rows.size() - failed, failed);
    return failed == 0;
}

}  // namespace gravlab
