// Block steps on the GPU: rungs by the rule, forces of some bodies, the same bits with any cuts and after a resume, and the
// cost compared with a step for all.
#include "sim/integrators/block_steps.h"

#include "gpu_fixture.h"
#include "sim/backends/cuda/kernels/packed.h"
#include "sim/backends/cuda/methods/force_method.h"
#include "sim/backends/kernel_rows.h"
#include "sim/forces/law.h"
#include "sim/measure/diagnostics.h"
#include "sim/scenes/scene.h"
#include "tests/block_steps.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <optional>
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

TEST_F(BlockStepsOnGpu, rungsAreThoseOfTheRule) {
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
            std::array<std::size_t, kRungCount> want{};
            for (const Double4& a : accelerations) ++want[static_cast<std::size_t>(rungOf(lengthOf(a), sum.reference()))];
            int used = 0;
            for (std::size_t rung = 0; rung < want.size(); ++rung) {
                EXPECT_EQ(figureOf(*run, kRungNames[rung]), static_cast<double>(want[rung])) << rung;
                used += want[rung] > 0;
            }
            EXPECT_TRUE(count < 1000 || used > 3) << "too few rungs to show anything";
        }
}

TEST_F(BlockStepsOnGpu, onOneRungTheyAreLeapfrogToTheLastBit) {
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
                expectLeapfrogOnOneRung("cuda", choice, force, bodies, 5);
            }
}

/// A method alone, with rungs that do not follow from accelerations.
template <class Real>
class MethodOfAPart {
public:
    using V = Vec4<Real>;

    /// `inside`: the bodies of the third rung, within the root of it along an axis.
    MethodOfAPart(const ParticleSet& bodies, const ForceSettings& force, const KernelChoice& kernel, double inside = 0.04)
        : count_(bodies.size()),
          bodies_(bodies),
          positions_(cuda::padded(static_cast<std::uint32_t>(count_))),
          sums_(count_) {
        CUDA_CHECK(cuda::deviceFacts(0, device_));
        const cuda::LaunchPlan plan = cuda::choose(kernel, cuda::factsOf(bodies), force, device_);
        method_ = cuda::makeForceMethod<Real>(plan, static_cast<std::uint32_t>(count_), device_, stream_);
        request_ = {.settings = force, .allowedError = kernel.allowedError};
        for (const Double4& at : bodies.position)
            rungs_.push_back(static_cast<std::uint8_t>(at.x * at.x + at.y * at.y < inside ? 2 : rungs_.size() % 11 == 0));
        deviceRungs_ = cuda::DeviceArray<std::uint8_t>(count_);
        CUDA_CHECK(cuda::copyAsync(deviceRungs_.data(), rungs_.data(), count_, cuda::Copy::toDevice, stream_));
        upload();
    }

    /// Sums of all bodies, or of those on that rung and deeper ones; NaN where none was stored.
    std::vector<V> sums(int least, bool follows = false, double slice = 1e300, const BodyRange& targets = {}) {
        request_.active = {};
        request_.targets = targets;
        if (least > 0)
            request_.active = {.rungs = deviceRungs_.data(), .least = least, .count = asked(least), .follows = follows};
        CUDA_CHECK(cuda::fillAsync(sums_.data(), 0xff, sums_.bytes(), stream_));
        method_->prepare({positions_.data(), sums_.data()}, request_);
        pairs = 0;
        slices = 0;
        for (bool complete = false; !complete; ++slices) {
            const ForceProgress done = method_->enqueue(slice);
            pairs += done.work.pairs;
            complete = done.complete;
        }
        const cuda::DeviceSums<Real> from = method_->sums();
        std::vector<V> parts(count_ * from.ranges), all(count_);
        CUDA_CHECK(cuda::copyAsync(parts.data(), from.sums, parts.size() * sizeof(V), cuda::Copy::toHost, stream_));
        CUDA_CHECK(cuda::waitForStream(stream_));
        for (std::size_t i = 0; i < count_; ++i) {
            double x = 0, y = 0, z = 0;
            for (std::size_t range = 0; range < from.ranges; ++range) {
                const V& a = parts[range * count_ + i];
                x += a.x, y += a.y, z += a.z;
            }
            all[i] = {static_cast<Real>(x), static_cast<Real>(y), static_cast<Real>(z), 0};
        }
        return all;
    }
    bool has(std::size_t body, int least) const { return rungs_[body] >= least; }
    std::size_t asked(int least) const {
        return static_cast<std::size_t>(std::ranges::count_if(rungs_, [&](int rung) { return rung >= least; }));
    }
    /// Moves all bodies in one direction, and each along its velocity.
    void move() {
        for (std::size_t i = 0; i < count_; ++i) bodies_.position[i].x += 0.2 + 0.01 * bodies_.velocity[i].x;
        upload();
    }
    ParticleSet& bodies() { return bodies_; }
    void upload() {
        constexpr Real far = cuda::kPadDistance<Real>;
        std::vector<V> host(positions_.size(), V{far, far, far, 0});
        for (std::size_t i = 0; i < count_; ++i) {
            Double4& at = bodies_.position[i];
            host[i] = {static_cast<Real>(at.x), static_cast<Real>(at.y), static_cast<Real>(at.z), static_cast<Real>(at.w)};
            at = {host[i].x, host[i].y, host[i].z, host[i].w};
        }
        CUDA_CHECK(cuda::copyAsync(positions_.data(), host.data(), positions_.bytes(), cuda::Copy::toDevice, stream_));
        CUDA_CHECK(cuda::waitForStream(stream_));
    }
    cuda::DeviceForceMethod<Real>& method() { return *method_; }
    const ForceSettings& force() const { return request_.settings; }
    std::size_t size() const { return count_; }

    double pairs = 0;
    int slices = 0;

private:
    std::size_t count_;
    ParticleSet bodies_;
    cuda::DeviceFacts device_{};
    cuda::OwnedStream stream_;
    cuda::DeviceArray<V> positions_, sums_;
    cuda::DeviceArray<std::uint8_t> deviceRungs_;
    std::vector<std::uint8_t> rungs_;
    cuda::MadeMethod<Real> method_;
    ForceRequest request_;
};

template <class V>
bool sameBits(const V& a, const V& b) {
    return std::memcmp(&a, &b, 3 * sizeof a.x) == 0;
}
/// Number of active bodies that differ.
template <class Real>
std::size_t differing(const MethodOfAPart<Real>& run, int least, const std::vector<Vec4<Real>>& a,
                      const std::vector<Vec4<Real>>& b) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < run.size(); ++i) count += run.has(i, least) && !sameBits(a[i], b[i]);
    return count;
}
template <class Real>
double worstOf(const MethodOfAPart<Real>& run, int least, const std::vector<Vec4<Real>>& got,
               const std::vector<Vec4<Real>>& want) {
    double squares = 0, worst = 0;
    for (const Vec4<Real>& a : want) squares += static_cast<double>(a.x * a.x + a.y * a.y + a.z * a.z);
    const double rms = std::sqrt(squares / static_cast<double>(want.size()));
    for (std::size_t i = 0; i < run.size(); ++i) {
        if (!run.has(i, least)) continue;
        const Double4 a{got[i].x, got[i].y, got[i].z, 0}, b{want[i].x, want[i].y, want[i].z, 0};
        const double off = distance(a, b) / (length(b) + 0.1 * rms);
        if (!(off <= worst)) worst = off;  // a NaN counts
    }
    return worst;
}

template <class Real>
void comparePart(const KernelRow& row, const ForceSettings& force, std::size_t count) {
    SCOPED_TRACE(std::string(row.name) + ", precision " + std::to_string(static_cast<int>(force.precision)) + ", " +
                 std::to_string(count));
    ParticleSet bodies = unevenBodies(count);
    if (row.equalMasses)
        for (Double4& at : bodies.position) at.w = 1.0 / 1024;
    KernelChoice kernel{.kernel = std::string(row.name)};
    if (row.splits.last > 1) kernel.launch.split = 3;
    MethodOfAPart<Real> run(bodies, force, kernel), sliced(bodies, force, kernel);
    const std::vector<Vec4<Real>> all = run.sums(0);
    // When no more blocks can split a body's sources, sums are in the same order.
    const bool sameOrder = row.splits.last == 1 && row.name != "tiled" && row.name != "fused" && row.cut == Split::targets;
    const double close = force.precision == Precision::fp64 ? 1e-12 : 1e-5;
    for (const int least : {1, 2}) {
        const std::vector<Vec4<Real>> part = run.sums(least);
        EXPECT_GT(run.asked(least), 10u);
        if (row.cut != Split::none) {
            EXPECT_EQ(run.pairs, static_cast<double>(run.asked(least)) * static_cast<double>(count));
            const auto left = std::ranges::count_if(part, [](const auto& a) { return !std::isfinite(a.x); });
            EXPECT_EQ(static_cast<std::size_t>(left), count - run.asked(least)) << "others were asked for, too";
        }
        EXPECT_LE(worstOf(run, least, part, all), close);
        if (sameOrder && row.deterministic) {
            EXPECT_EQ(differing(run, least, part, all), 0u);
        }
        if (row.deterministic) {
            EXPECT_EQ(differing(run, least, sliced.sums(least, false, 0), part), 0u) << "slices, no bit";
            if (count > 15000 && row.cut == Split::targets) {
                EXPECT_GT(sliced.slices, 1);
            }
        }
    }
    // All bodies again, after some of them. The comparison notices one wrong source.
    if (row.deterministic) {
        EXPECT_EQ(differing(run, 0, run.sums(0), all), 0u);
    }
    std::ranges::max_element(run.bodies().position, {}, &Double4::w)->x += 0.3;
    run.upload();
    EXPECT_GT(worstOf(run, 2, run.sums(2), all), close);
}

TEST_F(BlockStepsOnGpu, sumsOfAPartAreThoseOfAll) {
    int compared = 0;
    for (const KernelRow& row : kernels()) {
        if (row.backend != "cuda" || !everyPair(row)) continue;
        for (const Precision precision : {Precision::fp32, Precision::mixed, Precision::fp64}) {
            const ForceSettings force{.precision = precision, .softening = 0.05};
            if (!refusal(row, force).empty()) continue;
            for (const std::size_t count : {1999, 20011}) {
                if (row.cut == Split::none && count > 2000) continue;
                if (precision == Precision::fp32)
                    comparePart<float>(row, force, count);
                else
                    comparePart<double>(row, force, count);
                ++compared;
            }
        }
    }
    EXPECT_GE(compared, 30);
    comparePart<float>(kernel("cuda", "tiled"), {.law = kLaw<PowerLaw>, .softening = 0.05, .exponent = 1.5}, 20011);
}

template <class Real>
void compareRanges(const KernelRow& row, const ForceSettings& force, std::size_t count) {
    SCOPED_TRACE(std::string(row.name) + ", precision " + std::to_string(static_cast<int>(force.precision)));
    KernelChoice kernel{.kernel = std::string(row.name)};
    if (row.splits.last > 1) kernel.launch.split = 3;
    MethodOfAPart<Real> run(unevenBodies(count), force, kernel);
    const std::vector<Vec4<Real>> all = run.sums(0);
    for (const std::size_t cut : {std::size_t{1703}, std::size_t{256}, count}) {
        std::vector<Vec4<Real>> both = run.sums(0, false, 0, {0, cut});
        const std::vector<Vec4<Real>> rest = run.sums(0, false, 1e300, {cut});
        EXPECT_EQ(run.pairs, static_cast<double>(count - cut) * static_cast<double>(count))
            << "what was computed, and no more";
        std::copy(rest.begin() + static_cast<std::ptrdiff_t>(cut), rest.end(),
                  both.begin() + static_cast<std::ptrdiff_t>(cut));
        EXPECT_EQ(differing(run, 0, both, all), 0u) << "cut at " << cut;
    }
}

TEST_F(BlockStepsOnGpu, twoRangesOfTargetsAreAllToTheLastBit) {
    int compared = 0;
    for (const KernelRow& row : kernels()) {
        if (row.backend != "cuda" || row.cut != Split::targets || !row.deterministic) continue;
        for (const Precision precision : {Precision::fp32, Precision::mixed, Precision::fp64}) {
            const ForceSettings force{.precision = precision, .softening = 0.05};
            if (!refusal(row, force).empty()) continue;
            if (precision == Precision::fp32)
                compareRanges<float>(row, force, 20011);
            else
                compareRanges<double>(row, force, 20011);
            ++compared;
        }
    }
    EXPECT_GE(compared, 15);
}

TEST_F(BlockStepsOnGpu, cellsOfNobodyAskedForAreLeftOut) {
    ParticleSet liquid = bodiesOfScene("lennard-jones", 4000);
    Vec3d middle{};
    for (const Double4& at : liquid.position) middle += xyz(at) / static_cast<double>(liquid.size());
    for (Double4& at : liquid.position) at = {at.x - middle.x, at.y - middle.y, at.z - middle.z, at.w};
    MethodOfAPart<float> run(liquid, {.law = kLaw<LennardJones>}, {.kernel = "cells"}, 9);
    const std::vector<Float4> all = run.sums(0);
    const std::vector<Float4> part = run.sums(2);
    ASSERT_GT(run.asked(2), 40u);
    ASSERT_LT(run.asked(2), liquid.size() / 3);
    EXPECT_EQ(differing(run, 2, part, all), 0u);
    const auto left = std::ranges::count_if(part, [](const Float4& a) { return !std::isfinite(a.x); });
    EXPECT_GT(static_cast<std::size_t>(left), liquid.size() / 4);
    EXPECT_EQ(differing(run, 2, run.sums(2, false, 0), all), 0u);
}

/// Forces of some bodies by a tree, compared with exact ones.
void checkTreeOfAPart(MethodOfAPart<float>& tree, int least, bool follows, double slice = 1e300) {
    SCOPED_TRACE(least);
    const std::vector<Float4> got = tree.sums(least, follows, slice);
    std::vector<std::uint32_t> targets;
    const std::size_t every = std::max<std::size_t>(1, tree.asked(least) / 700);
    std::size_t passed = 0;
    for (std::uint32_t i = 0; i < tree.size(); ++i)
        if (tree.has(i, least) && passed++ % every == 0) targets.push_back(i);
    std::vector<Double4> want(targets.size()), mine;
    std::vector<double> floors(targets.size());
    const ParticleSet& now = tree.bodies();
    referenceForces(now.position, now.velocity, targets, tree.force(), want, floors);
    const double factor = forceFactor(tree.force());
    for (const std::uint32_t i : targets) mine.push_back({factor * got[i].x, factor * got[i].y, factor * got[i].z, 0});
    const ForceGate gate = tree.method().accuracy().gate;
    const ForceCheck checked = compareForces(mine, want, gate, floors);
    EXPECT_TRUE(checked.passed) << checked.text();
    for (Double4& a : mine) a.y *= 1.02;
    EXPECT_FALSE(compareForces(mine, want, gate, floors).passed) << "or it would pass anything";
    const auto left = std::ranges::count_if(got, [](const Float4& a) { return !std::isfinite(a.x); });
    if (least == 2) {
        EXPECT_GT(static_cast<std::size_t>(left), tree.size() / 4) << "groups of nobody asked for are left out";
    }
}

ParticleSet bodiesUnder(const ForceSettings& force, std::size_t count) {
    ParticleSet bodies = sceneNamed("plummer").build({.bodies = count, .seed = 5});
    if (lawRow(force.law).signedSources)
        for (std::size_t i = 1; i < count; i += 2) bodies.position[i].w *= -1;
    return bodies;
}

TEST_F(BlockStepsOnGpu, aTreeKeepsItsAccuracyForAPart) {
    for (const ForceSettings& force :
         {ForceSettings{.softening = 0.05}, ForceSettings{.law = kLaw<Coulomb>, .softening = 0.05},
          ForceSettings{.law = kLaw<PowerLaw>, .softening = 0.05, .exponent = 1.5}})
        for (const std::size_t count : {6000, 150000, 500000}) {
            if (count > 10000 && force.law != Law::gravity) continue;
            SCOPED_TRACE(std::string(lawRow(force.law).name) + ' ' + std::to_string(count));
            MethodOfAPart<float> tree(bodiesUnder(force, count), force, {.kernel = "tree", .allowedError = 1e-3});
            tree.sums(0);
            tree.move();
            checkTreeOfAPart(tree, 1, false);
            tree.move();  // as bodies do within a step: cells with old positions would be noticed
            checkTreeOfAPart(tree, 2, true);
            tree.move();
            checkTreeOfAPart(tree, 2, true, 0);
            tree.move();
            checkTreeOfAPart(tree, 1, true);
        }
}

TEST_F(BlockStepsOnGpu, aTreeMayBeginWithAPart) {
    const ForceSettings force{.softening = 0.05};
    MethodOfAPart<float> tree(bodiesUnder(force, 6000), force, {.kernel = "tree", .allowedError = 1e-3});
    checkTreeOfAPart(tree, 1, false);
    const std::vector<StateArray> kept = tree.method().state();
    ASSERT_EQ(kept.size(), 1u) << "the criterion of the next evaluation goes by this one";
    for (const double length : kept[0].values) ASSERT_TRUE(length > 1e-3 && length < 1e3) << length;
    tree.move();
    checkTreeOfAPart(tree, 2, true);
}

TEST_F(BlockStepsOnGpu, treesOfAllLawsStepAsAllPairsDo) {
    for (const ForceSettings& force :
         {ForceSettings{.softening = 0.02}, ForceSettings{.law = kLaw<Coulomb>, .softening = 0.02},
          ForceSettings{.law = kLaw<PowerLaw>, .softening = 0.02, .exponent = 1.5}})
        expectTreeStepsAsPairs("cuda", "tiled", force, 3000, 3);
}

TEST_F(BlockStepsOnGpu, followTheReference) {
    const ParticleSet start = bodiesOfScene("hernquist", 600);
    const ForceSettings force{.precision = Precision::fp64, .softening = 0.02};
    const std::unique_ptr<Backend> truth = runOf("reference", start, force);
    truth->advance(blockProgram(), 1.0 / 32, {.steps = 6}, nullptr);
    EXPECT_GT(figureOf(*truth, "rung 2"), 10);
    for (const char* row : {"tiled", "tiled-split", "symmetric"}) {
        SCOPED_TRACE(row);
        const std::unique_ptr<Backend> run = runOf("cuda", start, force, {.kernel = row});
        GpuTest::run(*run, blockProgram(), 1.0 / 32, 6);
        const ParticleSet got = state(*run), want = state(*truth);
        double worst = 0;
        for (std::size_t i = 0; i < got.size(); ++i) {
            const double off = distance(got.position[i], want.position[i]);
            if (!(off <= worst)) worst = off;
        }
        EXPECT_LE(worst, 1e-11);
        if (std::string_view(row) != "symmetric") {  // it computes all bodies when most are active
            EXPECT_EQ(run->totals().interactions, truth->totals().interactions);
        }
        EXPECT_EQ(run->totals().forceEvaluations, 7) << "of all bodies: one a step, and the first";
        EXPECT_EQ(run->totals().steps, 6);
    }
}

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
            int rungs = 0;
            for (const std::string_view rung : kRungNames) rungs += figureOf(*truth, rung) > 0;
            EXPECT_GT(rungs, 1) << "no substeps: nothing is shown";
            const ParticleSet got = state(*run), want = state(*truth);
            double worst = 0, moved = 0;
            for (std::size_t i = 0; i < got.size(); ++i) {
                const double off = distance(got.position[i], want.position[i]);
                if (!(off <= worst)) worst = off;
                moved = std::max(moved, distance(want.position[i], start.position[i]));
            }
            // Rounded forces put an atom at the border of two rungs on the other one, and atoms that touch separate quickly.
            EXPECT_LE(worst, precision == Precision::fp64 ? 1e-10 : cells ? 3e-4 : 1e-5);
            EXPECT_GT(moved, 1e-3);
        }
}

TEST_F(BlockStepsOnGpu, goOnFromAnyStepAsIfNeverStoppedHoweverTheyAreCut) {
    const ParticleSet start = bodiesOfScene("hernquist", 20000);
    for (const Precision precision : {Precision::fp32, Precision::mixed})
        for (const KernelChoice& kernel :
             {KernelChoice{.kernel = "tree", .allowedError = 1e-3}, KernelChoice{.kernel = "tiled"},
              KernelChoice{.kernel = "global"}, KernelChoice{.kernel = "symmetric"}}) {
            SCOPED_TRACE(nameOf(kernel) + ' ' + std::to_string(static_cast<int>(precision)));
            const ForceSettings force{.precision = precision, .softening = 0.01};
            const std::unique_ptr<Backend> whole = runOf("cuda", start, force, kernel);
            GpuTest::run(*whole, blockProgram(), 1.0 / 16, 4);
            EXPECT_GT(figureOf(*whole, "rung 3"), 1);
            for (const std::int64_t steps : {1, 3}) {
                const std::unique_ptr<Backend> first = runOf("cuda", start, force, kernel);
                int cut = 0;
                for (std::int64_t done = 0; done < steps;) {
                    const double seconds = cut % 7 == 6 ? 2e-3 : 0;
                    const AdvanceStatus status =
                        first->advance(blockProgram(), 1.0 / 16, {.seconds = seconds, .steps = steps - done}, nullptr);
                    done += status.stepsCompleted;
                    cut += status.stepProgress > 0;
                }
                EXPECT_GT(cut, 4) << "no step was cut: this test shows nothing";
                first->wait();
                const std::unique_ptr<Backend> second = runOf("cuda", state(*first), force, kernel);
                second->restoreForceState(first->forceState());
                GpuTest::run(*second, blockProgram(), 1.0 / 16, 4 - steps);
                EXPECT_TRUE(sameState(state(*second), state(*whole))) << steps;
                GpuTest::run(*first, blockProgram(), 1.0 / 16, 4 - steps);
                EXPECT_TRUE(sameState(state(*first), state(*whole))) << steps << ", not resumed";
            }
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

TEST_F(BlockStepsOnGpu, forcesAreCheckedWhereAllBodiesHaveThem) {
    for (const KernelChoice& kernel :
         {KernelChoice{.kernel = "tree", .allowedError = 1e-3}, KernelChoice{.kernel = "tiled"}}) {
        const ParticleSet start = bodiesOfScene("hernquist", 20000);
        const std::unique_ptr<Backend> run = runOf("cuda", start, {.softening = 0.01}, kernel);
        GpuTest::run(*run, blockProgram(), 1.0 / 16, 2);
        run->requestForceCheck(randomTargets(start.size()));
        GpuTest::run(*run, blockProgram(), 1.0 / 16, 1);
        const std::optional<ForceCheck> check = run->takeForceCheck();
        ASSERT_TRUE(check.has_value());
        EXPECT_TRUE(check->passed) << "bodies in the midst of their own step have the force of another place: "
                                   << check->text();
    }
}

TEST_F(BlockStepsOnGpu, keepEnergyAtFewerForcesThanAStepForAll) { expectEnergyAtFewerForces("cuda", {.kernel = "tiled"}); }

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
