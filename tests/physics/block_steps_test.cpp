// Block steps: which bodies step when, equal forces for active bodies and for all, and the gain and the cost.
#include "sim/integrators/block_steps.h"

#include "sim/backends/cpu/engine.h"
#include "sim/backends/kernel_rows.h"
#include "sim/forces/law.h"
#include "sim/measure/diagnostics.h"
#include "sim/scenes/scene.h"
#include "tests/block_steps.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <string>

namespace gravlab {
namespace {

using namespace testing_support;

constexpr double kNoLimit = 1e300;
const StepProgram& blockSteps() {
    static const StepProgram program = integrator("block-leapfrog").program;
    return program;
}

std::unique_ptr<Backend> loadedBackend(const std::string& name, const ParticleSet& bodies, const ForceSettings& force,
                                       const KernelChoice& kernel = {}, int threads = 2) {
    std::unique_ptr<Backend> made = backend(name).make({.threads = threads});
    made->load(bodies, {force, kernel});
    return made;
}

ParticleSet stateOf(Backend& run) {
    ParticleSet bodies;
    run.snapshot(bodies);
    return bodies;
}

ParticleSet sceneBodies(const std::string& name, std::size_t bodies) {
    return sceneNamed(name).build({.bodies = bodies, .seed = 5});
}

TEST(BlockClock, eachBodyStepsAsOftenAsItsRungSays) {
    BlockClock clock({5, 3, 0, 2});
    ASSERT_EQ(clock.substeps(), 8u);
    EXPECT_EQ(clock.forces(), 5 * 1 + 3 * 2 + 2 * 8);
    const std::uint8_t rungs[] = {0, 0, 0, 0, 0, 1, 1, 1, 3, 3};
    std::map<int, int> opened, closed;
    double active = 0;
    for (unsigned substep = 0; substep < clock.substeps(); ++substep) {
        for (const int rung : {0, 1, 3}) opened[rung] += rung >= clock.beginning();
        const ActiveBodies now = clock.active(rungs);
        std::size_t count = 0;
        for (std::size_t i = 0; i < 10; ++i) count += now.has(i);
        EXPECT_TRUE(now.all() || count == now.count);
        EXPECT_EQ(now.all(), substep == 7) << "at the end of the step all are at one time";
        EXPECT_EQ(now.follows, substep != 0 && substep != 7) << "what came before the step must not matter";
        active += static_cast<double>(count);
        for (const int rung : {0, 1, 3}) closed[rung] += rung >= clock.ending();
        clock.next();
    }
    EXPECT_EQ(active, clock.forces());
    EXPECT_EQ(opened, (std::map<int, int>{{0, 1}, {1, 2}, {3, 8}}));
    EXPECT_EQ(closed, opened);
    EXPECT_EQ(BlockClock().substeps(), 1u);
    EXPECT_TRUE(BlockClock({4}).active(rungs).all());
    BlockClock alike({0, 0, 4});
    EXPECT_EQ(alike.substeps(), 4u);
    EXPECT_TRUE(alike.active(rungs).all()) << "a force of all is one, however it comes about";
}

TEST(BlockClock, twiceTheAccelerationIsARung) {
    for (int rung = 0; rung <= kDeepestRung; ++rung) {
        const float most = std::ldexp(3.0f, rung);
        EXPECT_EQ(rungOf(most, 3), rung);
        EXPECT_EQ(rungOf(std::nextafter(most, 1e38f), 3), std::min(rung + 1, kDeepestRung));
    }
    EXPECT_EQ(rungOf(0, 3), 0);
    EXPECT_EQ(rungOf(NAN, 3), 0);
    EXPECT_EQ(rungOf(INFINITY, 3), kDeepestRung);
    EXPECT_EQ(rungOf(1, 0), 0) << "nothing pulls: there is nothing to go by";
    LogarithmSum sum;
    for (const float length : {1.0f, 4.0f, 0.0f, NAN, INFINITY})
        if (const std::uint32_t own = logarithmOf(length)) sum.sum += own, ++sum.counted;
    EXPECT_EQ(sum.counted, 2u);
    EXPECT_FLOAT_EQ(sum.reference(), std::sqrt(2.0f)) << "half a rung below the mean of 1 and 4 in logarithms";
}

TEST(BlockSteps, onOneRungTheyAreLeapfrogToTheLastBit) {
    for (const char* name : {"reference", "cpu"})
        for (const std::size_t bodies : {2, 400})
            for (const Precision precision : {Precision::fp32, Precision::fp64}) {
                SCOPED_TRACE(std::string(name) + ' ' + std::to_string(bodies));
                expectLeapfrogOnOneRung(name, {}, {.precision = precision, .softening = 0.1}, bodies, 20);
            }
}

/// Light bodies on circles of 1, 2 and 4 about a mass: each stays on its rung.
ParticleSet circles() {
    std::vector<Double4> positions{{0, 0, 0, 1}}, velocities{{0, 0, 0, 1}};
    for (const double radius : {1.0, 2.0, 4.0}) {
        positions.push_back({radius, 0, 0, 1e-3});
        velocities.push_back({0, std::sqrt(1 / radius), 0, 1});
    }
    return bodiesOf(positions, velocities);
}

TEST(BlockSteps, haveOrderTwoOnFixedRungs) {
    const auto after = [&](const char* name, double timeStep) {
        const std::unique_ptr<Backend> run = loadedBackend("reference", circles(), {});
        run->advance(integrator(name).program, timeStep, {.steps = std::lround(6 / timeStep)}, nullptr);
        if (std::string_view(name) == "block-leapfrog") {
            EXPECT_GE(figureOf(*run, "rung 5"), 1);
            EXPECT_GE(figureOf(*run, "rung 3"), 1);
            EXPECT_GE(figureOf(*run, "rung 1"), 1);
        }
        return stateOf(*run);
    };
    const ParticleSet truth = after("yoshida6", 1.0 / 256);
    for (std::size_t body = 1; body < 4; ++body) {
        const auto error = [&](double timeStep) {
            return distance(after("block-leapfrog", timeStep).position[body], truth.position[body]);
        };
        EXPECT_NEAR(std::log2(error(1.0 / 32) / error(1.0 / 64)), 2, 0.1) << body;
    }
    // The innermost body is on a deeper rung than the step of the run, and its error shows it.
    const ParticleSet shared = after("leapfrog", 1.0 / 32), own = after("block-leapfrog", 1.0 / 32);
    EXPECT_LT(4 * distance(own.position[1], truth.position[1]), distance(shared.position[1], truth.position[1]));
}

template <class T>
struct BodiesOnRungs {
    VectorArrays<T> x;
    AlignedArray<T> source;
    std::vector<std::uint8_t> rungs;

    explicit BodiesOnRungs(const ParticleSet& bodies) : x(bodies.size()), source(bodies.size()), rungs(bodies.size()) {
        for (std::size_t i = 0; i < bodies.size(); ++i) {
            const Double4& at = bodies.position[i];
            x.axis[0][i] = static_cast<T>(at.x);
            x.axis[1][i] = static_cast<T>(at.y);
            x.axis[2][i] = static_cast<T>(at.z);
            source[i] = static_cast<T>(at.w);
            rungs[i] = static_cast<std::uint8_t>(at.x * at.x + at.y * at.y < 0.04 ? 2 : i % 11 == 0);
        }
    }
    cpu::CpuBodies<T> view() const {
        return {{x.axis[0].data(), x.axis[1].data(), x.axis[2].data()}, source.data(), rungs.size()};
    }
    ActiveBodies active(int least) const {
        return {.rungs = rungs.data(),
                .least = least,
                .count = static_cast<std::size_t>(std::ranges::count_if(rungs, [&](int rung) { return rung >= least; }))};
    }
};

template <class T>
std::vector<T> sumsOf(cpu::CpuForceMethod<T>& method, const BodiesOnRungs<T>& bodies, const ForceRequest& request,
                      double& pairs, double slice = kNoLimit) {
    method.prepare(bodies.view(), request);
    for (bool complete = false; !complete;) {
        const ForceProgress done = method.enqueue(slice);
        pairs += done.work.pairs;
        complete = done.complete;
    }
    std::vector<T> all;
    const cpu::CpuForceSums<T> sums = method.sums();
    for (const T* axis : sums.axis) all.insert(all.end(), axis, axis + bodies.rungs.size());
    return all;
}

/// Compares sums of some bodies with those of all; returns how many differ.
template <class T>
int differing(const BodiesOnRungs<T>& bodies, int least, const std::vector<T>& got, const std::vector<T>& want) {
    int count = 0;
    const std::size_t n = bodies.rungs.size();
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t axis = 0; bodies.rungs[i] >= least && axis < 3; ++axis)
            count += std::memcmp(&got[axis * n + i], &want[axis * n + i], sizeof(T)) != 0;
    return count;
}

template <class T>
void comparePartWithAll(const KernelRow& row, Precision precision) {
    SCOPED_TRACE(std::string(row.name));
    constexpr std::size_t kCount = 5003;  // more than one piece of sources
    ThreadPool pool(2);
    BodiesOnRungs<T> bodies(unevenBodies(kCount));
    const auto made = [&] {
        return cpu::makeMethod<T>(cpu::cpuKernel(row), precision, {pool, cpu::simdTargets().front(), kCount});
    };
    const auto method = made(), other = made();
    ForceRequest request{.settings = {.precision = precision, .softening = 0.02}};
    double pairs = 0;
    const std::vector<T> all = sumsOf(*method, bodies, request, pairs);
    EXPECT_EQ(pairs, static_cast<double>(kCount * kCount));
    for (const int least : {1, 2}) {
        request.active = bodies.active(least);
        pairs = 0;
        const std::vector<T> part = sumsOf(*method, bodies, request, pairs);
        EXPECT_EQ(pairs, static_cast<double>(request.active.count * kCount)) << "what was computed, and no more";
        if (row.cut == Split::targets) {
            EXPECT_EQ(differing(bodies, least, part, all), 0);
        } else {
            double worst = 0;
            for (std::size_t i = 0; i < part.size(); ++i)
                if (bodies.rungs[i % kCount] >= least)
                    worst = std::max(worst, std::abs(static_cast<double>(part[i]) - static_cast<double>(all[i])));
            EXPECT_LE(worst, precision == Precision::fp64 ? 1e-12 : 1e-4);
        }
        EXPECT_EQ(differing(bodies, least, sumsOf(*other, bodies, request, pairs, 0), part), 0) << "slices, no bit";
    }
    // The comparison notices one wrong source.
    request.active = bodies.active(2);
    bodies.source[17] = 1;
    EXPECT_GT(differing(bodies, 2, sumsOf(*method, bodies, request, pairs), all), 0);
    // All bodies again, after some of them.
    bodies = BodiesOnRungs<T>(unevenBodies(kCount));
    request.active = {};
    EXPECT_EQ(differing(bodies, 0, sumsOf(*method, bodies, request, pairs), all), 0);
}

template <class T>
void compareRangesWithAll(const KernelRow& row, Precision precision) {
    SCOPED_TRACE(std::string(row.name));
    constexpr std::size_t kCount = 5003;
    ThreadPool pool(2);
    BodiesOnRungs<T> bodies(unevenBodies(kCount));
    const auto method = cpu::makeMethod<T>(cpu::cpuKernel(row), precision, {pool, cpu::simdTargets().front(), kCount});
    ForceRequest request{.settings = {.precision = precision, .softening = 0.02}};
    double whole = 0;
    const std::vector<T> all = sumsOf(*method, bodies, request, whole);
    for (const std::size_t cut : {1703, 64, 0}) {  // in the middle of a register, at its end, nothing
        std::vector<T> both(all.size());
        double pairs = 0;
        for (const BodyRange range : {BodyRange{0, cut}, BodyRange{cut}}) {
            request.targets = range;
            const double before = pairs;
            const std::vector<T> part = sumsOf(*method, bodies, request, pairs, 0);
            const std::size_t end = range.first + std::min(range.count, kCount - range.first);
            EXPECT_EQ(pairs - before, static_cast<double>((end - range.first) * kCount)) << "what was computed, and no more";
            for (std::size_t axis = 0; axis < 3; ++axis)
                for (std::size_t i = range.first; i < end; ++i) both[axis * kCount + i] = part[axis * kCount + i];
        }
        EXPECT_EQ(differing(bodies, 0, both, all), 0) << "cut at " << cut;
    }
    // The comparison sees one source that is off.
    bodies.source[17] = 1;
    request.targets = {4000};
    EXPECT_GT(differing(bodies, 0, sumsOf(*method, bodies, request, whole), all), 0);
}

TEST(BlockSteps, twoRangesOfTargetsAreAllToTheLastBit) {
    int compared = 0;
    for (const KernelRow& row : kernels()) {
        if (row.backend != "cpu" || row.cut != Split::targets) continue;
        for (const Precision precision : {Precision::fp32, Precision::mixed, Precision::fp64}) {
            if (!refusal(row, {.precision = precision}).empty()) continue;
            if (precision == Precision::fp32)
                compareRangesWithAll<float>(row, precision);
            else
                compareRangesWithAll<double>(row, precision);
            ++compared;
        }
    }
    EXPECT_GE(compared, 10);
}

TEST(BlockSteps, sumsOfAPartAreThoseOfAllToTheLastBit) {
    int compared = 0;
    for (const KernelRow& row : kernels()) {
        if (row.backend != "cpu" || row.approximates) continue;
        for (const Precision precision : {Precision::fp32, Precision::mixed, Precision::fp64}) {
            if (!refusal(row, {.precision = precision}).empty()) continue;
            if (precision == Precision::fp32)
                comparePartWithAll<float>(row, precision);
            else
                comparePartWithAll<double>(row, precision);
            ++compared;
        }
    }
    EXPECT_GE(compared, 12);
}

/// A tree's forces of some bodies, compared with exact ones.
class TreeOfAPart {
public:
    explicit TreeOfAPart(const ForceSettings& force) : request_{.settings = force, .allowedError = 1e-3} {
        if (lawRow(force.law).signedSources)
            for (std::size_t i = 1; i < kCount; i += 2) start_.position[i].w *= -1;
        bodies_ = std::make_unique<BodiesOnRungs<float>>(start_);
        tree_ = cpu::makeMethod<float>(cpu::cpuKernel(kernel("cpu", "tree")), Precision::fp32,
                                       {pool_, cpu::simdTargets().front(), kCount});
    }
    /// Pairs of an evaluation for all bodies.
    double evaluateAll() {
        double pairs = 0;
        request_.active = {};
        sumsOf(*tree_, *bodies_, request_, pairs);
        return pairs;
    }
    /// Pairs of an evaluation for bodies on that rung and deeper ones, whose result is checked.
    double check(int least, bool follows) {
        double pairs = 0;
        request_.active = bodies_->active(least);
        request_.active.follows = follows;
        const std::vector<float> got = sumsOf(*tree_, *bodies_, request_, pairs);
        ParticleSet now = start_;
        for (std::size_t i = 0; i < kCount; ++i) now.position[i].x = static_cast<double>(bodies_->x.axis[0][i]);
        std::vector<std::uint32_t> targets;
        for (std::uint32_t i = 0; i < kCount; i += 7)
            if (request_.active.has(i)) targets.push_back(i);
        std::vector<Double4> want(targets.size()), mine;
        std::vector<double> floors(targets.size());
        referenceForces(now.position, now.velocity, targets, request_.settings, want, floors);
        const auto factor = static_cast<double>(tree_->sums().factor);
        const auto sum = [&](std::size_t place) { return factor * static_cast<double>(got[place]); };
        for (const std::uint32_t i : targets) mine.push_back({sum(i), sum(kCount + i), sum(2 * kCount + i), 0});
        const ForceGate gate = tree_->accuracy().gate;
        const ForceCheck checked = compareForces(mine, want, gate, floors);
        EXPECT_TRUE(checked.passed) << least << ' ' << checked.p99;
        for (Double4& a : mine) a.y *= 1.02;
        EXPECT_FALSE(compareForces(mine, want, gate, floors).passed) << "or it would pass anything";
        return pairs;
    }
    /// Moves all bodies in one direction as well, so that cells with old positions would be noticed.
    void move() {
        for (std::size_t i = 0; i < kCount; ++i)
            bodies_->x.axis[0][i] += 0.2f + 0.01f * static_cast<float>(start_.velocity[i].x);
    }
    std::vector<StateArray> state() const { return tree_->state(); }

    static constexpr std::size_t kCount = 6000;

private:
    ThreadPool pool_{2};
    ParticleSet start_ = sceneBodies("plummer", kCount);
    std::unique_ptr<BodiesOnRungs<float>> bodies_;
    std::unique_ptr<cpu::CpuForceMethod<float>> tree_;
    ForceRequest request_;
};

TEST(BlockSteps, aTreeKeepsItsAccuracyForAPart) {
    for (const ForceSettings& force :
         {ForceSettings{.softening = 0.05}, ForceSettings{.law = kLaw<Coulomb>, .softening = 0.05},
          ForceSettings{.law = kLaw<PowerLaw>, .softening = 0.05, .exponent = 1.5}}) {
        SCOPED_TRACE(std::string(lawRow(force.law).name));
        TreeOfAPart tree(force);
        const double all = tree.evaluateAll();
        tree.move();
        tree.check(1, false);
        tree.move();  // as bodies do within a step
        EXPECT_LT(tree.check(2, true), all / 2) << "groups without a body that is asked for are left out";
    }
}

TEST(BlockSteps, treesOfAllLawsStepAsAllPairsDo) {
    for (const ForceSettings& force :
         {ForceSettings{.softening = 0.02}, ForceSettings{.law = kLaw<Coulomb>, .softening = 0.02},
          ForceSettings{.law = kLaw<PowerLaw>, .softening = 0.02, .exponent = 1.5}})
        expectTreeStepsAsPairs("cpu", "simd-threads", force, 3000, 3);
}

TEST(BlockSteps, aTreeMayBeginWithAPart) {
    TreeOfAPart tree({.softening = 0.05});  // as after the choice of another row within a step
    const double pairs = tree.check(1, false);
    EXPECT_LT(pairs, 0.5 * TreeOfAPart::kCount * TreeOfAPart::kCount);
    const std::vector<StateArray> state = tree.state();
    ASSERT_EQ(state.size(), 1u) << "the criterion of the next evaluation goes by this one";
    for (const double length : state[0].values) ASSERT_TRUE(length > 1e-3 && length < 1e3) << length;
    tree.move();
    tree.check(2, true);
}

TEST(BlockSteps, cellsOfNobodyAskedForAreLeftOut) {
    ParticleSet liquid = sceneNamed("lennard-jones").build({.bodies = 4000, .seed = 5});
    ThreadPool pool(2);
    BodiesOnRungs<float> bodies(liquid);
    for (std::size_t i = 0; i < bodies.rungs.size(); ++i) bodies.rungs[i] = liquid.position[i].x > 0;
    const auto cells = cpu::makeMethod<float>(cpu::cpuKernel(kernel("cpu", "cells")), Precision::fp32,
                                              {pool, cpu::simdTargets().front(), bodies.rungs.size()});
    ForceRequest request{.settings = {.law = kLaw<LennardJones>}};
    double pairs = 0, part = 0;
    const std::vector<float> all = sumsOf(*cells, bodies, request, pairs);
    request.active = bodies.active(1);
    EXPECT_EQ(differing(bodies, 1, sumsOf(*cells, bodies, request, part), all), 0);
    EXPECT_LT(part, 0.8 * pairs);
    EXPECT_GT(part, 0.3 * pairs);
}

TEST(BlockSteps, followTheReference) {
    const ParticleSet start = sceneBodies("hernquist", 600);
    const ForceSettings force{.precision = Precision::fp64, .softening = 0.02};
    const std::unique_ptr<Backend> truth = loadedBackend("reference", start, force);
    truth->advance(blockSteps(), 1.0 / 32, {.steps = 6}, nullptr);
    EXPECT_GT(figureOf(*truth, "rung 2"), 10);
    for (const char* row : {"naive", "simd-threads", "symmetric-threads"}) {
        const std::unique_ptr<Backend> run = loadedBackend("cpu", start, force, {.kernel = row});
        run->advance(blockSteps(), 1.0 / 32, {.steps = 6}, nullptr);
        const ParticleSet got = stateOf(*run), want = stateOf(*truth);
        double worst = 0;
        for (std::size_t i = 0; i < got.size(); ++i) worst = std::max(worst, distance(got.position[i], want.position[i]));
        EXPECT_LE(worst, 1e-11) << row;
        EXPECT_EQ(run->totals().interactions, truth->totals().interactions) << row;
        EXPECT_EQ(run->totals().forceEvaluations, 7) << "of all bodies: one a step, and the first";
        EXPECT_EQ(run->totals().steps, 6);
    }
}

TEST(BlockSteps, goOnFromAnyStepAsIfNeverStopped) {
    const ParticleSet start = sceneBodies("hernquist", 3000);
    const ForceSettings force{.softening = 0.01};
    for (const KernelChoice& kernel :
         {KernelChoice{.kernel = "tree", .allowedError = 1e-3}, KernelChoice{.kernel = "simd-threads"},
          KernelChoice{.kernel = "symmetric-threads"}}) {
        SCOPED_TRACE(nameOf(kernel));
        const std::unique_ptr<Backend> whole = loadedBackend("cpu", start, force, kernel);
        whole->advance(blockSteps(), 1.0 / 16, {.steps = 5}, nullptr);
        EXPECT_GT(figureOf(*whole, "rung 3"), 1);
        for (const std::int64_t steps : {1, 4}) {
            // Other threads, and the smallest slices.
            const std::unique_ptr<Backend> first = loadedBackend("cpu", start, force, kernel, 1);
            for (std::int64_t done = 0; done < steps;)
                done +=
                    first->advance(blockSteps(), 1.0 / 16, {.seconds = 0, .steps = steps - done}, nullptr).stepsCompleted;
            const std::unique_ptr<Backend> second = loadedBackend("cpu", stateOf(*first), force, kernel);
            second->restoreForceState(first->forceState());
            second->advance(blockSteps(), 1.0 / 16, {.steps = 5 - steps}, nullptr);
            EXPECT_TRUE(sameState(stateOf(*second), stateOf(*whole))) << steps;
        }
    }
}

TEST(BlockSteps, forcesAreCheckedWhereAllBodiesHaveThem) {
    const ParticleSet start = sceneBodies("hernquist", 2000);
    const std::unique_ptr<Backend> run = loadedBackend("cpu", start, {.softening = 0.01});
    run->advance(blockSteps(), 1.0 / 32, {.steps = 2}, nullptr);
    std::vector<std::uint32_t> targets;
    for (std::uint32_t i = 0; i < 2000; i += 3) targets.push_back(i);
    run->requestForceCheck(targets);
    run->advance(blockSteps(), 1.0 / 32, {.steps = 1}, nullptr);
    const std::optional<ForceCheck> check = run->takeForceCheck();
    ASSERT_TRUE(check.has_value());
    EXPECT_TRUE(check->passed) << "bodies in the midst of their own step have the force of another place";
}

TEST(BlockSteps, keepEnergyAtFewerForcesThanAStepForAll) { expectEnergyAtFewerForces("cpu", {}); }

TEST(BlockSteps, everyBackendTakesThem) {
    for (const BackendRow& row : backends()) EXPECT_EQ(refusal(row, integrator("block-leapfrog"), 1000), "") << row.name;
}

}  // namespace
}  // namespace gravlab
