// The force methods of the CPU by themselves: slices, sums, work and accuracy, for every row in every precision that it has.
#include "sim/backends/cpu/aligned_array.h"
#include "sim/backends/cpu/backend_cpu.h"
#include "sim/backends/cpu/engine.h"
#include "sim/forces/law.h"
#include "tests/bodies.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <string>

namespace gravlab::cpu {
namespace {

using namespace testing_support;

constexpr double kAllOfIt = std::numeric_limits<double>::infinity();

template <class T>
struct Loaded {
    VectorArrays<T> x;
    AlignedArray<T> source;
    std::size_t count;

    explicit Loaded(const ParticleSet& bodies) : x(bodies.size()), source(bodies.size()), count(bodies.size()) {
        for (std::size_t i = 0; i < count; ++i) {
            const Double4& at = bodies.position[i];
            x.axis[0][i] = static_cast<T>(at.x);
            x.axis[1][i] = static_cast<T>(at.y);
            x.axis[2][i] = static_cast<T>(at.z);
            source[i] = static_cast<T>(at.w);
        }
    }
    CpuBodies<T> view() const { return {{x.axis[0].data(), x.axis[1].data(), x.axis[2].data()}, source.data(), count}; }
};

template <class T>
std::vector<T> copyOf(const CpuForceSums<T>& sums, std::size_t count) {
    std::vector<T> all;
    for (const T* axis : sums.axis) all.insert(all.end(), axis, axis + count);
    return all;
}

template <class T>
void checkSlices(const KernelRow& row, Precision precision) {
    SCOPED_TRACE(std::string(row.name));
    ThreadPool pool(3);
    const std::size_t count = 2000;
    const Loaded<T> bodies(unevenBodies(count));
    const ForceRequest request{.settings = {.precision = precision, .softening = 0.02}};
    const std::unique_ptr<CpuForceMethod<T>> method =
        makeMethod<T>(cpuKernel(row), precision, {pool, simdTargets().front(), count});
    EXPECT_FALSE(method->underWay());

    method->prepare(bodies.view(), request);
    EXPECT_TRUE(method->underWay());
    const ForceProgress whole = method->enqueue(kAllOfIt);
    EXPECT_TRUE(whole.complete);
    const double all = static_cast<double>(count * count);
    if (row.approximates) {
        EXPECT_LT(whole.work.pairs, all);
    } else {
        EXPECT_EQ(whole.work.pairs, all);
    }
    EXPECT_FALSE(method->underWay());
    const std::vector<T> want = copyOf(method->sums(), count);
    // From the initial state again, like the evaluation above.
    const auto prepareAfresh = [&] {
        if (method->keepsState()) {
            EXPECT_TRUE(method->restore({}));
        }
        method->prepare(bodies.view(), request);
    };

    prepareAfresh();
    method->enqueue(0);
    EXPECT_TRUE(method->underWay()) << "the smallest slice is not the whole";
    method->abandon();
    EXPECT_FALSE(method->underWay());
    EXPECT_EQ(method->progress(), 0);

    double pairs = 0, last = 0;
    int slices = 0;
    prepareAfresh();
    for (bool complete = false; !complete; ++slices) {
        const ForceProgress progress = method->enqueue(0);
        complete = progress.complete;
        pairs += progress.work.pairs;
        EXPECT_GE(progress.work.pairs, 0);
        if (!complete) {
            EXPECT_GT(method->progress(), last);
            last = method->progress();
        }
    }
    EXPECT_GT(slices, 1);
    EXPECT_EQ(pairs, whole.work.pairs) << "each pair is told of once";
    const std::vector<T> got = copyOf(method->sums(), count);
    EXPECT_EQ(std::memcmp(got.data(), want.data(), want.size() * sizeof(T)), 0) << "a slice changed bits";
    EXPECT_EQ(method->sums().factor, 1);
    EXPECT_EQ(method->accuracy().exact(), !row.approximates);
    EXPECT_EQ(method->accuracy().allowedError, keptAccuracy(row, request.settings));
    if (row.approximates) return;
    EXPECT_EQ(method->accuracy().gate.median, gateOf(request.settings).median);
    EXPECT_TRUE(method->state().empty());
    EXPECT_TRUE(method->restore({}));
    EXPECT_FALSE(method->restore({StateArray{}})) << "it keeps no state, so it fits none";

    method->prepare(bodies.view(),
                    {.settings = {.law = kLaw<Coulomb>, .precision = precision, .softening = 0.02, .strength = 3}});
    method->enqueue(kAllOfIt);
    EXPECT_EQ(method->sums().factor, T(-3)) << "charges by gravity's loops";
}

TEST(OpenMpThreads, areNoMoreThanTheSystemAllows) {
    EXPECT_EQ(cpu::openMpStack(nullptr), 0u);
    EXPECT_EQ(cpu::openMpStack("64"), 64u << 10);
    EXPECT_EQ(cpu::openMpStack("3 M"), 3u << 20);
    EXPECT_EQ(cpu::openMpStack("1g"), 1u << 30);
    for (const char* none : {"", "x", "-1", "1T", "99999999999999G", "nan"}) EXPECT_EQ(cpu::openMpStack(none), 0u) << none;
    EXPECT_EQ(cpu::threadsAllowed(3, 0), 3);
    EXPECT_EQ(cpu::threadsAllowed(3, std::size_t{1} << 50), 1) << "no room for such a stack";
}

TEST(CpuMethod, everyRowGivesTheSameBitsInSlices) {
    int methods = 0;
    for (const KernelRow& row : kernels()) {
        if (row.backend != "cpu") continue;
        for (const Precision precision : {Precision::fp32, Precision::mixed, Precision::fp64}) {
            if (!refusal(row, {.precision = precision}).empty()) continue;
            ++methods;
            if (precision == Precision::fp32)
                checkSlices<float>(row, precision);
            else
                checkSlices<double>(row, precision);
        }
    }
    EXPECT_GE(methods, 15);
}

TEST(CpuMethod, aRowWithoutThePrecisionIsRefusedAndHasNoMethod) {
    const KernelRow& row = kernel("cpu", "openmp");
    EXPECT_FALSE(refusal(row, {.precision = Precision::fp64}).empty());
    ThreadPool pool(1);
    EXPECT_THROW(makeMethod<double>(cpuKernel(row), Precision::fp64, {pool, simdTargets().front(), 8}), std::logic_error);
    EXPECT_THROW(cpuKernel(kernel("reference", "plain")), std::logic_error);
}

/// A method of another kind: its force is half a per cent too strong, within the allowed accuracy. It counts cells and keeps
/// their number for its next evaluation, whose result depends on it.
class Approximate final : public CpuForceMethod<float> {
public:
    explicit Approximate(const MethodContext& context)
        : exact_(makeMethod<float>(cpuKernel(kernel("cpu", "simd")), Precision::fp32, context)), sums_(context.bodies) {}

    void prepare(const CpuBodies<float>& bodies, const ForceRequest& request) override {
        count_ = bodies.count;
        request_ = request;
        exact_->prepare(bodies, request);
    }
    ForceProgress enqueue(double seconds) override {
        const bool complete = exact_->enqueue(seconds).complete;
        if (complete) {
            const float strength = 1.005f + 1e-4f * static_cast<float>(evaluations_++ % 2);
            for (std::size_t axis = 0; axis < 3; ++axis)
                for (std::size_t i = 0; i < count_; ++i) sums_.axis[axis][i] = strength * exact_->sums().axis[axis][i];
        }
        return {.complete = complete, .work = {.cells = 1}};
    }
    bool underWay() const override { return exact_->underWay(); }
    double progress() const override { return exact_->progress(); }
    void abandon() override { exact_->abandon(); }
    CpuForceSums<float> sums() const override {
        return {{sums_.axis[0].data(), sums_.axis[1].data(), sums_.axis[2].data()}, exact_->sums().factor};
    }
    Accuracy accuracy() const override { return {.gate = {.median = 1e-2, .p999 = 1e-2}, .allowedError = 1e-2}; }

private:
    std::unique_ptr<CpuForceMethod<float>> exact_;
    VectorArrays<float> sums_;
    ForceRequest request_;
    std::size_t count_ = 0;
    int evaluations_ = 0;
};

std::unique_ptr<CpuForceMethod<float>> makeApproximate(const MethodContext& context) {
    return std::make_unique<Approximate>(context);
}

TEST(CpuMethod, theEngineRunsAMethodWithAStateThatNoRowKnows) {
    const CpuKernel approximate{.row = {.backend = "cpu", .name = "approximate", .idea = "fewer digits"},
                                .fp32 = makeApproximate};
    const ParticleSet bodies = unevenBodies(2000);
    const ForceSettings force{.softening = 0.02};
    std::vector<Double4> want, got, velocities;
    for (const double seconds : {1e300, 0.0}) {
        EngineContext context(2, simdTargets().front());
        const auto engine = std::make_unique<EngineOf<float>>(context, bodies.position, bodies.velocity, approximate,
                                                              EngineTerms{.terms = termsOf(force)});
        context.check.request(sampleTargets(bodies.position));
        int calls = 0;
        for (std::int64_t done = 0; done < 3; ++calls)
            done += engine->advance(integrator("leapfrog").program, 0.01, {.seconds = seconds, .steps = 3 - done}, nullptr)
                        .stepsCompleted;
        EXPECT_EQ(calls > 3, seconds == 0) << "it was not cut as the budgets ask";
        engine->copyState(seconds == 0 ? got : want, velocities);
        EXPECT_EQ(context.totals.steps, 3);
        EXPECT_EQ(context.totals.forceEvaluations, 4);
        EXPECT_EQ(context.totals.interactions, 0) << "pairs that nobody computed are not counted";
        ASSERT_TRUE(context.check.running());
        context.check.run(context.pool, kNoDeadline);
        const std::optional<ForceCheck> check = context.check.take();
        EXPECT_TRUE(check->passed) << "held against what it allows: " << check->text();
        EXPECT_GT(check->median, 100 * gateOf(force).median);
    }
    EXPECT_TRUE(sameBytes(got, want)) << "slices changed bits";
}

}  // namespace
}  // namespace gravlab::cpu
