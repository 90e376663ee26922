// Block steps: which bodies step when, equal forces for active bodies and for all, and the gain and the cost.
#include "sim/integrators/block_steps.h"

#include "sim/backends/cpu/engine.h"
#include "sim/backends/kernel_rows.h"
#include "sim/forces/law.h"
#include "sim/measure/diagnostics.h"
#include "sim/scenes/scene.h"
#include "tests/block_suite.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

namespace gravlab {
namespace {

using namespace testing_support;

TEST(BlockClock, eachBodyStepsAsOftenAsItsLevelSays) {
    BlockClock clock({5, 3, 0, 2});
    ASSERT_EQ(clock.substeps(), 8u);
    EXPECT_EQ(clock.forces(), 5 * 1 + 3 * 2 + 2 * 8);
    const std::uint8_t levels[] = {0, 0, 0, 0, 0, 1, 1, 1, 3, 3};
    std::map<int, int> opened, closed;
    double active = 0;
    for (unsigned substep = 0; substep < clock.substeps(); ++substep) {
        for (const int level : {0, 1, 3}) opened[level] += level >= clock.beginning();
        const ActiveBodies now = clock.active(levels);
        std::size_t count = 0;
        for (std::size_t i = 0; i < 10; ++i) count += now.has(i);
        EXPECT_TRUE(now.all() || count == now.count);
        EXPECT_EQ(now.all(), substep == 7) << "at the end of the step all are at one time";
        EXPECT_EQ(now.follows, substep != 0 && substep != 7) << "what came before the step must not matter";
        active += static_cast<double>(count);
        for (const int level : {0, 1, 3}) closed[level] += level >= clock.ending();
        clock.next();
    }
    EXPECT_EQ(active, clock.forces());
    EXPECT_EQ(opened, (std::map<int, int>{{0, 1}, {1, 2}, {3, 8}}));
    EXPECT_EQ(closed, opened);
    EXPECT_EQ(BlockClock().substeps(), 1u);
    EXPECT_TRUE(BlockClock({4}).active(levels).all());
    BlockClock alike({0, 0, 4});
    EXPECT_EQ(alike.substeps(), 4u);
    EXPECT_TRUE(alike.active(levels).all()) << "a force of all is one, however it comes about";
}

TEST(BlockClock, twiceTheAccelerationIsALevel) {
    for (int level = 0; level <= kDeepestLevel; ++level) {
        const float most = std::ldexp(3.0f, level);
        EXPECT_EQ(levelOf(most, 3), level);
        EXPECT_EQ(levelOf(std::nextafter(most, 1e38f), 3), std::min(level + 1, kDeepestLevel));
    }
    EXPECT_EQ(levelOf(0, 3), 0);
    EXPECT_EQ(levelOf(NAN, 3), 0);
    EXPECT_EQ(levelOf(INFINITY, 3), kDeepestLevel);
    EXPECT_EQ(levelOf(1, 0), 0) << "nothing pulls: there is nothing to go by";
    LogarithmSum sum;
    for (const float length : {1.0f, 4.0f, 0.0f, NAN, INFINITY})
        if (const std::uint32_t own = logarithmOf(length)) sum.sum += own, ++sum.counted;
    EXPECT_EQ(sum.counted, 2u);
    EXPECT_FLOAT_EQ(sum.reference(), std::sqrt(2.0f)) << "half a rung below the mean of 1 and 4 in logarithms";
}

TEST(BlockSteps, onOneLevelTheyAreLeapfrogToTheLastBit) {
    for (const char* name : {"reference", "cpu"})
        for (const std::size_t bodies : {2, 400})
            for (const Precision precision : {Precision::fp32, Precision::fp64}) {
                SCOPED_TRACE(std::string(name) + ' ' + std::to_string(bodies));
                expectLeapfrogOnOneLevel(name, {}, {.precision = precision, .softening = 0.1}, bodies, 20);
            }
}

/// Light bodies on circles of 1, 2 and 4 about a mass: each stays on its level.
ParticleSet circles() {
    std::vector<Double4> positions{{0, 0, 0, 1}}, velocities{{0, 0, 0, 1}};
    for (const double radius : {1.0, 2.0, 4.0}) {
        positions.push_back({radius, 0, 0, 1e-3});
        velocities.push_back({0, std::sqrt(1 / radius), 0, 1});
    }
    return bodiesOf(positions, velocities);
}

TEST(BlockSteps, haveOrderTwoOnFixedLevels) {
    const auto after = [&](const char* name, double timeStep) {
        const auto run = afterSteps("reference", circles(), {}, {}, name, timeStep, std::lround(6 / timeStep));
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
    // The innermost body is on a deeper level than the step of the run, and its error shows it.
    const ParticleSet shared = after("leapfrog", 1.0 / 32), own = after("block-leapfrog", 1.0 / 32);
    EXPECT_LT(4 * distance(own.position[1], truth.position[1]), distance(shared.position[1], truth.position[1]));
}

TEST(BlockSteps, ofBodiesWithMassDoNotDependOnBodiesWithout) {
    // A tracer near the mass has the largest acceleration of all.
    ParticleSet with = circles();
    with.position.push_back({0.03, 0, 0, 0});
    with.velocity.push_back({0, std::sqrt(1 / 0.03), 0, 1});
    with = bodiesOf(with.position, with.velocity);
    for (const char* name : {"reference", "cpu"}) {
        const auto after = [&](const ParticleSet& bodies) {
            const ForceSettings force{.precision = Precision::fp64};
            return stateOf(*afterSteps(name, bodies, force, {}, "block-leapfrog", 1.0 / 32, 64));
        };
        const ParticleSet planets = after(circles()), both = after(with);
        for (std::size_t i = 0; i < planets.size(); ++i)
            EXPECT_LT(distance(both.position[i], planets.position[i]), 1e-5) << name << ' ' << i;
    }
    // Where no body has mass, all set their steps.
    LevelScale scale;
    for (const Double4& at : circles().position) scale.add(static_cast<float>(1 + at.x), false);
    EXPECT_GT(scale.reference(), 0);
}

/// A method of the CPU. Sums are exact as doubles.
template <class T>
class LoneCpuMethod final : public LoneMethod {
public:
    LoneCpuMethod(const ParticleSet& bodies, const ForceSettings& force, const KernelChoice& kernel)
        : LoneMethod(bodies, force, kernel), x_(bodies.size()), source_(bodies.size()) {
        const KernelRow& row = gravlab::kernel("cpu", *kernel.kernel);
        method_ = cpu::makeMethod<T>(cpu::cpuKernel(row), force.precision,
                                     {pool_, cpu::simdTargets().front(), bodies.size(), {}, tunable(row, kernel.launch)});
        upload();
    }
    void upload() override {
        for (std::size_t i = 0; i < size(); ++i) {
            Double4& at = bodies_.position[i];
            x_.axis[0][i] = static_cast<T>(at.x);
            x_.axis[1][i] = static_cast<T>(at.y);
            x_.axis[2][i] = static_cast<T>(at.z);
            source_[i] = static_cast<T>(at.w);
            at = {x_.axis[0][i], x_.axis[1][i], x_.axis[2][i], source_[i]};
        }
    }
    Accuracy accuracy() const override { return method_->accuracy(); }
    std::vector<StateArray> state() const override { return method_->state(); }

private:
    std::vector<Double4> evaluate(double slice) override {
        method_->prepare({{x_.axis[0].data(), x_.axis[1].data(), x_.axis[2].data()}, source_.data(), size()}, request_);
        run(*method_, slice);
        const cpu::CpuForceSums<T> sums = method_->sums();
        std::vector<Double4> all;
        for (std::size_t i = 0; i < size(); ++i) all.push_back({sums.axis[0][i], sums.axis[1][i], sums.axis[2][i], 0});
        return all;
    }
    bool abandoned() override {
        method_->prepare({{x_.axis[0].data(), x_.axis[1].data(), x_.axis[2].data()}, source_.data(), size()}, request_);
        return abandonedIn(*method_);
    }
    const std::uint8_t* levels() const override { return levels_.data(); }
    void uploadLevels() override {}
    MassiveBodies sourcesInMemory(const SourceList& list) override { return {list.list(), list.count}; }

    ThreadPool pool_{2};
    VectorArrays<T> x_;
    AlignedArray<T> source_;
    std::unique_ptr<cpu::CpuForceMethod<T>> method_;
};

const LoneMethods kCpuMethods{.backend = "cpu",
                              .make = [](const ParticleSet& bodies, const ForceSettings& force,
                                         const KernelChoice& kernel) -> std::unique_ptr<LoneMethod> {
                                  if (force.precision == Precision::fp32)
                                      return std::make_unique<LoneCpuMethod<float>>(bodies, force, kernel);
                                  return std::make_unique<LoneCpuMethod<double>>(bodies, force, kernel);
                              },
                              .pairs = "simd-threads",
                              .rows = {"naive", "simd-threads", "symmetric-threads"},
                              .counts = {5003},  // more than one piece of sources
                              .treeCounts = {1500, 6000, 16000},
                              .stepped = 3000,
                              .steppedKernels = {{.kernel = "tree", .allowedError = 1e-3},
                                                 {.kernel = "simd-threads"},
                                                 {.kernel = "symmetric-threads"}},
                              .steppedPrecisions = {Precision::fp32},
                              .countsAtOnce = true,
                              .leastOfParts = 12,
                              .leastOfRanges = 10};
INSTANTIATE_TEST_SUITE_P(Cpu, BlockSuite, testing::Values(kCpuMethods), nameOfBackend<LoneMethods>);

TEST(BlockSteps, everyBackendTakesThem) {
    for (const BackendRow& row : backends()) EXPECT_EQ(refusal(row, integrator("block-leapfrog"), 1000), "") << row.name;
}

}  // namespace
}  // namespace gravlab
