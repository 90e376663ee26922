// Forces of every row of the CUDA ladder, with every kind of launch, against fp64.
#include "sim/backends/kernel.h"
#include "gpu_fixture.h"
#include "sim/api/errors.h"
#include "sim/core/random.h"
#include "sim/forces/law.h"
#include "sim/run/simulation.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

namespace gravlab::test {
namespace {

using ::testing::HasSubstr;

std::vector<KernelRow> rows() {
    std::vector<KernelRow> rows;
    for (const KernelRow& row : kernels())
        if (row.backend == "cuda" && everyPair(row)) rows.push_back(row);  // tree_test.cpp has the others
    return rows;
}

/// The launches of a row: all blocks and unrolls that it tunes, with the plainest and an odd choice of its other numbers.
std::vector<LaunchConfig> launches(const KernelRow& row) {
    std::vector<int> blocks = {1, 31, 32, 33, 64, 128, 256, 1023, 1024};
    if (row.blocks.first == row.blocks.last) blocks = {row.usual.block};
    if (!row.blockSizes.empty()) blocks.assign(row.blockSizes.begin(), row.blockSizes.end());
    std::vector<int> unrolls(row.unrolls.begin(), row.unrolls.end());
    if (unrolls.empty()) unrolls = {row.usual.unroll};
    std::vector<LaunchConfig> result;
    for (const int block : blocks)
        for (const int unroll : unrolls) {
            LaunchConfig launch = row.usual;
            launch.block = block;
            launch.unroll = unroll;
            result.push_back(launch);
            if (row.splits.last > 1) {
                launch.split = 7;
                result.push_back(launch);
            }
            for (const int bodies : row.bodiesPerThread) {
                if (bodies == row.usual.bodiesPerThread) continue;
                launch.bodiesPerThread = bodies;
                launch.split = bodies == 4 && row.splits.last > 1 ? 3 : 1;
                result.push_back(launch);
            }
        }
    return result;
}

/// How many launches of `all` a row is built for in that precision.
int built(const KernelRow& row, const std::vector<LaunchConfig>& all, Precision precision) {
    // One of their numbers may differ from the usual ones; in double precision none may.
    if (row.cut == Split::tilePairs)
        return precision == Precision::fp64
                   ? 1
                   : static_cast<int>(std::ranges::count_if(all, [&](const LaunchConfig& launch) {
                         return (launch.block != row.usual.block) + (launch.unroll != row.usual.unroll) +
                                    (launch.bodiesPerThread != row.usual.bodiesPerThread) <=
                                1;
                     }));
    return static_cast<int>(all.size());
}

/// Bodies that the row can compute.
ParticleSet bodiesFor(const KernelRow& row, std::size_t count) {
    ParticleSet bodies = unevenBodies(count);
    if (row.equalMasses)
        for (Double4& body : bodies.position) body.w = 1.0 / 1024;
    return bodies;
}

/// Accuracy of each precision that a row has, and its settings.
struct PrecisionCase {
    Precision precision;
    const char* name;
    ForceGate gate;
    double worst;
};
constexpr PrecisionCase kPrecisions[] = {{Precision::fp32, "fp32", kGate32, 3e-5},
                                         {Precision::mixed, "mixed", kGate32, 3e-5},
                                         {Precision::fp64, "fp64", kGate64, 1e-11}};

std::string text(const LaunchConfig& launch) {
    return "block " + std::to_string(launch.block) + ", unroll " + std::to_string(launch.unroll) + ", bodies per thread " +
           std::to_string(launch.bodiesPerThread) + ", split " + std::to_string(launch.split);
}

/// A disc around a body of ten times its mass, or a Plummer sphere: both are hard to sum in single precision.
ParticleSet hardBodies(std::size_t count, bool centralMass, std::size_t centre) {
    std::vector<Double4> positions(count), velocities(count);
    for (std::size_t i = 0; i < count; ++i) {
        Random random(7, i);
        const double u = random.uniform(0.001, 0.999), angle = random.uniform(0, 6.283185307179586);
        const double z = random.uniform(-1, 1), ring = std::sqrt(1 - z * z);
        const double mass = (centralMass ? 0.1 : 1.0) / static_cast<double>(count);
        const double radius = centralMass ? std::sqrt(u) : 1 / std::sqrt(std::pow(u, -2.0 / 3) - 1);
        const double flat = centralMass ? 1 : ring, high = centralMass ? 0.01 * z : radius * z;
        // Floats, so that the test measures the kernel and not the rounding of its input.
        positions[i] = {static_cast<float>(radius * flat * std::cos(angle)),
                        static_cast<float>(radius * flat * std::sin(angle)), static_cast<float>(high),
                        static_cast<float>(mass)};
    }
    if (centralMass) positions[centre] = {0, 0, 0, 1};
    return bodiesOf(positions, velocities);
}

/// Where r^6 leaves the range of fp32, its root is 0, while the cube of a root of r^2 is still right.
TEST_F(GpuTest, theRootOfR6IsRightWithinItsRangeOnly) {
    constexpr double kFar = 1e8;
    ParticleSet bodies = unevenBodies(512);
    for (Double4& body : bodies.position) body.x *= kFar, body.y *= kFar, body.z *= kFar;
    const auto largest = [&](const char* row) {
        const std::unique_ptr<Backend> backend = loaded(bodies, {row}, kFar / 10);
        std::vector<Double4> found;
        backend->accelerations(found);
        double most = 0;
        for (const Double4& a : found) most = std::max(most, std::hypot(a.x, a.y, a.z));
        return most;
    };
    const double right = largest("tiled");
    EXPECT_GT(right, 0);
    EXPECT_NEAR(largest("tiled-root-cubed"), right, 1e-4 * right);
    EXPECT_NEAR(largest("tiled-root-divided"), right, 1e-4 * right);
    EXPECT_LT(largest("tiled-root-sixth"), 0.1 * right);
}

class GpuKernels : public GpuTest, public ::testing::WithParamInterface<KernelRow> {};
INSTANTIATE_TEST_SUITE_P(Rows, GpuKernels, ::testing::ValuesIn(rows()), [](const auto& row) {
    std::string name(row.param.name);
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
});

TEST_P(GpuKernels, everyLaunchAgreesWithFp64ForEveryCount) {
    const KernelRow& row = GetParam();
    for (const PrecisionCase& precision : kPrecisions) {
        SCOPED_TRACE(precision.name);
        if (!refusal(row, {.precision = precision.precision}).empty()) continue;
        int refused = 0, done = 0;
        for (const std::size_t count : {1, 2, 3, 31, 32, 33, 255, 256, 257, 1000, 4097})
            for (const double softening : {0.0, 0.05}) {
                if (softening == 0 && count > 300) continue;
                const ParticleSet bodies = bodiesFor(row, count);
                const std::vector<std::uint32_t> all = everyBody(count);
                const std::vector<Double4> want = reference(bodies, all, softening);
                const std::unique_ptr<Backend> backend = loaded(bodies, {}, softening);
                for (const LaunchConfig& launch : launches(row)) {
                    try {
                        backend->configure({.precision = precision.precision, .softening = softening},
                                           {std::string(row.name), launch});
                    } catch (const UsageError&) {
                        ++refused;  // too many registers for the block, or more ranges than bodies
                        continue;
                    }
                    ASSERT_EQ(backend->activeKernel().name, row.name);
                    ASSERT_EQ(&backend->activeKernel(), findKernel(row.backend, row.name)) << "the row of the lists";
                    if (row.blocks.first != row.blocks.last) {
                        ASSERT_EQ(backend->activeLaunch().block, launch.block);
                    }
                    if (!row.unrolls.empty()) {
                        ASSERT_EQ(backend->activeLaunch().unroll, launch.unroll);
                    }
                    std::vector<Double4> got;
                    backend->accelerations(got);
                    const ForceCheck check = compareForces(got, want, precision.gate);
                    ++done;
                    ASSERT_TRUE(check.passed) << "N = " << count << ", " << text(launch) << ": " << check.text();
                    ASSERT_LE(check.max, precision.worst) << "N = " << count << ", " << text(launch) << ": " << check.text();
                }
            }
        const std::vector<LaunchConfig> all = launches(row);
        const int able = built(row, all, precision.precision);
        EXPECT_GE(done, 15 * able / 2);
        EXPECT_LT(refused, done + (static_cast<int>(all.size()) - able) * 30);
    }
}

/// Unrolling changes no bit: the order of the sums is the row's, with any block and split.
TEST_P(GpuKernels, everyUnrollGivesTheSameBits) {
    const KernelRow& row = GetParam();
    if (row.unrolls.size() < 2) GTEST_SKIP() << "the row has no unroll factor";
    if (!row.deterministic) GTEST_SKIP() << "the row says that it is not deterministic";
    for (const std::size_t count : {31, 1000, 4097}) {
        const std::unique_ptr<Backend> backend = loaded(bodiesFor(row, count), {}, 0.05);
        for (const Precision precision : {Precision::fp32, Precision::fp64}) {
            if (!refusal(row, {.precision = precision}).empty()) continue;
            std::vector<Double4> first;
            int unrolls = 0;
            for (const int unroll : row.unrolls) {
                LaunchConfig launch = row.usual;
                launch.unroll = unroll;
                try {
                    backend->configure({.precision = precision, .softening = 0.05}, {std::string(row.name), launch});
                } catch (const UsageError&) {
                    continue;  // some rows have only one in double precision
                }
                std::vector<Double4> a;
                backend->accelerations(a);
                if (first.empty()) first = a;
                ++unrolls;
                for (std::size_t i = 0; i < count; ++i)
                    ASSERT_TRUE(a[i].x == first[i].x && a[i].y == first[i].y && a[i].z == first[i].z)
                        << "N = " << count << ", unroll " << unrollText(unroll) << ", body " << i;
            }
            EXPECT_GE(unrolls, precision == Precision::fp32 ? 2 : 1);
        }
    }
}

/// In whole galaxies all masses are equal, and some rows move such a mass out of the sum.
TEST_P(GpuKernels, runsOfEqualMassesAreNoSpecialCase) {
    const KernelRow& row = GetParam();
    if (row.equalMasses) GTEST_SKIP() << "the row is for one mass only";
    ParticleSet bodies = unevenBodies(5000);
    for (std::size_t i = 700; i < bodies.size(); ++i)
        bodies.position[i].w = i == 3000 ? 1.0 / 64 : 1.0 / 16384 * static_cast<double>(i / 700 % 4);  // 0 is one of them
    const std::vector<std::uint32_t> all = everyBody(bodies.size());
    const std::vector<Double4> want = reference(bodies, all, 0.05);
    ParticleSet other = bodies;
    other.position[1300].w *= 1.5;  // a mass that differs from its neighbours'
    for (const PrecisionCase& precision : kPrecisions) {
        SCOPED_TRACE(precision.name);
        if (!refusal(row, {.precision = precision.precision}).empty()) continue;
        const auto errors = [&](const ParticleSet& loadedBodies) {
            const std::unique_ptr<Backend> backend = loaded(loadedBodies, {}, 0.05);
            backend->configure({.precision = precision.precision, .softening = 0.05}, {std::string(row.name), {}});
            std::vector<Double4> got;
            backend->accelerations(got);
            return compareForces(got, want, precision.gate);
        };
        const ForceCheck right = errors(bodies);
        EXPECT_TRUE(right.passed) << right.text();
        EXPECT_LE(right.max, precision.worst) << right.text();
        EXPECT_FALSE(errors(other).passed) << "a wrong mass was not noticed";
    }
}

TEST_P(GpuKernels, aWrongForceIsNoticed) {
    const KernelRow& row = GetParam();
    const ParticleSet bodies = bodiesFor(row, 1000);
    const std::vector<std::uint32_t> all = everyBody(bodies.size());
    const std::vector<Double4> want = reference(bodies, all, 0.05);
    const std::unique_ptr<Backend> backend = loaded(bodies, {std::string(row.name), {}}, 0.05);
    EXPECT_TRUE(compared(*backend, bodies, all, want).passed);
    // A last body with another mass or position, shuffled bodies, another softening.
    ParticleSet other = bodies;
    if (row.equalMasses)
        other.position.back().x += 0.1;
    else
        other.position.back().w += 1e-4;
    backend->load(other);
    EXPECT_FALSE(compared(*backend, bodies, all, want).passed);
    ParticleSet mixed = bodies;
    std::swap(mixed.position[11], mixed.position[12]);
    backend->load(mixed);
    EXPECT_FALSE(compared(*backend, bodies, all, want).passed);
    backend->load(bodies);
    backend->configure({.softening = 0.0501}, {std::string(row.name), {}});
    EXPECT_FALSE(compared(*backend, bodies, all, want).passed);
}

TEST_P(GpuKernels, sumsStayAccurateForManyBodies) {
    const KernelRow& row = GetParam();
    for (const std::size_t count : {std::size_t{16384}, std::size_t{65536}, std::size_t{1} << 20})
        for (const bool centralMass : {false, true}) {
            if (centralMass && row.equalMasses) continue;
            if (count > 16384 && row.cut == Split::none) continue;
            // The heavy body first, and somewhere in the middle of a chunk.
            const std::size_t centre = count < 100000 ? 0 : count / 2 + 37;
            const ParticleSet bodies = hardBodies(count, centralMass, centre);
            const std::vector<std::uint32_t> targets = sampleTargets(bodies.position, count > 100000 ? 256 : 1024);
            const std::vector<Double4> want = reference(bodies, targets, 0.01);
            const std::unique_ptr<Backend> backend = loaded(bodies, {}, 0.01);
            for (const PrecisionCase& precision : kPrecisions) {
                if (!refusal(row, {.precision = precision.precision}).empty()) continue;
                if (precision.precision == Precision::fp64 && count > 100000 && row.name != "symmetric") continue;
                backend->configure({.precision = precision.precision, .softening = 0.01}, {std::string(row.name), {}});
                std::vector<Double4> all, got;
                backend->accelerations(all);
                for (const std::uint32_t target : targets) got.push_back(all.at(target));
                const ForceCheck check = compareForces(got, want, precision.gate);
                EXPECT_TRUE(check.passed) << precision.name << ", N = " << count << ": " << check.text();
                std::printf("    %s, N = %zu, %s central mass: %s\n", precision.name, count,
                            centralMass ? "with" : "without", check.text().c_str());
            }
        }
}

/// From the initial state to a later one in steps of one call, of many calls, and with a view into every step.
TEST_P(GpuKernels, stepsAreTheSameInAnyPieces) {
    const KernelRow& row = GetParam();
    if (!row.deterministic) GTEST_SKIP() << "the row says that it is not deterministic";
    for (const Precision precision : {Precision::fp32, Precision::mixed, Precision::fp64}) {
        if (!refusal(row, {.precision = precision}).empty()) continue;
        for (const char* name : {"leapfrog", "verlet", "yoshida4", "rk4"}) {
            SCOPED_TRACE(name);
            const StepProgram program = integrator(name).program;
            const auto fresh = [&] {
                std::unique_ptr<Backend> backend = loaded(bodiesFor(row, 1500));
                backend->configure({.precision = precision, .softening = 0.05}, {std::string(row.name), {}});
                return backend;
            };
            const std::unique_ptr<Backend> whole = fresh(), pieces = fresh(), shown = fresh();
            DeviceSink sink;
            run(*whole, program, 1e-3, 24);
            for (std::int64_t done = 0; done < 24;)
                done +=
                    pieces->advance(program, 1e-3, {.seconds = 0, .steps = std::min<std::int64_t>(5, 24 - done)}, nullptr)
                        .stepsCompleted;
            for (std::int64_t done = 0; done < 24;)
                done += shown->advance(program, 1e-3, {.seconds = 0.01, .steps = 1}, &sink).stepsCompleted;
            EXPECT_TRUE(sameState(state(*whole), state(*pieces)));
            EXPECT_TRUE(sameState(state(*whole), state(*shown)));
            const ParticleSet end = state(*shown);
            const std::vector<ParticleVertex> drawn = sink.read();
            ASSERT_EQ(drawn.size(), end.size());
            for (std::size_t i = 0; i < end.size(); ++i)
                ASSERT_EQ(drawn[i].x, static_cast<float>(end.position[i].x)) << "body " << i;
        }
    }
}

TEST_F(GpuTest, automaticChoiceIsRightForEveryCount) {
    for (const std::size_t count : {1, 2, 3, 17, 100, 1000, 1024, 4096, 5000, 16384, 20000, 40000}) {
        const ParticleSet bodies = unevenBodies(count);
        const std::vector<std::uint32_t> targets = sampleTargets(bodies.position, 300);
        const std::unique_ptr<Backend> backend = loaded(bodies);
        const ForceCheck check = compared(*backend, bodies, targets, reference(bodies, targets, 0.05));
        EXPECT_TRUE(check.passed) << "N = " << count << ", " << text(backend->activeLaunch()) << ": " << check.text();
    }
}

TEST_F(GpuTest, aHeavyBodyWithoutSofteningFeelsNoForceOfItsOwn) {
    const std::unique_ptr<Backend> backend = loaded(bodiesOf({{0, 0, 0, 1e20}, {1e3, 0, 0, 1}}, {{}, {}}), {}, 0);
    std::vector<Double4> a;
    backend->accelerations(a);
    EXPECT_NEAR(a[0].x, 1e-6, 1e-12);
    EXPECT_NEAR(a[1].x, -1e14, 1e8);
    EXPECT_EQ(a[0].y, 0);
}

/// The refusal of configure(); the bodies must continue as before.
std::string refusalOf(Backend& backend, const KernelChoice& wanted) {
    const LaunchConfig before = backend.activeLaunch();
    try {
        backend.configure({.softening = 0.05}, wanted);
    } catch (const UsageError& error) {
        EXPECT_EQ(backend.activeLaunch(), before);
        return error.what();
    }
    return "not refused";
}

TEST_F(GpuTest, impossibleLaunchesAreRefusedBeforeTheLaunch) {
    const std::unique_ptr<Backend> backend = loaded(unevenBodies(100));
    run(*backend, integrator("leapfrog").program, 0.01, 1);
    const std::int64_t launches = cuda::callCounts().launches;
    EXPECT_THAT(refusalOf(*backend, {"tiled", {.block = 1025}}), HasSubstr("1 to 1024"));
    EXPECT_THAT(refusalOf(*backend, {"tiled", {.block = 1025}}), HasSubstr("nearest: 1024"));
    EXPECT_THAT(refusalOf(*backend, {"tiled", {.block = 2000000000}}), HasSubstr("nearest: 1024"));
    EXPECT_THAT(refusalOf(*backend, {"tiled", {.block = 0}}), HasSubstr("nearest: 1"));
    EXPECT_THAT(refusalOf(*backend, {"tiled", {.block = -1}}), HasSubstr("nearest: 1"));
    EXPECT_THAT(refusalOf(*backend, {"tiled", {.unroll = 5}}), HasSubstr("auto, 1, 2, 3, 4, 8, 16, 32"));
    EXPECT_THAT(refusalOf(*backend, {"tiled-registers", {.unroll = 3}}), HasSubstr("nearest: 2"));
    EXPECT_THAT(refusalOf(*backend, {"pairs", {.block = 128, .unroll = 1}}), HasSubstr("64, 256, 1024"));
    EXPECT_THAT(refusalOf(*backend, {"tiled-block-split", {.block = 256, .split = 8}}), HasSubstr("nearest split: 4"));
    EXPECT_THAT(refusalOf(*backend, {"symmetric", {.block = 64, .unroll = 8, .bodiesPerThread = 8}}),
                HasSubstr("one of the three changed"));
    EXPECT_THAT(refusalOf(*backend, {"symmetric", {.block = 96, .unroll = 4, .bodiesPerThread = 8}}),
                HasSubstr("32, 64, 128"));
    EXPECT_THAT(refusalOf(*backend, {"tiled", {.split = 2}}), HasSubstr("nearest: 1"));
    EXPECT_THAT(refusalOf(*backend, {"tiled", {.bodiesPerThread = 2}}), HasSubstr("nearest: 1"));
    EXPECT_THAT(refusalOf(*backend, {"tiled-split", {.split = 129}}), HasSubstr("nearest: 128"));
    EXPECT_THAT(refusalOf(*backend, {"tiled-split", {.split = 101}}), HasSubstr("nearest: 100"));
    EXPECT_THAT(refusalOf(*backend, {"tiled-registers", {.bodiesPerThread = 3}}), HasSubstr("1, 2, 4, 8"));
    EXPECT_THAT(refusalOf(*backend, {"tilde", {}}), HasSubstr("tiled"));
    EXPECT_THAT(refusalOf(*backend, {std::nullopt, {.block = 1025}}), HasSubstr("nearest: 1024"));
    EXPECT_EQ(cuda::callCounts().launches, launches) << "something was launched all the same";
    EXPECT_THROW(backend->configure({.law = kLaw<LennardJones>}, {"symmetric", {}}), UsageError);
    run(*backend, integrator("leapfrog").program, 0.01, 1);
}

// Earlier bodies must not affect the choice of a kernel for later ones.
TEST_F(GpuTest, aStartIsJudgedByItsOwnBodies) {
    const auto equalBodies = [](std::size_t count) {
        ParticleSet bodies = unevenBodies(count);
        for (Double4& body : bodies.position) body.w = 1.0 / 65536;
        return bodies;
    };
    const ParticleSet uneven = unevenBodies(70000), equal = equalBodies(70000), few = equalBodies(100);
    const std::unique_ptr<Backend> backend = loaded(uneven);
    backend->load(equal, {{.softening = 0.05}, {"symmetric-equal", {}}});
    EXPECT_EQ(backend->activeKernel().name, "symmetric-equal");
    EXPECT_THROW(backend->load(uneven, {{.softening = 0.05}, {"symmetric-equal", {}}}), UsageError);
    EXPECT_EQ(state(*backend).position[5].w, equal.position[5].w) << "the refused ones are there";
    backend->load(few, {{.softening = 0.05}, {"many-steps", {}}});
    EXPECT_EQ(backend->activeKernel().name, "many-steps");
    EXPECT_EQ(backend->size(), 100u);
    EXPECT_THROW(backend->load(few, {{.softening = 0.05}, {"tiled-split", {.split = 128}}}), UsageError);
}

/// Bodies without mass are targets only in whole steps as well, wherever the others stand in the list.
TEST_F(GpuTest, manyStepsOfTracersSumOverTheSources) {
    constexpr std::size_t kBodies = 5000, kMassive = 40;
    for (const bool first : {true, false}) {
        SCOPED_TRACE(first ? "first" : "anywhere");
        ParticleSet bodies = unevenBodies(kBodies);
        for (std::size_t i = 0; i < kBodies; ++i)
            bodies.position[i].w = (first ? i < kMassive : i % (kBodies / kMassive) == 7) ? 1.0 / kMassive : 0;
        std::vector<Double4> ends[2];
        for (const char* row : {"many-steps", "tiled"}) {
            const std::unique_ptr<Backend> backend = gravlab::backend("cuda").make({});
            backend->load(bodies, {{.softening = 0.05}, {row, {}}});
            std::vector<Double4> got, want(kBodies);
            std::vector<double> floors(kBodies);
            backend->accelerations(got);
            referenceForces(bodies.position, bodies.velocity, everyBody(kBodies), {.softening = 0.05}, want, floors);
            const ForceCheck check = compareForces(got, want, gateOf({}), floors);
            EXPECT_TRUE(check.passed) << row << ": " << check.text();
            EXPECT_EQ(backend->pairsOfForce(), static_cast<double>(kBodies * kMassive));
            run(*backend, integrator("leapfrog").program, 1e-3, 50);
            const WorkTotals totals = backend->totals();
            EXPECT_EQ(totals.interactions, static_cast<double>(totals.forceEvaluations * kBodies * kMassive)) << row;
            ends[row[0] == 't'] = state(*backend).position;
        }
        double worst = 0;
        for (std::size_t i = 0; i < kBodies; ++i) {
            const double off = distance(ends[0][i], ends[1][i]);
            if (!(off <= worst)) worst = off;  // a NaN counts
        }
        EXPECT_LE(worst, 1e-4);
    }
}

// A step of length 0 would compute positions from forces that are not finite.
TEST_F(GpuTest, aQuestionForForcesMovesNoBody) {
    ParticleSet bodies = unevenBodies(100);
    // All bodies pull body 3 to one side, beyond the range of numbers.
    for (Double4& at : bodies.position) at = {1 + 0.5 * at.x, at.y, at.z, 3e38};
    bodies.position[3].x = -3;
    const std::unique_ptr<Backend> backend = gravlab::backend("cuda").make({});
    backend->load(bodies, {{.softening = 0.05}, {"many-steps", {}}});
    std::vector<Double4> first, second;
    backend->accelerations(first);
    backend->accelerations(second);
    EXPECT_FALSE(std::isfinite(first[3].x + first[3].y + first[3].z)) << "else nothing is tested";
    EXPECT_TRUE(sameBytes(first, second) || std::isnan(first[3].x));
    ParticleSet after = backend->bodies();
    for (std::size_t i = 0; i < 100; ++i) {
        const Double4 &at = after.position[i], &before = bodies.position[i];
        EXPECT_EQ(xyz(at), xyz(before)) << i;
    }
}

TEST_F(GpuTest, aRunThatIsContinuedIsJudgedByItsOwnBodies) {
    Simulation simulation({.scene = "collision", .bodies = 70000, .backend = "cuda"});
    for (const char* kernel : {"symmetric-equal", "many-steps"}) {
        const Simulation saved(
            {.scene = "plummer", .bodies = 4096, .backend = "cuda", .terms = {{"pair-law", {.kernel = {kernel, {}}}}}});
        simulation.apply(requestOf(saved.configuration()));
        EXPECT_EQ(simulation.configuration().pairs().kernel.kernel, kernel);
        simulation.apply({.scene = "collision", .bodies = 70000, .backend = "cuda"});
    }
}

}  // namespace
}  // namespace gravlab::test
