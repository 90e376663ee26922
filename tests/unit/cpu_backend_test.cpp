// What only the CPU backend has: instruction sets, threads, precisions, memory that runs out.
#include "sim/api/errors.h"
#include "sim/backends/cpu/engine.h"
#include "sim/forces/fields/field_text.h"
#include "sim/forces/law.h"
#include "sim/io/run_settings.h"
#include "tests/bodies.h"
#include "tests/scarce_memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

namespace gravlab {
namespace {

using namespace testing_support;
using test::FailingAllocation;
using testing::HasSubstr;

std::unique_ptr<Backend> made(const BackendOptions& options = {}) { return backend("cpu").make(options); }

StepProgram leapfrog() { return integrator("leapfrog").program; }

std::string refusedUse(const std::function<void()>& action) {
    try {
        action();
    } catch (const UsageError& error) {
        return error.what();
    }
    return {};
}

TEST(CpuBackend, instructionSetsAreChosenByName) {
    ASSERT_FALSE(cpu::simdTargets().empty());
    EXPECT_EQ(cpu::simdTargets().back().name, "scalar");
    for (const cpu::SimdTarget& target : cpu::simdTargets()) {
        const std::string text = made({.threads = 1, .simd = std::string(target.name)})->description();
        EXPECT_THAT(text, HasSubstr(std::string(target.title)));
        EXPECT_THAT(text, HasSubstr("1 thread"));
    }
    EXPECT_EQ(made({})->description(), made({.simd = std::string(cpu::simdTargets().front().name)})->description());
    const std::string why = refusedUse([] { made({.simd = "avx3000"}); });
    for (const cpu::SimdTarget& target : cpu::simdTargets()) EXPECT_THAT(why, HasSubstr(std::string(target.name)));
    EXPECT_THAT(why, HasSubstr("avx3000"));
}

TEST(CpuBackend, aLaunchChangesBitsOnlyWhereItChangesTheOrderOfSums) {
    const ParticleSet bodies = unevenBodies(9000);
    for (const KernelRow& row : kernels()) {
        if (row.backend != "cpu" || row.byCutOff || (row.blockSizes.empty() && row.unrolls.empty())) continue;
        SCOPED_TRACE(std::string(row.name));
        const std::unique_ptr<Backend> backend = made({.threads = 2});
        const auto forces = [&](const LaunchConfig& launch) {
            backend->load(bodies, termsOf({.softening = 0.02}), {{.kernel = {std::string(row.name), launch}}});
            std::vector<Double4> a;
            backend->accelerations(a);
            return a;
        };
        const std::vector<Double4> usual = forces(row.usual);
        EXPECT_EQ(backend->activeLaunch().block, row.blockSizes.empty() ? 1 : row.usual.block);
        const bool inOrder = row.cut != Split::tilePairs;
        for (const int block : row.blockSizes) {
            LaunchConfig launch = row.usual;
            launch.block = block;
            const std::vector<Double4> got = forces(launch);
            EXPECT_EQ(backend->activeLaunch().block, block);
            EXPECT_EQ(sameBytes(got, usual), inOrder || block >= 256) << "block " << block;
            const std::vector<std::uint32_t> targets = sampleTargets(bodies.position, 200);
            std::vector<Double4> want(targets.size()), chosen;
            referenceGravity(bodies.position, targets, 0.02, want);
            for (const std::uint32_t target : targets) chosen.push_back(got.at(target));
            EXPECT_TRUE(compareForces(chosen, want, gateOf(row, {})).passed) << "block " << block;
        }
        for (const int unroll : row.unrolls) {
            EXPECT_TRUE(sameBytes(forces({.unroll = unroll}), usual)) << "unroll " << unroll;
            EXPECT_EQ(backend->activeLaunch().unroll, unroll);
        }
    }
}

TEST(CpuBackend, refusesALaunchThatARowIsNotBuiltWith) {
    const std::unique_ptr<Backend> backend = made({.threads = 1});
    const auto refused = [&](const char* name, const LaunchConfig& launch) {
        return refusedUse([&] { backend->configure({}, {name, launch}); });
    };
    EXPECT_THAT(refused("simd", {.unroll = 3}), HasSubstr("unroll 3 is not built for kernel 'simd': valid are 1, 2, 4, 8"));
    EXPECT_THAT(refused("tree", {.block = 300}), HasSubstr("nearest: 256"));
    const auto open = [&](const LaunchConfig& launch) {
        const std::string why = refusedUse([&] { backend->configure({}, {{}, launch}); });
        return why.empty() ? std::string(backend->activeKernel().name) : why;
    };
    EXPECT_EQ(open({.block = 256}), "symmetric-threads") << "one that has what is asked for";
    EXPECT_EQ(open({.unroll = 4}), "simd-threads");
    EXPECT_THAT(open({.block = 256, .unroll = 4}), HasSubstr("leave one of them out"));
    EXPECT_EQ(refused("naive", {.block = 300, .unroll = 3}), "") << "it has none, and takes no notice";
    EXPECT_EQ(refused("symmetric-threads", {1, 1, 1, 1}), "") << "as runs wrote it down before it had one";
    EXPECT_EQ(backend->activeLaunch().block, 512);
}

TEST(CpuBackend, aLiveLaunchLetsATreeGoOnFromWhatItKnows) {
    const auto went = [](int block) {
        const std::unique_ptr<Backend> backend = made({.threads = 2});
        const KernelChoice before{.kernel = "tree", .allowedError = 1e-3};
        backend->load(unevenBodies(4000), termsOf({.softening = 0.02}), {{.kernel = before}});
        (void)backend->advance(leapfrog(), 0.01, {.steps = 2}, nullptr);
        KernelChoice after = before;
        after.launch.block = block;
        backend->configure({.softening = 0.02}, after);
        (void)backend->advance(leapfrog(), 0.01, {.steps = 1}, nullptr);
        return stateOf(*backend);
    };
    const ParticleSet want = went(LaunchConfig().block), got = went(512);
    EXPECT_TRUE(sameBytes(got.position, want.position)) << "the first force after it was by the opening angle";
}

TEST(CpuBackend, refusesNumbersOfThreadsThatMakeNoSense) {
    for (const int threads : {-1, 0})
        EXPECT_THAT(refusedUse([threads] { made({.threads = threads}); }), HasSubstr("threads must be 1 to"));
    EXPECT_THAT(refusedUse([] { made({.threads = 100000}); }), HasSubstr(std::to_string(kMostThreads)));
    // The backend accepts every value that a file or an option may have.
    const auto rows = settingRows();
    const auto row = std::find_if(rows.begin(), rows.end(), [](const SettingRow& r) { return r.key == "threads"; });
    ASSERT_NE(row, rows.end());
    RunRequest settings;
    EXPECT_TRUE(row->take(settings, "1100"));
    EXPECT_THAT(made(settings.backendOptions)->description(), HasSubstr("1100 threads"));
    EXPECT_TRUE(row->take(settings, std::to_string(kMostThreads)));
    EXPECT_FALSE(row->take(settings, std::to_string(kMostThreads + 1)));
    EXPECT_THAT(std::string(row->expected), HasSubstr(std::to_string(kMostThreads)));
}

TEST(CpuBackend, refusesForcesThatItDoesNotHave) {
    const std::unique_ptr<Backend> cpu = made();
    EXPECT_THAT(refusedUse([&] { cpu->configure({.law = kLaw<PowerLaw>, .exponent = 13}, {}); }), HasSubstr("exponent"));
    if (refusal(kernel("cpu", "openmp"), {}).empty()) {
        EXPECT_THAT(refusedUse([&] { cpu->configure({.precision = Precision::fp64}, {.kernel = "openmp"}); }),
                    HasSubstr("fp32"));
    }
}

TEST(CpuBackend, autoTakesSymmetryForManyBodiesOnAnyNumberOfThreads) {
    for (const int threads : {1, 2, 16}) {
        const std::unique_ptr<Backend> cpu = made({.threads = threads});
        cpu->load(unevenBodies(4095));
        EXPECT_EQ(cpu->activeKernel().name, "simd-threads") << threads;
        cpu->load(unevenBodies(4096));
        EXPECT_EQ(cpu->activeKernel().name, "symmetric-threads") << threads;
    }
    const std::unique_ptr<Backend> cpu = made({.threads = 2});
    cpu->load(unevenBodies(20000));
    cpu->configure({}, {.kernel = "simd"});
    EXPECT_EQ(cpu->activeKernel().name, "simd");
    cpu->configure({}, {});
    EXPECT_EQ(cpu->activeKernel().name, "symmetric-threads");
}

TEST(CpuBackend, instructionSetsDoNotDisturbEachOther) {
    const ParticleSet bodies = unevenBodies(300);
    std::vector<std::unique_ptr<Backend>> together;
    for (const cpu::SimdTarget& target : cpu::simdTargets())
        together.push_back(made({.threads = 1, .simd = std::string(target.name)}));
    for (auto& cpu : together) cpu->load(bodies);
    for (std::size_t i = 0; i < together.size(); ++i) {
        const std::unique_ptr<Backend> alone = made({.threads = 1, .simd = std::string(cpu::simdTargets()[i].name)});
        alone->load(bodies);
        std::vector<Double4> a, b;
        together[i]->accelerations(a);
        alone->accelerations(b);
        EXPECT_TRUE(sameBytes(a, b));
    }
}

TEST(CpuBackend, aNewPrecisionKeepsTheBodies) {
    const std::unique_ptr<Backend> cpu = made();
    const ParticleSet bodies = unevenBodies(200);
    cpu->load(bodies);
    cpu->configure({.precision = Precision::fp64, .softening = 0.1}, {});
    EXPECT_TRUE(sameState(stateOf(*cpu), bodies));
    cpu->advance(leapfrog(), 0.01, {.steps = 3}, nullptr);
    const ParticleSet moved = stateOf(*cpu);
    cpu->configure({.softening = 0.1}, {});
    const ParticleSet rounded = stateOf(*cpu);
    ASSERT_EQ(rounded.id, moved.id);
    ASSERT_EQ(rounded.group, moved.group);
    for (std::size_t i = 0; i < moved.size(); ++i) EXPECT_NEAR(rounded.position[i].x, moved.position[i].x, 1e-6);
    EXPECT_FALSE(sameState(rounded, moved));
}

TEST(CpuBackend, aNewKernelTakesOverInTheMiddleOfAStep) {
    const ParticleSet bodies = unevenBodies(6000);
    const std::unique_ptr<Backend> changed = made({.threads = 2}), plain = made({.threads = 2});
    for (Backend* cpu : {changed.get(), plain.get()}) cpu->load(bodies);
    changed->configure({}, {.kernel = "naive"});
    ASSERT_EQ(changed->advance(leapfrog(), 0.01, {.seconds = 0}, nullptr).stepsCompleted, 0);
    changed->configure({}, {.kernel = "simd-threads"});
    plain->configure({}, {.kernel = "simd-threads"});
    for (Backend* cpu : {changed.get(), plain.get()}) cpu->advance(leapfrog(), 0.01, {.steps = 2}, nullptr);
    EXPECT_TRUE(sameState(stateOf(*changed), stateOf(*plain)));
}

TEST(CpuBackend, asManyOtherBodiesNeedNoMemory) {
    const ParticleSet first = unevenBodies(800), second = unevenBodies(800, 9);
    // Equal terms, of which none outlives its load.
    const auto field = [&] { return withFields({}, parsedFields("harmonic,frequency=0.3"), second); };
    for (const char* kernel : {"tree", "symmetric-threads", "cells", "simd"})
        for (const Precision precision : {Precision::fp32, Precision::mixed, Precision::fp64})
            for (const bool alone : {true, false}) {
                ForceSettings force{.precision = precision, .softening = 0.02};
                if (std::string_view(kernel) == "cells") force.law = kLaw<LennardJones>, force.softening = 0;
                if (!refusal(gravlab::kernel("cpu", kernel), force).empty()) continue;
                SCOPED_TRACE(std::string(kernel) + " " + std::to_string(static_cast<int>(precision)));
                const std::unique_ptr<Backend> cpu = made({.threads = 2}), fresh = made({.threads = 2});
                const auto terms = [&] { return alone ? termsOf(force) : termsOf(force, field()); };
                const SystemConfiguration how{{.kernel = {.kernel = kernel, .allowedError = 1e-3}}};
                cpu->load(first, terms(), how);
                fresh->load(second, terms(), how);
                cpu->advance(leapfrog(), 1e-6, {.steps = 2}, nullptr);
                cpu->advance(leapfrog(), 1e-6, {.seconds = 0, .steps = 1}, nullptr);  // within a step
                {
                    const FailingAllocation none(0);
                    ASSERT_NO_THROW(cpu->load(second, terms(), how));
                }
                EXPECT_TRUE(sameState(stateOf(*cpu), stateOf(*fresh)));
                for (Backend* const each : {cpu.get(), fresh.get()}) each->advance(leapfrog(), 1e-6, {.steps = 3}, nullptr);
                EXPECT_TRUE(sameState(stateOf(*cpu), stateOf(*fresh))) << "they know something of the bodies before";
            }
}

TEST(CpuBackend, withoutMemoryTheOldBodiesRunOn) {
    const ParticleSet few = unevenBodies(300), many = unevenBodies(5000);
    const std::unique_ptr<Backend> cpu = made({.threads = 2}), untouched = made({.threads = 2});
    cpu->load(few);
    untouched->load(few);
    int failures = 0;
    for (int index = 0;; ++index) {
        std::string text;
        try {
            const FailingAllocation failing(index);
            cpu->load(many);
        } catch (const OutOfMemoryError& error) {
            text = error.what();
        }
        if (text.empty()) break;
        ++failures;
        EXPECT_THAT(text, HasSubstr("5000 bodies need"));
        EXPECT_THAT(text, HasSubstr(" GB here"));
        ASSERT_EQ(cpu->size(), few.size());
        cpu->advance(leapfrog(), 0.01, {}, nullptr);
        untouched->advance(leapfrog(), 0.01, {}, nullptr);
        ASSERT_TRUE(sameState(stateOf(*cpu), stateOf(*untouched)));
    }
    EXPECT_GT(failures, 10) << "no allocation was made to fail: this test shows nothing";
    EXPECT_EQ(cpu->size(), many.size());
}

/// A row that declares a need for more memory than any machine has.
const bool kVastKernel = [] {
    cpu::CpuKernel vast = cpu::cpuKernel(kernel("cpu", "simd-threads"));
    vast.row.name = "vast";
    vast.bytes = [](std::size_t, const ForceSettings&) { return 1e18; };
    return cpu::CpuKernels::add(vast);
}();

TEST(CpuBackend, aKernelForWhichThereIsNoMemoryIsRefusedWhileItRuns) {
    ASSERT_TRUE(kVastKernel);
    const std::unique_ptr<Backend> cpu = made({.threads = 2}), untouched = made({.threads = 2});
    for (Backend* one : {cpu.get(), untouched.get()}) {
        one->load(unevenBodies(6000));
        one->configure({}, {.kernel = "simd-threads"});
        one->advance(leapfrog(), 0.01, {.seconds = 0}, nullptr);
    }
    EXPECT_THROW(cpu->configure({}, {.kernel = "vast"}), OutOfMemoryError);
    EXPECT_EQ(cpu->activeKernel().name, "simd-threads");
    for (Backend* one : {cpu.get(), untouched.get()}) one->advance(leapfrog(), 0.01, {.steps = 2}, nullptr);
    EXPECT_TRUE(sameState(stateOf(*cpu), stateOf(*untouched)));
}

TEST(CpuBackend, theForceCheckCatchesAWrongForce) {
    const ParticleSet bodies = unevenBodies(500);
    const ForceTerms terms = termsOf({.softening = 0.05});
    cpu::CheckJob job;
    ThreadPool pool(2);
    std::vector<std::uint32_t> targets = sampleTargets(bodies.position);
    std::vector<Double4> right(targets.size());
    referenceGravity(bodies.position, targets, 0.05, right);
    for (const bool wrong : {false, true}) {
        std::vector<Double4> got = right;
        if (wrong) got[7].y *= 1.001;
        job.request(targets);
        EXPECT_TRUE(job.wanted());
        job.begin(bodies.position, {}, {{terms[0], got, kGate32}}, got, nullptr, 0);
        int slices = 0;
        for (; job.running(); ++slices) job.run(pool, Deadline::clock::now());
        EXPECT_GT(slices, 3);
        const std::optional<ForceCheck> check = job.take();
        ASSERT_TRUE(check.has_value());
        EXPECT_EQ(check->passed, !wrong) << check->text();
        if (wrong) {
            EXPECT_EQ(check->worst, targets[7]);
        }
    }
    right[7].y *= 1.001;
    job.request(targets);
    job.begin(bodies.position, {}, {{terms[0], right, {.median = 1e-6, .p999 = 1e-2}}}, right, nullptr, 0);
    job.run(pool, kNoDeadline);
    EXPECT_TRUE(job.take()->passed) << "what a method allows is what it is held against";
}

TEST(CpuBackend, tinySystemsFollowTheReferenceInEveryIntegrator) {
    const ParticleSet bodies = unevenBodies(100);
    for (const Integrator& row : integrators()) {
        if (!refusal(backend("cpu"), row, bodies.size()).empty()) continue;
        SCOPED_TRACE(row.name);
        const std::unique_ptr<Backend> cpu = made(), truth = backend("reference").make({});
        cpu->configure({.precision = Precision::fp64, .softening = 0.05}, {});
        truth->configure({.precision = Precision::fp64, .softening = 0.05}, {});
        RecordingSink sink;
        for (Backend* each : {cpu.get(), truth.get()}) {
            each->load(bodies);
            for (const std::int64_t steps : {1, 30})
                ASSERT_EQ(each->advance(row.program, 0.01, {.steps = steps}, &sink).stepsCompleted, steps);
        }
        const ParticleSet got = stateOf(*cpu), want = stateOf(*truth);
        double worst = 0, moved = 0;
        for (std::size_t i = 0; i < bodies.size(); ++i) {
            worst = std::max(worst, distance(got.position[i], want.position[i]));
            moved = std::max(moved, distance(want.position[i], bodies.position[i]));
        }
        EXPECT_GT(moved, 0.1);
        EXPECT_LE(worst, 1e-13);
        const WorkTotals totals = cpu->totals();
        EXPECT_EQ(totals.steps, 31);
        if (inBlocks(row.program))
            EXPECT_EQ(totals.interactions, truth->totals().interactions) << "beside whole forces, parts of them";
        else
            EXPECT_EQ(totals.interactions, static_cast<double>(totals.forceEvaluations) * 100 * 100);
        EXPECT_EQ(totals.forceEvaluations, truth->totals().forceEvaluations);
        EXPECT_GT(totals.forceSeconds, 0);
    }
}

TEST(CpuBackend, aTimeBudgetEndsManyTinySteps) {
    const std::unique_ptr<Backend> cpu = made();
    cpu->load(unevenBodies(6));
    const AdvanceStatus status = cpu->advance(leapfrog(), 1e-6, {.seconds = 0.002, .steps = 1'000'000'000}, nullptr);
    EXPECT_GT(status.stepsCompleted, 10);
    EXPECT_LT(status.stepsCompleted, 1'000'000'000);
    EXPECT_EQ(cpu->advance(leapfrog(), 1e-6, {.seconds = 0, .steps = 5}, nullptr).stepsCompleted, 1);
}

TEST(CpuBackend, holdsNoBodiesWithoutFailing) {
    const std::unique_ptr<Backend> cpu = made();
    EXPECT_EQ(cpu->size(), 0u);
    EXPECT_EQ(cpu->advance(leapfrog(), 0.01, {.steps = 2}, nullptr).stepsCompleted, 2);
    std::vector<Double4> a;
    cpu->accelerations(a);
    EXPECT_TRUE(a.empty());
    RecordingSink sink;
    cpu->publish(sink);
    EXPECT_EQ(sink.closed, 1);
}

}  // namespace
}  // namespace gravlab
