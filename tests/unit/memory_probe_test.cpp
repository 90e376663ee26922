// Times of memories: the ring that a chain of reads follows, pieces of memory at a stride, and the rows of a probe.
#include "sim/backends/memory_probe.h"

#include "app/bench/benchmark_text.h"
#include "app/lab/lab.h"
#include "sim/core/error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>

namespace gravlab {
namespace {

using testing::HasSubstr;

TEST(MemoryProbe, aRingVisitsEveryPlaceOnceBeforeItReturns) {
    for (const std::uint64_t count : {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{128}, std::uint64_t{1} << 16}) {
        std::vector<bool> seen(count);
        std::uint64_t at = 0;
        for (std::uint64_t step = 0; step < count; ++step) {
            ASSERT_FALSE(seen[at]) << at << " of " << count;
            seen[at] = true;
            at = nextInRing(at, count);
        }
        EXPECT_EQ(at, 0u);
    }
}

/// 32 lanes read 128 bytes: four sectors side by side, and a sector each from a stride of eight numbers on.
TEST(MemoryProbe, countsThePiecesOfAStride) {
    const int sectors[] = {4, 8, 12, 16, 32, 32, 32};
    for (std::size_t k = 0; k < std::size(kStrides); ++k) EXPECT_EQ(unitsOfStride(kStrides[k], 32), sectors[k]);
    EXPECT_EQ(unitsOfStride(1, 64), 2);
    EXPECT_EQ(unitsOfStride(16, 64), 32);
}

TEST(MemoryProbe, measuresOneRowACallAndPrintsAllOfThem) {
    const std::unique_ptr<MemoryProbe> probe = memoryProbe("cpu", {});
    MemoryTimes times;
    std::size_t calls = 1;
    for (; probe->measure(times); ++calls)
        ASSERT_EQ(times.latencies.size() + times.strides.size() + times.passes.size(), calls);
    EXPECT_EQ(calls, probe->rows());
    EXPECT_EQ(times.strides.size(), std::size(kStrides));
    const auto isTime = [](double value) { return std::isfinite(value) && value > 0; };
    for (const MemoryLatency& row : times.latencies) EXPECT_TRUE(isTime(row.nanoseconds)) << row.from;
    for (const StridedRead& row : times.strides) {
        EXPECT_TRUE(isTime(row.useful)) << row.stride;
        EXPECT_NEAR(row.moved / row.useful, row.units * times.unitBytes / 128, 1e-6 * row.moved / row.useful) << row.stride;
    }
    const std::string text = memoryText(times);
    for (const MemoryLatency& row : times.latencies) EXPECT_THAT(text, HasSubstr(std::string(row.from)));
    EXPECT_THAT(text, HasSubstr("lines of 64 B for 32 reads"));
    const auto json = nlohmann::json::parse(memoryJson(times));
    EXPECT_EQ(json["latencies"].size(), times.latencies.size());
    EXPECT_EQ(json["strides"].back()["stride"], 32);
    EXPECT_EQ(json["device"], times.device);
}

/// The lab measures a row a frame, stops when it is cancelled, and keeps what was measured.
TEST(MemoryProbe, isMeasuredByTheLabBesideTheFrames) {
    Lab lab;
    LabSubject subject;
    subject.backend = "reference";
    lab.startMemory(subject);
    ASSERT_TRUE(lab.busy()) << "a backend without memories of its own leaves them to the CPU: " << lab.status();
    int quiet = 0;
    for (int frame = 0; frame < 2; ++frame) lab.advance(0.02, [&] { ++quiet; });
    EXPECT_EQ(quiet, 2);
    EXPECT_EQ(lab.memory().latencies.size(), 2u);
    EXPECT_GT(lab.progress(), 0);
    EXPECT_THAT(lab.status(), HasSubstr("row 2 of"));
    lab.cancel();
    EXPECT_FALSE(lab.busy());
    EXPECT_EQ(lab.memory().latencies.size(), 2u);
}

TEST(MemoryProbe, refusesABackendWithoutMemoriesOfItsOwn) { EXPECT_THROW(memoryProbe("reference", {}), UsageError); }

}  // namespace
}  // namespace gravlab
