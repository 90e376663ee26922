// What every backend and kernel must do. Include it once in a test binary and say which backends it walks:
//   INSTANTIATE_TEST_SUITE_P(Host, BackendSuite, testing::ValuesIn(kernelsOf({"reference", "cpu"})), kernelTestName);
// Rule: a backend that cannot run here is not walked, and the test says so.
#pragma once
#include "sim/api/errors.h"
#include "sim/backends/backend.h"
#include "sim/core/body_edit.h"
#include "sim/forces/force_check.h"
#include "sim/scenes/scene.h"
#include "tests/bodies.h"
#include "tests/on_backend.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <limits>
#include <string>
#include <thread>
#include <vector>

namespace gravlab {

using namespace testing_support;

/// The rows of these backends, as far as the backend runs here.
inline std::vector<KernelRow> kernelsOf(const std::vector<std::string>& names) {
    std::vector<KernelRow> rows;
    for (const KernelRow& row : kernels())
        if (std::find(names.begin(), names.end(), row.backend) != names.end() &&
            backend(row.backend).unavailable({}).empty() && refusal(row, {}).empty())
            rows.push_back(row);
    return rows;
}

inline std::string kernelTestName(const testing::TestParamInfo<KernelRow>& info) {
    std::string name = std::string(info.param.backend) + "_" + std::string(info.param.name);
    std::replace_if(
        name.begin(), name.end(), [](unsigned char c) { return !std::isalnum(c); }, '_');
    return name;
}

class BackendSuite : public testing::TestWithParam<KernelRow> {
protected:
    std::unique_ptr<Backend> made(double softening = 0.05) {
        std::unique_ptr<Backend> backend = gravlab::backend(GetParam().backend).make({});
        configure(*backend, softening);
        return backend;
    }
    void configure(Backend& backend, double softening) {
        backend.configure({.softening = softening}, {.kernel = std::string(GetParam().name)});
    }
    std::unique_ptr<Backend> loaded(const ParticleSet& bodies, double softening = 0.05) {
        std::unique_ptr<Backend> backend = made(softening);
        backend->load(bodies);
        return backend;
    }
    /// As a program edits: at a step boundary, on a copy, which is loaded when it is complete.
    static void edit(Backend& backend, std::span<const BodyEdit> edits) {
        backend.finishStep();
        ParticleSet bodies = backend.bodies();
        applyEdits(bodies, edits);
        backend.load(bodies);
    }
    bool isDouble() const { return GetParam().backend == "reference"; }
    bool approximates() const { return GetParam().approximates; }
    /// The relative error that 99 % of the bodies keep under a row that approximates.
    double kept() const { return keptAccuracy(GetParam(), {}); }
    ForceGate gate() const { return gateOf(GetParam(), {}); }
    /// `in64` for backends that compute in double precision, otherwise `in32`.
    double tolerance(double in64, double in32) const { return isDouble() ? in64 : in32; }

    /// Bodies that the row can compute: with equal masses where it needs them.
    static ParticleSet unevenBodies(std::size_t count, std::uint64_t seed = 1) {
        ParticleSet bodies = testing_support::unevenBodies(count, seed);
        if (GetParam().equalMasses)
            for (Double4& body : bodies.position) body.w = 1.0 / 1024;
        return bodies;
    }
    /// Bit by bit; for a row without a fixed order of sums, within its rounding.
    static bool sameState(const ParticleSet& a, const ParticleSet& b) {
        if (GetParam().deterministic) return testing_support::sameState(a, b);
        bool same = a.size() == b.size() && a.id == b.id;
        for (std::size_t i = 0; same && i < a.size(); ++i) same = distance(a.position[i], b.position[i]) <= 1e-6;
        return same;
    }
    static void run(Backend& backend, StepProgram program, double timeStep, std::int64_t steps) {
        std::int64_t done = 0;
        while (done < steps) done += backend.advance(program, timeStep, {.steps = steps - done}, nullptr).stepsCompleted;
        backend.wait();
        ASSERT_EQ(done, steps);
    }
    static ParticleSet state(Backend& backend) { return stateOf(backend); }
    /// So many bodies that a budget of 0 seconds does not complete a step; empty if this backend is too fast for that.
    std::optional<ParticleSet> bodiesThatNeedCutting() {
        for (const std::size_t count : {1500, 6000, 24000, 100000, 400000}) {
            const ParticleSet bodies = unevenBodies(count);
            const std::unique_ptr<Backend> backend = made();
            try {
                backend->load(bodies);
            } catch (const UsageError&) {
                break;  // more bodies than this row allows
            }
            const AdvanceStatus status = backend->advance(integrator("leapfrog").program, 0.01, kInstant, nullptr);
            backend->wait();
            if (status.stepsCompleted == 0) return bodies;
        }
        return std::nullopt;
    }
    static constexpr Budget kInstant{.seconds = 0, .steps = 1};

    /// Advances in the smallest slices; returns the number of calls.
    static int crawl(Backend& backend, StepProgram program, double timeStep, std::int64_t steps) {
        int calls = 0;
        for (std::int64_t done = 0; done < steps; ++calls)
            done += backend.advance(program, timeStep, {.seconds = 0, .steps = steps - done}, nullptr).stepsCompleted;
        return calls;
    }
};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(BackendSuite);

TEST_P(BackendSuite, forcesAgreeWithTheReferenceForEveryCount) {
    for (const std::size_t count : {1, 2, 3, 31, 32, 33, 255, 256, 257, 1000, 4097})
        for (const double softening : {0.0, 0.05}) {
            SCOPED_TRACE("N = " + std::to_string(count) + ", softening " + std::to_string(softening));
            const ParticleSet bodies = unevenBodies(count);
            const std::unique_ptr<Backend> backend = loaded(bodies, softening);
            std::vector<Double4> got;
            backend->accelerations(got);
            ASSERT_EQ(got.size(), count);
            ASSERT_EQ(backend->activeKernel().name, GetParam().name);
            std::vector<std::uint32_t> all(count);
            for (std::size_t i = 0; i < count; ++i) all[i] = static_cast<std::uint32_t>(i);
            std::vector<Double4> want(count);
            referenceGravity(bodies.position, all, softening, want);
            const ForceCheck check = compareForces(got, want, gate());
            EXPECT_TRUE(check.passed) << check.text();
            EXPECT_LE(check.max, approximates() ? 30 * kept() : tolerance(1e-12, 3e-5)) << check.text();
        }
}

TEST_P(BackendSuite, goldenForces) {
    if (GetParam().equalMasses) GTEST_SKIP() << "the golden bodies weigh 1, 2, 3 and 4";
    for (const Golden& golden : kGolden) {
        const std::unique_ptr<Backend> backend = loaded(goldenBodies(), golden.softening);
        std::vector<Double4> got;
        backend->accelerations(got);
        ASSERT_EQ(got.size(), 4u);
        for (int i = 0; i < 4; ++i) {
            const double* want = golden.a[i];
            const double size = std::sqrt(want[0] * want[0] + want[1] * want[1] + want[2] * want[2]);
            const double error = distance(got[static_cast<std::size_t>(i)], {want[0], want[1], want[2], 0}) / size;
            EXPECT_LE(error, tolerance(1e-15, 3e-7)) << "body " << i << ", softening " << golden.softening;
        }
    }
}

TEST_P(BackendSuite, coincidentBodiesWithoutSofteningFeelNoForce) {
    const bool equal = GetParam().equalMasses;
    const ParticleSet bodies =
        bodiesOf({{1, 2, 3, 5}, {1, 2, 3, equal ? 5.0 : 7}, {1, 2, 3, equal ? 5.0 : 0}}, {{}, {}, {}});
    const std::unique_ptr<Backend> backend = loaded(bodies, 0);
    std::vector<Double4> got;
    backend->accelerations(got);
    for (const Double4& a : got) {
        EXPECT_EQ(a.x, 0);
        EXPECT_EQ(a.y, 0);
        EXPECT_EQ(a.z, 0);
    }
}

TEST_P(BackendSuite, aLoneBodyDriftsStraight) {
    const std::unique_ptr<Backend> backend = loaded(bodiesOf({{0, 0, 0, 1}}, {{1, -2, 3, 1}}));
    run(*backend, integrator("leapfrog").program, 0.25, 4);
    const ParticleSet end = state(*backend);
    EXPECT_EQ(end.position[0].x, 1);
    EXPECT_EQ(end.position[0].y, -2);
    EXPECT_EQ(end.position[0].z, 3);
    EXPECT_EQ(end.position[0].w, 1);
}

TEST_P(BackendSuite, slicingLeavesEveryIntegratorBitIdentical) {
    const std::optional<ParticleSet> bodies = bodiesThatNeedCutting();
    if (!bodies) GTEST_SKIP() << "no step is ever cut";
    const ParticleSet& start = *bodies;
    int cut = 0;
    for (const Integrator& row : integrators()) {
        SCOPED_TRACE(row.name);
        if (!refusal(gravlab::backend(GetParam().backend), row, start.size()).empty()) continue;
        const std::unique_ptr<Backend> whole = loaded(start), sliced = loaded(start);
        run(*whole, row.program, 0.01, 2);
        const int calls = crawl(*sliced, row.program, 0.01, 2);
        cut += calls > 2 ? 1 : 0;
        // A step with one force, launched together with the operations after it, is one slice.
        EXPECT_TRUE(calls > 2 || GetParam().name == "fused") << "no step was ever cut: this test shows nothing";
        const ParticleSet a = state(*whole), b = state(*sliced);
        EXPECT_TRUE(sameState(a, b));
        EXPECT_FALSE(sameBytes(a.position, start.position)) << "nothing moved";
    }
    EXPECT_GT(cut, 0) << "no step was ever cut: this test shows nothing";
}

TEST_P(BackendSuite, runsRepeatToTheLastBit) {
    if (!GetParam().deterministic) GTEST_SKIP() << "the row says that it is not deterministic";
    const std::unique_ptr<Backend> first = loaded(unevenBodies(777)), second = loaded(unevenBodies(777));
    run(*first, integrator("leapfrog").program, 0.01, 5);
    run(*second, integrator("leapfrog").program, 0.01, 5);
    EXPECT_TRUE(sameState(state(*first), state(*second)));
}

TEST_P(BackendSuite, onlyCompleteStepsAreSeen) {
    const std::optional<ParticleSet> bodies = bodiesThatNeedCutting();
    if (!bodies) GTEST_SKIP() << "no step is ever cut";
    const ParticleSet& start = *bodies;
    const std::unique_ptr<Backend> backend = loaded(start);
    const ParticleSet before = state(*backend);
    const AdvanceStatus status = backend->advance(integrator("leapfrog").program, 0.01, kInstant, nullptr);
    ASSERT_EQ(status.stepsCompleted, 0) << "the step was not cut: this test shows nothing";
    EXPECT_GT(status.stepProgress, 0);
    EXPECT_LT(status.stepProgress, 1);
    EXPECT_TRUE(sameState(state(*backend), before));
    backend->finishStep();
    EXPECT_FALSE(sameBytes(state(*backend).position, before.position));
    const AdvanceStatus report = backend->advance(integrator("leapfrog").program, 0.01, {.seconds = 0, .steps = 0}, nullptr);
    EXPECT_EQ(report.stepsCompleted, 1);
    EXPECT_EQ(report.stepProgress, 0);
}

TEST_P(BackendSuite, aStepUnderWayEndsAsItBegan) {
    const std::optional<ParticleSet> bodies = bodiesThatNeedCutting();
    if (!bodies) GTEST_SKIP() << "no step is ever cut";
    const StepProgram leapfrog = integrator("leapfrog").program;
    // The second program needs more than one state.
    for (const char* name : {"symplectic-euler", "rk4"}) {
        const std::unique_ptr<Backend> changed = loaded(*bodies), plain = loaded(*bodies);
        const StepProgram next = integrator(name).program;
        ASSERT_EQ(changed->advance(leapfrog, 0.01, kInstant, nullptr).stepsCompleted, 0);
        run(*changed, next, 0.02, 2);
        run(*plain, leapfrog, 0.01, 1);
        run(*plain, next, 0.02, 1);
        EXPECT_TRUE(sameState(state(*changed), state(*plain))) << name;
    }
}

TEST_P(BackendSuite, newSofteningNeverMixesIntoAStep) {
    const std::optional<ParticleSet> bodies = bodiesThatNeedCutting();
    if (!bodies) GTEST_SKIP() << "no step is ever cut";
    const ParticleSet& start = *bodies;
    const StepProgram leapfrog = integrator("leapfrog").program;
    const std::unique_ptr<Backend> changed = loaded(start, 0.05), oldStep = loaded(start, 0.05),
                                   newStep = loaded(start, 0.2);
    ASSERT_EQ(changed->advance(leapfrog, 0.01, kInstant, nullptr).stepsCompleted, 0);
    configure(*changed, 0.2);
    run(*changed, leapfrog, 0.01, 2);
    run(*oldStep, leapfrog, 0.01, 1);
    configure(*oldStep, 0.2);
    run(*oldStep, leapfrog, 0.01, 1);
    run(*newStep, leapfrog, 0.01, 2);
    const ParticleSet end = state(*changed);
    EXPECT_TRUE(sameState(end, state(*oldStep)) || sameState(end, state(*newStep)));
    EXPECT_FALSE(sameState(state(*oldStep), state(*newStep))) << "softening does not matter: this test shows nothing";
}

TEST_P(BackendSuite, publishesTheNewestCompleteStep) {
    const std::unique_ptr<Backend> backend = loaded(unevenBodies(300));
    if (backend->vertexSpace() != MemorySpace::host) GTEST_SKIP() << "publishes into device memory";
    RecordingSink sink;
    const AdvanceStatus status = backend->advance(integrator("leapfrog").program, 0.01, {.steps = 5}, &sink);
    EXPECT_TRUE(status.published);
    EXPECT_EQ(status.stepsCompleted, 5);
    EXPECT_GE(sink.opened, 1);
    EXPECT_EQ(sink.opened, sink.closed);
    const ParticleSet shown = state(*backend);
    ASSERT_EQ(sink.vertices.size(), shown.size());
    const auto expectVertices = [&](auto value, double slack) {
        for (std::size_t i = 0; i < shown.size(); ++i) {
            EXPECT_EQ(sink.vertices[i].x, static_cast<float>(shown.position[i].x));
            EXPECT_EQ(sink.vertices[i].y, static_cast<float>(shown.position[i].y));
            EXPECT_EQ(sink.vertices[i].z, static_cast<float>(shown.position[i].z));
            EXPECT_NEAR(sink.vertices[i].value, value(i), slack);
        }
    };
    const auto speed = [&](std::size_t i) { return distance(shown.velocity[i], {}); };
    expectVertices(speed, 1e-6);
    backend->setVertexValue(VertexValue::source);
    backend->publish(sink);
    expectVertices([&](std::size_t i) { return shown.position[i].w; }, 1e-9);
    backend->setVertexValue(VertexValue::kineticEnergy);
    backend->publish(sink);
    expectVertices([&](std::size_t i) { return shown.position[i].w * speed(i) * speed(i) / 2; }, 1e-8);
    backend->setVertexValue(VertexValue::acceleration);
    backend->publish(sink);
    std::vector<Double4> a;
    backend->accelerations(a);
    expectVertices([&](std::size_t i) { return distance(a[i], {}); }, 1e-5);
}

TEST_P(BackendSuite, aCutStepPublishesNothing) {
    const std::optional<ParticleSet> bodies = bodiesThatNeedCutting();
    if (!bodies) GTEST_SKIP() << "no step is ever cut";
    const std::unique_ptr<Backend> backend = loaded(*bodies);
    if (backend->vertexSpace() != MemorySpace::host) GTEST_SKIP() << "publishes into device memory";
    RecordingSink sink;
    const AdvanceStatus status = backend->advance(integrator("leapfrog").program, 0.01, kInstant, &sink);
    EXPECT_FALSE(status.published);
    EXPECT_EQ(sink.opened, 0);
}

TEST_P(BackendSuite, refusesWhatItCannotAndKeepsRunning) {
    const std::unique_ptr<Backend> backend = loaded(unevenBodies(100), 0.05);
    const std::unique_ptr<Backend> untouched = loaded(unevenBodies(100), 0.05);
    const std::string name(GetParam().name);
    EXPECT_THROW(backend->configure({.softening = -1}, {.kernel = name}), UsageError);
    EXPECT_THROW(backend->configure({.softening = std::numeric_limits<double>::quiet_NaN()}, {.kernel = name}), UsageError);
    EXPECT_THROW(backend->configure({.softening = 0.3}, {.kernel = "no-such-kernel"}), UsageError);
    EXPECT_EQ(backend->activeKernel().name, GetParam().name);
    EXPECT_EQ(&backend->activeKernel(), findKernel(backend->name(), name)) << "the row of the lists";
    run(*backend, integrator("leapfrog").program, 0.01, 2);
    run(*untouched, integrator("leapfrog").program, 0.01, 2);
    EXPECT_TRUE(sameState(state(*backend), state(*untouched)));
}

TEST_P(BackendSuite, loadsBodiesAndTheirConfigurationTogetherOrNotAtAll) {
    const ParticleSet few = unevenBodies(100), others = unevenBodies(130);
    const KernelChoice kernel{.kernel = std::string(GetParam().name)};
    const std::unique_ptr<Backend> backend = loaded(few, 0.05), untouched = loaded(few, 0.05);
    const ForceConfiguration before = backend->configuration();
    EXPECT_EQ(before.force.softening, 0.05);
    EXPECT_THROW(backend->load(others, {{.softening = -1}, kernel}), UsageError);
    EXPECT_THROW(backend->load(others, {{.softening = 0.1}, {.kernel = "no-such-kernel"}}), UsageError);
    EXPECT_EQ(backend->configuration(), before);
    for (Backend* each : {backend.get(), untouched.get()}) run(*each, integrator("leapfrog").program, 0.01, 2);
    EXPECT_TRUE(sameState(state(*backend), state(*untouched)));

    backend->load(others, {{.softening = 0.2}, kernel});
    EXPECT_EQ(backend->configuration(), (ForceConfiguration{{.softening = 0.2}, kernel}));
    EXPECT_EQ(backend->activeKernel().name, GetParam().name);
    const std::unique_ptr<Backend> fresh = loaded(others, 0.2);
    for (Backend* each : {backend.get(), fresh.get()}) run(*each, integrator("leapfrog").program, 0.01, 2);
    if (GetParam().deterministic) {
        EXPECT_TRUE(sameState(state(*backend), state(*fresh)));
    }
}

TEST_P(BackendSuite, accelerationsInTheMiddleOfAStepLetItGoOn) {
    const ParticleSet bodies = unevenBodies(isDouble() ? 900 : 6000);
    const StepProgram program = integrator("leapfrog").program;
    const std::unique_ptr<Backend> asked = loaded(bodies, 0.05), plain = loaded(bodies, 0.05);
    std::vector<Double4> want, got;
    plain->accelerations(want);
    plain->load(bodies);
    const double spent = plain->totals().interactions;
    for (Backend* each : {asked.get(), plain.get()}) {
        const AdvanceStatus status = each->advance(program, 0.01, {.seconds = 0}, nullptr);
        if (status.stepsCompleted > 0) GTEST_SKIP() << "a slice holds a whole step here";
        // A new softening starts at the end of the step: the state shown still uses the old one.
        each->configure({.softening = 0.4}, {.kernel = std::string(GetParam().name)});
    }
    const AdvanceStatus before = asked->advance(program, 0.01, {.steps = 0}, nullptr);
    asked->accelerations(got);
    const AdvanceStatus after = asked->advance(program, 0.01, {.steps = 0}, nullptr);
    EXPECT_EQ(after.stepProgress, before.stepProgress) << "what was done of the step is lost";
    const ForceCheck check = compareForces(got, want, gate());
    EXPECT_TRUE(check.passed) << check.text();
    for (Backend* each : {asked.get(), plain.get()}) run(*each, program, 0.01, 2);
    if (GetParam().deterministic) {
        EXPECT_TRUE(sameState(state(*asked), state(*plain)));
    }
    const double n = static_cast<double>(bodies.size());
    const double more = asked->totals().interactions - (plain->totals().interactions - spent);
    EXPECT_TRUE(more == n * n || more == 0 || (approximates() && more < n * n))
        << more << " pairs more, of " << n * n << " at most";
}

TEST_P(BackendSuite, editsSingleBodies) {
    const std::unique_ptr<Backend> backend = loaded(unevenBodies(40));
    const bool equal = GetParam().equalMasses;
    const double mass = equal ? 1.0 / 1024 : 0.5, added = equal ? 1.0 / 1024 : 0.25;
    const std::vector<BodyEdit> edits = {
        {.kind = BodyEdit::Kind::set, .id = 3, .position = {9, 8, 7, mass}, .velocity = {1, 2, 3, 1}, .group = 4},
        {.kind = BodyEdit::Kind::remove, .id = 10},
        {.kind = BodyEdit::Kind::add, .id = 99, .position = {-9, 0, 0, added}, .velocity = {0, 0, 1, 1}, .group = 5}};
    edit(*backend, edits);
    const ParticleSet after = state(*backend);
    ASSERT_EQ(after.size(), 40u);
    EXPECT_EQ(backend->size(), 40u);
    EXPECT_EQ(after.position[3].x, 9);
    EXPECT_EQ(after.position[3].w, mass);
    EXPECT_EQ(after.velocity[3].z, 3);
    EXPECT_EQ(after.group[3], 4);
    EXPECT_EQ(after.id[10], 11u);
    EXPECT_EQ(after.id[39], 99u);
    EXPECT_EQ(after.position[39].x, -9);
    const BodyEdit unknown{.kind = BodyEdit::Kind::remove, .id = 1234};
    EXPECT_THROW(edit(*backend, {&unknown, 1}), UsageError);
    EXPECT_TRUE(sameState(state(*backend), after));
    run(*backend, integrator("leapfrog").program, 0.01, 1);
}

TEST_P(BackendSuite, findsTheFirstBadBodyWhereItIs) {
    ParticleSet bodies = unevenBodies(700);
    const std::unique_ptr<Backend> backend = loaded(bodies);
    constexpr double kAnywhere = std::numeric_limits<double>::infinity();
    EXPECT_EQ(backend->firstBad(kAnywhere), 700u);
    const auto first = [&](double farthest) {
        backend->load(bodies);
        return backend->firstBad(farthest);
    };
    bodies.position[699].y = -2e6;
    EXPECT_EQ(first(3e6), 700u);
    EXPECT_EQ(first(1e6), 699u);
    bodies.velocity[513].z = std::numeric_limits<double>::quiet_NaN();
    EXPECT_EQ(first(1e6), 513u);
    bodies.position[300].x = kAnywhere;
    EXPECT_EQ(first(kAnywhere), 300u);
}

TEST_P(BackendSuite, heldBodiesFeelNoForceAndPullTheOthers) {
    const std::unique_ptr<Backend> backend = loaded(unevenBodies(40), 0.05), untouched = loaded(unevenBodies(40), 0.05);
    const ParticleSet before = state(*backend);
    const BodyEdit edits[] = {holdBody(before, 5, false), holdBody(before, 6, true)};
    edit(*backend, edits);
    const int steps = 8;
    run(*backend, integrator("leapfrog").program, 0.0078125, steps);
    run(*untouched, integrator("leapfrog").program, 0.0078125, steps);
    const ParticleSet after = state(*backend), free = state(*untouched);
    EXPECT_EQ(after.position[5].x, before.position[5].x);
    EXPECT_EQ(after.position[5].y, before.position[5].y);
    EXPECT_EQ(after.velocity[6].z, before.velocity[6].z);
    EXPECT_NEAR(after.position[6].y, before.position[6].y + steps * 0.0078125 * before.velocity[6].y, 1e-6);
    EXPECT_NE(free.position[5].x, before.position[5].x) << "without the edit it moves";
    EXPECT_TRUE(isHeld(after.velocity[5]) && isHeld(after.velocity[6]));
    // The others feel that body: their accelerations are those of all 40 bodies.
    std::vector<Double4> got, want(40);
    backend->accelerations(got);
    std::vector<std::uint32_t> targets(40);
    for (std::uint32_t i = 0; i < 40; ++i) targets[i] = i;
    const ForceSettings force{.softening = 0.05};
    referenceForces(after.position, after.velocity, targets, force, want);
    EXPECT_EQ(got[5].x, 0);
    const ForceCheck check = compareForces(got, want, gate());
    EXPECT_TRUE(check.passed) << check.text();
}

TEST_P(BackendSuite, checksItsOwnForces) {
    const ParticleSet bodies = unevenBodies(600);
    const std::unique_ptr<Backend> backend = loaded(bodies);
    backend->requestForceCheck(sampleTargets(bodies.position));
    EXPECT_FALSE(backend->takeForceCheck().has_value()) << "there is no force yet that could have been checked";
    std::optional<ForceCheck> check;
    for (int step = 0; step < 50 && !check; ++step) {
        run(*backend, integrator("leapfrog").program, 0.001, 1);
        check = backend->takeForceCheck();
    }
    ASSERT_TRUE(check.has_value());
    EXPECT_TRUE(check->passed) << check->text();
    EXPECT_GE(check->samples, 1u);
    EXPECT_FALSE(backend->takeForceCheck().has_value()) << "a result is handed out once";
    EXPECT_THROW(backend->requestForceCheck({600}), UsageError);
}

TEST_P(BackendSuite, aCheckIsOfTheAccuracyThatIsWanted) {
    if (!approximates() || GetParam().byOpening) return;
    const ParticleSet bodies = unevenBodies(3000);
    const std::unique_ptr<Backend> backend = loaded(bodies);
    const StepProgram program = integrator("leapfrog").program;
    const auto allow = [&](double error) {
        backend->configure({.softening = 0.05}, {.kernel = std::string(GetParam().name), .allowedError = error});
    };
    allow(1e-2);
    run(*backend, program, 0.001, 1);
    // A step under way ends with the accuracy of its start; its force is not valid for another accuracy.
    for (int call = 0; call < 100; ++call)
        if (backend->advance(program, 0.001, {.seconds = 0, .steps = 1}, nullptr).stepProgress > 0) break;
    allow(1e-4);
    backend->requestForceCheck(randomTargets(bodies.size()));
    std::optional<ForceCheck> check;
    for (int step = 0; step < 50 && !check; ++step) {
        backend->advance(program, 0.001, {}, nullptr);
        backend->wait();
        check = backend->takeForceCheck();
    }
    ASSERT_TRUE(check.has_value());
    EXPECT_EQ(check->allowed, 1e-4) << check->text();
    EXPECT_TRUE(check->passed) << check->text();
}

TEST_P(BackendSuite, aForceStateCanBeTakenInTheMiddleOfAForce) {
    if (!approximates() || GetParam().byOpening) return;
    const std::optional<ParticleSet> bodies = bodiesThatNeedCutting();
    if (!bodies) GTEST_SKIP() << "every step fits a budget of nothing";
    const StepProgram program = integrator("leapfrog").program;
    const std::unique_ptr<Backend> backend = loaded(*bodies), resumed = made();
    ASSERT_TRUE(backend->keepsForceState());
    run(*backend, program, 0.001, 2);
    const ParticleSet complete = state(*backend);
    const std::vector<StateArray> kept = backend->forceState();
    ASSERT_FALSE(kept.empty());
    double last = 0;
    for (int call = 0; call < 100 && !backend->forceStateNeedsStepEnd(); ++call) {
        EXPECT_EQ(backend->forceState(), kept) << "after " << last << " of the step";
        EXPECT_TRUE(sameState(state(*backend), complete)) << "after " << last << " of the step";
        const AdvanceStatus status = backend->advance(program, 0.001, kInstant, nullptr);
        last = status.stepProgress;
        if (status.stepsCompleted > 0) break;
    }
    backend->finishStep();
    EXPECT_FALSE(backend->forceStateNeedsStepEnd()) << "at the end of a step";
    resumed->load(complete);
    resumed->restoreForceState(kept);
    run(*resumed, program, 0.001, 1);
    EXPECT_TRUE(sameState(state(*backend), state(*resumed)));
}

TEST_P(BackendSuite, countsItsWork) {
    const std::unique_ptr<Backend> backend = loaded(unevenBodies(500));
    run(*backend, integrator("leapfrog").program, 0.01, 1);
    backend->wait();
    const WorkTotals before = backend->totals();
    run(*backend, integrator("leapfrog").program, 0.01, 4);
    backend->wait();
    WorkTotals after = backend->totals();
    EXPECT_EQ(after.steps - before.steps, 4);
    EXPECT_EQ(after.forceEvaluations - before.forceEvaluations, 4);
    // A device counts about fifty evaluations a second, and reports each count with a later one. A processor counts at once.
    const bool later = approximates() && GetParam().backend == "cuda";
    for (int more = 0; later && after.interactions == before.interactions && more < 500; ++more) {
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
        run(*backend, integrator("leapfrog").program, 0.01, 1);
        after = backend->totals();
    }
    const double pairs = after.interactions - before.interactions;
    const double all = static_cast<double>(after.steps - before.steps) * 500 * 500;
    if (approximates()) {
        EXPECT_GT(pairs, 0);
        EXPECT_LT(pairs, all);
        EXPECT_LT(pairs + after.cells - before.cells, all);
    } else {
        EXPECT_EQ(pairs, all);
        EXPECT_EQ(after.cells, 0);
    }
    EXPECT_GT(after.forceSeconds, before.forceSeconds);
}

TEST_P(BackendSuite, loadReplacesBodiesInTheMiddleOfAStep) {
    const std::unique_ptr<Backend> backend = loaded(unevenBodies(6000)), fresh = loaded(unevenBodies(200, 9));
    backend->advance(integrator("leapfrog").program, 0.01, kInstant, nullptr);
    backend->load(unevenBodies(200, 9));
    EXPECT_EQ(backend->size(), 200u);
    EXPECT_EQ(backend->advance(integrator("leapfrog").program, 0.01, {.steps = 0}, nullptr).stepProgress, 0);
    run(*backend, integrator("leapfrog").program, 0.01, 2);
    run(*fresh, integrator("leapfrog").program, 0.01, 2);
    EXPECT_TRUE(sameState(state(*backend), state(*fresh)));
}

TEST_P(BackendSuite, aLaterSnapshotIsOfTheMomentItWasAskedFor) {
    // More than one chunk of a copy, and not a whole number of them; the textbook loops would take seconds for this.
    const std::size_t count = GetParam().backend == "cuda" && GetParam().name != "many-steps" ? 70001 : 1501;
    const StepProgram program = integrator("leapfrog").program;
    std::unique_ptr<Backend> backend = loaded(unevenBodies(count));
    run(*backend, program, 0.01, 1);
    const ParticleSet first = state(*backend);
    SnapshotFuture later = backend->snapshotAsync();
    backend->snapshotAsync();  // this copy is never fetched
    run(*backend, program, 0.01, 2);
    const ParticleSet second = state(*backend);
    ASSERT_FALSE(sameState(first, second));
    SnapshotFuture another = backend->snapshotAsync();  // while the first is not fetched yet
    backend->load(unevenBodies(10));
    backend.reset();  // the fetch function outlives the backend
    ParticleSet fetched;
    std::thread([&] { fetched = later(); }).join();
    EXPECT_TRUE(sameState(fetched, first));
    std::thread([&] { fetched = another(); }).join();
    EXPECT_TRUE(sameState(fetched, second));
}

TEST_P(BackendSuite, momentumIsKept) {
    const Scene& plummer = sceneNamed("plummer");
    const std::unique_ptr<Backend> backend = loaded(plummer.build({.bodies = 1000, .seed = 3}), 0.05);
    run(*backend, integrator("leapfrog").program, 1.0 / 64, 20);
    Double4 p{};
    const ParticleSet end = state(*backend);
    for (std::size_t i = 0; i < end.size(); ++i) {
        p.x += end.position[i].w * end.velocity[i].x;
        p.y += end.position[i].w * end.velocity[i].y;
        p.z += end.position[i].w * end.velocity[i].z;
    }
    // A cell that pulls a body is not pulled by it.
    EXPECT_LE(distance(p, {}), approximates() ? kept() / 10 : tolerance(1e-15, 1e-7));
}

TEST_P(BackendSuite, leapfrogRunsBackwardsToTheStart) {
    const Scene& plummer = sceneNamed("plummer");
    const ParticleSet start = plummer.build({.bodies = 500, .seed = 3});
    const std::unique_ptr<Backend> backend = loaded(start, 0.05);
    const StepProgram program = integrator("leapfrog").program;
    run(*backend, program, 1.0 / 64, 32);
    const ParticleSet away = state(*backend);
    run(*backend, program, -1.0 / 64, 32);
    const ParticleSet back = state(*backend);
    double moved = 0, worst = 0;
    for (std::size_t i = 0; i < start.size(); ++i) {
        moved = std::max(moved, distance(away.position[i], start.position[i]));
        worst = std::max(worst, distance(back.position[i], start.position[i]));
    }
    EXPECT_GT(moved, 0.1);
    // The criterion uses the previous forces, which differ on the way back.
    EXPECT_LE(worst, approximates() ? 10 * kept() : tolerance(1e-13, 1e-4));
}

}  // namespace gravlab
