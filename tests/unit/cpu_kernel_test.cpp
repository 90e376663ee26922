// Every CPU kernel in every instruction set of this machine against fp64.
#include "sim/backends/cpu/engine.h"
#include "sim/backends/cpu/kernels/simd_targets.h"
#include "tests/bodies.h"

#include <gtest/gtest.h>

#include <deque>
#include <numeric>
#include <utility>
#include <vector>

namespace gravlab {
namespace {

using namespace testing_support;

struct Case {
    const KernelRow* row;
    std::string simd;
    Precision precision;
};

std::vector<Case> cases() {
    std::vector<Case> all;
    for (const KernelRow& row : kernels()) {
        if (row.backend != "cpu") continue;
        const bool simd =
            row.name.find("simd") != std::string_view::npos || row.name == "symmetric-threads" || row.approximates;
        for (const cpu::SimdTarget& target : cpu::simdTargets()) {
            if (!simd && &target != &cpu::simdTargets().front()) continue;  // plain code is the same for all targets
            for (const Precision precision : {Precision::fp32, Precision::fp64})
                if (refusal(row, {.precision = precision}).empty())
                    all.push_back({&row, std::string(target.name), precision});
        }
    }
    return all;
}

void PrintTo(const Case& c, std::ostream* out) { *out << c.row->name << " " << c.simd; }

std::string caseName(const testing::TestParamInfo<Case>& info) {
    std::string name = std::string(info.param.row->name) + "_" + info.param.simd +
                       (info.param.precision == Precision::fp64 ? "_fp64" : "_fp32");
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
}

class CpuKernel : public testing::TestWithParam<Case> {
protected:
    std::vector<Double4> computed(const ParticleSet& bodies, double softening, int threads = 2) {
        const std::unique_ptr<Backend> backend = gravlab::backend("cpu").make({.threads = threads, .simd = GetParam().simd});
        backend->configure({.precision = GetParam().precision, .softening = softening},
                           {.kernel = std::string(GetParam().row->name)});
        backend->load(bodies);
        std::vector<Double4> a;
        backend->accelerations(a);
        EXPECT_EQ(backend->activeKernel().name, GetParam().row->name);
        return a;
    }
    ForceCheck compared(const ParticleSet& bodies, double softening, const std::vector<Double4>& got) {
        const Wanted& wanted = wantedOf(bodies, softening);
        std::vector<Double4> chosen;
        for (const std::uint32_t target : wanted.targets) chosen.push_back(got.at(target));
        return compareForces(chosen, wanted.forces, gateOf(*GetParam().row, {.precision = GetParam().precision}));
    }
    struct Wanted {
        std::vector<Double4> positions;
        double softening = 0;
        std::vector<std::uint32_t> targets;  ///< all bodies up to 2000, then a sample: the comparison is the slow part
        std::vector<Double4> forces;
    };
    /// The forces in double precision, computed once for all kernels of a process.
    static const Wanted& wantedOf(const ParticleSet& bodies, double softening) {
        static std::deque<Wanted> known;
        for (const Wanted& one : known)
            if (one.softening == softening && one.positions == bodies.position) return one;
        Wanted one{bodies.position, softening, sampleTargets(bodies.position, 600), {}};
        if (bodies.size() <= 2000) {
            one.targets.resize(bodies.size());
            std::iota(one.targets.begin(), one.targets.end(), 0u);
        }
        one.forces.resize(one.targets.size());
        referenceGravity(bodies.position, one.targets, softening, one.forces);
        return known.emplace_back(std::move(one));
    }
    bool approximates() const { return GetParam().row->approximates; }
    double kept() const { return keptAccuracy(*GetParam().row, {}); }
    bool isDouble() const { return GetParam().precision == Precision::fp64; }
    bool slow() const { return GetParam().row->name.starts_with("naive") || GetParam().simd == "scalar"; }
};

TEST_P(CpuKernel, agreesWithFp64ForEveryCount) {
    for (const std::size_t count : {1, 2, 3, 7, 31, 32, 33, 127, 128, 129, 255, 256, 257, 511, 513, 1000, 2047, 4097})
        for (const double softening : {0.0, 0.02}) {
            if (slow() && count > 1000 && softening > 0) continue;
            SCOPED_TRACE("N = " + std::to_string(count) + ", softening " + std::to_string(softening));
            const ParticleSet bodies = unevenBodies(count);
            const ForceCheck check = compared(bodies, softening, computed(bodies, softening));
            EXPECT_TRUE(check.passed) << check.text();
        }
}

TEST_P(CpuKernel, aDominantBodyDoesNotDrownTheOthers) {
    const bool best = !slow() && !isDouble() && GetParam().simd == cpu::simdTargets().front().name;
    const std::size_t count = best ? 12000 : 2000;
    ParticleSet bodies = unevenBodies(count, 5);
    for (Double4& position : bodies.position) position.w *= 0.1;
    for (const std::size_t heavy : {std::size_t{0}, count / 2, count - 1}) {
        ParticleSet disc = bodies;
        disc.position[heavy] = {0, 0, 0, 1};
        const ForceCheck check = compared(disc, 0.01, computed(disc, 0.01));
        EXPECT_TRUE(check.passed) << check.text();
    }
}

TEST_P(CpuKernel, aVeryHeavyBodyWithoutSofteningMeetsItself) {
    // At the floor of the softening, a body's own term is infinite, times a distance of 0.
    ParticleSet bodies = unevenBodies(300);
    bodies.position[7].w = isDouble() ? 1e140 : 1e12;
    bodies.position[8] = bodies.position[7];
    const ForceCheck check = compared(bodies, 0, computed(bodies, 0));
    EXPECT_TRUE(check.passed) << check.text();
}

TEST_P(CpuKernel, wrongForcesFailTheComparison) {
    const ParticleSet bodies = unevenBodies(1000);
    const auto fails = [&](const ParticleSet& computedFor, double softening) {
        return !compared(bodies, 0.05, computed(computedFor, softening)).passed;
    };
    ASSERT_FALSE(fails(bodies, 0.05));
    ParticleSet dropped = bodies;
    dropped.position.back().w = 0;
    EXPECT_TRUE(fails(dropped, 0.05)) << "the last source";
    ParticleSet moved = bodies;
    std::swap(moved.position[11].y, moved.position[11].z);
    EXPECT_TRUE(fails(moved, 0.05)) << "two axes of one body";
    EXPECT_TRUE(fails(bodies, approximates() ? 0.06 : 0.0501)) << "softening";
    std::vector<Double4> turned = computed(bodies, 0.05);
    for (Double4& a : turned) a.z = -a.z;
    EXPECT_FALSE(compared(bodies, 0.05, turned).passed) << "one sign";
}

TEST_P(CpuKernel, momentumIsConserved) {
    const ParticleSet bodies = unevenBodies(3000);
    const std::vector<Double4> a = computed(bodies, 0.02);
    Double4 sum{};
    double size = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        const double mass = bodies.position[i].w;
        sum.x += mass * a[i].x;
        sum.y += mass * a[i].y;
        sum.z += mass * a[i].z;
        size += mass * distance(a[i], {});
    }
    EXPECT_LE(distance(sum, {}), size * (approximates() ? kept() / 10 : isDouble() ? 1e-15 : 1e-7));
}

TEST_P(CpuKernel, sameBitsForAnyNumberOfThreads) {
    if (!GetParam().row->deterministic) GTEST_SKIP() << "the row says that it is not deterministic";
    for (const std::size_t count : {100, 1300, 4500}) {
        if (slow() && count > 2000) continue;
        const ParticleSet bodies = unevenBodies(count);
        const std::vector<Double4> one = computed(bodies, 0.02, 1);
        for (const int threads : {2, 3, 7})
            EXPECT_TRUE(sameBytes(one, computed(bodies, 0.02, threads))) << count << " bodies, " << threads << " threads";
    }
}

INSTANTIATE_TEST_SUITE_P(Rows, CpuKernel, testing::ValuesIn(cases()), caseName);

}  // namespace
}  // namespace gravlab
