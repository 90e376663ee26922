// The kernel table and its typed launches, checked without a GPU: wrong argument types do not compile.
#include "sim/api/errors.h"
#include "sim/backends/cuda/jobs/force_check_job.h"
#include "sim/backends/cuda/jobs/measure.h"
#include "sim/backends/cuda/jobs/pair_matrix_job.h"
#include "sim/backends/cuda/kernel_table.h"
#include "sim/backends/cuda/kernels/factors.h"
#include "sim/backends/kernel_rows.h"
#include "sim/forces/law.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <span>
#include <string>

namespace gravlab::test {
namespace {

using namespace cuda;

/// Whether a launch of a kernel for `Task` on a `Given` compiles.
template <class Task, class Given>
concept Launches = requires(Kernel<Task> kernel, const Given& given) {
    launchKernel(kernel, Dim{}, 1u, given, std::size_t{0}, Stream{});
    launchResident(kernel, Dim{}, 1u, given, std::size_t{0}, Stream{});
};
/// The same for an untyped address.
template <class Given>
concept LaunchesUntyped = requires(const void* kernel, const Given& given) {
    launchKernel(kernel, Dim{}, 1u, given, std::size_t{0}, Stream{});
};

using Pull = LawTask<float, PowerLaw<float>>;
using Check = LawCheckTask<float, PowerLaw<double>>;
using Pairs = LawPairTask<float, PlainEnergy<float>, PlainEnergy<double>>;
using Matrix = MatrixLawTask<float, Gravity<float>, Gravity<double>>;

static_assert(Launches<ForceTask<float>, ForceTask<float>> && Launches<Pull, Pull> && Launches<Check, Check> &&
              Launches<Pairs, Pairs> && Launches<Matrix, Matrix>);
static_assert(!Launches<ForceTask<float>, Pull> && !Launches<Pull, ForceTask<float>>, "a law's task, another's kernel");
static_assert(!Launches<Pull, LawTask<float, LennardJones<float>>> && !Launches<Pull, LawTask<double, PowerLaw<double>>>);
static_assert(!Launches<CheckTask<float>, Check> && !Launches<Check, CheckTask<float>>);
static_assert(!Launches<Pairs, PairTask<float>> &&
              !Launches<Pairs, LawPairTask<float, PlainEnergy<double>, PlainEnergy<double>>>);
static_assert(!Launches<Matrix, MatrixTask<float>> &&
              !Launches<Matrix, MatrixLawTask<float, PowerLaw<float>, PowerLaw<double>>>);
static_assert(!Launches<ForceTask<float>, ForceTask<double>> && !LaunchesUntyped<ForceTask<float>>);

TEST(KernelEntries, everyRowOfTheTableHasItsEntry) {
    ASSERT_EQ(cudaKernelRows().size(), kernelEntries().size());
    for (const KernelRow& row : kernels()) {
        if (row.backend != "cuda") continue;
        const KernelEntry& entry = kernelEntry(row.name);
        EXPECT_EQ(entry.row.name, row.name);
        EXPECT_TRUE(entry.builtIn(Precision::fp32)) << row.name;
        EXPECT_EQ(entry.builtIn(Precision::fp64), row.slots64PerDirectedPair > 0 || row.byCutOff) << row.name;
    }
    EXPECT_THROW(kernelEntry("tilde"), UsageError);
}

TEST(KernelEntries, offeredLaunchesAreBuiltAndOthersAreNot) {
    const auto address = [](const KernelEntry& entry, const LaunchConfig& launch) {
        return entry.oneSided()->kernel32(launch).address;
    };
    for (const KernelEntry& entry : kernelEntries()) {
        if (!entry.oneSided()) continue;
        SCOPED_TRACE(std::string(entry.row.name));
        for (const int unroll : entry.row.unrolls) {
            LaunchConfig launch = entry.row.usual;
            launch.unroll = unroll;
            EXPECT_TRUE(address(entry, launch)) << unroll;
            for (const int bodies : entry.row.bodiesPerThread) {
                launch.bodiesPerThread = bodies;
                EXPECT_TRUE(address(entry, launch)) << unroll << ", " << bodies;
            }
        }
        for (const int block : entry.row.blockSizes) {
            LaunchConfig launch = entry.row.usual;
            launch.block = block;
            EXPECT_TRUE(address(entry, launch)) << block;
        }
        if (entry.row.unrolls.empty()) continue;
        LaunchConfig launch{.unroll = 5};
        EXPECT_FALSE(address(entry, launch));
    }
    EXPECT_FALSE(pairsKernel(12)) << "no such tile";
    EXPECT_FALSE(constantBlockKernel(96));
    EXPECT_FALSE(tiledKernel<float>(3, 2)) << "with several bodies there are fewer factors";
    EXPECT_FALSE(tiledKernel<float>(kAutoUnroll, 2));
    EXPECT_FALSE(tiledKernel<double>(8, 8)) << "eight bodies do not fit the registers";
    EXPECT_NE(tiledKernel<float>(8, 1).address, tiledKernel<float>(8, 2).address);
    EXPECT_NE(tiledKernel<float>(8, 1).address, tiledKernel<float>(16, 1).address);
}

TEST(KernelEntries, fastRowsAreBuiltWithOneNumberChangedAtATime) {
    for (const KernelEntry& entry : kernelEntries()) {
        const SymmetricCode* code = entry.symmetric();
        if (!code) continue;
        const auto address = [&](int block, int unroll, int bodies) {
            return code->kernel32({.block = block, .unroll = unroll, .bodiesPerThread = bodies}).address;
        };
        for (const int block : entry.row.blockSizes) EXPECT_TRUE(address(block, 4, 8)) << block;
        for (const int unroll : entry.row.unrolls) EXPECT_TRUE(address(32, unroll, 8)) << unroll;
        for (const int bodies : entry.row.bodiesPerThread) EXPECT_TRUE(address(32, 4, bodies)) << bodies;
        EXPECT_EQ(address(64, 4, 8), address(128, 4, 8)) << "warps are counted when it is launched";
        EXPECT_NE(address(32, 4, 8), address(64, 4, 8));
        EXPECT_FALSE(address(64, 8, 8));
        EXPECT_FALSE(address(32, 8, 4));
        EXPECT_FALSE(address(32, 3, 8));
        EXPECT_FALSE(address(256, 4, 8));
        EXPECT_TRUE(code->kernel64({.block = 32, .unroll = 4, .bodiesPerThread = 4}));
        EXPECT_FALSE(code->kernel64({.block = 32, .unroll = 8, .bodiesPerThread = 4}));
    }
    for (const int unroll : {1, 2, 4, 8}) EXPECT_TRUE(manyStepsKernel(unroll));
    EXPECT_FALSE(manyStepsKernel(16));
}

TEST(KernelEntries, aUsualLaunchIsOfferedAndNothingElseIsTakenForIt) {
    for (const KernelEntry& entry : kernelEntries()) {
        const KernelRow& row = entry.row;
        const auto has = [](std::span<const int> values, int value) {
            return std::ranges::find(values, value) != values.end();
        };
        if (!row.blockSizes.empty()) {
            EXPECT_TRUE(has(row.blockSizes, row.usual.block)) << row.name;
            EXPECT_EQ(row.blockSizes.front(), row.blocks.first) << row.name;
            EXPECT_EQ(row.blockSizes.back(), row.blocks.last) << row.name;
        }
        if (!row.unrolls.empty()) {
            EXPECT_TRUE(has(row.unrolls, row.usual.unroll)) << row.name;
        }
        if (row.usual == LaunchConfig()) continue;
        // A request for LaunchConfig() means the usual launch, so no row may have it as its own.
        const LaunchConfig plain;
        EXPECT_TRUE((!row.blockSizes.empty() && !has(row.blockSizes, plain.block)) ||
                    (!row.bodiesPerThread.empty() && !has(row.bodiesPerThread, plain.bodiesPerThread)) ||
                    row.usual.bodiesPerThread != plain.bodiesPerThread || row.unrolls.empty())
            << row.name;
    }
}

TEST(KernelEntries, factorsPickTheWantedOne) {
    const auto square = [](auto factor) { return factor() * factor(); };
    EXPECT_EQ((Factors<1, 2, 4>::pick(1, square)), 1);
    EXPECT_EQ((Factors<1, 2, 4>::pick(4, square)), 16);
    EXPECT_EQ((Factors<1, 2, 4>::pick(3, square)), 0);
}

}  // namespace
}  // namespace gravlab::test
