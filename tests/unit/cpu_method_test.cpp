// The force methods of the CPU by themselves: slices, sums, work and accuracy, for every row in every precision that it has.
#include "sim/backends/cpu/cpu_method.h"
#include "sim/backends/cpu/aligned_array.h"
#include "tests/bodies.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <string>

namespace gravlab {
namespace {

using namespace testing_support;
using namespace cpu;

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
    const std::unique_ptr<CpuForceMethod<T>> method = makeMethod<T>(row, precision, {pool, simdTargets().front(), count});
    EXPECT_FALSE(method->underWay());

    method->prepare(bodies.view(), request);
    EXPECT_TRUE(method->underWay());
    const ForceProgress whole = method->enqueue(kAllOfIt);
    EXPECT_TRUE(whole.complete);
    EXPECT_EQ(whole.work.pairs, static_cast<double>(count * count));
    EXPECT_FALSE(method->underWay());
    const std::vector<T> want = copyOf(method->sums(), count);

    method->prepare(bodies.view(), request);
    method->enqueue(0);
    EXPECT_TRUE(method->underWay()) << "the smallest slice is not the whole";
    method->abandon();
    EXPECT_FALSE(method->underWay());
    EXPECT_EQ(method->progress(), 0);

    double pairs = 0, last = 0;
    int slices = 0;
    method->prepare(bodies.view(), request);
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
    EXPECT_EQ(pairs, static_cast<double>(count * count)) << "each pair is told of once";
    const std::vector<T> got = copyOf(method->sums(), count);
    EXPECT_EQ(std::memcmp(got.data(), want.data(), want.size() * sizeof(T)), 0) << "a slice changed bits";
    EXPECT_EQ(method->sums().factor, 1);
    EXPECT_TRUE(method->accuracy().exact());
    EXPECT_EQ(method->accuracy().gate.median, gateOf(request.settings).median);
    EXPECT_TRUE(method->state().empty());
    EXPECT_TRUE(method->restore({}));
    EXPECT_FALSE(method->restore({StateArray{}})) << "it keeps no state, so it fits none";

    method->prepare(bodies.view(),
                    {.settings = {.law = Law::coulomb, .precision = precision, .softening = 0.02, .strength = 3}});
    method->enqueue(kAllOfIt);
    EXPECT_EQ(method->sums().factor, T(-3)) << "charges by gravity's loops";
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
    EXPECT_THROW(makeMethod<double>(row, Precision::fp64, {pool, simdTargets().front(), 8}), std::logic_error);
    EXPECT_THROW(cpuKernel(kernel("reference", "plain")), std::logic_error);
}

}  // namespace
}  // namespace gravlab
