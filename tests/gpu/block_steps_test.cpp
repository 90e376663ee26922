// Block steps on the GPU: levels by the rule, forces of some bodies, the same bits with any cuts and after a resume, and the
// cost compared with a step for all.
#include "sim/integrators/block_steps.h"

#include "gpu_fixture.h"
#include "sim/backends/cuda/kernels/packed.h"
#include "sim/backends/cuda/methods/force_method.h"
#include "sim/backends/kernel_rows.h"
#include "sim/forces/law.h"
#include "sim/measure/diagnostics.h"
#include "sim/scenes/scene.h"
#include "tests/block_suite.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

namespace gravlab::test {
namespace {

using cuda::Vec4;

StepProgram blockProgram() { return integrator("block-leapfrog").program; }

class BlockStepsOnGpu : public GpuTest {
protected:
    static ParticleSet bodiesOfScene(const char* name, std::size_t count) {
        return sceneNamed(name).build({.bodies = count, .seed = 5});
    }
    static std::unique_ptr<Backend> runOf(const char* name, const ParticleSet& bodies, const ForceSettings& force,
                                          const KernelChoice& kernel = {}) {
        std::unique_ptr<Backend> made = backend(name).make({});
        made->load(bodies, {force, kernel});
        return made;
    }
};

TEST_F(BlockStepsOnGpu, areTaken) {
    EXPECT_EQ(refusal(backend("cuda"), integrator("block-leapfrog"), 1000), "");
    const std::unique_ptr<Backend> run = runOf("cuda", bodiesOfScene("hernquist", 2000), {.softening = 0.02});
    GpuTest::run(*run, blockProgram(), 1.0 / 32, 2);
    EXPECT_GT(figureOf(*run, "forces a body and step"), 1.2);
    EXPECT_EQ(run->totals().steps, 2);
    GpuTest::run(*run, integrator("leapfrog").program, 1.0 / 32, 1);
    EXPECT_EQ(figureOf(*run, "forces a body and step"), 0) << "the last step was none of blocks";
}

TEST_F(BlockStepsOnGpu, levelsAreThoseOfTheRule) {
    for (const std::size_t count : {2, 1000, 300001})
        for (const Precision precision : {Precision::fp32, Precision::fp64}) {
            if (count > 100000 && precision == Precision::fp64) continue;
            SCOPED_TRACE(std::to_string(count));
            const ParticleSet bodies = bodiesOfScene("hernquist", count);
            KernelChoice kernel{.kernel = "tiled"};
            if (count > 100000) kernel = {.kernel = "tree", .allowedError = 1e-3};
            const std::unique_ptr<Backend> run = runOf("cuda", bodies, {.precision = precision, .softening = 0.02}, kernel);
            // A step begins with the accelerations at the end of the step before.
            GpuTest::run(*run, integrator("leapfrog").program, 1e-4, 1);
            std::vector<Double4> accelerations;
            run->accelerations(accelerations);
            GpuTest::run(*run, blockProgram(), 1e-4, 1);
            LogarithmSum sum;
            const auto lengthOf = [](const Double4& a) {
                return static_cast<float>(std::sqrt(a.x * a.x + a.y * a.y + a.z * a.z));
            };
            for (const Double4& a : accelerations)
                if (const std::uint32_t own = logarithmOf(lengthOf(a))) sum.sum += own, ++sum.counted;
            std::array<std::size_t, kLevelCount> want{};
            for (const Double4& a : accelerations) ++want[static_cast<std::size_t>(levelOf(lengthOf(a), sum.reference()))];
            int used = 0;
            for (std::size_t level = 0; level < want.size(); ++level) {
                EXPECT_EQ(figureOf(*run, kLevelNames[level]), static_cast<double>(want[level])) << level;
                used += want[level] > 0;
            }
            EXPECT_TRUE(count < 1000 || used > 3) << "too few rungs to show anything";
        }
}

TEST_F(BlockStepsOnGpu, onOneLevelTheyAreLeapfrogToTheLastBit) {
    for (const char* name : {"global", "tiled", "tiled-split", "fused", "symmetric", "tree"})
        for (const std::size_t bodies : {2, 400, 20000})
            for (const Precision precision : {Precision::fp32, Precision::mixed, Precision::fp64}) {
                const ForceSettings force{.precision = precision, .softening = 0.1};
                if (!refusal(kernel("cuda", name), force).empty()) continue;
                SCOPED_TRACE(std::string(name) + ' ' + std::to_string(bodies) + ' ' +
                             std::to_string(static_cast<int>(precision)));
                KernelChoice choice{.kernel = name};
                if (choice.kernel == "tree") choice.allowedError = 1e-3;
                if (choice.kernel == "tiled-split" && bodies > 100) choice.launch.split = 5;
                expectLeapfrogOnOneLevel("cuda", choice, force, bodies, 5);
            }
}

/// A method of the GPU. Sums are exact as doubles, and NaN where none was stored.
template <class Real>
class LoneCudaMethod final : public LoneMethod {
public:
    using V = Vec4<Real>;

    LoneCudaMethod(const ParticleSet& bodies, const ForceSettings& force, const KernelChoice& kernel)
        : LoneMethod(bodies, force, kernel),
          kernel_(kernel),
          positions_(cuda::padded(static_cast<std::uint32_t>(bodies.size()))),
          sums_(bodies.size()),
          deviceLevels_(bodies.size()) {
        CUDA_CHECK(cuda::deviceFacts(0, device_));
        makeMethod({});
        uploadLevels();
        upload();
    }
    void upload() override {
        constexpr Real far = cuda::kPadDistance<Real>;
        std::vector<V> host(positions_.size(), V{far, far, far, 0});
        for (std::size_t i = 0; i < size(); ++i) {
            Double4& at = bodies_.position[i];
            host[i] = {static_cast<Real>(at.x), static_cast<Real>(at.y), static_cast<Real>(at.z), static_cast<Real>(at.w)};
            at = {host[i].x, host[i].y, host[i].z, host[i].w};
        }
        CUDA_CHECK(cuda::copyAsync(positions_.data(), host.data(), positions_.bytes(), cuda::Copy::toDevice, stream_));
        CUDA_CHECK(cuda::waitForStream(stream_));
    }
    Accuracy accuracy() const override { return method_->accuracy(); }
    std::vector<StateArray> state() const override { return method_->state(); }

private:
    void makeMethod(const MassiveBodies& sources) {
        cuda::BodyFacts facts = cuda::factsOf(bodies_);
        facts.sources = {nullptr, sources.count};
        const cuda::LaunchPlan plan = cuda::choose(kernel_, facts, force(), device_);
        method_ = cuda::makeForceMethod<Real>(plan, static_cast<std::uint32_t>(size()), device_, stream_);
    }
    std::vector<Double4> evaluate(double slice) override {
        CUDA_CHECK(cuda::fillAsync(sums_.data(), 0xff, sums_.bytes(), stream_));
        method_->prepare({positions_.data(), sums_.data()}, request_);
        run(*method_, slice);
        const cuda::DeviceSums<Real> from = method_->sums();
        const std::size_t count = size();
        std::vector<V> parts(count * from.ranges);
        CUDA_CHECK(cuda::copyAsync(parts.data(), from.sums, parts.size() * sizeof(V), cuda::Copy::toHost, stream_));
        CUDA_CHECK(cuda::waitForStream(stream_));
        std::vector<Double4> all(count);
        for (std::size_t i = 0; i < count; ++i) {
            double x = 0, y = 0, z = 0;
            for (std::size_t range = 0; range < from.ranges; ++range) {
                const V& a = parts[range * count + i];
                x += a.x, y += a.y, z += a.z;
            }
            all[i] = {static_cast<Real>(x), static_cast<Real>(y), static_cast<Real>(z), 0};
        }
        return all;
    }
    bool abandoned() override {
        method_->prepare({positions_.data(), sums_.data()}, request_);
        return abandonedIn(*method_);
    }
    const std::uint8_t* levels() const override { return deviceLevels_.data(); }
    void uploadLevels() override {
        CUDA_CHECK(cuda::copyAsync(deviceLevels_.data(), levels_.data(), size(), cuda::Copy::toDevice, stream_));
        CUDA_CHECK(cuda::waitForStream(stream_));
    }
    MassiveBodies sourcesInMemory(const SourceList& list) override {
        makeMethod({nullptr, list.count});
        if (list.places.empty()) return {nullptr, list.count};
        sourceList_ = cuda::DeviceArray<std::uint32_t>(list.places.size());
        CUDA_CHECK(
            cuda::copyAsync(sourceList_.data(), list.places.data(), sourceList_.bytes(), cuda::Copy::toDevice, stream_));
        CUDA_CHECK(cuda::waitForStream(stream_));
        return {sourceList_.data(), list.count};
    }

    KernelChoice kernel_;
    cuda::DeviceFacts device_{};
    cuda::OwnedStream stream_;
    cuda::DeviceArray<V> positions_, sums_;
    cuda::DeviceArray<std::uint8_t> deviceLevels_;
    cuda::DeviceArray<std::uint32_t> sourceList_;
    cuda::MadeMethod<Real> method_;
};

const LoneMethods kCudaMethods{.backend = "cuda",
                               .make = [](const ParticleSet& bodies, const ForceSettings& force,
                                          const KernelChoice& kernel) -> std::unique_ptr<LoneMethod> {
                                   if (force.precision == Precision::fp32)
                                       return std::make_unique<LoneCudaMethod<float>>(bodies, force, kernel);
                                   return std::make_unique<LoneCudaMethod<double>>(bodies, force, kernel);
                               },
                               .pairs = "tiled",
                               .rows = {"tiled", "tiled-split", "symmetric"},
                               .counts = {1999, 20011},
                               .treeCounts = {1500, 6000, 150000, 500000},
                               .stepped = 20000,
                               .steppedKernels = {{.kernel = "tree", .allowedError = 1e-3},
                                                  {.kernel = "tiled"},
                                                  {.kernel = "global"},
                                                  {.kernel = "symmetric"}},
                               .steppedPrecisions = {Precision::fp32, Precision::mixed},
                               .marksOthers = true,
                               .leastOfParts = 30,
                               .leastOfRanges = 15};
INSTANTIATE_TEST_SUITE_P(Gpu, BlockSuite, testing::Values(kCudaMethods), nameOfBackend<LoneMethods>);

TEST_F(BlockStepsOnGpu, followTheReferenceUnderOtherLaws) {
    for (const char* scene : {"charges", "power-law", "lennard-jones"})
        for (const Precision precision : {Precision::mixed, Precision::fp64}) {
            SCOPED_TRACE(std::string(scene) + ' ' + std::to_string(static_cast<int>(precision)));
            ForceSettings force{.precision = precision, .softening = 0.05, .exponent = 1.5};
            force.law = std::string_view(scene) == "charges"     ? kLaw<Coulomb>
                        : std::string_view(scene) == "power-law" ? kLaw<PowerLaw>
                                                                 : kLaw<LennardJones>;
            ParticleSet start = bodiesOfScene(scene, 500);
            start.velocity[3].w = 0;  // held: no force acts on it
            for (std::size_t i = 10; i < 20; ++i) start.velocity[i].w *= 2;
            const bool cells = force.law == kLaw<LennardJones>;
            const std::unique_ptr<Backend> run = runOf("cuda", start, force, {.kernel = cells ? "cells" : "tiled"});
            force.precision = Precision::fp64;
            const std::unique_ptr<Backend> truth = runOf("reference", start, force);
            truth->advance(blockProgram(), 1.0 / 64, {.steps = 4}, nullptr);
            GpuTest::run(*run, blockProgram(), 1.0 / 64, 4);
            int levels = 0;
            for (const std::string_view level : kLevelNames) levels += figureOf(*truth, level) > 0;
            EXPECT_GT(levels, 1) << "no substeps: nothing is shown";
            const ParticleSet got = state(*run), want = state(*truth);
            double worst = 0, moved = 0;
            for (std::size_t i = 0; i < got.size(); ++i) {
                const double off = distance(got.position[i], want.position[i]);
                if (!(off <= worst)) worst = off;
                moved = std::max(moved, distance(want.position[i], start.position[i]));
            }
            // Rounded forces put an atom at the border of two levels on the other one, and atoms that touch separate
            // quickly.
            EXPECT_LE(worst, precision == Precision::fp64 ? 1e-10 : cells ? 3e-4 : 1e-5);
            EXPECT_GT(moved, 1e-3);
        }
}

TEST_F(BlockStepsOnGpu, anotherKernelBeginsTheStepAgain) {
    const ForceSettings force{.softening = 0.01};
    const std::unique_ptr<Backend> changed = runOf("cuda", bodiesOfScene("hernquist", 16000), force, {.kernel = "global"});
    GpuTest::run(*changed, blockProgram(), 1.0 / 16, 1);
    const ParticleSet start = state(*changed);
    double progress = 0;
    for (int calls = 0; progress < 0.05 && calls < 20000; ++calls)
        progress = changed->advance(blockProgram(), 1.0 / 16, {.seconds = 0, .steps = 1}, nullptr).stepProgress;
    ASSERT_GE(progress, 0.05);
    ASSERT_LT(progress, 1) << "not among its substeps";
    changed->configure(force, {.kernel = "tiled"});
    const std::unique_ptr<Backend> other = runOf("cuda", start, force, {.kernel = "tiled"});
    GpuTest::run(*changed, blockProgram(), 1.0 / 16, 1);
    GpuTest::run(*other, blockProgram(), 1.0 / 16, 1);
    EXPECT_TRUE(sameState(state(*changed), state(*other)));
}

TEST_F(BlockStepsOnGpu, aLargeTreeKeepsItsEnergyAsTheCpuDoes) {
    const ParticleSet start = bodiesOfScene("hernquist", 16384);
    const ForceSettings force{.softening = 0.02};
    const Diagnostics before = measure(start, force);
    const auto error = [&](const char* name) {
        const std::unique_ptr<Backend> run = runOf(name, start, force, {.kernel = "tree", .allowedError = 1e-4});
        GpuTest::run(*run, blockProgram(), 1.0 / 4, 8);
        return measure(state(*run), force).energy() / before.energy() - 1;
    };
    const double device = error("cuda"), host = error("cpu");
    std::printf("energy after 2: cuda %.2e, cpu %.2e\n", device, host);
    EXPECT_LT(std::abs(device), 1e-4);
    EXPECT_LT(std::abs(device - host), 2e-5);
}

}  // namespace
}  // namespace gravlab::test
