// Resident blocks of planned launches, against published values and counts on a device.
#include "app/tables/occupancy.h"

#include "sim/api/errors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gravlab {
namespace {

int warpsOf(const char* name, const LaunchPlan& plan) {
    const PlannedLaunch launch = planned(gpu(name), plan);
    EXPECT_EQ(launch.refusal, "");
    return launch.facts.residentBlocks * ((plan.threads + 31) / 32);
}

/// docs/benchmarks/kernel-notes.md: 96 registers are 20 warps on a multiprocessor of an H200, 128 are 16, 163 are 12.
TEST(Occupancy, isWhatWasCountedOnAnH200) {
    EXPECT_EQ(warpsOf("h200", {.threads = 32, .registers = 96}), 20);
    EXPECT_EQ(warpsOf("h200", {.threads = 32, .registers = 128}), 16);
    EXPECT_EQ(warpsOf("h200", {.threads = 32, .registers = 163}), 12);
    EXPECT_EQ(warpsOf("h200", {.threads = 128, .registers = 40}), 48);
    EXPECT_EQ(warpsOf("h200", {.threads = 128, .registers = 64}), 32);
}

TEST(Occupancy, namesWhatLimits) {
    const auto limit = [](const LaunchPlan& plan) { return planned(gpu("a100"), plan).limit; };
    EXPECT_EQ(limit({.threads = 32, .registers = 32}), LaunchLimit::blocks);
    EXPECT_EQ(limit({.threads = 64, .registers = 32}), LaunchLimit::warps);
    EXPECT_EQ(limit({.threads = 128, .registers = 64}), LaunchLimit::registers);
    EXPECT_EQ(limit({.threads = 128, .registers = 32, .sharedBytes = 40000}), LaunchLimit::shared);
    EXPECT_EQ(planned(gpu("a100"), {.threads = 128, .registers = 32, .sharedBytes = 40000}).facts.residentBlocks, 4);
}

TEST(Occupancy, refusesWhatWouldNotStart) {
    EXPECT_THAT(planned(gpu("a100"), {.threads = 1025}).refusal, testing::HasSubstr("at most 1024 threads, not 1025"));
    EXPECT_THAT(planned(gpu("gtx-680"), {.threads = 128, .registers = 64}).refusal, testing::HasSubstr("63 registers"));
    EXPECT_THAT(planned(gpu("t4"), {.threads = 128, .registers = 32, .sharedBytes = 70000}).refusal,
                testing::HasSubstr("65536 bytes of shared memory"));
    const PlannedLaunch large = planned(gpu("t4"), {.threads = 1024, .registers = 128});
    EXPECT_THAT(large.refusal, testing::HasSubstr("registers"));
    EXPECT_EQ(large.facts.residentBlocks, 0);
    EXPECT_THROW(gpu("h2000"), UsageError);
}

TEST(Occupancy, takesTypedLimitsInPlaceOfTheNamedOnes) {
    OccupancyAsk ask{.gpu = "t4", .bodies = 10240, .block = 256, .registers = 32};
    const auto facts = [&] { return planned(gpuOf(ask), planOf(ask)).facts; };
    EXPECT_EQ(facts().blocks(), 40);
    EXPECT_EQ(facts().multiprocessors, 40);
    EXPECT_EQ(facts().sharedBytes, 4096u) << "a tile of a body a thread";
    ask.multiprocessors = 80;
    ask.warps = 8;
    EXPECT_EQ(facts().multiprocessors, 80);
    EXPECT_EQ(facts().residentBlocks, 1);
    EXPECT_DOUBLE_EQ(facts().waves(), 0.5);
    ask.shared = 0;
    EXPECT_EQ(facts().sharedBytes, 0u);
}

TEST(Occupancy, countsWavesAndTheirTail) {
    const PlannedLaunch launch = planned(gpu("t4"), {.bodies = 65536, .threads = 256, .registers = 32});
    EXPECT_EQ(launch.facts.blocks(), 256);
    EXPECT_EQ(launch.facts.residentBlocks, 4);
    EXPECT_DOUBLE_EQ(launch.facts.waves(), 1.6);
    EXPECT_NEAR(launch.facts.lastWave(), 0.6, 1e-12);
    EXPECT_DOUBLE_EQ(launch.facts.occupancy(), 1);
}

}  // namespace
}  // namespace gravlab
